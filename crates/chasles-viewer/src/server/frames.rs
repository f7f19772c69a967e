//! The shapes of bodies that deform, piece by piece, as a page needs them.
//!
//! Pieces are read while they are asked for, and none is kept. So many bytes are read or on their way at a time, and no
//! client holds a piece for long: memory is bounded whatever the length of the cache, and however slowly clients read.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::metered::Meter;
use super::typed;
use crate::limits;
use crate::playback::FramePieces;

/// What room is counted in, in bytes.
const UNIT: usize = 1 << 10;

/// Where pieces are asked for.
pub(super) struct FrameServer {
    frames: FramePieces,
    /// In units.
    room: Arc<Semaphore>,
}

/// A piece on its way. It gives its room back when all of it has been taken by the system, or the connection is gone.
struct OnItsWay {
    bytes: Vec<u8>,
    meter: Meter,
    _room: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for OnItsWay {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for OnItsWay {
    fn drop(&mut self) {
        self.meter.answer_within(None);
    }
}

impl FrameServer {
    pub(super) fn new(frames: FramePieces) -> Self {
        Self { frames, room: Arc::new(Semaphore::new(limits::PIECES / UNIT)) }
    }

    /// The answer to a question for a piece of a body: 404, there is none; 503, come again; 409, it cannot be read, as where
    /// the file has changed.
    pub(super) async fn answer(&self, asked: [usize; 2], meter: Meter) -> Response {
        let Some(size) = self.frames.size(asked) else {
            return (StatusCode::NOT_FOUND, "there is no such piece of such a body\n").into_response();
        };
        // A larger one has all the room there is.
        let units = size.min(limits::PIECES).div_ceil(UNIT);
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).acquire_many_owned(units);
        let Ok(Ok(room)) = timeout(limits::PIECE_WAIT, room).await else {
            return busy();
        };
        let frames = self.frames.clone();
        // The room goes along: a client that leaves gives it back when the reading has ended.
        let read = move || (frames.read(asked), room);
        match tokio::task::spawn_blocking(read).await {
            Ok((Some(Ok(bytes)), room)) => {
                meter.answer_within(Some(limits::PIECE_TIME));
                let piece = OnItsWay { bytes, meter, _room: room };
                typed("application/octet-stream", Bytes::from_owner(piece))
            }
            Ok((Some(Err(reason)), _)) => (StatusCode::CONFLICT, format!("{reason}\n")).into_response(),
            // It panicked, or there is no such piece, which was looked at.
            Ok((None, _)) | Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}

/// Others are being served.
fn busy() -> Response {
    const AGAIN: Duration = Duration::from_secs(1);
    let again = HeaderValue::from(AGAIN.as_secs());
    let reason = "other clients are being given their shapes: come again\n";
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, again)], reason).into_response()
}
