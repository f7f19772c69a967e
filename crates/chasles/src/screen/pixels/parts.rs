//! The parts of a body to draw: vertices, edges and faces of its leading or trailing parts, in the chart (Buss 2005,
//! "Pixel algorithm", second step).

use glam::DVec3;

use crate::screen::facing::{FacingMesh, Role};
use crate::screen::pixels::chart::{ChartCurvature, ChartExtent, PixelChart, Spot};

/// The parts of one body that matter.
#[derive(Debug)]
pub(crate) struct VisibleParts {
    pub(crate) vertices: Vec<PartVertex>,
    pub(crate) edges: Vec<PartEdge>,
    pub(crate) faces: Vec<PartFace>,
}

/// A vertex at which some face matters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartVertex {
    pub(crate) vertex: u32,
    pub(crate) rho: f64,
    pub(crate) w: f64,
    pub(crate) tau: f64,
}

/// The part of an edge at which some face matters. If two faces matter only at opposite ends, it includes the part
/// between.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartEdge {
    pub(crate) edge: u32,
    /// One end, in the frame of the chart, and the vector to the other end.
    pub(crate) from: DVec3,
    pub(crate) vector: DVec3,
    /// Both ends; along an edge u is monotone and changes by less than a turn.
    pub(crate) ends: [Spot; 2],
    pub(crate) extent: ChartExtent,
}

/// A whole face that matters in some part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartFace {
    pub(crate) face: u32,
    /// rho and w of the corners, in the same turn.
    pub(crate) corners: [[f64; 2]; 3],
    pub(crate) extent: ChartExtent,
    /// Maximum distance, in rho and w, of a point of the face on the screen from the triangle of its corners;
    /// infinite if the face is next to the axis.
    pub(crate) bulge: [f64; 2],
}

impl VisibleParts {
    /// The parts of a body that matter.
    pub(crate) fn new(faced: &FacingMesh<'_>, chart: &PixelChart) -> Self {
        let mesh = faced.mesh;
        let placed: Vec<DVec3> = (0..).zip(mesh.local()).map(|(v, _)| faced.vertex_in_frame(v)).collect();
        let frames: Vec<DVec3> = placed.iter().map(|place| chart.frame(*place)).collect();
        let sign = match faced.role {
            Role::A => 1.0,
            Role::B => -1.0,
        };
        // For vertices: their spots, if computed. For edges: the part that matters.
        let mut spots: Vec<Option<Spot>> = vec![None; frames.len()];
        let mut matters = vec![false; frames.len()];
        let mut matching = vec![[f64::INFINITY, f64::NEG_INFINITY]; mesh.edges().len()];
        let mut faces = Vec::with_capacity(mesh.triangles().len());
        for (face, corners) in (0_u32..).zip(mesh.triangles()) {
            let normal = faced.normal(face);
            let facing = corners.map(|v| sign * normal.dot(faced.flow.at(placed[v as usize])));
            if facing.iter().all(|g| *g <= faced.speed_tolerance) {
                continue;
            }
            for (v, g) in corners.iter().zip(facing) {
                matters[*v as usize] |= g > faced.speed_tolerance;
            }
            for (i, edge) in mesh.triangle_edges()[face as usize].iter().enumerate() {
                let (g, h) = (facing[i], facing[(i + 1) % 3]);
                if g <= faced.speed_tolerance && h <= faced.speed_tolerance {
                    continue;
                }
                let cut = g / (g - h);
                let interval = [if g <= 0.0 { cut } else { 0.0 }, if h <= 0.0 { cut } else { 1.0 }];
                let along = mesh.edges()[*edge as usize][0] == corners[i];
                let interval = if along { interval } else { [1.0 - interval[1], 1.0 - interval[0]] };
                let whole = &mut matching[*edge as usize];
                *whole = [whole[0].min(interval[0]), whole[1].max(interval[1])];
            }
            let places = corners.map(|v| frames[v as usize]);
            let corners =
                corners.map(|v| *spots[v as usize].get_or_insert_with(|| chart.spot(frames[v as usize])));
            faces.push(part_face(chart, face, &places, corners));
        }
        let mut edges = Vec::with_capacity(matching.len());
        for ((edge, interval), [v, w]) in (0_u32..).zip(&matching).zip(mesh.edges()) {
            if interval[0] > interval[1] || v == w {
                continue;
            }
            let ends = [v, w].map(|v| frames[*v as usize]);
            let spot = |i: usize, vertex: u32| match spots[vertex as usize] {
                Some(spot) if interval[i] == [0.0, 1.0][i] => spot,
                _ => chart.spot(ends[0] + interval[i] * (ends[1] - ends[0])),
            };
            let spots = [spot(0, *v), spot(1, *w)];
            let from = if interval[0] == 0.0 { ends[0] } else { ends[0] + interval[0] * (ends[1] - ends[0]) };
            let to = if interval[1] == 1.0 { ends[1] } else { ends[0] + interval[1] * (ends[1] - ends[0]) };
            edges.push(part_edge(chart, edge, [from, to], spots));
        }
        let vertex = |(v, spot): (u32, &Option<Spot>)| {
            let spot = spot.as_ref().filter(|_| matters[v as usize])?;
            Some(PartVertex { vertex: v, rho: spot.rho, w: chart.w(spot), tau: chart.tau(spot) })
        };
        let vertices = (0..).zip(&spots).filter_map(vertex).collect();
        Self { vertices, edges, faces }
    }
}

fn part_edge(chart: &PixelChart, edge: u32, [from, to]: [DVec3; 2], [start, end]: [Spot; 2]) -> PartEdge {
    let (vector, end) = (to - from, chart.nearest_turn(end, start.u));
    let extent = extent_between(chart, from, vector, [&start, &end]);
    PartEdge { edge, from, vector, ends: [start, end], extent }
}

/// The box of a segment, from one end and the vector to the other.
#[inline]
pub(crate) fn extent_between(
    chart: &PixelChart,
    from: DVec3,
    vector: DVec3,
    [p, q]: [&Spot; 2],
) -> ChartExtent {
    let foot = chart.foot(from, vector).map_or(f64::INFINITY, |(rho, _)| rho);
    let rho = [p.rho.min(q.rho).min(foot), p.rho.max(q.rho)];
    chart.extent(rho, [p.u, q.u], [p.z, q.z])
}

fn part_face(chart: &PixelChart, face: u32, places: &[DVec3; 3], spots: [Spot; 3]) -> PartFace {
    let spots =
        [spots[0], chart.nearest_turn(spots[1], spots[0].u), chart.nearest_turn(spots[2], spots[0].u)];
    let range = |x: [f64; 3]| [x[0].min(x[1]).min(x[2]), x[0].max(x[1]).max(x[2])];
    let (mut rho, mut u) = (range(spots.map(|s| s.rho)), range(spots.map(|s| s.u)));
    let mut longest_squared = 0.0_f64;
    for i in 0..3 {
        let side = places[(i + 1) % 3] - places[i];
        longest_squared = longest_squared.max(side.x * side.x + side.y * side.y);
        if let Some((foot, _)) = chart.foot(places[i], side) {
            rho[0] = rho[0].min(foot);
        }
    }
    let mut bulge = [f64::INFINITY; 2];
    if chart.axis_intersects(places) {
        // The face winds around the axis through a whole turn, so its image covers all turns.
        rho[0] = -chart.turn() / std::f64::consts::TAU;
        u = [u[0], u[0] + chart.turn()];
    } else {
        // The interpolation error over a triangle is at most half the second derivative times the squared radius of a
        // circle around the triangle, and this radius is at most the longest side / sqrt(3).
        let ChartCurvature { rho, w, .. } = chart.curvature_bounds(rho[0], 1.0);
        let squared = longest_squared / 6.0;
        let error = |bound: f64| if bound == 0.0 { 0.0 } else { bound * squared };
        bulge = [error(rho), error(w)];
    }
    let extent = chart.extent(rho, u, range(spots.map(|s| s.z)));
    PartFace { face, corners: spots.map(|s| [s.rho, chart.w(&s)]), extent, bulge }
}
