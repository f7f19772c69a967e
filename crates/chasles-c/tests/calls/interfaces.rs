//! Random cells of all shapes: paths, edges, configurations and reaches in C, and edges and paths in Rust, have one
//! answer.

use std::ffi::CString;
use std::ptr;

use chasles::{CheckOptions, EdgeMemory, EdgeOptions, EdgeOutcome, JointPath, PairVerdict, Waypoint};
use chasles_c::cell::{Cell, CellSource, chasles_cell_check_path, chasles_cell_source_default};
use chasles_c::contact::Verdict;
use chasles_c::edges::{
    EdgeChecker, EdgeOptions as CEdgeOptions, chasles_edge_checker_check_configuration,
    chasles_edge_checker_check_edge, chasles_edge_checker_make, chasles_edge_checker_reach,
    chasles_edge_options_default,
};
use chasles_formats::robot::cell::{BuiltCell, CellOptions, build};
use chasles_formats::robot::urdf::{self, UrdfOptions};
use chasles_testing::Random;

use crate::cells::read;
use crate::written;

/// Steps to prepare a checker: few, since each answers only four questions.
const PREPARATION: u64 = 1_000;

/// A shape of a link, as URDF.
fn link_shape(random: &mut Random) -> String {
    let size = random.within(0.05, 0.4);
    match random.below(3) {
        0 => format!("<box size='{size} {} {}'/>", random.within(0.05, 0.6), random.within(0.05, 0.6)),
        1 => format!("<cylinder radius='{size}' length='{}'/>", random.within(0.1, 0.6)),
        _ => format!("<sphere radius='{size}'/>"),
    }
}

/// A shape of a body of the world, as TOML; small ones fit into links.
fn world_shape(random: &mut Random) -> String {
    let size = if random.one_in(2) { random.within(0.005, 0.05) } else { random.within(0.1, 0.6) };
    let h = 1.2 * size;
    let bounds = format!("bounds = [[-{h}, -{h}, -{h}], [{h}, {h}, {h}]]");
    match random.below(8) {
        0 => format!("box = [{size}, {}, {}]", 0.7 * size, 1.3 * size),
        1 => format!("sphere = {size}"),
        2 => format!("cylinder = {{ radius = {size}, height = {size} }}"),
        3 => format!("capsule = {{ radius = {size}, height = {size} }}"),
        4 => format!("cone = {{ radius = {size}, height = {size} }}"),
        5 => format!("implicit = \"x^2 + y^2 + z^2 - {size}^2\"\n{bounds}"),
        6 => format!(
            "csg = {{ difference = [{{ sphere = {size} }}, {{ box = [{0}, {0}, {0}] }}] }}",
            0.8 * size
        ),
        _ => {
            let [x, y] = [format!("{size}*u"), format!("{size}*v")];
            format!(
                "parametric = {{ x = \"{x}\", y = \"{y}\", z = \"{size}*u*v\", u = [-1, 1], v = [-1, 1] }}"
            )
        }
    }
}

/// A base with a shape, and a link that slides past it and a world of a few bodies.
fn texts(random: &mut Random) -> (String, String) {
    let [own, other] = [link_shape(random), link_shape(random)];
    let robot = format!(
        "<robot name='slider'>
            <link name='base'><collision><origin xyz='0 3 0'/><geometry>{other}</geometry></collision></link>
            <link name='slide'><collision><geometry>{own}</geometry></collision></link>
            <joint name='x' type='prismatic'>
                <parent link='base'/> <child link='slide'/> <axis xyz='1 0 0'/>
                <limit lower='-2' upper='2' effort='1' velocity='1'/>
            </joint>
        </robot>"
    );
    let mut world = "format = 1\nduration = 1.0\nepsilon = 1e-5\n".to_owned();
    for body in 0..1 + random.below(2) {
        let [x, y, z] = random.vector(0.5).to_array();
        let shape = world_shape(random);
        let solid = if random.one_in(4) && !shape.starts_with("parametric") { "solid = false\n" } else { "" };
        world += &format!(
            "[[body]]\nname = \"b{body}\"\n{shape}\n{solid}pose = {{ position = [{x}, {y}, {z}] }}\n"
        );
    }
    (robot, world)
}

/// The answers of C about the way between two values: the path, the edge, the configuration at each end, and whether
/// the reach is whole.
fn in_c(cell: &Cell, ends: [f64; 2]) -> ([Verdict; 4], bool) {
    let options = CEdgeOptions { preparation: PREPARATION, ..chasles_edge_options_default() };
    // SAFETY: the handle is one of `Box::into_raw`.
    let checker: Box<EdgeChecker> = unsafe {
        Box::from_raw(written(|place| chasles_edge_checker_make(Some(cell), Some(&options), place)))
    };
    let [from, to] = [0, 1].map(|end| ends[end..].as_ptr());
    // SAFETY: two waypoints of one value; the checker has one joint.
    unsafe {
        let times = [0.0, 1.0];
        let path = written(|place| chasles_cell_check_path(Some(cell), times.as_ptr(), from, 2, None, place));
        let edge = written(|place| chasles_edge_checker_check_edge(Some(&checker), from, to, place));
        let configuration =
            |at| written(|place| chasles_edge_checker_check_configuration(Some(&checker), at, place)).verdict;
        let reach = written(|place| chasles_edge_checker_reach(Some(&checker), from, to, place));
        ([path.verdict, edge.verdict, configuration(from), configuration(to)], reach.free_until == 1.0)
    }
}

#[test]
fn random_cells_have_one_answer_through_every_interface() {
    let folder = tempfile::tempdir().unwrap();
    let (world, urdf) = (folder.path().join("world.toml"), folder.path().join("slider.urdf"));
    let as_text = |path: &std::path::Path| CString::new(path.to_str().unwrap()).unwrap();
    let [mut free, mut blocked, mut undecided] = [0; 3];
    for seed in 0..40 {
        let random = &mut Random(seed);
        let (robot, bodies) = texts(random);
        std::fs::write(&urdf, &robot).unwrap();
        std::fs::write(&world, &bodies).unwrap();
        let clearance = if random.one_in(3) { random.within(0.01, 0.1) } else { -1.0 };
        let ends = [random.within(-1.5, 0.1), random.within(-0.5, 1.5)];

        let [robot_path, world_path] = [as_text(&urdf), as_text(&world)];
        let source = CellSource {
            urdf: robot_path.as_ptr(),
            world: world_path.as_ptr(),
            hollow: ptr::null(),
            clearance,
            ..chasles_cell_source_default()
        };
        let (verdicts, is_whole) = in_c(&read(&source).unwrap(), ends);

        let file = urdf::read(&urdf, &UrdfOptions::default()).unwrap();
        let options = CellOptions {
            world: Some(world.clone()),
            clearance: (clearance >= 0.0).then_some(clearance),
            ..CellOptions::default()
        };
        let BuiltCell { cell, .. } =
            build(chasles::Robot::new(file.definition).unwrap(), &urdf, &options).unwrap();
        let options = EdgeOptions { preparation: PREPARATION, ..EdgeOptions::default() };
        let checker = chasles::EdgeChecker::new(&cell, &options).unwrap();
        let memory = &mut EdgeMemory::default();
        let edge = checker.check_edge(&ends[..1], &ends[1..], memory).unwrap();
        let waypoint = |(time, value)| Waypoint { time, positions: vec![value], velocities: Vec::new() };
        let path =
            JointPath { joints: vec![0], waypoints: [(0.0, ends[0]), (1.0, ends[1])].map(waypoint).to_vec() };
        let path = cell.check_path(&path, &CheckOptions::default(), &()).unwrap().report.verdict;

        let of_c = verdicts.map(|verdict| match verdict {
            Verdict::Clear => Some(true),
            Verdict::Undecided => None,
            _ => Some(false),
        });
        let of_rust = [
            match path {
                PairVerdict::Clear => Some(true),
                PairVerdict::Undecided => None,
                _ => Some(false),
            },
            match edge {
                EdgeOutcome::Free => Some(true),
                EdgeOutcome::Undecided(_) => None,
                EdgeOutcome::Blocked(_) => Some(false),
            },
        ];
        let reported =
            format!("seed {seed}: {verdicts:?}, {path:?}, {edge:?}, whole {is_whole}\n{robot}\n{bodies}");
        assert_eq!(of_c[..2], of_rust, "{reported}");
        if of_c.contains(&None) {
            undecided += 1;
            continue;
        }
        let [path, edge, from, to] = of_c.map(|free| free == Some(true));
        assert_eq!((path, path), (edge, is_whole), "{reported}");
        assert!(!path || from && to, "{reported}");
        free += usize::from(path);
        blocked += usize::from(!path);
    }
    assert!(
        free > 5 && blocked > 12 && undecided < 4,
        "{free} free, {blocked} blocked, {undecided} undecided"
    );
}
