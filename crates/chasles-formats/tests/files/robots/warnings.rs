//! Warnings about robots that are valid but probably a mistake, and robots without warnings.

use std::path::Path;

use chasles_formats::robot::cell::{self, CellOptions};
use chasles_formats::robot::urdf::{self, RobotFile, UrdfOptions};

use crate::robots::support::{parse, robot, two_links};

/// A tetrahedron with edges of this length along the axes.
fn tetrahedron(size: f64) -> String {
    format!("v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
}

/// A COLLADA file with one triangle of this length in its unit.
fn collada(unit: f64, size: f64) -> String {
    format!(
        "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset><unit meter='{unit}'/></asset>\
         <library_geometries><geometry id='g'><mesh><source id='p'><float_array id='pa' count='9'>0 0 0 {size} 0 0 0 {size} 0\
         </float_array><technique_common><accessor source='#pa' count='3' stride='3'><param name='X' type='float'/>\
         <param name='Y' type='float'/><param name='Z' type='float'/></accessor></technique_common></source>\
         <vertices id='v'><input semantic='POSITION' source='#p'/></vertices><triangles count='1'>\
         <input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>\
         <library_visual_scenes><visual_scene id='s'><node><instance_geometry url='#g'/></node></visual_scene>\
         </library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>"
    )
}

/// A base of 0.4 m, and a hand with this geometry 0.3 m beside it.
fn with_hand(geometry: &str) -> String {
    let link = |name: &str, geometry: &str| {
        format!("<link name='{name}'><collision><geometry>{geometry}</geometry></collision></link>\n")
    };
    format!(
        "<robot name='r'>\n{}{}<joint name='j' type='continuous'><parent link='base'/><child link='hand'/>\
         <origin xyz='0.3 0 0'/><axis xyz='0 0 1'/></joint></robot>",
        link("base", "<box size='0.4 0.05 0.05'/>"),
        link("hand", geometry)
    )
}

/// The warnings of the robot of [`with_hand`], with these files beside it.
fn of_hand(geometry: &str, files: &[(&str, String)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let path = folder.path().join("r.urdf");
    std::fs::write(&path, with_hand(geometry)).unwrap();
    let warnings = urdf::read(&path, &UrdfOptions::default()).unwrap().warnings;
    let place = format!("{}:3: link \"hand\", collision 1, ", path.display());
    warnings.iter().map(|warning| warning.strip_prefix(&place).unwrap_or(warning).to_owned()).collect()
}

#[test]
fn links_far_larger_or_smaller_than_the_rest() {
    let meshes = |size: f64| [("a.stl.obj", tetrahedron(size))];
    let mesh = |scale: &str| format!("<mesh filename='a.stl.obj' {scale}/>");
    let thousandth = "scale='0.001 0.001 0.001'";
    // A file in millimetres without a scale measures 12 m; a file in metres with the scale of millimetres measures
    // 0.14 mm.
    let large = of_hand(&mesh(""), &meshes(9.0));
    let cure = "if its file is in millimetres, it needs scale=\"0.001 0.001 0.001\"";
    assert_eq!(large, [format!("mesh: its size is 15.6 m, beside 0.406 m of the rest: {cure}")]);
    let small = of_hand(&mesh(thousandth), &meshes(0.1));
    let cure = "if its file is in metres, it needs no scale";
    assert_eq!(small, [format!("mesh: its size is 0.000173 m, beside 0.406 m of the rest: {cure}")]);
    let slip = of_hand("<box size='4 5 5'/>", &[]);
    assert_eq!(slip, ["box: its size is 8.12 m, beside 0.406 m of the rest: sizes are in metres"]);
    // Without warnings: the right scale; a small screw; the ground.
    assert_eq!(of_hand(&mesh(thousandth), &meshes(90.0)), [""; 0]);
    assert_eq!(of_hand(&mesh(thousandth), &meshes(2.0)), [""; 0]);
    assert_eq!(of_hand("<box size='20 20 0.1'/>", &[]), [""; 0]);
    assert_eq!(of_hand("<sphere radius='0.0005'/>", &[]), [""; 0]);
}

#[test]
fn repeated_unit_factors_are_warnings() {
    let dae = |unit: f64, size: f64| [("a.dae", collada(unit, size))];
    let mesh = |scale: &str| format!("<mesh filename='a.dae' {scale}/>");
    let thousandth = "scale='0.001 0.001 0.001'";
    let cure = "its file states its unit, which counts, and scale counts too: it needs no scale";
    let reported =
        |across: &str| [format!("mesh: its size is {across} m, beside 0.406 m of the rest: {cure}")];
    assert_eq!(of_hand(&mesh(thousandth), &dae(0.001, 120.0)), reported("0.00017"));
    assert_eq!(of_hand(&mesh("scale='0.01 0.01 0.01'"), &dae(0.01, 30.0)), reported("0.00424"));
    // The unit applies once, from the file or from the scale.
    assert_eq!(of_hand(&mesh(""), &dae(0.001, 120.0)), [""; 0]);
    assert_eq!(of_hand(&mesh(thousandth), &dae(1.0, 120.0)), [""; 0]);
}

#[test]
fn limits_and_angles_that_look_like_degrees() {
    let warnings = |kind: &str, inside: &str| parse(&two_links(kind, inside)).unwrap().warnings;
    let limit = |[lower, upper]: [f64; 2]| format!("<limit lower='{lower}' upper='{upper}'/>");
    for ends in [[-170.0, 170.0], [0.0, 90.0], [-30.0, 0.0], [-360.0, 360.0]] {
        let reported = format!(
            "cell/arm.urdf:7: joint \"j\", limit: {} to {} looks like degrees, and is taken as radians",
            ends[0], ends[1]
        );
        assert_eq!(warnings("revolute", &limit(ends)), [reported]);
    }
    // Without warnings: limits of two turns in both directions, limits in metres, and very large limits.
    for (kind, ends) in [
        ("revolute", [-12.566_370_614, 12.566_370_614]),
        ("revolute", [-1e4, 1e4]),
        ("prismatic", [-100.0, 100.0]),
    ] {
        assert_eq!(warnings(kind, &limit(ends)), [""; 0]);
    }
    let reported = "cell/arm.urdf:7: joint \"j\", origin: rpy: found 90, which looks like degrees, and is taken as radians: \
                expected 1.5707963267948966";
    assert_eq!(warnings("fixed", "<origin rpy='0 0 90'/>"), [reported]);
    assert_eq!(warnings("fixed", "<origin rpy='3.1416 -6.2832 1e-9'/>"), [""; 0]);
}

/// A base with collision geometry, a hand with visual geometry only, and a frame without geometry.
const DRAWN: &str = "<robot name='r'>
<link name='base'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
<link name='hand'><visual><origin xyz='1 0 0'/><geometry><box size='0.2 0.1 0.1'/></geometry></visual></link>
<link name='tool'/>
<joint name='j' type='continuous'><parent link='base'/><child link='hand'/></joint>
<joint name='t' type='fixed'><parent link='hand'/><child link='tool'/></joint></robot>";

fn read(text: &str, use_visual: bool) -> RobotFile {
    let options = UrdfOptions { use_visual, ..UrdfOptions::default() };
    urdf::parse(text.as_bytes(), Path::new("r.urdf"), &options).unwrap()
}

#[test]
fn links_with_only_visual_geometry_are_warnings() {
    let named = read(DRAWN, false);
    let reported = "r.urdf:3: link \"hand\": found visual geometry and no collision geometry in \"hand\": the check \
                ignores it (--use-visual takes it)";
    assert_eq!(named.warnings, [reported]);
    assert!(named.definition.links[1].elements.is_empty());
    let taken = read(DRAWN, true);
    assert_eq!(taken.warnings, [""; 0]);
    let elements = &taken.definition.links[1].elements;
    assert_eq!((elements.len(), elements[0].pose.position().x), (1, 1.0));
    // A link with collision geometry keeps it.
    let both = DRAWN
        .replace("</visual>", "</visual><collision><geometry><sphere radius='1'/></geometry></collision>");
    for use_visual in [false, true] {
        let read = read(&both, use_visual);
        assert_eq!((read.warnings.len(), read.definition.links[1].elements.len()), (0, 1));
    }
}

#[test]
fn a_robot_without_any_surface_is_refused() {
    let bare = DRAWN.replace("collision>", "visual>");
    let build = |use_visual| {
        let robot = chasles::Robot::new(read(&bare, use_visual).definition).unwrap();
        cell::build(robot, Path::new("r.urdf"), &CellOptions::default()).map(|_| ())
    };
    let reported = "r.urdf: found no collision geometry in any link, expected some (--use-visual takes visual \
                geometry)";
    assert_eq!(build(false).unwrap_err().to_string(), reported);
    assert!(build(true).is_ok());
}

#[test]
fn planar_and_floating_joints_rest_without_a_path() {
    for (kind, coordinates) in [("planar", 3), ("floating", 6)] {
        let read = robot(&two_links(kind, ""));
        assert_eq!((read.definition.joints.len(), &read.free[..]), (coordinates, &["j".to_owned()][..]));
        assert!(read.definition.joints.iter().all(|joint| joint.rest == 0.0));
    }
}
