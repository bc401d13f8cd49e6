//! What is shown and sent, one step after the other: a plain function of what was heard and typed.
//!
//! It does no input and no output of its own, and never decides what an answer allows: it sends what was typed, the
//! engine decides.

use super::commands::{self, Command};
use super::incoming::{Event, Frame, Question, UndoWindow};
use super::paper::Paper;
use super::plain::{line, tool_name};
use super::{Ending, Look, card};
use serde_json::{Value, json};
use std::collections::VecDeque;

/// Something that happened.
#[derive(Debug, Clone)]
pub(super) enum Input {
    Frame(Box<Frame>),
    /// A line the person typed, and a fresh name for it should it be a message.
    Line(String, String),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    Closed,
    Lost,
    Back,
    /// What happened meanwhile cannot be told any more: the engine was started anew.
    Restarted,
    /// A chat was opened or made; its id and what to call it.
    Opened(String, String),
    Attached(String),
}

/// Something to do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    Print(String),
    /// A frame for `/ws`; with the name of a message it is sent again until the engine has taken it.
    Send {
        frame: Value,
        client_id: Option<String>,
    },
    /// The engine has taken this message.
    Taken(String),
    Fetch(Fetch),
    Leave(Ending),
}

/// A request over HTTP; what comes of it is printed or comes back as an [`Input`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fetch {
    Files,
    Sessions,
    Models,
    Search(String),
    Attach(String),
    /// `None`: the default again. `session` is `None` for a chat that has not begun.
    SetModel {
        session: Option<String>,
        model: Option<String>,
    },
    Open(String),
    StopAll,
    Resume,
}

/// Where the conversation is.
pub(super) struct Conversation {
    look: Look,
    session: Option<String>,
    incognito: bool,
    /// Names of our messages that the engine has not taken yet.
    waiting: Vec<String>,
    running: bool,
    paper: Paper,
    thinking: String,
    questions: VecDeque<Question>,
    undo: Option<String>,
    attached: Vec<String>,
    /// Ctrl-C was pressed and nothing was typed since.
    interrupted: bool,
    /// An error was printed for this reply.
    told_error: bool,
}

impl Conversation {
    pub(super) fn new(look: Look, session: Option<String>, attached: Vec<String>, incognito: bool) -> Self {
        Self {
            look,
            session,
            incognito,
            waiting: Vec::new(),
            running: false,
            paper: Paper::new(look),
            thinking: String::new(),
            questions: VecDeque::new(),
            undo: None,
            attached,
            interrupted: false,
            told_error: false,
        }
    }

    pub(super) fn is_incognito(&self) -> bool {
        self.incognito
    }

    pub(super) fn on(&mut self, input: Input) -> Vec<Effect> {
        match input {
            Input::Frame(frame) => self.heard(*frame),
            Input::Line(text, client_id) => {
                self.interrupted = false;
                self.typed(&text, client_id)
            }
            Input::Interrupt => self.interrupt(),
            Input::Closed => self.leave(),
            Input::Lost => vec![self.dim("The connection to Sentient broke. Trying again…")],
            Input::Back => vec![self.dim("Connected again.")],
            Input::Restarted => {
                // A reply that goes on says so itself, and open questions are asked again under new names.
                let session = self.session.take();
                self.begin_chat(session);
                Vec::new()
            }
            Input::Opened(session, name) => {
                let named = line(&name, self.look.width.saturating_sub(10));
                self.begin_chat(Some(session));
                vec![self.dim(&format!("In chat: {named}"))]
            }
            Input::Attached(name) => {
                let shown = self.dim(&format!("{} goes with your next message.", line(&name, 80)));
                self.attached.push(name);
                vec![shown]
            }
        }
    }

    fn begin_chat(&mut self, session: Option<String>) {
        self.session = session;
        self.running = false;
        self.paper = Paper::new(self.look);
        self.thinking.clear();
        self.questions.clear();
        self.undo = None;
    }

    fn dim(&self, text: &str) -> Effect {
        Effect::Print(if self.look.colour { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() })
    }

    fn strong(&self, text: &str) -> Effect {
        Effect::Print(if self.look.colour { format!("\u{1b}[33m{text}\u{1b}[0m") } else { text.to_owned() })
    }

    fn typed(&mut self, text: &str, client_id: String) -> Vec<Effect> {
        let text = text.trim_end_matches(['\n', '\r']);
        if text.trim().is_empty() {
            return Vec::new();
        }
        // What was pasted with several lines is what the person wants read, whatever its first line looks like.
        let lines = text.lines().count();
        if lines > 1 {
            return self.pasted(text, lines, client_id);
        }
        match commands::read(text) {
            Some(Ok(command)) => return self.command(command),
            Some(Err(why)) => return vec![self.dim(&why)],
            None => (),
        }
        if let Some(question) = self.questions.front() {
            let Some(decision) = card::answer(question, text) else {
                return vec![self.strong("Answer the question above with the number of an answer first.")];
            };
            let frame =
                json!({ "type": "approval.respond", "approval_id": question.approval_id, "decision": decision });
            return vec![Effect::Send { frame, client_id: None }];
        }
        self.say(text, client_id)
    }

    /// Several lines are one message, never a command and never an answer to a question.
    fn pasted(&mut self, text: &str, lines: usize, client_id: String) -> Vec<Effect> {
        if !self.questions.is_empty() {
            return vec![self.strong(
                "Answer the question above first. The lines you pasted were not sent; the arrow up brings them back.",
            )];
        }
        let mut effects = vec![self.dim(&format!("[{lines} lines, sent as one message]"))];
        effects.extend(self.say(text, client_id));
        effects
    }

    fn say(&mut self, text: &str, client_id: String) -> Vec<Effect> {
        let mut frame = json!({ "type": "chat.send", "text": text, "client_id": client_id });
        if let Some(session) = &self.session {
            frame["session_id"] = json!(session);
            if self.running && self.attached.is_empty() {
                frame["type"] = json!("chat.steer");
            }
        } else if self.incognito {
            frame["incognito"] = json!(true);
        }
        if !self.attached.is_empty() {
            frame["attachments"] = json!(std::mem::take(&mut self.attached));
        }
        self.waiting.push(client_id.clone());
        self.running = true;
        vec![Effect::Send { frame, client_id: Some(client_id) }]
    }

    fn command(&mut self, command: Command) -> Vec<Effect> {
        let fetch = |what| vec![Effect::Fetch(what)];
        match command {
            Command::New | Command::Incognito => {
                self.incognito = command == Command::Incognito;
                self.begin_chat(None);
                let kept = if self.incognito { "A new chat that will not be kept." } else { "A new chat." };
                vec![self.dim(kept)]
            }
            Command::Model(None) => fetch(Fetch::Models),
            Command::Model(Some(name)) => {
                let model = (name != "default").then_some(name);
                fetch(Fetch::SetModel { session: self.session.clone(), model })
            }
            Command::Stop if self.running => self.cancel(),
            Command::Stop => vec![self.dim("Nothing is being written.")],
            Command::StopAll => fetch(Fetch::StopAll),
            Command::Resume => fetch(Fetch::Resume),
            Command::Files => fetch(Fetch::Files),
            Command::Attach(path) => fetch(Fetch::Attach(path)),
            Command::Search(words) => fetch(Fetch::Search(words)),
            Command::Sessions => fetch(Fetch::Sessions),
            Command::Open(id) => fetch(Fetch::Open(id)),
            Command::Undo => self.answer_undo("undo"),
            Command::SendNow => self.answer_undo("send_now"),
            Command::Help => vec![Effect::Print(commands::HELP.to_owned())],
            Command::Quit => self.leave(),
        }
    }

    fn answer_undo(&self, action: &str) -> Vec<Effect> {
        let Some(undo_id) = &self.undo else { return vec![self.dim("Nothing is waiting to be sent.")] };
        let frame = json!({ "type": "undo.respond", "undo_id": undo_id, "action": action });
        vec![Effect::Send { frame, client_id: None }]
    }

    fn cancel(&self) -> Vec<Effect> {
        let Some(session) = &self.session else { return Vec::new() };
        vec![Effect::Send { frame: json!({ "type": "chat.cancel", "session_id": session }), client_id: None }]
    }

    fn interrupt(&mut self) -> Vec<Effect> {
        if self.interrupted {
            return vec![Effect::Leave(if self.running { Ending::Stopped } else { Ending::Done })];
        }
        self.interrupted = true;
        let mut effects = if self.running { self.cancel() } else { Vec::new() };
        effects.push(self.dim(if self.running {
            "Stopping. Ctrl-C again to leave."
        } else {
            "Ctrl-C again to leave, or go on typing."
        }));
        effects
    }

    fn leave(&self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.running {
            effects.push(self.dim("The reply goes on without you. `sentient chat --continue` shows it."));
        }
        effects.push(Effect::Leave(Ending::Done));
        effects
    }

    fn heard(&mut self, frame: Frame) -> Vec<Effect> {
        let ours = match &frame.event {
            Event::Session { client_id } | Event::SteerAck { client_id } => {
                return self.taken(client_id.as_deref(), frame.session_id);
            }
            Event::Error { client_id: Some(client_id), .. } | Event::Done { client_id: Some(client_id), .. }
                if self.waiting.contains(client_id) =>
            {
                let effects = self.taken(Some(client_id.clone().as_str()), None);
                return effects.into_iter().chain(self.event(frame.event)).collect();
            }
            Event::ApprovalAck { .. } | Event::UndoAck { .. } => true,
            Event::Error { .. } if frame.session_id.is_none() => true,
            _ => frame.session_id.is_some() && frame.session_id == self.session,
        };
        if ours { self.event(frame.event) } else { Vec::new() }
    }

    /// The engine has taken a message; the first of a new chat also says which chat it is.
    fn taken(&mut self, client_id: Option<&str>, session: Option<String>) -> Vec<Effect> {
        let at = self.waiting.iter().position(|waiting| Some(waiting.as_str()) == client_id);
        let Some(at) = at else {
            // Another window began a reply in this chat.
            if session.is_some() && session == self.session {
                self.running = true;
            }
            return Vec::new();
        };
        let name = self.waiting.remove(at);
        if self.session.is_none() {
            self.session = session;
        }
        vec![Effect::Taken(name)]
    }

    fn event(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::ThinkingDelta { text } => {
                self.thinking.push_str(&text);
                Vec::new()
            }
            Event::TextDelta { text } => {
                let mut effects = self.thought();
                effects.extend(self.paper.write(&text).into_iter().map(Effect::Print));
                effects
            }
            Event::ToolCall { name, arguments } => {
                let mut effects = self.end_text();
                let with = first_words(&arguments, self.look.width.saturating_sub(name.chars().count() + 6));
                effects.push(self.dim(&format!("→ {}{with}", tool_name(&name))));
                effects
            }
            Event::ToolResult { result, is_error } => self.result(&result, is_error),
            Event::ApprovalRequest(question) => {
                let mut effects = self.end_text();
                effects.push(self.strong(&card::text(&question)));
                self.questions.push_back(question);
                effects
            }
            Event::ApprovalAck { approval_id } => self.answered(&approval_id),
            Event::UndoWindow(window) => self.window(window),
            Event::UndoAck { undo_id } => {
                self.undo.take_if(|open| *open == undo_id);
                Vec::new()
            }
            Event::Error { message, recoverable, .. } => {
                let mut effects = self.end_text();
                self.told_error |= !recoverable;
                effects.push(self.strong(&super::plain::neutral(&message)));
                effects
            }
            Event::Notice { message } => vec![self.dim(&super::plain::neutral(&message))],
            Event::Usage { context_warning: Some(warning) } => vec![self.dim(&line(&warning, 300))],
            Event::Done { cancelled, error, .. } => self.done(cancelled, error),
            _ => Vec::new(),
        }
    }

    /// One line of what the model thought, once it says or does something.
    fn thought(&mut self) -> Vec<Effect> {
        let thinking = std::mem::take(&mut self.thinking);
        if thinking.trim().is_empty() {
            return Vec::new();
        }
        vec![self.dim(&format!("… {}", line(&thinking, self.look.width.saturating_sub(4))))]
    }

    fn end_text(&mut self) -> Vec<Effect> {
        let mut effects = self.thought();
        effects.extend(self.paper.end().into_iter().map(Effect::Print));
        effects
    }

    fn result(&self, result: &Value, is_error: bool) -> Vec<Effect> {
        let width = self.look.width.saturating_sub(4);
        if result["handed_off"] == true {
            let label = result["title"].as_str().unwrap_or("it");
            let mut text = format!("Ready for you: {}", line(label, width));
            if let Ok(preview) = serde_json::from_value(result["preview"].clone()) {
                text.push_str(&card::preview_text(&preview));
            }
            return vec![self.strong(&text)];
        }
        if !is_error {
            return Vec::new();
        }
        let why = result["error"].as_str().map_or_else(|| result.to_string(), str::to_owned);
        vec![self.dim(&format!("  ✗ {}", line(&why, width)))]
    }

    fn answered(&mut self, approval_id: &str) -> Vec<Effect> {
        let before = self.questions.len();
        self.questions.retain(|question| question.approval_id != approval_id);
        let shown_before = before > self.questions.len();
        match self.questions.front() {
            Some(next) if shown_before => vec![self.strong(&card::text(next))],
            _ => Vec::new(),
        }
    }

    fn window(&mut self, window: UndoWindow) -> Vec<Effect> {
        let mut effects = self.end_text();
        let seconds = window.seconds.round();
        let title = window.preview.as_ref().map_or("It", |preview| preview.title.as_str());
        let mut text = format!("{} is sent in {seconds} s. /undo takes it back, /send sends it now.", line(title, 60));
        if let Some(preview) = &window.preview {
            text.push_str(&card::preview_text(preview));
        }
        effects.push(self.strong(&text));
        self.undo = Some(window.undo_id);
        effects
    }

    fn done(&mut self, cancelled: bool, error: Option<String>) -> Vec<Effect> {
        let mut effects = self.end_text();
        if let Some(error) = error.filter(|_| !self.told_error) {
            effects.push(self.strong(&super::plain::neutral(&error)));
        }
        if cancelled {
            effects.push(self.dim("(stopped)"));
        }
        effects.push(Effect::Print(String::new()));
        self.running = !self.waiting.is_empty();
        (self.told_error, self.undo) = (false, None);
        self.questions.clear();
        effects
    }
}

/// The first thing a call names, in brackets of a line: ` "rust actors"`.
fn first_words(arguments: &Value, characters: usize) -> String {
    let first = arguments.as_object().and_then(|object| object.values().find_map(Value::as_str));
    first.map_or_else(String::new, |text| format!(" \"{}\"", line(text, characters)))
}

#[cfg(test)]
mod tests;
