//! Attributes and elements of a robot's file, with their places for messages.

use chasles::Pose;
use glam::{DQuat, DVec3};
use roxmltree::Node;

use crate::error::{Error, Result, Warnings};
use crate::text::similar::nearest;
use crate::text::tree::{number_text, quoted};
use crate::text::xml::{XmlText, children, elements, is_of_another_tool, tag};

/// Elements that determine the shape or motion of a robot, each with its parent element.
const LOCATIONS: [(&str, &str); 13] = [
    ("link", "<robot>"),
    ("joint", "<robot>"),
    ("collision", "<link>"),
    ("geometry", "<collision>"),
    ("box", "<geometry>"),
    ("sphere", "<geometry>"),
    ("cylinder", "<geometry>"),
    ("capsule", "<geometry>"),
    ("mesh", "<geometry>"),
    ("parent", "<joint>"),
    ("child", "<joint>"),
    ("axis", "<joint>"),
    ("mimic", "<joint>"),
];

/// Elements that affect neither shapes nor poses.
const WITHOUT_SHAPE: [&str; 3] = ["inertial", "dynamics", "calibration"];

/// Angles of `rpy` between these values, in radians, look like degrees: from just over one revolution to two
/// revolutions in degrees.
const DEGREES: [f64; 2] = [6.4, 720.0];

/// Whether the magnitude of an angle is more than `beyond` and at most `maximum`.
pub(super) fn is_degrees(angle: f64, [beyond, maximum]: [f64; 2]) -> bool {
    angle.abs() > beyond && angle.abs() <= maximum
}

/// An element, and its name in messages.
#[derive(Clone)]
pub(super) struct XmlField<'a, 'i> {
    text: &'a XmlText<'a>,
    pub(super) node: Node<'a, 'i>,
    /// Its name in messages, such as `link "arm", collision 2`.
    pub(super) key: String,
}

impl<'a, 'i> XmlField<'a, 'i> {
    pub(super) fn new(text: &'a XmlText<'a>, node: Node<'a, 'i>, key: impl Into<String>) -> Self {
        Self { text, node, key: key.into() }
    }

    /// A child element, with its name added to the key.
    pub(super) fn within(&self, node: Node<'a, 'i>, what: &str) -> Self {
        Self { text: self.text, node, key: format!("{}, {what}", self.key) }
    }

    pub(super) fn line(&self) -> usize {
        self.text.line_of(self.node)
    }

    /// An error at this element, which may also be reported as a warning.
    #[cold]
    pub(super) fn error(&self, message: impl Into<String>) -> Error {
        Error::key(self.text.path(), self.key.clone(), self.line(), message)
    }

    /// The first child element of this name; further ones bring a warning.
    pub(super) fn child(&self, name: &'static str, warnings: &mut Warnings) -> Option<Self> {
        let mut found = children(self.node, name);
        let first = found.next()?;
        if let Some(second) = found.next() {
            warnings.push(self.within(second, name).error("there is one already: skipped"));
        }
        Some(self.within(first, name))
    }

    /// Checks the child elements; `known`: the elements that Chasles reads here.
    ///
    /// Elements of other tools are ignored, with a prefix or without one.
    ///
    /// # Errors
    /// An element with a name that is nearly a known name, or that belongs in another element: ignoring it
    /// would change the robot.
    pub(super) fn check_elements(&self, known: &[&str], warnings: &mut Warnings) -> Result<()> {
        for element in elements(self.node) {
            let name = element.tag_name().name();
            if known.contains(&name) || is_of_another_tool(element) {
                continue;
            }
            let found =
                |what: String| self.within(element, name).error(format!("found {}{what}", tag(element)));
            if let Some((_, place)) = LOCATIONS.iter().find(|(counts, _)| *counts == name) {
                return Err(found(format!(", which has no effect here: expected it in {place}")));
            }
            match nearest(name, known.iter().copied()) {
                Some(similar) if WITHOUT_SHAPE.contains(&similar) => {
                    warnings.push(found(format!(": skipped; did you mean <{similar}>?")));
                }
                Some(similar) => return Err(found(format!(": did you mean <{similar}>?"))),
                None => {}
            }
        }
        Ok(())
    }

    /// Checks the attributes of this element; `known`: the attributes that Chasles reads here.
    ///
    /// # Errors
    /// An attribute with a name that is nearly a known name: ignoring it would change the robot.
    pub(super) fn check_attributes(&self, known: &[&str]) -> Result<()> {
        for attribute in self.node.attributes().filter(|attribute| attribute.namespace().is_none()) {
            let name = attribute.name();
            if !known.contains(&name)
                && let Some(similar) = nearest(name, known.iter().copied())
            {
                let (found, value) = (quoted(name), quoted(attribute.value()));
                return Err(
                    self.error(format!("found the attribute {found}, {value}: did you mean {similar}?"))
                );
            }
        }
        Ok(())
    }

    /// Like [`XmlField::check_attributes`], for an element that consists of attributes only: an unknown attribute
    /// brings a warning.
    ///
    /// # Errors
    /// As for [`XmlField::check_attributes`].
    pub(super) fn check_all_attributes(&self, known: &[&str], warnings: &mut Warnings) -> Result<()> {
        self.check_attributes(known)?;
        for attribute in self.node.attributes() {
            if attribute.namespace().is_none() && !known.contains(&attribute.name()) {
                let (found, expected) = (quoted(attribute.name()), known.join(", "));
                warnings.push(self.error(format!("the attribute {found} is skipped: expected {expected}")));
            }
        }
        Ok(())
    }

    /// A required attribute that must not be empty.
    pub(super) fn name(&self, attribute: &str) -> Result<&'a str> {
        match self.node.attribute(attribute) {
            Some(name) if !name.trim().is_empty() => Ok(name),
            Some(_) => Err(self.error(format!("{attribute} is empty: expected a name"))),
            None => Err(self.error(format!("found no {attribute}, expected one"))),
        }
    }

    /// The N numbers of an attribute; `None` if it is missing.
    pub(super) fn numbers<const N: usize>(&self, attribute: &str) -> Result<Option<[f64; N]>> {
        let Some(value) = self.node.attribute(attribute) else { return Ok(None) };
        let mut found = [0.0; N];
        let mut words = value.split_ascii_whitespace();
        let read = found.iter_mut().all(|place| {
            let number = words.next().and_then(|word| word.parse().ok());
            number.filter(|number: &f64| number.is_finite()).map(|number| *place = number).is_some()
        });
        if read && words.next().is_none() {
            return Ok(Some(found));
        }
        let expected = if N == 1 { "a finite number".to_owned() } else { format!("{N} finite numbers") };
        Err(self.error(format!("{attribute}: found {}, expected {expected}", quoted(value))))
    }

    /// A required number.
    pub(super) fn number(&self, attribute: &str) -> Result<f64> {
        let found = self.numbers(attribute)?;
        let Some([number]) = found else {
            return Err(self.error(format!("found no {attribute}, expected a number")));
        };
        Ok(number)
    }

    /// A required number greater than 0.
    pub(super) fn size(&self, attribute: &str) -> Result<f64> {
        match self.number(attribute)? {
            size if size > 0.0 => Ok(size),
            size => Err(self.error(format!("{attribute}: found {size}, expected a number greater than 0"))),
        }
    }

    /// The pose in the `origin` of this element; the identity if there is no `origin`.
    ///
    /// `rpy` rotates about the fixed axes x, y and z, in this order.
    pub(super) fn origin(&self, warnings: &mut Warnings) -> Result<Pose> {
        let Some(origin) = self.child("origin", warnings) else { return Ok(Pose::IDENTITY) };
        origin.check_all_attributes(&["xyz", "rpy", "quat_xyzw"], warnings)?;
        let position = origin.numbers("xyz")?.map_or(DVec3::ZERO, DVec3::from_array);
        let rotation = match (origin.numbers("rpy")?, origin.numbers("quat_xyzw")?) {
            (Some(_), Some(_)) => return Err(origin.error("found rpy and quat_xyzw, expected one of them")),
            (Some([roll, pitch, yaw]), None) => {
                for angle in [roll, pitch, yaw].into_iter().filter(|angle| is_degrees(*angle, DEGREES)) {
                    let [found, radians] = [angle, angle.to_radians()].map(number_text);
                    let what = format!(
                        "rpy: found {found}, which looks like degrees, and is taken as radians: expected {radians}"
                    );
                    warnings.push(origin.error(what));
                }
                DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(roll)
            }
            (None, Some(quaternion)) => DQuat::from_array(quaternion),
            (None, None) => DQuat::IDENTITY,
        };
        Pose::new(position, rotation).map_err(|error| origin.error(error.to_string()))
    }
}
