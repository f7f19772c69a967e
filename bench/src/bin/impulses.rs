//! Impulses: two colliding bodies, and mechanisms of many links, with a reused workspace.
//!
//! `cargo run --release --bin impulses -- [--repeats N] [--out DIR]`

use std::error::Error;
use std::path::PathBuf;

use chasles::{
    Friction, ImpulseBody, ImpulseContact, ImpulseJoint, ImpulseOutcome, ImpulseProblem, ImpulseWorkspace,
    JointKind, RigidMass,
};
use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::BenchArguments;
use chasles_bench::program::table::{Cell, Report, Table};
use chasles_bench::program::timing::timed;
use chasles_testing::Random;
use glam::{DMat3, DVec3};

const TEXT: &str = "`ImpulseProblem::solve_with` in a workspace that has already grown (*kept*), and `solve`, which \
    starts without one (*fresh*), on one thread: the median of repetitions after a first run. Two bodies: one contact \
    with a keyframed or free body. Chain: links on ball joints or hinges, each about a metre from the last, land \
    together on a point a third of the way along. *Hanging*: a ball joint holds the first link. *Star*: all links are \
    joined to one link. *Tree*: each link is joined to a random earlier link. *Ring*: the last link is joined to the \
    first, so that the joints form a loop. *A link* is the *kept* time divided by the number of links. The marks: 5 \
    us for two bodies with friction, 2 ms for a tree of 2,000 links.";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = BenchArguments::here()?;
    let repeats: usize = arguments.value("--repeats")?.unwrap_or(41);
    let out: PathBuf = arguments.out();
    arguments.end()?;
    let mut cases: Vec<(String, usize, ImpulseProblem)> = Vec::new();
    for (name, friction) in [
        ("smooth", Friction::Coefficient(0.0)),
        ("slides", Friction::Coefficient(0.05)),
        ("sticks", Friction::Coefficient(2.0)),
        ("rough", Friction::Rough),
    ] {
        cases.push((format!("two bodies, {name}"), 2, two(friction)));
    }
    for links in [500, 2_000, 8_000] {
        let before = |link: usize| link - 1;
        let balls = mechanism(links, before, |_| JointKind::Ball);
        let hinges = mechanism(links, before, hinge);
        let mut hanging = hinges.clone();
        let floor = hanging.bodies.len() - 1;
        hanging.joints.push(ImpulseJoint { bodies: [floor, 0], point: -DVec3::X, kind: JointKind::Ball });
        let mut ring = balls.clone();
        let point = 0.5 * (ring.bodies[0].center + ring.bodies[links - 1].center);
        ring.joints.push(ImpulseJoint { bodies: [links - 1, 0], point, kind: JointKind::Ball });
        let random = |link: usize| Random(link as u64).below(link);
        cases.push((format!("chain of {links}, balls"), links, balls));
        cases.push((format!("chain of {links}, hinges"), links, hinges));
        cases.push((format!("hanging chain of {links}, hinges"), links, hanging));
        cases.push((format!("tree of {links}, hinges"), links, mechanism(links, random, hinge)));
        cases.push((format!("star of {links}, balls"), links, mechanism(links, |_| 0, |_| JointKind::Ball)));
        cases.push((format!("ring of {links}, balls"), links, ring));
    }
    let columns = ["problem", "kept", "a link", "fresh"];
    let mut table = Table::new("One problem", TEXT, &columns);
    for (name, links, problem) in &cases {
        let mut workspace = ImpulseWorkspace::default();
        let found = matches!(problem.solve_with(&mut workspace)?, ImpulseOutcome::Solved(_));
        assert!(found, "{name} is solved");
        let (_, kept) = timed(repeats, || problem.solve_with(&mut workspace).is_ok());
        let (_, fresh) = timed(repeats, || problem.solve().is_ok());
        eprintln!("{name}: {:.3} us", 1e6 * kept);
        table.row(name, [Cell::Time(kept), Cell::Time(kept / *links as f64), Cell::Time(fresh)]);
    }
    let report = Report {
        title: "Impulses".into(),
        machine: Machine::here(),
        settings: vec![("repetitions".into(), repeats.to_string())],
        tables: vec![table],
    };
    Ok(report.publish(&out, "impulses")?)
}

fn hinge(link: usize) -> JointKind {
    JointKind::Hinge { axis: Random(!(link as u64)).direction() }
}

fn body(random: &mut Random, center: DVec3, linear: DVec3) -> ImpulseBody {
    let moments = DVec3::new(random.unit(), random.unit(), random.unit()) + DVec3::splat(0.5);
    let turn = DMat3::from_quat(random.quaternion());
    let full = turn * DMat3::from_diagonal(0.1 * moments) * turn.transpose();
    let inertia = 0.5 * (full + full.transpose());
    let mass = Some(RigidMass { mass: 0.5 + random.unit(), inertia });
    ImpulseBody { mass, center, linear, angular: DVec3::ZERO }
}

fn two(friction: Friction) -> ImpulseProblem {
    let random = &mut Random(1);
    let bodies = vec![
        body(random, DVec3::new(0.1, 0.2, -1.0), DVec3::ZERO),
        body(random, DVec3::new(-0.2, 0.1, 1.0), DVec3::new(0.4, -0.3, -2.0)),
    ];
    let contacts = vec![ImpulseContact {
        bodies: [0, 1],
        point: DVec3::ZERO,
        normal: DVec3::Z,
        elasticity: 0.5,
        friction,
    }];
    ImpulseProblem { bodies, contacts, joints: vec![] }
}

/// Links that fall on a floor; each link is attached to an earlier one.
fn mechanism(
    links: usize,
    carrier: impl Fn(usize) -> usize,
    kind: impl Fn(usize) -> JointKind,
) -> ImpulseProblem {
    let random = &mut Random(links as u64);
    let falls = DVec3::new(1.0, 0.0, -2.0);
    let mut bodies = vec![body(random, DVec3::ZERO, falls)];
    let mut joints = Vec::new();
    for link in 1..links {
        let other = carrier(link);
        let from = bodies[other].center;
        let center = from + DVec3::X + random.vector(0.1);
        bodies.push(body(random, center, falls));
        joints.push(ImpulseJoint { bodies: [other, link], point: 0.5 * (from + center), kind: kind(link) });
    }
    let touched = links / 3;
    let point = bodies[touched].center + DVec3::new(0.1, 0.0, -0.2);
    let still = ImpulseBody { mass: None, center: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO };
    bodies.push(still);
    let (elasticity, friction) = (0.4, Friction::Coefficient(0.5));
    let normal = DVec3::new(0.0, 0.1, 1.0);
    let contacts = vec![ImpulseContact { bodies: [links, touched], point, normal, elasticity, friction }];
    ImpulseProblem { bodies, contacts, joints }
}
