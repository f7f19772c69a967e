//! The calls into chasles. If its interface changes, only this file has to change.

use chasles::{
    Error, Options, Prediction, PreparedMesh, QueryKind, Screw, SearchMethod, Workspace, predictions,
};

/// A query: A, B, and the motion of A.
pub type Query<'a> = (&'a PreparedMesh, &'a PreparedMesh, Screw);

/// Names of the counters of [`Engine::work`].
pub const WORK: [&str; 4] = ["pairs of boxes", "pairs of triangles", "functions searched", "steps"];

/// The engine, with the memory that it reuses for all queries.
#[derive(Debug, Default)]
pub struct Engine {
    options: Options,
    workspace: Workspace,
}

impl Engine {
    /// An engine with default options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An engine with another search method.
    #[must_use]
    pub fn searching_by(search: SearchMethod) -> Self {
        Self { options: Options { search, ..Options::default() }, ..Self::default() }
    }

    /// The first contact.
    ///
    /// # Errors
    /// Does not fail for the cases of the benches.
    pub fn first(&mut self, (a, b, screw): &Query) -> Result<Prediction, Error> {
        chasles::Query { a, b, screw: *screw }.predict(
            QueryKind::FirstContact,
            &self.options,
            &mut self.workspace,
        )
    }

    /// All contacts.
    ///
    /// # Errors
    /// Does not fail for the cases of the benches.
    pub fn all(&mut self, (a, b, screw): &Query) -> Result<Prediction, Error> {
        chasles::Query { a, b, screw: *screw }.predict(
            QueryKind::AllContacts,
            &self.options,
            &mut self.workspace,
        )
    }

    /// The work of a query, in the order of [`WORK`].
    #[must_use]
    pub fn work(prediction: &Prediction) -> [u64; 4] {
        let c = &prediction.counters;
        [c.box_pairs, c.triangle_pairs, c.functions, c.steps]
    }
}

/// The first contacts of many queries, in order, on the threads of the caller's pool.
///
/// # Errors
/// Does not fail for the cases of the benches.
pub fn batch(queries: &[Query]) -> Result<Vec<Prediction>, Error> {
    let options = Options::default();
    let queries: Vec<_> =
        queries.iter().map(|(a, b, screw)| chasles::Query { a, b, screw: *screw }).collect();
    predictions(&queries, QueryKind::FirstContact, &options).into_iter().collect()
}
