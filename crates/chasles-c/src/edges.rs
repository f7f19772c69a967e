//! Straight edges in joint space, and configurations: the checks of planners.

use std::cell::RefCell;
use std::mem::MaybeUninit;

use chasles::{EdgeMemory, EdgeOptions as EngineOptions, EdgeOutcome};

use crate::argument::{array, array_of_results, handed_over, needed, needed_out};
use crate::cell::Cell;
use crate::contact::{Options, Verdict};
use crate::status::{Failure, Status, guarded, guarded_or};

/// A robot in its cell, prepared for many straight edges in joint space, each of which takes microseconds to check.
/// It never changes, and does not need the cell any more: any number of calls, from any threads, may use it at the
/// same time.
#[derive(Debug)]
pub struct EdgeChecker {
    checker: chasles::EdgeChecker,
}

/// The joints of a planner. Start with the result of `chasles_edge_options_default`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct EdgeOptions {
    /// The joints that the planner sets, by their numbers in `chasles_cell_joint_name`, in the order of its values;
    /// NULL: all joints that can be set, in that order.
    pub joints: *const usize,
    /// The number of these joints; 0 if `joints` is NULL.
    pub joint_count: usize,
    /// The values of the joints that the planner does not set: `chasles_cell_joint_count` values, of which the
    /// values of the planner's own joints are ignored; NULL: the rest values, which are 0 or the middle of limits
    /// that exclude 0.
    pub values: *const f64,
    /// The maximum number of steps of work for an edge; an edge that needs more is undecided. A step takes between
    /// 10 ns and 1 us.
    pub budget: u64,
    /// Steps of work for precomputation, for each two groups of links that few joints connect; with 0, hardly any
    /// data is precomputed. More steps make edges faster and the checker slower to build: a million take about 40
    /// ms for each two groups.
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
    /// Converts to the engine's options.
    ///
    /// # Safety
    /// The arrays have the stated numbers of elements.
    unsafe fn checked(&self, cell: &Cell) -> Result<EngineOptions, Failure> {
        let count = cell.joints.len();
        // SAFETY: the caller guarantees the lengths.
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

/// Prepares a cell for many straight edges in joint space.
///
/// @param cell The cell, which may be freed afterwards. Its bodies must not move by themselves.
/// @param options The planner's joints; NULL: all joints.
/// @param checker Where the handle is written; NULL if the call fails.
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
                // SAFETY: the caller guarantees its arrays.
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
/// @param checker The checker; for NULL the result is 0.
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
    /// contact or closer than its clearance, at the start or later. `CHASLES_VERDICT_UNDECIDED`: neither is proven.
    pub verdict: Verdict,
    /// The first body of the pair that is in contact or undecided, by its number in the cell; -1 if the edge is clear.
    pub a: i64,
    /// The second body of that pair.
    pub b: i64,
    /// The contact, which need not be the first, is between these two fractions of the edge, in [0, 1]; NaN if
    /// there is none.
    pub at: [f64; 2],
}

/// The free part of an edge.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeReach {
    /// The edge is proven free up to this fraction; 1 if all of it is free.
    pub free_until: f64,
    /// The first body of the pair of the first contact found, by its number in the cell. The contact starts no
    /// earlier than `free_until`. -1 if the edge is free, or if no contact is proven after `free_until`.
    pub a: i64,
    /// The second body of that pair.
    pub b: i64,
    /// The contact is between these two fractions of the edge; NaN if none was found.
    pub at: [f64; 2],
}

impl Edge {
    fn of(outcome: &EdgeOutcome) -> Self {
        let found = |verdict, bodies: [usize; 2], at| {
            let [a, b] = bodies.map(number);
            Self { verdict, a, b, at }
        };
        let none = [f64::NAN; 2];
        match outcome {
            EdgeOutcome::Free => Self { verdict: Verdict::Clear, a: -1, b: -1, at: none },
            EdgeOutcome::Blocked(contact) => found(Verdict::Contact, contact.bodies, contact.at),
            EdgeOutcome::Undecided(bodies) => found(Verdict::Undecided, *bodies, none),
        }
    }
}

/// A value of a mask: 1 if the outcome is proven clear.
fn is_free(outcome: &EdgeOutcome) -> u8 {
    outcome.is_free().into()
}

fn number(body: usize) -> i64 {
    i64::try_from(body).unwrap_or(-1)
}

thread_local! {
    /// The memory that the queries of this thread reuse. No answer depends on it.
    static MEMORY: RefCell<EdgeMemory> = RefCell::default();
}

/// Runs a query with the memory of this thread. After a panic, the thread gets new memory.
fn with_memory<T>(query: impl FnOnce(&mut EdgeMemory) -> Result<T, chasles::Error>) -> Result<T, Failure> {
    // While the thread is ending, its memory may be gone already.
    let mut memory = MEMORY.try_with(RefCell::take).unwrap_or_default();
    let answer = query(&mut memory);
    let _ = MEMORY.try_with(|stored| stored.replace(memory));
    or_failure("edge", answer)
}

impl EdgeChecker {
    /// The values of configurations, one after the other.
    ///
    /// # Safety
    /// The array has `count` configurations.
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
        // SAFETY: the caller guarantees the length.
        unsafe { array(first, values, place) }
    }

    /// Many configurations, each with its values.
    ///
    /// # Safety
    /// As [`Self::configurations`].
    unsafe fn rows<'a>(
        &self,
        first: *const f64,
        count: usize,
        place: &str,
    ) -> Result<Vec<&'a [f64]>, Failure> {
        // SAFETY: the caller guarantees the length.
        let values = unsafe { self.configurations(first, count, place)? };
        let joints = self.checker.joints().len();
        Ok((0..count).map(|row| &values[row * joints..(row + 1) * joints]).collect())
    }

    /// Many edges, each with its two configurations.
    ///
    /// # Safety
    /// Both arrays have `count` configurations.
    unsafe fn edges<'a>(&self, ends: [*const f64; 2], count: usize) -> Result<Vec<[&'a [f64]; 2]>, Failure> {
        // SAFETY: the caller guarantees the lengths.
        let [from, to] = unsafe { [self.rows(ends[0], count, "from")?, self.rows(ends[1], count, "to")?] };
        Ok(from.into_iter().zip(to).map(|(from, to)| [from, to]).collect())
    }
}

/// A call about many edges or configurations, which writes one value for each, in their order.
struct BatchCall<'a, T> {
    checker: Option<&'a EdgeChecker>,
    options: Option<&'a Options>,
    /// The number of edges or configurations.
    count: usize,
    /// The array for the values, and its name in messages.
    results: (*mut T, &'a str),
    /// Returns the value for an outcome.
    convert: fn(&EdgeOutcome) -> T,
}

impl<T> BatchCall<'_, T> {
    /// Checks edges.
    ///
    /// # Safety
    /// Both arrays of `ends` have `count` configurations, and the array for the values has `count` places.
    unsafe fn check_edges(self, ends: [*const f64; 2]) -> Status {
        let count = self.count;
        // SAFETY: the caller guarantees the lengths.
        let read = |checker: &EdgeChecker| unsafe { checker.edges(ends, count) };
        // SAFETY: as above.
        unsafe { self.run(read, |checker, edges| or_failure("edges", checker.check_edges(edges))) }
    }

    /// Checks configurations, which are stored one after the other.
    ///
    /// # Safety
    /// The array that starts at `first` has `count` configurations, and the array for the values has `count` places.
    unsafe fn check_configurations(self, first: *const f64) -> Status {
        let count = self.count;
        // SAFETY: the caller guarantees the length.
        let read = |checker: &EdgeChecker| unsafe { checker.rows(first, count, "configurations") };
        // SAFETY: as above.
        unsafe {
            self.run(read, |checker, rows| or_failure("configurations", checker.check_configurations(rows)))
        }
    }

    /// Reads the edges or configurations with `read`, checks them with `check`, and writes the values.
    ///
    /// # Safety
    /// The array for the values has `count` places.
    unsafe fn run<Q: Sync>(
        self,
        read: impl FnOnce(&EdgeChecker) -> Result<Vec<Q>, Failure>,
        check: impl FnOnce(&chasles::EdgeChecker, &[Q]) -> Result<Vec<EdgeOutcome>, Failure> + Send,
    ) -> Status {
        guarded(|| {
            let checker = needed(self.checker, "checker")?;
            let options = Options::of_cell(self.options)?;
            let queries = read(checker)?;
            let (results, name) = self.results;
            // SAFETY: the caller guarantees the length.
            let places = unsafe { array_of_results(results, self.count, name)? };
            let outcomes = options.on_threads(|| check(&checker.checker, &queries))??;
            places.iter_mut().zip(&outcomes).for_each(|(place, outcome)| {
                place.write((self.convert)(outcome));
            });
            Ok(())
        })
    }
}

/// Converts an error of the engine to a failure that names the argument.
fn or_failure<T>(argument: &str, result: Result<T, chasles::Error>) -> Result<T, Failure> {
    result.map_err(|error| Failure::engine(argument, &error))
}

/// Checks the straight edge in joint space from one configuration to another.
///
/// @param checker The checker.
/// @param from A configuration: `chasles_edge_checker_joint_count` values, in radians or metres.
/// @param to Another configuration.
/// @param edge Where the answer is written.
///
/// All joints move linearly and simultaneously. Guarantee: on a clear edge no tested pair comes within the cell's
/// tolerance or its clearance, at any moment of the true motion and for the true shapes, and neither body of a
/// tested pair is inside the other if the other is solid. The tested pairs are all pairs that a joint of the robot
/// can move relative to each other, whether that joint moves on this edge or not.
///
/// Threads: any, at any time. Each thread keeps some memory for its queries until it ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_edge_checker_check_edge(
    checker: Option<&EdgeChecker>,
    from: *const f64,
    to: *const f64,
    edge: Option<&mut MaybeUninit<Edge>>,
) -> Status {
    guarded(|| {
        let (checker, place) = (needed(checker, "checker")?, needed_out(edge, "edge")?);
        // SAFETY: the caller guarantees both configurations.
        let (from, to) =
            unsafe { (checker.configurations(from, 1, "from")?, checker.configurations(to, 1, "to")?) };
        let outcome = with_memory(|memory| checker.checker.check_edge(from, to, memory))?;
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
/// Threads: any, at any time. Each thread keeps some memory for its queries until it ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_edge_checker_check_configuration(
    checker: Option<&EdgeChecker>,
    configuration: *const f64,
    edge: Option<&mut MaybeUninit<Edge>>,
) -> Status {
    guarded(|| {
        let (checker, place) = (needed(checker, "checker")?, needed_out(edge, "edge")?);
        // SAFETY: the caller guarantees the configuration.
        let configuration = unsafe { checker.configurations(configuration, 1, "configuration")? };
        let outcome = with_memory(|memory| checker.checker.check_configuration(configuration, memory))?;
        place.write(Edge::of(&outcome));
        Ok(())
    })
}

/// Finds the free part of the straight edge in joint space from one configuration to another, and the contact that
/// ends it. This takes longer than `chasles_edge_checker_check_edge`, which ends at any contact.
///
/// @param checker The checker.
/// @param from A configuration: `chasles_edge_checker_joint_count` values, in radians or metres.
/// @param to Another configuration.
/// @param reach Where the answer is written.
///
/// Threads: any, at any time. Each thread keeps some memory for its queries until it ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_edge_checker_reach(
    checker: Option<&EdgeChecker>,
    from: *const f64,
    to: *const f64,
    reach: Option<&mut MaybeUninit<EdgeReach>>,
) -> Status {
    guarded(|| {
        let (checker, place) = (needed(checker, "checker")?, needed_out(reach, "reach")?);
        // SAFETY: the caller guarantees both configurations.
        let (from, to) =
            unsafe { (checker.configurations(from, 1, "from")?, checker.configurations(to, 1, "to")?) };
        let found = with_memory(|memory| checker.checker.reach(from, to, memory))?;
        let contact = found.contact.map(|contact| (contact.bodies.map(number), contact.at));
        let ([a, b], at) = contact.unwrap_or(([-1; 2], [f64::NAN; 2]));
        place.write(EdgeReach { free_until: found.free_until, a, b, at });
        Ok(())
    })
}

/// Checks many edges in one call, on all threads. Each answer is the same as from `chasles_edge_checker_check_edge`.
///
/// @param checker The checker.
/// @param from The start configurations, one after the other: `count` times `chasles_edge_checker_joint_count` values.
/// @param to The end configurations, in the same order.
/// @param count The number of edges.
/// @param options Only the number of threads is used; NULL: one thread for each processor.
/// @param edges `count` places, written in the order of the edges.
///
/// If one of the edges is invalid, the call fails, and no answer is written.
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
    let call = BatchCall { checker, options, count, results: (edges, "edges"), convert: Edge::of };
    // SAFETY: the caller guarantees the lengths of all three arrays.
    unsafe { call.check_edges([from, to]) }
}

/// The mask of free edges: 1 for each edge that `chasles_edge_checker_check_edges` proves clear, and 0 for each
/// other edge, undecided ones included.
///
/// @param checker The checker.
/// @param from The start configurations, as in `chasles_edge_checker_check_edges`.
/// @param to The end configurations, in the same order.
/// @param count The number of edges.
/// @param options Only the number of threads is used; NULL: one thread for each processor.
/// @param mask `count` places, written in the order of the edges.
///
/// If one of the edges is invalid, the call fails, and nothing is written.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_edge_checker_edges_free(
    checker: Option<&EdgeChecker>,
    from: *const f64,
    to: *const f64,
    count: usize,
    options: Option<&Options>,
    mask: *mut u8,
) -> Status {
    let call = BatchCall { checker, options, count, results: (mask, "mask"), convert: is_free };
    // SAFETY: the caller guarantees the lengths of all three arrays.
    unsafe { call.check_edges([from, to]) }
}

/// Checks many configurations in one call, on all threads. Each answer is the same as from
/// `chasles_edge_checker_check_configuration`.
///
/// @param checker The checker.
/// @param configurations The configurations, one after the other: `count` times `chasles_edge_checker_joint_count`
/// values.
/// @param count The number of configurations.
/// @param options Only the number of threads is used; NULL: one thread for each processor.
/// @param edges `count` places, written in the order of the configurations.
///
/// If one of the configurations is invalid, the call fails, and no answer is written.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_edge_checker_check_configurations(
    checker: Option<&EdgeChecker>,
    configurations: *const f64,
    count: usize,
    options: Option<&Options>,
    edges: *mut Edge,
) -> Status {
    let call = BatchCall { checker, options, count, results: (edges, "edges"), convert: Edge::of };
    // SAFETY: the caller guarantees the lengths of both arrays.
    unsafe { call.check_configurations(configurations) }
}

/// The mask of free configurations: 1 for each configuration that `chasles_edge_checker_check_configurations` proves
/// clear, and 0 for each other configuration, undecided ones included.
///
/// @param checker The checker.
/// @param configurations The configurations, as in `chasles_edge_checker_check_configurations`.
/// @param count The number of configurations.
/// @param options Only the number of threads is used; NULL: one thread for each processor.
/// @param mask `count` places, written in the order of the configurations.
///
/// If one of the configurations is invalid, the call fails, and nothing is written.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_edge_checker_configurations_free(
    checker: Option<&EdgeChecker>,
    configurations: *const f64,
    count: usize,
    options: Option<&Options>,
    mask: *mut u8,
) -> Status {
    let call = BatchCall { checker, options, count, results: (mask, "mask"), convert: is_free };
    // SAFETY: the caller guarantees the lengths of both arrays.
    unsafe { call.check_configurations(configurations) }
}

/// Frees an edge checker. NULL is allowed.
///
/// Threads: any, once no other call uses the checker.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_edge_checker_free(checker: Option<Box<EdgeChecker>>) {
    guarded(|| {
        drop(checker);
        Ok(())
    });
}
