//! Bad files are reported with scene, body and key.

use crate::scene_shapes::support::{Cell, npy, tetrahedron};

#[test]
fn samples() {
    let nan = npy("(2, 2, 2)", &[1.0, 1.0, 1.0, 1.0, 1.0, f64::NAN, 1.0, 1.0]);
    let cell = Cell::new(&[
        ("nan.npy", nan),
        ("thin.npy", npy("(2, 1, 2)", &[0.0; 4])),
        ("flat.npy", npy("(2, 2)", &[0.0, 1.0, 2.0, 3.0])),
        ("short.npy", npy("(2, 2, 2)", &[0.0; 7])),
        ("inf.npy", npy("(2, 2)", &[0.0, 1.0, f64::INFINITY, 3.0])),
    ]);
    let grid = |file: &str, what: &str| {
        let message = cell.message(&format!("level_set = {{ file = '{file}.npy', spacing = 1 }}"));
        assert_eq!(message, format!("scene.toml:5: body \"part\".level_set: {file}.npy: {what}"));
        let message =
            cell.message(&format!("csg.union = [{{ level_set = {{ file = '{file}.npy', spacing = 1 }} }}]"));
        assert_eq!(
            message,
            format!("scene.toml:5: body \"part\".csg.union[0].level_set: {file}.npy: {what}")
        );
    };
    grid("nan", "sample [1, 0, 1]: found NaN, expected a finite number");
    grid("thin", "axis 1: found 1, expected two samples or more");
    grid("flat", "found an array of 2 axes, shape (2, 2), expected 3 axes");
    grid("short", "the file ends after 56 bytes of values, expected 64 for the shape (2, 2, 2)");
    grid("gone", "cannot be read: No such file or directory (os error 2)");
    let field = |file: &str, bottom: &str, what: &str| {
        let message =
            cell.message(&format!("heights = {{ file = '{file}.npy', spacing = 1, bottom = {bottom} }}"));
        assert_eq!(message, format!("scene.toml:5: body \"part\".heights: {file}.npy: {what}"));
    };
    field("inf", "-1", "sample [1, 0]: found inf, expected a finite number");
    field("flat", "0", "sample [0, 0]: found 0, expected a height above the bottom");
    field("nan", "-1", "found an array of 3 axes, shape (2, 2, 2), expected 2 axes");
}

#[test]
fn points() {
    let cell = Cell::new(&[("a.xyz", b"0 0 0\n1 two 3\n".to_vec()), ("b.xyz", b"# none\n".to_vec())]);
    let message = |file: &str| cell.message(&format!("points = '{file}'\nradius = 0.1"));
    let place = "scene.toml:5: body \"part\".points: ";
    assert_eq!(message("a.xyz"), format!("{place}a.xyz:2: y of a point is `two`, expected a number"));
    assert_eq!(message("b.xyz"), format!("{place}b.xyz: found no points, expected at least one"));
    assert_eq!(
        message("c.xyz"),
        format!("{place}c.xyz: cannot be read: No such file or directory (os error 2)")
    );
}

#[test]
fn solids() {
    let mut open = tetrahedron("1");
    open.truncate(open.len() - 8);
    let cell = Cell::new(&[("open.obj", open), ("a.obj", tetrahedron("1"))]);
    let message = |csg: &str| cell.message(&format!("csg = {csg}"));
    assert_eq!(
        message("{ difference = [{ mesh = 'open.obj' }, { sphere = 1 }] }"),
        "scene.toml:5: body \"part\".csg.difference[0].mesh: open.obj: mesh: found a mesh that is not closed, expected every \
         edge to have two triangles"
    );
    assert_eq!(
        message("{ union = [{ mesh = 'gone.stl' }] }"),
        "scene.toml:5: body \"part\".csg.union[0].mesh: gone.stl: cannot be read: No such file or directory (os error 2)"
    );
    let half_space = "{ half_space = { normal = [0, 0, 1], offset = 0 } }";
    let no_end = "found inf, expected a solid that has an end in every direction";
    for (csg, key) in [
        (format!("{{ union = [{{ sphere = 1 }}, {half_space}] }}"), "union"),
        (format!("{{ intersection = [{half_space}] }}"), "intersection"),
        (format!("{{ difference = [{half_space}, {{ sphere = 1 }}] }}"), "difference"),
    ] {
        assert_eq!(message(&csg), format!("scene.toml:5: body \"part\".csg.{key}: bounds: {no_end}"));
    }
    for csg in [
        format!("{{ intersection = [{half_space}, {{ mesh = 'a.obj' }}] }}"),
        format!("{{ difference = [{{ mesh = 'a.obj', scale = 2 }}, {half_space}] }}"),
    ] {
        cell.scene(&crate::scene_shapes::support::body(&format!("csg = {csg}")));
    }
}
