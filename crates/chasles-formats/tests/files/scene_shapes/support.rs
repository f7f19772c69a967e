//! Scenes of one body, and their files.

use std::path::{Path, PathBuf};

use chasles::{CollisionShape, Scene};
use chasles_formats::Result;
use chasles_formats::scene;
use chasles_formats::scene::build::BuiltScene;
use chasles_formats::scene::file::SceneFile;
use tempfile::TempDir;

/// A scene of one body `part` that starts on line 3, with these lines from line 5.
pub(crate) fn body(lines: &str) -> String {
    format!("format = 1\nduration = 2\n[[body]]\nname = 'part'\n{lines}\n")
}

/// The scene file with the lines of a body.
pub(crate) fn read(lines: &str) -> Result<SceneFile> {
    scene::file::parse(body(lines).as_bytes(), Path::new("cell/scene.toml"))
}

/// Asserts that the lines are refused with exactly this message, which follows the file's name.
#[track_caller]
pub(crate) fn refused(lines: &str, message: &str) {
    let found = read(lines).expect_err(lines).to_string();
    assert_eq!(found, format!("cell/scene.toml:{message}"), "{lines}");
}

/// A folder with files and a scene.
pub(crate) struct Cell(TempDir);

impl Cell {
    pub(crate) fn new(files: &[(&str, Vec<u8>)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, bytes)| std::fs::write(folder.path().join(name), bytes).unwrap());
        Self(folder)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("scene.toml")
    }

    pub(crate) fn build(&self, text: &str) -> Result<BuiltScene> {
        scene::build::build(&scene::file::parse(text.as_bytes(), &self.path())?, &self.path())
    }

    /// A scene without warnings.
    #[track_caller]
    pub(crate) fn scene(&self, text: &str) -> Scene {
        let built = self.build(text).unwrap();
        assert_eq!(built.warnings, [] as [&str; 0]);
        built.scene
    }

    /// The message about a refused scene of a body, without the names of folders.
    #[track_caller]
    pub(crate) fn message(&self, lines: &str) -> String {
        let folder = format!("{}/", self.0.path().display());
        self.build(&body(lines)).expect_err(lines).to_string().replace(&folder, "")
    }
}

/// The shape of the first body.
pub(crate) fn shape(scene: &Scene) -> &CollisionShape {
    scene.bodies()[0].shape.as_ref().unwrap()
}

/// An array of NumPy, in C order.
pub(crate) fn npy(shape: &str, values: &[f64]) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

/// A tetrahedron in OBJ; without its last face it is open.
pub(crate) fn tetrahedron(edge: &str) -> Vec<u8> {
    format!("v 0 0 0\nv {edge} 0 0\nv 0 {edge} 0\nv 0 0 {edge}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n").into()
}
