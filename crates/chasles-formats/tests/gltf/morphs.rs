//! Morph targets: weights that change evenly move vertices along straight lines, and nothing is sampled.

use glam::DVec3;
use serde_json::json;

use crate::build::{Builder, TRIANGLE};

/// The triangle with two targets, at a node that makes it twice as large.
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
            let wide = if place == 0 { 0.5 * stretch } else { 0.0 };
            assert_eq!(vertex, 2.0 * (corner(place) + DVec3::new(wide, 0.0, rise)), "frame {frame}");
        }
    }
}

#[test]
fn weights_that_stay_make_a_rigid_body() {
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
