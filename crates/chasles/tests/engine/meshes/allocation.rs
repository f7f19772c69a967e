//! Once its workspace has grown, a query allocates no memory.

use crate::cases::extremes::{Meet, extreme};
use crate::cases::fewer;
use chasles::{Options, Outcome, Query, QueryKind, Workspace};
use chasles_testing::Random;

#[test]
fn a_used_workspace_allocates_nothing() {
    let workspace = &mut Workspace::default();
    let mut met = 0;
    for seed in 0..fewer(400, 2) {
        let random = &mut Random(seed);
        let meet = [Meet::Any, Meet::Graze][random.below(2)];
        let extreme = extreme(random, meet);
        let (a, b) = extreme.case.bodies();
        let query = Query { a: &a, b: &b, screw: extreme.case.screw };
        let options = Options { tolerance: extreme.tolerance, budget: 20_000, ..Options::default() };
        for ask in [QueryKind::FirstContact, QueryKind::AnyContact] {
            let first = query.predict(ask, &options, workspace).unwrap();
            let mut again = None;
            let counted =
                allocation_counter::measure(|| again = Some(query.predict(ask, &options, workspace)));
            assert_eq!(again.unwrap().unwrap(), first, "seed {seed}");
            // A list of overlapping triangles is memory of the answer itself. The depth test of bodies that touch at
            // the start takes some memory too.
            let is_from_start = match &first.outcome {
                Outcome::Overlapping(_) => true,
                Outcome::Contact(contact) => contact.time == [0.0; 2],
                Outcome::Undecided { clear_until, .. } => *clear_until == 0.0,
                Outcome::Clear => false,
            };
            if !is_from_start {
                met += u64::from(matches!(first.outcome, Outcome::Contact(_)));
                assert_eq!(counted.count_total, 0, "seed {seed}: {counted:?}, {:?}", first.outcome);
            }
        }
    }
    assert!(met > 35, "{met}");
}
