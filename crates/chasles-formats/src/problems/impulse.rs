//! Impulse problems, one JSON object per line: bodies that collide at one moment, and the joints between them.
//!
//! ```json
//! {"name":"p1","bodies":[{"name":"a","mass":2,"inertia":[1,1,1],"center":[0,0,1],"linear":[0,0,-3]},
//!  {"name":"floor","keyframed":true}],
//!  "contacts":[{"a":"floor","b":"a","point":[0,0,0],"normal":[0,0,1],"elasticity":0.5,"friction":"rough"}],
//!  "joints":[{"kind":"hinge","a":"floor","b":"a","point":[0,0,0],"axis":[1,0,0]}]}
//! ```

use std::collections::HashMap;
use std::path::Path;

use chasles::{ImpulseBody, ImpulseContact, ImpulseJoint, ImpulseProblem, RigidMass};
use glam::{DQuat, DVec3};

use crate::error::{Error, Result};
use crate::limits;
use crate::problems::{InvalidLine, document, name_of};
use crate::scene::dynamics::joint::{self, JOINT_KEYS};
use crate::scene::dynamics::mass;
use crate::scene::dynamics::surface::{self, ContactMaterial};
use crate::text::cursor::{Cursor, Limit};

/// An impulse problem of a line: the input of the engine, and the names.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedImpulseProblem {
    /// The name of the answer.
    pub name: String,
    /// The name of each body, in the order of the problem; all are different.
    pub bodies: Vec<String>,
    /// The input of the engine. Missing properties of contacts are taken from their bodies.
    pub problem: ImpulseProblem,
}

/// Parses one line, the `number`th (from 1) of the file at `path`, which errors name.
///
/// # Errors
/// When the bytes are not UTF-8 or not one JSON object, or a rule of the format is broken. The error describes the
/// first such place.
///
/// # Example
/// ```
/// use chasles_formats::problems::impulse::parse_line;
/// let line = br#"{"name":"p1","bodies":[{"name":"a","keyframed":true},{"name":"b","mass":0}]}"#;
/// let bad = parse_line(line, 3, "all.jsonl".as_ref()).unwrap_err();
/// assert_eq!(bad.name.as_deref(), Some("p1"));
/// assert_eq!(bad.error, "all.jsonl:3: bodies[1].mass: found 0, expected a finite number > 0");
/// ```
pub fn parse_line(
    line: &[u8],
    number: usize,
    path: &Path,
) -> std::result::Result<NamedImpulseProblem, InvalidLine> {
    let read = || {
        check_room(line).map_err(|message| Error::line(path, number, message))?;
        problem(&Cursor::root(path, &document(line, number, path)?))
    };
    read().map_err(|error: Error| InvalidLine { name: name_of(line), error: error.to_string() })
}

/// Checks the memory for a long line before it is parsed.
fn check_room(line: &[u8]) -> std::result::Result<(), String> {
    match line.len() as u64 {
        short if short <= limits::PROBLEM_LINE => Ok(()),
        long => limits::check_room(long * limits::IMPULSE_LINE_BYTES),
    }
}

fn problem(root: &Cursor<'_>) -> Result<NamedImpulseProblem> {
    check_object(root, &["name", "bodies", "contacts", "joints"])?;
    let name = root.require("name", "a string")?.text()?.to_owned();
    let list = root.require("bodies", "a list of bodies")?;
    let mut names = BodyNumbers::new();
    let (mut bodies, mut surfaces, mut in_order) = (Vec::new(), Vec::new(), Vec::new());
    let items: Vec<Cursor<'_>> = list.items("a list of bodies")?.collect();
    for at in &items {
        let (body, surface) = body(at)?;
        let named = at.require("name", "a string")?;
        if let Some(first) = names.insert(named.text()?, bodies.len()) {
            return Err(
                named.expected(&format!("a name that no other body has: bodies[{first}] has the same name"))
            );
        }
        in_order.push(named.text()?.to_owned());
        bodies.push(body);
        surfaces.push(surface);
    }
    let mut contacts = Vec::new();
    if let Some(list) = root.get("contacts") {
        for at in list.items("a list of contacts")? {
            contacts.push(contact(&at, &names, &surfaces)?);
        }
    }
    let mut joints = Vec::new();
    if let Some(list) = root.get("joints") {
        for at in list.items("a list of joints")? {
            joints.push(joint(&at, &names, &bodies)?);
        }
    }
    let problem = ImpulseProblem { bodies, contacts, joints };
    Ok(NamedImpulseProblem { name, bodies: in_order, problem })
}

/// The number of each body.
type BodyNumbers<'a> = HashMap<&'a str, usize>;

const BODY_KEYS: [&str; 10] = [
    "name", "keyframed", "mass", "inertia", "rotation", "center", "linear", "angular", "elasticity",
    "friction",
];

/// Reads a body and its surface. For a keyframed body, the mass, inertia and rotation are allowed but ignored.
fn body(at: &Cursor<'_>) -> Result<(ImpulseBody, ContactMaterial)> {
    check_object(at, &BODY_KEYS)?;
    let keyframed = at.get("keyframed").map_or(Ok(false), |at| at.flag())?;
    let mass = mass(at, keyframed)?;
    let center = match at.get("center") {
        Some(at) => at.vector()?,
        None if keyframed => DVec3::ZERO,
        None => return Err(at.missing("center", "the centre of mass, a list of 3 finite numbers")),
    };
    let velocity = |key| at.get(key).map_or(Ok(DVec3::ZERO), |at| at.vector());
    let (linear, angular) = (velocity("linear")?, velocity("angular")?);
    Ok((ImpulseBody { mass, center, linear, angular }, surface::surface(at)?))
}

/// Reads the mass of a body, from its keys `mass`, `inertia` and `rotation`; `None` for a keyframed body, whose keys
/// are checked but ignored.
fn mass(at: &Cursor<'_>, keyframed: bool) -> Result<Option<RigidMass>> {
    let mass = at.get("mass").map(|at| at.number(Limit::Positive)).transpose()?;
    let rotation = at.get("rotation").map_or(Ok(DQuat::IDENTITY), |at| at.rotation())?;
    let inertia = at.get("inertia").map(|at| mass::inertia(&at, rotation)).transpose()?;
    if keyframed {
        return Ok(None);
    }
    let expected = "kilograms, or \"keyframed\":true for a body that keeps its velocity";
    Ok(Some(RigidMass {
        mass: mass.ok_or_else(|| at.missing("mass", expected))?,
        inertia: inertia.ok_or_else(|| at.missing("inertia", mass::INERTIA))?,
    }))
}

fn pair(at: &Cursor<'_>, names: &BodyNumbers<'_>) -> Result<[usize; 2]> {
    joint::pair(at, |name| names.get(name).copied(), || names.keys().copied())
}

fn contact(at: &Cursor<'_>, names: &BodyNumbers<'_>, surfaces: &[ContactMaterial]) -> Result<ImpulseContact> {
    check_object(at, &["a", "b", "point", "normal", "elasticity", "friction"])?;
    let bodies @ [a, b] = pair(at, names)?;
    let point = joint::point(at)?;
    let normal =
        joint::direction(&at.require("normal", "the direction from a to b, a list of 3 finite numbers")?)?;
    let contact_surface = surface::surface(at)?;
    let (elasticity, friction) = contact_surface.or_of(surfaces[a], surfaces[b]);
    Ok(ImpulseContact { bodies, point, normal, elasticity, friction })
}

fn joint(at: &Cursor<'_>, names: &BodyNumbers<'_>, bodies: &[ImpulseBody]) -> Result<ImpulseJoint> {
    check_object(at, &JOINT_KEYS)?;
    let kind = joint::kind(at)?;
    let bodies_pair @ [a, b] = pair(at, names)?;
    if bodies[a].mass.is_none() && bodies[b].mass.is_none() {
        let [a, b] = joint::quoted_pair(at);
        return Err(at.error(format!("found two keyframed bodies, {a} and {b}, expected at most one")));
    }
    Ok(ImpulseJoint { bodies: bodies_pair, point: joint::point(at)?, kind })
}

/// Checks that the value is an object with no keys but `known`.
fn check_object(at: &Cursor<'_>, known: &[&str]) -> Result<()> {
    match at.is_table() {
        true => at.only_keys(known),
        false => Err(at.expected(&format!("an object with the keys {}", known.join(", ")))),
    }
}

#[cfg(test)]
mod tests {
    use chasles::{Friction, JointKind};
    use glam::DMat3;

    use super::*;

    fn parse(line: &str) -> std::result::Result<NamedImpulseProblem, InvalidLine> {
        parse_line(line.as_bytes(), 7, Path::new("all.jsonl"))
    }

    const BODIES: &str = r#"{"name":"a","mass":2,"inertia":[1,2,3],"center":[0,0,1],"elasticity":0.5,"friction":0.2},
        {"name":"b","mass":1,"inertia":[[1,0,0],[0,1,0],[0,0,1]],"center":[1,0,0],"linear":[1,2,3],"angular":[4,5,6],
         "keyframed":false},
        {"name":"floor","keyframed":true,"friction":"rough"},{"name":"wall","keyframed":true,"mass":1}"#;
    const CONTACT: &str = r#""a":"floor","b":"a","point":[0,0,0],"normal":[0,0,3e-200]"#;

    #[test]
    fn a_problem_with_every_key() {
        let joints: Vec<_> = ["hinge", "slide", "piston", "plane"]
            .iter()
            .map(|kind| format!(r#"{{"kind":"{kind}","a":"a","b":"b","point":[1,2,3],"axis":[0,0.5,0]}}"#))
            .chain(
                ["ball", "fixed"]
                    .iter()
                    .map(|kind| format!(r#"{{"kind":"{kind}","a":"wall","b":"b","point":[1,2,3]}}"#)),
            )
            .collect();
        let line = format!(
            r#"{{"name":"p","bodies":[{BODIES}],"contacts":[{{{CONTACT}}},{{{CONTACT},"elasticity":1,"friction":0}}],
                "joints":[{}]}}"#,
            joints.join(",")
        );
        let NamedImpulseProblem { name, bodies, problem } = parse(&line).unwrap();
        assert_eq!((name.as_str(), &bodies[..]), ("p", &["a", "b", "floor", "wall"].map(String::from)[..]));
        let inertia = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0));
        let still =
            ImpulseBody { mass: None, center: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO };
        let a = ImpulseBody { mass: Some(RigidMass { mass: 2.0, inertia }), center: DVec3::Z, ..still };
        let b = ImpulseBody {
            mass: Some(RigidMass { mass: 1.0, inertia: DMat3::IDENTITY }),
            center: DVec3::X,
            linear: DVec3::new(1.0, 2.0, 3.0),
            angular: DVec3::new(4.0, 5.0, 6.0),
        };
        // A keyframed body has no mass in the engine, even if the line states one.
        assert_eq!(problem.bodies, [a, b, still, still]);
        let [own, stated] = &problem.contacts[..] else { panic!("{problem:?}") };
        assert_eq!(
            (own.bodies, own.point, own.elasticity, own.friction),
            ([2, 0], DVec3::ZERO, 0.5, Friction::Rough)
        );
        assert_eq!((stated.elasticity, stated.friction), (1.0, Friction::Coefficient(0.0)));
        // The length of a direction does not matter, and its square does not underflow.
        assert!(own.normal.x == 0.0 && own.normal.y == 0.0 && (1.0..2.0).contains(&own.normal.z), "{own:?}");
        let axis = DVec3::Y;
        let kinds = [
            JointKind::Hinge { axis },
            JointKind::Slide { axis },
            JointKind::Piston { axis },
            JointKind::Plane { axis },
            JointKind::Ball,
            JointKind::Fixed,
        ];
        for (place, (joint, kind)) in problem.joints.iter().zip(kinds).enumerate() {
            let bodies = if place < 4 { [0, 1] } else { [3, 1] };
            assert_eq!(*joint, ImpulseJoint { bodies, point: DVec3::new(1.0, 2.0, 3.0), kind });
        }
        assert_eq!(problem.joints.len(), kinds.len());
    }

    #[test]
    fn optional_keys_may_be_absent() {
        let NamedImpulseProblem { bodies, problem, .. } = parse(r#"{"name":"","bodies":[]}"#).unwrap();
        assert!(bodies.is_empty() && problem == ImpulseProblem::default());
    }

    #[track_caller]
    fn refuse(line: &str, message_part: &str) {
        let bad = parse(line).expect_err(line);
        assert_eq!(bad.error, format!("all.jsonl:7: {message_part}"), "{line}");
    }

    #[test]
    fn lines_that_are_not_problems_are_errors() {
        let keys = "an object with the keys name, bodies, contacts, joints";
        refuse("[1,2]", &format!("found a list of length 2, expected {keys}"));
        refuse("7", &format!("found 7, expected {keys}"));
        refuse(r#"{"name":"p"}"#, "bodies: the key is missing, expected a list of bodies");
        refuse(r#"{"bodies":[]}"#, "name: the key is missing, expected a string");
        refuse(r#"{"name":"p","bodies":{}}"#, "bodies: found a table, expected a list of bodies");
        refuse(
            r#"{"name":"p","bodies":[],"joint":[]}"#,
            r#"joint: found an unknown key, expected one of name, bodies, contacts, joints; did you mean "joints"?"#,
        );
        let bad = parse(r#"{"name":"p","bodies":[{"name":"a","mass":1e999}]}"#).unwrap_err();
        assert!(bad.error.starts_with("all.jsonl:7: not JSON: number out of range at column "), "{bad:?}");
        assert_eq!(bad.name.as_deref(), Some("p"));
        assert!(parse("{oops").unwrap_err().error.starts_with("all.jsonl:7: not JSON: "));
        assert!(
            parse_line(b"{\"name\":\"\xff\"}", 7, Path::new("p")).unwrap_err().error.contains("not UTF-8")
        );
    }

    #[test]
    fn invalid_bodies_are_errors() {
        let mass_properties = r#""mass":1,"inertia":[1,1,1],"center":[0,0,0]"#;
        let cases = [
            (
                "7",
                "bodies[0]: found 7, expected an object with the keys name, keyframed, mass, inertia, rotation, center, linear, angular, elasticity, friction",
            ),
            (&format!("{{{mass_properties}}}"), "bodies[0].name: the key is missing, expected a string"),
            (
                r#"{"name":"a"}"#,
                "bodies[0].mass: the key is missing, expected kilograms, or \"keyframed\":true for a body that keeps its velocity",
            ),
            (
                r#"{"name":"a","mass":1}"#,
                "bodies[0].inertia: the key is missing, expected 3 principal moments or a matrix of 3 x 3, in kg m^2",
            ),
            (
                r#"{"name":"a","mass":1,"inertia":[1,1,1]}"#,
                "bodies[0].center: the key is missing, expected the centre of mass, a list of 3 finite numbers",
            ),
            (
                &format!(r#"{{"name":"a",{mass_properties},"maas":1}}"#),
                "bodies[0].maas: found an unknown key, expected one of name, keyframed, mass, inertia, rotation, center, linear, angular, elasticity, friction; did you mean \"mass\"?",
            ),
            (
                &format!(r#"{{"name":"a",{mass_properties},"linear":"fast"}}"#),
                "bodies[0].linear: found \"fast\", expected a list of 3 finite numbers",
            ),
            (
                &format!(r#"{{"name":"a",{mass_properties},"elasticity":1.2}}"#),
                "bodies[0].elasticity: found 1.2, expected a number from 0 to 1",
            ),
            (
                &format!(r#"{{"name":"a",{mass_properties},"friction":-1}}"#),
                "bodies[0].friction: found -1, expected a finite number >= 0 or \"rough\"",
            ),
            (
                &format!(r#"{{"name":"a",{mass_properties},"friction":"smooth"}}"#),
                "bodies[0].friction: found \"smooth\", expected a finite number >= 0 or \"rough\"",
            ),
            (
                &format!(r#"{{"name":"a",{mass_properties},"rotation":[0,0,0,0]}}"#),
                "bodies[0].rotation: found a quaternion of length zero, expected a rotation such as (1, 0, 0, 0)",
            ),
            (r#"{"name":"a","keyframed":1}"#, "bodies[0].keyframed: found 1, expected true or false"),
            (
                r#"{"name":"a","keyframed":true,"mass":-1}"#,
                "bodies[0].mass: found -1, expected a finite number > 0",
            ),
            (
                r#"{"name":"a","keyframed":true},{"name":"a","keyframed":true}"#,
                "bodies[1].name: found \"a\", expected a name that no other body has: bodies[0] has the same name",
            ),
        ];
        for (bodies, message_part) in cases {
            refuse(&format!(r#"{{"name":"p","bodies":[{bodies}]}}"#), message_part);
        }
    }

    #[test]
    fn invalid_contacts_and_joints_are_errors() {
        let contacts = [
            (
                r#""a":"a","b":"flor""#,
                "contacts[0].b: found \"flor\", expected the name of one of the bodies; did you mean \"floor\"?",
            ),
            (r#""a":7,"b":"b""#, "contacts[0].a: found 7, expected the name of a body"),
            (r#""a":"b","b":"b""#, "contacts[0].b: found \"b\", expected another body: it is the same as a"),
            (
                r#""a":"a","b":"b""#,
                "contacts[0].point: the key is missing, expected a list of 3 finite numbers",
            ),
            (
                r#""a":"a","b":"b","point":[1,0]"#,
                "contacts[0].point: found a list of length 2, expected a list of 3 finite numbers",
            ),
            (
                r#""a":"a","b":"b","point":[1,0,0]"#,
                "contacts[0].normal: the key is missing, expected the direction from a to b, a list of 3 finite numbers",
            ),
            (
                r#""a":"a","b":"b","point":[1,0,0],"normal":[0,0,-0.0]"#,
                "contacts[0].normal: found a vector of length zero, expected a direction",
            ),
            (
                &format!(r#"{CONTACT},"elasticity":-0.1"#),
                "contacts[0].elasticity: found -0.1, expected a number from 0 to 1",
            ),
        ];
        for (contact, message_part) in contacts {
            refuse(
                &format!(r#"{{"name":"p","bodies":[{BODIES}],"contacts":[{{{contact}}}]}}"#),
                message_part,
            );
        }
        let joints = [
            (
                r#""kind":"weld""#,
                "joints[0].kind: found \"weld\", expected one of ball, hinge, slide, piston, plane, fixed",
            ),
            (
                r#""a":"a","b":"b""#,
                "joints[0].kind: the key is missing, expected one of ball, hinge, slide, piston, plane, fixed",
            ),
            (
                r#""kind":"hinge","a":"a","b":"b","point":[1,0,0]"#,
                "joints[0].axis: the key is missing, expected a direction, which a hinge has",
            ),
            (
                r#""kind":"slide","axis":[0,0,0]"#,
                "joints[0].axis: found a vector of length zero, expected a direction",
            ),
            (
                r#""kind":"fixed","axis":[0,0,1]"#,
                "joints[0].axis: found an axis, expected none: a joint of the kind fixed has none",
            ),
            (
                r#""kind":"ball","a":"nobody","b":"b""#,
                "joints[0].a: found \"nobody\", expected the name of one of the bodies",
            ),
            (
                r#""kind":"ball","a":"floor","b":"wall","point":[1,0,0]"#,
                "joints[0]: found two keyframed bodies, \"floor\" and \"wall\", expected at most one",
            ),
            (
                r#""kind":"ball","a":"a","b":"b""#,
                "joints[0].point: the key is missing, expected a list of 3 finite numbers",
            ),
        ];
        for (joint, message_part) in joints {
            refuse(&format!(r#"{{"name":"p","bodies":[{BODIES}],"joints":[{{{joint}}}]}}"#), message_part);
        }
    }
}
