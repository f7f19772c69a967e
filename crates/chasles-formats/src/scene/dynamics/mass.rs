//! The inertia of a body.

use chasles::{InertiaFault, RigidMass};
use glam::{DMat3, DQuat, DVec3};

use crate::error::Result;
use crate::text::cursor::{Cursor, Limit};

/// The expected inertia, for errors.
pub(crate) const INERTIA: &str = "3 principal moments or a matrix of 3 x 3, in kg m^2";

/// The inertia about the centre of mass: `rotation` rotates principal moments, but not a matrix.
pub(crate) fn inertia(at: &Cursor<'_>, rotation: DQuat) -> Result<DMat3> {
    let rows: Vec<_> = at.items(INERTIA)?.collect();
    let [x, y, z] = &rows[..] else { return Err(at.expected(INERTIA)) };
    if !rows.iter().any(Cursor::is_list) {
        return Ok(rotated(DVec3::from_array(at.numbers(Limit::Positive)?), rotation));
    }
    let rows = [x.numbers(Limit::Any)?, y.numbers(Limit::Any)?, z.numbers(Limit::Any)?];
    let matrix = DMat3::from_cols_array_2d(&rows).transpose();
    match RigidMass::inertia_fault(&matrix) {
        // Removes the asymmetry that rounded numbers leave.
        None => Ok(matrix + 0.5 * (matrix.transpose() - matrix)),
        Some(InertiaFault::NotSymmetric { row, column }) => Err(at.error(format!(
            "found {} in row {} and {} across the diagonal, expected a symmetric matrix",
            rows[row][column],
            row + 1,
            rows[column][row]
        ))),
        Some(InertiaFault::NotPositiveDefinite) => {
            Err(at.error("found a matrix that is not positive definite, expected an inertia"))
        }
    }
}

/// The inertia with these principal moments along rotated axes; exactly symmetric.
fn rotated(moments: DVec3, rotation: DQuat) -> DMat3 {
    if rotation == DQuat::IDENTITY {
        return DMat3::from_diagonal(moments);
    }
    let axes = DMat3::from_quat(rotation).transpose();
    let entry = |i: usize, j: usize| axes.col(i).dot(moments * axes.col(j));
    let (xy, xz, yz) = (entry(0, 1), entry(0, 2), entry(1, 2));
    DMat3::from_cols_array_2d(&[[entry(0, 0), xy, xz], [xy, entry(1, 1), yz], [xz, yz, entry(2, 2)]])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::text::tree::from_json;

    fn read(text: &str) -> std::result::Result<DMat3, String> {
        let document = from_json(text, 1, Path::new("p")).unwrap();
        let root = Cursor::root(Path::new("p"), &document);
        let rotation = root.get("rotation").map_or(DQuat::IDENTITY, |at| at.rotation().unwrap());
        inertia(&root.get("inertia").unwrap(), rotation).map_err(|error| error.to_string())
    }

    #[test]
    fn principal_moments_are_rotated_into_the_body_frame() {
        let diagonal = |x, y, z| DMat3::from_diagonal(DVec3::new(x, y, z));
        assert_eq!(read(r#"{"inertia":[1,2,3]}"#), Ok(diagonal(1.0, 2.0, 3.0)));
        // A quarter revolution about z, as a quaternion of any length, exchanges the first two moments.
        let rotated = read(r#"{"inertia":[1,2,3],"rotation":[5e-200,0,0,5e-200]}"#).unwrap();
        assert!((rotated - diagonal(2.0, 1.0, 3.0)).abs_diff_eq(DMat3::ZERO, 1e-15), "{rotated}");
        // About a skew axis, the result matches the rotation of vectors and is exactly symmetric.
        let skew = read(r#"{"inertia":[1,2,3],"rotation":[0.3,-1,2,0.7]}"#).unwrap();
        let axes = DMat3::from_quat(DQuat::from_xyzw(-1.0, 2.0, 0.7, 0.3).normalize());
        let expected = axes * diagonal(1.0, 2.0, 3.0) * axes.transpose();
        assert!(skew.abs_diff_eq(expected, 1e-15) && skew == skew.transpose(), "{skew}");
    }

    #[test]
    fn matrices_are_symmetric_and_positive_definite() {
        let valid = [
            "[[2,1,0],[1,2,0],[0,0,1]]",
            "[[2,1,0],[1.0000000001,2,0],[0,0,1]]",
            "[[2e-300,1e-300,0],[1e-300,2e-300,0],[0,0,1e300]]",
            "[[1,0,0],[0,1,0],[0,0,1e-300]]",
            // The slimmest rods that the digits can represent.
            "[[1,0.99999999999999,0],[0.99999999999999,1,0],[0,0,1]]",
        ];
        for matrix in valid {
            let read = read(&format!(r#"{{"inertia":{matrix}}}"#)).expect(matrix);
            assert!(read == read.transpose(), "{matrix}");
        }
        let definite = "p:1: inertia: found a matrix that is not positive definite, expected an inertia";
        let invalid = [
            ("[[0.4,0.5,0],[0.5,0.4,0],[0,0,0.4]]", definite),
            ("[[1,1,0],[1,1,0],[0,0,1]]", definite),
            ("[[1,0,0],[0,0,0],[0,0,1]]", definite),
            ("[[1,0,0],[0,1,0],[0,0,-1]]", definite),
            ("[[1,0.7,0.7],[0.7,1,-0.7],[0.7,-0.7,1]]", definite),
            ("[[1e308,1.7e308,0],[1.7e308,1e308,0],[0,0,1]]", definite),
            (
                "[[0.4,0.1,0],[0,0.4,0],[0,0,0.4]]",
                "p:1: inertia: found 0.1 in row 1 and 0 across the diagonal, expected a symmetric matrix",
            ),
            ("[[1,1.7e308,0],[-1.7e308,1,0],[0,0,1]]", "across the diagonal, expected a symmetric matrix"),
            ("[0.4,-0.1,0.4]", "p:1: inertia[1]: found -0.1, expected a finite number > 0"),
            ("[1,2]", "inertia: found a list of length 2, expected 3 principal moments or a matrix of 3 x 3"),
            ("5", "inertia: found 5, expected 3 principal moments or a matrix of 3 x 3"),
            ("[[1,0,0],[0,1],[0,0,1]]", "inertia[1]: found a list of length 2, expected a list of 3"),
            ("[[1,0,0],1,[0,0,1]]", "inertia[1]: found 1, expected a list of 3 finite numbers"),
        ];
        for (matrix, expected) in invalid {
            let error = read(&format!(r#"{{"inertia":{matrix}}}"#)).expect_err(matrix);
            assert!(error.contains(expected), "{matrix}: {error}");
        }
    }
}
