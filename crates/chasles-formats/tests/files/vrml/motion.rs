//! Worlds moved by their own clocks: compared with matrices with the interpolated values inserted.

use chasles_formats::vrml::VrmlOptions;
use chasles_testing::Random;
use glam::{DQuat, DVec3};

use crate::vrml::support::{facts, number, vector, world};
use crate::vrml::twin::{Scales, TestTransform, corners, text, tree};

/// Routes that move a transform from its own values to others in `cycle` seconds.
fn clock(i: usize, cycle: f64, from: &TestTransform, to: &TestTransform) -> String {
    let vector = |v: DVec3| format!("{} {} {}", v.x, v.y, v.z);
    let turn = |(axis, angle): (DVec3, f64)| format!("{} {angle}", vector(axis));
    format!(
        "DEF C{i} TimeSensor {{ cycleInterval {cycle} }}
         DEF P{i} PositionInterpolator {{ key [ 0 1 ] keyValue [ {} {} ] }}
         DEF O{i} OrientationInterpolator {{ key [ 0 0.5 ] keyValue [ {} {} ] }}
         ROUTE C{i}.fraction_changed TO P{i}.set_fraction
         ROUTE C{i}.fraction_changed TO O{i}.set_fraction
         ROUTE P{i}.value_changed TO T{i}.set_translation
         ROUTE O{i}.value_changed TO T{i}.rotation\n",
        vector(from.translation),
        vector(to.translation),
        turn(from.rotation),
        turn(to.rotation),
    )
}

#[test]
fn clocks_move_bodies_as_static_values_would() {
    for seed in 0..200 {
        let random = &mut Random(seed);
        let plain = tree(random, if seed % 2 == 0 { Scales::Even } else { Scales::AnyAtTheEnds });
        let mut ends = plain.clone();
        let mut written = text(&plain);
        let mut cycles = vec![0.0; plain.len()];
        for i in 0..plain.len() {
            if random.below(2) == 0 || i == 0 {
                cycles[i] = [1.0, 2.0, 2.5][random.below(3)];
                ends[i].translation = vector(random);
                // About the same axis, by less than half a turn: uniformly.
                ends[i].rotation.1 += 3.0 * number(random);
                written += &clock(i, cycles[i], &plain[i], &ends[i]);
            }
        }
        let scene = world(&written).scene(&VrmlOptions::default()).unwrap().scene;
        assert_eq!(scene.duration(), cycles.iter().copied().fold(0.0, f64::max));
        for step in 0..6 {
            let time = 0.2 * f64::from(step) * scene.duration();
            let mut now = plain.clone();
            for (i, turned) in now.iter_mut().enumerate().filter(|(i, _)| cycles[*i] > 0.0) {
                let fraction = (time / cycles[i]).min(1.0);
                turned.translation = plain[i].translation.lerp(ends[i].translation, fraction);
                let (from, to) = (plain[i].rotation.1, ends[i].rotation.1);
                turned.rotation.1 = from + (to - from) * (2.0 * fraction).min(1.0);
            }
            for (number, body) in scene.bodies().iter().enumerate().filter(|(_, body)| body.shape.is_some()) {
                let i: usize = body.name[body.name.rfind('B').unwrap() + 1..].parse().unwrap();
                let (pose, mesh) = (scene.pose_at(number, time), body.shape.as_ref().unwrap().drawn());
                for (vertex, expected) in (0..).zip(corners(&now, i)) {
                    let found = pose.transform_point(mesh.vertex(vertex));
                    assert!(
                        found.distance(expected) < 1e-11,
                        "seed {seed}, {}: {found} for {expected} at {time}",
                        body.name
                    );
                }
            }
        }
    }
}

const BOX: &str = "Shape { geometry Box { size 1 1 1 } }";

fn moved(clock: &str, keys: &str) -> String {
    format!(
        "DEF A Transform {{ children {BOX} }} {BOX}
         DEF C TimeSensor {{ {clock} }} DEF P PositionInterpolator {{ {keys} }}
         ROUTE C.fraction_changed TO P.set_fraction ROUTE P.value_changed TO A.set_translation\n"
    )
}

#[test]
fn a_looping_clock_restarts() {
    let other = |cycle: f64| {
        format!(
            "DEF B Transform {{ children {BOX} }} DEF D TimeSensor {{ cycleInterval {cycle} }}
             DEF Q PositionInterpolator {{ key [ 0 1 ] keyValue [ 0 9 0, 0 8 0 ] }}
             ROUTE D.fraction_changed TO Q.set_fraction ROUTE Q.value_changed TO B.translation"
        )
    };
    let there_and_back = "key [ 0 0.5 1 ] keyValue [ 3 0 0, 5 0 0, 3 0 0 ]";
    let text = moved("cycleInterval 1.25 loop TRUE", there_and_back) + &other(2.75);
    let scene = world(&text).scene(&VrmlOptions::default()).unwrap().scene;
    assert_eq!((scene.duration(), scene.count_moving_pairs()), (2.75, 3));
    for (time, x) in [
        (0.0, 3.0),
        (0.625, 5.0),
        (0.9375, 4.0),
        (1.25, 3.0),
        (1.5625, 4.0),
        (1.875, 5.0),
        (2.5, 3.0),
        (2.75, 3.8),
    ] {
        let found = scene.pose_at(0, time).position();
        assert!(found.distance(DVec3::new(x, 0.0, 0.0)) < 1e-12, "{found} at {time}");
    }
    // Without a loop it stays at its end; a loop that jumps is refused.
    let text = moved("cycleInterval 1", there_and_back) + &other(2.0);
    assert_eq!(
        world(&text).scene(&VrmlOptions::default()).unwrap().scene.pose_at(0, 1.5).position(),
        3.0 * DVec3::X
    );
    let text = moved("cycleInterval 1 loop TRUE", "key [ 0 1 ] keyValue [ 0 0 0, 1 0 0 ]") + &other(2.0);
    let message = world(&text).scene(&VrmlOptions::default()).unwrap_err().to_string();
    assert!(message.contains("world.wrl:3:") && message.contains("a jump is not checked"), "{message}");
}

#[test]
fn bodies_without_motion_are_reported() {
    let built = world(BOX).scene(&VrmlOptions { clearance: 0.5 }).unwrap();
    assert_eq!(
        (built.scene.duration(), built.scene.count_moving_pairs(), built.scene.clearance()),
        (1.0, 0, 0.5)
    );
    assert!(built.warnings[0].contains("nothing in this world moves by itself"), "{:?}", built.warnings);
    let keys = "key [ 0 1 ] keyValue [ 0 0 0, 1 0 0 ]";
    let scene = world(&moved("enabled FALSE", keys)).scene(&VrmlOptions::default()).unwrap().scene;
    assert_eq!(scene.count_moving_pairs(), 0);
    // A constant value sets its pose.
    let still = moved("", "key [ 0 1 ] keyValue [ 7 0 0, 7 0 0 ]");
    let scene = world(&still).scene(&VrmlOptions::default()).unwrap().scene;
    assert_eq!((scene.count_moving_pairs(), scene.pose_at(0, 0.5).position()), (0, 7.0 * DVec3::X));
    let script = format!(
        "DEF S Script {{ eventOut SFVec3f out }} DEF A Transform {{ children {BOX} }} ROUTE S.out TO A.set_translation"
    );
    let warnings = world(&script).scene(&VrmlOptions::default()).unwrap().warnings;
    assert!(
        warnings[0].starts_with("world.wrl:2:")
            && warnings[0].ends_with("what Script gives to translation is not followed"),
        "{warnings:?}"
    );
}

#[test]
fn collide_false_is_counted_and_not_tested() {
    let text = moved("", "key [ 0 1 ] keyValue [ 0 0 0, 1 0 0 ]");
    let through = format!("{text} Collision {{ collide FALSE children {BOX} }}");
    assert_eq!(facts(&through).bodies.len(), 3);
    let pairs = |text: &str| world(text).scene(&VrmlOptions::default()).unwrap().scene.count_moving_pairs();
    assert_eq!((pairs(&text), pairs(&through)), (1, 1));
}

#[test]
fn shape_changes_are_errors_in_a_check_and_listed_in_info() {
    let morph = "Shape { geometry IndexedFaceSet { coord DEF P Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] } coordIndex [ 0 1 2 ] } }
        DEF I CoordinateInterpolator { key [ 0 1 ] keyValue [ 0 0 0 ] } ROUTE I.value_changed TO P.set_point";
    let scaled = format!(
        "DEF A Transform {{ children {BOX} }} DEF I PositionInterpolator {{ }} ROUTE I.value_changed TO A.set_scale"
    );
    let skewed = format!(
        "Transform {{ scale 1 2 1 children DEF A Transform {{ children {BOX} }} }} DEF C TimeSensor {{ }}
         DEF I OrientationInterpolator {{ key [ 0 1 ] keyValue [ 0 0 1 0, 0 0 1 1 ] }}
         ROUTE C.fraction_changed TO I.set_fraction ROUTE I.value_changed TO A.set_rotation"
    );
    let jump = moved("", "key [ 0 0.5 0.5 1 ] keyValue [ 0 0 0, 1 0 0, 2 0 0, 3 0 0 ]");
    let oval = "Transform { scale 1 1.0001 1 children Shape { geometry Sphere { } } }".to_owned();
    for (text, expected, warned) in [
        (
            morph.to_owned(),
            "CoordinateInterpolator changes point with time: only rigid bodies are checked",
            true,
        ),
        (scaled, "found PositionInterpolator that moves scale", true),
        (skewed, "it turns below a scale that differs with the direction", false),
        (jump, "found two values at key 0.5: a jump is not checked", true),
        (oval, "found a scale that differs with the direction on a round body", false),
    ] {
        let message = world(&text).scene(&VrmlOptions::default()).unwrap_err().to_string();
        assert!(message.starts_with("world.wrl:") && message.contains(expected), "{message}");
        assert_eq!(facts(&text).warnings.iter().any(|warning| warning.contains(expected)), warned);
    }
    let pipe = "Shape { geometry Cylinder { top FALSE bottom FALSE } }";
    let warnings = world(pipe).scene(&VrmlOptions::default()).unwrap().warnings;
    assert!(
        warnings[0].contains("lacks its top and bottom; the check takes it as if it were whole"),
        "{warnings:?}"
    );
}

#[test]
fn instances_move_by_their_own_clocks() {
    let text = format!(
        "PROTO Lift [ field SFTime every 1 field MFVec3f way [ 0 0 0, 0 1 0 ] ] {{
            DEF T Transform {{ children {BOX} }}
            DEF C TimeSensor {{ cycleInterval IS every }}
            DEF P PositionInterpolator {{ key [ 0 1 ] keyValue IS way }}
            ROUTE C.fraction_changed TO P.set_fraction ROUTE P.value_changed TO T.set_translation
        }}
        Lift {{ }} Lift {{ every 2 way [ 5 0 0, 5 4 0 ] }}"
    );
    let scene = world(&text).scene(&VrmlOptions::default()).unwrap().scene;
    assert_eq!(scene.duration(), 2.0);
    assert_eq!(scene.pose_at(0, 0.5).position(), DVec3::new(0.0, 0.5, 0.0));
    assert_eq!(scene.pose_at(1, 0.5).position(), DVec3::new(5.0, 1.0, 0.0));
    assert!(scene.pose_at(1, 0.5).rotation().dot(DQuat::IDENTITY) > 1.0 - 1e-15);
}
