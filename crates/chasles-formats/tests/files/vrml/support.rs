//! Worlds written in the test, and the bodies in them.

use std::path::Path;

use chasles_formats::info::SceneInfo;
use chasles_formats::vrml::{self, World};
use chasles_testing::Random;
use glam::DVec3;

pub(crate) const HEADER: &str = "#VRML V2.0 utf8\n";

#[track_caller]
pub(crate) fn world(body: &str) -> World {
    vrml::parse(format!("{HEADER}{body}").as_bytes(), Path::new("world.wrl")).unwrap()
}

#[track_caller]
pub(crate) fn facts(body: &str) -> SceneInfo {
    world(body).facts().unwrap()
}

/// Names and triangles of the bodies.
#[track_caller]
pub(crate) fn bodies(body: &str) -> Vec<(String, usize)> {
    facts(body).bodies.into_iter().map(|body| (body.name, body.triangles)).collect()
}

#[track_caller]
pub(crate) fn refused(body: &str) -> String {
    match vrml::parse(format!("{HEADER}{body}").as_bytes(), Path::new("world.wrl")) {
        Ok(world) => panic!("it was read: {:?}", world.facts()),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
pub(crate) fn assert_bounds(info: &SceneInfo, lo: [f64; 3], hi: [f64; 3]) {
    assert_bounds_within(1e-12, info, lo, hi);
}

/// Asserts bounds of polyhedra inscribed in balls, which fall slightly short of the given bounds.
#[track_caller]
pub(crate) fn assert_bounds_within(slack: f64, info: &SceneInfo, lo: [f64; 3], hi: [f64; 3]) {
    let [found_lo, found_hi] = info.bounds.expect("it has bounds");
    let (lo, hi) = (DVec3::from_array(lo), DVec3::from_array(hi));
    assert!(
        found_lo.distance(lo) <= slack && found_hi.distance(hi) <= slack,
        "{found_lo} {found_hi} for {lo} {hi}"
    );
}

/// A multiple of 0.001 in [-1, 1].
pub(crate) fn number(random: &mut Random) -> f64 {
    (random.below(2001) as f64 - 1000.0) / 1000.0
}

/// [`number`] for each coordinate.
pub(crate) fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(number(random), number(random), number(random))
}
