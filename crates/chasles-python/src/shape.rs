//! Shapes of bodies in scenes: primitives, clouds, surfaces by formulas, deforming surfaces.
//!
//! ```text
//! primitive   shapes given by their sizes
//! solid       solids made of parts
//! ```

mod primitive;
mod solid;

use std::sync::Arc;

use chasles::glam::DVec3;
use chasles::{CollisionShape, Expression, FramesInMemory, Primitive, ShapeSource};
use chasles_formats::packed::PackedShape;
use numpy::PyUntypedArrayMethods as _;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::arguments::{
    flattened, non_negative, point_array, points, real_array, shape_error, times as times_of, type_error,
    value_error, vector,
};
use crate::mesh::{Body, on_threads, prepared_mesh, triangles};
use crate::pickle::value_classes;
use crate::work::{on_new_threads, run_unmonitored};

use self::primitive::primitive;

pub(crate) use self::primitive::{Box, Capsule, Cone, Cylinder, Sphere};
pub(crate) use self::solid::Solid;

/// A shape that is serialized as its source.
#[derive(Debug, Clone)]
pub(crate) struct ShapeValue(CollisionShape);

impl Serialize for ShapeValue {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        PackedShape::of(&self.0).map_err(serde::ser::Error::custom)?.serialize(to)
    }
}

impl<'de> Deserialize<'de> for ShapeValue {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let packed = PackedShape::deserialize(from)?;
        on_new_threads(|| packed.shape()).map(Self).map_err(serde::de::Error::custom)
    }
}

/// A formula that can be evaluated in the ranges of its variables.
pub(crate) fn formula<const N: usize>(
    py: Python<'_>,
    (place, text): (&str, &str),
    variables: &'static [&str; N],
    ranges: [[f64; 2]; N],
) -> PyResult<Expression> {
    let text = text.to_owned();
    let parsed = run_unmonitored(py, move || {
        let formula = Expression::parse(&text, variables)?;
        formula.check(&ranges)?;
        Ok(formula)
    })?;
    parsed.map_err(|error: chasles::ExpressionError| value_error(place, error))
}

/// Builds a shape on threads of its own.
fn build_shape(
    py: Python<'_>,
    place: &str,
    make: impl FnOnce() -> Result<CollisionShape, chasles::Error> + Send + 'static,
) -> PyResult<ShapeValue> {
    let shape = run_unmonitored(py, make)?;
    shape.map(ShapeValue).map_err(|error| value_error(place, error))
}

/// Points (N, 3), in metres, each of which represents a ball of the same ``radius``. Two bodies touch if a ball of
/// one reaches the other. Use it for a scan, a depth image or an octree.
///
/// >>> dots = chasles.PointCloud([[0, 0, 0], [0.1, 0, 0]], 0.01)
/// >>> dots
/// PointCloud(2 points, 0.01)
#[pyclass(frozen, module = "chasles")]
#[derive(Debug)]
pub(crate) struct PointCloud(ShapeValue);

#[pymethods]
impl PointCloud {
    #[new]
    fn new(points: &Bound<'_, PyAny>, radius: f64) -> PyResult<Self> {
        let py = points.py();
        let points = point_array(points, "points")?;
        let radius = non_negative(Some(radius), "radius")?.unwrap_or_default();
        if points.is_empty() {
            return Err(value_error("points", "found none, expected at least one"));
        }
        let make = move || {
            let cloud = chasles::PointCloud::new((0..).zip(points).collect(), radius)?;
            CollisionShape::cloud(Arc::new(cloud))
        };
        build_shape(py, "points", make).map(Self)
    }

    fn __repr__(&self) -> String {
        match self.0.0.made_of() {
            ShapeSource::Cloud(cloud) => {
                format!("PointCloud({} points, {})", cloud.points().len(), cloud.radius())
            }
            _ => "PointCloud()".to_owned(),
        }
    }
}

/// A surface by formulas of u and v: the points (``x``, ``y``, ``z``), in metres, for ``u`` and ``v`` in their ranges
/// (2,).
///
/// Formulas have numbers, pi, ``+ - * / ^ ( )``, ``sqrt abs exp log sin cos tan asin acos atan atan2 min max``.
///
/// >>> wave = chasles.ParametricSurface("u", "v", "0.1*sin(6*u)", [-1, 1], [-1, 1])
#[pyclass(frozen, module = "chasles")]
#[derive(Debug)]
pub(crate) struct ParametricSurface(ShapeValue);

#[pymethods]
impl ParametricSurface {
    #[new]
    fn new(x: &str, y: &str, z: &str, u: &Bound<'_, PyAny>, v: &Bound<'_, PyAny>) -> PyResult<Self> {
        let ranges = [vector::<2>(u, "u")?, vector::<2>(v, "v")?];
        for (place, [from, to]) in ["u", "v"].into_iter().zip(ranges) {
            if from >= to {
                let message = format_args!("found {from} to {to}, expected a range that increases");
                return Err(value_error(place, message));
            }
        }
        let formula = |place: &str, text: &str| formula(u.py(), (place, text), &["u", "v"], ranges);
        let coordinates = [formula("x", x)?, formula("y", y)?, formula("z", z)?];
        let make = move || {
            let surface = chasles::ParametricSurface::new(coordinates, ranges, 1.0)?;
            CollisionShape::parametric(Arc::new(surface))
        };
        build_shape(u.py(), "surface", make).map(Self)
    }

    fn __repr__(&self) -> String {
        match self.0.0.made_of() {
            ShapeSource::Parametric(surface) => {
                let [u, v] = surface.ranges();
                format!("ParametricSurface(u={u:?}, v={v:?})")
            }
            _ => "ParametricSurface()".to_owned(),
        }
    }
}

/// Triangles with moving vertices: ``frames`` (T, N, 3), in metres, in the frame of the body, are their positions
/// at ``times`` (T,), in seconds; between frames each vertex moves along a straight line. ``faces`` (M, 3) are the
/// numbers of their corners.
///
/// Guarantee: answers hold for all moments, also between frames.
///
/// >>> flap = chasles.DeformingSurface([0, 1], [[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [1, 0, 0], [0, 1, 1]]], [[0, 1, 2]])
/// >>> flap
/// DeformingSurface(2 frames, 3 vertices)
#[pyclass(frozen, module = "chasles")]
#[derive(Debug)]
pub(crate) struct DeformingSurface(ShapeValue);

#[pymethods]
impl DeformingSurface {
    #[new]
    fn new(times: &Bound<'_, PyAny>, frames: &Bound<'_, PyAny>, faces: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (py, times) = (times.py(), times_of(times, "(T,)")?);
        let input = real_array(frames, "frames")?;
        let &[count, vertices, 3] = input.shape() else {
            return Err(shape_error("frames", input.shape(), "(T, N, 3)"));
        };
        if count != times.len() || count == 0 {
            let message = format_args!("found {count}, expected {}, one for each time", times.len().max(1));
            return Err(value_error("frames", message));
        }
        let triangles = triangles(faces, vertices)?;
        let numbers = flattened(&input)?;
        let all = numbers.chunks_exact(3 * vertices).enumerate();
        let all = all.map(|(number, numbers)| points(numbers, format_args!("frames[{number}]")));
        let all: Vec<Vec<DVec3>> = all.collect::<PyResult<_>>()?;
        let make = || {
            let mesh = chasles::Mesh::new(all.first().cloned().unwrap_or_default(), triangles)?;
            let surface = chasles::DeformingSurface::new(mesh, times, Arc::new(FramesInMemory(all)))?;
            Ok(CollisionShape::deforming(Arc::new(surface)))
        };
        build_shape(py, "frames", make).map(Self)
    }

    fn __repr__(&self) -> String {
        match self.0.0.deforming_surface() {
            Some(surface) => {
                let (frames, vertices) = (surface.times().len(), surface.mesh().vertex_count());
                format!("DeformingSurface({frames} frames, {vertices} vertices)")
            }
            None => "DeformingSurface()".to_owned(),
        }
    }
}

/// A number of triangles for round bodies that is large enough for threads.
const ROUND_TRIANGLES: usize = 1 << 12;

/// The accepted forms of a shape, for messages.
const SHAPE_FORMS: &str = "a shape: a Mesh, a Body, a trimesh.Trimesh, Box, Sphere, Cylinder, Cone, Capsule, Solid, PointCloud, ParametricSurface or DeformingSurface";

/// The shape of a body of a scene.
pub(crate) fn scene_shape(value: &Bound<'_, PyAny>, place: &str) -> PyResult<CollisionShape> {
    let py = value.py();
    if let Ok(body) = value.cast::<Body>() {
        return Ok(body.get().shape(py));
    }
    let shape = value.cast::<PointCloud>().map(|shape| shape.get().0.0.clone());
    let shape = shape.or_else(|_| value.cast::<ParametricSurface>().map(|shape| shape.get().0.0.clone()));
    let shape = shape.or_else(|_| value.cast::<DeformingSurface>().map(|shape| shape.get().0.0.clone()));
    if let Ok(shape) = shape {
        return Ok(shape);
    }
    if let Ok(solid) = value.cast::<Solid>() {
        return solid.get().shape(py, place);
    }
    if let Some(primitive) = primitive(value) {
        let triangles = if matches!(primitive, Primitive::Box { .. }) { 12 } else { ROUND_TRIANGLES };
        let shape = on_threads(py, triangles, move || CollisionShape::primitive(primitive))?;
        return shape.map_err(|error| value_error(place, error));
    }
    match prepared_mesh(value, place) {
        Ok(body) => Ok(CollisionShape::mesh(body)),
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) => {
            Err(type_error(place, value, SHAPE_FORMS))
        }
        Err(error) => Err(error),
    }
}

/// Whether a shape is a solid made of parts, which contains its interior.
pub(crate) fn is_solid(shape: &CollisionShape) -> bool {
    matches!(shape.made_of(), ShapeSource::Solid(_))
}

/// A mesh of convex pieces, checked to be so.
pub(crate) fn convex_shape(value: &Bound<'_, PyAny>, place: &str) -> PyResult<CollisionShape> {
    let body = prepared_mesh(value, place)?;
    let shape = run_unmonitored(value.py(), || CollisionShape::convex_mesh(body))?;
    shape.map_err(|error| value_error(place, error))
}

value_classes! { PointCloud ParametricSurface DeformingSurface }
