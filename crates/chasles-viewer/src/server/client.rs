//! One client: reads its messages within its rate limit, and sends it all answers and the newest state.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use serde_json::{Map, json};
use tokio::sync::{mpsc, watch};
use tokio::time::{self, Instant, MissedTickBehavior};

use super::ended;
use super::metered::Meter;
use crate::jog::Jog;
use crate::jog::message::{self, Id, Request, Subject, Work};
use crate::jog::shared_state::{Member, SharedState};
use crate::jog::state;
use crate::jog::work::{Answer, Job};
use crate::limits;
use crate::live::Live;

/// The subject of a client's connection.
#[derive(Clone)]
pub(super) enum ClientSubject {
    Robot(Arc<Jog>),
    Simulation(Arc<Live>),
}

impl ClientSubject {
    /// Control and the state for all clients.
    pub(super) fn shared_state(&self) -> &SharedState {
        match self {
            Self::Robot(jog) => &jog.shared_state,
            Self::Simulation(live) => &live.shared_state,
        }
    }

    fn jobs(&self) -> &mpsc::Sender<Job> {
        match self {
            Self::Robot(jog) => &jog.jobs,
            Self::Simulation(live) => &live.jobs,
        }
    }

    fn subject(&self) -> Subject {
        match self {
            Self::Robot(_) => Subject::Robot,
            Self::Simulation(_) => Subject::Simulation,
        }
    }
}

/// A place among the clients, freed when it is dropped.
pub(super) struct ClientSlot {
    client_subject: ClientSubject,
    member: Member,
}

impl ClientSlot {
    pub(super) fn new(client_subject: ClientSubject, member: Member) -> Self {
        Self { client_subject, member }
    }
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        let was_controller = self.client_subject.shared_state().remove_member(&self.member);
        if let (true, Ok(runtime)) = (was_controller, tokio::runtime::Handle::try_current()) {
            let client_subject = self.client_subject.clone();
            runtime.spawn(async move {
                time::sleep(limits::CONTROL_GRACE).await;
                client_subject.shared_state().release_lost_control();
            });
        }
    }
}

/// The connection is closed; nothing more can be sent.
struct Disconnected;

/// Serves a client until it leaves, is silent for too long, or the server shuts down.
pub(super) async fn serve(
    socket: WebSocket,
    (client_slot, meter): (ClientSlot, Meter),
    mut ending: watch::Receiver<bool>,
) {
    let (sender, mut answers) = mpsc::channel(limits::IN_FLIGHT);
    let states = client_slot.client_subject.shared_state().states();
    let allowance = Allowance::new();
    // All bytes up to here belong to the request.
    meter.message();
    let mut client =
        Client { socket, meter, client_slot, states, sender, in_flight: VecDeque::new(), allowance };
    if client.send_hello().await.is_err() {
        return;
    }
    let ping_interval = limits::SILENCE / 3;
    let mut ping_timer = time::interval_at(Instant::now() + ping_interval, ping_interval);
    ping_timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut heard = Instant::now();
    loop {
        let next = client.allowance.next();
        let read = async {
            time::sleep_until(next).await;
            client.socket.recv().await
        };
        let done = tokio::select! {
            () = ended(&mut ending) => {
                client.close(close_code::AWAY, "the server ends").await;
                return;
            }
            changed = client.states.changed() => match changed {
                Ok(()) => client.send_state().await,
                Err(_) => Err(Disconnected),
            },
            answer = answers.recv() => {
                // Jobs of one client are answered in order.
                client.in_flight.pop_front();
                match answer {
                    Some(answer) => client.send_answer(answer).await,
                    None => Err(Disconnected),
                }
            }
            frame = read => match frame {
                Some(Ok(frame)) => {
                    heard = Instant::now();
                    client.receive(frame).await
                }
                Some(Err(error)) => {
                    // The frame is too large or no WebSocket frame, so the bytes after it cannot be parsed.
                    let message = Answer::Error(format!("the frame is not understood: {error}"));
                    let _ = client.reply(message.into_message(None).into()).await;
                    client.close(close_code::SIZE, "the frame is not understood").await;
                    return;
                }
                None => Err(Disconnected),
            },
            _ = ping_timer.tick() => match heard.elapsed() < limits::SILENCE && !client.meter.is_overdue() {
                true => client.send(Message::Ping(Default::default())).await,
                false => Err(Disconnected),
            },
        };
        if done.is_err() {
            return;
        }
    }
}

/// A connected client.
struct Client {
    socket: WebSocket,
    meter: Meter,
    client_slot: ClientSlot,
    states: watch::Receiver<Utf8Bytes>,
    /// For answers of the moving thread; has capacity for one answer of each job in progress.
    sender: mpsc::Sender<String>,
    /// Flags that cancel the unanswered jobs, in order.
    in_flight: VecDeque<Arc<AtomicBool>>,
    allowance: Allowance,
}

/// The cost of a request for the record, in messages: the record may be large.
const PATH_COUNT: u32 = 20;

impl Client {
    async fn receive(&mut self, frame: Message) -> Result<(), Disconnected> {
        let text = match frame {
            Message::Text(text) => {
                self.meter.message();
                text
            }
            Message::Binary(bytes) => {
                self.meter.message();
                self.allowance.charge(counts(bytes.len()));
                let message = "found a binary frame, expected text".to_owned();
                return self.answer(None, Answer::Error(message)).await;
            }
            // The socket answers pings by itself.
            Message::Ping(carried) | Message::Pong(carried) => {
                self.meter.control(carried.len());
                self.allowance.charge(1);
                return Ok(());
            }
            Message::Close(_) => return Err(Disconnected),
        };
        self.allowance.charge(counts(text.len()));
        match message::parse(&text, self.client_slot.client_subject.subject()) {
            Err((id, message)) => self.answer(id, Answer::Error(message)).await,
            Ok(message::Message { id, request }) => self.act(id, request).await,
        }
    }

    async fn act(&mut self, id: Option<Id>, request: Request) -> Result<(), Disconnected> {
        let shared_state = self.client_slot.client_subject.shared_state();
        let answer = match request {
            Request::Take => shared_state.take(&self.client_slot.member).into(),
            Request::Release => shared_state.release(&self.client_slot.member).into(),
            Request::Resume { secret } => match shared_state.resume(&self.client_slot.member, &secret) {
                Ok(number) => {
                    self.client_slot.member.client = number;
                    Answer::Done(Map::from_iter([("client".into(), json!(number))]))
                }
                Err(message) => Answer::Error(message),
            },
            Request::Stop => {
                self.in_flight.iter().for_each(|stop| stop.store(true, Ordering::Relaxed));
                Answer::done()
            }
            Request::Ping => Answer::done(),
            Request::Path => return self.send_path(id).await,
            Request::Work(work) => match self.start_work(id.clone(), work) {
                Ok(()) => return Ok(()),
                Err(message) => Answer::Error(message),
            },
        };
        self.answer(id, answer).await
    }

    /// Sends work to the moving thread, which will answer.
    fn start_work(&mut self, id: Option<Id>, work: Work) -> Result<(), String> {
        let ClientSlot { client_subject, member } = &self.client_slot;
        client_subject.shared_state().check_control(member)?;
        if self.in_flight.len() >= limits::IN_FLIGHT {
            return Err(format!("found {} requests that wait, expected no more", limits::IN_FLIGHT));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let (answers, member) = (self.sender.clone(), member.clone());
        let job = Job { member, id, work, stop: Arc::clone(&stop), answers };
        client_subject
            .jobs()
            .try_send(job)
            .map_err(|_| "too many requests wait: ask again later".to_owned())?;
        self.in_flight.push_back(stop);
        Ok(())
    }

    async fn send_path(&mut self, id: Option<Id>) -> Result<(), Disconnected> {
        self.allowance.charge(PATH_COUNT);
        let ClientSubject::Robot(jog) = self.client_slot.client_subject.clone() else {
            return self.answer(id, Answer::Error("there is no robot here".into())).await;
        };
        let Ok(_turn) = jog.paths.try_acquire() else {
            let message = "others are given the path: ask again".to_owned();
            return self.answer(id, Answer::Error(message)).await;
        };
        let ours = Arc::clone(&jog);
        let path = tokio::task::spawn_blocking(move || ours.record.path()).await;
        let answer = match path {
            Ok(Ok(csv)) => Answer::Done(Map::from_iter([("csv".into(), json!(csv.as_str()))])),
            Ok(Err(message)) => Answer::Error(message),
            Err(_) => Answer::Error("the path could not be written".into()),
        };
        self.answer(id, answer).await
    }

    /// Sends the first message.
    async fn send_hello(&mut self) -> Result<(), Disconnected> {
        let newest = self.states.borrow_and_update().clone();
        let Member { client, secret, .. } = &self.client_slot.member;
        self.reply(state::hello(*client, secret.as_str(), &newest).into()).await
    }

    async fn answer(&mut self, id: Option<Id>, answer: Answer) -> Result<(), Disconnected> {
        self.send_answer(answer.into_message(id.as_ref())).await
    }

    /// Sends an answer, after the state that it led to.
    async fn send_answer(&mut self, answer: String) -> Result<(), Disconnected> {
        if self.states.has_changed().unwrap_or(false) {
            self.send_state().await?;
        }
        self.reply(answer.into()).await
    }

    async fn send_state(&mut self) -> Result<(), Disconnected> {
        let state = self.states.borrow_and_update().clone();
        self.reply(state).await
    }

    async fn reply(&mut self, text: Utf8Bytes) -> Result<(), Disconnected> {
        self.send(Message::Text(text)).await
    }

    async fn send(&mut self, frame: Message) -> Result<(), Disconnected> {
        match time::timeout(limits::WRITE_TIME, self.socket.send(frame)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Disconnected),
        }
    }

    async fn close(&mut self, code: u16, reason: &'static str) {
        // The client may be gone already.
        let _ = self.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await;
    }
}

/// The number of messages that a frame counts as.
fn counts(bytes: usize) -> u32 {
    1 + u32::try_from(bytes / limits::BYTES_PER_COUNT).unwrap_or(u32::MAX - 1)
}

/// The rate limit of a client: each message costs time, and a client may be at most one second ahead.
struct Allowance {
    /// The time at which all messages are paid for.
    paid: Instant,
}

impl Allowance {
    fn new() -> Self {
        Self { paid: Instant::now() }
    }

    fn charge(&mut self, messages: u32) {
        let one = Duration::from_secs(1) / limits::MESSAGES_PER_SECOND;
        self.paid = self.paid.max(Instant::now()) + one.saturating_mul(messages);
    }

    /// The time at which the next message may be read.
    fn next(&self) -> Instant {
        self.paid.checked_sub(Duration::from_secs(1)).unwrap_or(self.paid)
    }
}
