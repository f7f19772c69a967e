//! The motion of body A relative to body B, in coordinates close to the pair.

use glam::{DMat3, DVec3};

use crate::math::rounding::{Lengths, of_motion};
use crate::math::screw_function::Basis;
use crate::motion::Screw;
use crate::motion::helix::Helix;
use crate::shape::Mesh;

/// The motion of A's vertices relative to a static B.
///
/// Coordinates have B's axes and their origin at the centre of B's mesh; A's vertices are relative to the centre of
/// A's mesh. So neither loses digits if the origins of the bodies' frames are far away.
#[derive(Debug, Clone)]
pub(crate) struct ScrewMotion {
    /// Angle of the screw.
    pub(crate) angle: f64,
    /// Unit direction of its axis.
    pub(crate) direction: DVec3,
    /// Angular velocity.
    pub(crate) omega: DVec3,
    /// Velocity along the axis.
    pub(crate) slide: DVec3,
    /// The centre of A at t = 0.
    pub(crate) offset: DVec3,
    /// Velocity across the axis, at t = 0, of the centre of A.
    pub(crate) velocity: DVec3,
    /// A's axes at t = 0, and their first and second derivatives by sigma and kappa.
    pub(crate) rotation: [DMat3; 3],
    /// Bound of every coordinate in a query.
    pub(crate) reach: f64,
    /// Bound of the error of every computed position, in metres: rounding and, if the motion is not known exactly,
    /// its deviation.
    pub(crate) rounding: f64,
    /// The part of `rounding` that is deviation, in metres.
    pub(crate) deviation: f64,
}

impl ScrewMotion {
    /// The motion of mesh `a` along `screw`, which is given in the frame of mesh `b`.
    pub(crate) fn new(a: &Mesh, b: &Mesh, screw: &Screw) -> Self {
        let start = screw.start();
        let rotation = screw.start_rotation();
        let omega = screw.omega();
        let rotated_centre = rotation * a.centre();
        // The two large terms cancel before the small one is added.
        let offset = (start.position() - b.centre()) + rotated_centre;
        let velocity = screw.velocity_across_at(rotated_centre);
        let slide = screw.slide() * screw.direction();
        let cross =
            |m: DMat3| DMat3::from_cols(omega.cross(m.x_axis), omega.cross(m.y_axis), omega.cross(m.z_axis));
        let (first, radius) = (cross(rotation), a.radius());
        let across = velocity.length() + screw.angle() * radius;
        let chord = if screw.angle() > 2.0 { 2.0 / screw.angle() } else { 1.0 };
        let reach = offset.length() + radius + b.radius() + slide.length() + across * chord;
        // Meshes are exact, and so are given poses; A's vertices are rotated, and its centre with them.
        let arm = a.centre().length() + radius;
        let lengths = Lengths { reach, across, arm, lever: screw.lever(), angle: screw.angle() };
        let rounding = of_motion(&lengths) + screw.rounding(arm);
        Self {
            angle: screw.angle(),
            direction: screw.direction(),
            omega,
            slide,
            offset,
            velocity,
            rotation: [rotation, first, cross(first)],
            reach,
            rounding,
            deviation: 0.0,
        }
    }

    /// The same motion, if the true motion may deviate from it by `deviation` metres.
    pub(crate) fn within(self, deviation: f64) -> Self {
        Self { rounding: self.rounding + deviation, deviation, ..self }
    }

    /// The basis functions at time t.
    #[inline]
    pub(crate) fn basis(&self, t: f64) -> Basis {
        Basis::at(self.angle, t)
    }

    /// Rotates a vector of A's frame to t = 0.
    #[inline]
    pub(crate) fn rotated(&self, local: DVec3) -> DVec3 {
        self.rotation[0] * local
    }

    /// A's axes at a time.
    pub(crate) fn rotation_at(&self, basis: &Basis) -> DMat3 {
        let [r, first, second] = self.rotation;
        r + first * basis.sigma + second * basis.kappa
    }

    /// The position at t = 0 of a point of A given relative to its centre.
    #[inline]
    pub(crate) fn placed(&self, local: DVec3) -> DVec3 {
        self.offset + self.rotated(local)
    }

    /// The path of a point of A given relative to its centre.
    #[inline]
    pub(crate) fn path(&self, local: DVec3) -> Helix {
        let arm = self.rotated(local);
        let u = self.velocity + self.omega.cross(arm);
        Helix { start: self.offset + arm, slide: self.slide, u, w: self.omega.cross(u) }
    }

    /// The path of a static point of B relative to A, in the coordinates of t = 0: the inverse motion, in which the
    /// terms in t and sigma change sign and the term in kappa does not.
    #[inline]
    pub(crate) fn path_seen_from_a(&self, point: DVec3) -> Helix {
        let u = self.velocity + self.omega.cross(point - self.offset);
        Helix { start: point, slide: -self.slide, u: -u, w: self.omega.cross(u) }
    }
}
