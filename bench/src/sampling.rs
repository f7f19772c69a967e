//! Alternatives for users without an engine for solids and clouds: sampled poses, or triangulations.

use std::collections::HashMap;

use chasles::{Primitive, Screw};
use glam::DVec3;

use crate::cases::shapes::Raw;
use crate::cases::solids::FormulaSolid;
use crate::peers::sample_times;

/// The first of 100 evenly spaced poses at which a vertex of a mesh is in a solid, by the rounded value of its formula.
#[must_use]
pub fn vertices_in(target: &FormulaSolid, points: &[DVec3], screw: &Screw) -> Option<f64> {
    let [low, high] = target.bounds;
    sample_times().find(|t| {
        let pose = screw.pose_at(*t);
        points
            .iter()
            .map(|p| pose.transform_point(*p))
            .any(|p| p.cmpge(low).all() && p.cmple(high).all() && target.formula.value(&p.to_array()) <= 0.0)
    })
}

/// The first of 100 evenly spaced poses at which a point of a cloud is within a radius of a moving tool, by its
/// distance to each point.
#[must_use]
pub fn points_in(tool: &Primitive, (points, radius): (&[DVec3], f64), screw: &Screw) -> Option<f64> {
    sample_times().find(|t| {
        let back = screw.pose_at(*t).inverse();
        points.iter().any(|p| distance(tool, back.transform_point(*p)) <= radius)
    })
}

/// The distance of a point from a solid capsule or box.
fn distance(tool: &Primitive, p: DVec3) -> f64 {
    match *tool {
        Primitive::Capsule { radius, height } => {
            let along = p.z.clamp(-0.5 * height, 0.5 * height);
            (p - along * DVec3::Z).length() - radius
        }
        Primitive::Box { size } => (p.abs() - 0.5 * size).max(DVec3::ZERO).length(),
        Primitive::Sphere { .. } | Primitive::Cylinder { .. } | Primitive::Cone { .. } => f64::INFINITY,
    }
}

/// Triangulates the surface of a solid by marching tetrahedra (Doi and Koide 1991), on a grid with `cells` cells
/// along the longest edge of the bounds, and moves the vertices onto the surface. If the bounds cut the solid, they
/// are part of the surface. Also returns the deviation: the largest distance, to first order, of a triangle's
/// centre from the surface. It is not a proven bound.
#[must_use]
pub fn triangles_of(target: &FormulaSolid, cells: u32) -> (Raw, f64) {
    let [low, high] = target.bounds;
    let step = (high - low).max_element() / f64::from(cells);
    // A layer of cells beyond the bounds on each side, with an offset such that no corner is on a face.
    let origin = low - 1.37 * step;
    let counts = ((high - low) / step).to_array().map(|n| n.ceil() as usize + 3);
    let value = |p: DVec3| {
        let beyond = (low - p).max(p - high).max_element();
        target.formula.value(&p.to_array()).max(beyond)
    };
    let place = |at: Corner| origin + step * DVec3::from_array(at.map(|n| n as f64));
    let layer = |k: usize| -> Vec<f64> {
        (0..=counts[1])
            .flat_map(|j| (0..=counts[0]).map(move |i| [i, j, k]))
            .map(|at| value(place(at)))
            .collect()
    };
    let in_layer = |[i, j, _]: Corner| j * (counts[0] + 1) + i;
    let mut raw: Raw = (Vec::new(), Vec::new());
    let mut known: HashMap<(Corner, Corner), u32> = HashMap::new();
    let mut below = layer(0);
    for k in 0..counts[2] {
        let above = layer(k + 1);
        for (i, j) in (0..counts[0]).flat_map(|i| (0..counts[1]).map(move |j| (i, j))) {
            let corner = |n: usize| [i + (n & 1), j + (n >> 1 & 1), k + (n >> 2)];
            let at: [f64; 8] = std::array::from_fn(|n| {
                let corner = corner(n);
                if corner[2] == k { below[in_layer(corner)] } else { above[in_layer(corner)] }
            });
            if at.iter().all(|v| *v > 0.0) || at.iter().all(|v| *v <= 0.0) {
                continue;
            }
            for tetrahedron in TETRAHEDRA {
                let (inner, outer): (Vec<usize>, Vec<usize>) =
                    tetrahedron.into_iter().partition(|n| at[*n] <= 0.0);
                let mut on = |a: usize, b: usize| {
                    let ends = (corner(a), corner(b));
                    *known.entry(ends).or_insert_with(|| {
                        raw.0.push(crossing([place(ends.0), place(ends.1)], value));
                        raw.0.len() as u32 - 1
                    })
                };
                match (inner.as_slice(), outer.as_slice()) {
                    ([a], [b, c, d]) => {
                        let triangle = [on(*a, *b), on(*a, *c), on(*a, *d)];
                        raw.1.push(triangle);
                    }
                    ([a, b, c], [d]) => {
                        let triangle = [on(*a, *d), on(*b, *d), on(*c, *d)];
                        raw.1.push(triangle);
                    }
                    ([a, b], [c, d]) => {
                        let quad = [on(*a, *c), on(*a, *d), on(*b, *d), on(*b, *c)];
                        raw.1.extend([[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]);
                    }
                    _ => {}
                }
            }
        }
        below = above;
        known.retain(|(a, b), _| a[2] > k || b[2] > k);
    }
    raw.1.retain(|[a, b, c]| a != b && b != c && c != a);
    let off = raw.1.iter().map(|triangle| {
        let middle = triangle.iter().map(|v| raw.0[*v as usize]).sum::<DVec3>() / 3.0;
        let along = |axis: DVec3| (value(middle + 1e-6 * axis) - value(middle - 1e-6 * axis)) / 2e-6;
        let slope = DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z));
        value(middle).abs() / slope.length()
    });
    let off = off.filter(|off| off.is_finite()).fold(0.0, f64::max);
    (raw, off)
}

/// A corner of the grid.
type Corner = [usize; 3];

/// Six tetrahedra around the diagonal of a cube. Corners are numbered by the bits of x, y and z.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// The zero of a function between a point where it is not positive and a point where it is positive.
fn crossing([mut inner, mut outer]: [DVec3; 2], value: impl Fn(DVec3) -> f64) -> DVec3 {
    for _ in 0..40 {
        let middle = 0.5 * (inner + outer);
        if value(middle) <= 0.0 { inner = middle } else { outer = middle }
    }
    inner
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::solids::Family;

    #[test]
    fn triangles_are_closed_and_near_the_surface() -> Result<(), chasles::Error> {
        for family in [Family::Torus, Family::Gyroid, Family::Parts] {
            let target = FormulaSolid::new(family, 3)?;
            let ((points, triangles), off) = triangles_of(&target, 40);
            assert!(triangles.len() > 1000 && off < 0.1, "{family:?}: {}, {off}", triangles.len());
            let mut sides: HashMap<[u32; 2], u32> = HashMap::new();
            for [a, b, c] in &triangles {
                for [p, q] in [[a, b], [b, c], [c, a]] {
                    *sides.entry([*p.min(q), *p.max(q)]).or_default() += 1;
                }
            }
            assert!(sides.values().all(|count| count % 2 == 0), "{family:?}");
            assert!(points.iter().all(|p| p.is_finite()));
        }
        Ok(())
    }

    #[test]
    fn a_capsule_and_a_box_from_outside() {
        let capsule = Primitive::Capsule { radius: 0.5, height: 2.0 };
        assert!((distance(&capsule, DVec3::new(0.0, 0.0, 2.0)) - 0.5).abs() < 1e-15);
        let cuboid = Primitive::Box { size: DVec3::new(1.0, 2.0, 3.0) };
        assert!((distance(&cuboid, DVec3::new(1.5, 0.0, 0.0)) - 1.0).abs() < 1e-15);
    }
}
