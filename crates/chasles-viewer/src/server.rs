//! The HTTP and WebSocket server of the page, with an optional robot to jog and an optional simulation to run.
//!
//! ```text
//! metered  rate limits and write timeouts of a connection
//! guard    access control: Host, Origin and token; the headers of every response
//! client   one WebSocket
//! frames   the frames of deforming bodies, in pieces
//! accept   accepts connections, within limits
//! ```
//!
//! | address | response |
//! |---|---|
//! | `/` | the page |
//! | `/playback` | the document of the page, as JSON |
//! | `/gap?a=1&b=2` | the distance of two bodies over time, as JSON |
//! | `/frames?body=1&piece=2` | a piece of the frames of a deforming body: see [`FrameChunks`] |
//! | `/jog` | a WebSocket: see [`jog`](crate::jog) |
//! | `/live` | a WebSocket: see [`live`](crate::live) |
//!
//! Other addresses do not exist. The only files read for a request are the frames of displayed bodies, by number.
//! By default, the server listens to this machine only. With an address that other machines can reach, every
//! request needs a token.

mod metered;
mod guard;
mod client;
mod frames;
mod accept;

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{RawQuery, State, WebSocketUpgrade};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, Router};
use chasles::{Session, SimulationDefinition};
use socket2::{Domain, Socket, Type};
use tokio::sync::{Mutex, Semaphore, watch};

use self::client::{ClientSlot, ClientSubject};
use self::guard::Guard;
use self::metered::Meter;
use crate::jog::Jog;
use crate::limits;
use crate::live::Live;
use crate::playback::{FrameChunks, GapCurve};
use crate::token::Token;

/// The address of the server, and its access control.
#[derive(Debug, Clone, Default)]
pub struct ServerOptions {
    /// An address of this machine. `None` means 127.0.0.1, which only this machine can reach.
    pub listen: Option<IpAddr>,
    /// The port; 0 for any free port.
    pub port: u16,
    /// The secret that every client needs. `None`: no secret if only this machine can reach the server; otherwise a
    /// token is generated.
    pub token: Option<Token>,
}

/// Computes the gap curve of two bodies, by their numbers. `None` if there is no such pair.
pub type Gaps = Box<dyn Fn([usize; 2]) -> Option<GapCurve> + Send + Sync>;

/// The content of a server.
pub struct ServerContent {
    /// The page, as HTML.
    pub page: String,
    /// The content security policy of the page.
    pub policy: String,
    /// The document of the page, as JSON.
    pub document: String,
    /// Gap curves, computed on request.
    pub gaps: Gaps,
    /// Frames of deforming bodies, read on request.
    pub frames: FrameChunks,
    /// The robot to jog.
    pub jog: Option<Session>,
    /// The simulation to run.
    pub live: Option<SimulationDefinition>,
}

/// A server that is bound to its address and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: Option<Token>,
    ending: watch::Sender<bool>,
}

/// Shuts down a server, from any thread.
#[derive(Debug, Clone)]
pub struct Ender(watch::Sender<bool>);

impl Ender {
    /// Shuts down the server: it stops answering, and `run` returns.
    pub fn end(&self) {
        self.0.send_replace(true);
    }
}

/// The maximum time for requests in progress at shutdown.
const SHUTDOWN_TIME: Duration = Duration::from_secs(2);

/// The number of connections that the system queues until they are accepted. If this queue is full, clients try
/// again after a second. The standard library uses 128.
const BACKLOG: i32 = 2048;

fn listener(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // As the standard library does, so that a port is free again as soon as its program ends.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

impl Server {
    /// Binds to the address.
    ///
    /// # Errors
    /// An address that does not belong to this machine, a port in use, no random numbers for a token.
    pub fn bind(options: &ServerOptions) -> io::Result<Self> {
        let ip = options.listen.unwrap_or(Ipv4Addr::LOCALHOST.into());
        let token = match &options.token {
            None if !ip.is_loopback() => Some(Token::random().map_err(io::Error::other)?),
            stated => stated.clone(),
        };
        let listener = listener(SocketAddr::new(ip, options.port))?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, token, ending: watch::Sender::new(false) })
    }

    /// Returns the address of the server.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL to open in a browser on this machine, including the token if there is one.
    #[must_use]
    pub fn url(&self) -> String {
        let mut address = self.address;
        match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(std::net::Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        let token =
            self.token.as_ref().map_or_else(String::new, |token| format!("?token={}", token.as_str()));
        format!("http://{address}/{token}")
    }

    /// Returns a handle that shuts down the server.
    #[must_use]
    pub fn ender(&self) -> Ender {
        Ender(self.ending.clone())
    }

    /// Answers requests until shutdown.
    ///
    /// # Errors
    /// The system cannot start threads; the simulation is invalid.
    pub fn run(self, content: ServerContent) -> io::Result<()> {
        let Self { listener, address, token, ending } = self;
        let ServerContent { page, policy, document, gaps, frames, jog, live } = content;
        let (jog, jogging) = jog.map(Jog::start).transpose()?.unzip();
        let (live, simulating) = live.map(Live::start).transpose()?.unzip();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(THREADS)
            .thread_name("view")
            .enable_all()
            .build()?;
        let served = Arc::new(Served {
            page: page.into(),
            document: document.into(),
            gaps: Curves { work: gaps, known: Mutex::default(), at_work: Semaphore::new(1) },
            frames: frames::FrameServer::new(frames),
            jog: jog.clone(),
            live: live.clone(),
            ending: ending.subscribe(),
        });
        let guard = Arc::new(Guard::new(address, token, &policy));
        let router = router(served, guard);
        let answered = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            accept::run(listener, router, ending.subscribe()).await;
            Ok(())
        });
        if let Some(jog) = &jog {
            jog.end();
        }
        if let Some(live) = &live {
            live.end();
        }
        runtime.shutdown_timeout(SHUTDOWN_TIME);
        // This drops the last sender of jobs; a proof in progress is cancelled.
        drop((jog, live));
        for thread in [jogging, simulating].into_iter().flatten() {
            // A panic there has printed its own message.
            let _ = thread.join();
        }
        answered
    }
}

/// Threads for requests; proofs have threads of their own.
const THREADS: usize = 2;

/// The served content.
struct Served {
    page: Bytes,
    document: Bytes,
    gaps: Curves,
    frames: frames::FrameServer,
    jog: Option<Arc<Jog>>,
    live: Option<Arc<Live>>,
    ending: watch::Receiver<bool>,
}

/// Gap curves, with a cache.
struct Curves {
    work: Gaps,
    known: Mutex<HashMap<[usize; 2], Option<Bytes>>>,
    /// One curve is computed at a time.
    at_work: Semaphore,
}

fn router(served: Arc<Served>, guard: Arc<Guard>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/playback", get(playback))
        .route("/gap", get(gap))
        .route("/frames", get(frames))
        .route("/jog", get(jog))
        .route("/live", get(live))
        .fallback(nothing)
        .with_state(served)
        .layer(axum::middleware::from_fn_with_state(guard, guard::check_request))
}

async fn page(State(served): State<Arc<Served>>) -> Response {
    typed("text/html; charset=utf-8", served.page.clone())
}

async fn playback(State(served): State<Arc<Served>>) -> Response {
    typed("application/json", served.document.clone())
}

async fn nothing() -> Response {
    (StatusCode::NOT_FOUND, "there is nothing here; the page is at /\n").into_response()
}

async fn gap(State(served): State<Arc<Served>>, RawQuery(query): RawQuery) -> Response {
    let Some(pair) = two_numbers(query.as_deref().unwrap_or_default(), ["a", "b"]) else {
        let message = "found another request, expected /gap?a=NUMBER&b=NUMBER\n";
        return (StatusCode::BAD_REQUEST, message).into_response();
    };
    let none = (StatusCode::NOT_FOUND, "there is no such pair of bodies with surfaces\n");
    let answer = |curve: &Option<Bytes>| match curve {
        Some(curve) => typed("application/json", curve.clone()),
        None => none.into_response(),
    };
    if let Some(known) = served.gaps.known.lock().await.get(&pair) {
        return answer(known);
    }
    let ours = Arc::clone(&served);
    let worked_out = tokio::spawn(async move {
        let Ok(_turn) = ours.gaps.at_work.acquire().await else { return None };
        if let Some(known) = ours.gaps.known.lock().await.get(&pair) {
            return known.clone();
        }
        let at_work = Arc::clone(&ours);
        let work = move || (at_work.gaps.work)(pair).and_then(|curve| serde_json::to_vec(&curve).ok());
        let curve = tokio::task::spawn_blocking(work).await.ok().flatten().map(Bytes::from);
        let mut known = ours.gaps.known.lock().await;
        if known.len() >= limits::CURVES {
            known.clear();
        }
        known.insert(pair, curve.clone());
        curve
    });
    // A computation continues if its client disconnects, for the benefit of the next client.
    answer(&worked_out.await.ok().flatten())
}

async fn frames(
    State(served): State<Arc<Served>>,
    Extension(meter): Extension<Meter>,
    RawQuery(query): RawQuery,
) -> Response {
    match two_numbers(query.as_deref().unwrap_or_default(), ["body", "piece"]) {
        Some(request) => served.frames.answer(request, meter).await,
        None => {
            let message = "found another request, expected /frames?body=NUMBER&piece=NUMBER\n";
            (StatusCode::BAD_REQUEST, message).into_response()
        }
    }
}

/// Parses `a=1&b=2`, given the names of the numbers.
fn two_numbers(query: &str, names: [&str; 2]) -> Option<[usize; 2]> {
    let (a, b) = query.split_once('&')?;
    let number = |text: &str, name: &str| text.strip_prefix(name)?.strip_prefix('=')?.parse().ok();
    Some([number(a, names[0])?, number(b, names[1])?])
}

async fn jog(
    State(served): State<Arc<Served>>,
    Extension(meter): Extension<Meter>,
    socket: WebSocketUpgrade,
) -> Response {
    match served.jog.clone() {
        Some(jog) => admit(&served, ClientSubject::Robot(jog), meter, socket),
        None => (StatusCode::NOT_FOUND, "there is no robot to be jogged here\n").into_response(),
    }
}

async fn live(
    State(served): State<Arc<Served>>,
    Extension(meter): Extension<Meter>,
    socket: WebSocketUpgrade,
) -> Response {
    match served.live.clone() {
        Some(live) => admit(&served, ClientSubject::Simulation(live), meter, socket),
        None => (StatusCode::NOT_FOUND, "there is no simulation to be run here\n").into_response(),
    }
}

/// Admits a new client if there is capacity.
fn admit(served: &Served, client_subject: ClientSubject, meter: Meter, socket: WebSocketUpgrade) -> Response {
    let Some(member) = client_subject.shared_state().join() else {
        let message = format!("found {} clients, expected no more: close a page\n", limits::CLIENTS);
        return (StatusCode::SERVICE_UNAVAILABLE, message).into_response();
    };
    // Dropping the slot removes the client, also if the upgrade fails.
    let client_slot = ClientSlot::new(client_subject, member);
    let ending = served.ending.clone();
    let maximum = limits::PATH_MESSAGE + limits::MESSAGE;
    socket
        .max_message_size(maximum)
        .max_frame_size(maximum)
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .on_upgrade(move |socket| client::serve(socket, (client_slot, meter), ending))
}

/// The read buffer of one client, in bytes; larger messages take more while they arrive.
const READ_BUFFER: usize = 8 << 10;

/// Waits for shutdown.
async fn ended(ending: &mut watch::Receiver<bool>) {
    // If all senders are gone, the server is shutting down.
    let _ = ending.wait_for(|over| *over).await;
}

fn typed(kind: &'static str, body: Bytes) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read() {
        let pair = |query| two_numbers(query, ["a", "b"]);
        assert_eq!(pair("a=1&b=20"), Some([1, 20]));
        assert_eq!(two_numbers("body=3&piece=0", ["body", "piece"]), Some([3, 0]));
        for bad in [
            "", "a=1", "a=1&b=", "a=-1&b=2", "b=1&a=2", "a=1&b=2&c=3", "a=1.0&b=2",
            "a=99999999999999999999&b=1",
        ] {
            assert_eq!(pair(bad), None, "{bad}");
        }
    }

    #[test]
    fn addresses_can_be_opened() {
        let server = Server::bind(&ServerOptions::default()).unwrap();
        assert!(server.address().ip().is_loopback() && server.address().port() != 0);
        assert_eq!(server.url(), format!("http://127.0.0.1:{}/", server.address().port()));
        let token = Token::from_text("0123456789abcdef").unwrap();
        let options = ServerOptions { token: Some(token), ..ServerOptions::default() };
        let url = Server::bind(&options).unwrap().url();
        assert!(url.ends_with("/?token=0123456789abcdef"), "{url}");
    }
}
