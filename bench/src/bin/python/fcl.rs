//! Runs python-fcl on the same queries, through `bench/python/sampled.py`.

use std::error::Error;

use chasles_bench::first_contact::outside::{PEERS, Python as Peers, write_cases};
use chasles_bench::program::table::{Cell, Table};
use chasles_bench::program::timing::median;

use crate::cores::passing;
use crate::questions::verdicts;
use crate::settings::Settings;

/// The maximum number of rounds for a peer, because peers are slow. In each round every query runs three times.
const ROUNDS: usize = 3;

/// The numbers of the verdicts.
const CLEAR: u8 = 0;
const CONTACT: u8 = 3;

/// Measures the times and the missed contacts of FCL's methods.
pub(crate) fn fcl(settings: &Settings, peers: &Peers) -> Result<Table, Box<dyn Error>> {
    let mut table = Table::new(
        "python-fcl",
        "The first queries of *Two cores*, one by one: `chasles.first_contact` with a `Screw`, and python-fcl with \
            trees of OBBRSS that are built beforehand: `fcl.collide` at 100 poses in a Python loop until the first \
            pose in contact, and `fcl.continuousCollide` along the screw by both of its methods. CPU seconds of the \
            thread, the fastest of three in each of several rounds, all in turn. *Times as long* is the sum of a \
            peer's times divided by the sum of ours, over the queries that the peer answered within its time limit. \
            *Missed*: contacts that Chasles has proven and the peer does not report; *not there*: contacts that the \
            peer reports although Chasles has proven the motion clear. Unfair to FCL: its package calls into C++ once \
            a pose, and the sampling gives a time but neither point nor normal. Unfair to Chasles: it proves its \
            answers, FCL does not.",
        &[
            "", "queries", "Chasles, mean", "peer, mean", "times as long", "median", "contacts", "missed",
            "clear", "not there",
        ],
    );
    let questions = passing(settings)?;
    questions.write(&settings.folder)?;
    let count = settings.fcl_queries.min(questions.screws.len());
    let screws = &questions.screws[..count];
    let verdicts: Vec<u8> = verdicts(&questions.rows(screws)?).collect();
    let folder = settings.folder.join(questions.name);
    write_cases(&folder, &questions.raw, &screws.iter().map(|screw| ([0, 1], *screw)).collect::<Vec<_>>())?;
    let mut python = settings.start()?;
    python.query(&["prepare", questions.name, "screws", &count.to_string()])?;

    let fcl_peers: Vec<_> = PEERS.iter().filter(|(_, library, _)| *library == "fcl").collect();
    let mut ours = vec![f64::INFINITY; count];
    let mut theirs: Vec<Vec<(Option<f64>, f64)>> = vec![Vec::new(); fcl_peers.len()];
    for _ in 0..settings.rounds.min(ROUNDS) {
        python.query(&["each"])?;
        let times = std::fs::read(settings.folder.join("times"))?;
        let times = times.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
        ours.iter_mut().zip(times).for_each(|(minimum, seconds)| *minimum = minimum.min(seconds));
        for ((word, _, _), known) in fcl_peers.iter().zip(&mut theirs) {
            let found = peers.query(&folder, word, settings.fcl_seconds)?;
            known.iter_mut().zip(&found).for_each(|(known, found)| known.1 = known.1.min(found.1));
            known.extend_from_slice(&found[known.len().min(found.len())..]);
        }
    }
    for ((_, _, name), theirs) in fcl_peers.iter().zip(&theirs) {
        let answered = theirs.len();
        let sums = [ours[..answered].iter().sum::<f64>(), theirs.iter().map(|(_, seconds)| seconds).sum()];
        let of = |verdict: u8| theirs.iter().zip(&verdicts).filter(move |(_, own)| **own == verdict);
        let count = |n: usize| Cell::Count(n as u64);
        table.row(
            name,
            [
                count(answered),
                Cell::Time(sums[0] / answered as f64),
                Cell::Time(sums[1] / answered as f64),
                Cell::Ratio(sums[1] / sums[0]),
                Cell::Ratio(median(theirs.iter().zip(&ours).map(|((_, peer), own)| peer / own))),
                count(of(CONTACT).count()),
                count(of(CONTACT).filter(|((time, _), _)| time.is_none()).count()),
                count(of(CLEAR).count()),
                count(of(CLEAR).filter(|((time, _), _)| time.is_some()).count()),
            ],
        );
    }
    Ok(table)
}
