//! The recorded moments of a simulation as CSV (RFC 4180), one row per time and dynamic body, for spreadsheets and
//! scripts.
//!
//! ```csv
//! time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz
//! 0.01,ball,0.0,0.0,0.99951,1.0,0.0,0.0,0.0,0.0,0.0,-0.0981,0.0,0.0,0.0
//! ```
//!
//! Each row has the body's position and quaternion as in a scene, and the velocity of its centre of mass and its
//! angular velocity in world axes, as in a recording: in s, m, m/s and rad/s. Lines end in LF; numbers read back the
//! same. Names are [`printable`](crate::printable), and never a formula to a spreadsheet.

use chasles::{SimulationDefinition, SimulationState};

use super::csv::csv_text;
use crate::printable::printable_cell;
use crate::text::json::{plain, plain_vector};

/// The header, with its line end: the names of the columns.
pub const HEADER: &str = "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";

/// The rows of a moment, each with its line end: one for each dynamic body, in the order of the scene.
#[must_use]
pub fn rows(definition: &SimulationDefinition, moment: &SimulationState) -> String {
    let bodies = definition.scene.bodies().iter().zip(&definition.bodies);
    let names = bodies
        .filter(|(_, simulated)| simulated.dynamics.is_some())
        .map(|(body, _)| printable_cell(&body.name));
    csv_text(|writer| {
        names.zip(moment.poses.iter().zip(&moment.velocities)).try_for_each(
            |(name, (pose, [linear, angular]))| {
                let quaternion = pose.rotation();
                let quaternion = [quaternion.w, quaternion.x, quaternion.y, quaternion.z].map(plain);
                let [linear, angular] = [*linear, *angular].map(plain_vector);
                let cells = (plain_vector(pose.position()), quaternion, linear, angular);
                writer.serialize((plain(moment.time), name, cells))
            },
        )
    })
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::printable::printable;
    use crate::scene;

    fn definition(names: [&str; 2]) -> SimulationDefinition {
        let body =
            |name: &str| format!("[[body]]\nname = {}\nsphere = 1\nmass = 1\n", toml::Value::from(name));
        let [a, b] = names.map(body);
        let floor = "[[body]]\nname = 'floor'\nbox = [1, 1, 1]\n";
        let text = format!("format = 1\nduration = 2\n{a}{floor}{b}");
        let path = "s.toml".as_ref();
        let file = scene::file::parse(text.as_bytes(), path).unwrap();
        scene::build::simulation(&file, path).unwrap().definition
    }

    fn moment() -> SimulationState {
        let pose =
            |x: f64| chasles::Pose::new(DVec3::new(x, -0.0, 1e-7), DQuat::from_xyzw(0.6, 0.0, -0.8, 0.0));
        SimulationState {
            time: 0.1 + 0.2,
            poses: vec![pose(0.5).unwrap(), pose(1.0 / 3.0).unwrap()],
            velocities: vec![[DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)], [DVec3::ZERO; 2]],
            flexible: vec![],
            released: vec![],
            contacts: vec![],
            energy: chasles::SimulationEnergy::default(),
            losses: chasles::EnergyLosses::default(),
            forced: vec![],
        }
    }

    #[test]
    fn body_rows_are_exact() {
        let text = rows(&definition(["a", "b"]), &moment());
        let expected = "0.30000000000000004,a,0.5,0.0,1e-7,0.0,0.6,0.0,-0.8,1.0,2.0,3.0,4.0,5.0,6.0\n\
            0.30000000000000004,b,0.3333333333333333,0.0,1e-7,0.0,0.6,0.0,-0.8,0.0,0.0,0.0,0.0,0.0,0.0\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn any_name_reads_back() {
        for name in ["a,b", "a \"cup\"", "two\nlines", "=1,2", "-x", "\u{e9}\u{1f600};", "\t"] {
            let text = HEADER.to_owned() + &rows(&definition([name, "x"]), &moment());
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            assert_eq!(reader.headers().unwrap().len(), 15);
            let records: Vec<_> = reader.records().map(|record| record.expect(&text)).collect();
            assert_eq!(records.len(), 2, "{text}");
            let cell = &records[0][1];
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t']), "{cell:?}");
            assert_eq!(cell.strip_prefix('\'').unwrap_or(cell), printable(name));
        }
    }
}
