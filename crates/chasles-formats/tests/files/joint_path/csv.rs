//! Paths as CSV.

use chasles_formats::robot::joint_path::{PathFile, PathOptions, PathWaypoint, parse, read, to_csv};
use chasles_formats::{Error, ErrorLocation};
use chasles_testing::Random;

#[test]
fn common_variants_are_read() {
    let plain = "time,a,b\n0,1,2\n1.5,-3e-1,.5\n";
    let same = [
        plain.to_owned(),
        format!("\u{feff}{}", plain.replace('\n', "\r\n")),
        plain.replace('\n', "\r"),
        plain.trim_end().to_owned(),
        "# by hand\n\n  \ntime, a ,\tb\n 0 , 1,2 \n\n# the end\n1.5 , -3e-1 , .5\n\n".into(),
        "\"time\",\"a\",\" b \"\n\"0\",1,2\n1.5,\"-3e-1\" ,+0.5\n".into(),
        "a,time,b\n1,0,2\n-0.3,1.5,0.5\n".into(),
    ];
    for text in same {
        let path = super::read(&text, "p.csv").unwrap();
        assert_eq!(path.joints, ["a", "b"], "{text:?}");
        assert_eq!(super::numbers(&path), (vec![0.0, 1.5], vec![1.0, 2.0, -0.3, 0.5]), "{text:?}");
        assert!(path.waypoints.iter().all(|waypoint| waypoint.velocities.is_empty()));
        assert_eq!([path.waypoints[0].segment, path.waypoints[1].segment], [0, 1]);
    }
    let path = super::read("time,\"a \"\"1\"\", left\"\n\n0,1\n#\n2,2\n", "p.csv").unwrap();
    assert_eq!(path.joints, ["a \"1\", left"]);
    assert_eq!(
        (&path.waypoints[0].place, &path.waypoints[1].place),
        (&ErrorLocation::Line(3), &ErrorLocation::Line(5))
    );
}

#[test]
fn invalid_input_is_an_error_with_line() {
    let cases: [(&str, &str); 22] = [
        ("", "p.csv: found no line, expected a header `time,<joint>,<joint>,..`"),
        ("# nothing\n\n", "p.csv: found no line, expected a header `time,<joint>,<joint>,..`"),
        ("time,a\n", "p.csv: found no waypoint, expected at least two"),
        ("time,a\n0,1\n", "p.csv:2: found one waypoint, expected at least two"),
        (
            "a,b\n0,1\n1,2\n",
            "p.csv:1: found no column called time in `a,b`, expected a header `time,<joint>,<joint>,..` with commas \
             between them",
        ),
        (
            "Time;a\n0;1\n",
            "p.csv:1: found no column called time in `Time;a`, expected a header `time,<joint>,<joint>,..` with commas \
             between them; did you mean \"time\"?",
        ),
        (
            "Time,a\n0,1\n",
            "p.csv:1: found no column called time in `Time,a`, expected a header `time,<joint>,<joint>,..` with commas \
             between them; did you mean \"time\"?",
        ),
        ("time,a,time\n0,1,2\n", "p.csv:1: found 2 columns called time"),
        ("time\n0\n1\n", "p.csv:1: found no joint, expected at least one"),
        (
            "time,a,\n0,1,\n",
            "p.csv:1: found no name for column 3, expected a header `time,<joint>,<joint>,..`",
        ),
        ("\n\ntime,a,b,a\n0,1,2,3\n1,1,2,3\n", "p.csv:3: found the joint \"a\" twice, expected it once"),
        ("time,a,b\n0,1,2\n\n1,0.5\n", "p.csv:4: found 2 cells, expected 3, as in the header"),
        ("time,a\n0,1\n1,2,\n", "p.csv:3: found 3 cells, expected 2, as in the header"),
        ("time,a\n0,1\n1,half\n", "p.csv:3: a: found `half`, expected a finite number"),
        ("time,a\n0,1\n1,nan\n", "p.csv:3: a: found `nan`, expected a finite number"),
        ("time,a\n0,1\ninf,1\n", "p.csv:3: time: found `inf`, expected a finite number"),
        ("a,time,b\n0,1,1e999\n", "p.csv:2: b: found `1e999`, expected a finite number"),
        ("time,a\n0,\n", "p.csv:2: a: found an empty cell, expected a finite number"),
        (
            "time,a\n0,1\n1,2\n# again\n1,3\n",
            "p.csv:5: found the time 1 after 1, expected times that increase from waypoint to waypoint",
        ),
        (
            "time,a\n0,1\n-1,2\n",
            "p.csv:3: found the time -1 after 0, expected times that increase from waypoint to waypoint",
        ),
        ("time,\"a\n0,1\n", "p.csv:1: found `\\\"a`, expected a quote that ends the cell"),
        ("time,\"a\"b\n0,1\n", "p.csv:1: found `b` after a cell in quotes, expected a comma"),
    ];
    for (text, message) in cases {
        assert_eq!(super::read(text, "p.csv").unwrap_err(), message, "{text:?}");
    }
    let message =
        |bytes: &[u8]| parse(bytes, "p.csv".as_ref(), PathOptions::default()).unwrap_err().to_string();
    assert!(message(b"\xff\xfet\0i\0").starts_with("p.csv:1: not UTF-8: found `\\xff"));
    assert_eq!(message(b"time,a\n0,\xff\n"), "p.csv:2: a: found `\\xff`, expected a finite number");
}

#[test]
fn long_lines_and_many_numbers_have_bounds() {
    let row = format!("time,a\n0,1\n1,{}\n", "2,".repeat(50_000_000));
    let message = super::read(&row, "p.csv").unwrap_err();
    assert_eq!(message, "p.csv:3: found a line of 100000002 bytes, expected at most 1048576");
    let quote = format!("time,\"{}", "a".repeat(2_000_000));
    assert!(super::read(&quote, "p.csv").unwrap_err().starts_with("p.csv:1: found a line of 2000006 bytes"));
    // Enough names to reveal a slow search.
    let names: String = (0..150_000).map(|i| format!(",{i:x}")).collect();
    let message = super::read(&format!("time{names}\n0\n"), "p.csv").unwrap_err();
    assert_eq!(message, "p.csv:2: found 1 cells, expected 150001, as in the header");
    let zeros = ",0".repeat(150_000);
    let rows: String = (0..67).map(|i| format!("{i}{zeros}\n")).collect();
    let message = super::read(&format!("time{names}\n{rows}"), "p.csv").unwrap_err();
    assert_eq!(message, "p.csv:68: found more than 10000000 numbers, expected no more");
    let rows: String = (0..1_000_001).map(|i| format!("{i},0\n")).collect();
    let message = super::read(&format!("time,a\n{rows}"), "p.csv").unwrap_err();
    assert_eq!(message, "p.csv:1000002: found more than 1000000 waypoints, expected no more");
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gone.csv");
    let error = read(&file, PathOptions::default()).unwrap_err();
    assert!(
        matches!(error, Error { place: ErrorLocation::File, .. })
            && error.to_string().contains("gone.csv: cannot be read: ")
    );
    std::fs::write(&file, "time,a\n0,0\n1,1\n").unwrap();
    assert_eq!(read(&file, PathOptions::default()).unwrap().joints, ["a"]);
    let large = std::fs::File::create(&file).unwrap();
    large.set_len((1 << 28) + 1).unwrap();
    let message = read(&file, PathOptions::default()).unwrap_err().to_string();
    assert!(message.ends_with("found 268435457 bytes, expected at most 268435456"), "{message}");
}

/// Compares cells and quotes with another reader of CSV.
#[test]
fn cells_equal_those_of_another_reader() {
    let mut random = Random(11);
    let names = ["a", " b", "joint 3 ", "x,y", "say \"go\"", "é", "\"", ",", "a#b"];
    for seed in 0..chasles_testing::cases(500, 2000) {
        let mut columns: Vec<&str> = vec!["time"];
        for name in names {
            if random.below(2) == 0 {
                columns.push(name);
            }
        }
        if columns.len() == 1 {
            continue;
        }
        let (lead, end) = (random.below(columns.len()), ["\n", "\r\n"][random.below(2)]);
        columns.rotate_right(lead);
        let mut text = String::new();
        let mut cell = |cell: &str, text: &mut String| match random.below(3) {
            0 => text.push_str(&format!("\"{}\"", cell.replace('"', "\"\""))),
            _ if cell.contains(['"', ',']) => text.push_str(&format!("\"{}\"", cell.replace('"', "\"\""))),
            _ => text.push_str(cell),
        };
        let mut row = |cells: &[String], text: &mut String| {
            for (column, value) in cells.iter().enumerate() {
                text.push_str(if column > 0 { "," } else { "" });
                cell(value, text);
            }
            text.push_str(end);
        };
        row(&columns.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), &mut text);
        for i in 0..3 {
            let numbers = columns
                .iter()
                .map(|&name| if name == "time" { format!("{i}") } else { format!("{}.5e-{i}", name.len()) });
            row(&numbers.collect::<Vec<_>>(), &mut text);
        }
        let path = super::read(&text, "p.csv").unwrap_or_else(|error| panic!("{seed}: {error} in {text:?}"));
        let mut twin = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let headers: Vec<String> = twin.headers().unwrap().iter().map(str::to_owned).collect();
        let joints: Vec<&String> = headers.iter().filter(|name| *name != "time").collect();
        assert_eq!(path.joints.iter().collect::<Vec<_>>(), joints, "{seed}: {text:?}");
        for (record, waypoint) in twin.records().zip(&path.waypoints) {
            let record = record.unwrap();
            let values: Vec<f64> = record.iter().map(|cell| cell.parse().unwrap()).collect();
            let time = headers.iter().position(|name| name == "time").unwrap();
            assert_eq!(values[time], waypoint.time);
            let others: Vec<f64> = (0..values.len()).filter(|&i| i != time).map(|i| values[i]).collect();
            assert_eq!(others, waypoint.positions, "{seed}: {text:?}");
        }
    }
}

#[test]
fn written_data_read_back_equal() {
    let mut random = Random(5);
    for _ in 0..500 {
        let joints: Vec<String> = ["a", "b c", "x,y", "\"q\"", "é"]
            .iter()
            .take(1 + random.below(5))
            .map(|&name| name.to_owned())
            .collect();
        let mut time = 1e3 * random.side();
        let waypoints = (0..2 + random.below(4)).map(|segment| {
            time += 10_f64.powf(6.0 * random.side());
            let positions =
                joints.iter().map(|_| random.side() * 10_f64.powf(300.0 * random.side())).collect();
            PathWaypoint {
                time,
                positions,
                velocities: vec![],
                segment,
                place: ErrorLocation::Line(segment + 2),
            }
        });
        let waypoints = waypoints.collect();
        let path = PathFile {
            file: "p.csv".into(),
            joints_place: ErrorLocation::Line(1),
            joints,
            waypoints,
            may_be_cut: false,
        };
        let text = to_csv(&path).unwrap();
        assert_eq!(super::read(&text, "p.csv").as_ref(), Ok(&path), "{text}");
    }
    let mut path = super::read("time,a\n0,0\n1,1\n", "p.csv").unwrap();
    // Other kinds of whitespace than those stripped from a cell are part of the name.
    for name in ["\u{b}", "side\"\u{b}", "\u{a0}a\u{2003}"] {
        path.joints[0] = name.into();
        assert_eq!(super::read(&to_csv(&path).unwrap(), "p.csv").unwrap().joints, [name]);
    }
    for name in ["", " a", "a\nb", "time"] {
        path.joints[0] = name.into();
        let message = to_csv(&path).unwrap_err().to_string();
        assert_eq!(message, format!("p.csv: found the name {name:?}, which cannot be written as CSV"));
    }
    path.joints[0] = "a".into();
    path.waypoints[1].velocities = vec![1.0];
    assert_eq!(
        to_csv(&path).unwrap_err().to_string(),
        "p.csv: found velocities, which cannot be written as CSV"
    );
}
