//! The functions that solids consist of, each bounded over a box by two parallel planes.
//!
//! A solid is where functions are nonpositive. Over a box with centre c every function f here satisfies
//!
//! ```text
//! g·(x - c) + lo  <=  f(x)  <=  g·(x - c) + hi
//! ```
//!
//! where hi - lo shrinks with the square of the box's size if f is smooth. So the solid in the box lies behind one
//! plane, and contains everything behind another.

use std::sync::Arc;

use glam::{DMat3, DVec3};

use crate::body::PreparedMesh;
use crate::math::interval::RealInterval;
use crate::motion::Pose;
use crate::sets::program::grid::Grid;
use crate::sets::program::region::{LinearBounds, Region};
use crate::sets::program::skin::SkinPlane;
use crate::shape::expression::{Expression, TapeMemory};

/// A function in the frame of the body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Leaf {
    form: Form,
    /// `None` for the body's own frame, in metres.
    frame: Option<LeafTransform>,
}

/// A function that is nonpositive in the solid, in the leaf's own frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Form {
    /// w·(x^2, y^2, (z - shift)^2) - radius^2
    Quadric {
        weights: DVec3,
        shift: f64,
        radius: f64,
    },
    /// The squared distance from a segment of the z axis, minus the squared radius.
    Capsule {
        half: f64,
        radius: f64,
    },
    Formula(Expression),
    Grid(Arc<Grid>),
    /// A closed mesh, described by planes instead of a function.
    Mesh(Arc<PreparedMesh>),
}

/// The leaf's frame: a point x in it is at rotation (scale x) + translation in the body's frame.
#[derive(Debug, Clone, PartialEq)]
struct LeafTransform {
    rotation: DMat3,
    translation: DVec3,
    scale: f64,
}

impl Leaf {
    pub(crate) fn new(form: Form, pose: &Pose, scale: f64) -> Self {
        let is_in_body_frame = *pose == Pose::IDENTITY && scale == 1.0;
        let frame = (!is_in_body_frame).then(|| LeafTransform {
            rotation: DMat3::from_quat(pose.rotation()),
            translation: pose.position(),
            scale,
        });
        Self { form, frame }
    }

    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// The axis and coordinate of a layer of samples near the middle of a region of the body's frame, if the leaf is
    /// a grid aligned with the body's axes and the region lies in more than one cell.
    pub(crate) fn layer_through(&self, region: &Region) -> Option<(usize, f64)> {
        let Form::Grid(grid) = &self.form else { return None };
        let (translation, scale) = match &self.frame {
            None => (DVec3::ZERO, 1.0),
            Some(LeafTransform { rotation, translation, scale }) if *rotation == DMat3::IDENTITY => {
                (*translation, *scale)
            }
            Some(_) => return None,
        };
        let (leaf_region, pad) = self.to_leaf_region(region);
        let (axis, layer) = grid.divide(&leaf_region, pad)?;
        Some((axis, layer * scale + translation[axis]))
    }

    /// For each axis, an estimate of how far the function deviates from a linear function over the halves of a
    /// region cut across that axis, in metres; `None` if unknown.
    pub(crate) fn curvature_of_halves(&self, region: &Region) -> Option<[f64; 3]> {
        let (leaf_region, _) = self.to_leaf_region(region);
        let (weights, centre) = match &self.form {
            Form::Quadric { weights, shift, .. } => (weights.abs(), leaf_region.centre - *shift * DVec3::Z),
            Form::Capsule { half, .. } => {
                let is_round = leaf_region.centre.z.abs() + leaf_region.half.z > *half;
                (DVec3::new(1.0, 1.0, if is_round { 1.0 } else { 0.0 }), leaf_region.centre)
            }
            Form::Formula(_) | Form::Grid(_) | Form::Mesh(_) => return None,
        };
        let steepness = 2.0 * (weights * centre).length();
        Some([0, 1, 2].map(|axis| {
            let mut part = *region;
            part.half[axis] *= 0.5;
            let (part, _) = self.to_leaf_region(&part);
            self.scale() * weights.dot(part.half * part.half) / steepness
        }))
    }

    /// A region in the leaf's own frame, and the rounding error of its points there.
    pub(crate) fn to_leaf_region(&self, region: &Region) -> (Region, f64) {
        let Some(LeafTransform { rotation, translation, scale }) = &self.frame else { return (*region, 0.0) };
        let back = rotation.transpose();
        let centre = back * (region.centre - *translation) / *scale;
        let largest = (region.centre.abs() + translation.abs()).element_sum() + region.half.element_sum();
        let pad = 32.0 * f64::EPSILON * largest / scale;
        let spread = DMat3::from_cols(back.x_axis.abs(), back.y_axis.abs(), back.z_axis.abs());
        (Region { centre, half: spread * region.half / *scale + pad }, pad)
    }

    /// A point in the leaf's own frame, up to rounding.
    pub(crate) fn to_leaf(&self, p: DVec3) -> DVec3 {
        self.frame.as_ref().map_or(p, |LeafTransform { rotation, translation, scale }| {
            rotation.transpose() * (p - *translation) / *scale
        })
    }

    /// A plane of the leaf's own frame, in the body's frame.
    pub(crate) fn plane_to_body(&self, plane: SkinPlane) -> SkinPlane {
        let Some(LeafTransform { rotation, translation, scale }) = &self.frame else { return plane };
        let normal = *rotation * plane.normal;
        SkinPlane {
            normal,
            offset: scale * plane.offset + normal.dot(*translation),
            rounding: plane.rounding * scale,
        }
    }

    /// The factor from lengths in the leaf's own frame to the body's frame.
    pub(crate) fn scale(&self) -> f64 {
        self.frame.as_ref().map_or(1.0, |frame| frame.scale)
    }

    /// A point of the leaf's own frame in the body's frame.
    pub(crate) fn to_body(&self, p: DVec3) -> DVec3 {
        self.frame.as_ref().map_or(p, |LeafTransform { rotation, translation, scale }| {
            *rotation * (*scale * p) + *translation
        })
    }

    /// Approximate value and gradient at a point of the body's frame; `None` if they are unavailable.
    pub(crate) fn value_and_gradient(&self, p: DVec3, memory: &mut TapeMemory) -> Option<(f64, DVec3)> {
        let leaf_point = self.to_leaf(p);
        let (value, gradient) = match &self.form {
            Form::Quadric { weights, shift, radius } => {
                let from = leaf_point - *shift * DVec3::Z;
                (weights.dot(from * from) - radius * radius, 2.0 * *weights * from)
            }
            Form::Capsule { half, radius } => {
                let over = (leaf_point.z.abs() - half).max(0.0).copysign(leaf_point.z);
                let from = DVec3::new(leaf_point.x, leaf_point.y, over);
                (from.length_squared() - radius * radius, 2.0 * from)
            }
            Form::Formula(formula) => {
                let [value, x, y, z] = formula.slope(&leaf_point.to_array(), memory);
                (value, DVec3::new(x, y, z))
            }
            Form::Grid(_) | Form::Mesh(_) => return None,
        };
        let gradient = self
            .frame
            .as_ref()
            .map_or(gradient, |LeafTransform { rotation, scale, .. }| *rotation * gradient / *scale);
        (value.is_finite() && gradient.is_finite()).then_some((value, gradient))
    }

    /// Bounds over a region of the body's frame. For a mesh they are infinite.
    pub(crate) fn slab(&self, region: &Region, memory: &mut TapeMemory) -> LinearBounds {
        let (leaf_region, pad) = self.to_leaf_region(region);
        let slab = self.form.slab(&leaf_region, pad, memory).scaled_in_range();
        let Some(LeafTransform { rotation, scale, .. }) = &self.frame else { return slab };
        let gradient = *rotation * slab.gradient / *scale;
        let rounding = 32.0 * f64::EPSILON * gradient.abs().element_sum() * region.half.element_sum();
        LinearBounds { gradient, lo: slab.lo - rounding, hi: slab.hi + rounding }
    }
}

/// A remainder is useless if it is wider than the range by this factor.
const COARSE: f64 = 8.0;

impl Form {
    fn slab(&self, region: &Region, pad: f64, memory: &mut TapeMemory) -> LinearBounds {
        let Region { centre, half } = *region;
        let at = centre.to_array().map(|x| RealInterval::new(x - pad, x + pad));
        // The effect of the gradient's rounding error over the region.
        let rounding = |gradient: DVec3| 16.0 * f64::EPSILON * gradient.abs().dot(half);
        match self {
            Self::Quadric { weights, shift, radius } => {
                let [x, y, z] = at;
                let squares = [x.sqr(), y.sqr(), (z - RealInterval::point(*shift)).sqr()];
                let [a, b, c] = weights.to_array().map(RealInterval::point);
                let value =
                    a * squares[0] + b * squares[1] + c * squares[2] - RealInterval::point(*radius).sqr();
                let gradient = 2.0 * *weights * (centre - *shift * DVec3::Z);
                let quadratic_terms = *weights * (half + pad) * (half + pad) * (1.0 + 8.0 * f64::EPSILON);
                let rounding = rounding(gradient) + pad * 2.0 * gradient.abs().element_sum();
                let [down, up] = [quadratic_terms.min(DVec3::ZERO), quadratic_terms.max(DVec3::ZERO)]
                    .map(DVec3::element_sum);
                LinearBounds { gradient, lo: value.lo + down - rounding, hi: value.hi + up + rounding }
            }
            Self::Capsule { half: length, radius } => {
                let [x, y, z] = at;
                let beyond = (z.abs() - RealInterval::point(*length)).max(RealInterval::ZERO);
                let value = x.sqr() + y.sqr() + beyond.sqr() - RealInterval::point(*radius).sqr();
                let over = (centre.z.abs() - length).max(0.0).copysign(centre.z);
                let gradient = 2.0 * DVec3::new(centre.x, centre.y, over);
                // The second derivatives are between 0 and 2; along z the second derivative is 0 on the straight part.
                let mut reach = half + pad;
                if centre.z.abs() + reach.z <= *length {
                    reach.z = 0.0;
                }
                let up = reach.length_squared() * (1.0 + 8.0 * f64::EPSILON);
                let rounding = rounding(gradient) + pad * 2.0 * gradient.abs().element_sum();
                LinearBounds { gradient, lo: value.lo - rounding, hi: value.hi + up + rounding }
            }
            Self::Formula(formula) => {
                // The centre is off by the pad, and so is the offset from it.
                let at = centre.to_array().map(|x| RealInterval::new(x - 2.0 * pad, x + 2.0 * pad));
                let (gradient, rest, range) = formula.linear(&at, &half.to_array(), memory);
                let gradient = DVec3::from_array(gradient);
                let roundings = 1e-13 * (gradient.abs().dot(centre.abs()) + rest.magnitude());
                // A remainder much wider than the range adds no information; a NaN compares false.
                if rest.width() <= COARSE * range.width() + roundings {
                    LinearBounds { gradient, lo: rest.lo, hi: rest.hi }
                } else {
                    LinearBounds::flat(range.lo, range.hi)
                }
            }
            Self::Grid(grid) => grid.slab(region, pad),
            Self::Mesh(_) => LinearBounds::flat(f64::NEG_INFINITY, f64::INFINITY),
        }
    }
}
