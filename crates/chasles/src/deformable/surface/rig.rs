//! Rigs: vertices moved by morph targets and carried by bones, on paths that are smooth between keys.
//!
//! A vertex v, displaced by targets d with weights w(t), and bound to bones with shares s that add up to 1, is at
//!
//! ```text
//! x(t) = sum of s M(t) B (v + sum of w(t) d)
//! ```
//!
//! (linear blend skinning), where the inverse B of a bone maps into its frame and M(t) from there into the body's
//! frame. The motion is not sampled: positions are exact at any time. The convex combination has at most the speed
//! and acceleration of its fastest term.

use glam::{DAffine3, DVec3};

use crate::deformable::surface::bones::{
    self, Bone, BoneBounds, BonePoints, Skeleton, carried, norm, track_of,
};
use crate::error::{Error, ErrorKind, check_vector};
use crate::math::rounding::times;
use crate::math::time_interval::TimeInterval;
use crate::motion::chain::OUTSIDE;
use crate::motion::curve::{CubicKey, Curve};
use crate::motion::rates::PointRates;
use crate::motion::track::Track;

/// The definition of a rig.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RigDefinition {
    /// The vertices without targets, in metres: in the frame of the body, or as bound to bones.
    pub vertices: Vec<DVec3>,
    /// Targets move vertices before bones do.
    pub targets: Vec<MorphTarget>,
    /// Parents before children.
    pub bones: Vec<Bone>,
    /// How vertices are bound to bones. If empty, vertices are moved by targets only.
    pub bindings: Vec<BoundBone>,
    /// Sorted by vertex. If there are bindings, each vertex has at least one influence.
    pub influences: Vec<Influence>,
}

/// Displacements of vertices.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MorphTarget {
    /// At a weight of 1, in metres; vertices beyond the end of the list do not move.
    pub displacements: Vec<DVec3>,
    /// As a function of time in seconds.
    pub weight: Curve<f64>,
}

/// A bone that carries vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoundBone {
    /// The bone's number.
    pub bone: usize,
    /// The map from the given vertices into the frame of the bone.
    pub inverse: DAffine3,
}

/// The weight of a bone for a vertex's position.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Influence {
    /// The vertex's number.
    pub vertex: u32,
    /// The binding's number.
    pub binding: u32,
    /// Nonnegative. The weights of a vertex are divided by their sum.
    pub weight: f64,
}

/// Vertices moved by targets and bones, from 0 to the last time of their keys; constant after that.
#[derive(Debug, Clone)]
pub struct Rig {
    /// As given.
    definition: RigDefinition,
    vertices: Vec<DVec3>,
    targets: Vec<MorphDeltas>,
    skeleton: Skeleton,
    bound: Vec<BoundVertices>,
    /// With shares that add up to 1 for each vertex.
    influences: Vec<Influence>,
    /// The maximum number of influences of a vertex.
    max_influences: usize,
    /// The box around the vertices without targets and bones.
    around: [DVec3; 2],
    times: Vec<f64>,
    /// The times between which the motion is smooth.
    breaks: Vec<f64>,
    jumps: Vec<f64>,
    bounds: [DVec3; 2],
}

#[derive(Debug, Clone)]
struct MorphDeltas {
    displacements: Vec<DVec3>,
    /// The maximum length of the displacements, in metres.
    longest: f64,
    /// The track of its weight, as a position along x.
    weight: Track,
}

/// The vertices bound to a bone.
#[derive(Debug, Clone)]
struct BoundVertices {
    binding: BoundBone,
    /// An upper bound of the factor by which the inverse lengthens any vector.
    norm: f64,
    /// Centre of a ball around the vertices without targets, in the frame of the bone.
    centre: DVec3,
    radius: f64,
    /// The sum of the lengths of all terms of their positions.
    size: f64,
    /// Whether there are any such vertices.
    is_used: bool,
}

/// Bounds of the motion of a rig's vertices during a time interval, in the frame of the body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RigMotionBound {
    /// In metres per second.
    pub(crate) speed: f64,
    /// In metres per second squared.
    pub(crate) change: f64,
    /// The error of computed positions, in metres.
    pub(crate) rounding: f64,
    /// A box that contains all vertices.
    pub(crate) bounds: [DVec3; 2],
}

/// Bounds of the targets' contribution to the vertices' positions.
#[derive(Debug, Clone, Copy, Default)]
struct MorphBounds {
    /// In metres.
    offset: f64,
    speed: f64,
    change: f64,
    rounding: f64,
}

/// Times for display are added until the chord error between them is about this fraction of the size. Proofs do not
/// depend on it.
const FINE: f64 = 1e-3;

/// The maximum number of parts of a smooth interval, and of added times in all.
const MAX_PARTS_OF_INTERVAL: f64 = 64.0;
const MAX_ADDED: usize = 1 << 16;

/// The maximum number of steps along chains of bones to bound all paths once, some 40 ns each.
const MAX_WORK: usize = 1 << 28;

/// The work for each piece of a curve, in such steps.
const PIECE: usize = 8;

/// The rounding error of a product of a map and a vector, and of each term of a sum, as a fraction of all terms.
const PLACED: f64 = 32.0 * f64::EPSILON;
const SUMMED: f64 = 8.0 * f64::EPSILON;

impl Rig {
    /// A rig from its parts.
    ///
    /// # Errors
    /// Numbers are not finite or not below 1e70; the times of keys do not increase; a bone's parent does not have a
    /// lower number; influences are not sorted, refer to missing parts or leave a vertex without a weight; a rotation
    /// passes so near to zero that its speed has no bound; or there are more bones and keys than the work limit allows.
    pub fn new(definition: RigDefinition) -> Result<Self, Error> {
        let RigDefinition { vertices, targets, bones, bindings, mut influences } = definition.clone();
        for (i, vertex) in vertices.iter().enumerate() {
            check_vector(*vertex, || format!("vertex {i}"))?;
        }
        let max_influences = check_influences(vertices.len(), bindings.len(), &mut influences)?;
        let mut end = bones::check(&bones)?;
        let mut weights = Vec::with_capacity(targets.len());
        for (i, target) in targets.iter().enumerate() {
            if target.displacements.len() > vertices.len() {
                let found = target.displacements.len() as f64;
                return Error::out_of_range(
                    found,
                    "at most as many displacements as vertices",
                    format!("target {i}"),
                );
            }
            for (v, displacement) in target.displacements.iter().enumerate() {
                check_vector(*displacement, || format!("target {i}: vertex {v}"))?;
            }
            let weight = along_x(&target.weight);
            weight.check(|| format!("keys of target {i}"), || format!("weight of target {i}"))?;
            end = weight.times().last().map_or(end, |last| end.max(*last));
            weights.push(weight);
        }
        if end <= 0.0 {
            end = 1.0;
        }
        let targets = targets.into_iter().zip(&weights).map(|(target, weight)| {
            let longest =
                target.displacements.iter().map(|displacement| displacement.length()).fold(0.0, f64::max);
            Ok(MorphDeltas { longest, weight: track_of(weight, end)?, displacements: target.displacements })
        });
        let targets = targets.collect::<Result<Vec<_>, Error>>()?;
        let skeleton = Skeleton::new(&bones, end)?;
        let bound = bind(&vertices, &bindings, &influences, bones.len())?;
        let mut rig = Self {
            definition,
            around: around(vertices.iter().copied()),
            vertices,
            targets,
            skeleton,
            bound,
            influences,
            max_influences,
            times: Vec::new(),
            breaks: Vec::new(),
            jumps: Vec::new(),
            bounds: around([]),
        };
        rig.jumps = bones::jumps(rig.tracks());
        rig.prepare_bounds(&bones::breaks(rig.tracks(), end))?;
        Ok(rig)
    }

    /// The definition of the rig.
    #[must_use]
    pub fn definition(&self) -> &RigDefinition {
        &self.definition
    }

    /// The times at which to display its vertices, from 0 on, in seconds: the ends of smooth intervals, and some
    /// times between them. Only one time if it is static.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Writes the vertices at a time, in metres and in the frame of the body. At a jump: the positions after it.
    pub fn vertices_at(&self, time: f64, vertices: &mut Vec<DVec3>) {
        self.vertices_in(time, time, vertices);
    }

    /// A box that contains the vertices at every time.
    pub(crate) fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    /// Times in order between which its paths are smooth.
    pub(crate) fn breaks(&self) -> &[f64] {
        &self.breaks
    }

    pub(crate) fn jumps(&self) -> &[f64] {
        &self.jumps
    }

    fn tracks(&self) -> impl Iterator<Item = &Track> {
        self.skeleton.tracks().chain(self.targets.iter().map(|target| &target.weight))
    }

    /// The vertices at a time of the smooth interval that contains `within`.
    pub(crate) fn vertices_in(&self, time: f64, within: f64, places: &mut Vec<DVec3>) {
        places.clear();
        places.extend_from_slice(&self.vertices);
        for target in &self.targets {
            let weight = target.weight.segment_at(within).pose_at(time).position().x;
            places
                .iter_mut()
                .zip(&target.displacements)
                .for_each(|(place, displacement)| *place += weight * *displacement);
        }
        if self.bound.is_empty() {
            return;
        }
        let maps = self.skeleton.maps(time, within);
        let maps: Vec<DAffine3> = self
            .bound
            .iter()
            .map(|BoundVertices { binding, .. }| maps[binding.bone] * binding.inverse)
            .collect();
        let of_one = |x: &Influence, y: &Influence| x.vertex == y.vertex;
        for (place, own) in places.iter_mut().zip(self.influences.chunk_by(of_one)) {
            let at = |one: &Influence| one.weight * maps[one.binding as usize].transform_point3(*place);
            *place = own.iter().map(at).sum();
        }
    }

    /// Bounds of its vertices' motion between two times of one smooth interval.
    pub(crate) fn sweep(&self, span: TimeInterval) -> RigMotionBound {
        let (seconds, morphing) = (span.end - span.start, self.morphing(span));
        if self.bound.is_empty() {
            let [low, high] = self.around;
            let far = low.abs().max(high.abs()).length();
            let is_still = morphing.speed == 0.0;
            // Static positions are as given, without rounding.
            let sums = SUMMED * (self.targets.len() + 1) as f64 * (far + morphing.offset);
            let rounding = if is_still { 0.0 } else { morphing.rounding + sums };
            let pad = DVec3::splat((morphing.offset + morphing.rounding + sums) * OUTSIDE);
            let bounds = [low - pad, high + pad];
            return RigMotionBound { speed: morphing.speed, change: morphing.change, rounding, bounds };
        }
        let bone_bounds = self.skeleton.bone_bounds(span);
        let mut all = RigMotionBound { speed: 0.0, change: 0.0, rounding: 0.0, bounds: around([]) };
        for bound in self.bound.iter().filter(|bound| bound.is_used) {
            let points = bound.carried(&morphing, &bone_bounds, seconds);
            let sums = SUMMED * (self.max_influences + 1) as f64 * points.size;
            let sums = sums + SUMMED * (self.targets.len() + 1) as f64 * points.size;
            let rounding = points.rounding + sums;
            let pad = points.radius + times(points.rates.speed, 0.5 * seconds) + rounding;
            let pad = DVec3::splat(pad * OUTSIDE);
            all.speed = all.speed.max(points.rates.speed * OUTSIDE);
            all.change = all.change.max(points.rates.change * OUTSIDE);
            all.rounding = all.rounding.max(rounding);
            all.bounds = [all.bounds[0].min(points.centre - pad), all.bounds[1].max(points.centre + pad)];
        }
        all
    }

    /// The maximum acceleration of each vertex between two times of one smooth interval, along each axis of the
    /// body's frame, in metres per second squared.
    pub(crate) fn acceleration_bounds(&self, span: TimeInterval, accelerations: &mut Vec<DVec3>) {
        accelerations.clear();
        accelerations.resize(self.vertices.len(), DVec3::ZERO);
        if self.bound.is_empty() {
            let middle = 0.5 * (span.start + span.end);
            for MorphDeltas { displacements, weight, .. } in &self.targets {
                let change = weight.segment_at(middle).rates(span).speed_change * OUTSIDE;
                accelerations
                    .iter_mut()
                    .zip(displacements)
                    .for_each(|(own, displacement)| *own += change * displacement.abs());
            }
            return;
        }
        let (morphing, bone_bounds) = (self.morphing(span), self.skeleton.bone_bounds(span));
        let change = |bound: &BoundVertices| {
            bound.carried(&morphing, &bone_bounds, span.end - span.start).rates.change * OUTSIDE
        };
        let changes: Vec<f64> =
            self.bound.iter().map(|bound| if bound.is_used { change(bound) } else { 0.0 }).collect();
        for one in self.influences.iter().filter(|one| one.weight > 0.0) {
            let own = &mut accelerations[one.vertex as usize];
            *own = own.max(DVec3::splat(changes[one.binding as usize]));
        }
    }

    fn morphing(&self, span: TimeInterval) -> MorphBounds {
        let (middle, half) = (0.5 * (span.start + span.end), 0.5 * (span.end - span.start));
        let mut all = MorphBounds::default();
        for MorphDeltas { longest, weight, .. } in &self.targets {
            let piece = weight.segment_at(middle);
            let rates = piece.rates(span);
            let largest = (piece.pose_at(middle).position().x.abs() + rates.speed * half) * OUTSIDE;
            all.offset += largest * longest;
            all.speed += rates.speed * longest * OUTSIDE;
            all.change += rates.speed_change * longest * OUTSIDE;
            all.rounding += piece.rounding(span, largest).shift * longest;
        }
        all
    }

    /// Bounds all paths, and computes the times for display.
    fn prepare_bounds(&mut self, breaks: &[f64]) -> Result<(), Error> {
        let depths = self.skeleton.depths();
        let chains = self.bound.iter().map(|bound| depths[bound.binding.bone]);
        let each = chains.fold(PIECE * (depths.len() + self.targets.len()), usize::saturating_add);
        if breaks.len().saturating_mul(each) > MAX_WORK / 2 {
            let expected = "fewer times of keys, or fewer bones and targets that move at them";
            return Error::out_of_range(breaks.len() as f64, expected, "keys");
        }
        let first = self.sweep(TimeInterval::new(0.0, 0.0));
        let last = breaks.last().copied().unwrap_or(0.0);
        let mut bounds = first.bounds;
        let mut add = |own: [DVec3; 2]| bounds = [bounds[0].min(own[0]), bounds[1].max(own[1])];
        add(self.sweep(TimeInterval::new(last, last)).bounds);
        let size = first.bounds[0].distance(first.bounds[1]);
        let (mut times, mut own_breaks) = (vec![0.0], vec![0.0]);
        let mut remaining = MAX_ADDED.min(MAX_WORK / 2 / each.max(1));
        for ends in breaks.windows(2) {
            let (from, to) = (ends[0], ends[1]);
            let whole = self.sweep(TimeInterval::new(from, to));
            let chord = (to - from) * (to - from) / 8.0 * whole.change;
            let required = if chord > 0.0 {
                (chord / (FINE * size)).sqrt().ceil().clamp(1.0, MAX_PARTS_OF_INTERVAL)
            } else {
                1.0
            };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 64")]
            let parts = (required as usize).min(remaining + 1);
            remaining -= parts - 1;
            let mut start = from;
            for part in 1..=parts {
                let end = if part < parts { from + (to - from) * (part as f64 / parts as f64) } else { to };
                let own = if parts == 1 { whole } else { self.sweep(TimeInterval::new(start, end)) };
                if !(own.speed.is_finite() && own.change.is_finite() && own.rounding.is_finite()) {
                    let cause = "found a rotation that passes too near to zero for any bound of its speed";
                    return Err(Error::unreadable(format!("bones between {start} and {end} s"), cause));
                }
                add(own.bounds);
                // Show the shape just before a jump.
                let before = end.next_down();
                if part == parts
                    && self.jumps.binary_search_by(|jump| jump.total_cmp(&end)).is_ok()
                    && before > start
                {
                    times.push(before);
                }
                if end > start {
                    times.push(end);
                    own_breaks.push(end);
                    start = end;
                }
            }
        }
        for bound in bounds {
            check_vector(bound, || "bounds of the vertices".into())?;
        }
        (self.times, self.breaks, self.bounds) = (times, own_breaks, bounds);
        Ok(())
    }
}

impl BoundVertices {
    /// Its vertices in the frame of the body.
    fn carried(&self, morphing: &MorphBounds, bone_bounds: &[BoneBounds], seconds: f64) -> BonePoints {
        let rates = PointRates {
            speed: self.norm * morphing.speed,
            change: self.norm * morphing.change,
            ..PointRates::default()
        };
        let size = self.size + self.norm * morphing.offset;
        let points = BonePoints {
            centre: self.centre,
            radius: self.radius + self.norm * morphing.offset,
            rates,
            size,
            rounding: self.norm * morphing.rounding + PLACED * size,
        };
        carried(points, self.binding.bone, bone_bounds, seconds)
    }
}

/// A curve of numbers as a curve of positions along x.
fn along_x(curve: &Curve<f64>) -> Curve<DVec3> {
    let at = |value: f64| DVec3::new(value, 0.0, 0.0);
    let keys = |keys: &[(f64, f64)]| keys.iter().map(|(time, value)| (*time, at(*value))).collect();
    match curve {
        Curve::Step(steps) => Curve::Step(keys(steps)),
        Curve::Linear(points) => Curve::Linear(keys(points)),
        Curve::Cubic(cubic) => {
            let key = |key: &CubicKey<f64>| CubicKey {
                time: key.time,
                in_tangent: at(key.in_tangent),
                value: at(key.value),
                out_tangent: at(key.out_tangent),
            };
            Curve::Cubic(cubic.iter().map(key).collect())
        }
    }
}

/// Checks influences and makes their shares add up to 1. Returns the maximum number of influences of a vertex.
fn check_influences(vertices: usize, bindings: usize, influences: &mut [Influence]) -> Result<usize, Error> {
    let mut next = 0;
    for own in influences.chunk_by_mut(|x, y| x.vertex == y.vertex) {
        let vertex = own[0].vertex;
        let place = || format!("influences of vertex {vertex}");
        if vertex as usize != next || next >= vertices {
            return Error::out_of_range(f64::from(vertex), "all vertices in order", place());
        }
        next += 1;
        if let Some(bad) = own.iter().find(|one| one.binding as usize >= bindings) {
            return Error::out_of_range(f64::from(bad.binding), "the number of a binding", place());
        }
        if let Some(bad) = own.iter().find(|one| !(one.weight >= 0.0 && one.weight.is_finite())) {
            return Error::out_of_range(bad.weight, "weights that are finite and not negative", place());
        }
        let sum: f64 = own.iter().map(|one| one.weight).sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return Error::out_of_range(sum, "weights with a sum greater than 0", place());
        }
        own.iter_mut().for_each(|one| one.weight /= sum);
    }
    if bindings > 0 && next < vertices {
        return Error::out_of_range(0.0, "at least one influence", format!("influences of vertex {next}"));
    }
    Ok(influences.chunk_by(|x, y| x.vertex == y.vertex).map(<[Influence]>::len).max().unwrap_or(0))
}

/// The vertices of each binding, in the frame of its bone.
fn bind(
    vertices: &[DVec3],
    bindings: &[BoundBone],
    influences: &[Influence],
    bones: usize,
) -> Result<Vec<BoundVertices>, Error> {
    let mut boxes = vec![around([]); bindings.len()];
    let mut bound = Vec::with_capacity(bindings.len());
    for (i, binding) in bindings.iter().enumerate() {
        let place = || format!("binding {i}");
        if binding.bone >= bones {
            return Error::out_of_range(binding.bone as f64, "the number of a bone", place());
        }
        let DAffine3 { matrix3, translation } = binding.inverse;
        for column in [matrix3.x_axis, matrix3.y_axis, matrix3.z_axis, translation] {
            check_vector(column, place)?;
        }
        let norm = norm(matrix3);
        let (centre, radius, size) = (DVec3::ZERO, 0.0, 0.0);
        bound.push(BoundVertices { binding: *binding, norm, centre, radius, size, is_used: false });
    }
    let placed = influences.iter().filter(|one| one.weight > 0.0).map(|one| {
        let (vertex, binding) = (vertices[one.vertex as usize], one.binding as usize);
        (vertex, binding, bindings[binding].inverse.transform_point3(vertex))
    });
    for (_, binding, place) in placed.clone() {
        let [low, high] = boxes[binding];
        boxes[binding] = [low.min(place), high.max(place)];
    }
    for (bound, [low, high]) in bound.iter_mut().zip(&boxes).filter(|(_, own)| own[0].is_finite()) {
        bound.is_used = true;
        bound.centre = 0.5 * *low + 0.5 * *high;
    }
    for (vertex, binding, place) in placed {
        let BoundVertices { binding: BoundBone { inverse, .. }, norm, centre, radius, size, .. } =
            &mut bound[binding];
        *size = size.max(*norm * vertex.length() + inverse.translation.length());
        *radius = radius.max(place.distance(*centre));
    }
    for own in &mut bound {
        own.radius = own.radius * OUTSIDE + PLACED * own.size;
        if !(own.radius.is_finite() && own.size.is_finite()) {
            return Err(Error::new(ErrorKind::NotFinite(own.size), "bound vertices"));
        }
    }
    Ok(bound)
}

/// The box around some positions.
fn around(places: impl IntoIterator<Item = DVec3>) -> [DVec3; 2] {
    let none = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    places.into_iter().fold(none, |[low, high], place| [low.min(place), high.max(place)])
}
