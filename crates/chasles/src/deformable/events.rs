//! The pairs of triangles, and of features, that meet as two meshes move.

use glam::DVec3;
use rustc_hash::FxHashSet;

use crate::deformable::DeformablePair;
use crate::deformable::contacts::seconds;
use crate::deformable::elementary::features::{FeatureContact, FeatureMeeting};
use crate::deformable::moving_mesh::SmoothPart;
use crate::deformable::step::candidates::SurfacePair;
use crate::deformable::step::first_contact;
use crate::error::Error;
use crate::features::contact::ContactFeatures;
use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::overlap::triangles_intersect;

/// Two features that meet, and their first time of contact, in seconds; the place is in the common frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DeformingEvent {
    pub(crate) features: ContactFeatures,
    pub(crate) contact: FeatureContact,
}

/// For events, straight paths may deviate from the true ones by this fraction of the meshes' size; `MAX_PARTS` is
/// the maximum number of intervals.
const NEAR_ENOUGH: f64 = 1e-6;
const MAX_PARTS: f64 = 4096.0;

/// The pairs of triangles that meet at a time, in order, decided exactly for the computed vertices. For one mesh
/// the lower number comes first, and the pair must contain an edge and a face, two edges, or a vertex and a face
/// that meet and have no common vertex. Empty if one body is round.
pub(super) fn triangles_at(pair: &mut DeformablePair<'_>, time: f64) -> Result<Vec<[u32; 2]>, Error> {
    if pair.round.is_some() {
        return Ok(Vec::new());
    }
    pair.move_to(SmoothPart::at(time))?;
    pair.fit_boxes(0.0);
    let sides = pair.sides();
    let [a, b] = sides.both();
    let is_one = matches!(sides, SurfacePair::Itself(_));
    let mut found = Vec::new();
    let searched = sides.faces(&mut Budget::new(u64::MAX), |[f, g], _| {
        let (p, q) = (a.corners(f), b.corners(g));
        let meets = if is_one && p.iter().any(|v| q.contains(v)) {
            neighbours_meet(a.motion.start, [p, q])
        } else {
            let [p, q] = [(a, p), (b, q)].map(|(side, v)| v.map(|v| side.motion.start[v as usize]));
            triangles_intersect(&p, &q)
        };
        if meets {
            found.push([f, g]);
        }
        Ok(())
    });
    debug_assert!(searched.is_ok(), "the budget is endless");
    found.sort_unstable();
    Ok(found)
}

/// All pairs of features that meet in one of some intervals, once, with the first time, sorted by time, then
/// features; and whether the list is complete. A round body has no features. If vertices do not move along
/// straight lines, the result holds up to [`NEAR_ENOUGH`].
pub(super) fn events(
    pair: &mut DeformablePair<'_>,
    spans: &[[f64; 2]],
    budget: &mut Budget<'_>,
) -> Result<(Vec<DeformingEvent>, bool), Error> {
    let (mut found, mut is_complete) = (Vec::new(), true);
    if pair.round.is_some() {
        return Ok((found, is_complete));
    }
    let mut seen: FxHashSet<ContactFeatures> = FxHashSet::default();
    for ends in pair.breaks().windows(2) {
        if !spans.iter().any(|near| near[0] <= ends[1] && ends[0] <= near[1]) {
            continue;
        }
        let (whole, within) = (ends[1] - ends[0], 0.5 * (ends[0] + ends[1]));
        let size =
            pair.moving_meshes.iter().map(|moving_mesh| moving_mesh.mesh().diagonal()).fold(0.0, f64::max);
        let interval = TimeInterval::new(ends[0], ends[1]);
        let error = pair.move_to(SmoothPart { interval, within })?;
        let parts = (error.chord / (NEAR_ENOUGH * size)).sqrt().ceil().clamp(1.0, MAX_PARTS);
        let mut from = ends[0];
        let mut part = 1.0;
        while from < ends[1] {
            let to = if part < parts { ends[0] + whole * (part / parts) } else { ends[1] };
            let span = TimeInterval::new(from, to);
            (from, part) = (to, part + 1.0);
            if !spans.iter().any(|near| near[0] <= span.end && span.start <= near[1]) {
                continue;
            }
            if pair.pay(budget).is_err() {
                is_complete = false;
                continue;
            }
            pair.move_to(SmoothPart { interval: span, within })?;
            pair.fit_boxes(0.0);
            let sides = pair.sides();
            let searched = sides.features(budget, |features, budget| {
                budget.step()?;
                match first_contact(&sides, &features, 0.0, budget) {
                    FeatureMeeting::Clear => {}
                    FeatureMeeting::Contact(contact) => {
                        if seen.insert(features) {
                            let contact = FeatureContact { time: seconds(contact.time, span), ..contact };
                            found.push(DeformingEvent { features, contact });
                        }
                    }
                    FeatureMeeting::Undecided(_) => is_complete = false,
                }
                Ok(())
            });
            is_complete &= searched.is_ok();
        }
    }
    found.sort_by(|x, y| {
        let [p, q] = [x, y].map(|event| event.contact.time);
        p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(x.features.cmp(&y.features))
    });
    Ok((found, is_complete))
}

/// Whether features without a common vertex meet, for two triangles that have a common vertex.
fn neighbours_meet(positions: &[DVec3], [p, q]: [[u32; 3]; 2]) -> bool {
    // Each feature as a triangle, which may be degenerate.
    let parts =
        |[a, b, c]: [u32; 3]| [[a, b, c], [a, b, b], [b, c, c], [c, a, a], [a, a, a], [b, b, b], [c, c, c]];
    parts(p).into_iter().any(|f| {
        parts(q).into_iter().any(|g| {
            let are_disjoint = !f.iter().any(|v| g.contains(v));
            are_disjoint
                && triangles_intersect(&f.map(|v| positions[v as usize]), &g.map(|v| positions[v as usize]))
        })
    })
}
