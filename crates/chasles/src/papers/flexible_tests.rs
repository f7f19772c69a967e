//! Vertices through triangles: the octree against all pairs, the corrected test against all events, and the errors of
//! the published test.

use chasles_testing::{Random, cases};
use glam::DVec3;

use super::flexible::{StepPassages, VertexSearch, VertexStep, VertexTest, vertices_through_triangles};
use crate::deformable::step::{MovingSurfaces, SelfTest, SurfaceStep};
use crate::features::contact::ContactFeatures;
use crate::shape::Mesh;

const BUDGET: u64 = 1_000_000_000;
const PUBLISHED: VertexTest = VertexTest::Published { intervals: 16 };

/// Triangles whose vertices move from one position to another.
#[derive(Debug, Clone)]
struct Surface {
    triangles: Vec<[u32; 3]>,
    start: Vec<DVec3>,
    end: Vec<DVec3>,
}

impl Surface {
    fn passages(&self, search: VertexSearch, test: VertexTest) -> StepPassages {
        let step = VertexStep { triangles: &self.triangles, start: &self.start, end: &self.end };
        let found = vertices_through_triangles(&step, (search, test), BUDGET).unwrap();
        assert!(found.is_complete && found.undecided.is_empty());
        found
    }

    /// Whether each test reports that vertex 0 passes through the face of 1, 2 and 3.
    fn one(start: [[f64; 3]; 4], end: [[f64; 3]; 4]) -> [bool; 2] {
        let [start, end] = [start, end].map(|points| points.map(DVec3::from).to_vec());
        let surface = Self { triangles: vec![[1, 2, 3]], start, end };
        [PUBLISHED, VertexTest::Corrected]
            .map(|test| !surface.passages(VertexSearch::All, test).passages.is_empty())
    }
}

/// A crumpled sheet with `side` vertices along each side, which all move; dense, so that many contacts occur.
fn sheet(side: u32, random: &mut Random) -> Surface {
    let mut triangles = Vec::new();
    for (i, j) in (1..side).flat_map(|j| (1..side).map(move |i| (i, j))) {
        let c = j * side + i;
        triangles.extend([[c - side - 1, c - side, c], [c - side - 1, c, c - 1]]);
    }
    let places = (0..side).flat_map(|j| (0..side).map(move |i| DVec3::new(f64::from(i), f64::from(j), 0.0)));
    let start: Vec<DVec3> = places.map(|place| place + random.vector(0.7)).collect();
    let end = start.iter().map(|place| *place + random.vector(0.8)).collect();
    Surface { triangles, start, end }
}

#[test]
fn the_octree_finds_what_all_pairs_do() {
    for seed in 0..cases(20, 60) {
        let random = &mut Random(seed);
        let mut surface = sheet(2 + u32::try_from(seed % 9).unwrap(), random);
        if seed % 3 == 0 {
            // Coincident vertices, which no octant separates.
            surface.start[0] = surface.start[1];
            surface.start[2] = surface.start[1];
        }
        for test in [PUBLISHED, VertexTest::Corrected] {
            let [tree, all] = [VertexSearch::Octree, VertexSearch::All].map(|s| surface.passages(s, test));
            assert_eq!(tree.passages, all.passages, "{seed}");
            assert_eq!(tree.counters.boxed, all.counters.boxed, "{seed}");
        }
    }
}

#[test]
fn the_corrected_test_finds_all_events_of_vertices_and_the_published_one_errs() {
    let (mut true_ones, mut missed, mut invented, mut edges) = (0, 0, 0, 0);
    for seed in 0..cases(40, 200) {
        let surface = sheet(7, &mut Random(seed));
        let mesh = Mesh::new(surface.start.clone(), surface.triangles.clone()).unwrap();
        let mut moving = MovingSurfaces::new(vec![(mesh, SelfTest::Tested)]);
        let (start, end) = ([surface.start.clone()], [surface.end.clone()]);
        let events = moving.events(&SurfaceStep { start: &start, end: &end }, 0.0, BUDGET).unwrap();
        assert!(events.is_complete && events.undecided.is_empty());
        let of_vertex = |features: ContactFeatures| match features {
            ContactFeatures::VertexFace { a: vertex, b: face } => Some((face, vertex)),
            _ => None,
        };
        let mut expected: Vec<_> = events.events.iter().filter_map(|e| of_vertex(e.pair.features)).collect();
        expected.sort_unstable();
        edges += events.events.len() - expected.len();
        let [exact, published] = [VertexTest::Corrected, PUBLISHED].map(|test| {
            let found = surface.passages(VertexSearch::Octree, test).passages;
            found.iter().map(|p| (p.triangle, p.vertex)).collect::<Vec<_>>()
        });
        assert_eq!(exact, expected, "{seed}");
        true_ones += expected.len();
        missed += expected.iter().filter(|pair| !published.contains(pair)).count();
        invented += published.iter().filter(|pair| !expected.contains(pair)).count();
    }
    assert!(true_ones > 70 && edges > true_ones, "{true_ones} {edges}");
    // The published test misses vertices that pass through and return, and intervals with two roots.
    assert!(missed > 0 && missed < true_ones / 2, "{missed} of {true_ones}");
    assert!(invented < true_ones / 2, "{invented} of {true_ones}");
}

#[test]
fn the_corrected_test_is_independent_of_size() {
    let pairs = |surface: &Surface| {
        let found = surface.passages(VertexSearch::Octree, VertexTest::Corrected).passages;
        found.iter().map(|p| (p.triangle, p.vertex)).collect::<Vec<_>>()
    };
    let surface = sheet(16, &mut Random(3));
    let plain = pairs(&surface);
    assert!(plain.len() > 10);
    // Powers of two cause no rounding; the squares of the first are less than any double.
    for power in [-700, 200] {
        let scaled = |points: &[DVec3]| points.iter().map(|p| *p * 2_f64.powi(power)).collect();
        let (start, end) = (scaled(&surface.start), scaled(&surface.end));
        assert_eq!(pairs(&Surface { start, end, ..surface.clone() }), plain, "{power}");
    }
}

#[test]
fn the_published_test_misses_these_events() {
    // A face whose first side is perpendicular to the first axis: the polynomial is zero at all times.
    let face = |z: f64| [[0.0, -1.0, z], [0.0, 2.0, z], [3.0, 0.0, z]];
    let with = |vertex: [f64; 3], [a, b, c]: [[f64; 3]; 3]| [vertex, a, b, c];
    let across = Surface::one(with([1.0, 0.0, 1.0], face(0.0)), with([1.0, 0.0, -1.0], face(0.5)));
    assert_eq!(across, [false, true]);
    // A face that tilts back and forth about y. The vertex, at height h, passes through its plane when (2 t - 1)^2 is
    // 2 h: twice, or with h = 0 once without changing its side.
    for height in [0.25, 0.0] {
        let at = |x: f64| [[x, 0.0, height], [-2.0, -1.0, -x], [2.0, -1.0, x], [0.0, 3.0, 0.0]];
        assert_eq!(Surface::one(at(-1.0), at(1.0)), [false, true], "{height}");
    }
}

#[test]
fn a_query_of_the_octree_takes_logarithmic_time() {
    // Nodes visited per triangle, in sheets of 16 times as many vertices each.
    let visited = [16, 64, 256].map(|side| {
        let surface = sheet(side, &mut Random(5));
        let found = surface.passages(VertexSearch::Octree, PUBLISHED);
        found.counters.compared as f64 / surface.triangles.len() as f64
    });
    let [small, middle, large] = visited;
    // A square root would grow by 4 each time; a logarithm by less and less.
    assert!(large < 2.5 * middle && large * small < middle * middle, "{visited:?}");
    // With all pairs it is the number of vertices.
    let surface = sheet(8, &mut Random(5));
    assert_eq!(surface.passages(VertexSearch::All, PUBLISHED).counters.compared, 64 * 98);
}

#[test]
fn steps_without_meaning_are_refused_and_small_budgets_prove_nothing() {
    let surface = sheet(6, &mut Random(1));
    let refused = |surface: &Surface, test| {
        let step = VertexStep { triangles: &surface.triangles, start: &surface.start, end: &surface.end };
        vertices_through_triangles(&step, (VertexSearch::Octree, test), BUDGET).unwrap_err().to_string()
    };
    let mut other = surface.clone();
    other.end.pop();
    assert_eq!(refused(&other, PUBLISHED), "end: found 35, expected as many vertices as before the step");
    let mut other = surface.clone();
    other.triangles[3][1] = 36;
    assert_eq!(refused(&other, PUBLISHED), "triangle 3: found vertex index 36, expected below 36");
    for wrong in [f64::NAN, f64::INFINITY, 1e300] {
        let mut other = surface.clone();
        other.end[4].y = wrong;
        assert!(refused(&other, PUBLISHED).starts_with("end, vertex 4: found "));
    }
    let none = VertexTest::Published { intervals: 0 };
    assert_eq!(refused(&surface, none), "intervals: found 0, expected at least 1");
    let step = VertexStep { triangles: &surface.triangles, start: &surface.start, end: &surface.end };
    for search in [VertexSearch::Octree, VertexSearch::All] {
        let found = vertices_through_triangles(&step, (search, VertexTest::Corrected), 20).unwrap();
        assert!(!found.is_complete);
    }
    let nothing = Surface { triangles: vec![], start: vec![], end: vec![] };
    assert!(nothing.passages(VertexSearch::Octree, PUBLISHED).passages.is_empty());
}
