//! `chasles info`: facts about a file.

use std::fmt::Write as _;
use std::path::Path;

use chasles::Facing;
use chasles_formats::figures::{number, number_for_size, number_rounded_up};
use chasles_formats::info::{
    ArrayInfo, BodyInfo, CloudInfo, ConfigurationInfo, JointInfo, MassInfo, MeshInfo, MimicInfo, PiecesInfo,
    ReleaseInfo, RobotInfo, SceneInfo, SceneSettings,
};
use chasles_formats::printable::{printable, printable_path};
use chasles_formats::recording::{self, RecordedScene};
use chasles_formats::robot::several;
use chasles_formats::robot::urdf::{self, UrdfOptions};
use chasles_formats::samples::npy;
use chasles_formats::scene;
use chasles_formats::scene::file::SceneFile;
use chasles_formats::{Error, cloud, gltf, mesh, vrml};
use glam::DVec3;

use crate::args::InfoArgs;
use crate::exit::{Failure, Status};
use crate::output;
use crate::warnings::Warnings;
use crate::words::count;

/// Prints the facts about a file.
pub(crate) fn run(args: &InfoArgs, warnings: &Warnings) -> Result<Status, Failure> {
    let are_robots = several::are_robots(&args.file);
    let is_robot = urdf::is_urdf(&args.file) || are_robots;
    if !args.packages.is_empty() && !is_robot {
        return Err(Error::file(&args.file, "found --package, which is for robots (.urdf)").into());
    }
    if args.srdf.is_some() && !is_robot {
        return Err(Error::file(&args.file, "found --srdf, which is for robots (.urdf)").into());
    }
    if args.use_visual && !is_robot {
        return Err(Error::file(&args.file, "found --use-visual, which is for robots (.urdf)").into());
    }
    let is_samples = matches!(extension(&args.file).as_deref(), Some("npy" | "xyz" | "pcd"));
    let is_toml = extension(&args.file).as_deref() == Some("toml") && !are_robots;
    let is_recording = recording::is_recording(&args.file);
    let is_scene =
        is_toml || is_recording || is_robot || gltf::is_gltf(&args.file) || vrml::is_world(&args.file);
    if args.screw.is_some() && (is_scene || is_samples) {
        return Err(Error::file(&args.file, "found --screw, which is for meshes").into());
    }
    if args.pieces && (is_scene || is_samples) {
        return Err(Error::file(&args.file, "found --pieces, which is for meshes").into());
    }
    if args.density.is_some() && (is_samples || (is_scene && !is_toml && !is_recording)) {
        let what = "found --density, which is for meshes, scenes (.toml) and recordings (.jsonl)";
        return Err(Error::file(&args.file, what).into());
    }
    let scene = if gltf::is_gltf(&args.file) {
        Some(gltf::facts(&args.file)?)
    } else if is_robot {
        let (packages, srdf, unread) = (args.packages.clone(), args.srdf.clone(), args.unread());
        let options = UrdfOptions { packages, srdf, use_visual: args.use_visual, unread };
        let read =
            if are_robots { several::read(&args.file, &options)? } else { urdf::read(&args.file, &options)? };
        Some(urdf::facts(read))
    } else if is_toml {
        let scene = SceneFile { unread: args.unread(), ..scene::file::read(&args.file)? };
        Some(scene::build::facts_with_mass_of(&scene, &args.file, args.density)?)
    } else if is_recording {
        let RecordedScene { scene, scene_path, dynamics: recorded } = recording::read(&args.file)?;
        let scene = SceneFile { unread: args.unread(), ..scene };
        let name = |body: usize| scene.bodies.get(body).map_or_else(String::new, |body| body.name.clone());
        let releases = recorded.releases.iter();
        let releases =
            releases.map(|release| ReleaseInfo { body: name(release.body), time: release.time }).collect();
        Some(SceneInfo { releases, ..scene::build::facts_with_mass_of(&scene, &scene_path, args.density)? })
    } else if vrml::is_world(&args.file) {
        Some(vrml::read(&args.file)?.facts()?)
    } else {
        None
    };
    if let Some(info) = scene {
        warnings.keep_all(&info.warnings);
        let text = if args.json { info.to_json() } else { scene_table(&info, &args.file) };
        output::print(text.as_bytes())?;
        return Ok(Status::Fine);
    }
    if is_samples {
        output::print(samples(args, warnings)?.as_bytes())?;
        return Ok(Status::Fine);
    }
    if args.pieces {
        let info = PiecesInfo::of(mesh::read(&args.file, args.unread())?, &args.file)?;
        warnings.keep_all(&info.warnings);
        let text = if args.json { info.to_json() } else { pieces(&info, &args.file) };
        output::print(text.as_bytes())?;
        return Ok(Status::Fine);
    }
    let file = mesh::read(&args.file, args.unread())?;
    let info = match args.density {
        Some(density) => MeshInfo::with_mass(file, &args.file, density)?,
        None => MeshInfo::moving(file, &args.file, args.screw.as_ref())?,
    };
    warnings.keep_all(&info.warnings);
    let text = if args.json { info.to_json() } else { table(&info, &args.file) };
    output::print(text.as_bytes())?;
    Ok(Status::Fine)
}

/// The extension of a file's name, in lower case.
fn extension(file: &Path) -> Option<String> {
    Some(file.extension()?.to_str()?.to_ascii_lowercase())
}

/// The facts about points or an array, as printed.
fn samples(args: &InfoArgs, warnings: &Warnings) -> Result<String, Failure> {
    let mut rows = vec![("file", printable_path(&args.file))];
    if extension(&args.file).as_deref() == Some("npy") {
        let info = ArrayInfo::of(npy::read(&args.file)?);
        warnings.keep_all(&info.warnings);
        if args.json {
            return Ok(info.to_json());
        }
        let counts: Vec<String> = info.counts.iter().map(usize::to_string).collect();
        let range = info.range.map_or("none".into(), |[minimum, maximum]| {
            format!("{} to {}", number(minimum), number(maximum))
        });
        rows.extend([
            ("kind", "array".into()),
            ("values", counts.join(" x ")),
            ("range", range),
            ("not finite", info.not_finite.to_string()),
        ]);
        rows.extend(info.warnings.into_iter().map(|warning| ("warning", warning)));
        return Ok(lines(&rows));
    }
    let info = CloudInfo::of(cloud::read(&args.file)?);
    warnings.keep_all(&info.warnings);
    if args.json {
        return Ok(info.to_json());
    }
    rows.extend([
        ("kind", "points".into()),
        ("points", info.points.to_string()),
        ("left out", info.dropped.to_string()),
    ]);
    rows.extend(bounds(info.bounds));
    rows.extend(info.warnings.into_iter().map(|warning| ("warning", warning)));
    Ok(lines(&rows))
}

fn table(info: &MeshInfo, file: &Path) -> String {
    let closed = if info.closed { "yes" } else { "no" };
    let mut rows = vec![
        ("file", printable_path(file)),
        ("kind", "mesh".into()),
        ("vertices", info.vertices.to_string()),
        ("triangles", info.triangles.to_string()),
        ("closed", closed.into()),
        ("pieces", info.pieces.to_string()),
        ("degenerate triangles", info.degenerate_triangles.to_string()),
        ("non-manifold edges", info.non_manifold_edges.to_string()),
    ];
    rows.extend(bounds(info.bounds));
    rows.extend(info.facing.iter().flat_map(facing));
    rows.extend(info.mass.iter().flat_map(mass));
    rows.extend(info.warnings.iter().map(|warning| ("warning", warning.clone())));
    lines(&rows)
}

/// The mass of a mesh, in units of the file and of the density.
fn mass(info: &MassInfo) -> [(&'static str, String); 5] {
    [
        ("density", number(info.density)),
        ("volume", volume(info, "")),
        ("mass", number(info.mass())),
        ("center of mass", center(info)),
        ("inertia", inertia(info)),
    ]
}

/// The mass of a body of a scene, or the reason why it cannot be computed.
fn mass_of(body: &BodyInfo) -> Vec<(&'static str, String)> {
    let name = &body.name;
    match &body.mass {
        None => vec![],
        Some(Ok(info)) => {
            let mass = number(info.mass());
            vec![
                ("mass", format!("{name}: {mass} kg, volume {}", volume(info, " m^3"))),
                ("center of mass", format!("{name}: {} m", center(info))),
                ("inertia", format!("{name}: {} kg m^2", inertia(info))),
            ]
        }
        Some(Err(reason)) => vec![("mass", format!("{name}: none, {reason}"))],
    }
}

fn volume(info: &MassInfo, unit: &str) -> String {
    let relative_error =
        info.relative_error().map(|fraction| format!(" (within {} %)", number_rounded_up(100.0 * fraction)));
    number(info.properties.volume) + unit + &relative_error.unwrap_or_default()
}

/// The centre of mass, to six digits of the body's size. The size is a root mean square over the mass.
fn center(info: &MassInfo) -> String {
    let center = info.properties.center;
    let trace = info.inertia().to_cols_array().into_iter().step_by(4).sum::<f64>();
    let size = (0.5 * trace / info.mass()).sqrt().max(center.abs().max_element());
    center.to_array().map(|x| number_for_size(x, size)).join(" ")
}

/// The rows of the inertia about the centre of mass, to six digits of the largest entry.
fn inertia(info: &MassInfo) -> String {
    let inertia = info.inertia();
    let largest = inertia.to_cols_array().into_iter().fold(0.0, |maximum: f64, x| maximum.max(x.abs()));
    let beside = |x: f64| if x.abs() < 1e-9 * largest { "0".into() } else { number_for_size(x, largest) };
    // The matrix is symmetric, so columns are rows.
    let rows =
        [inertia.x_axis, inertia.y_axis, inertia.z_axis].map(|row| row.to_array().map(beside).join(" "));
    format!("[{}]", rows.join(" | "))
}

/// Advice for a mesh that does not consist of convex pieces.
const DECOMPOSE: &str = "none is offered: cut the body into convex parts elsewhere (a modeller, V-HACD, CoACD) and save \
                         them as one mesh";

/// The convex pieces of a mesh.
fn pieces(info: &PiecesInfo, file: &Path) -> String {
    let mut rows = vec![("file", printable_path(file)), ("kind", "pieces".into())];
    match &info.pieces {
        Ok(pieces) => {
            rows.push(("convex", format!("yes, {}", count(pieces.len(), "piece"))));
            for (place, piece) in pieces.iter().enumerate() {
                let (triangles, vertices) = (count(piece.triangles, "triangle"), piece.vertices);
                let [x, y, z] = (piece.bounds[1] - piece.bounds[0]).to_array().map(number);
                let volume = number(piece.volume);
                let first = piece.first;
                let what = format!(
                    "{place}: {triangles} from {first}, {vertices} vertices, volume {volume}, {x} x {y} x {z}"
                );
                rows.push(("piece", what));
            }
        }
        Err(reason) => {
            rows.extend([("convex", format!("no, {reason}")), ("decomposition", DECOMPOSE.into())])
        }
    }
    rows.extend(info.warnings.iter().map(|warning| ("warning", warning.clone())));
    lines(&rows)
}

/// How a surface faces the screw: areas in the squared unit of the file.
fn facing(facing: &Facing) -> [(&'static str, String); 5] {
    let faces = &facing.faces;
    let edges = format!("{} of {}", facing.culled_edges, facing.edges);
    [
        ("leading area", format!("{} ({} faces)", number(facing.forward), faces.forward)),
        ("trailing area", format!("{} ({} faces)", number(facing.backward), faces.backward)),
        ("sliding area", format!("{} ({} faces)", number(facing.along), faces.along)),
        ("faces that are split", faces.split.to_string()),
        ("edges that are culled", edges),
    ]
}

fn scene_table(info: &SceneInfo, file: &Path) -> String {
    let mut rows = vec![
        ("file", printable_path(file)),
        ("kind", "scene".into()),
        ("bodies", info.bodies.len().to_string()),
        ("triangles", info.triangles().to_string()),
    ];
    rows.extend(bounds(info.bounds));
    match &info.robot {
        Some(robot) => rows.extend(robot_rows(robot)),
        None => rows.extend(info.joints.iter().map(|name| ("joint", name.clone()))),
    }
    rows.extend(info.animations.iter().map(|name| ("animation", name.clone())));
    rows.extend(info.terms.iter().flat_map(terms));
    rows.extend(info.bodies.iter().map(|body| ("body", format!("{}: {}", body.name, shape_text(body)))));
    rows.extend(info.releases.iter().map(|release| ("released", released(release))));
    rows.extend(info.bodies.iter().flat_map(mass_of));
    rows.extend(info.warnings.iter().map(|warning| ("warning", warning.clone())));
    lines(&rows)
}

/// Links, joints and named configurations of a robot.
fn robot_rows(robot: &RobotInfo) -> Vec<(&'static str, String)> {
    let mut rows = vec![("robot", robot.name.clone()), ("links", robot.links.len().to_string())];
    let lowest =
        robot.lowest.map(|z| format!(", the lowest point of the robot is at z = {} m of it", number(z)));
    rows.push(("root link", robot.root.clone() + &lowest.unwrap_or_default()));
    rows.extend(robot.joints.iter().map(|joint| ("joint", joint_text(joint))));
    rows.extend(
        robot.configurations.iter().map(|configuration| ("configuration", configuration_text(configuration))),
    );
    rows
}

/// A joint with its limits; angles also in degrees.
fn joint_text(joint: &JointInfo) -> String {
    let degrees = |text: String| if joint.unit == "rad" { format!(" ({text})") } else { String::new() };
    let mut joint_text = format!("{}: {}, {} to {}", joint.name, joint.kind, joint.parent, joint.child);
    if let (Some(lower), Some(upper)) = (joint.lower, joint.upper) {
        let [low, high] = [lower, upper].map(f64::to_degrees).map(number);
        let [lower, upper] = [lower, upper].map(number);
        joint_text +=
            &format!(", {lower} to {upper} {}{}", joint.unit, degrees(format!("{low} to {high} deg")));
    } else {
        joint_text += ", no limits";
    }
    if let Some(velocity) = joint.velocity {
        let rotated_limit = degrees(format!("{} deg/s", number(velocity.to_degrees())));
        joint_text += &format!(", at most {} {}/s{rotated_limit}", number(velocity), joint.unit);
    }
    if let Some(MimicInfo { joint, multiplier, offset }) = &joint.follows {
        joint_text += &format!(", follows {joint}: {} of it + {}", number(*multiplier), number(*offset));
    }
    joint_text
}

/// A named configuration with its values, or the reason why the robot cannot take it.
fn configuration_text(configuration: &ConfigurationInfo) -> String {
    let group =
        if configuration.group.is_empty() { String::new() } else { format!(" ({})", configuration.group) };
    let values = match &configuration.error {
        Some(error) => format!("cannot be taken: {error}"),
        None if configuration.joints.is_empty() => {
            "sets no joint: those that it names are fixed or follow others".into()
        }
        None => {
            let value = |(joint, value): (&String, &f64)| format!("{joint} {}", number(*value));
            configuration.joints.iter().map(value).collect::<Vec<_>>().join(", ")
        }
    };
    format!("{}{group}: {values}", configuration.name)
}

/// The settings of a scene, in seconds and metres.
fn terms(terms: &SceneSettings) -> Vec<(&'static str, String)> {
    let SceneSettings { duration, tolerance, epsilon, clearance } = *terms;
    let metres = |length: f64| format!("{} m", number(length));
    let mut rows = vec![
        ("duration", format!("{} s", number(duration))),
        ("tolerance", metres(tolerance)),
        ("epsilon", metres(epsilon)),
    ];
    if clearance > 0.0 {
        rows.push(("clearance", metres(clearance)));
    }
    rows
}

/// The time at which a body that is keyframed until its first contact became dynamic.
fn released(ReleaseInfo { body, time }: &ReleaseInfo) -> String {
    match time {
        Some(time) => format!("{body}: keyframed until {} s, dynamic since", number(*time)),
        None => format!("{body}: keyframed until the end"),
    }
}

/// The kind and size of a body.
fn shape_text(body: &BodyInfo) -> String {
    let Some(shape) = body.shape else { return format!("{} triangles", body.triangles) };
    let [minimum, maximum] = shape.bounds;
    let [x, y, z] = (maximum - minimum).to_array().map(number);
    let kind = match (shape.key, shape.parts) {
        ("mesh", _) => format!("mesh of {}", count(body.triangles, "triangle")),
        (key, Some(parts)) => format!("{key} of {}", count(parts, "part")),
        (key, None) => key.into(),
    };
    format!("{kind}, {x} x {y} x {z} m")
}

fn bounds(corners: Option<[DVec3; 2]>) -> Vec<(&'static str, String)> {
    match corners {
        Some([minimum, maximum]) => {
            let size = maximum - minimum;
            let point = |p: DVec3| p.to_array().map(|x| number_for_size(x, size.max_element())).join(" ");
            vec![
                ("from", point(minimum)),
                ("to", point(maximum)),
                ("size", size.to_array().map(number).join(" ")),
            ]
        }
        None => vec![("bounds", "none".into())],
    }
}

fn lines(rows: &[(&str, String)]) -> String {
    rows.iter().fold(String::new(), |mut text, (name, value)| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<22}{}", printable(value));
        text
    })
}
