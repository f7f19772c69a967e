//! Bodies: meshes and primitives.

use std::mem::MaybeUninit;
use std::sync::Arc;

use chasles::{CollisionShape, Mesh, Primitive};
use glam::DVec3;

use crate::argument::{array, handed_over, needed, needed_out};
use crate::status::{Failure, Status, guarded};

/// A body: a mesh with its hierarchy, or a primitive. It never changes: any number of calls, from any threads, may
/// use it at the same time, in any role, for any number of queries.
#[derive(Debug)]
pub struct Body {
    pub(crate) shape: CollisionShape,
}

/// Makes a body from a mesh.
///
/// @param vertices The vertices, three numbers each (x, y, z), in metres, in the body's frame.
/// @param vertex_count The number of vertices: `vertices` has three times as many numbers.
/// @param triangles The triangles, three vertex numbers each, counted from 0.
/// @param triangle_count The number of triangles, at least one: `triangles` has three times as many numbers.
/// @param body Where the handle is written; NULL if the call fails.
///
/// The surface need not be closed, and triangles may be degenerate. Both arrays are copied.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_body_mesh(
    vertices: *const f64,
    vertex_count: usize,
    triangles: *const u32,
    triangle_count: usize,
    body: Option<&mut MaybeUninit<*mut Body>>,
) -> Status {
    guarded(|| {
        handed_over(body, || {
            // SAFETY: the caller guarantees the lengths; three numbers have the alignment of one.
            let vertices = unsafe { array(vertices.cast::<[f64; 3]>(), vertex_count, "vertices")? };
            // SAFETY: as above.
            let triangles = unsafe { array(triangles.cast::<[u32; 3]>(), triangle_count, "triangles")? };
            let vertices = vertices.iter().copied().map(DVec3::from_array).collect();
            let mesh = Mesh::new(vertices, triangles.to_vec());
            let mesh = mesh.map_err(|error| Failure::engine("mesh", &error))?;
            Ok(Body { shape: CollisionShape::mesh(Arc::new(chasles::PreparedMesh::new(mesh))) })
        })
    })
}

fn primitive(primitive: Primitive, body: Option<&mut MaybeUninit<*mut Body>>) -> Status {
    guarded(|| {
        handed_over(body, || {
            let shape = CollisionShape::primitive(primitive);
            Ok(Body { shape: shape.map_err(|error| Failure::engine("primitive", &error))? })
        })
    })
}

/// Makes a box, centred at the origin of its frame, with its edges along the axes.
///
/// @param x,y,z The full sizes, in metres, each greater than 0.
/// @param body Where the handle is written; NULL if the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_body_box(
    x: f64,
    y: f64,
    z: f64,
    body: Option<&mut MaybeUninit<*mut Body>>,
) -> Status {
    primitive(Primitive::Box { size: DVec3::new(x, y, z) }, body)
}

/// Makes a ball, centred at the origin of its frame. It is a true ball, no polyhedron.
///
/// @param radius In metres, greater than 0.
/// @param body Where the handle is written; NULL if the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_body_sphere(radius: f64, body: Option<&mut MaybeUninit<*mut Body>>) -> Status {
    primitive(Primitive::Sphere { radius }, body)
}

/// Makes a cylinder, centred at the origin of its frame, with its axis along z. It is truly round, no polyhedron.
///
/// @param radius In metres, greater than 0.
/// @param height In metres, greater than 0.
/// @param body Where the handle is written; NULL if the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_body_cylinder(
    radius: f64,
    height: f64,
    body: Option<&mut MaybeUninit<*mut Body>>,
) -> Status {
    primitive(Primitive::Cylinder { radius, height }, body)
}

/// Makes a cone, with its axis along z, its tip at z = + `height` / 2 and its base at z = - `height` / 2. It is
/// truly round, no polyhedron.
///
/// @param radius Of the base, in metres, greater than 0.
/// @param height From base to tip, in metres, greater than 0.
/// @param body Where the handle is written; NULL if the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_body_cone(
    radius: f64,
    height: f64,
    body: Option<&mut MaybeUninit<*mut Body>>,
) -> Status {
    primitive(Primitive::Cone { radius, height }, body)
}

/// Makes a capsule: a cylinder along z with half a ball on each end, centred at the origin of its frame. It is
/// truly round, no polyhedron.
///
/// @param radius In metres, greater than 0.
/// @param height Of the cylinder, without its ends, in metres, greater than 0.
/// @param body Where the handle is written; NULL if the call fails.
///
/// Threads: any, at any time. The handle is freed by `chasles_body_free`.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_body_capsule(
    radius: f64,
    height: f64,
    body: Option<&mut MaybeUninit<*mut Body>>,
) -> Status {
    primitive(Primitive::Capsule { radius, height }, body)
}

/// An axis-aligned box in a frame.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The minimum x, y and z, in metres.
    pub least: [f64; 3],
    /// The maximum x, y and z, in metres.
    pub greatest: [f64; 3],
}

/// The bounding box of a body in its own frame.
///
/// @param body The body.
/// @param bounds Where the bounds are written.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_body_bounds(
    body: Option<&Body>,
    bounds: Option<&mut MaybeUninit<Bounds>>,
) -> Status {
    guarded(|| {
        let shape = &needed(body, "body")?.shape;
        // The engine's bounds of a round body are for the polyhedron that displays it.
        let round = shape.round_primitive().map(|round| [-round.half_size(), round.half_size()]);
        let [least, greatest] = round.unwrap_or(shape.bounds()).map(|end| end.to_array());
        needed_out(bounds, "bounds")?.write(Bounds { least, greatest });
        Ok(())
    })
}

/// Frees a body. NULL is allowed.
///
/// Threads: any, once no other call uses the body.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_body_free(body: Option<Box<Body>>) {
    guarded(|| {
        drop(body);
        Ok(())
    });
}
