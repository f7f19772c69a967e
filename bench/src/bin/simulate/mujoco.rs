//! `MuJoCo` in Python, with stiff contacts.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use glam::{DQuat, DVec3};

use crate::depth::Measure;
use crate::scene::{Bodies, Case, FRICTION, GRAVITY};
use crate::{OUTPUT_INTERVAL, Outcome};

/// Simulates a case.
///
/// # Errors
/// This Python has no `mujoco`, or fails.
pub(crate) fn simulated(case: &Case, python: &Path) -> Result<Outcome, Box<dyn Error>> {
    let folder: PathBuf = std::env::temp_dir().join(format!("chasles-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("scene.xml");
    std::fs::write(&file, scene(case)?)?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/heap.py");
    let numbers = [case.step, case.seconds, OUTPUT_INTERVAL].map(|x| x.to_string());
    let output = Command::new(python).arg(script).arg(&file).args(numbers).output()?;
    std::fs::remove_dir_all(&folder)?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    let [version, wall, processor, own] = head[..] else { return Err(format!("{head:?}").into()) };
    let measure = Measure::new(case);
    let mut deepest = 0.0_f64;
    for line in lines {
        let numbers = line.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        let place = |of: &[f64]| (DVec3::from_slice(of), DQuat::from_xyzw(of[4], of[5], of[6], of[3]));
        let places: Vec<(DVec3, DQuat)> = numbers.chunks_exact(7).map(place).collect();
        if places.len() != case.places.len() {
            return Err(format!("{} bodies", places.len()).into());
        }
        deepest = deepest.max(measure.deepest(&places));
    }
    let [wall, processor, own] = [wall, processor, own].map(str::parse::<f64>);
    let note = format!("{version}; by its own account {:.4} mm", 1e3 * own?);
    Ok(Outcome { wall: wall? / case.seconds, processor: processor? / case.seconds, deepest, note })
}

/// The scene in `MuJoCo`'s format. Contacts are as stiff as it allows: a time constant of two steps, and nearly the
/// full force from the first touch on.
fn scene(case: &Case) -> Result<String, Box<dyn Error>> {
    let (step, stiff) = (case.step, 2.0 * case.step);
    let vector = |v: DVec3| format!("{:?} {:?} {:?}", v.x, v.y, v.z);
    let mut text = format!(
        "<mujoco>\n<compiler boundmass='0' autolimits='true'/>\n\
         <option timestep='{step:?}' gravity='0 0 -{GRAVITY}' cone='elliptic' integrator='implicitfast'/>\n\
         <default><geom friction='{FRICTION} 0 0' condim='3' solref='{stiff:?} 1' solimp='0.99 0.9999 0.0001'/></default>\n\
         <asset>\n"
    );
    if let Bodies::Rocks(rocks) = &case.bodies {
        for (i, (vertices, triangles)) in rocks.iter().enumerate() {
            let vertices: Vec<String> = vertices.iter().map(|v| vector(*v)).collect();
            let corners: Vec<String> = triangles.iter().flatten().map(u32::to_string).collect();
            let (vertices, corners) = (vertices.join(" "), corners.join(" "));
            writeln!(text, "<mesh name='m{i}' vertex='{vertices}' face='{corners}'/>")?;
        }
    }
    text += "</asset>\n<worldbody>\n<geom type='plane' size='10 10 1'/>\n";
    for (i, (at, turn)) in case.places.iter().enumerate() {
        let quat = format!("{:?} {:?} {:?} {:?}", turn.w, turn.x, turn.y, turn.z);
        let own = case.dynamics(i)?;
        let m = own.inertia;
        let inertia = [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.x_axis.z, m.y_axis.z];
        let inertia = inertia.map(|x| format!("{x:?}")).join(" ");
        let geom = match &case.bodies {
            Bodies::Boxes(size) => format!("type='box' size='{}'", vector(0.5 * *size)),
            Bodies::Rocks(_) => format!("type='mesh' mesh='m{i}'"),
        };
        writeln!(
            text,
            "<body pos='{}' quat='{quat}'><freejoint/><inertial pos='{}' mass='{:?}' fullinertia='{inertia}'/>\
             <geom {geom}/></body>",
            vector(*at),
            vector(own.center),
            own.mass
        )?;
    }
    text += "</worldbody>\n</mujoco>\n";
    Ok(text)
}
