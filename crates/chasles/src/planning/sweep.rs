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
use crate::planning::chain::{AtEnds, ENDS, GroupAtEnds, INTERVALS};
use crate::planning::spheres::BoundingSphere;

/// Maximum number of sphere-box and sphere-sphere tests for two trees. Pairs still on the stack then count as
/// possible contacts.
const MOST_TESTS: u64 = 20_000;

/// A set of intervals, one bit each.
pub(crate) type SliceMask = u8;

/// All intervals.
pub(crate) const ALL: SliceMask = (1 << INTERVALS) - 1;

/// A tree of spheres that moves with a group; the root is first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovingTree<'t> {
    pub(crate) balls: &'t [BoundingSphere],
    pub(crate) at: &'t GroupAtEnds,
    /// Bound of the distance of a sphere's centre from its chord, in metres, and its increase for each metre from
    /// the origin of the group's frame. The first includes the pad for rounding.
    pub(crate) chord_error: [f32; 2],
}

/// An obstacle for a sphere.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Obstacle<'t> {
    StaticBoxes(&'t [RoundedBox]),
    MovingSpheres(MovingTree<'t>),
    /// Spheres that are static in the frame from which the moving tree is seen.
    StaticSpheres(&'t [BoundingSphere]),
}

/// The intervals in which two trees may intersect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SweepOverlap {
    pub(crate) intervals: SliceMask,
    /// The interval in which two leaves overlap most deeply, measured where their chords are nearest.
    pub(crate) deepest: usize,
    /// The depth of this overlap, as a fraction of the size of the leaf.
    pub(crate) depth: f32,
    /// The overlap of interiors that ended the search, if any; `intervals` is incomplete then.
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
    pub(crate) intervals: SliceMask,
    pub(crate) ends_when_deep: bool,
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
    relative: RelativeCenters,
    excess: AtEnds,
    fractions: AtEnds,
}

/// Positions at the ends of the intervals relative to the obstacle. One extra lane repeats the last end.
type RelativeCenters = [[f32; ENDS + 1]; 3];

/// The intervals in which a chord is not proven further than `distance` from a box. Writes to `excess` the
/// approximate amount by which the nearest point of each chord is further away, and to `fractions` its position on the
/// chord, from -1/2 to 1/2.
#[inline(always)]
fn near_intervals(
    relative: &RelativeCenters,
    half: [f32; 3],
    distance: f32,
    (excess, fractions): (&mut AtEnds, &mut AtEnds),
) -> SliceMask {
    let mut near = [0_u32; ENDS];
    for k in 0..ENDS {
        let (mut long, mut towards) = (0.0, 0.0);
        for c in 0..3 {
            let (from, to) = (relative[c][k], relative[c][k + 1]);
            let middle = 0.5 * (from + to);
            towards += (max(-half[c], min(half[c], middle)) - middle) * (to - from);
            long += (to - from) * (to - from);
        }
        // Approximate position, from -1/2 to 1/2, of the chord's nearest point to the box. Any position is safe.
        let fraction = max(-0.5, min(0.5, towards / (long + f32::MIN_POSITIVE)));
        fractions[k] = fraction;
        let (mut squared, mut along) = (0.0, 0.0);
        for c in 0..3 {
            let (from, to) = (relative[c][k], relative[c][k + 1]);
            let place = 0.5 * (from + to) + fraction * (to - from);
            let n = place - max(-half[c], min(half[c], place));
            squared += n * n;
            along += n * (to - from);
        }
        let length = squared.sqrt();
        excess[k] = length - distance;
        // Tests that both ends are further than the distance along n. For a point in the box, n is zero: no proof.
        let least = squared - max((fraction + 0.5) * along, (fraction - 0.5) * along);
        let is_separated = least > distance * length;
        near[k] = u32::from(!is_separated) << k;
    }
    let near = near.iter().fold(0, |all, bit| all | bit) & u32::from(ALL);
    near.to_le_bytes()[0]
}

/// Positions relative to the centre of a box, along its axes.
#[inline(always)]
fn relative_to_box(at: &[AtEnds; 3], obstacle: &RoundedBox, relative: &mut RelativeCenters) {
    let [x, y, z] = obstacle.centre;
    let [u, v, w] = obstacle.axes;
    for k in 0..ENDS {
        let (dx, dy, dz) = (at[0][k] - x, at[1][k] - y, at[2][k] - z);
        relative[0][k] = u[0] * dx + u[1] * dy + u[2] * dz;
        relative[1][k] = v[0] * dx + v[1] * dy + v[2] * dz;
        relative[2][k] = w[0] * dx + w[1] * dy + w[2] * dz;
    }
    relative.iter_mut().for_each(|row| row[ENDS] = row[ENDS - 1]);
}

/// Positions relative to other positions.
#[inline(always)]
fn relative_to_points(at: &[AtEnds; 3], others: &[AtEnds; 3], relative: &mut RelativeCenters) {
    for c in 0..3 {
        for k in 0..ENDS {
            relative[c][k] = at[c][k] - others[c][k];
        }
        relative[c][ENDS] = relative[c][ENDS - 1];
    }
}

impl MovingTree<'_> {
    #[inline(always)]
    fn pad(&self, ball: &BoundingSphere) -> f32 {
        let [x, y, z] = ball.centre;
        self.chord_error[0] + self.chord_error[1] * (x * x + y * y + z * z).sqrt()
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
    tree: &MovingTree<'_>,
    other: &Obstacle<'_>,
    test: &SweepTest,
    waiting: &mut TestStack,
) -> SweepOverlap {
    let mut found = SweepOverlap { intervals: 0, deepest: 0, depth: f32::NEG_INFINITY, deep: None };
    let TestStack { pairs: waiting, tests, at, others, relative, excess, fractions } = waiting;
    let last = *tests + MOST_TESTS;
    waiting.clear();
    waiting.push((0, 0, test.intervals));
    // The children of a sphere or a box are stored consecutively, so the start and count suffice.
    while let Some((a, b, intervals)) = waiting.pop() {
        let intervals = intervals & !found.intervals;
        if intervals == 0 {
            continue;
        }
        if *tests == last {
            found.intervals |= intervals;
            continue;
        }
        *tests += 1;
        let ball = &tree.balls[a as usize];
        let reach = tree.center_at(a, at);
        let (near, distance, inner, size, below) = match other {
            Obstacle::StaticBoxes(boxes) => {
                let obstacle = &boxes[b as usize];
                relative_to_box(at, obstacle, relative);
                let distance = reach + obstacle.radius;
                let near = near_intervals(relative, obstacle.half, distance, (excess, fractions));
                (near, distance, obstacle.inner, obstacle.size(), (obstacle.first, obstacle.count))
            }
            Obstacle::StaticSpheres(balls) => {
                let ball = &balls[b as usize];
                relative_to_points(at, &ball.centre.map(|x| [x; ENDS]), relative);
                let distance = reach + ball.radius;
                let near = near_intervals(relative, [0.0; 3], distance, (excess, fractions));
                (near, distance, ball.inner, ball.size, (ball.first, ball.count))
            }
            Obstacle::MovingSpheres(moving) => {
                let distance = reach + moving.center_at(b, others);
                relative_to_points(at, others, relative);
                let ball = &moving.balls[b as usize];
                let near = near_intervals(relative, [0.0; 3], distance, (excess, fractions));
                (near, distance, f32::NEG_INFINITY, ball.size, (ball.first, ball.count))
            }
        };
        let open = near & intervals;
        if open == 0 {
            continue;
        }
        if test.ends_when_deep {
            // If the spheres overlap more than this, approximately, their interiors overlap.
            let least = distance - ball.inner - inner;
            let is_deep = |k: &usize| open & (1 << k) != 0 && -excess[*k] > least;
            if let Some(k) = (0..INTERVALS).find(is_deep) {
                let time = k as f32 + 0.5 + fractions[k];
                return SweepOverlap { deep: Some(DeepSlice { numbers: [a, b], time }), ..found };
            }
        }
        if ball.count == 0 && below.1 == 0 {
            found.intervals |= open;
            for (k, excess) in excess.iter().take(INTERVALS).enumerate() {
                let depth = -excess / ball.size;
                if open & (1 << k) != 0 && depth > found.depth {
                    (found.depth, found.deepest) = (depth, k);
                }
            }
        } else if below.1 == 0 || ball.count != 0 && ball.size >= size {
            waiting.extend((ball.first..ball.first + ball.count).map(|child| (child, b, open)));
        } else {
            waiting.extend((below.0..below.0 + below.1).map(|child| (a, child, open)));
        }
    }
    found
}

#[multiversion(targets("x86_64+avx2"))]
fn may_meet_fast<'t>(
    tree: &MovingTree<'t>,
    other: &Obstacle<'t>,
    test: &SweepTest,
    waiting: &mut TestStack,
) -> SweepOverlap {
    may_meet_any(tree, other, test, waiting)
}

/// The intervals of `test` in which leaves of the two trees may intersect. The other intervals are proven free.
pub(crate) fn may_meet(
    tree: &MovingTree<'_>,
    other: &Obstacle<'_>,
    test: &SweepTest,
    waiting: &mut TestStack,
) -> SweepOverlap {
    match test.instructions {
        Instructions::Detected => may_meet_fast(tree, other, test, waiting),
        Instructions::Portable => may_meet_any(tree, other, test, waiting),
    }
}

/// Minimum and maximum coordinates of the root sphere on its chords.
pub(crate) fn swept(tree: &MovingTree<'_>) -> [[f32; 3]; 2] {
    let mut at = [[0.0; ENDS]; 3];
    let reach = tree.center_at(0, &mut at);
    let least = at.each_ref().map(|row| row.iter().copied().fold(f32::INFINITY, min) - reach);
    let most = at.each_ref().map(|row| row.iter().copied().fold(f32::NEG_INFINITY, max) + reach);
    [least, most]
}
