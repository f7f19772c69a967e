//! Pairs of links and bodies of the world at many times: poses from [`kinematics`](super::kinematics), static tests
//! from [`still`](crate::scenes::scene_cases::still).

use chasles::{BodyMotion, Pose};
use glam::DVec3;

use super::RobotCase;
use super::kinematics::frame_at;
use crate::scenes::scene_cases::sampled::Sampled;
use crate::scenes::scene_cases::still::{
    Detail, PairSample, Surface, point_triangle, sample_surfaces, signed_distance,
};

/// A surface of parts, in the frame of a link or body.
#[derive(Debug, Clone)]
struct Parts {
    parts: Vec<(Surface, Pose)>,
    centre: DVec3,
    radius: f64,
}

impl Parts {
    fn of(case: &RobotCase, owner: usize) -> Self {
        let parts: Vec<(Surface, Pose)> =
            case.parts[owner].iter().map(|part| (Surface::of(&part.shape, part.round), part.pose)).collect();
        let places =
            || parts.iter().map(|(surface, pose)| (pose.transform_point(surface.centre), surface.radius));
        let centre = places().map(|place| place.0).sum::<DVec3>() / parts.len() as f64;
        let radius = places().map(|(place, radius)| place.distance(centre) + radius).fold(0.0, f64::max);
        Self { parts, centre, radius }
    }

    /// The distance of a point from the surface.
    fn distance(&self, point: DVec3) -> f64 {
        let of_part = |(surface, pose): &(Surface, Pose)| {
            let local = pose.inverse().transform_point(point);
            match &surface.round {
                Some(round) => signed_distance(round, local).abs(),
                None => {
                    surface.triangles.iter().map(|t| point_triangle(local, t)).fold(f64::INFINITY, f64::min)
                }
            }
        };
        self.parts.iter().map(of_part).fold(f64::INFINITY, f64::min)
    }
}

/// Two of the links and bodies of a case.
#[derive(Debug, Clone)]
pub struct Traced<'c> {
    case: &'c RobotCase,
    pub owners: [usize; 2],
    surfaces: [Parts; 2],
    breaks: Vec<f64>,
    tolerance: f64,
}

/// Maximum error of coordinates, in metres: some metres from the origin, some metres per second at times around 1000.
pub const ROUNDING: f64 = 2e-12;

impl<'c> Traced<'c> {
    pub fn new(case: &'c RobotCase, owners: [usize; 2], tolerance: f64) -> Self {
        let [begin, end] = case.path.interval();
        let mut breaks: Vec<f64> = case.path.waypoints.iter().map(|waypoint| waypoint.time).collect();
        breaks.extend([0.0, case.cell.world_duration]);
        for world in &case.cell.world {
            if let BodyMotion::Keyframes(keys) = &world.body.motion {
                breaks.extend(keys.iter().map(|key| key.0));
            }
        }
        breaks.retain(|time| *time > begin && *time < end);
        breaks.sort_by(f64::total_cmp);
        breaks.dedup();
        Self { case, owners, surfaces: owners.map(|owner| Parts::of(case, owner)), breaks, tolerance }
    }

    pub fn size(&self) -> f64 {
        self.surfaces[0].radius.max(self.surfaces[1].radius)
    }

    /// The distance of a point of the world from each of both surfaces at a time.
    pub fn distances(&self, point: DVec3, time: f64) -> [f64; 2] {
        [0, 1].map(|i| {
            let at = frame_at(&self.case.cell, &self.case.path, self.owners[i], time).pose();
            self.surfaces[i].distance(at.inverse().transform_point(point))
        })
    }
}

impl Sampled for Traced<'_> {
    fn span(&self) -> [f64; 2] {
        self.case.path.interval()
    }

    fn breaks(&self) -> &[f64] {
        &self.breaks
    }

    fn tolerance(&self) -> f64 {
        self.tolerance
    }

    fn ball(&self) -> (DVec3, f64) {
        (self.surfaces[0].centre, self.surfaces[0].radius)
    }

    fn pose(&self, time: f64) -> Pose {
        let [a, b] = self.owners.map(|owner| frame_at(&self.case.cell, &self.case.path, owner, time).pose());
        b.inverse().compose(&a)
    }

    fn sample_at_pose(&self, pose: &Pose, detail: Detail) -> PairSample {
        let [a, b] = &self.surfaces;
        let apart = pose.transform_point(a.centre).distance(b.centre) - a.radius - b.radius;
        if detail == Detail::Bound && apart > 0.5 * a.radius.max(b.radius) {
            return PairSample { meets: false, gap: apart, slack: 0.0 };
        }
        // Lower and upper bounds.
        let (mut least, mut most, mut meets) = (f64::INFINITY, f64::INFINITY, false);
        for (x, at_x) in &a.parts {
            for (y, at_y) in &b.parts {
                let between = at_y.inverse().compose(&pose.compose(at_x));
                let apart = between.transform_point(x.centre).distance(y.centre) - x.radius - y.radius;
                if apart > most {
                    continue;
                }
                let found = sample_surfaces(x, y, &between, detail);
                least = least.min(found.gap - found.slack);
                most = most.min(found.gap);
                meets |= found.meets;
            }
        }
        PairSample { meets, gap: most, slack: most - least }
    }
}
