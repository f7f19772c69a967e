//! The colours of materials, which stand in what is seen of a link: what collides has them too. Bad ones are ignored: no
//! check depends on them.

use std::collections::HashMap;

use roxmltree::Node;

use crate::appearance::on_screen;
use crate::text::xml::children;

/// Colours by the names of their materials.
pub(super) struct Materials<'a>(HashMap<&'a str, [u8; 3]>);

impl<'a> Materials<'a> {
    /// The materials of a robot: those at the level of the robot, and those that a link gives a name and a colour, which
    /// others may refer to. Of one name the first counts, and those of the robot before those of links.
    pub(super) fn of(robot: Node<'a, '_>) -> Self {
        let in_links = children(robot, "link")
            .flat_map(|link| children(link, "visual"))
            .flat_map(|visual| children(visual, "material"));
        let mut known = HashMap::new();
        for material in children(robot, "material").chain(in_links) {
            if let (Some(name), Some(colour)) = (name(material), own(material)) {
                known.entry(name).or_insert(colour);
            }
        }
        Self(known)
    }

    /// The colours of the parts of a link that collide, of which there are so many. Where as many parts are seen, each has
    /// the colour of its own; a part without one has the first colour of the link.
    pub(super) fn of_link(&self, link: Node<'a, '_>, parts: usize) -> Vec<Option<[u8; 3]>> {
        let seen: Vec<Option<[u8; 3]>> = children(link, "visual")
            .map(|visual| self.colour(children(visual, "material").next()?))
            .collect();
        let first = seen.iter().flatten().next().copied();
        let of = |part: usize| if seen.len() == parts { seen[part].or(first) } else { first };
        (0..parts).map(of).collect()
    }

    /// The colour of a material that is given or referred to.
    fn colour(&self, material: Node<'a, '_>) -> Option<[u8; 3]> {
        own(material).or_else(|| self.0.get(name(material)?).copied())
    }
}

fn name<'a>(material: Node<'a, '_>) -> Option<&'a str> {
    material.attribute("name").filter(|name| !name.is_empty())
}

/// The colour that stands in a material: four numbers from 0 to 1, the last of which (how opaque it is) does not count.
fn own(material: Node<'_, '_>) -> Option<[u8; 3]> {
    let words = children(material, "color").next()?.attribute("rgba")?.split_ascii_whitespace();
    let numbers: Option<Vec<f64>> =
        words.map(|word| word.parse().ok().filter(|number: &f64| number.is_finite())).collect();
    let [red, green, blue, _] = numbers?[..] else { return None };
    Some(on_screen([red, green, blue]))
}
