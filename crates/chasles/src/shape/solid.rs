//! Solids made of parts: formulas, grids, meshes, primitives and half-spaces, and their unions, intersections and
//! differences.
//!
//! A solid is a list of parts. Each part refers only to parts before it, and the last part is the whole. So nesting
//! needs no recursion.

use std::sync::Arc;

use glam::DVec3;

use crate::error::{Error, ErrorKind, check_number, check_positive, check_vector};
use crate::motion::Pose;
use crate::shape::expression::Expression;
use crate::shape::grid::{HeightField, LevelSet};
use crate::shape::mesh::Mesh;
use crate::shape::primitive::Primitive;

/// A part of a solid.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SolidPart {
    /// The shape of the part.
    pub shape: PartShape,
    /// The pose in the frame of the part that contains it; for the last part: in the body's frame.
    pub pose: Pose,
    /// The factor by which the shape is scaled, before the pose.
    pub scale: f64,
}

/// The shape of a part of a solid.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PartShape {
    /// The union of these parts, by their numbers.
    Union(Vec<usize>),
    /// The intersection of these parts.
    Intersection(Vec<usize>),
    /// The first of these parts without the others.
    Difference(Vec<usize>),
    /// A primitive.
    Primitive(Primitive),
    /// The points x with `normal`·x <= `offset`.
    HalfSpace {
        /// A vector of any length but zero.
        normal: DVec3,
        /// In metres times the length of the normal.
        offset: f64,
    },
    /// The points at which a formula of x, y and z, in metres, is nonpositive, within a box.
    Formula {
        /// The formula.
        formula: Expression,
        /// The minimum and maximum corner of the box, in metres.
        bounds: [DVec3; 2],
    },
    /// The solid enclosed by a closed mesh.
    Mesh(Arc<Mesh>),
    /// A level set.
    LevelSet(Arc<LevelSet>),
    /// A height field.
    Heights(Arc<HeightField>),
}

/// A solid, checked and bounded.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "PlainSolid"))]
pub struct Solid {
    parts: Vec<SolidPart>,
    bounds: [DVec3; 2],
}

/// An error in a solid, and the part that has it.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidError {
    /// The number of the part.
    pub part: usize,
    /// The error.
    pub error: Error,
}

impl std::fmt::Display for SolidError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "part {}: {}", self.part, self.error)
    }
}

impl std::error::Error for SolidError {}

/// A bounding box; `None` if unbounded.
type OptionalAabb = Option<[DVec3; 2]>;

/// A half-space, n·x <= d.
type HalfSpace = (DVec3, f64);

/// Computed bounds are moved outward by this fraction of their size: more than the rounding error.
const OUTSIDE: f64 = 1e-9;

/// The maximum number of half-spaces of one intersection that are used for bounds; others are ignored.
const MAX_HALF_SPACES: usize = 64;

impl Solid {
    /// A solid from its parts, the last of which is the whole.
    ///
    /// # Errors
    /// With the number of the part: there are no parts; a part has no parts, or refers to itself or to a later part;
    /// a size, a scale or bounds are not greater than 0; a normal has no length; a number is not finite; a mesh is
    /// not closed; or the solid is unbounded.
    ///
    /// # Example
    /// ```
    /// use chasles::{PartShape, Pose, Primitive, Solid, SolidPart};
    /// use glam::DVec3;
    ///
    /// let part = |shape| SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 };
    /// let plate = part(PartShape::Primitive(Primitive::Box { size: DVec3::new(1.0, 1.0, 0.1) }));
    /// let hole = part(PartShape::Primitive(Primitive::Cylinder { radius: 0.1, height: 0.2 }));
    /// let drilled = Solid::new(vec![plate, hole, part(PartShape::Difference(vec![0, 1]))]).unwrap();
    /// assert!(drilled.bounds()[1].distance(DVec3::new(0.5, 0.5, 0.05)) < 1e-8);
    /// ```
    pub fn new(parts: Vec<SolidPart>) -> Result<Self, SolidError> {
        let mut bounds: Vec<OptionalAabb> = Vec::with_capacity(parts.len());
        for (number, part) in parts.iter().enumerate() {
            let wrong = |error| SolidError { part: number, error };
            check_positive(part.scale, "scale").map_err(wrong)?;
            part.shape.check(number).map_err(wrong)?;
            let part_bounds = part.shape.bounds(&parts, &bounds);
            bounds.push(part_bounds.map(|part_bounds| bounds_of_part(part_bounds, part)));
        }
        let last = parts.len().saturating_sub(1);
        let unbounded = |value| {
            let error =
                Error::out_of_range::<()>(value, "a solid that has an end in every direction", "bounds");
            SolidError { part: last, error: error.unwrap_err() }
        };
        let Some(bounds) = bounds.pop().flatten() else {
            return Err(unbounded(f64::INFINITY));
        };
        if let Some(far) =
            bounds.iter().flat_map(|corner| corner.to_array()).find(|x| x.is_nan() || x.abs() >= 1e70)
        {
            return Err(unbounded(far));
        }
        Ok(Self { parts, bounds })
    }

    /// The parts; the last is the whole.
    #[must_use]
    pub fn parts(&self) -> &[SolidPart] {
        &self.parts
    }

    /// A box that contains the solid: its minimum and maximum corner, in metres, in the body's frame.
    #[must_use]
    pub fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }
}

/// A solid as deserialized. Its bounds are recomputed.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct PlainSolid {
    parts: Vec<SolidPart>,
    #[expect(dead_code, reason = "they are computed again")]
    bounds: [DVec3; 2],
}

#[cfg(feature = "serde")]
impl TryFrom<PlainSolid> for Solid {
    type Error = SolidError;

    fn try_from(PlainSolid { parts, .. }: PlainSolid) -> Result<Self, SolidError> {
        Self::new(parts)
    }
}

impl PartShape {
    /// Checks everything but boundedness. `number` is the part's own number.
    fn check(&self, number: usize) -> Result<(), Error> {
        match self {
            Self::Union(parts) | Self::Intersection(parts) | Self::Difference(parts) => {
                if parts.is_empty() {
                    return Error::out_of_range(0.0, "one part or more", "parts");
                }
                match parts.iter().find(|part| **part >= number) {
                    Some(part) => Error::out_of_range(*part as f64, "the number of a part before", "parts"),
                    None => Ok(()),
                }
            }
            Self::Primitive(primitive) => primitive.check(),
            Self::HalfSpace { normal, offset } => {
                check_vector(*normal, || "normal".into())?;
                check_number(*offset, || "offset".into())?;
                // So short that a length in metres has no meaning.
                if normal.length() < 1e-100 {
                    return Err(Error::new(ErrorKind::ZeroLength, "normal"));
                }
                Ok(())
            }
            Self::Formula { bounds: [min_corner, max_corner], .. } => {
                check_vector(*min_corner, || "bounds".into())?;
                check_vector(*max_corner, || "bounds".into())?;
                let flat = (0..3).find(|axis| min_corner[*axis] >= max_corner[*axis]);
                match flat {
                    Some(axis) => Error::out_of_range(max_corner[axis], "bounds that increase", "bounds"),
                    None => Ok(()),
                }
            }
            Self::Mesh(mesh) if !mesh.around().is_closed() => Err(Error::new(ErrorKind::NotClosed, "mesh")),
            Self::Mesh(_) | Self::LevelSet(_) | Self::Heights(_) => Ok(()),
        }
    }

    /// The bounds in the part's own frame, from the bounds of the parts before it, each in the frame of the part
    /// that contains it.
    fn bounds(&self, parts: &[SolidPart], known: &[OptionalAabb]) -> OptionalAabb {
        match self {
            Self::Union(of) => of.iter().map(|part| known[*part]).reduce(|all, next| {
                let ([min_corner, max_corner], [low, high]) = (all?, next?);
                Some([min_corner.min(low), max_corner.max(high)])
            })?,
            Self::Intersection(of) => {
                let bounded = of.iter().filter_map(|part| known[*part]).reduce(common);
                let half_spaces = half_spaces(of, parts);
                match (bounded, cut_out(&half_spaces)) {
                    (Some(bounded), Some(cut_out)) => Some(common(bounded, cut_out)),
                    (bounded, cut_out) => bounded.or(cut_out),
                }
            }
            Self::Difference(of) => known[of[0]],
            Self::Primitive(primitive) => Some([-primitive.half_size(), primitive.half_size()]),
            Self::HalfSpace { .. } => None,
            Self::Formula { bounds, .. } => Some(*bounds),
            Self::Mesh(mesh) => Some(mesh.bounds()),
            Self::LevelSet(grid) => Some(grid.bounds()),
            Self::Heights(field) => Some(field.bounds()),
        }
    }
}

/// The intersection of two boxes; if it is empty, a point of the first box.
fn common([min_corner, max_corner]: [DVec3; 2], [low, high]: [DVec3; 2]) -> [DVec3; 2] {
    let from = min_corner.max(low).min(max_corner);
    [from, max_corner.min(high).max(from)]
}

/// The bounding box of a box in the frame of the part that contains it.
fn bounds_of_part([min_corner, max_corner]: [DVec3; 2], part: &SolidPart) -> [DVec3; 2] {
    let centre = part.pose.transform_point(0.5 * part.scale * (min_corner + max_corner));
    let half = 0.5 * part.scale * (max_corner - min_corner);
    let reach = if part.pose.rotation() == glam::DQuat::IDENTITY {
        half
    } else {
        let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| part.pose.transform_vector(axis).abs());
        x * half.x + y * half.y + z * half.z
    };
    // Without rotation the box is as given, up to rounding.
    let rounding = 8.0 * f64::EPSILON * (centre.abs() + reach);
    [centre - reach - rounding, centre + reach + rounding]
}

/// The half-spaces among some parts, and among the parts that they are intersections of, in the frame of the parts.
fn half_spaces(of: &[usize], parts: &[SolidPart]) -> Vec<HalfSpace> {
    let mut found = Vec::new();
    let mut open: Vec<(usize, Pose, f64)> = of.iter().map(|part| (*part, Pose::IDENTITY, 1.0)).collect();
    // Parts may be shared, so there may be more paths to them than parts.
    let mut visits = 64 * MAX_HALF_SPACES;
    while let Some((number, above, scale)) = open.pop() {
        visits -= 1;
        if found.len() == MAX_HALF_SPACES || visits == 0 {
            break;
        }
        let part = &parts[number];
        let pose = above.compose(&scaled(&part.pose, scale));
        let scale = scale * part.scale;
        match &part.shape {
            PartShape::HalfSpace { normal, offset } => {
                let length = normal.length();
                let direction = pose.transform_vector(*normal / length);
                found.push((direction, scale * offset / length + direction.dot(pose.position())));
            }
            PartShape::Intersection(of) => open.extend(of.iter().map(|part| (*part, pose, scale))),
            _ => {}
        }
    }
    found
}

/// A pose with its lengths scaled.
fn scaled(pose: &Pose, scale: f64) -> Pose {
    Pose::from_parts(scale * pose.position(), pose.rotation())
}

/// A box that contains the intersection of half-spaces, if it is bounded.
///
/// If weights w >= 0 of three half-spaces satisfy w1 n1 + w2 n2 + w3 n3 = e, then e·x <= w1 d1 + w2 d2 + w3 d3 for
/// every x of the intersection. The smallest of these bounds is the maximum coordinate (duality of linear programs).
fn cut_out(half_spaces: &[HalfSpace]) -> OptionalAabb {
    let reach = |e: DVec3| {
        let mut best = f64::INFINITY;
        for (i, (p, at_p)) in half_spaces.iter().enumerate() {
            for (j, (q, at_q)) in half_spaces.iter().enumerate().skip(i) {
                for (r, at_r) in &half_spaces[j..] {
                    let Some(weights) = weights([*p, *q, *r], e) else { continue };
                    best = best.min(weights.dot(DVec3::new(*at_p, *at_q, *at_r)));
                }
            }
        }
        best.is_finite().then_some(best)
    };
    let [mut min_corner, mut max_corner] = [DVec3::ZERO; 2];
    for (axis, e) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
        (max_corner[axis], min_corner[axis]) = (reach(e)?, -reach(-e)?);
    }
    let max_corner = max_corner.max(min_corner);
    let slack = OUTSIDE * (max_corner - min_corner + max_corner.abs().max(min_corner.abs()));
    Some([min_corner - slack, max_corner + slack])
}

/// Nonnegative weights of three unit vectors whose sum is e. The second vector may equal the first, and the third
/// the second.
fn weights([p, q, r]: [DVec3; 3], e: DVec3) -> Option<DVec3> {
    let fits = |w: DVec3| {
        (w.min_element() >= 0.0 && (w.x * p + w.y * q + w.z * r).distance(e) <= 1e-12).then_some(w)
    };
    let volume = p.dot(q.cross(r));
    if volume.abs() > 1e-9 {
        let w = DVec3::new(e.dot(q.cross(r)), p.dot(e.cross(r)), p.dot(q.cross(e))) / volume;
        // A weight that rounding made negative is set to 0.
        return fits(DVec3::select(w.abs().cmplt(DVec3::splat(1e-13)), DVec3::ZERO, w));
    }
    let across = p.cross(q);
    if across.length() > 1e-9 {
        let length = across.length_squared();
        let w = DVec3::new(e.cross(q).dot(across) / length, p.cross(e).dot(across) / length, 0.0);
        return fits(DVec3::select(w.abs().cmplt(DVec3::splat(1e-13)), DVec3::ZERO, w));
    }
    fits(DVec3::new(1.0, 0.0, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half_space(normal: [f64; 3], offset: f64) -> SolidPart {
        part(PartShape::HalfSpace { normal: DVec3::from_array(normal), offset })
    }

    fn part(shape: PartShape) -> SolidPart {
        SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 }
    }

    #[test]
    fn half_spaces_can_be_bounded_together() {
        let normals = [
            [2.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -3.0],
        ];
        let offsets = [0.6, 0.3, 0.2, 0.2, 0.15, 0.45];
        let mut parts: Vec<SolidPart> =
            normals.into_iter().zip(offsets).map(|(normal, offset)| half_space(normal, offset)).collect();
        parts.push(part(PartShape::Intersection((0..6).collect())));
        let [min_corner, max_corner] = Solid::new(parts.clone()).unwrap().bounds();
        assert!(max_corner.distance(DVec3::new(0.3, 0.2, 0.15)) < 1e-8, "{max_corner}");
        assert!(min_corner.distance(-DVec3::new(0.3, 0.2, 0.15)) < 1e-8, "{min_corner}");
        // Without one half-space the solid is unbounded.
        parts[6].shape = PartShape::Intersection((0..5).collect());
        assert_eq!(Solid::new(parts).unwrap_err().part, 6);
    }

    #[test]
    fn an_oblique_corner_is_bounded_by_four_half_spaces() {
        let mut parts = vec![
            half_space([1.0, 1.0, 1.0], 1.0),
            half_space([-1.0, 0.0, 0.0], 0.0),
            half_space([0.0, -1.0, 0.0], 0.0),
            half_space([0.0, 0.0, -1.0], 0.0),
        ];
        parts.push(part(PartShape::Intersection((0..4).collect())));
        let [min_corner, max_corner] = Solid::new(parts).unwrap().bounds();
        assert!(
            max_corner.distance(DVec3::ONE) < 1e-8 && min_corner.length() < 1e-8,
            "{min_corner} {max_corner}"
        );
    }

    #[test]
    fn errors_name_the_part() {
        let ball = part(PartShape::Primitive(Primitive::Sphere { radius: -1.0 }));
        assert_eq!(Solid::new(vec![ball]).unwrap_err().part, 0);
        assert_eq!(
            Solid::new(vec![half_space([0.0; 3], 1.0)]).unwrap_err().error.kind(),
            &ErrorKind::ZeroLength
        );
        let none = Solid::new(vec![part(PartShape::Union(vec![]))]).unwrap_err();
        assert!(none.to_string().contains("one part or more"), "{none}");
        let itself = Solid::new(vec![part(PartShape::Union(vec![0]))]).unwrap_err();
        assert!(itself.to_string().contains("part before"), "{itself}");
        assert!(Solid::new(vec![]).is_err());
    }
}
