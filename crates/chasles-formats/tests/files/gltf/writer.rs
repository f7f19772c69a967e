//! Written files, read back with the crate `gltf`, which shares no code with us, and with our own reader.

use std::sync::Arc;

use chasles::{DeformingSurface, FramesInMemory, Mesh, Pose, Screw};
use chasles_formats::gltf::{self, AnimatedBody, AnimatedScene, GltfOptions, MAX_FRAMES, MovingMesh};
use chasles_formats::scene::appearance::UpAxis;
use glam::{DQuat, DVec3};
use gltf_crate::Gltf;
use gltf_crate::animation::util::ReadOutputs;
use gltf_crate::animation::{Interpolation, Property};

/// A tetrahedron.
fn mesh(size: f64) -> Mesh {
    let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|vertex| size * vertex).to_vec();
    Mesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).unwrap()
}

fn pose(position: [f64; 3], about: DVec3, angle: f64) -> Pose {
    Pose::new(DVec3::from_array(position), DQuat::from_axis_angle(about.normalize(), angle)).unwrap()
}

fn vector(numbers: [f32; 3]) -> DVec3 {
    DVec3::from_array(numbers.map(f64::from))
}

fn quaternion(numbers: [f32; 4]) -> DQuat {
    DQuat::from_array(numbers.map(f64::from))
}

/// The keys of a body that tumbles along three screws, jumps, and continues to tumble.
fn tumbling() -> Vec<(f64, Pose)> {
    let axis = DVec3::new(1.0, 2.0, -0.5);
    vec![
        (0.0, pose([0.0, 0.0, 1.0], axis, 0.0)),
        (0.5, pose([1.0, 0.0, 2.0], axis, 2.5)),
        (0.75, pose([1.0, 3.0, 2.0], axis, 4.8)),
        (0.75, pose([-4.0, 0.0, 0.0], DVec3::X, 0.2)),
        (2.0, pose([-4.0, 0.5, 0.0], DVec3::Y, 3.0)),
    ]
}

fn body<'a>(name: &'a str, parts: Vec<(usize, Pose)>, keys: Vec<(f64, Pose)>) -> AnimatedBody<'a> {
    AnimatedBody { name, colour: [0x93, 0xa1, 0xb3], parts, keys, within: 1e-4 }
}

/// A static body, a moving body, and a body with two parts.
fn written() -> Vec<u8> {
    let meshes = [mesh(1.0), mesh(2.0)];
    let static_body = AnimatedBody {
        colour: [0xb9, 0xbe, 0xc6],
        ..body("floor", vec![(0, Pose::IDENTITY)], vec![(0.0, pose([0.0, 0.0, -1.0], DVec3::Z, 1.0))])
    };
    let parts = vec![(0, pose([0.0, 0.0, 5.0], DVec3::X, 0.5)), (1, Pose::IDENTITY)];
    let bodies = vec![
        static_body,
        body("leaf \"é\"", vec![(0, Pose::IDENTITY)], tumbling()),
        body("pair", parts, tumbling()[..2].to_vec()),
    ];
    gltf::to_glb(&AnimatedScene {
        up: UpAxis::Z,
        name: "drop.toml",
        meshes: meshes.iter().collect(),
        moving: vec![],
        bodies,
    })
    .unwrap()
}

/// A scene with y up is written unchanged; any other is rotated. Files that are read have y up.
#[test]
fn the_up_axis_is_kept() {
    let shape = mesh(1.0);
    for (up, expected) in [(UpAxis::Z, [0.0, 5.0, 0.0]), (UpAxis::Y, [0.0, 0.0, 5.0])] {
        let bodies =
            vec![body("kite", vec![(0, Pose::IDENTITY)], vec![(0.0, pose([0.0, 0.0, 5.0], DVec3::Z, 0.0))])];
        let file =
            gltf::to_glb(&AnimatedScene { name: "s", up, meshes: vec![&shape], moving: vec![], bodies });
        let built = gltf::parse(&file.unwrap(), "s.glb".as_ref(), &GltfOptions::default()).unwrap();
        let kite = built.scene.bodies().iter().position(|body| body.name == "kite").unwrap();
        let place = built.scene.pose_at(kite, 0.0).position();
        assert!(place.distance(DVec3::from_array(expected)) < 1e-6, "{up:?}: {place}");
        assert_eq!(built.appearance.up, UpAxis::Y);
    }
}

#[test]
fn another_reader_finds_nodes_meshes_and_an_animation() {
    let bytes = written();
    // The crate checks indices, accessors and required entries.
    let Gltf { document, blob } = Gltf::from_slice(&bytes).unwrap();
    let blob = blob.unwrap();
    let data = |_: gltf_crate::Buffer<'_>| Some(blob.as_slice());
    // The arrays are adjacent, and fill the buffer.
    let mut filled = 0;
    for view in document.views() {
        assert_eq!(view.offset(), filled);
        filled += view.length();
    }
    assert_eq!((filled, document.buffers().count()), (blob.len(), 1));
    let sizes = document.accessors().map(|accessor| accessor.count() * accessor.size());
    assert!(sizes.eq(document.views().map(|view| view.length())));
    let scene = document.default_scene().unwrap();
    let roots: Vec<_> = scene.nodes().collect();
    assert_eq!((roots.len(), roots[0].name(), scene.name()), (1, Some("drop.toml"), Some("drop.toml")));
    // z of the scene is y of the file.
    let (_, turn, _) = roots[0].transform().decomposed();
    let up = quaternion(turn) * DVec3::Z;
    assert!(up.distance(DVec3::Y) < 1e-6, "{up}");
    let names: Vec<_> = roots[0].children().map(|node| node.name().unwrap().to_owned()).collect();
    assert_eq!(names, ["floor", "leaf \"é\"", "pair"]);
    let pair = roots[0].children().nth(2).unwrap();
    assert_eq!((pair.mesh().is_none(), pair.children().count()), (true, 2));

    // The same shape in two colours shares its arrays.
    let meshes: Vec<_> = document.meshes().collect();
    assert_eq!((meshes.len(), document.materials().count()), (3, 2));
    for mesh in &meshes {
        let primitive = mesh.primitives().next().unwrap();
        assert!(primitive.material().double_sided());
        let reader = primitive.reader(data);
        let places: Vec<DVec3> = reader.read_positions().unwrap().map(vector).collect();
        let normals: Vec<DVec3> = reader.read_normals().unwrap().map(vector).collect();
        let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
        assert_eq!((places.len(), normals.len(), indices.len()), (12, 12, 12));
        let bounds = primitive.bounding_box();
        let corner = |pick: fn(DVec3, DVec3) -> DVec3| places.iter().copied().reduce(pick).unwrap();
        assert_eq!((vector(bounds.min), vector(bounds.max)), (corner(DVec3::min), corner(DVec3::max)));
        for corners in indices.chunks(3) {
            let [p, q, r] = [0, 1, 2].map(|i| places[corners[i] as usize]);
            let across = (q - p).cross(r - p).normalize();
            assert!(corners.iter().all(|i| normals[*i as usize].distance(across) < 1e-5));
        }
    }
    let colour = document.materials().nth(1).unwrap().pbr_metallic_roughness().base_color_factor();
    // sRGB (0x93, 0xa1, 0xb3) as linear light.
    assert!(
        [0.2918, 0.3564, 0.4508, 1.0].iter().zip(colour).all(|(a, b)| (a - b).abs() < 1e-3),
        "{colour:?}"
    );

    let animation = document.animations().next().unwrap();
    let moved: Vec<_> =
        animation.channels().map(|channel| channel.target().node().name().unwrap().to_owned()).collect();
    assert_eq!(moved, ["leaf \"é\"", "leaf \"é\"", "pair", "pair"]);
    for channel in animation.channels() {
        assert_eq!(channel.sampler().interpolation(), Interpolation::Linear);
        let reader = channel.reader(data);
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        assert!(times[0] == 0.0 && times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
        let input = channel.sampler().input();
        let reported = |value: Option<gltf_crate::json::Value>| value.unwrap()[0].as_f64().unwrap();
        let reach = [reported(input.min()), reported(input.max())];
        assert_eq!(reach, [0.0, f64::from(times[times.len() - 1])]);
        match (channel.target().property(), reader.read_outputs().unwrap()) {
            (Property::Translation, ReadOutputs::Translations(places)) => {
                assert_eq!(places.count(), times.len())
            }
            (Property::Rotation, ReadOutputs::Rotations(turns)) => {
                let turns: Vec<DQuat> = turns.into_f32().map(quaternion).collect();
                assert_eq!(turns.len(), times.len());
                assert!(turns.iter().all(|turn| (turn.length() - 1.0).abs() < 1e-6));
                let jumps = turns.windows(2).filter(|pair| pair[0].dot(pair[1]) < 0.99).count();
                assert!(jumps <= 1, "{jumps} changes of sign");
                assert!(turns.windows(2).all(|pair| pair[0].dot(pair[1]) >= 0.0));
            }
            (property, _) => panic!("{property:?}"),
        }
    }
}

#[test]
fn our_reader_finds_every_body_where_it_was() {
    let scene = gltf::parse(&written(), "drop.glb".as_ref(), &GltfOptions::default()).unwrap().scene;
    let number = |name: &str| scene.bodies().iter().position(|body| body.name == name).unwrap();
    let upright = Pose::new(DVec3::ZERO, DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2)).unwrap();
    let keys = tumbling();
    let near = |found: Pose, expected: &Pose, what: f64| {
        let expected = upright.compose(expected);
        let off = found.position().distance(expected.position());
        let angle = 2.0 * found.rotation().dot(expected.rotation()).abs().min(1.0).acos();
        assert!(off < 2e-4 && angle < 2e-3, "{off} m and {angle} at {what}");
    };
    assert_eq!(scene.duration(), 2.0);
    for fraction in (0..=100).map(|i| f64::from(i) / 100.0) {
        for (from, to) in [(0, 1), (1, 2), (3, 4)] {
            let ((key_time, start), (end, stop)) = (keys[from], keys[to]);
            // Next to the jump, which takes a step of single precision.
            let time = key_time + (end - key_time) * fraction.clamp(1e-4, 1.0 - 1e-4);
            let expected = Screw::between(start, stop).pose_at((time - key_time) / (end - key_time));
            near(scene.pose_at(number("leaf \"é\""), time), &expected, time);
            if to == 1 {
                let part = pose([0.0, 0.0, 5.0], DVec3::X, 0.5);
                near(scene.pose_at(number("pair part 0"), time), &expected.compose(&part), time);
            }
        }
        near(scene.pose_at(number("floor"), fraction), &pose([0.0, 0.0, -1.0], DVec3::Z, 1.0), fraction);
    }
}

#[test]
fn bodies_that_do_not_fit_the_format_are_errors() {
    let shape = mesh(1.0);
    let write = |x: f64| {
        let keys = vec![(0.0, pose([x, 0.0, 0.0], DVec3::X, 0.0))];
        let bodies = vec![body("far", vec![(0, Pose::IDENTITY)], keys)];
        gltf::to_glb(&AnimatedScene {
            name: "s",
            up: UpAxis::Z,
            meshes: vec![&shape],
            moving: vec![],
            bodies,
        })
    };
    // A static scene has no animation.
    let still = Gltf::from_slice(&write(1.0).unwrap()).unwrap();
    assert_eq!((still.animations().count(), still.nodes().count()), (0, 2));
    assert_eq!(
        write(1e39).unwrap_err(),
        "body \"far\": found a place 1e39 m away, expected less than 3e38 m"
    );
    let huge = mesh(1e39);
    let refused = gltf::to_glb(&AnimatedScene {
        name: "s",
        up: UpAxis::Z,
        meshes: vec![&huge],
        moving: vec![],
        bodies: vec![],
    })
    .unwrap_err();
    assert_eq!(refused, "found a mesh with a coordinate of 3e38 m or more, expected less");
}

/// The tetrahedron with an unused vertex before the others, three times as large from frame to frame.
fn growing(frames: i32) -> DeformingSurface {
    let vertices = [DVec3::splat(9.0), DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let at = |size: f64| vertices.map(|vertex| size * vertex + DVec3::splat(0.1)).to_vec();
    let sizes = (0..frames).map(|frame| 3.0_f64.powi(frame % 8));
    let places: Vec<Vec<DVec3>> = sizes.map(at).collect();
    let mesh = Mesh::new(places[0].clone(), vec![[1, 3, 2], [1, 2, 4], [2, 3, 4], [1, 4, 3]]).unwrap();
    let times = (0..frames).map(f64::from).collect();
    DeformingSurface::new(mesh, times, Arc::new(FramesInMemory(places))).unwrap()
}

#[test]
fn deforming_bodies_have_morph_targets_for_both_readers() {
    let (surface, rigid) = (growing(4), mesh(2.0));
    let frames = vec![(0.0, 0), (0.25, 1), (0.75, 2), (1.0, 3)];
    let moving = vec![MovingMesh { mesh: 0, surface: &surface, frames, until: 0.875 }];
    let upright = Pose::from_position(DVec3::Z).unwrap();
    let bodies = vec![
        body("alone", vec![(0, Pose::IDENTITY)], vec![(0.0, upright)]),
        body("pair", vec![(0, upright), (1, Pose::IDENTITY)], tumbling()[..2].to_vec()),
    ];
    let meshes = vec![surface.mesh(), &rigid];
    let bytes = gltf::to_glb(&AnimatedScene { name: "s", up: UpAxis::Z, meshes, moving, bodies }).unwrap();

    let Gltf { document, blob } = Gltf::from_slice(&bytes).unwrap();
    let blob = blob.unwrap();
    let data = |_: gltf_crate::Buffer<'_>| Some(blob.as_slice());
    let mesh = document.meshes().next().unwrap();
    let primitive = mesh.primitives().next().unwrap();
    let reader = primitive.reader(data);
    let first: Vec<DVec3> = reader.read_positions().unwrap().map(vector).collect();
    assert_eq!((first.len(), reader.read_normals().is_none()), (4, true));
    let mut places = vec![DVec3::ZERO; 5];
    let targets: Vec<Vec<DVec3>> =
        reader.read_morph_targets().map(|target| target.0.unwrap().map(vector).collect()).collect();
    assert_eq!(targets.len(), 3);
    for (frame, target) in (1..).zip(&targets) {
        surface.read(frame, &mut places).unwrap();
        for (vertex, displacement) in target.iter().enumerate() {
            let off = (first[vertex] + *displacement).distance(places[vertex + 1]);
            assert!(off < 1e-6, "frame {frame}, vertex {vertex}: {off}");
        }
    }
    for target in primitive.morph_targets() {
        let positions = target.positions().unwrap();
        assert!(positions.min().is_some() && positions.max().is_some());
    }
    let animation = document.animations().next().unwrap();
    let weighed: Vec<_> =
        animation.channels().filter(|own| own.target().property() == Property::MorphTargetWeights).collect();
    let names: Vec<_> = weighed.iter().map(|own| own.target().node().name().unwrap().to_owned()).collect();
    assert_eq!(names, ["alone", "pair part 0"]);
    for channel in &weighed {
        let reader = channel.reader(data);
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        let Some(ReadOutputs::MorphTargetWeights(weights)) = reader.read_outputs() else { panic!() };
        let weights: Vec<f32> = weights.into_f32().collect();
        assert_eq!(times, [0.0, 0.25, 0.75, 0.875]);
        assert_eq!(weights, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 0.5]);
    }

    let scene = gltf::parse(&bytes, "s.glb".as_ref(), &GltfOptions::default()).unwrap().scene;
    let bending = scene.bodies().iter().filter_map(|body| body.shape.as_ref()?.deforming_surface());
    let found: Vec<_> = bending.collect();
    assert_eq!(found.len(), 2);
    for own in found {
        assert_eq!(own.times(), [0.0, 0.25, 0.75, 0.875]);
        let mut read = vec![DVec3::ZERO; own.mesh().vertex_count()];
        let mut between = vec![DVec3::ZERO; 5];
        own.read(3, &mut read).unwrap();
        surface.read(2, &mut places).unwrap();
        surface.read(3, &mut between).unwrap();
        for (vertex, place) in read.iter().enumerate() {
            let expected = 0.5 * (places[vertex + 1] + between[vertex + 1]);
            assert!(place.distance(expected) < 1e-5, "{place} for {expected}");
        }
    }
}

#[test]
fn missing_and_excessive_frames_are_errors() {
    let surface = growing(1);
    let write = |frames: usize| {
        let frames = (0..frames).map(|number| (number as f64, 0)).collect();
        let moving = vec![MovingMesh { mesh: 0, surface: &surface, frames, until: 1.0 }];
        gltf::to_glb(&AnimatedScene {
            name: "s",
            up: UpAxis::Z,
            meshes: vec![surface.mesh()],
            moving,
            bodies: vec![],
        })
    };
    assert!(write(MAX_FRAMES).is_ok());
    assert_eq!(write(0).unwrap_err(), "found 0 frames, expected 1 to 1000");
    assert_eq!(write(MAX_FRAMES + 1).unwrap_err(), "found 1001 frames, expected 1 to 1000");
}
