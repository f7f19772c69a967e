//! Animations: curves as in the file, in the frames of their parents.

use chasles::{BodyMotion, CubicKey, Curve, Scene};
use glam::{DQuat, DVec3};
use serde_json::json;

use crate::gltf::build::{Builder, U8, parse, parse_rival};

fn curves(scene: &Scene, body: usize) -> (&Curve<DVec3>, &Curve<DQuat>) {
    match &scene.bodies()[body].motion {
        BodyMotion::Curves { position, rotation } => (position, rotation),
        other => panic!("{other:?}"),
    }
}

/// A file of one moving node, and the sampler of its channel.
fn moving(path: &str, times: &[f32], output: impl Fn(&mut Builder) -> usize, interpolation: &str) -> Builder {
    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"mesh": 0, "name": "body", "translation": [1, 2, 3]}));
    let input = file.floats(&times.iter().map(|time| [*time]).collect::<Vec<_>>());
    let output = output(&mut file);
    file.channel(0, (0, path), json!({"input": input, "output": output, "interpolation": interpolation}));
    file
}

#[test]
fn translations_of_each_kind() {
    let rows = |file: &mut Builder| file.floats(&[[0.0, 1.0, 0.0], [2.0, 0.0, 0.5]]);
    let keys = vec![(0.5, DVec3::Y), (2.0, DVec3::new(2.0, 0.0, 0.5))];
    let scene = moving("translation", &[0.5, 2.0], rows, "LINEAR").scene();
    assert_eq!(curves(&scene, 0), (&Curve::Linear(keys.clone()), &Curve::constant(DQuat::IDENTITY)));
    assert_eq!(scene.duration(), 2.0);
    let scene = moving("translation", &[0.5, 2.0], rows, "STEP").scene();
    assert_eq!(curves(&scene, 0).0, &Curve::Step(keys));
    let mut file = moving("translation", &[0.5, 2.0], rows, "LINEAR");
    file.json["animations"][0]["samplers"][0].as_object_mut().unwrap().remove("interpolation");
    assert!(matches!(curves(&file.scene(), 0).0, Curve::Linear(_)));
}

#[test]
fn cubic_splines_follow_the_formula() {
    let rows: [[f32; 3]; 6] =
        [[9.0; 3], [0.0, 1.0, 0.0], [1.0, 0.0, -2.0], [0.5, 0.25, 4.0], [2.0, 0.0, 0.5], [9.0; 3]];
    let scene = moving("translation", &[0.5, 2.0], |file| file.floats(&rows), "CUBICSPLINE").scene();
    let row = |i: usize| DVec3::from_array(rows[i].map(f64::from));
    for k in 0..=20_u8 {
        let time = 0.1 * f64::from(k);
        let (s, h) = (((time - 0.5) / 1.5).max(0.0), 1.5);
        let (s2, s3) = (s * s, s * s * s);
        let expected = row(1) * (2.0 * s3 - 3.0 * s2 + 1.0)
            + row(2) * (h * (s3 - 2.0 * s2 + s))
            + row(4) * (3.0 * s2 - 2.0 * s3)
            + row(3) * (h * (s3 - s2));
        let found = scene.pose_at(0, time).position();
        assert!(found.distance(expected) < 1e-14, "{time}: {found} {expected}");
    }
    let quaternions: [[f32; 4]; 6] = [
        [0.0; 4],
        [0.0, 0.0, 0.0, 1.0],
        [0.5, 0.0, 1.0, 0.0],
        [0.0, 0.25, 0.0, 0.0],
        [0.0, 0.6, 0.0, 0.8],
        [0.0; 4],
    ];
    let scene = moving("rotation", &[0.0, 2.0], |file| file.floats(&quaternions), "CUBICSPLINE").scene();
    let row = |i: usize| DQuat::from_array(quaternions[i].map(f64::from));
    let Curve::Cubic(keys) = curves(&scene, 0).1 else { panic!() };
    let key = CubicKey { time: 0.0, in_tangent: row(0), value: row(1), out_tangent: row(2) };
    assert_eq!(keys[0], key);
    // Halfway: 1/2 of each value, and an eighth of two seconds of each tangent.
    let half = (row(1) * 0.5 + row(4) * 0.5 + (row(2) - row(3)) * 0.25).normalize();
    assert!(scene.pose_at(0, 1.0).rotation().abs_diff_eq(half, 1e-15));
}

#[test]
fn rotations_may_be_fractions() {
    let bytes = [0, 0, 0, 127, 0, 0x81, 0, 0];
    let mut file = moving("rotation", &[0.0, 1.0], |file| file.accessor("VEC4", 5120, 2, &bytes), "LINEAR");
    let output = file.json["animations"][0]["samplers"][0]["output"].as_u64().unwrap();
    let place = format!("animation 0, channel 0, sampler 0, output, accessor {output}");
    file.refused(&format!(
        "{place}: found components of type 5120, expected 5126 (float) or normalised integers"
    ));
    file.json["accessors"][usize::try_from(output).unwrap()]["normalized"] = json!(true);
    let scene = file.scene();
    let keys = vec![(0.0, DQuat::IDENTITY), (1.0, DQuat::from_xyzw(0.0, -1.0, 0.0, 0.0))];
    assert_eq!(curves(&scene, 0).1, &Curve::Linear(keys));
    let place = "animation 0, channel 0, sampler 0, output, accessor 2";
    let bytes = [0; 6];
    let mut file = moving("translation", &[0.0, 1.0], |file| file.accessor("VEC3", U8, 2, &bytes), "LINEAR");
    file.refused(&format!("{place}: found components of type 5121, expected 5126 (float)"));
    file.json["accessors"][2]["normalized"] = json!(true);
    file.refused(&format!("{place}: found normalised components of type 5121, expected 5126 (float)"));
}

#[test]
fn children_move_with_animated_parents() {
    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"scale": [2, 2, 2], "translation": [0, 0, 1], "children": [1]}));
    file.node(json!({"mesh": 0, "name": "arm", "scale": [1, 2, 3], "children": [2, 4]}));
    file.node(json!({"name": "still", "translation": [1, 1, 1], "children": [3]}));
    file.node(json!({"mesh": 0, "name": "hand"}));
    file.node(json!({"mesh": 0, "name": "slide"}));
    file.linear((1, "rotation"), &[(0.0, [0.0, 0.0, 0.0, 1.0]), (1.0, [0.0, 0.0, 1.0, 0.0])]);
    // Below a scale that differs with the direction, translations are still allowed.
    file.linear((4, "translation"), &[(0.0, [1.0, 1.0, 1.0]), (1.0, [1.0, 0.0, 1.0])]);
    let scene = file.scene();
    let parents: Vec<_> = scene.bodies().iter().map(|body| body.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(0)]);
    let BodyMotion::Still(pose) = scene.bodies()[1].motion else { panic!() };
    assert_eq!(pose.position(), DVec3::new(2.0, 4.0, 6.0));
    let ends = vec![(0.0, DVec3::new(2.0, 4.0, 6.0)), (1.0, DVec3::new(2.0, 0.0, 6.0))];
    assert_eq!(curves(&scene, 2).0, &Curve::Linear(ends));
    assert_eq!(scene.count_moving_pairs(), 2);
}

#[test]
fn constant_animations_give_static_bodies() {
    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"mesh": 0, "children": [1]}));
    file.node(json!({"mesh": 0}));
    file.linear((0, "scale"), &[(0.0, [1.0, 2.0, 1.0]), (1.0, [1.0, 2.0, 1.0])]);
    file.linear((1, "rotation"), &[(0.5, [0.0, 0.0, 1.0, 0.0]), (3.0, [0.0, 0.0, 1.0, 0.0])]);
    let scene = file.scene();
    assert!(scene.bodies().iter().all(|body| matches!(body.motion, BodyMotion::Still(_))));
    assert_eq!(scene.duration(), 3.0);
    assert!(scene.pose_at(1, 0.0).transform_point(DVec3::ZERO).length() < 1e-15);
}

/// A cubic goes out and comes back between keys of equal value, because of its tangents.
#[test]
fn tangents_alone_make_a_motion() {
    let mut rows = [[0.0; 3]; 6];
    rows[2] = [1.0, 0.0, 0.0];
    let scene = moving("translation", &[0.0, 2.0], |file| file.floats(&rows), "CUBICSPLINE").scene();
    // Halfway, an eighth of two seconds of the tangent.
    assert_eq!(scene.pose_at(0, 1.0).position(), DVec3::new(0.25, 0.0, 0.0));
    let mut rows = [[0.0, 0.0, 0.0, 1.0]; 6];
    (rows[0], rows[2], rows[3], rows[5]) = ([0.0; 4], [1.0, 0.0, 0.0, 0.0], [0.0; 4], [0.0; 4]);
    let scene = moving("rotation", &[0.0, 2.0], |file| file.floats(&rows), "CUBICSPLINE").scene();
    let expected = DQuat::from_xyzw(0.25, 0.0, 0.0, 1.0).normalize();
    assert!(scene.pose_at(0, 1.0).rotation().abs_diff_eq(expected, 1e-15));
}

#[test]
fn one_of_several_animations() {
    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"mesh": 0}));
    let input = file.floats(&[[0.0], [1.0]]);
    for (i, x) in [(0, 3.0), (1, 4.0), (2, 5.0)] {
        let output = file.floats(&[[0.0; 3], [x, 0.0, 0.0]]);
        file.channel(i, (0, "translation"), json!({"input": input, "output": output}));
    }
    file.json["animations"][0]["name"] = json!("walk");
    file.json["animations"][1]["name"] = json!("0");
    let end = |animation: Option<&str>| {
        let built = parse(&file.glb(), animation).unwrap();
        (built.scene.pose_at(0, 1.0).position().x, built.warnings)
    };
    let both = parse(&file.glb(), None).unwrap_err().to_string();
    let expected = "animations: \"walk\" and \"0\" both move the translation of node 0, so that they cannot be played together: \
                    --animation NAME plays one of \"walk\", \"0\", 2, --animation all checks each in turn";
    assert_eq!(both, format!("cell/scene.glb: {expected}"));
    // A name takes precedence over a number.
    for (chosen, x) in [("walk", 3.0), ("0", 4.0), ("1", 4.0), ("2", 5.0)] {
        assert_eq!(end(Some(chosen)), (x, vec![]), "{chosen}");
    }
    let error = parse(&file.glb(), Some("run")).unwrap_err().to_string();
    let there = "it has \"walk\", \"0\", 2";
    assert_eq!(
        error,
        format!("cell/scene.glb: animations: found no animation with the name or number \"run\": {there}")
    );
    file.json["animations"] = json!([]);
    let error = parse(&file.glb(), Some("3")).unwrap_err().to_string();
    assert!(error.ends_with("found no animation with the name or number \"3\": it has none"), "{error}");
    assert_eq!(file.facts().unwrap().animations, [""; 0]);
}

/// Blender writes one animation for each object. Each holds its last key after its end.
#[test]
fn animations_of_different_nodes_are_played_together() {
    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"mesh": 0}));
    file.node(json!({"mesh": 0}));
    for (i, node, path, end) in
        [(0, 0, "translation", 1.0), (1, 1, "translation", 3.0), (2, 0, "rotation", 2.0)]
    {
        let input = file.floats(&[[0.0], [end]]);
        let output = match path {
            "rotation" => file.floats(&[[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]]),
            _ => file.floats(&[[0.0; 3], [4.0, 0.0, 0.0]]),
        };
        file.channel(i, (node, path), json!({"input": input, "output": output}));
    }
    let built = file.read().unwrap();
    assert_eq!(built.scene.duration(), 3.0);
    let warning = "3 animations are played together: 0, 1, 2; each holds its last key after its end";
    assert_eq!(built.warnings, [format!("cell/scene.glb: {warning}")]);
    let at = |node: usize, time: f64| built.scene.pose_at(node, time);
    assert_eq!((at(0, 0.5).position().x, at(0, 2.5).position().x), (2.0, 4.0));
    assert_eq!(at(1, 1.5).position().x, 2.0);
    assert!(at(0, 2.5).transform_vector(DVec3::X).distance(-DVec3::X) < 1e-15);
    assert_eq!(parse(&file.glb(), Some("all")).unwrap().scene, built.scene);
    // The fourth animation moves the same node as the first, so a single one of these two is played at a time.
    let (input, output) = (file.floats(&[[0.0], [1.0]]), file.floats(&[[0.0; 3], [-1.0, 0.0, 0.0]]));
    file.channel(3, (0, "translation"), json!({"input": input, "output": output}));
    for all in [None, Some("all")] {
        let message = parse(&file.glb(), all).unwrap_err().to_string();
        assert!(message.contains("0 and 3 both move the translation of node 0"), "{message}");
        for (turn, x) in [(0, 4.0), (1, -1.0)] {
            let scene = parse_rival(&file.glb(), all, Some(turn)).unwrap().scene;
            assert_eq!((scene.pose_at(0, 3.0).position().x, scene.pose_at(1, 3.0).position().x), (x, 4.0));
        }
    }
    assert!(parse_rival(&file.glb(), None, Some(2)).is_err());
    assert!(
        file.facts().unwrap().warnings.iter().any(|warning| warning.contains("the first of them is taken"))
    );
}

/// Files store seven digits, so a scale that is meant to be constant or uniform has noise. The points are slightly
/// inexact, which the report takes into account.
#[test]
fn noise_of_scales_becomes_a_deviation() {
    let scaled = |by: f32| {
        let mut file = Builder::new();
        file.triangle();
        file.node(json!({"mesh": 0, "name": "mover", "children": [1]}));
        file.node(json!({"mesh": 0, "name": "rider", "translation": [0, 0, 3]}));
        file.linear((0, "translation"), &[(0.0, [0.0; 3]), (1.0, [9.0, 0.0, 0.0])]);
        file.linear((0, "scale"), &[(0.0, [1.0; 3]), (1.0, [1.0, 1.0 + by, 1.0])]);
        file
    };
    let built = scaled(1e-6).read().unwrap();
    let near = |body: usize| match built.scene.bodies()[body].motion {
        BodyMotion::Near { error: off, .. } => off,
        ref other => panic!("{other:?}"),
    };
    // The farthest corner, (0, 2, 0.5), or (0, 2, 3.5) of the rider, is off by half of the difference between the two
    // scales.
    let half = 0.5 * (f64::from(1.0_f32 + 1e-6) - 1.0);
    for (body, reach) in [(0, 4.25_f64.sqrt()), (1, 16.25_f64.sqrt())] {
        let off = near(body);
        assert!(off >= half * reach && off < 1.5 * half * (reach + 3.0), "{body}: {off:e}");
    }
    assert_eq!(built.warnings.len(), 1);
    assert!(built.warnings[0].contains("their points are off by up to"), "{:?}", built.warnings);
    // Both bodies are attached to the node, which moves as in the file.
    let parents: Vec<_> = built.scene.bodies().iter().map(|body| body.parent).collect();
    assert_eq!(parents, [Some(2), Some(2), None]);
    assert_eq!(built.scene.pose_at(0, 0.5).position(), DVec3::new(4.5, 0.0, 0.0));
    let message = scaled(1e-3).read().unwrap_err().to_string();
    let expected = "node 0 \"mover\": its scale is animated, from [1, 1, 1] to [1, 1.00100005, 1]: the shapes below it would \
                    change with time, by up to ";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn channels_without_effect_on_shapes_are_ignored() {
    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"mesh": 0}));
    file.node(json!({"name": "camera"}));
    // Keys that cannot be followed, and one later than all others.
    file.linear((1, "translation"), &[(2.0, [0.0; 3]), (2.0, [1.0; 3]), (7.5, [0.0; 3])]);
    file.json["animations"][0]["channels"].as_array_mut().unwrap().push(json!({
        "sampler": 0,
        "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/materials/0/x"}}},
    }));
    assert_eq!(file.scene().duration(), 7.5);
}
