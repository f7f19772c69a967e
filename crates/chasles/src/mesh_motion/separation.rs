//! The time for which two nodes stay separated, one of A's hierarchy and one of B's.
//!
//! **Conservative advancement** along a direction n bounds this time (Mirtich 1996). A point of A at x, with
//! velocity v and an acceleration of at most c, moves along n, in a time y, by at least
//!
//! ```text
//! n.v y - c y^2 / 2
//! ```
//!
//! The minimum of n.x + n.v y over all points of a box or triangle is attained at a corner. It is concave in y, and
//! so above each of its chords. Any n is safe; a badly chosen n only shortens the time. The bound follows each end
//! of a box as it rotates. So the time is close to the true time if bodies approach, and about sqrt(2 gap / c) if
//! they slide past each other. If the jerk is at most j, and the point's acceleration a is known, the point also
//! moves by at least
//!
//! ```text
//! n.v y + n.a y^2 / 2 - j y^3 / 6
//! ```
//!
//! so that bodies that slide past each other, like gears, are proven separated for about (6 gap / j)^(1/3).
//!
//! **A direction rotates with a body.** A long edge or a large face of a rotating body is separated from nearby
//! features by a direction that rotates with that body: along a static direction, the far end of the edge
//! approaches fast. So n is static in B while A moves, or static in A while B moves, and the two motions have
//! separate bounds.

use std::cell::LazyCell;

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::bvh::layout::{LEAF, WIDTH};
use crate::instant::triangle_gap::{ClosestPoints, nearest_points_and_edges};
use crate::math::direction::unit_along;
use crate::math::distance::{point_triangle, segment_segment};
use crate::math::safe_time::safe_time;
use crate::mesh_motion::relative_state::{RelativeState, RelativeStates};
use crate::motion::chain::INSIDE;
use crate::motion::relative::MovingBody;

/// Children of a block, as indices count them.
#[expect(clippy::cast_possible_truncation, reason = "it is 8")]
pub(crate) const PLACES: u32 = WIDTH as u32;

/// The required separation: its distance and its minimum time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SeparationGoal {
    /// The surfaces are to stay further apart than this, in metres.
    pub(crate) distance: f64,
    /// The search ends at two triangles that stay separated for less than this, in seconds.
    pub(crate) min_step: f64,
}

/// The kind of direction that separates two nodes, from the static to the moving node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeparatingAxisKind {
    /// Approximately from the nearest point of one to the nearest point of the other.
    Between,
    StaticFace,
    MovingFace,
    /// Between the nearest points of an edge of the static and an edge of the moving triangle; the moving edge comes
    /// first.
    BetweenEdges([u8; 2]),
    /// The common normal of an edge of the moving triangle and an edge of the static triangle.
    AcrossEdges([u8; 2]),
}

impl SeparatingAxisKind {
    /// The same kind if the other node moves.
    fn swapped(self) -> Self {
        match self {
            Self::Between => Self::Between,
            Self::StaticFace => Self::MovingFace,
            Self::MovingFace => Self::StaticFace,
            Self::BetweenEdges([i, j]) => Self::BetweenEdges([j, i]),
            Self::AcrossEdges([i, j]) => Self::AcrossEdges([j, i]),
        }
    }
}

/// A proof that two nodes are separated for some time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeparationProof {
    /// The time in seconds: the required time, or less.
    pub(crate) step: f64,
    /// The time when a direction was last searched for.
    pub(crate) fresh: f64,
    /// The initial gap beyond the distance; 0 without a proof.
    pub(crate) gap: f64,
    /// The separating direction, in the frame of the static body.
    pub(crate) direction: [f32; 3],
    pub(crate) by: SeparatingAxisKind,
    /// The body that is treated as moving.
    pub(crate) mover: MovingBody,
}

/// A node of A and a node of B, each in the frame of its own mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nodes {
    pub(crate) a: Bounded,
    pub(crate) b: Bounded,
}

/// Points of two nodes that are near each other, the moving node first, and the edges of both triangles that
/// contain them, unless a point is inside a face.
struct NearestOfNodes {
    points: [DVec3; 2],
    edges: Option<[u8; 2]>,
}

/// Two nodes in the frame of the static node's body.
struct NodesInFrame<'a> {
    mover: MovingBody,
    moving: Bounded,
    fixed: Bounded,
    state: &'a RelativeState,
}

impl Nodes {
    fn in_frame_of_b<'a>(&self, state: &'a RelativeStates<'_>) -> NodesInFrame<'a> {
        let state = &state.of_a;
        NodesInFrame { mover: MovingBody::A, moving: self.a.in_frame(state), fixed: self.b, state }
    }

    fn in_frame_of_a<'a>(&self, state: &'a RelativeStates<'_>) -> Option<NodesInFrame<'a>> {
        let state = state.of_b()?;
        Some(NodesInFrame { mover: MovingBody::B, moving: self.b.in_frame(state), fixed: self.a, state })
    }

    fn are_faces(&self) -> bool {
        self.a.is_face && self.b.is_face
    }
}

impl NodesInFrame<'_> {
    /// A normal or its opposite, so that it points from the static to the moving node.
    fn facing(&self, normal: DVec3) -> DVec3 {
        if normal.dot(self.moving.centre - self.fixed.centre) < 0.0 { -normal } else { normal }
    }

    fn across_fixed(&self) -> DVec3 {
        self.facing(self.fixed.normal())
    }

    fn across_moving(&self) -> DVec3 {
        self.facing(self.moving.normal())
    }

    fn across_edges(&self, [i, j]: [u8; 2]) -> DVec3 {
        let [[p, q], [r, s]] = [self.moving.edge(i), self.fixed.edge(j)];
        self.facing((q - p).cross(s - r))
    }

    /// Approximately the nearest points of two nodes.
    fn nearest(&self) -> NearestOfNodes {
        let Self { moving, fixed, .. } = self;
        if moving.is_face && fixed.is_face {
            let (ClosestPoints { points, .. }, edges) =
                nearest_points_and_edges(&moving.corners(), &fixed.corners());
            return NearestOfNodes { points, edges };
        }
        // Alternating projection: from the nearest point of one node to the nearest point of the other.
        let mut on_fixed = fixed.nearest(moving.centre);
        let mut on_moving = moving.nearest(on_fixed);
        for _ in 0..PROJECTIONS {
            on_fixed = fixed.nearest(on_moving);
            on_moving = moving.nearest(on_fixed);
        }
        NearestOfNodes { points: [on_moving, on_fixed], edges: None }
    }

    /// Approximately the speed at which two points separate, in metres per second.
    fn separation_speed(&self, [on_moving, on_fixed]: [DVec3; 2]) -> f64 {
        let velocity = self.state.velocity + self.state.spin.cross(on_moving - self.state.offset);
        unit_along(on_moving - on_fixed).dot(velocity)
    }

    /// The kind of the direction between the nearest points of two triangles. The kind is still valid shortly
    /// afterwards.
    fn separating_axis(&self, between: DVec3, edges: Option<[u8; 2]>) -> SeparatingAxisKind {
        let is_normal = |normal: DVec3| unit_along(between).dot(unit_along(normal)) > NORMAL;
        match edges {
            _ if is_normal(self.across_fixed()) => SeparatingAxisKind::StaticFace,
            _ if is_normal(self.across_moving()) => SeparatingAxisKind::MovingFace,
            Some(edges) => SeparatingAxisKind::BetweenEdges(edges),
            None => SeparatingAxisKind::Between,
        }
    }

    /// The direction of a given kind for two triangles at their current positions.
    fn direction(&self, by: SeparatingAxisKind) -> Option<DVec3> {
        match by {
            SeparatingAxisKind::Between => None,
            SeparatingAxisKind::StaticFace => Some(self.across_fixed()),
            SeparatingAxisKind::MovingFace => Some(self.across_moving()),
            SeparatingAxisKind::BetweenEdges([i, j]) => {
                let closest = segment_segment(self.moving.edge(i), self.fixed.edge(j));
                Some(closest.a - closest.b)
            }
            SeparatingAxisKind::AcrossEdges(edges) => Some(self.across_edges(edges)),
        }
    }
}

/// The time, of at most `remaining` seconds, for which A's node stays further than the distance from B's node. The last
/// separating axis is tried first. If it proves too short a time, all others are tried.
pub(crate) fn separated_for(
    nodes: &Nodes,
    state: &RelativeStates<'_>,
    goal: &SeparationGoal,
    remaining: f64,
    last: &SeparationProof,
) -> SeparationProof {
    let mut best = SeparationProof { step: 0.0, gap: 0.0, ..*last };
    let mut offer = |in_frame: &NodesInFrame<'_>, direction: DVec3, by: SeparatingAxisKind| {
        let unit = unit_along(direction);
        let extents = Extents::new(in_frame, goal.distance, unit);
        let gap = extents.at(0.0);
        // A NaN gap compares false, so it never counts as a proof.
        if gap > 0.0 {
            best.gap = best.gap.max(gap);
            let step = extents.positive_for(gap, best.step, remaining);
            if step > best.step {
                let direction = unit.to_array().map(narrow);
                best = SeparationProof { step, direction, by, mover: in_frame.mover, ..best };
            }
        }
        best.step
    };
    let enough = (REUSE_FRACTION * last.fresh).max(goal.min_step).min(remaining);
    let are_faces = nodes.are_faces();
    let is_enough = |in_frame: &NodesInFrame<'_>| {
        let last_direction = || Some(DVec3::from_array(last.direction.map(f64::from)));
        let direction = if are_faces { in_frame.direction(last.by) } else { last_direction() };
        direction.is_some_and(|direction| offer(in_frame, direction, last.by) >= enough)
    };
    let from_b = nodes.in_frame_of_b(state);
    let from_a = LazyCell::new(|| nodes.in_frame_of_a(state));
    let before = if last.mover == MovingBody::A { Some(&from_b) } else { from_a.as_ref() };
    if before.is_some_and(is_enough) {
        return best;
    }
    let nearest = from_b.nearest();
    let between = nearest.points[0] - nearest.points[1];
    let by =
        if are_faces { from_b.separating_axis(between, nearest.edges) } else { SeparatingAxisKind::Between };
    let mut step = offer(&from_b, between, by);
    // No direction proves a gap much larger than the distance of the nearest points.
    let gap = between.length() - goal.distance;
    if step < remaining
        && -step * from_b.separation_speed(nearest.points) < ENOUGH_FRACTION * gap
        && let Some(from_a) = from_a.as_ref()
    {
        // From A to B, with A's axes.
        let back = -(from_b.state.rotation.transpose() * between);
        step = offer(from_a, back, by.swapped());
    }
    if are_faces && step < enough {
        step = offer(&from_b, from_b.across_fixed(), SeparatingAxisKind::StaticFace);
        if step < remaining {
            step = match from_a.as_ref() {
                Some(from_a) => offer(from_a, from_a.across_fixed(), SeparatingAxisKind::StaticFace),
                None => offer(&from_b, from_b.across_moving(), SeparatingAxisKind::MovingFace),
            };
        }
        // If the nodes nearly touch, the vector between their points consists of rounding.
        for edges in EDGES {
            if step >= goal.min_step {
                break;
            }
            step = offer(&from_b, from_b.across_edges(edges), SeparatingAxisKind::AcrossEdges(edges));
        }
    }
    SeparationProof { fresh: best.step, ..best }
}

/// A direction that rotates with the other body is tried unless the proven time is at least this fraction of the
/// possible time.
const ENOUGH_FRACTION: f64 = 0.5;

/// All pairs of edges of two triangles.
const EDGES: [[u8; 2]; 9] = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1], [2, 2]];

/// A box or a triangle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounded {
    pub(crate) is_face: bool,
    centre: DVec3,
    /// Half edges of a box, or corners of a triangle relative to the centre.
    arms: [DVec3; 3],
    /// The sum of the lengths of `arms`.
    pub(crate) size: f64,
}

impl Bounded {
    /// The node in its mesh, relative to the mesh's centre.
    pub(crate) fn new(body: &PreparedMesh, place: u32) -> Self {
        if place & LEAF != 0 {
            let corners = body.mesh().local_triangle(place & !LEAF);
            let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
            return Self::with_size(true, centre, corners.map(|p| p - centre));
        }
        let (block, lane) = (&body.bvh().boxes[(place / PLACES) as usize], (place % PLACES) as usize);
        let vector = |v: &[[f32; WIDTH]; 3]| {
            DVec3::new(f64::from(v[0][lane]), f64::from(v[1][lane]), f64::from(v[2][lane])) * body.bvh().unit
        };
        Self::with_size(false, vector(&block.centre), [0, 1, 2].map(|k| vector(&block.axes[k])))
    }

    fn with_size(is_face: bool, centre: DVec3, arms: [DVec3; 3]) -> Self {
        let size = arms.iter().map(|arm| arm.length()).sum();
        Self { is_face, centre, arms, size }
    }

    /// The node in the frame of the other body.
    fn in_frame(&self, state: &RelativeState) -> Self {
        let arms = self.arms.map(|arm| state.rotation * arm);
        Self { centre: state.offset + state.rotation * self.centre, arms, ..*self }
    }

    fn corners(&self) -> [DVec3; 3] {
        self.arms.map(|arm| self.centre + arm)
    }

    /// Its maximum along a direction.
    fn support(&self, n: DVec3) -> f64 {
        let [x, y, z] = self.arms.map(|arm| n.dot(arm));
        n.dot(self.centre) + if self.is_face { x.max(y).max(z) } else { x.abs() + y.abs() + z.abs() }
    }

    /// The point of the node nearest to a given point.
    fn nearest(&self, point: DVec3) -> DVec3 {
        if self.is_face {
            return point_triangle(point, &self.corners()).b;
        }
        let to = point - self.centre;
        let mut nearest = self.centre;
        for arm in self.arms {
            let fraction = to.dot(arm) / arm.length_squared().max(f64::MIN_POSITIVE);
            nearest += fraction.clamp(-1.0, 1.0) * arm;
        }
        nearest
    }

    fn normal(&self) -> DVec3 {
        (self.arms[1] - self.arms[0]).cross(self.arms[2] - self.arms[0])
    }

    fn edge(&self, i: u8) -> [DVec3; 2] {
        [i, (i + 1) % 3].map(|i| self.arms[usize::from(i)] + self.centre)
    }
}

/// A direction counts as a normal if the cosine of their angle exceeds this.
const NORMAL: f64 = 1.0 - 1e-9;

/// A direction is reused while it separates two nodes for this fraction of its initial time.
const REUSE_FRACTION: f64 = 0.5;

/// Number of alternating projections between two boxes.
const PROJECTIONS: usize = 1;

/// A lower bound, as a function of time, of the distance of the moving node from the static node along a direction,
/// minus the required distance.
struct Extents<'a> {
    node: &'a Bounded,
    state: &'a RelativeState,
    along: DVec3,
    gap: f64,
    slope: f64,
    arms: [f64; 3],
    arm_rates: [f64; 3],
}

impl<'a> Extents<'a> {
    fn new(in_frame: &'a NodesInFrame<'_>, distance: f64, n: DVec3) -> Self {
        let NodesInFrame { moving, fixed, state, .. } = in_frame;
        let rotation_rate = n.cross(state.spin);
        Self {
            node: moving,
            state,
            along: n,
            gap: n.dot(moving.centre) - fixed.support(n) - distance - state.rounding,
            slope: n.dot(state.velocity) + rotation_rate.dot(moving.centre - state.offset) - state.drift,
            arms: moving.arms.map(|arm| n.dot(arm)),
            arm_rates: moving.arms.map(|arm| rotation_rate.dot(arm)),
        }
    }

    /// A time, at most `remaining` seconds, until which the bound is certainly positive, from its second derivatives
    /// and a bound of its third; 0 if these prove nothing. Its initial value is `gap`.
    fn positive_by_second(&self, gap: f64, known: f64, remaining: f64) -> f64 {
        let Some(second) = &self.state.second else { return 0.0 };
        let along = second.angular.transpose() * self.along;
        let centre =
            self.along.dot(second.centre) + along.dot(self.node.centre - self.state.offset) - second.error;
        let curves = self.node.arms.map(|arm| along.dot(arm));
        if !self.node.is_face {
            let worst = |middle: f64, arms: &[f64; 3]| middle - arms.iter().map(|arm| arm.abs()).sum::<f64>();
            let (slope, curve) = (worst(self.slope, &self.arm_rates), worst(centre, &curves));
            return GapCubic { gap, slope, curve, jerk: second.jerk }.positive_until(known, remaining);
        }
        // Each corner by itself, because the other corners are further. The nearest corner decides most, and comes
        // first.
        let [x, y, z] = self.arms;
        let order = if x <= y && x <= z {
            [0, 1, 2]
        } else if y <= z {
            [1, 0, 2]
        } else {
            [2, 0, 1]
        };
        let mut until = remaining;
        for k in order {
            let behind = gap + (self.arms[k] - self.arms[order[0]]);
            let (slope, curve) = (self.slope + self.arm_rates[k], centre + curves[k]);
            until = GapCubic { gap: behind, slope, curve, jerk: second.jerk }.positive_until(known, until);
            if until <= known {
                return 0.0;
            }
        }
        until
    }

    #[inline]
    fn at(&self, time: f64) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|k| self.arms[k] + time * self.arm_rates[k]);
        let least = if self.node.is_face { x.min(y).min(z) } else { -(x.abs() + y.abs() + z.abs()) };
        self.gap + least + time * (self.slope - 0.5 * time * self.state.acceleration)
    }

    /// A time, at most `remaining` seconds, until which the bound is certainly positive; its initial value is
    /// `gap`. A result of at most `known` may be any smaller time.
    fn positive_for(&self, gap: f64, known: f64, remaining: f64) -> f64 {
        // The bound is concave: if it is positive at both ends, it is positive in between.
        let last = self.at(remaining);
        if last > 0.0 {
            return remaining;
        }
        let by_second = self.positive_by_second(gap, known, remaining);
        // The bound is not positive for longer than that.
        if self.at(by_second.max(known)) <= 0.0 {
            return by_second;
        }
        let [x, y, z] = self.arm_rates;
        let worst =
            self.slope + if self.node.is_face { x.min(y).min(z) } else { -(x.abs() + y.abs() + z.abs()) };
        // gap + worst t - bend t^2 / 2 is a lower bound.
        let lower = safe_time(gap, -worst, self.state.acceleration);
        let (mut lower, mut upper) = (lower.min(remaining), (remaining, last));
        lower = lower.max(by_second);
        for _ in 0..PROBES {
            if upper.0 <= 1.25 * lower {
                break;
            }
            let probe = (3.0 * lower).min(0.5 * (lower + upper.0));
            let found = self.at(probe);
            if found > 0.0 {
                lower = probe;
            } else {
                upper = (probe, found);
            }
            // Above the chord.
            let first = self.at(lower);
            let crossing = lower + (upper.0 - lower) * (first / (first - upper.1));
            if first > 0.0 && crossing > lower {
                lower += INSIDE * (crossing - lower);
            }
        }
        lower
    }
}

/// A lower bound of a gap as a function of time: gap + slope t + curve t^2 / 2 - jerk t^3 / 6.
#[derive(Debug, Clone, Copy)]
struct GapCubic {
    gap: f64,
    slope: f64,
    curve: f64,
    jerk: f64,
}

impl GapCubic {
    /// A time, at most `remaining`, until which the bound is certainly positive. A result of at most `known` may be
    /// any smaller time.
    ///
    /// Up to a time T the cubic is at least gap + slope t - bend t^2 / 2 with bend = jerk T / 3 - curve.
    #[inline]
    fn positive_until(self, known: f64, remaining: f64) -> f64 {
        let Self { gap, slope, curve, jerk } = self;
        // The maxima below would discard a NaN.
        if !(slope + curve + jerk).is_finite() {
            return 0.0;
        }
        let curvature = (jerk * remaining / 3.0 - curve).max(0.0);
        // That is concave.
        if gap + remaining * (slope - 0.5 * remaining * curvature) > 0.0 {
            return remaining;
        }
        if gap + known * (slope + known * (0.5 * curve - known * jerk / 6.0)) <= 0.0 {
            return 0.0;
        }
        self.positive_until_root(remaining)
    }

    fn positive_until_root(self, remaining: f64) -> f64 {
        let Self { gap, slope, curve, jerk } = self;
        let until = |most: f64| safe_time(gap, -slope, (jerk * most / 3.0 - curve).max(0.0));
        let all = until(remaining);
        // An upper bound of the root, at which no other term exceeds a third of the jerk term: from there, Newton
        // steps down.
        let most =
            (18.0 * gap / jerk).cbrt().max((18.0 * slope.max(0.0) / jerk).sqrt()).max(9.0 * curve / jerk);
        let mut root = most.min(remaining);
        for _ in 0..PROBES {
            let value = gap + root * (slope + root * (0.5 * curve - root * jerk / 6.0));
            let falls = -(slope + root * (curve - 0.5 * root * jerk));
            let next = root + value / falls;
            // A NaN ends the loop.
            if !(falls > 0.0 && next > 0.0 && next < root) {
                break;
            }
            root = next;
        }
        let probe = PROVEN_FRACTION * root;
        let found = until(probe);
        all.max(found.min(probe)).min(remaining)
    }
}

/// The fraction of a computed time that is proven.
const PROVEN_FRACTION: f64 = 0.999;

/// Number of times at which a bound is evaluated.
const PROBES: usize = 4;

pub(crate) fn narrow(x: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "of what is only a hint no digit is needed")]
    let x = x as f32;
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles_testing::{Random, cases};

    /// Whether the cubic with whole coefficients is positive at a time, exactly: six times the cubic, with time in
    /// units of 2^-30.
    fn is_positive([gap, slope, curve, jerk]: [i32; 4], time: i128) -> bool {
        let [gap, slope, curve, jerk] = [gap, slope, curve, jerk].map(i128::from);
        let unit = 1_i128 << 30;
        6 * gap * unit.pow(3) + time * (6 * slope * unit.pow(2) + time * (3 * curve * unit - time * jerk)) > 0
    }

    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "times are at most 8, in units of 2^-30")]
    fn a_cubic_is_positive_until_the_returned_time() {
        let (mut all, mut some, mut near, mut none) = (0, 0, 0, 0);
        for seed in 0..cases(20_000, 200_000) {
            let random = &mut Random(seed);
            let mut whole = |most: usize| i32::try_from(random.below(most)).unwrap();
            let cubic = [1 + whole(1000), whole(2001) - 1000, whole(2001) - 1000, whole(1000)];
            let [gap, slope, curve, jerk] = cubic.map(f64::from);
            let remaining = random.within(0.01, 8.0);
            let known = [0.0, random.within(0.0, remaining)][random.below(2)];
            let until = GapCubic { gap, slope, curve, jerk }.positive_until(known, remaining);
            assert!((0.0..=remaining).contains(&until), "{seed}: {until} of {remaining}");
            let exact = |time: f64| (time * f64::from(1 << 30)) as i128;
            for fraction in (0..=16).map(|i| f64::from(i) / 16.0) {
                assert!(
                    is_positive(cubic, exact(fraction * until)),
                    "{seed}: {cubic:?} at {fraction} of {until}"
                );
            }
            all += u32::from(until == remaining);
            some += u32::from(until > 0.0 && until < remaining);
            near += u32::from(until < remaining && !is_positive(cubic, exact(1.1 * until)));
            // The result may be too small only if the cubic is no longer positive at the other time.
            if until == 0.0 {
                none += 1;
                assert!(!is_positive(cubic, exact(known) + 1), "{seed}: {cubic:?} at {known}");
            }
        }
        assert!(all > 1_500 && some > 4_000 && near > 3_000 && none > 800, "{all} {some} {near} {none}");
    }
}
