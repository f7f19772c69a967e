//! The arguments of `chasles screen`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueHint;
use glam::DVec3;

use super::shown::size;
use super::values::{length, numbers, time};

/// List all collisions of two meshes along one screw, from the first to the last.
///
/// The screen is the view along the flow lines, the curves on which the screw moves points: A's leading parts can
/// collide only with B's trailing parts. The report lists every meeting of features of such parts, with an enclosure
/// of its time, its place, and how proper it is; the vertices inside the other body at the start and the end, and
/// how often each enters and exits; and the distance of given points from a collision. The search continues through
/// overlaps, beyond the first contact. (Buss 2005, "Collision detection with relative screw motion")
#[derive(Debug, clap::Args)]
#[command(after_long_help = SCREEN_HELP)]
pub(crate) struct ScreenArgs {
    /// Pair problems as in batch (.json, .jsonl, `-` for standard input), or with --pair a scene
    #[arg(value_name = "PROBLEM.json|SCENE.toml", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// The two bodies of a scene, by name; A moves as seen from B
    ///
    /// They must be meshes or boxes, and one must move past the other along one screw over the whole duration.
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub(crate) pair: Option<Vec<String>>,

    /// The animation of a glTF file, by name or number [default: all, if they move different nodes]
    #[arg(long, value_name = "NAME")]
    pub(crate) animation: Option<String>,

    /// Print one JSON object for each problem instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    /// Find collisions by their features: no collision is missed, times are enclosed; this is the default
    #[arg(long, conflicts_with = "resolution")]
    pub(crate) exact: bool,

    /// Find collisions on a screen of pixels instead: low (32), medium (128), high (512), or N
    ///
    /// The number of pixels along the diagonal of the bounding box of the smaller mesh. Small features may be
    /// missed, and times are approximate; the running time does not depend on how deeply the bodies overlap.
    #[arg(
        long,
        value_name = "low|medium|high|N",
        value_parser = resolution,
        allow_negative_numbers = true
    )]
    pub(crate) resolution: Option<Resolution>,

    /// Group collisions that start within DT of the first collision of their group
    ///
    /// In the time of the report: seconds for a scene, fractions of the motion for a problem.
    #[arg(long, value_name = "DT", value_parser = time, allow_negative_numbers = true)]
    pub(crate) concurrent: Option<f64>,

    /// Report how far the flow line through this point is from a collision; may be given several times
    ///
    /// In metres, in the frame of B.
    #[arg(long = "probe", value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    pub(crate) probes: Vec<DVec3>,

    /// Report how far A can move along the screw, forward and back
    #[arg(long)]
    pub(crate) play: bool,

    /// Draw both screens into this picture, a PNG file; `-` for standard output. For one problem only
    #[arg(short, long, value_name = "FILE.png", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Width and height of the picture in pixels, 1 to 4096 each [default: 960x720]
    #[arg(long, value_name = "WxH", value_parser = size, requires = "output")]
    pub(crate) size: Option<[u32; 2]>,

    /// Write A as a PLY mesh with the distance of each vertex from a collision. For one problem only
    ///
    /// At its start pose, in the frame of B. `quality` is the distance along the path in metres, or -1 without a
    /// collision ahead; colours run from red, near, to blue, far, and are grey without a collision ahead.
    #[arg(long, value_name = "FILE.ply", value_hint = ValueHint::FilePath)]
    pub(crate) map: Option<PathBuf>,

    /// Write a page with the screens: one file, which opens without a server. For one problem only
    ///
    /// The page shows the bodies, with A coloured by the distance from a collision, and beside them the screen; a
    /// place selected in one is marked in the other. The colours are samples; --play proves how far A is free, and
    /// the page also shows that.
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,

    /// Surfaces closer than this touch [default: 1e-9 of the larger body; for a scene, its tolerance]
    #[arg(long, value_name = "METRES", value_parser = length, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,

    /// Steps of work per problem, after which it is undecided [default: 500000000]
    ///
    /// A step takes between 10 ns and 1 us.
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: Option<u64>,

    /// Number of problems solved at a time [default: one per processor]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Number of pixels along the diagonal of the smaller mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Resolution(pub(crate) u32);

const SCREEN_HELP: &str = r#"PROBLEMS
  As in batch --help; a line may also have "probes":[[x,y,z],..], points as for
  --probe. A file with one problem may spread it over several lines. A file with
  several problems gives one report per problem, in the same order.

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

  verdict     clear, contact, overlapping (at the start) or undecided, as in
              batch --help; collisions are listed unless the verdict is clear
  screw       the motion of A as seen from B: the axis and a point on it; zero:
              the direction perpendicular to it from which angles about it are
              measured; slide in metres and angle in radians over the whole
              motion
  facing      the areas that lead (forward: n.v > 0, n outward, v the velocity
              of A as seen from B), trail, or slide along themselves, in square
              metres; the numbers of faces that do, or are split into both. A
              collides with its leading parts, B with its trailing parts:
              culled edges have no such face at either end
  kind, a, b  as in batch --help
  time        an enclosure: in [0, 1] for a problem, in seconds for a scene
  point, normal
              the place in metres and the direction from A to B: in the frame
              of B for a problem, in the world for a scene
  properness  from -1 to 1: the minimum sine of the angle at which the edges
              rise from the face; for two edges the minimum cosine between their
              normal and the normals of the faces
  proper      near the place, A lies on one side of a plane and B on the other:
              they meet from outside
  from        the meeting of a vertex with a vertex or an edge, which is
              reported as one collision, the most proper of its candidates
  culled      the number of contacts that are left out: between trailing parts
              of A or leading parts of B
  concurrent  with --concurrent: groups of indices in collisions
  inside      the vertices of a that are inside b at the start or the end, or
              cross its surface, and how often they enter and exit: for each,
              end - start = in - out. null if the other body is not closed;
              start or end is null if a vertex lies on the surface
  probes      for the flow line through each point: its place on the screen, and
              how far the nearest part of B ahead of A on the line is from a
              collision, if the motion continued; null if no part is ahead, and
              with "why" if it was not found
  play        with --play: {"forward":{..},"backward":{..}}, how far A is free
              to move: {"verdict":"binds","time":[lo,hi],"angle":rad,
              "slide":m,"contact":{..}}, with the contact as in batch --help;
              {"verdict":"free"}, for ever: proven; {"verdict":"overlapping"};
              or {"verdict":"undecided","free_until":t,"why":".."}

  For a scene the report also has "pair", the two names, "duration" and
  "deviation": the maximum distance in metres of the screw from the motion. With
  --resolution it has "resolution" and "pixel", in metres; times are
  approximate, contact and clear are no proof, and inside is left out.

EXIT STATUS
  0  clear; for several problems: each was answered
  1  contact, or overlapping at the start
  2  bad input or usage; standard error says where, what was found and what was
     expected. For several problems: one was answered with an error
  3  undecided

EXAMPLES
  All collisions of two bodies of a scene, and how far A can move:
      chasles screen scene.toml --pair gripper part --play

  A picture of the parts ahead, and a mesh for other viewers:
      chasles screen problem.json -o screen.png --size 1200x900 --map ahead.ply

  A page to explore:
      chasles screen scene.toml --pair gripper part --play --html screen.html

  How far is the tip, at (0.1, 0, 0.3), from a collision?
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
