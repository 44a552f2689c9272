//! The same seed gives the same file, to the last byte, on every machine; and a file's raw samples give its estimates.
//!
//! `BLESS=1 cargo test` writes the golden files anew: every difference is a change of what is measured or of what follows.

use std::path::PathBuf;
use std::{env, fs};

use opfs_bench_core::estimate::estimate;
use opfs_bench_core::result::{GroupResult, RunResult};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::simulate::{NoiseKind, run};

use super::samples::{device, job};

const FILES: [(&str, NoiseKind, Seed); 2] =
    [("phone.json", NoiseKind::Phone, Seed(0x0bad_cafe)), ("coarse-clock.json", NoiseKind::Tick100us, Seed(0x5eed))];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/simulate").join(name)
}

#[test]
fn the_same_seed_gives_the_golden_file() {
    for (name, kind, seed) in FILES {
        let found = run(&job(), seed, &mut device(kind, seed)).to_json() + "\n";
        let path = path(name);
        if env::var_os("BLESS").is_some() {
            fs::create_dir_all(path.parent().expect("has a folder")).expect("the folder can be made");
            fs::write(&path, found).expect("the golden file can be written");
            continue;
        }
        let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}; write it with BLESS=1", path.display()));
        let differs = expected.bytes().zip(found.bytes()).position(|(expected, found)| expected != found);
        let around = |text: &str, at: usize| text[at.saturating_sub(100)..text.len().min(at + 100)].to_owned();
        if let Some(at) = differs.or_else(|| (expected.len() != found.len()).then(|| expected.len().min(found.len()))) {
            let (expected, found) = (around(&expected, at), around(&found, at));
            panic!("{name}, byte {at}: expected\n  {expected}\nfound\n  {found}\nIf that is right, BLESS=1 cargo test");
        }
    }
}

#[test]
fn a_golden_file_s_samples_give_its_estimates() {
    for (name, _, seed) in FILES {
        let text = fs::read_to_string(path(name)).expect("a golden file");
        let result = RunResult::from_json(&text).expect("a result");
        assert_eq!(result.seed, seed);
        assert_eq!(result.groups.len(), 2, "{name}");
        let mut again = result.clone();
        for GroupResult { record, estimates, .. } in again.groups.iter_mut().chain(&mut again.superseded) {
            *estimates = estimate(record, seed);
        }
        assert_eq!(again, result, "{name}");
        assert_eq!(again.to_json() + "\n", text, "{name}");
    }
}
