//! The repository as tests see it: its root, its files, and its packages. Reads only, and always in the same order.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders that hold what was built, fetched or recorded, not what was written.
const NOT_OURS: [&str; 7] = ["target", ".git", "node_modules", "vendor", "corpus", "artifacts", "golden"];

/// The top of the checkout.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests crate lies one level below the root").to_owned()
}

/// Every file that was written by hand, as `(path from the root with forward slashes, bytes)`, sorted by path.
pub(crate) fn files() -> Vec<(String, Vec<u8>)> {
    let root = root();
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let entry = entry.expect("a readable folder entry");
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().expect("a known file type");
            if kind.is_dir() && !NOT_OURS.contains(&name.as_str()) {
                folders.push(entry.path());
            } else if kind.is_file() {
                let path = entry.path();
                let inside = path.strip_prefix(&root).expect("below the root").to_string_lossy().replace('\\', "/");
                let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{inside}: {error}"));
                found.push((inside, bytes));
            }
        }
    }
    found.sort();
    found
}

/// The same, for files that are text, kept to those whose name ends in one of `extensions` (without the dot).
pub(crate) fn texts(extensions: &[&str]) -> Vec<(String, String)> {
    let wanted = |path: &str| path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension));
    files()
        .into_iter()
        .filter(|(path, _)| wanted(path))
        .map(|(path, bytes)| {
            let text = String::from_utf8(bytes).unwrap_or_else(|error| panic!("{path} is not UTF-8: {error}"));
            (path, text)
        })
        .collect()
}

/// Whether a source holds tests and nothing else.
pub(crate) fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == "tests.rs" || name.ends_with("_tests.rs") || path.contains("/tests/") || path.starts_with("tests/")
}

/// What a package depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Package {
    /// Path of its `Cargo.toml` from the root.
    pub(crate) manifest: String,
    /// Names of normal and build dependencies.
    pub(crate) dependencies: Vec<String>,
    /// Names of dependencies for tests alone.
    pub(crate) dev_dependencies: Vec<String>,
}

/// The packages of the workspace by name, as cargo itself reads them.
#[expect(clippy::disallowed_methods, reason = "the arrows are cargo's to tell; nothing but this test starts it")]
pub(crate) fn packages() -> BTreeMap<String, Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let list = metadata["packages"].as_array().expect("a list of packages");
    list.iter().map(|package| (text(&package["name"]), read(package))).collect()
}

fn read(package: &Value) -> Package {
    let manifest = PathBuf::from(text(&package["manifest_path"]));
    let top = root().canonicalize().expect("the root is there");
    let manifest = manifest.canonicalize().expect("the manifest is there");
    let manifest = manifest.strip_prefix(top).expect("inside the checkout").to_string_lossy().replace('\\', "/");
    let mut read = Package { manifest, ..Package::default() };
    for dependency in package["dependencies"].as_array().expect("a list of dependencies") {
        let list = match dependency["kind"].as_str() {
            Some("dev") => &mut read.dev_dependencies,
            _ => &mut read.dependencies,
        };
        list.push(text(&dependency["name"]));
    }
    read
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
