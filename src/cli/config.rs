//! `sentient config`: looks at the configuration without an engine, and changes it through the running one, which is the
//! only one that writes the file.

use super::lists::write_json;
use super::{Failure, in_background};
use crate::config_file::ConfigFile;
use crate::environment::Environment;
use crate::terminal::Client;
use protocol::{Error, ErrorKind};
use reqwest::Method;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The settings file in the data folder.
pub(super) const FILE: &str = "config.yaml";

pub(super) fn file(home: &Path) -> PathBuf {
    home.join(FILE)
}

pub(super) fn path(home: &Path, out: &mut impl Write) -> Result<(), Failure> {
    Ok(writeln!(out, "{}", file(home).display())?)
}

/// What the next start would use, as YAML; what is wrong with the file is said on stderr by the log.
pub(super) fn show(home: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let (_, loaded) = ConfigFile::open(file(home));
    for problem in &loaded.problems {
        tracing::warn!(%problem, "config.yaml");
    }
    let yaml = serde_saphyr::to_string(&loaded.config)
        .map_err(|cause| Error::internal(format!("The settings cannot be written down: {cause}.")))?;
    Ok(out.write_all(yaml.as_bytes())?)
}

pub(super) fn schema(out: &mut impl Write) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, &protocol::config::schema()).map_err(std::io::Error::from)?;
    Ok(writeln!(out)?)
}

/// One setting as the next start would use it.
pub(super) fn get(home: &Path, key: &str, as_json: bool, out: &mut impl Write) -> Result<(), Failure> {
    let (_, loaded) = ConfigFile::open(file(home));
    let whole = serde_json::to_value(&loaded.config)
        .map_err(|cause| Error::internal(format!("The settings cannot be written down: {cause}.")))?;
    let value = find(&whole, key).ok_or_else(|| unknown(key))?;
    match value {
        Value::String(text) if !as_json => Ok(writeln!(out, "{text}")?),
        other => write_json(other, out),
    }
}

/// Changes one setting of the running engine, which checks it and writes the file.
pub(super) fn set(
    environment: &Environment,
    (key, value): (&str, &str),
    as_json: bool,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let client = Client::find(environment)?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    let patch = key.rsplit('.').fold(value, |inner, name| json!({ name: inner }));
    let saved = in_background(client.json(Method::PATCH, "/api/config", Some(&patch)))??;
    let now = find(&saved["config"], key).ok_or_else(|| unknown(key))?;
    if as_json { write_json(now, out) } else { Ok(writeln!(out, "{key} is now {now}")?) }
}

fn find<'a>(whole: &'a Value, key: &str) -> Option<&'a Value> {
    key.split('.').try_fold(whole, |value, name| value.get(name))
}

fn unknown(key: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("There is no setting {key}."))
        .hint("`sentient config show` lists all of them.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_what_a_start_would_use() {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::write(file(home.path()), "assistant:\n  name: Iris\n").expect("written");
        let mut shown = Vec::new();
        assert!(show(home.path(), &mut shown).is_ok());
        let shown = String::from_utf8(shown).expect("text");
        assert!(shown.contains("name: Iris") && shown.contains("port: 7777"), "{shown}");
        let mut name = Vec::new();
        assert!(get(home.path(), "assistant.name", false, &mut name).is_ok());
        assert_eq!(name, b"Iris\n");
        assert!(get(home.path(), "assistant.nose", false, &mut name).is_err());
        let mut json = Vec::new();
        assert!(schema(&mut json).is_ok());
        assert!(serde_json::from_slice::<Value>(&json).is_ok());
    }
}
