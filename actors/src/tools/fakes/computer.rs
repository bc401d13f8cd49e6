//! A computer for tests: folders by name, a shell that prints what it is told, and scripts made of tool calls.

use crate::ports::{
    CommandJob, Ending, Output, OutputSink, ScriptAnswer, ScriptBackend, ScriptCalls, ScriptEnd, ScriptFault,
    ScriptJob, Scripts, ScriptsState, Shell, Shells,
};
use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use protocol::Error;
use protocol::config::SandboxBackend;
use protocol::sandbox::SandboxDoors;
use rules::commands::Repository;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// A shell whose commands are `print N`, `exit N`, `hang` and `fail`; it remembers what it was given.
#[derive(Default)]
pub(crate) struct FakeShells {
    pub(crate) jobs: Mutex<Vec<CommandJob>>,
    /// Commands that hang and were given up.
    pub(crate) dropped: Arc<Mutex<usize>>,
    /// The settings of a repository that every folder is in.
    pub(crate) git_settings: Mutex<Option<String>>,
}

/// Counts when it is dropped.
struct Given(Arc<Mutex<usize>>);

impl Drop for Given {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    }
}

/// Folders there are, and where links lead.
const FOLDERS: [(&str, &str); 5] = [
    ("/home/maya/site", "/home/maya/site"),
    ("/home/maya/site/src", "/home/maya/site/src"),
    ("/home/maya/site/link", "/etc"),
    ("/home/maya/other", "/home/maya/other"),
    ("/etc", "/etc"),
];

impl Shells for FakeShells {
    fn shell(&self) -> Option<Shell> {
        Some(Shell { name: "bash".into(), path: "/bin/bash".into() })
    }

    fn os(&self) -> &'static str {
        "linux"
    }

    fn folder(&self, name: &str, base: Option<&str>) -> Option<String> {
        let whole = if name.starts_with('/') { name.to_owned() } else { format!("{}/{name}", base?) };
        FOLDERS.iter().find(|(known, _)| *known == whole).map(|(_, real)| (*real).to_owned())
    }

    fn repository(&self, _: &str) -> Option<Repository> {
        let settings = self.git_settings.lock().expect("no panic").clone();
        settings.map(|text| Repository { settings: vec![text.into_bytes()], ..Repository::default() })
    }

    fn home(&self) -> Option<String> {
        Some("/home/maya".into())
    }

    fn data(&self) -> String {
        "/home/maya/.sentient".into()
    }

    fn environment(&self) -> Vec<(String, String)> {
        let variables = [
            ("PATH", "/bin"),
            ("OPENAI_API_KEY", "k"),
            ("SENTIENT_HOME", "/x"),
            ("MY_MODEL", "k"),
            ("SSH_AUTH_SOCK", "/s"),
        ];
        variables.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    }

    fn run(
        &self,
        job: CommandJob,
        output: OutputSink,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<Ending, Error>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).push(job.clone());
        let dropped = self.dropped.clone();
        async move {
            let (word, number) = job.command.split_once(' ').unwrap_or((&job.command, "0"));
            let number: usize = number.parse().unwrap_or(0);
            match word {
                "print" => output(Output::Stdout, "x".repeat(number).as_bytes()),
                "exit" => return Ok(Ending::Exited(i32::try_from(number).unwrap_or(1))),
                "slow" => return Ok(Ending::TimedOut),
                "fail" => return Err(Error::internal("no shell")),
                "hang" => {
                    let _given = Given(dropped);
                    output(Output::Stdout, b"begun\n");
                    tokio::select! {
                        biased;
                        () = stop.cancelled() => return Ok(Ending::Stopped),
                        () = pending() => (),
                    }
                }
                _ => {
                    output(Output::Stdout, b"out\r\n");
                    output(Output::Stderr, b"\x1b[31merr\x1b[0m");
                }
            }
            Ok(Ending::Exited(0))
        }
        .boxed()
    }
}

/// Scripts whose lines are `print WORDS`, `call NAME ARGUMENTS`, `names`, `raise WORDS`, `hang`; what calls came to is printed.
#[derive(Default)]
pub(crate) struct FakeScripts {
    pub(crate) warning: Option<String>,
}

impl Scripts for FakeScripts {
    fn state(&self, _: SandboxBackend) -> BoxFuture<'static, ScriptsState> {
        let doors = SandboxDoors { warning: self.warning.clone(), ..SandboxDoors::default() };
        let python_version = Some("3.12.1".to_owned());
        async move { ScriptsState { backend: ScriptBackend::Process, docker_available: false, python_version, doors } }
            .boxed()
    }

    fn warning(&self, _: SandboxBackend) -> Option<String> {
        self.warning.clone()
    }

    fn run(
        &self,
        job: ScriptJob,
        calls: Arc<dyn ScriptCalls>,
        output: OutputSink,
        _: CancellationToken,
    ) -> BoxFuture<'static, Result<ScriptEnd, Error>> {
        async move {
            let mut end = ScriptEnd {
                backend: ScriptBackend::Process,
                ending: Ending::Exited(0),
                fault: None,
                result: None,
                files: Vec::new(),
                left_out: None,
            };
            for (number, line) in job.code.lines().enumerate() {
                let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
                match word {
                    "print" => output(Output::Stdout, format!("{rest}\n").as_bytes()),
                    "names" => output(Output::Stdout, format!("{}\n", calls.available().join(" ")).as_bytes()),
                    "call" => {
                        let (name, arguments) = rest.split_once(' ').unwrap_or((rest, "{}"));
                        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
                        let said = match calls.call(name.to_owned(), arguments).await {
                            ScriptAnswer::Result(result) => format!("result {result}\n"),
                            ScriptAnswer::Refused(why) => format!("refused {why}\n"),
                            ScriptAnswer::Failed(why) => format!("failed {why}\n"),
                        };
                        output(Output::Stdout, said.as_bytes());
                    }
                    "result" => end.result = serde_json::from_str(rest).ok(),
                    "file" => end.files.push(format!("outputs/{}/{rest}", job.run_id)),
                    "raise" => {
                        let line_number = u32::try_from(number + 1).ok();
                        let text = line.to_owned();
                        end.fault = Some(ScriptFault {
                            kind: "ValueError".into(),
                            message: rest.into(),
                            line: line_number,
                            text,
                            is_syntax: false,
                        });
                        end.ending = Ending::Exited(1);
                        break;
                    }
                    "hang" => pending().await,
                    "slow" => end.ending = Ending::TimedOut,
                    _ => (),
                }
            }
            Ok(end)
        }
        .boxed()
    }
}
