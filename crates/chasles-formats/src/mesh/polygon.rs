//! Cuts polygons into triangles by ear clipping, with exact predicates.
//!
//! An ear is a corner whose triangle with its two neighbours contains no other part of the polygon; a simple polygon
//! always has two (G. H. Meisters, "Polygons have ears", American Mathematical Monthly 82, 1975). Corners in the
//! middle of a straight edge stay corners of triangles, because leaving them out would make T-junctions with the
//! neighbouring polygons. The polygon is projected along the coordinate axis nearest to its normal, which only drops a
//! coordinate and rounds nothing; the side of a line on which a point lies is then decided exactly (J. R. Shewchuk,
//! 1997, by the crate `robust`).

use glam::{DVec2, DVec3};
use robust::{Coord, orient2d};

/// Maximum number of point tests in all polygons of a mesh; further polygons are cut as fans. It takes about two
/// seconds.
///
/// The work is quadratic in the length of a polygon, so a malicious file could otherwise take very long. A larger
/// value means longer waits for such files, and a smaller value means fans for ordinary polygons with tens of
/// thousands of corners.
const WORK: u64 = 1_000_000_000;

/// Maximum excess of twice the triangles' total area over twice the polygon's area, per corner, as a fraction of the
/// square of the polygon's extent.
///
/// The rounding error of the polygon's area is smaller; a polygon that crosses itself exceeds it by far.
const AREA_TOLERANCE: f64 = 1e-15;

/// A polygon whose area is below this fraction of the area of its fan, without signs, has no reliable normal.
const CANCELLED: f64 = 1e-12;

/// The result for a polygon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The triangles cover the polygon exactly, apart from its deviation from a plane.
    Cut,
    /// The polygon crosses itself or winds around several times: a fan covers the enclosed area and maybe more.
    Crossing,
    /// The budget of work was exhausted: a fan covers the enclosed area and maybe more.
    TooIntricate,
}

/// Cuts polygons one after the other, and reuses its memory.
#[derive(Debug)]
pub(crate) struct Cutter {
    /// The corners, projected along an axis such that the polygon is counter-clockwise.
    points: Vec<DVec2>,
    /// The previous corner of each remaining corner.
    before: Vec<usize>,
    /// The next corner of each remaining corner.
    after: Vec<usize>,
    /// The number of point tests left.
    work: u64,
}

impl Default for Cutter {
    fn default() -> Self {
        Self { points: Vec::new(), before: Vec::new(), after: Vec::new(), work: WORK }
    }
}

/// The strictness of the search for an ear; the later kinds are for polygons that touch themselves.
#[derive(Clone, Copy)]
enum Ear {
    /// Positive area with no other point inside or on its edges, or the tip of a spike.
    Clear,
    /// Positive area with no other point inside, or the tip of a spike.
    Touched,
    /// No area, in the middle of a straight edge.
    Flat,
}

impl Cutter {
    /// Cuts a polygon into n - 2 triangles with its orientation and adds them to `triangles`.
    ///
    /// The corners are indices of `vertices`. Points with the same coordinates, slits between an outline and its
    /// holes, spikes and repeated corners are allowed, and every edge of the polygon is an edge of a triangle.
    /// Polygons with fewer than three corners give no triangles.
    ///
    /// # Panics
    ///
    /// When a corner is not an index of a vertex, or has a coordinate that is not finite.
    pub(crate) fn cut(
        &mut self,
        vertices: &[DVec3],
        polygon: &[u32],
        triangles: &mut Vec<[u32; 3]>,
    ) -> Outcome {
        let first_triangle = triangles.len();
        let outcome = match self.project(vertices, polygon) {
            Ok(area) => self.cut_ears(area, polygon, triangles),
            Err(outcome) => {
                fan(polygon, triangles);
                return outcome;
            }
        };
        if outcome != Outcome::Cut {
            triangles.truncate(first_triangle);
            fan(polygon, triangles);
        }
        outcome
    }

    /// Projects the corners to a plane and returns twice the area plus a tolerance for rounding; an outcome if a fan
    /// is as good as any cut.
    fn project(&mut self, vertices: &[DVec3], polygon: &[u32]) -> Result<f64, Outcome> {
        if polygon.len() <= 3 {
            return Err(Outcome::Cut);
        }
        let corner = |&index: &u32| vertices[index as usize];
        let size = polygon.iter().map(corner).fold(0.0, |size: f64, p| size.max(p.abs().max_element()));
        // A power of two loses no bits and keeps products within the range of an f64.
        let scale = f64::from_bits(((2046 - (size.to_bits() >> 52)).clamp(1, 2046)) << 52);
        let first = corner(&polygon[0]) * scale;
        let (mut normal, mut unsigned_area) = (DVec3::ZERO, DVec3::ZERO);
        let mut last = DVec3::ZERO;
        let mut extent: f64 = 0.0;
        for point in polygon[1..].iter().map(|index| corner(index) * scale - first) {
            let cross = last.cross(point);
            normal += cross;
            unsigned_area += cross.abs();
            extent = extent.max(point.abs().max_element());
            last = point;
        }
        let area = normal.abs().max_element();
        // The areas of a bow tie cancel, and what is left of its normal is rounding.
        let size = if area > CANCELLED * unsigned_area.max_element() { normal.abs() } else { unsigned_area };
        self.points.clear();
        // Projected along its longest component: each pair of axes is counter-clockwise about the third.
        let (along, plane): (f64, fn(DVec3) -> DVec2) = if size.x >= size.y && size.x >= size.z {
            (normal.x, |p| DVec2::new(p.y, p.z))
        } else if size.y >= size.z {
            (normal.y, |p| DVec2::new(p.z, p.x))
        } else {
            (normal.z, |p| DVec2::new(p.x, p.y))
        };
        self.points.extend(polygon.iter().map(|index| {
            let p = plane(corner(index) * scale);
            if along > 0.0 { p } else { DVec2::new(p.y, p.x) }
        }));
        let n = polygon.len();
        let orientation =
            |i: usize| side(self.points[(i + n - 1) % n], self.points[i], self.points[(i + 1) % n]);
        // Most polygons in files are strictly convex: all corners turn left, and they wind around once.
        if (0..n).all(|i| orientation(i) > 0.0) {
            return Err(if self.windings() == 1 { Outcome::Cut } else { Outcome::Crossing });
        }
        if (0..n).all(|i| orientation(i) == 0.0) {
            return Err(Outcome::Cut);
        }
        Ok(area + n as f64 * AREA_TOLERANCE * extent * extent)
    }

    /// How often a polygon whose corners all turn left winds around: the number of edges that point up, or to the
    /// right, after an edge that does not.
    fn windings(&self) -> usize {
        let n = self.points.len();
        let is_up = |i: usize| {
            let (from, to) = (self.points[i % n], self.points[(i + 1) % n]);
            to.y > from.y || to.y == from.y && to.x > from.x
        };
        (0..n).filter(|&i| !is_up(i) && is_up(i + 1)).count()
    }

    fn cut_ears(&mut self, area: f64, polygon: &[u32], triangles: &mut Vec<[u32; 3]>) -> Outcome {
        let n = polygon.len();
        self.before.clear();
        self.before.extend((0..n).map(|i| if i == 0 { n - 1 } else { i - 1 }));
        self.after.clear();
        self.after.extend((0..n).map(|i| if i + 1 == n { 0 } else { i + 1 }));
        let mut covered = 0.0;
        let mut corner = 0;
        for remaining in (3..=n).rev() {
            // The last three corners are the last triangle, whatever its shape.
            let ear = if remaining == 3 { Some(corner) } else { self.find_ear(corner, remaining) };
            let Some(ear) = ear else {
                return if self.work == 0 { Outcome::TooIntricate } else { Outcome::Crossing };
            };
            let (p, q) = (self.before[ear], self.after[ear]);
            triangles.push([polygon[p], polygon[ear], polygon[q]]);
            covered += side(self.points[p], self.points[ear], self.points[q]).abs();
            self.after[p] = q;
            self.before[q] = p;
            corner = q;
        }
        if covered <= area { Outcome::Cut } else { Outcome::Crossing }
    }

    /// The next ear among the remaining corners, of the strictest kind available.
    fn find_ear(&mut self, first: usize, remaining: usize) -> Option<usize> {
        for kind in [Ear::Clear, Ear::Touched, Ear::Flat] {
            let mut corner = first;
            for _ in 0..remaining {
                if self.is_ear(corner, kind) {
                    return Some(corner);
                }
                corner = self.after[corner];
            }
        }
        None
    }

    fn is_ear(&mut self, corner: usize, kind: Ear) -> bool {
        let (before, after) = (self.before[corner], self.after[corner]);
        let [p, c, q] = [before, corner, after].map(|i| self.points[i]);
        let orientation = side(p, c, q);
        if let Ear::Flat = kind {
            self.work = self.work.saturating_sub(1);
            return orientation == 0.0 && self.work > 0;
        }
        if orientation <= 0.0 {
            self.work = self.work.saturating_sub(1);
            // The tip of a spike, or one of two corners at one point. It is cut at once: an ear at the base of the
            // spike would have the spike as an edge, and could cover points beyond it.
            return orientation == 0.0 && (p - c).dot(q - c) >= 0.0;
        }
        let (low, high) = (p.min(c).min(q), p.max(c).max(q));
        let mut other = self.after[after];
        while other != before {
            if self.work == 0 {
                return false;
            }
            self.work -= 1;
            let point = self.points[other];
            if point.cmpge(low).all() && point.cmple(high).all() {
                // A corner at the same point as a corner of the ear blocks it only if one of its edges enters the
                // ear.
                let blocked = if point == p {
                    self.enters(other, [q, p, c])
                } else if point == c {
                    self.enters(other, [p, c, q])
                } else if point == q {
                    self.enters(other, [c, q, p])
                } else {
                    let sides = [side(p, c, point), side(c, q, point), side(q, p, point)];
                    match kind {
                        Ear::Clear => sides.iter().all(|&side| side >= 0.0),
                        Ear::Touched | Ear::Flat => sides.iter().all(|&side| side > 0.0),
                    }
                };
                if blocked {
                    return false;
                }
            }
            other = self.after[other];
        }
        true
    }

    /// Whether one of the two edges at `corner`, which is at the point `tip`, runs into the angle from `a` over `tip`
    /// to `b`.
    fn enters(&self, corner: usize, [a, tip, b]: [DVec2; 3]) -> bool {
        [self.before[corner], self.after[corner]].iter().any(|&end| {
            let end = self.points[end];
            side(a, tip, end) > 0.0 && side(tip, b, end) > 0.0
        })
    }
}

/// Twice the signed area of a triangle: positive if counter-clockwise, zero only if the area is zero.
fn side(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    orient2d(coord(a), coord(b), coord(c))
}

/// The triangles between the first corner and every edge that does not contain it.
fn fan(polygon: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let [first, rest @ ..] = polygon else { return };
    triangles.extend(rest.windows(2).map(|edge| [*first, edge[0], edge[1]]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Cuts a plane polygon in several positions in space; returns the area covered.
    #[track_caller]
    fn check(outline: &[(f64, f64)], expected: Outcome, flat: usize) -> f64 {
        let planes: [fn(f64, f64) -> DVec3; 7] = [
            |x, y| DVec3::new(x, y, 2.0),
            |x, y| DVec3::new(y, x, 2.0),
            |x, y| DVec3::new(1.0, x, y),
            |x, y| DVec3::new(x, -3.0, y),
            |x, y| DVec3::new(y, x + y, -x),
            |x, y| DVec3::new(x, y, 0.0) * 2f64.powi(1000),
            |x, y| DVec3::new(x, y, 0.0) * 2f64.powi(-1000),
        ];
        let polygon: Vec<u32> = (0..).take(outline.len()).collect();
        let mut area = 0.0;
        for plane in planes.iter().rev() {
            let vertices: Vec<DVec3> = outline.iter().map(|&(x, y)| plane(x, y)).collect();
            let mut triangles = Vec::new();
            assert_eq!(Cutter::default().cut(&vertices, &polygon, &mut triangles), expected);
            assert_eq!(triangles.len(), polygon.len() - 2);
            check_edges(&polygon, &triangles);
            let areas = triangles.iter().map(|t| {
                let [a, b, c] = t.map(|i| DVec2::from(outline[i as usize]));
                (b - a).perp_dot(c - a).abs() / 2.0
            });
            area = areas.clone().sum();
            assert_eq!(areas.filter(|&area| area == 0.0).count(), flat, "{triangles:?}");
        }
        area
    }

    /// Every edge of the polygon is an edge of a triangle, in the same direction; all other edges occur in both
    /// directions.
    fn check_edges(polygon: &[u32], triangles: &[[u32; 3]]) {
        let mut edges = BTreeMap::new();
        let mut count = |a: u32, b: u32, by: i32| {
            *edges.entry((a.min(b), a.max(b))).or_insert(0) += if a < b { by } else { -by }
        };
        for &[a, b, c] in triangles {
            count(a, b, 1);
            count(b, c, 1);
            count(c, a, 1);
        }
        for (i, &a) in polygon.iter().enumerate() {
            count(a, polygon[(i + 1) % polygon.len()], -1);
        }
        assert!(edges.values().all(|&sum| sum == 0), "{edges:?}");
    }

    const L: [(f64, f64); 6] = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];

    #[test]
    fn concave_polygons_are_not_filled_up() {
        assert_eq!(check(&L, Outcome::Cut, 0), 3.0);
        for start in 0..6 {
            let mut rotated = L;
            rotated.rotate_left(start);
            assert_eq!(check(&rotated, Outcome::Cut, 0), 3.0);
        }
        let arrow = [(0.0, 0.0), (4.0, 3.0), (0.0, 1.0), (-4.0, 3.0)];
        assert_eq!(check(&arrow, Outcome::Cut, 0), 4.0);
    }

    #[test]
    fn corners_on_straight_edges_stay() {
        let outline =
            [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0), (0.0, 2.0), (0.0, 1.0)];
        assert_eq!(check(&outline, Outcome::Cut, 0), 4.0);
        // A wall with a doorway, and corners of the wall at the height of the lintel.
        let wall = [
            (-4.0, 0.0),
            (-4.0, 5.0),
            (-6.0, 5.0),
            (-6.0, 0.0),
            (-10.0, 0.0),
            (-10.0, 5.0),
            (-10.0, 10.0),
            (-5.0, 10.0),
            (0.0, 10.0),
            (0.0, 5.0),
            (0.0, 0.0),
        ];
        assert_eq!(check(&wall, Outcome::Cut, 0), 90.0);
    }

    #[test]
    fn comb() {
        let mut outline = vec![(0.0, 0.0), (200.0, 0.0)];
        outline.extend((0..200).rev().map(|i| (f64::from(i), if i % 2 == 0 { 1.0 } else { 9.0 })));
        let mut twice = 0.0;
        for i in 0..outline.len() {
            let (a, b) = (outline[i], outline[(i + 1) % outline.len()]);
            twice += a.0 * b.1 - a.1 * b.0;
        }
        assert_eq!(check(&outline, Outcome::Cut, 0), twice / 2.0);
    }

    #[test]
    fn a_hole_joined_by_a_slit_stays_a_hole() {
        let ring = [
            (0.0, 0.0),
            (3.0, 0.0),
            (3.0, 3.0),
            (0.0, 3.0),
            (0.0, 0.0),
            (1.0, 1.0),
            (1.0, 2.0),
            (2.0, 2.0),
            (2.0, 1.0),
            (1.0, 1.0),
        ];
        assert_eq!(check(&ring, Outcome::Cut, 0), 8.0);
    }

    #[test]
    fn spikes_and_repeated_points_keep_edges() {
        let spike = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        assert_eq!(check(&spike, Outcome::Cut, 2), 1.0);
        let doubled = [(0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (0.0, 1.0)];
        assert_eq!(check(&doubled, Outcome::Cut, 2), 1.0);
        assert_eq!(check(&[(0.0, 0.0), (1.0, 0.0), (3.0, 0.0), (2.0, 0.0)], Outcome::Cut, 2), 0.0);
        assert_eq!(check(&[(5.0, 5.0); 4], Outcome::Cut, 2), 0.0);
    }

    #[test]
    fn self_intersecting_polygons_become_fans() {
        let bow_tie = [(0.0, 0.0), (4.0, 0.0), (0.0, 1.0), (3.0, 2.0)];
        check(&bow_tie, Outcome::Crossing, 0);
        // Both halves have the same area, exactly or but for rounding.
        for size in [1.0, 0.1, 1.0 / 3.0] {
            check(&[(0.0, 0.0), (size, size), (size, 0.0), (0.0, size)], Outcome::Crossing, 0);
        }
        let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        assert_eq!(check(&square.repeat(3), Outcome::Crossing, 4), 3.0);
        let star = [0.0, 2.0, 4.0, 1.0, 3.0].map(|i: f64| (i * std::f64::consts::TAU / 5.0).sin_cos());
        check(&star, Outcome::Crossing, 0);
        check(&star.map(|(x, y)| (y, x)), Outcome::Crossing, 0);
    }

    #[test]
    fn work_is_bounded() {
        let outline: Vec<DVec3> = (0..60_000)
            .map(|i| DVec3::new(f64::from(i % 30_000), f64::from(i / 30_000) - f64::from(i % 2) * 0.75, 0.0))
            .collect();
        let polygon: Vec<u32> = (0..30_000).chain((30_000..60_000).rev()).collect();
        let mut triangles = Vec::new();
        let mut cutter = Cutter { work: 100_000, ..Cutter::default() };
        assert_eq!(cutter.cut(&outline, &polygon, &mut triangles), Outcome::TooIntricate);
        assert_eq!(triangles.len(), 59_998);
        assert_eq!(cutter.cut(&outline, &[0, 1, 30_001, 30_000], &mut triangles), Outcome::Cut);
    }
}
