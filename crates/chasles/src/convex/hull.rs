//! The convex hull of points, with exact signs (Barber, Dobkin and Huhdanpaa 1996, "The quickhull algorithm for convex
//! hulls").
//!
//! Adding a point replaces all facets that see it, including coplanar facets, by facets from the point to the rim
//! of the hole. A remaining facet has the point strictly behind it, so every new facet has a positive area, however
//! many points are coplanar or collinear.

use std::cmp::Ordering;

use glam::DVec3;
use rustc_hash::FxHashMap;

use crate::convex::sides::{height, in_line, side};
use crate::math::budget::{Budget, OutOfBudget};

/// A convex polyhedron with a non-empty interior.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hull {
    points: Vec<DVec3>,
    /// Indices of points, counter-clockwise as seen from outside. Coplanar facets are an arbitrary triangulation of
    /// their plane's polygon.
    facets: Vec<[u32; 3]>,
    /// The edges of the facets, lower index first, sorted.
    edges: Vec<[u32; 2]>,
    bounds: [DVec3; 2],
}

impl Hull {
    /// The hull of points; `None` if the points are coplanar, so that the hull has no interior.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn of(points: Vec<DVec3>, budget: &mut Budget<'_>) -> Result<Option<Self>, OutOfBudget> {
        let Some(seed) = seed(&points, budget)? else { return Ok(None) };
        let mut growth = Growth::new(&points, seed);
        growth.distribute((0..).take(points.len()).collect(), 0, budget)?;
        let mut next = 0;
        while next < growth.facets.len() {
            match growth.highest_above(next) {
                Some(point) => growth.add_point(next, point, budget)?,
                None => next += 1,
            }
        }
        let facets: Vec<[u32; 3]> =
            growth.facets.iter().filter(|facet| !facet.is_gone).map(|facet| facet.corners).collect();
        let mut edges: Vec<[u32; 2]> = facets
            .iter()
            .flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]])
            .filter(|[v, w]| v < w)
            .collect();
        edges.sort_unstable();
        let bounds = bounds(facets.iter().flatten().map(|v| points[*v as usize]));
        Ok(Some(Self { points, facets, edges, bounds }))
    }

    /// The points from which the hull was built.
    pub(crate) fn points(&self) -> &[DVec3] {
        &self.points
    }

    pub(crate) fn facets(&self) -> &[[u32; 3]] {
        &self.facets
    }

    pub(crate) fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The lower and upper corner of the bounding box.
    pub(crate) fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    pub(crate) fn corners(&self, facet: usize) -> [DVec3; 3] {
        self.facets[facet].map(|v| self.points[v as usize])
    }

    /// Whether a point is strictly inside. `last` is the facet to test first; it is set to a facet that has the
    /// point not behind it, if one is found.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn contains(
        &self,
        point: DVec3,
        last: &mut usize,
        budget: &mut Budget<'_>,
    ) -> Result<bool, OutOfBudget> {
        let [least, greatest] = self.bounds;
        if point.cmple(least).any() || point.cmpge(greatest).any() {
            return Ok(false);
        }
        for facet in self.facets_from(*last) {
            budget.step()?;
            if side(&self.corners(facet), point) != Ordering::Less {
                *last = facet;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The indices of all facets, starting at `first`.
    pub(crate) fn facets_from(&self, first: usize) -> impl Iterator<Item = usize> + use<> {
        (first..self.facets.len()).chain(0..first)
    }
}

/// The lower and upper corner of the bounding box of points.
pub(crate) fn bounds(points: impl Iterator<Item = DVec3>) -> [DVec3; 2] {
    points.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[lo, hi], p| [lo.min(p), hi.max(p)])
}

/// The indices of four points that are not coplanar.
fn seed(points: &[DVec3], budget: &mut Budget<'_>) -> Result<Option<[u32; 4]>, OutOfBudget> {
    budget.take(3 * points.len() as u64)?;
    let Some(&a) = points.first() else { return Ok(None) };
    let largest = |size: &dyn Fn(DVec3) -> f64| {
        let sizes = points.iter().map(|p| size(*p)).enumerate();
        sizes.max_by(|(_, x), (_, y)| x.total_cmp(y)).map_or(0, |(i, _)| i)
    };
    // The furthest points as computed in doubles, or any other points if those are not clearly independent.
    let i = largest(&|p| (p - a).abs().max_element());
    let b = points[i];
    if a == b {
        return Ok(None);
    }
    let far = largest(&|p| (b - a).cross(p - a).length_squared());
    let Some(j) = std::iter::once(far).chain(0..points.len()).find(|j| !in_line(&[a, b, points[*j]])) else {
        return Ok(None);
    };
    let plane = [a, b, points[j]];
    let far = largest(&|p| height(&plane, p).value.abs());
    let mut all = std::iter::once(far).chain(0..points.len());
    let Some(k) = all.find(|k| side(&plane, points[*k]) != Ordering::Equal) else { return Ok(None) };
    let (j, k) = if side(&plane, points[k]) == Ordering::Less { (j, k) } else { (k, j) };
    Ok(Some([0, i, j, k].map(|n| u32::try_from(n).unwrap_or(u32::MAX))))
}

/// A facet of the growing hull.
struct Facet {
    corners: [u32; 3],
    /// The facet across the edge from each corner to the next.
    across: [usize; 3],
    /// Points in front of this facet. Each point is stored with one facet only.
    above: Vec<u32>,
    is_gone: bool,
    /// The last point tested against this facet, and whether the facet sees it.
    seen_by: (u32, bool),
}

impl Facet {
    fn new(corners: [u32; 3], across: [usize; 3]) -> Self {
        Self { corners, across, above: Vec::new(), is_gone: false, seen_by: (u32::MAX, false) }
    }
}

/// A hull to which points are added one by one.
struct Growth<'p> {
    points: &'p [DVec3],
    facets: Vec<Facet>,
}

impl<'p> Growth<'p> {
    /// A tetrahedron; the fourth corner is behind the plane of the first three.
    fn new(points: &'p [DVec3], [a, b, c, d]: [u32; 4]) -> Self {
        let facets = vec![
            Facet::new([a, b, c], [1, 2, 3]),
            Facet::new([a, d, b], [3, 2, 0]),
            Facet::new([b, d, c], [1, 3, 0]),
            Facet::new([c, d, a], [2, 1, 0]),
        ];
        Self { points, facets }
    }

    fn side(&self, facet: usize, point: u32) -> Ordering {
        let corners = self.facets[facet].corners.map(|v| self.points[v as usize]);
        side(&corners, self.points[point as usize])
    }

    /// Assigns each point to a facet, of index `from` or higher, that has the point in front. A point without such
    /// a facet is inside the hull: a point that was in front of a removed facet and is still outside is in front of
    /// a new facet.
    fn distribute(
        &mut self,
        points: Vec<u32>,
        from: usize,
        budget: &mut Budget<'_>,
    ) -> Result<(), OutOfBudget> {
        for point in points {
            for facet in from..self.facets.len() {
                budget.step()?;
                if self.side(facet, point) == Ordering::Greater {
                    self.facets[facet].above.push(point);
                    break;
                }
            }
        }
        Ok(())
    }

    /// The furthest point in front of a facet, as computed in doubles.
    fn highest_above(&self, facet: usize) -> Option<u32> {
        let Facet { corners, above, .. } = &self.facets[facet];
        let corners = corners.map(|v| self.points[v as usize]);
        let far = |point: &u32| height(&corners, self.points[*point as usize]).value;
        above.iter().copied().max_by(|p, q| far(p).total_cmp(&far(q)))
    }

    /// Adds a point that is in front of a facet.
    fn add_point(&mut self, facet: usize, point: u32, budget: &mut Budget<'_>) -> Result<(), OutOfBudget> {
        let mut seen = vec![facet];
        self.facets[facet].seen_by = (point, true);
        // The edges of the rim: start, end, and the facet beyond.
        let mut rim: Vec<(u32, u32, usize)> = Vec::new();
        let mut next = 0;
        while let Some(&facet) = seen.get(next) {
            next += 1;
            let Facet { corners, across, .. } = self.facets[facet];
            for (i, beyond) in across.into_iter().enumerate() {
                if self.facets[beyond].seen_by.0 != point {
                    budget.step()?;
                    let is_seen = self.side(beyond, point) != Ordering::Less;
                    self.facets[beyond].seen_by = (point, is_seen);
                    if is_seen {
                        seen.push(beyond);
                    }
                }
                if !self.facets[beyond].seen_by.1 {
                    rim.push((corners[i], corners[(i + 1) % 3], beyond));
                }
            }
        }
        let first = self.facets.len();
        let starting: FxHashMap<u32, usize> =
            rim.iter().enumerate().map(|(i, (from, ..))| (*from, first + i)).collect();
        let ending: FxHashMap<u32, usize> =
            rim.iter().enumerate().map(|(i, (_, to, _))| (*to, first + i)).collect();
        for (i, (from, to, beyond)) in rim.into_iter().enumerate() {
            self.facets.push(Facet::new([from, to, point], [beyond, starting[&to], ending[&from]]));
            let back = &mut self.facets[beyond];
            if let Some(edge) = (0..3).find(|e| back.corners[*e] == to && back.corners[(e + 1) % 3] == from) {
                back.across[edge] = first + i;
            }
        }
        let mut loose = Vec::new();
        for facet in seen {
            let facet = &mut self.facets[facet];
            facet.is_gone = true;
            loose.append(&mut facet.above);
        }
        loose.retain(|other| *other != point);
        self.distribute(loose, first, budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles_testing::Random;
    use num_bigint::BigInt;

    /// Every facet has all points behind or in its plane; each edge has two facets; and Euler's formula holds.
    fn assert_hull(points: &[DVec3]) -> Hull {
        let hull = Hull::of(points.to_vec(), &mut Budget::new(u64::MAX)).unwrap().unwrap();
        for facet in 0..hull.facets().len() {
            let corners = hull.corners(facet);
            assert!(!in_line(&corners), "{corners:?}");
            assert!(points.iter().all(|p| side(&corners, *p) != Ordering::Greater), "{corners:?}");
        }
        let mut uses = FxHashMap::<[u32; 2], u32>::default();
        for [a, b, c] in hull.facets() {
            for edge in [[*a, *b], [*b, *c], [*c, *a]] {
                *uses.entry(edge).or_default() += 1;
            }
        }
        assert!(uses.iter().all(|([v, w], n)| *n == 1 && uses.get(&[*w, *v]) == Some(&1)), "{uses:?}");
        let mut corners: Vec<u32> = hull.facets().concat();
        corners.sort_unstable();
        corners.dedup();
        assert_eq!(corners.len() + hull.facets().len(), hull.edges().len() + 2);
        hull
    }

    fn volume(hull: &Hull) -> BigInt {
        let unit = crate::math::whole::WholeUnit::of_points(hull.points());
        let corners = (0..hull.facets().len()).map(|facet| hull.corners(facet));
        corners.map(|corners| -crate::convex::sides::whole_height(unit, &corners, hull.points()[0])).sum()
    }

    #[test]
    fn a_cube_with_points_all_over_it() {
        let steps = [0.0, 1.0, 2.0];
        let all =
            steps.iter().flat_map(|x| steps.iter().flat_map(move |y| steps.map(|z| DVec3::new(*x, *y, z))));
        let hull = assert_hull(&all.collect::<Vec<_>>());
        assert_eq!(volume(&hull), BigInt::from(48));
        assert_eq!(hull.bounds(), [DVec3::ZERO, DVec3::splat(2.0)]);
        let contains = |x: f64, y: f64, z: f64| {
            hull.contains(DVec3::new(x, y, z), &mut 0, &mut Budget::new(u64::MAX)).unwrap()
        };
        assert!(
            contains(1.0, 1.0, 1.0)
                && contains(1e-300, 1.0, 1.0)
                && !contains(0.0, 1.0, 1.0)
                && !contains(3.0, 1.0, 1.0)
        );
    }

    #[test]
    fn points_of_every_kind() {
        for seed in 0..400 {
            let random = &mut Random(seed);
            let many = 4 + random.below(30);
            let scale = [1.0, 1e-100, 1e60][random.below(3)];
            let few = random.one_in(2);
            let points: Vec<DVec3> = (0..many)
                .map(|_| {
                    // Few values put many points in one plane, on one line or at one place.
                    let p = if few { random.vector(2.0).round() } else { random.vector(1.0) };
                    scale * p
                })
                .collect();
            let flat = points.iter().all(|p| side(&[points[0], points[1], points[2]], *p) == Ordering::Equal);
            if !flat {
                assert_hull(&points);
            }
        }
        // Points on a sphere, all of which are corners.
        let random = &mut Random(9);
        let points: Vec<DVec3> = (0..300).map(|_| random.direction()).collect();
        assert_eq!(assert_hull(&points).facets().len(), 596);
    }

    #[test]
    fn flat_points_have_no_hull() {
        let none = |points: &[[f64; 3]]| {
            let points = points.iter().map(|p| DVec3::from_array(*p)).collect();
            Hull::of(points, &mut Budget::new(u64::MAX)).unwrap().is_none()
        };
        assert!(none(&[]) && none(&[[1.0, 2.0, 3.0]; 9]));
        assert!(none(&[[0.0; 3], [1.0; 3], [2.0; 3], [-3.0; 3], [0.5; 3]]));
        assert!(none(&[[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]]));
        // Points that are only nearly coplanar have a hull.
        assert!(!none(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1e-300]]));
    }

    #[test]
    fn a_hull_ends_when_the_budget_is_spent() {
        let random = &mut Random(3);
        let points: Vec<DVec3> = (0..100).map(|_| random.direction()).collect();
        assert_eq!(Hull::of(points, &mut Budget::new(1000)), Err(OutOfBudget));
    }
}
