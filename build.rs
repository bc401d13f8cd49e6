//! Lists the files of `web/` with their bytes, so that the window is part of the program and no list is kept by hand.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| io::Error::other("cargo names the crate's folder"))?;
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo names an output folder"))?;
    let web = Path::new(&root).join("web");
    tell_cargo("build.rs");
    tell_cargo("web");
    let mut files = Vec::new();
    if web.is_dir() {
        collect(&web, "", &mut files)?;
    }
    files.sort();
    let mut rows = String::new();
    for (address, path) in &files {
        let tag = format!("\"{:016x}\"", hash(&fs::read(path)?));
        rows += &format!("    File {{ address: {address:?}, tag: {tag:?}, bytes: include_bytes!({path:?}) }},\n");
    }
    fs::write(Path::new(&out).join("window.rs"), format!("&[\n{rows}]\n"))
}

/// FNV-1a with 64 bits: it only has to tell one version of a file from the next.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Adds every file below `folder`, hidden ones left out, with the address it is served at.
fn collect(folder: &Path, below: &str, files: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|name| io::Error::other(format!("{name:?} is no text")))?;
        let address = format!("{below}/{name}");
        if name.starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &address, files)?;
        } else {
            files.push((address, entry.path().to_string_lossy().into_owned()));
        }
    }
    Ok(())
}

fn tell_cargo(path: &str) {
    println!("cargo::rerun-if-changed={path}");
}
