//! Mass properties of the solid enclosed by a closed surface: volume, centre of mass and inertia, at density 1.
//!
//! The volume, the centre and the inertia are integrals of 1, x and x x^T over the interior. A closed mesh is a
//! signed sum of tetrahedra from one point to its triangles; the sign is the triangle's orientation. With s = a + b +
//! c and `d = det(a, b, c)`, the tetrahedron of 0, a, b and c contributes
//!
//! ```text
//! volume   d / 6            first moment   d s / 24            second moment   d (s s^T + a a^T + b b^T + c c^T) / 120
//! ```
//!
//! These formulas are exact. Two measures keep the rounding error small. First, every axis is scaled by a power of
//! two, so that the mesh fills about [-1, 1] along each: thin, tiny and huge meshes lose no digits. Second, the
//! point is first the centre of the bounding box, then the centre of mass computed from there.
//!
//! Primitives have closed formulas.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use crate::error::{Error, ErrorKind};
use crate::motion::Pose;
use crate::shape::mesh::Mesh;
use crate::shape::primitive::Primitive;

/// Volume, centre of mass and inertia of a solid body with uniform density 1.
///
/// At another density, the mass is the density times `volume`, and the inertia is the density times `inertia`.
///
/// ```
/// use chasles::{Primitive, glam::DVec3};
/// // A brick of 2 m x 1 m x 1 m at 1000 kg/m^3.
/// let brick = Primitive::Box { size: DVec3::new(2.0, 1.0, 1.0) }.mass_properties()?;
/// assert_eq!((1000.0 * brick.volume, brick.center), (2000.0, DVec3::ZERO));
/// // Its inertia about x is mass (b^2 + c^2) / 12.
/// assert!((1000.0 * brick.inertia.x_axis.x - 2000.0 * 2.0 / 12.0).abs() < 1e-9);
/// # Ok::<(), chasles::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// In cubic metres; greater than 0.
    pub volume: f64,
    /// The centre of mass, in metres, in the shape's frame.
    pub center: DVec3,
    /// The inertia about the centre of mass at density 1, along the axes of the shape's frame; symmetric. In metres
    /// to the fifth: times a density in kg/m^3 it is in kg m^2.
    pub inertia: DMat3,
    /// A bound of the error of `volume`, as a fraction of `volume`. For meshes and primitives it is the rounding
    /// error. For a solid made of parts or formulas it is the undecided fraction of the volume; it is at most 0.1,
    /// and the error of the centre is at most 1.2 `accuracy` times the diagonal of the solid's bounding box.
    pub accuracy: f64,
}

impl Mesh {
    /// Volume, centre of mass and inertia of the solid that the mesh encloses.
    ///
    /// Triangles count with their orientation: a region that the surface encloses twice counts twice, and an
    /// inward-oriented piece inside another is a cavity. A mesh that is inside out as a whole counts as if it were
    /// reversed.
    ///
    /// # Errors
    /// [`ErrorKind::NotClosed`]: an edge does not have exactly two triangles. [`ErrorKind::InconsistentOrientation`]:
    /// two triangles at an edge have opposite orientations. [`ErrorKind::OutOfRange`]: the volume is 0, or cannot be
    /// distinguished from 0 because of rounding; inward-oriented pieces outweigh the others; or numbers are too
    /// large or too small for a double.
    pub fn mass_properties(&self) -> Result<MassProperties, Error> {
        self.check_consistent_orientation()?;
        let [lower, upper] = self.bounds();
        let centre = self.centre();
        let scale = power_of_two((upper - centre).max(centre - lower));
        if scale.min_element() == 0.0 {
            return no_volume(0.0, "mesh");
        }
        let sum = |reference: DVec3| {
            let mut moments = VolumeMoments::default();
            let mut roundings = 0.0;
            for triangle in self.triangles() {
                let [a, b, c] = triangle.map(|v| self.local()[v as usize] / scale - reference);
                moments.tetrahedron([a, b, c]);
                roundings += (a.length() + 2.0) * (b - a).length() * (c - a).length();
            }
            // See `roundings_are_bounded`: some 16 rounding errors of each product of three lengths, divided by 6;
            // and every corner has a few rounding errors, which change the volume by that length times the area.
            (moments, 4.0 * f64::EPSILON * roundings)
        };
        let (about_box, bound) = sum(DVec3::ZERO);
        if is_nothing(about_box.volume(), bound) {
            return no_volume(about_box.volume().abs() * volume_scale(scale), "mesh");
        }
        let reference = about_box.first() / about_box.volume();
        let (moments, bound) = sum(reference);
        let volume = moments.volume();
        if is_nothing(volume, bound) {
            return no_volume(volume.abs() * volume_scale(scale), "mesh");
        }
        let off = moments.first() / volume;
        let center = centre + scale * (reference + off);
        let sign = volume.signum();
        let central = sign * (moments.second() - volume * outer(off, off));
        let accuracy = bound / volume.abs() + 4.0 * f64::EPSILON;
        let volume = volume.abs() * volume_scale(scale);
        let found = MassProperties::of(volume, center, scaled(central, scale), "mesh")?;
        let least = minimum_minor(&central);
        if least < -(LOST + 64.0 * accuracy) {
            return Error::out_of_range(least, TURNED_OUTWARDS, "mesh");
        }
        Ok(found.with_accuracy(accuracy))
    }

    /// Rejects an edge that does not have exactly two triangles, one in each direction. An edge from a vertex to
    /// itself is ignored.
    pub(crate) fn check_consistent_orientation(&self) -> Result<(), Error> {
        // The number of triangles that use each edge, and how many more use it from the lower vertex than from the
        // higher.
        let mut uses = vec![(0_u32, 0_i32); self.edges().len()];
        for (triangle, edges) in self.triangles().iter().zip(self.triangle_edges()) {
            for (corner, edge) in edges.iter().enumerate() {
                let (count, turn) = &mut uses[*edge as usize];
                *count = count.saturating_add(1);
                let is_upward = triangle[corner] < triangle[(corner + 1) % 3];
                *turn = turn.saturating_add(if is_upward { 1 } else { -1 });
            }
        }
        let joining = || self.edges().iter().zip(&uses).filter(|([v, w], _)| v != w);
        if joining().any(|(_, (count, _))| *count != 2) {
            return Err(Error::new(ErrorKind::NotClosed, "mesh"));
        }
        match joining().find(|(_, (_, turn))| *turn != 0) {
            Some((edge, _)) => Err(Error::new(ErrorKind::InconsistentOrientation { edge: *edge }, "mesh")),
            None => Ok(()),
        }
    }
}

const TURNED_OUTWARDS: &str = "a mesh turned outwards: pieces that are turned inwards outweigh the others";

/// Rounding of a minor, in addition to the error of the volume: a thin body in oblique axes has a minor near 0.
const LOST: f64 = 1e-9;

/// The smallest principal minor of a second moment, in axes in which its diagonal is 1. The second moment of a body
/// with positive density is positive definite, so its minors are positive.
fn minimum_minor(second: &DMat3) -> f64 {
    let axes = [second.x_axis.x, second.y_axis.y, second.z_axis.z].map(f64::sqrt);
    let across = |i: usize, j: usize| second.col(i)[j] / axes[i] / axes[j];
    let [xy, yz, zx] = [across(0, 1), across(1, 2), across(2, 0)];
    let squares = [xy * xy, yz * yz, zx * zx];
    let determinant = 1.0 + 2.0 * xy * yz * zx - squares.iter().sum::<f64>();
    squares.iter().map(|square| 1.0 - square).fold(determinant, f64::min)
}

/// Whether a volume cannot be distinguished from 0. A NaN counts as 0.
fn is_nothing(volume: f64, bound: f64) -> bool {
    volume.is_nan() || volume.abs() <= bound
}

impl Primitive {
    /// Volume, centre of mass and inertia of the true primitive, not of its tessellation.
    ///
    /// # Errors
    /// As [`tessellate`](Self::tessellate); or sizes are so large or so small that the inertia is out of the range
    /// of doubles.
    pub fn mass_properties(&self) -> Result<MassProperties, Error> {
        self.check()?;
        let around = |volume: f64, [x, y, z]: [f64; 3]| {
            (volume, DVec3::ZERO, volume * DMat3::from_diagonal(DVec3::new(x, y, z)))
        };
        // The second moments of a shape of volume 1 about its centre: means of x^2, y^2 and z^2.
        let (volume, center, second) = match *self {
            Self::Box { size } => around(volume_scale(size), (size * size / 12.0).to_array()),
            Self::Sphere { radius: r } => around(4.0 / 3.0 * PI * r * r * r, [r * r / 5.0; 3]),
            Self::Cylinder { radius: r, height: h } => {
                around(volume_scale(DVec3::new(PI * r, r, h)), [r * r / 4.0, r * r / 4.0, h * h / 12.0])
            }
            Self::Cone { radius: r, height: h } => {
                let volume = volume_scale(DVec3::new(PI * r, r, h)) / 3.0;
                let side = 3.0 / 20.0 * r * r;
                let (volume, _, second) = around(volume, [side, side, 3.0 / 80.0 * h * h]);
                // A quarter of the height above the base, which is at -h/2.
                (volume, DVec3::new(0.0, 0.0, -0.25 * h), second)
            }
            Self::Capsule { radius: r, height: h } => {
                let (middle, ends) = (volume_scale(DVec3::new(PI * r, r, h)), 4.0 / 3.0 * PI * r * r * r);
                let side = middle * (r * r / 4.0) + ends * (r * r / 5.0);
                // A hemisphere has its centre 3 r / 8 above its flat side, which is at h / 2.
                let along = middle * (h * h / 12.0) + ends * (h * h / 4.0 + 3.0 / 8.0 * h * r + r * r / 5.0);
                (middle + ends, DVec3::ZERO, DMat3::from_diagonal(DVec3::new(side, side, along)))
            }
        };
        MassProperties::of(volume, center, second, "primitive").map(|found| found.with_accuracy(1e-15))
    }
}

impl MassProperties {
    /// From the second moment about the centre of mass.
    pub(crate) fn of(volume: f64, center: DVec3, central: DMat3, place: &'static str) -> Result<Self, Error> {
        let [x, y, z] = [central.x_axis.x, central.y_axis.y, central.z_axis.z];
        if volume.is_normal() && [x, y, z].iter().any(|moment| *moment < 0.0) {
            return Error::out_of_range(x.min(y).min(z), TURNED_OUTWARDS, place);
        }
        let [xy, yz, zx] = [central.x_axis.y, central.y_axis.z, central.z_axis.x];
        let inertia = DMat3::from_cols_array_2d(&[[y + z, -xy, -zx], [-xy, z + x, -yz], [-zx, -yz, x + y]]);
        let found = Self { volume, center, inertia, accuracy: 0.0 };
        found.checked(place)
    }

    pub(crate) fn with_accuracy(self, accuracy: f64) -> Self {
        Self { accuracy, ..self }
    }

    /// The same body scaled by a factor, then placed at a pose.
    ///
    /// # Errors
    /// Numbers are too large or too small for a double; or the scale is not greater than 0.
    pub fn placed(&self, pose: &Pose, scale: f64) -> Result<Self, Error> {
        crate::error::check_positive(scale, "scale")?;
        let turn = DMat3::from_quat(pose.rotation());
        let larger = self.inertia * scale * scale * scale * (scale * scale);
        let turned = turn * larger * turn.transpose();
        let placed = Self {
            volume: self.volume * scale * scale * scale,
            center: pose.transform_point(scale * self.center),
            // Restores symmetry, which rounding breaks.
            inertia: 0.5 * (turned + turned.transpose()),
            accuracy: self.accuracy + 8.0 * f64::EPSILON,
        };
        placed.checked("mass properties")
    }

    /// Rejects numbers that have lost their digits, or are NaN.
    fn checked(self, place: &'static str) -> Result<Self, Error> {
        if self.volume <= 0.0 || self.volume.is_nan() {
            return no_volume(self.volume, place);
        }
        let diagonal = [self.inertia.x_axis.x, self.inertia.y_axis.y, self.inertia.z_axis.z];
        let lost = [self.volume].into_iter().chain(diagonal).find(|number| !number.is_normal());
        match lost {
            Some(number) => {
                let expected =
                    "a volume and an inertia that are neither too large nor too small for a double";
                Error::out_of_range(number, expected, place)
            }
            None if !self.center.is_finite() => Error::out_of_range(f64::NAN, "a centre of mass", place),
            None => Ok(self),
        }
    }
}

#[cold]
pub(crate) fn no_volume<T>(found: f64, place: &'static str) -> Result<T, Error> {
    Error::out_of_range(found, "a volume greater than 0", place)
}

/// Integrals of 1, x and x x^T: the volume, the first and the second moment. Each is a compensated sum (Neumaier
/// 1974), so that a million terms lose no more digits than a few.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct VolumeMoments {
    sums: [f64; 10],
    lost: [f64; 10],
}

/// The index pairs of xx, yy, zz, xy, yz, zx.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)];

impl VolumeMoments {
    /// From a volume with its first and second moment.
    pub(crate) fn new(volume: f64, first: DVec3, second: &DMat3) -> Self {
        let mut moments = Self::default();
        let second = PAIRS.map(|(i, j)| second.col(j)[i]);
        moments.add_terms([volume, first.x, first.y, first.z], second);
        moments
    }

    /// Adds the tetrahedron from 0 to a triangle, signed by the triangle's orientation.
    pub(crate) fn tetrahedron(&mut self, [a, b, c]: [DVec3; 3]) {
        let d = a.dot((b - a).cross(c - a));
        let s = a + b + c;
        let first = d / 24.0 * s;
        let second = PAIRS.map(|(i, j)| d / 120.0 * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]));
        self.add_terms([d / 6.0, first.x, first.y, first.z], second);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for part in [other.sums, other.lost] {
            let [v, x, y, z, second @ ..] = part;
            self.add_terms([v, x, y, z], second);
        }
    }

    fn add_terms(&mut self, [v, x, y, z]: [f64; 4], [p, q, r, s, t, u]: [f64; 6]) {
        for (place, term) in [v, x, y, z, p, q, r, s, t, u].into_iter().enumerate() {
            let before = self.sums[place];
            let sum = before + term;
            self.lost[place] +=
                if before.abs() >= term.abs() { (before - sum) + term } else { (term - sum) + before };
            self.sums[place] = sum;
        }
    }

    fn at(&self, place: usize) -> f64 {
        self.sums[place] + self.lost[place]
    }

    pub(crate) fn volume(&self) -> f64 {
        self.at(0)
    }

    pub(crate) fn first(&self) -> DVec3 {
        DVec3::new(self.at(1), self.at(2), self.at(3))
    }

    pub(crate) fn second(&self) -> DMat3 {
        let [xx, yy, zz, xy, yz, zx] = [4, 5, 6, 7, 8, 9].map(|place| self.at(place));
        DMat3::from_cols_array_2d(&[[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    }

    /// The moments of the same matter moved by a vector.
    pub(crate) fn moved(&self, by: DVec3) -> Self {
        let (volume, first) = (self.volume(), self.first());
        let second = self.second() + outer(by, first) + outer(first, by) + volume * outer(by, by);
        Self::new(volume, first + volume * by, &second)
    }

    /// The moments of the same matter scaled along each axis.
    pub(crate) fn scaled_along_axes(&self, by: DVec3) -> Self {
        let by_volume = volume_scale(by);
        Self::new(self.volume() * by_volume, self.first() * by_volume * by, &scaled(self.second(), by))
    }
}

/// The second moment of matter that is scaled along each axis.
fn scaled(second: DMat3, by: DVec3) -> DMat3 {
    let of_volume = second * volume_scale(by);
    let column = |j: usize| of_volume.col(j) * by * by[j];
    DMat3::from_cols(column(0), column(1), column(2))
}

/// x y z, in an order in which it overflows or underflows only if the result does.
fn volume_scale(v: DVec3) -> f64 {
    let (smallest, largest) = (v.min_element(), v.max_element());
    let mut sorted = v.to_array();
    sorted.sort_unstable_by(f64::total_cmp);
    smallest * largest * sorted[1]
}

pub(crate) fn outer(p: DVec3, q: DVec3) -> DMat3 {
    DMat3::from_cols(p * q.x, p * q.y, p * q.z)
}

/// For each positive coordinate the largest power of two that does not exceed it; 0 below 1e-307.
fn power_of_two(v: DVec3) -> DVec3 {
    DVec3::from_array(v.to_array().map(|x| f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000)))
}
