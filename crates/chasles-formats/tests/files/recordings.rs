//! Recordings: writing, reading, and refused recordings with their messages.

use std::path::{Path, PathBuf};

use chasles::{
    BodyMotion, EnergyLosses, MomentContact, Pose, Released, SimulationDefinition, SimulationEnergy,
    SimulationState,
};
use chasles_formats::Result;
use chasles_formats::recording::{self, RecordedContact, RecordedRelease, RecordedScene};
use chasles_formats::scene;
use chasles_formats::scene::file::{KeyInterpolation, MotionEntry};
use glam::{DQuat, DVec3};
use tempfile::TempDir;

const SCENE: &str = "format = 1\nduration = 0.5\n\
    [[body]]\nname = 'floor'\nbox = [1, 1, 1]\n\
    [[body]]\nname = 'fan'\nbox = [1, 1, 0.1]\npose = { position = [0, 0, 9] }\n\
    [body.motion]\nkind = 'screw'\naxis = [0, 0, 1]\npoint = [0, 0, 0]\nslide = 1\nangle = 10\n\
    [[body]]\nname = 'ball'\nsphere = 0.5\nmass = 1\npose = { position = [0, 0, 2] }\n\
    [[body]]\nname = 'pin'\nsphere = 0.1\nmass = 1\npose = { position = [0, 0, 3] }\n\
    [[joint]]\nkind = 'ball'\na = 'ball'\nb = 'pin'\npoint = [0, 0, 2.9]\n";

/// A folder with the scene `drop.toml`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("drop.toml"), SCENE).unwrap();
    folder
}

fn definition(folder: &TempDir) -> SimulationDefinition {
    let path = folder.path().join("drop.toml");
    scene::build::simulation(&scene::file::read(&path).unwrap(), &path).unwrap().definition
}

fn moment(time: f64, height: f64) -> SimulationState {
    let pose = |z: f64| Pose::new(DVec3::new(-0.0, 0.1, z), DQuat::IDENTITY).unwrap();
    SimulationState {
        time,
        poses: vec![pose(height), pose(height + 1.0)],
        velocities: vec![[DVec3::NEG_Z, DVec3::ZERO], [DVec3::X, DVec3::new(0.0, 1e-300, 1.0 / 3.0)]],
        flexible: vec![],
        released: vec![],
        contacts: vec![],
        energy: SimulationEnergy { kinetic: 0.5, potential: -0.0, dissipated: 1e-7 },
        losses: EnergyLosses { earlier: 1e-7, ..EnergyLosses::default() },
        forced: vec![],
    }
}

const HEAD: &str = r#"{"format":1,"kind":"recording","scene":"drop.toml","duration":0.5,"depth":0.0001,"bodies":["ball","pin"]}"#;

/// A line at a time with the ball at a height.
fn line(time: f64, height: f64) -> String {
    format!(
        r#"{{"t":{time:?},"poses":[[0,0,{height:?},1,0,0,0],[0,0,{height:?},1,0,0,0]],"velocities":[[0,0,0,0,0,0],[0,0,0,0,0,0]],"contacts":[],"energy":{{"kinetic":0,"potential":0,"dissipated":0}}}}"#
    )
}

/// Reads a recording in the folder of the scene.
fn read(folder: &TempDir, text: &str) -> Result<RecordedScene> {
    let path = folder.path().join("run.jsonl");
    std::fs::write(&path, text).unwrap();
    recording::read(&path)
}

#[test]
fn line_format_is_exact() {
    let folder = folder();
    let definition = definition(&folder);
    assert_eq!(recording::head("drop.toml", &definition, definition.depth), format!("{HEAD}\n"));
    let contact = MomentContact {
        bodies: [0, 2],
        time: 0.0098,
        point: DVec3::new(0.0, -0.0, 0.5),
        normal: DVec3::Z,
        impulse: DVec3::new(0.0, 0.0, 2.5),
    };
    let reported =
        recording::line(&definition, &SimulationState { contacts: vec![contact], ..moment(0.01, 0.1 + 0.2) });
    let expected = concat!(
        r#"{"t":0.01,"poses":[[0.0,0.1,0.30000000000000004,1.0,0.0,0.0,0.0],[0.0,0.1,1.3,1.0,0.0,0.0,0.0]],"#,
        r#""velocities":[[0.0,0.0,-1.0,0.0,0.0,0.0],[1.0,0.0,0.0,0.0,1e-300,0.3333333333333333]],"#,
        r#""contacts":[{"a":"floor","b":"ball","t":0.0098,"point":[0.0,0.0,0.5],"normal":[0.0,0.0,1.0],"#,
        r#""impulse":[0.0,0.0,2.5]}],"energy":{"kinetic":0.5,"potential":0.0,"dissipated":1e-7}}"#,
        "\n"
    );
    assert_eq!(reported, expected);
}

#[test]
fn written_files_read_back_equal() {
    let folder = folder();
    let definition = definition(&folder);
    let mut moments = [moment(0.0, 2.0), moment(0.125, 1.0 / 3.0), moment(0.5, 0.1)];
    let contact = |bodies, time| MomentContact {
        bodies,
        time,
        point: DVec3::new(0.1, 0.2, 1.0 / 3.0),
        normal: DVec3::Z,
        impulse: DVec3::new(0.0, 1e-9, 2.5),
    };
    moments[1].contacts = vec![contact([0, 2], 0.12), contact([2, 3], 0.125)];
    moments[2].contacts = vec![contact([1, 3], 0.5)];
    let lines: Vec<_> = moments.iter().map(|moment| recording::line(&definition, moment)).collect();
    let RecordedScene { scene, scene_path, dynamics } =
        read(&folder, &format!("{HEAD}\n{}", lines.concat())).unwrap();
    assert_eq!((scene_path, scene.duration), (folder.path().join("drop.toml"), 0.5));
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    for (body, place) in [(2, 0), (3, 1)] {
        let Some(MotionEntry::Keyframes { times, positions, rotations, interpolation }) =
            &scene.bodies[body].motion
        else {
            panic!("{:?}", scene.bodies[body])
        };
        assert_eq!((times.as_slice(), *interpolation), (&[0.0, 0.125, 0.5][..], KeyInterpolation::Screw));
        let poses = moments.each_ref().map(|moment| moment.poses[place]);
        assert_eq!(positions[..], poses.map(|pose| pose.position()));
        assert_eq!(rotations[..], poses.map(|pose| pose.rotation()));
    }
    // Impulses and energies, with the bodies by their numbers in the scene.
    let ends: Vec<_> = dynamics.lines.iter().map(|line| (line.time, line.contacts_end)).collect();
    assert_eq!(ends, [(0.0, 0), (0.125, 2), (0.5, 3)]);
    assert!(dynamics.lines.iter().all(|line| line.energy == moments[0].energy));
    let all = moments.iter().flat_map(|moment| &moment.contacts);
    assert_eq!(dynamics.contacts.len(), 3);
    for (read, contact) in dynamics.contacts.iter().zip(all) {
        let MomentContact { bodies, time, point, impulse, .. } = *contact;
        assert_eq!(*read, RecordedContact { bodies, time, point, impulse });
    }
    // Bodies that are not recorded move as in the scene; joined bodies are not tested.
    let built = scene::build::build(&scene, Path::new("drop.toml")).unwrap().scene;
    assert!(matches!(built.bodies()[2].motion, BodyMotion::Keyframes(_)));
    assert_eq!((scene.bodies[0].motion.is_none(), built.count_moving_pairs()), (true, 5));
}

#[test]
fn a_truncated_recording_is_read_to_its_end() {
    let folder = folder();
    let cut = &line(0.375, 1.0)[..100];
    let whole = format!("{HEAD}\n{}\n{}\n", line(0.0, 2.0), line(0.25, 1.5));
    let RecordedScene { scene, .. } = read(&folder, &format!("{whole}{cut}")).unwrap();
    assert_eq!(scene.duration, 0.25);
    // A screw covers the whole duration, and continues at the same speed.
    let Some(MotionEntry::Screw { slide, angle, .. }) = scene.bodies[1].motion else { panic!() };
    assert_eq!((slide, angle), (0.5, 5.0));
    let [cut_off, ends] = &scene.warnings[..] else { panic!("{:?}", scene.warnings) };
    assert!(cut_off.contains("run.jsonl:4: the line is cut off"), "{cut_off}");
    assert!(
        ends.ends_with("run.jsonl: the recording ends at 0.25 s of 0.5 s: it is checked until there"),
        "{ends}"
    );
    // Only the end of the last line may be missing; all other lines are complete.
    let RecordedScene { scene, .. } = read(&folder, whole.trim_end()).unwrap();
    assert_eq!((scene.duration, scene.warnings.len()), (0.25, 1));
    let reported = read(&folder, &format!("{whole}{cut}\n")).unwrap_err().to_string();
    assert!(reported.contains("run.jsonl:4: not JSON: "), "{reported}");
    let reported = read(&folder, &format!("{HEAD}\n{cut}\n{}\n", line(0.25, 1.0))).unwrap_err().to_string();
    assert!(reported.contains("run.jsonl:2: not JSON: "), "{reported}");
}

#[test]
fn a_scene_is_named_from_the_folder_of_its_recording() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    for below in ["in", "out"] {
        std::fs::create_dir(at(below)).unwrap();
    }
    std::fs::copy(at("drop.toml"), at("in/drop.toml")).unwrap();
    let name = |scene: &str, recording: &str| recording::scene_name(&at(scene), Some(&at(recording)));
    assert_eq!(name("drop.toml", "run.jsonl"), "drop.toml");
    assert_eq!(name("in/drop.toml", "run.jsonl"), "in/drop.toml");
    assert_eq!(name("in/drop.toml", "out/run.jsonl"), "../in/drop.toml");
    assert_eq!(name("drop.toml", "in/run.jsonl"), "../drop.toml");
    assert_eq!(recording::scene_name(Path::new("in/../a.toml"), None), "in/../a.toml");

    // The scene is searched beside the recording; then, as written, from the working directory; otherwise an error is
    // reported.
    let text = |scene: &str| {
        format!("{}\n{}\n{}\n", HEAD.replace("drop.toml", scene), line(0.0, 1.0), line(0.5, 1.0))
    };
    let at_out = |scene: &str| {
        let path = at("out/run.jsonl");
        std::fs::write(&path, text(scene)).unwrap();
        recording::read(&path)
    };
    assert_eq!(at_out("../in/drop.toml").unwrap().scene_path, at("out/../in/drop.toml"));
    let whole = at("in/drop.toml");
    assert_eq!(at_out(whole.to_str().unwrap()).unwrap().scene_path, whole);
    let reported = at_out("gone.toml").unwrap_err().to_string();
    let out = at("out");
    let expected = format!(
        "{0}/run.jsonl:1: scene: found \"gone.toml\", expected the scene of the recording: neither {0}/gone.toml nor gone.toml is there",
        out.display()
    );
    assert_eq!(reported, expected);
    let reported = at_out("/gone/x.toml").unwrap_err().to_string();
    assert!(
        reported.ends_with("expected the scene of the recording: /gone/x.toml is not there"),
        "{reported}"
    );
}

#[test]
fn recordings_are_recognized_by_name_or_content() {
    let folder = folder();
    let at = |name: &str, text: &str| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    assert!(recording::is_recording(&at("a.jsonl", "")) && recording::is_recording(&at("a.rec", HEAD)));
    assert!(!recording::is_recording(&at("a.toml", SCENE)) && !recording::is_recording(&at("a.json", "{}")));
    assert!(!recording::is_recording(folder.path()) && recording::is_recording(Path::new("gone.JSONL")));
}

#[test]
fn invalid_recordings_are_errors_with_line_and_key() {
    let folder = folder();
    let reported = |text: &str| {
        let reported = read(&folder, text).expect_err(text).to_string();
        let (_, reported) = reported.split_once("run.jsonl").unwrap();
        reported.to_owned()
    };
    let expected = "expected `\"kind\":\"recording\"` in the first line, as `chasles simulate` writes it; problems are for chasles \
                    batch and chasles impulse";
    assert_eq!(reported(r#"{"name":"p1"}"#), format!(":1: kind: the key is missing, {expected}"));
    assert_eq!(reported(r#"{"kind":"film"}"#), format!(":1: kind: found \"film\", {expected}"));
    assert_eq!(reported(""), ": the file is empty, expected a recording of `chasles simulate`");
    assert_eq!(
        reported(&HEAD.replace(":1,", ":2,")),
        ":1: format: found 2, expected 1, the only format that this program reads"
    );
    let heads = [
        ("\"depth\":0.0001,", "", "depth: the key is missing, expected metres, a finite number > 0"),
        ("0.5", "0", "duration: found 0, expected a finite number > 0"),
        ("\"drop.toml\"", "7", "scene: found 7, expected the path of a scene file"),
        ("\"pin\"", "\"ball\"", "bodies[1]: found \"ball\", expected a name that occurs there once"),
        (
            "\"pin\"",
            "\"floor\"",
            "bodies: found \"floor\", expected the dynamic bodies of the scene: has it changed?",
        ),
        (
            "\"pin\"",
            "\"pen\"",
            "bodies: found \"pen\", expected the dynamic bodies of the scene: has it changed?",
        ),
    ];
    let whole = |head: &str| format!("{head}\n{}\n{}\n", line(0.0, 1.0), line(0.5, 1.0));
    for (from, to, message) in heads {
        assert_eq!(reported(&whole(&HEAD.replace(from, to))), format!(":1: {message}"));
    }
    let one =
        whole(&HEAD.replace(",\"pin\"", "")).replace(",[0,0,1.0,1,0,0,0]", "").replace(",[0,0,0,0,0,0]", "");
    assert_eq!(
        reported(&one),
        ":1: bodies: \"pin\" is missing, a dynamic body of the scene: has it changed?"
    );

    let contact = r#""contacts":[{"a":"x","b":"y","t":0,"point":[0,0,0],"normal":[0,0,1]}]"#;
    let lines = [
        ("\"t\":0.5", "\"t\":0.0", "t: found 0, expected a time after that of the line before, 0"),
        ("\"t\":0.5", "\"t\":-1", "t: found -1, expected a finite number >= 0"),
        ("\"t\":0.5", "\"t\":0.6", "t: found 0.6, expected at most the duration, 0.5"),
        (
            "\"poses\":[",
            "\"poses\":[7,",
            "poses: found a list of length 3, expected a list of length 2, one item for each of the bodies",
        ),
        (
            "[0,0,1.0,1,0,0,0],",
            "[0,0,1.0,1,0,0],",
            "poses[0]: found a list of length 6, expected a list of 7 finite numbers",
        ),
        (
            "[0,0,1.0,1,0,0,0],",
            "[0,0,1.0,0,0,0,0],",
            "poses[0]: found a quaternion of length zero, expected a rotation such as (1, 0, 0, 0)",
        ),
        (
            "[0,0,0,0,0,0],",
            "[0,0,0,0,0],",
            "velocities[0]: found a list of length 5, expected a list of 6 finite numbers",
        ),
        (
            "\"contacts\":[]",
            contact,
            "contacts[0].impulse: the key is missing, expected a list of 3 finite numbers",
        ),
        ("\"kinetic\":0,", "", "energy.kinetic: the key is missing, expected joules, a finite number"),
        (
            "\"t\":0.5,",
            "\"t\":0.5,\"temperature\":7,",
            "temperature: found an unknown key, expected one of t, poses, velocities, released, contacts, energy",
        ),
    ];
    for (from, to, message) in lines {
        let last = line(0.5, 1.0).replace(from, to);
        assert_eq!(reported(&format!("{HEAD}\n{}\n{last}\n", line(0.0, 1.0))), format!(":3: {message}"));
    }
    let named = contact.replace("[0,0,1]}", "[0,0,1],\"impulse\":[0,0,1]}").replace("\"y\"", "\"pin\"");
    let last = line(0.5, 1.0).replace("\"contacts\":[]", &named);
    assert_eq!(
        reported(&format!("{HEAD}\n{}\n{last}\n", line(0.0, 1.0))),
        ":3: contacts: found \"x\", expected a body of the scene: has it changed?"
    );
    let no_times = ": found no line after time 0, expected poses at two times at least";
    assert_eq!(reported(HEAD), no_times);
    assert_eq!(reported(&format!("{HEAD}\n{}\n", line(0.0, 1.0))), no_times);
    assert_eq!(
        reported(&format!("{HEAD}\n7\n")),
        ":2: found 7, expected an object with the keys t, poses, velocities, contacts, energy"
    );
}

#[test]
fn a_resumed_recording_keeps_all_digits() {
    let folder = folder();
    let definition = definition(&folder);
    let turned = |time: f64| {
        let mut moment = moment(time, 1.0 / 3.0);
        let turn = DQuat::from_rotation_x(time.exp());
        moment.poses[1] = Pose::new(DVec3::new(time.sqrt(), 1e-17, -0.7), turn).unwrap();
        moment.velocities[0][1] = DVec3::splat(time.ln());
        moment
    };
    let moments: Vec<SimulationState> = (1..40).map(|i| turned(f64::from(i) / 80.0)).collect();
    let lines: String = moments.iter().map(|moment| recording::line(&definition, moment)).collect();
    let path = folder.path().join("run.jsonl");
    let resumed = |text: String| {
        std::fs::write(&path, text).unwrap();
        recording::read_resumable(&path, &definition)
    };
    let found = resumed(format!("{HEAD}\n{lines}")).unwrap();
    assert_eq!((found.moments, found.depth, found.warning), (moments.clone(), 1e-4, None));
    assert_eq!(found.lines, lines.as_bytes());
    // Its last line has no newline but is complete; then it is cut.
    let found = resumed(format!("{HEAD}\n\n{}", lines.trim_end())).unwrap();
    assert_eq!((found.lines.as_slice(), found.warning), (lines.as_bytes(), None));
    let found = resumed(format!("{HEAD}\n{}", &lines[..lines.len() - 3])).unwrap();
    assert_eq!(found.moments, moments[..38]);
    let warning = found.warning.unwrap();
    assert!(
        warning.contains("run.jsonl:40: the line is cut off") && warning.ends_with("the line before"),
        "{warning}"
    );
    // A recording that lasts a billionth longer than its scene ends with the scene.
    let longer = line(0.5 + 5e-10, 1.0) + "\n";
    assert_eq!(resumed(format!("{HEAD}\n{longer}")).unwrap().moments[0].time, 0.5);
    let error = resumed(format!("{HEAD}\n{}", line(0.0, 2.5))).unwrap_err().to_string();
    assert!(error.contains("body \"ball\" is not where the scene has it at time 0"), "{error}");
}

/// The scene in which the ball and the pin wait for their first contact: they rise, without joints.
fn waiting(folder: &TempDir) -> SimulationDefinition {
    let path = folder.path().join("drop.toml");
    let rises = "release = 'contact'\n[body.motion]\nkind = 'twist'\nlinear = [0, 0, 1]\nangular = [0, 0, 0]\n[[body]]";
    let text =
        SCENE.split("[[joint]]").next().unwrap().to_owned() + "[[body]]\nname = 'end'\nbox = [1, 1, 1]\n";
    let (head, tail) = text.split_once("name = 'ball'").unwrap();
    std::fs::write(&path, format!("{head}name = 'ball'{}", tail.replace("[[body]]", rises))).unwrap();
    scene::build::simulation(&scene::file::read(&path).unwrap(), &path).unwrap().definition
}

#[test]
fn releases_are_recorded_and_resumed() {
    let folder = folder();
    let definition = waiting(&folder);
    let pose = |z: f64| Pose::new(DVec3::new(0.0, 0.0, z), DQuat::IDENTITY).unwrap();
    let at = |time: f64, released: &[Released]| SimulationState {
        poses: vec![pose(2.0 + time), pose(3.0 + time)],
        released: released.to_vec(),
        ..moment(time, 0.0)
    };
    // The ball is body 2 of the scene, and the first of the recording.
    let [ball, pin] = [(2, 0.125), (3, 0.25)].map(|(body, time)| Released { body, time });
    let moments = vec![at(0.0, &[]), at(0.125, &[ball]), at(0.3125, &[ball, pin])];
    let lines: Vec<String> = moments.iter().map(|moment| recording::line(&definition, moment)).collect();
    assert!(!lines[0].contains("released"), "{}", lines[0]);
    let reported = r#","released":[{"body":"ball","t":0.125},{"body":"pin","t":0.25}],"contacts":[],"#;
    assert!(lines[2].contains(reported), "{}", lines[2]);

    let path = folder.path().join("run.jsonl");
    let resumed = |lines: &[String]| {
        std::fs::write(&path, format!("{HEAD}\n{}", lines.concat())).unwrap();
        recording::read_resumable(&path, &definition)
            .map_err(|error| error.to_string().replace(&format!("{}", path.display()), "run.jsonl"))
    };
    assert_eq!(resumed(&lines).unwrap().moments, moments);
    // It is also played: the releases with their times, by the numbers of the scene, and the bodies that still wait
    // at the end.
    let releases = |lines: &[String]| {
        std::fs::write(&path, format!("{HEAD}\n{}", lines.concat())).unwrap();
        recording::read(&path).unwrap().dynamics.releases
    };
    let [of_ball, of_pin] = [ball, pin].map(|own| RecordedRelease { body: own.body, time: Some(own.time) });
    assert_eq!(releases(&lines), [of_ball, of_pin]);
    assert_eq!(releases(&lines[..2]), [of_ball, RecordedRelease { time: None, ..of_pin }]);

    let refused = |line: usize, from: &str, to: &str, reported: &str| {
        let mut lines = lines.clone();
        assert!(lines[line].contains(from), "{}", lines[line]);
        lines[line] = lines[line].replace(from, to);
        assert_eq!(resumed(&lines).unwrap_err(), reported);
    };
    let name = "expected the name of one of the bodies, once";
    refused(1, "\"ball\"", "\"fan\"", &format!("run.jsonl:3: released[0].body: found \"fan\", {name}"));
    refused(2, "\"pin\"", "\"ball\"", &format!("run.jsonl:4: released[1].body: found \"ball\", {name}"));
    let order = "expected a time that is not before the one before it, and not after the line";
    refused(2, "0.25}", "0.1}", &format!("run.jsonl:4: released[1].t: found 0.1, {order}"));
    refused(1, "0.125}", "0.2}", &format!("run.jsonl:3: released[0].t: found 0.2, {order}"));
    let list = "expected a list of bodies that were released, those of the line before first";
    refused(
        2,
        "[{\"body\":\"ball\",\"t\":0.125},",
        "[",
        &format!("run.jsonl:4: released: found a list of length 1, {list}"),
    );
    let all = "\"released\":[{\"body\":\"ball\",\"t\":0.125},{\"body\":\"pin\",\"t\":0.25}],";
    refused(2, all, "", &format!("run.jsonl:4: released: the key is missing, {list}"));
    refused(
        1,
        "\"body\":",
        "\"bodies\":",
        "run.jsonl:3: released[0].bodies: found an unknown key, expected one of body, t",
    );
    // The pin still waits, and is not where its motion has it.
    let other = "body \"pin\" is not where its motion has it at 0.125 s: is it of another scene?";
    let mut simulated_scene = at(0.125, &[ball]);
    simulated_scene.poses[1] = pose(3.5);
    let text = [lines[0].clone(), recording::line(&definition, &simulated_scene)];
    assert_eq!(resumed(&text).unwrap_err(), format!("run.jsonl: {other}"));
    // In the changed scene they do not wait any more.
    let free = {
        let path = folder.path().join("drop.toml");
        std::fs::write(&path, SCENE).unwrap();
        scene::build::simulation(&scene::file::read(&path).unwrap(), &path).unwrap().definition
    };
    std::fs::write(&path, format!("{HEAD}\n{}", lines[1])).unwrap();
    let reported = recording::read_resumable(&path, &free).unwrap_err().to_string();
    assert!(
        reported.contains("body \"ball\" was released at its first contact, and is dynamic from time 0"),
        "{reported}"
    );
}
