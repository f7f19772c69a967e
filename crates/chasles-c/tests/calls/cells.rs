//! Robots in their cells.

use std::ffi::{CStr, CString, c_char};
use std::mem::MaybeUninit;
use std::path::Path;
use std::ptr;

use chasles_c::cell::{
    Cell, CellSource, PathAnswer, chasles_cell_body_count, chasles_cell_body_name, chasles_cell_check_path,
    chasles_cell_free, chasles_cell_joint_count, chasles_cell_joint_limits, chasles_cell_joint_name,
    chasles_cell_read, chasles_cell_source_default, chasles_cell_warning, chasles_cell_warning_count,
};
use chasles_c::contact::{FeatureKind, Options, Verdict, chasles_options_default};
use chasles_c::status::Status;

use crate::{last_error, refused, written};

pub(crate) fn scene(name: &str) -> CString {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    CString::new(scenes.join(name).to_str().unwrap()).unwrap()
}

pub(crate) fn read(source: &CellSource) -> Result<Box<Cell>, (Status, String)> {
    let mut place = MaybeUninit::new(ptr::dangling_mut());
    // SAFETY: the texts of the source are texts of C.
    let status = unsafe { chasles_cell_read(Some(source), Some(&mut place)) };
    // SAFETY: it was written before.
    let cell = unsafe { place.assume_init() };
    match status {
        // SAFETY: the handle is one of `Box::into_raw`.
        Status::Ok => Ok(unsafe { Box::from_raw(cell) }),
        bad => {
            assert!(cell.is_null());
            Err((bad, last_error()))
        }
    }
}

pub(crate) fn arm(world: Option<&CString>, clearance: f64) -> Box<Cell> {
    let urdf = scene("robots/arm.urdf");
    let world = world.map_or(ptr::null(), |world| world.as_ptr());
    let source = CellSource { urdf: urdf.as_ptr(), world, clearance, ..chasles_cell_source_default() };
    read(&source).unwrap()
}

fn text(of: *const c_char) -> Option<String> {
    // SAFETY: it is NULL or a text of the cell, which is there.
    (!of.is_null()).then(|| unsafe { CStr::from_ptr(of) }.to_str().unwrap().to_owned())
}

fn follow(cell: &Cell, times: &[f64], configurations: &[[f64; 4]]) -> PathAnswer {
    let values = configurations.as_flattened();
    written(|place| {
        let (t, q) = (times.as_ptr(), values.as_ptr());
        // SAFETY: the arrays have these lengths.
        unsafe { chasles_cell_check_path(Some(cell), t, q, times.len(), None, place) }
    })
}

fn turned(turn: f64) -> [f64; 4] {
    [turn, 0.0, 0.0, 0.0]
}

#[test]
fn a_cell_lists_its_joints_and_bodies() {
    let cell = arm(Some(&scene("robots/wire.toml")), -1.0);
    let cell = Some(&*cell);
    let joints: Vec<_> = (0..chasles_cell_joint_count(cell))
        .map(|joint| text(chasles_cell_joint_name(cell, joint)).unwrap())
        .collect();
    assert_eq!(joints, ["turn", "elbow", "reach", "grip"]);
    let bodies: Vec<_> = (0..chasles_cell_body_count(cell))
        .map(|body| text(chasles_cell_body_name(cell, body)).unwrap())
        .collect();
    assert_eq!(bodies, ["base", "upper", "fore", "hand", "left", "right", "wire"]);
    let limits = written(|limits| chasles_cell_joint_limits(cell, 3, limits));
    assert_eq!((limits.least, limits.greatest), (0.0, 0.03));
    assert_eq!(text(chasles_cell_joint_name(cell, 4)), None);
    assert_eq!(last_error(), "joint: found 4, expected a number below 4");
    assert_eq!(chasles_cell_joint_limits(cell, 4, Some(&mut MaybeUninit::uninit())), Status::Argument);
    assert_eq!((chasles_cell_joint_count(None), last_error()), (0, "cell: found NULL".into()));
    assert_eq!((chasles_cell_warning_count(cell), text(chasles_cell_warning(cell, 0))), (0, None));
    chasles_cell_free(None);
}

#[test]
fn the_path_of_the_book_touches_the_wire() {
    let cell = arm(Some(&scene("robots/wire.toml")), -1.0);
    let found = follow(&cell, &[0.0, 2.0], &[turned(-1.2), turned(1.2)]);
    // As `chasles check` tells it: left, a link, and the wire.
    assert_eq!((found.verdict, found.a, found.b, found.segment), (Verdict::Contact, 4, 6, 0));
    assert!(found.time[0] < 1.050_882_18 && 1.050_882_17 < found.time[1], "{found:?}");
    assert_eq!((found.kind, found.feature_a, found.feature_b), (FeatureKind::Surfaces, [6, -1], [-1, -1]));
    assert!(found.clear_until <= found.time[0] && found.clear_until > 1.0508);
    assert!(
        (found.normal[1] - 0.998_137).abs() < 1e-6 && (found.point[0] - 0.695_892).abs() < 1e-6,
        "{found:?}"
    );
    // The other way round, later and with a waypoint between: the same wire is met first by the other finger.
    let back = follow(&cell, &[5.0, 6.0, 8.0], &[turned(1.3), turned(1.2), turned(-1.2)]);
    assert_eq!((back.verdict, back.a, back.b, back.segment), (Verdict::Contact, 5, 6, 1));
    assert!(back.time[0] > 6.0 && back.time[1] < 7.0, "{back:?}");
    // Before the wire it is free.
    let free = follow(&cell, &[0.0, 2.0], &[turned(-1.2), turned(0.0)]);
    assert_eq!((free.verdict, free.clear_until, free.a, free.segment), (Verdict::Clear, 2.0, -1, -1));
    assert!(free.time[0].is_nan() && free.normal[0].is_nan());
}

#[test]
fn a_pair_within_its_clearance_is_near() {
    let cell = arm(Some(&scene("robots/wire.toml")), 0.05);
    // Its fingers come up to the wire, at an angle of some 0.1, and turn back.
    let found = follow(&cell, &[0.0, 1.0, 2.0], &[turned(-1.2), turned(0.0), turned(-1.2)]);
    assert_eq!((found.verdict, found.segment), (Verdict::Near, 0));
    assert!(found.clear_until <= found.time[0] && found.clear_until > 0.9, "{found:?}");
    assert_eq!(found.b, 6);
    assert!(found.time[0] > 0.9 && found.time[1] < 1.0 && found.kind == FeatureKind::None, "{found:?}");
}

#[test]
fn a_robot_may_be_a_text() {
    let text = c"<robot name='door'>
        <link name='frame'/>
        <link name='leaf'><collision><geometry><box size='0.9 0.04 2'/></geometry></collision></link>
        <joint name='hinge' type='continuous'>
            <parent link='frame'/> <child link='leaf'/> <axis xyz='0 0 1'/>
        </joint>
    </robot>";
    let urdf = c"nowhere/door.urdf";
    let source =
        CellSource { urdf: urdf.as_ptr(), urdf_text: text.as_ptr(), ..chasles_cell_source_default() };
    let cell = read(&source).unwrap();
    let limits = written(|limits| chasles_cell_joint_limits(Some(&cell), 0, limits));
    assert_eq!((limits.least, limits.greatest), (f64::NEG_INFINITY, f64::INFINITY));
    let broken = c"<robot name='door'>";
    let (status, message) = read(&CellSource { urdf_text: broken.as_ptr(), ..source }).unwrap_err();
    assert!(status == Status::File && message.starts_with("nowhere/door.urdf:1"), "{message}");
}

#[test]
fn invalid_files_are_errors_with_location() {
    let urdf = scene("robots/arm.urdf");
    let good = CellSource { urdf: urdf.as_ptr(), ..chasles_cell_source_default() };
    let refusal = |source: CellSource| read(&source).unwrap_err();
    let missing = c"missing.urdf";
    let (status, message) = refusal(CellSource { urdf: missing.as_ptr(), ..good });
    assert!(status == Status::File && message.starts_with("missing.urdf: cannot be read"), "{message}");
    // A file of another kind: its place is told.
    let table = scene("robots/table.toml");
    let (status, message) = refusal(CellSource { srdf: table.as_ptr(), ..good });
    assert!(status == Status::File && message.contains("table.toml:1"), "{message}");
    let (status, message) = refusal(CellSource { world: urdf.as_ptr(), ..good });
    assert!(status == Status::File && message.contains("arm.urdf"), "{message}");
    let (status, message) = refusal(chasles_cell_source_default());
    assert_eq!(
        (status, message.as_str()),
        (Status::Argument, "urdf: found NULL, expected the path of a file")
    );
    // The meshes of the arm lie beside the folder of the robot.
    let (scenes, robots) = (scene("."), scene("robots"));
    assert!(read(&CellSource { confine: scenes.as_ptr(), ..good }).is_ok());
    let (status, message) = refusal(CellSource { confine: robots.as_ptr(), ..good });
    assert!(status == Status::File && message.contains("lies outside "), "{message}");
    let (status, message) = refusal(CellSource { confine: urdf.as_ptr(), ..good });
    assert!(status == Status::File && message.ends_with("found a file, expected a folder"), "{message}");
    let bytes = [0xff_u8, 0];
    let (status, message) = refusal(CellSource { world: bytes.as_ptr().cast(), ..good });
    assert_eq!((status, message.as_str()), (Status::Argument, "world: found bytes that are not UTF-8"));
    let (status, message) = refusal(CellSource { clearance: f64::NAN, ..good });
    assert!(status == Status::Argument && message.starts_with("clearance: found NaN"), "{message}");
    let mut tilted = good;
    tilted.base.quaternion = [0.0; 4];
    assert!(refusal(tilted).1.starts_with("base: rotation: found zero length"));
}

#[test]
fn invalid_paths_are_errors() {
    let cell = arm(None, -1.0);
    let refusal = |times: &[f64], values: &[f64], count: usize| {
        refused(|place: Option<&mut MaybeUninit<PathAnswer>>| {
            // SAFETY: the arrays are as long, or nobody looks into them.
            unsafe {
                chasles_cell_check_path(Some(&cell), times.as_ptr(), values.as_ptr(), count, None, place)
            }
        })
    };
    assert!(refusal(&[0.0], &[0.0; 4], 1).contains("expected at least two"), "{}", last_error());
    assert!(refusal(&[0.0, 0.0], &[0.0; 8], 2).contains("found 0, expected"), "{}", last_error());
    let beyond = refusal(&[0.0, 1.0], &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5], 2);
    assert!(beyond.contains("joint \"grip\"") && beyond.contains("found 0.5"), "{beyond}");
    assert!(refusal(&[0.0, 1.0], &[f64::NAN; 8], 2).contains("found NaN"));
    let options = Options { tolerance: 0.0, ..chasles_options_default() };
    let own = refused(|place: Option<&mut MaybeUninit<PathAnswer>>| {
        let (t, q) = ([0.0, 1.0], [0.0; 8]);
        // SAFETY: the arrays have these lengths.
        unsafe { chasles_cell_check_path(Some(&cell), t.as_ptr(), q.as_ptr(), 2, Some(&options), place) }
    });
    assert!(own.starts_with("options: tolerance: found 0, expected a negative number"), "{own}");
    assert!(refusal(&[0.0, 1.0], &[0.0; 8], usize::MAX).contains("more than fit in memory"));
}
