//! `sentient doctor`: what is set up, what is missing, what to do. Works without an engine, reads only, and never prints
//! a secret.

use crate::assemble::outside;
use crate::config_file::{ConfigFile, Loaded};
use crate::environment::Environment;
use crate::serve::files::DISCOVERY_FILE;
use actors::ports::Models;
use protocol::config::Config;
use protocol::model::ModelRole;
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
pub(super) async fn examine(home: PathBuf, environment: Environment) -> Vec<Finding> {
    let (_, loaded) = ConfigFile::open(super::config::file(&home));
    let mut findings = vec![folder(&home), settings(&loaded), running(&home)];
    findings.extend(models(&home, &environment, &loaded.config).await);
    findings
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

fn settings(loaded: &Loaded) -> Finding {
    const WHAT: &str = "Settings";
    match loaded.problems.as_slice() {
        [] => Finding::well(WHAT, "config.yaml is fine, or not there and all is at its default."),
        [first, ..] if !loaded.readable => Finding::missing(WHAT, format!("{first} Repair or move the file.")),
        [first] => Finding::note(WHAT, first.to_string()),
        [first, rest @ ..] => Finding::note(WHAT, format!("{first} And {} more.", rest.len())),
    }
}

/// Where keys can be kept, and whether the two models every chat needs could answer. Nothing is sent to a cloud.
async fn models(home: &Path, environment: &Environment, config: &Config) -> Vec<Finding> {
    let outside = match outside(home, environment, config) {
        Ok(outside) => outside,
        Err(error) => return vec![Finding::missing("Models", error.detail())],
    };
    let state = outside.secrets.state().await;
    let keys = if state.can_save { Finding::well("Keys", state.detail) } else { Finding::note("Keys", state.detail) };
    let mut findings = vec![keys];
    for (what, role) in [("Chat model", ModelRole::Primary), ("Small model", ModelRole::Fast)] {
        let model = config.models.roles.get(role).clone();
        let base = actors::models::api_base(config, &model);
        findings.push(match outside.models.ready(model.clone(), base).await {
            Ok(()) => Finding::well(what, model.to_string()),
            Err(error) => Finding::missing(what, format!("{model}: {}", error.message)),
        });
    }
    findings
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

    #[test]
    fn settings_that_cannot_be_read_are_missing_and_odd_ones_only_noted() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("config.yaml");
        for (text, want) in [("", State::Well), ("assistant:\n  nmae: Iris\n", State::Note), ("a: [", State::Missing)] {
            std::fs::write(&path, text).expect("written");
            let (_, loaded) = ConfigFile::open(&path);
            assert!(settings(&loaded).state == want, "{text}");
        }
    }

    #[tokio::test]
    async fn a_model_that_could_answer_is_told_from_one_that_lacks_its_key() {
        let home = tempfile::tempdir().expect("a folder");
        let environment = Environment::of([]).with_home(home.path().to_owned());
        let mut config = Config::default();
        config.secrets.file = true;
        config.models.roles.primary = protocol::model::ModelName("scripted/tour".into());
        config.models.roles.fast = protocol::model::ModelName("openai/gpt-5".into());
        let findings = models(home.path(), &environment, &config).await;
        let states: Vec<_> = findings.iter().map(|finding| (finding.what, finding.is_well())).collect();
        assert_eq!(states, [("Keys", true), ("Chat model", true), ("Small model", false)]);
    }
}
