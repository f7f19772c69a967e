//! The arguments of `chasles simulate`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueHint;

/// Simulate a scene: how do bodies with masses move, bounce and come to rest?
///
/// Bodies with a mass move by gravity, contacts, friction and joints; all others move as the scene says. Prints how it
/// went, and with -o records where every body was at all times: chasles view plays the recording, chasles check checks
/// it. The recording is the same, byte for byte, for any number of threads.
///
/// Ctrl-C ends the simulation, and the recording so far stands. Ctrl-C once more ends the program at once, with status
/// 130.
#[derive(Debug, clap::Args)]
#[command(after_long_help = SIMULATE_HELP)]
pub(crate) struct SimulateArgs {
    /// The scene, in TOML; paths in it are relative to its folder
    #[arg(value_name = "SCENE.toml", value_hint = ValueHint::FilePath)]
    pub(crate) scene: PathBuf,

    /// Record the motion in this file: .jsonl, .csv (a table) or .glb (for Blender); `-` for standard output, in place of the report
    ///
    /// JSON Lines and tables grow line by line while the simulation runs, so that they can be read up to there whatever
    /// happens; a FILE that was there before is replaced when the simulation begins. A .glb, binary glTF with an
    /// animation, is written at the end or after Ctrl-C. What goes to standard output is JSON Lines.
    #[arg(short, long, value_name = "RECORDING.jsonl", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Go on from the last whole line of a recording of the same scene
    ///
    /// As of a run that was ended by Ctrl-C, or whose scene has a longer `duration` now. With -o the whole recording
    /// is written, its old lines and then the new ones; it may be the same file. The report counts what is new.
    #[arg(long, value_name = "RECORDING.jsonl", value_hint = ValueHint::FilePath)]
    pub(crate) from: Option<PathBuf>,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    /// Prove how deep bodies were in each other, at all times between the records too
    ///
    /// Without it the verdict is `unchecked`.
    #[arg(long)]
    pub(crate) check: bool,

    /// Tell where keyframed bodies collide, and the impulses that would follow; nothing moves otherwise for it
    ///
    /// Of bodies with `release = "never"` beside their mass, against all others that are keyframed. With --json one
    /// line each, before the report.
    #[arg(long)]
    pub(crate) suggest: bool,

    /// How many threads work at it [default: one for each processor]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

const SIMULATE_HELP: &str = r#"SCENES
  Those of chasles check, with

  [simulation]
  gravity = [0, 0, -9.81]            # m/s^2; 0 without it
  step = 0.001                       # seconds, the largest; the default
  record = 0.01                      # seconds from record to record; the default
  method = "both"                    # the default; "impulse", the same today;
                                     # or "spring": stiff springs at contacts
  depth = 1e-4                       # metres, the default: bodies that are
                                     # deeper in each other are a failure
  [[body]]
  name = "arm"
  box = [0.1, 0.1, 1]
  pose = { position = [0, 0, 2] }
  mass = 2.0                         # kg; or density = 1000.0, kg/m^3
  inertia = [0.17, 0.17, 0.003]      # kg m^2, about the centre, in the body's
                                     # axes; or 3 x 3
  center = [0, 0, 0]                 # of mass, in the body's frame
                                     # (inertia and center of the shape, filled
                                     # evenly, without them)
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
  axis = [0, 1, 0]                   # likewise, and rides on a; not for ball
                                     # and fixed

  A body with a mass has neither a motion nor a parent. With release =
  "contact" it moves as the scene says, or stands, until something touches it,
  and goes on with the velocities of its motion; with "never" it stays keyframed
  and its mass counts for suggestions alone (--suggest, and in chasles view). Of
  two bodies that touch the lower elasticity counts, and the higher friction.
  Joined bodies, groups and ignored pairs do not collide.

RECORDINGS, JSON Lines
  {"format":1,"kind":"recording","scene":"drop.toml","duration":2.0,
   "depth":0.0001,"bodies":["arm"]}                            (on one line)
  {"t":0.01,"poses":[[x,y,z,qw,qx,qy,qz]],"velocities":[[vx,vy,vz,wx,wy,wz]],
   "contacts":[{"a":"floor","b":"arm","t":0.0098,"point":[..],"normal":[..],
                "impulse":[..]}],
   "energy":{"kinetic":e,"potential":e,"dissipated":e}}        (on one line)

  bodies        those with a mass; poses and velocities are in their order
  poses         as in a scene; between two lines a body moves on the screw that
                joins them
  velocities    of the centre of mass, and angular, in world axes
  released      [{"body":"arm","t":0.3},..]: those that were keyframed until
                their first contact; not there before there is one
  contacts      impulses on b since the line before, in N s
  energy        in joules; dissipated: what contacts and joints took since 0

THE REPORT with --json
  {"format":1,"verdict":"clear","duration":2.0,"steps":2000,"records":201,
   "impulses":40,"deepest":0.00002,"energy":{"start":e,"end":e},
   "warnings":[]}                                              (on one line)

  verdict       clear: no two bodies were ever deeper in each other than depth,
                proven; unchecked: nobody asked (--check); undecided: the
                simulation did not reach its end, "why"; crushed: "bodies" at
                "time"
  deepest       with --check: some move no longer than this parts any two
                bodies, at any time; else null
  energy        kinetic and potential
  warnings      about the input, one sentence each

  With --suggest, before it:
  {"kind":"suggestion","t":0.25,"a":"cart","b":"crate","impulse":[..],
   "contacts":[{"point":[..],"normal":[..],"impulse":[..]}],
   "before":{"a":{"linear":[..],"angular":[..]},"b":{..}},
   "after":{"a":{..},"b":{..}}}                                (on one line)

EXIT STATUS
  0  clear or unchecked
  2  bad input, or the recording could not be written
  3  undecided, or a body was crushed

EXAMPLES
  How does this scene go on?
      chasles simulate scene.toml

  Record it, prove it, and play it:
      chasles simulate scene.toml -o run.jsonl --check
      chasles view run.jsonl

  It was stopped: go on, and keep the whole recording in the same file:
      chasles simulate scene.toml --from run.jsonl -o run.jsonl

  A table for a spreadsheet: each body at each time; also of a recording that
  is there already:
      chasles simulate scene.toml -o run.csv
      chasles simulate scene.toml --from run.jsonl -o run.csv

  For Blender; likewise chasles render run.jsonl -o run.glb:
      chasles simulate scene.toml -o run.glb

  How high is the first body at each time? With jq:
      chasles simulate scene.toml -o - | jq -r 'select(.t) | [.t, .poses[0][2]] | @tsv'"#;
