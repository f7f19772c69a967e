//! Scenes of any format that has them: TOML, glTF, worlds, recordings.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::gltf::{self, GltfOptions};
use crate::mesh::MissingGeometry;
use crate::recording::{self, Played, Recorded};
use crate::scene_build::{self, BuiltScene};
use crate::scene_file::{self, SceneFile};
use crate::vrml::{self, VrmlOptions, World};

/// What of a scene is chosen beside its file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SceneOptions {
    /// Of a glTF file, by name or number; others have none.
    pub animation: Option<String>,
    /// The turn of a glTF file: [`GltfOptions::turn`].
    pub turn: Option<usize>,
    /// In metres, in place of what the file says.
    pub clearance: Option<f64>,
    /// How surfaces in mesh files that Chasles cannot read are treated.
    pub unread: MissingGeometry,
}

/// A scene that was read, and not yet made.
#[derive(Debug)]
pub struct AnyScene {
    source: SceneSource,
    /// The files that were read, the one that was asked for first.
    pub files: Vec<PathBuf>,
    /// The impulses and energies of a recording.
    pub recorded: Option<Recorded>,
}

/// What a scene is made from.
#[derive(Debug)]
enum SceneSource {
    /// With the file that it is read from, which a recording only names.
    Toml(Box<SceneFile>, PathBuf),
    Gltf(GltfOptions),
    World(Box<World>, VrmlOptions),
}

impl AnyScene {
    /// Reads the file of a scene.
    ///
    /// # Errors
    /// As the reader of its format.
    pub fn read(file: &Path, options: &SceneOptions) -> Result<Self> {
        if gltf::is_gltf(file) {
            let clearance = options.clearance.unwrap_or(0.0);
            let source = SceneSource::Gltf(GltfOptions {
                animation: options.animation.clone(),
                turn: options.turn,
                clearance,
            });
            return Ok(Self { source, files: vec![file.to_owned()], recorded: None });
        }
        if vrml::is_world(file) {
            let world = vrml::read(file)?;
            let (files, clearance) = (world.files(), options.clearance.unwrap_or(0.0));
            let source = SceneSource::World(Box::new(world), VrmlOptions { clearance });
            return Ok(Self { source, files, recorded: None });
        }
        let (mut scene, own, scene_path, recorded) = if recording::is_recording(file) {
            let Played { scene, scene_path, recorded } = recording::read(file)?;
            (scene, vec![file.to_owned(), scene_path.clone()], scene_path, Some(recorded))
        } else {
            (scene_file::read(file)?, vec![file.to_owned()], file.to_owned(), None)
        };
        scene.clearance = options.clearance.unwrap_or(scene.clearance);
        scene.unread = options.unread;
        let named = scene.files().into_iter().map(PathBuf::from);
        let files = own.into_iter().chain(named).collect();
        Ok(Self { source: SceneSource::Toml(Box::new(scene), scene_path), files, recorded })
    }

    /// Reads the files that the scene names, and makes it.
    ///
    /// # Errors
    /// As the reader of its format.
    pub fn build(&self) -> Result<BuiltScene> {
        match &self.source {
            SceneSource::Toml(scene, path) => scene_build::build(scene, path),
            SceneSource::Gltf(options) => gltf::read(&self.files[0], options),
            SceneSource::World(world, options) => world.scene(options),
        }
    }

    /// What a file in TOML says, with its path; of a recording what it plays, with the path of the scene that it names.
    #[must_use]
    pub fn scene_file(&self) -> Option<(&SceneFile, &Path)> {
        match &self.source {
            SceneSource::Toml(scene, path) => Some((scene, path)),
            SceneSource::Gltf(_) | SceneSource::World(..) => None,
        }
    }
}
