//! When, where and how moving bodies collide: proven rather than sampled.
//!
//! The basic query takes two triangle meshes; the first moves along a screw from pose to pose. Its result holds in
//! continuous time: clear, in contact from a time enclosed in [lo, hi], overlapping from the start, or undecided.
//! "Clear" is always proven; it never means just that no contact was found.
//!
//! ```
//! use chasles::{Mesh, Options, Outcome, Pose, PreparedMesh, Screw, first_contact};
//! use glam::{DQuat, DVec3};
//!
//! // A triangle one metre above a square moves two metres down and a quarter turn round.
//! let knife = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.0, 1.0)], vec![[0, 1, 2]])?;
//! let corners = [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)];
//! let table = corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
//! let table = Mesh::new(table, vec![[0, 1, 2], [0, 2, 3]])?;
//!
//! let start = Pose::from_position(DVec3::Z)?;
//! let end = Pose::new(-DVec3::Z, DQuat::from_rotation_z(1.5))?;
//! let screw = Screw::between(start, end);
//!
//! let (knife, table) = (PreparedMesh::new(knife), PreparedMesh::new(table));
//! let prediction = first_contact(&knife, &table, &screw, &Options::default())?;
//! let Outcome::Contact(contact) = prediction.outcome else { panic!("they meet") };
//! assert!(contact.time[0] <= 0.5 && 0.5 <= contact.time[1]);
//! assert!(contact.normal.distance(-DVec3::Z) < 1e-12);
//! # Ok::<(), chasles::Error>(())
//! ```
//!
//! # Table of contents
//!
//! Each module uses only those above it.
//!
//! | module | idea |
//! |---|---|
//! | `error` | the one error type, for invalid input: [`Error`] |
//! | [`math`] | functions of time along a screw, and **the root finder** |
//! | `motion` | poses, and the screws between them |
//! | `shape` | triangle meshes, their features and properties; primitives as meshes; functions from formulas |
//! | `bvh` | trees of oriented boxes over the triangles of a mesh |
//! | `body` | a mesh with its tree, ready for queries |
//! | [`broad_phase`] | candidate pairs of bodies, and the times at which their boxes overlap |
//! | `features` | two features on a screw: the times at which a vertex and a face, or two edges, meet |
//! | `mesh_screw` | two meshes on a screw: triangles that can meet, and when |
//! | `instant` | two static meshes: their distance, and which is inside the other |
//! | `convex` | static convex polyhedra: whether their interiors intersect, and which features are inside the other |
//! | `mesh_motion` | two meshes on any motion: how long they stay separated or intersecting |
//! | `round` | spheres, cylinders, cones and capsules as exact shapes, against meshes and each other |
//! | `sets` | bodies of any kind as trees of bounding volumes: formulas, parts, grids, clouds, parametric surfaces |
//! | `deformable` | features and surfaces whose vertices move independently: [`MovingFeatures`], [`MovingSurfaces`] |
//! | `touch` | the points at which two static bodies nearly touch |
//! | `pair` | **the queries on two bodies**, one interface for every kind of shape |
//! | `trajectory` | a pair along any motion: all intervals of contact, or within a clearance; the minimum gap |
//! | `predict` | the queries: [`first_contact`], [`any_contact`], [`first_contacts`], [`all_contacts`], |
//! | | [`first_within`], [`contact_intervals`]; several at a time: [`predictions`] |
//! | `poses` | queries on two static shapes: [`distance`], [`intersection`] |
//! | `screen` | all collisions of two meshes along a screw, the parts that can collide, and their clearances |
//! | `scene` | bodies in motion: which pairs collide, when and where: [`Scene::check`] |
//! | `robot` | links on joints, and their paths in joint space |
//! | `planning` | many edges (straight lines in joint space), for planners: [`EdgeChecker`] |
//! | `impulses` | the response to contacts: impulses of bodies on joints: [`ImpulseProblem`] |
//! | `flexible` | point masses joined by springs: flexible bodies that bounce: [`FlexibleBody`] |
//! | `simulate` | the motion of bodies after their contacts, step by step: [`Simulation`] |
//! | [`papers`] | the methods of the papers on which Chasles is based |
//!
//! # Conventions
//!
//! Metres, radians; right-handed; quaternions are normalised on entry. Time t along a motion is in the closed
//! interval [0, 1]. Normals are unit and point from A to B. Queries work in B's frame: A moves, B is static
//! ([`Screw::in_frame_of`] gives the motion in the frame of another static body). Swapping the bodies never changes a
//! result. The number of threads changes no bit.
//!
//! # What is proven
//!
//! - Before the enclosure of a first contact, and throughout a clear motion, the surfaces are separated: at every
//!   time, for every pair of features, rounding included.
//! - A clear motion keeps a gap of more than the tolerance (1e-9 of the size by default).
//! - A contact that is not `touching` is a crossing of two features within its enclosure. A `touching` contact comes
//!   within the tolerance (up to a hundredth of the tolerance).
//! - A clear pair with a solid, a cloud or a parametric surface has a gap at every time. If such a pair is in
//!   contact, it comes within epsilon ([`Scene::epsilon`]) in the enclosure, and does not touch before.
//! - In a [`Scene`] the same holds for every pair and its true motion, whatever carries the bodies, and for the true
//!   surfaces of round bodies.
//! - On the screws that join the recorded poses of a [`Simulation`], the penetration of two bodies that can collide
//!   never exceeds the allowed depth or, if it is computed, [`SimulationSummary::deepest`]. The response to a contact
//!   is computed, not proven.
//! - A query that can be proven neither way ends as [`Outcome::Undecided`], with the time until which the motion is
//!   clear.

mod error;
pub mod math;
mod motion;
mod shape;
mod bvh;
mod body;
pub mod broad_phase;
mod features;
mod mesh_screw;
mod instant;
mod convex;
mod mesh_motion;
mod round;
mod sets;
mod deformable;
mod touch;
mod pair;
mod trajectory;
mod predict;
mod poses;
mod screen;
mod scene;
mod robot;
mod planning;
mod impulses;
mod flexible;
mod simulate;
pub mod papers;

pub use glam;

pub use body::PreparedMesh;
pub use convex::inner::{InnerFeature, InnerPoint, Interpenetration};
pub use convex::pieces::{ConvexPiece, ConvexPieces};
pub use deformable::elementary::features::{FeatureContact, FeatureMeeting, MovingFeatures, MovingKind};
pub use deformable::step::cover::{StepInterval, StepIntervals};
pub use deformable::step::{
    MovingSurfaces, SafeStep, SelfTest, StepEvents, SurfaceEvent, SurfaceFeatures, SurfaceStep,
};
pub use deformable::surface::bones::{Bone, BoneMotion};
pub use deformable::surface::rig::{BoundBone, Influence, MorphTarget, Rig, RigDefinition};
pub use deformable::surface::{DeformingSurface, Frames, FramesInMemory};
pub use error::{ConvexFault, Error, ErrorKind};
pub use features::contact::{Contact, ContactFeatures, FirstContact};
pub use flexible::definition::{FlexibleBody, FlexibleState};
pub use impulses::problem::{
    ContactImpulse, ContactState, Friction, ImpulseAnswer, ImpulseBody, ImpulseContact, ImpulseEnergy,
    ImpulseJoint, ImpulseOutcome, ImpulseProblem, InertiaFault, JointImpulse, JointKind, RigidMass,
    Unsolvable,
};
pub use impulses::solve::ImpulseWorkspace;
pub use mesh_screw::intervals::{ContactInterval, Intervals};
pub use mesh_screw::overlap::triangles_intersect;
pub use mesh_screw::pipeline::Workspace;
pub use mesh_screw::query::{
    Counters, Options, Outcome, Prediction, SearchMethod, Start, UndecidedReason, UndecidedRest,
};
pub use motion::{CubicKey, Curve, JointAxis, Pose, Screw, ScrewAxis};
pub use pair::shape::{CollisionShape, ShapeSource};
pub use planning::EdgeChecker;
pub use planning::answer::{EdgeContact, EdgeFreeSpan, EdgeOutcome, EdgeWork};
pub use planning::checker::EdgeOptions;
pub use planning::edge::EdgeMemory;
pub use poses::{Intersection, PosedShapes, Separation, distance, distances, intersection, intersections};
pub use predict::{
    Query, QueryKind, all_contacts, all_intervals, any_contact, contact_intervals, first_contact,
    first_contacts, first_within, predictions,
};
pub use robot::{
    AdjacentLinks, CellDefinition, Joint, JointLimit, JointPath, LimitBreach, Link, LinkContacts,
    LinkElement, Mimic, MoveOutcome, PathEntry, PathReport, PathScene, Robot, RobotCell, RobotDefinition,
    SeparatedPair, Session, Waypoint, WorldBody,
};
pub use scene::{
    BodyMotion, CheckOptions, Containment, Guarantee, Horizon, IntersectingPair, KeyLimits, ModelOverlaps,
    NearestPair, NearestReport, PairClass, PairCounts, PairListing, PairReport, PairScrew, PairScrewError,
    PairSide, PairUndecidedReason, PairVerdict, Penetration, RestingPairs, Scene, SceneBody, SceneContact,
    SceneDefinition, SceneEvent, SceneInterval, SceneReport, SkippedPairs, StaticPairs, WorldKeys,
};
pub use screen::clearance::{Clearance, FlowLineHit, Probe, probes, probes_watched};
pub use screen::collision::{Collision, DegenerateFeatures};
pub use screen::collisions::{Account, Collisions, collisions, ratings};
pub use screen::concurrent::concurrent;
pub use screen::facing::{Facing, FacingFaces, facing, facings};
pub use screen::frame::{ScrewFrame, screw_frame};
pub use screen::inside::VertexPassages;
pub use screen::map::{ClearanceMap, clearance_map, clearance_map_watched};
pub use screen::pixels::meet::PixelCollision;
pub use screen::pixels::{
    PixelCollisions, PixelOptions, PixelOutcome, pixel_collisions, pixel_collisions_watched,
};
pub use screen::play::{Binding, Free, Play, play, play_watched};
pub use screen::proper::Rating;
pub use screen::surface::{FacingBorders, FacingSurface, facing_surfaces};
pub use shape::{
    Expression, ExpressionError, HeightField, LevelSet, MassProperties, Mesh, MeshFacts, ParametricSurface,
    PartShape, PointCloud, Primitive, Solid, SolidError, SolidPart, TapeMemory, Tessellation,
};
pub use simulate::definition::{
    Dynamics, ImpactOrder, Release, SimulatedBody, SimulatedJoint, SimulationDefinition, SimulationMethod,
};
pub use simulate::recorded::{
    EnergyLosses, ForcedStop, MomentContact, Released, SimulationEnergy, SimulationState, SimulationSummary,
    StepResult,
};
pub use simulate::simulation::Simulation;
pub use simulate::state::pull::MouseForce;
pub use simulate::suggestion::{SuggestedContact, Suggestion, Suggestions, suggestions};
pub use trajectory::watch::ProgressMonitor;
