//! The orientation of a surface to a motion, as JSON.

use chasles::Facing;
use serde::Serialize;

use crate::text::json::plain;

/// Areas in square metres, and counts: the order of the fields is the order of the keys.
#[derive(Serialize)]
pub(crate) struct FacingEntry {
    forward: f64,
    backward: f64,
    along: f64,
    faces: FacesEntry,
    edges: usize,
    culled_edges: usize,
}

#[derive(Serialize)]
struct FacesEntry {
    forward: usize,
    backward: usize,
    split: usize,
    along: usize,
}

impl FacingEntry {
    pub(crate) fn of(facing: &Facing) -> Self {
        let faces = &facing.faces;
        Self {
            forward: plain(facing.forward),
            backward: plain(facing.backward),
            along: plain(facing.along),
            faces: FacesEntry {
                forward: faces.forward,
                backward: faces.backward,
                split: faces.split,
                along: faces.along,
            },
            edges: facing.edges,
            culled_edges: facing.culled_edges,
        }
    }
}
