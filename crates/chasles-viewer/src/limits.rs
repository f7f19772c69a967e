//! What a client may do: how much, how often, how long. Beyond these it is answered with an error, made to wait, or sent away; it never
//! costs the others more.

use std::time::Duration;

/// Bytes of a message, except one that carries a path.
pub const MESSAGE: usize = 64 << 10;

/// Bytes of a message that carries a path: some ten thousand waypoints of six joints.
pub const PATH_MESSAGE: usize = 1 << 20;

/// Messages a second of one client, on the whole; so many may come at once. Further ones are read later.
pub const MESSAGES_A_SECOND: u32 = 200;

/// A message counts once more for each of so many bytes.
pub const BYTES_A_COUNT: usize = 16 << 10;

/// Bytes a second of one connection, whatever they are; so many may come at once. Further ones are read later.
pub const BYTES_A_SECOND: usize = 256 << 10;

/// Bytes of one connection that may come at once: two paths.
pub const BYTES_AT_ONCE: usize = 2 << 20;

/// How long a message may take from its first byte to its last, in as many frames as it comes.
pub const MESSAGE_TIME: Duration = Duration::from_secs(30);

/// Clients that watch or jog at a time.
pub const CLIENTS: usize = 256;

/// Connections that ask for pages at a time, before they become clients.
pub const CONNECTIONS: usize = 512;

/// The maximum number of connections from one address.
pub const CONNECTIONS_A_PEER: usize = 256;

/// Bytes of the head of a request.
pub const HEAD: usize = 32 << 10;

/// How long the head of a request may take.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long a client may take to read what it is sent.
pub const WRITE_TIME: Duration = Duration::from_secs(20);

/// Clients that read large answers at this rate, in bytes per second, may take longer.
pub const LEAST_BYTES_A_SECOND: usize = 16 << 10;

/// A client that has sent nothing for so long, though it is asked three times, is gone.
pub const SILENCE: Duration = Duration::from_secs(60);

/// Moves of one client that wait or are under way.
pub const IN_FLIGHT: usize = 16;

/// Moves that wait, of all clients.
pub const WAITING: usize = 64;

/// How long the proof of one move may take; then the move is refused.
pub const MOVE_TIME: Duration = Duration::from_secs(10);

/// How long a client that was cut off in control keeps it.
pub const CONTROL_KEPT: Duration = Duration::from_secs(10);

/// Moves that are recorded: 33 minutes of 50 a second.
pub const MOVES: usize = 100_000;

/// How often the state is told while a path is replayed.
pub const REPLAY_PAUSE: Duration = Duration::from_millis(50);

/// How long a simulation may work before it looks whether something else is asked of it.
pub const SIMULATION_TURN: Duration = Duration::from_secs(1);

/// How often the state of a simulation is told, at most.
pub const SIMULATION_PAUSE: Duration = Duration::from_millis(16);

/// Bytes of the states of a simulation that are told a second, about: larger ones are told less often.
pub const SIMULATION_BYTES: usize = 4 << 20;

/// Impulses that a state tells of: the strongest since the state before.
pub const SIMULATION_IMPULSES: usize = 200;

/// A simulation of which nobody has asked anything for so long is paused.
pub const SIMULATION_IDLE: Duration = Duration::from_secs(600);

/// Gap curves that are worked out and kept.
pub const CURVES: usize = 4096;

/// Bytes of frames of a body that deforms which are given at once; a single frame may be larger.
pub const PIECE: usize = 1 << 20;

/// Bytes of such pieces that are read or on their way, of all clients; a larger one goes alone.
pub const PIECES: usize = 64 << 20;

/// How long a question for a piece may wait for its turn; then the client is asked to come again.
pub const PIECE_WAIT: Duration = Duration::from_secs(3);

/// How long a client may take to read a piece; then it is cut off.
pub const PIECE_TIME: Duration = Duration::from_secs(20);

/// Bytes of frames in a page that is one file, all bodies together: a third more as text.
pub const FRAMES_IN_FILE: usize = 48 << 20;
