//! Display: `chasles check --html`, `chasles check --view`, `chasles screen --html` and `chasles render`.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use chasles_viewer::page;
use serde_json::Value;

use crate::support::{Folder, page_data};

/// A cube that descends on a floor, a second after the start. Its name would end a script.
const SCENE: &str = "format = 1\nduration = 2.0\n\
    [[body]]\nname = '</script><b>cube'\nbox = [1, 1, 1]\npose = { position = [0, 0, 1.5] }\n\
    [body.motion]\nkind = 'twist'\nlinear = [0, 0, -1]\nangular = [0, 0, 0]\n\
    [[body]]\nname = 'floor'\nbox = [4, 4, 1]\npose = { position = [0, 0, -0.5] }\n";

const SLIDE: &str = r#"<robot name="slide">
  <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="cart"><collision><origin xyz="3 0 0"/><geometry><box size="1 1 1"/></geometry></collision></link>
  <joint name="x" type="prismatic"><parent link="base"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-3" upper="5" effort="1" velocity="2"/></joint>
</robot>"#;

const WALL: &str = "format = 1\nduration = 1.0\n[[body]]\nname = 'wall'\nbox = [1, 1, 1]\n\
                    pose = { position = [6, 0, 0] }\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("scene.toml", SCENE);
    folder.write("slide.urdf", SLIDE);
    folder.write("wall.toml", WALL);
    folder.write("hit.csv", "time,x\n5,0\n7,4\n");
    folder.write("free.csv", "time,x\n5,0\n7,1\n");
    folder
}

/// Width and height of a PNG file.
fn size(file: &[u8]) -> [u32; 2] {
    assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
    [16, 20].map(|at| u32::from_be_bytes(file[at..at + 4].try_into().unwrap()))
}

#[test]
fn a_page_in_one_file_or_what_to_install() {
    let folder = folder();
    let plain = folder.run(&["check", "scene.toml"]);
    let robot = ["check", "slide.urdf", "--path", "hit.csv", "--world", "wall.toml", "--html", "robot.html"];
    let run = folder.run(&["check", "scene.toml", "--html", "page.html"]);
    let Ok(built) = page::html() else {
        run.refused(&page::NoPage.to_string());
        folder.run(&robot).refused(&page::NoPage.to_string());
        assert!(!folder.path("page.html").exists());
        return;
    };
    assert_eq!(run, plain);
    let file = folder.read("page.html");
    // The page, a policy and the data; no text of a scene closes an element.
    let count = |text: &str, word: &str| text.matches(word).count();
    assert_eq!(count(&file, "</script>"), count(built, "</script>") + 1);
    assert!(file.contains("connect-src 'none'") && !file.contains("<b>cube"));
    let data = page_data(&file);
    assert_eq!(data["bodies"][0]["name"], "</script><b>cube");
    let report: Value = serde_json::from_str(&folder.run(&["check", "scene.toml", "--json"]).stdout).unwrap();
    assert_eq!(data["report"], report);
    assert_eq!(data["gaps"].as_array().unwrap().len(), 1);

    assert_eq!(folder.run(&robot).status, Some(1));
    let file = folder.read("robot.html");
    assert!(file.contains("\"kind\":\"robot\"") && file.contains("\"begin\":5.0,\"end\":7.0"));
    let printed = folder.run(&["check", "scene.toml", "--html", "-"]);
    assert_eq!((printed.status, printed.stdout), (Some(1), folder.read("page.html")));
    let several = ["check", "slide.urdf", "--path", "hit.csv", "--path", "free.csv", "--html", "p.html"];
    folder.run(&several).refused("--html: found 2 paths, expected one: one can be shown");
}

#[test]
fn a_page_of_a_screen() {
    let folder = folder();
    let arguments = ["screen", "scene.toml", "--pair", "</script><b>cube", "floor", "--play"];
    let plain = folder.run(&arguments);
    let run = folder.run(&[&arguments[..], &["--html", "screen.html"]].concat());
    let Ok(built) = page::html() else {
        run.refused(&page::NoPage.to_string());
        assert!(!folder.path("screen.html").exists());
        return;
    };
    assert_eq!((run.status, &run), (Some(1), &plain));
    let file = folder.read("screen.html");
    let count = |text: &str, word: &str| text.matches(word).count();
    assert_eq!(count(&file, "</script>"), count(built, "</script>") + 1);
    assert!(file.contains("connect-src 'none'") && !file.contains("<b>cube"));
    let begin = file.find("id=\"chasles-screen\" type=\"application/json\">").unwrap() + 44;
    let data = &file[begin..begin + file[begin..].find("</script>").unwrap()];
    let data: Value = serde_json::from_str(data).unwrap();
    let report: Value =
        serde_json::from_str(&folder.run(&[&arguments[..], &["--json"]].concat()).stdout).unwrap();
    assert_eq!((&data["names"], &data["duration"]), (&report["pair"], &report["duration"]));
    for key in ["direction", "point", "zero", "slide", "angle"] {
        assert_eq!(data["screw"][key], report["screw"][key], "{key}");
    }
    let [shown, listed] = [&data, &report].map(|from| from["collisions"].as_array().unwrap());
    assert!(!listed.is_empty() && shown.len() == listed.len());
    for (shown, listed) in shown.iter().zip(listed) {
        for key in ["kind", "a", "b", "time", "properness", "proper"] {
            assert_eq!(shown[key], listed[key], "{key}");
        }
    }
    assert_eq!(data["play"]["forward"]["time"], report["play"]["forward"]["time"]);
    // A page on standard output replaces the report; a file is written once.
    let printed = folder.run(&[&arguments[..], &["--html", "-"]].concat());
    assert_eq!((printed.status, printed.stdout), (Some(1), file));
    let twice = [&arguments[..], &["--html", "x", "--map", "x"]].concat();
    folder.run(&twice).refused("x: found it as --map and as --html, expected two files");
    assert!(!folder.path("x").exists());
}

#[test]
fn one_time_alone_has_no_page() {
    let folder = folder();
    for option in [&["--html", "p.html"][..], &["--view"]] {
        let run = folder.run(&[&["check", "scene.toml", "--at", "1"], option].concat());
        assert_eq!(run.status, Some(2));
        assert!(run.stderr.contains("'--at <SECONDS>' cannot be used with '--"), "{}", run.stderr);
    }
}

#[test]
fn a_page_is_served_after_a_check() {
    let folder = folder();
    let mut program = folder.program(&["check", "scene.toml", "--json", "--view", "--no-open"]);
    let mut child =
        program.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut reported = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut reported).unwrap();
    if page::html().is_err() {
        assert_eq!(child.wait().unwrap().code(), Some(2));
        assert_eq!(reported, format!("chasles: {}\n", page::NoPage));
        return;
    }
    let mut report = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut report).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(reported.starts_with("chasles: the page is at http://127.0.0.1:"), "{reported}");
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["verdict"], "contact");
}

#[test]
fn pictures_of_scenes_and_robots() {
    let folder = folder();
    let fine = |args: &[&str]| {
        let run = folder.run(&[&["render"], args].concat());
        assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""), "{args:?}");
    };
    fine(&["scene.toml", "--at", "1.5", "-o", "scene.png"]);
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(size(&read("scene.png")), [1280, 720]);
    // A report gives the same picture as checking again; --highlight paints more.
    let report = folder.run(&["check", "scene.toml", "--json"]).stdout;
    folder.write("report.json", report);
    let small = ["scene.toml", "--at", "1.5", "--size", "200x100", "--from", "front"];
    fine(&[&small[..], &["-o", "checked.png"]].concat());
    fine(&[&small[..], &["-o", "told.png", "--report", "report.json"]].concat());
    fine(&[&small[..], &["-o", "all.png", "--highlight"]].concat());
    fine(&["scene.toml", "--at", "1.5", "--size", "200x100", "--from", "1,0,0.5", "-o", "side.png"]);
    assert_eq!(size(&read("told.png")), [200, 100]);
    assert_eq!(read("checked.png"), read("told.png"));
    assert!(read("checked.png") != read("all.png") && read("checked.png") != read("side.png"));
    // A robot at rest, and on its path; it reaches the wall at 6.25 s.
    let robot = ["slide.urdf", "--world", "wall.toml", "--size", "100x100"];
    fine(&[&robot[..], &["-o", "rest.png"]].concat());
    fine(&[&robot[..], &["--path", "hit.csv", "-o", "start.png"]].concat());
    fine(&[&robot[..], &["--path", "hit.csv", "--at", "6.5", "-o", "hit.png"]].concat());
    assert_eq!(size(&read("rest.png")), [100, 100]);
    // Links that move on the path are darker than links at rest.
    assert!(read("rest.png") != read("start.png") && read("start.png") != read("hit.png"));
}

#[test]
fn excessive_speeds_are_reported_as_by_check() {
    let folder = folder();
    folder.write("fast.csv", "time,x\n5,0\n6,4\n");
    let path = ["slide.urdf", "--path", "fast.csv"];
    let reported = folder.run(&[&["check"], &path[..]].concat()).stderr;
    assert!(reported.starts_with("chasles: warning: fast.csv: ") && reported.contains("4 m/s"), "{reported}");
    for output in ["fast.png", "fast.glb"] {
        let run = folder.run(&[&["render"], &path[..], &["-o", output]].concat());
        assert_eq!((run.status, &run.stderr), (Some(0), &reported), "{output}");
    }
}

#[test]
fn deforming_bodies_are_drawn_at_the_time() {
    let folder = folder();
    for (name, height) in [("low.obj", 0), ("high.obj", 3)] {
        folder.write(name, format!("v 0 0 {height}\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
    }
    let scene = |meshes: &str| {
        format!(
            "format = 1\nduration = 2\n[[body]]\nname = 'cloth'\n[body.motion]\nkind = 'deforming'\n\
             times = [0, 2]\nmeshes = [{meshes}]\n"
        )
    };
    folder.write("rise.toml", scene("'low.obj', 'high.obj'"));
    folder.write("rest.toml", scene("'low.obj', 'low.obj'"));
    folder.write("told.json", r#"{"format":1,"duration":2,"pairs":[]}"#);
    let pictures = [
        ("rise.toml", "0", "rise-0.png"),
        ("rise.toml", "2", "rise-2.png"),
        ("rest.toml", "0", "rest-0.png"),
        ("rest.toml", "2", "rest-2.png"),
    ];
    for (scene, at, picture) in pictures {
        let args =
            ["--report", "told.json", "--from", "front", "--size", "100x100", "--at", at, "-o", picture];
        let run = folder.run(&[&["render", scene], &args[..]].concat());
        assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    }
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_ne!(read("rise-0.png"), read("rise-2.png"));
    assert_eq!(read("rest-0.png"), read("rest-2.png"));
}

#[test]
fn pictures_that_cannot_be_are_refused_and_nothing_is_written() {
    let folder = folder();
    let run = |args: &[&str]| folder.run(&[&["render", "scene.toml", "-o", "p.png"], args].concat());
    run(&["--at", "9"]).refused("render: time: found 9, expected a time within 0 to 2 s");
    run(&["--path", "hit.csv"])
        .refused("scene.toml: found --path, which is for robots (.urdf) and worlds (.wrl) only");
    folder.write("other.json", r#"{"format":1,"duration":2,"pairs":[{"a":"moon","b":"floor"}]}"#);
    run(&["--report", "other.json"])
        .refused("other.json: pairs[0].a: found \"moon\", expected a displayed body");
    folder.write("none.json", "{");
    let none = run(&["--report", "none.json"]);
    assert!(none.stderr.starts_with("chasles: none.json:1: "), "{}", none.stderr);
    for bad in [["--size", "0x1"], ["--from", "0,0,0"]] {
        let run = run(&bad);
        assert!(
            run.status == Some(2) && run.stderr.contains(", expected ") || run.stderr.contains(": expected "),
            "{}",
            run.stderr
        );
    }
    assert_eq!(
        folder.names(),
        ["free.csv", "hit.csv", "none.json", "other.json", "scene.toml", "slide.urdf", "wall.toml"]
    );
}
