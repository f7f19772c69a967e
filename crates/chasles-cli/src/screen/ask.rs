//! A pair, ready to be asked about, and what is asked about it.

use std::path::Path;

use chasles::{
    Ahead, Binding, Clearance, Collision, Contact, Doubt, Free, Options, Outcome, PixelCollision,
    PixelOptions, PixelOutcome, Play, Pose, Probe, Scene, collisions, facings, pixel_collisions, play,
    probes, screw_frame,
};
use chasles_formats::problems::parse_screen_line;
use chasles_formats::report::screen::{
    ListedCollision, ScreenReport, ScreenVerdict, ScreenWay, ScreenedPair,
};
use chasles_viewer::screen::ScreenMark;
use glam::DVec3;

use crate::args::{Resolution, ScreenArgs};
use crate::meshes::Meshes;
use crate::problems::lines::Line;
use crate::problems::posed::{Posed, Warnings};

/// Two bodies on a screw, with what is to be known of them.
#[derive(Debug)]
pub(super) struct Subject {
    /// What it is called.
    pub(super) name: String,
    pub(super) posed: Posed,
    /// In the frame of B.
    pub(super) probes: Vec<DVec3>,
    /// Where the two are bodies of a scene.
    pub(super) scene: Option<InScene>,
    /// What stands before a message about it.
    pub(super) place: String,
}

/// Two bodies of a scene.
#[derive(Debug)]
pub(super) struct InScene {
    pub(super) scene: Scene,
    /// The number of B.
    pub(super) standing: usize,
    pub(super) pair: ScreenedPair,
}

/// What is asked about every pair.
#[derive(Debug, Clone)]
pub(super) struct Reporter {
    resolution: Option<Resolution>,
    options: Options,
    concurrent: Option<f64>,
    play: bool,
    probes: Vec<DVec3>,
}

impl Subject {
    /// How long the motion takes, in the unit of the report.
    pub(super) fn duration(&self) -> f64 {
        self.scene.as_ref().map_or(1.0, |scene| scene.pair.duration)
    }

    /// The options with which it is asked about.
    pub(super) fn options(&self, options: &Options) -> Options {
        let scene = self.scene.as_ref();
        let own = scene.map(|scene| scene.scene.tolerance());
        // What is proven holds for the motion of the scene, from which the screw is off by its rounding.
        let deviation = scene.map_or(0.0, |scene| scene.pair.deviation);
        Options { tolerance: options.tolerance.or(own), deviation, ..*options }
    }

    /// The pose of B at a time, in the frame in which places are told.
    fn frame(&self, time: f64) -> Option<Pose> {
        self.scene.as_ref().map(|scene| scene.scene.pose_at(scene.standing, time))
    }

    /// A collision in the unit and frame of the report.
    fn listed(&self, collision: ListedCollision) -> ListedCollision {
        let duration = self.duration();
        let [lo, hi] = collision.time;
        let time = match &self.scene {
            None => [lo, hi],
            Some(_) => {
                // Outward, past the rounding of the product; exact at both ends.
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

    /// A collision of the report, as it is marked on a picture: in the frame of B, its time in [0, 1].
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

    /// What is told of a flow line, its time in the unit of the report.
    fn probe(&self, probe: &Probe) -> Probe {
        let ahead = match probe.ahead {
            Ahead::Part(clearance) => {
                Ahead::Part(Clearance { time: clearance.time * self.duration(), ..clearance })
            }
            ahead => ahead,
        };
        Probe { ahead, ..*probe }
    }

    /// How far A is free, its times in the unit of the report.
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
            Free::Undecided { free_until, why } => Free::Undecided { free_until: free_until * duration, why },
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

    /// The problem on a line of the file at `path`; where it is bad, its name if it can be read, and why.
    pub(super) fn subject(
        &self,
        line: &Line,
        path: &Path,
        meshes: &Meshes,
        warnings: &mut Vec<Warnings>,
    ) -> Result<Subject, (Option<String>, String)> {
        let read = parse_screen_line(&line.text, line.number, path).map_err(|bad| (bad.name, bad.error))?;
        let place = (path, line.number);
        let name = read.problem.name.clone();
        let posed = Posed::new(&read.problem, place, meshes, warnings);
        let posed = posed.map_err(|error| (Some(name.clone()), error))?;
        let place = format!("{}:{}", path.display(), line.number);
        Ok(Subject { name, posed, probes: read.probes, scene: None, place })
    }

    /// The options for a subject.
    pub(super) fn options(&self, subject: &Subject) -> Options {
        subject.options(&self.options)
    }

    /// Asks the engine.
    pub(super) fn report(&self, subject: &Subject) -> Result<ScreenReport, String> {
        self.ask(subject).map_err(|error| format!("{}: {error}", subject.place))
    }

    fn ask(&self, subject: &Subject) -> Result<ScreenReport, chasles::Error> {
        let Posed { bodies: [a, b], screw } = &subject.posed;
        let options = self.options(subject);
        let points: Vec<DVec3> = subject.probes.iter().chain(&self.probes).copied().collect();
        let found = match points[..] {
            [] => Vec::new(),
            _ => probes((a, b), screw, &points, &options)?,
        };
        let play = match self.play {
            true => {
                let Play { forward, backward } = play(a, b, screw, &options)?;
                Some(Play { forward: subject.free(forward), backward: subject.free(backward) })
            }
            false => None,
        };
        let report = ScreenReport {
            name: subject.name.clone(),
            pair: subject.scene.as_ref().map(|scene| scene.pair.clone()),
            way: ScreenWay::Exact,
            verdict: ScreenVerdict::Clear,
            screw: screw_frame(b, screw),
            facing: facings(a, b, screw),
            collisions: Vec::new(),
            culled: None,
            doubtful: 0,
            concurrent: self.concurrent,
            inside: None,
            probes: found.iter().map(|found| subject.probe(found)).collect(),
            play,
        };
        if let Some(Resolution(resolution)) = self.resolution {
            let pixels = PixelOptions { resolution, budget: options.budget, memory: options.memory };
            let found = pixel_collisions(a, b, screw, &pixels)?;
            let listed = found.collisions.iter().map(|collision| subject.listed(of_pixels(collision)));
            let collisions: Vec<_> = listed.collect();
            let undecided = |why| ScreenVerdict::Undecided { clear_until: 0.0, why };
            let verdict = match (found.outcome, &collisions[..]) {
                (PixelOutcome::OutOfBudget, _) => undecided(Doubt::Budget),
                (PixelOutcome::OutOfMemory, _) => undecided(Doubt::Memory),
                (PixelOutcome::Complete, []) => ScreenVerdict::Clear,
                (PixelOutcome::Complete, _) => ScreenVerdict::Contact,
            };
            let way = ScreenWay::Pixels { resolution: found.resolution, pixel: found.pixel };
            return Ok(ScreenReport { way, verdict, collisions, ..report });
        }
        let found = collisions(a, b, screw, &options)?;
        let verdict = match found.outcome {
            Outcome::Clear => ScreenVerdict::Clear,
            Outcome::Contact(_) => ScreenVerdict::Contact,
            Outcome::Overlapping(_) => ScreenVerdict::Overlapping,
            Outcome::Undecided { clear_until, why } => {
                ScreenVerdict::Undecided { clear_until: clear_until * subject.duration(), why }
            }
        };
        let listed = found.collisions.iter().map(|collision| subject.listed(of_features(collision)));
        Ok(ScreenReport {
            verdict,
            collisions: listed.collect(),
            culled: Some(found.culled),
            doubtful: found.doubtful,
            inside: Some(found.inside),
            ..report
        })
    }
}

fn of_features(collision: &Collision) -> ListedCollision {
    let Collision { contact, properness, proper, from } = collision;
    ListedCollision {
        time: contact.time,
        features: contact.features,
        point: contact.point,
        normal: contact.normal,
        properness: *properness,
        proper: *proper,
        from: *from,
    }
}

fn of_pixels(collision: &PixelCollision) -> ListedCollision {
    ListedCollision {
        time: [collision.time; 2],
        features: collision.features,
        point: collision.point,
        normal: collision.normal,
        properness: collision.properness,
        proper: collision.proper,
        from: None,
    }
}
