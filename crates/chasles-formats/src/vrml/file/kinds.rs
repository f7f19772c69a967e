//! The known kinds of nodes, and their relevant fields.

/// The role of a node when bodies are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Transform,
    /// A node that has its children in its own frame.
    Group,
    Collision,
    Switch,
    Lod,
    Inline,
    Shape,
    /// Geometry, which only a Shape may have.
    Geometry,
    /// A node with neither children nor a surface.
    Other,
}

/// The role of the kind with this name; `None`: the kind is unknown.
pub(crate) fn kind(name: &str) -> Option<NodeKind> {
    Some(match name {
        "Transform" | "CADPart" => NodeKind::Transform,
        "Group" | "Anchor" | "Billboard" | "StaticGroup" | "CADAssembly" | "CADLayer" | "PickableGroup" => {
            NodeKind::Group
        }
        "Collision" => NodeKind::Collision,
        "Switch" => NodeKind::Switch,
        "LOD" => NodeKind::Lod,
        "Inline" => NodeKind::Inline,
        "Shape" => NodeKind::Shape,
        "Box"
        | "Sphere"
        | "Cone"
        | "Cylinder"
        | "Extrusion"
        | "ElevationGrid"
        | "IndexedFaceSet"
        | "IndexedTriangleSet"
        | "IndexedTriangleStripSet"
        | "IndexedTriangleFanSet"
        | "TriangleSet"
        | "TriangleStripSet"
        | "TriangleFanSet"
        | "IndexedLineSet"
        | "LineSet"
        | "PointSet"
        | "Text" => NodeKind::Geometry,
        _ if fields(name).is_some() || WITHOUT_SURFACE.contains(&name) => NodeKind::Other,
        _ => return None,
    })
}

/// The error about geometry outside of a Shape: the space that it seems to fill would count as free.
pub(crate) fn misplaced(kind: &str) -> String {
    format!("found {kind} where no geometry is allowed, expected it as the geometry of a Shape")
}

/// The name of a field without the prefix `set_` or the suffix `_changed` of its events.
pub(crate) fn field_of_event(field: &str) -> &str {
    field.strip_prefix("set_").or_else(|| field.strip_suffix("_changed")).unwrap_or(field)
}

/// Whether nodes of a kind may have a field. Fields of unknown kinds are accepted.
pub(crate) fn has_field(kind: &str, field: &str) -> bool {
    let anywhere = |field: &&str| !EVERYWHERE.contains(field);
    let is_group = ["children", "addChildren", "removeChildren"].contains(&field_of_event(field));
    match fields(kind) {
        Some(_) if is_group => {
            matches!(kind, "Transform" | "Group" | "Collision" | "Switch" | "LOD" | "StaticGroup")
        }
        Some(known) => !anywhere(&field) || known.contains(&field_of_event(field)),
        None => true,
    }
}

/// Fields that X3D allows on every node, the bounding boxes of groups, and fields that affect the appearance only.
pub(super) const EVERYWHERE: [&str; 17] = [
    "metadata", "bboxCenter", "bboxSize", "bboxDisplay", "visible", "castShadow", "solid", "color",
    "colorIndex", "colorPerVertex", "normal", "normalIndex", "normalPerVertex", "texCoord", "texCoordIndex",
    "creaseAngle", "fogCoord",
];

/// The fields of a kind of nodes; `None`: they are unknown, or irrelevant.
pub(super) fn fields(kind: &str) -> Option<&'static [&'static str]> {
    Some(match kind {
        "Transform" => &["center", "rotation", "scale", "scaleOrientation", "translation"],
        "Group" | "StaticGroup" => &[],
        "Collision" => &["collide", "enabled", "proxy", "isActive", "collideTime"],
        "Switch" => &["choice", "whichChoice"],
        "LOD" => &["level", "center", "range", "forceTransitions", "level_changed"],
        "Inline" => &["url", "load", "global", "description", "autoRefresh", "autoRefreshTimeLimit"],
        "Shape" => &["appearance", "geometry"],
        "Box" => &["size"],
        "Sphere" => &["radius"],
        "Cone" => &["bottomRadius", "height", "side", "bottom"],
        "Cylinder" => &["radius", "height", "side", "bottom", "top"],
        "Coordinate" | "CoordinateDouble" => &["point"],
        "IndexedFaceSet" => &["coord", "coordIndex", "ccw", "convex", "attrib"],
        "IndexedTriangleSet" | "IndexedTriangleStripSet" | "IndexedTriangleFanSet" => {
            &["coord", "index", "ccw", "attrib"]
        }
        "TriangleSet" => &["coord", "ccw", "attrib"],
        "TriangleStripSet" => &["coord", "stripCount", "ccw", "attrib"],
        "TriangleFanSet" => &["coord", "fanCount", "ccw", "attrib"],
        "ElevationGrid" => &["height", "ccw", "xDimension", "xSpacing", "zDimension", "zSpacing", "attrib"],
        "Extrusion" => {
            &["beginCap", "ccw", "convex", "crossSection", "endCap", "orientation", "scale", "spine"]
        }
        "PositionInterpolator" | "OrientationInterpolator" => &["key", "keyValue", "fraction", "value"],
        "TimeSensor" => &[
            "cycleInterval", "enabled", "loop", "startTime", "stopTime", "pauseTime", "resumeTime",
            "elapsedTime", "description", "fraction", "cycleTime", "isActive", "isPaused", "time",
        ],
        _ => return None,
    })
}

/// Node kinds without a surface for collisions.
const WITHOUT_SURFACE: [&str; 99] = [
    "Appearance", "AudioClip", "Background", "BooleanFilter", "BooleanSequencer", "BooleanToggle",
    "BooleanTrigger", "BoundedPhysicsModel", "ClipPlane", "Color", "ColorDamper", "ColorInterpolator",
    "ColorRGBA", "ComposedCubeMapTexture", "ComposedShader", "CoordinateDamper", "CoordinateInterpolator",
    "CoordinateInterpolator2D", "CylinderSensor", "DirectionalLight", "EaseInEaseOut", "FillProperties",
    "FloatVertexAttribute", "Fog", "FogCoordinate", "FontStyle", "GeneratedCubeMapTexture", "GeoOrigin",
    "GeoViewpoint", "ImageCubeMapTexture", "ImageTexture", "ImageTexture3D", "IntegerSequencer",
    "IntegerTrigger", "KeySensor", "LineProperties", "LineSensor", "LoadSensor", "LocalFog", "Material",
    "Matrix3VertexAttribute", "Matrix4VertexAttribute", "MetadataBoolean", "MetadataDouble", "MetadataFloat",
    "MetadataInteger", "MetadataSet", "MetadataString", "MovieTexture", "MultiTexture",
    "MultiTextureCoordinate", "MultiTextureTransform", "NavigationInfo", "Normal", "NormalInterpolator",
    "OrientationChaser", "OrientationDamper", "OrthoViewpoint", "PackagedShader", "PhysicalMaterial",
    "PixelTexture", "PixelTexture3D", "PlaneSensor", "PointLight", "PositionChaser", "PositionDamper",
    "PositionInterpolator2D", "ProgramShader", "ProximitySensor", "ScalarChaser", "ScalarDamper",
    "ScalarInterpolator", "Script", "ShaderPart", "ShaderProgram", "Sound", "SphereSensor",
    "SplinePositionInterpolator", "SplinePositionInterpolator2D", "SplineScalarInterpolator", "SpotLight",
    "SquadOrientationInterpolator", "StringSensor", "TextureBackground", "TextureCoordinate",
    "TextureCoordinate3D", "TextureCoordinate4D", "TextureCoordinateGenerator", "TextureProperties",
    "TextureTransform", "TextureTransform3D", "TimeTrigger", "TouchSensor", "TwoSidedMaterial",
    "UnlitMaterial", "Viewpoint", "ViewpointGroup", "VisibilitySensor", "WorldInfo",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_known_with_their_events() {
        for (kind, field) in [
            ("Transform", "set_translation"),
            ("Transform", "children"),
            ("Transform", "bboxSize"),
            ("PositionInterpolator", "value_changed"),
            ("TimeSensor", "fraction_changed"),
            ("Shape", "metadata"),
            ("Material", "anything"),
        ] {
            assert!(has_field(kind, field), "{kind} {field}");
        }
        for (kind, field) in
            [("Box", "siz"), ("Box", "children"), ("Transform", "radius"), ("Cylinder", "bottomRadius")]
        {
            assert!(!has_field(kind, field), "{kind} {field}");
        }
    }

    #[test]
    fn kinds_without_surface_are_in_order_and_known() {
        assert!(WITHOUT_SURFACE.is_sorted());
        assert_eq!(kind("Script"), Some(NodeKind::Other));
        assert_eq!(kind("Box"), Some(NodeKind::Geometry));
        assert_eq!(kind("InlineLoadControl"), None);
    }
}
