//! Sets of queries: bodies, and motions. The motions of one set start in overlap, the others do not.

use chasles::{Error, Mesh, Outcome, PreparedMesh, Screw};
use glam::DVec3;

use crate::cases::meshes::{bumpy_sphere, cube, cuboid, cylinder, torus, torus_knot};
use crate::cases::shapes::Raw;
use crate::cases::sweeps::{Sweep, closest_approach};
use crate::first_contact::engine::{Engine, Query};
use chasles_testing::Random;

/// Seed of the bumpy sphere.
const BUMPY: u64 = 1;

/// About one draw in three starts in overlap, for small motions one in two, so a longer sequence of unsuitable draws is
/// a fault of the engine.
const MAX_DRAWS: u64 = 1000;

/// The kind of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A torus knot against a bumpy sphere: the set for the targets of issue 3.
    Knot,
    /// Two tori.
    Torus,
    /// Two torus knots with small motions.
    Near,
    /// A torus knot against a bumpy sphere, about distant axes.
    Far,
    /// A torus knot against a bumpy sphere, about axes through the knot's centre.
    Through,
    /// Two cubes of 12 triangles.
    Cubes,
    /// Boxes, cylinders and plates, rotated by half a revolution.
    Robot,
    /// A torus knot against a bumpy sphere; the motions start in overlap.
    Overlap,
}

/// Every kind, with its name.
pub const KINDS: [(&str, Kind); 8] = [
    ("knot", Kind::Knot),
    ("torus", Kind::Torus),
    ("near", Kind::Near),
    ("far", Kind::Far),
    ("through", Kind::Through),
    ("cubes", Kind::Cubes),
    ("robot", Kind::Robot),
    ("overlap", Kind::Overlap),
];

impl Kind {
    /// The sizes at which a kind runs, among the requested sizes: the approximate number of triangles of each body.
    #[must_use]
    pub fn sizes(self, queried: &[usize]) -> Vec<usize> {
        let up_to = |maximum: usize| queried.iter().copied().filter(|n| *n <= maximum).collect();
        match self {
            Self::Knot | Self::Overlap => queried.to_vec(),
            Self::Near | Self::Far | Self::Through => up_to(20_000),
            Self::Torus => vec![1000],
            Self::Cubes => vec![12],
            Self::Robot => vec![64],
        }
    }

    /// The number of cases of a kind, from the requested number. Few small motions lead to contact, so this kind
    /// has more cases.
    #[must_use]
    pub fn number(self, queried: usize) -> usize {
        if self == Self::Near { 4 * queried } else { queried }
    }

    /// The motion of A.
    #[must_use]
    pub fn sweep(self) -> Sweep {
        match self {
            Self::Knot | Self::Torus | Self::Cubes | Self::Overlap => Sweep::Passing,
            Self::Near => Sweep::Near,
            Self::Far => Sweep::FarAxis,
            Self::Through => Sweep::ThroughAxis,
            Self::Robot => Sweep::HalfTurn,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Knot => "knot, bumpy sphere",
            Self::Torus => "torus, torus",
            Self::Near => "knot, knot, small motions",
            Self::Far => "knot, bumpy sphere, far axis",
            Self::Through => "knot, bumpy sphere, axis through",
            Self::Cubes => "cube, cube",
            Self::Robot => "robot parts, half turns",
            Self::Overlap => "knot, bumpy sphere, overlapping at the start",
        }
    }

    /// The meshes from which queries take A and B.
    #[must_use]
    pub fn raw(self, size: usize) -> Vec<Raw> {
        match self {
            Self::Knot | Self::Far | Self::Through | Self::Overlap => {
                vec![torus_knot(size), bumpy_sphere(size, BUMPY)]
            }
            Self::Near => vec![torus_knot(size); 2],
            Self::Torus => vec![torus(size); 2],
            Self::Cubes => vec![cube(); 2],
            Self::Robot => vec![
                cuboid(DVec3::new(0.25, 0.25, 1.8)),
                cuboid(DVec3::new(0.8, 0.7, 0.9)),
                cylinder(0.15, 1.8, 16),
                cylinder(0.6, 0.2, 32),
                cuboid(DVec3::new(1.6, 1.0, 0.02)),
                cuboid(DVec3::new(1.2, 0.1, 0.1)),
            ],
        }
    }
}

/// A motion of one body of a set past another.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The numbers of A and B.
    pub bodies: [usize; 2],
    /// The motion of A.
    pub screw: Screw,
    /// Whether the balls of radius 1 about both origins intersect, so that a test of these balls is not enough.
    pub near: bool,
}

/// Bodies and cases.
#[derive(Debug)]
pub struct Set {
    /// The kind of the set.
    pub kind: Kind,
    /// The approximate number of triangles of each body.
    pub size: usize,
    /// The bodies.
    pub bodies: Vec<PreparedMesh>,
    /// The cases, by number.
    pub cases: Vec<Case>,
    /// The number of motions that were discarded because they start in overlap, or do not in a set where they should.
    pub thrown_out: u64,
}

impl Set {
    /// Creates a set with `number` cases. Case *i* does not depend on `number`.
    ///
    /// # Errors
    /// None.
    ///
    /// # Panics
    /// If the engine finds no suitable start.
    pub fn new(kind: Kind, size: usize, number: usize) -> Result<Self, Error> {
        let bodies = kind
            .raw(size)
            .into_iter()
            .map(|(points, triangles)| Mesh::new(points, triangles).map(PreparedMesh::new));
        let bodies = bodies.collect::<Result<Vec<_>, _>>()?;
        let mut set = Self { kind, size, bodies, cases: Vec::new(), thrown_out: 0 };
        let mut engine = Engine::new();
        for i in 0..number as u64 {
            // The random numbers of one case are far from the next case's in the generator's sequence.
            let random = &mut Random(Random(i).bits());
            let mut case = set.draw(random)?;
            let thrown_out_before = set.thrown_out;
            while set.starts_in_overlap(&mut engine, &case)? != (kind == Kind::Overlap) {
                set.thrown_out += 1;
                assert!(
                    set.thrown_out - thrown_out_before < MAX_DRAWS,
                    "case {i} of {kind:?} has no suitable start"
                );
                case = set.draw(random)?;
            }
            set.cases.push(case);
        }
        Ok(set)
    }

    fn draw(&self, random: &mut Random) -> Result<Case, Error> {
        let any = self.bodies.len() as u64;
        let bodies = match self.kind {
            Kind::Robot => [(random.bits() % any) as usize, (random.bits() % any) as usize],
            _ => [0, 1],
        };
        let screw = self.kind.sweep().screw(random)?;
        Ok(Case { bodies, screw, near: closest_approach(&screw) < 2.0 })
    }

    fn starts_in_overlap(&self, engine: &mut Engine, case: &Case) -> Result<bool, Error> {
        // All bodies have a radius of at most 1 about their origins.
        if case.screw.start().position().length() > 2.0 {
            return Ok(false);
        }
        let still = Screw::still(case.screw.start());
        let found = engine.first(&(&self.bodies[case.bodies[0]], &self.bodies[case.bodies[1]], still))?;
        Ok(!matches!(found.outcome, Outcome::Clear))
    }

    /// The query of a case.
    #[must_use]
    pub fn query(&self, case: &Case) -> Query<'_> {
        (&self.bodies[case.bodies[0]], &self.bodies[case.bodies[1]], case.screw)
    }

    /// The name of the set's row in a table.
    #[must_use]
    pub fn name(&self) -> String {
        match self.kind {
            Kind::Cubes | Kind::Robot => self.kind.title().into(),
            _ => format!("{}, {}", self.kind.title(), thousands(self.size)),
        }
    }
}

/// Formats 20000 as 20k.
#[must_use]
pub fn thousands(n: usize) -> String {
    if n.is_multiple_of(1000) { format!("{}k", n / 1000) } else { n.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_the_same_whatever_their_number() -> Result<(), Error> {
        for (name, kind) in KINDS {
            let size = kind.sizes(&[1000])[0];
            let [few, more] = [Set::new(kind, size, 3)?, Set::new(kind, size, 6)?];
            for (a, b) in few.cases.iter().zip(&more.cases) {
                assert_eq!((a.bodies, a.screw), (b.bodies, b.screw), "{name}");
            }
        }
        Ok(())
    }

    #[test]
    fn cases_start_in_overlap_in_one_set_only_and_every_part_is_of_unit_size() -> Result<(), Error> {
        for (name, kind) in KINDS {
            let size = kind.sizes(&[1000])[0];
            let raw = kind.raw(size);
            assert!(raw.iter().flat_map(|r| &r.0).all(|v| v.length() < 1.0 + 1e-12), "{name}");
            let set = Set::new(kind, size, 20)?;
            for case in &set.cases {
                let found = Engine::new().first(&set.query(case))?;
                let overlaps = matches!(found.outcome, Outcome::Overlapping(_));
                assert_eq!(overlaps, kind == Kind::Overlap, "{name}");
            }
        }
        Ok(())
    }
}
