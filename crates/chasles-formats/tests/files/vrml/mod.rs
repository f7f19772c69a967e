//! Worlds in VRML97 and X3D: accepted files, their contents, and refused files.

mod support;
mod facts;
mod prototypes;
mod twin;
mod motion;
mod robots;
mod x3d;
mod colours;
mod refused;
mod mutations;
