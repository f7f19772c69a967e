//! Warnings about implausible sizes of links, such as a mesh in millimetres that is read as metres, or a unit that
//! is applied twice.
//!
//! The size of a link is compared with the largest other length: the sizes of the other links, the offsets of joints
//! from their parent links, and the ranges of prismatic joints.

use std::path::Path;

use chasles::{Joint, JointAxis, Link};

use super::document::{LinkEntry, UrdfGeometry, UrdfSurface};
use super::shapes::UrdfShapes;
use crate::error::{Error, Warnings};
use crate::figures::rounded;
use crate::scene::units::likely_millimetres;

/// A link that is more than 10 times as large as all other lengths is too large. A mesh that states its unit and has a
/// scale is too small if it is less than a tenth of the largest other length.
const TIMES: f64 = 10.0;
/// A mesh that is more than 50 times as large as the largest offset of a joint is too large, whatever the size of other
/// links.
const OFFSETS: f64 = 50.0;
/// Only links larger than this, in metres, may be too large.
const LARGE: f64 = 2.0;
/// Only meshes smaller than this, in metres, may be too small.
const SMALL: f64 = 1.5e-3;
/// A mesh below [`SMALL`] is too small if the largest other length is more than 100 times its size.
const SMALLER: f64 = 100.0;
/// A box thinner than this fraction of its length may be the ground.
const FLAT: f64 = 0.02;

/// Warns of parts of links that are far larger or smaller than the rest.
pub(super) fn warn(
    path: &Path,
    (entries, links): (&[LinkEntry], &[Link]),
    joints: &[Joint],
    shapes: &mut UrdfShapes<'_>,
    warnings: &mut Warnings,
) {
    let sizes: Vec<f64> = links.iter().map(size).collect();
    let slides = |joint: &Joint| match (joint.axis, joint.limits) {
        (Some(JointAxis::Prismatic(_)), Some([minimum, maximum])) => maximum - minimum,
        _ => 0.0,
    };
    let offsets = joints.iter().map(|joint| joint.origin.position().length().max(slides(joint)));
    let offset = offsets.fold(0.0, f64::max);
    for (number, (entry, link)) in entries.iter().zip(links).enumerate() {
        let others = sizes.iter().enumerate().filter(|(other, _)| *other != number).map(|(_, size)| *size);
        let largest = others.fold(offset, f64::max);
        for (surface, element) in entry.surfaces.iter().zip(&link.elements) {
            let across = element.shape.diagonal();
            let what = match &surface.geometry {
                // The mesh reader warns about such a mesh itself.
                UrdfGeometry::Mesh { .. } if !likely_millimetres(&[across]).is_empty() => None,
                _ if is_large(surface, across, (largest, offset)) => Some(large(surface, shapes)),
                UrdfGeometry::Mesh { .. } => small(surface, across, largest, shapes),
                UrdfGeometry::Primitive(_) => None,
            };
            if let Some(what) = what {
                let [across, largest] = [across, largest].map(|length| rounded(length, 3));
                let what = format!("its size is {across} m, beside {largest} m of the rest: {what}");
                warnings.push(Error::key(path, surface.key.clone(), surface.line, what));
            }
        }
    }
}

/// The size of a link: the diagonal of its largest part.
fn size(link: &Link) -> f64 {
    link.elements.iter().map(|element| element.shape.diagonal()).fold(0.0, f64::max)
}

fn is_large(surface: &UrdfSurface, across: f64, (largest, offset): (f64, f64)) -> bool {
    let beside = |length: f64, times: f64| length > 0.0 && across > times * length;
    let among_all_large = matches!(surface.geometry, UrdfGeometry::Mesh { .. }) && beside(offset, OFFSETS);
    let is_ground = match &surface.geometry {
        UrdfGeometry::Primitive(chasles::Primitive::Box { size }) => {
            size.min_element() < FLAT * size.max_element()
        }
        UrdfGeometry::Primitive(_) | UrdfGeometry::Mesh { .. } => false,
    };
    across > LARGE && !is_ground && (beside(largest, TIMES) || among_all_large)
}

/// The likely remedy for a part that is too large.
fn large(surface: &UrdfSurface, shapes: &mut UrdfShapes<'_>) -> &'static str {
    match &surface.geometry {
        UrdfGeometry::Mesh { .. } if shapes.states_unit(surface) => {
            "its file states its unit, which counts: if the file is in millimetres none the less, it needs \
             scale=\"0.001 0.001 0.001\""
        }
        UrdfGeometry::Mesh { .. } => "if its file is in millimetres, it needs scale=\"0.001 0.001 0.001\"",
        UrdfGeometry::Primitive(_) => "sizes are in metres",
    }
}

/// The likely remedy for a mesh that is too small; `None`: the mesh is not too small.
fn small(
    surface: &UrdfSurface,
    across: f64,
    largest: f64,
    shapes: &mut UrdfShapes<'_>,
) -> Option<&'static str> {
    let UrdfGeometry::Mesh { scale, .. } = &surface.geometry else { return None };
    let is_scaled = scale.abs().max_element() <= 0.1;
    if is_scaled && TIMES * across < largest && shapes.states_unit(surface) {
        return Some("its file states its unit, which counts, and scale counts too: it needs no scale");
    }
    let is_tiny = across > 0.0 && across < SMALL && SMALLER * across < largest;
    match is_scaled {
        _ if !is_tiny => None,
        true => Some("if its file is in metres, it needs no scale"),
        false => Some("its file seems to be in another unit than metres: scale counts"),
    }
}
