//! Bodies are made, or refused with a reason.

use std::mem::MaybeUninit;
use std::ptr;

use chasles_c::body::{
    Body, chasles_body_bounds, chasles_body_box, chasles_body_capsule, chasles_body_cone,
    chasles_body_cylinder, chasles_body_free, chasles_body_mesh, chasles_body_sphere,
};
use chasles_c::status::Status;

use crate::{ball, boxed, last_error, made, mesh, refused, written};

/// What is said of a body that must be refused. Its handle is NULL.
#[track_caller]
fn refusal(call: impl FnOnce(Option<&mut MaybeUninit<*mut Body>>) -> Status) -> String {
    let mut body = MaybeUninit::new(ptr::dangling_mut());
    assert_eq!(call(Some(&mut body)), Status::Argument);
    // SAFETY: it was written before.
    assert!(unsafe { body.assume_init() }.is_null());
    last_error()
}

#[test]
fn every_primitive_has_its_documented_position() {
    let bounds = |body: &Body| {
        let found = written(|bounds| chasles_body_bounds(Some(body), bounds));
        assert_eq!(found.least, found.greatest.map(|end| -end));
        found.greatest
    };
    let near = |found: [f64; 3], right: [f64; 3]| {
        assert!(
            found.iter().zip(right).all(|(found, right)| (found - right).abs() < 1e-12),
            "{found:?} {right:?}"
        );
    };
    near(bounds(&boxed(1.0, 2.0, 3.0)), [0.5, 1.0, 1.5]);
    near(bounds(&ball(0.25)), [0.25; 3]);
    near(bounds(&made(|body| chasles_body_cylinder(0.5, 3.0, body))), [0.5, 0.5, 1.5]);
    near(bounds(&made(|body| chasles_body_cone(0.5, 3.0, body))), [0.5, 0.5, 1.5]);
    near(bounds(&made(|body| chasles_body_capsule(0.5, 3.0, body))), [0.5, 0.5, 2.0]);
    let triangle = mesh(&[[0.0, 0.0, 7.0], [2.0, 0.0, 7.0], [0.0, 3.0, 7.0]], &[[0, 1, 2]]);
    let found = written(|bounds| chasles_body_bounds(Some(&triangle), bounds));
    assert_eq!((found.least, found.greatest), ([0.0, 0.0, 7.0], [2.0, 3.0, 7.0]));
    chasles_body_free(Some(triangle));
    chasles_body_free(None);
}

#[test]
fn invalid_bodies_are_errors() {
    assert_eq!(
        refusal(|body| chasles_body_sphere(0.0, body)),
        "primitive: sphere radius: found 0, expected greater than 0"
    );
    assert!(refusal(|body| chasles_body_box(1.0, f64::NAN, 1.0, body)).contains("box size y: found NaN"));
    assert!(refusal(|body| chasles_body_cylinder(-1.0, 1.0, body)).contains("cylinder radius: found -1"));
    assert!(refusal(|body| chasles_body_cone(1.0, f64::INFINITY, body)).contains("cone height: found inf"));
    assert!(refusal(|body| chasles_body_capsule(1e80, 1.0, body)).contains("capsule radius: found 1e80"));
    assert_eq!(chasles_body_sphere(1.0, None), Status::Argument);
    assert_eq!(last_error(), "result: found NULL, expected a place for the result");
    let none = refused(|bounds| chasles_body_bounds(None, bounds));
    assert_eq!(none, "body: found NULL");
}

#[test]
fn invalid_arrays_are_errors() {
    let vertices = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, f64::NAN];
    let triangles = [0_u32, 1, 2, 2, 1, 3];
    let (v, t) = (vertices.as_ptr(), triangles.as_ptr());
    let refusal = |v: *const f64, few: usize, t: *const u32, many: usize| {
        // SAFETY: the arrays are as long, or so wrong that nobody looks into them.
        refusal(|body| unsafe { chasles_body_mesh(v, few, t, many, body) })
    };
    assert!(
        refusal(v, 3, t, 1).contains("vertex 2: found NaN, expected a finite number"),
        "{}",
        last_error()
    );
    assert!(refusal(v, 2, t, 1).contains("found vertex index 2, expected below 2"), "{}", last_error());
    assert!(refusal(v, 2, t, 0).contains("found no triangles, expected at least one"));
    assert!(refusal(ptr::null(), 0, ptr::null(), 0).contains("found no triangles"));
    assert_eq!(refusal(ptr::null(), 3, t, 1), "vertices: found NULL, expected 3 elements");
    assert_eq!(refusal(v, 3, ptr::null(), 1), "triangles: found NULL, expected 1 elements");
    let odd = v.cast::<u8>().wrapping_add(1).cast();
    assert!(refusal(odd, 2, t, 1).contains("expected a multiple of 8 bytes"));
    assert!(refusal(v, usize::MAX, t, 1).contains("more than fit in memory"));
    assert!(refusal(v, 1 << 60, t, 1).contains("more than fit in memory"));
}
