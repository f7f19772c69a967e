//! The threads on which batches and checks run.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Pools of one thread and of two.
///
/// # Errors
/// The system cannot start threads.
pub fn pools() -> Result<[ThreadPool; 2], ThreadPoolBuildError> {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
    Ok([pool(1)?, pool(2)?])
}
