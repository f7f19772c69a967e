//! All pairs of a scene.

use rayon::prelude::*;

use crate::error::Error;
use crate::motion::ScrewAxis;
use crate::narrow_phase::contact::Contact;
use crate::predict::Options;
use crate::scene::definition::Scene;
use crate::scene::joined::{AtStart, Met, joined_intervals};
use crate::scene::pairing::{Pairing, Relative};
use crate::scene::report::{
    Listed, PairDoubt, PairReport, PairVerdict, SceneContact, SceneInterval, SceneReport,
};
use crate::scene::round::{RoundFound, round_intervals};

/// What is asked of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckOptions {
    /// Steps of work for each screw of each pair, after which it is undecided. A step takes between 10 ns and 1 us.
    pub budget: u64,
    /// Which pairs the report lists.
    pub listed: Listed,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { budget: Options::default().budget, listed: Listed::NotClear }
    }
}

/// What one row of pairs, those of one body with all later ones, came to.
struct Row {
    tested: usize,
    clear: usize,
    clear_until: f64,
    worst: PairVerdict,
    pairs: Vec<PairReport>,
}

impl Scene {
    /// Which bodies meet, when and where, over the whole duration. Pairs are spread over the threads of the current rayon pool;
    /// the answer is the same, to the last bit, for any number of them.
    ///
    /// Guarantee: a pair that is clear never comes closer than the tolerance, at any moment; a pair that is in contact
    /// meets within the enclosures of its intervals. Both hold for the true surfaces of round bodies too. A pair both of whose
    /// bodies move on their own is undecided for now ([`Scene::first_unsupported_pair`]).
    ///
    /// # Errors
    /// A motion that leads out of the range of coordinates.
    ///
    /// # Example
    /// ```
    /// use std::sync::Arc;
    /// use chasles::{BodyMotion, CheckOptions, PairVerdict, Pose, Primitive, Scene, SceneBody, SceneDefinition};
    /// use chasles::{Screw, SceneShape};
    /// use glam::DVec3;
    ///
    /// let cube = SceneShape::primitive(Primitive::Box { size: DVec3::ONE })?;
    /// let start = Pose::from_position(DVec3::new(3.0, 0.2, 0.1))?;
    /// let body = |name: &str, motion| SceneBody {
    ///     name: name.into(), shape: cube.clone(), motion, parent: None, group: None,
    /// };
    /// let scene = Scene::new(SceneDefinition {
    ///     duration: 2.0,
    ///     tolerance: None,
    ///     bodies: vec![
    ///         body("block", BodyMotion::Still(Pose::IDENTITY)),
    ///         body("cart", BodyMotion::Screw(Screw::translation(start, DVec3::new(-4.0, 0.0, 0.0)))),
    ///     ],
    ///     ignore: vec![],
    /// })?;
    /// let report = scene.check(&CheckOptions::default(), &|| ())?;
    /// assert_eq!(report.verdict, PairVerdict::Contact);
    /// let [lo, hi] = report.pairs[0].intervals[0].enter;
    /// assert!((lo - 1.0).abs() < 1e-8 && (hi - 1.0).abs() < 1e-8);
    /// # Ok::<(), chasles::Error>(())
    /// ```
    pub fn check(&self, options: &CheckOptions, on_pair: &(dyn Fn() + Sync)) -> Result<SceneReport, Error> {
        let rows: Vec<Result<Row, Error>> = (0..self.bodies().len())
            .into_par_iter()
            .map(|a| {
                let later: Vec<_> = (a + 1..self.bodies().len())
                    .into_par_iter()
                    .filter_map(|b| {
                        let report = self.check_pair(a, b, options).transpose()?;
                        on_pair();
                        Some(report)
                    })
                    .collect();
                self.row(later, options.listed)
            })
            .collect();
        let mut report = SceneReport {
            verdict: PairVerdict::Clear,
            pairs_tested: 0,
            pairs_clear: 0,
            pairs: Vec::new(),
            tolerance: self.tolerance(),
            clear_until: self.duration(),
        };
        for row in rows {
            let row = row?;
            report.pairs_tested += row.tested;
            report.pairs_clear += row.clear;
            report.clear_until = report.clear_until.min(row.clear_until);
            report.verdict = report.verdict.max(row.worst);
            report.pairs.extend(row.pairs);
        }
        Ok(report)
    }

    /// How many pairs [`Scene::check`] tests.
    #[must_use]
    pub fn count_tested_pairs(&self) -> usize {
        let count = self.bodies().len();
        (0..count).map(|a| (a + 1..count).filter(|b| self.is_tested(a, *b)).count()).sum()
    }

    fn row(&self, pairs: Vec<Result<PairReport, Error>>, listed: Listed) -> Result<Row, Error> {
        let mut row = Row {
            tested: pairs.len(),
            clear: 0,
            clear_until: self.duration(),
            worst: PairVerdict::Clear,
            pairs: Vec::new(),
        };
        for pair in pairs {
            let pair = pair?;
            row.worst = row.worst.max(pair.verdict);
            row.clear_until = row.clear_until.min(pair.clear_until);
            let clear = pair.verdict == PairVerdict::Clear;
            row.clear += usize::from(clear);
            if !clear || listed == Listed::All {
                row.pairs.push(pair);
            }
        }
        Ok(row)
    }

    /// The answer about one pair; `None` where it is not tested.
    fn check_pair(&self, a: usize, b: usize, options: &CheckOptions) -> Result<Option<PairReport>, Error> {
        let shapes = (&self.bodies[a].shape, &self.bodies[b].shape);
        let deviation = shapes.0.deviation() + shapes.1.deviation();
        let mut report = PairReport::clear([a, b], deviation, self.duration());
        let relative = match self.pairing(a, b) {
            Pairing::Untested => return Ok(None),
            Pairing::Screws(relative) => relative,
            Pairing::Several => {
                report.verdict = PairVerdict::Undecided;
                report.clear_until = 0.0;
                report.unknown = vec![[0.0, self.duration()]];
                report.doubt = Some(PairDoubt::SeveralMotions);
                return Ok(Some(report));
            }
        };
        let query =
            Options { tolerance: Some(self.tolerance()), budget: options.budget, ..Options::default() };
        let found = if deviation > 0.0 {
            round_intervals(shapes, &relative.track, &query)?
        } else {
            let joined = joined_intervals((shapes.0.body(), shapes.1.body()), &relative.track, &query)?;
            let unknown = joined.unknown.iter().map(|doubt| doubt.map(PairDoubt::from)).collect();
            RoundFound { met: joined.met, unknown, start: joined.start }
        };
        let doubtful_from = found.unknown.iter().map(|doubt| doubt.from);
        let begins = found.met.iter().map(|met| met.enter[0]);
        report.clear_until = doubtful_from.chain(begins).fold(self.duration(), f64::min);
        report.verdict = match (found.met.is_empty(), found.start) {
            (_, AtStart::Overlapping) => PairVerdict::Overlapping,
            (false, _) => PairVerdict::Contact,
            (true, _) if found.unknown.is_empty() => PairVerdict::Clear,
            (true, _) => PairVerdict::Undecided,
        };
        let wide = (deviation > 0.0 && !found.met.is_empty()).then_some(PairDoubt::Deviation);
        report.doubt = found.unknown.first().map(|doubt| doubt.why).or(wide);
        report.unknown = found.unknown.iter().map(|doubt| [doubt.from, doubt.to]).collect();
        report.intervals = found.met.iter().map(|met| self.interval(met, [a, b], &relative)).collect();
        Ok(Some(report))
    }

    /// An interval with its contact in the world.
    fn interval(&self, met: &Met, [a, b]: [usize; 2], relative: &Relative) -> SceneInterval {
        let contact = met.contact.map(|(contact, piece)| {
            let piece = &relative.track.0[piece];
            let time = piece.not_before(contact.time[1]);
            let world = self.pose_at(b, time);
            let (moving, standing, seen) =
                if relative.b_moves { (b, a, piece.screw.inverse()) } else { (a, b, piece.screw) };
            let (axis, frame) = (seen.axis(), self.pose_at(standing, time));
            SceneContact {
                contact: Contact {
                    time: met.enter,
                    point: world.transform_point(contact.point),
                    normal: world.transform_vector(contact.normal).normalize_or_zero(),
                    approach_speed: contact.approach_speed / (piece.end - piece.begin),
                    ..contact
                },
                moving,
                standing,
                axis: ScrewAxis {
                    direction: frame.transform_vector(axis.direction),
                    point: axis.point.map(|point| frame.transform_point(point)),
                    ..axis
                },
                span: [piece.begin, piece.end],
            }
        });
        SceneInterval { enter: met.enter, exit: met.exit, contact, touching: met.touching }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use glam::{DQuat, DVec3};

    use super::*;
    use crate::motion::{Pose, Screw};
    use crate::scene::definition::{BodyMotion, SceneBody, SceneDefinition, SceneShape};
    use crate::shape::Primitive;

    fn cube(name: &str, motion: BodyMotion) -> SceneBody {
        let shape = SceneShape::primitive(Primitive::Box { size: DVec3::ONE }).unwrap();
        SceneBody { name: name.into(), shape, motion, parent: None, group: None }
    }

    fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose::from_position(DVec3::new(x, y, z)).unwrap()
    }

    /// Cubes in a row at distance 3 above which one swings; `swinger` is its place in the list.
    fn row_of_cubes(swinger: usize) -> Scene {
        let mut bodies: Vec<_> = (0..4)
            .map(|i| cube(&format!("c{i}"), BodyMotion::Still(at(3.0 * f64::from(i), 0.0, 0.0))))
            .collect();
        // Half a turn about a level axis, down between the second cube and the third, and up again.
        let screw = Screw::about(at(3.1, 0.1, 2.0), -DVec3::Y, DVec3::new(4.6, 0.0, 2.0), 0.0, PI).unwrap();
        bodies.insert(swinger, cube("swinger", BodyMotion::Screw(screw)));
        Scene::new(SceneDefinition { duration: 4.0, tolerance: None, bodies, ignore: vec![] }).unwrap()
    }

    #[test]
    fn the_place_of_the_swinger_in_the_list_changes_only_the_normal() {
        let first = row_of_cubes(0).check(&CheckOptions::default(), &|| ()).unwrap();
        let last = row_of_cubes(4).check(&CheckOptions::default(), &|| ()).unwrap();
        assert_eq!((first.pairs_tested, last.pairs_tested), (4, 4));
        assert_eq!((first.pairs.len(), last.pairs.len()), (2, 2));
        for (x, y) in first.pairs.iter().zip(&last.pairs) {
            let [i, j] = [&x.intervals[0], &y.intervals[0]];
            assert!((i.enter[1] - j.enter[1]).abs() < 1e-9);
            let [c, d] = [i.contact.unwrap(), j.contact.unwrap()];
            assert!(c.contact.point.distance(d.contact.point) < 1e-7, "{c:?} {d:?}");
            assert!(c.contact.normal.distance(-d.contact.normal) < 1e-7);
            // Whichever is A: the swinger turns about the same line in the world, by as much.
            assert_eq!((c.moving, c.standing, d.moving, d.standing), (0, x.bodies[1], 4, y.bodies[0]));
            for axis in [c.axis, d.axis] {
                assert!(axis.direction.distance(-DVec3::Y) < 1e-12 && (axis.angle - PI).abs() < 1e-12);
                let off = axis.point.unwrap() - DVec3::new(4.6, 0.0, 2.0);
                assert!(off.x.hypot(off.z) < 1e-12);
            }
            assert_eq!(c.span, [0.0, 4.0]);
        }
    }

    #[test]
    fn place_and_speed_are_those_of_the_world() {
        // In a world that is turned and far away: from x' = 3 at 2 m/s along x'.
        let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 2.0) / 3.0, 1.0);
        let world = Pose::new(DVec3::new(100.0, -50.0, 20.0), turn).unwrap();
        let start = world.compose(&at(3.0, 0.2, 0.1));
        let screw = Screw::translation(start, turn * DVec3::new(-4.0, 0.0, 0.0));
        let bodies = vec![cube("wall", BodyMotion::Still(world)), cube("cart", BodyMotion::Screw(screw))];
        let definition = SceneDefinition { duration: 2.0, tolerance: Some(1e-7), bodies, ignore: vec![] };
        let scene = Scene::new(definition).unwrap();
        let report = scene.check(&CheckOptions::default(), &|| ()).unwrap();
        let contact = report.pairs[0].intervals[0].contact.unwrap().contact;
        let local = world.inverse().transform_point(contact.point);
        assert!((local.x - 0.5).abs() < 1e-6 && local.abs().max_element() < 0.7, "{local}");
        assert!(contact.normal.distance(turn * DVec3::X) < 1e-9);
        assert!(
            (contact.approach_speed - 2.0).abs() < 1e-9 && contact.time == report.pairs[0].intervals[0].enter
        );
        assert!((contact.time[1] - 1.0).abs() < 1e-6 && report.clear_until == contact.time[0]);
    }

    #[test]
    fn verdicts_listing_and_progress() {
        let count = AtomicUsize::new(0);
        let scene = row_of_cubes(2);
        let all = CheckOptions { listed: Listed::All, ..CheckOptions::default() };
        let report = scene.check(&all, &|| _ = count.fetch_add(1, Ordering::Relaxed)).unwrap();
        assert_eq!((report.pairs.len(), count.into_inner(), scene.count_tested_pairs()), (4, 4, 4));
        assert_eq!(report.verdict, PairVerdict::Contact);
        let met = report.pairs.iter().filter(|pair| pair.verdict == PairVerdict::Contact).count();
        assert_eq!((report.pairs_clear, report.pairs_clear + met), (2, 4));
        let none = CheckOptions { budget: 1, ..CheckOptions::default() };
        let report = scene.check(&none, &|| ()).unwrap();
        assert_eq!(report.verdict, PairVerdict::Undecided);
        assert_eq!(report.pairs[0].doubt, Some(PairDoubt::Budget));
    }

    #[test]
    fn two_motions_at_once_are_undecided_not_guessed() {
        let moves = |x| BodyMotion::Screw(Screw::translation(at(x, 0.0, 0.0), DVec3::X));
        let bodies = vec![cube("a", moves(0.0)), cube("b", moves(50.0))];
        let definition = SceneDefinition { duration: 1.0, tolerance: None, bodies, ignore: vec![] };
        let report = Scene::new(definition).unwrap().check(&CheckOptions::default(), &|| ()).unwrap();
        assert_eq!(report.verdict, PairVerdict::Undecided);
        assert_eq!(report.pairs[0].doubt, Some(PairDoubt::SeveralMotions));
        assert_eq!((report.pairs[0].clear_until, report.clear_until), (0.0, 0.0));
    }
}
