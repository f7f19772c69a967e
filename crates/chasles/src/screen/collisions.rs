//! All collisions of two meshes along a screw, between parts that matter.

use crate::body::Body;
use crate::error::Error;
use crate::features::collector::Wanted;
use crate::features::contact::{Contact, ContactFeatures};
use crate::features::event::FeaturePair;
use crate::features::pairs::Aim;
use crate::features::screw_motion::ScrewMotion;
use crate::motion::Screw;
use crate::screen::collision::Collision;
use crate::screen::inside::{Passages, passages};
use crate::screen::proper::{Meeters, Rating};
use crate::screen::resolve::resolve;
use crate::search::pipeline::{Search, Workspace};
use crate::search::query::{Counters, Doubt, Options, Outcome};
use crate::shape::Mesh;

/// All collisions of a motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Collisions {
    /// The answer of [`first_contact`](crate::first_contact).
    pub outcome: Outcome,
    /// Sorted by time, then features; also where the bodies overlap at the start.
    pub collisions: Vec<Collision>,
    /// Contacts that were left out, because they are not between parts that matter.
    pub culled: usize,
    /// Pairs of features that were left out, because rounding leaves open whether they come within the tolerance.
    pub doubtful: usize,
    /// Of A and of B: the vertices that are inside the other body at the start or the end, or cross its surface, in
    /// order; `None` where the other is not closed.
    pub inside: [Option<Vec<Passages>>; 2],
    /// The tolerance that was used, in metres.
    pub tolerance: f64,
    /// The work it took.
    pub counters: Counters,
}

/// Every collision of body `a`, moving along `screw`, and the standing body `b`: the contacts of
/// [`all_contacts`](crate::all_contacts) between leading parts of A and trailing parts of B, each with how proper it
/// is; those at a vertex and an edge or another vertex resolved into one (Buss 2005, "Types of collisions").
///
/// Guarantee: no contact of parts that matter is missing, with the proofs of `all_contacts`. For every vertex that is
/// told in `inside`, `end - start = entries - exits`. Parts for which |n.v| is less than 1e-9 of the largest speed of a
/// vertex do not matter.
///
/// # Errors
/// As [`first_contact`](crate::first_contact).
pub fn collisions(a: &Body, b: &Body, screw: &Screw, options: &Options) -> Result<Collisions, Error> {
    collisions_in(&mut Workspace::default(), (a, b), screw, options)
}

/// As [`collisions`], with memory that is used again.
pub(crate) fn collisions_in(
    workspace: &mut Workspace,
    (a, b): (&Body, &Body),
    screw: &Screw,
    options: &Options,
) -> Result<Collisions, Error> {
    let search = Search::new((a, b), screw, options)?;
    let found = search.run(Wanted::Throughout, Aim::Contact, workspace);
    let outcome = found.told();
    let (counters, tolerance) = (found.counters, search.tolerance);
    let mut all = Collisions {
        outcome,
        collisions: Vec::new(),
        culled: 0,
        doubtful: 0,
        inside: [None, None],
        tolerance,
        counters,
    };
    if matches!(all.outcome, Outcome::Undecided { .. }) && found.complete_until.is_some() {
        return Ok(all);
    }
    let events = found.collector.sorted_events();
    let meeters = Meeters::new((a.mesh(), b.mesh()), &search.motion);
    let listed = resolve(&meeters, &events, tolerance);
    let mut budget = search.budget_after(counters.steps);
    let inside = passages((a, b), &meeters, (screw, tolerance), &events, &mut budget);
    all.counters.steps = options.budget - budget.left();
    match inside {
        Ok(inside) => Ok(Collisions {
            collisions: listed.collisions,
            culled: listed.culled,
            doubtful: listed.doubtful,
            inside,
            ..all
        }),
        Err(_) => {
            all.outcome = Outcome::Undecided { clear_until: found.clear_until(), why: Doubt::Budget };
            Ok(all)
        }
    }
}

/// How proper contacts are, and whether they are between parts that matter; `contacts` are those of a query about the
/// same bodies and screw. Contacts of round surfaces, and of features that the meshes do not have, have no rating.
#[must_use]
pub fn ratings(a: &Body, b: &Body, screw: &Screw, contacts: &[Contact]) -> Vec<Option<Rating>> {
    let motion = ScrewMotion::new(a.mesh(), b.mesh(), screw);
    let meeters = Meeters::new((a.mesh(), b.mesh()), &motion);
    let rate = |contact: &Contact| {
        let pair = pair_of(contact.features, (a.mesh(), b.mesh()))?;
        let [lo, hi] = contact.time;
        let moment = if contact.touching { hi } else { 0.5 * (lo + hi) };
        Some(meeters.rate(pair, &motion.basis(moment), contact.point - b.mesh().centre(), contact.normal))
    };
    contacts.iter().map(rate).collect()
}

/// The numbers that the engine works with.
fn pair_of(features: ContactFeatures, (a, b): (&Mesh, &Mesh)) -> Option<FeaturePair> {
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
        ContactFeatures::Surfaces { .. } => None,
    }
}
