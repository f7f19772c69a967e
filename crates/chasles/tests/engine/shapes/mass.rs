//! Mass properties, compared with twins that share no arithmetic with them: integers for meshes, sums over slices for
//! primitives, a lattice of small cubes for solids.
//!
//! `CHASLES_LONG=1` tests a hundred times as many.

use std::sync::Arc;

use crate::cases::seeds::{Wrong, for_each, seed_range};
use crate::shapes::mass_twin::{Truth, inertia, twin};
use chasles::{
    CollisionShape, Error, ErrorKind, Expression, MassProperties, Mesh, ParametricSurface, PartShape,
    PointCloud, Pose, PreparedMesh, Primitive, Solid, SolidPart,
};
use chasles_testing::Random;
use glam::{DMat3, DQuat, DVec3};

/// The error of an answer, in units of its `accuracy`: volume, centre (in sizes), inertia (in volumes times the
/// square of the size).
fn off(found: &MassProperties, (volume, center, inertia): &Truth, size: f64) -> [f64; 3] {
    let columns = |m: &DMat3| [m.x_axis, m.y_axis, m.z_axis];
    let apart = columns(&found.inertia).into_iter().zip(columns(inertia)).map(|(p, q)| p.distance(q));
    [
        (found.volume - volume).abs() / volume,
        found.center.distance(*center) / size,
        apart.fold(0.0, f64::max) / (volume * size * size),
    ]
    .map(|share| share / found.accuracy)
}

/// A closed, consistently oriented mesh: a primitive, stretched, rotated, crumpled, mirrored; sometimes two of them.
fn mesh(random: &mut Random) -> Mesh {
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let thin = if random.one_in(3) { 10.0_f64.powf(random.within(-6.0, 0.0)) } else { 1.0 };
    for piece in 0..1 + random.below(2) {
        let body = primitive(random).tessellate().unwrap().mesh;
        let stretch = DMat3::from_cols(random.vector(1.0), random.vector(1.0), thin * random.vector(1.0));
        let stretch =
            if random.one_in(3) { DMat3::from_diagonal(DVec3::new(1.0, thin, -1.0)) } else { stretch };
        // Pieces with opposite orientation could cancel each other.
        let stretch = if piece == 1 && stretch.determinant() < 0.0 { -1.0 * stretch } else { stretch };
        let stretch = if piece == 0 && triangles.is_empty() && random.one_in(2) && thin == 1.0 {
            DMat3::from_quat(random.rotation())
        } else {
            stretch
        };
        let crumpled = if random.one_in(3) { 0.05 } else { 0.0 };
        let at = random.vector(2.0);
        let first = u32::try_from(vertices.len()).unwrap();
        let moved = |v: u32, random: &mut Random| {
            let p = body.vertex(v);
            stretch * (p + crumpled * p.abs().max_element() * random.vector(1.0)) + at
        };
        vertices.extend((0..).take(body.vertex_count()).map(|v| moved(v, random)));
        triangles.extend(body.triangles().iter().map(|t| t.map(|v| v + first)));
        if piece == 0 && stretch.determinant() < 0.0 {
            // One piece may be inside out, two would have opposite orientations.
            break;
        }
    }
    let far = [0.0, 0.0, 1e3, 1e8][random.below(4)] * random.direction();
    Mesh::new(vertices.into_iter().map(|v| v + far).collect(), triangles).unwrap()
}

fn primitive(random: &mut Random) -> Primitive {
    let mut size = || 10.0_f64.powf(random.within(-1.0, 0.5));
    let (radius, height, z) = (size(), size(), size());
    match random.below(5) {
        0 => Primitive::Box { size: DVec3::new(radius, height, z) },
        1 => Primitive::Sphere { radius },
        2 => Primitive::Cylinder { radius, height },
        3 => Primitive::Cone { radius, height },
        _ => Primitive::Capsule { radius, height },
    }
}

/// Volumes are within `accuracy` of the truth, centres and inertias within a small multiple.
#[test]
fn roundings_are_bounded() {
    for_each(seed_range(600, 300_000), |seed| {
        let mesh = mesh(&mut Random(seed));
        let mut wrong = Wrong::new();
        match mesh.mass_properties() {
            Ok(found) => {
                let off = off(&found, &twin(&mesh), mesh.diagonal());
                // The centre has two rounding errors of its own if it is far from the origin.
                let far = 2.0 * f64::EPSILON * mesh.centre().length() / mesh.diagonal() / found.accuracy;
                if !(off[0] <= 1.0 && off[1] <= 4.0 + far && off[2] <= 8.0) {
                    wrong.push(format!("off by {off:?} of {:e}", found.accuracy));
                }
                // A sheet oblique to all axes has a tiny volume compared to the terms of its sum.
                let most = 1e-14 * mesh.diagonal().powi(3) / found.volume;
                if found.accuracy > most.max(1e-5) {
                    wrong.push(format!("no better than {:e}", found.accuracy));
                }
            }
            // A mesh crumpled through itself can have moments that are physically impossible.
            Err(_) if has_no_matter(&twin(&mesh).2) => {}
            Err(error) => wrong.push(error.to_string()),
        }
        wrong
    });
}

/// Whether a second moment along an axis is negative.
fn has_no_matter(inertia: &DMat3) -> bool {
    let moments = [inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z];
    let half = 0.5 * moments.iter().sum::<f64>();
    moments.iter().any(|moment| half < *moment)
}

/// A moved, rotated or scaled body has the moved, rotated or scaled properties; scaling by a power of two is exact.
#[test]
fn mass_properties_move_with_the_body() {
    for_each(seed_range(300, 200_000), |seed| {
        let random = &mut Random(seed);
        let mesh = primitive(random).tessellate().unwrap().mesh;
        let mut wrong = Wrong::new();
        let own = mesh.mass_properties().unwrap();
        let pose = Pose::new(random.vector(100.0), random.rotation()).unwrap();
        let scale = random.within(0.1, 10.0);
        let vertices = (0..).take(mesh.vertex_count()).map(|v| pose.transform_point(scale * mesh.vertex(v)));
        let moved = Mesh::new(vertices.collect(), mesh.triangles().to_vec()).unwrap();
        let (found, expected) = (moved.mass_properties().unwrap(), own.placed(&pose, scale).unwrap());
        let truth = (expected.volume, expected.center, expected.inertia);
        let off = off(&MassProperties { accuracy: 1e-12, ..found }, &truth, moved.diagonal());
        if off.iter().any(|off| off.is_nan() || *off > 1.0) {
            wrong.push(format!("moved: {off:?}"));
        }
        // About a point other than the centre: the parallel axis theorem, by the second moment of the vertices'
        // frame.
        let power = random.below(120);
        let factor = 2.0_f64.powi(60 - i32::try_from(power).unwrap());
        let scaled = mesh.scaled(factor).unwrap().mass_properties().unwrap();
        let volume = own.volume * factor.powi(3);
        let inertia = own.inertia * factor.powi(5);
        if (scaled.volume, scaled.center, scaled.inertia) != (volume, own.center * factor, inertia) {
            wrong.push(format!("scaled by {factor:e}: {scaled:?}"));
        }
        // Inside out, only rounding differs.
        let turned = mesh.triangles().iter().map(|[a, b, c]| [*a, *c, *b]).collect();
        let vertices = (0..).take(mesh.vertex_count()).map(|v| mesh.vertex(v)).collect();
        let turned = Mesh::new(vertices, turned).unwrap().mass_properties().unwrap();
        if (turned.volume - own.volume).abs() > 1e-14 * own.volume || turned.inertia.x_axis.x < 0.0 {
            wrong.push(format!("inside out: {turned:?}, {own:?}"));
        }
        wrong
    });
}

/// Points and weights of Gauss's rule of five points on [-1, 1]: exact up to degree nine.
const GAUSS: [[f64; 2]; 5] = [
    [-0.906_179_845_938_664, 0.236_926_885_056_189_08],
    [-0.538_469_310_105_683, 0.478_628_670_499_366_47],
    [0.0, 0.568_888_888_888_888_9],
    [0.538_469_310_105_683, 0.478_628_670_499_366_47],
    [0.906_179_845_938_664, 0.236_926_885_056_189_08],
];

/// A primitive as a stack of slices: the area of each and the mean squares of x and y.
fn slices(primitive: &Primitive) -> Truth {
    let top = primitive.half_size().z;
    let cuts = match primitive {
        Primitive::Capsule { height, .. } => vec![-top, -0.5 * height, 0.5 * height, top],
        _ => vec![-top, top],
    };
    let disc = |squared: f64| [std::f64::consts::PI * squared, 0.25 * squared, 0.25 * squared];
    let slice = |z: f64| match *primitive {
        Primitive::Box { size } => [size.x * size.y, size.x * size.x / 12.0, size.y * size.y / 12.0],
        Primitive::Sphere { radius } => disc(radius * radius - z * z),
        Primitive::Cylinder { radius, .. } => disc(radius * radius),
        Primitive::Cone { radius, height } => disc((radius * (0.5 - z / height)).powi(2)),
        Primitive::Capsule { radius, height } => {
            disc(radius * radius - (z.abs() - 0.5 * height).max(0.0).powi(2))
        }
    };
    let (mut volume, mut first, mut second) = (0.0, 0.0, DVec3::ZERO);
    for pair in cuts.windows(2) {
        for [place, weight] in GAUSS {
            let half = 0.5 * (pair[1] - pair[0]);
            let z = pair[0] + half * (1.0 + place);
            let [area, x, y] = slice(z);
            let part = weight * half * area;
            volume += part;
            first += part * z;
            second += part * DVec3::new(x, y, z * z);
        }
    }
    let center = first / volume;
    second.z -= volume * center * center;
    (volume, DVec3::new(0.0, 0.0, center), inertia(DMat3::from_diagonal(second)))
}

#[test]
fn primitives_have_the_mass_of_a_stack_of_slices() {
    for seed in 0..300 {
        let primitive = primitive(&mut Random(seed));
        let shape = CollisionShape::primitive(primitive).unwrap();
        let found = MassProperties { accuracy: 1e-13, ..shape.mass_properties().unwrap() };
        let off = off(&found, &slices(&primitive), shape.diagonal());
        assert!(off.iter().all(|off| *off < 1.0), "{primitive:?}: {off:?}");
        // The polyhedron inside has a slightly smaller volume.
        let mesh = primitive.tessellate().unwrap().mesh.mass_properties().unwrap();
        let least = if matches!(primitive, Primitive::Box { .. }) { 1.0 - 1e-14 } else { 0.93 };
        assert!((least..=1.0 + 1e-14).contains(&(mesh.volume / found.volume)), "{primitive:?}");
    }
}

fn mass_properties(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<MassProperties, Error> {
    let mesh =
        Mesh::new(vertices.iter().map(|v| DVec3::from_array(*v)).collect(), triangles.to_vec()).unwrap();
    CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh))).mass_properties()
}

const CORNERS: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

#[test]
fn a_tetrahedron_has_the_published_inertia() {
    let found = mass_properties(&CORNERS, &FACES).unwrap();
    let off = off(
        &found,
        &(
            1.0 / 6.0,
            DVec3::splat(0.25),
            // The mean of x^2 about the centre is 3/80, the mean of x y is -1/80.
            DMat3::from_cols_array_2d(&[[6.0, 1.0, 1.0], [1.0, 6.0, 1.0], [1.0, 1.0, 6.0]]) * (1.0 / 480.0),
        ),
        1.0,
    );
    assert!(off.iter().all(|off| *off < 1.0), "{found:?}");
}

#[test]
fn shapes_without_volume_are_refused() {
    let kind = |vertices: &[[f64; 3]], triangles: &[[u32; 3]]| {
        mass_properties(vertices, triangles).unwrap_err().kind().clone()
    };
    let is_empty = |kind: &ErrorKind| matches!(kind, ErrorKind::OutOfRange { expected, .. } if expected.contains("volume"));
    assert_eq!(kind(&CORNERS, &FACES[..3]), ErrorKind::NotClosed);
    // Two tetrahedra that share an edge, which has four triangles.
    let mut corners = CORNERS.to_vec();
    corners.extend([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]);
    let shared = [FACES.to_vec(), vec![[0, 1, 4], [0, 5, 1], [1, 5, 4], [4, 5, 0]]].concat();
    assert_eq!(kind(&corners, &shared), ErrorKind::NotClosed);
    let turned = kind(&CORNERS, &[[0, 1, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
    assert!(matches!(turned, ErrorKind::InconsistentOrientation { .. }), "{turned:?}");
    // Flat along an axis, and flat along none.
    let flat = |p: [f64; 3]| [p[0] + p[2], p[1] + 2.0 * p[2], 0.5];
    assert!(is_empty(&kind(&CORNERS.map(flat), &FACES)));
    let [across, along] = [DVec3::new(0.1, 0.7, -0.3), DVec3::new(0.9, 0.2, 0.7)];
    let oblique = |[x, y, z]: [f64; 3]| ((x + z) * across + (y - 0.3 * z) * along).to_array();
    assert!(is_empty(&kind(&CORNERS.map(oblique), &FACES)));
    // A solid and, beside it, an inside-out one of the same size.
    let beside = [CORNERS.to_vec(), CORNERS.map(|[x, y, z]| [x + 5.0, y, z]).to_vec()].concat();
    let inward = [FACES.to_vec(), FACES.map(|[a, b, c]| [a + 4, c + 4, b + 4]).to_vec()].concat();
    assert!(is_empty(&kind(&beside, &inward)));
    // A slightly smaller one leaves a volume, but its moments are physically impossible.
    let beside = [CORNERS.to_vec(), CORNERS.map(|[x, y, z]| [0.95 * x + 5.0, y, z]).to_vec()].concat();
    let error = mass_properties(&beside, &inward).unwrap_err().to_string();
    assert!(error.contains("turned inwards outweigh"), "{error}");
    // Its moments along the axes are positive, the moment along a diagonal is not.
    let beside = [CORNERS.to_vec(), CORNERS.map(|p| p.map(|x| 0.5 * x + 0.5)).to_vec()].concat();
    let error = mass_properties(&beside, &inward).unwrap_err().to_string();
    assert!(error.contains("turned inwards outweigh"), "{error}");
    let tiny = CORNERS.map(|p| p.map(|x| 1e-90 * x));
    let error = mass_properties(&tiny, &FACES).unwrap_err().to_string();
    assert!(error.contains("too small for a double"), "{error}");
    let huge = CORNERS.map(|p| p.map(|x| 9e69 * x));
    let error = mass_properties(&huge, &FACES).unwrap_err().to_string();
    assert!(error.contains("too large"), "{error}");
    for size in [1e-60, 1e60] {
        assert!(mass_properties(&CORNERS.map(|p| p.map(|x| size * x)), &FACES).is_ok(), "{size}");
    }
    for primitive in [Primitive::Sphere { radius: 1e69 }, Primitive::Sphere { radius: 1e-70 }] {
        assert!(primitive.mass_properties().is_err());
    }
    let cloud = PointCloud::new(vec![(0, DVec3::ZERO)], 0.1).unwrap();
    let error = CollisionShape::cloud(Arc::new(cloud)).unwrap().mass_properties().unwrap_err().to_string();
    assert_eq!(error, "points: a mass of points, which surround nothing, is not built");
    let formulas = ["u", "v", "u*v"].map(|text| Expression::parse(text, &["u", "v"]).unwrap());
    let surface = ParametricSurface::new(formulas, [[0.0, 1.0], [0.0, 1.0]], 1.0).unwrap();
    let error = CollisionShape::parametric(Arc::new(surface)).unwrap().mass_properties().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotBuilt(_)), "{error}");
}

/// A cavity in a body, with inward faces, is empty.
#[test]
fn cavities_have_no_mass() {
    let cube = |size: f64| Primitive::Box { size: DVec3::splat(size) }.tessellate().unwrap().mesh;
    let (outer, inner) = (cube(2.0), cube(1.0));
    let vertices = [&outer, &inner].iter().flat_map(|m| (0..8).map(|v| m.vertex(v))).collect();
    let mut triangles = outer.triangles().to_vec();
    triangles.extend(inner.triangles().iter().map(|[a, b, c]| [a + 8, c + 8, b + 8]));
    let found = Mesh::new(vertices, triangles).unwrap().mass_properties().unwrap();
    assert!((found.volume - 7.0).abs() < 1e-13 && found.center.length() < 1e-15, "{found:?}");
    let inertia = (8.0 * 4.0 - 1.0) / 6.0;
    assert!((found.inertia.y_axis.y - inertia).abs() < 1e-13, "{found:?}");
}

fn part(shape: PartShape) -> SolidPart {
    SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 }
}

fn formula(text: &str, half: DVec3) -> PartShape {
    let formula = Expression::parse(text, &["x", "y", "z"]).unwrap();
    PartShape::Formula { formula, bounds: [-half, half] }
}

#[track_caller]
fn assert_solid(parts: Vec<SolidPart>, truth: &Truth, most: f64) {
    let shape = CollisionShape::solid(Arc::new(Solid::new(parts).unwrap())).unwrap();
    let found = shape.mass_properties().unwrap();
    let off = off(&found, truth, shape.diagonal());
    assert!(off[0] <= 1.0 && off[1] <= 1.2 && off[2] <= 4.0, "{off:?} {found:?}");
    assert!(found.accuracy <= most, "{found:?}");
}

#[test]
fn solids_have_the_published_masses() {
    use std::f64::consts::PI;
    // A ball far away, by its formula.
    let (r, far) = (0.5, DVec3::new(1e4, -2e4, 3e4));
    let volume = 4.0 / 3.0 * PI * r * r * r;
    let truth = (volume, far, DMat3::IDENTITY * (0.4 * volume * r * r));
    let mut ball = part(formula("x^2 + y^2 + z^2 - 0.25", DVec3::splat(0.6)));
    ball.pose = Pose::from_position(far).unwrap();
    assert_solid(vec![ball], &truth, 2.5e-4);
    // A rotated torus.
    let (big, small) = (1.0, 0.25);
    let volume = 2.0 * PI * PI * big * small * small;
    let across = volume * (big * big / 2.0 + 5.0 / 8.0 * small * small);
    let own = DMat3::from_diagonal(DVec3::new(across, across, volume * (big * big + 0.75 * small * small)));
    let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.7);
    let matrix = DMat3::from_quat(turn);
    let mut torus = part(formula("(sqrt(x^2 + y^2) - 1)^2 + z^2 - 0.0625", DVec3::new(1.3, 1.3, 0.3)));
    torus.pose = Pose::new(DVec3::X, turn).unwrap();
    assert_solid(vec![torus], &(volume, DVec3::X, matrix * own * matrix.transpose()), 5e-3);
    // A plate with a hole.
    let plate = part(PartShape::Primitive(Primitive::Box { size: DVec3::new(2.0, 2.0, 0.5) }));
    let hole = part(PartShape::Primitive(Primitive::Cylinder { radius: 0.5, height: 1.0 }));
    let (whole, gone) = (2.0, 0.5 * PI * 0.25);
    let along = whole * (0.25 + 4.0) / 12.0 - gone * (0.25 / 4.0 + 0.25 / 12.0);
    let about = whole * 8.0 / 12.0 - gone * 0.125;
    let truth = (whole - gone, DVec3::ZERO, DMat3::from_diagonal(DVec3::new(along, along, about)));
    let difference = part(PartShape::Difference(vec![0, 1]));
    assert_solid(vec![plate, hole, difference], &truth, 2.5e-4);
    // A single primitive gives the primitive's result.
    let cone = Primitive::Cone { radius: 1.0, height: 2.0 };
    let own = cone.mass_properties().unwrap();
    let pose = Pose::new(DVec3::Y, DQuat::from_rotation_x(1.0)).unwrap();
    let alone = SolidPart { shape: PartShape::Primitive(cone), pose, scale: 2.0 };
    let solid = CollisionShape::solid(Arc::new(Solid::new(vec![alone]).unwrap())).unwrap();
    assert_eq!(solid.mass_properties().unwrap(), own.placed(&pose, 2.0).unwrap());
}

#[test]
fn an_empty_solid_has_no_mass() {
    let nowhere = formula("x^2 + y^2 + z^2 + 1", DVec3::ONE);
    let solid = Solid::new(vec![part(nowhere)]).unwrap();
    let error = CollisionShape::solid(Arc::new(solid)).unwrap().mass_properties().unwrap_err();
    assert_eq!(error.to_string(), "solid: found 0, expected a volume greater than 0");
    // A sheet without thickness.
    let solid = Solid::new(vec![part(formula("abs(x*1.1 - y/3)", DVec3::ONE))]).unwrap();
    assert!(CollisionShape::solid(Arc::new(solid)).unwrap().mass_properties().is_err());
}

/// Boxes with corners on a lattice, joined and cut: the truth is a count of small cubes.
#[test]
fn unions_and_differences_of_boxes_have_the_mass_of_their_cubes() {
    for_each(seed_range(12, 6_000), |seed| {
        let random = &mut Random(seed);
        let mut boxes = || {
            [(); 3].map(|()| {
                let from = random.below(10);
                [from, from + 2 + random.below(8)]
            })
        };
        let boxes = [boxes(), boxes(), boxes()];
        let kind = random.below(4);
        let is_in = |at: [usize; 3], ends: &[[usize; 2]; 3]| {
            (0..3).all(|i| (ends[i][0]..ends[i][1]).contains(&at[i]))
        };
        let [mut volume, mut first, mut second] = [0.0, 0.0, 0.0].map(|x| (x, DVec3::splat(x), DMat3::ZERO));
        for n in 0..20 * 20 * 20 {
            let at = [n % 20, n / 20 % 20, n / 400];
            let [a, b, c] = [0, 1, 2].map(|i| is_in(at, &boxes[i]));
            let filled = match kind {
                0 => a || b || c,
                1 => (a || b) && !c,
                2 => a && !(b && c),
                _ => a && (b || c),
            };
            if filled {
                let p = (DVec3::from_array(at.map(|x| x as f64)) + 0.5) / 8.0;
                let outer = DMat3::from_cols(p * p.x, p * p.y, p * p.z);
                volume.0 += 1.0;
                first.1 += p;
                second.2 = second.2 + outer + DMat3::IDENTITY * (1.0 / 64.0 / 12.0);
            }
        }
        let count = volume.0;
        let (cube, c) = (1.0 / 512.0, first.1 / count);
        let central = second.2 - DMat3::from_cols(c * c.x, c * c.y, c * c.z) * count;
        let mut parts: Vec<SolidPart> = boxes
            .iter()
            .map(|ends| {
                let [least, greatest] =
                    [0, 1].map(|end| DVec3::from_array(ends.map(|e| e[end] as f64)) / 8.0);
                SolidPart {
                    shape: PartShape::Primitive(Primitive::Box { size: greatest - least }),
                    pose: Pose::from_position(0.5 * (least + greatest)).unwrap(),
                    scale: 1.0,
                }
            })
            .collect();
        parts.extend(match kind {
            0 => vec![part(PartShape::Union(vec![0, 1, 2]))],
            1 => vec![part(PartShape::Union(vec![0, 1])), part(PartShape::Difference(vec![3, 2]))],
            2 => vec![part(PartShape::Intersection(vec![1, 2])), part(PartShape::Difference(vec![0, 3]))],
            _ => vec![part(PartShape::Union(vec![1, 2])), part(PartShape::Intersection(vec![0, 3]))],
        });
        let pose = Pose::new(random.vector(5.0), random.rotation()).unwrap();
        let turn = DMat3::from_quat(pose.rotation());
        parts.last_mut().unwrap().pose = pose;
        let shape = CollisionShape::solid(Arc::new(Solid::new(parts).unwrap())).unwrap();
        match shape.mass_properties() {
            Ok(found) => {
                let inertia = turn * inertia(central * cube) * turn.transpose();
                let truth = (count * cube, pose.transform_point(c), inertia);
                let off = off(&found, &truth, shape.diagonal());
                let fits = off[0] <= 1.0 && off[1] <= 1.2 && off[2] <= 4.0 && found.accuracy < 0.02;
                if fits { Wrong::new() } else { vec![format!("{off:?} {found:?}")] }
            }
            Err(_) if count == 0.0 => Wrong::new(),
            Err(error) => vec![error.to_string()],
        }
    });
}
