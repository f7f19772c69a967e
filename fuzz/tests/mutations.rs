//! Runs every target on its seeds and on mutated seeds: fuzzing on a small scale, on stable Rust.

use std::collections::BTreeSet;
use std::path::Path;

use chasles_fuzz::{TARGETS, Target, target};
use chasles_testing::Random;

/// Bytes that are likely to cause faults.
const PIECES: [&[u8]; 16] = [
    b"0", b"-1", b"1e300", b"1e-300", b"nan", b"99999999999", b"[", b"]", b"{", b"\"", b"<", b"/>", b"\n",
    b",", b"\0", b"\xff",
];

/// A seed of a target, mutated in a few places.
fn changed(target: &Target, random: &mut Random) -> Vec<u8> {
    let seeds = (target.seeds)();
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..random.below(5) {
        let at = random.below(bytes.len() + 1);
        let until = (at + random.below(8)).min(bytes.len());
        match random.below(4) {
            0 if at < bytes.len() => bytes[at] = u8::try_from(random.below(256)).unwrap(),
            1 => drop(bytes.splice(at..until, PIECES[random.below(PIECES.len())].iter().copied())),
            2 => drop(bytes.drain(at..until)),
            _ => {
                let from = random.below(bytes.len() + 1);
                let copied = bytes[from..(from + random.below(20)).min(bytes.len())].to_vec();
                drop(bytes.splice(at..until, copied));
            }
        }
    }
    bytes
}

#[test]
fn seeds_and_changed_seeds_cause_no_fault() {
    let cases = if std::env::var_os("CHASLES_LONG").is_some() { 30_000 } else { 300 };
    for target in TARGETS {
        (target.seeds)().iter().for_each(|seed| (target.run)(seed));
        (target.run)(b"");
        for seed in 0..cases {
            let bytes = changed(&target, &mut Random(seed));
            let caught = std::panic::catch_unwind(|| (target.run)(&bytes));
            assert!(caught.is_ok(), "{}, seed {seed}", target.name);
        }
    }
}

#[test]
fn every_target_has_its_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let names: BTreeSet<_> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(names.len(), TARGETS.len());
    let contributing = std::fs::read_to_string(folder.join("../CONTRIBUTING.md")).unwrap();
    assert_eq!(std::fs::read_dir(folder.join("fuzz_targets")).unwrap().count(), names.len());
    for name in names {
        assert!(contributing.contains(&format!("`{name}`")), "{name} in CONTRIBUTING.md");
        assert_eq!(target(name).map(|target| target.name), Some(name));
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
        let file = std::fs::read_to_string(folder.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(file.contains(&format!("run(\"{name}\")")) || file.contains("chasles_fuzz::"), "{name}");
    }
}
