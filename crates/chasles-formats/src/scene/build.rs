//! Builds a scene of the engine from a scene file: reads its files, and creates shapes and motions.

mod files;
mod deforming;
mod shapes;
mod facts;
mod simulation;

use std::collections::HashSet;
use std::path::Path;

use chasles::{
    BodyMotion, CollisionShape, Curve, ErrorKind, Pose, Primitive, Scene, SceneBody, SceneDefinition, Screw,
};
use glam::{DQuat, DVec3};

use crate::error::{Error, Result};
use crate::figures::rounded;
use crate::printable::printable_path;
use crate::samples::motion_keys;
use crate::scene::appearance::Appearance;
use crate::scene::file::{self, BodyTable, KeyInterpolation, MotionEntry, SceneFile, ShapeEntry, Side};
use crate::scene::units::likely_millimetres;
use crate::text::tree::quoted;
use shapes::SceneShapes;

pub use facts::{facts, facts_with_mass, facts_with_mass_of};
pub use simulation::{BuiltSimulation, simulation, simulation_in_code};

/// A scene that is ready to be checked.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltScene {
    /// The scene.
    pub scene: Scene,
    /// Its appearance.
    pub appearance: Appearance,
    /// Warnings of the mesh readers: one sentence each, with the file's name.
    pub warnings: Vec<String>,
    /// The key `solid` of each body in the file; `None`: the body has no such key.
    pub solid: Vec<Option<bool>>,
    /// The surfaces of files that were left out of the scene: one sentence each, with their place.
    pub missing: Vec<String>,
}

/// The bodies of a scene, and the warnings about them.
pub(crate) struct BuiltBodies {
    pub(crate) bodies: Vec<SceneBody>,
    pub(crate) warnings: Vec<String>,
    /// As in [`BuiltScene`].
    pub(crate) missing: Vec<String>,
}

/// Reads a scene file and all files that it names.
///
/// # Errors
/// As for [`file::read`] and [`build`].
pub fn read(path: &Path) -> Result<BuiltScene> {
    build(&file::read(path)?, path)
}

/// Builds the scene of a file that was read from `path`. Bodies that name a file with the same keys share one shape.
///
/// # Errors
/// With body and key: a file that cannot be read, a mesh without triangles, more triangles, points or samples than
/// the limits allow, an unbounded solid, a motion that leaves the range of coordinates, a solid body whose mesh is
/// not closed.
///
/// # Example
/// ```
/// use chasles_formats::scene;
/// let text = b"format = 1\nduration = 2.0\n\
///     [[body]]\nname = 'table'\nbox = [1, 1, 0.1]\n\
///     [[body]]\nname = 'cup'\nsphere = 0.04\npose = { position = [0, 0, 1] }\n\
///     [body.motion]\nkind = 'twist'\nlinear = [0, 0, -0.4]\nangular = [0, 0, 0]\n";
/// let path = "scene.toml".as_ref();
/// let scene = scene::build::build(&scene::file::parse(text, path)?, path)?.scene;
/// assert_eq!(scene.count_moving_pairs(), 1);
/// # Ok::<(), chasles_formats::Error>(())
/// ```
pub fn build(file: &SceneFile, path: &Path) -> Result<BuiltScene> {
    let BuiltBodies { bodies, warnings, missing } = bodies(file, path, [])?;
    let definition = SceneDefinition {
        duration: file.duration,
        tolerance: file.tolerance,
        clearance: file.clearance,
        bodies,
        ignore: ignored(file),
    };
    let mut scene = Scene::new(definition).map_err(|error| located(file, path, &error))?;
    let itself: Vec<usize> =
        (0..file.bodies.len()).filter(|body| file.bodies[*body].against_itself).collect();
    if !itself.is_empty() {
        scene = scene.with_self_tests(&itself).map_err(|error| Error::file(path, error.to_string()))?;
    }
    if let Some(epsilon) = file.epsilon {
        scene = scene.with_epsilon(epsilon).map_err(|error| Error::file(path, error.to_string()))?;
    }
    let solid = file.bodies.iter().map(|entry| entry.solid).collect();
    Ok(BuiltScene { scene, appearance: Appearance::default(), warnings, solid, missing })
}

/// Builds the bodies of a file, with warnings. `other_sizes` has the sizes, in metres, of other objects that are
/// checked with them.
pub(crate) fn bodies(
    file: &SceneFile,
    path: &Path,
    other_sizes: impl IntoIterator<Item = f64>,
) -> Result<BuiltBodies> {
    let mut shapes = SceneShapes::new(file, path);
    let mut bodies = Vec::with_capacity(file.bodies.len());
    let mut motion_warnings = Vec::new();
    for entry in &file.bodies {
        let shape = Some(shapes.shape(entry)?);
        let (motion, warning) = motion(entry, path)?;
        motion_warnings.extend(warning);
        bodies.push(SceneBody {
            name: entry.name.clone(),
            shape,
            motion,
            parent: entry.parent,
            group: entry.group.clone(),
            solid: entry.is_solid(),
        });
    }
    let mut warnings = [file.warnings.clone(), shapes.warnings(), motion_warnings].concat();
    let body_sizes = bodies.iter().map(|body| body.shape.as_ref().map_or(0.0, size));
    let sizes: Vec<f64> = body_sizes.chain(other_sizes).collect();
    let mut warned_files = HashSet::new();
    for index in likely_millimetres(&sizes) {
        // A stated unit is taken to be intended.
        let entry_without_unit = file.bodies.get(index).filter(|entry| entry.unit.or(file.unit).is_none());
        let Some(entry) = entry_without_unit.filter(|entry| match (&entry.shape, entry.shape.key()) {
            (ShapeEntry::Mesh(file), _) => warned_files.insert(file),
            (ShapeEntry::Points(points), _) => warned_files.insert(&points.file),
            // A unit would not affect formulas, and an explicit spacing is taken to be intended.
            (_, "implicit" | "parametric" | "level_set" | "heights") => false,
            _ => true,
        }) else {
            continue;
        };
        let what = format!(
            "it is {} m across, far more than the rest: if it is in millimetres, it needs unit = \"mm\"",
            rounded(sizes[index], 3)
        );
        warnings.push(entry.shape_error(path, what).to_string());
    }
    Ok(BuiltBodies { bodies, warnings, missing: shapes.missing() })
}

/// The diagonal of a shape's bounding box, in metres.
pub(crate) fn size(shape: &CollisionShape) -> f64 {
    shape.diagonal()
}

/// The pairs of a file that are not tested: ignored pairs, and pairs connected by a joint.
pub(crate) fn ignored(file: &SceneFile) -> Vec<[chasles::PairSide; 2]> {
    let side = |side: Side| match side {
        Side::Every => chasles::PairSide::Every,
        Side::Body(body) => chasles::PairSide::Body(body),
    };
    let ignored = file.ignore.iter().map(|ignore| ignore.pair.map(side));
    ignored.chain(file.joints.iter().map(|joint| joint.bodies.map(chasles::PairSide::Body))).collect()
}

/// Converts an error of the engine about a scene to an error at the responsible body and key.
#[cold]
pub(crate) fn located(file: &SceneFile, path: &Path, error: &chasles::Error) -> Error {
    if *error.kind() == ErrorKind::NotClosed {
        let named = |entry: &&BodyTable| error.place().ends_with(&format!("body {:?}", entry.name));
        let expected = "found true and a mesh that is not closed, expected false, or a mesh in which every edge has two \
                        triangles";
        return match file.bodies.iter().find(named) {
            Some(entry) => key(path, entry, "solid", expected),
            None => Error::file(path, error.to_string()),
        };
    }
    // Not every such error names the body. The first body whose motion alone is refused is responsible.
    let refused = file.bodies.iter().find_map(|entry| check_body(entry, file.duration, path).err());
    refused.unwrap_or_else(|| Error::file(path, error.to_string()))
}

/// Checks that the engine accepts the motion of a body.
fn check_body(entry: &BodyTable, duration: f64, path: &Path) -> Result<()> {
    let complain = |error: chasles::Error| key(path, entry, "motion", &error.to_string());
    let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).map_err(complain)?;
    let body = SceneBody {
        name: entry.name.clone(),
        shape: Some(shape),
        motion: motion(entry, path)?.0,
        parent: None,
        group: None,
        solid: false,
    };
    let definition =
        SceneDefinition { duration, tolerance: None, clearance: 0.0, bodies: vec![body], ignore: vec![] };
    Scene::new(definition).map(|_| ()).map_err(complain)
}

#[cold]
fn key(path: &Path, entry: &BodyTable, key: &str, message: &str) -> Error {
    Error::key(path, format!("body {}.{key}", quoted(&entry.name)), entry.line, message)
}

/// Returns the motion of a body, and the warnings about its file of keys.
fn motion(entry: &BodyTable, path: &Path) -> Result<(BodyMotion, Vec<String>)> {
    let complain = |error: chasles::Error| key(path, entry, "motion", &error.to_string());
    let place = |error: chasles::Error| key(path, entry, "pose", &error.to_string());
    let start = || Pose::new(entry.pose.position, entry.pose.rotation).map_err(place);
    let motion = match &entry.motion {
        None => start().map(BodyMotion::Still),
        Some(MotionEntry::Screw { axis, point, slide, angle }) => {
            Screw::about(start()?, *axis, *point, *slide, *angle).map(BodyMotion::Screw).map_err(complain)
        }
        Some(MotionEntry::Twist { linear, angular }) => {
            Ok(BodyMotion::Twist { start: start()?, linear: *linear, angular: *angular })
        }
        Some(MotionEntry::Keyframes { times, positions, rotations, interpolation }) => {
            keyed((times, positions, rotations), *interpolation).map_err(complain)
        }
        Some(MotionEntry::KeyFile { file, format, unit, interpolation, line }) => {
            let keys = |message: String| {
                Error::key(path, format!("body {}.motion.keys", quoted(&entry.name)), *line, message)
            };
            let mut read = motion_keys::read(file, *format).map_err(|error| keys(error.to_string()))?;
            read.positions.iter_mut().for_each(|position| *position = file::metres(*unit, *position));
            let motion = keyed((&read.times, &read.positions, &read.rotations), *interpolation);
            let motion = motion.map_err(|error| keys(format!("{}: {error}", printable_path(file))))?;
            let motion_warnings =
                read.warnings.iter().map(|warning| format!("{}: {warning}", printable_path(file)));
            return Ok((motion, motion_warnings.collect()));
        }
    };
    Ok((motion?, Vec::new()))
}

/// The motion through keyframes; the slices have one entry for each time.
///
/// # Errors
/// When a position or a rotation is invalid.
pub fn keyed(
    (times, positions, rotations): (&[f64], &[DVec3], &[DQuat]),
    interpolation: KeyInterpolation,
) -> std::result::Result<BodyMotion, chasles::Error> {
    let positions = || times.iter().copied().zip(positions.iter().copied());
    let rotations = || times.iter().copied().zip(rotations.iter().copied());
    Ok(match interpolation {
        KeyInterpolation::Screw => {
            let keys = positions().zip(rotations()).map(|((time, position), (_, rotation))| {
                Pose::new(position, rotation).map(|pose| (time, pose))
            });
            BodyMotion::Keyframes(keys.collect::<std::result::Result<_, _>>()?)
        }
        KeyInterpolation::Step => BodyMotion::Curves {
            position: Curve::Step(positions().collect()),
            rotation: Curve::Step(rotations().collect()),
        },
        KeyInterpolation::Linear => BodyMotion::Curves {
            position: Curve::Linear(positions().collect()),
            rotation: Curve::Linear(rotations().collect()),
        },
    })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;

    fn built(duration: f64, bodies: &str) -> Result<BuiltScene> {
        let path = Path::new("cell/scene.toml");
        let text = format!("format = 1\nduration = {duration:?}\n{bodies}");
        build(&file::parse(text.as_bytes(), path)?, path)
    }

    /// A body with a motion that starts from a pose.
    fn moving(motion: &str) -> Result<BuiltScene> {
        let pose = "pose = { position = [1, 2, 3], rotation = [1, 1, 0, 0] }";
        built(2.0, &format!("[[body]]\nname = 'x'\nbox = [1, 1, 1]\n{pose}\n[body.motion]\n{motion}\n"))
    }

    /// A body with keys at 1 s, 2 s and 4 s, in a scene of 5 s.
    fn keyed(interpolation: &str, positions: [DVec3; 3], rotations: [DQuat; 3]) -> Scene {
        let positions = positions.map(|p| p.to_array());
        // Quaternions of length 2: the reader normalizes them.
        let rotations = rotations.map(|q| [q.w, q.x, q.y, q.z].map(|x| 2.0 * x));
        let motion = format!(
            "times = [1, 2, 4]\npositions = {positions:?}\nrotations = {rotations:?}\ninterpolation = '{interpolation}'"
        );
        let text =
            format!("[[body]]\nname = 'x'\nbox = [1, 1, 1]\n[body.motion]\nkind = 'keyframes'\n{motion}\n");
        built(5.0, &text).unwrap().scene
    }

    #[track_caller]
    fn assert_pose(scene: &Scene, time: f64, position: DVec3, rotation: DQuat) {
        let pose = scene.pose_at(0, time);
        assert!(pose.position().distance(position) < 1e-13, "{time} {pose:?} for {position}");
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let rotated = rotation * axis;
            assert!(pose.transform_vector(axis).distance(rotated) < 1e-13, "{time} {pose:?} for {rotation}");
        }
    }

    #[test]
    fn twists_move_origin_and_axes_evenly() {
        let cases = [
            // Translation only, rotation only, a screw, the opposite direction with many revolutions, and no screws.
            ([0.5, -1.0, 0.0], [0.0, 0.0, 0.0]),
            ([0.0, 0.0, 0.0], [0.3, 0.0, 0.4]),
            ([0.3, 0.0, 0.4], [0.6, 0.0, 0.8]),
            ([0.3, 0.0, 0.4], [-60.0, 0.0, -80.0]),
            ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
            ([0.5, -1.0, 2.0], [3.0, 7.0, -1.0]),
            ([1e-3, 0.0, 1e3], [0.0, 1e-3, 0.0]),
        ];
        for (linear, angular) in cases {
            let motion = format!("kind = 'twist'\nlinear = {linear:?}\nangular = {angular:?}");
            let scene = moving(&motion).unwrap().scene;
            let (linear, angular) = (DVec3::from_array(linear), DVec3::from_array(angular));
            for time in [0.0, 0.7, 1.3, 2.0] {
                let pose = scene.pose_at(0, time);
                let origin = DVec3::new(1.0, 2.0, 3.0) + time * linear;
                assert!(pose.position().distance(origin) < 1e-12, "{time} {pose:?}");
                let rotated = DQuat::from_scaled_axis(time * angular) * DQuat::from_rotation_x(FRAC_PI_2);
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    assert!(pose.transform_vector(axis).distance(rotated * axis) < 1e-12, "{time}");
                }
            }
        }
    }

    /// Three poses for which linear interpolation and slerp together are no single screw.
    fn keys() -> ([DVec3; 3], [DQuat; 3]) {
        let positions = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(2.0, 0.0, 3.0), DVec3::new(2.0, 4.0, 1.0)];
        let rotation_by = |angle| DQuat::from_axis_angle(DVec3::new(2.0, -1.0, 2.0) / 3.0, angle);
        // The last quaternion, negated, is the same rotation: 0.5 from the second, not 2 pi - 0.5.
        (positions, [rotation_by(0.25), rotation_by(1.25), -rotation_by(1.75)])
    }

    #[test]
    fn linear_keyframes_move_straight_and_take_the_shorter_rotation() {
        let (positions, rotations) = keys();
        let scene = keyed("linear", positions, rotations);
        let rotation_by = |angle| DQuat::from_axis_angle(DVec3::new(2.0, -1.0, 2.0) / 3.0, angle);
        for (time, k, fraction, angle) in [
            (0.0, 0, 0.0, 0.25),
            (1.0, 0, 0.0, 0.25),
            (1.25, 0, 0.25, 0.5),
            (1.75, 0, 0.75, 1.0),
            (2.0, 1, 0.0, 1.25),
            (2.5, 1, 0.25, 1.375),
            (3.5, 1, 0.75, 1.625),
            (4.0, 1, 1.0, 1.75),
            (5.0, 1, 1.0, 1.75),
        ] {
            assert_pose(&scene, time, positions[k].lerp(positions[k + 1], fraction), rotation_by(angle));
        }
        // A rotation of exactly half a revolution uses the axis whose first component is positive, for both signs of
        // the quaternion.
        for half in [DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0), DQuat::from_xyzw(0.0, 0.0, -1.0, 0.0)] {
            let scene = keyed("linear", positions, [DQuat::IDENTITY, half, half]);
            let middle = positions[0].lerp(positions[1], 0.5);
            assert_pose(&scene, 1.5, middle, DQuat::from_rotation_z(FRAC_PI_2));
        }
    }

    #[test]
    fn keyframes_on_screws_do_not_move_straight() {
        // A quarter revolution about the z axis through (1, 2): screws follow the arc, and linear keyframes the
        // chord.
        let positions = [DVec3::new(2.0, 2.0, 0.0), DVec3::new(1.0, 3.0, 0.0), DVec3::new(1.0, 3.0, 0.0)];
        let quarter = DQuat::from_rotation_z(FRAC_PI_2);
        let rotations = [DQuat::IDENTITY, quarter, quarter];
        let half = DQuat::from_rotation_z(0.25 * PI);
        let chord = DVec3::new(1.5, 2.5, 0.0);
        let arc = DVec3::new(1.0 + 0.5_f64.sqrt(), 2.0 + 0.5_f64.sqrt(), 0.0);
        assert_pose(&keyed("linear", positions, rotations), 1.5, chord, half);
        assert_pose(&keyed("screw", positions, rotations), 1.5, arc, half);
    }

    #[test]
    fn step_keyframes_keep_their_pose_until_the_next() {
        let (positions, rotations) = keys();
        let scene = keyed("step", positions, rotations);
        for (time, k) in [(0.0, 0), (1.0, 0), (1.999, 0), (2.0, 1), (3.999, 1), (4.0, 2), (5.0, 2)] {
            assert_pose(&scene, time, positions[k], rotations[k]);
        }
    }

    #[test]
    fn shapes_have_their_scale() {
        let scene = built(
            1.0,
            "[[body]]\nname = 'ball'\nsphere = 2\nscale = 0.5\n[[body]]\nname = 'box'\nbox = [1, 2, 3]\nscale = 10\n",
        );
        let scene = scene.unwrap().scene;
        let [ball, cuboid] = [0, 1].map(|i| scene.bodies()[i].shape.as_ref().unwrap().drawn().bounds()[1]);
        // The polyhedron that represents the ball lies inside the ball, and close to its surface.
        assert!(ball.max_element() <= 1.0 && ball.min_element() > 0.9, "{ball}");
        assert_eq!(cuboid, DVec3::new(5.0, 10.0, 15.0));
        assert!((scene.tolerance() - 1400_f64.sqrt() * 1e-9).abs() < 1e-20);
    }

    #[test]
    fn mesh_names_that_are_not_files_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("part.stl")).unwrap();
        let text = b"format = 1\nduration = 1\n[[body]]\nname = 'part'\nmesh = 'part.stl'\n";
        let path = folder.path().join("scene.toml");
        let message = build(&file::parse(text, &path).unwrap(), &path).unwrap_err().to_string();
        assert!(message.ends_with("part.stl: cannot be read: it is not a file"), "{message}");
    }

    #[test]
    fn triangles_are_counted_before_they_are_created() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n").unwrap();
        std::fs::copy(folder.path().join("a.obj"), folder.path().join("b.obj")).unwrap();
        let path = folder.path().join("scene.toml");
        // Three bodies use two sizes of the first mesh, and one body uses the second: six triangles.
        let body = |name: &str, mesh: &str, scale: f64| {
            format!("[[body]]\nname = '{name}'\nmesh = '{mesh}.obj'\nscale = {scale:?}\n")
        };
        let text = ["format = 1\nduration = 1\n".into(), body("1", "a", 1.0), body("2", "a", 2.0)].concat()
            + &[body("3", "a", 1.0), body("4", "b", 2.0)].concat();
        let file = file::parse(text.as_bytes(), &path).unwrap();
        let made = |max_triangles| {
            let mut shapes = SceneShapes::new(&file, &path);
            shapes.max_triangles = max_triangles;
            let made: Result<Vec<_>> = file.bodies.iter().map(|entry| shapes.shape(entry)).collect();
            made.map(|made| made.iter().map(|shape| shape.drawn().diagonal().powi(2)).collect::<Vec<_>>())
        };
        assert_eq!(made(6).unwrap(), [2.0, 8.0, 2.0, 8.0].map(|square: f64| square.sqrt().powi(2)));
        let message = made(5).unwrap_err().to_string();
        let place = format!("{}:17: body \"4\".mesh: ", path.display());
        let found =
            "b.obj: found 2 triangles in 1 sizes, with which the scene has 6, expected at most 5 in all";
        assert!(message.starts_with(&place) && message.ends_with(found), "{message}");
        let message = made(3).unwrap_err().to_string();
        assert!(
            message.contains("body \"1\".mesh: ") && message.contains("a.obj: found 2 triangles in 2 sizes"),
            "{message}"
        );
    }

    #[test]
    fn clearance_and_solid_are_kept() {
        let text = "clearance = 0.25\n[[body]]\nname = 'x'\nbox = [1, 1, 1]\nsolid = true\n\
                    [[body]]\nname = 'y'\nsphere = 1\n";
        let scene = built(1.0, text).unwrap().scene;
        assert_eq!(scene.clearance(), 0.25);
        assert_eq!((scene.bodies()[0].solid, scene.bodies()[1].solid), (true, false));
    }

    #[test]
    fn engine_errors_have_body_and_line() {
        let bodies = "[[body]]\nname = 'x'\nbox = [1, 1, 1]\npose = { position = [1e200, 0, 0] }\n";
        let message = built(1.0, bodies).unwrap_err().to_string();
        assert!(
            message.starts_with("cell/scene.toml:3: body \"x\".pose: position: found 1e200"),
            "{message}"
        );
        for motion in [
            "kind = 'twist'\nlinear = [6e69, 0, 0]\nangular = [0, 0, 0]",
            "kind = 'twist'\nlinear = [0, 0, 0]\nangular = [1e300, 0, 0]",
            "kind = 'screw'\naxis = [1, 0, 0]\npoint = [0, 0, 0]\nslide = 1e70\nangle = 1",
        ] {
            let message = moving(motion).unwrap_err().to_string();
            assert!(message.starts_with("cell/scene.toml:3: body \"x\".motion: "), "{message}");
        }
    }

    #[test]
    fn a_convex_body_needs_convex_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
        let write = |name: &str, faces: &str| {
            std::fs::write(folder.path().join(name), format!("{corners}{faces}")).unwrap()
        };
        write("whole.obj", "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
        write("open.obj", "f 1 3 2\nf 1 2 4\nf 2 3 4\n");
        write("inward.obj", "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
        let path = folder.path().join("scene.toml");
        let build = |shape: &str| {
            let text = format!("format = 1\nduration = 1\n[[body]]\nname = 'b'\n{shape}\n");
            build(&file::parse(text.as_bytes(), &path)?, &path)
        };
        let shape = |text: &str| build(text).unwrap().scene.bodies()[0].shape.clone().unwrap();
        assert_eq!(shape("mesh = 'whole.obj'\nconvex = true").convex_pieces().unwrap().pieces().len(), 1);
        assert!(shape("mesh = 'whole.obj'\nconvex = false").convex_pieces().is_none());
        assert_eq!(shape("box = [1, 2, 3]\nconvex = true").convex_pieces().unwrap().pieces().len(), 1);
        assert!(shape("box = [1, 2, 3]").convex_pieces().is_none());
        assert!(shape("mesh = 'open.obj'").convex_pieces().is_none());
        let refused = |text: &str, text_start: &str, end: &str| {
            let message = build(text).unwrap_err().to_string();
            assert!(message.starts_with(&format!("{}:{text_start}", path.display())), "{message}");
            assert!(message.contains(end), "{message}");
        };
        refused(
            "mesh = 'open.obj'\nconvex = true",
            "5: body \"b\".mesh: ",
            "piece 0 that is not convex: it is open: edge",
        );
        refused("mesh = 'inward.obj'\nconvex = true", "5: body \"b\".mesh: ", "turned inwards, face 0 first");
        refused(
            "sphere = 1\nconvex = true",
            "6: body \"b\".convex: ",
            "found `convex` in a body that is neither a rigid mesh nor a box",
        );
        refused(
            "convex = true",
            "5: body \"b\".convex: ",
            "found `convex` in a body that is neither a rigid mesh nor a box",
        );
        refused(
            "mesh = 'whole.obj'\nconvex = true\n[body.motion]\nkind = 'deforming'\ncache = 'none.pc2'",
            "6: body \"b\".convex: ",
            "found `convex` in a body that is neither a rigid mesh nor a box",
        );
        refused("mesh = 'whole.obj'\nconvex = 1", "6: body \"b\".convex: ", "found 1");
        // A mesh that is used with and without `convex` is read once, and each body keeps its own setting.
        let both = "mesh = 'whole.obj'\n[[body]]\nname = 'c'\nmesh = 'whole.obj'\nconvex = true";
        let scene = build(both).unwrap().scene;
        let are_convex = [0, 1].map(|i| scene.bodies()[i].shape.as_ref().unwrap().convex_pieces().is_some());
        assert_eq!(are_convex, [false, true]);
    }

    #[test]
    fn a_solid_body_needs_a_closed_mesh() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("open.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        let path = folder.path().join("scene.toml");
        let text = |solid: bool| {
            format!("format = 1\nduration = 1\n[[body]]\nname = 'b'\nmesh = 'open.obj'\nsolid = {solid}\n")
        };
        let build = |solid: bool| build(&file::parse(text(solid).as_bytes(), &path)?, &path);
        let message = build(true).unwrap_err().to_string();
        let place = format!("{}:3: body \"b\".solid: found true", path.display());
        assert!(message.starts_with(&place) && message.contains("not closed"), "{message}");
        assert!(build(false).is_ok());
    }
}
