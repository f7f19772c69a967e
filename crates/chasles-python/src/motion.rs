//! Motions of bodies in scenes.

use chasles::BodyMotion;
use chasles::glam::DVec3;
use chasles_formats::scene::build::keyed;
use chasles_formats::scene::file::KeyInterpolation;
use pyo3::prelude::*;

use crate::arguments::{times as times_of, type_error, value_error, vector};
use crate::pickle::value_classes;
use crate::pose::{Pose, Poses, Screw, one_pose, poses};

/// Constant velocities, starting at a pose: ``linear`` (3,) of the body's origin, in metres per second, ``angular``
/// (3,) in radians per second.
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

/// Poses at times: ``times`` (K,) in seconds, increasing, ``poses`` (K, 4, 4) or (K, 7). The pose is constant
/// before the first time and after the last. ``interpolation`` is the motion between two poses: ``screw``, the
/// screw that joins them; ``linear``, positions along straight lines and rotations about fixed axes; ``step``, a
/// constant pose until the next.
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
            Poses::One(_) => {
                return Err(value_error("poses", "found one pose, expected (K, 4, 4) or (K, 7)"));
            }
        };
        if times.is_empty() {
            return Err(value_error("times", "found none, expected at least one"));
        }
        if times.len() != poses.len() {
            let message = format_args!("found {}, expected {}, one for each time", poses.len(), times.len());
            return Err(value_error("poses", message));
        }
        let interpolation = match interpolation {
            "screw" => KeyInterpolation::Screw,
            "linear" => KeyInterpolation::Linear,
            "step" => KeyInterpolation::Step,
            other => {
                let message = format_args!("found {other:?}, expected \"screw\", \"linear\" or \"step\"");
                return Err(value_error("interpolation", message));
            }
        };
        let positions: Vec<DVec3> = poses.iter().map(chasles::Pose::position).collect();
        let rotations: Vec<_> = poses.iter().map(chasles::Pose::rotation).collect();
        let motion = keyed((&times, &positions, &rotations), interpolation);
        motion.map(Self).map_err(|error| value_error("poses", error))
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

/// The accepted forms of a motion, for messages.
const MOTION_FORMS: &str = "a motion: a pose, a Screw, a Twist, Keyframes or None";

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
            Err(type_error("motion", value, MOTION_FORMS))
        }
        Err(error) => Err(error),
    }
}

value_classes! { Twist Keyframes }
