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
use crate::playback::FrameChunks;

/// The unit in which room is counted, in bytes.
const UNIT: usize = 1 << 10;

/// Reads pieces within a limit of memory.
pub(super) struct FrameServer {
    frames: FrameChunks,
    /// Free room, in units.
    permit: Arc<Semaphore>,
}

/// A piece that is being sent. It frees its room when the system has taken all bytes, or the connection is closed.
struct ChunkInTransit {
    bytes: Vec<u8>,
    meter: Meter,
    _permit: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for ChunkInTransit {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for ChunkInTransit {
    fn drop(&mut self) {
        self.meter.answer_within(None);
    }
}

impl FrameServer {
    pub(super) fn new(frames: FrameChunks) -> Self {
        Self { frames, permit: Arc::new(Semaphore::new(limits::CHUNKS / UNIT)) }
    }

    /// Answers a request for a piece of a body. Status 404: there is no such piece; 503: retry later; 409: the
    /// piece cannot be read, for example because the file has changed.
    pub(super) async fn answer(&self, index: [usize; 2], meter: Meter) -> Response {
        let Some(size) = self.frames.size(index) else {
            return (StatusCode::NOT_FOUND, "there is no such piece of such a body\n").into_response();
        };
        // A larger piece takes all the room.
        let units = size.min(limits::CHUNKS).div_ceil(UNIT);
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let permit = Arc::clone(&self.permit).acquire_many_owned(units);
        let Ok(Ok(permit)) = timeout(limits::CHUNK_WAIT, permit).await else {
            return busy_answer();
        };
        let frames = self.frames.clone();
        // The permit moves with the task, so if the client leaves, the room is freed after the read.
        let read = move || (frames.read(index), permit);
        match tokio::task::spawn_blocking(read).await {
            Ok((Some(Ok(bytes)), permit)) => {
                meter.answer_within(Some(limits::CHUNK_TIME));
                let chunk = ChunkInTransit { bytes, meter, _permit: permit };
                typed("application/octet-stream", Bytes::from_owner(chunk))
            }
            Ok((Some(Err(reason)), _)) => (StatusCode::CONFLICT, format!("{reason}\n")).into_response(),
            // The read panicked. (`None` cannot occur, because the piece was looked up before.)
            Ok((None, _)) | Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}

/// The answer while other clients are being served.
fn busy_answer() -> Response {
    const RETRY_DELAY: Duration = Duration::from_secs(1);
    let retry_after = HeaderValue::from(RETRY_DELAY.as_secs());
    let reason = "other clients are being given their shapes: come again\n";
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, retry_after)], reason).into_response()
}
