//! The colours of robots: from the materials of a link's visual geometry.

use chasles_formats::robot::several;
use chasles_formats::robot::urdf::UrdfOptions;
use chasles_formats::scene::appearance::{ColourRange, UpAxis};

use crate::robots::support::parse;

const BOX: &str = "<geometry><box size='1 1 1'/></geometry>";

/// A part with collision geometry only.
fn collision() -> String {
    format!("<collision>{BOX}</collision>")
}

/// A visual part with this content.
fn visual(material: &str) -> String {
    format!("<visual>{BOX}{material}</visual>")
}

fn rgba(name: &str, rgba: &str) -> String {
    format!("<material name='{name}'><color rgba='{rgba}'/></material>")
}

/// A robot of links `l0`, `l1` and so on with these contents, and its materials.
fn arm(materials: &str, links: &[String]) -> String {
    let link = |(number, inside): (usize, &String)| format!("<link name='l{number}'>{inside}</link>\n");
    let joint = |number: usize| {
        format!("<joint name='j{number}' type='fixed'><parent link='l0'/><child link='l{number}'/></joint>\n")
    };
    let links_text: String = links.iter().enumerate().map(link).collect();
    let joints: String = (1..links.len()).map(joint).collect();
    format!("<robot name='arm'>\n{links_text}{joints}{materials}</robot>")
}

/// The colours of the links, each with its triangles.
#[track_caller]
fn reported(text: &str) -> Vec<Vec<(usize, [u8; 3])>> {
    let read = parse(text).unwrap();
    assert!(
        read.warnings.iter().all(|warning| warning.contains("no collision geometry")),
        "{:?}",
        read.warnings
    );
    assert_eq!((read.appearance.up, read.appearance.colours.len()), (UpAxis::Z, read.definition.links.len()));
    let of_link =
        |colours: &Vec<ColourRange>| colours.iter().map(|part| (part.triangles, part.colour)).collect();
    read.appearance.colours.iter().map(of_link).collect()
}

#[test]
fn materials_are_defined_in_links_or_referenced() {
    // The materials of the robot come after the links that refer to them.
    let materials = rgba("blue", "0 0 1 1") + &rgba("twice", "1 1 1 1") + &rgba("twice", "0 0 0 1");
    let links = [
        visual(&rgba("grey", "0.5 0.5 0.5 1")) + &collision(),
        visual("<material name='blue'/>") + &collision(),
        // As defined in an earlier link.
        visual("<material name='grey'/>") + &collision(),
        visual("<material name='unknown'/>") + &collision(),
        visual("") + &collision(),
        collision(),
        visual(&rgba("blue", "1 0 0 0.2")) + &collision(),
        visual("<material name='twice'/>") + &collision(),
        visual(&rgba("", "0 1 0 1")),
    ];
    let one = |colour| vec![(12, colour)];
    let expected = [
        one([128, 128, 128]),
        one([0, 0, 255]),
        one([128, 128, 128]),
        vec![],
        vec![],
        vec![],
        one([255, 0, 0]),
        one([255, 255, 255]),
        // It has no collision geometry, so it is not shown.
        vec![],
    ];
    assert_eq!(reported(&arm(&materials, &links)), expected);
}

#[test]
fn parts_have_the_colours_of_their_own_or_the_first() {
    let [red, blue] = [rgba("red", "1 0 0 1"), rgba("blue", "0 0 1 1")];
    let both = collision() + &collision();
    let links = [
        visual(&red) + &visual(&blue) + &both,
        visual("") + &visual(&blue) + &both,
        visual(&red) + &visual(&red) + &both,
        visual("") + &visual(&red) + &visual(&blue) + &both,
    ];
    let [red, blue] = [[255, 0, 0], [0, 0, 255]];
    let expected = [vec![(12, red), (12, blue)], vec![(24, blue)], vec![(24, red)], vec![(24, red)]];
    assert_eq!(reported(&arm("", &links)), expected);
}

#[test]
fn bad_colours_are_ignored() {
    let bad = ["", "1 0 0", "1 0 0 1 1", "red", "nan 0 0 1", "inf 0 0 1", "1,0,0,1"];
    for stated in bad {
        let text = arm("", &[visual(&rgba("m", stated)) + &collision()]);
        assert_eq!(reported(&text), [[]], "{stated}");
    }
    let text = arm("", &[visual(&rgba("m", "-3 7 1e-9 5")) + &collision()]);
    assert_eq!(reported(&text), [[(12, [0, 255, 0])]]);
    let text = arm("", &[visual("<material><texture filename='a.png'/></material>") + &collision()]);
    assert_eq!(reported(&text), [[]]);
}

#[test]
fn each_of_several_robots_has_its_colours() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("red.urdf", &arm("", &[visual(&rgba("m", "1 0 0 1")) + &collision(), collision()]));
    write("blue.urdf", &arm("", &[collision(), visual(&rgba("m", "0 0 1 1")) + &collision()]));
    let robots = "format = 1\n[[robot]]\nname = \"a\"\nurdf = \"red.urdf\"\n[[robot]]\nname = \"b\"\nurdf = \"blue.urdf\"\n";
    write("cell.toml", robots);
    let read = several::read(&folder.path().join("cell.toml"), &UrdfOptions::default()).unwrap();
    let coloured: Vec<_> = read
        .definition
        .links
        .iter()
        .zip(&read.appearance.colours)
        .filter_map(|(link, colours)| Some((link.name.as_str(), colours.first()?.colour)))
        .collect();
    assert_eq!(coloured, [("a/l0", [255, 0, 0]), ("b/l1", [0, 0, 255])]);
    assert_eq!(read.appearance.colours.len(), read.definition.links.len());
}
