//! Budgets: the work and the memory that a question may take. Every loop whose length depends on the input takes from
//! a budget.

use std::fmt;

/// The budget is used up, or somebody wants an end, before the answer was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfBudget;

/// Whether somebody wants an end.
pub type IsOver<'w> = &'w dyn Fn() -> bool;

/// The rest of a budget: steps of work, and bytes that are kept until the question is answered.
#[derive(Clone, Copy)]
pub struct Budget<'w> {
    steps: u64,
    /// With this many steps left, the budget asks whether the work is to stop; 0 where nobody can stop it.
    pause: u64,
    bytes: u64,
    lacks_memory: bool,
    is_over: Option<IsOver<'w>>,
}

/// A motion that turns by more than this, in radians, has steps that count for more than one.
const MANY_TURNS: f64 = 5e3;

/// No step counts for more than this.
const DEAREST: f64 = 5000.0;

/// The price, in steps of a budget, of one step along a motion that turns by this angle, in radians. The work grows
/// with the turns, and no budget reaches the end of millions of turns. So such a question ends while somebody still
/// waits for the answer: 100,000 steps of a query's default budget, or 400,000 of a check's, are less than a second.
#[must_use]
pub(crate) fn price_of_turns(angle: f64) -> u64 {
    let price = angle / MANY_TURNS;
    // A NaN compares false, so it has the usual price.
    let is_dear = price > 1.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 5000")]
    let steps = if is_dear { price.min(DEAREST) as u64 } else { 1 };
    steps
}

/// Steps between two times at which the budget asks whether the work is to stop: about a millisecond, at most a few.
const PAUSE: u64 = 4096;

impl<'w> Budget<'w> {
    /// A budget of this many steps, with unbounded memory, that nobody can stop.
    #[must_use]
    pub fn new(steps: u64) -> Self {
        Self { steps, pause: 0, bytes: u64::MAX, lacks_memory: false, is_over: None }
    }

    /// The same budget with this many bytes of memory.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }

    /// The same budget, which `is_over` can end.
    #[must_use]
    pub fn watched(self, is_over: Option<IsOver<'w>>) -> Self {
        // The first step asks.
        Self { pause: if is_over.is_some() { self.steps } else { 0 }, is_over, ..self }
    }

    /// A separate budget for a part of the work, of at most this many steps. The caller must [`Self::take`] what the
    /// part spent.
    #[must_use]
    pub fn part(&self, steps: u64) -> Self {
        Self { steps: self.steps.min(steps), ..*self }.watched(self.is_over)
    }

    /// Does work of which every step counts for `price` steps of this budget.
    pub(crate) fn at_price<T>(&mut self, price: u64, work: impl FnOnce(&mut Self) -> T) -> T {
        if price <= 1 {
            return work(self);
        }
        let mut part = self.part(self.steps / price);
        let given = part.remaining();
        let done = work(&mut part);
        // The part has no more than this.
        let _ = self.take(price * (given - part.remaining()));
        done
    }

    /// Steps that are left.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.steps
    }

    /// Who is asked for an end.
    #[must_use]
    pub fn is_over(&self) -> Option<IsOver<'w>> {
        self.is_over
    }

    /// Whether it was memory that did not suffice.
    #[must_use]
    pub fn lacks_memory(&self) -> bool {
        self.lacks_memory
    }

    /// Takes one step.
    ///
    /// # Errors
    /// When none is left, or somebody wants an end.
    #[inline]
    pub fn step(&mut self) -> Result<(), OutOfBudget> {
        if self.steps == self.pause {
            self.pause()?;
        }
        self.steps -= 1;
        Ok(())
    }

    #[cold]
    fn pause(&mut self) -> Result<(), OutOfBudget> {
        if self.steps == 0 || self.is_over.is_some_and(|is_over| is_over()) {
            return Err(OutOfBudget);
        }
        self.pause = self.steps.saturating_sub(PAUSE);
        Ok(())
    }

    /// Takes this many steps at once, or all that are left.
    ///
    /// # Errors
    /// When there are fewer, or somebody wants an end.
    pub fn take(&mut self, steps: u64) -> Result<(), OutOfBudget> {
        let enough = self.steps >= steps;
        self.steps = self.steps.saturating_sub(steps);
        if self.steps <= self.pause {
            // Where an end is wanted, it is asked again at the next step.
            self.pause = self.steps;
            if self.steps > 0 {
                self.pause()?;
            }
        }
        if enough { Ok(()) } else { Err(OutOfBudget) }
    }

    /// Takes the memory of one thing that is kept.
    ///
    /// # Errors
    /// When there is no room for it.
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

    /// Gives back the memory of one thing.
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
    fn so_many_steps_and_no_more() {
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
            // All at once, long before the next time to ask.
            let mut budget = Budget::new(10 * PAUSE).watched(watched.then_some(&never));
            assert_eq!((budget.step(), budget.take(20 * PAUSE)), (Ok(()), Err(OutOfBudget)));
            assert_eq!((budget.remaining(), budget.step(), budget.take(0)), (0, Err(OutOfBudget), Ok(())));
        }
    }

    #[test]
    fn whoever_wants_an_end_need_not_wait() {
        let asked = Cell::new(0);
        let is_over = || {
            asked.set(asked.get() + 1);
            asked.get() > 3
        };
        let mut budget = Budget::new(u64::MAX).watched(Some(&is_over));
        let steps = (0..10 * PAUSE).take_while(|_| budget.step().is_ok()).count() as u64;
        assert!(steps > 2 * PAUSE && steps <= 3 * PAUSE + 1, "{steps}");
        // It stays ended, also in parts of it.
        assert_eq!((budget.step(), budget.part(5).step()), (Err(OutOfBudget), Err(OutOfBudget)));
        // Nor by whoever takes many at once.
        for lot in [1, 7, PAUSE - 1, PAUSE, 3 * PAUSE] {
            asked.set(0);
            let mut budget = Budget::new(u64::MAX).watched(Some(&is_over));
            let steps = lot * (0..10 * PAUSE).take_while(|_| budget.take(lot).is_ok()).count() as u64;
            assert!(steps <= 3 * PAUSE.max(lot) + 3 * lot, "{steps} in lots of {lot}");
            assert_eq!((budget.step(), budget.take(lot)), (Err(OutOfBudget), Err(OutOfBudget)));
            assert_eq!(budget.part(5).take(1), Err(OutOfBudget));
        }
    }

    #[test]
    fn steps_of_many_turns_count_for_more() {
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
    fn so_much_is_kept_and_no_more() {
        let mut budget = Budget::new(10).with_memory(20);
        budget.keep::<u64>().unwrap();
        budget.keep::<u64>().unwrap();
        assert_eq!((budget.keep::<u64>(), budget.lacks_memory()), (Err(OutOfBudget), true));
        budget.give_back::<u64>();
        budget.keep::<u64>().unwrap();
    }
}
