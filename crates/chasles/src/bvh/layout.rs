//! The layout of a hierarchy: blocks of eight children, with each coordinate of all eight side by side.

/// Number of children of a block.
pub(crate) const WIDTH: usize = 8;

/// One number for each of eight children.
pub(crate) type Lanes = [f32; WIDTH];

/// No child.
pub(crate) const NONE: u32 = u32::MAX;

/// Flag in a child's number that marks a [`TriangleBlock`]; the other bits are the block's number.
pub(crate) const LEAF: u32 = 1 << 31;

/// Eight oriented boxes, some of whose corners are cut off. Child i contains the points c + s0 g0 + s1 g1 + s2 g2,
/// |s| <= 1, with centre c and axes g, the shortest last, subject to |s0 + s1| <= 1 + k0 and |s0 - s1| <= 1 + k1:
/// its projection along the shortest axis is an octagon. Without k it is a plain box, which contains the octagon.
///
/// All coordinates are relative to the mesh's centre, in units of the hierarchy's `unit`. Used children come first.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct BoxBlock {
    /// `centre[coordinate][child]`.
    pub(crate) centre: [Lanes; 3],
    /// `axes[axis][coordinate][child]`: half of each edge of the box.
    pub(crate) axes: [[Lanes; 3]; 3],
    /// k0 and k1: from 0, if a corner is cut off up to the middles of the edges, to 1, if it is not cut off.
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
    /// The unit of all coordinates, in metres: the smallest power of two that is at least the mesh's radius and at
    /// least 2^-1000; 1 for a point.
    pub(crate) unit: f64,
    /// The first block has one child, which contains all triangles.
    pub(crate) boxes: Vec<BoxBlock>,
    /// The leaves.
    pub(crate) triangles: Vec<TriangleBlock>,
}

/// 2^-1000: the reciprocal of a smaller unit would overflow.
pub(crate) const MIN_UNIT: f64 = f64::from_bits(23 << 52);
