//! Many watch while one jogs: none is starved, nothing piles up.

use std::time::{Duration, Instant};

use chasles_viewer::ServerOptions;

use crate::support::{Running, arm, ask, block_on, many, memory, to};

#[test]
fn all_who_watch_see_the_end() {
    let server = Running::new(&ServerOptions::default(), Some(&arm()));
    let (watching, moves) = (many(40, 200), many(100, 6000));
    let pause = Duration::from_millis(20);
    block_on(async {
        let mut jogs = server.client().await;
        jogs.done(ask("take")).await;
        let mut watchers = tokio::task::JoinSet::new();
        for _ in 0..watching {
            let mut client = server.client().await;
            watchers.spawn(async move {
                let (mut states, mut longest, mut last) = (0, Duration::ZERO, Instant::now());
                while client.state["controller"].is_u64() || states == 0 {
                    client.next().await.expect("a state");
                    states += 1;
                    longest = longest.max(last.elapsed());
                    last = Instant::now();
                }
                (states, longest, client.state["moves"].clone())
            });
        }
        let before = memory();
        let mut round_trips = Vec::new();
        let begin = Instant::now();
        let mut next = begin;
        for number in 0..moves {
            let asked = Instant::now();
            let turn = -0.5 + 0.01 * (number % 100) as f64 * if number % 200 < 100 { 0.5 } else { -0.5 };
            jogs.done(to(&[("turn", turn)])).await;
            round_trips.push(asked.elapsed());
            next += pause;
            tokio::time::sleep_until(next.into()).await;
        }
        let took = begin.elapsed();
        jogs.done(ask("release")).await;
        let (mut fewest, mut longest) = (usize::MAX, Duration::ZERO);
        while let Some(watched) = watchers.join_next().await {
            let (states, gap, recorded) = watched.unwrap();
            assert_eq!(recorded, moves);
            (fewest, longest) = (fewest.min(states), longest.max(gap));
        }
        round_trips.sort_unstable();
        let after = memory();
        println!(
            "{watching} watch, {moves} moves in {took:?}: round trip median {:?}, p95 {:?}, most {:?}; fewest states seen {fewest}, \
             longest without one {longest:?}; memory {before:?} -> {after:?}",
            round_trips[moves / 2],
            round_trips[moves * 95 / 100],
            round_trips[moves - 1],
        );
        // Nobody is starved, whatever else the machine does.
        assert!(fewest > moves / 20, "{fewest}");
        if let (Some(before), Some(after)) = (before, after) {
            assert!(after < before + (200 << 20), "{before} {after}");
        }
    });
}
