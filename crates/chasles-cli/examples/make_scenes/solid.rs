//! Meshes of the scenes: closed, wound outward, small. Some are read, others computed.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::path::Path;

use glam::DVec3;

/// Vertices in metres, and triangles.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Solid {
    pub(crate) vertices: Vec<[f64; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// Coordinates are rounded to one of this number of parts of a metre. The sines of two machines may differ in their
/// last bit; the rounded files do not.
const PER_METRE: f64 = 1e12;

/// The nearest coordinate that is written.
pub(crate) fn rounded(x: f64) -> f64 {
    (x * PER_METRE).round() / PER_METRE + 0.0
}

impl Solid {
    pub(crate) fn new() -> Self {
        Self { vertices: Vec::new(), triangles: Vec::new() }
    }

    /// Adds a vertex and returns its number.
    pub(crate) fn vertex(&mut self, at: [f64; 3]) -> u32 {
        self.vertices.push(at.map(rounded));
        u32::try_from(self.vertices.len() - 1).expect("these meshes are small")
    }

    /// Adds a ring of vertices, one for each position.
    pub(crate) fn ring(&mut self, places: impl IntoIterator<Item = [f64; 3]>) -> Vec<u32> {
        places.into_iter().map(|at| self.vertex(at)).collect()
    }

    /// Adds a convex polygon as a fan from its first corner.
    pub(crate) fn polygon(&mut self, corners: &[u32]) {
        for pair in corners[1..].windows(2) {
            self.triangles.push([corners[0], pair[0], pair[1]]);
        }
    }

    /// Joins two closed rings of equal length by a band of quadrilaterals.
    pub(crate) fn band(&mut self, lower: &[u32], upper: &[u32]) {
        let n = lower.len();
        for i in 0..n {
            let next = (i + 1) % n;
            self.polygon(&[lower[i], lower[next], upper[next], upper[i]]);
        }
    }

    /// Closes a ring with triangles from a point.
    pub(crate) fn fan(&mut self, apex: u32, ring: &[u32]) {
        let n = ring.len();
        for i in 0..n {
            self.triangles.push([apex, ring[i], ring[(i + 1) % n]]);
        }
    }

    /// The same, inside out.
    pub(crate) fn flipped(mut self) -> Self {
        self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        self
    }

    /// The two vertices, the lower first, of each edge, in order.
    pub(crate) fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<_> = sides(&self.triangles).map(|[v, w]| [v.min(w), v.max(w)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Six times the volume; positive where it is wound outward.
    fn volume(&self) -> f64 {
        let corner = |v: u32| DVec3::from(self.vertices[v as usize]);
        self.triangles.iter().map(|t| t.map(corner)).map(|[a, b, c]| a.dot(b.cross(c))).sum()
    }

    /// The mesh as an OBJ file.
    ///
    /// # Panics
    /// If the mesh is not closed or not wound outward, which is a bug.
    pub(crate) fn to_obj(&self, name: &str) -> String {
        self.assert_closed(name);
        self.to_open_obj(name)
    }

    /// Panics unless the mesh is closed and wound outward.
    fn assert_closed(&self, name: &str) {
        let mut directed: Vec<_> = sides(&self.triangles).collect();
        let mut reversed: Vec<_> = directed.iter().map(|[v, w]| [*w, *v]).collect();
        directed.sort_unstable();
        reversed.sort_unstable();
        let once = directed.windows(2).all(|pair| pair[0] != pair[1]);
        assert!(once && directed == reversed, "{name} is not closed");
        assert!(self.volume() > 0.0, "{name} is inside out");
    }

    /// Reads a closed mesh from an OBJ file of vertices and triangles.
    ///
    /// # Panics
    /// If the file cannot be read, or the mesh is not closed and wound outward.
    pub(crate) fn read(file: &Path) -> Self {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut solid = Self::new();
        for line in text.lines() {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["v", x, y, z] => solid.vertices.push([x, y, z].map(|x| x.parse().expect("a coordinate"))),
                ["f", a, b, c] => {
                    solid.triangles.push([a, b, c].map(|v| v.parse::<u32>().expect("a vertex") - 1));
                }
                _ => assert!(line.starts_with('#'), "{name}: {line}"),
            }
        }
        solid.assert_closed(&name);
        solid
    }

    /// The mesh as an OBJ file, which may have a border.
    pub(crate) fn to_open_obj(&self, name: &str) -> String {
        let mut text = format!("# {name}: metres. Written by the example make_scenes; do not edit.\n");
        for [x, y, z] in &self.vertices {
            writeln!(text, "v {x} {y} {z}").expect("a string takes every byte");
        }
        for [a, b, c] in &self.triangles {
            writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).expect("a string takes every byte");
        }
        text
    }
}

/// The directed sides of triangles.
fn sides(triangles: &[[u32; 3]]) -> impl Iterator<Item = [u32; 2]> {
    triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
}

/// A box of these sizes about the origin.
pub(crate) fn cuboid(size: [f64; 3]) -> Solid {
    let mut solid = Solid::new();
    let corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    let [lower, upper] =
        [-0.5, 0.5].map(|z| solid.ring(corners.map(|[x, y]| [size[0] * x, size[1] * y, size[2] * z])));
    solid.band(&lower, &upper);
    solid.polygon(&upper);
    solid.polygon(&lower.into_iter().rev().collect::<Vec<_>>());
    solid
}

/// A box about the origin. Each side is a grid of squares, with the given numbers along x, y and z. The diagonals of
/// the squares alternate.
pub(crate) fn gridded(counts: [u32; 3], size: [f64; 3]) -> Solid {
    let mut solid = Solid::new();
    let mut numbers = BTreeMap::new();
    for (axis, side) in (0..3).flat_map(|axis| [(axis, 0), (axis, counts[axis])]) {
        let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
        let mut corner = |i: u32, j: u32| {
            let mut at = [side; 3];
            (at[u], at[v]) = (i, j);
            let place = |k: usize| size[k] * (f64::from(at[k]) / f64::from(counts[k]) - 0.5);
            *numbers.entry(at).or_insert_with(|| solid.vertex([0, 1, 2].map(place)))
        };
        let squares = (0..counts[u]).flat_map(|i| (0..counts[v]).map(move |j| (i, j)));
        let squares: Vec<[u32; 4]> = squares
            .map(|(i, j)| {
                let mut square = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
                square.rotate_left(((i + j) % 2) as usize);
                if side == 0 {
                    square.reverse();
                }
                square
            })
            .collect();
        squares.iter().for_each(|square| solid.polygon(square));
    }
    solid
}

/// A block with a square outline in x and y and an octagonal hole along z.
pub(crate) fn block_with_hole(half_width: f64, hole_radius: f64, half_depth: f64) -> Solid {
    let mut solid = Solid::new();
    let on = |radius: f64, angle: f64| [radius * angle.cos(), radius * angle.sin()];
    let corner = |i: i32| [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]][i.rem_euclid(4) as usize];
    let outer: Vec<_> = (0..4).map(|i| corner(i).map(|x| half_width * x)).collect();
    let hole: Vec<_> = (0..8).map(|i| on(hole_radius, TAU * (f64::from(i) + 0.5) / 8.0)).collect();
    let mut at = |places: &[[f64; 2]], z: f64| solid.ring(places.iter().map(|[x, y]| [*x, *y, z]));
    let rings = [-half_depth, half_depth].map(|z| (at(&outer, z), at(&hole, z)));
    for (side, (outer, hole)) in rings.iter().enumerate() {
        for i in 0..4 {
            // The corner at 45 degrees is joined to the corners of the hole at 22.5 and 67.5 degrees, and so on.
            let (this, next) = (outer[i], outer[(i + 1) % 4]);
            let (first, second, third) = (hole[2 * i], hole[2 * i + 1], hole[(2 * i + 2) % 8]);
            for [a, b, c] in [[this, second, first], [this, next, second], [next, third, second]] {
                solid.triangles.push(if side == 0 { [a, c, b] } else { [a, b, c] });
            }
        }
    }
    let [(lower, lower_hole), (upper, upper_hole)] = rings;
    solid.band(&lower, &upper);
    solid.band(&upper_hole, &lower_hole);
    solid
}

/// The triangles of a grid of vertices, with the given numbers of vertices per row and of rows. The diagonals of the
/// squares alternate, so that no direction is preferred.
pub(crate) fn sheet([columns, rows]: [u32; 2]) -> Vec<[u32; 3]> {
    let squares = (0..rows - 1).flat_map(|j| (0..columns - 1).map(move |i| (i, j)));
    let cut = |(i, j): (u32, u32)| {
        let a = j * columns + i;
        let (b, c, d) = (a + 1, a + columns + 1, a + columns);
        if (i + j) % 2 == 0 { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] }
    };
    squares.flat_map(cut).collect()
}

/// A sphere about the origin: an octahedron whose triangles are cut into four, `levels` times.
pub(crate) fn octasphere(levels: u32, radius: f64) -> Solid {
    let mut corners = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z].to_vec();
    let mut triangles =
        vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    for _ in 0..levels {
        let mut middles = BTreeMap::new();
        let mut middle = |v: u32, w: u32| {
            *middles.entry([v.min(w), v.max(w)]).or_insert_with(|| {
                let between = corners[v as usize] + corners[w as usize];
                corners.push(between / between.length());
                u32::try_from(corners.len() - 1).expect("these meshes are small")
            })
        };
        let cut = |[a, b, c]: [u32; 3]| {
            let [p, q, r] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, p, r], [p, b, q], [r, q, c], [p, q, r]]
        };
        triangles = triangles.into_iter().flat_map(cut).collect();
    }
    let mut solid = Solid::new();
    for corner in corners {
        solid.vertex((corner * radius).to_array());
    }
    Solid { triangles, ..solid }
}

/// The sizes of a torus about z.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Torus {
    /// The radius of the circle in the middle of the tube, in metres.
    pub(crate) radius: f64,
    /// The radius of the tube, in metres.
    pub(crate) tube: f64,
    /// The number of cross-sections; the first is half a step past the x axis, so that an edge crosses the axis.
    pub(crate) sections: i32,
    /// The number of corners of a cross-section; the first points inward.
    pub(crate) corners: i32,
}

impl Torus {
    pub(crate) fn solid(&self) -> Solid {
        let mut solid = Solid::new();
        let rings: Vec<_> = (0..self.sections)
            .map(|i| {
                let (sin, cos) = (TAU * (f64::from(i) + 0.5) / f64::from(self.sections)).sin_cos();
                solid.ring((0..self.corners).map(|j| {
                    let (up, out) = (TAU * f64::from(j) / f64::from(self.corners)).sin_cos();
                    let radius = self.radius - self.tube * out;
                    [radius * cos, radius * sin, self.tube * up]
                }))
            })
            .collect();
        for (i, ring) in rings.iter().enumerate() {
            solid.band(ring, &rings[(i + 1) % rings.len()]);
        }
        solid
    }
}
