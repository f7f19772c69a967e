//! Data of a simulation's recording besides poses: impulses, energies and releases. A page gets a limited number of
//! lines and impulses. For a longer recording, lines are joined and the weakest impulses are left out. There are
//! never more releases than bodies.

use chasles::SimulationEnergy;
use chasles_formats::recording::{RecordedContact, RecordedDynamics, RecordedRelease};

use super::document::{RecordingEntry, ReleaseEntry, packed};

/// The limits for a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordingLimits {
    /// The maximum number of lines, of 40 bytes each.
    pub(super) lines: usize,
    /// The maximum number of impulses, of 64 bytes each.
    pub(super) impulses: usize,
}

impl RecordingLimits {
    /// About 8 MiB.
    pub(super) const OF_PAGE: Self = Self { lines: 50_000, impulses: 100_000 };
}

/// Several lines of a recording merged into one: the time and the energy of the last line, the impulses of all.
struct MergedLines<'a> {
    time: f64,
    energy: SimulationEnergy,
    impulses: &'a [RecordedContact],
}

/// Creates the document's entry.
pub(super) fn entry(recorded: &RecordedDynamics, recording_limits: RecordingLimits) -> RecordingEntry {
    let joined = recorded.lines.len().saturating_sub(1).div_ceil(recording_limits.lines.max(1)).max(1);
    let lines = merge_lines(recorded, joined);
    let threshold = ImpulseThreshold::of(&recorded.contacts, recording_limits.impulses);
    let mut equal = threshold.equal;
    let (mut strongest, mut ends, mut weaker) = (Vec::new(), Vec::new(), Vec::new());
    for line in &lines {
        let before = strongest.len();
        for contact in line.impulses {
            let amount = contact.impulse.length();
            if amount == threshold.amount && equal > 0 {
                equal -= 1;
                strongest.push(contact);
            } else if amount > threshold.amount {
                strongest.push(contact);
            }
        }
        ends.push(number(strongest.len()));
        weaker.push(number(line.impulses.len() - (strongest.len() - before)));
    }
    let energy = |line: &MergedLines<'_>| {
        let SimulationEnergy { kinetic, potential, dissipated } = line.energy;
        [kinetic, potential, dissipated]
    };
    let numbers = |contact: &&RecordedContact| {
        let ([x, y, z], [u, v, w]) = (contact.point.to_array(), contact.impulse.to_array());
        [contact.time, x, y, z, u, v, w]
    };
    let release = |recorded: &RecordedRelease| ReleaseEntry { body: recorded.body, t: recorded.time };
    RecordingEntry {
        times: packed(lines.iter().map(|line| line.time.to_le_bytes())),
        energy: packed(lines.iter().flat_map(energy).map(f64::to_le_bytes)),
        ends: packed(ends.into_iter().map(u32::to_le_bytes)),
        weaker: packed(weaker.into_iter().map(u32::to_le_bytes)),
        bodies: packed(strongest.iter().flat_map(|contact| contact.bodies.map(number)).map(u32::to_le_bytes)),
        impulses: packed(strongest.iter().flat_map(numbers).map(f64::to_le_bytes)),
        joined,
        releases: recorded.releases.iter().map(release).collect(),
    }
}

/// Merges groups of `joined` lines. The first line, at time 0, stays alone.
fn merge_lines(recorded: &RecordedDynamics, joined: usize) -> Vec<MergedLines<'_>> {
    let (first, rest) = recorded.lines.split_at(recorded.lines.len().min(1));
    let mut first_contact = 0;
    let chunks = first.chunks(1).chain(rest.chunks(joined)).filter_map(<[_]>::last);
    chunks
        .map(|last| {
            let impulses = recorded.contacts.get(first_contact..last.contacts_end).unwrap_or_default();
            first_contact = last.contacts_end;
            MergedLines { time: last.time, energy: last.energy, impulses }
        })
        .collect()
}

/// The threshold for impulses: the magnitude of the weakest impulse that is kept, in N s, and how many impulses of
/// exactly this magnitude are kept.
struct ImpulseThreshold {
    amount: f64,
    equal: usize,
}

impl ImpulseThreshold {
    fn of(contacts: &[RecordedContact], recording_limits: usize) -> Self {
        if contacts.len() <= recording_limits {
            return Self { amount: f64::NEG_INFINITY, equal: 0 };
        }
        let Some(last) = recording_limits.checked_sub(1) else {
            return Self { amount: f64::INFINITY, equal: 0 };
        };
        let mut magnitudes: Vec<f64> = contacts.iter().map(|contact| contact.impulse.length()).collect();
        let (stronger, amount, _) = magnitudes.select_nth_unstable_by(last, |a, b| b.total_cmp(a));
        let stronger = stronger.iter().filter(|other| **other > *amount).count();
        Self { amount: *amount, equal: recording_limits - stronger }
    }
}

/// Converts a body number or an impulse count, which fits into 32 bits.
fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use chasles_formats::recording::RecordingLine;
    use glam::DVec3;

    use super::*;

    /// A recording with lines at 0, 1, 2, ... seconds and impulses of these magnitudes.
    fn recorded(lines: &[&[f64]]) -> RecordedDynamics {
        let mut recorded = RecordedDynamics::default();
        let mut time = 0.0;
        for magnitudes in lines {
            let contact = |amount: &f64| RecordedContact {
                bodies: [3, 1],
                time,
                point: DVec3::new(1.0, 2.0, time),
                impulse: DVec3::new(0.0, -amount, 0.0),
            };
            recorded.contacts.extend(magnitudes.iter().map(contact));
            let energy = SimulationEnergy { kinetic: time, potential: -1.0, dissipated: 2.0 };
            recorded.lines.push(RecordingLine { time, energy, contacts_end: recorded.contacts.len() });
            time += 1.0;
        }
        recorded
    }

    fn doubles(text: &str) -> Vec<f64> {
        let bytes = STANDARD.decode(text).unwrap();
        bytes.chunks_exact(8).map(|chunk| f64::from_le_bytes(chunk.try_into().unwrap())).collect()
    }

    fn decode_u32(text: &str) -> Vec<u32> {
        let bytes = STANDARD.decode(text).unwrap();
        bytes.chunks_exact(4).map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap())).collect()
    }

    fn magnitudes(entry: &RecordingEntry) -> Vec<f64> {
        doubles(&entry.impulses).chunks_exact(7).map(|numbers| -numbers[5]).collect()
    }

    #[test]
    fn a_short_recording_is_complete() {
        let entry = entry(&recorded(&[&[], &[0.5, 2.0], &[0.0]]), RecordingLimits::OF_PAGE);
        assert_eq!(doubles(&entry.times), [0.0, 1.0, 2.0]);
        assert_eq!(doubles(&entry.energy), [0.0, -1.0, 2.0, 1.0, -1.0, 2.0, 2.0, -1.0, 2.0]);
        assert_eq!((decode_u32(&entry.ends), decode_u32(&entry.weaker)), (vec![0, 2, 3], vec![0; 3]));
        assert_eq!((decode_u32(&entry.bodies), entry.joined), ([3, 1].repeat(3), 1));
        assert_eq!(doubles(&entry.impulses)[..7], [1.0, 1.0, 2.0, 1.0, 0.0, -0.5, 0.0]);
        assert_eq!(magnitudes(&entry), [0.5, 2.0, 0.0]);
    }

    #[test]
    fn a_long_recording_joins_lines_and_omits_the_weakest_impulses() {
        let long = recorded(&[&[1.0], &[5.0, 1.0], &[2.0], &[1.0, 4.0], &[3.0, 1.0]]);
        let thin = entry(&long, RecordingLimits { lines: 2, impulses: 5 });
        // The first line stays alone, and pairs of the other lines are merged.
        assert_eq!((doubles(&thin.times), thin.joined), (vec![0.0, 2.0, 4.0], 2));
        assert_eq!(
            doubles(&thin.energy).chunks_exact(3).map(|of| of[0]).collect::<Vec<_>>(),
            [0.0, 2.0, 4.0]
        );
        // Among equally weak impulses the first are kept.
        assert_eq!(magnitudes(&thin), [1.0, 5.0, 2.0, 4.0, 3.0]);
        assert_eq!((decode_u32(&thin.ends), decode_u32(&thin.weaker)), (vec![1, 3, 5], vec![0, 1, 2]));
        let none = entry(&long, RecordingLimits { lines: 0, impulses: 0 });
        assert_eq!((magnitudes(&none).len(), decode_u32(&none.weaker).iter().sum::<u32>()), (0, 8));
    }

    #[test]
    fn releases_are_complete() {
        let releases =
            vec![RecordedRelease { body: 3, time: Some(0.5) }, RecordedRelease { body: 1, time: None }];
        let own = entry(
            &RecordedDynamics { releases, ..recorded(&[&[], &[1.0]]) },
            RecordingLimits { lines: 0, impulses: 0 },
        );
        let expected = [ReleaseEntry { body: 3, t: Some(0.5) }, ReleaseEntry { body: 1, t: None }];
        assert_eq!(own.releases, expected);
    }

    #[test]
    fn invalid_recordings_do_not_panic() {
        let mut broken = recorded(&[&[1.0], &[2.0]]);
        broken.lines[1].contacts_end = 7;
        assert_eq!(magnitudes(&entry(&broken, RecordingLimits::OF_PAGE)), [1.0]);
        assert!(entry(&RecordedDynamics::default(), RecordingLimits::OF_PAGE).times.is_empty());
    }
}
