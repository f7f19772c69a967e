//! Seeing a motion and its contacts: the only crate that knows the web.
//!
//! | module | idea |
//! |---|---|
//! | [`playback`] | what the page is given: bodies with their shapes and motions, and the report, as one document |
//! | [`render`] | a still picture, without a browser |
//! | [`page`] | the page, built into the program, and a file that holds page and document |

pub mod playback;
pub mod render;
pub mod page;

pub use playback::{GapCurve, Playback};
