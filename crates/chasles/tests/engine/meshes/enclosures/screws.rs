//! A mesh that passes another along a screw: between two poses, or about an axis that is given by any of its points.

use std::sync::Arc;

use chasles::{
    BodyMotion, CheckOptions, CollisionShape, Contact, ContactFeatures, Mesh, Outcome, PairVerdict, Pose,
    Prediction, PreparedMesh, Primitive, Scene, SceneBody, SceneDefinition, SceneReport, Screw, all_contacts,
    any_contact, first_contact,
};
use glam::{DQuat, DVec3};
use num_bigint::BigInt;

use crate::exact::passing::Surface;
use crate::exact::rational::{Frame, Ratio, Unit};
use crate::exact::turning::{Meeting, Turned, Turning, placed};
use crate::exact::{double, time, times};
use crate::meshes::enclosures::shapes::{Far, Kind, Placed, moved, single, tetrahedron};
use crate::meshes::enclosures::translation::Translation;
use crate::meshes::enclosures::verdict::{EPS, Verdict, is_blurred, touches, widest};
use chasles_testing::Random;

/// The motion of A.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// To this pose.
    To(DVec3, DQuat),
    /// About an axis.
    About { direction: DVec3, point: DVec3, slide: f64, angle: f64 },
}

/// A case with its truth; positions and the start describe a translation, whose end is ignored.
pub struct Known {
    case: Translation,
    way: Way,
    turned: Turned,
    meetings: Vec<Meeting>,
    /// Whether the surfaces intersect at the start.
    inside: bool,
}

impl Known {
    /// `None` if the truth cannot be decided.
    fn new(case: Translation, way: Way) -> Option<Self> {
        let lengths = case.a.0.iter().chain(&case.b.0).chain([&case.from]);
        let unit = Unit::of(lengths.flat_map(|v| v.to_array()));
        let frame = Frame::new(unit, case.from, case.turn);
        let still = Frame::new(unit, DVec3::ZERO, DQuat::IDENTITY);
        let surface = |frame: &Frame, (vertices, faces): &(Vec<DVec3>, Vec<[u32; 3]>)| {
            Surface::new(vertices.iter().map(|v| placed(frame, unit, *v)).collect(), faces)
        };
        let screw = match way {
            Way::To(position, turn) => Turning::between([case.from, position], [case.turn, turn])?,
            Way::About { direction, point, slide, angle } => Turning::about(direction, point, slide, angle),
        };
        let turned = Turned { a: surface(&frame, &case.a), b: surface(&still, &case.b), screw };
        let meetings = turned.meetings()?;
        let inside = turned.at(0.0).intersects(&Ratio::of(0.0));
        Some(Self { case, way, turned, meetings, inside })
    }

    /// The first meeting, if it is suitable for a test.
    fn first(&self) -> Option<&Meeting> {
        let first = self.meetings.first()?;
        let lead = double(&first.time[0]) * first.speed;
        (!self.inside && first.speed > 0.02 && lead > 10.0 * self.case.tolerance).then_some(first)
    }

    fn screw(&self) -> Screw {
        let start = Pose::new(self.case.from, self.case.turn).unwrap();
        match self.way {
            Way::To(position, turn) => Screw::between(start, Pose::new(position, turn).unwrap()),
            Way::About { direction, point, slide, angle } => {
                Screw::about(start, direction, point, slide, angle).unwrap()
            }
        }
    }

    /// The largest coordinate; for a point far out on an axis, in proportion to the rotation.
    fn reach(&self) -> f64 {
        match self.way {
            Way::To(position, _) => self.case.reach() + position.length(),
            Way::About { point, angle, .. } => {
                self.case.reach() + (1.0 + angle.abs()) * (1.0 + point.length())
            }
        }
    }

    fn is_held(&self, [lo, hi]: [f64; 2], meeting: &Meeting) -> bool {
        time(lo) <= meeting.time[1] && meeting.time[0] <= time(hi)
    }

    fn width(&self, meeting: &Meeting) -> f64 {
        widest(meeting.speed, self.reach()).min(1e-3)
    }

    fn doubt(&self, clear_until: f64, truth: &Meeting) -> Verdict {
        if !is_blurred(self.reach(), self.case.tolerance) {
            return Err(format!("undecided, clear until {clear_until:?}, though rounding is small"));
        }
        let before = time(clear_until) <= truth.time[1];
        let told = double(&truth.time[0]);
        before.then_some(()).ok_or_else(|| format!("clear until {clear_until:?}, they meet at {told:?}"))
    }

    fn judge_first(&self, found: &Prediction) -> Verdict {
        let first = self.first().unwrap();
        let contact = match &found.outcome {
            Outcome::Contact(contact) => contact,
            Outcome::Undecided { clear_until, .. } => return self.doubt(*clear_until, first),
            other => return Err(format!("{other:?}, they meet at {:?}", double(&first.time[0]))),
        };
        let [lo, hi] = contact.time;
        if hi - lo > self.width(first) {
            return Err(format!(
                "time [{lo:?}, {hi:?}] is {:.2e} wide, {:.2e} would do",
                hi - lo,
                self.width(first)
            ));
        }
        if self.is_held(contact.time, first) {
            let own = |m: &Meeting| m.features == contact.features && self.is_held(contact.time, m);
            let named = contact.touching || self.meetings.iter().any(own);
            return named
                .then_some(())
                .ok_or_else(|| format!("{:?} do not meet in {lo:?}, {hi:?}", contact.features));
        }
        self.off(contact, first, |t| self.turned.gap_squared(t))
    }

    /// The error of a contact that does not contain a meeting, or only touches.
    fn off(&self, contact: &Contact, meeting: &Meeting, gap_squared: impl Fn(f64) -> Ratio) -> Verdict {
        let [lo, hi] = contact.time;
        let truth = double(&meeting.time[0]);
        let [late, early] = [double(&(time(lo) - &meeting.time[0])), double(&(&meeting.time[0] - time(hi)))];
        let rounding = EPS * self.reach();
        let reason = format!(
            "{:?} [{lo:?}, {hi:?}] off by {:.2e}, {:.2e} m of the way, eps reach {rounding:.2e} m, truth {truth:?}",
            contact.features,
            late.max(early),
            late.max(early) * meeting.speed,
        );
        if !contact.touching || late > 0.0 {
            return Err(reason);
        }
        touches(contact.time, self.case.tolerance, gap_squared).map_err(|more| format!("{reason}, {more}"))
    }

    pub fn ask_first(&self) -> Verdict {
        let (a, b) = self.case.bodies();
        self.judge_first(&first_contact(&a, &b, &self.screw(), &self.case.options()).unwrap())
    }

    /// Checks any contact, and all contacts: each reported contact is a meeting, and each meeting is reported.
    pub fn ask_all(&self) -> Verdict {
        let (a, b) = self.case.bodies();
        let found = all_contacts(&a, &b, &self.screw(), &self.case.options()).unwrap();
        self.judge_first(&found)?;
        let any = match any_contact(&a, &b, &self.screw(), &self.case.options()).unwrap().outcome {
            Outcome::Contact(contact) => Some(contact),
            Outcome::Undecided { clear_until, .. } => {
                return self.doubt(clear_until, self.first().unwrap());
            }
            other => return Err(format!("any: {other:?}")),
        };
        if matches!(found.outcome, Outcome::Undecided { .. }) {
            return Ok(());
        }
        for contact in found.contacts.iter().chain(&any) {
            let mut own = self.meetings.iter().filter(|m| m.features == contact.features);
            if !own.clone().any(|m| self.is_held(contact.time, m)) {
                let gap = |t: f64| {
                    let still = self.turned.at(t);
                    still.feature_gap_squared(contact.features, &Ratio::of(0.0))
                };
                match own.next() {
                    Some(nearest) if !contact.touching => self.off(contact, nearest, gap)?,
                    None if !contact.touching => return Err(format!("{:?} never meet", contact.features)),
                    _ => touches(contact.time, self.case.tolerance, gap)?,
                }
            }
        }
        // A meeting so close to the end that it may be after it need not be reported.
        for meeting in
            self.meetings.iter().filter(|m| double(&m.time[0]) * m.speed > 10.0 * self.case.tolerance)
        {
            let told = |contact: &Contact| {
                contact.features == meeting.features && self.is_held(contact.time, meeting)
            };
            let touch = |contact: &Contact| contact.features == meeting.features && contact.touching;
            if !found.contacts.iter().any(|contact| told(contact) || touch(contact)) {
                let own: Vec<_> = found
                    .contacts
                    .iter()
                    .filter(|c| c.features == meeting.features)
                    .map(|c| c.time)
                    .collect();
                return Err(format!(
                    "{:?} meet at {:?}, told is {own:?}",
                    meeting.features,
                    double(&meeting.time[0])
                ));
            }
        }
        Ok(())
    }

    /// A ball at A's origin, in a scene of some seconds, against the wide triangle.
    pub fn ask_ball(&self, radius: f64, duration: f64) -> Option<Verdict> {
        let lengths = Unit::of(self.case.from.to_array());
        let frame = Frame::new(lengths, self.case.from, self.case.turn);
        let centre = placed(&frame, lengths, DVec3::ZERO);
        let (bracket, speed) = self.turned.first_above(&centre, radius)?;
        let start = self.turned.first_above(&centre, radius + 1e-3)?;
        if speed < 0.2 || start.0[0] <= BigInt::ZERO {
            return None;
        }
        let ball = CollisionShape::primitive(Primitive::Sphere { radius }).unwrap();
        let report = self.scene(ball, duration);
        let truth = bracket.each_ref().map(|t| times(t, &time(duration)));
        let near = self.turned.first_above(&centre, radius + 1.06 * self.case.tolerance)?.0;
        let near = near.map(|t| times(&t, &time(duration)));
        let [pair] = &report.pairs[..] else {
            return Some(Err("MISSED, the ball's pair is not listed".into()));
        };
        if pair.verdict == PairVerdict::Undecided {
            let meeting = Meeting { time: bracket, features: NO_FEATURES, speed };
            return Some(self.doubt(pair.clear_until / duration, &meeting));
        }
        let Some(interval) = pair.intervals.first() else { return Some(Err("no interval".into())) };
        let [lo, hi] = interval.enter;
        let width = (widest(speed, self.reach()) + 8.0 * self.case.tolerance / speed).min(1e-3) * duration;
        let held = time(lo) <= truth[1] && time(hi) >= near[0] && hi - lo <= width;
        let told = [&near, &truth].map(|t| double(&t[0]));
        Some(held.then_some(()).ok_or_else(|| {
            format!(
                "ball: {:?} from [{lo:?}, {hi:?}], near and in contact from {told:?}, width {width:.2e}",
                pair.verdict
            )
        }))
    }

    fn scene(&self, moving: CollisionShape, duration: f64) -> SceneReport {
        let standing = Mesh::new(self.case.b.0.clone(), self.case.b.1.clone()).unwrap();
        let body = |name: &str, shape, motion| SceneBody {
            name: name.into(),
            shape: Some(shape),
            motion,
            parent: None,
            group: None,
            solid: false,
        };
        let standing = CollisionShape::mesh(Arc::new(PreparedMesh::new(standing)));
        let bodies = vec![
            body("moving", moving, BodyMotion::Screw(self.screw())),
            body("standing", standing, BodyMotion::Still(Pose::IDENTITY)),
        ];
        let tolerance = Some(self.case.tolerance);
        let scene = SceneDefinition { duration, tolerance, clearance: 0.0, bodies, ignore: vec![] };
        Scene::new(scene).unwrap().check(&CheckOptions::default(), &()).unwrap()
    }

    /// The same in a scene of some seconds.
    pub fn ask_scene(&self, duration: f64) -> Verdict {
        let moving = Mesh::new(self.case.a.0.clone(), self.case.a.1.clone()).unwrap();
        let report = self.scene(CollisionShape::mesh(Arc::new(PreparedMesh::new(moving))), duration);
        let first = self.first().unwrap();
        let truth = first.time.each_ref().map(|t| times(t, &time(duration)));
        let [pair] = &report.pairs[..] else { return Err("MISSED, the pair is not listed".into()) };
        if pair.verdict == PairVerdict::Undecided {
            return self.doubt(pair.clear_until / duration, first);
        }
        let enter = pair.intervals.first().ok_or("no interval")?.enter;
        let [lo, hi] = enter.map(time);
        if pair.verdict != PairVerdict::Contact || lo > truth[1] || hi < truth[0] {
            return Err(format!(
                "scene: {:?} from {enter:?}, they meet at {:?}",
                pair.verdict,
                double(&truth[0])
            ));
        }
        let width = self.width(first) * duration;
        (enter[1] - enter[0] <= width)
            .then_some(())
            .ok_or_else(|| format!("scene: {enter:?}, {width:.2e} would do"))
    }
}

/// The first case of a generator whose truth can be decided.
pub fn known(random: &mut Random, make: impl Fn(&mut Random) -> Option<Known>) -> Option<Known> {
    (0..TRIES).filter_map(|_| make(random)).find(|known| known.first().is_some())
}

const TRIES: usize = 50;

/// For a ball, which has no features.
const NO_FEATURES: ContactFeatures = ContactFeatures::Surfaces { a: None, b: None };

/// The screw about an axis in this direction that initially moves a point at `place` by `way`, and rotates by an
/// angle.
fn towards(direction: DVec3, (place, way): (DVec3, DVec3), angle: f64) -> Way {
    let unit = direction.normalize();
    let slide = unit.dot(way);
    let across = way - slide * unit;
    Way::About { direction, point: place + unit.cross(across) / angle, slide, angle }
}

/// Two triangles whose features of a given kind meet; one rotates as it moves.
pub fn features(random: &mut Random, kind: Kind, far: f64) -> Option<Known> {
    let placed = single(random, kind, 0.5);
    let way = placed.to;
    let case = moved(random, placed, Far(far), 1e-9);
    let place = case.b.0.iter().sum::<DVec3>() / 3.0;
    let angle = 10.0_f64.powf(random.within(-2.0, 0.5));
    let way = if random.below(2) == 0 {
        let sense = [-1.0, 1.0][random.below(2)];
        towards(3.0 * random.vector(1.0), (place, way), sense * angle)
    } else {
        // About the same place, which is not A's origin.
        let turn = DQuat::from_axis_angle(random.direction(), 0.5 * angle);
        let position = place + turn * (case.from - place) + way;
        Way::To(position, turn * case.turn)
    };
    Known::new(case, way)
}

/// A tetrahedron that descends on a wide triangle while it rotates about an axis. With `power`, the given point of
/// the axis is moved along the axis by two to this power, exactly.
pub fn about(random: &mut Random, power: Option<i32>) -> Option<Known> {
    let a = tetrahedron(random, 0.5);
    let corner = |random: &mut Random, x: f64, y: f64| DVec3::new(x, y, random.within(-0.5, 0.5));
    let (b, c, d) = (corner(random, -20.0, -15.0), corner(random, 20.0, -15.0), corner(random, 0.0, 25.0));
    let from = DVec3::new(random.within(-0.7, 0.7), random.within(-0.7, 0.7), random.within(1.5, 2.0));
    let placed = Placed { a, b: (vec![b, c, d], vec![[0, 1, 2]]), from, to: from };
    let mut case = moved(random, placed, Far(0.0), 1e-9);
    // Restores the wall's coordinates, which is simpler than an exact shift.
    (case.from, case.b.0) = (from, vec![b, c, d]);
    let direction =
        DVec3::from_array([0; 3].map(|_| [-1.0, 1.0][random.below(2)] * (1.0 + random.below(9) as f64)));
    let point = match power {
        Some(power) if power > 40 => DVec3::ZERO,
        _ => (random.vector(1.0) * 256.0).round() / 256.0,
    };
    let shift = power.map_or(0.0, |power| [-1.0, 1.0][random.below(2)] * 2.0_f64.powi(power));
    let moved = point + shift * direction;
    // The shift was exact.
    assert_eq!((moved - shift * direction, moved - point), (point, shift * direction));
    let sense = [-1.0, 1.0][random.below(2)];
    let angle = sense
        * 10.0_f64.powf(if power.is_some() { random.within(-0.3, 0.8) } else { random.within(-1.0, 1.2) });
    let slide = -sense.signum() * random.within(0.5, 2.0) * direction.z.signum() * sense;
    Known::new(case, Way::About { direction, point: moved, slide, angle })
}

/// How close a tetrahedron comes to a wide triangle that it passes on an arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bow {
    /// Within 0.05 to 0.9 tolerances, touching.
    Graze,
    /// 1.02 to 3 tolerances.
    Miss,
    /// Through it, by 10 to 1000 tolerances.
    Dip,
}

pub const BOWS: [Bow; 3] = [Bow::Graze, Bow::Miss, Bow::Dip];

/// A tetrahedron that rotates about an axis above a wide triangle, and is nearest to it at some time during the
/// motion.
pub fn bow(random: &mut Random, bow: Bow) -> Option<Known> {
    let a = tetrahedron(random, 0.5);
    let tolerance = [1e-9, 1e-7][random.below(2)];
    let turn = crate::meshes::enclosures::shapes::quaternion(random);
    let from = random.vector(0.5) + DVec3::Z;
    let corner = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let wide = |z: f64| vec![corner(-20.0, -15.0, z), corner(20.0, -15.0, z), corner(0.0, 25.0, z)];
    let direction = random.vector(1.0);
    let angle = random.within(0.5, 4.0) * [-1.0, 1.0][random.below(2)];
    let way = Way::About { direction, point: random.vector(1.0), slide: random.within(-0.5, 0.5), angle };
    let case = |z: f64| {
        let b = (wide(z), vec![[0, 1, 2]]);
        Translation { a: a.clone(), b, turn, from, to: from, tolerance }
    };
    let probe = Known::new(case(-4.0), way)?;
    let part = match bow {
        Bow::Graze => random.within(0.05, 0.9),
        Bow::Miss => random.within(1.02, 3.0),
        Bow::Dip => -random.within(10.0, 1000.0),
    };
    let least = double(&probe.turned.least_above()?) - 4.0;
    let known = Known::new(case(least - part * tolerance), way)?;
    // Well above at the start.
    let start = known.turned.at(0.0).gap_squared(&Ratio::of(0.0)).double().sqrt();
    (start > 1e-3 && !known.inside && known.meetings.is_empty() != (bow == Bow::Dip)).then_some(known)
}

impl Known {
    /// The requirements on an arc.
    pub fn ask_bow(&self, bow: Bow) -> Verdict {
        let (a, b) = self.case.bodies();
        let found = first_contact(&a, &b, &self.screw(), &self.case.options()).unwrap();
        match (bow, &found.outcome) {
            (Bow::Miss, Outcome::Clear) => Ok(()),
            (Bow::Graze | Bow::Dip, Outcome::Contact(contact)) if contact.touching => {
                if let Some(first) =
                    self.meetings.first().filter(|first| time(contact.time[0]) > first.time[1])
                {
                    return Err(format!(
                        "touching at {:?}, through at {:?}",
                        contact.time,
                        double(&first.time[0])
                    ));
                }
                touches(contact.time, self.case.tolerance, |t| self.turned.gap_squared(t))
            }
            (Bow::Dip, Outcome::Contact(contact)) => {
                let first = &self.meetings[0];
                let [lo, hi] = contact.time;
                let held = self.is_held(contact.time, first) && hi - lo <= 1e-3;
                held.then_some(())
                    .ok_or_else(|| format!("{:?}, through at {:?}", contact.time, double(&first.time[0])))
            }
            (_, other) => Err(format!("{other:?}")),
        }
    }
}
