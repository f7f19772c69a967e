//! Pictures, by their pixels.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chasles::{
    BodyMotion, CheckOptions, CollisionShape, DeformingSurface, Frames, FramesInMemory, Mesh, Pose,
    Primitive, Scene, SceneBody, SceneDefinition,
};
use chasles_formats::Subject;
use chasles_formats::report::json;
use chasles_formats::report::reported::{self, ReportFile};
use chasles_formats::scene;
use chasles_viewer::Playback;
use chasles_viewer::render::{Film, Highlight, Picture, RenderError, RenderOptions, render};
use glam::DVec3;

/// A cube that comes down on a floor: at 1 s, when half its way is done, the lower corners are in it.
const SCENE: &[u8] = b"format = 1\nduration = 2.0\n\
    [[body]]\nname = 'cube'\nbox = [1, 1, 1]\npose = { position = [0, 0, 1.5] }\n\
    [body.motion]\nkind = 'twist'\nlinear = [0, 0, -1]\nangular = [0, 0, 0]\n\
    [[body]]\nname = 'floor'\nbox = [4, 4, 1]\npose = { position = [0, 0, -0.5] }\n\
    [[body]]\nname = 'post'\nbox = [0.5, 0.5, 3]\npose = { position = [-1.5, 0, 1.5001] }\n\
    [[ignore]]\npair = ['post', 'floor']\n";

const SKY: [[u8; 3]; 2] = [[0xf7, 0xf8, 0xfa], [0xdf, 0xe3, 0xe8]];
const CONTACT: [u8; 3] = [0xd5, 0x5e, 0x00];

fn playback() -> Playback {
    let path = "scene.toml".as_ref();
    let scene = scene::build::build(&scene::file::parse(SCENE, path).unwrap(), path).unwrap().scene;
    let found = scene.check(&CheckOptions::default(), &()).unwrap();
    let json = json::to_json(&Subject::scene(&scene), &found);
    let report: ReportFile = reported::parse(&json, "r.json".as_ref()).unwrap();
    Playback::of_scene("scene.toml", scene, Some(&report)).unwrap()
}

/// From the front, x to the right and z up: 400 pixels for the 4 metres of the floor and what they leave free.
const FRONT: RenderOptions =
    RenderOptions { size: [500, 500], from: DVec3::new(0.0, -1.0, 0.0), highlight: Highlight::Points };

/// Pixels a metre: the picture is filled to 0.88 of its side, by the larger of 4 m across and what is from -1 up to
/// 3.0001.
const SCALE: f64 = 0.88 * 500.0 / 4.0001;

/// The pixel that shows a point of the plane y = 0.
fn pixel(picture: &Picture, x: f64, z: f64) -> [u8; 3] {
    let across = 250.0 + SCALE * x;
    let down = 250.0 - SCALE * (z - 1.000_05);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the picture")]
    let (across, down) = (across as u32, down as u32);
    picture.pixel(across, down).unwrap()
}

/// Whether a colour is one of another, in any light: its parts are in the same order.
fn is_like(found: [u8; 3], meant: [f64; 3]) -> bool {
    let bright = f64::from(found[0]) / meant[0];
    (0.4..=1.05).contains(&bright)
        && found.iter().zip(meant).all(|(found, meant)| (f64::from(*found) - bright * meant).abs() < 4.0)
}

const A: [f64; 3] = [63.0, 148.0, 209.0];
const B: [f64; 3] = [230.0, 161.0, 28.0];
const MOVES: [f64; 3] = [147.0, 161.0, 179.0];
const STANDS: [f64; 3] = [185.0, 190.0, 198.0];

#[test]
fn a_box_covers_the_pixels_it_should() {
    let picture = render(&playback(), 0.0, &FRONT).unwrap();
    assert_eq!(picture.size(), [500, 500]);
    assert_eq!(picture.pixel(0, 0), Some(SKY[0]));
    assert_eq!((picture.pixel(499, 499), picture.pixel(500, 0)), (Some(SKY[1]), None));
    // The cube is from -0.5 to 0.5 in x, from 1 to 2 in z; edges are drawn a pixel wide, one pixel is 9 mm.
    for i in 0..20 {
        for k in 0..20 {
            let (x, z) = (-1.0 + 0.1 * f64::from(i) + 0.05, 0.2 + 0.1 * f64::from(k) + 0.05);
            let found = pixel(&picture, x, z);
            let inside = x.abs() < 0.5 && (1.0..2.0).contains(&z);
            assert_eq!(is_like(found, MOVES), inside, "{x} {z}: {found:?}");
        }
    }
    for (x, z) in [(-1.9, -0.9), (1.9, -0.1), (0.0, -0.5), (-1.5, 2.9), (-1.5, 0.2)] {
        assert!(is_like(pixel(&picture, x, z), STANDS), "{x} {z}");
    }
}

#[test]
fn contacts_are_marked() {
    let playback = playback();
    let report = serde_json::from_str::<serde_json::Value>(&playback.to_json()).unwrap()["report"].clone();
    let enter = report["pairs"][0]["intervals"][0]["enter"][1].as_f64().unwrap();
    assert!((enter - 1.0).abs() < 1e-6);
    let point = &report["pairs"][0]["intervals"][0]["contact"]["point"];
    let (x, z) = (point[0].as_f64().unwrap(), point[2].as_f64().unwrap());
    let picture = render(&playback, enter, &FRONT).unwrap();
    assert_eq!(pixel(&picture, x, z), CONTACT);
    // The normal goes from the first body to the second: down, 48 pixels.
    assert_eq!(pixel(&picture, x, z - 40.0 / SCALE), CONTACT);
    assert_ne!(pixel(&picture, x, z + 40.0 / SCALE), CONTACT);
    assert!(is_like(pixel(&picture, 0.0, 0.5), A) && is_like(pixel(&picture, 1.5, -0.5), B));
    assert!(is_like(pixel(&picture, -1.5, 2.5), STANDS));
    // Half a second later they intersect: a point is marked, and no normal.
    let later = render(&playback, 1.5, &FRONT).unwrap();
    let marked = |picture: &Picture| {
        let all = (0..500).flat_map(|y| (0..500).map(move |x| (x, y)));
        all.filter(|(x, y)| picture.pixel(*x, *y) == Some(CONTACT)).count()
    };
    let before = render(&playback, 0.9, &FRONT).unwrap();
    assert_eq!(marked(&before), 0);
    assert!((60..90).contains(&marked(&later)), "{}", marked(&later));
    // With the triangles that intersect: those of the cube's sides.
    let options = RenderOptions { highlight: Highlight::Features, ..FRONT };
    let all = render(&playback, 1.5, &options).unwrap();
    assert!(marked(&all) > 2000, "{}", marked(&all));
    assert!(is_like(pixel(&render(&playback, 0.9, &options).unwrap(), 0.0, 0.5), MOVES));
}

#[test]
fn pictures_are_the_same_each_time_and_read_back() {
    let playback = playback();
    let options = RenderOptions { size: [64, 48], ..RenderOptions::default() };
    let [first, second] = [0, 1].map(|_| render(&playback, 1.2, &options).unwrap());
    assert_eq!(first, second);
    let file = first.to_png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height, info.color_type), (64, 48, png::ColorType::Rgb));
    for y in 0..48 {
        for x in 0..64 {
            let at = 3 * (y * 64 + x);
            let [x, y] = [x, y].map(|at| u32::try_from(at).unwrap());
            assert_eq!(first.pixel(x, y).unwrap(), pixels[at..at + 3]);
        }
    }
}

#[test]
fn scenes_without_a_picture_are_errors() {
    let playback = playback();
    let refused = |time: f64, options: RenderOptions| render(&playback, time, &options).unwrap_err();
    for size in [[0, 10], [10, 0], [4097, 10]] {
        assert_eq!(refused(0.0, RenderOptions { size, ..FRONT }), RenderError::Size(size));
    }
    for time in [-0.1, 2.1, f64::NAN] {
        let message = refused(time, FRONT).to_string();
        assert!(message.ends_with("expected a time within 0 to 2 s"), "{message}");
    }
    assert!(matches!(
        refused(0.0, RenderOptions { from: DVec3::INFINITY, ..FRONT }),
        RenderError::Direction(_)
    ));
    // From anywhere, also along z, and of any shape.
    for from in [DVec3::ZERO, DVec3::Z, -DVec3::Z, DVec3::new(1e-300, 0.0, 0.0)] {
        for size in [[1, 1], [300, 2], [2, 300]] {
            let picture = render(&playback, 2.0, &RenderOptions { size, from, ..FRONT }).unwrap();
            assert_eq!(picture.size(), size);
        }
    }
}

#[test]
fn every_scene_has_a_picture() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let scene = scene::build::read(&file).unwrap().scene;
        let middle = 0.5 * scene.duration();
        let playback = Playback::of_scene("scene", scene, None).unwrap();
        let options = RenderOptions { size: [80, 60], ..RenderOptions::default() };
        let picture = render(&playback, middle, &options).unwrap();
        let all = (0..60).flat_map(|y| (0..80).map(move |x| (x, y)));
        let dark = all.filter(|(x, y)| picture.pixel(*x, *y).unwrap()[0] < 0xd0).count();
        assert!(dark > 60, "{}: {dark}", file.display());
        count += 1;
    }
    assert!(count > 15, "{count}");
}

/// A square sheet of a metre across that sinks onto a table: at 1 s it lies on it, at 2 s it is half a metre below.
fn sinking(frames: Arc<dyn Frames>, times: Vec<f64>) -> Playback {
    let mut first = vec![DVec3::ZERO; 4];
    frames.read(0, &mut first).unwrap();
    let mesh = Mesh::new(first, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let sheet = CollisionShape::deforming(Arc::new(DeformingSurface::new(mesh, times, frames).unwrap()));
    let body = |name: &str, shape, z: f64| SceneBody {
        name: name.into(),
        shape: Some(shape),
        motion: BodyMotion::Still(Pose::from_position(DVec3::new(0.0, 0.0, z)).unwrap()),
        parent: None,
        group: None,
        solid: false,
    };
    let table = Primitive::Box { size: DVec3::new(4.0, 4.0, 1.0) };
    let table = CollisionShape::primitive(table).unwrap();
    let bodies = vec![body("sheet", sheet, 0.0), body("table", table, -0.5)];
    let definition =
        SceneDefinition { duration: 2.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
    let scene = Scene::new(definition).unwrap();
    let found = scene.check(&CheckOptions { events: true, ..CheckOptions::default() }, &()).unwrap();
    let json = json::to_json(&Subject::scene(&scene), &found);
    let report = reported::parse(&json, "r.json".as_ref()).unwrap();
    Playback::of_scene("sheet.toml", scene, Some(&report)).unwrap()
}

/// Upright, with its lower edge at z.
fn upright(z: f64) -> Vec<DVec3> {
    [(-0.5, z), (0.5, z), (0.5, z + 1.0), (-0.5, z + 1.0)].map(|(x, z)| DVec3::new(x, 0.0, z)).into()
}

#[test]
fn bodies_that_deform_have_their_shape_at_the_time() {
    let frames = FramesInMemory(vec![upright(0.5), upright(-0.5)]);
    let playback = sinking(Arc::new(frames), vec![0.0, 2.0]);
    // 4 m across, and from -1 to the top of the sheet.
    let scale = 0.88 * 500.0 / 4.0;
    for (time, bottom) in [(0.0, 0.5), (0.5, 0.25), (0.9, 0.05)] {
        let picture = render(&playback, time, &FRONT).unwrap();
        let middle = 0.5 * (bottom + 1.0 - 1.0);
        let at = |z: f64| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the picture")]
            let down = (250.0 - scale * (z - middle)) as u32;
            picture.pixel(262, down).unwrap()
        };
        assert!(is_like(at(bottom + 0.04), MOVES) && is_like(at(bottom + 0.96), MOVES), "{time}");
        assert!(!is_like(at(bottom - 0.03), MOVES) && !is_like(at(bottom + 1.04), MOVES), "{time}");
    }
    // Where it meets the table its features are marked, and after a twenty-fifth of the time only where both are
    // nearest.
    let marked = |time: f64| {
        let picture = render(&playback, time, &FRONT).unwrap();
        let all = (0..500).flat_map(|y| (0..500).map(move |x| (x, y)));
        all.filter(|(x, y)| picture.pixel(*x, *y) == Some(CONTACT)).count()
    };
    assert_eq!(marked(0.9), 0);
    let [meeting, soon, later] = [1.0, 1.07, 1.09].map(marked);
    assert!(meeting > soon && soon > later + 20 && later > 20, "{meeting} {soon} {later}");
}

/// Frames of which the second is there once.
#[derive(Debug)]
struct Vanishing(AtomicBool);

impl Frames for Vanishing {
    fn read(&self, frame: usize, vertices: &mut [DVec3]) -> Result<(), chasles::Error> {
        if frame == 1 && self.0.load(Ordering::Relaxed) {
            return Err(chasles::Error::unreadable("sheet.pc2", "cannot be read: gone"));
        }
        vertices.copy_from_slice(&upright(2.0));
        Ok(())
    }
}

#[test]
fn an_unreadable_shape_gives_no_picture() {
    let frames = Arc::new(Vanishing(AtomicBool::new(false)));
    let playback = sinking(Arc::clone(&frames) as Arc<dyn Frames>, vec![0.0, 2.0]);
    assert!(render(&playback, 1.0, &FRONT).is_ok());
    frames.0.store(true, Ordering::Relaxed);
    let message = render(&playback, 1.0, &FRONT).unwrap_err().to_string();
    assert_eq!(message, "body \"sheet\": sheet.pc2: cannot be read: gone");
    assert!(render(&playback, 0.0, &FRONT).is_ok());
    assert!(playback.with_frames(1000).is_err());
}

/// The first and the last column of a picture that show more than sky.
fn columns(picture: &Picture) -> [u32; 2] {
    let [width, height] = picture.size();
    let sky = |[red, ..]: [u8; 3]| red >= SKY[1][0];
    let shows = |x: &u32| (0..height).any(|y| !sky(picture.pixel(*x, y).unwrap()));
    let mut shown = (0..width).filter(shows);
    let first = shown.next().unwrap();
    [first, shown.next_back().unwrap_or(first)]
}

#[test]
fn the_camera_of_a_film_is_static_and_sees_everything() {
    // It flies off to the right, from 0 to 8 m.
    let text = b"format = 1\nduration = 2.0\n\
        [[body]]\nname = 'floor'\nbox = [2, 2, 0.5]\n\
        [[body]]\nname = 'ball'\nbox = [0.5, 0.5, 0.5]\npose = { position = [0, 0, 1] }\n\
        [body.motion]\nkind = 'twist'\nlinear = [4, 0, 0]\nangular = [0, 0, 0]\n";
    let path = "scene.toml".as_ref();
    let scene = scene::build::build(&scene::file::parse(text, path).unwrap(), path).unwrap().scene;
    let playback = Playback::of_scene("scene.toml", scene, None).unwrap();
    let film = Film::new(&playback, vec![0.0, 1.0, 2.0], &FRONT).unwrap();
    assert_eq!((film.count(), film.picture(3)), (3, None));
    let pictures = [0, 1, 2].map(|number| film.picture(number).unwrap().unwrap());
    // 9.25 m fill 440 of 500 pixels: from 30 to 470.
    let scale = 440.0 / 9.25;
    for (picture, right) in pictures.iter().zip([2.0, 5.25, 9.25]) {
        let [first, last] = columns(picture);
        let expected = 30.0 + scale * right;
        assert!(
            first.abs_diff(30) <= 1 && (f64::from(last) - expected).abs() <= 2.0,
            "{first} to {last} for {expected}"
        );
    }
    // A picture alone is as large as can be.
    assert!(columns(&render(&playback, 0.0, &FRONT).unwrap())[0] < 31);
    assert!(columns(&render(&playback, 0.0, &FRONT).unwrap())[1] > 460);
    let late = Film::new(&playback, vec![0.0, 3.0], &FRONT).unwrap_err();
    assert_eq!(late, RenderError::Time(3.0, [0.0, 2.0]));
}
