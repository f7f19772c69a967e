//! The arguments of `chasles info`.

use std::path::PathBuf;

use chasles_formats::info::AxisScrew;
use chasles_formats::mesh::MissingGeometry;
use clap::ValueHint;

use super::robot::{package, unread};
use super::values::{axis_screw, density};

/// Tell what is in a file: triangles, pieces, faults, and whether a mesh is closed.
///
/// Reads meshes (OBJ, STL, PLY, OFF, COLLADA, and OctoMap's maps), told apart by the name of the file, or by its content where that
/// says nothing, points (.xyz, .pcd), arrays of NumPy (.npy), scenes (.toml) with all that they name, recordings of them (.jsonl), scenes in glTF
/// (.gltf, .glb), worlds in VRML97 and X3D (.wrl, .x3d) and robots (.urdf).
/// Before edges are counted, vertices that are equal bit for bit are merged.
#[derive(Debug, clap::Args)]
#[command(after_long_help = INFO_HELP)]
pub(crate) struct InfoArgs {
    /// The file: .obj, .stl, .ply, .off, .dae, .bt, .ot, .xyz, .pcd, .npy, .toml, .gltf, .glb, .wrl, .x3d, .urdf, several robots (.toml) or a recording (.jsonl)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    /// Of a robot: the folder of a package that meshes are named by; may be given several times
    ///
    /// Without it, the package is looked for in the folder of the robot's file, then in those above.
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    pub(crate) packages: Vec<(String, PathBuf)>,

    /// Of a robot: its SRDF, whose postures are told
    #[arg(long, value_name = "FILE.srdf", value_hint = ValueHint::FilePath)]
    pub(crate) srdf: Option<PathBuf>,

    /// Robots: links without collision geometry take their visual geometry
    #[arg(long)]
    pub(crate) use_visual: bool,

    /// Read mesh files without surfaces that Chasles cannot read, such as free-form surfaces of an OBJ
    ///
    /// Without this option such a file is an error. With it, a warning names the missing surfaces.
    #[arg(long)]
    pub(crate) allow_missing_geometry: bool,

    /// Of a mesh: how its surface faces a screw, by the direction of its axis, a point of it, slide and angle
    ///
    /// The direction need not be one long. Slide in the unit of the file, angle in radians.
    #[arg(
        long,
        value_name = "sx,sy,sz,px,py,pz,d,b",
        value_parser = axis_screw,
        allow_hyphen_values = true
    )]
    pub(crate) screw: Option<AxisScrew>,

    /// Of a mesh: the closed convex pieces that it consists of, which `convex = true` wants; else why it does not
    #[arg(long, conflicts_with = "screw")]
    pub(crate) pieces: bool,

    /// Of a mesh, a scene (.toml) or a recording of one: volume, mass, centre of mass and inertia, filled evenly with this mass per volume
    ///
    /// Of a scene in kg/m^3; of a mesh, which has no unit, in mass per cube of its unit.
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

  vertices              as in the file; of an STL, which repeats them, the
                        different ones
  triangles             after polygons are cut
  closed                every edge has exactly two triangles
  pieces                sets of triangles joined by edges
  degenerate_triangles  their area is exactly zero
  non_manifold_edges    they have more than two triangles
  bounds                of the triangles, in the unit of the file; null where
                        there are none
  warnings              what was passed over or looks wrong
  facing                with --screw: {"forward":3.0,"backward":3.0,"along":0.0,
                        "faces":{"forward":4,"backward":4,"split":4,"along":0},
                        "edges":18,"culled_edges":0}: the area that leads on the
                        way, trails, or slides along itself, in square metres;
                        how many faces do, or do both; how many edges there
                        are, and have no leading face at either end
  mass                  with --density: {"density":2,"volume":1,"mass":2,
                        "center":[..],"inertia":[[..],[..],[..]]}: the centre of
                        mass and the inertia about it in the frame of the mesh;
                        of each body of a scene likewise in its own frame, or
                        null, and "no_mass" says why. "accuracy", where it is
                        there: the share by which the volume may be wrong

  {"format":1,"kind":"pieces","convex":true,"pieces":[{"triangles":12,
   "vertices":8,"first":0,"volume":1,"bounds":[[0,0,0],[1,1,1]]}],
   "warnings":[]}                                                (with --pieces)

  convex                every piece is closed, turned outwards and convex, to
                        1e-9 of its size; else "why" names piece, edge, vertex
                        or face, and how much it is off
  pieces                sets of triangles joined by edges, each with the number
                        of its first triangle; volume and bounds in the unit of
                        the file

  {"format":1,"kind":"scene","bodies":[{"name":"wheel","triangles":2304}],
   "animations":["roll"],"triangles":2304,"bounds":[..],"warnings":[]}

  bodies                nodes of a glTF file that have triangles; links of a
                        robot that have collision geometry; of a scene (.toml)
                        all, with the key of the shape, how many parts a csg
                        has, and the box around it in its own frame:
                        {"name":"plate","triangles":0,"shape":"csg","parts":4,
                         "bounds":[..]}
  joints                of a robot: the names of those that move
  animations            their names, where there are any; of one that has
                        none its number
  bounds                in the world, at the start of its animations;
                        of a robot at rest, seen from its root link; of a scene
                        (.toml) a box around the boxes of its bodies at time 0
  duration, tolerance,  of a scene (.toml), in seconds and metres
  epsilon, clearance

EXIT STATUS
  0  the file was read, perhaps with warnings
  2  it was not: standard error says where, what was found and what was
     expected

EXAMPLES
  The facts as a table:
      chasles info part.stl

  Which part of its surface leads when it is drilled along z, one turn a metre?
      chasles info part.stl --screw 0,0,1,0,0,0,1,6.283185307179586

  How heavy is a part of steel whose file is in millimetres, in kilograms?
      chasles info part.stl --density 7.85e-6

  Those meshes of a folder that are not closed, with jq:
      for f in *.stl; do chasles info --json "$f" | jq -e .closed >/dev/null || echo "$f"; done"#;
