//! Commands end as a whole, however they try to live on.

use crate::ground::{Ground, PATIENCE, processes_with};
use actors::ports::{Ending, Shells};
use std::sync::PoisonError;
use tokio::time::{Duration, sleep};
use tokio_util::sync::CancellationToken;

/// Ways to leave one's parent, each as a command that begins something long under the name `$N`.
const WAYS: [(&str, &str); 6] = [
    ("in the background", "sleep $N & echo begun"),
    ("without hangup", "nohup sleep $N >/dev/null 2>&1 & echo begun"),
    ("in a session of its own", "setsid sleep $N >/dev/null 2>&1 & echo begun"),
    ("without its mark", "env -i setsid sleep $N >/dev/null 2>&1 & echo begun"),
    ("as a grandchild", "( ( setsid sh -c 'env -i sleep $N & wait' & ) & ) >/dev/null 2>&1; echo begun"),
    ("deaf to signals", "sh -c \"trap '' TERM HUP INT; sleep $N\" & echo begun"),
];

fn number(at: usize) -> String {
    format!("{}{}", 7_000_000 + std::process::id(), at)
}

#[tokio::test]
async fn what_a_command_leaves_behind_ends_with_it() {
    let ground = Ground::new();
    for (at, (name, command)) in WAYS.into_iter().enumerate() {
        let number = number(at);
        let (running, said) = ground.command(&command.replace("$N", &number), PATIENCE, &CancellationToken::new());
        assert_eq!(running.await.expect("it ran"), Ending::Exited(0), "{name}");
        let stdout = said.lock().unwrap_or_else(PoisonError::into_inner).0.clone();
        assert_eq!(String::from_utf8_lossy(&stdout), "begun\n", "{name}");
        assert_eq!(processes_with(&number), Vec::<i32>::new(), "{name}");
    }
    assert_eq!(ground.trees.running(), 0);
}

/// Waits until a process with this word runs.
async fn seen(word: &str) {
    for _ in 0..6_000 {
        if !processes_with(word).is_empty() {
            return;
        }
        sleep(Duration::from_millis(10)).await;
    }
    panic!("{word} was never started");
}

#[tokio::test]
async fn a_command_ends_as_a_whole_when_it_is_told_to() {
    let ground = Ground::new();
    for (at, way) in ["stop", "drop", "time", "everything"].into_iter().enumerate() {
        let number = number(100 + at);
        let command = format!("env -i setsid sleep {number} & setsid sleep {number} & sleep {number}");
        let stop = CancellationToken::new();
        let time_max = if way == "time" { Duration::from_secs(2) } else { PATIENCE };
        let (mut running, _) = ground.command(&command, time_max, &stop);
        if way != "time" {
            tokio::select! {
                biased;
                ended = &mut running => panic!("{way}: it ended by itself: {ended:?}"),
                () = seen(&number) => (),
            }
        }
        match way {
            "stop" => {
                stop.cancel();
                assert_eq!(running.await.expect("followed"), Ending::Stopped);
            }
            "drop" => drop(running),
            "time" => assert_eq!(running.await.expect("followed"), Ending::TimedOut),
            _ => {
                let (killed, ended) = tokio::join!(ground.trees.kill_all(), running);
                assert_eq!((killed.ended, killed.left, ended.expect("followed")), (1, 0, Ending::Stopped));
            }
        }
        assert_eq!(processes_with(&number), Vec::<i32>::new(), "{way}");
        assert_eq!(ground.trees.running(), 0, "{way}");
    }
}

#[tokio::test]
async fn a_command_that_turns_against_its_keeper_ends_too() {
    let ground = Ground::new();
    for (at, turn) in ["kill -9 $PPID", "kill -STOP $PPID"].into_iter().enumerate() {
        let number = number(200 + at);
        let stop = CancellationToken::new();
        let (mut running, _) = ground.command(&format!("sleep {number} & {turn}; sleep {number}"), PATIENCE, &stop);
        tokio::select! {
            biased;
            ended = &mut running => assert_eq!(ended.expect("followed"), Ending::Exited(137), "{turn}"),
            () = seen(&number) => {
                stop.cancel();
                running.await.expect("followed");
            }
        }
        assert_eq!(processes_with(&number), Vec::<i32>::new(), "{turn}");
    }
}

#[tokio::test]
async fn a_command_sees_its_environment_and_nothing_at_stdin() {
    let ground = Ground::new();
    let command = "cat; echo \"$SENTIENT_TEST_TOKEN|$0\"; pwd; echo oops >&2; exit 7";
    let (running, said) = ground.command(command, PATIENCE, &CancellationToken::new());
    assert_eq!(running.await.expect("it ran"), Ending::Exited(7));
    let (stdout, stderr) = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let home = ground.home.path().canonicalize().expect("a folder");
    let shell = ground.shells.shell().expect("a shell").path;
    assert_eq!(String::from_utf8_lossy(&stdout), format!("|{shell}\n{}\n", home.display()));
    assert_eq!(String::from_utf8_lossy(&stderr), "oops\n");
}

#[test]
fn folders_are_real_ones() {
    let ground = Ground::new();
    let home = ground.home.path().canonicalize().expect("a folder");
    std::os::unix::fs::symlink("/etc", home.join("link")).expect("linked");
    let base = home.display().to_string();
    for (name, want) in [
        (".", Some(base.clone())),
        ("link", Some("/etc".into())),
        ("link/..", Some("/".into())),
        ("secrets.enc", None),
        ("nowhere", None),
    ] {
        assert_eq!(ground.shells.folder(name, Some(&base)), want, "{name}");
    }
    assert_eq!(ground.shells.folder("relative", None), None);
}
