//! Converts nodes to rigid frames: scales move down into the meshes, and curves into the frames of the carriers.
//!
//! A node that is static in its parent's frame has no frame of its own. The map from a mesh to the nearest moving
//! node above it is x -> R (G x) + p, with a rotation R, a linear map G, which is applied to the vertices of the
//! mesh, and a position p. A node below with translation T(t), rotation Q(t) and scale S has in the frame of its
//! carrier the map
//!
//! ```text
//! x -> p + R G T(t) + R G Q(t) S x
//! ```
//!
//! This map is rigid, with the scale s S for the meshes, if G = s, reflections (s < 0) included, or if G = s P with
//! a rotation P, which is merged into R. If only T changes, any G is possible. Otherwise the shape changes with
//! time, and the distance of a point x from its place in the rigid shape is at most
//!
//! ```text
//! |G - s P| |S x|,     plus |G| |E x| if the scale is S +- E
//! ```
//!
//! Files hold numbers of seven digits, so scales that are meant to be uniform and constant have such deviations.
//! [`slack`] adds them up for the points of a mesh.

use chasles::{BodyMotion, CubicKey, Curve, Pose};
use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::animation::{AnimationCurves, NodeCurves, is_constant};
use super::document::NodeEntry;
use super::fault::{Fault, GltfResult};
use super::hierarchy::{Local, NodeTree, local, place_of, uniform_scale, unit};
use crate::error::Warnings;
use crate::figures::rounded;
use crate::text::tree::number_text;

/// The frame of a node relative to the nearest moving node above it, or to the world.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NodeFrame {
    /// The moving node that carries this node; `None`: the world.
    pub(super) ancestor: Option<usize>,
    pub(super) motion: BodyMotion,
    /// The linear map from this node's mesh to its frame.
    pub(super) linear: DMat3,
    /// Whether `motion` changes with time.
    pub(super) moves: bool,
    /// The amount by which the scales at this node change with time.
    pub(super) loose: Loose,
}

/// The deviation of points due to scales that are not uniform or not constant.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Loose {
    /// In metres per metre of distance from the origin of the node.
    by: f64,
    /// The scale that was found, for a message.
    found: String,
}

impl NodeFrame {
    /// Whether shapes at the node, or below it, change with time because of the scales there.
    pub(super) fn is_loose(&self) -> bool {
        self.loose.by > 0.0
    }
}

/// The frames of the marked nodes of the scene, `None` for other nodes. The ancestors of a marked node must be
/// marked too.
pub(super) fn frames(
    tree: &NodeTree,
    nodes: &[NodeEntry],
    animation: &AnimationCurves,
    marked: &[bool],
    warnings: &mut Warnings,
) -> GltfResult<Vec<Option<NodeFrame>>> {
    let mut placed: Vec<Option<(NodeFrame, CarrierMap)>> = nodes.iter().map(|_| None).collect();
    for &node in tree.order.iter().filter(|node| marked[**node]) {
        let entry = &nodes[node];
        let above = match tree.parents[node] {
            None => CarrierMap::WORLD,
            Some(parent) => match &placed[parent] {
                Some((_, rest)) => *rest,
                None => continue,
            },
        };
        placed[node] = Some(place(node, entry, &above, animation.curves.get(&node), warnings)?);
    }
    Ok(placed.into_iter().map(|placed| placed.map(|(frame, _)| frame)).collect())
}

/// The map from a frame to the moving frame that carries it: x -> rotation (linear x) + position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CarrierMap {
    /// The number of the carrier; `None`: the world.
    pub(crate) ancestor: Option<usize>,
    pub(crate) rotation: DQuat,
    pub(crate) position: DVec3,
    pub(crate) linear: DMat3,
}

impl CarrierMap {
    pub(crate) const WORLD: Self =
        Self { ancestor: None, rotation: DQuat::IDENTITY, position: DVec3::ZERO, linear: DMat3::IDENTITY };

    pub(crate) fn vector(&self, vector: DVec3) -> DVec3 {
        self.rotation * (self.linear * vector)
    }

    pub(crate) fn point(&self, point: DVec3) -> DVec3 {
        self.position + self.vector(point)
    }
}

/// The bits of a linear map, as a key. -0 becomes 0, so that equal maps have equal bits.
pub(crate) fn map_key(linear: DMat3) -> [u64; 9] {
    linear.to_cols_array().map(|x| (x + 0.0).to_bits())
}

fn place(
    number: usize,
    entry: &NodeEntry,
    above: &CarrierMap,
    curves: Option<&NodeCurves>,
    warnings: &mut Warnings,
) -> GltfResult<(NodeFrame, CarrierMap)> {
    let fault = |message: String| Fault::new(place_of(number, entry), message);
    let (translation, rotation, mut scale) = match local(number, entry, curves)? {
        Local::Matrix(matrix) => return placed(below_matrix(above, matrix), number, entry),
        Local::Parts { translation, rotation, scale } => (translation, rotation, scale),
    };
    let mut loose = Loose::default();
    let scale_curve = curves.and_then(|curves| curves.scale.as_ref());
    if let Some(curve) = scale_curve.filter(|curve| !is_constant(curve, DVec3::ZERO)) {
        let [lo, hi] = range(curve);
        scale = 0.5 * (lo + hi);
        // Half of the range, plus the rounding of the midpoint.
        let off = 0.5 * (hi - lo).max_element() + f64::EPSILON * scale.abs().max_element();
        let found = format!("its scale is animated, from {} to {}", scale_text(lo), scale_text(hi));
        loose = Loose { by: norm(above.linear) * off, found };
    }
    let length = rotation.length();
    if (length - 1.0).abs() > NONUNIT_SCALE {
        let (found, place) = (number_text(length), place_of(number, entry));
        warnings.push(format!("{place}: its rotation has the length {found}, expected 1; it is made 1"));
    }
    let moving = |curve: &&Curve<DVec3>| !is_constant(curve, DVec3::ZERO);
    let is_rotating = |curve: &&Curve<DQuat>| !is_constant(curve, DQuat::from_array([0.0; 4]));
    let moves = curves.and_then(|curves| curves.translation.as_ref()).filter(moving);
    let rotation_curve = curves.and_then(|curves| curves.rotation.as_ref()).filter(is_rotating);
    if moves.is_none() && rotation_curve.is_none() {
        let below = below_parts(above, translation, unit(rotation), scale);
        let (frame, rest) = placed(below, number, entry)?;
        return Ok((NodeFrame { loose, ..frame }, rest));
    }
    let position = match moves {
        Some(curve) => map(curve, |value| above.point(value), |value| above.vector(value)),
        None => Curve::constant(above.point(translation)),
    };
    let (rotation, linear) = match rotation_curve {
        None => {
            let rest = below_parts(above, DVec3::ZERO, unit(rotation), scale);
            (Curve::constant(rest.rotation), rest.linear)
        }
        Some(curve) => {
            let found = || {
                let lengths =
                    above.linear.to_cols_array_2d().map(|column| DVec3::from_array(column).length());
                let scale = scale_text(DVec3::from_array(lengths));
                format!("it turns below the scale {scale}, which differs with the direction")
            };
            let Some((rotation_part, factor, off)) = (match uniform_scale(above.linear) {
                Some(factor) => Some((DQuat::IDENTITY, factor, 0.0)),
                None => middle_factor(above.linear),
            }) else {
                return Err(fault(format!("{}{CHANGES}", found())));
            };
            if off > NEGLIGIBLE_DEVIATION * factor.abs() {
                let also = if loose.by > 0.0 { format!(", and {}", loose.found) } else { String::new() };
                let by = loose.by + off * scale.abs().max_element();
                loose = Loose { by, found: format!("{}{also}", found()) };
            }
            let rotation_part = above.rotation * rotation_part;
            let rotated = |value: DQuat| rotation_part * value;
            (map(curve, rotated, rotated), DMat3::from_diagonal(factor * scale))
        }
    };
    let motion = BodyMotion::Curves { position, rotation };
    let frame = NodeFrame { ancestor: above.ancestor, motion, linear, moves: true, loose };
    let rest = CarrierMap { ancestor: Some(number), linear, ..CarrierMap::WORLD };
    Ok((frame, rest))
}

/// Deviation of a quaternion's length from 1 above which there is a warning.
const NONUNIT_SCALE: f64 = 1e-3;

/// Relative differences below this are rounding errors of the seven digits in files.
const ROUNDING_OF_FILES: f64 = 1e-5;

/// The limit of the relative difference between a linear map and a rotation times a factor. A larger difference
/// puts every body off by more than [`MAX_DEVIATION`].
const NONUNIFORM_SCALE: f64 = 1e-2;

/// Maximum deviation of the shapes below a node due to the scales at the node, as a fraction of their size. It is
/// 1e-5, and half as much again because the bound of the distance from the node adds up the distances from joint to
/// joint.
const MAX_DEVIATION: f64 = 1.5e-5;

/// The end of a message about shapes that are not rigid.
const CHANGES: &str = ": the shapes below it would change with time";

/// Relative differences below this are rounding errors of our own arithmetic.
pub(crate) const NEGLIGIBLE_DEVIATION: f64 = 1e-12;

/// The frame of a static node with this map.
fn placed(rest: CarrierMap, number: usize, entry: &NodeEntry) -> GltfResult<(NodeFrame, CarrierMap)> {
    let CarrierMap { ancestor, rotation, position, linear } = rest;
    let pose = Pose::new(position, rotation)
        .map_err(|error| Fault::new(place_of(number, entry), error.to_string()))?;
    let motion = BodyMotion::Still(pose);
    Ok((NodeFrame { ancestor, motion, linear, moves: false, loose: Loose::default() }, rest))
}

fn below_parts(above: &CarrierMap, translation: DVec3, rotation: DQuat, scale: DVec3) -> CarrierMap {
    let position = above.point(translation);
    let scale = DMat3::from_diagonal(scale);
    match uniform_scale(above.linear) {
        Some(factor) => {
            let rotation = unit(above.rotation * rotation);
            CarrierMap { rotation, position, linear: factor * scale, ..*above }
        }
        None if rotation == DQuat::IDENTITY => {
            CarrierMap { position, linear: above.linear * scale, ..*above }
        }
        None => CarrierMap { position, linear: above.linear * DMat3::from_quat(rotation) * scale, ..*above },
    }
}

fn below_matrix(above: &CarrierMap, matrix: DAffine3) -> CarrierMap {
    let position = above.point(matrix.translation);
    CarrierMap { position, linear: above.linear * matrix.matrix3, ..*above }
}

/// Decomposes a linear map into a rotation and a factor, negative for a reflection, and returns the relative
/// difference; `None` if the map is of another kind.
pub(crate) fn rotation_and_factor(linear: DMat3) -> Option<(DQuat, f64, f64)> {
    nearest_rotation_and_factor(linear, ROUNDING_OF_FILES)
}

fn nearest_rotation_and_factor(linear: DMat3, maximum_error: f64) -> Option<(DQuat, f64, f64)> {
    if let Some(factor) = uniform_scale(linear) {
        return Some((DQuat::IDENTITY, factor, 0.0));
    }
    let largest = linear.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
    let scaled = linear * largest.recip();
    let squares = scaled.transpose() * scaled;
    let square = (squares.x_axis.x + squares.y_axis.y + squares.z_axis.z) / 3.0;
    let factor = square.sqrt().copysign(scaled.determinant());
    let error = squares * square.recip() - DMat3::IDENTITY;
    let error = error.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
    let rotation_part = DQuat::from_mat3(&(scaled * factor.recip())).normalize();
    (error <= maximum_error && rotation_part.is_finite()).then_some((rotation_part, factor * largest, error))
}

/// The rotation and the factor nearest to a linear map, and a bound of the difference for each unit of a vector's
/// length.
///
/// If the rotation P is nearest to G, P^T G is symmetric. Its eigenvalues are the factors in three directions; the
/// factor is the midpoint of the minimum and the maximum.
fn middle_factor(linear: DMat3) -> Option<(DQuat, f64, f64)> {
    let (rotation_part, factor, _) = nearest_rotation_and_factor(linear, NONUNIFORM_SCALE)?;
    // The first rotation, found entry by entry, deviates as much as the map does. Two steps of refinement are
    // enough.
    let mut rotation = DMat3::from_quat(rotation_part);
    for _ in 0..2 {
        let next = linear * factor.recip();
        let step = rotation.transpose() * next;
        let asymmetry = 0.5 * (step - step.transpose());
        rotation *= DMat3::IDENTITY + asymmetry;
        rotation = DMat3::from_quat(DQuat::from_mat3(&rotation).normalize());
    }
    let rotation_part = DQuat::from_mat3(&rotation).normalize();
    let rest = DMat3::from_quat(rotation_part).transpose() * linear * factor.signum()
        - DMat3::from_diagonal(DVec3::splat(factor.abs()));
    let (minimum, maximum) = eigenvalues(&rest);
    let skew = norm(0.5 * (rest - rest.transpose()));
    let middle = factor + factor.signum() * 0.5 * (minimum + maximum);
    let off = 0.5 * (maximum - minimum) + skew + 16.0 * f64::EPSILON * factor.abs();
    Some((rotation_part, middle, off))
}

/// Bounds of the minimum and maximum eigenvalue of the symmetric part of a matrix, by the trigonometric solution of its
/// characteristic polynomial: subtract the mean, scale to unit size; half of the determinant is then a cosine.
fn eigenvalues(matrix: &DMat3) -> (f64, f64) {
    let symmetric = 0.5 * (*matrix + matrix.transpose());
    let mean = (symmetric.x_axis.x + symmetric.y_axis.y + symmetric.z_axis.z) / 3.0;
    let rest = symmetric - DMat3::from_diagonal(DVec3::splat(mean));
    let size = rest.to_cols_array().map(|x| x * x).iter().sum::<f64>().sqrt() / 6.0_f64.sqrt();
    if size == 0.0 {
        return (mean, mean);
    }
    let angle = (0.5 * (rest * size.recip()).determinant()).clamp(-1.0, 1.0).acos() / 3.0;
    let maximum = mean + 2.0 * size * angle.cos();
    let minimum = mean + 2.0 * size * (angle + std::f64::consts::TAU / 3.0).cos();
    // If eigenvalues are equal, the angle is accurate only to the square root of the rounding, about 1e-8.
    (minimum - 1e-7 * size, maximum + 1e-7 * size)
}

/// The deviation of a mesh at a node that is not rigid: a bound, in metres, of the distance of each point of the
/// mesh from the place where its body has the point. `radius`: the maximum distance of the points from the origin of
/// the node; `sizes`: for each node, the size of all shapes below it.
///
/// # Errors
/// A deviation, because of the scales at a node, that exceeds [`MAX_DEVIATION`] of the size of the shapes below the
/// node.
pub(super) fn deviation(
    (node, radius, sizes): (usize, f64, &[f64]),
    (tree, nodes): (&NodeTree, &[NodeEntry]),
    animation: &AnimationCurves,
    frames: &[Option<NodeFrame>],
) -> GltfResult<f64> {
    let (mut radius, mut off) = (radius, 0.0);
    let mut next = Some(node);
    while let Some(number) = next {
        let curves = animation.curves.get(&number);
        let by = frames[number].as_ref().map_or(0.0, |frame| frame.loose.by);
        let (scaled_radius, translation_length) = match local(number, &nodes[number], curves)? {
            Local::Matrix(matrix) => (norm(matrix.matrix3) * radius, matrix.translation.length()),
            Local::Parts { translation, scale, .. } => {
                let maximum_value = |curve: Option<&Curve<DVec3>>, still: DVec3| {
                    let [lo, hi] = curve.map_or([still; 2], range);
                    lo.abs().max(hi.abs())
                };
                let scale = maximum_value(curves.and_then(|curves| curves.scale.as_ref()), scale);
                let translation_length =
                    maximum_value(curves.and_then(|curves| curves.translation.as_ref()), translation);
                (scale.max_element() * radius, translation_length.length())
            }
        };
        if by * radius > MAX_DEVIATION * sizes[number] {
            let found = frames[number].as_ref().map_or("", |frame| &frame.loose.found);
            let by = format!(", by up to {} m, more than 1e-5 of their size", rounded(by * radius, 2));
            return Err(Fault::new(place_of(number, &nodes[number]), format!("{found}{CHANGES}{by}")));
        }
        if by > 0.0 {
            off += by * radius;
        }
        (radius, next) = (scaled_radius + translation_length, tree.parents[number]);
    }
    // The bounds are rounded, and each bound takes the scales at the other nodes to be exact.
    off *= 1.001;
    Ok(if off > NEGLIGIBLE_DEVIATION * sizes[node] { off } else { 0.0 })
}

/// Bounds of the values of a curve: a cubic lies within the polygon of its control points.
fn range(curve: &Curve<DVec3>) -> [DVec3; 2] {
    let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    let widened = |[lo, hi]: [DVec3; 2], value: DVec3| [lo.min(value), hi.max(value)];
    let bounds = curve.values().into_iter().fold(start, widened);
    let Curve::Cubic(keys) = curve else { return bounds };
    keys.windows(2).fold(bounds, |bounds, pair| {
        let third = (pair[1].time - pair[0].time) / 3.0;
        let controls =
            [pair[0].value + third * pair[0].out_tangent, pair[1].value - third * pair[1].in_tangent];
        controls.into_iter().fold(bounds, widened)
    })
}

/// An upper bound of the magnitude of a curve's values.
pub(super) fn maximum_of_curve(curve: &Curve<f64>) -> f64 {
    let [lo, hi] = range(&map(curve, DVec3::splat, DVec3::splat));
    lo.x.abs().max(hi.x.abs())
}

/// An upper bound of the factor by which a linear map lengthens a vector.
fn norm(linear: DMat3) -> f64 {
    let factor = uniform_scale(linear).map(f64::abs);
    factor.unwrap_or_else(|| linear.to_cols_array().map(|x| x * x).iter().sum::<f64>().sqrt())
}

/// A scale for a message.
fn scale_text(scale: DVec3) -> String {
    format!("[{}]", scale.to_array().map(|x| rounded(x, 9)).join(", "))
}

/// Applies a map to the values of a curve, and its linear part to the derivatives.
fn map<T: Copy, U>(curve: &Curve<T>, value: impl Fn(T) -> U, map_tangent: impl Fn(T) -> U) -> Curve<U> {
    let keys = |keys: &[(f64, T)]| keys.iter().map(|(time, key)| (*time, value(*key))).collect();
    match curve {
        Curve::Step(steps) => Curve::Step(keys(steps)),
        Curve::Linear(points) => Curve::Linear(keys(points)),
        Curve::Cubic(keys) => Curve::Cubic(
            keys.iter()
                .map(|key| CubicKey {
                    time: key.time,
                    in_tangent: map_tangent(key.in_tangent),
                    value: value(key.value),
                    out_tangent: map_tangent(key.out_tangent),
                })
                .collect(),
        ),
    }
}
