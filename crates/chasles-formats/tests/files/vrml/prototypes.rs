//! Instances of prototypes equal their definitions.

use chasles_formats::vrml;

use crate::vrml::support::{HEADER, assert_bounds, assert_bounds_within, bodies, facts, refused};

const PEG: &str = "PROTO Peg [ field SFVec3f place 1 0 0  exposedField MFNode extra [ ]  field SFFloat r 0.5
        eventIn SFBool unused  exposedField SFNode shape Cone { bottomRadius 0.25 height 0.5 } ] {
    DEF T Transform { translation IS place children [
        Shape { geometry Sphere { radius IS r } }
        Shape { geometry IS shape }
        Group { children IS extra }
    ] }
    Shape { geometry Box { size 100 100 100 } }
}";

#[test]
fn fields_are_connected_by_is() {
    let info = facts(&format!("{PEG} Peg {{ }}"));
    assert_eq!(info.bodies.iter().map(|body| body.triangles).collect::<Vec<_>>(), [256, 32]);
    assert_bounds_within(0.02, &info, [0.5, -0.5, -0.5], [1.5, 0.5, 0.5]);
    let info = facts(&format!("{PEG} Peg {{ place 0 5 0 r 1 shape NULL }}"));
    assert_eq!(info.triangles(), 256);
    assert_bounds_within(0.04, &info, [-1.0, 4.0, -1.0], [1.0, 6.0, 1.0]);
    // Nodes passed to an instance belong to the place of the instance, including instances of the same prototype.
    let names = bodies(&format!(
        "{PEG} DEF A Peg {{ extra [ DEF B Peg {{ place 0 0 3 }} DEF C Shape {{ geometry Box {{ }} }} ] }} USE C"
    ));
    let names: Vec<_> = names.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["A/T", "A/T#2", "A/T/B/T", "A/T/B/T#2", "A/T/C", "C"]);
}

#[test]
fn prototypes_nest_and_pass_fields_on() {
    let text = "PROTO Outer [ field SFFloat size 2 ] {
            PROTO Inner [ field SFFloat radius 7 field SFVec3f at 0 0 0 ] {
                Transform { translation IS at children Shape { geometry Sphere { radius IS radius } } } }
            Group { children [ Inner { radius IS size } Inner { radius IS size at 10 0 0 } ] }
        }
        Outer { }  Transform { translation 0 0 50 children Outer { size 1 } }";
    assert_bounds_within(0.06, &facts(text), [-2.0, -2.0, -2.0], [12.0, 2.0, 51.0]);
    // Inner definitions are not visible outside, and a later definition replaces an earlier one.
    assert!(facts(&format!("{text} Inner {{ }}")).warnings[0].contains("the node Inner is not known"));
    let twice =
        "PROTO P [ ] { Shape { geometry Box { } } } P { } PROTO P [ ] { Shape { geometry Cone { } } } P { }";
    assert_eq!(bodies(twice).iter().map(|body| body.1).collect::<Vec<_>>(), [12, 32]);
    // Instances of a prototype passed to another instance of it are no loop.
    let nested =
        "PROTO J [ field MFNode children [ ] ] { Transform { translation 1 0 0 children IS children } }
        J { children J { children J { children Shape { geometry Box { } } } } }";
    assert_bounds(&facts(nested), [2.0, -1.0, -1.0], [4.0, 1.0, 1.0]);
}

#[test]
fn definitions_may_be_in_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("lib.wrl"), format!("{HEADER}PROTO Other [ ] {{ Shape {{ }} }} {PEG}")).unwrap();
    let text = "EXTERNPROTO Stud [ field SFFloat r ] [ \"urn:none\" \"lib.wrl#Peg\" ] Stud { r 3 } Stud { }";
    std::fs::write(path("main.wrl"), format!("{HEADER}{text}")).unwrap();
    let info = vrml::read(&path("main.wrl")).unwrap().facts().unwrap();
    assert_eq!(info.triangles(), 2 * (256 + 32));
    assert_bounds_within(0.1, &info, [-2.0, -3.0, -3.0], [4.0, 3.0, 3.0]);
    let text = "EXTERNPROTO Stud [ ] \"lib.wrl#Nail\" Stud { }";
    std::fs::write(path("main.wrl"), format!("{HEADER}{text}")).unwrap();
    let message = vrml::read(&path("main.wrl")).unwrap_err().to_string();
    assert!(message.contains("main.wrl:2:1: found no PROTO Nail in "), "{message}");
    // Two files whose definitions depend on each other.
    let one = "EXTERNPROTO B [ ] \"b.wrl#B\" PROTO A [ ] { Group { children B { } } } A { }";
    let other = "EXTERNPROTO A [ ] \"a.wrl#A\" PROTO B [ ] { Group { children A { } } }";
    std::fs::write(path("a.wrl"), format!("{HEADER}{one}")).unwrap();
    std::fs::write(path("b.wrl"), format!("{HEADER}{other}")).unwrap();
    let message = vrml::read(&path("a.wrl")).unwrap_err().to_string();
    assert!(message.ends_with("PROTO A contains itself"), "{message}");
}

#[test]
fn undeclared_fields_of_prototypes_are_errors() {
    assert!(
        facts(&format!("{PEG} Peg {{ finish 1 }}")).warnings[0]
            .ends_with("Peg has no field finish; it is read past")
    );
    for (text, expected) in [
        ("PROTO A [ ] { Group { children A { } } } A { }", "2:32: PROTO A contains itself"),
        ("PROTO A [ ] { B { } } PROTO B [ ] { A { } } A { }", "2:15: found B, which is defined only later"),
        (
            "PROTO A [ ] { Transform { scale IS big } } A { }",
            "2:27: found IS big, expected a field of PROTO A",
        ),
        ("Transform { scale IS big }", "2:13: found IS big outside of a PROTO"),
        ("PROTO A [ field SFFloat x ] { }", "2:27: found ], expected the value of x"),
        ("PROTO A [ field x 1 ] { }", "found \"x\", expected a type"),
        ("PROTO A [ ] { Shape { }", "found the end of the file inside the element that starts at 2:1"),
    ] {
        let message = refused(text);
        assert!(message.contains(expected), "{message} for {text}");
    }
}
