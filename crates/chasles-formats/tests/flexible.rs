//! Flexible bodies in scene files and recordings.

use std::path::Path;

use chasles::{Advance, Simulation};
use chasles_formats::{recording, scene_build, scene_file};

const SCENE: &str =
    "format = 1\nduration = 0.02\n[[body]]\nname = 'jelly'\nbox = [0.2, 0.2, 0.2]\nmass = 2\n";

fn refused(more: &str) -> String {
    let text = format!("{SCENE}{more}\n");
    scene_file::parse(text.as_bytes(), Path::new("s.toml")).unwrap_err().to_string()
}

#[test]
fn a_flexible_body_is_read_and_its_vertices_are_recorded() {
    let text = format!("{SCENE}flexible = {{ stiffness = 500 }}\nvelocity = {{ linear = [1, 0, 0] }}\n");
    let path = Path::new("s.toml");
    let file = scene_file::parse(text.as_bytes(), path).unwrap();
    let definition = scene_build::simulation(&file, path).unwrap().definition;
    let own = definition.flexible[0];
    assert_eq!((own.body, own.mass, own.stiffness, own.damping), (0, 2.0, 500.0, 0.05));
    assert!(definition.bodies[0].dynamics.is_none());
    let head = recording::head("s.toml", &definition);
    assert!(head.ends_with("\"bodies\":[],\"flexible\":[\"jelly\"]}\n"), "{head}");
    let mut simulation = Simulation::new(definition.clone(), false).unwrap();
    let Advance::Moments(moments) = simulation.advance(&()).unwrap() else { panic!() };
    let line = recording::line(&definition, &moments[0]);
    assert!(line.contains("\"vertices\":[[[-0.1,-0.1,-0.1],"), "{line}");
    assert!(line.contains("\"vertex_velocities\":[[[1,0,0],") || line.contains("[[[1.0,0.0,0.0],"), "{line}");
    let error = recording::parse(format!("{head}{line}").as_bytes(), path).unwrap_err().to_string();
    assert!(error.contains("flexible") && error.contains("not read back yet"), "{error}");
}

#[test]
fn what_has_no_meaning_is_refused_by_key() {
    let springs = "flexible = { stiffness = 5 }\n";
    for key in ["release = 'contact'", "inertia = [1, 1, 1]", "center = [0, 0, 0]"] {
        let error = refused(&format!("{springs}{key}"));
        let name = key.split(' ').next().unwrap();
        assert!(error.contains(&format!("found `{name}` in a flexible body")), "{error}");
    }
    assert!(refused("flexible = { damping = 0.1 }").contains("found no `stiffness`"));
    assert!(refused("flexible = { stiffness = -5 }").contains("stiffness"));
    assert!(refused("flexible = { stiffness = 5, damping = -1 }").contains("damping"));
    assert!(refused("flexible = { stiffness = 5, spring = 1 }").contains("spring"));
}
