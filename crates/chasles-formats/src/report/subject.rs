//! What a report is about: a scene, or a robot on a path.
//!
//! Reports of both say the same of pairs and intervals; of a path they also say where along it an interval begins.

use std::collections::BTreeMap;

use chasles::{
    CollisionShape, LimitBreach, PairReport, PathEntry, PathReport, Robot, RobotCell, Scene, SceneReport,
};

use super::breach::{LimitsAre, ToldBreach};
use crate::robot::joint_path::PathFile;

/// What the numbers of a report stand for.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    names: Vec<&'a str>,
    bodies: usize,
    span: [f64; 2],
    clearance: f64,
    clearances: BTreeMap<[usize; 2], f64>,
    way: Option<RobotPathSubject<'a>>,
    limits: LimitsAre,
    breaches: Vec<ToldBreach<'a>>,
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

/// One of several subjects, with what was found, or why nothing was.
#[derive(Debug, Clone, Copy)]
pub struct NamedResult<'a> {
    /// What it is called, for example the name of its file.
    pub name: &'a str,
    /// What was found; or in a sentence why it could not be checked.
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
            span: [0.0, scene.duration()],
            clearance: scene.clearance(),
            clearances: BTreeMap::new(),
            way: None,
            limits: LimitsAre::Told,
            breaches: Vec::new(),
            warnings: Vec::new(),
            deforms: scene.bodies().iter().filter_map(|body| body.shape.as_ref()).any(is_deforming),
            missing: &[],
        }
    }

    /// A path that was checked in a cell: the one that [`resolve`](crate::robot::joint_path::resolve) made of `file`.
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
    /// #     joints: vec![Joint {
    /// #         name: "lift".into(), parent: 0, child: 1, origin: Pose::IDENTITY, rest: 0.0, limits: None, velocity: None,
    /// #         axis: Some(JointAxis::Prismatic(glam::DVec3::Z)), mimic: None,
    /// #     }],
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
        let own = definition.clearances.iter().map(|([a, b], own)| ([*a.min(b), *a.max(b)], *own));
        Self {
            names: (0..cell.count()).map(|body| cell.name(body)).collect(),
            bodies: links + world,
            span: [time(0), time(file.waypoints.len().saturating_sub(1))],
            clearance: definition.clearance,
            clearances: own.collect(),
            way: Some(RobotPathSubject { file, entries: &found.entries }),
            limits: LimitsAre::Told,
            breaches: Vec::new(),
            warnings: Vec::new(),
            deforms: false,
            missing: &[],
        }
    }

    /// The same path, with where it is beyond the limits of the joints of its robot, and what that means.
    #[must_use]
    pub fn with_limits(self, breaches: &[LimitBreach], (robot, limits): (&'a Robot, LimitsAre)) -> Self {
        let Some(RobotPathSubject { file, .. }) = self.way else { return self };
        let breaches = breaches.iter().map(|breach| ToldBreach::new(breach, (robot, limits), file)).collect();
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

    /// Where a path is beyond the limits of joints, in order of time.
    #[must_use]
    pub fn breaches(&self) -> &[ToldBreach<'a>] {
        &self.breaches
    }

    /// What it means to be beyond limits.
    #[must_use]
    pub fn limits(&self) -> LimitsAre {
        self.limits
    }

    /// Whether being beyond limits is a finding, and there is one.
    #[must_use]
    pub fn is_beyond_limits(&self) -> bool {
        self.limits == LimitsAre::Findings && !self.breaches.is_empty()
    }

    /// The name of a body; empty where there is none of that number.
    #[must_use]
    pub fn name(&self, body: usize) -> &'a str {
        self.names.get(body).copied().unwrap_or_default()
    }

    /// The names of the two bodies of a pair.
    #[must_use]
    pub fn names(&self, pair: &PairReport) -> [&'a str; 2] {
        pair.bodies.map(|body| self.name(body))
    }

    /// How many bodies have a surface.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.bodies
    }

    /// When it begins and ends, in seconds.
    #[must_use]
    pub fn span(&self) -> [f64; 2] {
        self.span
    }

    /// How long it lasts, in seconds.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.span[1] - self.span[0]
    }

    /// Whether an interval that begins thus does so where all begins.
    #[must_use]
    pub fn is_start(&self, enter: [f64; 2]) -> bool {
        enter == [self.span[0]; 2]
    }

    /// How close two bodies come before that is told, in metres; 0: only contact is.
    #[must_use]
    pub fn clearance(&self) -> f64 {
        self.clearance
    }

    /// The same of a pair, where it has one of its own.
    #[must_use]
    pub fn own_clearance(&self, [a, b]: [usize; 2]) -> Option<f64> {
        self.clearances.get(&[a.min(b), a.max(b)]).copied()
    }

    /// Whether pairs have clearances of their own.
    #[must_use]
    pub fn has_own_clearances(&self) -> bool {
        !self.clearances.is_empty()
    }

    /// Whether a body deforms.
    #[must_use]
    pub fn has_deforming(&self) -> bool {
        self.deforms
    }

    /// Whether it is a path.
    #[must_use]
    pub fn is_path(&self) -> bool {
        self.way.is_some()
    }

    /// The joints of a path; none of a scene.
    #[must_use]
    pub fn joints(&self) -> &'a [String] {
        self.way.as_ref().map_or(&[], |way| &way.file.joints)
    }

    /// Where along a path the interval with this number begins, of the pair with this number in the report: the segment of
    /// its file, and one value a joint.
    #[must_use]
    pub fn entry(&self, pair: usize, interval: usize) -> Option<(usize, &'a [f64])> {
        let way = self.way.as_ref()?;
        let entry = way.entries.get(pair)?.get(interval)?;
        Some((way.file.segment(entry.segment), &entry.positions))
    }
}
