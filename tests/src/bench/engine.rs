//! The program itself, built and started as a process, and what the system says of it.

use super::Trouble;
use super::client::{Connection, Heard};
use crate::model_server::{ModelServer, Reply};
use bytes::Bytes;
use runtime::Scope;
use serde_json::json;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{Duration, Instant, timeout};

/// The model of every bench, behind `OpenAI`'s wire.
pub(super) const MODEL: &str = "openai/bench";
/// What the person says.
const WORDS: &str = "Say it again.";
/// The engine's token.
const TOKEN: &str = "a token for benches only";
/// How long a start or an orderly end may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Ticks of a second in `/proc/<pid>/stat`; the same on every Linux (`man 5 proc`).
const TICKS: f64 = 100.0;

/// Builds the program as this one was built, so that it lies beside it.
pub(super) async fn build() -> Result<(), Trouble> {
    // The cargo that runs the bench, with the features of the workspace: they are compiled already.
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--workspace", "--bin", "sentient"]).current_dir(root());
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let status = cargo.status().await?;
    if status.success() { Ok(()) } else { Err("the program does not build".into()) }
}

/// The folder of the workspace.
pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// The program lies beside this one.
fn program() -> Result<PathBuf, Trouble> {
    let folder = std::env::current_exe()?.parent().ok_or("this program lies in no folder")?.to_owned();
    Ok(folder.join(format!("sentient{}", std::env::consts::EXE_SUFFIX)))
}

/// A data folder with chats that are not given names by a model, since that would be a second model call of each chat.
pub(super) fn home_without_titles() -> Result<TempDir, Trouble> {
    let home = TempDir::new()?;
    std::fs::write(home.path().join("config.yaml"), "chat:\n  auto_title: false\n")?;
    Ok(home)
}

/// A running engine. Dropped, it is killed.
pub(super) struct Engine {
    child: Child,
    pub(super) address: SocketAddr,
    /// From its start to its first line, which says where it answers.
    pub(super) spoke_after: Duration,
    pub(super) began: Instant,
    scope: Scope,
}

impl Engine {
    /// Starts the program on a data folder, with the model at `model`.
    pub(super) async fn start(home: &Path, model: &ModelServer) -> Result<Self, Trouble> {
        let program = program()?;
        let mut command = Command::new(program);
        command
            .args(["serve", "--host", "127.0.0.1", "--port", "0", "--model", MODEL])
            .env_clear()
            .env("HOME", home)
            .env("SENTIENT_HOME", home)
            .env("SENTIENT_GATEWAY_TOKEN", TOKEN)
            .env("SENTIENT_BASES", format!("openai={}", model.openai_base()))
            .env("OPENAI_API_KEY", "bench")
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let began = Instant::now();
        let mut child = command.spawn()?;
        let stdout = child.stdout.take().ok_or("the program has no output")?;
        let mut line = String::new();
        timeout(PATIENCE, BufReader::new(stdout).read_line(&mut line)).await??;
        let spoke_after = began.elapsed();
        let address = line.trim().rsplit('/').next().unwrap_or_default();
        let address = address.parse().map_err(|_| format!("the program began with {line:?}"))?;
        Ok(Self { child, address, spoke_after, began, scope: Scope::new() })
    }

    pub(super) async fn connect(&self) -> Result<Connection, Trouble> {
        Connection::open(&self.scope, self.address, TOKEN).await
    }

    /// Ends it in order, so that the next start finds a store that was closed.
    pub(super) async fn stop(mut self) -> Result<(), Trouble> {
        let pid = self.child.id().ok_or("the engine has ended by itself")?;
        Command::new("sh").args(["-c", &format!("kill -TERM {pid}")]).status().await?;
        timeout(PATIENCE, self.child.wait()).await??;
        Ok(())
    }

    /// Bytes of memory it holds: all of its resident pages, those of the program file included.
    pub(super) fn resident(&self) -> Result<f64, Trouble> {
        let status = self.proc("status")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
        let kib: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
        Ok(kib * 1_024.0)
    }

    /// Seconds of processor time it has used so far.
    pub(super) fn processor(&self) -> Result<f64, Trouble> {
        let stat = self.proc("stat")?;
        // The name, which may hold anything, ends with the last bracket; `utime` and `stime` are fields 14 and 15.
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: Vec<f64> = fields.skip(11).take(2).map(str::parse).collect::<Result<_, _>>()?;
        Ok(ticks.iter().sum::<f64>() / TICKS)
    }

    fn proc(&self, file: &str) -> Result<String, Trouble> {
        let pid = self.child.id().ok_or("the engine has ended by itself")?;
        Ok(std::fs::read_to_string(format!("/proc/{pid}/{file}"))?)
    }
}

/// A message in a new chat, or in one there is.
pub(super) fn message(session: Option<&str>) -> Bytes {
    Bytes::from(json!({ "text": WORDS, "session_id": session }).to_string())
}

/// One turn; every reply repeats its words once more in its `done`.
pub(super) async fn turn(connection: &mut Connection, session: Option<&str>, tokens: usize) -> Result<Heard, Trouble> {
    connection.post("/api/chat", message(session)).await?.expect_words(2 * tokens)
}

/// Asks the model itself what the engine would ask it.
pub(super) async fn direct(connection: &mut Connection, body: &Bytes, tokens: usize) -> Result<Heard, Trouble> {
    connection.post("/v1/chat/completions", body.clone()).await?.expect_words(tokens)
}

/// A connection to the model itself.
pub(super) async fn connect_model(scope: &Scope, model: &ModelServer) -> Result<Connection, Trouble> {
    let address = model.base().rsplit('/').next().unwrap_or_default().parse()?;
    Connection::open(scope, address, "bench").await
}

/// The request the engine sends for the first message of a chat, so that the peer sends the very same.
pub(super) async fn request_of_a_turn() -> Result<Bytes, Trouble> {
    let model = ModelServer::start([Reply::tokens(1)]).await;
    let home = home_without_titles()?;
    let engine = Engine::start(home.path(), &model).await?;
    turn(&mut engine.connect().await?, None, 1).await?;
    let sent = model.requests().first().map(|seen| Bytes::from(seen.body.to_string()));
    model.forgive();
    sent.ok_or_else(|| "the engine asked nothing".into())
}
