//! The commands of `chasles jog`. The program is not a library here, so its file is compiled a second time.

use self::command::{JogCommand, parse};

#[path = "../../crates/chasles-cli/src/commands/jog/command.rs"]
#[allow(dead_code, reason = "the program uses what these targets do not")]
mod command;

/// Lines of `chasles jog`.
pub fn lines(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for line in text.lines() {
        match parse(line) {
            Ok(JogCommand::Move(moves)) => {
                assert!(!moves.is_empty());
                for (number, (name, change)) in moves.iter().enumerate() {
                    assert!(!name.is_empty() && moves[..number].iter().all(|(other, _)| other != name));
                    assert!(change.applied(0.0).is_finite());
                }
            }
            Ok(_) => {}
            Err(message) => assert!(message.starts_with("found ") && !message.contains('\n'), "{message}"),
        }
    }
}
