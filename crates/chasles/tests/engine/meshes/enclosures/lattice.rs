//! Boxes on a lattice, with simultaneous contacts: faces land on faces, edges slide along edges, corners graze
//! corners.

use chasles::{Outcome, contact_intervals, first_contact};
use glam::{DQuat, DVec3};

use crate::cases::{Raw, box_of};
use crate::exact::rational::{Ratio, Unit};
use crate::meshes::enclosures::translation::Translation;
use crate::meshes::enclosures::verdict::Verdict;
use chasles_testing::Random;

/// A box between two corners; both are multiples of an eighth.
#[derive(Debug, Clone, Copy)]
struct Block {
    lo: DVec3,
    hi: DVec3,
}

fn block(random: &mut Random) -> Block {
    let lo = random.dyadic_vector(1.0);
    let size = DVec3::from_array([0; 3].map(|_| random.dyadic(0.5).abs() + 0.25));
    Block { lo, hi: lo + size }
}

impl Block {
    fn raw(self) -> Raw {
        let (mut vertices, faces) = box_of(self.hi - self.lo);
        vertices.iter_mut().for_each(|v| *v += 0.5 * (self.lo + self.hi));
        (vertices, faces)
    }
}

/// Two blocks, one of which moves.
#[derive(Debug, Clone)]
pub struct Passing {
    case: Translation,
    blocks: [Block; 2],
    way: DVec3,
}

/// When two blocks, taken as solid and closed, have a point in common; and whether they ever share more than surface
/// points.
struct Truth {
    enter: Ratio,
    exit: Ratio,
    deep: bool,
}

pub fn passing(random: &mut Random) -> Passing {
    // Neither fits into the other: a block inside another is separated from it.
    let (a, b) = loop {
        let (a, b) = (block(random), block(random));
        let wider = (a.hi - a.lo) - (b.hi - b.lo);
        if wider.min_element() <= 0.0 && wider.max_element() >= 0.0 {
            break (a, b);
        }
    };
    let from = random.dyadic_vector(2.5);
    // Along an axis, a diagonal or any other direction.
    let way = match random.below(3) {
        0 => 4.0 * DVec3::AXES[random.below(3)],
        1 => 4.0 * DVec3::from_array([0; 3].map(|_| random.below(3) as f64 - 1.0)),
        _ => random.dyadic_vector(4.0),
    };
    let placed = Block { lo: a.lo + from, hi: a.hi + from };
    // A quarter turn about the diagonal, and back: the same geometry with other numbers.
    let (turn, raw) = if random.below(2) == 0 {
        (DQuat::IDENTITY, a.raw())
    } else {
        let (vertices, faces) = a.raw();
        (
            DQuat::from_xyzw(0.7, 0.7, 0.7, 0.7),
            (vertices.iter().map(|v| DVec3::new(v.y, v.z, v.x)).collect(), faces),
        )
    };
    let tolerance = [1e-9, 1e-6][random.below(2)];
    let case = Translation { a: raw, b: b.raw(), turn, from, to: from + way, tolerance };
    Passing { case, blocks: [placed, b], way }
}

impl Passing {
    /// `None` if they never meet.
    fn truth(&self) -> Option<Truth> {
        let [a, b] = self.blocks;
        let unit = Unit(-3);
        let (mut enter, mut exit, mut deep) = (Ratio::of(0.0), Ratio::of(1.0), true);
        for axis in 0..3 {
            let [way, low, high] =
                [self.way[axis], b.lo[axis] - a.hi[axis], b.hi[axis] - a.lo[axis]].map(|x| unit.integer(x));
            let zero = 0.into();
            if way == zero {
                if low > zero || high < zero {
                    return None;
                }
                deep &= low < zero && high > zero;
                continue;
            }
            let (first, last) = if way > zero { (low, high) } else { (high, low) };
            enter = enter.max(Ratio::new(first, way.clone()));
            exit = exit.min(Ratio::new(last, way));
        }
        (enter <= exit).then(|| Truth { deep: deep && enter < exit, enter, exit })
    }

    pub fn group(&self) -> &'static str {
        match self.truth() {
            None => "never",
            Some(Truth { deep: true, .. }) => "through",
            Some(_) => "along",
        }
    }

    /// Checks the first contact and the interval.
    pub fn ask(&self) -> Verdict {
        let (a, b) = self.case.bodies();
        let (screw, options) = (self.case.screw(), self.case.options());
        let first = first_contact(&a, &b, &screw, &options).unwrap();
        let all = contact_intervals(&a, &b, &screw, &options).unwrap();
        if first.outcome != all.outcome {
            return Err(format!("{:?}, and of intervals {:?}", first.outcome, all.outcome));
        }
        let Some(Truth { enter, exit, deep }) = self.truth() else {
            let clear = first.outcome == Outcome::Clear && all.intervals.is_empty();
            return clear.then_some(()).ok_or_else(|| format!("{:?}, they never meet", first.outcome));
        };
        let surfaces = self.case.passing();
        let gap = |t: f64| surfaces.gap_squared(&Ratio::of(t)).double().sqrt() / self.case.tolerance;
        let at_start = enter == Ratio::of(0.0);
        match &first.outcome {
            Outcome::Overlapping(_) if at_start && deep => {}
            Outcome::Contact(contact) => {
                let [lo, hi] = contact.time;
                if Ratio::of(lo) > enter || Ratio::of(hi) < enter && gap(hi) > 1.01 {
                    return Err(format!("{:?}, they meet at {:?}", contact.time, enter.double()));
                }
                // Corners approach at no less than a fifth of their speed: within tolerances of the meeting.
                let near = 100.0 * self.case.tolerance.max(1e-9);
                if hi - lo > near || enter.double() - lo > near {
                    return Err(format!("{:?} is too wide for {:?}", contact.time, enter.double()));
                }
                if deep && !at_start && contact.touching && hi < enter.double() - near {
                    return Err(format!("touching at {:?}, they pass through each other", contact.time));
                }
            }
            other => return Err(format!("{other:?}, they meet at {:?}", enter.double())),
        }
        let [interval] = &all.intervals[..] else {
            return Err(format!("{:?} for one interval", all.intervals));
        };
        let near = 100.0 * self.case.tolerance.max(1e-9);
        match interval.exit {
            None if 1.0 - exit.double() <= near => Ok(()),
            None => Err(format!("to the end, they part at {:?}", exit.double())),
            Some([lo, hi]) => {
                let held = Ratio::of(hi) >= exit && (lo - exit.double()).abs() <= near && hi - lo <= near;
                held.then_some(())
                    .ok_or_else(|| format!("exit [{lo:?}, {hi:?}], they part at {:?}", exit.double()))
            }
        }
    }
}
