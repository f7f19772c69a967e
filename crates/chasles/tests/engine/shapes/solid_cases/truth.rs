//! Sets whose distance has a closed form, and motions that are known by their axes: plain arithmetic, independent of
//! the engine.

use crate::cases::hypotenuse;
use glam::{DMat3, DVec3};

/// A rotation about a unit axis (Rodrigues).
pub(crate) fn turn(axis: DVec3, angle: f64) -> DMat3 {
    let (sin, cos) = angle.sin_cos();
    let along = |v: DVec3| v * cos + axis.cross(v) * sin + axis * (axis.dot(v) * (1.0 - cos));
    DMat3::from_cols(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
}

/// The pose of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) turn: DMat3,
    pub(crate) place: DVec3,
}

impl Frame {
    pub(crate) const HOME: Self = Self { turn: DMat3::IDENTITY, place: DVec3::ZERO };

    pub(crate) fn out(&self, p: DVec3) -> DVec3 {
        self.turn * p + self.place
    }

    pub(crate) fn back(&self, p: DVec3) -> DVec3 {
        self.turn.transpose() * (p - self.place)
    }

    /// This frame, rotated about an axis and slid along it.
    fn along(&self, axis: &Axis, share: f64) -> Self {
        let by = turn(axis.direction, share * axis.angle);
        let place = axis.point + by * (self.place - axis.point) + (share * axis.slide) * axis.direction;
        Self { turn: by * self.turn, place }
    }
}

/// A rotation about an axis and a slide along it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    pub(crate) direction: DVec3,
    pub(crate) point: DVec3,
    pub(crate) slide: f64,
    pub(crate) angle: f64,
}

/// A motion over time, in seconds.
#[derive(Debug, Clone)]
pub(crate) enum Way {
    Still(Frame),
    Twist {
        start: Frame,
        linear: DVec3,
        angular: DVec3,
    },
    /// From one time to the next along an axis; constant before the first and after the last.
    Steps {
        start: Frame,
        times: Vec<f64>,
        axes: Vec<Axis>,
    },
}

impl Way {
    pub(crate) fn at(&self, time: f64) -> Frame {
        match self {
            Self::Still(frame) => *frame,
            Self::Twist { start, linear, angular } => {
                let rate = angular.length();
                let axis = if rate > 0.0 { *angular / rate } else { DVec3::Z };
                Frame { turn: turn(axis, rate * time) * start.turn, place: start.place + time * *linear }
            }
            Self::Steps { start, times, axes } => {
                let mut frame = *start;
                for (span, axis) in times.windows(2).zip(axes) {
                    let share = ((time - span[0]) / (span[1] - span[0])).clamp(0.0, 1.0);
                    frame = frame.along(axis, share);
                    if share < 1.0 {
                        break;
                    }
                }
                frame
            }
        }
    }

    /// The frames at the times of the steps.
    pub(crate) fn keys(&self) -> Vec<Frame> {
        match self {
            Self::Still(frame) | Self::Twist { start: frame, .. } => vec![*frame],
            Self::Steps { times, .. } => times.iter().map(|time| self.at(*time)).collect(),
        }
    }

    /// An upper bound of the speed of the points of a body with this radius about its origin, in metres per second.
    pub(crate) fn speed(&self, radius: f64) -> f64 {
        match self {
            Self::Still(_) => 0.0,
            Self::Twist { linear, angular, .. } => linear.length() + angular.length() * radius,
            Self::Steps { times, axes, .. } => {
                let keys = self.keys();
                let spans = times.windows(2).zip(axes).zip(&keys);
                let speeds = spans.map(|((span, axis), from)| {
                    let arm = (from.place - axis.point).length() + radius;
                    (axis.slide.abs() + axis.angle.abs() * arm) / (span[1] - span[0])
                });
                speeds.fold(0.0, f64::max)
            }
        }
    }
}

/// A set with a known distance.
#[derive(Debug, Clone)]
pub(crate) enum Set {
    /// Balls: centres and radii.
    Balls(Vec<(DVec3, f64)>),
    Box {
        half: DVec3,
    },
    /// Along z: half the length of its core, and the radius.
    Capsule {
        half: f64,
        radius: f64,
    },
    /// About z.
    Torus {
        large: f64,
        small: f64,
    },
    /// Between two spheres.
    Shell {
        outer: f64,
        inner: f64,
    },
}

impl Set {
    /// The signed distance of a point: the distance outside, at least minus the depth inside.
    pub(crate) fn level(&self, p: DVec3) -> f64 {
        match self {
            Self::Balls(balls) => balls
                .iter()
                .map(|(centre, radius)| (p - *centre).length() - radius)
                .fold(f64::INFINITY, f64::min),
            Self::Box { half } => {
                let over = [p.x.abs() - half.x, p.y.abs() - half.y, p.z.abs() - half.z];
                let outside = over.iter().map(|x| x.max(0.0).powi(2)).sum::<f64>().sqrt();
                outside + over.iter().copied().fold(f64::NEG_INFINITY, f64::max).min(0.0)
            }
            Self::Capsule { half, radius } => {
                let beyond = (p.z.abs() - half).max(0.0);
                (p.x * p.x + p.y * p.y + beyond * beyond).sqrt() - radius
            }
            Self::Torus { large, small } => hypotenuse(hypotenuse(p.x, p.y) - large, p.z) - small,
            Self::Shell { outer, inner } => (p.length() - outer).max(inner - p.length()),
        }
    }

    pub(crate) fn is_convex(&self) -> bool {
        match self {
            Self::Balls(balls) => balls.len() == 1,
            Self::Box { .. } | Self::Capsule { .. } => true,
            Self::Torus { .. } | Self::Shell { .. } => false,
        }
    }

    /// An upper bound of the distance of its points from the origin.
    pub(crate) fn radius(&self) -> f64 {
        match self {
            Self::Balls(balls) => balls.iter().map(|(c, r)| c.length() + r).fold(0.0, f64::max),
            Self::Box { half } => half.length(),
            Self::Capsule { half, radius } => half + radius,
            Self::Torus { large, small } => large + small,
            Self::Shell { outer, .. } => *outer,
        }
    }
}

/// Whether the interior belongs to a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inside {
    Filled,
    Hollow,
}

/// A set at a frame of its body.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) set: Set,
    pub(crate) inside: Inside,
    pub(crate) frame: Frame,
}

impl Placed {
    /// The signed distance of a point of the body's frame.
    pub(crate) fn level(&self, p: DVec3) -> f64 {
        let level = self.set.level(self.frame.back(p));
        if self.inside == Inside::Hollow { level.abs() } else { level }
    }

    pub(crate) fn radius(&self) -> f64 {
        self.set.radius() + self.frame.place.length()
    }
}

/// The signed distance of a set from a set of balls, or from a capsule if the first is convex and filled: the
/// distance if they are separated, otherwise at least minus the depth. `between` maps the frame of the second body to
/// that of the first.
pub(crate) fn gap(first: &Placed, second: &Placed, between: impl Fn(DVec3) -> DVec3) -> f64 {
    let level = |p: DVec3| first.level(between(second.frame.out(p)));
    match &second.set {
        Set::Balls(balls) => {
            balls.iter().map(|(centre, radius)| level(*centre) - radius).fold(f64::INFINITY, f64::min)
        }
        Set::Capsule { half, radius } => {
            assert!(first.set.is_convex() && first.inside == Inside::Filled, "the level must be convex");
            least_of_convex(|s| level(DVec3::new(0.0, 0.0, s)), [-half, *half]) - radius
        }
        other => panic!("no closed form for {other:?}"),
    }
}

/// The minimum of a convex function, by golden sections.
fn least_of_convex(f: impl Fn(f64) -> f64, [mut lo, mut hi]: [f64; 2]) -> f64 {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let mut x = [hi - golden * (hi - lo), lo + golden * (hi - lo)];
    let mut y = x.map(&f);
    let mut best = f(lo).min(f(hi));
    for _ in 0..70 {
        best = best.min(y[0]).min(y[1]);
        if y[0] <= y[1] {
            hi = x[1];
            (x[1], y[1]) = (x[0], y[0]);
            x[0] = hi - golden * (hi - lo);
            y[0] = f(x[0]);
        } else {
            lo = x[0];
            (x[0], y[0]) = (x[1], y[1]);
            x[1] = lo + golden * (hi - lo);
            y[1] = f(x[1]);
        }
    }
    best
}

/// A function of time with an upper bound of its rate of change, per second.
pub(crate) struct Lipschitz<'f> {
    pub(crate) value: &'f dyn Fn(f64) -> f64,
    pub(crate) rate: f64,
}

/// The result of a search for a value below a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Below {
    /// At this time the value is below the level.
    At(f64),
    /// The value is never below the level.
    Never,
    /// The value is not below the level at any sampled time; between them it is at most this much below the level.
    Hardly,
}

/// Searches for a time between two at which the function is below a level: all of the time is covered, except for
/// parts that could hide less than 1e-10 m.
pub(crate) fn below(f: &Lipschitz<'_>, [from, to]: [f64; 2], level: f64) -> Below {
    const MOST: usize = 200_000;
    if from > to || from.is_nan() || to.is_nan() {
        return Below::Never;
    }
    let at = |time: f64| (time, (f.value)(time) - level);
    let (first, last) = (at(from), at(to));
    for (time, value) in [first, last] {
        if value < 0.0 {
            return Below::At(time);
        }
    }
    let mut open = vec![(first, last)];
    let mut result = Below::Never;
    let mut looks = 0;
    while let Some((x, y)) = open.pop() {
        let reach = f.rate * (y.0 - x.0);
        if x.1 + y.1 > reach {
            continue;
        }
        if reach < 1e-10 || looks > MOST {
            result = Below::Hardly;
            continue;
        }
        let middle = at(0.5 * (x.0 + y.0));
        looks += 1;
        if middle.1 < 0.0 {
            return Below::At(middle.0);
        }
        open.push((middle, y));
        open.push((x, middle));
    }
    result
}

/// Bounds of the minimum, as close as `exact`, and the time of the upper bound.
pub(crate) fn least(f: &Lipschitz<'_>, [from, to]: [f64; 2], exact: f64) -> ([f64; 2], f64) {
    const PARTS: u32 = 64;
    const MOST: usize = 200_000;
    let at = |time: f64| (time, (f.value)(time));
    let times: Vec<_> =
        (0..=PARTS).map(|k| at(from + (to - from) * f64::from(k) / f64::from(PARTS))).collect();
    let mut best = times.iter().copied().fold((from, f64::INFINITY), |a, b| if b.1 < a.1 { b } else { a });
    let mut open: Vec<_> = times.windows(2).map(|w| (w[0], w[1])).collect();
    let bound = |x: (f64, f64), y: (f64, f64)| 0.5 * (x.1 + y.1 - f.rate * (y.0 - x.0));
    let mut lower = f64::INFINITY;
    let mut looks = 0;
    while let Some((x, y)) = open.pop() {
        let own = bound(x, y);
        if own > best.1 - exact || looks > MOST {
            lower = lower.min(own);
            continue;
        }
        let middle = at(0.5 * (x.0 + y.0));
        looks += 1;
        if middle.1 < best.1 {
            best = middle;
        }
        // The half with the smaller end first.
        let halves = if x.1 < y.1 { [(middle, y), (x, middle)] } else { [(x, middle), (middle, y)] };
        open.extend(halves);
    }
    ([lower.min(best.1), best.1], best.0)
}
