//! The statements of a `chasles check` report in addition to its pairs, so that silence is not mistaken for an answer.

use serde_json::{Value, json};

use crate::support::{Folder, Run};

/// A scene of 2 s, checked.
fn check(bodies: &str, more: &[&str]) -> Run {
    let folder = Folder::new();
    folder.write("scene.toml", format!("format = 1\nduration = 2\n{bodies}"));
    folder.run(&[&["check", "scene.toml"], more].concat())
}

/// A box of 1 m at a position.
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
fn overlapping_bodies_at_rest_are_reported() {
    let bodies = cube("floor", "[0, 0, 0]", "")
        + &cube("sunk", "[0.1, 0.2, 0.9]", "group = 'load'")
        + &cube("other", "[0.2, 0.3, 1.7]", "group = 'load'")
        + &cube("cart", "[9, 0, 0]", &slides("[0, 1, 0]"));
    let plain = check(&bodies, &[]);
    let begins = "scene.toml: CLEAR\n4 bodies over 2 s, 3 pairs tested: 3 clear\n\
                  Not tested: 2 static pairs (--static tests them), 1 exempt\n";
    assert!(plain.status == Some(0) && plain.stdout.starts_with(begins), "{plain:?}");
    let line = "\n1 pair of bodies that cannot move overlaps: floor and sunk (--static makes this count).\n";
    assert!(plain.stdout.ends_with(line), "{}", plain.stdout);
    let junit = check(&bodies, &["--junit", "-"]).stdout;
    assert!(junit.contains("<property name=\"static overlap\" value=\"floor and sunk\"/>"), "{junit}");
    let plain = check(&bodies, &["--json"]);
    let report = &plain.json()[0];
    assert_eq!(
        [&report["pairs_tested"], &report["pairs_standing"], &report["pairs_exempt"]],
        [&json!(3), &json!(2), &json!(1)]
    );
    assert_eq!([&report["static_overlaps"], &report["assembled"]], [&json!([["floor", "sunk"]]), &json!([])]);
    let ignored = check(&bodies, &["--standing", "ignore", "--json"]).json().remove(0);
    assert_eq!([&ignored["pairs_tested"], &ignored["pairs_standing"]], [&json!(3), &json!(2)]);
    assert!(ignored.get("static_overlaps").is_none() && ignored.get("assembled").is_none(), "{ignored}");
    assert_eq!(check(&bodies, &["--standing"]).status, Some(2));
    let all = check(&bodies, &["--static", "--json"]);
    let report = &all.json()[0];
    assert_eq!(
        [&report["pairs_tested"], &report["pairs_standing"], &report["pairs_exempt"]],
        [&json!(5), &json!(0), &json!(1)]
    );
    assert_eq!((all.status, verdicts(report)), (Some(1), vec![["floor", "sunk", "overlapping"]]));
    assert_eq!(report["contacts_at_start"], 1);
    // A check at a single time needs no extra option.
    let at = check(&bodies, &["--at", "0", "--json"]);
    assert_eq!(at.status, Some(1));
    assert_eq!(at.json()[0]["pairs"].as_array().unwrap().len(), 1);
}

/// The report never calls the time before a contact free if bodies overlap at the start: neither the table nor the
/// JUnit XML.
#[test]
fn no_free_time_is_stated_while_a_pair_overlaps() {
    let cart = cube("cart", "[9, 0, 0]", &slides("[-9, 0, 0]"));
    let lamp = |place: &str| cube("lamp", place, "parent = 'cart'");
    let floor = cube("floor", "[0, 0, 0]", "");
    let apart = floor.clone() + &cart + &lamp("[0, 0, 3]");
    let joined = floor.clone() + &cart + &lamp("[0.1, 0.2, 0.5]");
    let fixed = floor + &cube("sunk", "[0.1, 0.2, 0.9]", "") + &cart;
    let cases = [
        (&apart, "s nothing touches.", None),
        (
            &joined,
            "s no tested pair touches.",
            Some("1 pair of rigidly joined bodies overlaps in the model "),
        ),
        (
            &fixed,
            "s no tested pair touches.",
            Some("1 pair of bodies that cannot move overlaps: floor and sunk "),
        ),
    ];
    for (bodies, words, line) in cases {
        for more in [&[][..], &["--first"], &["--junit", "-"]] {
            let reported = check(bodies, more).stdout;
            assert!(reported.contains(words), "{words} in {reported}");
            assert!(
                line.is_none_or(|line| more.contains(&"--junit") || reported.contains(line)),
                "{reported}"
            );
        }
    }
    let named = check(&joined, &["--all-pairs"]).stdout;
    assert!(
        named.contains("1 pair of rigidly joined bodies overlaps in the model: cart and lamp.\n"),
        "{named}"
    );
    // Static bodies that overlap are never free.
    let junit = check(&fixed, &["--static", "--junit", "-"]).stdout;
    assert!(junit.contains(">No time is proven free.<"), "{junit}");
}

/// If no body moves, static pairs decide the verdict.
#[test]
fn an_assembly_is_checked_for_interference() {
    let bodies =
        cube("block", "[0, 0, 0]", "") + &cube("pin", "[0.1, 0.2, 0.9]", "") + &cube("far", "[9, 0, 0]", "");
    let found = check(&bodies, &["--json"]);
    let report = &found.json()[0];
    assert_eq!((found.status, verdicts(report)), (Some(1), vec![["block", "pin", "overlapping"]]));
    assert_eq!([&report["pairs_tested"], &report["pairs_standing"]], [&json!(3), &json!(0)]);
    assert_eq!(report["static_overlaps"], json!([]));
    assert_eq!(check(&bodies, &["--standing", "ignore"]).status, Some(0));
}

#[test]
fn rows_are_in_order_of_time_and_contacts_at_the_start_are_counted() {
    // The cart meets the last post first; it touches the floor from the start.
    let bodies = cube("late", "[5, 0.1, 0.1]", "")
        + &cube("soon", "[1.5, 0.1, 0.1]", "")
        + &cube("cart", "[0, 0, 0]", &slides("[4, 0, 0]"))
        + "[[body]]\nname = 'floor'\nbox = [90, 90, 1]\npose = { position = [0, 0, -1] }\n";
    let run = check(&bodies, &["--all-pairs"]);
    let rows: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("  ")).take(4).collect();
    let begins = ["  a", "  cart  floor", "  soon  cart", "  late  cart"];
    assert!(rows.iter().zip(begins).all(|(row, start)| row.starts_with(start)), "{}", run.stdout);
    assert!(run.stdout.contains("\nIn contact from the start: 1 pair\n"), "{}", run.stdout);
    let meetings: Vec<&str> = run.stdout.lines().filter(|line| line.contains(" meets ")).collect();
    assert!(meetings.len() == 2 && meetings[0].starts_with("soon"), "{}", run.stdout);
    // In JSON they are in the order of the bodies.
    let report = check(&bodies, &["--json"]).json().remove(0);
    let expected = [["late", "cart", "contact"], ["soon", "cart", "contact"], ["cart", "floor", "contact"]];
    assert_eq!((verdicts(&report), &report["contacts_at_start"]), (expected.to_vec(), &json!(1)));
}

#[test]
fn names_are_complete_without_a_terminal() {
    let [a, b] = ["robotiq_85_left_finger_tip_link", "robotiq_85_right_finger_tip_link"];
    let bodies = cube(a, "[0, 0, 0]", "") + &cube(b, "[2, 0.1, 0.1]", &slides("[-1, 0, 0]"));
    let run = check(&bodies, &[]);
    assert!(run.stdout.contains(&format!("\n  {a}  {b}  contact  1 s ")), "{}", run.stdout);
    assert!(run.stdout.contains(&format!("\n{a} meets {b} at 1 s\n")), "{}", run.stdout);
}

#[test]
fn a_clear_report_names_the_nearest_pair() {
    let bodies = cube("part", "[0, 0, 0]", "")
        + &cube("tool", "[-3, 2.012, 0]", &slides("[3, 0, 0]"))
        + &cube("lamp", "[0, 7, 0]", "");
    let run = check(&bodies, &[]);
    let line = run.stdout.lines().last().unwrap();
    assert!(
        line.starts_with("Nearest: part and tool, ") && line.contains(" to 1.01201 m apart at "),
        "{line}"
    );
    let report = check(&bodies, &["--json"]).json().remove(0);
    let nearest = &report["nearest"];
    assert_eq!([&nearest["a"], &nearest["b"]], [&json!("part"), &json!("tool")]);
    let [lower, upper] = ["gap_at_least", "gap"].map(|key| nearest[key].as_f64().unwrap());
    assert!(lower > 0.9 && lower <= 1.012 && (1.012..1.0121).contains(&upper), "{nearest}");
    // A report that is not clear names no nearest pair.
    let meets = check(&(bodies + &cube("wall", "[1.5, 2, 0]", "")), &["--json"]).json().remove(0);
    assert!(meets["verdict"] == "contact" && meets.get("nearest").is_none(), "{meets}");
}

#[test]
fn contained_points_and_solids_are_reported_with_the_verdict() {
    let folder = Folder::new();
    folder.write("dust.xyz", "0 0 0\n0.1 0.2 0\n");
    let hall = "[[body]]\nname = 'hall'\ncylinder = { radius = 3, height = 6 }\n";
    let others = [
        "points = 'dust.xyz'\nradius = 0.01\n",
        "implicit = 'x^2 + y^2 + z^2 - 0.01'\nbounds = [[-0.2, -0.2, -0.2], [0.2, 0.2, 0.2]]\n",
        "parametric = { x = 'u', y = 'v', z = 'u * v', u = [-0.3, 0.3], v = [-0.3, 0.3] }\n",
    ];
    for other in others {
        let inner = format!("[[body]]\nname = 'cart'\n{other}{}", slides("[1, 0, 0]"));
        let reported =
            [("", ": CLEAR, but a body is inside a hollow one"), ("solid = true\n", ": OVERLAPPING")];
        for (filled, reported) in reported {
            folder.write("scene.toml", format!("format = 1\nduration = 1\n{hall}{filled}{inner}"));
            let run = folder.run(&["check", "scene.toml"]);
            let lines: Vec<&str> = run.stdout.lines().collect();
            assert!(lines[0].ends_with(reported), "{other}: {}", run.stdout);
            let inside = "Inside hall, which is hollow (solid = true fills it): cart from 0 s.";
            assert_eq!(lines.contains(&inside), filled.is_empty(), "{other}: {}", run.stdout);
        }
    }
}

#[test]
fn bodies_inside_a_hollow_body_are_reported() {
    // A cart in a hall from the start; a ball that enters through its wall; an open plate above the cart encloses no
    // body.
    let hall = "[[body]]\nname = 'hall'\nbox = [20, 20, 20]\n";
    let moving = cube("cart", "[0, 0, 0]", &slides("[1, 0, 0]"))
        + "[[body]]\nname = 'ball'\nsphere = 0.5\npose = { position = [-12, 3, 3] }\n"
        + &slides("[4, 0, 0]");
    let run = check(&(hall.to_owned() + &moving), &[]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let expected = "Inside hall, which is hollow (solid = true fills it): cart from 0 s, ball from 0.625";
    assert!(lines[2].starts_with(expected) && lines[0].ends_with(": CONTACT"), "{}", run.stdout);
    let report = check(&(hall.to_owned() + &moving), &["--json"]).json().remove(0);
    let inside = report["inside"].as_array().unwrap();
    assert_eq!(inside[0], json!({"body": "cart", "inside": "hall", "from": 0.0}));
    assert_eq!((&inside[1]["body"], inside.len()), (&json!("ball"), 2));
    assert!((inside[1]["from"].as_f64().unwrap() - 0.625).abs() < 1e-6, "{report}");
    // In a solid hall it is contact; and a body beside or around another is not inside it.
    let solid = hall.to_owned() + "solid = true\n" + &moving;
    let report = check(&solid, &["--json"]).json().remove(0);
    assert!(report.get("inside").is_none() && report["verdict"] == "overlapping", "{report}");
    let beside = hall.to_owned() + &cube("cart", "[15, 0, 0]", &slides("[1, 0, 0]"));
    assert!(check(&beside, &["--json"]).json()[0].get("inside").is_none());
    // The cart jumps inside.
    let jumps = "[[body]]\nname = 'cart'\nbox = [1, 1, 1]\n[body.motion]\nkind = 'keyframes'\ntimes = [0, 1, 1.5]\n\
                 positions = [[15, 0, 0], [0, 0, 0], [15, 0, 0]]\nrotations = [[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]\n\
                 interpolation = 'step'\n";
    let report = check(&(hall.to_owned() + jumps), &["--json"]).json().remove(0);
    assert_eq!(report["inside"], json!([{"body": "cart", "inside": "hall", "from": 1.0}]));
}

#[test]
fn an_open_surface_contains_nothing() {
    let folder = Folder::new();
    // A box without its lid, and a cart in the box.
    let faces = "f 1 3 4\nf 1 4 2\nf 1 2 6\nf 1 6 5\nf 2 4 8\nf 2 8 6\nf 4 3 7\nf 4 7 8\nf 3 1 5\nf 3 5 7\n";
    let corners: String = (0..8)
        .map(|i| format!("v {} {} {}\n", 20 * (i & 1) - 10, 10 * (i & 2) - 10, 5 * (i & 4) - 10))
        .collect();
    folder.write("open.obj", corners.clone() + faces);
    folder.write("closed.obj", corners + faces + "f 5 6 8\nf 5 8 7\n");
    for (mesh, holds) in [("open.obj", false), ("closed.obj", true)] {
        let bodies = format!("[[body]]\nname = 'tub'\nmesh = '{mesh}'\n")
            + &cube("cart", "[0, 0, -8]", &slides("[1, 0, 0]"));
        folder.write("scene.toml", format!("format = 1\nduration = 2\n{bodies}"));
        let report = folder.run(&["check", "scene.toml", "--json"]).json().remove(0);
        assert_eq!((&report["verdict"], report.get("inside").is_some()), (&json!("clear"), holds), "{mesh}");
    }
}
