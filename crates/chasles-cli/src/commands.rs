//! The commands of the program, one module for each. Read `check` first.

pub(crate) mod render;
pub(crate) mod view;
pub(crate) mod check;
pub(crate) mod batch;
pub(crate) mod impulse;
pub(crate) mod simulate;
pub(crate) mod screen;
pub(crate) mod info;
pub(crate) mod jog;
pub(crate) mod pairs;
pub(crate) mod completions;
