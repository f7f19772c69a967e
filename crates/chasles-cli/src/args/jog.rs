//! The arguments of `chasles jog` and `chasles pairs`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueHint;

use super::robot::{AngleArgs, CellArgs};
use super::values::length;

/// Move a robot by hand: each move is carried out only if it is proven free all the way.
///
/// Reads commands from standard input, one a line. A move that is not free is refused: the robot stays where it is, and is told how far
/// the way is free and what is met there. What is free is proven for the whole way, not only for its end.
#[derive(Debug, clap::Args)]
#[command(after_long_help = JOG_HELP)]
pub(crate) struct JogArgs {
    /// The robot (.urdf), several (.toml, see chasles check --help), or a world in which objects that have a DEF name move (.wrl or .x3d)
    #[arg(value_name = "ROBOT.urdf", value_hint = ValueHint::FilePath)]
    pub(crate) robot: PathBuf,

    /// Its cell.
    #[command(flatten)]
    pub(crate) cell: CellArgs,

    /// Refuse moves that come this close too [default: that of the world]
    #[arg(long, value_name = "METRES", value_parser = length, allow_negative_numbers = true)]
    pub(crate) clearance: Option<f64>,

    /// The world stands still, as it does at this time
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) time: f64,

    /// Answer each command with one JSON object on one line
    #[arg(long)]
    pub(crate) json: bool,
}

const JOG_HELP: &str = r#"COMMANDS
  JOINT += 0.1           move a joint by so many radians or metres; -= back
  JOINT = 30 deg         to a value; deg for degrees
  A += 0.1, B -= 0.2     several at once, in step
  go POSTURE             to a posture of the SRDF by its name; joints that it
                         does not name stay
  undo                   take the last move back; of a path, its last segment
  where                  the value of every joint
  save FILE.csv          write the moves as a path, one second a move
  replay FILE            follow a path, first the way to its start
  help, quit
  Lines that begin with # say nothing. Ctrl-C ends the move that is being
  proven, which is then refused; a second one ends the program.

ANSWERS with --json
  {"command":"elbow += 1","joints":{"elbow":0.0},"outcome":"refused",
   "free":0.42,"free_until":{"elbow":0.42},"segments":null,"pairs":[
    {"a":"hand","b":"table","bodies":[3,6],"verdict":"contact",
     "enter":[0.42,0.42],"joints":{"elbow":0.42},"point":[x,y,z],
     "normal":[x,y,z],"kind":"vertex-face","features":{"a":[4],"b":[17]},
     "clear_until":0.42,"why":null}]}                           (on one line)

  joints       where the robot is now; of a refusal, "joints":{..} in a pair
               tells where they are when it is met
  outcome      done, refused or error (which is then told)
  free         the share of the way that is proven free, and free_until the
               joints there; enter and clear_until are such shares too
  segments     of replay: segments of the path that were carried out
  bodies       numbers: links, then bodies of the world, from 0
  kind, features
               what meets, as kind, a and b in a report of check
  why          of an undecided pair

EXIT STATUS
  0  every command was carried out; and always where a person types
  1  a move was refused
  2  bad input: a command that means nothing, a file that cannot be read

EXAMPLES
  By hand:
      chasles jog arm.urdf --world cell.toml

  From a posture of the SRDF to another:
      echo "go ready" | chasles jog arm.urdf --srdf arm.srdf --start home

  In a script:
      echo "elbow += 0.2, wrist -= 10 deg" | chasles jog arm.urdf --json"#;

/// Propose which links of a robot need not be tested, and prove or refute it on paths.
///
/// Takes random postures within the limits and counts in how many each two links touch. What always touches, or never, could be
/// exempt; but postures prove nothing. With --path, what never touched is proven clear on these paths, or refuted.
#[derive(Debug, clap::Args)]
#[command(after_long_help = PAIRS_HELP)]
pub(crate) struct PairsArgs {
    /// The robot (.urdf), or several (.toml, see chasles check --help)
    #[arg(value_name = "ROBOT.urdf", value_hint = ValueHint::FilePath)]
    pub(crate) robot: PathBuf,

    /// Its cell.
    #[command(flatten)]
    pub(crate) cell: CellArgs,

    /// How many random postures are taken
    #[arg(long, value_name = "N", default_value = "2000")]
    pub(crate) postures: NonZeroUsize,

    /// Which random postures
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,

    /// A path on which exemptions are proven or refuted; may be given several times
    #[arg(long = "path", value_name = "PATH.csv", value_hint = ValueHint::FilePath)]
    pub(crate) paths: Vec<PathBuf>,

    /// In what their angles are.
    #[command(flatten)]
    pub(crate) angles: AngleArgs,

    /// Write the proposed exemptions as SRDF; what a path refutes is left out
    #[arg(long, value_name = "FILE.srdf", value_hint = ValueHint::FilePath)]
    pub(crate) write: Option<PathBuf>,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

const PAIRS_HELP: &str = r#"THE TABLE
  reason     Adjacent (one joint joins them), Always, Never, or Sometimes:
             how often they touch in the postures
  disabled   the pair is exempt by the SRDF
  on paths   the worst verdict of all paths; at rest: they do not move
             relative to each other on any

EXIT STATUS
  0  done; with --path, no exemption is refuted
  1  with --path: a pair meets that never touched, or that the SRDF exempts
     although it does not always touch
  2  bad input or use
  3  with --path: undecided for such a pair

EXAMPLES
  What could be exempt?
      chasles pairs arm.urdf --write arm.srdf

  Do the exemptions of this SRDF hold on this path?
      chasles pairs arm.urdf --srdf arm.srdf --path pick.csv"#;
