//! Many bad connections at the same time: honest requests are answered soon.

// Other systems have one address of their own.
#![cfg(target_os = "linux")]

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use chasles_testing::Random;
use chasles_viewer::{ServerOptions, Token};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::support::{Running, arm, block_on, many};

const TOKEN: &str = "a-token-of-some-signs";

/// The behaviour of a bad connection.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Sends nothing.
    Silent,
    /// Sends a request byte by byte.
    Slow,
    /// Sends valid requests and does not read the answers.
    Unread,
    /// The same without a token.
    NoToken,
    /// Sends bytes that are no request.
    Garbage,
    /// Closes in the middle of a request.
    Dead,
}

/// The kinds, each as often as in a crowd of twenty.
const CROWD: [(Kind, usize); 6] = [
    (Kind::Silent, 5),
    (Kind::Slow, 4),
    (Kind::Unread, 4),
    (Kind::NoToken, 3),
    (Kind::Garbage, 3),
    (Kind::Dead, 1),
];

/// The head of a request, without its last line.
fn request(server: SocketAddr, token: bool) -> String {
    let token = if token { format!("Authorization: Bearer {TOKEN}\r\n") } else { String::new() };
    format!("GET /playback HTTP/1.1\r\nHost: {server}\r\n{token}")
}

/// A connection from one of eight addresses of this machine.
async fn connected(server: SocketAddr, number: usize) -> std::io::Result<TcpStream> {
    let address = Ipv4Addr::new(127, 0, 1, u8::try_from(number % 8 + 1).unwrap_or(1));
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(address.into(), 0))?;
    socket.connect(server).await
}

/// One bad connection. A server that defends itself causes errors.
async fn bad(server: SocketAddr, kind: Kind, number: usize) -> std::io::Result<()> {
    let mut stream = connected(server, number).await?;
    let head = request(server, !matches!(kind, Kind::NoToken));
    match kind {
        Kind::Silent => sleep(Duration::from_secs(20)).await,
        Kind::Slow => {
            for byte in head.bytes() {
                stream.write_all(&[byte]).await?;
                sleep(Duration::from_millis(500)).await;
            }
        }
        Kind::Unread | Kind::NoToken => {
            stream.write_all(format!("{head}\r\n").repeat(500).as_bytes()).await?;
            sleep(Duration::from_secs(15)).await;
        }
        Kind::Garbage => {
            let random = &mut Random(number as u64);
            let bytes: Vec<u8> = (0..4000).map(|_| u8::try_from(random.below(256)).unwrap_or(0)).collect();
            stream.write_all(&bytes).await?;
            sleep(Duration::from_secs(1)).await;
        }
        Kind::Dead => {
            stream.write_all(&head.as_bytes()[..30]).await?;
            drop(stream);
            sleep(Duration::from_millis(500)).await;
        }
    }
    Ok(())
}

/// How long an honest request took; `None`: the connection was closed without an answer.
async fn honest(server: SocketAddr) -> Option<Duration> {
    let start = Instant::now();
    let answered = async {
        let mut stream = TcpStream::connect(server).await?;
        stream.write_all(format!("{}Connection: close\r\n\r\n", request(server, true)).as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok::<_, std::io::Error>(answer)
    };
    answered.await.ok().filter(|answer| answer.starts_with("HTTP/1.1 200")).map(|_| start.elapsed())
}

#[test]
fn bad_connections_block_no_other() {
    let token = Token::from_text(TOKEN).unwrap();
    let options = ServerOptions { token: Some(token), ..ServerOptions::default() };
    let server = Running::new(&options, Some(&arm()));
    let address = server.address;
    // More than there are places. In the normal run other tests and the clients keep the processors busy.
    let (crowds, seconds) = (many(30, 100), many(3, 60));
    let maximum = Duration::from_secs(many(10, 3) as u64);
    let lasts = Duration::from_secs(seconds as u64);
    block_on(async move {
        let start = Instant::now();
        let mut crowd = JoinSet::new();
        let kinds = CROWD.iter().flat_map(|(kind, count)| vec![*kind; *count]);
        for (number, kind) in (0..crowds).flat_map(|_| kinds.clone()).enumerate() {
            crowd.spawn(async move {
                while start.elapsed() < lasts {
                    // Connections that the server closes come again.
                    if bad(address, kind, number).await.is_err() {
                        sleep(Duration::from_millis(200)).await;
                    }
                }
            });
        }
        let mut clients = JoinSet::new();
        for _ in 0..20 {
            clients.spawn(async move {
                let mut answers = Vec::new();
                while start.elapsed() < lasts {
                    answers.push(honest(address).await);
                    sleep(Duration::from_millis(500)).await;
                }
                answers
            });
        }
        let answers = clients.join_all().await.concat();
        crowd.abort_all();
        let mut times: Vec<Duration> = answers.iter().flatten().copied().collect();
        times.sort();
        let (closed, slowest) = (answers.len() - times.len(), times.last().copied().unwrap_or_default());
        let text = format!(
            "{} connections: {} honest requests, median {:?}, slowest {slowest:?}, {closed} closed",
            20 * crowds,
            answers.len(),
            times.get(times.len() / 2)
        );
        println!("{text}");
        // A connection may have to give its place to another before its request arrives.
        assert!(answers.len() >= 20 && 20 * closed <= answers.len() && slowest < maximum, "{text}");
    });
}
