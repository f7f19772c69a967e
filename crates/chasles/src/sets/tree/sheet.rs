//! Pieces of surfaces that separate the two sides of a neighbourhood.

use glam::DVec3;

use crate::math::direction::unit_along;

/// A surface near a point.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sheet {
    /// The boundary of a solid, which has an interior everywhere.
    Boundary,
    /// A piece that extends across a whole prism, within a thickness of a plane.
    Flat(Flat),
}

/// A side of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SheetSide {
    /// The side of the normals, or outside.
    Front,
    /// The opposite side, or inside.
    Back,
}

/// A piece of a surface. Its projection onto a plane contains a polygon of three or four corners, shrunk on all
/// sides by at most the thickness.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flat {
    corner: DVec3,
    normal: DVec3,
    thickness: f64,
    /// The sides of the prism, n·x <= d; a triangle has one side twice.
    sides: [(DVec3, f64); 4],
}

impl Sheet {
    /// Whether a path between two points that stays within `near` of both can change sides only through the sheet.
    pub(crate) fn blocks_paths(&self, ends: [DVec3; 2], near: f64) -> bool {
        match self {
            Self::Boundary => true,
            Self::Flat(flat) => flat.is_within_prism(ends, near),
        }
    }
}

impl Flat {
    /// The flat piece with these corners, which lie in a plane, in order; `None` if they have no area.
    pub(crate) fn between(corners: [DVec3; 4], thickness: f64) -> Option<Self> {
        let [p, q, r, s] = corners;
        let normal = unit_along((r - p).cross(s - q));
        if normal == DVec3::ZERO {
            return None;
        }
        let mut sides = [(DVec3::ZERO, 0.0); 4];
        let mut last = None;
        for (i, side) in sides.iter_mut().enumerate() {
            let [from, to] = [corners[i], corners[(i + 1) % 4]];
            let out = unit_along((to - from).cross(normal));
            if out != DVec3::ZERO {
                last = Some((out, out.dot(from).min(out.dot(to))));
            }
            *side = last?;
        }
        Some(Self { corner: p, normal, thickness, sides })
    }

    /// Whether two points are within the prism by a margin.
    fn is_within_prism(&self, ends: [DVec3; 2], margin: f64) -> bool {
        let size = (ends[0].abs() + ends[1].abs() + self.corner.abs()).element_sum();
        let distance = self.thickness + margin + 16.0 * f64::EPSILON * size;
        self.sides.iter().all(|(out, d)| ends.iter().all(|p| out.dot(*p) + distance <= *d))
    }

    /// The side on which a segment lies by a margin, if the segment is also within the prism by the margin.
    pub(crate) fn side(&self, ends: [DVec3; 2], margin: f64) -> Option<SheetSide> {
        let size = (ends[0].abs() + ends[1].abs() + self.corner.abs()).element_sum();
        let distance = self.thickness + margin + 16.0 * f64::EPSILON * size;
        if !self.is_within_prism(ends, margin) {
            return None;
        }
        let heights = ends.map(|p| self.normal.dot(p - self.corner));
        if heights[0].min(heights[1]) > distance {
            Some(SheetSide::Front)
        } else if heights[0].max(heights[1]) < -distance {
            Some(SheetSide::Back)
        } else {
            None
        }
    }
}
