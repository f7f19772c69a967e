//! Worlds in VRML97 and X3D: their contents and their collisions.

use crate::support::Folder;
use serde_json::json;

/// A ball sinks through a slab within four seconds: by formula they are in contact from 1.25 s to 2.75 s.
const WORLD: &str = "#VRML V2.0 utf8
DEF BALL Transform { children Inline { url \"parts/ball.wrl\" } }
DEF SLAB Shape { geometry Box { size 4 0.5 4 } }
DEF CLOCK TimeSensor { cycleInterval 4 }
DEF SINK PositionInterpolator { key [ 0 1 ] keyValue [ 0 2 0, 0 -2 0 ] }
ROUTE CLOCK.fraction_changed TO SINK.set_fraction
ROUTE SINK.value_changed TO BALL.set_translation
";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("sink.wrl", WORLD);
    folder.write("parts/ball.wrl", "#VRML V2.0 utf8\nShape { geometry Sphere { radius 0.5 } }");
    folder
}

#[test]
fn facts_of_a_world() {
    let folder = folder();
    let run = folder.run(&["info", "--json", "sink.wrl"]);
    let report = &run.json()[0];
    assert_eq!((run.status, &report["kind"], &report["triangles"]), (Some(0), &json!("scene"), &json!(268)));
    assert_eq!(
        report["bodies"],
        json!([{"name": "BALL", "triangles": 256}, {"name": "SLAB", "triangles": 12}])
    );
    assert_eq!(report["warnings"], json!([]));
    let xml = "<X3D><Scene><Inline url='sink.wrl'/></Scene></X3D>";
    folder.write("all.x3d", xml);
    let table = folder.run(&["info", "all.x3d"]).stdout;
    assert!(table.contains("BALL: 256 triangles"), "{table}");
}

#[test]
fn a_world_is_checked_as_its_clocks_move_it() {
    let folder = folder();
    let run = folder.run(&["check", "--json", "sink.wrl"]);
    let report = &run.json()[0];
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    assert_eq!((&report["duration"], &report["pairs_tested"]), (&json!(4.0), &json!(1)));
    let pair = &report["pairs"][0];
    assert_eq!(
        (&pair["a"], &pair["b"], &pair["verdict"]),
        (&json!("BALL"), &json!("SLAB"), &json!("contact"))
    );
    let interval = &pair["intervals"][0];
    for (event, time) in [("enter", 1.25), ("exit", 2.75)] {
        let [lo, hi] = [0, 1].map(|end| interval[event][end].as_f64().unwrap());
        assert!(lo <= time && time <= hi && hi - lo < 4e-6, "{event} {lo} {hi}");
    }
    let far = folder.run(&["check", "--clearance", "9", "sink.wrl"]);
    assert_eq!(far.status, Some(1));
}

#[test]
fn bad_worlds_are_told_with_line_and_column() {
    let folder = folder();
    folder.write("parts/ball.wrl", "#VRML V2.0 utf8\nShape { geometry Sphere { radius -1 } }");
    for command in ["check", "info"] {
        let run = folder.run(&[command, "sink.wrl"]);
        let place = "chasles: parts/ball.wrl:2:27: radius: found -1, expected a number greater than 0\n";
        assert_eq!((run.status, run.stderr.as_str()), (Some(2), place));
    }
    let run = folder.run(&["check", "--animation", "x", "sink.wrl"]);
    assert_eq!((run.status, run.stderr.contains("--animation is for glTF files only")), (Some(2), true));
    folder.write("still.wrl", "#VRML V2.0 utf8\nShape { geometry Box { } } Shape { geometry Box { } }");
    let run = folder.run(&["check", "still.wrl"]);
    assert_eq!((run.status, run.stderr.contains("nothing in this world moves by itself")), (Some(1), true));
}
