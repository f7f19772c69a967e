//! A simulation that runs while it is looked at: orders, the hand, who may give them, and its end.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chasles::SimulationDefinition;
use chasles_formats::scene;
use chasles_viewer::limits::SIMULATION_IMPULSES;
use serde_json::{Value, json};

use crate::support::{Client, Running, block_on, command, numbers, to};

/// A ball above a floor, a fan that turns, and a wall.
fn definition(duration: f64) -> SimulationDefinition {
    let text = format!(
        "format = 1\nduration = {duration}\nsimulation = {{ gravity = [0, 0, -9.81], record = 0.5 }}\n\
         [[body]]\nname = 'floor'\nbox = [4, 4, 1]\npose = {{ position = [0, 0, -0.5] }}\n\
         [[body]]\nname = 'ball'\nsphere = 0.1\nmass = 2\npose = {{ position = [0, 0, 0.6] }}\n\
         [[body]]\nname = 'fan'\nbox = [1, 0.1, 0.1]\npose = {{ position = [0, 0, 3] }}\n\
         [body.motion]\nkind = 'twist'\nlinear = [0, 0, 0]\nangular = [0, 0, 1]\n"
    );
    let path = "scene.toml".as_ref();
    scene::build::simulation(&scene::file::parse(text.as_bytes(), path).unwrap(), path).unwrap().definition
}

fn grab(body: usize) -> Value {
    json!({ "type": "grab", "body": body, "point": [0, 0, 0] })
}

fn drag(target: [f64; 3]) -> Value {
    json!({ "type": "drag", "target": target })
}

fn time(state: &Value) -> f64 {
    state["time"].as_f64().unwrap()
}

/// The middle of the ball.
fn ball(state: &Value) -> Vec<f64> {
    numbers(&state["poses"][1])[..3].to_vec()
}

async fn in_control(server: &Running) -> Client {
    let mut client = server.viewer().await;
    client.done(command("take")).await;
    client
}

#[test]
fn a_simulation_is_paused_at_first_and_can_play_step_and_restart() {
    let server = Running::with_simulation(definition(100.0));
    block_on(async {
        let mut client = in_control(&server).await;
        let first = client.state.clone();
        assert_eq!((time(&first), &first["running"], &first["runs"]), (0.0, &json!(false), &json!(1)));
        // The floor never moves; the ball and the fan do.
        assert!(first["poses"][0].is_null() && first["poses"][2].is_array(), "{first}");
        assert_eq!((ball(&first), &first["energy"][1]), (vec![0.0, 0.0, 0.6], &json!(2.0 * 9.81 * 0.6)));
        // A step is short, however seldom the scene records.
        client.done(command("step")).await;
        let stepped = client.state.clone();
        assert!(time(&stepped) > 0.0 && time(&stepped) <= 0.0101 && stepped["running"] == false, "{stepped}");
        assert_ne!(stepped["poses"][2], first["poses"][2]);
        let clock = Instant::now();
        client.done(command("play")).await;
        let landed = client.state_where(|state| !state["impulses"].as_array().unwrap().is_empty()).await;
        // It falls for 0.32 s, and the clock is not overtaken.
        assert!(time(&landed) > 0.3 && clock.elapsed() > Duration::from_millis(280), "{landed}");
        let [a, b, seven] = &landed["impulses"][0].as_array().unwrap()[..] else { panic!("{landed}") };
        assert_eq!((a, b, numbers(seven).len()), (&json!(0), &json!(1), 7));
        client.done(command("pause")).await;
        let paused = time(&client.state);
        std::thread::sleep(Duration::from_millis(100));
        client.done(command("pause")).await;
        assert_eq!((time(&client.state), &client.state["running"]), (paused, &json!(false)));
        client.done(command("restart")).await;
        let again = client.state.clone();
        assert_eq!((time(&again), ball(&again), &again["runs"]), (0.0, vec![0.0, 0.0, 0.6], &json!(2)));
        assert_eq!(SIMULATION_IMPULSES, 200);
    });
}

#[test]
fn a_body_is_dragged_with_the_mouse_and_released() {
    let server = Running::with_simulation(definition(100.0));
    block_on(async {
        let mut client = in_control(&server).await;
        assert_eq!(
            client.wrong(drag([0.0; 3])).await,
            "found no body in the hand, expected one: grab it first"
        );
        for body in [0, 2, 3, 1 << 40] {
            let reported = client.wrong(grab(body)).await;
            assert_eq!(reported, format!("found body {body}, expected the number of a body with a mass"));
        }
        client.done(grab(1)).await;
        assert_eq!(client.state["hand"]["target"], json!([0.0, 0.0, 0.6]));
        client.done(drag([0.5, 0.0, 1.0])).await;
        client.done(command("play")).await;
        let near = |state: &Value| {
            let place = ball(state);
            (place[0] - 0.5).hypot(place[2] - 1.0) < 0.01
        };
        let held = client.state_where(near).await;
        assert_eq!(held["energy"][2], 0.0);
        client.done(command("drop")).await;
        assert!(client.state["hand"].is_null());
        client.state_where(|state| ball(state)[2] < 0.2).await;
    });
}

#[test]
fn a_simulation_ends_with_its_duration_and_reports_it() {
    let server = Running::with_simulation(definition(0.1));
    block_on(async {
        let mut client = in_control(&server).await;
        client.done(command("play")).await;
        let ended = client.state_where(|state| !state["end"].is_null()).await;
        assert_eq!((time(&ended), &ended["running"]), (0.1, &json!(false)));
        assert_eq!(ended["end"], "the duration of the scene is over");
        let reported = "the simulation has ended (the duration of the scene is over): restart it";
        assert_eq!(
            (client.wrong(command("play")).await, client.wrong(command("step")).await),
            (reported.into(), reported.into())
        );
        client.done(command("restart")).await;
        client.done(command("step")).await;
    });
}

#[test]
fn one_client_is_in_control_and_invalid_messages_change_nothing() {
    let mut server = Running::with_simulation(definition(100.0));
    block_on(async {
        let (mut one, mut two) = (server.viewer().await, server.viewer().await);
        assert_eq!(one.wrong(command("play")).await, "no client has control: take it first");
        one.done(command("take")).await;
        for message in
            [command("play"), command("step"), grab(1), drag([0.0; 3]), command("restart"), command("take")]
        {
            assert_eq!(two.wrong(message).await, format!("client {} has control", one.number));
        }
        for (message, reported) in [
            (
                json!({ "type": "grab", "body": 1 }),
                "found no key point in a message of type grab, expected one",
            ),
            (to(&[("turn", 0.1)]), "found the type \"move\", which is not valid here, expected one of take"),
            (command("path"), "found the type \"path\", which is not valid here, expected one of take"),
            (command("fly"), "found the type \"fly\", expected one of take"),
        ] {
            let found = one.wrong(message.clone()).await;
            assert!(found.starts_with(reported), "{message}: {found}");
        }
        for text in [
            r#"{"type":"grab","body":-1,"point":[0,0,0]}"#,
            r#"{"type":"drag","target":[0,"x",0]}"#,
            r#"{"type":"drag","target":[0,0,1e999]}"#,
        ] {
            one.send(text).await;
            let reported = one.answer().await["message"].as_str().unwrap().to_owned();
            assert!(reported.starts_with("the message is not understood: "), "{text}: {reported}");
        }
        // Numbers that are finite and mean nothing do no harm.
        one.done(grab(1)).await;
        let reported = one.wrong(drag([1e300, -1e300, 1e300])).await;
        assert_eq!(reported, "target of the pull: found 1e300, expected a magnitude below 1e70");
        let reported = one.wrong(json!({ "type": "grab", "body": 1, "point": [1e200, 0, 0] })).await;
        assert_eq!(reported, "pulled point: found 1e200, expected a magnitude below 1e70");
        one.done(drag([1e60, -1e60, 1e60])).await;
        one.done(command("step")).await;
        one.done(command("restart")).await;
        assert_eq!(time(&one.state), 0.0);
        two.state_where(|state| state["runs"] == 2).await;
    });
    server.end();
}

#[test]
fn a_simulation_pauses_and_drops_the_mouse_when_its_page_leaves() {
    let server = Running::with_simulation(definition(100.0));
    block_on(async {
        let mut watcher = server.viewer().await;
        let mut client = in_control(&server).await;
        client.done(grab(1)).await;
        client.done(command("play")).await;
        watcher.state_where(|state| state["running"] == true).await;
        drop(client);
        let left = watcher.state_where(|state| state["running"] == false).await;
        assert_eq!(
            (&left["hand"], &left["paused"]),
            (&Value::Null, &json!("the client in control has left"))
        );
        // Whoever comes next goes on from there, also where control was given up.
        watcher.state_where(|state| state["controller"].is_null()).await;
        watcher.done(command("take")).await;
        watcher.done(command("play")).await;
        watcher.state_where(|state| time(state) > time(&left)).await;
        watcher.done(command("release")).await;
        watcher.state_where(|state| state["running"] == false).await;
    });
}

#[test]
fn without_a_simulation_there_is_no_socket_for_one() {
    let server = Running::with_arm();
    let socket = [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    assert_ne!(server.get("/live", &socket).0, 101);
    block_on(async {
        let mut client = server.client().await;
        let reported = client.wrong(command("play")).await;
        assert!(reported.starts_with("found the type \"play\", which is not valid here"), "{reported}");
    });
}

/// A flexible box in the air, turned about x.
fn flexible() -> SimulationDefinition {
    let text = "format = 1\nduration = 100\nsimulation = { gravity = [0, 0, -9.81] }\n\
        [[body]]\nname = 'jelly'\nbox = [0.2, 0.2, 0.2]\nmass = 1\nflexible = { stiffness = 300 }\n\
        pose = { position = [1, 0, 2], rotation = [0.7071067811865476, 0.7071067811865476, 0, 0] }\n";
    let path = "scene.toml".as_ref();
    scene::build::simulation(&scene::file::parse(text.as_bytes(), path).unwrap(), path).unwrap().definition
}

/// The vertices of the only flexible body.
fn shape(state: &Value) -> Vec<[f32; 3]> {
    assert_eq!(
        (state["shapes"].as_array().unwrap().len(), &state["shapes"][0][0]),
        (1, &json!(0)),
        "{state}"
    );
    let bytes = STANDARD.decode(state["shapes"][0][1].as_str().unwrap()).unwrap();
    let numbers: Vec<f32> =
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
    numbers.chunks_exact(3).map(|three| three.try_into().unwrap()).collect()
}

#[test]
fn flexible_bodies_run_with_their_shapes_and_cannot_be_dragged() {
    let definition = flexible();
    let body = &definition.scene.bodies()[0];
    let mesh = body.shape.as_ref().unwrap().drawn().clone();
    let server = Running::with_simulation(definition);
    block_on(async {
        let mut client = in_control(&server).await;
        let first = client.state.clone();
        assert!(first["poses"][0].is_null(), "{first}");
        // At time 0 it is as its mesh in the document: in the frame of the body.
        let initial = shape(&first);
        assert_eq!(initial.len(), mesh.vertex_count());
        for (vertex, found) in (0..).zip(&initial) {
            let required = (mesh.vertex(vertex) - mesh.centre()).to_array();
            assert!(found.iter().zip(required).all(|(x, required)| (f64::from(*x) - required).abs() < 1e-6));
        }
        for _ in 0..10 {
            client.done(command("step")).await;
        }
        // It has fallen: down in the world is -y of its frame, which is turned about x.
        let (fallen, since) = (shape(&client.state), time(&client.state));
        let distance = 0.5 * 9.81 * since * since;
        assert!(since > 0.05);
        for (now, then) in fallen.iter().zip(&initial) {
            let [x, y, z] = [0, 1, 2].map(|axis| f64::from(now[axis] - then[axis]));
            assert!(
                x.abs() < 1e-5 && (y + distance).abs() < 0.02 * distance + 1e-5 && z.abs() < 1e-5,
                "{x} {y} {z} for {distance}"
            );
        }
        let reported = client.wrong(grab(0)).await;
        let expected =
            "found body 0, which is flexible and cannot be held yet, expected a rigid body with a mass";
        assert_eq!(reported, expected);
        client.done(command("restart")).await;
        assert_eq!(shape(&client.state), initial);
    });
}
