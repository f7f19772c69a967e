//! One step of flexible bodies: half of the forces, a drift along straight lines, and the other half of the forces,
//! with contact impulses before and after the drift (velocity Verlet). Surfaces never pass through each other: this
//! is proven for each drift before it counts.

use glam::DVec3;

use crate::error::{Error, ErrorKind};
use crate::flexible::beside_round::RoundPairing;
use crate::flexible::checks::{static_bodies_around, validate};
use crate::flexible::definition::{ContactModel, FlexibleInput, FlexibleState, VertexImpact};
use crate::flexible::law::PenaltyLaws;
use crate::flexible::points::FlexibleBodyData;
use crate::flexible::rows::{FlexibleContactRow, solve};
use crate::flexible::surroundings::{NeighbourSurfaces, StaticTriangles, StepEvent, StepTest};
use crate::flexible::vertex_contact::{Velocities, VertexContact};
use crate::flexible::zones::RigidZones;
use crate::impulses::problem::{Friction, SurfaceProperties};
use crate::impulses::spring::ContactProperties;
use crate::round::support::Placed;
use crate::scene::Scene;
use crate::shape::Mesh;

/// The gap at which contacts rest, as a fraction of the depth.
const REST: f64 = 0.25;

/// A contact inside the rest gap recovers this fraction of the missing gap per step, by velocities that are not kept.
const RECOVERY: f64 = 0.2;

/// Contacts rebound only from approach speeds above `REBOUND_FACTOR` times the speed that gravity, or loaded springs,
/// add in a step, and above `MIN_APPROACH`, in metres per second.
const REBOUND_FACTOR: f64 = 4.0;
const MIN_APPROACH: f64 = 1e-4;

/// A step is cut at a fast contact, but not to less than this fraction: an earlier contact rebounds from where it is.
const MIN_FRACTION: f64 = 1.0 / 16.0;

/// Maximum numbers: trials of a step, event searches before it is halved, halvings before colliding vertices are
/// stopped, and rounds that join colliding vertices before all are stopped.
const MAX_TRIALS: usize = 200;
const MAX_SEARCHES: usize = 8;
const MAX_HALVINGS: usize = 3;
const MAX_ROUNDS: usize = 40;

/// An energy difference below this fraction of its terms is zero.
const ROUNDING: f64 = 1e-12;

/// Maximum number of steps for the duration of a scene.
const MAX_STEPS: f64 = 1e9;

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
    /// By body of the scene.
    surfaces: Vec<SurfaceProperties>,
    gravity: DVec3,
    /// The longest step, in seconds.
    longest: f64,
    depth: f64,
    model: ContactModel,
    pub(super) time: f64,
    pub(super) positions: Vec<Vec<DVec3>>,
    pub(super) velocities: Velocities,
    accelerations: Velocities,
    near: Vec<VertexContact>,
    laws: PenaltyLaws,
    /// The energy that contacts received and damping dissipated, in joules.
    received: f64,
}

/// A drift that is being tried.
struct FlexibleTrial {
    velocities: Velocities,
    positions: Vec<Vec<DVec3>>,
    rows: Vec<FlexibleContactRow>,
    /// The impacts of stopped vertices.
    stopped: Vec<VertexImpact>,
    laws: PenaltyLaws,
    /// In joules.
    dissipated: f64,
}

impl FlexibleStepState {
    /// Flexible bodies at their poses in the scene, or at a time in given states.
    ///
    /// # Errors
    /// Numbers out of range, and unsupported features, by body and name; surfaces that intersect at the start.
    pub(super) fn new(
        input: &FlexibleInput<'_>,
        is_dynamic: &dyn Fn(usize) -> bool,
        from: Option<(f64, &[FlexibleState])>,
    ) -> Result<Self, Error> {
        validate(input)?;
        let scene = input.scene;
        let mut meshes: Vec<(Mesh, usize)> = Vec::new();
        let (mut points, mut positions, mut velocities) = (Vec::new(), Vec::new(), Vec::new());
        let (mut static_surfaces, mut rounds) = (Vec::new(), Vec::new());
        for (number, own) in input.bodies.iter().enumerate() {
            let Some((mesh, rest)) = initial_vertices(scene, own.body) else { continue };
            let body = FlexibleBodyData::new(own, mesh, &rest);
            if scene.duration() / body.longest_step() > MAX_STEPS {
                let expected = "one whose steps are at least a billionth of the duration";
                let place = format!("stiffness of body {:?}", scene.bodies()[own.body].name);
                return Error::out_of_range(own.stiffness, expected, place);
            }
            velocities.push(body.rigid_velocities(&rest, own.linear, own.angular));
            points.push(body);
            meshes.push((mesh.clone(), own.body));
            positions.push(rest);
            let mut triangles = StaticTriangles::default();
            for other in static_bodies_around(input, number, is_dynamic)? {
                if let Some(placed) = placed_round(scene, other) {
                    let pairing = RoundPairing::new((number, mesh), [other, own.body], placed, input.depth);
                    rounds.push(pairing);
                } else if let Some((mesh, positions)) = initial_vertices(scene, other) {
                    triangles.add(other, mesh, &positions);
                }
            }
            static_surfaces.push(triangles);
        }
        let mut time = 0.0;
        if let Some((from, states)) = from {
            time = from;
            positions = states.iter().map(|state| state.vertices.clone()).collect();
            velocities = states.iter().map(|state| state.velocities.clone()).collect();
        }
        let surroundings =
            NeighbourSurfaces::new(&meshes, static_surfaces, rounds, &|a, b| !scene.is_exempt(a, b))?;
        let weight = input.gravity.length();
        let longest = points.iter().map(FlexibleBodyData::longest_step).fold(input.step, f64::min);
        let mut state = Self {
            accelerations: Vec::new(),
            points,
            surroundings,
            surfaces: input.surfaces.to_vec(),
            gravity: input.gravity,
            longest,
            depth: input.depth,
            model: input.model,
            time,
            positions,
            velocities,
            near: Vec::new(),
            laws: PenaltyLaws::new(input.depth, weight),
            received: 0.0,
        };
        state.check_start(input)?;
        state.accelerations = state.accelerations_at(&state.positions);
        state.near = state.surroundings.near_features(&state.positions, state.depth, &[])?;
        state.update_laws();
        Ok(state)
    }

    /// Rejects surfaces that intersect at their positions.
    fn check_start(&mut self, input: &FlexibleInput<'_>) -> Result<(), Error> {
        let Some(body) = self.surroundings.intersecting_body(&self.positions)? else { return Ok(()) };
        let name = &input.scene.bodies()[body].name;
        let kind =
            ErrorKind::NotBuilt("a flexible body whose surface meets itself or another at the start is");
        Err(Error::new(kind, format!("start of body {name:?}")))
    }

    fn inverse(&self) -> Vec<&[f64]> {
        self.points.iter().map(|points| points.inverse.as_slice()).collect()
    }

    fn accelerations_at(&self, positions: &[Vec<DVec3>]) -> Velocities {
        self.points
            .iter()
            .zip(positions)
            .map(|(own, positions)| own.accelerations(positions, self.gravity))
            .collect()
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
        self.points
            .iter()
            .zip(&self.positions)
            .map(|(own, positions)| own.potential(positions, self.gravity))
            .sum()
    }

    /// The energy that contacts and damping have dissipated since the start, in joules.
    pub(super) fn dissipated(&self) -> f64 {
        self.received - self.laws.stored()
    }

    /// The states of all bodies for output.
    pub(super) fn states(&self) -> Vec<FlexibleState> {
        let all = self.points.iter().zip(self.positions.iter().zip(&self.velocities));
        let state = |(points, (positions, velocities)): (&FlexibleBodyData, (&Vec<DVec3>, &Vec<DVec3>))| {
            FlexibleState {
                vertices: points.with_followers(positions),
                velocities: points.with_followers(velocities),
            }
        };
        all.map(state).collect()
    }

    /// Whether surfaces stay separated while vertices move straight.
    pub(super) fn is_separated(&mut self, start: &[Vec<DVec3>], end: &[Vec<DVec3>]) -> Result<bool, Error> {
        Ok(self.surroundings.events(start, end)? == Ok(Vec::new()))
    }

    /// Makes one step, at most to the time `end`.
    pub(super) fn step(&mut self, end: f64) -> Result<FlexibleStepOutcome, Error> {
        let remaining = end - self.time;
        let whole = remaining / (remaining / self.longest - 1e-9).ceil().max(1.0);
        let mut duration = whole.min(self.longest_step_of_contacts());
        let (mut anticipated, mut searches, mut halvings) = (Vec::new(), 0, 0);
        let mut blocking = [self.points.first().map_or(0, |points| points.body); 2];
        for _ in 0..MAX_TRIALS {
            if self.time + duration == self.time {
                break;
            }
            let mut trial = self.try_drift(duration, &anticipated);
            let mut outcome = self.surroundings.events(&self.positions, &trial.positions)?;
            if halvings >= MAX_HALVINGS && outcome != Ok(Vec::new()) {
                outcome = self.stop_colliding(&mut trial, outcome, duration)?;
            }
            let events = match outcome {
                Ok(events) => events,
                Err(bodies) => {
                    (blocking, duration, halvings) = (bodies, 0.5 * duration, halvings + 1);
                    anticipated.clear();
                    continue;
                }
            };
            let Some(first) = events.first() else {
                let time = if duration >= remaining { end } else { self.time + duration };
                return Ok(FlexibleStepOutcome::Done(self.finish(trial, time, duration)?));
            };
            blocking = first.contact.bodies;
            searches += 1;
            if let Some(fraction) = self.fraction_to_fast_contact(&events, &trial, duration, &anticipated) {
                duration *= fraction;
            } else if searches < MAX_SEARCHES
                && anticipate(&mut anticipated, events, &trial.velocities, duration)
            {
                continue;
            } else {
                (duration, halvings) = (0.5 * duration, halvings + 1);
            }
            searches = 0;
            anticipated.clear();
        }
        Ok(FlexibleStepOutcome::Stuck(blocking))
    }

    /// Stops vertices that collide in a trial, and those they then collide with, until none do.
    fn stop_colliding(
        &mut self,
        trial: &mut FlexibleTrial,
        mut outcome: StepTest,
        duration: f64,
    ) -> Result<StepTest, Error> {
        let mut zones = RigidZones::new(&trial.velocities);
        let free = trial.velocities.clone();
        for _ in 0..MAX_ROUNDS {
            match &outcome {
                Ok(events) if events.is_empty() => break,
                Ok(events) => events.iter().for_each(|event| zones.join(&event.contact)),
                Err(_) => break,
            }
            trial.velocities.clone_from(&free);
            zones.stop(&mut trial.velocities, &self.inverse());
            trial.positions.clone_from(&self.positions);
            add_scaled(&mut trial.positions, &trial.velocities, duration);
            outcome = self.surroundings.events(&self.positions, &trial.positions)?;
        }
        if outcome != Ok(Vec::new()) {
            // Without motion there are no events.
            trial.velocities.iter_mut().flatten().for_each(|velocity| *velocity = DVec3::ZERO);
            trial.positions.clone_from(&self.positions);
            outcome = self.surroundings.events(&self.positions, &trial.positions)?;
        }
        let time = self.time + duration;
        trial.stopped = zones.impacts(&self.points, [&free, &trial.velocities], time);
        trial.dissipated = self.dissipated_between([&self.velocities, &trial.velocities], 0.5 * duration);
        Ok(outcome)
    }

    /// The fraction of a step at which its first fast contact occurs, if that is unanswered and not too early.
    fn fraction_to_fast_contact(
        &self,
        events: &[StepEvent],
        trial: &FlexibleTrial,
        duration: f64,
        anticipated: &[VertexContact],
    ) -> Option<f64> {
        let gap = match self.model {
            ContactModel::Impulses => 0.5 * self.depth,
            ContactModel::Springs => self.laws.engagement_gap(),
        };
        let is_known = |event: &StepEvent| {
            let is_same = |contact: &VertexContact| contact.key == event.contact.key;
            anticipated.iter().any(is_same) || trial.rows.iter().any(|row| is_same(&row.contact))
        };
        let fraction = |event: &StepEvent| {
            let speed = -event.contact.opening(&trial.velocities);
            let fraction = event.time - gap / (speed * duration);
            let is_fast =
                self.model == ContactModel::Springs || speed > self.min_rebound_approach(&event.contact);
            (speed > 0.0 && is_fast && fraction >= MIN_FRACTION).then_some(fraction)
        };
        events.iter().filter(|event| !is_known(event)).filter_map(fraction).reduce(f64::min)
    }

    /// The approach speed below which a contact does not rebound: it would be back within a few steps.
    fn min_rebound_approach(&self, contact: &VertexContact) -> f64 {
        let acceleration = (-contact.opening(&self.accelerations)).max(self.gravity.length());
        (REBOUND_FACTOR * acceleration * self.longest).max(MIN_APPROACH)
    }

    fn longest_step_of_contacts(&self) -> f64 {
        match self.model {
            ContactModel::Impulses => f64::INFINITY,
            ContactModel::Springs => {
                let elasticity = |contact: &VertexContact| self.surface(contact).elasticity;
                self.laws.longest_step(&self.near, &elasticity, &self.velocities, &self.inverse())
            }
        }
    }

    /// The restitution and the friction of a contact.
    fn surface(&self, contact: &VertexContact) -> SurfaceProperties {
        let [a, b] = contact.bodies.map(|body| self.surfaces[body]);
        a.combined(b)
    }

    /// The first half of the forces, with contacts, and the drift.
    fn try_drift(&self, duration: f64, anticipated: &[VertexContact]) -> FlexibleTrial {
        let mut before = self.velocities.clone();
        for ((own, positions), velocities) in self.points.iter().zip(&self.positions).zip(&mut before) {
            own.damp(positions, velocities, duration);
        }
        let mut velocities = before.clone();
        add_scaled(&mut velocities, &self.accelerations, 0.5 * duration);
        let is_new = |contact: &&VertexContact| !anticipated.iter().any(|own| own.key == contact.key);
        let contacts = self.near.iter().filter(is_new).chain(anticipated);
        let mut rows: Vec<FlexibleContactRow> =
            contacts.filter_map(|contact| self.row_before(contact, &before, &velocities, duration)).collect();
        let mut laws = self.laws.clone();
        self.solve_rows(&mut rows, &before, &mut velocities, &mut laws);
        let dissipated = self.dissipated_between([&self.velocities, &velocities], 0.5 * duration);
        let mut drift = velocities.clone();
        self.recover_gaps(&rows, &mut drift, duration);
        let mut positions = self.positions.clone();
        add_scaled(&mut positions, &drift, duration);
        FlexibleTrial { velocities, positions, rows, stopped: Vec::new(), laws, dissipated }
    }

    /// The minimum and maximum impulse of a contact's spring in half a step, from the velocities before and after the
    /// other forces; `None`: it has no spring.
    fn spring_bounds(
        &self,
        contact: &VertexContact,
        duration: f64,
        velocities: [&Velocities; 2],
    ) -> Option<[f64; 2]> {
        let inverse_mass = contact.inverse_mass(&self.inverse());
        let properties = ContactProperties { inverse_mass, elasticity: self.surface(contact).elasticity };
        self.laws.impulse_bounds(contact, 0.5 * duration, properties, velocities)
    }

    /// The row of a contact before the drift, from the velocities before the forces and after them (`after_forces`).
    fn row_before(
        &self,
        contact: &VertexContact,
        before: &Velocities,
        after_forces: &Velocities,
        duration: f64,
    ) -> Option<FlexibleContactRow> {
        let SurfaceProperties { elasticity, friction } = self.surface(contact);
        let rest = REST * self.depth;
        let plain = -(contact.gap - rest).max(0.0) / duration;
        let mut row = FlexibleContactRow::new(contact.clone(), plain, friction);
        match self.model {
            ContactModel::Impulses => {
                let speed = -contact.opening(before);
                if speed > self.min_rebound_approach(contact)
                    && contact.gap + duration * contact.opening(after_forces) <= rest
                {
                    // It rebounds, and then the forces act.
                    let change = contact.opening(after_forces) - contact.opening(before);
                    row.target = (elasticity * speed + change).max(plain);
                }
            }
            ContactModel::Springs => match self.spring_bounds(contact, duration, [before, after_forces]) {
                Some(bounds) => (row.target, row.impulse_bounds) = (0.0, bounds),
                // It is outside its zone, and is only kept from passing through.
                None => row.target = -0.5 * contact.gap / duration,
            },
        }
        Some(row)
    }

    /// The energy, in joules, that contacts and damping dissipated when velocities changed from the first to the
    /// second, and forces acted for a time. Forces work along the mean velocity, so work that contacts take back at
    /// once is no loss.
    fn dissipated_between(&self, [before, after]: [&Velocities; 2], time: f64) -> f64 {
        let all = self.points.iter().zip(&self.accelerations).zip(before.iter().zip(after));
        let work = all.map(|((own, rates), (before, after))| own.work(rates, [before, after], time));
        let (first, second) = (self.kinetic_of(before), self.kinetic_of(after));
        let dissipated = work.sum::<f64>() + first - second;
        if dissipated.abs() > ROUNDING * (first + second) { dissipated } else { 0.0 }
    }

    /// Solves the rows after forces that changed the velocities.
    fn solve_rows(
        &self,
        rows: &mut Vec<FlexibleContactRow>,
        before: &Velocities,
        velocities: &mut Velocities,
        laws: &mut PenaltyLaws,
    ) {
        if rows.is_empty() {
            return;
        }
        let inverse = self.inverse();
        let after_forces = velocities.clone();
        solve(rows, velocities, &inverse);
        let allowed = self.kinetic_of(before).max(self.kinetic_of(&after_forces)) + laws.stored();
        if self.kinetic_of(velocities) > allowed {
            // Rebounds with friction, or at a vertex with many contacts, created energy. Without rebounds and
            // friction there is none.
            velocities.clone_from(&after_forces);
            for row in &mut *rows {
                let maximum = row.impulse_bounds[1];
                *row = FlexibleContactRow::new(
                    row.contact.clone(),
                    row.target.min(0.0),
                    Friction::Coefficient(0.0),
                );
                row.impulse_bounds = [0.0, maximum];
            }
            solve(rows, velocities, &inverse);
        }
        laws.update_accounts(rows, &|contact| self.surface(contact).elasticity, [before, velocities]);
    }

    /// Separates contacts that are closer than the rest gap, or than springs allow, by velocities of the drift only.
    fn recover_gaps(&self, rows: &[FlexibleContactRow], drift: &mut Velocities, duration: f64) {
        let rest = match self.model {
            ContactModel::Impulses => REST * self.depth,
            ContactModel::Springs => self.laws.rest_gap(),
        };
        if !rows.iter().any(|row| row.contact.gap < rest) {
            return;
        }
        let recovery = |row: &FlexibleContactRow| {
            let missing = rest - row.contact.gap;
            let speed = if missing > 0.0 { RECOVERY * missing / duration } else { missing / duration };
            FlexibleContactRow::new(row.contact.clone(), speed, Friction::Coefficient(0.0))
        };
        let mut rows: Vec<FlexibleContactRow> = rows.iter().map(recovery).collect();
        solve(&mut rows, drift, &self.inverse());
    }

    /// The other half of the forces, with contacts, at the end of a drift.
    fn finish(&mut self, trial: FlexibleTrial, time: f64, duration: f64) -> Result<Vec<VertexImpact>, Error> {
        let FlexibleTrial { velocities: before, positions, rows, stopped, laws, dissipated } = trial;
        let impacts = |rows: &[FlexibleContactRow]| -> Vec<VertexImpact> {
            let nonzero = rows
                .iter()
                .filter(|row| row.impulse != DVec3::ZERO && row.contact.bodies[0] != row.contact.bodies[1]);
            nonzero.map(|row| row.impact(time)).collect()
        };
        let mut found = impacts(&rows);
        found.extend(stopped);
        let known: Vec<VertexContact> = rows.iter().map(|row| row.contact.clone()).collect();
        self.near = self.surroundings.near_features(&positions, self.depth, &known)?;
        self.accelerations = self.accelerations_at(&positions);
        (self.positions, self.laws) = (positions, laws);
        let mut velocities = before.clone();
        add_scaled(&mut velocities, &self.accelerations, 0.5 * duration);
        let mut rows: Vec<FlexibleContactRow> = self
            .near
            .iter()
            .filter_map(|contact| self.row_after(contact, &before, &velocities, duration))
            .collect();
        let mut laws = std::mem::replace(&mut self.laws, PenaltyLaws::new(self.depth, 0.0));
        self.solve_rows(&mut rows, &before, &mut velocities, &mut laws);
        self.received += dissipated + self.dissipated_between([&before, &velocities], 0.5 * duration);
        found.extend(impacts(&rows));
        (self.velocities, self.laws, self.time) = (velocities, laws, time);
        // Contacts that entered the zone in this step are pushed from now on: it was too long for their springs.
        self.update_laws();
        Ok(found)
    }

    fn update_laws(&mut self) {
        if self.model == ContactModel::Springs {
            let inverse: Vec<&[f64]> = self.points.iter().map(|points| points.inverse.as_slice()).collect();
            self.laws.update_contacts(&self.near, &self.velocities, &inverse);
        }
    }

    /// The row of a contact after the drift: a resting contact stays at rest.
    fn row_after(
        &self,
        contact: &VertexContact,
        before: &Velocities,
        after_forces: &Velocities,
        duration: f64,
    ) -> Option<FlexibleContactRow> {
        let mut row = FlexibleContactRow::new(contact.clone(), 0.0, self.surface(contact).friction);
        match self.model {
            ContactModel::Impulses => {
                let is_resting = contact.gap <= 2.0 * REST * self.depth;
                (is_resting && -contact.opening(before) <= self.min_rebound_approach(contact)).then_some(row)
            }
            ContactModel::Springs => {
                row.impulse_bounds = self.spring_bounds(contact, duration, [before, after_forces])?;
                Some(row)
            }
        }
    }
}

/// A round body at its pose at time 0; `None` if it is not round.
fn placed_round(scene: &Scene, body: usize) -> Option<Placed> {
    let round = scene.bodies()[body].shape.as_ref()?.round()?;
    let pose = scene.pose_at(body, 0.0);
    let axis = pose.transform_vector(DVec3::Z).normalize_or_zero();
    Some(Placed { round, centre: pose.position(), axis })
}

/// The mesh of a body, and its vertices in the world at time 0; `None` if it has no shape.
fn initial_vertices(scene: &Scene, body: usize) -> Option<(&Mesh, Vec<DVec3>)> {
    let pose = scene.pose_at(body, 0.0);
    let mesh = scene.bodies()[body].shape.as_ref()?.drawn();
    let vertices = (0_u32..).take(mesh.vertex_count());
    Some((mesh, vertices.map(|v| pose.transform_point(mesh.vertex(v))).collect()))
}

/// Adds the contacts of a step to the anticipated ones; returns whether any are new.
fn anticipate(
    anticipated: &mut Vec<VertexContact>,
    events: Vec<StepEvent>,
    velocities: &Velocities,
    duration: f64,
) -> bool {
    let mut is_new = false;
    for StepEvent { time, mut contact } in events {
        let speed = -contact.opening(velocities);
        match anticipated.iter_mut().find(|own| own.key == contact.key) {
            // A contact that came too close must not come closer.
            Some(own) if own.gap > 0.0 => {
                own.gap = 0.0;
                is_new = true;
            }
            Some(_) => {}
            None if speed > 0.0 => {
                contact.gap = time * duration * speed;
                anticipated.push(contact);
                is_new = true;
            }
            None => {}
        }
    }
    is_new
}

/// Adds `time` times `rates` to the values.
fn add_scaled(values: &mut Velocities, rates: &Velocities, time: f64) {
    for (value, rate) in values.iter_mut().flatten().zip(rates.iter().flatten()) {
        *value += time * *rate;
    }
}
