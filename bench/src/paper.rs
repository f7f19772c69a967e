//! The experiment of Kim and Rossignac (2003), "Results": the rates of the rejection tests, and the time that they
//! save.

use chasles::papers::rejection::{self, Rejections};
use chasles::{Counters, Error, Options, Outcome, Prediction, Screw, SearchMethod, first_contact};

use crate::cases::pairs::{Pair, motion};
use crate::program::table::{Cell, Table};
use crate::program::timing::{line, median, quantile, timed};

/// The methods, and the number of repetitions of a query after its first run; the median counts. Without
/// repetitions, the first run counts.
pub const METHODS: [(Method, usize); 3] = [
    (Method::Search(SearchMethod::Reference), 0),
    (Method::Rejection, 3),
    (Method::Search(SearchMethod::Hierarchy), 5),
];

/// A method of answering a query.
#[derive(Debug, Clone, Copy)]
pub enum Method {
    /// By a search of the engine.
    Search(SearchMethod),
    /// By the rejection tests of the paper.
    Rejection,
}

impl Method {
    fn query(self, pair: &Pair, screw: &Screw) -> Result<(Prediction, Rejections), Error> {
        let options = Options::default();
        match self {
            Self::Search(search) => {
                let found = first_contact(&pair.a, &pair.b, screw, &Options { search, ..options })?;
                Ok((found, Rejections::default()))
            }
            Self::Rejection => rejection::first_contact(&pair.a, &pair.b, screw, &options),
        }
    }
}

/// One case, with the results of all methods.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The seed of its motion.
    pub seed: u64,
    /// The motion.
    pub screw: Screw,
    /// The answer of the hierarchy.
    pub outcome: Outcome,
    /// Whether the other methods gave the same answer, to the last bit.
    pub same: bool,
    /// Seconds of each method, in the order of [`METHODS`].
    pub seconds: [f64; 3],
    /// The work of each method.
    pub counters: [Counters; 3],
    /// The results of the rejection tests.
    pub rejections: Rejections,
}

/// The cases that a figure is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subset {
    All,
    Colliding,
    ClearNotRejected,
    Rejected,
    NotRejected,
}

impl Measured {
    /// Runs all methods on the case of a seed.
    ///
    /// # Errors
    /// Does not fail for the cases of this experiment.
    pub fn new(pair: &Pair, seed: u64) -> Result<Self, Error> {
        let screw = motion(seed)?;
        let mut found: Vec<(Prediction, f64)> = Vec::new();
        let mut rejections = Rejections::default();
        for (method, repetitions) in METHODS {
            let (answer, seconds) = timed(repetitions, || method.query(pair, &screw));
            let (prediction, rejected) = answer?;
            if let Method::Rejection = method {
                rejections = rejected;
            }
            found.push((prediction, seconds));
        }
        let outcome = found[2].0.outcome.clone();
        Ok(Self {
            seed,
            screw,
            same: found.iter().all(|(p, _)| p.outcome == outcome),
            outcome,
            seconds: [0, 1, 2].map(|i| found[i].1),
            counters: [0, 1, 2].map(|i| found[i].0.counters),
            rejections,
        })
    }

    /// Whether the bodies collide.
    #[must_use]
    pub fn collides(&self) -> bool {
        matches!(self.outcome, Outcome::Contact(_))
    }

    fn is_in(&self, subset: Subset) -> bool {
        match subset {
            Subset::All => true,
            Subset::Colliding => self.collides(),
            Subset::Rejected => self.objects_rejected(),
            Subset::NotRejected => !self.objects_rejected(),
            Subset::ClearNotRejected => !self.collides() && !self.objects_rejected(),
        }
    }

    fn objects_rejected(&self) -> bool {
        let r = self.rejections;
        r.swept_sphere + r.object_outside + r.object_inside + r.end_caps > 0
    }

    /// Pairs of features that no test rejected.
    fn kept(&self) -> u64 {
        let r = self.rejections;
        let rejected = [r.along_axis, r.triangle_outside, r.triangle_inside, r.swept_angle];
        let rejected: u64 = rejected.iter().chain(&[r.height, r.edge_inside, r.edge_outside]).sum();
        r.vertex_triangles + r.edge_edges - rejected
    }
}

fn of(cases: &[Measured], subset: Subset) -> impl Iterator<Item = &Measured> + Clone {
    cases.iter().filter(move |c| c.is_in(subset))
}

fn count(cases: &[Measured], subset: Subset) -> u64 {
    of(cases, subset).count() as u64
}

/// The tables of the experiment.
#[must_use]
pub fn tables(pair: &Pair, cases: &[Measured]) -> Vec<Table> {
    vec![numbers(pair, cases), rejected(cases), times(cases), per_pair(pair, cases), work(cases)]
}

fn numbers(pair: &Pair, cases: &[Measured]) -> Table {
    let text = "Our copy of the paper does not say how many cases it ran.";
    let mut table = Table::new("Cases", text, &["", "ours", "paper"]);
    let (all, collide) = (count(cases, Subset::All), count(cases, Subset::Colliding));
    table.row(
        "pairs of a vertex and a triangle, both orders, in a case",
        [Cell::Count(pair.vertex_triangles()), Cell::Count(26_540)],
    );
    table.row("pairs of edges in a case", [Cell::Count(pair.edge_edges()), Cell::Count(58_266)]);
    table.row("cases", [Cell::Count(all), Cell::Empty]);
    table.row("cases in which the bodies collide", [Cell::Count(collide), Cell::Empty]);
    let kind = |selected: fn(&Outcome) -> bool| {
        Cell::Count(cases.iter().filter(|c| selected(&c.outcome)).count() as u64)
    };
    table.row("overlapping at the start", [kind(|o| matches!(o, Outcome::Overlapping(_))), Cell::Count(0)]);
    table.row("undecided", [kind(|o| matches!(o, Outcome::Undecided { .. })), Cell::Empty]);
    let different: Vec<_> = cases.iter().filter(|c| !c.same).map(|c| c.seed.to_string()).collect();
    let different = if different.is_empty() { "none".into() } else { different.join(" ") };
    table.row(
        "seeds for which the three methods differ in any bit of the answer",
        [Cell::Text(different), Cell::Empty],
    );
    let mut slowest: Vec<_> = cases.iter().map(|c| (c.seconds[2], c.seed)).collect();
    slowest.sort_unstable_by(|x, y| y.0.total_cmp(&x.0));
    let slowest: Vec<_> =
        slowest.iter().take(3).map(|(t, seed)| format!("{seed} ({:.0} us)", 1e6 * t)).collect();
    table.row("seeds of the slowest queries of Hierarchy", [Cell::Text(slowest.join(", ")), Cell::Empty]);
    table
}

fn rejected(cases: &[Measured]) -> Table {
    let text = "Each pair is counted by the first test that rejects it, so the split among tests depends on their \
        order. The shapes of the paper, their size and the objects that its spheres enclose are unknown; we chose the \
        size of our shapes so that half of the pairs of objects are rejected. Our spheres enclose the bounding boxes. \
        For pairs of features the paper gives the colliding cases only.";
    let columns = ["rejected", "all cases", "objects not rejected", "colliding", "paper"];
    let mut table = Table::new("Share rejected", text, &columns);
    type Counter = fn(&Rejections) -> u64;
    let fraction = |subset: Subset, part: Counter, whole: Counter| {
        let sum = |f: Counter| of(cases, subset).map(|c| f(&c.rejections)).sum::<u64>() as f64;
        Cell::Fraction(sum(part) / sum(whole))
    };
    let objects: [(&str, Counter, Cell); 5] = [
        (
            "**pairs of objects**",
            |r| r.swept_sphere + r.object_outside + r.object_inside + r.end_caps,
            Cell::Text("about 50 %".into()),
        ),
        ("by the swept sphere", |r| r.swept_sphere, Cell::Empty),
        ("outside the cylinder", |r| r.object_outside, Cell::Empty),
        ("inside the cylinder", |r| r.object_inside, Cell::Empty),
        ("beyond the end caps", |r| r.end_caps, Cell::Empty),
    ];
    for (name, part, paper) in objects {
        table.row(name, [fraction(Subset::All, part, |r| r.objects), Cell::Empty, Cell::Empty, paper]);
    }
    let features: [(&str, Counter, Counter, Cell); 9] = [
        (
            "**pairs of a vertex and a triangle**",
            |r| r.along_axis + r.triangle_outside + r.triangle_inside + r.swept_angle,
            |r| r.vertex_triangles,
            Cell::Fraction(0.505),
        ),
        ("along the axis", |r| r.along_axis, |r| r.vertex_triangles, Cell::Empty),
        ("triangle outside the cylinder", |r| r.triangle_outside, |r| r.vertex_triangles, Cell::Empty),
        ("triangle inside the cylinder", |r| r.triangle_inside, |r| r.vertex_triangles, Cell::Empty),
        ("outside the swept angle", |r| r.swept_angle, |r| r.vertex_triangles, Cell::Empty),
        (
            "**pairs of edges**",
            |r| r.height + r.edge_inside + r.edge_outside,
            |r| r.edge_edges,
            Cell::Fraction(0.66),
        ),
        ("by height", |r| r.height, |r| r.edge_edges, Cell::Empty),
        ("inside the annulus", |r| r.edge_inside, |r| r.edge_edges, Cell::Empty),
        ("outside the annulus", |r| r.edge_outside, |r| r.edge_edges, Cell::Empty),
    ];
    for (name, part, whole, paper) in features {
        let [kept, hit] = [Subset::NotRejected, Subset::Colliding].map(|s| fraction(s, part, whole));
        table.row(name, [Cell::Empty, kept, hit, paper]);
    }
    table
}

const SUBSETS: [(&str, Subset); 4] = [
    ("colliding", Subset::Colliding),
    ("clear, objects not rejected", Subset::ClearNotRejected),
    ("clear, objects rejected", Subset::Rejected),
    ("all", Subset::All),
];

fn times(cases: &[Measured]) -> Table {
    let text = "CPU time of one thread, with the bodies built beforehand: the median of warm repetitions, or a single \
        run for Reference. `Reference` searches every pair of features, `Rejection` only the pairs that pass the \
        paper's tests, and `Hierarchy` is the method of chasles. *Saved* is 1 - sum of times with rejection / sum \
        without, which is how we read the paper's \"speedup of 55 %\". The paper's times cannot be compared with \
        ours: its processor is of about 2003, and its Newton iteration stops at single roots, while chasles encloses \
        every root with proof. Reference and Rejection do not visit the pairs in order of time, so neither can stop \
        early.";
    let columns = [
        "", "cases", "Reference, median", "Reference, p95", "Rejection, median", "Rejection, p95",
        "Hierarchy, median", "Hierarchy, p95", "saved by rejection", "paper", "Reference / Rejection",
        "Rejection / Hierarchy",
    ];
    let mut table = Table::new("Time of a query", text, &columns);
    for (name, subset) in SUBSETS {
        let of_method = |i: usize| of(cases, subset).map(move |c| c.seconds[i]);
        let both =
            (0..3).flat_map(|i| [Cell::Time(median(of_method(i))), Cell::Time(quantile(of_method(i), 0.95))]);
        let [reference, rejection, hierarchy] = [0, 1, 2].map(|i| of_method(i).sum::<f64>());
        let paper = if subset == Subset::Colliding { Cell::Fraction(0.55) } else { Cell::Empty };
        let last = [
            Cell::Fraction(1.0 - rejection / reference),
            paper,
            Cell::Ratio(reference / rejection),
            Cell::Ratio(rejection / hierarchy),
        ];
        table.row(name, [Cell::Count(count(cases, subset))].into_iter().chain(both).chain(last));
    }
    table
}

/// The time of the rejection tests is derived from cases in which less than this fraction of the pairs is left.
const FEW: f64 = 0.05;

fn per_pair(pair: &Pair, cases: &[Measured]) -> Table {
    let text = "No clock runs inside the engine: every time here is derived from the times of whole queries. The \
        paper's time for root finding is missing from our copy; its time for rejection is 32.8 ms over 84,806 pairs.";
    let mut table = Table::new("Time of a pair of features", text, &["", "ours", "paper", "derived from"]);
    let pairs = (pair.vertex_triangles() + pair.edge_edges()) as f64;
    let overhead = median(of(cases, Subset::Rejected).map(|c| c.seconds[1]));
    let emptied: Vec<f64> =
        of(cases, Subset::NotRejected).filter(|c| c.kept() == 0).map(|c| c.seconds[1] - overhead).collect();
    let how = format!(
        "{} cases in which the tests reject every pair of features but not the objects: median time less that of queries that reject the objects ({:.1} us), by {pairs} pairs",
        emptied.len(),
        1e6 * overhead
    );
    table.row(
        "rejection tests, no pairs left",
        [Cell::Time(median(emptied) / pairs), Cell::Time(0.39e-6), Cell::Text(how)],
    );
    let points: Vec<_> = of(cases, Subset::NotRejected).map(|c| (c.kept() as f64, c.seconds[1])).collect();
    let few: Vec<_> = points.iter().copied().filter(|p| p.0 < FEW * pairs).collect();
    let how = format!(
        "{} cases in which under {} % of the pairs are left: time of Rejection as a straight line over their number; where it meets 0 pairs, less and by the same",
        few.len(),
        100.0 * FEW
    );
    let [intercept, _] = line(&few);
    table.row(
        "rejection tests, few left",
        [Cell::Time((intercept - overhead) / pairs), Cell::Time(0.39e-6), Cell::Text(how)],
    );
    let [_, slope] = line(&points);
    let how = "the slope of such a line through all cases not rejected as objects";
    table.row("root finding, pairs that were not rejected", [Cell::Time(slope), "lost".into(), how.into()]);
    let reference = |s| Cell::Time(median(of(cases, s).map(|c| c.seconds[0])) / pairs);
    table.row(
        "root finding, every pair, colliding cases",
        [reference(Subset::Colliding), "lost".into(), "median time of Reference by all pairs".into()],
    );
    table.row(
        "root finding, every pair, all cases",
        [reference(Subset::All), "lost".into(), "the same".into()],
    );
    table
}

fn work(cases: &[Measured]) -> Table {
    let columns = [
        "", "pairs of boxes", "pairs of triangles", "functions searched", "steps", "functions, Rejection",
        "functions, Reference",
    ];
    let text = "Medians of the engine's counters for `Hierarchy`; the last two columns count the functions that the \
        other methods search.";
    let mut table = Table::new("Work of a query", text, &columns);
    for (name, subset) in SUBSETS {
        type Counter = fn(&Counters) -> u64;
        let middle = |i: usize, f: Counter| {
            Cell::Count(median(of(cases, subset).map(|c| f(&c.counters[i]) as f64)) as u64)
        };
        let own: [Counter; 4] = [|c| c.box_pairs, |c| c.triangle_pairs, |c| c.functions, |c| c.steps];
        let others = [middle(1, |c| c.functions), middle(0, |c| c.functions)];
        table.row(name, own.map(|f| middle(2, f)).into_iter().chain(others));
    }
    table
}
