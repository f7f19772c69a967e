//! OctoMap trees, `.bt` and `.ot`, as the surface of the occupied cubes.
//!
//! Reference: A. Hornung et al., "OctoMap: an efficient probabilistic 3D mapping framework based on octrees", 2013,
//! and the library's own readers. A `.bt` file has two bits for each child: free, occupied, or divided further. A
//! `.ot` file has the log-odds of each node: a leaf is occupied if they are 0 or more, a probability of 0.5. Unknown
//! space counts as free, like observed free space. The resolution is in metres.
//!
//! A mesh represents the cubes exactly, coarse ones included, whereas points with a radius would be balls that leave
//! gaps or protrude. Cubes that are enclosed by others add no triangles.

use std::path::Path;

use super::MeshFile;
use super::cubes::{self, DEPTH, EMPTY, OCCUPIED, Octree};
use crate::error::{Error, Result};
use crate::limits;
use crate::text::lines::{number, quoted, words};

const BINARY: &[u8] = b"# Octomap OcTree binary file";
const FULL: &[u8] = b"# Octomap OcTree file";

/// Whether the bytes begin like a map.
pub(super) fn is_octomap(bytes: &[u8]) -> bool {
    bytes.starts_with(BINARY) || bytes.starts_with(FULL)
}

/// The encoding of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OctreeEncoding {
    /// Two bits per child.
    Binary,
    /// A number, `more` further bytes, and a bit per child.
    Full { more: usize },
}

/// Reads a map.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<MeshFile> {
    let (encoding, resolution, start) = header(bytes, path)?;
    let mut reader = OctomapReader { bytes, at: start, encoding, path };
    // The smallest node takes two bytes of the file, and 32 bytes in memory.
    limits::check_room((bytes.len() - start) as u64 * 16).map_err(|message| Error::file(path, message))?;
    let tree = reader.tree()?;
    let mut mesh = cubes::surface(&tree, resolution).map_err(|message| Error::file(path, message))?;
    if mesh.triangles.is_empty() {
        mesh.warnings.push("the file has no triangles: no cube is occupied".to_owned());
    }
    if reader.at < bytes.len() {
        mesh.warnings.push(format!("everything after the last node is skipped (byte {})", reader.at));
    }
    Ok(mesh)
}

/// The encoding of nodes, the size of the smallest cube, and the position of the first node.
fn header(bytes: &[u8], path: &Path) -> Result<(OctreeEncoding, f64, usize)> {
    if !is_octomap(bytes) {
        let what =
            "found a file of another kind: expected # Octomap OcTree file, or # Octomap OcTree binary file";
        return Err(Error::line(path, 1, what));
    }
    let (mut id, mut resolution) = (None, None);
    let (mut at, mut start) = (0, 0);
    loop {
        at += 1;
        let rest = &bytes[start..];
        if rest.is_empty() {
            return Err(Error::line(path, at - 1, "the file ends within the header: expected data"));
        }
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        start = (start + end + 1).min(bytes.len());
        let line: Vec<&[u8]> = words(&rest[..end]).take(3).collect();
        match line.as_slice() {
            [b"data", ..] => break,
            [b"id", name, ..] => id = Some((at, *name)),
            [b"res", word, ..] => {
                let found = number(word).filter(|size| *size > 0.0 && size.is_finite());
                resolution = Some(found.ok_or_else(|| {
                    Error::line(path, at, format!("found res {}: expected a finite number > 0", quoted(word)))
                })?);
            }
            // The number of nodes follows from the nodes themselves; other keys and comments are ignored.
            _ => {}
        }
    }
    let missing =
        |key: &str| Error::line(path, at, format!("the header has no {key}: expected one before data"));
    let (id_at, id) = id.ok_or_else(|| missing("id"))?;
    let encoding = match (bytes.starts_with(BINARY), id) {
        (true, _) => OctreeEncoding::Binary,
        (false, b"OcTree" | b"1") => OctreeEncoding::Full { more: 0 },
        (false, b"ColorOcTree") => OctreeEncoding::Full { more: 3 },
        _ => {
            let what = format!("found a tree of kind {}: expected OcTree or ColorOcTree", quoted(id));
            return Err(Error::line(path, id_at, what));
        }
    };
    Ok((encoding, resolution.ok_or_else(|| missing("res"))?, start))
}

struct OctomapReader<'a> {
    bytes: &'a [u8],
    at: usize,
    encoding: OctreeEncoding,
    path: &'a Path,
}

/// A node whose children have not all been read: its number, the next child, and its depth.
struct OpenOctant {
    node: u32,
    next: usize,
    depth: u32,
}

/// Placeholder of a child before its own node is read.
const DIVIDED: u32 = u32::MAX;

impl OctomapReader<'_> {
    /// Reads all nodes in depth-first order.
    fn tree(&mut self) -> Result<Octree> {
        let mut tree = Octree::default();
        if self.at == self.bytes.len() {
            return Ok(tree);
        }
        let root = self.node(&mut tree, 0)?;
        tree.root = root;
        let mut open = Vec::new();
        if root > OCCUPIED {
            open.push(OpenOctant { node: root, next: 0, depth: 0 });
        }
        while let Some(top) = open.last_mut() {
            let children = &tree.nodes[cubes::index(top.node)];
            let Some(child) = (top.next..8).find(|child| children[*child] == DIVIDED) else {
                open.pop();
                continue;
            };
            let (parent, depth) = (top.node, top.depth + 1);
            top.next = child + 1;
            let node = self.node(&mut tree, depth)?;
            tree.nodes[cubes::index(parent)][child] = node;
            if node > OCCUPIED {
                open.push(OpenOctant { node, next: 0, depth });
            }
        }
        Ok(tree)
    }

    /// Reads one node; returns its number, or its state if it has no children.
    fn node(&mut self, tree: &mut Octree, depth: u32) -> Result<u32> {
        let start = self.at;
        let children = match self.encoding {
            OctreeEncoding::Binary => {
                let bits = u16::from_le_bytes(self.take()?);
                let child = |child: usize| match (bits >> (2 * child)) & 3 {
                    2 => OCCUPIED,
                    3 => DIVIDED,
                    _ => EMPTY,
                };
                [0, 1, 2, 3, 4, 5, 6, 7].map(child)
            }
            OctreeEncoding::Full { more } => {
                let odds = f32::from_le_bytes(self.take()?);
                if more > 0 {
                    self.take::<3>()?;
                }
                let [bits] = self.take()?;
                if bits == 0 {
                    if odds.is_nan() {
                        return Err(Error::byte(
                            self.path,
                            start,
                            "the odds of a leaf are NaN: expected a number",
                        ));
                    }
                    return Ok(if odds >= 0.0 { OCCUPIED } else { EMPTY });
                }
                [0, 1, 2, 3, 4, 5, 6, 7].map(|child| if bits & (1 << child) == 0 { EMPTY } else { DIVIDED })
            }
        };
        // In the full form leaves are nodes without children.
        let deepest = DEPTH - u32::from(self.encoding == OctreeEncoding::Binary);
        if children.contains(&DIVIDED) && depth >= deepest {
            return Err(Error::byte(self.path, start, format!("a tree deeper than {DEPTH} levels")));
        }
        tree.push(children).ok_or_else(|| Error::byte(self.path, start, "too many nodes"))
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let consumed =
            self.bytes.get(self.at..self.at + N).and_then(|consumed| <[u8; N]>::try_from(consumed).ok());
        let consumed = consumed.ok_or_else(|| {
            let what = format!(
                "the file ends within a node: expected {N} bytes, found {}",
                self.bytes.len() - self.at
            );
            Error::byte(self.path, self.at, what)
        })?;
        self.at += N;
        Ok(consumed)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    fn file(head: &str, id: &str, data: &[u8]) -> Vec<u8> {
        let text =
            format!("{head}\n# (feel free to add / change comments)\n#\nid {id}\nsize 16\nres 0.5\ndata\n");
        [text.as_bytes(), data].concat()
    }

    const BT: &str = "# Octomap OcTree binary file";
    const OT: &str = "# Octomap OcTree file";

    /// Descends from the root to the level above the deepest, by the last child and then the first children: the
    /// children of the last node are the cube at the origin and its seven upper neighbours.
    fn binary(last: u16) -> Vec<u8> {
        let mut data = vec![0x00, 0xC0];
        (0..14).for_each(|_| data.extend([3, 0]));
        data.extend(last.to_le_bytes());
        data
    }

    fn full(children: &[(u8, f32)], more: usize) -> Vec<u8> {
        let node = |odds: f32, bits: u8| [&odds.to_le_bytes()[..], &vec![0; more], &[bits]].concat();
        let mut data = node(0.0, 0x80);
        (0..14).for_each(|_| data.extend(node(0.0, 1)));
        data.extend(node(0.0, children.iter().fold(0, |bits, (child, _)| bits | (1 << child))));
        children.iter().for_each(|(_, odds)| data.extend(node(*odds, 0)));
        data
    }

    fn read(bytes: &[u8]) -> MeshFile {
        parse(bytes, Path::new("map.bt")).unwrap()
    }

    #[test]
    fn both_forms_have_the_same_cubes() {
        // Child 0 is occupied, 1 free, 7 occupied.
        let last = 0b10_00_00_00_00_00_01_10;
        let expected = read(&file(BT, "OcTree", &binary(last)));
        assert_eq!((expected.triangles.len(), expected.in_metres), (24, true));
        assert_eq!(expected.warnings, [] as [&str; 0]);
        let corner = |v: &DVec3| v.to_array().iter().all(|x| [0.0, 0.5, 1.0].contains(x));
        assert!(expected.vertices.iter().all(corner));
        let odds = [(0, 0.0), (1, -1.0), (7, 3.5)];
        assert_eq!(read(&file(OT, "OcTree", &full(&odds, 0))), expected);
        assert_eq!(read(&file(OT, "ColorOcTree", &full(&odds, 3))), expected);
        assert_eq!(read(&file(BT, "ColorOcTree", &binary(last))), expected);
    }

    #[test]
    fn a_coarse_leaf_is_one_large_cube() {
        // The first child of a node two levels above the deepest: a cube of 1 m.
        let mut data = vec![0x00, 0xC0];
        (0..13).for_each(|_| data.extend([3, 0]));
        data.extend([2, 0]);
        let mesh = read(&file(BT, "OcTree", &data));
        assert_eq!(mesh.triangles.len(), 48);
        let [minimum, maximum] =
            mesh.vertices.iter().fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[minimum, maximum], v| {
                [minimum.min(*v), maximum.max(*v)]
            });
        assert_eq!([minimum, maximum], [DVec3::ZERO, DVec3::ONE]);
    }

    #[test]
    fn invalid_input_is_an_error() {
        let message = |bytes: &[u8]| parse(bytes, Path::new("map.bt")).unwrap_err().to_string();
        let file_bytes = file(BT, "OcTree", &binary(2));
        let start = file_bytes.len() - 32;
        assert_eq!(
            message(&file_bytes[..file_bytes.len() - 1]),
            format!("map.bt: byte {}: the file ends within a node: expected 2 bytes, found 1", start + 30)
        );
        let text = String::from_utf8_lossy(&file_bytes[..start]).into_owned();
        let bad = |from: &str, to: &str| message(text.replace(from, to).as_bytes());
        assert_eq!(bad("res 0.5", "res 0"), "map.bt:6: found res `0`: expected a finite number > 0");
        assert_eq!(bad("res 0.5\n", ""), "map.bt:6: the header has no res: expected one before data");
        assert_eq!(bad("id OcTree\n", ""), "map.bt:6: the header has no id: expected one before data");
        assert_eq!(bad("data\n", ""), "map.bt:6: the file ends within the header: expected data");
        assert!(
            bad("# Octomap", "# Map")
                .starts_with("map.bt:1: found a file of another kind: expected # Octomap")
        );
        assert_eq!(
            message(&file(OT, "CountingOcTree", &[])),
            "map.bt:4: found a tree of kind `CountingOcTree`: expected OcTree or ColorOcTree"
        );
        let deep = file(BT, "OcTree", &[[0, 0xC0].to_vec(), [3, 0].repeat(20)].concat());
        assert_eq!(message(&deep), format!("map.bt: byte {}: a tree deeper than 16 levels", start + 30));
        let nan = file(OT, "OcTree", &full(&[(0, f32::NAN)], 0));
        assert!(message(&nan).ends_with("the odds of a leaf are NaN: expected a number"));
        // The whole space is occupied.
        let all =
            message(&file(OT, "OcTree", &full(&[], 0)[..4].iter().chain(&[0]).copied().collect::<Vec<_>>()));
        assert!(all.contains("faces of the smallest size"), "{all}");
        let none = read(&file(BT, "OcTree", &[]));
        assert_eq!(none.warnings, ["the file has no triangles: no cube is occupied"]);
        let more = read(&file(BT, "OcTree", &[binary(2), vec![0]].concat()));
        assert_eq!(
            more.warnings,
            [format!("everything after the last node is skipped (byte {})", start + 32)]
        );
    }
}
