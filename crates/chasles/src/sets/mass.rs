//! Mass properties of solids: the volume is cut into boxes until almost all is decided.
//!
//! A box that is proven inside or outside is done. If one smooth function passes through a box, its linear bounds
//! give two half-spaces: one in which the box is certainly solid, one beyond which it is certainly empty. The
//! half-space midway approximates the solid, and the volume between the two is *undecided*. In any other box half of
//! the volume is undecided: the box counts as filled with half of the density. The box with the largest undecided
//! volume is halved next.
//!
//! Let U be the total undecided volume. The true volume differs from the returned volume by at most U. Let D be the
//! diagonal of the bounds, V the true volume, and c the returned centre. The integral of x - c over the true solid
//! is at most D U: it is 0 over the approximating matter, and the two differ by at most U. So the true centre is
//! within D U / V of c.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use glam::{DMat3, DVec3};

use crate::error::{Error, ErrorKind};
use crate::math::budget::Budget;
use crate::sets::program::leaf::Form;
use crate::sets::program::reduce::{Reduced, UndecidedProgram};
use crate::sets::program::region::{LinearBounds, Region};
use crate::sets::program::{Op, Program, ProgramMemory};
use crate::shape::mass::{VolumeMoments, no_volume, outer};
use crate::shape::{MassProperties, PartShape, Solid};

/// The fraction of the volume that may stay undecided.
const GOAL: f64 = 1e-4;

/// Limit of work on one solid: about a microsecond per unit, and at most a few hundred bytes.
const WORK: u64 = 1_000_000;

/// If a larger fraction than this is undecided, there is no answer.
const COARSEST: f64 = 0.1;

/// Upper bound of the rounding of the few operations on a box, as a fraction of its volume.
const ROUNDINGS: f64 = 1e-12;

/// Volume, centre of mass and inertia of a solid, including its interior. A single primitive or closed mesh uses its
/// own formulas; any other solid is computed to a ten-thousandth of the volume if the work suffices.
///
/// # Errors
/// The volume is not proven positive; more than a tenth of the volume stays undecided; or the numbers are too large
/// or too small for a double.
pub(crate) fn solid_mass(solid: &Solid) -> Result<MassProperties, Error> {
    if let Some(part) = solid.parts().last() {
        let alone = match &part.shape {
            PartShape::Primitive(primitive) => primitive.mass_properties().ok(),
            PartShape::Mesh(mesh) => mesh.mass_properties().ok(),
            PartShape::Heights(field) => field.mesh().mass_properties().ok(),
            _ => None,
        };
        if let Some(alone) = alone {
            return alone.placed(&part.pose, part.scale);
        }
    }
    integrated(&Program::new(solid), solid.bounds(), GOAL, Budget::new(WORK))
}

/// A box that is not decided as a whole.
#[derive(Debug)]
struct Cell {
    ends: [DVec3; 2],
    /// The reduced program in this box.
    ops: Rc<[Op]>,
    /// In cubic metres.
    undecided: f64,
    /// The matter that approximates the solid in this box, about the reference point.
    filled: VolumeMoments,
}

/// The mass properties, computed until at most the fraction `goal` of the volume is undecided.
fn integrated(
    program: &Program,
    bounds: [DVec3; 2],
    goal: f64,
    mut budget: Budget<'_>,
) -> Result<MassProperties, Error> {
    let reference = 0.5 * (bounds[0] + bounds[1]);
    let mut memory = ProgramMemory::default();
    let mut decided = VolumeMoments::default();
    let mut cells: Vec<Cell> = Vec::new();
    // The largest first; ties by age, oldest first. The bits of positive numbers sort like the numbers.
    let mut order: BinaryHeap<(u64, Reverse<usize>)> = BinaryHeap::new();
    let (mut filled, mut undecided) = (0.0, 0.0);
    let mut open: Vec<([DVec3; 2], Rc<[Op]>)> = vec![(bounds, program.ops.as_slice().into())];
    loop {
        while let Some((ends, ops)) = open.pop() {
            let region = Region::between(ends);
            let cell = match program.reduced(&ops, &region, &mut memory) {
                Reduced::Outside => continue,
                Reduced::Inside => {
                    let full = moments_of_box(ends, reference);
                    filled += full.volume();
                    decided.add(&full);
                    continue;
                }
                Reduced::Undecided(UndecidedProgram { ops, bounds }) => {
                    let (undecided, filled) = match (ops.as_slice(), bounds.as_slice()) {
                        ([_], [slab]) if slab.lo.is_finite() && slab.hi.is_finite() => {
                            cut(ends, slab, &region, reference)
                        }
                        _ => halfway(ends, reference),
                    };
                    Cell { ends, ops: ops.into(), undecided, filled }
                }
            };
            filled += cell.filled.volume();
            undecided += cell.undecided;
            order.push((cell.undecided.to_bits(), Reverse(cells.len())));
            cells.push(cell);
        }
        if undecided <= goal * filled {
            break;
        }
        let Some((_, Reverse(number))) = order.pop().filter(|(bits, _)| *bits > 0) else { break };
        let cell = &mut cells[number];
        let Some(halves) = halves(cell.ends) else { continue };
        if budget.take(2 * cost(program, &cell.ops)).is_err() {
            break;
        }
        filled -= cell.filled.volume();
        undecided -= cell.undecided;
        (cell.filled, cell.undecided) = (VolumeMoments::default(), 0.0);
        let ops = std::mem::replace(&mut cell.ops, Rc::new([]));
        open.extend(halves.map(|half| (half, Rc::clone(&ops))));
    }
    cells.iter().for_each(|cell| decided.add(&cell.filled));
    let undecided = cells.iter().map(|cell| cell.undecided).sum::<f64>();
    properties(&decided, undecided, reference)
}

fn properties(moments: &VolumeMoments, undecided: f64, reference: DVec3) -> Result<MassProperties, Error> {
    let volume = moments.volume();
    if volume.is_nan() || volume <= 0.0 {
        return no_volume(volume.max(0.0), "solid");
    }
    let accuracy = undecided / volume + ROUNDINGS;
    if accuracy.is_nan() || accuracy > COARSEST {
        return Err(Error::new(
            ErrorKind::NotBuilt("the volume of a solid of which more than a tenth stays undecided is"),
            "solid",
        ));
    }
    let offset = moments.first() / volume;
    let central = moments.second() - volume * outer(offset, offset);
    MassProperties::of(volume, reference + offset, central, "solid")
        .map(|found| found.with_accuracy(accuracy))
}

/// The work of evaluating a box.
fn cost(program: &Program, ops: &[Op]) -> u64 {
    let of = |op: &Op| match op {
        Op::Leaf { leaf, .. } | Op::Cut { leaf } => match program.leaves[*leaf as usize].form() {
            Form::Formula(formula) => 1 + formula.length() as u64 / 8,
            Form::Mesh(_) => 4,
            Form::Grid(_) => 2,
            Form::Quadric { .. } | Form::Capsule { .. } => 1,
        },
        Op::Plane { .. } | Op::All(_) | Op::Any(_) => 1,
    };
    1 + ops.iter().map(of).sum::<u64>()
}

/// The two halves of a box, cut across its longest side and sharing the cut plane exactly; `None` if the box is too
/// small for doubles to divide.
fn halves([min_corner, max_corner]: [DVec3; 2]) -> Option<[[DVec3; 2]; 2]> {
    let size = max_corner - min_corner;
    let axis = (0..3).max_by(|i, j| size[*i].total_cmp(&size[*j]))?;
    let middle = 0.5 * (min_corner[axis] + max_corner[axis]);
    if !(min_corner[axis] < middle && middle < max_corner[axis]) {
        return None;
    }
    let (mut low, mut high) = (max_corner, min_corner);
    (low[axis], high[axis]) = (middle, middle);
    Some([[min_corner, low], [high, max_corner]])
}

/// The cube [-1, 1]^3 with uniform density.
fn cube(density: f64) -> VolumeMoments {
    VolumeMoments::new(8.0 * density, DVec3::ZERO, &(8.0 / 3.0 * density * DMat3::IDENTITY))
}

/// Moments about a reference point of a body in the cube [-1, 1]^3, mapped to a box.
fn moments_in_body(
    in_cube: &VolumeMoments,
    [min_corner, max_corner]: [DVec3; 2],
    reference: DVec3,
) -> VolumeMoments {
    let centre = 0.5 * ((min_corner - reference) + (max_corner - reference));
    in_cube.scaled_along_axes(0.5 * (max_corner - min_corner)).moved(centre)
}

fn moments_of_box(ends: [DVec3; 2], reference: DVec3) -> VolumeMoments {
    moments_in_body(&cube(1.0), ends, reference)
}

/// An unknown box: half of its volume is undecided, as matter of half density differs from any other by at most that.
fn halfway(ends: [DVec3; 2], reference: DVec3) -> (f64, VolumeMoments) {
    let filled = moments_in_body(&cube(0.5), ends, reference);
    (filled.volume(), filled)
}

/// A box crossed by one function: the undecided volume, and the matter that approximates the solid.
fn cut(ends: [DVec3; 2], slab: &LinearBounds, region: &Region, reference: DVec3) -> (f64, VolumeMoments) {
    let below = |height: f64| below(ends, slab.gradient, height, reference);
    // The bounds are about the region's centre, which equals the box's centre up to rounding.
    let rounding = 2.0 * f64::EPSILON * slab.gradient.abs().dot(region.centre.abs());
    let (lo, hi) = (slab.lo - rounding, slab.hi + rounding);
    let [smallest, middle, largest] = [hi, 0.5 * (lo + hi), lo].map(below);
    // Adding 0.0 turns -0 into 0, because the bits of -0 sort like a large number.
    ((largest.volume() - smallest.volume()).max(0.0) + 0.0, middle)
}

/// The part of a box where g·(x - c) + height <= 0, where c is its centre.
fn below(ends: [DVec3; 2], g: DVec3, height: f64, reference: DVec3) -> VolumeMoments {
    moments_in_body(&below_in_cube(g * (0.5 * (ends[1] - ends[0])), height), ends, reference)
}

/// The corners of the cube's sides, counterclockwise seen from outside; bits 0, 1, 2 of a corner's number are x, y, z.
const SIDES: [[u32; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

/// The part of the cube [-1, 1]^3 where g·x + height <= 0.
///
/// It is a sum of tetrahedra from a point of the cut plane to the remaining part of each side; those to the cut face
/// have no volume.
fn below_in_cube(g: DVec3, height: f64) -> VolumeMoments {
    let reach = g.abs().element_sum();
    if height <= -reach {
        return cube(1.0);
    }
    if height >= reach {
        return VolumeMoments::default();
    }
    // Scales g to a length of about 1, so that squares neither overflow nor underflow.
    let (g, height) = (g / reach, height / reach);
    let on_plane = -height / g.length_squared() * g;
    let level = |p: DVec3| g.dot(p) + height;
    let mut moments = VolumeMoments::default();
    for side in SIDES {
        let corner = |i: usize| {
            let sign = |bit: u32| if side[i % 4] >> bit & 1 == 1 { 1.0 } else { -1.0 };
            DVec3::new(sign(0), sign(1), sign(2))
        };
        let mut first: Option<DVec3> = None;
        let mut last = DVec3::ZERO;
        // A triangle fan from the first remaining point.
        let mut next = |p: DVec3| {
            match first {
                None => first = Some(p),
                Some(first) => moments.tetrahedron([first - on_plane, last - on_plane, p - on_plane]),
            }
            last = p;
        };
        for i in 0..4 {
            let (p, q) = (corner(i), corner(i + 1));
            let (at_p, at_q) = (level(p), level(q));
            if at_p <= 0.0 {
                next(p);
            }
            if (at_p <= 0.0) != (at_q <= 0.0) {
                next(p + at_p / (at_p - at_q) * (q - p));
            }
        }
    }
    moments.moved(on_plane)
}
