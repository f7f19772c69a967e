//! Built shapes: their units, their sizes, and the data that bodies share.

use chasles_formats::robot::cell::{self, CellOptions, HollowBodies};
use chasles_formats::robot::urdf::{self, UrdfOptions};
use glam::DVec3;

use crate::scene_shapes::support::{Cell, body, npy, shape, tetrahedron};

fn files() -> Cell {
    let heights = |factor: f64| npy("(2, 3)", &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5].map(|height| factor * height));
    Cell::new(&[
        ("sdf.npy", npy("(2, 2, 2)", &[1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -0.5])),
        ("m.npy", heights(1.0)),
        ("mm.npy", heights(1000.0)),
        ("m.xyz", b"0 0 0\n0.25 0 0.5\n".to_vec()),
        ("mm.xyz", b"0 0 0\n250 0 500\n".to_vec()),
        ("m.obj", tetrahedron("0.25")),
        ("mm.obj", tetrahedron("250")),
    ])
}

#[test]
fn units_apply_to_all_lengths_except_in_formulas() {
    let cell = files();
    let every = |head: &str, m: &str, k: f64| {
        let [x, y, z] = [k * 0.25, k * 0.5, -k];
        let epsilon = k * 1e-4;
        format!(
            "format = 1\nduration = 1\n{head}\nepsilon = {epsilon}\n\
             [[body]]\nname = 'a'\npoints = '{m}.xyz'\nradius = {x}\n\
             [[body]]\nname = 'b'\nheights = {{ file = '{m}.npy', spacing = [{x}, {y}], origin = [{y}, {x}], bottom = {z} }}\n\
             [[body]]\nname = 'c'\nlevel_set = {{ file = 'sdf.npy', spacing = {x}, origin = [{x}, {y}, {z}] }}\n\
             [[body]]\nname = 'd'\nimplicit = 'x^2 + y^2 + z^2 - 0.0001'\nbounds = [[-1, -1, -1], [1, 1, 1]]\n\
             [[body]]\nname = 'e'\nparametric = {{ x = 'u', y = 'v', z = '0', u = [0, 1], v = [0, 1] }}\n\
             [[body]]\nname = 'f'\ncsg.difference = [ {{ mesh = '{m}.obj', pose = {{ position = [{x}, 0, 0] }} }},\n\
             {{ half_space = {{ normal = [0, 0, 3], offset = {x} }} }}, {{ capsule = {{ radius = {x}, height = {y} }} }},\n\
             {{ implicit = 'x', bounds = [[0, 0, 0], [1, 1, 1]] }} ]\n"
        )
    };
    let metres = cell.scene(&every("", "m", 1.0));
    assert_eq!(metres.epsilon(), 1e-4);
    assert_eq!(cell.scene(&every("unit = 'mm'", "mm", 1000.0)), metres);
    assert!(metres.bodies()[1].solid && metres.bodies()[5].solid && !metres.bodies()[0].solid);
    // The unit of a body is its file's unit.
    let one = |lines: &str| cell.scene(&body(lines));
    assert_eq!(one("points = 'mm.xyz'\nradius = 5\nunit = 'mm'"), one("points = 'm.xyz'\nradius = 0.005"));
    let huge = cell.build(&body("points = 'mm.xyz'\nradius = 0.005")).unwrap();
    assert!(
        huge.warnings.len() == 1 && huge.warnings[0].contains("body \"part\".points: it is 559 m across")
    );
    assert_ne!(huge.scene, one("points = 'm.xyz'\nradius = 0.005"));
}

/// The box around the only body.
#[track_caller]
fn bounds(cell: &Cell, lines: &str) -> [DVec3; 2] {
    let scene = cell.scene(&body(lines));
    shape(&scene).bounds()
}

#[test]
fn scale_applies_to_the_whole_body() {
    let cell = files();
    let close = |lines: &str, expected: [[f64; 3]; 2]| {
        for (found, expected) in bounds(&cell, lines).into_iter().zip(expected.map(DVec3::from_array)) {
            assert!(found.distance(expected) < 1e-7, "{found} for {expected}: {lines}");
        }
    };
    close("points = 'm.xyz'\nradius = 0.1\nscale = 2", [[-0.2, -0.2, -0.2], [0.7, 0.2, 1.2]]);
    let grid = "level_set = { file = 'sdf.npy', spacing = 0.5, origin = [1, 0, 0] }";
    close(&format!("{grid}\nscale = 2"), [[2.0, 0.0, 0.0], [3.0, 1.0, 1.0]]);
    let field = "heights = { file = 'm.npy', spacing = [1, 2], origin = [0, 1], bottom = -1 }";
    close(&format!("{field}\nscale = 10"), [[0.0, 10.0, -10.0], [10.0, 50.0, 5.0]]);
    close("implicit = 'x'\nbounds = [[0, 0, 0], [1, 2, 3]]\nscale = 0.5", [[0.0; 3], [0.5, 1.0, 1.5]]);
    let ball = "csg.union = [{ sphere = 1, pose = { position = [1, 0, 0] } }]";
    close(&format!("{ball}\nscale = 3"), [[0.0, -3.0, -3.0], [6.0, 3.0, 3.0]]);
    let mesh = "csg.union = [{ mesh = 'm.obj', scale = 2 }]";
    close(&format!("{mesh}\nscale = 4"), [[0.0; 3], [2.0; 3]]);
}

#[test]
fn bodies_with_the_same_keys_share_their_shape() {
    let cell = files();
    let body = |name: &str, lines: &str| format!("[[body]]\nname = '{name}'\n{lines}\n");
    for (same, other) in [
        ("points = 'm.xyz'\nradius = 0.1", "points = 'm.xyz'\nradius = 0.2"),
        ("points = 'm.xyz'\nradius = 0.1", "points = 'm.xyz'\nradius = 0.1\nscale = 2"),
        (
            "level_set = { file = 'sdf.npy', spacing = 1 }",
            "level_set = { file = 'sdf.npy', spacing = [1, 1, 2] }",
        ),
        (
            "heights = { file = 'm.npy', spacing = 1, bottom = -1 }",
            "heights = { file = 'm.npy', spacing = 1, bottom = -2 }",
        ),
    ] {
        let text =
            format!("format = 1\nduration = 1\n{}{}{}", body("a", same), body("b", same), body("c", other));
        let scene = cell.scene(&text);
        let drawn = |number: usize| scene.bodies()[number].shape.as_ref().unwrap().drawn();
        assert!(std::ptr::eq(drawn(0), drawn(1)), "{same}");
        assert!(!std::ptr::eq(drawn(0), drawn(2)), "{other}");
    }
}

#[test]
fn points_that_are_not_numbers_are_errors() {
    let pcd = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 1\nPOINTS 3\nDATA ascii\n\
               nan nan nan\n0 0 0\n1 1 1\n";
    let cell = Cell::new(&[("a.pcd", pcd.into())]);
    let built = cell.build(&body("points = 'a.pcd'\nradius = 0.1")).unwrap();
    let what = "1 of 3 points are not numbers and are ignored, first point 0; the others keep their numbers";
    assert_eq!(built.warnings.len(), 1);
    assert!(built.warnings[0].ends_with(&format!("a.pcd: {what}")), "{:?}", built.warnings);
}

#[test]
fn solids_without_a_point_in_their_bounds_are_errors() {
    let cell = Cell::new(&[("above.npy", npy("(2, 2, 2)", &[1.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 0.25]))]);
    let ball = |radius: f64| format!("implicit = 'x^2 + y^2 + z^2 - {radius}^2'");
    let apart = "{ box = [1, 1, 1] }, { box = [1, 1, 1], pose = { position = [2, 0, 0] } }";
    for (key, lines) in [
        ("implicit", "implicit = 'x^2 + 1'\nbounds = [[-1, -1, -1], [1, 1, 1]]".to_owned()),
        ("implicit", format!("{}\nbounds = [[1, 1, 1], [2, 2, 2]]", ball(1.0))),
        ("csg", format!("csg.intersection = [ {apart} ]")),
        ("csg", "csg.difference = [ { sphere = 1 }, { sphere = 1.5 } ]".to_owned()),
        ("level_set", "level_set = { file = 'above.npy', spacing = 1 }".to_owned()),
    ] {
        let what = format!("scene.toml:5: body \"part\".{key}: the solid has no point within its bounds");
        let warnings = cell.build(&body(&lines)).expect(&lines).warnings;
        assert!(matches!(&warnings[..], [one] if one.ends_with(&what)), "{lines}: {warnings:?}");
    }
    for lines in [
        format!("{}\nbounds = [[-1, -1, -1], [1, 1, 1]]", ball(1e-3)),
        format!("csg.union = [ {apart} ]"),
        "csg.difference = [ { sphere = 1.5 }, { sphere = 1 } ]".to_owned(),
    ] {
        assert_eq!(cell.build(&body(&lines)).expect(&lines).warnings, [] as [&str; 0], "{lines}");
    }
}

/// Around a robot all closed bodies are solid, except bodies with `solid = false` and the named hollow ones.
#[test]
fn links_and_bodies_around_robots_are_solid_where_they_are_closed() {
    let cell = files();
    std::fs::write(cell.path().with_file_name("sheet.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let robot = "<robot name='r'><link name='x'><collision><geometry><box size='1 1 1'/></geometry></collision>\
                 <collision><geometry><mesh filename='sheet.obj'/></geometry></collision></link></robot>";
    let world = "format = 1\nduration = 1\n[[body]]\nname = 'said'\nbox = [1, 1, 1]\nsolid = true\n\
                 [[body]]\nname = 'open'\nmesh = 'sheet.obj'\n[[body]]\nname = 'plain'\nsphere = 1\n\
                 [[body]]\nname = 'denied'\nsphere = 1\nsolid = false\n\
                 [[body]]\nname = 'formula'\nimplicit = 'x^2 + y^2 + z^2 - 0.01'\n\
                 bounds = [[-0.1, -0.1, -0.1], [0.1, 0.1, 0.1]]\n";
    std::fs::write(cell.path(), world).unwrap();
    let file = cell.path().with_file_name("r.urdf");
    let read = urdf::parse(robot.as_bytes(), &file, &UrdfOptions::default()).unwrap();
    let robot = chasles::Robot::new(read.definition).unwrap();
    let built = |names: &[&str]| -> Result<Vec<u8>, String> {
        let hollow = HollowBodies::of_names(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let options =
            CellOptions { world: Some(cell.path()), hollow: hollow.clone(), ..CellOptions::default() };
        let made = cell::build(robot.clone(), &file, &options).unwrap().cell;
        hollow.check(&file, &made).map_err(|error| error.to_string())?;
        let links = made.robot().links()[0].elements.iter().map(|part| part.solid);
        let bodies = made.definition().world.iter().map(|around| around.body.solid);
        Ok(links.chain(bodies).map(u8::from).collect::<Vec<u8>>())
    };
    assert_eq!(built(&[]), Ok(vec![1, 0, 1, 0, 1, 0, 1]));
    assert_eq!(built(&["x", "said"]), Ok(vec![0, 0, 0, 0, 1, 0, 1]));
    assert_eq!(built(&["formula", "open"]), Ok(vec![1, 0, 1, 0, 1, 0, 0]));
    assert_eq!(built(&["all"]), Ok(vec![0, 0, 1, 0, 0, 0, 1]));
    let message = built(&["y"]);
    let expected = "r.urdf: found no \"y\" to be hollow, expected the name of a link or of a body of the world, or all: \
                    x, said, open, plain, denied, formula";
    assert!(message.unwrap_err().ends_with(expected));
}

/// A robot beside a terrain, with an obstacle given by a formula on its arm.
#[test]
fn worlds_around_robots_may_have_solids() {
    let cell = files();
    let world = "format = 1\nduration = 1\nepsilon = 1e-4\n\
                 [[body]]\nname = 'ground'\nheights = { file = 'm.npy', spacing = 1, bottom = -1 }\n\
                 [[body]]\nname = 'tool'\nparent = 'y'\nimplicit = 'x^2 + y^2 + z^2 - 0.01'\n\
                 bounds = [[-0.1, -0.1, -0.1], [0.1, 0.1, 0.1]]\n\
                 [[body]]\nname = 'scan'\npoints = 'm.xyz'\nradius = 0.01\n";
    std::fs::write(cell.path(), world).unwrap();
    let robot = "<robot name='r'><link name='x'/><link name='y'/>\
                 <joint name='j' type='continuous'><parent link='x'/><child link='y'/></joint></robot>";
    let read = urdf::parse(robot.as_bytes(), "r.urdf".as_ref(), &UrdfOptions::default()).unwrap();
    let robot = chasles::Robot::new(read.definition).unwrap();
    let options = CellOptions { world: Some(cell.path()), ..CellOptions::default() };
    let built = cell::build(robot, "r.urdf".as_ref(), &options).unwrap();
    assert_eq!(built.warnings, [] as [&str; 0]);
    assert_eq!(built.files.len(), 3);
    let waypoint = |time: f64| chasles::Waypoint { time, positions: vec![time], velocities: vec![] };
    let path = chasles::JointPath { joints: vec![0], waypoints: vec![waypoint(0.0), waypoint(1.0)] };
    for cell in [
        built.cell.clone(),
        built.cell.with_clearances(vec![]).unwrap(),
        built.cell.with_static_world(0.5).unwrap(),
    ] {
        let scene = cell.path_scene(&path).unwrap().scene;
        assert_eq!((scene.epsilon(), scene.bodies().len()), (1e-4, 5));
        assert!(scene.bodies()[2].solid && scene.bodies()[3].solid && !scene.bodies()[4].solid);
    }
}
