//! `chasles render --frames` and `--fps`: films; and motions as files for other programs.

use chasles_formats::gltf::{self, GltfOptions};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

use crate::support::Folder;

/// A ball that falls on a rotating table.
const SCENE: &str = "format = 1\nduration = 0.5\n\
    [simulation]\ngravity = [0, 0, -9.81]\nstep = 0.01\nrecord = 0.1\n\
    [[body]]\nname = 'table'\nbox = [2, 2, 1]\npose = { position = [0, 0, -0.5] }\n\
    [body.motion]\nkind = 'screw'\naxis = [0, 0, 1]\npoint = [0, 0, 0]\nslide = 0\nangle = 3\n\
    [[body]]\nname = 'ball'\nsphere = 0.1\nmass = 1\nelasticity = 0.5\npose = { position = [0.3, 0, 0.5] }\n\
    velocity = { linear = [0, 0, 0], angular = [1, 2, 3] }\n";

const SMALL: [&str; 2] = ["--size", "64x48"];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("drop.toml", SCENE);
    folder
}

fn render(folder: &Folder, args: &[&str]) -> crate::support::Run {
    folder.run(&[&["render"], args].concat())
}

fn pictures(folder: &Folder, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path(name)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_film_is_a_folder_of_complete_pictures() {
    let folder = folder();
    folder.run(&["simulate", "drop.toml", "-o", "run.jsonl"]);
    for (args, count) in [(["--frames", "4"], 4), (["--fps", "20"], 11), (["--fps", "0.5"], 1)] {
        for file in ["drop.toml", "run.jsonl"] {
            let output = format!("{file} {}", args[1]);
            let run = render(&folder, &[&[file, "-o", &output], &args[..], &SMALL[..]].concat());
            assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
            let stem = file.split_once('.').unwrap().0;
            let names: Vec<_> = (1..=count).map(|number| format!("{stem}-{number:04}.png")).collect();
            assert_eq!(pictures(&folder, &output), names);
            for name in names {
                let bytes = std::fs::read(folder.path(&output).join(name)).unwrap();
                assert!(bytes.starts_with(b"\x89PNG\r\n") && bytes.ends_with(b"IEND\xaeB`\x82"));
                assert_eq!(bytes[16..24], [0, 0, 0, 64, 0, 0, 0, 48]);
            }
        }
    }
    // The first picture is of the start, the last of the end; both show the same part of the world.
    let read = |name: &str| std::fs::read(folder.path("run.jsonl 4").join(name)).unwrap();
    assert_ne!(read("run-0001.png"), read("run-0004.png"));
    // A shorter film in the same folder would continue with the old pictures.
    let run = render(&folder, &["run.jsonl", "-o", "run.jsonl 20", "--frames", "3"]);
    run.refused(
        "run.jsonl 20/run-0004.png: is left of a longer film, and would be taken for a picture of this one; expected a \
         folder without it",
    );
    let run = render(&folder, &["run.jsonl", "-o", "run.jsonl", "--frames", "3"]);
    run.refused("run.jsonl: found a file, expected a folder for the pictures of a film");
    let run = render(&folder, &["run.jsonl", "-o", "film", "--fps", "1e9"]);
    run.refused("render: found a film of 500000001 pictures, expected at most 1000000");
    for bad in [["--fps", "0"], ["--fps", "-3"], ["--fps", "inf"], ["--frames", "0"]] {
        let run = render(&folder, &["run.jsonl", "-o", "film", bad[0], bad[1]]);
        assert!(run.status == Some(2) && run.stderr.contains(bad[0]), "{}", run.stderr);
    }
    assert!(!folder.path("film").exists());
}

/// The positions of bodies in a file at a time, z up.
fn placed(bytes: &[u8], name: &str, time: f64) -> DVec3 {
    let scene = gltf::parse(bytes, "x.glb".as_ref(), &GltfOptions::default()).unwrap().scene;
    let body = scene.bodies().iter().position(|body| body.name == name).unwrap();
    DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2)
        * scene.pose_at(body, time).transform_point(0.1 * DVec3::X)
}

#[test]
fn a_motion_becomes_a_file_for_other_programs() {
    let folder = folder();
    let run = folder.run(&["simulate", "drop.toml", "-o", "run.glb"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.ends_with("  recording   run.glb\n"), "{}", run.stdout);
    folder.run(&["simulate", "drop.toml", "-o", "run.jsonl"]);
    let run = render(&folder, &["run.jsonl", "-o", "made.GLB"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    folder.run(&["simulate", "drop.toml", "--from", "run.jsonl", "-o", "copy.glb"]);
    let info = folder.run(&["info", "run.glb", "--json"]);
    let facts = &info.json()[0];
    assert_eq!((&facts["animations"], &facts["warnings"]), (&json!(["drop.toml"]), &json!([])));
    for file in ["run.glb", "made.GLB", "copy.glb"] {
        let bytes = std::fs::read(folder.path(file)).unwrap();
        for line in folder.read("run.jsonl").lines().skip(1) {
            let line: Value = serde_json::from_str(line).unwrap();
            let numbers: Vec<f64> =
                line["poses"][0].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
            let [x, y, z, qw, qx, qy, qz] = numbers[..].try_into().unwrap();
            let expected = DVec3::new(x, y, z) + DQuat::from_xyzw(qx, qy, qz, qw) * (0.1 * DVec3::X);
            let time = line["t"].as_f64().unwrap();
            let off = placed(&bytes, "ball", time).distance(expected);
            assert!(off < 1e-5, "{file}: {off} m at {time}");
            // Bodies with a given motion in the scene move here too.
            let expected = DQuat::from_rotation_z(6.0 * time) * DVec3::new(0.1, 0.0, -0.5);
            let off = placed(&bytes, "table", time).distance(expected);
            assert!(off < 1e-4, "{file}: {off} m at {time}");
        }
    }
    // Any scene, without a simulation.
    assert_eq!(render(&folder, &["drop.toml", "-o", "still.glb"]).status, Some(0));
    let bytes = std::fs::read(folder.path("still.glb")).unwrap();
    assert!(placed(&bytes, "ball", 0.5).distance(DVec3::new(0.4, 0.0, 0.5)) < 1e-6);
}

#[test]
fn motions_that_do_not_fit_a_file_are_errors() {
    let folder = folder();
    folder.write("keep.glb", "of yesterday");
    folder
        .run(&["simulate", "drop.toml", "-o", "run.gltf"])
        .refused("run.gltf: found .gltf, which would be several files, expected .glb");
    render(&folder, &["drop.toml", "-o", "run.gltf"])
        .refused("run.gltf: found .gltf, which would be several files, expected .glb");
    for option in [
        &["--at", "0.1"][..],
        &["--frames", "2"],
        &["--fps", "2"],
        &SMALL,
        &["--from", "top"],
        &["--highlight"],
    ] {
        let run = render(&folder, &[&["drop.toml", "-o", "keep.glb"], option].concat());
        run.refused(&format!(
            "keep.glb: found {} beside a file in glTF, which holds the whole motion, expected a picture",
            option[0]
        ));
    }
    assert_eq!(render(&folder, &["gone.toml", "-o", "keep.glb"]).status, Some(2));
    let run = folder.run(&["simulate", "gone.toml", "-o", "keep.glb"]);
    assert_eq!((run.status, folder.read("keep.glb").as_str()), (Some(2), "of yesterday"));
    folder.run(&["simulate", "drop.toml", "-o", "run.glb"]);
    render(&folder, &["run.glb", "-o", "./run.glb"])
        .refused("./run.glb: is the displayed file, which is never overwritten");
    assert_eq!(folder.names(), ["drop.toml", "keep.glb", "run.glb"]);
}
