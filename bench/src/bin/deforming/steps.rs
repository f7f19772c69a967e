//! Whole simulation steps: a surface before and after a step, against itself.
//!
//! The folder has a subfolder for each simulation; its folder `frames` has two meshes with the same triangles,
//! before and after.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use chasles::{Mesh, MovingSurfaces, SelfTest, SurfaceStep};
use chasles_bench::program::table::{Cell, Table};
use chasles_bench::program::timing::once;
use chasles_formats::mesh;
use glam::DVec3;

use crate::{BUDGET, METHODS, Peer};

const TEXT: &str = "A surface against itself during one step, on one core. *Candidates*: features whose boxes \
    overlap. *Events*: features that come into contact, each with its first time and point; ipc-toolkit returns no \
    such list. *First time*: computes the time until which the step is free of contact, given both positions of the \
    vertices; work done once for a mesh is not counted on either side. ipc-toolkit skips candidates later than a \
    contact that it has already found, and may use more than one thread.";

struct Frames {
    name: String,
    faces: Vec<[u32; 3]>,
    places: [Vec<DVec3>; 2],
}

pub(crate) fn table(folder: &Path, peer: &Peer) -> Result<Table, Box<dyn Error>> {
    let columns =
        ["", "triangles", "candidates", "events", "undecided", "all events", "first time", "safe fraction"];
    let mut table = Table::new("Steps of simulations", TEXT, &columns);
    for folder in sorted(folder)? {
        let frames = read(&folder)?;
        let Frames { name, faces, places: [started, end] } = &frames;
        let mut surfaces =
            MovingSurfaces::new(vec![(Mesh::new(started.clone(), faces.clone())?, SelfTest::Tested)]);
        let [started, end] = [[started.clone()], [end.clone()]];
        let step = SurfaceStep { start: &started, end: &end };
        let candidates = surfaces.candidates(&step, 0.0, BUDGET)?.len();
        let (events, of_all) = once(|| surfaces.events(&step, 0.0, BUDGET));
        let (safe, of_first) = once(|| surfaces.safe_step(&step, 0.0, BUDGET));
        let (events, safe) = (events?, safe?);
        let counts = [faces.len(), candidates, events.events.len(), events.undecided.len()];
        let mut cells: Vec<Cell> = counts.into_iter().map(|count| Cell::Count(count as u64)).collect();
        cells.extend([Cell::Time(of_all), Cell::Time(of_first), Cell::TimeFraction(safe.until)]);
        table.row(&format!("{name}, chasles"), cells);
        let file = std::env::temp_dir().join(format!("chasles-bench-step-{}", std::process::id()));
        std::fs::write(&file, frames.written())?;
        for [method, found] in METHODS {
            match first_time(peer, &file, method) {
                Ok([candidates, seconds, fraction]) => {
                    let row = [
                        Cell::Count(faces.len() as u64),
                        Cell::Count(candidates as u64),
                        Cell::Empty,
                        Cell::Empty,
                        Cell::Empty,
                        Cell::Time(seconds),
                        Cell::TimeFraction(fraction),
                    ];
                    table.row(&format!("{name}, {found}"), row);
                }
                Err(error) => eprintln!("{name}, {found}: {error}"),
            }
        }
        std::fs::remove_file(&file)?;
    }
    Ok(table)
}

impl Frames {
    /// Serializes the step: the numbers of vertices and of faces, then the corners of the faces, all as u32; then
    /// the vertices before and after.
    fn written(&self) -> Vec<u8> {
        let counts =
            [self.places[0].len(), self.faces.len()].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        let whole = counts.into_iter().chain(self.faces.iter().flatten().copied());
        let numbers = self.places.iter().flatten().flat_map(|p| p.to_array());
        whole.flat_map(u32::to_le_bytes).chain(numbers.flat_map(f64::to_le_bytes)).collect()
    }
}

/// Returns ipc-toolkit's number of candidates, its time in seconds, and the fraction of the step that it finds safe.
fn first_time(peer: &Peer, file: &Path, method: &str) -> Result<[f64; 3], Box<dyn Error>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/moving_surfaces.py");
    let output = Command::new(&peer.python).arg(script).arg(file).arg(method).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let text = String::from_utf8(output.stdout)?;
    // Warnings may precede the last line.
    let last = text.lines().next_back().unwrap_or_default();
    let numbers: Vec<f64> = last.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    numbers.try_into().map_err(|_| format!("found {text:?}, expected three numbers").into())
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}

fn read(folder: &Path) -> Result<Frames, Box<dyn Error>> {
    let files = sorted(&folder.join("frames"))?;
    let [before, after] = &files[..] else {
        return Err(format!("{}: found {} frames, expected 2", folder.display(), files.len()).into());
    };
    let [before, after] = [before, after].map(|file| mesh::read(file, mesh::MissingGeometry::Refused));
    let (before, after) = (before?, after?);
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Frames { name, faces: before.triangles, places: [before.vertices, after.vertices] })
}
