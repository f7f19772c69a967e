//! Parses the bytes of a file, in either form, into nodes.

pub(super) mod source;
mod token;
pub(super) mod syntax;
pub(super) mod kinds;
pub(super) mod suggestions;
mod scopes;
pub(super) mod parse;
pub(super) mod x3d;
