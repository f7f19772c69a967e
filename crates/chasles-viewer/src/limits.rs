//! Limits for clients: message sizes, rates and times. A client that exceeds a limit gets an error, has to wait, or
//! is disconnected; other clients do not pay for it.

use std::time::Duration;

/// The maximum size of a message in bytes, unless it carries a path.
pub const MESSAGE: usize = 64 << 10;

/// The maximum size of a message that carries a path, in bytes: about 10,000 waypoints of six joints.
pub const PATH_MESSAGE: usize = 1 << 20;

/// Messages per second of one client, on average; a burst may have the same number. Further messages are read later.
pub const MESSAGES_PER_SECOND: u32 = 200;

/// A message counts once more for each 16 KiB of its length.
pub const BYTES_PER_COUNT: usize = 16 << 10;

/// Bytes per second of one connection, of any kind; a burst may have `BURST_BYTES`. Further bytes are read later.
pub const BYTES_PER_SECOND: usize = 256 << 10;

/// The maximum size of a burst of one connection, in bytes: two paths.
pub const BURST_BYTES: usize = 2 << 20;

/// The maximum time from the first byte of a message to its last, over all its frames.
pub const MESSAGE_TIME: Duration = Duration::from_secs(30);

/// The maximum number of clients that watch or jog at a time.
pub const CLIENTS: usize = 256;

/// The maximum number of open connections that request pages and are not clients yet.
pub const CONNECTIONS: usize = 512;

/// The maximum number of connections from one address.
pub const CONNECTIONS_PER_PEER: usize = 256;

/// The maximum size of a request head, in bytes.
pub const HEAD: usize = 32 << 10;

/// The maximum time for receiving a request head.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// The maximum time in which a client must read a message.
pub const WRITE_TIME: Duration = Duration::from_secs(20);

/// For large answers the time limit is longer if the client reads at this rate or faster, in bytes per second.
pub const MIN_BYTES_PER_SECOND: usize = 16 << 10;

/// A client that sends nothing for this long, in spite of three pings, is disconnected.
pub const SILENCE: Duration = Duration::from_secs(60);

/// The maximum number of waiting or current moves of one client.
pub const IN_FLIGHT: usize = 16;

/// The maximum number of waiting moves of all clients.
pub const WAITING: usize = 64;

/// The time limit for the proof of one move. A move that exceeds it is refused.
pub const MOVE_TIME: Duration = Duration::from_secs(10);

/// How long a client keeps control after its connection was lost.
pub const CONTROL_GRACE: Duration = Duration::from_secs(10);

/// The maximum number of recorded moves: 33 minutes at 50 moves a second.
pub const MOVES: usize = 100_000;

/// The interval between state messages during the replay of a path.
pub const REPLAY_INTERVAL: Duration = Duration::from_millis(50);

/// A simulation step that took longer than this is interrupted if other jobs wait.
pub const SIMULATION_STEP_TIME: Duration = Duration::from_secs(1);

/// The minimum interval between state messages of a simulation.
pub const SIMULATION_PUBLISH_INTERVAL: Duration = Duration::from_millis(16);

/// Target rate for the states of a simulation, in bytes per second: larger states are sent less often.
pub const SIMULATION_BYTES: usize = 4 << 20;

/// The maximum number of impulses in a state: the strongest since the previous state.
pub const SIMULATION_IMPULSES: usize = 200;

/// A simulation is paused when no client has sent a request for this long.
pub const SIMULATION_IDLE: Duration = Duration::from_secs(600);

/// The maximum number of gap curves in the cache.
pub const CURVES: usize = 4096;

/// The maximum size of a piece of frames of a deforming body, in bytes. A single frame may be larger.
pub const CHUNK: usize = 1 << 20;

/// The maximum size of all pieces that are being read or sent, in bytes, over all clients. A larger piece is sent
/// alone.
pub const CHUNKS: usize = 64 << 20;

/// How long a request for a piece may wait for its turn. After that the client must retry.
pub const CHUNK_WAIT: Duration = Duration::from_secs(3);

/// The maximum time in which a client must read a piece; a slower client is disconnected.
pub const CHUNK_TIME: Duration = Duration::from_secs(20);

/// The maximum size of the frames of all bodies in a self-contained page, in bytes. As base64 text they are a third
/// larger.
pub const FRAMES_IN_FILE: usize = 48 << 20;
