//! Paths of robots, as arrays.

use chasles_formats::error::ErrorLocation;
use chasles_formats::robot::joint_path::{PathFile, PathWaypoint};
use chasles_formats::robot::joint_values;
use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods as _};
use pyo3::prelude::*;

use crate::arguments::{Row, flattened, real_array, shape_error, times, value_error};

/// The arguments of a path.
pub(crate) struct PathArguments<'a, 'py> {
    pub(crate) times: &'a Bound<'py, PyAny>,
    pub(crate) joints: &'a Bound<'py, PyAny>,
    pub(crate) names: Option<Vec<String>>,
    pub(crate) velocities: Option<&'a Bound<'py, PyAny>>,
}

/// A path of joints by their names.
pub(crate) fn path(robot: &chasles::Robot, arguments: &PathArguments<'_, '_>) -> PyResult<PathFile> {
    let times = times(arguments.times, "(T,)")?;
    let joints = match &arguments.names {
        Some(names) => names.clone(),
        None => joint_values::names(robot),
    };
    let count = times.len();
    let table = |value: &Bound<'_, PyAny>, place: &str| -> PyResult<Vec<f64>> {
        let input = real_array(value, place)?;
        if input.shape() != [count, joints.len()] {
            let expected = format!("({count}, {}), a row a time and a column a joint", joints.len());
            return Err(shape_error(place, input.shape(), &expected));
        }
        finite_values(&input, place)
    };
    let positions = table(arguments.joints, "joints")?;
    let velocities = arguments.velocities.map(|value| table(value, "velocities")).transpose()?;
    if count < 2 {
        return Err(value_error("times", format_args!("found {count}, expected at least two")));
    }
    if let Some(repeated) = (1..joints.len()).find(|at| joints[..*at].contains(&joints[*at])) {
        return Err(value_error(
            "names",
            format_args!("found {:?} twice, expected names that differ", joints[repeated]),
        ));
    }
    let width = joints.len();
    let row_of = |values: &[f64], row: usize| values[row * width..(row + 1) * width].to_vec();
    let waypoint = |(row, time): (usize, f64)| PathWaypoint {
        time,
        positions: row_of(&positions, row),
        velocities: velocities.as_ref().map_or_else(Vec::new, |values| row_of(values, row)),
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

/// All numbers of a table. Values that are not finite are an error.
pub(crate) fn finite_values(input: &PyReadonlyArrayDyn<'_, f64>, place: &str) -> PyResult<Vec<f64>> {
    let (values, width) = (flattened(input)?, input.shape().last().copied().unwrap_or(1).max(1));
    match values.iter().position(|value| !value.is_finite()) {
        Some(at) => {
            let message = format_args!("found {}, expected finite numbers", values[at]);
            Err(value_error(Row { place, row: at / width }, message))
        }
        None => Ok(values),
    }
}
