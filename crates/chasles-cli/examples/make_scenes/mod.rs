//! The scenes of the folder `scenes/`, as files.

pub(crate) mod double;
pub(crate) mod solid;
pub(crate) mod frames;
pub(crate) mod scene;
pub(crate) mod truth;
pub(crate) mod expected;
pub(crate) mod thread;
pub(crate) mod moving;
pub(crate) mod fits;
pub(crate) mod shapes;
mod camera;
mod cloth;
pub(crate) mod deforming;
pub(crate) mod dynamics;
pub(crate) mod robot;
pub(crate) mod catalogue;

use std::collections::BTreeMap;
use std::path::Path;

use crate::make_scenes::dynamics::GeneratedSimulation;
use crate::make_scenes::robot::Case;
use crate::make_scenes::scene::{Motion, Scene, Shape};

/// Writes every file of the folder. Files that belong to no scene are left alone.
pub(crate) fn write(folder: &Path) -> std::io::Result<()> {
    for below in ["frames", "meshes", "robots", "samples", "worlds"] {
        std::fs::create_dir_all(folder.join(below))?;
    }
    for (name, bytes) in files(&catalogue::scenes(), &robot::cases(), &dynamics::scenes()) {
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}

/// Every file of the folder by its path, with forward slashes.
fn files(scenes: &[Scene], cases: &[Case], simulated: &[GeneratedSimulation]) -> BTreeMap<String, Vec<u8>> {
    let readme = readme(scenes, cases, simulated).into_bytes();
    let mut files = BTreeMap::from([("README.md".to_owned(), readme)]);
    files.extend(robot::files().into_iter().map(|(name, text)| (name.to_owned(), text.into_bytes())));
    files.extend(shapes::files().into_iter().map(|(name, bytes)| (name.to_owned(), bytes)));
    let expected = |case: &Case| (format!("{}.expected.json", case.name), case.to_expected().into_bytes());
    files.extend(cases.iter().map(expected));
    for scene in simulated {
        files.insert(format!("{}.toml", scene.name), scene.to_toml().into_bytes());
        files.insert(format!("{}.end.json", scene.name), scene.to_expected().into_bytes());
    }
    let mesh =
        |(name, solid): (&str, solid::Solid)| (format!("meshes/{name}.obj"), solid.to_obj(name).into_bytes());
    files.extend(dynamics::meshes().into_iter().map(mesh));
    for scene in scenes {
        files.insert(format!("{}.toml", scene.name), scene.to_toml().into_bytes());
        files.insert(format!("{}.expected.json", scene.name), scene.to_expected().into_bytes());
        for body in &scene.bodies {
            if let Shape::Mesh(mesh, solid) = &body.shape {
                let (text, path) = (solid.to_obj(mesh).into_bytes(), format!("meshes/{mesh}.obj"));
                let other = files.insert(path, text.clone());
                assert!(other.is_none_or(|other| other == text), "two meshes are called {mesh}");
            }
            if let (Shape::Surface(name, surface), Motion::Deforming(frames)) = (&body.shape, &body.motion) {
                files.extend(frames.files(name, surface));
            }
        }
    }
    files
}

/// The tables of the scenes, of the simulations, and of the robot and the worlds.
fn readme(scenes: &[Scene], cases: &[Case], simulated: &[GeneratedSimulation]) -> String {
    let mut text = README.to_owned();
    for Scene { name, about, truth, .. } in scenes {
        text += &format!("| [`{name}`]({name}.toml) | {about} | {truth} |\n");
    }
    text += SIMULATIONS;
    for GeneratedSimulation { name, about, truth, .. } in simulated {
        text += &format!("| [`{name}`]({name}.toml) | {about} | {truth} |\n");
    }
    text += ROBOTS;
    for Case { name, command, about, truth, .. } in cases {
        text += &format!("| `{name}` | `{}` | {about} | {truth} |\n", command.join(" "));
    }
    text
}

const README: &str = "# Scenes of our own

Small scenes with known answers, used by tests, benches, documentation and viewer alike. Run one with
`chasles check scenes/half-turn-gripper.toml`.

Everything here is written by `cargo run -p chasles-cli --example make_scenes`: edit that, not these files. The test
`scenes` of the program regenerates the folder, compares it byte for byte, and holds `chasles check` to every answer.

`<name>.toml` is the scene; `meshes/` has its meshes, `frames/` those of surfaces that deform and their caches,
`samples/` heights and points. `<name>.expected.json` says what is true of the scene: verdict, exit status, and for each pair that meets, or comes as near as the scene's
clearance, the true times of entry and exit in seconds, with the contact at the entry: features (`kind`, `a`, `b`),
`point` and `normal` in the world, from `a` to `b`. A value is left out where it is not unique: a box that lands flat
meets with a whole face at once. `gap` is the least distance of a pair that only comes near. `exit` is null where the
contact lasts to the end. The program's enclosures must begin at or before the true time, reach no further than
`times_within` seconds from it, and, unless the contact only touches, end at or after it. Points must lie within
`points_within` metres of the true ones. Where `parts_within` is given, an exit may begin later by that many seconds,
and an entry end earlier: round bodies are in contact until they are further apart than the tolerance, and solids,
surfaces and points are told within epsilon. A body that is tested against itself is a pair with itself. Where `normals_within` is given, normals must agree within that, else to
1e-9. `play` says how far the first body may go on along its motion, and how far back, before it binds, in radians and
metres (`chasles screen SCENE --pair A B --play`); null where it never does.

No expected value comes from the program. *Formula* means a closed form; *bisection* means the first change of a static
test (does an edge of one mesh cross a triangle of the other?) with poses and signs in 106-bit arithmetic, in
`crates/chasles-cli/examples/make_scenes/truth.rs`, which shares no code with the engine. Where both exist the generator
demands that they agree.

| scene | what happens | where the truth comes from |
|---|---|---|
";

const SIMULATIONS: &str = "
# Simulations

Scenes for `chasles simulate`, after the figures of Moore and Wilhelms (1988) and others of the kind. Each must run to
its `duration` with the `verdict` of `chasles simulate --check` that `<name>.end.json` has, so that no two bodies were
ever deeper in each other than the scene's `depth`. `end` has, for some bodies, the corners of a box that must hold the
body's position at the end, or all vertices of a flexible one.

| scene | what happens | why it must end so |
|---|---|---|
";

const ROBOTS: &str = "
# A robot and worlds

`robots/arm.urdf` is an arm of three axes with a gripper, whose hand is a mesh; the other files there are its paths
and the bodies around it. Worlds in VRML are in `worlds/`. `<name>.expected.json` also has the `arguments` of
`chasles check` after the file and, for an interval on a path, the segment and the value of a joint at the entry. Run
one in this folder with `chasles check` and the arguments.

| name | arguments | what happens | where the truth comes from |
|---|---|---|---|
";
