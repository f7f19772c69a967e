//! The report of a check as a person reads it: who meets whom and when, then each meeting, then what was proven.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chasles::{
    ContactFeatures, Guarantee, Horizon, Inside, NearestPair, PairReport, PairVerdict, SceneContact,
    SceneReport, Untested,
};
use chasles_formats::Subject;
use chasles_formats::printable::printable;
use chasles_formats::report::verdict::{contacts_at_start, reason, verdict};

use super::names::{Names, Room};
use super::terms::was_stopped;
use crate::words::{
    columns, count, direction, enclosure, gap, moment, moment_before, number, number_above, vector, wrapped,
};

/// Names that are cut have so many characters if they can, so that lines fit on 100 columns.
const NAME: usize = 22;

/// So many hollow bodies are told with what is inside, and of each so many.
const HELD: usize = 4;

/// So many meetings are told in full.
const MEETINGS: usize = 12;

/// What a table is made of.
struct Told<'a> {
    subject: &'a Subject<'a>,
    report: &'a SceneReport,
    bodies: Names,
    joints: Names,
}

/// The report on lines of at most 100 columns where its numbers and names have room there; `title`: what was checked.
pub(super) fn table(title: &str, (subject, report): (&Subject<'_>, &SceneReport), room: Room) -> String {
    let nearest = report.nearest.iter().flat_map(|nearest| nearest.bodies);
    let inside = report.inside.iter().flat_map(|inside| [inside.inner, inside.outer]);
    let listed = report.pairs.iter().flat_map(|pair| pair.bodies).chain(nearest).chain(inside);
    let listed = listed.map(|body| subject.name(body));
    let told = Told {
        subject,
        report,
        bodies: Names::fitting(room, listed, NAME),
        joints: Names::fitting(room, subject.joints().iter().map(String::as_str), NAME),
    };
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{}: {}\n{} over {} s, {} tested{}",
        printable(title),
        verdict(report.verdict).to_uppercase(),
        count(subject.bodies(), "body"),
        number(subject.duration()),
        count(report.pairs_tested, "pair"),
        summary(report)
    );
    text.push_str(&beside(subject, report));
    let order = in_order_of_time(report);
    text.push_str(&told.overview(&order));
    let meetings: Vec<_> = order.iter().filter_map(|index| told.meeting(*index)).collect();
    text.extend(meetings.iter().take(MEETINGS).map(String::as_str));
    if meetings.len() > MEETINGS {
        let _ = writeln!(text, "\nand {} more: --json tells all of them", meetings.len() - MEETINGS);
    }
    text.push_str(&told.doubts());
    text.push_str(&proof(subject, report));
    text.push_str(&told.nearest());
    text.push_str(&told.inside());
    text
}

/// The pairs in the order in which they meet, come near or are no longer proven clear; then those that are clear.
fn in_order_of_time(report: &SceneReport) -> Vec<usize> {
    let begins = |pair: &PairReport| match (pair.intervals.first(), pair.verdict) {
        (Some(first), _) => first.enter,
        (None, PairVerdict::Clear) => [f64::INFINITY; 2],
        (None, _) => [pair.clear_until; 2],
    };
    let mut order: Vec<usize> = (0..report.pairs.len()).collect();
    let earlier = |[a, b]: [f64; 2], [c, d]: [f64; 2]| a.total_cmp(&c).then(b.total_cmp(&d));
    order.sort_by(|x, y| earlier(begins(&report.pairs[*x]), begins(&report.pairs[*y])));
    order
}

/// What the counts of verdicts do not say: how many pairs meet from the start, and how many were not tested, and why.
fn beside(subject: &Subject<'_>, report: &SceneReport) -> String {
    let mut text = String::new();
    let from_start = contacts_at_start(subject, report);
    if from_start > 0 {
        let _ = writeln!(text, "In contact from the start: {}", count(from_start, "pair"));
    }
    let Untested { standing, exempt } = report.untested;
    let standing = (standing > 0).then(|| {
        let them = if standing == 1 { "it" } else { "them" };
        format!("{} without relative motion (--standing tests {them})", count(standing, "pair"))
    });
    let exempt = (exempt > 0).then(|| match standing {
        Some(_) => format!("{exempt} exempt"),
        None => format!("{} that {} exempt", count(exempt, "pair"), if exempt == 1 { "is" } else { "are" }),
    });
    let untested: Vec<String> = standing.into_iter().chain(exempt).collect();
    if !untested.is_empty() {
        let _ = writeln!(text, "Not tested: {}", untested.join(", "));
    }
    text
}

/// How many pairs there are of each verdict, the worst first.
fn summary(report: &SceneReport) -> String {
    let of = |wanted| report.pairs.iter().filter(|pair| pair.verdict == wanted).count();
    let worse = [PairVerdict::Overlapping, PairVerdict::Contact, PairVerdict::Undecided, PairVerdict::Near];
    let counts = worse.map(|wanted| (of(wanted), wanted));
    let told = counts.into_iter().chain([(report.pairs_clear, PairVerdict::Clear)]);
    let told: Vec<_> = told
        .filter(|(count, _)| *count > 0)
        .map(|(count, wanted)| format!("{count} {}", verdict(wanted)))
        .collect();
    match report.horizon {
        _ if told.is_empty() => String::new(),
        Horizon::FirstContact if !report.pairs.is_empty() => {
            format!(" up to the first contact: {}", told.join(", "))
        }
        Horizon::FirstContact | Horizon::End => format!(": {}", told.join(", ")),
    }
}

impl Told<'_> {
    /// One line for each interval of each pair. Pairs that were not answered are told in one line, however many they are.
    fn overview(&self, order: &[usize]) -> String {
        let (subject, report) = (self.subject, self.report);
        let pairs = order.iter().map(|index| (*index, &report.pairs[*index]));
        let (stopped, answered): (Vec<_>, Vec<_>) = pairs.partition(|(_, pair)| was_stopped(pair));
        let mut rows = vec![["a", "b", "verdict", "from", "segment", "until", "least gap"].map(String::from)];
        let duration = subject.duration();
        for (index, pair) in answered {
            let [a, b] = pair.bodies.map(|body| self.name(body));
            let word = verdict(pair.verdict);
            let least = match pair.verdict {
                PairVerdict::Contact | PairVerdict::Overlapping => String::new(),
                _ => pair.gap.map_or(String::new(), gap),
            };
            for (place, interval) in pair.intervals.iter().enumerate() {
                let enter = match interval.enter {
                    enter if subject.is_start(enter) => "the start".into(),
                    enter => enclosure(enter, duration),
                };
                let segment =
                    subject.entry(index, place).map_or_else(String::new, |(segment, _)| segment.to_string());
                let exit = match (report.horizon, interval.exit) {
                    (Horizon::FirstContact, _) => "not followed".into(),
                    (Horizon::End, Some(exit)) => enclosure(exit, duration),
                    (Horizon::End, None) => "the end".into(),
                };
                let [a, b, word, least] =
                    if place == 0 { [&a, &b, word, &least] } else { [""; 4] }.map(String::from);
                rows.push([a, b, word, enter, segment, exit, least]);
            }
            if pair.intervals.is_empty() {
                let free = match pair.verdict {
                    PairVerdict::Clear | PairVerdict::Near => String::new(),
                    _ => format!("clear until {} s", moment_before(pair.clear_until, duration)),
                };
                rows.push([a, b, word.into(), free, String::new(), String::new(), least]);
            }
        }
        let mut text = String::new();
        if rows.len() > 1 {
            text = format!("\n{}", columns(&rows));
        }
        if !stopped.is_empty() {
            let _ = writeln!(
                text,
                "\nNot answered, since the check was stopped: {}.",
                count(stopped.len(), "pair")
            );
        }
        text
    }

    /// How a pair first meets or comes near; none where it does not, or has from the start.
    fn meeting(&self, index: usize) -> Option<String> {
        let (subject, report) = (self.subject, self.report);
        let pair: &PairReport = &report.pairs[index];
        let first = pair.intervals.iter().position(|interval| interval.contact.is_some())?;
        let interval = &pair.intervals[first];
        let place = interval.contact.as_ref()?;
        let contact = &place.contact;
        let duration = subject.duration();
        let [a, b] = pair.bodies.map(|body| self.name(body));
        let verb = match pair.verdict {
            PairVerdict::Near => {
                let clearance = subject.own_clearance(pair.bodies).unwrap_or(subject.clearance());
                format!("comes within {} m of", number(clearance))
            }
            _ if interval.touching => "touches".into(),
            _ => "meets".into(),
        };
        let mut text = format!("\n{a} {verb} {b} at {}\n", enclosure(interval.enter, duration));
        let features = match contact.features {
            ContactFeatures::VertexFace { a: v, b: f } => format!("vertex {v} of {a}, face {f} of {b}"),
            ContactFeatures::FaceVertex { a: f, b: v } => format!("face {f} of {a}, vertex {v} of {b}"),
            ContactFeatures::EdgeEdge { a: [v, w], b: [p, q] } => {
                format!("edge {v}-{w} of {a}, edge {p}-{q} of {b}")
            }
            ContactFeatures::Surfaces { a: face_a, b: face_b } => {
                let surface = |face: Option<u32>, body: &str| match face {
                    Some(face) => format!("face {face} of {body}"),
                    None => format!("the round surface of {body}"),
                };
                format!("{}, {}", surface(face_a, &a), surface(face_b, &b))
            }
            ContactFeatures::SurfaceSurface { a: face_a, b: face_b } => {
                let surface = |face: Option<u32>, body: &str| match face {
                    Some(face) => format!("face {face} of {body}"),
                    None => format!("the surface of {body}"),
                };
                format!("{}, {}", surface(face_a, &a), surface(face_b, &b))
            }
            ContactFeatures::PointSolid { a: p } => format!("point {p} of {a}, the surface of {b}"),
            ContactFeatures::SolidPoint { b: p } => format!("the surface of {a}, point {p} of {b}"),
            ContactFeatures::PointPoint { a: p, b: q } => format!("point {p} of {a}, point {q} of {b}"),
        };
        let rows = [
            ("where", format!("{} m", vector(contact.point))),
            ("normal", format!("{}, from {a} to {b}", direction(contact.normal))),
            ("features", features),
            ("approach", format!("{} m/s along the normal", number(contact.approach_speed))),
        ];
        for (key, value) in rows {
            let _ = writeln!(text, "  {key:<10}{value}");
        }
        if let Some((segment, values)) = subject.entry(index, first) {
            let _ = writeln!(text, "  {:<10}{segment}", "segment");
            let joints = subject.joints().iter().zip(values);
            let joints: Vec<_> = joints
                .map(|(joint, value)| format!("{} = {}", self.joints.of(joint), number(*value)))
                .collect();
            let lines = wrapped(&" ".repeat(12), &joints.join(", "));
            let _ = writeln!(text, "  {:<10}{}", "joints", lines.trim());
        }
        text.push_str(&self.screw(place));
        Some(text)
    }

    /// The screw on which two bodies meet.
    fn screw(&self, place: &SceneContact) -> String {
        let subject = self.subject;
        let body = |body: usize| self.name(body);
        let Some(axis) = place.axis else { return String::new() };
        let [from, to] = place.span.map(|time| moment(time, subject.duration()));
        let head = format!(
            "  {:<10}of {} seen from {}, from {from} to {to} s",
            "screw",
            body(place.moving),
            body(place.standing)
        );
        let along = direction(axis.direction);
        let slide = format!("slides {} m", number(axis.slide));
        let lines = match axis.point {
            Some(point) => {
                let turn = format!("turns {} degrees, {slide}", number(axis.angle.to_degrees()));
                vec![turn, format!("about {along} through {} m", vector(point))]
            }
            None if axis.slide == 0.0 => vec!["stands still".into()],
            None => vec![format!("{slide} along {along}")],
        };
        lines.iter().fold(head + "\n", |text, line| format!("{text}{:12}{line}\n", ""))
    }

    /// Why something is not decided, or not sharply.
    fn doubts(&self) -> String {
        let (subject, report) = (self.subject, self.report);
        let mut text = String::new();
        let doubtful = report.pairs.iter().filter(|pair| !pair.unknown.is_empty() && !was_stopped(pair));
        for pair in doubtful.take(MEETINGS) {
            let [a, b] = pair.bodies.map(|body| self.name(body));
            let spans = pair.unknown.iter().take(3).map(|span| enclosure(*span, subject.duration()));
            let spans = spans.collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "\n{a} and {b}: not decided from {spans}");
            if let Some(doubt) = pair.doubt {
                text.push_str(&wrapped("  ", reason(doubt)));
            }
        }
        text
    }

    /// The pair that comes nearest of those that are clear, so that what was placed a metre off is noticed.
    fn nearest(&self) -> String {
        let Some(NearestPair { bodies, gap: bounds, time }) = self.report.nearest else {
            return String::new();
        };
        let [a, b] = bodies.map(|body| self.name(body));
        let time = moment(time, self.subject.duration());
        let apart = match bounds {
            // Less is known of it than that it is near.
            [at_least, at_most] if at_least < 0.1 * at_most => {
                format!("no more than {} m", number_above(at_most))
            }
            bounds => gap(bounds),
        };
        wrapped("", &format!("Nearest: {a} and {b}, {apart} apart at {time} s."))
    }

    /// What is inside a closed surface that is not solid: a line for each that holds any.
    fn inside(&self) -> String {
        let mut held: BTreeMap<usize, Vec<&Inside>> = BTreeMap::new();
        for inside in &self.report.inside {
            held.entry(inside.outer).or_default().push(inside);
        }
        let mut text = String::new();
        for (outer, all) in held.iter().take(HELD) {
            let told = all.iter().take(HELD).map(|inside| {
                let from = moment(inside.from, self.subject.duration());
                format!("{} from {from} s", self.name(inside.inner))
            });
            let mut told = told.collect::<Vec<_>>().join(", ");
            if all.len() > HELD {
                let _ = write!(told, " and {} more", all.len() - HELD);
            }
            let outer_name = self.name(*outer);
            let solid = match self.subject.can_be_solid(*outer) {
                true => " (solid = true fills it)",
                false => "",
            };
            text.push_str(&wrapped("", &format!("Inside {outer_name}, which is hollow{solid}: {told}.")));
        }
        if held.len() > HELD {
            let _ = writeln!(text, "and in {} more: --json tells all", count(held.len() - HELD, "body"));
        }
        text
    }

    fn name(&self, body: usize) -> String {
        self.bodies.of(self.subject.name(body))
    }
}

/// What holds for certain.
fn proof(subject: &Subject<'_>, report: &SceneReport) -> String {
    let clear = match (report.pairs_clear, report.pairs_tested) {
        (_, 0) => "No two bodies move relative to each other and are tested: nothing to prove.".into(),
        (clear, tested) if clear == tested => {
            let [begin, end] = subject.span().map(number);
            format!("Proven: every pair keeps clear at every moment from {begin} to {end} s.")
        }
        _ if report.horizon == Horizon::FirstContact => {
            let before = if report.clear_until == subject.span()[0] {
                "Nothing is proven free.".into()
            } else {
                let until = moment_before(report.clear_until, subject.duration());
                format!("Proven: before {until} s nothing touches.")
            };
            format!("{before} What comes after {} s was not looked at.", number(report.followed_until))
        }
        (clear, tested) => {
            let first = match report.clear_until {
                until if until == subject.span()[0] => String::new(),
                until => format!(" Before {} s nothing touches.", moment_before(until, subject.duration())),
            };
            format!("Proven: {clear} of {} clear at every moment.{first}", count(tested, "pair"))
        }
    };
    let mut text = String::from("\n");
    text.push_str(&wrapped("", &clear));
    if report.pairs_tested == 0 {
        return text;
    }
    let but = if subject.has_deforming() { "; of what deforms, only surfaces that meet" } else { "" };
    let mut touching = format!("Surfaces closer than {} m count as touching{but}.", number(report.tolerance));
    if report.horizon == Horizon::FirstContact {
        if subject.has_own_clearances() || subject.clearance() > 0.0 {
            touching.push_str(" Clearances play no part for the first contact.");
        }
    } else if subject.has_own_clearances() {
        touching.push_str(" Clear pairs keep more than their clearances apart.");
    } else if subject.clearance() > 0.0 {
        let _ = write!(touching, " Clear pairs keep more than {} m apart.", number(subject.clearance()));
    }
    if let Some(epsilon) = report.epsilon {
        let pairs = match report.guarantee {
            Guarantee::Surfaces => "Pairs with a solid, a cloud or a parametric surface",
            Guarantee::Points { .. } => "All pairs",
        };
        let _ = write!(touching, " {pairs} are proven down to epsilon = {} m.", number(epsilon));
    }
    text.push_str(&wrapped("", &touching));
    if report.guarantee != Guarantee::Surfaces {
        let points = "All of this is guaranteed for the points only, on their curved paths: what lies between them was \
                      not looked at.";
        text.push_str(&wrapped("", points));
    }
    let deviation = report.pairs.iter().map(|pair| pair.deviation).fold(0.0, f64::max);
    if deviation > 0.0 {
        let note = format!(
            "Of the pairs listed, what was examined lies at most {} m from the true shapes and motions: this is contained in \
             the verdicts, gaps and times.",
            number(deviation)
        );
        text.push_str(&wrapped("", &note));
    }
    text
}

#[cfg(test)]
mod tests {
    use chasles::{
        BodyMotion, Contact, PairDoubt, Pose, Primitive, Scene, SceneBody, SceneDefinition, SceneInterval,
        SceneShape, ScrewAxis,
    };
    use glam::DVec3;

    use super::*;

    /// Boxes a, b, c, .. that all move, two seconds long.
    fn scene(count: u8, clearance: f64) -> Scene {
        let shape = SceneShape::primitive(Primitive::Box { size: DVec3::ONE }).unwrap();
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
        PairReport {
            bodies,
            verdict,
            intervals: vec![],
            clear_until: 2.0,
            unknown: vec![],
            doubt: None,
            deviation: 0.0,
            gap: None,
            gap_time: None,
            events: vec![],
            epsilon: None,
        }
    }

    fn stopped(bodies: [usize; 2]) -> PairReport {
        let unknown = vec![[0.0, 2.0]];
        let undecided = pair(bodies, PairVerdict::Undecided);
        PairReport { clear_until: 0.0, unknown, doubt: Some(PairDoubt::Stopped), ..undecided }
    }

    fn report(pairs: Vec<PairReport>) -> SceneReport {
        SceneReport {
            verdict: pairs.iter().map(|pair| pair.verdict).fold(PairVerdict::Clear, PairVerdict::max),
            pairs_tested: pairs.len(),
            untested: Untested::default(),
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
    fn a_pair_that_is_near_has_its_gap_and_where_it_comes_near() {
        let contact = Contact {
            time: [0.5, 0.5],
            features: ContactFeatures::VertexFace { a: 3, b: 7 },
            point: DVec3::new(0.5, 0.25, 0.0),
            normal: DVec3::X,
            approach_speed: 2.0,
            touching: true,
        };
        let axis = ScrewAxis { direction: DVec3::X, point: None, slide: 4.0, angle: 0.0 };
        let place = SceneContact { contact, moving: 0, standing: 1, axis: Some(axis), span: [0.0, 2.0] };
        let begins = SceneInterval {
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
            intervals: vec![begins, later],
            gap: Some([0.009_800_5, 0.009_899_5]),
            deviation: 1e-6,
            ..pair([0, 1], PairVerdict::Near)
        };
        let clear = PairReport { gap: Some([0.5, 0.5]), ..pair([0, 2], PairVerdict::Clear) };
        let text =
            table("s.toml", (&Subject::scene(&scene(3, 0.01)), &report(vec![near, clear])), Room::Terminal);
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
    fn pairs_that_were_not_answered_take_one_line() {
        let pairs: Vec<_> = (1..20).map(|other| stopped([0, other])).collect();
        let text =
            table("s.toml", (&Subject::scene(&scene(20, 0.0)), &report(pairs.clone())), Room::Terminal);
        let expected = "\
s.toml: UNDECIDED
20 bodies over 2 s, 19 pairs tested: 19 undecided

Not answered, since the check was stopped: 19 pairs.

Proven: 0 of 19 pairs clear at every moment.
Surfaces closer than 1e-7 m count as touching.
";
        assert_eq!(text, expected);
        // Others are told beside them; one that was answered in part is.
        let met = SceneInterval {
            enter: [0.0; 2],
            exit: None,
            contact: None,
            contacts: Vec::new(),
            touching: false,
        };
        let half = PairReport { intervals: vec![met], ..stopped([1, 2]) };
        let half = PairReport { verdict: PairVerdict::Contact, ..half };
        let text = table(
            "s.toml",
            (&Subject::scene(&scene(20, 0.0)), &report([pairs, vec![half]].concat())),
            Room::Terminal,
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
    fn a_clear_scene_says_how_exactly_it_was_told() {
        let told = |epsilon, guarantee| {
            let report =
                SceneReport { epsilon, guarantee, pairs_clear: 1, pairs_tested: 1, ..report(vec![]) };
            table("s.toml", (&Subject::scene(&scene(2, 0.0)), &report), Room::Terminal)
        };
        let plain = told(None, Guarantee::Surfaces);
        assert!(plain.ends_with("\nSurfaces closer than 1e-7 m count as touching.\n"), "{plain}");
        let sets = told(Some(2e-6), Guarantee::Surfaces);
        let words =
            " Pairs with a solid, a cloud or a parametric surface\nare proven down to epsilon = 2e-6 m.\n";
        assert!(sets.starts_with("s.toml: CLEAR\n") && sets.ends_with(words), "{sets}");
        let points = told(Some(2e-6), Guarantee::Points { spacing: None });
        assert!(points.contains(" All pairs are proven down to epsilon = 2e-6 m.\n"), "{points}");
    }
}
