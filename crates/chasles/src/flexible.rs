//! Flexible bodies: point masses at the vertices of meshes, joined by springs, that fall, bounce off what stands, off each
//! other and off themselves, and come back to their shapes (paper 004, 3.1).
//!
//! ```text
//! definition    what is given, and what is told
//! fit           the rest shape where it fits a deformed one best: springs that stand for the inside
//! points        the masses and springs of a body: forces, energies, damping, and how long a step they allow
//! touch         two features that nearly touch, or will
//! surroundings  which surfaces are tested against which: what is near, and all events of a step, exactly
//! rows          contacts as rows, and the impulses that answer them
//! law           the spring of a contact: its force, what it holds, how long a step it allows
//! zones         what is stopped where impulses do not suffice
//! checks        whether flexible bodies have a meaning in their scene
//! stepping      one step, proven before it counts: start here
//! course        step after step, and which times are told
//! ```

pub(crate) mod definition;
mod fit;
mod points;
mod touch;
mod surroundings;
mod rows;
mod law;
mod zones;
mod checks;
mod stepping;
pub(crate) mod course;
