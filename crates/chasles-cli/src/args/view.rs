//! The arguments of `chasles view`.

use std::net::IpAddr;

use chasles_viewer::Token;

use super::shown::ShownArgs;

/// Show a scene or a robot in the browser, jog the robot by hand, or let bodies fall.
///
/// A server on this machine gives out the page, which plays the motion, stops at each contact and shows where, which way and with which
/// features. A robot can be moved by hand: each move is carried out only as far as it is proven free. Several pages can be open; one
/// jogs, or runs the simulation, at a time, and the others see it. The address is printed, and opened in the browser. Ctrl-C ends the server.
#[derive(Debug, clap::Args)]
#[command(after_long_help = VIEW_HELP)]
pub(crate) struct ViewArgs {
    /// Jog a world (.wrl or .x3d): every transform that DEF names and that is rigid can be moved; without it, its animation is played
    #[arg(long)]
    pub(crate) jog: bool,

    /// Run the simulation of a scene in the page: play, pause, pull at bodies with the mouse (see chasles simulate --help)
    #[arg(long, conflicts_with_all = ["jog", "time", "report", "clearance", "animation"])]
    pub(crate) simulate: bool,

    /// The robot is jogged in a world that stands as it does at this time
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) time: f64,

    /// Do not open the browser
    #[arg(long)]
    pub(crate) no_open: bool,

    /// Let other machines see and jog: listen at this address of ours [default: 127.0.0.1, this machine alone]
    ///
    /// Everything then needs a token, which is part of the address that is printed. What is sent is not encrypted: let it pass through
    /// networks that you trust.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<IpAddr>,

    /// The port [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,

    /// The token: 16 to 256 letters, digits, - . _ or ~ [default: none on this machine alone, a new one with --listen]
    #[arg(long, value_name = "TOKEN", value_parser = Token::given)]
    pub(crate) token: Option<Token>,

    /// What is shown.
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
}

const VIEW_HELP: &str = r"WHO MAY ASK
  By default only programs on this machine can reach the server; with a token,
  only those that know it. Pages of other sites are turned away. Nothing is
  served but the page and what it shows; no file is read for a request.

EXIT STATUS
  0  ended by Ctrl-C
  2  bad input or use; standard error says what was found where, and what was
     expected

EXAMPLES
  See where the bodies of a scene meet:
      chasles view scene.toml

  See a report that was made before, without checking again:
      chasles view scene.toml --report report.json

  Let the bodies of a scene fall, and pull at them:
      chasles view scene.toml --simulate

  Jog a robot among what is around it:
      chasles view arm.urdf --world cell.toml

  For others in this network too, at a port of our choice:
      chasles view arm.urdf --listen 192.168.1.20 --port 8080";
