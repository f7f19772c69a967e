//! Runs flexible bodies step by step, and chooses which states are recorded: all requested ones, and as many between
//! them as needed for surfaces to stay separated while vertices move straight between recorded states.

use glam::DVec3;

use crate::error::Error;
use crate::flexible::definition::{FlexibleOutput, FlexibleState, Given, VertexImpact};
use crate::flexible::stepping::{FlexibleStepOutcome, FlexibleStepState};
use crate::trajectory::watch::ProgressMonitor;

/// Maximum number of states that wait to be recorded; then some are.
const MOST_WAITING: usize = 512;

/// The result of advancing to a time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RunOutcome {
    /// All outputs since the last call; the last is at the requested time.
    There(Vec<FlexibleOutput>),
    /// Every step would make these bodies of the scene pass through each other. The outputs up to there are returned.
    Stuck(Vec<FlexibleOutput>, [usize; 2]),
    /// The monitor requested a stop; the next call continues.
    Stopped,
}

/// A computed state.
#[derive(Debug, Clone)]
struct FlexibleSample {
    places: Vec<Vec<DVec3>>,
    told: FlexibleOutput,
}

/// The simulation of flexible bodies.
#[derive(Debug, Clone)]
pub(crate) struct FlexibleRun {
    station: FlexibleStepState,
    steps: u64,
    /// The maximum of the energy that contacts and damping dissipated, in joules.
    taken: f64,
    /// The vertices at the last recorded time.
    last: Vec<Vec<DVec3>>,
    waiting: Vec<FlexibleSample>,
    ready: Vec<FlexibleOutput>,
}

impl FlexibleRun {
    /// Flexible bodies at time 0, or at a time with given states.
    ///
    /// # Errors
    /// As [`FlexibleStepState::new`].
    pub(crate) fn new(
        given: &Given<'_>,
        is_dynamic: &dyn Fn(usize) -> bool,
        from: Option<(f64, &[FlexibleState])>,
    ) -> Result<Self, Error> {
        let station = FlexibleStepState::new(given, is_dynamic, from)?;
        let last = station.places.clone();
        Ok(Self { station, steps: 0, taken: 0.0, last, waiting: Vec::new(), ready: Vec::new() })
    }

    /// The current time, in seconds.
    pub(crate) fn time(&self) -> f64 {
        self.station.time
    }

    /// The number of steps.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// The output for the current state.
    pub(crate) fn current_output(&mut self, strikes: Vec<VertexImpact>) -> FlexibleOutput {
        let station = &self.station;
        self.taken = self.taken.max(station.dissipated());
        FlexibleOutput {
            time: station.time,
            states: station.states(),
            strikes,
            kinetic: station.kinetic(),
            potential: station.potential(),
            taken: self.taken,
        }
    }

    /// Advances to a time that is recorded.
    ///
    /// # Errors
    /// Positions that overflow.
    pub(crate) fn advance_to(&mut self, time: f64, watch: &dyn ProgressMonitor) -> Result<RunOutcome, Error> {
        while self.station.time < time {
            if watch.is_over() {
                return Ok(RunOutcome::Stopped);
            }
            match self.station.step(time)? {
                FlexibleStepOutcome::Done(strikes) => {
                    let sample = FlexibleSample {
                        places: self.station.places.clone(),
                        told: self.current_output(strikes),
                    };
                    self.waiting.push(sample);
                    self.steps += 1;
                }
                FlexibleStepOutcome::Stuck(bodies) => {
                    self.flush()?;
                    return Ok(RunOutcome::Stuck(std::mem::take(&mut self.ready), bodies));
                }
            }
            if self.waiting.len() >= MOST_WAITING {
                self.flush()?;
            }
        }
        self.flush()?;
        Ok(RunOutcome::There(std::mem::take(&mut self.ready)))
    }

    /// Records as few of the computed states as possible.
    fn flush(&mut self) -> Result<(), Error> {
        let waiting = std::mem::take(&mut self.waiting);
        let mut open = vec![(0, waiting.len())];
        while let Some((begin, end)) = open.pop().filter(|(begin, end)| begin < end) {
            let sample = &waiting[end - 1];
            if end == begin + 1 || self.station.is_apart(&self.last, &sample.places)? {
                let all = waiting[begin..end].iter().flat_map(|own| own.told.strikes.iter().copied());
                let strikes = all.collect();
                self.ready.push(FlexibleOutput { strikes, ..sample.told.clone() });
                self.last.clone_from(&sample.places);
            } else {
                let middle = begin + (end - begin) / 2;
                open.push((middle, end));
                open.push((begin, middle));
            }
        }
        Ok(())
    }
}
