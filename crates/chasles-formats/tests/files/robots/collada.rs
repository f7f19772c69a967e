//! COLLADA files in the style of various programs.

use std::path::Path;

use chasles_formats::Result;
use chasles_formats::mesh::{self, MeshFile, MeshFormat};
use glam::DVec3;

/// A file whose scene has these nodes, with a geometry `g` of this mesh.
pub(crate) fn file(head: &str, mesh: &str, nodes: &str) -> String {
    format!(
        "<?xml version='1.0'?>\n<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>{head}\n\
         <library_geometries>\n<geometry id='g'>\n<mesh>\n{mesh}\n</mesh></geometry></library_geometries>\n\
         <library_visual_scenes><visual_scene id='s'>\n{nodes}\n</visual_scene></library_visual_scenes>\n\
         <scene><instance_visual_scene url='#s'/></scene></COLLADA>"
    )
}

/// Four corners of a square, the first of them at the origin.
pub(crate) const SQUARE: &str = "<source id='p'><float_array id='pa' count='12'>0 0 0\n1 0 0\n1 1 0\n0 1 0</float_array>\
    <technique_common><accessor source='#pa' count='4' stride='3'>\
    <param name='X'/><param name='Y'/><param name='Z'/></accessor></technique_common></source>\
    <vertices id='v'><input semantic='POSITION' source='#p'/></vertices>";
pub(crate) const SHOWN: &str = "<node><instance_geometry url='#g'/></node>";

pub(crate) fn parse(text: &str) -> Result<MeshFile> {
    mesh::parse(text.as_bytes(), MeshFormat::Dae, Path::new("part.dae"))
}

fn primitive(kind: &str, inside: &str) -> MeshFile {
    let input = "<input semantic='VERTEX' source='#v' offset='0'/>";
    let read = parse(&file("", &format!("{SQUARE}<{kind}>{input}{inside}</{kind}>"), SHOWN)).unwrap();
    assert_eq!((read.vertices.len(), &read.warnings), (4, &vec![]));
    read
}

#[test]
fn faces_of_every_kind() {
    assert_eq!(primitive("triangles", "<p>0 1 2 0 2 3</p>").triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(
        primitive("tristrips", "<p>0 1 3 2</p><p>1 2 3</p>").triangles,
        [[0, 1, 3], [3, 1, 2], [1, 2, 3]]
    );
    assert_eq!(primitive("trifans", "<p>0 1 2 3</p>").triangles, [[0, 1, 2], [0, 2, 3]]);
    for (kind, inside) in
        [("polygons", "<p>0 1 2 3</p><p>0 2 1</p>"), ("polylist", "<vcount>4 3</vcount><p>0 1 2 3 0 2 1</p>")]
    {
        let read = primitive(kind, inside);
        assert_eq!((read.triangles.len(), read.triangles[2]), (3, [0, 2, 1]));
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|corner| read.vertices[corner as usize]);
            (b - a).cross(c - a).z
        };
        assert_eq!(read.triangles[..2].iter().map(area).sum::<f64>(), 2.0);
    }
}

#[test]
fn corners_may_have_indices_of_other_inputs() {
    let inputs = "<input semantic='NORMAL' source='#n' offset='0'/><input semantic='VERTEX' source='#v' offset='2'/>\
                  <input semantic='TEXCOORD' source='#t' offset='2' set='0'/><input semantic='COLOR' source='#c' offset='3'/>";
    let text = "<triangles count='2'>INPUTS<p>9 9 0 9 9 9 1 9 9 9 2 9</p>\n<p>7 7 2 7 7 7 1 7 7 7 0 7</p></triangles>";
    let read = parse(&file("", &(SQUARE.to_owned() + &text.replace("INPUTS", inputs)), SHOWN)).unwrap();
    assert_eq!(read.triangles, [[0, 1, 2], [2, 1, 0]]);
}

#[test]
fn positions_are_read_as_the_accessor_states() {
    let source = "<source id='p'><float_array id='pa'>99 1 -1 2 3 -1 5 -1 6 7 -1 9 -1 10 11 -1</float_array>\
        <technique_common><accessor source='#pa' count='3' stride='5' offset='1'><param name='X'/><param/>\
        <param name='Y'/><param name='Z'/><param type='float'/></accessor></technique_common></source>\
        <vertices id='v'><input semantic='NORMAL' source='#n'/><input semantic='POSITION' source='#p'/></vertices>\
        <triangles><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles>";
    let read = parse(&file("", source, SHOWN)).unwrap();
    let expected = [[1.0, 2.0, 3.0], [5.0, 6.0, 7.0], [9.0, 10.0, 11.0]];
    assert_eq!(read.vertices, expected.map(DVec3::from_array));
}

/// The square as two triangles, instantiated by these nodes.
pub(crate) fn shown(head: &str, nodes: &str) -> String {
    let faces = "<triangles count='2'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2 0 2 3</p></triangles>";
    file(head, &(SQUARE.to_owned() + faces), nodes)
}

#[test]
fn lengths_are_metres() {
    let head = "<asset><unit meter='0.0254' name='inch'/><up_axis>Z_UP</up_axis></asset>";
    let nodes = "<node><translate>10 0 0</translate><instance_geometry url='#g'/></node>";
    let read = parse(&shown(head, nodes)).unwrap();
    assert_eq!(read.vertices[1], DVec3::new(11.0 * 0.0254, 0.0, 0.0));
    assert!(read.warnings.is_empty());
    // The unit of another part of the file is not the file's unit.
    let extra =
        "<asset><contributor/></asset><library_nodes><asset><unit meter='5'/></asset></library_nodes>";
    assert_eq!(parse(&shown(extra, SHOWN)).unwrap().vertices[1], DVec3::X);
}

#[test]
fn the_up_axis_is_ignored() {
    let head = "<asset>\n<up_axis>Y_UP</up_axis></asset>";
    let read = parse(&shown(head, SHOWN)).unwrap();
    assert_eq!(read.vertices[2], DVec3::new(1.0, 1.0, 0.0));
    assert_eq!(read.warnings, ["up_axis \"Y_UP\" is ignored: the mesh is not rotated (line 3)"]);
}

#[test]
fn transforms_are_applied_from_the_last_to_the_first() {
    let last = |transforms: &str| {
        let nodes = format!("<node>{transforms}<instance_geometry url='#g'/></node>");
        let read = parse(&shown("", &nodes)).unwrap();
        (read.vertices[2], read.triangles[0])
    };
    let near = |a: DVec3, b: [f64; 3]| assert!(a.distance(DVec3::from_array(b)) < 1e-15, "{a}");
    near(last("<translate>5 0 0</translate><scale>2 3 4</scale>").0, [7.0, 3.0, 0.0]);
    near(last("<scale>2 3 4</scale><translate>5 0 0</translate>").0, [12.0, 3.0, 0.0]);
    near(last("<rotate>0 0 2 90</rotate>").0, [-1.0, 1.0, 0.0]);
    near(last("<rotate>0 0 0 0</rotate>").0, [1.0, 1.0, 0.0]);
    near(last("<matrix>0 -1 0 10  1 0 0 20  0 0 1 30  0 0 0 1</matrix>").0, [9.0, 21.0, 30.0]);
    // A mirror reverses the faces.
    assert_eq!(last("<scale>2 3 4</scale>").1, [0, 1, 2]);
    assert_eq!(last("<scale>1 -1 1</scale>").1, [0, 2, 1]);
    assert_eq!(last("<scale>-1 -1 1</scale><scale>1 1 -1</scale>").1, [0, 2, 1]);
}

#[test]
fn geometries_with_two_instances_are_read_twice() {
    let nodes = "<node><translate>5 0 0</translate>\
        <node><instance_node url='#lib'/></node>\
        <instance_geometry url='#g'/><node><translate>0 5 0</translate><instance_geometry url='#g'/></node></node>";
    let library = "<library_nodes><node id='lib'><scale>2 2 2</scale><instance_geometry url='#g'/></node></library_nodes>";
    let read = parse(&shown(library, nodes)).unwrap();
    let seconds: Vec<_> = read.vertices.chunks(4).map(|four| four[1].to_array()).collect();
    assert_eq!(seconds, [[6.0, 0.0, 0.0], [7.0, 0.0, 0.0], [6.0, 5.0, 0.0]]);
    assert_eq!(read.triangles[2], [4, 5, 6]);
    assert_eq!(read.triangles[5], [8, 10, 11]);
}

#[test]
fn without_a_scene_geometries_are_read_untransformed() {
    let text = shown("<asset><unit meter='2'/></asset>", SHOWN);
    let (before, after) = text.split_once("<library_visual_scenes>").unwrap();
    let only = after.split_once("<scene>").unwrap().0;
    // The only scene of the library is used.
    let read = parse(&format!("{before}<library_visual_scenes>{only}</COLLADA>")).unwrap();
    assert_eq!((read.vertices[1].x, read.warnings.len()), (2.0, 0));
    let read = parse(&format!("{before}</COLLADA>")).unwrap();
    assert_eq!(read.vertices[1].x, 2.0);
    assert_eq!(read.warnings, ["there is no scene: geometries have their own coordinates (line 4)"]);
    let empty = parse(&shown("", "<node/>")).unwrap();
    assert_eq!((empty.triangles.len(), empty.warnings), (0, vec!["the file has no triangles".to_owned()]));
}

#[test]
fn lines_are_skipped_with_a_warning() {
    let lines = "<lines count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1</p></lines>";
    let read = parse(&file("", &format!("{SQUARE}\n{lines}{lines}"), SHOWN)).unwrap();
    assert_eq!(
        read.warnings,
        ["lines have no surface: skipped (2 times, first at line 10)", "the file has no triangles"]
    );
}

#[test]
fn files_are_recognized_by_their_start_too() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["part", "part.DAE"] {
        let path = folder.path().join(name);
        std::fs::write(&path, shown("", SHOWN)).unwrap();
        assert_eq!(mesh::read(&path, mesh::MissingGeometry::Refused).unwrap().triangles.len(), 2);
    }
}
