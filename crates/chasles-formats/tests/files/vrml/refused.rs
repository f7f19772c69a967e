//! Bad worlds: an error with line and column, in bounded time and memory, however deep or long they are.

use std::path::Path;

use chasles_formats::vrml;

use crate::vrml::support::{HEADER, facts, refused, world};

#[test]
fn errors_name_line_and_column() {
    for (text, expected) in [
        ("Shape { geometry Box { size 1 2 } }", "2:24: size: found 2 numbers, expected 3 numbers"),
        ("Shape { geometry Box { size 1 2 -3 } }", "2:33: size: found -3, expected a number of at least 0"),
        (
            "Shape { geometry Box { size 1 2 1e400 } }",
            "2:33: found \"1e400\", expected a number of at most 1.8e308",
        ),
        ("Shape { geometry Box { size 1 2 nan } }", "2:37: found }, expected the value of nan"),
        ("Shape { geometry Box { size nan 1 2 } }", "2:29: found \"nan\", expected a number"),
        ("Shape { geometry Sphere { radius 0 } }", "2:27: radius: found 0, expected a number greater than 0"),
        ("Shape { geometry Cone { side 1 } }", "2:25: side: found 1 number, expected TRUE or FALSE"),
        ("Shape { geometry [ Box { } Box { } ] }", "2:9: geometry: found 2 nodes, expected one"),
        (
            "Transform { scale 0 1 1 children Shape { } }",
            "2:19: scale: found 0, expected a scale that leaves a body",
        ),
        ("Transform { rotation 0 0 0 1 }", "rotation: found the axis 0 0 0 with the angle 1"),
        ("Group { children [ USE A ] }", "2:24: found USE A, expected a name that DEF gave before"),
        ("DEF A Group { children [ USE A ] }", "2:30: found USE A inside the node of that name"),
        ("Group { children [ Shape { } }", "2:30: found }, expected a node"),
        ("Group { children Shape { } ", "found the end of the file inside the element that starts at 2:1"),
        ("Group { children [ ] children [ ] }", "2:22: found children a second time in one Group"),
        ("Shape { } }", "2:11: found }, expected a node"),
        ("Shape", "2:6: found the end of the file, expected {"),
        ("WorldInfo { title \"a }", "2:19: found a string that does not end"),
        ("ROUTE A.x TO B.y", "2:1: found a ROUTE of A, expected a name that DEF gives"),
        ("ROUTE A TO B", "2:7: found \"A\", expected a node and its event"),
        (
            "Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [ 1 2 3 ] } }",
            "found 3 heights, expected xDimension 2 times",
        ),
        (
            "Shape { geometry ElevationGrid { xDimension 1.5 } }",
            "xDimension: found 1.5, expected a whole number",
        ),
        (
            "Shape { geometry Extrusion { spine [ 0 0 0, 0 1 0, 0 2 0 ] scale [ 1 1, 2 2 ] } }",
            "found 2 values of scale, expected one",
        ),
        (
            "Shape { geometry IndexedFaceSet { coord Group { } } }",
            "found Group as coord, expected Coordinate",
        ),
        (
            "Shape { geometry IndexedFaceSet { coord Coordinate { point [ 1 2 ] } } }",
            "2:54: point: found 2 numbers, expected 3 for each",
        ),
    ] {
        let message = refused(text);
        assert!(message.starts_with("world.wrl:") && message.contains(expected), "{message} for {text}");
    }
}

/// Ignoring a name that does not exist would leave a field at its default, or leave out a motion.
#[test]
fn misspelled_names_are_errors() {
    let clock = "DEF A Transform { } DEF T TimeSensor { } DEF I PositionInterpolator { } DEF O OrientationInterpolator { }
        PROTO P [ exposedField SFVec3f place 0 0 0 ] { Group { } } DEF Q P { }\n";
    let route = |route: &str| format!("{clock}ROUTE {route}");
    for (text, expected) in [
        (
            "Transform { translate 1 0 0 }".into(),
            "2:13: Transform has no field \"translate\": did you mean \"translation\"?",
        ),
        (
            "Transform { rotate 0 0 1 1 }".into(),
            "2:13: Transform has no field \"rotate\": did you mean \"rotation\"?",
        ),
        (
            "Shape { geometry Box { Size 1 1 1 } }".into(),
            "2:24: Box has no field \"Size\": did you mean \"size\"?",
        ),
        (
            "Group { childern Shape { } }".into(),
            "2:9: Group has no field \"childern\": did you mean \"children\"?",
        ),
        ("Transfrom { }".into(), "2:1: found the node \"Transfrom\": did you mean Transform?"),
        (
            "Shape { geometry IndexFaceSet { } }".into(),
            "2:18: found the node \"IndexFaceSet\": did you mean IndexedFaceSet?",
        ),
        (
            "PROTO P [ field SFVec3f size 1 1 1 ] { Group { } } P { sise 1 1 1 }".into(),
            "P has no field \"sise\": did you mean \"size\"?",
        ),
        (
            route("I.value_changed TO A.set_position"),
            "4:1: found a ROUTE of \"set_position\", which Transform does not have: did you mean \"set_translation\"?",
        ),
        (
            route("O.value_changed TO A.orientation"),
            "4:1: found a ROUTE of \"orientation\", which Transform does not have: did you mean \"rotation\"?",
        ),
        (
            route("T.fraction_change TO I.set_fraction"),
            "4:1: found a ROUTE of \"fraction_change\", which TimeSensor does not have: did you mean \"fraction\"?",
        ),
        (
            route("T.fraction_changed TO I.set_time"),
            "4:1: found a ROUTE of \"set_time\", which PositionInterpolator does not have: did you mean \"set_fraction\"?",
        ),
        (
            route("I.value_changed TO Q.set_palce"),
            "4:1: found a ROUTE of \"set_palce\", which P does not have: did you mean \"set_place\"?",
        ),
    ] {
        let message = refused(&text);
        assert!(message.starts_with("world.wrl:") && message.contains(expected), "{message} for {text}");
    }
    // Names that resemble no known name are left out with a warning. Events may be named with `set_` or `_changed`, or
    // without.
    for fine in [
        "Transform { position 1 0 0 }".to_owned(),
        "GeoTransform { translation 0 0 0 } TriangleSet2D { } TransformSensor { } HAnimJoint { }".into(),
        route("I.value_changed TO A.set_translation"),
        route("I.value TO A.translation"),
        route("I.value_changed TO Q.set_place"),
        format!("{clock} DEF S Script {{ }} ROUTE S.anything TO A.addChildren"),
    ] {
        world(&fine);
    }
    let xml = "<X3D><Scene><Transform translatoin='1 0 0'/></Scene></X3D>";
    let message = vrml::parse(xml.as_bytes(), Path::new("w.x3d")).map(|_| ()).unwrap_err().to_string();
    assert_eq!(message, "w.x3d:1:24: Transform has no field \"translatoin\": did you mean \"translation\"?");
}

/// Changes that follow from a clock alone are motion. Changes by a person or a script are not followed, and give a
/// warning.
#[test]
fn clocks_that_change_shapes_are_refused() {
    let text = |route: &str, more: &str| {
        format!(
            "DEF T TimeSensor {{ }} DEF I PositionInterpolator {{ }} DEF N IntegerSequencer {{ }} {more}
             DEF A Switch {{ whichChoice 0 choice Shape {{ geometry DEF B Box {{ }} }} }} ROUTE {route}"
        )
    };
    let of = |text: &str| world(text).scene(&vrml::VrmlOptions::default());
    let driven = "ROUTE T.fraction_changed TO N.set_fraction";
    for text in [text("I.value_changed TO B.set_size", ""), text("N.value_changed TO A.whichChoice", driven)]
    {
        let message = of(&text).unwrap_err().to_string();
        assert!(message.contains("with time: only rigid bodies are checked"), "{message} for {text}");
    }
    let by_hand = of(&text("N.value_changed TO A.whichChoice", "")).unwrap();
    assert!(by_hand.warnings[0].contains("which is not followed"), "{:?}", by_hand.warnings);
}

/// Omitted geometry that seems to occupy space would be space proven free.
#[test]
fn geometry_outside_of_a_shape_is_refused() {
    let found = |kind: &str| {
        format!("found {kind} where no geometry is allowed, expected it as the geometry of a Shape")
    };
    for (text, place, kind) in [
        ("Box { }", "2:1", "Box"),
        ("Transform { children [ Shape { } Box { } ] }", "2:34", "Box"),
        ("Group { children Sphere { } }", "2:18", "Sphere"),
        ("Transform { geometry Cone { } }", "2:22", "Cone"),
        ("Shape { appearance Cylinder { } }", "2:20", "Cylinder"),
        ("Collision { proxy Box { } }", "2:19", "Box"),
        ("Anchor { children IndexedFaceSet { } }", "2:19", "IndexedFaceSet"),
        // Chosen or not, first level or not.
        ("Switch { choice Box { } }", "2:17", "Box"),
        ("LOD { level [ Group { } ElevationGrid { } ] }", "2:25", "ElevationGrid"),
        ("Group { children [ Shape { geometry DEF B Box { } } USE B ] }", "2:37", "Box"),
        ("PROTO P [] { Group { children Extrusion { } } } P { }", "2:31", "Extrusion"),
        // In a prototype.
        ("PROTO P [] { Box { } } Group { children P { } }", "2:14", "Box"),
        ("PROTO P [ field SFNode n NULL ] { Group { children IS n } } P { n Box { } }", "2:67", "Box"),
        ("Group { children IndexedLineSet { } }", "2:18", "IndexedLineSet"),
    ] {
        assert_eq!(refused(text), format!("world.wrl:{place}: {}", found(kind)), "{text}");
    }
    // It is allowed as the geometry of a Shape, and an unknown node is omitted with a warning.
    for text in [
        "PROTO P [] { Box { } } Shape { geometry P { } }",
        "PROTO P [ field SFNode n Box { } ] { Shape { geometry IS n } } P { }",
        "Strange { children Box { } }",
        "Script { field SFNode n Box { } }",
    ] {
        world(text);
    }
}

#[test]
fn indices_without_a_point_are_errors_with_location() {
    let set = |index: &str| {
        format!(
            "Shape {{ geometry IndexedFaceSet {{ coord Coordinate {{ point [ 0 0 0, 1 0 0, 0 1 0 ] }}\ncoordIndex [ {index} ] }} }}"
        )
    };
    for (index, expected) in [
        (
            "0 1 2 -1 0 1 3 -1",
            "world.wrl:3:27: coordIndex: found 3, expected 0 to 2, or -1 at the end of a face",
        ),
        ("0 1 -2", "world.wrl:3:18: coordIndex: found -2"),
        ("0 1 1.5", "world.wrl:3:18: coordIndex: found 1.5"),
        ("0 1 4294967296", "world.wrl:3:18: coordIndex: found 4294967296"),
    ] {
        let message = refused(&set(index));
        assert!(message.starts_with(expected), "{message} for {index}");
    }
    assert!(
        refused("Shape { geometry IndexedFaceSet { coordIndex [ 0 1 2 ] } }")
            .contains("expected none: there are no points")
    );
}

#[test]
fn other_languages_are_refused() {
    for (text, expected) in [
        (
            "#VRML V1.0 ascii\nSeparator { Cube { } }",
            "w.wrl:1:1: found \"#VRML V1.0 ascii\", expected #VRML V2.0 utf8",
        ),
        ("#Inventor V2.1 ascii\n", "expected #VRML V2.0 utf8"),
        ("", "found an empty file, expected #VRML V2.0 utf8"),
        (" \n\t\n", "found an empty file"),
        ("\u{feff}", "found an empty file"),
    ] {
        let message = vrml::parse(text.as_bytes(), Path::new("w.wrl")).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    let utf16: Vec<u8> = "#VRML V2.0 utf8".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let message =
        vrml::parse(&[&[0xff, 0xfe], &utf16[..]].concat(), Path::new("w.wrl")).map(|_| ()).unwrap_err();
    assert!(message.to_string().contains("found UTF-16"));
}

#[test]
fn no_depth_overflows_the_stack() {
    const DEEP: usize = 200_000;
    let open = "Transform { translation 1 0 0 children [ ";
    let deep = format!("{}Shape {{ geometry Box {{ }} }}{}", open.repeat(DEEP), " ] }".repeat(DEEP));
    let [lo, _] = facts(&deep).bounds.unwrap();
    assert_eq!(lo.x, DEEP as f64 - 1.0);
    assert!(
        refused(&open.repeat(DEEP)).contains("found the end of the file inside the element that starts at")
    );
    assert!(refused(&"[".repeat(1_000_000)).contains("2:1: found [, expected a node"));
    assert!(refused(&"PROTO A [ ] { ".repeat(DEEP)).contains("found PROTOs in each other deeper than 64"));
    let xml = format!("<X3D><Scene>{}{}</Scene></X3D>", "<Group>".repeat(DEEP), "</Group>".repeat(DEEP));
    assert!(vrml::parse(xml.as_bytes(), Path::new("w.x3d")).unwrap().facts().unwrap().bodies.is_empty());
}

#[test]
fn exponential_expansion_is_stopped() {
    let double = |i: usize| format!("DEF A{} Group {{ children [ USE A{i} USE A{i} ] }}\n", i + 1);
    let text: String = (0..60).map(double).collect();
    let message = refused(&format!("DEF A0 Group {{ }}\n{text}"));
    assert!(message.contains("found more than 1048576 nodes"), "{message}");
    let double =
        |i: usize| format!("PROTO A{} [ ] {{ Group {{ children [ A{i} {{ }} A{i} {{ }} ] }} }}\n", i + 1);
    let text: String = (0..60).map(double).collect();
    let message = refused(&format!("PROTO A0 [ ] {{ Group {{ }} }}\n{text}A60 {{ }}"));
    assert!(message.contains("found more than 1048576 nodes"), "{message}");
    let points = "1 2 ".repeat(20_000);
    let spine = "1 2 3 ".repeat(20_000);
    let message =
        refused(&format!("Shape {{ geometry Extrusion {{ crossSection [ {points} ] spine [ {spine} ] }} }}"));
    assert!(message.contains("more vertices and triangles in this world than can be held"), "{message}");
    let names: String = (0..20_000)
        .map(|i| format!("DEF A{i} Group {{ children [ Shape {{ geometry Box {{ }} }} "))
        .collect();
    let message = refused(&(names + &" ] }".repeat(20_000)));
    assert!(message.contains("found names of bodies of more than"), "{message}");
}

#[test]
fn long_lines_and_many_warnings_take_no_longer() {
    let fields: String = (0..100_000).map(|i| format!("f{i} 1 ")).collect();
    let info = facts(&format!("Group {{ {fields} }}"));
    assert_eq!(info.warnings.len(), 1002, "the first thousand, how many more, and that nothing is there");
    let info = facts(&format!("# {}\nShape {{ geometry Box {{ }} }}", "x".repeat(10_000_000)));
    assert_eq!(info.triangles(), 12);
    let message = refused(&"x".repeat(1_000_000));
    assert!(message.len() < 200, "{message}");
}

#[test]
fn every_cut_of_a_file_is_refused_or_read() {
    let text = format!(
        "{HEADER}DEF A Transform {{ rotation 0 0 1 2 children [ Shape {{ geometry Box {{ size 1 2 3 }} }} ] }}\nROUTE A.x TO A.y\n"
    );
    let read = |end: usize| vrml::parse(&text.as_bytes()[..end], Path::new("w.wrl"));
    // The text is complete between two statements.
    let whole: Vec<usize> = (HEADER.len() + 1..text.len()).filter(|end| read(*end).is_ok()).collect();
    let first = text.find("\nROUTE").unwrap();
    assert!(
        whole.iter().all(|end| [first, first + 1].contains(end) || text[..*end].ends_with("A.y")),
        "{whole:?}"
    );
}
