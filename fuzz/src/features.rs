//! Two features whose vertices move independently, against the exact twin of the engine's tests.

use chasles::{FeatureMeeting, MovingFeatures, MovingKind};
use glam::DVec3;

use crate::bytes::Bytes;
use crate::twin::first_contact;

/// A budget that suffices for any query, in steps.
const BUDGET: u64 = 100_000_000;

/// The sizes for which the twin can separate the zeros of its polynomials.
const SIZES: [f64; 2] = [1e-6, 1e6];

/// A vertex and a face, or two edges, sometimes with a distance: the verdict equals the twin's, and the enclosure
/// contains the twin's time.
pub fn vertex_face_and_edge_edge(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let kind = if bytes.once_in(2) { MovingKind::EdgeEdge } else { MovingKind::VertexFace };
    let distance = if bytes.once_in(4) { bytes.number() } else { 0.0 };
    let [start, end]: [[DVec3; 4]; 2] = [(); 2].map(|()| [(); 4].map(|()| bytes.vector()));
    let features = MovingFeatures { kind, start, end };
    let all = || start.iter().chain(&end).flat_map(|p| p.to_array()).chain([distance]);
    let Ok(found) = features.first_contact(distance, BUDGET) else {
        assert!(distance < 0.0 || all().any(|x| !x.is_finite()), "{features:?} {distance:?}");
        return;
    };
    assert!(distance >= 0.0 && all().all(f64::is_finite), "{features:?} {distance:?}");
    let time = match &found {
        FeatureMeeting::Clear => None,
        FeatureMeeting::Contact(contact) => Some(contact.time),
        FeatureMeeting::Undecided(_) => panic!("{features:?} {distance:?}: {found:?}"),
    };
    if let Some([lo, hi]) = time {
        assert!(
            0.0 <= lo && lo <= hi && hi <= 1.0 && hi - lo <= 1e-9,
            "{features:?} {distance:?}: {found:?}"
        );
    }
    if !all().all(|x| x == 0.0 || (SIZES[0]..=SIZES[1]).contains(&x.abs())) {
        return;
    }
    let truth = first_contact(&features, distance);
    let agrees = match (time, truth) {
        (None, None) => true,
        (Some([lo, hi]), Some(truth)) => {
            lo <= truth[1] && truth[0] <= hi && (truth == [0.0; 2]) == (hi == 0.0)
        }
        _ => false,
    };
    assert!(agrees, "{features:?} {distance:?}: {found:?}, expected {truth:?}");
}
