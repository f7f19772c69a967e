//! Solids made of parts: formulas, grids, meshes, primitives and half-spaces, joined, cut and subtracted.
//!
//! A solid is a list of parts, each made of parts that stand before it; the last one is the whole. So no depth of
//! nesting needs recursion.

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
    /// What it is.
    pub shape: PartShape,
    /// Where it is in the frame of the part that it belongs to; of the last part: in the body's frame.
    pub pose: Pose,
    /// It is this many times as large, before the pose.
    pub scale: f64,
}

/// What a part of a solid is.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PartShape {
    /// Everything that is in one of these parts, by their numbers.
    Union(Vec<usize>),
    /// Everything that is in all of these parts.
    Intersection(Vec<usize>),
    /// The first of these parts without the others.
    Difference(Vec<usize>),
    /// A primitive.
    Primitive(Primitive),
    /// The points x with `normal`.x <= `offset`.
    HalfSpace {
        /// Of any length but zero.
        normal: DVec3,
        /// In metres times the length of the normal.
        offset: f64,
    },
    /// Where a formula of x, y and z, in metres, is not positive, within a box.
    Formula {
        /// The formula.
        formula: Expression,
        /// The least and the greatest corner of the box, in metres.
        bounds: [DVec3; 2],
    },
    /// What a closed mesh surrounds.
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

/// What is wrong with a solid, and in which part.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidError {
    /// The number of the part.
    pub part: usize,
    /// What is wrong with it.
    pub error: Error,
}

impl std::fmt::Display for SolidError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "part {}: {}", self.part, self.error)
    }
}

impl std::error::Error for SolidError {}

/// The least and the greatest coordinates of something; `None` where it has no end.
type OptionalAabb = Option<[DVec3; 2]>;

/// A half-space, n.x <= d.
type HalfSpace = (DVec3, f64);

/// Computed bounds are moved outward by this share of their size: more than their roundings.
const OUTSIDE: f64 = 1e-9;

/// The half-spaces of one intersection from which bounds are made; more are left out.
const MOST_HALF_SPACES: usize = 64;

impl Solid {
    /// A solid from its parts, the last of which is the whole.
    ///
    /// # Errors
    /// With the number of the part: no parts, a part that is made of none, of itself or of a part behind it; a size, a
    /// scale or bounds that are not greater than 0, a normal without length, a number that is not finite; a mesh that
    /// is not closed; a solid that has no end.
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
            let own = part.shape.bounds(&parts, &bounds);
            bounds.push(own.map(|own| bounds_of_part(own, part)));
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

    /// A box that holds the solid: its least and its greatest corner, in metres, in the body's frame.
    #[must_use]
    pub fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }
}

/// A solid as it is read. Its bounds are computed again.
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
    /// Checks all but whether it has an end. `number` is that of the part itself.
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
                // So short that a length in metres cannot be told from it.
                if normal.length() < 1e-100 {
                    return Err(Error::new(ErrorKind::ZeroLength, "normal"));
                }
                Ok(())
            }
            Self::Formula { bounds: [least, greatest], .. } => {
                check_vector(*least, || "bounds".into())?;
                check_vector(*greatest, || "bounds".into())?;
                let flat = (0..3).find(|axis| least[*axis] >= greatest[*axis]);
                match flat {
                    Some(axis) => Error::out_of_range(greatest[axis], "bounds that increase", "bounds"),
                    None => Ok(()),
                }
            }
            Self::Mesh(mesh) if !mesh.around().is_closed() => Err(Error::new(ErrorKind::NotClosed, "mesh")),
            Self::Mesh(_) | Self::LevelSet(_) | Self::Heights(_) => Ok(()),
        }
    }

    /// The bounds in the part's own frame, from those of the parts before it, each in the frame of what it belongs to.
    fn bounds(&self, parts: &[SolidPart], known: &[OptionalAabb]) -> OptionalAabb {
        match self {
            Self::Union(of) => of.iter().map(|part| known[*part]).reduce(|all, next| {
                let ([least, greatest], [low, high]) = (all?, next?);
                Some([least.min(low), greatest.max(high)])
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

/// What two boxes have in common; where that is nothing, a point of the first.
fn common([least, greatest]: [DVec3; 2], [low, high]: [DVec3; 2]) -> [DVec3; 2] {
    let from = least.max(low).min(greatest);
    [from, greatest.min(high).max(from)]
}

/// The box around a box that is part of something.
fn bounds_of_part([least, greatest]: [DVec3; 2], part: &SolidPart) -> [DVec3; 2] {
    let centre = part.pose.transform_point(0.5 * part.scale * (least + greatest));
    let half = 0.5 * part.scale * (greatest - least);
    let reach = if part.pose.rotation() == glam::DQuat::IDENTITY {
        half
    } else {
        let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| part.pose.transform_vector(axis).abs());
        x * half.x + y * half.y + z * half.z
    };
    // Where nothing is turned the box is as given, but for a rounding.
    let rounding = 8.0 * f64::EPSILON * (centre.abs() + reach);
    [centre - reach - rounding, centre + reach + rounding]
}

/// The half-spaces among some parts, and among those that they are intersections of, in the frame of the parts.
fn half_spaces(of: &[usize], parts: &[SolidPart]) -> Vec<HalfSpace> {
    let mut found = Vec::new();
    let mut open: Vec<(usize, Pose, f64)> = of.iter().map(|part| (*part, Pose::IDENTITY, 1.0)).collect();
    // Parts may be shared, so that there may be more ways to them than parts.
    let mut looks = 64 * MOST_HALF_SPACES;
    while let Some((number, above, scale)) = open.pop() {
        looks -= 1;
        if found.len() == MOST_HALF_SPACES || looks == 0 {
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

/// A pose whose lengths are that many times as long.
fn scaled(pose: &Pose, scale: f64) -> Pose {
    Pose::from_parts(scale * pose.position(), pose.rotation())
}

/// A box that holds the intersection of half-spaces, if it has an end in every direction.
///
/// Where weights w >= 0 of three half-spaces make w1 n1 + w2 n2 + w3 n3 = e, no point of the intersection is further
/// along e than w1 d1 + w2 d2 + w3 d3: the least of these bounds is the greatest coordinate (duality of linear
/// programs).
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
    let [mut least, mut greatest] = [DVec3::ZERO; 2];
    for (axis, e) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
        (greatest[axis], least[axis]) = (reach(e)?, -reach(-e)?);
    }
    let greatest = greatest.max(least);
    let slack = OUTSIDE * (greatest - least + greatest.abs().max(least.abs()));
    Some([least - slack, greatest + slack])
}

/// Weights, none negative, with which three unit vectors make e. The second may be the first, and the third the second.
fn weights([p, q, r]: [DVec3; 3], e: DVec3) -> Option<DVec3> {
    let fits = |w: DVec3| {
        (w.min_element() >= 0.0 && (w.x * p + w.y * q + w.z * r).distance(e) <= 1e-12).then_some(w)
    };
    let volume = p.dot(q.cross(r));
    if volume.abs() > 1e-9 {
        let w = DVec3::new(e.dot(q.cross(r)), p.dot(e.cross(r)), p.dot(q.cross(e))) / volume;
        // A weight that rounding made negative is none.
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
    fn half_spaces_can_have_an_end_together() {
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
        let [least, greatest] = Solid::new(parts.clone()).unwrap().bounds();
        assert!(greatest.distance(DVec3::new(0.3, 0.2, 0.15)) < 1e-8, "{greatest}");
        assert!(least.distance(-DVec3::new(0.3, 0.2, 0.15)) < 1e-8, "{least}");
        // Without one of them there is no end.
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
        let [least, greatest] = Solid::new(parts).unwrap().bounds();
        assert!(greatest.distance(DVec3::ONE) < 1e-8 && least.length() < 1e-8, "{least} {greatest}");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_part() {
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
