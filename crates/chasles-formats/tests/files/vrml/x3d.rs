//! X3D in XML is equivalent to VRML.

use std::path::Path;

use chasles_formats::vrml::{self, VrmlOptions, World};

use crate::vrml::support::{assert_bounds, world};

fn read(scene: &str) -> Result<World, String> {
    let text = format!(
        "<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE X3D PUBLIC 'ISO//Web3D//DTD X3D 3.0//EN' 'http://www.web3d.org/specifications/x3d-3.0.dtd'>\n\
         <X3D version='3.0'><head><meta name='title' content='x'/></head><Scene>\n{scene}\n</Scene></X3D>"
    );
    vrml::parse(text.as_bytes(), Path::new("world.x3d")).map_err(|error| error.to_string())
}

const XML: &str = r#"
    <ProtoDeclare name='Peg'><ProtoInterface>
        <field name='place' type='SFVec3f' accessType='inputOutput' value='1 0 0'/>
        <field name='shape' type='SFNode' accessType='initializeOnly'><Cone bottomRadius='0.25'/></field>
    </ProtoInterface><ProtoBody>
        <Transform DEF='T'><IS><connect nodeField='translation' protoField='place'/></IS>
            <Shape><IS><connect nodeField='geometry' protoField='shape'/></IS></Shape></Transform>
    </ProtoBody></ProtoDeclare>
    <ProtoInstance DEF='P' name='Peg'/>
    <ProtoInstance name='Peg'><fieldValue name='place' value='0 5 0'/>
        <fieldValue name='shape'><Box size='2,2,2'/></fieldValue></ProtoInstance>
    <Transform DEF='A' translation='0 0 3' rotation='0 1 0 0.5' scale='2 2 2'>
        <Shape DEF='S'><Appearance><Material diffuseColor='1 0 0'/></Appearance>
            <IndexedFaceSet coordIndex='0 1 2 3 4 -1' ccw='false'><Coordinate point='0 0 0, 4 0 0, 4 4 0, 2 1 0, 0 4 0'/>
                <Normal vector='0 0 1'/></IndexedFaceSet></Shape>
        <Collision enabled='false'><Shape><Sphere radius=".5"/></Shape><Shape containerField='proxy'><Box/></Shape></Collision>
    </Transform>
    <Switch whichChoice='1'><Shape><Box/></Shape><Shape USE='S'/></Switch>
    <LOD><Shape><Cylinder top='false'/></Shape><Shape><Box/></Shape></LOD>
    <TimeSensor DEF='C' cycleInterval='2' loop='true'/>
    <PositionInterpolator DEF='I' key='0 1' keyValue='0 0 3 0 0 4'/>
    <ROUTE fromNode='C' fromField='fraction_changed' toNode='I' toField='set_fraction'/>
    <ROUTE fromNode='I' fromField='value_changed' toNode='A' toField='translation'/>"#;

const VRML: &str = r#"
    PROTO Peg [ exposedField SFVec3f place 1 0 0 field SFNode shape Cone { bottomRadius 0.25 } ] {
        DEF T Transform { translation IS place children Shape { geometry IS shape } } }
    DEF P Peg { }
    Peg { place 0 5 0 shape Box { size 2 2 2 } }
    DEF A Transform { translation 0 0 3 rotation 0 1 0 0.5 scale 2 2 2 children [
        DEF S Shape { geometry IndexedFaceSet { coordIndex [ 0 1 2 3 4 -1 ] ccw FALSE
            coord Coordinate { point [ 0 0 0, 4 0 0, 4 4 0, 2 1 0, 0 4 0 ] } } }
        Collision { collide FALSE children Shape { geometry Sphere { radius .5 } } proxy Shape { geometry Box { } } } ] }
    Switch { whichChoice 1 choice [ Shape { geometry Box { } } USE S ] }
    LOD { level [ Shape { geometry Cylinder { top FALSE } } Shape { geometry Box { } } ] }
    DEF C TimeSensor { cycleInterval 2 loop TRUE }
    DEF I PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 3 0 0 4 ] }
    ROUTE C.fraction_changed TO I.set_fraction ROUTE I.value_changed TO A.translation"#;

#[test]
fn both_forms_of_a_world_read_equal() {
    let (xml, vrml) = (read(XML).unwrap(), world(VRML));
    let (facts, expected) = (xml.facts().unwrap(), vrml.facts().unwrap());
    assert_eq!((&facts.bodies, facts.bounds), (&expected.bodies, expected.bounds));
    assert_eq!(facts.bodies.len(), 6);
    assert!(facts.warnings.is_empty(), "{:?}", facts.warnings);
    assert_eq!(xml.columns(), vrml.columns());
    let [scene, expected] = [&xml, &vrml].map(|world| world.scene(&VrmlOptions::default()).unwrap().scene);
    assert_eq!(scene, expected);
    let columns = ["A.translation.z".to_owned(), "P.rotation".to_owned()];
    let columns = &columns[..1];
    assert_eq!(xml.robot(columns).unwrap().definition.joints, vrml.robot(columns).unwrap().definition.joints);
}

#[test]
fn strings_may_have_quotation_marks_or_none() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("box.wrl"), "#VRML V2.0 utf8\nShape { geometry Box { } }").unwrap();
    for url in ["'box.wrl'", "'\"no.wrl\" \"box.wrl\"'", "\"&quot;box.wrl&quot;\""] {
        let text = format!(
            "<X3D><Scene><Transform translation='1 0 0'><Inline url={url}/></Transform></Scene></X3D>"
        );
        let info = vrml::parse(text.as_bytes(), &folder.path().join("main.x3d")).unwrap().facts().unwrap();
        assert_bounds(&info, [0.0, -1.0, -1.0], [2.0, 1.0, 1.0]);
    }
}

#[test]
fn what_is_no_x3d_is_refused_with_its_place() {
    for (scene, expected) in [
        ("<Shape USE='A'/>", "world.x3d:4:1: found USE A, expected a name that DEF gave before"),
        (
            "<Group DEF='A'><Group USE='A'/></Group>",
            "world.x3d:4:16: found USE A inside the node of that name",
        ),
        ("<ProtoInstance name='P'/>", "world.x3d:4:1: found no ProtoDeclare of P before this"),
        ("<Transform scale='1 2'/>", "world.x3d:4:12: scale: found 2 numbers, expected 3 numbers"),
        ("<Transform scale='1 2 x'/>", "world.x3d:4:12: scale: found \"x\", expected a number"),
        ("<Shape><Box size='1 nan 1'/></Shape>", "world.x3d:4:13: size: found \"nan\", expected a number"),
        ("<Collision enabled='1'><Shape/></Collision>", "found \"1\", expected true or false"),
        ("<Shape>", "world.x3d:5:1: the XML cannot be read"),
        ("<ROUTE fromNode='A'/>", "found <ROUTE> without fromField"),
        ("<Box/>", "world.x3d:4:1: found Box where no geometry is allowed"),
        ("<Transform>\n<Sphere/></Transform>", "world.x3d:5:1: found Sphere where no geometry is allowed"),
        (
            "<Group><Box containerField='children'/></Group>",
            "world.x3d:4:8: found Box where no geometry is allowed",
        ),
        (
            "<Shape><Box containerField='children'/></Shape>",
            "world.x3d:4:8: found Box where no geometry is allowed",
        ),
    ] {
        let message = read(scene).map(|_| ()).unwrap_err();
        assert!(message.starts_with("world.x3d:") && message.contains(expected), "{message} for {scene}");
    }
    for (text, expected) in [
        ("<html/>", "world.x3d:1:1: found <html>, expected <X3D>"),
        ("<X3D/>", "found <X3D>, expected <Scene> in it"),
        // Text quoted by the parser is escaped.
        (
            "<X3D><Scene></Group\u{1b}></X3D>",
            "world.x3d:1:20: the XML cannot be read: expected '>' not '\\u{1b}'",
        ),
        ("<!DOCTYPE X3D [<!ENTITY a 'b'>]><X3D/>", "world.x3d:1:16: found <!ENTITY"),
        (
            "<X3D><head><unit category='length' conversionFactor='0.001'/></head><Scene/></X3D>",
            "found the unit \"0.001\"",
        ),
    ] {
        let message =
            vrml::parse(text.as_bytes(), Path::new("world.x3d")).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains(expected), "{message} for {text}");
    }
}
