//! The report of a check as text: the pairs in contact by time, then each contact in detail, then the proven
//! statements.
//!
//! If there are many contacts, the first contact comes first and the others are grouped by pair.
//!
//! ```text
//! overview   one line per contact, or per pair
//! meeting    one contact in detail
//! proven     the proven statements, and undecided pairs
//! overlaps   overlapping pairs that do not count in the verdict
//! ```

mod overview;
mod first_contact;
mod proven;
mod overlaps;

use std::fmt::Write as _;

use chasles::{Horizon, PairReport, PairVerdict, SceneReport, SkippedPairs};
use chasles_formats::Subject;
use chasles_formats::figures::number;
use chasles_formats::printable::printable;
use chasles_formats::report::verdict::{count_contacts_at_start, verdict};

use self::proven::proof;
use super::limits;
use super::names::{Names, TableWidth};
use crate::words::{count, wrapped};

/// The intended length of shortened names, such that lines fit into 100 columns.
const NAME: usize = 22;

/// The maximum number of contacts that are listed one by one; also of undecided pairs.
const MAX_FULL_CONTACTS: usize = 12;

/// The level of detail of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// A summary: if there are many contacts, they are grouped.
    Survey,
    /// As `Survey`, with the names of all overlapping bodies that do not count in the verdict.
    Pairs,
    /// Every contact.
    All,
}

/// The data of a table.
struct CheckTable<'a> {
    subject: &'a Subject<'a>,
    report: &'a SceneReport,
    extent: Extent,
    bodies: Names,
    joints: Names,
}

/// The report on lines of at most 100 columns, if its numbers and names fit. `title` is the name of the checked file.
pub(super) fn table(
    title: &str,
    (subject, report): (&Subject<'_>, &SceneReport),
    (width, extent): (TableWidth, Extent),
) -> String {
    let nearest = report.nearest.iter().flat_map(|nearest| nearest.bodies);
    let inside = report.inside.iter().flat_map(|inside| [inside.inner, inside.outer]);
    let listed = report.pairs.iter().flat_map(|pair| pair.bodies).chain(nearest).chain(inside);
    let listed = listed.chain(overlaps::named(report, extent));
    let listed = listed.map(|body| subject.name(body));
    let table = CheckTable {
        subject,
        report,
        extent,
        bodies: Names::fitting(width, listed, NAME),
        joints: Names::fitting(width, subject.joints().iter().map(String::as_str), NAME),
    };
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{}: {}{}{}{}\n{} over {} s, {} tested{}",
        printable(title),
        verdict(report.verdict).to_uppercase(),
        if subject.exceeds_limits() { ", BEYOND LIMITS" } else { "" },
        if subject.missing().is_empty() { "" } else { ", WITHOUT MISSING GEOMETRY" },
        table.but_inside(),
        count(subject.bodies(), "body"),
        number(subject.duration()),
        count(report.pairs_tested, "pair"),
        summary(report)
    );
    for missing in subject.missing() {
        text.push_str(&wrapped("", &format!("Missing: {}", printable(missing))));
    }
    text.push_str(&table.inside());
    text.push_str(&beside(subject, report));
    text.push_str(&limits::table(subject));
    text.push_str(&table.contacts(&in_order_of_time(report)));
    text.push_str(&table.stopped());
    text.push_str(&table.undecided_text());
    text.push_str(&proof(subject, report));
    text.push_str(&table.nearest());
    text.push_str(&table.overlaps());
    text
}

/// Sorts the pairs by the time at which they touch, come near, or are no longer proven clear; clear pairs are last.
fn in_order_of_time(report: &SceneReport) -> Vec<usize> {
    let order_time = |pair: &PairReport| match (pair.intervals.first(), pair.verdict) {
        (Some(first), _) => first.enter,
        (None, PairVerdict::Clear) => [f64::INFINITY; 2],
        (None, _) => [pair.clear_until; 2],
    };
    let mut order: Vec<usize> = (0..report.pairs.len()).collect();
    let earlier = |[a, b]: [f64; 2], [c, d]: [f64; 2]| a.total_cmp(&c).then(b.total_cmp(&d));
    order.sort_by(|x, y| earlier(order_time(&report.pairs[*x]), order_time(&report.pairs[*y])));
    order
}

/// Facts beside the counts of verdicts: the number of pairs in contact from the start, and the numbers of untested
/// pairs with reasons.
fn beside(subject: &Subject<'_>, report: &SceneReport) -> String {
    let mut text = String::new();
    let from_start = count_contacts_at_start(subject, report);
    if from_start > 0 {
        let _ = writeln!(text, "In contact from the start: {}", count(from_start, "pair"));
    }
    let SkippedPairs { resting, joined, statics, exempt } = report.untested;
    let them = |number: usize| if number == 1 { "it" } else { "them" };
    let of = |number: usize, what: String| (number > 0).then_some(what);
    let classes = [
        of(resting, format!("{} at rest (--standing test tests {})", count(resting, "pair"), them(resting))),
        of(joined, count(joined, "rigidly joined pair")),
        of(statics, format!("{} (--static tests {})", count(statics, "static pair"), them(statics))),
    ];
    let classes: Vec<String> = classes.into_iter().flatten().collect();
    let exempt = (exempt > 0).then(|| match classes.is_empty() {
        false => format!("{exempt} exempt"),
        true => format!("{} that {} exempt", count(exempt, "pair"), if exempt == 1 { "is" } else { "are" }),
    });
    let untested: Vec<String> = classes.into_iter().chain(exempt).collect();
    if !untested.is_empty() {
        let _ = writeln!(text, "Not tested: {}", untested.join(", "));
    }
    text
}

/// The number of pairs of each verdict, the worst first.
fn summary(report: &SceneReport) -> String {
    let of = |verdict_of_count| report.pairs.iter().filter(|pair| pair.verdict == verdict_of_count).count();
    let worse = [PairVerdict::Overlapping, PairVerdict::Contact, PairVerdict::Undecided, PairVerdict::Near];
    let counts = worse.map(|verdict_of_count| (of(verdict_of_count), verdict_of_count));
    let counted = counts.into_iter().chain([(report.pairs_clear, PairVerdict::Clear)]);
    let counted: Vec<_> = counted
        .filter(|(count, _)| *count > 0)
        .map(|(count, verdict_of_count)| format!("{count} {}", verdict(verdict_of_count)))
        .collect();
    match report.horizon {
        _ if counted.is_empty() => String::new(),
        Horizon::FirstContact if !report.pairs.is_empty() => {
            format!(" up to the first contact: {}", counted.join(", "))
        }
        Horizon::FirstContact | Horizon::End => format!(": {}", counted.join(", ")),
    }
}

impl CheckTable<'_> {
    /// All contacts, near and clear pairs, in order of time.
    fn contacts(&self, order: &[usize]) -> String {
        let contacts: usize = self.report.pairs.iter().map(|pair| pair.intervals.len()).sum();
        let mut text = String::new();
        if self.extent == Extent::All || contacts <= MAX_FULL_CONTACTS {
            text.push_str(&self.overview(order));
            text.extend(order.iter().filter_map(|index| self.contact_of_pair(*index)));
            return text;
        }
        text.push_str(&self.first_contact());
        text.push_str(&self.groups(order));
        let _ = writeln!(text, "--all lists all {contacts} contacts, each pair's first in full.");
        text
    }

    fn name(&self, body: usize) -> String {
        self.bodies.of(self.subject.name(body))
    }
}

#[cfg(test)]
mod tests {
    use chasles::{
        BodyMotion, CollisionShape, Contact, ContactFeatures, Guarantee, PairUndecidedReason, Pose,
        Primitive, Scene, SceneBody, SceneContact, SceneDefinition, SceneInterval, ScrewAxis,
    };
    use glam::DVec3;

    use super::*;

    /// Boxes a, b, c, .. that all move, with a duration of two seconds.
    fn scene(count: u8, clearance: f64) -> Scene {
        let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).unwrap();
        let body = |index: u8| SceneBody {
            name: char::from(b'a' + index).into(),
            shape: Some(shape.clone()),
            motion: BodyMotion::Twist { start: Pose::IDENTITY, linear: DVec3::X, angular: DVec3::ZERO },
            parent: None,
            group: None,
            solid: false,
        };
        let bodies = (0..count).map(body).collect();
        let tolerance = Some(1e-7);
        Scene::new(SceneDefinition { duration: 2.0, tolerance, clearance, bodies, ignore: vec![] }).unwrap()
    }

    fn pair(bodies: [usize; 2], verdict: PairVerdict) -> PairReport {
        PairReport { verdict, ..PairReport::clear(bodies, 2.0) }
    }

    fn stopped(bodies: [usize; 2]) -> PairReport {
        PairReport {
            clear_until: 0.0,
            undecided: vec![[0.0, 2.0]],
            reason: Some(PairUndecidedReason::Stopped),
            ..pair(bodies, PairVerdict::Undecided)
        }
    }

    fn report(pairs: Vec<PairReport>) -> SceneReport {
        SceneReport {
            verdict: pairs.iter().map(|pair| pair.verdict).fold(PairVerdict::Clear, PairVerdict::max),
            pairs_tested: pairs.len(),
            untested: SkippedPairs::default(),
            overlaps: None,
            pairs_clear: pairs.iter().filter(|pair| pair.verdict == PairVerdict::Clear).count(),
            nearest: None,
            inside: vec![],
            clear_until: pairs.iter().map(|pair| pair.clear_until).fold(2.0, f64::min),
            pairs,
            tolerance: 1e-7,
            epsilon: None,
            guarantee: Guarantee::Surfaces,
            horizon: Horizon::End,
            followed_until: 2.0,
            all_contacts: false,
            events: false,
        }
    }

    #[test]
    fn a_near_pair_has_its_gap_and_location() {
        let contact = Contact {
            time: [0.5, 0.5],
            features: ContactFeatures::VertexFace { a: 3, b: 7 },
            point: DVec3::new(0.5, 0.25, 0.0),
            normal: DVec3::X,
            approach_speed: 2.0,
            touching: true,
        };
        let axis = ScrewAxis { direction: DVec3::X, point: None, slide: 4.0, angle: 0.0 };
        let place = SceneContact {
            contact,
            moving: 0,
            static_body: 1,
            axis: Some(axis),
            is_exact: true,
            velocity: Some(DVec3::new(2.0, 0.0, -0.5)),
            interval: [0.0, 2.0],
        };
        let at_start = SceneInterval {
            enter: [0.5; 2],
            exit: Some([0.75; 2]),
            contact: Some(place),
            contacts: Vec::new(),
            touching: true,
        };
        let later = SceneInterval {
            enter: [1.5; 2],
            exit: None,
            contact: None,
            contacts: Vec::new(),
            touching: true,
        };
        let near = PairReport {
            intervals: vec![at_start, later],
            gap: Some([0.009_800_5, 0.009_899_5]),
            deviation: 1e-6,
            ..pair([0, 1], PairVerdict::Near)
        };
        let clear = PairReport { gap: Some([0.5, 0.5]), ..pair([0, 2], PairVerdict::Clear) };
        let text = table(
            "s.toml",
            (&Subject::scene(&scene(3, 0.01)), &report(vec![near, clear])),
            (TableWidth::Terminal, Extent::Survey),
        );
        let expected = "\
s.toml: NEAR
3 bodies over 2 s, 2 pairs tested: 1 near, 1 clear

  a  b  verdict  from   until    least gap
  a  b  near     0.5 s  0.75 s   0.0098 to 0.0099 m
                 1.5 s  the end
  a  c  clear                    0.5 m

a comes within 0.01 m of b at 0.5 s
  where     (0.5, 0.25, 0) m
  normal    (1, 0, 0), from a to b
  features  vertex 3 of a, face 7 of b
  approach  2 m/s along the normal
  sliding   0.5 m/s along (0, 0, -1)
  screw     of a seen from b, from 0 to 2 s
            slides 4 m along (1, 0, 0)

Proven: 1 of 2 pairs clear at every moment. Before 2 s nothing touches.
Surfaces closer than 1e-7 m count as touching. Clear pairs keep more than 0.01 m apart.
Of the pairs listed, what was examined lies at most 1e-6 m from the true shapes and motions: this is
contained in the verdicts, gaps and times.
";
        assert_eq!(text, expected);
    }

    #[test]
    fn unanswered_pairs_take_one_line() {
        let pairs: Vec<_> = (1..20).map(|other| stopped([0, other])).collect();
        let text = table(
            "s.toml",
            (&Subject::scene(&scene(20, 0.0)), &SceneReport { followed_until: 0.5, ..report(pairs.clone()) }),
            (TableWidth::Terminal, Extent::Survey),
        );
        let expected = "\
s.toml: UNDECIDED
20 bodies over 2 s, 19 pairs tested: 19 undecided

Not answered, since the check was stopped: 19 pairs. All pairs are reported until 0.5 s.

Proven: 0 of 19 pairs clear at every moment.
Surfaces closer than 1e-7 m count as touching.
";
        assert_eq!(text, expected);
        // Other pairs are reported beside them, including a pair that was answered partly.
        let touch = SceneInterval {
            enter: [0.0; 2],
            exit: None,
            contact: None,
            contacts: Vec::new(),
            touching: false,
        };
        let half = PairReport { intervals: vec![touch], ..stopped([1, 2]) };
        let half = PairReport { verdict: PairVerdict::Contact, ..half };
        let text = table(
            "s.toml",
            (
                &Subject::scene(&scene(20, 0.0)),
                &SceneReport { followed_until: 0.0, ..report([pairs, vec![half]].concat()) },
            ),
            (TableWidth::Terminal, Extent::Survey),
        );
        for words in [
            ": 1 contact, 19 undecided\n",
            "\n  b  c  contact  the start  the end\n",
            ": 19 pairs.\n",
            "\nb and c: not decided from 0 to 2 s\n  stopped: ",
        ] {
            assert!(text.contains(words), "{words:?} in {text}");
        }
    }

    #[test]
    fn a_clear_scene_states_its_tolerance() {
        let table_text = |epsilon, guarantee| {
            let report =
                SceneReport { epsilon, guarantee, pairs_clear: 1, pairs_tested: 1, ..report(vec![]) };
            table(
                "s.toml",
                (&Subject::scene(&scene(2, 0.0)), &report),
                (TableWidth::Terminal, Extent::Survey),
            )
        };
        let plain = table_text(None, Guarantee::Surfaces);
        assert!(plain.ends_with("\nSurfaces closer than 1e-7 m count as touching.\n"), "{plain}");
        let sets = table_text(Some(2e-6), Guarantee::Surfaces);
        let words =
            " Pairs with a solid, a cloud or a parametric surface\nare proven down to epsilon = 2e-6 m.\n";
        assert!(sets.starts_with("s.toml: CLEAR\n") && sets.ends_with(words), "{sets}");
        let points = table_text(Some(2e-6), Guarantee::Points { spacing: None });
        assert!(points.contains(" All pairs are proven down to epsilon = 2e-6 m.\n"), "{points}");
    }

    /// A pair with `count` intervals, one every 0.1 s. `first` is the start of the first interval, `length` the
    /// length of each.
    fn often(bodies: [usize; 2], (first, length): (f64, f64), count: u8) -> PairReport {
        let contact = Contact {
            time: [first; 2],
            features: ContactFeatures::EdgeEdge { a: [0, 1], b: [2, 3] },
            point: DVec3::X,
            normal: DVec3::Y,
            approach_speed: 1.0,
            touching: false,
        };
        let axis = Some(ScrewAxis { direction: DVec3::X, point: None, slide: 4.0, angle: 0.0 });
        let velocity = Some(DVec3::Y);
        let contact = SceneContact {
            contact,
            moving: 0,
            static_body: 1,
            axis,
            is_exact: false,
            velocity,
            interval: [0.0, 2.0],
        };
        let intervals = (0..count).map(|number| SceneInterval {
            enter: [first + 0.1 * f64::from(number); 2],
            exit: Some([first + length + 0.1 * f64::from(number); 2]),
            contact: Some(contact),
            contacts: Vec::new(),
            touching: false,
        });
        PairReport {
            intervals: intervals.collect(),
            clear_until: first,
            ..pair(bodies, PairVerdict::Contact)
        }
    }

    #[test]
    fn many_contacts_are_grouped_after_the_first() {
        let pairs = vec![often([0, 1], (0.5, 0.05), 10), often([1, 2], (0.25, 0.025), 3)];
        let scene = scene(3, 0.0);
        let table_text = |extent| {
            table("s.toml", (&Subject::scene(&scene), &report(pairs.clone())), (TableWidth::Terminal, extent))
        };
        let expected = "\
s.toml: CONTACT
3 bodies over 2 s, 2 pairs tested: 2 contact

b meets c at 0.25 s
  where     (1, 0, 0) m
  normal    (0, 1, 0), from b to c
  features  edge 0-1 of b, edge 2-3 of c
  approach  1 m/s along the normal

  a  b  verdict  times  first   longest
  b  c  contact  3      0.25 s  0.025 s
  a  b  contact  10     0.5 s   0.05 s
--all lists all 13 contacts, each pair's first in full.

Proven: 0 of 2 pairs clear at every moment. Before 0.25 s nothing touches.
Surfaces closer than 1e-7 m count as touching.
";
        assert_eq!(table_text(Extent::Survey), expected);
        let all = table_text(Extent::All);
        assert_eq!(
            all.lines().filter(|line| line.ends_with(" s") && line.starts_with("  ")).count(),
            13,
            "{all}"
        );
        assert!(all.contains("\nb meets c at 0.25 s\n") && all.contains("\na meets b at 0.5 s\n"), "{all}");
    }

    #[test]
    fn long_lists_of_pairs_are_shortened() {
        let pairs: Vec<_> = (1..60)
            .map(|other| often([0, other], (0.01 * f64::from(u8::try_from(other).unwrap()), 0.01), 1))
            .collect();
        let text = table(
            "s.toml",
            (&Subject::scene(&scene(60, 0.0)), &report(pairs)),
            (TableWidth::Terminal, Extent::Survey),
        );
        assert!(text.contains("\nand 19 more pairs\n--all lists all 59 contacts"), "{text}");
        assert!(text.lines().count() < 60, "{text}");
    }

    #[test]
    fn contacts_at_the_start_are_listed_first() {
        let from_start = |bodies: [usize; 2]| PairReport {
            intervals: vec![SceneInterval {
                enter: [0.0; 2],
                exit: Some([0.5; 2]),
                contact: None,
                contacts: Vec::new(),
                touching: false,
            }],
            clear_until: 0.0,
            ..pair(bodies, PairVerdict::Overlapping)
        };
        let pairs = vec![often([0, 1], (0.5, 0.05), 12), from_start([1, 2])];
        let text = table(
            "s.toml",
            (&Subject::scene(&scene(3, 0.0)), &report(pairs)),
            (TableWidth::Terminal, Extent::Survey),
        );
        let words = "\nb and c: overlapping from the start\n\na meets b at 0.5 s\n";
        assert!(
            text.contains(words) && text.contains("  b  c  overlapping  1      the start  0.5 s\n"),
            "{text}"
        );
    }
}
