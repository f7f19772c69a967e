//! Surfaces whose vertices move on their own: triangles that stay, and places of their vertices at times.

use std::fmt;
use std::sync::Arc;

use glam::DVec3;

use crate::error::{Error, ErrorKind, check_number, check_vector};
use crate::shape::Mesh;

/// Where the vertices of a deforming surface are at each of its times: in memory, or in a file that is read frame by
/// frame. Frames are read more than once, in any order and by several threads.
pub trait Frames: Send + Sync + fmt::Debug {
    /// Writes the places of all vertices in frame `frame`, counted from 0, in metres and in the body's frame.
    ///
    /// # Errors
    /// A frame that is not there, or cannot be read ([`Error::unreadable`]).
    fn read(&self, frame: usize, vertices: &mut [DVec3]) -> Result<(), Error>;
}

/// Frames that are kept in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct FramesInMemory(pub Vec<Vec<DVec3>>);

impl Frames for FramesInMemory {
    fn read(&self, frame: usize, vertices: &mut [DVec3]) -> Result<(), Error> {
        let place = || format!("frame {frame}");
        let Some(own) = self.0.get(frame) else {
            return Err(Error::unreadable(place(), format!("found {} frames", self.0.len())));
        };
        if own.len() != vertices.len() {
            let found = format!("found {} vertices, expected {}", own.len(), vertices.len());
            return Err(Error::unreadable(place(), found));
        }
        vertices.copy_from_slice(own);
        Ok(())
    }
}

/// A surface of triangles whose vertices move evenly along straight lines from frame to frame, in the body's frame. It
/// holds its first shape before the first time, and its last after the last.
#[derive(Debug, Clone)]
pub struct DeformingSurface {
    mesh: Mesh,
    times: Vec<f64>,
    frames: Arc<dyn Frames>,
    bounds: [DVec3; 2],
}

impl DeformingSurface {
    /// A surface from its first shape, the times of its frames in seconds, and the frames. All frames are read once.
    ///
    /// Vertices that are equal in every frame count as one vertex, the first; vertices that are equal in the first frame
    /// and come apart later are different ones.
    ///
    /// # Errors
    /// No times, times that are not finite or do not increase; a frame that cannot be read; a coordinate that is not
    /// finite or not below 1e70; a first frame that is not the mesh.
    pub fn new(mesh: Mesh, times: Vec<f64>, frames: Arc<dyn Frames>) -> Result<Self, Error> {
        times.iter().enumerate().try_for_each(|(i, time)| check_number(*time, || format!("time {i}")))?;
        if times.is_empty() {
            return Error::out_of_range(0.0, "at least one time", "times");
        }
        if let Some(i) = (1..times.len()).find(|i| times[*i] <= times[i - 1]) {
            return Error::out_of_range(times[i], "times that increase", format!("time {i}"));
        }
        let count = mesh.vertex_count();
        let mut places = vec![DVec3::ZERO; count];
        let mut first: Vec<DVec3> = Vec::new();
        let joined = mesh.joined_corners();
        let mut apart = vec![false; joined.len()];
        let mut bounds = mesh.bounds();
        for frame in 0..times.len() {
            frames.read(frame, &mut places)?;
            for (i, place) in places.iter().enumerate() {
                check_vector(*place, || format!("frame {frame}: vertex {i}"))?;
            }
            if frame == 0 {
                if let Some(i) = (0_u32..).zip(&places).find(|(i, p)| mesh.vertex(*i) != **p) {
                    let found = "found another place than in the mesh, which is to be the first frame";
                    return Err(Error::unreadable(format!("frame 0: vertex {}", i.0), found));
                }
                first.clone_from(&places);
            }
            let used = mesh.triangles().iter().flatten().chain(joined.iter().map(|(_, given)| given));
            for v in used {
                let place = places[*v as usize];
                bounds = [bounds[0].min(place), bounds[1].max(place)];
            }
            let of = |corner: u32| mesh.triangles().as_flattened()[corner as usize] as usize;
            for (apart, (corner, given)) in apart.iter_mut().zip(joined) {
                *apart |= places[of(*corner)] != places[*given as usize];
            }
        }
        let mesh = if apart.contains(&true) { mesh.come_apart(first, &apart)? } else { mesh };
        Ok(Self { mesh, times, frames, bounds })
    }

    /// The triangles, with their vertices where they are in the first frame.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The times of the frames, in seconds.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The least and the greatest coordinates of any used vertex at any time, in metres and in the body's frame.
    #[must_use]
    pub fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    /// Writes the places of all vertices in a frame.
    ///
    /// # Errors
    /// As [`Frames::read`], or numbers that are not those of the first reading's range.
    pub fn read(&self, frame: usize, vertices: &mut [DVec3]) -> Result<(), Error> {
        self.frames.read(frame, vertices)?;
        let [least, greatest] = self.bounds;
        let is_used = |v: &DVec3| v.cmpge(least).all() && v.cmple(greatest).all();
        // The source may have changed since it was first read: what is proven rests on the bounds.
        let used = self.mesh.triangles().iter().flatten();
        if let Some(v) = used.copied().find(|v| !is_used(&vertices[*v as usize])) {
            let kind = ErrorKind::Unreadable("found another place than when it was read before".into());
            return Err(Error::new(kind, format!("frame {frame}: vertex {v}")));
        }
        Ok(())
    }
}

impl PartialEq for DeformingSurface {
    /// Surfaces are equal if they have their frames from the same source.
    fn eq(&self, other: &Self) -> bool {
        self.mesh == other.mesh && self.times == other.times && Arc::ptr_eq(&self.frames, &other.frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(z: [f64; 5]) -> Vec<DVec3> {
        // The last vertex stands on the third one where their heights are equal.
        let [x, y] = [[0.0, 1.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0, 1.0]];
        (0..5).map(|i| DVec3::new(x[i], y[i], z[i])).collect()
    }

    fn surface(frames: Vec<Vec<DVec3>>, times: Vec<f64>) -> Result<DeformingSurface, Error> {
        let mesh = Mesh::new(frames[0].clone(), vec![[0, 1, 2], [0, 4, 3]])?;
        DeformingSurface::new(mesh, times, Arc::new(FramesInMemory(frames)))
    }

    #[test]
    fn vertices_are_one_as_long_as_they_stay_together() {
        let [flat, up, open] = [[0.0; 5], [1.0; 5], [0.0, 0.0, 1.0, 0.0, 2.0]].map(square);
        let together = surface(vec![flat.clone(), up.clone()], vec![0.0, 1.0]).unwrap();
        assert_eq!(together.mesh().triangles(), [[0, 1, 2], [0, 2, 3]]);
        let apart = surface(vec![flat, open, up], vec![0.0, 1.0, 2.0]).unwrap();
        assert_eq!(apart.mesh().triangles(), [[0, 1, 2], [0, 4, 3]]);
        assert_eq!((apart.mesh().edges().len(), together.mesh().edges().len()), (6, 5));
        assert_eq!(apart.bounds(), [DVec3::ZERO, DVec3::new(1.0, 1.0, 2.0)]);
    }

    #[test]
    fn frames_and_times_without_meaning_are_refused_by_name() {
        let flat = square([0.0; 5]);
        let mut broken = flat.clone();
        broken[3].y = f64::NAN;
        let cases = [
            (vec![flat.clone()], vec![], "times"),
            (vec![flat.clone(); 2], vec![0.0, 0.0], "time 1"),
            (vec![flat.clone(); 2], vec![0.0, f64::INFINITY], "time 1"),
            (vec![flat.clone()], vec![0.0, 1.0], "frame 1"),
            (vec![flat.clone(), flat[1..].to_vec()], vec![0.0, 1.0], "frame 1"),
            (vec![flat.clone(), broken], vec![0.0, 1.0], "frame 1: vertex 3"),
        ];
        for (frames, times, place) in cases {
            assert_eq!(surface(frames, times).unwrap_err().place(), place);
        }
        let mesh = Mesh::new(square([1.0; 5]), vec![[0, 1, 2]]).unwrap();
        let frames = Arc::new(FramesInMemory(vec![flat]));
        assert!(DeformingSurface::new(mesh, vec![0.0], frames).is_err());
    }
}
