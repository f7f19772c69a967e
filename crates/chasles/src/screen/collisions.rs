//! All collisions of two meshes along a screw, between parts that matter.

use crate::body::Body;
use crate::error::Error;
use crate::features::collector::Wanted;
use crate::features::contact::{Contact, ContactFeatures};
use crate::features::event::FeaturePair;
use crate::features::pairs::Aim;
use crate::motion::Screw;
use crate::screen::inside::{Passages, passages};
use crate::screen::proper::{Meeters, Rating};
use crate::screen::resolve::{Located, resolve};
use crate::search::pipeline::{Search, Workspace};
use crate::search::query::{Counters, Doubt, Options, Outcome};
use crate::shape::Mesh;

/// A collision: a contact of two features between parts that matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collision {
    /// When, where and which way. The normal is that of the face; across two edges, with the sign of the greater
    /// properness.
    pub contact: Contact,
    /// See [`Rating::properness`].
    pub properness: f64,
    /// See [`Rating::proper`].
    pub proper: bool,
    /// Where features met at a vertex of one and an edge or a vertex of the other: of the pairs of features that this
    /// can be said of, the one of greatest properness is told.
    pub from: Option<MetAt>,
}

/// What met, where it was not a vertex and the inside of a face, or the insides of two edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MetAt {
    /// A vertex of A and a vertex of B.
    VertexVertex,
    /// A vertex of A and an edge of B.
    VertexEdge,
    /// An edge of A and a vertex of B.
    EdgeVertex,
}

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
