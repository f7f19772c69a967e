//! The options of a check of a scene, and its report. Times are in seconds, positions in the world, in metres.

use glam::DVec3;

use crate::features::contact::{Contact, ContactFeatures};
use crate::mesh_screw::query::{Options, UndecidedReason};
use crate::motion::ScrewAxis;
use crate::scene::nearest::NearestPair;
use crate::scene::pairing::{PairClass, PairCounts, RestingPairs, StaticPairs, TestedClasses};

/// The options of a check.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckOptions {
    /// Steps of work for each screw of each pair, after which the pair is undecided. A step takes between 10 ns and
    /// 1 us.
    pub budget: u64,
    /// Memory, in bytes, for each screw of each pair until it is decided; see [`Options::memory`]. If more is
    /// needed, the pair is undecided.
    pub memory: u64,
    /// The time up to which the scene is checked.
    pub horizon: Horizon,
    /// The pairs that the report lists.
    pub listed: PairListing,
    /// Whether pairs at rest are tested.
    pub resting: RestingPairs,
    /// Whether pairs of bodies that can never move are tested.
    pub statics: StaticPairs,
    /// Whether the report names the nearest pair if all pairs are clear.
    pub naming: NearestReport,
    /// Whether the results hold for surfaces or for points.
    pub guarantee: Guarantee,
    /// Whether every contact place at the start of an interval is reported: [`SceneInterval::contacts`].
    pub all_contacts: bool,
    /// Whether all events of pairs of meshes, rigid or deforming, are reported: [`PairReport::events`].
    pub events: bool,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            budget: Options::default().budget,
            memory: Options::default().memory,
            horizon: Horizon::default(),
            listed: PairListing::NotClear,
            resting: RestingPairs::default(),
            statics: StaticPairs::default(),
            naming: NearestReport::default(),
            guarantee: Guarantee::default(),
            all_contacts: false,
            events: false,
        }
    }
}

/// The report about a scene.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneReport {
    /// The worst verdict of all pairs; clear if there are no pairs.
    pub verdict: PairVerdict,
    /// The number of pairs tested: all except pairs of one group, ignored pairs, rigidly joined pairs, and pairs
    /// that [`CheckOptions::resting`] and [`CheckOptions::statics`] leave out.
    pub pairs_tested: usize,
    /// The pairs that were not tested.
    pub untested: SkippedPairs,
    /// The number of tested pairs that are proven clear.
    pub pairs_clear: usize,
    /// The listed pairs, in the order of the bodies.
    pub pairs: Vec<PairReport>,
    /// Overlaps of bodies that cannot move relative to each other; `None` with [`StaticPairs::Ignored`].
    pub overlaps: Option<ModelOverlaps>,
    /// Surfaces closer than this touch, in metres.
    pub tolerance: f64,
    /// The precision, in metres, for pairs with a solid, a cloud or a parametric surface, and for all pairs if only
    /// points are tested; `None` if there are no such bodies and the scene states no epsilon.
    pub epsilon: Option<f64>,
    /// Whether the results hold for surfaces or for points.
    pub guarantee: Guarantee,
    /// The time up to which the scene was to be checked.
    pub horizon: Horizon,
    /// Whether every contact place at the start of an interval is reported.
    pub all_contacts: bool,
    /// Whether the events of pairs are reported.
    pub events: bool,
    /// No pair touches until this time, in seconds: proven.
    pub clear_until: f64,
    /// Up to this time, in seconds, all pairs were examined, and everything else in the report holds. It is the
    /// duration, unless a check with [`Horizon::FirstContact`] found a contact, or the check was stopped.
    pub followed_until: f64,
    /// If all pairs are clear: the nearest pair, if it was requested.
    pub nearest: Option<NearestPair>,
    /// The bodies that are inside a closed surface that is not solid, without contact, in the order of the pairs.
    pub inside: Vec<Containment>,
}

/// Overlaps of bodies that can never move relative to each other. They belong to the model or the scene, are the
/// same for every motion, and do not affect the verdict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ModelOverlaps {
    /// The pairs of rigidly joined bodies that overlap, in the order of the bodies.
    pub assembled: Vec<[usize; 2]>,
    /// The pairs of bodies that can never move, and overlap, in the same order; empty if such pairs are tested.
    pub statics: Vec<[usize; 2]>,
    /// The number of these pairs that may overlap: their budget did not suffice to decide it. If the boxes of more
    /// than 512 pairs overlap, only pairs among the first bodies are examined, and this number is a lower bound.
    pub undecided: usize,
}

/// A body is inside the closed surface of another body that is not solid, which is no contact.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Containment {
    /// The number of the body that is inside, wholly or with a piece of its surface.
    pub inner: usize,
    /// The number of the body that contains it.
    pub outer: usize,
    /// The first time, in seconds, from which it is inside: the start, a jump or the end of a contact. It may enter
    /// again later. For a deforming body this time is found only early in the motion: among the first 16 intervals
    /// between its frames without contact. Bodies inside a deforming body are not reported.
    pub from: f64,
}

/// Two bodies that intersect at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntersectingPair {
    /// The numbers of the bodies A and B, the lower first.
    pub bodies: [usize; 2],
    /// All pairs of triangles of A and B with a common point, in order: exact for the vertices as they are placed.
    /// For round bodies these are triangles of the polyhedra that draw them; the list may be empty. It is also empty
    /// if one body is wholly inside the other, and the outer body is solid or both bodies are convex.
    pub triangles: Vec<[u32; 2]>,
}

/// The number of pairs of surfaces that were not tested, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SkippedPairs {
    /// Pairs at rest, if they are ignored.
    pub resting: usize,
    /// Rigidly joined pairs.
    pub joined: usize,
    /// Pairs of bodies that can never move.
    pub statics: usize,
    /// Pairs of one group or ignored; for a robot also links that one joint joins, and disabled links.
    pub exempt: usize,
}

impl SkippedPairs {
    /// The numbers of pairs whose class is not tested, and of exempt pairs.
    pub(crate) fn of(counts: &PairCounts, classes: TestedClasses) -> Self {
        let of = |class, count| if classes.has(class) { 0 } else { count };
        Self {
            resting: of(PairClass::Resting, counts.resting),
            joined: counts.joined,
            statics: of(PairClass::Static, counts.statics),
            exempt: counts.exempt,
        }
    }

    /// The number of untested pairs that do not move relative to each other and are not exempt.
    #[must_use]
    pub fn at_rest(&self) -> usize {
        self.resting + self.joined + self.statics
    }
}

/// The verdict about a pair of bodies, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PairVerdict {
    /// Proven: the surfaces never come closer than the tolerance and, if there is one, the clearance.
    Clear,
    /// Proven: the surfaces never touch; they come as close as the clearance.
    Near,
    /// Neither contact nor its absence could be proven.
    Undecided,
    /// The surfaces intersect or touch.
    Contact,
    /// At time 0 they intersect more deeply than the tolerance.
    Overlapping,
}

/// Whether the results of a check hold for surfaces or for points.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Guarantee {
    /// For the whole surfaces.
    #[default]
    Surfaces,
    /// For points alone, on their true curved paths (Algorithm 1 of the paper on arbitrary geometry): the points of
    /// each body against the surface, or the solid, of the other. No result holds between the points. The points of
    /// a mesh are its vertices; a cloud has its own points.
    Points {
        /// All other bodies have points on their surfaces, at most this distance apart, in metres; without a spacing
        /// they have no points.
        spacing: Option<f64>,
    },
}

/// The time up to which a scene is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Horizon {
    /// To the end of its duration.
    #[default]
    End,
    /// To the first contact of any pair. No contact comes before it, proven; later times are not examined. The
    /// report lists the pair with the first contact, and all others whose contact may come no later, as far as
    /// enclosures and undecided times show, each with the start of its first contact; the enclosure of its end
    /// extends to the duration. Clearances do not apply, events are not reported, and clear pairs are not listed.
    FirstContact,
}

/// The pairs that a report lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PairListing {
    /// Only the pairs that are not clear.
    #[default]
    NotClear,
    /// All tested pairs.
    All,
}

/// Whether a report in which all pairs are clear names the nearest pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NearestReport {
    /// The report names the pair. This takes up to a hundredth of a second more, which is much for a shorter check.
    #[default]
    Nearest,
    /// The report names no pair.
    Nothing,
}

/// The report about a pair of bodies.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PairReport {
    /// The numbers of the bodies A and B, the lower first.
    pub bodies: [usize; 2],
    /// The verdict.
    pub verdict: PairVerdict,
    /// The intervals in which the surfaces intersect or touch, in order; for a near pair, the intervals in which it
    /// is as close as the clearance. Complete outside of `undecided`.
    pub intervals: Vec<SceneInterval>,
    /// The pair does not touch until this time: proven.
    pub clear_until: f64,
    /// Intervals, in seconds, in which there may be contact that is not among `intervals`.
    pub undecided: Vec<[f64; 2]>,
    /// Why there are undecided intervals, or why an enclosure is wide.
    pub reason: Option<PairUndecidedReason>,
    /// The maximum distance, in metres, of the examined shapes and motions from the true ones. The enclosures and
    /// the verdict already include it.
    pub deviation: f64,
    /// Enclosure of the minimum distance over the whole duration, in metres: for near pairs, and for clear pairs
    /// with [`PairListing::All`].
    pub gap: Option<[f64; 2]>,
    /// A time, in seconds, at which the gap is at most the upper end of `gap`; at a jump, just before or after it.
    pub gap_time: Option<f64>,
    /// The precision for the pair, in metres, if one of the bodies is a solid, a cloud or a parametric surface, or
    /// if the scene states an epsilon; two meshes or primitives are decided at least as precisely.
    pub epsilon: Option<f64>,
    /// With [`CheckOptions::events`](crate::CheckOptions::events), for two meshes or a mesh with itself: all pairs
    /// of features that meet during the scene, each once, with the first time, sorted by time, then features. Empty
    /// for other pairs.
    pub events: Vec<SceneEvent>,
}

/// The first meeting of two features.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneEvent {
    /// The features, by the numbers of vertices and triangles. In a mesh with itself they have no common vertex, and
    /// the lower of two edges comes first.
    pub features: ContactFeatures,
    /// Enclosure of the first time, in seconds; decided exactly if all vertices move along straight lines in the
    /// frame that carries both bodies, otherwise up to 1e-6 of the size.
    pub time: [f64; 2],
    /// The point at which they meet, in the world, in metres.
    pub point: DVec3,
    /// Unit vector from A's feature to B's as they come together.
    pub normal: DVec3,
}

/// An interval of time in which two surfaces intersect or touch.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneInterval {
    /// Enclosure of its start; [0, 0] if the surfaces intersect or touch from the start of the scene.
    pub enter: [f64; 2],
    /// Enclosure of its end; `None` if it lasts until the end of the scene.
    pub exit: Option<[f64; 2]>,
    /// The contact at its start; `None` if it starts at time 0 or at a jump, or if straight paths near the paths of
    /// a deforming body are inconclusive.
    pub contact: Option<SceneContact>,
    /// With [`CheckOptions::all_contacts`](crate::CheckOptions::all_contacts): every separate contact place at the
    /// start of the interval, in the order of the features of A, then B. Empty if bodies overlap at time 0.
    pub contacts: Vec<SceneContact>,
    /// Whether the surfaces are known only to touch, and nowhere in the interval to intersect.
    pub touching: bool,
}

/// The contact at the start of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneContact {
    /// Features, point and normal in the world, `time` in seconds, `approach_speed` in metres per second. For a
    /// round body the features are [`Surfaces`](crate::ContactFeatures::Surfaces).
    pub contact: Contact,
    /// The number of the body that moves.
    pub moving: usize,
    /// The number of the body in whose frame it moves.
    pub static_body: usize,
    /// The screw of `moving` in the frame of `static_body`, given in the world at the time of the contact; `None` if
    /// either body deforms.
    pub axis: Option<ScrewAxis>,
    /// Whether `moving` moves along that screw over the whole `interval`. Otherwise the screw is one of many that
    /// approximate the motion, and says little: `velocity` describes the contact.
    pub is_exact: bool,
    /// The velocity of A relative to B at the contact point, at the start of the contact, in the world, in metres
    /// per second. Its component along the normal is the approach speed; the rest is sliding. `None` if either body
    /// deforms.
    pub velocity: Option<DVec3>,
    /// The interval, in seconds, over which the axis' slide and angle extend; if a body deforms, the interval
    /// between two frames or breaks of a motion.
    pub interval: [f64; 2],
}

/// Why not everything about a pair could be proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PairUndecidedReason {
    /// The budget was used up.
    Budget,
    /// The check needed more than the allowed memory.
    Memory,
    /// The rounding of coordinates that far from the origin hides whether the surfaces touch.
    Rounding,
    /// The check was stopped.
    Stopped,
    /// Only points were to be tested, and neither body has any.
    NoPoints,
}

impl PairReport {
    /// The report of a pair that is clear during the whole duration, in seconds, and whose distance is not requested.
    #[must_use]
    pub fn clear(bodies: [usize; 2], duration: f64) -> Self {
        Self {
            bodies,
            verdict: PairVerdict::Clear,
            intervals: Vec::new(),
            clear_until: duration,
            undecided: Vec::new(),
            reason: None,
            deviation: 0.0,
            gap: None,
            gap_time: None,
            epsilon: None,
            events: Vec::new(),
        }
    }

    /// The report of a pair that was not examined.
    pub(crate) fn unexamined(bodies: [usize; 2], duration: f64, reason: PairUndecidedReason) -> Self {
        Self {
            verdict: PairVerdict::Undecided,
            clear_until: 0.0,
            undecided: vec![[0.0, duration]],
            reason: Some(reason),
            ..Self::clear(bodies, duration)
        }
    }

    /// Sets the time until which the pair is clear: the start of the first interval, decided or undecided, or else
    /// the duration.
    pub(crate) fn set_clear_until(&mut self, duration: f64) {
        let starts = self.intervals.iter().map(|interval| interval.enter[0]);
        let undecided = self.undecided.iter().map(|undecided| undecided[0]);
        self.clear_until = starts.chain(undecided).fold(duration, f64::min);
    }

    /// Limits times to the duration: a jump at the end has its events just after it.
    pub(crate) fn end_at(&mut self, duration: f64) {
        for interval in &mut self.intervals {
            interval
                .enter
                .iter_mut()
                .chain(interval.exit.iter_mut().flatten())
                .for_each(|time| *time = time.min(duration));
        }
        self.undecided.iter_mut().flatten().for_each(|time| *time = time.min(duration));
        self.gap_time = self.gap_time.map(|time| time.min(duration));
    }
}

impl SceneInterval {
    /// An interval without contacts.
    pub(crate) fn new(enter: [f64; 2], exit: Option<[f64; 2]>) -> Self {
        Self { enter, exit, contact: None, contacts: Vec::new(), touching: false }
    }
}

impl From<UndecidedReason> for PairUndecidedReason {
    fn from(reason: UndecidedReason) -> Self {
        match reason {
            UndecidedReason::Budget => Self::Budget,
            UndecidedReason::Memory => Self::Memory,
            // Motions of a scene are exact, so the reason is rounding.
            UndecidedReason::Rounding | UndecidedReason::Deviation => Self::Rounding,
        }
    }
}
