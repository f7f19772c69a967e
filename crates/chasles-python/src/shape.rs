//! Shapes and motions of bodies in scenes.

use chasles::glam::DVec3;
use chasles::{BodyMotion, Primitive, SceneShape};
use chasles_formats::scene_build::keyed;
use chasles_formats::scene_file::Interpolation;
use pyo3::prelude::*;

use crate::given::{Poses, mistyped, one_pose, poses, refused, times as times_of, vector};
use crate::kept::values;
use crate::mesh::{Body, a_body, on_threads};
use crate::pose::{Pose, Screw};

/// A shape given by its sizes, checked.
fn checked(primitive: Primitive, kind: &str) -> PyResult<Primitive> {
    let wrong = |error: chasles::Error| refused(kind, error);
    primitive.check().map_err(wrong)?;
    Ok(primitive)
}

macro_rules! primitives {
    ($($(#[$meta:meta])* $name:ident($($given:ident: $kind:ty),*), $text:literal, $make:expr;)*) => {$(
        $(#[$meta])*
        #[pyclass(frozen, module = "chasles")]
        #[derive(Debug)]
        pub(crate) struct $name(Primitive);

        #[pymethods]
        impl $name {
            #[new]
            #[pyo3(text_signature = $text)]
            fn new($($given: $kind),*) -> PyResult<Self> {
                checked($make, stringify!($name)).map(Self)
            }

            fn __repr__(&self) -> String {
                told(&self.0)
            }
        }
    )*};
}

fn told(primitive: &Primitive) -> String {
    match primitive {
        Primitive::Box { size } => format!("Box([{}, {}, {}])", size.x, size.y, size.z),
        Primitive::Sphere { radius } => format!("Sphere({radius})"),
        Primitive::Cylinder { radius, height } => format!("Cylinder({radius}, {height})"),
        Primitive::Cone { radius, height } => format!("Cone({radius}, {height})"),
        Primitive::Capsule { radius, height } => format!("Capsule({radius}, {height})"),
    }
}

primitives! {
    /// A box with its edges along the axes, centred at the origin of its frame: ``size`` (3,), in metres.
    Box(size: &Bound<'_, PyAny>), "(size)", Primitive::Box { size: DVec3::from_array(vector::<3>(size, "size")?) };
    /// A ball about the origin of its frame, in metres.
    Sphere(radius: f64), "(radius)", Primitive::Sphere { radius };
    /// A cylinder along z, centred at the origin of its frame, in metres.
    Cylinder(radius: f64, height: f64), "(radius, height)", Primitive::Cylinder { radius, height };
    /// A cone along z, its tip at + ``height`` / 2; ``radius`` is that of its base. In metres.
    Cone(radius: f64, height: f64), "(radius, height)", Primitive::Cone { radius, height };
    /// A cylinder along z with half a ball on each end; ``height`` is that of the cylinder. In metres.
    Capsule(radius: f64, height: f64), "(radius, height)", Primitive::Capsule { radius, height };
}

/// Triangles that may show a round body: more than are worked on without threads.
const ROUND: usize = 1 << 12;

/// What is taken for a shape.
const A_SHAPE: &str = "a shape: a Mesh, a Body, a trimesh.Trimesh, Box, Sphere, Cylinder, Cone or Capsule";

/// The shape of a body of a scene.
pub(crate) fn scene_shape(value: &Bound<'_, PyAny>, place: &str) -> PyResult<SceneShape> {
    let py = value.py();
    if let Ok(body) = value.cast::<Body>() {
        return Ok(body.get().shape(py));
    }
    let primitive = value.cast::<Box>().map(|own| own.get().0);
    let primitive = primitive.or_else(|_| value.cast::<Sphere>().map(|own| own.get().0));
    let primitive = primitive.or_else(|_| value.cast::<Cylinder>().map(|own| own.get().0));
    let primitive = primitive.or_else(|_| value.cast::<Cone>().map(|own| own.get().0));
    let primitive = primitive.or_else(|_| value.cast::<Capsule>().map(|own| own.get().0));
    if let Ok(primitive) = primitive {
        let triangles = if matches!(primitive, Primitive::Box { .. }) { 12 } else { ROUND };
        let made = on_threads(py, triangles, || SceneShape::primitive(primitive))?;
        return made.map_err(|error| refused(place, error));
    }
    match a_body(value, place) {
        Ok(body) => Ok(SceneShape::mesh(body)),
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) => {
            Err(mistyped(place, value, A_SHAPE))
        }
        Err(error) => Err(error),
    }
}

/// Constant velocities from a pose on: ``linear`` (3,) of the body's origin, in metres a second, ``angular`` (3,) in radians a
/// second.
#[pyclass(frozen, module = "chasles")]
#[derive(Debug)]
pub(crate) struct Twist(BodyMotion);

#[pymethods]
impl Twist {
    #[new]
    fn new(
        start: &Bound<'_, PyAny>,
        linear: &Bound<'_, PyAny>,
        angular: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let start = one_pose(start, "start")?;
        let [linear, angular] = [vector::<3>(linear, "linear")?, vector::<3>(angular, "angular")?];
        Ok(Self(BodyMotion::Twist { start, linear: linear.into(), angular: angular.into() }))
    }

    fn __repr__(&self) -> String {
        match &self.0 {
            BodyMotion::Twist { linear, angular, .. } => {
                format!("Twist(linear={:?}, angular={:?})", linear.to_array(), angular.to_array())
            }
            _ => "Twist()".to_owned(),
        }
    }
}

/// Poses at times: ``times`` (K,) in seconds, increasing, ``poses`` (K, 4, 4) or (K, 7); held before the first and after the
/// last. Between two of them ``interpolation`` says what happens: ``screw``, the screw that joins them; ``linear``,
/// positions along straight lines and rotations about fixed axes; ``step``, a pose holds until the next.
#[pyclass(frozen, module = "chasles")]
#[derive(Debug)]
pub(crate) struct Keyframes(BodyMotion);

#[pymethods]
impl Keyframes {
    #[new]
    #[pyo3(signature = (times, poses, interpolation="screw"))]
    fn new(times: &Bound<'_, PyAny>, poses: &Bound<'_, PyAny>, interpolation: &str) -> PyResult<Self> {
        let times = times_of(times, "(K,)")?;
        let poses = match self::poses(poses, "poses")? {
            Poses::Many(poses) => poses,
            Poses::One(_) => return Err(refused("poses", "found one pose, expected (K, 4, 4) or (K, 7)")),
        };
        if times.is_empty() {
            return Err(refused("times", "found none, expected at least one"));
        }
        if times.len() != poses.len() {
            let message = format_args!("found {}, expected {}, one for each time", poses.len(), times.len());
            return Err(refused("poses", message));
        }
        let interpolation = match interpolation {
            "screw" => Interpolation::Screw,
            "linear" => Interpolation::Linear,
            "step" => Interpolation::Step,
            other => {
                let message = format_args!("found {other:?}, expected \"screw\", \"linear\" or \"step\"");
                return Err(refused("interpolation", message));
            }
        };
        let positions: Vec<DVec3> = poses.iter().map(chasles::Pose::position).collect();
        let rotations: Vec<_> = poses.iter().map(chasles::Pose::rotation).collect();
        let motion = keyed((&times, &positions, &rotations), interpolation);
        motion.map(Self).map_err(|error| refused("poses", error))
    }

    fn __repr__(&self) -> String {
        let (count, kind) = match &self.0 {
            BodyMotion::Keyframes(keys) => (keys.len(), "screw"),
            BodyMotion::Curves { position, .. } => {
                let kind = if matches!(position, chasles::Curve::Step(_)) { "step" } else { "linear" };
                (position.times().len(), kind)
            }
            _ => (0, "screw"),
        };
        format!("Keyframes({count} poses, {kind:?})")
    }
}

/// What is taken for a motion.
const A_MOTION: &str = "a motion: a pose, a Screw, a Twist, Keyframes or None";

/// The motion of a body of a scene.
pub(crate) fn body_motion(value: Option<&Bound<'_, PyAny>>) -> PyResult<BodyMotion> {
    let Some(value) = value.filter(|value| !value.is_none()) else {
        return Ok(BodyMotion::Still(chasles::Pose::IDENTITY));
    };
    if let Ok(screw) = value.cast::<Screw>() {
        return Ok(BodyMotion::Screw(screw.get().0));
    }
    if let Ok(twist) = value.cast::<Twist>() {
        return Ok(twist.get().0.clone());
    }
    if let Ok(keyframes) = value.cast::<Keyframes>() {
        return Ok(keyframes.get().0.clone());
    }
    if let Ok(pose) = value.cast::<Pose>() {
        return Ok(BodyMotion::Still(pose.get().0));
    }
    match one_pose(value, "motion") {
        Ok(pose) => Ok(BodyMotion::Still(pose)),
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(value.py()) => {
            Err(mistyped("motion", value, A_MOTION))
        }
        Err(error) => Err(error),
    }
}

values! { Box Sphere Cylinder Cone Capsule Twist Keyframes }
