//! Projects velocities to the joints, and finds the joint impulses.

use glam::DVec3;

use crate::impulses::joined::{JointedBodies, Method, reset};
use crate::impulses::problem::JointImpulse;
use crate::impulses::rows::{BodyVelocity, ConstraintRow, JacobianRow, ScaledVelocity};
use crate::impulses::sparse::Blocks;

/// Reusable memory of the corrections.
#[derive(Debug, Default)]
pub(super) struct Corrections {
    /// The error of each row, scaled, and in loops the impulses of one correction.
    errors: Vec<f64>,
    remaining: Vec<f64>,
    /// The impulses along the rows: the sum, and in trees the impulses of one correction.
    amounts: Vec<f64>,
    correction: Vec<f64>,
    change: ScaledVelocity,
    /// For impulses of minimum norm: the effect of each row on momenta, the factors of the sum of the rows' squares,
    /// and the momenta that the joints transfer.
    jacobian: Vec<JacobianRow>,
    momentum_matrix: Blocks,
    momenta: ScaledVelocity,
    /// The largest relative velocity error at the last check, and its joint.
    worst: Option<(f64, usize)>,
}

/// The target relative velocities of the joints.
#[derive(Debug, Clone, Copy)]
enum JointTarget<'w> {
    /// Zero.
    Zero,
    /// These, along each direction.
    Speeds(&'w [f64]),
    /// Zero, for a change of velocities, to which keyframed bodies do not contribute.
    ZeroChange,
}

/// A joint holds if its error is below this fraction of the maximum speed.
const JOINT_TOLERANCE: f64 = 1e-8;

/// Maximum number of corrections.
const MAX_CORRECTIONS: usize = 60;

/// In trees, an error below this fraction of the velocities in it is rounding, which corrections do not reduce. For
/// few bodies they may reduce it a little more, which takes time.
const ROUNDING: f64 = 1e-14;
const ROUNDING_WITH_FEW_BODIES: f64 = 1e-15;

/// Regularization of the matrix for impulses of minimum norm.
const MOMENTUM_REGULARIZATION: f64 = 1e-9;

/// Projects velocities to the joints, as far as possible.
pub(crate) fn project(joined: &JointedBodies<'_>, motion: &mut ScaledVelocity) {
    correct(joined, motion, JointTarget::Zero, &mut Corrections::default());
}

/// The same with a given relative velocity in each joint direction ([`JointedBodies::directions`]).
pub(crate) fn project_to_speeds(joined: &JointedBodies<'_>, motion: &mut ScaledVelocity, speeds: &[f64]) {
    correct(joined, motion, JointTarget::Speeds(speeds), &mut Corrections::default());
}

/// The response of the velocities to a unit impulse along a row.
pub(crate) fn joint_response(joined: &JointedBodies<'_>, row: &ConstraintRow) -> ScaledVelocity {
    let mut change = ScaledVelocity::new();
    let all = joined.system.forest.links();
    response_along(joined, row, all, &mut change, &mut Corrections::default());
    change
}

/// As [`project`], with reusable memory.
pub(super) fn project_with_memory(
    joined: &JointedBodies<'_>,
    motion: &mut [BodyVelocity],
    corrections: &mut Corrections,
) {
    correct(joined, motion, JointTarget::Zero, corrections);
}

/// As [`joint_response`], with reusable memory; in trees only for the bodies of the problem's contacts.
pub(super) fn response_of_contacts(
    joined: &JointedBodies<'_>,
    row: &ConstraintRow,
    change: &mut ScaledVelocity,
    corrections: &mut Corrections,
) {
    let marked = joined.system.forest.marked_links().iter().copied();
    response_along(joined, row, marked, change, corrections);
}

/// The joint with the largest error after the corrections, if it does not hold.
pub(super) fn violated_joint(joined: &JointedBodies<'_>, corrections: &Corrections) -> Option<usize> {
    let worst = corrections.worst?;
    (worst.0 > JOINT_TOLERANCE * joined.speed().max(f64::MIN_POSITIVE)).then_some(worst.1)
}

/// As [`joint_response`], with reusable memory.
pub(super) fn response_of_all(
    joined: &JointedBodies<'_>,
    row: &ConstraintRow,
    change: &mut ScaledVelocity,
    corrections: &mut Corrections,
) {
    response_along(joined, row, joined.system.forest.links(), change, corrections);
}

fn correct(
    joined: &JointedBodies<'_>,
    motion: &mut [BodyVelocity],
    target: JointTarget<'_>,
    corrections: &mut Corrections,
) {
    corrections.worst = None;
    reset(&mut corrections.errors, joined.system.rows.len(), 0.0);
    reset(&mut corrections.amounts, joined.system.rows.len(), 0.0);
    reset(&mut corrections.correction, joined.system.rows.len(), 0.0);
    match joined.system.method {
        Method::None => {}
        Method::Tree => correct_tree(joined, joined.system.forest.links(), motion, target, corrections),
        Method::Loops(regularization) => correct_loops(joined, regularization, motion, target, corrections),
    }
}

fn correct_tree(
    joined: &JointedBodies<'_>,
    links: impl DoubleEndedIterator<Item = usize> + Clone,
    motion: &mut [BodyVelocity],
    target: JointTarget<'_>,
    corrections: &mut Corrections,
) {
    let forest = &joined.system.forest;
    let joints = links.clone().filter_map(|link| forest.joint(link));
    corrections.change.resize(motion.len(), BodyVelocity::zeros());
    let rounding = if joined.has_few_bodies() { ROUNDING_WITH_FEW_BODIES } else { ROUNDING };
    let mut before = f64::INFINITY;
    for round in 0..=MAX_CORRECTIONS {
        let [worst, size] = measure_errors(joined, joints.clone(), motion, target, corrections);
        if round == MAX_CORRECTIONS || worst <= rounding * size || worst >= 0.5 * before {
            break;
        }
        before = worst;
        let Corrections { errors, amounts, correction, change, .. } = corrections;
        links.clone().for_each(|link| change[forest.child(link)] = BodyVelocity::zeros());
        forest.solve(links.clone(), errors, correction, change);
        for joint_rows in joints.clone().map(|joint| &joined.system.joints[joint]) {
            for i in joint_rows.first..joint_rows.end {
                let row = &joined.system.rows[i];
                let amount = row.scale * correction[i];
                amounts[i] += amount;
                joint_rows.apply(row, amount, motion);
            }
        }
    }
}

fn correct_loops(
    joined: &JointedBodies<'_>,
    regularization: f64,
    motion: &mut [BodyVelocity],
    target: JointTarget<'_>,
    corrections: &mut Corrections,
) {
    let mut before = f64::INFINITY;
    for round in 0..=MAX_CORRECTIONS {
        let [worst, _] = measure_errors(joined, 0..joined.system.joints.len(), motion, target, corrections);
        if round == MAX_CORRECTIONS || worst == 0.0 || worst >= 0.5 * before {
            break;
        }
        before = worst;
        // (e + R^T R)^-1 R^T errors: the correcting change, up to a term of order e.
        let Corrections { errors, remaining, change, .. } = corrections;
        reset(change, motion.len(), BodyVelocity::zeros());
        for joint_rows in &joined.system.joints {
            for (row, error) in
                joined.system.rows[joint_rows.first..joint_rows.end].iter().zip(&errors[joint_rows.first..])
            {
                joint_rows.apply(row, row.scale * error, change);
            }
        }
        joined.system.scaled.solve(&joined.system.elimination, change);
        // Applies the change through the impulses that make it, so that its rounding is not applied.
        remaining.clear();
        for joint_rows in &joined.system.joints {
            for (row, error) in
                joined.system.rows[joint_rows.first..joint_rows.end].iter().zip(&errors[joint_rows.first..])
            {
                let [a, b] = joint_rows.velocities_along(row, change);
                remaining.push((error - row.scale * (a + b)) / regularization);
            }
        }
        for joint_rows in &joined.system.joints {
            let rows = joined.system.rows[joint_rows.first..joint_rows.end].iter();
            for (row, amount) in rows.zip(&remaining[joint_rows.first..]) {
                joint_rows.apply(row, row.scale * amount, motion);
            }
        }
    }
}

/// Computes the errors of the rows of these joints, scaled to unit length; returns the maximum error, and the
/// maximum sum of its terms.
fn measure_errors(
    joined: &JointedBodies<'_>,
    joints: impl Iterator<Item = usize>,
    motion: &[BodyVelocity],
    target: JointTarget<'_>,
    corrections: &mut Corrections,
) -> [f64; 2] {
    let (mut worst, mut size) = (0.0_f64, 0.0_f64);
    corrections.worst = None;
    for joint in joints {
        let joint_rows = &joined.system.joints[joint];
        for i in joint_rows.first..joint_rows.end {
            let row = &joined.system.rows[i];
            let [a, b] = joint_rows.velocities_along(row, motion);
            let (speed, keyframed_speed) = match target {
                JointTarget::Zero => (0.0, row.keyframed_speed),
                JointTarget::Speeds(all) => (all[i], row.keyframed_speed),
                JointTarget::ZeroChange => (0.0, 0.0),
            };
            let error = speed - (a + b + keyframed_speed);
            corrections.errors[i] = row.scale * error;
            worst = worst.max(corrections.errors[i].abs());
            size = size.max(row.scale * (speed.abs() + a.abs() + b.abs() + keyframed_speed.abs()));
            // A NaN counts as the maximum.
            if corrections.worst.is_none_or(|(most, _)| error.abs().total_cmp(&most).is_ge()) {
                corrections.worst = Some((error.abs(), joint));
            }
        }
    }
    [worst, size]
}

/// The response of the velocities to a unit impulse along a row; in trees only for the bodies of these links, on
/// which the row acts.
fn response_along(
    joined: &JointedBodies<'_>,
    row: &ConstraintRow,
    links: impl DoubleEndedIterator<Item = usize> + Clone,
    change: &mut ScaledVelocity,
    corrections: &mut Corrections,
) {
    let forest = &joined.system.forest;
    let Corrections { errors, amounts, correction, .. } = corrections;
    errors.resize(joined.system.rows.len(), 0.0);
    amounts.resize(joined.system.rows.len(), 0.0);
    correction.resize(joined.system.rows.len(), 0.0);
    if let Method::Tree = joined.system.method {
        change.resize(joined.system.scales.len(), BodyVelocity::zeros());
        links.clone().for_each(|link| change[forest.child(link)] = BodyVelocity::zeros());
        row.apply(1.0, change);
        for joint_rows in
            links.clone().filter_map(|link| forest.joint(link)).map(|joint| &joined.system.joints[joint])
        {
            errors[joint_rows.first..joint_rows.end].fill(0.0);
        }
        forest.solve(links.clone(), errors, correction, change);
        correct_tree(joined, links, change, JointTarget::ZeroChange, corrections);
    } else {
        reset(change, joined.system.scales.len(), BodyVelocity::zeros());
        row.apply(1.0, change);
        if let Method::Loops(regularization) = joined.system.method {
            correct_loops(joined, regularization, change, JointTarget::ZeroChange, corrections);
        }
    }
}

/// The joint impulses of minimum norm for this change of scaled velocities; in trees they are unique, and are
/// those in the last corrections. Returns whether the factors exist despite rounding.
pub(super) fn joint_impulses(
    joined: &JointedBodies<'_>,
    change: &[BodyVelocity],
    impulses: &mut Vec<JointImpulse>,
    corrections: &mut Corrections,
) -> bool {
    reset(impulses, joined.system.joints.len(), JointImpulse { impulse: DVec3::ZERO, moment: DVec3::ZERO });
    let is_solved = match joined.system.method {
        Method::None | Method::Tree => true,
        Method::Loops(_) => minimum_norm(joined, change, corrections),
    };
    for (joint_rows, own) in joined.system.joints.iter().zip(impulses) {
        for i in joint_rows.first..joint_rows.end {
            own.impulse += corrections.amounts[i] * joined.system.rows[i].impulse;
            own.moment += corrections.amounts[i] * joined.system.rows[i].moment;
        }
    }
    is_solved
}

/// Impulses along all rows, of minimum norm, that produce this change of scaled velocities.
fn minimum_norm(joined: &JointedBodies<'_>, change: &[BodyVelocity], corrections: &mut Corrections) -> bool {
    let elimination = &joined.system.elimination;
    let Corrections { amounts, jacobian, momentum_matrix, momenta, change: rest, .. } = corrections;
    jacobian.clear();
    for (joint, joint_rows) in joined.system.joints.iter().enumerate() {
        jacobian.extend(
            joined.system.rows[joint_rows.first..joint_rows.end]
                .iter()
                .map(|row| joined.joint_momentum_row(joint, row)),
        );
    }
    momentum_matrix.reset(elimination, MOMENTUM_REGULARIZATION);
    jacobian.iter().for_each(|row| momentum_matrix.add_square(elimination, row));
    if !momentum_matrix.factor(elimination) {
        return false;
    }
    // The momenta that joints transfer; the impulses are J y, which has minimum norm, with J^T J y = momenta.
    momenta.clear();
    momenta.extend(change.iter().zip(&joined.system.scales).map(|(own, scale)| scale.momenta(own)));
    reset(amounts, jacobian.len(), 0.0);
    let mut before = f64::INFINITY;
    for _ in 0..MAX_CORRECTIONS {
        rest.clone_from(momenta);
        for (amount, row) in amounts.iter().zip(jacobian.iter()) {
            row.iter().flatten().for_each(|(body, part)| rest[*body] -= part * *amount);
        }
        let worst = rest.iter().map(|part| part.amax()).fold(0.0, f64::max);
        if worst == 0.0 || worst >= 0.5 * before {
            break;
        }
        before = worst;
        momentum_matrix.solve(elimination, rest);
        for (amount, row) in amounts.iter_mut().zip(jacobian.iter()) {
            *amount += row.iter().flatten().map(|(body, part)| part.dot(&rest[*body])).sum::<f64>();
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use chasles_testing::Random;
    use glam::DMat3;

    use super::*;
    use crate::impulses::joined::JointSystem;
    use crate::impulses::problem::{ImpulseBody, ImpulseJoint, ImpulseProblem, JointKind, RigidMass};

    /// Links on each other and some on keyframed bodies, with velocities that violate the joints.
    fn tree(random: &mut Random) -> ImpulseProblem {
        let mut problem = ImpulseProblem::default();
        for link in 0..2 + random.below(30) {
            let inertia = DMat3::from_diagonal(DVec3::new(random.unit(), random.unit(), random.unit()));
            let mass = RigidMass { mass: 0.5 + random.unit(), inertia: 0.2 * (inertia + DMat3::IDENTITY) };
            let parent = random.below(link + 1);
            let from = problem.bodies.get(parent).map_or(DVec3::ZERO, |own: &ImpulseBody| own.center);
            let center = from + random.direction();
            problem.bodies.push(ImpulseBody {
                mass: (link > 0).then_some(mass),
                center,
                linear: random.vector(2.0),
                angular: random.vector(2.0),
            });
            let axis = random.direction();
            let kind = [
                JointKind::Ball,
                JointKind::Hinge { axis },
                JointKind::Slide { axis },
                JointKind::Piston { axis },
                JointKind::Plane { axis },
                JointKind::Fixed,
            ][random.below(6)];
            if parent < link && random.below(8) > 0 {
                let bodies = if random.one_in(2) { [parent, link] } else { [link, parent] };
                problem.joints.push(ImpulseJoint { bodies, point: center + random.vector(0.5), kind });
            }
        }
        problem
    }

    /// The slow twin of trees: the matrix for loops, which also handles trees.
    #[test]
    fn trees_agree_with_the_method_for_loops() {
        let mut moved = 0.0_f64;
        for seed in 0..300 {
            let random = &mut Random(seed);
            let problem = tree(random);
            let (mut own, mut twin) = (JointSystem::default(), JointSystem::default());
            assert!(own.fill(&problem) && twin.fill(&problem) && twin.factor());
            assert!(matches!(own.method, Method::Tree | Method::None), "seed {seed}");
            let all = [JointedBodies::from_system(&problem, own), JointedBodies::from_system(&problem, twin)];
            let results = all.each_ref().map(|joined| {
                let (mut corrections, mut initial, mut impulses) =
                    (Corrections::default(), ScaledVelocity::new(), Vec::new());
                joined.initial_velocities(&mut initial);
                let mut motion = initial.clone();
                project_with_memory(joined, &mut motion, &mut corrections);
                assert_eq!(violated_joint(joined, &corrections), None, "seed {seed}");
                let change: ScaledVelocity =
                    motion.iter().zip(&initial).map(|(after, before)| after - before).collect();
                assert!(joint_impulses(joined, &change, &mut impulses, &mut corrections), "seed {seed}");
                (motion, change, impulses)
            });
            let size = results[0].0.iter().map(|part| part.norm()).fold(1.0, f64::max);
            for (own, twin) in results[0].0.iter().zip(&results[1].0) {
                assert!((own - twin).norm() < 1e-11 * size, "seed {seed}: {own} {twin}");
            }
            for (own, twin) in results[0].2.iter().zip(&results[1].2) {
                let error = own.impulse.distance(twin.impulse) + own.moment.distance(twin.moment);
                assert!(error < 1e-9 * size, "seed {seed}: {own:?} {twin:?}");
            }
            moved = results[0].1.iter().map(|part| part.norm()).fold(moved, f64::max);
            // An impulse at any body, and target velocities of the joints.
            let body = 1 + random.below(problem.bodies.len() - 1);
            let row = |joined: &JointedBodies<'_>| {
                joined.row([0, body], problem.bodies[body].center + DVec3::X, DVec3::Y, DVec3::ZERO)
            };
            let targets: Vec<f64> = all[0].directions().map(|_| random.side()).collect();
            let [own, twin] = all.each_ref().map(|joined| {
                let mut to = ScaledVelocity::new();
                joined.initial_velocities(&mut to);
                project_to_speeds(joined, &mut to, &targets);
                let errors =
                    joined.relatives(&to).into_iter().zip(&targets).map(|(own, target)| (own - target).abs());
                assert!(errors.fold(0.0, f64::max) < 1e-9, "seed {seed}");
                [joint_response(joined, &row(joined)), to].concat()
            });
            for (own, twin) in own.iter().zip(&twin) {
                assert!((own - twin).norm() < 1e-11 * size, "seed {seed}: {own} {twin}");
            }
        }
        assert!(moved > 0.1, "{moved}");
    }

    #[test]
    fn joints_in_loops_do_not_form_trees() {
        let mass = Some(RigidMass { mass: 1.0, inertia: DMat3::IDENTITY });
        let free = ImpulseBody { mass, center: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO };
        let keyframed = ImpulseBody { mass: None, ..free };
        let joint = |bodies| ImpulseJoint { bodies, point: DVec3::X, kind: JointKind::Ball };
        let is_tree = |pairs: &[[usize; 2]]| {
            let joints = pairs.iter().map(|pair| joint(*pair)).collect();
            let bodies = vec![free, free, free, keyframed, keyframed];
            let problem = ImpulseProblem { bodies, contacts: Vec::new(), joints };
            let mut own = JointSystem::default();
            assert!(own.fill(&problem));
            matches!(own.method, Method::Tree)
        };
        assert!(is_tree(&[[0, 1]]) && is_tree(&[[0, 1], [1, 2], [3, 1]]) && is_tree(&[[4, 1], [3, 0]]));
        // Three bodies in a ring, a duplicate joint, and a chain between keyframed bodies.
        assert!(!is_tree(&[[0, 1], [1, 2], [2, 0]]) && !is_tree(&[[0, 1], [1, 0]]));
        assert!(!is_tree(&[[3, 0], [0, 1], [1, 4]]) && !is_tree(&[[3, 0], [0, 3]]));
    }
}
