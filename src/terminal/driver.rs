//! Keyboard, socket and printer of a conversation: reads lines while the reply is being written, keeps the connection,
//! and sends what was typed exactly once.

use super::client::{Client, encoded};
use super::conversation::{Conversation, Effect, Fetch, Input};
use super::incoming::{Event, Frame};
use super::{Ending, Look, lists};
use futures::{SinkExt, StreamExt};
use protocol::{Error, ErrorKind};
use reqwest::Method;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor, ExternalPrinter};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::{Duration, interval, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// How long a connection may take to be made.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Wait before a lost connection is tried again: doubled each time, up to the second.
const RETRY: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(5));
/// How often the engine hears that somebody is here (client.md section 4: silence of 60 s closes the socket).
const PING_EVERY: Duration = Duration::from_secs(20);
/// Lines kept for the arrow keys.
const HISTORY_LINES_MAX: usize = 1_000;
/// Where they are kept, for their owner only.
const HISTORY_FILE: &str = "terminal.history";
const PROMPT: &str = "> ";

/// How a conversation begins.
pub(super) struct Start {
    pub(super) first: Option<String>,
    pub(super) session: Option<String>,
    pub(super) attached: Vec<String>,
    pub(super) incognito: bool,
    pub(super) look: Look,
}

/// What the keyboard brought.
enum Key {
    Line(String),
    Interrupt,
    End,
}

struct Driver {
    client: Client,
    talk: Conversation,
    look: Look,
    socket: Option<Socket>,
    /// The newest frame that was heard.
    seq: Option<u64>,
    /// Messages the engine has not taken yet: sent again after a break. It takes each name once.
    unsent: VecDeque<(Option<String>, Value)>,
    printer: Box<dyn ExternalPrinter + Send>,
    /// The chat is incognito.
    private: Arc<AtomicBool>,
}

/// Holds the conversation until the person leaves.
///
/// # Errors
/// No engine answers at the start, or this is no terminal that can be read from.
pub(super) async fn run(client: Client, start: Start, home: Option<&Path>) -> Result<Ending, Error> {
    let socket = connect(&client, None).await?;
    let private = Arc::new(AtomicBool::new(start.incognito));
    let (mut keys, printer) = keyboard(home, private.clone())?;
    let talk = Conversation::new(start.look, start.session, start.attached, start.incognito);
    let (socket, look) = (Some(socket), start.look);
    let mut driver = Driver { client, talk, look, socket, seq: None, unsent: VecDeque::new(), printer, private };
    if let Some(text) = start.first.filter(|text| !text.trim().is_empty()) {
        driver.print(&format!("{PROMPT}{}", super::plain::neutral(&text)));
        driver.on(Input::Line(text, new_name())).await;
    }
    let mut pings = interval(PING_EVERY);
    loop {
        let ending = tokio::select! {
            biased;
            key = keys.recv() => driver.key(key).await,
            frame = next(&mut driver.socket), if driver.socket.is_some() => driver.frame(frame).await,
            socket = again(&driver.client, driver.seq), if driver.socket.is_none() => {
                driver.socket = Some(socket);
                driver.back().await
            }
            _ = pings.tick() => {
                driver.send(None, json!({ "type": "ping" })).await;
                None
            }
        };
        if let Some(ending) = ending {
            return Ok(ending);
        }
    }
}

/// Sends one frame on a connection of its own.
pub(super) async fn say_once(client: &Client, frame: &Value) -> Result<(), Error> {
    let mut socket = connect(client, None).await?;
    let sent = async {
        socket.send(Message::text(frame.to_string())).await?;
        socket.close(None).await
    };
    timeout(CONNECT_MAX, sent).await.map_err(|_| gone())?.map_err(|_| gone())
}

fn gone() -> Error {
    Error::new(ErrorKind::Unavailable, "Sentient does not answer.")
        .hint("Is it still running? `sentient doctor` looks.")
}

async fn connect(client: &Client, since: Option<u64>) -> Result<Socket, Error> {
    let connecting = tokio_tungstenite::connect_async(client.socket(since));
    let connected = timeout(CONNECT_MAX, connecting).await.map_err(|_| gone())?;
    connected.map(|(socket, _)| socket).map_err(|_| gone())
}

/// Tries until it works.
async fn again(client: &Client, since: Option<u64>) -> Socket {
    let mut wait = RETRY.0;
    loop {
        sleep(wait).await;
        match connect(client, since).await {
            Ok(socket) => return socket,
            Err(_) => wait = (wait * 2).min(RETRY.1),
        }
    }
}

async fn next(socket: &mut Option<Socket>) -> Option<String> {
    let socket = socket.as_mut()?;
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => return Some(text.to_string()),
            Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
            Some(Ok(_)) => (),
        }
    }
}

fn new_name() -> String {
    uuid::Uuid::now_v7().simple().to_string()
}

/// Reads lines on a thread that may block, and prints above the line being typed.
fn keyboard(
    home: Option<&Path>,
    private: Arc<AtomicBool>,
) -> Result<(mpsc::Receiver<Key>, Box<dyn ExternalPrinter + Send>), Error> {
    let no_terminal = |cause: ReadlineError| Error::internal(format!("The terminal cannot be read from: {cause}."));
    // A terminal says where a paste begins and ends, so its line ends are text and not the end of a message.
    let config = Config::builder().bracketed_paste(true).max_history_size(HISTORY_LINES_MAX).map_err(no_terminal)?;
    let mut editor: Editor<(), FileHistory> = Editor::with_config(config.build()).map_err(no_terminal)?;
    let printer = editor.create_external_printer().map_err(no_terminal)?;
    let file = home.map(|home| home.join(HISTORY_FILE));
    if let Some(file) = &file
        && editor.load_history(file).is_err()
    {
        tracing::debug!("no history yet");
    }
    let (to_driver, keys) = mpsc::channel(16);
    tokio::task::spawn_blocking(move || read_lines(&mut editor, &to_driver, (file, private)));
    Ok((keys, Box::new(printer)))
}

fn read_lines(
    editor: &mut Editor<(), FileHistory>,
    keys: &mpsc::Sender<Key>,
    (file, private): (Option<PathBuf>, Arc<AtomicBool>),
) {
    loop {
        let (key, last) = match editor.readline(PROMPT) {
            Ok(line) => {
                // What is said in an incognito chat is kept nowhere, so not for the arrow keys either.
                if !private.load(Ordering::Acquire) {
                    remember(editor, &line, file.as_deref());
                }
                (Key::Line(line), false)
            }
            Err(ReadlineError::Interrupted) => (Key::Interrupt, false),
            Err(_) => (Key::End, true),
        };
        if keys.blocking_send(key).is_err() || last {
            return;
        }
    }
}

/// A history that cannot be kept is no reason to stop a conversation.
fn remember(editor: &mut Editor<(), FileHistory>, line: &str, file: Option<&Path>) {
    let added = editor.add_history_entry(line).unwrap_or(false);
    let Some(file) = file.filter(|_| added) else { return };
    if let Err(error) = editor.append_history(file) {
        tracing::debug!(%error, "what was typed is not kept");
    }
    #[cfg(unix)]
    if let Err(error) = std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o600)) {
        tracing::debug!(%error, "the history could not be made private");
    }
}

impl Driver {
    async fn key(&mut self, key: Option<Key>) -> Option<Ending> {
        let input = match key {
            Some(Key::Line(line)) => Input::Line(line, new_name()),
            Some(Key::Interrupt) => Input::Interrupt,
            Some(Key::End) | None => Input::Closed,
        };
        self.on(input).await
    }

    async fn frame(&mut self, text: Option<String>) -> Option<Ending> {
        let Some(text) = text else {
            self.socket = None;
            return self.on(Input::Lost).await;
        };
        let frame = Frame::read(&text)?;
        if let Event::Hello { seq, resync } = &frame.event {
            let lost = *resync;
            if self.seq.is_none() || lost {
                self.seq = *seq;
            }
            return if lost { self.on(Input::Restarted).await } else { None };
        }
        if let Some(seq) = frame.seq {
            if self.seq.is_some_and(|newest| seq <= newest) {
                return None; // heard before the break
            }
            self.seq = Some(seq);
        }
        self.on(Input::Frame(Box::new(frame))).await
    }

    async fn back(&mut self) -> Option<Ending> {
        let waiting: Vec<Value> = self.unsent.iter().map(|(_, frame)| frame.clone()).collect();
        self.unsent.retain(|(name, _)| name.is_some());
        for frame in waiting {
            self.put(&frame).await;
        }
        self.on(Input::Back).await
    }

    /// Does what follows from an input, and from what that brings.
    async fn on(&mut self, input: Input) -> Option<Ending> {
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            for effect in self.talk.on(input) {
                match effect {
                    Effect::Print(text) => self.print(&text),
                    Effect::Send { frame, client_id } => self.send(client_id, frame).await,
                    Effect::Taken(name) => self.unsent.retain(|(waiting, _)| waiting.as_ref() != Some(&name)),
                    Effect::Fetch(what) => match self.fetch(what).await {
                        Ok(Some(input)) => inputs.push_back(input),
                        Ok(None) => (),
                        Err(error) => self.print(&super::plain::neutral(&error.detail())),
                    },
                    Effect::Leave(ending) => return Some(ending),
                }
            }
        }
        self.private.store(self.talk.is_incognito(), Ordering::Release);
        None
    }

    fn print(&mut self, text: &str) {
        if let Err(error) = self.printer.print(format!("{text}\n")) {
            tracing::debug!(%error, "nothing can be printed");
        }
    }

    async fn send(&mut self, name: Option<String>, frame: Value) {
        let ping = frame["type"] == "ping";
        if self.put(&frame).await || ping {
            if let Some(name) = name {
                self.unsent.push_back((Some(name), frame));
            }
        } else {
            self.unsent.push_back((name, frame));
        }
    }

    /// Whether it went out.
    async fn put(&mut self, frame: &Value) -> bool {
        let Some(socket) = self.socket.as_mut() else { return false };
        let sent = timeout(CONNECT_MAX, socket.send(Message::text(frame.to_string()))).await;
        matches!(sent, Ok(Ok(())))
    }

    async fn fetch(&mut self, what: Fetch) -> Result<Option<Input>, Error> {
        let client = self.client.clone();
        let width = self.look.width;
        let shown = match what {
            Fetch::Files => lists::files_table(&client.get("/api/files").await?),
            Fetch::Sessions => lists::sessions_table(&client.get("/api/sessions?limit=20").await?, width),
            Fetch::Search(words) => {
                let path = format!("/api/sessions/search?q={}", encoded(&words));
                lists::hits_table(&client.get(&path).await?, width)
            }
            Fetch::Models => {
                let (config, local) = (client.get("/api/config").await?, client.get("/api/models/local").await?);
                lists::models_table(&config, &local)
            }
            Fetch::Attach(path) => return Ok(Some(Input::Attached(client.upload(Path::new(&path)).await?))),
            Fetch::SetModel { session, model } => return self.set_model(session, model).await,
            Fetch::Open(id) => {
                let rows = client.get(&format!("/api/sessions/{}/messages?limit=500", encoded(&id))).await?;
                let last = rows.as_array().and_then(|rows| rows.iter().rfind(|row| row["role"] == "assistant"));
                let last = last.and_then(|row| row["content"].as_str()).unwrap_or("(no answer yet)").to_owned();
                return Ok(Some(Input::Opened(id, last)));
            }
            Fetch::StopAll => {
                let stopped = client.json(Method::POST, "/api/stop-all", Some(&json!({ "source": "desktop" }))).await?;
                format!(
                    "All work was stopped ({} running). /resume lets it go on.",
                    stopped["cancelled"].as_u64().unwrap_or(0)
                )
            }
            Fetch::Resume => {
                client.json(Method::POST, "/api/resume", Some(&json!({ "source": "desktop" }))).await?;
                "Work goes on.".to_owned()
            }
        };
        self.print(&shown);
        Ok(None)
    }

    async fn set_model(&mut self, session: Option<String>, model: Option<String>) -> Result<Option<Input>, Error> {
        let named = model.clone().unwrap_or_else(|| "the default model".to_owned());
        let Some(session) = session else {
            let path = format!("/api/sessions?model={}", encoded(model.as_deref().unwrap_or_default()));
            let made = self.client.json(Method::POST, &path, None).await?;
            let id = made["session_id"].as_str().unwrap_or_default().to_owned();
            return Ok(Some(Input::Opened(id, format!("a new one that uses {named}"))));
        };
        let path = format!("/api/sessions/{}", encoded(&session));
        self.client.json(Method::PATCH, &path, Some(&json!({ "model": model }))).await?;
        self.print(&format!("This chat uses {} from now on.", super::plain::line(&named, 100)));
        Ok(None)
    }
}
