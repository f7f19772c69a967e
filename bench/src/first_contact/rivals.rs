//! Peers on the sets of first contact: their answers (late, early, or missed), and their times.
//!
//! Each peer runs the cases of a set in order until a time limit. Its table has chasles' times over the same cases.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use chasles::{Outcome, SearchMethod};

use crate::cases::shapes::Raw;
use crate::cases::sweeps::Sweep;
use crate::first_contact::engine::Engine;
use crate::first_contact::outside::{self, Python, Timed};
use crate::first_contact::queries::{CaseResult, REPEATS};
use crate::first_contact::sets::Set;
use crate::peers::{Parry, SAMPLES, Verdict};
use crate::program::table::{Cell, Table};
use crate::program::timing::{median, once, quantile};

/// The time limit of a peer for a set, in seconds, without the construction of bodies.
const SECONDS: f64 = 20.0;

/// A set is skipped if a single case is expected to take longer than this, in seconds: parry's cast and our
/// reference cannot be interrupted.
const SLOWEST: f64 = 5.0;

/// An estimate of parry's longest cast, in seconds per triangle of a body, before any cast has been timed.
const LONGEST_CAST: f64 = 1e-3;

/// The number of colliding cases for the reference.
const REFERENCE: usize = 5;

/// The reference runs only if bodies have at most this number of triangles.
const REFERENCE_SIZE: usize = 1000;

/// The peers, and estimates of their speed.
#[derive(Debug)]
pub struct Rivals {
    python: Option<Python>,
    /// The folder of the cases for Python.
    folder: PathBuf,
    /// The longest cast until now, in seconds per triangle of a body.
    longest_cast: f64,
    /// For each set and peer until now: the names, and the ratio of the peer's time to ours, colliding and clear.
    ratios: Vec<Ratio>,
}

#[derive(Debug)]
struct Ratio {
    set: String,
    peer: String,
    colliding: f64,
    clear: f64,
}

/// The meaning of a peer's time of contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Means {
    /// The time of first contact.
    Time,
    /// The first sampled time at which the bodies intersect.
    Sample,
}

/// A peer's answers to some of the cases.
struct Answers<'a> {
    name: String,
    /// A remark about the peer.
    note: String,
    means: Means,
    answers: Vec<(&'a CaseResult, Timed)>,
}

/// Parry's meshes, for each pair of bodies.
type Parries = BTreeMap<[usize; 2], Parry>;

impl Rivals {
    /// The peers on this machine, including those outside Rust if the given Python finds them.
    #[must_use]
    pub fn new(python: &Path) -> Self {
        let folder = std::env::temp_dir().join(format!("chasles-bench-{}", std::process::id()));
        Self { python: Python::find(python), folder, longest_cast: LONGEST_CAST, ratios: Vec::new() }
    }

    /// Libraries and versions.
    #[must_use]
    pub fn versions(&self) -> String {
        let mut names = vec!["parry3d-f64 0.31".to_owned()];
        match &self.python {
            Some(python) => {
                names.extend(python.libraries.iter().map(|(name, version)| match name.as_str() {
                    "fcl" => format!("python-fcl {version}"),
                    _ => format!("{name} {version}"),
                }))
            }
            None => names.push("no python-fcl and no coal on this machine".into()),
        }
        names.join(", ")
    }

    /// The table of all peers beside chasles, for one set.
    ///
    /// # Errors
    /// Errors of the file system, of parry's meshes or of the script.
    pub fn table(&mut self, set: &Set, queried: &[CaseResult]) -> Result<Table, Box<dyn Error>> {
        let decided: Vec<&CaseResult> =
            queried.iter().filter(|a| !matches!(a.outcome, Outcome::Undecided { .. })).collect();
        let raw = set.kind.raw(set.size);
        let parries = parries(&raw, &decided)?;
        let text = if self.ratios.is_empty() { TEXT } else { "As above." };
        let mut table = Table::new(&format!("Peers: {}", set.name()), text, &COLUMNS);
        let own = decided.iter().map(|a| (*a, (None, a.warm))).collect();
        let own = Answers { name: String::new(), note: String::new(), means: Means::Time, answers: own };
        table.row("chasles, first contact", own.times().into_iter().chain([const { Cell::Empty }; 5]));
        let mut all = Vec::new();
        match self.cast(set, &parries, &decided) {
            Some(answers) => all.push(answers),
            None => table.row("parry, non-linear cast: not run", [const { Cell::Empty }; 16]),
        }
        let name = format!("parry, static test at {SAMPLES} poses");
        let answers = query_each(&decided, |a| {
            let parry = &parries[&a.case.bodies];
            let one = || once(|| parry.sampled_time(&a.case.screw));
            let (time, first) = one();
            (time, (1..REPEATS).map(|_| one().1).fold(first, f64::min))
        });
        all.push(Answers { name, note: String::new(), means: Means::Sample, answers });
        all.extend(self.outside(set, &raw, &decided)?);
        all.extend(reference(set, &decided)?);
        for peer in all {
            let ratio = |hit| peer.seconds(hit, 0.5) / peer.ours(hit);
            let [colliding, clear] = [true, false].map(ratio);
            self.ratios.push(Ratio { set: set.name(), peer: peer.name.clone(), colliding, clear });
            table.row(
                &(peer.name.clone() + &peer.note),
                peer.times().into_iter().chain(peer.verdicts(&parries)),
            );
        }
        Ok(table)
    }

    /// A summary of the tables of all sets until now: the ratio of each peer's time to chasles', colliding and clear.
    #[must_use]
    pub fn short(&self) -> [Table; 2] {
        let mut peers: Vec<&str> = Vec::new();
        let mut sets: Vec<&str> = Vec::new();
        for ratio in &self.ratios {
            peers.extend((!peers.contains(&ratio.peer.as_str())).then_some(ratio.peer.as_str()));
            sets.extend((!sets.contains(&ratio.set.as_str())).then_some(ratio.set.as_str()));
        }
        let columns: Vec<&str> = [""].into_iter().chain(peers.iter().copied()).collect();
        [("colliding", true), ("clear", false)].map(|(which, hit)| {
            let mut table = Table::new(&format!("Peers in short, {which}"), SHORT, &columns);
            for set in &sets {
                let of = |peer: &str| self.ratios.iter().find(|r| r.set == *set && r.peer == peer);
                let value = |r: &Ratio| if hit { r.colliding } else { r.clear };
                let cell = |peer: &&str| {
                    of(peer).map(value).filter(|x| x.is_finite()).map_or(Cell::Empty, Cell::Ratio)
                };
                table.row(set, peers.iter().map(cell));
            }
            table
        })
    }

    /// Runs parry's cast, unless it is expected to take too long.
    fn cast<'a>(&mut self, set: &Set, parries: &Parries, queried: &[&'a CaseResult]) -> Option<Answers<'a>> {
        // The cast processes the triangles of one mesh one after another, so its time grows at least linearly with
        // their number.
        if self.longest_cast * set.size as f64 > SLOWEST {
            return None;
        }
        let answers = query_each(queried, |a| once(|| parries[&a.case.bodies].cast_time(&a.case.screw)));
        let longest = answers.iter().map(|a| a.1.1).fold(0.0, f64::max);
        self.longest_cast = self.longest_cast.max(longest / set.size as f64);
        Some(Answers {
            name: "parry, non-linear cast".into(),
            note: String::new(),
            means: Means::Time,
            answers,
        })
    }

    fn outside<'a>(
        &self,
        set: &Set,
        raw: &[Raw],
        queried: &[&'a CaseResult],
    ) -> Result<Vec<Answers<'a>>, Box<dyn Error>> {
        let Some(python) = &self.python else { return Ok(Vec::new()) };
        outside::write(&self.folder, raw, queried)?;
        let mut all = Vec::new();
        // FCL's motions are given by their ends, between which half a revolution is ambiguous.
        let half_turn = set.kind.sweep() == Sweep::HalfTurn;
        let able = |word: &str| !half_turn || word.ends_with("-sampled");
        for (word, _, name) in outside::PEERS.into_iter().filter(|peer| python.has(peer.1) && able(peer.0)) {
            let answers = python.query(&self.folder, word, SECONDS)?;
            let answers = queried.iter().copied().zip(answers).collect();
            let means = if word == "fcl-advancement" { Means::Time } else { Means::Sample };
            all.push(Answers { name: name.into(), note: String::new(), means, answers });
        }
        std::fs::remove_dir_all(&self.folder)?;
        Ok(all)
    }
}

fn parries(raw: &[Raw], queried: &[&CaseResult]) -> Result<Parries, Box<dyn Error>> {
    let mut parries = Parries::new();
    for [a, b] in queried.iter().map(|a| a.case.bodies) {
        if let Entry::Vacant(place) = parries.entry([a, b]) {
            place.insert(Parry::new(&[raw[a].clone(), raw[b].clone()])?);
        }
    }
    Ok(parries)
}

/// Answers in the order of the cases, until the time limit.
fn query_each<'a>(
    queried: &[&'a CaseResult],
    mut run: impl FnMut(&CaseResult) -> Timed,
) -> Vec<(&'a CaseResult, Timed)> {
    let start = Instant::now();
    let in_time = queried.iter().take_while(|_| start.elapsed().as_secs_f64() < SECONDS);
    in_time.map(|a| (*a, run(a))).collect()
}

/// Our own slow twin, whose answers must be equal to the last bit.
fn reference<'a>(set: &Set, queried: &[&'a CaseResult]) -> Result<Option<Answers<'a>>, chasles::Error> {
    if set.size > REFERENCE_SIZE {
        return Ok(None);
    }
    let mut engine = Engine::searching_by(SearchMethod::Reference);
    let (mut answers, mut different) = (Vec::new(), 0);
    for hit in queried.iter().filter(|a| a.collides()).take(REFERENCE) {
        let (prediction, seconds) = once(|| engine.first(&set.query(&hit.case)));
        let outcome = prediction?.outcome;
        different += u32::from(outcome != hit.outcome);
        let time = match outcome {
            Outcome::Contact(contact) => Some(contact.time[0]),
            Outcome::Overlapping(_) => Some(0.0),
            Outcome::Clear | Outcome::Undecided { .. } => None,
        };
        answers.push((*hit, (time, seconds)));
    }
    let name = "chasles, every pair of features".into();
    let note = format!(" ({different} differ in any bit)");
    Ok(Some(Answers { name, note, means: Means::Time, answers }))
}

const SHORT: &str = "The peer's median time divided by chasles' warm median, over the cases that the peer answered. \
    Below 1 the peer is faster. The methods at 100 poses answer less, because they do not see what happens between \
    two poses. Empty: not run.";

const COLUMNS: [&str; 17] = [
    "", "colliding", "colliding, median", "colliding, p95", "colliding, longest", "chasles there, colliding",
    "ratio, colliding", "clear", "clear, median", "clear, p95", "chasles there, clear", "ratio, clear",
    "missed", "late", "late by, median", "early or false", "not settled",
];

const TEXT: &str = "The first cases of the set, as many as a peer answers in 20 s; chasles' median (warm) over the \
    same cases, and the ratio of the peer's median to it. Sampling ends at the first pose that intersects; times are \
    the fastest of 3 runs, or a single run for parry's cast and our reference. Compared with chasles' proven answer, \
    *missed* is a contact that the peer does not report, *late* a contact found more than 1e-6 of the motion too late \
    (sampled poses: late at all), and *early or false* a contact before the first one or in a motion without contact. \
    If the answers differ, parry's static queries decide (for sampled poses: if a contact is missed); *not settled* \
    counts the cases in which they do not confirm chasles. parry's cast cannot be interrupted, so it is not run if a \
    case is expected to take more than 5 s.";

impl<'a> Answers<'a> {
    /// The cases that collide, or the cases that are clear.
    fn of(&self, hit: bool) -> impl Iterator<Item = &(&'a CaseResult, Timed)> {
        self.answers.iter().filter(move |a| a.0.collides() == hit)
    }

    /// A quantile of the peer's times over these cases, in seconds.
    fn seconds(&self, hit: bool, fraction: f64) -> f64 {
        quantile(self.of(hit).map(|a| a.1.1), fraction)
    }

    /// Chasles' median over these cases, in seconds.
    fn ours(&self, hit: bool) -> f64 {
        median(self.of(hit).map(|a| a.0.warm))
    }

    /// Numbers of cases and times, colliding and clear, with chasles' times over the same cases.
    fn times(&self) -> Vec<Cell> {
        let cells = |hit: bool, fractions: &[f64]| {
            let ours = self.ours(hit);
            let mut cells = vec![Cell::Count(self.of(hit).count() as u64)];
            cells.extend(fractions.iter().map(|fraction| Cell::Time(self.seconds(hit, *fraction))));
            cells.extend([Cell::Time(ours), Cell::Ratio(self.seconds(hit, 0.5) / ours)]);
            cells
        };
        [cells(true, &[0.5, 0.95, 1.0]), cells(false, &[0.5, 0.95])].concat()
    }

    fn verdicts(&self, parries: &Parries) -> [Cell; 5] {
        let verdict = |(queried, (time, _)): &(&CaseResult, Timed)| match self.means {
            Means::Time => Verdict::of_time(&queried.outcome, *time),
            Means::Sample => Verdict::of_sample(&queried.outcome, *time),
        };
        let verdicts: Vec<Verdict> = self.answers.iter().map(verdict).collect();
        let count = |selected: fn(&Verdict) -> bool| {
            Cell::Count(verdicts.iter().filter(|v| selected(v)).count() as u64)
        };
        let late = verdicts.iter().filter_map(|v| if let Verdict::Late(by) = v { Some(*by) } else { None });
        let needs_no_witness = |v: Verdict| self.means == Means::Sample && matches!(v, Verdict::Late(_));
        let settled = |(queried, (time, _)): &(&CaseResult, Timed), v: Verdict| {
            let parry = &parries[&queried.case.bodies];
            needs_no_witness(v) || parry.sides_with(&queried.case.screw, &queried.outcome, (*time, v))
        };
        let open = self.answers.iter().zip(&verdicts).filter(|(a, v)| !settled(a, **v)).count();
        [
            count(|v| *v == Verdict::Missed),
            count(|v| matches!(v, Verdict::Late(_))),
            Cell::TimeFraction(median(late)),
            count(|v| *v == Verdict::Early),
            Cell::Count(open as u64),
        ]
    }
}
