//! Two bodies of a scene with a relative motion along one screw.

use std::path::Path;

use chasles::{PairScrew, PairScrewError, Scene};
use chasles_formats::figures::number;
use chasles_formats::mesh::MissingGeometry;
use chasles_formats::report::screen::ScreenedPair;
use chasles_formats::robot::urdf;
use chasles_formats::{Error, gltf, vrml};

use super::query::{InScene, Subject};
use crate::args::ScreenArgs;
use crate::exit::Failure;
use crate::input::problems::prepared::PreparedProblem;
use crate::input::scenes::{self, SceneRequest};
use crate::shown;
use crate::warnings::Warnings;

/// The maximum number of bodies that are listed if a name is not found.
const NAMED: usize = 12;

/// Whether a file holds a scene, judging from its name.
pub(super) fn is_scene(file: &Path) -> bool {
    let is_toml = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    is_toml || gltf::is_gltf(file) || vrml::is_world(file) || urdf::is_urdf(file)
}

/// A given option that is valid for scenes only.
pub(super) fn option(args: &ScreenArgs) -> Option<&'static str> {
    let request = [(args.pair.is_some(), "--pair"), (args.animation.is_some(), "--animation")];
    request.into_iter().find_map(|(request, option)| request.then_some(option))
}

/// Reads the scene and finds its two bodies.
pub(super) fn subject(args: &ScreenArgs, warnings: &Warnings) -> Result<Subject, Failure> {
    let file = &args.file;
    let bad = |message: String| Failure::from(Error::file(file, message));
    if urdf::is_urdf(file) {
        return Err(bad(
            "found a robot, expected a scene or pair problems: a robot's links move on several screws; \
                        chasles check follows them"
                .into(),
        ));
    }
    let names = match args.pair.as_deref() {
        Some([a, b]) => [a.clone(), b.clone()],
        _ => return Err(bad("found a scene without --pair, expected two of its bodies: --pair A B".into())),
    };
    let request = SceneRequest {
        file,
        animation: args.animation.as_deref(),
        rival: None,
        clearance: None,
        unread: MissingGeometry::Refused,
    };
    let scene = scenes::build(&scenes::read(&request)?, warnings)?.scene;
    let numbers = [number_of(&scene, &names[0]).map_err(bad)?, number_of(&scene, &names[1]).map_err(bad)?];
    let PairScrew { bodies, screw, deviation } =
        scene.pair_screw(numbers).map_err(|reason| bad(refusal(&reason, &scene, &names)))?;
    let [a, b] = &names;
    let pair = ScreenedPair { names: names.clone(), duration: scene.duration(), deviation };
    Ok(Subject {
        name: shown::name(file),
        posed: PreparedProblem { bodies, screw },
        probes: Vec::new(),
        place: format!("{}: {a:?} and {b:?}", file.display()),
        scene: Some(InScene { scene, static_body: numbers[1], pair }),
    })
}

/// The number of the body with a name.
fn number_of(scene: &Scene, name: &str) -> Result<usize, String> {
    let found = scene.bodies().iter().position(|body| body.name == name);
    found.ok_or_else(|| {
        let mut known: Vec<String> =
            scene.bodies().iter().take(NAMED).map(|body| format!("{:?}", body.name)).collect();
        if scene.bodies().len() > NAMED {
            known.push(format!("or {} others", scene.bodies().len() - NAMED));
        }
        format!("--pair: found {name:?}, expected a body of the scene: {}", known.join(", "))
    })
}

/// The reason why two bodies cannot be screened, with advice.
fn refusal(reason: &PairScrewError, scene: &Scene, [a, b]: &[String; 2]) -> String {
    let name = |body: usize| scene.bodies().get(body).map_or("", |body| &body.name);
    let pair = format!("--pair: {a:?} and {b:?}");
    let duration = number(scene.duration());
    match *reason {
        PairScrewError::Same => format!("--pair: found {a:?} twice, expected two different bodies"),
        PairScrewError::Unknown { body } => {
            format!("{pair}: found no body {body}, expected one of the scene")
        }
        PairScrewError::NoSurface { body } => {
            format!("{pair}: found {:?}, which has no surface, expected meshes or boxes", name(body))
        }
        PairScrewError::Round { body } => format!(
            "{pair}: found {:?}, which is round, expected meshes or boxes: give it as a mesh, or use chasles check, which \
             takes round shapes as they are",
            name(body)
        ),
        PairScrewError::NoScrew => format!(
            "{pair}: found a relative motion that is not a screw, expected one screw over the whole {duration} s: chasles \
             check follows any motion"
        ),
        PairScrewError::Several { parts, first_until } => format!(
            "{pair}: found a relative motion of {parts} parts, the first until {} s, expected one screw over \
             the whole {duration} s: make a scene of each part, or use chasles check, which follows any motion",
            number(first_until)
        ),
        PairScrewError::JumpAtTheEnd => format!(
            "{pair}: found a jump at the end, expected one screw over the whole {duration} s: chasles check follows any \
             motion"
        ),
    }
}
