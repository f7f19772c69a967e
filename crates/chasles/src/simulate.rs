//! Simulates rigid and flexible bodies: a scene with masses, joints and gravity is advanced step by step.
//!
//! ```text
//! definition     the input: bodies, joints, gravity, step
//! recorded       the output: recorded states, contacts, energies
//! rigid          the state of a dynamic body, and its free motion
//! pull           a mouse force that pulls a body by a point
//! rows           contacts as constraint rows, and the impulses that keep bodies from approaching
//! joints         joint anchors, joint errors, and the bodies that joints connect
//! world          all bodies at one time
//! nearby         candidate pairs, and the points where they nearly touch
//! springs        penalty springs at contacts: force, and longest stable step
//! state          all bodies at one time, with their contacts
//! stepping       one step: half of the impulses, free flight, the other half; start here
//! impact         fast contacts, answered by restitution
//! separation     proves that two bodies stay separated, or bounds their depth, during a step
//! proof          the same for all bodies
//! sleep          islands at rest, which cost no work
//! release        bodies that are keyframed until their first contact
//! speculative    contacts that occur during a step but are not visible at its start
//! attempt        a step that is being tried, and how it changes after a trial
//! checks         validates a definition
//! suggestion     suggests the response of keyframed bodies that collide
//! output         chooses which states are recorded
//! run            the loop over all steps of rigid bodies
//! with_flexible  merges the recorded states of rigid and flexible bodies
//! simulation     the public interface
//! ```

pub(crate) mod definition;
pub(crate) mod recorded;
mod rigid;
pub(crate) mod pull;
mod rows;
mod joints;
mod world;
mod nearby;
mod springs;
mod state;
mod stepping;
mod impact;
mod separation;
mod proof;
mod sleep;
mod release;
mod speculative;
mod attempt;
mod checks;
pub(crate) mod suggestion;
mod output;
mod run;
mod with_flexible;
pub(crate) mod simulation;
