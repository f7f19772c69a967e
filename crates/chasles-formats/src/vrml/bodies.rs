//! Shapes for the engine: meshes with their scales applied, and round bodies as primitives.

use std::collections::HashMap;
use std::sync::Arc;

use chasles::{CollisionShape, Mesh, Pose, PreparedMesh, Primitive};
use glam::{DMat3, DQuat};

use super::graph::{Graph, NodeInstance};
use super::surface::form::{CylinderParts, VrmlGeometry};
use super::surface::workshop::MeshBudget;
use super::tree::{VrmlShape, WorldTree};
use crate::error::{Result, Warnings};
use crate::figures::rounded;
use crate::gltf::frames::{CarrierMap, NEGLIGIBLE_DEVIATION, map_key};
use crate::limits;
use crate::scene::units::likely_millimetres;

/// The created shapes. Uses of one surface with equal scales share a shape.
#[derive(Debug)]
pub(super) struct VrmlShapes<'a> {
    graph: &'a Graph,
    tree: &'a WorldTree,
    made: HashMap<(usize, [u64; 9]), PlacedShape>,
    budget: MeshBudget,
    /// The diagonal of each created shape, with the place of its first use.
    sizes: Vec<(f64, NodeInstance)>,
    warnings: Warnings,
}

/// Vertices and triangles of all meshes, in addition to twice the triangles of the surfaces.
const MAX_VERTICES: usize = 1 << 25;

/// A shape, and its rotation in the frame to which its linear map leads.
#[derive(Debug, Clone)]
struct PlacedShape {
    shape: CollisionShape,
    orientation: DQuat,
}

/// Rotates the engine's axis of round bodies, z, to VRML's axis, y: z to y, y to x, x to z. Exact.
const Z_TO_Y: DQuat = DQuat::from_xyzw(-0.5, -0.5, -0.5, 0.5);

impl<'a> VrmlShapes<'a> {
    pub(super) fn new(graph: &'a Graph, tree: &'a WorldTree) -> Self {
        let spread = tree.surfaces.iter().map(VrmlGeometry::count).fold(0_usize, usize::saturating_add);
        let budget = MeshBudget(spread.saturating_mul(2).saturating_add(MAX_VERTICES));
        Self { graph, tree, made: HashMap::new(), budget, sizes: Vec::new(), warnings: Warnings::default() }
    }

    /// Returns the shape, `None` if it is not tested, and its pose in the frame of the transform that carries it.
    ///
    /// # Errors
    /// With the place of the shape in the file: a round shape that its scales make oval, numbers out of range.
    pub(super) fn of(
        &mut self,
        shape: &VrmlShape,
        rest: &CarrierMap,
    ) -> Result<(Option<CollisionShape>, Pose)> {
        let graph = self.graph;
        let complain = |error: chasles::Error| graph.error(shape.instance, error.to_string());
        if !shape.collides {
            return Ok((None, Pose::new(rest.position, rest.rotation).map_err(complain)?));
        }
        let key = (shape.surface, map_key(rest.linear));
        let made = match self.made.get(&key) {
            Some(made) => made.clone(),
            None => {
                let made = self.make(shape, rest.linear)?;
                self.sizes.push((made.shape.drawn().diagonal(), shape.instance));
                self.made.insert(key, made.clone());
                made
            }
        };
        let pose = Pose::new(rest.position, (rest.rotation * made.orientation).normalize());
        Ok((Some(made.shape), pose.map_err(complain)?))
    }

    /// The warnings about all created shapes.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = self.warnings.clone();
        let sizes: Vec<f64> = self.sizes.iter().map(|(size, _)| *size).collect();
        for index in likely_millimetres(&sizes) {
            let (size, instance) = self.sizes[index];
            let size = rounded(size, 3);
            let what = format!(
                "it is {size} m across, far more than the rest: if it is in millimetres, it needs a Transform with scale 0.001 \
                 0.001 0.001"
            );
            warnings.push(self.graph.warning(instance, &what));
        }
        warnings.list()
    }

    fn make(&mut self, shape: &VrmlShape, linear: DMat3) -> Result<PlacedShape> {
        let complain = |error: chasles::Error| self.graph.error(shape.instance, error.to_string());
        match &self.tree.surfaces[shape.surface] {
            VrmlGeometry::Mesh { vertices, triangles } => {
                let spent = self.budget.spend(vertices.len() + triangles.len());
                spent.map_err(|message| self.graph.error(shape.instance, message))?;
                let limit = limits::check_triangles(triangles.len());
                limit.map_err(|message| self.graph.error(shape.instance, message))?;
                let vertices = if linear == DMat3::IDENTITY {
                    vertices.clone()
                } else {
                    vertices.iter().map(|vertex| linear * *vertex).collect()
                };
                let mesh = Mesh::new(vertices, triangles.clone()).map_err(complain)?;
                Ok(PlacedShape {
                    shape: CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh))),
                    orientation: DQuat::IDENTITY,
                })
            }
            VrmlGeometry::Round { primitive, parts } => {
                if !parts.all() {
                    self.warnings.push(self.graph.warning(shape.instance, &needs_all_parts(*parts)));
                }
                let Some((primitive, orientation)) = scaled(*primitive, linear) else {
                    let message = "found a scale that differs with the direction on a round body: expected one that leaves it round";
                    return Err(self.graph.error(shape.instance, message));
                };
                let shape = CollisionShape::primitive(primitive).map_err(complain)?;
                Ok(PlacedShape { shape, orientation: orientation * Z_TO_Y })
            }
        }
    }
}

/// The warning about a round body that lacks a part.
fn needs_all_parts(parts: CylinderParts) -> String {
    let missing = [(parts.top, "top"), (parts.side, "side"), (parts.bottom, "bottom")];
    let missing: Vec<&str> = missing.iter().filter(|(there, _)| !there).map(|(_, name)| *name).collect();
    format!("the round body lacks its {}; the check takes it as if it were whole", missing.join(" and "))
}

/// The image of a round body, with its axis along y, under a linear map: another round body and its rotation. `None`
/// if the image is not round.
fn scaled(primitive: Primitive, linear: DMat3) -> Option<(Primitive, DQuat)> {
    let [x, y, z] = [linear.x_axis, linear.y_axis, linear.z_axis];
    let (across, along) = ((0.5 * (x.length_squared() + z.length_squared())).sqrt(), y.length());
    let columns = DMat3::from_cols(x / across, y / along, z / across);
    let error = columns.transpose() * columns - DMat3::IDENTITY;
    let error = error.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
    let is_ball = matches!(primitive, Primitive::Sphere { .. });
    // A NaN compares false, so it never counts as round.
    let is_round = error <= NEGLIGIBLE_DEVIATION
        && (!is_ball || (across - along).abs() <= NEGLIGIBLE_DEVIATION * across);
    if !is_round {
        return None;
    }
    // A reflection in a plane through the axis does not change the body.
    let columns = if columns.determinant() < 0.0 {
        DMat3::from_cols(columns.x_axis, columns.y_axis, -columns.z_axis)
    } else {
        columns
    };
    // The identity needs no rounding.
    let orientation =
        if columns == DMat3::IDENTITY { DQuat::IDENTITY } else { DQuat::from_mat3(&columns).normalize() };
    let primitive = match primitive {
        Primitive::Cylinder { radius, height } => {
            Primitive::Cylinder { radius: radius * across, height: height * along }
        }
        Primitive::Cone { radius, height } => {
            Primitive::Cone { radius: radius * across, height: height * along }
        }
        ball => ball.scaled(across),
    };
    Some((primitive, orientation))
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    const CONE: Primitive = Primitive::Cone { radius: 1.0, height: 2.0 };

    #[test]
    fn the_axis_of_round_bodies_is_y() {
        for (from, to) in [(DVec3::Z, DVec3::Y), (DVec3::Y, DVec3::X), (DVec3::X, DVec3::Z)] {
            assert_eq!(Z_TO_Y * from, to);
        }
    }

    #[test]
    fn round_bodies_stay_round_under_some_scales() {
        let scale = |x, y, z| DMat3::from_diagonal(DVec3::new(x, y, z));
        let orientation = DMat3::from_rotation_x(0.4) * DMat3::from_rotation_z(1.1);
        assert_eq!(scaled(CONE, DMat3::IDENTITY), Some((CONE, DQuat::IDENTITY)));
        let long = Primitive::Cone { radius: 2.0, height: 6.0 };
        assert_eq!(scaled(CONE, scale(2.0, 3.0, 2.0)), Some((long, DQuat::IDENTITY)));
        // Reflections in planes through the axis change nothing; a reflection along the axis reverses the tip.
        assert_eq!(scaled(CONE, scale(-1.0, 1.0, 1.0)).unwrap().1 * DVec3::Y, DVec3::Y);
        for mirror in [scale(-2.0, -2.0, -2.0), scale(2.0, -2.0, 2.0)] {
            let (made, rotated_orientation) = scaled(CONE, mirror).unwrap();
            assert_eq!(made, Primitive::Cone { radius: 2.0, height: 4.0 });
            assert!((rotated_orientation * DVec3::Y).distance(-DVec3::Y) < 1e-15);
        }
        let (_, rotated_orientation) = scaled(CONE, orientation * scale(0.5, 4.0, 0.5)).unwrap();
        assert!((rotated_orientation * DVec3::Y).distance(orientation * DVec3::Y) < 1e-15);
        assert_eq!(scaled(CONE, scale(1.0, 1.0, 1.001)), None);
        assert_eq!(scaled(CONE, scale(2.0, 1.0, 1.0)), None);
        assert_eq!(scaled(CONE, scale(2.0, 1.0, 2.0) * orientation), None);
        assert_eq!(scaled(Primitive::Sphere { radius: 1.0 }, scale(2.0, 3.0, 2.0)), None);
        assert_eq!(scaled(Primitive::Sphere { radius: 1.0 }, scale(f64::NAN, 1.0, 1.0)), None);
    }
}
