//! Misspelt names in a world: a field, a node kind or an event that does not exist. Ignoring such a name would leave
//! out a shape or a motion.

use super::kinds::{self, EVERYWHERE};
use super::syntax::{Route, VrmlDocument, VrmlNode};
use crate::error::Result;
use crate::text::similar::{closest, nearest};
use crate::text::tree::quoted;

/// Node kinds that make up shapes and their motion.
const KINDS: [&str; 38] = [
    "Transform", "CADPart", "Group", "Anchor", "Billboard", "StaticGroup", "CADAssembly", "CADLayer",
    "PickableGroup", "Collision", "Switch", "LOD", "Inline", "Shape", "Box", "Sphere", "Cone", "Cylinder",
    "Extrusion", "ElevationGrid", "IndexedFaceSet", "IndexedTriangleSet", "IndexedTriangleStripSet",
    "IndexedTriangleFanSet", "TriangleSet", "TriangleStripSet", "TriangleFanSet", "IndexedLineSet",
    "LineSet", "PointSet", "Text", "Coordinate", "CoordinateDouble", "PositionInterpolator",
    "OrientationInterpolator", "CoordinateInterpolator", "ScalarInterpolator", "TimeSensor",
];

/// X3D node kinds that Chasles does not read, with names similar to known kinds.
const OTHERS: [&str; 24] = [
    "Arc2D", "ArcClose2D", "CADFace", "Circle2D", "CollisionSensor", "CollisionSpace", "CollisionCollection",
    "Contour2D", "Contour3D", "CollidableShape", "GeoCoordinate", "GeoElevationGrid", "GeoInline", "GeoLOD",
    "GeoPositionInterpolator", "GeoTransform", "IndexedQuadSet", "PointEmitter", "QuadSet",
    "TransformSensor", "TriangleSet2D", "Polypoint2D", "Polyline2D", "PositionInterpolator3D",
];

/// Looks for names that do not exist.
///
/// # Errors
/// A name that is nearly a known name, with its place; an event of a `ROUTE` that its node does not have. A field that
/// resembles no known field brings a warning.
pub(crate) fn check(document: &mut VrmlDocument) -> Result<()> {
    let mut warnings = std::mem::take(&mut document.warnings);
    for node in &document.nodes {
        check_kind(document, node)?;
        for field in node.fields.iter().filter(|field| !has(document, node, &field.name)) {
            if let Some(similar) = nearest(&field.name, names(document, node).into_iter()) {
                let message = format!(
                    "{} has no field {}: did you mean {}?",
                    node.kind,
                    quoted(&field.name),
                    quoted(similar)
                );
                return Err(document.source.error(field.at, message));
            }
            let warning = format!("{} has no field {}; it is read past", node.kind, field.name);
            warnings.push(document.source.warning(field.at, &warning));
        }
    }
    document.warnings = warnings;
    document.routes.iter().try_for_each(|route| check_route(document, route))
}

fn check_kind(document: &VrmlDocument, node: &VrmlNode) -> Result<()> {
    if node.proto.is_some() || kinds::kind(&node.kind).is_some() || OTHERS.contains(&&*node.kind) {
        return Ok(());
    }
    match nearest(&node.kind, KINDS.into_iter()) {
        None => Ok(()),
        Some(similar) => {
            let message = format!("found the node {}: did you mean {similar}?", quoted(&node.kind));
            Err(document.source.error(node.at, message))
        }
    }
}

/// Whether a node has a field or event.
fn has(document: &VrmlDocument, node: &VrmlNode, field: &str) -> bool {
    let Some(proto) = node.proto else { return kinds::has_field(&node.kind, field) };
    let declared =
        |name: &str| document.protos[proto].interface.iter().any(|declared| *declared.name == *name);
    field == "metadata" || declared(field) || declared(kinds::field_of_event(field))
}

/// The known fields of a node.
fn names<'a>(document: &'a VrmlDocument, node: &VrmlNode) -> Vec<&'a str> {
    match node.proto {
        Some(proto) => document.protos[proto].interface.iter().map(|declared| &*declared.name).collect(),
        None => {
            let children = kinds::has_field(&node.kind, "children").then_some("children");
            kinds::fields(&node.kind)
                .into_iter()
                .flatten()
                .copied()
                .chain(children)
                .chain(EVERYWHERE)
                .collect()
        }
    }
}

fn check_route(document: &VrmlDocument, route: &Route) -> Result<()> {
    let [from, to] = [&document.nodes[route.from.0], &document.nodes[route.to.0]];
    let source_type = if from.proto.is_none() {
        event_type(&from.kind, kinds::field_of_event(&route.from.1))
    } else {
        None
    };
    for (node, event, expected_kind) in [(from, &route.from.1, None), (to, &route.to.1, source_type)] {
        if has(document, node, event) {
            continue;
        }
        let fits = |name: &&str| {
            let kind = event_type(&node.kind, name);
            !EVERYWHERE.contains(name)
                && (expected_kind.is_none() || node.proto.is_some() || kind == expected_kind)
        };
        let all = names(document, node);
        let fitting: Vec<&str> = all.iter().copied().filter(fits).collect();
        let of = if fitting.is_empty() { all } else { fitting };
        let bare_name = kinds::field_of_event(event);
        let similar =
            nearest(bare_name, of.iter().copied()).or_else(|| closest(bare_name, of.iter().copied()));
        let hint = similar.map_or_else(String::new, |similar| {
            let like = match (event.strip_prefix("set_"), event.strip_suffix("_changed")) {
                (Some(_), _) => format!("set_{similar}"),
                (_, Some(_)) => format!("{similar}_changed"),
                _ => similar.to_owned(),
            };
            format!(": did you mean {}?", quoted(&like))
        });
        let message = format!("found a ROUTE of {}, which {} does not have{hint}", quoted(event), node.kind);
        return Err(document.source.error(route.at, message));
    }
    Ok(())
}

/// The type of a field of a known kind, if types distinguish its fields.
fn event_type(kind: &str, field: &str) -> Option<&'static str> {
    Some(match (kind, field) {
        ("Transform", "center" | "scale" | "translation") | ("PositionInterpolator", "value") => "SFVec3f",
        ("Transform", "rotation" | "scaleOrientation") | ("OrientationInterpolator", "value") => "SFRotation",
        ("TimeSensor" | "PositionInterpolator" | "OrientationInterpolator", "fraction") => "SFFloat",
        ("TimeSensor", "enabled" | "loop" | "isActive" | "isPaused")
        | ("Collision", "enabled" | "collide") => "SFBool",
        ("TimeSensor", "time" | "cycleTime" | "elapsedTime" | "startTime" | "stopTime" | "cycleInterval") => {
            "SFTime"
        }
        _ => return None,
    })
}
