//! Straight edges in joint space, and configurations: the checks of planners.

use std::cell::RefCell;
use std::mem::MaybeUninit;

use chasles::{EdgeMemory, EdgeOptions as EngineOptions, EdgeOutcome};

use crate::cell::Cell;
use crate::contact::{Options, Verdict};
use crate::given::{array, array_of_results, handed_over, needed, wanted};
use crate::status::{Failure, Status, guarded, guarded_or};

/// A robot in its cell, prepared for many straight ways in joint space. Made once, it answers in microseconds. It never
/// changes, and keeps what it needs of the cell: any number of calls, from any threads, may use it at the same time.
#[derive(Debug)]
pub struct EdgeChecker {
    checker: chasles::EdgeChecker,
}

/// What a planner moves. Begin with what `chasles_edge_options_default` returns.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct EdgeOptions {
    /// The joints that the planner sets, by their numbers in `chasles_cell_joint_name`, in the order of its values; NULL: all
    /// that can be set, in that order.
    pub joints: *const usize,
    /// How many joints that are; 0 where `joints` is NULL.
    pub joint_count: usize,
    /// The values at which the joints stay that the planner does not set: `chasles_cell_joint_count` values, of which those
    /// of the planner's own joints do not count; NULL: at rest, which is 0 or the middle of limits that exclude 0.
    pub values: *const f64,
    /// Steps of work for an edge, after which it is undecided. A step takes between 10 ns and 1 us.
    pub budget: u64,
    /// Steps of work for what is known once for all of each two groups of links that few joints join; 0: hardly anything
    /// is. More make edges faster and the checker slower to build: a million take some 40 ms for each two groups.
    pub preparation: u64,
}

/// All joints, a budget of 10 million steps, 5 million steps of preparation. NULL in place of options means the same.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_edge_options_default() -> EdgeOptions {
    let EngineOptions { budget, preparation, .. } = EngineOptions::default();
    EdgeOptions { joints: std::ptr::null(), joint_count: 0, values: std::ptr::null(), budget, preparation }
}

impl EdgeOptions {
    /// As the engine has them.
    ///
    /// # Safety
    /// The arrays have as many elements as is said.
    unsafe fn checked(&self, cell: &Cell) -> Result<EngineOptions, Failure> {
        let count = cell.joints.len();
        // SAFETY: the caller vouches for the lengths.
        let joints = unsafe { array(self.joints, self.joint_count, "options: joints")? };
        let number = |joint: &usize| {
            cell.joints.get(*joint).copied().ok_or_else(|| {
                let message = format_args!("found {joint}, expected a number below {count}");
                Failure::argument("options: joints", message)
            })
        };
        let joints = joints.iter().map(number).collect::<Result<Vec<usize>, _>>()?;
        let mut values = Vec::new();
        if !self.values.is_null() && !joints.is_empty() {
            // SAFETY: as above.
            let given = unsafe { array(self.values, count, "options: values")? };
            values = cell.cell.robot().rest();
            let stay = cell.joints.iter().zip(given).filter(|(joint, _)| !joints.contains(joint));
            stay.for_each(|(joint, value)| values[*joint] = *value);
        }
        Ok(EngineOptions { joints, values, budget: self.budget, preparation: self.preparation })
    }
}

/// Prepares a cell for many straight ways in joint space.
///
/// @param cell The cell, which may be freed afterwards. None of its bodies may move by itself.
/// @param options What the planner moves; NULL: all joints.
/// @param checker Where the handle is written; NULL where the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_edge_checker_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_edge_checker_make(
    cell: Option<&Cell>,
    options: Option<&EdgeOptions>,
    checker: Option<&mut MaybeUninit<*mut EdgeChecker>>,
) -> Status {
    guarded(|| {
        handed_over(checker, || {
            let cell = needed(cell, "cell")?;
            let options = match options {
                // SAFETY: the caller vouches for its arrays.
                Some(options) => unsafe { options.checked(cell)? },
                None => EngineOptions::default(),
            };
            let checker = chasles::EdgeChecker::new(&cell.cell, &options);
            Ok(EdgeChecker { checker: checker.map_err(|error| Failure::engine("edge checker", &error))? })
        })
    })
}

/// The number of values of a configuration: the number of joints that the planner sets.
///
/// @param checker The checker; of NULL it is 0.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_edge_checker_joint_count(checker: Option<&EdgeChecker>) -> usize {
    guarded_or(0, || Ok(needed(checker, "checker")?.checker.joints().len()))
}

/// The answer about a configuration, or about an edge: the straight line in joint space from one configuration to
/// another.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// `CHASLES_VERDICT_CLEAR`: no pair touches anywhere on the edge, proven. `CHASLES_VERDICT_CONTACT`: a pair is in
    /// contact or nearer than its clearance, at the start or later. `CHASLES_VERDICT_UNDECIDED`: neither is proven.
    pub verdict: Verdict,
    /// The first body of the pair that is in contact or undecided, by its number in the cell; -1 where it is clear.
    pub a: i64,
    /// The second body of that pair.
    pub b: i64,
    /// The contact, which need not be the first, is somewhere between these two shares of the way, in [0, 1]; NaN where there
    /// is none.
    pub at: [f64; 2],
}

/// How far an edge is free.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeReach {
    /// Nothing touches up to this share of the way: proven. 1 where all of it is free.
    pub free_until: f64,
    /// The first contact that was found begins no earlier: its pair, by the numbers of the bodies in the cell; -1 where the
    /// way is free, or nothing is proven beyond.
    pub a: i64,
    /// The second body of that pair.
    pub b: i64,
    /// That contact is somewhere between these two shares of the way; NaN where none was found.
    pub at: [f64; 2],
}

impl Edge {
    fn of(outcome: &EdgeOutcome) -> Self {
        let told = |verdict, bodies: [usize; 2], at| {
            let [a, b] = bodies.map(number);
            Self { verdict, a, b, at }
        };
        let none = [f64::NAN; 2];
        match outcome {
            EdgeOutcome::Free => Self { verdict: Verdict::Clear, a: -1, b: -1, at: none },
            EdgeOutcome::Blocked(contact) => told(Verdict::Contact, contact.bodies, contact.at),
            EdgeOutcome::Undecided(bodies) => told(Verdict::Undecided, *bodies, none),
        }
    }
}

fn number(body: usize) -> i64 {
    i64::try_from(body).unwrap_or(-1)
}

thread_local! {
    /// What the questions of this thread work in, to be used again. No answer depends on it.
    static MEMORY: RefCell<EdgeMemory> = RefCell::default();
}

/// Runs a question with the memory of this thread. A panic leaves a new one behind.
fn remembered<T>(ask: impl FnOnce(&mut EdgeMemory) -> Result<T, chasles::Error>) -> Result<T, Failure> {
    // Where the thread is ending there may be no memory of its own any more.
    let mut memory = MEMORY.try_with(RefCell::take).unwrap_or_default();
    let answer = ask(&mut memory);
    let _ = MEMORY.try_with(|own| own.replace(memory));
    answer.map_err(|error| Failure::engine("edge", &error))
}

impl EdgeChecker {
    /// The values of configurations, one after the other.
    ///
    /// # Safety
    /// There are that many.
    unsafe fn configurations<'a>(
        &self,
        first: *const f64,
        count: usize,
        place: &str,
    ) -> Result<&'a [f64], Failure> {
        let joints = self.checker.joints().len();
        let values = count.checked_mul(joints).ok_or_else(|| {
            Failure::argument(place, format_args!("found {count} configurations, more than fit in memory"))
        })?;
        // SAFETY: the caller vouches for the length.
        unsafe { array(first, values, place) }
    }
}

/// Checks the straight edge in joint space from one configuration to another.
///
/// @param checker The checker.
/// @param from A configuration: `chasles_edge_checker_joint_count` values, in radians or metres.
/// @param to Another one.
/// @param edge Where the answer is written.
///
/// All joints move evenly and in step. Guarantee: on a clear edge no tested pair comes within the cell's tolerance or
/// its clearance, at any moment of the true motion and by the true shapes, and neither body of a tested pair is inside
/// the other if the other is solid. The tested pairs are all that a joint of the robot can move relative to each other,
/// whether that joint moves on this edge or not.
///
/// Threads: any, at any time. Each thread keeps some memory for its questions until it ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_edge_checker_check_edge(
    checker: Option<&EdgeChecker>,
    from: *const f64,
    to: *const f64,
    edge: Option<&mut MaybeUninit<Edge>>,
) -> Status {
    guarded(|| {
        let (checker, place) = (needed(checker, "checker")?, wanted(edge, "edge")?);
        // SAFETY: the caller vouches for both configurations.
        let (from, to) =
            unsafe { (checker.configurations(from, 1, "from")?, checker.configurations(to, 1, "to")?) };
        let outcome = remembered(|memory| checker.checker.check_edge(from, to, memory))?;
        place.write(Edge::of(&outcome));
        Ok(())
    })
}

/// Checks one configuration of the robot. The tested pairs are the same as on an edge.
///
/// @param checker The checker.
/// @param configuration `chasles_edge_checker_joint_count` values, in radians or metres.
/// @param edge Where the answer is written.
///
/// Threads: any, at any time. Each thread keeps some memory for its questions until it ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_edge_checker_check_configuration(
    checker: Option<&EdgeChecker>,
    configuration: *const f64,
    edge: Option<&mut MaybeUninit<Edge>>,
) -> Status {
    guarded(|| {
        let (checker, place) = (needed(checker, "checker")?, wanted(edge, "edge")?);
        // SAFETY: the caller vouches for the configuration.
        let configuration = unsafe { checker.configurations(configuration, 1, "configuration")? };
        let outcome = remembered(|memory| checker.checker.check_configuration(configuration, memory))?;
        place.write(Edge::of(&outcome));
        Ok(())
    })
}

/// Finds how far the straight edge in joint space from one configuration to another is free, and the contact that ends
/// the free part. This takes longer than `chasles_edge_checker_check_edge`, which ends at any contact.
///
/// @param checker The checker.
/// @param from A configuration: `chasles_edge_checker_joint_count` values, in radians or metres.
/// @param to Another one.
/// @param reach Where the answer is written.
///
/// Threads: any, at any time. Each thread keeps some memory for its questions until it ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_edge_checker_reach(
    checker: Option<&EdgeChecker>,
    from: *const f64,
    to: *const f64,
    reach: Option<&mut MaybeUninit<EdgeReach>>,
) -> Status {
    guarded(|| {
        let (checker, place) = (needed(checker, "checker")?, wanted(reach, "reach")?);
        // SAFETY: the caller vouches for both configurations.
        let (from, to) =
            unsafe { (checker.configurations(from, 1, "from")?, checker.configurations(to, 1, "to")?) };
        let found = remembered(|memory| checker.checker.reach(from, to, memory))?;
        let contact = found.contact.map(|contact| (contact.bodies.map(number), contact.at));
        let ([a, b], at) = contact.unwrap_or(([-1; 2], [f64::NAN; 2]));
        place.write(EdgeReach { free_until: found.free_until, a, b, at });
        Ok(())
    })
}

/// Checks many edges in one call, on all threads. Each answer is the one of `chasles_edge_checker_check_edge`.
///
/// @param checker The checker.
/// @param from The start configurations, one after the other: `count` times
/// `chasles_edge_checker_joint_count` values.
/// @param to The end configurations, in the same order.
/// @param count The number of edges.
/// @param options Of which only the number of threads counts; NULL: one for each processor.
/// @param edges `count` places, written in the order of the edges.
///
/// Where one of the edges has no meaning the call fails, and nothing is written.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_edge_checker_check_edges(
    checker: Option<&EdgeChecker>,
    from: *const f64,
    to: *const f64,
    count: usize,
    options: Option<&Options>,
    edges: *mut Edge,
) -> Status {
    guarded(|| {
        let checker = needed(checker, "checker")?;
        let options = Options::of_cell(options)?;
        // SAFETY: the caller vouches for the lengths of all three arrays.
        let (from, to) = unsafe {
            (checker.configurations(from, count, "from")?, checker.configurations(to, count, "to")?)
        };
        // SAFETY: as above.
        let places = unsafe { array_of_results(edges, count, "edges")? };
        let joints = checker.checker.joints().len();
        let row = |edge: usize| [from, to].map(|values| &values[edge * joints..(edge + 1) * joints]);
        let asked: Vec<[&[f64]; 2]> = (0..count).map(row).collect();
        let outcomes = options.on_threads(|| checker.checker.check_edges(&asked))?;
        let outcomes = outcomes.map_err(|error| Failure::engine("edges", &error))?;
        places.iter_mut().zip(&outcomes).for_each(|(place, outcome)| {
            place.write(Edge::of(outcome));
        });
        Ok(())
    })
}

/// Frees an edge checker. NULL is no fault.
///
/// Threads: any, once no other call uses the checker.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_edge_checker_free(checker: Option<Box<EdgeChecker>>) {
    guarded(|| {
        drop(checker);
        Ok(())
    });
}
