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
    let mut tagged = Vec::new();
    for (address, path) in files {
        let tag = hash(&fs::read(&path)?);
        tagged.push((address, path, tag));
    }
    let list = Path::new(&out).join("window.json");
    fs::write(&list, listing(&tagged))?;
    let list_tag = hash(&fs::read(&list)?);
    tagged.push((LIST.to_owned(), list.to_string_lossy().into_owned(), list_tag));
    let rows: String = tagged
        .iter()
        .map(|(address, _, tag)| {
            let path = in_place(address);
            format!(
                "    File {{ address: {address:?}, tag: \"\\\"{tag:016x}\\\"\", bytes: include_bytes!({path}) }},\n"
            )
        })
        .collect();
    fs::write(Path::new(&out).join("window.rs"), format!("&[\n{rows}]\n"))
}

/// The address of the list itself.
const LIST: &str = "/window.json";

/// Where the compiler finds a file. Said by variables and not by a path, so that the output of this script holds when the
/// checkout is moved and cargo takes it from its cache.
fn in_place(address: &str) -> String {
    if address == LIST {
        return format!(r#"concat!(env!("OUT_DIR"), {address:?})"#);
    }
    format!(r#"concat!(env!("CARGO_MANIFEST_DIR"), "/web", {address:?})"#)
}

/// What the window's worker keeps for when the engine is down: every file but itself and the papers, and one version of
/// them all.
fn listing(files: &[(String, String, u64)]) -> String {
    let kept = |address: &str| address != "/sw.js" && !matches!(address.rsplit_once('.'), Some((_, "md" | "txt")));
    let kept: Vec<_> = files.iter().filter(|(address, ..)| kept(address)).collect();
    let all: String = kept.iter().map(|(address, _, tag)| format!("{address} {tag:016x}\n")).collect();
    let names: Vec<String> = kept.iter().map(|(address, ..)| format!("{address:?}")).collect();
    format!("{{\"version\":\"{:016x}\",\"files\":[{}]}}\n", hash(all.as_bytes()), names.join(","))
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
