//! Keys of a scene: without rotations, and in separate files.

use std::path::{Path, PathBuf};

use chasles_formats::scene::build::{BuiltScene, build};
use chasles_formats::scene::file::{MotionEntry, SceneFile, parse, read};
use glam::{DQuat, DVec3};

/// A box with a motion.
fn text(head: &str, motion: &str) -> String {
    format!(
        "format = 1\nduration = 4\n{head}[[body]]\nname = 'part'\nbox = [1, 1, 1]\n[body.motion]\n\
         kind = 'keyframes'\n{motion}\n"
    )
}

/// A folder with such a scene.
struct Keyed(tempfile::TempDir);

impl Keyed {
    fn new(head: &str, motion: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("scene.toml"), text(head, motion)).unwrap();
        Self(folder)
    }

    fn with(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
        self
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("scene.toml")
    }

    fn built(&self) -> chasles_formats::Result<BuiltScene> {
        build(&read(&self.path())?, &self.path())
    }

    /// The error message, without the folder.
    fn refused(&self) -> String {
        let message = self.built().unwrap_err().to_string();
        message.replace(&format!("{}/", self.0.path().display()), "")
    }
}

fn parsed(motion: &str) -> SceneFile {
    parse(text("", motion).as_bytes(), Path::new("scene.toml")).unwrap()
}

#[test]
fn keys_without_rotations_do_not_rotate() {
    for kind in ["screw", "linear", "step"] {
        let keys = format!("interpolation = '{kind}'\ntimes = [0, 2]\npositions = [[0, 0, 0], [2, 4, 0]]");
        let turned = format!("{keys}\nrotations = [[1, 0, 0, 0], [1, 0, 0, 0]]");
        assert_eq!(parsed(&keys).bodies[0].motion, parsed(&turned).bodies[0].motion);
    }
    // Rotations need positions: a body left at the origin by mistake would be another motion.
    let lacking = text("", "times = [0, 2]\nrotations = [[1, 0, 0, 0], [1, 0, 0, 0]]");
    let message = parse(lacking.as_bytes(), Path::new("scene.toml")).unwrap_err().to_string();
    assert!(message.contains("motion.positions: the key is missing"), "{message}");
}

#[test]
fn keys_of_a_file_equal_keys_in_the_scene() {
    let inline =
        "times = [0, 1.5]\npositions = [[1, 2, 3], [4, 5, 6]]\nrotations = [[1, 0, 0, 0], [0, 3, 0, 4]]";
    let table = "time,x,y,z,qw,qx,qy,qz\n0,1,2,3,1,0,0,0\n1.5,4,5,6,0,3,0,4\n";
    let header = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 8), }\n";
    // In column order.
    let columns =
        [[0.0, 1.5], [1.0, 4.0], [2.0, 5.0], [3.0, 6.0], [1.0, 0.0], [0.0, 3.0], [0.0, 0.0], [0.0, 4.0]];
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    array.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    array.extend(header.as_bytes());
    array.extend(columns.as_flattened().iter().flat_map(|value: &f32| value.to_le_bytes()));
    for (head, scale) in [("", 1.0), ("unit = 'mm'\n", 1e-3)] {
        for kind in ["screw", "linear", "step"] {
            let of = |motion: &str| Keyed::new(head, &format!("interpolation = '{kind}'\n{motion}"));
            let expected = of(inline).built().unwrap().scene;
            let place = expected.pose_at(0, 1.5).position();
            assert!(place.distance(scale * DVec3::new(4.0, 5.0, 6.0)) < 1e-15, "{place}");
            let csv = of("keys = 'm.csv'").with("m.csv", table).built().unwrap();
            let npy = of("keys = 'm.NPY'").with("m.NPY", &array).built().unwrap();
            assert_eq!((csv.scene, csv.warnings), (expected.clone(), vec![]));
            assert_eq!((npy.scene, npy.warnings), (expected, vec![]));
        }
    }
    let slides = Keyed::new("", "keys = 'm.csv'").with("m.csv", "time,x,y,z\n0,1,2,3\n2,1,2,5\n");
    let scene = slides.built().unwrap().scene;
    let pose = scene.pose_at(0, 1.0);
    assert_eq!((pose.position(), pose.rotation()), (DVec3::new(1.0, 2.0, 4.0), DQuat::IDENTITY));
    let file = read(&slides.path()).unwrap();
    assert_eq!(file.files(), [slides.0.path().join("m.csv")]);
    let long = Keyed::new("", "keys = 'm.npy'").with("m.npy", [array, vec![0; 3]].concat());
    let [warning] = &long.built().unwrap().warnings[..] else { panic!() };
    assert!(warning.ends_with("m.npy: 3 bytes after the last value are skipped"), "{warning}");
}

#[test]
fn files_of_keys_are_refused_with_body_and_key() {
    let place = "scene.toml:8: body \"part\".motion.keys: ";
    let named = |file: &str| Keyed::new("", &format!("keys = '{file}'"));
    for (keyed, found) in [
        (named("m.csv"), "m.csv: cannot be read: No such file or directory (os error 2)".to_owned()),
        (
            named("m.csv").with("m.csv", "time,x,y,z\n0,0,a,0\n"),
            "m.csv:2: y: found `a`, expected a finite number".into(),
        ),
        (named("m.txt"), "found \"m.txt\", expected the path of a file of keys (.csv or .npy)".into()),
        (named(""), "found \"\", expected the path of a file of keys (.csv or .npy)".into()),
        (
            named("m.npy").with("m.npy", ""),
            "m.npy: the file is empty, expected an array of NumPy (.npy)".into(),
        ),
        (
            named("m.csv").with("m.csv", "time,x,y,z\n0,1e200,0,0\n"),
            "m.csv: position: found 1e200, expected".into(),
        ),
    ] {
        let message = keyed.refused();
        assert!(message.starts_with(&format!("{place}{found}")), "{message}");
    }
    for (key, value) in [("times", "[0]"), ("positions", "[[0, 0, 0]]"), ("rotations", "[[1, 0, 0, 0]]")] {
        let message = Keyed::new("", &format!("keys = 'm.csv'\n{key} = {value}")).refused();
        let expected = format!(
            "scene.toml:9: body \"part\".motion.{key}: found `{key}` beside `keys`, expected one of them: the file has \
             all three"
        );
        assert_eq!(message, expected);
    }
    let message = Keyed::new("", "positions = [[0, 0, 0]]").refused();
    assert!(message.contains("motion: found neither `times` nor `keys`, expected one of them"), "{message}");
    let beside = text("", "keys = 'm.csv'").replace("box =", "pose = {}\nbox =");
    let message = parse(beside.as_bytes(), Path::new("scene.toml")).unwrap_err().to_string();
    assert!(message.contains("found a pose beside keyframes"), "{message}");
    let scene = parsed("keys = 'a/b.csv'\ninterpolation = 'step'");
    let Some(MotionEntry::KeyFile { file, line: 8, .. }) = &scene.bodies[0].motion else { panic!() };
    assert_eq!(file, Path::new("a/b.csv"));
}
