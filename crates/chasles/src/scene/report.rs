//! What is asked of a check of a scene, and its report. Times are in seconds, places in the world, in metres.

use glam::DVec3;

use crate::features::contact::{Contact, ContactFeatures};
use crate::mesh_screw::query::{Options, UndecidedReason};
use crate::motion::ScrewAxis;
use crate::scene::nearest::NearestPair;
use crate::scene::pairing::{PairClass, PairCounts, RestingPairs, StaticPairs, TestedClasses};
use crate::trajectory::within_distance::WithinInterval;

/// What is asked of a check.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckOptions {
    /// Steps of work for each screw of each pair, after which the pair is undecided. A step takes between 10 ns and 1
    /// us.
    pub budget: u64,
    /// Bytes for what is kept of each screw of each pair until the answer is known; see [`Options::memory`]. Where more
    /// are needed, the pair is undecided.
    pub memory: u64,
    /// How far the scene is followed.
    pub horizon: Horizon,
    /// Which pairs the report lists.
    pub listed: PairListing,
    /// Whether pairs at rest are tested.
    pub standing: RestingPairs,
    /// Whether pairs of bodies that can never move are tested.
    pub statics: StaticPairs,
    /// Whether the report names the pair that comes nearest where all are clear.
    pub naming: NearestReport,
    /// What the answers are to hold for.
    pub guarantee: Guarantee,
    /// Whether every place is told at which an interval begins: [`SceneInterval::contacts`].
    pub all_contacts: bool,
    /// Whether all events of pairs of meshes are told, standing or deforming: [`PairReport::events`].
    pub events: bool,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            budget: Options::default().budget,
            memory: Options::default().memory,
            horizon: Horizon::default(),
            listed: PairListing::NotClear,
            standing: RestingPairs::default(),
            statics: StaticPairs::default(),
            naming: NearestReport::default(),
            guarantee: Guarantee::default(),
            all_contacts: false,
            events: false,
        }
    }
}

/// The answer about a scene.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneReport {
    /// The worst of all pairs; clear where there is none.
    pub verdict: PairVerdict,
    /// The number of pairs tested: all except pairs of one group, ignored pairs, rigidly joined pairs, and pairs that
    /// [`CheckOptions::standing`] and [`CheckOptions::statics`] leave out.
    pub pairs_tested: usize,
    /// The pairs that were not tested.
    pub untested: SkippedPairs,
    /// How many of these are proven clear.
    pub pairs_clear: usize,
    /// The pairs that are listed, in the order of the bodies.
    pub pairs: Vec<PairReport>,
    /// Overlaps of bodies that cannot move relative to each other; `None` with [`StaticPairs::Ignored`].
    pub overlaps: Option<ModelOverlaps>,
    /// Surfaces closer than this touch, in metres.
    pub tolerance: f64,
    /// How exactly pairs with a solid, a cloud or a parametric surface are told, and all pairs of which only points are
    /// followed, in metres; `None` where there are no such bodies, and the scene states no epsilon.
    pub epsilon: Option<f64>,
    /// What the answers hold for.
    pub guarantee: Guarantee,
    /// How far the scene was to be followed.
    pub horizon: Horizon,
    /// Whether every place is told at which an interval begins.
    pub all_contacts: bool,
    /// Whether the events of pairs are told.
    pub events: bool,
    /// Until this time, in seconds, nothing touches: proven.
    pub clear_until: f64,
    /// Up to this time, in seconds, all pairs were followed: all else in the report holds until then. It is the duration,
    /// unless [`Horizon::FirstContact`] was asked for and bodies meet, or the check was stopped.
    pub followed_until: f64,
    /// Where all pairs are clear: the pair that comes nearest, if that was asked for.
    pub nearest: Option<NearestPair>,
    /// The bodies that are inside a closed surface that is not solid, without contact, in the order of the pairs.
    pub inside: Vec<Containment>,
}

/// Overlaps of bodies that can never move relative to each other. They belong to the model or the scene, and have no
/// part in the verdict. They are the same for every motion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ModelOverlaps {
    /// The pairs of rigidly joined bodies that overlap, in the order of the bodies.
    pub assembled: Vec<[usize; 2]>,
    /// The pairs of bodies that can never move, and overlap, in that order; empty if such pairs are tested.
    pub statics: Vec<[usize; 2]>,
    /// The number of these pairs that may overlap: the work allowed for them did not decide it. If the boxes of more
    /// than 512 pairs meet, only pairs among the first bodies are examined, and this number is a lower bound.
    pub undecided: usize,
}

/// A body is inside the closed surface of another that is not solid, so that this is no contact.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Containment {
    /// The number of the body that is inside, wholly or with a piece of its surface.
    pub inner: usize,
    /// The number of the body that it is inside of.
    pub outer: usize,
    /// The first time, in seconds, from which it is inside: the start, a jump or the end of a contact. It may come
    /// inside again later. Of a body that deforms it is found only early in the motion: among the first 16 spans between
    /// its frames without contact. What is inside of one that deforms is not told.
    pub from: f64,
}

/// Two bodies that intersect at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntersectingPair {
    /// The numbers of the bodies A and B, the lower first.
    pub bodies: [usize; 2],
    /// All pairs of triangles of A and B that have a point in common, in order: exact for the corners as they are
    /// placed. For round bodies they are triangles of the polyhedra that show them; there may be none. There are none,
    /// too, where one body is wholly inside the other, and the outer one is solid or both are convex.
    pub triangles: Vec<[u32; 2]>,
}

/// How many pairs of surfaces were not tested, by the reason.
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
    pub fn standing(&self) -> usize {
        self.resting + self.joined + self.statics
    }
}

/// The verdict about a pair of bodies; the later, the worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PairVerdict {
    /// Proven: the surfaces never come closer than the tolerance, nor, where a clearance is asked for, than that.
    Clear,
    /// Proven: the surfaces never touch; they come as close as the clearance.
    Near,
    /// Neither contact nor its absence could be proven.
    Undecided,
    /// The surfaces meet.
    Contact,
    /// At time 0 they intersect more deeply than the tolerance.
    Overlapping,
}

/// What the answers of a check hold for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Guarantee {
    /// For the whole surfaces.
    #[default]
    Surfaces,
    /// For points alone, on their true curved paths (Algorithm 1 of the paper on arbitrary geometry): those of each body
    /// against the surface, or the solid, of the other. Between the points nothing is promised. A mesh has its
    /// vertices, a cloud its points.
    Points {
        /// All other bodies have points on their surfaces at most so far apart, in metres; without a spacing none.
        spacing: Option<f64>,
    },
}

/// How far a scene is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Horizon {
    /// To the end of its duration.
    #[default]
    End,
    /// To the first contact of any pair: nothing comes before it, proven, and what comes after it is not looked at. The
    /// report lists the pair that meets first, and all others that may meet no later, as far as enclosures and doubts tell,
    /// each with the begin of its first contact; the enclosure of its end reaches to the duration. Clearances play no
    /// part, events are not told, and clear pairs are not listed.
    FirstContact,
}

/// Which pairs a report lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PairListing {
    /// Only the pairs that are not clear.
    #[default]
    NotClear,
    /// All that were tested.
    All,
}

/// Whether a report in which all pairs are clear names the one that comes nearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NearestReport {
    /// It names the pair, which takes up to a hundredth of a second more: much, where the check takes less.
    #[default]
    Nearest,
    /// It names none.
    Nothing,
}

/// The answer about a pair of bodies.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PairReport {
    /// The numbers of the bodies A and B, the lower first.
    pub bodies: [usize; 2],
    /// The verdict.
    pub verdict: PairVerdict,
    /// The spans of time during which the surfaces intersect or touch, in order; for a pair that is near, the spans
    /// during which it is as close as the clearance. Complete outside of `undecided`.
    pub intervals: Vec<SceneInterval>,
    /// Until this time nothing touches: proven.
    pub clear_until: f64,
    /// Stretches of time, in seconds, in which there may be contact that is not among the intervals.
    pub undecided: Vec<[f64; 2]>,
    /// Why there are such stretches, or why an enclosure is wide.
    pub doubt: Option<PairUndecidedReason>,
    /// How far, in metres, the examined shapes and motions may lie from the true ones. The enclosures and the verdict
    /// already include it.
    pub deviation: f64,
    /// Enclosure of the least distance during the whole time, in metres: for pairs that are near, and for clear ones
    /// where [`PairListing::All`] is asked for.
    pub gap: Option<[f64; 2]>,
    /// A time, in seconds, at which the gap is no more than the upper end of `gap`; at a jump, just before or after it.
    pub gap_time: Option<f64>,
    /// How exactly the pair was told, in metres, where one of the bodies is a solid, a cloud or a parametric surface, or
    /// the scene states an epsilon: two meshes or primitives are told at least as exactly.
    pub epsilon: Option<f64>,
    /// Where [`CheckOptions::events`](crate::CheckOptions::events) asks for them, of two meshes or a mesh with itself: every
    /// two features that meet during the scene, once, with the first time, sorted by time, then features. Empty of others.
    pub events: Vec<SceneEvent>,
}

/// Two features that meet, and when they first do.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneEvent {
    /// The features, by the numbers of vertices and triangles. In a pair with itself they have no common vertex, and of
    /// two edges the lesser comes first.
    pub features: ContactFeatures,
    /// Enclosure of the first time, in seconds; decided exactly where all vertices go along straight lines in the frame
    /// that carries both bodies, up to 1e-6 of the size elsewhere.
    pub time: [f64; 2],
    /// Where they meet, in the world, in metres.
    pub point: DVec3,
    /// Unit vector from A's feature to B's as they come together.
    pub normal: DVec3,
}

/// A span of time during which two surfaces intersect or touch.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneInterval {
    /// Enclosure of its begin; [0, 0] where they do so from the start.
    pub enter: [f64; 2],
    /// Enclosure of its end; `None` where they still do at the end.
    pub exit: Option<[f64; 2]>,
    /// The contact with which it begins; `None` where that is at time 0 or at a jump, or where straight ways near those of
    /// a body that deforms do not tell.
    pub contact: Option<SceneContact>,
    /// Where [`CheckOptions::all_contacts`](crate::CheckOptions::all_contacts) asks for them: every separate place that
    /// touches as the interval begins, in the order of the features of a, then b. Empty where bodies overlap at time 0.
    pub contacts: Vec<SceneContact>,
    /// Whether the surfaces are nowhere in it known to intersect, only to touch.
    pub touching: bool,
}

/// The contact with which an interval begins.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SceneContact {
    /// Features, point and normal in the world, `time` in seconds, `approach_speed` in metres a second. For a round
    /// body the features are [`Surfaces`](crate::ContactFeatures::Surfaces).
    pub contact: Contact,
    /// The number of the body that moves.
    pub moving: usize,
    /// The number of the body as seen from which it moves.
    pub standing: usize,
    /// The screw along which `moving` moves as seen from `standing`, drawn in the world at the time of the contact; `None`
    /// where either deforms.
    pub axis: Option<ScrewAxis>,
    /// Whether `moving` moves along that screw over the whole `span`. Elsewhere it is one of many that were taken in place
    /// of a motion that is no screw, and says little: `velocity` tells how the bodies meet.
    pub is_exact: bool,
    /// The velocity of `a` as seen from `b` at the point of the contact, as it begins: in the world, in metres a second. Its
    /// part along the normal is the speed of approach, and the rest is how they slide. `None` where either deforms.
    pub velocity: Option<DVec3>,
    /// The time over which the axis' slide and angle extend, in seconds; where a body deforms, the time between two frames
    /// or breaks of a motion.
    pub span: [f64; 2],
}

/// Why not everything about a pair could be proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PairUndecidedReason {
    /// The budget was used up.
    Budget,
    /// The check had to keep more than the memory that was allowed.
    Memory,
    /// Whether the surfaces touch lies below the rounding of coordinates that far from the origin.
    Rounding,
    /// The check was stopped.
    Stopped,
    /// Only points were to be followed, and neither body has any.
    NoPoints,
}

impl PairReport {
    pub(crate) fn clear(bodies: [usize; 2], duration: f64) -> Self {
        Self {
            bodies,
            verdict: PairVerdict::Clear,
            intervals: Vec::new(),
            clear_until: duration,
            undecided: Vec::new(),
            doubt: None,
            deviation: 0.0,
            gap: None,
            gap_time: None,
            epsilon: None,
            events: Vec::new(),
        }
    }

    /// Sets the contacts, the times at which contact is undecided, and the verdict that follows. `overlaps`: whether the
    /// bodies are in each other at the start by more than the tolerance.
    pub(crate) fn set_contacts(
        &mut self,
        contacts: Vec<SceneInterval>,
        undecided: Vec<[f64; 2]>,
        overlaps: bool,
    ) {
        self.verdict = match (overlaps, contacts.is_empty(), undecided.is_empty()) {
            (true, ..) => PairVerdict::Overlapping,
            (false, false, _) => PairVerdict::Contact,
            (false, true, true) => PairVerdict::Clear,
            (false, true, false) => PairVerdict::Undecided,
        };
        (self.intervals, self.undecided) = (contacts, undecided);
    }

    /// Sets the intervals within the clearance of a pair without contact, the times at which this is undecided, and the
    /// verdict that follows.
    pub(crate) fn set_near(&mut self, near: Vec<SceneInterval>, undecided: Vec<[f64; 2]>) {
        self.verdict = match (near.is_empty(), undecided.is_empty()) {
            (false, _) => PairVerdict::Near,
            (true, true) => PairVerdict::Clear,
            (true, false) => PairVerdict::Undecided,
        };
        (self.intervals, self.undecided) = (near, undecided);
    }

    /// Sets the time until which the pair is clear: the start of the first interval, decided or not, or else the duration.
    pub(crate) fn set_clear_until(&mut self, duration: f64) {
        let starts = self.intervals.iter().map(|interval| interval.enter[0]);
        let undecided = self.undecided.iter().map(|undecided| undecided[0]);
        self.clear_until = starts.chain(undecided).fold(duration, f64::min);
    }

    /// Moves times after the duration to it: a jump at the end has its events just after.
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
    /// A span within the clearance.
    pub(crate) fn near(span: &WithinInterval) -> Self {
        Self { enter: span.enter, exit: span.exit, contact: None, contacts: Vec::new(), touching: false }
    }
}

impl From<UndecidedReason> for PairUndecidedReason {
    fn from(doubt: UndecidedReason) -> Self {
        match doubt {
            UndecidedReason::Budget => Self::Budget,
            UndecidedReason::Memory => Self::Memory,
            // Motions of a scene are exact, so a doubt comes from rounding.
            UndecidedReason::Rounding | UndecidedReason::Deviation => Self::Rounding,
        }
    }
}
