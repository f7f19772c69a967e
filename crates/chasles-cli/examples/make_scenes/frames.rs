//! Frames of surfaces whose vertices move on their own, and their files.

use crate::make_scenes::double::{Double, Vector};
use crate::make_scenes::solid::Solid;

/// The positions of a surface's vertices, frame by frame. Each vertex moves along a straight line at a constant
/// velocity from frame to frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frames {
    /// Seconds, increasing.
    pub(crate) times: Vec<f64>,
    /// One list of positions for each time, in metres. Caches hold them in single precision.
    pub(crate) places: Vec<Vec<[f64; 3]>>,
    pub(crate) format: FrameFormat,
}

/// The files with the frames of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum FrameFormat {
    /// A mesh for each time.
    Meshes,
    /// A PC2 cache, whose frames are evenly spaced: the scene has their rate.
    Pc2,
    /// An MDD cache, which contains the times.
    Mdd,
}

impl Frames {
    /// The positions of the vertices at a time in seconds.
    pub(crate) fn positions(&self, time: f64) -> Vec<Vector> {
        let last = self.times.len() - 1;
        let exact = |frame: usize| self.places[frame].iter().map(|p| Vector::from(*p)).collect::<Vec<_>>();
        if time <= self.times[0] {
            return exact(0);
        }
        let Some(next) = self.times.iter().position(|end| time < *end) else { return exact(last) };
        let [start, end, time] = [self.times[next - 1], self.times[next], time].map(Double::from);
        let fraction = (time - start) / (end - start);
        let (from, to) = (exact(next - 1), exact(next));
        from.iter().zip(to).map(|(p, q)| *p + (q - *p).scaled(fraction)).collect()
    }

    /// The files, by their paths below the folder of scenes.
    pub(crate) fn files(&self, name: &str, surface: &Solid) -> Vec<(String, Vec<u8>)> {
        if self.format == FrameFormat::Meshes {
            let frame = |(i, places): (usize, &Vec<[f64; 3]>)| {
                let solid = Solid { vertices: places.clone(), ..surface.clone() };
                (format!("frames/{name}-{i}.obj"), solid.to_open_obj(name).into_bytes())
            };
            return self.places.iter().enumerate().map(frame).collect();
        }
        let mesh = (format!("meshes/{name}.obj"), surface.to_open_obj(name).into_bytes());
        let cache = match self.format {
            FrameFormat::Mdd => (format!("frames/{name}.mdd"), self.to_mdd()),
            _ => (format!("frames/{name}.pc2"), self.to_pc2()),
        };
        vec![mesh, cache]
    }

    fn counts(&self) -> [i32; 2] {
        [self.places.len(), self.places[0].len()].map(|n| i32::try_from(n).expect("these caches are small"))
    }

    fn coordinates(&self) -> impl Iterator<Item = f32> {
        self.places.iter().flatten().flatten().map(|x| single(*x))
    }

    fn to_pc2(&self) -> Vec<u8> {
        let [frames, points] = self.counts();
        let mut bytes = b"POINTCACHE2\0".to_vec();
        bytes.extend([1, points].into_iter().flat_map(i32::to_le_bytes));
        bytes.extend([0.0_f32, 1.0].into_iter().flat_map(f32::to_le_bytes));
        bytes.extend(frames.to_le_bytes());
        bytes.extend(self.coordinates().flat_map(f32::to_le_bytes));
        bytes
    }

    fn to_mdd(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.counts().into_iter().flat_map(i32::to_be_bytes).collect();
        bytes.extend(self.times.iter().flat_map(|time| single(*time).to_be_bytes()));
        bytes.extend(self.coordinates().flat_map(f32::to_be_bytes));
        bytes
    }
}

/// The nearest number of single precision, which caches hold.
pub(crate) fn in_single(x: f64) -> f64 {
    f64::from(single(x))
}

#[expect(clippy::cast_possible_truncation, reason = "the cache has single precision")]
fn single(x: f64) -> f32 {
    x as f32
}
