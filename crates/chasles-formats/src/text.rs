//! Text formats: lines, TOML and JSON with places, XML and CSV readers, and a JSON writer.

pub(crate) mod lines;
pub(crate) mod table;
pub(crate) mod tree;
pub(crate) mod similar;
pub(crate) mod cursor;
pub(crate) mod xml;
pub(crate) mod csv_rows;
pub(crate) mod json;
