//! `chasles pairs`: exempt pairs of links, proposed by samples, proven or refuted by paths.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Folder, Run};

/// At every rotation of the hub, its bar protrudes from the base on both sides. The tool is far above. The jaws touch
/// when both have moved 0.7 m in total. The needle, 3 mm thick, hits the pin only while the pin is within 3 mm of its
/// height, of 10 m.
const RIG: &str = r#"<robot name="rig">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="ring"/>
  <link name="hub"><collision><geometry><box size="0.4 0.05 0.05"/></geometry></collision></link>
  <link name="tool"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="left"><collision><geometry><box size="0.5 0.5 0.5"/></geometry></collision></link>
  <link name="right"><collision><geometry><box size="0.5 0.5 0.5"/></geometry></collision></link>
  <link name="needle">
    <collision><origin xyz="0.25 0 0"/><geometry><box size="0.5 0.003 0.003"/></geometry></collision>
  </link>
  <link name="pin"><collision><geometry><box size="0.003 0.003 0.003"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="ring"/><axis xyz="0 0 1"/></joint>
  <joint name="glue" type="fixed"><parent link="ring"/><child link="hub"/></joint>
  <joint name="reach" type="prismatic">
    <parent link="hub"/><child link="tool"/><origin xyz="0 0 5"/><axis xyz="0 0 1"/><limit lower="0" upper="0.1"/>
  </joint>
  <joint name="l" type="prismatic">
    <parent link="base"/><child link="left"/><origin xyz="10 0 0"/><axis xyz="1 0 0"/><limit lower="0" upper="1"/>
  </joint>
  <joint name="r" type="prismatic">
    <parent link="base"/><child link="right"/><origin xyz="11.2 0 0"/><axis xyz="-1 0 0"/><limit lower="0" upper="1"/>
  </joint>
  <joint name="swing" type="revolute">
    <parent link="base"/><child link="needle"/><origin xyz="0 0 2"/><axis xyz="0 0 1"/><limit lower="-3" upper="3"/>
  </joint>
  <joint name="lift" type="prismatic">
    <parent link="base"/><child link="pin"/><origin xyz="0.4 0 2"/><axis xyz="0 0 1"/><limit lower="-5" upper="5"/>
  </joint>
</robot>"#;

/// Past the pin at its height, and above it.
const MEETS: &str = "time,swing,lift\n0,-1,0\n1,1,0\n";
const PASSES: &str = "time,swing,lift\n0,-1,0.1\n1,1,0.1\n";

fn folder() -> Folder {
    let folder = Folder::new();
    let files = [("rig.urdf", RIG), ("meets.csv", MEETS), ("passes.csv", PASSES)];
    files.iter().for_each(|(name, text)| folder.write(name, text));
    folder
}

fn pairs(folder: &Folder, more: &[&str]) -> Run {
    folder.run(&[&["pairs", "rig.urdf"], more].concat())
}

/// The pairs of a report by the names of their links.
fn reported(run: &Run) -> BTreeMap<String, Value> {
    let report = run.json().remove(0);
    let named = |pair: &Value| (format!("{} {}", pair["a"], pair["b"]).replace('"', ""), pair.clone());
    report["pairs"].as_array().unwrap().iter().map(named).collect()
}

#[test]
fn reasons_are_found_in_configurations() {
    let folder = folder();
    let run = pairs(&folder, &["--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let report = run.json().remove(0);
    assert_eq!(
        (&report["format"], &report["postures"], &report["seed"]),
        (&1.into(), &2000.into(), &1.into())
    );
    let found = reported(&run);
    // Seven links have a surface.
    assert_eq!(found.len(), 21);
    for (pair, row) in &found {
        let (reason, touching) = match pair.as_str() {
            "base left" | "base right" | "base needle" | "base pin" => ("Adjacent", Some(0)),
            "hub tool" => ("Adjacent", Some(0)),
            "base hub" => ("Always", Some(2000)),
            "left right" => ("Sometimes", None),
            _ => ("Never", Some(0)),
        };
        assert_eq!((row["reason"].as_str(), row["disabled"].as_bool()), (Some(reason), Some(false)), "{row}");
        assert!(touching.is_none_or(|count| row["touching"] == count), "{row}");
        assert_eq!((&row["proposed"], &row["on_paths"]), (&json!(reason != "Sometimes"), &Value::Null));
    }
    // In the square of the two positions, the triangle with a sum of less than 0.7 m is free.
    let touching = found["left right"]["touching"].as_f64().unwrap() / 2000.0;
    assert!((touching - (1.0 - 0.5 * 0.7 * 0.7)).abs() < 0.05, "{touching}");
    // Links in the order of the file.
    let first: Vec<&Value> =
        report["pairs"].as_array().unwrap().iter().take(7).map(|pair| &pair["b"]).collect();
    assert_eq!(first, ["hub", "tool", "left", "right", "needle", "pin", "tool"]);
}

#[test]
fn the_table_equals_the_json() {
    let folder = folder();
    let run =
        pairs(&folder, &["--postures", "100", "--seed", "7", "--path", "passes.csv", "--path", "meets.csv"]);
    let begins = "rig.urdf: 100 configurations, seed 7\n  \
                  link    link    reason     touching  disabled  on paths\n  \
                  base    hub     Always      100.0 %            overlapping\n  \
                  base    tool    Never         0.0 %            clear\n  \
                  base    left    Adjacent      0.0 %            not tested\n";
    assert!(run.stdout.starts_with(begins), "{}", run.stdout);
    assert!(
        run.stdout.contains("\n  needle  pin     Never         0.0 %            contact\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("\n  hub     needle  Never         0.0 %            clear\n"),
        "{}",
        run.stdout
    );
    // On the paths the needle moves past hub, tool and jaws, and hits the pin; all other pairs rest.
    let ends = "\n19 of 21 pairs could be exempt\non the paths: 13 of those that never touched are proven clear; \
                exemptions refuted: 1\n";
    assert!(run.stdout.ends_with(ends), "{}", run.stdout);
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    let ends =
        "\n20 of 21 pairs could be exempt\nsamples are not proofs: --path proves or refutes it for a path\n";
    let run = pairs(&folder, &["--postures", "100"]);
    assert!(run.stdout.ends_with(ends) && run.status == Some(0), "{}", run.stdout);
}

/// The jaws overlap and rest during the whole path: only the needle moves.
#[test]
fn a_path_with_lasting_contact_refutes_an_exemption() {
    let folder = folder();
    folder.write("rests.csv", "time,swing,lift,l,r\n0,-1,1,0.65,0.65\n1,1,1,0.65,0.65\n");
    let exempt =
        "<robot name=\"rig\"><disable_collisions link1=\"right\" link2=\"left\" reason=\"User\"/></robot>";
    folder.write("rig.srdf", exempt);
    let run = pairs(&folder, &["--postures", "100", "--path", "rests.csv", "--srdf", "rig.srdf"]);
    assert!(run.stdout.contains(" yes       overlapping\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("; exemptions refuted: 1\n") && run.status == Some(1), "{}", run.stdout);
    let found = reported(&pairs(&folder, &["--json", "--postures", "100", "--path", "rests.csv"]));
    assert_eq!(found["left right"]["on_paths"], "overlapping");
}

#[test]
fn a_path_refutes_an_exemption_that_samples_propose() {
    let folder = folder();
    let run =
        pairs(&folder, &["--json", "--postures", "20000", "--path", "meets.csv", "--write", "out.srdf"]);
    let found = reported(&run);
    let row = &found["needle pin"];
    assert_eq!((row["reason"].as_str(), row["touching"].as_u64()), (Some("Never"), Some(0)));
    assert_eq!((row["on_paths"].as_str(), row["proposed"].as_bool()), (Some("contact"), Some(false)));
    assert_eq!(run.status, Some(1));
    let text = folder.read("out.srdf");
    assert_eq!(text.matches("<disable_collisions ").count(), 19, "{text}");
    assert!(text.starts_with("<?xml version=\"1.0\"?>\n<robot name=\"rig\">\n  <disable_collisions link1=\"base\" link2=\"hub\" reason=\"Always\"/>\n"), "{text}");
    // With these exemptions the contact is still found, at the angle at which the needle's side meets the pin's near
    // corner.
    let check = folder.run(&["check", "rig.urdf", "--path", "meets.csv", "--srdf", "out.srdf", "--json"]);
    let report = check.json().remove(0);
    // The jaws rest.
    assert_eq!((&report["pairs_tested"], &report["verdict"]), (&2.into(), &"contact".into()));
    let (x, half) = (0.4 - 0.0015, 0.0015_f64);
    let angle = -(half.atan2(x) + (half / x.hypot(half)).asin());
    let enter = report["pairs"][0]["intervals"][0]["enter"][1].as_f64().unwrap();
    assert!((enter - (angle + 1.0) / 2.0).abs() < 1e-6, "{enter}");
    // A pair that is exempt already, and should not be, is refuted too.
    folder.write(
        "wrong.srdf",
        text.replace("</robot>", "<disable_collisions link1='pin' link2='needle' reason='User'/></robot>"),
    );
    let run = pairs(&folder, &["--json", "--postures", "10", "--srdf", "wrong.srdf", "--path", "meets.csv"]);
    let found = reported(&run);
    assert_eq!((run.status, &found["needle pin"]["disabled"]), (Some(1), &true.into()));
    assert_eq!(found["left right"]["disabled"], false);
    let clear =
        pairs(&folder, &["--json", "--postures", "10", "--srdf", "wrong.srdf", "--path", "passes.csv"]);
    assert_eq!((clear.status, &reported(&clear)["needle pin"]["proposed"]), (Some(0), &true.into()));
}

#[test]
fn written_files_read_back_equal() {
    let folder = folder();
    let run = pairs(&folder, &["--write", "out.srdf", "--json"]);
    let again = pairs(&folder, &["--srdf", "out.srdf", "--json"]);
    let (first, second) = (reported(&run), reported(&again));
    assert_eq!((run.status, again.status, again.stderr.as_str()), (Some(0), Some(0), ""));
    for (pair, row) in &second {
        assert_eq!(
            (&row["disabled"], &row["touching"]),
            (&first[pair]["proposed"], &first[pair]["touching"])
        );
    }
    // Links that always touch do so on a path too, which refutes nothing.
    folder.write("turn.csv", "time,turn,swing\n0,0,1\n1,3,1\n");
    let run = pairs(&folder, &["--srdf", "out.srdf", "--path", "turn.csv", "--json"]);
    assert_eq!((run.status, &reported(&run)["base hub"]["on_paths"]), (Some(0), &"overlapping".into()));
    // Touching sometimes is no reason: if such a pair is exempt nevertheless, a path with contact refutes it.
    folder.write("jaws.srdf", "<robot name='rig'><disable_collisions link1='left' link2='right'/></robot>");
    folder.write("close.csv", "time,l,r,swing\n0,0,0,1\n1,0.5,0.5,1\n");
    folder.write("open.csv", "time,l,r,swing\n0,0,0,1\n1,0.3,0.3,1\n");
    let status = |path: &str| pairs(&folder, &["--srdf", "jaws.srdf", "--path", path]).status;
    assert_eq!((status("close.csv"), status("open.csv")), (Some(1), Some(0)));
    assert_eq!(pairs(&folder, &["--path", "close.csv"]).status, Some(0));
    // Names with special characters are escaped.
    let odd = |text: &str| text.replace("\"left\"", "\"a&amp;b &lt;&quot;'&gt; \u{fc}\"");
    folder.write("odd.urdf", odd(RIG));
    let run = folder.run(&["pairs", "odd.urdf", "--postures", "50", "--write", "odd.srdf"]);
    assert_eq!(run.status, Some(0));
    let run = folder.run(&["pairs", "odd.urdf", "--postures", "50", "--srdf", "odd.srdf", "--json"]);
    assert_eq!(reported(&run).values().filter(|row| row["disabled"] == true).count(), 20, "{}", run.stderr);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let folder = folder();
    let with = |seed: &str, threads: &str| -> Run {
        let args = ["pairs", "rig.urdf", "--json", "--seed", seed, "--postures", "500"];
        folder.program(&args).env("RAYON_NUM_THREADS", threads).output().unwrap().into()
    };
    let first = with("5", "1");
    assert_eq!(first, with("5", "3"));
    assert_ne!(
        reported(&first)["left right"]["touching"],
        reported(&with("6", "1"))["left right"]["touching"]
    );
}

#[test]
fn invalid_input_is_reported() {
    let folder = folder();
    folder.write("free.urdf", RIG.replace("<limit lower=\"-5\" upper=\"5\"/>", ""));
    folder.write("bad.csv", "time,lift\n0,0\n1,6\n");
    let before = folder.names();
    let cases: [(&[&str], &str); 8] = [
        (&["pairs", "free.urdf"], "lift"),
        (&["pairs", "gone.urdf"], "gone.urdf: cannot be read: "),
        (&["pairs", "rig.urdf", "--path", "gone.csv"], "gone.csv: cannot be read: "),
        (&["pairs", "rig.urdf", "--path", "bad.csv"], "bad.csv:3: found the joint \"lift\" at 6"),
        (&["pairs", "rig.urdf", "--srdf", "gone.srdf"], "gone.srdf: cannot be read: "),
        (&["pairs", "rig.urdf", "--postures", "0"], "--postures"),
        (
            &["pairs", "rig.urdf", "--write", "./rig.urdf"],
            "./rig.urdf: is an input file, which is never overwritten",
        ),
        (
            &["pairs", "rig.urdf", "--path", "meets.csv", "--write", "meets.csv"],
            "meets.csv: is an input file",
        ),
    ];
    for (args, message) in cases {
        let run = folder.run(args);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(run.stderr.contains(message), "{message:?} in {}", run.stderr);
    }
    assert_eq!((folder.names(), folder.read("rig.urdf").as_str()), (before, RIG));
    // A bad path leaves an older file unchanged.
    folder.write("out.srdf", "old");
    pairs(&folder, &["--path", "bad.csv", "--write", "out.srdf"]);
    assert_eq!(folder.read("out.srdf"), "old");
}

#[test]
fn angles_of_paths_may_be_in_degrees() {
    let folder = folder();
    folder.write("degrees.csv", "time,swing,lift\n0,-57,0\n1,57,0\n");
    let rig = ["--postures", "10", "--seed", "1", "--json", "--path"];
    let needle = |run: &Run| reported(run)["needle pin"]["on_paths"].clone();
    let run = pairs(&folder, &[&rig[..], &["degrees.csv", "--degrees"]].concat());
    assert_eq!((run.stderr.as_str(), needle(&run)), ("", json!("contact")));
    assert_eq!(needle(&pairs(&folder, &[&rig[..], &["meets.csv"]].concat())), json!("contact"));
    // 57 radians exceed the limits of the swing, and look like degrees.
    let run = pairs(&folder, &[&rig[..], &["degrees.csv"]].concat());
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("degrees.csv: angles look like degrees"), "{}", run.stderr);
    folder
        .run(&["pairs", "rig.urdf", "--degrees"])
        .refused("found --degrees without --path, expected a path whose angles are degrees");
}
