//! Finds vertices of one body that lie in faces of the other on the screen (Buss 2005, "Pixel algorithm", fifth
//! step).
//!
//! Vertices are sorted into buckets, about one in each. A face visits the buckets that intersect the triangle of its
//! corners, enlarged by how far the face may bulge out of the triangle.

use crate::features::event::FeaturePair;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::TimeInterval;
use crate::screen::facing::Role;
use crate::screen::pixels::chart::{ChartExtent, PixelChart, Shift, collision_interval, to_integer};
use crate::screen::pixels::meet::PixelMeetings;
use crate::screen::pixels::parts::{PartFace, PartVertex};

/// The vertices of one body and the faces of the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CoverQuery<'p> {
    pub(crate) vertices: &'p [PartVertex],
    pub(crate) faces: &'p [PartFace],
    /// The body of the vertices.
    pub(crate) of: Role,
}

/// A face after some turns.
#[derive(Debug, Clone, Copy)]
struct FaceImage<'p> {
    face: &'p PartFace,
    shift: Shift,
    extent: ChartExtent,
}

/// Finds the collisions of all vertices that lie in a face on the screen, or within `margin` metres beside it.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn covered(
    chart: &PixelChart,
    query: &CoverQuery<'_>,
    margin: f64,
    meetings: &mut PixelMeetings<'_>,
    budget: &mut Budget<'_>,
) -> Result<(), OutOfBudget> {
    if query.vertices.is_empty() {
        return Ok(());
    }
    let of_vertex = |v: &PartVertex| ChartExtent { rho: [v.rho; 2], w: [v.w; 2], tau: [v.tau; 2] };
    let all =
        query.vertices.iter().fold(ChartExtent::NONE, |all, v| all.union(&of_vertex(v))).enlarged(margin);
    let mut images = Vec::with_capacity(query.faces.len());
    let mut common = ChartExtent::NONE;
    for face in query.faces {
        // Only A turns.
        let (turns, sense) = match query.of {
            Role::A => (chart.turns(&all, &face.extent), -1),
            Role::B => (chart.turns(&face.extent, &all), 1),
        };
        for turns in turns {
            budget.step()?;
            let shift = chart.shift(sense * turns);
            let extent = face.extent.shifted(shift);
            if extent.overlaps(&all) && query.interval(all.tau, extent.tau).is_some() {
                budget.keep::<FaceImage<'_>>()?;
                images.push(FaceImage { face, shift, extent });
                common = common.union(&extent);
            }
        }
    }
    let Some(common) = common.common(&all) else { return Ok(()) };
    let buckets = Buckets::new(query.vertices, common.enlarged(margin), budget)?;
    for image in &images {
        let outline = Outline::new(image, margin);
        buckets.visit_near(&outline, |vertices| {
            let within = &vertices[query.reachable_range(vertices, image.extent.tau)];
            for vertex in within {
                budget.step()?;
                let Some(interval) = query.interval([vertex.tau; 2], image.extent.tau) else { continue };
                if !outline.may_contain([vertex.rho, vertex.w]) {
                    continue;
                }
                let (vertex, face) = (vertex.vertex, image.face.face);
                let pair = match query.of {
                    Role::A => FeaturePair::VertexFace { vertex, face },
                    Role::B => FeaturePair::FaceVertex { face, vertex },
                };
                meetings.find_collisions(pair, interval, budget)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

impl CoverQuery<'_> {
    /// The times at which vertices and faces with these intervals of tau can collide.
    #[inline]
    fn interval(&self, vertices: [f64; 2], faces: [f64; 2]) -> Option<TimeInterval> {
        match self.of {
            Role::A => collision_interval(vertices, faces),
            Role::B => collision_interval(faces, vertices),
        }
    }

    /// The vertices, sorted by tau, that can collide with a face with this interval of tau.
    fn reachable_range(&self, vertices: &[PartVertex], tau: [f64; 2]) -> std::ops::Range<usize> {
        let pad = 1e-6 * (1.0 + tau[0].abs().max(tau[1].abs()));
        let (low, high) = match self.of {
            Role::A => (tau[0] - 1.0 - pad, tau[1] + pad),
            Role::B => (tau[0] - pad, tau[1] + 1.0 + pad),
        };
        let start = vertices.partition_point(|v| v.tau < low);
        start..start + vertices[start..].partition_point(|v| v.tau <= high)
    }
}

/// Vertices in a grid of buckets on the screen.
#[derive(Debug)]
struct Buckets {
    extent: ChartExtent,
    /// The inverse of a bucket's side, in rho and in w.
    per_metre: [f64; 2],
    /// The last row and column.
    last: [i64; 2],
    /// The start of each bucket's vertices, and the end of the last bucket.
    starts: Vec<u32>,
    vertices: Vec<PartVertex>,
}

impl Buckets {
    /// Buckets of the vertices in a part of the screen.
    fn new(
        vertices: &[PartVertex],
        extent: ChartExtent,
        budget: &mut Budget<'_>,
    ) -> Result<Self, OutOfBudget> {
        let within = |[low, high]: [f64; 2], x: f64| low <= x && x <= high;
        let inside = |v: &&PartVertex| within(extent.rho, v.rho) && within(extent.w, v.w);
        let count = vertices.iter().filter(inside).count();
        let size = [extent.rho, extent.w].map(|[low, high]| high - low);
        // Squares, as many as vertices, but no more rows and columns than vertices.
        let number = count.max(1) as f64;
        let side = (size[0] * size[1] / number).sqrt().max(size[0].max(size[1]) / number);
        let per_metre = if side > 0.0 && side.is_finite() { 1.0 / side } else { 0.0 };
        let last = size.map(|x| to_integer((x * per_metre).floor()).clamp(0, to_integer(number)));
        let mut buckets =
            Self { extent, per_metre: [per_metre; 2], last, starts: Vec::new(), vertices: Vec::new() };
        let rows = usize::try_from(last[0]).unwrap_or(0) + 1;
        let columns = usize::try_from(last[1]).unwrap_or(0) + 1;
        let mut starts = vec![0_u32; rows * columns + 1];
        let mut placed = Vec::with_capacity(count);
        for vertex in vertices.iter().filter(inside) {
            budget.keep::<[PartVertex; 3]>()?;
            let bucket = buckets.bucket(buckets.row(vertex.rho), buckets.column(vertex.w));
            starts[bucket] += 1;
            placed.push((bucket, *vertex));
        }
        let mut total = 0;
        for end in &mut starts {
            total += *end;
            *end = total;
        }
        buckets.vertices = placed.iter().map(|(_, vertex)| *vertex).collect();
        for (bucket, vertex) in placed.into_iter().rev() {
            starts[bucket] -= 1;
            buckets.vertices[starts[bucket] as usize] = vertex;
        }
        for ends in starts.windows(2) {
            let bucket = &mut buckets.vertices[ends[0] as usize..ends[1] as usize];
            bucket.sort_unstable_by(|v, w| v.tau.total_cmp(&w.tau).then(v.vertex.cmp(&w.vertex)));
        }
        buckets.starts = starts;
        Ok(buckets)
    }

    #[inline]
    fn row(&self, rho: f64) -> i64 {
        to_integer(((rho - self.extent.rho[0]) * self.per_metre[0]).floor()).clamp(0, self.last[0])
    }

    #[inline]
    fn column(&self, w: f64) -> i64 {
        to_integer(((w - self.extent.w[0]) * self.per_metre[1]).floor()).clamp(0, self.last[1])
    }

    #[inline]
    fn bucket(&self, row: i64, column: i64) -> usize {
        usize::try_from(row * (self.last[1] + 1) + column).unwrap_or(0)
    }

    /// Visits the vertices of each bucket that an outline may intersect, sorted by tau.
    fn visit_near(
        &self,
        outline: &Outline,
        mut visit: impl FnMut(&[PartVertex]) -> Result<(), OutOfBudget>,
    ) -> Result<(), OutOfBudget> {
        let [low, high] = outline.rho;
        if high < self.extent.rho[0] || low > self.extent.rho[1] {
            return Ok(());
        }
        let (first, last) = (self.row(low), self.row(high));
        for row in first..=last {
            // The first and the last row also contain everything beyond them.
            let side = |i: i64| self.extent.rho[0] + i as f64 / self.per_metre[0];
            let from = if row == first || self.per_metre[0] == 0.0 { low } else { side(row) };
            let to = if row == last || self.per_metre[0] == 0.0 { high } else { side(row + 1) };
            let [left, right] = outline.w_range([from, to]);
            if left > self.extent.w[1] || right < self.extent.w[0] || left > right {
                continue;
            }
            for column in self.column(left)..=self.column(right) {
                let bucket = self.bucket(row, column);
                let (start, end) = (self.starts[bucket] as usize, self.starts[bucket + 1] as usize);
                if start < end {
                    visit(&self.vertices[start..end])?;
                }
            }
        }
        Ok(())
    }
}

/// The triangle of a face's corners on the screen.
#[derive(Debug)]
struct Outline {
    corners: [[f64; 2]; 3],
    /// How far the face may bulge out of the triangle, in rho and in w.
    bulge: [f64; 2],
    /// The range of the whole face.
    rho: [f64; 2],
    w: [f64; 2],
}

impl Outline {
    fn new(image: &FaceImage<'_>, margin: f64) -> Self {
        let corners = image.face.corners.map(|[rho, w]| [rho, w + image.shift.w]);
        // The margin covers rounding of the screen coordinates.
        let extent = image.extent.enlarged(margin);
        let bulge = image.face.bulge.map(|bulge| 1.001 * bulge + margin);
        Self { corners, bulge, rho: extent.rho, w: extent.w }
    }

    /// The range of w that the face may have for this range of rho.
    fn w_range(&self, [from, to]: [f64; 2]) -> [f64; 2] {
        let (from, to) = (from - self.bulge[0], to + self.bulge[0]);
        let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..3 {
            let (mut p, mut q) = (self.corners[i], self.corners[(i + 1) % 3]);
            if p[0] > q[0] {
                std::mem::swap(&mut p, &mut q);
            }
            if q[0] < from || p[0] > to {
                continue;
            }
            let at = |rho: f64| {
                let fraction = ((rho - p[0]) / (q[0] - p[0])).clamp(0.0, 1.0);
                p[1] + fraction * (q[1] - p[1])
            };
            let ends = if q[0] > p[0] { [at(from), at(to)] } else { [p[1], q[1]] };
            left = left.min(ends[0].min(ends[1]));
            right = right.max(ends[0].max(ends[1]));
        }
        // With an infinite bulge the result is the whole box.
        [(left - self.bulge[1]).max(self.w[0]), (right + self.bulge[1]).min(self.w[1])]
    }

    /// Whether a point may lie in the face.
    #[inline]
    fn may_contain(&self, [rho, w]: [f64; 2]) -> bool {
        if rho < self.rho[0] || rho > self.rho[1] || w < self.w[0] || w > self.w[1] {
            return false;
        }
        let (mut left, mut right) = (false, false);
        for i in 0..3 {
            let (p, q) = (self.corners[i], self.corners[(i + 1) % 3]);
            let (x, y) = (q[0] - p[0], q[1] - p[1]);
            let side = x * (w - p[1]) - y * (rho - p[0]);
            let margin = x.abs() * self.bulge[1] + y.abs() * self.bulge[0];
            left |= side > margin;
            right |= side < -margin;
        }
        !(left && right)
    }
}
