//! Files of the wrong kind: no message quotes their contents.

use std::path::Path;

use chasles::{AdjacentLinks, CollisionShape, Link, LinkElement, Pose, Primitive, Robot, RobotDefinition};
use chasles_formats::mesh::MeshFormat;
use chasles_formats::problems::{self, impulse};
use chasles_formats::robot::cell::{self, CellOptions};
use chasles_formats::robot::joint_path::PathOptions;
use chasles_formats::robot::urdf::UrdfOptions;
use chasles_formats::robot::{clearance_file, joint_path, several, srdf, urdf};
use chasles_formats::samples::{motion_keys, npy};
use chasles_formats::scene;
use chasles_formats::{cloud, gltf, mesh, recording, vrml};

/// Files of other programs, each with a word that must not appear.
const SECRETS: [(&str, &str); 5] = [
    ("sesame:x:0:0:sesame:/sesame:/bin/bash\ndaemon:x:1:1:sesame:/usr/sbin:/usr/sbin/sesame\n", "sesame"),
    ("-----BEGIN SESAME KEY-----\nMIISESAMEAgEAMA0GCSqGSIb3\n-----END SESAME KEY-----\n", "SESAME"),
    ("# of the server\nPASSWORD: sesame\nTOKEN: sesame\n", "sesame"),
    ("sesame open sesame\n\nopen sesame open\n", "sesame"),
    ("machine sesame.example login sesame password sesame\n", "sesame"),
];

fn robot() -> Robot {
    let shape = CollisionShape::primitive(Primitive::Sphere { radius: 0.1 }).unwrap();
    let element = LinkElement { shape, pose: Pose::IDENTITY, solid: true };
    let links = vec![Link { name: "base".into(), elements: vec![element] }];
    let (disabled, adjacent) = (Vec::new(), AdjacentLinks::Skipped);
    Robot::new(RobotDefinition { name: "r".into(), links, joints: Vec::new(), disabled, adjacent }).unwrap()
}

/// The messages of all readers about bytes, each with the kind that the reader expects.
fn messages(bytes: &[u8]) -> Vec<(String, Option<String>)> {
    fn error_text<T>(found: chasles_formats::Result<T>) -> Option<String> {
        found.err().map(|error| error.to_string())
    }
    let path = Path::new("file");
    let mut all = Vec::new();
    let formats = [
        MeshFormat::Obj,
        MeshFormat::Stl,
        MeshFormat::Ply,
        MeshFormat::Off,
        MeshFormat::Dae,
        MeshFormat::OctoMap,
    ];
    for format in formats {
        all.push((format!("{format:?}"), error_text(mesh::parse(bytes, format, path))));
    }
    for format in [cloud::CloudFormat::Xyz, cloud::CloudFormat::Pcd, cloud::CloudFormat::Ply] {
        all.push((format!("points {format:?}"), error_text(cloud::parse(bytes, format, path))));
    }
    for format in [motion_keys::KeyFileFormat::Csv, motion_keys::KeyFileFormat::Npy] {
        all.push((format!("keys {format:?}"), error_text(motion_keys::parse(bytes, path, format))));
    }
    for ending in ["csv", "yaml", "json"] {
        let file = Path::new("file").with_extension(ending);
        all.push((
            format!("path {ending}"),
            error_text(joint_path::parse(bytes, &file, PathOptions::default())),
        ));
    }
    let cell = cell::build(robot(), path, &CellOptions::default()).unwrap().cell;
    let options = UrdfOptions::default();
    all.extend([
        ("npy".into(), error_text(npy::parse(bytes, path))),
        ("scene".into(), error_text(scene::file::parse(bytes, path))),
        ("gltf".into(), error_text(gltf::parse(bytes, path, &gltf::GltfOptions::default()))),
        ("world".into(), error_text(vrml::parse(bytes, path))),
        ("urdf".into(), error_text(urdf::parse(bytes, path, &options))),
        ("robots".into(), error_text(several::parse(bytes.to_vec(), path, &options))),
        ("srdf".into(), error_text(srdf::parse(bytes, path, "r", &["base"]))),
        ("clearances".into(), error_text(clearance_file::parse(bytes, path, &cell))),
        ("problem".into(), problems::parse_batch_line(bytes, 1, path).err().map(|bad| bad.error)),
        ("screen".into(), problems::parse_screen_line(bytes, 1, path).err().map(|bad| bad.error)),
        ("impulse".into(), impulse::parse_line(bytes, 1, path).err().map(|bad| bad.error)),
        ("recording".into(), error_text(recording::parse(bytes, path))),
    ]);
    all
}

#[test]
fn messages_about_files_of_the_wrong_kind_do_not_quote_them() {
    let mut quoted = Vec::new();
    for (text, word) in SECRETS {
        for (kind, message) in messages(text.as_bytes()) {
            let message = message.unwrap_or_else(|| panic!("{kind} reads {text:?}"));
            if message.to_lowercase().contains(&word.to_lowercase()) {
                quoted.push(format!("{kind}: {message}"));
            }
        }
    }
    assert!(quoted.is_empty(), "{}", quoted.join("\n"));
}

/// Once a part was understood, messages quote the part that was not.
#[test]
fn messages_about_files_of_the_right_kind_quote_them() {
    let cases = [
        ("v 0 0 0\n<html>\n", MeshFormat::Obj, "`<html>`"),
        ("ply\nformat text 1.0\n", MeshFormat::Ply, "`text`"),
    ];
    for (text, format, quoted) in cases {
        let message = mesh::parse(text.as_bytes(), format, Path::new("file")).unwrap_err().to_string();
        assert!(message.contains(quoted), "{message}");
    }
}
