//! Elasticity and friction of a body or a contact; a contact may take them from its bodies.

use chasles::Friction;

use crate::error::Result;
use crate::text::cursor::{Cursor, Limit};

/// The properties of a surface or of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactMaterial {
    /// In [0, 1].
    pub(crate) elasticity: Option<f64>,
    pub(crate) friction: Option<Friction>,
}

/// Reads the keys `elasticity` and `friction` of a body or contact.
pub(crate) fn surface(at: &Cursor<'_>) -> Result<ContactMaterial> {
    Ok(ContactMaterial {
        elasticity: at.get("elasticity").map(|at| elasticity(&at)).transpose()?,
        friction: at.get("friction").map(|at| friction(&at)).transpose()?,
    })
}

fn elasticity(at: &Cursor<'_>) -> Result<f64> {
    let expected = "a number from 0 to 1";
    match at.number(Limit::Any) {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err(at.expected(expected)),
    }
}

fn friction(at: &Cursor<'_>) -> Result<Friction> {
    if at.text() == Ok("rough") {
        return Ok(Friction::Rough);
    }
    let number = at.number(Limit::NotNegative);
    number.map(Friction::Coefficient).map_err(|_| at.expected("a finite number >= 0 or \"rough\""))
}

impl ContactMaterial {
    /// Elasticity and friction of a contact with these properties. A missing property is the lower elasticity or the
    /// higher friction of its bodies; 0 if neither has any.
    pub(crate) fn or_of(self, a: Self, b: Self) -> (f64, Friction) {
        let lower = a.elasticity.into_iter().chain(b.elasticity).reduce(f64::min);
        let higher = a.friction.into_iter().chain(b.friction).reduce(Friction::rougher);
        let elasticity = self.elasticity.or(lower).unwrap_or(0.0);
        (elasticity, self.friction.or(higher).unwrap_or(Friction::Coefficient(0.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_inherit_omitted_values_from_their_bodies() {
        let of = |elasticity: Option<f64>, friction: Option<f64>| ContactMaterial {
            elasticity,
            friction: friction.map(|friction| match friction {
                f64::INFINITY => Friction::Rough,
                friction => Friction::Coefficient(friction),
            }),
        };
        let nothing = of(None, None);
        let ice = of(Some(0.1), Some(0.01));
        let rubber = of(Some(0.9), Some(f64::INFINITY));
        let smooth = Friction::Coefficient(0.01);
        // Bodies without properties have no influence.
        assert_eq!(nothing.or_of(nothing, nothing), (0.0, Friction::Coefficient(0.0)));
        assert_eq!(nothing.or_of(rubber, nothing), (0.9, Friction::Rough));
        assert_eq!(nothing.or_of(nothing, ice), (0.1, smooth));
        assert_eq!(nothing.or_of(ice, rubber), (0.1, Friction::Rough));
        assert_eq!(nothing.or_of(ice, of(Some(0.0), Some(0.5))), (0.0, Friction::Coefficient(0.5)));
        // The properties of the contact itself have priority.
        assert_eq!(ice.or_of(rubber, rubber), (0.1, smooth));
        assert_eq!(of(None, Some(0.01)).or_of(rubber, rubber), (0.9, smooth));
        assert_eq!(of(Some(1.0), None).or_of(ice, ice), (1.0, smooth));
    }
}
