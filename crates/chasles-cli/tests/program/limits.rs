//! Endless or excessively large input is an error that names file and limit, and never exhausts the memory.

use crate::support::{Folder, Run};

const ROBOT: &str = "<robot name='r'><link name='a'/>\
    <link name='b'><collision><geometry><sphere radius='1'/></geometry></collision></link>\
    <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";

/// Runs the program in a shell that limits its memory to this number of bytes.
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
fn endless_devices_are_errors() {
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
    // A file named by another file is not waited for.
    folder.write("scene.toml", "format = 1\nduration = 1\n[[body]]\nname = 'a'\nmesh = 'zero.obj'\n");
    assert_refused(&folder.run(&["check", "scene.toml"]), "zero.obj", "it is not a file");
    let zero = "{\"name\":\"p\",\"a\":{\"mesh\":\"zero.obj\"},\"b\":{\"mesh\":\"zero.obj\"},\"pose0\":[0,0,0,1,0,0,0],\
                \"pose1\":[0,0,0,1,0,0,0]}\n";
    folder.write("all.jsonl", zero);
    let run = folder.run(&["batch", "all.jsonl"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stdout.contains("zero.obj: cannot be read: it is not a file"), "{run:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn files_beyond_the_memory_limit_are_errors() {
    let folder = Folder::new();
    // A square of 20,000 triangles in 3,000 sizes exceeds the limit of a scene; in 2,000 sizes it needs more than
    // half a gigabyte.
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
    let memory = "megabytes of memory, which are not available";
    assert_refused(&run_within(&folder, 1 << 30, &["check", "2000.toml"]), "square.obj", memory);
    // A scene file of 200 MB, and a sparse mesh file of a hundred gigabytes.
    std::fs::File::create(folder.path("keys.toml")).unwrap().set_len(200 << 20).unwrap();
    assert_refused(&folder.run(&["check", "keys.toml"]), "keys.toml", "bytes, expected at most 33554432");
    std::fs::File::create(folder.path("large.stl")).unwrap().set_len(100 << 30).unwrap();
    assert_refused(&folder.run(&["info", "large.stl"]), "large.stl", "bytes, expected at most 4294967296");
}

/// Files in a folder that name files outside it, and those files.
fn write_outside(folder: &Folder) {
    std::fs::create_dir(folder.path("own")).unwrap();
    folder.write("secret.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder
        .write("own/scene.toml", "format = 1\nduration = 1\n[[body]]\nname = 'a'\nmesh = '../secret.obj'\n");
    std::os::unix::fs::symlink(folder.path("secret.obj"), folder.path("own/link.obj")).unwrap();
    folder.write("own/linked.toml", "format = 1\nduration = 1\n[[body]]\nname = 'a'\nmesh = 'link.obj'\n");
    folder.write(
        "own/robot.urdf",
        "<robot name='r'><link name='a'><collision><geometry><mesh filename='../secret.obj'/></geometry>\
         </collision></link></robot>",
    );
    folder.write("own/inline.wrl", "#VRML V2.0 utf8\nInline { url \"../secret.wrl\" }\n");
    folder.write("secret.wrl", "#VRML V2.0 utf8\nShape { geometry Box { } }\n");
    let accessor = |view: u32, kind: u32, of: &str| {
        format!("{{\"bufferView\": {view}, \"componentType\": {kind}, \"count\": 3, \"type\": \"{of}\"}}")
    };
    let gltf = format!(
        "{{\"asset\": {{\"version\": \"2.0\"}}, \"scene\": 0, \"scenes\": [{{\"nodes\": [0]}}], \
         \"nodes\": [{{\"name\": \"a\", \"mesh\": 0}}], \
         \"meshes\": [{{\"primitives\": [{{\"attributes\": {{\"POSITION\": 0}}, \"indices\": 1}}]}}], \
         \"accessors\": [{}, {}], \
         \"bufferViews\": [{{\"buffer\": 0, \"byteLength\": 24}}, {{\"buffer\": 1, \"byteLength\": 3}}], \
         \"buffers\": [{{\"byteLength\": 24, \"uri\": \"../secret.obj\"}}, \
         {{\"byteLength\": 3, \"uri\": \"data:;base64,AAEC\"}}]}}",
        accessor(0, 5126, "VEC3"),
        accessor(1, 5121, "SCALAR")
    );
    folder.write("own/scene.gltf", gltf);
}

#[test]
#[cfg(unix)]
fn confined_to_a_folder_nothing_outside_is_read() {
    let folder = Folder::new();
    write_outside(&folder);
    let files = ["scene.toml", "linked.toml", "robot.urdf", "inline.wrl", "scene.gltf"];
    for file in files.map(|file| format!("own/{file}")) {
        let confined = folder.run(&["info", &file, "--confine", "own"]);
        assert_refused(&confined, "", "lies outside ");
        assert!(!confined.stderr.contains("v 0 0 0") && confined.stdout.is_empty(), "{confined:?}");
        let wider = folder.run(&["info", &file, "--confine", "own", "--confine", "."]);
        assert!(!wider.stderr.contains("lies outside"), "{wider:?}");
    }
    for args in [["check", "secret.obj"], ["info", "secret.obj"], ["info", "/missing/file.obj"]] {
        assert_refused(&folder.run(&[&args[..], &["--confine", "own"]].concat()), args[1], "lies outside ");
    }
    assert_refused(&folder.run(&["info", "secret.obj", "--confine", "nowhere"]), "--confine: nowhere", "");
    // A server for other machines is confined by default.
    let view = |file: &str| folder.run(&["view", file, "--no-open", "--listen", "127.0.0.1"]);
    assert_refused(&view("own/scene.toml"), "", "lies outside ");
    assert_refused(&view("own/inline.wrl"), "", "lies outside ");
}

#[test]
fn the_memory_of_a_world_is_limited() {
    let folder = Folder::new();
    let points = "0 ".repeat(200_000);
    folder.write(
        "world.wrl",
        format!(
            "#VRML V2.0 utf8\nShape {{ geometry IndexedFaceSet {{ coord Coordinate {{ point [{points}] }} \
             coordIndex [0 1 2] }} }}\nInline {{ url \"other.wrl\" }}\n"
        ),
    );
    folder.write(
        "scene.toml",
        format!("format = 1\n[[body]]\nname = 'a'\nhollow = [{}1]\n", "1,".repeat(40_000)),
    );
    folder.write("robot.urdf", format!("<robot name='r'>{}</robot>", "<a/>".repeat(10_000)));
    folder.write("mesh.obj", "v 0 0 0\n".repeat(300_000));
    for file in ["world.wrl", "scene.toml", "robot.urdf", "mesh.obj"] {
        let run = folder.run(&["info", file, "--memory", "1"]);
        assert_refused(&run, file, " megabytes of memory to read, expected at most 1 (--memory)");
        let run = folder.run(&["info", file]);
        assert!(!run.stderr.contains("--memory"), "{run:?}");
    }
    let none = folder.run(&["info", "mesh.obj", "--memory", "0"]);
    assert!(none.status == Some(2) && none.stderr.contains("0 is not in 1.."), "{none:?}");
}
