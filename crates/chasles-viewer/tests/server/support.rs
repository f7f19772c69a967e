//! A server with the arm of `scenes/robots`, and clients that speak to it.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use chasles::{CheckOptions, Robot, RobotCell, Session, SimulationDefinition};
use chasles_formats::robot::cell::{self, CellOptions};
use chasles_formats::robot::urdf::{self, UrdfOptions};
use chasles_viewer::{Ender, FrameChunks, GapCurve, Server, ServerContent, ServerOptions};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

/// What takes longer than this hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

pub(crate) const PAGE: &str = "<!doctype html><title>page</title>";

pub(crate) fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/robots")
}

/// The robot of a file in the world of another.
pub(crate) fn cell(robot: &Path, world: Option<&Path>) -> RobotCell {
    let read = urdf::read(robot, &UrdfOptions::default()).unwrap();
    let made = Robot::new(read.definition).unwrap();
    let options = CellOptions { world: world.map(Path::to_path_buf), ..CellOptions::default() };
    cell::build(made, robot, &options).unwrap().cell
}

/// The arm, and the wire that it meets when it turns.
pub(crate) fn arm() -> RobotCell {
    cell(&scenes().join("arm.urdf"), Some(&scenes().join("wire.toml")))
}

/// Held by all that run a server, and alone by those who measure the memory of the process.
static MEMORY: RwLock<()> = RwLock::new(());

/// Who else may run a server meanwhile.
enum Others {
    May(#[expect(dead_code, reason = "held until the end")] RwLockReadGuard<'static, ()>),
    Wait(#[expect(dead_code, reason = "held until the end")] RwLockWriteGuard<'static, ()>),
}

/// A server that runs until this is dropped. One for each test: a second might wait for the first.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) url: String,
    /// Curves that were worked out.
    pub(crate) curves: Arc<AtomicUsize>,
    ender: Ender,
    thread: Option<JoinHandle<std::io::Result<()>>>,
    /// Given back last.
    _others: Others,
}

impl Running {
    pub(crate) fn new(options: &ServerOptions, cell: Option<&RobotCell>) -> Self {
        // A test that failed has broken nothing for the others.
        let others = Others::May(MEMORY.read().unwrap_or_else(PoisonError::into_inner));
        Self::beside(others, options, (cell, FrameChunks::default(), None))
    }

    /// With the arm, while no other server runs: the memory of the process is this one's.
    pub(crate) fn alone_with_arm() -> Self {
        let others = Others::Wait(MEMORY.write().unwrap_or_else(PoisonError::into_inner));
        Self::beside(others, &ServerOptions::default(), (Some(&arm()), FrameChunks::default(), None))
    }

    /// Without a robot, with the frames of bodies that deform.
    pub(crate) fn with_frames(frames: FrameChunks) -> Self {
        let others = Others::May(MEMORY.read().unwrap_or_else(PoisonError::into_inner));
        Self::beside(others, &ServerOptions::default(), (None, frames, None))
    }

    /// Without a robot, with a simulation.
    pub(crate) fn with_simulation(live: SimulationDefinition) -> Self {
        let others = Others::May(MEMORY.read().unwrap_or_else(PoisonError::into_inner));
        Self::beside(others, &ServerOptions::default(), (None, FrameChunks::default(), Some(live)))
    }

    fn beside(
        others: Others,
        options: &ServerOptions,
        (cell, frames, live): (Option<&RobotCell>, FrameChunks, Option<SimulationDefinition>),
    ) -> Self {
        let server = Server::bind(options).unwrap();
        let (address, url, ender) = (server.address(), server.url(), server.ender());
        let curves = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&curves);
        let offer = ServerContent {
            page: PAGE.into(),
            policy: "default-src 'none'".into(),
            document: "{\"format\":1}".into(),
            gaps: Box::new(move |[a, b]| {
                count.fetch_add(1, Ordering::Relaxed);
                let curve = GapCurve { pair: [a, b], times: vec![0.0], gap: vec![0.5] };
                (a != b && a < 3 && b < 3).then_some(curve)
            }),
            frames,
            jog: cell.map(|cell| Session::new(cell, 0.0, CheckOptions::default()).unwrap()),
            live,
        };
        let thread = Some(std::thread::spawn(move || server.run(offer)));
        Self { address, url, curves, ender, thread, _others: others }
    }

    pub(crate) fn with_arm() -> Self {
        Self::new(&ServerOptions::default(), Some(&arm()))
    }

    /// Ends the server, and waits for it.
    pub(crate) fn end(&mut self) {
        self.ender.end();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }

    pub(crate) async fn client(&self) -> Client {
        Client::connect(self.jog_request()).await.unwrap()
    }

    /// A client of the simulation.
    pub(crate) async fn viewer(&self) -> Client {
        let request = format!("ws://{}/live", self.address).into_client_request().unwrap();
        Client::connect(request).await.unwrap()
    }

    pub(crate) fn jog_request(&self) -> Request {
        format!("ws://{}/jog", self.address).into_client_request().unwrap()
    }

    /// Sends the bytes of a request, and reads all that comes until the server closes.
    pub(crate) fn raw(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // It may be turned away before all is read.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        read_all(&mut stream, &mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// GET with these headers besides Host; the answer's status, head and body.
    pub(crate) fn get(&self, path: &str, headers: &[(&str, &str)]) -> (u16, String, String) {
        let mut request = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request += &format!("Host: {}\r\n", self.address);
        }
        headers.iter().for_each(|(name, value)| request += &format!("{name}: {value}\r\n"));
        let answer = self.raw(format!("{request}\r\n").as_bytes());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or_else(|| panic!("{answer}")), head.to_lowercase(), body.to_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.ender.end();
        if let Some(thread) = self.thread.take() {
            // What went wrong there fails the test that asks for its end.
            let _ = thread.join();
        }
    }
}

/// Waits until nobody listens there: another may have got the same port for a moment.
pub(crate) fn is_silent(address: SocketAddr) {
    let start = Instant::now();
    while TcpStream::connect(address).is_ok() {
        assert!(start.elapsed() < PATIENCE, "{address} still answers");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Reads until the server closes, in order or not.
pub(crate) fn read_all(stream: &mut TcpStream, answer: &mut Vec<u8>) {
    if let Err(error) = stream.read_to_end(answer) {
        let late = [std::io::ErrorKind::WouldBlock, std::io::ErrorKind::TimedOut];
        assert!(!late.contains(&error.kind()), "it never closes: {error}");
    }
}

/// A client, which has been told hello.
pub(crate) struct Client {
    pub(crate) socket: WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>,
    pub(crate) number: u64,
    pub(crate) secret: String,
    /// The newest state that it was told.
    pub(crate) state: Value,
    next: u64,
}

impl Client {
    pub(crate) async fn connect(request: Request) -> Result<Self, tungstenite::Error> {
        let connected = tokio::time::timeout(PATIENCE, tokio_tungstenite::connect_async(request));
        let (socket, _) = connected.await.expect("it answers in time")?;
        let mut client = Self { socket, number: 0, secret: String::new(), state: Value::Null, next: 0 };
        let hello = client.next().await.expect("hello");
        assert_eq!(hello["type"], "hello", "{hello}");
        client.number = hello["client"].as_u64().unwrap();
        client.secret = hello["secret"].as_str().unwrap().into();
        client.state = hello["state"].clone();
        Ok(client)
    }

    /// The next message; none where the server has closed.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        // Pings are no answer: they do not prolong it.
        let until = tokio::time::Instant::now() + PATIENCE;
        loop {
            let frame = tokio::time::timeout_at(until, self.socket.next()).await.expect("it says something");
            match frame {
                Some(Ok(Message::Text(text))) => {
                    let reported: Value = serde_json::from_str(&text).expect("JSON");
                    if reported["type"] == "state" {
                        let revision = |state: &Value| state["revision"].as_u64();
                        assert!(revision(&reported["state"]) > revision(&self.state), "states go forward");
                        self.state = reported["state"].clone();
                    }
                    return Some(reported);
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    pub(crate) async fn send(&mut self, text: impl Into<tungstenite::Utf8Bytes>) {
        self.socket.send(Message::Text(text.into())).await.unwrap();
    }

    /// The next answer; states before it are kept.
    pub(crate) async fn answer(&mut self) -> Value {
        loop {
            let reported = self.next().await.expect("an answer");
            if reported["type"] == "answer" {
                return reported;
            }
        }
    }

    /// Sends a message and returns its answer.
    pub(crate) async fn exchange(&mut self, mut message: Value) -> Value {
        self.next += 1;
        message["id"] = json!(self.next);
        self.send(message.to_string()).await;
        let answer = self.answer().await;
        assert_eq!(answer["id"], message["id"], "{answer}");
        answer
    }

    pub(crate) async fn done(&mut self, message: Value) -> Value {
        let answer = self.exchange(message.clone()).await;
        assert_eq!(answer["result"], "done", "{message}: {answer}");
        answer
    }

    /// The message of an error.
    pub(crate) async fn wrong(&mut self, message: Value) -> String {
        let answer = self.exchange(message.clone()).await;
        assert_eq!(answer["result"], "error", "{message}: {answer}");
        answer["message"].as_str().unwrap().into()
    }

    /// Waits for a state that is as wanted.
    pub(crate) async fn state_where(&mut self, expected: impl Fn(&Value) -> bool) -> Value {
        while !expected(&self.state) {
            self.next().await.expect("a state");
        }
        self.state.clone()
    }
}

/// Moves of joints.
pub(crate) fn to(joints: &[(&str, f64)]) -> Value {
    let joints: serde_json::Map<String, Value> =
        joints.iter().map(|(name, value)| ((*name).to_owned(), json!({ "to": value }))).collect();
    json!({ "type": "move", "joints": joints })
}

pub(crate) fn command(kind: &str) -> Value {
    json!({ "type": kind })
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Runs a test on threads of its own.
pub(crate) fn block_on(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(test);
}

/// Many in long mode.
pub(crate) fn many(normal: usize, long: usize) -> usize {
    chasles_testing::cases(normal, long)
}

/// What this process holds in memory, in bytes, where the system says so.
pub(crate) fn memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(4096 * text.split_whitespace().nth(1)?.parse::<usize>().ok()?)
}
