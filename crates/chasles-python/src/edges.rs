//! Edges and postures of planners: given as arrays, asked beside each other, answered as rows.

use chasles::{EdgeChecker, EdgeFreeSpan, EdgeMemory, EdgeOutcome, ProgressMonitor};
use numpy::PyUntypedArrayMethods as _;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::answer::{CLEAR, CONTACT, UNDECIDED};
use crate::given::{Row, Threads, flat, misshapen, reals, refused};
use crate::work::Teller;

/// Postures, one after the other.
pub(crate) struct Postures {
    values: Vec<f64>,
    width: usize,
    /// `None`: one for all.
    pub(crate) count: Option<usize>,
}

impl Postures {
    pub(crate) fn at(&self, row: usize) -> &[f64] {
        let row = if self.count.is_some() { row } else { 0 };
        &self.values[row * self.width..(row + 1) * self.width]
    }
}

pub(crate) struct Edges {
    pub(crate) ends: [Postures; 2],
    pub(crate) count: usize,
}

/// Postures (K, J), or one for all, of so many joints; each is checked, and what is wrong is told with its row.
pub(crate) fn postures(
    width: usize,
    value: &Bound<'_, PyAny>,
    place: &str,
    checker: &EdgeChecker,
) -> PyResult<Postures> {
    let given = reals(value, place)?;
    let count = match *given.shape() {
        [found] if found == width => None,
        [count, found] if found == width => Some(count),
        ref shape => {
            return Err(misshapen(place, shape, &format!("(K, {width}), a value a joint, or ({width},)")));
        }
    };
    let values = flat(&given)?;
    for (row, posture) in values.chunks(width.max(1)).enumerate() {
        checker.check_values(posture).map_err(|error| match count {
            Some(_) => refused(Row { place, row }, error),
            None => refused(place, error),
        })?;
    }
    Ok(Postures { values, width, count })
}

/// Both ends of edges, of robots of so many joints.
pub(crate) fn edges(
    width: usize,
    q0: &Bound<'_, PyAny>,
    q1: &Bound<'_, PyAny>,
    checker: &EdgeChecker,
) -> PyResult<Edges> {
    let ends = [postures(width, q0, "q0", checker)?, postures(width, q1, "q1", checker)?];
    let count = match ends.each_ref().map(|end| end.count) {
        [Some(first), Some(second)] if first != second => {
            return Err(refused("q1", format_args!("found {second} postures, expected {first} as q0 has")));
        }
        [Some(count), _] | [None, Some(count)] => count,
        [None, None] => 1,
    };
    Ok(Edges { ends, count })
}

/// Asks about many edges or postures, and puts each answer where it belongs.
pub(crate) fn ask<T: Send + Clone>(
    (teller, threads): (&Teller<'_, '_>, Option<Threads>),
    (count, empty): (usize, T),
    answer: impl Fn(usize, &mut EdgeMemory) -> Result<T, chasles::Error> + Sync,
) -> PyResult<Vec<T>> {
    let mut answers = vec![empty; count];
    let done = teller.look_after(threads, |work| {
        work.begin(count);
        let block = (count / (16 * rayon::current_num_threads())).clamp(1, 16);
        answers.par_chunks_mut(block).enumerate().try_for_each_init(
            EdgeMemory::default,
            |memory, (number, block_of)| {
                for (place, own) in block_of.iter_mut().enumerate() {
                    if work.is_over() {
                        break;
                    }
                    *own = answer(number * block + place, memory)?;
                }
                work.done(block_of.len());
                Ok(())
            },
        )
    })?;
    done.map_err(|error: chasles::Error| refused("edges", error))?;
    teller.tell(count, count)?;
    Ok(answers)
}

/// The number that an outcome has in arrays.
pub(crate) fn number_of(outcome: &EdgeOutcome) -> u8 {
    match outcome {
        EdgeOutcome::Free => CLEAR,
        EdgeOutcome::Blocked(_) => CONTACT,
        EdgeOutcome::Undecided(_) => UNDECIDED,
    }
}

/// Bytes of a row of `EDGE`, whose fields lie side by side.
pub(crate) const EDGE: usize = 1 + 16 + 8 + 4 + 4;

/// An answer as a row of `EDGE`.
pub(crate) fn edge_row(reach: &EdgeFreeSpan) -> [u8; EDGE] {
    let verdict = match reach.contact {
        Some(_) => CONTACT,
        None if reach.free_until >= 1.0 => CLEAR,
        None => UNDECIDED,
    };
    let [lo, hi] = reach.contact.map_or([f64::NAN; 2], |contact| contact.at);
    let number = |body: usize| i32::try_from(body).unwrap_or(-1);
    let [a, b] = reach.contact.map_or([-1; 2], |contact| contact.bodies.map(number));
    let mut row = [0; EDGE];
    row[0] = verdict;
    row[1..9].copy_from_slice(&lo.to_ne_bytes());
    row[9..17].copy_from_slice(&hi.to_ne_bytes());
    row[17..25].copy_from_slice(&reach.free_until.to_ne_bytes());
    row[25..29].copy_from_slice(&a.to_ne_bytes());
    row[29..].copy_from_slice(&b.to_ne_bytes());
    row
}
