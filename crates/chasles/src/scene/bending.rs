//! Pairs of which one body at least deforms, and bodies with themselves.

use crate::along::watch::Watch;
use crate::deforming::course::Course;
use crate::deforming::following::{Effort, Event, Followed, Following};
use crate::error::{Error, ErrorKind};
use crate::pair::shape::SceneShape;
use crate::scene::definition::Scene;
use crate::scene::report::{
    Guarantee, PairDoubt, PairReport, PairVerdict, SceneEvent, SceneInterval, StandingPair,
};

/// What is asked about such pairs: as in [`CheckOptions`](crate::CheckOptions).
#[derive(Clone, Copy)]
pub(crate) struct Bending<'w> {
    pub(crate) budget: u64,
    pub(crate) guarantee: Guarantee,
    pub(crate) events: bool,
    pub(crate) watch: &'w dyn Watch,
}

impl Scene {
    /// Whether a body deforms.
    pub(crate) fn is_deforming(&self, body: usize) -> bool {
        self.bodies[body].shape.as_ref().is_some_and(|shape| shape.deforming_surface().is_some())
    }

    /// Whether a body's vertices move in its frame.
    pub(crate) fn is_bending(&self, body: usize) -> bool {
        let surface = self.bodies[body].shape.as_ref().and_then(SceneShape::deforming_surface);
        surface.is_some_and(|surface| surface.times().len() > 1)
    }

    /// The courses of a pair, or of a body with itself, in the frame that carries both.
    fn courses(&self, [a, b]: [usize; 2]) -> Result<Vec<Course<'_>>, Error> {
        let common = if a == b { Some(a) } else { self.common_carrier(a, b) };
        let mut courses = Vec::with_capacity(2);
        for body in if a == b { vec![a] } else { vec![a, b] } {
            let Some(vertices) = self.bodies[body].shape.as_ref().and_then(SceneShape::vertices) else {
                let what = "a test of what is no mesh against a body that deforms is";
                return Err(Error::new(
                    ErrorKind::NotBuilt(what),
                    format!("body {:?}", self.bodies[body].name),
                ));
            };
            courses.push(Course::new(vertices, self.chain(body, common)));
        }
        Ok(courses)
    }

    /// The triangles of a pair, of which one at least deforms, or of a body with itself, that meet at a time.
    ///
    /// # Errors
    /// A frame that cannot be read; a body that is no mesh.
    pub(crate) fn standing_bending(
        &self,
        bodies: [usize; 2],
        time: f64,
    ) -> Result<Option<StandingPair>, Error> {
        let mut following = Following::new(self.courses(bodies)?, self.duration());
        let triangles = following.triangles_at(time)?;
        Ok((!triangles.is_empty()).then_some(StandingPair { bodies, triangles }))
    }

    /// The answer about a pair of which one at least deforms, or about a body with itself, the same number twice.
    ///
    /// # Errors
    /// A frame that cannot be read; a body that is no mesh; a clearance, or points alone.
    pub(crate) fn answer_bending(
        &self,
        bodies: [usize; 2],
        spans: &[[f64; 2]],
        asked: &Bending<'_>,
    ) -> Result<PairReport, Error> {
        let [a, b] = bodies;
        let not_built = |body: usize, what: &'static str| {
            Err(Error::new(ErrorKind::NotBuilt(what), format!("body {:?}", self.bodies[body].name)))
        };
        if asked.guarantee != Guarantee::Surfaces {
            return not_built(a, "points alone of a body that deforms, or against one, are");
        }
        if a != b && self.clearance_of([a, b]) > 0.0 {
            return not_built(a, "a clearance of a body that deforms, or from one, is");
        }
        let common = if a == b { Some(a) } else { self.common_carrier(a, b) };
        let courses = self.courses(bodies)?;
        let is_over = || asked.watch.is_over();
        let effort = Effort { tolerance: self.tolerance(), budget: asked.budget, is_over: Some(&is_over) };
        let mut following = Following::new(courses, self.duration());
        let Followed { met, unknown, is_spent, deviation } = following.follow(spans, &effort)?;
        let mut report = PairReport { deviation, unknown, ..PairReport::clear(bodies, self.duration()) };
        let end = self.duration();
        report.intervals = met
            .iter()
            .map(|met| SceneInterval {
                enter: met.enter,
                exit: (met.exit[0] < end).then_some(met.exit),
                contact: None,
                contacts: Vec::new(),
                touching: met.enter[0] >= met.exit[0],
            })
            .collect();
        report.verdict = match report.intervals.first() {
            Some(first) if first.enter == [0.0; 2] => PairVerdict::Overlapping,
            Some(_) => PairVerdict::Contact,
            None if report.unknown.is_empty() => PairVerdict::Clear,
            None => PairVerdict::Undecided,
        };
        let mut is_lacking = is_spent;
        if asked.events && !met.is_empty() {
            let spans: Vec<[f64; 2]> = met.iter().map(|met| [met.enter[0], met.exit[1]]).collect();
            let (events, is_complete) = following.events(&spans, &effort)?;
            is_lacking |= !is_complete;
            report.events = events.iter().map(|event| self.event(event, common)).collect();
        }
        report.doubt = match (asked.watch.is_over(), is_lacking, report.unknown.is_empty()) {
            (true, true, _) => Some(PairDoubt::Stopped),
            (_, true, _) => Some(PairDoubt::Budget),
            (_, _, false) => Some(PairDoubt::Rounding),
            _ => None,
        };
        let begins = report.intervals.iter().map(|interval| interval.enter[0]);
        let doubts = report.unknown.iter().map(|unknown| unknown[0]);
        report.clear_until = begins.chain(doubts).fold(end, f64::min);
        Ok(report)
    }

    /// An event in the world.
    fn event(&self, event: &Event, carrier: Option<usize>) -> SceneEvent {
        let Event { features, contact } = *event;
        let [point, normal] = match carrier {
            None => [contact.point, contact.normal],
            Some(carrier) => {
                let pose = self.pose_at(carrier, contact.time[1]);
                [pose.transform_point(contact.point), pose.transform_vector(contact.normal)]
            }
        };
        SceneEvent { features, time: contact.time, point, normal }
    }
}
