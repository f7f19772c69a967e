//! The single error type of the engine: meaningless input.

use std::fmt;

/// Bad input to the engine: the fault, its location, and the value.
///
/// "Could not decide" is never an error but an [`Outcome`](crate::Outcome).
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    kind: ErrorKind,
    place: String,
}

/// The kind of fault.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A number that must be finite is not.
    NotFinite(f64),
    /// Bodies penetrate each other by more than the allowed depth, which is this number of metres.
    TooDeep(f64),
    /// A number is so large that its square overflows; coordinates must stay below 1e70.
    TooLarge(f64),
    /// A direction or quaternion has zero length.
    ZeroLength,
    /// A matrix is not a rigid transform; the text says why.
    NotRigid(&'static str),
    /// A vertex index is not below the number of vertices.
    IndexOutOfRange {
        /// The index found.
        index: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// A mesh has no triangles.
    NoTriangles,
    /// A mesh that must be closed is not: some edge does not have exactly two triangles.
    NotClosed,
    /// A mesh whose triangles must be consistently oriented has two triangles of opposite orientation at an edge.
    InconsistentOrientation {
        /// The vertices of the edge.
        edge: [u32; 2],
    },
    /// A piece of a mesh that must be closed, oriented outwards and convex is not.
    NotConvex {
        /// The number of the piece; pieces are ordered by their first triangles.
        piece: usize,
        /// The fault.
        fault: ConvexFault,
    },
    /// A size, tolerance or count is outside its range, which is given in words.
    OutOfRange {
        /// The value found.
        value: f64,
        /// The expected range, for example "greater than 0".
        expected: &'static str,
    },
    /// A joint value is outside its limits.
    BeyondLimits {
        /// The value found, in radians or metres.
        value: f64,
        /// The minimum and the maximum.
        limits: [f64; 2],
    },
    /// More elements than a 32-bit index can address.
    TooMany(usize),
    /// A source of frames cannot be read; the text says why.
    Unreadable(String),
    /// A query that is not supported for such bodies, in words.
    NotBuilt(&'static str),
}

/// The reason why a piece of a mesh is not a closed convex polyhedron oriented outwards. Edges and faces have their
/// numbers in the mesh; lengths are in its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ConvexFault {
    /// An edge does not have one triangle on each side for every piece.
    Open {
        /// The vertices of the edge.
        edge: [u32; 2],
        /// The number of triangles at the edge.
        triangles: usize,
    },
    /// The two triangles at an edge have opposite orientations.
    Turned {
        /// The vertices of the edge.
        edge: [u32; 2],
    },
    /// The faces at an edge form a dent.
    Dent {
        /// The vertices of the edge.
        edge: [u32; 2],
        /// The depth of the dent.
        depth: f64,
    },
    /// A vertex lies below the surface of the convex hull of the piece.
    Sunken {
        /// The vertex.
        vertex: u32,
        /// Its depth.
        depth: f64,
    },
    /// The faces are oriented inwards.
    InsideOut {
        /// The first of the faces.
        face: u32,
    },
    /// The piece lies in one plane.
    Flat {
        /// The first of the faces.
        face: u32,
    },
    /// The enclosed volume differs from the volume of the convex hull: a wide dent, or a surface that winds around
    /// its interior more than once.
    Volume {
        /// The enclosed volume.
        volume: f64,
        /// The volume of the convex hull.
        hull: f64,
    },
}

impl fmt::Display for ConvexFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { edge: [v, w], triangles: 1 } => write!(f, "it is open: edge {v}-{w} has 1 triangle"),
            Self::Open { edge: [v, w], triangles } => {
                write!(
                    f,
                    "it is not closed: edge {v}-{w} has {triangles} triangles, which do not belong together in twos"
                )
            }
            Self::Turned { edge: [v, w] } => {
                write!(f, "the triangles at edge {v}-{w} have opposite orientations")
            }
            Self::Dent { edge: [v, w], depth } => write!(f, "it has a dent {depth:.3e} deep at edge {v}-{w}"),
            Self::Sunken { vertex, depth } => {
                write!(f, "vertex {vertex} lies {depth:.3e} beneath its convex hull")
            }
            Self::InsideOut { face } => write!(f, "its faces are turned inwards, face {face} first"),
            Self::Flat { face } => write!(f, "it lies in one plane, face {face} first"),
            Self::Volume { volume, hull } => {
                write!(f, "it surrounds a volume of {volume:.6e}, and its convex hull one of {hull:.6e}")
            }
        }
    }
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: ErrorKind, place: impl Into<String>) -> Self {
        Self { kind, place: place.into() }
    }

    /// A number outside its range, as the `Err` result of a function.
    #[cold]
    pub(crate) fn out_of_range<T>(
        value: f64,
        expected: &'static str,
        place: impl Into<String>,
    ) -> Result<T, Self> {
        Err(Self::new(ErrorKind::OutOfRange { value, expected }, place))
    }

    /// The error of a source of frames ([`Frames`](crate::Frames)) that cannot read a frame: the place and the
    /// reason.
    #[cold]
    pub fn unreadable(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unreadable(reason.into()), place)
    }

    /// The kind of fault.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The location of the fault, for example `vertex 7`.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        match &self.kind {
            ErrorKind::NotFinite(value) => write!(f, "found {value}, expected a finite number"),
            ErrorKind::TooDeep(depth) => {
                write!(
                    f,
                    "found bodies that are deeper in each other than {depth} m, the depth that is allowed"
                )
            }
            ErrorKind::TooLarge(value) => write!(f, "found {value:e}, expected a magnitude below 1e70"),
            ErrorKind::NotRigid(what) => write!(f, "found a matrix {what}, expected a rigid one"),
            ErrorKind::ZeroLength => write!(f, "found zero length, expected a direction"),
            ErrorKind::IndexOutOfRange { index, vertices } => {
                write!(f, "found vertex index {index}, expected below {vertices}")
            }
            ErrorKind::NoTriangles => write!(f, "found no triangles, expected at least one"),
            ErrorKind::NotClosed => {
                write!(f, "found a mesh that is not closed, expected every edge to have two triangles")
            }
            ErrorKind::InconsistentOrientation { edge: [v, w] } => write!(
                f,
                "found triangles at edge {v}-{w} that have opposite orientations, expected all turned outwards"
            ),
            ErrorKind::NotConvex { piece, fault } => write!(
                f,
                "found piece {piece} that is not convex: {fault}; expected pieces that are closed, turned outwards and \
                 convex (to 1e-9 of their size)"
            ),
            // Scientific notation for large values, whose digits would not fit.
            ErrorKind::OutOfRange { value, expected } if value.abs() >= 1e16 && value.is_finite() => {
                write!(f, "found {value:e}, expected {expected}")
            }
            ErrorKind::OutOfRange { value, expected } => write!(f, "found {value}, expected {expected}"),
            ErrorKind::BeyondLimits { value, limits: [least, most] } => {
                write!(f, "found {value}, expected a value within its limits, {least} to {most}")
            }
            ErrorKind::Unreadable(reason) => write!(f, "{reason}"),
            ErrorKind::NotBuilt(what) => write!(f, "{what} not built"),
            ErrorKind::TooMany(count) => write!(f, "found {count} elements, expected at most 4294967295"),
        }
    }
}

impl std::error::Error for Error {}

/// Below this, products of four lengths, the largest that occur, stay finite.
const LARGEST: f64 = 1e70;

/// Checks that a number is finite and so small that its products do not overflow.
pub(crate) fn check_number(value: f64, place: impl FnOnce() -> String) -> Result<(), Error> {
    if !value.is_finite() {
        return Err(Error::new(ErrorKind::NotFinite(value), place()));
    }
    if value.abs() >= LARGEST {
        return Err(Error::new(ErrorKind::TooLarge(value), place()));
    }
    Ok(())
}

/// [`check_number`] for the three coordinates of a point or vector.
pub(crate) fn check_vector(value: glam::DVec3, place: impl Fn() -> String) -> Result<(), Error> {
    value.to_array().into_iter().try_for_each(|x| check_number(x, &place))
}

/// Refuses a number that is negative or not finite.
pub(crate) fn check_not_negative(value: f64, place: impl Into<String>) -> Result<(), Error> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Error::out_of_range(value, "a finite number, not negative", place)
}

/// Refuses a number that is not greater than 0, or not finite.
pub(crate) fn check_positive(value: f64, place: impl Into<String>) -> Result<(), Error> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Error::out_of_range(value, "a finite number greater than 0", place)
}
