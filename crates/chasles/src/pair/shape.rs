//! The shape of a body: what is asked about it, and the mesh that shows it.

mod containment;
mod mass;
mod reach;
mod source;

use std::sync::{Arc, OnceLock};

use glam::DVec3;

use crate::body::{MeshSurface, PreparedMesh};
use crate::convex::pieces::ConvexPieces;
use crate::deformable::course::Vertices;
use crate::deformable::surface::DeformingSurface;
use crate::error::{Error, check_vector};
use crate::motion::carried::MovingBall;
use crate::round::at_origin;
use crate::round::support::RoundShape;
use crate::sets::cloud_mesh::{sheet, sphere_meshes};
use crate::sets::polygons::polygons;
use crate::sets::program::Program;
use crate::sets::samples::samples;
use crate::sets::tree::TreeSource;
use crate::sets::tree::cells::{Built, Interior, SolidOctree};
use crate::sets::tree::cloud::CloudTree;
use crate::sets::tree::whole::Whole;
use crate::sets::volume::number_of;
use crate::shape::pieces::Pieces;
use crate::shape::{Mesh, ParametricSurface, PartShape, PointCloud, Primitive, Solid, Tessellation};

pub use source::ShapeSource;

/// The shape of a body of a scene, ready for queries.
#[derive(Debug, Clone, PartialEq)]
pub struct CollisionShape {
    pub(super) kind: Kind,
    /// The mesh that shows the shape. That of a solid, a cloud or a parametric surface is made when it is first asked
    /// for: no search needs it.
    shown: Arc<Shown>,
    /// Of the true shape's bounding box, in metres.
    diagonal: f64,
    /// The least and the greatest coordinates: of a mesh, of the drawn mesh of a round body, of the true shape of all
    /// others.
    bounds: [DVec3; 2],
    /// What it was made as, where that is a primitive.
    primitive: Option<Primitive>,
    /// The convex pieces of a mesh that was said to have them.
    convex: Option<Arc<ConvexPieces>>,
    /// What trees are made of, once somebody asks: where the inside belongs to the body, and where it does not.
    sets: Arc<[MadeLater; 2]>,
    /// Its points, once somebody asks.
    sampled: Arc<SurfaceSamples>,
}

/// The mesh that shows a shape, once it is made, and how far the true surface may lie from it, in metres.
#[derive(Debug, Default)]
struct Shown(OnceLock<(Arc<PreparedMesh>, f64)>);

impl Shown {
    fn of(drawn: Arc<PreparedMesh>, deviation: f64) -> Arc<Self> {
        Arc::new(Self(OnceLock::from((drawn, deviation))))
    }
}

impl PartialEq for Shown {
    /// What is not made yet says nothing that the kind does not.
    fn eq(&self, other: &Self) -> bool {
        match (self.0.get(), other.0.get()) {
            (Some(own), Some(other)) => own == other,
            _ => true,
        }
    }
}

/// Where the true shape is, in the body's frame and in metres: within a ball, and within a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ShapeBounds {
    pub(crate) centre: DVec3,
    /// Of the ball about the centre, less `beyond`.
    pub(crate) radius: f64,
    /// Half of the size of the box about the centre, less `beyond`.
    pub(crate) half: DVec3,
    /// How far a round body may reach beyond the polyhedron that the other lengths are of.
    pub(crate) beyond: f64,
}

/// What was made when it was first asked for. It says nothing that the shape does not.
#[derive(Debug, Default)]
struct MadeLater(OnceLock<BuiltTree>);

impl PartialEq for MadeLater {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The points of a shape, with the bits of the spacing that was first asked for: all paths of a robot ask for the same.
#[derive(Debug, Default)]
struct SurfaceSamples(OnceLock<(Option<u64>, Option<CollisionShape>)>);

impl PartialEq for SurfaceSamples {
    /// They say nothing that the shape does not.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What a tree is made of.
#[derive(Debug)]
enum BuiltTree {
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
    Round(RoundShape, Primitive),
    /// A solid made of parts.
    Solid(Arc<Solid>),
    /// Points, each a ball.
    Cloud(Arc<PointCloud>),
    /// A surface given by formulas.
    Parametric(Arc<ParametricSurface>),
    /// A mesh whose vertices move on their own; where it is asked as it stands, it is in its first shape.
    Deforming(Arc<DeformingSurface>, Arc<Pieces>),
}

/// Points of a surface, at most.
const MOST_SAMPLES: usize = 200_000;

/// The value of a cell. An empty cell is filled. The value is made outside of the cell: making it may wait for other threads,
/// which may wait for the cell. Two threads may make it at once; it is the same.
fn get_or_make<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    match cell.get() {
        Some(made) => made,
        None => {
            let made = make();
            cell.get_or_init(|| made)
        }
    }
}

impl CollisionShape {
    /// A mesh, which any number of bodies may share.
    #[must_use]
    pub fn mesh(body: Arc<PreparedMesh>) -> Self {
        let kind = Kind::Mesh(Arc::new(Pieces::new(body.mesh())));
        let (diagonal, bounds) = (body.mesh().diagonal(), body.mesh().bounds());
        let shown = Shown::of(body, 0.0);
        Self {
            kind,
            shown,
            diagonal,
            bounds,
            primitive: None,
            convex: None,
            sets: Arc::default(),
            sampled: Arc::default(),
        }
    }

    /// A mesh whose pieces are closed, turned outwards and convex, as they are checked to be. In all else it is as
    /// [`Self::mesh`]; of two such bodies at one time, [`Scene::interpenetrations`](crate::Scene::interpenetrations)
    /// tells more.
    ///
    /// # Errors
    /// As [`ConvexPieces::of`].
    pub fn convex_mesh(body: Arc<PreparedMesh>) -> Result<Self, Error> {
        let convex = Some(Arc::new(ConvexPieces::of(body.mesh())?));
        Ok(Self { convex, ..Self::mesh(body) })
    }

    /// A box as [`Self::primitive`] makes it, with a convex piece as [`Self::convex_mesh`] has.
    ///
    /// # Errors
    /// As [`Self::primitive`].
    pub fn convex_box(size: DVec3) -> Result<Self, Error> {
        let shape = Self::primitive(Primitive::Box { size })?;
        let convex = Some(Arc::new(ConvexPieces::of(shape.drawn())?));
        Ok(Self { convex, ..shape })
    }

    /// A primitive. Round ones are tested as such; a polyhedron shows them.
    ///
    /// # Errors
    /// As [`Primitive::tessellate`].
    pub fn primitive(primitive: Primitive) -> Result<Self, Error> {
        let Tessellation { mesh, deviation } = primitive.tessellate()?;
        let kind = match RoundShape::of(&primitive).filter(|_| deviation > 0.0) {
            Some(round) => Kind::Round(round, primitive),
            None => Kind::Mesh(Arc::new(Pieces::new(&mesh))),
        };
        let (diagonal, bounds) = (2.0 * primitive.half_size().length(), mesh.bounds());
        let shown = Shown::of(Arc::new(PreparedMesh::new(mesh)), deviation);
        let primitive = Some(primitive);
        Ok(Self {
            kind,
            shown,
            diagonal,
            bounds,
            primitive,
            convex: None,
            sets: Arc::default(),
            sampled: Arc::default(),
        })
    }

    /// A solid made of parts. A grid of points shows it: what is smaller than a cell of the grid may not be seen.
    ///
    /// # Errors
    /// Bounds that are not finite.
    pub fn solid(solid: Arc<Solid>) -> Result<Self, Error> {
        let bounds = solid.bounds();
        Self::set(Kind::Solid(solid), bounds)
    }

    /// A cloud of points. A small polyhedron shows each of them; of more than 2,500 points only every k-th is shown.
    ///
    /// # Errors
    /// Bounds that are not finite or not below 1e70.
    pub fn cloud(cloud: Arc<PointCloud>) -> Result<Self, Error> {
        let bounds = cloud.bounds();
        Self::set(Kind::Cloud(cloud), bounds)
    }

    /// A surface given by formulas. A grid of some 4,000 cells shows it.
    ///
    /// # Errors
    /// A surface that has no bounds.
    pub fn parametric(surface: Arc<ParametricSurface>) -> Result<Self, Error> {
        let bounds = surface.bounds()?;
        Self::set(Kind::Parametric(surface), bounds)
    }

    /// A surface whose vertices move on their own. Its first shape shows it, and answers where no time is asked for.
    #[must_use]
    pub fn deforming(surface: Arc<DeformingSurface>) -> Self {
        let mesh = surface.mesh().clone();
        let bounds = surface.bounds();
        let kind = Kind::Deforming(surface, Arc::new(Pieces::new(&mesh)));
        let shown = Shown::of(Arc::new(PreparedMesh::new(mesh)), 0.0);
        let diagonal = bounds[0].distance(bounds[1]);
        Self {
            kind,
            shown,
            diagonal,
            bounds,
            primitive: None,
            convex: None,
            sets: Arc::default(),
            sampled: Arc::default(),
        }
    }

    /// The surface, where its vertices move on their own.
    #[must_use]
    pub fn deforming_surface(&self) -> Option<&Arc<DeformingSurface>> {
        match &self.kind {
            Kind::Deforming(surface, _) => Some(surface),
            _ => None,
        }
    }

    /// The vertices in the body's frame, where the shape is a mesh, standing or deforming.
    pub(crate) fn vertices(&self) -> Option<Vertices<'_>> {
        match &self.kind {
            Kind::Mesh(_) => Some(Vertices::Stay(self.drawn())),
            Kind::Deforming(surface, _) => Some(Vertices::Move(surface)),
            _ => None,
        }
    }

    fn set(kind: Kind, bounds: [DVec3; 2]) -> Result<Self, Error> {
        bounds.into_iter().try_for_each(|end| check_vector(end, || "bounds".into()))?;
        let diagonal = bounds[0].distance(bounds[1]);
        Ok(Self {
            kind,
            shown: Arc::default(),
            diagonal,
            bounds,
            primitive: None,
            convex: None,
            sets: Arc::default(),
            sampled: Arc::default(),
        })
    }

    fn display_mesh(&self) -> &(Arc<PreparedMesh>, f64) {
        get_or_make(&self.shown.0, || {
            let made = match &self.kind {
                Kind::Solid(solid) => picture(solid),
                Kind::Cloud(cloud) => sphere_meshes(cloud, self.diagonal),
                Kind::Parametric(surface) => sheet(surface, self.diagonal),
                Kind::Mesh(_) | Kind::Deforming(..) | Kind::Round(..) => None,
            };
            let Tessellation { mesh, deviation } = made.unwrap_or_else(|| cuboid(self.bounds));
            (Arc::new(PreparedMesh::new(mesh)), deviation)
        })
    }

    /// The mesh that shows the shape, with its hierarchy.
    pub(crate) fn drawn_body(&self) -> &Arc<PreparedMesh> {
        &self.display_mesh().0
    }

    /// Whether it is proven that there is no point at all in the shape: of a solid whose parts leave nothing. The
    /// search takes a bounded time, so that some are not found out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match (&self.kind, self.source(Interior::Solid)) {
            (Kind::Solid(_), TreeSource::Built(built)) => SolidOctree::bare(built).are_empty(),
            _ => false,
        }
    }

    /// The mesh that shows the shape: the mesh itself, a polyhedron whose vertices lie on a round surface, or a picture
    /// of a solid, a cloud or a parametric surface, which is made when it is first asked for. Where none can be made
    /// the bounding box shows the shape.
    #[must_use]
    pub fn drawn(&self) -> &Mesh {
        self.drawn_body().mesh()
    }

    /// How far any point of the true surface may lie from the mesh that shows it, in metres: a proven upper bound. It
    /// is 0 for meshes and boxes. The bound is coarse for solids: a few cells of a grid, and more for details that are
    /// too small for the grid. It may be as large as the cloud if only a part of its points is shown.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        self.display_mesh().1
    }

    /// The mesh with its hierarchy, where the shape is a mesh: what [`first_contact`](crate::first_contact) takes.
    #[must_use]
    pub fn body(&self) -> Option<&Arc<PreparedMesh>> {
        matches!(self.kind, Kind::Mesh(_)).then(|| self.drawn_body())
    }

    /// The convex pieces, where the shape was made of them.
    #[must_use]
    pub fn convex_pieces(&self) -> Option<&ConvexPieces> {
        self.convex.as_deref()
    }

    /// The primitive, where the shape is round.
    #[must_use]
    pub fn round_primitive(&self) -> Option<Primitive> {
        match self.kind {
            Kind::Round(_, primitive) => Some(primitive),
            _ => None,
        }
    }

    /// Whether both are one shape, made once.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shown, &other.shown)
    }

    /// What it was made as, where that is a primitive: a box, too.
    pub(crate) fn primitive_shape(&self) -> Option<Primitive> {
        self.primitive
    }

    /// What the shape is, in a word: `mesh` (a box, too), `sphere`, `cylinder`, `cone`, `capsule`, `solid`, `points`,
    /// `surface` (given by formulas of two parameters) or `deforming`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match &self.kind {
            Kind::Round(_, Primitive::Sphere { .. }) => "sphere",
            Kind::Round(_, Primitive::Cylinder { .. }) => "cylinder",
            Kind::Round(_, Primitive::Cone { .. }) => "cone",
            Kind::Round(_, Primitive::Capsule { .. }) => "capsule",
            Kind::Mesh(_) | Kind::Round(_, Primitive::Box { .. }) => "mesh",
            Kind::Deforming(..) => "deforming",
            Kind::Solid(_) => "solid",
            Kind::Cloud(_) => "points",
            Kind::Parametric(_) => "surface",
        }
    }

    /// The diagonal of the bounding box of the true shape, in metres.
    #[must_use]
    pub fn diagonal(&self) -> f64 {
        self.diagonal
    }

    /// The least and the greatest coordinates, in metres: of a solid, a cloud or a parametric surface those of a box that
    /// holds it; of a round primitive those of the polyhedron that shows it.
    #[must_use]
    pub fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    /// The points whose way matters, where the shape is followed as a set or beside another one as it is. A round body
    /// as it is goes where its core goes, however it spins; parts and points of a set turn with it.
    pub(crate) fn matter(&self, as_set: bool) -> MovingBall {
        match self.kind {
            Kind::Round(round, _) => {
                let radius = if as_set { round.radius() } else { round.core_radius() };
                MovingBall { centre: DVec3::ZERO, radius }
            }
            Kind::Mesh(_) | Kind::Solid(_) | Kind::Cloud(_) | Kind::Parametric(_) | Kind::Deforming(..) => {
                let ShapeBounds { centre, radius, .. } = self.extent();
                MovingBall { centre, radius }
            }
        }
    }

    /// The round surface, where it is one.
    pub(crate) fn round(&self) -> Option<RoundShape> {
        match self.kind {
            Kind::Round(round, _) => Some(round),
            Kind::Mesh(_) | Kind::Solid(_) | Kind::Cloud(_) | Kind::Parametric(_) | Kind::Deforming(..) => {
                None
            }
        }
    }

    /// Whether pairs with the shape are pairs of sets.
    pub(crate) fn is_set(&self) -> bool {
        matches!(self.kind, Kind::Solid(_) | Kind::Cloud(_) | Kind::Parametric(_))
    }

    /// The points of the shape as a cloud: the vertices of a mesh, a cloud itself, and points of any other surface no
    /// further apart than a spacing; `None` for these without a spacing.
    ///
    /// # Errors
    /// More than [`MOST_SAMPLES`] points.
    pub(crate) fn points(&self, spacing: Option<f64>) -> Result<Option<Self>, Error> {
        let wanted = spacing.map(f64::to_bits);
        if let Some((_, points)) = self.sampled.0.get().filter(|(known, _)| *known == wanted) {
            return Ok(points.clone());
        }
        let points = self.points_made(spacing)?;
        // Another spacing may have been asked for before: that one is kept.
        let _ = self.sampled.0.set((wanted, points.clone()));
        Ok(points)
    }

    fn points_made(&self, spacing: Option<f64>) -> Result<Option<Self>, Error> {
        let numbered = |points: Vec<DVec3>| -> Result<Option<Self>, Error> {
            let points: Vec<(u32, DVec3)> = (0..).zip(points).collect();
            if points.is_empty() {
                return Ok(None);
            }
            Ok(Some(Self::cloud(Arc::new(PointCloud::new(points, 0.0)?))?))
        };
        match (&self.kind, self.primitive, spacing) {
            (Kind::Cloud(_), ..) => Ok(Some(self.clone())),
            (Kind::Mesh(_) | Kind::Deforming(..), None, _) => {
                let mesh = self.drawn();
                numbered((0..number_of(mesh.vertex_count())).map(|v| mesh.vertex(v)).collect())
            }
            (_, _, None) => Ok(None),
            (_, _, Some(spacing)) => match samples(self.surface(), spacing, MOST_SAMPLES) {
                Some(points) => numbered(points),
                None => Error::out_of_range(
                    spacing,
                    "a spacing that gives each body no more than 200,000 points",
                    "spacing",
                ),
            },
        }
    }

    /// What a tree of the surface alone is made of.
    fn surface(&self) -> TreeSource<'_> {
        match self.primitive {
            // The triangles of a box cannot be cut.
            Some(_) => self.tree_source(Interior::Hollow),
            None => self.source(Interior::Hollow),
        }
    }

    /// Whether a turn about the z axis leaves the shape unchanged.
    pub(crate) fn is_turned_about_z(&self) -> bool {
        matches!(self.kind, Kind::Round(..))
    }

    /// Whether the surface is closed, so that something can be inside.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        match self.kind {
            Kind::Mesh(_) => self.drawn().around().is_closed(),
            Kind::Round(..) | Kind::Solid(_) => true,
            // What is closed at one time is closed at all times, but is no solid.
            Kind::Cloud(_) | Kind::Parametric(_) | Kind::Deforming(..) => false,
        }
    }

    /// Whether the inside belongs to a body that says nothing about it.
    pub(crate) fn interior(&self) -> Interior {
        match self.kind {
            Kind::Mesh(_) | Kind::Deforming(..) | Kind::Round(..) | Kind::Parametric(_) => Interior::Hollow,
            Kind::Solid(_) | Kind::Cloud(_) => Interior::Solid,
        }
    }

    /// What a tree of the body is made of.
    pub(crate) fn source(&self, filling: Interior) -> TreeSource<'_> {
        match (&self.kind, filling) {
            (Kind::Mesh(_) | Kind::Deforming(..), Interior::Hollow) => {
                return TreeSource::Faces(self.drawn_body());
            }
            (Kind::Parametric(surface), _) => return TreeSource::Patch(surface),
            _ => {}
        }
        self.tree_source(filling)
    }

    fn tree_source(&self, filling: Interior) -> TreeSource<'_> {
        match get_or_make(&self.sets[usize::from(filling == Interior::Hollow)].0, || self.tree(filling)) {
            BuiltTree::Whole(whole) => TreeSource::Whole(whole),
            BuiltTree::Built(built) => TreeSource::Built(built),
            BuiltTree::Cloud(cloud) => TreeSource::Cloud(cloud),
        }
    }

    fn tree(&self, filling: Interior) -> BuiltTree {
        match &self.kind {
            Kind::Cloud(cloud) => return BuiltTree::Cloud(CloudTree::new(cloud)),
            Kind::Solid(solid) => {
                return BuiltTree::Built(Box::new(Built::new(Program::new(solid), solid.bounds(), filling)));
            }
            Kind::Mesh(_) | Kind::Deforming(..) | Kind::Parametric(_) | Kind::Round(..) => {}
        }
        match self.primitive {
            Some(primitive) if filling == Interior::Solid => BuiltTree::Whole(Whole(primitive)),
            Some(primitive) => {
                let half = primitive.half_size();
                BuiltTree::Built(Box::new(Built::new(Program::primitive(&primitive), [-half, half], filling)))
            }
            None => {
                let program = Program::mesh(Arc::clone(self.drawn_body()));
                BuiltTree::Built(Box::new(Built::new(program, self.bounds, filling)))
            }
        }
    }

    /// Equal for two shapes that have the same surface because they are clones of each other, or of one mesh.
    pub(crate) fn identity(&self) -> *const () {
        match &self.kind {
            Kind::Mesh(_) | Kind::Round(..) => Arc::as_ptr(self.drawn_body()).cast(),
            Kind::Solid(solid) => Arc::as_ptr(solid).cast(),
            Kind::Cloud(cloud) => Arc::as_ptr(cloud).cast(),
            Kind::Parametric(surface) => Arc::as_ptr(surface).cast(),
            Kind::Deforming(surface, _) => Arc::as_ptr(surface).cast(),
        }
    }

    /// The point that is furthest along a direction; of the bounding box of what is no mesh and not round.
    pub(crate) fn support(&self, n: DVec3) -> DVec3 {
        match self.kind {
            Kind::Solid(_) | Kind::Cloud(_) | Kind::Parametric(_) | Kind::Deforming(..) => {
                let [least, greatest] = self.bounds;
                DVec3::select(n.cmpge(DVec3::ZERO), greatest, least)
            }
            Kind::Mesh(ref pieces) => MeshSurface { body: self.drawn_body(), pieces }.support(n),
            Kind::Round(round, _) => at_origin(round).support(n),
        }
    }
}

/// The mesh that shows a solid: itself, where it is one mesh, one height field or one primitive.
fn picture(solid: &Solid) -> Option<Tessellation> {
    let part = solid.parts().last()?;
    let itself = match &part.shape {
        PartShape::Mesh(mesh) => Some((Arc::clone(mesh), 0.0)),
        PartShape::Heights(field) => Some((Arc::clone(field.mesh()), 0.0)),
        PartShape::Primitive(primitive) => {
            let Tessellation { mesh, deviation } = primitive.tessellate().ok()?;
            Some((Arc::new(mesh), deviation))
        }
        _ => None,
    };
    let Some((mesh, deviation)) = itself else { return polygons(&Program::new(solid), solid.bounds()) };
    let count = u32::try_from(mesh.vertex_count()).ok()?;
    let vertices = (0..count).map(|v| part.pose.transform_point(part.scale * mesh.vertex(v))).collect();
    let mesh = Mesh::new(vertices, mesh.triangles().to_vec()).ok()?;
    Some(Tessellation { mesh, deviation: part.scale * deviation })
}

/// The box that shows what nothing else can.
fn cuboid([least, greatest]: [DVec3; 2]) -> Tessellation {
    let corner = |n: u32| {
        let side = |bit: u32| n & (1 << bit) != 0;
        DVec3::select(glam::BVec3::new(side(0), side(1), side(2)), greatest, least)
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.into_iter().flat_map(|[p, q, r, s]| [[p, q, r], [p, r, s]]).collect();
    let mesh = Mesh::new((0..8).map(corner).collect(), triangles).expect("bounds were checked");
    // Nothing in a box is further from its surface.
    Tessellation { mesh, deviation: 0.5 * (greatest - least).min_element() * (1.0 + 1e-9) }
}

#[cfg(test)]
mod tests;
