//! The layout of a hierarchy: eight children a block, one coordinate of all eight side by side.

/// Children of a block.
pub(crate) const WIDTH: usize = 8;

/// One number for each of eight children.
pub(crate) type Lanes = [f32; WIDTH];

/// No child.
pub(crate) const NONE: u32 = u32::MAX;

/// Set in the number of a child that is a [`TriangleBlock`]; the rest is its number.
pub(crate) const LEAF: u32 = 1 << 31;

/// Eight oriented boxes without some of their corners. Child i holds the points c + s0 g0 + s1 g1 + s2 g2, |s| <= 1,
/// with c its centre and g its axes, the thinnest last, as far as |s0 + s1| <= 1 + k0 and |s0 - s1| <= 1 + k1: seen
/// along the thinnest axis it is an octagon. Users that want a plain box may leave k out.
///
/// All coordinates are relative to the mesh's centre, in units of the hierarchy's `unit`. Live children come first.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct BoxBlock {
    /// `centre[coordinate][child]`.
    pub(crate) centre: [Lanes; 3],
    /// `axes[axis][coordinate][child]`: half of each edge of the box.
    pub(crate) axes: [[Lanes; 3]; 3],
    /// k0 and k1, from 0, where a corner is cut off up to the middles of the edges, to 1, where it is there.
    pub(crate) octagon: [Lanes; 2],
    /// The block below each child, or [`NONE`].
    pub(crate) child: [u32; WIDTH],
}

/// Eight triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct TriangleBlock {
    /// `corners[corner][coordinate][triangle]`, rounded to nearest.
    pub(crate) corners: [[Lanes; 3]; 3],
    /// The triangle's number in the mesh, or [`NONE`].
    pub(crate) face: [u32; WIDTH],
}

const _: () = assert!(size_of::<BoxBlock>() == 480 && size_of::<TriangleBlock>() == 320);

/// A tree of boxes over the triangles of a mesh, eight children a block.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bvh {
    /// The unit of all coordinates, in metres: a power of two, at least the mesh's radius (and less than twice, but not
    /// below 2^-1000; 1 for a point).
    pub(crate) unit: f64,
    /// The first has one child, which holds everything.
    pub(crate) boxes: Vec<BoxBlock>,
    /// The leaves.
    pub(crate) triangles: Vec<TriangleBlock>,
}

/// 2^-1000: smaller units have no inverse.
pub(crate) const LEAST_UNIT: f64 = f64::from_bits(23 << 52);
