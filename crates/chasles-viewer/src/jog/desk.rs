//! Who has control, what was recorded, and the newest state: what must answer at once, also while a move is being proven.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::extract::ws::Utf8Bytes;
use chasles::{Robot, Session};
use chasles_formats::robot::joint_path;
use tokio::sync::watch;

use super::state::{Standing, State};
use crate::limits;
use crate::token::Token;

/// What clients and the thread that moves share. It is locked for moments only.
pub(crate) struct Desk {
    robot: Robot,
    inner: Mutex<Inner>,
    states: watch::Sender<Utf8Bytes>,
    /// The record as CSV, and of which change it is.
    csv: Mutex<Option<(u64, Utf8Bytes)>>,
}

struct Inner {
    revision: u64,
    standing: Standing,
    /// As in the session: the postures from the first to where the robot is.
    record: Vec<Vec<f64>>,
    /// How often the record has changed.
    record_changes: u64,
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

impl Desk {
    pub(crate) fn new(session: &Session) -> Self {
        let inner = Inner {
            revision: 0,
            standing: Standing::of(session),
            record: session.postures().to_vec(),
            record_changes: 0,
            holder: None,
            clients: 0,
            next: 1,
            stop: None,
        };
        let states = watch::Sender::new(inner.message());
        Self {
            robot: session.cell().robot().clone(),
            inner: Mutex::new(inner),
            states,
            csv: Mutex::new(None),
        }
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

    /// The robot has moved, or was refused. Of the record, the first `kept` postures are as they were.
    pub(crate) fn set(&self, standing: Standing, session: &Session, kept: usize) {
        let mut inner = self.lock();
        inner.standing = standing;
        if kept < inner.record.len() || kept < session.postures().len() {
            inner.record.truncate(kept);
            inner.record.extend_from_slice(&session.postures()[kept..]);
            inner.record_changes += 1;
        }
        self.publish(&mut inner);
    }

    /// All moves as CSV, as `chasles jog` saves them. It may take a moment where there are many.
    ///
    /// # Errors
    /// In a sentence, if a joint has a name that CSV cannot have.
    pub(crate) fn path(&self) -> Result<Utf8Bytes, String> {
        // One at a time; whoever asks next is given the same.
        let mut csv = self.csv.lock().unwrap_or_else(PoisonError::into_inner);
        let (changes, record) = {
            let inner = self.lock();
            if let Some((changes, text)) = &*csv
                && *changes == inner.record_changes
            {
                return Ok(text.clone());
            }
            (inner.record_changes, inner.record.clone())
        };
        let path = joint_path::from_postures(&self.robot, &record, Path::new("path.csv"));
        let text: Utf8Bytes = joint_path::to_csv(&path).map_err(|error| error.to_string())?.into();
        *csv = Some((changes, text.clone()));
        Ok(text)
    }

    fn publish(&self, inner: &mut Inner) {
        inner.revision += 1;
        // Under the lock, so that states are told in their order.
        self.states.send_replace(inner.message());
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // What is written under the lock is whole at any time.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
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
