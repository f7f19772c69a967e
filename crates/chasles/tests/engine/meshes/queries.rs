//! Workspaces, instructions and threads change no bit of an answer.

use crate::cases::extremes::{Extreme, Meet, extreme, extreme_of, small, sphere};
use crate::cases::{count, fewer};
use chasles::{
    Error, Options, Prediction, PreparedMesh, Query, QueryKind, Screw, SearchMethod, Workspace,
    all_intervals, contact_intervals, first_contact, predictions,
};
use chasles_testing::Random;

/// Bodies, a motion and a query.
struct Asked {
    a: PreparedMesh,
    b: PreparedMesh,
    screw: Screw,
    options: Options,
    question: usize,
}

impl Asked {
    /// A query of a random kind, sometimes with a small budget, sometimes with larger meshes.
    fn new(random: &mut Random) -> Self {
        let meet = [Meet::Any, Meet::Graze, Meet::Inside][random.below(3)];
        let Extreme { case, tolerance, .. } = if random.below(40) == 0 {
            let other = small(random);
            extreme_of(random, (&sphere(2, 0.1), &other), meet)
        } else {
            extreme(random, meet)
        };
        let (a, b) = case.bodies();
        let budget = [30_000, 30_000, 30_000, 1 + random.below(600) as u64][random.below(4)];
        let search = [SearchMethod::Hierarchy, SearchMethod::Reference][usize::from(random.below(12) == 0)];
        let start =
            [chasles::Start::Report, chasles::Start::IgnoreSeparating][usize::from(random.below(6) == 0)];
        let options = Options { tolerance, budget, search, start, ..Options::default() };
        Self { a, b, screw: case.screw, options, question: random.below(4) }
    }

    fn query(&self) -> Query<'_> {
        Query { a: &self.a, b: &self.b, screw: self.screw }
    }

    fn ask(&self, workspace: &mut Workspace) -> Result<Prediction, Error> {
        let early = QueryKind::FirstContacts { after: 0.05 };
        let ask =
            [QueryKind::FirstContact, QueryKind::AnyContact, QueryKind::AllContacts, early][self.question];
        self.query().predict(ask, &self.options, workspace)
    }
}

#[test]
fn every_processor_gives_the_same_bits() {
    for seed in 0..fewer(2500, 5) {
        let asked = Asked::new(&mut Random(seed));
        let detected = asked.ask(&mut Workspace::default()).unwrap();
        assert_eq!(detected, asked.ask(&mut Workspace::portable()).unwrap(), "seed {seed}");
    }
}

#[test]
fn a_used_workspace_remembers_nothing() {
    let (mut used, mut portable) = (Workspace::default(), Workspace::portable());
    for seed in 0..fewer(2500, 5) {
        let asked = Asked::new(&mut Random(1_000_000_000 + seed));
        let fresh = asked.ask(&mut Workspace::default()).unwrap();
        assert_eq!(asked.ask(&mut used).unwrap(), fresh, "seed {seed}");
        if seed % 4 == 0 {
            assert_eq!(asked.ask(&mut portable).unwrap(), fresh, "seed {seed}, portable");
        }
    }
}

#[test]
fn a_copy_of_a_used_workspace_remembers_nothing() {
    let mut used = Workspace::default();
    for seed in 0..count(100) {
        let asked = Asked::new(&mut Random(seed));
        let fresh = asked.ask(&mut Workspace::default()).unwrap();
        assert_eq!(asked.ask(&mut used.clone()).unwrap(), fresh, "seed {seed}");
        assert_eq!(asked.ask(&mut used).unwrap(), fresh, "seed {seed}");
    }
}

#[test]
fn a_batch_gives_the_answers_one_by_one() {
    let pools =
        [1, 2, 8].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    let options = Options { budget: 20_000, ..Options::default() };
    let ask = |asked: &[Asked]| {
        let queries: Vec<_> = asked.iter().map(Asked::query).collect();
        let single: Vec<_> = queries.iter().map(|q| first_contact(q.a, q.b, &q.screw, &options)).collect();
        let spans: Vec<_> = queries.iter().map(|q| contact_intervals(q.a, q.b, &q.screw, &options)).collect();
        for pool in &pools {
            let batch = pool.install(|| predictions(&queries, QueryKind::FirstContact, &options));
            assert_eq!(batch, single, "{} threads", pool.current_num_threads());
            let batch = pool.install(|| all_intervals(&queries, &options));
            assert_eq!(batch, spans, "{} threads", pool.current_num_threads());
        }
    };
    ask(&[]);
    for (seed, size) in (0..count(3)).zip([1, 7, 400].into_iter().cycle()) {
        let random = &mut Random(seed);
        ask(&(0..size).map(|_| Asked::new(random)).collect::<Vec<_>>());
    }
    // Each answer is an error if the options are invalid.
    let asked = Asked::new(&mut Random(0));
    let bad = Options { tolerance: Some(f64::NAN), ..options };
    assert!(predictions(&[asked.query(); 9], QueryKind::FirstContact, &bad).iter().all(Result::is_err));
}
