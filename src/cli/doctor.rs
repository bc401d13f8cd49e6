//! `sentient doctor`: what is set up, what is missing, what to do. Works without an engine, reads only, and never prints
//! a secret.

use crate::environment::Environment;
use crate::serve::files::DISCOVERY_FILE;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// One thing that was looked at.
pub(super) struct Finding {
    what: &'static str,
    state: State,
    detail: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Well,
    /// Works, but the person may want to know.
    Note,
    /// Does not work until something is done.
    Missing,
}

impl Finding {
    fn well(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, state: State::Well, detail: detail.into() }
    }

    fn note(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, state: State::Note, detail: detail.into() }
    }

    fn missing(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, state: State::Missing, detail: detail.into() }
    }

    pub(super) fn is_well(&self) -> bool {
        self.state != State::Missing
    }
}

/// Looks at everything, in the order a start needs it.
pub(super) async fn examine(home: PathBuf, _environment: Environment) -> Vec<Finding> {
    vec![folder(&home), running(&home)]
}

pub(super) fn print(findings: &[Finding], out: &mut impl Write) -> io::Result<()> {
    for Finding { what, state, detail } in findings {
        let mark = match state {
            State::Well => "ok",
            State::Note => "note",
            State::Missing => "MISSING",
        };
        writeln!(out, "{mark:<8}{what:<16}{detail}")?;
    }
    Ok(())
}

fn folder(home: &Path) -> Finding {
    const WHAT: &str = "Data folder";
    let shown = home.display();
    match std::fs::metadata(home) {
        Ok(folder) if !folder.is_dir() => Finding::missing(WHAT, format!("{shown} is not a folder.")),
        Ok(folder) if folder.permissions().readonly() => Finding::missing(
            WHAT,
            format!("{shown} may not be written to. Make it yours, or name another with --home."),
        ),
        Ok(_) => Finding::well(WHAT, shown.to_string()),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            Finding::note(WHAT, format!("{shown} is not there yet; the first start makes it."))
        }
        Err(cause) => Finding::missing(WHAT, format!("{shown} cannot be read: {cause}.")),
    }
}

fn running(home: &Path) -> Finding {
    const WHAT: &str = "Engine";
    let read = std::fs::read(home.join(DISCOVERY_FILE)).ok();
    let said: Option<serde_json::Value> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    match said.as_ref().and_then(|said| said["address"].as_str()) {
        Some(address) => Finding::well(WHAT, format!("Said to be running at {address}.")),
        None => Finding::note(WHAT, "Not running. Start it with `sentient`."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_told_from_what_is_none() {
        let home = tempfile::tempdir().expect("a folder");
        assert!(folder(home.path()).state == State::Well);
        assert!(folder(&home.path().join("new")).state == State::Note);
        let file = home.path().join("file");
        std::fs::write(&file, "").expect("written");
        assert!(!folder(&file).is_well());
        assert!(running(home.path()).detail.starts_with("Not running"));
    }
}
