//! parry3d-f64 on the same cases: its non-linear cast of triangle meshes, and its static test at sampled poses.
//!
//! parry's motion rotates with constant speed about a point of the body, which moves with constant speed along a
//! line. If the point is on the axis of the screw and the line along the axis, the motion is the same as ours.

use chasles::{Outcome, Pose, Screw};
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query::{NonlinearRigidMotion, cast_shapes_nonlinear, contact, distance, intersection_test};
use parry3d_f64::shape::{TriMesh, TriMeshBuilderError};

use crate::cases::shapes::Raw;
use crate::paper::Measured;
use crate::program::table::{Cell, Table};
use crate::program::timing::{median, quantile, timed};

/// The number of sampled poses, including both ends of the motion.
pub const SAMPLES: u32 = 100;

/// Times of contact that differ by less than this agree, in units of t.
const SAME_TIME: f64 = 1e-6;

/// A gap above this is no contact, in metres: a millionth of the bodies' size.
const SAME_PLACE: f64 = 1e-6;

/// The comparison of a peer's answer with the proven answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// The same contact, within 1e-6 of the time, or both clear. For sampled poses: the contact was found at all.
    Agrees,
    /// A proven contact was not found.
    Missed,
    /// A contact was found this much later than the first contact.
    Late(f64),
    /// A contact was reported before the first contact, or without any contact.
    Early,
}

impl Verdict {
    /// Compares a computed time of contact with the proven answer.
    #[must_use]
    pub fn of_time(proven: &Outcome, time: Option<f64>) -> Self {
        match (first(proven), time) {
            (None, None) => Self::Agrees,
            (Some(_), None) => Self::Missed,
            (None, Some(_)) => Self::Early,
            (Some([lo, _]), Some(time)) if time < lo - SAME_TIME => Self::Early,
            (Some([_, hi]), Some(time)) if time > hi + SAME_TIME => Self::Late(time - hi),
            (Some(_), Some(_)) => Self::Agrees,
        }
    }

    /// Compares the first sampled time of contact, which is late unless it is the start, with the proven answer.
    #[must_use]
    pub fn of_sample(proven: &Outcome, time: Option<f64>) -> Self {
        match (first(proven), time) {
            (None, None) => Self::Agrees,
            (Some(_), None) => Self::Missed,
            (None, Some(_)) => Self::Early,
            (Some([lo, _]), Some(t)) if t < lo => Self::Early,
            // Bodies that overlap at the start.
            (Some([_, 0.0]), Some(0.0)) => Self::Agrees,
            (Some([_, hi]), Some(t)) => Self::Late((t - hi).max(0.0)),
        }
    }
}

/// The sampled times.
pub fn sample_times() -> impl Iterator<Item = f64> + Clone {
    (0..SAMPLES).map(|i| f64::from(i) / f64::from(SAMPLES - 1))
}

/// A peer's answer to one case.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    /// The comparison with the proven answer.
    pub verdict: Verdict,
    /// Whether parry's own static queries confirm the proven answer, if the two differ.
    pub settled: bool,
    /// Seconds it took.
    pub seconds: f64,
}

/// Both bodies as meshes of parry.
#[derive(Debug)]
pub struct Parry {
    a: TriMesh,
    b: TriMesh,
}

impl Parry {
    /// Builds parry's meshes, with its hierarchies.
    ///
    /// # Errors
    /// Errors of parry, for a mesh without triangles.
    pub fn new([a, b]: &[Raw; 2]) -> Result<Self, TriMeshBuilderError> {
        let mesh = |(vertices, triangles): &Raw| TriMesh::new(vertices.clone(), triangles.clone());
        Ok(Self { a: mesh(a)?, b: mesh(b)? })
    }

    /// Runs the non-linear cast, and compares it with the proven outcome.
    #[must_use]
    pub fn cast(&self, screw: &Screw, proven: &Outcome) -> Answer {
        let (time, seconds) = timed(1, || self.cast_time(screw));
        let verdict = Verdict::of_time(proven, time);
        let settled = self.sides_with(screw, proven, (time, verdict));
        Answer { verdict, settled, seconds }
    }

    /// Runs the static test at evenly spaced poses, up to the first intersection.
    #[must_use]
    pub fn sampled(&self, screw: &Screw, proven: &Outcome) -> Answer {
        let (found, seconds) = timed(5, || self.sampled_time(screw));
        let verdict = Verdict::of_sample(proven, found);
        // Sampling finds a contact between two poses late or not at all. Only a missed contact needs confirmation.
        let late = matches!(verdict, Verdict::Late(_));
        let settled = late || self.sides_with(screw, proven, (found, verdict));
        Answer { verdict, settled, seconds }
    }

    /// Whether parry's own static queries confirm the proven answer, if a peer's answer differs: surfaces that
    /// intersect right after the proven contact and before the peer's, or a gap at a time that the peer reports too
    /// early.
    #[must_use]
    pub fn sides_with(&self, screw: &Screw, proven: &Outcome, peer: (Option<f64>, Verdict)) -> bool {
        match peer {
            (_, Verdict::Agrees) => true,
            (time, Verdict::Early) => time.is_some_and(|t| self.gap(screw, t) > SAME_PLACE),
            (time, Verdict::Missed | Verdict::Late(_)) => {
                first(proven).is_some_and(|[_, hi]| self.intersect_soon_after(screw, hi, time.unwrap_or(1.0)))
            }
        }
    }

    /// The time of the non-linear cast.
    #[must_use]
    pub fn cast_time(&self, screw: &Screw) -> Option<f64> {
        let (moving, static_body) = (motion(screw), NonlinearRigidMotion::identity());
        let hit = cast_shapes_nonlinear(&moving, &self.a, &static_body, &self.b, 0.0, 1.0, true);
        // Meshes are supported, and there is no other error.
        hit.ok().flatten().map(|hit| hit.time_of_impact)
    }

    /// The first sampled time at which the surfaces intersect.
    #[must_use]
    pub fn sampled_time(&self, screw: &Screw) -> Option<f64> {
        sample_times().find(|t| self.intersect(screw, *t))
    }

    /// Whether the surfaces intersect at a time soon after `from` and before `until`.
    fn intersect_soon_after(&self, screw: &Screw, from: f64, until: f64) -> bool {
        let steps = (-36..-6).map(|exponent| from + 10.0_f64.powf(0.25 * f64::from(exponent)));
        steps.take_while(|t| *t < until).any(|t| self.intersect(screw, t))
    }

    fn intersect(&self, screw: &Screw, t: f64) -> bool {
        let place = place(&screw.pose_at(t));
        intersection_test(&place, &self.a, &ParryPose::IDENTITY, &self.b)
            .is_ok_and(|found| found.intersecting)
    }

    /// The penetration depth of the surfaces at a time: the deepest of the contacts that parry finds.
    #[must_use]
    pub fn depth(&self, screw: &Screw, t: f64) -> Option<f64> {
        let place = place(&screw.pose_at(t));
        let found = contact(&place, &self.a, &ParryPose::IDENTITY, &self.b, 0.0);
        found.ok().flatten().map(|contact| -contact.dist)
    }

    fn gap(&self, screw: &Screw, t: f64) -> f64 {
        let place = place(&screw.pose_at(t));
        distance(&place, &self.a, &ParryPose::IDENTITY, &self.b).map_or(0.0, |found| found.distance)
    }
}

/// The enclosure of the first contact.
fn first(proven: &Outcome) -> Option<[f64; 2]> {
    match proven {
        Outcome::Contact(contact) => Some(contact.time),
        Outcome::Overlapping(_) => Some([0.0; 2]),
        Outcome::Clear | Outcome::Undecided { .. } => None,
    }
}

fn place(pose: &Pose) -> ParryPose {
    ParryPose::from_parts(pose.position(), pose.rotation())
}

/// A screw as a motion of parry.
fn motion(screw: &Screw) -> NonlinearRigidMotion {
    let start = screw.start();
    let centre = screw.axis().point.unwrap_or(start.position());
    let (slide, turn) = (screw.slide() * screw.direction(), screw.omega());
    NonlinearRigidMotion::new(place(&start), start.inverse().transform_point(centre), slide, turn)
}

/// The answers of one program to all cases.
struct Peer<'a> {
    name: &'a str,
    /// Whether the bodies collide, and the answer.
    answers: Vec<(bool, Answer)>,
}

/// The table of our first contact and parry's, over the given cases.
#[must_use]
pub fn table(parry: &Parry, cases: &[Measured]) -> Table {
    let run = |f: fn(&Parry, &Screw, &Outcome) -> Answer| {
        // Untimed runs come first.
        cases.iter().take(20).for_each(|c| _ = f(parry, &c.screw, &c.outcome));
        cases.iter().map(|c| (c.collides(), f(parry, &c.screw, &c.outcome))).collect::<Vec<_>>()
    };
    let own = |c: &Measured| Answer { verdict: Verdict::Agrees, settled: true, seconds: c.seconds[2] };
    let sampled = format!("parry, static test at {SAMPLES} poses");
    let peers = [
        Peer {
            name: "chasles, first contact",
            answers: cases.iter().map(|c| (c.collides(), own(c))).collect(),
        },
        Peer { name: "parry, non-linear cast", answers: run(Parry::cast) },
        Peer { name: &sampled, answers: run(Parry::sampled) },
    ];
    let columns = [
        "", "colliding, median", "colliding, p95", "colliding, longest", "clear, median", "clear, p95",
        "clear, longest", "missed", "late", "late by, median", "early or false", "which seeds",
        "not settled, seeds",
    ];
    let mut table = Table::new("Peers: parry3d-f64 0.31", TEXT, &columns);
    for peer in peers {
        table.row(peer.name, peer.cells(cases));
    }
    table
}

const TEXT: &str = "A first comparison on the same f64 meshes and motions, with one thread and hierarchies built \
    beforehand. We call parry's `cast_shapes_nonlinear` on `TriMesh` with `stop_at_penetration`, timed once after a \
    first run, and its `intersection_test` at evenly spaced poses, up to the first that intersects. Compared with \
    chasles' proven answer, *missed* is a contact that the peer does not report, *late* a contact reported more than \
    1e-6 of the motion too late (for sampled poses: late at all), and *early or false* a contact reported before the \
    first one or in a motion without contact. If the answers differ, parry's own static queries decide: its \
    intersection test right after our contact (missed, late), or its distance at the time that its cast reports \
    (early or false); *not settled* lists the seeds for which this check does not confirm chasles. Unfair: the cast \
    is written for convex shapes and few triangles, and tests each triangle of one mesh against the whole of the \
    other; sampling says nothing about the time between two poses, and chasles does more than either. parry's cast \
    accepts no time limit, so its longest time is shown.";

/// Seeds of late contacts are listed if there are at most this number.
const FEW: usize = 5;

impl Peer<'_> {
    fn cells(&self, cases: &[Measured]) -> Vec<Cell> {
        let seconds = |hit: bool| self.answers.iter().filter(move |a| a.0 == hit).map(|a| a.1.seconds);
        let times = [true, false]
            .into_iter()
            .flat_map(|hit| [0.5, 0.95, 1.0].map(|fraction| Cell::Time(quantile(seconds(hit), fraction))));
        let count = |selected: fn(Verdict) -> bool| {
            Cell::Count(self.answers.iter().filter(|a| selected(a.1.verdict)).count() as u64)
        };
        let late: Vec<_> = self
            .answers
            .iter()
            .filter_map(|a| match a.1.verdict {
                Verdict::Late(by) => Some(by),
                _ => None,
            })
            .collect();
        let few_late = late.len() <= FEW;
        let seeds = |selected: &dyn Fn(&Answer) -> bool| {
            let seeds = self.answers.iter().zip(cases).filter(|((_, a), _)| selected(a));
            let seeds: Vec<_> = seeds.map(|(_, c)| c.seed.to_string()).collect();
            Cell::Text(if seeds.is_empty() { "none".into() } else { seeds.join(" ") })
        };
        let verdicts = [
            count(|v| v == Verdict::Missed),
            count(|v| matches!(v, Verdict::Late(_))),
            Cell::TimeFraction(median(late)),
            count(|v| v == Verdict::Early),
            seeds(&|a| match a.verdict {
                Verdict::Missed | Verdict::Early => true,
                Verdict::Late(_) => few_late,
                Verdict::Agrees => false,
            }),
            seeds(&|a| !a.settled),
        ];
        times.chain(verdicts).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_move_alike() -> Result<(), chasles::Error> {
        for seed in 0..100 {
            let screw = crate::cases::pairs::motion(seed)?;
            for t in [0.0, 0.3, 1.0] {
                let (ours, theirs) = (screw.pose_at(t), motion(&screw).position_at_time(t));
                assert!(ours.position().distance(theirs.translation) < 1e-9, "seed {seed}");
                assert!(ours.rotation().dot(theirs.rotation).abs() > 1.0 - 1e-12, "seed {seed}");
            }
        }
        Ok(())
    }
}
