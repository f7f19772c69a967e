//! Budgets: limits of the work and the memory of a query. Every loop whose length depends on the input takes its
//! steps from a budget.

use std::fmt;

/// The budget was used up, or the caller stopped the work, before the answer was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfBudget;

/// A callback that returns whether the work is to stop.
pub type IsOver<'w> = &'w dyn Fn() -> bool;

/// The remaining budget: steps of work, and bytes of memory that are in use until the query is answered.
#[derive(Clone, Copy)]
pub struct Budget<'w> {
    steps: u64,
    /// The callback is called at this number of remaining steps; 0 if there is no callback.
    next_call: u64,
    bytes: u64,
    lacks_memory: bool,
    is_over: Option<IsOver<'w>>,
}

/// A motion that rotates by more than this, in radians, costs more than one step of the budget per step.
const MANY_TURNS: f64 = 5e3;

/// Maximum cost of a step.
const MAX_PRICE: f64 = 5000.0;

/// The cost, in steps of a budget, of one step along a motion that rotates by `angle` radians. The work grows with
/// the number of turns, and no budget suffices for millions of turns. This cost makes such a query end within an
/// acceptable time: the steps of a query's default budget (100,000), or of a check's (400,000), take less than a
/// second.
#[must_use]
pub(crate) fn price_of_turns(angle: f64) -> u64 {
    let price = angle / MANY_TURNS;
    // A NaN compares false, so its cost is 1.
    let is_above_one = price > 1.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 5000")]
    let steps = if is_above_one { price.min(MAX_PRICE) as u64 } else { 1 };
    steps
}

/// Number of steps between two calls of the callback: about a millisecond, at most a few.
const STEPS_PER_CALL: u64 = 4096;

impl<'w> Budget<'w> {
    /// A budget of `steps` steps, with unlimited memory and no callback.
    #[must_use]
    pub fn new(steps: u64) -> Self {
        Self { steps, next_call: 0, bytes: u64::MAX, lacks_memory: false, is_over: None }
    }

    /// The same budget with `bytes` bytes of memory.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }

    /// The same budget, which the callback `is_over` can stop.
    #[must_use]
    pub fn watched(self, is_over: Option<IsOver<'w>>) -> Self {
        // The first step calls it.
        Self { next_call: if is_over.is_some() { self.steps } else { 0 }, is_over, ..self }
    }

    /// A separate budget of at most `steps` steps for a part of the work. The caller must [`Self::take`] the steps
    /// that the part spent.
    #[must_use]
    pub fn part(&self, steps: u64) -> Self {
        Self { steps: self.steps.min(steps), ..*self }.watched(self.is_over)
    }

    /// Runs `work`, each step of which costs `price` steps of this budget.
    pub(crate) fn at_price<T>(&mut self, price: u64, work: impl FnOnce(&mut Self) -> T) -> T {
        if price <= 1 {
            return work(self);
        }
        let mut part = self.part(self.steps / price);
        let given = part.remaining();
        let done = work(&mut part);
        // This cannot fail: the part has at most the remaining steps.
        let _ = self.take(price * (given - part.remaining()));
        done
    }

    /// The number of remaining steps.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.steps
    }

    /// The callback that can stop the work.
    #[must_use]
    pub fn is_over(&self) -> Option<IsOver<'w>> {
        self.is_over
    }

    /// Whether the budget ran out of memory.
    #[must_use]
    pub fn lacks_memory(&self) -> bool {
        self.lacks_memory
    }

    /// Takes one step.
    ///
    /// # Errors
    /// If no step is left, or the callback stops the work.
    #[inline]
    pub fn step(&mut self) -> Result<(), OutOfBudget> {
        if self.steps == self.next_call {
            self.call_is_over()?;
        }
        self.steps -= 1;
        Ok(())
    }

    #[cold]
    fn call_is_over(&mut self) -> Result<(), OutOfBudget> {
        if self.steps == 0 || self.is_over.is_some_and(|is_over| is_over()) {
            return Err(OutOfBudget);
        }
        self.next_call = self.steps.saturating_sub(STEPS_PER_CALL);
        Ok(())
    }

    /// Takes `steps` steps, or all remaining steps if these are fewer.
    ///
    /// # Errors
    /// If fewer are left, or the callback stops the work.
    pub fn take(&mut self, steps: u64) -> Result<(), OutOfBudget> {
        let enough = self.steps >= steps;
        self.steps = self.steps.saturating_sub(steps);
        if self.steps <= self.next_call {
            // If the callback stops the work, the next step calls it again.
            self.next_call = self.steps;
            if self.steps > 0 {
                self.call_is_over()?;
            }
        }
        if enough { Ok(()) } else { Err(OutOfBudget) }
    }

    /// Takes the memory of one stored value of type `T`.
    ///
    /// # Errors
    /// If not enough memory is left.
    #[inline]
    pub fn keep<T>(&mut self) -> Result<(), OutOfBudget> {
        let size = size_of::<T>() as u64;
        if self.bytes < size {
            self.lacks_memory = true;
            return Err(OutOfBudget);
        }
        self.bytes -= size;
        Ok(())
    }

    /// Returns the memory of one value of type `T`.
    #[inline]
    pub fn give_back<T>(&mut self) {
        self.bytes = self.bytes.saturating_add(size_of::<T>() as u64);
    }
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("steps", &self.steps)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_budget_allows_its_number_of_steps_and_no_more() {
        for watched in [false, true] {
            let never = || false;
            let mut budget = Budget::new(10_000).watched(watched.then_some(&never));
            (0..10_000).for_each(|_| budget.step().unwrap());
            assert_eq!(
                (budget.step(), budget.step(), budget.remaining()),
                (Err(OutOfBudget), Err(OutOfBudget), 0)
            );
            let mut budget = Budget::new(10).watched(watched.then_some(&never));
            assert_eq!((budget.take(4), budget.remaining(), budget.take(7)), (Ok(()), 6, Err(OutOfBudget)));
            assert_eq!((budget.remaining(), budget.step()), (0, Err(OutOfBudget)));
            // All steps at once, long before the next call of the callback.
            let mut budget = Budget::new(10 * STEPS_PER_CALL).watched(watched.then_some(&never));
            assert_eq!((budget.step(), budget.take(20 * STEPS_PER_CALL)), (Ok(()), Err(OutOfBudget)));
            assert_eq!((budget.remaining(), budget.step(), budget.take(0)), (0, Err(OutOfBudget), Ok(())));
        }
    }

    #[test]
    fn a_budget_ends_soon_after_its_callback_returns_true() {
        let queries = Cell::new(0);
        let is_over = || {
            queries.set(queries.get() + 1);
            queries.get() > 3
        };
        let mut budget = Budget::new(u64::MAX).watched(Some(&is_over));
        let steps = (0..10 * STEPS_PER_CALL).take_while(|_| budget.step().is_ok()).count() as u64;
        assert!(steps > 2 * STEPS_PER_CALL && steps <= 3 * STEPS_PER_CALL + 1, "{steps}");
        // A stopped budget stays stopped, and so do its parts.
        assert_eq!((budget.step(), budget.part(5).step()), (Err(OutOfBudget), Err(OutOfBudget)));
        // The same if many steps are taken at once.
        for amount in [1, 7, STEPS_PER_CALL - 1, STEPS_PER_CALL, 3 * STEPS_PER_CALL] {
            queries.set(0);
            let mut budget = Budget::new(u64::MAX).watched(Some(&is_over));
            let steps =
                amount * (0..10 * STEPS_PER_CALL).take_while(|_| budget.take(amount).is_ok()).count() as u64;
            assert!(steps <= 3 * STEPS_PER_CALL.max(amount) + 3 * amount, "{steps} in amounts of {amount}");
            assert_eq!((budget.step(), budget.take(amount)), (Err(OutOfBudget), Err(OutOfBudget)));
            assert_eq!(budget.part(5).take(1), Err(OutOfBudget));
        }
    }

    #[test]
    fn steps_of_motions_of_many_turns_cost_more() {
        let prices = [0.0, 1e4, 1e5, 1e6, 1e15, f64::INFINITY, f64::NAN].map(price_of_turns);
        assert_eq!(prices, [1, 2, 20, 200, 5000, 5000, 1]);
        let mut budget = Budget::new(1000);
        let steps = budget.at_price(10, |part| (0..).take_while(|_| part.step().is_ok()).count());
        assert_eq!((steps, budget.remaining()), (100, 0));
        let mut budget = Budget::new(1000);
        assert_eq!((budget.at_price(10, |part| part.take(7)), budget.remaining()), (Ok(()), 930));
        assert_eq!((budget.at_price(1, |part| part.take(7)), budget.remaining()), (Ok(()), 923));
    }

    #[test]
    fn a_budget_allows_its_memory_and_no_more() {
        let mut budget = Budget::new(10).with_memory(20);
        budget.keep::<u64>().unwrap();
        budget.keep::<u64>().unwrap();
        assert_eq!((budget.keep::<u64>(), budget.lacks_memory()), (Err(OutOfBudget), true));
        budget.give_back::<u64>();
        budget.keep::<u64>().unwrap();
    }
}
