//! Small inputs from which the fuzzer starts: a few for every kind of file, which together use most of its features.

/// Scenes in TOML.
#[must_use]
pub fn scene() -> Vec<Vec<u8>> {
    texts(&[
        r#"format = 1
duration = 2.0
tolerance = 1e-7
clearance = 0.01
[[body]]
name = "a"
box = [1, 2, 0.5]
scale = 2
pose = { position = [0, 0, 3], rotation = [1, 0, 0.5, 0] }
parent = "b"
group = "g"
solid = true
motion = { kind = "twist", linear = [0, 0, -1], angular = [0, 0, 1] }
[[body]]
name = "b"
cone = { radius = 1, height = 2 }
[body.motion]
kind = "keyframes"
times = [0.0, 1.0, 2.0]
positions = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
rotations = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]]
interpolation = "linear"
[[body]]
name = "c"
mesh = "c.stl"
[[ignore]]
pair = ["a", "*"]
"#,
        r#"format = 1
duration = 1
[[body]]
name = "ball"
sphere = 0.5
motion = { kind = "screw", axis = [0, 0, 1], point = [1, 0, 0], slide = 1, angle = 9 }
[[body]]
name = "bar"
unit = "cm"
capsule = { radius = 10, height = 200 }
[[body]]
name = "drum"
cylinder = { radius = 0.3, height = 1 }
motion = { kind = "keyframes", times = [0, 1], positions = [[3, 0, 0], [0, 0, 0]], rotations = [[1, 0, 0, 0], [0, 0, 0, 1]] }
[[body]]
name = "slide"
sphere = 1
motion = { kind = "keyframes", times = [0, 1], positions = [[3, 0, 0], [0, 0, 0]] }
[[body]]
name = "lift"
sphere = 1
motion = { kind = "keyframes", keys = "lift.csv", interpolation = "linear" }
"#,
        r#"format = 1
duration = 1
epsilon = 1e-5
[[body]]
name = "ball"
implicit = "x^2/4 + max(y, -y)^2 + sqrt(z*z) - 1"
bounds = [[-2, -1, -1], [2, 1, 1]]
[[body]]
name = "plate"
csg = { difference = [ { box = [1, 1, 0.1] }, { union = [ { cylinder = { radius = 0.1, height = 0.2 } },
 { half_space = { normal = [0, 0, 1], offset = -0.5 } } ], pose = { position = [0.2, 0, 0] } } ] }
scale = 2
[[body]]
name = "screw"
parametric = { x = "cos(u)*(1+v)", y = "sin(u)*(1+v)", z = "u/4", u = [0, 6.25], v = [0, 1] }
"#,
        r#"format = 1
duration = 1
[[body]]
name = "part"
csg = { intersection = [ { mesh = "a.stl", scale = 2 }, { implicit = "1/(x+2)", bounds = [[0, 0, 0], [1, 1, 1]] },
 { level_set = { file = "a.npy", spacing = 1 } } ] }
[[body]]
name = "grid"
level_set = { file = "sdf.npy", spacing = [0.1, 0.1, 0.2], origin = [0, 0, 0] }
solid = false
[[body]]
name = "ground"
heights = { file = "terrain.npy", spacing = [0.1, 0.1], bottom = -1.0 }
[[body]]
name = "scan"
points = "cloud.pcd"
radius = 0.005
"#,
    ])
}

/// Maps of OctoMap, in both forms.
#[must_use]
pub fn octomap() -> Vec<Vec<u8>> {
    let file = |kind: &str, id: &str, data: &[u8]| {
        [format!("# Octomap OcTree {kind}\n# c\nid {id}\nsize 16\nres 0.05\ndata\n").as_bytes(), data]
            .concat()
    };
    let binary = [vec![0, 0xC0], [3, 0].repeat(13), vec![3, 2], vec![0b0110, 0b1000_0000]].concat();
    let node = |odds: f32, bits: u8| [&odds.to_le_bytes()[..], &[bits]].concat();
    let full =
        [node(0.0, 0x80), node(0.0, 1).repeat(14), node(0.0, 0x81), node(0.5, 0), node(-1.0, 0)].concat();
    vec![file("binary file", "OcTree", &binary), file("file", "OcTree", &full)]
}

/// NumPy arrays.
#[must_use]
pub fn npy() -> Vec<Vec<u8>> {
    let array = |version: u8, descr: &str, fortran: &str, data: &[u8]| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': (2, 2, 2), }}  \n");
        let count = length(header.len());
        let count = if version == 1 { &count[..2] } else { &count };
        [b"\x93NUMPY", &[version, 0][..], count, header.as_bytes(), data].concat()
    };
    let singles: Vec<u8> = (0..8_u8).flat_map(|k| f32::from(k).to_le_bytes()).collect();
    let doubles: Vec<u8> = (0..8_u8).flat_map(|k| f64::from(k).to_be_bytes()).collect();
    let keys = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }  \n";
    let keys = [b"\x93NUMPY\x01\x00", &length(keys.len())[..2], keys.as_bytes(), &doubles].concat();
    vec![array(1, "<f4", "False", &singles), array(2, ">f8", "True", &doubles), keys]
}

/// Point caches: two points at three times, as PC2 and as MDD.
#[must_use]
pub fn cache() -> Vec<Vec<u8>> {
    let numbers: Vec<f32> = (0..18_u8).map(|k| 0.5 * f32::from(k)).collect();
    let mut pc2 = b"POINTCACHE2\0".to_vec();
    pc2.extend([1, 2].into_iter().flat_map(i32::to_le_bytes));
    pc2.extend([0_f32, 1.0].into_iter().flat_map(f32::to_le_bytes));
    pc2.extend(3_i32.to_le_bytes());
    pc2.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    let mut mdd: Vec<u8> = [3, 2].into_iter().flat_map(i32::to_be_bytes).collect();
    mdd.extend([0_f32, 0.5, 1.0].iter().chain(&numbers).flat_map(|number| number.to_be_bytes()));
    vec![pc2, mdd]
}

/// Points, one per line.
#[must_use]
pub fn xyz() -> Vec<Vec<u8>> {
    texts(&["# scan\n0 0.5 -1e-3\n\n1, 2, 3, 255\n\t7 8 9 red # last\n"])
}

/// Points in PCD, in each encoding, and in PLY.
#[must_use]
pub fn pcd() -> Vec<Vec<u8>> {
    let header = |data: &str| {
        format!(
            "# .PCD v0.7\nVERSION 0.7\nFIELDS x y _ z rgb\nSIZE 4 4 1 8 4\nTYPE F F U F U\nCOUNT 1 1 2 1 1\nWIDTH 2\n\
             HEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA {data}\n"
        )
    };
    let rows: Vec<u8> = (0..44).map(|k| if k % 4 == 3 { 63 } else { k }).collect();
    let packed = [&[9, 0, 0, 0, 0, 0, 128, 63, 0, 0][..], &[32 * 6, 7], &[32 * 7, 13, 2]].concat();
    let compressed = [&length(packed.len())[..], &length(40), &packed].concat();
    let mut seeds = texts(&[
        &(header("ascii") + "0 1 0 0 2 255\nnan 1 0 0 -inf 255\n"),
        "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n1 2 3\n",
    ]);
    seeds.push([header("binary").as_bytes(), &rows].concat());
    seeds.push([header("binary_compressed").as_bytes(), &compressed].concat());
    seeds
}

/// Scenes in glTF, as text and binary.
#[must_use]
pub fn gltf() -> Vec<Vec<u8>> {
    let text = |buffer: &str| {
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0, 2]}}],
"nodes": [{{"name": "lift", "mesh": 0, "children": [1], "scale": [2, 2, 2]}},
 {{"mesh": 0, "translation": [1, 0, 2], "rotation": [0, 0.6, 0, 0.8]}},
 {{"mesh": 0, "matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 1]}}],
"meshes": [{{"name": "part", "primitives": [{{"attributes": {{"POSITION": 0}}, "mode": 4}}]}}],
"animations": [{{"name": "walk", "channels": [{{"sampler": 0, "target": {{"node": 0, "path": "translation"}}}}],
 "samplers": [{{"input": 1, "output": 2, "interpolation": "LINEAR"}}]}}],
"accessors": [{{"bufferView": 0, "componentType": 5121, "type": "VEC3", "count": 3,
  "sparse": {{"count": 1, "indices": {{"bufferView": 0, "componentType": 5121}}, "values": {{"bufferView": 0}}}}}},
 {{"bufferView": 1, "componentType": 5126, "type": "SCALAR", "count": 2}},
 {{"bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 2, "byteOffset": 8}}],
"bufferViews": [{{"buffer": 0, "byteLength": 9}}, {{"buffer": 0, "byteOffset": 12, "byteLength": 32}}],
"buffers": [{{"byteLength": 44{buffer}}}]}}"#
        )
    };
    let embedded =
        text(r#", "uri": "data:;base64,AAAAAQAAAAEAAAAAAAAAAAAAAAD8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEA=""#);
    let mut json = text("").into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut buffer = vec![0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0];
    for value in [0.0_f32, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0] {
        buffer.extend(value.to_le_bytes());
    }
    let chunk = |kind: &[u8; 4], bytes: &[u8]| [&length(bytes.len())[..], kind, bytes].concat();
    let chunks = [chunk(b"JSON", &json), chunk(b"BIN\0", &buffer)].concat();
    let glb = [b"glTF", &length(2)[..], &length(12 + chunks.len()), &chunks].concat();
    vec![embedded.into_bytes(), glb]
}

/// Meshes in OBJ.
#[must_use]
pub fn obj() -> Vec<Vec<u8>> {
    texts(&[
        "# a square and a fan\nmtllib a.mtl\no part\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 1e-3\nvt 0 0\nvn 0 0 1\n\
         g left\nusemtl red\ns 1\nf 1 2 3 4\nf -4/1/1 -3//1 -1/1\nl 1 2\nf 1 2 3 \\\n 4 2\n",
        "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nf 1 2 3 4 5\n",
    ])
}

/// Meshes in STL, as text and binary.
#[must_use]
pub fn stl() -> Vec<Vec<u8>> {
    let mut binary = vec![b' '; 80];
    binary.extend(length(2));
    for facet in 0..2_u8 {
        for number in 0..12_u8 {
            binary.extend(f32::from(number / 3 * facet + number % 3).to_le_bytes());
        }
        binary.extend([0, 0]);
    }
    let text = "solid part\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1e0 -0\n  \
                endloop\n endfacet\nendsolid part\n";
    vec![text.into(), binary]
}

/// Meshes in PLY, as text and binary of both byte orders.
#[must_use]
pub fn ply() -> Vec<Vec<u8>> {
    let header = |format: &str| {
        format!(
            "ply\nformat {format} 1.0\ncomment made by hand\nobj_info none\nelement vertex 4\nproperty float x\n\
             property float y\nproperty float z\nproperty uchar red\nelement face 2\n\
             property list uchar int vertex_indices\nelement edge 0\nproperty int vertex1\nend_header\n"
        )
    };
    let text = header("ascii") + "0 0 0 255\n1 0 0 0\n1 1 0 0\n0 1 0.5 7\n4 0 1 2 3\n3 0 2 1\n";
    let binary = |format: &str, float: fn(f32) -> [u8; 4], int: fn(i32) -> [u8; 4]| {
        let mut bytes = header(format).into_bytes();
        for vertex in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.5]] {
            bytes.extend(vertex.map(float).concat());
            bytes.push(9);
        }
        for face in [&[0, 1, 2, 3][..], &[0, 2, 1]] {
            bytes.push(if face.len() == 3 { 3 } else { 4 });
            bytes.extend(face.iter().flat_map(|corner| int(*corner)));
        }
        bytes
    };
    let strips = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                  element tristrips 1\nproperty list int int vertex_indices\nend_header\n\
                  0 0 0\n1 0 0\n0 1 0\n1 1 0\n9 0 1 2 3 -1 3 2 1 0\n";
    vec![
        text.into(),
        strips.into(),
        binary("binary_little_endian", f32::to_le_bytes, i32::to_le_bytes),
        binary("binary_big_endian", f32::to_be_bytes, i32::to_be_bytes),
    ]
}

/// Meshes in OFF.
#[must_use]
pub fn off() -> Vec<Vec<u8>> {
    texts(&[
        "OFF\n# a square and a triangle\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0.5\n4 0 1 2 3\n3 0 2 1 255 0 0\n",
        "STCNOFF 3 1 0 0 0 0 0 0 1 1 1 1 1 0 0 1 0 0 0 0 1 1 1 1 1 0 0 0 1 0 0 0 1 1 1 1 1 0 0 3 0 1 2",
    ])
}

/// Meshes in COLLADA.
#[must_use]
pub fn dae() -> Vec<Vec<u8>> {
    texts(&[r##"<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimetre" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 1 1 0 0 1 .5</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#p" offset="1"/><p>0 0 1 0 2 0</p></triangles>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>
<trifans count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3</p></trifans>
<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></polygons>
</mesh></geometry></library_geometries>
<library_nodes><node id="n"><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s"><node id="m"><translate>1 2 3</translate><rotate>0 0 1 90</rotate><scale>1 2 1</scale>
<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#g"/><node><lookat>0 0 0 1 0 0 0 0 1</lookat><instance_node url="#n"/></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"##])
}

/// Robots in URDF.
#[must_use]
pub fn urdf() -> Vec<Vec<u8>> {
    texts(&[r#"<?xml version="1.0"?>
<robot name="arm">
<link name="base"><visual><geometry><box size="1 1 1"/></geometry></visual><collision><origin xyz="0 0 .1" rpy="0 1.57 0"/><geometry><box size="1 1 .2"/></geometry></collision></link>
<link name="upper"><collision><geometry><cylinder radius=".1" length="1"/></geometry></collision></link>
<link name="hand"><collision><geometry><sphere radius=".2"/></geometry></collision><collision><geometry><capsule radius=".1" length=".5"/></geometry></collision></link>
<link name="tool"/>
<joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 1" rpy="0 0 1"/><axis xyz="0 0 2"/><limit lower=".5" upper="1.5" effort="1" velocity="2"/></joint>
<joint name="slide" type="prismatic"><parent link="upper"/><child link="hand"/><axis xyz="1 0 0"/><limit lower="0" upper="1"/><mimic joint="turn" multiplier="2" offset="-1"/></joint>
<joint name="bolt" type="fixed"><parent link="hand"/><child link="tool"/></joint>
<gazebo/><transmission name="t"/>
</robot>"#])
}

/// Robots with macros that are expanded, or cannot be.
#[must_use]
pub fn xacro() -> Vec<Vec<u8>> {
    let mut seeds = urdf();
    seeds.extend(texts(&[
        r#"<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="width" value="0.2"/>
<xacro:macro name="leg" params="side *origin"><link name="${side}_leg"/></xacro:macro>
<xacro:leg side="left"><origin xyz="0 0 0"/></xacro:leg></robot>"#,
        r#"<robot name="arm"><link name="base"><collision><geometry><box size="${width} 1 $(arg height)"/></geometry></collision></link></robot>"#,
    ]));
    seeds
}

/// Several robots.
#[must_use]
pub fn robots() -> Vec<Vec<u8>> {
    texts(&[
        r#"format = 1
[[robot]]
name = "left"
urdf = "arm.urdf"
srdf = "arm.srdf"
base = { position = [0, 0.5, 0], rotation = [1, 0, 0, 0] }
[[robot]]
name = "right"
urdf = "arm.urdf"
"#,
        "format = 1\nrobot = [{ name = 'a', urdf = 'missing.urdf' }]\n",
    ])
}

/// Frames of a surface, after the byte for their format.
#[must_use]
pub fn sequence() -> Vec<Vec<u8>> {
    let frame = |z: &str, faces: &str| format!("v 0 0 0\nv 1 0 0\nv 1 1 {z}\nv 0 1 0\n{faces}\n");
    let frames = |faces: [&str; 3]| {
        let frames = ["0", ".5", "1"].into_iter().zip(faces).map(|(z, faces)| frame(z, faces));
        format!("\0{}", frames.collect::<Vec<_>>().join("\0\0")).into_bytes()
    };
    let after = |kind: u8, frames: Vec<Vec<u8>>| {
        let mut bytes = vec![kind];
        bytes.extend([frames[0].as_slice(), b"\0\0", frames[0].as_slice()].concat());
        bytes
    };
    vec![
        frames(["f 1 2 3 4"; 3]),
        frames(["f 1 2 3\nf 1 3 4"; 3]),
        frames(["f 1 2 3 4", "f 1 2 3 4", "f 1 2 4\nf 2 3 4"]),
        after(2, ply()),
        after(3, off()),
    ]
}

/// Pairs of links that are not tested, in SRDF.
#[must_use]
pub fn srdf() -> Vec<Vec<u8>> {
    texts(&[r#"<?xml version="1.0"?>
<robot name="door"><group name="all"><chain base_link="frame" tip_link="bolt"/></group>
<disable_collisions link1="bolt" link2="frame" reason="Never"/><disable_collisions link1="leaf" link2="knob"/>
<group_state name="open" group="all"><joint name="hinge" value="1.5"/><joint name="knob" value="1"/></group_state>
<disable_default_collisions link="leaf"/><enable_collisions link1="frame" link2="leaf"/></robot>"#])
}

/// Worlds in VRML97 and X3D.
#[must_use]
pub fn world() -> Vec<Vec<u8>> {
    texts(&[
        r#"#VRML V2.0 utf8
PROTO P [ field SFFloat r 1 exposedField SFVec3f t 0 0 0 ] {
 Transform { translation IS t children Shape { geometry Sphere { radius IS r } } } }
DEF A Transform { translation 0 1 0 rotation 0 0 1 .5 scale 2 2 2 center 1 0 0 scaleOrientation 1 0 0 1 children [
 DEF S Shape { geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1 0 0, 1 1 0, .5 .5 0, 0 1 0 ] } coordIndex [ 0 1 2 3 4 -1 ] } }
 P { r 2 } USE S ] }
Switch { whichChoice 0 choice [ LOD { level [ Collision { collide FALSE children Shape { geometry Cylinder { top FALSE } } } ] } ] }
Shape { geometry Extrusion { crossSection [ 1 1, 1 -1, -1 0, 1 1 ] spine [ 0 0 0, 0 1 0, 1 2 0 ] scale [ 1 1, 2 2, 1 2 ] orientation [ 0 0 1 1 ] } }
Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [ 1 2 3 4 ] } }
Inline { url "other.wrl" }
DEF C TimeSensor { cycleInterval 2 loop TRUE } DEF I PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0 1 0 0 ] }
DEF O OrientationInterpolator { key [ 0 .5 1 ] keyValue [ 0 0 1 0 0 0 1 1 0 1 0 1 ] } DEF B P { t 5 0 0 }
ROUTE C.fraction_changed TO I.set_fraction ROUTE I.value_changed TO B.t
ROUTE C.fraction_changed TO O.set_fraction ROUTE O.value_changed TO A.set_rotation
"#,
        r#"#VRML V2.0 utf8
DEF C TimeSensor { cycleInterval 1 } DEF I PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 5 0 0 0 ] }
DEF B Transform { children Shape { geometry Box { } } } Shape { geometry Cone { } }
ROUTE C.fraction_changed TO I.set_fraction ROUTE I.value_changed TO B.translation
"#,
        r#"<X3D><Scene><ProtoDeclare name='P'><ProtoInterface><field name='r' type='SFFloat' value='2'/></ProtoInterface>
<ProtoBody><Shape><Sphere><IS><connect nodeField='radius' protoField='r'/></IS></Sphere></Shape></ProtoBody></ProtoDeclare>
<Transform DEF='A' scale='1 2 1'><ProtoInstance name='P'><fieldValue name='r' value='1'/></ProtoInstance><Shape DEF='S'><Cone/></Shape></Transform>
<Shape><IndexedTriangleSet index='0 1 2'><Coordinate point='0 0 0 1 0 0 0 1 0'/></IndexedTriangleSet></Shape>
<Shape USE='S'/><ROUTE fromNode='A' fromField='x' toNode='A' toField='rotation'/></Scene></X3D>"#,
    ])
}

/// Keys of a motion as CSV.
#[must_use]
pub fn motion_keys() -> Vec<Vec<u8>> {
    texts(&[
        "time,x,y,z\n0,1,2,3\n0.5,1,-2e-1,3\n",
        "# keys\r\nqw, qx ,qy,qz,\"time\",z,y,x\r\n2,0,0,0,0,3,2,1\r\n\r\n0,0,-3,4,1.5,6,5,4\r\n",
    ])
}

/// Paths as CSV.
#[must_use]
pub fn path_csv() -> Vec<Vec<u8>> {
    texts(&["# a path\r\ntime, hinge ,\"slide\"\r\n0,0.1,2\r\n\r\n0.5, -1e-1 ,2.5\r\n2,1,3\r\n"])
}

/// Paths in YAML.
#[must_use]
pub fn path_yaml() -> Vec<Vec<u8>> {
    texts(&[
        "joint_names: [hinge, slide]\npoints:\n- positions: [0, 0.5]\n  time_from_start: {secs: 0, nsecs: 0}\n\
         - positions: [1.0, 5e-1]\n  velocities: [0, 0]\n  time_from_start:\n    secs: 1\n    nsecs: 500000000\n",
        "trajectory:\n  header: {frame_id: ''}\n  joint_names: &names\n  - hinge\n  points:\n  - {positions: [0], velocities: [1], \
         accelerations: [0], effort: [], time_from_start: 0}\n  - {positions: [1], velocities: [1], accelerations: [0], \
         time_from_start: 1.0}\ngoal_time_tolerance: 0\n",
    ])
}

/// Paths in JSON.
#[must_use]
pub fn path_json() -> Vec<Vec<u8>> {
    texts(&[r#"{"joint_trajectory": {"joint_names": ["hinge"], "points": [
 {"positions": [0.0], "time_from_start": {"sec": 0, "nanosec": 0}},
 {"positions": [1.0], "velocities": [], "time_from_start": {"sec": 2, "nanosec": 1}}]}, "multi_dof_joint_trajectory": {"points": []}}"#])
}

/// Clearances as CSV.
#[must_use]
pub fn clearances() -> Vec<Vec<u8>> {
    texts(&["a,b,clearance\nframe,leaf,0.1\n# all others\n*,bolt,2e-3\n\"leaf\", frame ,0\n"])
}

/// Problems.
#[must_use]
pub fn problems() -> Vec<Vec<u8>> {
    texts(&[
        r#"{"name":"p","a":{"mesh":"a.obj"},"b":{"mesh":"b.obj"},"pose0":[0,0,0,1,0,0,0],"screw":{"s":[0,0,1],"p":[0,0,0],"d":0.5,"b":6.3}}

{"name":"q","a":{"mesh":"a.obj"},"b":{"mesh":"b.obj"},"pose0":[0,0,0,1,0,0,0],"pose1":[1,0,0,0,0,0,1]}
"#,
    ])
}

/// Problems of impulses.
#[must_use]
pub fn impulse() -> Vec<Vec<u8>> {
    texts(&[
        r#"{"name":"p","bodies":[{"name":"a","mass":2,"inertia":[[2,1,0],[1,2,0],[0,0,1]],"center":[0,0,1],"linear":[0,0,-3],"elasticity":0.5},{"name":"b","mass":1,"inertia":[1,2,3],"rotation":[1,2,3,4],"center":[1,0,1],"angular":[1,0,0],"friction":"rough"},{"name":"f","keyframed":true}],"contacts":[{"a":"f","b":"a","point":[0,0,0],"normal":[0,0,1],"elasticity":1,"friction":0.3},{"a":"b","b":"f","point":[1,0,0],"normal":[0,0,-1]}],"joints":[{"kind":"hinge","a":"a","b":"b","point":[0.5,0,1],"axis":[0,1,0]},{"kind":"fixed","a":"a","b":"f","point":[0,0,1]}]}
{"name":"q","bodies":[{"name":"a","keyframed":true,"linear":[1,0,0]},{"name":"b","mass":1,"inertia":[1,1,1],"center":[0,0,0]},{"name":"c","keyframed":true}],"contacts":[{"a":"a","b":"b","point":[-1,0,0],"normal":[1,0,0]},{"a":"b","b":"c","point":[1,0,0],"normal":[1,0,0]}]}
"#,
    ])
}

/// Recordings of `scenes/drop.toml`: a complete one, and a truncated one.
#[must_use]
pub fn recording() -> Vec<Vec<u8>> {
    let head = r#"{"format":1,"kind":"recording","scene":"drop.toml","duration":0.5,"depth":0.0001,"bodies":["ball","pin"],"flexible":["jelly"]}"#;
    let line = |time: f64, height: f64, contacts: &str| {
        let (pin, speed) = (height + 1.0, -9.81 * time);
        let fall = 0.5 * speed * time;
        let corner = |i: u8| {
            let side = |bit: u8| if i >> bit & 1 == 0 { -0.1 } else { 0.1 };
            format!("[{:?},{:?},{:?}]", 5.0 + side(0), side(1), side(2) + fall)
        };
        let corners = (0..8).map(corner).collect::<Vec<_>>().join(",");
        let speeds = vec![format!("[0,0,{speed:?}]"); 8].join(",");
        format!(
            r#"{{"t":{time:?},"poses":[[0,0,{height:?},1,0,0,0],[0,0,{pin:?},0.6,0,0.8,0]],"velocities":[[0,0,{speed:?},0,0,0],[0,0,{speed:?},1,0,-2.5]],"vertices":[[{corners}]],"vertex_velocities":[[{speeds}]],"contacts":[{contacts}],"energy":{{"kinetic":1.5,"potential":-2e1,"dissipated":0}}}}"#
        )
    };
    let hit = r#"{"a":"floor","b":"ball","t":0.25,"point":[0,0,0.5],"normal":[0,0,1],"impulse":[0.1,0,3]}"#;
    let upright = line(0.0, 2.0, "").replace("0.6,0,0.8,0", "1,0,0,0");
    let full_recording =
        [head.to_owned(), upright, line(0.3, 1.6, hit), line(0.5, 1.1, "")].join("\n") + "\n";
    let cut = format!("\u{feff}{head}\r\n\r\n{}\n{{\"t\":0.4,\"po", line(0.2, 1.8, hit));
    texts(&[&full_recording, &cut])
}

/// Commands of `chasles jog`.
#[must_use]
pub fn jog() -> Vec<Vec<u8>> {
    texts(&[
        "# begin\nhinge += .5, slide = 30 deg\nhinge -= 2e-1\nundo\nwhere\nsave a b.csv\nreplay a.csv\nhelp\nquit\na=1°\n",
    ])
}

/// Formulas.
#[must_use]
pub fn formula() -> Vec<Vec<u8>> {
    texts(&[
        "sqrt((sqrt(x*x + y*y) - 0.5)^2 + z^2) - 0.12",
        "max(abs(x) - .3, min(y, -z, 2e-1)) - pi^-2^(1/2)",
        "exp(log(x^2 + 1))*sin(cos(tan(y)))/atan2(z, asin(x/2) + acos(y/3) - atan(z))",
        "(1-u)^3*v + 3*u*(1-u)^2*(0.1 - v) + u^3",
        "-((((x))))^0.5 - --y + 1e400",
    ])
}

/// Bytes from which the engine's targets make numbers, most of them small multiples of 1/16.
#[must_use]
pub fn engine() -> Vec<Vec<u8>> {
    (1..=12_u64)
        .map(|seed| {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut next = || {
                // xorshift64
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state.to_le_bytes()[3]
            };
            (0..300).map(|_| if seed < 9 { 83 + next() % 64 } else { next() }).collect()
        })
        .collect()
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// A length as four bytes, little-endian.
fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).map_or([255; 4], u32::to_le_bytes)
}
