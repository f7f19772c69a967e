//! Scenes in any supported format: TOML, glTF, VRML and X3D worlds, recordings.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::gltf::{self, GltfOptions};
use crate::mesh::MissingGeometry;
use crate::recording::{self, RecordedDynamics, RecordedScene};
use crate::scene;
use crate::scene::build::BuiltScene;
use crate::scene::file::SceneFile;
use crate::vrml::{self, VrmlOptions, World};

/// Options for reading a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SceneOptions {
    /// The animation of a glTF file, by name or number; ignored for other formats.
    pub animation: Option<String>,
    /// The rival animation of a glTF file: [`GltfOptions::rival`].
    pub rival: Option<usize>,
    /// Clearance in metres, in place of the file's.
    pub clearance: Option<f64>,
    /// The treatment of surfaces in mesh files that Chasles cannot read.
    pub unread: MissingGeometry,
}

/// A scene whose file has been read, but which has not been built.
#[derive(Debug)]
pub struct AnyScene {
    source: SceneSource,
    /// The files that were read, the scene's own file first.
    pub files: Vec<PathBuf>,
    /// The impulses and energies of a recording.
    pub dynamics: Option<RecordedDynamics>,
}

/// The source of a scene.
#[derive(Debug)]
enum SceneSource {
    /// A scene file, with its path; for a recording, the scene file that it names.
    Toml(Box<SceneFile>, PathBuf),
    Gltf(GltfOptions),
    World(Box<World>, VrmlOptions),
}

impl AnyScene {
    /// Reads the file of a scene.
    ///
    /// # Errors
    /// As for the reader of the format.
    pub fn read(file: &Path, options: &SceneOptions) -> Result<Self> {
        if gltf::is_gltf(file) {
            let clearance = options.clearance.unwrap_or(0.0);
            let source = SceneSource::Gltf(GltfOptions {
                animation: options.animation.clone(),
                rival: options.rival,
                clearance,
            });
            return Ok(Self { source, files: vec![file.to_owned()], dynamics: None });
        }
        if vrml::is_world(file) {
            let world = vrml::read(file)?;
            let (files, clearance) = (world.files(), options.clearance.unwrap_or(0.0));
            let source = SceneSource::World(Box::new(world), VrmlOptions { clearance });
            return Ok(Self { source, files, dynamics: None });
        }
        let (mut scene, scene_files, scene_path, dynamics) = if recording::is_recording(file) {
            let RecordedScene { scene, scene_path, dynamics } = recording::read(file)?;
            (scene, vec![file.to_owned(), scene_path.clone()], scene_path, Some(dynamics))
        } else {
            (scene::file::read(file)?, vec![file.to_owned()], file.to_owned(), None)
        };
        scene.clearance = options.clearance.unwrap_or(scene.clearance);
        scene.unread = options.unread;
        let named = scene.files().into_iter().map(PathBuf::from);
        let files = scene_files.into_iter().chain(named).collect();
        Ok(Self { source: SceneSource::Toml(Box::new(scene), scene_path), files, dynamics })
    }

    /// Reads the files that the scene names, and builds the scene.
    ///
    /// # Errors
    /// As for the reader of the format.
    pub fn build(&self) -> Result<BuiltScene> {
        match &self.source {
            SceneSource::Toml(scene, path) => scene::build::build(scene, path),
            SceneSource::Gltf(options) => gltf::read(&self.files[0], options),
            SceneSource::World(world, options) => world.scene(options),
        }
    }

    /// The content and path of a TOML file; for a recording, the scene with its recorded motion, and the path of the
    /// scene file.
    #[must_use]
    pub fn scene_file(&self) -> Option<(&SceneFile, &Path)> {
        match &self.source {
            SceneSource::Toml(scene, path) => Some((scene, path)),
            SceneSource::Gltf(_) | SceneSource::World(..) => None,
        }
    }
}
