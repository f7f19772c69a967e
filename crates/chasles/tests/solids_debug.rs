#![allow(warnings)]
use chasles::*;
use glam::{DQuat, DVec3};
use std::sync::Arc;
#[test]
fn dbg() {
    let part = |shape| SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 };
    let plate = part(PartShape::Primitive(Primitive::Box { size: DVec3::new(2.0, 2.0, 0.1) }));
    let hole = part(PartShape::Primitive(Primitive::Cylinder { radius: 0.2, height: 0.3 }));
    let solid = Solid::new(vec![plate, hole, part(PartShape::Difference(vec![0, 1]))]).unwrap();
    let a = SceneShape::solid(Arc::new(solid)).unwrap();
    let b = SceneShape::primitive(Primitive::Capsule { radius: 0.08, height: 0.4 }).unwrap();
    let w = DVec3::new(-0.096953, -0.425539, -0.466262);
    for i in 0..12 {
        let t = 0.3 + 0.04 * i as f64;
        let q0 = DQuat::from_xyzw(-0.021375, -0.388737, -0.250252, 0.886454).normalize();
        let q = DQuat::from_axis_angle(w.normalize(), w.length() * t) * q0;
        let p =
            DVec3::new(-1.275855, 1.566476932, 0.078232231) + t * DVec3::new(0.958114, -1.002655, -0.655549);
        let pose = Pose::new(p, q).unwrap();
        let (e0, e1) =
            (pose.transform_point(DVec3::new(0., 0., 0.2)), pose.transform_point(DVec3::new(0., 0., -0.2)));
        let mut best = f64::INFINITY;
        for x in -100..=100 {
            for y in -100..=100 {
                for z in -5..=5 {
                    let g = DVec3::new(x as f64 * 0.01, y as f64 * 0.01, z as f64 * 0.01);
                    if g.x.hypot(g.y) < 0.2 {
                        continue;
                    }
                    let d = e1 - e0;
                    let s = ((g - e0).dot(d) / d.length_squared()).clamp(0.0, 1.0);
                    best = best.min((e0 + s * d - g).length() - 0.08);
                }
            }
        }
        let found = distance(&Stance { a: (&a, Pose::IDENTITY), b: (&b, pose) });
        println!("{t:.2} brute {best:.5} found {found:?}");
    }
}
