//! The positions of the vertices of a mesh, rigid or deforming, below a chain of moving parent frames (carriers), and a
//! proven bound of the distance of their true paths from straight lines between two times in seconds.

use glam::DVec3;

use crate::deformable::surface::DeformingSurface;
use crate::deformable::surface::rig::Rig;
use crate::error::Error;
use crate::math::rounding::of_positions;
use crate::math::time_interval::TimeInterval;
use crate::motion::chain::{ChainBody, OUTSIDE, breaks, chain_pose, chain_segments, rounding_of};
use crate::motion::rates::PointRates;
use crate::shape::Mesh;

/// A part of a smooth interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SmoothPart {
    pub(crate) interval: TimeInterval,
    /// A time inside the smooth interval, in seconds: it decides which piece of a motion counts at the ends of
    /// `interval`.
    pub(crate) within: f64,
}

impl SmoothPart {
    /// A single time.
    pub(super) fn at(time: f64) -> Self {
        Self { interval: TimeInterval::new(time, time), within: time }
    }

    /// Both halves, the later one first.
    pub(super) fn halves(&self) -> [Self; 2] {
        let Self { interval: TimeInterval { start, end }, within } = *self;
        let middle = self.interval.middle();
        [TimeInterval::new(middle, end), TimeInterval::new(start, middle)]
            .map(|interval| Self { interval, within })
    }
}

/// The vertices of a shape in the body's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Vertices<'s> {
    /// Static.
    Static(&'s Mesh),
    /// Moving on their own.
    Deforming(&'s DeformingSurface),
}

/// A mesh on carriers.
#[derive(Debug)]
pub(crate) struct MovingMesh<'s> {
    vertices: Vertices<'s>,
    chain: Vec<ChainBody<'s>>,
    /// Whether all carriers are at the identity throughout, so that positions are as given.
    is_plain: bool,
    /// The two keyframes of the shape around the current time, each with its number and positions.
    frames: [(usize, Vec<DVec3>); 2],
    /// An upper bound of the distance of any vertex from the origin of the body's frame, in metres.
    reach: f64,
    /// An upper bound of the speed of any vertex of a triangle, in the body's frame between the two keyframes, in
    /// metres per second.
    speed: f64,
}

/// The deviation of the vertices' true paths from straight lines between both ends, in metres.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ChordError {
    /// Due to the curvature of the paths.
    pub(crate) chord: f64,
    /// Due to rounding.
    pub(crate) rounding: f64,
}

/// No frame.
const NONE: usize = usize::MAX;

impl<'s> MovingMesh<'s> {
    pub(crate) fn new(vertices: Vertices<'s>, chain: Vec<ChainBody<'s>>) -> Self {
        let is_plain = chain.iter().all(|carrier| {
            let pose = carrier.track.segment_at(0.0).pose_at(0.0);
            carrier.is_constant && pose == crate::motion::Pose::IDENTITY
        });
        let [low, high] = match vertices {
            Vertices::Static(mesh) => mesh.bounds(),
            Vertices::Deforming(surface) => surface.bounds(),
        };
        let reach = low.abs().max(high.abs()).length() * OUTSIDE;
        let frames = [(NONE, Vec::new()), (NONE, Vec::new())];
        Self { vertices, chain, is_plain, frames, reach, speed: 0.0 }
    }

    pub(crate) fn mesh(&self) -> &'s Mesh {
        match self.vertices {
            Vertices::Static(mesh) => mesh,
            Vertices::Deforming(surface) => surface.mesh(),
        }
    }

    /// The times between 0 and a duration, both included, at which the path of a vertex may not be smooth, in no order.
    /// If the shape jumps at the duration, the next number after the duration is one of these times.
    pub(crate) fn breaks(&self, duration: f64) -> Vec<f64> {
        let mut breaks = breaks(self.chain.iter(), duration);
        if let Vertices::Deforming(surface) = self.vertices {
            let times = surface.rig().map_or(surface.times(), Rig::breaks);
            breaks.extend(times.iter().copied().filter(|time| 0.0 < *time && *time < duration));
            // The shape after a jump at the very end is tested in one more interval, from the duration to the next
            // number.
            if surface.rig().is_some_and(|rig| rig.jumps().contains(&duration)) {
                breaks.push(duration.next_up());
            }
        }
        breaks
    }

    /// The numbers of the frames around a time.
    fn frames_around(times: &[f64], time: f64) -> [usize; 2] {
        let next = times.partition_point(|other| *other <= time);
        [next.saturating_sub(1), next.min(times.len() - 1)]
    }

    /// Reads the frames around a time, unless they are current.
    ///
    /// # Errors
    /// As [`DeformingSurface::read`].
    pub(crate) fn move_to(&mut self, within: f64) -> Result<(), Error> {
        let Vertices::Deforming(surface) = self.vertices else {
            if self.frames[0].0 == NONE {
                let mesh = self.mesh();
                let count = u32::try_from(mesh.vertex_count()).unwrap_or(u32::MAX);
                self.frames[0] = (0, (0..count).map(|v| mesh.vertex(v)).collect());
            }
            return Ok(());
        };
        let required = Self::frames_around(surface.times(), within);
        if [self.frames[0].0, self.frames[1].0] == required {
            return Ok(());
        }
        if let Some(rig) = surface.rig() {
            // A rig gives positions at any time, without reading frames.
            self.speed = rig
                .sweep(TimeInterval::new(surface.times()[required[0]], surface.times()[required[1]]))
                .speed;
            for (frame, required) in self.frames.iter_mut().zip(required) {
                frame.0 = required;
            }
            return Ok(());
        }
        if self.frames[1].0 == required[0] {
            self.frames.swap(0, 1);
        }
        for (i, frame) in required.into_iter().enumerate() {
            let (number, places) = &mut self.frames[i];
            if *number != frame {
                // If reading fails, the frame stays invalid.
                *number = NONE;
                places.resize(surface.mesh().vertex_count(), DVec3::ZERO);
                surface.read(frame, places)?;
                *number = frame;
            }
        }
        let [from, to] = required.map(|frame| surface.times()[frame]);
        let used = surface.mesh().triangles().as_flattened().iter().map(|v| *v as usize);
        let [first, second] = [&self.frames[0].1, &self.frames[1].1];
        let longest = used.map(|v| first[v].distance(second[v])).fold(0.0, f64::max);
        self.speed = if to > from { longest / (to - from) * OUTSIDE } else { 0.0 };
        Ok(())
    }

    /// The positions of all vertices in the frame above the last carrier, at a time of the current smooth interval,
    /// which contains `within`.
    pub(crate) fn vertices_at(&self, time: f64, within: f64, places: &mut Vec<DVec3>) {
        let [(_, first), (_, second)] = &self.frames;
        if let Some(rig) = self.rig() {
            rig.vertices_in(time, within, places);
        } else {
            places.clear();
            match self.fraction(time) {
                fraction if fraction <= 0.0 => places.extend_from_slice(first),
                fraction if fraction >= 1.0 => places.extend_from_slice(second),
                fraction => places.extend(first.iter().zip(second).map(|(p, q)| *p + fraction * (*q - *p))),
            }
        }
        if !self.is_plain {
            let pose = chain_pose(&self.chain, time, within);
            places.iter_mut().for_each(|place| *place = pose.transform_point(*place));
        }
    }

    fn rig(&self) -> Option<&'s Rig> {
        match self.vertices {
            Vertices::Static(_) => None,
            Vertices::Deforming(surface) => surface.rig(),
        }
    }

    /// Bounds of the vertices' motion in the body's frame, and the error of their computed positions there, in metres.
    fn vertex_rates(&self, interval: TimeInterval) -> (PointRates, f64) {
        let TimeInterval { start, end } = interval;
        if let Some(rig) = self.rig() {
            let sweep = rig.sweep(interval);
            let rates = PointRates { speed: sweep.speed, change: sweep.change, ..PointRates::default() };
            return (rates, sweep.rounding);
        }
        let is_at_frame = |time: f64| matches!(self.fraction(time), 0.0 | 1.0);
        let is_exact = self.speed == 0.0 || is_at_frame(start) && is_at_frame(end);
        // Rounding of the interpolation: fraction, difference, product and sum.
        let between = if is_exact { 0.0 } else { 16.0 * f64::EPSILON * self.reach };
        (PointRates { speed: self.speed, ..PointRates::default() }, between)
    }

    /// The fraction of the path from the first frame to the second at a time.
    fn fraction(&self, time: f64) -> f64 {
        match self.vertices {
            Vertices::Static(_) => 0.0,
            Vertices::Deforming(surface) => {
                let [from, to] = [0, 1].map(|i| surface.times()[self.frames[i].0]);
                if to > from { ((time - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 }
            }
        }
    }

    /// For each vertex and coordinate, a bound of the distance between the true path and the straight one, in metres,
    /// without rounding. Empty if a carrier moves. The times are as for [`Self::chord_error`].
    pub(crate) fn chord_errors(&self, span: TimeInterval, each: &mut Vec<DVec3>) {
        each.clear();
        if !self.chain.iter().all(|carrier| carrier.is_constant) {
            return;
        }
        match self.rig() {
            Some(rig) => rig.acceleration_bounds(span, each),
            // All paths between frames are straight.
            None => each.resize(self.mesh().vertex_count(), DVec3::ZERO),
        }
        let seconds = span.end - span.start;
        for own in each {
            *own *= seconds * seconds / 8.0 * OUTSIDE;
            if !self.is_plain {
                *own = DVec3::splat(own.length() * OUTSIDE);
            }
        }
    }

    /// The deviation of its true paths from straight ones between two times of the current smooth interval.
    pub(crate) fn chord_error(&self, interval: TimeInterval) -> ChordError {
        let TimeInterval { start, end } = interval;
        let (mut rates, own) = self.vertex_rates(interval);
        let chord = |change: f64| {
            let span = end - start;
            let error = span * span / 8.0 * change * OUTSIDE;
            // An acceleration without a bound bounds nothing.
            if error.is_nan() { f64::INFINITY } else { error }
        };
        if self.is_plain {
            return ChordError { chord: chord(rates.change), rounding: own };
        }
        let middle = 0.5 * (start + end);
        let mut place = DVec3::ZERO;
        for piece in chain_segments(&self.chain, middle) {
            let reach = place.length() + self.reach + rates.speed * 0.5 * (end - start);
            rates = rates.carried(&piece.rates(interval), reach * OUTSIDE);
            place = piece.pose_at(middle).transform_point(place);
        }
        let carried = rounding_of(chain_segments(&self.chain, middle), interval);
        let far = carried.place.length() + carried.displacement + self.reach;
        ChordError {
            chord: chord(rates.change),
            rounding: carried.rounding.at(self.reach) + of_positions(far) + own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;
    use std::sync::Arc;

    use chasles_testing::Random;
    use glam::{DAffine3, DQuat};

    use crate::deformable::surface::bones::{Bone, BoneMotion};
    use crate::deformable::surface::rig::{BoundBone, Influence, MorphTarget, RigDefinition};
    use crate::motion::{CubicKey, Curve};

    /// A triangle on a chain of two bones, each of which rotates and scales, with a target whose weight is a cubic.
    fn surface(random: &mut Random) -> DeformingSurface {
        let mut bone = |parent: Option<usize>| {
            let rotation_at_start = random.quaternion();
            let rotation = Curve::Linear(vec![
                (0.0, rotation_at_start),
                (1.0, DQuat::from_rotation_x(0.9 * PI) * rotation_at_start),
            ]);
            let mut key = |time: f64| CubicKey {
                time,
                in_tangent: random.vector(1.0),
                value: DVec3::ONE + random.vector(0.5),
                out_tangent: random.vector(1.0),
            };
            let scale = Curve::Cubic(vec![key(0.0), key(1.0)]);
            let translation = Curve::Linear(vec![(0.0, random.vector(1.0)), (1.0, random.vector(1.0))]);
            Bone { parent, motion: BoneMotion::Curves { translation, rotation, scale } }
        };
        let bones = vec![bone(None), bone(Some(0))];
        let key = |time: f64, value: f64| CubicKey { time, in_tangent: 2.0, value, out_tangent: -2.0 };
        let weight = Curve::Cubic(vec![key(0.0, 0.5), key(1.0, -0.5)]);
        let displacements = (0..3).map(|_| random.vector(0.5)).collect();
        let bind = |bone: usize| BoundBone { bone, inverse: DAffine3::from_translation(DVec3::splat(0.3)) };
        let one = |i: u32| Influence { vertex: i / 2, binding: i % 2, weight: 0.2 + f64::from(i) };
        let rig = RigDefinition {
            vertices: (0..3).map(|_| random.vector(1.0)).collect(),
            targets: vec![MorphTarget { displacements, weight }],
            bones,
            bindings: vec![bind(0), bind(1)],
            influences: (0..6).map(one).collect(),
        };
        let rig = Rig::new(rig).unwrap();
        DeformingSurface::of_rig(vec![[0, 1, 2]], Arc::new(rig)).unwrap()
    }

    #[test]
    fn paths_of_a_rig_deviate_from_straight_lines_by_at_most_the_bound() {
        let (mut sharpest, mut straight) = (0.0_f64, Vec::new());
        let mut ends = [Vec::new(), Vec::new()];
        for seed in 0..400 {
            let random = &mut Random(seed);
            let surface = surface(random);
            let [low, high] = surface.bounds();
            let length = 10.0_f64.powf(-1.5 + 1.5 * random.side());
            let start = (1.0 - length) * (0.5 + 0.5 * random.side());
            let (end, within) = (start + length, start + 0.5 * length);
            let mut moving_mesh = MovingMesh::new(Vertices::Deforming(&surface), Vec::new());
            moving_mesh.move_to(within).unwrap();
            moving_mesh.vertices_at(start, within, &mut ends[0]);
            moving_mesh.vertices_at(end, within, &mut ends[1]);
            let error = moving_mesh.chord_error(TimeInterval::new(start, end));
            for step in 1..32 {
                let fraction = f64::from(step) / 32.0;
                moving_mesh.vertices_at(start + fraction * length, within, &mut straight);
                for (place, (from, to)) in straight.iter().zip(ends[0].iter().zip(&ends[1])) {
                    let deviation = place.distance(*from + fraction * (*to - *from));
                    assert!(deviation <= error.chord + error.rounding, "seed {seed}: {deviation} {error:?}");
                    assert!(place.cmpge(low).all() && place.cmple(high).all(), "seed {seed}");
                    sharpest = sharpest.max(deviation / error.chord);
                }
            }
        }
        // The bound is not too loose.
        assert!(sharpest > 0.2, "{sharpest}");
    }

    #[test]
    fn a_constant_acceleration_attains_the_bound() {
        // The weight is t (1 - t).
        let key =
            |time: f64, slope: f64| CubicKey { time, in_tangent: slope, value: 0.0, out_tangent: slope };
        let rig = RigDefinition {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            targets: vec![MorphTarget {
                displacements: vec![DVec3::Z; 3],
                weight: Curve::Cubic(vec![key(0.0, 1.0), key(1.0, -1.0)]),
            }],
            bones: Vec::new(),
            bindings: Vec::new(),
            influences: Vec::new(),
        };
        let surface = DeformingSurface::of_rig(vec![[0, 1, 2]], Arc::new(Rig::new(rig).unwrap())).unwrap();
        for [start, end] in [[0.0, 1.0], [0.25, 0.5]] {
            let mut moving_mesh = MovingMesh::new(Vertices::Deforming(&surface), Vec::new());
            moving_mesh.move_to(0.5 * (start + end)).unwrap();
            let deviation = 0.25 * (end - start) * (end - start);
            let mut each = Vec::new();
            moving_mesh.chord_errors(TimeInterval::new(start, end), &mut each);
            for bound in each
                .iter()
                .map(|own| own.z)
                .chain([moving_mesh.chord_error(TimeInterval::new(start, end)).chord])
            {
                assert!(deviation <= bound && bound <= 1.01 * deviation, "{deviation} {bound}");
            }
        }
    }
}
