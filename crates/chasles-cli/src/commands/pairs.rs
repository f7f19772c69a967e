//! `chasles pairs`: proposes pairs of links that need not be tested, by sampling, and proves or refutes the
//! proposals on paths.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use chasles::AdjacentLinks;
use chasles::{
    CellDefinition, CheckOptions, Joint, JointAxis, PairListing, PairVerdict, ProgressMonitor as _, Robot,
    RobotCell,
};
use chasles_formats::Error;
use chasles_formats::printable::{printable, printable_path};
use chasles_formats::report::pairs::{self, LinkPair, Reason};
use chasles_formats::report::verdict;
use chasles_formats::robot::joint_path::{self, PathFile, PathOptions};
use chasles_formats::robot::srdf;

use crate::args::PairsArgs;
use crate::exit::{Failure, Status};
use crate::input::paths;
use crate::input::robots;
use crate::output::{self, Output, same};
use crate::progress::PairProgress;
use crate::stop::Stop;
use crate::warnings::Warnings;

/// Configurations between two updates of the progress bar.
const CHUNK: usize = 64;

/// Proposes exemptions, and tests them on paths.
pub(crate) fn run(args: &PairsArgs, warnings: &Warnings) -> Result<Status, Failure> {
    if args.angles.degrees && args.paths.is_empty() {
        return Err(Failure::Bad(
            "found --degrees without --path, expected a path whose angles are degrees".into(),
        ));
    }
    let model = robots::model(&args.robot, &args.cell)?;
    let read = robots::cell(model, (&args.robot, &args.cell), None, warnings)?;
    let robot = read.cell.robot();
    let mut configurations = Configurations::new(robot, &read.free, args.seed)
        .map_err(|message| Error::file(&args.robot, message))?;
    if let Some(file) = &args.write
        && read.files.iter().chain(&args.paths).any(|read| same(file, read))
    {
        return Err(Error::file(file, "is an input file, which is never overwritten").into());
    }
    let in_radians = |file: &PathBuf| {
        let path = joint_path::read(file, PathOptions::default())?;
        Ok(paths::in_radians(path, robot.definition(), args.angles.unit(), warnings).0)
    };
    let paths: Vec<PathFile> = args.paths.iter().map(in_radians).collect::<chasles_formats::Result<_>>()?;
    warnings.refuse()?;
    let stop = Stop::install()?;
    let progress = PairProgress::new(&stop, "configurations");
    let count = args.configurations.get();
    progress.begin(count);
    let mut counts = BTreeMap::new();
    let mut taken = 0;
    while taken < count {
        let chunk = configurations.take(CHUNK.min(count - taken));
        for found in robot.count_contacts(&chunk) {
            *counts.entry(found.links).or_insert(0) += found.touching;
        }
        taken += chunk.len();
        progress.done(chunk.len());
        if stop.is_requested() {
            return Err(Failure::Bad("stopped before all configurations were taken".into()));
        }
    }
    drop(progress);
    let on_paths = on_paths(args, (&read.cell, &paths), &stop)?;
    let rows: Vec<LinkPair> = counts
        .into_iter()
        .map(|(links, touching)| {
            let reason = reason(robot, links, (touching, count));
            let on_paths = on_paths.get(&links).copied();
            let proposed = is_proposed(reason, on_paths);
            let disabled = is_disabled(robot, links);
            LinkPair { links, reason, touching, disabled, proposed, on_paths }
        })
        .collect();
    if let Some(file) = &args.write {
        let exempt: Vec<([usize; 2], &str)> =
            rows.iter().filter(|row| row.proposed).map(|row| (row.links, row.reason.word())).collect();
        let text = srdf::to_srdf(robot.definition(), &exempt);
        let mut output = Output::open(Some(file))?;
        output.line(&text)?;
        output.finish()?;
    }
    let output_text = match args.json {
        true => pairs::to_json(robot, &rows, (count, args.seed), &warnings.list()),
        false => as_table(robot, &rows, args),
    };
    output::print(output_text.as_bytes())?;
    let worst = rows.iter().filter(|row| is_exempt(row)).filter_map(|row| row.on_paths).max();
    Ok(match worst {
        Some(PairVerdict::Contact | PairVerdict::Overlapping | PairVerdict::Near) => Status::Contact,
        Some(PairVerdict::Undecided) => Status::Undecided,
        Some(PairVerdict::Clear) | None => Status::Fine,
    })
}

/// Whether two links are exempt, or proposed to be, because they do not touch. A path can refute this.
fn is_exempt(row: &LinkPair) -> bool {
    row.reason == Reason::Never || row.disabled && row.reason == Reason::Sometimes
}

/// Whether an exemption is proposed, given the results on the paths.
fn is_proposed(reason: Reason, on_paths: Option<PairVerdict>) -> bool {
    match reason {
        Reason::Adjacent | Reason::Always => true,
        Reason::Never => on_paths.is_none_or(|verdict| verdict == PairVerdict::Clear),
        Reason::Sometimes => false,
    }
}

fn reason(robot: &Robot, links: [usize; 2], (touching, of): (usize, usize)) -> Reason {
    let adjacent =
        |joint: &Joint| [joint.parent, joint.child] == links || [joint.child, joint.parent] == links;
    match touching {
        _ if robot.joints().iter().any(adjacent) => Reason::Adjacent,
        0 => Reason::Never,
        _ if touching == of => Reason::Always,
        _ => Reason::Sometimes,
    }
}

fn is_disabled(robot: &Robot, [a, b]: [usize; 2]) -> bool {
    robot.definition().disabled.iter().any(|pair| *pair == [a, b] || *pair == [b, a])
}

/// The worst verdict for each pair of links on all paths. Only adjacent links are exempt.
fn on_paths(
    args: &PairsArgs,
    (cell, paths): (&RobotCell, &[PathFile]),
    stop: &Stop,
) -> Result<BTreeMap<[usize; 2], PairVerdict>, Failure> {
    let mut worst = BTreeMap::new();
    if paths.is_empty() {
        return Ok(worst);
    }
    let mut definition = cell.robot().definition().clone();
    definition.disabled.clear();
    definition.adjacent = AdjacentLinks::Skipped;
    let bad = |error: chasles::Error| Failure::from(Error::file(&args.robot, error.to_string()));
    let robot = Robot::new(definition).map_err(bad)?;
    // Only the links: the world has no influence on exemptions.
    let alone = CellDefinition { robot, ..cell.definition().clone() };
    let alone = CellDefinition { world: vec![], ignore: vec![], clearance: 0.0, clearances: vec![], ..alone };
    let alone = RobotCell::new(alone).map_err(bad)?;
    let options = CheckOptions { listed: PairListing::All, ..CheckOptions::default() };
    for path in paths {
        let file = &path.file;
        let progress = PairProgress::new(stop, "pairs");
        let path = joint_path::resolve(path, alone.robot().definition())?;
        let found = alone
            .check_path(&path, &options, &progress)
            .map_err(|error| Failure::from(Error::file(file, error.to_string())))?;
        if stop.is_requested() {
            return Err(Failure::Bad("stopped before all paths were followed".into()));
        }
        for pair in found.report.pairs {
            let verdict = worst.entry(pair.bodies).or_insert(PairVerdict::Clear);
            *verdict = pair.verdict.max(*verdict);
        }
    }
    Ok(worst)
}

/// Random configurations within the limits.
struct Configurations {
    /// The minimum and the maximum value of each joint.
    ranges: Vec<[f64; 2]>,
    state: u64,
}

impl Configurations {
    /// `free` names planar and floating joints, which keep their rest value in all configurations.
    fn new(robot: &Robot, free: &[String], seed: u64) -> Result<Self, String> {
        let is_free = |joint: &Joint| {
            let robot_name = joint.name.rsplit_once('/').map(|(robot_name, _)| robot_name);
            robot_name.is_some_and(|robot_name| free.iter().any(|free| free == robot_name))
        };
        let mut ranges = Vec::new();
        for joint in robot.joints() {
            ranges.push(match (joint.limits, joint.axis) {
                (_, None) => [0.0; 2],
                (None, _) if is_free(joint) => [joint.rest; 2],
                (Some(limits), _) => limits,
                (None, Some(JointAxis::Revolute(_))) => [-std::f64::consts::PI, std::f64::consts::PI],
                (None, Some(JointAxis::Prismatic(_))) if joint.mimic.is_some() => [0.0; 2],
                (None, Some(JointAxis::Prismatic(_))) => {
                    return Err(format!(
                        "joint {:?}: found no limits, expected some to take configurations from",
                        joint.name
                    ));
                }
            });
        }
        Ok(Self { ranges, state: seed })
    }

    /// The next configurations, with one value per joint.
    fn take(&mut self, count: usize) -> Vec<Vec<f64>> {
        (0..count).map(|_| (0..self.ranges.len()).map(|joint| self.value(joint)).collect()).collect()
    }

    fn value(&mut self, joint: usize) -> f64 {
        let fraction = self.fraction();
        let [minimum, maximum] = self.ranges[joint];
        minimum * (1.0 - fraction) + maximum * fraction
    }

    /// A number in [0, 1), by splitmix64: the same sequence on every machine.
    fn fraction(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 * 0.5_f64.powi(53)
    }
}

fn as_table(robot: &Robot, rows: &[LinkPair], args: &PairsArgs) -> String {
    let name = |link: usize| printable(&robot.links()[link].name);
    let width = rows
        .iter()
        .flat_map(|row| row.links)
        .map(|link| name(link).chars().count())
        .max()
        .unwrap_or(0)
        .max(4);
    let mut text = format!(
        "{}: {} configurations, seed {}\n",
        printable_path(&args.robot),
        args.configurations,
        args.seed
    );
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "  {:width$}  {:width$}  {:9}  {:>8}  {:8}  on paths",
        "link", "link", "reason", "touching", "disabled"
    );
    for row in rows {
        let [a, b] = row.links.map(name);
        let fraction = format!("{:.1} %", 100.0 * row.touching as f64 / args.configurations.get() as f64);
        let disabled = if row.disabled { "yes" } else { "" };
        let path = match row.on_paths {
            _ if args.paths.is_empty() => "",
            None => "not tested",
            Some(verdict) => verdict::verdict(verdict),
        };
        let line =
            format!("  {a:width$}  {b:width$}  {:9}  {fraction:>8}  {disabled:8}  {path}", row.reason.word());
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let proposed = rows.iter().filter(|row| row.proposed).count();
    let _ = writeln!(text, "{proposed} of {} pairs could be exempt", rows.len());
    let proven = |row: &&LinkPair| row.reason == Reason::Never && row.on_paths == Some(PairVerdict::Clear);
    let refuted =
        |row: &&LinkPair| is_exempt(row) && row.on_paths.is_some_and(|v| v > PairVerdict::Undecided);
    if args.paths.is_empty() {
        let _ = writeln!(text, "samples are not proofs: --path proves or refutes it for a path");
    } else {
        let (proven, refuted) = (rows.iter().filter(proven).count(), rows.iter().filter(refuted).count());
        let _ = writeln!(
            text,
            "on the paths: {proven} of those that never touched are proven clear; exemptions refuted: {refuted}"
        );
    }
    text
}
