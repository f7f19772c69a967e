//! Frames that mean nothing, are too large, or are no frames: answered with an error, and no harm to others.

use std::io::Write as _;
use std::time::{Duration, Instant};

use chasles_viewer::{ServerOptions, Token, limits};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_tungstenite::tungstenite::Message;

use crate::support::{Client, PATIENCE, Running, block_on, command, many, numbers, to};

/// A message that is too large: as a whole, or as it is announced.
#[test]
fn messages_that_are_too_large_are_refused() {
    let server = Running::with_arm();
    block_on(async {
        let mut jogs = server.client().await;
        jogs.done(command("take")).await;
        // Not a path: an error, and the client goes on.
        let mut long = server.client().await;
        let text = format!(r#"{{"type":"move","joints":{{"{}":{{"by":1}}}},"id":1}}"#, "a".repeat(100_000));
        long.send(text).await;
        let answer = long.answer().await;
        assert!(answer["message"].as_str().unwrap().ends_with("bytes, expected at most 65536"), "{answer}");
        // A path of a MiB is read: it is the controller's to say.
        let text = format!("time,turn\n{}", "0,0\n".repeat(205_000));
        let path = json!({"type": "replay", "name": "long.csv", "text": text}).to_string();
        assert!(path.len() > 1_000_000);
        long.send(path).await;
        assert_eq!(long.answer().await["message"], format!("client {} has control", jogs.number));
        // More is not read at all.
        for size in [1_200_000, 3_000_000] {
            let mut large = server.client().await;
            // The server may close before all is sent.
            let _ = large.socket.send(Message::Text("x".repeat(size).into())).await;
            if let Some(reported) = large.next().await {
                assert_eq!(reported["result"], "error", "{reported}");
                assert!(large.next().await.is_none());
            }
        }
        jogs.done(to(&[("turn", -0.5)])).await;
    });
}

/// What is no WebSocket frame ends that connection, and no other. A frame that is announced and never comes costs
/// nothing.
#[test]
fn malformed_frames_end_only_their_connection() {
    let server = Running::with_arm();
    block_on(async {
        let mut jogs = server.client().await;
        jogs.done(command("take")).await;
        let head = format!(
            "GET /jog HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            server.address
        );
        let frames: [&[u8]; 8] = [
            b"",
            b"GET / HTTP/1.1\r\n\r\n",
            &[0xff; 64],
            // Not masked; text that is no UTF-8; a frame of 2^63 bytes; continuation of nothing; a close of one byte.
            &[0x81, 0x02, b'{', b'}'],
            &[0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe],
            &[0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
            &[0x80, 0x81, 0, 0, 0, 0, b'x'],
            &[0x88, 0x81, 0, 0, 0, 0, b'x'],
        ];
        let mut left = Vec::new();
        for round in 0..many(20, 400) {
            for frame in frames {
                let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
                stream.write_all(head.as_bytes()).await.unwrap();
                let mut start = [0; 12];
                stream.read_exact(&mut start).await.unwrap();
                // Those that hang keep their place: they are few.
                assert!(start == *b"HTTP/1.1 101" || start == *b"HTTP/1.1 503", "{start:?}");
                stream.write_all(frame).await.unwrap();
                if frame.is_empty() && round < 3 {
                    left.push(stream);
                }
            }
            jogs.done(to(&[("turn", if round % 2 == 0 { -0.2 } else { -0.1 })])).await;
        }
        assert_eq!(jogs.state["controller"], jogs.number);
        server.client().await.done(command("ping")).await;
    });
}

/// A message in endlessly many empty frames is read no faster than is allowed, and its client never comes to the end
/// of it.
#[test]
fn empty_frames_count_against_the_rate() {
    let server = Running::with_arm();
    block_on(async {
        let mut jogs = server.client().await;
        jogs.done(command("take")).await;
        let mut flood = tokio::net::TcpStream::connect(server.address).await.unwrap();
        let head = format!(
            "GET /jog HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            server.address
        );
        flood.write_all(head.as_bytes()).await.unwrap();
        // A text that goes on, then frames that go on with it and have nothing.
        flood.write_all(&[0x01, 0x81, 0, 0, 0, 0, b'x']).await.unwrap();
        let frames = [0x00, 0x80, 0, 0, 0, 0].repeat(10_000);
        let (maximum, mut sent) = (64 << 20, 0);
        // What the system keeps on the way is less than the difference; the server would read all of it in a moment.
        while sent < maximum {
            let write = flood.write_all(&frames);
            match tokio::time::timeout(Duration::from_secs(1), write).await {
                Ok(written) => written.unwrap(),
                Err(_) => break,
            }
            sent += frames.len();
        }
        assert!(limits::BURST_BYTES < sent && sent < maximum, "{sent}");
        jogs.done(to(&[("turn", -0.5)])).await;
    });
}

/// Messages in a burst are read no faster than is allowed, and none is lost.
#[test]
fn a_flood_of_messages_is_slowed_down() {
    let server = Running::with_arm();
    block_on(async {
        let client = server.client().await;
        let since = Instant::now();
        let count = 500;
        let (mut sender, mut receiver) = client.socket.split();
        let sends = tokio::spawn(async move {
            for number in 0..count {
                let text = format!("{{\"type\":\"ping\",\"id\":{number}}}");
                sender.send(Message::Text(text.into())).await.unwrap();
            }
            sender
        });
        let mut number = 0;
        while number < count {
            let frame = receiver.next().await.unwrap().unwrap();
            let Message::Text(text) = frame else { continue };
            let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!((&answer["id"], &answer["result"]), (&json!(number), &json!("done")));
            number += 1;
        }
        // 200 at once, 300 more in a second and a half.
        let took = since.elapsed();
        assert!(took > Duration::from_millis(1400), "{took:?}");
        drop(sends.await.unwrap());
    });
}

/// No more clients than may be; a place that is given back is free again.
#[test]
fn the_number_of_clients_is_limited() {
    let server = Running::with_arm();
    block_on(async {
        let (mut clients, error) = loop {
            let since = Instant::now();
            let mut clients = Vec::new();
            for _ in 0..limits::CLIENTS {
                clients.push(server.client().await);
            }
            match Client::connect(server.jog_request()).await {
                Err(error) => break (clients, error),
                // These clients answer no ping: so late the first may have been given up.
                Ok(_) => assert!(since.elapsed() >= limits::SILENCE, "one more"),
            }
        };
        assert!(error.to_string().contains("503"), "{error}");
        let last = clients.len() - 1;
        clients[last].done(command("take")).await;
        clients.swap_remove(0);
        let since = Instant::now();
        while Client::connect(server.jog_request()).await.is_err() {
            assert!(since.elapsed() < PATIENCE);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(numbers(&clients[5].state["values"]).len(), 4);
    });
}

/// A client that reads nothing is told the newest state when it does, not all.
#[test]
fn a_slow_reader_gets_the_newest_state() {
    let server = Running::with_arm();
    block_on(async {
        // The system keeps little for it.
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let stream = socket.connect(server.address).await.unwrap();
        let (mut slow, _) = tokio_tungstenite::client_async(server.jog_request(), stream).await.unwrap();
        let since = Instant::now();
        let mut jogs = server.client().await;
        jogs.done(command("take")).await;
        // So many that what the system keeps does not hold the states of all.
        for number in 0..800 {
            jogs.done(to(&[("turn", if number % 2 == 0 { -1.4 } else { 0.0 })])).await;
        }
        let last = jogs.state["revision"].as_u64().unwrap();
        let mut seen = None;
        let mut reported = 0;
        while seen != Some(last) {
            match tokio::time::timeout(PATIENCE, slow.next()).await.unwrap() {
                Some(Ok(Message::Text(text))) => {
                    let state: serde_json::Value = serde_json::from_str(&text).unwrap();
                    let revision = state["state"]["revision"].as_u64();
                    assert!(revision > seen || seen.is_none());
                    (seen, reported) = (revision, reported + 1);
                }
                Some(Ok(_)) => {}
                // Where the moves took so long, who read nothing meanwhile was rightly given up.
                Some(Err(_)) | None => {
                    assert!(since.elapsed() >= limits::WRITE_TIME, "{:?}", since.elapsed());
                    return;
                }
            }
        }
        println!("{reported} of {last} states told to who did not read");
        assert!(reported < last, "{reported}");
    });
}

/// More connections than one address may have ask again and again, and read nothing: others of that address are
/// answered all the same, whether or not the server has a token.
#[test]
fn connections_that_never_read_block_no_other() {
    let token = Token::from_text("a-token-of-some-signs").unwrap();
    let bearer = [("Authorization", "Bearer a-token-of-some-signs")];
    for token in [None, Some(token)] {
        let is_open = token.is_none();
        let server = Running::new(&ServerOptions { token, ..ServerOptions::default() }, None);
        let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).repeat(200);
        let mut silent = Vec::new();
        for _ in 0..limits::CONNECTIONS_PER_PEER + 20 {
            let Ok(mut stream) = std::net::TcpStream::connect(server.address) else { continue };
            stream.set_nonblocking(true).unwrap();
            // As much as the connection takes.
            for _ in 0..100 {
                if !matches!(stream.write(request.as_bytes()), Ok(bytes) if bytes > 0) {
                    break;
                }
            }
            silent.push(stream);
        }
        let start = Instant::now();
        let headers = if is_open { &[][..] } else { &bearer[..] };
        assert_eq!(server.get("/", headers).0, 200);
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    }
}
