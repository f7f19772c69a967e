//! Formulas: any text gives a function, or an error with its position; and every function can be evaluated.

use chasles::math::interval::RealInterval;
use chasles::{Expression, TapeMemory};

/// Parses the text as a formula of x, y and z, and of u and v.
pub fn text(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for variables in [&["x", "y", "z"][..], &["u", "v"]] {
        match Expression::parse(text, variables) {
            Ok(function) => worked_out(&function, variables.len()),
            Err(error) => {
                assert!((1..=text.chars().count() + 1).contains(&error.column), "{error}");
                assert!(
                    error.what.starts_with("found ") && !error.what.contains(char::is_control),
                    "{error}"
                );
                assert!(error.what.len() < 400, "{error}");
            }
        }
    }
}

/// Evaluates on boxes and at points that are likely to cause faults.
fn worked_out(function: &Expression, count: usize) {
    let mut memory = TapeMemory::default();
    let point = |x: f64| RealInterval::new(x, x);
    let boxes = [
        [RealInterval::new(-1.0, 1.0); 3],
        [RealInterval::new(0.0, 1e-300), point(-0.0), RealInterval::new(-1e300, 1e300)],
        [RealInterval::WHOLE; 3],
        [point(0.5), point(-0.25), point(3.0)],
    ];
    for variables in boxes {
        let range = function.range(&variables, &mut memory);
        let centre = variables.map(|variable| RealInterval::point(variable.middle()));
        let half = [0, 1, 2].map(|i| (variables[i] - centre[i]).magnitude());
        let (gradient, rest, within) = function.linear(&centre, &half, &mut memory);
        assert!(gradient.into_iter().all(f64::is_finite), "{gradient:?}");
        for interval in [range, rest, within] {
            let [lo, hi] = interval.bounds();
            assert!(lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY, "{interval:?}");
        }
    }
    for at in [[0.0; 3], [0.5, -0.25, 3.0], [1e300, -1e-300, f64::MAX]] {
        // The function may have no value there.
        let _ = function.value(&at[..count]);
    }
    if let Err(error) = function.check(&[[-1.0, 1.0]; 3][..count]) {
        assert!(error.column >= 1 && error.what.starts_with("found "), "{error}");
    }
}
