//! Reports of checked scenes, and of robots on paths, as JUnit XML, which build servers show as tests.
//!
//! ```xml
//! <?xml version="1.0" encoding="UTF-8"?>
//! <testsuites>
//!   <testsuite name="cell/scene.toml" tests="2" failures="2" errors="0" skipped="0">
//!     <testcase classname="cell/scene.toml" name="the whole scene">
//!       <failure type="contact" message="contact; pairs tested: 7, clear: 6">..</failure>
//!     </testcase>
//!     <testcase classname="cell/scene.toml" name="gripper and table">
//!       <failure type="contact" message="contact from [0.5, 0.5000000001] s until [0.875, 0.8750000001] s">..</failure>
//!     </testcase>
//!   </testsuite>
//! </testsuites>
//! ```
//!
//! A scene is a suite. The whole scene is a test, and so is each pair that the report lists. Contact, overlapping
//! and near are failures, undecided is an error, and clear passes. There are no durations: the same scene gives the
//! same bytes. A path is a suite, too; several paths are several suites, and a path that could not be checked has
//! one test, which is an error. Overlaps outside the verdict, of rigidly joined or never moving bodies, are
//! properties of the suite: `<property name="static overlap" value="base and table"/>`, or `assembled`. `system-out`
//! has the warnings about the input, one line each: `warning: ..`. Names are [`printable`]. If violations of joint
//! limits are findings, each path has a test for them, too.

use std::fmt::Write as _;

use chasles::{PairReport, PairVerdict, SceneReport};

use super::breach::LimitTreatment;
use super::subject::{NamedResult, Subject};
use super::verdict::{gap_lower_bound, gap_upper_bound, no_contact_phrase, reason, verdict};
use crate::printable::printable;
use crate::text::xml::escaped;

/// Maximum number of intervals in a message; the text below it has all.
const MAX_LISTED: usize = 3;

/// The report as JUnit XML; `subject` is what the report is about, and `suite` its name.
///
/// ```
/// use chasles::CheckOptions;
/// use chasles_formats::report::junit;
/// use chasles_formats::Subject;
/// use chasles_formats::scene;
/// let text = b"format = 1\nduration = 2.0\n[[body]]\nname = 'table'\nbox = [1, 1, 0.1]\n";
/// let path = "scene.toml".as_ref();
/// let scene = scene::build::build(&scene::file::parse(text, path)?, path)?.scene;
/// let report = scene.check(&CheckOptions::default(), &()).unwrap();
/// let xml = junit::to_junit("scene.toml", &Subject::scene(&scene), &report);
/// assert!(xml.contains("tests=\"1\" failures=\"0\" errors=\"0\""));
/// # Ok::<(), chasles_formats::Error>(())
/// ```
#[must_use]
pub fn to_junit(suite: &str, subject: &Subject<'_>, report: &SceneReport) -> String {
    to_junit_of_all(&[NamedResult { name: suite, found: Ok((subject, report)) }], &[])
}

/// The reports of several paths as JUnit XML, one suite each. The first suite has the `warnings`, with the same
/// meaning as in [`to_json_of_all`](super::json::to_json_of_all).
#[must_use]
pub fn to_junit_of_all(answers: &[NamedResult<'_>], warnings: &[String]) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (number, NamedResult { name, found }) in answers.iter().enumerate() {
        let cases = match found {
            Ok((subject, report)) => {
                let pairs = (0..report.pairs.len()).map(|number| of_pair(subject, report, number));
                [case_of_subject(subject, report)].into_iter().chain(limits(subject)).chain(pairs).collect()
            }
            Err(error) => vec![Case {
                name: "the whole path".into(),
                class: Class::Error,
                word: "error",
                message: printable(error).into_owned(),
                text: String::new(),
            }],
        };
        let shared = if number == 0 { warnings } else { &[] };
        let subject_warnings = found.map_or(&[][..], |(subject, _)| subject.warnings());
        let out: String = shared
            .iter()
            .chain(subject_warnings)
            .map(|warning| format!("warning: {}\n", printable(warning)))
            .collect();
        let properties = found.map_or_else(|_| Vec::new(), |(subject, report)| properties(subject, report));
        write_suite(&mut xml, &escaped(&printable(name)), &properties, (&cases, &out));
    }
    xml.push_str("</testsuites>\n");
    xml
}

/// The overlaps outside the verdict: the name and value of a property for each pair.
fn properties(subject: &Subject<'_>, report: &SceneReport) -> Vec<(&'static str, String)> {
    let Some(overlaps) = &report.overlaps else { return Vec::new() };
    let assembled = overlaps.assembled.iter().map(|pair| ("assembled", pair));
    let all = assembled.chain(overlaps.statics.iter().map(|pair| ("static overlap", pair)));
    let names = |pair: &[usize; 2]| pair.map(|body| printable(subject.name(body)).into_owned()).join(" and ");
    all.map(|(name, pair)| (name, names(pair))).collect()
}

/// `out` is the text of `system-out`.
fn write_suite(xml: &mut String, suite: &str, properties: &[(&str, String)], (cases, out): (&[Case], &str)) {
    let count = |class: Class| cases.iter().filter(|case| case.class == class).count();
    // Writing to a string cannot fail.
    let _ = writeln!(
        xml,
        "  <testsuite name=\"{suite}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\">",
        cases.len(),
        count(Class::Failure),
        count(Class::Error)
    );
    if !properties.is_empty() {
        xml.push_str("    <properties>\n");
        for (name, value) in properties {
            let value = escaped(value);
            let _ = writeln!(xml, "      <property name=\"{name}\" value=\"{value}\"/>");
        }
        xml.push_str("    </properties>\n");
    }
    for case in cases {
        case.write(xml, suite);
    }
    if !out.is_empty() {
        let _ = writeln!(xml, "    <system-out>{}</system-out>", escaped(out));
    }
    xml.push_str("  </testsuite>\n");
}

/// The meaning of a verdict for a build server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Pass,
    Failure,
    Error,
}

fn class_of(verdict: PairVerdict) -> Class {
    match verdict {
        PairVerdict::Clear => Class::Pass,
        PairVerdict::Undecided => Class::Error,
        PairVerdict::Near | PairVerdict::Contact | PairVerdict::Overlapping => Class::Failure,
    }
}

/// A test with its result. Its texts are printable, but not yet escaped for XML.
struct Case {
    name: String,
    class: Class,
    /// The word of its verdict.
    word: &'static str,
    message: String,
    text: String,
}

impl Case {
    fn write(&self, xml: &mut String, suite: &str) {
        let name = escaped(&self.name);
        let _ = write!(xml, "    <testcase classname=\"{suite}\" name=\"{name}\"");
        let element = match self.class {
            Class::Pass => {
                xml.push_str("/>\n");
                return;
            }
            Class::Failure => "failure",
            Class::Error => "error",
        };
        let (word, message, text) = (self.word, escaped(&self.message), escaped(&self.text));
        let _ = writeln!(
            xml,
            ">\n      <{element} type=\"{word}\" message=\"{message}\">{text}</{element}>\n    </testcase>"
        );
    }
}

fn case_of_subject(subject: &Subject<'_>, report: &SceneReport) -> Case {
    let message = format!(
        "{}; pairs tested: {}, clear: {}",
        verdict(report.verdict),
        report.pairs_tested,
        report.pairs_clear
    );
    let text = match report.clear_until {
        until if until <= subject.time_interval()[0] => "No time is proven free.".into(),
        until => format!("Proven: until {until:?} s {}.", no_contact_phrase(report)),
    };
    let name = if subject.is_path() { "the whole path" } else { "the whole scene" };
    Case { class: class_of(report.verdict), word: verdict(report.verdict), name: name.into(), message, text }
}

/// The test of joint limits, if violations are findings.
fn limits(subject: &Subject<'_>) -> Option<Case> {
    let sentences: Vec<String> =
        subject.breaches().iter().map(|breach| printable(&breach.sentence()).into_owned()).collect();
    let class = if sentences.is_empty() { Class::Pass } else { Class::Failure };
    let mut message = sentences[..sentences.len().min(MAX_LISTED)].join("; ");
    if sentences.len() > MAX_LISTED {
        let _ = write!(message, "; and {} times more", sentences.len() - MAX_LISTED);
    }
    let (name, word, text) = ("the limits of joints".into(), "beyond limits", sentences.join("\n"));
    (subject.limits() == LimitTreatment::Findings).then_some(Case { name, class, word, message, text })
}

fn of_pair(subject: &Subject<'_>, report: &SceneReport, number: usize) -> Case {
    let pair: &PairReport = &report.pairs[number];
    let [a, b] = subject.names(pair).map(printable);
    let span = |[lo, hi]: [f64; 2]| format!("[{lo:?}, {hi:?}] s");
    let times: Vec<_> = pair
        .intervals
        .iter()
        .enumerate()
        .map(|(index, interval)| {
            let enter =
                if subject.is_start(interval.enter) { "the start".into() } else { span(interval.enter) };
            let segment = subject.entry(number, index).map(|(segment, _)| format!(" (segment {segment})"));
            let exit = interval.exit.map_or("the end".into(), span);
            format!("from {enter}{} until {exit}", segment.unwrap_or_default())
        })
        .collect();
    let mut message = verdict(pair.verdict).to_owned();
    if !times.is_empty() {
        message = format!("{message} {}", times[..times.len().min(MAX_LISTED)].join(", "));
    }
    if times.len() > MAX_LISTED {
        let _ = write!(message, " and {} times more", times.len() - MAX_LISTED);
    }
    if let Some(cause) = pair.reason.filter(|_| pair.verdict == PairVerdict::Undecided) {
        let _ = write!(message, ", clear until {:?} s: {}", pair.clear_until, reason(cause));
    }
    let mut lines: Vec<String> =
        times.iter().map(|times| format!("{} {times}", verdict(pair.verdict))).collect();
    // The first interval with a contact point, or else the first interval.
    let first = pair.intervals.iter().position(|interval| interval.contact.is_some()).unwrap_or(0);
    if let Some(place) = pair.intervals.get(first).and_then(|interval| interval.contact.as_ref()) {
        let [point, normal] =
            [place.contact.point, place.contact.normal].map(|v| v.to_array().map(|x| x + 0.0));
        lines.push(format!("first at {point:?} m, normal {normal:?} from {a} to {b}"));
    }
    if let Some((segment, values)) = subject.entry(number, first) {
        let joints =
            subject.joints().iter().zip(values).map(|(joint, value)| format!("{joint} = {:?}", value + 0.0));
        lines.push(format!("first in segment {segment}, at {}", joints.collect::<Vec<_>>().join(", ")));
    }
    if let (Some(lower), Some(upper)) = (gap_lower_bound(pair), gap_upper_bound(pair)) {
        lines.push(format!("minimum distance: {lower:?} to {upper:?} m"));
    }
    lines.extend(pair.undecided.iter().map(|undecided| format!("not decided in {}", span(*undecided))));
    lines.extend(pair.reason.map(|cause| reason(cause).to_owned()));
    let name = format!("{a} and {b}");
    Case { class: class_of(pair.verdict), word: verdict(pair.verdict), name, message, text: lines.join("\n") }
}

#[cfg(test)]
mod tests {
    use chasles::PairUndecidedReason;
    use chasles_testing::Random;
    use roxmltree::Document;

    use super::*;
    use crate::report::json::tests::{pair, report, scene, two_intervals};

    fn junit(names: [&str; 2], pair: PairReport) -> String {
        to_junit("scene.toml", &Subject::scene(&scene(names, 0.02)), &report(pair))
    }

    #[test]
    fn contact_format_is_exact() {
        let contact_report = PairReport { intervals: two_intervals(), ..pair(PairVerdict::Contact) };
        let times = "contact from the start until [0.25, 0.25] s";
        let then = "from [0.5, 0.75] s until the end";
        let expected = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  \
             <testsuite name=\"scene.toml\" tests=\"2\" failures=\"2\" errors=\"0\" skipped=\"0\">\n    \
             <testcase classname=\"scene.toml\" name=\"the whole scene\">\n      \
             <failure type=\"contact\" message=\"contact; pairs tested: 1, clear: 0\">\
             Proven: until 0.25 s no tested pair touches.</failure>\n    </testcase>\n    \
             <testcase classname=\"scene.toml\" name=\"table and cup\">\n      \
             <failure type=\"contact\" message=\"{times}, {then}\">{times}&#10;contact {then}&#10;\
             first at [0.0, 1.5, 2e-7] m, normal [0.0, 0.0, 1.0] from table to cup</failure>\n    \
             </testcase>\n  </testsuite>\n</testsuites>\n"
        );
        assert_eq!(junit(["table", "cup"], contact_report), expected);
    }

    #[test]
    fn each_verdict_has_its_junit_status() {
        let gap = Some([0.009, 0.01]);
        let cause = Some(PairUndecidedReason::Stopped);
        let undecided = vec![[0.25, 2.0]];
        let cases = [
            (PairReport { gap, ..pair(PairVerdict::Clear) }, None, "0", "0"),
            (
                PairReport { gap, intervals: two_intervals(), ..pair(PairVerdict::Near) },
                Some("failure"),
                "2",
                "0",
            ),
            (
                PairReport { intervals: two_intervals(), ..pair(PairVerdict::Overlapping) },
                Some("failure"),
                "2",
                "0",
            ),
            (
                PairReport { reason: cause, undecided, ..pair(PairVerdict::Undecided) },
                Some("error"),
                "0",
                "2",
            ),
        ];
        for (found, element, failures, errors) in cases {
            let word = verdict(found.verdict);
            let xml = junit(["table", "cup"], found);
            let document = Document::parse(&xml).expect(&xml);
            let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
            assert_eq!(
                (suite.attribute("failures"), suite.attribute("errors")),
                (Some(failures), Some(errors))
            );
            let tests: Vec<_> = suite.children().filter(|node| node.has_tag_name("testcase")).collect();
            assert_eq!((tests.len(), suite.attribute("tests")), (2, Some("2")));
            for test in tests {
                let result = test.first_element_child();
                assert_eq!(result.map(|result| result.tag_name().name()), element, "{xml}");
                assert_eq!(result.and_then(|result| result.attribute("type")), element.and(Some(word)));
            }
            let contains = |words: &str| assert!(xml.contains(words), "{words} in {xml}");
            match word {
                "near" => {
                    contains(
                        "message=\"near from the start until [0.25, 0.25] s, from [0.5, 0.75] s until the end\"",
                    );
                    contains("minimum distance: 0.009 to 0.01 m");
                }
                "undecided" => {
                    contains("message=\"undecided, clear until 0.25 s: stopped: ");
                    contains("not decided in [0.25, 2.0] s");
                }
                _ => {}
            }
        }
    }

    #[test]
    fn warnings_are_reported_beside_the_tests() {
        let scene = scene(["table", "cup"], 0.0);
        let subject = Subject::scene(&scene).with_warnings(vec!["a < b".into()]);
        let found = report(pair(PairVerdict::Clear));
        let answer = NamedResult { name: "p", found: Ok((&subject, &found)) };
        let xml = to_junit_of_all(&[answer, answer], &["shared".into()]);
        let document = Document::parse(&xml).unwrap();
        let suites = document.descendants().filter(|node| node.has_tag_name("testsuite"));
        let last_cases: Vec<_> = suites.map(|suite| suite.last_element_child().unwrap()).collect();
        assert!(last_cases.iter().all(|last| last.has_tag_name("system-out")));
        let texts: Vec<_> = last_cases.iter().filter_map(|last| last.text()).collect();
        assert_eq!(texts, ["warning: shared\nwarning: a < b\n", "warning: a < b\n"]);
        assert!(!to_junit("p", &Subject::scene(&scene), &found).contains("system-out"));
    }

    #[test]
    fn many_intervals_are_all_in_the_text() {
        let intervals: Vec<_> = [two_intervals(), two_intervals(), two_intervals()].concat();
        let xml = junit(["table", "cup"], PairReport { intervals, ..pair(PairVerdict::Contact) });
        let document = Document::parse(&xml).unwrap();
        let failure = document.descendants().filter(|node| node.has_tag_name("failure")).nth(1).unwrap();
        let message = failure.attribute("message").unwrap();
        assert!(message.matches("from").count() == 3 && message.ends_with(" and 3 times more"), "{message}");
        assert_eq!(failure.text().unwrap().matches("until").count(), 6);
    }

    /// For any names, the output is valid XML that contains their printable form.
    #[test]
    fn any_name_gives_valid_xml() {
        let alphabet: Vec<char> = (0..0x80)
            .chain([
                0x80, 0x85, 0xa0, 0xe9, 0x2028, 0xd7ff, 0xe000, 0xfeff, 0xfffd, 0xfffe, 0xffff, 0x1_f600,
                0x10_ffff,
            ])
            .filter_map(char::from_u32)
            .chain("&<>\"']]>&&<!--".chars())
            .collect();
        let mut random = Random(7);
        let mut draw = |below: usize| random.below(below);
        for _ in 0..3000 {
            let name: String = (0..=draw(8)).map(|_| alphabet[draw(alphabet.len())]).collect();
            let plain = printable(&name).into_owned();
            let found = PairReport { intervals: two_intervals(), ..pair(PairVerdict::Contact) };
            let xml = to_junit(&name, &Subject::scene(&scene([&name, "other"], 0.0)), &report(found));
            let document = Document::parse(&xml).unwrap_or_else(|error| panic!("{name:?}: {error} in {xml}"));
            let attribute = |tag: &str, key: &str| {
                let node = document.descendants().rfind(|node| node.has_tag_name(tag));
                node.and_then(|node| node.attribute(key)).map(str::to_owned)
            };
            assert_eq!(attribute("testsuite", "name").as_ref(), Some(&plain));
            assert_eq!(attribute("testcase", "name"), Some(format!("{plain} and other")));
            let failure = document.descendants().rfind(|node| node.has_tag_name("failure")).unwrap();
            assert!(failure.text().unwrap().ends_with(&format!("from {plain} to other")), "{xml}");
        }
    }
}
