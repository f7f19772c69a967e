//! Bodies whose vertices move independently: the keys of a scene, and the files with their frames.

use std::path::Path;

use chasles_formats::scene::build::{BuiltScene, build};
use chasles_formats::scene::file::{DeformingEntry, ShapeEntry, parse};
use glam::DVec3;

/// A scene of one body with these lines, starting on line 5.
fn text(lines: &str) -> String {
    format!("format = 1\nduration = 2\n[[body]]\nname = 'cloth'\n{lines}\n")
}

/// A deforming body with these lines above its motion, and these in it.
fn moving(body: &str, motion: &str) -> String {
    text(&format!("{body}\n[body.motion]\nkind = 'deforming'\n{motion}"))
}

const MESHES: &str = "times = [0, 0.5, 1]\nmeshes = ['f0.obj', 'f1.obj', 'f2.obj']";

#[track_caller]
fn refused(text: &str, words: &[&str]) {
    let message = parse(text.as_bytes(), Path::new("cell/scene.toml")).unwrap_err().to_string();
    for word in words {
        assert!(message.contains(word), "{word:?} is not in {message:?}");
    }
}

#[test]
fn frames_are_meshes_or_a_cache() {
    let shape = |text: String| {
        let scene = parse(text.as_bytes(), Path::new("cell/scene.toml")).unwrap();
        let body = &scene.bodies[0];
        assert!(body.motion.is_none());
        let files: Vec<_> = scene.files().iter().map(|file| file.display().to_string()).collect();
        let ShapeEntry::Deforming(frames) = &body.shape else { panic!("{body:?}") };
        (frames.as_ref().clone(), files, body.against_itself)
    };
    let (frames, files, itself) = shape(moving("self = true", MESHES));
    assert_eq!(files, ["cell/f0.obj", "cell/f1.obj", "cell/f2.obj"]);
    let named = files.iter().map(Into::into).collect();
    assert_eq!(frames, DeformingEntry::Meshes { times: vec![0.0, 0.5, 1.0], files: named });
    assert!(itself);
    let cache = |times, fps| {
        let (mesh, file) = ("cell/a.ply".into(), "cell/a.PC2".into());
        DeformingEntry::Cache { mesh, file, times, fps }
    };
    let (frames, files, itself) = shape(moving("mesh = 'a.ply'", "cache = 'a.PC2'"));
    assert_eq!((frames, itself), (cache(None, 24.0), false));
    assert_eq!(files, ["cell/a.ply", "cell/a.PC2"]);
    let (frames, ..) = shape(moving("mesh = 'a.ply'\nself = false", "cache = 'a.PC2'\nfps = 12.5"));
    assert_eq!(frames, cache(None, 12.5));
    let (frames, ..) = shape(moving("mesh = 'a.ply'", "cache = 'a.PC2'\ntimes = [-1, 3]"));
    assert_eq!(frames, cache(Some(vec![-1.0, 3.0]), 24.0));
}

#[test]
fn contradictory_keys_are_errors_with_names() {
    let cached = "cache = 'a.pc2'";
    let cases = [
        (moving("", ""), [":6:", "body \"cloth\".motion: ", "neither `meshes` nor `cache`"]),
        (moving("mesh = 'a.ply'", "times = [0]"), [":6:", "motion: ", "neither `meshes` nor `cache`"]),
        (moving("", &format!("{MESHES}\n{cached}")), [":10:", "motion.cache: ", "beside `meshes`"]),
        (moving("mesh = 'a.ply'", MESHES), [":5:", "body \"cloth\".mesh: ", "beside `meshes`"]),
        (moving("", cached), ["body \"cloth\".mesh: ", "missing", "whose triangles"]),
        (moving("", "meshes = ['a.ply']"), ["motion.times: ", "missing", "seconds"]),
        (moving("", "times = []\nmeshes = []"), ["motion.times: ", "length 0", "at least one"]),
        (moving("", "times = [0, 1]\nmeshes = ['a.ply']"), [":9:", "motion.meshes: ", "1 files for 2 times"]),
        (
            moving("", "times = [0]\nmeshes = ['a.ply', 'b.ply']"),
            ["motion.meshes: ", "2 files", "for 1 times"],
        ),
        (moving("", "times = [1, 1]\nmeshes = ['a', 'b']"), ["motion.times[1]: ", "1 after 1", "increase"]),
        (moving("", "times = [0, inf]\nmeshes = ['a', 'b']"), ["motion.times[1]: ", "found inf", "finite"]),
        (moving("", "times = [0]\nmeshes = 'a.ply'"), ["motion.meshes: ", "found \"a.ply\"", "a list"]),
        (
            moving("", "times = [0]\nmeshes = ['']"),
            ["motion.meshes[0]: ", "found \"\"", "the path of a mesh"],
        ),
        (moving("", &format!("{MESHES}\nfps = 24")), [":10:", "motion.fps: ", "beside `meshes`"]),
        (moving("", &format!("{MESHES}\nspeed = 2")), [":10:", "motion.speed: ", "unknown key"]),
        (moving("mesh = 'a.ply'", "cache = 'a.abc'"), ["motion.cache: ", "a.abc", "(.pc2 or .mdd)"]),
        (moving("mesh = 'a.ply'", "cache = 'a.pc2'\nfps = 0"), ["motion.fps: ", "found 0", "> 0"]),
        (
            moving("mesh = 'a.ply'", "cache = 'a.mdd'\nfps = 24"),
            ["motion.fps: ", "beside an MDD", "it has times"],
        ),
        (
            moving("mesh = 'a.ply'", "cache = 'a.pc2'\nfps = 24\ntimes = [0]"),
            ["motion.fps: ", "beside `times`", "both say"],
        ),
        (moving("sphere = 1", MESHES), [":5:", "body \"cloth\".sphere: ", "on a body that deforms"]),
        (
            moving("bounds = [[0, 0, 0], [1, 1, 1]]", MESHES),
            ["bounds: ", "found `bounds`", "beside `implicit`"],
        ),
        (moving("solid = false", MESHES), [":5:", "body \"cloth\".solid: ", "on a body that deforms"]),
        (moving("self = 'yes'", MESHES), [":5:", "body \"cloth\".self: ", "true or false"]),
        (text("sphere = 1\nself = true"), [":6:", "body \"cloth\".self: ", "on a rigid body"]),
        (text("sphere = 1\nself = false"), [":6:", "body \"cloth\".self: ", "on a rigid body"]),
    ];
    for (text, words) in cases {
        refused(&text, &words);
    }
}

/// A square of two triangles, with the given last corner.
fn square(last: [f64; 3]) -> String {
    let [x, y, z] = last;
    format!("v 0 0 0\nv 1 0 0\nv 1 1 0\nv {x} {y} {z}\nf 1 2 3\nf 1 3 4\n")
}

/// An MDD of frames of this square.
fn mdd(times: &[f32], lasts: &[[f32; 3]]) -> Vec<u8> {
    let mut bytes: Vec<u8> = i32::try_from(times.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend(4_i32.to_be_bytes());
    let points = |last: &[f32; 3]| [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, last[0], last[1], last[2]];
    let numbers = times.iter().copied().chain(lasts.iter().flat_map(points));
    bytes.extend(numbers.flat_map(f32::to_be_bytes));
    bytes
}

/// The scene of these lines, with files of three squares and their caches.
fn built(lines: &str) -> Result<BuiltScene, String> {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    for (i, z) in [0.0, 2.0, 4.0].into_iter().enumerate() {
        write(&format!("f{i}.obj"), square([0.0, 1.0, z]).as_bytes());
    }
    write("few.obj", b"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    write("large.obj", square([0.0, 1.0, 1e80]).as_bytes());
    let lasts = [[0.0, 1.0, 0.0], [0.0, 1.0, 2.0], [0.0, 1.0, 4.0]];
    let good = mdd(&[0.0, 0.5, 1.0], &lasts);
    write("good.mdd", &good);
    write("short.mdd", &good[..good.len() - 1]);
    write("long.mdd", &[&good[..], &[0; 12]].concat());
    write("nan.mdd", &mdd(&[0.0, 0.5, 1.0], &[lasts[0], lasts[1], [0.0, f32::NAN, 0.0]]));
    let path = folder.path().join("scene.toml");
    let built = parse(lines.as_bytes(), &path).and_then(|file| build(&file, &path));
    built.map_err(|error| error.to_string().replace(&format!("{}/", folder.path().display()), ""))
}

#[test]
fn frames_come_from_their_files_in_metres() {
    for (frames, unit, size) in [
        (moving("scale = 0.5", MESHES), 1.0, 0.5),
        (moving("unit = 'cm'", MESHES), 100.0, 1.0),
        (moving("mesh = 'f2.obj'\nscale = 3", "cache = 'good.mdd'"), 1.0, 3.0),
        (moving("mesh = 'f0.obj'\nunit = 'mm'", "cache = 'good.mdd'\ntimes = [0, 0.5, 1]"), 1000.0, 1.0),
    ] {
        let scene = built(&frames).unwrap().scene;
        assert!(!scene.is_self_tested(0));
        let surface = scene.bodies()[0].shape.as_ref().unwrap().deforming_surface().unwrap();
        assert_eq!(surface.times(), [0.0, 0.5, 1.0]);
        assert_eq!(surface.mesh().triangles(), [[0, 1, 2], [0, 2, 3]]);
        let corner = |z: f64| size * (DVec3::new(0.0, 1.0, z) / unit);
        assert_eq!(surface.mesh().vertex(3), corner(0.0), "the first frame, not the mesh of a cache");
        assert_eq!(surface.bounds()[1].z, corner(4.0).z);
    }
    assert!(built(&moving("self = true", MESHES)).unwrap().scene.is_self_tested(0));
    let long = built(&moving("mesh = 'f0.obj'", "cache = 'long.mdd'")).unwrap();
    assert_eq!(long.warnings.len(), 1);
    let warned = "long.mdd: 12 bytes after the last of 3 frames are skipped";
    assert!(long.warnings[0].ends_with(warned), "{:?}", long.warnings);
}

#[test]
fn unsuitable_files_are_errors_with_body_and_file() {
    let meshes = |name: &str| moving("", &MESHES.replace("f1.obj", name));
    let cache = |rest: &str| moving("mesh = 'f0.obj'", rest);
    let place = |line: usize| format!("scene.toml:{line}: body \"cloth\".motion: ");
    let cases = [
        (meshes("few.obj"), 9, "few.obj: found 3 vertices, expected 4 as in f0.obj"),
        (meshes("large.obj"), 9, "frame 1: vertex 3: found 1e80, expected a magnitude below 1e70"),
        (cache("cache = 'short.mdd'"), 8, "short.mdd: the file ends after 163 bytes, expected 164"),
        (cache("cache = 'nan.mdd'"), 8, "nan.mdd: frame 2: y of vertex 3 is NaN: expected a finite number"),
        (cache("cache = 'gone.mdd'"), 8, "gone.mdd: cannot be read"),
        (
            moving("mesh = 'few.obj'", "cache = 'good.mdd'"),
            8,
            "good.mdd: found 4 points, expected 3, the vertices of few.obj",
        ),
        (
            cache("cache = 'good.mdd'\ntimes = [0, 1]"),
            8,
            "good.mdd: found 3 frames for 2 `times`, expected one for each",
        ),
    ];
    for (text, line, expected) in cases {
        let message = built(&text).unwrap_err();
        assert!(message.starts_with(&(place(line) + expected)), "{message}");
    }
    let missing = built(&meshes("gone.obj")).unwrap_err();
    assert!(missing.starts_with(&(place(9) + "gone.obj: cannot be read: ")), "{missing}");
}
