//! Facts about point clouds and arrays of samples.

use glam::DVec3;
use serde::Serialize;

use crate::cloud::CloudFile;
use crate::samples::npy::ArrayFile;
use crate::text::json::{json_line, plain_vector};

/// Facts about a point cloud.
#[derive(Debug, Clone, PartialEq)]
pub struct CloudInfo {
    /// The number of points with finite coordinates.
    pub points: usize,
    /// The number of points that were left out because a coordinate is not finite.
    pub dropped: usize,
    /// Lower and upper corner of the bounding box of the points, in the unit of the file; `None` without points.
    pub bounds: Option<[DVec3; 2]>,
    /// Warnings of the reader, one sentence each.
    pub warnings: Vec<String>,
}

impl CloudInfo {
    /// The facts about a parsed file.
    #[must_use]
    pub fn of(file: CloudFile) -> Self {
        let points = || file.points.iter().map(|(_, point)| *point);
        let bounds = points().reduce(DVec3::min).zip(points().reduce(DVec3::max));
        Self {
            points: file.points.len(),
            dropped: file.dropped,
            bounds: bounds.map(|(minimum, maximum)| [minimum, maximum]),
            warnings: file.warnings,
        }
    }

    /// The facts as one line of JSON, with its line end. Names and order of the keys are fixed.
    ///
    /// ```
    /// use chasles_formats::{cloud::{self, CloudFormat}, info::CloudInfo};
    /// let cloud = cloud::parse(b"0 0 0\n1 2 3\n", CloudFormat::Xyz, "a.xyz".as_ref())?;
    /// let line = r#"{"format":1,"kind":"points","points":2,"dropped":0,"bounds":[[0.0,0.0,0.0],[1.0,2.0,3.0]],"warnings":[]}"#;
    /// assert_eq!(CloudInfo::of(cloud).to_json().trim_end(), line);
    /// # Ok::<(), chasles_formats::Error>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        json_line(&CloudLine {
            format: 1,
            kind: "points",
            points: self.points,
            dropped: self.dropped,
            bounds: self.bounds.map(|corners| corners.map(plain_vector)),
            warnings: &self.warnings,
        })
    }
}

/// Facts about an array of NumPy.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayInfo {
    /// The number of values along each axis.
    pub counts: Vec<usize>,
    /// The minimum and maximum of the finite values; `None` if no value is finite.
    pub range: Option<[f64; 2]>,
    /// The number of values that are not finite.
    pub not_finite: usize,
    /// Warnings of the reader, one sentence each.
    pub warnings: Vec<String>,
}

impl ArrayInfo {
    /// The facts about a parsed file.
    #[must_use]
    pub fn of(file: ArrayFile) -> Self {
        let finite = || file.values.iter().copied().filter(|value| value.is_finite());
        let range = finite().reduce(f64::min).zip(finite().reduce(f64::max));
        Self {
            range: range.map(|(minimum, maximum)| [minimum, maximum]),
            not_finite: file.values.len() - finite().count(),
            counts: file.counts,
            warnings: file.warnings,
        }
    }

    /// The facts as one line of JSON, with its line end. Names and order of the keys are fixed.
    #[must_use]
    pub fn to_json(&self) -> String {
        json_line(&ArrayLine {
            format: 1,
            kind: "array",
            counts: &self.counts,
            range: self.range,
            not_finite: self.not_finite,
            warnings: &self.warnings,
        })
    }
}

#[derive(Serialize)]
struct CloudLine<'a> {
    format: u32,
    kind: &'static str,
    points: usize,
    dropped: usize,
    bounds: Option<[[f64; 3]; 2]>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct ArrayLine<'a> {
    format: u32,
    kind: &'static str,
    counts: &'a [usize],
    range: Option<[f64; 2]>,
    not_finite: usize,
    warnings: &'a [String],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_has_its_range() {
        let array = |values: Vec<f64>| {
            let info =
                ArrayInfo::of(ArrayFile { counts: vec![values.len()], values, warnings: vec!["odd".into()] });
            info.to_json()
        };
        assert_eq!(
            array(vec![1.5, f64::NAN, -2.0, f64::INFINITY]),
            "{\"format\":1,\"kind\":\"array\",\"counts\":[4],\"range\":[-2.0,1.5],\"not_finite\":2,\"warnings\":[\"odd\"]}\n"
        );
        assert!(array(vec![]).contains("\"counts\":[0],\"range\":null,\"not_finite\":0"));
    }
}
