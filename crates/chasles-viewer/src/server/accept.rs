//! Connections: so many at a time, and none that keeps its place with half a request.

use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::ended;
use super::metered::{Meter, Metered};
use crate::limits;

/// What cannot be accepted now, for want of memory or files, is tried again so much later.
const PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections until the end is asked for.
pub(super) async fn run(listener: TcpListener, router: Router, mut ending: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(limits::CONNECTIONS));
    loop {
        let accepted = async {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return None };
            Some((place, listener.accept().await))
        };
        tokio::select! {
            () = ended(&mut ending) => return,
            accepted = accepted => match accepted {
                None => return,
                Some((_, Err(_))) => tokio::time::sleep(PAUSE).await,
                Some((place, Ok((stream, _)))) => {
                    let router = router.clone();
                    tokio::spawn(async move {
                        serve(stream, router).await;
                        drop(place);
                    });
                }
            }
        }
    }
}

/// Answers one connection until it ends or becomes a WebSocket.
async fn serve(stream: TcpStream, router: Router) {
    // Answers to moves are small and wanted at once. Where it cannot be set they come later.
    let _ = stream.set_nodelay(true);
    let meter = Meter::default();
    let router = router.layer(Extension(meter.clone()));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::HEAD_TIME)
        .max_buf_size(limits::HEAD)
        .serve_connection(TokioIo::new(Metered::new(stream, meter)), TowerToHyperService::new(router))
        .with_upgrades();
    // A client that breaks off, or speaks another language, was answered as far as can be.
    let _ = connection.await;
}
