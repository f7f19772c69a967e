//! Pictures of clouds and of parametric surfaces.

use glam::DVec3;

use crate::math::interval::RealInterval;
use crate::sets::volume::number_of;
use crate::shape::expression::TapeMemory;
use crate::shape::{Mesh, ParametricSurface, PointCloud, Tessellation};

/// The maximum number of cloud points that are drawn.
const MAX_POINTS: usize = 2500;

/// Up to this number, points are drawn as icosahedra; above it, as octahedra.
const FEW_POINTS: usize = 900;

/// The radius at which points without one are drawn, as a fraction of the cloud's diagonal.
const SHOWN_RADIUS: f64 = 0.003;

/// The approximate number of cells of a parametric surface's grid, and the minimum number along each parameter.
const CELLS: f64 = 4096.0;
const MIN_CELLS: f64 = 24.0;

/// A polyhedron around the origin, with its corners on the unit sphere.
struct Bead {
    corners: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
    /// The minimum distance of the faces from the origin.
    depth: f64,
}

/// Every point of a cloud as a polyhedron inside its ball. Above [`MAX_POINTS`], every k-th point only.
///
/// The deviation bounds the distance of any point of any ball from the drawn mesh. For points that are not drawn, the
/// distance is measured to the drawn point among their k neighbours in the list. It may be as large as the cloud.
pub(crate) fn sphere_meshes(cloud: &PointCloud, diagonal: f64) -> Option<Tessellation> {
    let every = cloud.points().len().div_ceil(MAX_POINTS).max(1);
    let point_radius = cloud.radius();
    let radius = if point_radius > 0.0 { point_radius } else { SHOWN_RADIUS * diagonal };
    let bead = if cloud.points().len() <= FEW_POINTS { icosahedron() } else { octahedron() };
    let mut vertices = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let mut omission: f64 = 0.0;
    for run in cloud.points().chunks(every) {
        let first = number_of(vertices.len());
        vertices.extend(bead.corners.iter().map(|corner| run[0] + radius * *corner));
        triangles.extend(bead.faces.iter().map(|face| face.map(|v| first + v)));
        omission = run.iter().map(|p| p.distance(run[0])).fold(omission, f64::max);
    }
    // Every point of the sphere lies above a face, and the centre is no further from the faces than the corners are.
    let of_bead = if point_radius > 0.0 { point_radius * (1.0 - bead.depth) } else { radius };
    let deviation = if omission > 0.0 { omission + radius.max(2.0 * point_radius) } else { of_bead };
    Some(Tessellation { mesh: Mesh::new(vertices, triangles).ok()?, deviation: deviation * (1.0 + 1e-9) })
}

fn octahedron() -> Bead {
    let corners = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]).collect();
    let faces = vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    Bead { corners, faces, depth: 1.0 / 3_f64.sqrt() }
}

fn icosahedron() -> Bead {
    let long = 0.5 * (1.0 + 5_f64.sqrt());
    let corner = |n: u32| {
        let [one, two] = [1.0, long].map(|x| x / (1.0 + long * long).sqrt()).map(|x| [x, -x]);
        let (one, two) = (one[n as usize / 2 % 2], two[n as usize % 2]);
        match n / 4 {
            0 => DVec3::new(0.0, one, two),
            1 => DVec3::new(one, two, 0.0),
            _ => DVec3::new(two, 0.0, one),
        }
    };
    let corners: Vec<DVec3> = (0..12).map(corner).collect();
    // Three corners make a face if they are pairwise neighbours.
    let are_adjacent = |p: u32, q: u32| corners[p as usize].dot(corners[q as usize]) > 0.4;
    let mut faces = Vec::new();
    for p in 0..12 {
        for q in p + 1..12 {
            for r in q + 1..12 {
                if are_adjacent(p, q) && are_adjacent(q, r) && are_adjacent(r, p) {
                    let [a, b, c] = [p, q, r].map(|n| corners[n as usize]);
                    faces.push(if (b - a).cross(c - a).dot(a) > 0.0 { [p, q, r] } else { [p, r, q] });
                }
            }
        }
    }
    Bead { corners, faces, depth: 0.794_654_47 }
}

/// A parametric surface as a grid of its points.
///
/// The deviation is proven by the mean value theorem. Over a cell, the surface is within a thickness of a
/// parallelogram ([`patches`](crate::sets::tree::patches)), and the triangles' corners are within the same thickness
/// of the parallelogram's corners. Cells that have a corner without a value are omitted; then the deviation is the
/// diagonal of the bounds.
pub(crate) fn sheet(surface: &ParametricSurface, diagonal: f64) -> Option<Tessellation> {
    let ranges = surface.ranges();
    let parameters = |counts: [usize; 2], at: [usize; 2]| {
        [0, 1].map(|i| {
            let [from, to] = ranges[i];
            if at[i] == counts[i] { to } else { from + (to - from) * (at[i] as f64 / counts[i] as f64) }
        })
    };
    let point = |uv: [f64; 2]| {
        let at = surface.coordinates().each_ref().map(|formula| formula.value(&uv));
        surface.scale() * DVec3::from_array(at)
    };
    // The number of cells along each parameter depends on the longest curve along it.
    let coarse = [12; 2];
    let length = |along: usize| {
        let curve_length = |across: usize| {
            let at = |n: usize| point(parameters(coarse, if along == 0 { [n, across] } else { [across, n] }));
            (0..12).map(|n| at(n).distance(at(n + 1))).filter(|step| step.is_finite()).sum::<f64>()
        };
        (0..=12).map(curve_length).fold(0.0, f64::max)
    };
    let ratio = (length(0) / length(1)).sqrt();
    let cells = |ratio: f64| {
        let max_cells = CELLS / MIN_CELLS;
        let ideal = CELLS.sqrt() * if ratio > 0.0 && ratio.is_finite() { ratio } else { 1.0 };
        #[expect(clippy::cast_possible_truncation, reason = "between two small constants")]
        let count = ideal.clamp(MIN_CELLS, max_cells).ceil() as usize;
        count
    };
    let counts = [cells(ratio), cells(1.0 / ratio)];
    let all = (0..=counts[0]).flat_map(|i| (0..=counts[1]).map(move |j| [i, j]));
    let mut vertices: Vec<DVec3> = all.map(|at| point(parameters(counts, at))).collect();
    let mut triangles = Vec::new();
    let mut deviation: f64 = 0.0;
    let mut memory = TapeMemory::default();
    for (i, j) in (0..counts[0]).flat_map(|i| (0..counts[1]).map(move |j| (i, j))) {
        let number = |i: usize, j: usize| number_of(i * (counts[1] + 1) + j);
        let [p, q, r, s] = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
        if [p, q, r, s].iter().any(|v| vertices[*v as usize].abs().max_element() >= 1e69)
            || [p, q, r, s].iter().any(|v| !vertices[*v as usize].is_finite())
        {
            deviation = diagonal;
            continue;
        }
        triangles.extend([[p, q, r], [p, r, s]]);
        let ([u, v], [u_end, v_end]) = (parameters(counts, [i, j]), parameters(counts, [i + 1, j + 1]));
        deviation = deviation.max(chord_error(surface, [[u, u_end], [v, v_end]], &mut memory).min(diagonal));
    }
    vertices.iter_mut().filter(|vertex| !vertex.is_finite()).for_each(|vertex| *vertex = DVec3::ZERO);
    Some(Tessellation { mesh: Mesh::new(vertices, triangles).ok()?, deviation })
}

/// An upper bound of the distance of the surface from the two triangles between its points at the corners of a cell.
fn chord_error(surface: &ParametricSurface, ranges: [[f64; 2]; 2], memory: &mut TapeMemory) -> f64 {
    let middle = ranges.map(|[from, to]| 0.5 * (from + to));
    let half = [0, 1].map(|i| (ranges[i][1] - middle[i]).max(middle[i] - ranges[i][0]));
    let [u, v] = middle.map(RealInterval::point);
    let sides = [half[0], half[1], 0.0].map(|half| half * (1.0 + 4.0 * f64::EPSILON));
    let mut thickness = DVec3::ZERO;
    let mut size = DVec3::ZERO;
    for (axis, formula) in surface.coordinates().iter().enumerate() {
        let (_, rest, range) = formula.linear(&[u, v, RealInterval::ZERO], &sides, memory);
        size[axis] = range.width();
        thickness[axis] = rest.width();
    }
    let (thick, size) = (thickness.length(), size.length());
    // A NaN bounds nothing.
    let deviation = if thick < size { thick } else { size };
    if deviation.is_nan() { f64::INFINITY } else { surface.scale() * deviation * (1.0 + 1e-9) }
}
