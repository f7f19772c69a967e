//! Rigs: vertices that bones and morph targets move, against closed forms and against plain formulas at many times.

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use crate::cases::fewer;
use chasles::{
    BodyMotion, Bone, BoneMotion, BoundBone, CheckOptions, CollisionShape, CubicKey, Curve, DeformingSurface,
    Influence, Mesh, MorphTarget, PairListing, PairVerdict, Pose, PreparedMesh, Rig, RigDefinition, Scene,
    SceneBody, SceneDefinition,
};
use chasles_testing::Random;
use glam::{DAffine3, DQuat, DVec3};

fn xyz(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn body(name: &str, shape: CollisionShape) -> SceneBody {
    let motion = BodyMotion::Still(Pose::IDENTITY);
    SceneBody { name: name.into(), shape: Some(shape), motion, parent: None, group: None, solid: false }
}

/// A rigid triangle that reaches far in y and z, at a height along x, or along y.
fn wall(corners: [DVec3; 3]) -> CollisionShape {
    CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap())))
}

fn scene(bodies: Vec<SceneBody>, duration: f64) -> Scene {
    Scene::new(SceneDefinition { duration, tolerance: None, clearance: 0.0, bodies, ignore: vec![] }).unwrap()
}

fn deforming(triangles: Vec<[u32; 3]>, rig: Rig) -> CollisionShape {
    CollisionShape::deforming(Arc::new(DeformingSurface::of_rig(triangles, Arc::new(rig)).unwrap()))
}

fn turning(rotation: Curve<DQuat>, translation: DVec3) -> BoneMotion {
    BoneMotion::Curves {
        translation: Curve::constant(translation),
        rotation,
        scale: Curve::constant(DVec3::ONE),
    }
}

fn influence(vertex: u32, binding: u32, share: f64) -> Influence {
    Influence { vertex, binding, weight: share }
}

/// An arm from 0 to 2 along x that bends at 1 by a right angle in a second, upward along y.
fn arm() -> RigDefinition {
    let bend =
        Curve::Linear(vec![(0.0, DQuat::IDENTITY), (1.0, DQuat::from_axis_angle(DVec3::Z, FRAC_PI_2))]);
    RigDefinition {
        vertices: vec![DVec3::ZERO, xyz(1.0, 0.0, 0.0), xyz(2.0, 0.0, 0.0), xyz(1.5, 0.0, 0.2)],
        targets: vec![],
        bones: vec![
            Bone { parent: None, motion: BoneMotion::Still(DAffine3::IDENTITY) },
            Bone { parent: Some(0), motion: turning(bend, DVec3::X) },
        ],
        bindings: vec![
            BoundBone { bone: 0, inverse: DAffine3::IDENTITY },
            BoundBone { bone: 1, inverse: DAffine3::from_translation(-DVec3::X) },
        ],
        // Weights of 3 and 1 are normalised to three quarters and a quarter.
        influences: vec![
            influence(0, 0, 1.0),
            influence(1, 0, 3.0),
            influence(1, 1, 1.0),
            influence(2, 1, 0.5),
            influence(3, 1, 1.0),
        ],
    }
}

#[test]
fn an_arm_that_bends_touches_a_ceiling_at_its_angle() {
    let ceiling = |y: f64| wall([xyz(-9.0, y, -9.0), xyz(9.0, y, -9.0), xyz(0.0, y, 9.0)]);
    let arm = || deforming(vec![[0, 1, 3], [1, 2, 3]], Rig::new(arm()).unwrap());
    for height in [0.25, 0.5, 0.9_f64] {
        let bodies = vec![body("arm", arm()), body("ceiling", ceiling(height))];
        let report = scene(bodies, 2.0).check(&CheckOptions::default(), &()).unwrap();
        let [pair] = &report.pairs[..] else { panic!("{report:?}") };
        let [interval] = &pair.intervals[..] else { panic!("{pair:?}") };
        // The tip is at the sine of the angle above the joint.
        let (time, [lo, hi]) = (height.asin() / FRAC_PI_2, interval.enter);
        assert!(lo <= time && time <= hi && hi - lo < 1e-6, "{time} in {:?}", interval.enter);
        assert!(interval.exit.is_none());
        assert!(pair.deviation > 0.0 && pair.deviation < 1e-6, "{}", pair.deviation);
    }
    let bodies = vec![body("arm", arm()), body("ceiling", ceiling(1.000_01))];
    let report = scene(bodies, 2.0).check(&CheckOptions::default(), &()).unwrap();
    assert_eq!((report.verdict, report.pairs_clear), (PairVerdict::Clear, 1));
}

#[test]
fn a_tip_that_swings_past_between_keys_is_met() {
    // Keys at both ends lie below the wall: only the motion between them is above it, for 0.009 s.
    let swing = |angle: f64| DQuat::from_axis_angle(DVec3::Z, angle);
    let bend = Curve::Linear(vec![(0.0, swing(0.0)), (1.0, swing(PI - 1e-9))]);
    let definition = RigDefinition {
        bones: vec![Bone { parent: None, motion: turning(bend, DVec3::ZERO) }],
        bindings: vec![BoundBone { bone: 0, inverse: DAffine3::IDENTITY }],
        vertices: vec![DVec3::ZERO, DVec3::X, xyz(0.5, 0.0, 0.1)],
        targets: vec![],
        influences: (0..3).map(|vertex| influence(vertex, 0, 1.0)).collect(),
    };
    let needle = deforming(vec![[0, 1, 2]], Rig::new(definition).unwrap());
    let height = 0.9999_f64;
    let ceiling = wall([xyz(-9.0, height, -9.0), xyz(9.0, height, -9.0), xyz(0.0, height, 9.0)]);
    let report = scene(vec![body("needle", needle), body("ceiling", ceiling)], 1.0)
        .check(&CheckOptions::default(), &());
    let report = report.unwrap();
    let [pair] = &report.pairs[..] else { panic!("{report:?}") };
    let [interval] = &pair.intervals[..] else { panic!("{pair:?}") };
    let [enter, exit] = [height.asin() / PI, 1.0 - height.asin() / PI];
    let holds = |[lo, hi]: [f64; 2], time: f64| lo <= time + 1e-9 && time - 1e-9 <= hi && hi - lo < 1e-5;
    assert!(holds(interval.enter, enter) && holds(interval.exit.unwrap(), exit), "{interval:?}");
}

#[test]
fn weights_that_jump_do_not_sweep() {
    // The triangle jumps from x = 0 to 2 at 0.5 s, and to 4 at the very end; walls at 1 and 3 are never touched.
    let weight = Curve::Step(vec![(0.0, 0.0), (0.5, 1.0), (1.0, 2.0)]);
    let flat = vec![DVec3::ZERO, DVec3::Y, DVec3::Z];
    let target = MorphTarget { displacements: vec![xyz(2.0, 0.0, 0.0); 3], weight };
    let definition = RigDefinition { vertices: flat, targets: vec![target], ..RigDefinition::default() };
    let rig = Rig::new(definition).unwrap();
    assert_eq!(rig.times(), [0.0, 0.5_f64.next_down(), 0.5, 1.0_f64.next_down(), 1.0]);
    let at = |x: f64| wall([xyz(x, -9.0, -9.0), xyz(x, 9.0, -9.0), xyz(x, 0.0, 9.0)]);
    let across = |x: f64| wall([xyz(x - 0.5, 0.3, 0.3), xyz(x + 0.5, 0.3, 0.3), xyz(x, 0.3, 9.0)]);
    let walls = [at(1.0), at(3.0), across(2.0), across(4.0)];
    let mut bodies = vec![body("face", deforming(vec![[0, 1, 2]], rig))];
    bodies.extend(walls.into_iter().enumerate().map(|(i, wall)| body(&format!("wall {i}"), wall)));
    let report = scene(bodies, 1.0).check(&CheckOptions::default(), &()).unwrap();
    let met: Vec<_> = report
        .pairs
        .iter()
        .filter(|pair| pair.bodies[0] == 0)
        .map(|pair| (pair.bodies[1], pair.intervals[0].enter[1], pair.intervals[0].exit.map(|exit| exit[0])))
        .collect();
    assert_eq!(met, [(3, 0.5, None), (4, 1.0, None)]);
    assert!(report.pairs.iter().all(|pair| pair.deviation == 0.0));
}

#[test]
fn the_minimum_gap_is_that_of_the_curves_between_keys() {
    let options = CheckOptions { listed: PairListing::All, ..CheckOptions::default() };
    let gap = |shape: CollisionShape, wall: CollisionShape| {
        let report =
            scene(vec![body("moving", shape), body("wall", wall)], 1.0).check(&options, &()).unwrap();
        let [pair] = &report.pairs[..] else { panic!("{report:?}") };
        assert_eq!(pair.verdict, PairVerdict::Clear);
        (pair.gap.unwrap(), pair.gap_time.unwrap())
    };
    // A needle that swings from 0 to half a turn: its tip is highest halfway, at no key.
    let swing = |angle: f64| DQuat::from_axis_angle(DVec3::Z, angle);
    let bend = Curve::Linear(vec![(0.0, swing(0.0)), (1.0, swing(PI - 1e-9))]);
    let needle = RigDefinition {
        bones: vec![Bone { parent: None, motion: turning(bend, DVec3::ZERO) }],
        bindings: vec![BoundBone { bone: 0, inverse: DAffine3::IDENTITY }],
        vertices: vec![DVec3::ZERO, DVec3::X, xyz(0.5, 0.0, 0.1)],
        targets: vec![],
        influences: (0..3).map(|vertex| influence(vertex, 0, 1.0)).collect(),
    };
    let needle = || deforming(vec![[0, 1, 2]], Rig::new(needle.clone()).unwrap());
    for truth in [0.3, 0.002] {
        let height = 1.0 + truth;
        let ceiling = wall([xyz(-9.0, height, -9.0), xyz(9.0, height, -9.0), xyz(0.0, height, 9.0)]);
        let ([lower, upper], time) = gap(needle(), ceiling);
        assert!(lower <= truth && truth <= upper && upper - lower <= 0.01 * truth, "{lower} {upper}");
        assert!(height - (PI * time).sin() <= upper + 1e-9, "{time} {upper}");
    }
    // A face that jumps from 0 to 2 past a wall at 1.5: its minimum distance is a half.
    let weight = Curve::Step(vec![(0.0, 0.0), (0.5, 1.0)]);
    let target = MorphTarget { displacements: vec![xyz(2.0, 0.0, 0.0); 3], weight };
    let flat = vec![DVec3::ZERO, DVec3::Y, DVec3::Z];
    let jumping = RigDefinition { vertices: flat, targets: vec![target], ..RigDefinition::default() };
    let at = wall([xyz(1.5, -9.0, -9.0), xyz(1.5, 9.0, -9.0), xyz(1.5, 0.0, 9.0)]);
    let ([lower, upper], time) = gap(deforming(vec![[0, 1, 2]], Rig::new(jumping).unwrap()), at);
    assert!(lower <= 0.5 && 0.5 <= upper && upper - lower <= 0.01 && time >= 0.5, "{lower} {upper} {time}");
}

/// A curve through three keys, of any kind.
fn curve<T: Copy>(random: &mut Random, mut value: impl FnMut(&mut Random) -> T) -> Curve<T> {
    let times = [0.0, 0.4 + 0.2 * random.side(), 1.0];
    match random.bits() % 3 {
        0 => Curve::Step(times.map(|time| (time, value(random))).to_vec()),
        1 => Curve::Linear(times.map(|time| (time, value(random))).to_vec()),
        _ => {
            let key = |time: f64| CubicKey {
                time,
                in_tangent: value(random),
                value: value(random),
                out_tangent: value(random),
            };
            Curve::Cubic(times.map(key).to_vec())
        }
    }
}

fn random_rig(random: &mut Random) -> RigDefinition {
    let base = random.quaternion();
    let bones = (0..4).map(|bone: usize| {
        let motion = BoneMotion::Curves {
            translation: curve(random, |random| random.vector(1.0)),
            rotation: curve(random, |random| base + random.quaternion() * 0.3),
            scale: curve(random, |random| DVec3::ONE + random.vector(0.4)),
        };
        Bone { parent: (bone > 0).then(|| (bone - 1) / 2), motion }
    });
    let bones = bones.collect();
    let map = |random: &mut Random| {
        let scale = DVec3::ONE + random.vector(0.3);
        DAffine3::from_scale_rotation_translation(scale, random.quaternion(), random.vector(1.0))
    };
    let bindings = (0..3).map(|i| BoundBone { bone: i + 1, inverse: map(random) }).collect();
    let vertices = (0..5).map(|_| random.vector(1.0)).collect();
    let share = |random: &mut Random| 1.1 + random.side();
    let influences = (0..15).map(|i| influence(i / 3, i % 3, share(random))).collect();
    let target = MorphTarget {
        displacements: (0..4).map(|_| random.vector(0.5)).collect(),
        weight: curve(random, |random| random.side()),
    };
    RigDefinition { vertices, targets: vec![target], bones, bindings, influences }
}

/// The value of a curve by its definition: between the keys k and k + 1 around the time.
fn value<T: Copy + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>>(
    curve: &Curve<T>,
    time: f64,
    even: impl Fn(T, T, f64) -> T,
) -> T {
    let (times, values) = (curve.times(), curve.values());
    let k = times.partition_point(|key| *key <= time).saturating_sub(1);
    if k + 1 == times.len() {
        return values[k];
    }
    let h = times[k + 1] - times[k];
    let s = (time - times[k]) / h;
    match curve {
        Curve::Step(_) => values[k],
        Curve::Linear(_) => even(values[k], values[k + 1], s),
        Curve::Cubic(keys) => {
            let (p, q) = (&keys[k], &keys[k + 1]);
            // Bezier's form, by de Casteljau.
            let b =
                [p.value, p.value + p.out_tangent * (h / 3.0), q.value + q.in_tangent * (-h / 3.0), q.value];
            let mix = |x: T, y: T| x * (1.0 - s) + y * s;
            let c = [mix(b[0], b[1]), mix(b[1], b[2]), mix(b[2], b[3])];
            mix(mix(c[0], c[1]), mix(c[1], c[2]))
        }
    }
}

/// A vector rotated by a quaternion of any length, by products of quaternions.
fn turned(q: DQuat, v: DVec3) -> DVec3 {
    let p = q * DQuat::from_xyzw(v.x, v.y, v.z, 0.0) * q.conjugate();
    p.xyz() / q.length_squared()
}

/// The position of a vertex, by the definition: one bone after the other.
fn plain(rig: &RigDefinition, vertex: usize, time: f64) -> DVec3 {
    let straight = |p: f64, q: f64, s: f64| p + s * (q - p);
    let along = |p: DVec3, q: DVec3, s: f64| p + s * (q - p);
    let round = |p: DQuat, q: DQuat, s: f64| {
        let (p, q) = (p.normalize(), q.normalize());
        let q = if p.dot(q) < 0.0 { -q } else { q };
        let angle = p.dot(q).min(1.0).acos();
        if angle < 1e-9 {
            p
        } else {
            (p * ((1.0 - s) * angle).sin() + q * (s * angle).sin()) * (1.0 / angle.sin())
        }
    };
    let mut start = rig.vertices[vertex];
    for target in &rig.targets {
        let way = target.displacements.get(vertex).copied().unwrap_or(DVec3::ZERO);
        start += value(&target.weight, time, straight) * way;
    }
    let own = rig.influences.iter().filter(|one| one.vertex as usize == vertex);
    let (mut sum, mut shares) = (DVec3::ZERO, 0.0);
    for one in own {
        let binding = &rig.bindings[one.binding as usize];
        let (mut place, mut next) = (binding.inverse.transform_point3(start), Some(binding.bone));
        while let Some(bone) = next.map(|bone| &rig.bones[bone]) {
            let BoneMotion::Curves { translation, rotation, scale } = &bone.motion else { unreachable!() };
            let scaled = value(scale, time, along) * place;
            place = value(translation, time, along) + turned(value(rotation, time, round), scaled);
            next = bone.parent;
        }
        sum += one.weight * place;
        shares += one.weight;
    }
    sum / shares
}

#[test]
fn vertex_positions_are_those_of_the_definition() {
    let mut places = Vec::new();
    let mut looked_at = 0;
    for seed in 0..fewer(300, 3) {
        let random = &mut Random(seed);
        let definition = random_rig(random);
        // If a spline of quaternions comes close to zero, no bound is returned.
        let Ok(rig) = Rig::new(definition.clone()) else { continue };
        looked_at += 1;
        for _ in 0..10 {
            let time = 0.5 + 0.55 * random.side();
            let time = time.max(0.0);
            rig.vertices_at(time, &mut places);
            for (vertex, place) in places.iter().enumerate() {
                let expected = plain(&definition, vertex, time);
                assert!(place.distance(expected) < 1e-11, "seed {seed}, {time}: {place} {expected}");
            }
        }
    }
    assert!(looked_at > 40, "{looked_at}");
}

#[test]
fn invalid_rigs_are_refused_by_name() {
    let with = |change: &dyn Fn(&mut RigDefinition)| {
        let mut changed = arm();
        change(&mut changed);
        Rig::new(changed).unwrap_err().to_string()
    };
    type Change<'c> = &'c dyn Fn(&mut RigDefinition);
    let cases: [(Change<'_>, &str); 9] = [
        (&|rig| rig.vertices[1].y = f64::NAN, "vertex 1: found NaN, expected a finite number"),
        (
            &|rig| rig.bones[1].parent = Some(1),
            "parent of bone 1: found 1, expected a bone of a lower number",
        ),
        (&|rig| rig.bindings[1].bone = 2, "binding 1: found 2, expected the number of a bone"),
        (
            &|rig| rig.bindings[0].inverse.translation.x = f64::INFINITY,
            "binding 0: found inf, expected a finite number",
        ),
        (
            &|rig| rig.influences[2].binding = 7,
            "influences of vertex 1: found 7, expected the number of a binding",
        ),
        (
            &|rig| rig.influences[0].weight = 0.0,
            "influences of vertex 0: found 0, expected weights with a sum greater than 0",
        ),
        (
            &|rig| rig.influences[3].weight = -0.5,
            "influences of vertex 2: found -0.5, expected weights that are finite and not negative",
        ),
        (
            &|rig| rig.influences.truncate(4),
            "influences of vertex 3: found 0, expected at least one influence",
        ),
        (&|rig| rig.influences.swap(0, 4), "influences of vertex 3: found 3, expected all vertices in order"),
    ];
    for (change, message) in cases {
        assert_eq!(with(change), message);
    }
    // Half a turn by a spline through zero.
    let key =
        |time: f64, value: DQuat| CubicKey { time, in_tangent: value * 0.0, value, out_tangent: value * 0.0 };
    let spline = Curve::Cubic(vec![key(0.0, DQuat::IDENTITY), key(1.0, -DQuat::IDENTITY)]);
    let wild = with(&|rig| rig.bones[1].motion = turning(spline.clone(), DVec3::X));
    let reason = "found a rotation that passes too near to zero for any bound of its speed";
    assert!(wild.starts_with("bones between 0.") && wild.ends_with(reason), "{wild}");
}
