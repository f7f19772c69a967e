//! Writes the seeds of all targets to `corpus/TARGET/`, where the fuzzer looks for them.

use std::path::Path;

use chasles_fuzz::TARGETS;

fn main() -> Result<(), std::io::Error> {
    for target in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().iter().enumerate() {
            std::fs::write(folder.join(format!("seed{number}")), seed)?;
        }
    }
    Ok(())
}
