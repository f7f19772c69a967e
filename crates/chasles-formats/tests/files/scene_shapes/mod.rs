//! Scenes with shapes of every kind: what is read, what is built, and what is refused with which words.

mod support;
mod grammar;
mod refused;
mod files;
mod built;
