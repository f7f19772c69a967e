//! What every program shares: its options, its machine, times, threads and tables.

pub mod options;
pub mod machine;
pub mod timing;
pub mod threads;
pub mod table;
