//! Pictures of solids: a closed mesh of a solid's surface, at the resolution of a grid.
//!
//! Dual contouring (Ju, Losasso, Schaefer, Warren: "Dual Contouring of Hermite Data", SIGGRAPH 2002, section 2): on
//! each grid edge with one end inside and the other outside, the surface point and its normal are computed. Each
//! cell with such edges gets one vertex, near the intersection of the tangent planes at these points, so that edges
//! and corners of the solid stay sharp. The four cells around each such edge make two triangles.
//!
//! Large blocks of the grid are first decided as a whole, and programs are reduced to the part that a block needs,
//! so that points are evaluated only near the surface. The mesh is for display only: no answer depends on it.

use glam::{DMat3, DVec3};

use crate::sets::program::leaf::Form;
use crate::sets::program::reduce::Reduced;
use crate::sets::program::region::Region;
use crate::sets::program::{Op, Program, ProgramMemory};
use crate::sets::volume::number_of;
use crate::shape::{Mesh, Tessellation};

/// Cells along the longest side of the bounds. If the work exceeds the limit, the next smaller number is tried.
const CELLS: [usize; 3] = [36, 18, 9];

/// The minimum number of cells along any side.
const MIN_CELLS: usize = 6;

/// The limit of work for each try, in units of about 20 ns.
const WORK: u64 = 4_000_000;

/// The grid extends beyond the bounds by this fraction of a cell. This makes it unlikely that sides of boxes lie on
/// grid points.
const BEYOND: f64 = 0.31;

/// The surface point on an edge is accurate to this fraction of the edge.
const NEAR: f64 = 1e-4;

/// The weight that pulls a vertex to the mean of its surface points.
const PULL_TO_MEAN: f64 = 1e-3;

/// The mesh of a solid's surface within its bounds; `None` if there is no surface, or the work exceeds the limit.
///
/// The deviation is proven, but coarse: every point of the surface lies in a cell of the grid, and the deviation is
/// the cell's diagonal times one more than the largest number of cells between such a cell and the nearest cell with
/// a vertex.
pub(crate) fn polygons(program: &Program, bounds: [DVec3; 2]) -> Option<Tessellation> {
    CELLS.into_iter().find_map(|max_cells| Contouring::new(program, bounds, max_cells)?.mesh())
}

/// A grid, the values at its points, and the vertices of its cells.
struct Contouring<'s> {
    program: &'s Program,
    memory: ProgramMemory,
    counts: [usize; 3],
    origin: DVec3,
    step: DVec3,
    /// An estimate of each point's signed distance, positive outside; NaN: not computed yet.
    values: Vec<f64>,
    /// The reduced program of each undecided block.
    blocks: Vec<Vec<Op>>,
    /// The undecided block of each cell.
    block_of: Vec<u32>,
    /// The remaining work.
    remaining: u64,
    rounding: f64,
}

/// A surface point on an edge of the grid, and the outward normal.
type EdgeCrossing = (DVec3, DVec3);

/// In place of the number of a vertex or block: there is none.
const NONE: u32 = u32::MAX;

impl<'s> Contouring<'s> {
    fn new(program: &'s Program, [min_corner, max_corner]: [DVec3; 2], max_cells: usize) -> Option<Self> {
        let size = max_corner - min_corner;
        let longest = size.max_element();
        if !(longest > 0.0 && longest < 1e60) {
            return None;
        }
        let size = size.max(DVec3::splat(1e-6 * longest));
        let fitted = |axis: usize| {
            (MIN_CELLS..max_cells).find(|n| *n as f64 * longest >= max_cells as f64 * size[axis])
        };
        let counts = [0, 1, 2].map(|axis| fitted(axis).unwrap_or(max_cells));
        let step = size / (DVec3::from_array(counts.map(|n| n as f64)) - 2.0 * BEYOND);
        let origin = 0.5 * (min_corner + max_corner) - 0.5 * size - BEYOND * step;
        let far = origin.abs().element_sum() + size.element_sum();
        let points = counts.iter().map(|n| n + 1).product();
        Some(Self {
            program,
            memory: ProgramMemory::default(),
            counts,
            origin,
            step,
            values: vec![f64::NAN; points],
            blocks: Vec::new(),
            block_of: vec![NONE; counts.iter().product()],
            remaining: WORK,
            rounding: 1e-12 * far,
        })
    }

    fn point(&self, at: [usize; 3]) -> DVec3 {
        self.origin + self.step * DVec3::from_array(at.map(|n| n as f64))
    }

    /// The index of a grid point.
    fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * (self.counts[1] + 1) + j) * (self.counts[2] + 1) + k
    }

    /// The index of a cell.
    fn cell(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.counts[1] + j) * self.counts[2] + k
    }

    fn is_inside(&self, at: [usize; 3]) -> bool {
        self.values[self.number(at)] <= 0.0
    }

    /// Subtracts the work of evaluating a program from the rest; `None` if it does not suffice.
    fn spend(&mut self, ops: &[Op]) -> Option<()> {
        let work = |op: &Op| match op {
            Op::Leaf { leaf, .. } | Op::Cut { leaf } => match self.program.leaves[*leaf as usize].form() {
                Form::Formula(formula) => 4 + 2 * formula.length() as u64,
                Form::Mesh(_) => 100,
                Form::Grid(_) => 16,
                Form::Quadric { .. } | Form::Capsule { .. } => 4,
            },
            Op::Plane { .. } | Op::All(_) | Op::Any(_) => 1,
        };
        self.remaining = self.remaining.checked_sub(ops.iter().map(work).sum())?;
        Some(())
    }

    fn reduced(&mut self, ops: &[Op], from: [usize; 3], to: [usize; 3]) -> Option<Reduced> {
        self.spend(ops)?;
        let region = Region::between([self.point(from), self.point(to)]);
        Some(self.program.reduced(ops, &region, &mut self.memory))
    }

    fn level(&mut self, block: u32, at: DVec3) -> Option<(f64, DVec3)> {
        let program = self.program;
        // Takes the list out while the memory is borrowed.
        let block_ops = self.blocks.get_mut(block as usize).map(std::mem::take);
        let ops = block_ops.as_ref().unwrap_or(&program.ops);
        let spent = self.spend(ops);
        let level = program.level(ops, at, self.rounding, &mut self.memory);
        if let Some(block_ops) = block_ops {
            self.blocks[block as usize] = block_ops;
        }
        spent?;
        level
    }

    /// Computes the values of all grid points. `None`: the work ran out.
    fn evaluate(&mut self) -> Option<()> {
        let mut open = vec![([0; 3], self.counts, self.program.ops.clone())];
        while let Some((from, to, ops)) = open.pop() {
            let known = match self.reduced(&ops, from, to)? {
                Reduced::Inside => f64::NEG_INFINITY,
                Reduced::Outside => f64::INFINITY,
                Reduced::Undecided(undecided) => {
                    let size = [0, 1, 2].map(|axis| to[axis] - from[axis]);
                    let axis = (0..3).max_by_key(|axis| size[*axis]).unwrap_or(0);
                    if size[axis] <= 2 {
                        self.evaluate_block(from, to, undecided.ops)?;
                        continue;
                    }
                    let middle = from[axis] + size[axis] / 2;
                    let (mut low, mut high) = (to, from);
                    (low[axis], high[axis]) = (middle, middle);
                    open.push((high, to, undecided.ops.clone()));
                    open.push((from, low, undecided.ops));
                    continue;
                }
            };
            for at in grid_points(from, to.map(|n| n + 1)) {
                let number = self.number(at);
                if self.values[number].is_nan() {
                    self.values[number] = known;
                }
            }
        }
        // Treats the grid's boundary as outside, so that the mesh is closed, whatever formulas do there.
        for at in grid_points([0; 3], self.counts.map(|n| n + 1)) {
            if (0..3).any(|axis| at[axis] == 0 || at[axis] == self.counts[axis]) {
                let number = self.number(at);
                self.values[number] = self.values[number].abs();
            }
        }
        Some(())
    }

    fn evaluate_block(&mut self, from: [usize; 3], to: [usize; 3], ops: Vec<Op>) -> Option<()> {
        let block = u32::try_from(self.blocks.len()).ok()?;
        self.blocks.push(ops);
        for at in grid_points(from, to) {
            let cell = self.cell(at);
            self.block_of[cell] = block;
        }
        for at in grid_points(from, to.map(|n| n + 1)) {
            let number = self.number(at);
            if self.values[number].is_nan() {
                self.values[number] = self.level(block, self.point(at))?.0;
            }
        }
        Some(())
    }

    /// The mesh of the surface.
    fn mesh(mut self) -> Option<Tessellation> {
        self.evaluate()?;
        let mut crossings: Vec<Vec<EdgeCrossing>> = Vec::new();
        let mut vertex_of = vec![NONE; self.block_of.len()];
        let mut cells: Vec<[usize; 3]> = Vec::new();
        let mut quads: Vec<[u32; 4]> = Vec::new();
        for at in grid_points([0; 3], self.counts) {
            for axis in 0..3 {
                let mut end = at;
                end[axis] += 1;
                let (starts_inside, ends_inside) = (self.is_inside(at), self.is_inside(end));
                if starts_inside == ends_inside {
                    continue;
                }
                let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
                // An edge with one end inside is not on the grid's boundary, so it has four cells.
                let mut around = [at; 4];
                around[0][b] -= 1;
                around[0][c] -= 1;
                around[1][c] -= 1;
                around[3][b] -= 1;
                let crossing = self.crossing([at, end], &around)?;
                let mut quad = around.map(|cell| {
                    let vertex = &mut vertex_of[self.cell(cell)];
                    if *vertex == NONE {
                        *vertex = number_of(cells.len());
                        cells.push(cell);
                        crossings.push(Vec::with_capacity(8));
                    }
                    crossings[*vertex as usize].push(crossing);
                    *vertex
                });
                if ends_inside {
                    quad.reverse();
                }
                quads.push(quad);
            }
        }
        let mut vertices = Vec::with_capacity(cells.len());
        for (cell, crossings) in cells.iter().zip(&crossings) {
            vertices.push(self.vertex(*cell, crossings)?);
        }
        let distance = |p: u32, q: u32| vertices[p as usize].distance_squared(vertices[q as usize]);
        let halves = |[p, q, r, s]: [u32; 4]| {
            // Splits along the shorter diagonal.
            if distance(p, r) <= distance(q, s) { [[p, q, r], [p, r, s]] } else { [[q, r, s], [q, s, p]] }
        };
        let triangles: Vec<[u32; 3]> = quads.into_iter().flat_map(halves).collect();
        let deviation = self.deviation(&vertex_of)?;
        Some(Tessellation { mesh: Mesh::new(vertices, triangles).ok()?, deviation })
    }

    /// The surface point on an edge of which one end is inside.
    fn crossing(&mut self, ends: [[usize; 3]; 2], around: &[[usize; 3]; 4]) -> Option<EdgeCrossing> {
        let block = around.iter().map(|cell| self.block_of[self.cell(*cell)]).min().unwrap_or(NONE);
        let ends = if self.is_inside(ends[0]) { ends } else { [ends[1], ends[0]] };
        let [from, to] = ends.map(|end| self.point(end));
        let [mut low, mut high] = ends.map(|end| self.values[self.number(end)]);
        let [mut inside, mut outside] = [0.0, 1.0];
        let near = NEAR * from.distance(to);
        let mut best = (0.5 * (from + to), DVec3::ZERO);
        for iteration in 0..8 {
            let fraction = low / (low - high);
            // Every third step bisects: the secant method alone may stay on one side.
            let fraction =
                if iteration % 3 == 2 || !fraction.is_finite() { 0.5 } else { fraction.clamp(0.02, 0.98) };
            let at = inside + fraction * (outside - inside);
            let point = from + at * (to - from);
            let (value, normal) = self.level(block, point)?;
            best = (point, normal);
            if value.abs() <= near {
                break;
            }
            if value <= 0.0 { (inside, low) = (at, value) } else { (outside, high) = (at, value) }
        }
        Some(best)
    }

    /// The vertex of a cell: near the intersection of the tangent planes at its surface points.
    fn vertex(&mut self, cell: [usize; 3], crossings: &[EdgeCrossing]) -> Option<DVec3> {
        let count = crossings.len() as f64;
        let middle = crossings.iter().map(|(point, _)| *point).sum::<DVec3>() / count;
        let mut matrix = DMat3::from_diagonal(DVec3::splat(PULL_TO_MEAN * count));
        let mut right = DVec3::ZERO;
        for (point, normal) in crossings {
            matrix += DMat3::from_cols(normal.x * *normal, normal.y * *normal, normal.z * *normal);
            right += normal.dot(*point - middle) * *normal;
        }
        let low = self.point(cell);
        let high = self.point(cell.map(|n| n + 1));
        let within = |p: DVec3| if p.is_finite() { p.clamp(low, high) } else { middle.clamp(low, high) };
        let mut vertex = within(middle + matrix.inverse() * right);
        let block = self.block_of[self.cell(cell)];
        for _ in 0..2 {
            let (value, normal) = self.level(block, vertex)?;
            vertex = within(vertex - value * normal);
        }
        Some(vertex)
    }

    /// An upper bound of the distance from any surface point to the nearest vertex.
    fn deviation(&mut self, vertex_of: &[u32]) -> Option<f64> {
        // The number of cells from each cell to the nearest cell with a vertex; diagonal steps count 1.
        let mut away = vec![usize::MAX; vertex_of.len()];
        let all = || grid_points([0; 3], self.counts);
        let mut frontier: Vec<[usize; 3]> = all().filter(|at| vertex_of[self.cell(*at)] != NONE).collect();
        if frontier.is_empty() {
            return None;
        }
        frontier.iter().for_each(|at| away[self.cell(*at)] = 0);
        for distance in 1.. {
            let mut next = Vec::new();
            for at in frontier {
                let min_corner = at.map(|n| n.saturating_sub(1));
                let ends = [0, 1, 2].map(|axis| (at[axis] + 2).min(self.counts[axis]));
                for neighbour in grid_points(min_corner, ends) {
                    let cell = self.cell(neighbour);
                    if away[cell] == usize::MAX {
                        away[cell] = distance;
                        next.push(neighbour);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            frontier = next;
        }
        let mut largest = 0;
        for at in grid_points([0; 3], self.counts) {
            let cell = self.cell(at);
            let Some(ops) = self.blocks.get(self.block_of[cell] as usize) else { continue };
            if away[cell] > largest {
                let ops = ops.clone();
                if matches!(self.reduced(&ops, at, at.map(|n| n + 1))?, Reduced::Undecided(_)) {
                    largest = away[cell];
                }
            }
        }
        Some((largest + 1) as f64 * self.step.length() * (1.0 + 1e-9))
    }
}

/// All integer points in `[from, to)`, the last coordinate varying fastest.
fn grid_points(from: [usize; 3], to: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (from[0]..to[0])
        .flat_map(move |i| (from[1]..to[1]).flat_map(move |j| (from[2]..to[2]).map(move |k| [i, j, k])))
}
