//! Numbers: the functions of time that a screw gives rise to, and their roots.

pub mod direction;
pub mod screw_function;
pub mod roots;
