//! Who has control, and the newest state: what must answer at once, also while a move is being proven.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use tokio::sync::watch;

use super::state::{State, text_of};
use crate::limits;
use crate::token::Token;

/// What clients and the thread that moves share. It is locked for moments only.
pub(crate) struct JogSession {
    inner: Mutex<SessionState>,
    states: watch::Sender<Utf8Bytes>,
}

struct SessionState {
    revision: u64,
    /// What there is to see, as JSON.
    standing: String,
    holder: Option<Holder>,
    clients: usize,
    next: u64,
    /// What ends the work that is under way.
    stop: Option<Arc<AtomicBool>>,
}

/// Who has control.
struct Holder {
    /// The number that all know it by.
    client: u64,
    /// The connection that speaks for it.
    connection: u64,
    /// Any of these resumes it: the newest last.
    secrets: Vec<Token>,
    /// Since when it is cut off.
    lost: Option<Instant>,
}

/// A client's connection.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) client: u64,
    pub(crate) connection: u64,
    pub(crate) secret: Token,
}

/// Secrets of one holder that are kept.
const SECRETS: usize = 8;

impl JogSession {
    /// `standing`: what there is to see, an object.
    pub(crate) fn new(standing: &impl Serialize) -> Self {
        let inner = SessionState {
            revision: 0,
            standing: text_of(standing),
            holder: None,
            clients: 0,
            next: 1,
            stop: None,
        };
        let states = watch::Sender::new(inner.message());
        Self { inner: Mutex::new(inner), states }
    }

    /// The newest state, now and whenever it changes.
    pub(crate) fn states(&self) -> watch::Receiver<Utf8Bytes> {
        self.states.subscribe()
    }

    /// A new client; `None` where there are too many, or no secret can be made.
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

    /// A connection has ended. Whether it was in control, which it keeps for a while.
    pub(crate) fn leave(&self, member: &Member) -> bool {
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

    /// Ends the control of a client that has been cut off for too long, and what it was about.
    pub(crate) fn lapse(&self) {
        let mut inner = self.lock();
        let since = inner.holder.as_ref().and_then(|holder| holder.lost);
        if since.is_some_and(|since| since.elapsed() >= limits::CONTROL_KEPT) {
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
        inner.must_hold(member)?;
        inner.holder = None;
        self.publish(&mut inner);
        Ok(())
    }

    /// Control passes to a new connection of the client that has it; the client's number, for the member.
    pub(crate) fn resume(&self, member: &Member, secret: &str) -> Result<u64, String> {
        let mut inner = self.lock();
        let held = inner.holder.as_mut();
        // Every secret is compared, whichever fits.
        let known = |holder: &&mut Holder| {
            holder.secrets.iter().fold(false, |known, own| known | own.is(secret.as_bytes()))
        };
        let Some(holder) = held.filter(known) else {
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
    /// In a sentence, if another has control, or nobody.
    pub(crate) fn must_hold(&self, member: &Member) -> Result<(), String> {
        self.lock().must_hold(member)
    }

    /// Work begins that `stop` ends.
    pub(crate) fn begin(&self, stop: &Arc<AtomicBool>) {
        self.lock().stop = Some(Arc::clone(stop));
    }

    /// Tells all what there is to see now.
    pub(crate) fn set(&self, standing: &impl Serialize) {
        let mut inner = self.lock();
        inner.standing = text_of(standing);
        self.publish(&mut inner);
    }

    /// Whether a client that is there has control.
    pub(crate) fn is_held(&self) -> bool {
        self.lock().holder.as_ref().is_some_and(|holder| holder.lost.is_none())
    }

    fn publish(&self, inner: &mut SessionState) {
        inner.revision += 1;
        // Under the lock, so that states are told in their order.
        self.states.send_replace(inner.message());
    }

    fn lock(&self) -> MutexGuard<'_, SessionState> {
        // What is written under the lock is whole at any time.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionState {
    fn must_hold(&self, member: &Member) -> Result<(), String> {
        match &self.holder {
            Some(holder) if holder.connection == member.connection => Ok(()),
            Some(holder) => Err(format!("client {} has control", holder.client)),
            None => Err("nobody has control: take it first".into()),
        }
    }

    fn message(&self) -> Utf8Bytes {
        let controller = self.holder.as_ref().map(|holder| holder.client);
        State { revision: self.revision, controller, standing: &self.standing }.to_message()
    }
}
