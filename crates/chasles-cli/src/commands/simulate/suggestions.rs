//! Prints the suggested impulses of colliding keyframed bodies.

use std::fmt::Write as _;

use chasles::glam::DVec3;
use chasles::{Dynamics, ProgressMonitor, SimulationDefinition, Suggestion};
use chasles_formats::figures::{number, vector};
use chasles_formats::printable::{printable, printable_path};
use chasles_formats::report::suggestion::to_line;

use crate::args::SimulateArgs;
use crate::exit::Failure;
use crate::input::scenes;
use crate::output::complain;

/// An angular velocity below this, in radians per second, counts as rounding and is not reported.
const STILL: f64 = 1e-9;

/// Computes the suggestions. Collisions without a suggestion are reported on standard error.
pub(super) fn compute(
    args: &SimulateArgs,
    (definition, masses): (&SimulationDefinition, &[Option<Dynamics>]),
    watch: &dyn ProgressMonitor,
) -> Result<Vec<Suggestion>, Failure> {
    if masses.iter().all(Option::is_none) {
        complain(&format!(
            "{}: found no keyframed body with a mass, expected one at least for --suggest: `release = \"never\"` \
             beside `mass` or `density`",
            printable_path(&args.scene)
        ));
    }
    Ok(scenes::suggestions(&args.scene, (definition, masses), watch)?)
}

fn names(definition: &SimulationDefinition, bodies: [usize; 2]) -> [String; 2] {
    bodies.map(|body| {
        let name = definition.scene.bodies().get(body).map_or("", |body| body.name.as_str());
        format!("{name:?}")
    })
}

/// The suggestions as JSON Lines, one per line.
pub(super) fn lines(definition: &SimulationDefinition, found: &[Suggestion]) -> String {
    found.iter().map(|suggestion| to_line(definition, suggestion)).collect()
}

/// The suggestions as text.
pub(super) fn table(definition: &SimulationDefinition, found: &[Suggestion]) -> String {
    let mut text = format!("  suggestions {}\n", found.len());
    for suggestion in found {
        let [a, b] = names(definition, suggestion.bodies);
        let impulse: DVec3 = suggestion.contacts.iter().map(|contact| contact.impulse).sum();
        let row = format!("{} s: {a} meets {b}; {} N s on {b}", number(suggestion.time), vector(impulse));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    {}", printable(&row));
        for (name, i) in [(a, 0), (b, 1)] {
            let [[before, _], [after, angular]] = [suggestion.before[i], suggestion.after[i]];
            let angular_velocity = if angular.length() <= STILL {
                String::new()
            } else {
                format!(", turning by {} rad/s", vector(angular))
            };
            let row = format!(
                "{name} would continue with {} m/s{angular_velocity}; it has {}",
                vector(after),
                vector(before)
            );
            let _ = writeln!(text, "      {}", printable(&row));
        }
    }
    text
}
