//! Scenes: moving bodies that may carry each other; which pairs of bodies collide, when and where.
//!
//! ```text
//! definition       bodies, motions, filters: the parts of a scene; poses at any time
//! pairing          which pairs are tested
//! carriers         the bodies that carry a body; the motion of one body relative to another
//! closed_surfaces  which surfaces are closed
//! nearest          the nearest of all pairs, if all are clear
//! report           the options of a check, and its report
//! check            all pairs, side by side in time
//! first            the first contact of all pairs
//! intersections    which bodies intersect at one time
//! penetration      the translation that separates two intersecting bodies
//! distances        the distance of two bodies at given times
//! keys             the motion of a body in the world, as poses joined by screws
//! one_screw        two bodies as a pair of meshes on one screw
//! ```
//!
//! Read `check` first.

pub(crate) mod definition;
pub(crate) mod pairing;
pub(crate) mod carriers;
pub(crate) mod closed_surfaces;
pub(crate) mod nearest;
pub(crate) mod report;
pub(crate) mod check;
pub(crate) mod first;
pub(crate) mod intersections;
pub(crate) mod penetration;
pub(crate) mod distances;
pub(crate) mod keys;
pub(crate) mod one_screw;
#[cfg(test)]
mod motion_tests;

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::convex::inner::Interpenetration;
use crate::error::{Error, ErrorKind, check_not_negative, check_positive};
use crate::motion::Pose;
use crate::motion::chain::ChainBody;
use crate::motion::relative::RelativeMotion;
use crate::pair::Pair;
use crate::pair::shape::CollisionShape;
use crate::poses::Separation;
use crate::scene::check::candidates::BATCH_SIZE;
use crate::scene::definition::{BodyPlacement, assembly_of, is_declared};
use crate::scene::pairing::TestedClasses;
use crate::trajectory::watch::ProgressMonitor;

pub use definition::{BodyMotion, PairSide, SceneBody, SceneDefinition};
pub use keys::{KeyLimits, WorldKeys};
pub use nearest::NearestPair;
pub use one_screw::{PairScrew, PairScrewError};
pub use pairing::{PairClass, PairCounts, RestingPairs, StaticPairs};
pub use penetration::Penetration;
pub use report::{
    CheckOptions, Containment, Guarantee, Horizon, IntersectingPair, ModelOverlaps, NearestReport,
    PairListing, PairReport, PairUndecidedReason, PairVerdict, SceneContact, SceneEvent, SceneInterval,
    SceneReport, SkippedPairs,
};

/// Bodies in motion, checked and ready for [`Scene::check`].
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    duration: f64,
    /// The duration of the scene of which this scene is a part.
    whole_duration: f64,
    tolerance: f64,
    /// Whether the tolerance was given.
    states_tolerance: bool,
    epsilon: f64,
    /// Whether the epsilon was given.
    states_epsilon: bool,
    clearance: f64,
    /// Bodies that are tested against themselves, in order.
    self_tested: Vec<usize>,
    /// Pairs with their own clearance, lower number first, in order.
    clearances: Vec<([usize; 2], f64)>,
    pub(crate) bodies: Vec<SceneBody>,
    /// How each body moves in its parent's frame.
    pub(crate) placements: Vec<BodyPlacement>,
    /// Pairs that are not tested, lower number first, in order.
    pub(crate) ignored_pairs: Vec<[usize; 2]>,
    /// Bodies that are not tested at all.
    pub(crate) ignored_bodies: Vec<bool>,
}

impl Scene {
    /// Checks a definition.
    ///
    /// # Errors
    /// The duration is not greater than 0, the tolerance or clearance is negative, or there are no bodies; a parent
    /// or an ignored body does not exist, or parents form a circle; a list of keys is empty, its times do not
    /// increase or its values are NaN; a motion leaves the range of coordinates; the mesh of a solid body is not
    /// closed. The message names the body.
    pub fn new(definition: SceneDefinition) -> Result<Self, Error> {
        definition::checked(definition)
    }

    /// The same scene with another epsilon, in metres: the precision for pairs with a solid, a cloud or a parametric
    /// surface. Closer than this they may count as touching. The default is 1e-6 of the largest diagonal of a body's
    /// bounding box.
    ///
    /// # Errors
    /// The epsilon is not greater than 0.
    pub fn with_epsilon(mut self, epsilon: f64) -> Result<Self, Error> {
        check_positive(epsilon, "epsilon")?;
        (self.epsilon, self.states_epsilon) = (epsilon, true);
        Ok(self)
    }

    /// The same scene, in which some pairs of bodies, in either order, have their own clearance, in metres. If a
    /// pair is given more than once, the last entry counts.
    ///
    /// # Errors
    /// A body does not exist; a clearance is negative.
    pub fn with_clearances(mut self, clearances: &[([usize; 2], f64)]) -> Result<Self, Error> {
        for (pair, clearance) in clearances {
            let bodies = pair.iter().find(|body| **body >= self.bodies.len());
            if let Some(body) = bodies {
                return Error::out_of_range(*body as f64, "the number of a body", "clearance");
            }
            check_not_negative(*clearance, "clearance")?;
        }
        let own: BTreeMap<[usize; 2], f64> =
            clearances.iter().map(|([a, b], own)| ([*a.min(b), *a.max(b)], *own)).collect();
        self.clearances = own.into_iter().collect();
        Ok(self)
    }

    /// The same scene, in which these bodies are tested against themselves, for meetings of features without a
    /// common vertex.
    ///
    /// # Errors
    /// A body does not exist or does not deform.
    pub fn with_self_tests(mut self, bodies: &[usize]) -> Result<Self, Error> {
        for &body in bodies {
            let Some(own) = self.bodies.get(body) else {
                return Error::out_of_range(
                    body as f64,
                    "the number of a body",
                    "body that is tested against itself",
                );
            };
            if own.shape.as_ref().and_then(CollisionShape::deforming_surface).is_none() {
                let what = "a test against itself of a body that does not deform is";
                return Err(Error::new(ErrorKind::NotBuilt(what), format!("body {:?}", own.name)));
            }
        }
        self.self_tested = bodies.to_vec();
        self.self_tested.sort_unstable();
        self.self_tested.dedup();
        Ok(self)
    }

    /// The same scene, in which the bodies `resting` can move in the frames of their parents, though they rest there.
    pub(crate) fn with_resting(mut self, resting: &[usize]) -> Self {
        let mut rests = vec![false; self.bodies.len()];
        resting.iter().for_each(|body| rests[*body] = true);
        let mut order: Vec<usize> = (0..self.bodies.len()).collect();
        order.sort_by_key(|body| self.placements[*body].depth);
        for body in order {
            let above = self.bodies[body].parent.map(|parent| &self.placements[parent]);
            let place = assembly_of(body, rests[body] || is_declared(&self.bodies[body].motion), above);
            (self.placements[body].assembly, self.placements[body].can_move) = place;
        }
        self
    }

    /// The same scene up to a time within its duration, without clearances.
    pub(crate) fn up_to(&self, time: f64) -> Self {
        Self { duration: time, clearance: 0.0, clearances: Vec::new(), ..self.clone() }
    }

    /// Finds the bodies that collide, when and where, over the whole duration. Pairs are spread over the threads of
    /// the current rayon pool; the report is the same, to the last bit, for any number of threads.
    ///
    /// With [`Horizon::FirstContact`] the check ends with the first contact of any pair.
    ///
    /// Guarantee: a pair that is clear never comes closer than the tolerance, at any moment; a pair that is in
    /// contact intersects or touches within the enclosures of its intervals. Both hold for the true surfaces of
    /// round bodies and for the true motion, whatever carries the bodies.
    ///
    /// # Errors
    /// A motion leaves the range of coordinates; more than a million pairs to list.
    ///
    /// # Example
    /// ```
    /// use chasles::{BodyMotion, CheckOptions, PairVerdict, Pose, Primitive, Scene, SceneBody, SceneDefinition};
    /// use chasles::{CollisionShape, Screw};
    /// use glam::DVec3;
    ///
    /// let cube = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE })?;
    /// let start = Pose::from_position(DVec3::new(3.0, 0.2, 0.1))?;
    /// let body = |name: &str, motion| SceneBody {
    ///     name: name.into(), shape: Some(cube.clone()), motion, parent: None, group: None, solid: false,
    /// };
    /// let scene = Scene::new(SceneDefinition {
    ///     duration: 2.0,
    ///     tolerance: None,
    ///     clearance: 0.0,
    ///     bodies: vec![
    ///         body("block", BodyMotion::Still(Pose::IDENTITY)),
    ///         body("cart", BodyMotion::Screw(Screw::translation(start, DVec3::new(-4.0, 0.0, 0.0)))),
    ///     ],
    ///     ignore: vec![],
    /// })?;
    /// let report = scene.check(&CheckOptions::default(), &())?;
    /// assert_eq!(report.verdict, PairVerdict::Contact);
    /// let [lo, hi] = report.pairs[0].intervals[0].enter;
    /// assert!((lo - 1.0).abs() < 1e-8 && (hi - 1.0).abs() < 1e-8);
    /// # Ok::<(), chasles::Error>(())
    /// ```
    pub fn check(&self, options: &CheckOptions, watch: &dyn ProgressMonitor) -> Result<SceneReport, Error> {
        match options.horizon {
            Horizon::End => check::check_in_batches(self, options, watch, BATCH_SIZE),
            Horizon::FirstContact => first::check_to_first_contact(self, options, watch),
        }
    }

    /// As [`Scene::check`], if bodies are the parts of larger ones: `owners` has the owner of each body. The report
    /// lists pairs of owners, but its totals still count pairs of parts.
    ///
    /// # Errors
    /// As [`Scene::check`].
    pub(crate) fn check_owners(
        &self,
        owners: &[usize],
        options: &CheckOptions,
        watch: &dyn ProgressMonitor,
    ) -> Result<SceneReport, Error> {
        Ok(check::fused::report_of_owners(self.check(options, watch)?, owners))
    }

    /// The bodies that intersect at a time in [0, `duration`] (at a jump, after it), and their intersecting
    /// triangles. All pairs of bodies except the exempt ones are tested, whether they move or not; pairs that do not
    /// intersect are not listed. (The test of Sinjur, corrected: see
    /// [`triangles_intersect`](crate::triangles_intersect).) Round bodies, solids, clouds and parametric surfaces
    /// are tested by their true surfaces, and listed unless proven separated. The vertices of deforming bodies lie
    /// between the vertices of the frames. A body with itself is listed with the pairs of triangles, the lower
    /// number first, of which an edge and a face, two edges, or a vertex and a face meet and have no common vertex.
    ///
    /// # Errors
    /// A time is not in [0, `duration`]. If a body deforms: a frame cannot be read, or the other body is a solid, a
    /// cloud or a parametric surface.
    pub fn static_intersections(&self, time: f64) -> Result<Vec<IntersectingPair>, Error> {
        intersections::static_intersections(self, time)
    }

    /// The interpenetration of pairs that intersect at a time in [0, `duration`], as found by
    /// [`Self::static_intersections`]; `None` if the bodies are not both convex
    /// ([`CollisionShape::convex_mesh`](crate::CollisionShape::convex_mesh)). The pairs are spread over the threads of
    /// the current rayon pool.
    ///
    /// Guarantee: the decision, and the set of points inside, are exact for the vertices as they are placed, which
    /// the triangle test also uses; each piece is the convex hull of its vertices. Moore and Wilhelms, section 2.2.
    ///
    /// # Panics
    /// If there are no such bodies.
    #[must_use]
    pub fn interpenetrations(&self, pairs: &[IntersectingPair], time: f64) -> Vec<Option<Interpenetration>> {
        intersections::interpenetrations(self, pairs, time)
    }

    /// The translation of the first body of a pair that separates it from the second. The pair intersects at a time
    /// in [0, `duration`], as found by [`Scene::static_intersections`]. `None` if one of the bodies has no surface or
    /// deforms.
    ///
    /// # Panics
    /// If there are no such bodies.
    #[must_use]
    pub fn penetration(&self, pair: &IntersectingPair, time: f64) -> Option<Penetration> {
        let [a, b] = pair.bodies;
        if self.is_deforming(a) || self.is_deforming(b) {
            return None;
        }
        penetration::penetration_of(self, [&[a], &[b]], std::slice::from_ref(pair), time)
    }

    /// The same for several pairs, spread over the threads of the current rayon pool.
    ///
    /// # Panics
    /// If there are no such bodies.
    #[must_use]
    pub fn penetrations(&self, pairs: &[IntersectingPair], time: f64) -> Vec<Option<Penetration>> {
        pairs.par_iter().map(|pair| self.penetration(pair, time)).collect()
    }

    /// The distances, in metres, of two bodies, in this order, at times in [0, `duration`], in the order of the
    /// times; at a jump, after it. The bounds differ by at most 1 % or 1e-7 of the larger body, except for rounding
    /// and after very many steps of work. The distance is 0 if one body is wholly inside the other, and the outer
    /// body is solid. The pair need not be a tested pair. `None`: one of the bodies has no surface.
    ///
    /// # Errors
    /// A body does not exist, or a time is not in [0, `duration`]. If a body deforms: a frame cannot be read, or the
    /// other body is a solid, a cloud or a parametric surface.
    pub fn distances(&self, pair: [usize; 2], times: &[f64]) -> Result<Option<Vec<Separation>>, Error> {
        distances::distances(self, pair, times)
    }

    /// The motion of a body in the world, as keys.
    ///
    /// # Panics
    /// If there is no such body.
    #[must_use]
    pub fn keys(&self, body: usize, limits: &KeyLimits) -> WorldKeys {
        keys::keys(self, body, limits)
    }

    /// Two bodies, by number, as a pair of meshes on one screw over the whole duration: the motion of the first body
    /// relative to the second, whatever carries them. Boxes are meshes. The pair need not be a tested pair. Bodies
    /// that do not move relative to each other are on a screw of slide 0 and angle 0.
    ///
    /// # Errors
    /// The reason why the bodies are no such pair.
    pub fn pair_screw(&self, pair: [usize; 2]) -> Result<PairScrew, PairScrewError> {
        one_screw::pair_screw(self, pair)
    }

    /// A definition of the same scene, without the additions of `with_` methods.
    #[must_use]
    pub fn definition(&self) -> SceneDefinition {
        SceneDefinition {
            duration: self.duration,
            tolerance: self.states_tolerance.then_some(self.tolerance),
            clearance: self.clearance,
            bodies: self.bodies.clone(),
            ignore: self.ignored(),
        }
    }

    /// The pairs that are not tested ([`SceneDefinition::ignore`]), in order.
    fn ignored(&self) -> Vec<[PairSide; 2]> {
        let bodies = self.ignored_bodies.iter().enumerate().filter(|(_, ignored)| **ignored);
        let bodies = bodies.map(|(body, _)| [PairSide::Every, PairSide::Body(body)]);
        bodies.chain(self.ignored_pairs.iter().map(|pair| pair.map(PairSide::Body))).collect()
    }

    /// In seconds: the check runs over [0, `duration`].
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// The duration of the scene of which this scene is a part ([`Self::up_to`]). Deforming bodies are decided
    /// exactly between two frames, but not between a frame and another time.
    pub(crate) fn whole_duration(&self) -> f64 {
        self.whole_duration
    }

    /// Surfaces closer than this touch, in metres.
    #[must_use]
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Whether the epsilon was given ([`Self::with_epsilon`]).
    #[must_use]
    pub fn states_epsilon(&self) -> bool {
        self.states_epsilon
    }

    /// The precision for pairs with a solid, a cloud or a parametric surface, in metres.
    #[must_use]
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// Pairs that come this close, in metres, are reported too.
    #[must_use]
    pub fn clearance(&self) -> f64 {
        self.clearance
    }

    /// The clearance of two bodies, the lower number first, in metres.
    #[must_use]
    pub fn clearance_of(&self, pair: [usize; 2]) -> f64 {
        let own = self.clearances.binary_search_by_key(&pair, |(pair, _)| *pair);
        own.map_or(self.clearance, |own| self.clearances[own].1)
    }

    /// The pairs with their own clearance ([`Self::with_clearances`]), the lower number first, in order.
    #[must_use]
    pub fn own_clearances(&self) -> &[([usize; 2], f64)] {
        &self.clearances
    }

    /// The largest clearance of any pair.
    pub(crate) fn largest_clearance(&self) -> f64 {
        self.clearances.iter().fold(self.clearance, |largest, (_, own)| largest.max(*own))
    }

    /// The bodies, in order.
    #[must_use]
    pub fn bodies(&self) -> &[SceneBody] {
        &self.bodies
    }

    /// The number of bodies with a surface.
    #[must_use]
    pub fn surfaces(&self) -> usize {
        self.bodies.iter().filter(|body| body.shape.is_some()).count()
    }

    /// Whether a body has a deforming surface.
    pub(crate) fn is_deforming(&self, body: usize) -> bool {
        self.bodies[body].shape.as_ref().is_some_and(|shape| shape.deforming_surface().is_some())
    }

    /// Whether a body's vertices move in its own frame.
    pub(crate) fn is_bending(&self, body: usize) -> bool {
        let surface = self.bodies[body].shape.as_ref().and_then(CollisionShape::deforming_surface);
        surface.is_some_and(|surface| surface.times().len() > 1)
    }

    /// Whether a body is tested against itself.
    #[must_use]
    pub fn is_self_tested(&self, body: usize) -> bool {
        self.self_tested.binary_search(&body).is_ok()
    }

    /// The bodies that are tested against themselves, except ignored bodies.
    pub(crate) fn self_tested(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.bodies.len()).filter(|body| self.is_self_tested(*body) && self.is_requested(*body))
    }

    /// The surfaces of two bodies as a pair, with the interiors that belong to them; `None`: a body has no surface.
    pub(crate) fn pair(&self, bodies: [usize; 2]) -> Option<Pair<'_>> {
        let [a, b] = bodies.map(|body| &self.bodies()[body]);
        let shapes = [a.shape.as_ref()?, b.shape.as_ref()?];
        // A cloud has no interior of its own, and a parametric surface has no interior at all.
        Some(Pair::with_interiors(shapes, [a.interior(), b.interior()]))
    }

    /// How two bodies can move relative to each other.
    ///
    /// # Panics
    /// If there are no such bodies.
    #[must_use]
    pub fn pair_class(&self, a: usize, b: usize) -> PairClass {
        let [x, y] = [a, b].map(|body| &self.placements[body]);
        if x.moving_ancestor != y.moving_ancestor || self.is_bending(a) || self.is_bending(b) {
            PairClass::Moving
        } else if x.assembly == y.assembly {
            PairClass::RigidlyJoined
        } else if x.can_move || y.can_move {
            PairClass::Resting
        } else {
            PairClass::Static
        }
    }

    /// The number of pairs of bodies in each class, and the number of exempt pairs.
    #[must_use]
    pub fn count_pairs(&self) -> PairCounts {
        pairing::count_pairs(self)
    }

    /// The number of tested pairs that move relative to each other, with bodies that are tested against themselves.
    #[must_use]
    pub fn count_moving_pairs(&self) -> usize {
        self.count_pairs().moving + self.self_tested().count()
    }

    /// The classes of tested pairs. If no body can move, [`StaticPairs::Named`] becomes [`StaticPairs::Tested`].
    pub(crate) fn tested_classes(&self, resting: RestingPairs, statics: StaticPairs) -> TestedClasses {
        let moves = |body: usize| {
            self.is_requested(body) && (self.placements[body].can_move || self.is_bending(body))
        };
        match statics {
            StaticPairs::Named if !(0..self.bodies.len()).any(moves) => {
                TestedClasses { resting, statics: StaticPairs::Tested }
            }
            _ => TestedClasses { resting, statics },
        }
    }

    /// Whether two bodies are tested against each other.
    pub(crate) fn is_tested(&self, a: usize, b: usize, classes: TestedClasses) -> bool {
        !self.is_exempt(a, b) && classes.has(self.pair_class(a, b))
    }

    /// Whether two bodies are never tested: a body has no surface or is ignored, the pair is ignored, or both bodies
    /// are of one group.
    pub(crate) fn is_exempt(&self, a: usize, b: usize) -> bool {
        self.is_filtered(a, b) || self.ignored_pairs.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }

    /// The same, without the pairs that are ignored by name.
    fn is_filtered(&self, a: usize, b: usize) -> bool {
        let group = &self.bodies[a].group;
        !self.is_requested(a) || !self.is_requested(b) || (group.is_some() && *group == self.bodies[b].group)
    }

    /// Whether a body has a surface and is not ignored altogether.
    fn is_requested(&self, body: usize) -> bool {
        self.bodies[body].shape.is_some() && !self.ignored_bodies[body]
    }

    /// The pose of a body in the world at a time in [0, `duration`]; at a jump, the pose after it.
    ///
    /// # Panics
    /// If there is no such body.
    #[must_use]
    pub fn pose_at(&self, body: usize, time: f64) -> Pose {
        let mut pose = self.pose_in_parent(body, time);
        let mut above = self.bodies[body].parent;
        while let Some(parent) = above {
            pose = self.pose_in_parent(parent, time).compose(&pose);
            above = self.bodies[parent].parent;
        }
        pose
    }

    /// The same in the frame of the body's parent.
    pub(crate) fn pose_in_parent(&self, body: usize, time: f64) -> Pose {
        self.placements[body].track.segment_at(time).pose_at(time)
    }

    /// A body and its carriers, up to and without the carrier `below`; `None`: up to the world.
    pub(crate) fn chain(&self, body: usize, below: Option<usize>) -> Vec<ChainBody<'_>> {
        let mut chain = Vec::new();
        let mut next = Some(body);
        while let Some(index) = next.filter(|_| next != below) {
            let placement = &self.placements[index];
            chain.push(ChainBody { track: &placement.track, is_constant: placement.constant.is_some() });
            next = self.bodies[index].parent;
        }
        chain
    }

    /// The motion of the first body of a pair relative to the second. Carriers of both bodies drop out, since they
    /// move both alike.
    pub(crate) fn relative(&self, pair: [usize; 2]) -> RelativeMotion<'_> {
        let is_set = |body: usize| self.bodies[body].shape.as_ref().is_some_and(CollisionShape::is_set);
        carriers::relative_where(
            self,
            pair,
            (pair.into_iter().any(is_set), |body| self.placements[body].without_spin.as_ref()),
        )
    }
}
