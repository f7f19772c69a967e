//! Meshes of robots: where their files are searched, and how they are scaled.

use std::path::{Path, PathBuf};

use chasles_formats::robot::urdf::{self, RobotFile, UrdfOptions};
use tempfile::TempDir;

use crate::robots::support::one_line;

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n";

/// A folder with a robot in `a/b` whose only link has this mesh.
fn folder(mesh: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "<robot name='r'>\n<link name='l'>\n<collision><geometry>\n<mesh {mesh}/>\n</geometry></collision></link></robot>"
    );
    write(&folder, "a/b/arm.urdf", &text);
    folder
}

fn write(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

fn read(folder: &TempDir, options: &UrdfOptions) -> chasles_formats::Result<RobotFile> {
    urdf::read(&folder.path().join("a/b/arm.urdf"), options)
}

fn x_of_last(robot: &RobotFile) -> f64 {
    robot.definition.links[0].elements[0].shape.drawn().vertex(1).x
}

/// A mesh whose second vertex is at x.
fn mesh(x: u32) -> String {
    TRIANGLE.replace("v 1", &format!("v {x}"))
}

#[test]
fn packages_are_searched_in_the_folder_and_above() {
    let folder = folder("filename='package://pkg/meshes/part.obj'");
    let options = UrdfOptions::default();
    let message = one_line(&read(&folder, &options).unwrap_err());
    let root = folder.path().canonicalize().unwrap();
    let tried = |name: &str| format!("{:?}", root.join(name));
    let places: Vec<_> = message.split("tried ").nth(1).unwrap().split(", ").collect();
    assert!(message.contains(
        "arm.urdf:4: link \"l\", collision 1, mesh: \"package://pkg/meshes/part.obj\" is not found: "
    ));
    assert_eq!(
        places[..3],
        [tried("a/b/pkg/meshes/part.obj"), tried("a/pkg/meshes/part.obj"), tried("pkg/meshes/part.obj")]
    );
    // A folder with that name but without the file does not end the search.
    std::fs::create_dir_all(folder.path().join("a/b/pkg")).unwrap();
    write(&folder, "pkg/meshes/part.obj", &mesh(3));
    assert_eq!(x_of_last(&read(&folder, &options).unwrap()), 3.0);
    write(&folder, "a/pkg/meshes/part.obj", &mesh(2));
    assert_eq!(x_of_last(&read(&folder, &options).unwrap()), 2.0);
    write(&folder, "a/b/pkg/meshes/part.obj", &mesh(1));
    let robot = read(&folder, &options).unwrap();
    assert_eq!(x_of_last(&robot), 1.0);
    assert_eq!(robot.files, [folder.path().join("a/b/arm.urdf"), root.join("a/b/pkg/meshes/part.obj")]);
    // A path that goes up and down again has the same parent folders.
    let around = folder.path().join("a/../a/b/arm.urdf");
    std::fs::remove_file(root.join("a/b/pkg/meshes/part.obj")).unwrap();
    assert_eq!(x_of_last(&urdf::read(&around, &options).unwrap()), 2.0);
}

#[test]
fn a_package_folder_replaces_the_search() {
    let folder = folder("filename='package://pkg/part.obj'");
    write(&folder, "a/b/pkg/part.obj", &mesh(1));
    write(&folder, "else/part.obj", &mesh(5));
    let stated = |name: &str, to: &[&str]| {
        let packages = to.iter().map(|to| (name.to_owned(), folder.path().join(to))).collect();
        read(&folder, &UrdfOptions { packages, ..UrdfOptions::default() })
    };
    assert_eq!(x_of_last(&stated("other", &["else"]).unwrap()), 1.0);
    assert_eq!(x_of_last(&stated("pkg", &["else"]).unwrap()), 5.0);
    assert_eq!(x_of_last(&stated("pkg", &["gone", "else"]).unwrap()), 5.0);
    let message = one_line(&stated("pkg", &["gone"]).unwrap_err());
    let tried = format!("tried {:?}", folder.path().join("gone/part.obj"));
    assert!(message.ends_with(&tried), "{message}");
}

#[test]
fn other_names_are_relative_or_absolute() {
    let folder = folder("filename='../parts/part.obj'");
    write(&folder, "a/parts/part.obj", &mesh(4));
    assert_eq!(x_of_last(&read(&folder, &UrdfOptions::default()).unwrap()), 4.0);
    let absolute = folder.path().join("a/parts/part.obj");
    for name in [format!("file://{}", absolute.display()), absolute.display().to_string()] {
        let other = self::folder(&format!("filename='{name}'"));
        assert_eq!(x_of_last(&read(&other, &UrdfOptions::default()).unwrap()), 4.0);
    }
}

#[test]
fn invalid_mesh_references_are_errors() {
    let cases = [
        ("filename='package://pkg'", "expected package://NAME/FILE"),
        ("filename='package:///part.obj'", "expected package://NAME/FILE"),
        ("filename='file://part.obj'", "expected file:/// and an absolute name"),
        ("filename='http://host/part.obj'", "expected package://, file:// or the name of a file"),
        ("filename=''", "filename is empty: expected a name"),
        ("", "found no filename, expected one"),
        ("filename='folder'", "folder\""),
        ("filename='part.obj' scale='1 0 1'", "scale: found 0, expected other numbers"),
        ("filename='part.obj' scale='0.001'", "scale: found \"0.001\", expected 3 finite numbers"),
        ("filename='part.obj' scale='1 1 1e308'", "found inf, expected a finite number"),
        (
            "filename='part.step'",
            "part.step: unknown kind of mesh: expected .obj, .stl, .ply, .off, .dae, .bt or .ot",
        ),
        ("filename='points.obj'", "points.obj: mesh: found no triangles, expected at least one"),
        ("filename='bad.obj'", "bad.obj:4: vertex index 9 out of range: expected 1 to 3"),
    ];
    for (mesh, end) in cases {
        let folder = folder(mesh);
        write(&folder, "a/b/part.obj", &TRIANGLE.replace("v 0 2 0", "v 0 2 100"));
        write(&folder, "a/b/part.step", "ISO-10303-21;");
        write(&folder, "a/b/points.obj", "v 0 0 0\n");
        write(&folder, "a/b/bad.obj", &TRIANGLE.replace("f 1 2 3", "f 1 2 9"));
        std::fs::create_dir(folder.path().join("a/b/folder")).unwrap();
        let message = one_line(&read(&folder, &UrdfOptions::default()).unwrap_err());
        assert!(message.contains("arm.urdf:4: link \"l\", collision 1, mesh: "), "{message}");
        assert!(message.ends_with(end), "{message}");
    }
    let long = folder(&format!("filename='{}'", "x".repeat(100_000)));
    assert!(one_line(&read(&long, &UrdfOptions::default()).unwrap_err()).contains("a name of 100000 bytes"));
}

#[test]
fn a_mirrored_scale_keeps_the_outside_outside() {
    for (scale, mirrored) in
        [("1 1 1", false), ("-1 1 1", true), ("2 -3 1", true), ("-1 -1 5", false), ("-1 -1 -1", true)]
    {
        let folder = folder(&format!("filename='part.obj' scale='{scale}'"));
        write(&folder, "a/b/part.obj", TRIANGLE);
        let robot = read(&folder, &UrdfOptions::default()).unwrap();
        let mesh = robot.definition.links[0].elements[0].shape.drawn();
        assert_eq!(mesh.triangles(), [if mirrored { [0, 2, 1] } else { [0, 1, 2] }]);
        let factors: Vec<f64> = scale.split(' ').map(|word| word.parse().unwrap()).collect();
        assert_eq!(mesh.vertex(2).to_array(), [0.0, 2.0 * factors[1], 0.0]);
    }
}

#[test]
fn a_mesh_is_read_once_and_shared() {
    let folder = folder("filename='part.obj'");
    write(&folder, "a/b/part.obj", &(TRIANGLE.to_owned() + "f 1 2\n"));
    let link = |name: &str, scale: &str| {
        format!(
            "<link name='{name}'><collision><geometry><mesh filename='part.obj' {scale}/></geometry></collision></link>\
                 <joint name='j{name}' type='fixed'><parent link='l'/><child link='{name}'/></joint>"
        )
    };
    let path = folder.path().join("a/b/arm.urdf");
    let more = link("m", "") + &link("n", "scale='2 2 2'") + &link("o", "scale='2 2 2'") + "</robot>";
    let text = std::fs::read_to_string(&path).unwrap().replace("</robot>", &more);
    std::fs::write(&path, text).unwrap();
    let robot = read(&folder, &UrdfOptions::default()).unwrap();
    let meshes: Vec<_> = robot.definition.links.iter().map(|link| link.elements[0].shape.drawn()).collect();
    assert!(std::ptr::eq(meshes[0], meshes[1]) && std::ptr::eq(meshes[2], meshes[3]));
    assert!(!std::ptr::eq(meshes[0], meshes[2]));
    assert_eq!(robot.files.len(), 2);
    let warning = format!(
        "{}: a face of fewer than 3 corners is left out (line 5)",
        path.with_file_name("part.obj").display()
    );
    assert_eq!(robot.warnings, [warning]);
}

#[test]
fn a_mesh_in_millimetres_brings_a_warning() {
    let folder = folder("filename='part.obj'");
    write(&folder, "a/b/part.obj", &mesh(312));
    let robot = read(&folder, &UrdfOptions::default()).unwrap();
    assert!(
        robot.warnings[0].ends_with(
            "arm.urdf:4: link \"l\", collision 1, mesh: the mesh is 312 m across: \
             if its file is in millimetres, it needs scale=\"0.001 0.001 0.001\""
        ),
        "{:?}",
        robot.warnings
    );
    let path = folder.path().join("a/b/arm.urdf");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("<mesh", "<mesh scale='0.001 0.001 0.001'")).unwrap();
    assert!(read(&folder, &UrdfOptions::default()).unwrap().warnings.is_empty());
}

#[test]
fn mesh_kinds_are_recognized_by_name_or_content() {
    let folder = tempfile::tempdir().unwrap();
    let is = |name: &str, text: &str| urdf::is_urdf(&write(&folder, name, text));
    assert!(urdf::is_urdf(Path::new("gone.URDF")) && urdf::is_urdf(Path::new("arm.urdf.xacro")));
    assert!(is("arm.xml", "\u{FEFF}<?xml version='1.0'?>\n<!-- <robotx> -->\n<robot name='r'>"));
    assert!(is("arm", "<robot>"));
    assert!(!is("arm.txt", "<robot>") && !is("arm.srdf", "<robot>"));
    assert!(!is("other.xml", "<robots>") && !is("open.xml", "<!-- <robot>") && !is("empty", ""));
    assert!(!urdf::is_urdf(&folder.path().join("gone.xml")) && !urdf::is_urdf(folder.path()));
}
