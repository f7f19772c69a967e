//! Scenes, as the commands name them: of any format that has them.

use std::path::{Path, PathBuf};

use chasles_formats::Error;
use chasles_formats::gltf::{self, GltfOptions};
use chasles_formats::recording::{self, Played};
use chasles_formats::scene_build::{self, BuiltScene};
use chasles_formats::scene_file::{self, SceneFile};
use chasles_formats::vrml::{self, VrmlOptions, World};

use crate::exit::Failure;
use crate::output::complain;

/// Which scene is asked for, and what of it the arguments override.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) file: &'a Path,
    /// Of a glTF file, by name or number.
    pub(crate) animation: Option<&'a str>,
    /// In metres.
    pub(crate) clearance: Option<f64>,
}

/// A scene with the files that were read for it.
pub(crate) struct ReadScene {
    source: Source,
    /// The file that was asked for first.
    pub(crate) files: Vec<PathBuf>,
}

/// What a scene is made from.
enum Source {
    /// With the file that it is read from, which a recording only names.
    Toml(Box<SceneFile>, PathBuf),
    Gltf(GltfOptions),
    World(Box<World>, VrmlOptions),
}

/// Reads the scene file, and what of it the arguments override.
pub(crate) fn read(asked: &Asked<'_>) -> Result<ReadScene, Failure> {
    let file = asked.file;
    if gltf::is_gltf(file) {
        let clearance = asked.clearance.unwrap_or(0.0);
        let animation = asked.animation.map(str::to_owned);
        let source = Source::Gltf(GltfOptions { animation, clearance });
        return Ok(ReadScene { source, files: vec![file.to_owned()] });
    }
    if asked.animation.is_some() {
        return Err(Error::file(file, "--animation is for glTF files only").into());
    }
    if vrml::is_world(file) {
        let world = vrml::read(file)?;
        let (files, clearance) = (world.files(), asked.clearance.unwrap_or(0.0));
        return Ok(ReadScene { source: Source::World(Box::new(world), VrmlOptions { clearance }), files });
    }
    let (mut scene, own, scene_path) = if recording::is_recording(file) {
        let Played { scene, scene_path } = recording::read(file)?;
        (scene, vec![file.to_owned(), scene_path.clone()], scene_path)
    } else {
        (scene_file::read(file)?, vec![file.to_owned()], file.to_owned())
    };
    scene.clearance = asked.clearance.unwrap_or(scene.clearance);
    let named = scene.files().into_iter().map(PathBuf::from);
    let files = own.into_iter().chain(named).collect();
    Ok(ReadScene { source: Source::Toml(Box::new(scene), scene_path), files })
}

impl ReadScene {
    /// Reads the files that the scene names, and makes it; what is doubtful is told.
    pub(crate) fn build(&self) -> Result<BuiltScene, Failure> {
        let file = &self.files[0];
        let built = match &self.source {
            Source::Toml(scene, path) => scene_build::build(scene, path)?,
            Source::Gltf(options) => gltf::read(file, options)?,
            Source::World(world, options) => world.scene(options)?,
        };
        built.warnings.iter().for_each(|warning| complain(&format!("warning: {warning}")));
        Ok(built)
    }
}
