//! `chasles check` of bodies that deform: reports of a pair with itself, events, and intersections at one time.

use serde_json::{Value, json};

use crate::support::Folder;

/// A cloth of two pieces. The lower piece, face 0, is at z = 0; the tip of the upper piece, vertex 3, passes down
/// through it at 0.5 s, its other two vertices at 1.5 s.
fn folder() -> Folder {
    let folder = Folder::new();
    for (name, down) in [("high.obj", 0.0), ("low.obj", 4.0)] {
        let [tip, rest] = [1.0 - down, 3.0 - down];
        let lower = "v -5 -5 0\nv 5 -5 0\nv 0 5 0\n";
        let upper = format!("v 0 0 {tip}\nv 0.125 0 {rest}\nv 0 0.125 {rest}\n");
        folder.write(name, format!("{lower}{upper}f 1 2 3\nf 4 5 6\n"));
    }
    let scene = "format = 1\nduration = 2\n[[body]]\nname = 'cloth'\nself = true\n[body.motion]\n\
                 kind = 'deforming'\ntimes = [0, 2]\nmeshes = ['high.obj', 'low.obj']\n\
                 [[body]]\nname = 'floor'\nbox = [1, 1, 1]\npose = { position = [0, 0, -9] }\n";
    folder.write("fold.toml", scene);
    folder
}

fn holds(span: &Value, time: f64) -> bool {
    let [lo, hi] = [0, 1].map(|end| span[end].as_f64().unwrap());
    lo <= time && time <= hi && hi - lo <= 1e-9
}

#[test]
fn self_contact_of_a_cloth_is_a_pair_with_all_events() {
    let run = folder().run(&["check", "fold.toml", "--json", "--events"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let reported = ["verdict", "bodies", "pairs_tested"].map(|key| report[key].clone());
    assert_eq!(reported, [json!("contact"), json!(2), json!(2)]);
    let pairs = report["pairs"].as_array().unwrap();
    assert_eq!((pairs.len(), &pairs[0]["a"], &pairs[0]["b"]), (1, &json!("cloth"), &json!("cloth")));
    assert_eq!(pairs[0]["deviation"], json!(0.0));
    let intervals = pairs[0]["intervals"].as_array().unwrap();
    assert_eq!(intervals.len(), 1);
    assert!(holds(&intervals[0]["enter"], 0.5) && holds(&intervals[0]["exit"], 1.5), "{intervals:?}");
    let contact = &intervals[0]["contact"];
    assert_eq!(
        (&contact["kind"], &contact["a"], &contact["b"]),
        (&json!("vertex-face"), &json!([3]), &json!([0]))
    );
    assert!(
        contact.get("screw").is_none() && (contact["approach_speed"].as_f64().unwrap() - 2.0).abs() < 1e-9
    );
    let events = pairs[0]["events"].as_array().unwrap();
    let vertices: Vec<_> = events.iter().map(|event| (event["kind"].clone(), event["a"].clone())).collect();
    let through = |vertex: u32| (json!("vertex-face"), json!([vertex]));
    assert_eq!(vertices, [through(3), through(4), through(5)]);
    for (event, time) in events.iter().zip([0.5, 1.5, 1.5]) {
        assert!(holds(&event["time"], time) && event["b"] == json!([0]), "{event}");
        assert!(event["point"][2].as_f64().unwrap().abs() <= 1e-9, "{event}");
        assert!((event["normal"][2].as_f64().unwrap().abs() - 1.0).abs() <= 1e-9, "{event}");
    }
    // Events are reported only if requested.
    let plain = folder().run(&["check", "fold.toml", "--json"]).stdout;
    assert!(plain.contains("\"intervals\"") && !plain.contains("\"events\""), "{plain}");
    assert!(folder().run(&["check", "fold.toml", "--events"]).stderr.contains("--json"));
}

/// The cloth of [`folder`] moves from z = 1 down to -3 in two seconds, towards a static plate at z = -4.
#[test]
fn gaps_and_clearances_of_deforming_bodies_are_reported() {
    let folder = folder();
    folder.write("plate.obj", "v -5 -5 -4\nv 5 -5 -4\nv 0 5 -4\nf 1 2 3\n");
    let body = "[[body]]\nname = 'cloth'\n[body.motion]\nkind = 'deforming'\ntimes = [0, 2]\n\
                meshes = ['high.obj', 'low.obj']\n[[body]]\nname = 'plate'\nmesh = 'plate.obj'\n";
    folder.write("near.toml", format!("format = 1\nduration = 2\nclearance = 2\n{body}"));
    let run = folder.run(&["check", "near.toml", "--json", "--all-pairs", "--events"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let pair = &report["pairs"][0];
    assert_eq!((&pair["verdict"], &pair["events"]), (&json!("near"), &json!([])));
    let [lower, gap] = ["gap_at_least", "gap"].map(|key| pair[key].as_f64().unwrap());
    assert!(lower <= 1.0 && 1.0 <= gap && gap - lower <= 0.01, "{pair}");
    // The tip is 2 m above the plate at 1.5 s.
    assert!(holds(&pair["intervals"][0]["enter"], 1.5) && pair["intervals"][0]["exit"].is_null(), "{pair}");
    let path = folder.run(&["check", "near.toml", "--json", "--events", "--path", "none.csv"]);
    assert!(path.status == Some(2) && path.stderr.contains("--events"), "{}", path.stderr);
}

#[test]
fn round_bodies_near_deforming_ones_are_exact() {
    let folder = folder();
    // The tip is at 1 - 2 t, and the top of the ball at -0.5.
    let scene = "format = 1\nduration = 2\n[[body]]\nname = 'cloth'\n[body.motion]\n\
                 kind = 'deforming'\ntimes = [0, 2]\nmeshes = ['high.obj', 'low.obj']\n\
                 [[body]]\nname = 'ball'\nsphere = 0.25\npose = { position = [0, 0, -0.75] }\n";
    folder.write("ball.toml", scene);
    let run = folder.run(&["check", "ball.toml", "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let pair = &report["pairs"][0];
    assert!(holds(&pair["intervals"][0]["enter"], 0.75), "{pair}");
    let contact = &pair["intervals"][0]["contact"];
    assert!((contact["point"][2].as_f64().unwrap() + 0.5).abs() < 1e-8, "{contact}");
    assert!((contact["normal"][2].as_f64().unwrap() + 1.0).abs() < 1e-6, "{contact}");
    assert!((contact["approach_speed"].as_f64().unwrap() - 2.0).abs() < 1e-4, "{contact}");
    let reported = folder.run(&["check", "ball.toml"]).stdout;
    assert!(reported.contains("face 1 of cloth, the round surface of ball"), "{reported}");
    let listed = |time: &str| folder.run(&["check", "ball.toml", "--at", time]).status;
    assert_eq!([listed("0.7"), listed("0.8")], [Some(0), Some(1)]);
    // A body without a triangle surface that is not round is refused by name.
    folder.write("dots.xyz", "0 0 0\n0 0 0.1\n");
    folder.write("cloud.toml", scene.replace("sphere = 0.25", "points = 'dots.xyz'\nradius = 0.1"));
    let run = folder.run(&["check", "cloud.toml"]);
    assert!(
        run.status == Some(2) && run.stderr.contains("\"ball\"") && run.stderr.contains("not built"),
        "{}",
        run.stderr
    );
}
