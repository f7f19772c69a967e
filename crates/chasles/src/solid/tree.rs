//! Bodies of every kind as trees of convex volumes that provably hold them.
//!
//! A node is a convex volume. Its `error` says how far the volume may reach beyond the body; a node without error is
//! the body itself there, and has no children. All other nodes open into smaller ones, as far as a search asks.

use glam::DVec3;

use crate::body::Body;
use crate::shape::ParametricSurface;
use crate::solid::cells::{Built, Cells};
use crate::solid::cloud::{Balls, CloudTree};
use crate::solid::faces::Faces;
use crate::solid::node::{Children, Node, Sure};
use crate::solid::patches::Patches;
use crate::solid::whole::Whole;

/// What a body is, ready for a tree. Shared by all who ask.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source<'s> {
    Whole(&'s Whole),
    Built(&'s Built),
    Faces(&'s Body),
    Cloud(&'s CloudTree),
    Patch(&'s ParametricSurface),
}

/// A body as a tree of nodes, made as far as it was asked for.
#[derive(Debug)]
pub(crate) struct Tree<'s> {
    kind: Kind<'s>,
}

#[derive(Debug)]
enum Kind<'s> {
    Whole(&'s Whole, [Node; 1]),
    Cells(Box<Cells<'s>>),
    Faces(Faces<'s>),
    Cloud(Balls<'s>),
    Patches(Box<Patches<'s>>),
}

/// Trees with more nodes than this begin again at the next search.
const MANY_NODES: usize = 150_000;

/// No search makes more: some hundred megabytes.
const MOST_NODES: usize = 600_000;

impl<'s> Tree<'s> {
    pub(crate) fn new(source: Source<'s>) -> Self {
        let kind = match source {
            Source::Whole(whole) => Kind::Whole(whole, [whole.node()]),
            Source::Built(built) => Kind::Cells(Box::new(Cells::new(built))),
            Source::Faces(body) => Kind::Faces(Faces::new(body)),
            Source::Cloud(cloud) => Kind::Cloud(Balls::new(cloud)),
            Source::Patch(surface) => Kind::Patches(Box::new(Patches::new(surface))),
        };
        Self { kind }
    }

    fn nodes(&self) -> &[Node] {
        match &self.kind {
            Kind::Whole(_, nodes) => nodes,
            Kind::Cells(cells) => &cells.nodes,
            Kind::Faces(faces) => &faces.nodes,
            Kind::Cloud(balls) => &balls.nodes,
            Kind::Patches(patches) => &patches.nodes,
        }
    }

    #[inline]
    pub(crate) fn node(&self, number: u32) -> &Node {
        &self.nodes()[number as usize]
    }

    /// The nodes below a node that is not exact.
    pub(crate) fn open(&mut self, number: u32) -> std::ops::Range<u32> {
        if let Children::Known(first, last) = self.node(number).children {
            return first..last;
        }
        let (first, last) = match &mut self.kind {
            Kind::Whole(..) => (0, 0),
            Kind::Cells(cells) => cells.open(number),
            Kind::Faces(faces) => faces.open(number),
            Kind::Cloud(balls) => balls.open(number),
            Kind::Patches(patches) => patches.open(number),
        };
        first..last
    }

    /// Whether it has as many nodes as memory should hold.
    pub(crate) fn is_full(&self) -> bool {
        self.nodes().len() >= MOST_NODES
    }

    /// Forgets nodes where there are too many. Numbers of nodes but the first, 0, mean nothing afterwards.
    pub(crate) fn tidy(&mut self) {
        if self.nodes().len() <= MANY_NODES {
            return;
        }
        match &mut self.kind {
            Kind::Whole(..) => {}
            Kind::Cells(cells) => cells.restart(),
            Kind::Faces(faces) => faces.restart(),
            Kind::Cloud(balls) => balls.restart(),
            Kind::Patches(patches) => patches.restart(),
        }
    }

    /// A point of the volume of a node as a point of the body, if the node is exact.
    pub(crate) fn sure_of_exact(&mut self, node: u32, point: DVec3) -> Option<Sure> {
        if self.node(node).error > 0.0 {
            return None;
        }
        match &mut self.kind {
            Kind::Cells(cells) => Some(Sure { point, depth: cells.depth(point).unwrap_or(0.0) }),
            Kind::Whole(..) | Kind::Faces(_) | Kind::Cloud(_) | Kind::Patches(_) => None,
        }
    }

    /// A point of the body no further than `within` from a point, near to which a node has its volume.
    pub(crate) fn sure(&mut self, node: u32, near: DVec3, within: f64) -> Option<Sure> {
        let sure = match &mut self.kind {
            Kind::Whole(whole, _) => whole.sure(near),
            Kind::Cells(cells) => cells.sure(near, within)?,
            Kind::Faces(faces) => faces.sure(near, within)?,
            Kind::Cloud(balls) => balls.sure(node, near),
            Kind::Patches(patches) => patches.sure(node, near)?,
        };
        (sure.point.distance(near) <= within).then_some(sure)
    }

    /// The direction out of the body, or across its surface, near a point of it.
    pub(crate) fn normal(&mut self, node: u32, at: DVec3) -> Option<DVec3> {
        match &mut self.kind {
            Kind::Whole(whole, _) => Some(whole.normal(at)),
            Kind::Cells(cells) => cells.normal(at),
            Kind::Faces(faces) => faces.normal(node),
            Kind::Cloud(balls) => balls.normal(node, at),
            Kind::Patches(patches) => patches.normal(node),
        }
    }

    /// The number of the point or triangle that an exact node is.
    pub(crate) fn number(&self, node: u32) -> Option<Element> {
        match &self.kind {
            Kind::Faces(faces) => faces.face(node).map(Element::Face),
            Kind::Cloud(balls) => balls.point(node).map(Element::Point),
            Kind::Whole(..) | Kind::Cells(_) | Kind::Patches(_) => None,
        }
    }
}

/// A numbered part of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    Point(u32),
    Face(u32),
}
