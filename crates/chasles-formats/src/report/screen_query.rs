//! The queries of `chasles screen` about two bodies on a screw. They make the report of a single problem, with times
//! in [0, 1] and points in the frame of B.

use chasles::{
    Account, Collision, Error, Options, Outcome, PixelCollision, PixelOptions, PixelOutcome, PreparedMesh,
    ProgressMonitor, Query, Screw, Workspace, facings, pixel_collisions_watched, play_watched,
    probes_watched, screw_frame,
};
use glam::DVec3;

use super::screen::{ListedCollision, ScreenMethod, ScreenReport, ScreenVerdict};

/// The query about a pair.
#[derive(Debug, Clone, Default)]
pub struct ScreenQuery {
    /// Number of pixels along the diagonal of the smaller mesh, for a search on a screen of pixels; `None`: an exact
    /// search.
    pub resolution: Option<u32>,
    /// Tolerance, deviation, budget and memory.
    pub options: Options,
    /// If set, collisions whose start times differ by at most this value are grouped.
    pub concurrent: Option<f64>,
    /// Whether the free motion of A is computed.
    pub play: bool,
    /// Points in the frame of B whose flow lines are sampled.
    pub probes: Vec<DVec3>,
}

/// The report about two bodies, the first of which moves on a screw. If `watch` stops the search, the report is as
/// if the budget had run out.
///
/// # Errors
/// As for [`collisions`](chasles::collisions), [`pixel_collisions_watched`], [`probes_watched`] and
/// [`play_watched`].
pub fn screen_report(
    name: &str,
    (a, b): (&PreparedMesh, &PreparedMesh),
    screw: &Screw,
    query: &ScreenQuery,
    watch: &dyn ProgressMonitor,
) -> Result<ScreenReport, Error> {
    let options = &query.options;
    let probes = match query.probes[..] {
        [] => Vec::new(),
        _ => probes_watched((a, b), screw, &query.probes, (options, watch))?,
    };
    let report = ScreenReport {
        name: name.to_owned(),
        pair: None,
        method: ScreenMethod::Exact,
        verdict: ScreenVerdict::Clear,
        screw: screw_frame(b, screw),
        facing: facings(a, b, screw),
        collisions: Vec::new(),
        culled: None,
        doubtful: 0,
        concurrent: query.concurrent,
        inside: None,
        probes,
        play: if query.play { Some(play_watched((a, b), screw, options, watch)?) } else { None },
        warnings: Vec::new(),
    };
    if let Some(resolution) = query.resolution {
        let pixels = PixelOptions { resolution, budget: options.budget, memory: options.memory };
        let found = pixel_collisions_watched((a, b), screw, &pixels, watch)?;
        let undecided = |reason| ScreenVerdict::Undecided { clear_until: 0.0, reason };
        let verdict = match (found.outcome, &found.collisions[..]) {
            (PixelOutcome::OutOfBudget, _) => undecided(chasles::UndecidedReason::Budget),
            (PixelOutcome::OutOfMemory, _) => undecided(chasles::UndecidedReason::Memory),
            (PixelOutcome::Complete, []) => ScreenVerdict::Clear,
            (PixelOutcome::Complete, _) => ScreenVerdict::Contact,
        };
        let method = ScreenMethod::Pixels { resolution: found.resolution, pixel: found.pixel };
        let collisions = found.collisions.iter().map(of_pixels).collect();
        return Ok(ScreenReport { method, verdict, collisions, ..report });
    }
    let pair_query = Query { a, b, screw: *screw };
    let found = pair_query.collisions_watched(Account::Whole, options, watch, &mut Workspace::default())?;
    let verdict = match found.outcome {
        Outcome::Clear => ScreenVerdict::Clear,
        Outcome::Contact(_) => ScreenVerdict::Contact,
        Outcome::Overlapping(_) => ScreenVerdict::Overlapping,
        Outcome::Undecided { clear_until, reason } => ScreenVerdict::Undecided { clear_until, reason },
    };
    Ok(ScreenReport {
        verdict,
        collisions: found.collisions.iter().map(of_features).collect(),
        culled: Some(found.culled),
        doubtful: found.doubtful,
        inside: Some(found.inside),
        ..report
    })
}

fn of_features(collision: &Collision) -> ListedCollision {
    let Collision { contact, properness, proper, from } = collision;
    ListedCollision {
        time: contact.time,
        features: contact.features,
        point: contact.point,
        normal: contact.normal,
        properness: *properness,
        proper: *proper,
        from: *from,
    }
}

fn of_pixels(collision: &PixelCollision) -> ListedCollision {
    ListedCollision {
        time: [collision.time; 2],
        features: collision.features,
        point: collision.point,
        normal: collision.normal,
        properness: collision.properness,
        proper: collision.proper,
        from: None,
    }
}
