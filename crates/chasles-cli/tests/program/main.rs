//! Runs the built program on small files of its own: one binary, so that what the tests share is compiled once.

mod support;
mod check;
mod check_refused;
mod batch;
mod info;
mod whole;
