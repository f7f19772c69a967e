//! Faces that lie on each other, up to rounding: the volumes of edges and faces are zero, and decide nothing.
//!
//! Let p be a point fixed on face A that stays inside the border of face B, projected along B's normal. If the
//! height of p above B changes its sign, p passes through B: the faces share a point at some time. If the height
//! stays below a distance, so does the distance of the faces. The height is a cubic function of time divided by the
//! length of the normal, and the barycentric coordinates of p are quartic functions divided by its square. Their
//! Bernstein coefficients bound them.
//!
//! Vertices may deviate from their straight paths by a length. The proofs hold for the true paths.

use glam::DVec3;

use crate::deformable::elementary::crossings::{
    Line, ROUNDINGS, SIZES, WEIGHT_ROUNDINGS, cross, cubic, quartic,
};
use crate::deformable::elementary::exactly::IntegerProblem;
use crate::deformable::elementary::features::{MovingFeatures, MovingKind};
use crate::deformable::step::candidates::SurfacePair;
use crate::deformable::step::cover::{
    HalvingLimits, OpenDistance, SHORT, StepIntervals, halved, intervals_of_cover,
    intervals_of_cover_with_touches,
};
use crate::deformable::step::faces::MovingTriangles;
use crate::deformable::step::meeting_intervals::{Accuracy, TouchingConditions};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::interval::Side;
use crate::math::time_interval::IntervalSet;

/// The maximum number of pairs of faces if volumes are inconclusive, and of open time intervals in a window.
const MAX_PAIRS: usize = 1 << 20;
const MAX_OPEN: usize = 64;

/// The maximum number of samples in a window: per pair of faces, and in addition for all.
const SAMPLES_A_PAIR: u64 = 16;
const SAMPLES: u64 = 1 << 14;

/// Flat contacts are searched down to this fraction of a window.
const SIXTEENTH: f64 = 1.0 / 16.0;

/// Lengths below this fraction of a face's size count as zero in estimates.
const NEGLIGIBLE: f64 = 1e-9;

/// The cost of a test for coplanarity, in steps of the budget.
const STEPS_A_PLANE: u64 = 100;

/// An undecided window is enlarged by these fractions of its length until the signs at its ends are certain.
const WIDER: [f64; 3] = [0.0, 1.0, 16.0];

/// The times at which surfaces meet or touch, if vertices may deviate from their straight paths. Volumes leave
/// undecided windows of time, in which faces may pass through each other or be within the touching distance.
///
/// # Errors
/// [`OutOfBudget`].
pub(super) fn contact_intervals_with_touches(
    sides: &SurfacePair<'_>,
    cover: &IntervalSet,
    windows: &[[f64; 2]],
    accuracy: &Accuracy,
    budget: &mut Budget<'_>,
) -> Result<StepIntervals, OutOfBudget> {
    let TouchingConditions { distance, narrowest } = accuracy.touching;
    let is_whole = narrowest >= 1.0;
    if windows.is_empty() || is_whole && *windows != [[0.0, 1.0]] {
        return Ok(intervals_of_cover(cover, windows.iter().copied()));
    }
    let pairs = pairs_of_faces(sides, budget)?;
    let faces_of = |faces: [u32; 2]| FacesOnEachOther::new(sides, faces, accuracy.deviation);
    let (mut touched, mut crossed) = (IntervalSet::default(), Vec::new());
    for (i, window) in windows.iter().enumerate() {
        let [from, to] = *window;
        let before = if i > 0 { windows[i - 1][1] } else { 0.0 };
        let after = windows.get(i + 1).map_or(1.0, |next| next[0]);
        let bounds = cover.gap_around(*window, [before, after]);
        // Signs are often certain only a little outside of the window.
        let wider = WIDER.map(|fraction| {
            let by = fraction * (to - from);
            [(from - by).max(bounds[0]), (to + by).min(bounds[1])]
        });
        let mut is_crossed = false;
        for faces in pairs.iter().filter(|_| !is_whole) {
            budget.step()?;
            let own = faces_of(*faces);
            is_crossed = wider.iter().any(|span| own.relation_between(*span, 0.0) == FaceRelation::Crossed);
            if is_crossed {
                crossed.push(*window);
                break;
            }
        }
        if is_crossed && to - from <= SHORT {
            continue;
        }
        let limits = HalvingLimits { narrowest, max_open: MAX_OPEN };
        let mut part = budget.part(SAMPLES_A_PAIR * pairs.len() as u64 + SAMPLES);
        let whole = part.remaining();
        let near = halved(pairs.clone(), *window, limits, &mut part, |faces, span, budget| {
            budget.step()?;
            if faces_of(faces).relation_between(span, distance) == FaceRelation::Near {
                return Ok(Side::Within);
            }
            let gap = MovingTriangles::new(sides, faces).gap(span, distance.next_up());
            Ok(if gap.lower > distance + 2.0 * accuracy.deviation {
                Side::Beyond
            } else {
                Side::Undecided(OpenDistance { upper: gap.upper, touched: None })
            })
        });
        budget.take(whole - part.remaining())?;
        // If the samples do not suffice, the window stays undecided.
        if let Ok((near, _)) = near {
            near.as_slice().iter().for_each(|span| touched.add(*span));
        }
    }
    Ok(intervals_of_cover_with_touches(cover, &touched, windows, crossed))
}

/// Intervals within windows of time in which two faces are coplanar, exactly, and overlap. Some may be missed: the
/// search stops at 16ths of a window, and at the first pair of faces that overlap in all windows.
///
/// # Errors
/// [`OutOfBudget`].
pub(super) fn flat_contacts(
    sides: &SurfacePair<'_>,
    windows: &[[f64; 2]],
    budget: &mut Budget<'_>,
) -> Result<IntervalSet, OutOfBudget> {
    let mut flat = IntervalSet::default();
    let mut sample = |faces: [u32; 2], span: [f64; 2], budget: &mut Budget<'_>| {
        budget.step()?;
        match FacesOnEachOther::new(sides, faces, 0.0).in_one_plane(span) {
            None => Ok(Side::Beyond),
            Some(false) => Ok(Side::Undecided(OpenDistance { upper: f64::INFINITY, touched: None })),
            Some(true) => {
                budget.take(STEPS_A_PLANE)?;
                Ok(if are_in_one_plane(sides, faces) { Side::Within } else { Side::Beyond })
            }
        }
    };
    let (mut pairs, mut count, mut is_whole) = (Vec::new(), 0, false);
    let searched = each_pair_of_faces(sides, budget, |faces, budget| {
        let (mut within, mut beyond) = (true, true);
        for window in windows {
            let found = sample(faces, *window, budget)?;
            within &= matches!(found, Side::Within);
            beyond &= matches!(found, Side::Beyond);
        }
        is_whole = within;
        count += usize::from(!beyond);
        if !beyond && count <= MAX_PAIRS {
            pairs.push(faces);
        }
        if is_whole { Err(OutOfBudget) } else { Ok(()) }
    });
    if is_whole {
        windows.iter().for_each(|window| flat.add(*window));
        return Ok(flat);
    }
    searched?;
    if count > MAX_PAIRS {
        return Ok(flat);
    }
    for window in windows {
        let limits = HalvingLimits { narrowest: SIXTEENTH * (window[1] - window[0]), max_open: MAX_OPEN };
        let mut part = budget.part(SAMPLES_A_PAIR * pairs.len() as u64 + SAMPLES);
        let whole = part.remaining();
        let found = halved(pairs.clone(), *window, limits, &mut part, &mut sample);
        budget.take(whole - part.remaining())?;
        if let Ok((found, _)) = found {
            found.as_slice().iter().for_each(|span| flat.add(*span));
        }
    }
    Ok(flat)
}

/// Whether the corners of the first face are in the plane of the second at all times, decided exactly.
fn are_in_one_plane(sides: &SurfacePair<'_>, [f, g]: [u32; 2]) -> bool {
    let [a, b] = sides.both();
    let [p, q, r] = b.corners(g).map(|v| v as usize);
    let at = |own: &[DVec3], other: &[DVec3], v: u32| [own[v as usize], other[p], other[q], other[r]];
    a.corners(f).into_iter().all(|v| {
        let (start, end) = (at(a.motion.start, b.motion.start, v), at(a.motion.end, b.motion.end, v));
        let problem = IntegerProblem::new(&MovingFeatures { kind: MovingKind::VertexFace, start, end }, 0.0);
        problem.crossing(&problem.inside).is_zero()
    })
}

/// All pairs of faces whose boxes overlap and that have no common vertex. Empty if there are more than [`MAX_PAIRS`].
fn pairs_of_faces(sides: &SurfacePair<'_>, budget: &mut Budget<'_>) -> Result<Vec<[u32; 2]>, OutOfBudget> {
    let (mut pairs, mut count) = (Vec::new(), 0);
    each_pair_of_faces(sides, budget, |faces, _| {
        count += 1;
        if count <= MAX_PAIRS {
            pairs.push(faces);
        }
        Ok(())
    })?;
    if count > MAX_PAIRS {
        pairs.clear();
    }
    Ok(pairs)
}

/// Visits the pairs of faces whose boxes overlap and that have no common vertex.
fn each_pair_of_faces<'w>(
    sides: &SurfacePair<'_>,
    budget: &mut Budget<'w>,
    mut visit: impl FnMut([u32; 2], &mut Budget<'w>) -> Result<(), OutOfBudget>,
) -> Result<(), OutOfBudget> {
    let [a, b] = sides.both();
    let is_one = matches!(sides, SurfacePair::Itself(_));
    sides.faces(budget, |[f, g], budget| {
        budget.step()?;
        let have_common = || a.corners(f).iter().any(|v| b.corners(g).contains(v));
        if is_one && have_common() { Ok(()) } else { visit([f, g], budget) }
    })
}

/// A proven relation of two faces between two times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FaceRelation {
    /// One face passes through the other: they share a point at some time in between.
    Crossed,
    /// The faces are within the distance throughout.
    Near,
    Undecided,
}

/// The corners of a face.
type FaceCorners = [DVec3; 3];

/// The rounding of a difference of places, as a fraction of the largest coordinate.
const PLACED: f64 = 64.0 * f64::EPSILON;

/// Two moving faces, relative to a corner of the first at the start.
#[derive(Debug, Clone, Copy)]
struct FacesOnEachOther {
    start: [FaceCorners; 2],
    end: [FaceCorners; 2],
    /// Bounds of the deviation of each face's corners from their straight paths.
    path_errors: [PathError; 2],
}

/// A bound of the deviation of points from their straight paths, in metres. It includes the rounding of their
/// positions.
#[derive(Debug, Clone, Copy)]
struct PathError {
    /// Along the axes.
    axes: DVec3,
    /// In any direction.
    most: f64,
}

impl FacesOnEachOther {
    fn new(sides: &SurfacePair<'_>, faces: [u32; 2], deviation: f64) -> Self {
        let both = sides.both();
        let corners = [0, 1].map(|i| both[i].corners(faces[i]).map(|v| v as usize));
        let origin = both[0].motion.start[corners[0][0]];
        let at = |i: usize, places: &[DVec3]| corners[i].map(|v| places[v] - origin);
        let start = [0, 1].map(|i| at(i, both[i].motion.start));
        let end = [0, 1].map(|i| at(i, both[i].motion.end));
        let all = start.iter().chain(&end).flatten();
        let size = all.fold(DVec3::ZERO, |most, p| most.max(p.abs())).max_element();
        let path_errors = [0, 1].map(|i| {
            let each = corners[i].map(|v| both[i].deviations.get(v).copied());
            let least = PLACED * size;
            match each {
                [Some(a), Some(b), Some(c)] => {
                    let axes = a.max(b).max(c) + least;
                    PathError { axes, most: (axes.length() * OUTSIDE).min(deviation + least) }
                }
                _ => PathError { axes: DVec3::splat(deviation + least), most: deviation + least },
            }
        });
        Self { start, end, path_errors }
    }

    fn at(&self, time: f64) -> [FaceCorners; 2] {
        let between = |p: DVec3, q: DVec3| if time == 1.0 { q } else { p + time * (q - p) };
        [0, 1].map(|i| [0, 1, 2].map(|k| between(self.start[i][k], self.end[i][k])))
    }

    /// The proven relation between two times; `within`: the distance, in metres.
    fn relation_between(&self, span: [f64; 2], within: f64) -> FaceRelation {
        let mut proven = FaceRelation::Undecided;
        for (own, other) in [(0, 1), (1, 0)] {
            match self.above(own, other, span, within).map(|above| above.relation(within)) {
                Some(FaceRelation::Crossed) => return FaceRelation::Crossed,
                Some(FaceRelation::Near) => proven = FaceRelation::Near,
                Some(FaceRelation::Undecided) | None => {}
            }
        }
        proven
    }

    /// Whether a point of one face is proven to be inside the border of the other throughout, in the projection
    /// along the normal. `None` if the faces are not coplanar, or seem to overlap neither at the ends nor half-way.
    fn in_one_plane(&self, [from, to]: [f64; 2]) -> Option<bool> {
        let middle = self.at(0.5 * (from + to));
        if is_out_of_plane(&middle) {
            return None;
        }
        let overlaps = [middle, self.at(from), self.at(to)].iter().filter(|faces| overlap(faces)).count();
        if overlaps < 3 {
            return if overlaps == 0 { None } else { Some(false) };
        }
        // The heights of points in one plane are rounding errors, so every point counts as lowest.
        let rounding = self.path_errors[0].most + self.path_errors[1].most;
        for (own, other) in [(0, 1), (1, 0)] {
            let Some(above) = self.above(own, other, [from, to], rounding) else { continue };
            let Some(heights) = above.heights() else { continue };
            let error = above.error_of_volume(&heights);
            if heights.volume.iter().any(|c| c.abs() > error) {
                return None;
            }
            if above.is_inside(&heights) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// A point of the face `own` that is above or below the face `other` half-way between two times.
    fn above(&self, own: usize, other: usize, [from, to]: [f64; 2], within: f64) -> Option<PointAboveFace> {
        let (first, middle, last) = (self.at(from), self.at(0.5 * (from + to)), self.at(to));
        let weights = point_above(&middle[own], &middle[other], within)?;
        let place = |corners: &FaceCorners| corners.iter().zip(weights).map(|(p, weight)| weight * *p).sum();
        let points = [place(&first[own]), place(&last[own])];
        Some(PointAboveFace {
            points,
            face: [first[other], last[other]],
            path_errors: [self.path_errors[own], self.path_errors[other]],
        })
    }
}

/// Whether a corner of the first face is clearly out of the plane of the second: an estimate.
fn is_out_of_plane([own, [a, b, c]]: &[FaceCorners; 2]) -> bool {
    let (e, f) = (*b - *a, *c - *a);
    let normal = e.cross(f);
    own.iter().any(|p| normal.dot(*p - *a).abs() > NEGLIGIBLE * normal.length() * (e.length() + f.length()))
}

/// Whether two coplanar faces overlap: no side of either separates them. An estimate.
fn overlap(faces: &[FaceCorners; 2]) -> bool {
    [(0, 1), (1, 0)].into_iter().all(|(own, other)| {
        let ([a, b, c], others) = (faces[own], &faces[other]);
        let normal = (b - a).cross(c - a);
        [(a, b), (b, c), (c, a)].into_iter().all(|(p, q)| {
            let inward = normal.cross(q - p);
            let deepest = others.iter().map(|r| inward.dot(*r - p)).fold(f64::NEG_INFINITY, f64::max);
            deepest > NEGLIGIBLE * inward.length() * (q - p).length()
        })
    })
}

/// A point of a face above or below another face, by its barycentric coordinates. It is the mean of the points that
/// are nearest to the plane of the other face, up to the distance `within`.
fn point_above(own: &FaceCorners, face: &FaceCorners, within: f64) -> Option<[f64; 3]> {
    let [a, b, c] = *face;
    let normal = (b - a).cross(c - a).try_normalize()?;
    // A corner of the part of the face that lies above the other face: its position and its barycentric coordinates.
    type Corner = (DVec3, DVec3);
    let mut clipped: Vec<Corner> = own.iter().copied().zip([DVec3::X, DVec3::Y, DVec3::Z]).collect();
    for (p, q) in [(a, b), (b, c), (c, a)] {
        let inward = normal.cross(q - p);
        let height = |corner: &Corner| inward.dot(corner.0 - p);
        let mut remaining = Vec::with_capacity(clipped.len() + 1);
        for (i, corner) in clipped.iter().enumerate() {
            let next = &clipped[(i + 1) % clipped.len()];
            let (here, there) = (height(corner), height(next));
            if here >= 0.0 {
                remaining.push(*corner);
            }
            if here * there < 0.0 {
                let fraction = here / (here - there);
                remaining.push((corner.0.lerp(next.0, fraction), corner.1.lerp(next.1, fraction)));
            }
        }
        clipped = remaining;
    }
    let height = |corner: &Corner| normal.dot(corner.0 - a).abs();
    let least = clipped.iter().map(height).fold(f64::INFINITY, f64::min);
    let lowest: Vec<DVec3> =
        clipped.iter().filter(|corner| height(corner) <= least + within).map(|corner| corner.1).collect();
    let middle = lowest.iter().copied().sum::<DVec3>() / lowest.len() as f64;
    middle.is_finite().then(|| middle.to_array())
}

/// A point and a face, at the start and at the end.
struct PointAboveFace {
    points: [DVec3; 2],
    face: [FaceCorners; 2],
    /// The bounds for the point and for the face.
    path_errors: [PathError; 2],
}

/// The functions of time that decide where a point is above a face, and bounds of their errors.
struct Heights {
    /// The normal of the face, not of unit length.
    normal: [DVec3; 3],
    /// The height of the point over the plane, times the length of the normal.
    volume: [f64; 4],
    volume_error: f64,
    /// The squared length of the normal.
    whole: [f64; 5],
    /// The barycentric coordinates of the point, times the squared length of the normal.
    weights: [[f64; 5]; 3],
    weight_error: f64,
    /// Bounds of the lengths of two edges of the face, and of the point from their common corner.
    lengths: [f64; 3],
}

/// The smallest coefficient: a lower bound of the function.
fn least(coefficients: &[f64; 5]) -> f64 {
    coefficients.iter().copied().fold(f64::INFINITY, f64::min)
}

impl PointAboveFace {
    /// `None` for sizes outside the range for which the rounding bounds hold.
    fn heights(&self) -> Option<Heights> {
        let to = |k: usize| -> Line { [0, 1].map(|i| self.face[i][k] - self.face[i][0]) };
        let (e, f, w) = (to(1), to(2), [0, 1].map(|i| self.points[i] - self.face[i][0]));
        let lengths = [e, f, w].map(|[p, q]| p.length().max(q.length()));
        let [of_e, of_f, of_w] = lengths;
        if !(SIZES.contains(&of_e) && SIZES.contains(&of_f) && of_w < SIZES.end) {
            return None;
        }
        let n = cross(e, f);
        let (volume, whole) = (cubic(n, w), quartic(n, n));
        let (first, second) = (quartic(cross(w, f), n), quartic(cross(e, w), n));
        let rest = std::array::from_fn(|k| whole[k] - first[k] - second[k]);
        let of_n = of_e * of_f;
        let of_weight = of_n * (of_w * of_e.max(of_f)).max(of_n);
        Some(Heights {
            normal: n,
            volume,
            volume_error: ROUNDINGS * of_w * of_n,
            whole,
            weights: [first, second, rest],
            weight_error: WEIGHT_ROUNDINGS * of_weight,
            lengths,
        })
    }

    /// The maximum change of a product of lengths if each length changes: a difference of two points may change by
    /// the sum of both bounds.
    fn moved(&self, lengths: &[f64]) -> f64 {
        let [of_point, of_face] = self.path_errors;
        let both = 2.0 * of_point.most.max(of_face.most);
        let product = |of: &dyn Fn(f64) -> f64| lengths.iter().map(|length| of(*length)).product::<f64>();
        product(&|length| length + both) - product(&|length| length)
    }

    /// A bound of the error of the volume as a function of time.
    fn error_of_volume(&self, Heights { volume_error, lengths, .. }: &Heights) -> f64 {
        volume_error + OUTSIDE * self.moved(lengths)
    }

    /// Whether the point is proven to be inside the border of the face throughout, in the projection along its normal.
    fn is_inside(&self, Heights { weights, weight_error, lengths, .. }: &Heights) -> bool {
        let [of_e, of_f, of_w] = *lengths;
        // The third coordinate is a difference of three terms.
        let of_one = self.moved(&[of_w, of_e.max(of_f), of_e, of_f]);
        let error = weight_error + OUTSIDE * (self.moved(&[of_e, of_f, of_e, of_f]) + 2.0 * of_one);
        weights.iter().all(|weight| least(weight) > error)
    }

    fn relation(&self, within: f64) -> FaceRelation {
        let Some(heights) = self.heights() else { return FaceRelation::Undecided };
        let Heights { normal, volume, volume_error, whole, weights, weight_error, lengths } = &heights;
        let [of_e, of_f, _] = *lengths;
        let of_n = of_e * of_f;
        let passes = {
            let error = self.error_of_volume(&heights);
            let [start, .., end] = *volume;
            start.abs() > error && end.abs() > error && (start > 0.0) != (end > 0.0)
        };
        if passes && self.is_inside(&heights) {
            return FaceRelation::Crossed;
        }
        // These are bounds for the true path of the point above the straight path of the face. The deviation of the
        // face is added.
        let [of_point, of_face] = self.path_errors;
        let squared = least(whole) - weight_error;
        if squared.is_nan() || squared <= 0.0 {
            return FaceRelation::Undecided;
        }
        let steepest = normal.iter().fold(DVec3::ZERO, |most, own| most.max(own.abs()));
        let higher = steepest.dot(of_point.axes).min(of_n * of_point.most);
        let highest = volume.iter().fold(0.0_f64, |most, c| most.max(c.abs())) + volume_error + higher;
        // A negative barycentric coordinate puts the point beyond the border, by at most that fraction of the face's
        // extent.
        let aside = of_point.most * of_n;
        let asides = [aside * of_f, aside * of_e, aside * (of_e + of_f)];
        let lacks = weights.iter().zip(asides).map(|(weight, aside)| weight_error + aside - least(weight));
        let beyond: f64 = lacks.map(|lack| lack.max(0.0) / squared).sum();
        let gap = highest / squared.sqrt() + beyond * (of_e + of_f) + of_face.most;
        // A NaN compares false, so it proves nothing.
        if gap * OUTSIDE <= within { FaceRelation::Near } else { FaceRelation::Undecided }
    }
}

/// A factor that enlarges bounds by the rounding of the operations that compute them.
const OUTSIDE: f64 = 1.0 + 1e-9;

#[cfg(test)]
mod tests {
    use chasles_testing::{Random, cases};

    use super::*;

    /// The distance of two triangles in the plane z = 0, as a lower bound; negative if they overlap.
    fn gap(faces: &[FaceCorners; 2]) -> f64 {
        let mut furthest = f64::NEG_INFINITY;
        for (own, other) in [(0, 1), (1, 0)] {
            let [a, b, c] = faces[own];
            for (p, q, opposite) in [(a, b, c), (b, c, a), (c, a, b)] {
                let side = (q - p).cross(DVec3::Z).normalize_or_zero();
                let outward = if side.dot(opposite - p) > 0.0 { -side } else { side };
                let heights = faces[other].iter().map(|r| outward.dot(*r - p));
                furthest = furthest.max(heights.fold(f64::INFINITY, f64::min));
            }
        }
        furthest
    }

    #[test]
    fn coplanar_faces_overlap_for_the_proven_time() {
        let (mut proven, mut separated) = (0, 0);
        for seed in 0..cases(4_000, 20_000) {
            let random = &mut Random(seed);
            let mut face =
                || [0; 3].map(|_| DVec3::new(random.below(20) as f64, random.below(20) as f64, 0.0));
            let path_errors = [PathError { axes: DVec3::splat(1e-12), most: 1e-12 }; 2];
            let faces = FacesOnEachOther { start: [face(), face()], end: [face(), face()], path_errors };
            let gaps: Vec<f64> = (0..=40).map(|i| gap(&faces.at(f64::from(i) / 40.0))).collect();
            if faces.in_one_plane([0.0, 1.0]) == Some(true) {
                proven += 1;
                assert!(gaps.iter().all(|gap| *gap < 1e-9), "seed {seed}: {gaps:?}");
            } else if [gaps[0], gaps[20], gaps[40]].iter().all(|gap| *gap < -1e-3) {
                separated += usize::from(gaps.iter().any(|gap| *gap > 1e-3));
            }
        }
        // They are separated for a while, though they overlap at the ends and half-way.
        assert!(proven > 10 && separated > 0, "{proven}, {separated}");
    }
}
