//! glTF: files that the tests write themselves are read, and compared with slow and plain ways of reading them.

mod build;
mod accessors;
mod meshes;
mod nodes;
mod animations;
mod morphs;
mod skins;
mod twin;
mod refused;
mod mutations;
mod writer;
