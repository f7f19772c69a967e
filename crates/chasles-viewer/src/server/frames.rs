//! Serves the frames of deforming bodies, piece by piece, on request.
//!
//! Pieces are read on request and not cached. The total size of pieces that are being read or sent is limited, and
//! so is the time in which a client must take a piece. So memory is bounded, however long the recording is and
//! however slowly clients read.

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

/// The unit in which room is counted, in bytes.
const UNIT: usize = 1 << 10;

/// Reads pieces within a limit of memory.
pub(super) struct FrameServer {
    frames: FramePieces,
    /// Free room, in units.
    room: Arc<Semaphore>,
}

/// A piece that is being sent. It frees its room when the system has taken all bytes, or the connection is closed.
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

    /// Answers a request for a piece of a body. Status 404: there is no such piece; 503: retry later; 409: the
    /// piece cannot be read, for example because the file has changed.
    pub(super) async fn answer(&self, asked: [usize; 2], meter: Meter) -> Response {
        let Some(size) = self.frames.size(asked) else {
            return (StatusCode::NOT_FOUND, "there is no such piece of such a body\n").into_response();
        };
        // A larger piece takes all the room.
        let units = size.min(limits::PIECES).div_ceil(UNIT);
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).acquire_many_owned(units);
        let Ok(Ok(room)) = timeout(limits::PIECE_WAIT, room).await else {
            return busy();
        };
        let frames = self.frames.clone();
        // The permit moves with the task, so if the client leaves, the room is freed after the read.
        let read = move || (frames.read(asked), room);
        match tokio::task::spawn_blocking(read).await {
            Ok((Some(Ok(bytes)), room)) => {
                meter.answer_within(Some(limits::PIECE_TIME));
                let piece = OnItsWay { bytes, meter, _room: room };
                typed("application/octet-stream", Bytes::from_owner(piece))
            }
            Ok((Some(Err(reason)), _)) => (StatusCode::CONFLICT, format!("{reason}\n")).into_response(),
            // The read panicked. (`None` cannot occur, because the piece was looked up before.)
            Ok((None, _)) | Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}

/// The answer while other clients are being served.
fn busy() -> Response {
    const AGAIN: Duration = Duration::from_secs(1);
    let again = HeaderValue::from(AGAIN.as_secs());
    let reason = "other clients are being given their shapes: come again\n";
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, again)], reason).into_response()
}
