//! Robots in their cells: checks of paths.

use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};

use chasles::{
    CheckOptions, Horizon, JointPath, NearestReport, PairReport, PairVerdict, PathReport, Robot, RobotCell,
    Waypoint,
};
use chasles_formats::reading::{ReadLimits, with_read_limits};
use chasles_formats::robot::cell::{self, BuiltCell, CellOptions, HollowBodies};
use chasles_formats::robot::joint_values;
use chasles_formats::robot::urdf::{self, RobotFile, UrdfOptions};

use crate::argument::{array, handed_over, needed, needed_out, path, text};
use crate::contact::{Doubt, FeatureKind, Features, Options, Verdict};
use crate::pose::Pose;
use crate::status::{Failure, Status, guarded, guarded_or};

/// A robot at its base, with the bodies around it. It never changes: any number of calls, from any threads, may use
/// it at the same time.
#[derive(Debug)]
pub struct Cell {
    pub(crate) cell: RobotCell,
    /// The joints that can be set, by their numbers in the robot.
    pub(crate) joints: Vec<usize>,
    joint_names: Vec<CString>,
    body_names: Vec<CString>,
    warnings: Vec<CString>,
}

/// The files and settings of a cell. Start with the result of `chasles_cell_source_default`. Paths are in UTF-8.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CellSource {
    /// The robot's file, in URDF. Must not be NULL.
    pub urdf: *const c_char,
    /// NULL; or the text of the robot, in place of the content of the file `urdf`, which then need not exist: its
    /// name is used in messages, and meshes are searched for beside it.
    pub urdf_text: *const c_char,
    /// The file of the pairs of links that are not tested, in SRDF; NULL: there is none. Links that one joint
    /// connects are never tested.
    pub srdf: *const c_char,
    /// The scene file of the bodies around the robot and on its links; NULL: there are none.
    pub world: *const c_char,
    /// The pose of the robot's root link in the world.
    pub base: Pose,
    /// Pairs that come this close, in metres, have the verdict `CHASLES_VERDICT_NEAR`, and block edges and
    /// configurations. A negative number: the world's clearance, or 0 if the world has none.
    pub clearance: f64,
    /// The names of hollow links and hollow bodies of the world, one per line, or `all`. NULL: closed links and
    /// bodies are solid, except bodies with `solid = false` in the world. A body that is wholly inside a solid one
    /// is in contact. `all`: links are hollow, and so are bodies without `solid = true`.
    pub hollow: *const c_char,
    /// A folder that must contain the files of the robot and its world, and all files that these name, after links
    /// are resolved. NULL: files may be anywhere.
    pub confine: *const c_char,
}

/// A source without files, at the origin of the world.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_cell_source_default() -> CellSource {
    let none = std::ptr::null();
    CellSource {
        urdf: none,
        urdf_text: none,
        srdf: none,
        world: none,
        base: Pose::IDENTITY,
        clearance: -1.0,
        hollow: none,
        confine: none,
    }
}

/// Reads a robot and the bodies around it.
///
/// @param source The files and settings of the cell.
/// @param cell Where the handle is written; NULL if the call fails.
///
/// Invalid files give `CHASLES_STATUS_FILE`, with file and line in the message. Merely doubtful input gives
/// warnings: see `chasles_cell_warning`.
///
/// Threads: any, at any time. The handle is freed by `chasles_cell_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_cell_read(
    source: Option<&CellSource>,
    cell: Option<&mut MaybeUninit<*mut Cell>>,
) -> Status {
    guarded(|| {
        handed_over(cell, || {
            let source = needed(source, "source")?;
            // SAFETY: the caller guarantees the texts.
            let file = |given, place| unsafe { path(given, place) };
            let (world, srdf) = (file(source.world, "world")?, file(source.srdf, "srdf")?);
            let Some(robot) = file(source.urdf, "urdf")? else {
                return Err(Failure::argument("urdf", "found NULL, expected the path of a file"));
            };
            // SAFETY: as above.
            let (text, hollow) =
                unsafe { (text(source.urdf_text, "urdf_text")?, text(source.hollow, "hollow")?) };
            let hollow: Vec<String> = hollow.into_iter().flat_map(str::lines).map(str::to_owned).collect();
            let folders = ReadLimits::resolved(file(source.confine, "confine")?.as_slice())?;
            let limits = ReadLimits { folders, ..ReadLimits::default() };
            if source.clearance.is_nan() {
                return Err(Failure::argument(
                    "clearance",
                    "found NaN, expected metres or a negative number",
                ));
            }
            let options = CellOptions {
                base: source.base.checked("base")?,
                world,
                clearance: (source.clearance >= 0.0).then_some(source.clearance),
                hollow: HollowBodies::of_names(&hollow),
                ..CellOptions::default()
            };
            with_read_limits(limits, || read((text, srdf), &robot, &options))
        })
    })
}

/// Reads a cell. With `text`, the file of the robot is not read.
fn read(
    (text, srdf): (Option<&str>, Option<PathBuf>),
    robot: &Path,
    options: &CellOptions,
) -> Result<Cell, Failure> {
    let of_robot = UrdfOptions { srdf, ..UrdfOptions::default() };
    let RobotFile { definition, mut warnings, .. } = match text {
        Some(text) => urdf::parse(text.as_bytes(), robot, &of_robot)?,
        None => urdf::read(robot, &of_robot)?,
    };
    let definition =
        Robot::new(definition).map_err(|error| chasles_formats::Error::file(robot, error.to_string()))?;
    let BuiltCell { cell, warnings: more, .. } = cell::build(definition, robot, options)?;
    options.hollow.check(robot, &cell)?;
    warnings.extend(more);
    Ok(Cell::new(cell, &warnings))
}

impl Cell {
    fn new(cell: RobotCell, warnings: &[String]) -> Self {
        let robot = cell.robot();
        let links = robot.links().iter().map(|link| link.name.as_str());
        let world = cell.definition().world.iter().map(|around| around.body.name.as_str());
        Self {
            joints: joint_values::settable(robot).collect(),
            joint_names: for_c(joint_values::names(robot).iter().map(String::as_str)),
            body_names: for_c(links.chain(world)),
            warnings: for_c(warnings.iter().map(String::as_str)),
            cell,
        }
    }
}

/// Texts for C. Texts from files contain no 0.
fn for_c<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<CString> {
    texts.map(|text| CString::new(text.replace('\0', " ")).unwrap_or_default()).collect()
}

fn listed(list: &[CString], number: usize, place: &str) -> Result<*const c_char, Failure> {
    let count = list.len();
    let text = list.get(number);
    let text = text.ok_or_else(|| {
        Failure::argument(place, format_args!("found {number}, expected a number below {count}"))
    })?;
    Ok(text.as_ptr())
}

/// The number of joints that can be set: joints that are neither fixed nor follow another. A configuration has one
/// value for each such joint.
///
/// @param cell The cell; for NULL the result is 0.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_cell_joint_count(cell: Option<&Cell>) -> usize {
    guarded_or(0, || Ok(needed(cell, "cell")?.joints.len()))
}

/// The name of a joint that can be set. The order is the order of a configuration's values, which is the order of
/// the file.
///
/// @param cell The cell.
/// @param joint The number of the joint, from 0.
///
/// The text belongs to the cell. NULL if there is no such joint.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_cell_joint_name(cell: Option<&Cell>, joint: usize) -> *const c_char {
    guarded_or(std::ptr::null(), || listed(&needed(cell, "cell")?.joint_names, joint, "joint"))
}

/// The range of a joint's values.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointLimits {
    /// The minimum value, in radians or metres; minus infinity if there is no limit.
    pub least: f64,
    /// The maximum value, in radians or metres; infinity if there is no limit.
    pub greatest: f64,
}

/// The limits of a joint that can be set.
///
/// @param cell The cell.
/// @param joint The number of the joint, from 0, as in `chasles_cell_joint_name`.
/// @param limits Where the limits are written.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_cell_joint_limits(
    cell: Option<&Cell>,
    joint: usize,
    limits: Option<&mut MaybeUninit<JointLimits>>,
) -> Status {
    guarded(|| {
        let Cell { cell, joints, joint_names, .. } = needed(cell, "cell")?;
        let place = needed_out(limits, "limits")?;
        listed(joint_names, joint, "joint")?;
        let [least, greatest] =
            cell.robot().joints()[joints[joint]].limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        place.write(JointLimits { least, greatest });
        Ok(())
    })
}

/// The number of bodies: the links of the robot, then the bodies of the world.
///
/// @param cell The cell; for NULL the result is 0.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_cell_body_count(cell: Option<&Cell>) -> usize {
    guarded_or(0, || Ok(needed(cell, "cell")?.body_names.len()))
}

/// The name of a link or a body of the world.
///
/// @param cell The cell.
/// @param body The number of the body, from 0, as in answers.
///
/// The text belongs to the cell. NULL if there is no such body.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_cell_body_name(cell: Option<&Cell>, body: usize) -> *const c_char {
    guarded_or(std::ptr::null(), || listed(&needed(cell, "cell")?.body_names, body, "body"))
}

/// The number of warnings about the files of a cell.
///
/// @param cell The cell; for NULL the result is 0.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_cell_warning_count(cell: Option<&Cell>) -> usize {
    guarded_or(0, || Ok(needed(cell, "cell")?.warnings.len()))
}

/// A warning about the files of a cell, in a sentence: input that was ignored or looks wrong.
///
/// @param cell The cell.
/// @param warning The number of the warning, from 0.
///
/// The text belongs to the cell. NULL if there is no such warning.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_cell_warning(cell: Option<&Cell>, warning: usize) -> *const c_char {
    guarded_or(std::ptr::null(), || listed(&needed(cell, "cell")?.warnings, warning, "warning"))
}

/// The answer about a path. Read `verdict` first. Numbers without meaning are NaN, or -1 in `a`, `b`, `segment`,
/// `feature_a` and `feature_b`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathAnswer {
    /// The worst verdict of all pairs: of two links, or of a link and a body of the world.
    pub verdict: Verdict,
    /// The features of the first contact.
    pub kind: FeatureKind,
    /// The reason why the pair `a`, `b` is undecided.
    pub doubt: Doubt,
    /// For a contact: 1 if the surfaces may only touch, 0 if it is proven that they pass through each other.
    pub touching: u32,
    /// The time of the path, in seconds, before which the absence of contact is proven.
    pub clear_until: f64,
    /// The enclosure [lo, hi] of the time at which the first pair collides, or comes as close as the clearance, in
    /// seconds.
    pub time: [f64; 2],
    /// The segment of the path in which that is; segment 0 is between the first two waypoints.
    pub segment: i64,
    /// The first body of the pair that collides first, by its number.
    pub a: i64,
    /// The second body of that pair.
    pub b: i64,
    /// The features of `a`, as in `chasles_prediction`.
    pub feature_a: [i64; 2],
    /// The features of `b`.
    pub feature_b: [i64; 2],
    /// The point of contact in the world, in metres.
    pub point: [f64; 3],
    /// The unit normal of the contact from `a` to `b`, in the world.
    pub normal: [f64; 3],
}

/// Whether a path of a robot is free, and if not, the first contact and its time.
///
/// @param cell The cell.
/// @param times The times of the waypoints, in seconds, increasing.
/// @param configurations The waypoints, one after the other: each `chasles_cell_joint_count(cell)` values, in
/// radians or metres, in the order of `chasles_cell_joint_name`.
/// @param count The number of waypoints, at least two.
/// @param options Options of the query; NULL: the defaults. The budget applies to each pair; the tolerance must be
/// negative, because the tolerance of the world's file applies.
/// @param answer Where the answer is written.
///
/// Every joint moves linearly between two waypoints. The links move on their true paths, including joints that
/// follow others. Guarantee: `CHASLES_VERDICT_CLEAR`, and the time before an enclosure, are proven in continuous
/// time. Pairs that do not move relative to each other on the path are not tested. Without a clearance, the path is
/// not examined after the first contact.
///
/// Threads: any, at any time. The work is divided among `options->threads` threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_cell_check_path(
    cell: Option<&Cell>,
    times: *const f64,
    configurations: *const f64,
    count: usize,
    options: Option<&Options>,
    answer: Option<&mut MaybeUninit<PathAnswer>>,
) -> Status {
    guarded(|| {
        let (cell, place) = (needed(cell, "cell")?, needed_out(answer, "answer")?);
        let options = Options::of_cell(options)?;
        // SAFETY: the caller guarantees the length.
        let times = unsafe { array(times, count, "times")? };
        let joints = cell.joints.len();
        let values = count.checked_mul(joints).ok_or_else(|| {
            Failure::argument("count", format_args!("found {count} waypoints, more than fit in memory"))
        })?;
        // SAFETY: as above.
        let values = unsafe { array(configurations, values, "configurations")? };
        let waypoint = |(number, time): (usize, &f64)| Waypoint {
            time: *time,
            positions: values[number * joints..(number + 1) * joints].to_vec(),
            velocities: Vec::new(),
        };
        let path = JointPath {
            joints: cell.joints.clone(),
            waypoints: times.iter().enumerate().map(waypoint).collect(),
        };
        place.write(cell.follow(&path, &options)?);
        Ok(())
    })
}

impl Cell {
    fn follow(&self, path: &JointPath, options: &Options) -> Result<PathAnswer, Failure> {
        let definition = self.cell.definition();
        let clearance = definition
            .clearances
            .iter()
            .fold(definition.clearance, |maximum, pair_clearance| maximum.max(pair_clearance.1));
        let check_options = CheckOptions {
            budget: options.budget,
            horizon: if clearance > 0.0 { Horizon::End } else { Horizon::FirstContact },
            naming: NearestReport::Nothing,
            ..CheckOptions::default()
        };
        let found = options.on_threads(|| self.cell.check_path(path, &check_options, &()))?;
        let found = found.map_err(|error| Failure::engine("path", &error))?;
        Ok(PathAnswer::of(&found, path))
    }
}

impl PathAnswer {
    fn of(found: &PathReport, path: &JointPath) -> Self {
        let verdict = of_pair(found.report.verdict);
        let answer = Self {
            verdict,
            kind: FeatureKind::None,
            doubt: Doubt::None,
            touching: 0,
            clear_until: found.report.clear_until,
            time: [f64::NAN; 2],
            segment: -1,
            a: -1,
            b: -1,
            feature_a: [-1; 2],
            feature_b: [-1; 2],
            point: [f64::NAN; 3],
            normal: [f64::NAN; 3],
        };
        // The earliest of the pairs with the overall verdict.
        let worst = found.report.pairs.iter().filter(|pair| of_pair(pair.verdict) == verdict);
        let Some(pair) = worst.min_by(|a, b| start_of_pair(a).total_cmp(&start_of_pair(b))) else {
            return answer;
        };
        let number = |body: usize| i64::try_from(body).unwrap_or(-1);
        let [a, b] = pair.bodies.map(number);
        let answer =
            Self { a, b, doubt: Doubt::of(pair.reason.filter(|_| verdict == Verdict::Undecided)), ..answer };
        let Some(interval) = pair.intervals.first() else { return answer };
        let segment = number(path.segment_at(interval.enter[1]));
        let answer = Self { time: interval.enter, segment, ..answer };
        let Some(start) = &interval.contact else { return answer };
        let Features { kind, a, b } = Features::of(&start.contact.features);
        Self {
            kind,
            touching: start.contact.touching.into(),
            feature_a: a,
            feature_b: b,
            point: start.contact.point.to_array(),
            normal: start.contact.normal.to_array(),
            ..answer
        }
    }
}

/// The earliest time of the finding for which a pair is listed.
fn start_of_pair(pair: &PairReport) -> f64 {
    pair.intervals.first().map_or(pair.clear_until, |interval| interval.enter[1])
}

fn of_pair(verdict: PairVerdict) -> Verdict {
    match verdict {
        PairVerdict::Clear => Verdict::Clear,
        PairVerdict::Near => Verdict::Near,
        PairVerdict::Undecided => Verdict::Undecided,
        PairVerdict::Contact => Verdict::Contact,
        PairVerdict::Overlapping => Verdict::Overlapping,
    }
}

/// Frees a cell, and the texts that belong to it. NULL is allowed.
///
/// Threads: any, once no other call uses the cell.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_cell_free(cell: Option<Box<Cell>>) {
    guarded(|| {
        drop(cell);
        Ok(())
    });
}
