//! Typed access to the fields of nodes.

use super::file::syntax::count;
use super::graph::{Graph, NodeInstance};
use crate::error::Result;

/// TRUE or FALSE.
pub(super) fn flag(graph: &Graph, instance: NodeInstance, name: &str, default: bool) -> Result<bool> {
    let Some(stated) = graph.field(instance, name)? else { return Ok(default) };
    stated.typed(stated.value.boolean())
}

/// A list of points with N numbers each.
pub(super) fn points<const N: usize>(
    graph: &Graph,
    instance: NodeInstance,
    name: &str,
) -> Result<Option<Vec<[f64; N]>>> {
    let Some(stated) = graph.field(instance, name)? else { return Ok(None) };
    let numbers = stated.typed(stated.value.numbers())?;
    if !numbers.len().is_multiple_of(N) {
        let found = count(numbers.len(), "number");
        return Err(stated.error(&format!("found {found}, expected {N} for each")));
    }
    let point = |chunk: &[f64]| std::array::from_fn(|i| chunk[i]);
    Ok(Some(numbers.chunks_exact(N).map(point).collect()))
}

/// A size, greater than 0.
pub(super) fn size(graph: &Graph, instance: NodeInstance, name: &str, default: f64) -> Result<f64> {
    let Some(stated) = graph.field(instance, name)? else { return Ok(default) };
    let [size] = stated.typed(stated.value.vector::<1>())?;
    if size > 0.0 {
        Ok(size)
    } else {
        Err(stated.error(&format!("found {size}, expected a number greater than 0")))
    }
}

/// The integer equal to a number, if there is one.
pub(super) fn integer(number: f64) -> Option<i64> {
    let is_whole = number.trunc() == number && number.abs() < 9e15;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and small enough")]
    is_whole.then_some(number as i64)
}
