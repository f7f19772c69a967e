/* Chasles: when, where and how moving bodies collide, proven rather than sampled.
 *
 * MIT or Apache-2.0, at your choice. Generated from the sources in crates/chasles-c/src; change those instead.
 *
 * Units and frames. Metres, seconds, radians; right-handed. Quaternions are w, x, y, z. Along a motion of two bodies,
 * time runs over [0, 1]; along the path of a robot, it is in seconds. In a pair, body A moves and body B is static, and
 * results are in the frame of B. Normals are unit vectors from A to B.
 *
 * Errors. A function that can fail returns a chasles_status. If a call fails, chasles_last_error() describes what was
 * wrong and where, the value that was found and the value that was expected. A failed call writes no result, and sets a
 * handle that it should create to NULL. An undecided query is not an error; undecided is one of the verdicts. No panic
 * and no exception leaves a call.
 *
 * Pointers. NULL is an error, unless a function documents otherwise. A pointer that is not NULL must point to a valid
 * object of its type, and an array must be as long as its count says. These two conditions cannot be checked.
 *
 * Threads. A handle never changes after its creation, so any number of calls from any threads may use it at the same
 * time. Free a handle once, when no call uses it any more. The same query has the same answer, to the last bit, for any
 * number of threads.
 */

#ifndef CHASLES_H
#define CHASLES_H

#include <stddef.h>
#include <stdint.h>

/// The version of this interface. It changes when a function, a struct or a constant of this header changes its meaning
/// or its layout. A program may compare it with `chasles_interface_version()`, the version of the library at run time.
#define CHASLES_INTERFACE_VERSION 1

/// The result of a call. All codes but `CHASLES_STATUS_OK` leave a message in `chasles_last_error()`.
enum chasles_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The call succeeded.
  CHASLES_STATUS_OK = 0,
  /// An argument is invalid: a NULL, a count, a number. No result was computed.
  CHASLES_STATUS_ARGUMENT = 1,
  /// A file cannot be read, or its content is invalid.
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

/// The verdict about two bodies along a motion. Larger values are worse.
enum chasles_verdict
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// Proven: the surfaces never come closer than the tolerance, at any moment.
  CHASLES_VERDICT_CLEAR = 0,
  /// Proven: the surfaces never touch, but come as close as the requested clearance.
  CHASLES_VERDICT_NEAR = 1,
  /// Neither contact nor its absence could be proven. Treat this as contact, or query with a larger budget.
  CHASLES_VERDICT_UNDECIDED = 2,
  /// The surfaces come into contact.
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

/// The features of the first contact, which determine the meaning of the numbers `a` and `b`.
enum chasles_feature_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// `a[0]` is a vertex of A, `b[0]` a triangle of B.
  CHASLES_FEATURE_KIND_VERTEX_FACE = 0,
  /// `a[0]` is a triangle of A, `b[0]` a vertex of B.
  CHASLES_FEATURE_KIND_FACE_VERTEX = 1,
  /// `a` and `b` are edges, each given by its two vertices, the lower number first.
  CHASLES_FEATURE_KIND_EDGE_EDGE = 2,
  /// Two surfaces, at least one of them round: `a[0]` is the triangle of A, -1 if A is round; `b[0]` likewise for B.
  CHASLES_FEATURE_KIND_SURFACES = 3,
  /// No features are reported: there is no contact, or round bodies touch at the very start.
  CHASLES_FEATURE_KIND_NONE = 255,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum chasles_feature_kind chasles_feature_kind;
#else
typedef uint32_t chasles_feature_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The reason for the verdict `CHASLES_VERDICT_UNDECIDED`.
enum chasles_doubt
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /// The verdict is not undecided.
  CHASLES_DOUBT_NONE = 0,
  /// The budget was used up.
  CHASLES_DOUBT_BUDGET = 1,
  /// More memory was needed than is allowed: 512 MiB for a query.
  CHASLES_DOUBT_MEMORY = 2,
  /// The decision whether the surfaces touch is below the rounding of coordinates so far from the origin.
  CHASLES_DOUBT_ROUNDING = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum chasles_doubt chasles_doubt;
#else
typedef uint32_t chasles_doubt;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// A body: a mesh with its hierarchy, or a primitive. It never changes: any number of calls, from any threads, may
/// use it at the same time, in any role, for any number of queries.
typedef struct chasles_body chasles_body;

/// A robot at its base, with the bodies around it. It never changes: any number of calls, from any threads, may use
/// it at the same time.
typedef struct chasles_cell chasles_cell;

/// A robot in its cell, prepared for many straight edges in joint space, each of which takes microseconds to check.
/// It never changes, and does not need the cell any more: any number of calls, from any threads, may use it at the
/// same time.
typedef struct chasles_edge_checker chasles_edge_checker;

/// The pose of a body: a rotation by the quaternion about the body's own origin, then a translation by the
/// position. A point x of the body is at `position + q x q*`.
typedef struct chasles_pose {
  /// The position of the body's origin, in metres; each coordinate below 1e70.
  double position[3];
  /// w, x, y, z, of any length but zero: it is normalised.
  double quaternion[4];
} chasles_pose;

/// An axis-aligned box in a frame.
typedef struct chasles_bounds {
  /// The minimum x, y and z, in metres.
  double least[3];
  /// The maximum x, y and z, in metres.
  double greatest[3];
} chasles_bounds;

/// Options of queries. Start with the result of `chasles_options_default`.
typedef struct chasles_options {
  /// Surfaces closer than this touch, in metres. Negative: 1e-9 of the larger diagonal of the bodies' bounding boxes.
  double tolerance;
  /// The maximum number of steps of work; a query that needs more is undecided. A step takes between 10 ns and 1 us.
  uint64_t budget;
  /// The number of threads of a call with many queries; 0: one for each processor. The answers are the same, to
  /// the last bit.
  uint32_t threads;
} chasles_options;

/// The answer about two bodies. Read `verdict` first, because it determines which of the numbers have a meaning.
/// The others are NaN, or -1 in `a` and `b`.
typedef struct chasles_prediction {
  /// The verdict.
  chasles_verdict verdict;
  /// The features of the first contact.
  chasles_feature_kind kind;
  /// The reason, if the verdict is `CHASLES_VERDICT_UNDECIDED`.
  chasles_doubt doubt;
  /// For a contact: 1 if the surfaces may only touch, 0 if it is proven that they pass through each other.
  uint32_t touching;
  /// The time before which the absence of contact is proven. 1 if the whole motion is clear, 0 if the bodies
  /// overlap at the start.
  double clear_until;
  /// For a contact, the enclosure [lo, hi] of its time, in [0, 1]: the surfaces are proven separated before lo,
  /// and have collided by hi. [0, 0] if the bodies overlap at the start.
  double time[2];
  /// The features of A in contact: see `chasles_feature_kind`.
  int64_t a[2];
  /// The features of B in contact.
  int64_t b[2];
  /// The point of contact in B's frame, in metres.
  double point[3];
  /// The unit normal of the contact from A to B, in B's frame.
  double normal[3];
  /// The speed at which the features approach along the normal, in metres per unit of time of the motion.
  double approach_speed;
  /// The tolerance that was used, in metres.
  double tolerance;
} chasles_prediction;

/// The axis of a screw, with its slide and angle.
typedef struct chasles_screw_axis {
  /// The direction of the axis, in B's frame; of any length but zero.
  double direction[3];
  /// A point of the axis, in B's frame, in metres.
  double point[3];
  /// The slide along the direction, in metres.
  double slide;
  /// The angle about the direction, in radians, right-handed; any number of revolutions, in either sense.
  double angle;
} chasles_screw_axis;

/// Two bodies and a motion: one of many queries.
typedef struct chasles_query {
  /// The moving body.
  const struct chasles_body *a;
  /// The static body.
  const struct chasles_body *b;
  /// The pose of A at time 0, in B's frame.
  struct chasles_pose start;
  /// The pose of A at time 1, in B's frame.
  struct chasles_pose end;
} chasles_query;

/// The distance of two bodies.
typedef struct chasles_separation {
  /// A proven lower bound, in metres; 0 if the surfaces intersect.
  double lower;
  /// A proven upper bound, in metres.
  double upper;
  /// A point of A's surface, in the common frame of the poses, in metres.
  double point_a[3];
  /// A point of B's surface, at a distance of at most `upper` from `point_a`, up to rounding.
  double point_b[3];
} chasles_separation;

/// The files and settings of a cell. Start with the result of `chasles_cell_source_default`. Paths are in UTF-8.
typedef struct chasles_cell_source {
  /// The robot's file, in URDF. Must not be NULL.
  const char *urdf;
  /// NULL; or the text of the robot, in place of the content of the file `urdf`, which then need not exist: its
  /// name is used in messages, and meshes are searched for beside it.
  const char *urdf_text;
  /// The file of the pairs of links that are not tested, in SRDF; NULL: there is none. Links that one joint
  /// connects are never tested.
  const char *srdf;
  /// The scene file of the bodies around the robot and on its links; NULL: there are none.
  const char *world;
  /// The pose of the robot's root link in the world.
  struct chasles_pose base;
  /// Pairs that come this close, in metres, have the verdict `CHASLES_VERDICT_NEAR`, and block edges and
  /// configurations. A negative number: the world's clearance, or 0 if the world has none.
  double clearance;
  /// The names of hollow links and hollow bodies of the world, one per line, or `all`. NULL: closed links and
  /// bodies are solid, except bodies with `solid = false` in the world. A body that is wholly inside a solid one
  /// is in contact. `all`: links are hollow, and so are bodies without `solid = true`.
  const char *hollow;
  /// A folder that must contain the files of the robot and its world, and all files that these name, after links
  /// are resolved. NULL: files may be anywhere.
  const char *confine;
} chasles_cell_source;

/// The range of a joint's values.
typedef struct chasles_joint_limits {
  /// The minimum value, in radians or metres; minus infinity if there is no limit.
  double least;
  /// The maximum value, in radians or metres; infinity if there is no limit.
  double greatest;
} chasles_joint_limits;

/// The answer about a path. Read `verdict` first. Numbers without meaning are NaN, or -1 in `a`, `b`, `segment`,
/// `feature_a` and `feature_b`.
typedef struct chasles_path_answer {
  /// The worst verdict of all pairs: of two links, or of a link and a body of the world.
  chasles_verdict verdict;
  /// The features of the first contact.
  chasles_feature_kind kind;
  /// The reason why the pair `a`, `b` is undecided.
  chasles_doubt doubt;
  /// For a contact: 1 if the surfaces may only touch, 0 if it is proven that they pass through each other.
  uint32_t touching;
  /// The time of the path, in seconds, before which the absence of contact is proven.
  double clear_until;
  /// The enclosure [lo, hi] of the time at which the first pair collides, or comes as close as the clearance, in
  /// seconds.
  double time[2];
  /// The segment of the path in which that is; segment 0 is between the first two waypoints.
  int64_t segment;
  /// The first body of the pair that collides first, by its number.
  int64_t a;
  /// The second body of that pair.
  int64_t b;
  /// The features of `a`, as in `chasles_prediction`.
  int64_t feature_a[2];
  /// The features of `b`.
  int64_t feature_b[2];
  /// The point of contact in the world, in metres.
  double point[3];
  /// The unit normal of the contact from `a` to `b`, in the world.
  double normal[3];
} chasles_path_answer;

/// The joints of a planner. Start with the result of `chasles_edge_options_default`.
typedef struct chasles_edge_options {
  /// The joints that the planner sets, by their numbers in `chasles_cell_joint_name`, in the order of its values;
  /// NULL: all joints that can be set, in that order.
  const size_t *joints;
  /// The number of these joints; 0 if `joints` is NULL.
  size_t joint_count;
  /// The values of the joints that the planner does not set: `chasles_cell_joint_count` values, of which the
  /// values of the planner's own joints are ignored; NULL: the rest values, which are 0 or the middle of limits
  /// that exclude 0.
  const double *values;
  /// The maximum number of steps of work for an edge; an edge that needs more is undecided. A step takes between
  /// 10 ns and 1 us.
  uint64_t budget;
  /// Steps of work for precomputation, for each two groups of links that few joints connect; with 0, hardly any
  /// data is precomputed. More steps make edges faster and the checker slower to build: a million take about 40
  /// ms for each two groups.
  uint64_t preparation;
} chasles_edge_options;

/// The answer about a configuration, or about an edge: the straight line in joint space from one configuration to
/// another.
typedef struct chasles_edge {
  /// `CHASLES_VERDICT_CLEAR`: no pair touches anywhere on the edge, proven. `CHASLES_VERDICT_CONTACT`: a pair is in
  /// contact or closer than its clearance, at the start or later. `CHASLES_VERDICT_UNDECIDED`: neither is proven.
  chasles_verdict verdict;
  /// The first body of the pair that is in contact or undecided, by its number in the cell; -1 if the edge is clear.
  int64_t a;
  /// The second body of that pair.
  int64_t b;
  /// The contact, which need not be the first, is between these two fractions of the edge, in [0, 1]; NaN if
  /// there is none.
  double at[2];
} chasles_edge;

/// The free part of an edge.
typedef struct chasles_edge_reach {
  /// The edge is proven free up to this fraction; 1 if all of it is free.
  double free_until;
  /// The first body of the pair of the first contact found, by its number in the cell. The contact starts no
  /// earlier than `free_until`. -1 if the edge is free, or if no contact is proven after `free_until`.
  int64_t a;
  /// The second body of that pair.
  int64_t b;
  /// The contact is between these two fractions of the edge; NaN if none was found.
  double at[2];
} chasles_edge_reach;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// The message of the last failed call of this thread, in UTF-8: what was wrong, where, what was found and what was
/// expected. Empty if no call has failed. It stays valid and unchanged until another call of this thread fails.
/// Never NULL; do not free it.
///
/// Threads: each has its own message.
const char *chasles_last_error(void);

/// The version of the library, such as `0.1.0`. Do not free it.
///
/// Threads: any, at any time.
const char *chasles_version(void);

/// The `CHASLES_INTERFACE_VERSION` of the library at run time.
///
/// Threads: any, at any time.
uint32_t chasles_interface_version(void);

/// The identity pose.
///
/// Threads: any, at any time.
struct chasles_pose chasles_pose_identity(void);

/// A pose from a rigid 4 by 4 matrix.
///
/// @param matrix 16 numbers, column by column: `matrix[4 * column + row]`, as in `Eigen::Isometry3d::data()` and
/// OpenGL. The last column is the position, in metres.
/// @param pose Where the pose is written.
///
/// A matrix that scales, shears or mirrors by more than 1e-6 is rejected. Below that, a rotation near the matrix is
/// used: the pose is as exact as the matrix is rigid.
///
/// Threads: any, at any time.
chasles_status chasles_pose_from_matrix(const double *matrix,
                                        struct chasles_pose *pose);

/// Makes a body from a mesh.
///
/// @param vertices The vertices, three numbers each (x, y, z), in metres, in the body's frame.
/// @param vertex_count The number of vertices: `vertices` has three times as many numbers.
/// @param triangles The triangles, three vertex numbers each, counted from 0.
/// @param triangle_count The number of triangles, at least one: `triangles` has three times as many numbers.
/// @param body Where the handle is written; NULL if the call fails.
///
/// The surface need not be closed, and triangles may be degenerate. Both arrays are copied.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
chasles_status chasles_body_mesh(const double *vertices,
                                 size_t vertex_count,
                                 const uint32_t *triangles,
                                 size_t triangle_count,
                                 struct chasles_body **body);

/// Makes a box, centred at the origin of its frame, with its edges along the axes.
///
/// @param x,y,z The full sizes, in metres, each greater than 0.
/// @param body Where the handle is written; NULL if the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
chasles_status chasles_body_box(double x, double y, double z, struct chasles_body **body);

/// Makes a ball, centred at the origin of its frame. It is a true ball, no polyhedron.
///
/// @param radius In metres, greater than 0.
/// @param body Where the handle is written; NULL if the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
chasles_status chasles_body_sphere(double radius, struct chasles_body **body);

/// Makes a cylinder, centred at the origin of its frame, with its axis along z. It is truly round, no polyhedron.
///
/// @param radius In metres, greater than 0.
/// @param height In metres, greater than 0.
/// @param body Where the handle is written; NULL if the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
chasles_status chasles_body_cylinder(double radius,
                                     double height,
                                     struct chasles_body **body);

/// Makes a cone, with its axis along z, its tip at z = + `height` / 2 and its base at z = - `height` / 2. It is
/// truly round, no polyhedron.
///
/// @param radius Of the base, in metres, greater than 0.
/// @param height From base to tip, in metres, greater than 0.
/// @param body Where the handle is written; NULL if the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
chasles_status chasles_body_cone(double radius,
                                 double height,
                                 struct chasles_body **body);

/// Makes a capsule: a cylinder along z with half a ball on each end, centred at the origin of its frame. It is
/// truly round, no polyhedron.
///
/// @param radius In metres, greater than 0.
/// @param height Of the cylinder, without its ends, in metres, greater than 0.
/// @param body Where the handle is written; NULL if the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
chasles_status chasles_body_capsule(double radius,
                                    double height,
                                    struct chasles_body **body);

/// The bounding box of a body in its own frame.
///
/// @param body The body.
/// @param bounds Where the bounds are written.
///
/// Threads: any, at any time.
chasles_status chasles_body_bounds(const struct chasles_body *body, struct chasles_bounds *bounds);

/// Frees a body. NULL is allowed.
///
/// Threads: any, once no other call uses the body.
void chasles_body_free(struct chasles_body *body);

/// The default options: the default tolerance, a budget of 500 million steps, all processors. NULL in place of
/// options means the same.
///
/// Threads: any, at any time.
struct chasles_options chasles_options_default(void);

/// The first contact of body A, which moves from one pose to another, with the static body B.
///
/// @param a The moving body.
/// @param b The static body, at the identity: all poses are in its frame.
/// @param start The pose of A at time 0, in B's frame.
/// @param end The pose of A at time 1, in B's frame.
/// @param options Options of the query; NULL: the defaults.
/// @param prediction Where the answer is written.
///
/// A moves between the poses along the one screw that joins them with the smaller angle: it rotates about an axis
/// and slides along it, both at constant speed. (If B moves too, give A's poses in the frame of B, provided that
/// the relative motion is such a screw.) Guarantee: `CHASLES_VERDICT_CLEAR`, and the time before an enclosure, are
/// proven in continuous time for the whole surfaces, rounding included. Only surfaces count: a body that is wholly
/// inside another does not touch it.
///
/// Threads: any, at any time.
chasles_status chasles_first_contact(const struct chasles_body *a,
                                     const struct chasles_body *b,
                                     const struct chasles_pose *start,
                                     const struct chasles_pose *end,
                                     const struct chasles_options *options,
                                     struct chasles_prediction *prediction);

/// As `chasles_first_contact`, for a screw that is given by its axis, with any number of revolutions.
///
/// @param a The moving body.
/// @param b The static body, at the identity: all poses are in its frame.
/// @param start The pose of A at time 0, in B's frame.
/// @param screw The axis, with the slide along it and the angle about it from time 0 to 1.
/// @param options Options of the query; NULL: the defaults.
/// @param prediction Where the answer is written.
///
/// Threads: any, at any time.
chasles_status chasles_first_contact_on_screw(const struct chasles_body *a,
                                              const struct chasles_body *b,
                                              const struct chasles_pose *start,
                                              const struct chasles_screw_axis *screw,
                                              const struct chasles_options *options,
                                              struct chasles_prediction *prediction);

/// Many first contacts at a time, on all threads. Each answer has the same bits as from `chasles_first_contact`.
///
/// @param queries The queries. A body may occur in any number of them, as A or as B.
/// @param count The number of queries.
/// @param options Options of all queries; NULL: the defaults.
/// @param predictions `count` places, written in the order of the queries.
///
/// All queries are checked first. If one of them is invalid, the call fails, the message has its number, counted
/// from 0, and no answer is written.
///
/// Threads: any, at any time. When the call returns, all queries are answered, and its own threads are gone or idle.
chasles_status chasles_first_contacts(const struct chasles_query *queries,
                                      size_t count,
                                      const struct chasles_options *options,
                                      struct chasles_prediction *predictions);

/// The distance of two bodies at fixed poses. Only surfaces count: for a body wholly inside another, the result is
/// the distance of the surfaces.
///
/// @param a The first body.
/// @param pose_a Its pose, in any frame that both poses share.
/// @param b The second body.
/// @param pose_b Its pose, in the same frame.
/// @param separation Where the answer is written.
///
/// Both bounds are proven. They differ by at most 1e-9 of the distance or 1e-12 of the larger body, except for
/// meshes that are too close together over too many triangles for 10 million steps of work.
///
/// Threads: any, at any time.
chasles_status chasles_distance(const struct chasles_body *a,
                                const struct chasles_pose *pose_a,
                                const struct chasles_body *b,
                                const struct chasles_pose *pose_b,
                                struct chasles_separation *separation);

/// Whether the surfaces of two bodies intersect at fixed poses.
///
/// @param a The first body.
/// @param pose_a Its pose, in any frame that both poses share.
/// @param b The second body.
/// @param pose_b Its pose, in the same frame.
/// @param intersects Where 1 is written if they intersect, and 0 otherwise.
///
/// For two meshes the answer is exact for the transformed vertices. Round bodies count as intersecting unless they
/// are proven separated.
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
/// @param source The files and settings of the cell.
/// @param cell Where the handle is written; NULL if the call fails.
///
/// Invalid files give `CHASLES_STATUS_FILE`, with file and line in the message. Merely doubtful input gives
/// warnings: see `chasles_cell_warning`.
///
/// Threads: any, at any time. The handle is freed by `chasles_cell_free`.
chasles_status chasles_cell_read(const struct chasles_cell_source *source,
                                 struct chasles_cell **cell);

/// The number of joints that can be set: joints that are neither fixed nor follow another. A configuration has one
/// value for each such joint.
///
/// @param cell The cell; for NULL the result is 0.
///
/// Threads: any, at any time.
size_t chasles_cell_joint_count(const struct chasles_cell *cell);

/// The name of a joint that can be set. The order is the order of a configuration's values, which is the order of
/// the file.
///
/// @param cell The cell.
/// @param joint The number of the joint, from 0.
///
/// The text belongs to the cell. NULL if there is no such joint.
///
/// Threads: any, at any time.
const char *chasles_cell_joint_name(const struct chasles_cell *cell,
                                    size_t joint);

/// The limits of a joint that can be set.
///
/// @param cell The cell.
/// @param joint The number of the joint, from 0, as in `chasles_cell_joint_name`.
/// @param limits Where the limits are written.
///
/// Threads: any, at any time.
chasles_status chasles_cell_joint_limits(const struct chasles_cell *cell,
                                         size_t joint,
                                         struct chasles_joint_limits *limits);

/// The number of bodies: the links of the robot, then the bodies of the world.
///
/// @param cell The cell; for NULL the result is 0.
///
/// Threads: any, at any time.
size_t chasles_cell_body_count(const struct chasles_cell *cell);

/// The name of a link or a body of the world.
///
/// @param cell The cell.
/// @param body The number of the body, from 0, as in answers.
///
/// The text belongs to the cell. NULL if there is no such body.
///
/// Threads: any, at any time.
const char *chasles_cell_body_name(const struct chasles_cell *cell, size_t body);

/// The number of warnings about the files of a cell.
///
/// @param cell The cell; for NULL the result is 0.
///
/// Threads: any, at any time.
size_t chasles_cell_warning_count(const struct chasles_cell *cell);

/// A warning about the files of a cell, in a sentence: input that was ignored or looks wrong.
///
/// @param cell The cell.
/// @param warning The number of the warning, from 0.
///
/// The text belongs to the cell. NULL if there is no such warning.
///
/// Threads: any, at any time.
const char *chasles_cell_warning(const struct chasles_cell *cell, size_t warning);

/// Whether a path of a robot is free, and if not, the first contact and its time.
///
/// @param cell The cell.
/// @param times The times of the waypoints, in seconds, increasing.
/// @param configurations The waypoints, one after the other: each `chasles_cell_joint_count(cell)` values, in
/// radians or metres, in the order of `chasles_cell_joint_name`.
/// @param count The number of waypoints, at least two.
/// @param options Options of the query; NULL: the defaults. The budget applies to each pair; the tolerance must be
/// negative, because the tolerance of the world's file applies.
/// @param answer Where the answer is written.
///
/// Every joint moves linearly between two waypoints. The links move on their true paths, including joints that
/// follow others. Guarantee: `CHASLES_VERDICT_CLEAR`, and the time before an enclosure, are proven in continuous
/// time. Pairs that do not move relative to each other on the path are not tested. Without a clearance, the path is
/// not examined after the first contact.
///
/// Threads: any, at any time. The work is divided among `options->threads` threads.
chasles_status chasles_cell_check_path(const struct chasles_cell *cell,
                                       const double *times,
                                       const double *configurations,
                                       size_t count,
                                       const struct chasles_options *options,
                                       struct chasles_path_answer *answer);

/// Frees a cell, and the texts that belong to it. NULL is allowed.
///
/// Threads: any, once no other call uses the cell.
void chasles_cell_free(struct chasles_cell *cell);

/// All joints, a budget of 10 million steps, 5 million steps of preparation. NULL in place of options means the same.
///
/// Threads: any, at any time.
struct chasles_edge_options chasles_edge_options_default(void);

/// Prepares a cell for many straight edges in joint space.
///
/// @param cell The cell, which may be freed afterwards. Its bodies must not move by themselves.
/// @param options The planner's joints; NULL: all joints.
/// @param checker Where the handle is written; NULL if the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_edge_checker_free`.
chasles_status chasles_edge_checker_make(const struct chasles_cell *cell,
                                         const struct chasles_edge_options *options,
                                         struct chasles_edge_checker **checker);

/// The number of values of a configuration: the number of joints that the planner sets.
///
/// @param checker The checker; for NULL the result is 0.
///
/// Threads: any, at any time.
size_t chasles_edge_checker_joint_count(const struct chasles_edge_checker *checker);

/// Checks the straight edge in joint space from one configuration to another.
///
/// @param checker The checker.
/// @param from A configuration: `chasles_edge_checker_joint_count` values, in radians or metres.
/// @param to Another configuration.
/// @param edge Where the answer is written.
///
/// All joints move linearly and simultaneously. Guarantee: on a clear edge no tested pair comes within the cell's
/// tolerance or its clearance, at any moment of the true motion and for the true shapes, and neither body of a
/// tested pair is inside the other if the other is solid. The tested pairs are all pairs that a joint of the robot
/// can move relative to each other, whether that joint moves on this edge or not.
///
/// Threads: any, at any time. Each thread keeps some memory for its queries until it ends.
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
/// Threads: any, at any time. Each thread keeps some memory for its queries until it ends.
chasles_status chasles_edge_checker_check_configuration(const struct chasles_edge_checker *checker,
                                                        const double *configuration,
                                                        struct chasles_edge *edge);

/// Finds the free part of the straight edge in joint space from one configuration to another, and the contact that
/// ends it. This takes longer than `chasles_edge_checker_check_edge`, which ends at any contact.
///
/// @param checker The checker.
/// @param from A configuration: `chasles_edge_checker_joint_count` values, in radians or metres.
/// @param to Another configuration.
/// @param reach Where the answer is written.
///
/// Threads: any, at any time. Each thread keeps some memory for its queries until it ends.
chasles_status chasles_edge_checker_reach(const struct chasles_edge_checker *checker,
                                          const double *from,
                                          const double *to,
                                          struct chasles_edge_reach *reach);

/// Checks many edges in one call, on all threads. Each answer is the same as from `chasles_edge_checker_check_edge`.
///
/// @param checker The checker.
/// @param from The start configurations, one after the other: `count` times `chasles_edge_checker_joint_count` values.
/// @param to The end configurations, in the same order.
/// @param count The number of edges.
/// @param options Only the number of threads is used; NULL: one thread for each processor.
/// @param edges `count` places, written in the order of the edges.
///
/// If one of the edges is invalid, the call fails, and no answer is written.
///
/// Threads: any, at any time.
chasles_status chasles_edge_checker_check_edges(const struct chasles_edge_checker *checker,
                                                const double *from,
                                                const double *to,
                                                size_t count,
                                                const struct chasles_options *options,
                                                struct chasles_edge *edges);

/// The mask of free edges: 1 for each edge that `chasles_edge_checker_check_edges` proves clear, and 0 for each
/// other edge, undecided ones included.
///
/// @param checker The checker.
/// @param from The start configurations, as in `chasles_edge_checker_check_edges`.
/// @param to The end configurations, in the same order.
/// @param count The number of edges.
/// @param options Only the number of threads is used; NULL: one thread for each processor.
/// @param mask `count` places, written in the order of the edges.
///
/// If one of the edges is invalid, the call fails, and nothing is written.
///
/// Threads: any, at any time.
chasles_status chasles_edge_checker_edges_free(const struct chasles_edge_checker *checker,
                                               const double *from,
                                               const double *to,
                                               size_t count,
                                               const struct chasles_options *options,
                                               uint8_t *mask);

/// Checks many configurations in one call, on all threads. Each answer is the same as from
/// `chasles_edge_checker_check_configuration`.
///
/// @param checker The checker.
/// @param configurations The configurations, one after the other: `count` times `chasles_edge_checker_joint_count`
/// values.
/// @param count The number of configurations.
/// @param options Only the number of threads is used; NULL: one thread for each processor.
/// @param edges `count` places, written in the order of the configurations.
///
/// If one of the configurations is invalid, the call fails, and no answer is written.
///
/// Threads: any, at any time.
chasles_status chasles_edge_checker_check_configurations(const struct chasles_edge_checker *checker,
                                                         const double *configurations,
                                                         size_t count,
                                                         const struct chasles_options *options,
                                                         struct chasles_edge *edges);

/// The mask of free configurations: 1 for each configuration that `chasles_edge_checker_check_configurations` proves
/// clear, and 0 for each other configuration, undecided ones included.
///
/// @param checker The checker.
/// @param configurations The configurations, as in `chasles_edge_checker_check_configurations`.
/// @param count The number of configurations.
/// @param options Only the number of threads is used; NULL: one thread for each processor.
/// @param mask `count` places, written in the order of the configurations.
///
/// If one of the configurations is invalid, the call fails, and nothing is written.
///
/// Threads: any, at any time.
chasles_status chasles_edge_checker_configurations_free(const struct chasles_edge_checker *checker,
                                                        const double *configurations,
                                                        size_t count,
                                                        const struct chasles_options *options,
                                                        uint8_t *mask);

/// Frees an edge checker. NULL is allowed.
///
/// Threads: any, once no other call uses the checker.
void chasles_edge_checker_free(struct chasles_edge_checker *checker);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CHASLES_H */
