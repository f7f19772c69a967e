//! The arguments of `chasles view`.

use std::net::IpAddr;

use chasles_viewer::Token;

use super::shown::ShownArgs;

/// Show a scene or a robot in the browser, jog the robot by hand, or let bodies fall.
///
/// A server on this machine serves the page, which plays the motion, stops at each contact, and shows its place,
/// direction and features. A robot can be moved by hand: each move is carried out only as far as it is proven free.
/// Several pages can be open: one page at a time jogs or runs the simulation, and the others show it. The address
/// is printed, and opened in the browser. Ctrl-C ends the server.
#[derive(Debug, clap::Args)]
#[command(after_long_help = VIEW_HELP)]
pub(crate) struct ViewArgs {
    /// Jog a world (.wrl or .x3d): each rigid transform with a DEF name can be moved; by default the animation plays
    #[arg(long)]
    pub(crate) jog: bool,

    /// Simulate the scene in the page: play, pause, pull at bodies with the mouse (see chasles simulate --help)
    #[arg(long, conflicts_with_all = ["jog", "time", "report", "clearance", "animation"])]
    pub(crate) simulate: bool,

    /// The robot is jogged in a static world, as at this time
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) time: f64,

    /// Do not open the browser
    #[arg(long)]
    pub(crate) no_open: bool,

    /// Let other machines view and jog: listen at this address of this machine [default: 127.0.0.1, this machine alone]
    ///
    /// Every request then needs a token, which is part of the printed address. Data is not encrypted: use only
    /// networks that you trust.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<IpAddr>,

    /// The port [default: a free port]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,

    /// The token: 16 to 256 letters, digits, - . _ or ~ [default: none on this machine alone, a new token with
    /// --listen]
    #[arg(long, value_name = "TOKEN", value_parser = Token::from_text)]
    pub(crate) token: Option<Token>,

    /// The scene or robot to show.
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

const VIEW_HELP: &str = r"ACCESS
  By default only programs on this machine can reach the server; with a token,
  only programs that know it. Requests from pages of other sites are refused.
  The server sends only the page and its data, and a request reads no file.

EXIT STATUS
  0  ended by Ctrl-C
  2  bad input or usage; standard error says what was found where, and what was
     expected

EXAMPLES
  Show where the bodies of a scene collide:
      chasles view scene.toml

  Show an earlier report, without a new check:
      chasles view scene.toml --report report.json

  Let the bodies of a scene fall, and pull at them:
      chasles view scene.toml --simulate

  Jog a robot in its cell:
      chasles view arm.urdf --world cell.toml

  Also let others in this network view it, at a chosen port:
      chasles view arm.urdf --listen 192.168.1.20 --port 8080";
