//! A pair, ready for queries, and its queries.

use std::path::Path;

use chasles::{Binding, Clearance, Contact, FlowLineHit, Free, Options, Play, Pose, Probe, Scene};
use chasles_formats::problems::parse_screen_line;
use chasles_formats::report::screen::{ListedCollision, ScreenReport, ScreenVerdict, ScreenedPair};
use chasles_formats::report::screen_query::{ScreenQuery, screen_report};
use chasles_viewer::screen::ScreenMark;
use glam::DVec3;

use crate::args::{Resolution, ScreenArgs};
use crate::input::meshes::Meshes;
use crate::input::problems::lines::ProblemLine;
use crate::input::problems::prepared::{MeshWarnings, PreparedProblem};

/// Two bodies on a screw, with additional queries.
#[derive(Debug)]
pub(super) struct Subject {
    /// The name of the pair.
    pub(super) name: String,
    pub(super) posed: PreparedProblem,
    /// Points of flow lines, in the frame of B.
    pub(super) probes: Vec<DVec3>,
    /// The scene, if the two are bodies of a scene.
    pub(super) scene: Option<InScene>,
    /// The prefix of a message about the pair.
    pub(super) place: String,
}

/// Two bodies of a scene.
#[derive(Debug)]
pub(super) struct InScene {
    pub(super) scene: Scene,
    /// The number of B.
    pub(super) static_body: usize,
    pub(super) pair: ScreenedPair,
}

/// The queries for every pair.
#[derive(Debug, Clone)]
pub(super) struct Reporter {
    resolution: Option<Resolution>,
    options: Options,
    concurrent: Option<f64>,
    play: bool,
    probes: Vec<DVec3>,
}

impl Subject {
    /// The duration of the motion, in the unit of the report.
    pub(super) fn duration(&self) -> f64 {
        self.scene.as_ref().map_or(1.0, |scene| scene.pair.duration)
    }

    /// The engine's options for this pair.
    pub(super) fn options(&self, options: &Options) -> Options {
        let scene = self.scene.as_ref();
        let scene_tolerance = scene.map(|scene| scene.scene.tolerance());
        // The proof must hold for the motion of the scene, from which the screw deviates by rounding.
        let deviation = scene.map_or(0.0, |scene| scene.pair.deviation);
        Options { tolerance: options.tolerance.or(scene_tolerance), deviation, ..*options }
    }

    /// The pose of B at a time, in the frame in which points are reported.
    fn frame(&self, time: f64) -> Option<Pose> {
        self.scene.as_ref().map(|scene| scene.scene.pose_at(scene.static_body, time))
    }

    /// Converts a collision to the unit and frame of the report.
    fn listed(&self, collision: ListedCollision) -> ListedCollision {
        let duration = self.duration();
        let [lo, hi] = collision.time;
        let time = match &self.scene {
            None => [lo, hi],
            Some(_) => {
                // Rounded outward, past the rounding of the product; exact at both ends.
                let lo = if lo <= 0.0 { 0.0 } else { lo * duration * (1.0 - f64::EPSILON) };
                let hi = if hi >= 1.0 { duration } else { hi * duration * (1.0 + f64::EPSILON) };
                [lo, hi.min(duration)]
            }
        };
        match self.frame(time[1]) {
            None => ListedCollision { time, ..collision },
            Some(pose) => ListedCollision {
                time,
                point: pose.transform_point(collision.point),
                normal: pose.transform_vector(collision.normal).normalize_or_zero(),
                ..collision
            },
        }
    }

    /// Converts a collision of the report to a mark on a picture: in the frame of B, with its time in [0, 1].
    pub(super) fn mark(&self, collision: &ListedCollision) -> ScreenMark {
        let [lo, hi] = collision.time;
        let (point, normal) = match self.frame(hi) {
            None => (collision.point, collision.normal),
            Some(pose) => {
                let back = pose.inverse();
                (back.transform_point(collision.point), back.transform_vector(collision.normal))
            }
        };
        let time = 0.5 * (lo + hi) / self.duration();
        ScreenMark { time, point, normal, features: collision.features, proper: collision.proper }
    }

    /// Converts a flow line's result to the unit of the report.
    fn probe(&self, probe: &Probe) -> Probe {
        let hit = match probe.hit {
            FlowLineHit::Part(clearance) => {
                FlowLineHit::Part(Clearance { time: clearance.time * self.duration(), ..clearance })
            }
            hit => hit,
        };
        Probe { hit, ..*probe }
    }

    /// Converts the free motion of A to the unit of the report.
    fn free(&self, free: Free) -> Free {
        let duration = self.duration();
        match free {
            Free::Binds(Binding { time, contact, angle, slide }) => {
                let time = time.map(|time| time * duration);
                let approach_speed = contact.approach_speed / duration;
                Free::Binds(Binding {
                    time,
                    contact: Contact { time, approach_speed, ..contact },
                    angle,
                    slide,
                })
            }
            Free::Undecided { free_until, reason } => {
                Free::Undecided { free_until: free_until * duration, reason }
            }
            free => free,
        }
    }
}

impl Reporter {
    pub(super) fn new(args: &ScreenArgs) -> Self {
        let options = Options { tolerance: args.tolerance, ..Options::default() };
        Self {
            resolution: args.resolution,
            options: Options { budget: args.budget.unwrap_or(options.budget), ..options },
            concurrent: args.concurrent,
            play: args.play,
            probes: args.probes.clone(),
        }
    }

    /// The problem on a line of the file at `path`. If the line is invalid, returns the error, with the name of the
    /// problem if it can be read.
    pub(super) fn subject(
        &self,
        line: &ProblemLine,
        path: &Path,
        meshes: &Meshes,
        warnings: &mut Vec<MeshWarnings>,
    ) -> Result<Subject, (Option<String>, String)> {
        let read = parse_screen_line(&line.text, line.number, path).map_err(|bad| (bad.name, bad.error))?;
        let place = (path, line.number);
        let name = read.problem.name.clone();
        let posed = PreparedProblem::new(&read.problem, place, meshes, warnings);
        let posed = posed.map_err(|error| (Some(name.clone()), error))?;
        let place = format!("{}:{}", path.display(), line.number);
        Ok(Subject { name, posed, probes: read.probes, scene: None, place })
    }

    /// The engine's options for a subject.
    pub(super) fn options(&self, subject: &Subject) -> Options {
        subject.options(&self.options)
    }

    /// Queries the engine.
    pub(super) fn report(&self, subject: &Subject) -> Result<ScreenReport, String> {
        self.run_query(subject).map_err(|error| format!("{}: {error}", subject.place))
    }

    fn run_query(&self, subject: &Subject) -> Result<ScreenReport, chasles::Error> {
        let PreparedProblem { bodies: [a, b], screw } = &subject.posed;
        let run_query = ScreenQuery {
            resolution: self.resolution.map(|Resolution(resolution)| resolution),
            options: self.options(subject),
            concurrent: self.concurrent,
            play: self.play,
            probes: subject.probes.iter().chain(&self.probes).copied().collect(),
        };
        let found = screen_report(&subject.name, (a, b), screw, &run_query, &())?;
        let duration = subject.duration();
        let verdict = match found.verdict {
            ScreenVerdict::Undecided { clear_until, reason } => {
                ScreenVerdict::Undecided { clear_until: clear_until * duration, reason }
            }
            decided => decided,
        };
        let play = found.play.map(|Play { forward, backward }| Play {
            forward: subject.free(forward),
            backward: subject.free(backward),
        });
        Ok(ScreenReport {
            pair: subject.scene.as_ref().map(|scene| scene.pair.clone()),
            verdict,
            collisions: found.collisions.into_iter().map(|collision| subject.listed(collision)).collect(),
            probes: found.probes.iter().map(|probe| subject.probe(probe)).collect(),
            play,
            ..found
        })
    }
}
