//! Runs the built program on small files of its own: one binary, so that what the tests share is compiled once.

mod support;
mod thorn;
mod running;
mod check;
mod check_refused;
mod check_motions;
mod check_outputs;
mod check_points;
mod check_at;
mod check_stop;
mod check_told;
mod batch;
mod screen;
mod screen_refused;
mod info;
mod gltf;
mod robot;
mod jog;
mod jog_stop;
mod pairs;
mod printed;
mod limits;
mod worlds;
mod shown;
mod whole;
mod view;
