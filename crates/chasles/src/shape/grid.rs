//! Shapes given by samples on a grid: level sets and height fields.

use std::sync::Arc;

use glam::DVec3;

use crate::error::{Error, ErrorKind, check_number, check_positive, check_vector};
use crate::shape::mesh::Mesh;

/// A function sampled on a grid, trilinear between the samples; the solid is where it is nonpositive.
///
/// The solid is inside the grid only: if the faces of the grid cut it, they are part of its surface.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "PlainLevelSet")
)]
pub struct LevelSet {
    samples: Vec<f64>,
    counts: [usize; 3],
    spacing: DVec3,
    origin: DVec3,
}

/// Heights sampled on a grid, with ground below them.
///
/// Each cell of the grid is two triangles, cut along the diagonal from sample [i, j] to [i + 1, j + 1].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "PlainHeights"))]
pub struct HeightField {
    counts: [usize; 2],
    bottom: f64,
    mesh: Arc<Mesh>,
}

/// Checks that a grid has at least two samples along each axis, and that the total number of samples matches.
fn check_counts(counts: &[usize], given: usize) -> Result<(), Error> {
    for (axis, count) in counts.iter().enumerate() {
        if *count < 2 {
            return Error::out_of_range(*count as f64, "two samples or more", format!("axis {axis}"));
        }
    }
    let whole = counts.iter().try_fold(1_usize, |product, count| product.checked_mul(*count));
    if whole != Some(given) {
        return Error::out_of_range(given as f64, "as many samples as the axes have", "samples");
    }
    Ok(())
}

impl LevelSet {
    /// A level set from samples. Sample [i, j, k] is at index (i `counts[1]` + j) `counts[2]` + k of the list and at
    /// `origin` + (i dx, j dy, k dz) in space, in metres.
    ///
    /// # Errors
    /// There are fewer than two samples along an axis, or the number of samples does not match `counts`; a sample is
    /// not finite; or a spacing is not greater than 0.
    pub fn new(samples: Vec<f64>, counts: [usize; 3], spacing: DVec3, origin: DVec3) -> Result<Self, Error> {
        check_counts(&counts, samples.len())?;
        check_vector(origin, || "origin".into())?;
        spacing.to_array().into_iter().try_for_each(|step| check_positive(step, "spacing"))?;
        let [_, rows, columns] = counts;
        for (place, sample) in samples.iter().enumerate() {
            check_number(*sample, || {
                let [i, j, k] = [place / (rows * columns), place / columns % rows, place % columns];
                format!("sample [{i}, {j}, {k}]")
            })?;
        }
        let level_set = Self { samples, counts, spacing, origin };
        check_vector(level_set.bounds()[1], || "the last sample".into())?;
        Ok(level_set)
    }

    /// The number of samples along x, y and z.
    #[must_use]
    pub fn counts(&self) -> [usize; 3] {
        self.counts
    }

    /// The distance between samples along x, y and z, in metres.
    #[must_use]
    pub fn spacing(&self) -> DVec3 {
        self.spacing
    }

    /// The minimum and maximum coordinates of the grid, in metres.
    #[must_use]
    pub fn bounds(&self) -> [DVec3; 2] {
        let steps = DVec3::from_array(self.counts.map(|count| (count - 1) as f64));
        [self.origin, self.origin + steps * self.spacing]
    }

    /// The sample at a grid point.
    pub(crate) fn sample(&self, [i, j, k]: [usize; 3]) -> f64 {
        self.samples[(i * self.counts[1] + j) * self.counts[2] + k]
    }
}

impl HeightField {
    /// A height field from samples. Sample [i, j] is at index i `counts[1]` + j of the list; it is the height, in
    /// metres, above `origin` + (i dx, j dy).
    ///
    /// # Errors
    /// As [`LevelSet::new`]; or `bottom` is not below every sample.
    pub fn new(
        samples: Vec<f64>,
        counts: [usize; 2],
        spacing: [f64; 2],
        origin: [f64; 2],
        bottom: f64,
    ) -> Result<Self, Error> {
        check_counts(&counts, samples.len())?;
        spacing.into_iter().try_for_each(|step| check_positive(step, "spacing"))?;
        origin.into_iter().try_for_each(|at| check_number(at, || "origin".into()))?;
        check_number(bottom, || "bottom".into())?;
        for (place, sample) in samples.iter().enumerate() {
            let name = || format!("sample [{}, {}]", place / counts[1], place % counts[1]);
            check_number(*sample, name)?;
            if *sample <= bottom {
                return Error::out_of_range(*sample, "a height above the bottom", name());
            }
        }
        let place = |[i, j]: [usize; 2]| {
            let [x, y] = [0, 1].map(|axis| origin[axis] + [i, j][axis] as f64 * spacing[axis]);
            DVec3::new(x, y, samples[i * counts[1] + j])
        };
        let mesh = Arc::new(ground(counts, bottom, place)?);
        Ok(Self { counts, bottom, mesh })
    }

    /// The number of samples along x and y.
    #[must_use]
    pub fn counts(&self) -> [usize; 2] {
        self.counts
    }

    /// The height of the bottom of the ground, in metres.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        self.bottom
    }

    /// The minimum and maximum coordinates, in metres.
    #[must_use]
    pub fn bounds(&self) -> [DVec3; 2] {
        self.mesh.bounds()
    }

    /// The closed mesh of the ground, oriented outward: two triangles for each cell of the top, walls, and the bottom.
    #[must_use]
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }
}

/// A level set as deserialized.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct PlainLevelSet {
    samples: Vec<f64>,
    counts: [usize; 3],
    spacing: DVec3,
    origin: DVec3,
}

#[cfg(feature = "serde")]
impl TryFrom<PlainLevelSet> for LevelSet {
    type Error = Error;

    fn try_from(PlainLevelSet { samples, counts, spacing, origin }: PlainLevelSet) -> Result<Self, Error> {
        Self::new(samples, counts, spacing, origin)
    }
}

/// A height field as deserialized.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct PlainHeights {
    counts: [usize; 2],
    bottom: f64,
    mesh: Arc<Mesh>,
}

#[cfg(feature = "serde")]
impl TryFrom<PlainHeights> for HeightField {
    type Error = Error;

    fn try_from(PlainHeights { counts, bottom, mesh }: PlainHeights) -> Result<Self, Error> {
        check_number(bottom, || "bottom".into())?;
        // The samples are the first vertices of the mesh.
        let samples = counts[0].checked_mul(counts[1]).filter(|count| *count <= mesh.vertices().len());
        check_counts(&counts, samples.unwrap_or(0))?;
        Ok(Self { counts, bottom, mesh })
    }
}

/// The closed mesh of the ground, given the positions of the samples.
///
/// # Errors
/// There are more samples than a mesh can have.
fn ground(
    [rows, columns]: [usize; 2],
    bottom: f64,
    place: impl Fn([usize; 2]) -> DVec3,
) -> Result<Mesh, Error> {
    let count = rows * columns;
    let Ok(top_count) = u32::try_from(count) else {
        return Err(Error::new(ErrorKind::TooMany(count), "samples"));
    };
    let short = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let number = |i: usize, j: usize| short(i * columns + j);
    let mut vertices: Vec<DVec3> = Vec::with_capacity(2 * count);
    for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
        vertices.push(place([i, j]));
    }
    let mut triangles = Vec::with_capacity(4 * count);
    for (i, j) in (0..rows - 1).flat_map(|i| (0..columns - 1).map(move |j| (i, j))) {
        let [p, q, r, s] = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
        triangles.extend([[p, q, r], [p, r, s]]);
    }
    // The border, counterclockwise seen from above.
    let rim: Vec<[usize; 2]> = (0..rows - 1)
        .map(|i| [i, 0])
        .chain((0..columns - 1).map(|j| [rows - 1, j]))
        .chain((1..rows).rev().map(|i| [i, columns - 1]))
        .chain((1..columns).rev().map(|j| [0, j]))
        .collect();
    for [i, j] in &rim {
        vertices.push(place([*i, *j]).with_z(bottom));
    }
    let ring = short(rim.len());
    let below = |n: u32| top_count + n % ring;
    for (n, [i, j]) in rim.iter().enumerate() {
        let [k, l] = rim[(n + 1) % rim.len()];
        let (n, from, to) = (short(n), number(*i, *j), number(k, l));
        triangles.extend([[from, below(n), below(n + 1)], [from, below(n + 1), to]]);
    }
    // The bottom as a fan.
    triangles.extend((1..ring - 1).map(|n| [below(0), below(n + 1), below(n)]));
    Mesh::new(vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::mesh_facts::MeshFacts;

    #[test]
    fn the_mesh_of_a_height_field_is_closed_and_contains_the_ground() {
        let samples = vec![0.0, 0.5, 0.2, 0.1, 0.7, 0.3];
        let field = HeightField::new(samples, [2, 3], [0.5, 0.25], [1.0, -1.0], -1.0).unwrap();
        let mesh = field.mesh();
        assert_eq!((mesh.triangles().len(), mesh.vertex_count()), (4 + 12 + 4, 12));
        let facts = MeshFacts::of(mesh);
        assert!(facts.closed, "{facts:?}");
        let volume: f64 = mesh
            .triangles()
            .iter()
            .map(|t| {
                let [p, q, r] = t.map(|v| mesh.vertex(v));
                p.dot(q.cross(r)) / 6.0
            })
            .sum();
        // Each cell has an area of 0.125; the corners of its diagonal from [i, j] to [i + 1, j + 1] count twice.
        let mean = |[p, q, r, s]: [f64; 4]| (2.0 * p + q + 2.0 * r + s) / 6.0;
        let expected = 0.125 * (2.0 + mean([0.0, 0.1, 0.7, 0.5]) + mean([0.5, 0.7, 0.3, 0.2]));
        assert!((volume - expected).abs() < 1e-12, "{volume} {expected}");
        assert_eq!(field.bounds()[0].z, -1.0);
    }
}
