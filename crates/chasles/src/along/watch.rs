//! Who wants to know how a check gets on.

/// Who wants to know how a check gets on, and may end it.
pub trait Watch: Sync {
    /// So many pairs are tested.
    fn begin(&self, _pairs: usize) {}

    /// So many more pairs have been answered.
    fn done(&self, _pairs: usize) {}

    /// Whether to stop: pairs that have not been answered are then undecided.
    fn is_over(&self) -> bool {
        false
    }
}

/// Nobody.
impl Watch for () {}
