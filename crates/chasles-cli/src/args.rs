//! The arguments of the program and the help that goes with them.

mod impulse;
mod jog;
mod robot;
mod shown;
mod screen;
mod simulate;
mod view;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use chasles_formats::info::AxisScrew;
use clap::{Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use glam::DVec3;

pub(crate) use self::impulse::ImpulseArgs;
pub(crate) use self::jog::{JogArgs, PairsArgs};
pub(crate) use self::robot::{CellArgs, LimitsArg, RobotArgs};
use self::robot::{ROBOT_EXAMPLES, ROBOT_HELP, package};
pub(crate) use self::screen::{Resolution, ScreenArgs};
pub(crate) use self::shown::{RenderArgs, ShownArgs};
pub(crate) use self::simulate::SimulateArgs;
pub(crate) use self::view::ViewArgs;

/// When, where and how moving things collide: proven, not sampled.
#[derive(Debug, Parser)]
#[command(
    name = "chasles",
    version,
    arg_required_else_help = true,
    long_about = "When, where and how moving things collide: proven, not sampled.\n\n\
        Chasles follows rigid bodies along their motion in continuous time. What it calls clear is clear at every \
        moment, not only at the moments that were looked at; what it calls a contact comes with an enclosure of its \
        time, the features that meet, the point and the normal. What it could not prove it calls undecided.\n\n\
        Lengths are in metres, angles in radians, quaternions (w, x, y, z).",
    after_help = EXIT_STATUS,
    after_long_help = ROOT_HELP
)]
pub(crate) struct Args {
    /// What is to be done.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(Box<CheckArgs>),
    Render(Box<RenderArgs>),
    View(Box<ViewArgs>),
    Batch(BatchArgs),
    Impulse(ImpulseArgs),
    Simulate(SimulateArgs),
    Screen(Box<ScreenArgs>),
    Info(InfoArgs),
    Jog(JogArgs),
    Pairs(PairsArgs),
    Completions(CompletionsArgs),
}

const EXIT_STATUS: &str = "\
Exit status: 0 done, 2 bad input or use (told on standard error); of check, screen and simulate also 1 contact or near, 3 undecided; of impulse 3 not solved.
--help says more than -h: formats, examples, the exit status of each command.";

const ROOT_HELP: &str = "\
EXIT STATUS
  0  done: every question was answered; of check and screen: everything keeps clear
  1  of check and screen: bodies meet, or come within the clearance; of simulate: they are too deep in each other
  2  bad input or use; standard error says what was found where, and what was expected
  3  of check, screen and simulate: undecided; of impulse: a problem has no solution; of simulate: a body was crushed

EXAMPLES
  Which bodies of this scene collide, when and where?
      chasles check scene.toml

  Is this path of a robot free?
      chasles check arm.urdf --path pick.csv --world cell.toml

  When do the pairs in problems.jsonl first touch?
      chasles batch problems.jsonl -o answers.jsonl

  How fast are these bodies after they collide?
      chasles impulse problems.jsonl -o answers.jsonl

  How do the bodies of this scene move, bounce and come to rest?
      chasles simulate scene.toml -o run.jsonl

  Where all along its motion does this part collide, and which of its faces lead?
      chasles screen scene.toml --pair gripper part

  Is this mesh closed, and how large is it?
      chasles info part.stl

  Help on a command, with its formats:
      chasles batch --help";

/// Tell which moving bodies, or links of a robot on a path, meet: when, where and how.
///
/// Follows every pair of bodies through the whole time of the scene or path. What is called clear is proven clear at every moment;
/// a contact comes with an enclosure of its begin and end. Surfaces count, unless a body is solid. Clear pairs are
/// not listed unless asked for. Pairs that never move relative to each other are counted, and tested with --standing. The answer is the same, byte for byte, for any number of threads.
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

    /// The animation of a glTF file, by its name or number [default: the first]
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

    /// Test pairs that never move relative to each other too
    ///
    /// Without it they are counted, and not tested: two bodies that overlap and stand are not told. Pairs of one group, ignored
    /// pairs, links that one joint joins and those that the SRDF disables stay untested.
    #[arg(long)]
    pub(crate) standing: bool,

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
   "contacts_at_start":0,"tolerance":1e-7,"clearance":0.01,"pairs":[
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
                each other (--standing tests them), and those left out by a
                group, by name, by an SRDF or by the joint between them
  contacts_at_start
                so many of the pairs meet from the start
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

  With --at: {"format":1,"at":0.5,"pairs":[
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

/// Answer pair problems: when and how does mesh A, moving along a screw, touch mesh B?
///
/// Reads one problem a line and prints one answer a line, in the same order; blank lines are skipped. Each answer
/// appears as soon as those before it are there, and memory does not grow with the number of problems. A line that is
/// bad, or whose meshes cannot be read, gets an answer that says so, and the others are answered none the less. The
/// answers are the same, byte for byte, for any number of threads.
#[derive(Debug, clap::Args)]
#[command(after_long_help = BATCH_HELP)]
pub(crate) struct BatchArgs {
    /// The problems, one JSON object a line; `-` for standard input
    ///
    /// Mesh paths are relative to the folder of this file; to the current folder where it is standard input.
    #[arg(value_name = "PROBLEMS.jsonl", value_hint = ValueHint::FilePath)]
    pub(crate) problems: PathBuf,

    /// List every contact of two features, not only the first
    ///
    /// A contact's answer then has a list `contacts`, sorted by time. This takes longer: the search cannot stop at the
    /// first.
    #[arg(long)]
    pub(crate) all: bool,

    /// With --all: tell of each contact how proper it is, and whether screen would keep it
    ///
    /// Each of `contacts` then also has `properness`, `proper` and `kept`: see chasles screen --help.
    #[arg(long, requires = "all")]
    pub(crate) proper: bool,

    /// With --all: group the contacts that begin within so much time of the first of their group
    #[arg(long, value_name = "DT", value_parser = time, allow_negative_numbers = true, requires = "all")]
    pub(crate) concurrent: Option<f64>,

    /// How many problems are worked on at a time [default: one for each processor]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Write the answers to this file; `-` for standard output
    ///
    /// FILE is there when the last answer is. If the run is stopped, a FILE that was there before is as it was; who
    /// wants to keep the answers that are done by then prints them: chasles batch all.jsonl > FILE.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Steps of work for each problem, after which it is undecided [default: 2000000000]
    ///
    /// A step takes between 10 ns and 1 us. Without this option only problems that could run for minutes are given up.
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: Option<u64>,

    /// Surfaces closer than this touch [default: 1e-9 of the larger body]
    ///
    /// By default 1e-9 of the larger of the diagonals of the two bounding boxes.
    #[arg(long, value_name = "METRES", value_parser = length, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
}

const BATCH_HELP: &str = r#"PROBLEMS
  {"name":"p1","a":{"mesh":"a.obj"},"b":{"mesh":"b.stl"},"pose0":[0,0,2,1,0,0,0],"pose1":[0,0,0,1,0,0,0]}
  {"name":"p2","a":{"mesh":"a.obj"},"b":{"mesh":"b.stl"},"pose0":[0,0,2,1,0,0,0],
   "screw":{"s":[0,0,1],"p":[0,0,0],"d":-2,"b":6.283}}         (on one line)

  pose0, pose1  the pose of A: x, y, z and the quaternion qw, qx, qy, qz;
                B stands at the identity
  pose1         A moves to it along the screw that joins the two poses,
                turning by at most half a turn
  screw         or, on top of pose0: the axis through p along s, a slide d
                and an angle b; any number of turns

  Time runs over [0, 1]. Meshes are OBJ, STL, PLY, OFF or DAE files; they
  may be open, non-convex, in pieces. Surfaces count: a body wholly inside
  another does not touch it.

ANSWERS
  {"name":"p1","verdict":"clear"}
  {"name":"p1","verdict":"contact","time":[lo,hi],"contact":{..}}
  {"name":"p1","verdict":"overlapping","pairs":[[fa,fb],..]}
  {"name":"p1","verdict":"undecided","clear_until":t,"why":".."}
  {"name":"p1","verdict":"error","error":".."}

  clear         proven: nothing comes closer than the tolerance, ever
  contact       proven free before lo, and met by hi; see below
  overlapping   the surfaces intersect at the start: which triangles do
  undecided     proven free until t, but not beyond; "why" begins with
                "budget: ", "memory: " or "rounding: "
  error         the line is bad, or a mesh: where, what was found and what
                was expected; "name" is null where it could not be read

CONTACTS
  {"kind":"vertex-face","a":[4],"b":[17],"point":[x,y,z],"normal":[x,y,z],
   "touching":false,"approach_speed":v}                        (on one line)

  kind          vertex-face, face-vertex or edge-edge
  a, b          the vertex, as the file numbers them from 0; the face, counting
                triangles from 0 after polygons are cut; or the two vertices
                of the edge
  point         in metres, in the frame of B
  normal        from A to B, one long
  touching      true where the surfaces are not proven to pass through each
                other
  approach_speed
                along the normal, in metres per unit of time
  With --all the answer also has "contacts": every contact of two features,
  each with its own "time":[lo,hi]; and where rounding leaves open whether
  others meet, how many: "doubtful". With --proper each of them also has
  "properness", "proper" and "kept", and with --concurrent the answer has
  "concurrent":[[0,1],[2]], places in that list.

FEATURES
  {"name":"q1","vertex_face":[P,A,B,C, P,A,B,C],"distance":0}  at t = 0, at t = 1
  {"name":"q2","edge_edge":[A,B,C,D, A,B,C,D]}                 each [x,y,z]
  When do a vertex and a face, or two edges, whose vertices move evenly along
  straight lines, come within a distance, 0 if absent? The answer is exact; its
  contact has u and v: P and (1-u-v)A + uB + vC, or (1-u)A + uB and
  (1-v)C + vD, are the nearest points.

EXIT STATUS
  0  every line was answered
  2  a line was answered with an error, or the problems could not be read or
     the answers not written

EXAMPLES
  Answer a file of problems with all processors; a bar shows how far it is:
      chasles batch problems.jsonl -o answers.jsonl

  The names of those that collide, with jq:
      chasles batch problems.jsonl | jq -r 'select(.verdict == "contact") | .name'

  Problems from another program, with all contacts:
      make-problems | chasles batch --all -"#;

/// Tell what is in a file: triangles, pieces, faults, and whether a mesh is closed.
///
/// Reads meshes (OBJ, STL, PLY, OFF, COLLADA, and OctoMap's maps), told apart by the name of the file, or by its content where that
/// says nothing, points (.xyz, .pcd), arrays of NumPy (.npy), scenes (.toml) with all that they name, recordings of them (.jsonl), scenes in glTF
/// (.gltf, .glb), worlds in VRML97 and X3D (.wrl, .x3d) and robots (.urdf).
/// Before edges are counted, vertices that are equal bit for bit are merged.
#[derive(Debug, clap::Args)]
#[command(after_long_help = INFO_HELP)]
pub(crate) struct InfoArgs {
    /// The file: .obj, .stl, .ply, .off, .dae, .bt, .ot, .xyz, .pcd, .npy, .toml, .gltf, .glb, .wrl, .x3d, .urdf, several robots (.toml) or a recording (.jsonl)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    /// Of a robot: the folder of a package that meshes are named by; may be given several times
    ///
    /// Without it, the package is looked for in the folder of the robot's file, then in those above.
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    pub(crate) packages: Vec<(String, PathBuf)>,

    /// Of a robot: its SRDF, whose postures are told
    #[arg(long, value_name = "FILE.srdf", value_hint = ValueHint::FilePath)]
    pub(crate) srdf: Option<PathBuf>,

    /// Of a mesh: how its surface faces a screw, by the direction of its axis, a point of it, slide and angle
    ///
    /// The direction need not be one long. Slide in the unit of the file, angle in radians.
    #[arg(
        long,
        value_name = "sx,sy,sz,px,py,pz,d,b",
        value_parser = axis_screw,
        allow_hyphen_values = true
    )]
    pub(crate) screw: Option<AxisScrew>,

    /// Of a mesh: the closed convex pieces that it consists of, which `convex = true` wants; else why it does not
    #[arg(long, conflicts_with = "screw")]
    pub(crate) pieces: bool,

    /// Of a mesh, a scene (.toml) or a recording of one: volume, mass, centre of mass and inertia, filled evenly with this mass per volume
    ///
    /// Of a scene in kg/m^3; of a mesh, which has no unit, in mass per cube of its unit.
    #[arg(
        long,
        value_name = "D",
        value_parser = density,
        allow_negative_numbers = true,
        conflicts_with_all = ["screw", "pieces"]
    )]
    pub(crate) density: Option<f64>,
}

const INFO_HELP: &str = r#"FACTS
  {"format":1,"kind":"mesh","vertices":8,"triangles":12,"closed":true,
   "pieces":1,"degenerate_triangles":0,"non_manifold_edges":0,
   "bounds":[[0,0,0],[1,1,1]],"warnings":[]}                   (on one line)

  vertices              as in the file; of an STL, which repeats them, the
                        different ones
  triangles             after polygons are cut
  closed                every edge has exactly two triangles
  pieces                sets of triangles joined by edges
  degenerate_triangles  their area is exactly zero
  non_manifold_edges    they have more than two triangles
  bounds                of the triangles, in the unit of the file; null where
                        there are none
  warnings              what was passed over or looks wrong
  facing                with --screw: {"forward":3.0,"backward":3.0,"along":0.0,
                        "faces":{"forward":4,"backward":4,"split":4,"along":0},
                        "edges":18,"culled_edges":0}: the area that leads on the
                        way, trails, or slides along itself, in square metres;
                        how many faces do, or do both; how many edges there
                        are, and have no leading face at either end
  mass                  with --density: {"density":2,"volume":1,"mass":2,
                        "center":[..],"inertia":[[..],[..],[..]]}: the centre of
                        mass and the inertia about it in the frame of the mesh;
                        of each body of a scene likewise in its own frame, or
                        null, and "no_mass" says why. "accuracy", where it is
                        there: the share by which the volume may be wrong

  {"format":1,"kind":"pieces","convex":true,"pieces":[{"triangles":12,
   "vertices":8,"first":0,"volume":1,"bounds":[[0,0,0],[1,1,1]]}],
   "warnings":[]}                                                (with --pieces)

  convex                every piece is closed, turned outwards and convex, to
                        1e-9 of its size; else "why" names piece, edge, vertex
                        or face, and how much it is off
  pieces                sets of triangles joined by edges, each with the number
                        of its first triangle; volume and bounds in the unit of
                        the file

  {"format":1,"kind":"scene","bodies":[{"name":"wheel","triangles":2304}],
   "animations":["roll"],"triangles":2304,"bounds":[..],"warnings":[]}

  bodies                nodes of a glTF file that have triangles; links of a
                        robot that have collision geometry; of a scene (.toml)
                        all, with the key of the shape, how many parts a csg
                        has, and the box around it in its own frame:
                        {"name":"plate","triangles":0,"shape":"csg","parts":4,
                         "bounds":[..]}
  joints                of a robot: the names of those that move
  animations            their names, where there are any; of one that has
                        none its number
  bounds                in the world, at the start of the first animation;
                        of a robot at rest, seen from its root link; of a scene
                        (.toml) a box around the boxes of its bodies at time 0
  duration, tolerance,  of a scene (.toml), in seconds and metres
  epsilon, clearance

EXIT STATUS
  0  the file was read, perhaps with warnings
  2  it was not: standard error says where, what was found and what was
     expected

EXAMPLES
  The facts as a table:
      chasles info part.stl

  Which part of its surface leads when it is drilled along z, one turn a metre?
      chasles info part.stl --screw 0,0,1,0,0,0,1,6.283185307179586

  How heavy is a part of steel whose file is in millimetres, in kilograms?
      chasles info part.stl --density 7.85e-6

  Those meshes of a folder that are not closed, with jq:
      for f in *.stl; do chasles info --json "$f" | jq -e .closed >/dev/null || echo "$f"; done"#;

/// Print what lets a shell complete the arguments of chasles.
///
/// The script goes to standard output; each shell has a place of its own for it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = COMPLETIONS_HELP)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

const COMPLETIONS_HELP: &str = "\
EXAMPLES
  bash:        chasles completions bash > ~/.local/share/bash-completion/completions/chasles
  zsh:         chasles completions zsh > ~/.zfunc/_chasles     (with ~/.zfunc in fpath)
  fish:        chasles completions fish > ~/.config/fish/completions/chasles.fish
  elvish:      chasles completions elvish >> ~/.config/elvish/rc.elv
  powershell:  chasles completions powershell >> $PROFILE

EXIT STATUS
  0  the script was printed
  2  there is no such shell";

/// A length in metres that can be a tolerance.
fn length(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a finite number of metres, 0 or more".into()),
    }
}

/// A mass per volume, greater than 0.
fn density(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a finite number greater than 0".into()),
    }
}

/// A span of time, 0 or more.
fn time(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a finite time, 0 or more".into()),
    }
}

/// So many finite numbers with commas between.
fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    numbers?.try_into().ok().filter(|numbers: &[f64; N]| numbers.iter().all(|number| number.is_finite()))
}

/// A screw about an axis.
fn axis_screw(text: &str) -> Result<AxisScrew, String> {
    let expected = "expected eight finite numbers: the direction of the axis, a point of it, slide and angle";
    let [sx, sy, sz, px, py, pz, slide, angle] = numbers(text).ok_or(expected)?;
    let direction = DVec3::new(sx, sy, sz);
    if direction == DVec3::ZERO {
        return Err("found an axis of length zero, expected a direction".into());
    }
    Ok(AxisScrew { direction, point: DVec3::new(px, py, pz), slide, angle })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definitions_hold_together() {
        Args::command().debug_assert();
    }

    #[test]
    fn screws() {
        let found = axis_screw("0,0, -2,1,2,3,-0.5,9").unwrap();
        let expected = AxisScrew {
            direction: DVec3::new(0.0, 0.0, -2.0),
            point: DVec3::new(1.0, 2.0, 3.0),
            slide: -0.5,
            angle: 9.0,
        };
        assert_eq!(found, expected);
        for bad in [
            "",
            "0,0,1,0,0,0,1",
            "0,0,1,0,0,0,1,1,1",
            "0,0,0,0,0,0,1,1",
            "0,0,nan,0,0,0,1,1",
            "0,0,1,0,0,0,inf,1",
        ] {
            assert!(axis_screw(bad).is_err(), "{bad}");
        }
        assert!(
            time("0.05").is_ok() && ["-1", "nan", "inf", "1 s"].into_iter().all(|bad| time(bad).is_err())
        );
    }

    #[test]
    fn tolerances() {
        assert_eq!((length("0"), length("1e-7")), (Ok(0.0), Ok(1e-7)));
        for bad in ["-1e-9", "nan", "inf", "1 mm", ""] {
            assert!(length(bad).is_err(), "{bad}");
        }
    }
}
