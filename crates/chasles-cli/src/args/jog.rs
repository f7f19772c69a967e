//! The arguments of `chasles jog` and `chasles pairs`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueHint;

use super::robot::{AngleArgs, CellArgs};
use super::values::length;

/// Move a robot by hand: each move is carried out only if its whole path is proven free.
///
/// Reads commands from standard input, one per line. A move that is not proven free is refused: the robot stays
/// where it is, and the answer reports how far the path is free and which bodies meet there. A free move is proven
/// free along its whole path, not only at its end.
#[derive(Debug, clap::Args)]
#[command(after_long_help = JOG_HELP)]
pub(crate) struct JogArgs {
    /// The robot (.urdf), several (.toml, see chasles check --help), or a world (.wrl, .x3d) whose objects with a
    /// DEF name move
    #[arg(value_name = "ROBOT.urdf", value_hint = ValueHint::FilePath)]
    pub(crate) robot: PathBuf,

    /// The cell.
    #[command(flatten)]
    pub(crate) cell: CellArgs,

    /// Also refuse moves that come this close [default: value of the world]
    #[arg(long, value_name = "METRES", value_parser = length, allow_negative_numbers = true)]
    pub(crate) clearance: Option<f64>,

    /// The world is static, as at this time
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) time: f64,

    /// Answer each command with one JSON object on one line
    #[arg(long)]
    pub(crate) json: bool,
}

const JOG_HELP: &str = r#"COMMANDS
  JOINT += 0.1           move a joint by a value in radians or metres; -= back
  JOINT = 30 deg         move a joint to a value; deg for degrees
  A += 0.1, B -= 0.2     move several joints at once, in proportion
  go NAME                move to a named configuration of the SRDF; joints that
                         it does not name keep their values
  undo                   take the last move back; of a path, its last segment
  where                  print the value of every joint
  save FILE.csv          write the moves as a path, one second per move
  replay FILE            follow a path, after a move to its start
  help, quit
  Lines that start with # are comments. Ctrl-C ends the current proof, and its
  move is refused; a second Ctrl-C ends the program.

ANSWERS with --json
  {"command":"elbow += 1","joints":{"elbow":0.0},"outcome":"refused",
   "free":0.42,"free_until":{"elbow":0.42},"segments":null,"pairs":[
    {"a":"hand","b":"table","bodies":[3,6],"verdict":"contact",
     "enter":[0.42,0.42],"joints":{"elbow":0.42},"point":[x,y,z],
     "normal":[x,y,z],"kind":"vertex-face","features":{"a":[4],"b":[17]},
     "clear_until":0.42,"why":null}]}                           (on one line)

  joints       the current values; in a pair, the values at its contact
  outcome      done, refused or error (with the message in "error")
  free         the fraction of the move that is proven free, and free_until the
               joint values there; enter and clear_until are also fractions
  segments     for replay: the number of segments that were carried out
  bodies       numbers from 0: links, then bodies of the world
  kind, features
               the contact, as kind, a and b in a report of check
  why          why a pair is undecided

EXIT STATUS
  0  every command was carried out; always 0 if a person types the commands
  1  a move was refused
  2  bad input: an unknown command, a file that cannot be read

EXAMPLES
  By hand:
      chasles jog arm.urdf --world cell.toml

  From one configuration of the SRDF to another:
      echo "go ready" | chasles jog arm.urdf --srdf arm.srdf --start home

  In a script:
      echo "elbow += 0.2, wrist -= 10 deg" | chasles jog arm.urdf --json"#;

/// Propose pairs of links that need no test, and prove or refute the proposals on paths.
///
/// Takes random configurations within the joint limits, and counts the configurations in which each two links touch.
/// Links that always or never touch could be exempt; but samples are no proof. With --path, links that never touched
/// are proven clear on these paths, or refuted.
#[derive(Debug, clap::Args)]
#[command(after_long_help = PAIRS_HELP)]
pub(crate) struct PairsArgs {
    /// The robot (.urdf), or several (.toml, see chasles check --help)
    #[arg(value_name = "ROBOT.urdf", value_hint = ValueHint::FilePath)]
    pub(crate) robot: PathBuf,

    /// The cell.
    #[command(flatten)]
    pub(crate) cell: CellArgs,

    /// Number of random configurations
    #[arg(long = "postures", value_name = "N", default_value = "2000")]
    pub(crate) configurations: NonZeroUsize,

    /// Seed of the random configurations
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,

    /// A path on which exemptions are proven or refuted; may be given several times
    #[arg(long = "path", value_name = "PATH.csv", value_hint = ValueHint::FilePath)]
    pub(crate) paths: Vec<PathBuf>,

    /// The unit of angles.
    #[command(flatten)]
    pub(crate) angles: AngleArgs,

    /// Write the proposed exemptions as SRDF, without the refuted ones
    #[arg(long, value_name = "FILE.srdf", value_hint = ValueHint::FilePath)]
    pub(crate) write: Option<PathBuf>,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

const PAIRS_HELP: &str = r#"THE TABLE
  reason     how often the links touch in the samples: Always, Never or
             Sometimes; or Adjacent: one joint joins them
  disabled   the SRDF exempts the pair
  on paths   the worst verdict of all paths; at rest: the links do not move
             relative to each other on any path

EXIT STATUS
  0  done; with --path, no exemption is refuted
  1  with --path: two links touch that never touched in the samples, or that
     the SRDF exempts although they do not always touch
  2  bad input or usage
  3  with --path: undecided for such a pair

EXAMPLES
  Which pairs could be exempt?
      chasles pairs arm.urdf --write arm.srdf

  Do the exemptions of this SRDF hold on this path?
      chasles pairs arm.urdf --srdf arm.srdf --path pick.csv"#;
