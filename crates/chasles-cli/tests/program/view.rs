//! `chasles view`: a server queried on this machine. A program built without its page says so instead.

#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::running::{Running, ended};
use crate::support::{Folder, PATIENCE, awaited};

const ARM: &str = r#"<robot name="arm">
  <link name="base"/>
  <link name="bar"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="bar"/><axis xyz="0 0 1"/></joint>
</robot>"#;

const CELL: &str = "format = 1\nduration = 1.0\n[[body]]\nname = 'post'\nbox = [0.1, 0.1, 1]\npose = { position = [0, 0.8, 0] }\n";

const WORLD: &str = "#VRML V2.0 utf8\nDEF CART Transform { translation 0 0 0 children DEF BLOCK Shape { geometry Box { size 1 1 1 } } }\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("arm.urdf", ARM);
    folder.write("cell.toml", CELL);
    folder.write("turn.csv", "time,turn\n0,0\n1,0.5\n");
    folder.write("world.wrl", WORLD);
    folder
}

/// Whether the program has its page; otherwise checks that it says how to get it.
fn has_page(folder: &Folder) -> bool {
    let run = folder.run(&["view", "gone.urdf", "--no-open"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""));
    let missing = run.stderr.contains("install Node");
    assert!(missing || run.stderr.starts_with("chasles: gone.urdf: cannot be read: "), "{run:?}");
    !missing
}

/// GET, with headers; returns the whole answer.
fn get(address: &str, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn json(answer: &str) -> Value {
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

/// Starts the server; returns its address.
fn start(folder: &Folder, args: &[&str]) -> (Running, String) {
    let mut command = folder.program(&[&["view", "--no-open"], args].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (Running(child), line.trim_end().to_owned())
}

fn address(url: &str) -> &str {
    url.strip_prefix("http://").and_then(|url| url.split_once('/')).unwrap().0
}

#[test]
fn scenes_robots_and_worlds_are_served_until_stopped() {
    let folder = folder();
    if !has_page(&folder) {
        return;
    }
    for (args, kind, jog, bodies) in [
        (&["cell.toml"][..], "scene", false, 1),
        (&["arm.urdf"], "robot", true, 2),
        (&["arm.urdf", "--world", "cell.toml", "--path", "turn.csv"], "robot", true, 3),
        (&["world.wrl"], "scene", false, 1),
        (&["world.wrl", "--jog"], "robot", true, 1),
    ] {
        let (mut child, url) = start(&folder, args);
        assert!(url.starts_with("http://127.0.0.1:") && url.ends_with('/'), "{url}");
        let address = address(&url);
        let document = json(&get(address, "/playback", ""));
        assert_eq!((&document["kind"], &document["jog"]), (&kind.into(), &jog.into()), "{args:?}");
        let shapes = document["bodies"].as_array().unwrap().len();
        assert!(shapes >= bodies, "{args:?}: {shapes}");
        let page = get(address, "/", "");
        assert!(
            page.starts_with("HTTP/1.1 200") && page.contains("content-security-policy: default-src 'none'")
        );
        assert!(get(address, "/", "Origin: http://evil.example\r\n").starts_with("HTTP/1.1 403"));
        // Without a robot there is no socket.
        let socket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        if !jog {
            assert!(!get(address, "/jog", socket).starts_with("HTTP/1.1 101"));
        }
        let id = child.0.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        assert_eq!(ended(&mut child.0), Some(0));
        // Another test may get the same port for a moment.
        awaited("silence", || TcpStream::connect(address).err());
    }
}

#[test]
fn the_page_of_a_robot_has_configurations_and_speed_warnings() {
    let folder = folder();
    if !has_page(&folder) {
        return;
    }
    let limited = ARM.replace("continuous", "revolute");
    let limits = "<axis xyz=\"0 0 1\"/><limit lower=\"-2\" upper=\"2\" velocity=\"0.25\"/>";
    folder.write("arm.urdf", limited.replace("<axis xyz=\"0 0 1\"/>", limits));
    let state = |name: &str, value: &str| {
        format!("<group_state name='{name}' group='all'><joint name='turn' value='{value}'/></group_state>\n")
    };
    let states = state("up", "1.5") + &state("far", "9");
    folder.write("arm.srdf", format!("<robot name='arm'>\n{states}</robot>"));
    let args = ["view", "--no-open", "arm.urdf", "--srdf", "arm.srdf", "--path", "turn.csv", "--jog"];
    let mut command = folder.program(&args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut child = Running(child);
    let mut line = String::new();
    BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let document = json(&get(address(line.trim_end()), "/playback", ""));
    let configurations = document["robot"]["postures"].as_array().unwrap();
    assert_eq!(configurations.len(), 2);
    let up = serde_json::json!({"name": "up", "joints": [["turn", 1.5]], "doubts": [], "error": null});
    assert_eq!(configurations[0], up);
    let error = configurations[1]["error"].as_str().unwrap();
    assert!(error.contains("arm.srdf:3") && error.contains("beyond its limits"), "{error}");
    let id = child.0.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(ended(&mut child.0), Some(0));
    let mut reported = String::new();
    child.0.stderr.take().unwrap().read_to_string(&mut reported).unwrap();
    let checked = folder.run(&["check", "arm.urdf", "--path", "turn.csv"]);
    // The end of the program follows.
    assert!(reported.starts_with(&checked.stderr) && checked.stderr.contains("0.5 rad/s"), "{reported}");
}

/// A ball on a floor.
const DROP: &str = "format = 1\nduration = 0.1\nsimulation = { gravity = [0, 0, -9.81] }\n\
    [[body]]\nname = 'floor'\nbox = [1, 1, 0.2]\npose = { position = [0, 0, -0.1] }\n\
    [[body]]\nname = 'ball'\nsphere = 0.1\nmass = 1\npose = { position = [0, 0, 0.11] }\n";

#[test]
fn a_recording_is_shown_with_its_impulses() {
    let folder = folder();
    if !has_page(&folder) {
        return;
    }
    folder.write("drop.toml", DROP);
    assert_eq!(folder.run(&["simulate", "drop.toml", "-o", "drop.jsonl"]).status, Some(0));
    let lines = folder.read("drop.jsonl").lines().count() - 1;
    let (_child, url) = start(&folder, &["drop.jsonl"]);
    let document = json(&get(address(&url), "/playback", ""));
    let recording = &document["recording"];
    // Base64 has four letters for three bytes.
    let bytes = |key: &str| recording[key].as_str().unwrap().trim_end_matches('=').len() * 3 / 4;
    assert_eq!(
        (bytes("times"), bytes("energy"), recording["joined"].as_u64()),
        (8 * lines, 24 * lines, Some(1))
    );
    assert!(bytes("impulses") > 0 && bytes("impulses") / 56 == bytes("bodies") / 8, "{recording}");
    let (_other, url) = start(&folder, &["drop.toml"]);
    assert!(json(&get(address(&url), "/playback", ""))["recording"].is_null());
}

#[test]
fn a_simulation_is_run_in_the_page() {
    let folder = folder();
    if !has_page(&folder) {
        return;
    }
    folder.write("drop.toml", DROP);
    let (mut child, url) = start(&folder, &["drop.toml", "--simulate"]);
    let address = address(&url);
    let document = json(&get(address, "/playback", ""));
    assert_eq!(document["simulation"], serde_json::json!([false, true]));
    // It runs for longer than the duration of the scene; the motions of the scene are not used.
    assert_eq!((&document["end"], &document["report"]), (&3600.0.into(), &Value::Null));
    assert!(get(address, "/live", "Origin: http://evil.example\r\n").starts_with("HTTP/1.1 403"));
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let socket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    stream.write_all(format!("GET /live HTTP/1.1\r\nHost: {address}\r\n{socket}\r\n").as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line).unwrap();
    assert!(line.starts_with("HTTP/1.1 101"), "{line}");
    let id = child.0.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(ended(&mut child.0), Some(0));

    folder.write(
        "fan.toml",
        format!(
            "{DROP}[[body]]\nname = 'fan'\nbox = [1, 1, 1]\npose = {{ position = [5, 0, 0] }}\n\
        [body.motion]\nkind = 'twist'\nlinear = [0, 0, 0]\nangular = [0, 0, 1]\n"
        ),
    );
    let (_child, url) = start(&folder, &["fan.toml", "--simulate"]);
    assert_eq!(json(&get(self::address(&url), "/playback", ""))["end"], 0.1);
}

#[test]
fn a_given_token_is_required() {
    let folder = folder();
    if !has_page(&folder) {
        return;
    }
    let (_child, url) = start(&folder, &["arm.urdf", "--token", "only-for-this-test"]);
    let address = address(&url);
    assert_eq!(url, format!("http://{address}/?token=only-for-this-test"));
    assert!(get(address, "/playback", "").starts_with("HTTP/1.1 401"));
    assert!(
        get(address, "/playback", "Authorization: Bearer only-for-this-test\r\n").starts_with("HTTP/1.1 200")
    );
}

#[test]
fn inputs_that_cannot_be_shown_are_errors() {
    let folder = folder();
    if !has_page(&folder) {
        return;
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (args, message) in [
        (
            &["cell.toml", "--jog"][..],
            "chasles: cell.toml: found --jog, which is for robots (.urdf) and worlds (.wrl) only",
        ),
        (
            &["report.json"],
            "chasles: report.json: found JSON, expected a scene or a robot: a report of it is given as --report",
        ),
        (&["cell.toml", "--simulate"], "chasles: cell.toml: found no dynamic body, expected one with `mass`"),
        (
            &["arm.urdf", "--simulate"],
            "chasles: arm.urdf: found a file without masses, expected a scene in TOML",
        ),
        (
            &["cell.toml", "--simulate", "--path", "turn.csv"],
            "chasles: cell.toml: found --path, which is for robots (.urdf) and worlds (.wrl) only",
        ),
        (
            &["cell.toml", "--simulate", "--jog"],
            "error: the argument '--simulate' cannot be used with '--jog'",
        ),
        (&["arm.urdf", "--time", "nan"], "chasles: --time: time: found NaN, expected a finite number"),
        (
            &["arm.urdf", "--token", "short"],
            "error: invalid value 'short' for '--token <TOKEN>': found a token of 5 signs",
        ),
        (&["arm.urdf", "--listen", "here"], "error: invalid value 'here' for '--listen <ADDRESS>'"),
        (&["arm.urdf", "--port", &port], "chasles: cannot listen at 127.0.0.1, port "),
    ] {
        let run = folder.run(&[&["view", "--no-open"], args].concat());
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(run.stderr.starts_with(message), "{args:?}: {}", run.stderr);
    }
}
