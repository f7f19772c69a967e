//! Whether all bodies stay apart between two times.

use glam::DVec3;
use rayon::prelude::*;

use crate::along::watch::Watch;
use crate::motion::Screw;
use crate::motion::carried::{Matter, carried, pieces};
use crate::pair::PairMemory;
use crate::simulate::definition::SimulationMethod;
use crate::simulate::nearby::{Near, middle, near};
use crate::simulate::proof::{Directions, Parted, Span, parted, strays};
use crate::simulate::rows::Touch;
use crate::simulate::springs::Spring;
use crate::simulate::stepping::{Meetings, Station, rest};
use crate::simulate::world::World;

/// What is known of the pairs that nearly touch at the begin of a span.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Hints(Vec<Hint>);

#[derive(Debug, Clone, PartialEq)]
struct Hint {
    bodies: [usize; 2],
    directions: Directions,
    gap: f64,
}

/// What is known of all pairs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Proven {
    /// A translation no longer than this parts any two bodies at every time.
    Apart(f64),
    /// These are not proven to be apart; the first to meet comes first.
    Until(Vec<Barrier>),
}

/// Two bodies that are in each other's way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Barrier {
    pub(crate) bodies: [usize; 2],
    /// Up to this share of the time they are apart.
    pub(crate) share: f64,
}

impl Hints {
    pub(crate) fn of(world: &World, station: &Station) -> Self {
        let touches = station.touches();
        let of_pair = |own: &[&Touch]| {
            let mut own = own.to_vec();
            own.sort_by(|p, q| p.gap.total_cmp(&q.gap));
            let mut normals: Vec<DVec3> = Vec::new();
            for touch in &own {
                let is_known = normals.iter().any(|normal| normal.dot(touch.normal) > 1.0 - 1e-9);
                if !is_known && normals.len() < NORMALS {
                    normals.push(touch.normal);
                }
            }
            let near = TOUCHING * rest(world);
            let out: DVec3 = own.iter().filter(|touch| touch.gap <= near).map(|touch| touch.normal).sum();
            let directions = Directions { normals, out: out.normalize_or_zero() };
            Hint { bodies: own[0].bodies, directions, gap: own[0].gap }
        };
        Self(touches.chunk_by(|one, other| one.bodies == other.bodies).map(of_pair).collect())
    }

    fn find(&self, bodies: [usize; 2]) -> Option<&Hint> {
        self.0.binary_search_by_key(&bodies, |hint| hint.bodies).ok().map(|i| &self.0[i])
    }
}

/// Bodies nearer than this many gaps of rest touch: they may be in each other on their way, by the depth that is allowed.
const TOUCHING: f64 = 4.0;

/// Directions of one pair that are tried, at most.
const NORMALS: usize = 8;

/// How far each body moves in a span, at most.
fn travels(world: &World, span: &Span<'_>) -> Vec<f64> {
    let own = |body: usize| {
        let Some(shape) = world.scene().bodies()[body].shape.as_ref() else { return 0.0 };
        if span.stands(world, body) {
            return 0.0;
        }
        let extent = shape.extent();
        let (centre, radius) = (middle(shape), extent.half.length() + extent.beyond);
        if world.is_told(body) {
            let screw = Screw::between(span.poses[0][body], span.poses[1][body]);
            let arm = screw.start_rotation() * centre;
            let speed = screw.velocity_across_at(arm).length() + screw.angle() * radius + screw.slide().abs();
            return speed * (1.0 + 1e-9) + strays(world, span, body);
        }
        let chain = world.scene().chain(body, None);
        let [begin, end] = span.times;
        let matter = Matter { centre, radius };
        carried(pieces(&chain, 0.5 * (begin + end)), &matter, (begin, end)).0.speed * (end - begin)
    };
    (0..world.numbers.len()).map(own).collect()
}

/// Whether all bodies stay apart by more than a distance. Those that touch at the begin or land may be in each other by the depth
/// that is allowed; those that will rebound touch at that distance.
pub(crate) fn prove(
    world: &World,
    span: &Span<'_>,
    (hints, meetings): (&Hints, &Meetings),
    distance: f64,
    watch: &dyn Watch,
) -> Proven {
    let travels: Vec<f64> = travels(world, span).into_iter().map(|travel| travel + distance).collect();
    let mut near = near(world, span.poses[0], &travels);
    if !span.is_still {
        // Those that stand are where they were proven to be when they came there, or at the begin.
        near.retain(|pair| !pair.bodies.iter().all(|body| span.stands(world, *body)));
    }
    let own = |memory: &mut PairMemory, pair: &Near| {
        let is_awaited = world.awaits(pair.bodies);
        let hint = hints.find(pair.bodies);
        let gap = hint.map_or(f64::INFINITY, |hint| hint.gap);
        // Those that will rebound are followed up to where they touch, unless they touch elsewhere already.
        let is_bouncing = gap > 0.5 * distance && meetings.is_bouncing(pair.bodies);
        let is_touching = gap <= TOUCHING * rest(world) || meetings.is_landing(pair.bodies);
        let (distance, depth) = if is_bouncing || !is_touching || is_awaited && !span.is_still {
            // Springs are met in their zones, and not before.
            let is_met = world.definition.method != SimulationMethod::Spring || gap <= Spring::zone(world);
            (if is_met { distance.min(0.5 * gap) } else { distance }, 0.0)
        } else {
            (0.0, world.definition.depth)
        };
        // The motion of a body that waits is near the screw on which it is told to move.
        let distance = distance + pair.bodies.iter().map(|body| strays(world, span, *body)).sum::<f64>();
        let unknown = Directions::default();
        let directions = hint.map_or(&unknown, |hint| &hint.directions);
        parted((world, span), pair.bodies, (directions, distance, depth), memory, watch)
    };
    let found: Vec<Parted> = if near.len() < 16 {
        let mut memory = PairMemory::default();
        near.iter().map(|pair| own(&mut memory, pair)).collect()
    } else {
        near.par_iter().map_init(PairMemory::default, own).collect()
    };
    let mut deepest = 0.0_f64;
    let mut barriers = Vec::new();
    for (pair, parted) in near.iter().zip(found) {
        let share = match parted {
            Parted::Within(depth) => {
                deepest = deepest.max(depth);
                continue;
            }
            Parted::Until(share) => share,
            Parted::Unknown => 0.0,
        };
        barriers.push(Barrier { bodies: pair.bodies, share });
    }
    if barriers.is_empty() {
        return Proven::Apart(deepest);
    }
    barriers.sort_by(|p, q| p.share.total_cmp(&q.share).then(p.bodies.cmp(&q.bodies)));
    Proven::Until(barriers)
}
