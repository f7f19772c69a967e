//! Robots as URDF.

/// A needle that turns about two axes, within a ball that only just keeps clear of a bar: it takes very long to prove that of
/// millions of turns.
pub const SPINNER: &str = r#"<robot name="spinner">
  <link name="base"><collision><origin xyz="0.37 0.37 0"/><geometry><box size="0.01 0.01 1"/></geometry></collision></link>
  <link name="hub"/>
  <link name="needle"><collision><geometry><box size="1 0.01 0.01"/></geometry></collision></link>
  <joint name="tilt" type="continuous"><parent link="base"/><child link="hub"/><axis xyz="0 0 1"/></joint>
  <joint name="spin" type="continuous"><parent link="hub"/><child link="needle"/><axis xyz="0 1 0"/></joint>
</robot>"#;
