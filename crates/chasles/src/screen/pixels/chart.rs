//! The chart of a screw: coordinates of space in which the flow is a translation, and the screen in these
//! coordinates.
//!
//! Buss's screen has the distance r from the axis and the height h across the flow. Both lose their digits if the
//! axis is far away, and h is undefined on the axis if the slide is zero. This chart has its origin at a distance R =
//! 1/k from the axis, where R is at least the size of the bodies:
//!
//! ```text
//! rho = r - R        u = R theta        w = (v z - d u) / S        tau = (v u + d z) / S^2
//! ```
//!
//! with v = b R the speed across the axis at the origin, d the slide, S = sqrt(v^2 + d^2). Along the flow rho and w
//! are constant and tau grows with time. For k = 0 this is the planar screen of a translation. h is a length at every
//! radius, w only at the origin: h = g w with g = (1 + k rho) S / sqrt(v^2 (1 + k rho)^2 + d^2).

use std::f64::consts::TAU;
use std::ops::RangeInclusive;

use glam::DVec3;

use crate::features::screw_motion::ScrewMotion;
use crate::math::direction::unit_along;
use crate::math::time_interval::TimeInterval;

/// The chart of a screw.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PixelChart {
    origin: DVec3,
    /// Unit vectors: away from the axis, across the axis along the flow, along the axis.
    axes: [DVec3; 3],
    /// k = 1/R, the inverse of the origin's distance from the axis.
    curvature: f64,
    /// v / S and d / S.
    direction: [f64; 2],
    /// S, the speed at the origin, in metres for the whole motion.
    pub(crate) speed: f64,
    /// The change of u in a whole turn, in metres; infinite in a translation.
    turn: f64,
}

/// A point in the chart, in metres.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Spot {
    pub(crate) rho: f64,
    pub(crate) u: f64,
    pub(crate) z: f64,
}

/// A box on the screen, with an interval of tau.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ChartExtent {
    pub(crate) rho: [f64; 2],
    pub(crate) w: [f64; 2],
    pub(crate) tau: [f64; 2],
}

/// The change of w and tau after some turns.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Shift {
    pub(crate) w: f64,
    pub(crate) tau: f64,
}

/// Upper bounds of the second derivatives of chart coordinates along a straight line of unit length across the axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ChartCurvature {
    pub(crate) rho: f64,
    pub(crate) w: f64,
    pub(crate) tau: f64,
}

impl PixelChart {
    /// The chart of a motion with its origin near `near`, at least `size` metres from the axis. `None` without
    /// motion.
    pub(crate) fn new(motion: &ScrewMotion, near: DVec3, size: f64) -> Option<Self> {
        let along = motion.direction;
        let slide = motion.slide.dot(along);
        let velocity = motion.velocity + motion.omega.cross(near - motion.offset);
        let velocity = velocity - along.dot(velocity) * along;
        let y = match unit_along(velocity) {
            DVec3::ZERO => along.any_orthonormal_vector(),
            y => y,
        };
        let x = y.cross(along);
        let (across, angle) = (velocity.length(), motion.angle);
        let (origin, across, curvature) = if angle == 0.0 {
            (near, 0.0, 0.0)
        } else if across >= angle * size {
            (near, across, angle / across)
        } else {
            (near + (size - across / angle) * x, angle * size, 1.0 / size)
        };
        let speed = libm::hypot(across, slide);
        let turn = if curvature > 0.0 { TAU / curvature } else { f64::INFINITY };
        let direction = [across / speed, slide / speed];
        let usable = speed > 0.0 && direction.iter().all(|x| x.is_finite()) && curvature.is_finite();
        usable.then_some(Self { origin, axes: [x, y, along], curvature, direction, speed, turn })
    }

    /// A point relative to the origin, in the axes of the chart.
    #[inline]
    pub(crate) fn frame(&self, place: DVec3) -> DVec3 {
        let from = place - self.origin;
        DVec3::from_array(self.axes.map(|axis| axis.dot(from)))
    }

    /// The chart coordinates of a point given in the chart's frame; u is within half a turn of 0.
    #[inline]
    pub(crate) fn spot(&self, at: DVec3) -> Spot {
        let k = self.curvature;
        let (out, side) = (1.0 + k * at.x, k * at.y);
        let rho = (2.0 * at.x + k * (at.x * at.x + at.y * at.y)) / ((out * out + side * side).sqrt() + 1.0);
        let ratio = side / out;
        let u = if out > 0.0 && ratio.abs() < 1e-3 {
            // atan by its series: exact to the last bit, and for any k.
            let square = ratio * ratio;
            at.y / out * (1.0 - square * (1.0 / 3.0 - square * (0.2 - square / 7.0)))
        } else {
            libm::atan2(side, out) / k
        };
        Spot { rho, u, z: at.z }
    }

    /// As `spot`, with u within half a turn of the given `u`.
    #[inline]
    pub(crate) fn spot_near(&self, at: DVec3, u: f64) -> Spot {
        self.nearest_turn(self.spot(at), u)
    }

    /// The image of a spot that is within half a turn of `u`.
    #[inline]
    pub(crate) fn nearest_turn(&self, spot: Spot, u: f64) -> Spot {
        let turns = ((u - spot.u) / self.turn).round();
        if turns == 0.0 || !turns.is_finite() { spot } else { Spot { u: spot.u + turns * self.turn, ..spot } }
    }

    /// w, in metres.
    #[inline]
    pub(crate) fn w(&self, spot: &Spot) -> f64 {
        self.direction[0] * spot.z - self.direction[1] * spot.u
    }

    /// tau, in units of the whole motion.
    #[inline]
    pub(crate) fn tau(&self, spot: &Spot) -> f64 {
        (self.direction[0] * spot.u + self.direction[1] * spot.z) / self.speed
    }

    /// The box of all points in these ranges of rho, u and z.
    pub(crate) fn extent(&self, rho: [f64; 2], u: [f64; 2], z: [f64; 2]) -> ChartExtent {
        let [across, along] = self.direction;
        let sum = |p: f64, [p0, p1]: [f64; 2], q: f64, [q0, q1]: [f64; 2]| {
            let (x, y) = ([p * p0, p * p1], [q * q0, q * q1]);
            [x[0].min(x[1]) + y[0].min(y[1]), x[0].max(x[1]) + y[0].max(y[1])]
        };
        ChartExtent {
            rho,
            w: sum(across, z, -along, u),
            tau: sum(across, u, along, z).map(|tau| tau / self.speed),
        }
    }

    /// The box of a ball.
    pub(crate) fn extent_of_ball(&self, centre: DVec3, radius: f64) -> ChartExtent {
        let spot = self.spot(self.frame(centre));
        let axis = self.radius(spot.rho);
        let wide = match radius / axis {
            _ if self.turn == f64::INFINITY => radius,
            // Seen from the axis, the ball subtends this angle to either side.
            ratio if ratio < 1.0 => libm::asin(ratio) * self.turn / TAU,
            _ => 0.5 * self.turn,
        };
        let around = |x: f64, by: f64| [x - by, x + by];
        let rho = around(spot.rho, radius);
        self.extent(rho, around(spot.u, wide), around(spot.z, radius))
    }

    /// Metres across the flow per metre of w.
    #[inline]
    pub(crate) fn metres_per_w(&self, rho: f64) -> f64 {
        let [across, along] = self.direction;
        let m = self.radii(rho);
        if m == 0.0 { 0.0 } else { m / (across * across * m * m + along * along).sqrt() }
    }

    /// The distance from the axis, divided by the origin's distance.
    #[inline]
    pub(crate) fn radii(&self, rho: f64) -> f64 {
        (1.0 + self.curvature * rho).max(0.0)
    }

    /// The distance from the axis, in metres; infinite in a translation.
    pub(crate) fn radius(&self, rho: f64) -> f64 {
        self.radii(rho) / TAU * self.turn
    }

    /// Bounds of the second derivatives of the coordinates along straight lines at least as far out as `rho`.
    ///
    /// On a line at the distance m from the axis, r'' = m^2 / r^3 and theta'' = 2 m sqrt(r^2 - m^2) / r^4. `lever` is
    /// an upper bound of m / r, at most 1.
    #[inline]
    pub(crate) fn curvature_bounds(&self, rho: f64, lever: f64) -> ChartCurvature {
        let (k, m) = (self.curvature, self.radii(rho));
        if k == 0.0 {
            return ChartCurvature { rho: 0.0, w: 0.0, tau: 0.0 };
        }
        let u = k / (m * m) * (2.0 * lever).min(1.0);
        let [across, along] = self.direction;
        let times = |x: f64| if x == 0.0 { 0.0 } else { x.abs() * u };
        ChartCurvature { rho: k / m * lever * lever, w: times(along), tau: times(across) / self.speed }
    }

    /// An upper bound of m / r on a segment that is at least as far out as `rho`, where m is the distance of its line
    /// from the axis; at most 1.
    #[inline]
    pub(crate) fn lever(&self, from: DVec3, vector: DVec3, rho: f64) -> f64 {
        let k = self.curvature;
        let area = (1.0 + k * from.x) * vector.y - k * from.y * vector.x;
        let length = (vector.x * vector.x + vector.y * vector.y).sqrt() * self.radii(rho);
        // A NaN area compares false and gives 1.
        if area.abs() < length { area.abs() / length } else { 1.0 }
    }

    /// The point nearest to the axis on the segment from `from` to `from + vector`, in the chart's frame: its rho, and
    /// its parameter; `None` if it is not between the ends.
    #[inline]
    pub(crate) fn foot(&self, from: DVec3, vector: DVec3) -> Option<(f64, f64)> {
        let k = self.curvature;
        let square = k * (vector.x * vector.x + vector.y * vector.y);
        let part = -(vector.x + k * (from.x * vector.x + from.y * vector.y));
        (part > 0.0 && part < square).then(|| {
            let at = part / square;
            let foot = from + at * vector;
            let (out, side) = (1.0 + k * foot.x, k * foot.y);
            let root = (out * out + side * side).sqrt();
            ((2.0 * foot.x + k * (foot.x * foot.x + foot.y * foot.y)) / (root + 1.0), at)
        })
    }

    /// Whether the axis passes through a triangle in the chart's frame, or within a millionth of the triangle's size
    /// beside it.
    pub(crate) fn axis_intersects(&self, corners: &[DVec3; 3]) -> bool {
        if self.curvature == 0.0 {
            return false;
        }
        let k = self.curvature;
        let from_axis = corners.map(|c| [1.0 + k * c.x, k * c.y]);
        let reach = from_axis.iter().map(|[x, y]| x.abs().max(y.abs())).fold(0.0, f64::max);
        let margin = 1e-6 * reach;
        // Most triangles lie on one side of the axis.
        for c in 0..2 {
            if from_axis.iter().all(|p| p[c] > margin) || from_axis.iter().all(|p| p[c] < -margin) {
                return false;
            }
        }
        let mut sides = [0.0; 3];
        for (i, side) in sides.iter_mut().enumerate() {
            let ([x, y], [s, t]) = (from_axis[i], from_axis[(i + 1) % 3]);
            let length = libm::hypot(s - x, t - y);
            *side = if length > 0.0 { (x * t - y * s) / length } else { 0.0 };
        }
        let near = |side: &f64| *side >= -margin;
        sides.iter().all(near) || sides.iter().map(|s| -s).all(|s| near(&s))
    }

    /// The change of u in one whole turn.
    pub(crate) fn turn(&self) -> f64 {
        self.turn
    }

    /// The change of w and tau after `turns` turns.
    pub(crate) fn shift(&self, turns: i64) -> Shift {
        if turns == 0 {
            return Shift::default();
        }
        let [across, along] = self.direction;
        let u = turns as f64 * self.turn;
        Shift { w: -along * u, tau: across * u / self.speed }
    }

    /// The range of turns after which a part of A can cover a part of B on the screen at a time in [0, 1].
    pub(crate) fn turns(&self, a: &ChartExtent, b: &ChartExtent) -> RangeInclusive<i64> {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let one = if self.turn.is_finite() { self.shift(1) } else { return 0..=0 };
        // The padding ensures that rounding loses no turn.
        let mut restrict = |each: f64, from: f64, to: f64, pad: f64| {
            let (x, y) = ((from - pad) / each, (to + pad) / each);
            if x.is_finite() && y.is_finite() {
                low = low.max(x.min(y));
                high = high.min(x.max(y));
            }
        };
        let pad = |x: [f64; 2], y: [f64; 2]| {
            1e-12 * (x.iter().chain(&y).map(|x| x.abs()).fold(0.0, f64::max) + self.turn)
        };
        restrict(one.w, b.w[0] - a.w[1], b.w[1] - a.w[0], pad(a.w, b.w));
        let late = 1e-12 * (2.0 + self.turn / self.speed)
            + 1e-12 * a.tau.iter().chain(&b.tau).map(|x| x.abs()).fold(0.0, f64::max);
        restrict(one.tau, b.tau[0] - a.tau[1] - 1.0, b.tau[1] - a.tau[0], late);
        to_integer(low.ceil())..=to_integer(high.floor())
    }
}

impl ChartExtent {
    /// The empty box.
    pub(crate) const NONE: Self = Self {
        rho: [f64::INFINITY, f64::NEG_INFINITY],
        w: [f64::INFINITY, f64::NEG_INFINITY],
        tau: [f64::INFINITY, f64::NEG_INFINITY],
    };

    /// The smallest box that contains both.
    pub(crate) fn union(&self, other: &Self) -> Self {
        let join = |[p, q]: [f64; 2], [r, s]: [f64; 2]| [p.min(r), q.max(s)];
        Self { rho: join(self.rho, other.rho), w: join(self.w, other.w), tau: join(self.tau, other.tau) }
    }

    /// The box after some turns.
    pub(crate) fn shifted(&self, by: Shift) -> Self {
        Self { rho: self.rho, w: self.w.map(|w| w + by.w), tau: self.tau.map(|tau| tau + by.tau) }
    }

    /// The box enlarged by `by` metres on the screen.
    pub(crate) fn enlarged(&self, by: f64) -> Self {
        let wider = |[low, high]: [f64; 2]| [low - by, high + by];
        Self { rho: wider(self.rho), w: wider(self.w), tau: self.tau }
    }

    /// The intersection on the screen; `None` if it is empty. It keeps the interval of tau of `self`.
    pub(crate) fn common(&self, other: &Self) -> Option<Self> {
        let both = |[p, q]: [f64; 2], [r, s]: [f64; 2]| [p.max(r), q.min(s)];
        let common = Self { rho: both(self.rho, other.rho), w: both(self.w, other.w), tau: self.tau };
        (common.rho[0] <= common.rho[1] && common.w[0] <= common.w[1]).then_some(common)
    }

    /// Whether both boxes intersect on the screen.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let common = |[p, q]: [f64; 2], [r, s]: [f64; 2]| p <= s && r <= q;
        common(self.rho, other.rho) && common(self.w, other.w)
    }
}

/// The times in [0, 1] at which a part of A with this interval of tau can collide with a part of B; `None` if there
/// are no such times. Padded for rounding.
#[inline]
pub(crate) fn collision_interval(a: [f64; 2], b: [f64; 2]) -> Option<TimeInterval> {
    let pad = 1e-9 + 1e-12 * (a[0].abs().max(a[1].abs()) + b[0].abs().max(b[1].abs()));
    let (from, to) = ((b[0] - a[1] - pad).max(0.0), (b[1] - a[0] + pad).min(1.0));
    (from <= to).then_some(TimeInterval::new(from, to))
}

/// The number as an integer, clamped to values that no count reaches.
#[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
pub(crate) fn to_integer(x: f64) -> i64 {
    x.clamp(-1e18, 1e18) as i64
}
