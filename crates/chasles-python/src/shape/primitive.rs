//! Shapes given by their sizes.

use chasles::Primitive;
use chasles::glam::DVec3;
use pyo3::prelude::*;

use crate::arguments::{value_error, vector};
use crate::pickle::value_classes;

/// A shape given by its sizes, checked.
fn checked(primitive: Primitive, kind: &str) -> PyResult<Primitive> {
    let to_error = |error: chasles::Error| value_error(kind, error);
    primitive.check().map_err(to_error)?;
    Ok(primitive)
}

macro_rules! primitives {
    ($($(#[$meta:meta])* $name:ident($($argument:ident: $kind:ty),*), $text:literal, $make:expr;)*) => {$(
        $(#[$meta])*
        #[pyclass(frozen, module = "chasles")]
        #[derive(Debug)]
        pub(crate) struct $name(Primitive);

        #[pymethods]
        impl $name {
            #[new]
            #[pyo3(text_signature = $text)]
            fn new($($argument: $kind),*) -> PyResult<Self> {
                checked($make, stringify!($name)).map(Self)
            }

            fn __repr__(&self) -> String {
                describe(&self.0)
            }
        }
    )*};
}

fn describe(primitive: &Primitive) -> String {
    match primitive {
        Primitive::Box { size } => format!("Box([{}, {}, {}])", size.x, size.y, size.z),
        Primitive::Sphere { radius } => format!("Sphere({radius})"),
        Primitive::Cylinder { radius, height } => format!("Cylinder({radius}, {height})"),
        Primitive::Cone { radius, height } => format!("Cone({radius}, {height})"),
        Primitive::Capsule { radius, height } => format!("Capsule({radius}, {height})"),
    }
}

primitives! {
    /// A box with its edges along the axes, centred at the origin of its frame: ``size`` (3,), in metres.
    Box(size: &Bound<'_, PyAny>), "(size)", Primitive::Box { size: DVec3::from_array(vector::<3>(size, "size")?) };
    /// A ball about the origin of its frame; ``radius`` in metres.
    Sphere(radius: f64), "(radius)", Primitive::Sphere { radius };
    /// A cylinder along z, centred at the origin of its frame; ``radius`` and ``height`` in metres.
    Cylinder(radius: f64, height: f64), "(radius, height)", Primitive::Cylinder { radius, height };
    /// A cone along z with its tip at + ``height`` / 2; ``radius`` is the radius of its base. In metres.
    Cone(radius: f64, height: f64), "(radius, height)", Primitive::Cone { radius, height };
    /// A cylinder along z with half a ball on each end; ``height`` is the height of the cylinder. In metres.
    Capsule(radius: f64, height: f64), "(radius, height)", Primitive::Capsule { radius, height };
}

/// The primitive of a value, if it is one.
pub(crate) fn primitive(value: &Bound<'_, PyAny>) -> Option<Primitive> {
    let primitive = value.cast::<Box>().map(|shape| shape.get().0);
    let primitive = primitive.or_else(|_| value.cast::<Sphere>().map(|shape| shape.get().0));
    let primitive = primitive.or_else(|_| value.cast::<Cylinder>().map(|shape| shape.get().0));
    let primitive = primitive.or_else(|_| value.cast::<Cone>().map(|shape| shape.get().0));
    primitive.or_else(|_| value.cast::<Capsule>().map(|shape| shape.get().0)).ok()
}

value_classes! { Box Sphere Cylinder Cone Capsule }
