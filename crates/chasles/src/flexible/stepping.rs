//! One step of flexible bodies: half of the forces, a drift along straight lines, and the other half of the forces,
//! with contact impulses before and after the drift (velocity Verlet). Surfaces never pass through each other: this
//! is proven for each drift before it counts.

use glam::DVec3;

use crate::error::{Error, ErrorKind};
use crate::flexible::checks::{around, validate};
use crate::flexible::definition::{ContactModel, FlexibleState, Given, VertexImpact};
use crate::flexible::law::PenaltyLaws;
use crate::flexible::points::FlexibleBodyData;
use crate::flexible::rows::{FlexibleContactRow, solve};
use crate::flexible::surroundings::{NeighbourSurfaces, SelfStepOutcome, StaticTriangles, StepEvent};
use crate::flexible::touch::{Velocities, VertexContact};
use crate::flexible::zones::RigidZones;
use crate::impulses::problem::Friction;
use crate::shape::Mesh;

/// The gap at which contacts rest, as a fraction of the depth.
const REST: f64 = 0.25;

/// A contact inside the rest gap recovers this fraction of the missing gap per step, by velocities that are not kept.
const APART: f64 = 0.2;

/// Contacts rebound only from approach speeds above `GENTLE` times the speed that gravity, or loaded springs, add in
/// a step, and above `SLOWEST`, in metres per second.
const GENTLE: f64 = 4.0;
const SLOWEST: f64 = 1e-4;

/// A step is cut at a fast contact, but not to less than this fraction: an earlier contact rebounds from where it is.
const CUT: f64 = 1.0 / 16.0;

/// Maximum numbers: tries of a step, event searches before it is halved, halvings before colliding vertices are
/// stopped, and rounds that join colliding vertices before all are stopped.
const TRIES: usize = 200;
const LOOKS: usize = 8;
const HALVES: usize = 3;
const ROUNDS: usize = 40;

/// An energy difference below this fraction of its terms is zero.
const ROUNDING: f64 = 1e-12;

/// Maximum number of steps for the duration of a scene.
const STEPS: f64 = 1e9;

/// The outcome of a step.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FlexibleStepOutcome {
    Done(Vec<VertexImpact>),
    /// Every step would make these bodies pass through each other.
    Stuck([usize; 2]),
}

/// Flexible bodies at one time.
#[derive(Debug, Clone)]
pub(super) struct FlexibleStepState {
    points: Vec<FlexibleBodyData>,
    surroundings: NeighbourSurfaces,
    /// By body of the scene: restitution and friction.
    surfaces: Vec<(f64, Friction)>,
    gravity: DVec3,
    /// The longest step, in seconds.
    longest: f64,
    depth: f64,
    answer: ContactModel,
    pub(super) time: f64,
    pub(super) places: Vec<Vec<DVec3>>,
    pub(super) velocities: Velocities,
    accelerations: Velocities,
    near: Vec<VertexContact>,
    laws: PenaltyLaws,
    /// The energy that contacts received and damping dissipated, in joules.
    taken: f64,
}

/// A step that is being tried.
struct Tried {
    velocities: Velocities,
    places: Vec<Vec<DVec3>>,
    rows: Vec<FlexibleContactRow>,
    /// The impacts of stopped vertices.
    stopped: Vec<VertexImpact>,
    laws: PenaltyLaws,
    taken: f64,
}

impl FlexibleStepState {
    /// Flexible bodies at their poses in the scene, or at a time in given states.
    ///
    /// # Errors
    /// Numbers out of range, and unsupported features, by body and name; surfaces that intersect at the start.
    pub(super) fn new(
        given: &Given<'_>,
        is_dynamic: &dyn Fn(usize) -> bool,
        from: Option<(f64, &[FlexibleState])>,
    ) -> Result<Self, Error> {
        validate(given)?;
        let scene = given.scene;
        let placed = |body: usize| {
            let pose = scene.pose_at(body, 0.0);
            let mesh = scene.bodies()[body].shape.as_ref()?.drawn();
            let places = (0_u32..).take(mesh.vertex_count());
            Some((mesh, places.map(|v| pose.transform_point(mesh.vertex(v))).collect::<Vec<DVec3>>()))
        };
        let mut meshes: Vec<(Mesh, usize)> = Vec::new();
        let (mut points, mut places, mut velocities) = (Vec::new(), Vec::new(), Vec::new());
        let mut standing = Vec::new();
        for (number, own) in given.bodies.iter().enumerate() {
            let Some((mesh, rest)) = placed(own.body) else { continue };
            let body = FlexibleBodyData::new(own, mesh, &rest);
            if scene.duration() / body.longest() > STEPS {
                let expected = "one that asks for steps of at least a billionth of the duration";
                let place = format!("stiffness of body {:?}", scene.bodies()[own.body].name);
                return Error::out_of_range(own.stiffness, expected, place);
            }
            velocities.push(body.rigid(&rest, own.linear, own.angular));
            points.push(body);
            meshes.push((mesh.clone(), own.body));
            places.push(rest);
            let mut beside = StaticTriangles::default();
            for other in around(given, number, is_dynamic)? {
                if let Some((mesh, places)) = placed(other) {
                    beside.add(other, mesh, &places);
                }
            }
            standing.push(beside);
        }
        let mut time = 0.0;
        if let Some((from, states)) = from {
            time = from;
            places = states.iter().map(|state| state.vertices.clone()).collect();
            velocities = states.iter().map(|state| state.velocities.clone()).collect();
        }
        let surroundings = NeighbourSurfaces::new(&meshes, standing, &|a, b| !scene.is_exempt(a, b))?;
        let weight = given.gravity.length();
        let longest = points.iter().map(FlexibleBodyData::longest).fold(given.step, f64::min);
        let mut station = Self {
            accelerations: Vec::new(),
            points,
            surroundings,
            surfaces: given.surfaces.to_vec(),
            gravity: given.gravity,
            longest,
            depth: given.depth,
            answer: given.answer,
            time,
            places,
            velocities,
            near: Vec::new(),
            laws: PenaltyLaws::new(given.depth, weight),
            taken: 0.0,
        };
        station.check_begin(given)?;
        station.accelerations = station.accelerated(&station.places);
        station.near = station.surroundings.near_features(&station.places, station.depth, &[])?;
        station.update_laws();
        Ok(station)
    }

    /// Rejects surfaces that intersect at their positions.
    fn check_begin(&mut self, given: &Given<'_>) -> Result<(), Error> {
        let Some(body) = self.surroundings.meeting(&self.places)? else { return Ok(()) };
        let name = &given.scene.bodies()[body].name;
        let kind =
            ErrorKind::NotBuilt("a flexible body whose surface meets itself or another at the start is");
        Err(Error::new(kind, format!("start of body {name:?}")))
    }

    fn inverse(&self) -> Vec<&[f64]> {
        self.points.iter().map(|points| points.inverse.as_slice()).collect()
    }

    fn accelerated(&self, places: &[Vec<DVec3>]) -> Velocities {
        self.points.iter().zip(places).map(|(own, places)| own.accelerations(places, self.gravity)).collect()
    }

    fn kinetic_of(&self, velocities: &Velocities) -> f64 {
        self.points.iter().zip(velocities).map(|(own, velocities)| own.kinetic(velocities)).sum()
    }

    /// In joules.
    pub(super) fn kinetic(&self) -> f64 {
        self.kinetic_of(&self.velocities)
    }

    /// The energy of gravity and springs, in joules.
    pub(super) fn potential(&self) -> f64 {
        self.points.iter().zip(&self.places).map(|(own, places)| own.potential(places, self.gravity)).sum()
    }

    /// The energy that contacts and damping have dissipated since the start, in joules.
    pub(super) fn dissipated(&self) -> f64 {
        self.taken - self.laws.stored()
    }

    /// The states of all bodies for output.
    pub(super) fn states(&self) -> Vec<FlexibleState> {
        let all = self.points.iter().zip(self.places.iter().zip(&self.velocities));
        let told =
            |(points, (places, velocities)): (&FlexibleBodyData, (&Vec<DVec3>, &Vec<DVec3>))| FlexibleState {
                vertices: points.with_followers(places),
                velocities: points.with_followers(velocities),
            };
        all.map(told).collect()
    }

    /// Whether surfaces stay separated while vertices move straight.
    pub(super) fn is_apart(&mut self, begin: &[Vec<DVec3>], end: &[Vec<DVec3>]) -> Result<bool, Error> {
        Ok(self.surroundings.events(begin, end)? == SelfStepOutcome::Events(Vec::new()))
    }

    /// Makes one step, at most to the time `end`.
    pub(super) fn step(&mut self, end: f64) -> Result<FlexibleStepOutcome, Error> {
        let left = end - self.time;
        let whole = left / (left / self.longest - 1e-9).ceil().max(1.0);
        let mut duration = whole.min(self.longest_of_contacts());
        let (mut ahead, mut looks, mut halves) = (Vec::new(), 0, 0);
        let mut barrier = [self.points.first().map_or(0, |points| points.body); 2];
        for _ in 0..TRIES {
            if self.time + duration == self.time {
                break;
            }
            let mut tried = self.begin(duration, &ahead);
            let mut told = self.surroundings.events(&self.places, &tried.places)?;
            if halves >= HALVES && told != SelfStepOutcome::Events(Vec::new()) {
                told = self.stop(&mut tried, told, duration)?;
            }
            let met = match told {
                SelfStepOutcome::Events(met) => met,
                SelfStepOutcome::Unknown(bodies) => {
                    (barrier, duration, halves) = (bodies, 0.5 * duration, halves + 1);
                    ahead.clear();
                    continue;
                }
            };
            let Some(first) = met.first() else {
                let time = if duration >= left { end } else { self.time + duration };
                return Ok(FlexibleStepOutcome::Done(self.finish(tried, (time, duration))?));
            };
            barrier = first.touch.bodies;
            looks += 1;
            if let Some(cut) = self.cut(&met, &tried, (duration, &ahead)) {
                duration *= cut;
            } else if looks < LOOKS && add(&mut ahead, met, (&tried.velocities, duration)) {
                continue;
            } else {
                (duration, halves) = (0.5 * duration, halves + 1);
            }
            looks = 0;
            ahead.clear();
        }
        Ok(FlexibleStepOutcome::Stuck(barrier))
    }

    /// Stops vertices that collide in a tried step, and those they then collide with, until none do.
    fn stop(
        &mut self,
        tried: &mut Tried,
        mut told: SelfStepOutcome,
        duration: f64,
    ) -> Result<SelfStepOutcome, Error> {
        let mut zones = RigidZones::new(&tried.velocities);
        let free = tried.velocities.clone();
        for _ in 0..ROUNDS {
            match &told {
                SelfStepOutcome::Events(met) if met.is_empty() => break,
                SelfStepOutcome::Events(met) => met.iter().for_each(|met| zones.join(&met.touch)),
                SelfStepOutcome::Unknown(_) => break,
            }
            tried.velocities.clone_from(&free);
            zones.stop(&mut tried.velocities, &self.inverse());
            tried.places.clone_from(&self.places);
            kick(&mut tried.places, &tried.velocities, duration);
            told = self.surroundings.events(&self.places, &tried.places)?;
        }
        if told != SelfStepOutcome::Events(Vec::new()) {
            // Without motion there are no events.
            tried.velocities.iter_mut().flatten().for_each(|velocity| *velocity = DVec3::ZERO);
            tried.places.clone_from(&self.places);
            told = self.surroundings.events(&self.places, &tried.places)?;
        }
        let time = self.time + duration;
        tried.stopped = zones.impacts(&self.points, [&free, &tried.velocities], time);
        tried.taken = self.lost([&self.velocities, &tried.velocities], 0.5 * duration);
        Ok(told)
    }

    /// The fraction of a step at which its first fast contact occurs, if that is unanswered and not too early.
    fn cut(
        &self,
        met: &[StepEvent],
        tried: &Tried,
        (duration, ahead): (f64, &[VertexContact]),
    ) -> Option<f64> {
        let gap = match self.answer {
            ContactModel::Impulses => 0.5 * self.depth,
            ContactModel::Springs => self.laws.engagement_gap(),
        };
        let known = |met: &StepEvent| {
            let is_same = |touch: &VertexContact| touch.key == met.touch.key;
            ahead.iter().any(is_same) || tried.rows.iter().any(|row| is_same(&row.touch))
        };
        let cut = |met: &StepEvent| {
            let speed = -met.touch.opening(&tried.velocities);
            let share = met.time - gap / (speed * duration);
            let is_violent = self.answer == ContactModel::Springs || speed > self.gentle(&met.touch);
            (speed > 0.0 && is_violent && share >= CUT).then_some(share)
        };
        met.iter().filter(|met| !known(met)).filter_map(cut).reduce(f64::min)
    }

    /// The approach speed below which a contact does not rebound: it would be back within a few steps.
    fn gentle(&self, touch: &VertexContact) -> f64 {
        let pressed = (-touch.opening(&self.accelerations)).max(self.gravity.length());
        (GENTLE * pressed * self.longest).max(SLOWEST)
    }

    fn longest_of_contacts(&self) -> f64 {
        match self.answer {
            ContactModel::Impulses => f64::INFINITY,
            ContactModel::Springs => {
                let elasticity = |touch: &VertexContact| self.surface(touch).0;
                self.laws.longest(&self.near, &elasticity, (&self.velocities, &self.inverse()))
            }
        }
    }

    /// The restitution and the friction of a contact.
    fn surface(&self, touch: &VertexContact) -> (f64, Friction) {
        let [(e, f), (g, h)] = touch.bodies.map(|body| self.surfaces[body]);
        (e.min(g), f.rougher(h))
    }

    /// The first half of the forces, with contacts, and the drift.
    fn begin(&self, duration: f64, ahead: &[VertexContact]) -> Tried {
        let mut before = self.velocities.clone();
        for ((own, places), velocities) in self.points.iter().zip(&self.places).zip(&mut before) {
            own.damp(places, velocities, duration);
        }
        let mut velocities = before.clone();
        kick(&mut velocities, &self.accelerations, 0.5 * duration);
        let known = |touch: &&VertexContact| !ahead.iter().any(|own| own.key == touch.key);
        let touches = self.near.iter().filter(known).chain(ahead);
        let mut rows: Vec<FlexibleContactRow> =
            touches.filter_map(|touch| self.row_before(touch, (&before, &velocities), duration)).collect();
        let mut laws = self.laws.clone();
        self.settle(&mut rows, (&before, &mut velocities), &mut laws);
        let taken = self.lost([&self.velocities, &velocities], 0.5 * duration);
        let mut drift = velocities.clone();
        self.part(&rows, &mut drift, duration);
        let mut places = self.places.clone();
        kick(&mut places, &drift, duration);
        Tried { velocities, places, rows, stopped: Vec::new(), laws, taken }
    }

    /// The minimum and maximum impulse of a contact's spring in half a step, from the velocities before and after the
    /// other forces; `None`: it has no spring.
    fn sprung(&self, touch: &VertexContact, duration: f64, velocities: [&Velocities; 2]) -> Option<[f64; 2]> {
        let own = (touch.answer(&self.inverse()), self.surface(touch).0);
        self.laws.asked(touch, 0.5 * duration, own, velocities)
    }

    /// The row of a contact before the drift.
    fn row_before(
        &self,
        touch: &VertexContact,
        (before, kicked): (&Velocities, &Velocities),
        duration: f64,
    ) -> Option<FlexibleContactRow> {
        let (elasticity, friction) = self.surface(touch);
        let rest = REST * self.depth;
        let plain = -(touch.gap - rest).max(0.0) / duration;
        let mut row = FlexibleContactRow::new(touch.clone(), plain, friction);
        match self.answer {
            ContactModel::Impulses => {
                let speed = -touch.opening(before);
                if speed > self.gentle(touch) && touch.gap + duration * touch.opening(kicked) <= rest {
                    // It rebounds, and then the forces act.
                    let forced = touch.opening(kicked) - touch.opening(before);
                    row.target = (elasticity * speed + forced).max(plain);
                }
            }
            ContactModel::Springs => match self.sprung(touch, duration, [before, kicked]) {
                Some(between) => (row.target, row.between) = (0.0, between),
                // It is outside its zone, and is only kept from passing through.
                None => row.target = -0.5 * touch.gap / duration,
            },
        }
        Some(row)
    }

    /// The energy, in joules, that contacts and damping dissipated when velocities changed from the first to the
    /// second, and forces acted for a time. Forces work along the mean velocity, so work that contacts take back at
    /// once is no loss.
    fn lost(&self, [before, after]: [&Velocities; 2], time: f64) -> f64 {
        let all = self.points.iter().zip(&self.accelerations).zip(before.iter().zip(after));
        let given = all.map(|((own, rates), (before, after))| own.work(rates, (before, after), time));
        let (first, second) = (self.kinetic_of(before), self.kinetic_of(after));
        let lost = given.sum::<f64>() + first - second;
        if lost.abs() > ROUNDING * (first + second) { lost } else { 0.0 }
    }

    /// Solves the rows after forces that changed the velocities.
    fn settle(
        &self,
        rows: &mut Vec<FlexibleContactRow>,
        (before, velocities): (&Velocities, &mut Velocities),
        laws: &mut PenaltyLaws,
    ) {
        if rows.is_empty() {
            return;
        }
        let inverse = self.inverse();
        let kicked = velocities.clone();
        solve(rows, velocities, &inverse);
        let allowed = self.kinetic_of(before).max(self.kinetic_of(&kicked)) + laws.stored();
        if self.kinetic_of(velocities) > allowed {
            // Rebounds with friction, or at a vertex with many contacts, created energy. Without rebounds and
            // friction there is none.
            velocities.clone_from(&kicked);
            for row in &mut *rows {
                let most = row.between[1];
                *row = FlexibleContactRow::new(
                    row.touch.clone(),
                    row.target.min(0.0),
                    Friction::Coefficient(0.0),
                );
                row.between = [0.0, most];
            }
            solve(rows, velocities, &inverse);
        }
        laws.enter(rows, &|touch| self.surface(touch).0, [before, velocities]);
    }

    /// Separates contacts that are closer than the rest gap, or than springs allow, by velocities of the drift only.
    fn part(&self, rows: &[FlexibleContactRow], drift: &mut Velocities, duration: f64) {
        let rest = match self.answer {
            ContactModel::Impulses => REST * self.depth,
            ContactModel::Springs => self.laws.closed(),
        };
        if !rows.iter().any(|row| row.touch.gap < rest) {
            return;
        }
        let asked = |row: &FlexibleContactRow| {
            let lacks = rest - row.touch.gap;
            let speed = if lacks > 0.0 { APART * lacks / duration } else { lacks / duration };
            FlexibleContactRow::new(row.touch.clone(), speed, Friction::Coefficient(0.0))
        };
        let mut rows: Vec<FlexibleContactRow> = rows.iter().map(asked).collect();
        solve(&mut rows, drift, &self.inverse());
    }

    /// The other half of the forces, with contacts, at the end of a drift.
    fn finish(&mut self, tried: Tried, (time, duration): (f64, f64)) -> Result<Vec<VertexImpact>, Error> {
        let Tried { velocities: before, places, rows, stopped, laws, taken } = tried;
        let strikes = |rows: &[FlexibleContactRow]| -> Vec<VertexImpact> {
            let bearing = rows
                .iter()
                .filter(|row| row.impulse != DVec3::ZERO && row.touch.bodies[0] != row.touch.bodies[1]);
            bearing.map(|row| row.strike(time)).collect()
        };
        let mut found = strikes(&rows);
        found.extend(stopped);
        let known: Vec<VertexContact> = rows.iter().map(|row| row.touch.clone()).collect();
        self.near = self.surroundings.near_features(&places, self.depth, &known)?;
        self.accelerations = self.accelerated(&places);
        (self.places, self.laws) = (places, laws);
        let mut velocities = before.clone();
        kick(&mut velocities, &self.accelerations, 0.5 * duration);
        let mut rows: Vec<FlexibleContactRow> = self
            .near
            .iter()
            .filter_map(|touch| self.row_after(touch, (&before, &velocities), duration))
            .collect();
        let mut laws = std::mem::replace(&mut self.laws, PenaltyLaws::new(self.depth, 0.0));
        self.settle(&mut rows, (&before, &mut velocities), &mut laws);
        self.taken += taken + self.lost([&before, &velocities], 0.5 * duration);
        found.extend(strikes(&rows));
        (self.velocities, self.laws, self.time) = (velocities, laws, time);
        // Contacts that entered the zone in this step are pushed from now on: it was too long for their springs.
        self.update_laws();
        Ok(found)
    }

    fn update_laws(&mut self) {
        if self.answer == ContactModel::Springs {
            let inverse: Vec<&[f64]> = self.points.iter().map(|points| points.inverse.as_slice()).collect();
            self.laws.update_contacts(&self.near, &self.velocities, &inverse);
        }
    }

    /// The row of a contact after the drift: a resting contact stays at rest.
    fn row_after(
        &self,
        touch: &VertexContact,
        (before, kicked): (&Velocities, &Velocities),
        duration: f64,
    ) -> Option<FlexibleContactRow> {
        let mut row = FlexibleContactRow::new(touch.clone(), 0.0, self.surface(touch).1);
        match self.answer {
            ContactModel::Impulses => {
                let is_resting = touch.gap <= 2.0 * REST * self.depth;
                (is_resting && -touch.opening(before) <= self.gentle(touch)).then_some(row)
            }
            ContactModel::Springs => {
                row.between = self.sprung(touch, duration, [before, kicked])?;
                Some(row)
            }
        }
    }
}

/// Adds the contacts of a step to the anticipated ones; returns whether any are new.
fn add(
    ahead: &mut Vec<VertexContact>,
    met: Vec<StepEvent>,
    (velocities, duration): (&Velocities, f64),
) -> bool {
    let mut is_new = false;
    for StepEvent { time, mut touch } in met {
        let speed = -touch.opening(velocities);
        match ahead.iter_mut().find(|own| own.key == touch.key) {
            // A contact that came too close must not come closer.
            Some(own) if own.gap > 0.0 => {
                own.gap = 0.0;
                is_new = true;
            }
            Some(_) => {}
            None if speed > 0.0 => {
                touch.gap = time * duration * speed;
                ahead.push(touch);
                is_new = true;
            }
            None => {}
        }
    }
    is_new
}

/// Adds `time` times `rates` to the values.
fn kick(values: &mut Velocities, rates: &Velocities, time: f64) {
    for (value, rate) in values.iter_mut().flatten().zip(rates.iter().flatten()) {
        *value += time * *rate;
    }
}
