//! Scenes with shapes of every kind: accepted, built, and refused with their messages.

mod support;
mod grammar;
mod refused;
mod files;
mod built;
