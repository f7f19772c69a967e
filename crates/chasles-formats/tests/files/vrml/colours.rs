//! The colours of worlds: of static worlds, and of worlds moved by a path.

use std::path::Path;

use chasles_formats::scene::appearance::{Appearance, ColourRange, UpAxis};
use chasles_formats::vrml::{self, VrmlOptions};

use crate::vrml::support::world;

const BOX: &str = "geometry Box { }";

/// The first colour of each body that has one, and the triangles that have a colour.
fn reported(appearance: &Appearance) -> Vec<(usize, [u8; 3], usize)> {
    assert_eq!(appearance.up, UpAxis::Y);
    let of_body = |(body, colours): (usize, &Vec<ColourRange>)| {
        let triangles = colours.iter().map(|part| part.triangles).sum();
        Some((body, colours.first()?.colour, triangles))
    };
    appearance.colours.iter().enumerate().filter_map(of_body).collect()
}

#[track_caller]
fn of_scene(body: &str) -> Vec<(usize, [u8; 3], usize)> {
    reported(&world(body).scene(&VrmlOptions::default()).unwrap().appearance)
}

fn shape(appearance: &str) -> String {
    format!("Shape {{ {appearance} {BOX} }}\n")
}

fn with_material(material: &str) -> String {
    shape(&format!("appearance Appearance {{ material {material} }}"))
}

#[test]
fn materials_give_shapes_their_colours() {
    let bodies = [
        with_material("DEF RED Material { diffuseColor 1 0 0 }"),
        shape(""),
        with_material("Material { }"),
        with_material("USE RED"),
        shape("appearance Appearance { }"),
        with_material("Material { diffuseColor 0.5 0.25 7 emissiveColor 1 1 1 }"),
    ];
    let expected =
        [(0, [255, 0, 0], 12), (2, [204, 204, 204], 12), (3, [255, 0, 0], 12), (5, [128, 64, 255], 12)];
    assert_eq!(of_scene(&bodies.concat()), expected);
}

#[test]
fn unlit_and_physical_materials_of_x3d_have_colours_too() {
    let shape = |material: &str| format!("<Shape><Appearance>{material}</Appearance><Box/></Shape>");
    let materials = [
        "<Material diffuseColor='0 1 0'/>",
        "<UnlitMaterial emissiveColor='1 0 1'/>",
        "<PhysicalMaterial baseColor='0 0 1'/>",
        "<UnlitMaterial/>",
        "<TwoSidedMaterial diffuseColor='1 1 0'/>",
    ];
    let shapes = materials.map(shape).concat();
    let text = format!("<?xml version='1.0'?><X3D version='4.0'><Scene>{shapes}</Scene></X3D>");
    let read = vrml::parse(text.as_bytes(), Path::new("world.x3d")).unwrap();
    let colours: Vec<_> = reported(&read.scene(&VrmlOptions::default()).unwrap().appearance)
        .into_iter()
        .map(|(_, colour, _)| colour)
        .collect();
    assert_eq!(colours, [[0, 255, 0], [255, 0, 255], [0, 0, 255], [255; 3], [255, 255, 0]]);
}

#[test]
fn prototypes_pass_colours_on() {
    let proto = "PROTO Painted [ field SFColor paint 0 0 1 ] {
        Shape { appearance Appearance { material Material { diffuseColor IS paint } } geometry Box { } } }\n";
    let bodies = format!("{proto} Painted {{ }} Painted {{ paint 0 1 0 }}");
    assert_eq!(of_scene(&bodies), [(0, [0, 0, 255], 12), (1, [0, 255, 0], 12)]);
}

#[test]
fn moving_links_have_their_colours() {
    let moved = format!(
        "DEF ARM Transform {{ children [ {} {} ] }}",
        with_material("Material { diffuseColor 0 1 0 }"),
        shape("")
    );
    let text = format!("{}{moved}", with_material("Material { diffuseColor 1 0 0 }"));
    let robot = world(&text).robot(&["ARM.rotation".into(), "ARM.translation.y".into()]).unwrap();
    let names: Vec<_> = reported(&robot.appearance)
        .into_iter()
        .map(|(link, colour, triangles)| {
            assert_eq!(triangles, 12);
            (robot.definition.links[link].elements.len(), colour)
        })
        .collect();
    // The colours belong to links with a surface, not to links that only carry others.
    assert_eq!(names, [(1, [255, 0, 0]), (1, [0, 255, 0])]);
    assert!(robot.appearance.colours.len() <= robot.definition.links.len());
}
