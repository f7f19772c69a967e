//! A robot on its paths, and worlds in VRML: with what is true of them, by formulas alone.

use serde_json::{Value, json};

use crate::make_scenes::camera;
use crate::make_scenes::solid::pyramid;

/// A run of `chasles check`, and what is true of it.
pub(crate) struct Case {
    /// The name of its expected report, without the ending.
    pub(crate) name: &'static str,
    /// What is checked, a file of the folder, and the arguments after it.
    pub(crate) command: &'static [&'static str],
    /// What happens, in a sentence.
    pub(crate) about: &'static str,
    /// Where the expected values come from, in a sentence.
    pub(crate) truth: &'static str,
    /// Seconds.
    duration: f64,
    /// How many bodies have a surface.
    bodies: usize,
    pairs_tested: usize,
    /// How much later than the surfaces part an exit may begin, in seconds.
    parts_within: f64,
    /// The pairs that meet.
    pairs: Vec<Value>,
}

/// A contact, once in a path.
struct Meeting<'a> {
    bodies: [&'a str; 2],
    /// Seconds.
    enter: f64,
    exit: Option<f64>,
    /// What is unique of point and normal.
    contact: Value,
    /// On a path: the segment, and a joint with its value, at the entry.
    at: Option<(usize, &'a str, f64)>,
}

/// Times are enclosed within this, in seconds.
const TIMES_WITHIN: f64 = 1e-6;

/// Points lie within this, in metres.
const POINTS_WITHIN: f64 = 1e-4;

/// A round body is in contact while it is within the tolerance, here at most 4e-9 m: at most so long, at 0.3 m/s.
const WITHIN_TOLERANCE: f64 = 2e-8;

/// All cases, in the order of the table.
pub(crate) fn cases() -> Vec<Case> {
    vec![
        arm_free(),
        arm_wire(),
        arm_trajectory(),
        arm_grip(),
        arm_part(),
        arm_conveyor(),
        arm_seen(),
        gate_world(),
        press_world(),
    ]
}

/// The files of the cases, and their contents.
pub(crate) fn files() -> Vec<(&'static str, String)> {
    let base = [[-0.02, -0.02, 0.0], [-0.02, 0.02, 0.0], [0.02, 0.02, 0.0], [0.02, -0.02, 0.0]];
    let hand = pyramid(&base, [0.0, 0.0, -0.1]);
    let csv = |about: &str, text: &str| {
        format!("# {about}\n# Written by the example make_scenes; do not edit.\n{text}")
    };
    let [x, y] = WIRE;
    let wire = format!(
        "format = 1\nduration = 1.0\n\n[[body]]\nname = \"wire\"\ncylinder = {{ radius = {WIRE_RADIUS:?}, height = 0.2 }}\n\
         pose = {{ position = [{x:?}, {y:?}, 0.1] }}\n"
    );
    vec![
        ("meshes/arm-hand.obj", hand.to_obj("arm-hand")),
        ("robots/arm.urdf", ARM.into()),
        (
            "robots/wire.toml",
            csv(
                "A wire, 3 mm thick, that ends below the hand of the arm and above the tips of its fingers.",
                &wire,
            ),
        ),
        ("robots/table.toml", csv("A ball between the fingers of the arm, and a table below it.", TABLE)),
        ("robots/conveyor.toml", csv("A parcel that comes along on a conveyor.", CONVEYOR)),
        ("robots/seen.toml", csv("What a depth camera saw: its points, and its pose.", camera::WORLD)),
        ("robots/seen.pcd", camera::pcd()),
        ("robots/free.csv", csv("The arm turns with its elbow bent.", FREE)),
        ("robots/wire.csv", csv("The arm turns, stretched out.", STRETCHED)),
        ("robots/wire.yaml", TRAJECTORY.into()),
        ("robots/grip.csv", csv("The fingers close.", GRIP)),
        ("robots/lower.csv", csv("The hand goes down.", LOWER)),
        ("robots/wait.csv", csv("The hand goes down and waits.", WAIT)),
        ("worlds/gate.wrl", GATE.into()),
        ("worlds/gate.csv", csv("The gate opens, slowly first.", OPEN)),
        ("worlds/press.wrl", PRESS.into()),
    ]
}

const ARM: &str = r#"<?xml version="1.0"?>
<!-- An arm that turns about two upright axes and lowers a gripper. Written by the example make_scenes; do not edit. -->
<robot name="arm">
  <link name="base">
    <collision><origin xyz="0 0 0.1"/><geometry><cylinder radius="0.08" length="0.2"/></geometry></collision>
  </link>
  <link name="upper">
    <collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.06 0.06"/></geometry></collision>
  </link>
  <link name="fore">
    <collision><origin xyz="0.15 0 0"/><geometry><box size="0.3 0.05 0.05"/></geometry></collision>
  </link>
  <link name="hand">
    <collision><geometry><mesh filename="../meshes/arm-hand.obj"/></geometry></collision>
  </link>
  <link name="left">
    <collision><geometry><box size="0.02 0.004 0.06"/></geometry></collision>
  </link>
  <link name="right">
    <collision><geometry><box size="0.02 0.004 0.06"/></geometry></collision>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.25"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="50" velocity="2"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="fore"/><origin xyz="0.4 0 0.08"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="50" velocity="2"/>
  </joint>
  <joint name="reach" type="prismatic">
    <parent link="fore"/><child link="hand"/><origin xyz="0.3 0 0"/><axis xyz="0 0 -1"/>
    <limit lower="0" upper="0.3" effort="50" velocity="0.5"/>
  </joint>
  <joint name="grip" type="prismatic">
    <parent link="hand"/><child link="left"/><origin xyz="0 0.03 -0.13"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.03" effort="10" velocity="0.1"/>
  </joint>
  <joint name="grip_right" type="prismatic">
    <parent link="hand"/><child link="right"/><origin xyz="0 -0.03 -0.13"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.03" effort="10" velocity="0.1"/><mimic joint="grip"/>
  </joint>
</robot>
"#;

/// Where the wire stands, about as far from the axis of the first joint as the fingers of the arm that is stretched out.
const WIRE: [f64; 2] = [0.6958, 0.0761];
const WIRE_RADIUS: f64 = 0.0015;
/// A finger's middle is so far beside that of the arm, and it is so thick.
const FINGER: f64 = 0.03;
const FINGER_THICK: f64 = 0.004;

const FREE: &str = "time,turn,elbow,reach\n0,-1.2,2,0\n2,1.2,2,0\n3,1.2,1.7,0.05\n";
const STRETCHED: &str = "time,turn\n0,-1.2\n2,1.2\n";
const GRIP: &str = "time,grip\n0,0\n3,0.03\n";
const LOWER: &str = "time,reach\n0,0\n2,0.06\n";
const WAIT: &str = "time,reach\n0,0\n1,0.1\n4,0.1\n";
const OPEN: &str = "time,GATE.rotation\n0,0\n1,0.2\n3,1.2\n";

const TRAJECTORY: &str = "# The arm turns, stretched out: from rest to rest, along a cubic.
# Written by the example make_scenes; do not edit.
joint_names: [turn]
points:
- {positions: [-1.2], velocities: [0.0], time_from_start: {sec: 0, nanosec: 0}}
- {positions: [1.2], velocities: [0.0], time_from_start: {sec: 3, nanosec: 0}}
";

const TABLE: &str = "format = 1
duration = 1.0

[[body]]
name = \"table\"
box = [0.4, 0.4, 0.02]
pose = { position = [0.7, 0.0, 0.09] }

[[body]]
name = \"ball\"
sphere = 0.025
parent = \"hand\"
pose = { position = [0.0, 0.0, -0.16] }
";

const CONVEYOR: &str = "format = 1
duration = 4.0

[[body]]
name = \"parcel\"
box = [0.2, 0.2, 0.12]
pose = { position = [0.7, -0.6, 0.06] }
[body.motion]
kind = \"twist\"
linear = [0.0, 0.2, 0.0]
angular = [0.0, 0.0, 0.0]
";

const GATE: &str = "#VRML V2.0 utf8
# A gate that turns about the axis of y, and a ball in its way. Written by the example make_scenes; do not edit.
DEF GATE Transform {
  rotation 0 1 0 0
  children Transform { translation 0.5 0 0 children DEF LEAF Shape { geometry Box { size 1 1 0.1 } } }
}
DEF POST Transform { translation 0.42 0 -0.43 children DEF BALL Shape { geometry Sphere { radius 0.1 } } }
";

const PRESS: &str = "#VRML V2.0 utf8
# A ball goes down into an anvil and up again. Written by the example make_scenes; do not edit.
DEF HEAD Transform { translation 0 2 0 children DEF BALL Shape { geometry Sphere { radius 0.25 } } }
DEF ANVIL Shape { geometry Box { size 2 1 2 } }
DEF CLOCK TimeSensor { cycleInterval 4 }
DEF STROKE PositionInterpolator { key [ 0 0.5 1 ] keyValue [ 0 2 0, 0 0.5 0, 0 2 0 ] }
ROUTE CLOCK.fraction_changed TO STROKE.set_fraction
ROUTE STROKE.value_changed TO HEAD.set_translation
";

impl Case {
    /// One that keeps clear; the others change what is different.
    fn new(name: &'static str, command: &'static [&'static str]) -> Self {
        Self {
            name,
            command,
            about: "",
            truth: "",
            duration: 1.0,
            bodies: 7,
            pairs_tested: 0,
            parts_within: 0.0,
            pairs: Vec::new(),
        }
    }

    fn meets(&mut self, meeting: Meeting<'_>) {
        let Meeting { bodies: [a, b], enter, exit, contact, at } = meeting;
        let mut interval = json!({ "enter": enter, "exit": exit, "contact": contact });
        if let Some((segment, joint, value)) = at {
            interval["segment"] = json!(segment);
            interval["joints"] = json!({ joint: value });
        }
        self.pairs.push(json!({ "a": a, "b": b, "verdict": "contact", "intervals": [interval] }));
    }

    /// The expected report.
    pub(crate) fn to_expected(&self) -> String {
        let met = !self.pairs.is_empty();
        let expected = json!({
            "scene": self.command[0],
            "arguments": self.command[1..],
            "about": self.about,
            "truth": self.truth,
            "verdict": if met { "contact" } else { "clear" },
            "exit_status": i32::from(met),
            "duration": self.duration,
            "bodies": self.bodies,
            "pairs_tested": self.pairs_tested,
            "times_within": TIMES_WITHIN,
            "parts_within": self.parts_within,
            "points_within": POINTS_WITHIN,
            "pairs": self.pairs,
        });
        format!("{expected:#}\n")
    }
}

fn arm_free() -> Case {
    // The middle of the hand is where the elbow, 0.4 m out, bends the forearm of 0.3 m to; what surrounds it reaches less than 0.05 m.
    let reach = |elbow: f64| (0.4 + 0.3 * elbow.cos()).hypot(0.3 * elbow.sin()) + 0.05;
    assert!(reach(1.7) < 0.53 && reach(2.0) < reach(1.7) && WIRE[0].hypot(WIRE[1]) > 0.69);
    // Ten pairs of links: the base with all but the upper arm (4), the upper arm with the hand and fingers (3), the
    // forearm with the fingers (2), the fingers with each other (1). Five links with the wire.
    Case {
        duration: 3.0,
        pairs_tested: 15,
        about: "The arm turns past a wire of 3 mm with its elbow bent.",
        truth: "Formula: nothing of it reaches further than 0.53 m from its axis, and the wire stands 0.69 m from it; no two links \
                that could meet share a height, but for what stays 0.2 m apart.",
        ..Case::new(
            "arm-free",
            &["robots/arm.urdf", "--path", "robots/free.csv", "--world", "robots/wire.toml"],
        )
    }
}

/// The angles of the arm at which the face of a finger, its middle so far beside the arm, comes to the wire and leaves it.
fn at_the_wire(beside: f64) -> [f64; 2] {
    let [x, y] = WIRE;
    let reach = 0.5 * FINGER_THICK + WIRE_RADIUS;
    [beside + reach, beside - reach].map(|side| y.atan2(x) - (side / x.hypot(y)).asin())
}

/// Two fingers that pass the wire, at times that belong to the angles of the arm.
fn pass_the_wire(case: &mut Case, time: impl Fn(f64) -> f64) {
    for (finger, beside) in [("left", FINGER), ("right", -FINGER)] {
        let [enter, exit] = at_the_wire(beside);
        case.meets(Meeting {
            bodies: [finger, "wire"],
            enter: time(enter),
            exit: Some(time(exit)),
            contact: json!({}),
            at: Some((0, "turn", enter)),
        });
    }
    // Ten pairs of links; five links with the wire.
    case.pairs_tested = 15;
    case.parts_within = WITHIN_TOLERANCE;
}

fn arm_wire() -> Case {
    let mut case = Case {
        duration: 2.0,
        about: "The arm turns, stretched out; each of its fingers strikes a wire of 3 mm for 8 ms, and none of 100 samples shows it.",
        truth: "Formula: the face of a finger comes to the wire at the angle of the wire less asin(side / distance), with the wire's \
                radius added to the side; the generator looks at 100 and 101 evenly spaced poses and finds none in contact.",
        ..Case::new(
            "arm-wire",
            &["robots/arm.urdf", "--path", "robots/wire.csv", "--world", "robots/wire.toml"],
        )
    };
    for [enter, exit] in [at_the_wire(FINGER), at_the_wire(-FINGER)] {
        for steps in [99, 100] {
            let mut samples = (0..=steps).map(|i| -1.2 + 2.4 * f64::from(i) / f64::from(steps));
            assert!(!samples.any(|angle| enter - 1e-4 <= angle && angle <= exit + 1e-4), "a sample shows it");
        }
    }
    pass_the_wire(&mut case, |angle| 2.0 * (angle + 1.2) / 2.4);
    case
}

fn arm_trajectory() -> Case {
    let mut case = Case {
        duration: 3.0,
        about: "The same with a trajectory of ROS in YAML, whose velocities make it a cubic, from rest to rest.",
        truth: "Formula: the same angles; the cubic y = 3 s^2 - 2 s^3 is at y where s = 1/2 - sin(asin(1 - 2 y) / 3).",
        ..Case::new(
            "arm-trajectory",
            &["robots/arm.urdf", "--path", "robots/wire.yaml", "--world", "robots/wire.toml"],
        )
    };
    pass_the_wire(&mut case, |angle| {
        let share = (angle + 1.2) / 2.4;
        3.0 * (0.5 - ((1.0 - 2.0 * share).asin() / 3.0).sin())
    });
    case
}

fn arm_grip() -> Case {
    let mut case = Case {
        duration: 3.0,
        bodies: 6,
        // All ten pairs of links that no joint joins.
        pairs_tested: 10,
        about: "The fingers close further than they can: the right one follows the left one (`mimic`), and they meet.",
        truth: "Formula: their faces are 56 mm apart, and each goes 10 mm a second.",
        ..Case::new("arm-grip", &["robots/arm.urdf", "--path", "robots/grip.csv"])
    };
    case.meets(Meeting {
        bodies: ["left", "right"],
        enter: 2.8,
        exit: None,
        contact: json!({ "normal": [0.0, -1.0, 0.0] }),
        at: Some((0, "grip", 0.028)),
    });
    case
}

fn arm_part() -> Case {
    let mut case = Case {
        duration: 2.0,
        bodies: 8,
        // Ten pairs of links; the ball with all links but the hand (5); the table with the ball and with all links but
        // the base (6).
        pairs_tested: 21,
        about: "The hand goes down with a ball between its fingers: the ball meets the table, the fingers do not.",
        truth: "Formula: the ball's lowest point is 45 mm above the table, and it goes 30 mm a second.",
        ..Case::new(
            "arm-part",
            &["robots/arm.urdf", "--path", "robots/lower.csv", "--world", "robots/table.toml"],
        )
    };
    let contact = json!({ "point": [0.7, 0.0, 0.1], "normal": [0.0, 0.0, 1.0] });
    case.meets(Meeting {
        bodies: ["table", "ball"],
        enter: 1.5,
        exit: None,
        contact,
        at: Some((0, "reach", 0.045)),
    });
    case
}

fn arm_conveyor() -> Case {
    let mut case = Case {
        duration: 4.0,
        // Ten pairs of links; all six links with the parcel.
        pairs_tested: 16,
        about: "The hand goes down and waits, and a parcel on a conveyor runs through both fingers.",
        truth: "Formula: at 0.2 m/s its front face comes 0.468 m to the right finger and 0.528 m to the left one, and its rear face \
                leaves them 0.204 m later.",
        ..Case::new(
            "arm-conveyor",
            &["robots/arm.urdf", "--path", "robots/wait.csv", "--world", "robots/conveyor.toml"],
        )
    };
    for (finger, way) in [("left", 0.528), ("right", 0.468)] {
        case.meets(Meeting {
            bodies: [finger, "parcel"],
            enter: way / 0.2,
            exit: Some((way + 0.204) / 0.2),
            contact: json!({ "normal": [0.0, -1.0, 0.0] }),
            at: Some((1, "reach", 0.1)),
        });
    }
    case
}

fn arm_seen() -> Case {
    let mut case = Case {
        duration: 2.0,
        // Ten pairs of links; five links with the cloud.
        pairs_tested: 15,
        parts_within: 1e-6,
        about: "The arm turns, stretched out, over a table with a carton that a depth camera saw, a cloud of 604 points: both fingers \
                strike the carton.",
        truth: "Bisection of the least distance between a finger's box, turned back by the angle of the arm, and a point, less the \
                points' radius.",
        ..Case::new(
            "arm-seen",
            &["robots/arm.urdf", "--path", "robots/wire.csv", "--world", "robots/seen.toml"],
        )
    };
    for (finger, beside) in [("left", FINGER), ("right", -FINGER)] {
        let meeting = camera::meeting([0.7, beside, 0.2], [0.01, 0.5 * FINGER_THICK, 0.03], [-1.2, 1.2]);
        let [enter, exit] = meeting.map(|angle| 2.0 * (angle + 1.2) / 2.4);
        case.meets(Meeting {
            bodies: [finger, "seen"],
            enter,
            exit: Some(exit),
            contact: json!({}),
            at: Some((0, "turn", meeting[0])),
        });
    }
    case
}

fn gate_world() -> Case {
    let (x, z) = (0.42_f64, 0.43_f64);
    // Half the leaf, and the ball's radius.
    let [enter, exit] = [0.15, -0.15].map(|side: f64| z.atan2(x) - (side / x.hypot(z)).asin());
    let time = |angle: f64| 1.0 + 2.0 * (angle - 0.2);
    let mut case = Case {
        duration: 3.0,
        bodies: 2,
        pairs_tested: 1,
        parts_within: WITHIN_TOLERANCE,
        about: "A world in VRML whose gate a path opens: it strikes a ball.",
        truth: "Formula: the face of the gate comes to the ball at the angle of the ball less asin((0.05 + 0.1) / distance).",
        ..Case::new("gate-world", &["worlds/gate.wrl", "--path", "worlds/gate.csv"])
    };
    case.meets(Meeting {
        bodies: ["GATE/LEAF", "POST/BALL"],
        enter: time(enter),
        exit: Some(time(exit)),
        contact: json!({}),
        at: Some((1, "GATE.rotation", enter)),
    });
    case
}

fn press_world() -> Case {
    let mut case = Case {
        duration: 4.0,
        bodies: 2,
        pairs_tested: 1,
        parts_within: WITHIN_TOLERANCE,
        about: "A world in VRML that moves by itself: a ball goes down into an anvil and up again.",
        truth: "Formula: it goes 1.25 m to the anvil at 0.75 m/s, and comes back the same way.",
        ..Case::new("press-world", &["worlds/press.wrl"])
    };
    case.meets(Meeting {
        bodies: ["HEAD/BALL", "ANVIL"],
        enter: 1.25 / 0.75,
        exit: Some(4.0 - 1.25 / 0.75),
        contact: json!({ "point": [0.0, 0.5, 0.0], "normal": [0.0, -1.0, 0.0] }),
        at: None,
    });
    case
}
