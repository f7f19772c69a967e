//! The subject of a report: a scene, or a robot on a path.
//!
//! Reports on both have the same entries for pairs and intervals. A report on a path also has the place on the path
//! at which an interval starts.

use std::collections::BTreeMap;

use chasles::{
    CollisionShape, LimitBreach, PairReport, PathEntry, PathReport, Robot, RobotCell, Scene, SceneReport,
};

use super::breach::{LimitTreatment, ReportedBreach};
use crate::robot::joint_path::PathFile;

/// The subject of a report, which gives meaning to its numbers.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    names: Vec<&'a str>,
    bodies: usize,
    time_interval: [f64; 2],
    clearance: f64,
    clearances: BTreeMap<[usize; 2], f64>,
    robot_path: Option<RobotPathSubject<'a>>,
    limits: LimitTreatment,
    breaches: Vec<ReportedBreach<'a>>,
    warnings: Vec<String>,
    deforms: bool,
    missing: &'a [String],
}

/// The path of a robot.
#[derive(Debug, Clone)]
struct RobotPathSubject<'a> {
    file: &'a PathFile,
    entries: &'a [Vec<PathEntry>],
}

/// One of several subjects with its report, or the error of its check.
#[derive(Debug, Clone, Copy)]
pub struct NamedResult<'a> {
    /// Its name, for example the name of its file.
    pub name: &'a str,
    /// The report; or, in a sentence, why the subject could not be checked.
    pub found: Result<(&'a Subject<'a>, &'a SceneReport), &'a str>,
}

fn is_deforming(shape: &CollisionShape) -> bool {
    shape.deforming_surface().is_some()
}

impl<'a> Subject<'a> {
    /// A scene that was checked.
    #[must_use]
    pub fn scene(scene: &'a Scene) -> Self {
        Self {
            names: scene.bodies().iter().map(|body| body.name.as_str()).collect(),
            bodies: scene.surfaces(),
            time_interval: [0.0, scene.duration()],
            clearance: scene.clearance(),
            clearances: BTreeMap::new(),
            robot_path: None,
            limits: LimitTreatment::Reported,
            breaches: Vec::new(),
            warnings: Vec::new(),
            deforms: scene.bodies().iter().filter_map(|body| body.shape.as_ref()).any(is_deforming),
            missing: &[],
        }
    }

    /// A path that was checked in a cell: the path that [`resolve`](crate::robot::joint_path::resolve) made from
    /// `file`.
    ///
    /// ```
    /// use chasles::{AdjacentLinks, CheckOptions, Link, LinkElement, Primitive, Robot, RobotDefinition, CollisionShape};
    /// use chasles_formats::robot::joint_path::{PathOptions, parse, resolve};
    /// use chasles_formats::robot::cell::{self, CellOptions};
    /// use chasles_formats::Subject;
    /// use chasles_formats::report::json;
    /// # use chasles::{Joint, JointAxis, Pose};
    /// # let shape = CollisionShape::primitive(Primitive::Sphere { radius: 0.1 }).unwrap();
    /// # let element = || LinkElement { shape: shape.clone(), pose: Pose::IDENTITY, solid: false };
    /// # let link = |name: &str| Link { name: name.into(), elements: vec![element()] };
    /// # let definition = RobotDefinition {
    /// #     name: "lift".into(), links: vec![link("base"), link("plate")], disabled: vec![],
    /// #     joints: vec![Joint::new("lift", [0, 1], Some(JointAxis::Prismatic(glam::DVec3::Z)))],
    /// #     adjacent: AdjacentLinks::Skipped,
    /// # };
    /// // `definition`: a plate on a lift.
    /// let cell = cell::build(Robot::new(definition).unwrap(), "lift.urdf".as_ref(), &CellOptions::default())?.cell;
    /// let file = parse(b"time,lift\n3,0.1\n5,0.5\n", "up.csv".as_ref(), PathOptions::default())?;
    /// let path = resolve(&file, cell.robot().definition())?;
    /// let found = cell.check_path(&path, &CheckOptions::default(), &()).unwrap();
    /// let json = json::to_json(&Subject::path(&cell, &file, &found), &found.report);
    /// assert!(json.starts_with("{\"format\":1,\"verdict\":\"clear\",\"duration\":2.0,"));
    /// # Ok::<(), chasles_formats::Error>(())
    /// ```
    #[must_use]
    pub fn path(cell: &'a RobotCell, file: &'a PathFile, found: &'a PathReport) -> Self {
        let definition = cell.definition();
        let links = cell.robot().links().iter().filter(|link| !link.elements.is_empty()).count();
        let world = definition.world.iter().filter(|world| world.body.shape.is_some()).count();
        let time = |at: usize| file.waypoints.get(at).map_or(0.0, |waypoint| waypoint.time);
        let clearances =
            definition.clearances.iter().map(|([a, b], clearance)| ([*a.min(b), *a.max(b)], *clearance));
        Self {
            names: (0..cell.count()).map(|body| cell.name(body)).collect(),
            bodies: links + world,
            time_interval: [time(0), time(file.waypoints.len().saturating_sub(1))],
            clearance: definition.clearance,
            clearances: clearances.collect(),
            robot_path: Some(RobotPathSubject { file, entries: &found.entries }),
            limits: LimitTreatment::Reported,
            breaches: Vec::new(),
            warnings: Vec::new(),
            deforms: false,
            missing: &[],
        }
    }

    /// The same path with its violations of joint limits, and their treatment.
    #[must_use]
    pub fn with_limits(self, breaches: &[LimitBreach], (robot, limits): (&'a Robot, LimitTreatment)) -> Self {
        let Some(RobotPathSubject { file, .. }) = self.robot_path else { return self };
        let breaches =
            breaches.iter().map(|breach| ReportedBreach::new(breach, (robot, limits), file)).collect();
        Self { limits, breaches, ..self }
    }

    /// The same subject with the warnings about it, one sentence each.
    #[must_use]
    pub fn with_warnings(self, warnings: Vec<String>) -> Self {
        Self { warnings, ..self }
    }

    /// The warnings about the subject.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The same subject without these surfaces, which were left out: one sentence each.
    #[must_use]
    pub fn with_missing(self, missing: &'a [String]) -> Self {
        Self { missing, ..self }
    }

    /// The surfaces that were left out: the report does not cover them.
    #[must_use]
    pub fn missing(&self) -> &'a [String] {
        self.missing
    }

    /// The violations of joint limits along the path, in order of time.
    #[must_use]
    pub fn breaches(&self) -> &[ReportedBreach<'a>] {
        &self.breaches
    }

    /// The treatment of violations of joint limits.
    #[must_use]
    pub fn limits(&self) -> LimitTreatment {
        self.limits
    }

    /// Whether violations of joint limits are findings, and the path has one.
    #[must_use]
    pub fn exceeds_limits(&self) -> bool {
        self.limits == LimitTreatment::Findings && !self.breaches.is_empty()
    }

    /// The name of a body; empty if no body has this number.
    #[must_use]
    pub fn name(&self, body: usize) -> &'a str {
        self.names.get(body).copied().unwrap_or_default()
    }

    /// The names of the two bodies of a pair.
    #[must_use]
    pub fn names(&self, pair: &PairReport) -> [&'a str; 2] {
        pair.bodies.map(|body| self.name(body))
    }

    /// The number of bodies with a surface.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.bodies
    }

    /// The start and end times, in seconds.
    #[must_use]
    pub fn time_interval(&self) -> [f64; 2] {
        self.time_interval
    }

    /// The duration, in seconds.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.time_interval[1] - self.time_interval[0]
    }

    /// Whether an interval with this enclosure of its start begins at the start of the subject.
    #[must_use]
    pub fn is_start(&self, enter: [f64; 2]) -> bool {
        enter == [self.time_interval[0]; 2]
    }

    /// The distance at which two bodies are reported as near, in metres; 0: only contact is reported.
    #[must_use]
    pub fn clearance(&self) -> f64 {
        self.clearance
    }

    /// The clearance of a pair, if it has its own.
    #[must_use]
    pub fn own_clearance(&self, [a, b]: [usize; 2]) -> Option<f64> {
        self.clearances.get(&[a.min(b), a.max(b)]).copied()
    }

    /// Whether any pair has its own clearance.
    #[must_use]
    pub fn has_own_clearances(&self) -> bool {
        !self.clearances.is_empty()
    }

    /// Whether a body deforms.
    #[must_use]
    pub fn has_deforming(&self) -> bool {
        self.deforms
    }

    /// Whether the subject is a path.
    #[must_use]
    pub fn is_path(&self) -> bool {
        self.robot_path.is_some()
    }

    /// The joints of a path; empty for a scene.
    #[must_use]
    pub fn joints(&self) -> &'a [String] {
        self.robot_path.as_ref().map_or(&[], |robot_path| &robot_path.file.joints)
    }

    /// The place on the path at which an interval starts, by the number of the pair in the report and of the
    /// interval in the pair: the segment of its file, and one value per joint.
    #[must_use]
    pub fn entry(&self, pair: usize, interval: usize) -> Option<(usize, &'a [f64])> {
        let robot_path = self.robot_path.as_ref()?;
        let entry = robot_path.entries.get(pair)?.get(interval)?;
        Some((robot_path.file.segment(entry.segment), &entry.positions))
    }
}
