//! Properties of bodies for forces and impulses, shared by impulse problems and scenes.
//!
//! ```text
//! mass        inertia
//! surface     elasticity and friction of bodies and contacts
//! joint       pairs of bodies by name, kinds of joints and their axes
//! ```

pub(crate) mod mass;
pub(crate) mod surface;
pub(crate) mod joint;
