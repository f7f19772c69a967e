//! Meshes on their way through a span of seconds, rigid or deforming, on carriers that move: as straight ways of their
//! vertices, with a proven bound of how far the true ways are from these.

use glam::DVec3;

use crate::deforming::surface::DeformingSurface;
use crate::error::Error;
use crate::math::rounding::of_places;
use crate::motion::carried::{Carrier, OUTSIDE, breaks, pieces, placed, rounding_of};
use crate::motion::rates::PointRates;
use crate::shape::Mesh;

/// Where the vertices of a shape are in the body's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Vertices<'s> {
    /// Always in the same places.
    Stay(&'s Mesh),
    /// On their own ways.
    Move(&'s DeformingSurface),
}

/// A mesh on carriers.
#[derive(Debug)]
pub(crate) struct Course<'s> {
    vertices: Vertices<'s>,
    chain: Vec<Carrier<'s>>,
    /// Whether no carrier ever leaves the origin, so that places are as given.
    is_plain: bool,
    /// The two frames between which it is, by their numbers, with their places.
    frames: [(usize, Vec<DVec3>); 2],
    /// How far any vertex is from the origin of the body's frame at most, in metres.
    reach: f64,
    /// How fast any vertex is in the body's frame between the frames, in metres per second.
    speed: f64,
}

/// How far the true ways of vertices are from straight lines between their places at both ends, in metres.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Off {
    /// By the curvature of the ways.
    pub(crate) chord: f64,
    /// By rounding.
    pub(crate) rounding: f64,
}

/// No frame.
const NONE: usize = usize::MAX;

impl<'s> Course<'s> {
    pub(crate) fn new(vertices: Vertices<'s>, chain: Vec<Carrier<'s>>) -> Self {
        let is_plain = chain.iter().all(|carrier| {
            let pose = carrier.track.piece_at(0.0).pose_at(0.0);
            carrier.is_constant && pose == crate::motion::Pose::IDENTITY
        });
        let [least, greatest] = match vertices {
            Vertices::Stay(mesh) => mesh.bounds(),
            Vertices::Move(surface) => surface.bounds(),
        };
        let reach = least.abs().max(greatest.abs()).length() * OUTSIDE;
        let frames = [(NONE, Vec::new()), (NONE, Vec::new())];
        Self { vertices, chain, is_plain, frames, reach, speed: 0.0 }
    }

    pub(crate) fn mesh(&self) -> &'s Mesh {
        match self.vertices {
            Vertices::Stay(mesh) => mesh,
            Vertices::Move(surface) => surface.mesh(),
        }
    }

    /// The times between 0 and a duration, both among them, at which its ways are not smooth.
    pub(crate) fn breaks(&self, duration: f64) -> Vec<f64> {
        let mut breaks = breaks(self.chain.iter(), duration);
        if let Vertices::Move(surface) = self.vertices {
            breaks.extend(surface.times().iter().copied().filter(|time| 0.0 < *time && *time < duration));
        }
        breaks
    }

    /// The numbers of the frames around a time.
    fn frames_around(times: &[f64], time: f64) -> [usize; 2] {
        let next = times.partition_point(|other| *other <= time);
        [next.saturating_sub(1), next.min(times.len() - 1)]
    }

    /// Reads the frames around a time, unless they are there.
    ///
    /// # Errors
    /// As [`DeformingSurface::read`].
    pub(crate) fn come_to(&mut self, within: f64) -> Result<(), Error> {
        let Vertices::Move(surface) = self.vertices else {
            if self.frames[0].0 == NONE {
                let mesh = self.mesh();
                let count = u32::try_from(mesh.vertex_count()).unwrap_or(u32::MAX);
                self.frames[0] = (0, (0..count).map(|v| mesh.vertex(v)).collect());
            }
            return Ok(());
        };
        let wanted = Self::frames_around(surface.times(), within);
        if [self.frames[0].0, self.frames[1].0] == wanted {
            return Ok(());
        }
        if self.frames[1].0 == wanted[0] {
            self.frames.swap(0, 1);
        }
        for (i, frame) in wanted.into_iter().enumerate() {
            let (number, places) = &mut self.frames[i];
            if *number != frame {
                // Where reading fails, nothing is there.
                *number = NONE;
                places.resize(surface.mesh().vertex_count(), DVec3::ZERO);
                surface.read(frame, places)?;
                *number = frame;
            }
        }
        let [from, to] = wanted.map(|frame| surface.times()[frame]);
        let used = surface.mesh().triangles().as_flattened().iter().map(|v| *v as usize);
        let [first, second] = [&self.frames[0].1, &self.frames[1].1];
        let way = used.map(|v| first[v].distance(second[v])).fold(0.0, f64::max);
        self.speed = if to > from { way / (to - from) * OUTSIDE } else { 0.0 };
        Ok(())
    }

    /// The places of all vertices in the frame above the last carrier, at a time of the smooth stretch that holds
    /// `within`, to which it has come.
    pub(crate) fn places(&self, time: f64, within: f64, places: &mut Vec<DVec3>) {
        let [(_, first), (_, second)] = &self.frames;
        places.clear();
        match self.share(time) {
            share if share <= 0.0 => places.extend_from_slice(first),
            share if share >= 1.0 => places.extend_from_slice(second),
            share => places.extend(first.iter().zip(second).map(|(p, q)| *p + share * (*q - *p))),
        }
        if !self.is_plain {
            let pose = placed(&self.chain, time, within);
            places.iter_mut().for_each(|place| *place = pose.transform_point(*place));
        }
    }

    /// How much of the way from the first of both frames to the second is done at a time.
    fn share(&self, time: f64) -> f64 {
        match self.vertices {
            Vertices::Stay(_) => 0.0,
            Vertices::Move(surface) => {
                let [from, to] = [0, 1].map(|i| surface.times()[self.frames[i].0]);
                if to > from { ((time - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 }
            }
        }
    }

    /// How far its true ways are from the straight ones between two times of one smooth stretch, to which it has come.
    pub(crate) fn off(&self, (begin, end): (f64, f64)) -> Off {
        let given = |time: f64| matches!(self.share(time), 0.0 | 1.0);
        let is_given = self.speed == 0.0 || given(begin) && given(end);
        // Share, difference, product and sum.
        let between = if is_given { 0.0 } else { 16.0 * f64::EPSILON * self.reach };
        if self.is_plain {
            return Off { chord: 0.0, rounding: between };
        }
        let middle = 0.5 * (begin + end);
        let (mut rates, mut place) = (PointRates { speed: self.speed, ..PointRates::default() }, DVec3::ZERO);
        for piece in pieces(&self.chain, middle) {
            let reach = place.length() + self.reach + rates.speed * 0.5 * (end - begin);
            rates = rates.carried(&piece.rates((begin, end)), reach * OUTSIDE);
            place = piece.pose_at(middle).transform_point(place);
        }
        let span = end - begin;
        let chord = if rates.change > 0.0 { span * span / 8.0 * rates.change * OUTSIDE } else { 0.0 };
        let carried = rounding_of(pieces(&self.chain, middle), (begin, end));
        let far = carried.place.length() + carried.swing + self.reach;
        Off { chord, rounding: carried.rounding.at(self.reach) + of_places(far) + between }
    }
}
