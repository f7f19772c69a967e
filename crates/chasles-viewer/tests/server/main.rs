//! The server of the viewer, asked from outside: by HTTP and by WebSocket, on this machine only.

mod support;
mod alone;
mod control;
mod moves;
mod frames;
mod live;
mod hostile;
mod guarded;
mod soak;
