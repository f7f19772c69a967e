//! Shapes of bodies that deform, asked for piece by piece: those of the scene, never another's, and bounded memory
//! whoever asks.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chasles::{
    BodyMotion, CollisionShape, DeformingSurface, Error, Frames, Mesh, Pose, Scene, SceneBody,
    SceneDefinition,
};
use chasles_viewer::{FrameChunks, Playback, limits};
use glam::DVec3;

use crate::support::{PATIENCE, Running};

/// Vertex i of frame f is at (i, f, 0); after a while the file is gone.
#[derive(Debug, Default)]
struct Grid {
    is_gone: AtomicBool,
}

impl Frames for Grid {
    fn read(&self, frame: usize, vertices: &mut [DVec3]) -> Result<(), Error> {
        if self.is_gone.load(Ordering::Relaxed) {
            return Err(Error::unreadable("sail.pc2", "cannot be read: it is shorter than before"));
        }
        vertices
            .iter_mut()
            .enumerate()
            .for_each(|(i, vertex)| *vertex = DVec3::new(i as f64, frame as f64, 0.0));
        Ok(())
    }
}

/// The frames of a scene with one body that deforms, the second of two.
fn chunks(vertices: usize, frames: u32) -> (FrameChunks, Arc<Grid>) {
    let grid = Arc::new(Grid::default());
    let mut first = vec![DVec3::ZERO; vertices];
    grid.read(0, &mut first).unwrap();
    let mesh = Mesh::new(first, vec![[0, 1, 2]]).unwrap();
    let times = (0..frames).map(f64::from).collect();
    let sail = DeformingSurface::new(mesh, times, Arc::clone(&grid) as Arc<dyn Frames>).unwrap();
    let body = |name: &str, shape| SceneBody {
        name: name.into(),
        shape,
        motion: BodyMotion::Still(Pose::IDENTITY),
        parent: None,
        group: None,
        solid: false,
    };
    let bodies = vec![body("mast", None), body("sail", Some(CollisionShape::deforming(Arc::new(sail))))];
    let definition = SceneDefinition {
        duration: f64::from(frames - 1),
        tolerance: None,
        clearance: 0.0,
        bodies,
        ignore: vec![],
    };
    let scene = Scene::new(definition).unwrap();
    (Playback::of_scene("sail.toml", scene, None).unwrap().frames(), grid)
}

fn requested(running: &Running, piece: usize) -> TcpStream {
    let mut stream = TcpStream::connect(running.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!("Host: {}\r\nConnection: close", running.address);
    write!(stream, "GET /frames?body=1&piece={piece} HTTP/1.1\r\n{head}\r\n\r\n").unwrap();
    stream
}

/// The status and the numbers of an answer.
fn numbers(mut stream: TcpStream) -> (String, Vec<f32>) {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let body = answer[end + 4..].chunks_exact(4);
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    (head, body.map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect())
}

#[test]
fn pieces_equal_the_frames_of_the_scene() {
    // 100 vertices are 1,200 bytes: 873 frames a piece.
    let (chunks, grid) = chunks(100, 1000);
    let running = Running::with_frames(chunks);
    let chunk_vertices = limits::CHUNK / 1200;
    for (piece, frames) in [(0, 0..chunk_vertices), (1, chunk_vertices..1000)] {
        let (head, found) = numbers(requested(&running, piece));
        assert!(head.starts_with("HTTP/1.1 200") && head.contains("application/octet-stream"), "{head}");
        // Relative to the middle of all that the triangle, of the first three vertices, ever covers.
        let expected = frames.flat_map(|frame| {
            #[expect(clippy::cast_possible_truncation, reason = "as it is written")]
            (0..100).flat_map(move |i| [i as f32 - 1.0, (frame as f64 - 499.5) as f32, 0.0])
        });
        assert!(expected.eq(found), "{piece}");
    }
    for (question, status) in [
        ("body=1&piece=2", 404),
        ("body=0&piece=0", 404),
        ("body=2&piece=0", 404),
        ("body=1&piece=18446744073709551615", 404),
        ("body=1&piece=-1", 400),
        ("body=1", 400),
        ("piece=0&body=1", 400),
        ("body=1&piece=../../etc/passwd", 400),
    ] {
        let (found, _, body) = running.get(&format!("/frames?{question}"), &[]);
        assert_eq!(found, status, "{question}: {body}");
    }
    grid.is_gone.store(true, Ordering::Relaxed);
    let (status, _, body) = running.get("/frames?body=1&piece=1", &[]);
    let frame = chunk_vertices;
    let why = format!("body \"sail\", frame {frame}: sail.pc2: cannot be read: it is shorter than before\n");
    assert_eq!((status, body), (409, why));
    // What can be read again is given again.
    grid.is_gone.store(false, Ordering::Relaxed);
    assert_eq!(running.get("/frames?body=1&piece=1", &[]).0, 200);
}

/// Clients that request pieces and do not read them occupy all slots until they are disconnected. Other clients must
/// retry, and are served then. A slot stays occupied while a piece waits, because memory would otherwise grow with
/// every client.
#[test]
fn slow_readers_are_disconnected_and_others_can_connect() {
    // A frame is a quarter of the room.
    let (chunks, _) = chunks(limits::CHUNKS / 4 / 12, 3);
    let running = Running::with_frames(chunks);
    let idle: Vec<TcpStream> = (0..4)
        .map(|_| {
            let mut stream = requested(&running, 1);
            let mut first = [0; 12];
            stream.read_exact(&mut first).unwrap();
            assert_eq!(&first, b"HTTP/1.1 200");
            stream
        })
        .collect();
    let (status, head, _) = running.get("/frames?body=1&piece=0", &[]);
    assert_eq!(status, 503);
    assert!(head.contains("retry-after: 1"), "{head}");
    // The page is served meanwhile.
    assert_eq!(running.get("/", &[]).0, 200);
    let start = Instant::now();
    let served = loop {
        let (head, found) = numbers(requested(&running, 0));
        if head.starts_with("HTTP/1.1 200") {
            break found;
        }
        assert!(start.elapsed() < PATIENCE, "{head}");
        std::thread::sleep(Duration::from_millis(200));
    };
    assert_eq!(served.len(), limits::CHUNKS / 4 / 12 * 3);
    // The first that came is the first to go: closed in the middle, by either way of telling so. The others have a
    // little time.
    let mut rest = Vec::new();
    let _ = (&idle[0]).read_to_end(&mut rest);
    assert!(rest.len() < limits::CHUNKS / 4, "{}", rest.len());
}
