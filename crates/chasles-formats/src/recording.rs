//! Recordings of simulations as JSON Lines: a header, and then one line per time.
//!
//! ```text
//! written     writes the lines
//! recorded    the impulses, energies and releases of a recording
//! lines       reads the lines
//! played      a recording as a scene whose dynamic bodies have keyframes, and whose flexible bodies deform
//! begun       a recording that a simulation continues
//! moved       the scene of a simulation with the simulated motions
//! ```
//!
//! ```json
//! {"format":1,"kind":"recording","scene":"drop.toml","duration":1,"depth":0.0001,"bodies":["ball"]}
//! {"t":0.01,"poses":[[x,y,z,qw,qx,qy,qz]],"velocities":[[vx,vy,vz,wx,wy,wz]],
//!  "contacts":[{"a":"floor","b":"ball","t":0.0098,"point":[x,y,z],"normal":[x,y,z],"impulse":[x,y,z]}],
//!  "energy":{"kinetic":1.5,"potential":9.8,"dissipated":0}}
//! ```
//!
//! With flexible bodies the header names them as `flexible`, and each line has the positions and velocities of their
//! vertices:
//!
//! ```json
//! {"vertices":[[[x,y,z],[x,y,z]]],"vertex_velocities":[[[vx,vy,vz],[vx,vy,vz]]]}
//! ```
//!
//! Every body moves from line to line on the screw that joins its poses, and each vertex moves straight. Numbers
//! have the shortest form that reads back the same; -0 is written as 0.

mod written;
mod recorded;
mod lines;
mod played;
mod begun;
mod moved;

pub use begun::{Begun, begun, parse_begun};
pub use moved::{RecordedPose, moved};
pub use played::{Played, is_recording, parse, read};
pub use recorded::{Recorded, RecordedContact, RecordedLine, RecordedRelease};
pub use written::{head, line, scene_name};
