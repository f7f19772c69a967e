//! From a scene file to a scene of the engine: meshes are read, primitives made, motions turned into screws.
//!
//! What the engine cannot decide yet is refused here, by file, body and key: never answered wrongly, never left out.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chasles::{Body, BodyMotion, Mesh, Pose, Scene, SceneBody, SceneDefinition, SceneShape, Screw};
use glam::{DQuat, DVec3};

use crate::error::{Error, Result};
use crate::mesh::{self, MeshFile};
use crate::scene_file::tree::quoted;
use crate::scene_file::{
    self, BodyEntry, Interpolation, MotionEntry, PoseEntry, SceneFile, ShapeEntry, Side,
};

/// A scene that is ready to be checked.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltScene {
    /// The scene.
    pub scene: Scene,
    /// What the readers of the meshes found doubtful: one sentence each, with the file's name.
    pub warnings: Vec<String>,
}

/// Reads a scene file and all that it names.
///
/// # Errors
/// As [`scene_file::read`] and [`build`].
pub fn read(path: &Path) -> Result<BuiltScene> {
    build(&scene_file::read(path)?, path)
}

/// Builds the scene of a file that was read from `path`. Each mesh file is read once.
///
/// # Errors
/// With body and key: a mesh that cannot be read or has no triangles, a motion that leads out of the range of coordinates, and
/// what is not supported yet: `clearance` above 0, `solid`, motions that are not sequences of single screws, and pairs
/// whose relative motion is none because both bodies move.
///
/// # Example
/// ```
/// use chasles_formats::{scene_build, scene_file};
/// let text = b"format = 1\nduration = 2.0\n\
///     [[body]]\nname = 'table'\nbox = [1, 1, 0.1]\n\
///     [[body]]\nname = 'cup'\nsphere = 0.04\npose = { position = [0, 0, 1] }\n\
///     [body.motion]\nkind = 'twist'\nlinear = [0, 0, -0.4]\nangular = [0, 0, 0]\n";
/// let path = "scene.toml".as_ref();
/// let scene = scene_build::build(&scene_file::parse(text, path)?, path)?.scene;
/// assert_eq!(scene.count_tested_pairs(), 1);
/// # Ok::<(), chasles_formats::Error>(())
/// ```
pub fn build(file: &SceneFile, path: &Path) -> Result<BuiltScene> {
    let mut shapes = Shapes::new(path);
    let mut bodies = Vec::with_capacity(file.bodies.len());
    for entry in &file.bodies {
        bodies.push(SceneBody {
            name: entry.name.clone(),
            shape: shapes.shape(entry)?,
            motion: motion(entry, file.duration, path)?,
            parent: entry.parent,
            group: entry.group.clone(),
        });
    }
    if file.clearance > 0.0 {
        let found =
            format!("found {}, expected 0: clearances are not supported yet, contacts are", file.clearance);
        return Err(Error::key(path, "clearance", 0, found));
    }
    if let Some(entry) = file.bodies.iter().find(|entry| entry.solid) {
        let found = "found true, expected false: solid bodies are not supported yet, their surfaces are";
        return Err(key(path, entry, "solid", found));
    }
    let side = |side: Side| match side {
        Side::Every => chasles::Side::Every,
        Side::Body(body) => chasles::Side::Body(body),
    };
    let definition = SceneDefinition {
        duration: file.duration,
        tolerance: file.tolerance,
        bodies,
        ignore: file.ignore.iter().map(|ignore| ignore.pair.map(side)).collect(),
    };
    let scene = Scene::new(definition).map_err(|error| Error::file(path, error.to_string()))?;
    if let Some([a, b]) = scene.first_unsupported_pair() {
        let (a, b) = (&file.bodies[a], &file.bodies[b]);
        // The one whose own motion it is; a rider is told too.
        let entry = if b.motion.is_some() { b } else { a };
        let found = format!(
            "bodies {} and {} both move, each in its own way: not supported yet; expected a pair of which only one moves \
             relative to the other, or an [[ignore]] of the pair",
            quoted(&a.name),
            quoted(&b.name)
        );
        return Err(key(path, entry, "motion", &found));
    }
    Ok(BuiltScene { scene, warnings: shapes.warnings })
}

#[cold]
fn key(path: &Path, entry: &BodyEntry, key: &str, message: &str) -> Error {
    Error::key(path, format!("body {}.{key}", quoted(&entry.name)), entry.line, message)
}

/// The shapes of a scene; bodies of one mesh and scale share it.
struct Shapes<'a> {
    scene: &'a Path,
    meshes: HashMap<PathBuf, Mesh>,
    scaled: HashMap<(PathBuf, u64), SceneShape>,
    warnings: Vec<String>,
}

impl<'a> Shapes<'a> {
    fn new(scene: &'a Path) -> Self {
        Self { scene, meshes: HashMap::new(), scaled: HashMap::new(), warnings: Vec::new() }
    }

    fn shape(&mut self, entry: &BodyEntry) -> Result<SceneShape> {
        let primitive = match entry.shape {
            ShapeEntry::Mesh(ref file) => return self.mesh(entry, file),
            ShapeEntry::Primitive(primitive) => primitive,
        };
        SceneShape::primitive(primitive.scaled(entry.scale))
            .map_err(|error| entry.shape_error(self.scene, error.to_string()))
    }

    fn mesh(&mut self, entry: &BodyEntry, file: &Path) -> Result<SceneShape> {
        let scaled = (file.to_path_buf(), entry.scale.to_bits());
        if let Some(shape) = self.scaled.get(&scaled) {
            return Ok(shape.clone());
        }
        let complain = |error: &dyn std::fmt::Display| entry.shape_error(self.scene, error.to_string());
        if !self.meshes.contains_key(file) {
            let MeshFile { vertices, triangles, warnings } =
                mesh::read(file).map_err(|error| complain(&error))?;
            let made = Mesh::new(vertices, triangles)
                .map_err(|error| complain(&Error::file(file, error.to_string())))?;
            self.warnings.extend(warnings.iter().map(|warning| format!("{}: {warning}", file.display())));
            self.meshes.insert(file.to_path_buf(), made);
        }
        let mesh = &self.meshes[file];
        let mesh = if entry.scale == 1.0 {
            mesh.clone()
        } else {
            let place = |error: chasles::Error| complain(&Error::file(file, error.to_string()));
            mesh.scaled(entry.scale).map_err(place)?
        };
        let shape = SceneShape::mesh(Arc::new(Body::new(mesh)));
        self.scaled.insert(scaled, shape.clone());
        Ok(shape)
    }
}

/// Directions count as parallel, and a motion as a single screw, when only rounding speaks against it.
const PARALLEL: f64 = 4.0 * f64::EPSILON;

fn motion(entry: &BodyEntry, duration: f64, path: &Path) -> Result<BodyMotion> {
    let complain = |error: chasles::Error| key(path, entry, "motion", &error.to_string());
    let pose = |position: DVec3, rotation: DQuat| Pose::new(position, rotation);
    let PoseEntry { position, rotation } = entry.pose;
    let place = |error: chasles::Error| key(path, entry, "pose", &error.to_string());
    match &entry.motion {
        None => pose(position, rotation).map(BodyMotion::Still).map_err(place),
        Some(MotionEntry::Screw { axis, point, slide, angle }) => {
            let start = pose(position, rotation).map_err(place)?;
            Screw::about(start, *axis, *point, *slide, *angle).map(BodyMotion::Screw).map_err(complain)
        }
        Some(MotionEntry::Twist { linear, angular }) => {
            let start = pose(position, rotation).map_err(place)?;
            let Some(screw) = twist(start, *linear * duration, *angular * duration) else {
                let found = "found a twist whose linear velocity is not along its angular one, which is no single \
                             screw: not supported yet; a twist that only slides, only turns, or slides along what it \
                             turns about is, and so are kind = \"screw\" and keyframes with interpolation = \"screw\"";
                return Err(key(path, entry, "motion.linear", found));
            };
            screw.map(BodyMotion::Screw).map_err(complain)
        }
        Some(MotionEntry::Keyframes { times, positions, rotations, interpolation }) => {
            let poses = positions.iter().zip(rotations).map(|(p, q)| pose(*p, *q).map_err(complain));
            let keys = times.iter().copied().zip(poses.collect::<Result<Vec<_>>>()?).collect::<Vec<_>>();
            let visible = |pair: &&[(f64, Pose)]| pair[1].0 > 0.0 && pair[0].0 < duration;
            let mut steps = keys.windows(2).filter(visible);
            match interpolation {
                Interpolation::Screw => {}
                Interpolation::Step if keys.len() == 1 => {}
                Interpolation::Step => {
                    let found = "found \"step\", expected \"screw\": jumps are not supported yet";
                    return Err(key(path, entry, "motion.interpolation", found));
                }
                Interpolation::Linear => {
                    if let Some(pair) = steps.find(|pair| !linear_is_a_screw(&pair[0].1, &pair[1].1)) {
                        let found = format!(
                            "found \"linear\" with keys at {} s and {} s between which the body both moves and turns, which is no \
                             single screw: not supported yet; expected \"screw\", or keys between which it only \
                             moves or only turns",
                            pair[0].0, pair[1].0
                        );
                        return Err(key(path, entry, "motion.interpolation", &found));
                    }
                }
            }
            Ok(BodyMotion::Keyframes(keys))
        }
    }
}

/// The screw of a body whose origin moves evenly by `way` while it turns evenly by `turn`, where it is one.
fn twist(start: Pose, way: DVec3, turn: DVec3) -> Option<std::result::Result<Screw, chasles::Error>> {
    if turn == DVec3::ZERO {
        // As a screw without an angle: this checks the numbers.
        return Some(match length(way) {
            0.0 => Ok(Screw::still(start)),
            slide => Screw::about(start, way, start.position(), slide, 0.0),
        });
    }
    if !parallel(way, turn) {
        return None;
    }
    let sense = if way.dot(turn) < 0.0 { -1.0 } else { 1.0 };
    Some(Screw::about(start, turn, start.position(), sense * length(way), length(turn)))
}

/// Whether position linear, rotation slerp from one pose to another is a screw.
fn linear_is_a_screw(from: &Pose, to: &Pose) -> bool {
    let way = to.position() - from.position();
    let turn = (to.rotation() * from.rotation().conjugate()).xyz();
    way == DVec3::ZERO || turn == DVec3::ZERO || parallel(way, turn)
}

fn parallel(v: DVec3, w: DVec3) -> bool {
    let (v, w) =
        (v / v.abs().max_element().max(f64::MIN_POSITIVE), w / w.abs().max_element().max(f64::MIN_POSITIVE));
    v.cross(w).length() <= PARALLEL * v.length() * w.length()
}

/// The length of a vector, also of one whose square leaves the range.
fn length(v: DVec3) -> f64 {
    let largest = v.abs().max_element();
    if largest > 0.0 && largest.is_finite() { largest * (v / largest).length() } else { largest }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(duration: f64, bodies: &str) -> Result<BuiltScene> {
        let path = Path::new("cell/scene.toml");
        let text = format!("format = 1\nduration = {duration:?}\n{bodies}");
        build(&scene_file::parse(text.as_bytes(), path)?, path)
    }

    fn moving(motion: &str) -> Result<BuiltScene> {
        let pose = "pose = { position = [1, 2, 3], rotation = [1, 1, 0, 0] }";
        built(2.0, &format!("[[body]]\nname = 'x'\nbox = [1, 1, 1]\n{pose}\n[body.motion]\n{motion}\n"))
    }

    #[test]
    fn a_twist_moves_origin_and_axes_evenly() {
        let cases = [
            ("[0.5, -1, 0]", "[0, 0, 0]"),
            ("[0, 0, 0]", "[0.3, 0, 0.4]"),
            ("[0.3, 0, 0.4]", "[0.6, 0, 0.8]"),
            ("[0.3, 0, 0.4]", "[-6, 0, -8]"),
        ];
        for (linear, angular) in cases {
            let scene =
                moving(&format!("kind = 'twist'\nlinear = {linear}\nangular = {angular}")).unwrap().scene;
            let vector = |text: &str| {
                let numbers: Vec<f64> =
                    text.trim_matches(['[', ']']).split(", ").map(|x| x.parse().unwrap()).collect();
                DVec3::from_slice(&numbers)
            };
            let (linear, angular) = (vector(linear), vector(angular));
            for time in [0.0, 0.7, 1.3, 2.0] {
                let pose = scene.pose_at(0, time);
                let origin = DVec3::new(1.0, 2.0, 3.0) + time * linear;
                assert!(pose.position().distance(origin) < 1e-14, "{time} {pose:?}");
                let start = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
                let turned = DQuat::from_scaled_axis(time * angular) * start;
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    assert!(pose.transform_vector(axis).distance(turned * axis) < 1e-13, "{time}");
                }
            }
        }
    }

    #[test]
    fn linear_keyframes_are_screws_where_they_may_be() {
        let at = |x: f64, z: f64, turn: f64| {
            Pose::new(DVec3::new(x, 0.0, z), DQuat::from_rotation_z(turn)).unwrap()
        };
        assert!(linear_is_a_screw(&at(0.0, 0.0, 0.5), &at(1.0, 2.0, 0.5)));
        assert!(linear_is_a_screw(&at(1.0, 2.0, 0.5), &at(1.0, 2.0, 3.5)));
        assert!(linear_is_a_screw(&at(1.0, 2.0, 0.5), &at(1.0, 3.0, 1.5)));
        assert!(!linear_is_a_screw(&at(1.0, 2.0, 0.5), &at(1.0 + 1e-9, 2.0, 1.5)));
        assert!(parallel(DVec3::new(1e-200, 2e-200, 0.0), DVec3::new(-1e200, -2e200, 0.0)));
        assert!(!parallel(DVec3::new(1.0, 1e-14, 0.0), DVec3::X));
    }

    #[test]
    fn shapes_have_their_scale_and_deviation() {
        let scene = built(
            1.0,
            "[[body]]\nname = 'ball'\nsphere = 2\nscale = 0.5\n[[body]]\nname = 'box'\nbox = [1, 2, 3]\nscale = 10\n",
        );
        let scene = scene.unwrap().scene;
        let [ball, cuboid] = [0, 1].map(|i| &scene.bodies()[i].shape);
        assert!((ball.deviation() - 0.034_1).abs() < 1e-4 && cuboid.deviation() == 0.0);
        assert_eq!(cuboid.body().mesh().bounds()[1], DVec3::new(5.0, 10.0, 15.0));
        assert!((scene.tolerance() - 1400_f64.sqrt() * 1e-9).abs() < 1e-20);
    }

    #[test]
    fn poses_that_the_engine_does_not_take_are_told_with_the_body() {
        let bodies = "[[body]]\nname = 'x'\nbox = [1, 1, 1]\npose = { position = [1e200, 0, 0] }\n";
        let message = built(1.0, bodies).unwrap_err().to_string();
        assert!(
            message.starts_with("cell/scene.toml:3: body \"x\".pose: position: found 1e200"),
            "{message}"
        );
        let message =
            moving("kind = 'twist'\nlinear = [6e69, 0, 0]\nangular = [0, 0, 0]").unwrap_err().to_string();
        assert!(message.contains("body \"x\""), "{message}");
    }
}
