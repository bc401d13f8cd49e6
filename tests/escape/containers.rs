//! The `docker` backend against a stand-in for Docker's program: it keeps to the command line Docker has, and runs the
//! script with the computer's own Python in place of a container. So what is tested is our side of it: what is asked for,
//! the tool calls over files, and that the container is taken away.

use crate::ground::{Ground, PATIENCE};
use actors::ports::{Ending, ScriptBackend, Scripts};
use protocol::config::SandboxBackend;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tokio::time::Duration;

/// `docker info`, `docker run` and `docker rm`, noting every call beside itself.
const STAND_IN: &str = r#"#!/usr/bin/env python3
import os, subprocess, sys
home = os.path.dirname(os.path.abspath(__file__))
args = sys.argv[1:]
with open(home + "/calls", "a") as calls:
    calls.write(" ".join(args) + "\n")
if args[0] == "info":
    sys.exit(1 if os.path.exists(home + "/down") else 0)
if args[0] == "run":
    if "missing:image" in args:
        sys.exit(125)
    volumes = dict(reversed(args[i + 1].removesuffix(":ro").split(":")) for i, arg in enumerate(args) if arg == "--volume")
    line = args[args.index("python:3.12-slim") + 1:]
    inside = lambda word: next((word.replace(to, at, 1) for to, at in volumes.items() if word.startswith(to)), word)
    sys.exit(subprocess.run([inside(word) for word in line], cwd=volumes["/sentient/work"]).returncode)
"#;

fn stand_in(folder: &Path) {
    let program = folder.join("docker");
    std::fs::write(&program, STAND_IN).expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("made a program");
}

fn calls(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("calls")).unwrap_or_default()
}

#[tokio::test]
async fn a_script_in_a_container_calls_tools_over_files_and_the_container_goes() {
    let folder = tempfile::tempdir().expect("a folder");
    stand_in(folder.path());
    let ground = Ground::with_path(Some(folder.path()));
    let state = ground.scripts.state(SandboxBackend::Auto).await;
    if state.python_version.is_none() {
        eprintln!("SKIPPED: there is no Python 3 here");
        return;
    }
    assert_eq!((state.backend, state.docker_available), (ScriptBackend::Docker, true));
    let code =
        "print(tools.echo(text='a')['said'], tools.available())\nopen('out.csv', 'w').write('1')\nresult([1, 2])\n";
    let came = ground.script_with(code, Ground::limits(SandboxBackend::Auto, PATIENCE)).await.expect("it ran");
    assert_eq!((came.stdout.as_str(), came.calls), ("a ['echo']\n", 1), "{}", came.stderr);
    assert_eq!((came.end.backend, came.end.ending), (ScriptBackend::Docker, Ending::Exited(0)));
    assert_eq!(came.end.result, Some(serde_json::json!([1, 2])));
    assert!(came.end.files[0].ends_with("/out.csv"));
    let calls = calls(folder.path());
    let run = calls.lines().find(|line| line.starts_with("run ")).expect("it was run");
    let name = run.split(' ').skip_while(|word| *word != "--name").nth(1).expect("a name");
    assert!(calls.lines().any(|line| line == format!("rm --force --volumes {name}")), "{calls}");
    assert!(!run.contains("do not show"), "no variable of the engine's goes in");
}

#[tokio::test]
async fn a_container_that_is_given_up_is_taken_away() {
    let folder = tempfile::tempdir().expect("a folder");
    stand_in(folder.path());
    let ground = Ground::with_path(Some(folder.path()));
    let limits = Ground::limits(SandboxBackend::Docker, Duration::from_secs(2));
    let came = ground.script_with("while True:\n    pass\n", limits).await.expect("it ran");
    assert_eq!(came.end.ending, Ending::TimedOut);
    assert!(calls(folder.path()).contains("rm --force"));
    let mut limits = Ground::limits(SandboxBackend::Docker, PATIENCE);
    limits.docker_image = "missing:image".into();
    let error = ground.script_with("print(1)", limits).await.err().expect("no such image");
    assert!(error.message.contains("missing:image"), "{error}");
}

#[tokio::test]
async fn a_docker_that_does_not_run_is_told_or_done_without() {
    let folder = tempfile::tempdir().expect("a folder");
    stand_in(folder.path());
    std::fs::write(folder.path().join("down"), "").expect("written");
    let ground = Ground::with_path(Some(folder.path()));
    let state = ground.scripts.state(SandboxBackend::Auto).await;
    assert_eq!((state.backend, state.docker_available), (ScriptBackend::Process, false));
    let error = ground.script_with("print(1)", Ground::limits(SandboxBackend::Docker, PATIENCE)).await.err();
    assert_eq!(error.expect("told").message, "Docker is not running.");
}
