//! Refused lines of a scene file.

use crate::scene_shapes::support::refused;

const BOUNDS: &str = "bounds = [[-1, -1, -1], [1, 1, 1]]";

#[test]
fn formulas() {
    let formula = |text: &str, what: &str| {
        refused(&format!("implicit = \"{text}\"\n{BOUNDS}"), &format!("5: body \"part\".implicit: {what}"));
    };
    formula("x + w", "column 5: found the unknown name \"w\", expected x, y, z, pi or a function");
    formula("", "column 1: found nothing, expected a formula (it is empty)");
    let expected = "expected a formula that has a value everywhere in its bounds";
    formula(
        "1/x",
        &format!("column 2: found a division by zero between (-1, -1, -1) and (1, -1, -1), {expected}"),
    );
    refused(
        &format!("implicit = 3\n{BOUNDS}"),
        "5: body \"part\".implicit: found 3, expected a formula of x, y, z, as a string",
    );
    let corners = "the minimum and the maximum corner of a box, [[x, y, z], [x, y, z]]";
    refused("implicit = 'x'", &format!("3: body \"part\".bounds: the key is missing, expected {corners}"));
    let bounds = |bounds: &str, what: &str| {
        refused(&format!("implicit = 'x'\nbounds = {bounds}"), &format!("6: body \"part\".bounds{what}"));
    };
    bounds("[[0, 0, 0]]", &format!(": found a list of length 1, expected {corners}"));
    bounds("[[0, 0, 0], [1, 1]]", "[1]: found a list of length 2, expected a list of 3 finite numbers");
    bounds("[[0, 0, 0], [1, inf, 1]]", "[1][1]: found inf, expected a finite number");
    bounds("[[0, 0, 0], [1, 1, -1]]", ": found 0 to -1 along z, expected bounds that increase");
    bounds("[0, 1]", "[0]: found 0, expected a list of 3 finite numbers");
    refused(
        &format!("implicit = 'x'\n{BOUNDS}\nunit = 'mm'"),
        "7: body \"part\".unit: found a unit beside formulas, which are in metres, expected none; `scale` makes them larger",
    );
}

#[test]
fn parametric_surfaces() {
    let surface =
        |x: &str, u: &str, rest: &str| format!("parametric = {{ x = {x}, y = 'v', z = '0', u = {u} }}{rest}");
    let refused = |lines: &str, what: &str| {
        let lines = lines.replace("z = '0',", "z = '0', v = [0, 1],");
        refused(&lines, &format!("5: body \"part\".parametric{what}"));
    };
    refused(
        &surface("'x'", "[0, 1]", ""),
        ".x: column 1: found the unknown name \"x\", expected u, v, pi or a function",
    );
    refused(&surface("0", "[0, 1]", ""), ".x: found 0, expected a formula of u, v, as a string");
    refused(&surface("'u'", "[1, 0]", ""), ".u: found 1 to 0, expected a range that increases");
    refused(&surface("'u'", "[0]", ""), ".u: found a list of length 1, expected a list of 2 finite numbers");
    refused(
        &surface("'u', size = 'u'", "[0, 1]", ""),
        ".size: found an unknown key, expected one of x, y, z, u, v",
    );
    crate::scene_shapes::support::refused(
        &surface("'u'", "[0, 1]", ""),
        "5: body \"part\".parametric.v: the key is missing, expected a range, [from, to]",
    );
    crate::scene_shapes::support::refused(
        "parametric = { x = 'u', y = 'v', u = [0, 1], v = [0, 1] }",
        "5: body \"part\".parametric.z: the key is missing, expected a formula of u and v",
    );
    let solid = "found `solid` beside `parametric`, expected none: it is a surface, whatever the key says";
    crate::scene_shapes::support::refused(
        &surface("'u'", "[0, 1], v = [0, 1]", "\nsolid = false"),
        &format!("6: body \"part\".solid: {solid}"),
    );
}

#[test]
fn parts_of_solids() {
    let csg = |csg: &str, what: &str| {
        refused(&format!("csg = {csg}"), &format!("5: body \"part\".csg{what}"));
    };
    let operations = "expected one of union, intersection, difference";
    csg("{}", &format!(": found no operation, {operations}"));
    csg("{ unoin = [] }", &format!(".unoin: found an unknown key, {operations}; did you mean \"union\"?"));
    csg("{ sphere = 1 }", &format!(".sphere: found an unknown key, {operations}"));
    csg("'union'", ": found \"union\", expected a table with the keys union, intersection, difference");
    csg(
        "{ union = [{ sphere = 1 }], difference = [{ sphere = 1 }] }",
        ".difference: found a second operation beside `union`, expected one",
    );
    csg("{ union = [] }", ".union: found an empty list, expected one part or more");
    csg("{ union = 3 }", ".union: found 3, expected a list of one part or more, each a table");
    let shapes = "expected one of union, intersection, difference, box, sphere, cylinder, cone, capsule, half_space, \
                  implicit, mesh, level_set, heights";
    let part = |part: &str, what: &str| {
        csg(&format!("{{ union = [{{ sphere = 1 }}, {part}] }}"), &format!(".union[1]{what}"))
    };
    part("{}", &format!(": found no shape, {shapes}"));
    part("{ intersection = [] }", ".intersection: found an empty list, expected one part or more");
    part("{ sphere = 1, box = [1, 1, 1] }", ".sphere: found a second shape beside `box`, expected one");
    part(
        "{ sphere = 1, bounds = [] }",
        ".bounds: found `bounds` beside `sphere`, expected it beside `implicit` alone",
    );
    part(
        "{ sphere = 1, scale = 2 }",
        ".scale: found `scale` beside `sphere`, expected it beside `mesh` alone",
    );
    part("{ mesh = 'a.stl', scale = 0 }", ".scale: found 0, expected a finite number > 0");
    part(
        "{ points = 'a.pcd', radius = 1 }",
        ".points: found a shape without an inside, expected a part that is solid",
    );
    part(
        "{ parametric = {} }",
        ".parametric: found a shape without an inside, expected a part that is solid",
    );
    part("{ sphere = -1 }", ".sphere: found -1, expected a finite number > 0");
    part(
        "{ sphere = 1, pose = { at = 1 } }",
        ".pose.at: found an unknown key, expected one of position, rotation",
    );
    part(
        "{ implicit = 'q' }",
        ".implicit: column 1: found the unknown name \"q\", expected x, y, z, pi or a function",
    );
    part(
        "{ half_space = { normal = [0, 0, 0], offset = 1 } }",
        ".half_space.normal: found a normal of length zero, expected a direction",
    );
    part(
        "{ half_space = { normal = [0, 0, 1] } }",
        ".half_space.offset: the key is missing, expected a finite number",
    );
    let known = "expected one of union, intersection, difference, box, sphere, cylinder, cone, capsule, half_space, implicit, \
                 mesh, level_set, heights, bounds, scale, pose";
    part("{ solid = true }", &format!(".solid: found an unknown key, {known}"));
}

#[test]
fn grids_and_points() {
    let number = "expected a finite number > 0, or a list of";
    let cases = [
        (
            "level_set = { spacing = 1 }",
            ".level_set.file: the key is missing, expected the path of an array of NumPy (.npy)".to_owned(),
        ),
        (
            "level_set = { file = 'a', spacing = 0 }",
            format!(".level_set.spacing: found 0, {number} 3 of them"),
        ),
        ("level_set = { file = 'a' }", format!(".level_set.spacing: the key is missing, {number} 3 of them")),
        (
            "level_set = { file = 'a', spacing = [1, 1, -1] }",
            ".level_set.spacing[2]: found -1, expected a finite number > 0".into(),
        ),
        (
            "level_set = { file = 'a', spacing = [1, 1] }",
            ".level_set.spacing: found a list of length 2, expected a list of 3 finite numbers > 0".into(),
        ),
        (
            "level_set = 'a.npy'",
            ".level_set: found \"a.npy\", expected a table with the keys file, spacing, origin".into(),
        ),
        (
            "heights = { file = 'a', spacing = [1, 1] }",
            ".heights.bottom: the key is missing, expected a height below every sample, a finite number"
                .into(),
        ),
        (
            "heights = { file = 'a', bottom = 0 }",
            format!(".heights.spacing: the key is missing, {number} 2 of them"),
        ),
        (
            "heights = { file = '', spacing = 1, bottom = 0 }",
            ".heights.file: found \"\", expected the path of an array of NumPy (.npy)".into(),
        ),
        (
            "points = ''\nradius = 1",
            ".points: found \"\", expected the path of a file of points (.xyz, .pcd or .ply)".into(),
        ),
    ];
    for (lines, what) in cases {
        refused(lines, &format!("5: body \"part\"{what}"));
    }
    refused(
        "points = 'a.xyz'",
        "3: body \"part\".radius: the key is missing, expected the radius of each point, a finite number >= 0",
    );
    refused(
        "points = 'a.xyz'\nradius = -1",
        "6: body \"part\".radius: found -1, expected a finite number >= 0",
    );
    let solid = "found `solid` beside `points`, expected none: points are balls, whatever the key says";
    refused("points = 'a.xyz'\nradius = 1\nsolid = true", &format!("7: body \"part\".solid: {solid}"));
    refused(
        "sphere = 1\nradius = 1",
        "6: body \"part\".radius: found `radius` beside `sphere`, expected it beside `points` alone",
    );
    refused(
        &format!("mesh = 'a.stl'\n{BOUNDS}"),
        "6: body \"part\".bounds: found `bounds` beside `mesh`, expected it beside `implicit` alone",
    );
    refused(
        "points = 'a.xyz'\nradius = 1\nbox = [1, 1, 1]",
        "5: body \"part\".points: found a second shape beside `box`, expected one",
    );
    refused(
        "points = 'a.xyz'\nradius = 1e-200\nscale = 1e-200",
        "7: body \"part\".scale: found 1e-200, expected a scale with which the size 1e-200 stays finite and > 0",
    );
}
