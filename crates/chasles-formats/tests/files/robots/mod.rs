//! Robots and their parts: URDF, SRDF and COLLADA files that the tests write themselves, compared with slow and plain
//! ways of reading them.

mod support;
mod joints;
mod surfaces;
mod colours;
mod meshes;
mod disabled;
mod configurations;
mod several;
mod free;
mod warnings;
mod refused;
mod rest;
mod collada;
mod collada_refused;
mod collada_twin;
mod hostile;
