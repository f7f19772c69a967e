//! Bad messages from many clients, while one jogs.

use std::time::Duration;

use chasles_testing::Random;
use futures_util::SinkExt as _;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::support::{Client, PATIENCE, Running, block_on, command, many, memory, to};

/// Bad messages: some as they come, some made of good ones by small changes.
struct Bad(Random);

impl Bad {
    fn frame(&mut self) -> Message {
        let good = [
            r#"{"type":"move","joints":{"turn":{"by":0.1},"elbow":{"to":1.0}},"id":1}"#,
            r#"{"type":"replay","name":"a.csv","text":"time,turn\n0,0\n1,1\n"}"#,
            r#"{"type":"resume","secret":"0123456789abcdef0123456789abcdef"}"#,
            r#"{"type":"take","id":"x"}"#,
        ];
        let mut text = good[self.0.below(good.len())].as_bytes().to_vec();
        match self.0.below(12) {
            0 => return Message::Binary(text.into()),
            1 => return Message::Text("".into()),
            2 => return Message::Text("[".repeat(1 + self.0.below(60_000)).into()),
            3 => {
                return Message::Text(
                    format!("{{\"type\":\"{}\"}}", "take".repeat(self.0.below(20_000))).into(),
                );
            }
            4 => {
                return Message::Text(
                    json!({"type": "move", "joints": {"turn": {"by": "x"}}}).to_string().into(),
                );
            }
            5 => return Message::Ping(text.into()),
            6 => return Message::Text(r#"{"type":"move","joints":{"turn":{"by":0.1}}}"#.into()),
            7 => text.truncate(self.0.below(text.len())),
            _ => {
                for _ in 0..1 + self.0.below(4) {
                    let (place, byte) =
                        (self.0.below(text.len()), 32 + u8::try_from(self.0.below(95)).unwrap());
                    match self.0.below(3) {
                        0 => text[place] = byte,
                        1 => text.insert(place, byte),
                        _ => drop(text.remove(place)),
                    }
                }
            }
        }
        // None may take control from the client that jogs: it is held all the time.
        Message::Text(String::from_utf8(text).unwrap().into())
    }
}

/// Many bad messages from many clients, while one jogs: all are answered with an error, or what is no error, and the
/// one is unharmed. The second half takes no memory that the first did not.
#[test]
fn bad_messages_affect_no_other_client() {
    let server = Running::alone_with_arm();
    let (count, clients) = (many(600, 50_000), many(10, 60));
    block_on(async {
        let mut jogs = server.client().await;
        jogs.done(command("take")).await;
        let mut held = vec![memory()];
        let mut moves = 0;
        let mut slowest = Duration::ZERO;
        for half in 0..2 {
            let mut attackers = tokio::task::JoinSet::new();
            for seed in 0..clients {
                let client = server.client().await;
                attackers.spawn(attack(client, Bad(Random((half * clients + seed) as u64)), count / clients));
            }
            while !attackers.is_empty() {
                let start = std::time::Instant::now();
                jogs.done(to(&[("turn", if moves % 2 == 0 { -0.5 } else { 0.0 })])).await;
                slowest = slowest.max(start.elapsed());
                moves += 1;
                tokio::time::sleep(Duration::from_millis(20)).await;
                if let Some(done) = attackers.try_join_next() {
                    let (sent, answered) = done.unwrap();
                    assert!(answered > sent * 9 / 10, "{answered} of {sent}");
                }
            }
            held.push(memory());
        }
        assert_eq!(jogs.state["moves"], moves);
        assert_eq!(jogs.state["controller"], jogs.number);
        println!("{moves} moves, slowest {slowest:?}; memory {held:?}");
        assert!(slowest < PATIENCE / 10, "{slowest:?}");
        if let [_, Some(first), Some(second)] = held[..] {
            assert!(second < first + (50 << 20), "{held:?}");
        }
    });
}

/// Says bad messages; how many should be answered with an error, and how many were.
async fn attack(mut client: Client, mut bad: Bad, count: usize) -> (usize, usize) {
    let (mut answered, mut sent) = (0, 0);
    for _ in 0..count {
        let frame = bad.frame();
        let wants = !matches!(frame, Message::Ping(_));
        client.socket.send(frame).await.unwrap();
        if wants {
            sent += 1;
            let answer = client.answer().await;
            // Small changes can leave a message that means something to whoever watches.
            answered += usize::from(answer["result"] == "error");
            assert_ne!(answer["result"], "refused", "{answer}");
        }
    }
    client.done(command("ping")).await;
    (sent, answered)
}
