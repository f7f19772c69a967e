//! Units of length in scene files, and sizes that suggest a wrong unit.

use std::path::{Path, PathBuf};

use chasles::Scene;
use chasles_formats::Result;
use chasles_formats::scene;
use chasles_formats::scene::build::BuiltScene;
use tempfile::TempDir;

/// A folder with meshes and a scene.
struct Cell(TempDir);

impl Cell {
    fn new(files: &[(&str, String)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("scene.toml")
    }

    fn build(&self, text: &str) -> Result<BuiltScene> {
        scene::build::build(&scene::file::parse(text.as_bytes(), &self.path())?, &self.path())
    }

    /// A scene without warnings.
    #[track_caller]
    fn scene(&self, text: &str) -> Scene {
        let built = self.build(text).unwrap();
        assert_eq!(built.warnings, [] as [&str; 0]);
        built.scene
    }
}

fn tetrahedron(edge: &str) -> String {
    format!("v 0 0 0\nv {edge} 0 0\nv 0 {edge} 0\nv 0 0 {edge}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
}

/// A scene with every kind of length, in a unit with `per_metre` units per metre.
fn every_length(head: &str, per_metre: u32, [a, b]: [&str; 2]) -> String {
    let of = |thousandths: u32| (f64::from(thousandths) / 1000.0) * f64::from(per_metre);
    let (tolerance, clearance, x) = (of(1), of(2), of(250));
    format!(
        "format = 1\nduration = 2\n{head}\ntolerance = {tolerance}\nclearance = {clearance}\n\
         [[body]]\nname = 'a'\nmesh = '{a}'\nscale = 3\npose = {{ position = [{x}, 0, 0] }}\n\
         [body.motion]\nkind = 'twist'\nlinear = [{x}, 0, 0]\nangular = [0, 0, 1]\n\
         [[body]]\nname = 'b'\nmesh = '{b}'\n[body.motion]\nkind = 'keyframes'\ntimes = [0, 1]\n\
         positions = [[{x}, 0, 0], [0, {x}, 0]]\nrotations = [[1, 0, 0, 0], [1, 0, 0, 0]]\n\
         [[body]]\nname = 'c'\ncone = {{ radius = {x}, height = {x} }}\n[body.motion]\nkind = 'screw'\n\
         axis = [0, 0, 1]\npoint = [{x}, 0, 0]\nslide = {x}\nangle = 1\n\
         [[body]]\nname = 'd'\nbox = [{x}, {x}, {x}]\n[[body]]\nname = 'e'\nsphere = {x}\n"
    )
}

#[test]
fn units_apply_to_all_lengths_or_to_one_shape() {
    let files = [("m.obj", "0.127"), ("mm.obj", "127"), ("in.obj", "5")];
    let cell = Cell::new(&files.map(|(name, edge)| (name, tetrahedron(edge))));
    let scene = |head: &str, per_metre: u32, meshes| cell.scene(&every_length(head, per_metre, meshes));
    let metres = scene("", 1, ["m.obj", "m.obj"]);
    assert_eq!((metres.tolerance(), metres.clearance()), (0.001, 0.002));
    assert_eq!(scene("unit = 'mm'", 1000, ["mm.obj", "mm.obj"]), metres);
    assert_eq!(scene("unit = 'm'", 1, ["in.obj'\nunit = 'in", "mm.obj'\nunit = 'mm"]), metres);
    assert_eq!(scene("unit = 'mm'", 1000, ["in.obj'\nunit = 'in", "m.obj'\nunit = 'm"]), metres);
    // The unit of a body applies only to its shape.
    let body = |shape: &str| {
        cell.scene(&format!(
            "format = 1\nduration = 1\n[[body]]\nname = 'x'\n{shape}\npose = {{ position = [2, 0, 0] }}\n"
        ))
    };
    assert_eq!(body("box = [20, 30, 40]\nunit = 'cm'"), body("box = [0.2, 0.3, 0.4]"));
    assert_ne!(body("box = [20, 30, 40]\nunit = 'mm'"), body("box = [0.2, 0.3, 0.4]"));
}

/// A triangle of one metre in COLLADA, with the centimetre as its unit.
const COLLADA: &str = "<COLLADA><asset><unit meter='0.01'/></asset><library_geometries><geometry id='g'><mesh><source id='s'>\
    <float_array id='f' count='9'>0 0 0 100 0 0 0 100 0</float_array><technique_common><accessor source='#f' count='3' \
    stride='3'><param name='X' type='float'/><param name='Y' type='float'/><param name='Z' type='float'/></accessor>\
    </technique_common></source><vertices id='v'><input semantic='POSITION' source='#s'/></vertices><triangles count='1'>\
    <input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles></mesh></geometry></library_geometries></COLLADA>";

#[test]
fn a_mesh_that_states_its_unit_has_it() {
    let cell = Cell::new(&[("a.dae", COLLADA.into())]);
    let text = |head: &str, body: &str| {
        format!("format = 1\nduration = 1\n{head}\n[[body]]\nname = 'a'\nmesh = 'a.dae'\n{body}\n")
    };
    let built = cell.build(&text("unit = 'mm'", "")).unwrap().scene;
    assert_eq!(built.bodies()[0].shape.as_ref().unwrap().drawn().diagonal(), 2_f64.sqrt());
    let refused = |text: String| cell.build(&text).unwrap_err().to_string();
    let message = refused(text("", "unit = 'mm'"));
    let expected = "a.dae: found a unit, and a mesh that states its own, expected one of them";
    assert!(message.contains("scene.toml:6: body \"a\".mesh: ") && message.ends_with(expected), "{message}");
    let message = refused(text("unit = 'ft'", ""));
    assert!(
        message.ends_with("scene.toml:3: unit: found \"ft\", expected one of mm, cm, m, in"),
        "{message}"
    );
}

#[test]
fn likely_millimetres_are_one_warning() {
    let cell = Cell::new(&[("block.obj", tetrahedron("200"))]);
    let warnings = |head: &str, blocks: &str| {
        let tools: String = (0..5).map(|i| format!("[[body]]\nname = 't{i}'\nsphere = 0.2\n")).collect();
        cell.build(&format!("format = 1\nduration = 1\n{head}\n{tools}{blocks}")).unwrap().warnings
    };
    let block = |name: &str, more: &str| format!("[[body]]\nname = '{name}'\nmesh = 'block.obj'\n{more}\n");
    let two = block("a", "") + &block("b", "");
    let place = format!("{}:21: body \"a\".mesh: ", cell.path().display());
    let what = "it is 346 m across, far more than the rest: if it is in millimetres, it needs unit = \"mm\"";
    assert_eq!(warnings("", &two), [place + what]);
    for (head, blocks) in [
        ("", block("a", "unit = 'm'")),
        ("", block("a", "unit = 'mm'")),
        ("", block("a", "scale = 0.05")),
        ("unit = 'm'", two),
    ] {
        assert_eq!(warnings(head, &blocks), [] as [&str; 0], "{head} {blocks}");
    }
    // Sizes given as numbers, too.
    let found = warnings("", "[[body]]\nname = 'a'\nbox = [200, 1, 1]\n");
    assert!(found.len() == 1 && found[0].contains("body \"a\".box: it is 200 m across"), "{found:?}");
}

#[test]
fn angles_that_look_like_degrees() {
    let warnings = |angle: &str| {
        let motion =
            format!("kind = 'screw', axis = [0, 0, 1], point = [0, 0, 0], slide = 0, angle = {angle}");
        let body = format!("[[body]]\nname = 'a'\nsphere = 1\nmotion = {{ {motion} }}\n");
        Cell::new(&[]).build(&format!("format = 1\nduration = 1\n{body}")).unwrap().warnings
    };
    let found = warnings("90");
    let reported = "body \"a\".motion.angle: found 90, which looks like degrees, and is taken as radians: 14.3 revolutions; 90 degrees are \
                1.5707963267948966";
    assert!(found.len() == 1 && found[0].ends_with(reported), "{found:?}");
    for angle in ["360", "-180", "45", "720"] {
        assert_eq!(warnings(angle).len(), 1, "{angle}");
    }
    for angle in ["1.5707963", "6.283185307179586", "62.83185307179586", "5", "7", "4294967295", "12.5", "10"]
    {
        assert_eq!(warnings(angle), [""; 0], "{angle}");
    }
}

#[test]
fn rotations_in_another_order() {
    let body = |name: &str, rotation: &str| {
        format!("[[body]]\nname = '{name}'\nsphere = 1\npose = {{ rotation = {rotation} }}\n")
    };
    let keys = |rotations: &str| {
        format!(
            "[[body]]\nname = 'k'\nsphere = 1\n[body.motion]\nkind = 'keyframes'\ntimes = [0, 1]\n\
             positions = [[0, 0, 0], [1, 0, 0]]\nrotations = {rotations}\n"
        )
    };
    let warnings =
        |bodies: &str| Cell::new(&[]).build(&format!("format = 1\nduration = 1\n{bodies}")).unwrap().warnings;
    let (turned, same) = ("[0, 0, 0, 1]", "[1, 0, 0, 0]");
    let found = warnings(&body("a", turned));
    let reported = "body \"a\".pose.rotation: found [0, 0, 0, 1], half a revolution about z, because rotations are (w, x, y, z): the identity is \
                [1, 0, 0, 0]";
    assert!(found.len() == 1 && found[0].ends_with(reported), "{found:?}");
    let found = warnings(&(body("a", turned) + &body("b", turned)));
    assert!(found.len() == 1 && found[0].ends_with("(and 1 more)"), "{found:?}");
    assert_eq!(warnings(&keys(&format!("[{turned}, {turned}]"))).len(), 1);
    // A file with the identity uses the right order, and a rotation that starts or ends at the identity is no
    // mistake.
    assert_eq!(warnings(&(body("a", turned) + &body("b", same))), [""; 0]);
    assert_eq!(warnings(&keys(&format!("[{same}, {turned}]"))), [""; 0]);
    assert_eq!(warnings(&keys(&format!("[[0, 1, 0, 0], {turned}]"))), [""; 0]);
}

/// A robot of a metre, alone in a block of 200 m that was drawn in millimetres.
#[test]
fn a_world_is_compared_in_size_with_its_robot() {
    use chasles_formats::robot::cell::{self, CellOptions};
    use chasles_formats::robot::urdf::{self, UrdfOptions};
    let cell = Cell::new(&[
        ("block.obj", tetrahedron("200")),
        (
            "scene.toml",
            "format = 1\nduration = 1\n[[body]]\nname = 'a'\nmesh = 'block.obj'\n\
                        [[body]]\nname = 'b'\nmesh = 'block.obj'\n"
                .into(),
        ),
    ]);
    let link = |name: &str| {
        format!("<link name='{name}'><collision><geometry><box size='1 1 1'/></geometry></collision></link>")
    };
    let robot = format!(
        "<robot name='r'>{}{}{}</robot>",
        link("x"),
        link("y"),
        "<joint name='j' type='fixed'><parent link='x'/><child link='y'/></joint>"
    );
    let read = urdf::parse(robot.as_bytes(), Path::new("r.urdf"), &UrdfOptions::default()).unwrap();
    let robot = chasles::Robot::new(read.definition).unwrap();
    let options = CellOptions { world: Some(cell.path()), ..CellOptions::default() };
    let built = cell::build(robot, Path::new("r.urdf"), &options).unwrap();
    assert!(
        built.warnings.len() == 1 && built.warnings[0].contains("it is 346 m across"),
        "{:?}",
        built.warnings
    );
}

/// A world with one part that was included in millimetres.
#[test]
fn world_shapes_are_compared_in_size() {
    use chasles_formats::vrml::{self, VrmlOptions};
    let shape = |x: usize, size: f64| {
        format!(
            "Transform {{ translation {x} 0 0 children Shape {{ geometry Box {{ size {size} 1 1 }} }} }}\n"
        )
    };
    let warnings = |last: f64| {
        let text = format!("#VRML V2.0 utf8\n{}{}{}", shape(0, 1.0), shape(5, 2.0), shape(9, last));
        let world = vrml::parse(text.as_bytes(), Path::new("w.wrl")).unwrap();
        world.scene(&VrmlOptions::default()).unwrap().warnings
    };
    // Both have the warning that no body moves.
    assert_eq!(warnings(3.0).len(), 1);
    let found = warnings(3000.0);
    assert!(
        found.len() == 2 && found[0].starts_with("w.wrl:4:40: it is 3000 m across, far more than the rest"),
        "{found:?}"
    );
}
