//! What a report of `chasles check` says beside its pairs, so that nobody takes silence for an answer.

use serde_json::{Value, json};

use crate::support::{Folder, Run};

/// A scene of 2 s, checked.
fn check(bodies: &str, more: &[&str]) -> Run {
    let folder = Folder::new();
    folder.write("scene.toml", format!("format = 1\nduration = 2\n{bodies}"));
    folder.run(&[&["check", "scene.toml"], more].concat())
}

/// A box of 1 m at a place.
fn cube(name: &str, position: &str, more: &str) -> String {
    format!("[[body]]\nname = '{name}'\nbox = [1, 1, 1]\npose = {{ position = {position} }}\n{more}\n")
}

fn slides(velocity: &str) -> String {
    format!("[body.motion]\nkind = 'twist'\nlinear = {velocity}\nangular = [0, 0, 0]")
}

fn verdicts(report: &Value) -> Vec<[&str; 3]> {
    let pairs = report["pairs"].as_array().unwrap();
    pairs.iter().map(|pair| ["a", "b", "verdict"].map(|key| pair[key].as_str().unwrap())).collect()
}

#[test]
fn bodies_that_overlap_and_stand_are_not_passed_over_in_silence() {
    let bodies = cube("floor", "[0, 0, 0]", "")
        + &cube("sunk", "[0.1, 0.2, 0.9]", "group = 'load'")
        + &cube("other", "[0.2, 0.3, 1.7]", "group = 'load'")
        + &cube("cart", "[9, 0, 0]", &slides("[0, 1, 0]"));
    let plain = check(&bodies, &[]);
    let begins = "scene.toml: CLEAR\n4 bodies over 2 s, 3 pairs tested: 3 clear\n\
                  Not tested: 2 pairs without relative motion (--standing tests them), 1 exempt\n";
    assert!(plain.status == Some(0) && plain.stdout.starts_with(begins), "{plain:?}");
    let plain = check(&bodies, &["--json"]);
    let report = &plain.json()[0];
    assert_eq!(
        [&report["pairs_tested"], &report["pairs_standing"], &report["pairs_exempt"]],
        [&json!(3), &json!(2), &json!(1)]
    );
    let all = check(&bodies, &["--standing", "--json"]);
    let report = &all.json()[0];
    assert_eq!(
        [&report["pairs_tested"], &report["pairs_standing"], &report["pairs_exempt"]],
        [&json!(5), &json!(0), &json!(1)]
    );
    assert_eq!((all.status, verdicts(report)), (Some(1), vec![["floor", "sunk", "overlapping"]]));
    assert_eq!(report["contacts_at_start"], 1);
    // One time is looked at without being asked twice.
    let at = check(&bodies, &["--at", "0", "--json"]);
    assert_eq!(at.status, Some(1));
    assert_eq!(at.json()[0]["pairs"].as_array().unwrap().len(), 1);
}

#[test]
fn rows_stand_in_the_order_of_time_and_contacts_at_the_start_are_counted() {
    // The cart meets the last post first; it stands on the floor from the start.
    let bodies = cube("late", "[5, 0.1, 0.1]", "")
        + &cube("soon", "[1.5, 0.1, 0.1]", "")
        + &cube("cart", "[0, 0, 0]", &slides("[4, 0, 0]"))
        + "[[body]]\nname = 'floor'\nbox = [90, 90, 1]\npose = { position = [0, 0, -1] }\n";
    let run = check(&bodies, &["--all-pairs"]);
    let rows: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("  ")).take(4).collect();
    let begins = ["  a", "  cart  floor", "  soon  cart", "  late  cart"];
    assert!(rows.iter().zip(begins).all(|(row, begin)| row.starts_with(begin)), "{}", run.stdout);
    assert!(run.stdout.contains("\nIn contact from the start: 1 pair\n"), "{}", run.stdout);
    let meetings: Vec<&str> = run.stdout.lines().filter(|line| line.contains(" meets ")).collect();
    assert!(meetings.len() == 2 && meetings[0].starts_with("soon"), "{}", run.stdout);
    // A program finds them in the order of the bodies.
    let report = check(&bodies, &["--json"]).json().remove(0);
    let expected = [["late", "cart", "contact"], ["soon", "cart", "contact"], ["cart", "floor", "contact"]];
    assert_eq!((verdicts(&report), &report["contacts_at_start"]), (expected.to_vec(), &json!(1)));
}

#[test]
fn names_are_whole_where_no_terminal_is() {
    let [a, b] = ["robotiq_85_left_finger_tip_link", "robotiq_85_right_finger_tip_link"];
    let bodies = cube(a, "[0, 0, 0]", "") + &cube(b, "[2, 0.1, 0.1]", &slides("[-1, 0, 0]"));
    let run = check(&bodies, &[]);
    assert!(run.stdout.contains(&format!("\n  {a}  {b}  contact  1 s ")), "{}", run.stdout);
    assert!(run.stdout.contains(&format!("\n{a} meets {b} at 1 s\n")), "{}", run.stdout);
}
