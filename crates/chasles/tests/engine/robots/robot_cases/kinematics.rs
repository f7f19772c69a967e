//! Independent link poses: matrices by Rodrigues' formula, cubics by de Casteljau's subdivision, joints followed one
//! by one.

use chasles::{BodyMotion, CellDefinition, JointAxis, JointPath, Mimic, Pose, Robot, Screw};
use glam::{DMat3, DQuat, DVec3};

/// A rotation, row by row, and a position.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    pub rows: [[f64; 3]; 3],
    pub place: [f64; 3],
}

const EVEN: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Frame {
    /// The matrix of a quaternion, by its formula.
    pub fn of(pose: &Pose) -> Self {
        let DQuat { x, y, z, w } = pose.rotation();
        let rows = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        Self { rows, place: pose.position().to_array() }
    }

    /// A rotation about an axis through the origin: 1 + sin K + (1 - cos) K^2.
    fn turn(axis: [f64; 3], angle: f64) -> Self {
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [x, y, z] = axis.map(|x| x / length);
        let cross = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
        let square = product(&cross, &cross);
        let mut rows = EVEN;
        for i in 0..3 {
            for k in 0..3 {
                rows[i][k] += angle.sin() * cross[i][k] + (1.0 - angle.cos()) * square[i][k];
            }
        }
        Self { rows, place: [0.0; 3] }
    }

    fn slide(axis: [f64; 3], way: f64) -> Self {
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        Self { rows: EVEN, place: axis.map(|x| way * x / length) }
    }

    /// First `inner`, then `self`.
    fn then(&self, inner: &Self) -> Self {
        let place = self.point(inner.place);
        Self { rows: product(&self.rows, &inner.rows), place }
    }

    fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let along = |row: [f64; 3]| row.iter().zip(p).map(|(x, y)| x * y).sum::<f64>();
        [0, 1, 2].map(|i| self.place[i] + along(self.rows[i]))
    }

    pub fn pose(&self) -> Pose {
        let columns = DMat3::from_cols_array_2d(&self.rows).transpose();
        Pose::new(DVec3::from_array(self.place), DQuat::from_mat3(&columns)).unwrap()
    }
}

fn product(x: &[[f64; 3]; 3], y: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut rows = [[0.0; 3]; 3];
    for i in 0..3 {
        for k in 0..3 {
            rows[i][k] = (0..3).map(|j| x[i][j] * y[j][k]).sum();
        }
    }
    rows
}

/// The value of a column of a path.
pub fn column_at(path: &JointPath, column: usize, time: f64) -> f64 {
    let points = &path.waypoints;
    let k = (1..points.len() - 1).take_while(|k| points[*k].time <= time).count();
    let (from, to) = (&points[k], &points[k + 1]);
    let h = to.time - from.time;
    let s = ((time - from.time) / h).clamp(0.0, 1.0);
    let mix = |x: f64, y: f64| (1.0 - s) * x + s * y;
    let (x, y) = (from.positions[column], to.positions[column]);
    if from.velocities.is_empty() || to.velocities.is_empty() {
        return mix(x, y);
    }
    let third = h / 3.0;
    let points = [x, x + third * from.velocities[column], y - third * to.velocities[column], y];
    let [a, b, c] = [0, 1, 2].map(|i| mix(points[i], points[i + 1]));
    mix(mix(a, b), mix(b, c))
}

/// The value of a joint on a path.
pub fn value_at(robot: &Robot, path: &JointPath, joint: usize, time: f64) -> f64 {
    let own = &robot.joints()[joint];
    match (own.axis, own.mimic) {
        (Some(_), Some(Mimic { joint, multiplier, offset })) => {
            multiplier * value_at(robot, path, joint, time) + offset
        }
        _ => match path.joints.iter().position(|moved| *moved == joint) {
            Some(column) => column_at(path, column, time),
            None => own.rest,
        },
    }
}

/// A link in the frame of the root, for one value for each joint.
pub fn link_frame(robot: &Robot, link: usize, value: &dyn Fn(usize) -> f64) -> Frame {
    let Some(number) = robot.joints().iter().position(|joint| joint.child == link) else {
        return Frame { rows: EVEN, place: [0.0; 3] };
    };
    let joint = &robot.joints()[number];
    let moved = match joint.axis {
        None => Frame { rows: EVEN, place: [0.0; 3] },
        Some(JointAxis::Revolute(axis)) => Frame::turn(axis.to_array(), value(number)),
        Some(JointAxis::Prismatic(axis)) => Frame::slide(axis.to_array(), value(number)),
    };
    link_frame(robot, joint.parent, value).then(&Frame::of(&joint.origin).then(&moved))
}

/// A link or a body of the world, in the world, at a time of the path.
pub fn frame_at(cell: &CellDefinition, path: &JointPath, owner: usize, time: f64) -> Frame {
    let links = cell.robot.links().len();
    if owner < links {
        let value = |joint| value_at(&cell.robot, path, joint, time);
        return Frame::of(&cell.base).then(&link_frame(&cell.robot, owner, &value));
    }
    let own = &cell.world[owner - links];
    let place = motion_at(&own.body.motion, time.clamp(0.0, cell.world_duration), cell.world_duration);
    let carrier = own.link.or(own.body.parent.map(|parent| links + parent));
    carrier.map_or(place, |carrier| frame_at(cell, path, carrier, time).then(&place))
}

fn motion_at(motion: &BodyMotion, time: f64, duration: f64) -> Frame {
    match motion {
        BodyMotion::Still(pose) | BodyMotion::Near { pose, .. } => Frame::of(pose),
        BodyMotion::Screw(screw) => Frame::of(&screw.pose_at(time / duration)),
        BodyMotion::Twist { start, linear, angular } => {
            let mut at = Frame::of(start);
            let way = start.position() + time * *linear;
            if *angular != DVec3::ZERO {
                at = Frame::turn(angular.to_array(), time * angular.length()).then(&at);
            }
            Frame { place: way.to_array(), ..at }
        }
        BodyMotion::Keyframes(keys) => {
            let next = keys.partition_point(|key| key.0 <= time);
            if next == 0 || next == keys.len() {
                return Frame::of(&keys[next.max(1) - 1].1);
            }
            let [(begin, from), (end, to)] = [keys[next - 1], keys[next]];
            Frame::of(&Screw::between(from, to).pose_at((time - begin) / (end - begin)))
        }
        other => panic!("{other:?} is not drawn"),
    }
}
