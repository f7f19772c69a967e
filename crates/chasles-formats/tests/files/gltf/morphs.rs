//! Morph targets: weights that change uniformly move vertices along straight lines, without sampling.

use glam::DVec3;
use serde_json::json;

use crate::gltf::build::{Builder, TRIANGLE};

/// The triangle with two targets, at a node that scales it by two.
fn morphing() -> Builder {
    let mut file = Builder::new();
    file.triangle();
    let rise = file.floats(&[[0.0, 0.0, 1.0]; 3]);
    let stretch = file.floats(&[[0.5, 0.0, 0.0], [0.0; 3], [0.0; 3]]);
    file.json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": rise}, {"POSITION": stretch}]);
    file.node(json!({"mesh": 0, "name": "face", "scale": [2, 2, 2]}));
    file
}

fn corner(place: usize) -> DVec3 {
    DVec3::from_array(TRIANGLE[place].map(f64::from))
}

#[test]
fn weights_that_change_evenly_are_frames() {
    let mut file = morphing();
    file.weights(0, &[(0.5, [0.0, 1.0]), (1.0, [0.25, 0.5]), (3.0, [1.0, 0.0])]);
    let scene = file.scene();
    assert_eq!(scene.duration(), 3.0);
    let surface = scene.bodies()[0].shape.as_ref().unwrap().deforming_surface().unwrap();
    assert_eq!(surface.times(), [0.5, 1.0, 3.0]);
    for (frame, [rise, stretch]) in [[0.0, 1.0], [0.25, 0.5], [1.0, 0.0]].into_iter().enumerate() {
        let mut found = [DVec3::NAN; 3];
        surface.read(frame, &mut found).unwrap();
        for (place, vertex) in found.into_iter().enumerate() {
            let x_offset = if place == 0 { 0.5 * stretch } else { 0.0 };
            assert_eq!(vertex, 2.0 * (corner(place) + DVec3::new(x_offset, 0.0, rise)), "frame {frame}");
        }
    }
}

#[test]
fn constant_weights_give_a_rigid_body() {
    let mut still = morphing();
    still.json["meshes"][0]["weights"] = json!([0.5, 0]);
    let mut held = morphing();
    held.weights(0, &[(0.0, [0.5, 0.0]), (2.0, [0.5, 0.0])]);
    for file in [still, held] {
        let scene = file.scene();
        let shape = scene.bodies()[0].shape.as_ref().unwrap();
        assert!(shape.deforming_surface().is_none());
        for place in 0..3_u32 {
            let expected = 2.0 * (corner(place as usize) + DVec3::new(0.0, 0.0, 0.5));
            assert_eq!(shape.drawn().vertex(place), expected);
        }
    }
}

#[test]
fn a_primitive_without_targets_stays() {
    let mut file = morphing();
    let other = file.floats(&[[9.0, 0.0, 0.0], [9.0, 1.0, 0.0], [9.0, 0.0, 1.0]]);
    let first = file.json["meshes"][0]["primitives"][0].clone();
    file.json["meshes"][0]["primitives"] = json!([{"attributes": {"POSITION": other}}, first]);
    file.weights(0, &[(0.0, [0.0, 0.0]), (1.0, [1.0, 0.0])]);
    let scene = file.scene();
    let surface = scene.bodies()[0].shape.as_ref().unwrap().deforming_surface().unwrap();
    let mut found = [DVec3::NAN; 6];
    surface.read(1, &mut found).unwrap();
    assert_eq!(found[0], DVec3::new(18.0, 0.0, 0.0));
    assert_eq!(found[3], 2.0 * (corner(0) + DVec3::Z));
}

/// A matrix excludes animated translation, rotation and scale only: weights belong to the mesh.
#[test]
fn weights_of_a_node_with_a_matrix_are_followed() {
    let mut file = morphing();
    file.weights(0, &[(0.0, [0.0, 0.0]), (1.0, [1.0, 0.0])]);
    let by_parts = file.scene();
    let node = &mut file.json["nodes"][0];
    node.as_object_mut().unwrap().remove("scale");
    node["matrix"] = json!([2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 5, 0, 0, 1]);
    let by_matrix = file.scene();
    let at_the_end = |scene: &chasles::Scene| {
        let mut found = [DVec3::NAN; 3];
        scene.bodies()[0].shape.as_ref().unwrap().deforming_surface().unwrap().read(1, &mut found).unwrap();
        found
    };
    assert_eq!(at_the_end(&by_matrix), at_the_end(&by_parts));
    assert_eq!(by_matrix.pose_at(0, 0.5).position().x, 5.0);
}

#[test]
fn weights_that_step_or_follow_splines_are_followed() {
    let mut step = morphing();
    step.weights(0, &[(0.0, [0.0, 0.0]), (1.0, [1.0, 0.5]), (2.0, [0.5, 0.0])]);
    step.json["animations"][0]["samplers"][0]["interpolation"] = json!("STEP");
    let scene = step.scene();
    let surface = scene.bodies()[0].shape.as_ref().unwrap().deforming_surface().unwrap();
    assert_eq!(surface.times(), [0.0, 1.0_f64.next_down(), 1.0, 2.0_f64.next_down(), 2.0]);
    let mut found = [DVec3::NAN; 3];
    for (frame, [rise, stretch]) in
        [[0.0, 0.0], [0.0, 0.0], [1.0, 0.5], [1.0, 0.5], [0.5, 0.0]].into_iter().enumerate()
    {
        surface.read(frame, &mut found).unwrap();
        assert_eq!(found[0], 2.0 * (corner(0) + DVec3::new(0.5 * stretch, 0.0, rise)), "frame {frame}");
        assert_eq!(found[1], 2.0 * (corner(1) + DVec3::Z * rise), "frame {frame}");
    }
    // From 0 with a slope of 0 to 1 with a slope of 3.
    let mut spline = morphing();
    let input = spline.floats(&[[0.0], [1.0]]);
    let output =
        spline.floats(&[[0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [3.0], [0.0], [1.0], [0.0], [0.0], [0.0]]);
    spline.channel(
        0,
        (0, "weights"),
        json!({"input": input, "output": output, "interpolation": "CUBICSPLINE"}),
    );
    let scene = spline.scene();
    let surface = scene.bodies()[0].shape.as_ref().unwrap().deforming_surface().unwrap();
    assert!(surface.times().len() > 10);
    for (frame, s) in surface.times().iter().enumerate() {
        surface.read(frame, &mut found).unwrap();
        let rise = s * s * (3.0 - 2.0 * s) + 3.0 * (s * s * s - s * s);
        assert!(found[2].distance(2.0 * (corner(2) + DVec3::Z * rise)) < 1e-14, "{s}");
    }
}
