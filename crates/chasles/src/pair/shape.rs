//! The shape of a body, and the mesh that displays it.

mod containment;
mod mass;
mod reach;
mod source;

use std::sync::{Arc, OnceLock};

use glam::DVec3;

use crate::body::{MeshSurface, PreparedMesh};
use crate::convex::pieces::ConvexPieces;
use crate::deformable::moving_mesh::Vertices;
use crate::deformable::surface::DeformingSurface;
use crate::error::{Error, check_vector};
use crate::motion::chain::MovingBall;
use crate::round::at_origin;
use crate::round::support::RoundShape;
use crate::sets::cloud_mesh::{sheet, sphere_meshes};
use crate::sets::polygons::polygons;
use crate::sets::program::Program;
use crate::sets::samples::samples;
use crate::sets::tree::TreeSource;
use crate::sets::tree::cells::{Interior, PreparedSolid, SolidOctree};
use crate::sets::tree::cloud::CloudTree;
use crate::sets::tree::convex_primitive::ConvexPrimitive;
use crate::sets::volume::number_of;
use crate::shape::pieces::Pieces;
use crate::shape::{Mesh, ParametricSurface, PartShape, PointCloud, Primitive, Solid, Tessellation};

pub use source::ShapeSource;

/// The shape of a body of a scene, ready for queries.
#[derive(Debug, Clone, PartialEq)]
pub struct CollisionShape {
    pub(super) kind: Kind,
    /// Displays the shape. For a solid, cloud or parametric surface, built on first use because no search needs it.
    shown: Arc<Shown>,
    /// The diagonal of the true shape's bounding box, in metres.
    diagonal: f64,
    /// Minimum and maximum coordinates: of a mesh, of the drawn mesh of a round body, otherwise of the true shape.
    bounds: [DVec3; 2],
    /// The primitive that the shape was made from, if any.
    primitive: Option<Primitive>,
    /// The convex pieces, if the mesh was declared convex.
    convex: Option<Arc<ConvexPieces>>,
    /// The tree sources, built on first use: with the interior, and of the surface alone.
    sets: Arc<[LazyTree; 2]>,
    /// Points on the surface, computed on first use.
    sampled: Arc<SurfaceSamples>,
}

/// The mesh that displays a shape, once built, and the maximum distance of the true surface from it, in metres.
#[derive(Debug, Default)]
struct Shown(OnceLock<(Arc<PreparedMesh>, f64)>);

impl Shown {
    fn of(drawn: Arc<PreparedMesh>, deviation: f64) -> Arc<Self> {
        Arc::new(Self(OnceLock::from((drawn, deviation))))
    }
}

impl PartialEq for Shown {
    /// A mesh that is not built yet counts as equal, because the kind determines the mesh.
    fn eq(&self, other: &Self) -> bool {
        match (self.0.get(), other.0.get()) {
            (Some(this), Some(other)) => this == other,
            _ => true,
        }
    }
}

/// The region that contains the true shape, in the body's frame and in metres: a sphere, and a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ShapeBounds {
    pub(crate) centre: DVec3,
    /// Radius of the sphere about the centre, without `beyond`.
    pub(crate) radius: f64,
    /// Half of the size of the box about the centre, without `beyond`.
    pub(crate) half: DVec3,
    /// How far a round body may extend beyond the polyhedron that the other lengths describe.
    pub(crate) beyond: f64,
}

/// A value built on first use. The shape determines it, so all values compare equal.
#[derive(Debug, Default)]
struct LazyTree(OnceLock<BuiltTree>);

impl PartialEq for LazyTree {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The points of a shape, with the bits of the first spacing requested. All paths of a robot request the same spacing.
#[derive(Debug, Default)]
struct SurfaceSamples(OnceLock<(Option<u64>, Option<CollisionShape>)>);

impl PartialEq for SurfaceSamples {
    /// The shape determines the points.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The source of a tree.
#[derive(Debug)]
enum BuiltTree {
    Whole(ConvexPrimitive),
    Built(Box<PreparedSolid>),
    Cloud(CloudTree),
}

/// The representation of a shape in searches for contact.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// The drawn mesh.
    Mesh(Arc<Pieces>),
    /// The true curved surface.
    Round(RoundShape, Primitive),
    /// A solid made of parts.
    Solid(Arc<Solid>),
    /// Points, each a sphere.
    Cloud(Arc<PointCloud>),
    /// A surface given by formulas.
    Parametric(Arc<ParametricSurface>),
    /// A mesh whose vertices move independently. Queries without a time use its first shape.
    Deforming(Arc<DeformingSurface>, Arc<Pieces>),
}

/// Maximum number of sample points of a surface.
const MAX_SAMPLES: usize = 200_000;

/// The value of a cell, filled if empty. The value is made outside the cell, because making it may wait for threads
/// that wait for the cell. Two threads may make it at once, with equal results.
fn get_or_make<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    match cell.get() {
        Some(built) => built,
        None => {
            let built = make();
            cell.get_or_init(|| built)
        }
    }
}

impl CollisionShape {
    fn new(kind: Kind, shown: Arc<Shown>, diagonal: f64, bounds: [DVec3; 2]) -> Self {
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

    /// A mesh, which any number of bodies may share.
    #[must_use]
    pub fn mesh(body: Arc<PreparedMesh>) -> Self {
        let kind = Kind::Mesh(Arc::new(Pieces::new(body.mesh())));
        let (diagonal, bounds) = (body.mesh().diagonal(), body.mesh().bounds());
        let shown = Shown::of(body, 0.0);
        Self::new(kind, shown, diagonal, bounds)
    }

    /// A mesh whose pieces are closed, oriented outwards and convex; this is checked. Otherwise it is the same as
    /// [`Self::mesh`], but [`Scene::interpenetrations`](crate::Scene::interpenetrations) reports more for two such
    /// bodies.
    ///
    /// # Errors
    /// As [`ConvexPieces::of`].
    pub fn convex_mesh(body: Arc<PreparedMesh>) -> Result<Self, Error> {
        let convex = Some(Arc::new(ConvexPieces::of(body.mesh())?));
        Ok(Self { convex, ..Self::mesh(body) })
    }

    /// A box as in [`Self::primitive`], with a convex piece as in [`Self::convex_mesh`].
    ///
    /// # Errors
    /// As [`Self::primitive`].
    pub fn convex_box(size: DVec3) -> Result<Self, Error> {
        let shape = Self::primitive(Primitive::Box { size })?;
        let convex = Some(Arc::new(ConvexPieces::of(shape.drawn())?));
        Ok(Self { convex, ..shape })
    }

    /// A primitive. A round primitive is tested exactly; a polyhedron displays it.
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
        Ok(Self { primitive: Some(primitive), ..Self::new(kind, shown, diagonal, bounds) })
    }

    /// A solid made of parts. A grid of points displays it, so details smaller than a cell may be invisible.
    ///
    /// # Errors
    /// Bounds that are not finite.
    pub fn solid(solid: Arc<Solid>) -> Result<Self, Error> {
        let bounds = solid.bounds();
        Self::set(Kind::Solid(solid), bounds)
    }

    /// A cloud of points. A small polyhedron displays each point; with more than 2,500 points, every k-th is displayed.
    ///
    /// # Errors
    /// Bounds that are not finite or not below 1e70.
    pub fn cloud(cloud: Arc<PointCloud>) -> Result<Self, Error> {
        let bounds = cloud.bounds();
        Self::set(Kind::Cloud(cloud), bounds)
    }

    /// A surface given by formulas. A grid of some 4,000 cells displays it.
    ///
    /// # Errors
    /// A surface that has no bounds.
    pub fn parametric(surface: Arc<ParametricSurface>) -> Result<Self, Error> {
        let bounds = surface.bounds()?;
        Self::set(Kind::Parametric(surface), bounds)
    }

    /// A surface whose vertices move independently. Its first shape displays it, and answers queries without a time.
    #[must_use]
    pub fn deforming(surface: Arc<DeformingSurface>) -> Self {
        let mesh = surface.mesh().clone();
        let bounds = surface.bounds();
        let kind = Kind::Deforming(surface, Arc::new(Pieces::new(&mesh)));
        let shown = Shown::of(Arc::new(PreparedMesh::new(mesh)), 0.0);
        let diagonal = bounds[0].distance(bounds[1]);
        Self::new(kind, shown, diagonal, bounds)
    }

    /// The surface, if its vertices move independently.
    #[must_use]
    pub fn deforming_surface(&self) -> Option<&Arc<DeformingSurface>> {
        match &self.kind {
            Kind::Deforming(surface, _) => Some(surface),
            _ => None,
        }
    }

    /// The vertices in the body's frame, if the shape is a static or deforming mesh.
    pub(crate) fn vertices(&self) -> Option<Vertices<'_>> {
        match &self.kind {
            Kind::Mesh(_) => Some(Vertices::Static(self.drawn())),
            Kind::Deforming(surface, _) => Some(Vertices::Deforming(surface)),
            _ => None,
        }
    }

    fn set(kind: Kind, bounds: [DVec3; 2]) -> Result<Self, Error> {
        bounds.into_iter().try_for_each(|end| check_vector(end, || "bounds".into()))?;
        let diagonal = bounds[0].distance(bounds[1]);
        Ok(Self::new(kind, Arc::default(), diagonal, bounds))
    }

    fn display_mesh(&self) -> &(Arc<PreparedMesh>, f64) {
        get_or_make(&self.shown.0, || {
            let built = match &self.kind {
                Kind::Solid(solid) => picture(solid),
                Kind::Cloud(cloud) => sphere_meshes(cloud, self.diagonal),
                Kind::Parametric(surface) => sheet(surface, self.diagonal),
                Kind::Mesh(_) | Kind::Deforming(..) | Kind::Round(..) => None,
            };
            let Tessellation { mesh, deviation } = built.unwrap_or_else(|| cuboid(self.bounds));
            (Arc::new(PreparedMesh::new(mesh)), deviation)
        })
    }

    /// The mesh that displays the shape, with its hierarchy.
    pub(crate) fn drawn_body(&self) -> &Arc<PreparedMesh> {
        &self.display_mesh().0
    }

    /// Whether the shape is proven to contain no point, as for a solid whose parts cancel out. The search takes a
    /// bounded time, so it does not find every empty solid.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match (&self.kind, self.source(Interior::Solid)) {
            (Kind::Solid(_), TreeSource::Solid(built)) => SolidOctree::bare(built).are_empty(),
            _ => false,
        }
    }

    /// The mesh that displays the shape: the mesh itself, a polyhedron with its vertices on a round surface, or a
    /// mesh of a solid, a cloud or a parametric surface, which is built on first use. If no mesh can be built, it is
    /// the bounding box.
    #[must_use]
    pub fn drawn(&self) -> &Mesh {
        self.drawn_body().mesh()
    }

    /// Maximum distance of the true surface from the mesh that displays it, in metres: a proven upper bound. It is 0
    /// for meshes and boxes, coarse for solids (a few cells of a grid, more for details too small for the grid), and
    /// possibly as large as the cloud if only a part of its points is displayed.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        self.display_mesh().1
    }

    /// The mesh with its hierarchy, if the shape is a mesh: the input of [`first_contact`](crate::first_contact).
    #[must_use]
    pub fn body(&self) -> Option<&Arc<PreparedMesh>> {
        matches!(self.kind, Kind::Mesh(_)).then(|| self.drawn_body())
    }

    /// The convex pieces, if the shape was made with them.
    #[must_use]
    pub fn convex_pieces(&self) -> Option<&ConvexPieces> {
        self.convex.as_deref()
    }

    /// The primitive, if the shape is round.
    #[must_use]
    pub fn round_primitive(&self) -> Option<Primitive> {
        match self.kind {
            Kind::Round(_, primitive) => Some(primitive),
            _ => None,
        }
    }

    /// Whether both are clones of one shape.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shown, &other.shown)
    }

    /// The primitive that the shape was made from, if any, including a box.
    pub(crate) fn primitive_shape(&self) -> Option<Primitive> {
        self.primitive
    }

    /// The kind of the shape in a word: `mesh` (also for a box), `sphere`, `cylinder`, `cone`, `capsule`, `solid`,
    /// `points`, `surface` (given by formulas of two parameters) or `deforming`.
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

    /// Minimum and maximum coordinates, in metres: of the polyhedron that displays a round primitive, and of a box
    /// that contains a solid, a cloud or a parametric surface.
    #[must_use]
    pub fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    /// A sphere about the points whose motion matters, if the shape is examined as a set or as it is. A round body that
    /// is examined as it is follows its core, however it rotates; the parts and points of a set rotate with the set.
    pub(crate) fn moving_ball(&self, as_set: bool) -> MovingBall {
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

    /// The curved surface, if the shape is round.
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

    /// The points of the shape as a cloud: the vertices of a mesh, a cloud itself, or points on any other surface no
    /// further apart than a spacing; `None` for other surfaces if there is no spacing.
    ///
    /// # Errors
    /// More than [`MAX_SAMPLES`] points.
    pub(crate) fn points(&self, spacing: Option<f64>) -> Result<Option<Self>, Error> {
        let requested = spacing.map(f64::to_bits);
        if let Some((_, points)) = self.sampled.0.get().filter(|(known, _)| *known == requested) {
            return Ok(points.clone());
        }
        let points = self.points_made(spacing)?;
        // Points with another spacing may be stored already; the stored points are kept.
        let _ = self.sampled.0.set((requested, points.clone()));
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
            (_, _, Some(spacing)) => match samples(self.surface(), spacing, MAX_SAMPLES) {
                Some(points) => numbered(points),
                None => Error::out_of_range(
                    spacing,
                    "a spacing that gives each body no more than 200,000 points",
                    "spacing",
                ),
            },
        }
    }

    /// The source of a tree of the surface alone.
    fn surface(&self) -> TreeSource<'_> {
        match self.primitive {
            // The triangles of a box cannot be cut.
            Some(_) => self.tree_source(Interior::Hollow),
            None => self.source(Interior::Hollow),
        }
    }

    /// Whether rotation about the z axis leaves the shape unchanged.
    pub(crate) fn is_turned_about_z(&self) -> bool {
        matches!(self.kind, Kind::Round(..))
    }

    /// Whether the surface is closed, so that it can enclose points.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        match self.kind {
            Kind::Mesh(_) => self.drawn().around().is_closed(),
            Kind::Round(..) | Kind::Solid(_) => true,
            // A deforming surface that is closed at one time is always closed, but it is not a solid.
            Kind::Cloud(_) | Kind::Parametric(_) | Kind::Deforming(..) => false,
        }
    }

    /// The default interior of a body that does not specify one.
    pub(crate) fn interior(&self) -> Interior {
        match self.kind {
            Kind::Mesh(_) | Kind::Deforming(..) | Kind::Round(..) | Kind::Parametric(_) => Interior::Hollow,
            Kind::Solid(_) | Kind::Cloud(_) => Interior::Solid,
        }
    }

    /// The source of a tree of the body.
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
            BuiltTree::Whole(whole) => TreeSource::Primitive(whole),
            BuiltTree::Built(built) => TreeSource::Solid(built),
            BuiltTree::Cloud(cloud) => TreeSource::Cloud(cloud),
        }
    }

    fn tree(&self, filling: Interior) -> BuiltTree {
        let built =
            |program, bounds| BuiltTree::Built(Box::new(PreparedSolid::new(program, bounds, filling)));
        match &self.kind {
            Kind::Cloud(cloud) => return BuiltTree::Cloud(CloudTree::new(cloud)),
            Kind::Solid(solid) => return built(Program::new(solid), solid.bounds()),
            Kind::Mesh(_) | Kind::Deforming(..) | Kind::Parametric(_) | Kind::Round(..) => {}
        }
        match self.primitive {
            Some(primitive) if filling == Interior::Solid => BuiltTree::Whole(ConvexPrimitive(primitive)),
            Some(primitive) => {
                let half = primitive.half_size();
                built(Program::primitive(&primitive), [-half, half])
            }
            None => built(Program::mesh(Arc::clone(self.drawn_body())), self.bounds),
        }
    }

    /// Equal for two shapes with the same surface because they are clones of each other, or made from one mesh.
    pub(crate) fn identity(&self) -> *const () {
        match &self.kind {
            Kind::Mesh(_) | Kind::Round(..) => Arc::as_ptr(self.drawn_body()).cast(),
            Kind::Solid(solid) => Arc::as_ptr(solid).cast(),
            Kind::Cloud(cloud) => Arc::as_ptr(cloud).cast(),
            Kind::Parametric(surface) => Arc::as_ptr(surface).cast(),
            Kind::Deforming(surface, _) => Arc::as_ptr(surface).cast(),
        }
    }

    /// The support point in a direction; of the bounding box for a shape that is neither a mesh nor round.
    pub(crate) fn support(&self, n: DVec3) -> DVec3 {
        match self.kind {
            Kind::Solid(_) | Kind::Cloud(_) | Kind::Parametric(_) | Kind::Deforming(..) => {
                let [lower, upper] = self.bounds;
                DVec3::select(n.cmpge(DVec3::ZERO), upper, lower)
            }
            Kind::Mesh(ref pieces) => MeshSurface { body: self.drawn_body(), pieces }.support(n),
            Kind::Round(round, _) => at_origin(round).support(n),
        }
    }
}

/// The mesh that displays a solid: its own if it is one mesh, one height field or one primitive.
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

/// The box that displays a shape without a mesh.
fn cuboid([lower, upper]: [DVec3; 2]) -> Tessellation {
    let corner = |n: u32| {
        let side = |bit: u32| n & (1 << bit) != 0;
        DVec3::select(glam::BVec3::new(side(0), side(1), side(2)), upper, lower)
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.into_iter().flat_map(|[p, q, r, s]| [[p, q, r], [p, r, s]]).collect();
    let mesh = Mesh::new((0..8).map(corner).collect(), triangles).expect("bounds were checked");
    // The maximum distance of a point in the box from its surface.
    Tessellation { mesh, deviation: 0.5 * (upper - lower).min_element() * (1.0 + 1e-9) }
}

#[cfg(test)]
mod tests;
