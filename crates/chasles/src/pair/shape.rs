//! The shape of a body: what is asked about it, and the mesh that shows it.

use std::sync::{Arc, OnceLock};

use glam::DVec3;

use crate::body::Body;
use crate::error::Error;
use crate::instant::inside::{Location, is_inside};
use crate::motion::Pose;
use crate::motion::carried::Matter;
use crate::round::at_origin;
use crate::round::support::Round;
use crate::shape::pieces::Pieces;
use crate::shape::{Mesh, MeshFacts, ParametricSurface, PointCloud, Primitive, Solid, Tessellation};
use crate::solid::cells::{Built, Filling};
use crate::solid::cloud::CloudTree;
use crate::solid::program::Program;
use crate::solid::tree::Source;
use crate::solid::whole::Whole;

/// The shape of a body of a scene, ready for queries.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneShape {
    pub(super) kind: Kind,
    /// Shows the shape, and stands in for it where only bounds are asked.
    pub(super) drawn: Arc<Body>,
    /// How far the true surface may lie from what is drawn, in metres.
    deviation: f64,
    /// Of the true shape's bounding box, in metres.
    diagonal: f64,
    /// The least and the greatest coordinates of the drawn mesh.
    bounds: [DVec3; 2],
    /// What it was made as, where that is a primitive.
    primitive: Option<Primitive>,
    /// What trees are made of, once somebody asks: where the inside belongs to the body, and where it does not.
    sets: Arc<[Remembered; 2]>,
}

/// What was made when it was first asked for. It says nothing that the shape does not.
#[derive(Debug, Default)]
struct Remembered(OnceLock<Made>);

impl PartialEq for Remembered {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What a tree is made of.
#[derive(Debug)]
enum Made {
    Whole(Whole),
    Built(Box<Built>),
    Cloud(CloudTree),
}

/// What is asked where bodies may meet.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// The mesh that is drawn.
    Mesh(Arc<Pieces>),
    /// The true round surface.
    Round(Round, Primitive),
    /// A solid made of parts.
    Solid(Arc<Solid>),
    /// Points, each a ball.
    Cloud(Arc<PointCloud>),
    /// A surface given by formulas.
    Parametric(Arc<ParametricSurface>),
}

impl SceneShape {
    /// A mesh, which any number of bodies may share.
    #[must_use]
    pub fn mesh(body: Arc<Body>) -> Self {
        let kind = Kind::Mesh(Arc::new(Pieces::new(body.mesh())));
        let (diagonal, bounds) = (body.mesh().diagonal(), body.mesh().bounds());
        Self { kind, drawn: body, deviation: 0.0, diagonal, bounds, primitive: None, sets: Arc::default() }
    }

    /// A primitive. Round ones are tested as such; a polyhedron shows them.
    ///
    /// # Errors
    /// As [`Primitive::tessellate`].
    pub fn primitive(primitive: Primitive) -> Result<Self, Error> {
        let Tessellation { mesh, deviation } = primitive.tessellate()?;
        let kind = match Round::of(&primitive).filter(|_| deviation > 0.0) {
            Some(round) => Kind::Round(round, primitive),
            None => Kind::Mesh(Arc::new(Pieces::new(&mesh))),
        };
        let (diagonal, bounds) = (2.0 * primitive.half_size().length(), mesh.bounds());
        let drawn = Arc::new(Body::new(mesh));
        let primitive = Some(primitive);
        Ok(Self { kind, drawn, deviation, diagonal, bounds, primitive, sets: Arc::default() })
    }

    /// A solid made of parts.
    ///
    /// # Errors
    /// Bounds without a size.
    pub fn solid(solid: Arc<Solid>) -> Result<Self, Error> {
        let bounds = solid.bounds();
        Self::shown_by_box(Kind::Solid(solid), bounds)
    }

    /// A cloud of points.
    ///
    /// # Errors
    /// As [`Mesh::new`].
    pub fn cloud(cloud: Arc<PointCloud>) -> Result<Self, Error> {
        let bounds = cloud.bounds();
        Self::shown_by_box(Kind::Cloud(cloud), bounds)
    }

    /// A surface given by formulas.
    ///
    /// # Errors
    /// A surface that has no bounds.
    pub fn parametric(surface: Arc<ParametricSurface>) -> Result<Self, Error> {
        let bounds = surface.bounds()?;
        Self::shown_by_box(Kind::Parametric(surface), bounds)
    }

    fn shown_by_box(kind: Kind, bounds: [DVec3; 2]) -> Result<Self, Error> {
        let corner = |n: u32| {
            let side = |bit: u32| usize::from(n & (1 << bit) != 0);
            DVec3::new(bounds[side(0)].x, bounds[side(1)].y, bounds[side(2)].z)
        };
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.into_iter().flat_map(|[p, q, r, s]| [[p, q, r], [p, r, s]]).collect();
        let mesh = Mesh::new((0..8).map(corner).collect(), triangles)?;
        let diagonal = bounds[0].distance(bounds[1]);
        let drawn = Arc::new(Body::new(mesh));
        Ok(Self { kind, drawn, deviation: 0.0, diagonal, bounds, primitive: None, sets: Arc::default() })
    }

    /// The mesh that shows the shape: the mesh itself, or a polyhedron whose vertices lie on a round surface.
    #[must_use]
    pub fn drawn(&self) -> &Mesh {
        self.drawn.mesh()
    }

    /// How far the true surface may lie from the mesh that shows it, in metres; 0 for meshes and boxes.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// The mesh with its hierarchy, where the shape is a mesh: what [`first_contact`](crate::first_contact) takes.
    #[must_use]
    pub fn body(&self) -> Option<&Arc<Body>> {
        matches!(self.kind, Kind::Mesh(_)).then_some(&self.drawn)
    }

    /// The primitive, where the shape is round.
    #[must_use]
    pub fn round_primitive(&self) -> Option<Primitive> {
        match self.kind {
            Kind::Round(_, primitive) => Some(primitive),
            _ => None,
        }
    }

    /// The diagonal of the bounding box of the true shape, in metres.
    pub(crate) fn diagonal(&self) -> f64 {
        self.diagonal
    }

    /// The least and the greatest coordinates of the mesh that shows the shape; the true surface lies within the
    /// deviation of these.
    pub(crate) fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    /// The points whose way matters to the surface.
    pub(crate) fn matter(&self) -> Matter {
        match self.kind {
            Kind::Mesh(_) | Kind::Solid(_) | Kind::Cloud(_) | Kind::Parametric(_) => {
                Matter { centre: self.drawn().centre(), radius: self.drawn().radius() }
            }
            Kind::Round(round, _) => Matter { centre: DVec3::ZERO, radius: round.core_radius() },
        }
    }

    /// Whether a turn about the z axis leaves the shape unchanged.
    pub(crate) fn is_turned_about_z(&self) -> bool {
        matches!(self.kind, Kind::Round(..))
    }

    /// Whether the surface is closed, so that something can be inside.
    pub(crate) fn is_closed(&self) -> bool {
        match self.kind {
            Kind::Mesh(_) => MeshFacts::of(self.drawn()).closed,
            Kind::Round(..) | Kind::Solid(_) => true,
            Kind::Cloud(_) | Kind::Parametric(_) => false,
        }
    }

    /// Whether the inside belongs to a body that says nothing about it.
    pub(crate) fn filling(&self) -> Filling {
        match self.kind {
            Kind::Mesh(_) | Kind::Round(..) | Kind::Parametric(_) => Filling::Hollow,
            Kind::Solid(_) | Kind::Cloud(_) => Filling::Solid,
        }
    }

    /// What a tree of the body is made of.
    pub(crate) fn source(&self, filling: Filling) -> Source<'_> {
        match (&self.kind, filling) {
            (Kind::Mesh(_), Filling::Hollow) => return Source::Faces(&self.drawn),
            (Kind::Parametric(surface), _) => return Source::Patch(surface),
            _ => {}
        }
        match self.sets[usize::from(filling == Filling::Hollow)].0.get_or_init(|| self.made(filling)) {
            Made::Whole(whole) => Source::Whole(whole),
            Made::Built(built) => Source::Built(built),
            Made::Cloud(cloud) => Source::Cloud(cloud),
        }
    }

    fn made(&self, filling: Filling) -> Made {
        match &self.kind {
            Kind::Cloud(cloud) => return Made::Cloud(CloudTree::new(cloud)),
            Kind::Solid(solid) => {
                return Made::Built(Box::new(Built::new(Program::new(solid), solid.bounds(), filling)));
            }
            Kind::Mesh(_) | Kind::Parametric(_) | Kind::Round(..) => {}
        }
        match self.primitive {
            Some(primitive) if filling == Filling::Solid => Made::Whole(Whole(primitive)),
            Some(primitive) => {
                let half = primitive.half_size();
                Made::Built(Box::new(Built::new(Program::primitive(&primitive), [-half, half], filling)))
            }
            None => {
                let program = Program::mesh(Arc::clone(&self.drawn));
                Made::Built(Box::new(Built::new(program, self.bounds, filling)))
            }
        }
    }

    /// Equal for two shapes that have the same surface because they are clones of each other, or of one mesh.
    pub(crate) fn identity(&self) -> *const Body {
        Arc::as_ptr(&self.drawn)
    }

    /// The point that is furthest along a direction.
    pub(crate) fn furthest(&self, n: DVec3) -> DVec3 {
        match self.kind {
            Kind::Mesh(_) | Kind::Solid(_) | Kind::Cloud(_) | Kind::Parametric(_) => {
                let mesh = self.drawn();
                let points = mesh.triangles().iter().flatten().map(|v| mesh.local()[*v as usize]);
                let first = points.max_by(|p, q| p.dot(n).total_cmp(&q.dot(n)));
                first.unwrap_or(DVec3::ZERO) + mesh.centre()
            }
            Kind::Round(round, _) => at_origin(round).support(n),
        }
    }

    /// Whether any piece of the surface of another shape, at a pose in the frame of this one, is wholly inside this
    /// body. The surfaces must not intersect.
    pub(crate) fn contains(&self, other: &Self, pose: &Pose) -> bool {
        self.contains_any(other, pose, usize::MAX)
    }

    /// The same for at most `most` pieces. One is enough if the other shape is inside as a whole.
    pub(crate) fn contains_any(&self, other: &Self, pose: &Pose, most: usize) -> bool {
        let is_within = |point: DVec3| match self.kind {
            Kind::Mesh(_) => is_inside(&self.drawn, point) == Location::Inside,
            Kind::Round(round, _) => at_origin(round).signed_distance(point).0 < 0.0,
            // Pairs with these are followed as sets: what is inside of them meets them.
            Kind::Solid(_) | Kind::Cloud(_) | Kind::Parametric(_) => false,
        };
        match &other.kind {
            Kind::Mesh(pieces) => {
                let centre = other.drawn().centre();
                (0..pieces.count().min(most))
                    .any(|piece| is_within(pose.transform_point(centre + pieces.outermost(piece)[0])))
            }
            Kind::Solid(_) | Kind::Cloud(_) | Kind::Parametric(_) => false,
            // Any point of its surface.
            Kind::Round(round, _) => is_within(pose.transform_point(at_origin(*round).support(DVec3::Z))),
        }
    }
}
