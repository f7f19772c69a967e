//! Meshes, and bodies that are prepared for queries.

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

use crate::arguments::{
    Row, confined_file, file_error, integer_array, point_array, shape_error, type_error, value_error,
    vec_with_capacity,
};
use crate::pickle::{ReduceValue, from_bytes, immutable_classes, reduce_value};
use crate::pose::array;
use crate::work::{ensure_thread_pool, is_forked, run_unmonitored};

/// Vertices and triangles of a body, in metres, in the body's frame.
///
/// ``vertices`` (N, 3) are real numbers of any dtype, ``faces`` (M, 3) integers, the numbers of the corners. The
/// triangles may be open, self-intersecting, degenerate, or in several pieces. Vertices that are equal bit for bit are
/// merged into the first. Results refer to vertices and faces by their numbers in the input. The arrays are copied.
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

    fn from_parts(py: Python<'_>, vertices: Vec<DVec3>, faces: Vec<[u32; 3]>) -> PyResult<Self> {
        let mesh = on_threads(py, faces.len(), move || chasles::Mesh::new(vertices, faces))?;
        mesh.map(Self::of).map_err(|error| value_error("mesh", error))
    }

    fn parts(&self) -> MeshArrays {
        (self.mesh.vertices().iter().map(DVec3::to_array).collect(), self.mesh.given_triangles())
    }
}

/// The faces of a mesh with `count` vertices.
pub(crate) fn triangles(faces: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<[u32; 3]>> {
    let input = integer_array(faces, "faces")?;
    let [_, 3] = input.shape() else {
        return Err(shape_error("faces", input.shape(), "(M, 3)"));
    };
    let numbers = input.as_array();
    let mut triangles = vec_with_capacity(numbers.len() / 3)?;
    for (row, corners) in numbers.rows().into_iter().enumerate() {
        let mut triangle = [0_u32; 3];
        for (corner, number) in triangle.iter_mut().zip(corners) {
            *corner = u32::try_from(*number).ok().filter(|v| (*v as usize) < count).ok_or_else(|| {
                let message = format_args!(
                    "found {number}, expected the number of a vertex, 0 to {}",
                    count as i64 - 1
                );
                value_error(Row { place: "faces", row }, message)
            })?;
        }
        triangles.push(triangle);
    }
    if triangles.is_empty() {
        return Err(value_error("faces", "found none, expected at least one"));
    }
    Ok(triangles)
}

/// The vertices and faces of a mesh.
type MeshArrays = (Vec<[f64; 3]>, Vec<[u32; 3]>);

#[pymethods]
impl Mesh {
    #[new]
    fn new(vertices: &Bound<'_, PyAny>, faces: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = vertices.py();
        let vertices = point_array(vertices, "vertices")?;
        let triangles = triangles(faces, vertices.len())?;
        Self::from_parts(py, vertices, triangles)
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
        let (path, limits) = confined_file(py, path, confine)?;
        let read = run_unmonitored(py, move || {
            let read = with_read_limits(limits, || mesh::read(&path, MissingGeometry::Refused));
            let MeshFile { vertices, triangles, .. } = read?;
            let to_error = |error: chasles::Error| chasles_formats::Error::file(&path, error.to_string());
            chasles::Mesh::new(vertices, triangles).map_err(to_error)
        })?;
        read.map(Self::of).map_err(|error| file_error(py, &error))
    }

    /// The mesh of a ``trimesh.Trimesh``, with unchanged vertices and faces.
    #[classmethod]
    fn from_trimesh(_: &Bound<'_, PyType>, t: &Bound<'_, PyAny>) -> PyResult<Self> {
        if t.py().import("trimesh").is_err() {
            let text = "trimesh is not installed: pip install chasles[trimesh]";
            return Err(PyImportError::new_err(text));
        }
        mesh_of_trimesh(t)?.ok_or_else(|| type_error("t", t, "a trimesh.Trimesh"))
    }

    /// The vertices: (N, 3), float64, read-only.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let array = self.vertices.get_or_try_init(py, || {
            let numbers: Vec<f64> = self.mesh.vertices().iter().flat_map(|v| v.to_array()).collect();
            let array = array(py, numbers, &[self.mesh.vertex_count(), 3])?;
            read_only(&array)?;
            Ok::<_, PyErr>(array.unbind())
        })?;
        Ok(array.bind(py).clone())
    }

    /// The faces, by the numbers of their corners: (M, 3), uint32, read-only.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let array = self.faces.get_or_try_init(py, || {
            let numbers = self.mesh.given_triangles().into_flattened();
            let array = numbers.into_pyarray(py).reshape([self.mesh.triangles().len(), 3])?;
            read_only(&array)?;
            Ok::<_, PyErr>(array.unbind())
        })?;
        Ok(array.bind(py).clone())
    }

    /// The minimum and maximum coordinates of the faces: (2, 3), in metres.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let numbers = self.mesh.bounds().iter().flat_map(DVec3::to_array).collect();
        array(py, numbers, &[2, 3])
    }

    /// Facts about the mesh, as ``chasles info --json`` writes them: whether it is closed, its pieces, warnings.
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
        let text = run_unmonitored(py, facts)?;
        from_json(py, &text.map_err(|error| file_error(py, &error))?)
    }

    fn __eq__(&self, other: &Self) -> bool {
        let is_same = Arc::ptr_eq(&self.mesh, &other.mesh);
        is_same || self.parts() == other.parts()
    }

    fn __repr__(&self) -> String {
        format!("Mesh({} vertices, {} faces)", self.mesh.vertex_count(), self.mesh.triangles().len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<ReduceValue<'py>> {
        reduce_value::<_, Self>(py, &self.parts())
    }

    #[classmethod]
    fn _from_bytes(_: &Bound<'_, PyType>, py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let (vertices, faces): MeshArrays = from_bytes(bytes)?;
        Self::from_parts(py, vertices.into_iter().map(DVec3::from_array).collect(), faces)
    }
}

/// Makes an array and the array under it read-only.
fn read_only(array: &Bound<'_, PyAny>) -> PyResult<()> {
    let flags = PyDict::new(array.py());
    flags.set_item("write", false)?;
    array.call_method("setflags", (), Some(&flags))?;
    match array.getattr("base")? {
        base if base.hasattr("setflags")? => base.call_method("setflags", (), Some(&flags)).map(drop),
        _ => Ok(()),
    }
}

/// Parses JSON into objects of Python.
pub(crate) fn from_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    LOADS.import(py, "json", "loads")?.call1((PyString::new(py, text),))
}

/// Serializes a value of Python to JSON, arrays as lists.
pub(crate) fn json_text(value: &Bound<'_, PyAny>, place: &str) -> PyResult<String> {
    value.py().import("chasles._tables")?.call_method1("text", (value, place))?.extract()
}

/// The mesh of a `trimesh.Trimesh`; `None` for other objects. If trimesh is not imported, the object is none.
fn mesh_of_trimesh(value: &Bound<'_, PyAny>) -> PyResult<Option<Mesh>> {
    let modules = value.py().import("sys")?.getattr("modules")?;
    let Ok(trimesh) = modules.get_item("trimesh") else { return Ok(None) };
    if trimesh.is_none() || !value.is_instance(&trimesh.getattr("Trimesh")?)? {
        return Ok(None);
    }
    Mesh::new(&value.getattr("vertices")?, &value.getattr("faces")?).map(Some)
}

/// A mesh with its hierarchy of bounding boxes, for any number of queries from any threads.
///
/// Arguments that are bodies may also be a ``Mesh`` or a ``trimesh.Trimesh``. Its hierarchy is built for that call.
#[pyclass(frozen, module = "chasles")]
pub(crate) struct Body {
    pub(crate) body: Arc<chasles::PreparedMesh>,
    mesh: Py<Mesh>,
    shape: PyOnceLock<CollisionShape>,
}

impl Body {
    /// The shape for bodies of scenes, which share it.
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
                let mesh = mesh_of_trimesh(mesh)?
                    .ok_or_else(|| type_error("mesh", mesh, "a Mesh or a trimesh.Trimesh"))?;
                Py::new(py, mesh)?
            }
        };
        let body = prepare(py, &mesh.get().mesh)?;
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

    /// A pickle holds the mesh alone. The hierarchy is built again, with the same bits.
    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (Py<Mesh>,)) {
        (py.get_type::<Self>(), (self.mesh.clone_ref(py),))
    }
}

/// Builds the hierarchy of a mesh.
fn prepare(py: Python<'_>, mesh: &Arc<chasles::Mesh>) -> PyResult<Arc<chasles::PreparedMesh>> {
    let mesh = mesh.clone();
    on_threads(py, mesh.triangles().len(), move || {
        Arc::new(chasles::PreparedMesh::new(chasles::Mesh::clone(&mesh)))
    })
}

/// Work on up to this number of triangles is done on the caller's thread alone.
const FEW_TRIANGLES: usize = 256;

/// Work on up to this number of triangles is done while Python's other threads wait.
const SHORT: usize = 4096;

/// Does work on triangles. The work has threads of its own if there are many triangles, or if the process is the child
/// of a fork, which has only one thread.
pub(crate) fn on_threads<T: Send + 'static>(
    py: Python<'_>,
    triangles: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    if triangles > SHORT || (triangles > FEW_TRIANGLES && is_forked()) {
        return run_unmonitored(py, work);
    }
    ensure_thread_pool();
    Ok(work())
}

/// The prepared mesh of a body, or of an object from which a body can be made.
pub(crate) fn prepared_mesh(value: &Bound<'_, PyAny>, place: &str) -> PyResult<Arc<chasles::PreparedMesh>> {
    if let Ok(body) = value.cast::<Body>() {
        return Ok(body.get().body.clone());
    }
    let mesh = match value.cast::<Mesh>() {
        Ok(mesh) => mesh.get().mesh.clone(),
        Err(_) => match mesh_of_trimesh(value)? {
            Some(mesh) => mesh.mesh,
            None => return Err(type_error(place, value, "a Body, a Mesh or a trimesh.Trimesh")),
        },
    };
    prepare(value.py(), &mesh)
}

immutable_classes! { Mesh Body }
