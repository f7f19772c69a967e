//! Seeing a motion and its contacts: the only crate that knows the web.
//!
//! | module | idea |
//! |---|---|
//! | [`limits`] | what a client may do |
//! | [`playback`] | what the page is given: bodies with their shapes and motions, and the report, as one document |
//! | [`render`] | a still picture, without a browser; pictures of a film |
//! | [`animation`] | what is shown as an animated file, for other programs |
//! | [`screen`] | what two bodies look like along a screw, and how far they are from each other: a picture, and the document of a page |
//! | [`page`] | the page, built into the program, and a file that holds page and document |
//! | [`token`] | secrets |
//! | [`jog`] | a robot that one client moves and all see |
//! | [`live`] | a simulation that one client runs and all see |
//! | [`server`] | who is answered what |

pub mod limits;
pub mod playback;
pub mod render;
pub mod animation;
pub mod screen;
pub mod page;
pub mod token;
pub mod jog;
pub mod live;
pub mod server;

pub use playback::{FramePieces, GapCurve, LeftOut, Playback};
pub use server::{Ender, Offer, Server, ServerOptions};
pub use token::Token;
