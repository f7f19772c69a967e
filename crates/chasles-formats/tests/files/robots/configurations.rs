//! Named configurations.

use std::path::Path;

use chasles::Robot;
use chasles_formats::robot::named_configurations::{
    self, NamedConfiguration, ResolvedConfiguration, find, names,
};
use chasles_formats::robot::srdf;

use crate::robots::support::robot;

/// Two arms on a base, `left` from -1 to 1 and `right` without limits; `mirror` follows `left`, and `glue` is fixed.
fn arms() -> Robot {
    let joint = |name: &str, kind: &str, child: &str, inside: &str| {
        format!(
            "<link name='{child}'/><joint name='{name}' type='{kind}'>\n\
             <parent link='base'/><child link='{child}'/>{inside}</joint>"
        )
    };
    let text = [
        "<robot name='arms'><link name='base'/>".to_owned(),
        joint("left", "revolute", "l", "<limit lower='-1' upper='1'/>"),
        joint("right", "continuous", "r", ""),
        joint("mirror", "continuous", "m", "<mimic joint='left' multiplier='-1' offset='0.5'/>"),
        joint("glue", "fixed", "g", ""),
        "</robot>".to_owned(),
    ];
    Robot::new(robot(&text.concat()).definition).unwrap()
}

/// A name, a group, and joints with values.
type State<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

/// The configurations of an SRDF with these states.
fn states(list: &[State<'_>]) -> Vec<NamedConfiguration> {
    let mut text = String::from("<robot name='arms'>\n");
    for (name, group, joints) in list {
        text += &format!("<group_state name='{name}' group='{group}'>");
        joints.iter().for_each(|(name, value)| text += &format!("<joint name='{name}' value='{value}'/>"));
        text += "</group_state>\n";
    }
    text += "</robot>";
    let read = srdf::parse(text.as_bytes(), Path::new("arms.srdf"), "arms", &[]).unwrap();
    assert_eq!(read.warnings, [""; 0]);
    read.configurations
}

/// The configuration found from values other than those at rest.
fn found(name: &str, configurations: &[NamedConfiguration]) -> Result<ResolvedConfiguration, String> {
    find(name, configurations, (&arms(), &[0.25, 0.75, 0.25, 0.0]))
}

#[test]
fn configurations_set_their_joints_and_mimics_and_no_others() {
    let configurations =
        states(&[("home", "all", &[("left", "-1"), ("glue", "0")]), ("up", "", &[("right", "9e0")])]);
    assert_eq!(names(&configurations), ["home", "up"]);
    let home = found("home", &configurations).unwrap();
    assert_eq!((home.values, home.joints, home.warnings), (vec![-1.0, 0.75, 1.5, 0.0], vec![0], vec![]));
    assert_eq!(found("all/home", &configurations).unwrap().values, [-1.0, 0.75, 1.5, 0.0]);
    assert_eq!(found("up", &configurations).unwrap().values, [0.25, 9.0, 0.25, 0.0]);
}

#[test]
fn groups_with_one_name_form_one_configuration_unless_they_differ() {
    let configurations = states(&[
        ("home", "l", &[("left", "0.5")]),
        ("home", "r", &[("right", "2")]),
        ("home", "both", &[("left", "0.5"), ("right", "2.0")]),
        ("out", "l", &[("left", "0.5")]),
        ("out", "both", &[("left", "0.25")]),
    ]);
    assert_eq!(names(&configurations), ["home", "out"]);
    assert_eq!(found("home", &configurations).unwrap().values, [0.5, 2.0, 0.0, 0.0]);
    assert_eq!(found("l/home", &configurations).unwrap().values, [0.5, 0.75, 0.0, 0.0]);
    assert_eq!(found("both/out", &configurations).unwrap().values, [0.25, 0.75, 0.25, 0.0]);
    assert_eq!(
        found("out", &configurations).unwrap_err(),
        "arms.srdf:6: configuration \"both/out\": the joint \"left\" is at 0.5 in \"l/out\" and at 0.25 in \
         \"both/out\": expected the name of one of them"
    );
}

#[test]
fn values_without_effect_are_warnings_and_others_errors() {
    let configurations = states(&[
        ("odd", "", &[("left", "0.5"), ("mirror", "0.3"), ("glue", "2"), ("tail", "1")]),
        ("far", "", &[("left", "1.1")]),
        ("near", "", &[("left", "1.000009"), ("mirror", "-0.500009")]),
        ("word", "", &[("left", "up")]),
        ("tail", "", &[("tail", "1")]),
        ("endless", "", &[("right", "inf")]),
    ]);
    let odd = found("odd", &configurations).unwrap();
    assert_eq!(odd.values, [0.5, 0.75, 0.0, 0.0]);
    assert_eq!(
        odd.warnings,
        [
            "arms.srdf:2: configuration \"odd\": the robot has no joint \"tail\": skipped",
            "arms.srdf:2: configuration \"odd\": the joint \"mirror\" follows another, to 0: 0.3 has no effect",
            "arms.srdf:2: configuration \"odd\": the joint \"glue\" is fixed: 2 has no effect",
        ]
    );
    // At most 1e-5 beyond a limit, because files round limits.
    assert_eq!(found("near", &configurations).unwrap().warnings, [""; 0]);
    let cases = [
        (
            "far",
            "arms.srdf:3: configuration \"far\": found the joint \"left\" at 1.1, beyond its limits: expected -1 to 1",
        ),
        (
            "word",
            "arms.srdf:5: configuration \"word\": joint \"left\": found \"up\", expected one finite number",
        ),
        ("tail", "arms.srdf:6: configuration \"tail\": found no joint of the robot, expected at least one"),
        (
            "endless",
            "arms.srdf:7: configuration \"endless\": joint \"right\": found \"inf\", expected one finite number",
        ),
        (
            "odds",
            "found the configuration \"odds\", expected one of \"odd\", \"far\", \"near\", \"word\", \"tail\", \
             \"endless\"; did you mean \"odd\"?",
        ),
    ];
    for (name, message) in cases {
        assert_eq!(found(name, &configurations).unwrap_err(), message);
    }
    assert_eq!(
        found("home", &[]).unwrap_err(),
        "found the configuration \"home\", where there is none: group_state in an SRDF makes configurations (--srdf)"
    );
}

#[test]
fn every_listed_configuration_is_found_by_its_name() {
    let configurations = states(&[
        ("out", "l", &[("left", "0.5")]),
        ("home", "l", &[("left", "0.5")]),
        ("far", "", &[("left", "1.1")]),
        ("home", "r", &[("right", "2"), ("tail", "1")]),
        ("out", "both", &[("right", "1"), ("left", "0.25")]),
    ]);
    let arms = arms();
    let resolve_all = named_configurations::resolve_all(&configurations, &arms);
    let named: Vec<&str> = resolve_all.iter().map(|(name, _)| name.as_str()).collect();
    // If a name is ambiguous, it is qualified by its group.
    assert_eq!(named, ["l/out", "both/out", "home", "far"]);
    for (name, offer) in &resolve_all {
        assert_eq!(*offer, find(name, &configurations, (&arms, &arms.rest())), "{name}");
    }
    let joints: Vec<Option<&[usize]>> =
        resolve_all.iter().map(|(_, offer)| offer.as_ref().ok().map(|found| &found.joints[..])).collect();
    assert_eq!(joints, [Some(&[0][..]), Some(&[0, 1]), Some(&[0, 1]), None]);
    assert_eq!(named_configurations::resolve_all(&[], &arms), []);
}

#[test]
fn states_without_names_are_skipped_with_a_warning() {
    let text = "<robot name='arms'>\n<group_state group='all'><joint name='left' value='1'/></group_state>\n\
                <group_state name='home'><joint value='1'/></group_state>\n</robot>";
    let read = srdf::parse(text.as_bytes(), Path::new("arms.srdf"), "arms", &[]).unwrap();
    assert_eq!(read.configurations, []);
    assert_eq!(
        read.warnings,
        [
            "arms.srdf:2: group_state: found <group_state> without name: the configuration is skipped",
            "arms.srdf:3: group_state: found <joint> without name: the configuration is skipped",
        ]
    );
}
