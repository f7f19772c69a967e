//! Collectors: which events answer a question, and how far a search must still go for it.

use crate::features::event::{EventKind, FeatureEvent};

/// The question that the events answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum EventFilter {
    /// The first.
    First,
    /// The first. Where surfaces intersect at the start, that is the answer, however deep they do and whichever triangles.
    Apart,
    /// Any one event that is proven.
    Any,
    /// All, except for bodies that overlap at the start: then that is the answer.
    All,
    /// All, whatever the bodies do at the start.
    Throughout,
    /// The first, and all that begin at most `after` later.
    Early { after: f64 },
}

/// Takes the events of a search, in any order, and keeps the wanted ones. The result does not depend on the order.
#[derive(Debug)]
pub(crate) struct Collector {
    wanted: EventFilter,
    /// The earliest provable change of sign.
    crossing: Option<FeatureEvent>,
    /// The earliest time at which any change of sign begins: if two enclosures overlap, either change may be first.
    crossing_begin: f64,
    /// The earliest touch.
    touch: Option<FeatureEvent>,
    /// The earliest time at which any touch begins: that touch may take longer than another to be at its closest.
    touch_begin: f64,
    /// The earliest time by which a touch would have become a crossing, if it were one: a crossing up to here
    /// is the touch itself, seen sharply. Landing flat, parallel edges come within the tolerance a moment before
    /// the corners cross; and so do edges beside a corner that passes through a face.
    touch_lasts: f64,
    /// The earliest time from which a touch can no longer be told from a crossing.
    free: f64,
    /// The contact that was proven first in the order of the search, where any will do.
    proven: Option<FeatureEvent>,
    /// All events, where all are wanted.
    events: Vec<FeatureEvent>,
}

/// Before every event: once a contact is proven where any will do, nothing else matters.
const DONE: f64 = -1.0;

/// A crossing that follows an undecided touch within this share of the motion takes its place.
const AT_ONCE: f64 = 1e-7;

/// Enclosures of nearly parallel edges reach back from the meeting by up to about this share of the motion.
const REACHES_BACK: f64 = 1e-9;

impl Collector {
    pub(crate) fn new(wanted: EventFilter) -> Self {
        Self {
            wanted,
            crossing: None,
            crossing_begin: f64::INFINITY,
            touch: None,
            touch_begin: f64::INFINITY,
            touch_lasts: f64::INFINITY,
            free: f64::INFINITY,
            proven: None,
            events: Vec::new(),
        }
    }

    /// Events that begin after this no longer matter.
    pub(crate) fn bound(&self) -> f64 {
        match self.wanted {
            EventFilter::All | EventFilter::Throughout => f64::INFINITY,
            EventFilter::First | EventFilter::Apart => self.latest_first(),
            EventFilter::Early { after } => self.latest_first() + after,
            EventFilter::Any if self.proven.is_some() => DONE,
            EventFilter::Any => f64::INFINITY,
        }
    }

    /// Whether one contact is as good as another.
    pub(crate) fn accepts_any(&self) -> bool {
        self.wanted == EventFilter::Any
    }

    /// Whether the order in which pairs are asked does not matter.
    pub(crate) fn accepts_any_order(&self) -> bool {
        matches!(self.wanted, EventFilter::All | EventFilter::Throughout)
    }

    /// The first event begins at this time at the latest. Events a little later are wanted too: their enclosures may
    /// reach back to before the first.
    fn latest_first(&self) -> f64 {
        self.crossing.map_or(f64::INFINITY, |e| e.hi).min(self.touch_lasts) + REACHES_BACK
    }

    /// Whether every event is kept.
    pub(crate) fn keeps_all(&self) -> bool {
        matches!(self.wanted, EventFilter::All | EventFilter::Throughout | EventFilter::Early { .. })
    }

    /// How many events are kept.
    pub(crate) fn kept(&self) -> usize {
        self.events.len()
    }

    /// Takes an event.
    pub(crate) fn add(&mut self, event: FeatureEvent) {
        if self.keeps_all() {
            self.events.push(event);
        }
        if self.wanted == EventFilter::Any && event.meeting != EventKind::Undecided {
            self.proven = self.proven.or(Some(event));
        }
        let earlier = |old: &Option<FeatureEvent>| old.is_none_or(|old| event.order(&old).is_lt());
        if event.crosses() {
            self.crossing_begin = self.crossing_begin.min(event.lo);
            if earlier(&self.crossing) {
                self.crossing = Some(event);
            }
        } else {
            // An undecided touch may be the crossing that follows at once: contact is then proven all the same.
            self.touch_begin = self.touch_begin.min(event.lo);
            let undecided = event.meeting == EventKind::Undecided;
            let lasts = if undecided { event.lasts.max(event.hi + AT_ONCE) } else { event.lasts };
            self.touch_lasts = self.touch_lasts.min(lasts);
            self.free = self.free.min(if undecided { event.lo } else { event.free });
            if earlier(&self.touch) {
                self.touch = Some(event);
            }
        }
    }

    /// The first event. Its enclosure reaches back to where any other event may have crossed; for a touch, to where
    /// any other has begun. Where any contact will do: the proven one, whatever may happen before it.
    pub(crate) fn first(&self) -> Option<FeatureEvent> {
        if self.proven.is_some() {
            return self.proven;
        }
        match (self.crossing, self.touch) {
            (Some(crossing), _) if crossing.hi <= self.touch_lasts => {
                Some(FeatureEvent { lo: self.crossing_begin.min(self.free), ..crossing })
            }
            (_, Some(touch)) => Some(FeatureEvent { lo: self.earliest_start(), ..touch }),
            (crossing, None) => crossing,
        }
    }

    /// The earliest time at which some event begins.
    pub(crate) fn earliest_start(&self) -> f64 {
        self.crossing_begin.min(self.touch_begin)
    }

    /// The events that are wanted, if more than one, in order of time, then features.
    pub(crate) fn sorted_events(&self) -> Vec<FeatureEvent> {
        let last = match (self.wanted, self.first()) {
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

    fn event(meeting: EventKind, lo: f64, hi: f64) -> FeatureEvent {
        let pair = FeaturePair::EdgeEdge { a: 0, b: 0 };
        let lasts = if meeting == EventKind::Undecided { hi } else { 2.0 * hi - lo };
        let (free, passes) = (f64::INFINITY, f64::NEG_INFINITY);
        FeatureEvent { pair, meeting, lo, hi, free, lasts, passes, end: [hi, hi], since_start: false }
    }

    /// The first of events, which is the same in every order.
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
    fn nothing_begins_before_the_enclosure() {
        // Of two touches the one that is closest first, from when the other begins.
        let touch = |lo, hi| event(EventKind::Touching, lo, hi);
        assert_eq!(first(&[touch(0.3, 0.4), touch(0.2, 0.45)]), FeatureEvent { lo: 0.2, ..touch(0.3, 0.4) });
        // Of two crossings whose enclosures overlap either may be first.
        let crossing = |lo, hi| event(EventKind::Crossing, lo, hi);
        let earlier = FeatureEvent { lo: 0.2, ..crossing(0.3, 0.4) };
        assert_eq!(first(&[crossing(0.3, 0.4), crossing(0.2, 0.45)]), earlier);
    }

    #[test]
    fn any_contact_is_the_one_that_is_proven() {
        let mut collector = Collector::new(EventFilter::Any);
        collector.add(event(EventKind::Undecided, 0.1, 0.2));
        assert_eq!(collector.bound(), f64::INFINITY);
        let touch = event(EventKind::Touching, 0.5, 0.6);
        collector.add(touch);
        assert_eq!((collector.bound(), collector.first()), (DONE, Some(touch)));
    }

    #[test]
    fn a_crossing_takes_the_place_of_the_touch_it_ends_and_of_no_other() {
        let (touch, crossing) =
            (event(EventKind::Touching, 0.3, 0.4), event(EventKind::Crossing, 0.45, 0.46));
        assert_eq!(first(&[touch, crossing]), crossing);
        let late = event(EventKind::Crossing, 0.6, 0.61);
        assert_eq!(first(&[touch, late]), touch);
        // What is undecided goes over into a crossing that follows at once, and then belongs to its enclosure.
        let undecided = event(EventKind::Undecided, 0.3, 0.4);
        let at_once = event(EventKind::Crossing, 0.4, 0.4 + 1e-9);
        assert_eq!(first(&[undecided, at_once]).lo, 0.3);
        assert_eq!(first(&[undecided, crossing]).meeting, EventKind::Undecided);
    }
}
