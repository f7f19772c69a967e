//! The arguments of `chasles simulate`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueHint;

/// Simulate a scene: how do bodies with masses move, bounce and come to rest?
///
/// Bodies with a mass move by gravity, contacts, friction and joints; all other bodies move as the scene says.
/// Prints a summary, and with -o records the motion: chasles view plays the recording, chasles check checks it. The
/// recording is the same, byte for byte, for any number of threads.
///
/// Ctrl-C ends the simulation and keeps the recording until then. A second Ctrl-C ends the program at once, with
/// status 130.
#[derive(Debug, clap::Args)]
#[command(after_long_help = SIMULATE_HELP)]
pub(crate) struct SimulateArgs {
    /// The scene, in TOML; paths in this file are relative to its folder
    #[arg(value_name = "SCENE.toml", value_hint = ValueHint::FilePath)]
    pub(crate) scene: PathBuf,

    /// Record the motion in this file: .jsonl, .csv (a table) or .glb (for Blender); `-` for standard output,
    /// instead of the report
    ///
    /// JSON Lines and tables are written line by line during the simulation, so they can be read up to there
    /// whatever happens; an older FILE is replaced at the start. A .glb, binary glTF with an animation, is written
    /// at the end or after Ctrl-C. Standard output gets JSON Lines.
    #[arg(short, long, value_name = "RECORDING.jsonl", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Continue from the last whole line of a recording of the same scene
    ///
    /// For example after Ctrl-C, or if the scene now has a longer `duration`. With -o the whole recording is
    /// written, its old lines and then the new lines; it may be the same file. The report counts only the new part.
    #[arg(long, value_name = "RECORDING.jsonl", value_hint = ValueHint::FilePath)]
    pub(crate) from: Option<PathBuf>,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    /// Prove how deeply bodies intersect, also at all times between the records
    ///
    /// Without this option the verdict is `unchecked`.
    #[arg(long)]
    pub(crate) check: bool,

    /// Report where keyframed bodies collide, and the impulses that would follow; the motion stays the same
    ///
    /// This applies to bodies with a mass and `release = "never"`, against all other keyframed bodies. With --json
    /// each collision is one line, before the report.
    #[arg(long)]
    pub(crate) suggest: bool,

    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

const SIMULATE_HELP: &str = r#"SCENES
  As in chasles check --help, with

  [simulation]
  gravity = [0, 0, -9.81]            # m/s^2; default: 0
  step = 0.001                       # maximum step in seconds; the default
  record = 0.01                      # seconds between records; the default
  method = "both"                    # the default; "impulse", the same today;
                                     # or "spring": stiff springs at contacts
  touching = "together"              # the default: contacts that are closed at
                                     # the same moment are one problem; "one by
                                     # one": as if small gaps were between them
  depth = 1e-4                       # metres, the default: bodies that
                                     # intersect more deeply are a failure
  max_records = 1000000              # the default: more records are an error
  [[body]]
  name = "arm"
  box = [0.1, 0.1, 1]
  pose = { position = [0, 0, 2] }
  mass = 2.0                         # kg; or density = 1000.0, kg/m^3
  inertia = [0.17, 0.17, 0.003]      # kg m^2, about the centre, in the body's
                                     # axes; or 3 x 3
  center = [0, 0, 0]                 # of mass, in the body's frame; defaults of
                                     # inertia and center: the shape, filled
                                     # evenly
  elasticity = 0.5                   # from 0, the default, to 1
  friction = 0.3                     # 0 is the default; or "rough"
  velocity = { linear = [1, 0, 0], angular = [0, 0, 0] }  # of the centre, at 0
  release = "start"                  # the default; "contact": keyframed until
                                     # its first contact; or "never"

  [[joint]]
  kind = "hinge"                     # or ball, slide, piston, plane, fixed, as
                                     # in chasles impulse --help
  a = "arm"                          # a or b has a mass
  b = "frame"
  point = [0, 0, 2.5]                # in the world, at time 0
  axis = [0, 1, 0]                   # also; it moves with a; not for ball and
                                     # fixed

  A body with a mass has neither a motion nor a parent, by default. With release
  = "contact" it moves as the scene says, or is static, until a body touches it,
  and continues with the velocities of its motion. With "never" it stays
  keyframed, and its mass counts only for suggestions (--suggest, and in chasles
  view). If two bodies touch, the lower elasticity and the higher friction
  count. Joined bodies, groups and ignored pairs do not collide.

RECORDINGS, JSON Lines
  {"format":1,"kind":"recording","scene":"drop.toml","duration":2.0,
   "depth":0.0001,"bodies":["arm"]}                            (on one line)
  {"t":0.01,"poses":[[x,y,z,qw,qx,qy,qz]],"velocities":[[vx,vy,vz,wx,wy,wz]],
   "contacts":[{"a":"floor","b":"arm","t":0.0098,"point":[..],"normal":[..],
                "impulse":[..]}],
   "energy":{"kinetic":e,"potential":e,"dissipated":e}}        (on one line)

  bodies        the bodies with a mass; poses and velocities are in this order
  poses         as in a scene; between two lines a body moves along the screw
                that joins its poses
  velocities    of the centre of mass, and angular, in world axes
  released      [{"body":"arm","t":0.3},..]: bodies that were keyframed until
                their first contact; missing before the first
  forced        [{"t":0.3,"bodies":["arm"],"energy":e},..]: bodies that were
                stopped because no step was possible; missing without any
  contacts      impulses on b since the previous line, in N s
  energy        in joules; dissipated: the energy that contacts and joints took
                since time 0

THE REPORT with --json
  {"format":1,"verdict":"clear","duration":2.0,"steps":2000,"records":201,
   "impulses":40,"deepest":0.00002,"energy":{"start":e,"end":e,
   "dissipated":{"impacts":e,"friction":e}},"warnings":[]}     (on one line)

  verdict       clear: no two bodies ever intersect more deeply than depth,
                proven; unchecked: without --check; undecided: the simulation
                did not reach its end, "why"; crushed: "bodies" at "time"
  deepest       with --check: at any time, a translation of at most this length
                separates any two bodies; else null
  energy        kinetic and potential, and the dissipated energy by its cause:
                impacts, repeated, friction, springs, joints, joints_at_start,
                forced; earlier: before --from
  forced        as in the recording; missing without any
  warnings      about the input, one sentence each

  With --suggest, before the report:
  {"kind":"suggestion","t":0.25,"a":"cart","b":"crate","impulse":[..],
   "contacts":[{"point":[..],"normal":[..],"impulse":[..]}],
   "before":{"a":{"linear":[..],"angular":[..]},"b":{..}},
   "after":{"a":{..},"b":{..}}}                                (on one line)

EXIT STATUS
  0  clear or unchecked
  2  bad input, or the recording could not be written
  3  undecided, or a body was crushed

EXAMPLES
  How do the bodies of this scene move?
      chasles simulate scene.toml

  Record the motion, prove it, and play it:
      chasles simulate scene.toml -o run.jsonl --check
      chasles view run.jsonl

  Continue a stopped run, with the whole recording in the same file:
      chasles simulate scene.toml --from run.jsonl -o run.jsonl

  A table for a spreadsheet, each body at each time; also from an existing
  recording:
      chasles simulate scene.toml -o run.csv
      chasles simulate scene.toml --from run.jsonl -o run.csv

  For Blender; likewise chasles render run.jsonl -o run.glb:
      chasles simulate scene.toml -o run.glb

  How high is the first body at each time? With jq:
      chasles simulate scene.toml -o - | jq -r 'select(.t) | [.t, .poses[0][2]] | @tsv'"#;
