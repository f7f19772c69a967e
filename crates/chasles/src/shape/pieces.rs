//! The pieces of a mesh: triangles connected by shared vertices.

use glam::DVec3;

use crate::shape::Mesh;

/// The connected pieces of vertices, and the outermost vertices of each piece.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pieces {
    /// The piece of each vertex.
    of_vertices: Vec<u32>,
    /// The lowest vertex number of each piece.
    first: Vec<u32>,
    /// Some vertices of each piece, relative to the centre of the mesh.
    outermost: Vec<Vec<DVec3>>,
}

impl Pieces {
    /// The pieces of a mesh, numbered by their first used vertex.
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let mut parent: Vec<u32> = (0_u32..).take(mesh.vertex_count()).collect();
        for triangle in mesh.triangles() {
            let [a, b, c] = triangle.map(|v| root(&mut parent, v));
            let first = a.min(b).min(c);
            for other in [a, b, c] {
                parent[other as usize] = first;
            }
        }
        let mut of_vertices = vec![u32::MAX; mesh.vertex_count()];
        let (mut all, mut members): (Vec<u32>, Vec<Vec<DVec3>>) = Default::default();
        for vertex in mesh.used_vertices() {
            // The lowest vertex of a piece is its root, and comes first.
            let first = root(&mut parent, vertex);
            if first == vertex {
                of_vertices[vertex as usize] = u32::try_from(members.len()).unwrap_or(u32::MAX);
                all.push(vertex);
                members.push(Vec::new());
            }
            let piece = of_vertices[first as usize];
            of_vertices[vertex as usize] = piece;
            members[piece as usize].push(mesh.local()[vertex as usize]);
        }
        Self { of_vertices, first: all, outermost: members.into_iter().map(extreme_vertices).collect() }
    }

    /// The number of pieces.
    pub(crate) fn count(&self) -> usize {
        self.outermost.len()
    }

    /// The piece of a vertex that some triangle uses.
    pub(crate) fn of_vertex(&self, vertex: u32) -> usize {
        self.of_vertices[vertex as usize] as usize
    }

    /// The lowest vertex number of each piece.
    pub(crate) fn first(&self) -> &[u32] {
        &self.first
    }

    /// The support vertices of a piece in 26 directions, relative to the centre of the mesh.
    pub(crate) fn outermost(&self, piece: usize) -> &[DVec3] {
        &self.outermost[piece]
    }
}

fn root(parent: &mut [u32], mut vertex: u32) -> u32 {
    while parent[vertex as usize] != vertex {
        let above = parent[vertex as usize];
        parent[vertex as usize] = parent[above as usize];
        vertex = above;
    }
    vertex
}

fn extreme_vertices(piece: Vec<DVec3>) -> Vec<DVec3> {
    let steps = [-1.0, 0.0, 1.0];
    let directions = || {
        let all = steps.iter().flat_map(|x| steps.iter().map(move |y| (*x, *y)));
        all.flat_map(|(x, y)| steps.iter().map(move |z| DVec3::new(x, y, *z))).filter(|d| *d != DVec3::ZERO)
    };
    if piece.len() <= directions().count() {
        return piece;
    }
    // All directions in one pass: meshes are large, and every mesh needs this.
    let mut best: Vec<(DVec3, f64, DVec3)> =
        directions().map(|direction| (direction, f64::NEG_INFINITY, piece[0])).collect();
    for point in &piece {
        for (direction, most, furthest) in &mut best {
            let along = point.dot(*direction);
            if along >= *most {
                (*most, *furthest) = (along, *point);
            }
        }
    }
    best.into_iter().map(|(.., furthest)| furthest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_with_a_common_vertex_are_one_piece() {
        let points: Vec<DVec3> = (0..9).map(|i| DVec3::new(f64::from(i), f64::from(i * i), 1.0)).collect();
        // The third triangle joins the first two; vertex 8 is used by none.
        let mesh = Mesh::new(points.clone(), vec![[4, 5, 1], [2, 3, 0], [3, 1, 1], [6, 7, 7]]).unwrap();
        let pieces = Pieces::new(&mesh);
        assert_eq!(pieces.count(), 2);
        assert!([0, 1, 2, 3, 4, 5].iter().all(|v| pieces.of_vertex(*v) == 0));
        assert!([6, 7].iter().all(|v| pieces.of_vertex(*v) == 1));
        assert_eq!(pieces.outermost(1), [points[6] - mesh.centre(), points[7] - mesh.centre()]);
    }

    #[test]
    fn the_outermost_of_many_vertices_are_kept() {
        let points: Vec<DVec3> =
            (0..300).map(|i| DVec3::new(f64::from(i % 7), f64::from(i % 11), f64::from(i % 13))).collect();
        let triangles = (0..298).map(|i| [i, i + 1, i + 2]).collect();
        let mesh = Mesh::new(points.clone(), triangles).unwrap();
        let pieces = Pieces::new(&mesh);
        assert_eq!((pieces.count(), pieces.outermost(0).len()), (1, 26));
        let highest = pieces.outermost(0).iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(highest + mesh.centre().z, 12.0);
    }
}
