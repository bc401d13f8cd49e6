//! `sentient stop` and `sentient resume`: presses the switch of the engine that runs on this home.

use super::Failure;
use crate::adapters::http::install_crypto;
use crate::environment::Environment;
use crate::serve::files::{DISCOVERY_FILE, TOKEN_FILE};
use protocol::engine::StopState;
use protocol::{Error, ErrorKind};
use serde::Deserialize;
use std::io::Write;
use std::path::Path;
use tokio::time::Duration;

/// How long the engine may take to answer: a stop waits for the ends of what it stopped.
const ANSWER_WAIT_MAX: Duration = Duration::from_secs(20);
/// What the state says of where it was pressed.
const SOURCE: &str = "cli";

/// Which way the switch goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Press {
    Stop,
    Resume,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(flatten)]
    state: StopState,
    #[serde(default)]
    cancelled: usize,
}

#[derive(Deserialize)]
struct Refusal {
    detail: String,
}

/// Presses it.
///
/// # Errors
/// No engine runs on this home, or it does not answer.
pub(super) async fn press(home: &Path, environment: &Environment, press: Press) -> Result<String, Error> {
    let address = address(home)?;
    let token = match &environment.gateway_token {
        Some(token) => token.expose().to_owned(),
        None => std::fs::read_to_string(home.join(TOKEN_FILE)).map_err(|_| not_running())?.trim().to_owned(),
    };
    let path = if press == Press::Stop { "stop-all" } else { "resume" };
    install_crypto();
    let builder = reqwest::Client::builder().no_proxy().tls_certs_only([]).timeout(ANSWER_WAIT_MAX);
    let client = builder.build().map_err(unreachable)?;
    let request = client.post(format!("{address}/api/{path}")).bearer_auth(token);
    let response = request.json(&serde_json::json!({ "source": SOURCE })).send().await.map_err(unreachable)?;
    let is_done = response.status().is_success();
    let bytes = response.bytes().await.map_err(unreachable)?;
    if !is_done {
        let refusal: Option<Refusal> = serde_json::from_slice(&bytes).ok();
        let message = refusal.map_or_else(|| "The engine refused.".to_owned(), |refusal| refusal.detail);
        return Err(Error::new(ErrorKind::Unavailable, message));
    }
    let answer: Answer = serde_json::from_slice(&bytes).map_err(|_| not_running())?;
    Ok(said(&answer))
}

/// Prints what came of it.
pub(super) fn print(said: &str, out: &mut impl Write) -> Result<(), Failure> {
    Ok(writeln!(out, "{said}")?)
}

fn said(answer: &Answer) -> String {
    match (answer.state.stopped, answer.cancelled) {
        (true, 0) => "Stopped. Nothing was running. `sentient resume` lets work begin again.".into(),
        (true, 1) => "Stopped. One running job was ended. `sentient resume` lets work begin again.".into(),
        (true, jobs) => format!("Stopped. {jobs} running jobs were ended. `sentient resume` lets work begin again."),
        (false, _) => "Work may begin again.".into(),
    }
}

/// Where the engine of this home says that it answers.
fn address(home: &Path) -> Result<String, Error> {
    let read = std::fs::read(home.join(DISCOVERY_FILE)).map_err(|_| not_running())?;
    let said: serde_json::Value = serde_json::from_slice(&read).map_err(|_| not_running())?;
    said["address"].as_str().map(str::to_owned).ok_or_else(not_running)
}

fn not_running() -> Error {
    Error::new(ErrorKind::Unavailable, "Sentient is not running here, so there is nothing to stop.")
        .hint("Start it with `sentient`, or name its folder with --home.")
}

fn unreachable(cause: reqwest::Error) -> Error {
    let message = format!("The engine does not answer: {}.", cause.without_url());
    Error::new(ErrorKind::Unavailable, message).hint("It may have been killed. Start it with `sentient`.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_engine_that_is_not_there_is_told_in_words() {
        let home = tempfile::tempdir().expect("a folder");
        let environment = Environment::of([]);
        let error = press(home.path(), &environment, Press::Stop).await.expect_err("nobody is there");
        assert!(error.detail().contains("not running"), "{error}");
        std::fs::write(home.path().join(DISCOVERY_FILE), r#"{"address":"http://127.0.0.1:9"}"#).expect("written");
        std::fs::write(home.path().join(TOKEN_FILE), "a token for a test").expect("written");
        let error = press(home.path(), &environment, Press::Stop).await.expect_err("nobody answers");
        assert!(error.detail().contains("does not answer"), "{error}");
        assert!(!error.detail().contains("token"), "{error}");
    }

    #[test]
    fn what_was_done_is_said_in_numbers() {
        for (stopped, cancelled, want) in [
            (true, 0, "Nothing was running"),
            (true, 1, "One running job"),
            (true, 3, "3 running jobs"),
            (false, 0, "Work may begin again."),
        ] {
            let answer = Answer { state: StopState { stopped, ..StopState::default() }, cancelled };
            assert!(said(&answer).contains(want), "{want}: {}", said(&answer));
        }
    }
}
