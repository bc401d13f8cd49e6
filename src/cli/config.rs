//! `sentient config`: looks at the configuration without an engine. It never writes.

use super::Failure;
use crate::config_file::ConfigFile;
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
        .map_err(|cause| protocol::Error::internal(format!("The settings cannot be written down: {cause}.")))?;
    Ok(out.write_all(yaml.as_bytes())?)
}

pub(super) fn schema(out: &mut impl Write) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, &protocol::config::schema()).map_err(std::io::Error::from)?;
    Ok(writeln!(out)?)
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
        let mut json = Vec::new();
        assert!(schema(&mut json).is_ok());
        assert!(serde_json::from_slice::<serde_json::Value>(&json).is_ok());
    }
}
