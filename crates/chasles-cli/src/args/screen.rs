//! The arguments of `chasles screen`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueHint;
use glam::DVec3;

use super::shown::size;
use super::values::{length, numbers, time};

/// Tell all collisions of two meshes along one screw, from the first to the last, and what goes with them.
///
/// The screen is what one sees when looking along the tracks on which a screw moves all points: A's leading parts can meet
/// only B's trailing ones. Every meeting of features between such parts is listed, with an enclosure of its time, its
/// place, and how proper it is; which vertices are inside the other body at the start and the end, and how often each
/// goes in and out; and how far given places are from being hit. It goes on through overlaps: nothing stops at the first
/// contact. (Buss 2005, "Collision detection with relative screw motion")
#[derive(Debug, clap::Args)]
#[command(after_long_help = SCREEN_HELP)]
pub(crate) struct ScreenArgs {
    /// Pair problems as batch takes them (.json, .jsonl, `-` for standard input), or with --pair a scene
    #[arg(value_name = "PROBLEM.json|SCENE.toml", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Of a scene: the two bodies, by name; A is seen moving from B
    ///
    /// They must be meshes or boxes, and one must move past the other along one screw over the whole duration.
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub(crate) pair: Option<Vec<String>>,

    /// The animation of a glTF file, by its name or number [default: all, if they move different nodes]
    #[arg(long, value_name = "NAME")]
    pub(crate) animation: Option<String>,

    /// Print one JSON object for each problem instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    /// Find collisions by their features: nothing is missed, times are enclosed; this is the default
    #[arg(long, conflicts_with = "resolution")]
    pub(crate) exact: bool,

    /// Find them on a screen of pixels instead: low (32), medium (128), high (512), or so many
    ///
    /// So many pixels go to the diagonal of the bounding box of the smaller mesh. Small things may be missed, and times
    /// are approximate; the time it takes does not depend on how deep the bodies overlap.
    #[arg(
        long,
        value_name = "low|medium|high|N",
        value_parser = resolution,
        allow_negative_numbers = true
    )]
    pub(crate) resolution: Option<Resolution>,

    /// Group the collisions that begin within so much time of the first of their group
    ///
    /// In the time of the report: seconds of a scene, shares of the motion of a problem.
    #[arg(long, value_name = "DT", value_parser = time, allow_negative_numbers = true)]
    pub(crate) concurrent: Option<f64>,

    /// Tell how far the flow line through this point is from a collision; may be given several times
    ///
    /// In metres, in the frame of B.
    #[arg(long = "probe", value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    pub(crate) probes: Vec<DVec3>,

    /// Tell how far A is free to move on along the screw, and back
    #[arg(long)]
    pub(crate) play: bool,

    /// Draw both screens into this picture, a PNG file; `-` for standard output. Only of one problem
    #[arg(short, long, value_name = "FILE.png", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Width and height of the picture in pixels, 1 to 4096 each [default: 960x720]
    #[arg(long, value_name = "WxH", value_parser = size, requires = "output")]
    pub(crate) size: Option<[u32; 2]>,

    /// Write A as a PLY mesh whose vertices tell how far each is from being hit. Only of one problem
    ///
    /// At its start pose, in the frame of B. `quality` is the way in metres, -1 where nothing lies ahead; the colours
    /// run from red, near, to blue, far, and are grey where nothing lies ahead.
    #[arg(long, value_name = "FILE.ply", value_hint = ValueHint::FilePath)]
    pub(crate) map: Option<PathBuf>,

    /// Write a page that shows it, one file that opens in any browser from a disk. Only of one problem
    ///
    /// The bodies with A painted by how far it is from being hit, and beside them the screen: a place of one is marked on
    /// the other. The colours are samples; --play proves how far A is free, and the page tells it too.
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,

    /// Surfaces closer than this touch [default: 1e-9 of the larger body; of a scene, that of the scene]
    #[arg(long, value_name = "METRES", value_parser = length, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,

    /// Steps of work for each problem, after which it is undecided [default: 500000000]
    ///
    /// A step takes between 10 ns and 1 us.
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: Option<u64>,

    /// How many problems are worked on at a time [default: one for each processor]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Pixels to the diagonal of the smaller mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Resolution(pub(crate) u32);

const SCREEN_HELP: &str = r#"PROBLEMS
  Those of batch --help; a line may also have "probes":[[x,y,z],..], points
  like those of --probe. A file of one problem may spread it over several
  lines. A file of several gives one report for each, in the same order.

THE REPORT with --json
  {"format":1,"name":"p1","way":"exact","verdict":"contact",
   "screw":{"direction":[..],"point":[..],"zero":[..],"slide":d,"angle":b},
   "facing":{"a":{"forward":3.0,"backward":3.0,"along":0.0,
     "faces":{"forward":4,"backward":4,"split":4,"along":0},
     "edges":18,"culled_edges":4},"b":{..}},
   "collisions":[{"kind":"vertex-face","a":[4],"b":[17],"time":[lo,hi],
     "point":[..],"normal":[..],"properness":0.4,"proper":true,
     "from":"vertex-vertex"}],
   "culled":3,"concurrent":[[0,1],[2]],
   "inside":{"a":[{"vertex":4,"start":false,"end":true,"in":1,"out":0}],
             "b":[]},"warnings":[],
   "probes":[{"screen":[r,h],"clearance":{"time":t,"angle":rad,
     "metres":m}}]}                                            (on one line)

  verdict     clear, contact, overlapping (from the start) or undecided, as
              in batch --help; collisions are listed of all but clear ones
  screw       how A moves as seen from B: the axis and a point of it; zero is
              perpendicular to it, where the angle about it counts from;
              slide in metres and angle in radians over the whole motion
  facing      the area that leads on the way (forward: n.v > 0, n outward, v
              the velocity of A as seen from B), trails, or slides along
              itself, in square metres; how many faces do, or are split into
              both. A collides with what leads, B with what trails: culled
              edges are those no face of which does at either end
  kind, a, b  as in batch --help
  time        an enclosure: of a problem in [0, 1], of a scene in seconds
  point, normal
              the place in metres and the direction from A to B; of a problem
              in the frame of B, of a scene in the world
  properness  from -1 to 1: the least sine of the angle at which the edges
              rise from the face; of two edges the least cosine between their
              normal and those of the faces
  proper      just round the place A lies on one side of a plane, B on the
              other: they meet from outside
  from        where a vertex met a vertex or an edge, which is told as one
              collision: of its candidates the most proper
  culled      so many contacts were left out: they are between parts that
              trail (of A) or lead (of B)
  concurrent  with --concurrent: groups of places in collisions
  inside      the vertices of a that are inside b at the start or the end, or
              cross its surface, and how often they go in and out: for each,
              end - start = in - out. null where the other is not closed;
              start or end is null where a vertex lies on the surface
  probes      the flow line through each point: where it lies on the screen,
              and how far the nearest part of B ahead of A on it is from
              being hit, if the motion went on; null where nothing is ahead,
              and with "why" where it was not found out
  play        with --play: {"forward":{..},"backward":{..}}, how far A is free
              to move: {"verdict":"binds","time":[lo,hi],"angle":rad,
              "slide":m,"contact":{..}}, the contact as in batch --help;
              {"verdict":"free"}, for ever: proven; {"verdict":"overlapping"};
              or {"verdict":"undecided","free_until":t,"why":".."}

  Of a scene the report also has "pair", the two names, "duration" and
  "deviation": by so many metres the screw may differ from the motion. With
  --resolution it has "resolution" and "pixel", in metres; times are
  approximate, contact and clear are no proof, and inside is left out.

EXIT STATUS
  0  clear; of several problems: each was answered
  1  contact, or overlapping at the start
  2  bad input or use; standard error says where, what was found and what was
     expected. Of several problems: one was answered with an error
  3  undecided

EXAMPLES
  All collisions of two bodies of a scene, and how far they are free:
      chasles screen scene.toml --pair gripper part --play

  A picture of what lies ahead, and a mesh to look at elsewhere:
      chasles screen problem.json -o screen.png --size 1200x900 --map ahead.ply

  A page to look around in:
      chasles screen scene.toml --pair gripper part --play --html screen.html

  How far is the tip, at (0.1, 0, 0.3), from being hit?
      chasles screen problem.json --probe 0.1,0,0.3

  The proper collisions of many problems, grouped by time, with jq:
      chasles screen problems.jsonl --json --concurrent 0.01 |
          jq -c '{name, proper: [.collisions[] | select(.proper)]}'"#;

fn resolution(text: &str) -> Result<Resolution, String> {
    let pixels = match text {
        "low" => Some(32),
        "medium" => Some(128),
        "high" => Some(512),
        _ => text.parse().ok().filter(|pixels| (1..=65_536).contains(pixels)),
    };
    pixels.map(Resolution).ok_or_else(|| {
        "expected a resolution: low, medium, high, or a number of pixels from 1 to 65536".into()
    })
}

fn point(text: &str) -> Result<DVec3, String> {
    let point = numbers(text).map(DVec3::from_array);
    point.ok_or_else(|| "expected three finite numbers x,y,z".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolutions_and_points() {
        for (text, pixels) in [("low", 32), ("medium", 128), ("high", 512), ("1", 1), ("65536", 65_536)] {
            assert_eq!(resolution(text), Ok(Resolution(pixels)));
        }
        for bad in ["", "0", "-3", "ultra", "1.5", "65537", "Low"] {
            assert!(resolution(bad).is_err(), "{bad}");
        }
        assert_eq!(point("-1, 2,0.5"), Ok(DVec3::new(-1.0, 2.0, 0.5)));
        for bad in ["", "1,2", "1,2,3,4", "1,2,inf", "1,2,nan", "a,b,c"] {
            assert!(point(bad).is_err(), "{bad}");
        }
    }
}
