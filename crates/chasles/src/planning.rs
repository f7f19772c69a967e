//! Fast collision checks of straight edges in joint space, for motion planners, which make millions.
//!
//! ```text
//! chain             the robot as groups of links that move as one, and their poses
//! spheres           trees of small spheres that contain moving parts
//! boxes             trees of boxes that contain static bodies
//! shells            connected surfaces, and the points that closed surfaces enclose
//! interior_spheres  larger spheres about interior points, which protrude less than small ones
//! sweep             spheres on chords against boxes and spheres, seven time intervals at once
//! part              a shape and its bounding tree
//! near              exact test of one pair whose spheres may intersect
//! clearance_grid    the values of a few joints for which two groups of links stay separated
//! parts             all shapes, and the pairs of them that are tested
//! answer            the outcomes of edge and configuration checks
//! open_pair         pairs of parts that the spheres leave open
//! edge              one query, from bounding spheres to exact shapes
//! checker           the entry point: edges, configurations, the free length of an edge
//! ```
//!
//! If interior spheres prove that the interiors of two bodies overlap, the edge is blocked ([`shells`]). The pairs
//! and intervals that [`sweep`] does not prove free are tested with the exact shapes, pair by pair ([`near`]):
//! first at the middle of the interval in which the spheres overlap most deeply, for an intersection, then with
//! [bounds of the motion](crate::mesh_motion). Cases that are still undecided, some touching contacts, go to
//! [`RobotCell::check_path`](crate::RobotCell::check_path). A query keeps no result for the next query.
//!
//! Read [`EdgeChecker`] first, then [`checker`].

pub(crate) mod chain;
pub(crate) mod spheres;
pub(crate) mod boxes;
pub(crate) mod shells;
pub(crate) mod interior_spheres;
pub(crate) mod sweep;
pub(crate) mod part;
pub(crate) mod near;
pub(crate) mod clearance_grid;
pub(crate) mod parts;
pub(crate) mod answer;
mod open_pair;
pub(crate) mod edge;
pub(crate) mod checker;
#[cfg(test)]
mod chain_tests;
#[cfg(test)]
mod spheres_tests;
#[cfg(test)]
mod clearance_grid_tests;
#[cfg(test)]
mod shells_tests;

use crate::error::Error;
use crate::planning::answer::{EdgeFreeSpan, EdgeOutcome};
use crate::planning::checker::{EdgeOptions, LimitedJoint, StaticOutcome};
use crate::planning::edge::{EdgeMemory, PlanningModel};
use crate::robot::RobotCell;

/// A robot in its cell, prepared for many checks of straight edges in joint space. It is built once and used from
/// any number of threads. Each thread has its own [`EdgeMemory`], which keeps no result from one query to the next.
///
/// **Guarantee.** On a *free* edge, no tested pair comes within the cell's tolerance or its clearance at any moment
/// of the true motion of the true shapes, and in no tested pair is a body inside a solid one. A *blocked* edge has
/// such a contact, at a time within the reported enclosure. All pairs that a joint of the robot can move relative
/// to each other are tested, whether or not this edge moves that joint. Pairs that no joint of the planner moves
/// are tested once, when the checker is built ([`Self::static_contacts`]). Links connected only by fixed joints, and
/// static bodies with the base, are not tested.
#[derive(Debug, Clone)]
pub struct EdgeChecker {
    model: PlanningModel,
    options: EdgeOptions,
    static_outcome: StaticOutcome,
    limited: Vec<LimitedJoint>,
}

impl EdgeChecker {
    /// Prepares a cell.
    ///
    /// # Errors
    /// A joint that does not exist, is listed twice, is fixed or follows another; a wrong number of values, a value
    /// that is NaN or beyond its limits; a body of the world that moves by itself (see
    /// [`RobotCell::with_static_world`]).
    pub fn new(cell: &RobotCell, options: &EdgeOptions) -> Result<Self, Error> {
        checker::checker_of(cell, options)
    }

    /// The same checker for another cell of the same robot, with a changed base, world or attached bodies. Unchanged
    /// data is reused.
    ///
    /// # Errors
    /// Other links or joints; and as [`Self::new`].
    pub fn with_cell(&self, cell: &RobotCell) -> Result<Self, Error> {
        checker::with_cell(self, cell)
    }

    /// The cell.
    #[must_use]
    pub fn cell(&self) -> &RobotCell {
        &self.model.cell
    }

    /// The numbers of the joints that a query sets, in order.
    #[must_use]
    pub fn joints(&self) -> &[usize] {
        &self.model.joints
    }

    /// Surfaces within this distance of each other touch, in metres.
    #[must_use]
    pub fn tolerance(&self) -> f64 {
        self.model.parts.tolerance
    }

    /// Pairs of links and bodies that touch and that no joint of the planner moves, although another joint can. They
    /// block every edge and configuration. In the numbers of the cell, the lower first.
    #[must_use]
    pub fn static_contacts(&self) -> &[[usize; 2]] {
        &self.static_outcome.touching
    }

    /// Whether the straight edge from one configuration to another is free.
    ///
    /// # Errors
    /// A wrong number of values; a value that is NaN or beyond the limits of its joint or of a joint that follows it.
    pub fn check_edge(
        &self,
        from: &[f64],
        to: &[f64],
        memory: &mut EdgeMemory,
    ) -> Result<EdgeOutcome, Error> {
        checker::check_edge(self, from, to, memory)
    }

    /// Whether a configuration is free.
    ///
    /// # Errors
    /// As [`Self::check_edge`].
    pub fn check_configuration(&self, values: &[f64], memory: &mut EdgeMemory) -> Result<EdgeOutcome, Error> {
        checker::check_configuration(self, values, memory)
    }

    /// The free length of the straight edge from one configuration to another, and the contact that ends it.
    ///
    /// # Errors
    /// As [`Self::check_edge`].
    pub fn reach(&self, from: &[f64], to: &[f64], memory: &mut EdgeMemory) -> Result<EdgeFreeSpan, Error> {
        checker::reach(self, from, to, memory)
    }

    /// Checks many edges on the threads of the current rayon pool. The outcomes do not depend on the number of threads.
    ///
    /// # Errors
    /// As [`Self::check_edge`], for the first invalid edge.
    pub fn check_edges(&self, edges: &[[&[f64]; 2]]) -> Result<Vec<EdgeOutcome>, Error> {
        checker::check_edges(self, edges)
    }

    /// The mask of free edges: true where [`Self::check_edges`] returns [`EdgeOutcome::Free`].
    ///
    /// # Errors
    /// As [`Self::check_edges`].
    pub fn edges_free(&self, edges: &[[&[f64]; 2]]) -> Result<Vec<bool>, Error> {
        Ok(self.check_edges(edges)?.iter().map(EdgeOutcome::is_free).collect())
    }

    /// Checks many configurations, as [`Self::check_edges`] checks edges.
    ///
    /// # Errors
    /// As [`Self::check_configuration`], for the first invalid configuration.
    pub fn check_configurations(&self, configurations: &[&[f64]]) -> Result<Vec<EdgeOutcome>, Error> {
        checker::check_configurations(self, configurations)
    }

    /// The mask of free configurations: true where [`Self::check_configurations`] returns [`EdgeOutcome::Free`].
    ///
    /// # Errors
    /// As [`Self::check_configurations`].
    pub fn configurations_free(&self, configurations: &[&[f64]]) -> Result<Vec<bool>, Error> {
        Ok(self.check_configurations(configurations)?.iter().map(EdgeOutcome::is_free).collect())
    }

    /// The same checker with another budget for each edge.
    #[must_use]
    pub fn with_budget(&self, budget: u64) -> Self {
        let mut checker = self.clone();
        (checker.model.budget, checker.options.budget) = (budget, budget);
        checker
    }

    /// Checks that values are valid for a query.
    ///
    /// # Errors
    /// As [`Self::check_edge`].
    pub fn check_values(&self, values: &[f64]) -> Result<(), Error> {
        checker::check_values(self, values)
    }
}
