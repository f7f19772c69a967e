//! Poses and screws.

use std::fmt::Display;

use chasles::glam::{DQuat, DVec3};
use numpy::{IntoPyArray as _, PyArray1, PyArrayDyn, PyArrayMethods as _, PyUntypedArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::arguments::{
    Row, flattened, is_sequence_of, real_array, shape_error, type_error, value_error, vector,
};
use crate::pickle::value_classes;

/// Numbers as an array of some shape.
pub(crate) fn array<'py>(
    py: Python<'py>,
    numbers: Vec<f64>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    numbers.into_pyarray(py).reshape(shape)
}

/// Three numbers as an array.
pub(crate) fn vector_array(py: Python<'_>, vector: DVec3) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_slice(py, &vector.to_array())
}

/// Poses as matrices, (K, 4, 4).
pub(crate) fn matrices<'py>(
    py: Python<'py>,
    poses: impl ExactSizeIterator<Item = chasles::Pose>,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let count = poses.len();
    let mut numbers = Vec::with_capacity(16 * count);
    poses.for_each(|pose| numbers.extend_from_slice(pose.to_matrix().as_flattened()));
    array(py, numbers, &[count, 4, 4])
}

fn matrix<'py>(py: Python<'py>, pose: &chasles::Pose) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    array(py, pose.to_matrix().as_flattened().to_vec(), &[4, 4])
}

/// A pose from a position and a quaternion.
fn pose_from_parts(position: &[f64], quaternion: &[f64], place: impl Display) -> PyResult<chasles::Pose> {
    let rotation = DQuat::from_xyzw(quaternion[1], quaternion[2], quaternion[3], quaternion[0]);
    chasles::Pose::new(DVec3::from_slice(position), rotation).map_err(|error| value_error(place, error))
}

/// A pose from 7 numbers, or from 16, row by row.
fn pose_from_numbers(numbers: &[f64], place: impl Display) -> PyResult<chasles::Pose> {
    match numbers.len() {
        7 => pose_from_parts(&numbers[..3], &numbers[3..], place),
        _ => {
            let rows = [0, 4, 8, 12].map(|at| std::array::from_fn(|j| numbers[at + j]));
            chasles::Pose::from_matrix(&rows).map_err(|error| value_error(place, error))
        }
    }
}

/// The accepted forms of a pose, for messages.
const POSE_FORMS: &str = "a pose: a Pose, (4, 4), (7,) or (position, quaternion)";

/// The accepted forms of poses, for messages.
const POSES_FORMS: &str = "poses (K, 4, 4) or (K, 7), or one pose";

/// One pose in any of its forms.
pub(crate) fn one_pose(value: &Bound<'_, PyAny>, place: &str) -> PyResult<chasles::Pose> {
    match poses(value, place)? {
        Poses::One(pose) => Ok(pose),
        Poses::Many(poses) => {
            Err(value_error(place, format_args!("found {} poses, expected one", poses.len())))
        }
    }
}

/// One pose for all rows, or one for each row.
#[derive(Debug, Clone)]
pub(crate) enum Poses {
    One(chasles::Pose),
    Many(Vec<chasles::Pose>),
}

impl Poses {
    /// The number of poses; `None`: one for all.
    pub(crate) fn count(&self) -> Option<usize> {
        match self {
            Self::One(_) => None,
            Self::Many(poses) => Some(poses.len()),
        }
    }

    /// The pose with this number.
    pub(crate) fn at(&self, number: usize) -> chasles::Pose {
        match self {
            Self::One(pose) => *pose,
            Self::Many(poses) => poses[number],
        }
    }
}

/// Poses, or one pose, in any form.
pub(crate) fn poses(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Poses> {
    if let Ok(pose) = value.cast::<Pose>() {
        return Ok(Poses::One(pose.get().0));
    }
    if let Ok(pair) = value.cast::<PyTuple>()
        && pair.len() == 2
        && !pair.get_item(0)?.is_instance_of::<Pose>()
    {
        let position = vector::<3>(&pair.get_item(0)?, &format!("{place}: position"))?;
        let quaternion = vector::<4>(&pair.get_item(1)?, &format!("{place}: quaternion"))?;
        return Ok(Poses::One(pose_from_parts(&position, &quaternion, place)?));
    }
    if is_sequence_of::<Pose>(value) {
        let convert = |(row, item): (usize, PyResult<Bound<'_, PyAny>>)| {
            let item = item?;
            let pose = item.cast::<Pose>().map(|pose| pose.get().0);
            pose.map_err(|_| type_error(Row { place, row }, &item, "a Pose, as the first one"))
        };
        return Ok(Poses::Many(value.try_iter()?.enumerate().map(convert).collect::<PyResult<_>>()?));
    }
    if value.is_none() || value.is_instance_of::<Screw>() {
        return Err(type_error(place, value, POSE_FORMS));
    }
    let array = real_array(value, place)?;
    let width = match array.shape() {
        [7] | [4, 4] => return Ok(Poses::One(pose_from_numbers(&flattened(&array)?, place)?)),
        [_, 7] => 7,
        [_, 4, 4] => 16,
        shape => return Err(shape_error(place, shape, POSES_FORMS)),
    };
    let numbers = flattened(&array)?;
    let each = numbers.chunks_exact(width).enumerate();
    let each = each.map(|(row, numbers)| pose_from_numbers(numbers, Row { place, row }));
    Ok(Poses::Many(each.collect::<PyResult<_>>()?))
}

/// The position and rotation of a body: a point x of the body is at ``R x + position`` in the world.
///
/// ``position`` (3,) is in metres, ``quaternion`` (4,) is (w, x, y, z) of any length but zero; it is normalised.
/// Every argument that is a pose may be a ``Pose``, a rigid (4, 4) matrix, (7,) ``x, y, z, qw, qx, qy, qz`` or a tuple
/// (position, quaternion).
///
/// >>> turned = chasles.Pose([1, 0, 0], [1, 0, 0, 1])
/// >>> turned.transform([1, 0, 0]).round(12)
/// array([1., 1., 0.])
#[pyclass(frozen, module = "chasles")]
#[derive(Debug)]
pub(crate) struct Pose(pub(crate) chasles::Pose);

#[pymethods]
impl Pose {
    #[new]
    #[pyo3(signature = (position=None, quaternion=None), text_signature = "(position=(0, 0, 0), quaternion=(1, 0, 0, 0))")]
    fn new(position: Option<&Bound<'_, PyAny>>, quaternion: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let position = position.map_or(Ok([0.0; 3]), |input| vector::<3>(input, "position"))?;
        let quaternion =
            quaternion.map_or(Ok([1.0, 0.0, 0.0, 0.0]), |input| vector::<4>(input, "quaternion"))?;
        Ok(Self(pose_from_parts(&position, &quaternion, "pose")?))
    }

    /// The pose of a rigid (4, 4) matrix. Differences to a rigid matrix up to 1e-6 in each number are accepted.
    ///
    /// >>> chasles.Pose.from_matrix(np.eye(4)) == chasles.Pose()
    /// True
    #[classmethod]
    fn from_matrix(_: &Bound<'_, PyType>, m: &Bound<'_, PyAny>) -> PyResult<Self> {
        let array = real_array(m, "m")?;
        match array.shape() {
            [4, 4] => Ok(Self(one_pose(array.as_any(), "m")?)),
            shape => Err(shape_error("m", shape, "(4, 4)")),
        }
    }

    /// The body's origin in the world: (3,), in metres.
    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector_array(py, self.0.position())
    }

    /// The rotation from the body's frame to the world: (4,), a unit quaternion (w, x, y, z).
    #[getter]
    fn quaternion<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let [x, y, z, w] = self.0.rotation().to_array();
        PyArray1::from_slice(py, &[w, x, y, z])
    }

    /// The rigid matrix that takes (x, y, z, 1) of the body's frame to the world: (4, 4).
    #[getter]
    fn matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        matrix(py, &self.0)
    }

    /// First ``other``, then this pose; ``other`` may have any form of a pose.
    fn __matmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(self.0.compose(&one_pose(other, "other")?)))
    }

    /// The pose that undoes this one.
    fn inverse(&self) -> Self {
        Self(self.0.inverse())
    }

    /// Points (.., 3) of the body's frame in the world, an array of the same shape.
    fn transform<'py>(&self, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let input = real_array(points, "points")?;
        if input.shape().last() != Some(&3) {
            return Err(shape_error("points", input.shape(), "(.., 3)"));
        }
        let numbers = flattened(&input)?;
        let moved =
            numbers.chunks_exact(3).flat_map(|x| self.0.transform_point(DVec3::from_slice(x)).to_array());
        array(points.py(), moved.collect(), input.shape())
    }

    fn __repr__(&self) -> String {
        let [p, [x, y, z, w]] = [self.0.position().extend(0.0).to_array(), self.0.rotation().to_array()];
        format!("Pose(position=[{}, {}, {}], quaternion=[{w}, {x}, {y}, {z}])", p[0], p[1], p[2])
    }
}

/// A body's motion over t in [0, 1]: from a start pose, a rotation by an angle about a fixed axis and a slide along
/// it, both at constant speed (Chasles' theorem). Made by ``between``, ``about``, ``translation`` or ``still``.
///
/// >>> bolt = chasles.Screw.about(chasles.Pose(), direction=[0, 0, 1], point=[0, 0, 0], slide=0.01, angle=4 * np.pi)
/// >>> float(bolt.at(0.5)[2, 3])
/// 0.005
#[pyclass(frozen, module = "chasles")]
#[derive(Debug)]
pub(crate) struct Screw(pub(crate) chasles::Screw);

#[pymethods]
impl Screw {
    /// The screw from one pose to another with the smallest angle, at most half a revolution. For exactly half a
    /// revolution the axis is the one whose first non-zero component is positive.
    #[classmethod]
    fn between(_: &Bound<'_, PyType>, start: &Bound<'_, PyAny>, end: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(chasles::Screw::between(one_pose(start, "start")?, one_pose(end, "end")?)))
    }

    /// The motion from ``start`` about the axis through ``point`` (3,) along ``direction`` (3,), of any length but
    /// zero: by ``slide`` metres along it and ``angle`` radians about it, right-handed, for any number of revolutions.
    #[classmethod]
    fn about(
        _: &Bound<'_, PyType>,
        start: &Bound<'_, PyAny>,
        direction: &Bound<'_, PyAny>,
        point: &Bound<'_, PyAny>,
        slide: f64,
        angle: f64,
    ) -> PyResult<Self> {
        let start = one_pose(start, "start")?;
        let [direction, point] = [vector::<3>(direction, "direction")?, vector::<3>(point, "point")?];
        let screw = chasles::Screw::about(start, direction.into(), point.into(), slide, angle);
        screw.map(Self).map_err(|error| value_error("screw", error))
    }

    /// The translation by ``displacement`` (3,), in metres.
    #[classmethod]
    fn translation(
        _: &Bound<'_, PyType>,
        start: &Bound<'_, PyAny>,
        displacement: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let displacement = vector::<3>(displacement, "displacement")?;
        // The end must be within the range of coordinates.
        let start = one_pose(start, "start")?;
        let displacement = DVec3::from_array(displacement);
        chasles::Pose::from_position(start.position() + displacement)
            .map_err(|error| value_error("displacement", error))?;
        Ok(Self(chasles::Screw::translation(start, displacement)))
    }

    /// A motion that stays at a pose.
    #[classmethod]
    fn still(_: &Bound<'_, PyType>, pose: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(chasles::Screw::still(one_pose(pose, "pose")?)))
    }

    /// The pose at t = 0.
    #[getter]
    fn start(&self) -> Pose {
        Pose(self.0.start())
    }

    /// The pose at t = 1.
    #[getter]
    fn end(&self) -> Pose {
        Pose(self.0.end())
    }

    /// The angle about the axis over t in [0, 1], in radians, not negative.
    #[getter]
    fn angle(&self) -> f64 {
        self.0.angle()
    }

    /// The slide along the axis over t in [0, 1], in metres.
    #[getter]
    fn slide(&self) -> f64 {
        self.0.slide()
    }

    /// The unit direction (3,) of the axis; in a pure translation, of the displacement.
    #[getter]
    fn direction<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector_array(py, self.0.direction())
    }

    /// The pose at time ``t``, as a matrix (4, 4); for times (K,), as matrices (K, 4, 4).
    fn at<'py>(&self, t: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let (py, times) = (t.py(), real_array(t, "t")?);
        let numbers = flattened(&times)?;
        if let Some((row, value)) = numbers.iter().enumerate().find(|(_, time)| !time.is_finite()) {
            return Err(value_error(
                format_args!("t[{row}]"),
                format_args!("found {value}, expected a finite number"),
            ));
        }
        match times.shape() {
            [] => matrix(py, &self.0.pose_at(numbers[0])),
            [_] => matrices(py, numbers.iter().map(|time| self.0.pose_at(*time))),
            shape => Err(shape_error("t", shape, "() or (K,)")),
        }
    }

    /// The motion of the fixed frame as seen from the moving body: the inverse pose at every time.
    fn inverse(&self) -> Self {
        Self(self.0.inverse())
    }

    /// The reversed motion: from the end pose to the start pose.
    fn reversed(&self) -> Self {
        Self(self.0.reversed())
    }

    /// The motion in the frame of a static body at a pose.
    fn seen_from(&self, pose: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(self.0.in_frame_of(&one_pose(pose, "pose")?)))
    }

    fn __repr__(&self) -> String {
        let (d, p) = (self.0.direction(), self.0.start().position());
        format!(
            "Screw(from=[{}, {}, {}], angle={}, slide={}, direction=[{}, {}, {}])",
            p.x,
            p.y,
            p.z,
            self.0.angle(),
            self.0.slide(),
            d.x,
            d.y,
            d.z
        )
    }
}

value_classes! { Pose Screw }
