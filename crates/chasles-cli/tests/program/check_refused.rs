//! `chasles check`: refused input and the messages; never a wrong answer.

use crate::support::{Folder, Run};

fn run(folder: &Folder, text: &str) -> Run {
    folder.write("scene.toml", format!("format = 1\nduration = 2\n{text}"));
    folder.run(&["check", "scene.toml"])
}

/// A body with a motion, which starts on line 3.
fn mover(motion: &str) -> String {
    format!("[[body]]\nname = 'm'\nbox = [1, 1, 1]\n[body.motion]\n{motion}\n")
}

const STANDING: &str = "[[body]]\nname = 's'\nbox = [1, 1, 1]\npose = { position = [9, 0, 0] }\n";

/// The space of a surface that Chasles cannot read would count as free. With the option the report names the missing
/// surface.
#[test]
fn missing_geometry_is_an_error_or_reported() {
    let folder = Folder::new();
    folder.write("hood.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ncstype bspline\nsurf 0 1 0 1 1 2 3\nend\n");
    let scene = "format = 1\nduration = 2\n[[body]]\nname = 'hood'\nmesh = 'hood.obj'\n";
    folder.write(
        "scene.toml",
        format!("{scene}{STANDING}[body.motion]\nkind = 'twist'\nlinear = [0, 0, 1]\nangular = [0, 0, 0]\n"),
    );
    folder.write("r.urdf", "<robot name='r'><link name='a'><collision><geometry><mesh filename='hood.obj'/></geometry></collision></link></robot>");
    let what = "hood.obj:6: found `surf`: free-form curves and surfaces are not read";
    let reads_on = "; --allow-missing-geometry reads on without it";
    for command in [&["check", "scene.toml"][..], &["info", "scene.toml"]] {
        folder.run(command).refused(&format!("scene.toml:5: body \"hood\".mesh: {what}{reads_on}"));
    }
    folder.run(&["info", "hood.obj"]).refused(&format!("{what}{reads_on}"));
    assert_eq!(folder.run(&["info", "r.urdf"]).status, Some(2));
    let run = folder.run(&["check", "scene.toml", "--allow-missing-geometry"]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let start = format!(
        "scene.toml: CLEAR, WITHOUT MISSING GEOMETRY\n2 bodies over 2 s, 1 pair tested: 1 clear\nMissing: {what}\n"
    );
    assert!(run.stdout.starts_with(&start), "{}", run.stdout);
    assert!(run.stdout.contains("from 0 to 2 s, but for the missing geometry."), "{}", run.stdout);
    assert!(run.stderr.contains("warning: hood.obj: found `surf`"), "{}", run.stderr);
    for file in ["hood.obj", "scene.toml", "r.urdf"] {
        let run = folder.run(&["info", file, "--allow-missing-geometry"]);
        assert_eq!(
            (run.status, run.stdout.contains("found `surf`")),
            (Some(0), true),
            "{file}: {}",
            run.stderr
        );
    }
}

#[test]
fn warnings_of_meshes_go_to_standard_error() {
    let folder = Folder::new();
    folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nspaceship 7\n");
    let both = "[[body]]\nname = 'x'\nmesh = 'a.obj'\n[[body]]\nname = 'y'\nmesh = 'a.obj'\npose = { position = [5, 0, 0] }\n";
    let run = run(&folder, both);
    assert_eq!(run.status, Some(0));
    // Read once, reported once.
    assert!(
        run.stderr.starts_with("chasles: warning: a.obj: ") && run.stderr.lines().count() == 1,
        "{}",
        run.stderr
    );
}

#[test]
fn wrong_arguments_are_errors() {
    let folder = Folder::new();
    let wrong: [&[&str]; 9] = [
        &["check"],
        &["check", "a.toml", "--budget", "0"],
        &["check", "a.toml", "--threads", "0"],
        &["check", "a.toml", "--clearance", "-1"],
        &["check", "a.toml", "--clearance", "nan"],
        &["check", "a.toml", "--at", "soon"],
        &["check", "a.toml", "--at", "1", "--csv", "a.csv"],
        &["check", "a.toml", "--at", "1", "--clearance", "1"],
        &["check", "a.toml", "--csv"],
    ];
    for args in wrong {
        let run = folder.run(args);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(run.stderr.starts_with("error: "), "{args:?} {}", run.stderr);
    }
    let missing = folder.run(&["check", "gone.toml"]);
    assert!(
        missing.status == Some(2) && missing.stderr.contains("gone.toml: cannot be read"),
        "{}",
        missing.stderr
    );
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
