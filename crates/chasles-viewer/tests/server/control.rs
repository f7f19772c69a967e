//! Who has control: one at a time, all see it, and a connection that is cut loses nothing.

use std::time::Instant;

use chasles_viewer::limits::CONTROL_GRACE;
use serde_json::json;

use crate::support::{Running, block_on, command, is_silent, numbers, to};

#[test]
fn one_client_jogs_at_a_time_and_all_see_it() {
    let server = Running::with_arm();
    block_on(async {
        let (mut one, mut two) = (server.client().await, server.client().await);
        assert_ne!(one.number, two.number);
        assert!(one.state["controller"].is_null() && one.state["moves"] == 0, "{}", one.state);
        // Four joints can be set, six links and a wire have poses.
        assert_eq!(
            (numbers(&one.state["values"]).len(), one.state["poses"].as_array().unwrap().len()),
            (4, 7)
        );
        assert_eq!(one.wrong(to(&[("turn", 0.1)])).await, "no client has control: take it first");
        one.done(command("take")).await;
        one.done(command("take")).await;
        let reported = format!("client {} has control", one.number);
        for message in
            [command("take"), to(&[("turn", 0.1)]), command("undo"), command("clear"), command("release")]
        {
            assert_eq!(two.wrong(message).await, reported);
        }
        two.state_where(|state| state["controller"] == one.number).await;
        one.done(to(&[("turn", -0.5)])).await;
        let (observed, own) = (two.state_where(|state| state["moves"] == 1).await, one.state.clone());
        assert_eq!((&observed["values"], &observed["poses"]), (&own["values"], &own["poses"]));
        // The answer comes after the state that it led to.
        assert_eq!(own["moves"], 1);
        one.done(command("release")).await;
        two.done(command("take")).await;
        two.done(command("undo")).await;
        assert_eq!(one.state_where(|state| state["moves"] == 0).await["values"], json!([0.0, 0.0, 0.0, 0.0]));
        assert_eq!(one.wrong(command("undo")).await, format!("client {} has control", two.number));
    });
}

#[test]
fn a_disconnected_client_resumes_without_loss() {
    let server = Running::with_arm();
    block_on(async {
        let mut first = server.client().await;
        let number = first.number;
        first.done(command("take")).await;
        first.done(to(&[("turn", -0.5)])).await;
        first.done(to(&[("elbow", 0.5)])).await;
        let mut secret = first.secret.clone();
        let other = server.client().await;
        // Cut off in the middle of a move, without a word; twice, and the second time by the newer secret.
        first.send(to(&[("turn", -1.0)]).to_string()).await;
        drop(first);
        for (round, secrets) in [(0, 1), (1, 2)] {
            let mut again = server.client().await;
            again.state_where(|state| state["moves"] == 3).await;
            assert_eq!(again.state["controller"], number, "{round}");
            let wrong = json!({ "type": "resume", "secret": other.secret });
            assert!(again.wrong(wrong).await.starts_with("found a secret of no client in control"));
            assert_eq!(again.wrong(command("take")).await, format!("client {number} has control"));
            let resumed = again.done(json!({ "type": "resume", "secret": secret })).await;
            assert_eq!((resumed["client"].as_u64(), secrets), (Some(number), round + 1));
            secret = again.secret.clone();
            if round == 1 {
                again.done(command("undo")).await;
                let csv = again.done(command("path")).await["csv"].as_str().unwrap().to_owned();
                assert_eq!(
                    csv,
                    "time,turn,elbow,reach,grip\n0.0,0.0,0.0,0.0,0.0\n1.0,-0.5,0.0,0.0,0.0\n2.0,-0.5,0.5,0.0,0.0\n"
                );
                again.done(command("release")).await;
                let late = json!({ "type": "resume", "secret": secret });
                assert!(again.wrong(late).await.starts_with("found a secret of no client"));
            }
        }
    });
}

/// A connection that hangs need not have ended before another resumes; it has no control any more.
#[test]
fn a_hanging_connection_is_replaced() {
    let server = Running::with_arm();
    block_on(async {
        let (mut hung, mut again) = (server.client().await, server.client().await);
        hung.done(command("take")).await;
        again.done(json!({ "type": "resume", "secret": hung.secret })).await;
        again.done(to(&[("turn", -0.5)])).await;
        assert_eq!(hung.wrong(to(&[("turn", 0.0)])).await, format!("client {} has control", hung.number));
        drop(hung);
        again.done(to(&[("turn", -0.25)])).await;
        assert_eq!(again.state["moves"], 2);
    });
}

#[test]
fn control_lapses_when_nobody_resumes() {
    let server = Running::with_arm();
    block_on(async {
        let (mut leaving, mut waits) = (server.client().await, server.client().await);
        leaving.done(command("take")).await;
        leaving.done(to(&[("turn", -0.5)])).await;
        let secret = leaving.secret.clone();
        waits.state_where(|state| state["moves"] == 1).await;
        let start = Instant::now();
        drop(leaving);
        // As long as that may take here: until then nobody else can have it.
        let early = waits.exchange(command("take")).await;
        if early["result"] == "error" {
            assert!(early["message"].as_str().unwrap().contains("has control"), "{early}");
            waits.state_where(|state| state["controller"].is_null()).await;
        }
        assert!(start.elapsed() >= CONTROL_GRACE, "{:?}", start.elapsed());
        waits.done(command("take")).await;
        assert!(
            waits.wrong(json!({ "type": "resume", "secret": secret })).await.contains("no client in control")
        );
        waits.done(command("undo")).await;
    });
}

#[test]
fn the_end_of_the_server_is_announced() {
    let mut server = Running::with_arm();
    block_on(async {
        let mut client = server.client().await;
        client.done(command("take")).await;
        server.end();
        while let Some(reported) = client.next().await {
            assert_eq!(reported["type"], "state", "{reported}");
        }
    });
    is_silent(server.address);
}
