//! Vertices that go through triangles of flexible surfaces: Moore and Wilhelms, "Collision detection and response for
//! computer animation" (1988), section 2.1.
//!
//! ```text
//! passing   one vertex and one triangle: the plane's sides, the polynomial, the bisections
//! ```
//!
//! All vertices of all surfaces are tested against all triangles that do not have them as corners, so surfaces are
//! tested against themselves. A vertex is in question where its begin lies in the box around the begin and the end of
//! the triangle, grown by the way of the vertex. The vertices stand in an octree of points, which a box grown by the
//! longest way of all searches: m log m to build it, and log m for each of n triangles where boxes are small.
//!
//! **Where the text is wrong.**
//! * As printed, two of the four terms of the polynomial lack a factor. With it the polynomial is of degree five, as the
//!   paper says: minus the square of one coefficient, times the cubic that is zero where the four points are in one
//!   plane. The cubic alone is the question. Where that coefficient is zero throughout (a side of the triangle that
//!   stands across the first axis) the polynomial says nothing, and every contact is missed.
//! * A vertex that goes through the plane and comes back is on the same side before and after, and is passed over; so is
//!   a vertex that only touches, a double root.
//! * Ten bisections leave a thousandth of an interval open, so u and v are those of another moment.
//! * Edges are left out, as the paper says: surfaces that meet edge on edge are not seen.
//!
//! [`VertexTest::Corrected`] asks each pair that the boxes leave by [`MovingFeatures::first_meeting`], which is exact; the
//! edges remain left out. [`MovingSurfaces`](crate::MovingSurfaces) tells of all features.

mod passing;

use glam::DVec3;

use crate::broad_phase::SweptBox;
use crate::deformable::elementary::features::{FeatureMeeting, MovingFeatures, MovingKind};
use crate::error::{Error, ErrorKind, check_vector};
use crate::math::budget::{Budget, OutOfBudget};
use crate::papers::octree::Octree;

/// Triangles whose vertices move evenly along straight lines, of all surfaces together.
#[derive(Debug, Clone, Copy)]
pub struct VertexStep<'a> {
    /// The corners of each triangle, by number.
    pub triangles: &'a [[u32; 3]],
    /// Where the vertices are before the step, in metres.
    pub begin: &'a [DVec3],
    /// Where they are after it.
    pub end: &'a [DVec3],
}

/// How vertices near a triangle are found. Both ways give the same answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VertexSearch {
    /// Each triangle asks an octree of the vertices.
    #[default]
    Octree,
    /// Every vertex is compared with every triangle.
    All,
}

/// How a vertex and a triangle are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VertexTest {
    /// As published: the plane's sides, then the polynomial on so many even intervals, with ten bisections in each in
    /// which its sign changes. Contacts can be missed and invented. The paper does not say how many intervals it took.
    Published {
        /// At least 1.
        intervals: u32,
    },
    /// Exactly, for the numbers as given.
    #[default]
    Corrected,
}

/// A vertex that goes through a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VertexPassage {
    /// The vertex.
    pub vertex: u32,
    /// The triangle, which does not have it as a corner.
    pub triangle: u32,
    /// When, as a share of the step. Corrected: an enclosure of the first time. As published: the interval that is left
    /// after the bisections, which need not hold it.
    pub time: [f64; 2],
}

/// The work, in pairs of a vertex and a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VertexCounters {
    /// Pairs that were compared: nodes of the octree that triangles looked at, or all pairs.
    pub compared: u64,
    /// Pairs of which the vertex begins in the triangle's grown box, and is no corner.
    pub boxed: u64,
    /// As published: those of which the vertex changes its side of the plane.
    pub sided: u64,
    /// As published: values of the polynomial.
    pub values: u64,
}

/// All vertices that go through triangles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepPassages {
    /// By triangle, then vertex; of each pair the first.
    pub passages: Vec<VertexPassage>,
    /// Pairs for which the budget did not suffice.
    pub undecided: Vec<[u32; 2]>,
    /// Whether all pairs were looked at; the budget did not suffice otherwise.
    pub is_complete: bool,
    /// The work.
    pub counters: VertexCounters,
}

/// All vertices that go through triangles during a step. The budget is counted in steps of some 100 ns.
///
/// Guarantee: none as published. Corrected, and where nothing is undecided, every vertex that shares a point with a
/// triangle is here, and no other, as the numbers are given.
///
/// # Errors
/// Other numbers of vertices before and after; a corner that is no vertex; a coordinate that is not finite or not below
/// 1e70; no intervals.
pub fn vertices_through_triangles(
    step: &VertexStep<'_>,
    (search, test): (VertexSearch, VertexTest),
    budget: u64,
) -> Result<StepPassages, Error> {
    step.validate(test)?;
    let mut finder =
        PassageFinder { step, test, budget: Budget::new(budget), found: StepPassages::default() };
    finder.found.is_complete = match search {
        VertexSearch::Octree => finder.by_octree(),
        VertexSearch::All => finder.by_all(),
    }
    .is_ok();
    let mut found = finder.found;
    found.passages.sort_by_key(|passage| (passage.triangle, passage.vertex));
    found.undecided.sort_unstable();
    Ok(found)
}

impl VertexStep<'_> {
    fn validate(&self, test: VertexTest) -> Result<(), Error> {
        let (begin, end) = (self.begin.len(), self.end.len());
        if begin != end {
            return Error::out_of_range(end as f64, "as many vertices as before the step", "end");
        }
        if u32::try_from(begin.max(self.triangles.len())).is_err() {
            return Err(Error::new(ErrorKind::TooMany(begin.max(self.triangles.len())), "step"));
        }
        for (name, points) in [("begin", self.begin), ("end", self.end)] {
            for (i, point) in points.iter().enumerate() {
                check_vector(*point, || format!("{name}, vertex {i}"))?;
            }
        }
        for (i, triangle) in self.triangles.iter().enumerate() {
            if let Some(&index) = triangle.iter().find(|v| **v as usize >= begin) {
                let kind = ErrorKind::IndexOutOfRange { index, vertices: begin };
                return Err(Error::new(kind, format!("triangle {i}")));
            }
        }
        match test {
            VertexTest::Published { intervals: 0 } => Error::out_of_range(0.0, "at least 1", "intervals"),
            _ => Ok(()),
        }
    }

    /// How far a vertex goes along any axis, rounded up: the length of its way would be 0 where squares underflow.
    fn way(&self, vertex: usize) -> f64 {
        (self.end[vertex] - self.begin[vertex]).abs().max_element().next_up()
    }

    /// The box around a triangle before and after, grown by a length. Its bounds are rounded outward.
    fn grown(&self, triangle: &[u32; 3], by: f64) -> SweptBox {
        let corners = triangle.iter().flat_map(|v| [self.begin[*v as usize], self.end[*v as usize]]);
        let empty = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (min, max) = corners.fold(empty, |(min, max), corner| (min.min(corner), max.max(corner)));
        let outward = |x: f64, sign: f64| if sign < 0.0 { (x - by).next_down() } else { (x + by).next_up() };
        let all = |v: DVec3, sign| DVec3::from_array(v.to_array().map(|x| outward(x, sign)));
        SweptBox { body: 0, begin: 0.0, end: 1.0, min: all(min, -1.0), max: all(max, 1.0) }
    }
}

struct PassageFinder<'a> {
    step: &'a VertexStep<'a>,
    test: VertexTest,
    budget: Budget<'a>,
    found: StepPassages,
}

impl PassageFinder<'_> {
    fn by_all(&mut self) -> Result<(), OutOfBudget> {
        for (number, triangle) in (0..).zip(self.step.triangles) {
            for vertex in (0_u32..).take(self.step.begin.len()) {
                self.budget.step()?;
                self.found.counters.compared += 1;
                self.pair(vertex, (number, triangle))?;
            }
        }
        Ok(())
    }

    fn by_octree(&mut self) -> Result<(), OutOfBudget> {
        let step = self.step;
        let point =
            |(vertex, p): (u32, &DVec3)| SweptBox { body: vertex, begin: 0.0, end: 1.0, min: *p, max: *p };
        let points: Vec<SweptBox> = (0..).zip(step.begin).map(point).collect();
        let tree = Octree::of(&points);
        let longest = (0..step.begin.len()).map(|vertex| step.way(vertex)).fold(0.0, f64::max);
        let (mut stack, mut near) = (Vec::new(), Vec::new());
        for (number, triangle) in (0..).zip(step.triangles) {
            near.clear();
            let looked_at =
                tree.visit(&step.grown(triangle, longest), &mut stack, |item| near.push(points[item].body));
            self.found.counters.compared += looked_at;
            self.budget.take(looked_at)?;
            for vertex in &near {
                self.pair(*vertex, (number, triangle))?;
            }
        }
        Ok(())
    }

    /// One vertex and one triangle.
    fn pair(&mut self, vertex: u32, (number, corners): (u32, &[u32; 3])) -> Result<(), OutOfBudget> {
        let step = self.step;
        let begin = step.begin[vertex as usize];
        if corners.contains(&vertex) {
            return Ok(());
        }
        let grown = step.grown(corners, step.way(vertex as usize));
        if !(grown.min.cmple(begin).all() && begin.cmple(grown.max).all()) {
            return Ok(());
        }
        self.found.counters.boxed += 1;
        let [a, b, c] = *corners;
        let at = |points: &[DVec3]| [vertex, a, b, c].map(|v| points[v as usize]);
        let features =
            MovingFeatures { kind: MovingKind::VertexFace, begin: at(step.begin), end: at(step.end) };
        let time = match self.test {
            VertexTest::Published { intervals } => {
                self.budget.take(u64::from(intervals))?;
                passing::published(&features, intervals, &mut self.found.counters)
            }
            VertexTest::Corrected => match features.meeting(0.0, &mut self.budget) {
                FeatureMeeting::Clear => None,
                FeatureMeeting::Contact(contact) => Some(contact.time),
                FeatureMeeting::Undecided { .. } => {
                    self.found.undecided.push([vertex, number]);
                    None
                }
            },
        };
        self.found.passages.extend(time.map(|time| VertexPassage { vertex, triangle: number, time }));
        Ok(())
    }
}
