//! Pairs of which at least one body deforms, and bodies with themselves; also the events of two rigid meshes.

use glam::DVec3;

use crate::deformable::against_round::RoundBeside;
use crate::deformable::contact_intervals::{DeformablePair, ProximityGoal};
use crate::deformable::contacts::DeformingContacts;
use crate::deformable::course::MovingMesh;
use crate::deformable::entry::FirstFeatures;
use crate::deformable::events::DeformingEvent;
use crate::error::{Error, ErrorKind};
use crate::features::contact::Contact;
use crate::math::budget::Budget;
use crate::pair::shape::CollisionShape;
use crate::poses::Separation;
use crate::scene::closed_surfaces::ClosedSurfaces;
use crate::scene::definition::Scene;
use crate::scene::report::{
    CheckOptions, Containment, Guarantee, IntersectingPair, PairListing, PairReport, PairUndecidedReason,
    PairVerdict, SceneContact, SceneEvent, SceneInterval,
};
use crate::trajectory::watch::ProgressMonitor;

/// Budget, in steps, of the gap at one time.
const STEPS_OF_A_GAP: u64 = 10_000_000;

impl Scene {
    /// Whether a body has a deforming surface.
    pub(crate) fn is_deforming(&self, body: usize) -> bool {
        self.bodies[body].shape.as_ref().is_some_and(|shape| shape.deforming_surface().is_some())
    }

    /// Whether a body's vertices move in its own frame.
    pub(crate) fn is_bending(&self, body: usize) -> bool {
        let surface = self.bodies[body].shape.as_ref().and_then(CollisionShape::deforming_surface);
        surface.is_some_and(|surface| surface.times().len() > 1)
    }

    /// A pair, or a body with itself, in the frame of the common carrier.
    fn deformable_pair(&self, [a, b]: [usize; 2]) -> Result<DeformablePair<'_>, Error> {
        let common = self.carrier_of([a, b]);
        let duration = self.whole_duration();
        let mut courses = Vec::with_capacity(2);
        let mut round = None;
        for body in if a == b { vec![a] } else { vec![a, b] } {
            let own = &self.bodies[body];
            let shape = own.shape.as_ref();
            match (shape.and_then(CollisionShape::vertices), shape.and_then(CollisionShape::round)) {
                (Some(vertices), _) => courses.push(MovingMesh::new(vertices, self.chain(body, common))),
                (None, Some(shape)) => round = Some((shape, body)),
                (None, None) => {
                    let what =
                        "a test of a solid, a cloud or a parametric surface against a body that deforms is";
                    return Err(Error::new(ErrorKind::NotBuilt(what), format!("body {:?}", own.name)));
                }
            }
        }
        let Some((shape, body)) = round else { return Ok(DeformablePair::new(courses, duration)) };
        let other = self.bodies[if body == a { b } else { a }].shape.as_ref();
        match (courses.pop(), other.and_then(CollisionShape::pieces)) {
            (Some(course), Some(pieces)) => {
                let round = RoundBeside::new(shape, self.chain(body, common), pieces, body == a);
                Ok(DeformablePair::with_round(course, round, duration))
            }
            _ => Ok(DeformablePair::new(courses, duration)),
        }
    }

    /// The pairs of triangles that intersect at a time, of a pair of which at least one body deforms, or of a body
    /// with itself. Round bodies have no triangles; their pairs are listed unless proven separated.
    ///
    /// # Errors
    /// A frame cannot be read; a body is a solid, a cloud or a parametric surface.
    pub(crate) fn static_deformable_intersection(
        &self,
        bodies: [usize; 2],
        time: f64,
    ) -> Result<Option<IntersectingPair>, Error> {
        let mut following = self.deformable_pair(bodies)?;
        let triangles = following.triangles_at(time)?;
        let mut is_apart = true;
        if following.beside.is_some() {
            is_apart = following.gap_at(time, &mut Budget::new(STEPS_OF_A_GAP))?.bounds[0] > 0.0;
        }
        let meets = !is_apart
            || !triangles.is_empty()
            || self.is_in_solid(bodies, time, following.vertices_at(time)?);
        Ok(meets.then_some(IntersectingPair { bodies, triangles }))
    }

    /// Whether, at a time, a piece of one of two bodies is inside the other, a solid body; the surfaces do not
    /// intersect. `places`: the positions of their vertices in the frame of the common carrier.
    fn is_in_solid(&self, bodies: [usize; 2], time: f64, places: [&[DVec3]; 2]) -> bool {
        let is_in =
            |outer: usize| self.bodies[bodies[outer]].solid && self.is_in(bodies, outer, (time, places));
        bodies[0] != bodies[1] && (is_in(0) || is_in(1))
    }

    /// Whether a piece of the other body is inside `outer` (0: the first body, 1: the second), solid or not. Bodies
    /// that deform have no interior.
    fn is_in(&self, bodies: [usize; 2], outer: usize, (time, places): (f64, [&[DVec3]; 2])) -> bool {
        let shapes = [bodies[1 - outer], bodies[outer]].map(|body| self.bodies[body].shape.as_ref());
        let [Some(inside), Some(around)] = shapes else { return false };
        let Some(pieces) = inside.pieces() else { return false };
        let pose = self.pose_at(bodies[outer], time).inverse();
        let seen = match self.common_carrier(bodies[0], bodies[1]) {
            Some(carrier) => pose.compose(&self.pose_at(carrier, time)),
            None => pose,
        };
        let places = places[1 - outer];
        pieces.first().iter().any(|v| around.holds(seen.transform_point(places[*v as usize])))
    }

    /// The distances at given times of two bodies of which at least one deforms.
    ///
    /// # Errors
    /// A frame cannot be read; a body is a solid, a cloud or a parametric surface.
    pub(crate) fn distances_bending(
        &self,
        bodies: [usize; 2],
        times: &[f64],
    ) -> Result<Vec<Separation>, Error> {
        let carrier = self.common_carrier(bodies[0], bodies[1]);
        let mut following = self.deformable_pair(bodies)?;
        let mut found = Vec::with_capacity(times.len());
        for &time in times {
            let gap = following.gap_at(time, &mut Budget::new(STEPS_OF_A_GAP))?;
            let is_inside =
                gap.bounds[1] > 0.0 && self.is_in_solid(bodies, time, following.vertices_at(time)?);
            let [lower, upper] = if is_inside { [0.0; 2] } else { gap.bounds };
            let points = match carrier {
                None => gap.points,
                Some(carrier) => {
                    let pose = self.pose_at(carrier, time);
                    gap.points.map(|point| pose.transform_point(point))
                }
            };
            found.push(Separation { lower, upper, points });
        }
        Ok(found)
    }

    /// The report of a pair of which at least one body deforms, or of a body with itself (the same number twice);
    /// and which body is inside the other, a hollow body, without contact.
    ///
    /// # Errors
    /// A frame cannot be read; a body is a solid, a cloud or a parametric surface; only points are to be tested.
    pub(crate) fn answer_bending(
        &self,
        bodies: [usize; 2],
        spans: &[[f64; 2]],
        skins: &ClosedSurfaces<'_>,
        (options, watch): (&CheckOptions, &dyn ProgressMonitor),
    ) -> Result<(PairReport, Vec<Containment>), Error> {
        let [a, b] = bodies;
        if options.guarantee != Guarantee::Surfaces {
            let what = "points alone of a body that deforms, or against one, are";
            return Err(Error::new(ErrorKind::NotBuilt(what), format!("body {:?}", self.bodies[a].name)));
        }
        let end = self.whole_duration();
        let is_over = || watch.is_over();
        let fresh = || Budget::new(options.budget).watched(Some(&is_over));
        let mut following = self.deformable_pair(bodies)?;
        let meeting = ProximityGoal { within: 0.0, tolerance: self.tolerance() };
        let mut budget = fresh();
        let mut found = following.follow(spans, &meeting, &mut budget)?;
        if a != b && bodies.iter().any(|body| self.bodies[*body].solid) {
            let is_inside = |time: f64, places: [&[DVec3]; 2]| self.is_in_solid(bodies, time, places);
            following.add_times_inside(spans, &mut found, &mut budget, is_inside)?;
        }
        let mut inside = Vec::new();
        for outer in if a == b { 0..0 } else { 0..2 } {
            let body = bodies[outer];
            let is_inside = |time: f64, places: [&[DVec3]; 2]| {
                self.is_in(bodies, outer, (time, places)) && skins.is_closed(body)
            };
            if !self.bodies[body].solid
                && let Some(from) = following.first_time_inside(spans, &found, is_inside)?
            {
                inside.push(Containment { inner: bodies[1 - outer], outer: body, from });
            }
        }
        let intersects_at_start = found.intersects_at_start();
        let DeformingContacts { met, undecided, mut is_spent, deviation, certain } = found;
        let mut report = PairReport { deviation, ..PairReport::clear(bodies, end) };
        let (mut contacts, mut apart) = (Vec::with_capacity(met.len()), 0.0);
        for met in &met {
            let entry = following.entry(met.enter, apart, &mut budget)?;
            let contact = entry.map(|entry| self.contact_bending(bodies, (met.enter, &entry)));
            let meets = certain.iter().any(|span| met.enter[0] <= span[1] && span[0] <= met.exit[1]);
            let touching = !meets || met.enter[0] >= met.exit[0];
            contacts.push(SceneInterval { contact, touching, ..self.span_of(met.enter, met.exit) });
            apart = met.exit[1];
        }
        let overlaps = intersects_at_start && contacts.first().is_some_and(|first| first.enter == [0.0; 2]);
        report.set_contacts(contacts, undecided, overlaps);
        if options.events {
            is_spent |= !self.add_found_events(&mut report, &mut following, &mut budget)?;
        }
        let clearance = if a == b { 0.0 } else { self.clearance_of(bodies) };
        if report.verdict == PairVerdict::Clear && clearance > 0.0 {
            let sought = ProximityGoal { within: clearance, tolerance: self.tolerance() };
            let near = following.follow(spans, &sought, &mut fresh())?;
            report.deviation = report.deviation.max(near.deviation);
            let intervals = near.met.iter().map(|met| self.span_of(met.enter, met.exit)).collect();
            report.set_near(intervals, near.undecided);
            is_spent = near.is_spent;
        }
        let is_listed = report.verdict == PairVerdict::Clear && options.listed == PairListing::All;
        if a != b && (report.verdict == PairVerdict::Near || is_listed) {
            let sizes =
                bodies.map(|body| self.bodies[body].shape.as_ref().map_or(0.0, CollisionShape::diagonal));
            let gap = following.minimum_distance(sizes[0].min(sizes[1]), &mut fresh())?;
            if gap.bounds[1].is_finite() {
                (report.gap, report.gap_time) = (Some(gap.bounds), Some(gap.time));
            }
        }
        report.reason = match (watch.is_over(), is_spent, report.undecided.is_empty()) {
            (true, true, _) => Some(PairUndecidedReason::Stopped),
            (_, true, _) => Some(PairUndecidedReason::Budget),
            (_, _, false) => Some(PairUndecidedReason::Rounding),
            _ => None,
        };
        report.set_clear_until(end);
        Ok((report, inside))
    }

    /// Adds the events of two meshes that do not deform, if they are in contact. Other bodies have no features.
    ///
    /// # Errors
    /// An error of the search for events.
    pub(crate) fn add_events(
        &self,
        report: &mut PairReport,
        (options, watch): (&CheckOptions, &dyn ProgressMonitor),
    ) -> Result<(), Error> {
        let meshes =
            report.bodies.map(|body| self.bodies[body].shape.as_ref().and_then(CollisionShape::vertices));
        if meshes.iter().any(Option::is_none) {
            return Ok(());
        }
        let is_over = || watch.is_over();
        let mut budget = Budget::new(options.budget).watched(Some(&is_over));
        let mut following = self.deformable_pair(report.bodies)?;
        if !self.add_found_events(report, &mut following, &mut budget)? {
            let reason =
                if watch.is_over() { PairUndecidedReason::Stopped } else { PairUndecidedReason::Budget };
            report.reason = report.reason.or(Some(reason));
        }
        Ok(())
    }

    /// Adds the events during the contact intervals; returns whether all events were found.
    fn add_found_events(
        &self,
        report: &mut PairReport,
        following: &mut DeformablePair<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<bool, Error> {
        if !matches!(report.verdict, PairVerdict::Contact | PairVerdict::Overlapping) {
            return Ok(true);
        }
        let whole = |interval: &SceneInterval| {
            [interval.enter[0], interval.exit.map_or(self.whole_duration(), |exit| exit[1])]
        };
        let spans: Vec<[f64; 2]> = report.intervals.iter().map(whole).collect();
        let (events, is_complete) = following.events(&spans, budget)?;
        let carrier = self.carrier_of(report.bodies);
        report.events = events.iter().map(|event| self.event(event, carrier)).collect();
        Ok(is_complete)
    }

    /// The body in whose frame the trajectories of a pair are given.
    fn carrier_of(&self, [a, b]: [usize; 2]) -> Option<usize> {
        if a == b { Some(a) } else { self.common_carrier(a, b) }
    }

    /// An interval without its contact.
    fn span_of(&self, enter: [f64; 2], exit: [f64; 2]) -> SceneInterval {
        let exit = (exit[0] < self.whole_duration()).then_some(exit);
        SceneInterval { enter, exit, contact: None, contacts: Vec::new(), touching: false }
    }

    /// The contact with which an interval starts, in the world.
    fn contact_bending(&self, [a, b]: [usize; 2], (time, entry): ([f64; 2], &FirstFeatures)) -> SceneContact {
        let SceneEvent { features, point, normal, .. } = self.event(&entry.event, self.carrier_of([a, b]));
        let touching = entry.event.contact.touching;
        let contact = Contact { time, features, point, normal, approach_speed: entry.speed, touching };
        SceneContact {
            contact,
            moving: a,
            static_body: b,
            axis: None,
            is_exact: false,
            velocity: None,
            interval: entry.span,
        }
    }

    /// An event in the world.
    fn event(&self, event: &DeformingEvent, carrier: Option<usize>) -> SceneEvent {
        let DeformingEvent { features, contact } = *event;
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
