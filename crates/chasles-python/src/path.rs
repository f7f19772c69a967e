//! Paths of robots, as arrays.

use chasles_formats::error::ErrorLocation;
use chasles_formats::robot::joint_path::{PathFile, PathWaypoint};
use chasles_formats::robot::joint_values;
use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods as _};
use pyo3::prelude::*;

use crate::given::{Row, flat, misshapen, reals, refused, times};

/// A path as it is given.
pub(crate) struct GivenPath<'a, 'py> {
    pub(crate) times: &'a Bound<'py, PyAny>,
    pub(crate) joints: &'a Bound<'py, PyAny>,
    pub(crate) names: Option<Vec<String>>,
    pub(crate) velocities: Option<&'a Bound<'py, PyAny>>,
}

/// A path of joints by their names.
pub(crate) fn path(robot: &chasles::Robot, given: &GivenPath<'_, '_>) -> PyResult<PathFile> {
    let times = times(given.times, "(T,)")?;
    let joints = match &given.names {
        Some(names) => names.clone(),
        None => joint_values::names(robot),
    };
    let count = times.len();
    let table = |value: &Bound<'_, PyAny>, place: &str| -> PyResult<Vec<f64>> {
        let given = reals(value, place)?;
        if given.shape() != [count, joints.len()] {
            let expected = format!("({count}, {}), a row a time and a column a joint", joints.len());
            return Err(misshapen(place, given.shape(), &expected));
        }
        checked_rows(&given, place)
    };
    let positions = table(given.joints, "joints")?;
    let velocities = given.velocities.map(|value| table(value, "velocities")).transpose()?;
    if count < 2 {
        return Err(refused("times", format_args!("found {count}, expected at least two")));
    }
    if let Some(twice) = (1..joints.len()).find(|at| joints[..*at].contains(&joints[*at])) {
        return Err(refused(
            "names",
            format_args!("found {:?} twice, expected names that differ", joints[twice]),
        ));
    }
    let width = joints.len();
    let own = |values: &[f64], row: usize| values[row * width..(row + 1) * width].to_vec();
    let waypoint = |(row, time): (usize, f64)| PathWaypoint {
        time,
        positions: own(&positions, row),
        velocities: velocities.as_ref().map_or_else(Vec::new, |values| own(values, row)),
        segment: row,
        place: ErrorLocation::File,
    };
    let waypoints = times.into_iter().enumerate().map(waypoint).collect();
    Ok(PathFile {
        file: "path".into(),
        joints,
        joints_place: ErrorLocation::File,
        waypoints,
        may_be_cut: false,
    })
}

/// All numbers of a table, which are finite.
pub(crate) fn checked_rows(given: &PyReadonlyArrayDyn<'_, f64>, place: &str) -> PyResult<Vec<f64>> {
    let (values, width) = (flat(given)?, given.shape().last().copied().unwrap_or(1).max(1));
    match values.iter().position(|value| !value.is_finite()) {
        Some(at) => {
            let message = format_args!("found {}, expected finite numbers", values[at]);
            Err(refused(Row { place, row: at / width }, message))
        }
        None => Ok(values),
    }
}
