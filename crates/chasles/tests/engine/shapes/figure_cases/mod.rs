//! Scenes of figures made of triangles and round cores, attached to carriers through several keys. Distances are
//! computed by brute force, every triangle of one figure with every triangle of the other, and without the engine's
//! arithmetic.

pub(crate) mod soups;

use std::sync::Arc;

use chasles::{
    BodyMotion, CollisionShape, Curve, PartShape, Pose, Primitive, Scene, SceneBody, Screw, Solid, SolidPart,
};
use chasles_testing::Random;
use glam::{DMat3, DQuat, DVec3};

use crate::shapes::solid_cases::truth::{Axis, Frame, Inside, Set, Way, turn};
use crate::shapes::solid_cases::{
    BOXES, Thing, ball, box_in_guise, capsule, formula, local, moved, part, scene,
};
use soups::{Core, Near, nearest};

/// A figure, for the engine and for the brute-force computation.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) cores: Vec<Core>,
    shape: CollisionShape,
    pub(crate) guise: String,
    solid: bool,
}

/// How a body moves on its carrier.
#[derive(Debug, Clone)]
enum Move {
    Along(Way),
    /// Straight between positions, and about an axis from key to key.
    Keys {
        times: Vec<f64>,
        places: Vec<DVec3>,
        turns: Vec<DMat3>,
        axes: Vec<(DVec3, f64)>,
    },
}

impl Move {
    fn at(&self, time: f64) -> Frame {
        match self {
            Self::Along(way) => way.at(time),
            Self::Keys { times, places, turns, axes } => {
                let key = times.iter().skip(1).take_while(|key| **key <= time).count().min(axes.len() - 1);
                let share = ((time - times[key]) / (times[key + 1] - times[key])).clamp(0.0, 1.0);
                let (axis, angle) = axes[key];
                let place = places[key] + share * (places[key + 1] - places[key]);
                Frame { turn: turn(axis, share * angle) * turns[key], place }
            }
        }
    }
}

/// Two figures on carriers.
#[derive(Debug, Clone)]
pub(crate) struct Ride {
    pub(crate) figures: [Figure; 2],
    /// The motions of both figures, then the motions of their carriers.
    moves: Vec<(Move, BodyMotion, Option<usize>)>,
    pub(crate) duration: f64,
    pub(crate) epsilon: f64,
}

impl Ride {
    pub(crate) fn scene(&self) -> Scene {
        let body = |(number, (_, motion, parent)): (usize, &(Move, BodyMotion, Option<usize>))| SceneBody {
            name: format!("body {number}"),
            shape: self.figures.get(number).map(|figure| figure.shape.clone()),
            motion: motion.clone(),
            parent: *parent,
            group: None,
            solid: self.figures.get(number).is_some_and(|figure| figure.solid),
        };
        scene(self.moves.iter().enumerate().map(body).collect(), self.duration, self.epsilon)
    }

    /// The frame of a body in the world.
    pub(crate) fn frame(&self, body: usize, time: f64) -> Frame {
        let (moves, _, parent) = &self.moves[body];
        let own = moves.at(time);
        match parent {
            None => own,
            Some(parent) => {
                let above = self.frame(*parent, time);
                Frame { turn: above.turn * own.turn, place: above.out(own.place) }
            }
        }
    }

    /// The nearest points of both figures in the world.
    pub(crate) fn nearest(&self, time: f64) -> Near {
        let placed = [0, 1].map(|i| {
            let frame = self.frame(i, time);
            self.figures[i].cores.iter().map(|core| core.placed(|p| frame.out(p))).collect::<Vec<_>>()
        });
        nearest(&placed[0], &placed[1])
    }

    /// The distance of a point of the world from a figure; negative inside.
    pub(crate) fn level(&self, body: usize, time: f64, p: DVec3) -> f64 {
        let own = self.frame(body, time).back(p);
        self.figures[body].cores.iter().map(|core| core.level(own)).fold(f64::INFINITY, f64::min)
    }

    pub(crate) fn description(&self) -> String {
        let guises = self.figures.each_ref().map(|figure| (figure.guise.clone(), figure.solid));
        let motions: Vec<_> = self.moves.iter().map(|(_, motion, parent)| (motion, parent)).collect();
        format!("{guises:?} {motions:?} duration {} epsilon {}", self.duration, self.epsilon)
    }
}

fn solid_of(parts: Vec<SolidPart>) -> CollisionShape {
    CollisionShape::solid(Arc::new(Solid::new(parts).unwrap())).unwrap()
}

fn figure_of(thing: Thing, solid: bool) -> Figure {
    let frame = thing.placed.frame;
    let core = match &thing.placed.set {
        Set::Box { half } => Core::cuboid(*half),
        Set::Capsule { half, radius } => Core::round([*half * DVec3::Z, -*half * DVec3::Z], *radius),
        Set::Balls(balls) => Core::round([balls[0].0; 2], balls[0].1),
        other => panic!("no core of {other:?}"),
    };
    let solid = solid && thing.guise != "cloud" && thing.placed.inside == Inside::Filled;
    Figure { cores: vec![core.placed(|p| frame.out(p))], shape: thing.shape, guise: thing.guise, solid }
}

/// A random figure that the engine follows as a set.
pub(crate) fn figure(random: &mut Random) -> Figure {
    let half = DVec3::new(random.within(0.1, 0.4), random.within(0.1, 0.4), random.within(0.1, 0.4));
    let solid = random.one_in(2);
    match random.below(8) {
        0 => figure_of(ball(random, 0.3), solid),
        1 => figure_of(capsule(random, (half.x, half.z)), solid),
        2 => {
            // An octahedron.
            let text = format!("abs(x)/{} + abs(y)/{} + abs(z)/{} - 1", half.x, half.y, half.z);
            let shape = solid_of(vec![part(formula(&text, 1.2 * half))]);
            Figure { cores: vec![Core::octahedron(half)], shape, guise: "octahedron".into(), solid: true }
        }
        3 => {
            // Two boxes, one of which is displaced.
            let other = DVec3::new(half.z, 0.5 * half.x, half.y);
            let aside = DVec3::new(half.x, 0.4 * half.y, -0.3 * half.z);
            let cuboid = |half: DVec3| PartShape::Primitive(Primitive::Box { size: 2.0 * half });
            let parts =
                vec![part(cuboid(half)), moved(cuboid(other), aside), part(PartShape::Union(vec![0, 1]))];
            let cores = vec![Core::cuboid(half), Core::cuboid(other).placed(|p| p + aside)];
            Figure { cores, shape: solid_of(parts), guise: "two boxes aside".into(), solid: true }
        }
        _ => {
            let own = local(random);
            let guise = BOXES[random.below(BOXES.len())];
            figure_of(box_in_guise(random, half, guise, own), solid)
        }
    }
}

/// A motion from a position, which mostly leads past the origin.
fn moves(random: &mut Random, (from, duration): (DVec3, f64)) -> (Move, BodyMotion) {
    let (axis, angle) = (random.direction(), random.within(0.0, 3.0));
    let pose = Pose::new(from, DQuat::from_axis_angle(axis, angle)).unwrap();
    let start = Frame { turn: turn(axis, angle), place: from };
    let goal = random.vector(0.3);
    match random.below(4) {
        0 => {
            let linear = (goal - from) * random.within(0.8, 1.6) / duration;
            let angular = random.vector(2.0) / duration;
            (
                Move::Along(Way::Twist { start, linear, angular }),
                BodyMotion::Twist { start: pose, linear, angular },
            )
        }
        1 => {
            let axis = Axis {
                direction: random.direction(),
                point: random.vector(1.0),
                slide: random.within(-1.0, 1.0),
                angle: random.within(-2.0, 2.0),
            };
            let screw = Screw::about(pose, axis.direction, axis.point, axis.slide, axis.angle).unwrap();
            let way = Way::Steps { start, times: vec![0.0, duration], axes: vec![axis] };
            (Move::Along(way), BodyMotion::Screw(screw))
        }
        _ => {
            let count = 3 + random.below(3);
            let mut times = vec![duration * random.within(-0.2, 0.2)];
            let (mut places, mut turns, mut axes) = (vec![from], vec![start.turn], Vec::new());
            let mut rotations = vec![pose.rotation()];
            for k in 1..count {
                times.push(times[k - 1] + duration * random.within(0.1, 0.5));
                places.push(goal + random.vector(0.7));
                let (axis, angle) = (random.direction(), random.within(0.1, 1.5));
                axes.push((axis, angle));
                turns.push(turn(axis, angle) * turns[k - 1]);
                rotations.push(DQuat::from_axis_angle(axis, angle) * rotations[k - 1]);
            }
            let position = Curve::Linear(times.iter().copied().zip(places.iter().copied()).collect());
            let rotation = Curve::Linear(times.iter().copied().zip(rotations).collect());
            (Move::Keys { times, places, turns, axes }, BodyMotion::Curves { position, rotation })
        }
    }
}

/// A scene of two figures.
pub(crate) fn ride(random: &mut Random) -> Ride {
    // At least one figure is followed as a set, and not as a primitive or mesh.
    let figures = loop {
        let made = [figure(random), figure(random)];
        let is_old = |figure: &Figure| matches!(figure.guise.as_str(), "primitive" | "sphere" | "mesh");
        if !made.iter().all(is_old) {
            break made;
        }
    };
    let duration = 10.0_f64.powf(random.within(-0.5, 0.5));
    let epsilon = 10.0_f64.powf(random.within(-6.0, -5.0));
    let mut all = Vec::new();
    for from in [1.2 * random.direction(), 1.2 * random.direction()] {
        let (own, motion) = moves(random, (from, duration));
        all.push((own, motion, None));
    }
    for carrier in 2..2 + random.below(3) {
        let from = random.vector(0.3);
        let (own, motion) = moves(random, (from, duration));
        let above = (carrier > 2 && random.one_in(2)).then_some(2);
        all.push((own, motion, above));
    }
    let carriers = all.len() - 2;
    for (body, (.., above)) in all.iter_mut().take(2).enumerate() {
        let on = random.below(carriers + 2);
        *above = match on {
            0 => None,
            // The second is attached to the first.
            1 if body == 1 => Some(0),
            1 => None,
            carrier => Some(carrier),
        };
    }
    Ride { figures, moves: all, duration, epsilon }
}
