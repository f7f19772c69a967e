//! What forces and impulses ask of bodies, read alike in problems of impulses and in scenes.
//!
//! ```text
//! mass        inertia
//! surface     elasticity and friction, of a body and of two that touch
//! joint       two bodies by their names, kinds of joints and their axes
//! ```

pub(crate) mod mass;
pub(crate) mod surface;
pub(crate) mod joint;
