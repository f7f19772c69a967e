//! The front: pairs of boxes and triangles, each proven apart until a time of its own.
//!
//! Two bodies on any smooth motion are followed by their hierarchies. Every pair of the front holds some of A's
//! triangles and some of B's, and every pair of triangles is held by one pair of the front. The front knows until when
//! each of its pairs is certainly apart. The pair whose time comes first is looked at again: either it is apart for a
//! while longer, or the larger of its two nodes is opened and the children take its place. So distant pairs are looked
//! at seldom and near pairs often, and no search starts from the roots again after a contact.
//!
//! **Conservative advancement** along a direction n says how long a pair stays apart (Mirtich 1996). A point of A at
//! x, with velocity v and an acceleration of at most c, moves along n, in a time y, by at least
//!
//! ```text
//! n.v y - c y^2 / 2
//! ```
//!
//! The least of n.x + n.v y over all points of a box or triangle is the least over its corners. It is concave in y,
//! and so above every chord of itself. Any n is safe; a badly chosen one only makes the time short. The bound follows
//! each end of a box as it turns. So the time is about as long as the true one where bodies approach, and about sqrt(2
//! gap / c) where they slide past each other. Where the jerk is at most j, and the point's acceleration a is known, it also
//! moves by at least
//!
//! ```text
//! n.v y + n.a y^2 / 2 - j y^3 / 6
//! ```
//!
//! which lets bodies that slide past each other, like gears in mesh, be followed for about (6 gap / j)^(1/3).

use std::collections::BinaryHeap;

use glam::DVec3;

use crate::ahead::passing::Passing;
use crate::body::Body;
use crate::bvh::layout::{LEAF, NONE, WIDTH};
use crate::features::distance::{point_triangle, segment_segment};
use crate::instant::triangle_gap::nearest_points_and_edges;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::direction::unit_along;
use crate::math::safe_time::safe_time;
use crate::motion::carried::INSIDE;
use crate::motion::moment::{Bends, Moment};

/// The question that a front answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Beyond {
    /// Surfaces are to stay further apart than this, in metres.
    pub(crate) distance: f64,
    /// Two triangles that are apart for less than this, in seconds, end the search.
    pub(crate) least_step: f64,
}

/// The pairs that are known to be apart, and until when. Each pair of bodies starts anew.
#[derive(Debug, Clone, Default)]
pub(crate) struct Front {
    waiting: BinaryHeap<FrontPair>,
    end: f64,
    /// Some pairs had no room: nothing more is known.
    is_full: bool,
}

/// The most pairs that a front may hold, of 40 bytes each. Bodies that need more are left to screws.
const ROOM: usize = 1 << 22;
const _: () = assert!(size_of::<FrontPair>() == 40);

/// Two bodies, A first, and the motion of A past B: its moment at a time, and bounds.
pub(crate) struct FrontMotion<'a> {
    pub(crate) bodies: (&'a Body, &'a Body),
    pub(crate) moment: &'a dyn Fn(f64) -> Moment,
    pub(crate) bends: Bends,
}

/// A pair of the front. The greatest is due first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FrontPair {
    /// Until then it is apart.
    due: f64,
    /// For how long it was apart, when it was last looked at.
    step: f32,
    /// The same, when a direction was last looked for.
    fresh: f32,
    a: u32,
    b: u32,
    /// The direction from B to A that proved them apart, and what it was.
    way: [f32; 3],
    by: By,
}

/// Which direction separates two nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum By {
    /// About from the nearest point of one to that of the other.
    Between,
    FaceOfA,
    FaceOfB,
    /// From the nearest point of an edge of A's triangle to that of one of B's.
    BetweenEdges(u8, u8),
    /// Across an edge of A's triangle and one of B's.
    AcrossEdges(u8, u8),
}

impl Eq for FrontPair {}

impl Ord for FrontPair {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.due.total_cmp(&self.due).then((self.a, self.b).cmp(&(other.a, other.b)))
    }
}

impl FrontPair {
    /// How its nodes were last proven apart.
    fn last(&self) -> Lasting {
        let Self { step, fresh, way, by, .. } = *self;
        Lasting { step: f64::from(step), fresh: f64::from(fresh), gap: 0.0, way, by }
    }
}

impl PartialOrd for FrontPair {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The child of the first block, which holds everything.
const ROOT: u32 = 0;

/// A pair may be looked at before its time by this share of its last step, where a moment is at hand.
const EARLY: f64 = 0.2;

/// Accelerations are taken from the velocities a while later: this share of the time in which jerks could make them up.
const SOON: f64 = 1e-4;

/// Boxes that are further apart than this share of the larger one's size are not opened.
const APART: f64 = 0.3;

/// Nor are boxes opened that stay apart for this share of the time left.
const LONG: f64 = 0.1;

impl Front {
    /// Forgets everything: nothing is known from `begin` on, and the question goes up to `end`.
    pub(crate) fn start(&mut self, begin: f64, end: f64) {
        self.waiting.clear();
        self.waiting.push(FrontPair {
            due: begin,
            step: 0.0,
            fresh: f32::INFINITY,
            a: ROOT,
            b: ROOT,
            way: [0.0; 3],
            by: By::Between,
        });
        self.end = end;
        self.is_full = false;
    }

    /// All pairs are proven apart until this time.
    pub(crate) fn known_until(&self) -> f64 {
        self.waiting.peek().map_or(self.end, |pair| pair.due.min(self.end))
    }

    /// A time until which, from `now` on, the surfaces stay further apart than a distance: proven. The time is not
    /// before `now`; it is `now` where nothing is proven. Entries that expire before `now` are ignored.
    ///
    /// # Errors
    /// [`OutOfBudget`]; the front keeps all it has proven so far.
    pub(crate) fn apart_until(
        &mut self,
        course: &FrontMotion<'_>,
        now: f64,
        ask: &Beyond,
        budget: &mut Budget<'_>,
    ) -> Result<f64, OutOfBudget> {
        if !course.bends.change.is_finite() || self.is_full {
            return Ok(now);
        }
        let mut at: Option<(f64, Passing)> = None;
        while let Some(pair) = self.waiting.peek().copied() {
            if pair.due >= self.end {
                break;
            }
            budget.step()?;
            let due = pair.due.max(now);
            let time = match &at {
                Some((time, _)) if *time >= now && due - time <= EARLY * f64::from(pair.step) => *time,
                _ => due,
            };
            let passing = match &at {
                Some((last, passing)) if *last == time => *passing,
                _ => self.passing(course, time),
            };
            at = Some((time, passing));
            let left = self.end - time;
            let nodes = [
                Bounded::placed(course.bodies.0, pair.a, &passing),
                Bounded::standing(course.bodies.1, pair.b),
            ];
            let found = apart_for(&nodes, (&passing, ask), left, &pair.last());
            let both_faces = (pair.a | pair.b) & LEAF != 0 && pair.a & pair.b & LEAF != 0;
            let stays = found.step >= left
                || if both_faces {
                    found.step >= ask.least_step
                } else {
                    found.step >= LONG * left || found.gap >= APART * nodes[0].size.max(nodes[1].size)
                };
            let until = time + found.step;
            if stays && until > due {
                self.waiting.pop();
                self.keep(pair, until, &found);
            } else if both_faces {
                // The step may have been short because it was taken early.
                if time == due {
                    return Ok(due);
                }
                at = None;
            } else {
                self.waiting.pop();
                self.open(course, (&pair, &nodes, &passing), (time, due), ask);
                if self.is_full {
                    return Ok(due);
                }
            }
        }
        Ok(self.end)
    }

    /// How A passes B at a time.
    fn passing(&self, course: &FrontMotion<'_>, time: f64) -> Passing {
        let passing = Passing::new(course.bodies, &(course.moment)(time), &course.bends);
        // In so short a time the jerk changes little, and the velocities change by far more than they are off.
        let after = SOON * course.bends.change / course.bends.jerk;
        if !(after > 0.0 && time + after <= self.end) {
            return passing;
        }
        // As the sum was rounded.
        let later = time + after;
        passing.with_later(&(course.moment)(later), later - time, &course.bends)
    }

    fn keep(&mut self, pair: FrontPair, due: f64, found: &Lasting) {
        if due < self.end && self.waiting.len() >= ROOM {
            self.is_full = true;
        } else if due < self.end {
            let [step, fresh] = [found.step, found.fresh].map(narrow);
            self.waiting.push(FrontPair { due, step, fresh, way: found.way, by: found.by, ..pair });
        }
    }

    /// Puts the children of the larger one in the place of a pair.
    fn open(
        &mut self,
        course: &FrontMotion<'_>,
        (pair, nodes, passing): (&FrontPair, &[Bounded; 2], &Passing),
        (time, due): (f64, f64),
        ask: &Beyond,
    ) {
        let opens_b = pair.a & LEAF != 0 || pair.b & LEAF == 0 && nodes[1].size > nodes[0].size;
        let (body, opened) = if opens_b { (course.bodies.1, pair.b) } else { (course.bodies.0, pair.a) };
        let left = self.end - time;
        for child in children(body, opened).into_iter().filter(|child| *child != NONE) {
            let (mut nodes, mut next) = (*nodes, *pair);
            if opens_b {
                (nodes[1], next.b) = (Bounded::standing(body, child), child);
            } else {
                (nodes[0], next.a) = (Bounded::placed(body, child, passing), child);
            }
            let last = Lasting { fresh: LONG * left, by: By::Between, ..pair.last() };
            let found = apart_for(&nodes, (passing, ask), left, &last);
            self.keep(next, (time + found.step).max(due), &found);
        }
    }
}

/// The children of a child of a box block, by place: the children of its block, or its triangles.
fn children(body: &Body, place: u32) -> [u32; WIDTH] {
    let bvh = body.bvh();
    let below = bvh.boxes[(place / PLACES) as usize].child[(place % PLACES) as usize];
    if below & LEAF != 0 {
        return bvh.triangles[(below & !LEAF) as usize]
            .face
            .map(|face| if face == NONE { NONE } else { LEAF | face });
    }
    let block = &bvh.boxes[below as usize];
    let mut lane = 0;
    block.child.map(|child| {
        let place = if child == NONE { NONE } else { PLACES * below + lane };
        lane += 1;
        place
    })
}

/// Children of a block, as places count them.
#[expect(clippy::cast_possible_truncation, reason = "it is 8")]
const PLACES: u32 = WIDTH as u32;

fn narrow(x: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "of what is only a hint no digit is needed")]
    let x = x as f32;
    x
}

/// A box or a triangle.
#[derive(Debug, Clone, Copy)]
struct Bounded {
    is_face: bool,
    centre: DVec3,
    /// Half edges of a box, or corners of a triangle from the centre on.
    arms: [DVec3; 3],
    /// The sum of their lengths.
    size: f64,
}

impl Bounded {
    /// Where it is in its mesh, relative to the mesh's centre.
    fn standing(body: &Body, place: u32) -> Self {
        if place & LEAF != 0 {
            let corners = body.mesh().local_triangle(place & !LEAF);
            let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
            return Self::new(true, centre, corners.map(|p| p - centre));
        }
        let (block, lane) = (&body.bvh().boxes[(place / PLACES) as usize], (place % PLACES) as usize);
        let vector = |v: &[[f32; WIDTH]; 3]| {
            DVec3::new(f64::from(v[0][lane]), f64::from(v[1][lane]), f64::from(v[2][lane])) * body.bvh().unit
        };
        Self::new(false, vector(&block.centre), [0, 1, 2].map(|k| vector(&block.axes[k])))
    }

    fn new(is_face: bool, centre: DVec3, arms: [DVec3; 3]) -> Self {
        let size = arms.iter().map(|arm| arm.length()).sum();
        Self { is_face, centre, arms, size }
    }

    fn placed(body: &Body, place: u32, passing: &Passing) -> Self {
        let Self { is_face, centre, arms, size } = Self::standing(body, place);
        let arms = arms.map(|arm| passing.turn * arm);
        Self { is_face, centre: passing.offset + passing.turn * centre, arms, size }
    }

    fn corners(&self) -> [DVec3; 3] {
        self.arms.map(|arm| self.centre + arm)
    }

    /// The furthest that it reaches along a direction.
    fn furthest(&self, n: DVec3) -> f64 {
        let [x, y, z] = self.arms.map(|arm| n.dot(arm));
        n.dot(self.centre) + if self.is_face { x.max(y).max(z) } else { x.abs() + y.abs() + z.abs() }
    }

    /// Its point that is nearest to another.
    fn nearest(&self, point: DVec3) -> DVec3 {
        if self.is_face {
            return point_triangle(point, &self.corners()).b;
        }
        let to = point - self.centre;
        let mut nearest = self.centre;
        for arm in self.arms {
            let share = to.dot(arm) / arm.length_squared().max(f64::MIN_POSITIVE);
            nearest += share.clamp(-1.0, 1.0) * arm;
        }
        nearest
    }

    fn normal(&self) -> DVec3 {
        (self.arms[1] - self.arms[0]).cross(self.arms[2] - self.arms[0])
    }

    fn edges(&self) -> [DVec3; 3] {
        let [p, q, r] = self.arms;
        [q - p, r - q, p - r]
    }
}

/// How long two nodes are proven apart.
#[derive(Debug, Clone, Copy)]
struct Lasting {
    /// In seconds: all that was asked for, or less.
    step: f64,
    /// The same, when a direction was last looked for.
    fresh: f64,
    /// How far at first, beyond the distance; 0 where nothing is proven.
    gap: f64,
    /// The direction that proves it, and what it is.
    way: [f32; 3],
    by: By,
}

/// For how long, of `left` seconds, A's node stays further than the distance from B's node. What separated them before is
/// tried first. Where it no longer does so for long, all others are.
fn apart_for(
    [a, b]: &[Bounded; 2],
    (passing, ask): (&Passing, &Beyond),
    left: f64,
    last: &Lasting,
) -> Lasting {
    let mut best = Lasting { step: 0.0, gap: 0.0, ..*last };
    let mut offer = |direction: DVec3, by: By| {
        let unit = unit_along(direction);
        let extents = Extents::new([a, b], (passing, ask.distance), unit);
        let gap = extents.at(0.0);
        // A NaN gap compares false, so it never counts as a proof.
        if gap > 0.0 {
            best.gap = best.gap.max(gap);
            let step = extents.positive_for(gap, (best.step, left));
            if step > best.step {
                (best.step, best.way, best.by) = (step, unit.to_array().map(narrow), by);
            }
        }
        best.step
    };
    let enough = (STALE * last.fresh).max(ask.least_step).min(left);
    let way = || DVec3::from_array(last.way.map(f64::from));
    if !(a.is_face && b.is_face) {
        if offer(way(), By::Between) >= enough {
            return best;
        }
        // To and fro: from the nearest point of one node to the nearest point of the other.
        let mut on_b = b.nearest(a.centre);
        let mut on_a = a.nearest(on_b);
        for _ in 0..TO_AND_FRO {
            on_b = b.nearest(on_a);
            on_a = a.nearest(on_b);
        }
        let step = offer(on_a - on_b, By::Between);
        return Lasting { fresh: step, ..best };
    }
    let facing = |normal: DVec3| if normal.dot(a.centre - b.centre) < 0.0 { -normal } else { normal };
    let (edges_a, edges_b) = (a.edges(), b.edges());
    let first = match last.by {
        By::Between => None,
        By::FaceOfA => Some(facing(a.normal())),
        By::FaceOfB => Some(facing(b.normal())),
        By::BetweenEdges(i, j) => {
            let side =
                |node: &Bounded, i: u8| [i, (i + 1) % 3].map(|i| node.arms[usize::from(i)] + node.centre);
            let closest = segment_segment(side(a, i), side(b, j));
            Some(closest.a - closest.b)
        }
        By::AcrossEdges(i, j) => Some(facing(edges_a[usize::from(i)].cross(edges_b[usize::from(j)]))),
    };
    if first.is_some_and(|direction| offer(direction, last.by) >= enough) {
        return best;
    }
    let (nearest, edges) = nearest_points_and_edges(&a.corners(), &b.corners());
    let between = nearest.points[0] - nearest.points[1];
    // Where that is a normal, or between edges, it will be so a little later.
    let is_normal = |normal: DVec3| unit_along(between).dot(unit_along(facing(normal))) > NORMAL;
    let by = match (is_normal(a.normal()), is_normal(b.normal()), edges) {
        (true, ..) => By::FaceOfA,
        (_, true, _) => By::FaceOfB,
        (.., Some([i, j])) => By::BetweenEdges(i, j),
        _ => By::Between,
    };
    if offer(between, by) < enough
        && offer(facing(a.normal()), By::FaceOfA) < left
        && offer(facing(b.normal()), By::FaceOfB) < ask.least_step
    {
        // Where they nearly touch, the vector between their points is only rounding.
        'edges: for (i, l) in (0_u8..).zip(edges_a) {
            for (j, m) in (0_u8..).zip(edges_b) {
                if offer(facing(l.cross(m)), By::AcrossEdges(i, j)) >= ask.least_step {
                    break 'edges;
                }
            }
        }
    }
    Lasting { fresh: best.step, ..best }
}

/// A direction is a normal if the cosine of their angle is more than this.
const NORMAL: f64 = 1.0 - 1e-9;

/// A direction is used again while it separates two nodes for this share of the time for which it did at first.
const STALE: f64 = 0.5;

/// Times that nearest points are sought from one box to the other.
const TO_AND_FRO: usize = 1;

/// How far a node of A is from one of B along a direction, beyond the distance, as time passes: a lower bound.
struct Extents<'a> {
    node: &'a Bounded,
    passing: &'a Passing,
    along: DVec3,
    gap: f64,
    slope: f64,
    arms: [f64; 3],
    turns: [f64; 3],
}

impl<'a> Extents<'a> {
    fn new([a, b]: [&'a Bounded; 2], (passing, distance): (&'a Passing, f64), n: DVec3) -> Self {
        let turn = n.cross(passing.spin);
        Self {
            node: a,
            passing,
            along: n,
            gap: n.dot(a.centre) - b.furthest(n) - distance - passing.rounding,
            slope: n.dot(passing.velocity) + turn.dot(a.centre - passing.offset) - passing.drift,
            arms: a.arms.map(|arm| n.dot(arm)),
            turns: a.arms.map(|arm| turn.dot(arm)),
        }
    }

    /// A time, at most `left` seconds, until which it is certainly positive, by its second derivatives and what the third
    /// can make of them; 0 where these tell nothing. At first it is `gap`.
    fn positive_by_second(&self, gap: f64, (more, left): (f64, f64)) -> f64 {
        let Some(second) = &self.passing.second else { return 0.0 };
        let along = second.turn.transpose() * self.along;
        let centre =
            self.along.dot(second.centre) + along.dot(self.node.centre - self.passing.offset) - second.doubt;
        let curves = self.node.arms.map(|arm| along.dot(arm));
        if !self.node.is_face {
            let worst = |own: f64, arms: &[f64; 3]| own - arms.iter().map(|arm| arm.abs()).sum::<f64>();
            let (slope, curve) = (worst(self.slope, &self.turns), worst(centre, &curves));
            return positive_until((gap, slope, curve, second.jerk), left);
        }
        // Each corner by itself: what is behind is further. What is nearest tells the most, and comes first.
        let [x, y, z] = self.arms;
        let order = if x <= y && x <= z {
            [0, 1, 2]
        } else if y <= z {
            [1, 0, 2]
        } else {
            [2, 0, 1]
        };
        let mut until = left;
        for k in order {
            let behind = gap + (self.arms[k] - self.arms[order[0]]);
            let (slope, curve) = (self.slope + self.turns[k], centre + curves[k]);
            until = positive_until((behind, slope, curve, second.jerk), until);
            if until <= more {
                return 0.0;
            }
        }
        until
    }

    #[inline]
    fn at(&self, time: f64) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|k| self.arms[k] + time * self.turns[k]);
        let least = if self.node.is_face { x.min(y).min(z) } else { -(x.abs() + y.abs() + z.abs()) };
        self.gap + least + time * (self.slope - 0.5 * time * self.passing.bend)
    }

    /// A time, at most `left` seconds, until which it is certainly positive; at first it is `gap`. A time that is not more
    /// than another one may be any less.
    fn positive_for(&self, gap: f64, (more, left): (f64, f64)) -> f64 {
        // It is concave: if it is positive at both ends, it is positive in between.
        let last = self.at(left);
        if last > 0.0 {
            return left;
        }
        let by_second = self.positive_by_second(gap, (more, left));
        // No more than that is positive.
        if self.at(by_second.max(more)) <= 0.0 {
            return by_second;
        }
        let [x, y, z] = self.turns;
        let worst =
            self.slope + if self.node.is_face { x.min(y).min(z) } else { -(x.abs() + y.abs() + z.abs()) };
        // gap + worst t - bend t^2 / 2 is not above it.
        let lower = safe_time(gap, -worst, self.passing.bend);
        let (mut lower, mut upper) = (lower.min(left), (left, last));
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

/// A time, at most `left`, until which gap + slope t + curve t^2 / 2 - jerk t^3 / 6 is certainly positive.
///
/// Up to a time T it is at least gap + slope t - bend t^2 / 2 with bend = jerk T / 3 - curve.
fn positive_until((gap, slope, curve, jerk): (f64, f64, f64, f64), left: f64) -> f64 {
    // The greater of two numbers is taken below, of which a NaN would be none.
    if !(slope + curve + jerk).is_finite() {
        return 0.0;
    }
    let until = |most: f64| safe_time(gap, -slope, (jerk * most / 3.0 - curve).max(0.0));
    let all = until(left);
    if all >= left {
        return left;
    }
    // Where the jerk makes up for all else, each of the others for a third of it: from there down to the root.
    let most = (18.0 * gap / jerk).cbrt().max((18.0 * slope.max(0.0) / jerk).sqrt()).max(9.0 * curve / jerk);
    let mut root = most.min(left);
    for _ in 0..PROBES {
        let value = gap + root * (slope + root * (0.5 * curve - root * jerk / 6.0));
        let falls = -(slope + root * (curve - 0.5 * root * jerk));
        let next = root + value / falls;
        // A NaN ends it.
        if !(falls > 0.0 && next > 0.0 && next < root) {
            break;
        }
        root = next;
    }
    let probe = NEARLY * root;
    let found = until(probe);
    all.max(found.min(probe))
}

/// Of a time that was computed, this share is proven.
const NEARLY: f64 = 0.999;

/// Times at which a bound is looked at.
const PROBES: usize = 4;
