//! Compares the methods of Moore and Wilhelms (1988), sections 2.1 and 2.2, as published, with ours.

use std::error::Error;

use chasles::papers::flexible::{
    StepPassages, VertexSearch, VertexStep, VertexTest, vertices_through_triangles,
};
use chasles::papers::three_steps::{PointSelection, inside_points};
use chasles::{ContactFeatures, Mesh, MovingSurfaces, Pose, SelfTest, SurfaceStep};
use chasles_bench::program::table::{Cell, Table};
use chasles_bench::program::timing::timed;
use chasles_testing::Random;
use glam::DVec3;

use crate::BUDGET;

const PUBLISHED: VertexTest = VertexTest::Published { intervals: 16 };

const VERTICES: &str = "A crumpled sheet against itself in a step in which each vertex moves by up to 0.8 of a \
    square's side, on one core. *Missed* and *false*: vertices through triangles, compared with the events of \
    MovingSurfaces, which also finds the edges that meet; the methods of the paper do not test edges, which flatters \
    their times. The paper does not say on how many intervals it compares signs: here 16. Its octree holds all \
    vertices and is rebuilt for each step.";

const STEPS: &str = "Two ellipsoids with the given number of triangles, placed at random so that they overlap by \
    about half of their size. The search is for all points that are inside, or for one.";

struct Sheet {
    triangles: Vec<[u32; 3]>,
    started: Vec<DVec3>,
    end: Vec<DVec3>,
}

fn sheet(side: u32) -> Sheet {
    let random = &mut Random(u64::from(side));
    let mut triangles = Vec::new();
    for (i, j) in (1..side).flat_map(|j| (1..side).map(move |i| (i, j))) {
        let c = j * side + i;
        triangles.extend([[c - side - 1, c - side, c], [c - side - 1, c, c - 1]]);
    }
    let places = (0..side).flat_map(|j| (0..side).map(move |i| DVec3::new(f64::from(i), f64::from(j), 0.0)));
    let started: Vec<DVec3> = places.map(|place| place + random.vector(0.7)).collect();
    let end = started.iter().map(|place| *place + random.vector(0.8)).collect();
    Sheet { triangles, started, end }
}

pub(crate) fn tables() -> Result<[Table; 2], Box<dyn Error>> {
    let columns = ["", "vertices", "triangles", "tested", "in boxes", "missed", "false", "edges", "time"];
    let mut vertices = Table::new("Moore and Wilhelms: vertices through triangles", VERTICES, &columns);
    for side in [16, 32, 64, 128, 256] {
        rows(&mut vertices, side)?;
    }
    let mut steps =
        Table::new("Moore and Wilhelms: three steps", STEPS, &["", "triangles", "sides", "points", "time"]);
    for levels in [2, 3, 4] {
        inside_rows(&mut steps, levels)?;
    }
    Ok([vertices, steps])
}

/// The result of a method: passages of vertices through triangles, as (triangle, vertex), sorted.
type Pairs = Vec<(u32, u32)>;

fn rows(table: &mut Table, side: u32) -> Result<(), Box<dyn Error>> {
    let Sheet { triangles, started, end } = sheet(side);
    let counts = [started.len(), triangles.len()].map(|n| Cell::Count(n as u64));
    let mesh = Mesh::new(started.clone(), triangles.clone())?;
    let mut moving = MovingSurfaces::new(vec![(mesh, SelfTest::Tested)]);
    let (before, after) = ([started.clone()], [end.clone()]);
    let step = SurfaceStep { start: &before, end: &after };
    let (events, seconds) = timed(3, || moving.events(&step, 0.0, BUDGET));
    let events = events?.events;
    let mut truth: Pairs = Vec::new();
    for event in &events {
        if let ContactFeatures::VertexFace { a, b } = event.pair.features {
            truth.push((b, a));
        }
    }
    truth.sort_unstable();
    let edges = (events.len() - truth.len()) as u64;
    let [vertices, faces] = counts.clone();
    let ours = [vertices, faces, Cell::Empty, Cell::Empty, Cell::Count(0), Cell::Count(0)];
    table.row("MovingSurfaces", ours.into_iter().chain([Cell::Count(edges), Cell::Time(seconds)]));
    let step = VertexStep { triangles: &triangles, start: &started, end: &end };
    let methods = [
        ("published, octree", VertexSearch::Octree, PUBLISHED),
        ("corrected, octree", VertexSearch::Octree, VertexTest::Corrected),
        ("published, all pairs", VertexSearch::All, PUBLISHED),
    ];
    for (name, search, test) in methods {
        // The time of all pairs grows with the square of the number of vertices.
        if search == VertexSearch::All && side > 64 {
            continue;
        }
        let (found, seconds) = timed(3, || vertices_through_triangles(&step, (search, test), BUDGET));
        let StepPassages { passages, counters, .. } = found?;
        let answer: Pairs = passages.iter().map(|p| (p.triangle, p.vertex)).collect();
        let lacking = |of: &Pairs, from: &Pairs| {
            Cell::Count(of.iter().filter(|pair| from.binary_search(pair).is_err()).count() as u64)
        };
        let work = [counters.compared, counters.boxed].map(Cell::Count);
        let wrong = [lacking(&truth, &answer), lacking(&answer, &truth), Cell::Empty];
        table.row(name, counts.clone().into_iter().chain(work).chain(wrong).chain([Cell::Time(seconds)]));
    }
    Ok(())
}

/// An ellipsoid: an octahedron whose triangles are split into four, `levels` times.
fn ellipsoid(levels: u32, size: DVec3) -> Result<Mesh, chasles::Error> {
    let mut corners: Vec<[DVec3; 3]> = Vec::new();
    for i in 0..8_u32 {
        let sign = |bit: u32| if i & bit == 0 { 1.0 } else { -1.0 };
        let [x, y, z] = [DVec3::X * sign(1), DVec3::Y * sign(2), DVec3::Z * sign(4)];
        corners.push(if i.count_ones() % 2 == 0 { [x, y, z] } else { [y, x, z] });
    }
    for _ in 0..levels {
        let cut = |[a, b, c]: [DVec3; 3]| {
            let [p, q, r] = [(a + b).normalize(), (b + c).normalize(), (c + a).normalize()];
            [[a, p, r], [p, b, q], [r, q, c], [p, q, r]]
        };
        corners = corners.into_iter().flat_map(cut).collect();
    }
    let vertices = corners.iter().flatten().map(|corner| *corner * size).collect();
    Mesh::new(vertices, (0..).take(corners.len()).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
}

fn inside_rows(table: &mut Table, levels: u32) -> Result<(), Box<dyn Error>> {
    let random = &mut Random(u64::from(levels));
    let a = ellipsoid(levels, DVec3::new(1.0, 0.8, 1.2))?;
    let b = ellipsoid(levels, DVec3::new(0.9, 1.1, 1.0))?;
    let placed = Pose::new(random.direction(), random.rotation())?;
    for (name, selected) in [("all points", PointSelection::All), ("one point", PointSelection::One)] {
        let (found, seconds) = timed(3, || inside_points(&a, &b, &placed, selected));
        let points = found.points.iter().map(Vec::len).sum::<usize>() as u64;
        let counts = [a.triangles().len() as u64, found.sides, points].map(Cell::Count);
        table.row(name, counts.into_iter().chain([Cell::Time(seconds)]));
    }
    Ok(())
}
