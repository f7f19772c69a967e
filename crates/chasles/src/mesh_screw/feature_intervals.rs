//! The times at which features of two triangles can meet, in the chart.
//!
//! As for whole bounds, the intervals of (rho, u, z) and a slab are compared. Along the normal of a face, or across
//! two edges, features are flat, so the slab leaves little more than the time at which they are coplanar. The
//! intervals then decide whether they are near each other. Nine of ten pairs of features are excluded here, in 32
//! bits.

use crate::bvh::layout::Lanes;
use crate::math::lanes::{dot, dot_abs, max, min};
use crate::mesh_screw::chart::{ChartInterval, ChartMotion, between};
use crate::mesh_screw::charted::ChartedLane;

/// Two triangles in the chart, and the interval in which they can meet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FeatureIntervals<'a> {
    sweep: &'a ChartMotion,
    interval: ChartInterval,
    /// From the centre of A's triangle to the centre of B's.
    away: [f32; 3],
    /// The pads of both.
    loose: [f32; 3],
    /// The corners, relative to the centres: `corners[corner][coordinate]`.
    a: [[f32; 3]; 3],
    b: [[f32; 3]; 3],
    normal_a: [f32; 3],
    normal_b: [f32; 3],
    /// Whether nothing can be excluded: one triangle wraps so far around the axis that they can meet on either
    /// side.
    free: bool,
}

impl<'a> FeatureIntervals<'a> {
    #[inline]
    pub(crate) fn new(
        a: ChartedLane<'_>,
        b: ChartedLane<'_>,
        sweep: &'a ChartMotion,
        interval: ChartInterval,
    ) -> Self {
        let (ChartedLane { block: a, lane: i }, ChartedLane { block: b, lane: j }) = (a, b);
        let lane = |v: &[Lanes; 3], i: usize| [v[0][i], v[1][i], v[2][i]];
        let (centre_a, centre_b) = (lane(&a.centre, i), lane(&b.centre, j));
        let (pad_a, pad_b) = (lane(&a.pad, i), lane(&b.pad, j));
        let d = [0, 1, 2].map(|c| centre_b[c] - centre_a[c]);
        let arc = sweep.arc(interval);
        let away = [d[0], arc.nearest_period(d[1]), d[2]];
        Self {
            sweep,
            interval,
            away,
            loose: [0, 1, 2].map(|c| pad_a[c] + pad_b[c]),
            a: [0, 1, 2].map(|corner| lane(&a.generators[corner], i)),
            b: [0, 1, 2].map(|corner| lane(&b.generators[corner], j)),
            normal_a: lane(&a.normal, i),
            normal_b: lane(&b.normal, j),
            free: a.half[1][i] + b.half[1][j] >= arc.widest,
        }
    }

    /// The first time at which the triangles can meet.
    pub(crate) fn first(&self) -> f32 {
        self.interval.start
    }

    /// The times at which corner `i` of A can meet the triangle of B.
    #[inline]
    pub(crate) fn vertex_face(&self, i: usize) -> Option<ChartInterval> {
        self.hull_contact_times(|| self.normal_b, &[self.a[i]], &self.b)
    }

    /// The times at which the triangle of A can meet corner `j` of B.
    #[inline]
    pub(crate) fn face_vertex(&self, j: usize) -> Option<ChartInterval> {
        self.hull_contact_times(|| self.normal_a, &self.a, &[self.b[j]])
    }

    /// The times at which the edge of A from corner `i` to the next can meet the edge of B from corner `j` to the
    /// next.
    #[inline]
    pub(crate) fn edge_edge(&self, i: usize, j: usize) -> Option<ChartInterval> {
        let ([p, q], [r, s]) = ([self.a[i], self.a[NEXT[i]]], [self.b[j], self.b[NEXT[j]]]);
        let across = || {
            let (l, m) = ([q[0] - p[0], q[1] - p[1], q[2] - p[2]], [s[0] - r[0], s[1] - r[1], s[2] - r[2]]);
            [l[1] * m[2] - l[2] * m[1], l[2] * m[0] - l[0] * m[2], l[0] * m[1] - l[1] * m[0]]
        };
        self.hull_contact_times(across, &[p, q], &[r, s])
    }

    /// The times at which the hulls of some points of A and of B can meet. The direction along which they are flat
    /// is also tested.
    #[inline]
    fn hull_contact_times<const M: usize, const N: usize>(
        &self,
        flat: impl Fn() -> [f32; 3],
        a: &[[f32; 3]; M],
        b: &[[f32; 3]; N],
    ) -> Option<ChartInterval> {
        if self.free {
            return Some(self.interval);
        }
        let differences =
            |away: f32, loose: f32, (a_low, a_high): (f32, f32), (b_low, b_high): (f32, f32)| {
                (away + b_low - a_high - loose, away + b_high - a_low + loose)
            };
        let coordinate = |c: usize| {
            let (a, b) = (range(a.map(|p| p[c])), range(b.map(|p| p[c])));
            differences(self.away[c], self.loose[c], a, b)
        };
        let (low, high) = coordinate(0);
        if low > 0.0 || high < 0.0 {
            return None;
        }
        let clip = |interval: ChartInterval, (low, high): (f32, f32), inverse_speed: f32| {
            let ChartInterval { start, end } = between(low, high, inverse_speed);
            ChartInterval::new(max(interval.start, start), min(interval.end, end))
        };
        let [along_u, along_z] = self.sweep.inverse;
        let interval = clip(self.interval, coordinate(1), along_u);
        let interval = clip(interval, coordinate(2), along_z);
        if interval.start > interval.end {
            return None;
        }
        let n = flat();
        let (a, b) = (range(a.map(|p| dot(n, p))), range(b.map(|p| dot(n, p))));
        let (low, high) = differences(dot(n, self.away), dot_abs(n, self.loose), a, b);
        let (inverse_speed, loose) = self.sweep.along(n);
        let interval = clip(interval, (low - loose, high + loose), inverse_speed);
        (interval.start <= interval.end).then_some(interval)
    }
}

/// The corner after a corner.
const NEXT: [usize; 3] = [1, 2, 0];

#[inline]
fn range<const N: usize>(values: [f32; N]) -> (f32, f32) {
    let mut range = (values[0], values[0]);
    for value in &values[1..] {
        range = (min(range.0, *value), max(range.1, *value));
    }
    range
}
