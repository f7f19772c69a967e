//! What does not end, or is larger than anybody's, is an error that names file and limit, and never takes all memory.

use crate::support::{Folder, Run};

const ROBOT: &str = "<robot name='r'><link name='a'/>\
    <link name='b'><collision><geometry><sphere radius='1'/></geometry></collision></link>\
    <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";

/// Runs the program in a shell that grants it so many bytes of memory.
fn run_within(folder: &Folder, bytes: u64, args: &[&str]) -> Run {
    let mut shell = std::process::Command::new("sh");
    let limit = format!("ulimit -v {}; exec \"$@\"", bytes >> 10);
    shell.args(["-c", &limit, "sh", env!("CARGO_BIN_EXE_chasles")]).args(args);
    shell.current_dir(folder.path("")).stdin(std::process::Stdio::null()).output().unwrap().into()
}

#[track_caller]
fn assert_refused(run: &Run, file: &str, message: &str) {
    assert_eq!(run.status, Some(2), "{run:?}");
    let last = run.stderr.lines().last().unwrap_or_default();
    assert!(last.contains(file) && last.contains(message), "{run:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn devices_that_do_not_end_are_refused() {
    let folder = Folder::new();
    folder.write("r.urdf", ROBOT);
    folder.write("path.csv", "time,j\n0,0\n1,1\n");
    for name in
        ["zero.csv", "zero.yaml", "zero.wrl", "zero.glb", "zero.stl", "zero.obj", "zero.urdf", "zero.json"]
    {
        std::os::unix::fs::symlink("/dev/zero", folder.path(name)).unwrap();
    }
    let path = ["check", "r.urdf", "--path"];
    for (args, file) in [
        (&["check", "/dev/zero"][..], "/dev/zero"),
        (&["check", "zero.wrl"], "zero.wrl"),
        (&["check", "zero.glb"], "zero.glb"),
        (&["info", "zero.stl"], "zero.stl"),
        (&["info", "zero.obj"], "zero.obj"),
        (&["info", "zero.urdf"], "zero.urdf"),
        (&["batch", "/dev/zero"], "/dev/zero"),
        (&["impulse", "/dev/zero"], "/dev/zero"),
        (&[&path[..], &["zero.csv"]].concat(), "zero.csv"),
        (&[&path[..], &["zero.yaml"]].concat(), "zero.yaml"),
        (&[&path[..], &["path.csv", "--srdf", "/dev/zero"]].concat(), "/dev/zero"),
        (&[&path[..], &["path.csv", "--world", "/dev/zero"]].concat(), "/dev/zero"),
        (&[&path[..], &["path.csv", "--clearance-file", "/dev/zero"]].concat(), "/dev/zero"),
        (&["render", "r.urdf", "-o", "a.png", "--report", "zero.json"], "zero.json"),
    ] {
        assert_refused(&run_within(&folder, 1 << 30, args), file, "bytes, expected at most");
    }
    // What a file names is not waited for.
    folder.write("scene.toml", "format = 1\nduration = 1\n[[body]]\nname = 'a'\nmesh = 'zero.obj'\n");
    assert_refused(&folder.run(&["check", "scene.toml"]), "zero.obj", "it is no file");
    let zero = "{\"name\":\"p\",\"a\":{\"mesh\":\"zero.obj\"},\"b\":{\"mesh\":\"zero.obj\"},\"pose0\":[0,0,0,1,0,0,0],\
                \"pose1\":[0,0,0,1,0,0,0]}\n";
    folder.write("all.jsonl", zero);
    let run = folder.run(&["batch", "all.jsonl"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stdout.contains("zero.obj: cannot be read: it is no file"), "{run:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn what_memory_does_not_hold_is_refused() {
    let folder = Folder::new();
    // A square of 20,000 triangles in 3,000 sizes is more than any scene may have; in 2,000 more than half a gigabyte holds.
    let mut mesh = String::from("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n");
    mesh.push_str(&"f 1 2 3 4\n".repeat(10_000));
    folder.write("square.obj", mesh);
    let scene = |sizes: usize| {
        let body = |i: usize| format!("[[body]]\nname = '{i}'\nmesh = 'square.obj'\nscale = {}\n", i + 1);
        (0..sizes).map(body).fold(String::from("format = 1\nduration = 1\n"), |all, body| all + &body)
    };
    folder.write("3000.toml", scene(3000));
    let all = "found 20000 triangles in 3000 sizes, with which the scene has 60000000, expected at most 50000000 in all";
    assert_refused(&run_within(&folder, 1 << 30, &["check", "3000.toml"]), "square.obj", all);
    folder.write("2000.toml", scene(2000));
    let memory = "megabytes of memory, which are not to be had";
    assert_refused(&run_within(&folder, 1 << 30, &["check", "2000.toml"]), "square.obj", memory);
    // A scene of ten million keyframes, and a mesh of a hundred gigabytes of which nothing is on the disk.
    std::fs::File::create(folder.path("keys.toml")).unwrap().set_len(200 << 20).unwrap();
    assert_refused(&folder.run(&["check", "keys.toml"]), "keys.toml", "bytes, expected at most 33554432");
    std::fs::File::create(folder.path("large.stl")).unwrap().set_len(100 << 30).unwrap();
    assert_refused(&folder.run(&["info", "large.stl"]), "large.stl", "bytes, expected at most 4294967296");
}
