//! A square cloth that falls over a ball: a simulation as animation programs run it, kept simple.
//!
//! Each position advances by its last step and by gravity. Then the lengths of the threads are corrected one after the
//! other, and vertices inside the ball are pushed out (T. Jakobsen, "Advanced character physics", 2001). The ball
//! repels vertices only, and the cloth does not repel itself: a check finds these faults. The code uses only + - * /
//! and the square root, so every machine gives the same bits.

use glam::DVec3;

use crate::make_scenes::frames::{FrameFormat, Frames, in_single};
use crate::make_scenes::solid::{Solid, sheet};

/// Vertices along a side.
const SIDE: u32 = 13;
/// The length of a side, in metres.
const LENGTH: f64 = 1.0;
/// The initial position of the cloth's middle: slightly to the side of the ball, whose centre is the origin.
const MIDDLE: DVec3 = DVec3::new(0.02, 0.03, 0.26);
/// The initial height of one side above the opposite side.
const LEAN: f64 = 0.02;
/// The minimum distance of vertices from the centre of the ball, in metres.
pub(crate) const BALL: f64 = 0.2;
/// Frames per second, and the number of frames.
const FPS: f64 = 25.0;
const FRAMES: usize = 17;
/// Simulation steps per frame, and corrections of all threads per step.
const STEPS: u32 = 8;
const ROUNDS: u32 = 8;
/// The fraction of its speed that a vertex keeps per step, and the fraction that it loses on the ball.
const DAMPING: f64 = 0.999;
const FRICTION: f64 = 0.5;
/// The fraction of its error that a correction removes: of threads to neighbours, and of threads to the vertices
/// behind the neighbours.
const TIGHT: f64 = 1.0;
const STIFF: f64 = 0.002;

/// A thread between two vertices.
struct Thread {
    ends: [usize; 2],
    length: f64,
    correction: f64,
}

/// The cloth at its start, and its frames.
pub(crate) fn cloth() -> (Solid, Frames) {
    let step = LENGTH / f64::from(SIDE - 1);
    let grid = (0..SIDE).flat_map(|j| (0..SIDE).map(move |i| (f64::from(i) * step, f64::from(j) * step)));
    let corner = |x: f64, y: f64| DVec3::new(x - 0.5 * LENGTH, y - 0.5 * LENGTH, LEAN * (x - 0.5 * LENGTH));
    let mut places: Vec<DVec3> = grid.map(|(x, y)| MIDDLE + corner(x, y)).collect();
    let mut before = places.clone();
    let threads = threads(&places);
    let mut frames = vec![singles(&places)];
    for _ in 1..FRAMES {
        for _ in 0..STEPS {
            move_on(&mut places, &mut before);
            for _ in 0..ROUNDS {
                put_right(&threads, &mut places);
                push_out(&mut places, &mut before);
            }
        }
        frames.push(singles(&places));
    }
    let surface = Solid { vertices: frames[0].clone(), triangles: sheet([SIDE, SIDE]) };
    let times = (0_u32..).map(|i| f64::from(i) / FPS).take(FRAMES).collect();
    (surface, Frames { times, places: frames, format: FrameFormat::Pc2 })
}

/// The threads of each vertex: to its eight neighbours, and to the vertices two further along each side.
fn threads(places: &[DVec3]) -> Vec<Thread> {
    let number = |i: i64, j: i64| {
        let inside = |k: i64| (0..i64::from(SIDE)).contains(&k);
        (inside(i) && inside(j)).then(|| usize::try_from(j * i64::from(SIDE) + i).expect("not negative"))
    };
    let directions =
        [(1, 0, TIGHT), (0, 1, TIGHT), (1, 1, TIGHT), (1, -1, TIGHT), (2, 0, STIFF), (0, 2, STIFF)];
    let mut threads = Vec::new();
    for (i, j) in (0..i64::from(SIDE)).flat_map(|j| (0..i64::from(SIDE)).map(move |i| (i, j))) {
        for (across, along, correction) in directions {
            if let (Some(from), Some(to)) = (number(i, j), number(i + across, j + along)) {
                let length = (places[to] - places[from]).length();
                threads.push(Thread { ends: [from, to], length, correction });
            }
        }
    }
    threads
}

fn move_on(places: &mut [DVec3], before: &mut [DVec3]) {
    let step = 1.0 / (FPS * f64::from(STEPS));
    for (place, before) in places.iter_mut().zip(before) {
        let moved = (*place - *before) * DAMPING - DVec3::new(0.0, 0.0, 9.81 * step * step);
        *before = *place;
        *place += moved;
    }
}

fn put_right(threads: &[Thread], places: &mut [DVec3]) {
    for Thread { ends: [from, to], length, correction } in threads {
        let between = places[*to] - places[*from];
        let found = between.length();
        let moved = between * (0.5 * correction * (found - length) / found);
        places[*from] += moved;
        places[*to] -= moved;
    }
}

fn push_out(places: &mut [DVec3], before: &mut [DVec3]) {
    for (place, before) in places.iter_mut().zip(before) {
        let from_middle = place.length();
        if from_middle < BALL {
            *place *= BALL / from_middle;
            *before += (*place - *before) * FRICTION;
        }
    }
}

fn singles(places: &[DVec3]) -> Vec<[f64; 3]> {
    places.iter().map(|p| p.to_array().map(in_single)).collect()
}
