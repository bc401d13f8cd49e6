//! The arrows of `docs/ARCHITECTURE.md`, checked: who may depend on whom, and what stays out of which crate.
//!
//! A failure here is a design question, never a line to add to a list on the way to something else.

use crate::workspace::{Package, is_test, packages, root, texts};
use std::collections::BTreeMap;

/// Which of our own crates each crate may depend on. A crate that is not listed may depend on none.
const ARROWS: [(&str, &[&str]); 8] = [
    ("protocol", &[]),
    ("rules", &["protocol"]),
    ("runtime", &["protocol"]),
    ("embedder", &[]),
    ("storage", &["protocol"]),
    ("actors", &["embedder", "protocol", "rules", "runtime", "storage"]),
    ("sentient", &["actors", "embedder", "protocol", "rules", "runtime", "storage"]),
    ("tests", &["actors", "embedder", "protocol", "rules", "runtime", "sentient", "storage"]),
];

/// The language and the judgement stay free of everything that does something.
const OUTSIDE_ALLOWED: [(&str, &[&str]); 3] = [
    ("embedder", &["unicode-normalization"]),
    ("protocol", &["jiff", "schemars", "serde", "serde_json", "thiserror"]),
    (
        "rules",
        &[
            "hmac",
            "idna",
            "jiff",
            "percent-encoding",
            "serde",
            "serde-saphyr",
            "serde_json",
            "sha2",
            "unicode-normalization",
            "unicode-segmentation",
            "unicode-security",
            "url",
        ],
    ),
];

/// Crates from outside that have one home, and where that is. The benches measure ours against plain ractor and redb.
const ONE_HOME: [(&str, &[&str]); 6] = [
    ("ractor", &["runtime", "tests"]),
    ("redb", &["storage", "tests"]),
    ("tantivy", &["storage"]),
    ("axum", &["sentient", "tests"]),
    ("reqwest", &["sentient", "tests"]),
    ("keyring-core", &["sentient"]),
];

/// Where the crates that only compute are.
const PURE: [&str; 3] = ["actors/rules/src", "embedder/src", "protocol/src"];

/// What `rules`, `protocol` and `embedder` may not even name: waiting, the clock, chance, files, the network. (Addresses as values,
/// `std::net::IpAddr`, are fine.)
const IMPURE: [&str; 13] = [
    "async fn",
    ".await",
    "SystemTime::",
    "Instant::",
    "Zoned::now",
    "Timestamp::now",
    "std::fs",
    "std::net::Tcp",
    "std::net::Udp",
    "ToSocketAddrs",
    "std::process",
    "std::thread",
    "std::env",
];

fn broken_arrows(packages: &BTreeMap<String, Package>) -> Vec<String> {
    let mut broken = Vec::new();
    for (name, package) in packages {
        let allowed = ARROWS.iter().find(|(from, _)| from == name).map_or(&[][..], |(_, to)| to);
        let inner = package.dependencies.iter().chain(&package.dev_dependencies);
        for to in inner.filter(|to| packages.contains_key(*to)) {
            if !allowed.contains(&to.as_str()) {
                broken.push(format!("{name} must not depend on {to}"));
            }
        }
    }
    broken
}

fn strangers(packages: &BTreeMap<String, Package>) -> Vec<String> {
    let mut found = Vec::new();
    for (name, package) in packages {
        let outer = package.dependencies.iter().filter(|to| !packages.contains_key(*to));
        for to in outer {
            let listed = OUTSIDE_ALLOWED.iter().find(|(crate_name, _)| crate_name == name);
            if listed.is_some_and(|(_, allowed)| !allowed.contains(&to.as_str())) {
                found.push(format!("{name} must not depend on {to}: its list is closed"));
            }
            let home = ONE_HOME.iter().find(|(outside, _)| outside == to);
            if home.is_some_and(|(_, homes)| !homes.contains(&name.as_str())) {
                found.push(format!("{to} lives behind another crate, not in {name}"));
            }
        }
    }
    found
}

/// The lines of code (no comments) that hold one of `words`, as `path:line`.
fn naming(path: &str, source: &str, words: &[&str]) -> Vec<String> {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    let lines = source.lines().enumerate().map(|(number, line)| (number + 1, code(line)));
    lines
        .filter_map(|(number, line)| {
            let word = words.iter().find(|word| line.contains(**word))?;
            Some(format!("{path}:{number} names {word}"))
        })
        .collect()
}

/// A source without its test modules: tests may do what the code may not.
fn without_tests(source: &str) -> &str {
    source.find("#[cfg(test)]\nmod ").map_or(source, |at| &source[..at])
}

#[test]
fn arrows_point_one_way() {
    let broken = broken_arrows(&packages());
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_crate_is_in_the_picture() {
    let known: Vec<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    let mut names: Vec<String> = packages().into_keys().collect();
    names.sort();
    let mut want: Vec<&str> = known.clone();
    want.sort_unstable();
    assert_eq!(names, want, "a new crate is a new arrow: it gets a decision note and a line here");
}

#[test]
fn each_crate_keeps_to_its_own_outside() {
    let found = strangers(&packages());
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_pure_crates_only_compute() {
    let sources = texts(&["rs"]);
    let pure = sources.iter().filter(|(path, _)| PURE.iter().any(|crate_path| path.starts_with(crate_path)));
    let found: Vec<String> = pure
        .filter(|(path, _)| !is_test(path))
        .flat_map(|(path, source)| naming(path, without_tests(source), &IMPURE))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn only_the_runtime_names_ractor() {
    let found: Vec<String> = texts(&["rs"])
        .iter()
        .filter(|(path, _)| !path.starts_with("actors/runtime/") && !path.starts_with("tests/"))
        .flat_map(|(path, source)| naming(path, source, &["ractor::"]))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// Invariant 6: two engines in one process share nothing, so nothing that changes is a static.
#[test]
fn nothing_that_changes_is_a_static() {
    const CHANGING: [&str; 6] = ["static mut ", "Mutex<", "RwLock<", "Atomic", "OnceLock<", "ArcSwap<"];
    let found: Vec<String> = texts(&["rs"])
        .iter()
        .filter(|(path, _)| !is_test(path))
        .flat_map(|(path, source)| {
            let statics = without_tests(source).lines().enumerate().filter(|(_, line)| is_static(line));
            let changing = statics.filter(|(_, line)| CHANGING.iter().any(|word| line.contains(word)));
            changing.map(|(number, line)| format!("{path}:{} {}", number + 1, line.trim())).collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

fn is_static(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub ")).unwrap_or(line);
    line.starts_with("static ")
}

#[test]
fn every_crate_takes_the_workspace_lints() {
    for (name, package) in packages() {
        let path = root().join(&package.manifest);
        let manifest = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(manifest.contains("[lints]\nworkspace = true"), "{name} does not take the lints of the workspace");
        assert!(manifest.contains("publish.workspace = true"), "{name} could be published by accident");
    }
}

mod the_checks_themselves {
    use super::*;

    fn world(list: &[(&str, &[&str])]) -> BTreeMap<String, Package> {
        let package = |to: &[&str]| Package {
            dependencies: to.iter().map(|name| (*name).to_owned()).collect(),
            ..Package::default()
        };
        list.iter().map(|(name, to)| ((*name).to_owned(), package(to))).collect()
    }

    #[test]
    fn arrows() {
        let storage: (&str, &[&str]) = ("storage", &["protocol"]);
        for (name, runtime, want) in [
            ("down is fine", &["protocol"][..], vec![]),
            ("sideways is not", &["storage"], vec!["runtime must not depend on storage".to_owned()]),
            ("outside is not an arrow", &["tokio"], vec![]),
        ] {
            let packages = world(&[("protocol", &[]), storage, ("runtime", runtime)]);
            assert_eq!(broken_arrows(&packages), want, "{name}");
        }
        let upwards = world(&[("protocol", &["actors"]), ("actors", &[])]);
        assert_eq!(broken_arrows(&upwards), ["protocol must not depend on actors"], "upwards");
        let mut in_tests = world(&[("rules", &[]), ("storage", &[])]);
        in_tests.get_mut("rules").expect("just made").dev_dependencies.push("storage".into());
        assert_eq!(broken_arrows(&in_tests), ["rules must not depend on storage"], "an arrow for tests is an arrow");
    }

    #[test]
    fn outside() {
        for (name, crate_name, to, count) in [
            ("rules have no runtime", "rules", "tokio", 1),
            ("protocol has no runtime", "protocol", "tokio", 1),
            ("storage may have one", "storage", "tokio", 0),
            ("ractor has one home", "actors", "ractor", 1),
            ("and that is it", "runtime", "ractor", 0),
            ("the web server stays at the edge", "actors", "axum", 1),
        ] {
            assert_eq!(strangers(&world(&[(crate_name, &[to])])).len(), count, "{name}");
        }
    }

    #[test]
    fn words_in_code() {
        for (name, source, count) in [
            ("code counts", "let now = SystemTime::now();", 1),
            ("a comment does not", "// SystemTime::now() is not ours", 0),
            ("a comment behind code does not", "let a = 1; // std::fs", 0),
            ("async counts", "pub async fn wait() {}", 1),
            ("an address is a value", "use std::net::IpAddr;", 0),
        ] {
            assert_eq!(naming("a.rs", source, &IMPURE).len(), count, "{name}");
        }
        assert_eq!(without_tests("fn a() {}\n#[cfg(test)]\nmod tests { use std::fs; }"), "fn a() {}\n");
        assert!(is_static("    pub(crate) static A: u8 = 1;") && !is_static("let a: &'static str = b;"));
    }
}
