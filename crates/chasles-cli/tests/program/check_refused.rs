//! `chasles check`: what is refused, with which words; never answered wrongly.

use crate::support::{Folder, Run};

fn run(folder: &Folder, text: &str) -> Run {
    folder.write("scene.toml", format!("format = 1\nduration = 2\n{text}"));
    folder.run(&["check", "scene.toml"])
}

/// Status 2, nothing printed, and one line on standard error that begins with the place and has the words.
#[track_caller]
fn refused(text: &str, place: &str, words: &[&str]) {
    let run = run(&Folder::new(), text);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{}", run.stderr);
    assert!(run.stderr.starts_with(&format!("chasles: {place}: ")), "{} for {place}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    for word in words {
        assert!(run.stderr.contains(word), "{word:?} in {}", run.stderr);
    }
}

/// A body with a motion, which begins on line 3.
fn mover(motion: &str) -> String {
    format!("[[body]]\nname = 'm'\nbox = [1, 1, 1]\n[body.motion]\n{motion}\n")
}

const STANDING: &str = "[[body]]\nname = 's'\nbox = [1, 1, 1]\npose = { position = [9, 0, 0] }\n";

#[test]
fn twists_that_are_no_screw() {
    let twist = |linear: &str, angular: &str| {
        mover(&format!("kind = 'twist'\nlinear = {linear}\nangular = {angular}")) + STANDING
    };
    refused(
        &twist("[1, 0, 0]", "[0, 0, 1]"),
        "scene.toml:3: body \"m\".motion.linear",
        &["no single screw", "not supported yet", "kind = \"screw\""],
    );
    refused(&twist("[1, 2, 3]", "[1, 2, 3.0000001]"), "scene.toml:3: body \"m\".motion.linear", &[]);
    for (linear, angular) in [
        ("[1, 2, 3]", "[0, 0, 0]"),
        ("[0, 0, 0]", "[1, 2, 3]"),
        ("[0, 0, 0]", "[0, 0, 0]"),
        ("[1, 2, 3]", "[2, 4, 6]"),
        ("[0.1, 0.2, 0.3]", "[-0.7, -1.4, -2.1]"),
        ("[1e-200, 0, 0]", "[1e-200, 0, 0]"),
    ] {
        let run = run(&Folder::new(), &twist(linear, angular));
        assert_ne!(run.status, Some(2), "{linear} {angular}: {}", run.stderr);
    }
}

#[test]
fn keyframes_that_are_no_screws() {
    let keys = |interpolation: &str, positions: &str, rotations: &str, times: &str| {
        let keys = format!("times = {times}\npositions = {positions}\nrotations = {rotations}");
        mover(&format!("kind = 'keyframes'\n{keys}\ninterpolation = '{interpolation}'")) + STANDING
    };
    let (two, still) = ("[[0, 0, 0], [1, 0, 0]]", "[[1, 0, 0, 0], [1, 0, 0, 0]]");
    let turned = "[[1, 0, 0, 0], [1, 0, 0, 1]]";
    let place = "scene.toml:3: body \"m\".motion.interpolation";
    refused(
        &keys("linear", two, turned, "[0, 1]"),
        place,
        &["\"linear\"", "0 s and 1 s", "not supported yet"],
    );
    refused(&keys("step", two, still, "[0, 1]"), place, &["\"step\"", "jumps", "not supported yet"]);
    // Only moving, only turning, along the axis, or out of sight.
    let same = "[[1, 0, 0], [1, 0, 0]]";
    for fine in [
        keys("linear", two, still, "[0, 1]"),
        keys("linear", same, turned, "[0, 1]"),
        keys("linear", "[[0, 0, 1], [0, 0, 2]]", turned, "[0, 1]"),
        keys("linear", two, turned, "[2, 3]"),
        keys("linear", two, "[[1, 0, 0, 0], [-1, 0, 0, 0]]", "[0, 1]"),
        keys("screw", two, turned, "[0, 1]"),
        keys("step", "[[1, 0, 0]]", "[[1, 0, 0, 0]]", "[0]"),
    ] {
        let run = run(&Folder::new(), &fine);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{fine}");
    }
}

#[test]
fn two_motions_at_a_time() {
    let slides = "kind = 'twist'\nlinear = [1, 0, 0]\nangular = [0, 0, 0]";
    let other = mover(slides).replace("'m'", "'other'");
    let both = mover(slides) + &other + STANDING;
    let words = ["\"m\" and \"other\"", "not supported yet", "[[ignore]]"];
    refused(&both, "scene.toml:10: body \"other\".motion", &words);
    // One moving on another that moves, against what stands.
    let nested = mover(slides) + &other.replace("name = 'other'", "name = 'other'\nparent = 'm'") + STANDING;
    refused(&nested, "scene.toml:10: body \"other\".motion", &["\"other\" and \"s\""]);
    // It is no trouble where the pair is not tested, or moves as one.
    let ignored = both.clone() + "[[ignore]]\npair = ['m', 'other']\n";
    assert_eq!(run(&Folder::new(), &ignored).status, Some(0));
    let apart = nested + "[[ignore]]\npair = ['other', 's']\n";
    let run = run(&Folder::new(), &apart);
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
}

#[test]
fn clearance_and_solid() {
    refused(
        &format!("clearance = 0.01\n{STANDING}"),
        "scene.toml: clearance",
        &["0.01", "not supported yet"],
    );
    assert_eq!(run(&Folder::new(), &format!("clearance = 0\n{STANDING}")).status, Some(0));
    refused(
        &format!("{STANDING}solid = true\n"),
        "scene.toml:3: body \"s\".solid",
        &["found true", "not supported yet"],
    );
}

#[test]
fn shapes_and_meshes() {
    let body = |shape: &str| format!("[[body]]\nname = 'x'\n{shape}\n");
    refused(&body("mesh = 'gone.obj'"), "scene.toml:5: body \"x\".mesh", &["gone.obj", "cannot be read"]);
    refused(&body("box = [1, 1e100, 1]"), "scene.toml:5: body \"x\".box", &["1e100"]);
    refused(&body("sphere = -1"), "scene.toml:5: body \"x\".sphere", &["-1"]);
    let with_mesh = |content: &str, scale: &str| {
        let folder = Folder::new();
        folder.write("parts/a.obj", content);
        run(&folder, &body(&format!("mesh = 'parts/a.obj'\nscale = {scale}")))
    };
    let place = "scene.toml:5: body \"x\".mesh: parts/a.obj";
    with_mesh("v 0 0 0\n", "1").refused(&format!("{place}: mesh: found no triangles, expected at least one"));
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_eq!(with_mesh(triangle, "2").status, Some(0));
    let huge = with_mesh(triangle, "1e120");
    assert!(huge.status == Some(2) && huge.stderr.contains(place), "{}", huge.stderr);
    let bad = with_mesh("v 0 0 0\nf 1 2 3\n", "1");
    assert!(bad.status == Some(2) && bad.stderr.contains("parts/a.obj:2"), "{}", bad.stderr);
}

#[test]
fn warnings_of_meshes_go_to_standard_error() {
    let folder = Folder::new();
    folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nspaceship 7\n");
    let both = "[[body]]\nname = 'x'\nmesh = 'a.obj'\n[[body]]\nname = 'y'\nmesh = 'a.obj'\n";
    let run = run(&folder, both);
    assert_eq!(run.status, Some(0));
    // Read once, told once.
    assert!(
        run.stderr.starts_with("chasles: warning: a.obj: ") && run.stderr.lines().count() == 1,
        "{}",
        run.stderr
    );
}

#[test]
fn use_of_the_command() {
    let folder = Folder::new();
    for args in
        [&["check"][..], &["check", "a.toml", "--budget", "0"], &["check", "a.toml", "--threads", "0"]]
    {
        assert_eq!(folder.run(args).status, Some(2));
    }
    let gone = folder.run(&["check", "gone.toml"]);
    assert!(gone.status == Some(2) && gone.stderr.contains("gone.toml: cannot be read"), "{}", gone.stderr);
}

#[test]
fn huge_and_tiny_numbers_do_not_panic() {
    for text in [
        mover("kind = 'twist'\nlinear = [1e69, 0, 0]\nangular = [0, 0, 0]") + STANDING,
        mover("kind = 'twist'\nlinear = [1e308, 0, 0]\nangular = [1e308, 0, 0]") + STANDING,
        mover("kind = 'twist'\nlinear = [0, 0, 0]\nangular = [1e18, 0, 0]") + STANDING,
        mover("kind = 'screw'\naxis = [1e-300, 0, 0]\npoint = [1e60, 0, 0]\nslide = 1e-300\nangle = 1e-300")
            + STANDING,
        mover("kind = 'screw'\naxis = [0, 1, 0]\npoint = [1e60, 0, 0]\nslide = 1\nangle = 1") + STANDING,
        STANDING.replace("[9, 0, 0]", "[1e300, 0, 0]"),
    ] {
        let folder = Folder::new();
        folder.write("scene.toml", format!("format = 1\nduration = 2\n{text}"));
        let run = folder.run(&["check", "scene.toml", "--budget", "100000"]);
        assert!(run.status.is_some_and(|status| (0..=3).contains(&status)), "{text}: {run:?}");
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    }
}
