//! Text files that end in a number without a newline: digits may be missing, and a warning says so.

use std::path::Path;

use chasles_formats::mesh::MeshFormat;
use chasles_formats::robot::joint_path::{self, AngleUnit, PathOptions};
use chasles_formats::robot::urdf::{self, UrdfOptions};
use chasles_formats::samples::motion_keys;
use chasles_formats::scene;
use chasles_formats::{cloud, mesh, report};

const WARNING: &str = "the last line ends in a number without a newline: the file may be cut off";

/// Whether a file, and the same with a newline, give the warning.
fn warned(text: &str, warnings: &dyn Fn(&[u8]) -> Vec<String>) -> [bool; 2] {
    [text.to_owned(), format!("{text}\n")].map(|text| {
        let found = warnings(text.as_bytes());
        assert!(found.iter().all(|warning| warning.ends_with(WARNING)), "{found:?}");
        !found.is_empty()
    })
}

#[test]
fn a_number_at_the_end_of_a_file_may_be_cut_off() {
    let path = Path::new("file");
    let mesh = |format| move |bytes: &[u8]| mesh::parse(bytes, format, path).unwrap().warnings;
    let points = |format| move |bytes: &[u8]| cloud::parse(bytes, format, path).unwrap().warnings;
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
               element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2";
    let pcd = "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1 2 3.5";
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3";
    assert_eq!(warned(obj, &mesh(MeshFormat::Obj)), [true, false]);
    assert_eq!(warned("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2", &mesh(MeshFormat::Off)), [true, false]);
    assert_eq!(warned(ply, &mesh(MeshFormat::Ply)), [true, false]);
    assert_eq!(warned(&format!("{obj}\nusemtl steel"), &mesh(MeshFormat::Obj)), [false, false]);
    assert_eq!(warned(&format!("{obj}\n# lod 3"), &mesh(MeshFormat::Obj)), [false, false]);
    assert_eq!(warned("0 0 1\n0 1 0.5", &points(cloud::CloudFormat::Xyz)), [true, false]);
    assert_eq!(warned(pcd, &points(cloud::CloudFormat::Pcd)), [true, false]);
    assert_eq!(warned(ply, &points(cloud::CloudFormat::Ply)), [true, false]);
    let keys =
        |bytes: &[u8]| motion_keys::parse(bytes, path, motion_keys::KeyFileFormat::Csv).unwrap().warnings;
    assert_eq!(warned("time,x,y,z\n0,1,2,3\n1,1,2,3.5", &keys), [true, false]);
    let scene = |bytes: &[u8]| scene::file::parse(bytes, path).unwrap().warnings;
    let ball = "format = 1\nduration = 1\n[[body]]\nname = \"ball\"\nsphere = 0.5";
    assert_eq!(warned(ball, &scene), [true, false]);
    assert_eq!(warned(&format!("{ball}\nsolid = true"), &scene), [false, false]);
}

#[test]
fn a_path_may_be_cut_off() {
    let robot = "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='prismatic'><parent link='a'/>\
                 <child link='b'/><limit lower='-9' upper='9'/></joint></robot>";
    let robot = urdf::parse(robot.as_bytes(), "r.urdf".as_ref(), &UrdfOptions::default()).unwrap().definition;
    let doubts = |bytes: &[u8]| {
        let path = joint_path::parse(bytes, "p.csv".as_ref(), PathOptions::default()).unwrap();
        report::path_warnings::of_file(&path, &robot, AngleUnit::Radians)
    };
    assert_eq!(warned("time,j\n0,1\n1,1.5", &doubts), [true, false]);
}
