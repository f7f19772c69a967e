//! `chasles check --points-only` and `--all-contacts`.

use crate::support::{Folder, Run};

/// A stool of four points and a formula above a mesh of one large triangle.
fn run(args: &[&str]) -> Run {
    let folder = Folder::new();
    folder.write("floor.obj", "v -2 -2 0\nv 2 -2 0\nv 0 4 0\nf 1 2 3\n");
    folder.write("feet.xyz", "0.3 0.3 0\n-0.3 0.3 0\n-0.3 -0.3 0\n0.3 -0.3 0\n0 0 0.1\n");
    let body = |name: &str, shape: &str, from: f64| {
        format!(
            "[[body]]\nname = '{name}'\n{shape}\npose = {{ position = [0, 0, {from:?}] }}\n\
             [body.motion]\nkind = 'twist'\nlinear = [0, 0, -1]\nangular = [0, 0, 0]\n"
        )
    };
    let dome = "implicit = 'x^2 + y^2 + z^2 - 0.04'\nbounds = [[-1, -1, -1], [1, 1, 1]]";
    let text = [
        "format = 1\nduration = 1.0\nepsilon = 1e-6\n[[body]]\nname = 'floor'\nmesh = 'floor.obj'\n",
        &body("stool", "points = 'feet.xyz'\nradius = 0.01", 0.51),
        &body("dome", dome, 0.45),
        "[[ignore]]\npair = ['stool', 'dome']\n",
    ];
    folder.write("scene.toml", text.concat());
    folder.run(&[&["check", "scene.toml"], args].concat())
}

#[track_caller]
fn refused(args: &[&str], word: &str) {
    let Run { status, stderr, .. } = run(args);
    assert!(status == Some(2) && stderr.contains(word), "{stderr}");
}

#[test]
fn points_only_is_stated_in_the_report() {
    let whole = run(&["--json"]).json().remove(0);
    assert!(whole.get("guarantee").is_none());
    assert_eq!(whole["pairs"].as_array().unwrap().len(), 2);

    let reported = run(&["--json", "--points-only"]);
    assert_eq!((reported.status, reported.stderr.as_str()), (Some(1), ""));
    let report = &reported.json()[0];
    assert_eq!(report["guarantee"], "points");
    // The corners of the floor are far from the dome, which has no points without a spacing.
    let [pair] = &report["pairs"].as_array().unwrap()[..] else { panic!("{report}") };
    assert_eq!(
        (&pair["a"], &pair["b"], &pair["guarantee"]),
        (&"floor".into(), &"stool".into(), &"points".into())
    );
    assert!((pair["intervals"][0]["enter"][1].as_f64().unwrap() - 0.5).abs() < 2e-6);

    let spaced = run(&["--json", "--points-only", "--spacing", "0.05"]).json().remove(0);
    let dome = &spaced["pairs"][1];
    assert_eq!((&dome["b"], &dome["verdict"]), (&"dome".into(), &"contact".into()));
    assert_eq!(dome["intervals"][0]["contact"]["kind"], "solid-point");
    let enter = dome["intervals"][0]["enter"][1].as_f64().unwrap();
    assert!((0.2499..0.2520).contains(&enter), "{enter}");

    let table = run(&["--points-only"]).stdout;
    assert!(table.replace('\n', " ").contains("guaranteed for the points only"), "{table}");
    refused(&["--spacing", "0.05"], "--points-only");
    refused(&["--points-only", "--spacing", "0"], "spacing: found 0, expected");
    refused(&["--points-only", "--at", "0.5"], "--points-only");
}

#[test]
fn all_contacts_are_reported_in_the_order_of_the_points() {
    let report = run(&["--json", "--all-contacts"]).json().remove(0);
    let interval = &report["pairs"][0]["intervals"][0];
    let numbers: Vec<_> =
        interval["contacts"].as_array().unwrap().iter().map(|c| c["b"][0].as_u64()).collect();
    assert_eq!(numbers, [Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!(interval["contacts"][0]["kind"], "solid-point");
    let dome = &report["pairs"][1]["intervals"][0]["contacts"];
    assert_eq!(dome.as_array().unwrap().len(), 1, "{dome}");
    assert!(run(&["--json"]).json()[0]["pairs"][0]["intervals"][0].get("contacts").is_none());
    refused(&["--all-contacts"], "--json");
}
