//! What is shown, as a file for other programs: read back and held against the scene.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use chasles::{
    BodyMotion, DeformingSurface, FramesInMemory, Mesh, Pose, Scene, SceneBody, SceneDefinition, SceneShape,
};
use chasles_formats::gltf::{self, GltfOptions};
use chasles_formats::{scene_build, scene_file};
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
    scene_build::build(&scene_file::parse(SCENE, path).unwrap(), path).unwrap().scene
}

#[test]
fn every_body_is_where_the_scene_has_it_until_the_time() {
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
    assert_eq!(animation::bending(&playback), Vec::<&str>::new());
}

#[test]
fn a_body_that_deforms_is_named_and_has_its_first_shape() {
    let at = |z: f64| vec![DVec3::new(0.0, 0.0, z), DVec3::new(2.0, 0.0, z), DVec3::new(0.0, 4.0, z)];
    let mesh = Mesh::new(at(0.0), vec![[0, 1, 2]]).unwrap();
    let frames = Arc::new(FramesInMemory(vec![at(0.0), at(1.0)]));
    let surface = Arc::new(DeformingSurface::new(mesh, vec![0.0, 1.0], frames).unwrap());
    let body = SceneBody {
        name: "sail".into(),
        shape: Some(SceneShape::deforming(surface)),
        motion: BodyMotion::Still(Pose::IDENTITY),
        parent: None,
        group: None,
        solid: false,
    };
    let bodies = vec![body];
    let definition =
        SceneDefinition { duration: 1.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
    let playback = Playback::of_scene("sail.toml", Scene::new(definition).unwrap(), None).unwrap();
    assert_eq!(animation::bending(&playback), ["sail"]);
    let bytes = animation::glb("sail.toml", &playback, 1.0).unwrap();
    let read = gltf::parse(&bytes, "sail.glb".as_ref(), &GltfOptions::default()).unwrap().scene;
    let shape = read.bodies()[0].shape.as_ref().unwrap().drawn();
    assert_eq!(shape.bounds(), [DVec3::ZERO, DVec3::new(2.0, 4.0, 0.0)]);
}
