//! Problems of impulses at random, and a twin that solves the paper's equations densely, in 77 digits.
//!
//! ```text
//! random     the problems
//! real       numbers, and linear equations in them
//! equations  the paper's equations: momenta, joints, impulses of joints
//! twin       compression, restitution and friction of one contact, by plain search
//! coulomb    several contacts with friction: whether what is told keeps to the law
//! dead       how near joints are to a dead point
//! ```

pub(crate) mod random;
pub(crate) mod real;
pub(crate) mod equations;
pub(crate) mod twin;
pub(crate) mod coulomb;
pub(crate) mod dead;
