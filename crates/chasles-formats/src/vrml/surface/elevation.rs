//! `ElevationGrid`: heights over a grid.

use glam::DVec3;

use super::form::VrmlGeometry;
use super::workshop::Workshop;
use crate::error::Result;
use crate::vrml::fields::{flag, integer, size};
use crate::vrml::graph::{Graph, NodeInstance};

/// The surface of an `ElevationGrid`: two triangles for each grid rectangle, facing upward.
pub(crate) fn grid(
    graph: &Graph,
    instance: NodeInstance,
    workshop: &mut Workshop<'_>,
) -> Result<VrmlGeometry> {
    let [columns, rows] =
        [dimension(graph, instance, "xDimension")?, dimension(graph, instance, "zDimension")?];
    let [dx, dz] = [size(graph, instance, "xSpacing", 1.0)?, size(graph, instance, "zSpacing", 1.0)?];
    let heights: Vec<f64> = match graph.field(instance, "height")? {
        None => vec![],
        Some(stated) => stated.typed(stated.value.numbers())?.into_owned(),
    };
    if Some(heights.len()) != columns.checked_mul(rows) {
        let found =
            format!("found {} heights, expected xDimension {columns} times zDimension {rows}", heights.len());
        return Err(graph.error(instance, found));
    }
    let spent = workshop.budget.spend(heights.len().saturating_mul(3));
    spent.map_err(|message| graph.error(instance, message))?;
    let mut vertices = Vec::with_capacity(heights.len());
    for (i, height) in heights.iter().enumerate() {
        vertices.push(DVec3::new((i % columns) as f64 * dx, *height, (i / columns) as f64 * dz));
    }
    let mut triangles = Vec::new();
    let upward = flag(graph, instance, "ccw", true)?;
    for row in 1..rows {
        for column in 1..columns {
            let number =
                |row: usize, column: usize| u32::try_from(row * columns + column).unwrap_or(u32::MAX);
            let [a, b] = [number(row - 1, column - 1), number(row - 1, column)];
            let [c, d] = [number(row, column), number(row, column - 1)];
            triangles.extend(if upward { [[a, d, c], [a, c, b]] } else { [[a, c, d], [a, b, c]] });
        }
    }
    Ok(VrmlGeometry::Mesh { vertices, triangles })
}

fn dimension(graph: &Graph, instance: NodeInstance, name: &str) -> Result<usize> {
    let Some(stated) = graph.field(instance, name)? else { return Ok(0) };
    let [number] = stated.typed(stated.value.vector::<1>())?;
    let found =
        integer(number).and_then(|number| usize::try_from(number).ok()).filter(|found| *found < 1 << 32);
    found.ok_or_else(|| stated.error(&format!("found {number}, expected a whole number of at least 0")))
}
