//! `chasles check --first`.

use serde_json::json;

use crate::support::{Folder, Run};

/// Two carts that reach a wall after 1 s and 2 s, and stay in it for a second.
fn scene(more: &str) -> String {
    let cart = |name: &str, distance: f64| {
        format!(
            "[[body]]\nname = '{name}'\nbox = [1, 1, 1]\npose = {{ position = [{:?}, {:?}, 0] }}\n\
             [body.motion]\nkind = 'twist'\nlinear = [1, 0, 0]\nangular = [0, 0, 0]\n",
            -1.0 - distance,
            3.0 * distance
        )
    };
    let wall = "[[body]]\nname = 'wall'\nbox = [1, 20, 1]\n";
    format!("format = 1\nduration = 60\n{more}{}{}{wall}", cart("slow", 2.0), cart("quick", 1.0))
}

fn run(more: &str, args: &[&str]) -> Run {
    let folder = Folder::new();
    folder.write("scene.toml", scene(more));
    folder.run(&[&["check", "scene.toml"], args].concat())
}

#[test]
fn only_the_first_contact_is_reported() {
    let all = run("", &["--json"]).json().remove(0);
    assert_eq!(all["pairs"].as_array().unwrap().len(), 2);
    assert!(all.get("followed_until").is_none());

    let reported = run("", &["--json", "--first"]);
    assert_eq!((reported.status, reported.stderr.as_str()), (Some(1), ""));
    let report = &reported.json()[0];
    let [pair] = &report["pairs"].as_array().unwrap()[..] else { panic!("{report}") };
    assert_eq!(
        (&pair["a"], &pair["b"], &pair["verdict"]),
        (&json!("quick"), &json!("wall"), &json!("contact"))
    );
    let interval = &pair["intervals"][0];
    let until = report["followed_until"].as_f64().unwrap();
    assert!((until - 1.0).abs() < 1e-6 && interval["enter"][1] == until);
    assert_eq!((&interval["exit"], &report["pairs_tested"]), (&json!([until, 60.0]), &json!(3)));

    let table = run("", &["--first"]).stdout;
    assert!(table.contains("up to the first contact: 1 contact, 2 clear"), "{table}");
    assert!(table.contains("not followed") && !table.contains("slow"), "{table}");
    assert!(table.contains("The time after 1 s was not examined."), "{table}");
}

/// Clearances have no effect, which is reported; and a clear scene is as usual.
#[test]
fn clearances_are_ignored() {
    let near = "clearance = 0.5\n[[ignore]]\npair = ['wall', '*']\n";
    let reported = run(near, &["--first"]);
    assert!(
        reported.status == Some(0) && reported.stdout.contains("Clearances play no part"),
        "{}",
        reported.stdout
    );
    let report = run("clearance = 30\n", &["--first", "--json"]).json().remove(0);
    assert_eq!((&report["verdict"], report.get("clearance")), (&json!("contact"), None));
    for refused in ["--all-pairs", "--events", "--clearance=0.1", "--at=1"] {
        let Run { status, stderr, .. } = run("", &["--first", "--json", refused]);
        assert!(status == Some(2) && stderr.contains("--first"), "{stderr}");
    }
}
