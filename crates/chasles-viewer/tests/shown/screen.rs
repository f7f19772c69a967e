//! Pictures of the screen: of every kind of screw, the same bits each time, with nothing that stops them.

use std::collections::BTreeSet;

use chasles::{ContactFeatures, Options, Pose, PreparedMesh, Primitive, Screw};
use chasles_viewer::render::Picture;
use chasles_viewer::screen::{ScreenError, ScreenMark, ScreenShown, draw_screen};
use glam::{DQuat, DVec3};

fn cube(size: f64) -> PreparedMesh {
    PreparedMesh::new(Primitive::Box { size: DVec3::splat(size) }.tessellate().unwrap().mesh)
}

fn picture(screw: &Screw, collisions: Vec<ScreenMark>, size: [u32; 2]) -> Result<Picture, ScreenError> {
    let (a, b) = (cube(1.0), cube(1.3));
    let shown = ScreenShown { a: &a, b: &b, screw, duration: (2.0, "s"), collisions };
    draw_screen(&shown, size, &Options::default())
}

fn colours(picture: &Picture) -> BTreeSet<[u8; 3]> {
    let [width, height] = picture.size();
    let all = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    all.filter_map(|(x, y)| picture.pixel(x, y)).collect()
}

fn start() -> Pose {
    Pose::new(DVec3::new(-3.0, 0.2, 0.1), DQuat::from_rotation_y(0.4)).unwrap()
}

#[test]
fn every_kind_of_screw_has_a_picture() {
    let axis = DVec3::new(0.3, -0.2, 1.0);
    let point = DVec3::new(0.0, -4.0, 0.0);
    for (slide, angle) in
        [(0.0, 0.0), (4.0, 0.0), (0.0, 2.0), (0.5, 1.5), (-2.0, 40.0), (1.0, 1e-12), (1e-9, 7.0)]
    {
        let screw = Screw::about(start(), axis, point, slide, angle).unwrap();
        let found = picture(&screw, vec![], [320, 240]).unwrap();
        assert_eq!(found.size(), [320, 240]);
        assert!(colours(&found).len() > 20, "{slide} {angle}");
        assert_eq!(picture(&screw, vec![], [320, 240]).unwrap(), found);
    }
}

#[test]
fn marks_of_proper_collisions_are_filled() {
    let screw = Screw::translation(start(), 6.0 * DVec3::X);
    let mark = |proper, time| ScreenMark {
        time,
        point: DVec3::new(-0.65, 0.1, 0.1),
        normal: DVec3::X,
        features: ContactFeatures::EdgeEdge { a: [0, 1], b: [0, 1] },
        proper,
    };
    let black = |mark: Option<ScreenMark>| {
        let found = picture(&screw, mark.into_iter().collect(), [640, 480]).unwrap();
        let all = (0..480).flat_map(|y| (0..640).map(move |x| (x, y)));
        all.filter(|(x, y)| found.pixel(*x, *y) == Some([0x10; 3])).count()
    };
    let (none, proper, improper) = (black(None), black(Some(mark(true, 0.0))), black(Some(mark(false, 0.0))));
    assert!(proper >= none + 60 && improper < proper && improper > none, "{none} {proper} {improper}");
    // What is hit after something nearer is hollow, however proper.
    assert_eq!(black(Some(mark(true, 1.0))), improper);
}

#[test]
fn any_size_has_a_picture_or_is_refused() {
    let screw = Screw::translation(start(), 6.0 * DVec3::X);
    for size in [[1, 1], [1, 400], [4096, 2], [17, 33]] {
        assert_eq!(picture(&screw, vec![], size).unwrap().size(), size);
    }
    for size in [[0, 10], [10, 4097]] {
        assert_eq!(picture(&screw, vec![], size).unwrap_err(), ScreenError::Size(size));
    }
}

#[test]
fn extreme_numbers_do_not_panic() {
    let far = Pose::from_position(DVec3::splat(1e60)).unwrap();
    for screw in [
        Screw::translation(far, 1e60 * DVec3::X),
        Screw::about(far, DVec3::Z, DVec3::splat(-1e65), 1e-60, 1e3).unwrap(),
        Screw::about(start(), DVec3::Z, DVec3::splat(1e65), 0.0, 1e-60).unwrap(),
        Screw::about(start(), DVec3::Z, DVec3::ZERO, 1.0, 1e12).unwrap(),
    ] {
        let mark = ScreenMark {
            time: 0.5,
            point: DVec3::splat(1e65),
            normal: DVec3::X,
            features: ContactFeatures::VertexFace { a: 0, b: 0 },
            proper: true,
        };
        let found = picture(&screw, vec![mark], [160, 120]).unwrap();
        assert_eq!(found.size(), [160, 120]);
    }
}
