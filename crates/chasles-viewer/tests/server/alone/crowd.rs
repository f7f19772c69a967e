//! Many watch while one jogs: none is starved, nothing piles up.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::support::{PATIENCE, Running, block_on, command, many, memory, to};

#[test]
fn all_viewers_see_the_end() {
    let server = Running::alone_with_arm();
    let (watching, moves) = (many(40, 200), many(100, 6000));
    let pause = Duration::from_millis(20);
    block_on(async {
        let mut jogs = server.client().await;
        jogs.done(command("take")).await;
        let mut watchers = tokio::task::JoinSet::new();
        // How many states each has seen.
        let seen: Arc<[AtomicUsize]> = (0..watching).map(|_| AtomicUsize::new(0)).collect();
        for number in 0..watching {
            let mut client = server.client().await;
            let seen = Arc::clone(&seen);
            watchers.spawn(async move {
                let (mut longest, mut last) = (Duration::ZERO, Instant::now());
                while client.state["controller"].is_u64() || seen[number].load(Ordering::Relaxed) == 0 {
                    client.next().await.expect("a state");
                    seen[number].fetch_add(1, Ordering::Relaxed);
                    longest = longest.max(last.elapsed());
                    last = Instant::now();
                }
                (longest, client.state["moves"].clone())
            });
        }
        let before = memory();
        let mut round_trips = Vec::new();
        let start = Instant::now();
        let mut next = start;
        let fewest = || seen.iter().map(|states| states.load(Ordering::Relaxed)).min().unwrap();
        // Nobody is starved: where the machine is busy it goes on until all have seen enough.
        while round_trips.len() < moves || (fewest() <= moves / 20 && start.elapsed() < PATIENCE) {
            let (number, asked) = (round_trips.len(), Instant::now());
            let turn = -0.5 + 0.01 * (number % 100) as f64 * if number % 200 < 100 { 0.5 } else { -0.5 };
            jogs.done(to(&[("turn", turn)])).await;
            round_trips.push(asked.elapsed());
            next += pause;
            tokio::time::sleep_until(next.into()).await;
        }
        let (took, moves, enough) = (start.elapsed(), round_trips.len(), moves / 20);
        jogs.done(command("release")).await;
        let mut longest = Duration::ZERO;
        while let Some(watched) = watchers.join_next().await {
            let (gap, recorded) = watched.unwrap();
            assert_eq!(recorded, moves);
            longest = longest.max(gap);
        }
        let fewest = fewest();
        round_trips.sort_unstable();
        let after = memory();
        println!(
            "{watching} watch, {moves} moves in {took:?}: round trip median {:?}, p95 {:?}, most {:?}; fewest states seen {fewest}, \
             longest without one {longest:?}; memory {before:?} -> {after:?}",
            round_trips[moves / 2],
            round_trips[moves * 95 / 100],
            round_trips[moves - 1],
        );
        assert!(fewest > enough, "{fewest}");
        if let (Some(before), Some(after)) = (before, after) {
            assert!(after < before + (200 << 20), "{before} {after}");
        }
    });
}
