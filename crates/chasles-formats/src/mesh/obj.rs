//! Wavefront OBJ: `v` and `f` statements. Materials, groups, lines and points have no surface and are skipped.
//!
//! Reference: "Object Files (.obj)", Appendix B1 of the Advanced Visualizer manual, Wavefront, 1991.

use std::path::Path;

use super::MeshFile;
use super::soup::{LocationUnit, Soup};
use crate::error::{Error, Result};
use crate::text::lines::{TextLines, integer, is_not_finite, quoted, words};

/// Statements that do not affect the surface.
const HARMLESS: [&[u8]; 17] = [
    b"vp", b"g", b"o", b"s", b"mg", b"l", b"p", b"usemtl", b"mtllib", b"usemap", b"maplib", b"bevel",
    b"c_interp", b"d_interp", b"lod", b"shadow_obj", b"trace_obj",
];

/// Statements that define the surface, and their misspelt forms.
const SURFACE: [&[u8]; 9] = [b"v", b"vn", b"vt", b"f", b"fo", b"F", b"V", b"Fo", b"FO"];

/// Statements of free-form curves and surfaces, also in files of version 2.11.
const FREE_FORM: [&[u8]; 6] = [b"surf", b"curv", b"bzp", b"bsp", b"cdp", b"cdc"];

/// Statements that include another file.
const OTHER_FILES: [&[u8]; 2] = [b"call", b"csh"];

/// Statements that are parts of free-form curves and surfaces, and are left out with them.
const FREE_FORM_PARTS: [&[u8]; 15] = [
    b"curv2", b"res", b"cstype", b"deg", b"bmat", b"step", b"parm", b"trim", b"hole", b"scrv", b"sp", b"end",
    b"con", b"ctech", b"stech",
];

/// The keywords of all statements.
fn keywords(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    TextLines::new(bytes).filter_map(|(_, line)| words(line).next()).filter(|word| !word.starts_with(b"#"))
}

/// Whether there is a statement of OBJ, or no statement at all.
fn is_obj(bytes: &[u8]) -> bool {
    let lists = [&HARMLESS[..], &FREE_FORM, &FREE_FORM_PARTS, &OTHER_FILES, &SURFACE];
    let is_known = |word: &[u8]| lists.iter().any(|list| list.contains(&word));
    keywords(bytes).next().is_none() || keywords(bytes).any(is_known)
}

/// Whether the first statement is one of OBJ.
pub(super) fn is_obj_start(bytes: &[u8]) -> bool {
    let first = keywords(bytes).next();
    first.is_some_and(|word| [&b"v"[..], b"vn", b"vt", b"o", b"g", b"mtllib", b"usemtl"].contains(&word))
}

/// Reads an OBJ file.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<MeshFile> {
    if !is_obj(bytes) {
        // The content of a file of another kind is not shown.
        return Err(Error::file(path, "found a file of another kind: expected statements such as v and f"));
    }
    let mut soup = Soup::new(path, LocationUnit::Line);
    let mut lines = TextLines::new(bytes);
    let mut joined_line = Vec::new();
    while let Some((at, line)) = lines.next() {
        // A comment may end in a backslash, for example after a path, and must not absorb the next statement.
        let comment = line.trim_ascii_start().starts_with(b"#");
        match line.trim_ascii_end().strip_suffix(b"\\") {
            Some(start) if !comment => {
                join(start, &mut lines, &mut joined_line);
                statement(&joined_line, at, &mut soup)?;
            }
            _ => statement(line, at, &mut soup)?,
        }
    }
    if let Some((at, corner)) = soup.corner_out_of_range() {
        let found = u64::from(corner) + 1;
        let expected = match soup.vertices.len() {
            0 => "the file has no vertices".to_owned(),
            n => format!("expected 1 to {n}"),
        };
        return Err(soup.error(at, format!("vertex index {found} out of range: {expected}")));
    }
    Ok(soup.finish())
}

/// Joins a line with its continuation lines; each line but the last ends in a backslash.
fn join(start: &[u8], lines: &mut TextLines<'_>, joined_line: &mut Vec<u8>) {
    joined_line.clear();
    joined_line.extend_from_slice(start);
    for (_, line) in lines {
        joined_line.push(b' ');
        match line.trim_ascii_end().strip_suffix(b"\\") {
            Some(start) => joined_line.extend_from_slice(start),
            None => {
                joined_line.extend_from_slice(line);
                return;
            }
        }
    }
}

fn statement(line: &[u8], at: usize, soup: &mut Soup<'_>) -> Result<()> {
    let mut words = words(line).take_while(|word| !word.starts_with(b"#"));
    let Some(keyword) = words.next() else { return Ok(()) };
    match keyword {
        b"v" => soup.vertex_words(at, words, "a colour or weight"),
        // `fo` is the name of `f` in files of version 2.11.
        b"f" | b"fo" => face(words, at, soup),
        b"vn" | b"vt" => {
            if words.any(is_not_finite) {
                soup.note(at, "a normal or texture coordinate is not finite: not used");
            }
            Ok(())
        }
        _ if HARMLESS.contains(&keyword) => Ok(()),
        _ if FREE_FORM.contains(&keyword) => {
            let what = format!("found {}: free-form curves and surfaces are not read", quoted(keyword));
            soup.skip_face(at, &what);
            Ok(())
        }
        _ if OTHER_FILES.contains(&keyword) => {
            soup.skip_face(at, &format!("found {}: the file that it calls is not read", quoted(keyword)));
            Ok(())
        }
        b"F" | b"V" | b"Fo" | b"FO" => {
            let lower_case = quoted(&keyword.to_ascii_lowercase());
            Err(soup.error(at, format!("found {}: did you mean {lower_case}?", quoted(keyword))))
        }
        _ if FREE_FORM_PARTS.contains(&keyword) => Ok(()),
        _ if keyword.len() <= 16 && keyword.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_') => {
            soup.note(at, &format!("unknown statement {}: skipped", quoted(keyword)));
            Ok(())
        }
        _ => Err(soup.error(at, format!("found {}: expected a statement such as v or f", quoted(keyword)))),
    }
}

/// `f` with a reference for every corner: a vertex, and optionally a texture coordinate and a normal.
fn face<'w>(words: impl Iterator<Item = &'w [u8]>, at: usize, soup: &mut Soup<'_>) -> Result<()> {
    for word in words {
        let vertex = word.split(|&b| b == b'/').next().unwrap_or_default();
        let index = integer(vertex)
            .ok_or_else(|| soup.error(at, format!("vertex index {} is not a whole number", quoted(word))))?;
        let before = i64::try_from(soup.vertices.len()).unwrap_or(i64::MAX);
        // Indices count from 1 or, if negative, back from the last vertex read. Indices that are still too large are
        // checked at the end of the file, because some programs write faces first.
        let from_zero = match index {
            1.. => u32::try_from(index - 1).ok(),
            0 => None,
            _ => index.checked_add(before).and_then(|index| u32::try_from(index).ok()),
        };
        let Some(corner) = from_zero else {
            let expected = match (index, before) {
                (1.., _) => format!("expected at most {}", u32::MAX),
                (0, _) => "expected 1 or more, or -1 or less".to_owned(),
                (_, 0) => "no vertex comes before it".to_owned(),
                _ => format!("expected -{before} to -1"),
            };
            return Err(soup.error(at, format!("vertex index {index} out of range: {expected}")));
        };
        soup.corner(at, corner)?;
    }
    soup.end_face(at);
    Ok(())
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::mesh::{self, MeshFormat};

    fn read(text: &str) -> MeshFile {
        parse(text.as_bytes(), Path::new("part.obj")).unwrap()
    }

    fn refused(text: &[u8]) -> String {
        mesh::parse(text, MeshFormat::Obj, Path::new("part.obj")).unwrap_err().to_string()
    }

    #[test]
    fn omitted_surfaces_are_reported() {
        let text = format!("{TRIANGLE}f 1 2 3\nsurf 0 1 0 1 1 2 3\nsurf 0 1 0 1 1 2 3");
        let mesh = read(&text);
        assert_eq!((mesh.triangles.len(), mesh.warnings.len()), (1, 1));
        assert!(mesh.missing.unwrap().to_string().starts_with("part.obj:5: found `surf`: "));
    }

    const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

    #[test]
    fn plain_text_with_all_kinds_of_references() {
        for face in [
            "f 1 2 3", "f 1/1 2/2 3/3", "f 1//1 2//1 3//1", "f 1/4/1 2/5/1 3/6/1", "f -3 -2 -1",
            "f 1// 2// 3//",
        ] {
            let mesh = read(&format!("{TRIANGLE}{face}"));
            assert_eq!(
                (mesh.vertices.len(), mesh.triangles, mesh.warnings),
                (3, vec![[0, 1, 2]], vec![]),
                "{face}"
            );
        }
    }

    #[test]
    fn coordinates_keep_all_their_digits() {
        let mesh = read(
            "v 0.1 +1.5e-3 -.25\nv 1. 1E2 0.30000000000000004\nv 0 0 0 0.5\nv 0 0 1 0.1 0.2 0.3\nf 1 2 3",
        );
        assert_eq!(mesh.vertices[0], DVec3::new(0.1, 1.5e-3, -0.25));
        assert_eq!(mesh.vertices[1], DVec3::new(1.0, 100.0, 0.30000000000000004));
        assert_eq!(mesh.vertices[3], DVec3::Z);
        assert!(mesh.warnings.is_empty());
    }

    #[test]
    fn lines_can_continue_and_comments_cannot() {
        let text = "# C:\\models\\\r\nv 0 0 \\\r\n 0\r\nv 1 0 0 # right\r\nv 0 1 0\r\nv 1 1 0\r\nf 1 \\\r\n2 \\\r\n3";
        let mesh = read(text);
        assert_eq!((mesh.vertices.len(), mesh.triangles), (4, vec![[0, 1, 2]]));
        assert_eq!(read(&format!("{TRIANGLE}f 1 2 3 \\")).triangles, [[0, 1, 2]]);
    }

    #[test]
    fn faces_may_come_first() {
        assert_eq!(read(&format!("f 1 2 3\n{TRIANGLE}")).triangles, [[0, 1, 2]]);
    }

    #[test]
    fn nodes_without_surface_are_ignored() {
        let mesh = read(&format!(
            "mtllib a b.mtl\no a\ng b c\n{TRIANGLE}s off\nusemtl\nl 1 2\np 1\nvn 0 0 1\nvt 0 0\nf 3 2 1\n"
        ));
        assert_eq!((mesh.triangles, mesh.warnings), (vec![[2, 1, 0]], vec![]));
    }

    #[test]
    fn doubtful_content_gives_warnings() {
        let mesh = read("v 0 0 0 nan 0 0\nv 1 0 0\nv 0 1 0\nvn nan nan nan\nf 1 2\nf 1\nfoo\nf 1 1 3");
        assert_eq!(mesh.triangles, [[0, 0, 2]]);
        assert_eq!(
            mesh.warnings,
            [
                "a colour or weight of a vertex is not finite: not used (line 1)",
                "a normal or texture coordinate is not finite: not used (line 4)",
                "a face of fewer than 3 corners is left out (2 times, first at line 5)",
                "unknown statement `foo`: skipped (line 7)",
            ]
        );
        assert_eq!(read("v 0 0 0\n").warnings, ["the file has no triangles"]);
        let many: String = (0..1000).map(|i| format!("x{i}\n")).collect();
        assert_eq!(read(&format!("v 0 0 0\n{many}")).warnings.len(), 17);
    }

    #[test]
    fn errors_have_location_and_reason() {
        let cases = [
            ("v 0 0 0\nv 0 0\n", "part.obj:2: a vertex of 2 coordinates: expected 3"),
            ("v 0 0 0\n\nv 3.1+e2 0 0\n", "part.obj:3: coordinate `3.1+e2` is not a number"),
            ("v 0 nan 0\n", "part.obj:1: y of a vertex is NaN: expected a finite number"),
            ("v 0 0 -1e999\n", "part.obj:1: z of a vertex is -inf: expected a finite number"),
            ("v 0 0 0\nf 1 1 2\nf 1 1 1", "part.obj:2: vertex index 2 out of range: expected 1 to 1"),
            ("f 1 2 3", "part.obj:1: vertex index 1 out of range: the file has no vertices"),
            (
                "v 0 0 0\nf 1 0 1",
                "part.obj:2: vertex index 0 out of range: expected 1 or more, or -1 or less",
            ),
            ("v 0 0 0\nf 1 -2 1", "part.obj:2: vertex index -2 out of range: expected -1 to -1"),
            ("f -1 -1 -1", "part.obj:1: vertex index -1 out of range: no vertex comes before it"),
            (
                "f 1 99999999999 1",
                "part.obj:1: vertex index 99999999999 out of range: expected at most 4294967295",
            ),
            ("f 1 2.5 1", "part.obj:1: vertex index `2.5` is not a whole number"),
            ("f 1 /2 1", "part.obj:1: vertex index `/2` is not a whole number"),
            ("v 0 0 0\nF 1 1 1", "part.obj:2: found `F`: did you mean `f`?"),
            (
                "v 0 0 0\ncstype bspline\nsurf 0 1 0 1 1",
                "part.obj:3: found `surf`: free-form curves and surfaces are not read; --allow-missing-geometry reads on \
                 without it",
            ),
            (
                "curv 0 1 1 2",
                "part.obj:1: found `curv`: free-form curves and surfaces are not read; --allow-missing-geometry reads on \
                 without it",
            ),
            (
                "call other.obj",
                "part.obj:1: found `call`: the file that it calls is not read; --allow-missing-geometry reads on without it",
            ),
            ("v 0 0 0\n<html>", "part.obj:2: found `<html>`: expected a statement such as v or f"),
            ("<html>", "part.obj: found a file of another kind: expected statements such as v and f"),
        ];
        for (text, message) in cases {
            assert_eq!(refused(text.as_bytes()), message);
        }
    }
}
