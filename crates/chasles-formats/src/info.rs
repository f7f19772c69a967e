//! Facts about a file, for `chasles info`.
//!
//! ```json
//! {"format":1,"kind":"mesh","vertices":8,"triangles":12,"closed":true,"pieces":1,"degenerate_triangles":0,
//!  "non_manifold_edges":0,"bounds":[[0,0,0],[1,1,1]],"warnings":[]}
//! ```

pub(crate) mod bounds;
mod samples;
mod pieces;
mod mass;
mod robot;
pub(crate) mod facing;

use std::path::Path;

use chasles::{Facing, Mesh, MeshFacts, facing};
use glam::DVec3;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::info::facing::FacingEntry;
use crate::mesh::MeshFile;
use crate::text::json::{json_line, plain, plain_vector};

use mass::MassJson;

pub use mass::MassInfo;
pub use pieces::{PieceInfo, PiecesInfo};
pub use robot::{ConfigurationInfo, JointInfo, MimicInfo, RobotInfo};
pub use samples::{ArrayInfo, CloudInfo};

/// Facts about a mesh file. Vertices that are equal bit for bit (-0 = 0) are merged before edges are counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeshInfo {
    /// Vertices as in the file; of an STL, after merging equal ones.
    pub vertices: usize,
    /// Triangles, after polygons are triangulated.
    pub triangles: usize,
    /// Whether there are edges, each with exactly two triangles.
    pub closed: bool,
    /// Number of components: sets of triangles connected by edges.
    pub pieces: usize,
    /// Triangles whose area is exactly zero.
    pub degenerate_triangles: usize,
    /// Edges with more than two triangles.
    pub non_manifold_edges: usize,
    /// Lower and upper corner of the bounding box of the triangles, in the unit of the file; `None` without
    /// triangles.
    pub bounds: Option<[DVec3; 2]>,
    /// Warnings of the reader, one sentence each.
    pub warnings: Vec<String>,
    /// The orientation of the surface to a screw, if one was given.
    pub facing: Option<Facing>,
    /// Its mass, if a density was given.
    pub mass: Option<MassInfo>,
}

/// A screw about an axis, which moves a mesh in the frame of its file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisScrew {
    /// The direction of the axis; not zero, of any length.
    pub direction: DVec3,
    /// A point on the axis, in the unit of the file.
    pub point: DVec3,
    /// The translation along the axis, in the unit of the file.
    pub slide: f64,
    /// The angle about the axis, in radians.
    pub angle: f64,
}

impl MeshInfo {
    /// The facts about the mesh that was read from the file at `path`.
    ///
    /// A file without triangles has facts too: its vertices, and a warning from the reader.
    ///
    /// # Errors
    /// When the engine refuses the mesh: a coordinate beyond 1e70, too many triangles.
    pub fn of(file: MeshFile, path: &Path) -> Result<Self> {
        Self::moving(file, path, None)
    }

    /// Like [`of`](Self::of), with the orientation of the surface to a screw, if one is given.
    ///
    /// # Errors
    /// As for [`of`](Self::of), and when the engine refuses the screw: a direction of length zero, a number beyond
    /// 1e70.
    pub fn moving(file: MeshFile, path: &Path, screw: Option<&AxisScrew>) -> Result<Self> {
        let MeshFile { vertices, triangles, warnings, .. } = file;
        if triangles.is_empty() {
            return Ok(Self {
                vertices: vertices.len(),
                warnings,
                facing: screw.map(|_| Facing::default()),
                ..Self::default()
            });
        }
        let mesh = Mesh::new(vertices, triangles).map_err(|error| Error::file(path, error.to_string()))?;
        let facing = match screw {
            Some(AxisScrew { direction, point, slide, angle }) => Some(
                facing(&mesh, *direction, *point, *slide, *angle)
                    .map_err(|error| Error::file(path, format!("screw: {error}")))?,
            ),
            None => None,
        };
        let facts = MeshFacts::of(&mesh);
        Ok(Self {
            vertices: facts.vertices,
            triangles: facts.triangles,
            closed: facts.closed,
            pieces: facts.pieces,
            degenerate_triangles: facts.degenerate_triangles,
            non_manifold_edges: facts.non_manifold_edges,
            bounds: Some(facts.bounds),
            warnings,
            facing,
            mass: None,
        })
    }

    /// The facts with volume, mass, centre of mass and inertia at a density: a mass per cube of the file's unit.
    ///
    /// # Errors
    /// As for [`of`](Self::of), and when the mesh has no mass: it is not closed, not oriented consistently, or
    /// encloses no volume; a density that is not greater than 0.
    pub fn with_mass(file: MeshFile, path: &Path, density: f64) -> Result<Self> {
        let MeshFile { vertices, triangles, .. } = &file;
        let properties =
            Mesh::new(vertices.clone(), triangles.clone()).and_then(|mesh| mesh.mass_properties());
        let mass = properties
            .map_err(|error| error.to_string())
            .and_then(|properties| MassInfo::of(density, properties));
        let mass = mass.map_err(|reason| Error::file(path, reason))?;
        Ok(Self { mass: Some(mass), ..Self::of(file, path)? })
    }

    /// The facts as one line of JSON, with its line end. Names and order of the keys are fixed.
    ///
    /// ```
    /// use chasles_formats::{info::MeshInfo, mesh::{self, MeshFormat}};
    ///
    /// let text = b"v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n";
    /// let path = "part.obj".as_ref();
    /// let info = MeshInfo::of(mesh::parse(text, MeshFormat::Obj, path)?, path)?;
    /// assert!(info.to_json().starts_with(r#"{"format":1,"kind":"mesh","vertices":3,"triangles":1,"closed":false"#));
    /// # Ok::<(), chasles_formats::Error>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        json_line(&MeshLine {
            format: 1,
            kind: "mesh",
            vertices: self.vertices,
            triangles: self.triangles,
            closed: self.closed,
            pieces: self.pieces,
            degenerate_triangles: self.degenerate_triangles,
            non_manifold_edges: self.non_manifold_edges,
            bounds: self.bounds.map(|corners| corners.map(plain_vector)),
            warnings: &self.warnings,
            facing: self.facing.as_ref().map(FacingEntry::of),
            mass: self.mass.as_ref().map(MassJson::of),
        })
    }
}

/// Facts about a file that contains a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SceneInfo {
    /// The bodies with triangles, in the order of the file.
    pub bodies: Vec<BodyInfo>,
    /// The names of the moving joints.
    pub joints: Vec<String>,
    /// The names of the animations; an animation without a name has its number.
    pub animations: Vec<String>,
    /// Lower and upper corner of the bounding box of all triangles in the world, in metres; `None` without
    /// triangles.
    pub bounds: Option<[DVec3; 2]>,
    /// The settings of a scene in TOML.
    pub terms: Option<SceneSettings>,
    /// For a recording, the bodies that are keyframed until their first contact, as the recording has them.
    pub releases: Vec<ReleaseInfo>,
    /// For a robot, its links and joints.
    pub robot: Option<RobotInfo>,
    /// Warnings of the reader, one sentence each.
    pub warnings: Vec<String>,
}

/// The release of a body that is keyframed until its first contact.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleaseInfo {
    /// Its name.
    pub body: String,
    /// The time in seconds from which it is dynamic. `None`: it was never released.
    pub time: Option<f64>,
}

/// A body of a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BodyInfo {
    /// Its name, unique among the bodies.
    pub name: String,
    /// The number of triangles of its surface; 0 if it is not a mesh.
    pub triangles: usize,
    /// Its shape, in a scene in TOML.
    pub shape: Option<ShapeInfo>,
    /// Its mass, if a density was given; or the reason why it has none.
    pub mass: Option<std::result::Result<MassInfo, String>>,
}

/// The shape of a body of a scene in TOML.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeInfo {
    /// Its key in the file: `mesh`, `csg`, `points` and others.
    pub key: &'static str,
    /// For a `csg`, the number of its parts, combinations included.
    pub parts: Option<usize>,
    /// Lower and upper corner of its bounding box in its own frame, in metres.
    pub bounds: [DVec3; 2],
}

/// The settings of a scene in TOML; in JSON, keys of these names.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SceneSettings {
    /// Duration, in seconds.
    pub duration: f64,
    /// Surfaces closer than this touch, in metres.
    pub tolerance: f64,
    /// Accuracy for pairs with a solid, a cloud or a parametric surface, in metres.
    pub epsilon: f64,
    /// Pairs that come this close are reported too, in metres.
    pub clearance: f64,
}

impl SceneInfo {
    /// The number of triangles of all bodies.
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.bodies.iter().fold(0, |sum, body| sum.saturating_add(body.triangles))
    }

    /// The facts as one line of JSON, with its line end. Names and order of the keys are fixed. Joints, animations,
    /// releases and a robot are present if there are any; settings and shapes are present for a scene in TOML.
    #[must_use]
    pub fn to_json(&self) -> String {
        let bodies = self.bodies.iter().map(|body| BodyLine {
            name: &body.name,
            triangles: body.triangles,
            shape: body.shape.map(|shape| shape.key),
            parts: body.shape.and_then(|shape| shape.parts),
            bounds: body.shape.map(|shape| shape.bounds.map(plain_vector)),
            mass: body.mass.as_ref().map(|mass| mass.as_ref().ok().map(MassJson::of)),
            no_mass: body.mass.as_ref().and_then(|mass| mass.as_ref().err()),
        });
        let released = self.releases.iter();
        let released =
            released.map(|release| ReleaseLine { body: &release.body, t: release.time.map(plain) });
        json_line(&SceneLine {
            format: 1,
            kind: "scene",
            bodies: bodies.collect(),
            joints: &self.joints,
            animations: &self.animations,
            triangles: self.triangles(),
            bounds: self.bounds.map(|corners| corners.map(plain_vector)),
            terms: self.terms,
            released: released.collect(),
            robot: self.robot.as_ref(),
            warnings: &self.warnings,
        })
    }
}

#[derive(Serialize)]
struct SceneLine<'a> {
    format: u32,
    kind: &'static str,
    bodies: Vec<BodyLine<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    joints: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    animations: &'a [String],
    triangles: usize,
    bounds: Option<[[f64; 3]; 2]>,
    #[serde(flatten)]
    terms: Option<SceneSettings>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    released: Vec<ReleaseLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    robot: Option<&'a RobotInfo>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct ReleaseLine<'a> {
    body: &'a str,
    /// `null` if it was never released.
    t: Option<f64>,
}

#[derive(Serialize)]
struct BodyLine<'a> {
    name: &'a str,
    triangles: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<[[f64; 3]; 2]>,
    /// `null` if a density was given and the body has no mass: then `no_mass` has the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    mass: Option<Option<MassJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_mass: Option<&'a String>,
}

/// The facts in JSON: the order of the fields is the order of the keys.
#[derive(Serialize)]
struct MeshLine<'a> {
    format: u32,
    kind: &'static str,
    vertices: usize,
    triangles: usize,
    closed: bool,
    pieces: usize,
    degenerate_triangles: usize,
    non_manifold_edges: usize,
    bounds: Option<[[f64; 3]; 2]>,
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    facing: Option<FacingEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mass: Option<MassJson>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<MeshInfo> {
        let file = MeshFile { vertices, triangles, warnings: vec!["odd".into()], ..MeshFile::default() };
        MeshInfo::of(file, Path::new("set/part.off"))
    }

    #[test]
    fn line_format_is_exact() {
        // A tetrahedron with its first corner twice, once with -0.
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.5, 0.0], [0.0, 0.0, 2.0], [-0.0, 0.0, 0.0]];
        let faces = vec![[0, 2, 1], [4, 1, 3], [1, 2, 3], [0, 3, 2]];
        let line = info(corners.map(DVec3::from_array).to_vec(), faces).unwrap().to_json();
        assert_eq!(
            line,
            "{\"format\":1,\"kind\":\"mesh\",\"vertices\":5,\"triangles\":4,\"closed\":true,\"pieces\":1,\
             \"degenerate_triangles\":0,\"non_manifold_edges\":0,\"bounds\":[[0.0,0.0,0.0],[1.0,1.5,2.0]],\
             \"warnings\":[\"odd\"]}\n"
        );
    }

    #[test]
    fn facing_comes_last() {
        // A square of two triangles that faces a translation along z; all its edges matter.
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let square = || MeshFile {
            vertices: corners.map(DVec3::from_array).to_vec(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            ..MeshFile::default()
        };
        let screw =
            |direction| AxisScrew { direction, point: DVec3::new(5.0, 0.0, 0.0), slide: 2.0, angle: 0.0 };
        let line = |direction| {
            MeshInfo::moving(square(), Path::new("s.obj"), Some(&screw(direction))).map(|info| info.to_json())
        };
        let end = "\"warnings\":[],\"facing\":{\"forward\":1.0,\"backward\":0.0,\"along\":0.0,\
                   \"faces\":{\"forward\":2,\"backward\":0,\"split\":0,\"along\":0},\"edges\":5,\"culled_edges\":0}}\n";
        let found = line(3.0 * DVec3::Z).unwrap();
        assert!(found.ends_with(end), "{found}");
        let message = line(DVec3::ZERO).unwrap_err().to_string();
        assert_eq!(message, "s.obj: screw: axis direction: found zero length, expected a direction");
        let nothing = MeshFile::default();
        let info = MeshInfo::moving(nothing, Path::new("s.obj"), Some(&screw(DVec3::Z))).unwrap();
        assert_eq!(info.facing, Some(Facing::default()));
    }

    #[test]
    fn a_scene_has_its_bodies() {
        let body = |name: &str, triangles| BodyInfo { name: name.into(), triangles, ..BodyInfo::default() };
        let mut info = SceneInfo {
            bodies: vec![body("a", 2), body("\"b\"", 3)],
            animations: vec!["walk".into()],
            bounds: Some([DVec3::new(-0.0, 0.5, 1.0), DVec3::ONE]),
            ..SceneInfo::default()
        };
        assert_eq!(
            info.to_json(),
            "{\"format\":1,\"kind\":\"scene\",\"bodies\":[{\"name\":\"a\",\"triangles\":2},{\"name\":\"\\\"b\\\"\",\"triangles\":3}],\
             \"animations\":[\"walk\"],\"triangles\":5,\"bounds\":[[0.0,0.5,1.0],[1.0,1.0,1.0]],\"warnings\":[]}\n"
        );
        (info.bodies, info.animations, info.bounds) = (vec![], vec![], None);
        info.joints.push("j".into());
        let rest = "\"bodies\":[],\"joints\":[\"j\"],\"triangles\":0,\"bounds\":null,\"warnings\":[]}\n";
        assert!(info.to_json().ends_with(rest), "{}", info.to_json());
    }

    #[test]
    fn meshes_without_triangles_have_facts() {
        let line = info(vec![DVec3::ONE], vec![]).unwrap().to_json();
        assert!(line.contains(r#""vertices":1,"triangles":0,"closed":false,"pieces":0"#), "{line}");
        assert!(line.contains(r#""bounds":null,"warnings":["odd"]}"#), "{line}");
    }

    #[test]
    fn engine_errors_have_the_file() {
        let error = info(vec![DVec3::splat(1e101); 3], vec![[0, 1, 2]]).unwrap_err().to_string();
        assert_eq!(error, "set/part.off: vertex 0: found 1e101, expected a magnitude below 1e70");
    }
}
