//! A uniform division of space, or of space and time, into cells, and the cells that a box covers.
//!
//! Sinjur, "Collision detection between moving objects using uniform space subdivision", 4.2: along each axis a cell
//! is as long as the average box. If sizes differ widely that rule fails, since one large box covers very many small
//! cells; the cells are then doubled in size until the boxes cover few enough.

/// Maximum number of cells along an axis, so that 16 bits number them.
const ALONG: f64 = 65535.0;

/// Lower and upper bounds along N axes.
pub(crate) type CellBounds<const N: usize> = [[f64; N]; 2];

/// The division of N axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct UniformCells<const N: usize> {
    origin: [f64; N],
    size: [f64; N],
    count: [f64; N],
}

/// The cells that a box covers: the first and the last along each axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CellRange<const N: usize> {
    first: [u16; N],
    last: [u16; N],
}

impl<const N: usize> UniformCells<N> {
    /// Cells of the average box size, over a space that contains all finite bounds of the boxes.
    pub(crate) fn average(boxes: impl Iterator<Item = CellBounds<N>> + Clone) -> Self {
        let along = |axis| finite(boxes.clone(), axis);
        let lo = |axis| along(axis).fold(f64::INFINITY, |lo, ends| lo.min(ends[0]));
        let hi = |axis| along(axis).fold(f64::NEG_INFINITY, |hi, ends| hi.max(ends[1]));
        let space = [std::array::from_fn(lo), std::array::from_fn(hi)];
        Self::average_within(boxes, space)
    }

    /// Cells of the average box size, over a given space.
    pub(crate) fn average_within(
        boxes: impl Iterator<Item = CellBounds<N>> + Clone,
        [lo, hi]: CellBounds<N>,
    ) -> Self {
        let mut cells = Self { origin: [0.0; N], size: [1.0; N], count: [1.0; N] };
        for (axis, (lo, hi)) in lo.into_iter().zip(hi).enumerate() {
            let (number, sum) =
                finite(boxes.clone(), axis).fold((0.0, 0.0), |(n, sum), [l, u]| (n + 1.0, sum + (u - l)));
            let range = hi - lo;
            let size = f64::max(sum / number, range / ALONG);
            // If the range is zero, or so large that it overflows, one cell contains everything.
            if range > 0.0 && range.is_finite() && size > 0.0 && size.is_finite() {
                cells.origin[axis] = lo;
                cells.size[axis] = size;
                cells.count[axis] = (range / size).ceil().clamp(1.0, ALONG);
            }
        }
        cells
    }

    /// Cells twice as large along each axis, over the same space.
    pub(crate) fn doubled(&self) -> Self {
        Self {
            origin: self.origin,
            size: self.size.map(|size| 2.0 * size),
            count: self.count.map(|count| (0.5 * count).ceil()),
        }
    }

    /// Number of cells along each axis.
    pub(crate) fn count(&self) -> [f64; N] {
        self.count
    }

    /// The cells that a box covers. Parts outside the space belong to the cells at its border. The cell number is
    /// monotone in the coordinate, so boxes that overlap share a cell despite rounding.
    pub(crate) fn cover(&self, [lower, upper]: &CellBounds<N>) -> CellRange<N> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held within [0, 65534]")]
        let place = |x: f64, axis: usize| {
            ((x - self.origin[axis]) / self.size[axis]).floor().clamp(0.0, self.count[axis] - 1.0) as u16
        };
        CellRange {
            first: std::array::from_fn(|axis| place(lower[axis], axis)),
            last: std::array::from_fn(|axis| place(upper[axis], axis)),
        }
    }
}

/// The bounds along an axis of the boxes that are finite along it.
fn finite<const N: usize>(
    boxes: impl Iterator<Item = CellBounds<N>> + Clone,
    axis: usize,
) -> impl Iterator<Item = [f64; 2]> {
    boxes.map(move |b| [b[0][axis], b[1][axis]]).filter(|ends| ends.iter().all(|x| x.is_finite()))
}

impl<const N: usize> CellRange<N> {
    /// Number of cells, as a float that cannot overflow.
    pub(crate) fn count(&self) -> f64 {
        (0..N).map(|axis| f64::from(self.last[axis]) - f64::from(self.first[axis]) + 1.0).product()
    }

    /// The cells of the range; the last axis varies fastest.
    pub(crate) fn cells(&self) -> impl Iterator<Item = [u16; N]> + use<N> {
        let Self { first, last } = *self;
        let after = move |mut cell: [u16; N]| {
            for axis in (0..N).rev() {
                if cell[axis] < last[axis] {
                    cell[axis] += 1;
                    return Some(cell);
                }
                cell[axis] = first[axis];
            }
            None
        };
        std::iter::successors(Some(first), move |cell| after(*cell))
    }

    /// The first cell that two covers share, if any: the pair is tested in that cell.
    #[inline]
    pub(crate) fn first_shared(&self, other: &Self) -> [u16; N] {
        std::array::from_fn(|axis| self.first[axis].max(other.first[axis]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_as_long_as_boxes_are_on_average() {
        let boxes = [[[0.0, 5.0], [1.0, 5.0]], [[7.0, 5.0], [10.0, 5.0]]];
        let cells = UniformCells::average(boxes.into_iter());
        assert_eq!((cells.size[0], cells.count), (2.0, [5.0, 1.0]));
        assert_eq!(cells.doubled().count(), [3.0, 1.0]);
        let cover = |lo: f64, hi: f64| cells.cover(&[[lo, 0.0], [hi, f64::INFINITY]]);
        assert_eq!(cover(3.9, 6.0), CellRange { first: [1, 0], last: [3, 0] });
        assert_eq!(cover(f64::NEG_INFINITY, 1e300), CellRange { first: [0, 0], last: [4, 0] });
        assert_eq!(cover(3.9, 6.0).cells().collect::<Vec<_>>(), [[1, 0], [2, 0], [3, 0]]);
        assert_eq!(cover(3.9, 6.0).first_shared(&cover(5.0, 9.0)), [2, 0]);
        assert_eq!(cover(3.9, 6.0).count(), 3.0);
    }

    #[test]
    fn each_cell_of_a_cover_is_visited_once() {
        let cover = CellRange { first: [3, 0, 7], last: [5, 1, 7] };
        let all: Vec<_> = cover.cells().collect();
        assert_eq!(all, [[3, 0, 7], [3, 1, 7], [4, 0, 7], [4, 1, 7], [5, 0, 7], [5, 1, 7]]);
        assert_eq!(cover.count(), 6.0);
    }
}
