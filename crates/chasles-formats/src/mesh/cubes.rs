//! The surface of the occupied cubes of an octree.
//!
//! Faces between two cubes are left out. A coarse cube is represented by faces of the smallest size, so that its
//! edges match the edges of its neighbours. **Closed.** If two cubes touch along an edge only, four faces share that
//! edge; one of the cubes gets a vertex at the midpoint of the edge. So every edge of the mesh has exactly two
//! triangles, and the mesh bounds a solid. The extra vertex does not change the position of the surface.

use std::collections::HashMap;

use glam::DVec3;

use super::MeshFile;
use crate::limits;

/// Levels of a tree below its root.
pub(super) const DEPTH: u32 = 16;

/// An empty child.
pub(super) const EMPTY: u32 = 0;

/// A child that is completely occupied; larger numbers are nodes.
pub(super) const OCCUPIED: u32 = 1;

/// Number of smallest cubes along each axis of the whole space. The origin is in the middle.
const ACROSS: i64 = 1 << DEPTH;

/// Maximum number of smallest faces in any tree, and for each additional node, so that a small file cannot make a
/// large mesh.
const FACES: usize = 1_000_000;
const FACES_OF_NODE: usize = 100;

/// An octree. Bits 0, 1 and 2 of a child's index are set if it is in the upper half along x, y and z.
#[derive(Debug, Default)]
pub(super) struct Octree {
    /// [`EMPTY`], [`OCCUPIED`] or a node.
    pub(super) root: u32,
    /// The children of each node.
    pub(super) nodes: Vec<[u32; 8]>,
}

/// The index of a node in the list.
pub(super) fn index(node: u32) -> usize {
    node as usize - 2
}

/// The lowest corner of a cube, counted in smallest cubes.
type Corner = [i64; 3];

impl Octree {
    /// Adds a node; returns its number, if one is free.
    pub(super) fn push(&mut self, children: [u32; 8]) -> Option<u32> {
        let number = u32::try_from(self.nodes.len() + 2).ok().filter(|number| *number < u32::MAX)?;
        self.nodes.push(children);
        Some(number)
    }

    /// Whether a smallest cube is occupied; cubes outside of the space are not.
    fn is_occupied(&self, at: Corner) -> bool {
        if at.iter().any(|x| !(0..ACROSS).contains(x)) {
            return false;
        }
        let mut node = self.root;
        let mut half = ACROSS / 2;
        while node > OCCUPIED {
            let upper_bit = |axis: usize| usize::from(at[axis] & half != 0) << axis;
            node = self.nodes[index(node)][upper_bit(0) | upper_bit(1) | upper_bit(2)];
            half /= 2;
        }
        node == OCCUPIED
    }

    /// The occupied cubes, each with its size.
    fn occupied(&self) -> Vec<(Corner, i64)> {
        let mut found = Vec::new();
        let mut open = vec![(self.root, [0; 3], ACROSS)];
        while let Some((node, corner, size)) = open.pop() {
            if node == OCCUPIED {
                found.push((corner, size));
            } else if node > OCCUPIED {
                for (child, node) in self.nodes[index(node)].iter().enumerate().rev() {
                    let half = size / 2;
                    let along = |axis: usize| corner[axis] + if child & (1 << axis) == 0 { 0 } else { half };
                    open.push((*node, [along(0), along(1), along(2)], half));
                }
            }
        }
        found
    }
}

/// The surface of the occupied cubes of a tree whose smallest cubes have this size; otherwise the error.
pub(super) fn surface(tree: &Octree, resolution: f64) -> Result<MeshFile, String> {
    if !(resolution * ACROSS as f64).is_finite() {
        return Err(format!("found a resolution of {resolution}, expected less than 1e300"));
    }
    let cubes = tree.occupied();
    let faces = |size: i64| 6 * u64::try_from(size * size).unwrap_or(u64::MAX);
    let all = cubes.iter().fold(0, |sum: u64, (_, size)| sum.saturating_add(faces(*size)));
    let maximum = (FACES + FACES_OF_NODE.saturating_mul(tree.nodes.len())).min(limits::MESH_PARTS) as u64;
    if all > maximum {
        return Err(format!("found {all} faces of the smallest size, expected at most {maximum}"));
    }
    let mut surface = CubeSurface { tree, resolution, numbers: HashMap::new(), mesh: MeshFile::default() };
    for (corner, size) in cubes {
        for axis in 0..3 {
            let [right, up] = [(axis + 1) % 3, (axis + 2) % 3];
            for (sign, side) in [(-1, 0), (1, size - 1)] {
                for i in 0..size {
                    for j in 0..size {
                        let mut cell = corner;
                        cell[axis] += side;
                        cell[right] += i;
                        cell[up] += j;
                        surface.face(cell, axis, sign)?;
                    }
                }
            }
        }
    }
    surface.mesh.in_metres = true;
    Ok(surface.mesh)
}

struct CubeSurface<'a> {
    tree: &'a Octree,
    resolution: f64,
    /// The vertices by position, counted in halves of the smallest cube.
    numbers: HashMap<[i64; 3], u32>,
    mesh: MeshFile,
}

/// The cell at this offset along an axis.
fn moved(mut cell: Corner, axis: usize, by: i64) -> Corner {
    cell[axis] += by;
    cell
}

impl CubeSurface<'_> {
    /// Adds the face of a cell on one side along an axis, if it is on the surface.
    fn face(&mut self, cell: Corner, axis: usize, sign: i64) -> Result<(), String> {
        let outside = moved(cell, axis, sign);
        if self.tree.is_occupied(outside) {
            return Ok(());
        }
        let [right, up] = [(axis + 1) % 3, (axis + 2) % 3];
        // The sides around the face, seen from outside; each is before the corner that it leads to.
        let mut sides = [(up, -1), (right, 1), (up, 1), (right, -1)];
        if sign < 0 {
            sides.reverse();
        }
        let mut rim = Vec::with_capacity(8);
        for (place, &(to, by)) in sides.iter().enumerate() {
            let (after, after_by) = sides[(place + 1) % 4];
            // In halves: from the midpoint of the face to this side, and then to the next.
            let mut middle = cell.map(|x| 2 * x + 1);
            middle[axis] += sign;
            middle[to] += by;
            if self.is_split(cell, (axis, sign), (to, by)) {
                rim.push(middle);
            }
            middle[after] += after_by;
            rim.push(middle);
        }
        let vertices: Vec<u32> = rim.iter().map(|at| self.vertex(*at)).collect::<Result<_, _>>()?;
        match vertices.as_slice() {
            [a, b, c, d] => self.mesh.triangles.extend([[*a, *b, *c], [*a, *c, *d]]),
            rim => {
                let mut centre = cell.map(|x| 2 * x + 1);
                centre[axis] += sign;
                let centre = self.vertex(centre)?;
                let next = rim.iter().cycle().skip(1);
                self.mesh.triangles.extend(rim.iter().zip(next).map(|(from, to)| [centre, *from, *to]));
            }
        }
        match self.mesh.triangles.len() > limits::MESH_PARTS {
            true => Err(format!("found more than {} triangles, expected no more", limits::MESH_PARTS)),
            false => Ok(()),
        }
    }

    /// Whether the edge of a cell's face has a vertex at its midpoint: if another cube touches the cell along this
    /// edge only, and is further along the first of the two axes normal to the edge.
    fn is_split(&self, cell: Corner, (axis, sign): (usize, i64), (to, by): (usize, i64)) -> bool {
        let beside = moved(cell, to, by);
        let next_step = if axis < to { sign } else { by };
        next_step > 0 && !self.tree.is_occupied(beside) && self.tree.is_occupied(moved(beside, axis, sign))
    }

    /// The vertex at a position.
    fn vertex(&mut self, at: [i64; 3]) -> Result<u32, String> {
        if let Some(number) = self.numbers.get(&at) {
            return Ok(*number);
        }
        let number = u32::try_from(self.mesh.vertices.len()).ok();
        let number = number.filter(|number| (*number as usize) < limits::MESH_PARTS);
        let Some(number) = number else {
            return Err(format!("found more than {} vertices, expected no more", limits::MESH_PARTS));
        };
        let place = at.map(|x| (x - ACROSS) as f64 * (0.5 * self.resolution));
        self.mesh.vertices.push(DVec3::from_array(place));
        self.numbers.insert(at, number);
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use chasles::{Mesh, MeshFacts};

    use super::*;

    /// A tree with these smallest cubes, counted from the middle of the space.
    fn tree(cubes: &[[i64; 3]]) -> Octree {
        let mut tree = Octree { root: 2, nodes: vec![[EMPTY; 8]] };
        for cube in cubes {
            let at = cube.map(|x| x + ACROSS / 2);
            let (mut node, mut half) = (2, ACROSS / 2);
            loop {
                let upper_bit = |axis: usize| usize::from(at[axis] & half != 0) << axis;
                let child = upper_bit(0) | upper_bit(1) | upper_bit(2);
                half /= 2;
                if half == 0 {
                    tree.nodes[index(node)][child] = OCCUPIED;
                    break;
                }
                if tree.nodes[index(node)][child] == EMPTY {
                    let new = tree.push([EMPTY; 8]).unwrap();
                    tree.nodes[index(node)][child] = new;
                }
                node = tree.nodes[index(node)][child];
            }
        }
        tree
    }

    /// Six times the volume inside outward-facing triangles.
    fn volume(mesh: &MeshFile) -> f64 {
        let corner = |corner: u32| mesh.vertices[corner as usize];
        mesh.triangles.iter().map(|[a, b, c]| corner(*a).dot(corner(*b).cross(corner(*c)))).sum()
    }

    #[test]
    fn surfaces_are_closed_and_wound_outward() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let mut sets = vec![
            vec![[0, 0, 0]],
            vec![[-1, -1, -1], [0, 0, 0]],
            vec![[0, 0, 0], [1, 1, 0]],
            vec![[0, 1, 0], [1, 0, 0]],
            vec![[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]],
            vec![[-ACROSS / 2; 3], [ACROSS / 2 - 1; 3]],
        ];
        for _ in 0..200 {
            let places = (-2..2).flat_map(|x| (-2..2).flat_map(move |y| (-2..2).map(move |z| [x, y, z])));
            let chosen: Vec<_> = places.filter(|_| random() % 2 == 0).collect();
            sets.push(chosen);
        }
        for set in sets.iter().filter(|set| !set.is_empty()) {
            let found = surface(&tree(set), 2.0).unwrap();
            assert_eq!(volume(&found), 6.0 * 8.0 * set.len() as f64, "{set:?}");
            let facts = MeshFacts::of(&Mesh::new(found.vertices, found.triangles).unwrap());
            assert!(facts.closed && facts.degenerate_triangles == 0, "{set:?}: {facts:?}");
        }
        assert_eq!(surface(&tree(&[]), 1.0).unwrap().triangles, [] as [[u32; 3]; 0]);
    }
}
