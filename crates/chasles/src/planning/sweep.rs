//! Spheres on chords: proves parts of a moving robot clear of obstacles in seven time intervals at once.
//!
//! In an interval of length h, the centre of a sphere is within
//!
//! ```text
//! h^2 / 8 a
//! ```
//!
//! of the straight line between its positions at the two ends, where a bounds its acceleration. So the sphere stays
//! within its radius plus this **chord error** of the chord. Take a point of the chord near the box, the point of
//! the box nearest to it, and the direction n from the latter to the former. If both ends of the chord are far
//! enough along n, a plane separates the box from the chord. Two spheres are separated if the chord of their
//! relative position is far enough from the origin, which is the same test with a box of size zero.
//!
//! All of this is computed in 32 bits. A pad for rounding grows with the distances and the number of joints.

use multiversion::multiversion;

use crate::math::lanes::{Instructions, max, min};
use crate::planning::boxes::RoundedBox;
use crate::planning::chain::{AtEnds, ENDS, GroupAtEnds, SPANS};
use crate::planning::spheres::BoundingSphere;

/// Maximum number of sphere-box and sphere-sphere tests for two trees. Pairs still on the stack then count as
/// possible contacts.
const MOST_TESTS: u64 = 20_000;

/// A set of intervals, one bit each.
pub(crate) type SliceMask = u8;

/// All intervals.
pub(crate) const ALL: SliceMask = (1 << SPANS) - 1;

/// A tree of spheres that moves with a group; the root is first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovingTree<'t> {
    pub(crate) balls: &'t [BoundingSphere],
    pub(crate) at: &'t GroupAtEnds,
    /// Bound of the distance of a sphere's centre from its chord, in metres, and its increase for each metre from
    /// the origin of the group's frame. The first includes the pad for rounding.
    pub(crate) bend: [f32; 2],
}

/// An obstacle for a sphere.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Other<'t> {
    Standing(&'t [RoundedBox]),
    Moving(MovingTree<'t>),
    /// Spheres that are static in the frame from which the moving tree is seen.
    Resting(&'t [BoundingSphere]),
}

/// The intervals in which two trees may intersect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SweepOverlap {
    pub(crate) spans: SliceMask,
    /// The interval in which two leaves overlap most deeply, measured where their chords are nearest.
    pub(crate) deepest: usize,
    /// The depth of this overlap, as a fraction of the size of the leaf.
    pub(crate) depth: f32,
    /// The overlap of interiors that ended the search, if any; `spans` is incomplete then.
    pub(crate) deep: Option<DeepSlice>,
}

/// A sphere and an obstacle whose interiors overlap at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DeepSlice {
    /// The numbers of the sphere and of the obstacle's sphere or box.
    pub(crate) numbers: [u32; 2],
    /// The time, as a number of intervals from the start.
    pub(crate) time: f32,
}

/// The intervals to test, and whether the search ends when interiors overlap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SweepTest {
    pub(crate) spans: SliceMask,
    pub(crate) until_deep: bool,
    pub(crate) instructions: Instructions,
}

/// Reusable stack of the sphere-box and sphere-sphere pairs to test.
#[derive(Debug, Clone, Default)]
pub(crate) struct TestStack {
    pairs: Vec<(u32, u32, SliceMask)>,
    /// The number of pairs tested.
    pub(crate) tests: u64,
    at: [AtEnds; 3],
    others: [AtEnds; 3],
    seen: RelativeCenters,
    slack: AtEnds,
    shares: AtEnds,
}

/// Positions at the ends of the intervals relative to the obstacle. One extra lane repeats the last end.
type RelativeCenters = [[f32; ENDS + 1]; 3];

/// The intervals in which a chord is not proven further than `distance` from a box. Writes to `slack` the
/// approximate amount by which the nearest point of each chord is further away, and to `shares` its position on the
/// chord, from -1/2 to 1/2.
#[inline(always)]
fn passing_spans(
    seen: &RelativeCenters,
    half: [f32; 3],
    distance: f32,
    (slack, shares): (&mut AtEnds, &mut AtEnds),
) -> SliceMask {
    let mut near = [0_u32; ENDS];
    for k in 0..ENDS {
        let (mut long, mut towards) = (0.0, 0.0);
        for c in 0..3 {
            let (from, to) = (seen[c][k], seen[c][k + 1]);
            let middle = 0.5 * (from + to);
            towards += (max(-half[c], min(half[c], middle)) - middle) * (to - from);
            long += (to - from) * (to - from);
        }
        // Approximate position, from -1/2 to 1/2, of the chord's nearest point to the box. Any position is safe.
        let share = max(-0.5, min(0.5, towards / (long + f32::MIN_POSITIVE)));
        shares[k] = share;
        let (mut squared, mut along) = (0.0, 0.0);
        for c in 0..3 {
            let (from, to) = (seen[c][k], seen[c][k + 1]);
            let place = 0.5 * (from + to) + share * (to - from);
            let n = place - max(-half[c], min(half[c], place));
            squared += n * n;
            along += n * (to - from);
        }
        let length = squared.sqrt();
        slack[k] = length - distance;
        // Tests that both ends are further than the distance along n. For a point in the box, n is zero: no proof.
        let least = squared - max((share + 0.5) * along, (share - 0.5) * along);
        let apart = least > distance * length;
        near[k] = u32::from(!apart) << k;
    }
    let near = near.iter().fold(0, |all, bit| all | bit) & u32::from(ALL);
    near.to_le_bytes()[0]
}

/// Positions relative to the centre of a box, along its axes.
#[inline(always)]
fn relative_to_box(at: &[AtEnds; 3], standing: &RoundedBox, seen: &mut RelativeCenters) {
    let [x, y, z] = standing.centre;
    let [u, v, w] = standing.axes;
    for k in 0..ENDS {
        let (dx, dy, dz) = (at[0][k] - x, at[1][k] - y, at[2][k] - z);
        seen[0][k] = u[0] * dx + u[1] * dy + u[2] * dz;
        seen[1][k] = v[0] * dx + v[1] * dy + v[2] * dz;
        seen[2][k] = w[0] * dx + w[1] * dy + w[2] * dz;
    }
    seen.iter_mut().for_each(|row| row[ENDS] = row[ENDS - 1]);
}

/// Positions relative to other positions.
#[inline(always)]
fn relative_to_points(at: &[AtEnds; 3], others: &[AtEnds; 3], seen: &mut RelativeCenters) {
    for c in 0..3 {
        for k in 0..ENDS {
            seen[c][k] = at[c][k] - others[c][k];
        }
        seen[c][ENDS] = seen[c][ENDS - 1];
    }
}

impl MovingTree<'_> {
    #[inline(always)]
    fn pad(&self, ball: &BoundingSphere) -> f32 {
        let [x, y, z] = ball.centre;
        self.bend[0] + self.bend[1] * (x * x + y * y + z * z).sqrt()
    }

    /// Writes a sphere's centre at the ends of the intervals; returns how far the sphere reaches from its chords.
    #[inline(always)]
    fn center_at(&self, ball: u32, at: &mut [AtEnds; 3]) -> f32 {
        let ball = &self.balls[ball as usize];
        *at = self.at.at(ball.centre);
        ball.radius + self.pad(ball)
    }
}

#[inline(always)]
fn may_meet_any(
    own: &MovingTree<'_>,
    other: &Other<'_>,
    ask: &SweepTest,
    waiting: &mut TestStack,
) -> SweepOverlap {
    let mut found = SweepOverlap { spans: 0, deepest: 0, depth: f32::NEG_INFINITY, deep: None };
    let TestStack { pairs: waiting, tests, at, others, seen, slack, shares } = waiting;
    let last = *tests + MOST_TESTS;
    waiting.clear();
    waiting.push((0, 0, ask.spans));
    // The children of a sphere or a box are stored consecutively, so the start and count suffice.
    while let Some((a, b, spans)) = waiting.pop() {
        let spans = spans & !found.spans;
        if spans == 0 {
            continue;
        }
        if *tests == last {
            found.spans |= spans;
            continue;
        }
        *tests += 1;
        let ball = &own.balls[a as usize];
        let reach = own.center_at(a, at);
        let (near, distance, inner, size, below) = match other {
            Other::Standing(boxes) => {
                let standing = &boxes[b as usize];
                relative_to_box(at, standing, seen);
                let distance = reach + standing.radius;
                let near = passing_spans(seen, standing.half, distance, (slack, shares));
                (near, distance, standing.inner, standing.size(), (standing.first, standing.count))
            }
            Other::Resting(balls) => {
                let ball = &balls[b as usize];
                relative_to_points(at, &ball.centre.map(|x| [x; ENDS]), seen);
                let distance = reach + ball.radius;
                let near = passing_spans(seen, [0.0; 3], distance, (slack, shares));
                (near, distance, ball.inner, ball.size, (ball.first, ball.count))
            }
            Other::Moving(moving) => {
                let distance = reach + moving.center_at(b, others);
                relative_to_points(at, others, seen);
                let ball = &moving.balls[b as usize];
                let near = passing_spans(seen, [0.0; 3], distance, (slack, shares));
                (near, distance, f32::NEG_INFINITY, ball.size, (ball.first, ball.count))
            }
        };
        let left = near & spans;
        if left == 0 {
            continue;
        }
        if ask.until_deep {
            // If the spheres overlap more than this, approximately, their interiors overlap.
            let least = distance - ball.inner - inner;
            let is_deep = |k: &usize| left & (1 << k) != 0 && -slack[*k] > least;
            if let Some(k) = (0..SPANS).find(is_deep) {
                let time = k as f32 + 0.5 + shares[k];
                return SweepOverlap { deep: Some(DeepSlice { numbers: [a, b], time }), ..found };
            }
        }
        if ball.count == 0 && below.1 == 0 {
            found.spans |= left;
            for (k, slack) in slack.iter().take(SPANS).enumerate() {
                let depth = -slack / ball.size;
                if left & (1 << k) != 0 && depth > found.depth {
                    (found.depth, found.deepest) = (depth, k);
                }
            }
        } else if below.1 == 0 || ball.count != 0 && ball.size >= size {
            waiting.extend((ball.first..ball.first + ball.count).map(|child| (child, b, left)));
        } else {
            waiting.extend((below.0..below.0 + below.1).map(|child| (a, child, left)));
        }
    }
    found
}

#[multiversion(targets("x86_64+avx2"))]
fn may_meet_fast<'t>(
    own: &MovingTree<'t>,
    other: &Other<'t>,
    ask: &SweepTest,
    waiting: &mut TestStack,
) -> SweepOverlap {
    may_meet_any(own, other, ask, waiting)
}

/// The intervals of `ask` in which leaves of the two trees may intersect. The other intervals are proven free.
pub(crate) fn may_meet(
    own: &MovingTree<'_>,
    other: &Other<'_>,
    ask: &SweepTest,
    waiting: &mut TestStack,
) -> SweepOverlap {
    match ask.instructions {
        Instructions::Detected => may_meet_fast(own, other, ask, waiting),
        Instructions::Portable => may_meet_any(own, other, ask, waiting),
    }
}

/// Minimum and maximum coordinates of the root sphere on its chords.
pub(crate) fn swept(own: &MovingTree<'_>) -> [[f32; 3]; 2] {
    let mut at = [[0.0; ENDS]; 3];
    let reach = own.center_at(0, &mut at);
    let least = at.each_ref().map(|row| row.iter().copied().fold(f32::INFINITY, min) - reach);
    let most = at.each_ref().map(|row| row.iter().copied().fold(f32::NEG_INFINITY, max) + reach);
    [least, most]
}
