//! Worlds in VRML97 and X3D: what is read, what it becomes, and what is refused.

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
