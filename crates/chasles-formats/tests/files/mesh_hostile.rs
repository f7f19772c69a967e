//! Files that are broken in every way: reading never panics, and an accepted file is a valid mesh.

use std::path::Path;

use chasles_formats::mesh::{MeshFile, MeshFormat, parse};
use chasles_testing::cases;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const FORMATS: [MeshFormat; 6] = [
    MeshFormat::Obj,
    MeshFormat::Stl,
    MeshFormat::Ply,
    MeshFormat::Off,
    MeshFormat::Dae,
    MeshFormat::OctoMap,
];

/// Valid files of each kind, small enough that a changed byte often matters.
fn files() -> Vec<(MeshFormat, Vec<u8>)> {
    let header = "element vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
                  element face 2\nproperty list uchar int vertex_indices\nend_header\n";
    let points = [[0.0f32, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [1.0, 0.5, 0.0], [0.0, 2.0, 1.0]];
    let faces: [&[i32]; 2] = [&[0, 1, 2, 3, 4], &[4, 1, 0]];
    let binary_ply = |name: &str, float: fn(f32) -> [u8; 4], int: fn(i32) -> [u8; 4]| {
        let mut bytes = format!("ply\nformat {name} 1.0\n{header}").into_bytes();
        bytes.extend(points.iter().flatten().flat_map(|&value| float(value)));
        for face in faces {
            bytes.push(u8::try_from(face.len()).unwrap());
            bytes.extend(face.iter().flat_map(|&index| int(index)));
        }
        bytes
    };
    let mut binary_stl = vec![b' '; 80];
    binary_stl.extend(2u32.to_le_bytes());
    for face in [[0, 1, 2], [2, 3, 4]] {
        binary_stl.extend([0; 12]);
        binary_stl.extend(face.iter().flat_map(|&i| points[i]).flat_map(f32::to_le_bytes));
        binary_stl.extend([0; 2]);
    }
    let text = |text: &str| text.as_bytes().to_vec();
    let map = |kind: &str, nodes: Vec<u8>| {
        let head = format!("# Octomap OcTree {kind}\nid OcTree\nsize 17\nres 0.1\ndata\n");
        (MeshFormat::OctoMap, [head.into_bytes(), nodes].concat())
    };
    let inner = |bits: u8| [0, 0, 0, 0, bits];
    vec![
        map("binary file", [vec![0, 0xC0], [3, 0].repeat(14), vec![0b10, 0]].concat()),
        map("file", [inner(0x80).to_vec(), inner(1).repeat(15), inner(0).to_vec()].concat()),
        (
            MeshFormat::Obj,
            text(
                "# house\no a\nv 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 .5 0\nv 0 2 1e0\nvn 0 0 1\nf 1//1 2//1 3//1 \\\n 4//1 5//1\nf -1 -4 -5\nl 1 2\n",
            ),
        ),
        (
            MeshFormat::Off,
            text(
                "COFF # house\n5 2 0\n0 0 0\n2 0 0\n2 2 0\n1 0.5 0\n0 2 1 255 0 0\n5 0 1 2 3 4\n3 4 1 0 0.5 0.5 0.5\n",
            ),
        ),
        (
            MeshFormat::Stl,
            text(
                "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e0 0\nendloop\nendfacet\nendsolid a\n",
            ),
        ),
        (MeshFormat::Stl, binary_stl),
        (
            MeshFormat::Ply,
            text(&format!(
                "ply\nformat ascii 1.0\n{header}0 0 0\n2 0 0\n2 2 0\n1 0.5 0\n0 2 1\n5 0 1 2 3 4\n3 4 1 0\n"
            )),
        ),
        (MeshFormat::Ply, binary_ply("binary_little_endian", f32::to_le_bytes, i32::to_le_bytes)),
        (MeshFormat::Ply, binary_ply("binary_big_endian", f32::to_be_bytes, i32::to_be_bytes)),
        (
            MeshFormat::Dae,
            text(
                "<COLLADA><library_geometries><geometry id='g'><mesh><source id='p'><float_array id='a'>0 0 0 2 0 0 2 2 0 1 .5 0 0 2 1\n\
                 </float_array><technique_common><accessor source='#a' count='5' stride='3'/></technique_common></source>\
                 <vertices id='v'><input semantic='POSITION' source='#p'/></vertices><polylist count='2'>\
                 <input semantic='VERTEX' source='#v' offset='0'/><vcount>5 3</vcount><p>0 1 2 3 4 4 1 0</p></polylist></mesh>\
                 </geometry></library_geometries><library_visual_scenes><visual_scene><node><scale>1 2 3</scale>\
                 <instance_geometry url='#g'/></node></visual_scene></library_visual_scenes></COLLADA>",
            ),
        ),
    ]
}

/// The guarantees of `parse` for every mesh.
fn check(mesh: &MeshFile) {
    assert!(mesh.vertices.iter().all(|vertex| vertex.is_finite()));
    assert!(mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < mesh.vertices.len()));
}

fn check_all_readers(bytes: &[u8]) {
    for format in FORMATS {
        if let Ok(mesh) = parse(bytes, format, Path::new("hostile")) {
            check(&mesh);
        }
    }
    let _ = MeshFormat::from_content(bytes);
}

/// The same cases in every run.
fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]))
}

#[test]
fn the_files_are_valid() {
    for (format, bytes) in files() {
        let mesh = parse(&bytes, format, Path::new("valid")).unwrap();
        check(&mesh);
        assert!(mesh.warnings.is_empty(), "{format:?}: {:?}", mesh.warnings);
        let expected = match format {
            MeshFormat::Stl => mesh.triangles.len(),
            MeshFormat::OctoMap => 12,
            MeshFormat::Obj | MeshFormat::Ply | MeshFormat::Off | MeshFormat::Dae => 4,
        };
        assert_eq!(mesh.triangles.len(), expected);
    }
}

#[test]
fn files_cut_anywhere() {
    for (_, bytes) in files() {
        for end in 0..bytes.len() {
            check_all_readers(&bytes[..end]);
        }
    }
}

#[test]
fn files_with_bytes_changed() {
    let files = files();
    // Half of the new bytes have a meaning in text formats.
    let byte = prop_oneof![any::<u8>(), prop::sample::select(b"0123456789-+.eEfvn/# \\\n\r".to_vec())];
    let changes = prop::collection::vec((any::<prop::sample::Index>(), byte), 1..6);
    runner(cases(800, 4000))
        .run(&(0..files.len(), changes), |(file, changes)| {
            let mut bytes = files[file].1.clone();
            for (place, byte) in changes {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            check_all_readers(&bytes);
            Ok(())
        })
        .unwrap();
}

#[test]
fn files_with_parts_repeated_or_lost() {
    let files = files();
    let place = any::<prop::sample::Index>;
    runner(cases(400, 2000))
        .run(&(0..files.len(), place(), place(), place()), |(file, a, b, c)| {
            let bytes = &files[file].1;
            let [a, b, c] = [a, b, c].map(|place| place.index(bytes.len()));
            check_all_readers(&[&bytes[..a], &bytes[b.min(c)..b.max(c)], &bytes[a..]].concat());
            check_all_readers(&[&bytes[..b.min(c)], &bytes[b.max(c)..]].concat());
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_bytes_are_read_or_refused() {
    runner(cases(400, 2000))
        .run(&prop::collection::vec(any::<u8>(), 0..300), |bytes| {
            check_all_readers(&bytes);
            Ok(())
        })
        .unwrap();
}
