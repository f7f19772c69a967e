//! Surfaces that approach each other, or pass through each other near a border: touches, crossings and misses.

use chasles::{Outcome, contact_intervals, first_contact};
use glam::DVec3;

use crate::cases::{Raw, box_of};
use crate::exact::rational::Ratio;
use crate::meshes::enclosures::shapes::{Far, Placed, moved, turned};
use crate::meshes::enclosures::translation::{Known, Translation};
use crate::meshes::enclosures::verdict::{EPS, Verdict, touches};
use chasles_testing::Random;

/// How a triangle passes a square of two triangles, or a box passes a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// Its lowest corner passes beside the border, within the tolerance.
    Graze,
    /// It descends on the square and stops within the tolerance.
    Hover,
    /// It slides over the square within the tolerance, starting beside it.
    Slide,
    /// It passes through the square within the tolerance of the border.
    Border,
    /// It passes through at the edge that the two triangles share, or beside it.
    Shared,
    /// It passes through one of the triangles.
    Inner,
    /// Flat on flat, edges on edges.
    Land,
    /// It passes by at 1.02 to 3 tolerances.
    Miss,
    /// An edge passes the end of an edge, within the tolerance.
    EdgeGraze,
}

pub const TOUCHES: [Touch; 9] = [
    Touch::Graze,
    Touch::Hover,
    Touch::Slide,
    Touch::Border,
    Touch::Shared,
    Touch::Inner,
    Touch::Land,
    Touch::Miss,
    Touch::EdgeGraze,
];

impl Touch {
    /// Whether surfaces pass through each other; `None` if undetermined.
    fn crosses(self) -> Option<bool> {
        match self {
            Self::Border | Self::Shared | Self::Inner => Some(true),
            Self::Land => None,
            Self::Graze | Self::Hover | Self::Slide | Self::Miss | Self::EdgeGraze => Some(false),
        }
    }
}

/// The square: its border is x = 0, and its triangles share the edge from corner 0 to 2.
fn square(random: &mut Random) -> Raw {
    let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    let corners = [
        corner(-1.0 - random.within(0.0, 0.2), -1.0 - random.within(-0.1, 0.1)),
        corner(0.0, -1.0),
        corner(0.0, 1.0),
        corner(-1.0, 1.0 + random.within(-0.1, 0.1)),
    ];
    (corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])
}

/// A case of a kind, in which A moves by about `s`, with frames as distant as `far`; `None` if the numbers came out
/// otherwise.
pub fn touch(random: &mut Random, touch: Touch, s: f64, (tolerance, far): (f64, Far)) -> Option<Known> {
    let part = random.within(0.05, 0.9) * tolerance;
    let b = square(random);
    let height = 0.5 * s;
    let mut peak = vec![
        DVec3::new(0.0, random.within(-0.3, 0.3), height),
        DVec3::new(random.within(0.2, 0.4), random.within(-0.2, 0.2), height + 0.8),
        DVec3::new(random.within(0.1, 0.3), random.within(0.0, 0.2), height + 0.9),
    ];
    let mut way = -s * DVec3::Z;
    let shift = match touch {
        Touch::Graze | Touch::EdgeGraze => part * DVec3::X,
        Touch::Miss => random.within(1.03, 3.0) * tolerance * DVec3::X,
        Touch::Border => -part * DVec3::X,
        Touch::Hover => {
            way = DVec3::new(s * random.within(-0.1, 0.1), s * random.within(-0.1, 0.1), part - height);
            -random.within(0.2, 0.5) * DVec3::X
        }
        Touch::Slide => {
            way = -s * DVec3::X;
            DVec3::new(0.5 * s, 0.0, part - height)
        }
        Touch::Inner => DVec3::new(-random.within(0.2, 0.5), random.within(-0.1, 0.1), 0.0),
        Touch::Shared => {
            let (o, e) = (b.0[0], b.0[2] - b.0[0]);
            let beside =
                [0.0, random.within(-0.3, 0.3), random.within(-1.0, 1.0)][random.below(3)] * tolerance;
            let at = o + random.within(0.3, 0.7) * e;
            at - DVec3::new(0.0, peak[0].y - beside, 0.0)
        }
        Touch::Land => DVec3::ZERO,
    };
    peak.iter_mut().for_each(|v| *v += shift);
    let mut a = (peak, vec![[0, 1, 2]]);
    let mut b = b;
    match touch {
        Touch::EdgeGraze => {
            // An edge along x, whose end passes an edge along y: both lie across the border.
            a.0 = vec![a.0[0], a.0[0] + DVec3::new(0.8, 0.1, 0.3), a.0[0] + DVec3::new(0.6, 0.2, 0.9)];
            b = (
                vec![DVec3::new(0.0, -1.0, 0.0), DVec3::new(0.0, 1.0, 0.0), DVec3::new(-0.3, 0.1, -1.0)],
                vec![[0, 1, 2]],
            );
        }
        Touch::Land => {
            let size = DVec3::new([1.0, 0.5][random.below(2)], 1.0, 1.0);
            a = box_of(size);
            a.0.iter_mut().for_each(|v| v.z += 0.5 + height);
            b = box_of(DVec3::ONE);
            b.0.iter_mut().for_each(|v| v.z -= 0.5);
        }
        _ => {}
    }
    let placed = Placed { a, b, from: DVec3::ZERO, to: way };
    let straight = || Translation {
        a: placed.a.clone(),
        b: placed.b.clone(),
        turn: glam::DQuat::IDENTITY,
        from: placed.from,
        to: placed.to,
        tolerance,
    };
    let case = match random.below(3) {
        _ if far.0 > 0.0 && touch != Touch::Land => {
            let placed = turned(random, placed);
            moved(random, placed, far, tolerance)
        }
        0 => straight(),
        1 if touch != Touch::Land => {
            let placed = turned(random, placed);
            moved(random, placed, Far(0.0), tolerance)
        }
        _ => straight().swapped(),
    };
    let known = case.known();
    let crossing = !known.meetings.is_empty();
    if touch.crosses().is_some_and(|crosses| crosses != crossing) || touch == Touch::Land && !crossing {
        return None;
    }
    (touch.crosses() != Some(true) || known.first().is_some()).then_some(known)
}

/// The requirements on each kind.
pub fn ask(known: &Known, touch: Touch) -> Verdict {
    let (a, b) = known.case.bodies();
    let found = first_contact(&a, &b, &known.case.screw(), &known.case.options()).unwrap();
    match (touch, &found.outcome) {
        (Touch::Miss, Outcome::Clear) => Ok(()),
        (Touch::Miss, other) => Err(format!("{other:?}, but they stay apart")),
        (Touch::Border | Touch::Shared | Touch::Inner, _) => known.judge_first(&found),
        (_, Outcome::Contact(contact)) if touch == Touch::Land => {
            let [lo, _] = contact.time;
            let landed = &known.meetings[0].time;
            if Ratio::of(lo) > *landed {
                return Err(format!("they land at {:?}, not in {:?}", landed.double(), contact.time));
            }
            if contact.touching { Ok(()) } else { known.judge_first(&found) }
        }
        (_, Outcome::Contact(contact)) if contact.touching => {
            touches(contact.time, known.case.tolerance, |t| known.passing.gap_squared(&Ratio::of(t)))
        }
        (_, Outcome::Contact(contact)) => {
            Err(format!("a crossing at {:?}, but nothing crosses", contact.time))
        }
        (_, other) => Err(format!("{other:?}, but they touch")),
    }
}

/// Checks the intervals of a touch, or of a miss: an interval ends when the gap has risen to the tolerance again.
pub fn ask_interval(known: &Known, touch: Touch) -> Verdict {
    let (a, b) = known.case.bodies();
    let found = contact_intervals(&a, &b, &known.case.screw(), &known.case.options()).unwrap();
    if touch == Touch::Miss {
        let none = found.intervals.is_empty() && found.outcome == Outcome::Clear;
        return none.then_some(()).ok_or_else(|| format!("{:?}, but they stay apart", found.intervals));
    }
    let [interval] = found.intervals[..] else {
        return Err(format!("{:?} for one interval, {:?}", found.intervals, found.outcome));
    };
    if touch.crosses() == Some(true) {
        return Ok(());
    }
    let gap = |t: f64| known.passing.gap_squared(&Ratio::of(t)).double().sqrt() / known.case.tolerance;
    // At this gap, in tolerances, they no longer touch, whatever the rounding.
    let apart = 1.06 + 100.0 * EPS * known.case.reach() / known.case.tolerance;
    match interval.exit {
        None if touch != Touch::Land && gap(1.0) > apart => Err("to the end, where they are apart".into()),
        None => Ok(()),
        Some([lo, hi]) if lo.is_nan() || hi.is_nan() || lo > hi => {
            Err(format!("exit [{lo:?}, {hi:?}] is no enclosure"))
        }
        Some([lo, hi]) if gap(hi.min(1.0)) < 1.0 && hi < 1.0 || gap(lo) > apart => {
            Err(format!("exit [{lo:?}, {hi:?}], gap {} to {} tolerances", gap(lo), gap(hi)))
        }
        Some(_) => Ok(()),
    }
}
