//! Runs flexible bodies step by step, and chooses which states are recorded: all requested ones, and as many between
//! them as needed for surfaces to stay separated while vertices move straight between recorded states.

use glam::DVec3;

use crate::error::Error;
use crate::flexible::definition::{FlexibleInput, FlexibleOutput, FlexibleState, VertexImpact};
use crate::flexible::stepping::{FlexibleStepOutcome, FlexibleStepState};
use crate::trajectory::watch::ProgressMonitor;

/// Maximum number of states that wait to be recorded; then some are.
const MAX_WAITING: usize = 512;

/// The result of advancing to a time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RunOutcome {
    /// All outputs since the last call; the last is at the requested time.
    Reached(Vec<FlexibleOutput>),
    /// Every step would make these bodies of the scene pass through each other. The outputs up to there are returned.
    Stuck(Vec<FlexibleOutput>, [usize; 2]),
    /// The monitor requested a stop; the next call continues.
    Stopped,
}

/// A computed state.
#[derive(Debug, Clone)]
struct FlexibleSample {
    positions: Vec<Vec<DVec3>>,
    output: FlexibleOutput,
}

/// The simulation of flexible bodies.
#[derive(Debug, Clone)]
pub(crate) struct FlexibleRun {
    state: FlexibleStepState,
    steps: u64,
    /// The maximum of the energy that contacts and damping dissipated, in joules.
    dissipated: f64,
    /// The vertices at the last recorded time.
    last: Vec<Vec<DVec3>>,
    waiting: Vec<FlexibleSample>,
    outputs: Vec<FlexibleOutput>,
}

impl FlexibleRun {
    /// Flexible bodies at time 0, or at a time with given states.
    ///
    /// # Errors
    /// As [`FlexibleStepState::new`].
    pub(crate) fn new(
        input: &FlexibleInput<'_>,
        is_dynamic: &dyn Fn(usize) -> bool,
        from: Option<(f64, &[FlexibleState])>,
    ) -> Result<Self, Error> {
        let state = FlexibleStepState::new(input, is_dynamic, from)?;
        let last = state.positions.clone();
        Ok(Self { state, steps: 0, dissipated: 0.0, last, waiting: Vec::new(), outputs: Vec::new() })
    }

    /// The current time, in seconds.
    pub(crate) fn time(&self) -> f64 {
        self.state.time
    }

    /// The number of steps.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// The output for the current state.
    pub(crate) fn current_output(&mut self, impacts: Vec<VertexImpact>) -> FlexibleOutput {
        let state = &self.state;
        self.dissipated = self.dissipated.max(state.dissipated());
        FlexibleOutput {
            time: state.time,
            states: state.states(),
            impacts,
            kinetic: state.kinetic(),
            potential: state.potential(),
            dissipated: self.dissipated,
        }
    }

    /// Advances to a time that is recorded.
    ///
    /// # Errors
    /// Positions that overflow.
    pub(crate) fn advance_to(&mut self, time: f64, watch: &dyn ProgressMonitor) -> Result<RunOutcome, Error> {
        while self.state.time < time {
            if watch.is_over() {
                return Ok(RunOutcome::Stopped);
            }
            match self.state.step(time)? {
                FlexibleStepOutcome::Done(impacts) => {
                    let sample = FlexibleSample {
                        positions: self.state.positions.clone(),
                        output: self.current_output(impacts),
                    };
                    self.waiting.push(sample);
                    self.steps += 1;
                }
                FlexibleStepOutcome::Stuck(bodies) => {
                    self.flush()?;
                    return Ok(RunOutcome::Stuck(std::mem::take(&mut self.outputs), bodies));
                }
            }
            if self.waiting.len() >= MAX_WAITING {
                self.flush()?;
            }
        }
        self.flush()?;
        Ok(RunOutcome::Reached(std::mem::take(&mut self.outputs)))
    }

    /// Records as few of the computed states as possible.
    fn flush(&mut self) -> Result<(), Error> {
        let waiting = std::mem::take(&mut self.waiting);
        let mut remaining = vec![(0, waiting.len())];
        while let Some((start, end)) = remaining.pop().filter(|(start, end)| start < end) {
            let sample = &waiting[end - 1];
            if end == start + 1 || self.state.is_separated(&self.last, &sample.positions)? {
                let all = waiting[start..end].iter().flat_map(|own| own.output.impacts.iter().copied());
                let impacts = all.collect();
                self.outputs.push(FlexibleOutput { impacts, ..sample.output.clone() });
                self.last.clone_from(&sample.positions);
            } else {
                let middle = start + (end - start) / 2;
                remaining.push((middle, end));
                remaining.push((start, middle));
            }
        }
        Ok(())
    }
}
