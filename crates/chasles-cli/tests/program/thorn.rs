//! A thorn that descends on a cube: the problem for tests of batches and screens.

use crate::support::Folder;

/// A cube of size 1 about the origin, in quads, so that their triangulation matters.
pub(crate) const CUBE: &str = "\
v -.5 -.5 -.5\nv .5 -.5 -.5\nv .5 .5 -.5\nv -.5 .5 -.5\nv -.5 -.5 .5\nv .5 -.5 .5\nv .5 .5 .5\nv -.5 .5 .5
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// A thorn with its tip, vertex 3, at the origin, pointing down.
pub(crate) const THORN: &str = "v 1 0 3\nv -1 1 3\nv -1 -1 3\nv 0 0 0\nf 1 2 3\nf 2 1 4\nf 3 2 4\nf 1 3 4\n";

/// The thorn descends along a line, hits the cube's upper side at 0.75 and ends inside the cube.
pub(crate) const STING: &str = r#"{"name":"sting","a":{"mesh":"thorn.obj"},"b":{"mesh":"cube.obj"},"pose0":[0.1,0.2,2,1,0,0,0],"pose1":[0.1,0.2,0,1,0,0,0]}"#;
/// A shorter motion without contact.
pub(crate) const SHORT: &str = r#"{"name":"short","a":{"mesh":"thorn.obj"},"b":{"mesh":"cube.obj"},"pose0":[0.1,0.2,2,1,0,0,0],"pose1":[0.1,0.2,0.6,1,0,0,0]}"#;

/// A folder with the meshes `cube.obj` and `thorn.obj`.
pub(crate) fn meshes() -> Folder {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write("thorn.obj", THORN);
    folder
}
