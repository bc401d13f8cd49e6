//! Runs one script to its end.

use super::calls::{Calls, Seen, Shared};
use super::{CODE_CHARS_MAX, Sandbox};
use crate::gate::{Gate, Standing};
use crate::ports::{
    Ending, Output, OutputSink, ScriptBackend, ScriptEnd, ScriptFault, ScriptJob, ScriptLimits, TooMuch,
};
use crate::snapshots::Kept;
use crate::tools::ToolCtx;
use protocol::config;
use protocol::sandbox::SandboxResult;
use protocol::tools::{Progress, ProgressKind};
use protocol::{Error, ErrorKind};
use rules::console::{Console, Keep};
use rules::gate::Surface;
use serde_json::Value;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use storage::records::SnapshotSource;
use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// A script somebody wants to run.
#[derive(Clone, Debug)]
pub struct ScriptRun {
    pub code: String,
    /// Its calls only look things up ("Run again", checks of tasks).
    pub look_ups_only: bool,
}

/// The two outputs of a script.
struct Outputs {
    stdout: Console,
    stderr: Console,
}

fn held(outputs: &Mutex<Outputs>) -> MutexGuard<'_, Outputs> {
    outputs.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sandbox {
    /// Runs a script. What goes wrong is told in the result.
    pub async fn run(&self, script: ScriptRun, ctx: &ToolCtx) -> SandboxResult {
        let settings = self.config().sandbox.clone();
        let began = Instant::now();
        let outputs = Arc::new(Mutex::new(Outputs {
            stdout: Console::new(Keep::Start, size(settings.max_output_chars)),
            stderr: Console::new(Keep::Start, size(settings.max_output_chars)),
        }));
        let calls = self.calls(&script, &settings, ctx);
        let ended = match &calls {
            Ok(calls) => {
                let kept = self.keep(&script.code, ctx).await;
                let job = ScriptJob { run_id: self.world.id(), code: script.code, limits: limits(&settings) };
                let ended = self.ended(job, calls.clone(), sink(&outputs, ctx), ctx).await;
                kept.settle().await;
                ended
            }
            Err(error) => Err(error.clone()),
        };
        let (stdout, stderr) = {
            let mut outputs = held(&outputs);
            for output in [Output::Stdout, Output::Stderr] {
                let fresh = of(&mut outputs, output).end();
                show(output, fresh.text, ctx);
            }
            (outputs.stdout.shown(), outputs.stderr.shown())
        };
        let result = SandboxResult {
            ok: false,
            backend: "process".into(),
            stdout,
            stderr,
            result: Value::Null,
            files_created: Vec::new(),
            tool_calls: calls.map_or(0, |calls| calls.ran.load(Ordering::Relaxed)),
            duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            error: None,
        };
        match ended {
            Err(error) => SandboxResult { error: Some(error.detail()), ..result },
            Ok(end) => {
                let error = why_not(&end, settings.timeout_s);
                SandboxResult {
                    ok: error.is_none(),
                    backend: backend_name(end.backend).into(),
                    result: end.result.unwrap_or_default(),
                    files_created: end.files,
                    error: error.or(end.left_out),
                    ..result
                }
            }
        }
    }

    /// Copies what the script could change, where it could write outside its own folder: behind closed doors, as in
    /// Docker, it cannot, and nothing needs a copy (contract section 10, "File snapshots").
    async fn keep(&self, code: &str, ctx: &ToolCtx) -> Kept {
        let config = self.config();
        let state = self.scripts.state(config.sandbox.backend).await;
        if state.backend == ScriptBackend::Docker || state.doors.writes {
            return Kept::default();
        }
        let roots = self.terminal.changeable(None).await;
        ctx.keep_files(SnapshotSource::Code, code.lines().next().unwrap_or_default(), roots).await
    }

    fn calls(&self, script: &ScriptRun, settings: &config::Sandbox, ctx: &ToolCtx) -> Result<Arc<Calls>, Error> {
        if !settings.enabled {
            return Err(Error::new(ErrorKind::Denied, "Running scripts is turned off.")
                .hint("The user can turn it on in Settings > Scripts."));
        }
        if script.code.trim().is_empty() {
            return Err(Error::invalid("There is no code to run. Write the script."));
        }
        if script.code.chars().count() > CODE_CHARS_MAX {
            return Err(Error::invalid(format!(
                "The script is longer than {CODE_CHARS_MAX} characters. Write data to a file and read it instead."
            )));
        }
        let tools = self.tools.get().and_then(std::sync::Weak::upgrade);
        let tools =
            tools.ok_or_else(|| Error::new(ErrorKind::Unavailable, "The tools are not ready yet. Try again."))?;
        let alone = || Gate::new(tools.clone(), self.config.clone(), Standing::nothing(self.world.clock.clone()));
        let gate = ctx.gate.clone().unwrap_or_else(alone);
        Ok(Arc::new(Calls {
            tools,
            config: self.config.clone(),
            surface: Surface::Script { look_ups_only: script.look_ups_only },
            unprompted: ctx.unprompted,
            gate,
            calls_max: settings.max_tool_calls,
            ctx: ctx.quiet(),
            ran: AtomicU32::new(0),
            seen: Mutex::new(Seen { outside: ctx.untrusted.clone(), hosts: ctx.visited_hosts.clone() }),
        }))
    }

    async fn ended(
        &self,
        job: ScriptJob,
        calls: Arc<Calls>,
        output: OutputSink,
        ctx: &ToolCtx,
    ) -> Result<ScriptEnd, Error> {
        let stopped = || Error::new(ErrorKind::Cancelled, "The script was stopped before it finished.");
        // Each run takes its share of all permits, so that as many run at once as the setting says.
        let at_once = self.config().sandbox.max_concurrent_runs.max(1);
        let permits = u32::try_from(super::RUNS_MAX).unwrap_or(1) / at_once;
        let _turn = tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => return Err(stopped()),
            turn = self.runs.acquire_many(permits.max(1)) => turn.map_err(|_| stopped())?,
        };
        let stop = CancellationToken::new();
        let running = self.scripts.run(job, Arc::new(Shared(calls)), output, stop);
        tokio::select! {
            biased;
            // Dropping the run ends every process of it.
            () = ctx.cancel.cancelled() => Err(stopped()),
            ended = running => ended,
        }
    }
}

fn size(chars: u32) -> usize {
    usize::try_from(chars).unwrap_or(usize::MAX)
}

fn limits(settings: &config::Sandbox) -> ScriptLimits {
    ScriptLimits {
        backend: settings.backend,
        time_max: Duration::from_secs(u64::from(settings.timeout_s)),
        files_max: size(settings.max_files),
        file_bytes_max: u64::from(settings.max_file_mb) * 1024 * 1024,
        keep_folder: settings.keep_workdirs,
        docker_image: settings.docker_image.clone(),
        docker_memory_mb: settings.docker_memory_mb,
        docker_cpus: settings.docker_cpus,
        docker_network: settings.allow_network_in_docker,
    }
}

pub(super) fn backend_name(backend: ScriptBackend) -> &'static str {
    match backend {
        ScriptBackend::Process => "process",
        ScriptBackend::Docker => "docker",
    }
}

fn of(outputs: &mut Outputs, output: Output) -> &mut Console {
    match output {
        Output::Stdout => &mut outputs.stdout,
        Output::Stderr => &mut outputs.stderr,
    }
}

fn sink(outputs: &Arc<Mutex<Outputs>>, ctx: &ToolCtx) -> OutputSink {
    let (outputs, ctx) = (outputs.clone(), ctx.clone());
    Arc::new(move |output, bytes| {
        let fresh = of(&mut held(&outputs), output).push(bytes);
        show(output, fresh.text, &ctx);
    })
}

fn show(output: Output, text: String, ctx: &ToolCtx) {
    if text.is_empty() {
        return;
    }
    let kind = match output {
        Output::Stdout => ProgressKind::Stdout,
        Output::Stderr => ProgressKind::Stderr,
    };
    ctx.progress(Progress { kind, text: Some(text), image: None, data: None });
}

/// The plain sentence of a script that did not come to its end.
fn why_not(end: &ScriptEnd, timeout_s: u32) -> Option<String> {
    match (&end.ending, &end.fault) {
        (Ending::TimedOut, _) => {
            Some(format!("The script took longer than {timeout_s} seconds and was stopped. Do less in one script."))
        }
        (Ending::Stopped, _) => Some("The script was stopped before it finished.".into()),
        (Ending::TooMuch(TooMuch::Memory), _) => {
            Some("The script used more memory than a script may, and was stopped. Work on less at a time.".into())
        }
        (Ending::TooMuch(TooMuch::Processes), _) => {
            Some("The script started more processes than a script may, and was stopped.".into())
        }
        (Ending::Exited(_), Some(fault)) => Some(fault_words(fault)),
        (Ending::Exited(0), None) => None,
        (Ending::Exited(code), None) if *code > 128 => Some(format!(
            "The script was ended by the system (signal {}). It may have used too much memory.",
            code - 128
        )),
        (Ending::Exited(code), None) => Some(format!("The script ended with exit code {code}.")),
    }
}

fn fault_words(fault: &ScriptFault) -> String {
    let place = match (fault.line, fault.text.trim()) {
        (Some(line), "") => format!(" on line {line}"),
        (Some(line), text) => format!(" on line {line} (`{text}`)"),
        (None, _) => String::new(),
    };
    let message = fault.message.trim().trim_end_matches('.');
    if fault.is_syntax {
        return format!("The script has a syntax error{place}: {message}. Nothing ran.");
    }
    let said = if message.is_empty() { fault.kind.clone() } else { format!("{}: {message}", fault.kind) };
    format!("The script failed{place}: {said}.")
}
