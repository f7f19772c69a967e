//! Reads the lines of a recording: a header, and moments at increasing times.

use std::collections::BTreeSet;
use std::path::Path;

use chasles::{EnergyLosses, FlexibleState, ForcedStop, Pose, Released, SimulationEnergy, SimulationState};
use glam::{DQuat, DVec3};

use crate::error::{Error, Result};
use crate::limits;
use crate::problems::document;
use crate::recording::dynamics::RecordingReader;
use crate::text::cursor::{Cursor, Limit};
use crate::text::tree::number_text;

/// Two times are equal within this tolerance, in seconds.
pub(super) const TIME_TOLERANCE: f64 = 1e-9;

/// The message about an incomplete last line.
pub(super) const CUT: &str = "the line is cut off, as by a run that was ended";

/// The complete part of a recording.
pub(super) struct RecordingLines {
    pub(super) head: RecordingHeader,
    /// The moments at increasing times, none after the duration. Their contacts are in `beside`. Released bodies
    /// have their numbers among the bodies of the header.
    pub(super) moments: Vec<SimulationState>,
    /// The lines of the moments as in the file, without blank lines.
    pub(super) text: Vec<u8>,
    /// If the last line is truncated, its error.
    pub(super) cut: Option<Error>,
    /// Impulses and energies.
    pub(super) beside: RecordingReader,
}

impl RecordingLines {
    /// Reads a recording up to its last complete line.
    pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Self> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let longest = lines.clone().map(<[u8]>::len).max().unwrap_or(0);
        limits::check_recording(bytes.len(), longest).map_err(|what| Error::file(path, what))?;
        let mut lines = lines
            .enumerate()
            .filter(|(_, line)| !line.is_empty())
            .map(|(at, line)| (at + 1, line))
            .peekable();
        let Some((number, first)) = lines.next() else {
            return Err(Error::file(path, "the file is empty, expected a recording of `chasles simulate`"));
        };
        let head = head(first, number, path)?;
        let mut read = Self {
            head,
            moments: Vec::new(),
            text: Vec::new(),
            cut: None,
            beside: RecordingReader::default(),
        };
        while let Some((number, line)) = lines.next() {
            let is_cut = lines.peek().is_none() && !bytes.ends_with(b"\n");
            match document(line, number, path) {
                Err(error) if is_cut => read.cut = Some(error),
                document => {
                    let before = read.moments.last();
                    let document = document?;
                    let root = Cursor::root(path, &document);
                    let mut moment = moment(&root, &read.head, before)?;
                    moment.energy = read.beside.take(&root, (moment.time, number))?;
                    moment.losses.earlier = moment.energy.dissipated;
                    read.moments.push(moment);
                    read.text.extend_from_slice(line);
                    read.text.push(b'\n');
                }
            }
        }
        Ok(read)
    }
}

/// The content of the first line.
pub(super) struct RecordingHeader {
    pub(super) scene: String,
    pub(super) duration: f64,
    pub(super) depth: f64,
    pub(super) bodies: Vec<String>,
    pub(super) flexible: Vec<String>,
    pub(super) line: usize,
}

fn head(line: &[u8], number: usize, path: &Path) -> Result<RecordingHeader> {
    let expected = "`\"kind\":\"recording\"` in the first line, as `chasles simulate` writes it; problems are for \
                    chasles batch and chasles impulse";
    let document = document(line, number, path)?;
    let root = Cursor::root(path, &document);
    match root.get("kind") {
        Some(kind) if kind.text() == Ok("recording") => {}
        Some(kind) => return Err(kind.expected(expected)),
        None => return Err(root.missing("kind", expected)),
    }
    let format = root.require("format", "1")?;
    if format.number(Limit::Any)? != 1.0 {
        return Err(format.expected("1, the only format that this program reads"));
    }
    root.only_keys(&["format", "kind", "scene", "duration", "depth", "bodies", "flexible"])?;
    let scene = root.require("scene", "the path of a scene file")?;
    let scene = scene.nonempty_text("the path of a scene file")?.to_owned();
    let duration = root.require("duration", "seconds, a finite number > 0")?.number(Limit::Positive)?;
    let depth = root.require("depth", "metres, a finite number > 0")?.number(Limit::Positive)?;
    let mut names_so_far = BTreeSet::new();
    let bodies = names(&root.require("bodies", NAMES)?, &mut names_so_far)?;
    let flexible = root.get("flexible").map_or(Ok(Vec::new()), |list| names(&list, &mut names_so_far))?;
    Ok(RecordingHeader { scene, duration, depth, bodies, flexible, line: number })
}

const NAMES: &str = "a list of names of bodies";

/// Reads a list of names that have not been used before.
fn names(list: &Cursor<'_>, names_so_far: &mut BTreeSet<String>) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for at in list.items(NAMES)? {
        let name = at.text()?.to_owned();
        if !names_so_far.insert(name.clone()) {
            return Err(at.expected("a name that occurs there once"));
        }
        names.push(name);
    }
    Ok(names)
}

/// Reads the moment of a line that follows the moment `before`, without its contacts and energy.
fn moment(
    root: &Cursor<'_>,
    head: &RecordingHeader,
    before: Option<&SimulationState>,
) -> Result<SimulationState> {
    if !root.is_table() {
        return Err(root.expected("an object with the keys t, poses, velocities, contacts, energy"));
    }
    let keys = ["t", "poses", "velocities", "released", "forced", "contacts", "energy"];
    match head.flexible.is_empty() {
        true => root.only_keys(&keys)?,
        false => root.only_keys(&[&keys[..], &[VERTICES, VERTEX_VELOCITIES]].concat())?,
    }
    let at = root.require("t", "seconds, a finite number >= 0")?;
    let time = at.number(Limit::NotNegative)?;
    if let Some(before) = before.map(|before| before.time).filter(|before| *before >= time) {
        return Err(at.expected(&format!("a time after that of the line before, {}", number_text(before))));
    }
    if time > head.duration + TIME_TOLERANCE {
        let duration = number_text(head.duration);
        return Err(at.expected(&format!("at most the duration, {duration}")));
    }
    let (mut poses, mut velocities) = (Vec::new(), Vec::new());
    each(root, ("poses", head.bodies.len()), |at| {
        let [x, y, z, wxyz @ ..] = at.numbers::<7>(Limit::Any)?;
        at.unit_quaternion(wxyz)?;
        let [w, qx, qy, qz] = wxyz;
        // A unit quaternion keeps its digits.
        let pose = Pose::new(DVec3::new(x, y, z), DQuat::from_xyzw(qx, qy, qz, w));
        poses.push(pose.map_err(|error| at.error(error.to_string()))?);
        Ok(())
    })?;
    each(root, ("velocities", head.bodies.len()), |at| {
        let [vx, vy, vz, wx, wy, wz] = at.numbers::<6>(Limit::Any)?;
        velocities.push([DVec3::new(vx, vy, vz), DVec3::new(wx, wy, wz)]);
        Ok(())
    })?;
    let released = released(root, head, (time, before))?;
    Ok(SimulationState {
        time,
        poses,
        velocities,
        flexible: flexible(root, head, before)?,
        released,
        forced: forced(root, head, time)?,
        contacts: Vec::new(),
        energy: SimulationEnergy::default(),
        losses: EnergyLosses::default(),
    })
}

const VERTICES: &str = "vertices";
const VERTEX_VELOCITIES: &str = "vertex_velocities";

/// Reads the positions and velocities of the vertices of flexible bodies: as many as in the line before.
fn flexible(
    root: &Cursor<'_>,
    head: &RecordingHeader,
    before: Option<&SimulationState>,
) -> Result<Vec<FlexibleState>> {
    let bodies = head.flexible.len();
    if bodies == 0 {
        return Ok(Vec::new());
    }
    let vectors = |at: &Cursor<'_>, (count, of): (Option<usize>, &str)| {
        let expected = match count {
            Some(count) => format!("a list of length {count}, {of}"),
            None => "a list of positions of vertices".to_owned(),
        };
        let items = at.items(&expected)?;
        if count.is_some_and(|count| count != items.len()) {
            return Err(at.expected(&expected));
        }
        items.map(|item| item.vector()).collect::<Result<Vec<DVec3>>>()
    };
    let mut states: Vec<FlexibleState> = Vec::with_capacity(bodies);
    each(root, (VERTICES, bodies), |at| {
        let before = before.and_then(|moment| moment.flexible.get(states.len()));
        let count = before.map(|state| state.vertices.len());
        let vertices = vectors(at, (count, "as many vertices as in the line before"))?;
        states.push(FlexibleState { vertices, velocities: Vec::new() });
        Ok(())
    })?;
    let mut remaining_states = states.iter_mut();
    each(root, (VERTEX_VELOCITIES, bodies), |at| {
        if let Some(state) = remaining_states.next() {
            state.velocities = vectors(at, (Some(state.vertices.len()), "one velocity for each vertex"))?;
        }
        Ok(())
    })?;
    Ok(states)
}

/// Reads the bodies that have been released by the time of a line: the bodies of the line before, and perhaps more.
fn released(
    root: &Cursor<'_>,
    head: &RecordingHeader,
    (time, before): (f64, Option<&SimulationState>),
) -> Result<Vec<Released>> {
    const EXPECTED: &str = "a list of bodies that were released, those of the line before first";
    let before = before.map_or(&[][..], |moment| &moment.released);
    let mut released: Vec<Released> = Vec::new();
    if let Some(list) = root.get("released") {
        for at in list.items(EXPECTED)? {
            at.only_keys(&["body", "t"])?;
            let body_value = at.require("body", "the name of a body")?;
            let name = body_value.text()?;
            let known = head.bodies.iter().position(|body| body == name);
            let is_new = |body: &usize| released.iter().all(|other| other.body != *body);
            let Some(body) = known.filter(is_new) else {
                return Err(body_value.expected("the name of one of the bodies, once"));
            };
            let time_value = at.require("t", "seconds, a finite number >= 0")?;
            let since = time_value.number(Limit::NotNegative)?;
            let last = released.last().map_or(0.0, |last| last.time);
            if !(last..=time).contains(&since) {
                return Err(time_value
                    .expected("a time that is not before the one before it, and not after the line"));
            }
            released.push(Released { body, time: since });
        }
        if !released.starts_with(before) {
            return Err(list.expected(EXPECTED));
        }
    } else if !before.is_empty() {
        return Err(root.missing("released", EXPECTED));
    }
    Ok(released)
}

/// Reads the forced stops since the line before. Their bodies are numbered as in the recording.
fn forced(root: &Cursor<'_>, head: &RecordingHeader, time: f64) -> Result<Vec<ForcedStop>> {
    let Some(list) = root.get("forced") else { return Ok(Vec::new()) };
    let mut stops = Vec::new();
    for at in list.items("a list of forced stops")? {
        at.only_keys(&["t", "bodies", "energy"])?;
        let time_value = at.require("t", "seconds, a finite number >= 0")?;
        let stop = time_value.number(Limit::NotNegative)?;
        if stop > time {
            return Err(time_value.expected(&format!("at most the time of the line, {}", number_text(time))));
        }
        let mut bodies = Vec::new();
        for name in at.require("bodies", NAMES)?.items(NAMES)? {
            let body = head.bodies.iter().position(|body| Some(body.as_str()) == name.text().ok());
            bodies.push(body.ok_or_else(|| name.expected("the name of one of the bodies"))?);
        }
        let energy = at.require("energy", "joules, a finite number >= 0")?.number(Limit::NotNegative)?;
        stops.push(ForcedStop { time: stop, bodies, energy });
    }
    Ok(stops)
}

/// Reads a list with an item for each of the bodies.
fn each(
    root: &Cursor<'_>,
    (key, bodies): (&str, usize),
    mut read: impl FnMut(&Cursor<'_>) -> Result<()>,
) -> Result<()> {
    let expected = format!("a list of length {bodies}, one item for each of the bodies");
    let list = root.require(key, &expected)?;
    let items = list.items(&expected)?;
    if items.len() != bodies {
        return Err(list.expected(&expected));
    }
    items.into_iter().try_for_each(|item| read(&item))
}
