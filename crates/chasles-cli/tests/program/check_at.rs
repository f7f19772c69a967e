//! `chasles check --at`: intersections at one time.

use std::collections::BTreeSet;

use chasles_testing::Random;
use serde_json::{Value, json};

use crate::support::{Folder, Run};

/// A blade (a triangle) moves down through a sheet (two triangles) at z = 0, from 0 s to 2 s; a ball is attached to
/// it, far away.
const SCENE: &str = "format = 1\nduration = 2\n\
    [[body]]\nname = 'sheet'\nmesh = 'sheet.obj'\n\
    [[body]]\nname = 'blade'\nmesh = 'blade.obj'\npose = { position = [0, 0, 1] }\n\
    [body.motion]\nkind = 'twist'\nlinear = [0, 0, -1]\nangular = [0, 0, 0]\n\
    [[body]]\nname = 'ball'\nsphere = 0.1\nparent = 'blade'\npose = { position = [0, 0, 5] }\n";

fn run(args: &[&str]) -> Run {
    let folder = Folder::new();
    folder.write("scene.toml", SCENE);
    folder.write("sheet.obj", "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3\nf 1 3 4\n");
    // Its tip is at the bottom, over the second triangle of the sheet; higher up, it extends over both.
    folder.write("blade.obj", "v -0.5 0.5 0\nv -0.5 0.5 1\nv 0.9 -0.5 1\nf 1 2 3\n");
    folder.run(&[&["check", "scene.toml"], args].concat())
}

#[test]
fn triangles_that_intersect_at_a_time() {
    // The blade's section at height h above its tip extends from (-0.5, 0.5) to (1.4 h - 0.5, 0.5 - h): over the
    // sheet's diagonal from h = 5 / 12.
    let cases: [(&str, Vec<[u32; 2]>); 5] = [
        ("0", vec![]),
        ("0.999", vec![]),
        ("1.25", vec![[1, 0]]),
        ("1.5", vec![[0, 0], [1, 0]]),
        ("2", vec![[0, 0], [1, 0]]),
    ];
    for (time, triangles) in cases {
        let run = run(&["--at", time, "--json"]);
        let at: f64 = time.parse().unwrap();
        let mut report = run.json().remove(0);
        let pairs = report["pairs"].as_array_mut().unwrap();
        for pair in pairs.iter_mut().map(|pair| pair.as_object_mut().unwrap()) {
            // The sheet is separated at the tip of the blade, or above it.
            let depth = pair.remove("depth").unwrap().as_f64().unwrap();
            let translation = pair.remove("translation").unwrap();
            assert!((depth - (at - 1.0).min(2.0 - at)).abs() < 1e-9, "{time}: {depth}");
            assert!((translation[2].as_f64().unwrap().abs() - depth).abs() < 1e-9, "{time}: {translation}");
        }
        let pairs = match &triangles[..] {
            [] => json!([]),
            _ => json!([{"a": "sheet", "b": "blade", "triangles": triangles}]),
        };
        assert_eq!(report, json!({"format": 1, "at": at, "warnings": [], "pairs": pairs}));
        assert_eq!((run.status, run.stderr.as_str()), (Some(i32::from(!triangles.is_empty())), ""));
    }
}

#[test]
fn a_time_outside_of_the_duration_is_bad_use() {
    for time in ["-0.5", "2.001", "nan", "inf"] {
        let found: f64 = time.parse().unwrap();
        run(&["--at", time])
            .refused(&format!("--at: found {found}, expected a time within the duration, 0 to 2 s"));
    }
}

/// Random boxes: they intersect exactly if the axis-aligned boxes overlap.
#[test]
fn boxes_in_a_heap_with_any_number_of_threads() {
    let mut random = Random(11);
    let mut draw = || random.unit();
    let boxes: Vec<[[f64; 3]; 2]> =
        (0..60).map(|_| [[0; 3].map(|_| 6.0 * draw() - 3.0), [0; 3].map(|_| 0.2 + 1.5 * draw())]).collect();
    let mut text = String::from("format = 1\nduration = 2\n");
    for (i, [at, size]) in boxes.iter().enumerate() {
        // All move, each at its own speed, and have these positions at 1 s.
        let [vx, vy] = [0; 2].map(|_| draw());
        let start = [at[0] - vx, at[1] - vy, at[2]];
        text += &format!("[[body]]\nname = 'b{i}'\nbox = {size:?}\npose = {{ position = {start:?} }}\n");
        text +=
            &format!("[body.motion]\nkind = 'twist'\nlinear = [{vx:?}, {vy:?}, 0]\nangular = [0, 0, 0]\n");
    }
    let meet = |[p, s]: &[[f64; 3]; 2], [q, t]: &[[f64; 3]; 2]| {
        let overlap = (0..3).map(|k| 0.5 * (s[k] + t[k]) - (p[k] - q[k]).abs()).fold(f64::INFINITY, f64::min);
        // A box that contains another without contact does not intersect it.
        let inside = |p: &[f64; 3], s: &[f64; 3], q: &[f64; 3], t: &[f64; 3]| {
            (0..3).all(|k| (p[k] - q[k]).abs() < 0.5 * (t[k] - s[k]))
        };
        overlap > 0.0 && !inside(p, s, q, t) && !inside(q, t, p, s)
    };
    let mut expected = BTreeSet::new();
    for (i, x) in boxes.iter().enumerate() {
        for (j, y) in boxes.iter().enumerate().skip(i + 1) {
            if meet(x, y) {
                expected.insert((format!("b{i}"), format!("b{j}")));
            }
        }
    }
    assert!(expected.len() > 20);
    let folder = Folder::new();
    folder.write("scene.toml", text);
    let runs =
        ["1", "2", "7"].map(|n| folder.run(&["check", "scene.toml", "--at", "1", "--json", "--threads", n]));
    let pairs = runs[0].json()[0]["pairs"].as_array().unwrap().clone();
    let name = |value: &Value| value.as_str().unwrap().to_owned();
    let found: BTreeSet<_> = pairs.iter().map(|pair| (name(&pair["a"]), name(&pair["b"]))).collect();
    assert_eq!(found, expected);
    assert!(runs[1] == runs[0] && runs[2] == runs[0] && runs[0].status == Some(1));
    // The table states that it is incomplete.
    let table = folder.run(&["check", "scene.toml", "--at", "1"]).stdout;
    assert!(table.ends_with("\n--json lists all triangles\n"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
}
