//! `chasles info`: the facts about a file of each format, and refused files.

use crate::support::Folder;
use serde_json::{Value, json};

/// A pyramid with a square base, its apex at (0.5, 0.5, 2).
const OBJ: &str =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .5 .5 2\nf 4 3 2 1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n";
const OFF: &str =
    "OFF\n5 5 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n.5 .5 2\n4 3 2 1 0\n3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 5\nproperty double x\nproperty double y\nproperty double z\n\
    element face 5\nproperty list uchar int vertex_indices\nend_header\n\
    0 0 0\n1 0 0\n1 1 0\n0 1 0\n.5 .5 2\n4 3 2 1 0\n3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n";

/// The pyramid as STL, which repeats its corners.
fn stl() -> Vec<u8> {
    let corners: [[f32; 3]; 5] = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [0.5, 0.5, 2.]];
    let faces = [[3, 2, 1], [3, 1, 0], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
    let mut bytes = vec![0; 80];
    bytes.extend(6_u32.to_le_bytes());
    for face in faces {
        let numbers = [[0.0; 3]].into_iter().chain(face.map(|i: usize| corners[i])).flatten();
        bytes.extend(numbers.flat_map(f32::to_le_bytes));
        bytes.extend([0, 0]);
    }
    bytes
}

fn facts() -> Value {
    json!({
        "format": 1, "kind": "mesh", "vertices": 5, "triangles": 6, "closed": true, "pieces": 1,
        "degenerate_triangles": 0, "non_manifold_edges": 0, "bounds": [[0.0, 0.0, 0.0], [1.0, 1.0, 2.0]], "warnings": []
    })
}

#[test]
fn each_format_has_the_same_facts() {
    let folder = Folder::new();
    folder.write("part.obj", OBJ);
    folder.write("part.off", OFF);
    folder.write("part.PLY", PLY);
    folder.write("part.stl", stl());
    folder.write("part", OFF);
    for name in ["part.obj", "part.off", "part.PLY", "part.stl", "part"] {
        let run = folder.run(&["info", name, "--json"]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{name}");
        assert_eq!(run.json(), [facts()], "{name}");
        assert!(run.stdout.starts_with(
            r#"{"format":1,"kind":"mesh","vertices":5,"triangles":6,"closed":true,"pieces":1,"#
        ));
    }
}

#[test]
fn the_table_is_for_people() {
    let folder = Folder::new();
    folder.write("part.obj", OBJ.to_owned() + "f 1 2\n");
    let run = folder.run(&["info", "part.obj"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let (table, warning) = run.stdout.split_once("warning").unwrap();
    assert_eq!(
        table,
        "file                  part.obj\n\
         kind                  mesh\n\
         vertices              5\n\
         triangles             6\n\
         closed                yes\n\
         pieces                1\n\
         degenerate triangles  0\n\
         non-manifold edges    0\n\
         from                  0 0 0\n\
         to                    1 1 2\n\
         size                  1 1 2\n"
    );
    assert!(warning.contains("line 11"), "{warning}");
}

#[test]
fn points_and_arrays_have_their_facts() {
    let folder = Folder::new();
    let pcd = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA ascii\n";
    folder.write("scan.PCD", format!("{pcd}nan 0 0\n1 2 3\n"));
    let run = folder.run(&["info", "scan.PCD", "--json"]);
    let facts = &run.json()[0];
    assert_eq!(
        (&facts["kind"], &facts["points"], &facts["dropped"]),
        (&json!("points"), &json!(1), &json!(1))
    );
    assert_eq!(facts["bounds"], json!([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]));
    let table = folder.run(&["info", "scan.PCD"]).stdout;
    assert!(table.contains("\nleft out              1\n"), "{table}");
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}";
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    array.extend([u8::try_from(header.len()).unwrap(), 0]);
    array.extend(header.as_bytes());
    array.extend([0, 0, 0, 0, 0, 0, 0xC0, 0x7F]);
    folder.write("a.npy", array);
    let table = folder.run(&["info", "a.npy"]).stdout;
    assert!(
        table.contains(
            "\nvalues                1 x 2\nrange                 0 to 0\nnot finite            1\n"
        ),
        "{table}"
    );
    folder
        .run(&["info", "a.npy", "--screw", "0,0,1,0,0,0,1,0"])
        .refused("a.npy: found --screw, which is for meshes");
}

#[test]
fn a_density_gives_mass_centre_and_inertia() {
    let folder = Folder::new();
    folder.write("part.obj", OBJ);
    let facts = &folder.run(&["info", "part.obj", "--json", "--density", "3"]).json()[0];
    let mass = facts["mass"].as_object().unwrap();
    assert_eq!(mass.keys().collect::<Vec<_>>(), ["center", "density", "inertia", "mass", "volume"]);
    // A pyramid of volume 2/3, its centre at a quarter of its height.
    let near = |value: &Value, truth: f64| (value.as_f64().unwrap() - truth).abs() < 1e-14;
    assert!(near(&mass["volume"], 2.0 / 3.0) && near(&mass["mass"], 2.0), "{facts}");
    assert!((0..3).all(|i| near(&mass["center"][i], 0.5)), "{facts}");
    // Means of x^2, y^2, z^2 about the centre: 1/20, 1/20, 3/80 of 4.
    let inertia = &mass["inertia"];
    assert!(near(&inertia[0][0], 0.4) && near(&inertia[2][2], 0.2) && near(&inertia[0][1], 0.0), "{facts}");
    let table = folder.run(&["info", "part.obj", "--density", "3"]).stdout;
    assert!(
        table.ends_with(
            "density               3\n\
             volume                0.666667\n\
             mass                  2\n\
             center of mass        0.5 0.5 0.5\n\
             inertia               [0.4 0 0 | 0 0.4 0 | 0 0 0.2]\n"
        ),
        "{table}"
    );
    for bad in ["0", "-1", "nan", "inf", "heavy"] {
        let run = folder.run(&["info", "part.obj", "--density", bad]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{bad}");
        assert!(run.stderr.contains("expected a finite number greater than 0"), "{}", run.stderr);
    }
    folder.write("open.obj", OBJ.replace("f 1 2 5\n", ""));
    folder.run(&["info", "open.obj", "--density", "1"]).refused(
        "open.obj: mesh: found a mesh that is not closed, expected every edge to have two triangles",
    );
    folder.write("turned.obj", OBJ.replace("f 1 2 5", "f 2 1 5"));
    folder.run(&["info", "turned.obj", "--density", "1"]).refused(
        "turned.obj: mesh: found triangles at edge 0-1 that have opposite orientations, expected all turned outwards",
    );
    folder.write("points.xyz", "1 2 3\n");
    folder
        .run(&["info", "points.xyz", "--density", "1"])
        .refused("points.xyz: found --density, which is for meshes, scenes (.toml) and recordings (.jsonl)");
}

#[test]
fn a_density_gives_the_masses_of_a_scene() {
    let folder = Folder::new();
    folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let scene = "format = 1\nduration = 1\n[[body]]\nname = \"brick\"\nbox = [2, 1, 1]\n[[body]]\nname = \"sheet\"\nmesh = \"open.obj\"\n\
        pose = { position = [9, 0, 0] }\n[[body]]\nname = \"ball\"\npose = { position = [0, 9, 0] }\n\
        implicit = \"x^2 + y^2 + z^2 - 1\"\nbounds = [[-1.1, -1.1, -1.1], [1.1, 1.1, 1.1]]\n";
    folder.write("s.toml", scene);
    let run = folder.run(&["info", "s.toml", "--density", "1000", "--json"]);
    let bodies = &run.json()[0]["bodies"];
    let mass = bodies[0]["mass"]["mass"].as_f64().unwrap();
    assert!((mass - 2000.0).abs() < 1e-9 && bodies[0]["mass"]["accuracy"].is_null(), "{bodies}");
    assert_eq!(bodies[1]["mass"], Value::Null);
    assert!(bodies[1]["no_mass"].as_str().unwrap().contains("not closed"), "{bodies}");
    let (volume, accuracy) = (&bodies[2]["mass"]["volume"], &bodies[2]["mass"]["accuracy"]);
    let off = (volume.as_f64().unwrap() - 4.0 / 3.0 * std::f64::consts::PI).abs();
    assert!(off < accuracy.as_f64().unwrap() * 4.2 && accuracy.as_f64().unwrap() < 1e-3, "{bodies}");
    let table = folder.run(&["info", "s.toml", "--density", "1000"]).stdout;
    for line in [
        "mass                  brick: 2000 kg, volume 2 m^3\n",
        "center of mass        brick: 0 0 0 m\n",
        "inertia               brick: [333.333 0 0 | 0 833.333 0 | 0 0 833.333] kg m^2\n",
        "mass                  sheet: none, mesh: found a mesh that is not closed",
    ] {
        assert!(table.contains(line), "{line} is not in\n{table}");
    }
    let plain = folder.run(&["info", "s.toml", "--json"]).json()[0].clone();
    assert!(
        plain["bodies"][0].get("mass").is_none() && plain["bodies"][1].get("no_mass").is_none(),
        "{plain}"
    );
}

#[test]
fn bad_files_are_refused_by_name() {
    let folder = Folder::new();
    folder.write("a/bad.obj", OBJ.replace("f 1 2 5", "f 1 2 9"));
    folder.write("empty.stl", "");
    folder.write("part.step", "ISO-10303-21;");
    folder.write("far.off", OFF.replace(".5 .5 2", "0 0 1e101"));
    let run = folder.run(&["info", "a/bad.obj"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.starts_with("chasles: a/bad.obj:7: ") && run.stderr.contains('9'), "{}", run.stderr);
    folder.run(&["info", "empty.stl"]).refused("empty.stl: the file is empty: expected a mesh");
    let run = folder.run(&["info", "part.step", "--json"]);
    run.refused("part.step: unknown kind of mesh: expected .obj, .stl, .ply, .off, .dae, .bt or .ot");
    let run = folder.run(&["info", "far.off", "--json"]);
    run.refused("far.off: vertex 4: found 1e101, expected a magnitude below 1e70");
    let run = folder.run(&["info", "gone.ply"]);
    run.refused("gone.ply: cannot be read: No such file or directory (os error 2)");
}

#[test]
fn a_scene_has_its_bodies_and_requirements() {
    let folder = Folder::new();
    folder.write("part.obj", OBJ);
    folder.write("seen.xyz", "0 0 0\n0.1 0.2 0.3\n");
    folder.write(
        "scene.toml",
        "format = 1\nduration = 2.5\nepsilon = 1e-5\nclearance = 0.01\n\
         [[body]]\nname = 'part'\nmesh = 'part.obj'\n\
         [[body]]\nname = 'plate'\ncsg.difference = [{ box = [1, 1, 0.1] }, { cylinder = { radius = 0.2, height = 1 } }]\n\
         pose = { position = [0, 0, -1] }\n\
         [[body]]\nname = 'seen'\npoints = 'seen.xyz'\nradius = 0.014\n",
    );
    let table = folder.run(&["info", "scene.toml"]).stdout;
    let expected = "\
file                  scene.toml
kind                  scene
bodies                3
triangles             6
from                  -0.5 -0.5 -1.05
to                    1 1 2
size                  1.5 1.5 3.05
duration              2.5 s
tolerance             2.44949e-9 m
epsilon               1e-5 m
clearance             0.01 m
body                  part: mesh of 6 triangles, 1 x 1 x 2 m
body                  plate: csg of 3 parts, 1 x 1 x 0.1 m
body                  seen: points, 0.128 x 0.228 x 0.328 m
";
    assert_eq!(table, expected);
    let facts = &folder.run(&["info", "scene.toml", "--json"]).json()[0];
    assert_eq!((&facts["duration"], &facts["epsilon"]), (&json!(2.5), &json!(1e-5)));
    let plate = &facts["bodies"][1];
    assert_eq!(
        (&plate["shape"], &plate["parts"], &plate["triangles"]),
        (&json!("csg"), &json!(3), &json!(0))
    );
    let corner = plate["bounds"][1][2].as_f64().unwrap();
    assert!((corner - 0.05).abs() < 1e-12, "{corner}");
    // Input that a check would refuse is refused here.
    folder.write("bad.toml", "format = 1\nduration = 1.0\n[[body]]\nname = 'a'\nsphere = -1\n");
    let refused = "bad.toml:5: body \"a\".sphere: found -1, expected a finite number > 0";
    folder.run(&["info", "bad.toml"]).refused(refused);
}

const ROBOT: &str = "<robot name='arm'>
  <link name='base'/>
  <link name='arm'><collision><geometry><mesh filename='package://arm/part.obj'/></geometry></collision></link>
  <joint name='lift' type='prismatic'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>
    <limit lower='1' upper='2'/></joint>
</robot>";

#[test]
fn a_robot_has_its_links_and_joints() {
    let folder = Folder::new();
    folder.write("arm/part.obj", OBJ);
    folder.write("arm/urdf/arm.urdf", ROBOT);
    let facts = &folder.run(&["info", "arm/urdf/arm.urdf", "--json"]).json()[0];
    assert_eq!(facts["kind"], json!("scene"));
    assert_eq!(facts["bodies"], json!([{"name": "arm", "triangles": 6}]));
    assert_eq!((&facts["joints"], &facts["triangles"]), (&json!(["lift"]), &json!(6)));
    assert_eq!(facts["bounds"], json!([[0.0, 0.0, 1.5], [1.0, 1.0, 3.5]]));
    let table = folder.run(&["info", "arm/urdf/arm.urdf"]).stdout;
    assert!(
        table.contains("joint                 lift: prismatic, base to arm, 1 to 2 m\nbody                  arm: 6 triangles\n"),
        "{table}"
    );
    // The package elsewhere, and an option that has no meaning for a mesh.
    folder.write("other/big.obj", OBJ);
    folder.write("arm/urdf/arm.urdf", ROBOT.replace("part.obj", "big.obj"));
    let facts = &folder.run(&["info", "arm/urdf/arm.urdf", "--package", "arm=other", "--json"]).json()[0];
    assert_eq!(facts["triangles"], json!(6));
    let run = folder.run(&["info", "other/big.obj", "--package", "arm=other"]);
    run.refused("other/big.obj: found --package, which is for robots (.urdf)");
    folder.write("arm/urdf/arm.urdf", ROBOT.replace("part.obj", "gone.obj"));
    let run = folder.run(&["info", "arm/urdf/arm.urdf"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""));
    let start = "chasles: arm/urdf/arm.urdf:3: link \"arm\", collision 1, mesh: \"package://arm/gone.obj\" is not found: tried ";
    assert!(run.stderr.starts_with(start), "{}", run.stderr);
}

#[test]
fn robots_have_their_joints_and_configurations() {
    let folder = Folder::new();
    folder.write(
        "arm.urdf",
        r#"<robot name="arm"><link name="base"/>
  <link name="upper"><collision><origin xyz="0 0 -0.25"/><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="tip"/><link name="lid"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-1.5" upper="3.141592653589793" velocity="2"/></joint>
  <joint name="spin" type="continuous"><parent link="upper"/><child link="tip"/><axis xyz="0 0 1"/></joint>
  <joint name="lift" type="prismatic"><parent link="upper"/><child link="lid"/><limit lower="0" upper="0.5" velocity="0.1"/>
    <mimic joint="turn" multiplier="-0.1" offset="0.2"/></joint></robot>"#,
    );
    folder.write(
        "arm.srdf",
        "<robot name='arm'><group_state name='home' group='all'><joint name='turn' value='1'/></group_state>\n\
         <group_state name='far'><joint name='turn' value='9'/></group_state></robot>",
    );
    let run = folder.run(&["info", "arm.urdf", "--srdf", "arm.srdf"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let ends = "\
robot                 arm
links                 4
root link             base, the lowest point of the robot is at z = -0.75 m of it
joint                 turn: revolute, base to upper, -1.5 to 3.14159 rad (-85.9437 to 180 deg), at most 2 rad/s (114.592 deg/s)
joint                 spin: continuous, upper to tip, no limits
joint                 lift: prismatic, upper to lid, 0 to 0.5 m, at most 0.1 m/s, follows turn: -0.1 of it + 0.2
configuration         home (all): turn 1
configuration         far: cannot be taken: arm.srdf:2: configuration \"far\": found the joint \"turn\" at 9, beyond its limits: expected -1.5 to 3.141592653589793
body                  upper: 12 triangles
";
    assert!(run.stdout.ends_with(ends), "{}", run.stdout);
    let run = folder.run(&["info", "arm.urdf", "--json"]);
    let info: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(info["joints"], serde_json::json!(["turn", "spin", "lift"]));
    let turn = serde_json::json!({"name": "turn", "type": "revolute", "parent": "base", "child": "upper", "unit": "rad",
        "lower": -1.5, "upper": std::f64::consts::PI, "velocity": 2.0, "rest": 0.0});
    assert_eq!((&info["robot"]["joints"][0], &info["robot"]["lowest"]), (&turn, &(-0.75).into()));
    folder.write("cube.toml", "format = 1\nduration = 1\n[[body]]\nname = 'a'\nbox = [1, 1, 1]\n");
    folder
        .run(&["info", "cube.toml", "--srdf", "arm.srdf"])
        .refused("cube.toml: found --srdf, which is for robots (.urdf)");
}
