//! Common parts of all programs: options, machine, times, threads and tables.

pub mod options;
pub mod machine;
pub mod timing;
pub mod threads;
pub mod table;
