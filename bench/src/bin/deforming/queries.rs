//! Public queries with known answers.
//!
//! The folder has a subfolder for each category with edge-edge.csv and vertex-face.csv. A query has eight rows: four
//! points at the start and four at the end. Each row has x, y, z as numerator and denominator, then whether the
//! features collide. (The benchmark of Wang, Ferguson, Schneider, Jiang, Attene and Panozzo 2021 has this format.)

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use chasles::{FeatureMeeting, MovingFeatures, MovingKind};
use chasles_bench::program::table::{Cell, Table};
use chasles_bench::program::timing::{quantile, timed};
use glam::DVec3;

use crate::{BUDGET, METHODS, Peer};

/// A query with its answer.
struct Query {
    features: MovingFeatures,
    meets: bool,
}

/// A method's answer to a query, `None` if undecided, and its time in seconds.
type PeerAnswer = (Option<bool>, f64);

const TEXT: &str = "One query at a time, on one core. *Missed*: features in contact, reported as free. *False*: free \
    features, reported as in contact. ipc-toolkit is called through its Python package, whose calls cost about a \
    microsecond each, so its own medians are smaller. It returns a time before the contact, with a safety factor; \
    chasles returns an enclosure of the time. Tight Inclusion is conservative by design: its false answers are the \
    price of never missing a contact.";

/// Returns the number of queries, and the table of results.
pub(crate) fn table(folder: &Path, peer: &Peer) -> Result<(usize, Table), Box<dyn Error>> {
    let queries = read_all(folder)?;
    let columns = ["", "queries", "missed", "false", "undecided", "median", "mean", "p99", "longest"];
    let mut table = Table::new("Public queries", TEXT, &columns);
    let own: Vec<PeerAnswer> = queries.iter().map(own).collect();
    add(&mut table, "chasles", &queries, &own);
    for kind in [MovingKind::VertexFace, MovingKind::EdgeEdge] {
        let of = |(query, _): &(&Query, &PeerAnswer)| query.features.kind == kind;
        let (some, found): (Vec<_>, Vec<_>) =
            queries.iter().zip(&own).filter(of).map(|(q, t)| (q, *t)).unzip();
        let name = if kind == MovingKind::VertexFace { "vertices and faces" } else { "edges" };
        add(&mut table, &format!("chasles, {name}"), some, &found);
    }
    let file = std::env::temp_dir().join(format!("chasles-bench-moving-{}", std::process::id()));
    std::fs::write(&file, queries.iter().flat_map(written).flat_map(f64::to_le_bytes).collect::<Vec<u8>>())?;
    for [method, name] in METHODS {
        match answers(peer, &file, method) {
            Ok(found) => add(&mut table, &format!("ipc-toolkit, {name}"), &queries, &found),
            Err(error) => eprintln!("{name}: {error}"),
        }
    }
    std::fs::remove_file(&file)?;
    Ok((queries.len(), table))
}

fn own(query: &Query) -> PeerAnswer {
    let (meeting, seconds) = timed(3, || query.features.first_contact(0.0, BUDGET));
    let found = match meeting {
        Ok(FeatureMeeting::Clear) => Some(false),
        Ok(FeatureMeeting::Contact(_)) => Some(true),
        Ok(FeatureMeeting::Undecided(_)) | Err(_) => None,
    };
    (found, seconds)
}

/// Adds a row; `found` has the answers to the first queries.
fn add<'q>(
    table: &mut Table,
    name: &str,
    queries: impl IntoIterator<Item = &'q Query>,
    found: &[PeerAnswer],
) {
    let meets: Vec<bool> = queries.into_iter().map(|query| query.meets).collect();
    let of = |intersects_exactly: bool, claimed: Option<bool>| {
        Cell::Count(
            meets.iter().zip(found).filter(|(m, (t, _))| **m == intersects_exactly && *t == claimed).count()
                as u64,
        )
    };
    let seconds = || found.iter().map(|(_, seconds)| *seconds);
    let open = found.iter().filter(|(found, _)| found.is_none()).count() as u64;
    let mut cells = vec![
        Cell::Count(found.len() as u64),
        of(true, Some(false)),
        of(false, Some(true)),
        Cell::Count(open),
    ];
    cells.push(Cell::Time(quantile(seconds(), 0.5)));
    cells.push(Cell::Time(seconds().sum::<f64>() / found.len() as f64));
    cells.extend([0.99, 1.0].map(|fraction| Cell::Time(quantile(seconds(), fraction))));
    table.row(name, cells);
}

fn answers(peer: &Peer, file: &Path, method: &str) -> Result<Vec<PeerAnswer>, Box<dyn Error>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/moving_features.py");
    let seconds = peer.seconds.to_string();
    let output = Command::new(&peer.python).arg(script).arg(file).args([method, &seconds]).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let lines = String::from_utf8(output.stdout)?;
    let found = lines.lines().filter_map(|line| {
        let (hit, seconds) = line.split_once(' ')?;
        Some((Some(hit == "1"), seconds.parse().ok()?))
    });
    Ok(found.collect())
}

fn written(query: &Query) -> Vec<f64> {
    let MovingFeatures { kind, start: started, end } = query.features;
    let kind = if kind == MovingKind::EdgeEdge { 1.0 } else { 0.0 };
    [kind].into_iter().chain(started.iter().chain(&end).flat_map(|p| p.to_array())).collect()
}

fn read_all(folder: &Path) -> Result<Vec<Query>, Box<dyn Error>> {
    let mut categories: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    categories.sort();
    let mut queries = Vec::new();
    for category in categories {
        for (name, kind) in [("vertex-face", MovingKind::VertexFace), ("edge-edge", MovingKind::EdgeEdge)] {
            let file = category.join(name).with_extension("csv");
            if file.exists() {
                queries.extend(read(&file, kind).map_err(|error| format!("{}: {error}", file.display()))?);
            }
        }
    }
    Ok(queries)
}

fn read(file: &Path, kind: MovingKind) -> Result<Vec<Query>, Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let rows = text.lines().enumerate().map(|(number, line)| {
        let row = row(line);
        row.ok_or_else(|| format!("line {}: found {line:?}, expected seven whole numbers", number + 1))
    });
    let rows: Vec<(DVec3, bool)> = rows.collect::<Result<_, _>>()?;
    let query = |eight: &[(DVec3, bool)]| {
        let points = |from: usize| std::array::from_fn(|i| eight[from + i].0);
        let features = MovingFeatures { kind, start: points(0), end: points(4) };
        Query { features, meets: eight[0].1 }
    };
    Ok(rows.chunks_exact(8).map(query).collect())
}

/// A point and the answer. The quotient of a short number and a power of two is exact.
fn row(line: &str) -> Option<(DVec3, bool)> {
    let numbers: Vec<f64> = line.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [xn, xd, yn, yd, zn, zd, label] = numbers[..] else { return None };
    Some((DVec3::new(xn / xd, yn / yd, zn / zd), label == 1.0))
}
