//! The arguments of `chasles impulse`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueHint;

/// Solve problems of impulses: how fast are jointed bodies after they collide?
///
/// Reads one problem per line and prints one answer per line, in the same order; blank lines are skipped. Each
/// answer is printed as soon as all earlier answers are. If a line is bad, its answer is an error, and all other
/// lines are answered. The answers are the same, byte for byte, for any number of threads.
#[derive(Debug, clap::Args)]
#[command(after_long_help = IMPULSE_HELP)]
pub(crate) struct ImpulseArgs {
    /// The problems, one JSON object per line; `-` for standard input
    #[arg(value_name = "PROBLEMS.jsonl", value_hint = ValueHint::FilePath)]
    pub(crate) problems: PathBuf,

    /// Number of problems solved at a time [default: one per processor]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Write the answers to this file; `-` for standard output
    ///
    /// FILE appears with the last answer. If the run is stopped, an older FILE stays as it was. To keep the answers
    /// until then, print them: chasles impulse all.jsonl > FILE.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

const IMPULSE_HELP: &str = r#"PROBLEMS
  {"name":"drop","bodies":[
    {"name":"ball","mass":2,"inertia":[0.1,0.1,0.1],"center":[0,0,1],
     "linear":[1,0,-3]},
    {"name":"bar","mass":1,"inertia":[0.4,0.4,0.1],"center":[0,2,1],
     "rotation":[1,0,0,0]},
    {"name":"floor","keyframed":true}],
   "contacts":[{"a":"floor","b":"ball","point":[0,0,0],"normal":[0,0,1],
                "elasticity":0.5,"friction":0.3}],
   "joints":[{"kind":"hinge","a":"ball","b":"bar","point":[0,1,1],
              "axis":[1,0,0]}]}                                (on one line)

  All values are in world axes: metres, kilograms, seconds, radians.

  mass          greater than 0
  inertia       about the centre of mass: 3 x 3 numbers, symmetric and
                positive definite, in world axes; or 3 principal moments,
                whose axes the quaternion "rotation" [w,x,y,z] rotates
  center        the centre of mass; linear is its velocity
  linear, angular
                velocities before the impulses; default: 0
  keyframed     true: the body keeps its velocity whatever happens, and
                needs no mass, inertia or center
  elasticity    from 0 (no bounce) to 1; of a body or a contact
  friction      0 or more, or "rough": no sliding; of a body or a contact.
                A contact without a value takes the lower elasticity and the
                higher friction of its bodies, or 0 if neither has a value
  point, normal where a and b touch, and the direction from a to b
  kind          the free motions of a joint. ball: all rotations about the
                point; hinge: rotation about the axis; slide: all rotations,
                and translation along the axis; piston: translation along the
                axis and rotation about it; plane: all rotations, and
                translations across the axis; fixed: no motion. ball and fixed
                have no axis

ANSWERS
  {"name":"drop","verdict":"solved",
   "bodies":[{"name":"ball","linear":[..],"angular":[..]},..],
   "contacts":[{"impulse":[..],"state":"slide"}],
   "joints":[{"impulse":[..],"moment":[..]}],
   "energy":{"before":e,"after":e,"dissipated":e}}             (on one line)
  {"name":"p2","verdict":"unsolvable","why":".."}
  {"name":"p3","verdict":"undecided","why":".."}
  {"name":"p4","verdict":"error","error":".."}

  bodies        their velocities after the impulses; lists are in the order of
                the problem
  impulse       on b at the point, in N s; its opposite acts on a
  moment        of a joint: also on b, in N m s
  state         none (no impulse), stick or slide
  energy        kinetic, in joules, of the bodies that are not keyframed;
                dissipated: the energy that contacts and joints took
  unsolvable    no velocities satisfy all contacts and joints; why names one
  undecided     no impulses were found, but some may exist: contacts with
                friction do not settle, or masses differ too much
  error         the line is bad: where, what was found and what was expected;
                "name" is null if it could not be read

EXIT STATUS
  0  every problem is solved
  2  a line was answered with an error, or the problems could not be read or
     the answers not written
  3  a problem is unsolvable or undecided

EXAMPLES
  Solve a file of problems with all processors:
      chasles impulse problems.jsonl -o answers.jsonl

  How much energy does each collision take? With jq:
      chasles impulse problems.jsonl | jq -r '[.name, .energy.dissipated] | @tsv'"#;
