//! How long two bodies stay further apart than a distance, whichever shapes they are: proven, without any play.
//!
//! Two meshes are followed by a front, whatever the motion; of round bodies a screw with its deviation is asked.

use crate::ahead::front::Ask;
use crate::error::Error;
use crate::math::budget::Budget;
use crate::motion::relative::{Relative, Stretch};
use crate::scene::shapes::{Apart, PairMemory, PairShapes};

/// A pair along a stretch of its motion.
pub(crate) struct Beyond<'a> {
    pub(crate) shapes: &'a PairShapes<'a>,
    pub(crate) relative: &'a Relative<'a>,
    pub(crate) stretch: &'a Stretch,
}

/// What is asked of a pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// The surfaces are to stay further apart than this, in metres.
    pub(crate) distance: f64,
    /// What lasts for less, in seconds, need not be followed.
    pub(crate) least_step: f64,
}

impl Beyond<'_> {
    /// A time until which, from one time of the stretch on, the surfaces provably stay further apart than the distance: the first time
    /// itself where nothing is proven. Meshes are asked up to the end of the stretch, round bodies up to `to`.
    ///
    /// From one stretch to the next, and to a greater distance, what is remembered of the pair has to be forgotten.
    ///
    /// # Errors
    /// Where coordinates leave the range of [`Screw::about`](crate::Screw::about).
    pub(crate) fn until(
        &self,
        (from, to): (f64, f64),
        wanted: &Wanted,
        memory: &mut PairMemory,
        budget: &mut Budget<'_>,
    ) -> Result<f64, Error> {
        match self.shapes {
            PairShapes::Meshes(a, b) => {
                let motion = ((a.body, b.body), self.relative);
                let ask = Ask { distance: wanted.distance, least_step: wanted.least_step };
                let until = memory.ahead.apart_until(motion, (from, self.stretch.span().1), &ask, budget);
                Ok(until.unwrap_or(from))
            }
            PairShapes::Round(_) => {
                let (piece, deviation) = match self.stretch {
                    Stretch::Exact(piece) => {
                        let piece = piece.part(from, to);
                        (piece, self.relative.deviation(&piece))
                    }
                    Stretch::General { .. } => self.relative.screw(from, to),
                };
                let distance = wanted.distance + deviation;
                if !distance.is_finite() {
                    return Ok(from);
                }
                let apart = self.shapes.apart_until(memory, &piece.screw, distance, budget)?;
                Ok(match apart {
                    Apart::Throughout => to,
                    Apart::Until(share) => piece.not_after(share),
                    Apart::Overlapping | Apart::Unknown => from,
                })
            }
        }
    }
}
