//! Deforming surfaces: fixed triangles, and positions of their vertices at given times. The positions are read frame
//! by frame, or come from a rig. This file is the one to read first.
//!
//! ```text
//! bones  a hierarchy of frames that carry vertices, with speed bounds
//! rig    vertices moved by morph targets and bones: positions at any time, bounds of the chord error
//! ```

pub(crate) mod bones;
pub(crate) mod rig;

use std::fmt;
use std::sync::Arc;

use glam::DVec3;

use crate::deformable::surface::rig::Rig;
use crate::error::{Error, ErrorKind, check_number, check_vector};
use crate::shape::Mesh;

/// The vertices of a deforming surface at each of its times: in memory, or in a file that is read frame by frame.
/// Frames are read more than once, in any order and by several threads.
pub trait Frames: Send + Sync + fmt::Debug {
    /// Writes the positions of all vertices in frame `frame`, counted from 0, in metres and in the body's frame.
    ///
    /// # Errors
    /// The frame does not exist or cannot be read ([`Error::unreadable`]).
    fn read(&self, frame: usize, vertices: &mut [DVec3]) -> Result<(), Error>;
}

/// Frames kept in memory.
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

/// A surface of triangles whose vertices move in the body's frame: along straight lines at constant velocity from
/// frame to frame, or as a [`Rig`] defines, whose frames are only samples. The surface keeps its first shape before
/// the first time, and its last shape after the last time.
#[derive(Debug, Clone)]
pub struct DeformingSurface {
    mesh: Mesh,
    times: Vec<f64>,
    source: VertexSource,
    bounds: [DVec3; 2],
}

/// The source of vertex positions.
#[derive(Debug, Clone)]
enum VertexSource {
    Frames(Arc<dyn Frames>),
    Rig(Arc<Rig>),
}

impl DeformingSurface {
    /// A surface from its first shape, the times of its frames in seconds, and the frames. All frames are read once.
    ///
    /// The vertices are the input's: equal vertices are not merged, since they may separate.
    ///
    /// # Errors
    /// There are no times; times are not finite or do not increase; a frame cannot be read; a coordinate is not
    /// finite or not below 1e70; or the first frame differs from the mesh.
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
        let mesh = mesh.with_all_vertices();
        let mut bounds = mesh.bounds();
        for frame in 0..times.len() {
            frames.read(frame, &mut places)?;
            for (i, place) in places.iter().enumerate() {
                check_vector(*place, || format!("frame {frame}: vertex {i}"))?;
            }
            let moved = (0_u32..).zip(&places).find(|(i, place)| mesh.vertex(*i) != **place);
            if let Some((i, _)) = moved.filter(|_| frame == 0) {
                let found = "found another place than in the mesh, which is to be the first frame";
                return Err(Error::unreadable(format!("frame 0: vertex {i}"), found));
            }
            for v in mesh.triangles().iter().flatten() {
                let place = places[*v as usize];
                bounds = [bounds[0].min(place), bounds[1].max(place)];
            }
        }
        Ok(Self { mesh, times, source: VertexSource::Frames(frames), bounds })
    }

    /// A surface of these triangles on the vertices of a rig. Its frames sample the rig at the rig's own times
    /// ([`Rig::times`]); between them the surface moves exactly as the rig does, and answers hold for this motion.
    ///
    /// # Errors
    /// As [`Mesh::new`], for the vertices at time 0.
    pub fn of_rig(triangles: Vec<[u32; 3]>, rig: Arc<Rig>) -> Result<Self, Error> {
        let mut places = Vec::new();
        rig.vertices_at(0.0, &mut places);
        let mesh = Mesh::new(places, triangles)?.with_all_vertices();
        let (times, bounds) = (rig.times().to_vec(), rig.bounds());
        Ok(Self { mesh, times, source: VertexSource::Rig(rig), bounds })
    }

    /// The rig that moves the vertices between the frames; `None` if they move along straight lines.
    #[must_use]
    pub fn rig(&self) -> Option<&Rig> {
        match &self.source {
            VertexSource::Frames(_) => None,
            VertexSource::Rig(rig) => Some(rig),
        }
    }

    /// The triangles, with their vertices as in the first frame.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The times of the frames, in seconds.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The minimum and maximum coordinates of any used vertex at any time, in metres and in the body's frame.
    #[must_use]
    pub fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    /// Writes the positions of all vertices in a frame.
    ///
    /// # Errors
    /// As [`Frames::read`], or a position is outside the range of the first reading.
    pub fn read(&self, frame: usize, vertices: &mut [DVec3]) -> Result<(), Error> {
        let frames = match &self.source {
            VertexSource::Frames(frames) => frames,
            VertexSource::Rig(rig) => return self.read_rig(rig, frame, vertices),
        };
        frames.read(frame, vertices)?;
        let [low, high] = self.bounds;
        let is_used = |v: &DVec3| v.cmpge(low).all() && v.cmple(high).all();
        // The source may have changed since the first reading, and proofs depend on the bounds.
        let used = self.mesh.triangles().iter().flatten();
        if let Some(v) = used.copied().find(|v| !is_used(&vertices[*v as usize])) {
            let kind = ErrorKind::Unreadable("found another place than when it was read before".into());
            return Err(Error::new(kind, format!("frame {frame}: vertex {v}")));
        }
        Ok(())
    }
}

impl DeformingSurface {
    fn read_rig(&self, rig: &Rig, frame: usize, vertices: &mut [DVec3]) -> Result<(), Error> {
        let Some(time) = self.times.get(frame) else {
            let found = format!("found {} frames", self.times.len());
            return Err(Error::unreadable(format!("frame {frame}"), found));
        };
        let mut places = Vec::new();
        rig.vertices_at(*time, &mut places);
        if places.len() != vertices.len() {
            let found = format!("found {} vertices, expected {}", places.len(), vertices.len());
            return Err(Error::unreadable(format!("frame {frame}"), found));
        }
        vertices.copy_from_slice(&places);
        Ok(())
    }
}

impl PartialEq for DeformingSurface {
    /// Surfaces are equal if they have their frames from the same source.
    fn eq(&self, other: &Self) -> bool {
        let is_same = match (&self.source, &other.source) {
            (VertexSource::Frames(own), VertexSource::Frames(frames)) => Arc::ptr_eq(own, frames),
            (VertexSource::Rig(own), VertexSource::Rig(rig)) => Arc::ptr_eq(own, rig),
            _ => false,
        };
        is_same && self.mesh == other.mesh && self.times == other.times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(z: [f64; 5]) -> Vec<DVec3> {
        // The last vertex coincides with the third if their heights are equal.
        let [x, y] = [[0.0, 1.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0, 1.0]];
        (0..5).map(|i| DVec3::new(x[i], y[i], z[i])).collect()
    }

    fn surface(frames: Vec<Vec<DVec3>>, times: Vec<f64>) -> Result<DeformingSurface, Error> {
        let mesh = Mesh::new(frames[0].clone(), vec![[0, 1, 2], [0, 4, 3]])?;
        DeformingSurface::new(mesh, times, Arc::new(FramesInMemory(frames)))
    }

    #[test]
    fn equal_vertices_are_not_merged() {
        let [flat, open] = [[0.0; 5], [0.0, 0.0, 1.0, 0.0, 2.0]].map(square);
        let open_square = surface(vec![flat, open], vec![0.0, 1.0]).unwrap();
        assert_eq!(open_square.mesh().triangles(), [[0, 1, 2], [0, 4, 3]]);
        assert_eq!(open_square.mesh().edges().len(), 6);
        assert_eq!(open_square.bounds(), [DVec3::ZERO, DVec3::new(1.0, 1.0, 2.0)]);
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
