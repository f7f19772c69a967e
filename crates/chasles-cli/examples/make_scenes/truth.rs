//! When two meshes meet, by means that share nothing with the engine: poses, and a static test, in 106 bits.
//!
//! Closed surfaces intersect where an edge of one crosses a triangle of the other. Asked at many times and then by
//! bisection, that gives the moment at which it begins; the crossings just after it name the features.

use crate::make_scenes::double::{Double, Vector};
use crate::make_scenes::frames::Frames;
use crate::make_scenes::scene::{Contact, Interval, Motion, Pose, Scene};
use crate::make_scenes::solid::{Solid, rounded};

/// A motion in the frame of the body's parent, ready to move points.
struct Path {
    /// Where the body's origin is at the start, and how the body is turned.
    origin: Vector,
    turn: [Double; 4],
    axis: Vector,
    /// What the body turns about: a point of the axis of a screw, the origin on a twist.
    point: Vector,
    /// The way of that point.
    slide: Vector,
    angle: Double,
    duration: f64,
}

/// An edge of one mesh that crosses a triangle of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Crossing {
    /// Whether the edge is the moving body's.
    of_moving: bool,
    edge: [u32; 2],
    face: u32,
}

/// `v` turned by the unit quaternion (w, x, y, z).
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

impl Path {
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
            Motion::Steps(_) => panic!("{} jumps: only formulas know where it is", body.name),
            Motion::Deforming(_) => panic!("{} deforms: it has no one path", body.name),
        }
    }

    /// The screw that joins two poses, by their displacement: the axis along the rotation, through the point that the
    /// displacement across it turns about.
    fn towards(self, to: Pose) -> Self {
        let [w, x, y, z] = self.turn;
        let q = unit_quaternion(to.rotation);
        let v = Vector([q[1], q[2], q[3]]);
        let back = Vector([-x, -y, -z]);
        let mut cos = q[0] * w - v.dot(back);
        let mut sin = v.scaled(w) + back.scaled(q[0]) + v.cross(back);
        // The shorter way round; at half a turn about the axis whose first component that is not 0 is positive.
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

    /// Where points of the body are at a time in seconds, in the frame of its parent or the world.
    fn place(&self, points: &[Vector], time: f64) -> Vec<Vector> {
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

/// The path of a body, and those of the bodies that carry it, up to the world.
struct Ride(Vec<Path>);

impl Ride {
    fn new(scene: &Scene, body: usize) -> Self {
        let mut paths = vec![Path::new(scene, body)];
        let mut above = scene.bodies[body].parent;
        while let Some(parent) = above {
            paths.push(Path::new(scene, parent));
            above = scene.bodies[parent].parent;
        }
        Self(paths)
    }

    /// Where the body's points are at a time in seconds, in the world.
    fn place(&self, points: &[[f64; 3]], time: f64) -> Vec<Vector> {
        let points = points.iter().copied().map(Vector::from).collect();
        self.0.iter().fold(points, |points, path| path.place(&points, time))
    }

    /// Where the matter that is at a point at a time is at another time.
    fn follow(&self, point: Vector, from: f64, to: f64) -> Vector {
        // The same place in the body's frame.
        let frame = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let [now, then] = [from, to].map(|time| self.place(&frame, time));
        let axes = [1, 2, 3].iter();
        axes.fold(then[0], |at, &i| at + (then[i] - then[0]).scaled((now[i] - now[0]).dot(point - now[0])))
    }
}

/// Where the vertices of a body are as time goes by.
enum Way<'a> {
    Rigid(Ride),
    /// Of a body that deforms in the world.
    Deforming(&'a Frames),
}

impl<'a> Way<'a> {
    fn new(scene: &'a Scene, body: usize) -> Self {
        match &scene.bodies[body].motion {
            Motion::Deforming(frames) => Self::Deforming(frames),
            _ => Self::Rigid(Ride::new(scene, body)),
        }
    }

    fn place(&self, solid: &Solid, time: f64) -> Vec<Vector> {
        match self {
            Self::Rigid(ride) => ride.place(&solid.vertices, time),
            Self::Deforming(frames) => frames.place(time),
        }
    }
}

/// The meshes of two bodies, and how they lie to one another: the first is called moving, the other may stand or move too.
pub(crate) struct TruthCase<'a> {
    solids: [&'a Solid; 2],
    paths: [Way<'a>; 2],
    /// One body is asked about itself: features that have a vertex in common do not count.
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

/// Which side of the plane a b c the point d lies on: the sign of the volume of the tetrahedron.
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
    /// The question of two bodies of a scene.
    pub(crate) fn new(scene: &'a Scene, [moving, standing]: [usize; 2]) -> Self {
        let solids = [moving, standing].map(|i| scene.bodies[i].shape.solid());
        let paths = [moving, standing].map(|i| Way::new(scene, i));
        let edges = solids.map(Solid::edges);
        Self { solids, paths, of_itself: moving == standing, edges, duration: scene.duration }
    }

    /// All crossings at a time.
    fn crossings(&self, time: f64) -> Vec<Crossing> {
        let places = [0, 1].map(|i| self.paths[i].place(self.solids[i], time));
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
                        found.push(Crossing { of_moving: e == 0, edge: *edge, face: *face });
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

    /// Every span of time after `from` in which the surfaces intersect, and the contact with which it begins. Spans, and
    /// gaps, that are shorter than a `samples`-th of that time may escape: the scenes are made so that there are none.
    pub(crate) fn meetings(&self, from: f64, samples: u32) -> Vec<Interval> {
        let mut meetings = Vec::new();
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
                    meetings.push(Interval { enter, exit: Some(after), contact });
                }
            }
            last = now;
        }
        meetings.extend(open.map(|(enter, contact)| Interval { enter, exit: None, contact }));
        meetings
    }

    /// The contact with which an intersection begins between two times; none where it is not that of one pair of features,
    /// and of bodies that deform, of which reports have none.
    fn contact(&self, before: f64, after: f64) -> Option<Contact> {
        let [Way::Rigid(first), Way::Rigid(other)] = &self.paths else { return None };
        let paths = [first, other];
        let times = [before, before - 1e-6 * self.duration];
        // A little later, so that the crossings are those of the features and not yet those of their neighbours.
        let crossings = self.crossings(after + 1e-9 * self.duration);
        let [moving, standing]: [Vec<_>; 2] =
            [true, false].map(|of| crossings.iter().filter(|c| c.of_moving == of).copied().collect());
        let shared = |list: &[Crossing]| {
            let vertex = list[0].edge.into_iter().find(|v| list.iter().all(|c| c.edge.contains(v)))?;
            list.iter().all(|c| c.face == list[0].face).then_some((vertex, list[0].face))
        };
        let place = |i: usize, v: u32| paths[i].place(&[self.solids[i].vertices[v as usize]], after)[0];
        let across = |corners: [Vector; 3]| (corners[1] - corners[0]).cross(corners[2] - corners[0]).unit();
        let corners = |i: usize, face: u32| self.solids[i].triangles[face as usize].map(|v| place(i, v));
        if standing.is_empty() {
            let (vertex, face) = shared(&moving)?;
            let features = ("vertex-face", vec![vertex], vec![face]);
            return Some(towards(paths, times, features, (place(0, vertex), across(corners(1, face)))));
        }
        if moving.is_empty() {
            let (vertex, face) = shared(&standing)?;
            let features = ("face-vertex", vec![face], vec![vertex]);
            return Some(towards(paths, times, features, (place(1, vertex), across(corners(0, face)))));
        }
        let one = |list: &[Crossing]| list.iter().all(|c| c.edge == list[0].edge).then_some(list[0].edge);
        let (a, b) = (one(&moving)?, one(&standing)?);
        let ([p, q], [r, s]) = (a.map(|v| place(0, v)), b.map(|v| place(1, v)));
        let normal = (q - p).cross(s - r).unit();
        // The point of edge A in the plane of edge B and the normal.
        let plane = (s - r).cross(normal);
        let point = p + (q - p).scaled(plane.dot(r - p) / plane.dot(q - p));
        Some(towards(paths, times, ("edge-edge", a.to_vec(), b.to_vec()), (point, normal)))
    }
}

/// A contact with its normal turned the way in which the first body goes, as seen from the other, from the second time
/// to the first.
fn towards(paths: [&Ride; 2], [now, earlier]: [f64; 2], features: Named, at: (Vector, Vector)) -> Contact {
    let (point, axis) = at;
    // Where the matter of both that is at the point was a step ago.
    let [first, other] = paths.map(|path| path.follow(point, now, earlier));
    let approach = axis.dot(other - first);
    let normal = if approach.is_negative() { axis.scaled(-Double::ONE) } else { axis };
    // To a picometre: the last digits are those of the last digit of the time.
    let plain = |v: Vector| v.round().map(rounded);
    Contact { features: Some(features), point: Some(plain(point)), normal: Some(plain(normal)) }
}

/// Two features: their kind, and the numbers of each.
type Named = (&'static str, Vec<u32>, Vec<u32>);
