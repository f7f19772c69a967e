//! The bodies of a robot and its cell that intersect at one time of a path.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::robot::RobotCell;
use crate::robot::path::JointPath;
use crate::robot::path_scene::PathScene;
use crate::scene::penetration::{Penetration, penetration_of};
use crate::scene::report::IntersectingPair;

/// See [`RobotCell::intersecting_at`].
pub(super) fn intersecting_at(
    cell: &RobotCell,
    path: &JointPath,
    time: f64,
) -> Result<Vec<(IntersectingPair, Option<Penetration>)>, Error> {
    let [start, end] = path.interval();
    if !(start..=end).contains(&time) {
        return Error::out_of_range(time, "a time of the path", "time");
    }
    let PathScene { scene, owners } = cell.path_scene(path)?;
    let time = (time - start).clamp(0.0, scene.duration());
    let parts = |owner: usize| -> Vec<usize> {
        let has_surface = |body: &usize| scene.bodies()[*body].shape.is_some();
        (0..owners.len()).filter(|body| owners[*body] == owner).filter(has_surface).collect()
    };
    let triangles = |body: usize| {
        let shape = scene.bodies()[body].shape.as_ref();
        shape.map_or(0, |shape| shape.drawn().triangles().len())
    };
    // The number of triangles of the parts before each part.
    let triangles_before = |body: usize| -> usize {
        parts(owners[body]).into_iter().take_while(|part| *part < body).map(triangles).sum()
    };
    let mut grouped: BTreeMap<[usize; 2], Vec<IntersectingPair>> = BTreeMap::new();
    for pair in scene.static_intersections(time)? {
        grouped.entry(pair.bodies.map(|body| owners[body])).or_default().push(pair);
    }
    let pairs = grouped.into_iter().map(|(bodies, found)| {
        let [a, b] = bodies.map(parts);
        let penetration = penetration_of(&scene, [&a, &b], &found, time);
        let mut triangles: Vec<[u32; 2]> = Vec::new();
        for pair in &found {
            let first = pair.bodies.map(|body| u32::try_from(triangles_before(body)).unwrap_or(u32::MAX));
            triangles.extend(
                pair.triangles.iter().map(|[a, b]| [a.saturating_add(first[0]), b.saturating_add(first[1])]),
            );
        }
        triangles.sort_unstable();
        (IntersectingPair { bodies, triangles }, penetration)
    });
    Ok(pairs.collect())
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::robot::arms::{at, brick, cart_on_rail, cell, cube, path, planar, still};

    /// A cart with two bricks, 1 m apart, on a rail along x, towards a post whose near face is at x = 3.
    fn cart() -> RobotCell {
        let bricks = vec![brick([0.2; 3], at(1.0, 0.0, 0.0)), brick([0.2; 3], at(0.0, 0.0, 0.0))];
        RobotCell::new(cell(cart_on_rail(bricks), vec![cube("post", 1.0, still(3.5, 0.03, 0.05))])).unwrap()
    }

    #[test]
    fn a_translation_separates_all_parts_of_a_link() {
        // At time 7 the cart is at 2: its foremost brick, the first part, reaches to 3.1.
        let path_to_post = path(&[0], &[&[5.0, 0.0], &[9.0, 4.0]]);
        let found = cart().intersecting_at(&path_to_post, 7.0).unwrap();
        let [(pair, Some(penetration))] = &found[..] else { panic!("{found:?}") };
        assert_eq!((pair.bodies, cart().intersecting_at(&path_to_post, 5.5).unwrap()), ([1, 2], vec![]));
        assert!(pair.triangles.iter().all(|[a, b]| *a < 12 && *b < 12) && !pair.triangles.is_empty());
        assert!(penetration.translation.distance(-0.1 * DVec3::X) < 1e-9, "{penetration:?}");
        // At 3 both bricks are in the post's walls; the second one's triangles come after those of the first.
        let found = cart().intersecting_at(&path(&[0], &[&[5.0, 0.0], &[9.0, 3.0]]), 9.0).unwrap();
        let [(pair, Some(penetration))] = &found[..] else { panic!("{found:?}") };
        assert!(pair.triangles.iter().any(|[a, _]| *a >= 12) && pair.triangles.iter().any(|[a, _]| *a < 12));
        // Up, past the post's top at 0.55 (the bricks reach from -0.1 to 0.1): shorter than 1.1 back.
        assert!(
            (penetration.length - 0.55).abs() < 1e-9 && penetration.translation.z < 0.0,
            "{penetration:?}"
        );
        let error = cart().intersecting_at(&path_to_post, 9.5).unwrap_err().to_string();
        assert_eq!(error, "time: found 9.5, expected a time of the path");
    }

    #[test]
    fn static_links_are_tested_unless_they_are_adjacent() {
        let mut robot = planar(3);
        robot.joints[2].origin = at(-0.9, 0.05, 0.03);
        let cell = RobotCell::new(cell(robot, vec![])).unwrap();
        let turning = path(&[0], &[&[0.0, 0.0], &[1.0, 0.5]]);
        let found = cell.intersecting_at(&turning, 0.5).unwrap();
        assert_eq!(found.iter().map(|(pair, _)| pair.bodies).collect::<Vec<_>>(), [[1, 3]]);
    }
}
