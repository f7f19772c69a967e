//! Points that are provably in a solid or outside it, and steps to its surface.

use glam::DVec3;

use crate::instant::inside::{Location, is_inside};
use crate::instant::nearest_on::nearest_on;
use crate::math::direction::unit_along;
use crate::sets::program::Op;
use crate::sets::program::leaf::Form;
use crate::sets::program::region::{LinearBounds, Region};
use crate::sets::tree::cells::{Interior, SolidOctree};
use crate::sets::tree::node::ProvenPoint;
use crate::sets::tree::sheet::SheetSide;

/// How often a radius is halved until the ball is proven inside.
const HALVINGS: u32 = 14;

/// The maximum number of steps to a point of the body; the first `SINGLE_STEPS` use one plane at a time.
const STEPS: usize = 12;
const SINGLE_STEPS: usize = 3;

/// Distances from a tip at which an inside point is tried, as fractions of the maximum distance.
const TIP_DISTANCES: [f64; 4] = [0.01, 0.05, 0.3, 0.9];

impl SolidOctree<'_> {
    /// The radius of a ball around a point that is provably in the solid; `None` if the point itself may be outside.
    pub(crate) fn depth(&mut self, p: DVec3) -> Option<f64> {
        if self.interior == Interior::Hollow || !self.is_inside(p, 0.0) {
            return None;
        }
        let estimate = self.level(p).map_or(0.0, |(estimate, _)| estimate);
        Some(self.radius_inside(p, estimate))
    }

    /// The first radius to try around a point, given an estimate of its signed distance (positive outside).
    fn first_radius(&self, estimate: f64) -> f64 {
        // If a function is flat, as at the centre of a ball, its estimate of the distance is unreliable.
        (-0.9 * estimate).min(0.5 * self.node(0).size)
    }

    /// The radius of a provably inside ball around a point that is provably inside, given an estimate of its signed
    /// distance (negative inside).
    fn radius_inside(&mut self, p: DVec3, estimate: f64) -> f64 {
        let mut radius = self.first_radius(estimate);
        for _ in 0..HALVINGS {
            if radius <= self.rounding {
                break;
            }
            if self.is_inside(p, radius) {
                return radius;
            }
            radius *= 0.5;
        }
        0.0
    }

    /// Whether a ball is provably in the solid.
    pub(super) fn is_inside(&mut self, p: DVec3, radius: f64) -> bool {
        self.side_along([p; 2], radius) == Some(SheetSide::Back)
    }

    /// An estimate of a point's signed distance, in metres (negative inside), and the outward direction.
    fn level(&mut self, p: DVec3) -> Option<(f64, DVec3)> {
        self.program.level(&self.program.ops, p, self.rounding, &mut self.memory)
    }

    /// An estimate of the surface point near a point, and the outward direction there.
    pub(crate) fn tangent_plane(&mut self, near: DVec3) -> Option<(DVec3, DVec3)> {
        let (value, normal) = self.level(near)?;
        Some((near - value * normal, normal))
    }

    /// The side of the solid's surface on which all points within a margin of a segment provably lie.
    pub(crate) fn side_along(&mut self, ends: [DVec3; 2], margin: f64) -> Option<SheetSide> {
        let region = Region::between([ends[0].min(ends[1]) - margin, ends[0].max(ends[1]) + margin]);
        let mut stack = std::mem::take(&mut self.memory.sides);
        stack.clear();
        for op in &self.program.ops {
            let known = match *op {
                Op::Leaf { leaf, out, .. } => {
                    let function = &self.program.leaves[leaf as usize];
                    if let Form::Mesh(body) = function.form() {
                        let middle = Region { centre: 0.5 * (ends[0] + ends[1]), half: DVec3::ZERO };
                        let (leaf_region, pad) = function.to_leaf_region(&middle);
                        let reach = 0.5 * ends[0].distance(ends[1]) + margin + self.rounding;
                        if nearest_on(body, leaf_region.centre, reach / function.scale() + pad).is_some() {
                            [false; 2]
                        } else {
                            let inside = is_inside(body, leaf_region.centre) == Location::Inside;
                            [inside != out, inside == out]
                        }
                    } else {
                        let slab = function.slab(&region, &mut self.memory.tape);
                        let slab = if out { slab.negated() } else { slab };
                        slab.sides(&region, ends, margin)
                    }
                }
                Op::Plane { normal, offset, rounding, .. } => {
                    LinearBounds::of_plane(normal, offset, rounding, &region).sides(&region, ends, margin)
                }
                Op::All(count) => {
                    let of = stack.drain(stack.len() - count as usize..);
                    of.fold([true, false], |known, next| [known[0] && next[0], known[1] || next[1]])
                }
                Op::Any(count) => {
                    let of = stack.drain(stack.len() - count as usize..);
                    of.fold([false, true], |known, next| [known[0] || next[0], known[1] && next[1]])
                }
                Op::Cut { leaf } => {
                    let slab = self.program.leaves[leaf as usize].slab(&region, &mut self.memory.tape);
                    let [is_below, is_above] = slab.sides(&region, ends, margin);
                    let mut of = stack.drain(stack.len() - 2..);
                    let [above, below] = [of.next(), of.next()].map(|known| known.unwrap_or([false; 2]));
                    [0, 1].map(|side| (is_below || above[side]) && (is_above || below[side]))
                }
            };
            stack.push(known);
        }
        let known = stack.pop();
        self.memory.sides = stack;
        match known? {
            [true, _] => Some(SheetSide::Back),
            [_, true] => Some(SheetSide::Front),
            [false, false] => None,
        }
    }

    /// An estimate of the nearest point of the body and its depth, which [`Self::proven_point`] may then prove.
    pub(crate) fn guess(&mut self, near: DVec3) -> Option<ProvenPoint> {
        let (value, normal) = self.level(near)?;
        if self.interior == Interior::Solid && value <= 0.0 {
            // If a function is flat, its estimate of the distance is unreliable.
            return Some(ProvenPoint { point: near, depth: (-value).min(0.5 * self.node(0).size) });
        }
        Some(ProvenPoint { point: near - value * normal, depth: 0.0 })
    }

    /// A point that provably belongs to the body, at most `within` from a point.
    pub(crate) fn proven_point(&mut self, near: DVec3, within: f64) -> Option<ProvenPoint> {
        // If the point is deep inside, one proof suffices.
        if self.interior == Interior::Solid
            && let Some((estimate, _)) = self.level(near)
        {
            let radius = self.first_radius(estimate);
            if radius > self.rounding && self.is_inside(near, radius) {
                return Some(ProvenPoint { point: near, depth: radius });
            }
        }
        let found = self.inside_near(near, within);
        if found.is_none()
            && let Some(proven) = self.on_mesh(near, within)
        {
            return Some(proven);
        }
        let (inside, estimate) = found.or_else(|| self.inside_of_tip(near, within))?;
        let proven = match self.interior {
            Interior::Solid => ProvenPoint { point: inside, depth: self.radius_inside(inside, estimate) },
            Interior::Hollow => {
                // A surface point lies between an inside point and an outside point.
                let outside = self.outside_near(inside, within)?;
                ProvenPoint { point: outside, depth: -outside.distance(inside) }
            }
        };
        (proven.point.distance(near) <= within).then_some(proven)
    }

    /// The nearest surface point of a solid that is a single mesh: it belongs to the solid, however thin the solid is.
    fn on_mesh(&self, near: DVec3, within: f64) -> Option<ProvenPoint> {
        let [Op::Leaf { leaf, out: false, .. }] = self.program.ops[..] else { return None };
        let function = &self.program.leaves[leaf as usize];
        let Form::Mesh(body) = function.form() else { return None };
        let (leaf_region, _) = function.to_leaf_region(&Region { centre: near, half: DVec3::ZERO });
        let on = nearest_on(body, leaf_region.centre, within / function.scale())?;
        Some(ProvenPoint { point: function.to_body(on.point), depth: 0.0 })
    }

    /// A provably inside point near a point, and an estimate of its signed distance (negative).
    fn inside_near(&mut self, near: DVec3, within: f64) -> Option<(DVec3, f64)> {
        let mut p = near;
        // How far inside to aim.
        let mut aim = 4.0 * self.rounding;
        for step in 0..STEPS {
            let (value, normal) = self.level(p)?;
            let hollow = self.interior == Interior::Hollow;
            if value <= 0.0 && (!hollow || value > -aim) && self.is_inside(p, 0.0) {
                return Some((p, value));
            }
            if normal == DVec3::ZERO {
                return None;
            }
            if step >= SINGLE_STEPS && value > 0.0 {
                // At an edge or a corner, a step to one plane leads away from another, so all planes are treated
                // together.
                p += self.vector_behind_planes(p, aim)?;
                aim *= 3.0;
                continue;
            }
            // Only the surface of a hollow body counts, so from deep inside the step leads outward.
            p -= if hollow { (value + 0.5 * aim) * normal } else { (value + aim) * normal };
            aim *= 3.0;
            if p.distance(near) > 4.0 * within {
                return None;
            }
        }
        None
    }

    /// A provably inside point near a tip or an edge, where steps to the surface overshoot each other. It lies in
    /// the mean direction of these steps.
    fn inside_of_tip(&mut self, near: DVec3, within: f64) -> Option<(DVec3, f64)> {
        TIP_DISTANCES.into_iter().find_map(|fraction| {
            let reach = fraction * within;
            let mut inward = DVec3::ZERO;
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                for step in [-reach, reach] {
                    inward -= self.level(near + step * axis).map_or(DVec3::ZERO, |(_, normal)| normal);
                }
            }
            let p = near + reach * unit_along(inward);
            let (value, _) = self.level(p)?;
            (inward != DVec3::ZERO && self.is_inside(p, 0.0)).then_some((p, value))
        })
    }

    /// The shortest vector from a point near the solid that leads behind all planes of which it is not clearly
    /// inside, by `aim` behind each.
    fn vector_behind_planes(&mut self, p: DVec3, aim: f64) -> Option<DVec3> {
        let region = Region { centre: p, half: DVec3::ZERO };
        let mut stack: Vec<Vec<(f64, DVec3)>> = Vec::new();
        let maximum =
            |planes: &[(f64, DVec3)]| planes.iter().map(|plane| plane.0).fold(f64::NEG_INFINITY, f64::max);
        for op in &self.program.ops {
            let planes = match op {
                Op::Leaf { .. } | Op::Plane { .. } => {
                    vec![self.program.plane_at(op, &region, self.rounding, &mut self.memory)?]
                }
                Op::All(count) => stack.split_off(stack.len() - *count as usize).concat(),
                Op::Any(count) => {
                    let of = stack.split_off(stack.len() - *count as usize);
                    of.into_iter().min_by(|x, y| maximum(x).total_cmp(&maximum(y)))?
                }
                Op::Cut { leaf } => {
                    let side = usize::from(self.program.is_below(*leaf, p, &mut self.memory));
                    stack.split_off(stack.len() - 2).swap_remove(side)
                }
            };
            stack.push(planes);
        }
        let mut planes = stack.pop()?;
        planes.retain(|(value, normal)| *value > -aim && *normal != DVec3::ZERO);
        planes.sort_by(|x, y| y.0.total_cmp(&x.0));
        // Combines up to three normals (Gram-Schmidt) so that the vector ends `aim` behind each of their planes.
        let mut step = DVec3::ZERO;
        let mut basis: Vec<DVec3> = Vec::new();
        for (value, normal) in planes {
            let across =
                basis.iter().fold(normal, |remainder, unit| remainder - remainder.dot(*unit) * *unit);
            let length = across.length();
            if length < 1e-3 {
                continue;
            }
            let unit = across / length;
            step -= (value + aim + step.dot(normal)) / length * unit;
            basis.push(unit);
            if basis.len() == 3 {
                break;
            }
        }
        Some(step)
    }

    /// A provably outside point near an inside point.
    fn outside_near(&mut self, inside: DVec3, within: f64) -> Option<DVec3> {
        let mut p = inside;
        let mut aim = 4.0 * self.rounding;
        for _ in 0..STEPS {
            let (value, normal) = self.level(p)?;
            if value > 0.0 && self.side_along([p; 2], 0.0) == Some(SheetSide::Front) {
                return Some(p);
            }
            if normal == DVec3::ZERO || p.distance(inside) > within {
                return None;
            }
            p += (aim - value) * normal;
            aim *= 3.0;
        }
        None
    }

    /// The outward direction at a point of the body's surface.
    pub(crate) fn normal(&mut self, p: DVec3) -> Option<DVec3> {
        self.level(p).map(|(_, normal)| normal).filter(|normal| *normal != DVec3::ZERO)
    }
}
