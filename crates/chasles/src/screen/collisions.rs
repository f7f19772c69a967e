//! All collisions of two meshes along a screw, between parts that matter.

use crate::body::PreparedMesh;
use crate::error::Error;
use crate::features::collector::EventFilter;
use crate::features::contact::{Contact, ContactFeatures};
use crate::features::event::{EventKind, FeaturePair};
use crate::features::pairs::Aim;
use crate::features::screw_motion::ScrewMotion;
use crate::instant::flush::deepen;
use crate::math::budget::OutOfBudget;
use crate::mesh_screw::pipeline::{PairSource, ScrewSearch, SearchResult, Workspace};
use crate::mesh_screw::query::{Counters, Options, Outcome};
use crate::motion::Screw;
use crate::predict::Query;
use crate::screen::collision::Collision;
use crate::screen::facing_filter::FacingFilter;
use crate::screen::inside::{VertexPassages, passages};
use crate::screen::proper::{MatchingParts, Rating};
use crate::screen::resolve::{ResolvedEvents, resolve};
use crate::shape::Mesh;
use crate::trajectory::watch::ProgressMonitor;

/// All collisions of a motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Collisions {
    /// The result of [`first_contact`](crate::first_contact).
    pub outcome: Outcome,
    /// Sorted by time, then features; also listed if the bodies overlap at the start.
    pub collisions: Vec<Collision>,
    /// Number of contacts that were left out because they are not between parts that matter.
    pub culled: usize,
    /// Number of pairs of features left out because rounding leaves undecided whether they come within the tolerance.
    pub doubtful: usize,
    /// For A and for B: the vertices that are inside the other body at the start or the end, or cross its surface, in
    /// order; `None` if the other body is not closed.
    pub inside: [Option<Vec<VertexPassages>>; 2],
    /// The tolerance that was used, in metres.
    pub tolerance: f64,
    /// The work done.
    pub counters: Counters,
}

/// The content of the report on the collisions of a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Account {
    /// Only the collisions. Features that do not matter are not searched: `culled` is 0 and `inside` is `None`.
    Collisions,
    /// Also the number of contacts left out, and how often vertices enter and leave the other body.
    Whole,
}

/// Finds every collision of body `a`, moving along `screw`, with the static body `b`: the contacts of
/// [`all_contacts`](crate::all_contacts) between leading parts of A and trailing parts of B, each with how proper it
/// is. Contacts at which a vertex meets an edge or another vertex are resolved into one collision (Buss 2005, "Types
/// of collisions").
///
/// Guarantee: no contact of parts that matter is missing, with the proofs of `all_contacts`. Every vertex listed in
/// `inside` satisfies `end - start = entries - exits`. Parts with |n.v| less than 1e-9 of the largest speed of a
/// vertex do not matter, nor do triangles without area.
///
/// # Errors
/// As [`first_contact`](crate::first_contact).
pub fn collisions(
    a: &PreparedMesh,
    b: &PreparedMesh,
    screw: &Screw,
    options: &Options,
) -> Result<Collisions, Error> {
    Query { a, b, screw: *screw }.collisions(Account::Whole, options, &mut Workspace::default())
}

impl Query<'_> {
    /// As [`collisions`], with memory that is reused from query to query.
    ///
    /// # Errors
    /// As [`collisions`].
    pub fn collisions(
        &self,
        account: Account,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Result<Collisions, Error> {
        Ok(self.collide(&ScrewSearch::new(self.a, self.b, &self.screw, options)?, account, workspace))
    }

    /// As [`collisions`], and also stops when a monitor reports that it is over, as if the budget had run out.
    ///
    /// # Errors
    /// As [`collisions`].
    pub fn collisions_watched(
        &self,
        account: Account,
        options: &Options,
        watch: &dyn ProgressMonitor,
        workspace: &mut Workspace,
    ) -> Result<Collisions, Error> {
        let is_over = || watch.is_over();
        let search = ScrewSearch::new(self.a, self.b, &self.screw, options)?.watched(Some(&is_over));
        Ok(self.collide(&search, account, workspace))
    }

    fn collide(&self, search: &ScrewSearch<'_>, account: Account, workspace: &mut Workspace) -> Collisions {
        let surfaces = MatchingParts::new(self.a.mesh(), self.b.mesh(), &search.motion);
        match account {
            Account::Collisions => collisions_only(search, &surfaces, workspace),
            Account::Whole => all_events(search, &surfaces, &self.screw, workspace),
        }
    }
}

/// Finds only the collisions.
fn collisions_only(
    search: &ScrewSearch<'_>,
    surfaces: &MatchingParts<'_>,
    workspace: &mut Workspace,
) -> Collisions {
    // The first contact may be between parts that do not matter, so it needs a search of its own.
    let mut first = search.first_contact(workspace);
    deepen(search, workspace, &mut first.outcome, &mut first.counters);
    let matter = FacingFilter::new(surfaces);
    let chosen = |pair| matter.both_matter(pair);
    let source = PairSource::Filtered(&chosen);
    let found = search.run_by(source, EventFilter::Throughout, Aim::Contact, workspace);
    let empty = Collisions::empty(search, first.outcome, found.counters);
    if found.complete_until.is_some() {
        return empty.undecided(&found);
    }
    let mut budget = search.budget_after(found.counters.steps);
    let events = found.collector.sorted_events();
    match resolve(surfaces, &events, search.tolerance, &mut budget) {
        Ok(ResolvedEvents { collisions, doubtful, .. }) => {
            let counters = Counters { steps: search.spent(&budget), ..found.counters };
            Collisions { collisions, doubtful, counters, ..empty }
        }
        Err(OutOfBudget) => empty.undecided(&found),
    }
}

fn all_events(
    search: &ScrewSearch<'_>,
    surfaces: &MatchingParts<'_>,
    screw: &Screw,
    workspace: &mut Workspace,
) -> Collisions {
    let found = search.run(EventFilter::Throughout, Aim::Contact, workspace);
    let (mut outcome, mut counters) = (found.reported_outcome(), found.counters);
    deepen(search, workspace, &mut outcome, &mut counters);
    let empty = Collisions::empty(search, outcome, counters);
    if found.complete_until.is_some() {
        return empty.undecided(&found);
    }
    let events = found.collector.sorted_events();
    let mut budget = search.budget_after(counters.steps);
    let mut collect = || -> Result<_, OutOfBudget> {
        let resolved = resolve(surfaces, &events, search.tolerance, &mut budget)?;
        let inside = passages(search, surfaces, screw, &events, &mut budget)?;
        Ok((resolved, inside))
    };
    let Ok((ResolvedEvents { collisions, culled, doubtful }, inside)) = collect() else {
        return empty.undecided(&found);
    };
    let counters = Counters { steps: search.spent(&budget), ..found.counters };
    Collisions { collisions, culled, doubtful, inside, counters, ..empty }
}

impl Collisions {
    fn empty(search: &ScrewSearch<'_>, outcome: Outcome, counters: Counters) -> Self {
        let (collisions, inside) = (Vec::new(), [None, None]);
        Self { outcome, collisions, culled: 0, doubtful: 0, inside, tolerance: search.tolerance, counters }
    }

    /// The result if the budget ran out.
    fn undecided(self, found: &SearchResult<'_>) -> Self {
        // The overlap at the start may be known, but not its end.
        Self { outcome: Outcome::Undecided { clear_until: found.clear_until(), reason: found.lack }, ..self }
    }
}

/// Returns how proper each contact is, and whether it is between parts that matter. The `contacts` must come from a
/// query on the same bodies and screw. Contacts of round surfaces, and of features that the meshes do not have, have
/// no rating.
#[must_use]
pub fn ratings(
    a: &PreparedMesh,
    b: &PreparedMesh,
    screw: &Screw,
    contacts: &[Contact],
) -> Vec<Option<Rating>> {
    let motion = ScrewMotion::new(a.mesh(), b.mesh(), screw);
    let surfaces = MatchingParts::new(a.mesh(), b.mesh(), &motion);
    let rate = |contact: &Contact| {
        let pair = pair_of(contact.features, a.mesh(), b.mesh())?;
        let kind = if contact.touching { EventKind::Touching } else { EventKind::Crossing };
        let moment = kind.representative_time(contact.time);
        Some(surfaces.rate(pair, &motion.basis(moment), contact.point - b.mesh().centre(), contact.normal))
    };
    contacts.iter().map(rate).collect()
}

/// The features by the internal numbers of the meshes.
fn pair_of(features: ContactFeatures, a: &Mesh, b: &Mesh) -> Option<FeaturePair> {
    let edge = |mesh: &Mesh, ends: [u32; 2]| {
        let known = ends.iter().all(|v| (*v as usize) < mesh.vertex_count());
        let edges = if known { mesh.around().edges_at_vertex(ends[0]) } else { &[] };
        edges.iter().copied().find(|edge| mesh.edges()[*edge as usize] == ends)
    };
    let vertex = |mesh: &Mesh, v: u32| ((v as usize) < mesh.vertex_count()).then_some(v);
    let face = |mesh: &Mesh, f: u32| ((f as usize) < mesh.triangles().len()).then_some(f);
    match features {
        ContactFeatures::VertexFace { a: v, b: f } => {
            Some(FeaturePair::VertexFace { vertex: vertex(a, v)?, face: face(b, f)? })
        }
        ContactFeatures::FaceVertex { a: f, b: v } => {
            Some(FeaturePair::FaceVertex { face: face(a, f)?, vertex: vertex(b, v)? })
        }
        ContactFeatures::EdgeEdge { a: ends_a, b: ends_b } => {
            Some(FeaturePair::EdgeEdge { a: edge(a, ends_a)?, b: edge(b, ends_b)? })
        }
        ContactFeatures::Surfaces { .. }
        | ContactFeatures::SurfaceSurface { .. }
        | ContactFeatures::PointSolid { .. }
        | ContactFeatures::SolidPoint { .. }
        | ContactFeatures::PointPoint { .. } => None,
    }
}
