//! The arguments of `chasles check`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueHint;

use super::robot::{LimitsArg, ROBOT_EXAMPLES, ROBOT_HELP, RobotArgs};
use super::values::length;

/// Tell which moving bodies, or links of a robot on a path, meet: when, where and how.
///
/// Follows every pair of bodies through the whole time of the scene or path. A clear pair is proven clear at every
/// moment; a contact comes with an enclosure of its start and of its end. Surfaces count, unless a body is solid. The
/// report lists clear pairs only with --all-pairs. Pairs at rest are tested too. Bodies that can never move are not
/// tested against each other without --static; the report names the pairs that overlap. The answer is the same, byte
/// for byte, for any number of threads.
///
/// Ctrl-C ends the check, and what is known until then is told: pairs that are not answered are undecided. Ctrl-C once
/// more ends the program at once, with status 130.
#[derive(Debug, clap::Args)]
#[command(after_long_help = check_help())]
pub(crate) struct CheckArgs {
    /// The scene: .toml, .gltf, .glb, .wrl, .x3d or a recording (.jsonl); or what follows --path: a robot (.urdf), several (.toml), or a world (.wrl or .x3d)
    ///
    /// Paths in it are relative to its folder.
    #[arg(value_name = "SCENE.toml", value_hint = ValueHint::FilePath)]
    pub(crate) scene: PathBuf,

    /// The animation of a glTF file, by its name or number, or `all` [default: all that move different nodes]
    ///
    /// Without it all animations of the file are played together, each of which holds its last key. Animations that
    /// move the same nodes are an error. `all` (or `each`) then checks these animations one after the other, each
    /// together with the animations that have no such conflict, and writes one report.
    #[arg(long, value_name = "NAME")]
    pub(crate) animation: Option<String>,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    /// Write the report as CSV too; `-` for standard output, instead of the table
    ///
    /// One row an interval, and one for each listed pair without any; the first row names the columns. Like every file
    /// that is written, it takes its name when it is whole.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) csv: Option<PathBuf>,

    /// Write the report as JUnit XML too, for build servers; `-` as for --csv
    ///
    /// A test for the whole scene, and one for each listed pair: contact, overlapping and near are failures, undecided
    /// is an error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) junit: Option<PathBuf>,

    /// Write a page that plays the motion too, with all contacts: one file, which opens without a server; `-` as for --csv
    ///
    /// It holds the shapes, the motion and the report, and asks nobody for anything.
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,

    /// Then show that page in the browser, from this machine, until Ctrl-C
    ///
    /// The exit status is that of the check. chasles view can do more.
    #[arg(long, conflicts_with = "watch")]
    pub(crate) view: bool,

    /// With --view: do not open the browser
    #[arg(long, requires = "view")]
    pub(crate) no_open: bool,

    /// List clear pairs too, each with its least gap
    ///
    /// This takes longer: how near they come has to be found out.
    #[arg(long)]
    pub(crate) all_pairs: bool,

    /// Tell the first contact alone, and end there
    ///
    /// Nothing touches before it, proven, and what comes after it is not looked at: far less work where it comes early. Listed
    /// are the pair that meets first and any that may meet no later; the end of a contact is not looked for either. Clearances
    /// play no part. Ctrl-C tells until when nothing touches.
    #[arg(long, conflicts_with_all = ["all_pairs", "clearance", "events", "at"])]
    pub(crate) first: bool,

    /// List every contact in the table, which groups many by pair without it
    ///
    /// JSON, CSV and JUnit always have all.
    #[arg(long)]
    pub(crate) all: bool,

    /// Tell every separate place at which a contact begins, in the list `contacts` of each interval (with --json)
    ///
    /// All points of a cloud that touch at that moment, all feet of a table; sorted by the numbers of a, then of b.
    #[arg(long, requires = "json")]
    pub(crate) all_contacts: bool,

    /// Tell every two features of two meshes that meet, in the list `events` of each pair (with --json)
    ///
    /// Each once, with the first time, sorted by time: a vertex and a face, or two edges. Of a body with itself they have no
    /// common vertex. Round bodies, solids and clouds have no features, and an empty list.
    #[arg(long, requires = "json", conflicts_with = "paths")]
    pub(crate) events: bool,

    /// Follow points alone: the vertices of meshes and the points of clouds against the other body, both ways
    ///
    /// The points go along their true curved paths, and for each of them all is as well proven as otherwise; between
    /// them nothing is promised, which the report says. Bodies of other shapes have points only with --spacing.
    #[arg(long)]
    pub(crate) points_only: bool,

    /// With --points-only: give all other bodies points on their surfaces too, at most so far apart
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
    /// time. ignore: the report counts such pairs without a test, and does not name other bodies that overlap and never
    /// move relative to each other.
    #[arg(long, value_name = "WHAT", value_enum, hide_possible_values = true)]
    pub(crate) standing: Option<StandingArg>,

    /// Test pairs of bodies that can never move too
    ///
    /// Two walls, or the base of a robot and its table, overlap by design. Without this option such pairs have no part
    /// in the verdict, and the report names the pairs that overlap. A scene in which no body can move needs no such
    /// option. Bodies of a robot's world are never tested against each other.
    #[arg(long = "static")]
    pub(crate) statics: bool,

    /// Report pairs that come this close as `near` [default: that of the scene]
    #[arg(long, value_name = "METRES", value_parser = length, allow_negative_numbers = true)]
    pub(crate) clearance: Option<f64>,

    /// Look at this time alone: which bodies intersect, with which triangles, and how deeply?
    ///
    /// Of a scene, or of a robot on one path, in the time of the path. Pairs that never move relative to each other are looked at
    /// too. The test is exact for the triangles as they are placed. At a jump of a motion, the pose after it counts.
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

    /// Check again whenever a file changes that was read, until Ctrl-C
    ///
    /// The exit status is that of the last check.
    #[arg(long)]
    pub(crate) watch: bool,

    /// How many pairs are worked on at a time [default: one for each processor]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Steps of work for each motion of each pair, after which it is undecided [default: 2000000000]
    ///
    /// A step takes between 10 ns and 1 us. A motion is a screw, or what lies between two keyframes.
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: Option<u64>,

    /// warn, report or refuse what is beyond the limits of joints
    ///
    /// Without it values beyond limits are an error and speeds a warning. warn: both are told on standard error and in the
    /// report. report: both are findings, listed, with exit status 1. refuse: both are an error. With warn and report the path
    /// is checked to its end.
    #[arg(long, value_name = "WHAT", value_enum, hide_possible_values = true, help_heading = "Robots")]
    pub(crate) limits: Option<LimitsArg>,

    /// What is for robots only.
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
}

/// Whether pairs at rest are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum StandingArg {
    /// They are tested like all others
    Test,
    /// They are counted, and not tested
    Ignore,
}

impl CheckArgs {
    /// The option by which something is to be shown beside the reports.
    pub(crate) fn shows(&self) -> Option<&'static str> {
        let asked = [(self.html.is_some(), "--html"), (self.view, "--view")];
        asked.into_iter().find_map(|(asked, option)| asked.then_some(option))
    }
}

/// What `chasles check --help` says after the options.
fn check_help() -> String {
    format!("{SCENE_HELP}\n\n{ROBOT_HELP}\n\n{CHECK_STATUS}\n{ROBOT_EXAMPLES}")
}

const SCENE_HELP: &str = r#"SCENES
  format = 1
  unit = "m"                         # of all lengths here and in the meshes;
                                     # "mm", "cm", "in"; reports stay in m
  duration = 2.0                     # seconds
  tolerance = 1e-7                   # metres: touching means within this;
                                     # 1e-9 of the largest body without it
  epsilon = 1e-5                     # metres, in place of tolerance for solids,
                                     # surfaces and points
  clearance = 0.01                   # metres: pairs that come this close are
                                     # reported as near; 0 without it
  [[body]]
  name = "gripper"
  mesh = "gripper.stl"               # or box = [x, y, z], sphere = r,
                                     # cylinder, cone or capsule
                                     #   = { radius = r, height = h }; or a
                                     # solid, surface or cloud as below
  scale = 1.0
  unit = "mm"                        # of this body's shape alone
  parent = "arm"                     # it rides on that body
  group = "robot"                    # not tested against others of its group
  solid = true                       # what is wholly inside counts as in
                                     # contact; its mesh must be closed
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
  pair = ["gripper", "part"]         # not tested; "*" stands for every body

  # Masses, joints and [simulation] are for chasles simulate; its recordings
  # are scenes too

MOTIONS
  keyframes  poses at times, held before and after; they take the place of
             pose. Joined by screws, or linear: positions along straight
             lines, rotations evenly the shorter way round; or step: a pose
             holds until the next, and nothing is swept between them
  screw      axis = [..], point = [..], slide = d, angle = b: on top of the
             pose, spread over the duration; any number of turns
  twist      linear = [..], angular = [..]: constant velocities of the
             body's origin and of its turning, from the pose on
  deforming  the vertices move evenly along straight lines: times = [..] and
             meshes = ["f0.ply", ..], a mesh a time, and no other shape; or
             cache = "a.pc2" or "a.mdd" (and fps = 24) beside a mesh, which
             gives the triangles; self = true in the body tests it against
             itself
  All in the frame of the parent. Any number of bodies may move at a time,
  and ride on others that move.

SOLIDS, SURFACES AND CLOUDS, in place of mesh
  implicit = "x^2 + y^2 + z^2 - 1"   # metres; solid where <= 0, within
  bounds = [[-1, -1, -1], [1, 1, 1]]
  csg = { difference = [             # or union or intersection; parts may be
    { box = [1, 1, 0.1] },           # operations, primitives, implicit, mesh,
    { sphere = 0.2, pose = {..} } ] }  # level_set, heights, half_space
  level_set = { file = "sdf.npy", spacing = 0.01, origin = [0, 0, 0] }
  heights = { file = "h.npy", spacing = [0.1, 0.1], bottom = -1.0 }
  parametric = { x = "u", y = "v", z = "u*v", u = [0, 1], v = [0, 1] }
  points = "cloud.pcd"               # or .ply or .xyz: each a ball of
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

  verdict       overlapping (from the start), contact, undecided, near (it
                comes within the clearance, and never touches) or clear; of
                the whole: the worst of its pairs, in this order
  pairs_standing, pairs_exempt
                pairs that were not tested: those that never move relative to
                each other and are rigidly joined or static (with --standing
                ignore all that are at rest), and those left out by a group, by
                name, by an SRDF or by the joint between them
  assembled     [["hand","camera"],..]: rigidly joined bodies, by a parent or
                fixed joints alone, that overlap in the model: no contact
  static_overlaps
                [["base","table"],..]: bodies that overlap and can never move:
                they have no part in the verdict, unless --static is given.
                Both lists are missing with --standing ignore
  overlaps_unknown
                where any are: so many pairs of both kinds are not decided
  contacts_at_start
                so many of the pairs meet from the start
  warnings      about the input, one sentence each; in CSV
                lines # warning: .. after the rows, in JUnit XML system-out
  nearest       where all is clear: {"a":..,"b":..,"gap_at_least":x,"gap":y,
                "gap_time":t}: no pair comes nearer than x metres, and this
                one comes as near as y
  inside        where any is: [{"body":..,"inside":..,"from":t}]: what is inside
                a closed surface that is not solid, which is no contact
  enter, exit   enclosures in seconds; enter [0,0]: from the start;
                exit null: to the end; of a near pair, when it is as close
                as the clearance
  contact       how it begins: kind, a and b as in batch --help; point and
                normal (from a to b) in the world; approach_speed in m/s;
                screw: how the moving body moves as seen from the other; none
                where a body deforms
  contacts      with --all-contacts: every separate place at which the interval
                begins, like contact; none where bodies overlap at the start
  events        with --events, of pairs of meshes: every two features that
                meet, once: {"kind":..,"a":[4],"b":[17],"time":[lo,hi],
                "point":[..],"normal":[..]}, sorted by time; of others none.
                A body that is tested against itself has a = b
  guarantee     with --points-only: "points", of the whole and of each pair: it
                holds for the points alone
  gap           0 of those that meet; of near pairs, and with --all-pairs of
                clear ones, the least distance in metres lies from
                gap_at_least to gap, which is reached at gap_time
  deviation     by so many metres what was examined may differ from the true
                shapes and motions, which is contained in verdict, gaps and
                enclosures
  why           why a pair is undecided, or an enclosure wide
  clear_until   until then nothing touches; unknown: spans about which
                nothing is proven

  With --at: {"format":1,"at":0.5,"warnings":[],"pairs":[
    {"a":"gripper","b":"part","triangles":[[4,17],[4,18]],
     "depth":0.02,"translation":[0,0,0.02]}]}                  (on one line)

  triangles     pairs of them that intersect, exact as they are placed; those
                of a link count on from each of its parts to the next
  translation   moved by so much in the world, a is parted from b; depth is
                its length: of convex bodies the least there is (of round
                ones within a thousandth), else one that is proven to do

  Two bodies with convex = true also have "interpenetrating":true,
    "inside":[0,0,0.5],"points":[{"of":"a","vertex":4,"point":[..]},..]

  interpenetrating  their insides share a point, exactly as they are placed
  inside            such a point, where any double is one
  points            vertices, edges (with "from" and "to") and faces of either
                    that are strictly inside the other"#;

const CHECK_STATUS: &str = r#"EXIT STATUS
  0  clear: proven for every pair; with --at, nothing intersects
  1  bodies overlap at the start, meet, or come near; with --at, intersect
  2  bad input or use; standard error says where, what was found and what was
     expected
  3  undecided: for some pair neither contact nor its absence is proven

EXAMPLES
  What collides?
      chasles check scene.toml

  What comes closer than 5 mm, and how close do all others come?
      chasles check --clearance 0.005 --all-pairs scene.toml

  A table to read, and files for a spreadsheet and a build server:
      chasles check --csv report.csv --junit report.xml scene.toml

  A page to look at it, which can be mailed:
      chasles check --html report.html scene.toml

  Which triangles intersect half a second after the start?
      chasles check --at 0.5 scene.toml

  When does a cloth first touch itself, and with which features?
      chasles check --json --events cloth.toml |
          jq -c '.pairs[] | select(.a == .b) | .events[0]'

  Only the vertices, and points every 2 mm on round bodies and formulas:
      chasles check --points-only --spacing 0.002 scene.toml

  Keep checking while the scene is edited:
      chasles check --watch scene.toml

  Stop a build when anything may collide:
      chasles check scene.toml > report.txt || exit 1

  The pairs and the times at which they first meet, with jq:
      chasles check --json scene.toml |
          jq -r '.pairs[] | [.a, .b, .intervals[0].enter[0]] | @tsv'
"#;
