//! Bones: a hierarchy of frames that carry vertices, with proven speed bounds.
//!
//! A bone maps its frame into its parent's by x -> T(t) + R(t) (S(t) x), with a scale S along the axes, or by a
//! constant affine map. A point p that moves in the frame of a bone is at q = S p before the rotation, and
//!
//! ```text
//! |q'|  <= |S'| |p| + |S| |p'|
//! |q''| <= |S''| |p| + 2 |S'| |p'| + |S| |p''|
//! ```
//!
//! The rotation and the translation add to these bounds as for any carrier (`motion::rates`).

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::error::{Error, check_vector};
use crate::math::rounding::{Rounding, times};
use crate::math::time_interval::TimeInterval;
use crate::motion::Curve;
use crate::motion::chain::OUTSIDE;
use crate::motion::rates::{PointRates, Rates};
use crate::motion::track::{Track, TrackSegment};

/// A frame that carries vertices and other bones.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bone {
    /// The number of the parent bone, smaller than its own. `None`: the frame of the body.
    pub parent: Option<usize>,
    /// Its motion in the frame of its parent.
    pub motion: BoneMotion,
}

/// The motion of a bone in the frame of its parent.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BoneMotion {
    /// Static, under any affine map.
    Still(DAffine3),
    /// x -> translation + rotation (scale x), each along its own curve.
    Curves {
        /// In metres.
        translation: Curve<DVec3>,
        /// Quaternions, not necessarily unit.
        rotation: Curve<DQuat>,
        /// Along the axes of the bone.
        scale: Curve<DVec3>,
    },
}

/// A bone whose curves are cut into smooth pieces.
#[derive(Debug, Clone)]
struct BoneTrack {
    parent: Option<usize>,
    map: BoneTransform,
}

#[derive(Debug, Clone)]
enum BoneTransform {
    Still(DAffine3),
    /// The positions of the second track are scales.
    Moving(Box<[Track; 2]>),
}

/// Bones, parents before children.
#[derive(Debug, Clone)]
pub(crate) struct Skeleton {
    links: Vec<BoneTrack>,
}

/// The points that a bone carries, at the middle of a time interval, and bounds of their motion during it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BonePoints {
    /// Centre of a ball that contains all points at the middle of the interval.
    pub(crate) centre: DVec3,
    /// In metres.
    pub(crate) radius: f64,
    pub(crate) rates: PointRates,
    /// The sum of the lengths of all terms of their positions, in metres: the scale of rounding errors.
    pub(crate) size: f64,
    /// An upper bound of the error of computed positions, in metres.
    pub(crate) rounding: f64,
}

/// Bounds of a bone's motion during an interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoneBounds {
    parent: Option<usize>,
    /// At the middle of the interval.
    map: DAffine3,
    /// Rates of the rotation and the translation.
    frame: Rates,
    /// Bounds of the linear map before the rotation, and of its first two derivatives.
    scale: [f64; 3],
    /// A bound of the translation's length, in metres.
    offset: f64,
    /// Rounding of the frame and of the linear map.
    rounding: [Rounding; 2],
}

/// The rounding error that each bone of a chain adds to products of maps, and to sums in them, as a fraction of all
/// terms: four operations on each of three terms, with absolute values in place of lengths.
const COMPOSED: f64 = 32.0 * f64::EPSILON;

impl Bone {
    /// Checks the bone with this number, and returns the last time of its keys.
    fn check(&self, number: usize) -> Result<f64, Error> {
        if let Some(parent) = self.parent.filter(|parent| *parent >= number) {
            let place = format!("parent of bone {number}");
            return Error::out_of_range(parent as f64, "a bone of a lower number", place);
        }
        let last = |times: Vec<f64>| times.last().copied().unwrap_or(0.0);
        match &self.motion {
            BoneMotion::Still(map) => {
                let columns = [map.matrix3.x_axis, map.matrix3.y_axis, map.matrix3.z_axis, map.translation];
                columns
                    .into_iter()
                    .try_for_each(|column| check_vector(column, || format!("map of bone {number}")))?;
                Ok(0.0)
            }
            BoneMotion::Curves { translation, rotation, scale } => {
                let place = |what: &'static str| move || format!("{what} of bone {number}");
                translation.check(place("keys of the translation"), place("translation"))?;
                rotation.check(place("keys of the rotation"), place("rotation"))?;
                scale.check(place("keys of the scale"), place("scale"))?;
                let ends = [last(translation.times()), last(rotation.times()), last(scale.times())];
                Ok(ends.into_iter().fold(0.0, f64::max))
            }
        }
    }
}

/// The last time of any key of some bones, in seconds; 0 if there are none after 0.
///
/// # Errors
/// A parent does not have a lower number; the times of keys do not increase; a number is not finite or not below
/// 1e70; or a rotation has no length.
pub(crate) fn check(bones: &[Bone]) -> Result<f64, Error> {
    bones.iter().enumerate().try_fold(0.0, |end: f64, (number, bone)| Ok(end.max(bone.check(number)?)))
}

/// The track of a vector without a frame.
pub(crate) fn track_of(values: &Curve<DVec3>, end: f64) -> Result<Track, Error> {
    Track::curves(values, &Curve::constant(DQuat::IDENTITY), end)
}

impl Skeleton {
    /// Bones that have been checked, from 0 to the last of all keys, in seconds.
    pub(crate) fn new(bones: &[Bone], end: f64) -> Result<Self, Error> {
        let links = bones.iter().map(|bone| {
            let map = match &bone.motion {
                BoneMotion::Still(map) => BoneTransform::Still(*map),
                BoneMotion::Curves { translation, rotation, scale } => {
                    let frame = Track::curves(translation, &rotation.normalised(), end)?;
                    BoneTransform::Moving(Box::new([frame, track_of(scale, end)?]))
                }
            };
            Ok(BoneTrack { parent: bone.parent, map })
        });
        Ok(Self { links: links.collect::<Result<_, Error>>()? })
    }

    /// All tracks.
    pub(crate) fn tracks(&self) -> impl Iterator<Item = &Track> {
        self.links.iter().flat_map(|link| match &link.map {
            BoneTransform::Still(_) => [].iter(),
            BoneTransform::Moving(tracks) => tracks.iter(),
        })
    }

    /// For each bone, the number of bones from it to the body's frame, itself included.
    pub(crate) fn depths(&self) -> Vec<usize> {
        let mut depths: Vec<usize> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            depths.push(link.parent.map_or(1, |parent| depths[parent].saturating_add(1)));
        }
        depths
    }

    /// The map of each bone into the frame of the body, at a time of the smooth interval that contains `within`.
    pub(crate) fn maps(&self, time: f64, within: f64) -> Vec<DAffine3> {
        let mut maps: Vec<DAffine3> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            let own = link.map.at(time, within);
            maps.push(link.parent.map_or(own, |parent| maps[parent] * own));
        }
        maps
    }

    /// Bounds of each bone's motion between two times of one smooth interval.
    pub(crate) fn bone_bounds(&self, span: TimeInterval) -> Vec<BoneBounds> {
        let middle = 0.5 * (span.start + span.end);
        let bounds = |link: &BoneTrack| {
            let map = link.map.at(middle, middle);
            let still = BoneBounds {
                parent: link.parent,
                map,
                frame: Rates::default(),
                scale: [norm(map.matrix3), 0.0, 0.0],
                offset: map.translation.length(),
                rounding: [Rounding::NONE; 2],
            };
            let BoneTransform::Moving(tracks) = &link.map else { return still };
            let [frame, scale] = [0, 1].map(|i| tracks[i].segment_at(middle));
            let (rates, scaling) = (frame.rates(span), scale.rates(span));
            let half = 0.5 * (span.end - span.start);
            let largest = scale.pose_at(middle).position().abs().max_element();
            let factors = [largest + times(scaling.speed, half), scaling.speed, scaling.speed_change];
            let offset = still.offset + times(rates.speed, half);
            let rounding = [frame.rounding(span, offset), scale.rounding(span, factors[0])];
            BoneBounds {
                frame: rates,
                scale: factors.map(|bound| bound * OUTSIDE),
                offset,
                rounding,
                ..still
            }
        };
        self.links.iter().map(bounds).collect()
    }
}

/// Points of a bone in the frame of the body, during an interval of the given length in seconds.
pub(crate) fn carried(
    mut points: BonePoints,
    bone: usize,
    bone_bounds: &[BoneBounds],
    seconds: f64,
) -> BonePoints {
    let mut next = Some(bone);
    while let Some(bounds) = next.map(|bone| &bone_bounds[bone]) {
        points = points.carried(bounds, 0.5 * seconds);
        next = bounds.parent;
    }
    points
}

impl BoneTransform {
    fn at(&self, time: f64, within: f64) -> DAffine3 {
        match self {
            Self::Still(map) => *map,
            Self::Moving(tracks) => {
                let [frame, scale] = [0, 1].map(|i| tracks[i].segment_at(within).pose_at(time));
                let rotation = DMat3::from_quat(frame.rotation());
                let matrix3 = rotation * DMat3::from_diagonal(scale.position());
                DAffine3 { matrix3, translation: frame.position() }
            }
        }
    }
}

impl BonePoints {
    /// An upper bound of the points' distance from the origin, within `half` seconds of the middle of the interval.
    pub(crate) fn reach(&self, half: f64) -> f64 {
        (self.centre.length() + self.radius + times(self.rates.speed, half)) * OUTSIDE
    }

    fn carried(&self, bounds: &BoneBounds, half: f64) -> Self {
        let [largest, first, second] = bounds.scale;
        let (reach, PointRates { speed, change, .. }) = (self.reach(half), self.rates);
        let stretched = PointRates {
            speed: times(first, reach) + times(largest, speed),
            change: times(second, reach) + 2.0 * times(first, speed) + times(largest, change),
            ..self.rates
        };
        let below = times(largest, reach);
        let [frame, scale] = bounds.rounding;
        let size = times(largest, self.size) + bounds.offset;
        let own = frame.at(below) + times(scale.shift, self.size) + COMPOSED * size;
        Self {
            centre: bounds.map.transform_point3(self.centre),
            radius: times(largest, self.radius) * OUTSIDE,
            rates: stretched.carried(&bounds.frame, below * OUTSIDE),
            size,
            rounding: times(largest, self.rounding) + own,
        }
    }
}

/// An upper bound of the factor by which a linear map lengthens any vector.
pub(crate) fn norm(linear: DMat3) -> f64 {
    let columns = [linear.x_axis, linear.y_axis, linear.z_axis];
    let all = columns.iter().map(|column| column.length_squared()).sum::<f64>().sqrt();
    // A diagonal map has a tight bound: most constant maps are diagonal.
    let is_diagonal =
        linear == DMat3::from_diagonal(DVec3::new(linear.x_axis.x, linear.y_axis.y, linear.z_axis.z));
    let largest = columns.iter().map(|column| column.abs().max_element()).fold(0.0, f64::max);
    (if is_diagonal { largest } else { all }) * OUTSIDE
}

/// The times at which some tracks are not smooth, up to the last of all keys, in order.
pub(crate) fn breaks<'t>(tracks: impl Iterator<Item = &'t Track>, end: f64) -> Vec<f64> {
    let moving = tracks.filter(|track| track.constant().is_none());
    let mut breaks: Vec<f64> = Vec::new();
    for track in moving {
        breaks.push(0.0);
        breaks.extend(track.0.iter().map(TrackSegment::end).filter(|time| *time <= end));
    }
    breaks.sort_by(f64::total_cmp);
    breaks.dedup();
    breaks
}

/// The times at which one of some tracks jumps, in order.
pub(crate) fn jumps<'t>(tracks: impl Iterator<Item = &'t Track>) -> Vec<f64> {
    let mut jumps: Vec<f64> = tracks.flat_map(Track::jumps).collect();
    jumps.sort_by(f64::total_cmp);
    jumps.dedup();
    jumps
}
