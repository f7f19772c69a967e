//! Polygons in files become n - 2 triangles that cover them, concave or not.

use std::path::Path;

use chasles_formats::mesh::{MeshFile, MeshFormat, parse};
use glam::DVec3;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The same cases in every run.
fn runner() -> TestRunner {
    let config =
        Config { cases: chasles_testing::cases(800, 4000), failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[5; 32]))
}

/// Reads an OBJ file of one polygon.
fn read(corners: &[DVec3]) -> MeshFile {
    let mut text: String = corners.iter().map(|p| format!("v {} {} {}\n", p.x, p.y, p.z)).collect();
    text.push('f');
    text.extend((1..=corners.len()).map(|i| format!(" {i}")));
    text.push('\n');
    parse(text.as_bytes(), MeshFormat::Obj, Path::new("polygon.obj")).unwrap()
}

/// The sum of the areas of all triangles, as a vector along their normals and as a number.
fn areas(mesh: &MeshFile) -> (DVec3, f64) {
    let area = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|i| mesh.vertices[i as usize]);
        (b - a).cross(c - a) / 2.0
    };
    (mesh.triangles.iter().map(area).sum(), mesh.triangles.iter().map(|t| area(t).length()).sum())
}

/// Corners around a point, at some of 48 angles: the polygon never crosses itself.
#[test]
fn simple_polygons_are_covered_once() {
    let corner = (0..4u8, 1..20u8);
    let outlines = (prop::collection::vec(corner, 48), -1.0..1.0f64, -1.0..1.0f64);
    runner()
        .run(&outlines, |(rays, slope_x, slope_y)| {
            let corners: Vec<DVec3> = rays
                .iter()
                .enumerate()
                // Every eighth ray remains, so that the centre is inside.
                .filter(|(i, (keep, _))| *keep == 0 || i % 8 == 0)
                .map(|(i, &(_, radius))| {
                    let angle = i as f64 * std::f64::consts::TAU / 48.0;
                    let (x, y) = (f64::from(radius) * angle.cos(), f64::from(radius) * angle.sin());
                    DVec3::new(x, y, slope_x * x + slope_y * y)
                })
                .collect();
            let mesh = read(&corners);
            prop_assert!(mesh.warnings.is_empty(), "{:?}", mesh.warnings);
            prop_assert_eq!(mesh.triangles.len(), corners.len() - 2);
            let (vector, sum) = areas(&mesh);
            prop_assert!((vector.length() - sum).abs() <= 1e-9 * sum, "{} and {}", vector.length(), sum);
            prop_assert!(vector.z > 0.0);
            Ok(())
        })
        .unwrap();
}

/// Staircases on a coarse grid, whose corners are often collinear.
#[test]
fn polygons_with_corners_in_line_have_no_empty_triangles() {
    runner()
        .run(&prop::collection::vec(1..5u8, 2..20), |heights| {
            let mut corners = vec![DVec3::ZERO];
            corners.extend((1..=heights.len()).map(|i| DVec3::X * i as f64));
            for (i, &height) in heights.iter().enumerate().rev() {
                let top = f64::from(height);
                corners.extend([DVec3::new(i as f64 + 1.0, top, 0.0), DVec3::new(i as f64, top, 0.0)]);
            }
            // Steps of zero height would repeat a point.
            corners.dedup();
            let mesh = read(&corners);
            prop_assert!(mesh.warnings.is_empty(), "{:?}", mesh.warnings);
            prop_assert_eq!(mesh.triangles.len(), corners.len() - 2);
            let (vector, sum) = areas(&mesh);
            let expected: f64 = heights.iter().map(|&height| f64::from(height)).sum();
            prop_assert_eq!((vector, sum), (DVec3::Z * expected, expected));
            for &[a, b, c] in &mesh.triangles {
                let [a, b, c] = [a, b, c].map(|i| mesh.vertices[i as usize]);
                prop_assert!((b - a).cross(c - a).z > 0.0);
            }
            Ok(())
        })
        .unwrap();
}

/// Points that often coincide or are collinear, crossings, spikes: no corner is ever lost.
#[test]
fn any_polygon_keeps_its_corners() {
    let corner = (0..5i8, 0..5i8, 0..2i8);
    runner()
        .run(&prop::collection::vec(corner, 3..30), |corners| {
            let corners: Vec<DVec3> =
                corners.iter().map(|&(x, y, z)| DVec3::new(x.into(), y.into(), z.into())).collect();
            let mesh = read(&corners);
            prop_assert_eq!(mesh.triangles.len(), corners.len() - 2);
            let used = |corner: &usize| mesh.triangles.iter().flatten().any(|&i| i as usize == *corner);
            prop_assert!((0..corners.len()).all(|corner| used(&corner)));
            Ok(())
        })
        .unwrap();
}
