//! Surfaces and their names, and which surfaces exist.

use std::io::Write;

use chasles_formats::vrml;

use crate::vrml::support::{HEADER, assert_bounds, bodies, facts, refused, world};

fn count(geometry: &str) -> usize {
    facts(&format!("Shape {{ geometry {geometry} }}")).triangles()
}

/// Six times the volume that the triangles of the only body enclose: positive if they face outward.
fn volume(geometry: &str) -> f64 {
    let text = format!("DEF A Transform {{ children Shape {{ geometry {geometry} }} }}");
    let robot = world(&text).robot(&["A.rotation".into()]).unwrap().definition;
    let link = robot.links.iter().find(|link| !link.elements.is_empty()).unwrap();
    let mesh = link.elements[0].shape.drawn();
    let corners = mesh.triangles().iter().map(|t| t.map(|corner| mesh.vertex(corner)));
    corners.map(|[a, b, c]| a.dot(b.cross(c))).sum()
}

#[test]
fn shapes_have_the_documented_triangles() {
    for (geometry, triangles) in [
        ("Box { }", 12),
        ("Sphere { }", 256),
        ("Cylinder { }", 64),
        ("Cylinder { top FALSE }", 48),
        ("Cylinder { top FALSE bottom FALSE }", 32),
        ("Cylinder { side FALSE }", 32),
        ("Cone { }", 32),
        ("Cone { bottom FALSE }", 16),
        ("Cone { side FALSE }", 16),
        ("Extrusion { }", 12),
        ("Extrusion { beginCap FALSE }", 10),
        ("Extrusion { crossSection [ 0 0, 1 0, 0 1 ] }", 6),
        ("ElevationGrid { xDimension 3 zDimension 2 height [ 0 0 0 1 1 1 ] }", 4),
        ("ElevationGrid { }", 0),
        ("IndexedFaceSet { }", 0),
        ("PointSet { coord Coordinate { point [ 0 0 0 ] } }", 0),
        ("Text { string \"a\" }", 0),
        ("NULL", 0),
    ] {
        assert_eq!(count(geometry), triangles, "{geometry}");
    }
}

#[test]
fn concave_faces_are_triangulated() {
    let points = "coord Coordinate { point [ 0 0 0, 4 0 0, 4 4 0, 2 1 0, 0 4 0, 9 9 9 ] }";
    let set = |rest: &str| format!("IndexedFaceSet {{ {points} {rest} }}");
    assert_eq!(count(&set("coordIndex [ 0 1 2 3 4 ]")), 3);
    assert_eq!(count(&set("coordIndex [ 0 1 2 3 4 -1 0 1 3 -1 ]")), 4);
    // The area of the concave face is the area of the square minus the notch, in both orientations.
    let info = facts(&format!("Shape {{ geometry {} }}", set("coordIndex [ 0 1 2 3 4 -1 ]")));
    assert_bounds(&info, [0.0, 0.0, 0.0], [4.0, 4.0, 0.0]);
    for (kind, index, triangles) in [
        ("IndexedTriangleSet", "index [ 0 1 2 2 3 4 ]", 2),
        ("IndexedTriangleStripSet", "index [ 0 1 2 3 -1 2 3 4 ]", 3),
        ("IndexedTriangleFanSet", "index [ 0 1 2 3 4 -1 ]", 3),
        ("TriangleSet", "", 2),
        ("TriangleStripSet", "stripCount [ 3 3 ]", 2),
        ("TriangleFanSet", "fanCount 6", 4),
    ] {
        assert_eq!(count(&format!("{kind} {{ {points} {index} }}")), triangles, "{kind}");
    }
    let odd = facts(&format!("Shape {{ geometry {} }}", set("coordIndex [ 0 1 -1 4 -1 0 1 2 -1 ]")));
    assert_eq!(odd.triangles(), 1);
    assert_eq!(odd.warnings.len(), 1, "{:?}", odd.warnings);
    assert!(
        odd.warnings[0].contains("found 2 faces with corners that make no triangle"),
        "{:?}",
        odd.warnings
    );
}

#[test]
fn surfaces_face_outward() {
    assert_eq!(volume("Box { size 1 2 3 }"), 36.0);
    let prism = volume("Extrusion { spine [ 0 0 0, 0 3 0 ] }");
    assert!((prism - 72.0).abs() < 1e-12, "{prism}");
    assert_eq!(volume("Extrusion { spine [ 0 0 0, 0 3 0 ] ccw FALSE }"), -prism);
    // Twice as wide at the top, and rotated there, which changes no height: a frustum apart from the twist.
    let cone = volume("Extrusion { spine [ 0 0 0, 0 3 0 ] scale [ 1 1, 2 2 ] }");
    assert!((cone - 6.0 * 28.0).abs() < 1e-11, "{cone}");
    let points = "coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1 ] }";
    let corner = |rest: &str| {
        volume(&format!(
            "IndexedFaceSet {{ {points} coordIndex [ 0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 -1 ] {rest} }}"
        ))
    };
    assert_eq!((corner(""), corner("ccw FALSE")), (1.0, -1.0));
    let grid = "ElevationGrid { xDimension 2 zDimension 2 xSpacing 2 zSpacing 3 height [ 1 1 1 1 ] }";
    // The volume of the pyramid from the origin to a lid at height 1, which faces up, is a third of 2 x 3 x 1.
    assert_eq!(volume(grid), 12.0);
}

#[test]
fn round_bodies_stand_along_y() {
    assert_bounds(
        &facts("Shape { geometry Cone { bottomRadius 0.5 height 3 } }"),
        [-0.5, -1.5, -0.5],
        [0.5, 1.5, 0.5],
    );
    // The tip is up: half as wide in the upper half.
    let half = facts("Transform { scale 1 1 1 children Shape { geometry Cylinder { radius 2 height 1 } } }");
    assert_bounds(&half, [-2.0, -0.5, -2.0], [2.0, 0.5, 2.0]);
}

#[test]
fn every_use_is_a_body_named_by_its_ancestors() {
    let names = bodies(
        "DEF A Transform { children [
            DEF B Group { children [ DEF S Shape { geometry DEF G Box { } } Shape { geometry USE G } ] }
            USE B
        ] }
        Transform { children USE S }
        Shape { geometry Sphere { } } Shape { geometry USE G }",
    );
    let expected = [
        ("A/B/S", 12),
        ("A/B", 12),
        ("A/B/S#2", 12),
        ("A/B#2", 12),
        ("S", 12),
        ("Shape", 256),
        ("Shape#2", 12),
    ];
    assert_eq!(names, expected.map(|(name, triangles)| (name.to_owned(), triangles)));
}

#[test]
fn switches_and_levels_of_detail_are_resolved() {
    let one = |node: &str| bodies(node).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let three = "[ DEF A Shape { geometry Box {} } DEF B Shape { geometry Box {} } ]";
    assert_eq!(one(&format!("Switch {{ choice {three} whichChoice 1 }}")), ["B"]);
    assert_eq!(one(&format!("Switch {{ choice {three} }}")), [""; 0]);
    assert_eq!(one(&format!("Switch {{ choice {three} whichChoice 2 }}")), [""; 0]);
    assert_eq!(one(&format!("LOD {{ level {three} range [ 1 ] }}")), ["A"]);
    assert_eq!(
        one(&format!("Collision {{ collide FALSE proxy Shape {{ geometry Cone {{}} }} children {three} }}")),
        ["A", "B"]
    );
    assert_eq!(one(&format!("Anchor {{ url \"x\" children Billboard {{ children {three} }} }}")), ["A", "B"]);
    // A child that is not chosen can still be used.
    assert_eq!(one(&format!("Switch {{ choice {three} }} USE B")), ["B"]);
}

#[test]
fn unsupported_nodes_are_omitted_with_a_warning() {
    let info = facts("Teapot { spout TRUE lid [ DEF A Shape { geometry Box { wide 1 1 1 } } ] } USE A");
    assert_eq!(info.triangles(), 12);
    assert!(
        info.warnings
            .iter()
            .any(|w| w == "world.wrl:2:1: the node Teapot is not known; it is ignored with its children")
    );
    assert!(
        info.warnings.iter().any(|w| w.ends_with("Box has no field wide; it is read past")),
        "{:?}",
        info.warnings
    );
}

#[test]
fn files_without_header_and_packed_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("box.wrz");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"Shape { geometry Box { } }").unwrap();
    std::fs::write(&path, packed.finish().unwrap()).unwrap();
    let info = vrml::read(&path).unwrap().facts().unwrap();
    assert_eq!(info.triangles(), 12);
    assert!(
        info.warnings[0]
            .ends_with("box.wrz:1:1: the first line is not #VRML V2.0 utf8; the file is read as if it were")
    );
    let mark =
        [&[0xef, 0xbb, 0xbf], HEADER.as_bytes(), b"Shape { geometry Box { } } # \x82\xa0 is Shift-JIS"]
            .concat();
    assert!(vrml::parse(&mark, &path).unwrap().facts().unwrap().warnings.is_empty());
}

#[test]
fn files_are_included() {
    let folder = tempfile::tempdir().unwrap();
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), format!("{HEADER}{text}")).unwrap();
    std::fs::create_dir(folder.path().join("a b")).unwrap();
    write("a b/part.wrl", "DEF P Transform { translation 0 0 5 children Shape { geometry Box { } } }");
    write("a b/more.wrl", "Inline { url [ \"nowhere.wrl\" \"part.wrl\" ] } Inline { url \"../x.x3d\" }");
    std::fs::write(folder.path().join("x.x3d"), "<X3D><Scene><Shape DEF='X'><Cone/></Shape></Scene></X3D>")
        .unwrap();
    write("main.wrl", "DEF M Transform { translation 1 0 0 children Inline { url \"a%20b/more.wrl\" } }");
    let world = vrml::read(&folder.path().join("main.wrl")).unwrap();
    let info = world.facts().unwrap();
    let names: Vec<_> = info.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["M/P", "M/X"]);
    assert_bounds(&info, [0.0, -1.0, -1.0], [2.0, 1.0, 6.0]);
    assert_eq!(world.files().len(), 4);
}

#[test]
fn recursive_or_missing_inclusions_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| std::fs::write(path(name), format!("{HEADER}{text}")).unwrap();
    write("a.wrl", "Inline { url \"b.wrl\" }");
    write("b.wrl", "Group { children Inline { url \"./a.wrl\" } }");
    let message = vrml::read(&path("a.wrl")).unwrap_err().to_string();
    assert!(message.contains("b.wrl:2:27: ") && message.ends_with("includes itself"), "{message}");
    write("c.wrl", "Inline { url [ \"http://host/x.wrl\" \"no.wrl\" ] }");
    let message = vrml::read(&path("c.wrl")).unwrap_err().to_string();
    assert!(message.contains("c.wrl:2:10: found no file \"http://host/x.wrl\", nor "), "{message}");
    assert!(vrml::read(&path("d.wrl")).unwrap_err().to_string().contains("d.wrl: cannot be read"));
    assert!(vrml::read(folder.path()).is_err());
    assert!(
        refused("EXTERNPROTO P [ ] \"no.wrl#P\" Shape { }").ends_with("world.wrl:2:1: found no file no.wrl")
    );
}
