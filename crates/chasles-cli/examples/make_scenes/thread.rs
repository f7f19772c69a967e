//! A bolt and its nut: a V thread whose vertices lie on helices, so that the screw by one step maps it to itself.
//!
//! Both are the same ridge of trapezoidal profile, wound about a cylinder: outside on the bolt, inside in the nut.
//! The ridge starts and ends with a flat face across it.

use std::f64::consts::{FRAC_PI_6, TAU};

use crate::make_scenes::solid::Solid;

/// Axial advance of the thread per revolution, in metres.
pub(crate) const PITCH: f64 = 1.5e-3;
/// The radial distance of the nut's profile from the bolt's, which has the same form. Metres.
pub(crate) const RADIAL_PLAY: f64 = 0.2e-3;
/// Vertices per revolution. A multiple of six, for the hexagons.
const STEPS: usize = 24;
/// The radii of the bolt's core and of its ridge, in metres.
const CORE: f64 = 4.1e-3;
const RIDGE: f64 = 5.0e-3;
/// Axial width of the bolt's ridge at its top, in metres: an eighth of the pitch, as in the metric thread.
const CREST: f64 = 0.19e-3;
/// Half of the widths across the flats of head and nut, in metres.
const HEXAGON: f64 = 8.0e-3;

/// A wound ridge.
struct Ridge {
    /// The radius of the cylinder, in metres.
    base: f64,
    /// The radius of the ridge's top, in metres.
    top: f64,
    /// Axial width of the top, in metres.
    crest: f64,
    /// The z at which the ridge starts, in metres.
    z: f64,
    turns: usize,
}

/// Axial width of one flank: 30 degrees to the plane across the axis.
fn flank() -> f64 {
    (RIDGE - CORE) * FRAC_PI_6.tan()
}

/// Axial play between flank and flank of two perfect helicoids, in metres.
pub(crate) fn axial_play() -> f64 {
    RADIAL_PLAY * FRAC_PI_6.tan()
}

/// The maximum reduction of the play by the flat triangles of these meshes, in metres.
///
/// In a triangle z is linear, and the surface would be the helicoid if radius and angle were linear too. The radius is
/// smaller, by a factor of at least cos(half a step): the bolt's ridge becomes narrower and the nut's wider, by tan(30
/// degrees) times the difference. The angle exceeds its chord by at most tan(half a step) - half a step if the ends
/// have one radius, and by a step times (sqrt R - sqrt r) / (sqrt R + sqrt r) more along a diagonal between the radii r
/// and R, in both meshes.
pub(crate) fn lost_play() -> f64 {
    let step = TAU / f64::from(u16::try_from(STEPS).expect("few"));
    let radial_loss = (RIDGE + RADIAL_PLAY) * (1.0 - (0.5 * step).cos()) * FRAC_PI_6.tan();
    let diagonal = (RIDGE.sqrt() - CORE.sqrt()) / (RIDGE.sqrt() + CORE.sqrt());
    let angular_loss = ((0.5 * step).tan() - 0.5 * step + step * diagonal) * PITCH / TAU;
    radial_loss + 2.0 * angular_loss
}

/// The position at `step` on the helix of a radius that passes `z` at step 0.
fn on_helix(radius: f64, z: f64, step: usize) -> [f64; 3] {
    let turn =
        |k: usize| f64::from(u16::try_from(k).expect("few")) / f64::from(u16::try_from(STEPS).expect("few"));
    // Whole revolutions are removed from the angle, so that equal positions have equal bits.
    let (sin, cos) = (TAU * turn(step % STEPS)).sin_cos();
    [radius * cos, radius * sin, z + PITCH * turn(step)]
}

/// A circle of `STEPS` vertices, or a hexagon.
fn around(radius: impl Fn(f64) -> f64, z: f64) -> impl Iterator<Item = [f64; 3]> {
    (0..STEPS).map(move |i| {
        let [x, y, _] = on_helix(1.0, 0.0, i);
        let step = f64::from(u16::try_from(i).expect("few"));
        let radius = radius(TAU * step / f64::from(u16::try_from(STEPS).expect("few")));
        [radius * x, radius * y, z]
    })
}

/// The radius of a hexagon in a direction.
fn hexagon(angle: f64) -> f64 {
    HEXAGON / (angle.rem_euclid(TAU / 6.0) - FRAC_PI_6).cos()
}

impl Ridge {
    /// The ridge and the cylinder it is wound about, from a ring at `bottom` to a ring at `top`, seen from outside.
    fn wind(&self, solid: &mut Solid, (bottom, top): (f64, f64)) -> [Vec<u32>; 2] {
        let (end, flank) = (self.turns * STEPS, flank());
        // The edge along the foot of the ridge, from the first revolution to one revolution beyond the last.
        let foot = solid.ring((0..=end + STEPS).map(|k| on_helix(self.base, self.z, k)));
        let crest = [flank, flank + self.crest]
            .map(|above| solid.ring((0..=end).map(|k| on_helix(self.top, self.z + above, k))));
        let back = solid.ring((0..=end).map(|k| on_helix(self.base, self.z + 2.0 * flank + self.crest, k)));
        let profile = |k: usize| [foot[k], crest[0][k], crest[1][k], back[k], foot[k + STEPS]];
        for k in 0..end {
            let (this, next) = (profile(k), profile(k + 1));
            for j in 0..4 {
                solid.polygon(&[this[j], next[j], next[j + 1], this[j + 1]]);
            }
        }
        let ([a, b, c, d, e], [p, q, r, s, t]) = (profile(0), profile(end));
        solid.polygon(&[a, b, c, d]);
        solid.polygon(&[s, r, q, p]);

        let lower = solid.ring(around(|_| self.base, bottom));
        for i in 0..STEPS - 1 {
            solid.polygon(&[lower[i], lower[i + 1], foot[i + 1], foot[i]]);
        }
        solid.polygon(&[foot[STEPS - 1], lower[STEPS - 1], lower[0], a, d, e]);
        let upper = solid.ring(around(|_| self.base, top));
        for i in 1..STEPS {
            let next = (i + 1) % STEPS;
            solid.polygon(&[foot[end + i], foot[end + i + 1], upper[next], upper[i]]);
        }
        solid.polygon(&[foot[end + 1], upper[1], upper[0], t, s, p]);
        [lower, upper]
    }
}

/// A hexagon bolt, its tip down, the ridge from z = 0 on.
pub(crate) fn bolt() -> Solid {
    let mut solid = Solid::new();
    let ridge = Ridge { base: CORE, top: RIDGE, crest: CREST, z: 0.0, turns: 7 };
    let [neck, shoulder] = ridge.wind(&mut solid, (-0.5e-3, 12.5e-3));
    let tip = solid.ring(around(|_| 3.1e-3, -1.5e-3));
    solid.band(&tip, &neck);
    let middle = solid.vertex([0.0, 0.0, -1.5e-3]);
    let reversed: Vec<_> = tip.into_iter().rev().collect();
    solid.fan(middle, &reversed);
    let head = [12.5e-3, 18.9e-3].map(|z| solid.ring(around(hexagon, z)));
    solid.band(&shoulder, &head[0]);
    solid.band(&head[0], &head[1]);
    let middle = solid.vertex([0.0, 0.0, 18.9e-3]);
    solid.fan(middle, &head[1]);
    solid
}

/// A hexagon nut between z = 0 and z = 8 mm, its ridge from z = 0.25 mm on.
pub(crate) fn nut() -> Solid {
    let mut solid = Solid::new();
    let ridge =
        Ridge { base: RIDGE + RADIAL_PLAY, top: CORE + RADIAL_PLAY, crest: root(), z: 0.25e-3, turns: 4 };
    let height = 8.0e-3;
    let [lower, upper] = ridge.wind(&mut solid, (0.0, height));
    let mut solid = solid.flipped();
    let outer = [0.0, height].map(|z| solid.ring(around(hexagon, z)));
    solid.band(&lower, &outer[0]);
    solid.band(&outer[0], &outer[1]);
    solid.band(&outer[1], &upper);
    solid
}

/// Axial width of the bolt's root, and of the nut's ridge at its top.
fn root() -> f64 {
    PITCH - CREST - 2.0 * flank()
}

/// The height of the bolt's frame above the nut's at which its ridge is in the middle of the nut's groove, `turns`
/// pitches up.
pub(crate) fn engaged(turns: f64) -> f64 {
    // The middle of the nut's ridge is in the middle of the bolt's root.
    let nut = 0.25e-3 + flank() + 0.5 * root();
    let bolt = 2.0 * flank() + CREST + 0.5 * root();
    nut - bolt + turns * PITCH
}
