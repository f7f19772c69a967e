//! The arguments of `chasles info`.

use std::path::PathBuf;

use chasles_formats::info::AxisScrew;
use chasles_formats::mesh::MissingGeometry;
use clap::ValueHint;

use super::robot::{package, unread};
use super::values::{axis_screw, density};

/// Print the contents of a file: triangles, pieces, faults, and whether a mesh is closed.
///
/// Reads meshes (OBJ, STL, PLY, OFF, COLLADA, OctoMap), points (.xyz, .pcd), NumPy arrays (.npy), scenes (.toml)
/// with all files that they name, recordings of scenes (.jsonl), glTF scenes (.gltf, .glb), VRML97 and X3D worlds
/// (.wrl, .x3d) and robots (.urdf). The name of a mesh file decides its format, or else its content. Vertices that
/// are equal bit for bit are merged before edges are counted.
#[derive(Debug, clap::Args)]
#[command(after_long_help = INFO_HELP)]
pub(crate) struct InfoArgs {
    /// The file: .obj, .stl, .ply, .off, .dae, .bt, .ot, .xyz, .pcd, .npy, .toml, .gltf, .glb, .wrl, .x3d, .urdf,
    /// several robots (.toml) or a recording (.jsonl)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    /// For a robot: the folder of a package of meshes; may be given several times
    ///
    /// Without this option, the package is searched for in the folder of the robot's file, then in its parent folders.
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    pub(crate) packages: Vec<(String, PathBuf)>,

    /// For a robot: its SRDF, whose named configurations are listed
    #[arg(long, value_name = "FILE.srdf", value_hint = ValueHint::FilePath)]
    pub(crate) srdf: Option<PathBuf>,

    /// For a robot: links without collision geometry take their visual geometry
    #[arg(long)]
    pub(crate) use_visual: bool,

    /// Leave out surfaces of mesh files that Chasles cannot read, such as free-form surfaces of an OBJ
    ///
    /// Without this option such a file is an error. With it, a warning names the missing surfaces.
    #[arg(long)]
    pub(crate) allow_missing_geometry: bool,

    /// For a mesh: which parts of its surface lead and trail in a screw motion
    ///
    /// The screw is the direction of its axis, a point on the axis, the translation along the axis and the rotation
    /// about it. The direction may have any length except 0. The translation is in the unit of the file, the angle in
    /// radians.
    #[arg(
        long,
        value_name = "sx,sy,sz,px,py,pz,d,b",
        value_parser = axis_screw,
        allow_hyphen_values = true
    )]
    pub(crate) screw: Option<AxisScrew>,

    /// For a mesh: the closed convex pieces that it consists of, or the reason why it does not
    ///
    /// The key `convex = true` of a scene requires such a mesh.
    #[arg(long, conflicts_with = "screw")]
    pub(crate) pieces: bool,

    /// For a mesh, a scene (.toml) or its recording: volume, mass, centre of mass and inertia, with this uniform
    /// density
    ///
    /// For a scene in kg/m^3; for a mesh, which has no unit, in mass per cube of its unit.
    #[arg(
        long,
        value_name = "D",
        value_parser = density,
        allow_negative_numbers = true,
        conflicts_with_all = ["screw", "pieces"]
    )]
    pub(crate) density: Option<f64>,
}

impl InfoArgs {
    /// How surfaces that Chasles cannot read are treated.
    pub(crate) fn unread(&self) -> MissingGeometry {
        unread(self.allow_missing_geometry)
    }
}

const INFO_HELP: &str = r#"FACTS
  {"format":1,"kind":"mesh","vertices":8,"triangles":12,"closed":true,
   "pieces":1,"degenerate_triangles":0,"non_manifold_edges":0,
   "bounds":[[0,0,0],[1,1,1]],"warnings":[]}                   (on one line)

  vertices              as in the file; for an STL, which repeats vertices, the
                        number of different vertices
  triangles             after polygons are divided into triangles
  closed                every edge has exactly two triangles
  pieces                connected components: sets of triangles joined by edges
  degenerate_triangles  triangles whose area is exactly zero
  non_manifold_edges    edges with more than two triangles
  bounds                of the triangles, in the unit of the file; null if there
                        are no triangles
  warnings              ignored or suspicious parts of the file
  facing                with --screw: {"forward":3.0,"backward":3.0,"along":0.0,
                        "faces":{"forward":4,"backward":4,"split":4,"along":0},
                        "edges":18,"culled_edges":0}.
                        "forward": the area that moves along its normal, in the
                        square of the file's unit; "backward": against it;
                        "along": neither. "faces": the same as numbers of
                        triangles; "split": partly forward, partly backward.
                        "culled_edges": edges without a forward triangle
  mass                  with --density: {"density":2,"volume":1,"mass":2,
                        "center":[..],"inertia":[[..],[..],[..]]}: the centre of
                        mass, and the inertia about it, in the frame of the
                        mesh. Each body of a scene has this in its own frame, or
                        null and the reason in "no_mass". "accuracy", if
                        present: the maximum relative error of the volume

  {"format":1,"kind":"pieces","convex":true,"pieces":[{"triangles":12,
   "vertices":8,"first":0,"volume":1,"bounds":[[0,0,0],[1,1,1]]}],
   "warnings":[]}                                                (with --pieces)

  convex                every piece is closed, oriented outwards and convex, to
                        1e-9 of its size; else "why" names the piece, edge,
                        vertex or face, and its deviation
  pieces                sets of triangles joined by edges, each with the number
                        of its first triangle; volume and bounds in the unit of
                        the file

  {"format":1,"kind":"scene","bodies":[{"name":"wheel","triangles":2304}],
   "animations":["roll"],"triangles":2304,"bounds":[..],"warnings":[]}

  bodies                nodes of a glTF file with triangles; links of a robot
                        with collision geometry; for a scene (.toml) all bodies,
                        each with the key of its shape, the number of parts of a
                        csg, and the box around it in its own frame:
                        {"name":"plate","triangles":0,"shape":"csg","parts":4,
                         "bounds":[..]}
  joints                for a robot: the names of the joints that move
  animations            their names, or their numbers if they have no name;
                        missing if there are no animations
  bounds                in the world, at the start of the animations; for a
                        robot at rest, in the frame of its root link; for a
                        scene (.toml) a box around the boxes of its bodies at
                        time 0
  duration, tolerance,  for a scene (.toml), in seconds and metres
  epsilon, clearance

EXIT STATUS
  0  the file was read, perhaps with warnings
  2  it was not: standard error says where, what was found and what was
     expected

EXAMPLES
  The facts as a table:
      chasles info part.stl

  Which part of the surface leads if it is drilled along z, one turn per unit of the file?
      chasles info part.stl --screw 0,0,1,0,0,0,1,6.283185307179586

  How heavy is a part of steel whose file is in millimetres, in kilograms?
      chasles info part.stl --density 7.85e-6

  The meshes of a folder that are not closed, with jq:
      for f in *.stl; do chasles info --json "$f" | jq -e .closed >/dev/null || echo "$f"; done"#;
