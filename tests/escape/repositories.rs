//! Repositories that somebody else packed: what their settings would start for a plain look, and that a listed command
//! of git starts none of it. Each trap is sprung once without our settings, so that a trap that is none is found out.

use crate::ground::{Ground, PATIENCE};
use actors::ports::{CommandJob, Ending, Shells};
use rules::commands::{listed_git_settings, starts_programs};
use std::path::Path;
use std::sync::Arc;

/// Made in the home folder: `repo` with a change that is not committed, and `evil`, which leaves a mark when it runs.
const GROUND: &str = r#"
set -e
printf '#!/bin/sh\ntouch "%s/ran"\nif [ $# = 0 ]; then cat; else cat "$1"; fi\n' "$HOME" > evil
chmod +x evil
printf '[user]\nname = Maya\nemail = maya@example.com\n' > .gitconfig
git init -q repo
cd repo
printf 'one\n' > a.txt
git add a.txt
git commit -qm one
printf 'two\n' >> a.txt
"#;

/// A trap as it is set in `repo`, the folder and the command that spring it, and whether the command asks for it (else
/// our settings take it apart).
const TRAPS: [(&str, &str, &str, &str, bool); 12] = [
    ("a diff of its own", "git config diff.external $HOME/evil", "repo", "git diff", true),
    (
        "another file of settings",
        "printf '[diff]\\nexternal = %s/evil\\n' $HOME > .git/more; git config include.path more",
        "repo",
        "git diff",
        true,
    ),
    (
        "a driver",
        "echo '*.txt diff=x' > .gitattributes; git config diff.x.command $HOME/evil",
        "repo",
        "git diff",
        true,
    ),
    (
        "a reader",
        "echo '*.txt diff=x' > .git/info/attributes; git config diff.x.textconv $HOME/evil",
        "repo",
        "git log -p",
        true,
    ),
    (
        "a filter",
        "echo '*.txt filter=x' > .gitattributes; git config filter.x.clean $HOME/evil",
        "repo",
        "git diff",
        true,
    ),
    (
        "of the working tree",
        "git config extensions.worktreeConfig true; git config --worktree diff.external $HOME/evil",
        "repo",
        "git diff",
        true,
    ),
    (
        "of a linked tree",
        "git config diff.external $HOME/evil; git worktree add -q ../linked; echo x >> ../linked/a.txt",
        "linked",
        "git diff",
        true,
    ),
    ("from below", "mkdir sub; git config diff.external $HOME/evil", "repo/sub", "git diff", true),
    (
        "without a working tree",
        "git clone -q --bare . ../bare; cd ../bare; echo '*.txt diff=x' > info/attributes; git config diff.x.textconv $HOME/evil",
        "bare",
        "git log -p",
        true,
    ),
    (
        "in a repository inside",
        "cp -r . ../sub; mv ../sub sub; git add sub 2>/dev/null; git commit -qm two; cd sub; git config core.fsmonitor $HOME/evil; echo z > z.txt",
        "repo",
        "git status",
        true,
    ),
    ("a watcher", "git config core.fsmonitor $HOME/evil", "repo", "git status", false),
    ("a hook", "cp $HOME/evil .git/hooks/post-index-change; touch -d '2001-01-01' a.txt", "repo", "git status", false),
];

async fn run(ground: &Ground, folder: &Path, command: &str, more: Vec<(String, String)>) -> Ending {
    let home = ground.home.path().display().to_string();
    let mut environment: Vec<(String, String)> = [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", home.as_str()),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("SENTIENT_TERMINAL_RUN", "t"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    environment.extend(more);
    let job = CommandJob {
        run_id: ground.id(),
        command: command.into(),
        folder: folder.display().to_string(),
        environment,
        time_max: PATIENCE,
    };
    ground.shells.run(job, Arc::new(|_, _| ()), tokio_util::sync::CancellationToken::new()).await.expect("it ran")
}

#[tokio::test]
async fn a_repository_starts_nothing_for_a_look() {
    for (name, trap, folder, command, asks) in TRAPS {
        let ground = Ground::new();
        let home = ground.home.path();
        if run(&ground, home, "command -v git", Vec::new()).await != Ending::Exited(0) {
            eprintln!("SKIPPED: there is no git here");
            return;
        }
        assert_eq!(run(&ground, home, GROUND, Vec::new()).await, Ending::Exited(0), "{name}");
        let subcommand = command.split(' ').nth(1).expect("a subcommand");
        let found = |folder: &Path| {
            let repository = ground.shells.repository(&folder.display().to_string()).expect("a repository");
            starts_programs(&repository, subcommand)
        };
        assert_eq!(found(&home.join("repo")), None, "{name}: before");
        run(&ground, &home.join("repo"), trap, Vec::new()).await;
        let (place, mark) = (home.join(folder), home.join("ran"));
        assert_eq!(found(&place).is_some(), asks, "{name}");
        if !asks {
            std::fs::remove_file(&mark).ok();
            let ended = run(&ground, &place, command, listed_git_settings(None, Some(subcommand))).await;
            assert_eq!((ended, mark.exists()), (Ending::Exited(0), false), "{name}: it started something");
        }
        std::fs::remove_file(&mark).ok();
        run(&ground, &place, command, Vec::new()).await;
        assert!(mark.exists(), "{name}: this trap is none");
    }
}

#[test]
fn a_folder_without_a_repository_has_none() {
    let ground = Ground::new();
    let home = ground.home.path();
    let of = |name: &str| ground.shells.repository(&home.join(name).display().to_string());
    std::fs::create_dir_all(home.join("plain/.git")).expect("made");
    assert_eq!(of("plain"), None);
    // What only looks like one is read all the same, and what lies above it too.
    std::fs::create_dir_all(home.join("half/.git")).expect("made");
    std::fs::write(home.join("half/.git/HEAD"), "ref: refs/heads/main\n").expect("written");
    std::fs::write(home.join("half/.git/config"), "[diff]\nexternal = x\n").expect("written");
    assert_eq!(of("half").map(|found| found.settings.len()), Some(1));
    // A pipe is not waited for.
    std::fs::write(home.join("half/.git/config"), vec![b' '; 1024 * 1024 + 1]).expect("written");
    assert!(of("half").expect("one").is_unreadable, "too long to be read");
}
