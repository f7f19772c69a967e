//! The contact intervals of two meshes, by means that share no code with the engine: poses, and a static test, in 106
//! bits.
//!
//! Closed surfaces intersect where an edge of one crosses a triangle of the other. The test samples the motion, and
//! bisection finds the time at which an intersection starts or ends. The crossings just after its start give the
//! features.

use serde_json::{Value, json};

use crate::make_scenes::double::{Double, Vector};
use crate::make_scenes::frames::Frames;
use crate::make_scenes::scene::{Motion, Pose, Scene};
use crate::make_scenes::solid::{Solid, rounded};

/// An interval in which two bodies are in contact or near, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TrueInterval {
    pub(crate) enter: f64,
    /// None: it lasts to the end.
    pub(crate) exit: Option<f64>,
    /// The values that are unique, as in the expected report. None: contact from the start, at a jump, or without
    /// unique values.
    pub(crate) contact: Option<Value>,
}

/// A screw in the frame of the body's parent, in 106 bits.
struct ScrewPath {
    /// The position of the body's origin and the body's rotation at the start.
    origin: Vector,
    turn: [Double; 4],
    axis: Vector,
    /// The centre of rotation: a point on the axis of a screw, the origin on a twist.
    point: Vector,
    /// The displacement of that point.
    slide: Vector,
    angle: Double,
    duration: f64,
}

/// An edge of one mesh that crosses a triangle of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Crossing {
    /// Whether the edge is the first body's.
    of_first: bool,
    edge: [u32; 2],
    face: u32,
}

/// `v` rotated by the unit quaternion (w, x, y, z).
fn turned([w, x, y, z]: [Double; 4], v: Vector) -> Vector {
    let axis = Vector([x, y, z]);
    let across = axis.cross(v).scaled(Double::from(2.0));
    v + across.scaled(w) + axis.cross(across)
}

/// (w, x, y, z) of length 1.
fn unit_quaternion(q: [f64; 4]) -> [Double; 4] {
    let q = q.map(Double::from);
    let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    q.map(|x| x / length)
}

impl ScrewPath {
    /// The path of a body of the scene.
    fn new(scene: &Scene, body: usize) -> Self {
        let body = &scene.bodies[body];
        let still = |pose: Pose| Self {
            origin: Vector::from(pose.position),
            turn: unit_quaternion(pose.rotation),
            axis: Vector::from([0.0, 0.0, 1.0]),
            point: Vector::from([0.0; 3]),
            slide: Vector::from([0.0; 3]),
            angle: Double::ZERO,
            duration: scene.duration,
        };
        match body.motion.clone() {
            Motion::None => still(body.pose),
            Motion::Screw { axis, point, slide, angle } => Self {
                axis: Vector::from(axis).unit(),
                point: Vector::from(point),
                slide: Vector::from(axis).unit().scaled(Double::from(slide)),
                angle: Double::from(angle),
                ..still(body.pose)
            },
            Motion::Keyframes([from, to]) => still(from).towards(to),
            Motion::Twist { linear, angular } => Self {
                axis: Vector::from(angular).unit(),
                point: Vector::from(body.pose.position),
                slide: Vector::from(linear).scaled(Double::from(scene.duration)),
                angle: Vector::from(angular).length() * Double::from(scene.duration),
                ..still(body.pose)
            },
            Motion::Steps(_) => panic!("{} jumps: it has no screw", body.name),
            Motion::Deforming(_) => panic!("{} deforms: it has no screw", body.name),
        }
    }

    /// The screw that joins two poses. Its axis is along the rotation, through the centre of the rotation that gives
    /// the displacement across the axis.
    fn towards(self, to: Pose) -> Self {
        let [w, x, y, z] = self.turn;
        let q = unit_quaternion(to.rotation);
        let v = Vector([q[1], q[2], q[3]]);
        let back = Vector([-x, -y, -z]);
        let mut cos = q[0] * w - v.dot(back);
        let mut sin = v.scaled(w) + back.scaled(q[0]) + v.cross(back);
        // The shorter rotation; a rotation by pi has the axis whose first component that is not 0 is positive.
        let first = sin.0.iter().find(|x| x.is_negative() || x.is_positive());
        let half_turn = !cos.is_negative() && !cos.is_positive();
        if cos.is_negative() || (half_turn && first.is_some_and(|x| x.is_negative())) {
            cos = -cos;
            sin = sin.scaled(-Double::ONE);
        }
        let displacement = Vector::from(to.position) - self.origin;
        if !sin.length().is_positive() {
            return Self { axis: displacement.unit(), slide: displacement, ..self };
        }
        let half_angle = sin.length().atan2(cos);
        let axis = sin.unit();
        let slide = axis.dot(displacement);
        let across = displacement - axis.scaled(slide);
        let half = Double::from(0.5);
        let point = self.origin + across.scaled(half) + axis.cross(across).scaled(half * cos / sin.length());
        Self { axis, point, slide: axis.scaled(slide), angle: half_angle + half_angle, ..self }
    }

    /// The positions of points of the body at a time in seconds, in the frame of its parent or the world.
    fn positions(&self, points: &[Vector], time: f64) -> Vec<Vector> {
        let t = Double::from(time) / Double::from(self.duration);
        let (sin, cos) = (self.angle * t * Double::from(0.5)).sin_cos();
        let [x, y, z] = self.axis.scaled(sin).0;
        let slid = self.point + self.slide.scaled(t);
        let placed = |p: &Vector| {
            let start = turned(self.turn, *p) + self.origin;
            turned([cos, x, y, z], start - self.point) + slid
        };
        points.iter().map(placed).collect()
    }
}

/// The screws of a body and of all bodies that carry it, up to the world.
struct RigidPath(Vec<ScrewPath>);

impl RigidPath {
    fn new(scene: &Scene, body: usize) -> Self {
        let mut paths = vec![ScrewPath::new(scene, body)];
        let mut above = scene.bodies[body].parent;
        while let Some(parent) = above {
            paths.push(ScrewPath::new(scene, parent));
            above = scene.bodies[parent].parent;
        }
        Self(paths)
    }

    /// The positions of points of the body at a time in seconds, in the world.
    fn positions(&self, points: &[[f64; 3]], time: f64) -> Vec<Vector> {
        let points = points.iter().copied().map(Vector::from).collect();
        self.0.iter().fold(points, |points, path| path.positions(&points, time))
    }

    /// The position at the time `to` of the body's point that is at `point` at the time `from`.
    fn follow(&self, point: Vector, from: f64, to: f64) -> Vector {
        // The origin and the axes of the body's frame carry the point along.
        let frame = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let [now, then] = [from, to].map(|time| self.positions(&frame, time));
        let axes = [1, 2, 3].iter();
        axes.fold(then[0], |at, &i| at + (then[i] - then[0]).scaled((now[i] - now[0]).dot(point - now[0])))
    }
}

/// The motion of a body's vertices in the world.
enum VertexMotion<'a> {
    Rigid(RigidPath),
    Deforming(&'a Frames),
}

impl<'a> VertexMotion<'a> {
    fn new(scene: &'a Scene, body: usize) -> Self {
        match &scene.bodies[body].motion {
            Motion::Deforming(frames) => Self::Deforming(frames),
            _ => Self::Rigid(RigidPath::new(scene, body)),
        }
    }

    fn positions(&self, solid: &Solid, time: f64) -> Vec<Vector> {
        match self {
            Self::Rigid(path) => path.positions(&solid.vertices, time),
            Self::Deforming(frames) => frames.positions(time),
        }
    }
}

/// The meshes of two bodies and their motions.
pub(crate) struct TruthCase<'a> {
    solids: [&'a Solid; 2],
    paths: [VertexMotion<'a>; 2],
    /// The pair is a body with itself: features that have a vertex in common do not count.
    of_itself: bool,
    edges: [Vec<[u32; 2]>; 2],
    duration: f64,
}

/// A box around each of a list of features, by f64: a little larger than its corners, for the rounding.
fn boxes<const N: usize>(features: &[[u32; N]], at: &[[f64; 3]]) -> Vec<[[f64; 3]; 2]> {
    let around = |f: &[u32; N]| {
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for v in f {
            for (i, x) in at[*v as usize].into_iter().enumerate() {
                bounds[0][i] = bounds[0][i].min(x - 1e-14 * (1.0 + x.abs()));
                bounds[1][i] = bounds[1][i].max(x + 1e-14 * (1.0 + x.abs()));
            }
        }
        bounds
    };
    features.iter().map(around).collect()
}

fn apart(a: &[[f64; 3]; 2], b: &[[f64; 3]; 2]) -> bool {
    (0..3).any(|i| a[1][i] < b[0][i] || b[1][i] < a[0][i])
}

/// The side of the plane a b c on which the point d is: the sign of the volume of the tetrahedron.
fn side(a: Vector, b: Vector, c: Vector, d: Vector) -> i32 {
    let volume = (b - a).cross(c - a).dot(d - a);
    i32::from(volume.is_positive()) - i32::from(volume.is_negative())
}

fn crosses([p, q]: [Vector; 2], [a, b, c]: [Vector; 3]) -> bool {
    if side(a, b, c, p) * side(a, b, c, q) >= 0 {
        return false;
    }
    let sides = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    sides == [1; 3] || sides == [-1; 3]
}

impl<'a> TruthCase<'a> {
    /// Two bodies of a scene that have a surface.
    pub(crate) fn new(scene: &'a Scene, pair: [usize; 2]) -> Self {
        let solids = pair.map(|i| scene.bodies[i].surface.as_ref().expect("only surfaces are bisected"));
        let paths = pair.map(|i| VertexMotion::new(scene, i));
        let edges = solids.map(Solid::edges);
        Self { solids, paths, of_itself: pair[0] == pair[1], edges, duration: scene.duration }
    }

    /// All crossings at a time.
    fn crossings(&self, time: f64) -> Vec<Crossing> {
        let places = [0, 1].map(|i| self.paths[i].positions(self.solids[i], time));
        let rough = places.each_ref().map(|list| list.iter().map(|v| v.round()).collect::<Vec<_>>());
        let edge_boxes = [0, 1].map(|i| boxes(&self.edges[i], &rough[i]));
        let face_boxes = [0, 1].map(|i| boxes(&self.solids[i].triangles, &rough[i]));
        let mut found = Vec::new();
        for (e, f) in [(0, 1), (1, 0)] {
            let list: Vec<_> = (0..).zip(&self.solids[f].triangles).zip(&face_boxes[f]).collect();
            for (edge, bounds) in self.edges[e].iter().zip(&edge_boxes[e]) {
                for ((face, triangle), other) in &list {
                    let segment = || edge.map(|v| places[e][v as usize]);
                    let corners = || triangle.map(|v| places[f][v as usize]);
                    let joined = self.of_itself && edge.iter().any(|v| triangle.contains(v));
                    if !joined && !apart(bounds, other) && crosses(segment(), corners()) {
                        found.push(Crossing { of_first: e == 0, edge: *edge, face: *face });
                    }
                }
            }
        }
        found
    }

    /// Whether the surfaces intersect at a time.
    pub(crate) fn intersect(&self, time: f64) -> bool {
        !self.crossings(time).is_empty()
    }

    /// Narrows down, to neighbouring f64, the time at which the answer changes from that at `from` to that at `to`.
    fn change(&self, mut from: f64, mut to: f64) -> [f64; 2] {
        let before = self.intersect(from);
        loop {
            let middle = 0.5 * (from + to);
            if middle <= from || middle >= to {
                return [from, to];
            }
            if self.intersect(middle) == before {
                from = middle;
            } else {
                to = middle;
            }
        }
    }

    /// Every interval after `from` in which the surfaces intersect, and the contact at its start. Intervals and gaps
    /// between them can be missed if they are shorter than the remaining time divided by `samples`; the scenes have
    /// none.
    pub(crate) fn contact_intervals(&self, from: f64, samples: u32) -> Vec<TrueInterval> {
        let mut intervals = Vec::new();
        let mut open = None;
        let mut last = (from, self.intersect(from));
        assert!(!last.1, "the bodies start apart");
        for i in 1..=samples {
            let time = from + (self.duration - from) * f64::from(i) / f64::from(samples);
            let now = (time, self.intersect(time));
            if last.1 != now.1 {
                let [before, after] = self.change(last.0, now.0);
                if now.1 {
                    open = Some((after, self.contact(before, after)));
                } else if let Some((enter, contact)) = open.take() {
                    intervals.push(TrueInterval { enter, exit: Some(after), contact });
                }
            }
            last = now;
        }
        intervals.extend(open.map(|(enter, contact)| TrueInterval { enter, exit: None, contact }));
        intervals
    }

    /// The contact at the start of an intersection between two times. It is missing if a body deforms, and not unique
    /// if several pairs of features meet.
    fn contact(&self, before: f64, after: f64) -> Option<Value> {
        let [VertexMotion::Rigid(first), VertexMotion::Rigid(other)] = &self.paths else { return None };
        let paths = [first, other];
        let times = [before, before - 1e-6 * self.duration];
        // Slightly later, when the features cross but their neighbours do not cross yet.
        let crossings = self.crossings(after + 1e-9 * self.duration);
        let [of_first, of_second]: [Vec<_>; 2] =
            [true, false].map(|of| crossings.iter().filter(|c| c.of_first == of).copied().collect());
        let shared = |list: &[Crossing]| {
            let vertex = list[0].edge.into_iter().find(|v| list.iter().all(|c| c.edge.contains(v)))?;
            list.iter().all(|c| c.face == list[0].face).then_some((vertex, list[0].face))
        };
        let position =
            |i: usize, v: u32| paths[i].positions(&[self.solids[i].vertices[v as usize]], after)[0];
        let across = |corners: [Vector; 3]| (corners[1] - corners[0]).cross(corners[2] - corners[0]).unit();
        let corners = |i: usize, face: u32| self.solids[i].triangles[face as usize].map(|v| position(i, v));
        if of_second.is_empty() {
            let (vertex, face) = shared(&of_first)?;
            let features = json!({ "kind": "vertex-face", "a": [vertex], "b": [face] });
            return Some(contact_at(paths, times, features, [position(0, vertex), across(corners(1, face))]));
        }
        if of_first.is_empty() {
            let (vertex, face) = shared(&of_second)?;
            let features = json!({ "kind": "face-vertex", "a": [face], "b": [vertex] });
            return Some(contact_at(paths, times, features, [position(1, vertex), across(corners(0, face))]));
        }
        let one = |list: &[Crossing]| list.iter().all(|c| c.edge == list[0].edge).then_some(list[0].edge);
        let (a, b) = (one(&of_first)?, one(&of_second)?);
        let ([p, q], [r, s]) = (a.map(|v| position(0, v)), b.map(|v| position(1, v)));
        let normal = (q - p).cross(s - r).unit();
        // The point of edge A in the plane of edge B and the normal.
        let plane = (s - r).cross(normal);
        let point = p + (q - p).scaled(plane.dot(r - p) / plane.dot(q - p));
        let features = json!({ "kind": "edge-edge", "a": a, "b": b });
        Some(contact_at(paths, times, features, [point, normal]))
    }
}

/// A contact at a point with an axis. The normal is the axis, in the direction in which the first body moves relative
/// to the other, from the second time to the first.
fn contact_at(
    paths: [&RigidPath; 2],
    [now, earlier]: [f64; 2],
    mut contact: Value,
    [point, axis]: [Vector; 2],
) -> Value {
    // The points of both bodies that are at the point now, a step ago.
    let [first, other] = paths.map(|path| path.follow(point, now, earlier));
    let approach = axis.dot(other - first);
    let normal = if approach.is_negative() { axis.scaled(-Double::ONE) } else { axis };
    // Rounded to a picometre, because the last digits depend on the last digit of the time.
    let plain = |v: Vector| v.round().map(rounded);
    contact["point"] = json!(plain(point));
    contact["normal"] = json!(plain(normal));
    contact
}
