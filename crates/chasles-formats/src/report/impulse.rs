//! Answers to impulse problems, one JSON object per line.
//!
//! ```json
//! {"name":"p1","verdict":"solved","bodies":[{"name":"a","linear":[0,0,1.5],"angular":[0,0,0]},..],
//!  "contacts":[{"impulse":[0,0,9],"state":"stick"}],"joints":[{"impulse":[0,0,0],"moment":[0,0,0]}],
//!  "energy":{"before":9,"after":2.25,"dissipated":6.75}}
//! {"name":"p2","verdict":"unsolvable","why":"contact 2 of \"a\" and \"b\" would still approach"}
//! {"name":"p3","verdict":"undecided","why":"no impulses were found .."}
//! ```
//!
//! Bodies, contacts and joints are in the order of the problem. Names and order of the keys are fixed. Numbers have
//! the shortest form that reads back the same; -0 is written as 0. An invalid line gets the same answer as for pair
//! problems, [`ProblemAnswer::Error`](crate::report::answer::ProblemAnswer::Error).

use chasles::{ContactState, ImpulseAnswer, ImpulseOutcome, JointKind, Unsolvable};
use serde::Serialize;

use crate::problems::impulse::NamedImpulseProblem;
use crate::text::json::{json_line, plain, plain_vector};
use crate::text::tree::quoted;

/// The answer as one line, with its line end. The outcome must belong to this problem.
///
/// # Panics
/// If the outcome belongs to another problem, because it refers to contacts and joints by number.
///
/// ```
/// use chasles::{ImpulseOutcome, Unsolvable};
/// use chasles_formats::report;
/// use chasles_formats::problems::impulse;
/// let line = br#"{"name":"p1","bodies":[{"name":"jaw","keyframed":true},{"name":"wall","keyframed":true}],
///     "contacts":[{"a":"jaw","b":"wall","point":[0,0,0],"normal":[1,0,0]}]}"#;
/// let problem = impulse::parse_line(line, 1, "p.jsonl".as_ref()).unwrap();
/// let line = report::impulse::to_line(&problem, &ImpulseOutcome::Unsolvable(Unsolvable::Contact(0)));
/// let why = r#""why":"contact 0 of \"jaw\" and \"wall\" would still approach""#;
/// assert_eq!(line, format!("{{\"name\":\"p1\",\"verdict\":\"unsolvable\",{why}}}\n"));
/// ```
#[must_use]
pub fn to_line(problem: &NamedImpulseProblem, outcome: &ImpulseOutcome) -> String {
    match outcome {
        ImpulseOutcome::Solved(answer) => json_line(&SolvedLine::of(problem, answer)),
        ImpulseOutcome::Unsolvable(unsolvable) => json_line(&UnsolvedLine {
            name: &problem.name,
            verdict: "unsolvable",
            why: why(problem, *unsolvable),
        }),
        ImpulseOutcome::Unsettled => json_line(&UnsolvedLine {
            name: &problem.name,
            verdict: "undecided",
            why: "no impulses were found: contacts do not settle on Coulomb's law, or masses are too unlike"
                .into(),
        }),
    }
}

/// An answer in JSON: the order of the fields is the order of the keys.
#[derive(Serialize)]
struct SolvedLine<'a> {
    name: &'a str,
    verdict: &'static str,
    bodies: Vec<ImpulseBodyJson<'a>>,
    contacts: Vec<ImpulseContactJson>,
    joints: Vec<JointImpulseJson>,
    energy: ImpulseEnergyJson,
}

#[derive(Serialize)]
struct UnsolvedLine<'a> {
    name: &'a str,
    verdict: &'static str,
    why: String,
}

#[derive(Serialize)]
struct ImpulseBodyJson<'a> {
    name: &'a str,
    linear: [f64; 3],
    angular: [f64; 3],
}

#[derive(Serialize)]
struct ImpulseContactJson {
    impulse: [f64; 3],
    state: &'static str,
}

#[derive(Serialize)]
struct JointImpulseJson {
    impulse: [f64; 3],
    moment: [f64; 3],
}

#[derive(Serialize)]
struct ImpulseEnergyJson {
    before: f64,
    after: f64,
    dissipated: f64,
}

impl<'a> SolvedLine<'a> {
    fn of(problem: &'a NamedImpulseProblem, answer: &ImpulseAnswer) -> Self {
        let bodies = problem.bodies.iter().zip(&answer.velocities).map(|(name, &[linear, angular])| {
            ImpulseBodyJson { name, linear: plain_vector(linear), angular: plain_vector(angular) }
        });
        let contacts = answer.contacts.iter().map(|contact| ImpulseContactJson {
            impulse: plain_vector(contact.impulse),
            state: state(contact.state),
        });
        let joints = answer.joints.iter().map(|joint| JointImpulseJson {
            impulse: plain_vector(joint.impulse),
            moment: plain_vector(joint.moment),
        });
        Self {
            name: &problem.name,
            verdict: "solved",
            bodies: bodies.collect(),
            contacts: contacts.collect(),
            joints: joints.collect(),
            energy: ImpulseEnergyJson {
                before: plain(answer.energy.before),
                after: plain(answer.energy.after),
                dissipated: plain(answer.energy.dissipated),
            },
        }
    }
}

fn state(state: ContactState) -> &'static str {
    match state {
        ContactState::None => "none",
        ContactState::Stick => "stick",
        ContactState::Slide => "slide",
    }
}

/// The constraint that cannot be satisfied, with the names of its bodies.
fn why(named: &NamedImpulseProblem, unsolvable: Unsolvable) -> String {
    let NamedImpulseProblem { bodies: names, problem, .. } = named;
    let of = |[a, b]: [usize; 2]| format!("of {} and {}", quoted(&names[a]), quoted(&names[b]));
    match unsolvable {
        Unsolvable::Contact(number) => {
            format!("contact {number} {} would still approach", of(problem.contacts[number].bodies))
        }
        Unsolvable::Joint(number) => {
            let joint = &problem.joints[number];
            format!("joint {number}, {} {}, cannot hold", joint_name(joint.kind), of(joint.bodies))
        }
    }
}

fn joint_name(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Ball => "a ball joint",
        JointKind::Hinge { .. } => "a hinge",
        JointKind::Slide { .. } => "a slide",
        JointKind::Piston { .. } => "a piston",
        JointKind::Plane { .. } => "a plane",
        JointKind::Fixed => "a fixed joint",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use chasles::{ContactImpulse, ImpulseEnergy, JointImpulse};
    use glam::DVec3;

    use super::*;
    use crate::problems::impulse::parse_line;

    fn problem() -> NamedImpulseProblem {
        let line =
            br#"{"name":"p \"1\"","bodies":[{"name":"arm \"x\"","mass":1,"inertia":[1,1,1],"center":[0,0,0]},
            {"name":"floor","keyframed":true}],
            "contacts":[{"a":"floor","b":"arm \"x\"","point":[0,0,0],"normal":[0,0,1]}],
            "joints":[{"kind":"ball","a":"arm \"x\"","b":"floor","point":[0,0,0]},
                      {"kind":"fixed","a":"arm \"x\"","b":"floor","point":[0,0,0]},
                      {"kind":"hinge","a":"floor","b":"arm \"x\"","point":[0,0,0],"axis":[0,0,1]}]}"#;
        parse_line(line, 1, Path::new("p.jsonl")).unwrap()
    }

    #[test]
    fn answer_format_is_exact() {
        let vector = DVec3::new(-0.0, 0.1 + 0.2, 1e-300);
        let joint_name = "[0.0,0.30000000000000004,1e-300]";
        let answer = ImpulseAnswer {
            velocities: vec![[vector, DVec3::ZERO], [DVec3::ZERO, vector]],
            contacts: vec![ContactImpulse { impulse: vector, state: ContactState::Slide }],
            joints: vec![JointImpulse { impulse: DVec3::ZERO, moment: vector }; 3],
            energy: ImpulseEnergy { before: 3.0, after: 1.0 / 3.0, dissipated: -0.0, repeated: 0.0 },
        };
        let joint = format!(r#"{{"impulse":[0.0,0.0,0.0],"moment":{joint_name}}}"#);
        let expected = [
            r#"{"name":"p \"1\"","verdict":"solved","bodies":[{"name":"arm \"x\"","linear":"#,
            joint_name,
            r#","angular":[0.0,0.0,0.0]},{"name":"floor","linear":[0.0,0.0,0.0],"angular":"#,
            joint_name,
            r#"}],"contacts":[{"impulse":"#,
            joint_name,
            r#","state":"slide"}],"joints":["#,
            &[&joint[..]; 3].join(","),
            r#"],"energy":{"before":3.0,"after":0.3333333333333333,"dissipated":0.0}}"#,
            "\n",
        ];
        assert_eq!(to_line(&problem(), &ImpulseOutcome::Solved(answer)), expected.concat());
        let states = [ContactState::None, ContactState::Stick, ContactState::Slide].map(state);
        assert_eq!(states, ["none", "stick", "slide"]);
    }

    #[test]
    fn contradictory_constraints_are_named() {
        let cases = [
            (Unsolvable::Contact(0), r#"contact 0 of "floor" and "arm \"x\"" would still approach"#),
            (Unsolvable::Joint(0), r#"joint 0, a ball joint of "arm \"x\"" and "floor", cannot hold"#),
            (Unsolvable::Joint(1), r#"joint 1, a fixed joint of "arm \"x\"" and "floor", cannot hold"#),
            (Unsolvable::Joint(2), r#"joint 2, a hinge of "floor" and "arm \"x\"", cannot hold"#),
        ];
        for (unsolvable, why) in cases {
            let line = to_line(&problem(), &ImpulseOutcome::Unsolvable(unsolvable));
            let read: serde_json::Value = serde_json::from_str(&line).unwrap();
            // Names are quoted as in all messages.
            assert_eq!(read["why"], why);
            assert!(line.starts_with(r#"{"name":"p \"1\"","verdict":"unsolvable","why":""#), "{line}");
        }
    }
}
