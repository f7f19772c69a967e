//! README's list of features that are not built: the program refuses each by name.

use std::path::Path;

use chasles::{EdgeChecker, EdgeOptions, Robot};
use chasles_formats::robot::cell::{self, CellOptions};
use chasles_formats::robot::urdf::{self, UrdfOptions};

use crate::support::Folder;

/// The phrase in README, the names that the message must contain, and the case.
struct Case(&'static str, &'static [&'static str], fn(&Folder) -> String);

const CASES: &[Case] = &[
    Case("a deforming body in a robot's world", &["\"cloth\"", "deforms"], |folder| {
        folder.write("world.toml", format!("format = 1\nduration = 1\n{CLOTH}"));
        error(folder, &["check", "arm.urdf", "--path", "path.csv", "--world", "world.toml"])
    }),
    Case("(formula,", &["\"other\"", "solid"], |folder| {
        beside_cloth(folder, &format!("implicit = 'x^2 + y^2 + z^2 - 1'\nbounds = {UNIT_BOUNDS}"))
    }),
    Case("CSG,", &["\"other\"", "solid"], |folder| {
        beside_cloth(folder, "csg.union = [{ sphere = 1 }, { box = [1, 1, 3] }]")
    }),
    Case("level set,", &["\"other\"", "solid"], |folder| {
        folder.write("field.npy", array(&[3, 3, 3], |index| if index == 13 { -1.0 } else { 1.0 }));
        beside_cloth(folder, "level_set = { file = 'field.npy', spacing = 1, origin = [-1, -1, -1] }")
    }),
    Case("heights)", &["\"other\"", "solid"], |folder| {
        folder.write("land.npy", array(&[3, 3], |_| 0.5));
        beside_cloth(folder, "heights = { file = 'land.npy', spacing = 1, origin = [-1, -1], bottom = -1 }")
    }),
    Case("a point cloud", &["\"other\"", "cloud"], |folder| {
        folder.write("dots.xyz", "0 0 -0.5\n0 0 0.5\n");
        beside_cloth(folder, "points = 'dots.xyz'\nradius = 0.1")
    }),
    Case("a parametric surface", &["\"other\"", "parametric surface"], |folder| {
        beside_cloth(folder, "parametric = { x = 'u', y = 'v', z = 'u * v', u = [-1, 1], v = [-1, 1] }")
    }),
    Case(
        "collisions of bodies other than meshes, boxes and round bodies",
        &["\"other\"", "meshes, boxes, spheres, cylinders, cones and capsules"],
        |folder| {
            let other = format!("implicit = 'x^2 + y^2 + z^2 - 1'\nbounds = {UNIT_BOUNDS}\nmass = 1");
            simulated(folder, &format!("{}[[body]]\nname = 'floor'\nbox = [9, 9, 1]\n", other_body(&other)))
        },
    ),
    Case("joints", &["\"sheet\"", "joint 0"], |folder| {
        let joint = "[[joint]]\nkind = 'ball'\na = 'sheet'\nb = 'floor'\npoint = [0, 0, 0]\n";
        simulated(folder, &format!("{SHEET}{FLOOR}{joint}"))
    }),
    Case("motions", &["\"sheet\"", "motion"], |folder| {
        let motion = "[body.motion]\nkind = 'twist'\nlinear = [1, 0, 0]\nangular = [0, 0, 0]\n";
        simulated(folder, &format!("{SHEET}{motion}{FLOOR}"))
    }),
    Case("moves", &["\"sheet\"", "\"floor\"", "moves"], |folder| {
        simulated(
            folder,
            &format!(
                "{SHEET}{FLOOR}[body.motion]\nkind = 'twist'\nlinear = [1, 0, 0]\nangular = [0, 0, 0]\n"
            ),
        )
    }),
    Case("has a mass", &["\"sheet\"", "\"floor\"", "dynamic"], |folder| {
        simulated(folder, &format!("{SHEET}{FLOOR}mass = 1\n"))
    }),
    Case("edges of a planner in a world that moves by itself", &["\"door\"", "moves by itself"], edges),
    Case("STEP", &["part.step"], |folder| with_mesh(folder, "part.step")),
    Case("IGES", &["part.iges"], |folder| with_mesh(folder, "part.iges")),
    Case("xacro macros that are not expanded", &["macro.urdf", "xacro:gripper"], |folder| {
        let text = "<robot xmlns:xacro='http://www.ros.org/wiki/xacro' name='r'><link name='a'/>\
                    <xacro:gripper side='left'/></robot>";
        folder.write("macro.urdf", text);
        error(folder, &["info", "macro.urdf"])
    }),
    Case("compressed glTF files (Draco)", &["part.gltf", "KHR_draco_mesh_compression"], |folder| {
        let required = "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"]";
        folder.write("part.gltf", format!("{{\"asset\": {{\"version\": \"2.0\"}}, {required}}}"));
        error(folder, &["info", "part.gltf"])
    }),
];

/// The other words of the list, which connect the phrases.
const CONTEXT: &[&str] = &[
    "a deforming body against a solid",
    "in a simulation",
    "flexible bodies with",
    "that could meet a body that",
    "files",
];

const UNIT_BOUNDS: &str = "[[-2, -2, -2], [2, 2, 2]]";

/// A triangle that deforms around the origin.
const CLOTH: &str = "[[body]]\nname = 'cloth'\n[body.motion]\nkind = 'deforming'\ntimes = [0, 1]\n\
                     meshes = ['high.obj', 'low.obj']\n";

const SHEET: &str = "[[body]]\nname = 'sheet'\nmesh = 'high.obj'\nmass = 1\n\
                     flexible = { stiffness = 100 }\n";

const FLOOR: &str = "[[body]]\nname = 'floor'\nbox = [9, 9, 1]\npose = { position = [0, 0, -3] }\n";

fn other_body(keys: &str) -> String {
    format!("[[body]]\nname = 'other'\npose = {{ position = [0, 0, -3] }}\n{keys}\n")
}

/// The message of a command that must end with status 2; otherwise all that it printed.
fn error(folder: &Folder, args: &[&str]) -> String {
    let run = folder.run(args);
    if run.status == Some(2) { run.stderr } else { format!("{args:?}: {run:?}") }
}

fn beside_cloth(folder: &Folder, keys: &str) -> String {
    folder
        .write("scene.toml", format!("format = 1\nduration = 1\n{CLOTH}[[body]]\nname = 'other'\n{keys}\n"));
    error(folder, &["check", "scene.toml"])
}

fn simulated(folder: &Folder, bodies: &str) -> String {
    folder.write("scene.toml", format!("format = 1\nduration = 0.1\n[simulation]\n{bodies}"));
    error(folder, &["simulate", "scene.toml", "--output", "out.jsonl"])
}

fn with_mesh(folder: &Folder, name: &str) -> String {
    folder.write(name, "ISO-10303-21;\n");
    folder
        .write("scene.toml", format!("format = 1\nduration = 1\n[[body]]\nname = 'part'\nmesh = '{name}'\n"));
    error(folder, &["check", "scene.toml"])
}

/// A planner's edges beside a door that opens.
fn edges(folder: &Folder) -> String {
    let door = "[[body]]\nname = 'door'\nbox = [1, 1, 1]\n[body.motion]\nkind = 'twist'\nlinear = [1, 0, 0]\nangular = [0, 0, 0]\n";
    folder.write("world.toml", format!("format = 1\nduration = 1\n{door}"));
    let file = folder.path("arm.urdf");
    let robot = Robot::new(urdf::read(&file, &UrdfOptions::default()).unwrap().definition).unwrap();
    let options = CellOptions { world: Some(folder.path("world.toml")), ..CellOptions::default() };
    let built = cell::build(robot, Path::new("arm.urdf"), &options).unwrap();
    EdgeChecker::new(&built.cell, &EdgeOptions::default()).unwrap_err().to_string()
}

/// A NumPy array of `float64`.
fn array(sizes: &[usize], value: impl Fn(usize) -> f64) -> Vec<u8> {
    let shape: String = sizes.iter().map(|size| format!("{size}, ")).collect();
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}");
    let header = format!("{header:<117}\n");
    let start = [
        b"\x93NUMPY\x01\x00".as_slice(),
        &u16::try_from(header.len()).unwrap().to_le_bytes(),
        header.as_bytes(),
    ];
    let values = (0..sizes.iter().product()).flat_map(|index| value(index).to_le_bytes());
    start.concat().into_iter().chain(values).collect()
}

/// The list in README, in one line.
fn list() -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let (_, after) = readme.split_once("**Not yet**; an error names the body or the element:\n\n").unwrap();
    let (list, _) = after.split_once("\n\n").unwrap();
    list.split_whitespace().filter(|word| *word != "-").collect::<Vec<_>>().join(" ")
}

#[test]
fn each_entry_of_the_list_is_refused_by_name() {
    let mut rest = list();
    let mut wrong = Vec::new();
    for Case(phrase, names, refusal) in CASES {
        assert!(rest.contains(phrase), "README does not list: {phrase}");
        rest = rest.replacen(phrase, "", 1);
        let folder = Folder::new();
        let triangle = |height: f64| format!("v -1 -1 {height}\nv 1 -1 {height}\nv 0 1 {height}\nf 1 2 3\n");
        folder.write("high.obj", triangle(0.0));
        folder.write("low.obj", triangle(-0.5));
        let joint = "<joint name='turn' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>\
                     <limit lower='-1' upper='1' effort='1' velocity='1'/></joint>";
        let box_of_arm = "<collision><geometry><box size='1 1 1'/></geometry></collision>";
        let links = format!("<link name='base'/><link name='arm'>{box_of_arm}</link>");
        folder.write("arm.urdf", format!("<robot name='r'>{links}{joint}</robot>"));
        folder.write("path.csv", "time,turn\n0,0\n1,0.5\n");
        let message = refusal(&folder);
        if !names.iter().all(|name| message.contains(name)) {
            wrong.push(format!("{phrase}: {message}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for context in CONTEXT {
        rest = rest.replace(context, "");
    }
    let is_connecting = |word: &&str| ["and", "or"].contains(&word.trim_matches([',', ';', '.']));
    let rest: Vec<&str> = rest
        .split_whitespace()
        .filter(|word| !word.trim_matches([',', ';', '.']).is_empty() && !is_connecting(word))
        .collect();
    assert!(rest.is_empty(), "README lists without a case: {rest:?}");
}
