//! Boxes cut by half-spaces: convex polyhedra stored as faces, so that they can be cut again.

use glam::DVec3;

/// A convex polyhedron that was cut from a box.
#[derive(Debug, Clone)]
pub(crate) struct Clipped {
    points: Vec<DVec3>,
    /// Loops of point numbers.
    faces: Vec<Vec<u16>>,
}

/// The result of cutting a polyhedron.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remains {
    Nothing,
    Something,
    /// The whole polyhedron: the cut failed by rounding.
    More,
}

/// The maximum number of points; a cut that would exceed it leaves the polyhedron as it is, which is larger.
const MAX_POINTS: usize = 64;

impl Clipped {
    pub(crate) fn new(corners: [DVec3; 8]) -> Self {
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Self { points: corners.to_vec(), faces: faces.map(|face| face.to_vec()).to_vec() }
    }

    pub(crate) fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Keeps the part with n·x <= d. Points beyond the plane by at most `rounding` are kept, so that everything cut off
    /// is certainly beyond the plane.
    pub(crate) fn cut(&mut self, n: DVec3, d: f64, rounding: f64) -> Remains {
        let heights: Vec<f64> = self.points.iter().map(|p| n.dot(*p) - d).collect();
        let beyond = |i: u16| heights[usize::from(i)] > rounding;
        let count = (0..self.points.len()).filter(|i| heights[*i] > rounding).count();
        if count == 0 {
            return Remains::Something;
        }
        if count == self.points.len() {
            return Remains::Nothing;
        }
        let mut points = Vec::with_capacity(self.points.len() + 4);
        // New numbers of the kept points.
        let mut kept = vec![u16::MAX; self.points.len()];
        for (i, p) in self.points.iter().enumerate() {
            if heights[i] <= rounding {
                kept[i] = short(points.len());
                points.push(*p);
            }
        }
        // Points on edges that are cut: inner end, outer end, number.
        let mut crossed: Vec<([u16; 2], u16)> = Vec::new();
        let mut faces = Vec::with_capacity(self.faces.len() + 1);
        // The edges of the new face, from point to point.
        let mut rim: Vec<[u16; 2]> = Vec::new();
        for face in &self.faces {
            let mut ring: Vec<u16> = Vec::with_capacity(face.len() + 1);
            let (mut exit, mut entry) = (None, None);
            for (index, from) in face.iter().enumerate() {
                let to = face[(index + 1) % face.len()];
                if !beyond(*from) {
                    ring.push(kept[usize::from(*from)]);
                }
                if beyond(*from) == beyond(to) {
                    continue;
                }
                let ends = if beyond(to) { [*from, to] } else { [to, *from] };
                let number = match crossed.iter().find(|(edge, _)| *edge == ends) {
                    Some((_, number)) => *number,
                    None => {
                        let [inner, outer] = ends.map(usize::from);
                        let (low, high) = (heights[inner].min(rounding), heights[outer]);
                        let fraction = ((rounding - low) / (high - low)).clamp(0.0, 1.0);
                        let (p, q) = (self.points[inner], self.points[outer]);
                        let number = short(points.len());
                        points.push(p + fraction * (q - p));
                        crossed.push((ends, number));
                        number
                    }
                };
                ring.push(number);
                if beyond(to) { exit = Some(number) } else { entry = Some(number) }
            }
            if let (Some(exit), Some(entry)) = (exit, entry) {
                rim.push([entry, exit]);
            }
            if ring.len() >= 3 {
                faces.push(ring);
            }
        }
        if points.len() > MAX_POINTS {
            return Remains::More;
        }
        // Rounding may leave the faces inconsistent: then keep the larger polyhedron, which contains the part.
        let Some(lid) = closed_loop(rim) else { return Remains::More };
        faces.push(lid);
        (self.points, self.faces) = (points, faces);
        Remains::Something
    }
}

/// The number of a point; polyhedra have few.
fn short(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// The loop that edges form; `None` if they form none.
fn closed_loop(mut edges: Vec<[u16; 2]>) -> Option<Vec<u16>> {
    let [first, mut last] = edges.pop()?;
    let mut ring = vec![first];
    while last != first {
        ring.push(last);
        let next = edges.iter().position(|[from, _]| *from == last)?;
        last = edges.swap_remove(next)[1];
    }
    (edges.is_empty() && ring.len() >= 3).then_some(ring)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::volume::corners;
    use chasles_testing::{Random, cases};

    #[test]
    fn a_cut_leaves_the_part_behind_the_planes() {
        let random = &mut Random(7);
        let (mut nothing, mut disorder) = (0, 0);
        for _ in 0..cases(4_000, 20_000) {
            let half = DVec3::new(1.0, 0.1 + random.unit(), 0.01 + random.unit());
            let mut cut = Clipped::new(corners([-half, half]));
            let mut planes = Vec::new();
            let (mut remains, mut is_larger) = (Remains::Something, false);
            for _ in 0..1 + random.below(4) {
                let n = DVec3::new(random.side(), random.side(), random.side());
                let n = if random.below(4) == 0 { DVec3::X } else { n };
                let d = 0.7 * random.side();
                planes.push((n, d));
                match cut.cut(n, d, 1e-12) {
                    Remains::Nothing => {
                        remains = Remains::Nothing;
                        nothing += 1;
                        break;
                    }
                    Remains::More => is_larger = true,
                    Remains::Something => {}
                }
            }
            // Every point of the box that is behind all planes is in the hull.
            for _ in 0..20 {
                let p = half * DVec3::new(random.side(), random.side(), random.side());
                if planes.iter().all(|(n, d)| n.dot(p) <= *d) {
                    assert_eq!(remains, Remains::Something);
                    for _ in 0..10 {
                        let n = DVec3::new(random.side(), random.side(), random.side());
                        let reach = cut.points().iter().map(|q| n.dot(*q)).fold(f64::NEG_INFINITY, f64::max);
                        assert!(n.dot(p) <= reach + 1e-12, "{p} {n} {reach} {planes:?}");
                    }
                }
            }
            // Every point of the hull is behind all planes, unless a cut kept too much.
            let behind = |q: &DVec3| planes.iter().all(|(n, d)| n.dot(*q) <= d + 1e-9);
            if remains == Remains::Something && !cut.points().iter().all(behind) {
                assert!(is_larger, "{planes:?}");
                disorder += 1;
            }
        }
        assert!(nothing > 150 && disorder < 20, "{nothing} {disorder}");
    }

    /// Four planes meet at each vertex of an octahedron, so that rounding decides where they cut. Each cut leaves
    /// the part behind its plane, or reports that it leaves more.
    #[test]
    fn a_cut_that_leaves_more_reports_it() {
        let random = &mut Random(8);
        let mut larger = 0;
        for _ in 0..5000 {
            let half = DVec3::new(0.1 + random.unit(), 0.1 + random.unit(), 0.1 + random.unit());
            let wide = random.within(1.0, 1.5) * half;
            // The box extends beyond the middle by its whole half or by a sliver.
            let mut sliver = |wide: f64| if random.one_in(2) { 1e-15 * random.unit() } else { wide };
            let low = DVec3::new(sliver(wide.x), sliver(wide.y), sliver(wide.z));
            let mut cut = Clipped::new(corners([-low, wide]));
            let mut is_larger = false;
            let planes = corners([-1.0 / half, 1.0 / half]);
            for n in planes {
                is_larger |= cut.cut(n, 1.0, 1e-14) == Remains::More;
            }
            let is_behind = cut.points().iter().all(|q| planes.iter().all(|n| n.dot(*q) <= 1.0 + 1e-9));
            assert!(is_behind || is_larger, "{half} {wide}");
            larger += usize::from(is_larger);
        }
        assert!(larger > 0, "no cut left more");
    }
}
