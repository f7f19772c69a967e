//! Vertices that pass through triangles of flexible surfaces: Moore and Wilhelms, "Collision detection and response
//! for computer animation" (1988), section 2.1.
//!
//! ```text
//! passing   one vertex and one triangle: the sides of the plane, the polynomial, the bisections
//! ```
//!
//! All vertices of all surfaces are tested against all triangles of which they are not corners, so surfaces are
//! tested against themselves. A vertex is a candidate if its start position lies in the box around the triangle at
//! start and end, grown by the distance that the vertex moves. The vertices are stored in an octree of points, which
//! is searched with a box grown by the longest distance of all: m log m to build it, and log m for each of n
//! triangles if boxes are small.
//!
//! **Errors in the text.**
//! * As printed, two of the four terms of the polynomial lack a factor. With the factor the degree is five, as the
//!   paper says: the polynomial is minus the square of one coefficient, times the cubic that is zero when the four
//!   points are coplanar. Only the cubic matters. If that coefficient is always zero (a side of the triangle
//!   perpendicular to the first axis), so is the polynomial, and every contact is missed.
//! * A vertex that passes through the plane and returns is on the same side before and after, and is missed; so is a
//!   vertex that only touches, a double root.
//! * Ten bisections leave a thousandth of an interval, so u and v are computed at a slightly wrong time.
//! * Edges are left out, as the paper says: contacts of two edges are missed.
//!
//! [`VertexTest::Corrected`] tests each pair that the boxes leave with [`MovingFeatures::first_contact`], which is
//! exact; the edges remain left out. [`MovingSurfaces`](crate::MovingSurfaces) tests all features.

mod passing;

use glam::DVec3;

use crate::broad_phase::SweptBox;
use crate::deformable::elementary::features::{FeatureMeeting, MovingFeatures, MovingKind};
use crate::error::{Error, ErrorKind, check_vector};
use crate::math::budget::{Budget, OutOfBudget};
use crate::papers::octree::Octree;

/// The triangles of all surfaces together; their vertices move uniformly along straight lines.
#[derive(Debug, Clone, Copy)]
pub struct VertexStep<'a> {
    /// The corners of each triangle, by vertex number.
    pub triangles: &'a [[u32; 3]],
    /// The positions of the vertices before the step, in metres.
    pub start: &'a [DVec3],
    /// Their positions after the step.
    pub end: &'a [DVec3],
}

/// How vertices near a triangle are found. Both methods give the same result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VertexSearch {
    /// Each triangle queries an octree of the vertices.
    #[default]
    Octree,
    /// Every vertex is compared with every triangle.
    All,
}

/// How a vertex and a triangle are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VertexTest {
    /// As published: the sides of the plane, then the sign of the polynomial at the ends of equal intervals, with ten
    /// bisections in each interval in which the sign changes. Contacts can be missed and invented. The paper does not
    /// state its number of intervals.
    Published {
        /// Number of intervals, at least 1.
        intervals: u32,
    },
    /// Exact for the given numbers.
    #[default]
    Corrected,
}

/// A vertex that passes through a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VertexPassage {
    /// The vertex.
    pub vertex: u32,
    /// The triangle; the vertex is not one of its corners.
    pub triangle: u32,
    /// The time, as a fraction of the step. Corrected: an enclosure of the first time. As published: the interval
    /// that remains after the bisections, which need not contain the time.
    pub time: [f64; 2],
}

/// The work, in pairs of a vertex and a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VertexCounters {
    /// Pairs that were compared: octree nodes visited by triangles, or all pairs.
    pub compared: u64,
    /// Pairs whose vertex starts in the triangle's grown box and is not a corner.
    pub boxed: u64,
    /// As published: pairs of `boxed` whose vertex changes its side of the plane.
    pub sided: u64,
    /// As published: evaluations of the polynomial.
    pub values: u64,
}

/// All vertices that pass through triangles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepPassages {
    /// Sorted by triangle, then vertex; the first passage of each pair.
    pub passages: Vec<VertexPassage>,
    /// Pairs for which the budget did not suffice.
    pub undecided: Vec<[u32; 2]>,
    /// Whether all pairs were tested; otherwise the budget did not suffice.
    pub is_complete: bool,
    /// The work.
    pub counters: VertexCounters,
}

/// Finds all vertices that pass through triangles during a step. The budget is counted in steps of some 100 ns.
///
/// Guarantee: none as published. Corrected, and with no undecided pair, the result contains exactly the vertices that
/// share a point with a triangle, for the given numbers.
///
/// # Errors
/// Different numbers of vertices before and after; a corner that is no vertex; a coordinate that is not finite or not
/// below 1e70; no intervals.
pub fn vertices_through_triangles(
    step: &VertexStep<'_>,
    (search, test): (VertexSearch, VertexTest),
    budget: u64,
) -> Result<StepPassages, Error> {
    step.validate(test)?;
    let mut finder =
        PassageFinder { step, test, budget: Budget::new(budget), found: StepPassages::default() };
    finder.found.is_complete = match search {
        VertexSearch::Octree => finder.test_nearby_pairs(),
        VertexSearch::All => finder.test_all_pairs(),
    }
    .is_ok();
    let mut found = finder.found;
    found.passages.sort_by_key(|passage| (passage.triangle, passage.vertex));
    found.undecided.sort_unstable();
    Ok(found)
}

impl VertexStep<'_> {
    fn validate(&self, test: VertexTest) -> Result<(), Error> {
        let (start_count, end_count) = (self.start.len(), self.end.len());
        if start_count != end_count {
            return Error::out_of_range(end_count as f64, "as many vertices as before the step", "end");
        }
        if u32::try_from(start_count.max(self.triangles.len())).is_err() {
            return Err(Error::new(ErrorKind::TooMany(start_count.max(self.triangles.len())), "step"));
        }
        for (name, points) in [("begin", self.start), ("end", self.end)] {
            for (i, point) in points.iter().enumerate() {
                check_vector(*point, || format!("{name}, vertex {i}"))?;
            }
        }
        for (i, triangle) in self.triangles.iter().enumerate() {
            if let Some(&index) = triangle.iter().find(|v| **v as usize >= start_count) {
                let kind = ErrorKind::IndexOutOfRange { index, vertices: start_count };
                return Err(Error::new(kind, format!("triangle {i}")));
            }
        }
        match test {
            VertexTest::Published { intervals: 0 } => Error::out_of_range(0.0, "at least 1", "intervals"),
            _ => Ok(()),
        }
    }

    /// The largest displacement of a vertex along an axis, rounded up. The length of the displacement would be 0 if
    /// squares underflow.
    fn displacement(&self, vertex: usize) -> f64 {
        (self.end[vertex] - self.start[vertex]).abs().max_element().next_up()
    }

    /// The box around a triangle before and after the step, grown by a length. Its bounds are rounded outward.
    fn grown(&self, triangle: &[u32; 3], by: f64) -> SweptBox {
        let corners = triangle.iter().flat_map(|v| [self.start[*v as usize], self.end[*v as usize]]);
        let empty = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (min, max) = corners.fold(empty, |(min, max), corner| (min.min(corner), max.max(corner)));
        let outward = |x: f64, sign: f64| if sign < 0.0 { (x - by).next_down() } else { (x + by).next_up() };
        let all = |v: DVec3, sign| DVec3::from_array(v.to_array().map(|x| outward(x, sign)));
        SweptBox { body: 0, start: 0.0, end: 1.0, min: all(min, -1.0), max: all(max, 1.0) }
    }
}

struct PassageFinder<'a> {
    step: &'a VertexStep<'a>,
    test: VertexTest,
    budget: Budget<'a>,
    found: StepPassages,
}

impl PassageFinder<'_> {
    fn test_all_pairs(&mut self) -> Result<(), OutOfBudget> {
        for number in (0_u32..).take(self.step.triangles.len()) {
            for vertex in (0_u32..).take(self.step.start.len()) {
                self.budget.step()?;
                self.found.counters.compared += 1;
                self.test_pair(vertex, number)?;
            }
        }
        Ok(())
    }

    fn test_nearby_pairs(&mut self) -> Result<(), OutOfBudget> {
        let step = self.step;
        let point =
            |(vertex, p): (u32, &DVec3)| SweptBox { body: vertex, start: 0.0, end: 1.0, min: *p, max: *p };
        let points: Vec<SweptBox> = (0..).zip(step.start).map(point).collect();
        let tree = Octree::of(&points);
        let longest = (0..step.start.len()).map(|vertex| step.displacement(vertex)).fold(0.0, f64::max);
        let (mut stack, mut near) = (Vec::new(), Vec::new());
        for (number, triangle) in (0..).zip(step.triangles) {
            near.clear();
            let visited =
                tree.visit(&step.grown(triangle, longest), &mut stack, |item| near.push(points[item].body));
            self.found.counters.compared += visited;
            self.budget.take(visited)?;
            for vertex in &near {
                self.test_pair(*vertex, number)?;
            }
        }
        Ok(())
    }

    /// Tests one vertex and one triangle.
    fn test_pair(&mut self, vertex: u32, triangle: u32) -> Result<(), OutOfBudget> {
        let step = self.step;
        let corners = &step.triangles[triangle as usize];
        let position = step.start[vertex as usize];
        if corners.contains(&vertex) {
            return Ok(());
        }
        let grown = step.grown(corners, step.displacement(vertex as usize));
        if !(grown.min.cmple(position).all() && position.cmple(grown.max).all()) {
            return Ok(());
        }
        self.found.counters.boxed += 1;
        let [a, b, c] = *corners;
        let at = |points: &[DVec3]| [vertex, a, b, c].map(|v| points[v as usize]);
        let features =
            MovingFeatures { kind: MovingKind::VertexFace, start: at(step.start), end: at(step.end) };
        let time = match self.test {
            VertexTest::Published { intervals } => {
                self.budget.take(u64::from(intervals))?;
                passing::published(&features, intervals, &mut self.found.counters)
            }
            VertexTest::Corrected => match features.meeting(0.0, &mut self.budget) {
                FeatureMeeting::Clear => None,
                FeatureMeeting::Contact(contact) => Some(contact.time),
                FeatureMeeting::Undecided(_) => {
                    self.found.undecided.push([vertex, triangle]);
                    None
                }
            },
        };
        self.found.passages.extend(time.map(|time| VertexPassage { vertex, triangle, time }));
        Ok(())
    }
}
