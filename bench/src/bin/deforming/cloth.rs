//! A large cloth that falls on a ball, read from a point cache frame by frame.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use chasles::{
    BodyMotion, CheckOptions, CollisionShape, DeformingSurface, Frames, Mesh, Pose, PreparedMesh, Primitive,
    Scene, SceneBody, SceneDefinition,
};
use chasles_bench::program::table::{Cell, Table};
use chasles_bench::program::timing::once;
use chasles_formats::samples::point_cache::PointCache;
use glam::DVec3;

const TEXT: &str = "A cloth that falls, waves and comes to rest on a ball, in a PC2 cache: the time of a frame on one \
    core, as the mean over all pairs of frames. *Reading*: only reads the frames, from a file that is in memory. \
    *Check*: computes all contacts, reading included; trees, which are built once, are counted too.";

const FRAMES: usize = 41;

const RADIUS: f64 = 0.35;

/// Frames in a file.
#[derive(Debug)]
struct Cache(PointCache);

impl Frames for Cache {
    fn read(&self, frame: usize, vertices: &mut [DVec3]) -> Result<(), chasles::Error> {
        self.0
            .read(frame, vertices)
            .map_err(|error| chasles::Error::unreadable(format!("frame {frame}"), error.to_string()))
    }
}

/// The position of a vertex after a fraction of the duration.
fn place(x: f64, y: f64, fraction: f64) -> DVec3 {
    let ripples = 0.0002 * (200.0 * x).sin() * (170.0 * y + 3.0 * fraction).sin();
    let height = 0.9 - 0.9 * fraction
        + 0.02 * (9.0 * x + 5.0 * fraction).sin() * (7.0 * y - 3.0 * fraction).cos()
        + ripples;
    // The vertices stay above the ball, but in the end the faces between them intersect it.
    let over = (RADIUS + 0.002) * (RADIUS + 0.002) - x * x - y * y;
    DVec3::new(x, y, if over > 0.0 { height.max(over.sqrt()) } else { height })
}

pub(crate) fn table() -> Result<Table, Box<dyn Error>> {
    let columns = ["", "triangles", "reading a frame", "check, a frame", "ratio", "contacts"];
    let mut table = Table::new("A cloth of 200,000 triangles", TEXT, &columns);
    let side = 317_usize;
    let grid = || (0..side).flat_map(|i| (0..side).map(move |k| (i, k)));
    let at = |i: usize| 2.0 * i as f64 / (side - 1) as f64 - 1.0;
    let mut bytes = b"POINTCACHE2\0".to_vec();
    let points = u32::try_from(side * side)?;
    let header = [1_u32.to_le_bytes(), points.to_le_bytes(), 0.0_f32.to_le_bytes(), 1.0_f32.to_le_bytes()];
    bytes.extend(header.as_flattened());
    bytes.extend(u32::try_from(FRAMES)?.to_le_bytes());
    for frame in 0..FRAMES {
        let fraction = frame as f64 / (FRAMES - 1) as f64;
        for (i, k) in grid() {
            bytes.extend(
                place(at(i), at(k), fraction).as_vec3().to_array().map(f32::to_le_bytes).as_flattened(),
            );
        }
    }
    let file = std::env::temp_dir().join(format!("chasles-bench-cloth-{}.pc2", std::process::id()));
    std::fs::write(&file, bytes)?;
    let found = rows(&mut table, &file, side);
    std::fs::remove_file(&file)?;
    found.map(|()| table)
}

fn rows(table: &mut Table, file: &Path, side: usize) -> Result<(), Box<dyn Error>> {
    let vertex = |i: usize, k: usize| u32::try_from(i * side + k).unwrap_or(u32::MAX);
    let squares = (1..side).flat_map(|i| (1..side).map(move |k| (i, k)));
    let triangles: Vec<[u32; 3]> = squares
        .flat_map(|(i, k)| {
            let [a, b, c, d] = [vertex(i - 1, k - 1), vertex(i, k - 1), vertex(i, k), vertex(i - 1, k)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    let count = triangles.len() as u64;
    let cache = PointCache::open(file)?;
    let mut places = vec![DVec3::ZERO; cache.points()];
    cache.read(0, &mut places)?;
    let mesh = Mesh::new(places.clone(), triangles)?;
    let (read, reading) = once(|| (0..FRAMES).try_for_each(|frame| cache.read(frame, &mut places)));
    read?;
    let duration = (FRAMES - 1) as f64 / 24.0;
    let times = (0..FRAMES).map(|frame| frame as f64 / 24.0).collect();
    let surface = DeformingSurface::new(mesh, times, Arc::new(Cache(cache)))?;
    let body = |name: &str, shape: CollisionShape| SceneBody {
        name: name.into(),
        shape: Some(shape),
        motion: BodyMotion::Still(Pose::IDENTITY),
        parent: None,
        group: None,
        solid: false,
    };
    let cloth = body("cloth", CollisionShape::deforming(Arc::new(surface)));
    let round = body("ball", CollisionShape::primitive(Primitive::Sphere { radius: RADIUS })?);
    let meshed = body("ball", CollisionShape::mesh(Arc::new(PreparedMesh::new(ball()?))));
    let with_itself =
        [(vec![cloth.clone()], true), (vec![cloth.clone(), round], false), (vec![cloth, meshed], false)];
    let names = ["with itself", "and a round ball", "and a ball of 14,160 triangles"];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for (name, (bodies, is_self_tested)) in names.into_iter().zip(with_itself) {
        let definition =
            SceneDefinition { duration, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
        let mut scene = Scene::new(definition)?;
        if is_self_tested {
            scene = scene.with_self_tests(&[0])?;
        }
        let (report, seconds) = pool.install(|| once(|| scene.check(&CheckOptions::default(), &())));
        let contacts: usize = report?.pairs.iter().map(|pair| pair.intervals.len()).sum();
        let [own, frame] = [seconds / (FRAMES - 1) as f64, reading / FRAMES as f64];
        table.row(
            name,
            vec![
                Cell::Count(count),
                Cell::Time(frame),
                Cell::Time(own),
                Cell::TimeFraction(own / frame),
                Cell::Count(contacts as u64),
            ],
        );
    }
    Ok(())
}

/// A ball made of rings of quadrilaterals.
fn ball() -> Result<Mesh, chasles::Error> {
    let (rings, around) = (60_u32, 120_u32);
    let mut vertices = vec![DVec3::Z * RADIUS, -DVec3::Z * RADIUS];
    for ring in 1..rings {
        let down = std::f64::consts::PI * f64::from(ring) / f64::from(rings);
        vertices.extend((0..around).map(|k| {
            let turn = std::f64::consts::TAU * f64::from(k) / f64::from(around);
            RADIUS * DVec3::new(down.sin() * turn.cos(), down.sin() * turn.sin(), down.cos())
        }));
    }
    let at = |ring: u32, k: u32| 2 + (ring - 1) * around + k % around;
    let mut triangles = Vec::new();
    for k in 0..around {
        triangles.push([0, at(1, k), at(1, k + 1)]);
        triangles.push([1, at(rings - 1, k + 1), at(rings - 1, k)]);
        for ring in 1..rings - 1 {
            let [a, b, c, d] = [at(ring, k), at(ring + 1, k), at(ring + 1, k + 1), at(ring, k + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Mesh::new(vertices, triangles)
}
