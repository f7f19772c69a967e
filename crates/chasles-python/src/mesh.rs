//! Meshes, and bodies that are ready for queries.

use std::path::PathBuf;
use std::sync::Arc;

use chasles::CollisionShape;
use chasles::glam::DVec3;
use chasles_formats::info::MeshInfo;
use chasles_formats::mesh::{self, MeshFile, MissingGeometry};
use chasles_formats::reading::with_read_limits;
use numpy::{IntoPyArray as _, PyArray2, PyArrayDyn, PyArrayMethods as _, PyUntypedArrayMethods as _};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyType};

use crate::given::{
    Row, bad_file, confined, list_of_points, misshapen, mistyped, refused, wholes, with_room,
};
use crate::kept::{Reduced, reduced, unpickled};
use crate::pose::array;
use crate::work::{is_forked, ready, unwatched};

/// Vertices and triangles of a body, in metres, in the body's frame.
///
/// ``vertices`` (N, 3) are real numbers of any dtype, ``faces`` (M, 3) integers, the numbers of the corners. Any
/// triangles will do: open, self-intersecting, degenerate, in several pieces. Vertices that are equal bit for bit count
/// as one, the first; all numbers of vertices and faces in answers are those of the input. The arrays are copied.
///
/// >>> square = chasles.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
/// >>> square.bounds.tolist()
/// [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
#[pyclass(frozen, module = "chasles")]
pub(crate) struct Mesh {
    pub(crate) mesh: Arc<chasles::Mesh>,
    vertices: PyOnceLock<Py<PyArrayDyn<f64>>>,
    faces: PyOnceLock<Py<PyArray2<u32>>>,
}

impl Mesh {
    pub(crate) fn of(mesh: chasles::Mesh) -> Self {
        Self { mesh: Arc::new(mesh), vertices: PyOnceLock::new(), faces: PyOnceLock::new() }
    }

    fn made(py: Python<'_>, vertices: Vec<DVec3>, faces: Vec<[u32; 3]>) -> PyResult<Self> {
        let made = on_threads(py, faces.len(), move || chasles::Mesh::new(vertices, faces))?;
        made.map(Self::of).map_err(|error| refused("mesh", error))
    }

    fn parts(&self) -> Parts {
        (self.mesh.vertices().iter().map(DVec3::to_array).collect(), self.mesh.given_triangles())
    }
}

/// The faces of a mesh of so many vertices.
pub(crate) fn triangles(faces: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<[u32; 3]>> {
    let given = wholes(faces, "faces")?;
    let [_, 3] = given.shape() else {
        return Err(misshapen("faces", given.shape(), "(M, 3)"));
    };
    let numbers = given.as_array();
    let mut triangles = with_room(numbers.len() / 3)?;
    for (row, corners) in numbers.rows().into_iter().enumerate() {
        let mut triangle = [0_u32; 3];
        for (corner, found) in triangle.iter_mut().zip(corners) {
            *corner = u32::try_from(*found).ok().filter(|v| (*v as usize) < count).ok_or_else(|| {
                let message =
                    format_args!("found {found}, expected the number of a vertex, 0 to {}", count as i64 - 1);
                refused(Row { place: "faces", row }, message)
            })?;
        }
        triangles.push(triangle);
    }
    if triangles.is_empty() {
        return Err(refused("faces", "found none, expected at least one"));
    }
    Ok(triangles)
}

/// The vertices and faces of a mesh.
type Parts = (Vec<[f64; 3]>, Vec<[u32; 3]>);

#[pymethods]
impl Mesh {
    #[new]
    fn new(vertices: &Bound<'_, PyAny>, faces: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = vertices.py();
        let vertices = list_of_points(vertices, "vertices")?;
        let triangles = triangles(faces, vertices.len())?;
        Self::made(py, vertices, triangles)
    }

    /// Reads a mesh file: OBJ, STL, PLY, OFF, COLLADA. A missing file raises FileNotFoundError, a bad
    /// file ``chasles.Error``, with file and line. ``confine``: the file must lie in this folder.
    #[classmethod]
    #[pyo3(signature = (path, *, confine=None))]
    fn load(
        _: &Bound<'_, PyType>,
        py: Python<'_>,
        path: PathBuf,
        confine: Option<PathBuf>,
    ) -> PyResult<Self> {
        let (path, limits) = confined(py, path, confine)?;
        let read = unwatched(py, move || {
            let read = with_read_limits(limits, || mesh::read(&path, MissingGeometry::Refused));
            let MeshFile { vertices, triangles, .. } = read?;
            let wrong = |error: chasles::Error| chasles_formats::Error::file(&path, error.to_string());
            chasles::Mesh::new(vertices, triangles).map_err(wrong)
        })?;
        read.map(Self::of).map_err(|error| bad_file(py, &error))
    }

    /// The mesh of a ``trimesh.Trimesh``: its vertices and faces, as they are.
    #[classmethod]
    fn from_trimesh(_: &Bound<'_, PyType>, t: &Bound<'_, PyAny>) -> PyResult<Self> {
        if t.py().import("trimesh").is_err() {
            let told = "trimesh is not installed: pip install chasles[trimesh]";
            return Err(PyImportError::new_err(told));
        }
        of_trimesh(t)?.ok_or_else(|| mistyped("t", t, "a trimesh.Trimesh"))
    }

    /// The vertices: (N, 3), float64, read-only.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let made = self.vertices.get_or_try_init(py, || {
            let numbers: Vec<f64> = self.mesh.vertices().iter().flat_map(|v| v.to_array()).collect();
            let array = array(py, numbers, &[self.mesh.vertex_count(), 3])?;
            read_only(&array)?;
            Ok::<_, PyErr>(array.unbind())
        })?;
        Ok(made.bind(py).clone())
    }

    /// The faces, by the numbers of their corners: (M, 3), uint32, read-only.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let made = self.faces.get_or_try_init(py, || {
            let numbers = self.mesh.given_triangles().into_flattened();
            let array = numbers.into_pyarray(py).reshape([self.mesh.triangles().len(), 3])?;
            read_only(&array)?;
            Ok::<_, PyErr>(array.unbind())
        })?;
        Ok(made.bind(py).clone())
    }

    /// The least and the greatest coordinates of the faces: (2, 3), in metres.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let numbers = self.mesh.bounds().iter().flat_map(DVec3::to_array).collect();
        array(py, numbers, &[2, 3])
    }

    /// Facts about the mesh, as ``chasles info --json`` tells them: whether it is closed, its pieces, what is doubtful.
    ///
    /// >>> chasles.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]).facts()["closed"]
    /// False
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let file = MeshFile {
            vertices: self.mesh.vertices().to_vec(),
            triangles: self.mesh.given_triangles(),
            polygons: Vec::new(),
            warnings: Vec::new(),
            missing: None,
            in_metres: false,
        };
        let facts = || MeshInfo::of(file, "mesh".as_ref()).map(|info| info.to_json());
        let told = unwatched(py, facts)?;
        from_json(py, &told.map_err(|error| bad_file(py, &error))?)
    }

    fn __eq__(&self, other: &Self) -> bool {
        let is_same = Arc::ptr_eq(&self.mesh, &other.mesh);
        is_same || self.parts() == other.parts()
    }

    fn __repr__(&self) -> String {
        format!("Mesh({} vertices, {} faces)", self.mesh.vertex_count(), self.mesh.triangles().len())
    }

    fn __copy__(own: Py<Self>) -> Py<Self> {
        own
    }

    fn __deepcopy__(own: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        own
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<_, Self>(py, &self.parts())
    }

    #[classmethod]
    fn _from_bytes(_: &Bound<'_, PyType>, py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let (vertices, faces): Parts = unpickled(bytes)?;
        Self::made(py, vertices.into_iter().map(DVec3::from_array).collect(), faces)
    }
}

/// Makes an array read-only, for good: what it is a view of, too.
fn read_only(array: &Bound<'_, PyAny>) -> PyResult<()> {
    let flags = PyDict::new(array.py());
    flags.set_item("write", false)?;
    array.call_method("setflags", (), Some(&flags))?;
    match array.getattr("base")? {
        base if base.hasattr("setflags")? => base.call_method("setflags", (), Some(&flags)).map(drop),
        _ => Ok(()),
    }
}

/// A text in JSON as Python has it.
pub(crate) fn from_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let loads =
        LOADS.get_or_try_init(py, || Ok::<_, PyErr>(py.import("json")?.getattr("loads")?.unbind()))?;
    loads.bind(py).call1((PyString::new(py, text),))
}

/// A value of Python as a text in JSON, arrays as lists.
pub(crate) fn as_json(value: &Bound<'_, PyAny>, place: &str) -> PyResult<String> {
    value.py().import("chasles._tables")?.call_method1("text", (value, place))?.extract()
}

/// The mesh of a `trimesh.Trimesh`, where it is one. Whoever has one has imported trimesh.
fn of_trimesh(value: &Bound<'_, PyAny>) -> PyResult<Option<Mesh>> {
    let modules = value.py().import("sys")?.getattr("modules")?;
    let Ok(trimesh) = modules.get_item("trimesh") else { return Ok(None) };
    if trimesh.is_none() || !value.is_instance(&trimesh.getattr("Trimesh")?)? {
        return Ok(None);
    }
    Mesh::new(&value.getattr("vertices")?, &value.getattr("faces")?).map(Some)
}

/// A mesh with its tree: made once, asked any number of questions, from any threads.
///
/// Where a body is asked for, a ``Mesh`` or a ``trimesh.Trimesh`` will do; its tree is then built for that call.
#[pyclass(frozen, module = "chasles")]
pub(crate) struct Body {
    pub(crate) body: Arc<chasles::PreparedMesh>,
    mesh: Py<Mesh>,
    shape: PyOnceLock<CollisionShape>,
}

impl Body {
    /// The shape of bodies of scenes: all share it.
    pub(crate) fn shape(&self, py: Python<'_>) -> CollisionShape {
        self.shape.get_or_init(py, || CollisionShape::mesh(self.body.clone())).clone()
    }
}

#[pymethods]
impl Body {
    #[new]
    fn new(mesh: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = mesh.py();
        let mesh = match mesh.cast::<Mesh>() {
            Ok(mesh) => mesh.clone().unbind(),
            Err(_) => {
                let own =
                    of_trimesh(mesh)?.ok_or_else(|| mistyped("mesh", mesh, "a Mesh or a trimesh.Trimesh"))?;
                Py::new(py, own)?
            }
        };
        let body = treed(py, &mesh.get().mesh)?;
        Ok(Self { body, mesh, shape: PyOnceLock::new() })
    }

    /// The mesh.
    #[getter]
    fn mesh(&self, py: Python<'_>) -> Py<Mesh> {
        self.mesh.clone_ref(py)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.mesh.get().__eq__(other.mesh.get())
    }

    fn __repr__(&self) -> String {
        format!("Body({})", self.mesh.get().__repr__())
    }

    fn __copy__(own: Py<Self>) -> Py<Self> {
        own
    }

    fn __deepcopy__(own: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        own
    }

    /// A body is its mesh: the tree is built anew, and is the same.
    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (Py<Mesh>,)) {
        (py.get_type::<Self>(), (self.mesh.clone_ref(py),))
    }
}

/// The tree of a mesh.
fn treed(py: Python<'_>, mesh: &Arc<chasles::Mesh>) -> PyResult<Arc<chasles::PreparedMesh>> {
    let own = mesh.clone();
    on_threads(py, mesh.triangles().len(), move || {
        Arc::new(chasles::PreparedMesh::new(chasles::Mesh::clone(&own)))
    })
}

/// Work on so many triangles is done on the caller's own thread, without any other.
const FEW: usize = 256;

/// Work on so many triangles may be done while the other threads of Python wait.
const SHORT: usize = 4096;

/// Does work on triangles: on threads that end with the work if the triangles are many, or if the process is the child of a
/// fork, which has only one thread.
pub(crate) fn on_threads<T: Send + 'static>(
    py: Python<'_>,
    triangles: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    if triangles > SHORT || (triangles > FEW && is_forked()) {
        return unwatched(py, work);
    }
    ready();
    Ok(work())
}

/// A body, or what stands for one.
pub(crate) fn a_body(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Arc<chasles::PreparedMesh>> {
    if let Ok(body) = value.cast::<Body>() {
        return Ok(body.get().body.clone());
    }
    let mesh = match value.cast::<Mesh>() {
        Ok(mesh) => mesh.get().mesh.clone(),
        Err(_) => match of_trimesh(value)? {
            Some(mesh) => mesh.mesh,
            None => return Err(mistyped(place, value, "a Body, a Mesh or a trimesh.Trimesh")),
        },
    };
    treed(value.py(), &mesh)
}
