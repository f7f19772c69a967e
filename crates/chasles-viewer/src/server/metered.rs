//! Limits the bytes of one connection: the rate at which they are read, the time of a partial message, and the time
//! in which answers must be taken.
//!
//! A message may consist of any number of frames, even empty ones, and reading them takes time. The WebSocket
//! library reports only whole messages, so the limits are applied below it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use crate::limits;

/// The state of a connection.
#[derive(Debug, Clone, Copy)]
struct ConnectionState {
    /// Received bytes that are not part of a whole message yet, and the time when the first of them arrived.
    bytes: usize,
    since: Option<Instant>,
    /// The deadline for the client to take the current answer.
    due: Option<Instant>,
    /// Whether a request of the client has passed the guard.
    is_welcome: bool,
    /// When bytes were last transferred in either direction.
    active: Instant,
}

impl Default for ConnectionState {
    fn default() -> Self {
        Self { bytes: 0, since: None, due: None, is_welcome: false, active: Instant::now() }
    }
}

impl ConnectionState {
    fn received(&mut self, bytes: usize, now: Instant) {
        self.bytes += bytes;
        if bytes > 0 {
            self.active = now;
            self.since.get_or_insert(now);
        }
    }

    fn done(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
        if self.bytes == 0 {
            self.since = None;
        }
    }
}

/// A shared handle to a connection's state, for the code that reads its messages.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter(Arc<Mutex<ConnectionState>>);

impl Meter {
    /// A message is complete. Bytes that arrived together with its end count as part of it; there are no more than
    /// one read.
    pub(super) fn message(&self) {
        self.state().done(usize::MAX);
    }

    /// A ping or pong arrived, possibly in the middle of a message. Its frame has six bytes and the payload.
    pub(super) fn control(&self, carried: usize) {
        self.state().done(6 + carried);
    }

    /// Whether a message that is still incomplete has exceeded the time limit.
    pub(super) fn is_overdue(&self) -> bool {
        self.state().since.is_some_and(|since| since.elapsed() >= limits::MESSAGE_TIME)
    }

    /// Sets the time limit for the client to take all bytes that are sent from now on; after it the client is
    /// disconnected. `None` removes the limit.
    pub(super) fn answer_within(&self, time: Option<Duration>) {
        self.state().due = time.map(|time| Instant::now() + time);
    }

    /// A request of the client has passed the guard.
    pub(super) fn set_authorized(&self) {
        self.state().is_welcome = true;
    }

    /// The priority of the connection for keeping its slot: clients that passed the guard come before others, and
    /// recently active clients before idle ones.
    pub(super) fn priority(&self) -> (bool, Instant) {
        let state = self.state();
        (state.is_welcome, state.active)
    }

    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        // No code that can panic runs between two consistent states.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The remaining time for which a client may leave bytes untaken. All answers of a connection use the same time, so a
/// client that sends requests and never reads is disconnected. The time grows when the client takes bytes, and while
/// no bytes wait.
#[derive(Debug, Clone, Copy)]
struct WriteDeadline {
    remaining: Duration,
    /// When `remaining` was computed.
    at: Instant,
    /// Whether bytes wait to be taken.
    is_stalled: bool,
}

impl WriteDeadline {
    fn new(now: Instant) -> Self {
        Self { remaining: limits::WRITE_TIME, at: now, is_stalled: false }
    }

    /// Updates the remaining time. `taken` is the number of bytes that the client took, or `None` if it takes none
    /// now. In that case, returns the remaining time.
    fn after(&mut self, taken: Option<usize>, now: Instant) -> Option<Duration> {
        let elapsed = now.saturating_duration_since(self.at);
        let paid = Duration::from_secs_f64(taken.unwrap_or(0) as f64 / limits::MIN_BYTES_PER_SECOND as f64);
        self.remaining =
            if self.is_stalled { self.remaining.saturating_sub(elapsed) } else { self.remaining + elapsed };
        self.remaining = (self.remaining + paid).min(limits::WRITE_TIME);
        (self.at, self.is_stalled) = (now, taken.is_none());
        self.is_stalled.then_some(self.remaining)
    }
}

/// A connection with a limited read rate.
pub(super) struct Metered {
    stream: TcpStream,
    meter: Meter,
    write_deadline: WriteDeadline,
    /// The time at which all received bytes are paid for.
    paid: Instant,
    /// Fires when the next bytes may be read.
    read_timer: Pin<Box<Sleep>>,
    /// Fires when the deadline for sent bytes has passed.
    write_timer: Pin<Box<Sleep>>,
}

impl Metered {
    pub(super) fn new(stream: TcpStream, meter: Meter) -> Self {
        let [read_timer, write_timer] = [0; 2].map(|_| Box::pin(sleep(Duration::ZERO)));
        let now = Instant::now();
        Self { stream, meter, write_deadline: WriteDeadline::new(now), paid: now, read_timer, write_timer }
    }

    /// Calls `write`. Returns an error if the client is past its deadline; otherwise the task is woken at the deadline.
    fn written(
        &mut self,
        cx: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let written = write(Pin::new(&mut self.stream), cx);
        let taken = match &written {
            Poll::Ready(Ok(bytes)) => Some(*bytes),
            Poll::Ready(Err(_)) => return written,
            Poll::Pending => None,
        };
        let now = Instant::now();
        let remaining = self.write_deadline.after(taken, now).map(|remaining| now + remaining);
        let due = {
            let mut state = self.meter.state();
            if taken.is_some() {
                state.active = now;
            }
            state.due
        };
        let Some(due) = [remaining, due].into_iter().flatten().min() else { return written };
        self.write_timer.as_mut().reset(due);
        match self.write_timer.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => written,
        }
    }
}

/// The length of a burst of one connection, as the time that pays for its bytes.
const BURST_TIME: Duration = Duration::from_secs((limits::BURST_BYTES / limits::BYTES_PER_SECOND) as u64);

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(next) = self.paid.checked_sub(BURST_TIME).filter(|next| *next > Instant::now()) {
            self.read_timer.as_mut().reset(next);
            ready!(self.read_timer.as_mut().poll(cx));
        }
        let before = into.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, into))?;
        let (bytes, now) = (into.filled().len() - before, Instant::now());
        self.paid =
            self.paid.max(now) + Duration::from_secs_f64(bytes as f64 / limits::BYTES_PER_SECOND as f64);
        self.meter.state().received(bytes, now);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Metered {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.written(cx, |stream, cx| stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.written(cx, |stream, cx| stream.poll_write_vectored(cx, parts))
    }

    // Without vectored writes, large answers would be copied for every connection, and their room would be freed
    // too early.
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_unfinished_from_its_first_byte_on() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut state = ConnectionState::default();
        state.received(0, at(0));
        assert_eq!(state.since, None);
        // Pings of four bytes alone, in two parts.
        state.received(7, at(1));
        assert_eq!(state.since, Some(at(1)));
        state.received(3, at(2));
        state.done(10);
        assert_eq!(state.since, None);
        // Pings between two parts of a message have no effect.
        state.received(1000, at(3));
        state.received(10, at(4));
        state.done(10);
        state.received(6, at(5));
        assert_eq!(state.since, Some(at(3)));
        state.done(usize::MAX);
        assert_eq!((state.since, state.bytes), (None, 0));
    }

    #[test]
    fn slow_clients_are_disconnected() {
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let maximum = limits::WRITE_TIME.as_secs_f64();
        let mut patience = WriteDeadline::new(start);
        // A client that takes a hundred bytes now and then.
        let mut time = 0.0;
        let second = Duration::from_secs(1);
        while patience.after(None, at(time)).is_some_and(|remaining| remaining >= second) {
            time += 1.0;
            assert_eq!(patience.after(Some(100), at(time)), None);
        }
        assert!((maximum - 2.0..maximum + 2.0).contains(&time), "{time}");
        // A client that takes the minimum rate for an hour, and then pauses.
        let mut patience = WriteDeadline::new(start);
        for second in 0..3600 {
            assert!(patience.after(None, at(f64::from(second))) > Some(Duration::ZERO), "{second}");
            patience.after(Some(limits::MIN_BYTES_PER_SECOND), at(f64::from(second) + 0.99));
        }
        assert_eq!(patience.after(None, at(3610.0)), Some(limits::WRITE_TIME));
        assert_eq!(patience.after(None, at(3611.0)), Some(limits::WRITE_TIME - Duration::from_secs(1)));
    }
}
