//! Paths in joint space.

/// Where joints are to be, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct JointPath {
    /// The numbers of the joints that the path moves. The others rest.
    pub joints: Vec<usize>,
    /// At least two, in order of time.
    pub waypoints: Vec<Waypoint>,
}

/// One point of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Waypoint {
    /// In seconds, increasing from one to the next.
    pub time: f64,
    /// One value a joint of the path, in radians or metres.
    pub positions: Vec<f64>,
    /// As many, per second; empty: not given. Where both ends of a segment have them its joints move along cubics, else evenly.
    pub velocities: Vec<f64>,
}
