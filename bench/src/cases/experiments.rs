//! The experiments of Buss (2005), "Runtimes": a cube on a cube, a simple car on a car, a torus on a torus. Also a
//! bolt that is screwed into its nut.

use std::f64::consts::TAU;

use chasles::{Error, Mesh, Options, Outcome, Pose, PreparedMesh, Screw, collisions, first_contact};
use chasles_testing::Random;
use glam::DVec3;

use crate::cases::meshes::{bumpy_sphere, cube, torus_knot};
use crate::cases::shapes::Raw;
use crate::cases::sweeps::Sweep;

/// Two bodies, and the measured motions of the first past the second.
#[derive(Debug)]
pub struct Experiment {
    /// A description of the bodies.
    pub name: &'static str,
    /// The moving body, and the static body.
    pub meshes: [Raw; 2],
    /// The motions: the bodies are separated at the start, and they collide.
    pub screws: Vec<Screw>,
}

impl Experiment {
    /// The two bodies, ready for queries.
    ///
    /// # Errors
    /// None for these.
    pub fn bodies(&self) -> Result<[PreparedMesh; 2], Error> {
        let body = |(vertices, triangles): &Raw| {
            Mesh::new(vertices.clone(), triangles.clone()).map(PreparedMesh::new)
        };
        let [a, b] = &self.meshes;
        Ok([body(a)?, body(b)?])
    }

    /// Takes the first motions of a family with separation at the start, a collision, and the property `pleases`.
    fn new(
        name: &'static str,
        meshes: [Raw; 2],
        (sweep, count): (Sweep, usize),
        pleases: impl Fn(&PreparedMesh, &PreparedMesh, &Screw) -> Result<bool, Error>,
    ) -> Result<Self, Error> {
        let mut experiment = Self { name, meshes, screws: Vec::new() };
        let [a, b] = experiment.bodies()?;
        for seed in 0.. {
            if experiment.screws.len() == count {
                break;
            }
            let screw = sweep.screw(&mut Random(seed))?;
            let first = first_contact(&a, &b, &screw, &Options::default())?.outcome;
            if matches!(first, Outcome::Contact(_)) && pleases(&a, &b, &screw)? {
                experiment.screws.push(screw);
            }
        }
        Ok(experiment)
    }
}

/// All experiments, with `count` motions each; fewer for large meshes.
///
/// # Errors
/// None.
pub fn experiments(count: usize) -> Result<Vec<Experiment>, Error> {
    let any = |_: &PreparedMesh, _: &PreparedMesh, _: &Screw| Ok(true);
    let three_proper = |a: &PreparedMesh, b: &PreparedMesh, screw: &Screw| {
        let found = collisions(a, b, screw, &Options::default())?;
        Ok(found.collisions.iter().filter(|collision| collision.proper).count() == 3)
    };
    let passing = (Sweep::Passing, count);
    let few = (Sweep::Passing, (count / 10).max(2));
    let tori = |around, across| [torus(around, across), torus(around, across)];
    let knot = |triangles| [torus_knot(triangles), bumpy_sphere(triangles, 1)];
    Ok(vec![
        Experiment::new("two cubes", [cube(), cube()], passing, any)?,
        Experiment::new("car on car", [car(), car()], passing, any)?,
        Experiment::new("tori of 72 quads", tori(12, 6), passing, any)?,
        Experiment::new("tori of 72 quads, three proper", tori(12, 6), few, three_proper)?,
        Experiment::new("tori of 400 quads", tori(25, 16), passing, any)?,
        bolt_in_nut()?,
        Experiment::new("knot on sphere, 20k", knot(20_000), few, any)?,
    ])
}

/// A torus of `around` times `across` quadrilaterals, with radius 1 about the origin.
fn torus(around: u32, across: u32) -> Raw {
    let angle = |i: u32, n: u32| TAU * f64::from(i) / f64::from(n);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..around {
        let (sin, cos) = angle(i, around).sin_cos();
        for j in 0..across {
            let (rise, out) = angle(j, across).sin_cos();
            let radius = 0.7 + 0.3 * out;
            vertices.push(DVec3::new(radius * cos, radius * sin, 0.3 * rise));
            let at = |i: u32, j: u32| i % around * across + j % across;
            let [p, q, r, s] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[p, q, r], [p, r, s]]);
        }
    }
    (vertices, triangles)
}

/// A simple car of length 2: its side view extruded across, narrower at the roof.
fn car() -> Raw {
    // Bumper, bonnet, windscreen, roof, rear window, boot, and the arches of the wheels below.
    const SIDE: [[f64; 2]; 14] = [
        [-1.0, -0.25],
        [-0.75, -0.25],
        [-0.65, -0.12],
        [-0.45, -0.12],
        [-0.35, -0.25],
        [0.35, -0.25],
        [0.45, -0.12],
        [0.65, -0.12],
        [0.75, -0.25],
        [1.0, -0.25],
        [1.0, 0.0],
        [0.35, 0.28],
        [-0.45, 0.28],
        [-1.0, 0.05],
    ];
    const FACES: [[u32; 3]; 12] = [
        [0, 1, 13],
        [1, 2, 13],
        [2, 3, 12],
        [2, 12, 13],
        [3, 4, 12],
        [4, 5, 12],
        [5, 6, 11],
        [5, 11, 12],
        [6, 7, 11],
        [7, 10, 11],
        [7, 8, 10],
        [8, 9, 10],
    ];
    let at = |side: f64| SIDE.map(|[x, z]| DVec3::new(x, side * if z > 0.1 { 0.3 } else { 0.42 }, z));
    let vertices = at(-1.0).into_iter().chain(at(1.0)).collect();
    let n = SIDE.len() as u32;
    let mut triangles: Vec<[u32; 3]> = FACES.to_vec();
    triangles.extend(FACES.map(|[p, q, r]| [p + n, r + n, q + n]));
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, i + n, j + n], [i, j + n, j]]);
    }
    (vertices, triangles)
}

/// The bolt and the nut of the scenes. The slide per revolution is a little larger than the pitch, so that the
/// flanks scrape.
fn bolt_in_nut() -> Result<Experiment, Error> {
    let bolt = obj(include_str!("../../../scenes/meshes/bolt.obj"));
    let nut = obj(include_str!("../../../scenes/meshes/nut.obj"));
    let (turns, pitch) = (2.6, 1.54e-3);
    let start = Pose::from_position(DVec3::new(0.0, 0.0, 0.010_040_384_758))?;
    let screw = Screw::about(start, DVec3::Z, DVec3::ZERO, -turns * pitch, -turns * TAU)?;
    Ok(Experiment { name: "bolt in nut", meshes: [bolt, nut], screws: vec![screw] })
}

/// Parses the vertices and triangles of an OBJ file of ours; unparsable numbers are skipped.
fn obj(text: &str) -> Raw {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut next = || words.next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN);
                vertices.push(DVec3::new(next(), next(), next()));
            }
            Some("f") => {
                let mut next =
                    || words.next().and_then(|word| word.parse::<u32>().ok()).map_or(u32::MAX, |i| i - 1);
                triangles.push([next(), next(), next()]);
            }
            _ => {}
        }
    }
    (vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles::MeshFacts;

    #[test]
    fn bodies_are_closed_and_motions_collide() -> Result<(), Error> {
        for experiment in experiments(2)? {
            assert!(!experiment.screws.is_empty());
            let [a, b] = experiment.bodies()?;
            for body in [&a, &b] {
                assert!(MeshFacts::of(body.mesh()).closed, "{}", experiment.name);
            }
            for screw in &experiment.screws {
                let outcome = first_contact(&a, &b, screw, &Options::default())?.outcome;
                assert!(matches!(outcome, Outcome::Contact(_)), "{}: {outcome:?}", experiment.name);
            }
        }
        Ok(())
    }
}
