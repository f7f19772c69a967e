//! A flow line: the fixed curve along which a screw carries a point, over its whole length, ahead and behind.
//!
//! With tau the time from the point, in units of the whole motion,
//!
//! ```text
//! x(tau) = start + tau slide + sigma u + kappa (omega x u)
//! ```
//!
//! A [`LinePiece`] is a part of the line that is short enough to be nearly straight. It is computed from its own
//! middle, so that no digits are lost after many turns.

use glam::DVec3;

use crate::math::screw_function::{Basis, ScrewFunction};
use crate::math::time_interval::TimeInterval;
use crate::motion::helix::Helix;

/// A flow line, in the axes of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FlowLine {
    path: Helix,
    omega: DVec3,
    pub(crate) angle: f64,
    /// The same at every point of the line, in metres per whole motion.
    pub(crate) speed: f64,
}

/// A part of a flow line that turns by at most [`PIECE_ANGLE`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinePiece {
    /// The time of the middle.
    time: f64,
    /// Half of the duration.
    pub(crate) half: f64,
    /// The curve from the middle.
    path: Helix,
    angle: f64,
    /// The piece lies within `pad` of the segment from `middle - chord` to `middle + chord`; at the time
    /// `time + s half` it lies within `pad` of `middle + s chord`.
    pub(crate) middle: DVec3,
    pub(crate) chord: DVec3,
    pub(crate) pad: f64,
}

/// A passage of a flow line through a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LineHit {
    pub(crate) time: f64,
    pub(crate) place: DVec3,
    pub(crate) velocity: DVec3,
}

/// Maximum turn of a piece, in radians.
pub(crate) const PIECE_ANGLE: f64 = std::f64::consts::FRAC_PI_4;

/// Pieces are extended by this fraction of their length, so that no passage is lost between two of them.
const OVERLAP: f64 = 1e-9;

/// A flow line whose radius exceeds a length by this factor is straight over that length, to the last digit; its
/// position after a whole turn is not known to any digit.
const STRAIGHT: f64 = 1e15;

impl FlowLine {
    /// The line through a point with velocity `slide` along the axis and `across` perpendicular to it. Only lengths
    /// up to `reach` matter.
    pub(crate) fn new(start: DVec3, [slide, across]: [DVec3; 2], omega: DVec3, reach: f64) -> Self {
        let angle = omega.length();
        let speed = slide.length().hypot(across.length());
        if across.length() > STRAIGHT * angle * reach {
            let path = Helix { start, slide: slide + across, u: DVec3::ZERO, w: DVec3::ZERO };
            return Self { path, omega: DVec3::ZERO, angle: 0.0, speed };
        }
        Self { path: Helix { start, slide, u: across, w: omega.cross(across) }, omega, angle, speed }
    }

    /// The point at time 0.
    pub(crate) fn start(&self) -> DVec3 {
        self.path.start
    }

    /// The velocity at the start.
    pub(crate) fn velocity(&self) -> DVec3 {
        self.path.slide + self.path.u
    }

    /// The piece for an interval of time in which the line turns by at most [`PIECE_ANGLE`].
    #[inline]
    pub(crate) fn piece(&self, TimeInterval { start: lo, end: hi }: TimeInterval) -> LinePiece {
        let (time, half) = (0.5 * (lo + hi), 0.5 * (hi - lo) * (1.0 + OVERLAP));
        let there = Basis::at(self.angle, time);
        let u = there.cos * self.path.u + there.sigma * self.path.w;
        let path = Helix { start: self.path.at(&there), slide: self.path.slide, u, w: self.omega.cross(u) };
        let angle = self.angle * half;
        // kappa(half) = 1 - cos, at most half^2 / 2; half - sigma(half), at most b^2 half^3 / 6.
        let (kappa, lag) = (0.5 * half * half, angle * angle * half / 6.0);
        let bulge = 0.5 * kappa * path.w;
        LinePiece {
            time,
            half,
            path,
            angle: self.angle,
            middle: path.start + bulge,
            chord: half * (path.slide + u),
            pad: bulge.length() + lag * u.length(),
        }
    }
}

impl LinePiece {
    /// The interval of time in which the parameter of the piece's segment is in [lo, hi], within [-1, 1].
    #[inline]
    pub(crate) fn interval(&self, TimeInterval { start: lo, end: hi }: TimeInterval) -> TimeInterval {
        TimeInterval::new(self.time + lo * self.half, self.time + hi * self.half)
    }

    /// The interval of time in which the piece can come within `radius` of the origin.
    pub(crate) fn near_origin(&self, radius: f64) -> Option<TimeInterval> {
        let reach = radius + self.pad;
        let (along, length) = (self.middle.dot(self.chord), self.chord.length());
        let nearest = along / length;
        let offset = (self.middle - (nearest / length) * self.chord).length();
        if offset > reach {
            return None;
        }
        let half = ((reach - offset) * (reach + offset)).sqrt();
        let (lo, hi) = ((-nearest - half) / length, (-nearest + half) / length);
        // If the line does not move, or its bounds are NaN, the whole interval is kept.
        let (lo, hi) = (lo.max(-1.0), hi.min(1.0));
        (lo <= hi).then(|| self.interval(TimeInterval::new(lo, hi)))
    }

    /// Reports every passage through the plane through `point` with unit normal `normal`. Points where the line only
    /// touches the plane are included if rounding allows.
    #[inline]
    pub(crate) fn through_plane(&self, point: DVec3, normal: DVec3, mut report: impl FnMut(LineHit)) {
        let Helix { start, slide, u, w } = self.path;
        let c = [normal.dot(start - point), normal.dot(slide), normal.dot(u), normal.dot(w)];
        let (half, turned) = (self.half, self.angle * self.half);
        let swing =
            half * ((c[1] + c[2]).abs() + 0.5 * half * c[3].abs() + turned * turned * c[2].abs() / 6.0);
        if c[0].abs() > swing * (1.0 + 1e-12) {
            return;
        }
        let plane = PlaneFunction::new(c, self.angle);
        plane.roots(half, |t| {
            let basis = Basis::at(self.angle, t);
            let (place, velocity) = (self.path.at(&basis), self.path.velocity(&basis));
            report(LineHit { time: self.time + t, place, velocity });
        });
    }
}

/// c0 + c1 t + c2 sigma + c3 kappa, the distance of a point of the line from a plane: a screw function whose last two
/// coefficients are 0.
struct PlaneFunction(ScrewFunction);

impl PlaneFunction {
    fn new([c0, c1, c2, c3]: [f64; 4], angle: f64) -> Self {
        Self(ScrewFunction { e: [c0, c1, c2, c3, 0.0, 0.0], b: angle })
    }

    /// The times of zero slope, at most two; NaN in place of a missing one. With q = tan(b t / 2) / (b / 2), which is
    /// t at b = 0,
    ///
    /// ```text
    /// slope (1 + b^2 q^2 / 4) = (c1 + c2) + c3 q + (c1 - c2) b^2 q^2 / 4
    /// ```
    fn times_of_zero_slope(&self) -> [f64; 2] {
        let ScrewFunction { e: [_, c1, c2, c3, ..], b } = self.0;
        let (p2, p1, p0) = (0.25 * b * b * (c1 - c2), c3, c1 + c2);
        let root = (p1 * p1 - 4.0 * p2 * p0).sqrt();
        let sum = -0.5 * (p1 + root.copysign(p1));
        // This form avoids cancellation in the smaller root. It is NaN if there is no root.
        [sum / p2, p0 / sum].map(|q| {
            let tangent = 0.5 * b * q;
            if tangent.abs() < 1e-9 { q } else { 2.0 * libm::atan(tangent) / b }
        })
    }

    /// Reports every root in [-half, half]. The function is monotone between two times of zero slope.
    fn roots(&self, half: f64, mut report: impl FnMut(f64)) {
        // NaN is not between the ends either.
        let [p, q] = self.times_of_zero_slope().map(|t| if t > -half && t < half { t } else { half });
        let ends = [-half, p.min(q), p.max(q), half];
        let values = ends.map(|t| self.0.value(&Basis::at(self.0.b, t)));
        for i in 0..3 {
            let (lo, hi) = (ends[i], ends[i + 1]);
            if lo < hi && (values[i] <= 0.0) != (values[i + 1] <= 0.0) {
                report(self.monotone_root(TimeInterval::new(lo, hi), values[i], values[i + 1]));
            }
        }
    }

    /// The root between two times between which the function is monotone, by Newton's method, safeguarded by
    /// bisection.
    fn monotone_root(&self, interval: TimeInterval, at_lo: f64, at_hi: f64) -> f64 {
        let TimeInterval { start: mut lo, end: mut hi } = interval;
        let rises = at_hi > at_lo;
        let mut t = lo + (hi - lo) * (at_lo / (at_lo - at_hi));
        for _ in 0..MAX_STEPS {
            let basis = Basis::at(self.0.b, t);
            let value = self.0.value(&basis);
            if value == 0.0 {
                break;
            }
            if (value < 0.0) == rises {
                lo = t;
            } else {
                hi = t;
            }
            let next = t - value / self.0.slope(&basis);
            let next = if next > lo && next < hi { next } else { 0.5 * (lo + hi) };
            let step = (next - t).abs();
            t = next;
            if step <= f64::EPSILON * (lo.abs().max(hi.abs())) {
                break;
            }
        }
        t
    }
}

/// Halvings that reduce any interval to neighbouring numbers, with some to spare.
const MAX_STEPS: usize = 80;

#[cfg(test)]
mod tests {
    use chasles_testing::Random;

    use super::*;
    use crate::motion::{Pose, Screw};

    fn line(random: &mut Random, angle: f64) -> (FlowLine, Screw) {
        let slide = if random.one_in(4) { 0.0 } else { random.side() };
        let (axis, point) = (random.direction(), random.vector(1.0) / angle.min(1.0));
        let screw = Screw::about(Pose::IDENTITY, axis, point, slide, angle).unwrap();
        let start = random.vector(1.0);
        let across = screw.velocity_at(start, 0.0) - screw.slide() * screw.direction();
        (FlowLine::new(start, [screw.slide() * screw.direction(), across], screw.omega(), 1.0), screw)
    }

    #[test]
    fn a_piece_lies_near_its_segment() {
        let random = &mut Random(3);
        for angle in [1e-9, 1e-3, 0.5, 3.0, 40.0] {
            for _ in 0..200 {
                let (line, screw) = line(random, angle);
                let time = 3.0 * random.side();
                let half = (0.5 * PIECE_ANGLE / angle).min(1.0) * random.side().abs();
                let piece = line.piece(TimeInterval::new(time - half, time + half));
                for i in -8..=8 {
                    let s = f64::from(i) / 8.0;
                    let place = screw.point_at(line.start(), time + s * piece.half);
                    let error = place.distance(piece.middle + s * piece.chord);
                    assert!(
                        error <= piece.pad + 1e-13 * (1.0 + line.speed),
                        "{angle}: {error} {}",
                        piece.pad
                    );
                    if let Some(TimeInterval { start: lo, end: hi }) = piece.near_origin(0.5) {
                        let t = time + s * piece.half;
                        assert!(place.length() > 0.5 - 1e-9 || (t >= lo - 1e-9 && t <= hi + 1e-9));
                    } else {
                        assert!(place.length() > 0.5 - 1e-9);
                    }
                }
            }
        }
    }

    #[test]
    fn no_passage_through_a_plane_is_missed() {
        let random = &mut Random(5);
        let mut passages = 0;
        for angle in [0.0, 1e-9, 1e-3, 0.5, 3.0, 40.0] {
            for _ in 0..300 {
                let (line, screw) = line(random, f64::max(angle, 1e-12));
                let (point, normal) = (random.vector(0.3), random.direction());
                let half = (0.5 * PIECE_ANGLE / angle).min(1.0);
                let time = random.side();
                let piece = line.piece(TimeInterval::new(time - half, time + half));
                let mut found = Vec::new();
                piece.through_plane(point, normal, |passage| found.push(passage));
                for passage in &found {
                    let there = screw.point_at(line.start(), passage.time);
                    assert!(there.distance(passage.place) < 1e-13 * (1.0 + line.speed));
                    assert!(normal.dot(passage.place - point).abs() < 1e-14 * (1.0 + line.speed));
                    assert!(
                        screw.velocity_at(there, 0.0).distance(passage.velocity)
                            < 1e-12 * (1.0 + angle).powi(2)
                    );
                }
                // The sign along a dense sample changes only between samples with a passage in between.
                let at = |i: i32| time + half * f64::from(i) / 500.0;
                let value = |i: i32| normal.dot(screw.point_at(line.start(), at(i)) - point);
                for i in -500..500 {
                    let changes = (value(i) <= 0.0) != (value(i + 1) <= 0.0);
                    let between =
                        found.iter().filter(|p| p.time > at(i) - 1e-9 && p.time <= at(i + 1) + 1e-9).count();
                    assert!(!changes || between > 0, "{angle}: {found:?}");
                }
                passages += found.len();
            }
        }
        assert!(passages > 300, "{passages}");
    }

    #[test]
    fn a_piece_passes_a_plane_up_to_three_times() {
        // A function with three roots within an eighth of a turn.
        let function = PlaneFunction::new([0.0, 1.0, -1.000_5, 0.0], 1.0);
        let mut roots = Vec::new();
        function.roots(0.39, |t| roots.push(t));
        assert_eq!(roots.len(), 3, "{roots:?}");
        // t = 1.0005 sin t.
        for t in roots {
            assert!((t - 1.000_5 * t.sin()).abs() < 1e-16, "{t}");
        }
    }
}
