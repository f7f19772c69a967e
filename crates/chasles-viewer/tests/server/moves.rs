//! Moves: carried out as far as they are free, recorded, taken back, replayed.

use chasles::{CheckOptions, JointPath, MoveOutcome, PairVerdict, Waypoint};
use chasles_testing::Random;
use chasles_testing::robots::SPINNER;
use chasles_viewer::limits::MOVE_TIME;
use serde_json::json;

use crate::support::{Running, arm, block_on, command, numbers, scenes, to};

/// Where the engine finds that the turning arm meets the wire.
fn turn_at_contact() -> f64 {
    let cell = arm();
    let count = cell.robot().joints().len();
    let waypoint = |time: f64, turn: f64| Waypoint { time, positions: vec![turn], velocities: vec![] };
    assert!(count > 0 && cell.robot().joints()[0].name == "turn");
    let path = JointPath { joints: vec![0], waypoints: vec![waypoint(0.0, -1.2), waypoint(1.0, 1.2)] };
    let found = cell.check_path(&path, &CheckOptions::default(), &()).unwrap();
    assert_eq!(found.report.verdict, PairVerdict::Contact);
    let first = found.entries.iter().flatten().map(|entry| entry.positions[0]);
    first.fold(f64::INFINITY, f64::min)
}

#[test]
fn a_move_into_the_wire_is_refused_at_the_exact_value() {
    let server = Running::with_arm();
    let expected = turn_at_contact();
    block_on(async {
        let (mut client, mut other) = (server.client().await, server.client().await);
        client.done(command("take")).await;
        client.done(to(&[("turn", -1.2)])).await;
        let refused = client.exchange(to(&[("turn", 1.2)])).await;
        assert_eq!(refused["result"], "refused", "{refused}");
        let refusal = &refused["refusal"];
        let pair = &refusal["pairs"][0];
        assert_eq!((&pair["b"], &pair["verdict"]), (&json!("wire"), &json!("contact")), "{pair}");
        let at_contact = pair["joints"]["turn"].as_f64().unwrap();
        assert!((at_contact - expected).abs() < 1e-6, "{at_contact} {expected}");
        assert_eq!(refusal["joints"], pair["joints"]);
        assert!(
            pair["kind"].is_string() && pair["features"]["a"].is_array() && pair["point"].is_array(),
            "{pair}"
        );
        // It went there, but for a hair.
        let stopped_at = numbers(&client.state["values"])[0];
        assert!(stopped_at < expected && expected - stopped_at < 1e-6, "{stopped_at} {expected}");
        assert_eq!(refusal["free_until"]["turn"].as_f64(), Some(stopped_at));
        let free = refused["free"].as_f64().unwrap();
        assert!((free - (stopped_at + 1.2) / 2.4).abs() < 1e-12, "{free}");
        // Everybody sees it, until the next move.
        let observed = other.state_where(|state| state["moves"] == 2).await;
        assert_eq!(&observed["refusal"], refusal);
        let pose_list = observed["way"].as_array().unwrap();
        assert!(
            pose_list.len() > 2 && pose_list[pose_list.len() - 1] == observed["poses"],
            "{}",
            pose_list.len()
        );
        // Once more it does not creep; and it can leave, in every way.
        let again = client.exchange(to(&[("turn", 1.2)])).await;
        assert_eq!((&again["result"], again["free"].as_f64()), (&json!("refused"), Some(0.0)));
        assert_eq!((&client.state["moves"], numbers(&client.state["values"])[0]), (&json!(2), stopped_at));
        client.done(to(&[("turn", stopped_at - 1e-7)])).await;
        assert!(client.state["refusal"].is_null() && client.state["way"].is_null(), "{}", client.state);
        client.done(json!({"type": "move", "joints": {"turn": {"by": -1.0}, "elbow": {"by": 0.3}}})).await;
        client.done(command("undo")).await;
        client.done(command("undo")).await;
        assert_eq!(numbers(&client.state["values"])[0], stopped_at);
        client.done(to(&[("turn", -1.2)])).await;
    });
}

#[test]
fn invalid_moves_are_errors_and_move_nothing() {
    let server = Running::with_arm();
    block_on(async {
        let mut client = server.client().await;
        client.done(command("take")).await;
        let before = client.state.clone();
        for (message, expected) in [
            (to(&[("wing", 1.0)]), "found the joint wing, expected one of turn, elbow, reach, grip"),
            (to(&[("grip_right", 0.01)]), "found the joint grip_right, which is fixed or follows another"),
            (
                to(&[("turn", 4.0)]),
                "joint \"turn\" at waypoint 1: found 4, expected a value within its limits, -3 to 3",
            ),
            (to(&[("turn", 1e300)]), "joint \"turn\" at waypoint 1"),
            (command("undo"), "found no move to undo"),
            (
                json!({"type": "replay", "name": "a.csv", "text": "time,wing\n0,0\n1,1\n"}),
                "a.csv:1: found the joint \"wing\"",
            ),
            (
                json!({"type": "replay", "name": "../../etc/passwd", "text": ""}),
                "../../etc/passwd: found no line",
            ),
        ] {
            let found = client.wrong(message).await;
            assert!(found.starts_with(expected), "{found}");
        }
        assert_eq!(client.state, before);
    });
}

/// What is moved, and then saved, is free when it is replayed; and the path as the engine takes it is clear.
#[test]
fn the_record_is_a_path_that_is_free() {
    let server = Running::with_arm();
    block_on(async {
        let mut client = server.client().await;
        client.done(command("take")).await;
        for message in [
            to(&[("turn", -1.0), ("elbow", 0.4)]),
            to(&[("turn", 2.0)]),
            to(&[("reach", 0.1)]),
            to(&[("turn", -0.7)]),
            to(&[("grip", 0.02)]),
        ] {
            let answer = client.exchange(message).await;
            assert_ne!(answer["result"], "error", "{answer}");
        }
        let stopped_at = client.state["values"].clone();
        let csv = client.done(command("path")).await["csv"].as_str().unwrap().to_owned();
        assert_eq!(client.done(command("path")).await["csv"], csv);
        let moves = client.state["moves"].as_u64().unwrap();
        assert_eq!(csv.lines().count() as u64, 2 + moves, "{csv}");
        // It goes to the begin of the path first, by the way it came.
        while client.state["moves"] != 0 {
            client.done(command("undo")).await;
        }
        let reported = client.done(json!({"type": "replay", "name": "mine.csv", "text": csv})).await;
        let verdict =
            json!({"name": "mine.csv", "verdict": "clear", "segments": moves, "of": moves, "refusal": null});
        assert_eq!(reported["verdict"], verdict);
        assert_eq!((&client.state["values"], &client.state["verdict"]), (&stopped_at, &verdict));
        client.done(command("clear")).await;
        assert_eq!((&client.state["moves"], &client.state["values"]), (&json!(0), &stopped_at));

        let cell = arm();
        let read = chasles_formats::robot::joint_path::parse(
            csv.as_bytes(),
            "mine.csv".as_ref(),
            Default::default(),
        );
        let path =
            chasles_formats::robot::joint_path::resolve(&read.unwrap(), cell.robot().definition()).unwrap();
        let found = cell.check_path(&path, &CheckOptions::default(), &()).unwrap();
        assert_eq!(found.report.verdict, PairVerdict::Clear, "{found:?}");
    });
}

#[test]
fn a_path_is_replayed_as_far_as_it_is_free() {
    let server = Running::with_arm();
    let text = std::fs::read_to_string(scenes().join("wire.csv")).unwrap();
    let expected = turn_at_contact();
    block_on(async {
        let mut client = server.client().await;
        client.done(command("take")).await;
        let answer = client.exchange(json!({"type": "replay", "name": "wire.csv", "text": text})).await;
        assert_eq!(answer["result"], "refused", "{answer}");
        let verdict = &answer["verdict"];
        assert_eq!(
            (&verdict["verdict"], &verdict["segments"], &verdict["of"]),
            (&json!("contact"), &json!(0), &json!(1))
        );
        let at_contact = answer["refusal"]["pairs"][0]["joints"]["turn"].as_f64().unwrap();
        let stopped_at = numbers(&client.state["values"])[0];
        assert!(
            (at_contact - expected).abs() < 1e-6 && expected - stopped_at < 1e-6,
            "{at_contact} {stopped_at}"
        );
        assert_eq!((&client.state["verdict"], &client.state["refusal"]), (verdict, &answer["refusal"]));
        // The way to its start, and the part that is free.
        assert_eq!((&client.state["moves"], client.state["way"].as_array().unwrap().len()), (&json!(2), 3));
        client.done(to(&[("turn", -1.2)])).await;
        assert!(client.state["verdict"].is_null());
    });
}

/// The answers are those of the engine, configuration by configuration.
#[test]
fn moves_end_as_the_engine_computes() {
    let server = Running::with_arm();
    let cell = arm();
    let mut session = chasles::Session::new(&cell, 0.0, CheckOptions::default()).unwrap();
    let names = chasles_formats::robot::joint_values::names(cell.robot());
    let mut random = Random(7);
    let mut within = |least: f64, maximum: f64| random.within(least, maximum);
    block_on(async {
        let mut client = server.client().await;
        client.done(command("take")).await;
        let mut refused = 0;
        for _ in 0..40 {
            let required = [within(-1.5, 1.5), within(-2.0, 2.0), within(0.0, 0.15), within(0.0, 0.03)];
            let moves: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(required).collect();
            let mut values = session.values().to_vec();
            for (joint, value) in chasles_formats::robot::joint_values::settable(cell.robot()).zip(required) {
                values[joint] = value;
            }
            let outcome = session.advance(values, &()).unwrap();
            let answer = client.exchange(to(&moves)).await;
            refused += usize::from(outcome != MoveOutcome::Free);
            assert_eq!(answer["result"] == "done", outcome == MoveOutcome::Free, "{answer}");
            let stopped_at: Vec<f64> = chasles_formats::robot::joint_values::settable(cell.robot())
                .map(|joint| session.values()[joint])
                .collect();
            assert_eq!(numbers(&client.state["values"]), stopped_at);
            let poses: Vec<Vec<f64>> =
                client.state["poses"].as_array().unwrap().iter().map(numbers).collect();
            for (pose, found) in session.poses(session.values()).iter().zip(poses) {
                assert_eq!(pose.position().to_array(), found[..3]);
            }
        }
        assert!(refused > 3, "{refused}");
    });
}

/// A robot whose proof takes very long: it can be stopped, and others are answered meanwhile.
#[test]
fn a_move_that_takes_long_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("spinner.urdf");
    std::fs::write(&file, SPINNER).unwrap();
    let server =
        Running::new(&chasles_viewer::ServerOptions::default(), Some(&crate::support::cell(&file, None)));
    block_on(async {
        let (mut client, mut other) = (server.client().await, server.client().await);
        client.done(command("take")).await;
        let start = std::time::Instant::now();
        client
            .send(
                json!({"type": "move", "id": "long", "joints": {"tilt": {"by": 3e6}, "spin": {"by": 4e6}}})
                    .to_string(),
            )
            .await;
        client.send(json!({"type": "undo", "id": "next"}).to_string()).await;
        other.done(command("ping")).await;
        client.send(json!({"type": "stop", "id": "stop"}).to_string()).await;
        let answers = [client.answer().await, client.answer().await, client.answer().await];
        let [stop, long, next] = ["stop", "long", "next"].map(|id| {
            let at = answers.iter().position(|answer| answer["id"] == id);
            at.unwrap_or_else(|| panic!("{id}: {answers:?}"))
        });
        assert_eq!(answers[stop]["result"], "done", "{answers:?}");
        // It may have been stopped before it started.
        assert_ne!(answers[long]["result"], "done", "{answers:?}");
        // Where the machine took longer to stop it than it may take at all, it has ended by itself.
        if start.elapsed() < MOVE_TIME {
            assert!(stop < long && long < next, "{answers:?}");
            assert_eq!(answers[next]["message"], "stopped before it started", "{answers:?}");
        }
        // One that nobody stops ends by itself.
        let long = client
            .exchange(json!({"type": "move", "joints": {"tilt": {"by": 3e6}, "spin": {"by": 4e6}}}))
            .await;
        assert_eq!(long["result"], "refused", "{long}");
        assert!(long["refusal"]["pairs"][0]["why"].as_str().unwrap().starts_with("stopped"), "{long}");
        for by in [1e12, 1e60, 1e200, 1e300] {
            let answer = client.exchange(json!({"type": "move", "joints": {"tilt": {"by": by}}})).await;
            // So many turns are proven by nothing; where a machine is busy it may take minutes to see that.
            assert_ne!(answer["result"], "done", "{by}: {answer}");
        }
        client.done(json!({"type": "move", "joints": {"spin": {"by": 0.1}}})).await;
    });
}
