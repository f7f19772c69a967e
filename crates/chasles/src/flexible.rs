//! Flexible bodies: point masses at the vertices of meshes, joined by springs. They fall, rebound from static bodies,
//! from each other and from themselves, and return to their rest shapes (paper 004, 3.1).
//!
//! ```text
//! definition      the input and the output
//! fit             the best fit of the rest shape to a deformed one, and the springs of the inside
//! points          the masses and springs of a body: forces, energies, damping, longest stable step
//! vertex_contact  two features that nearly touch, or will
//! beside_round    near features and events beside static round bodies
//! surroundings    which surfaces are tested against each other: near features, and all events of a step, exactly
//! rows            contacts as constraint rows, and their impulses
//! law             the spring of a contact: force, account, longest stable step
//! zones           vertices that are stopped if impulses do not suffice
//! checks          validates flexible bodies in their scene
//! stepping        one step, proven before it counts: start here
//! course          the loop over all steps, and which states are recorded
//! ```

pub(crate) mod definition;
mod fit;
mod points;
mod vertex_contact;
mod beside_round;
mod surroundings;
mod rows;
mod law;
mod zones;
mod checks;
mod stepping;
pub(crate) mod course;
