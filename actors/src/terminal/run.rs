//! Runs one command to its end and says what came of it.

use super::check::Checked;
use super::{RUNNING_MAX, Running, Terminal};
use crate::ports::{CommandJob, Ending, Output, OutputSink};
use crate::snapshots::Kept;
use crate::tools::ToolCtx;
use protocol::Error;
use protocol::config::Config;
use protocol::terminal::TerminalResult;
use protocol::tools::{Progress, ProgressKind};
use rules::commands::{STOPPED, clean, git_subcommand, listed_git_settings, timed_out};
use rules::console::{Console, Fresh, Keep};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use storage::records::SnapshotSource;
use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// The two outputs of a command, as they come in.
struct Outputs {
    stdout: Console,
    stderr: Console,
    noted: bool,
}

impl Outputs {
    fn of(&mut self, output: Output) -> &mut Console {
        match output {
            Output::Stdout => &mut self.stdout,
            Output::Stderr => &mut self.stderr,
        }
    }
}

fn held(outputs: &Mutex<Outputs>) -> MutexGuard<'_, Outputs> {
    outputs.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a command off the list of those that run, whatever ends it.
struct Listed<'a> {
    terminal: &'a Terminal,
    id: String,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.terminal.lock().remove(&self.id);
    }
}

impl Terminal {
    /// Checks and runs a command. A refusal is a result too: `{ok: false, error}`.
    pub async fn run(&self, command: &str, cwd: Option<&str>, ctx: &ToolCtx) -> TerminalResult {
        let refused = |error: String| TerminalResult {
            command: command.to_owned(),
            cwd: cwd.unwrap_or_default().to_owned(),
            error: Some(error),
            ..TerminalResult::default()
        };
        let checked = match self.check(command, cwd) {
            Ok(checked) => checked,
            Err(error) => return refused(error),
        };
        let Some(shell) = self.shells.shell() else {
            return refused("This computer has no shell Sentient knows. Install bash, zsh or PowerShell.".into());
        };
        let id = self.world.id();
        let stop = CancellationToken::new();
        let row = Running {
            call_id: ctx.call_id.clone(),
            command: command.to_owned(),
            folder: checked.folder.clone(),
            began: self.world.now(),
            stop: stop.clone(),
        };
        let Some(_listed) = self.enlist(&id, row) else {
            return refused(format!("{RUNNING_MAX} commands run already. Wait for one, or stop one, and try again."));
        };
        let config = self.config();
        let time_max = Duration::from_secs(u64::from(config.terminal.timeout_s));
        let job = CommandJob {
            run_id: id.clone(),
            command: command.to_owned(),
            folder: checked.folder.clone(),
            environment: self.clean_environment(&config, &id, checked.is_listed.then_some(command)),
            time_max,
        };
        let chars_max = usize::try_from(config.terminal.max_output_chars).unwrap_or(usize::MAX);
        let console = || Console::new(Keep::Ends, chars_max);
        let outputs = Arc::new(Mutex::new(Outputs { stdout: console(), stderr: console(), noted: false }));
        let kept = self.keep(&checked, command, ctx).await;
        let began = Instant::now();
        let running = self.shells.run(job, sink(&outputs, ctx), stop.clone());
        let ended = tokio::select! {
            biased;
            // The turn was stopped: dropping the run ends every process of it.
            () = ctx.cancel.cancelled() => Ok(Ending::Stopped),
            ended = running => ended,
        };
        kept.settle().await;
        let result = TerminalResult {
            command: command.to_owned(),
            cwd: checked.folder,
            shell: Some(shell.name),
            duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            ..ended_as(ended, time_max)
        };
        self.with_output(result, &outputs, &id, ctx).await
    }

    /// Copies what the command could change. What the person listed as needing no question gets none.
    async fn keep(&self, checked: &Checked, command: &str, ctx: &ToolCtx) -> Kept {
        if checked.is_listed {
            return Kept::default();
        }
        let roots = self.changeable(Some(&checked.folder)).await;
        ctx.keep_files(SnapshotSource::Command, command, roots).await
    }

    /// What a command or a script that nothing holds could change: its own folder first, the other folders commands may
    /// run in, the files folder (contract section 10, "File snapshots").
    pub(crate) async fn changeable(&self, first: Option<&str>) -> Vec<PathBuf> {
        let config = self.config();
        let allowed = config.terminal.allowed_folders.iter().filter_map(|folder| self.shells.folder(folder, None));
        let mut roots: Vec<PathBuf> = first.map(str::to_owned).into_iter().chain(allowed).map(PathBuf::from).collect();
        if let Ok(Some(file)) = self.files.place("any".to_owned()).await {
            roots.extend(file.parent().map(Path::to_path_buf));
        }
        let mut seen = BTreeSet::new();
        roots.retain(|root| seen.insert(root.clone()));
        roots
    }

    fn enlist(&self, id: &str, row: Running) -> Option<Listed<'_>> {
        let mut running = self.lock();
        if running.len() >= RUNNING_MAX {
            return None;
        }
        running.insert(id.to_owned(), row);
        Some(Listed { terminal: self, id: id.to_owned() })
    }

    /// `listed`: the command, when it is a listed one.
    fn clean_environment(&self, config: &Config, run_id: &str, listed: Option<&str>) -> Vec<(String, String)> {
        let keys: Vec<String> =
            config.models.providers.values().filter_map(|provider| provider.api_key_env.clone()).collect();
        let own = self.shells.environment();
        let git = own.iter().find(|(name, _)| name == "GIT_CONFIG_COUNT").map(|(_, count)| count.clone());
        let mut kept: Vec<(String, String)> = clean(own, &keys).collect();
        let mut set = vec![
            ("GIT_TERMINAL_PROMPT".to_owned(), "0".to_owned()),
            ("SENTIENT_TERMINAL_RUN".to_owned(), run_id.to_owned()),
        ];
        if let Some(command) = listed {
            let subcommand = git_subcommand(command, self.system());
            set.extend(listed_git_settings(git.as_deref(), subcommand.as_deref()));
        }
        kept.retain(|(name, _)| !set.iter().any(|(ours, _)| ours == name));
        kept.extend(set);
        kept
    }

    /// Fills in what was printed; the whole of it goes into a file when it was cut.
    async fn with_output(
        &self,
        mut result: TerminalResult,
        outputs: &Mutex<Outputs>,
        id: &str,
        ctx: &ToolCtx,
    ) -> TerminalResult {
        let text = {
            let mut outputs = held(outputs);
            for output in [Output::Stdout, Output::Stderr] {
                let fresh = outputs.of(output).end();
                show(&mut outputs, output, &fresh, ctx);
            }
            result.stdout = outputs.stdout.shown();
            result.stderr = outputs.stderr.shown();
            let is_cut = outputs.stdout.is_cut() || outputs.stderr.is_cut();
            is_cut.then(|| file_text(&outputs))
        };
        if let Some(text) = text {
            let name = format!("outputs/terminal-{id}.txt");
            match self.files.write(name, text.into_bytes()).await {
                Ok(written) => result.output_file = Some(written.name),
                Err(error) => tracing::warn!(%error, "a command's whole output could not be kept"),
            }
        }
        result
    }
}

/// The part of a result that says how the command ended.
fn ended_as(ended: Result<Ending, Error>, time_max: Duration) -> TerminalResult {
    let base = TerminalResult::default();
    match ended {
        Ok(Ending::Exited(code)) => TerminalResult { ok: code == 0, exit_code: Some(code), ..base },
        Ok(Ending::TimedOut) => {
            let error = Some(timed_out(time_max.as_secs()));
            TerminalResult { timed_out: true, error, ..base }
        }
        Ok(Ending::Stopped | Ending::TooMuch(_)) => {
            TerminalResult { stopped: true, error: Some(STOPPED.into()), ..base }
        }
        Err(error) => TerminalResult { error: Some(error.detail()), ..base },
    }
}

fn sink(outputs: &Arc<Mutex<Outputs>>, ctx: &ToolCtx) -> OutputSink {
    let (outputs, ctx) = (outputs.clone(), ctx.clone());
    Arc::new(move |output, bytes| {
        let mut outputs = held(&outputs);
        let fresh = outputs.of(output).push(bytes);
        show(&mut outputs, output, &fresh, &ctx);
    })
}

/// Tells the windows what is new, and once that there is more than they are shown.
fn show(outputs: &mut Outputs, output: Output, fresh: &Fresh, ctx: &ToolCtx) {
    if !fresh.text.is_empty() {
        let kind = match output {
            Output::Stdout => ProgressKind::Stdout,
            Output::Stderr => ProgressKind::Stderr,
        };
        ctx.progress(Progress { kind, text: Some(fresh.text.clone()), image: None, data: None });
    }
    if fresh.cut && !std::mem::replace(&mut outputs.noted, true) {
        ctx.progress(Progress::status("There is more output than is shown here. All of it is kept in a file."));
    }
}

fn file_text(outputs: &Outputs) -> String {
    let (stdout, stderr) = (outputs.stdout.file_text(), outputs.stderr.file_text());
    match (stdout.is_empty(), stderr.is_empty()) {
        (_, true) => stdout,
        (true, false) => stderr,
        (false, false) => format!("{stdout}\n--- errors ---\n{stderr}"),
    }
}
