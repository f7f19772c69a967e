//! Types of numeric arguments.

use chasles_formats::info::AxisScrew;
use glam::DVec3;

/// Parses a length in metres, 0 or more.
pub(super) fn length(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a finite number of metres, 0 or more".into()),
    }
}

/// Parses a density, greater than 0.
pub(super) fn density(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a finite number greater than 0".into()),
    }
}

/// Parses a time, 0 or more.
pub(super) fn time(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a finite time, 0 or more".into()),
    }
}

/// One of several parts of equal size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    /// Counted from 1.
    pub(crate) number: u64,
    pub(crate) count: u64,
}

/// Parses a part, written `number/count`.
pub(super) fn shard(text: &str) -> Result<Shard, String> {
    let parts =
        text.split_once('/').and_then(|(number, count)| Some((number.parse().ok()?, count.parse().ok()?)));
    match parts {
        Some((number, count)) if (1..=count).contains(&number) && count <= MAX_SHARDS => {
            Ok(Shard { number, count })
        }
        _ => Err(format!(
            "expected the number of a shard and how many there are, such as 1/4; at most {MAX_SHARDS}"
        )),
    }
}

/// With more shards than this, some shards would have no lines.
const MAX_SHARDS: u64 = 1_000_000;

/// A fixed number of finite numbers, separated by commas.
pub(super) fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    numbers?.try_into().ok().filter(|numbers: &[f64; N]| numbers.iter().all(|number| number.is_finite()))
}

/// Parses a screw about an axis.
pub(super) fn axis_screw(text: &str) -> Result<AxisScrew, String> {
    let expected = "expected eight finite numbers: the direction of the axis, a point of it, slide and angle";
    let [sx, sy, sz, px, py, pz, slide, angle] = numbers(text).ok_or(expected)?;
    let direction = DVec3::new(sx, sy, sz);
    if direction == DVec3::ZERO {
        return Err("found an axis of length zero, expected a direction".into());
    }
    Ok(AxisScrew { direction, point: DVec3::new(px, py, pz), slide, angle })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screws() {
        let found = axis_screw("0,0, -2,1,2,3,-0.5,9").unwrap();
        let expected = AxisScrew {
            direction: DVec3::new(0.0, 0.0, -2.0),
            point: DVec3::new(1.0, 2.0, 3.0),
            slide: -0.5,
            angle: 9.0,
        };
        assert_eq!(found, expected);
        for bad in [
            "", "0,0,1,0,0,0,1", "0,0,1,0,0,0,1,1,1", "0,0,0,0,0,0,1,1", "0,0,nan,0,0,0,1,1",
            "0,0,1,0,0,0,inf,1",
        ] {
            assert!(axis_screw(bad).is_err(), "{bad}");
        }
        assert!(
            time("0.05").is_ok() && ["-1", "nan", "inf", "1 s"].into_iter().all(|bad| time(bad).is_err())
        );
    }

    #[test]
    fn tolerances() {
        assert_eq!((length("0"), length("1e-7")), (Ok(0.0), Ok(1e-7)));
        for bad in ["-1e-9", "nan", "inf", "1 mm", ""] {
            assert!(length(bad).is_err(), "{bad}");
        }
    }
}
