//! The simulation settings of a scene file: gravity and steps, the masses of bodies, and joints.

use std::collections::BTreeMap;

use chasles::{Friction, ImpactOrder, RigidMass, SimulatedJoint, SimulationMethod, SimulationSettings};
use glam::{DMat3, DQuat, DVec3};

use super::metres;
use crate::error::Result;
use crate::scene::dynamics::joint::{self, JOINT_KEYS};
use crate::scene::dynamics::mass::inertia;
use crate::scene::dynamics::surface::{ContactMaterial, surface};
use crate::scene::units::LengthUnit;
use crate::text::cursor::{Cursor, Limit};
use crate::text::tree::number_text;

/// The mass of a body, and the time from which it is dynamic: see [`ReleaseEntry`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassTable {
    /// The mass or the density.
    pub amount: MassAmount,
    /// Inertia about the centre of mass, in the body's axes, in kg m^2: symmetric and positive definite. `None`:
    /// computed from the shape at uniform density.
    pub inertia: Option<DMat3>,
    /// The centre of mass, in the body's frame, in metres. `None`: computed from the shape at uniform density.
    pub center: Option<DVec3>,
    /// Velocity of the centre of mass at time 0, in metres a second, in world axes.
    pub linear: DVec3,
    /// Angular velocity at time 0, in radians a second, in world axes.
    pub angular: DVec3,
    /// When the body becomes dynamic.
    pub release: ReleaseEntry,
    /// The springs of a flexible body; `None`: the body is rigid.
    pub flexible: Option<FlexibleEntry>,
    /// The line of the mass or density, counted from 1.
    pub line: usize,
}

/// The springs of a flexible body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlexibleEntry {
    /// Stiffness of each spring, in newtons per metre, above 0.
    pub stiffness: f64,
    /// Damping as a fraction of critical damping, at least 0; 0.05 unless given.
    pub damping: f64,
}

/// Default damping of springs, as a fraction of critical damping.
const DAMPING: f64 = 0.05;

/// When a body with a mass becomes dynamic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReleaseEntry {
    /// At time 0: the body has neither a motion nor a parent.
    #[default]
    Start,
    /// At its first contact. Until then the body moves as the file says, or is static. It has no parent.
    Contact,
    /// Never: the body is keyframed. Its mass counts in the impulses suggested for contacts with other such bodies.
    Never,
}

impl ReleaseEntry {
    /// The words for these values in a scene file.
    const WORDS: [(&str, Self); 3] =
        [("start", Self::Start), ("contact", Self::Contact), ("never", Self::Never)];
}

/// How heavy a body is. Finite, above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MassAmount {
    /// Kilograms.
    Mass(f64),
    /// Kilograms for each cubic metre of the shape.
    Density(f64),
}

impl MassAmount {
    /// The key of a body that states it.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Self::Mass(_) => "mass",
            Self::Density(_) => "density",
        }
    }
}

/// Keys of a body that only simulations use.
pub(super) const BODY_KEYS: [&str; 9] =
    ["mass", "density", "inertia", "center", "elasticity", "friction", "velocity", "release", "flexible"];

/// Reads the simulation table of a scene, with a warning if it looks wrong.
pub(crate) fn simulation(
    at: Option<Cursor<'_>>,
    unit: Option<LengthUnit>,
) -> Result<(SimulationSettings, Option<String>)> {
    const METHODS: [(&str, SimulationMethod); 3] = [
        ("both", SimulationMethod::Both),
        ("impulse", SimulationMethod::Impulse),
        ("spring", SimulationMethod::Spring),
    ];
    const ORDERS: [(&str, ImpactOrder); 2] =
        [("together", ImpactOrder::Together), ("one by one", ImpactOrder::OneByOne)];
    let mut entry = SimulationSettings::default();
    let Some(at) = at else { return Ok((entry, None)) };
    at.only_keys(&["gravity", "step", "record", "method", "touching", "depth", "max_records"])?;
    let stated = unit.unwrap_or_default();
    let mut warning = None;
    if let Some(at) = at.get("gravity") {
        let gravity = at.vector()?;
        entry.gravity = metres(stated, gravity);
        // This value of gravity in such a unit is almost surely a mistake: it is the gravity of the Earth in metres.
        if stated != LengthUnit::Metres && (9.7..9.9).contains(&gravity.length()) {
            let what =
                "found the gravity of the Earth in metres, expected it in the file's unit per square second";
            warning = Some(at.error(what).to_string());
        }
    }
    if let Some(at) = at.get("step") {
        entry.step = at.number(Limit::Positive)?;
    }
    if let Some(at) = at.get("record") {
        entry.record = at.number(Limit::Positive)?;
    }
    if let Some(at) = at.get("method") {
        entry.method = METHODS[at.word(&METHODS.map(|(word, _)| word))?].1;
    }
    if let Some(at) = at.get("touching") {
        entry.touching = ORDERS[at.word(&ORDERS.map(|(word, _)| word))?].1;
    }
    if let Some(at) = at.get("max_records") {
        let number = number_text(at.number(Limit::Positive)?);
        entry.max_records = number.parse().map_err(|_| at.expected("a whole number from 1 to 1e15"))?;
    }
    if let Some(at) = at.get("depth") {
        entry.depth = stated.metres(at.number(Limit::Positive)?);
    }
    Ok((entry, warning))
}

/// Reads the mass of a body, if it has one, with a warning if it looks wrong.
pub(super) fn mass(at: &Cursor<'_>, unit: LengthUnit) -> Result<(Option<MassTable>, Option<String>)> {
    let (source, amount) = match (at.get("mass"), at.get("density")) {
        (Some(_), Some(density)) => {
            return Err(density.error("found a density beside a mass, expected one of them"));
        }
        (Some(mass), None) => (mass, MassAmount::Mass(mass.number(Limit::Positive)?)),
        (None, Some(density)) => (density, MassAmount::Density(density.number(Limit::Positive)?)),
        (None, None) => {
            let without = ["velocity", "inertia", "center", "release", "flexible"]
                .into_iter()
                .find_map(|key| Some((key, at.get(key)?)));
            return match without {
                Some((key, at)) => Err(at.error(format!(
                    "found `{key}` in a body that has no mass, expected `mass` or `density` beside it"
                ))),
                None => Ok((None, None)),
            };
        }
    };
    let line = source.line();
    let key = amount.key();
    let release = match at.get("release") {
        Some(at) => ReleaseEntry::WORDS[at.word(&ReleaseEntry::WORDS.map(|(word, _)| word))?].1,
        None => ReleaseEntry::Start,
    };
    if release == ReleaseEntry::Start && at.get("motion").is_some() {
        return Err(source.error(format!(
            "found `{key}` in a body that has a motion, expected one of them, or `release = \"contact\"` beside \
             both: a body with a motion is keyframed"
        )));
    }
    if release != ReleaseEntry::Never && at.get("parent").is_some() {
        return Err(source.error(format!(
            "found `{key}` in a body that has a parent, expected one of them: joints hold dynamic bodies together"
        )));
    }
    let flexible = at.get("flexible").map(|value| springs(at, &value)).transpose()?;
    let mut warning = None;
    let inertia = match at.get("inertia") {
        Some(at) => {
            let inertia = inertia(&at, DQuat::IDENTITY)?;
            if breaks_triangle(&inertia) {
                let what =
                    "no body has this inertia: one principal moment is greater than the sum of the others";
                warning = Some(at.error(what).to_string());
            }
            Some(inertia)
        }
        None => None,
    };
    let center = at.get("center").map(|at| at.vector()).transpose()?.map(|center| metres(unit, center));
    let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
    if let Some(at) = at.get("velocity") {
        if release != ReleaseEntry::Start {
            return Err(at.error(
                "found `velocity` in a body that is keyframed at first, expected none: its motion says how fast it is",
            ));
        }
        at.only_keys(&["linear", "angular"])?;
        linear = at.get("linear").map_or(Ok(DVec3::ZERO), |at| at.vector())?;
        angular = at.get("angular").map_or(Ok(DVec3::ZERO), |at| at.vector())?;
    }
    let linear = metres(unit, linear);
    Ok((Some(MassTable { amount, inertia, center, linear, angular, release, flexible, line }), warning))
}

/// Reads the springs of a flexible body, and refuses keys that have no meaning beside them.
fn springs(body: &Cursor<'_>, at: &Cursor<'_>) -> Result<FlexibleEntry> {
    at.only_keys(&["stiffness", "damping"])?;
    const VERTICES: &str = "each of its vertices moves on its own";
    const SURFACE: &str = "its surface is followed, and nothing passes through it";
    for (key, reason) in
        [("release", VERTICES), ("inertia", VERTICES), ("center", VERTICES), ("solid", SURFACE)]
    {
        if let Some(other) = body.get(key) {
            return Err(other.error(format!("found `{key}` in a flexible body, expected none: {reason}")));
        }
    }
    let Some(stiffness) = at.get("stiffness") else {
        return Err(at.error("found no `stiffness`, expected one, in newtons per metre"));
    };
    let stiffness = stiffness.number(Limit::Positive)?;
    let damping = at.get("damping").map_or(Ok(DAMPING), |at| at.number(Limit::NotNegative))?;
    Ok(FlexibleEntry { stiffness, damping })
}

/// The properties of a body in a simulation: its mass, if it has one, its elasticity and its friction.
pub(crate) type DynamicsTables = (Option<MassTable>, (f64, Friction));

/// Reads the simulation keys of a body whose shape is defined elsewhere, with a warning if they look wrong.
pub(crate) fn part(at: &Cursor<'_>) -> Result<(DynamicsTables, Option<String>)> {
    at.only_keys(&BODY_KEYS)?;
    let (entry, warning) = mass(at, LengthUnit::Metres)?;
    Ok(((entry, contact_material(at)?), warning))
}

/// Whether a principal moment exceeds the sum of the two others, which is impossible for a distribution of mass: the
/// second moments, half the trace minus the inertia, would not be positive.
fn breaks_triangle(inertia: &DMat3) -> bool {
    // Flat bodies have one second moment of 0, and rods have two; rounding in the file may make it negative.
    const ROUNDING: f64 = 1e-6;
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    let half = (0.5 + ROUNDING) * trace;
    RigidMass::inertia_fault(&(DMat3::from_diagonal(DVec3::splat(half)) - *inertia)).is_some()
}

/// Reads the elasticity and friction of a body, each 0 unless given.
pub(super) fn contact_material(at: &Cursor<'_>) -> Result<(f64, Friction)> {
    let ContactMaterial { elasticity, friction } = surface(at)?;
    Ok((elasticity.unwrap_or(0.0), friction.unwrap_or(Friction::Coefficient(0.0))))
}

/// Reads a joint. `is_dynamic` returns whether the body with a given number is dynamic.
pub(crate) fn joint(
    at: &Cursor<'_>,
    names: &BTreeMap<&str, usize>,
    unit: LengthUnit,
    is_dynamic: impl Fn(usize) -> bool,
) -> Result<SimulatedJoint> {
    at.only_keys(&JOINT_KEYS)?;
    let kind = joint::kind(at)?;
    let bodies = joint::pair(at, |name| names.get(name).copied(), || names.keys().copied())?;
    if !bodies.into_iter().any(is_dynamic) {
        let [a, b] = joint::quoted_pair(at);
        let what = format!("found two keyframed bodies, {a} and {b}, expected a dynamic body in the joint");
        return Err(at.error(what));
    }
    Ok(SimulatedJoint { bodies, point: metres(unit, joint::point(at)?), kind })
}
