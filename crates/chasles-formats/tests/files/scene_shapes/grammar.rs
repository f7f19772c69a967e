//! Accepted scenes.

use chasles::{PartShape, Primitive};
use chasles_formats::scene::file::{
    HeightsEntry, LevelSetEntry, PartEntry, PartShapeEntry, PointsEntry, ShapeEntry, SolidEntry,
};
use glam::DVec3;

use crate::scene_shapes::support::read;

/// The only body of a scene: its shape, and whether it is solid.
#[track_caller]
fn shape(lines: &str) -> (ShapeEntry, bool) {
    let mut scene = read(lines).unwrap();
    let body = scene.bodies.remove(0);
    let solid = body.is_solid();
    (body.shape, solid)
}

#[track_caller]
fn parts(lines: &str) -> Vec<PartEntry> {
    match shape(lines).0 {
        ShapeEntry::Solid(SolidEntry { parts, .. }) => parts,
        other => panic!("{other:?}"),
    }
}

const BALL: &str = "implicit = 'x^2 + y^2 + z^2 - 1'\nbounds = [[-1, -1, -1], [1, 1, 1]]\n";

#[test]
fn formulas_and_surfaces() {
    let (ball, solid) = shape(BALL);
    assert_eq!((ball.key(), solid), ("implicit", true));
    let ShapeEntry::Solid(ball) = ball else { panic!("{ball:?}") };
    let PartShapeEntry::Complete(PartShape::Formula { formula, bounds }) = &ball.parts[0].shape else {
        panic!("{ball:?}")
    };
    assert_eq!((formula.value(&[0.5, 0.0, 0.0]), bounds), (-0.75, &[-DVec3::ONE, DVec3::ONE]));
    assert!(!shape(&format!("{BALL}solid = false")).1);

    let helix = "{ x = 'cos(u)*(1+v)', y = 'sin(u)*(1+v)', z = 'u/4', u = [0, 6.25], v = [0, 1] }";
    let (helix, solid) = shape(&format!("parametric = {helix}"));
    let ShapeEntry::Parametric(helix) = helix else { panic!("{helix:?}") };
    assert_eq!((helix.ranges, solid), ([[0.0, 6.25], [0.0, 1.0]], false));
    assert_eq!(helix.coordinates[2].value(&[2.0, 7.0]), 0.5);
}

#[test]
fn files_of_samples_and_points() {
    let grid = |file: &str, spacing: [f64; 3], origin: [f64; 3]| {
        let [spacing, origin] = [spacing, origin].map(DVec3::from_array);
        PartShapeEntry::LevelSet(LevelSetEntry { file: file.into(), spacing, origin })
    };
    let one = |lines: &str| parts(lines).remove(0).shape;
    assert_eq!(one("level_set = { file = 'a.npy', spacing = 0.5 }"), grid("cell/a.npy", [0.5; 3], [0.0; 3]));
    let full = "level_set = { file = '/a.npy', spacing = [1, 2, 3], origin = [-1, 0, 1] }\nunit = 'cm'";
    assert_eq!(one(full), grid("/a.npy", [0.01, 0.02, 0.03], [-0.01, 0.0, 0.01]));
    let field = |spacing, origin, bottom| {
        PartShapeEntry::Heights(HeightsEntry { file: "cell/a.npy".into(), spacing, origin, bottom })
    };
    let plain = "heights = { file = 'a.npy', spacing = [0.1, 0.2], bottom = -1 }";
    assert_eq!(one(plain), field([0.1, 0.2], [0.0; 2], -1.0));
    let full = "heights = { file = 'a.npy', spacing = 5, origin = [1, 2], bottom = 0 }\nunit = 'mm'";
    assert_eq!(one(full), field([0.005; 2], [0.001, 0.002], 0.0));
    assert!(shape(plain).1 && !shape(&format!("{plain}\nsolid = false")).1);
    let points = |radius| ShapeEntry::Points(PointsEntry { file: "cell/a.pcd".into(), radius });
    assert_eq!(shape("points = 'a.pcd'\nradius = 0"), (points(0.0), false));
    assert_eq!(shape("points = 'a.pcd'\nradius = 5\nunit = 'mm'"), (points(0.005), false));
}

#[test]
fn parts_are_listed_after_their_operands() {
    let text = "unit = 'cm'\ncsg = { difference = [ { box = [100, 100, 10] }, { union = [\n\
                { mesh = 'a.stl', scale = 2 }, { half_space = { normal = [0, 0, 2], offset = 30 } } ],\n\
                pose = { position = [20, 0, 0], rotation = [2, 0, 0, 0] } },\n\
                { intersection = [ { implicit = 'x', bounds = [[0, 0, 0], [1, 1, 1]] } ] } ] }";
    let parts = parts(text);
    let kinds: Vec<_> = parts.iter().map(|part| (part.path.as_str(), part.line)).collect();
    assert_eq!(
        kinds,
        [
            ("body \"part\".csg.difference[0].box", 6),
            ("body \"part\".csg.difference[1].union[0].mesh", 7),
            ("body \"part\".csg.difference[1].union[1].half_space", 7),
            ("body \"part\".csg.difference[1].union", 6),
            ("body \"part\".csg.difference[2].intersection[0].implicit", 9),
            ("body \"part\".csg.difference[2].intersection", 9),
            ("body \"part\".csg.difference", 6),
        ]
    );
    let [plate, mesh, half_space, union, formula, one, whole] = &parts[..] else { panic!("{parts:?}") };
    let complete = PartShapeEntry::Complete;
    let size = DVec3::new(1.0, 1.0, 0.1);
    assert_eq!(plate.shape, complete(PartShape::Primitive(Primitive::Box { size })));
    assert_eq!((&mesh.shape, mesh.scale), (&PartShapeEntry::Mesh("cell/a.stl".into()), 2.0));
    let normal = DVec3::new(0.0, 0.0, 2.0);
    assert_eq!(half_space.shape, complete(PartShape::HalfSpace { normal, offset: 0.3 }));
    assert_eq!((&union.shape, union.pose.position.x), (&complete(PartShape::Union(vec![1, 2])), 0.2));
    // Formulas are in metres.
    let PartShapeEntry::Complete(PartShape::Formula { bounds, .. }) = &formula.shape else {
        panic!("{formula:?}")
    };
    assert_eq!(bounds, &[DVec3::ZERO, DVec3::ONE]);
    assert_eq!(one.shape, complete(PartShape::Intersection(vec![4])));
    assert_eq!(whole.shape, complete(PartShape::Difference(vec![0, 3, 5])));
    let files = read(text).unwrap();
    assert_eq!(files.files(), [std::path::Path::new("cell/a.stl")]);
    assert_eq!(files.meshes(), [] as [&std::path::Path; 0]);
}

#[test]
fn epsilon_is_a_length() {
    let epsilon = |head: &str| {
        let text = format!("format = 1\nduration = 1\n{head}\n[[body]]\nname = 'a'\nsphere = 1\n");
        let read = chasles_formats::scene::file::parse(text.as_bytes(), "a.toml".as_ref());
        read.map(|scene| scene.epsilon).map_err(|error| error.to_string())
    };
    assert_eq!(epsilon(""), Ok(None));
    assert_eq!(epsilon("epsilon = 1e-5"), Ok(Some(1e-5)));
    assert_eq!(epsilon("unit = 'mm'\nepsilon = 0.01"), Ok(Some(1e-5)));
    assert_eq!(
        epsilon("epsilon = 0"),
        Err("a.toml:3: epsilon: found 0, expected a finite number > 0".into())
    );
}

#[test]
fn operations_are_read_to_the_depth_limit_of_toml() {
    let nested = |levels: usize| {
        let (open, close) = ("{ union = [ ".repeat(levels), " ] }".repeat(levels));
        read(&format!("csg = {open}{{ sphere = 1 }}{close}"))
    };
    // In a thread with a small stack, like the tests.
    let deep = nested(38).unwrap();
    let ShapeEntry::Solid(solid) = &deep.bodies[0].shape else { panic!("{deep:?}") };
    assert_eq!(solid.parts.len(), 39);
    for levels in [100, 10_000, 100_000] {
        let message = nested(levels).unwrap_err().to_string();
        assert!(message.starts_with("cell/scene.toml:5: ") && message.len() < 300, "{message}");
    }
}
