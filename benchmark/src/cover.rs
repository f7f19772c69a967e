//! Covers: proofs that two bodies stay separated, as a tree that divides sets of triangles and time until planes
//! separate them.

use crate::body::{Body, Set};
use crate::plane::{IntervalMaps, PlaneSearch, Side, interval_maps, separating_plane};

/// A tree in depth-first order, with its planes: see README.md.
#[derive(Debug, Default)]
pub struct Cover {
    /// A letter for each node.
    pub tree: String,
    /// The planes, in the tree's order.
    pub planes: Vec<Vec<f64>>,
}

/// The reason why there is no cover.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stuck {
    /// Two triangles cannot be separated from this time on.
    At(f64),
    /// There are too many nodes.
    Budget,
}

/// The state of a search for a cover.
struct Search<'a> {
    a: &'a Body,
    b: &'a Body,
    cover: Cover,
    /// The minimum length of a time interval.
    shortest: f64,
    /// Intervals that start after this time are skipped.
    until: f64,
    /// Whether to continue after two triangles cannot be separated, to find the first such time.
    seeking: Seeking,
    remaining_nodes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seeking {
    Proof,
    FirstTime,
}

/// Finds a cover of [start, end].
///
/// # Errors
/// Triangles cannot be separated, or more than `budget` nodes are needed.
pub fn cover(a: &Body, b: &Body, end: f64, budget: usize) -> Result<Cover, Stuck> {
    let mut search = Search::new(a, b, Seeking::Proof, budget);
    // Near the end, time intervals may have to be very short.
    search.shortest *= 1e-3;
    search.walk([a.all(), b.all()], [a.knots[0], end], None)?;
    Ok(search.cover)
}

/// The approximate first time of contact; `None` if the bodies do not touch.
///
/// # Errors
/// More than `budget` nodes are needed.
pub fn first_time(a: &Body, b: &Body, end: f64, budget: usize) -> Result<Option<f64>, Stuck> {
    let mut search = Search::new(a, b, Seeking::FirstTime, budget);
    search.walk([a.all(), b.all()], [a.knots[0], end], None)?;
    Ok((search.until < f64::MAX).then_some(search.until))
}

impl<'a> Search<'a> {
    fn new(a: &'a Body, b: &'a Body, seeking: Seeking, remaining_nodes: usize) -> Self {
        let duration = a.knots[a.knots.len() - 1] - a.knots[0];
        Self {
            a,
            b,
            cover: Cover::default(),
            shortest: 2e-13 * duration,
            until: f64::MAX,
            seeking,
            remaining_nodes,
        }
    }

    fn walk(
        &mut self,
        [sa, sb]: [Set; 2],
        [t0, t1]: [f64; 2],
        maps: Option<&[IntervalMaps; 2]>,
    ) -> Result<(), Stuck> {
        if t0 >= self.until {
            return Ok(());
        }
        self.remaining_nodes = self.remaining_nodes.checked_sub(1).ok_or(Stuck::Budget)?;
        let waypoint = self.a.knots.iter().chain(&self.b.knots).copied().filter(|k| t0 < *k && *k < t1);
        if let Some(middle) = waypoint.reduce(f64::min) {
            return self.divide_time([sa, sb], [t0, middle, t1]);
        }
        let own;
        let maps = match maps {
            Some(maps) => maps,
            None => {
                own = [interval_maps(self.a, t0, t1), interval_maps(self.b, t0, t1)];
                &own
            }
        };
        let (a, b) = (Side::new(self.a, sa, &maps[0]), Side::new(self.b, sb, &maps[1]));
        let gap = match separating_plane(&a, &b) {
            PlaneSearch::By(plane) => {
                self.cover.tree.push('P');
                if self.seeking == Seeking::Proof {
                    self.cover.planes.push(plane);
                }
                return Ok(());
            }
            PlaneSearch::Not(gap) => gap,
        };
        let radii = [self.a.radius(sa), self.b.radius(sb)];
        let (travel, reach) = (a.travel(&b), radii[0].max(radii[1]));
        let single = sa.len() == 1 && sb.len() == 1;
        // Sets that are far apart relative to their size need shorter time intervals, not smaller sets.
        let early = travel > 1.5 * reach || (gap > 0.5 * reach && travel > 0.3 * reach);
        if single || (early && t1 - t0 > self.shortest) {
            if t1 - t0 <= self.shortest || 0.5 * (t0 + t1) <= t0 || 0.5 * (t0 + t1) >= t1 {
                if self.seeking == Seeking::Proof {
                    return Err(Stuck::At(t0));
                }
                self.until = self.until.min(t0);
                return Ok(());
            }
            return self.divide_time([sa, sb], [t0, 0.5 * (t0 + t1), t1]);
        }
        if sb.len() == 1 || (sa.len() > 1 && radii[0] >= radii[1]) {
            self.cover.tree.push('A');
            for half in sa.halves() {
                self.walk([half, sb], [t0, t1], Some(maps))?;
            }
        } else {
            self.cover.tree.push('B');
            for half in sb.halves() {
                self.walk([sa, half], [t0, t1], Some(maps))?;
            }
        }
        Ok(())
    }

    fn divide_time(&mut self, sets: [Set; 2], [t0, middle, t1]: [f64; 3]) -> Result<(), Stuck> {
        self.cover.tree.push('T');
        self.walk(sets, [t0, middle], None)?;
        self.walk(sets, [middle, t1], None)
    }
}
