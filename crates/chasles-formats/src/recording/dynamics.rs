//! The data of a recording beside poses: impulses between bodies, energies, and the times at which bodies were
//! released.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chasles::{Released, SimulationEnergy};
use glam::DVec3;

use crate::error::{Error, Result};
use crate::scene::file::{BodyTable, ReleaseEntry, SceneFile};
use crate::text::cursor::{Cursor, Limit};
use crate::text::tree::quoted;

/// Impulses, energies and releases of a recording.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordedDynamics {
    /// The lines, in order of time.
    pub lines: Vec<RecordingLine>,
    /// The impulses of all lines, grouped by line.
    pub contacts: Vec<RecordedContact>,
    /// All bodies that are keyframed until their first contact: the released bodies in order of time, then the
    /// bodies that still wait at the end of the recording.
    pub releases: Vec<RecordedRelease>,
}

/// A line of a recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordingLine {
    /// Seconds.
    pub time: f64,
    /// Energy at that time.
    pub energy: SimulationEnergy,
    /// The end of the line's impulses in the list of all contacts; they start at the end of the line before.
    pub contacts_end: usize,
}

/// An impulse of a recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordedContact {
    /// The numbers of the bodies A and B in the scene.
    pub bodies: [usize; 2],
    /// Seconds.
    pub time: f64,
    /// The point in metres, in the world frame.
    pub point: DVec3,
    /// The impulse on B, in newton seconds.
    pub impulse: DVec3,
}

/// A body that is keyframed until its first contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordedRelease {
    /// The number of the body in the scene.
    pub body: usize,
    /// The time in seconds from which it is dynamic. `None`: it was not released before the end of the recording.
    pub time: Option<f64>,
}

/// The released bodies, and then the waiting ones. `names` are the names of the recording's bodies, in its order.
pub(super) fn releases(scene: &SceneFile, names: &[String], released: &[Released]) -> Vec<RecordedRelease> {
    let numbers = scene.numbers();
    let number = |index: usize| numbers.get(names.get(index)?.as_str()).copied();
    let numbered = released.iter().filter_map(|release| Some((number(release.body)?, release.time)));
    let mut releases: Vec<RecordedRelease> =
        numbered.map(|(body, time)| RecordedRelease { body, time: Some(time) }).collect();
    let known: BTreeSet<usize> = releases.iter().map(|release| release.body).collect();
    let waits = |body: &BodyTable| body.mass.is_some_and(|mass| mass.release == ReleaseEntry::Contact);
    let waiting =
        scene.bodies.iter().enumerate().filter(|(body, table)| waits(table) && !known.contains(body));
    releases.extend(waiting.map(|(body, _)| RecordedRelease { body, time: None }));
    releases
}

/// Reads impulses and energies of lines. Bodies have temporary numbers until the scene is known.
#[derive(Default)]
pub(super) struct RecordingReader {
    dynamics: RecordedDynamics,
    /// The number of each name, and the first line with the name.
    names: BTreeMap<String, (usize, usize)>,
}

impl RecordingReader {
    /// Adds a line and returns its energy. `number` is the number of the line in its file.
    pub(super) fn take(
        &mut self,
        root: &Cursor<'_>,
        (time, number): (f64, usize),
    ) -> Result<SimulationEnergy> {
        let list = root.require("contacts", "a list of contacts")?;
        for at in list.items("a list of contacts")? {
            let contact = self.contact(&at, number)?;
            self.dynamics.contacts.push(contact);
        }
        let at = root.require("energy", "an object")?;
        at.only_keys(&["kinetic", "potential", "dissipated"])?;
        let joules = |key| at.require(key, "joules, a finite number")?.number(Limit::Any);
        let [kinetic, potential, dissipated] =
            [joules("kinetic")?, joules("potential")?, joules("dissipated")?];
        let energy = SimulationEnergy { kinetic, potential, dissipated };
        self.dynamics.lines.push(RecordingLine { time, energy, contacts_end: self.dynamics.contacts.len() });
        Ok(energy)
    }

    fn contact(&mut self, at: &Cursor<'_>, line: usize) -> Result<RecordedContact> {
        at.only_keys(&["a", "b", "t", "point", "normal", "impulse"])?;
        let mut body = |key| {
            let name = at.require(key, "the name of a body")?.text()?;
            let next = self.names.len();
            let known = self.names.get(name).map(|(number, _)| *number);
            Ok::<usize, Error>(known.unwrap_or_else(|| {
                self.names.insert(name.to_owned(), (next, line));
                next
            }))
        };
        let bodies = [body("a")?, body("b")?];
        let time = at.require("t", "seconds, a finite number >= 0")?.number(Limit::NotNegative)?;
        let vector = |key| at.require(key, "a list of 3 finite numbers")?.vector();
        let point = vector("point")?;
        vector("normal")?;
        Ok(RecordedContact { bodies, time, point, impulse: vector("impulse")? })
    }

    /// The data with the body numbers of the scene.
    pub(super) fn of(self, scene: &SceneFile, path: &Path) -> Result<RecordedDynamics> {
        let Self { mut dynamics, names } = self;
        let in_scene = scene.numbers();
        let mut numbers = vec![0; names.len()];
        for (name, (index, line)) in &names {
            let Some(number) = in_scene.get(name.as_str()) else {
                let what = format!("found {}, expected a body of the scene: has it changed?", quoted(name));
                return Err(Error::key(path, "contacts", *line, what));
            };
            numbers[*index] = *number;
        }
        for contact in &mut dynamics.contacts {
            contact.bodies = contact.bodies.map(|index| numbers[index]);
        }
        Ok(dynamics)
    }
}
