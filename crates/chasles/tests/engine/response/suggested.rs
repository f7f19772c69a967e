//! Suggested responses to collisions of keyframed bodies: the times, the impulses, and the bodies without
//! suggestions.

use crate::response::setup::{Setup, block, sphere};
use chasles::glam::{DQuat, DVec3};
use chasles::{
    BodyMotion, Dynamics, Friction, JointKind, Pose, Primitive, ProgressMonitor, Release, SimulatedJoint,
    SimulationDefinition, Suggestion, Suggestions, suggestions,
};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_position(DVec3::new(x, y, z)).unwrap()
}

/// Keyframed bodies, with masses or without.
struct Keyed {
    setup: Setup,
    masses: Vec<Option<Dynamics>>,
}

impl Keyed {
    fn new() -> Self {
        Self { setup: Setup::new(1.0, 9.81), masses: vec![] }
    }

    fn body(
        &mut self,
        name: &str,
        primitive: Primitive,
        motion: BodyMotion,
        mass: Option<Dynamics>,
    ) -> usize {
        let own = self.setup.body(name, primitive, Pose::IDENTITY, None);
        self.setup.bodies[own].motion = motion;
        self.masses.push(mass);
        own
    }

    /// A ball of 0.1 m that flies along x.
    fn ball(&mut self, (x, y): (f64, f64), speed: f64, mass: Option<f64>) -> usize {
        let linear = speed * DVec3::X;
        let motion = BodyMotion::Twist { start: at(x, y, 0.0), linear, angular: DVec3::ZERO };
        let mass = mass.map(|mass| sphere(mass, 0.1));
        self.body("ball", Primitive::Sphere { radius: 0.1 }, motion, mass)
    }

    fn told(self) -> (SimulationDefinition, Suggestions) {
        let (definition, masses) = (self.setup.definition(), self.masses);
        let told = suggestions(&definition, &masses, &()).unwrap();
        (definition, told)
    }

    fn only(self) -> Suggestion {
        let (_, Suggestions { mut found, undecided }) = self.told();
        assert_eq!((found.len(), undecided.len()), (1, 0), "{found:?} {undecided:?}");
        found.swap_remove(0)
    }
}

#[test]
fn balls_that_collide_on_a_line_have_the_velocities_of_the_closed_form() {
    for (elasticity, masses) in [(1.0, [2.0, 3.0]), (0.5, [1.0, 10.0]), (0.0, [4.0, 0.5])] {
        let mut keyed = Keyed::new();
        keyed.ball((-1.0, 0.0), 3.0, Some(masses[0]));
        keyed.ball((1.0, 0.0), -1.0, Some(masses[1]));
        keyed.setup.own[1].elasticity = elasticity;
        let told = keyed.only();
        assert_eq!(told.bodies, [0, 1]);
        assert!((told.time - 1.8 / 4.0).abs() < 1e-9, "{}", told.time);
        let impulse = (1.0 + elasticity) * 4.0 * masses[0] * masses[1] / (masses[0] + masses[1]);
        let [contact] = told.contacts[..] else { panic!("{told:?}") };
        assert!(contact.impulse.distance(impulse * DVec3::X) < 1e-9 * impulse, "{contact:?} for {impulse}");
        assert!(contact.normal.distance(DVec3::X) < 1e-6);
        assert!(contact.point.distance(DVec3::new(0.45, 0.0, 0.0)) < 1e-6, "{contact:?}");
        assert_eq!(told.before, [[3.0 * DVec3::X, DVec3::ZERO], [-DVec3::X, DVec3::ZERO]]);
        let wanted = [3.0 - impulse / masses[0], -1.0 + impulse / masses[1]];
        for (own, wanted) in told.after.iter().zip(wanted) {
            assert!((own[0].x - wanted).abs() < 1e-9, "{told:?}");
        }
    }
}

#[test]
fn an_impact_does_not_change_the_velocity_of_a_body_without_a_mass() {
    let mut keyed = Keyed::new();
    keyed.ball((-1.0, 0.0), 3.0, Some(2.0));
    keyed.ball((1.0, 0.0), -1.0, None);
    let told = keyed.only();
    assert_eq!(told.after[1], told.before[1]);
    assert!((told.after[0][0].x + 5.0).abs() < 1e-9, "{told:?}");
}

#[test]
fn a_rotating_rod_and_the_body_that_it_hits_conserve_momenta() {
    let size = DVec3::new(1.0, 0.1, 0.1);
    let mut keyed = Keyed::new();
    let (linear, angular) = (DVec3::new(0.2, 0.0, 0.1), DVec3::new(0.0, 0.0, 1.5));
    let spinning = BodyMotion::Twist { start: Pose::IDENTITY, linear, angular };
    let center = DVec3::new(0.1, 0.02, 0.0);
    let mass = Dynamics { center, ..block(3.0, size) };
    let rod = keyed.body("rod", Primitive::Box { size }, spinning, Some(mass));
    let ball = keyed.body(
        "ball",
        Primitive::Sphere { radius: 0.1 },
        BodyMotion::Still(at(0.4, 0.45, 0.02)),
        Some(sphere(1.0, 0.1)),
    );
    for body in [rod, ball] {
        keyed.setup.own[body].friction = Friction::Coefficient(0.4);
    }
    let told = keyed.only();
    let turn = DQuat::from_rotation_z(1.5 * told.time);
    let arm = turn * center;
    let centers = [told.time * linear + arm, DVec3::new(0.4, 0.45, 0.02)];
    assert!(told.before[0][0].distance(linear + angular.cross(arm)) < 1e-9, "{told:?}");
    assert!(told.before[0][1].distance(angular) < 1e-12);
    let inertia = [3.0 / 12.0 * (1.0 + 0.01), 0.4 * 0.01];
    let momenta = |own: &[[DVec3; 2]; 2]| {
        let mass = [3.0, 1.0];
        let linear: DVec3 = (0..2).map(|i| mass[i] * own[i][0]).sum();
        let about: f64 =
            (0..2).map(|i| (mass[i] * centers[i].cross(own[i][0])).z + inertia[i] * own[i][1].z).sum();
        (linear, about)
    };
    let (before, after) = (momenta(&told.before), momenta(&told.after));
    assert!(before.0.distance(after.0) < 1e-9 && (before.1 - after.1).abs() < 1e-9, "{before:?} {after:?}");
    let impulse: DVec3 = told.contacts.iter().map(|contact| contact.impulse).sum();
    assert!(impulse.length() > 0.1 && (told.after[1][0] - told.before[1][0]).distance(impulse) < 1e-9);
}

#[test]
fn faces_that_land_flat_do_not_tilt() {
    let size = DVec3::new(0.4, 0.3, 0.2);
    let mut keyed = Keyed::new();
    keyed.body("floor", Primitive::Box { size: DVec3::ONE }, BodyMotion::Still(at(0.0, 0.0, -0.5)), None);
    let falls = BodyMotion::Twist { start: at(0.0, 0.0, 1.0), linear: -2.0 * DVec3::Z, angular: DVec3::ZERO };
    keyed.body("box", Primitive::Box { size }, falls, Some(block(2.0, size)));
    let told = keyed.only();
    assert!((told.time - 0.45).abs() < 1e-9 && told.contacts.len() >= 3, "{told:?}");
    let [linear, angular] = told.after[1];
    assert!(linear.distance(2.0 * DVec3::Z) < 1e-9 && angular.length() < 1e-9, "{told:?}");
}

#[test]
fn each_collision_is_reported() {
    let mut keyed = Keyed::new();
    let keys = [(0.0, 0.5), (0.25, -0.1), (0.5, 0.5), (0.75, -0.2), (1.0, 0.5)];
    let bobs = BodyMotion::Keyframes(keys.iter().map(|&(t, z)| (t, at(0.0, 0.0, z))).collect());
    keyed.body("bob", Primitive::Sphere { radius: 0.1 }, bobs, Some(sphere(1.0, 0.1)));
    keyed.body("post", Primitive::Sphere { radius: 0.1 }, BodyMotion::Still(at(0.0, 0.0, 0.0)), None);
    let (_, told) = keyed.told();
    let times: Vec<f64> = told.found.iter().map(|own| own.time).collect();
    let wanted = [0.3 / 0.6 * 0.25, 0.5 + 0.3 / 0.7 * 0.25];
    assert_eq!((times.len(), told.undecided.len()), (2, 0), "{told:?}");
    assert!(times.iter().zip(wanted).all(|(own, wanted)| (own - wanted).abs() < 1e-9), "{times:?}");
    // The velocities before the corner, not after it.
    assert!((told.found[1].before[0][0].z + 0.7 / 0.25).abs() < 1e-9);
}

/// The mass of a ball, and the other bodies.
type Case<'c> = (Option<f64>, &'c dyn Fn(&mut Keyed));

#[test]
fn bodies_without_contact_are_not_reported() {
    let free = |keyed: &mut Keyed, release: Release| {
        let own = keyed.ball((1.0, 0.0), 0.0, None);
        keyed.setup.own[own].dynamics = Some(sphere(1.0, 0.1));
        keyed.setup.own[own].release = release;
        if release == Release::Start {
            keyed.setup.bodies[own].motion = BodyMotion::Still(at(1.0, 0.0, 0.0));
        }
    };
    let grouped = |keyed: &mut Keyed| {
        let own = keyed.ball((1.0, 0.0), 0.0, Some(1.0));
        for body in [0, own] {
            keyed.setup.bodies[body].group = Some("one".into());
        }
    };
    // Dynamic bodies, and bodies with a release; bodies of one group; no mass on either side.
    let cases: [Case<'_>; 4] = [
        (Some(1.0), &|keyed| free(keyed, Release::Start)),
        (Some(1.0), &|keyed| free(keyed, Release::Contact)),
        (Some(1.0), &grouped),
        (None, &|keyed| {
            keyed.ball((1.0, 0.0), 0.0, None);
        }),
    ];
    for (number, (mass, other)) in cases.into_iter().enumerate() {
        let mut keyed = Keyed::new();
        keyed.ball((0.0, 0.0), 3.0, mass);
        other(&mut keyed);
        // A mass elsewhere, so that the scene is tested.
        keyed.ball((0.0, 9.0), 0.0, Some(1.0));
        assert_eq!(keyed.told().1, Suggestions::default(), "case {number}");
    }
    // Joined to a dynamic body, and to each other.
    let mut keyed = Keyed::new();
    keyed.ball((0.0, 0.0), 3.0, Some(1.0));
    keyed.ball((1.0, 0.0), 0.0, Some(1.0));
    free(&mut keyed, Release::Contact);
    let joint = |bodies| SimulatedJoint { bodies, point: DVec3::ZERO, kind: JointKind::Ball };
    keyed.setup.joints = vec![joint([0, 2]), joint([1, 2])];
    assert_eq!(keyed.only().bodies, [0, 1]);
}

#[test]
fn contacts_that_do_not_approach_get_no_impulse() {
    let size = DVec3::splat(0.2);
    let mut keyed = Keyed::new();
    keyed.body("floor", Primitive::Box { size: DVec3::ONE }, BodyMotion::Still(at(0.0, 0.0, -0.5)), None);
    let slides =
        BodyMotion::Twist { start: at(-0.2, 0.0, 0.1), linear: 0.3 * DVec3::X, angular: DVec3::ZERO };
    keyed.body("box", Primitive::Box { size }, slides, Some(block(1.0, size)));
    assert_eq!(keyed.told().1, Suggestions::default());
}

#[test]
fn what_cannot_be_told_is_named() {
    struct Over;
    impl ProgressMonitor for Over {
        fn is_over(&self) -> bool {
            true
        }
    }
    let mut keyed = Keyed::new();
    keyed.ball((-1.0, 0.0), 3.0, Some(1.0));
    keyed.ball((1.0, 0.0), -1.0, None);
    let (definition, _) = keyed.told();
    let masses = [Some(sphere(1.0, 0.1)), None];
    let told = suggestions(&definition, &masses, &Over).unwrap();
    assert_eq!(told, Suggestions { found: vec![], undecided: vec![([0, 1], 0.0)] });
    for (masses, words) in [
        (vec![None], "masses"),
        (vec![Some(sphere(-1.0, 0.1)), None], "mass of body \"ball\""),
        (vec![Some(Dynamics { center: DVec3::NAN, ..sphere(1.0, 0.1) }), None], "center of body \"ball\""),
    ] {
        let text = suggestions(&definition, &masses, &()).unwrap_err().to_string();
        assert!(text.contains(words), "{text:?} does not say {words:?}");
    }
}
