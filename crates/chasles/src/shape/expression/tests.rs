use super::*;
use chasles_testing::Random;

const XYZ: [&str; 3] = ["x", "y", "z"];

fn parsed(text: &str) -> Expression {
    Expression::parse(text, &XYZ).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused(text: &str) -> (usize, String) {
    let error = Expression::parse(text, &XYZ).expect_err(text);
    (error.column, error.what)
}

#[test]
fn formulas_have_their_usual_values() {
    let at = [0.5_f64, -1.5, 2.0];
    let [x, y, z] = at;
    for (text, expected) in [
        ("2^3^2", 512.0),
        ("-x^2", -0.25),
        ("x^-2", 4.0),
        ("x^-(2)", 4.0),
        ("2^-1^2", 0.5),
        ("z^(1/2)", 2.0_f64.sqrt()),
        ("y^(2/3*3)", 2.25),
        ("y^(7 - 2^2)", -3.375),
        ("y^sqrt(4)", 2.25),
        ("z^pi", 2.0_f64.powf(std::f64::consts::PI)),
        ("x^(1+1) - 0.09", 0.16),
        ("x - 2^3^2/1024", 0.0),
        ("1 - 2 - 3", -4.0),
        ("8/4/2", 1.0),
        ("2 + 3*4", 14.0),
        ("(2 + 3)*4", 20.0),
        ("-x*y", 0.75),
        ("x*-y", 0.75),
        ("x - -y", -1.0),
        ("--x", 0.5),
        (".5e1 + 5.", 10.0),
        ("max(x, y, z) + min(x, y)", 0.5),
        ("atan2(y, x)", y.atan2(x)),
        ("sin(pi*x)", 1.0),
        ("exp(log(z))", z),
        ("abs(y)", 1.5),
        ("sqrt(y^2)", 1.5),
        ("sqrt(4*y^2)", 3.0),
        ("sqrt(x*x + y*y)", x.hypot(y)),
        ("acos(x) + asin(x)", std::f64::consts::FRAC_PI_2),
        ("tan(atan(y))", y),
    ] {
        let found = parsed(text).value(&at);
        assert!((found - expected).abs() < 1e-14, "{text}: {found}, expected {expected}");
        let mut memory = TapeMemory::default();
        let range = parsed(text).range(&at.map(RealInterval::point), &mut memory);
        assert!(range.lo <= expected + 1e-15 && expected - 1e-15 <= range.hi, "{text}: {range:?}");
        assert!(range.hi - range.lo < 1e-13, "{text}: {range:?}");
    }
}

#[test]
fn errors_of_formulas_name_the_column() {
    for (text, column, words) in [
        ("x^2 + y^2 + w - 1", 13, &["\"w\"", "x, y, z"][..]),
        ("x^2 + y^2 + zz^2 - 1", 13, &["\"zz\""]),
        ("x + foo(2)", 5, &["unknown function \"foo\"", "atan2"]),
        ("x + y) - 1", 6, &["\")\""]),
        ("(x + y - 1", 11, &["the end", "column 1"]),
        ("sin(x", 6, &["the end", "column 1"]),
        ("   ", 1, &["nothing", "empty", "expected"]),
        ("", 1, &["nothing", "empty", "expected"]),
        ("x^2 + y^2 -", 12, &["the end", "expected"]),
        ("x - 1 y", 7, &["\"y\"", "operator"]),
        ("2x", 2, &["\"x\"", "operator"]),
        ("x (y)", 3, &["\"(\""]),
        ("sqrt(x^2, y) - 1", 1, &["2 arguments of sqrt", "one argument"]),
        ("1 + sqrt()", 5, &["0 arguments of sqrt"]),
        ("atan2(x)", 1, &["1 arguments of atan2", "two"]),
        ("max(x)", 1, &["1 arguments of max", "two arguments or more"]),
        ("max(x,)", 7, &["\")\""]),
        ("sin x", 5, &["\"x\"", "\"(\" after sin"]),
        ("x - 1e999", 5, &["1e999"]),
        ("x\u{b2} + y\u{b2} - 1", 2, &["\u{b2}"]),
        ("x $ y", 3, &["$"]),
        ("(x, y)", 3, &["\",\""]),
        ("x^y", 3, &["exponent", "constant"]),
        ("x^(2 + y)", 3, &["exponent", "constant"]),
        ("x^cos(sin(pi))", 3, &["exponent", "whole number"]),
        ("+x", 1, &["\"+\""]),
        ("x * / y", 5, &["\"/\""]),
        ("()", 2, &["\")\""]),
        ("1 + 2/(3 - 3)", 6, &["division by zero"]),
        ("sqrt(1 - 2)", 1, &["negative"]),
        ("0^-1", 2, &["zero"]),
        ("log(-1)", 1, &["logarithm of a negative"]),
    ] {
        let (found, what) = refused(text);
        assert_eq!(found, column, "{text}: {what}");
        for word in words {
            assert!(what.contains(word), "{text}: {what}");
        }
    }
}

#[test]
fn deeply_nested_formulas_give_a_value_or_an_error() {
    let nested = |n: usize| "(".repeat(n) + "x" + &")".repeat(n);
    assert!(Expression::parse(&nested(9_000), &XYZ).is_ok());
    let (column, what) = refused(&nested(50_000));
    assert!(column == 10_001 && what.contains("nested more than 10000 deep"), "{column}: {what}");
    let deep = "sin(".repeat(9_000) + "x" + &")".repeat(9_000);
    assert!(parsed(&deep).value(&[1.0]).is_finite());
    for text in ["-".repeat(200_000), "2^".repeat(200_000), "sin(".repeat(200_000), "(".repeat(200_000)] {
        assert!(Expression::parse(&text, &XYZ).is_err());
    }
    let sum = "x".to_owned() + &"+x*y".repeat(200_000);
    assert_eq!(parsed(&sum).value(&[1.0, 1.0]), 200_001.0);
}

#[test]
fn bounds_without_a_value_somewhere() {
    let unit = [[-1.0, 1.0]; 3];
    for (text, column, words) in [
        ("1/x - 4", 2, &["division by zero"][..]),
        ("x/(y - y) + 1", 2, &["division by zero"]),
        ("log(x^2 - 0.5)", 1, &["logarithm of a negative"]),
        ("x^0.5 - 0.25", 2, &["negative", "power"]),
        ("1/(x^2 + y^2 + z^2)", 2, &["division by zero"]),
        ("1/(x - 0.3)^2", 2, &["division by zero"]),
        ("1/((x - 0.3)^2 + (y + 0.7)^2 + (0.1 - z)^2)", 2, &["division by zero"]),
        ("sqrt((x - 0.3)^2 + (y - 0.2)^2 + z^2 - 1e-4)", 1, &["square root of a negative"]),
        ("asin(2*x)", 1, &["asin"]),
        ("2 + tan(2*x)", 5, &["tan"]),
        ("x^-2", 2, &["zero"]),
        ("log(x*x)", 1, &["logarithm of zero"]),
        ("1/(x*y - 1/3)", 2, &["division by zero"]),
        ("x^(1/3)", 2, &["negative", "power"]),
        ("x^(0.1*10)", 2, &["negative", "power"]),
    ] {
        let error = parsed(text).check(&unit).expect_err(text);
        assert_eq!(error.column, column, "{text}: {error}");
        for word in words {
            assert!(error.what.contains(word), "{text}: {error}");
        }
    }
    for text in [
        "sqrt(x*x + y*y) - 0.3",
        "sqrt((sqrt(x*x + y*y) - 0.5)^2 + z^2) - 0.12",
        "tan(x) - 1",
        "1/(x + 1.001)",
        "sqrt(x^2 - 2*x*y + y^2)",
        "1/atan2(y, x - 1.5)",
        "1/(atan2(0*y, x) - 1)",
        "log(1.000001 - x)",
        "x^3 + 0.125",
        "exp(1000*x)",
    ] {
        assert_eq!(parsed(text).check(&unit), Ok(()), "{text}");
    }
    let uv = Expression::parse("1/(u - 0.5)", &["u", "v"]).unwrap();
    assert!(uv.check(&[[0.0, 1.0], [0.0, 1.0]]).is_err());
}

/// The width of the remainder over boxes of two sizes about a point.
fn remainders(text: &str, at: [f64; 3], half: f64) -> [f64; 2] {
    let mut memory = TapeMemory::default();
    let formula = parsed(text);
    [half, 0.5 * half].map(|half| {
        let (gradient, rest, _) = formula.linear(&at.map(RealInterval::point), &[half; 3], &mut memory);
        assert!(gradient != [0.0; 3], "{text}");
        rest.width()
    })
}

#[test]
fn remainders_shrink_with_the_square_of_the_box() {
    let at = [0.4, 0.25, -0.125];
    for text in [
        "x^2 + y^2 + z^2 - 1",
        "sqrt(x*x + y*y)",
        "(sqrt(x*x + y*y) - 0.5)^2 + z^2 - 0.01",
        "(x^2 + y^2 + z^2 + 0.2)^2 - 0.9*(x^2 + y^2)",
        "sin(x)*cos(y) + sin(y)*cos(z) + sin(z)*cos(x)",
        "exp(-x*y)/(1 + z^2) + log(2 + x)",
        "atan2(y, x) + atan(z) + asin(x) - acos(y) + tan(z)",
        "x^-3 + x^1.5 + max(x, y)*abs(z)",
    ] {
        let [wide, narrow] = remainders(text, at, 0.01);
        assert!(wide < 0.1 && wide > 3.5 * narrow, "{text}: {wide} and {narrow}");
    }
    // At a point, the gradient is still computed.
    let mut memory = TapeMemory::default();
    let at = at.map(RealInterval::point);
    let (gradient, rest, _) = parsed("(x/0.5)^4 + sin(9.0*y)*z - 1").linear(&at, &[0.0; 3], &mut memory);
    assert!((gradient[0] - 4.096).abs() < 1e-12 && rest.width() < 1e-14, "{gradient:?} {rest:?}");
    // Terms that cancel do not widen it.
    let [wide, _] = remainders("(x + y)^2 - 2*x*y - x^2 - y^2 + z", [0.4, 0.25, -0.125], 0.01);
    assert!(wide < 1.1e-3, "{wide}");
    let [wide, _] = remainders("3*(x - y) - 3*x + 3*y + z", [0.4, 0.25, -0.125], 0.25);
    assert!(wide < 1e-13, "{wide}");
}

#[test]
fn kinks_have_linear_functions_too() {
    let mut memory = TapeMemory::default();
    for text in [
        "sqrt(x*x + y*y)",
        "sqrt((sqrt(x*x + y*y) - 0.1)^2 + z^2) - 0.12",
        "abs(x) - max(y, z, 0)",
        "max(z, 0)^2",
    ] {
        let (_, rest, range) = parsed(text).linear(&[RealInterval::ZERO; 3], &[0.25; 3], &mut memory);
        assert!(rest.width() <= 4.0 * range.width() && range.width() < 1.5, "{text}: {rest:?} {range:?}");
    }
}

#[test]
fn the_angle_of_the_origin_has_no_linear_function() {
    let centre = [0.0, 0.375, 0.0].map(RealInterval::point);
    let mut memory = TapeMemory::default();
    for (text, jumps) in
        [("atan2(0*y, x)", true), ("atan2(z, x)", true), ("atan2(y, x)", false), ("atan2(-y, x)", false)]
    {
        let (gradient, ..) = parsed(text).linear(&centre, &[1.0, 0.125, 0.0], &mut memory);
        assert_eq!(gradient == [0.0; 3], jumps, "{text}: {gradient:?}");
    }
}

#[test]
fn shared_factors_are_examined_once() {
    let mut text = "x".to_owned();
    for _ in 0..40 {
        text = format!("(y + {text}*z)");
    }
    // Each is a factor of the next twice; the search for a zero ends.
    let f = (0..12).fold("x".to_owned(), |f, i| format!("({f}*({i} + 2*{f}))"));
    assert!(parsed(&format!("1/{f}")).check(&[[0.5, 1.0]; 3]).is_ok());
    assert!(parsed(&text).parts() == FormulaParts::Leaf(parsed(&text)));
}

fn holds(parts: &FormulaParts, at: &[f64]) -> f64 {
    match parts {
        FormulaParts::Leaf(f) => f.value(at),
        FormulaParts::All(parts) => {
            parts.iter().map(|part| holds(part, at)).fold(f64::NEG_INFINITY, f64::max)
        }
        FormulaParts::Any(parts) => parts.iter().map(|part| holds(part, at)).fold(f64::INFINITY, f64::min),
        FormulaParts::Cut(by, parts) => holds(&parts[usize::from(by.value(at) < 0.0)], at),
    }
}

fn leaves(parts: &FormulaParts) -> usize {
    match parts {
        FormulaParts::Leaf(_) => 1,
        FormulaParts::All(parts) | FormulaParts::Any(parts) => parts.iter().map(leaves).sum(),
        FormulaParts::Cut(_, parts) => parts.iter().map(leaves).sum(),
    }
}

#[test]
fn parts_are_the_same_set() {
    let random = &mut Random(2);
    for (text, count) in [
        ("x^2 - 1", 1),
        ("max(abs(x) - 0.3, abs(y) - 0.2, abs(z) - 0.15)", 6),
        ("max(sqrt(x^2 + y^2) - 0.3, abs(z) - 0.4)", 3),
        ("-min(x, y) - 0.1", 2),
        ("0.5 - 2*max(x, y)/3", 2),
        ("abs(x) + abs(y) + abs(z) - 0.7", 8),
        ("abs(max(x, y) - min(y, z)) - 0.3", 8),
        ("max(x, y) - max(y, z, -x)", 6),
        ("abs(abs(x) - 0.5) - 0.1", 4),
        ("(max(x, y) + 1)*-2 + z", 2),
        ("sqrt(max(x, 0)) - 0.5", 1),
        ("sqrt(x^2 + y^2) - 0.3 - 0.05*sin(20*z - atan2(y, x))", 2),
        ("max(atan2(y, x), atan2(z, x) - 1)", 8),
        ("atan2(abs(atan2(y, x)) - 1, x - z)", 4),
    ] {
        let f = parsed(text);
        let parts = f.parts();
        assert_eq!(leaves(&parts), count, "{text}: {parts:?}");
        for _ in 0..1000 {
            let at = random.vector(1.0).to_array();
            let (whole, tree) = (f.value(&at), holds(&parts, &at));
            assert!((whole - tree).abs() < 1e-14 || whole * tree > 0.0, "{text} at {at:?}: {whole}, {tree}");
        }
    }
}

#[test]
fn slopes_are_those_of_the_linear_functions() {
    let random = &mut Random(11);
    let mut memory = TapeMemory::default();
    for text in [
        "x*y - z/(1.5 + x) + 2",
        "x^3 - (y + 2)^-2 + (z + 2)^0.7 - (x - y)^2",
        "sqrt(x^2 + y^2 + z^2 + 1) - sqrt(z + 2)",
        "abs(x) - abs(y - 3) + exp(x*y) - log(2 + z)",
        "sin(3*x)*cos(2*y) - tan(0.5*z) + cos(x + y)",
        "asin(0.9*x) - acos(0.9*y) + atan(z) + atan2(y, x + 2)",
        "max(x, y, z) + min(x*y, z - x) - -y",
    ] {
        let formula = parsed(text);
        for _ in 0..200 {
            let at = [random.side(), random.side(), random.side()];
            let [value, own @ ..] = formula.slope(&at, &mut memory);
            let (gradient, rest, _) = formula.linear(&at.map(RealInterval::point), &[0.0; 3], &mut memory);
            assert!((value - rest.middle()).abs() < 1e-13 * (1.0 + value.abs()), "{text} at {at:?}: {value}");
            for (own, sure) in own.into_iter().zip(gradient) {
                assert!((own - sure).abs() < 1e-11 * (1.0 + sure.abs()), "{text} at {at:?}: {own}, {sure}");
            }
        }
    }
}

#[test]
fn the_gradient_is_nan_if_there_is_none() {
    let mut memory = TapeMemory::default();
    for (text, at) in [
        ("abs(x) + y", [0.0, 1.0, 0.0]),
        ("max(x, y)", [0.5, 0.5, 0.0]),
        ("min(2*x, z)", [0.0, 0.0, 0.0]),
        ("sqrt(x^2 + y^2)", [0.0, 0.0, 1.0]),
        ("log(x)", [-1.0, 0.0, 0.0]),
        ("1/x", [0.0, 1.0, 0.0]),
    ] {
        let slope = parsed(text).slope(&at, &mut memory);
        assert!(slope.iter().any(|part| !part.is_finite()), "{text}: {slope:?}");
    }
}
