//! Files that are broken in every way, or very large: reading never panics, and ends soon.

use std::path::Path;
use std::time::{Duration, Instant};

use chasles_formats::mesh::{self, MeshFormat};
use chasles_formats::robot::srdf;
use chasles_testing::Random;

use crate::robots::collada::{self, SHOWN};
use crate::robots::support::{one_line, parse};

const ROBOT: &str = "<?xml version='1.0'?><robot name='r'><link name='a'><collision><origin xyz='1 2 3' rpy='0 1 0'/>\
    <geometry><box size='1 2 3'/></geometry></collision></link><link name='b'><collision><geometry>\
    <cylinder radius='1' length='2'/></geometry></collision></link><link name='c'/>\
    <joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>\
    <limit lower='1' upper='2' velocity='1'/></joint><joint name='k' type='prismatic'><parent link='b'/>\
    <child link='c'/><limit upper='2'/><mimic joint='j' multiplier='2'/></joint></robot>";
const PAIRS: &str = "<robot name='arm'><disable_collisions link1='a' link2='b' reason='x'/></robot>";

/// Pieces that change the meaning of a file.
const PIECES: [&str; 16] = [
    "<", ">", "'", "&", "nan", "1e999", "-", "0", "<link name='a'/>", "</robot>", "<!--", "]]>", "\n", "b",
    "\u{0}", "url='#g'",
];

/// A text with some of its bytes changed, and pieces inserted or removed.
fn changed(text: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        match random.below(8) {
            0 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
            1 => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..at, piece.bytes());
            }
            2 => {
                let end = (at + 1 + random.below(20)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 => {
                let (from, to) = (random.below(bytes.len()), at);
                let piece = bytes[from..(from + 30).min(bytes.len())].to_vec();
                bytes.splice(to..to, piece);
            }
            // A changed digit or letter in a number or name.
            _ => {
                let next = bytes[at..].iter().position(u8::is_ascii_digit);
                let digit = b"0123456789.-eabc"[random.below(16)];
                bytes[at + next.unwrap_or(0)] = digit;
            }
        }
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
    bytes
}

/// Reads changed texts; returns the number of accepted ones.
fn tried(text: &str, read: impl Fn(&[u8]) -> chasles_formats::Result<()>) -> usize {
    let mut sound = 0;
    for seed in 1..chasles_testing::cases(800, 4000) {
        let random = &mut Random(seed);
        match read(&changed(text, random)) {
            Ok(()) => sound += 1,
            Err(error) => assert!(one_line(&error).starts_with("cell/file"), "{error}"),
        }
    }
    sound
}

#[test]
fn changed_robots() {
    let path = Path::new("cell/file.urdf");
    let options = chasles_formats::robot::urdf::UrdfOptions::default();
    let sound = tried(ROBOT, |bytes| {
        let robot = chasles_formats::robot::urdf::parse(bytes, path, &options)?.definition;
        // One tree: every link but one has one joint.
        assert_eq!(robot.joints.len() + 1, robot.links.len());
        for joint in &robot.joints {
            assert!(joint.parent < robot.links.len() && joint.child < robot.links.len());
            assert!(joint.rest.is_finite() && joint.mimic.is_none_or(|m| m.joint < robot.joints.len()));
        }
        Ok(())
    });
    assert!(sound > 25, "{sound}");
}

#[test]
fn changed_pairs() {
    let sound = tried(PAIRS, |bytes| {
        let read = srdf::parse(bytes, Path::new("cell/file.srdf"), "arm", &["a", "b"])?;
        assert!(read.pairs.iter().all(|pair| *pair == [0, 1]));
        Ok(())
    });
    assert!(sound > 12, "{sound}");
}

#[test]
fn changed_scenes() {
    let text = collada::shown("<asset><unit meter='2'/></asset>", SHOWN);
    let sound = tried(&text, |bytes| {
        let read = mesh::parse(bytes, MeshFormat::Dae, Path::new("cell/file.dae"))?;
        assert!(read.vertices.iter().all(|vertex| vertex.is_finite()));
        assert!(read.triangles.iter().flatten().all(|corner| (*corner as usize) < read.vertices.len()));
        Ok(())
    });
    assert!(sound > 25, "{sound}");
}

/// Many times the usual reading time: only quadratic algorithms are slower.
const LONG: Duration = Duration::from_secs(120);

#[test]
fn large_robots_are_read_in_time() {
    let start = Instant::now();
    // A chain of links: climbing it from every link would take the square of its length.
    let mut chain = "<robot name='r'><link name='l0'/>".to_owned();
    for i in 1..30_000 {
        chain += &format!(
            "<link name='l{i}'/><joint name='j{i}' type='continuous'><parent link='l{}'/><child link='l{i}'/>\
             <mimic joint='j{}'/></joint>\n",
            i - 1,
            i + 1
        );
    }
    chain += "<link name='x'/><joint name='j30000' type='continuous'><parent link='l0'/><child link='x'/></joint></robot>";
    assert_eq!(parse(&chain).unwrap().definition.links.len(), 30_001);
    // The same box very often: created once.
    let boxes = "<collision><geometry><box size='1 2 3'/></geometry></collision>".repeat(100_000);
    let boxes = parse(&format!("<robot name='r'><link name='a'>{boxes}</link></robot>")).unwrap();
    assert_eq!(boxes.definition.links[0].elements.len(), 100_000);
    // Deep nesting of ignored elements, and an attribute of ten megabytes.
    let deep = "<gazebo>".repeat(300_000) + &"</gazebo>".repeat(300_000);
    let long = "1 ".repeat(5_000_000);
    let text = format!("<robot name='r'>{deep}<link name='a' note='{long}'/></robot>");
    assert_eq!(parse(&text).unwrap().definition.links.len(), 1);
    let refused = parse(&format!("<robot name='r'><link name='{long}'/><link name='{long}'/></robot>"));
    assert!(one_line(&refused.unwrap_err()).ends_with("the name is taken by that of line 1"));
    // The number of reported warnings is limited.
    let slips = format!("<robot name='r'><link name='a'>{}</link></robot>", "<inertail/>".repeat(100_000));
    let warnings = parse(&slips).unwrap().warnings;
    assert_eq!((warnings.len(), warnings[1000].as_str()), (1001, "99000 more warnings are left out"));
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
}
