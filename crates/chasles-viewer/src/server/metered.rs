//! The bytes of one connection: read no faster than is allowed, no message left half sent, and answers taken in time.
//!
//! A message can come in any number of frames, each of them empty, and reading those takes time too. The library tells of whole
//! messages only, so the limits stand below it.

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
    /// Bytes that came and are not part of a whole message, and since when there are any.
    bytes: usize,
    since: Option<Instant>,
    /// By then the client must have taken what it is being sent.
    due: Option<Instant>,
    /// Whether a request of the client has passed the guard.
    is_welcome: bool,
    /// When bytes last went in either direction.
    active: Instant,
}

impl Default for ConnectionState {
    fn default() -> Self {
        Self { bytes: 0, since: None, due: None, is_welcome: false, active: Instant::now() }
    }
}

impl ConnectionState {
    fn came(&mut self, bytes: usize, now: Instant) {
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

/// What is known of what a connection sent, for who reads its messages.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter(Arc<Mutex<ConnectionState>>);

impl Meter {
    /// A message came to its end. What came after it in the same breath counts as well: at most what is read at once.
    pub(super) fn message(&self) {
        self.state().done(usize::MAX);
    }

    /// A ping or pong came, which may come in the middle of a message: its frame has six bytes and what it carries.
    pub(super) fn control(&self, carried: usize) {
        self.state().done(6 + carried);
    }

    /// Whether a message began so long ago that it should be whole.
    pub(super) fn is_late(&self) -> bool {
        self.state().since.is_some_and(|since| since.elapsed() >= limits::MESSAGE_TIME)
    }

    /// From now on, a client that has not taken all it is sent within so long is cut off; `None`: it may take its time.
    pub(super) fn answer_within(&self, time: Option<Duration>) {
        self.state().due = time.map(|time| Instant::now() + time);
    }

    /// A request of the client has passed the guard.
    pub(super) fn welcome(&self) {
        self.state().is_welcome = true;
    }

    /// How well the connection deserves its place: clients that passed the guard come before others, and the most
    /// recently active clients before idle ones.
    pub(super) fn merit(&self) -> (bool, Instant) {
        let state = self.state();
        (state.is_welcome, state.active)
    }

    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        // Nothing that can panic happens between two consistent states.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a client may still leave bytes that it is sent untaken. Every answer of a connection draws on it, so a
/// client that sends requests and never reads is cut off; taking bytes and pauses restore it.
#[derive(Debug, Clone, Copy)]
struct WriteDeadline {
    left: Duration,
    /// When `left` was computed.
    at: Instant,
    /// Whether bytes wait to be taken.
    is_stalled: bool,
}

impl WriteDeadline {
    fn new(now: Instant) -> Self {
        Self { left: limits::WRITE_TIME, at: now, is_stalled: false }
    }

    /// `taken`: the bytes that the client took; `None`: it takes none now. Returns the time that is left while it takes
    /// none.
    fn after(&mut self, taken: Option<usize>, now: Instant) -> Option<Duration> {
        let elapsed = now.saturating_duration_since(self.at);
        let paid = Duration::from_secs_f64(taken.unwrap_or(0) as f64 / limits::LEAST_BYTES_A_SECOND as f64);
        self.left = if self.is_stalled { self.left.saturating_sub(elapsed) } else { self.left + elapsed };
        self.left = (self.left + paid).min(limits::WRITE_TIME);
        (self.at, self.is_stalled) = (now, taken.is_none());
        self.is_stalled.then_some(self.left)
    }
}

/// A connection that is read no faster than is allowed.
pub(super) struct Metered {
    stream: TcpStream,
    meter: Meter,
    patience: WriteDeadline,
    /// By then all that came is paid for.
    paid: Instant,
    pause: Pin<Box<Sleep>>,
    /// Until what is sent must have been taken.
    late: Pin<Box<Sleep>>,
}

impl Metered {
    pub(super) fn new(stream: TcpStream, meter: Meter) -> Self {
        let [pause, late] = [0; 2].map(|_| Box::pin(sleep(Duration::ZERO)));
        let now = Instant::now();
        Self { stream, meter, patience: WriteDeadline::new(now), paid: now, pause, late }
    }

    /// Writes by `write`. An error if the client should have taken what it was sent by now; otherwise the task is woken
    /// when the client is late.
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
        let left = self.patience.after(taken, now).map(|left| now + left);
        let due = {
            let mut state = self.meter.state();
            if taken.is_some() {
                state.active = now;
            }
            state.due
        };
        let Some(due) = [left, due].into_iter().flatten().min() else { return written };
        self.late.as_mut().reset(due);
        match self.late.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => written,
        }
    }
}

/// How long the bytes of a connection are paid for that may come at once.
const AHEAD: Duration = Duration::from_secs((limits::BYTES_AT_ONCE / limits::BYTES_A_SECOND) as u64);

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(next) = self.paid.checked_sub(AHEAD).filter(|next| *next > Instant::now()) {
            self.pause.as_mut().reset(next);
            ready!(self.pause.as_mut().poll(cx));
        }
        let before = into.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, into))?;
        let (bytes, now) = (into.filled().len() - before, Instant::now());
        self.paid =
            self.paid.max(now) + Duration::from_secs_f64(bytes as f64 / limits::BYTES_A_SECOND as f64);
        self.meter.state().came(bytes, now);
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

    // Else large answers would be copied for every connection, and their room given back too early.
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
    fn a_message_is_unfinished_from_its_first_byte_whatever_comes_between() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut state = ConnectionState::default();
        state.came(0, at(0));
        assert_eq!(state.since, None);
        // Pings of four bytes alone, in two pieces.
        state.came(7, at(1));
        assert_eq!(state.since, Some(at(1)));
        state.came(3, at(2));
        state.done(10);
        assert_eq!(state.since, None);
        // Between two pieces of a message they change nothing.
        state.came(1000, at(3));
        state.came(10, at(4));
        state.done(10);
        state.came(6, at(5));
        assert_eq!(state.since, Some(at(3)));
        state.done(usize::MAX);
        assert_eq!((state.since, state.bytes), (None, 0));
    }

    #[test]
    fn patience_ends_with_clients_that_take_little() {
        let begin = Instant::now();
        let at = |seconds: f64| begin + Duration::from_secs_f64(seconds);
        let most = limits::WRITE_TIME.as_secs_f64();
        let mut patience = WriteDeadline::new(begin);
        // A client that takes a hundred bytes now and then.
        let mut time = 0.0;
        let second = Duration::from_secs(1);
        while patience.after(None, at(time)).is_some_and(|left| left >= second) {
            time += 1.0;
            assert_eq!(patience.after(Some(100), at(time)), None);
        }
        assert!((most - 2.0..most + 2.0).contains(&time), "{time}");
        // A client that takes the minimum for an hour, and then a pause.
        let mut patience = WriteDeadline::new(begin);
        for second in 0..3600 {
            assert!(patience.after(None, at(f64::from(second))) > Some(Duration::ZERO), "{second}");
            patience.after(Some(limits::LEAST_BYTES_A_SECOND), at(f64::from(second) + 0.99));
        }
        assert_eq!(patience.after(None, at(3610.0)), Some(limits::WRITE_TIME));
        assert_eq!(patience.after(None, at(3611.0)), Some(limits::WRITE_TIME - Duration::from_secs(1)));
    }
}
