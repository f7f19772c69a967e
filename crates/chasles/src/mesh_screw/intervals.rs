//! Contact intervals: all intervals of time during which two surfaces intersect or touch.
//!
//! Whether the surfaces intersect changes only when two features meet. So the events of the whole motion divide
//! time into gaps, and a static test decides each gap. An edge passes through a triangle until it meets one of the
//! triangle's edges, or one of its ends meets the triangle: the gaps up to the next such event need no test.

use crate::features::collector::{Collector, EventFilter};
use crate::features::contact::Contact;
use crate::features::event::{EventKind, FeatureEvent, FeaturePair};
use crate::features::pairs::Aim;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::overlap::{EdgeThroughFace, Overlap, OverlapGoal};
use crate::mesh_screw::pipeline::{ScrewSearch, SearchResult, StartOverlap, Workspace, lack};
use crate::mesh_screw::query::{Counters, Outcome, UndecidedReason};
use crate::mesh_screw::traversal::Charts;

/// An interval of time during which two surfaces intersect or touch.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactInterval {
    /// Enclosure of the start; [0, 0] if the surfaces intersect or touch from the start.
    pub enter: [f64; 2],
    /// Enclosure of the end; `None` if the surfaces still intersect or touch at t = 1. If rounding leaves that
    /// undecided, the enclosure is from the last time at which they certainly do to 1.
    pub exit: Option<[f64; 2]>,
    /// The last time at which the surfaces are known to intersect, if they intersect.
    pub(crate) crossed: f64,
    /// The contact at the start; `None` if the interval starts at t = 0.
    pub contact: Option<Contact>,
    /// Whether the surfaces are only known to touch, and not known to intersect at any time of the interval.
    pub touching: bool,
}

/// All intervals of a motion.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Intervals {
    /// The answer of [`first_contact`](crate::first_contact), with one exception: if that is undecided from the
    /// start only because an intersection there is too slight to prove, this is the first event, if any, while the
    /// intervals start at t = 0.
    pub outcome: Outcome,
    /// Sorted by time; separated by more than a billionth of the motion. Empty if the outcome is undecided.
    pub intervals: Vec<ContactInterval>,
    /// The tolerance used, in metres.
    pub tolerance: f64,
    /// The work of the query.
    pub counters: Counters,
}

/// Gaps between events shorter than this fraction of the motion are not tested: the times on both sides are one
/// interval.
pub(crate) const SHORTEST_GAP: f64 = 1e-9;

/// A touch that ends less than this fraction of the motion after a crossing counts as one event with the crossing.
pub(crate) const SAME_EVENT: f64 = 1e-6;

/// The contact intervals of a search.
pub(crate) fn intervals_of(search: &ScrewSearch<'_>, workspace: &mut Workspace) -> Intervals {
    let found = search.run(EventFilter::Throughout, Aim::Contact, workspace);
    let mut outcome = found.outcome();
    let mut counters = found.counters;
    let mut intervals = Vec::new();
    if found.complete_until.is_some() {
        // The overlap at the start may be known, but not its duration.
        outcome = Outcome::Undecided { clear_until: found.clear_until(), reason: found.lack };
    }
    if found.complete_until.is_none() {
        let mut budget = search.budget_after(counters.steps);
        let groups = event_groups(&found, &mut workspace.charts, &mut budget);
        counters.steps = search.spent(&budget);
        match groups {
            Ok(groups) if groups.iter().any(EventGroup::is_open) => {
                outcome = Outcome::Undecided {
                    clear_until: found.clear_until(),
                    reason: UndecidedReason::Rounding,
                };
            }
            Ok(groups) => {
                if let (Outcome::Undecided { .. }, Some(first)) = (&outcome, groups.first()) {
                    outcome = first.outcome(|e| found.contact(e)).unwrap_or(outcome);
                }
                if let Outcome::Undecided { clear_until, .. } = &mut outcome {
                    // The surfaces may already intersect at the start.
                    *clear_until = clear_until.min(found.clear_until());
                } else {
                    intervals.extend(groups.iter().map(|group| group.interval(|e| found.contact(e))));
                }
            }
            Err(OutOfBudget) => {
                outcome = Outcome::Undecided { clear_until: found.clear_until(), reason: lack(&budget) };
            }
        }
    }
    Intervals { outcome, intervals, tolerance: search.tolerance, counters }
}

/// Consecutive events without a gap, and the gap after them.
struct EventGroup {
    events: Vec<FeatureEvent>,
    /// Whether contact has lasted since t = 0.
    from_start: bool,
    /// Whether contact lasts to t = 1.
    to_end: bool,
    /// Whether the surfaces intersect at some time of the group.
    intersecting: bool,
    /// The surfaces are proven to intersect until this time, if a gap between events was tested.
    intersecting_until: f64,
}

impl EventGroup {
    fn new() -> Self {
        Self {
            events: Vec::new(),
            from_start: false,
            to_end: false,
            intersecting: false,
            intersecting_until: 0.0,
        }
    }

    /// Whether it is undecided if the surfaces have contact in this group.
    fn is_open(&self) -> bool {
        !self.intersecting && self.events.iter().any(|event| event.kind == EventKind::Undecided)
    }

    /// The first decided event, with the time since which an undecided event may have preceded it.
    fn first(&self) -> Option<FeatureEvent> {
        let mut first = Collector::new(EventFilter::First);
        self.events.iter().filter(|e| e.kind != EventKind::Undecided).for_each(|event| first.add(*event));
        let earliest = |lo: f64, event: &FeatureEvent| {
            if event.kind == EventKind::Undecided { lo.min(event.lo) } else { lo }
        };
        first.first().map(|event| FeatureEvent { lo: self.events.iter().fold(event.lo, earliest), ..event })
    }

    /// The outcome if this is the first group, and it does not start at t = 0.
    fn outcome(&self, contact: impl Fn(&FeatureEvent) -> Contact) -> Option<Outcome> {
        let first = self.first().filter(|_| !self.from_start)?;
        Some(Outcome::Contact(contact(&first)))
    }

    fn interval(&self, contact: impl Fn(&FeatureEvent) -> Contact) -> ContactInterval {
        let contact = self.first().filter(|_| !self.from_start).map(|event| contact(&event));
        // The interval lasts until the last event has ended. If that event is a touch immediately after a crossing,
        // as of parallel edges at separation, the enclosure is from the end of the intersection to the time at
        // which the gap has risen to the tolerance. Only decided events prove until when there is contact.
        let decided = || self.events.iter().filter(|e| e.kind != EventKind::Undecided);
        let ended = self.events.iter().map(|e| e.end[1]).fold(0.0, f64::max);
        let lasted = decided().map(|e| e.end[0]).fold(self.intersecting_until, f64::max);
        let crossed = decided().map(|e| e.crosses_by).fold(f64::NEG_INFINITY, f64::max);
        let exit_start = if lasted - crossed < SAME_EVENT { crossed } else { lasted };
        ContactInterval {
            enter: contact.map_or([0.0; 2], |contact| contact.time),
            exit: (!self.to_end || lasted < 1.0).then_some([exit_start, ended.min(1.0)]),
            crossed: crossed.max(self.intersecting_until),
            contact,
            touching: !self.intersecting,
        }
    }
}

/// Joins events, and the gaps between them in which the surfaces intersect.
fn event_groups(
    found: &SearchResult<'_>,
    charts: &mut Charts,
    budget: &mut Budget<'_>,
) -> Result<Vec<EventGroup>, OutOfBudget> {
    let mut events = found.collector.sorted_events();
    events.sort_by(|x, y| x.lo.total_cmp(&y.lo).then(x.order(y)));
    let mut gaps = Gaps {
        search: found.search,
        charts,
        budget,
        order: EventsOfPairs::new(&events),
        intersecting_until: 0,
    };
    let mut groups = Vec::new();
    let start = EventGroup { from_start: true, intersecting: true, ..EventGroup::new() };
    let mut open = matches!(found.at_start, StartOverlap::Deep(_)).then_some(start);
    let mut last = 0.0;
    for (next, event) in events.iter().enumerate() {
        let is_adjacent = open.is_some() && event.lo - last <= SHORTEST_GAP;
        if !is_adjacent && event.lo > last + SHORTEST_GAP {
            let through = gaps.intersects(0.5 * (last + event.lo), next)?;
            end_or_continue(&mut open, &mut groups, through, TimeInterval::new(last, event.lo));
        }
        let group = open.get_or_insert_with(EventGroup::new);
        // Contact at t = 0 is contact from the start.
        let decided = event.kind != EventKind::Undecided;
        group.from_start |= decided && event.lo <= 0.0 && event.since_start;
        last = last.max(event.end[1]);
        group.intersecting |= event.kind == EventKind::Crossing;
        group.events.push(*event);
    }
    if last + SHORTEST_GAP < 1.0 {
        let through = gaps.intersects(0.5 * (last + 1.0), events.len())?;
        end_or_continue(&mut open, &mut groups, through, TimeInterval::new(last, 1.0));
    }
    if let Some(mut group) = open {
        group.to_end = true;
        groups.push(group);
    }
    Ok(groups)
}

/// Decides for gaps between events, in order of time, whether the surfaces intersect.
struct Gaps<'a, 'b, 'w> {
    search: &'a ScrewSearch<'b>,
    charts: &'a mut Charts,
    budget: &'a mut Budget<'w>,
    order: EventsOfPairs,
    /// In the gaps before events of a smaller index than this, an edge passes through a triangle.
    intersecting_until: usize,
}

impl Gaps<'_, '_, '_> {
    /// Whether the surfaces intersect at a time in the gap before the event with index `next`.
    fn intersects(&mut self, t: f64, next: usize) -> Result<bool, OutOfBudget> {
        if next < self.intersecting_until {
            return Ok(true);
        }
        let Overlap { intersects, through, .. } =
            self.search.overlap_at(t, OverlapGoal::EdgesThrough(WITNESSES), self.charts, self.budget)?;
        let first = |through: &EdgeThroughFace| self.order.first_of_any(&around(self.search, *through), next);
        self.intersecting_until = through.iter().map(first).max().map_or(0, |until| until + 1);
        Ok(intersects)
    }
}

/// Maximum number of edges through a triangle that are examined; the edge that passes through for longest is used.
const WITNESSES: usize = 24;

/// The pairs of features at whose meeting an edge may cease to pass through a triangle.
fn around(search: &ScrewSearch<'_>, through: EdgeThroughFace) -> [FeaturePair; 5] {
    let (a, b) = (search.bodies.a.mesh(), search.bodies.b.mesh());
    match through {
        EdgeThroughFace::EdgeOfA { edge, face } => {
            let [v, w] = a.edges()[edge as usize];
            let [i, j, k] = b.triangle_edges()[face as usize];
            let border = |b: u32| FeaturePair::EdgeEdge { a: edge, b };
            let end = |vertex: u32| FeaturePair::VertexFace { vertex, face };
            [end(v), end(w), border(i), border(j), border(k)]
        }
        EdgeThroughFace::EdgeOfB { face, edge } => {
            let [v, w] = b.edges()[edge as usize];
            let [i, j, k] = a.triangle_edges()[face as usize];
            let border = |a: u32| FeaturePair::EdgeEdge { a, b: edge };
            let end = |vertex: u32| FeaturePair::FaceVertex { face, vertex };
            [end(v), end(w), border(i), border(j), border(k)]
        }
    }
}

/// After all events.
const AFTER_ALL_EVENTS: usize = usize::MAX - 1;

/// The indices of events in a list, sorted by features and then by index.
struct EventsOfPairs(Vec<(FeaturePair, usize)>);

impl EventsOfPairs {
    fn new(events: &[FeatureEvent]) -> Self {
        let mut all: Vec<_> = events.iter().enumerate().map(|(i, event)| (event.pair, i)).collect();
        all.sort_unstable();
        Self(all)
    }

    /// The first event of any of some pairs, with an index of at least `from`; [`AFTER_ALL_EVENTS`] if there is none.
    fn first_of_any(&self, pairs: &[FeaturePair], from: usize) -> usize {
        let first = |pair: &FeaturePair| {
            let next = self.0.partition_point(|entry| *entry < (*pair, from));
            self.0.get(next).filter(|entry| entry.0 == *pair).map_or(AFTER_ALL_EVENTS, |entry| entry.1)
        };
        pairs.iter().map(first).fold(AFTER_ALL_EVENTS, usize::min)
    }
}

/// Ends the group before a gap in which the surfaces do not intersect, or continues it if they do.
fn end_or_continue(
    open: &mut Option<EventGroup>,
    groups: &mut Vec<EventGroup>,
    through: bool,
    gap: TimeInterval,
) {
    if through {
        let group = open.get_or_insert_with(EventGroup::new);
        (group.intersecting, group.intersecting_until) = (true, gap.end);
        // Without an earlier event, they have intersected since the start.
        group.from_start |= group.events.is_empty() && gap.start <= 0.0;
    } else {
        groups.extend(open.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::PreparedMesh;
    use crate::mesh_screw::query::Options;
    use crate::motion::Pose;
    use crate::motion::Screw;
    use crate::predict::contact_intervals;
    use crate::shape::Mesh;
    use chasles_testing::{Random, meshes};
    use glam::{DQuat, DVec3};

    fn prepared((vertices, triangles): (Vec<DVec3>, Vec<[u32; 3]>)) -> PreparedMesh {
        PreparedMesh::new(Mesh::new(vertices, triangles).unwrap())
    }

    fn cube(size: DVec3) -> PreparedMesh {
        prepared(meshes::box_of(size))
    }

    fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose::from_position(DVec3::new(x, y, z)).unwrap()
    }

    fn times_of(a: &PreparedMesh, b: &PreparedMesh, screw: &Screw) -> Vec<([f64; 2], Option<[f64; 2]>)> {
        let found = contact_intervals(a, b, screw, &Options::default()).unwrap();
        found.intervals.iter().map(|i| (i.enter, i.exit)).collect()
    }

    fn assert_encloses([lo, hi]: [f64; 2], t: f64) {
        assert!(lo <= t + 1e-15 && t <= hi + 1e-8 && hi - lo < 1e-6, "[{lo}, {hi}] for {t}");
    }

    #[test]
    fn a_body_enters_and_leaves_a_plate() {
        let (ball, plate) = (cube(DVec3::splat(0.1)), cube(DVec3::new(4.0, 4.0, 0.02)));
        let screw = Screw::between(at(0.3, 0.2, 1.0), at(0.3, 0.2, -1.0));
        let found = times_of(&ball, &plate, &screw);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_encloses(found[0].0, 0.47);
        assert_encloses(found[0].1.unwrap(), 0.53);
    }

    #[test]
    fn a_surface_is_not_a_solid() {
        let (small, shell) = (cube(DVec3::splat(0.2)), cube(DVec3::splat(2.0)));
        let screw = Screw::between(at(0.03, 0.01, 4.0), at(0.03, 0.01, -4.0));
        let found = times_of(&small, &shell, &screw);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_encloses(found[0].0, 2.9 / 8.0);
        assert_encloses(found[0].1.unwrap(), 3.1 / 8.0);
        assert_encloses(found[1].0, 4.9 / 8.0);
        assert_encloses(found[1].1.unwrap(), 5.1 / 8.0);
    }

    #[test]
    fn intervals_extend_to_the_start_and_the_end_of_the_motion() {
        let (a, b) = (cube(DVec3::ONE), cube(DVec3::splat(1.5)));
        let leaving = times_of(&a, &b, &Screw::between(at(0.0, 0.1, 1.0), at(0.0, 0.1, 2.0)));
        assert_eq!(leaving.len(), 1, "{leaving:?}");
        assert_eq!(leaving[0].0, [0.0, 0.0]);
        assert_encloses(leaving[0].1.unwrap(), 0.25);
        let arriving = times_of(&a, &b, &Screw::between(at(0.0, 0.1, 2.0), at(0.0, 0.1, 1.0)));
        assert_encloses(arriving[0].0, 0.75);
        assert_eq!(arriving[0].1, None);
    }

    #[test]
    fn resting_and_sliding_is_touching() {
        let (a, b) = (cube(DVec3::ONE), cube(DVec3::new(4.0, 4.0, 1.0)));
        let slide = Screw::between(at(-0.5, 0.2, 1.0), at(0.5, 0.1, 1.0));
        let found = contact_intervals(&a, &b, &slide, &Options::default()).unwrap();
        let Outcome::Contact(contact) = found.outcome else { panic!("{found:?}") };
        assert!(contact.touching && contact.time == [0.0, 0.0]);
        assert_eq!((found.intervals.len(), found.intervals[0].exit), (1, None), "{found:?}");
        assert!(found.intervals[0].touching);
        let lift = Screw::between(at(-0.5, 0.2, 1.0), at(-0.5, 0.2, 2.0));
        let found = contact_intervals(&a, &b, &lift, &Options::default()).unwrap();
        assert!(found.intervals[0].exit.unwrap()[1] < 1e-7, "{found:?}");
    }

    #[test]
    fn a_propeller_passes_many_times() {
        let blade = cube(DVec3::new(2.0, 0.1, 0.1));
        let post = PreparedMesh::new(cube(DVec3::splat(0.1)).mesh().clone());
        let start = Pose::new(DVec3::new(-0.8, 0.0, 0.01), DQuat::from_rotation_z(0.5)).unwrap();
        let angle = 3.0 * std::f64::consts::TAU;
        let screw = Screw::about(start, DVec3::Z, DVec3::new(-0.8, 0.0, 0.0), 0.0, angle).unwrap();
        assert_eq!(times_of(&blade, &post, &screw).len(), 6);
    }

    #[test]
    fn the_end_of_sliding_is_found_at_any_speed() {
        let (a, b) = (cube(DVec3::splat(0.25)), cube(DVec3::ONE));
        for slide in [0.7, 1.0, 2.0, 3.0] {
            let found = times_of(&a, &b, &Screw::between(at(0.0, 0.1, 0.625), at(slide, 0.1, 0.625)));
            assert_eq!(found.len(), 1, "{slide}: {found:?}");
            assert_encloses(found[0].1.unwrap(), 0.625 / slide);
        }
    }

    fn pose(random: &mut Random, away: f64) -> Pose {
        let rotation = DQuat::from_scaled_axis(3.0 * random.vector(1.0));
        Pose::new(away * random.vector(1.0), rotation).unwrap()
    }

    fn bent_surface(random: &mut Random, across: u32) -> PreparedMesh {
        prepared(meshes::bent_square(random, across))
    }

    #[test]
    fn gaps_that_are_not_tested_do_intersect() {
        let (mut gaps_tested, mut not_tested, mut separated) = (0, 0, 0);
        for seed in 0..150 {
            let random = &mut Random(seed);
            // Bent surfaces, and cubes whose edges and corners meet all at once.
            let bodies = match seed % 3 {
                0 => [cube(DVec3::ONE), cube(DVec3::new(1.0, 1.0, 2.0))],
                1 => [cube(DVec3::splat(0.7)), bent_surface(random, 4)],
                _ => [bent_surface(random, 3), bent_surface(random, 6)],
            };
            let screw = if seed % 2 == 0 {
                Screw::between(pose(random, 1.5), pose(random, 1.5))
            } else {
                // Along a coordinate axis with parallel faces: most cases are degenerate.
                let halves = (2.0 * random.vector(1.0)).round() * 0.5;
                Screw::between(
                    Pose::from_position(halves - DVec3::X).unwrap(),
                    Pose::from_position(halves + DVec3::X).unwrap(),
                )
            };
            let options = Options::default();
            let search = ScrewSearch::new(&bodies[0], &bodies[1], &screw, &options).unwrap();
            let mut workspace = Workspace::default();
            let mut events =
                search.run(EventFilter::Throughout, Aim::Contact, &mut workspace).collector.sorted_events();
            events.sort_by(|x, y| x.lo.total_cmp(&y.lo).then(x.order(y)));
            let (mut budget, mut charts) = (Budget::new(1_000_000_000), Charts::default());
            let order = EventsOfPairs::new(&events);
            let mut gaps = Gaps {
                search: &search,
                charts: &mut workspace.charts,
                budget: &mut budget,
                order,
                intersecting_until: 0,
            };
            let mut last = 0.0_f64;
            for (next, start) in events.iter().map(|event| event.lo).chain([1.0]).enumerate() {
                if start > last + SHORTEST_GAP {
                    let t = 0.5 * (last + start);
                    not_tested += usize::from(next < gaps.intersecting_until);
                    let intersects = gaps.intersects(t, next).unwrap();
                    // The slow method: a test of its own.
                    let budget = &mut Budget::new(1_000_000_000);
                    let depth = OverlapGoal::Deeper(f64::NEG_INFINITY);
                    let found = search.overlap_at(t, depth, &mut charts, budget).unwrap().intersects;
                    assert_eq!(intersects, found, "seed {seed}, {t}");
                    (gaps_tested, separated) = (gaps_tested + 1, separated + usize::from(!found));
                }
                last = last.max(events.get(next).map_or(1.0, |event| event.end[1]));
            }
        }
        assert!(not_tested > 2000 && separated > 100, "{not_tested} of {gaps_tested}, {separated} apart");
    }

    #[test]
    fn without_intervals_the_outcome_is_undecided() {
        let a = cube(DVec3::ONE);
        let screw = Screw::between(at(0.5, 0.1, 0.2), at(0.0, 0.1, 0.2));
        for budget in (0..2000).step_by(7) {
            let options = Options { budget, tolerance: Some(1e-9), ..Options::default() };
            let found = contact_intervals(&a, &a, &screw, &options).unwrap();
            let undecided = matches!(found.outcome, Outcome::Undecided { .. });
            assert_eq!(found.intervals.is_empty(), undecided, "budget {budget}: {found:?}");
        }
    }
}
