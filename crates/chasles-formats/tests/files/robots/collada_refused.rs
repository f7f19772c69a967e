//! Invalid COLLADA files: the messages with their places.

use crate::robots::collada::{SHOWN, SQUARE, file, parse, shown};
use crate::robots::support::one_line;

fn refusal(text: &str) -> String {
    one_line(&parse(text).unwrap_err())
}

#[test]
fn faces_that_have_no_meaning() {
    let input = "<input semantic='VERTEX' source='#v' offset='0'/>";
    let two = "<input semantic='VERTEX' source='#v' offset='1'/>";
    let cases = [
        (
            format!("<triangles>{input}<p>0 1\n2 4 2 3</p></triangles>"),
            "10: <p>: found 4, expected a position below 4",
        ),
        (
            format!("<triangles>{input}<p>0 1\n\n-1</p></triangles>"),
            "11: <p>: found \"-1\", expected a whole number from 0 to 4294967295",
        ),
        (
            format!("<triangles>{input}<p>0 1 4294967296</p></triangles>"),
            "9: <p>: found \"4294967296\", expected a whole number from 0 to 4294967295",
        ),
        (
            format!("<triangles>{input}<p>0 1 2 3</p></triangles>"),
            "9: <p>: 4 corners: expected three for each triangle",
        ),
        (
            format!("<triangles>{two}<p>0 1 2</p></triangles>"),
            "9: <p>: 3 numbers: expected 2 for each corner",
        ),
        (format!("<triangles count='2'>{input}<p>0 1 2</p></triangles>"), "9: <triangles>: count 2, found 1"),
        (
            format!("<triangles count='x'>{input}<p>0 1 2</p></triangles>"),
            "9: <triangles>: count: found \"x\", expected a whole number, not negative",
        ),
        (
            format!("<polygons>{input}<ph><p>0 1 2</p></ph></polygons>"),
            "9: a polygon with holes is not supported",
        ),
        (
            format!("<polylist>{input}<vcount>3\n3</vcount><p>0 1 2</p></polylist>"),
            "10: <vcount>: more corners than the 3 of <p>: expected as many",
        ),
        (
            format!("<polylist>{input}<vcount>3</vcount><p>0 1 2 3</p></polylist>"),
            "9: <p>: 1 corners more than <vcount> has: expected as many",
        ),
        ("<triangles><p>0 1 2</p></triangles>".into(), "9: <p> without an input of VERTEX beside it"),
        (
            "<triangles><input semantic='VERTEX' source='#w' offset='0'/></triangles>".into(),
            "9: there is no <vertices> \"w\" in this mesh",
        ),
        (
            "<triangles><input semantic='VERTEX' source='#v'/></triangles>".into(),
            "9: <input>: offset: found nothing, expected a whole number, not negative",
        ),
        (
            "<triangles><input semantic='VERTEX' source='#v' offset='9999999'/></triangles>".into(),
            "9: offset 9999999: expected at most 1024",
        ),
        ("<blob/>".into(), "9: <blob> in a mesh is not supported"),
    ];
    for (faces, message) in cases {
        // The text of the square spans three lines.
        let text = file("", &(SQUARE.to_owned() + &faces), SHOWN);
        assert_eq!(refusal(&text), format!("part.dae:{message}"));
    }
}

#[test]
fn positions_that_have_no_meaning() {
    let cases = [
        ("1 1 0", "1 nan 0", "8: <float_array>: found \"nan\", expected a finite number"),
        ("1 1 0", "1 1,0 0", "8: <float_array>: found \"1,0\", expected a finite number"),
        (
            "count='4'",
            "count='5'",
            "9: <accessor>: 5 positions of 3 numbers from 0 on: expected at most the 12 of <float_array>",
        ),
        (
            "count='4'",
            "count='18446744073709551615'",
            "9: <accessor>: 18446744073709551615 positions of 3 numbers from 0 on: expected at most the 12 of <float_array>",
        ),
        ("stride='3'", "stride='2'", "9: <accessor>: stride 2, expected at least 3"),
        ("stride='3'", "stride='0'", "9: <accessor>: stride 0, expected at least 3"),
        ("<param name='Z'/>", "", "9: <accessor> of 2 named numbers: expected 3 of a position"),
        ("source='#pa'", "source='#qa'", "9: <accessor> of \"qa\": expected the <float_array> beside it"),
        ("source='#pa'", "source='pa'", "9: <accessor>: source \"pa\": expected # and an id of this file"),
        ("<accessor", "<access", "6: a source of positions without <accessor>"),
        ("<float_array", "<int_array", "6: a source of positions without <float_array>"),
        ("source='#p'", "source='#q'", "9: there is no <source> \"q\" in this mesh"),
        ("semantic='POSITION'", "semantic='NORMAL'", "9: <vertices> without an input of POSITION"),
        ("<vertices", "<vertices id='w'/><vertices", "9: a second <vertices>"),
        ("<vertices", "<source id='p'/><vertices", "9: a second <source> \"p\""),
    ];
    for (from, to, message) in cases {
        let text = shown("", SHOWN).replace(from, to);
        let text = if from.starts_with("<a") || from.starts_with("<f") {
            text.replace(&from.replace('<', "</"), &to.replace('<', "</"))
        } else {
            text
        };
        assert_eq!(refusal(&text), format!("part.dae:{message}"), "{to}");
    }
}

#[test]
fn scenes_that_have_no_meaning() {
    let cases = [
        ("<instance_geometry url='#h'/>", "13: there is no <geometry> \"h\""),
        (
            "<instance_geometry url='other.dae#g'/>",
            "13: <instance_geometry>: url \"other.dae#g\": expected # and an id of this file",
        ),
        ("<instance_geometry/>", "13: <instance_geometry> without url"),
        ("<instance_node url='#g'/>", "13: there is no <node> \"g\""),
        ("<instance_controller url='#c'/>", "13: a mesh that is bent (skin or morph) is not supported"),
        ("<skew>0 1 0 0 0 0 1</skew>", "13: <skew> is not supported"),
        ("<translate>1 2</translate>", "13: <translate>: found 2 numbers, expected 3"),
        ("<scale>1 2 3\n4</scale>", "13: <scale>: found 4 numbers, expected 3"),
        ("<scale>1 2\nx</scale>", "14: <scale>: found \"x\", expected a finite number"),
        ("<rotate>0 0 0 5</rotate>", "13: rotate: an axis of length 0"),
        (
            "<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix>",
            "13: matrix: last row [0.0, 0.0, 1.0, 1.0]: expected 0 0 0 1",
        ),
        (
            "<scale>1e308 1 1</scale><translate>10 0 0</translate><instance_geometry url='#g'/>",
            "4: x of a vertex is inf: expected a finite number",
        ),
    ];
    for (inside, message) in cases {
        let nodes = format!("<node>\n{inside}</node>");
        assert_eq!(refusal(&shown("", &nodes)), format!("part.dae:{message}"), "{inside}");
    }
    let whole = shown("", SHOWN);
    let twice = whole.replace(
        "<library_visual_scenes>",
        "<library_geometries><geometry id='g'/></library_geometries><library_visual_scenes>",
    );
    assert!(refusal(&twice).ends_with("there are several <geometry> \"g\""));
    let second = whole.replace("</library_visual_scenes>", "<visual_scene/></library_visual_scenes>");
    assert_eq!(parse(&second).unwrap().triangles.len(), 2);
    let unsaid = second.replace("<scene><instance_visual_scene url='#s'/></scene>", "");
    assert!(refusal(&unsaid).ends_with("a second scene, and no <scene> that says which is shown"));
    for meter in ["0", "-1", "nan", ""] {
        let text = shown(&format!("<asset>\n<unit meter='{meter}'/></asset>"), SHOWN);
        assert_eq!(
            refusal(&text),
            format!("part.dae:3: unit: meter \"{meter}\": expected a number greater than 0")
        );
    }
    assert_eq!(refusal("<svg/>"), "part.dae:1: found <svg>, expected <COLLADA>");
}

#[test]
fn cycles_and_expansion_bombs_are_errors() {
    let circle = "<library_nodes><node id='a'><node><instance_node url='#a'/></node></node></library_nodes>";
    let message = refusal(&shown(circle, "<node><instance_node url='#a'/></node>"));
    assert_eq!(message, "part.dae:2: nodes are shown within each other 64 times: in a cycle?");
    // Thirty nodes, each of which instantiates the next ten times.
    let ten = |i: usize| {
        format!("<node id='n{i}'>{}</node>\n", format!("<instance_node url='#n{}'/>", i + 1).repeat(10))
    };
    let bomb =
        format!("<library_nodes>{}<node id='n30'/></library_nodes>", (0..30).map(ten).collect::<String>());
    let message = refusal(&shown(&bomb, "<node><instance_node url='#n0'/></node>"));
    assert!(message.ends_with("more than 4000000 elements of nodes are shown"), "{message}");
    // A large geometry, instantiated often.
    let faces = format!(
        "<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>{}</p></triangles>",
        "0 1 2 ".repeat(100_000)
    );
    let nodes = format!("<node>{}</node>", "<instance_geometry url='#g'/>".repeat(1000));
    let message = refusal(&file("", &(SQUARE.to_owned() + &faces), &nodes));
    assert_eq!(message, "part.dae:4: more than 50000000 vertices and corners are shown");
}

#[test]
fn deep_nesting_is_read() {
    let depth = 200_000;
    let nodes = "<node><translate>0 0 0.5</translate>".repeat(depth)
        + "<instance_geometry url='#g'/>"
        + &"</node>".repeat(depth);
    assert_eq!(parse(&shown("", &nodes)).unwrap().vertices[1].z, 100_000.0);
}
