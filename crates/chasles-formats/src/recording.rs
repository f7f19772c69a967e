//! Recordings of simulations as JSON Lines: a header, and then one line per time.
//!
//! ```text
//! writer           writes the lines
//! dynamics         the impulses, energies and releases of a recording
//! lines            reads the lines
//! recorded_scene   a recording as a scene whose dynamic bodies have keyframes, and whose flexible bodies deform
//! resumable        a recording that a simulation continues
//! simulated_scene  the scene of a simulation with the simulated motions
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

mod writer;
mod dynamics;
mod lines;
mod recorded_scene;
mod resumable;
mod simulated_scene;

pub use dynamics::{RecordedContact, RecordedDynamics, RecordedRelease, RecordingLine};
pub use recorded_scene::{RecordedScene, is_recording, parse, read};
pub use resumable::{ResumableRecording, parse_resumable, read_resumable};
pub use simulated_scene::{RecordedPoses, simulated_scene};
pub(crate) use writer::ForcedStopJson;
pub use writer::{head, line, scene_name};
