//! Random impulse problems, and a twin that solves the paper's equations densely, in 77 digits.
//!
//! ```text
//! random     the problems
//! real       numbers, and linear equations in them
//! equations  the paper's equations: momenta, joints, impulses of joints
//! twin       compression, restitution and friction of one contact, by plain search
//! coulomb    several contacts with friction: whether the answer obeys the law
//! dead       how close joints are to a dead point
//! ```

pub(crate) mod random;
pub(crate) mod real;
pub(crate) mod equations;
pub(crate) mod twin;
pub(crate) mod coulomb;
pub(crate) mod dead;
