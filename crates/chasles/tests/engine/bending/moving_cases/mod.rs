//! Seeded features whose vertices move independently: of all kinds, many of them on the border between contact and
//! none.

pub mod twin;

use chasles::{MovingFeatures, MovingKind};
use chasles_testing::Random;
use glam::DVec3;

/// A test case.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    #[allow(dead_code, reason = "told where a case fails")]
    pub family: &'static str,
    pub features: MovingFeatures,
    pub distance: f64,
}

type Ends = [[DVec3; 4]; 2];

/// A family's name, and the function that makes its points.
type Family = (&'static str, fn(&mut Random) -> Ends);

/// All families, by how the eight points are made.
const FAMILIES: [Family; 15] = [
    ("random", random_points),
    ("whole numbers", whole),
    ("passing through", through),
    ("in one plane", in_one_plane),
    ("in one plane at the end", at_the_end),
    ("in one line", in_one_line),
    ("parallel", parallel),
    ("without extent", without_extent),
    ("shared points", shared),
    ("grazing", grazing),
    ("nearly grazing", nearly_grazing),
    ("at a corner", at_a_corner),
    ("far away", far),
    ("huge or tiny", scaled),
    ("slivers", slivers),
];

/// The test case of a seed.
pub fn question(seed: u64) -> Question {
    let random = &mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let (family, make) = FAMILIES[random.below(FAMILIES.len())];
    let [begin, end] = make(random);
    let kind = if random.below(2) == 0 { MovingKind::VertexFace } else { MovingKind::EdgeEdge };
    let size = begin.iter().chain(&end).map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let distance = match random.below(6) {
        0 => random.within(0.0, 0.5) * size,
        1 if family == "whole numbers" || family == "parallel" => [1.0, 2.0, 3.0, 5.0][random.below(4)],
        _ => 0.0,
    };
    Question { family, features: MovingFeatures { kind, start: begin, end }, distance }
}

fn points(random: &mut Random, mut one: impl FnMut(&mut Random) -> DVec3) -> Ends {
    [(); 2].map(|()| [(); 4].map(|()| one(random)))
}

fn random_points(random: &mut Random) -> Ends {
    points(random, |r| r.vector(1.0))
}

fn whole_vector(random: &mut Random, most: f64) -> DVec3 {
    (most * random.vector(1.0)).round()
}

fn whole(random: &mut Random) -> Ends {
    let most = [1.0, 2.0, 3.0, 8.0][random.below(4)];
    points(random, |r| whole_vector(r, most))
}

/// The first point starts on one side of the others' approximate plane and ends on the opposite side.
fn through(random: &mut Random) -> Ends {
    let mut ends = points(random, |r| r.vector(1.0) * DVec3::new(1.0, 1.0, 0.1));
    let middle = 0.3 * random.vector(1.0);
    ends[0][0] = middle + DVec3::Z;
    ends[1][0] = middle - DVec3::Z;
    ends
}

fn flat(v: DVec3) -> DVec3 {
    DVec3::new(v.x, v.y, 0.0)
}

/// In the plane z = 0, or a slanted one, at all times.
fn in_one_plane(random: &mut Random) -> Ends {
    let most = [3.0, 100.0][random.below(2)];
    let slant = random.below(2) == 0;
    points(random, |r| {
        let v = flat(whole_vector(r, most));
        if slant { DVec3::new(v.x, v.y, v.x - 2.0 * v.y) } else { v }
    })
}

fn at_the_end(random: &mut Random) -> Ends {
    let [begin, mut end] = whole(random);
    end = end.map(flat);
    if random.below(2) == 0 { [begin, end] } else { [end, begin] }
}

fn in_one_line(random: &mut Random) -> Ends {
    let way = whole_vector(random, 3.0);
    let aside = if random.below(2) == 0 { DVec3::ZERO } else { whole_vector(random, 2.0) };
    let mut ends = points(random, |r| (4.0 * r.side()).round() * way);
    // The line of the second pair passes the first.
    let (from, to) = (aside, if random.below(2) == 0 { -aside } else { aside });
    ends[0][2..].iter_mut().for_each(|p| *p += from);
    ends[1][2..].iter_mut().for_each(|p| *p += to);
    ends
}

fn parallel(random: &mut Random) -> Ends {
    let way = whole_vector(random, 3.0);
    let edges = |random: &mut Random| -> [DVec3; 4] {
        let [a, c] = [0; 2].map(|_| whole_vector(random, 3.0));
        [a, a + way, c, c + (2.0 * random.side()).round() * way]
    };
    [edges(random), edges(random)]
}

/// Some points coincide at one time, or at both.
fn without_extent(random: &mut Random) -> Ends {
    let mut ends = whole(random);
    for end in &mut ends {
        let (i, j) = (random.below(4), random.below(4));
        end[i] = end[j];
        if random.below(3) == 0 {
            end[3] = end[2];
        }
    }
    if random.below(3) == 0 {
        // A face that becomes a segment during the motion.
        ends[1][3] = 2.0 * ends[1][2] - ends[1][1];
    }
    ends
}

fn shared(random: &mut Random) -> Ends {
    let mut ends = random_points(random);
    let (i, j) = (random.below(4), random.below(4));
    for end in &mut ends {
        if random.below(3) > 0 {
            end[i] = end[j];
        }
    }
    ends
}

/// The height of the first point above the plane z = 0 is zero once, twice or three times at a round time.
fn grazing(random: &mut Random) -> Ends {
    let whole = |r: &mut Random| (3.0 * r.side()).round();
    let mut ends = points(random, |r| flat(whole_vector(r, 4.0)));
    // Heights of corners that rotate the face, and of the point: products of two of them give (1 - 2 t)^2 and the
    // like.
    let (a, b) = (whole(random), whole(random));
    ends[0][1].z = a;
    ends[1][1].z = -a;
    ends[0][0] = DVec3::new(a, b, a * b);
    ends[1][0] = DVec3::new(-a, -b, a * b);
    ends[0][2].z = whole(random);
    ends[1][2].z = -ends[0][2].z;
    ends
}

/// The height of the first point above a face is (1 - 2 t)^2, or the same with another round time, minus a small
/// number: two zeros close together.
fn nearly_grazing(random: &mut Random) -> Ends {
    let time = [0.5, 0.25, 0.75, 0.125][random.below(4)];
    // Two corners of the face rise in proportion to the point's own position along them, so that heights are squares.
    let size = [1.0, 3.0, 8.0][random.below(3)];
    let less = 2.0_f64.powf(-(random.below(60) as f64)) * random.side().signum();
    let at = |t: f64| {
        let x = size * (t - time);
        [
            DVec3::new(x, 0.0, less),
            DVec3::new(-9.0, -9.0, 9.0 * (t - time)),
            DVec3::new(9.0, -9.0, -9.0 * (t - time)),
            DVec3::new(0.0, 18.0, 0.0),
        ]
    };
    [at(0.0), at(1.0)]
}

/// The first point arrives exactly at a corner, or on an edge.
fn at_a_corner(random: &mut Random) -> Ends {
    let mut ends = points(random, |r| whole_vector(r, 8.0));
    let at = |i: usize, ends: &Ends| 0.5 * (ends[0][i] + ends[1][i]);
    let to = if random.below(2) == 0 { at(2, &ends) } else { 0.5 * (at(2, &ends) + at(3, &ends)) };
    let way = whole_vector(random, 4.0);
    (ends[0][0], ends[1][0]) = (to - way, to + way);
    ends
}

fn far(random: &mut Random) -> Ends {
    let centre = random.vector(1.0) * 10.0_f64.powf(random.below(9) as f64);
    through(random).map(|points| points.map(|p| p + centre))
}

fn scaled(random: &mut Random) -> Ends {
    let scale = 2.0_f64.powf(random.below(900) as f64 - 450.0);
    let ends = if random.below(2) == 0 { whole(random) } else { through(random) };
    ends.map(|points| points.map(|p| scale * p))
}

fn slivers(random: &mut Random) -> Ends {
    let mut ends = through(random);
    let thin = 10.0_f64.powf(-(random.below(12) as f64));
    for end in &mut ends {
        end[3] = 0.5 * (end[1] + end[2]) + thin * random.vector(1.0);
    }
    ends
}
