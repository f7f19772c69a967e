//! From the bytes of a file to its nodes, in either form.

pub(super) mod source;
mod token;
pub(super) mod syntax;
pub(super) mod kinds;
pub(super) mod slips;
mod scopes;
pub(super) mod parse;
pub(super) mod x3d;
