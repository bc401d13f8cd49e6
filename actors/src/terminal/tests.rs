//! Commands over a computer of the tests.

use super::*;
use crate::tools::fakes::{self, FakeFiles, FakeShells};
use protocol::tools::{Progress, ProgressKind, Risk};
use serde_json::json;

struct Case {
    shells: Arc<FakeShells>,
    files: Arc<FakeFiles>,
    terminal: Arc<Terminal>,
    settings: watch::Sender<Arc<Config>>,
}

fn case() -> Case {
    let mut config = Config::default();
    config.terminal.enabled = true;
    config.terminal.allowed_folders = vec!["/home/maya/site".into()];
    let provider = json!({ "api_key_env": "MY_MODEL" });
    config.models.providers.insert("mine".into(), serde_json::from_value(provider).expect("a provider"));
    let (settings, reader) = watch::channel(Arc::new(config));
    let (shells, files) = (Arc::new(FakeShells::default()), FakeFiles::with(&[]));
    let terminal = Arc::new(Terminal::new(shells.clone(), files.clone(), reader, fakes::world()));
    Case { shells, files, terminal, settings }
}

impl Case {
    fn change(&self, change: impl FnOnce(&mut protocol::config::Terminal)) {
        self.settings.send_modify(|config| change(&mut Arc::make_mut(config).terminal));
    }
}

#[test]
fn checks_come_in_order_and_say_why() {
    let case = case();
    for (name, command, cwd, want) in [
        ("a command that asks", "cargo test", None, Ok(("/home/maya/site", false))),
        ("a listed one", "git status", None, Ok(("/home/maya/site", true))),
        ("below", "ls", Some("src"), Ok(("/home/maya/site/src", true))),
        ("absolute", "ls", Some("/home/maya/site/src"), Ok(("/home/maya/site/src", true))),
        ("listed and more", "git status; rm x", None, Ok(("/home/maya/site", false))),
        ("outside", "ls", Some("/home/maya/other"), Err("outside the folders")),
        ("a link that leads out", "ls", Some("link"), Err("/etc is outside")),
        ("not there", "ls", Some("nowhere"), Err("There is no folder nowhere.")),
        ("never", "rm -rf ~", None, Err("never done by Sentient")),
        ("never, wherever it is asked", "rm -rf ~", Some("/etc"), Err("never done by Sentient")),
        ("empty", " ", None, Err("There is no command.")),
        ("a zero", "ls\0x", None, Err("no shell can read")),
    ] {
        let got = case.terminal.check(command, cwd);
        match (want, got) {
            (Ok((folder, is_listed)), Ok(checked)) => {
                assert_eq!((checked.folder.as_str(), checked.is_listed), (folder, is_listed), "{name}");
            }
            (Err(words), Err(error)) => assert!(error.contains(words), "{name}: {error}"),
            (want, got) => panic!("{name}: {want:?} {got:?}"),
        }
    }
    assert!(case.terminal.check(&"x".repeat(8_001), None).is_err_and(|error| error.contains("8000")));
    case.change(|terminal| terminal.allowed_folders.clear());
    assert!(case.terminal.check("ls", None).is_err_and(|error| error.starts_with("No folder is open")));
    case.change(|terminal| terminal.enabled = false);
    assert!(case.terminal.check("rm -rf ~", None).is_err_and(|error| error.contains("turned off")));
}

#[test]
fn only_what_would_run_and_is_not_listed_asks() {
    let case = case();
    for (command, cwd, want) in [
        ("cargo test", None, Risk::Exec),
        ("git status", None, Risk::Read),
        ("git status\nrm x", None, Risk::Exec),
        ("rm -rf ~", None, Risk::Read),
        ("cargo test", Some("/etc"), Risk::Read),
    ] {
        assert_eq!(case.terminal.risk(command, cwd), want, "{command}");
    }
    let [_, tool] = crate::tools::computer_tools(case.terminal.clone(), fakes::toolbox().sandbox);
    let described = tool.describe(&json!({"command": "cargo test"}));
    assert_eq!(described.risk_label.as_deref(), Some("Runs a command"));
    assert_eq!(described.target.as_deref(), Some("/home/maya/site"));
    assert!(!tool.spec().allow_for_chat);
}

#[tokio::test]
async fn a_command_runs_in_its_folder_without_secrets() {
    let case = case();
    let (ctx, shown) = fakes::ctx_that_shows();
    let result = case.terminal.run("cargo test", Some("src"), &ctx).await;
    assert!(result.ok && result.error.is_none() && result.output_file.is_none());
    assert_eq!((result.stdout.as_str(), result.stderr.as_str()), ("out\n", "err"));
    assert_eq!((result.exit_code, result.shell.as_deref()), (Some(0), Some("bash")));
    assert_eq!(result.cwd, "/home/maya/site/src");
    let kinds: Vec<_> = shown.lock().expect("no panic").iter().map(|progress: &Progress| progress.kind).collect();
    assert_eq!(kinds, [ProgressKind::Stdout, ProgressKind::Stderr]);
    let job = case.shells.jobs.lock().expect("no panic")[0].clone();
    let names: Vec<&str> = job.environment.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["PATH", "SSH_AUTH_SOCK", "GIT_TERMINAL_PROMPT", "SENTIENT_TERMINAL_RUN"]);
    assert_eq!(job.environment[3].1, job.run_id);
    case.terminal.run("git status", None, &ctx).await;
    let listed = case.shells.jobs.lock().expect("no panic")[1].clone();
    assert!(listed.environment.contains(&("GIT_CONFIG_KEY_0".into(), "core.fsmonitor".into())));
    assert!(listed.environment.contains(&("GIT_OPTIONAL_LOCKS".into(), "0".into())));
    case.terminal.run("ls", None, &ctx).await;
    let other = case.shells.jobs.lock().expect("no panic")[2].clone();
    assert!(!other.environment.iter().any(|(name, _)| name == "GIT_OPTIONAL_LOCKS"));
}

#[test]
fn a_listed_command_asks_where_a_repository_names_programs() {
    let case = case();
    let risk = |command: &str| case.terminal.risk(command, None);
    let set = |text: &str| *case.shells.git_settings.lock().expect("no panic") = Some(text.to_owned());
    set("[core]\n\tbare = false\n");
    assert_eq!((risk("git diff"), risk("git status"), risk("ls")), (Risk::Read, Risk::Read, Risk::Read));
    set("[diff \"x\"]\n\ttextconv = ./evil\n");
    assert_eq!((risk("git diff"), risk("git status"), risk("ls")), (Risk::Exec, Risk::Exec, Risk::Read));
    set("not settings");
    assert_eq!(risk("git status"), Risk::Exec);
}

#[tokio::test]
async fn every_ending_has_its_words() {
    let case = case();
    let (ctx, _) = fakes::ctx_that_shows();
    let result = case.terminal.run("exit 3", None, &ctx).await;
    assert_eq!((result.ok, result.exit_code, result.error), (false, Some(3), None));
    let result = case.terminal.run("slow", None, &ctx).await;
    assert!(result.timed_out && result.exit_code.is_none());
    assert!(result.error.expect("told").starts_with("The command took longer than 180 seconds and was stopped."));
    let result = case.terminal.run("fail", None, &ctx).await;
    assert!(!result.ok && result.error.is_some());
    let result = case.terminal.run("ls", Some("/etc"), &ctx).await;
    assert!(!result.ok && result.error.is_some() && result.cwd == "/etc");
    assert_eq!(case.shells.jobs.lock().expect("no panic").len(), 3, "a refused command reaches no shell");
}

#[tokio::test]
async fn a_long_output_is_cut_and_kept_in_a_file() {
    let case = case();
    case.change(|terminal| terminal.max_output_chars = 1_000);
    let (ctx, shown) = fakes::ctx_that_shows();
    let result = case.terminal.run("print 5000", None, &ctx).await;
    assert!(result.stdout.contains("\n[... 4000 characters cut here ...]\n"));
    let name = result.output_file.expect("a file");
    assert!(name.starts_with("outputs/terminal-"), "{name}");
    assert_eq!(case.files.text(&name).expect("kept").len(), 5_000);
    let shown = shown.lock().expect("no panic").clone();
    assert_eq!(shown[0].text.as_deref().map(str::len), Some(1_000));
    assert_eq!((shown.len(), shown[1].kind), (2, ProgressKind::Status));
}

#[tokio::test]
async fn a_command_can_be_stopped_by_its_id_and_ends_with_its_turn() {
    let case = case();
    let (mut ctx, _) = fakes::ctx_that_shows();
    ctx.call_id = Some("call1".into());
    let running = case.terminal.run("hang", None, &ctx);
    tokio::pin!(running);
    assert!(futures::poll!(&mut running).is_pending());
    let status = case.terminal.status();
    assert_eq!(status.running.len(), 1);
    assert_eq!((status.running[0].command.as_str(), status.running[0].call_id.as_deref()), ("hang", Some("call1")));
    assert!(!case.terminal.stop("another"));
    assert!(case.terminal.stop("call1"));
    let result = running.await;
    assert!(result.stopped && result.stdout == "begun\n");
    assert_eq!(result.error.as_deref(), Some("The command was stopped before it finished."));
    assert!(case.terminal.status().running.is_empty() && !case.terminal.stop("call1"));

    let running = case.terminal.run("hang", None, &ctx);
    tokio::pin!(running);
    assert!(futures::poll!(&mut running).is_pending());
    ctx.cancel.cancel();
    assert!(running.await.stopped);
    assert_eq!(*case.shells.dropped.lock().expect("no panic"), 2, "the run is given up, and all of it with it");
}

#[tokio::test]
async fn no_more_run_than_a_person_can_follow() {
    let case = case();
    let (ctx, _) = fakes::ctx_that_shows();
    let mut running: Vec<_> = (0..RUNNING_MAX).map(|_| Box::pin(case.terminal.run("hang", None, &ctx))).collect();
    for run in &mut running {
        assert!(futures::poll!(run.as_mut()).is_pending());
    }
    let result = case.terminal.run("ls", None, &ctx).await;
    assert!(result.error.expect("told").contains("16 commands run already"));
    drop(running);
    assert!(case.terminal.status().running.is_empty());
}

#[test]
fn the_status_says_what_settings_shows() {
    let case = case();
    let status = case.terminal.status();
    assert_eq!(status.default_folder.as_deref(), Some("/home/maya/site"));
    assert_eq!((status.shell.as_deref(), status.shell_path.as_deref()), (Some("bash"), Some("/bin/bash")));
    assert_eq!(status.blocked.len(), 8);
    case.change(|terminal| terminal.default_folder = "/nowhere".into());
    assert_eq!(case.terminal.status().default_folder, None);
}

#[tokio::test]
async fn what_code_could_change_is_its_folder_the_allowed_ones_and_the_files() {
    let case = case();
    case.change(|terminal| {
        terminal.allowed_folders = vec!["/home/maya/site".into(), "/home/maya/other".into(), "/nowhere".into()];
    });
    let shown = |roots: Vec<std::path::PathBuf>| {
        roots.iter().map(|root| root.display().to_string()).collect::<Vec<_>>().join(" ")
    };
    let all = "/home/maya/site /home/maya/other /home/maya/.sentient/files";
    assert_eq!(shown(case.terminal.changeable(None).await), all, "a script");
    let other = "/home/maya/other /home/maya/site /home/maya/.sentient/files";
    assert_eq!(shown(case.terminal.changeable(Some("/home/maya/other")).await), other, "a command");
}
