use std::f64::consts::{PI, TAU};

use super::*;
use crate::instant::nearest_on::nearest_on;
use crate::motion::Pose;
use crate::shape::expression::Expression;
use crate::shape::{HeightField, MeshFacts, SolidPart};
use chasles_testing::Random;

fn part(shape: PartShape) -> SolidPart {
    SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 }
}

fn solid(parts: Vec<PartShape>) -> CollisionShape {
    CollisionShape::solid(Arc::new(Solid::new(parts.into_iter().map(part).collect()).unwrap())).unwrap()
}

fn formula(text: &str, size: f64) -> PartShape {
    let formula = Expression::parse(text, &["x", "y", "z"]).unwrap();
    PartShape::Formula { formula, bounds: [DVec3::splat(-size), DVec3::splat(size)] }
}

fn drilled() -> Vec<PartShape> {
    let plate = PartShape::Primitive(Primitive::Box { size: DVec3::new(2.0, 1.0, 0.2) });
    let hole = PartShape::Primitive(Primitive::Cylinder { radius: 0.3, height: 1.0 });
    vec![plate, hole, PartShape::Difference(vec![0, 1])]
}

fn torus(scale: f64) -> CollisionShape {
    let formula = |text| Expression::parse(text, &["u", "v"]).unwrap();
    let coordinates = ["(1 + 0.3*cos(v))*cos(u)", "(1 + 0.3*cos(v))*sin(u)", "0.3*sin(v)"].map(formula);
    let surface = ParametricSurface::new(coordinates, [[0.0, TAU], [0.0, TAU]], scale).unwrap();
    CollisionShape::parametric(Arc::new(surface)).unwrap()
}

/// The distance of a point from the display mesh.
fn display_error(shape: &CollisionShape, p: DVec3) -> f64 {
    nearest_on(shape.drawn_body(), p, f64::INFINITY).unwrap().distance
}

fn volume(mesh: &Mesh) -> f64 {
    let corners = |face: &[u32; 3]| face.map(|v| mesh.vertex(v));
    mesh.triangles().iter().map(corners).map(|[p, q, r]| p.dot(q.cross(r)) / 6.0).sum()
}

#[test]
fn the_display_mesh_of_a_drilled_plate_has_its_edges() {
    let shape = solid(drilled());
    let mesh = shape.drawn();
    assert!(MeshFacts::of(mesh).closed && mesh.triangles().len() < 20_000);
    let truth = 0.2 * (2.0 - PI * 0.09);
    assert!((volume(mesh) - truth).abs() < 2e-3 * truth, "{} is not {truth}", volume(mesh));
    let [lower, upper] = mesh.bounds();
    let half = DVec3::new(1.0, 0.5, 0.1);
    assert!((lower + half).abs().max_element() < 1e-3 && (upper - half).abs().max_element() < 1e-3);
    let random = &mut Random(2);
    for _ in 0..500 {
        let (sin, cos) = random.within(0.0, TAU).sin_cos();
        let rim = DVec3::new(0.3 * cos, 0.3 * sin, 0.1 * random.side());
        assert!(display_error(&shape, rim) < 0.01, "{}", display_error(&shape, rim));
        let side = DVec3::new(random.side(), 0.5, 0.1 * random.side());
        assert!(display_error(&shape, side) < 0.01, "{}", display_error(&shape, side));
    }
    assert!(shape.deviation() > 0.0 && shape.deviation() < 0.1, "{}", shape.deviation());
    assert_eq!(shape.bounds, Solid::new(drilled().into_iter().map(part).collect()).unwrap().bounds());
}

#[test]
fn every_point_of_a_surface_is_within_the_deviation() {
    let random = &mut Random(7);
    let ball = solid(vec![formula("x^2 + y^2 + z^2 - 1", 1.5)]);
    assert!(MeshFacts::of(ball.drawn()).closed);
    // So far from the rest and so small that the grid misses it.
    let speck = [formula("x^2 + y^2 + z^2 - 1", 1.5), formula("(x-50)^2 + y^2 + z^2 - 1e-4", 60.0)];
    let speck = solid([speck.as_slice(), &[PartShape::Union(vec![0, 1])]].concat());
    let torus = torus(2.0);
    let points: Vec<(u32, DVec3)> = (0..9000).map(|n| (n, random.vector(1.0))).collect();
    let few = PointCloud::new(points[..100].to_vec(), 0.05).unwrap();
    let bare = PointCloud::new(points[..100].to_vec(), 0.0).unwrap();
    let some = PointCloud::new(points[..2000].to_vec(), 0.02).unwrap();
    let many = PointCloud::new(points.clone(), 0.02).unwrap();
    let clouds = [few, bare, some, many].map(|cloud| CollisionShape::cloud(Arc::new(cloud)).unwrap());
    for _ in 0..2000 {
        let n = random.direction();
        let check = |shape: &CollisionShape, p: DVec3| {
            assert!(
                display_error(shape, p) <= shape.deviation(),
                "{p}: {} {}",
                display_error(shape, p),
                shape.deviation()
            );
        };
        check(&ball, n);
        check(&speck, n);
        check(&speck, DVec3::X * 50.0 + 0.01 * n);
        let (u, v) = (random.within(0.0, TAU), random.within(0.0, TAU));
        let ring = 2.0 + 0.6 * v.cos();
        check(&torus, DVec3::new(ring * u.cos(), ring * u.sin(), 0.6 * v.sin()));
        for (cloud, (count, radius)) in
            clouds.iter().zip([(100, 0.05), (100, 0.0), (2000, 0.02), (9000, 0.02)])
        {
            check(cloud, points[random.below(count)].1 + radius * n);
        }
    }
    assert!(ball.deviation() < 0.3 && torus.deviation() < 0.1, "{} {}", ball.deviation(), torus.deviation());
    for vertex in 0..u32::try_from(ball.drawn().vertex_count()).unwrap() {
        assert!((ball.drawn().vertex(vertex).length() - 1.0).abs() < 1e-3);
    }
    for shape in clouds.iter().chain([&ball, &torus, &speck]) {
        assert!(shape.drawn().triangles().len() <= 20_000, "{}", shape.drawn().triangles().len());
    }
    assert!(MeshFacts::of(clouds[0].drawn()).closed && volume(clouds[0].drawn()) > 0.0);
    assert!(MeshFacts::of(clouds[3].drawn()).closed && volume(clouds[3].drawn()) > 0.0);
}

#[test]
fn a_solid_made_of_a_mesh_is_displayed_by_the_mesh() {
    let field = HeightField::new(vec![0.0, 1.0, 2.0, 0.5], [2, 2], [1.0, 1.0], [0.0; 2], -1.0).unwrap();
    let mesh = Arc::clone(field.mesh());
    for shape in [PartShape::Heights(Arc::new(field)), PartShape::Mesh(Arc::clone(&mesh))] {
        let pose = Pose::from_position(DVec3::X).unwrap();
        let made = Solid::new(vec![SolidPart { shape, pose, scale: 2.0 }]).unwrap();
        let shape = CollisionShape::solid(Arc::new(made)).unwrap();
        assert_eq!(shape.deviation(), 0.0);
        assert_eq!(shape.drawn().triangles(), mesh.triangles());
        assert_eq!(shape.drawn().vertex(3), 2.0 * mesh.vertex(3) + DVec3::X);
    }
}

#[test]
fn unusual_formulas_have_a_display_mesh() {
    let odd = [
        "log(x - 5)", "sqrt(x - 10)", "x^2 + 1", "-1", "1/x", "log(x)*y - 1/z", "exp(exp(exp(9 + x^2)))",
        "sin(1000*x)",
    ];
    for text in odd {
        let shape = solid(vec![formula(text, 1.0)]);
        let [lower, upper] = shape.drawn().bounds();
        assert!(lower.cmpge(DVec3::splat(-1.2)).all() && upper.cmple(DVec3::splat(1.2)).all(), "{text}");
        assert!(shape.deviation() >= 0.0 && shape.deviation() < 4.0, "{text}: {}", shape.deviation());
        assert_eq!(shape, shape.clone());
    }
    // Two of 3,000 parts overlap everywhere, which exceeds the limit of work.
    let many = (0..3000).map(|n| formula(&format!("x^2 + y^2 + z^2 - 1 - {n}*sin(x*y)/3000"), 1.0));
    let mut parts: Vec<PartShape> = many.collect();
    parts.push(PartShape::Intersection((0..3000).collect()));
    assert_eq!(solid(parts).drawn().triangles().len(), 12);
    let flat = PointCloud::new(vec![(0, DVec3::ONE)], 0.0).unwrap();
    assert!(CollisionShape::cloud(Arc::new(flat)).unwrap().drawn().bounds()[0] == DVec3::ONE);
    let formula = |text| Expression::parse(text, &["u", "v"]).unwrap();
    let torn = ParametricSurface::new(["u", "v", "sqrt(u)"].map(formula), [[-1.0, 1.0], [0.0, 1.0]], 1.0);
    if let Ok(shape) = CollisionShape::parametric(Arc::new(torn.unwrap())) {
        assert!(shape.drawn().bounds()[1].x <= 1.0);
    }
}

#[test]
fn a_solid_without_points_is_reported_as_empty() {
    let far = |at: f64| format!("(x - {at})^2 + y^2 + z^2 - 0.01");
    let balls_at = |at: f64| {
        solid(vec![formula(&far(0.0), 1.0), formula(&far(at), 1.0), PartShape::Intersection(vec![0, 1])])
    };
    assert!(balls_at(0.3).is_empty());
    assert!(balls_at(0.21).is_empty());
    assert!(!balls_at(0.19).is_empty());
    // They touch, so emptiness is not proven.
    assert!(!balls_at(0.2).is_empty());
    assert!(solid(vec![formula("x^2 + 1", 1.0)]).is_empty());
    assert!(!solid(vec![formula("x^2 + y^2 + z^2 - 1e-6", 1.0)]).is_empty());
    assert!(!solid(vec![formula("log(x - 5)", 1.0)]).is_empty());
    assert!(!solid(drilled()).is_empty() && !torus(1.0).is_empty());
    // An empty solid is drawn as its box.
    assert_eq!(balls_at(0.3).drawn().triangles().len(), 12);
}

#[test]
fn the_bounds_contain_the_true_body() {
    let ball = solid(vec![formula("x^2 + y^2 + z^2 - 1", 1.0)]);
    let cloud: Vec<(u32, DVec3)> =
        (0..6001).map(|n| (n, if n == 6000 { DVec3::X } else { DVec3::ZERO })).collect();
    let cloud = CollisionShape::cloud(Arc::new(PointCloud::new(cloud, 0.25).unwrap())).unwrap();
    let torus = torus(1.0);
    for (shape, reach) in [(&ball, 1.0), (&cloud, 1.25), (&torus, 1.3)] {
        let ShapeBounds { centre, radius, half, beyond } = shape.extent();
        assert!(shape.bounds[1].x >= reach && beyond == 0.0);
        assert!(centre.x + half.x >= reach && centre.distance(DVec3::X * reach) <= radius);
        let MovingBall { centre, radius } = shape.moving_ball(true);
        assert!(centre.distance(DVec3::X * reach) <= radius);
        assert!(shape.support(DVec3::X).x >= reach);
        assert!(shape.diagonal() >= 2.0 * half.x);
    }
}

/// Bounds of speeds and accelerations are taken over this ball.
#[test]
fn the_extent_of_a_round_body_against_a_set_contains_all_its_points() {
    let radius = 0.4;
    for primitive in [Primitive::Sphere { radius }, Primitive::Capsule { radius, height: 1.0 }] {
        let round = CollisionShape::primitive(primitive).unwrap();
        let reach = primitive.half_size().z;
        let MovingBall { centre, radius: all } = round.moving_ball(true);
        assert!(centre == DVec3::ZERO && all >= reach);
        assert!((round.moving_ball(false).radius - (reach - radius)).abs() < 1e-12);
    }
}

/// A repeated query, for example for another path, returns the same points, not just equal ones.
#[test]
fn points_are_computed_once() {
    let ball = CollisionShape::primitive(Primitive::Sphere { radius: 0.5 }).unwrap();
    let points_with = |spacing| ball.clone().points(Some(spacing)).unwrap().unwrap();
    let (first, again, finer) = (points_with(0.1), points_with(0.1), points_with(0.05));
    assert_eq!(first.identity(), again.identity());
    let count = |shape: &CollisionShape| match &shape.kind {
        Kind::Cloud(cloud) => cloud.points().len(),
        _ => 0,
    };
    assert!(count(&first) > 100 && count(&finer) > 2 * count(&first), "{} {}", count(&first), count(&finer));
    assert!(ball.points(None).unwrap().is_none());
}
