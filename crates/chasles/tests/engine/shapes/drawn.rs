//! The mesh that displays a solid, a cloud or a parametric surface is smaller than the body in places. No search may
//! use it as the body.

use std::f64::consts::TAU;
use std::sync::Arc;

use chasles::{
    BodyMotion, CheckOptions, CollisionShape, Expression, PairVerdict, ParametricSurface, PartShape,
    PointCloud, Pose, Primitive, Scene, SceneBody, SceneDefinition, Solid, SolidPart,
};
use glam::DVec3;

/// The extent of each body along the x axis, in metres.
const REACH: f64 = 1.3;

/// The depth of the ball at the end, in metres: less than the chords of the drawn meshes are inside the surface.
const DEPTH: f64 = 1e-4;

/// A small ball moves along the x axis and ends slightly inside the outermost point of a body that rotates about this
/// axis.
fn check(shape: CollisionShape) {
    let body = |name: &str, shape, motion| SceneBody {
        name: name.into(),
        shape: Some(shape),
        motion,
        parent: None,
        group: None,
        solid: false,
    };
    let ball = CollisionShape::primitive(Primitive::Sphere { radius: 0.01 }).unwrap();
    let start = Pose::from_position(3.0 * DVec3::X).unwrap();
    let coming = BodyMotion::Twist { start, linear: -DVec3::X, angular: DVec3::ZERO };
    let turning = BodyMotion::Twist { start: Pose::IDENTITY, linear: DVec3::ZERO, angular: 0.1 * DVec3::X };
    let meets = 3.0 - REACH - 0.01;
    let definition = SceneDefinition {
        duration: meets + DEPTH,
        tolerance: None,
        clearance: 0.0,
        bodies: vec![body("ball", ball, coming), body("body", shape, turning)],
        ignore: vec![],
    };
    let scene = Scene::new(definition).unwrap();
    let report = scene.check(&CheckOptions::default(), &()).unwrap();
    assert_eq!(report.verdict, PairVerdict::Contact, "{report:?}");
    let [least, greatest] = report.pairs[0].intervals[0].enter;
    // They touch within epsilon: 1e-6 of the larger body by default.
    assert!(least <= meets + 1e-12 && least >= meets - 1e-5 && greatest <= meets + 1e-5, "{report:?}");
    // At the end they overlap.
    assert_eq!(scene.static_intersections(scene.duration()).unwrap().len(), 1);
}

#[test]
fn the_outermost_point_of_a_solid_is_met() {
    let formula = Expression::parse("x^2 + y^2 + z^2 - 1.69", &["x", "y", "z"]).unwrap();
    let shape = PartShape::Formula { formula, bounds: [DVec3::splat(-1.5), DVec3::splat(1.5)] };
    let solid = Solid::new(vec![SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 }]).unwrap();
    check(CollisionShape::solid(Arc::new(solid)).unwrap());
}

#[test]
fn the_outermost_point_of_a_cloud_is_met_though_it_is_not_drawn() {
    let points = (0..6001).map(|n| (n, if n == 4001 { 1.05 * DVec3::X } else { DVec3::ZERO })).collect();
    let shape = CollisionShape::cloud(Arc::new(PointCloud::new(points, 0.25).unwrap())).unwrap();
    assert!(shape.drawn().bounds()[1].x < 0.5);
    check(shape);
}

#[test]
fn the_outermost_point_of_a_torus_is_met_though_it_is_no_vertex() {
    let formula = |text| Expression::parse(text, &["u", "v"]).unwrap();
    let coordinates = [
        "(1 + 0.3*cos(v + 0.05))*cos(u + 0.05)",
        "(1 + 0.3*cos(v + 0.05))*sin(u + 0.05)",
        "0.3*sin(v + 0.05)",
    ];
    let surface = ParametricSurface::new(coordinates.map(formula), [[0.0, TAU], [0.0, TAU]], 1.0).unwrap();
    let shape = CollisionShape::parametric(Arc::new(surface)).unwrap();
    assert!(shape.drawn().bounds()[1].x < REACH - DEPTH);
    check(shape);
}
