//! What is shown, as a file for other programs: read back and held against the scene.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use chasles::{
    BodyMotion, CollisionShape, DeformingSurface, FramesInMemory, Mesh, Pose, Scene, SceneBody,
    SceneDefinition,
};
use chasles_formats::gltf::{self, GltfOptions};
use chasles_formats::scene;
use chasles_viewer::animation::Thinned;
use chasles_viewer::{Playback, animation};
use glam::{DQuat, DVec3};

/// A lid on an arm that turns, beside a post.
const SCENE: &[u8] = b"format = 1\nduration = 2.0\n\
    [[body]]\nname = 'arm'\nbox = [1, 0.1, 0.1]\npose = { position = [0, 0, 1] }\n\
    [body.motion]\nkind = 'screw'\naxis = [0, 0, 1]\npoint = [0.5, 0, 0]\nslide = 1\nangle = 9\n\
    [[body]]\nname = 'lid'\ncylinder = { radius = 0.2, height = 0.1 }\nparent = 'arm'\n\
    pose = { position = [0, 0, 0.5] }\n\
    [body.motion]\nkind = 'twist'\nlinear = [0.1, 0, 0]\nangular = [0, 2, 0]\n\
    [[body]]\nname = 'post'\nbox = [0.5, 0.5, 3]\npose = { position = [-1.5, 0, 1.5] }\n";

fn scene() -> Scene {
    let path = "scene.toml".as_ref();
    scene::build::build(&scene::file::parse(SCENE, path).unwrap(), path).unwrap().scene
}

#[test]
fn every_body_has_its_scene_pose_up_to_the_end_time() {
    let scene = scene();
    let playback = Playback::of_scene("scene.toml", scene.clone(), None).unwrap();
    let upright = Pose::new(DVec3::ZERO, DQuat::from_rotation_x(-FRAC_PI_2)).unwrap();
    for until in [2.0, 0.7] {
        let bytes = animation::glb("scene.toml", &playback, until).unwrap();
        let read = gltf::parse(&bytes, "scene.glb".as_ref(), &GltfOptions::default()).unwrap().scene;
        assert!((read.duration() - until).abs() < 1e-7, "{}", read.duration());
        for (number, body) in scene.bodies().iter().enumerate() {
            let own = read.bodies().iter().position(|other| other.name == body.name).unwrap();
            assert!(
                read.bodies()[own].shape.as_ref().is_some_and(|shape| shape.drawn().triangles().len() >= 12)
            );
            for i in 0..=100 {
                let time = until * f64::from(i) / 100.0;
                let (found, expected) =
                    (read.pose_at(own, time), upright.compose(&scene.pose_at(number, time)));
                for point in [DVec3::ZERO, DVec3::new(0.2, 0.1, 0.05)] {
                    let off = found.transform_point(point).distance(expected.transform_point(point));
                    assert!(off < 3e-4, "{}: {off} m at {time}", body.name);
                }
            }
        }
    }
    assert_eq!(animation::thinned(&playback, 2.0), []);
}

/// A triangle that rises by a metre in each frame, 0.01 s apart, from 0.005 s before the begin on.
fn rising(frames: u32) -> Playback {
    let at = |z: f64| vec![DVec3::new(0.0, 0.0, z), DVec3::new(2.0, 0.0, z), DVec3::new(0.0, 4.0, z)];
    let mesh = Mesh::new(at(0.0), vec![[0, 1, 2]]).unwrap();
    let places = FramesInMemory((0..frames).map(|frame| at(f64::from(frame))).collect());
    let times = (0..frames).map(|frame| 0.01 * f64::from(frame) - 0.005).collect();
    let surface = Arc::new(DeformingSurface::new(mesh, times, Arc::new(places)).unwrap());
    let body = SceneBody {
        name: "sail".into(),
        shape: Some(CollisionShape::deforming(surface)),
        motion: BodyMotion::Twist {
            start: Pose::IDENTITY,
            linear: DVec3::new(0.0, 0.0, 1.0),
            angular: DVec3::ZERO,
        },
        parent: None,
        group: None,
        solid: false,
    };
    let duration = 0.01 * f64::from(frames) + 1.0;
    let definition =
        SceneDefinition { duration, tolerance: None, clearance: 0.0, bodies: vec![body], ignore: vec![] };
    Playback::of_scene("sail.toml", Scene::new(definition).unwrap(), None).unwrap()
}

/// The heights of the triangle at the times of a file's frames, beside the motion of its body.
fn heights(file: &[u8]) -> Vec<(f64, f64)> {
    let read = gltf::parse(file, "sail.glb".as_ref(), &GltfOptions::default()).unwrap().scene;
    let body = &read.bodies()[0];
    let surface = body.shape.as_ref().unwrap().deforming_surface().unwrap();
    let mut places = vec![DVec3::ZERO; 3];
    let mut height = |frame: usize, time: &f64| {
        surface.read(frame, &mut places).unwrap();
        (*time, places[1].z)
    };
    surface.times().iter().enumerate().map(|(frame, time)| height(frame, time)).collect()
}

#[test]
fn a_body_that_deforms_has_a_morph_target_for_each_frame() {
    let playback = rising(20);
    assert_eq!(animation::thinned(&playback, 9.0), []);
    // To the end, and to the middle between two frames.
    for (until, last) in [(0.5, 19.0), (0.1, 10.5)] {
        let found = heights(&animation::glb("sail.toml", &playback, until).unwrap());
        assert!((found[0].0, found[0].1) == (0.0, 0.5), "{found:?}");
        for (time, height) in &found {
            assert!((height - (time + 0.005) / 0.01).abs() < 1e-5, "{time}: {height}");
        }
        assert!((found.last().unwrap().1 - last).abs() < 1e-5, "{found:?}");
    }
}

#[test]
fn excess_frames_are_omitted() {
    let playback = rising(2500);
    let thinned = animation::thinned(&playback, 100.0);
    assert_eq!(thinned, [Thinned { body: "sail", frames: 2500, every: 3 }]);
    assert_eq!(animation::thinned(&playback, 5.0), []);
    let found = heights(&animation::glb("sail.toml", &playback, 100.0).unwrap());
    assert_eq!(found.len(), 834);
    for (time, height) in &found {
        assert!((height - (time + 0.005) / 0.01).abs() < 1e-3, "{time}: {height}");
    }
    assert!((found.last().unwrap().1 - 2499.0).abs() < 1e-3);
}
