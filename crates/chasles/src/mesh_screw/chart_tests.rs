//! Checks the bounds of the chart with points that coincide at known times.

#![expect(clippy::cast_possible_truncation, reason = "what is rounded here is padded by what is tested")]

use chasles_testing::Random;
use glam::{DMat3, DQuat, DVec3};

use super::approach::near_interval;
use super::chart::{Chart, ChartInterval, ChartMotion, ChartPlacement, ChartTransform, narrow};
use super::charted::{Charted, ChartedBound, ChartedLane};
use super::feature_intervals::FeatureIntervals;
use super::lane_intervals::{EightOf, LaneIntervals, OneAgainstEight};
use super::near_axis::NearAxis;
use super::queue::QueuedPair;
use crate::bvh::layout::{BoxBlock, Bvh, LEAF, Lanes, TriangleBlock, WIDTH};
use crate::features::screw_motion::ScrewMotion;
use crate::math::lanes::Instructions;
use crate::math::time_interval::TimeInterval;
use crate::motion::{Pose, Screw};
use crate::shape::Mesh;

fn rotation(random: &mut Random) -> DQuat {
    random.quaternion().normalize()
}

/// A motion of a tetrahedron A relative to a tetrahedron B, both of size about 1, and its angle.
fn motion(random: &mut Random, close: bool) -> (ScrewMotion, f64) {
    let mesh = |random: &mut Random| {
        let corners = (0..4).map(|_| random.vector(1.0)).collect();
        Mesh::new(corners, vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]]).unwrap()
    };
    let (a, b) = (mesh(random), mesh(random));
    let pose = Pose::new(random.vector(if close { 0.3 } else { 1.5 }), rotation(random)).unwrap();
    let direction = random.vector(1.0);
    let angle = [0.0, 1e-300, 1e-9, 0.3, 2.0, std::f64::consts::PI][random.below(6)];
    let axis = [0.0, 1e-6, 0.5, 2.0, 1e3, 1e8][random.below(6)];
    // The arc is at most 10.
    let (angle, axis) = if close { (std::f64::consts::PI, 0.0) } else { (angle.min(10.0 / axis), axis) };
    let slide = [0.0, 1e-12, random.within(-2.0, 2.0), random.within(-10.0, 10.0)][random.below(4)];
    let point = axis * direction.any_orthonormal_vector().normalize();
    let screw = Screw::about(pose, direction, point, slide, angle).unwrap();
    (ScrewMotion::new(&a, &b, &screw), angle)
}

/// Eight random children around given points, with sizes from a power of ten, each with its point inside, as boxes
/// or as triangles; and the position of the point in the triangle.
struct ChartChildren {
    boxes: BoxBlock,
    triangles: TriangleBlock,
    /// The feature of each triangle that contains the point: corner 0, the edge from corner 0 to 1, or the face.
    on: [usize; WIDTH],
}

fn around(random: &mut Random, points: &[DVec3; WIDTH], least: f64) -> ChartChildren {
    let mut boxes =
        BoxBlock { centre: [[0.0; 8]; 3], axes: [[[0.0; 8]; 3]; 3], octagon: [[0.0; 8]; 2], child: [0; 8] };
    let mut triangles = TriangleBlock { corners: [[[0.0; 8]; 3]; 3], face: [0; 8] };
    let mut on = [0; WIDTH];
    for lane in 0..WIDTH {
        let size = 10.0_f64.powf(random.within(least, -0.3));
        let axes = [random.vector(size), random.vector(size), 0.01 * random.vector(size)];
        let inside = [0; 3].map(|_| if random.below(2) == 0 { 1.0 } else { random.within(-1.0, 1.0) });
        for (k, along) in [inside[0] + inside[1], inside[0] - inside[1]].into_iter().enumerate() {
            let least = (along.abs() - 1.0).max(0.0);
            boxes.octagon[k][lane] = narrow(if random.below(2) == 0 { least } else { 1.0 });
        }
        let centre = points[lane] - (0..3).map(|i| inside[i] * axes[i]).sum::<DVec3>();
        on[lane] = random.below(3);
        let weights = match on[lane] {
            0 => [1.0, 0.0, 0.0],
            1 => [0.3, 0.7, 0.0],
            _ => [0.2, 0.5, 0.3],
        };
        let edges = [random.vector(size), random.vector(size)];
        let first = points[lane] - weights[1] * edges[0] - weights[2] * edges[1];
        let corners = [first, first + edges[0], first + edges[1]];
        for c in 0..3 {
            boxes.centre[c][lane] = narrow(centre[c]);
            for i in 0..3 {
                boxes.axes[i][c][lane] = narrow(axes[i][c]);
                triangles.corners[i][c][lane] = narrow(corners[i][c]);
            }
        }
    }
    ChartChildren { boxes, triangles, on }
}

impl ChartChildren {
    /// A hierarchy with both kinds.
    fn bvh(&self) -> Bvh {
        Bvh { unit: 1.0, boxes: vec![self.boxes], triangles: vec![self.triangles] }
    }
}

/// Charts both kinds of children of a body.
fn charted(bvh: &Bvh, placement: &ChartPlacement, instructions: Instructions) -> [Charted; 2] {
    [0, LEAF].map(|node| {
        let mut out = Charted::EMPTY;
        out.chart(bvh, node, placement, instructions);
        out
    })
}

/// Calls a function with the bounds of eight points of A and of B, and the times at which each point of A coincides
/// with its point of B.
fn meetings(seeds: u64, mut check: impl FnMut(u64, &mut Random, &Meetings)) {
    for seed in 0..seeds {
        let random = &mut Random(seed);
        // In every third case close to the axis, where small bounds wrap far around it.
        let close = seed % 3 == 0;
        let (motion, angle) = motion(random, close);
        let chart = Chart::new(&motion, 1.0);
        let (first, last) =
            if close { (0.0, 1.0) } else { (random.within(0.0, 0.5), random.within(0.5, 1.0)) };
        let zero = 0.5 * (first + last);
        let points_a = [0; WIDTH].map(|_| random.vector(if close { 0.3 } else { 0.5 }));
        let times = [0; WIDTH].map(|_| match random.below(6) {
            0 => first,
            1 => last,
            _ => random.within(first, last),
        });
        let points_b: [DVec3; WIDTH] =
            std::array::from_fn(|i| motion.path(points_a[i]).at(&motion.basis(times[i])));
        let basis = motion.basis(zero);
        let (axes, centre) = (motion.rotation_at(&basis), motion.path(DVec3::ZERO).at(&basis));
        let sweep = chart.sweep(TimeInterval::new(first - zero, last - zero));
        let of_a = ChartPlacement { transform: chart.transform(axes, centre, 1.0, 1e-9), sweep };
        let of_b =
            ChartPlacement { transform: chart.transform(DMat3::IDENTITY, DVec3::ZERO, 1.0, 1e-9), sweep };
        let least = if close { -1.2 } else { -4.0 };
        let (a, b) = (around(random, &points_a, least), around(random, &points_b, least));
        let bvhs = [a.bvh(), b.bvh()];
        let found = Meetings {
            a: charted(&bvhs[0], &of_a, Instructions::Detected),
            b: charted(&bvhs[1], &of_b, Instructions::Detected),
            portable: [
                charted(&bvhs[0], &of_a, Instructions::Portable),
                charted(&bvhs[1], &of_b, Instructions::Portable),
            ],
            bvhs,
            transforms: [of_a.transform, of_b.transform],
            on: (a.on, b.on),
            sweep,
            interval: ChartInterval::new(narrow(first - zero), narrow(last - zero)),
            times: times.map(|t| narrow(t - zero)),
            what: format!("seed {seed}, angle {angle}"),
        };
        check(seed, random, &found);
    }
}

struct Meetings {
    /// Boxes, then triangles.
    a: [Charted; 2],
    b: [Charted; 2],
    portable: [[Charted; 2]; 2],
    bvhs: [Bvh; 2],
    transforms: [ChartTransform; 2],
    on: ([usize; WIDTH], [usize; WIDTH]),
    sweep: ChartMotion,
    interval: ChartInterval,
    times: [f32; WIDTH],
    what: String,
}

impl Meetings {
    /// A bound, and the eight of the other body; `kinds` are the kinds of A's and B's bounds.
    fn bounds(&self, kinds: [usize; 2], lane: usize, eight_of: EightOf) -> OneAgainstEight<'_> {
        // Both kinds belong to blocks with the same number, so they get different places.
        let (block_a, block_b) = (&self.a[kinds[0]], &self.b[kinds[1]]);
        let [lane_a, lane_b] = if eight_of == EightOf::OfB { [lane, 0] } else { [0, lane] };
        let a =
            ChartedBound { block: block_a, place: 16 * kind(block_a) + lane_a as u32, bvh: &self.bvhs[0] };
        let b =
            ChartedBound { block: block_b, place: 16 * kind(block_b) + lane_b as u32, bvh: &self.bvhs[1] };
        let (one, eight) = if eight_of == EightOf::OfB { (a, b) } else { (b, a) };
        OneAgainstEight { one, eight, eight_of }
    }
}

#[test]
fn no_meeting_is_outside_its_interval() {
    let mut clipped = 0;
    meetings(20_000, |_, random, found| {
        let pair =
            QueuedPair { first: found.interval.start - 1e-6, last: found.interval.end + 1e-6, a: 0, b: 0 };
        for _ in 0..4 {
            let (lane, kinds) = (random.below(8), [random.below(2), random.below(2)]);
            let eight_of = if random.below(2) == 0 { EightOf::OfB } else { EightOf::OfA };
            let mut intervals = LaneIntervals::default();
            let bounds = found.bounds(kinds, lane, eight_of);
            intervals.find(&bounds, &found.sweep, &pair, Instructions::Detected);
            let t = found.times[lane];
            let within =
                intervals.live >> lane & 1 == 1 && intervals.first[lane] <= t && t <= intervals.last[lane];
            assert!(within, "{}: {t} of {intervals:?}, lane {lane}, {eight_of:?}, {kinds:?}", found.what);
            clipped +=
                u32::from(intervals.last[lane] - intervals.first[lane] < 0.5 * (pair.last - pair.first));
        }
    });
    assert!(clipped > 10_000, "{clipped}");
}

#[test]
fn no_meeting_near_the_axis_is_cut_off() {
    let (mut cut, mut shorter, mut near) = (0, 0, NearAxis::default());
    meetings(20_000, |_, random, found| {
        if !found.sweep.has_period() {
            return;
        }
        near.start(&found.transforms[0], &found.transforms[1], &found.sweep);
        for _ in 0..4 {
            let (lane, kinds) = (random.below(8), [random.below(2), random.below(2)]);
            let t = found.times[lane];
            // Short intervals around the meeting are the sharpest test.
            let length = 10.0_f64.powf(random.within(-3.0, 0.0));
            let [before, after] = [0; 2].map(|_| narrow(random.within(0.0, length)));
            let first = (t - before).max(found.interval.start) - 1e-6;
            let pair = QueuedPair { first, last: (t + after).min(found.interval.end) + 1e-6, a: 0, b: 0 };
            let eight_of = if random.below(2) == 0 { EightOf::OfB } else { EightOf::OfA };
            let bounds = found.bounds(kinds, lane, eight_of);
            let cut_by = |near: &mut NearAxis, instructions: Instructions| {
                let mut intervals = LaneIntervals::default();
                intervals.find(&bounds, &found.sweep, &pair, instructions);
                let before = intervals;
                near.cut(&mut intervals, &bounds, instructions);
                (before, intervals)
            };
            let (before, intervals) = cut_by(&mut near, Instructions::Detected);
            let within =
                intervals.live >> lane & 1 == 1 && intervals.first[lane] <= t && t <= intervals.last[lane];
            assert!(
                within,
                "{}: {t} of {intervals:?}, lane {lane}, {eight_of:?}, {kinds:?}, {pair:?}",
                found.what
            );
            cut += (before.live & !intervals.live).count_ones();
            let length = |intervals: &LaneIntervals| intervals.last[lane] - intervals.first[lane];
            shorter += u32::from(length(&intervals) < 0.5 * length(&before));
            let mut twin = NearAxis::default();
            twin.start(&found.transforms[0], &found.transforms[1], &found.sweep);
            let portable = cut_by(&mut twin, Instructions::Portable).1;
            assert_eq!(portable.live, intervals.live, "{}", found.what);
            let bits = |intervals: &LaneIntervals| {
                (intervals.first.map(f32::to_bits), intervals.last.map(f32::to_bits))
            };
            assert_eq!(bits(&portable), bits(&intervals), "{}", found.what);
        }
    });
    assert!(cut > 1000 && shorter > 1000, "{cut}, {shorter}");
}

/// 0 for boxes and 1 for triangles.
fn kind(block: &Charted) -> u32 {
    u32::from(block.is_leaf)
}

#[test]
fn no_meeting_of_features_is_outside_its_interval() {
    let mut clipped = 0;
    meetings(20_000, |_, _, found| {
        for lane in 0..WIDTH {
            let (a, b) = (ChartedLane { block: &found.a[1], lane }, ChartedLane { block: &found.b[1], lane });
            let interval = ChartInterval::new(found.interval.start - 1e-6, found.interval.end + 1e-6);
            let intervals = FeatureIntervals::new(a, b, &found.sweep, interval);
            let given = match (found.on.0[lane], found.on.1[lane]) {
                (0, _) => intervals.vertex_face(0),
                (_, 0) => intervals.face_vertex(0),
                (1, 1) => intervals.edge_edge(0, 0),
                _ => continue,
            };
            let t = found.times[lane];
            let within = given.is_some_and(|given| given.start <= t && t <= given.end);
            assert!(within, "{}: {t} of {given:?}, lane {lane}, {:?}", found.what, found.on);
            let length = |interval: ChartInterval| interval.end - interval.start;
            clipped += u32::from(given.is_some_and(|given| length(given) < 0.5 * length(interval)));
        }
    });
    assert!(clipped > 10_000, "{clipped}");
}

#[test]
fn all_instructions_give_the_same_bits() {
    let bits = |c: &Charted| {
        let lanes = c.centre.iter().chain(&c.half).chain(c.generators.iter().flatten());
        let lanes =
            lanes.chain(&c.normal).chain(&c.pad).chain([&c.height, &c.reach, &c.inverse_speed, &c.size]);
        lanes.chain(&c.octagon).flatten().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    meetings(5_000, |_, random, found| {
        for kind in 0..2 {
            assert_eq!(bits(&found.a[kind]), bits(&found.portable[0][kind]), "{}", found.what);
            assert_eq!(bits(&found.b[kind]), bits(&found.portable[1][kind]), "{}", found.what);
        }
        let pair = QueuedPair { first: found.interval.start, last: found.interval.end, a: 0, b: 0 };
        let (kind_a, lane, kind_b) = (random.below(2), random.below(8), random.below(2));
        let bounds = found.bounds([kind_a, kind_b], lane, EightOf::OfB);
        let of = |instructions| {
            let mut intervals = LaneIntervals::default();
            intervals.find(&bounds, &found.sweep, &pair, instructions);
            (intervals.live, intervals.first.map(f32::to_bits), intervals.last.map(f32::to_bits))
        };
        assert_eq!(of(Instructions::Detected), of(Instructions::Portable), "{}", found.what);
    });
}

#[test]
fn all_near_times_are_within_the_near_interval() {
    let mut shorter = 0;
    for seed in 0..2000 {
        let random = &mut Random(seed);
        let (motion, angle) = motion(random, false);
        let (reach, whole) =
            (random.within(0.1, 1.0), TimeInterval::new(random.within(0.0, 0.5), random.within(0.5, 1.0)));
        let interval = near_interval(&motion, whole, reach);
        let path = motion.path(DVec3::ZERO);
        for _ in 0..100 {
            let t = random.within(whole.start, whole.end);
            let outside =
                interval.is_none_or(|TimeInterval { start: first, end: last }| t < first || t > last);
            let distance = path.at(&motion.basis(t)).length();
            assert!(
                !outside || distance > reach,
                "seed {seed}, angle {angle}: {distance} at {t}, {interval:?}"
            );
        }
        shorter += u32::from(interval != Some(whole));
    }
    assert!(shorter > 1000, "{shorter}");
}

/// (rho, u, z) in 64 bits.
fn exact(k: f64, [x, y, z]: [f64; 3]) -> [f64; 3] {
    let (a, b) = (1.0 + k * x, k * y);
    let rho = (2.0 * x + k * (x * x + y * y)) / (a.hypot(b) + 1.0);
    let u = if k < 1e-9 { y / a } else { b.atan2(a) / k };
    [rho, u, z]
}

/// A body's placement in some chart, often with the axis through the body.
fn placement(random: &mut Random) -> ChartTransform {
    let k = [0.0, 10.0_f64.powf(random.within(-16.0, 0.0)), random.within(0.1, 1.0), 1.0][random.below(4)];
    let rotation = rotation(random);
    let rows = DMat3::from_quat(rotation).transpose().to_cols_array_2d();
    let far = 10.0_f64.powf(random.within(-3.0, 0.7));
    let mut centre = [0; 3].map(|_| random.within(-far, far) as f32);
    // Often with the axis through the body.
    if k > 0.1 && random.within(0.0, 1.0) < 0.5 {
        let near = [0.0, 1e-7, 1e-3, 0.3][random.below(4)];
        centre =
            [(-1.0 / k + random.within(-near, near)) as f32, random.within(-near, near) as f32, centre[2]];
    }
    let at = ChartTransform {
        rows: rows.map(|r| r.map(|x| x as f32)),
        centre,
        k: k as f32,
        inverse_k: (1.0 / k.max(1e-6)) as f32,
        margin: 0.0,
    };
    let margin = 8e-7 * (centre.iter().fold(0.0_f32, |m, c| m.max(c.abs())) + 2.0);
    ChartTransform { margin, ..at }
}

/// Checks that a point of a child, in the coordinates of its body's hierarchy, is within its bounds.
fn check(at: &ChartTransform, bound: ChartedLane<'_>, local: [f64; 3], what: &str, n: [f64; 3]) {
    let ChartedLane { block: charted, lane } = bound;
    let row =
        |i: usize| (0..3).map(|j| f64::from(at.rows[i][j]) * local[j]).sum::<f64>() + f64::from(at.centre[i]);
    let k = f64::from(at.k);
    let p = exact(k, [row(0), row(1), row(2)]);
    let of = |v: &[Lanes; 3]| [0, 1, 2].map(|c| f64::from(v[c][lane]));
    let (c, h, pad) = (of(&charted.centre), of(&charted.half), of(&charted.pad));
    let period = if k > 1e-6 { std::f64::consts::TAU / k } else { f64::INFINITY };
    let mut d = [p[0] - c[0], p[1] - c[1], p[2] - c[2]];
    if period.is_finite() {
        d[1] -= period * (d[1] / period).round();
    }
    for i in 0..3 {
        let rounding = 4e-7 * (c[i].abs() + h[i]);
        assert!(
            d[i].abs() + rounding <= h[i],
            "{what}, coordinate {i}: {} > {} at {p:?}, {at:?}",
            d[i],
            h[i]
        );
    }
    if h[1] < 1e29 {
        let g = [0, 1, 2].map(|j| of(&charted.generators[j]));
        let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| a[i] * b[i]).sum::<f64>();
        let own = of(&charted.normal);
        let pads = |n: [f64; 3]| (0..3).map(|i| n[i].abs() * pad[i]).sum::<f64>();
        let along = g.map(|g| dot(n, g));
        let (low, high) = if charted.is_leaf {
            (
                along.iter().copied().fold(f64::INFINITY, f64::min),
                along.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            )
        } else {
            let sum = along.iter().map(|x| x.abs()).sum::<f64>();
            (-sum, sum)
        };
        let x = dot(n, d);
        assert!(
            low - pads(n) <= x && x <= high + pads(n),
            "{what}: {x} outside {low}, {high} by more than {}, {at:?}",
            pads(n)
        );
        let (x, reach) =
            ((dot(own, d) - f64::from(charted.height[lane])).abs(), f64::from(charted.reach[lane]));
        assert!(x <= reach, "{what}: own, {x}, {at:?}");
        // Without curvature, a triangle is as thin as its pads.
        if charted.is_leaf && at.k == 0.0 {
            let thin = pads(own) + 1e-6 * (h[0] + h[1] + h[2]);
            assert!(reach <= thin, "{what}: {reach} thick, {thin}, {at:?}");
        }
    }
}

#[test]
fn every_point_is_within_its_bounds() {
    let random = &mut Random(1);
    let mut all_round = 0;
    for case in 0..20_000 {
        let at = placement(random);
        let mut block = BoxBlock {
            centre: [[0.0; 8]; 3],
            axes: [[[0.0; 8]; 3]; 3],
            octagon: [[0.0; 8]; 2],
            child: [0; 8],
        };
        let mut leaf = TriangleBlock { corners: [[[0.0; 8]; 3]; 3], face: [0; 8] };
        for lane in 0..WIDTH {
            let size = 10.0_f64.powf(random.within(-5.0, -0.3));
            for k in 0..2 {
                block.octagon[k][lane] = random.within(-0.5, 1.5).clamp(0.0, 1.0) as f32;
            }
            for c in 0..3 {
                let offset = if lane % 2 == 0 { 0.0 } else { 0.5 };
                block.centre[c][lane] = random.within(-offset, offset) as f32;
                for j in 0..3 {
                    let flat = if j == 2 { 0.01 } else { 1.0 };
                    block.axes[j][c][lane] = (flat * size * random.within(-0.5, 0.5)) as f32;
                    leaf.corners[j][c][lane] =
                        block.centre[c][lane] + (size * random.within(-0.5, 0.5)) as f32;
                }
            }
        }
        let placement = ChartPlacement { transform: at, sweep: ChartMotion::default() };
        let mut boxes = Charted::EMPTY;
        boxes.chart_boxes(&block, &placement, Instructions::Detected);
        let mut triangles = Charted::EMPTY;
        triangles.chart_triangles(&leaf, &placement, Instructions::Detected);
        for _ in 0..40 {
            let lane = random.below(8);
            all_round += usize::from(boxes.half[1][lane] > 1e29);
            let n = [random.within(-1.0, 1.0), random.within(-1.0, 1.0), random.within(-1.0, 1.0)];
            let mut s = [0; 3].map(|_| random.within(-1.0, 1.0));
            if random.within(0.0, 1.0) < 0.7 {
                s = s.map(f64::signum);
                // A corner of the octagon.
                let k = usize::from(s[0] * s[1] < 0.0);
                s[random.below(2)] *= f64::from(block.octagon[k][lane]);
            }
            for (k, along) in [s[0] + s[1], s[0] - s[1]].into_iter().enumerate() {
                let fraction = ((1.0 + f64::from(block.octagon[k][lane])) / along.abs()).min(1.0);
                (s[0], s[1]) = (fraction * s[0], fraction * s[1]);
            }
            let local = [0, 1, 2].map(|c| {
                let sum = (0..3).map(|j| s[j] * f64::from(block.axes[j][c][lane])).sum::<f64>();
                f64::from(block.centre[c][lane]) + sum
            });
            check(&at, ChartedLane { block: &boxes, lane }, local, &format!("case {case}, box"), n);
            let mut w = [0; 3].map(|_| random.within(0.0, 1.0));
            if random.within(0.0, 1.0) < 0.7 {
                w = [0.0; 3];
                w[random.below(3)] = 1.0;
            }
            let sum = w[0] + w[1] + w[2];
            let local = [0, 1, 2]
                .map(|c| (0..3).map(|j| w[j] / sum * f64::from(leaf.corners[j][c][lane])).sum::<f64>());
            check(&at, ChartedLane { block: &triangles, lane }, local, &format!("case {case}, triangle"), n);
        }
    }
    assert!(all_round > 1000);
}

#[test]
fn a_straight_chart_is_within_its_deviation_of_the_motion() {
    let random = &mut Random(23);
    let mut near = 0;
    for case in 0..20_000 {
        let (motion, _) = motion(random, case % 4 == 0);
        let half = 10.0_f64.powf(random.within(-6.0, -0.5));
        let middle = random.within(half, 1.0 - half);
        let radius = 2.0;
        let basis = motion.basis(middle);
        let chart = Chart::straight(&motion, 2.0, &basis, half, radius);
        let deviation = chart.deviation;
        let velocity = motion.path(DVec3::ZERO).velocity(&basis);
        assert!((chart.speed_u * chart.unit - velocity.length()).abs() <= 1e-12 * velocity.length());
        let arm = radius * random.vector(1.0).normalize_or(DVec3::X);
        let path = motion.path(arm);
        for t in [-1.0, random.within(-1.0, 1.0), 1.0].map(|fraction| fraction * half) {
            let straight = path.at(&basis) + t * velocity;
            let true_place = path.at(&motion.basis(middle + t));
            let distance = straight.distance(true_place);
            assert!(distance <= deviation + 1e-14 * motion.reach, "{case}: {distance} for {deviation}");
            near += u32::from(distance > 0.5 * deviation && deviation > 1e-9);
        }
    }
    assert!(near > 3000, "{near}");
}
