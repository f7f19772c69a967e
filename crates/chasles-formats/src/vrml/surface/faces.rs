//! Surfaces given by points and polygons: sets of faces, triangles, strips and fans.

use glam::DVec3;

use super::form::VrmlGeometry;
use super::workshop::Workshop;
use crate::error::Result;
use crate::mesh::polygon::Outcome;
use crate::vrml::fields::{flag, integer, points};
use crate::vrml::file::syntax::count;
use crate::vrml::graph::{Graph, NodeInstance, StatedField};

/// The ways in which the corners of faces are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Faces {
    /// Polygons, each ended by -1.
    Polygons,
    /// Triangles, with three corners each.
    Triangles(Corners),
    /// Each corner forms a triangle with the two before it.
    Strips(Corners),
    /// Each corner forms a triangle with the one before it and the first.
    Fans(Corners),
}

/// The points of the corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Corners {
    /// The points with the given numbers.
    Indexed,
    /// Successive points.
    InOrder,
}

impl Faces {
    pub(crate) fn of(kind: &str) -> Option<Self> {
        Some(match kind {
            "IndexedFaceSet" => Self::Polygons,
            "IndexedTriangleSet" => Self::Triangles(Corners::Indexed),
            "TriangleSet" => Self::Triangles(Corners::InOrder),
            "IndexedTriangleStripSet" => Self::Strips(Corners::Indexed),
            "TriangleStripSet" => Self::Strips(Corners::InOrder),
            "IndexedTriangleFanSet" => Self::Fans(Corners::Indexed),
            "TriangleFanSet" => Self::Fans(Corners::InOrder),
            _ => return None,
        })
    }

    /// The surface of such a node; `None`: it has no points.
    pub(crate) fn surface(
        self,
        graph: &mut Graph,
        instance: NodeInstance,
        workshop: &mut Workshop<'_>,
    ) -> Result<Option<VrmlGeometry>> {
        let vertices = coordinates(graph, instance, workshop)?.unwrap_or_default();
        let mut triangles = self.triangles(graph, instance, &vertices, workshop)?;
        if !flag(graph, instance, "ccw", true)? {
            triangles.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
        }
        Ok((!triangles.is_empty()).then_some(VrmlGeometry::Mesh { vertices, triangles }))
    }

    fn triangles(
        self,
        graph: &Graph,
        instance: NodeInstance,
        vertices: &[DVec3],
        workshop: &mut Workshop<'_>,
    ) -> Result<Vec<[u32; 3]>> {
        let (corners, counts) = match self {
            Self::Polygons => ("coordIndex", ""),
            Self::Strips(Corners::InOrder) => ("", "stripCount"),
            Self::Fans(Corners::InOrder) => ("", "fanCount"),
            Self::Triangles(Corners::InOrder) => ("", ""),
            _ => ("index", ""),
        };
        let mut triangles = Vec::new();
        if corners.is_empty() {
            self.in_order(graph, instance, (vertices.len(), counts), &mut triangles)?;
        } else if let Some(stated) = graph.field(instance, corners)? {
            self.indexed(&stated, vertices, workshop, &mut triangles)?;
        }
        let spent = workshop.budget.spend(triangles.len());
        spent.map_err(|message| graph.error(instance, message))?;
        Ok(triangles)
    }

    fn in_order(
        self,
        graph: &Graph,
        instance: NodeInstance,
        (points, counts): (usize, &str),
        triangles: &mut Vec<[u32; 3]>,
    ) -> Result<()> {
        let all: Vec<u32> = (0..u32::try_from(points).unwrap_or(u32::MAX)).collect();
        if counts.is_empty() {
            self.add(&all, triangles);
            if self.leaves_corners(points) {
                return Err(
                    graph.error(instance, format!("found {points} points, expected three for each triangle"))
                );
            }
            return Ok(());
        }
        let Some(stated) = graph.field(instance, counts)? else { return Ok(()) };
        let mut rest = all.as_slice();
        for (at, &number) in stated.typed(stated.value.numbers())?.iter().enumerate() {
            let corners = integer(number).and_then(|corners| usize::try_from(corners).ok());
            let Some((run, after)) = corners.and_then(|corners| rest.split_at_checked(corners)) else {
                let remaining = rest.len();
                return Err(stated.error_at(
                    at,
                    &format!("found {number}, expected at most the {remaining} points that are left"),
                ));
            };
            if run.len() < 3 {
                return Err(stated.error_at(at, &format!("found {number}, expected at least 3")));
            }
            self.add(run, triangles);
            rest = after;
        }
        Ok(())
    }

    fn indexed(
        self,
        stated: &StatedField<'_>,
        vertices: &[DVec3],
        workshop: &mut Workshop<'_>,
        triangles: &mut Vec<[u32; 3]>,
    ) -> Result<()> {
        let numbers = stated.typed(stated.value.numbers())?;
        let (mut run, mut start) = (Vec::new(), 0);
        let mut oddities = Oddities::default();
        // The last run may lack its end mark.
        for (at, &number) in numbers.iter().chain([&-1.0]).enumerate() {
            if number != -1.0 || matches!(self, Self::Triangles(_)) && at < numbers.len() {
                let index = integer(number).and_then(|index| u32::try_from(index).ok());
                let Some(index) = index.filter(|index| (*index as usize) < vertices.len()) else {
                    let expected = match vertices.len() {
                        0 => "none: there are no points".to_owned(),
                        points => format!("0 to {}, or -1 at the end of a face", points - 1),
                    };
                    return Err(stated.error_at(at, &format!("found {number}, expected {expected}")));
                };
                run.push(index);
                continue;
            }
            if self == Self::Polygons {
                match workshop.cutter.cut(vertices, &run, triangles) {
                    Outcome::Cut => {}
                    Outcome::Crossing => oddities.crossing.add(start),
                    Outcome::TooIntricate => oddities.intricate.add(start),
                }
            } else {
                self.add(&run, triangles);
            }
            if self.leaves_corners(run.len()) {
                oddities.without_surface.add(start);
            }
            run.clear();
            start = at + 1;
        }
        oddities.warn(stated, workshop);
        Ok(())
    }

    /// Whether a run of this length has corners that belong to no triangle.
    fn leaves_corners(self, corners: usize) -> bool {
        match self {
            Self::Triangles(_) => !corners.is_multiple_of(3),
            _ => corners == 1 || corners == 2,
        }
    }

    /// Adds the triangles of one run of corners.
    fn add(self, run: &[u32], triangles: &mut Vec<[u32; 3]>) {
        match self {
            Self::Triangles(_) => triangles.extend(run.chunks_exact(3).map(|c| [c[0], c[1], c[2]])),
            Self::Strips(_) => triangles.extend(
                run.windows(3)
                    .enumerate()
                    .map(|(i, c)| if i % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] }),
            ),
            Self::Fans(_) | Self::Polygons => {
                let pairs = run.get(1..).unwrap_or_default().windows(2);
                triangles.extend(pairs.map(|pair| [run[0], pair[0], pair[1]]));
            }
        }
    }
}

/// Counts of faulty faces: each kind brings one warning, at its first face.
#[derive(Debug, Default)]
struct Oddities {
    crossing: Tally,
    intricate: Tally,
    without_surface: Tally,
}

#[derive(Debug, Default)]
struct Tally {
    count: usize,
    /// The number of the first corner of the first such face.
    first: usize,
}

impl Tally {
    fn add(&mut self, start: usize) {
        if self.count == 0 {
            self.first = start;
        }
        self.count += 1;
    }
}

impl Oddities {
    fn warn(&self, stated: &StatedField<'_>, workshop: &mut Workshop<'_>) {
        let kinds = [
            (&self.crossing, "that cross themselves; they are cut as fans"),
            (&self.intricate, "too intricate to be cut well; they are cut as fans"),
            (&self.without_surface, "with corners that make no triangle; those have no surface"),
        ];
        for (tally, what) in kinds.into_iter().filter(|(tally, _)| tally.count > 0) {
            let message = format!("found {} {what}; the first is here", count(tally.count, "face"));
            workshop.warnings.push(stated.error_at(tally.first, &message).to_string());
        }
    }
}

/// The points of a node's `coord`.
fn coordinates(
    graph: &mut Graph,
    instance: NodeInstance,
    workshop: &mut Workshop<'_>,
) -> Result<Option<Vec<DVec3>>> {
    let node = match graph.field(instance, "coord")? {
        None => return Ok(None),
        Some(stated) => match stated.typed(stated.value.nodes())? {
            [] => return Ok(None),
            [node] => NodeInstance { place: stated.place, node: *node },
            nodes => return Err(stated.error(&format!("found {} nodes, expected one", nodes.len()))),
        },
    };
    let Some(behind) = graph.behind(node, |_, _| {})? else { return Ok(None) };
    let kind = graph.kind(behind);
    if !matches!(&**kind, "Coordinate" | "CoordinateDouble") {
        return Err(graph.error(behind, format!("found {kind} as coord, expected Coordinate")));
    }
    let Some(points) = points::<3>(graph, behind, "point")? else { return Ok(None) };
    workshop.budget.spend(points.len()).map_err(|message| graph.error(behind, message))?;
    Ok(Some(points.into_iter().map(DVec3::from_array).collect()))
}
