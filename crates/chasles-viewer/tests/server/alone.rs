//! What measures the memory of the process, while no other server runs. Its name makes it the first: nothing waits for
//! it then, and tests that themselves wait long do so together.

mod bad;
mod crowd;
