//! The arguments of the commands that display something.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueHint;
use glam::DVec3;

use super::robot::RobotArgs;
use super::values::length;

/// The scene or robot to show, and its report.
#[derive(Debug, clap::Args)]
pub(crate) struct ShownArgs {
    /// The scene: .toml, .gltf, .glb, .wrl, .x3d or a recording (.jsonl); with --path: a robot (.urdf), several
    /// robots (.toml), or a world (.wrl, .x3d)
    #[arg(value_name = "SCENE.toml", value_hint = ValueHint::FilePath)]
    pub(crate) scene: PathBuf,

    /// The animation of a glTF file, by name or number [default: all, if they move different nodes]
    #[arg(long, value_name = "NAME")]
    pub(crate) animation: Option<String>,

    /// Use this report, written by check --json, instead of a new check
    #[arg(long, value_name = "REPORT.json", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,

    /// Report pairs that come this close as `near` [default: value of the scene]
    #[arg(
        long,
        value_name = "METRES",
        value_parser = length,
        allow_negative_numbers = true,
        conflicts_with = "report"
    )]
    pub(crate) clearance: Option<f64>,

    /// Options for robots only.
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
}

impl ShownArgs {
    /// The existing folders among the parents of all named files and the packages.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let files = [Some(&self.scene), self.report.as_ref()].into_iter().flatten().chain(self.robot.files());
        let folder = |file: &PathBuf| match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let packages = self.robot.cell.packages.iter().map(|(_, folder)| folder.clone());
        files.map(folder).chain(packages).filter(|folder| folder.is_dir()).collect()
    }
}

/// Draw a scene, or a robot on its path, as a picture or a film, or write its motion for Blender.
///
/// Bodies in contact at that time have their own colours; a disc marks the contact point, and a line the normal at
/// the start of the contact. The whole motion is checked first to find the contacts, unless its report is given. Rays
/// are parallel, so lengths across the view can be compared. In a film the camera is fixed and sees the whole motion.
#[derive(Debug, clap::Args)]
#[command(after_long_help = RENDER_HELP)]
pub(crate) struct RenderArgs {
    /// The time, in seconds [default: the start of the motion]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) at: Option<f64>,

    /// The picture, a PNG file; `-` for standard output. For a film its folder; or FILE.glb for the whole motion,
    /// without a check
    ///
    /// A .glb is binary glTF 2.0 for Blender: one node per body, y up, with an animation in seconds and the colours
    /// of pictures. Bodies that deform have one morph target per frame, at most 1000.
    #[arg(short, long, value_name = "FILE.png", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,

    /// A film of N pictures at equal time steps, from start to end: NAME-0001.png .. in the folder -o
    ///
    /// The folder is created if it does not exist. After Ctrl-C the complete pictures remain.
    #[arg(long, value_name = "N", conflicts_with_all = ["at", "fps"])]
    pub(crate) frames: Option<NonZeroUsize>,

    /// A film of N pictures per second
    #[arg(long, value_name = "N", value_parser = a_second, allow_negative_numbers = true, conflicts_with = "at")]
    pub(crate) fps: Option<f64>,

    /// Width and height in pixels, 1 to 4096 each [default: 1280x720]
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub(crate) size: Option<[u32; 2]>,

    /// The position of the camera: front, back, left, right, top, bottom, corner, or a direction x,y,z towards it
    /// [default: corner]
    #[arg(long, value_name = "DIRECTION", value_parser = direction, allow_hyphen_values = true)]
    pub(crate) from: Option<DVec3>,

    /// Colour the features that meet, and the triangles that intersect at the time
    #[arg(long)]
    pub(crate) highlight: bool,

    /// The scene or robot to draw.
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

const RENDER_HELP: &str = r"DIRECTIONS
  z is up. front looks along +y, left along +x, top down on x and y; corner is
  front, right and above.

COLOURS
  blue, yellow    the first and the second body of a pair in contact, as in the
                  report; grey: all other bodies, darker if they move
  vermilion       contact; green: near

EXIT STATUS
  0  the picture, or the whole film, was written
  2  bad input or usage; standard error says what was found where, and what was
     expected

EXAMPLES
  The first contact of a scene, for a report:
      chasles check --json scene.toml > report.json
      at=$(jq '.pairs[0].intervals[0].enter[1]' report.json)
      chasles render scene.toml --report report.json --at $at --highlight -o contact.png

  A robot half a second after the start of its path:
      chasles render arm.urdf --path pick.csv --at 0.5 --from 1,-1,0.5 -o arm.png

  A film of a recording, 30 pictures per second:
      chasles render run.jsonl --fps 30 -o film
      ffmpeg -framerate 30 -i film/run-%04d.png -pix_fmt yuv420p film.mp4

  The same motion for Blender:
      chasles render run.jsonl -o run.glb";

fn a_second(text: &str) -> Result<f64, String> {
    let fps = text.parse().ok().filter(|fps: &f64| *fps > 0.0 && fps.is_finite());
    fps.ok_or_else(|| "expected pictures a second, a finite number > 0".into())
}

pub(super) fn size(text: &str) -> Result<[u32; 2], String> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=4096).contains(side));
    text.split_once('x')
        .and_then(|(width, height)| Some([side(width)?, side(height)?]))
        .ok_or_else(|| "expected WIDTHxHEIGHT in pixels, 1 to 4096 each, for example 1280x720".into())
}

fn direction(text: &str) -> Result<DVec3, String> {
    let named = match text {
        "front" => Some(-DVec3::Y),
        "back" => Some(DVec3::Y),
        "left" => Some(-DVec3::X),
        "right" => Some(DVec3::X),
        "top" => Some(DVec3::Z),
        "bottom" => Some(-DVec3::Z),
        "corner" => Some(DVec3::new(0.9, -1.4, 0.9)),
        _ => None,
    };
    let numbers = || {
        let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
        let numbers: [f64; 3] = numbers?.try_into().ok()?;
        let direction = DVec3::from_array(numbers);
        (direction.is_finite() && direction != DVec3::ZERO).then_some(direction)
    };
    named.or_else(numbers).ok_or_else(|| {
        "expected front, back, left, right, top, bottom, corner, or three finite numbers x,y,z, not all 0"
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_directions() {
        assert_eq!(size("640x480"), Ok([640, 480]));
        for bad in ["640", "0x480", "640x4097", "x", "640x480x3", "-1x5"] {
            assert!(size(bad).is_err(), "{bad}");
        }
        assert_eq!(direction("front"), Ok(-DVec3::Y));
        assert_eq!(direction("1, -2,0.5"), Ok(DVec3::new(1.0, -2.0, 0.5)));
        for bad in ["", "side", "1,2", "1,2,3,4", "0,0,0", "nan,0,1", "inf,0,1"] {
            assert!(direction(bad).is_err(), "{bad}");
        }
    }
}
