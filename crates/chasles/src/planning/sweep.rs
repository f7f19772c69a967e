//! Balls on chords: what a robot certainly keeps clear of, in seven spans of time at once.
//!
//! In a span of length h the centre of a ball is within
//!
//! ```text
//! h^2 / 8 a
//! ```
//!
//! of the straight line between its places at the two ends, where a bounds its acceleration. So the ball stays within
//! its radius and this **bend** of the chord. Take a place of the chord, about the nearest to the box, the point of the
//! box that is nearest to it, and the direction n from that point to the place. If both ends of the chord are far
//! enough along n, the box is on one side of a plane, and the chord on the other. Two balls are apart if the chord of
//! their difference is far enough from the origin, which is the same question about a box without a size.
//!
//! All this is in 32 bits. A pad, which grows with how far things are and with the number of joints, makes up for it.

use multiversion::multiversion;

use crate::math::lanes::{Instructions, max, min};
use crate::planning::boxes::RoundedBox;
use crate::planning::chain::{AtEnds, ENDS, GroupAtEnds, SPANS};
use crate::planning::spheres::BoundingSphere;

/// Pairs of a ball with a box or a ball that are looked at for two trees, at most: what waits then may meet.
const MOST_TESTS: u64 = 20_000;

/// Spans, a bit each.
pub(crate) type SliceMask = u8;

/// All spans.
pub(crate) const ALL: SliceMask = (1 << SPANS) - 1;

/// A tree of balls that moves with a group: its first ball and all that follow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovingTree<'t> {
    pub(crate) balls: &'t [BoundingSphere],
    pub(crate) at: &'t GroupAtEnds,
    /// How far the centre of a ball may be from its chord, in metres, and more for each metre from the origin of the
    /// group's frame. The pad of rounding is in the first.
    pub(crate) bend: [f32; 2],
}

/// What a ball may meet.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Other<'t> {
    Standing(&'t [RoundedBox]),
    Moving(MovingTree<'t>),
    /// Balls in the frame that the others are seen from.
    Resting(&'t [BoundingSphere]),
}

/// In which spans two trees may meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SweepOverlap {
    pub(crate) spans: SliceMask,
    /// The span in which leaves are deepest in each other, in the middle of their chords.
    pub(crate) deepest: usize,
    /// How deep, as a share of the size of the leaf.
    pub(crate) depth: f32,
    /// What ended the search: spans are not told then.
    pub(crate) deep: Option<DeepSlice>,
}

/// A ball and what it meets, the insides of which overlap at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DeepSlice {
    /// The number of the ball, and of what it meets.
    pub(crate) numbers: [u32; 2],
    /// How many spans have passed then.
    pub(crate) time: f32,
}

/// In which spans it is asked, and whether the search ends where insides overlap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SweepTest {
    pub(crate) spans: SliceMask,
    pub(crate) until_deep: bool,
    pub(crate) instructions: Instructions,
}

/// Pairs of balls and boxes that wait, to be used again.
#[derive(Debug, Clone, Default)]
pub(crate) struct TestStack {
    pairs: Vec<(u32, u32, SliceMask)>,
    /// Pairs of balls and boxes that were looked at.
    pub(crate) tests: u64,
    at: [AtEnds; 3],
    others: [AtEnds; 3],
    seen: RelativeCenters,
    slack: AtEnds,
    shares: AtEnds,
}

/// Places at the ends, as seen from what they may meet: one lane more, which is the last end again.
type RelativeCenters = [[f32; ENDS + 1]; 3];

/// How near chords come to a box: in which spans are they not proven further away than `distance`? In `slack`, how much
/// further the nearest place of each chord is, about, and in `shares` where that is, from -1/2 to 1/2.
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
        // About the place of the chord that is nearest to the box, from -1/2 to 1/2. Any place is safe.
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
        // Along n both ends are further than the distance. Where the place is in the box, nothing is proven.
        let least = squared - max((share + 0.5) * along, (share - 0.5) * along);
        let apart = least > distance * length;
        near[k] = u32::from(!apart) << k;
    }
    let near = near.iter().fold(0, |all, bit| all | bit) & u32::from(ALL);
    near.to_le_bytes()[0]
}

/// Places as seen from the centre of a box, along its axes.
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

/// Places as seen from others.
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

    /// Where the centre of a ball is at the ends, and how far the ball reaches from its chords.
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
    // Children of one ball are placed one after the other, and of one box as well: both are kept.
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
            // Beyond this they are so deep in each other, about, that their insides overlap.
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

/// In which of some spans the leaves of a tree may meet those of another. Spans that are not told are proven apart.
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

/// The least and the greatest coordinates of a ball on its chords.
pub(crate) fn swept(own: &MovingTree<'_>) -> [[f32; 3]; 2] {
    let mut at = [[0.0; ENDS]; 3];
    let reach = own.center_at(0, &mut at);
    let least = at.each_ref().map(|row| row.iter().copied().fold(f32::INFINITY, min) - reach);
    let most = at.each_ref().map(|row| row.iter().copied().fold(f32::NEG_INFINITY, max) + reach);
    [least, most]
}
