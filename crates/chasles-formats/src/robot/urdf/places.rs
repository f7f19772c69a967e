//! Finds the files that a robot names.

use std::path::{Path, PathBuf};

/// Maximum length of a file name, in bytes.
const LONGEST: usize = 4096;

/// The folders in which files are looked up.
#[derive(Debug)]
pub(super) struct Places<'a> {
    /// The folder of the robot's file.
    folder: PathBuf,
    /// The same folder in canonical form, so that its ancestors are the real parent folders.
    absolute_path: PathBuf,
    packages: &'a [(String, PathBuf)],
}

impl<'a> Places<'a> {
    pub(super) fn new(robot: &Path, packages: &'a [(String, PathBuf)]) -> Self {
        let folder = robot.parent().unwrap_or(Path::new("")).to_path_buf();
        let folder_path = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let absolute_path = folder_path.canonicalize().or_else(|_| std::path::absolute(folder_path));
        Self { absolute_path: absolute_path.unwrap_or_else(|_| folder.clone()), folder, packages }
    }

    /// The file of this name, or the reason why it was not found.
    pub(super) fn find(&self, name: &str) -> Result<PathBuf, String> {
        if name.len() > LONGEST {
            return Err(format!("a name of {} bytes: expected at most {LONGEST}", name.len()));
        }
        let candidate_paths = self.candidates(name)?;
        match candidate_paths.iter().find(|path| path.exists()) {
            Some(path) if path.is_file() => Ok(path.clone()),
            Some(path) => Err(format!("{name:?} is not a file: {path:?}")),
            None => {
                let candidate_paths: Vec<_> =
                    candidate_paths.iter().map(|path| format!("{path:?}")).collect();
                Err(format!("{name:?} is not found: tried {}", candidate_paths.join(", ")))
            }
        }
    }

    fn candidates(&self, name: &str) -> Result<Vec<PathBuf>, String> {
        let Some((scheme, rest)) = name.split_once("://") else { return Ok(vec![self.folder.join(name)]) };
        match scheme {
            "package" => {
                let split =
                    rest.split_once('/').filter(|(package, rest)| !package.is_empty() && !rest.is_empty());
                let Some((package, file)) = split else {
                    return Err(format!("found {name:?}, expected package://NAME/FILE"));
                };
                // `package://a//b` means the file b: joined with its slash the path would be absolute.
                let file = file.trim_start_matches('/');
                let candidates = self.packages.iter().filter(|(name, _)| name == package);
                let candidates: Vec<_> = candidates.map(|(_, folder)| folder.join(file)).collect();
                if candidates.is_empty() {
                    return Ok(self
                        .absolute_path
                        .ancestors()
                        .map(|above| above.join(package).join(file))
                        .collect());
                }
                Ok(candidates)
            }
            "file" if rest.starts_with('/') => Ok(vec![PathBuf::from(rest)]),
            "file" => Err(format!("found {name:?}, expected file:/// and an absolute name")),
            _ => Err(format!("found {name:?}, expected package://, file:// or the name of a file")),
        }
    }
}
