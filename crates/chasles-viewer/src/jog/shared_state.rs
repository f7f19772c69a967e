//! Control of the robot and the newest state. Requests about them are answered at once, even during a proof.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use tokio::sync::watch;

use super::state::{State, text_of};
use crate::limits;
use crate::token::Token;

/// State that clients and the moving thread share. Its lock is held only briefly.
pub(crate) struct SharedState {
    inner: Mutex<SessionState>,
    states: watch::Sender<Utf8Bytes>,
}

struct SessionState {
    revision: u64,
    /// The state to show, as JSON.
    status: String,
    holder: Option<Holder>,
    clients: usize,
    next: u64,
    /// Cancels the current work.
    stop: Option<Arc<AtomicBool>>,
}

/// The client in control.
struct Holder {
    /// The client's number, which all clients see.
    client: u64,
    /// The connection through which the client sends.
    connection: u64,
    /// Any of these secrets resumes control; the newest is the last.
    secrets: Vec<Token>,
    /// When the connection was lost.
    lost: Option<Instant>,
}

/// A client's connection.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) client: u64,
    pub(crate) connection: u64,
    pub(crate) secret: Token,
}

/// The maximum number of secrets of one client in control.
const SECRETS: usize = 8;

impl SharedState {
    /// `status` is the state to show; it must serialize to an object.
    pub(crate) fn new(status: &impl Serialize) -> Self {
        let inner = SessionState {
            revision: 0,
            status: text_of(status),
            holder: None,
            clients: 0,
            next: 1,
            stop: None,
        };
        let states = watch::Sender::new(inner.message());
        Self { inner: Mutex::new(inner), states }
    }

    /// Returns a receiver of the newest state, which is updated at every change.
    pub(crate) fn states(&self) -> watch::Receiver<Utf8Bytes> {
        self.states.subscribe()
    }

    /// Adds a client. `None` if there are too many clients, or no secret can be generated.
    pub(crate) fn join(&self) -> Option<Member> {
        let secret = Token::random().ok()?;
        let mut inner = self.lock();
        if inner.clients >= limits::CLIENTS {
            return None;
        }
        inner.clients += 1;
        let number = inner.next;
        inner.next += 1;
        Some(Member { client: number, connection: number, secret })
    }

    /// Removes a connection. Returns whether it was in control; its client then keeps control for a while.
    pub(crate) fn remove_member(&self, member: &Member) -> bool {
        let mut inner = self.lock();
        inner.clients -= 1;
        match &mut inner.holder {
            Some(holder) if holder.connection == member.connection => {
                holder.lost = Some(Instant::now());
                true
            }
            _ => false,
        }
    }

    /// Ends the control of a client that has been disconnected for too long, and cancels its work.
    pub(crate) fn release_lost_control(&self) {
        let mut inner = self.lock();
        let since = inner.holder.as_ref().and_then(|holder| holder.lost);
        if since.is_some_and(|since| since.elapsed() >= limits::CONTROL_GRACE) {
            inner.holder = None;
            if let Some(stop) = &inner.stop {
                stop.store(true, Ordering::Relaxed);
            }
            self.publish(&mut inner);
        }
    }

    pub(crate) fn take(&self, member: &Member) -> Result<(), String> {
        let mut inner = self.lock();
        match &inner.holder {
            Some(holder) if holder.connection == member.connection => return Ok(()),
            Some(holder) => return Err(format!("client {} has control", holder.client)),
            None => {}
        }
        let secrets = vec![member.secret.clone()];
        inner.holder =
            Some(Holder { client: member.client, connection: member.connection, secrets, lost: None });
        self.publish(&mut inner);
        Ok(())
    }

    pub(crate) fn release(&self, member: &Member) -> Result<(), String> {
        let mut inner = self.lock();
        inner.check_control(member)?;
        inner.holder = None;
        self.publish(&mut inner);
        Ok(())
    }

    /// Passes control to a new connection of the client in control. Returns the client's number, for the member.
    pub(crate) fn resume(&self, member: &Member, secret: &str) -> Result<u64, String> {
        let mut inner = self.lock();
        let current_holder = inner.holder.as_mut();
        // All secrets are compared, even after a match, so that the time reveals nothing.
        let is_known_secret = |holder: &&mut Holder| {
            holder
                .secrets
                .iter()
                .fold(false, |is_known_secret, token| is_known_secret | token.is(secret.as_bytes()))
        };
        let Some(holder) = current_holder.filter(is_known_secret) else {
            return Err("found a secret of no client in control: take control anew".into());
        };
        holder.connection = member.connection;
        holder.lost = None;
        holder.secrets.push(member.secret.clone());
        if holder.secrets.len() > SECRETS {
            holder.secrets.remove(0);
        }
        Ok(holder.client)
    }

    /// # Errors
    /// A message, if another client has control, or no client has.
    pub(crate) fn check_control(&self, member: &Member) -> Result<(), String> {
        self.lock().check_control(member)
    }

    /// Registers work that `stop` cancels.
    pub(crate) fn start_work(&self, stop: &Arc<AtomicBool>) {
        self.lock().stop = Some(Arc::clone(stop));
    }

    /// Sends the current state to all clients.
    pub(crate) fn set(&self, status: &impl Serialize) {
        let mut inner = self.lock();
        inner.status = text_of(status);
        self.publish(&mut inner);
    }

    /// Whether a connected client has control.
    pub(crate) fn has_controller(&self) -> bool {
        self.lock().holder.as_ref().is_some_and(|holder| holder.lost.is_none())
    }

    fn publish(&self, inner: &mut SessionState) {
        inner.revision += 1;
        // Under the lock, so that states are sent in order.
        self.states.send_replace(inner.message());
    }

    fn lock(&self) -> MutexGuard<'_, SessionState> {
        // Data under the lock is consistent at any time, so a poisoned lock may be used.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionState {
    fn check_control(&self, member: &Member) -> Result<(), String> {
        match &self.holder {
            Some(holder) if holder.connection == member.connection => Ok(()),
            Some(holder) => Err(format!("client {} has control", holder.client)),
            None => Err("no client has control: take it first".into()),
        }
    }

    fn message(&self) -> Utf8Bytes {
        let controller = self.holder.as_ref().map(|holder| holder.client);
        State { revision: self.revision, controller, status: &self.status }.to_message()
    }
}
