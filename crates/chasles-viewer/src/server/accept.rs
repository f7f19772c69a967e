//! Accepts a limited number of connections. If all slots are taken, a new connection replaces another, which is
//! closed: first connections without a valid request, then idle ones.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};

use super::ended;
use super::metered::{Meter, Metered};
use crate::limits;

/// The delay after a connection could not be accepted, because memory or file descriptors are exhausted.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// Accepts connections until shutdown.
pub(super) async fn run(listener: TcpListener, router: Router, mut ending: watch::Receiver<bool>) {
    let slots = ConnectionSlots::default();
    loop {
        tokio::select! {
            () = ended(&mut ending) => return,
            accepted = listener.accept() => match accepted {
                Err(_) => tokio::time::sleep(RETRY_DELAY).await,
                Ok((stream, peer)) => {
                    let slot = slots.take(peer.ip());
                    let router = router.clone();
                    tokio::spawn(async move {
                        tokio::select! {
                            () = slot.evicted.notified() => {}
                            () = serve(stream, router, slot.meter.clone()) => {}
                        }
                    });
                }
            }
        }
    }
}

/// Serves one connection until it ends or becomes a WebSocket.
async fn serve(stream: TcpStream, router: Router, meter: Meter) {
    // Answers to moves are small and urgent. Without this option they arrive later.
    let _ = stream.set_nodelay(true);
    let router = router.layer(Extension(meter.clone()));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::HEAD_TIME)
        .max_buf_size(limits::HEAD)
        .serve_connection(TokioIo::new(Metered::new(stream, meter)), TowerToHyperService::new(router))
        .with_upgrades();
    // An error means that the client disconnected or violated the protocol; no further answer is possible.
    let _ = connection.await;
}

/// The slots of connections.
#[derive(Debug, Clone, Default)]
struct ConnectionSlots(Arc<Mutex<SlotTable>>);

#[derive(Debug, Default)]
struct SlotTable {
    slots: HashMap<u64, SlotUser>,
    /// The number of the next connection.
    next: u64,
}

/// A connection with a slot.
#[derive(Debug)]
struct SlotUser {
    peer: IpAddr,
    meter: Meter,
    evicted: Arc<Notify>,
}

/// The slot of one connection, freed when it is dropped.
#[derive(Debug)]
struct ConnectionSlot {
    slots: ConnectionSlots,
    number: u64,
    meter: Meter,
    /// Notified if another connection gets the slot.
    evicted: Arc<Notify>,
}

impl ConnectionSlots {
    /// Takes a slot for a connection. If all are taken, the connection with the lowest priority loses its slot.
    fn take(&self, peer: IpAddr) -> ConnectionSlot {
        let mut table = self.state();
        let of_peer = table.slots.values().filter(|user| user.peer == peer).count();
        let (is_full, is_peer_full) =
            (table.slots.len() >= limits::CONNECTIONS, of_peer >= limits::CONNECTIONS_PER_PEER);
        if is_full || is_peer_full {
            let others = table.slots.iter().filter(|(_, user)| !is_peer_full || user.peer == peer);
            let lowest_priority = others.map(|(number, user)| (user.meter.priority(), *number)).min();
            let replaced = lowest_priority.and_then(|(_, number)| table.slots.remove(&number));
            if let Some(user) = replaced {
                user.evicted.notify_one();
            }
        }
        let number = table.next;
        table.next += 1;
        let (meter, evicted) = (Meter::default(), Arc::new(Notify::new()));
        table.slots.insert(number, SlotUser { peer, meter: meter.clone(), evicted: Arc::clone(&evicted) });
        ConnectionSlot { slots: self.clone(), number, meter, evicted }
    }

    fn state(&self) -> MutexGuard<'_, SlotTable> {
        // No code that can panic runs between two consistent states.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.slots.state().slots.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(slots: &ConnectionSlots) -> usize {
        slots.state().slots.len()
    }

    #[tokio::test(start_paused = true)]
    async fn the_connection_with_the_lowest_priority_loses_its_slot() {
        let peers = [1, 2, 3].map(|last| IpAddr::from([10, 0, 0, last]));
        let slots = ConnectionSlots::default();
        let known = slots.take(peers[0]);
        known.meter.set_authorized();
        let mut held_slots: Vec<ConnectionSlot> =
            (0..limits::CONNECTIONS_PER_PEER).map(|_| slots.take(peers[1])).collect();
        let others = limits::CONNECTIONS - held_slots.len() - 1;
        held_slots.extend((0..others).map(|_| slots.take(peers[0])));
        assert_eq!(count(&slots), limits::CONNECTIONS);
        // One more, from a third address: the oldest connection that did not pass the guard loses its slot.
        tokio::time::advance(RETRY_DELAY).await;
        let new = slots.take(peers[2]);
        assert_eq!(count(&slots), limits::CONNECTIONS);
        tokio::time::timeout(Duration::ZERO, held_slots[0].evicted.notified()).await.unwrap();
        assert!(tokio::time::timeout(Duration::ZERO, known.evicted.notified()).await.is_err());
        // Dropping connections frees their slots.
        drop((new, held_slots));
        assert_eq!(count(&slots), 1);
        // If all connections of an address have passed the guard, the one of that address that was idle for longest
        // loses its slot.
        let held_slots: Vec<ConnectionSlot> =
            (0..limits::CONNECTIONS_PER_PEER).map(|_| slots.take(peers[1])).collect();
        held_slots.iter().for_each(|slot| slot.meter.set_authorized());
        let new = slots.take(peers[1]);
        assert_eq!(count(&slots), limits::CONNECTIONS_PER_PEER + 1);
        tokio::time::timeout(Duration::ZERO, held_slots[0].evicted.notified()).await.unwrap();
        assert!(tokio::time::timeout(Duration::ZERO, known.evicted.notified()).await.is_err());
        drop(new);
    }
}
