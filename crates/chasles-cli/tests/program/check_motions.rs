//! `chasles check`: motions that are not a single screw, and several at a time, compared with times by formula.

use serde_json::Value;

use crate::support::Folder;

/// The report about a scene of four seconds.
#[track_caller]
fn report(bodies: &str) -> Value {
    let folder = Folder::new();
    folder.write("scene.toml", format!("format = 1\nduration = 4\n{bodies}"));
    let run = folder.run(&["check", "scene.toml", "--json"]);
    assert_eq!(run.stderr, "");
    run.json().remove(0)
}

/// A cube of one metre with more lines, and with a motion if it is not empty.
fn cube(name: &str, lines: &str, motion: &str) -> String {
    let head = if motion.is_empty() { "" } else { "[body.motion]\n" };
    format!("[[body]]\nname = '{name}'\nbox = [1, 1, 1]\n{lines}\n{head}{motion}\n")
}

#[track_caller]
fn assert_holds(value: &Value, time: f64) {
    let [lo, hi] = [0, 1].map(|i| value[i].as_f64().expect("an enclosure"));
    assert!(lo <= time + 1e-9 && time <= hi + 1e-7 && hi - lo <= 4e-6, "[{lo}, {hi}] for {time}");
}

#[test]
fn two_that_run_into_each_other() {
    let slides = |vx: f64| format!("kind = 'twist'\nlinear = [{vx:?}, 0, 0]\nangular = [0, 0, 0]");
    let a = cube("a", "pose = { position = [-2, 0.3, 0.2] }", &slides(1.25));
    let b = cube("b", "pose = { position = [2, 0, 0] }", &slides(-0.75));
    let report = report(&(a + &b));
    let [interval] = &report["pairs"][0]["intervals"].as_array().unwrap()[..] else { panic!("{report}") };
    // Three metres apart, at two metres per second, two metres until they have passed.
    assert_holds(&interval["enter"], 1.5);
    assert_holds(&interval["exit"], 2.5);
    let contact = &interval["contact"];
    assert!((contact["point"][0].as_f64().unwrap() - 0.375).abs() < 1e-6, "{contact}");
    assert!((contact["normal"][0].as_f64().unwrap() - 1.0).abs() < 1e-9, "{contact}");
    assert!((contact["approach_speed"].as_f64().unwrap() - 2.0).abs() < 1e-6, "{contact}");
}

#[test]
fn a_rider_on_something_that_moves_stays_where_it_is() {
    // The carrier moves right, the rider moves left on it at the same speed: it is static in the world, and is never
    // touched.
    let carrier = cube("carrier", "", "kind = 'twist'\nlinear = [1, 0, 0]\nangular = [0, 0, 0]");
    let rider = cube(
        "rider",
        "parent = 'carrier'\npose = { position = [0, 0, 3] }",
        "kind = 'twist'\nlinear = [-1, 0, 0]\nangular = [0, 0, 0]",
    );
    let wall = cube("wall", "pose = { position = [1.5, 0, 3] }", "");
    let report = report(&(carrier + &rider + &wall));
    assert_eq!((&report["verdict"], &report["pairs_tested"]), (&"clear".into(), &3.into()), "{report}");
}

/// The time at which the foremost corner of a cube, which moves along x at `v` from `x` and rotates about z at
/// `spin`, reaches `wall`.
fn first_corner_at(wall: f64, (x, v, spin): (f64, f64, f64)) -> f64 {
    let reach = |t: f64| {
        let corner =
            |k: u8| 0.5_f64.sqrt() * (std::f64::consts::FRAC_PI_4 * f64::from(2 * k + 1) + spin * t).cos();
        x + v * t + (0..4).map(corner).fold(f64::NEG_INFINITY, f64::max) - wall
    };
    let step = 1e-4;
    let k = (0..40_000).find(|k| reach(step * f64::from(k + 1)) > 0.0).expect("it gets there");
    let [mut lo, mut hi] = [step * f64::from(k), step * f64::from(k + 1)];
    for _ in 0..60 {
        let middle = 0.5 * (lo + hi);
        if reach(middle) > 0.0 { hi = middle } else { lo = middle }
    }
    hi
}

#[test]
fn a_cube_that_rolls_into_a_wall() {
    // Its near face is at x = 1; the cube's corners move along cycloids, which are not screws.
    let wall = "[[body]]\nname = 'wall'\nbox = [1, 9, 9]\npose = { position = [1.5, 0.1, 0.2] }\n";
    for (v, spin) in [(0.5, 0.5), (0.5, -0.7), (1.0, 3.0), (0.3, 20.0)] {
        let twist = format!("kind = 'twist'\nlinear = [{v:?}, 0, 0]\nangular = [0, 0, {spin:?}]");
        let report = report(&(cube("cube", "pose = { position = [-0.6, 0, 0] }", &twist) + wall));
        let enter = &report["pairs"][0]["intervals"][0]["enter"];
        assert_holds(enter, first_corner_at(1.0, (-0.6, v, spin)));
    }
    // As linear keyframes, with less than half a turn in total.
    for (v, spin) in [(0.5_f64, 0.5_f64), (0.5, -0.7)] {
        let (end, half) = (4.0 * v - 0.6, 0.5 * 4.0 * spin);
        let keys = format!(
            "kind = 'keyframes'\ntimes = [0, 4]\npositions = [[-0.6, 0, 0], [{end:?}, 0, 0]]\n\
             rotations = [[1, 0, 0, 0], [{:?}, 0, 0, {:?}]]\ninterpolation = 'linear'",
            half.cos(),
            half.sin()
        );
        let report = report(&(cube("cube", "", &keys) + wall));
        let enter = &report["pairs"][0]["intervals"][0]["enter"];
        assert_holds(enter, first_corner_at(1.0, (-0.6, v, spin)));
    }
}

#[test]
fn jumps_sweep_nothing() {
    let keys = "kind = 'keyframes'\ntimes = [0, 1, 2, 3]\n\
                positions = [[-3, 0, 0], [3, 0, 0], [0.4, 0.3, 0.2], [-3, 0, 0]]\n\
                rotations = [[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]\ninterpolation = 'step'";
    let report = report(&(cube("cube", "", keys) + &cube("block", "", "")));
    // It jumps over the block at 1 s, into it at 2 s and out at 3 s.
    let [interval] = &report["pairs"][0]["intervals"].as_array().unwrap()[..] else { panic!("{report}") };
    assert_eq!(interval["enter"], serde_json::json!([2.0, 2.0]), "{report}");
    assert_eq!(interval["exit"], serde_json::json!([3.0, 3.0]), "{report}");
    assert!(interval.get("contact").is_none(), "{report}");
}
