//! Two features whose vertices move on their own, against the exact twin of the engine's tests.

use chasles::{FeatureMeeting, MovingFeatures, MovingKind};
use glam::DVec3;

use crate::bytes::Bytes;
use crate::twin::first_meeting;

/// Steps that suffice for any question.
const BUDGET: u64 = 100_000_000;

/// Within these sizes the twin tells the zeros of its polynomials apart.
const SIZES: [f64; 2] = [1e-6, 1e6];

/// A vertex and a face, or two edges, with a distance now and then: the verdict is that of the twin, and the enclosure
/// holds its time.
pub fn vertex_face_and_edge_edge(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let kind = if bytes.once_in(2) { MovingKind::EdgeEdge } else { MovingKind::VertexFace };
    let distance = if bytes.once_in(4) { bytes.number() } else { 0.0 };
    let [begin, end]: [[DVec3; 4]; 2] = [(); 2].map(|()| [(); 4].map(|()| bytes.vector()));
    let features = MovingFeatures { kind, begin, end };
    let all = || begin.iter().chain(&end).flat_map(|p| p.to_array()).chain([distance]);
    let Ok(found) = features.first_meeting(distance, BUDGET) else {
        assert!(distance < 0.0 || all().any(|x| !x.is_finite()), "{features:?} {distance:?}");
        return;
    };
    assert!(distance >= 0.0 && all().all(f64::is_finite), "{features:?} {distance:?}");
    let time = match &found {
        FeatureMeeting::Clear => None,
        FeatureMeeting::Contact(contact) => Some(contact.time),
        FeatureMeeting::Undecided { .. } => panic!("{features:?} {distance:?}: {found:?}"),
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
    let truth = first_meeting(&features, distance);
    let agrees = match (time, truth) {
        (None, None) => true,
        (Some([lo, hi]), Some(truth)) => {
            lo <= truth[1] && truth[0] <= hi && (truth == [0.0; 2]) == (hi == 0.0)
        }
        _ => false,
    };
    assert!(agrees, "{features:?} {distance:?}: {found:?}, expected {truth:?}");
}
