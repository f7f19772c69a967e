//! The arguments of `chasles check`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueHint;

use super::robot::{LimitsArg, ROBOT_EXAMPLES, ROBOT_HELP, RobotArgs};
use super::values::length;

/// Check which bodies, or links of a robot on a path, collide: when, where and how.
///
/// Follows every pair of bodies over the whole duration of the scene or path. A clear pair is proven clear at every
/// moment; a contact comes with enclosures of its start and end. Only surfaces count, unless a body is solid. The
/// report lists clear pairs only with --all-pairs. Pairs at rest are tested too. Bodies that can never move are
/// tested against each other only with --static; otherwise the report names the pairs that overlap. The report is
/// the same, byte for byte, for any number of threads.
///
/// Ctrl-C ends the check and prints the results until then; unfinished pairs are undecided. A second Ctrl-C ends
/// the program at once, with status 130.
#[derive(Debug, clap::Args)]
#[command(after_long_help = check_help())]
pub(crate) struct CheckArgs {
    /// The scene: .toml, .gltf, .glb, .wrl, .x3d or a recording (.jsonl); with --path: a robot (.urdf), several
    /// robots (.toml), or a world (.wrl, .x3d)
    ///
    /// Paths in this file are relative to its folder.
    #[arg(value_name = "SCENE.toml", value_hint = ValueHint::FilePath)]
    pub(crate) scene: PathBuf,

    /// The animation of a glTF file, by name or number, or `all` [default: all together, if they move different nodes]
    ///
    /// By default all animations of the file play together, and each holds its last key. If animations move the same
    /// nodes, this is an error. `all` (or `each`) then checks these animations one after the other, each together
    /// with the animations that have no such conflict, and writes one report.
    #[arg(long, value_name = "NAME")]
    pub(crate) animation: Option<String>,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    /// Also write the report as CSV; `-` for standard output, instead of the table
    ///
    /// One row per interval, and one row for each listed pair without an interval; the first row names the columns.
    /// Like every output file, it gets its name when it is complete.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) csv: Option<PathBuf>,

    /// Also write the report as JUnit XML, for build servers; `-` as for --csv
    ///
    /// One test for the whole scene, and one test for each listed pair: contact, overlapping and near are failures,
    /// undecided is an error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) junit: Option<PathBuf>,

    /// Also write a page that plays the motion with all contacts: one file, which opens without a server; `-` as for
    /// --csv
    ///
    /// The page contains the shapes, the motion and the report, and loads no other data.
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,

    /// Then show that page in the browser, from this machine, until Ctrl-C
    ///
    /// The exit status is the status of the check. chasles view has more functions.
    #[arg(long, conflicts_with = "watch")]
    pub(crate) view: bool,

    /// With --view: do not open the browser
    #[arg(long, requires = "view")]
    pub(crate) no_open: bool,

    /// Also list clear pairs, each with its minimum gap
    ///
    /// This takes longer, because the gaps must be computed.
    #[arg(long)]
    pub(crate) all_pairs: bool,

    /// Report only the first contact, and stop there
    ///
    /// It is proven that no contact comes before it. Later times are not examined, which saves much work if the
    /// contact is early. The report lists the pair with the first contact and all pairs whose contact may come no
    /// later, without the ends of contacts. Clearances do not apply. After Ctrl-C, the report states until when no
    /// pair touches.
    #[arg(long, conflicts_with_all = ["all_pairs", "clearance", "events", "at"])]
    pub(crate) first: bool,

    /// List every contact in the table; by default many contacts are grouped by pair
    ///
    /// JSON, CSV and JUnit always list all contacts.
    #[arg(long)]
    pub(crate) all: bool,

    /// List every separate place at which a contact starts, as `contacts` of each interval (with --json)
    ///
    /// For example all points of a cloud that touch at that moment, or all feet of a table; sorted by the numbers of
    /// a, then of b.
    #[arg(long, requires = "json")]
    pub(crate) all_contacts: bool,

    /// List every two features of two meshes that meet, as `events` of each pair (with --json)
    ///
    /// Each two features are listed once, with the first time, sorted by time: a vertex and a face, or two edges.
    /// For a body with itself, the features have no common vertex. Round bodies, solids and clouds have no features,
    /// so their list is empty.
    #[arg(long, requires = "json", conflicts_with = "paths")]
    pub(crate) events: bool,

    /// Test only points: the vertices of meshes and the points of clouds, each against the other body
    ///
    /// The points move along their true curved paths, and the results for each point are proven as usual. There is no
    /// guarantee between the points, as the report states. Bodies of other shapes have points only with --spacing.
    #[arg(long)]
    pub(crate) points_only: bool,

    /// With --points-only: also put points on the surfaces of all other bodies, at most this far apart
    #[arg(
        long,
        value_name = "METRES",
        value_parser = length,
        allow_negative_numbers = true,
        requires = "points_only"
    )]
    pub(crate) spacing: Option<f64>,

    /// test or ignore pairs at rest: a joint between the two does not move [default: test]
    ///
    /// Each such pair is tested by one static query, because a link that rests inside a post is in contact all the
    /// time. ignore: the report counts these pairs without a test, and does not name other overlapping bodies that
    /// never move relative to each other.
    #[arg(long, value_name = "WHAT", value_enum, hide_possible_values = true)]
    pub(crate) standing: Option<RestingPairsArg>,

    /// Also test pairs of bodies that can never move
    ///
    /// Two walls, or the base of a robot and its table, overlap by design. Without this option such pairs do not
    /// affect the verdict, and the report names the pairs that overlap. If no body of a scene can move, these pairs
    /// are tested without this option. Bodies of a robot's world are never tested against each other.
    #[arg(long = "static")]
    pub(crate) statics: bool,

    /// Report pairs that come this close as `near` [default: value of the scene]
    #[arg(long, value_name = "METRES", value_parser = length, allow_negative_numbers = true)]
    pub(crate) clearance: Option<f64>,

    /// Check only this time: which bodies and triangles intersect, and how deeply
    ///
    /// For a scene, or for a robot on one path, in the time of the path. Pairs that never move relative to each
    /// other are tested too. The test is exact for the triangles as they are placed. At a jump of a motion, the pose
    /// after it counts.
    #[arg(
        long,
        value_name = "SECONDS",
        allow_negative_numbers = true,
        conflicts_with_all = [
            "csv", "junit", "html", "view", "all", "all_pairs", "clearance", "budget", "points_only", "all_contacts",
            "events"
        ]
    )]
    pub(crate) at: Option<f64>,

    /// Check again whenever an input file changes, until Ctrl-C
    ///
    /// The exit status is the status of the last check.
    #[arg(long)]
    pub(crate) watch: bool,

    /// Number of pairs checked at a time [default: one per processor]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Steps of work for each motion of each pair, after which it is undecided [default: 2000000000]
    ///
    /// A step takes between 10 ns and 1 us. A motion is a screw, or the motion between two keyframes.
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: Option<u64>,

    /// warn, report or refuse values and speeds beyond joint limits
    ///
    /// Without this option, values beyond limits are an error and speeds a warning. warn: both appear on standard
    /// error and in the report. report: both are findings, listed in the report, with exit status 1. refuse: both
    /// are an error. With warn and report the path is checked to its end.
    #[arg(long, value_name = "WHAT", value_enum, hide_possible_values = true, help_heading = "Robots")]
    pub(crate) limits: Option<LimitsArg>,

    /// Options for robots only.
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
}

/// Whether pairs at rest are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum RestingPairsArg {
    /// Tested like all other pairs
    Test,
    /// Counted, but not tested
    Ignore,
}

impl CheckArgs {
    /// The option that writes or shows a page, if it is given.
    pub(crate) fn shows(&self) -> Option<&'static str> {
        let options = [(self.html.is_some(), "--html"), (self.view, "--view")];
        options.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }
}

/// The text of `chasles check --help` after the options.
fn check_help() -> String {
    format!("{SCENE_HELP}\n\n{ROBOT_HELP}\n\n{CHECK_STATUS}\n{ROBOT_EXAMPLES}")
}

const SCENE_HELP: &str = r#"SCENES
  format = 1
  unit = "m"                         # of all lengths here and in the meshes;
                                     # "mm", "cm", "in"; reports are in m
  duration = 2.0                     # seconds
  tolerance = 1e-7                   # metres: surfaces closer than this touch;
                                     # default: 1e-9 of the largest body
  epsilon = 1e-5                     # metres, instead of tolerance for solids,
                                     # surfaces and points
  clearance = 0.01                   # metres: pairs that come this close are
                                     # reported as near; default: 0
  [[body]]
  name = "gripper"
  mesh = "gripper.stl"               # or box = [x, y, z], sphere = r,
                                     # cylinder, cone or capsule
                                     #   = { radius = r, height = h }; or a
                                     # solid, surface or cloud as below
  scale = 1.0
  unit = "mm"                        # of this body's shape alone
  parent = "arm"                     # the body that carries this body
  group = "robot"                    # not tested against others of its group
  solid = true                       # a body wholly inside counts as in
                                     # contact; the mesh must be closed
  [body.motion]
  kind = "keyframes"                 # or one of the kinds below
  times = [0.0, 2.0]
  positions = [[0, 0, 0], [1, 0, 0]]
  rotations = [[1, 0, 0, 0], [0, 1, 0, 0]]
  interpolation = "screw"            # or "linear" or "step"

  [[body]]
  name = "part"
  box = [0.1, 0.2, 0.3]
  pose = { position = [0, 0, 2], rotation = [1, 0, 0, 0] }

  [[ignore]]
  pair = ["gripper", "part"]         # not tested; "*" means every body

  # chasles simulate also reads masses, joints and [simulation]; its recordings
  # are scenes too

MOTIONS
  keyframes  poses at times, held before and after, in place of pose. Joined by
             screws; or linear: positions along straight lines, rotations
             evenly along the shorter arc; or step: a pose holds until the
             next, and the jump sweeps no space
  screw      axis = [..], point = [..], slide = d, angle = b: applied to the
             pose, spread over the duration; any number of revolutions
  twist      linear = [..], angular = [..]: constant velocities of the body's
             origin and of its rotation, starting at the pose
  deforming  the vertices move evenly along straight lines: times = [..] and
             meshes = ["f0.ply", ..], one mesh per time, and no other shape; or
             cache = "a.pc2" or "a.mdd" (and fps = 24) beside a mesh, which
             gives the triangles; self = true in the body tests it against
             itself
  All motions are in the frame of the parent. Any number of bodies may move at a
  time, and a moving body may carry others.

SOLIDS, SURFACES AND CLOUDS, in place of mesh
  implicit = "x^2 + y^2 + z^2 - 1"   # metres; solid where <= 0, within
  bounds = [[-1, -1, -1], [1, 1, 1]]
  csg = { difference = [             # or union or intersection; parts may be
    { box = [1, 1, 0.1] },           # operations, primitives, implicit, mesh,
    { sphere = 0.2, pose = {..} } ] }  # level_set, heights, half_space
  level_set = { file = "sdf.npy", spacing = 0.01, origin = [0, 0, 0] }
  heights = { file = "h.npy", spacing = [0.1, 0.1], bottom = -1.0 }
  parametric = { x = "u", y = "v", z = "u*v", u = [0, 1], v = [0, 1] }
  points = "cloud.pcd"               # or .ply or .xyz; each point is a ball of
  radius = 0.005

THE REPORT with --json
  {"format":1,"verdict":"contact","duration":2.0,"bodies":2,
   "pairs_tested":1,"pairs_standing":0,"pairs_exempt":0,
   "contacts_at_start":0,"tolerance":1e-7,"clearance":0.01,"warnings":[],
   "pairs":[
    {"a":"gripper","b":"part","verdict":"contact","intervals":[
      {"enter":[lo,hi],"exit":[lo,hi],"touching":false,"contact":{
        "kind":"vertex-face","a":[4],"b":[17],"point":[..],"normal":[..],
        "touching":false,"approach_speed":v,"screw":{..}}}],
     "gap":0.0,"deviation":0.0}]}                              (on one line)

  verdict       overlapping (at the start), contact, undecided, near (the pair
                comes within the clearance, and never touches) or clear; for the
                whole report the worst of its pairs, in this order
  pairs_standing, pairs_exempt
                pairs that were not tested: rigidly joined or static pairs (with
                --standing ignore all pairs at rest), and pairs excluded by a
                group, by name, by an SRDF or by the joint between them
  assembled     [["hand","camera"],..]: rigidly joined bodies, by a parent or
                fixed joints alone, that overlap in the model: no contact
  static_overlaps
                [["base","table"],..]: overlapping bodies that can never move.
                They affect the verdict only with --static. Both lists are
                missing with --standing ignore
  overlaps_unknown
                the number of undecided pairs of both kinds, if any
  contacts_at_start
                the number of pairs in contact from the start
  warnings      about the input, one sentence each; in CSV
                lines # warning: .. after the rows, in JUnit XML system-out
  nearest       if all pairs are clear: {"a":..,"b":..,"gap_at_least":x,"gap":y,
                "gap_time":t}: no pair comes closer than x metres, and this pair
                comes as close as y
  inside        if any: [{"body":..,"inside":..,"from":t}]: a body is inside a
                closed surface that is not solid, which is no contact
  enter, exit   enclosures in seconds; enter [0,0]: from the start;
                exit null: to the end; for a near pair, of the time within the
                clearance
  contact       at the start of the interval: kind, a and b as in batch --help;
                point and normal (from a to b) in the world; approach_speed in
                m/s; screw: the motion of the moving body as seen from the
                other; missing if a body deforms
  contacts      with --all-contacts: every separate place at which the interval
                starts, like contact; empty if bodies overlap at the start
  events        with --events, for pairs of meshes: every two features that
                meet, once: {"kind":..,"a":[4],"b":[17],"time":[lo,hi],
                "point":[..],"normal":[..]}, sorted by time; empty for others.
                A body that is tested against itself has a = b
  guarantee     with --points-only: "points", for the whole and for each pair:
                the results hold for the points alone
  gap           0 for pairs in contact; for near pairs, and with --all-pairs for
                clear pairs, the minimum distance in metres lies from
                gap_at_least to gap, which is reached at gap_time
  deviation     the maximum distance in metres of the examined shapes and
                motions from the true ones; verdict, gaps and enclosures already
                include it
  why           why a pair is undecided, or an enclosure wide
  clear_until   proven free of contact until then; unknown: intervals in which
                contact is undecided

  With --at: {"format":1,"at":0.5,"warnings":[],"pairs":[
    {"a":"gripper","b":"part","triangles":[[4,17],[4,18]],
     "depth":0.02,"translation":[0,0,0.02]}]}                  (on one line)

  triangles     pairs of triangles that intersect, exact as they are placed; the
                triangles of a link are numbered through all its parts
  translation   moved by this vector in the world, a is separated from b; depth
                is its length: the minimum for convex bodies (for round bodies
                to a thousandth), otherwise proven to suffice

  Two bodies with convex = true also have "interpenetrating":true,
    "inside":[0,0,0.5],"points":[{"of":"a","vertex":4,"point":[..]},..]

  interpenetrating  their interiors share a point, exactly as they are placed
  inside            such a point, if a double can represent one
  points            vertices, edges (with "from" and "to") and faces of either
                    body that are strictly inside the other"#;

const CHECK_STATUS: &str = r#"EXIT STATUS
  0  clear: proven for every pair; with --at, no bodies intersect
  1  bodies overlap at the start, touch, or come near; with --at, intersect
  2  bad input or usage; standard error says where, what was found and what was
     expected
  3  undecided: for some pair neither contact nor its absence is proven

EXAMPLES
  Which bodies collide?
      chasles check scene.toml

  Which pairs come closer than 5 mm, and how close do all others come?
      chasles check --clearance 0.005 --all-pairs scene.toml

  A table to read, and files for a spreadsheet and a build server:
      chasles check --csv report.csv --junit report.xml scene.toml

  A page that shows the motion, and can be mailed:
      chasles check --html report.html scene.toml

  Which triangles intersect half a second after the start?
      chasles check --at 0.5 scene.toml

  When does a cloth first touch itself, and with which features?
      chasles check --json --events cloth.toml |
          jq -c '.pairs[] | select(.a == .b) | .events[0]'

  Only the vertices, and points every 2 mm on round bodies and formulas:
      chasles check --points-only --spacing 0.002 scene.toml

  Check again whenever the scene is edited:
      chasles check --watch scene.toml

  Stop a build if a contact is possible:
      chasles check scene.toml > report.txt || exit 1

  The pairs and the times of their first contacts, with jq:
      chasles check --json scene.toml |
          jq -r '.pairs[] | [.a, .b, .intervals[0].enter[0]] | @tsv'
"#;
