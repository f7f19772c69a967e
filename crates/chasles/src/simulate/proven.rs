//! Whether all bodies stay apart between two times.

use glam::DVec3;
use rayon::prelude::*;

use crate::motion::carried::{Matter, carried, pieces};
use crate::motion::Screw;
use crate::pair::PairMemory;
use crate::simulate::nearby::{Near, near};
use crate::simulate::proof::{Parted, Span, parted};
use crate::simulate::stepping::Station;
use crate::simulate::world::World;

/// What is known of the pairs that nearly touch at the begin of a span.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Hints(Vec<Hint>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Hint {
    bodies: [usize; 2],
    /// From the first to the second, where they are nearest.
    normal: DVec3,
    gap: f64,
}

/// What is known of all pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Proven {
    /// A translation no longer than this parts any two bodies at every time.
    Apart(f64),
    /// These are apart up to this share of the time.
    Until(f64, [usize; 2]),
}

impl Hints {
    pub(crate) fn of(station: &Station) -> Self {
        let mut hints: Vec<Hint> = Vec::new();
        for contact in &station.contacts {
            let touch = &contact.touch;
            match hints.last_mut().filter(|last| last.bodies == touch.bodies) {
                Some(last) if last.gap <= touch.gap => {}
                Some(last) => (last.normal, last.gap) = (touch.normal, touch.gap),
                None => hints.push(Hint { bodies: touch.bodies, normal: touch.normal, gap: touch.gap }),
            }
        }
        Self(hints)
    }

    fn find(&self, bodies: [usize; 2]) -> Option<&Hint> {
        self.0.binary_search_by_key(&bodies, |hint| hint.bodies).ok().map(|i| &self.0[i])
    }
}

/// Gaps below this share of the depth that is allowed are none: rounding may have made them.
const TOUCHING: f64 = 1e-6;

/// How far each body moves in a span, at most.
fn travels(world: &World, span: &Span<'_>) -> Vec<f64> {
    let own = |body: usize| {
        let Some(shape) = world.scene().bodies()[body].shape.as_ref() else { return 0.0 };
        if world.stands[body] {
            return 0.0;
        }
        let [low, high] = shape.bounds();
        let (centre, radius) = (0.5 * (low + high), 0.5 * (high - low).length());
        if world.numbers[body].is_some() {
            let screw = Screw::between(span.poses[0][body], span.poses[1][body]);
            let arm = screw.start_rotation() * centre;
            let speed = screw.velocity_across_at(arm).length() + screw.angle() * radius + screw.slide().abs();
            return speed * (1.0 + 1e-9);
        }
        let chain = world.scene().chain(body, None);
        let [begin, end] = span.times;
        let matter = Matter { centre, radius };
        carried(pieces(&chain, 0.5 * (begin + end)), &matter, (begin, end)).0.speed * (end - begin)
    };
    (0..world.numbers.len()).map(own).collect()
}

/// Whether all bodies stay apart by more than a distance, or by less than half of their gap where that is less. Pairs
/// that are closer than that are held to the depth that is allowed.
pub(crate) fn prove(world: &World, span: &Span<'_>, hints: &Hints, distance: f64) -> Proven {
    let near = near(world, span.poses[0], &travels(world, span));
    let own = |memory: &mut PairMemory, pair: &Near| {
        let hint = hints.find(pair.bodies);
        let gap = hint.map_or(f64::INFINITY, |hint| hint.gap);
        let touching = TOUCHING * world.definition.depth;
        let (distance, depth) =
            if gap > touching { (distance.min(0.5 * gap), 0.0) } else { (0.0, world.definition.depth) };
        parted((world, span), pair.bodies, (hint.map(|hint| hint.normal), distance, depth), memory)
    };
    let found: Vec<Parted> = if near.len() < 16 {
        let mut memory = PairMemory::default();
        near.iter().map(|pair| own(&mut memory, pair)).collect()
    } else {
        near.par_iter().map_init(PairMemory::default, own).collect()
    };
    let mut proven = Proven::Apart(0.0);
    for (pair, parted) in near.iter().zip(found) {
        let share = match parted {
            Parted::Within(depth) => {
                if let Proven::Apart(deepest) = proven {
                    proven = Proven::Apart(deepest.max(depth));
                }
                continue;
            }
            Parted::Until(share) => share,
            Parted::Unknown => 0.0,
        };
        match proven {
            Proven::Until(least, _) if least <= share => {}
            _ => proven = Proven::Until(share, pair.bodies),
        }
    }
    proven
}
