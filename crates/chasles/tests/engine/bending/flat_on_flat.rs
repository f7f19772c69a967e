//! Surfaces that lie on each other, or pass through each other at one moment: no edge crosses a face before or after.
//!
//! Some cases have closed forms. Others are compared with an exact twin of the scene: poses of whole numbers move all
//! vertices to exact doubles, but keep the engine from deciding exactly.

use std::sync::Arc;

use crate::bending::bending_cases::{EVENTS, bending, body, random_bodies, rigid, scene, still, xyz};
use crate::cases::fewer;
use crate::cases::seeds::{Counter, Wrong, for_all};
use chasles::{
    BodyMotion, BoundBone, CheckOptions, CollisionShape, CubicKey, Curve, DeformingSurface, Influence,
    MorphTarget, PairReport, PairUndecidedReason, PairVerdict, Pose, Primitive, Rig, RigDefinition, Scene,
    SceneBody,
};
use chasles_testing::Random;
use chasles_testing::meshes::box_of;
use glam::{DAffine3, DQuat, DVec3};

/// A square sheet of `count` times `count` squares of two triangles. `place` maps fractions of the sides to positions.
fn sheet(count: u32, place: impl Fn(f64, f64) -> DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let share = |i: u32| f64::from(i) / f64::from(count);
    let vertices = (0..=count).flat_map(|i| (0..=count).map(move |k| (i, k)));
    let square = |i: u32, k: u32| {
        let (v, w) = (i * (count + 1) + k, (i + 1) * (count + 1) + k);
        [[v, w, w + 1], [v, w + 1, v + 1]]
    };
    let triangles = (0..count).flat_map(|i| (0..count).flat_map(move |k| square(i, k)));
    (vertices.map(|(i, k)| place(share(i), share(k))).collect(), triangles.collect())
}

fn flat(count: u32, height: f64) -> Vec<DVec3> {
    sheet(count, |x, y| xyz(x - 0.5, y - 0.5, height)).0
}

/// A sheet that changes from shape to shape, one second each.
fn cloth(count: u32, frames: Vec<Vec<DVec3>>) -> SceneBody {
    let times: Vec<f64> = (0..frames.len()).map(|i| i as f64).collect();
    body("cloth", bending(frames, &sheet(count, |_, _| DVec3::ZERO).1, &times), still())
}

fn cuboid(size: DVec3) -> CollisionShape {
    CollisionShape::primitive(Primitive::Box { size }).unwrap()
}

/// A table with its top at z = 0.
fn table(motion: impl Fn(DVec3) -> BodyMotion) -> SceneBody {
    body("table", cuboid(xyz(4.0, 4.0, 1.0)), motion(xyz(0.0, 0.0, -0.5)))
}

fn posed(at: DVec3) -> BodyMotion {
    BodyMotion::Still(Pose::from_position(at).unwrap())
}

fn turned(at: DVec3) -> BodyMotion {
    BodyMotion::Still(Pose::new(at, DQuat::from_rotation_z(0.7)).unwrap())
}

/// The single pair of the scene, which must be found and decided within this budget.
fn pair_of(scene: &Scene, budget: u64) -> PairReport {
    let report = scene.check(&CheckOptions { budget, events: false, ..EVENTS }, &()).unwrap();
    assert!(report.pairs.len() < 2, "{report:?}");
    report.pairs.first().cloned().unwrap_or_else(|| panic!("clear: {report:?}"))
}

#[test]
fn a_cloth_that_falls_through_a_posed_table_is_in_contact() {
    for count in [1, 2, 7] {
        for motion in [posed, turned] {
            // From 1 m above to 0.25 m below: it passes at 0.8 s.
            let fall = cloth(count, vec![flat(count, 1.0), flat(count, -0.25)]);
            let pair = pair_of(&scene(vec![fall, table(motion)], 1.0), 1_000_000);
            let [interval] = &pair.intervals[..] else { panic!("{count}: {pair:?}") };
            assert_eq!((pair.verdict, pair.reason), (PairVerdict::Contact, None), "{count}");
            let [from, to] = interval.enter;
            assert!(from <= 0.8 && 0.8 <= to && to - from < 1e-9, "{count}: {interval:?}");
            let [from, to] = interval.exit.unwrap();
            assert!(from <= 0.8 && 0.8 <= to && to - from < 1e-9, "{count}: {interval:?}");
            // If it stops 1e-6 m above the table, it stays separated.
            let fall = cloth(count, vec![flat(count, 1.0), flat(count, 1e-6)]);
            let report = scene(vec![fall, table(motion)], 1.0).check(&EVENTS, &()).unwrap();
            assert_eq!(report.verdict, PairVerdict::Clear, "{count}");
        }
    }
}

#[test]
fn a_cloth_that_lies_on_a_posed_table_touches_it() {
    // It descends within a second, lies on the table for a second, and is lifted; or it slides.
    let frames = [1.0, 0.0, 0.0, 1.0].map(|height| flat(3, height)).to_vec();
    let pair = pair_of(&scene(vec![cloth(3, frames), table(posed)], 3.0), 1_000_000);
    let [interval] = &pair.intervals[..] else { panic!("{pair:?}") };
    assert_eq!((pair.verdict, pair.reason, interval.touching), (PairVerdict::Contact, None, true));
    for ([from, to], time) in [(interval.enter, 1.0), (interval.exit.unwrap(), 2.0)] {
        assert!(from <= time && time <= to && to - from < 1e-7, "{interval:?}");
    }
    let belt = |at: DVec3| BodyMotion::Twist {
        start: Pose::from_position(at).unwrap(),
        linear: xyz(-0.4, 0.3, 0.0),
        angular: DVec3::ZERO,
    };
    let slide = || {
        let frames = [0.0, 0.7].map(|way| sheet(3, |x, y| xyz(x - 0.5 + way, y - 0.5, 0.0)).0).to_vec();
        cloth(3, frames)
    };
    for table in [table(posed), table(belt)] {
        let pair = pair_of(&scene(vec![slide(), table], 1.0), 40_000_000);
        let [interval] = &pair.intervals[..] else { panic!("{pair:?}") };
        assert_eq!((pair.verdict, pair.reason, interval.touching), (PairVerdict::Contact, None, true));
        assert_eq!((interval.enter, interval.exit), ([0.0; 2], None));
    }
}

fn rigged(definition: RigDefinition) -> CollisionShape {
    let rig = Arc::new(Rig::new(definition).unwrap());
    CollisionShape::deforming(Arc::new(DeformingSurface::of_rig(box_of(DVec3::ONE).1, rig).unwrap()))
}

/// A cubic from 0 to a height within a second, with these slopes at the ends.
fn weight(height: f64, slopes: [f64; 2]) -> Curve<f64> {
    let key =
        |time: f64, value: f64, slope: f64| CubicKey { time, in_tangent: slope, value, out_tangent: slope };
    Curve::Cubic(vec![key(0.0, 0.0, slopes[0]), key(1.0, height, slopes[1])])
}

/// A cube whose vertices with a positive coordinate move along that axis.
fn morphing(axis: DVec3, weight: Curve<f64>) -> CollisionShape {
    let vertices = box_of(DVec3::ONE).0;
    let way = |p: &DVec3| if p.dot(axis) > 0.0 { axis } else { DVec3::ZERO };
    let target = MorphTarget { displacements: vertices.iter().map(way).collect(), weight };
    rigged(RigDefinition { vertices, targets: vec![target], ..RigDefinition::default() })
}

#[test]
fn a_morph_between_flush_boxes_touches_them() {
    for slopes in [[0.5; 2], [3.0, -3.0]] {
        for side in [1.0, -1.0] {
            let long = body("long", morphing(DVec3::X, weight(0.5, slopes)), still());
            let block = body("block", cuboid(xyz(4.0, 4.0, 1.0)), posed(xyz(0.0, 0.0, side)));
            let pair = pair_of(&scene(vec![long, block], 1.0), 20_000_000);
            let [interval] = &pair.intervals[..] else { panic!("{pair:?}") };
            assert_eq!((pair.verdict, pair.reason, interval.touching), (PairVerdict::Contact, None, true));
            assert_eq!((interval.enter, interval.exit), ([0.0; 2], None));
        }
    }
}

#[test]
fn a_morph_that_grows_until_flush_touches_at_the_end() {
    // Its top reaches a block at z = 1 at a constant speed, or slows down to 0.
    for slopes in [[0.5; 2], [0.0; 2]] {
        let tall = || body("tall", morphing(DVec3::Z, weight(0.5, slopes)), still());
        let block = |at: f64| body("block", cuboid(xyz(4.0, 4.0, 1.0)), posed(xyz(0.0, 0.0, at)));
        let pair = pair_of(&scene(vec![tall(), block(1.5)], 1.0), 20_000_000);
        let [interval] = &pair.intervals[..] else { panic!("{pair:?}") };
        assert_eq!((pair.verdict, pair.reason, interval.touching), (PairVerdict::Contact, None, true));
        assert!(interval.enter[0] > 0.999 && interval.exit.is_none(), "{interval:?}");
        let report = scene(vec![tall(), block(1.5 + 1e-6)], 1.0).check(&EVENTS, &()).unwrap();
        assert_eq!(report.verdict, PairVerdict::Clear);
    }
}

/// A cube with its lower corners on one bone and its upper corners on another bone, which rotates and rises.
fn skinned(foot: Curve<DVec3>) -> CollisionShape {
    let still_turn = || Curve::Step(vec![(0.0, DQuat::IDENTITY)]);
    let one = || Curve::Step(vec![(0.0, DVec3::ONE)]);
    let turn = Curve::Linear(vec![(0.0, DQuat::IDENTITY), (1.0, DQuat::from_rotation_z(0.6))]);
    let rise = Curve::Linear(vec![(0.0, DVec3::ZERO), (1.0, xyz(0.3, 0.0, 0.1))]);
    let bone = |parent, translation, rotation| chasles::Bone {
        parent,
        motion: chasles::BoneMotion::Curves { translation, rotation, scale: one() },
    };
    let vertices = box_of(DVec3::ONE).0;
    let influences = (0_u32..).zip(&vertices).map(|(vertex, p)| Influence {
        vertex,
        binding: u32::from(p.z > 0.0),
        weight: 1.0,
    });
    let bind = |bone| BoundBone { bone, inverse: DAffine3::IDENTITY };
    rigged(RigDefinition {
        influences: influences.collect(),
        vertices,
        targets: vec![],
        bones: vec![bone(None, foot, still_turn()), bone(Some(0), rise, turn)],
        bindings: vec![bind(0), bind(1)],
    })
}

#[test]
fn a_skinned_sole_on_a_floor_is_decided() {
    let at = |height: f64| xyz(0.0, 0.0, height);
    let way = |points: &[(f64, DVec3)]| Curve::Linear(points.to_vec());
    let check = |foot| {
        let walker = body("walker", skinned(foot), still());
        pair_of(&scene(vec![walker, table(posed)], 1.0), 40_000_000)
    };
    // The sole is static, or slides.
    for foot in [way(&[(0.0, at(0.5))]), way(&[(0.0, at(0.5)), (1.0, xyz(0.3, 0.2, 0.5))])] {
        let pair = check(foot);
        let [interval] = &pair.intervals[..] else { panic!("{pair:?}") };
        assert_eq!((pair.verdict, pair.reason, interval.touching), (PairVerdict::Contact, None, true));
        assert_eq!((interval.enter, interval.exit), ([0.0; 2], None));
    }
    // The sole touches the floor at 0.3 s, and is lifted at once.
    let pair = check(way(&[(0.0, at(0.8)), (0.3, at(0.5)), (1.0, at(1.2))]));
    let [interval] = &pair.intervals[..] else { panic!("{pair:?}") };
    assert_eq!((pair.verdict, pair.reason), (PairVerdict::Contact, None));
    assert!(interval.enter[0] <= 0.3 && interval.exit.unwrap()[1] >= 0.3, "{interval:?}");
    assert!(interval.exit.unwrap()[1] - interval.enter[0] < 1e-6, "{interval:?}");
    // The sole sinks in at 0.5 s.
    let pair = check(way(&[(0.0, at(0.8)), (1.0, at(0.2))]));
    let [interval] = &pair.intervals[..] else { panic!("{pair:?}") };
    assert_eq!((pair.verdict, pair.reason, interval.touching), (PairVerdict::Contact, None, false));
    assert!(interval.enter[0] <= 0.5 && 0.5 <= interval.enter[1] && interval.exit.is_none(), "{interval:?}");
}

#[test]
fn a_folded_sheet_takes_few_steps_a_triangle() {
    // One half lies on the other half and stays there, slides, opens, or closes.
    let folded = |count: u32, height: f64, way: f64| {
        sheet(count, move |x, y| {
            let over = (2.0 * x - 1.0).max(0.0);
            xyz(-(2.0 * x - 1.0).abs(), y + way * over, height * over)
        })
    };
    let ((still, triangles), open) = (folded(24, 0.0, 0.0), folded(24, 0.5, 0.0).0);
    let slid = folded(24, 0.0, 0.3).0;
    let steps = 200 * triangles.len() as u64;
    for (frames, enter, exit) in [
        (vec![still.clone(), still.clone()], 0.0, None),
        (vec![still.clone(), slid], 0.0, None),
        (vec![still.clone(), open.clone()], 0.0, Some(0.0)),
        (vec![open, still], 1.0, None),
    ] {
        let sheet =
            body("sheet", bending(frames, &triangles, &[0.0, 1.0]), BodyMotion::Still(Pose::IDENTITY));
        let pair = pair_of(&scene(vec![sheet], 1.0).with_self_tests(&[0]).unwrap(), steps);
        let [interval] = &pair.intervals[..] else { panic!("{pair:?}") };
        assert_eq!(pair.reason, None);
        assert_eq!((interval.enter, interval.exit), ([enter; 2], exit.map(|exit| [exit; 2])));
    }
}

/// The maximum separation of two triangles in the plane z = 0 along the normal of a side; negative if they overlap.
fn parted_in_the_plane(triangles: [&[DVec3; 3]; 2]) -> f64 {
    let mut furthest = f64::NEG_INFINITY;
    for (own, other) in [(0, 1), (1, 0)] {
        let [a, b, c] = *triangles[own];
        for (p, q, opposite) in [(a, b, c), (b, c, a), (c, a, b)] {
            let side = (q - p).cross(DVec3::Z).normalize();
            let outward = if side.dot(opposite - p) > 0.0 { -side } else { side };
            let ahead = triangles[other].iter().map(|r| outward.dot(*r - p)).fold(f64::INFINITY, f64::min);
            furthest = furthest.max(ahead);
        }
    }
    furthest
}

#[test]
fn sheets_that_slide_in_one_plane_meet_while_triangles_overlap() {
    let [met, apart] = [(); 2].map(|()| Counter::default());
    for_all(fewer(60, 3), |seed| {
        let random = &mut Random(seed);
        // Multiples of 1/4096, so that all coordinates are exact.
        let exact = |x: f64| (4096.0 * x).round() / 4096.0;
        let mut placed = |from: f64| {
            let (angle, place) = (random.within(0.0, 3.0), from * random.direction());
            sheet(6, |x, y| {
                let (sin, cos) = angle.sin_cos();
                let (x, y) = (x - 0.5, y - 0.5);
                xyz(exact(cos * x - sin * y + place.x), exact(sin * x + cos * y + place.y), 0.0)
            })
        };
        let (begin, triangles) = placed(2.0);
        let frames = [vec![begin, placed(2.0).0], vec![placed(0.2).0, placed(0.5).0]];
        let bodies =
            frames.clone().map(|frames| body("s", bending(frames, &triangles, &[0.0, 1.0]), still()));
        let report =
            scene(bodies.to_vec(), 1.0).check(&CheckOptions { events: false, ..EVENTS }, &()).unwrap();
        let found = report.pairs.first();
        let mut wrong = Wrong::new();
        for i in 0..=60 {
            let time = f64::from(i) / 60.0;
            let [a, b] = frames.each_ref().map(|frames| {
                let at: Vec<DVec3> =
                    frames[0].iter().zip(&frames[1]).map(|(p, q)| *p + time * (*q - *p)).collect();
                triangles.iter().map(|t| t.map(|v| at[v as usize])).collect::<Vec<_>>()
            });
            let gap = a
                .iter()
                .flat_map(|s| b.iter().map(move |t| parted_in_the_plane([s, t])))
                .fold(f64::INFINITY, f64::min);
            let holds = |from: f64, to: f64| from <= time && time <= to;
            let told = |found: &PairReport| {
                found.intervals.iter().any(|x| holds(x.enter[1], x.exit.map_or(1.0, |exit| exit[0])))
            };
            let may = |found: &PairReport| {
                let spans = found.intervals.iter().map(|x| [x.enter[0], x.exit.map_or(1.0, |exit| exit[1])]);
                spans.chain(found.undecided.iter().copied()).any(|[from, to]| holds(from, to))
            };
            if gap < -1e-6 {
                met.add();
                if !found.is_some_and(may) {
                    wrong.push(format!("they overlap at {time} by {gap}: {found:?}"));
                }
            } else if gap > 1e-6 {
                apart.add();
                if found.is_some_and(told) {
                    wrong.push(format!("they are apart at {time} by {gap}: {found:?}"));
                }
            }
        }
        wrong
    });
    assert!(met.get() > 166 && apart.get() > 166, "{met:?} {apart:?}");
}

/// Two sheets in sloping planes that slide at a distance below the rounding of their volumes are separated, exactly.
#[test]
fn sheets_in_two_planes_do_not_meet_however_near_they_are() {
    for (height, verdict) in [(0.0, PairVerdict::Overlapping), (2.0_f64.powi(-51), PairVerdict::Clear)] {
        // In the planes z = x and z = x + height, in exact numbers.
        let slid = |way: f64, height: f64| sheet(8, move |x, y| xyz(x - 0.5, y + way, x - 0.5 + height)).0;
        let moving = cloth(8, vec![slid(-0.25, height), slid(0.25, height)]);
        let resting = cloth(8, vec![slid(0.0, 0.0), slid(0.0, 0.0)]);
        let options = CheckOptions { events: false, ..EVENTS };
        let found = scene(vec![moving, resting], 1.0).check(&options, &()).unwrap();
        assert_eq!(found.verdict, verdict, "{height}: {found:?}");
    }
}

/// The report has every contact of the exact twin. A reported contact is a contact of the twin, or a touch within the
/// tolerance by the exact distance of all triangles.
#[test]
fn bodies_in_a_frame_of_their_own_meet_as_they_do_in_the_world() {
    let (met, touched, doubts) = (Counter::default(), Counter::default(), Counter::default());
    for_all(fewer(150, 3), |seed| {
        let random = &mut Random(seed);
        let mut made = random_bodies(random);
        // In every second case each frame is flat.
        if seed % 2 == 0 {
            for (frames, _) in &mut made {
                for frame in frames.iter_mut() {
                    let height = 64.0 * random.below(3) as f64;
                    frame.iter_mut().for_each(|p| p.z = height);
                }
            }
        }
        let by = 64.0 * DVec3::from_array([0; 3].map(|_| random.below(9) as f64 - 4.0));
        let check = |shift: DVec3| {
            let bodies = made.iter().zip([DVec3::ZERO, shift]).map(|((frames, triangles), shift)| {
                let frames = frames.iter().map(|frame| frame.iter().map(|p| *p + shift).collect()).collect();
                body("body", bending(frames, triangles, &[0.0, 1.0, 2.0]), posed(-shift))
            });
            let scene = scene(bodies.collect(), 2.0);
            let report = scene.check(&CheckOptions { events: false, ..EVENTS }, &()).unwrap();
            (report.pairs.first().cloned(), scene)
        };
        let ((truth, _), (found, scene)) =
            (check(DVec3::ZERO), check(if by == DVec3::ZERO { DVec3::X * 64.0 } else { by }));
        let spans = |pair: &Option<PairReport>| -> Vec<[f64; 2]> {
            let intervals = pair.iter().flat_map(|pair| &pair.intervals);
            intervals.map(|x| [x.enter[0], x.exit.map_or(2.0, |exit| exit[1])]).collect()
        };
        let mut wrong = Wrong::new();
        let (of_truth, of_found) = (spans(&truth), spans(&found));
        let undecided: Vec<[f64; 2]> = found.iter().flat_map(|pair| pair.undecided.clone()).collect();
        doubts.add_if(!undecided.is_empty());
        for [from, to] in &of_truth {
            let is_told = of_found.iter().chain(&undecided).any(|span| span[0] <= *from && *from <= span[1]);
            if !is_told || !of_found.iter().chain(&undecided).any(|span| span[0] <= *to && *to <= span[1]) {
                wrong.push(format!("missed {from} to {to}: {found:?}"));
            }
        }
        for interval in found.iter().flat_map(|pair| &pair.intervals) {
            let [from, to] = [interval.enter[0], interval.exit.map_or(2.0, |exit| exit[1])];
            let is_true = of_truth.iter().any(|span| span[0] <= to && from <= span[1]);
            met.add_if(is_true && !interval.touching);
            touched.add_if(is_true && interval.touching);
            let time = 0.5 * (interval.enter[1] + interval.exit.map_or(2.0, |exit| exit[0]));
            let gap = scene.distances([0, 1], &[time]).unwrap().unwrap()[0].lower;
            if !is_true && (!interval.touching || gap > scene.tolerance()) {
                wrong.push(format!("no contact from {from} to {to}, gap {gap}: {truth:?}"));
            }
        }
        if let Some(pair) = &found
            && pair.reason == Some(PairUndecidedReason::Budget)
        {
            wrong.push("the budget".into());
        }
        wrong
    });
    let (met, touched, doubts) = (met.get(), touched.get(), doubts.get());
    assert!(met > 5 && touched > 0 && doubts < 10, "{met} met, {touched} touched, {doubts} doubts");
}

/// A rotation along a cubic whose speed has no bound over the whole curve, beside a body that morphs.
#[test]
fn a_rotation_of_any_speed_is_looked_at_in_parts() {
    let key = |time: f64, value: DQuat, tangent: DQuat| CubicKey {
        time,
        in_tangent: tangent,
        value,
        out_tangent: tangent,
    };
    let fast = DQuat::from_xyzw(0.0, 0.0, 6.0, 0.0);
    let rotation = Curve::Cubic(vec![
        key(0.0, DQuat::IDENTITY, fast),
        key(1.0, DQuat::from_rotation_z(2.5), DQuat::from_xyzw(0.0, 0.0, -6.0, 1.0)),
    ]);
    let prop = |height: f64| {
        let position = Curve::Step(vec![(0.0, xyz(0.0, 0.0, height))]);
        let (vertices, triangles) = sheet(1, |x, y| xyz(2.0 * x - 1.0, y - 0.5, 0.0));
        let motion = BodyMotion::Curves { position, rotation: rotation.clone() };
        body("prop", rigid(vertices, triangles), motion)
    };
    let flap = || body("flap", morphing(DVec3::Z, weight(0.5, [0.5; 2])), still());
    for listed in [chasles::PairListing::NotClear, chasles::PairListing::All] {
        let options = CheckOptions { listed, ..EVENTS };
        let report = scene(vec![flap(), prop(1.2)], 1.0).check(&options, &()).unwrap();
        assert_eq!((report.verdict, report.clear_until), (PairVerdict::Clear, 1.0), "{report:?}");
        if listed == chasles::PairListing::All {
            let [lower, upper] = report.pairs[0].gap.unwrap();
            assert!(0.19 < lower && lower <= 0.2 && (0.2..0.21).contains(&upper), "{report:?}");
        }
        let report = scene(vec![flap(), prop(0.75)], 1.0).check(&options, &()).unwrap();
        assert_eq!((report.verdict, report.pairs[0].reason), (PairVerdict::Contact, None), "{report:?}");
        let [from, to] = report.pairs[0].intervals[0].enter;
        assert!(from <= 0.5 && 0.5 <= to, "{report:?}");
    }
}
