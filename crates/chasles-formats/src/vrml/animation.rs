//! The motion of transforms that clocks and interpolators drive along `ROUTE`s.
//!
//! All clocks start at time 0, whatever their `startTime`. Fields that a person or a script would change keep their
//! value, with a warning.

use std::sync::Arc;

use chasles::Curve;
use glam::{DQuat, DVec3};

use super::fields::{flag, points};
use super::file::kinds;
use super::graph::{Graph, NodeInstance};
use super::rotation::rotation;
use crate::error::{Error, Result};

/// The motion of a transform's fields.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Motion {
    pub(super) translation: Option<Track<DVec3>>,
    pub(super) rotation: Option<Track<DQuat>>,
}

/// Keyframed values at fractions of a cycle.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Track<T> {
    keys: Vec<(f64, T)>,
    /// Duration of a cycle, in seconds.
    pub(super) cycle: f64,
    /// Whether the cycle repeats.
    repeats: bool,
    /// The clock, for messages.
    clock: NodeInstance,
}

/// The motion found for a transform, with errors and warnings.
#[derive(Debug, Default)]
pub(super) struct TransformTracks {
    pub(super) motion: Motion,
    /// Errors that prevent a check.
    pub(super) refused: Vec<Error>,
    pub(super) warnings: Vec<String>,
}

/// A route to a field.
#[derive(Debug, Clone)]
pub(super) struct RouteTo {
    source: NodeInstance,
    pub(super) source_kind: Arc<str>,
    event: Arc<str>,
    at: usize,
}

impl RouteTo {
    /// An error at the route.
    #[cold]
    pub(super) fn error(&self, graph: &Graph, message: &str) -> Error {
        graph.document(self.source.place).source.error(self.at, message)
    }

    /// Whether the values along the route depend on time alone, and not on a person or a script. The source is then
    /// an interpolator, or a sequencer or similar node that a clock or an interpolator drives.
    pub(super) fn is_of_a_clock(&self, graph: &Graph) -> bool {
        let is_interpolator = |kind: &str| kind.ends_with("Interpolator");
        let document = graph.document(self.source.place);
        let drives = |node: usize| {
            let kind = &*document.nodes[node].kind;
            kind == "TimeSensor" || is_interpolator(kind)
        };
        let follows = ["Sequencer", "Chaser", "Damper", "EaseInEaseOut"];
        is_interpolator(&self.source_kind)
            || (follows.iter().any(|end| self.source_kind.ends_with(end))
                && document.routes.iter().any(|route| route.to.0 == self.source.node && drives(route.from.0)))
    }
}

/// The routes that lead to a field, directly or through the instances that own the field.
pub(super) fn routes(graph: &Graph, instance: NodeInstance, field: &str) -> Result<Vec<RouteTo>> {
    let mut found = Vec::new();
    for (instance, field) in graph.chain(instance, field)? {
        let file = &graph.library.files[graph.file(instance.place)];
        for &number in file.routes_to(instance.node, kinds::field_of_event(&field)) {
            let route = &file.document.routes[number];
            let source = NodeInstance { place: instance.place, node: route.from.0 };
            let (source_kind, event) = (graph.kind(source).clone(), route.from.1.clone());
            found.push(RouteTo { source, source_kind, event, at: route.at });
        }
    }
    Ok(found)
}

/// Returns the motion of a transform.
pub(super) fn motion(graph: &Graph, instance: NodeInstance) -> Result<TransformTracks> {
    let mut found = TransformTracks::default();
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for field in ["translation", "rotation", "scale", "center", "scaleOrientation"] {
        for route in routes(graph, instance, field)? {
            let is_value = kinds::field_of_event(&route.event) == "value";
            match (field, &*route.source_kind) {
                ("translation", "PositionInterpolator") if is_value => {
                    let value = |[x, y, z]: [f64; 3]| Ok(DVec3::new(x, y, z));
                    translations.extend(track(graph, &route, value, &mut found)?);
                }
                ("rotation", "OrientationInterpolator") if is_value => {
                    rotations.extend(track(graph, &route, rotation, &mut found)?);
                }
                (_, kind) if route.is_of_a_clock(graph) => {
                    let reason = format!(
                        "found {kind} that moves {field}: only translation by PositionInterpolator and rotation by OrientationInterpolator are checked"
                    );
                    found.refused.push(route.error(graph, &reason));
                }
                (_, kind) => {
                    let warning = format!("what {kind} gives to {field} is not followed");
                    found.warnings.push(route.error(graph, &warning).to_string());
                }
            }
        }
    }
    if translations.len() > 1 || rotations.len() > 1 {
        found.refused.push(
            graph.error(instance, "found several interpolators that move the same field, expected one"),
        );
    }
    found.motion = Motion { translation: translations.pop(), rotation: rotations.pop() };
    Ok(found)
}

/// The values of an interpolator, if a clock drives it.
fn track<T: Copy + PartialEq, const N: usize>(
    graph: &Graph,
    route: &RouteTo,
    value: fn([f64; N]) -> std::result::Result<T, String>,
    found: &mut TransformTracks,
) -> Result<Option<Track<T>>> {
    let interpolator = route.source;
    let mut clocks = Vec::new();
    for driver in routes(graph, interpolator, "fraction")? {
        if &*driver.source_kind == "TimeSensor" && kinds::field_of_event(&driver.event) == "fraction" {
            clocks.push(driver.source);
        } else {
            let warning =
                format!("what {} gives to {} is not followed", driver.source_kind, route.source_kind);
            found.warnings.push(driver.error(graph, &warning).to_string());
        }
    }
    let Some(&clock) = clocks.first() else {
        found.warnings.push(route.error(graph, "no TimeSensor drives this; it is static").to_string());
        return Ok(None);
    };
    if clocks.len() > 1 {
        found.refused.push(graph.error(interpolator, "found several clocks that drive it, expected one"));
    }
    if !flag(graph, clock, "enabled", true)? {
        return Ok(None);
    }
    let cycle = match graph.field(clock, "cycleInterval")? {
        None => 1.0,
        Some(stated) => {
            let [cycle] = stated.typed(stated.value.vector::<1>())?;
            if cycle <= 0.0 {
                return Err(stated.error(&format!("found {cycle}, expected seconds, more than 0")));
            }
            cycle
        }
    };
    let keys = keys(graph, interpolator, value, found)?;
    let repeats = flag(graph, clock, "loop", false)?;
    Ok((!keys.is_empty()).then_some(Track { keys, cycle, repeats, clock }))
}

/// The increasing keys of an interpolator.
fn keys<T: Copy + PartialEq, const N: usize>(
    graph: &Graph,
    interpolator: NodeInstance,
    value: fn([f64; N]) -> std::result::Result<T, String>,
    found: &mut TransformTracks,
) -> Result<Vec<(f64, T)>> {
    let times: Vec<[f64; 1]> = points(graph, interpolator, "key")?.unwrap_or_default();
    let values: Vec<[f64; N]> = points(graph, interpolator, "keyValue")?.unwrap_or_default();
    if times.len() != values.len() {
        let message = format!("found {} values for {} keys, expected one each", values.len(), times.len());
        return Err(graph.error(interpolator, message));
    }
    let mut keys: Vec<(f64, T)> = Vec::with_capacity(times.len());
    for (at, (&[time], numbers)) in times.iter().zip(values).enumerate() {
        let value = value(numbers)
            .map_err(|message| graph.error(interpolator, format!("keyValue {at}: {message}")))?;
        match keys.last() {
            Some((before, _)) if time < *before => {
                let message = format!("found key {time} after {before}, expected keys that increase");
                return Err(graph.error(interpolator, message));
            }
            Some((before, last)) if time == *before => {
                if *last != value {
                    let message = format!("found two values at key {time}: a jump is not checked");
                    found.refused.push(graph.error(interpolator, message));
                }
            }
            _ => keys.push((time, value)),
        }
    }
    Ok(keys)
}

impl<T: Copy + PartialEq> Track<T> {
    /// The value, if it never changes.
    pub(super) fn constant(&self) -> Option<T> {
        let (_, first) = *self.keys.first()?;
        self.keys.iter().all(|(_, value)| *value == first).then_some(first)
    }

    fn at(&self, fraction: f64, between: fn(T, T, f64) -> T) -> Option<T> {
        let after = self.keys.partition_point(|(key, _)| *key <= fraction);
        match (after.checked_sub(1).map(|before| self.keys[before]), self.keys.get(after)) {
            (None, after) => after.map(|(_, value)| *value),
            (Some((_, value)), None) => Some(value),
            (Some((from, a)), Some((to, b))) if from < fraction => {
                Some(between(a, *b, (fraction - from) / (to - from)))
            }
            (Some((_, value)), Some(_)) => Some(value),
        }
    }

    /// The values over the duration of a scene. A clock with a shorter cycle may repeat.
    ///
    /// # Errors
    /// When a repeated cycle starts with another value than it ends with.
    pub(super) fn curve(
        &self,
        graph: &Graph,
        duration: f64,
        between: fn(T, T, f64) -> T,
    ) -> Result<Curve<T>> {
        let cycles = (duration / self.cycle).ceil();
        if !self.repeats || cycles <= 1.0 {
            return Ok(Curve::Linear(
                self.keys.iter().map(|(fraction, value)| (fraction * self.cycle, *value)).collect(),
            ));
        }
        if cycles * self.keys.len() as f64 > 1e6 {
            let message =
                format!("found {cycles} cycles in the {duration} s of the longest clock, expected fewer");
            return Err(graph.error(self.clock, message));
        }
        let (Some(start), Some(end)) = (self.at(0.0, between), self.at(1.0, between)) else {
            return Ok(Curve::Linear(vec![]));
        };
        if start != end {
            let message = format!(
                "the motion jumps where the clock restarts after {} s, within the {duration} s of the longest clock: \
                 a jump is not checked",
                self.cycle
            );
            return Err(graph.error(self.clock, message));
        }
        let inner = self.keys.iter().filter(|(fraction, _)| *fraction > 0.0 && *fraction < 1.0);
        let one: Vec<(f64, T)> = [(0.0, start)].into_iter().chain(inner.copied()).collect();
        let mut keys = Vec::new();
        let mut first = 0.0;
        while first < cycles {
            keys.extend(one.iter().map(|(fraction, value)| ((first + fraction) * self.cycle, *value)));
            first += 1.0;
        }
        keys.push((cycles * self.cycle, end));
        Ok(Curve::Linear(keys))
    }
}
