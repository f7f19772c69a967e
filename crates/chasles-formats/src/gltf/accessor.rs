//! Reads numbers from buffers: accessors with strides, all component types, and sparse replacements.

use super::container::Buffers;
use super::document::{AccessorEntry, BufferViewEntry, GltfJson, SparseEntry};
use super::fault::{Fault, GltfResult, element};
use crate::text::tree::quoted;

/// The accessors of a document with the bytes behind them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accessors<'a> {
    entries: &'a [AccessorEntry],
    views: &'a [BufferViewEntry],
    buffers: &'a Buffers<'a>,
}

/// The number of elements that may still be read.
///
/// Many accessors may share a few bytes or have none, so a small file could demand more memory than any machine has.
/// Data that is read once has at least a byte per element, so no ordinary file comes near the limit.
#[derive(Debug, Clone)]
pub(super) struct ElementBudget {
    remaining: usize,
}

impl ElementBudget {
    /// The budget of a file whose buffers have this number of bytes.
    pub(super) fn of(bytes: usize) -> Self {
        /// Elements that any file may have.
        const FREE: usize = 1 << 24;
        Self { remaining: FREE.saturating_add(bytes / 2) }
    }

    /// Takes elements from the budget.
    pub(super) fn spend(&mut self, elements: usize, place: impl FnOnce() -> String) -> GltfResult<()> {
        let remaining = self.remaining.checked_sub(elements).ok_or_else(|| {
            let expected = "expected fewer in all for a file of this size";
            Fault::new(
                place(),
                format!("found {elements} elements, which other accessors may share: {expected}"),
            )
        });
        self.remaining = remaining?;
        Ok(())
    }
}

impl<'a> Accessors<'a> {
    pub(super) fn new(document: &'a GltfJson, buffers: &'a Buffers<'a>) -> Self {
        Self { entries: &document.accessors, views: &document.buffer_views, buffers }
    }

    /// The number of elements that an accessor states, even if it has no data.
    pub(super) fn count(&self, accessor: usize) -> GltfResult<usize> {
        Ok(element(self.entries, accessor, "accessor")?.count.0)
    }

    /// Whether an accessor refers to any bytes; otherwise its elements are 0.
    pub(super) fn is_backed(&self, accessor: usize) -> GltfResult<bool> {
        let entry = element(self.entries, accessor, "accessor")?;
        Ok(entry.buffer_view.is_some() || entry.sparse.is_some())
    }

    /// The elements of an accessor with `N` finite numbers each. Normalised integers count as fractions of the
    /// largest value.
    pub(super) fn vectors<const N: usize>(
        &self,
        accessor: usize,
        allowed: Components,
        budget: &mut ElementBudget,
    ) -> GltfResult<Vec<[f64; N]>> {
        let place = || format!("accessor {accessor}");
        let entry = element(self.entries, accessor, "accessor")?;
        let component = Component::of(entry.component_type.0).ok_or_else(|| unknown_type(place(), entry))?;
        let fits = match allowed {
            Components::Floats => component == Component::F32,
            Components::FloatsOrFractions => component == Component::F32 || entry.normalized,
            Components::Any => true,
            Components::Joints => matches!(component, Component::U8 | Component::U16) && !entry.normalized,
        };
        if !fits {
            let found = if entry.normalized { "normalised " } else { "" };
            let message =
                format!("found {found}components of type {}, expected {}", component.code(), allowed.words());
            return Err(Fault::new(place(), message));
        }
        if entry.normalized && matches!(component, Component::F32 | Component::U32) {
            let message = format!("found normalised components of type {}", component.code());
            return Err(Fault::new(place(), message));
        }
        let read = |bytes: &[u8]| {
            let mut numbers = [0.0; N];
            for (number, bytes) in numbers.iter_mut().zip(bytes.chunks_exact(component.size())) {
                *number = component.number(bytes, entry.normalized);
            }
            numbers
        };
        let layout = AccessorLayout { kind: vector_kind(N), size: N * component.size() };
        let vectors = self.elements(entry, layout, budget, read).map_err(|fault| fault.within(&place()))?;
        match vectors.iter().position(|vector| vector.iter().any(|number| !number.is_finite())) {
            None => Ok(vectors),
            Some(at) => {
                let message = format!("found {:?}, expected finite numbers", vectors[at]);
                Err(Fault::new(format!("{}, element {at}", place()), message))
            }
        }
    }

    /// The elements of an accessor of indices.
    pub(super) fn indices(&self, accessor: usize, budget: &mut ElementBudget) -> GltfResult<Vec<u32>> {
        let place = || format!("accessor {accessor}");
        let entry = element(self.entries, accessor, "accessor")?;
        let component = Component::of(entry.component_type.0).ok_or_else(|| unknown_type(place(), entry))?;
        if !component.is_index() || entry.normalized {
            let message = format!("found components of type {}, expected {INDEX_TYPES}", component.code());
            return Err(Fault::new(place(), message));
        }
        let layout = AccessorLayout { kind: "SCALAR", size: component.size() };
        let read = |bytes: &[u8]| component.index(bytes);
        self.elements(entry, layout, budget, read).map_err(|fault| fault.within(&place()))
    }

    fn elements<T: Copy>(
        &self,
        entry: &AccessorEntry,
        layout: AccessorLayout,
        budget: &mut ElementBudget,
        read: impl Fn(&[u8]) -> T,
    ) -> GltfResult<Vec<T>> {
        let count = entry.count.0;
        if entry.kind != layout.kind {
            let message = format!("found {}, expected {}", quoted(&entry.kind), layout.kind);
            return Err(Fault::new("type", message));
        }
        if count == 0 {
            return Err(Fault::new("count", "found 0, expected at least 1"));
        }
        budget.spend(count, || "count".into())?;
        let mut elements = match entry.buffer_view {
            None => vec![read(&vec![0; layout.size]); count],
            Some(view) => {
                let rows = self.rows(view.0, entry.byte_offset.0, count, layout.size)?;
                rows.iter(count).map(&read).collect()
            }
        };
        let Some(sparse) = &entry.sparse else { return Ok(elements) };
        self.replace(sparse, layout, &mut elements, &read).map_err(|fault| fault.within("sparse"))?;
        Ok(elements)
    }

    fn replace<T>(
        &self,
        sparse: &SparseEntry,
        layout: AccessorLayout,
        elements: &mut [T],
        read: impl Fn(&[u8]) -> T,
    ) -> GltfResult<()> {
        let (count, all) = (sparse.count.0, elements.len());
        if count > all {
            return Err(Fault::new("count", format!("found {count}, expected at most the {all} elements")));
        }
        let kind = sparse.indices.component_type.0;
        let Some(component) = Component::of(kind).filter(|component| component.is_index()) else {
            return Err(Fault::new("indices", format!("found type {kind}, expected {INDEX_TYPES}")));
        };
        let (from, values) = (&sparse.indices, &sparse.values);
        let indices = self.rows(from.buffer_view.0, from.byte_offset.0, count, component.size())?;
        let values = self.rows(values.buffer_view.0, values.byte_offset.0, count, layout.size)?;
        let mut minimum_stride = 0;
        for (index, value) in indices.iter(count).zip(values.iter(count)) {
            let at = component.index(index) as usize;
            let Some(element) = elements.get_mut(at).filter(|_| at >= minimum_stride) else {
                let message = format!("found {at}, expected indices that increase and are below {all}");
                return Err(Fault::new("indices", message));
            };
            *element = read(value);
            minimum_stride = at + 1;
        }
        Ok(())
    }

    /// `count` elements of `size` bytes each in a buffer view, starting at an offset.
    fn rows(&self, number: usize, offset: usize, count: usize, size: usize) -> GltfResult<AccessorRows<'a>> {
        let view = element(self.views, number, "bufferView")?;
        let place = || format!("bufferView {number}");
        let Some(buffer) = self.buffers.get(view.buffer.0) else {
            return Err(Fault::new(place(), format!("there is no buffer {}", view.buffer.0)));
        };
        let (start, length) = (view.byte_offset.0, view.byte_length.0);
        let bytes = start.checked_add(length).and_then(|end| buffer.get(start..end));
        let Some(bytes) = bytes else {
            let message =
                format!("found {length} bytes from byte {start} on, but its buffer has {}", buffer.len());
            return Err(Fault::new(place(), message));
        };
        let stride = view.byte_stride.map_or(size, |stride| stride.0);
        if stride < size {
            return Err(Fault::new(
                place(),
                format!("found a stride of {stride}, expected at least {size} bytes"),
            ));
        }
        // The last element may end before its stride does.
        let needed = count.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size));
        let there = needed.and_then(|needed| bytes.get(offset..offset.checked_add(needed)?));
        match there {
            Some(bytes) => Ok(AccessorRows { bytes, stride, size }),
            None => {
                let expectation = format!("{count} elements of {stride} bytes from byte {offset} on");
                Err(Fault::new(place(), format!("found {length} bytes, expected {expectation}")))
            }
        }
    }
}

/// The component types that an accessor may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Components {
    Floats,
    FloatsOrFractions,
    /// Also integers, as in `KHR_mesh_quantization`.
    Any,
    /// Numbers of joints.
    Joints,
}

impl Components {
    fn words(self) -> &'static str {
        match self {
            Self::Floats => "5126 (float)",
            Self::FloatsOrFractions => "5126 (float) or normalised integers",
            Self::Any => "any",
            Self::Joints => "5121 or 5123 (unsigned integers, not normalised)",
        }
    }
}

/// The layout that an accessor must have.
#[derive(Debug, Clone, Copy)]
struct AccessorLayout {
    kind: &'static str,
    /// Size of an element, in bytes.
    size: usize,
}

fn vector_kind(components: usize) -> &'static str {
    match components {
        1 => "SCALAR",
        3 => "VEC3",
        4 => "VEC4",
        _ => "MAT4",
    }
}

/// Elements at constant intervals in a byte slice.
#[derive(Debug, Clone, Copy)]
struct AccessorRows<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
}

impl<'a> AccessorRows<'a> {
    fn iter(self, count: usize) -> impl Iterator<Item = &'a [u8]> {
        (0..count).map(move |i| &self.bytes[i * self.stride..][..self.size])
    }
}

const INDEX_TYPES: &str = "5121, 5123 or 5125 (unsigned integers, not normalised)";

#[cold]
fn unknown_type(place: String, entry: &AccessorEntry) -> Fault {
    let found = entry.component_type.0;
    Fault::new(
        place,
        format!("found the component type {found}, expected 5120, 5121, 5122, 5123, 5125 or 5126"),
    )
}

/// Component types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: usize) -> Option<Self> {
        [Self::I8, Self::U8, Self::I16, Self::U16, Self::U32, Self::F32]
            .into_iter()
            .find(|kind| kind.code() == code)
    }

    fn code(self) -> usize {
        match self {
            Self::I8 => 5120,
            Self::U8 => 5121,
            Self::I16 => 5122,
            Self::U16 => 5123,
            Self::U32 => 5125,
            Self::F32 => 5126,
        }
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    fn is_index(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32)
    }

    /// The number in the bytes of one component; 0 if the length is wrong.
    fn number(self, bytes: &[u8], normalised: bool) -> f64 {
        let (value, largest) = match (self, bytes) {
            (Self::I8, &[a]) => (f64::from(i8::from_le_bytes([a])), 127.0),
            (Self::U8, &[a]) => (f64::from(a), 255.0),
            (Self::I16, &[a, b]) => (f64::from(i16::from_le_bytes([a, b])), 32767.0),
            (Self::U16, &[a, b]) => (f64::from(u16::from_le_bytes([a, b])), 65535.0),
            (Self::U32, &[a, b, c, d]) => (f64::from(u32::from_le_bytes([a, b, c, d])), f64::from(u32::MAX)),
            (Self::F32, &[a, b, c, d]) => (f64::from(f32::from_le_bytes([a, b, c, d])), 1.0),
            _ => (0.0, 1.0),
        };
        // The lowest signed integer counts as -1, like the next one.
        if normalised { (value / largest).max(-1.0) } else { value }
    }

    fn index(self, bytes: &[u8]) -> u32 {
        match *bytes {
            [a] => u32::from(a),
            [a, b] => u32::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        }
    }
}
