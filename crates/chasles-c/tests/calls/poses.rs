//! Poses and their matrices; versions.

use std::ffi::CStr;

use chasles_c::pose::{chasles_pose_from_matrix, chasles_pose_identity};
use chasles_c::status::{CHASLES_INTERFACE_VERSION, chasles_interface_version, chasles_version};

use crate::{at, refused, written};

const IDENTITY: [f64; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

#[track_caller]
fn refusal(change: impl Fn(&mut [f64; 16])) -> String {
    let mut matrix = IDENTITY;
    change(&mut matrix);
    // SAFETY: 16 numbers.
    refused(|pose| unsafe { chasles_pose_from_matrix(matrix.as_ptr(), pose) })
}

#[test]
fn a_matrix_is_read_column_by_column() {
    assert_eq!(chasles_pose_identity(), at(0.0, 0.0, 0.0));
    // A quarter turn about z takes x to y; then it is moved.
    let matrix = [0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.25, -3.0, 1.0];
    // SAFETY: 16 numbers.
    let pose = written(|pose| unsafe { chasles_pose_from_matrix(matrix.as_ptr(), pose) });
    assert_eq!(pose.position, [0.5, 0.25, -3.0]);
    let half = 0.5_f64.sqrt();
    for (found, right) in pose.quaternion.iter().zip([half, 0.0, 0.0, half]) {
        assert!((found - right).abs() < 1e-15, "{pose:?}");
    }
}

#[test]
fn matrices_that_are_not_rigid_are_refused() {
    let rows = "found a matrix whose last row is not (0, 0, 0, 1), expected a rigid one";
    assert!(refusal(|m| m[3] = 0.5).contains(rows));
    // One that is given row by row has its position in the last row.
    assert!(refusal(|m| m[11] = -2.0).contains("column by column"));
    for (place, number) in [(0, 1.001), (1, 1e-3), (5, 0.0)] {
        let refused = refusal(|m| m[place] = number);
        assert!(refused.contains("scales or shears by more than 1e-6, expected a rigid one"), "{refused}");
    }
    assert!(refusal(|m| m[10] = f64::NAN).contains("found NaN, expected a finite number"));
    assert!(refusal(|m| m[10] = -1.0).contains("mirrors"));
    assert!(refusal(|m| m[13] = f64::INFINITY).contains("position: found inf, expected a finite number"));
    // SAFETY: NULL is refused.
    let null = refused(|pose| unsafe { chasles_pose_from_matrix(std::ptr::null(), pose) });
    assert_eq!(null, "matrix: found NULL, expected 16 elements");
}

#[test]
fn versions_are_reported() {
    // SAFETY: it is a text of C that is never freed.
    let version = unsafe { CStr::from_ptr(chasles_version()) };
    assert_eq!(version.to_str().unwrap(), env!("CARGO_PKG_VERSION"));
    assert_eq!(chasles_interface_version(), CHASLES_INTERFACE_VERSION);
}
