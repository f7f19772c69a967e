//! Step after step, and which times are told: all that are asked for, and so many between them that surfaces stay apart where
//! vertices go straight from one to the next.

use glam::DVec3;

use crate::error::Error;
use crate::flexible::definition::{FlexibleOutput, FlexibleState, Given, VertexImpact};
use crate::flexible::stepping::{FlexibleStepOutcome, FlexibleStepState};
use crate::trajectory::watch::ProgressMonitor;

/// States that wait to be told, at most: then some are.
const MOST_WAITING: usize = 512;

/// How flexible bodies came to a time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RunOutcome {
    /// All that is told since the time told before; the last is at the time that was asked for.
    There(Vec<FlexibleOutput>),
    /// No step keeps these bodies of the scene from passing through each other. What was reached is told.
    Stuck(Vec<FlexibleOutput>, [usize; 2]),
    /// Somebody wanted an end; it goes on where it is asked again.
    Stopped,
}

/// A state that was reached.
#[derive(Debug, Clone)]
struct FlexibleSample {
    places: Vec<Vec<DVec3>>,
    told: FlexibleOutput,
}

/// Flexible bodies on their way.
#[derive(Debug, Clone)]
pub(crate) struct FlexibleRun {
    station: FlexibleStepState,
    steps: u64,
    /// The most that contacts and damping took, in joules.
    taken: f64,
    /// Where vertices were at the time told last.
    last: Vec<Vec<DVec3>>,
    waiting: Vec<FlexibleSample>,
    ready: Vec<FlexibleOutput>,
}

impl FlexibleRun {
    /// Flexible bodies at time 0, or at a time with states that were told before.
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

    /// The time that was reached, in seconds.
    pub(crate) fn time(&self) -> f64 {
        self.station.time
    }

    /// How many steps were made.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// What is told of the state that was reached last.
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

    /// Goes on to a time that is to be told.
    ///
    /// # Errors
    /// Places that leave the range of numbers.
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

    /// Tells what was reached, in as few times as may be.
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
