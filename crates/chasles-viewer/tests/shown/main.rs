//! What is made for the eye: films, pictures, and what plays.

mod animation;
mod modules;
mod playback;
mod render;
mod screen;
