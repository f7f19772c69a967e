//! The commands of `chasles jog`, one per line.

use std::path::PathBuf;

use chasles_formats::robot::joint_values::JointChange;

/// The command on a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum JogCommand {
    /// An empty line or a comment.
    Nothing,
    /// Moves joints simultaneously: at least one, each at most once.
    Move(Vec<(String, JointChange)>),
    /// Moves to a named configuration. Joints that it does not name keep their values.
    Go(String),
    /// Undoes the last move.
    Undo,
    /// Prints the value of every joint.
    PrintConfiguration,
    /// Writes the moves as a path.
    Save(PathBuf),
    /// Follows a path, from the current configuration.
    Replay(PathBuf),
    /// Prints the commands.
    Help,
    /// Quits.
    Quit,
}

/// The list of commands.
pub(super) const HELP: &str = "\
JOINT += 0.1          move a joint by a value in radians or metres; -= back,
JOINT = 30 deg        = to a value; deg for degrees; several at once with commas
go NAME               move to a named configuration of the SRDF
undo                  take the last move back; of a path, its last segment
where                 print the value of every joint
save FILE.csv         write the moves as a path, one second a move
replay FILE           follow a path, after a move to its start
help, quit            print this list; end";

/// Parses a line.
///
/// # Errors
/// A message with the found and the expected text.
pub(super) fn parse(line: &str) -> Result<JogCommand, String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(JogCommand::Nothing);
    }
    let (word, rest) =
        line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
    // The name of a file may contain a sign too, and a joint may be called `save`.
    let sets = ["=", "+=", "-="].iter().any(|sign| rest.starts_with(sign));
    if line.contains('=') && (sets || !["save", "replay"].contains(&word)) {
        return moves(line).map(JogCommand::Move);
    }
    let file = || match rest {
        "" => Err(format!("found {word} alone, expected a file after it")),
        file => Ok(PathBuf::from(file)),
    };
    let command = match word {
        "undo" => JogCommand::Undo,
        "where" => JogCommand::PrintConfiguration,
        "save" => return file().map(JogCommand::Save),
        "replay" => return file().map(JogCommand::Replay),
        "go" if rest.is_empty() => {
            return Err("found go alone, expected the name of a configuration after it".into());
        }
        "go" => return Ok(JogCommand::Go(rest.to_owned())),
        "help" | "?" => JogCommand::Help,
        "quit" | "exit" => JogCommand::Quit,
        _ => {
            return Err(format!(
                "found {line:?}, expected JOINT += VALUE, go, undo, where, save, replay, help or quit"
            ));
        }
    };
    if rest.is_empty() { Ok(command) } else { Err(format!("found {rest:?} after {word}, expected nothing")) }
}

fn moves(line: &str) -> Result<Vec<(String, JointChange)>, String> {
    let mut found: Vec<(String, JointChange)> = Vec::new();
    for part in line.split(',') {
        let expected =
            || format!("found {:?}, expected JOINT += VALUE, JOINT -= VALUE or JOINT = VALUE", part.trim());
        let (left, right) = part.rsplit_once('=').ok_or_else(expected)?;
        let value = value(right)?;
        let (name, change) = match left {
            left if left.ends_with('+') => (&left[..left.len() - 1], JointChange::By(value)),
            left if left.ends_with('-') => (&left[..left.len() - 1], JointChange::By(-value)),
            left => (left, JointChange::To(value)),
        };
        let name = name.trim();
        if name.is_empty() {
            return Err(expected());
        }
        if found.iter().any(|(known, _)| known == name) {
            return Err(format!("found {name} twice, expected each joint once"));
        }
        found.push((name.to_owned(), change));
    }
    Ok(found)
}

/// A number, in degrees if it has that suffix.
fn value(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let (number, unit) = match text.strip_suffix("deg").or_else(|| text.strip_suffix('°')) {
        Some(number) => (number.trim_end(), f64::to_radians as fn(f64) -> f64),
        None => (text, f64::from as fn(f64) -> f64),
    };
    match number.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(unit(value)),
        _ => Err(format!("found {text:?}, expected a finite number, or one followed by deg")),
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_6;

    use super::*;

    #[test]
    fn lines_are_commands() {
        assert_eq!(parse("  # nothing "), Ok(JogCommand::Nothing));
        assert_eq!(parse(" undo "), Ok(JogCommand::Undo));
        assert_eq!(parse("go  all/home at last "), Ok(JogCommand::Go("all/home at last".into())));
        assert_eq!(parse("go = 1"), Ok(JogCommand::Move(vec![("go".into(), JointChange::To(1.0))])));
        assert_eq!(parse("save my path.csv"), Ok(JogCommand::Save("my path.csv".into())));
        assert_eq!(parse("replay a=b.csv"), Ok(JogCommand::Replay("a=b.csv".into())));
        assert_eq!(parse("save -= 1"), Ok(JogCommand::Move(vec![("save".into(), JointChange::By(-1.0))])));
        assert_eq!(parse("a+=b = 1"), Ok(JogCommand::Move(vec![("a+=b".into(), JointChange::To(1.0))])));
        let found = parse("a.rotation+=.5, b -= 2e-1,c = 30deg , d=-1").unwrap();
        let expected = [
            ("a.rotation", JointChange::By(0.5)),
            ("b", JointChange::By(-0.2)),
            ("c", JointChange::To(FRAC_PI_6)),
            ("d", JointChange::To(-1.0)),
        ];
        let JogCommand::Move(moves) = found else { panic!("{found:?}") };
        for ((name, change), (known, expected_change)) in moves.iter().zip(expected) {
            assert_eq!(name, known);
            assert!((change.applied(1.0) - expected_change.applied(1.0)).abs() < 1e-15);
        }
        assert_eq!(moves.len(), 4);
    }

    #[test]
    fn unknown_commands_are_errors() {
        for (line, message) in [
            ("fly", "found \"fly\", expected JOINT += VALUE"),
            ("undo it", "found \"it\" after undo"),
            ("save", "found save alone"),
            ("go", "found go alone, expected the name of a configuration"),
            ("a = b", "found \"b\", expected a finite number"),
            ("a = inf", "found \"inf\", expected a finite number"),
            ("= 1", "found \"= 1\", expected JOINT"),
            ("a = 1, a = 2", "found a twice"),
            ("a = 1, b", "found \"b\", expected JOINT"),
        ] {
            let found = parse(line).unwrap_err();
            assert!(found.starts_with(message), "{line}: {found}");
        }
    }
}
