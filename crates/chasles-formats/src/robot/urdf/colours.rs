//! The colours of materials: collision geometry has the colours of the visual geometry. Invalid colours are ignored,
//! because no check depends on them.

use std::collections::HashMap;

use roxmltree::Node;

use crate::scene::appearance::on_screen;
use crate::text::xml::children;

/// Colours by material name.
pub(super) struct Materials<'a>(HashMap<&'a str, [u8; 3]>);

impl<'a> Materials<'a> {
    /// The materials of a robot: the materials of the robot element, and materials that a link defines with a name
    /// and a colour, which other links may use. The first definition of a name counts, and the robot's definitions
    /// precede all definitions in links.
    pub(super) fn of(robot: Node<'a, '_>) -> Self {
        let in_links = children(robot, "link")
            .flat_map(|link| children(link, "visual"))
            .flat_map(|visual| children(visual, "material"));
        let mut known = HashMap::new();
        for material in children(robot, "material").chain(in_links) {
            if let (Some(name), Some(colour)) = (name(material), inline_colour(material)) {
                known.entry(name).or_insert(colour);
            }
        }
        Self(known)
    }

    /// The colours of the `parts` collision parts of a link. If there are as many visual parts, each part has the
    /// colour of its visual part; a part without a colour has the first colour of the link.
    pub(super) fn of_link(&self, link: Node<'a, '_>, parts: usize) -> Vec<Option<[u8; 3]>> {
        let link_colours: Vec<Option<[u8; 3]>> = children(link, "visual")
            .map(|visual| self.colour(children(visual, "material").next()?))
            .collect();
        let first = link_colours.iter().flatten().next().copied();
        let of = |part: usize| if link_colours.len() == parts { link_colours[part].or(first) } else { first };
        (0..parts).map(of).collect()
    }

    /// The colour of a material that is defined here or elsewhere.
    fn colour(&self, material: Node<'a, '_>) -> Option<[u8; 3]> {
        inline_colour(material).or_else(|| self.0.get(name(material)?).copied())
    }
}

fn name<'a>(material: Node<'a, '_>) -> Option<&'a str> {
    material.attribute("name").filter(|name| !name.is_empty())
}

/// The colour defined in a material: four numbers from 0 to 1, the last of which, the opacity, is ignored.
fn inline_colour(material: Node<'_, '_>) -> Option<[u8; 3]> {
    let words = children(material, "color").next()?.attribute("rgba")?.split_ascii_whitespace();
    let numbers: Option<Vec<f64>> =
        words.map(|word| word.parse().ok().filter(|number: &f64| number.is_finite())).collect();
    let [red, green, blue, _] = numbers?[..] else { return None };
    Some(on_screen([red, green, blue]))
}
