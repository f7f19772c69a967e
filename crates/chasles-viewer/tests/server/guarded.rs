//! Who is turned away, and what every answer says.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::Ordering;

use chasles_testing::Random;
use chasles_viewer::{ServerOptions, Token};
use tokio_tungstenite::tungstenite::http::HeaderValue;

use crate::support::{Client, PAGE, PATIENCE, Running, arm, block_on, command, many, read_all};

#[test]
fn only_the_page_is_served_with_its_headers() {
    let server = Running::with_arm();
    let (status, head, body) = server.get("/", &[]);
    assert_eq!((status, body.as_str()), (200, PAGE));
    for header in [
        "content-security-policy: default-src 'none'; frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
        "cross-origin-resource-policy: same-origin",
        "content-type: text/html; charset=utf-8",
    ] {
        assert!(head.contains(header), "{header}: {head}");
    }
    assert_eq!(server.get("/playback", &[]).2, "{\"format\":1}");
    for path in [
        "/Cargo.toml", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/..%2f..%2fetc/passwd", "//etc/passwd",
        "/etc/passwd", "/playback/../../x", "/playback/", "/.git/config", "/%00", "/gap/1", "/jog/x",
    ] {
        let (status, head, body) = server.get(path, &[]);
        assert_eq!((status, body.as_str()), (404, "there is nothing here; the page is at /\n"), "{path}");
        assert!(head.contains("content-security-policy"), "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW"] {
        for path in ["/", "/playback", "/jog", "/x"] {
            let request =
                format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
            let answer = server.raw(request.as_bytes());
            assert!(answer.starts_with("HTTP/1.1 405"), "{method} {path}: {answer}");
        }
    }
    // Asked without a WebSocket.
    assert_eq!(server.get("/jog", &[]).0, 400);
}

#[test]
fn curves_are_computed_once() {
    let server = Running::with_arm();
    for _ in 0..3 {
        let (status, head, body) = server.get("/gap?a=1&b=2", &[]);
        assert_eq!((status, body.as_str()), (200, "{\"pair\":[1,2],\"times\":[0.0],\"gap\":[0.5]}"));
        assert!(head.contains("content-type: application/json"));
        assert_eq!(server.get("/gap?a=1&b=1", &[]).0, 404);
        assert_eq!(server.get("/gap?a=99999&b=1", &[]).0, 404);
    }
    assert_eq!(server.curves.load(Ordering::Relaxed), 3);
    for query in ["", "?", "?a=1", "?a=x&b=1", "?a=1&b=2&c=3", "?b=1&a=2", "?a=-1&b=0"] {
        assert_eq!(server.get(&format!("/gap{query}"), &[]).0, 400, "{query}");
    }
}

#[test]
fn requests_of_other_sites_are_refused() {
    let server = Running::with_arm();
    let own = format!("http://{}", server.address);
    let port = server.address.port();
    for path in ["/", "/playback", "/gap?a=0&b=1", "/jog", "/x"] {
        let rebound = format!("evil.example:{port}");
        for host in ["evil.example", rebound.as_str(), "127.0.0.1", "127.0.0.1:1", ""] {
            assert_eq!(server.get(path, &[("Host", host)]).0, 403, "{path} {host}");
        }
        for origin in ["http://evil.example", "null", "file://", "http://localhost", "https://127.0.0.1"] {
            assert_eq!(server.get(path, &[("Origin", origin)]).0, 403, "{path} {origin}");
        }
    }
    assert_eq!(server.get("/playback", &[("Origin", &own)]).0, 200);
    block_on(async {
        let mut request = server.jog_request();
        request.headers_mut().insert("origin", HeaderValue::from_static("http://evil.example"));
        let Err(error) = Client::connect(request).await else { panic!("connected") };
        assert!(error.to_string().contains("403"), "{error}");
        let mut request = server.jog_request();
        request.headers_mut().insert("origin", HeaderValue::from_str(&own).unwrap());
        Client::connect(request).await.unwrap().done(command("ping")).await;
    });
}

#[test]
fn without_the_token_nothing_is_served() {
    let token = Token::from_text("a-token-of-some-signs").unwrap();
    let options = ServerOptions { token: Some(token), ..ServerOptions::default() };
    let server = Running::new(&options, Some(&arm()));
    assert!(server.url.ends_with("/?token=a-token-of-some-signs"));
    let cookie = format!("chasles-{}=a-token-of-some-signs", server.address.port());
    for path in [
        "/",
        "/playback",
        "/gap?a=0&b=1",
        "/jog",
        "/x",
        "/?token=",
        "/?token=a-token-of-some-sign",
        "/playback?token=a-token-of-some-signs",
    ] {
        let (status, head, body) = server.get(path, &[]);
        assert_eq!(status, 401, "{path}");
        assert!(body.starts_with("found no token") && !head.contains("set-cookie"), "{path}");
        for wrong in ["Bearer a-token-of-some-sign", "Bearer ", "Basic a-token-of-some-signs"] {
            assert_eq!(server.get(path, &[("Authorization", wrong)]).0, 401, "{path} {wrong}");
        }
        assert_eq!(server.get(path, &[("Cookie", &format!("{cookie}x"))]).0, 401, "{path}");
    }
    // A refused request ends its connection: the second one has no answer.
    let refused = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).repeat(2);
    assert_eq!(server.raw(refused.as_bytes()).matches("HTTP/1.1 401").count(), 1);
    let (status, head, _) = server.get("/?token=a-token-of-some-signs", &[]);
    assert_eq!(status, 303);
    assert!(head.contains("location: /\r\n") && head.contains("httponly; samesite=strict"), "{head}");
    // By a link from elsewhere the page comes at once: the cookie would not be brought along.
    let (status, head, body) =
        server.get("/?token=a-token-of-some-signs", &[("Sec-Fetch-Site", "cross-site")]);
    assert!(status == 200 && body == PAGE && head.contains("set-cookie: chasles-"), "{head}");
    // Not through the door of another site.
    assert_eq!(server.get("/?token=a-token-of-some-signs", &[("Origin", "http://evil.example")]).0, 403);
    assert_eq!(server.get("/?token=a-token-of-some-signs", &[("Host", "evil.example")]).0, 403);
    assert_eq!(server.get("/", &[("Cookie", &cookie)]).2, PAGE);
    assert_eq!(server.get("/playback", &[("Authorization", "Bearer a-token-of-some-signs")]).0, 200);
    block_on(async {
        let Err(error) = Client::connect(server.jog_request()).await else { panic!("connected") };
        assert!(error.to_string().contains("401"), "{error}");
        let mut request = server.jog_request();
        request.headers_mut().insert("cookie", HeaderValue::from_str(&cookie).unwrap());
        Client::connect(request).await.unwrap().done(command("ping")).await;
    });
}

#[test]
fn servers_for_other_machines_have_a_token() {
    // Only bound, never asked: tests keep to this machine.
    let options =
        ServerOptions { listen: Some(IpAddr::V4(Ipv4Addr::UNSPECIFIED)), ..ServerOptions::default() };
    let server = chasles_viewer::Server::bind(&options).unwrap();
    let (head, token) =
        server.url().split_once("?token=").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    assert!(head.starts_with("http://127.0.0.1:") && token.len() == 32, "{head} {token}");
    let taken = ServerOptions { port: server.address().port(), ..options };
    assert!(chasles_viewer::Server::bind(&taken).is_err());
}

/// Requests that are none: whatever comes, the server goes on.
#[test]
fn malformed_requests_are_refused() {
    let server = Running::with_arm();
    let host = format!("Host: {}\r\n", server.address);
    let good = format!("GET / HTTP/1.1\r\n{host}Connection: close\r\n\r\n");
    let mut random = Random(3);
    let mut below = |bound: usize| random.below(bound);
    for _ in 0..many(100, 10_000) {
        let mut request = good.clone().into_bytes();
        for _ in 0..1 + below(3) {
            let place = below(request.len() - 4);
            match below(3) {
                0 => request[place] = u8::try_from(below(256)).unwrap(),
                1 => request.insert(place, u8::try_from(below(256)).unwrap()),
                _ => drop(request.remove(place)),
            }
        }
        // Its end stands as it was; what is broken is closed or answered.
        use std::io::Write as _;
        let mut stream = std::net::TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(&request).unwrap();
        // It may have closed already.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        read_all(&mut stream, &mut Vec::new());
    }
    let long = format!("GET /{} HTTP/1.1\r\n{host}\r\n", "x".repeat(1 << 20));
    let answer = server.raw(long.as_bytes());
    assert!(!answer.contains(" 200 "), "{answer}");
    let many = format!("GET / HTTP/1.1\r\n{host}{}\r\n", "X-A: b\r\n".repeat(20_000));
    assert!(!server.raw(many.as_bytes()).contains(" 200 "));
    assert_eq!(server.get("/", &[]).0, 200);
}

/// Connections that say half a request give their place back.
#[test]
fn half_a_request_does_not_keep_a_slot() {
    use std::io::Write as _;
    let server = Running::new(&ServerOptions::default(), None);
    let mut stream = std::net::TcpStream::connect(server.address).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    // After the time that a head may take, and then as soon as the machine comes to it.
    stream.set_read_timeout(Some(chasles_viewer::limits::HEAD_TIME + PATIENCE)).unwrap();
    read_all(&mut stream, &mut Vec::new());
    // Without a robot there is nothing to jog.
    let answer = server.raw(
        format!(
            "GET /jog HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\nGET /x HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            server.address, server.address
        )
        .as_bytes(),
    );
    assert!(answer.starts_with("HTTP/1.1 404") && answer.contains("no robot"), "{answer}");
}
