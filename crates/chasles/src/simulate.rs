//! What bodies do after their contacts: a scene with masses, joints and gravity, moved step by step.
//!
//! ```text
//! definition  what is given          recorded  what is told
//! rigid       a dynamic body, and how it drifts where nothing acts on it
//! pull        a hand that pulls a body
//! rows        contacts as rows, and the impulses that keep them from going on
//! joints      where joints sit, by how much they are off, what they hold together
//! world       all bodies at one time
//! nearby      which bodies are near each other, and where they nearly touch
//! springs     springs at contacts: their force, and how long a step they allow
//! stepping    one step: forces and impulses, a drift, forces and impulses; start here
//! impact      violent contacts, by the rule of restitution
//! proof       whether bodies stay apart, or how deep they are, between two times
//! sleep       bodies that rest cost nothing
//! release     bodies that are keyframed until their first contact
//! ahead       contacts that a step makes and that its begin does not show
//! checks      whether a simulation has a meaning
//! suggestion  what would follow where keyframed bodies collide
//! moments     which moments are told
//! woven       flexible bodies beside rigid ones: the moments of both
//! simulation  step after step
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
mod stepping;
mod impact;
mod proof;
mod sleep;
mod release;
mod speculative;
mod checks;
pub(crate) mod suggestion;
mod output;
mod with_flexible;
pub(crate) mod simulation;
