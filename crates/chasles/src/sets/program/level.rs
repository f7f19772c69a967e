//! Estimates of signed distances and outward directions, without a proof.

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::instant::inside::{Location, is_inside};
use crate::instant::nearest_on::{NearestOn, nearest_on};
use crate::math::direction::unit_along;
use crate::sets::program::leaf::Form;
use crate::sets::program::region::Region;
use crate::sets::program::{Op, Program, ProgramMemory};

impl Program {
    /// An estimate of a point's signed distance from the zero set of a function, in metres (positive outside), and
    /// the outward direction; `None` for a join.
    pub(crate) fn plane_at(
        &self,
        op: &Op,
        region: &Region,
        rounding: f64,
        memory: &mut ProgramMemory,
    ) -> Option<(f64, DVec3)> {
        let p = region.centre;
        Some(match *op {
            Op::Leaf { leaf, out, .. } => {
                let function = &self.leaves[leaf as usize];
                let (value, normal) = if let Form::Mesh(body) = function.form() {
                    let leaf_point = function.to_leaf(p);
                    let nearest = nearest_on(body, leaf_point, f64::INFINITY)?;
                    let sign = if is_inside(body, leaf_point) == Location::Inside { -1.0 } else { 1.0 };
                    let distance = sign * nearest.distance * function.scale();
                    let normal = if nearest.distance > ON_SKIN * body.mesh().diagonal() {
                        unit_along(sign * (p - function.to_body(nearest.point)))
                    } else {
                        let out = outward(body, &nearest);
                        unit_along(function.to_body(out) - function.to_body(DVec3::ZERO))
                    };
                    (distance, normal)
                } else {
                    // If a function has no reliable gradient here, its bounds are more informative.
                    let (value, gradient) =
                        function.value_and_gradient(p, &mut memory.tape).unwrap_or_else(|| {
                            let slab = function.slab(region, &mut memory.tape);
                            (0.5 * (slab.lo + slab.hi), slab.gradient)
                        });
                    let steepness = gradient.length();
                    if steepness > 0.0 && value.is_finite() {
                        (value / steepness, gradient / steepness)
                    } else {
                        (if value <= 0.0 { -rounding } else { rounding }, DVec3::ZERO)
                    }
                };
                if out { (-value, -normal) } else { (value, normal) }
            }
            Op::Plane { normal, offset, .. } => (normal.dot(p) - offset, normal),
            Op::All(_) | Op::Any(_) | Op::Cut { .. } => return None,
        })
    }

    /// Whether a point is on the second side of a cut, approximately.
    pub(crate) fn is_below(&self, leaf: u32, p: DVec3, memory: &mut ProgramMemory) -> bool {
        self.leaves[leaf as usize]
            .value_and_gradient(p, &mut memory.tape)
            .is_some_and(|(value, _)| value < 0.0)
    }

    /// An estimate of a point's signed distance, in metres (negative inside), and the outward direction. `ops` is
    /// this program, or its reduction over a region that contains the point. If a function has no value, the point
    /// counts as outside by the rounding error.
    pub(crate) fn level(
        &self,
        ops: &[Op],
        p: DVec3,
        rounding: f64,
        memory: &mut ProgramMemory,
    ) -> Option<(f64, DVec3)> {
        let region = Region { centre: p, half: DVec3::ZERO };
        let mut stack = std::mem::take(&mut memory.levels);
        stack.clear();
        for op in ops {
            let count = match *op {
                Op::Leaf { .. } | Op::Plane { .. } => {
                    stack.push(self.plane_at(op, &region, rounding, memory)?);
                    continue;
                }
                Op::Cut { leaf } => {
                    let side = usize::from(self.is_below(leaf, p, memory));
                    let value = stack.drain(stack.len() - 2..).nth(side);
                    stack.push(value?);
                    continue;
                }
                Op::All(count) | Op::Any(count) => count as usize,
            };
            let of = stack.drain(stack.len() - count..);
            let value = if matches!(op, Op::All(_)) {
                of.max_by(|x, y| x.0.total_cmp(&y.0))
            } else {
                of.min_by(|x, y| x.0.total_cmp(&y.0))
            };
            stack.push(value?);
        }
        let value = stack.pop();
        memory.levels = stack;
        value
    }
}

/// At distances from a mesh below this fraction of its size, the direction to it is undefined.
const ON_SKIN: f64 = 1e-14;

/// The outward direction at a point of a closed mesh.
fn outward(body: &PreparedMesh, on: &NearestOn) -> DVec3 {
    let [p, q, r] = body.mesh().local_triangle(on.face);
    let normal = unit_along((q - p).cross(r - p));
    // The orientation of the triangles is not known.
    let above_face = on.point + 1e4 * ON_SKIN * body.mesh().diagonal() * normal;
    if is_inside(body, above_face) == Location::Inside { -normal } else { normal }
}
