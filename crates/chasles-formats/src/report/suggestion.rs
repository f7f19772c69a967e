//! Suggested motions after a collision of two keyframed bodies, one JSON object per line.
//!
//! ```json
//! {"kind":"suggestion","t":0.25,"a":"cart","b":"crate","impulse":[1.5,0,0],
//!  "contacts":[{"point":[0,0,1],"normal":[1,0,0],"impulse":[1.5,0,0]}],
//!  "before":{"a":{"linear":[2,0,0],"angular":[0,0,0]},"b":{"linear":[0,0,0],"angular":[0,0,0]}},
//!  "after":{"a":{"linear":[0.5,0,0],"angular":[0,0,0]},"b":{"linear":[1.5,0,0],"angular":[0,0,0]}}}
//! ```
//!
//! Impulses act on b, in N s; the first is the sum of those at the contacts. Velocities are of the centre of mass,
//! and angular, in world axes. The order of the keys is fixed. Numbers have the shortest form that reads back the
//! same; -0 is written as 0.

use chasles::{SimulationDefinition, Suggestion};
use glam::DVec3;
use serde::Serialize;

use crate::text::json::{json_line, plain, plain_vector};

/// The suggestion as one line, with its line end.
#[must_use]
pub fn to_line(definition: &SimulationDefinition, suggestion: &Suggestion) -> String {
    let bodies = definition.scene.bodies();
    let [a, b] = suggestion.bodies.map(|number| bodies.get(number).map_or("", |body| body.name.as_str()));
    let contacts = suggestion.contacts.iter().map(|contact| SuggestedContactJson {
        point: plain_vector(contact.point),
        normal: plain_vector(contact.normal),
        impulse: plain_vector(contact.impulse),
    });
    json_line(&SuggestionLine {
        kind: "suggestion",
        t: plain(suggestion.time),
        a,
        b,
        impulse: plain_vector(suggestion.contacts.iter().map(|contact| contact.impulse).sum()),
        contacts: contacts.collect(),
        before: both(suggestion.before),
        after: both(suggestion.after),
    })
}

fn both(velocities: [[DVec3; 2]; 2]) -> BothEntry {
    let [a, b] = velocities.map(|[linear, angular]| VelocityEntry {
        linear: plain_vector(linear),
        angular: plain_vector(angular),
    });
    BothEntry { a, b }
}

/// The line in JSON: the order of the fields is the order of the keys.
#[derive(Serialize)]
struct SuggestionLine<'a> {
    kind: &'static str,
    t: f64,
    a: &'a str,
    b: &'a str,
    impulse: [f64; 3],
    contacts: Vec<SuggestedContactJson>,
    before: BothEntry,
    after: BothEntry,
}

#[derive(Serialize)]
struct SuggestedContactJson {
    point: [f64; 3],
    normal: [f64; 3],
    impulse: [f64; 3],
}

#[derive(Serialize)]
struct BothEntry {
    a: VelocityEntry,
    b: VelocityEntry,
}

#[derive(Serialize)]
struct VelocityEntry {
    linear: [f64; 3],
    angular: [f64; 3],
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use chasles::SuggestedContact;

    use super::*;
    use crate::scene;

    #[test]
    fn line_format_equals_its_documentation() {
        let text = b"format = 1\nduration = 2\n[[body]]\nname = 'cart'\nbox = [1, 1, 1]\nmass = 1\nrelease = 'never'\n\
            [[body]]\nname = 'crate'\nsphere = 0.1\npose = { position = [0, 0, 1] }\n";
        let path = Path::new("scene.toml");
        let file = scene::file::parse(text, path).unwrap();
        let definition = scene::build::simulation(&file, path).unwrap().definition;
        let contact = |z: f64| SuggestedContact {
            point: DVec3::new(0.0, 0.0, z),
            normal: DVec3::X,
            impulse: DVec3::new(0.75, -0.0, 0.0),
        };
        let suggestion = Suggestion {
            bodies: [0, 1],
            time: 0.25,
            centers: [DVec3::ZERO; 2],
            contacts: vec![contact(1.0), contact(-0.5)],
            before: [[2.0 * DVec3::X, DVec3::ZERO], [DVec3::ZERO; 2]],
            after: [[0.5 * DVec3::X, DVec3::ZERO], [1.5 * DVec3::X, DVec3::Z]],
        };
        let expected = "{\"kind\":\"suggestion\",\"t\":0.25,\"a\":\"cart\",\"b\":\"crate\",\"impulse\":[1.5,0.0,0.0],\
            \"contacts\":[{\"point\":[0.0,0.0,1.0],\"normal\":[1.0,0.0,0.0],\"impulse\":[0.75,0.0,0.0]},\
            {\"point\":[0.0,0.0,-0.5],\"normal\":[1.0,0.0,0.0],\"impulse\":[0.75,0.0,0.0]}],\
            \"before\":{\"a\":{\"linear\":[2.0,0.0,0.0],\"angular\":[0.0,0.0,0.0]},\
            \"b\":{\"linear\":[0.0,0.0,0.0],\"angular\":[0.0,0.0,0.0]}},\
            \"after\":{\"a\":{\"linear\":[0.5,0.0,0.0],\"angular\":[0.0,0.0,0.0]},\
            \"b\":{\"linear\":[1.5,0.0,0.0],\"angular\":[0.0,0.0,1.0]}}}\n";
        assert_eq!(to_line(&definition, &suggestion), expected);
    }
}
