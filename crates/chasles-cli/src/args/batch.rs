//! The arguments of `chasles batch`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueHint;

use super::values::{Shard, length, shard, time};

/// Answer pair problems: when and how does mesh A, moving along a screw, touch mesh B?
///
/// Reads one problem per line and prints one answer per line, in the same order; blank lines are skipped. Each
/// answer is printed as soon as all earlier answers are, and memory does not grow with the number of problems. If a
/// line is bad, or its meshes cannot be read, its answer is an error, and all other lines are answered. The answers
/// are the same, byte for byte, for any number of threads.
#[derive(Debug, clap::Args)]
#[command(after_long_help = BATCH_HELP)]
pub(crate) struct BatchArgs {
    /// The problems, one JSON object per line; `-` for standard input
    ///
    /// Mesh paths are relative to the folder of this file; for standard input, to the current folder.
    #[arg(value_name = "PROBLEMS.jsonl", value_hint = ValueHint::FilePath)]
    pub(crate) problems: PathBuf,

    /// List every contact of two features, not only the first
    ///
    /// The answer for a contact then has a list `contacts`, sorted by time. This takes longer, because the search
    /// cannot stop at the first contact.
    #[arg(long)]
    pub(crate) all: bool,

    /// With --all: add how proper each contact is, and whether screen would keep it
    ///
    /// Each of `contacts` then also has `properness`, `proper` and `kept`: see chasles screen --help.
    #[arg(long, requires = "all")]
    pub(crate) proper: bool,

    /// With --all: group contacts that start within DT of the first contact of their group
    #[arg(long, value_name = "DT", value_parser = time, allow_negative_numbers = true, requires = "all")]
    pub(crate) concurrent: Option<f64>,

    /// Number of problems solved at a time [default: one per processor]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Answer only the i-th of n shards of the file
    ///
    /// A shard has the lines that end in its part of the file's bytes. Each machine of a cluster can answer one shard.
    /// The answers of all shards, joined in order with `cat`, are the same bytes as the answers of the whole file.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,

    /// Write the answers to this file; `-` for standard output
    ///
    /// FILE appears with the last answer. If the run is stopped, an older FILE stays as it was. To keep the answers
    /// until then, print them: chasles batch all.jsonl > FILE.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Steps of work per problem, after which it is undecided [default: 2000000000]
    ///
    /// A step takes between 10 ns and 1 us. The default gives up only problems that could run for minutes.
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: Option<u64>,

    /// Surfaces closer than this touch [default: 1e-9 of the larger body]
    ///
    /// The size of a body is the diagonal of its bounding box.
    #[arg(long, value_name = "METRES", value_parser = length, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
}

const BATCH_HELP: &str = r#"PROBLEMS
  {"name":"p1","a":{"mesh":"a.obj"},"b":{"mesh":"b.stl"},"pose0":[0,0,2,1,0,0,0],"pose1":[0,0,0,1,0,0,0]}
  {"name":"p2","a":{"mesh":"a.obj"},"b":{"mesh":"b.stl"},"pose0":[0,0,2,1,0,0,0],
   "screw":{"s":[0,0,1],"p":[0,0,0],"d":-2,"b":6.283}}         (on one line)

  pose0, pose1  the pose of A: x, y, z and the quaternion qw, qx, qy, qz;
                B is static at the identity
  pose1         A moves to it along the screw that joins the two poses,
                rotating by at most half a revolution
  screw         or, applied to pose0: the axis through p along s, a slide d
                and an angle b; any number of revolutions

  Time runs over [0, 1]. Meshes are OBJ, STL, PLY, OFF or DAE files; they may be
  open, non-convex, in pieces. Only surfaces count: a body wholly inside another
  does not touch it.

ANSWERS
  {"name":"p1","verdict":"clear"}
  {"name":"p1","verdict":"contact","time":[lo,hi],"contact":{..}}
  {"name":"p1","verdict":"overlapping","pairs":[[fa,fb],..]}
  {"name":"p1","verdict":"undecided","clear_until":t,"why":".."}
  {"name":"p1","verdict":"error","error":".."}

  clear         proven: the surfaces never come closer than the tolerance
  contact       proven free before lo, and in contact by hi; see below
  overlapping   the surfaces intersect at the start, in these pairs of triangles
  undecided     proven free until t, but not beyond; "why" starts with
                "budget: ", "memory: " or "rounding: "
  error         the line or a mesh is bad: where, what was found and what was
                expected; "name" is null if it could not be read

CONTACTS
  {"kind":"vertex-face","a":[4],"b":[17],"point":[x,y,z],"normal":[x,y,z],
   "touching":false,"approach_speed":v}                        (on one line)

  kind          vertex-face, face-vertex or edge-edge
  a, b          a vertex, numbered from 0 as in the file; a face: a triangle,
                numbered from 0 after polygons are cut; or the two vertices of
                an edge
  point         in metres, in the frame of B
  normal        unit vector from A to B
  touching      true if the surfaces are not proven to pass through each other
  approach_speed
                along the normal, in metres per unit of time
  With --all the answer also has "contacts": every contact of two features, each
  with its own "time":[lo,hi]; and "doubtful": the number of others that
  rounding leaves undecided, if any. With --proper each contact also has
  "properness", "proper" and "kept". With --concurrent the answer has
  "concurrent":[[0,1],[2]]: indices in that list.

FEATURES
  {"name":"q1","vertex_face":[P,A,B,C, P,A,B,C],"distance":0}  at t = 0, at t = 1
  {"name":"q2","edge_edge":[A,B,C,D, A,B,C,D]}                 each [x,y,z]
  When do a vertex and a face, or two edges, whose vertices move evenly along
  straight lines, come within a distance (0 if absent)? The answer is exact. Its
  contact has u and v: the nearest points are P and (1-u-v)A + uB + vC, or
  (1-u)A + uB and (1-v)C + vD.

EXIT STATUS
  0  every line was answered
  2  a line was answered with an error, or the problems could not be read or
     the answers not written

EXAMPLES
  Answer a file of problems with all processors; a bar shows the progress:
      chasles batch problems.jsonl -o answers.jsonl

  The names of all problems with a contact, with jq:
      chasles batch problems.jsonl | jq -r 'select(.verdict == "contact") | .name'

  On four machines, or in four jobs of a cluster, and merged:
      chasles batch problems.jsonl --shard 2/4 -o answers-2.jsonl
      cat answers-?.jsonl > answers.jsonl

  Problems from another program, with all contacts:
      make-problems | chasles batch --all -"#;
