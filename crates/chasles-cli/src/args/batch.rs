//! The arguments of `chasles batch`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueHint;

use super::values::{Shard, length, shard, time};

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

    /// Answer only the i-th of n shards of the file
    ///
    /// A shard has the lines that end in its share of the file's bytes. The answers of all shards, one after the other, are the
    /// same bytes as those of the whole file: each machine of a cluster can answer one, and `cat` merges them.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,

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

  On four machines, or in four jobs of a cluster, and merged:
      chasles batch problems.jsonl --shard 2/4 -o answers-2.jsonl
      cat answers-?.jsonl > answers.jsonl

  Problems from another program, with all contacts:
      make-problems | chasles batch --all -"#;
