//! Simulates rigid and flexible bodies: a scene with masses, joints and gravity is advanced step by step.
//!
//! ```text
//! definition     the input: bodies, joints, gravity, step
//! recorded       the output: recorded states, contacts, energies
//! rows           contacts as constraint rows, and the impulses that keep bodies from approaching
//! state          all bodies at one time, with their contacts
//! stepping       one step: half of the impulses, free flight, the other half; start here
//! impact         fast contacts, answered by restitution
//! separation     proves that two bodies stay separated, or bounds their depth, during a step
//! proof          the same for all bodies
//! checks         validates a definition
//! suggestion     suggests the response of keyframed bodies that collide
//! output         chooses which states are recorded
//! run            the loop over all steps of rigid bodies
//! with_flexible  merges the recorded states of rigid and flexible bodies
//! simulation     the public interface
//! ```

pub(crate) mod definition;
pub(crate) mod recorded;
mod rows;
pub(crate) mod state;
mod stepping;
mod impact;
mod separation;
mod proof;
mod checks;
pub(crate) mod suggestion;
mod output;
mod run;
mod with_flexible;
pub(crate) mod simulation;
