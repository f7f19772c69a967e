//! Skins: the vertices of a mesh follow joints, wherever its node is.

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};
use serde_json::json;

use crate::gltf::build::{Builder, U8, U16};

/// A strip along x from 0 to 2, whose outer half is bound to an elbow at 1 that rotates by a right angle in a second,
/// about z. The elbow is a child of a shoulder one unit to the left, and the mesh is one unit above the strip; the
/// inverse bind matrices compensate for both.
fn arm() -> Builder {
    let mut file = Builder::new();
    let strip = [
        [0.0, 1.0, -0.25],
        [0.0, 1.0, 0.25],
        [1.0, 1.0, -0.25],
        [1.0, 1.0, 0.25],
        [2.0, 1.0, -0.25],
        [2.0, 1.0, 0.25],
    ];
    file.mesh(&strip, Some(&[0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5]), 4);
    let joints: Vec<u8> = [[0, 0, 0, 0]; 2].iter().chain(&[[1, 0, 9, 9]; 4]).flatten().copied().collect();
    let joints = file.accessor("VEC4", U8, 6, &joints);
    let weights = file.floats(&[[1.0, 0.0, 0.0, 0.0]; 6]);
    file.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = json!(joints);
    file.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(weights);
    let down = |x: f32| {
        let mut matrix = [0.0; 16];
        [0, 5, 10, 15].into_iter().for_each(|i| matrix[i] = 1.0);
        (matrix[12], matrix[13]) = (x, -1.0);
        matrix
    };
    let inverses = file.floats(&[down(1.0), down(-1.0)]);
    // Its own pose does not matter.
    file.node(json!({"name": "arm", "mesh": 0, "skin": 0, "translation": [7, 8, 9], "scale": [3, 3, 3]}));
    file.node(json!({"name": "shoulder", "children": [2], "translation": [-1, 0, 0]}));
    file.node(json!({"name": "elbow", "translation": [2, 0, 0]}));
    file.json["skins"] = json!([{"joints": [1, 2], "inverseBindMatrices": inverses}]);
    let half = f32::sqrt(0.5);
    file.linear((2, "rotation"), &[(0.0, [0.0, 0.0, 0.0, 1.0]), (1.0, [0.0, 0.0, half, half])]);
    file
}

#[test]
fn frames_are_where_joints_are() {
    let scene = arm().scene();
    let surface = scene.bodies()[0].shape.as_ref().unwrap().deforming_surface().unwrap();
    let mut found = [DVec3::NAN; 6];
    for (frame, time) in surface.times().iter().enumerate() {
        surface.read(frame, &mut found).unwrap();
        let turn = DQuat::from_rotation_z(FRAC_PI_2 * time);
        assert_eq!(found[1], DVec3::new(0.0, 0.0, 0.25));
        let tip = DVec3::X + turn * DVec3::new(1.0, 0.0, 0.25);
        assert!(found[5].distance(tip) < 1e-6, "{time}: {}", found[5]);
    }
    let facts = arm().facts().unwrap();
    assert_eq!(facts.warnings, [""; 0]);
    let [lo, hi] = facts.bounds.unwrap();
    assert!(
        lo.distance(DVec3::new(0.0, 0.0, -0.25)) < 1e-12 && hi.distance(DVec3::new(2.0, 0.0, 0.25)) < 1e-12
    );
}

#[test]
fn weights_are_shared_out_by_sets_and_fractions() {
    // A quarter of the first joint and three of the second, over two sets, one of them in bytes.
    let mut file = arm();
    let first = file.floats(&[[0.25, 0.0, 0.0, 0.0]; 6]);
    let second = file.accessor("VEC4", U8, 6, &[191, 0, 0, 0].repeat(6));
    file.json["accessors"][second]["normalized"] = json!(true);
    let joints = |file: &mut Builder, joint: u16| {
        let bytes: Vec<u8> = [joint, 0, 0, 0].iter().flat_map(|x| x.to_le_bytes()).collect();
        file.accessor("VEC4", U16, 6, &bytes.repeat(6))
    };
    let attributes = [
        ("JOINTS_0", joints(&mut file, 0)),
        ("JOINTS_1", joints(&mut file, 1)),
        ("WEIGHTS_0", first),
        ("WEIGHTS_1", second),
    ];
    for (name, accessor) in attributes {
        file.json["meshes"][0]["primitives"][0]["attributes"][name] = json!(accessor);
    }
    // They sum to 0.999, which causes no warning.
    let scene = file.scene();
    let surface = scene.bodies()[0].shape.as_ref().unwrap().deforming_surface().unwrap();
    let mut found = [DVec3::NAN; 6];
    surface.read(surface.times().len() - 1, &mut found).unwrap();
    let (still, turned) = (DVec3::new(2.0, 0.0, 0.25), DVec3::new(1.0, 1.0, 0.25));
    let (p, q) = (0.25, 191.0 / 255.0);
    assert!(found[5].distance((p * still + q * turned) / (p + q)) < 1e-6, "{}", found[5]);
}

#[test]
fn morph_targets_come_before_joints() {
    let mut file = arm();
    let longer = file.floats(&[[0.0; 3], [0.0; 3], [0.0; 3], [0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
    file.json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": longer}]);
    file.weights(0, &[(0.0, [0.0]), (1.0, [1.0])]);
    let scene = file.scene();
    let surface = scene.bodies()[0].shape.as_ref().unwrap().deforming_surface().unwrap();
    let mut found = [DVec3::NAN; 6];
    surface.read(surface.times().len() - 1, &mut found).unwrap();
    assert!(found[5].distance(DVec3::new(1.0, 2.0, 0.25)) < 1e-6, "{}", found[5]);
}

#[test]
fn a_skin_whose_joints_rest_is_rigid() {
    let mut file = arm();
    file.json["animations"] = json!([]);
    let scene = file.scene();
    let shape = scene.bodies()[0].shape.as_ref().unwrap();
    assert!(shape.deforming_surface().is_none());
    assert_eq!(shape.drawn().vertex(5), DVec3::new(2.0, 0.0, 0.25));
}

#[test]
fn skins_without_meaning_are_refused_by_name() {
    let changed = |change: &dyn Fn(&mut Builder)| {
        let mut file = arm();
        change(&mut file);
        file
    };
    let node = "node 0 \"arm\"";
    let attributes = "/meshes/0/primitives/0/attributes";
    changed(&|file| file.json["skins"][0]["joints"] = json!([]))
        .refused(&format!("{node}, skin 0, joints: found none, expected at least one"));
    changed(&|file| file.json["skins"][0]["joints"] = json!([1, 9]))
        .refused(&format!("{node}, skin 0, joints, node 9: there is none: expected a number below 3"));
    changed(&|file| file.json["skins"][0]["joints"] = json!([1, 2, 2])).refused(&format!(
        "{node}, skin 0, inverseBindMatrices, accessor 4: found 2 matrices, expected 3, one a joint"
    ));
    changed(&|file| file.json["skins"][0]["joints"] = json!([1])).refused(&format!(
        "{node}, mesh 0, primitive 0, accessor 2, element 2: found joint 1, expected below 1"
    ));
    let without = |name: &'static str| {
        changed(&move |file| {
            file.json.pointer_mut(attributes).unwrap().as_object_mut().unwrap().remove(name);
        })
    };
    without("JOINTS_0").refused(&format!(
        "{node}, mesh 0, primitive 0, JOINTS_0: found none, expected the joints of each vertex"
    ));
    without("WEIGHTS_0").refused(&format!(
        "{node}, mesh 0, primitive 0, WEIGHTS_0: found none, expected one beside JOINTS_0"
    ));
    let weights = |rows: &'static [[f32; 4]]| {
        changed(&|file| {
            let accessor = file.floats(rows);
            file.json.pointer_mut(attributes).unwrap()["WEIGHTS_0"] = json!(accessor);
        })
    };
    weights(&[[0.0; 4]; 6]).refused(&format!(
        "{node}, mesh 0, primitive 0, vertex 0: found weights that are all 0, expected some joint that it follows"
    ));
    weights(&[[2.0, -1.0, 0.0, 0.0]; 6])
        .refused(&format!("{node}, mesh 0, primitive 0, vertex 0: found the weight -1"));
    weights(&[[1.0, 0.0, 0.0, 0.0]; 5]).refused(&format!(
        "{node}, mesh 0, primitive 0, WEIGHTS_0, accessor 7: found 5 elements, expected 6, one a vertex"
    ));
    changed(&|file| file.json["accessors"][2]["componentType"] = json!(5120)).refused(&format!(
        "{node}, mesh 0, primitive 0, JOINTS_0, accessor 2: found components of type 5120, expected 5121 or 5123 \
         (unsigned integers, not normalised)"
    ));
}
