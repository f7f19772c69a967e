/* Chasles: when, where and how moving things collide, proven rather than sampled.
 *
 * MIT or Apache-2.0, at your choice. Made from the sources in crates/chasles-c/src: changes belong there.
 *
 * Units and frames. Metres, seconds, radians; right-handed. Quaternions are w, x, y, z. Along a motion of two bodies time
 * runs over [0, 1]; along a path of a robot it is in seconds. Of two bodies A moves and B stands, and all is told in B's
 * frame; normals have length 1 and point from A to B.
 *
 * Errors. A function that can fail returns a chasles_status; chasles_last_error() then says what was wrong, where, what was
 * found and what was expected. A call that fails writes no result; a handle that it should have made is NULL. "It could not
 * be decided" is no error but a verdict. No panic and no exception comes out of a call.
 *
 * Pointers. NULL is refused where nothing else is said. A pointer that is not NULL must point to what its type says, and
 * an array must be as long as its count says: that cannot be checked.
 *
 * Threads. Handles never change once they are made: any number of calls, from any threads, may use one at the same time.
 * A handle is freed once, when no call uses it any more. The same question has the same answer, to the last bit, whatever
 * the number of threads.
 */

#ifndef CHASLES_H
#define CHASLES_H

#include <stddef.h>
#include <stdint.h>

/// The number of this interface. It changes when a function, a struct or a constant of this header changes its meaning
/// or its layout. A program may compare it with `chasles_interface_version()`, which is the number of the library that
/// it has found.
#define CHASLES_INTERFACE_VERSION 1

/// How a call went. All but `CHASLES_STATUS_OK` leave a message in `chasles_last_error()`.
enum chasles_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The call did what it says.
  CHASLES_STATUS_OK = 0,
  /// An argument has no meaning: a NULL, a count, a number. Nothing was computed.
  CHASLES_STATUS_ARGUMENT = 1,
  /// A file cannot be read, or what stands in it has no meaning.
  CHASLES_STATUS_FILE = 2,
  /// A fault of Chasles itself. Please report it, with the message. Handles stay valid.
  CHASLES_STATUS_INTERNAL = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum chasles_status chasles_status;
#else
typedef uint32_t chasles_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What is said of two bodies along a motion. The greater the worse.
enum chasles_verdict
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Proven: the surfaces never come closer than the tolerance, at any moment.
  CHASLES_VERDICT_CLEAR = 0,
  /// Proven: the surfaces never touch, but come as close as the clearance that was asked for.
  CHASLES_VERDICT_NEAR = 1,
  /// Neither contact nor its absence could be proven. Treat this as contact, or ask with a larger budget.
  CHASLES_VERDICT_UNDECIDED = 2,
  /// The surfaces meet.
  CHASLES_VERDICT_CONTACT = 3,
  /// The surfaces intersect at the start, more deeply than the tolerance.
  CHASLES_VERDICT_OVERLAPPING = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum chasles_verdict chasles_verdict;
#else
typedef uint32_t chasles_verdict;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Which features meet first: what the numbers `a` and `b` of a contact mean.
enum chasles_feature_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// `a[0]` is a vertex of A, `b[0]` a triangle of B.
  CHASLES_FEATURE_KIND_VERTEX_FACE = 0,
  /// `a[0]` is a triangle of A, `b[0]` a vertex of B.
  CHASLES_FEATURE_KIND_FACE_VERTEX = 1,
  /// `a` and `b` are edges, each by its two vertices, the lower number first.
  CHASLES_FEATURE_KIND_EDGE_EDGE = 2,
  /// Two surfaces, at least one of them round: `a[0]` is the triangle of A, -1 where A is round; `b[0]` the same of B.
  CHASLES_FEATURE_KIND_SURFACES = 3,
  /// No features are told: there is no contact, or round bodies touch at the very start.
  CHASLES_FEATURE_KIND_NONE = 255,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum chasles_feature_kind chasles_feature_kind;
#else
typedef uint32_t chasles_feature_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Why a verdict is `CHASLES_VERDICT_UNDECIDED`.
enum chasles_doubt
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// There is no doubt.
  CHASLES_DOUBT_NONE = 0,
  /// The budget was used up.
  CHASLES_DOUBT_BUDGET = 1,
  /// More memory was needed than is allowed: 512 MiB for a query.
  CHASLES_DOUBT_MEMORY = 2,
  /// Whether the surfaces touch lies below the rounding of coordinates so far from the origin.
  CHASLES_DOUBT_ROUNDING = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum chasles_doubt chasles_doubt;
#else
typedef uint32_t chasles_doubt;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// A body: a mesh with its hierarchy, or a primitive. It never changes: any number of calls, from any threads, may use
/// it at the same time, in any number of roles. Made once, it serves any number of questions.
typedef struct chasles_body chasles_body;

/// A robot where it stands, with the bodies around it. It never changes: any number of calls, from any threads, may use it
/// at the same time.
typedef struct chasles_cell chasles_cell;

/// A robot in its cell, prepared for many straight ways in joint space. Made once, it answers in microseconds. It never
/// changes, and keeps what it needs of the cell: any number of calls, from any threads, may use it at the same time.
typedef struct chasles_edge_checker chasles_edge_checker;

/// Where a body stands: first turned by the quaternion about its own origin, then moved by the position. A point x of
/// the body is at `position + q x q*`.
typedef struct chasles_pose {
  /// Where the body's origin is, in metres; each below 1e70.
  double position[3];
  /// w, x, y, z. Of any length but zero: it is normalised.
  double quaternion[4];
} chasles_pose;

/// A box along the axes of a frame.
typedef struct chasles_bounds {
  /// The least x, y and z, in metres.
  double least[3];
  /// The greatest x, y and z, in metres.
  double greatest[3];
} chasles_bounds;

/// How queries are answered. Begin with what `chasles_options_default` returns.
typedef struct chasles_options {
  /// Surfaces closer than this touch, in metres. Negative: 1e-9 of the larger diagonal of the bodies' bounding boxes.
  double tolerance;
  /// Steps of work after which a query is undecided. A step takes between 10 ns and 1 us.
  uint64_t budget;
  /// How many threads a call with many queries uses; 0: one for each processor. The answers are the same, to the last
  /// bit.
  uint32_t threads;
} chasles_options;

/// The answer about two bodies. Read `verdict` first: it says which of the numbers mean something. The others are NaN, or
/// -1 in `a` and `b`.
typedef struct chasles_prediction {
  /// The verdict.
  chasles_verdict verdict;
  /// Which features meet first.
  chasles_feature_kind kind;
  /// Why nothing is proven, where the verdict is `CHASLES_VERDICT_UNDECIDED`.
  chasles_doubt doubt;
  /// Of a contact: 1 where the surfaces may only touch, 0 where it is proven that they pass through each other.
  uint32_t touching;
  /// Until this time nothing touches: proven. 1 where the whole motion is clear, 0 where the bodies overlap at the start.
  double clear_until;
  /// Of a contact: the enclosure [lo, hi] of its time, in [0, 1]. Before lo the surfaces are proven apart, by hi they have
  /// met. [0, 0] where the bodies overlap at the start.
  double time[2];
  /// The features of A that meet: see `chasles_feature_kind`.
  int64_t a[2];
  /// The features of B that meet.
  int64_t b[2];
  /// Where they meet, in B's frame, in metres.
  double point[3];
  /// The unit normal of the contact from A to B, in B's frame.
  double normal[3];
  /// How fast the features approach along the normal, in metres per unit of time of the motion.
  double approach_speed;
  /// The tolerance that was used, in metres.
  double tolerance;
} chasles_prediction;

/// The axis of a screw, and how far it goes.
typedef struct chasles_screw_axis {
  /// Along the axis, in B's frame; of any length but zero.
  double direction[3];
  /// A point of the axis, in B's frame, in metres.
  double point[3];
  /// How far it slides along the direction, in metres.
  double slide;
  /// How far it turns about the direction, in radians, right-handed; any number of turns, either way round.
  double angle;
} chasles_screw_axis;

/// Two bodies and a motion: one of many questions.
typedef struct chasles_query {
  /// The body that moves.
  const struct chasles_body *a;
  /// The body that stands.
  const struct chasles_body *b;
  /// Where A stands at time 0, in B's frame.
  struct chasles_pose start;
  /// Where A stands at time 1, in B's frame.
  struct chasles_pose end;
} chasles_query;

/// How far two bodies are apart.
typedef struct chasles_separation {
  /// A proven lower bound, in metres; 0 where the surfaces intersect.
  double lower;
  /// A proven upper bound, in metres.
  double upper;
  /// A point of A's surface, in the frame of the poses, in metres.
  double point_a[3];
  /// A point of B's surface, which is no further from `point_a` than `upper`, up to rounding.
  double point_b[3];
} chasles_separation;

/// What a cell is made of. Begin with what `chasles_cell_source_default` returns. Paths are in UTF-8.
typedef struct chasles_cell_source {
  /// The robot's file, in URDF. Must not be NULL.
  const char *urdf;
  /// NULL; or the text of the robot, in place of what stands in the file `urdf`, which then need not exist: it names the
  /// robot in messages, and meshes are looked for beside it.
  const char *urdf_text;
  /// The file of the links that are not tested against each other, in SRDF; NULL: there is none. Links that one joint
  /// joins are never tested.
  const char *srdf;
  /// The scene file of the bodies around the robot and on its links; NULL: there are none.
  const char *world;
  /// Where the robot's root link stands in the world.
  struct chasles_pose base;
  /// Pairs that come this close, in metres, have the verdict `CHASLES_VERDICT_NEAR`, and block edges and
  /// configurations. A
  /// negative number: the world's clearance, or 0 if the world has none.
  double clearance;
  /// The names of hollow links and hollow bodies of the world, a line each, or `all`. NULL: closed links and bodies
  /// are solid, except bodies with `solid = false` in the world. A body that is wholly inside a solid one is in
  /// contact. `all`: links are hollow, and so are bodies without `solid = true`.
  const char *hollow;
  /// A folder: the files of the robot and its world, and all files that these name, must lie in it after links are resolved.
  /// NULL: files may lie anywhere.
  const char *confine;
} chasles_cell_source;

/// How far a joint goes.
typedef struct chasles_joint_limits {
  /// The least value, in radians or metres; minus infinity where there is no limit.
  double least;
  /// The greatest value, in radians or metres; infinity where there is no limit.
  double greatest;
} chasles_joint_limits;

/// The answer about a path. Read `verdict` first. What means nothing is NaN, or -1 in `a`, `b`, `segment`, `feature_a` and
/// `feature_b`.
typedef struct chasles_path_answer {
  /// The worst of all pairs: of links with each other, and of links with the bodies of the world.
  chasles_verdict verdict;
  /// Which features meet first.
  chasles_feature_kind kind;
  /// Why the pair `a`, `b` is undecided.
  chasles_doubt doubt;
  /// Of a contact: 1 where the surfaces may only touch, 0 where it is proven that they pass through each other.
  uint32_t touching;
  /// Until this time of the path, in seconds, nothing touches: proven.
  double clear_until;
  /// The enclosure [lo, hi] of when the first pair meets, or comes as close as the clearance, in seconds.
  double time[2];
  /// The segment of the path in which that is; 0 lies between the first two waypoints.
  int64_t segment;
  /// The first body of the pair that meets first, by its number.
  int64_t a;
  /// The second body of that pair.
  int64_t b;
  /// The features of `a`, as in `chasles_prediction`.
  int64_t feature_a[2];
  /// The features of `b`.
  int64_t feature_b[2];
  /// Where they meet, in the world, in metres.
  double point[3];
  /// The unit normal of the contact from `a` to `b`, in the world.
  double normal[3];
} chasles_path_answer;

/// What a planner moves. Begin with what `chasles_edge_options_default` returns.
typedef struct chasles_edge_options {
  /// The joints that the planner sets, by their numbers in `chasles_cell_joint_name`, in the order of its values; NULL: all
  /// that can be set, in that order.
  const size_t *joints;
  /// How many joints that are; 0 where `joints` is NULL.
  size_t joint_count;
  /// The values at which the joints stay that the planner does not set: `chasles_cell_joint_count` values, of which those
  /// of the planner's own joints do not count; NULL: at rest, which is 0 or the middle of limits that exclude 0.
  const double *values;
  /// Steps of work for an edge, after which it is undecided. A step takes between 10 ns and 1 us.
  uint64_t budget;
  /// Steps of work for what is known once for all of each two groups of links that few joints join; 0: hardly anything
  /// is. More make edges faster and the checker slower to build: a million take some 40 ms for each two groups.
  uint64_t preparation;
} chasles_edge_options;

/// The answer about a configuration, or about an edge: the straight line in joint space from one configuration to
/// another.
typedef struct chasles_edge {
  /// `CHASLES_VERDICT_CLEAR`: no pair touches anywhere on the edge, proven. `CHASLES_VERDICT_CONTACT`: a pair is in
  /// contact or nearer than its clearance, at the start or later. `CHASLES_VERDICT_UNDECIDED`: neither is proven.
  chasles_verdict verdict;
  /// The first body of the pair that is in contact or undecided, by its number in the cell; -1 where it is clear.
  int64_t a;
  /// The second body of that pair.
  int64_t b;
  /// The contact, which need not be the first, is somewhere between these two shares of the way, in [0, 1]; NaN where there
  /// is none.
  double at[2];
} chasles_edge;

/// How far an edge is free.
typedef struct chasles_edge_reach {
  /// Nothing touches up to this share of the way: proven. 1 where all of it is free.
  double free_until;
  /// The first contact that was found begins no earlier: its pair, by the numbers of the bodies in the cell; -1 where the
  /// way is free, or nothing is proven beyond.
  int64_t a;
  /// The second body of that pair.
  int64_t b;
  /// That contact is somewhere between these two shares of the way; NaN where none was found.
  double at[2];
} chasles_edge_reach;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// The message of the last call of this thread that failed, in UTF-8: what was wrong, where, what was found and what was
/// expected. Empty where none has failed. It stays as it is until another call of this thread fails. Never NULL; not to
/// be freed.
///
/// Threads: each has its own message.
const char *chasles_last_error(void);

/// The version of the library, such as `0.1.0`. Not to be freed.
///
/// Threads: any, at any time.
const char *chasles_version(void);

/// `CHASLES_INTERFACE_VERSION` of the library that is running.
///
/// Threads: any, at any time.
uint32_t chasles_interface_version(void);

/// The pose that neither turns nor moves.
///
/// Threads: any, at any time.
struct chasles_pose chasles_pose_identity(void);

/// A pose from a rigid 4 by 4 matrix.
///
/// @param matrix 16 numbers, column by column: `matrix[4 * column + row]`. This is what `Eigen::Isometry3d::data()` and
/// OpenGL have. The last column is the position, in metres.
/// @param pose Where the pose is written.
///
/// A matrix that scales, shears or mirrors by more than 1e-6 is refused. Up to that it is taken for a rotation near it: the
/// pose is as exact as the matrix is rigid.
///
/// Threads: any, at any time.
chasles_status chasles_pose_from_matrix(const double *matrix,
                                        struct chasles_pose *pose);

/// Makes a body of a mesh.
///
/// @param vertices The vertices, three numbers each (x, y, z), in metres, in the body's frame.
/// @param vertex_count How many vertices there are: `vertices` has three times as many numbers.
/// @param triangles The triangles, three numbers of vertices each, counted from 0.
/// @param triangle_count How many triangles there are, at least one: `triangles` has three times as many numbers.
/// @param body Where the handle is written; NULL where the call fails.
///
/// The surface need not be closed, and triangles may be degenerate. Both arrays are copied.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
chasles_status chasles_body_mesh(const double *vertices,
                                 size_t vertex_count,
                                 const uint32_t *triangles,
                                 size_t triangle_count,
                                 struct chasles_body **body);

/// Makes a box, its middle at the origin of its frame, its edges along the axes.
///
/// @param x,y,z Its full sizes, in metres, each greater than 0.
/// @param body Where the handle is written; NULL where the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
chasles_status chasles_body_box(double x, double y, double z, struct chasles_body **body);

/// Makes a ball, its middle at the origin of its frame. It is a true ball, no polyhedron.
///
/// @param radius In metres, greater than 0.
/// @param body Where the handle is written; NULL where the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
chasles_status chasles_body_sphere(double radius, struct chasles_body **body);

/// Makes a cylinder, its middle at the origin of its frame, its axis along z. It is truly round.
///
/// @param radius In metres, greater than 0.
/// @param height In metres, greater than 0.
/// @param body Where the handle is written; NULL where the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
chasles_status chasles_body_cylinder(double radius, double height, struct chasles_body **body);

/// Makes a cone, its axis along z: its tip at z = + `height` / 2, its base at z = - `height` / 2. It is truly round.
///
/// @param radius Of the base, in metres, greater than 0.
/// @param height From base to tip, in metres, greater than 0.
/// @param body Where the handle is written; NULL where the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
chasles_status chasles_body_cone(double radius,
                                 double height,
                                 struct chasles_body **body);

/// Makes a capsule: a cylinder along z with half a ball on each end, its middle at the origin of its frame. It is truly
/// round.
///
/// @param radius In metres, greater than 0.
/// @param height Of the cylinder, without its ends, in metres, greater than 0.
/// @param body Where the handle is written; NULL where the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
chasles_status chasles_body_capsule(double radius,
                                    double height,
                                    struct chasles_body **body);

/// Where a body is in its own frame.
///
/// @param body The body.
/// @param bounds Where the bounds are written.
///
/// Threads: any, at any time.
chasles_status chasles_body_bounds(const struct chasles_body *body, struct chasles_bounds *bounds);

/// Frees a body. NULL is no fault.
///
/// Threads: any, once no other call uses the body.
void chasles_body_free(struct chasles_body *body);

/// The usual options: the usual tolerance, a budget of 500 million steps, all processors. NULL in place of options means
/// the same.
///
/// Threads: any, at any time.
struct chasles_options chasles_options_default(void);

/// When, where and how body A, moving from one pose to another, first meets the standing body B.
///
/// @param a The body that moves.
/// @param b The body that stands, at the identity: all poses are in its frame.
/// @param start Where A stands at time 0, in B's frame.
/// @param end Where A stands at time 1, in B's frame.
/// @param options How it is answered; NULL: as usual.
/// @param prediction Where the answer is written.
///
/// Between the poses A moves along the one screw that joins them, the shorter way round: it turns about an axis and
/// slides along it, both evenly. (Where B moves too: give A's poses as seen from B, if that motion is such a screw.)
/// Guarantee: `CHASLES_VERDICT_CLEAR`, and the time before an enclosure, are proven in continuous time for the whole
/// surfaces, rounding included. Only surfaces count: a body that is wholly inside another does not meet it.
///
/// Threads: any, at any time.
chasles_status chasles_first_contact(const struct chasles_body *a,
                                     const struct chasles_body *b,
                                     const struct chasles_pose *start,
                                     const struct chasles_pose *end,
                                     const struct chasles_options *options,
                                     struct chasles_prediction *prediction);

/// As `chasles_first_contact`, for a screw that is given by its axis: any number of turns.
///
/// @param a The body that moves.
/// @param b The body that stands, at the identity: all poses are in its frame.
/// @param start Where A stands at time 0, in B's frame.
/// @param screw The axis, and how far A slides along it and turns about it from time 0 to 1.
/// @param options How it is answered; NULL: as usual.
/// @param prediction Where the answer is written.
///
/// Threads: any, at any time.
chasles_status chasles_first_contact_on_screw(const struct chasles_body *a,
                                              const struct chasles_body *b,
                                              const struct chasles_pose *start,
                                              const struct chasles_screw_axis *screw,
                                              const struct chasles_options *options,
                                              struct chasles_prediction *prediction);

/// Many first contacts at a time, on all threads: each answer has the bits that `chasles_first_contact` gives.
///
/// @param queries The questions. A body may stand in any number of them, as A or as B.
/// @param count How many there are.
/// @param options How all are answered; NULL: as usual.
/// @param predictions `count` places, written in the order of the queries.
///
/// All queries are checked first. Where one of them has no meaning the call fails, the message names it by its number,
/// counted from 0, and nothing is written.
///
/// Threads: any, at any time. The call returns when all is answered; its own threads are gone or idle then.
chasles_status chasles_first_contacts(const struct chasles_query *queries,
                                      size_t count,
                                      const struct chasles_options *options,
                                      struct chasles_prediction *predictions);

/// How far two bodies are apart where they stand. Only surfaces count: of a body that is wholly inside another it is the
/// distance of the surfaces.
///
/// @param a The first body.
/// @param pose_a Where it stands, in any frame that both poses share.
/// @param b The second body.
/// @param pose_b Where it stands, in that frame.
/// @param separation Where the answer is written.
///
/// Both bounds are proven. They differ by at most 1e-9 of the distance or 1e-12 of the larger body, but for meshes that lie
/// so close together over so many triangles that 10 million steps of work do not suffice.
///
/// Threads: any, at any time.
chasles_status chasles_distance(const struct chasles_body *a,
                                const struct chasles_pose *pose_a,
                                const struct chasles_body *b,
                                const struct chasles_pose *pose_b,
                                struct chasles_separation *separation);

/// Whether the surfaces of two bodies intersect where they stand.
///
/// @param a The first body.
/// @param pose_a Where it stands, in any frame that both poses share.
/// @param b The second body.
/// @param pose_b Where it stands, in that frame.
/// @param intersects Where 1 is written if they do, and else 0.
///
/// Of two meshes the answer is exact for their corners as they are placed. Round bodies that cannot be proven apart count
/// as intersecting.
///
/// Threads: any, at any time.
chasles_status chasles_intersects(const struct chasles_body *a,
                                  const struct chasles_pose *pose_a,
                                  const struct chasles_body *b,
                                  const struct chasles_pose *pose_b,
                                  uint32_t *intersects);

/// A source without files, at the origin of the world.
///
/// Threads: any, at any time.
struct chasles_cell_source chasles_cell_source_default(void);

/// Reads a robot and the bodies around it.
///
/// @param source What the cell is made of.
/// @param cell Where the handle is written; NULL where the call fails.
///
/// Files that are wrong give `CHASLES_STATUS_FILE`, with file and line in the message. What is only doubtful is told by
/// `chasles_cell_warning`.
///
/// Threads: any, at any time. The handle is freed by `chasles_cell_free`.
chasles_status chasles_cell_read(const struct chasles_cell_source *source,
                                 struct chasles_cell **cell);

/// The number of joints that can be set: joints that are neither fixed nor follow another. A configuration has one
/// value for each such joint.
///
/// @param cell The cell; of NULL it is 0.
///
/// Threads: any, at any time.
size_t chasles_cell_joint_count(const struct chasles_cell *cell);

/// The name of a joint that can be set, in the order of the values of a configuration, which is the order of the file.
///
/// @param cell The cell.
/// @param joint The number of the joint, from 0.
///
/// The text belongs to the cell. NULL where there is no such joint.
///
/// Threads: any, at any time.
const char *chasles_cell_joint_name(const struct chasles_cell *cell,
                                    size_t joint);

/// The limits of a joint that can be set.
///
/// @param cell The cell.
/// @param joint The number of the joint, from 0, as in `chasles_cell_joint_name`.
/// @param limits Where they are written.
///
/// Threads: any, at any time.
chasles_status chasles_cell_joint_limits(const struct chasles_cell *cell,
                                         size_t joint,
                                         struct chasles_joint_limits *limits);

/// How many bodies there are: the links of the robot, then the bodies of the world.
///
/// @param cell The cell; of NULL it is 0.
///
/// Threads: any, at any time.
size_t chasles_cell_body_count(const struct chasles_cell *cell);

/// The name of a link or a body of the world.
///
/// @param cell The cell.
/// @param body The number of the body, from 0, as answers have it.
///
/// The text belongs to the cell. NULL where there is no such body.
///
/// Threads: any, at any time.
const char *chasles_cell_body_name(const struct chasles_cell *cell, size_t body);

/// How many warnings there are about the files of a cell.
///
/// @param cell The cell; of NULL it is 0.
///
/// Threads: any, at any time.
size_t chasles_cell_warning_count(const struct chasles_cell *cell);

/// A warning about the files of a cell: what was passed over or looks wrong, in a sentence.
///
/// @param cell The cell.
/// @param warning The number of the warning, from 0.
///
/// The text belongs to the cell. NULL where there is no such warning.
///
/// Threads: any, at any time.
const char *chasles_cell_warning(const struct chasles_cell *cell, size_t warning);

/// Whether a path of a robot is free, and if not, what meets first and when.
///
/// @param cell The cell.
/// @param times The times of the waypoints, in seconds; they increase.
/// @param configurations The waypoints, one after the other: each `chasles_cell_joint_count(cell)` values, in radians or
/// metres, in the order of `chasles_cell_joint_name`.
/// @param count How many waypoints there are, at least two.
/// @param options How it is answered; NULL: as usual. The budget applies to each pair; the tolerance must be negative,
/// because the tolerance of the world's file applies.
/// @param answer Where the answer is written.
///
/// Between two waypoints every joint moves evenly. The links move on their true paths; joints that follow others do so.
/// Guarantee: `CHASLES_VERDICT_CLEAR`, and the time before an enclosure, are proven in continuous time. Pairs that do not
/// move relative to each other on the path are not tested. Where no clearance is asked for, nothing after the first
/// contact is looked at.
///
/// Threads: any, at any time. Pairs are spread over `options->threads`.
chasles_status chasles_cell_check_path(const struct chasles_cell *cell,
                                       const double *times,
                                       const double *configurations,
                                       size_t count,
                                       const struct chasles_options *options,
                                       struct chasles_path_answer *answer);

/// Frees a cell, and the texts that belong to it. NULL is no fault.
///
/// Threads: any, once no other call uses the cell.
void chasles_cell_free(struct chasles_cell *cell);

/// All joints, a budget of 10 million steps, 5 million steps of preparation. NULL in place of options means the same.
///
/// Threads: any, at any time.
struct chasles_edge_options chasles_edge_options_default(void);

/// Prepares a cell for many straight ways in joint space.
///
/// @param cell The cell, which may be freed afterwards. None of its bodies may move by itself.
/// @param options What the planner moves; NULL: all joints.
/// @param checker Where the handle is written; NULL where the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_edge_checker_free`.
chasles_status chasles_edge_checker_make(const struct chasles_cell *cell,
                                         const struct chasles_edge_options *options,
                                         struct chasles_edge_checker **checker);

/// The number of values of a configuration: the number of joints that the planner sets.
///
/// @param checker The checker; of NULL it is 0.
///
/// Threads: any, at any time.
size_t chasles_edge_checker_joint_count(const struct chasles_edge_checker *checker);

/// Checks the straight edge in joint space from one configuration to another.
///
/// @param checker The checker.
/// @param from A configuration: `chasles_edge_checker_joint_count` values, in radians or metres.
/// @param to Another one.
/// @param edge Where the answer is written.
///
/// All joints move evenly and in step. Guarantee: on a clear edge no tested pair comes within the cell's tolerance or
/// its clearance, at any moment of the true motion and by the true shapes, and neither body of a tested pair is inside
/// the other if the other is solid. The tested pairs are all that a joint of the robot can move relative to each other,
/// whether that joint moves on this edge or not.
///
/// Threads: any, at any time. Each thread keeps some memory for its questions until it ends.
chasles_status chasles_edge_checker_check_edge(const struct chasles_edge_checker *checker,
                                               const double *from,
                                               const double *to,
                                               struct chasles_edge *edge);

/// Checks one configuration of the robot. The tested pairs are the same as on an edge.
///
/// @param checker The checker.
/// @param configuration `chasles_edge_checker_joint_count` values, in radians or metres.
/// @param edge Where the answer is written.
///
/// Threads: any, at any time. Each thread keeps some memory for its questions until it ends.
chasles_status chasles_edge_checker_check_configuration(const struct chasles_edge_checker *checker,
                                                        const double *configuration,
                                                        struct chasles_edge *edge);

/// Finds how far the straight edge in joint space from one configuration to another is free, and the contact that ends
/// the free part. This takes longer than `chasles_edge_checker_check_edge`, which ends at any contact.
///
/// @param checker The checker.
/// @param from A configuration: `chasles_edge_checker_joint_count` values, in radians or metres.
/// @param to Another one.
/// @param reach Where the answer is written.
///
/// Threads: any, at any time. Each thread keeps some memory for its questions until it ends.
chasles_status chasles_edge_checker_reach(const struct chasles_edge_checker *checker,
                                          const double *from,
                                          const double *to,
                                          struct chasles_edge_reach *reach);

/// Checks many edges in one call, on all threads. Each answer is the one of `chasles_edge_checker_check_edge`.
///
/// @param checker The checker.
/// @param from The start configurations, one after the other: `count` times
/// `chasles_edge_checker_joint_count` values.
/// @param to The end configurations, in the same order.
/// @param count The number of edges.
/// @param options Of which only the number of threads counts; NULL: one for each processor.
/// @param edges `count` places, written in the order of the edges.
///
/// Where one of the edges has no meaning the call fails, and nothing is written.
///
/// Threads: any, at any time.
chasles_status chasles_edge_checker_check_edges(const struct chasles_edge_checker *checker,
                                                const double *from,
                                                const double *to,
                                                size_t count,
                                                const struct chasles_options *options,
                                                struct chasles_edge *edges);

/// Frees an edge checker. NULL is no fault.
///
/// Threads: any, once no other call uses the checker.
void chasles_edge_checker_free(struct chasles_edge_checker *checker);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CHASLES_H */
