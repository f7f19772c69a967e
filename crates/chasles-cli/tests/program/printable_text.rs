//! Text from files cannot control a terminal, break a line of a report, or be executed by a spreadsheet: tested for
//! every command, every output format, and messages.

use std::io::Write as _;
use std::process::Stdio;

use crate::support::{Folder, Run};

/// Characters that control a terminal, end a line, change the direction of text or are invisible; in the notation of
/// TOML and JSON.
const NASTY: &str = "\\u001b[31mred\\u001b]0;x\\u0007\\r\\n\\u009b2J\\u202edlrow\\u2066\\u200b\\u2028\\u2029\\u0085\\u007f\\ufeff";

/// The same as far as XML can represent it.
const NASTY_XML: &str = "&#10;&#13;&#x9b;2J&#x202e;dlrow&#x2066;&#x200b;&#x2028;&#x2029;&#x85;&#x7f;&#xfeff;";

/// The whole output consists of lines of printable characters.
#[track_caller]
fn assert_printable(run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        let bad =
            text.chars().find(|c| !matches!(c, '\n' | '"' | '\'' | '\\') && c.escape_debug().count() > 1);
        assert_eq!(bad, None, "{text:?}");
    }
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
}

fn with_input(folder: &Folder, args: &[&str], input: &str) -> Run {
    let mut program = folder.program(args);
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

#[test]
fn names_of_bodies_are_printable_in_every_report() {
    let folder = Folder::new();
    let scene = format!(
        "format = 1\nduration = 1.0\n[[body]]\nname = \"{NASTY}\"\nbox = [1, 1, 1]\n[body.motion]\nkind = \"twist\"\n\
         linear = [4, 0, 0]\nangular = [0, 0, 0]\n[[body]]\nname = \"=cmd|' /C calc'!A0\"\nbox = [1, 1, 1]\n\
         pose = {{ position = [3, 0.1, 0.2] }}\n"
    );
    folder.write("names.toml", scene);
    for form in
        [&[][..], &["--json"], &["--csv", "-"], &["--junit", "-"], &["--all-pairs"], &["--at", "0.75"]]
    {
        let run = folder.run(&[&["check", "names.toml"], form].concat());
        assert_eq!(run.status, Some(1), "{run:?}");
        assert_printable(&run);
        assert!(run.stdout.contains("red"), "{run:?}");
    }
    let rows = folder.run(&["check", "names.toml", "--csv", "-"]).stdout;
    let row = rows.lines().nth(1).unwrap();
    assert!(row.contains(",'=cmd|' /C calc'!A0,contact,"), "{row}");
    // In JSON they are unchanged.
    let found = &folder.run(&["check", "names.toml", "--json"]).json()[0]["pairs"][0];
    assert_eq!(found["a"], serde_json::from_str::<String>(&format!("\"{NASTY}\"")).unwrap());
}

#[test]
fn names_of_files_are_printable_in_errors() {
    let folder = Folder::new();
    folder.write(
        "mesh.toml",
        format!("format = 1\nduration = 1.0\n[[body]]\nname = \"a\"\nmesh = \"{NASTY}.obj\"\n"),
    );
    folder.write("inline.wrl", "#VRML V2.0 utf8\nInline { url \"\u{1b}[31mEVIL\n\u{1b}[2K.wrl\" }\n");
    folder.write("esc.x3d", "<X3D><Scene></Group\u{1b}></X3D>");
    folder.write("line.x3d", "<X3D><Scene></Group\n\n\u{9b}></X3D>");
    folder.write("syntax.toml", "format = 1\nduration = \u{202e}1\n");
    folder.write("words.obj", "v 0 0 0\nv \u{9b} 0 0\n");
    folder.write("\u{1b}[31m\n.toml", "format = 2\n");
    for file in ["mesh.toml", "inline.wrl", "esc.x3d", "line.x3d", "syntax.toml", "\u{1b}[31m\n.toml"] {
        let run = folder.run(&["check", file]);
        assert_eq!((run.status, run.stderr.lines().count()), (Some(2), 1), "{run:?}");
        assert_printable(&run);
    }
    let run = folder.run(&["info", "words.obj"]);
    assert_eq!(run.status, Some(2));
    assert_printable(&run);
    let line = format!("{{\"name\":\"{NASTY}\",\"a\":{{\"mesh\":\"{NASTY}\"}},\"b\":{{\"mesh\":\"b\"}},");
    folder.write("all.jsonl", line + "\"pose0\":[0,0,0,1,0,0,0],\"pose1\":[0,0,0,1,0,0,0]}\n");
    let run = folder.run(&["batch", "all.jsonl"]);
    assert_eq!((run.status, run.stdout.lines().count()), (Some(2), 1), "{run:?}");
    assert_printable(&run);
    let bodies = format!("\"bodies\":[{{\"name\":\"{NASTY}\",\"keyframed\":true}}]");
    let line =
        format!("{{\"name\":\"{NASTY}\",{bodies}}}\n{{\"name\":\"{NASTY}\",{bodies},\"{NASTY}\":0}}\n");
    folder.write("all.jsonl", line);
    let run = folder.run(&["impulse", "all.jsonl"]);
    assert_eq!((run.status, run.stdout.lines().count()), (Some(2), 2), "{run:?}");
    assert!(run.stdout.contains("\"solved\""), "{run:?}");
    assert_printable(&run);
}

#[test]
fn names_of_joints_are_printable() {
    let folder = Folder::new();
    let robot = format!(
        "<robot name='r'><link name='base{NASTY_XML}'><collision><geometry><box size='1 1 1'/></geometry></collision></link>\
         <link name='arm'><collision><geometry><box size='1 1 1'/></geometry></collision></link>\
         <joint name='{NASTY_XML}' type='prismatic'><parent link='base{NASTY_XML}'/><child link='arm'/>\
         <limit lower='-9' upper='9'/></joint></robot>"
    );
    folder.write("r.urdf", robot);
    folder.write("wall.toml", "format = 1\nduration = 1\n[[body]]\nname = 'wall'\nbox = [1, 1, 1]\npose = { position = [4, 0, 0] }\n");
    folder.write("path.csv", "time,\"\u{9b}\u{202e}\"\n0,0\n1,4\n");
    for args in [
        &["info", "r.urdf"][..],
        &["info", "r.urdf", "--json"],
        &["pairs", "r.urdf"],
        &["pairs", "r.urdf", "--json"],
    ] {
        let run = folder.run(args);
        assert_eq!(run.status, Some(0), "{run:?}");
        assert_printable(&run);
    }
    let run = folder.run(&["check", "r.urdf", "--path", "path.csv"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert_printable(&run);
    for form in [&[][..], &["--json"]] {
        let args = [&["jog", "r.urdf", "--world", "wall.toml"], form].concat();
        let run = with_input(&folder, &args, "where\n\u{9b}2J = 1\nsave \u{9b}.csv\nreplay \u{9b}.csv\n");
        assert!(run.stdout.contains("2J"), "{run:?}");
        assert_printable(&run);
    }
}
