//! Robots as URDF.

/// A needle that rotates about two axes. Its swept ball barely clears a bar, so the proof takes very long for
/// millions of revolutions.
pub const SPINNER: &str = r#"<robot name="spinner">
  <link name="base"><collision><origin xyz="0.37 0.37 0"/><geometry><box size="0.01 0.01 1"/></geometry></collision></link>
  <link name="hub"/>
  <link name="needle"><collision><geometry><box size="1 0.01 0.01"/></geometry></collision></link>
  <joint name="tilt" type="continuous"><parent link="base"/><child link="hub"/><axis xyz="0 0 1"/></joint>
  <joint name="spin" type="continuous"><parent link="hub"/><child link="needle"/><axis xyz="0 1 0"/></joint>
</robot>"#;
