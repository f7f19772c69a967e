//! Displays motions and their contacts. This is the only crate that knows the web.
//!
//! | module | content |
//! |---|---|
//! | [`limits`] | limits for clients of the server |
//! | [`playback`] | the JSON document of the page: bodies with their shapes and motions, and the report |
//! | [`render`] | still pictures and film frames, without a browser |
//! | [`animation`] | export to an animated file, for other programs |
//! | [`screen`] | the collision screen of two bodies, with their distances: a picture, and the document of a page |
//! | [`page`] | the page, built into the program, and files that hold the page and its document |
//! | [`token`] | secrets |
//! | [`jog`] | a robot that one client moves and all clients watch |
//! | [`live`] | a simulation that one client controls and all clients watch |
//! | [`server`] | the HTTP and WebSocket server |

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

pub use playback::{FrameChunks, GapCurve, OmittedFrames, Playback};
pub use server::{Ender, Server, ServerContent, ServerOptions};
pub use token::Token;
