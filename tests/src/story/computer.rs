//! A computer for stories: two folders, a shell that does as its command says, and scripts made of tool calls. What really
//! ran is in the log of tools as `command` and `script`.

use crate::story::ToolLog;
use actors::ports::{
    CommandJob, Ending, Output, OutputSink, ScriptAnswer, ScriptBackend, ScriptCalls, ScriptEnd, ScriptJob, Scripts,
    ScriptsState, Shell, Shells,
};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use protocol::Error;
use protocol::config::SandboxBackend;
use protocol::sandbox::SandboxDoors;
use rules::commands::Repository;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::time::{Duration, sleep};
use tokio_util::sync::CancellationToken;

/// `/home/maya/site` is there, and a link in it leads to `/etc`. `sleep N` takes a second each; all else prints its own
/// words and ends well.
pub(super) struct TestShells(pub(super) ToolLog);

impl Shells for TestShells {
    fn shell(&self) -> Option<Shell> {
        Some(Shell { name: "bash".into(), path: "/bin/bash".into() })
    }

    fn os(&self) -> &'static str {
        "linux"
    }

    fn folder(&self, name: &str, base: Option<&str>) -> Option<String> {
        let whole = if name.starts_with('/') { name.to_owned() } else { format!("{}/{name}", base?) };
        match whole.as_str() {
            "/home/maya/site" | "/etc" => Some(whole),
            "/home/maya/site/link" => Some("/etc".into()),
            _ => None,
        }
    }

    fn repository(&self, _: &str) -> Option<Repository> {
        None
    }

    fn home(&self) -> Option<String> {
        Some("/home/maya".into())
    }

    fn data(&self) -> String {
        "/home/maya/.sentient".into()
    }

    fn environment(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn run(
        &self,
        job: CommandJob,
        output: OutputSink,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<Ending, Error>> {
        self.0.add("command", &json!({ "command": job.command }));
        let log = self.0.clone();
        async move {
            output(Output::Stdout, format!("ran: {}\n", job.command).as_bytes());
            let seconds = job.command.strip_prefix("sleep ").and_then(|text| text.parse().ok()).unwrap_or(0);
            let ending = tokio::select! {
                biased;
                () = stop.cancelled() => Ending::Stopped,
                () = sleep(job.time_max) => Ending::TimedOut,
                () = sleep(Duration::from_secs(seconds)) => Ending::Exited(0),
            };
            log.add("command_ended", &Value::Null);
            Ok(ending)
        }
        .boxed()
    }
}

/// Each line of a script is `NAME ARGUMENTS`, a tool call whose answer is printed.
pub(super) struct TestScripts(pub(super) ToolLog);

impl Scripts for TestScripts {
    fn state(&self, _: SandboxBackend) -> BoxFuture<'static, ScriptsState> {
        let doors = SandboxDoors::default();
        ready(ScriptsState { backend: ScriptBackend::Process, docker_available: false, python_version: None, doors })
            .boxed()
    }

    fn warning(&self, _: SandboxBackend) -> Option<String> {
        Some("On this computer a script is not fully confined: it could use the network.".into())
    }

    fn run(
        &self,
        job: ScriptJob,
        calls: Arc<dyn ScriptCalls>,
        output: OutputSink,
        _: CancellationToken,
    ) -> BoxFuture<'static, Result<ScriptEnd, Error>> {
        self.0.add("script", &json!({ "code": job.code }));
        async move {
            for line in job.code.lines() {
                let (name, arguments) = line.split_once(' ').unwrap_or((line, "{}"));
                let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
                let said = match calls.call(name.to_owned(), arguments).await {
                    ScriptAnswer::Result(result) => format!("result {result}\n"),
                    ScriptAnswer::Refused(why) => format!("refused {why}\n"),
                    ScriptAnswer::Failed(why) => format!("failed {why}\n"),
                };
                output(Output::Stdout, said.as_bytes());
            }
            Ok(ScriptEnd {
                backend: ScriptBackend::Process,
                ending: Ending::Exited(0),
                fault: None,
                result: None,
                files: Vec::new(),
                left_out: None,
            })
        }
        .boxed()
    }
}
