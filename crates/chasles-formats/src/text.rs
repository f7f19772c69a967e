//! Text of files: lines, TOML and JSON with their places, XML, CSV; and JSON as it is written.

pub(crate) mod lines;
pub(crate) mod table;
pub(crate) mod tree;
pub(crate) mod near;
pub(crate) mod cursor;
pub(crate) mod xml;
pub(crate) mod csv_rows;
pub(crate) mod json;
