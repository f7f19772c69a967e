//! After any change of the bytes of a world, reading does not panic, and every query works on an accepted world.

use std::path::Path;

use chasles_formats::vrml::{self, VrmlOptions};
use chasles_testing::{Random, cases};

use crate::vrml::support::HEADER;

const WORLD: &str = r#"PROTO P [ field SFFloat r 1 exposedField SFVec3f t 0 0 0 ] {
    Transform { translation IS t children Shape { geometry Sphere { radius IS r } } } }
DEF A Transform { translation 0 1 0 rotation 0 0 1 .5 scale 2 2 2 center 1 0 0 scaleOrientation 1 0 0 1 children [
  DEF S Shape { geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1 0 0, 1 1 0, .5 .5 0, 0 1 0 ] } coordIndex [ 0 1 2 3 4 -1 ] } }
  P { r 2 } USE S ] }
Switch { whichChoice 0 choice [ LOD { level [ Collision { collide FALSE children Shape { geometry Cylinder { top FALSE } } } ] } ] }
Shape { geometry Extrusion { crossSection [ 1 1, 1 -1, -1 0, 1 1 ] spine [ 0 0 0, 0 1 0, 1 2 0 ] scale [ 1 1, 2 2, 1 2 ] orientation [ 0 0 1 1 ] } }
Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [ 1 2 3 4 ] } }
DEF C TimeSensor { cycleInterval 2 loop TRUE } DEF I PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0 1 0 0 ] }
DEF O OrientationInterpolator { key [ 0 .5 1 ] keyValue [ 0 0 1 0 0 0 1 1 0 1 0 1 ] } DEF B P { t 5 0 0 }
ROUTE C.fraction_changed TO I.set_fraction ROUTE I.value_changed TO B.t
ROUTE C.fraction_changed TO O.set_fraction ROUTE O.value_changed TO A.set_rotation"#;

const XML: &str = r#"<X3D><Scene><ProtoDeclare name='P'><ProtoInterface><field name='r' type='SFFloat' value='2'/></ProtoInterface>
<ProtoBody><Shape><Sphere><IS><connect nodeField='radius' protoField='r'/></IS></Sphere></Shape></ProtoBody></ProtoDeclare>
<Transform DEF='A' scale='1 2 1'><ProtoInstance name='P'><fieldValue name='r' value='1'/></ProtoInstance><Shape DEF='S'><Cone/></Shape></Transform>
<Shape USE='S'/><ROUTE fromNode='A' fromField='rotation_changed' toNode='A' toField='rotation'/></Scene></X3D>"#;

/// Reads a world and runs all queries; returns whether it was accepted.
fn try_all(bytes: &[u8]) -> bool {
    let Ok(world) = vrml::parse(bytes, Path::new("w.wrl")) else { return false };
    let facts = world.facts();
    let _ = world.scene(&VrmlOptions::default());
    let columns = world.columns();
    let _ = world.robot(&columns);
    let _ =
        columns.iter().map(|column| world.robot(std::slice::from_ref(column))).filter(Result::is_ok).count();
    facts.is_ok()
}

#[test]
fn changed_bytes_and_words_never_panic() {
    for (text, cases) in [(format!("{HEADER}{WORLD}"), cases(400, 4000)), (XML.to_owned(), cases(200, 1500))]
    {
        assert!(try_all(text.as_bytes()));
        let words: Vec<&str> = text.split_inclusive([' ', '\n', '\'']).collect();
        let mut read = 0;
        for seed in (0..).take(cases) {
            let random = &mut Random(seed);
            let mut changed: Vec<Vec<u8>> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
            for _ in 0..1 + random.below(3) {
                let (at, other) = (random.below(changed.len()), random.below(changed.len()));
                match random.below(5) {
                    0 => drop(changed.remove(at)),
                    1 => changed.swap(at, other),
                    2 => changed[at] = changed[other].clone(),
                    3 => {
                        changed[at] = [&b"-1 "[..], b"1e300 ", b"NULL ", b"0 ", b"[ ", b"1e-300 ", b"USE A "]
                            [random.below(7)]
                        .to_vec()
                    }
                    _ => {
                        let length = changed[at].len();
                        changed[at][random.below(length)] = u8::try_from(random.below(256)).unwrap();
                    }
                }
            }
            read += usize::from(try_all(&changed.concat()));
        }
        // Some are refused, and some are accepted: both cases are tested.
        assert!(read > cases / 150 && read < cases, "{read} of {cases}");
    }
}
