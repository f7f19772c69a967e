//! The arguments of the program and their help texts.
//!
//! ```text
//! values   types of numeric arguments
//! robot    options for a robot, its cell and its paths
//! shown    options of the commands that display something; render
//! ```
//!
//! Each of the other modules has the arguments of one command.

mod values;
mod robot;
mod check;
mod batch;
mod impulse;
mod simulate;
mod info;
mod jog;
mod shown;
mod screen;
mod view;
mod completions;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueHint, value_parser};

pub(crate) use self::batch::BatchArgs;
pub(crate) use self::check::{CheckArgs, RestingPairsArg};
pub(crate) use self::completions::CompletionsArgs;
pub(crate) use self::impulse::ImpulseArgs;
pub(crate) use self::info::InfoArgs;
pub(crate) use self::jog::{JogArgs, PairsArgs};
pub(crate) use self::robot::{CellArgs, LimitsArg, RobotArgs};
pub(crate) use self::screen::{Resolution, ScreenArgs};
pub(crate) use self::shown::{RenderArgs, ShownArgs};
pub(crate) use self::simulate::SimulateArgs;
pub(crate) use self::values::Shard;
pub(crate) use self::view::ViewArgs;

/// When, where and how moving bodies collide: proven, not sampled.
#[derive(Debug, Parser)]
#[command(
    name = "chasles",
    version,
    arg_required_else_help = true,
    long_about = "When, where and how moving bodies collide: proven, not sampled.\n\n\
        Chasles follows rigid bodies along their motion in continuous time. A clear result is proven for every \
        moment, not only for samples; a contact comes with an enclosure of its time, the features that meet, the \
        point and the normal. A result that could not be proven is undecided.\n\n\
        Lengths are in metres, angles in radians, quaternions (w, x, y, z).",
    after_help = EXIT_STATUS,
    after_long_help = ROOT_HELP
)]
pub(crate) struct Args {
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Treat warnings about the input as errors: exit status 2
    ///
    /// Standard error lists all warnings, and the command stops before its work starts.
    #[arg(long, global = true)]
    pub(crate) strict: bool,

    /// Read only files in this folder, after links are resolved; may be given several times
    ///
    /// Use this option for scenes and robots from people you do not trust, because they can name any file of this
    /// machine. Without it, `view --listen` is confined to the folders of the files in its command.
    #[arg(long, global = true, hide_short_help = true, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) confine: Vec<PathBuf>,

    /// Memory limit for the files of one scene, their unpacked text and their parse trees
    #[arg(long, global = true, hide_short_help = true, value_name = "MEGABYTES", default_value_t = 512, value_parser = value_parser!(u64).range(1..=1 << 40))]
    pub(crate) memory: u64,
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

impl Command {
    /// Whether the main thread does all of the work.
    pub(crate) fn is_alone(&self) -> bool {
        let is_one = |threads: Option<NonZeroUsize>| threads == Some(NonZeroUsize::MIN);
        match self {
            // A page needs the threads of a server.
            Self::Check(args) => is_one(args.threads) && args.shows().is_none(),
            Self::Simulate(args) => is_one(args.threads),
            Self::Batch(args) => is_one(args.threads),
            Self::Impulse(args) => is_one(args.threads),
            Self::Screen(args) => is_one(args.threads),
            _ => false,
        }
    }
}

const EXIT_STATUS: &str = "\
Exit status: 0 done, 2 bad input or usage (see standard error); check, screen and pairs also 1 contact or near, 3 undecided; simulate 3 undecided; impulse 3 not solved; jog 1 refused.
--help prints more than -h: formats, examples, the exit status of each command.";

const ROOT_HELP: &str = "\
EXIT STATUS
  0  done; check and screen: proven clear
  1  check and screen: bodies touch, or come within the clearance;
     pairs: an exemption is refuted; jog: a move was refused
  2  bad input or usage; standard error says what was found where, and what was
     expected
  3  check, screen, pairs and simulate: undecided; simulate: a body was crushed;
     impulse: a problem has no solution

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

  Where does this part collide along its whole motion, and which faces lead?
      chasles screen scene.toml --pair gripper part

  Is this mesh closed, and how large is it?
      chasles info part.stl

  Help on a command, with its formats:
      chasles batch --help";

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        Args::command().debug_assert();
    }
}
