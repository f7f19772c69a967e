//! A uniform grid of the triangles of bodies that are static or are moved from pose to pose.
//!
//! Sinjur, "Collision detection between moving objects using uniform space subdivision": each triangle stores its
//! body and whether the body is static or dynamic (4); cells have the size of the average triangle, and each lists
//! the triangles in it (4.2). Two triangles are compared only if they share a cell, belong to different bodies, and
//! are not both static; a pair that shares several cells is compared once. When a body moves, its triangles are
//! removed from their old cells and inserted into the new ones.

use std::ops::ControlFlow;

use glam::DVec3;

use crate::error::{Error, ErrorKind};
use crate::motion::Pose;
use crate::papers::cells::{CellBounds, CellRange, UniformCells};
use crate::shape::Mesh;

/// A triangle of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TriangleRef {
    /// The body's number in the grid.
    pub body: u32,
    /// The triangle's number in its mesh.
    pub triangle: u32,
}

/// Whether a body may be moved. Two static bodies are not compared: their contacts do not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mobility {
    /// It stays at its initial pose.
    Static,
    /// [`TriangleGrid::move_body`] moves it.
    Dynamic,
}

/// A body of a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridBody<'a> {
    /// The triangles.
    pub mesh: &'a Mesh,
    /// The pose in the world.
    pub pose: Pose,
    /// Whether the body may be moved.
    pub mobility: Mobility,
}

/// Triangles of several bodies in the world, and a uniform grid of cells that list them.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangleGrid<'a> {
    bodies: Vec<GridEntry<'a>>,
    triangles: Vec<GridTriangle>,
    grid: UniformCells<3>,
    /// The triangles in each cell, in order.
    cells: Vec<Vec<u32>>,
}

/// A body and the range of its triangles, from `first` to before `end`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct GridEntry<'a> {
    mesh: &'a Mesh,
    mobility: Mobility,
    first: u32,
    end: u32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct GridTriangle {
    corners: [DVec3; 3],
    name: TriangleRef,
    mobility: Mobility,
    cover: CellRange<3>,
}

/// Maximum number of cells that triangles may cover on average, and maximum number of cells per triangle in total.
/// Both bound the memory.
const COVERED: f64 = 16.0;
const CELLS: f64 = 64.0;

/// Called with each pair of triangles, the lower first; [`ControlFlow::Break`] ends the search.
pub type TrianglePairVisitor<'v> = &'v mut dyn FnMut(TriangleRef, TriangleRef) -> ControlFlow<()>;

impl<'a> TriangleGrid<'a> {
    /// A grid over the space that the bodies occupy now.
    ///
    /// # Errors
    /// More triangles, or bodies, than a 32-bit number can name.
    pub fn new(bodies: &[GridBody<'a>]) -> Result<Self, Error> {
        let space = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        Self::with_space(bodies, space)
    }

    /// A grid over a given space, from its lower to its upper corner in the world, and over the space that the bodies
    /// occupy now. Bodies may leave this space without any pair being missed, but triangles outside share the cells
    /// at the border, so more pairs are compared.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_space(bodies: &[GridBody<'a>], space: [DVec3; 2]) -> Result<Self, Error> {
        let total = bodies.iter().map(|b| b.mesh.triangles().len()).sum::<usize>().max(bodies.len());
        if u32::try_from(total).is_err() {
            return Err(Error::new(ErrorKind::TooMany(total), "triangles of the grid"));
        }
        let nowhere = UniformCells::average(std::iter::empty());
        let mut out = Self { bodies: Vec::new(), triangles: Vec::new(), grid: nowhere, cells: Vec::new() };
        for (number, body) in (0..).zip(bodies) {
            let start = out.triangles.len();
            for (triangle, vertices) in (0..).zip(body.mesh.triangles()) {
                let corners = corners(body.mesh, &body.pose, *vertices);
                let cover = nowhere.cover(&bounds(&corners));
                let name = TriangleRef { body: number, triangle };
                out.triangles.push(GridTriangle { corners, name, mobility: body.mobility, cover });
            }
            #[expect(clippy::cast_possible_truncation, reason = "counted above")]
            let [first, end] = [start as u32, out.triangles.len() as u32];
            out.bodies.push(GridEntry { mesh: body.mesh, mobility: body.mobility, first, end });
        }
        out.divide(space);
        Ok(out)
    }

    /// Chooses the cells and inserts all triangles.
    fn divide(&mut self, [lo, hi]: [DVec3; 2]) {
        let all = || self.triangles.iter().map(|t| bounds(&t.corners));
        let start = [lo, hi].map(|corner| if corner.is_nan() { DVec3::ZERO } else { corner });
        let space = all().fold(start, |[lo, hi], [l, u]| [lo.min(l.into()), hi.max(u.into())]);
        let mut grid = UniformCells::average_within(all(), space.map(DVec3::into));
        let limit = self.triangles.len() as f64;
        loop {
            let covered: f64 = all().map(|b| grid.cover(&b).count()).sum();
            let cells: f64 = grid.count().iter().product();
            if (covered <= COVERED * limit && cells <= CELLS * limit) || grid.count() == [1.0; 3] {
                break;
            }
            grid = grid.doubled();
        }
        self.grid = grid;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 64 a triangle")]
        let cells = grid.count().iter().product::<f64>() as usize;
        self.cells = vec![Vec::new(); cells];
        for number in (0..).take(self.triangles.len()) {
            self.put(number);
        }
    }

    /// The index of a cell in the list of cells.
    fn place(&self, [x, y, z]: [u16; 3]) -> usize {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 65535")]
        let [_, along_y, along_z] = self.grid.count().map(|count| count as usize);
        (usize::from(x) * along_y + usize::from(y)) * along_z + usize::from(z)
    }

    /// Inserts a triangle into the cells that it covers now.
    fn put(&mut self, number: u32) {
        let triangle = &mut self.triangles[number as usize];
        triangle.cover = self.grid.cover(&bounds(&triangle.corners));
        let cover = triangle.cover;
        for cell in cover.cells() {
            let place = self.place(cell);
            let listed = &mut self.cells[place];
            // The list is kept sorted, so that a grid does not depend on how bodies reached their poses.
            if let Err(at) = listed.binary_search(&number) {
                listed.insert(at, number);
            }
        }
    }

    /// Removes a triangle from its cells.
    fn take(&mut self, number: u32) {
        let cover = self.triangles[number as usize].cover;
        for cell in cover.cells() {
            let place = self.place(cell);
            let listed = &mut self.cells[place];
            if let Ok(at) = listed.binary_search(&number) {
                listed.remove(at);
            }
        }
    }

    /// Moves a dynamic body: its triangles are removed from their cells and inserted into the cells of the new pose.
    ///
    /// # Errors
    /// No such body, or a static body.
    pub fn move_body(&mut self, body: u32, pose: Pose) -> Result<(), Error> {
        let refused = |expected| {
            Error::new(ErrorKind::OutOfRange { value: f64::from(body), expected }, "body of the grid")
        };
        let Some(&GridEntry { mesh, mobility, first, end }) = self.bodies.get(body as usize) else {
            return Err(refused("the number of a body"));
        };
        if mobility == Mobility::Static {
            return Err(refused("a dynamic body"));
        }
        for (number, vertices) in (first..end).zip(mesh.triangles()) {
            self.take(number);
            self.triangles[number as usize].corners = corners(mesh, &pose, *vertices);
            self.put(number);
        }
        Ok(())
    }

    /// The corners of a triangle in the world.
    ///
    /// # Panics
    /// If there is no such triangle.
    #[must_use]
    pub fn triangle(&self, name: TriangleRef) -> [DVec3; 3] {
        let GridEntry { first, end, .. } = self.bodies[name.body as usize];
        self.triangles[first as usize..end as usize][name.triangle as usize].corners
    }

    /// Calls back once with each pair of triangles that share a cell and belong to different bodies, at least one of
    /// which is dynamic.
    ///
    /// Guarantee: every two such triangles that have a point in common are among the pairs (with the corners of
    /// [`Self::triangle`]).
    pub fn candidates(&self, visit: TrianglePairVisitor<'_>) -> ControlFlow<()> {
        for (index, triangle) in (0..).zip(&self.triangles) {
            if triangle.mobility == Mobility::Static {
                continue;
            }
            for cell in triangle.cover.cells() {
                for &other in &self.cells[self.place(cell)] {
                    let partner = &self.triangles[other as usize];
                    // A pair of dynamic triangles is found from both.
                    let second = other < index && partner.mobility == Mobility::Dynamic;
                    if second
                        || partner.name.body == triangle.name.body
                        || triangle.cover.first_shared(&partner.cover) != cell
                    {
                        continue;
                    }
                    visit(triangle.name.min(partner.name), triangle.name.max(partner.name))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls back with each pair of triangles of different bodies, at least one of which is dynamic: Sinjur's raw
    /// method (4.1).
    pub fn all_pairs(&self, visit: TrianglePairVisitor<'_>) -> ControlFlow<()> {
        for (i, a) in self.bodies.iter().enumerate() {
            for b in &self.bodies[i + 1..] {
                if a.mobility == Mobility::Static && b.mobility == Mobility::Static {
                    continue;
                }
                let of = |body: &GridEntry<'_>| &self.triangles[body.first as usize..body.end as usize];
                for triangle in of(a) {
                    for partner in of(b) {
                        visit(triangle.name, partner.name)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

fn corners(mesh: &Mesh, pose: &Pose, vertices: [u32; 3]) -> [DVec3; 3] {
    vertices.map(|v| pose.transform_point(mesh.vertex(v)))
}

fn bounds(corners: &[DVec3; 3]) -> CellBounds<3> {
    let [a, b, c] = *corners;
    [a.min(b).min(c).into(), a.max(b).max(c).into()]
}

#[cfg(test)]
mod tests;
