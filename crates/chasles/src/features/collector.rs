//! Collectors: the events that a query needs, and the time up to which the search must continue.

use crate::features::event::{EventKind, FeatureEvent};

/// The events that a query needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum EventFilter {
    /// The first event.
    First,
    /// The first event, unless the surfaces intersect at the start. Then this alone is reported, for any depth and
    /// without the triangles.
    Separation,
    /// Any one proven event.
    Any,
    /// All events, unless the bodies overlap at the start. Then this alone is reported.
    All,
    /// All events, whether or not the bodies overlap at the start.
    Throughout,
    /// The first event, and all events that start at most `after` later.
    Early { after: f64 },
}

/// Collects the events of a search, in any order, and keeps the needed ones. The result does not depend on the
/// order.
#[derive(Debug)]
pub(crate) struct Collector {
    filter: EventFilter,
    /// The earliest provable crossing.
    crossing: Option<FeatureEvent>,
    /// The earliest start of any crossing's enclosure: if two enclosures overlap, either crossing may be the first.
    crossing_start: f64,
    /// The earliest touch.
    touch: Option<FeatureEvent>,
    /// The earliest start of any touch. A touch that starts early may reach its minimum gap later than another.
    touch_start: f64,
    /// The earliest time up to which a crossing is the same event as a touch, with a narrower enclosure. For example,
    /// when a flat face lands, parallel edges come within the tolerance just before the corners cross. So do the edges
    /// at a corner that passes through a face.
    touch_same_event_until: f64,
    /// The earliest time after which a touch may be a crossing, because its gap is within rounding of zero.
    positive_gap_until: f64,
    /// The first proven contact in the order of the search, for `EventFilter::Any`.
    proven: Option<FeatureEvent>,
    /// All events, if all are needed.
    events: Vec<FeatureEvent>,
}

/// A time before every event: the bound after a contact is proven, if any contact suffices.
const ENOUGH: f64 = -1.0;

/// A crossing that follows an undecided touch within this fraction of the motion replaces it.
const IMMEDIATELY_AFTER: f64 = 1e-7;

/// Enclosures of nearly parallel edges start before the meeting by up to about this fraction of the motion.
const ENCLOSURE_MARGIN: f64 = 1e-9;

impl Collector {
    pub(crate) fn new(filter: EventFilter) -> Self {
        Self {
            filter,
            crossing: None,
            crossing_start: f64::INFINITY,
            touch: None,
            touch_start: f64::INFINITY,
            touch_same_event_until: f64::INFINITY,
            positive_gap_until: f64::INFINITY,
            proven: None,
            events: Vec::new(),
        }
    }

    /// Events that start after this time are not needed.
    pub(crate) fn bound(&self) -> f64 {
        match self.filter {
            EventFilter::All | EventFilter::Throughout => f64::INFINITY,
            EventFilter::First | EventFilter::Separation => self.latest_first(),
            EventFilter::Early { after } => self.latest_first() + after,
            EventFilter::Any if self.proven.is_some() => ENOUGH,
            EventFilter::Any => f64::INFINITY,
        }
    }

    /// Whether any contact suffices.
    pub(crate) fn accepts_any(&self) -> bool {
        self.filter == EventFilter::Any
    }

    /// Whether pairs may be tested in any order.
    pub(crate) fn accepts_any_order(&self) -> bool {
        matches!(self.filter, EventFilter::All | EventFilter::Throughout)
    }

    /// An upper bound of the start of the first event. Slightly later events are also needed: their enclosures may
    /// start before the first event.
    fn latest_first(&self) -> f64 {
        self.crossing.map_or(f64::INFINITY, |e| e.hi).min(self.touch_same_event_until) + ENCLOSURE_MARGIN
    }

    /// Whether every event is kept.
    pub(crate) fn keeps_all(&self) -> bool {
        matches!(self.filter, EventFilter::All | EventFilter::Throughout | EventFilter::Early { .. })
    }

    /// The number of events kept.
    pub(crate) fn count(&self) -> usize {
        self.events.len()
    }

    /// Adds an event.
    pub(crate) fn add(&mut self, event: FeatureEvent) {
        if self.keeps_all() {
            self.events.push(event);
        }
        if self.filter == EventFilter::Any && event.kind != EventKind::Undecided {
            self.proven = self.proven.or(Some(event));
        }
        let earlier = |old: &Option<FeatureEvent>| old.is_none_or(|old| event.order(&old).is_lt());
        if event.crosses() {
            self.crossing_start = self.crossing_start.min(event.lo);
            if earlier(&self.crossing) {
                self.crossing = Some(event);
            }
        } else {
            // An undecided touch may be a crossing that follows immediately; contact is then still proven.
            self.touch_start = self.touch_start.min(event.lo);
            let undecided = event.kind == EventKind::Undecided;
            let same_event_until = if undecided {
                event.same_event_until.max(event.hi + IMMEDIATELY_AFTER)
            } else {
                event.same_event_until
            };
            self.touch_same_event_until = self.touch_same_event_until.min(same_event_until);
            self.positive_gap_until =
                self.positive_gap_until.min(if undecided { event.lo } else { event.positive_gap_until });
            if earlier(&self.touch) {
                self.touch = Some(event);
            }
        }
    }

    /// The first event. Its enclosure is extended back to the earliest possible crossing of any other event; for a
    /// touch, to the earliest start of any other. If any contact suffices: the proven contact, regardless of
    /// earlier events.
    pub(crate) fn first(&self) -> Option<FeatureEvent> {
        if self.proven.is_some() {
            return self.proven;
        }
        match (self.crossing, self.touch) {
            (Some(crossing), _) if crossing.hi <= self.touch_same_event_until => {
                Some(FeatureEvent { lo: self.crossing_start.min(self.positive_gap_until), ..crossing })
            }
            (_, Some(touch)) => Some(FeatureEvent { lo: self.earliest_start(), ..touch }),
            (crossing, None) => crossing,
        }
    }

    /// The earliest start of any event.
    pub(crate) fn earliest_start(&self) -> f64 {
        self.crossing_start.min(self.touch_start)
    }

    /// The needed events, if more than one, sorted by time, then by features.
    pub(crate) fn sorted_events(&self) -> Vec<FeatureEvent> {
        let last = match (self.filter, self.first()) {
            (EventFilter::Early { after }, Some(first)) => first.hi + after,
            _ => f64::INFINITY,
        };
        // Events are large, so their times and references are sorted instead.
        let mut order: Vec<(f64, &FeatureEvent)> =
            self.events.iter().filter(|event| event.lo <= last).map(|event| (event.hi, event)).collect();
        order.sort_unstable_by(|(hi, event), (other_hi, other)| {
            hi.total_cmp(other_hi).then_with(|| event.order(other))
        });
        order.into_iter().map(|(_, event)| *event).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::event::FeaturePair;

    fn event(kind: EventKind, lo: f64, hi: f64) -> FeatureEvent {
        let pair = FeaturePair::EdgeEdge { a: 0, b: 0 };
        let same_event_until = if kind == EventKind::Undecided { hi } else { 2.0 * hi - lo };
        let (positive_gap_until, crosses_by) = (f64::INFINITY, f64::NEG_INFINITY);
        FeatureEvent {
            pair,
            kind,
            lo,
            hi,
            positive_gap_until,
            same_event_until,
            crosses_by,
            end: [hi, hi],
            since_start: false,
        }
    }

    /// The first of the events, which is the same in every order.
    fn first(events: &[FeatureEvent]) -> FeatureEvent {
        let mut answers = (0..events.len()).map(|shift| {
            let mut collector = Collector::new(EventFilter::First);
            (0..events.len()).for_each(|i| collector.add(events[(i + shift) % events.len()]));
            collector.first().unwrap()
        });
        let answer = answers.next().unwrap();
        assert!(answers.all(|other| other == answer), "{events:?}");
        answer
    }

    #[test]
    fn no_event_starts_before_the_enclosure_of_the_first() {
        // Two touches: the answer is the touch that reaches its minimum first, from the start of the other.
        let touch = |lo, hi| event(EventKind::Touching, lo, hi);
        assert_eq!(first(&[touch(0.3, 0.4), touch(0.2, 0.45)]), FeatureEvent { lo: 0.2, ..touch(0.3, 0.4) });
        // If the enclosures of two crossings overlap, either may be the first.
        let crossing = |lo, hi| event(EventKind::Crossing, lo, hi);
        let earlier = FeatureEvent { lo: 0.2, ..crossing(0.3, 0.4) };
        assert_eq!(first(&[crossing(0.3, 0.4), crossing(0.2, 0.45)]), earlier);
    }

    #[test]
    fn any_contact_is_the_proven_one() {
        let mut collector = Collector::new(EventFilter::Any);
        collector.add(event(EventKind::Undecided, 0.1, 0.2));
        assert_eq!(collector.bound(), f64::INFINITY);
        let touch = event(EventKind::Touching, 0.5, 0.6);
        collector.add(touch);
        assert_eq!((collector.bound(), collector.first()), (ENOUGH, Some(touch)));
    }

    #[test]
    fn a_crossing_replaces_only_the_touch_that_it_ends() {
        let (touch, crossing) =
            (event(EventKind::Touching, 0.3, 0.4), event(EventKind::Crossing, 0.45, 0.46));
        assert_eq!(first(&[touch, crossing]), crossing);
        let late = event(EventKind::Crossing, 0.6, 0.61);
        assert_eq!(first(&[touch, late]), touch);
        // An undecided touch becomes the crossing that follows immediately, and then belongs to its enclosure.
        let undecided = event(EventKind::Undecided, 0.3, 0.4);
        let at_once = event(EventKind::Crossing, 0.4, 0.4 + 1e-9);
        assert_eq!(first(&[undecided, at_once]).lo, 0.3);
        assert_eq!(first(&[undecided, crossing]).kind, EventKind::Undecided);
    }
}
