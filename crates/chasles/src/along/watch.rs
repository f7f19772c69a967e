//! Who wants to know how a check gets on.

/// Who wants to know how a check gets on, and may end it.
pub trait Watch: Sync {
    /// So many pairs are tested.
    fn begin(&self, _pairs: usize) {}

    /// So many more pairs have been answered; many that are followed side by side count by the share of their time.
    fn done(&self, _pairs: usize) {}

    /// Whether to stop: pairs that have not been answered are then undecided.
    fn is_over(&self) -> bool {
        false
    }

    /// Whether to stop at once, at the price of what is half done: once it is so, it stays so. Simulations, which else stop
    /// between two tries of a step, then do not wait for the try to end.
    fn is_final(&self) -> bool {
        false
    }
}

/// Nobody.
impl Watch for () {}
