//! The functions, called as C calls them.

mod bodies;
mod cells;
mod contacts;
mod interfaces;
mod edges;
mod many;
mod poses;

use std::ffi::CStr;
use std::mem::MaybeUninit;

use chasles_c::body::{Body, chasles_body_box, chasles_body_mesh, chasles_body_sphere};
use chasles_c::pose::Pose;
use chasles_c::status::{Status, chasles_last_error};

/// The message of the last call that failed.
fn last_error() -> String {
    // SAFETY: it is a text of C that stays until another call fails.
    unsafe { CStr::from_ptr(chasles_last_error()) }.to_str().unwrap().to_owned()
}

/// What a call writes that must succeed.
#[track_caller]
fn written<T>(call: impl FnOnce(Option<&mut MaybeUninit<T>>) -> Status) -> T {
    let mut place = MaybeUninit::uninit();
    let status = call(Some(&mut place));
    assert_eq!(status, Status::Ok, "{}", last_error());
    // SAFETY: a call that succeeds has written it.
    unsafe { place.assume_init() }
}

/// The message of a call that must be refused. It writes nothing.
#[track_caller]
fn refused<T: Copy>(call: impl FnOnce(Option<&mut MaybeUninit<T>>) -> Status) -> String {
    let mut place = MaybeUninit::<T>::zeroed();
    assert_eq!(call(Some(&mut place)), Status::Argument);
    // SAFETY: it had its bytes before.
    let bytes = unsafe { std::slice::from_raw_parts(place.as_ptr().cast::<u8>(), size_of::<T>()) };
    assert!(bytes.iter().all(|byte| *byte == 0), "something was written");
    last_error()
}

/// A body that a call makes.
#[track_caller]
fn made(call: impl FnOnce(Option<&mut MaybeUninit<*mut Body>>) -> Status) -> Box<Body> {
    // SAFETY: the handle is one of `Box::into_raw`.
    unsafe { Box::from_raw(written(call)) }
}

fn boxed(x: f64, y: f64, z: f64) -> Box<Body> {
    made(|body| chasles_body_box(x, y, z, body))
}

fn ball(radius: f64) -> Box<Body> {
    made(|body| chasles_body_sphere(radius, body))
}

fn mesh(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Box<Body> {
    let (vertices, triangles) = (vertices.as_flattened(), triangles.as_flattened());
    made(|body| {
        let (few, many) = (vertices.len() / 3, triangles.len() / 3);
        // SAFETY: the arrays have these lengths.
        unsafe { chasles_body_mesh(vertices.as_ptr(), few, triangles.as_ptr(), many, body) }
    })
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose { position: [x, y, z], quaternion: [1.0, 0.0, 0.0, 0.0] }
}
