//! Solids made of parts: formulas, samples, meshes, primitives, half-spaces, joined, cut and subtracted.

use std::sync::Arc;

use chasles::glam::DVec3;
use chasles::{CollisionShape, HeightField, LevelSet, PartShape, Pose, SolidError, SolidPart};
use numpy::{PyArrayDyn, PyUntypedArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::arguments::{flattened, real_array, shape_error, type_error, value_error, vector};
use crate::mesh::prepared_mesh;
use crate::pickle::value_classes;
use crate::pose::{array, one_pose};
use crate::work::run_unmonitored;

use super::primitive::primitive;

/// A solid: given by a formula, by samples, a closed mesh or a primitive, or combined: ``a | b``, ``a & b``, ``a - b``.
///
/// It is bounded by its true surface, not by triangles.
///
/// >>> plate = chasles.Solid.of(chasles.Box([1, 1, 0.1])) - chasles.Cylinder(0.2, 1)
/// >>> egg = chasles.Solid.formula("x^2 + 2*y^2 + z^2 - 0.09", [[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]])
/// >>> both = plate | egg.placed(([0, 0, 1], [1, 0, 0, 0]))
/// >>> both.bounds.round(3).tolist()
/// [[-0.5, -0.5, -0.05], [0.5, 0.5, 1.5]]
#[pyclass(frozen, module = "chasles")]
#[derive(Debug)]
pub(crate) struct Solid(Vec<SolidPart>);

/// A solid of one part.
fn single_part(shape: PartShape) -> Solid {
    Solid(vec![SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 }])
}

impl Solid {
    fn checked(&self, place: &str) -> PyResult<chasles::Solid> {
        chasles::Solid::new(self.0.clone()).map_err(|SolidError { error, .. }| value_error(place, error))
    }

    /// The shape of a body.
    pub(crate) fn shape(&self, py: Python<'_>, place: &str) -> PyResult<CollisionShape> {
        let solid = Arc::new(self.checked(place)?);
        let shape = run_unmonitored(py, move || CollisionShape::solid(solid))?;
        shape.map_err(|error| value_error(place, error))
    }

    /// A solid of this one and others.
    fn combine(&self, others: &Bound<'_, PyTuple>, join: fn(Vec<usize>) -> PartShape) -> PyResult<Self> {
        let mut parts = Vec::new();
        let mut roots = Vec::new();
        let mut take = |solid: &Self| {
            let first = parts.len();
            parts.extend(solid.0.iter().cloned().map(|part| with_part_offset(part, first)));
            roots.push(parts.len() - 1);
        };
        take(self);
        for other in others {
            match other.cast::<Self>() {
                Ok(solid) => take(solid.get()),
                Err(_) => take(&solid_from(&other, "others")?),
            }
        }
        parts.push(SolidPart { shape: join(roots), pose: Pose::IDENTITY, scale: 1.0 });
        Ok(Self(parts))
    }
}

/// A part with `by` added to the indices of its own parts.
fn with_part_offset(part: SolidPart, by: usize) -> SolidPart {
    let moved = |of: Vec<usize>| of.into_iter().map(|number| number + by).collect();
    let shape = match part.shape {
        PartShape::Union(of) => PartShape::Union(moved(of)),
        PartShape::Intersection(of) => PartShape::Intersection(moved(of)),
        PartShape::Difference(of) => PartShape::Difference(moved(of)),
        other => other,
    };
    SolidPart { shape, ..part }
}

/// A solid, or a solid made from a mesh or primitive.
fn solid_from(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Solid> {
    if let Ok(solid) = value.cast::<Solid>() {
        return Ok(Solid(solid.get().0.clone()));
    }
    if let Some(primitive) = primitive(value) {
        return Ok(single_part(PartShape::Primitive(primitive)));
    }
    let body = prepared_mesh(value, place).map_err(|_| {
        type_error(place, value, "a Solid, a closed Mesh, Box, Sphere, Cylinder, Cone or Capsule")
    })?;
    let solid = single_part(PartShape::Mesh(Arc::new(body.mesh().clone())));
    solid.checked(place)?;
    Ok(solid)
}

/// Steps of a grid along each axis, or one for all.
fn spacing<const N: usize>(value: &Bound<'_, PyAny>) -> PyResult<[f64; N]> {
    match value.extract::<f64>() {
        Ok(step) => Ok([step; N]),
        Err(_) => vector::<N>(value, "spacing"),
    }
}

fn origin<const N: usize>(value: Option<&Bound<'_, PyAny>>) -> PyResult<[f64; N]> {
    value.map_or(Ok([0.0; N]), |value| vector::<N>(value, "origin"))
}

#[pymethods]
impl Solid {
    /// The solid of a ``Box``, ``Sphere``, ``Cylinder``, ``Cone`` or ``Capsule``, or the interior of a closed ``Mesh``.
    #[classmethod]
    fn of(_: &Bound<'_, PyType>, shape: &Bound<'_, PyAny>) -> PyResult<Self> {
        solid_from(shape, "shape")
    }

    /// The points within ``bounds`` (2, 3), the minimum and the maximum corner, at which a formula of x, y and z
    /// (in metres) is not positive.
    ///
    /// Formulas have numbers, pi, ``+ - * / ^ ( )``, ``sqrt abs exp log sin cos tan asin acos atan atan2 min max``.
    #[classmethod]
    fn formula(_: &Bound<'_, PyType>, formula: &str, bounds: &Bound<'_, PyAny>) -> PyResult<Self> {
        let input = real_array(bounds, "bounds")?;
        if input.shape() != [2, 3] {
            return Err(shape_error("bounds", input.shape(), "(2, 3)"));
        }
        let numbers = flattened(&input)?;
        let ranges: [[f64; 2]; 3] = std::array::from_fn(|axis| [numbers[axis], numbers[3 + axis]]);
        for (axis, [from, to]) in ["x", "y", "z"].into_iter().zip(ranges) {
            if !(from < to && from.is_finite() && to.is_finite()) {
                let message =
                    format_args!("found {from} to {to} along {axis}, expected bounds that increase");
                return Err(value_error("bounds", message));
            }
        }
        let formula = super::formula(bounds.py(), ("formula", formula), &["x", "y", "z"], ranges)?;
        let bounds = [DVec3::from_slice(&numbers[..3]), DVec3::from_slice(&numbers[3..])];
        let solid = single_part(PartShape::Formula { formula, bounds });
        solid.checked("formula")?;
        Ok(solid)
    }

    /// The points x with ``normal`` . x <= ``offset``; useful only in an intersection or difference, which bounds it.
    #[classmethod]
    fn half_space(_: &Bound<'_, PyType>, normal: &Bound<'_, PyAny>, offset: f64) -> PyResult<Self> {
        let normal = DVec3::from_array(vector::<3>(normal, "normal")?);
        if normal == DVec3::ZERO {
            return Err(value_error("normal", "found a vector of length zero, expected a direction"));
        }
        if !offset.is_finite() {
            return Err(value_error("offset", format_args!("found {offset}, expected a finite number")));
        }
        Ok(single_part(PartShape::HalfSpace { normal, offset }))
    }

    /// The points at which trilinear samples (X, Y, Z) are not positive. Sample [i, j, k] is at ``origin + (i, j,
    /// k) * spacing``; ``spacing`` is one step or three, in metres. The solid ends at the faces of the grid.
    #[classmethod]
    #[pyo3(signature = (samples, spacing, origin=None))]
    fn level_set(
        _: &Bound<'_, PyType>,
        samples: &Bound<'_, PyAny>,
        spacing: &Bound<'_, PyAny>,
        origin: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let input = real_array(samples, "samples")?;
        let &[x, y, z] = input.shape() else {
            return Err(shape_error("samples", input.shape(), "(X, Y, Z)"));
        };
        let (spacing, origin) = (self::spacing::<3>(spacing)?, self::origin::<3>(origin)?);
        let grid = LevelSet::new(flattened(&input)?, [x, y, z], spacing.into(), origin.into());
        let grid = grid.map_err(|error| value_error("samples", error))?;
        Ok(single_part(PartShape::LevelSet(Arc::new(grid))))
    }

    /// The ground below heights (X, Y), in metres, down to ``bottom``. Sample [i, j] is the height above ``origin +
    /// (i, j) * spacing``; a cell is two triangles, cut from [i, j] to [i + 1, j + 1].
    #[classmethod]
    #[pyo3(signature = (samples, spacing, bottom, origin=None))]
    fn heights(
        _: &Bound<'_, PyType>,
        samples: &Bound<'_, PyAny>,
        spacing: &Bound<'_, PyAny>,
        bottom: f64,
        origin: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let input = real_array(samples, "samples")?;
        let &[x, y] = input.shape() else {
            return Err(shape_error("samples", input.shape(), "(X, Y)"));
        };
        let (spacing, origin) = (self::spacing::<2>(spacing)?, self::origin::<2>(origin)?);
        let field = HeightField::new(flattened(&input)?, [x, y], spacing, origin, bottom);
        let field = field.map_err(|error| value_error("samples", error))?;
        Ok(single_part(PartShape::Heights(Arc::new(field))))
    }

    /// The points of this solid or of one of the others.
    #[pyo3(signature = (*others))]
    fn union(&self, others: &Bound<'_, PyTuple>) -> PyResult<Self> {
        self.combine(others, PartShape::Union)
    }

    /// The points of this solid and of all the others.
    #[pyo3(signature = (*others))]
    fn intersection(&self, others: &Bound<'_, PyTuple>) -> PyResult<Self> {
        self.combine(others, PartShape::Intersection)
    }

    /// The points of this solid that are in none of the others.
    #[pyo3(signature = (*others))]
    fn difference(&self, others: &Bound<'_, PyTuple>) -> PyResult<Self> {
        self.combine(others, PartShape::Difference)
    }

    fn __or__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.union(&PyTuple::new(other.py(), [other])?)
    }

    fn __and__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.intersection(&PyTuple::new(other.py(), [other])?)
    }

    fn __sub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.difference(&PyTuple::new(other.py(), [other])?)
    }

    /// The solid scaled by ``scale``, and then moved to a pose.
    #[pyo3(signature = (pose, scale=1.0))]
    fn placed(&self, pose: &Bound<'_, PyAny>, scale: f64) -> PyResult<Self> {
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(value_error(
                "scale",
                format_args!("found {scale}, expected a number greater than 0"),
            ));
        }
        let pose = one_pose(pose, "pose")?;
        let mut parts = self.0.clone();
        let last = parts.len() - 1;
        match parts.last_mut() {
            Some(part) if (part.pose, part.scale) == (Pose::IDENTITY, 1.0) => {
                (part.pose, part.scale) = (pose, scale);
            }
            // A union around the part: a part with a pose of its own keeps it.
            _ => parts.push(SolidPart { shape: PartShape::Union(vec![last]), pose, scale }),
        }
        Ok(Self(parts))
    }

    /// The minimum and maximum coordinates: (2, 3), in metres, rounded outward.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let bounds = self.checked("solid")?.bounds();
        array(py, bounds.iter().flat_map(DVec3::to_array).collect(), &[2, 3])
    }

    fn __repr__(&self) -> String {
        match self.0.len() {
            1 => "Solid(1 part)".to_owned(),
            count => format!("Solid({count} parts)"),
        }
    }
}

value_classes! { Solid }
