//! From nodes to rigid frames: scales are brought down into the meshes, curves into the frames of what carries them.
//!
//! A node that stands still in its parent's frame is no frame of its own. What stands between a mesh and the nearest node
//! above that moves is x -> R (G x) + p, with a rotation R, a linear map G, which goes into the vertices of the mesh, and a
//! position p. A node below that moves by T(t) and turns by Q(t), with the scale S, moves in the frame of what carries it by
//!
//! ```text
//! x -> p + R G T(t) + R G Q(t) S x
//! ```
//!
//! That is rigid with the scale s S for its meshes where G = s, mirrors (s < 0) included, or G = s P with a rotation P, which
//! goes to R. Where only T changes, any G will do. Otherwise the shape would change with time.

use chasles::{BodyMotion, CubicKey, Curve, Pose};
use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::animation::{Animation, NodeCurves, is_constant};
use super::document::NodeEntry;
use super::fault::{Fault, Found, Warnings};
use super::hierarchy::{Local, Tree, local, place_of, scalar, unit};
use crate::figures::rounded;
use crate::text::tree::number_text;

/// Where a node is, as seen from the nearest node above that moves, or from the world.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Frame {
    /// The node that moves and carries this one; none: the world.
    pub(super) carrier: Option<usize>,
    pub(super) motion: BodyMotion,
    /// What brings the vertices of this node's mesh into its frame.
    pub(super) linear: DMat3,
    /// Whether `motion` changes with time.
    pub(super) moves: bool,
}

/// The frames of those nodes of the scene that are marked; what they hang on must be marked too. None for the others.
pub(super) fn frames(
    tree: &Tree,
    nodes: &[NodeEntry],
    animation: &Animation,
    marked: &[bool],
    warnings: &mut Warnings,
) -> Found<Vec<Option<Frame>>> {
    let mut placed: Vec<Option<(Frame, Rest)>> = nodes.iter().map(|_| None).collect();
    for &node in tree.order.iter().filter(|node| marked[**node]) {
        let entry = &nodes[node];
        let above = match tree.parents[node] {
            None => Rest {
                carrier: None,
                rotation: DQuat::IDENTITY,
                position: DVec3::ZERO,
                linear: DMat3::IDENTITY,
            },
            Some(parent) => match &placed[parent] {
                Some((_, rest)) => *rest,
                None => continue,
            },
        };
        placed[node] = Some(place(node, entry, &above, animation.curves.get(&node), warnings)?);
    }
    Ok(placed.into_iter().map(|placed| placed.map(|(frame, _)| frame)).collect())
}

/// What stands between a node's frame and what carries it: x -> rotation (linear x) + position.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rest {
    carrier: Option<usize>,
    rotation: DQuat,
    position: DVec3,
    linear: DMat3,
}

fn place(
    number: usize,
    entry: &NodeEntry,
    above: &Rest,
    curves: Option<&NodeCurves>,
    warnings: &mut Warnings,
) -> Found<(Frame, Rest)> {
    let fault = |message: String| Fault::new(place_of(number, entry), message);
    let scale_curve = curves.and_then(|curves| curves.scale.as_ref());
    if scale_curve.is_some_and(|curve| !is_constant(curve, DVec3::ZERO)) {
        return Err(fault("its scale is animated: the shapes below it would change with time".into()));
    }
    let (translation, rotation, scale) = match local(number, entry, curves)? {
        Local::Matrix(matrix) => return below_matrix(above, matrix).placed(number, entry),
        Local::Parts { translation, rotation, scale } => (translation, rotation, scale),
    };
    let length = rotation.length();
    if (length - 1.0).abs() > FAR_FROM_UNIT {
        let (found, place) = (number_text(length), place_of(number, entry));
        warnings.push(format!("{place}: its rotation has the length {found}, expected 1; it is made 1"));
    }
    let moving = |curve: &&Curve<DVec3>| !is_constant(curve, DVec3::ZERO);
    let turning = |curve: &&Curve<DQuat>| !is_constant(curve, DQuat::from_array([0.0; 4]));
    let moves = curves.and_then(|curves| curves.translation.as_ref()).filter(moving);
    let turns = curves.and_then(|curves| curves.rotation.as_ref()).filter(turning);
    if moves.is_none() && turns.is_none() {
        return below_parts(above, translation, unit(rotation), scale).placed(number, entry);
    }
    let to_carrier = |vector: DVec3| above.rotation * (above.linear * vector);
    let position = match moves {
        Some(curve) => map(curve, |value| above.position + to_carrier(value), to_carrier),
        None => Curve::constant(above.position + to_carrier(translation)),
    };
    let (rotation, linear) = match turns {
        None => {
            let rest = below_parts(above, DVec3::ZERO, unit(rotation), scale);
            (Curve::constant(rest.rotation), rest.linear)
        }
        Some(curve) => {
            let Some((turn, factor, error)) = turn_and_factor(above.linear) else {
                let message = "it turns below a scale that differs with the direction: \
                               the shapes below it would change with time";
                return Err(fault(message.into()));
            };
            if error > NOT_WORTH_A_WORD {
                let place = place_of(number, entry);
                let what = "it turns below a scale that differs with the direction";
                let error = rounded(error, 2);
                warnings.push(format!("{place}: {what} by {error} of it, which is taken for rounding"));
            }
            let turn = above.rotation * turn;
            let turned = |value: DQuat| turn * value;
            (map(curve, turned, turned), DMat3::from_diagonal(factor * scale))
        }
    };
    let motion = BodyMotion::Curves { position, rotation };
    let frame = Frame { carrier: above.carrier, motion, linear, moves: true };
    let rest = Rest { carrier: Some(number), rotation: DQuat::IDENTITY, position: DVec3::ZERO, linear };
    Ok((frame, rest))
}

/// A rotation may differ so much from a unit quaternion before it is worth a warning.
const FAR_FROM_UNIT: f64 = 1e-3;

/// Files hold numbers of seven digits; what differs by less is one of their roundings.
const ROUNDING_OF_FILES: f64 = 1e-5;

/// Differences that our own arithmetic makes.
pub(crate) const NOT_WORTH_A_WORD: f64 = 1e-12;

impl Rest {
    /// The frame of a node that stands still in this place.
    fn placed(self, number: usize, entry: &NodeEntry) -> Found<(Frame, Self)> {
        let pose = Pose::new(self.position, self.rotation)
            .map_err(|error| Fault::new(place_of(number, entry), error.to_string()))?;
        let motion = BodyMotion::Still(pose);
        let frame = Frame { carrier: self.carrier, motion, linear: self.linear, moves: false };
        Ok((frame, self))
    }
}

fn below_parts(above: &Rest, translation: DVec3, rotation: DQuat, scale: DVec3) -> Rest {
    let position = above.position + above.rotation * (above.linear * translation);
    let scale = DMat3::from_diagonal(scale);
    match scalar(above.linear) {
        Some(factor) => {
            let rotation = unit(above.rotation * rotation);
            Rest { rotation, position, linear: factor * scale, ..*above }
        }
        None if rotation == DQuat::IDENTITY => Rest { position, linear: above.linear * scale, ..*above },
        None => Rest { position, linear: above.linear * DMat3::from_quat(rotation) * scale, ..*above },
    }
}

fn below_matrix(above: &Rest, matrix: DAffine3) -> Rest {
    let position = above.position + above.rotation * (above.linear * matrix.translation);
    Rest { position, linear: above.linear * matrix.matrix3, ..*above }
}

/// A linear map as a rotation and a factor, negative for a mirror, and how far it differs from them (as a share); none where
/// it is something else.
pub(crate) fn turn_and_factor(linear: DMat3) -> Option<(DQuat, f64, f64)> {
    if let Some(factor) = scalar(linear) {
        return Some((DQuat::IDENTITY, factor, 0.0));
    }
    let largest = linear.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
    let scaled = linear * largest.recip();
    let squares = scaled.transpose() * scaled;
    let square = (squares.x_axis.x + squares.y_axis.y + squares.z_axis.z) / 3.0;
    let factor = square.sqrt().copysign(scaled.determinant());
    let error = squares * square.recip() - DMat3::IDENTITY;
    let error = error.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
    let turn = DQuat::from_mat3(&(scaled * factor.recip())).normalize();
    (error <= ROUNDING_OF_FILES && turn.is_finite()).then_some((turn, factor * largest, error))
}

/// The curve under a map of its values, which maps derivatives by its linear part.
fn map<T: Copy, U>(curve: &Curve<T>, value: impl Fn(T) -> U, slope: impl Fn(T) -> U) -> Curve<U> {
    let keys = |keys: &[(f64, T)]| keys.iter().map(|(time, key)| (*time, value(*key))).collect();
    match curve {
        Curve::Step(steps) => Curve::Step(keys(steps)),
        Curve::Linear(points) => Curve::Linear(keys(points)),
        Curve::Cubic(keys) => Curve::Cubic(
            keys.iter()
                .map(|key| CubicKey {
                    time: key.time,
                    in_tangent: slope(key.in_tangent),
                    value: value(key.value),
                    out_tangent: slope(key.out_tangent),
                })
                .collect(),
        ),
    }
}
