//! Paths whose angles are in degrees.

use chasles_formats::robot::joint_path::resolve;
use chasles_formats::robot::urdf::{self, UrdfOptions};

use super::read;

/// A robot with an elbow from -3 to 3, a wheel without limits and a slide up to 100 m.
fn robot() -> chasles::RobotDefinition {
    let joint = |name: &str, kind: &str, limit: &str| {
        format!(
            "<link name='{name} link'/><joint name='{name}' type='{kind}'><parent link='base'/><child link='{name} link'/>\
             {limit}</joint>"
        )
    };
    let text = [
        "<robot name='r'><link name='base'/>".to_owned(),
        joint("elbow", "revolute", "<limit lower='-3' upper='3'/>"),
        joint("wheel", "continuous", ""),
        joint("slide", "prismatic", "<limit lower='0' upper='100'/>"),
        "</robot>".to_owned(),
    ];
    urdf::parse(text.concat().as_bytes(), "r.urdf".as_ref(), &UrdfOptions::default()).unwrap().definition
}

#[test]
fn only_rotating_joints_are_converted() {
    let ros = "joint_names: [slide, elbow, wheel]\npoints:\n\
               - {positions: [1, 90, -180], velocities: [2, 180, 0], time_from_start: 0}\n\
               - {positions: [2, -45, 720], velocities: [2, 180, 0], time_from_start: 1}\n";
    let path = read(ros, "p.yaml").unwrap().in_radians(&robot());
    let pi = std::f64::consts::PI;
    assert_eq!(path.waypoints[0].positions, [1.0, pi / 2.0, -pi]);
    assert_eq!(path.waypoints[1].positions, [2.0, -pi / 4.0, 4.0 * pi]);
    assert_eq!(path.waypoints[0].velocities, [2.0, pi, 0.0]);
    assert!(resolve(&path, &robot()).is_ok());
    // A column that the robot lacks is unchanged, so that the error reports it.
    let path = read("time,elbo\n0,90\n1,80\n", "p.csv").unwrap();
    assert_eq!(path.in_radians(&robot()), path);
}

#[test]
fn degrees_read_as_radians_are_warnings() {
    let doubt = |text: &str| read(text, "p.csv").unwrap().degrees_warning(&robot());
    let warning = |value: &str, joint: &str| {
        Some(format!(
            "angles look like degrees, and are taken as radians: found {value} for the joint \"{joint}\" (--degrees takes them \
             as degrees)"
        ))
    };
    assert_eq!(doubt("time,elbow\n0,0\n1,90\n"), warning("90", "elbow"));
    assert_eq!(doubt("time,wheel,elbow\n0,0,0\n1,300,2.5\n2,310,-171\n"), warning("-171", "elbow"));
    assert_eq!(doubt("time,wheel\n0,10\n1,20\n2,30\n"), warning("10", "wheel"));
    // Radians: within the limits, or a wheel that rotates further; beyond limits in either unit; metres.
    for text in [
        "time,elbow\n0,-3\n1,3\n",
        "time,wheel\n0,0\n1,6\n2,12\n",
        "time,elbow\n0,0\n1,200\n",
        "time,slide\n0,10\n1,20\n2,90\n",
        "time,other\n0,10\n1,20\n2,90\n",
    ] {
        assert_eq!(doubt(text), None, "{text}");
    }
}
