//! Collisions of two meshes along a screw, found with pixels (Buss 2005, "Collision detection with relative screw
//! motion", section "Pixel algorithm").
//!
//! A's leading and B's trailing parts are drawn on the screen, each once ([`parts`], [`curve`]). If edges of both
//! touch a pixel ([`cells`], [`crossings`]), or a vertex lies in a face ([`covered`]), the two features cover each
//! other, and [`meet`] computes the times at which they collide. The work does not depend on how deeply the bodies
//! overlap: it consists of drawing, and of the pairs that cover each other within the time of the motion.
//!
//! Read [`pixel_collisions`] first.

pub(crate) mod chart;
pub(crate) mod parts;
pub(crate) mod curve;
pub(crate) mod cells;
pub(crate) mod meet;
pub(crate) mod crossings;
pub(crate) mod covered;

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::error::Error;
use crate::features::screw_motion::ScrewMotion;
use crate::math::budget::{Budget, OutOfBudget, price_of_turns};
use crate::motion::Screw;
use crate::screen::facing::Role;
use crate::screen::pixels::chart::{PixelChart, collision_interval};
use crate::screen::pixels::covered::{CoverQuery, covered};
use crate::screen::pixels::crossings::crossings;
use crate::screen::pixels::meet::{PixelCollision, PixelMeetings};
use crate::screen::pixels::parts::VisibleParts;
use crate::screen::proper::MatchingParts;
use crate::trajectory::watch::ProgressMonitor;

/// The resolution, and the limits of work and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelOptions {
    /// Pixels per diagonal of the bounding box of the smaller mesh, at least 1. The paper's levels are
    /// [`LOW`](Self::LOW), [`MEDIUM`](Self::MEDIUM) and [`HIGH`](Self::HIGH).
    pub resolution: u32,
    /// Steps of work after which the outcome is [`PixelOutcome::OutOfBudget`]. A step takes between 2 ns and 1 us.
    pub budget: u64,
    /// Bytes for the drawing and the collisions; if more are needed, the outcome is [`PixelOutcome::OutOfMemory`].
    /// The memory for each vertex, edge and face of the meshes is not counted.
    pub memory: u64,
}

impl PixelOptions {
    /// Low resolution.
    pub const LOW: u32 = 32;
    /// Medium resolution.
    pub const MEDIUM: u32 = 128;
    /// High resolution.
    pub const HIGH: u32 = 512;
}

impl Default for PixelOptions {
    fn default() -> Self {
        Self { resolution: Self::MEDIUM, budget: 500_000_000, memory: 1 << 29 }
    }
}

/// Whether the drawing is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PixelOutcome {
    /// Everything was drawn: all collisions are listed.
    Complete,
    /// The budget was used up: collisions may be missing.
    OutOfBudget,
    /// The memory was used up: collisions may be missing.
    OutOfMemory,
}

/// The collisions found with pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct PixelCollisions {
    /// Sorted by time, then features; no pair of features twice at the same time.
    pub collisions: Vec<PixelCollision>,
    /// Whether these are all collisions.
    pub outcome: PixelOutcome,
    /// The side of a pixel, in metres: the diagonal of the bounding box of the smaller mesh divided by the
    /// resolution.
    pub pixel: f64,
    /// The resolution from the options.
    pub resolution: u32,
}

/// A motion slower than this, in pixels per whole motion, counts as no motion: its times would be rounding errors.
const STILL: f64 = 1e-9;

/// Features this close at the root of their function count as a collision, in pixels: far below the promised
/// accuracy, far above rounding.
const MARGIN: f64 = 1.0 / 1024.0;

/// Finds the collisions of body `a`, moving along `screw`, with the static body `b`, using pixels: proper and
/// improper ones, between leading parts of A and trailing parts of B. The screw leads from A's frame to B's. Bodies
/// that overlap at the start are no special case.
///
/// Accuracy, with p = `pixel`: at the time of a collision its features are within p / 1000 of each other. Every
/// collision that the proven search finds between parts that matter is listed, at any resolution, unless rounding
/// decides whether it is a collision, or it lies on the axis. The result is not proven: use
/// [`all_contacts`](crate::all_contacts) for proofs.
///
/// The work consists of drawing edges and vertices, which is proportional to the resolution, and of computing the
/// pairs that cover each other within the time of the motion; it does not grow as bodies overlap more deeply. Meshes
/// without extent and motions of less than a billionth of a pixel have no collisions.
///
/// # Errors
/// A resolution of 0.
pub fn pixel_collisions(
    a: &PreparedMesh,
    b: &PreparedMesh,
    screw: &Screw,
    options: &PixelOptions,
) -> Result<PixelCollisions, Error> {
    pixel_collisions_watched((a, b), screw, options, &())
}

/// As [`pixel_collisions`], and also stops when a monitor reports that it is over, as if the budget had run out.
///
/// # Errors
/// As [`pixel_collisions`].
pub fn pixel_collisions_watched(
    (a, b): (&PreparedMesh, &PreparedMesh),
    screw: &Screw,
    options: &PixelOptions,
    watch: &dyn ProgressMonitor,
) -> Result<PixelCollisions, Error> {
    let resolution = options.resolution;
    if resolution == 0 {
        return Error::out_of_range(0.0, "at least 1", "resolution");
    }
    let motion = ScrewMotion::new(a.mesh(), b.mesh(), screw);
    let size = a.mesh().diagonal().min(b.mesh().diagonal());
    let pixel = size / f64::from(resolution);
    let mut answer =
        PixelCollisions { collisions: Vec::new(), outcome: PixelOutcome::Complete, pixel, resolution };
    let Some(chart) = chart_of(a, b, &motion) else { return Ok(answer) };
    // The negation also holds if either number is NaN.
    if !(pixel > 0.0 && chart.speed > STILL * pixel) {
        return Ok(answer);
    }
    if are_separated(&chart, a, b, &motion) {
        return Ok(answer);
    }
    let surfaces = MatchingParts::new(a.mesh(), b.mesh(), &motion);
    let is_over = || watch.is_over();
    let steps = options.budget / price_of_turns(screw.angle());
    let budget = &mut Budget::new(steps).with_memory(options.memory).watched(Some(&is_over));
    let margin = MARGIN * pixel;
    let mut meetings = PixelMeetings::new(&surfaces, margin, chart.speed);
    let parts = [&surfaces.a, &surfaces.b].map(|faced| VisibleParts::new(faced, &chart));
    let mut draw = || -> Result<(), OutOfBudget> {
        let [of_a, of_b] = parts.each_ref();
        let vertices_of_a = CoverQuery { vertices: &of_a.vertices, faces: &of_b.faces, of: Role::A };
        let vertices_of_b = CoverQuery { vertices: &of_b.vertices, faces: &of_a.faces, of: Role::B };
        covered(&chart, &vertices_of_a, margin, &mut meetings, budget)?;
        covered(&chart, &vertices_of_b, margin, &mut meetings, budget)?;
        crossings(&chart, parts.each_ref(), pixel, &mut meetings, budget)
    };
    if draw().is_err() {
        let lacks_memory = budget.lacks_memory();
        answer.outcome = if lacks_memory { PixelOutcome::OutOfMemory } else { PixelOutcome::OutOfBudget };
    }
    answer.collisions = sorted(meetings.found, margin / chart.speed);
    Ok(answer)
}

/// The chart with its origin at the smaller body.
fn chart_of(a: &PreparedMesh, b: &PreparedMesh, motion: &ScrewMotion) -> Option<PixelChart> {
    let (of_a, of_b) = (a.mesh().diagonal(), b.mesh().diagonal());
    let near = if of_a < of_b { motion.offset } else { DVec3::ZERO };
    PixelChart::new(motion, near, of_a.min(of_b))
}

/// Whether balls around the bodies pass each other, or do not reach each other in time (first step of the paper).
fn are_separated(chart: &PixelChart, a: &PreparedMesh, b: &PreparedMesh, motion: &ScrewMotion) -> bool {
    // The enlargement covers the rounding of the balls.
    let ball = |centre, body: &PreparedMesh| chart.extent_of_ball(centre, 1.000_001 * body.mesh().radius());
    let (of_a, of_b) = (ball(motion.offset, a), ball(DVec3::ZERO, b));
    let turns = chart.turns(&of_a, &of_b);
    // With more turns than this, the test costs more than it saves.
    if turns.end().saturating_sub(*turns.start()) > 64 {
        return false;
    }
    turns.into_iter().all(|turns| {
        let of_a = of_a.shifted(chart.shift(turns));
        !of_a.enlarged(1e-9 * chart.speed).overlaps(&of_b) || collision_interval(of_a.tau, of_b.tau).is_none()
    })
}

/// Sorts by time. If a pair of features has several times closer than `same`, only the first remains.
fn sorted(mut collisions: Vec<PixelCollision>, same: f64) -> Vec<PixelCollision> {
    let same = same.clamp(1e-9, 1e-3);
    collisions.sort_unstable_by(|x, y| x.features.cmp(&y.features).then(x.time.total_cmp(&y.time)));
    collisions
        .dedup_by(|later, earlier| later.features == earlier.features && later.time - earlier.time <= same);
    collisions.sort_unstable_by(|x, y| x.time.total_cmp(&y.time).then(x.features.cmp(&y.features)));
    collisions
}
