//! Each rule of the scene format: accepted scenes, and refused scenes with their messages.

use std::path::Path;

use chasles::Primitive;
use chasles_formats::scene::file::{
    KeyInterpolation, MotionEntry, PoseEntry, SceneFile, ShapeEntry, Side, parse, read,
};
use chasles_formats::{ErrorLocation, Result};
use glam::{DQuat, DVec3};

const FILE: &str = "cell/scene.toml";

fn scene(text: &str) -> Result<SceneFile> {
    parse(text.as_bytes(), Path::new(FILE))
}

/// A scene of one body `arm` that starts on line 3, with these lines from line 5.
fn body(lines: &str) -> String {
    format!("format = 1\nduration = 2\n[[body]]\nname = 'arm'\n{lines}\n")
}

/// Asserts that the text is refused on this line (0: no line is reported), and that the message contains all the
/// words.
#[track_caller]
fn refused(text: &str, line: usize, words: &[&str]) {
    let error = scene(text).expect_err(text);
    let message = error.to_string();
    let place = if line == 0 { format!("{FILE}: ") } else { format!("{FILE}:{line}: ") };
    assert!(message.starts_with(&place), "{message:?} does not begin with {place:?}");
    for word in words {
        assert!(message.contains(word), "{message:?} lacks {word:?}");
    }
    assert!(!message.contains('\n') && message.len() < 600, "{message:?}");
}

/// As `refused`, for the lines of a body from line 5.
#[track_caller]
fn body_refused(lines: &str, line: usize, words: &[&str]) {
    refused(&body(lines), line, words);
}

#[test]
fn the_whole_grammar_is_read() {
    let text = r#"
format = 1
duration = 2.5
tolerance = 1e-7
clearance = 0.01

[[body]]
name = "gripper"
mesh = "parts/gripper.stl"
scale = 0.001
pose = { position = [1, 2.5, -3], rotation = [2, 0, 0, 0] }
parent = "arm"
group = "robot"
solid = true
[body.motion]
kind = "twist"
linear = [1, 0, 0]
angular = [0, 0, 0x10]

[[body]]
name = "arm"
mesh = "/abs/arm.obj"
pose.position = [0, 0, 1]
[body.motion]
kind = "screw"
axis = [0, 3, 4]
point = [1, 1, 1]
slide = -0.5
angle = 31.4

[[body]]
name = "door"
box = [1, 2, 3]
[body.motion]
kind = "keyframes"
times = [-1, 0.5]
positions = [[0, 0, 0], [1, 0, 0]]
rotations = [[1, 0, 0, 0], [0, -3e-200, 0, -4e-200]]

[[body]]
name = "ball"
sphere = 0.5
motion = { kind = "keyframes", times = [1], positions = [[0, 0, 0]], rotations = [[1, 0, 0, 0]], interpolation = "linear" }
[[body]]
name = "drum"
cylinder = { radius = 1, height = 2 }
motion = { kind = "keyframes", times = [1], positions = [[0, 0, 0]], rotations = [[1, 0, 0, 0]], interpolation = "step" }
[[body]]
name = "hat"
cone = { height = 2, radius = 1 }
[[body]]
name = "pill"
capsule = { radius = 1, height = 2 }

[[ignore]]
pair = ["gripper", "door"]
[[ignore]]
pair = ["*", "ball"]
"#;
    let scene = scene(text).unwrap();
    assert_eq!((scene.duration, scene.tolerance, scene.clearance), (2.5, Some(1e-7), 0.01));
    let names: Vec<_> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["gripper", "arm", "door", "ball", "drum", "hat", "pill"]);

    let gripper = &scene.bodies[0];
    assert_eq!(gripper.shape, ShapeEntry::Mesh("cell/parts/gripper.stl".into()));
    let pose = PoseEntry { position: DVec3::new(1.0, 2.5, -3.0), rotation: DQuat::IDENTITY };
    assert_eq!((gripper.scale, gripper.pose, gripper.parent), (0.001, pose, Some(1)));
    assert_eq!((gripper.group.as_deref(), gripper.solid), (Some("robot"), Some(true)));
    let twist = MotionEntry::Twist { linear: DVec3::X, angular: DVec3::Z * 16.0 };
    assert_eq!(gripper.motion, Some(twist));
    assert_eq!((gripper.line, gripper.shape_line), (7, 9));

    let arm = &scene.bodies[1];
    assert_eq!(arm.shape, ShapeEntry::Mesh("/abs/arm.obj".into()));
    assert_eq!(arm.pose, PoseEntry { position: DVec3::Z, rotation: DQuat::IDENTITY });
    assert_eq!((arm.scale, arm.parent, &arm.group, arm.solid), (1.0, None, &None, None));
    let axis = DVec3::new(0.0, 0.75, 1.0);
    let screw = MotionEntry::Screw { axis, point: DVec3::ONE, slide: -0.5, angle: 31.4 };
    assert_eq!(arm.motion, Some(screw));

    let shapes: Vec<_> = scene.bodies[2..].iter().map(|body| body.shape.clone()).collect();
    let (radius, height) = (1.0, 2.0);
    assert_eq!(shapes[0], ShapeEntry::Primitive(Primitive::Box { size: DVec3::new(1.0, 2.0, 3.0) }));
    assert_eq!(shapes[1], ShapeEntry::Primitive(Primitive::Sphere { radius: 0.5 }));
    assert_eq!(shapes[2], ShapeEntry::Primitive(Primitive::Cylinder { radius, height }));
    assert_eq!(shapes[3], ShapeEntry::Primitive(Primitive::Cone { radius, height }));
    assert_eq!(shapes[4], ShapeEntry::Primitive(Primitive::Capsule { radius, height }));
    assert_eq!(
        scene.bodies[2].motion,
        Some(MotionEntry::Keyframes {
            times: vec![-1.0, 0.5],
            positions: vec![DVec3::ZERO, DVec3::X],
            // The file's order is w, x, y, z.
            rotations: vec![DQuat::IDENTITY, DQuat::from_xyzw(-0.6, 0.0, -0.8, 0.0)],
            interpolation: KeyInterpolation::Screw,
        })
    );
    for (body, expected) in [(3, KeyInterpolation::Linear), (4, KeyInterpolation::Step)] {
        let Some(MotionEntry::Keyframes { interpolation, .. }) = scene.bodies[body].motion else { panic!() };
        assert_eq!(interpolation, expected);
    }
    let pairs: Vec<_> = scene.ignore.iter().map(|entry| entry.pair).collect();
    assert_eq!(pairs, [[Side::Body(0), Side::Body(2)], [Side::Every, Side::Body(3)]]);
}

#[test]
fn optional_keys_have_defaults() {
    let scene = scene(&body("sphere = 1")).unwrap();
    assert_eq!((scene.tolerance, scene.clearance, scene.ignore.len()), (None, 0.0, 0));
    let arm = &scene.bodies[0];
    assert_eq!((arm.scale, arm.pose, &arm.motion), (1.0, PoseEntry::IDENTITY, &None));
    // Zero is a valid tolerance; other line ends and a byte order mark are valid TOML.
    parse(
        b"\xef\xbb\xbfformat = 1\r\nduration = 1\r\ntolerance = 0\r\n[[body]]\r\nname='a'\r\nsphere=1\r\n",
        FILE.as_ref(),
    )
    .unwrap();
}

#[test]
fn the_document_has_its_rules() {
    let good = body("sphere = 1");
    refused("", 0, &["empty", "format"]);
    refused("\u{feff} \n\t\n", 0, &["empty"]);
    refused("# nothing\n", 0, &["format", "missing", "`format = 1`"]);
    refused(&good.replace("format = 1", ""), 0, &["format", "missing"]);
    refused(&good.replace("format = 1", "format = 2"), 1, &["format", "found 2", "expected 1"]);
    refused(&good.replace("format = 1", "format = '1'"), 1, &["format", r#"found "1""#]);
    refused(&good.replace("duration = 2", ""), 0, &["duration", "missing", "seconds"]);
    for bad in ["0", "-1", "nan", "inf", "1e999", "'2'", "true", "[2]", "99999999999999999999"] {
        refused(
            &good.replace("duration = 2", &format!("duration = {bad}")),
            2,
            &["duration", "found", "> 0"],
        );
    }
    for key in ["tolerance", "clearance"] {
        for bad in ["-1e-9", "nan", "inf", "{}"] {
            let text = good.replace("duration = 2", &format!("duration = 2\n{key} = {bad}"));
            refused(&text, 3, &[key, "found", "expected a finite number >= 0"]);
        }
    }
    refused(
        &good.replace("duration = 2", "duraton = 2"),
        2,
        &["duraton", "unknown key", r#"did you mean "duration"?"#],
    );
    refused(
        &format!("colour = 1\n{good}"),
        1,
        &["colour", "unknown key", "expected one of format, unit, duration"],
    );
    refused("format = 1\nduration = 2\n", 0, &["body", "missing", "[[body]]"]);
    refused("format = 1\nduration = 2\nbody = []\n", 3, &["body", "at least one"]);
    refused("format = 1\nduration = 2\nbody = 7\n", 3, &["body", "found 7", "[[body]]"]);
    refused("format = 1\nduration = 2\nbody = [7]\n", 3, &["body[0]"]);
    refused("format = 1\nduration = 2\n[body]\nname = 'a'\n", 3, &["body", "found a table", "[[body]]"]);
}

#[test]
fn names_refer_to_bodies() {
    let two = |first: &str, second: &str| {
        format!("format = 1\nduration = 2\n[[body]]\nsphere = 1\n{first}\n[[body]]\nsphere = 1\n{second}\n")
    };
    refused(&two("", ""), 3, &["body[0].name", "missing"]);
    refused(&two("name = ''", ""), 5, &["body[0].name", r#"found """#]);
    refused(&two("name = '*'", ""), 5, &["body[0].name", r#"found "*""#]);
    refused(&two("name = 7", ""), 5, &["body[0].name", "found 7"]);
    refused(&two("name = 'a'", "name = 'a'"), 8, &["body[1].name", r#"found "a""#, "line 3"]);
    refused(&two("name = 'a'\nparent = 'c'", "name = 'b'"), 6, &[r#"body "a".parent"#, r#"found "c""#]);
    refused(&two("name = 'a'\nparent = 'grippr'", "name = 'gripper'"), 6, &[r#"did you mean "gripper"?"#]);
    refused(
        &two("name = 'a'\nparent = 'a'", "name = 'b'"),
        6,
        &[r#"body "a".parent"#, r#""a" rides on "a""#],
    );
    refused(
        &two("name = 'a'\nparent = 'b'", "name = 'b'\nparent = 'a'"),
        6,
        &[r#"body "a".parent"#, r#""a" rides on "b" rides on "a""#],
    );

    let ignore = |entry: &str| format!("{}{entry}\n", body("sphere = 1"));
    refused(&ignore("[[ignore]]\npair = ['arm', 'elbow']"), 7, &["ignore[0].pair[1]", r#"found "elbow""#]);
    refused(
        &ignore("[[ignore]]\npair = ['arn', 'arm']"),
        7,
        &["ignore[0].pair[0]", r#"did you mean "arm"?"#],
    );
    refused(&ignore("[[ignore]]\npair = ['arm']"), 7, &["ignore[0].pair", "found a list of length 1"]);
    refused(&ignore("[[ignore]]\npair = ['arm', 'arm', 'arm']"), 7, &["ignore[0].pair", "length 3"]);
    refused(&ignore("[[ignore]]\npair = ['arm', 7]"), 7, &["ignore[0].pair[1]", "found 7"]);
    refused(
        &ignore("[[ignore]]\npairs = ['arm', 'arm']"),
        7,
        &["ignore[0].pairs", "unknown key", r#"mean "pair"?"#],
    );
    refused(&ignore("[[ignore]]"), 6, &["ignore[0].pair", "missing"]);
    refused(&ignore("[ignore]\npair = ['*', '*']"), 6, &["ignore", "found a table", "[[ignore]]"]);
}

#[test]
fn a_long_chain_of_parents_is_followed() {
    let count = 20_000;
    let mut text = "format = 1\nduration = 1\n".to_owned();
    for body in 0..count {
        text += &format!("[[body]]\nname = 'b{body}'\nsphere = 1\nparent = 'b{}'\n", (body + 1) % count);
    }
    refused(&text, 6, &[r#"body "b0".parent"#, r#""b0" rides on "b1""#, ".."]);
    let open = text.replace("parent = 'b0'\n", "");
    assert_eq!(scene(&open).unwrap().bodies[0].parent, Some(1));
}

#[test]
fn shapes_have_their_rules() {
    body_refused("", 3, &[r#"body "arm""#, "no shape", "expected one of mesh, box"]);
    body_refused("box = [1, 1, 1]\nmesh = 'a.obj'", 5, &[r#"body "arm".box"#, "beside `mesh`"]);
    body_refused("mesh = ''", 5, &[r#"body "arm".mesh"#, r#"found """#, "path"]);
    body_refused("mesh = 3", 5, &["mesh", "found 3", "path"]);
    body_refused("box = 'big'", 5, &[r#"body "arm".box"#, r#"found "big""#, "list of 3"]);
    body_refused("box = [1, 1]", 5, &["box", "length 2", "list of 3"]);
    body_refused("box = [1,\n\n0, 1]", 7, &["box[1]", "found 0", "> 0"]);
    body_refused("box = [1, 1, nan]", 5, &["box[2]", "found NaN"]);
    body_refused("box = [1, 1, 2020-01-01]", 5, &["box[2]", "found a date"]);
    body_refused("sphere = -0.5", 5, &["sphere", "found -0.5", "> 0"]);
    body_refused("sphere = { radius = 1 }", 5, &["sphere", "found a table"]);
    for key in ["cylinder", "cone", "capsule"] {
        body_refused(&format!("{key} = {{ radius = 1 }}"), 5, &[&format!("{key}.height"), "missing", "> 0"]);
        body_refused(
            &format!("{key} = {{ height = 1, radius = 0 }}"),
            5,
            &[&format!("{key}.radius"), "found 0"],
        );
        body_refused(
            &format!("{key} = {{ height = 1, radius = 1, r = 1 }}"),
            5,
            &[&format!("{key}.r"), "unknown key"],
        );
        body_refused(&format!("{key} = [1, 2]"), 5, &[key, "length 2", "radius, height"]);
    }
    for bad in ["0", "-1", "nan", "inf", "'1'"] {
        body_refused(&format!("sphere = 1\nscale = {bad}"), 6, &[r#"body "arm".scale"#, "found", "> 0"]);
    }
    body_refused("sphere = 1e300\nscale = 1e300", 6, &["scale", "found 1e300", "finite"]);
    body_refused("sphere = 1e-300\nscale = 1e-300", 6, &["scale", "found 1e-300", "> 0"]);
}

#[test]
fn the_rest_of_a_body_has_its_rules() {
    body_refused("sphere = 1\nweight = 3", 6, &[r#"body "arm".weight"#, "unknown key"]);
    body_refused("sphere = 1\nSolid = true", 6, &["Solid", r#"did you mean "solid"?"#]);
    body_refused("sphere = 1\n'a b\\' = 3", 6, &[r#"body "arm"."a b\\""#, "unknown key"]);
    body_refused("sphere = 1\nsolid = 1", 6, &["solid", "found 1", "true or false"]);
    body_refused("sphere = 1\ngroup = ['a']", 6, &["group", "found a list", "string"]);
    body_refused("sphere = 1\nparent = true", 6, &["parent", "found true"]);

    body_refused("sphere = 1\npose = [0, 0, 0]", 6, &[r#"body "arm".pose"#, "position, rotation"]);
    body_refused("sphere = 1\npose.orientation = [1, 0, 0, 0]", 6, &["pose.orientation", "unknown key"]);
    body_refused("sphere = 1\npose.position = [1, 2, 3, 4]", 6, &["pose.position", "length 4", "list of 3"]);
    body_refused("sphere = 1\npose.position = [nan, 2, 3]", 6, &["pose.position[0]", "found NaN"]);
    body_refused("sphere = 1\npose.position = [0, 1e999, 3]", 6, &["position[1]", "too large"]);
    body_refused("sphere = 1\npose.rotation = [0, 0, 0, 0]", 6, &["pose.rotation", "quaternion", "zero"]);
    body_refused("sphere = 1\npose.rotation = [0, -0.0, 1e-999, 0]", 6, &["pose.rotation", "quaternion"]);
    body_refused("sphere = 1\npose.rotation = [1, 0, 0]", 6, &["pose.rotation", "length 3", "list of 4"]);
}

#[test]
fn motions_have_their_rules() {
    let motion = |lines: &str| body(&format!("sphere = 1\n[body.motion]\n{lines}"));
    let check = |lines: &str, line, words: &[&str]| refused(&motion(lines), line, words);
    body_refused("sphere = 1\nmotion = 'twist'", 6, &[r#"body "arm".motion"#, r#"found "twist""#, "table"]);
    check("", 6, &["motion.kind", "missing", "keyframes, twist, screw"]);
    check("kind = 'twst'", 7, &["motion.kind", r#"found "twst""#, r#"did you mean "twist"?"#]);
    check("kind = 1", 7, &["motion.kind", "found 1", "keyframes"]);

    check("kind = 'twist'\nlinear = [1, 0, 0]", 6, &["motion.angular", "missing"]);
    check("kind = 'twist'\nlinear = [1, 0, 0]\nangular = [0, 1]", 9, &["motion.angular", "length 2"]);
    check("kind = 'twist'\nlinear = [1, 0, inf]\nangular = [0, 1, 0]", 8, &["motion.linear[2]", "found inf"]);
    check("kind = 'twist'\ntimes = [1]", 8, &["motion.times", "unknown key", "kind, linear, angular"]);

    let screw = "kind = 'screw'\naxis = [0, 0, 2]\npoint = [0, 0, 0]\nslide = 0\nangle = 1";
    scene(&motion(screw)).unwrap();
    check(&screw.replace("2]", "0]"), 8, &["motion.axis", "length zero"]);
    check(&screw.replace("slide = 0", "slide = nan"), 10, &["motion.slide", "found NaN"]);
    check(&screw.replace("angle", "angel"), 11, &["motion.angel", r#"did you mean "angle"?"#]);
    check(&screw.replace("angle = 1", ""), 6, &["motion.angle", "missing", "radians"]);

    let keys = "kind = 'keyframes'\ntimes = [0, 1]\npositions = [[0, 0, 0],\n [1, 0, 0]]\nrotations = [[1, 0, 0, 0], [0, 1, 0, 0]]";
    scene(&motion(keys)).unwrap();
    check(&keys.replace("[0, 1]\n", "[0, 0.0]\n"), 8, &["motion.times[1]", "found 0 after 0", "increase"]);
    check(&keys.replace("[0, 1]\n", "[0, -1]\n"), 8, &["motion.times[1]", "found -1 after 0"]);
    check(&keys.replace("[0, 1]\n", "[0, nan]\n"), 8, &["motion.times[1]", "found NaN"]);
    check(&keys.replace("[0, 1]\n", "[0]\n"), 9, &["motion.positions", "length 2", "length 1"]);
    check(&keys.replace("[0, 1]\n", "[]\n"), 8, &["motion.times", "length 0", "at least one"]);
    check(&keys.replace("[0, 1]\n", "1\n"), 8, &["motion.times", "found 1", "list of seconds"]);
    check(&keys.replace("[0, 1, 0, 0]", ""), 11, &["motion.rotations", "length 1", "length 2"]);
    check(&keys.replace("[0, 1, 0, 0]", "[0, 0, 0, 0]"), 11, &["motion.rotations[1]", "quaternion", "zero"]);
    check(&keys.replace(" [1, 0, 0]]", " [1, 0]]"), 10, &["motion.positions[1]", "length 2"]);
    check(&keys.replace(" [1, 0, 0]]", " [1, 0, '']]"), 10, &["motion.positions[1][2]", r#"found """#]);
    check(
        &format!("{keys}\ninterpolation = 'cubic'"),
        12,
        &["motion.interpolation", r#"found "cubic""#, "screw, linear, step"],
    );
    let posed = motion(keys).replace("sphere = 1", "sphere = 1\npose = { position = [0, 0, 0] }");
    refused(&posed, 6, &[r#"body "arm".pose"#, "beside keyframes"]);
}

#[test]
fn invalid_text_is_an_error_with_line() {
    let broken = |lines: &str, line, words: &[&str]| body_refused(lines, line, words);
    broken("mesh = \"part", 5, &["not TOML", "string", r#"found "mesh"#]);
    broken("mesh = '''part", 6, &["not TOML", "string"]);
    broken("sphere = 1\nsphere = 2", 6, &["not TOML", "duplicate key", "sphere = 2"]);
    broken("sphere 1", 5, &["not TOML", "sphere 1"]);
    broken("sphere =", 5, &["not TOML"]);
    broken("box = [1, 1\n\n", 5, &["not TOML", "unclosed array"]);
    let error = parse(b"format = 1\n# caf\xe9\n", FILE.as_ref()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cell/scene.toml:2: not UTF-8: found the byte 0xe9, expected TOML in UTF-8"
    );
    let long = "x".repeat(100_000);
    broken(&format!("sphere = '{long}'"), 5, &["sphere", "found \"xxx"]);
    broken(&format!("{long} = 1"), 5, &["\"xxx", "unknown key"]);
    broken(&format!("sphere = '{long}"), 5, &["not TOML"]);
}

#[test]
fn deep_nesting_is_an_error() {
    let n = 100_000;
    body_refused(&format!("box = {}1{}", "[".repeat(n), "]".repeat(n)), 5, &["recurs"]);
    body_refused(&format!("box = {}", "[".repeat(n)), 5, &["recurs"]);
    body_refused(&format!("box = {}1{}", "{a = ".repeat(n), "}".repeat(n)), 5, &["recurs"]);
    refused(&body(&format!("box{} = 1", ".a".repeat(n))), 0, &["recurs"]);
    // The parser's limits of 80 dots and 80 braces allow thousands of levels.
    let dots = format!("{{ a{} = ", ".a".repeat(70));
    body_refused(&format!("box = {}1{}", dots.repeat(70), "}".repeat(70)), 5, &["more than 80"]);
}

#[test]
fn files_are_read_and_missing_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    let error = read(&path).unwrap_err();
    assert_eq!((error.file.as_path(), &error.place), (path.as_path(), &ErrorLocation::File));
    assert!(error.to_string().contains("scene.toml: cannot be read"), "{error}");
    std::fs::write(&path, body("mesh = 'a/part.obj'")).unwrap();
    let arm = read(&path).unwrap().bodies.remove(0);
    assert_eq!(arm.shape, ShapeEntry::Mesh(folder.path().join("a/part.obj")));
    let error = arm.shape_error(Path::new(FILE), "no such mesh");
    assert_eq!(error.to_string(), r#"cell/scene.toml:5: body "arm".mesh: no such mesh"#);
    // A path without a folder.
    let scene = parse(body("mesh = 'part.obj'").as_bytes(), Path::new("scene.toml")).unwrap();
    assert_eq!(scene.bodies[0].shape, ShapeEntry::Mesh("part.obj".into()));
}
