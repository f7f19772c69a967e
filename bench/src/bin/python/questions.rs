//! Queries for both sides: two bodies, and the start and end poses of the first body, as numbers in files.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use chasles::{
    ContactFeatures, Mesh, Options, Outcome, Pose, Prediction, PreparedMesh, Query, QueryKind, Screw,
    Workspace, predictions,
};
use chasles_bench::cases::meshes::cube;
use chasles_bench::cases::shapes::Raw;
use chasles_bench::cases::sweeps::Sweep;
use chasles_testing::Random;
use glam::{DQuat, DVec3};

/// A pose as x, y, z, qw, qx, qy, qz.
pub(crate) type Numbers = [f64; 7];

/// The minimum and maximum distance of two cubes that are clear at once. Both have radius 1.
const AWAY: [f64; 2] = [6.0, 8.0];

pub(crate) struct Questions {
    /// The name of the folder.
    pub(crate) name: &'static str,
    pub(crate) raw: [Raw; 2],
    bodies: [PreparedMesh; 2],
    ends: Vec<[Numbers; 2]>,
    /// The motions between these poses.
    pub(crate) screws: Vec<Screw>,
}

impl Questions {
    /// Random motions whose answers are `selected`.
    pub(crate) fn new(
        (name, seed): (&'static str, u64),
        raw: [Raw; 2],
        count: usize,
        motion: impl Fn(&mut Random) -> Result<Screw, chasles::Error>,
        selected: impl Fn(&Prediction) -> bool,
    ) -> Result<Self, chasles::Error> {
        let body = |raw: &Raw| Mesh::new(raw.0.clone(), raw.1.clone()).map(PreparedMesh::new);
        let bodies = [body(&raw[0])?, body(&raw[1])?];
        let mut own = Self { name, raw, bodies, ends: Vec::new(), screws: Vec::new() };
        let (random, memory) = (&mut Random(seed), &mut Workspace::default());
        while own.screws.len() < count {
            let screw = motion(random)?;
            // From here on the numbers are used, because a pose made of them is normalised once more.
            let ends = [screw.start(), screw.end()].map(numbers);
            let screw = between(&ends)?;
            if selected(&own.query(screw).predict(QueryKind::FirstContact, &Options::default(), memory)?) {
                own.ends.push(ends);
                own.screws.push(screw);
            }
        }
        Ok(own)
    }

    /// Two cubes whose bounding boxes prove them clear.
    pub(crate) fn clear(count: usize) -> Result<Self, chasles::Error> {
        let motion = |random: &mut Random| {
            let start = random.within(AWAY[0], AWAY[1]) * random.direction_of_two();
            let end = start + random.direction_of_two();
            let turned = [random.even_rotation(), random.even_rotation()];
            Ok(Screw::between(Pose::new(start, turned[0])?, Pose::new(end, turned[1])?))
        };
        let selected = |found: &Prediction| {
            matches!(found.outcome, Outcome::Clear) && found.counters.triangle_pairs == 0
        };
        Self::new(("clear", 1), [cube(), cube()], count, motion, selected)
    }

    /// Two cubes that collide.
    pub(crate) fn meeting(count: usize) -> Result<Self, chasles::Error> {
        let selected = |found: &Prediction| matches!(found.outcome, Outcome::Contact(_));
        Self::new(("meeting", 2), [cube(), cube()], count, |random| Sweep::Passing.screw(random), selected)
    }

    /// Bodies that pass each other or collide, without overlap at the start.
    pub(crate) fn passing(name: &'static str, raw: [Raw; 2], count: usize) -> Result<Self, chasles::Error> {
        let selected = |found: &Prediction| !matches!(found.outcome, Outcome::Overlapping(_));
        Self::new((name, 3), raw, count, |random| Sweep::Passing.screw(random), selected)
    }

    /// Writes the files for Python.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let folder = folder.join(self.name);
        // Bodies are in the format of the peers' script; its cases are written where they are needed.
        chasles_bench::first_contact::outside::write_cases(&folder, &self.raw, &[])?;
        for (end, name) in ["starts", "ends"].into_iter().enumerate() {
            write_numbers(&folder.join(name), self.ends.iter().flat_map(|ends| ends[end]))?;
        }
        Ok(())
    }

    fn query(&self, screw: Screw) -> Query<'_> {
        Query { a: &self.bodies[0], b: &self.bodies[1], screw }
    }

    /// The motions as computed from matrices, whose last bits differ from those computed from quaternions.
    pub(crate) fn by_matrices(&self) -> Result<Vec<Screw>, chasles::Error> {
        let through = |ends: &Numbers| Pose::from_matrix(&pose(ends)?.to_matrix());
        self.ends.iter().map(|[start, end]| Ok(Screw::between(through(start)?, through(end)?))).collect()
    }

    /// The answers as rows, one after the other.
    pub(crate) fn rows(&self, screws: &[Screw]) -> Result<Vec<u8>, chasles::Error> {
        let memory = &mut Workspace::default();
        let mut rows = Vec::new();
        for screw in screws {
            add_row(
                &mut rows,
                &self.query(*screw).predict(QueryKind::FirstContact, &Options::default(), memory)?,
            );
        }
        Ok(rows)
    }

    /// The wall time in seconds of the first `count` queries, one after the other. The screws are computed in advance.
    pub(crate) fn ready(&self, count: usize) -> Result<f64, chasles::Error> {
        let (memory, options) = (&mut Workspace::default(), Options::default());
        let started = Instant::now();
        for screw in &self.screws[..count] {
            black_box(self.query(*screw).predict(QueryKind::FirstContact, &options, memory)?);
        }
        Ok(started.elapsed().as_secs_f64())
    }

    /// As `ready`, but each screw is computed from its numbers, as in Python.
    pub(crate) fn making_screws(&self, count: usize) -> Result<f64, chasles::Error> {
        let (memory, options) = (&mut Workspace::default(), Options::default());
        let started = Instant::now();
        for ends in &self.ends[..count] {
            black_box(self.query(between(ends)?).predict(QueryKind::FirstContact, &options, memory)?);
        }
        Ok(started.elapsed().as_secs_f64())
    }

    /// Solves all queries at once, on the threads of the caller's pool.
    pub(crate) fn at_once(&self) -> Result<(), chasles::Error> {
        let queries: Vec<Query<'_>> = self.screws.iter().map(|screw| self.query(*screw)).collect();
        for found in black_box(predictions(&queries, QueryKind::FirstContact, &Options::default())) {
            found?;
        }
        Ok(())
    }
}

fn numbers(pose: Pose) -> Numbers {
    let ([x, y, z], turn) = (pose.position().to_array(), pose.rotation());
    [x, y, z, turn.w, turn.x, turn.y, turn.z]
}

fn pose(&[x, y, z, qw, qx, qy, qz]: &Numbers) -> Result<Pose, chasles::Error> {
    Pose::new(DVec3::new(x, y, z), DQuat::from_xyzw(qx, qy, qz, qw))
}

fn between([start, end]: &[Numbers; 2]) -> Result<Screw, chasles::Error> {
    Ok(Screw::between(pose(start)?, pose(end)?))
}

/// Writes numbers, little-endian.
pub(crate) fn write_numbers(file: &Path, numbers: impl Iterator<Item = f64>) -> std::io::Result<()> {
    std::fs::write(file, numbers.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
}

/// Appends an answer with the packed fields of `chasles.PREDICTION`.
fn add_row(rows: &mut Vec<u8>, found: &Prediction) {
    let (verdict, clear_until) = match &found.outcome {
        Outcome::Clear => (0, 1.0),
        Outcome::Undecided { clear_until, .. } => (2, *clear_until),
        Outcome::Contact(contact) => (3, contact.time[0]),
        Outcome::Overlapping(_) => (4, 0.0),
    };
    let contact = match &found.outcome {
        Outcome::Contact(contact) => Some(contact),
        _ => None,
    };
    let (kind, numbers) = match contact.map(|contact| contact.features) {
        Some(ContactFeatures::VertexFace { a, b }) => (0, [Some(a), None, Some(b), None]),
        Some(ContactFeatures::FaceVertex { a, b }) => (1, [Some(a), None, Some(b), None]),
        Some(ContactFeatures::EdgeEdge { a, b }) => (2, [a[0], a[1], b[0], b[1]].map(Some)),
        _ => (255, [None; 4]),
    };
    let vector = |of: Option<DVec3>| of.map_or([f64::NAN; 3], |v| v.to_array());
    let time = contact.map_or([f64::NAN; 2], |contact| contact.time);
    let places = [vector(contact.map(|c| c.point)), vector(contact.map(|c| c.normal))];
    rows.push(verdict);
    rows.extend(time.into_iter().chain([clear_until]).flat_map(f64::to_le_bytes));
    rows.push(kind);
    rows.extend(numbers.into_iter().flat_map(|n| n.map_or(-1, i64::from).to_le_bytes()));
    rows.extend(places.into_iter().flatten().flat_map(f64::to_le_bytes));
    rows.push(contact.is_some_and(|contact| contact.touching).into());
}

/// Bytes of a row.
pub(crate) const ROW: usize = 107;

/// The verdict of each row.
pub(crate) fn verdicts(rows: &[u8]) -> impl Iterator<Item = u8> {
    rows.chunks_exact(ROW).map(|row| row[0])
}

/// Compares Python's answers with the engine's, which repeat: every bit must be the same.
pub(crate) fn assert_same(folder: &Path, rows: &[u8], count: usize) -> Result<(), Box<dyn Error>> {
    let theirs = std::fs::read(folder.join("answers"))?;
    if theirs.len() != count * ROW {
        return Err(format!("{} bytes of answers, expected {count} rows of {ROW}", theirs.len()).into());
    }
    let ours = rows.chunks_exact(ROW).cycle();
    match theirs.chunks_exact(ROW).zip(ours).position(|(theirs, ours)| theirs != ours) {
        None => Ok(()),
        Some(row) => Err(format!("answer {row} of Python has other bits than the engine's").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_size() -> Result<(), chasles::Error> {
        let (clear, meeting) = (Questions::clear(3)?, Questions::meeting(3)?);
        let rows = [clear.rows(&clear.screws)?, meeting.rows(&meeting.screws)?].concat();
        assert_eq!(rows.len(), 6 * ROW);
        assert_eq!(verdicts(&rows).collect::<Vec<_>>(), [0, 0, 0, 3, 3, 3]);
        Ok(())
    }
}
