//! The simulation entries of a scene file: accepted values, values derived from shapes, and refused values with their
//! messages.

use std::path::Path;

use chasles::{
    BodyMotion, Friction, ImpactOrder, JointKind, Release, SimulatedJoint, Simulation, SimulationMethod,
    StepResult,
};
use chasles_formats::Result;
use chasles_formats::scene;
use chasles_formats::scene::build::BuiltSimulation;
use chasles_formats::scene::file::{MassAmount, ReleaseEntry, SceneFile, SimulationEntry, parse};
use glam::{DMat3, DVec3};

const FILE: &str = "cell/scene.toml";

fn scene(text: &str) -> Result<SceneFile> {
    parse(text.as_bytes(), Path::new(FILE))
}

fn built(text: &str) -> Result<BuiltSimulation> {
    scene::build::simulation(&scene(text)?, Path::new(FILE))
}

/// A scene with a table and a ball, whose lines start on line 6, and the rest of the file.
fn ball(lines: &str, rest: &str) -> String {
    format!(
        "format = 1\nduration = 2\n[[body]]\nname = 'ball'\nsphere = 0.5\n{lines}\n[[body]]\nname = 'table'\nbox = [1, 1, 1]\n{rest}\n"
    )
}

#[track_caller]
fn refused(text: &str, reported: &str) {
    assert_eq!(scene(text).expect_err(text).to_string(), format!("{FILE}:{reported}"));
}

#[test]
fn defaults_of_absent_keys() {
    let file = scene(&ball("", "")).unwrap();
    assert_eq!(file.simulation, SimulationEntry::default());
    let SimulationEntry { gravity, step, record, method, touching, depth, max_records } = file.simulation;
    assert_eq!((touching, max_records), (ImpactOrder::Together, 1_000_000));
    assert_eq!((gravity, step, record, depth), (DVec3::ZERO, 0.001, 0.01, 1e-4));
    assert_eq!((method, file.joints.len()), (SimulationMethod::Both, 0));
    let ball = &file.bodies[0];
    assert_eq!((ball.mass, ball.elasticity, ball.friction), (None, 0.0, Friction::Coefficient(0.0)));
    let file = scene(&ball_with_mass("")).unwrap();
    let mass = file.bodies[0].mass.unwrap();
    assert_eq!((mass.amount, mass.inertia, mass.center), (MassAmount::Mass(2.0), None, None));
    assert_eq!((mass.linear, mass.angular, mass.line), (DVec3::ZERO, DVec3::ZERO, 6));
}

fn ball_with_mass(rest: &str) -> String {
    ball("mass = 2", rest)
}

#[test]
fn a_scene_with_every_key() {
    let text = ball(
        "mass = 2.0\ninertia = [[2, 1, 0], [1, 2, 0], [0, 0, 3]]\ncenter = [1, 2, 3]\nelasticity = 0.5\nfriction = 'rough'\n\
         velocity = { linear = [1, 0, 0], angular = [0, 2, 0] }",
        "friction = 0.25\n[simulation]\ngravity = [0, 0, -9.81]\nstep = 0.002\nrecord = 0.1\nmethod = 'spring'\ntouching = 'one by one'\ndepth = 1e-3\nmax_records = 12\n\
         [[joint]]\nkind = 'hinge'\na = 'table'\nb = 'ball'\npoint = [0, 0, 1]\naxis = [0, 0, 2]\n\
         [[joint]]\nkind = 'ball'\na = 'ball'\nb = 'table'\npoint = [1, 0, 1]",
    );
    let file = scene(&text).unwrap();
    let expected = SimulationEntry {
        gravity: DVec3::new(0.0, 0.0, -9.81),
        step: 0.002,
        record: 0.1,
        method: SimulationMethod::Spring,
        touching: ImpactOrder::OneByOne,
        depth: 1e-3,
        max_records: 12,
    };
    assert_eq!(file.simulation, expected);
    let [ball, table] = &file.bodies[..] else { panic!("{file:?}") };
    let mass = ball.mass.unwrap();
    let inertia = DMat3::from_cols_array_2d(&[[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]);
    assert_eq!((mass.inertia, mass.center), (Some(inertia), Some(DVec3::new(1.0, 2.0, 3.0))));
    assert_eq!((mass.linear, mass.angular), (DVec3::X, DVec3::new(0.0, 2.0, 0.0)));
    assert_eq!((ball.elasticity, ball.friction), (0.5, Friction::Rough));
    assert_eq!((table.elasticity, table.friction, table.mass), (0.0, Friction::Coefficient(0.25), None));
    let hinge = SimulatedJoint { bodies: [1, 0], point: DVec3::Z, kind: JointKind::Hinge { axis: DVec3::Z } };
    let joint = SimulatedJoint { bodies: [0, 1], point: DVec3::new(1.0, 0.0, 1.0), kind: JointKind::Ball };
    assert_eq!(file.joints, [hinge, joint]);
    assert!(file.warnings.is_empty(), "{:?}", file.warnings);
    // The engine receives exactly these values, and joined bodies are not tested against each other.
    let definition = scene::build::simulation(&file, Path::new(FILE)).unwrap().definition;
    let dynamics = definition.bodies[0].dynamics.unwrap();
    assert_eq!((dynamics.mass, dynamics.inertia, dynamics.center), (2.0, inertia, DVec3::new(1.0, 2.0, 3.0)));
    assert_eq!((definition.joints.as_slice(), definition.step), (&file.joints[..], 0.002));
    assert_eq!(definition.scene.count_moving_pairs(), 0);
    // A scene with masses is still a scene.
    assert!(scene::build::build(&file, Path::new(FILE)).is_ok());
}

#[test]
fn lengths_are_in_the_unit_of_the_file() {
    let text = ball(
        "mass = 2\nunit = 'm'\ninertia = [1, 1, 1]\ncenter = [10, 0, 0]\nvelocity = { linear = [0, 20, 0], angular = [1, 0, 0] }",
        "[simulation]\ngravity = [0, 0, -9810]\ndepth = 0.5\n[[joint]]\nkind = 'ball'\na = 'ball'\nb = 'table'\npoint = [0, 0, 30]",
    );
    let file = scene(&text.replacen("duration", "unit = 'mm'\nduration", 1)).unwrap();
    let mass = file.bodies[0].mass.unwrap();
    assert_eq!((mass.center, mass.linear), (Some(DVec3::X * 0.01), DVec3::Y * 0.02));
    assert_eq!((mass.angular, mass.inertia), (DVec3::X, Some(DMat3::IDENTITY)));
    assert_eq!((file.simulation.gravity, file.simulation.depth), (DVec3::Z * -9.81, 0.0005));
    assert_eq!((file.joints[0].point, file.warnings.len()), (DVec3::Z * 0.03, 0));
    // Gravity of the Earth in metres in a file of millimetres gives a warning.
    let text = ball_with_mass("[simulation]\ngravity = [0, 0, -9.81]")
        .replacen("format = 1", "format = 1\nunit = 'mm'", 1);
    let reported = "cell/scene.toml:12: simulation.gravity: found the gravity of the Earth in metres, expected it in the file's unit \
                per square second";
    assert_eq!(scene(&text).unwrap().warnings, [reported]);
}

#[test]
fn omitted_masses_follow_from_the_placed_shape() {
    // A box of 0.2 x 0.4 x 0.6 m, given in millimetres at half its size.
    let text =
        "format = 1\nduration = 1\n[[body]]\nname = 'x'\nbox = [100, 200, 300]\nunit = 'mm'\nscale = 2.0\n";
    let inertia = DVec3::new(0.4 * 0.4 + 0.6 * 0.6, 0.2 * 0.2 + 0.6 * 0.6, 0.2 * 0.2 + 0.4 * 0.4) / 12.0;
    for (mass, kilograms) in [("mass = 3", 3.0), ("density = 1000", 48.0)] {
        let dynamics = built(&format!("{text}{mass}\n")).unwrap().definition.bodies[0].dynamics.unwrap();
        assert!((dynamics.mass - kilograms).abs() < 1e-12 * kilograms, "{dynamics:?}");
        assert!(dynamics.center.length() < 1e-15, "{dynamics:?}");
        let expected = DMat3::from_diagonal(inertia * kilograms);
        assert!(dynamics.inertia.abs_diff_eq(expected, 1e-12 * kilograms), "{dynamics:?}");
    }
    // Given values take precedence.
    let stated = built(&format!("{text}density = 1000\ncenter = [1, 0, 0]\ninertia = [7, 8, 9]\n")).unwrap();
    let dynamics = stated.definition.bodies[0].dynamics.unwrap();
    assert_eq!(
        (dynamics.center, dynamics.inertia),
        (DVec3::X, DMat3::from_diagonal(DVec3::new(7.0, 8.0, 9.0)))
    );
}

#[test]
fn a_mesh_that_is_not_closed_has_no_volume() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rag.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let path = folder.path().join("scene.toml");
    let build = |keys: &str| {
        let text = format!("format = 1\nduration = 1\n[[body]]\nname = 'rag'\nmesh = 'rag.obj'\n{keys}\n");
        std::fs::write(&path, text).unwrap();
        scene::build::simulation(&scene::file::read(&path).unwrap(), &path).map_err(|error| error.to_string())
    };
    let reported = build("density = 10").unwrap_err();
    assert!(
        reported.contains("scene.toml:6: body \"rag\".density: found a shape from which no mass follows ("),
        "{reported}"
    );
    assert!(reported.ends_with("), expected a closed shape"), "{reported}");
    let reported = build("mass = 10\ncenter = [0, 0, 0]").unwrap_err();
    assert!(
        reported.ends_with("expected a closed shape, or both `inertia` and `center` beside the mass"),
        "{reported}"
    );
    build("mass = 10\ncenter = [0, 0, 0]\ninertia = [1, 1, 1]").unwrap();
}

#[test]
fn impossible_inertia_is_a_warning() {
    let warnings =
        |inertia: &str| scene(&ball(&format!("mass = 2\ninertia = {inertia}"), "")).unwrap().warnings;
    let reported = "cell/scene.toml:7: body \"ball\".inertia: no body has this inertia: one principal moment is greater than the sum of \
                the others";
    // Balls, flat bodies, thin rods, with the rounding of files; and an oblique rod.
    for good in [
        "[1, 1, 1]",
        "[1, 2, 3]",
        "[1, 2, 3.000001]",
        "[5, 5, 1e-9]",
        "[[1, -1, 0], [-1, 1.0000001, 0], [0, 0, 2]]",
    ] {
        assert!(warnings(good).is_empty(), "{good}");
    }
    for bad in ["[1, 1, 3]", "[3, 1, 1]", "[1, 2, 3.001]", "[[2, 0.9, 0], [0.9, 2, 0], [0, 0, 0.1]]"] {
        assert_eq!(warnings(bad), [reported], "{bad}");
    }
}

#[test]
fn invalid_bodies_are_errors() {
    let cases = [
        ("mass = 0", "6: body \"ball\".mass: found 0, expected a finite number > 0"),
        ("density = -1", "6: body \"ball\".density: found -1, expected a finite number > 0"),
        (
            "mass = 1\ndensity = 1",
            "7: body \"ball\".density: found a density beside a mass, expected one of them",
        ),
        (
            "mass = 1\n[body.motion]\nkind = 'twist'\nlinear = [0, 0, 0]\nangular = [0, 0, 0]",
            "6: body \"ball\".mass: found `mass` in a body that has a motion, expected one of them, or `release = \"contact\"` beside both: a body with \
             a motion is keyframed",
        ),
        (
            "mass = 1\nrelease = 'start'\n[body.motion]\nkind = 'twist'\nlinear = [0, 0, 0]\nangular = [0, 0, 0]",
            "6: body \"ball\".mass: found `mass` in a body that has a motion, expected one of them, or `release = \"contact\"` beside \
             both: a body with a motion is keyframed",
        ),
        (
            "mass = 1\nrelease = 'contact'\nparent = 'table'",
            "6: body \"ball\".mass: found `mass` in a body that has a parent, expected one of them: joints hold dynamic bodies together",
        ),
        (
            "release = 'contact'",
            "6: body \"ball\".release: found `release` in a body that has no mass, expected `mass` or `density` beside it",
        ),
        (
            "mass = 1\nrelease = 'impact'",
            "7: body \"ball\".release: found \"impact\", expected one of start, contact, never",
        ),
        ("mass = 1\nrelease = 1", "7: body \"ball\".release: found 1, expected one of start, contact, never"),
        (
            "mass = 1\nrelease = 'contact'\nvelocity = { linear = [1, 0, 0] }",
            "8: body \"ball\".velocity: found `velocity` in a body that is keyframed at first, expected none: its motion says how fast \
             it is",
        ),
        (
            "density = 1\nparent = 'table'",
            "6: body \"ball\".density: found `density` in a body that has a parent, expected one of them: joints hold dynamic bodies \
             together",
        ),
        (
            "velocity = { linear = [0, 0, 0] }",
            "6: body \"ball\".velocity: found `velocity` in a body that has no mass, expected `mass` or `density` beside it",
        ),
        (
            "inertia = [1, 1, 1]",
            "6: body \"ball\".inertia: found `inertia` in a body that has no mass, expected `mass` or `density` beside it",
        ),
        (
            "center = [1, 1, 1]",
            "6: body \"ball\".center: found `center` in a body that has no mass, expected `mass` or `density` beside it",
        ),
        (
            "mass = 1\nvelocity = [1, 0, 0]",
            "7: body \"ball\".velocity: found a list of length 3, expected a table with the keys linear, angular",
        ),
        (
            "mass = 1\nvelocity = { liner = [1, 0, 0] }",
            "7: body \"ball\".velocity.liner: found an unknown key, expected one of linear, angular; did you mean \"linear\"?",
        ),
        (
            "mass = 1\nvelocity = { linear = [1, 0] }",
            "7: body \"ball\".velocity.linear: found a list of length 2, expected a list of 3 finite numbers",
        ),
        (
            "mass = 1\ninertia = [1, -1, 1]",
            "7: body \"ball\".inertia[1]: found -1, expected a finite number > 0",
        ),
        (
            "mass = 1\ninertia = [[1, 2, 0], [2, 1, 0], [0, 0, 1]]",
            "7: body \"ball\".inertia: found a matrix that is not positive definite, expected an inertia",
        ),
        ("mass = 1\ncenter = 0", "7: body \"ball\".center: found 0, expected a list of 3 finite numbers"),
        ("elasticity = 1.5", "6: body \"ball\".elasticity: found 1.5, expected a number from 0 to 1"),
        (
            "friction = 'wet'",
            "6: body \"ball\".friction: found \"wet\", expected a finite number >= 0 or \"rough\"",
        ),
        (
            "friction = -0.1",
            "6: body \"ball\".friction: found -0.1, expected a finite number >= 0 or \"rough\"",
        ),
    ];
    for (lines, reported) in cases {
        refused(&ball(lines, ""), reported);
    }
}

#[test]
fn invalid_tables_and_joints_are_errors() {
    let joint = |keys: &str| format!("[[joint]]\n{keys}");
    let cases = [
        (
            "[simulation]\ngravity = 9.81",
            "11: simulation.gravity: found 9.81, expected a list of 3 finite numbers",
        ),
        ("[simulation]\nstep = 0", "11: simulation.step: found 0, expected a finite number > 0"),
        ("[simulation]\nrecord = -0.1", "11: simulation.record: found -0.1, expected a finite number > 0"),
        ("[simulation]\ndepth = inf", "11: simulation.depth: found inf, expected a finite number > 0"),
        (
            "[simulation]\nmax_records = 2.5",
            "11: simulation.max_records: found 2.5, expected a whole number from 1 to 1e15",
        ),
        (
            "[simulation]\ntouching = 'apart'",
            "11: simulation.touching: found \"apart\", expected one of together, one by one",
        ),
        (
            "[simulation]\nmethod = 'magic'",
            "11: simulation.method: found \"magic\", expected one of both, impulse, spring",
        ),
        (
            "[simulation]\nwind = 3",
            "11: simulation.wind: found an unknown key, expected one of gravity, step, record, method, touching, depth, max_records",
        ),
        (
            &joint("kind = 'glue'"),
            "11: joint[0].kind: found \"glue\", expected one of ball, hinge, slide, piston, plane, fixed",
        ),
        (
            &joint("kind = 'hinge'\na = 'table'\nb = 'ball'\npoint = [0, 0, 0]"),
            "10: joint[0].axis: the key is missing, expected a direction, which a hinge has",
        ),
        (
            &joint("kind = 'fixed'\naxis = [0, 0, 1]"),
            "12: joint[0].axis: found an axis, expected none: a joint of the kind fixed has none",
        ),
        (
            &joint("kind = 'ball'\na = 'table'\nb = 'bell'"),
            "13: joint[0].b: found \"bell\", expected the name of one of the bodies; did you mean \"ball\"?",
        ),
        (
            &joint("kind = 'ball'\na = 'ball'\nb = 'ball'"),
            "13: joint[0].b: found \"ball\", expected another body: it is the same as a",
        ),
        (
            &joint(
                "kind = 'ball'\na = 'table'\nb = 'post'\npoint = [0, 0, 0]\n[[body]]\nname = 'post'\nsphere = 1",
            ),
            "10: joint[0]: found two keyframed bodies, \"table\" and \"post\", expected a dynamic body in the joint",
        ),
        (
            &joint("kind = 'ball'\na = 'ball'\nb = 'table'"),
            "10: joint[0].point: the key is missing, expected a list of 3 finite numbers",
        ),
        (
            &joint("kind = 'ball'\nto = 'ball'"),
            "12: joint[0].to: found an unknown key, expected one of kind, a, b, point, axis",
        ),
    ];
    for (rest, reported) in cases {
        refused(&ball_with_mass(rest), reported);
    }
}

#[test]
fn scenes_without_a_simulation_are_errors() {
    let reported = built(&ball("", "")).unwrap_err().to_string();
    assert!(
        reported.starts_with("cell/scene.toml: found no dynamic body, expected one with `mass` or `density`"),
        "{reported}"
    );
    let reported = built(&ball_with_mass("parent = 'ball'")).unwrap_err().to_string();
    let expected = "cell/scene.toml:7: body \"table\".parent: found \"ball\", which is dynamic, expected a keyframed body: a joint of \
                    the kind fixed holds bodies together";
    assert_eq!(reported, expected);
}

#[test]
fn bodies_are_keyframed_to_their_first_contact_or_always() {
    let motion = "[body.motion]\nkind = 'twist'\nlinear = [1, 0, 0]\nangular = [0, 0, 2]";
    let read = |lines: &str| {
        let text = ball(&format!("density = 10\n{lines}"), "mass = 3");
        let release = scene(&text).unwrap().bodies[0].mass.unwrap().release;
        (release, built(&text).unwrap())
    };
    let (release, built_scene) = read("release = 'start'");
    assert_eq!((release, built_scene.definition.bodies[0].release), (ReleaseEntry::Start, Release::Start));
    assert!(built_scene.masses.iter().all(Option::is_none));
    for motion in ["", motion] {
        let (release, built) = read(&format!("release = 'contact'\n{motion}"));
        let own = built.definition.bodies[0];
        assert_eq!((release, own.release), (ReleaseEntry::Contact, Release::Contact));
        let dynamics = own.dynamics.unwrap();
        assert!((dynamics.mass - 10.0 * std::f64::consts::PI / 6.0).abs() < 1e-9, "{dynamics:?}");
        assert_eq!((dynamics.linear, dynamics.angular), (DVec3::ZERO, DVec3::ZERO));
        let is_still = matches!(built.definition.scene.bodies()[0].motion, BodyMotion::Still(_));
        assert_eq!((is_still, built.masses), (motion.is_empty(), vec![None; 2]));
    }
    // Keyframed for good: its mass does not affect the simulation. It may have a parent and children.
    for more in [motion, "parent = 'table'"] {
        let text = ball(&format!("mass = 2\nrelease = 'never'\n{more}"), "");
        let built = built(&text).unwrap();
        assert!(built.definition.bodies.iter().all(|body| body.dynamics.is_none()));
        assert_eq!(built.masses[0].unwrap().mass, 2.0);
        assert!(!scene(&text).unwrap().bodies[0].is_dynamic());
    }
    let text = ball(
        "mass = 2\nrelease = 'never'",
        "parent = 'ball'\n[[joint]]\nkind = 'ball'\na = 'ball'\nb = 'table'",
    );
    let reported = scene(&text).unwrap_err().to_string();
    assert!(
        reported.contains("found two keyframed bodies, \"ball\" and \"table\", expected a dynamic body"),
        "{reported}"
    );
    let reported = built(&ball("mass = 2\nrelease = 'contact'", "parent = 'ball'")).unwrap_err().to_string();
    assert!(reported.contains("body \"table\".parent: found \"ball\", which is dynamic"), "{reported}");
}

/// A light rough cylinder between a heavy box and a heavy cone, all of which rotate fast: friction on points that move
/// on arcs must add no energy.
#[test]
fn rough_bodies_that_rotate_fast_gain_no_energy() {
    let text = "format=1\n\
        duration=0.009\n\
        [simulation]\n\
        gravity=[0,0,-9.81]\n\
        step=0.003\n\
        record=0.003\n\
        [[body]]\n\
        name='floor'\n\
        box=[4,4,0.2]\n\
        pose={position=[0,0,-0.1]}\n\
        [[body]]\n\
        name='b0'\n\
        cylinder={radius=0.0552804,height=0.17269}\n\
        density=101.075\n\
        elasticity=0\n\
        friction='rough'\n\
        pose={position=[0.053483069283609644, -0.09615495350891175, 0.055284421213670144],rotation=[0.679743413028542, -0.39775084369576624, 0.5846166360976821, 0.1948500643608962]}\n\
        velocity={linear=[0.06619279565616629, -0.04669461487449154, -0.010090520317126896],angular=[1.0167585198586258, 1.404099188971143, 0.17226239177463298]}\n\
        [[body]]\n\
        name='b1'\n\
        box=[0.172419,0.0772176,0.168956]\n\
        density=9604.49\n\
        elasticity=0\n\
        friction='rough'\n\
        pose={position=[-0.5317559917301841, -0.2564464883553173, 0.1006650395914517],rotation=[0.9648050665587069, 0.13985840903004235, 0.08349459689260454, 0.2064448140689807]}\n\
        velocity={linear=[-0.8507510262564276, -0.29527442387186076, -0.661915946005169],angular=[5.865209929937896, -7.181498862720488, -4.658488995055183]}\n\
        [[body]]\n\
        name='b6'\n\
        cone={radius=0.0326278,height=0.18957}\n\
        density=8528.75\n\
        elasticity=0\n\
        friction='rough'\n\
        pose={position=[-0.09504272003535369, 0.09314249568979223, 0.029850537176889392],rotation=[-0.3401669705788806, -0.044740486751703785, -0.8093811743125082, 0.47664120220655803]}\n\
        velocity={linear=[-1.1222523471395216, 1.5798441714716112, -5.1401774128437205],angular=[-29.628878337936758, -25.31011227637384, -1.0311318334042845]}\n";
    let mut simulation = Simulation::new(built(text).unwrap().definition, true).unwrap();
    while let StepResult::Moments(_) = simulation.advance(&()).unwrap() {}
    let summary = simulation.summary();
    let [start, end] = summary.energy.map(|own| own.kinetic + own.potential);
    assert!(end < start && summary.losses.friction > 0.0, "{summary:?}");
}
