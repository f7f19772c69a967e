//! The collision screen stops when a monitor is over, as if the budget had run out; a monitor that is never over has
//! no effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chasles::{
    Account, FlowLineHit, Free, Options, Outcome, PixelOptions, PixelOutcome, Pose, PreparedMesh, Primitive,
    ProgressMonitor, Query, Screw, UndecidedReason, Workspace, clearance_map, clearance_map_watched,
    collisions, pixel_collisions, pixel_collisions_watched, play, play_watched, probes, probes_watched,
};
use glam::DVec3;

/// A monitor that is over after a number of queries.
struct After(AtomicUsize);

impl After {
    fn asked(count: usize) -> Self {
        Self(AtomicUsize::new(count))
    }
}

impl ProgressMonitor for After {
    fn is_over(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

/// A ball, and a motion past another ball that it touches.
fn case() -> (Arc<PreparedMesh>, Screw) {
    let ball = Primitive::Sphere { radius: 1.0 }.tessellate().unwrap().mesh;
    let pose = |x: f64| Pose::new(DVec3::new(x, 0.3, 0.2), glam::DQuat::IDENTITY).unwrap();
    (Arc::new(PreparedMesh::new(ball)), Screw::between(pose(3.0), pose(-3.0)))
}

#[test]
fn a_monitor_that_is_over_ends_every_query() {
    let (ball, screw) = case();
    let (bodies, options) = ((&*ball, &*ball), Options::default());
    let query = Query { a: &ball, b: &ball, screw };
    for account in [Account::Whole, Account::Collisions] {
        let found = query.collisions_watched(account, &options, &After::asked(0), &mut Workspace::default());
        let found = found.unwrap();
        assert_eq!(found.outcome, Outcome::Undecided { clear_until: 0.0, reason: UndecidedReason::Budget });
        assert!(found.collisions.is_empty());
    }
    let point = [DVec3::new(0.0, 0.1, 0.1)];
    let found = probes_watched(bodies, &screw, &point, (&options, &After::asked(0))).unwrap();
    assert_eq!(found[0].hit, FlowLineHit::Undecided(UndecidedReason::Budget));
    let found = play_watched(bodies, &screw, &options, &After::asked(0)).unwrap();
    assert!(matches!(found.forward, Free::Undecided { free_until: 0.0, reason: UndecidedReason::Budget }));
    let found = clearance_map_watched(bodies, &screw, &options, &After::asked(0)).unwrap();
    assert!(found.undecided > 10 && found.reason == Some(UndecidedReason::Budget) && found.minimum.is_none());
    let pixels = PixelOptions { resolution: 100, ..PixelOptions::default() };
    let found = pixel_collisions_watched(bodies, &screw, &pixels, &After::asked(0)).unwrap();
    assert_eq!(found.outcome, PixelOutcome::OutOfBudget);
}

#[test]
fn a_monitor_that_is_not_over_changes_nothing() {
    let (ball, screw) = case();
    let (bodies, options) = ((&*ball, &*ball), Options::default());
    let never = After::asked(usize::MAX);
    let mut left = usize::MAX;
    let mut is_asked = || {
        let before = std::mem::replace(&mut left, never.0.load(Ordering::Relaxed));
        left < before
    };
    let query = Query { a: &ball, b: &ball, screw };
    let watched =
        query.collisions_watched(Account::Whole, &options, &never, &mut Workspace::default()).unwrap();
    assert!(!watched.collisions.is_empty() && is_asked());
    assert_eq!(watched, collisions(&ball, &ball, &screw, &options).unwrap());
    let point = [DVec3::new(0.0, 0.1, 0.1)];
    let told = probes(bodies, &screw, &point, &options).unwrap();
    assert_eq!(probes_watched(bodies, &screw, &point, (&options, &never)).unwrap(), told);
    assert!(is_asked());
    let told = play(&ball, &ball, &screw, &options).unwrap();
    assert_eq!(play_watched(bodies, &screw, &options, &never).unwrap(), told);
    assert!(is_asked());
    let told = clearance_map(&ball, &ball, &screw, &options).unwrap();
    assert_eq!(clearance_map_watched(bodies, &screw, &options, &never).unwrap(), told);
    assert!(is_asked());
    let pixels = PixelOptions { resolution: 100, ..PixelOptions::default() };
    let told = pixel_collisions(&ball, &ball, &screw, &pixels).unwrap();
    assert_eq!(pixel_collisions_watched(bodies, &screw, &pixels, &never).unwrap(), told);
    assert!(is_asked());
}
