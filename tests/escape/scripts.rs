//! Scripts for real: what they can do, and everything they try to get out.

use crate::ground::{Ground, processes_with};
use actors::ports::{Ending, Scripts, TooMuch};
use protocol::config::SandboxBackend;
use protocol::sandbox::SandboxDoors;
use std::sync::PoisonError;
use tokio::time::Duration;

/// What holds scripts on this computer; `None`, said aloud, where there is no Python to try it with.
async fn doors(ground: &Ground) -> Option<SandboxDoors> {
    let state = ground.scripts.state(SandboxBackend::Process).await;
    if state.python_version.is_none() {
        eprintln!("SKIPPED: there is no Python 3 here");
        return None;
    }
    Some(state.doors)
}

/// Says which door is open here, so that the test of it does not run.
fn open_here(door: &str, is_closed: bool) -> bool {
    if !is_closed {
        eprintln!("SKIPPED: this kernel does not close the door `{door}`");
    }
    !is_closed
}

/// A script that tries each line of `tries` and prints `out: LINE` for what it got away with.
fn trying(tries: &[&str]) -> String {
    let mut code = "import os, socket, subprocess, sys, ctypes, signal, urllib.request\n".to_owned();
    for line in tries {
        code += &format!(
            "try:\n    {line}\n    print('out:', {line:?})\nexcept BaseException as e:\n    print('held:', type(e).__name__)\n"
        );
    }
    code + "print('end')\n"
}

async fn all_held(ground: &Ground, tries: &[&str]) {
    let came = ground.script(&trying(tries)).await;
    assert!(!came.stdout.contains("out:"), "{}\n{}", came.stdout, came.stderr);
    assert_eq!(came.stdout.matches("held:").count(), tries.len(), "{}\n{}", came.stdout, came.stderr);
    assert!(came.stdout.ends_with("end\n"), "the script itself came to its end: {}", came.stdout);
}

#[tokio::test]
async fn a_script_computes_calls_tools_and_leaves_files() {
    let ground = Ground::new();
    if doors(&ground).await.is_none() {
        return;
    }
    let code = r#"
import json, math, os, sys, threading, subprocess
from sentient_tools import tools as again, ToolRefused, ToolError
assert again is tools
print(tools.available(), sys.stdin.read() == "")
print(tools.echo(text="hé")["said"])
for name in ("send", "broken"):
    try:
        getattr(tools, name)(a=1)
    except ToolRefused as refused:
        print("refused", refused)
    except ToolError as error:
        print("failed", error)
try:
    tools.echo("positional")
except TypeError as error:
    print("by name")
seen = []
worker = threading.Thread(target=lambda: seen.append(tools.echo(text="thread")["said"]))
worker.start(); worker.join()
print(seen, subprocess.run(["echo", "child"], capture_output=True, text=True).stdout.strip())
os.makedirs("plots")
open("plots/chart.png", "w").write("picture")
open(".cache", "w").write("x")
os.symlink("/etc/passwd", "stolen.txt")
result({"sum": math.fsum([1, 2]), "set": {1}})
print("oops", file=sys.stderr)
"#;
    let came = ground.script(code).await;
    assert_eq!(came.stderr, "oops\n");
    let want = "['echo'] True\nhé\nrefused Call it directly.\nfailed It broke.\nby name\n['thread'] child\n";
    assert_eq!(came.stdout, want);
    assert_eq!((came.end.ending, came.calls), (Ending::Exited(0), 4));
    assert_eq!(came.end.result, Some(serde_json::json!({"sum": 3.0, "set": [1]})));
    assert_eq!(came.end.files.len(), 1, "{:?}", came.end.files);
    assert!(came.end.files[0].ends_with("/plots/chart.png"));
    let kept = ground.files.0.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(kept.values().collect::<Vec<_>>(), [b"picture"]);
    let runs = ground.home.path().join("sandbox");
    assert_eq!(std::fs::read_dir(runs).expect("the folder of runs").count(), 0, "nothing is left of the run");
}

#[tokio::test]
async fn a_script_that_fails_says_where() {
    let ground = Ground::new();
    if doors(&ground).await.is_none() {
        return;
    }
    for (name, code, is_syntax, kind, line) in [
        ("a syntax error", "print('ran')\nif True\n", true, "SyntaxError", Some(2)),
        ("an error", "x = 1\n\ndef f():\n    return x / 0\nf()\n", false, "ZeroDivisionError", Some(4)),
        ("in a library", "import json\njson.loads('{')\n", false, "JSONDecodeError", Some(2)),
    ] {
        let came = ground.script(code).await;
        let fault = came.end.fault.unwrap_or_else(|| panic!("{name}: {}", came.stderr));
        assert_eq!((fault.is_syntax, fault.kind.as_str(), fault.line), (is_syntax, kind, line), "{name}");
        assert_eq!(came.end.ending, Ending::Exited(1), "{name}");
        assert!(!came.stdout.contains("ran") && !came.stderr.contains("start.py"), "{name}: {}", came.stderr);
    }
    let came = ground.script("import sys\nsys.exit(3)").await;
    assert_eq!((came.end.ending, came.end.fault), (Ending::Exited(3), None));
}

#[tokio::test]
async fn a_script_reads_nothing_of_the_persons() {
    let ground = Ground::new();
    let Some(doors) = doors(&ground).await else { return };
    if open_here("reads", doors.reads) {
        return;
    }
    let secret = format!("open({:?}).read()", ground.home.path().join("secrets.enc"));
    let listing = format!("os.listdir({:?})", ground.home.path());
    let engine = format!("open('/proc/{}/environ').read()", std::process::id());
    let linked = format!("(os.symlink({:?}, 'way'), open('way').read())", ground.home.path().join("secrets.enc"));
    let hard = format!("os.link({:?}, 'hard')", ground.home.path().join("secrets.enc"));
    all_held(
        &ground,
        &[
            &secret,
            &listing,
            &engine,
            &linked,
            &hard,
            "open('/etc/shadow').read()",
            "open('/etc/passwd').read()",
            "os.listdir('/home')",
            "os.listdir(os.path.expanduser('~root'))",
            "open('../../../secrets.enc').read()",
            "open('/proc/self/root/etc/passwd').read()",
            "subprocess.run(['cat', '/etc/shadow'], check=True, capture_output=True)",
        ],
    )
    .await;
    let came = ground.script("import os\nprint(sorted(os.environ), dict(os.environ))").await;
    assert!(!came.stdout.contains("do not show") && !came.stdout.contains("SENTIENT_TEST_TOKEN"), "{}", came.stdout);
}

#[tokio::test]
async fn a_script_writes_only_into_its_own_folder() {
    let ground = Ground::new();
    let Some(doors) = doors(&ground).await else { return };
    if open_here("writes", doors.writes) {
        return;
    }
    let outside = ground.home.path().join("written");
    let write = format!("open({outside:?}, 'w')");
    let over = format!("open({:?}, 'a')", ground.home.path().join("secrets.enc"));
    let gone = format!("os.remove({:?})", ground.home.path().join("secrets.enc"));
    let moved = format!("(open('a', 'w').close(), os.rename('a', {outside:?}))");
    let shell = format!("subprocess.run(['sh', '-c', 'echo x > {}'], check=True)", outside.display());
    all_held(
        &ground,
        &[
            &write,
            &over,
            &gone,
            &moved,
            &shell,
            "open('/tmp/sentient-escape', 'w')",
            "open('/usr/sentient-escape', 'w')",
            "open('../lib/script.py', 'w')",
            "os.mkdir('../../other')",
        ],
    )
    .await;
    assert!(!outside.exists());
    // Modes, owners and times of files outside: the calls may seem to work, but nothing changes.
    let secret = ground.home.path().join("secrets.enc");
    let before = std::fs::metadata(&secret).expect("there");
    let code = format!(
        "import os, ctypes\nsecret = {secret:?}\nfor change in (lambda: os.chmod(secret, 0o777), lambda: os.utime(secret, (1, 1)),\n        lambda: ctypes.CDLL(None).fchmodat(-100, secret.encode(), 0o777, 0), lambda: os.chown(secret, 0, 0),\n        lambda: os.setxattr(secret, 'user.x', b'1')):\n    try:\n        change()\n    except OSError:\n        pass\nprint('end')\n"
    );
    assert_eq!(ground.script(&code).await.stdout, "end\n");
    let after = std::fs::metadata(&secret).expect("there");
    assert_eq!((after.permissions(), after.modified().ok()), (before.permissions(), before.modified().ok()));
    let secret = std::fs::read_to_string(ground.home.path().join("secrets.enc")).expect("still there");
    assert_eq!(secret, "the secret");
}

#[tokio::test]
async fn a_script_reaches_nobody() {
    let ground = Ground::new();
    let Some(doors) = doors(&ground).await else { return };
    if open_here("network", doors.network) {
        return;
    }
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let path = ground.home.path().join("door.sock");
    let _named = tokio::net::UnixListener::bind(&path).expect("a socket");
    let loopback = format!("socket.create_connection(('127.0.0.1', {port}), 2)");
    let v6 = format!("socket.create_connection(('::1', {port}), 2)");
    let page = format!("urllib.request.urlopen('http://127.0.0.1:{port}/', timeout=2)");
    let unix = format!("socket.socket(socket.AF_UNIX).connect({path:?})");
    let child = format!(
        "subprocess.run(['bash', '-c', 'echo x > /dev/tcp/127.0.0.1/{port}'], check=True, capture_output=True)"
    );
    all_held(
        &ground,
        &[
            &loopback,
            &v6,
            &page,
            &unix,
            &child,
            "socket.create_connection(('192.0.2.1', 80), 2)",
            "socket.getaddrinfo('example.com', 80)",
            "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 53))",
            "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
            "socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)",
            "socket.create_server(('127.0.0.1', 0))",
            // The filter must hold for children and threads too, and for calls made without libc's help.
            "subprocess.run([sys.executable, '-c', 'import socket; socket.socket()'], check=True, capture_output=True)",
            "assert ctypes.CDLL(None).syscall(425, 1, 0) >= 0",
            "assert ctypes.CDLL(None).syscall(41, 2, 1, 0) >= 0",
            "assert ctypes.CDLL(None).syscall(0x40000000 | 41, 2, 1, 0) >= 0",
        ],
    )
    .await;
    let connected = tokio::time::timeout(Duration::from_millis(1), listener.accept()).await;
    assert!(connected.is_err(), "somebody came through");
}

#[tokio::test]
async fn a_script_touches_no_other_program() {
    let ground = Ground::new();
    let Some(doors) = doors(&ground).await else { return };
    if open_here("processes", doors.processes) || open_here("privileges", doors.privileges) {
        return;
    }
    let engine = std::process::id();
    let kill = format!("os.kill({engine}, signal.SIGKILL)");
    let zero = format!("os.kill({engine}, 0)");
    let trace = format!("assert ctypes.CDLL(None).ptrace(16, {engine}, 0, 0) == 0");
    let memory = format!("open('/proc/{engine}/mem', 'rb').read(1)");
    let handle = format!("signal.pidfd_send_signal(os.pidfd_open({engine}), signal.SIGKILL)");
    all_held(
        &ground,
        &[
            &kill,
            &zero,
            &trace,
            &memory,
            &handle,
            "os.setuid(0)",
            "assert ctypes.CDLL(None).unshare(0x10000000) == 0",
            "assert ctypes.CDLL(None).mount(b'none', b'.', b'tmpfs', 0, None) == 0",
            "assert ctypes.CDLL(None).chroot(b'.') == 0",
            "assert ctypes.CDLL(None).personality(0xffffffff) != -1",
            "subprocess.run(['sudo', '-n', 'true'], check=True, capture_output=True)",
            "subprocess.run(['su', '-c', 'true'], check=True, capture_output=True)",
        ],
    )
    .await;
    let came = ground.script("import os\nos.kill(-1, 9) if os.getpid() > 9 else None\nprint('alive')").await;
    assert!(came.end.ending != Ending::TimedOut, "everybody else is alive: {}", came.stdout);
}

#[tokio::test]
async fn bombs_go_off_inside() {
    let ground = Ground::new();
    let Some(doors) = doors(&ground).await else { return };
    assert!(doors.limits, "bombs are held wherever there is a /proc to look at, and that is told: {doors:?}");
    let fork = "import os, time\nwhile True:\n    try:\n        if os.fork() == 0:\n            time.sleep(0.01)\n    except OSError:\n        os._exit(9)\n";
    let memory = "blocks = []\nwhile True:\n    blocks.append(bytearray(64 * 1024 * 1024))\n";
    let many = "import os\nfor _ in range(12):\n    if os.fork() == 0:\n        held = bytearray(512 * 1024 * 1024)\n        while True:\n            held[0] += 0\nwhile True:\n    pass\n";
    let threads = "import os, threading, time\nwhile True:\n    try:\n        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n    except (RuntimeError, MemoryError):\n        os._exit(9)\n";
    for (name, code) in [("fork", fork), ("threads", threads), ("memory", memory), ("memory of many", many)] {
        let limits = Ground::limits(SandboxBackend::Process, Duration::from_secs(40));
        let came = ground.script_with(code, limits).await.expect("it ran");
        let held = match came.end.ending {
            Ending::TooMuch(TooMuch::Memory | TooMuch::Processes) => true,
            Ending::Exited(code) => code != 0,
            Ending::TimedOut | Ending::Stopped => false,
        };
        assert!(held, "{name}: {:?} {}", came.end.ending, came.stderr);
        assert_eq!(
            processes_with(&ground.home.path().display().to_string()),
            Vec::<i32>::new(),
            "{name}: nothing is left"
        );
    }
    let disk = "with open('big', 'wb') as file:\n    while True:\n        file.write(b'x' * 8_000_000)\n";
    let came = ground.script(disk).await;
    assert!(came.end.fault.is_some_and(|fault| fault.kind == "OSError") || came.end.ending != Ending::Exited(0));
    assert!(came.end.files.is_empty(), "too big to be kept");
}

#[tokio::test]
async fn whoever_asks_at_once_hears_the_same_of_the_doors() {
    let ground = Ground::new();
    let asked = (0..4).map(|_| ground.scripts.state(SandboxBackend::Process));
    let states = futures::future::join_all(asked).await;
    assert!(states.iter().all(|state| state.doors == states[0].doors), "{states:?}");
    assert_eq!(states[0].doors.confined, states[0].doors.warning.is_none());
}

#[tokio::test]
async fn a_gigabyte_of_words_fills_no_memory() {
    let ground = Ground::new();
    if doors(&ground).await.is_none() {
        return;
    }
    let code =
        "import os\nline = b'x' * 1_048_576\nfor _ in range(1024):\n    os.write(1, line)\nos.write(2, b'end')\n";
    let came = ground.script(code).await;
    assert_eq!(came.end.ending, Ending::Exited(0), "{}", came.stderr);
    assert_eq!(came.stderr, "end");
}

#[tokio::test]
async fn nothing_of_a_script_outlives_it() {
    let ground = Ground::new();
    if doors(&ground).await.is_none() {
        return;
    }
    let number = format!("{}", 8_000_000 + std::process::id());
    let leave = format!(
        "import subprocess, os\nsubprocess.Popen(['sleep', '{number}'], start_new_session=True, env={{}})\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.execv('/usr/bin/env', ['env', '-i', 'sleep', '{number}'])\n    os._exit(0)\n"
    );
    let came = ground.script(&leave).await;
    assert_eq!(came.end.ending, Ending::Exited(0), "{}", came.stderr);
    assert_eq!(processes_with(&number), Vec::<i32>::new());

    let endless = format!("{leave}\nwhile True:\n    pass\n");
    let limits = Ground::limits(SandboxBackend::Process, Duration::from_secs(3));
    let came = ground.script_with(&endless, limits).await.expect("it ran");
    assert_eq!(came.end.ending, Ending::TimedOut);
    assert_eq!(processes_with(&number), Vec::<i32>::new());
    assert_eq!(processes_with(&ground.home.path().display().to_string()), Vec::<i32>::new());

    let mut running = Box::pin(ground.script(&endless));
    tokio::select! {
        biased;
        _ = &mut running => panic!("it never ends"),
        () = begun(&number) => (),
    }
    drop(running);
    assert_eq!(processes_with(&number), Vec::<i32>::new());
    assert_eq!(processes_with(&ground.home.path().display().to_string()), Vec::<i32>::new());
    assert_eq!(std::fs::read_dir(ground.home.path().join("sandbox")).expect("runs").count(), 0);
}

async fn begun(word: &str) {
    while processes_with(word).is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_script_cannot_ask_for_more_than_a_message_holds() {
    let ground = Ground::new();
    if doors(&ground).await.is_none() {
        return;
    }
    let came = ground.script("tools.echo(text='x' * 5_000_000)").await;
    let fault = came.end.fault.map(|fault| fault.kind).unwrap_or_default();
    assert!(came.end.ending == Ending::Exited(1), "{:?} {fault} {}", came.end.ending, came.stderr);
    assert_eq!(came.calls, 0);
}
