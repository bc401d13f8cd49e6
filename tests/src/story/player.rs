//! Plays a story. Between two `crash` lines it has a runtime of its own, whose end takes everything with it.

use crate::apps::TestApps;
use crate::story::{Line, TestEngine, TestSetup, parse};
use actors::chats::requests::{NewChat, NewMessage};
use actors::live::{Delivery, Subscription};
use protocol::approvals::Via;
use protocol::ids::{ApprovalId, SessionId, UndoId};
use protocol::memory_requests::NewMemory;
use protocol::model::{ModelCall, PromptMessage};
use protocol::rule_proposals::{ProposalStatus, RuleProposal};
use protocol::sessions::MessageRole;
use protocol::subagents::Subagent;
use serde_json::Value;
use tokio::time::{Duration, timeout};

/// How long, on the story's clock, an expected thing may take.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// Plays a story and checks every expectation in it.
///
/// # Panics
/// When something expected does not happen, naming the line.
pub fn play(name: &str, story: &str) {
    let lines = parse(story);
    let with_apps = |line: &Line| matches!(line, Line::Mail(_) | Line::Note { .. } | Line::Left(_));
    let computer = ["terminal_run", "execute_code"];
    let with_computer = |line: &Line| matches!(line, Line::Model(reply) if reply.calls.iter().any(|(name, _)| computer.contains(&name.as_str())));
    let memory = |name: &str| name.starts_with("memory_") || name.starts_with("history_");
    let with_memory = |line: &Line| match line {
        Line::Memory(_) => true,
        Line::Model(reply) => reply.calls.iter().any(|(name, _)| memory(name)),
        _ => false,
    };
    let mut setup = if lines.iter().any(with_apps) { TestSetup::with_apps().0 } else { TestSetup::default() };
    setup.with_computer = lines.iter().any(with_computer);
    setup.with_memory = lines.iter().any(with_memory);
    play_with(name, &lines, &setup);
}

fn play_with(name: &str, lines: &[Line], setup: &TestSetup) {
    for line in lines {
        if let Line::Model(reply) = line {
            setup.models.push(reply.clone());
        }
    }
    let mut session = None;
    for part in lines.split(|line| *line == Line::Crash) {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().expect("a runtime");
        session = runtime.block_on(play_part(name, part, setup, session.clone()));
        runtime.shutdown_background();
    }
    assert_eq!(setup.models.faults(), Vec::<String>::new(), "{name}: the model was asked wrongly");
}

async fn play_part(name: &str, lines: &[Line], setup: &TestSetup, session: Option<SessionId>) -> Option<SessionId> {
    let engine = TestEngine::start(setup).await;
    let window = engine.engine.live.subscribe(None);
    let mut player = Player {
        name: name.into(),
        engine,
        window,
        setup: setup.clone(),
        session,
        frames: Vec::new(),
        read: 0,
        files: Vec::new(),
    };
    for line in lines {
        player.line(line).await;
    }
    player.engine.keep_time();
    player.session
}

pub(super) struct Player {
    pub(super) name: String,
    pub(super) engine: TestEngine,
    window: Subscription,
    pub(super) setup: TestSetup,
    session: Option<SessionId>,
    /// Every frame so far.
    pub(super) frames: Vec<Value>,
    /// Frames that an expectation has already used up.
    read: usize,
    files: Vec<String>,
}

impl Player {
    async fn line(&mut self, line: &Line) {
        match line {
            Line::Model(_) | Line::Crash => (),
            Line::User(text) => self.send(text, false).await,
            Line::Steer(text) => self.send(text, true).await,
            Line::File { name, text } => {
                self.setup.files.put(name, text.as_bytes());
                self.files.push(name.clone());
            }
            Line::Set { key, value } => self.set(key, value),
            Line::Mail(mail) => drop(self.apps().receive(mail.clone())),
            Line::Note { title, text } => drop(self.apps().has_note(title, text)),
            Line::Memory(text) => {
                let new = NewMemory { content: text.clone(), ..NewMemory::default() };
                drop(self.engine.engine.remember(new).await.expect("remembered"));
            }
            Line::Chat(scope) => {
                let new = NewChat { memory_scope: scope.clone(), ..NewChat::default() };
                self.session = Some(self.engine.engine.create_chat(new).await.expect("a chat"));
            }
            Line::Forget(words) => self.forget(words).await,
            Line::Stop => {
                let session = self.session.clone().expect("a chat");
                assert!(
                    self.engine.engine.cancel(&session).await.expect("cancel"),
                    "{}: nothing was running",
                    self.name
                );
            }
            Line::StopHelper => {
                let id = self.helper().subagent_id;
                let stopped = self.engine.engine.cancel_subagent(&id).await.expect("stopped");
                assert_ne!(stopped.status.as_str(), "running", "{}: it still runs", self.name);
            }
            Line::Ask(tool) => {
                let frame = self.frame(line, |frame| frame["type"] == "approval_request").await;
                assert_eq!(frame["name"], *tool, "{}: asked about another tool", self.name);
            }
            Line::Window(tool) => {
                let frame = self.frame(line, |frame| frame["type"] == "undo_window").await;
                assert_eq!(frame["name"], *tool, "{}: another call waits", self.name);
            }
            Line::Press(action) => {
                let open = self.frames.iter().rev().find(|frame| frame["type"] == "undo_window").expect("a window");
                let id = UndoId(open["undo_id"].as_str().expect("an id").to_owned());
                let done = self.engine.engine.answer_undo(id, *action).await.expect("answered");
                assert!(done, "{}: nothing waited", self.name);
            }
            Line::Answer(decision) => {
                let asked =
                    self.frames.iter().rev().find(|frame| frame["type"] == "approval_request").expect("a question");
                let id = ApprovalId(asked["approval_id"].as_str().expect("an id").to_owned());
                assert!(
                    self.engine.engine.answer_approval(id, *decision, Via::Desktop).await.expect("answered"),
                    "{}: nothing waited",
                    self.name
                );
            }
            Line::Decide(decision) => {
                let oldest = self.proposals().await.into_iter().next().expect("a proposal");
                let decided = self.engine.engine.decide_proposal(oldest.id, *decision, Via::Desktop).await;
                decided.expect("decided");
            }
            Line::Wait(seconds) => {
                tokio::time::sleep(Duration::from_secs(*seconds)).await;
            }
            expectation => self.expect(expectation).await,
        }
    }

    async fn send(&mut self, text: &str, steer: bool) {
        let chat = self.engine.engine.open_chat(self.session.clone(), NewChat::default()).await.expect("a chat");
        let message = NewMessage {
            text: text.into(),
            attachments: std::mem::take(&mut self.files),
            channel: "desktop".into(),
            steer,
            ..NewMessage::default()
        };
        let accepted = chat.send(message).await.expect("accepted");
        self.session = Some(accepted.session_id);
    }

    fn apps(&self) -> TestApps {
        self.setup.apps.clone().expect("a story with apps")
    }

    /// What left last, in one line.
    fn left(&self) -> String {
        let last = self.apps().left().pop();
        last.map_or_else(|| "nothing".into(), |left| format!("{} {} {}", left.tool, left.to.join(" "), left.text))
    }

    fn set(&self, key: &str, value: &Value) {
        let mut patch = value.clone();
        for part in key.rsplit('.') {
            patch = serde_json::json!({ part: patch });
        }
        let now = self.setup.config.borrow().clone();
        let changed = rules::config_patch::apply_patch(&now, &patch).expect("a setting");
        self.setup.config.send_replace(std::sync::Arc::new(changed));
    }

    async fn expect(&mut self, line: &Line) {
        let name = self.name.clone();
        match line {
            Line::Done(text) => {
                let frame = self.done(line).await;
                assert_eq!(frame["error"], Value::Null, "{name}: failed instead of: {text}");
                assert_eq!(frame["content"], *text, "{name}: another answer");
                assert!(frame["message_id"].is_string(), "{name}: the answer was not stored");
            }
            Line::Stopped(text) => {
                let frame = self.done(line).await;
                assert_eq!(frame["cancelled"], true, "{name}: not stopped");
                assert_eq!(frame["content"], *text, "{name}: another partial answer");
            }
            Line::Fails(words) => {
                let frame = self.done(line).await;
                let error = frame["error"].as_str().unwrap_or_default();
                assert!(error.contains(words), "{name}: expected `{words}` in `{error}`");
                assert_eq!(frame["message_id"], Value::Null, "{name}: something of a failed reply was kept");
            }
            Line::Ran { tool, times } => {
                self.settle().await;
                assert_eq!(self.setup.log.times(tool), *times, "{name}: {tool} ran another number of times");
            }
            Line::Result(words) => {
                let frame = self.frame(line, |frame| frame["type"] == "tool_result").await;
                assert!(frame["result"].to_string().contains(words), "{name}: `{words}` is not in {}", frame["result"]);
            }
            Line::Progress(words) => self.progress(line, words).await,
            Line::Notice(words) => {
                let frame = self.frame(line, |frame| frame["type"] == "notice").await;
                assert!(frame["message"].as_str().unwrap_or_default().contains(words), "{name}: {frame}");
            }
            Line::Prompt { has, words } => {
                let request = self.setup.models.requests().last().cloned().expect("a model call");
                assert_eq!(
                    render(&request).contains(words),
                    *has,
                    "{name}: prompt and `{words}`:\n{}",
                    render(&request)
                );
            }
            Line::Shown { has, words } => {
                self.settle().await;
                let shown: String = self
                    .frames
                    .iter()
                    .filter(|frame| frame["type"] == "text_delta")
                    .filter_map(|frame| frame["text"].as_str())
                    .collect();
                assert_eq!(shown.contains(words), *has, "{name}: shown and `{words}`:\n{shown}");
            }
            Line::Left(want) => {
                self.settle().await;
                let left = self.left();
                assert!(left.starts_with(want), "{name}: `{want}` did not leave last, but: {left}");
            }
            Line::Card { has, words } => {
                let asked = self.frames.iter().rev().find(|frame| frame["type"] == "approval_request");
                let card = asked.expect("a question").to_string();
                assert_eq!(card.contains(words), *has, "{name}: the question and `{words}`: {card}");
            }
            Line::Remembers(_) | Line::Holds(_) | Line::Source(_) | Line::Summary { .. } | Line::Workspace { .. } => {
                self.settle().await;
                self.expect_memory(line);
            }
            kept => self.expect_kept(kept).await,
        }
    }

    /// What is stored or set, after everything came to rest.
    async fn expect_kept(&mut self, line: &Line) {
        let name = self.name.clone();
        match line {
            Line::Helper { status, words } => {
                self.settle().await;
                let helper = self.helper();
                let shown = serde_json::to_value(&helper).expect("JSON");
                assert_eq!(shown["status"], *status, "{name}: {shown}");
                let came_of_it =
                    [&shown["summary"], &shown["error"]].map(|text| text.as_str().unwrap_or_default()).join(" ");
                assert!(came_of_it.contains(words), "{name}: `{words}` is not in {shown}");
            }
            Line::Is { key, value } => {
                self.settle().await;
                let config = self.setup.config.borrow().to_value();
                let pointer = format!("/{}", key.replace('.', "/"));
                assert_eq!(config.pointer(&pointer), Some(value), "{name}: {key}");
            }
            Line::Proposal(want) => {
                self.settle().await;
                let proposed = self.proposals().await;
                let shown: Vec<String> = proposed
                    .iter()
                    .map(|proposal| {
                        let rule = serde_json::to_value(proposal.rule).expect("a rule");
                        format!("{} {}", rule.as_str().unwrap_or_default(), proposal.keys.join(" "))
                    })
                    .collect();
                let shown = if shown.is_empty() { "none".into() } else { shown.join(", ") };
                assert_eq!(shown, *want, "{name}: proposed rules");
            }
            Line::Grants(want) => {
                assert_eq!(self.engine.engine.grants().grants.len(), *want, "{name}: what is allowed for now");
            }
            Line::Rows(want) => assert_eq!(self.rows().await, *want, "{name}: stored messages"),
            Line::Title(want) => {
                let sessions = self.engine.engine.sessions(1).await.expect("chats");
                assert_eq!(sessions[0].title, *want, "{name}: title");
            }
            other => panic!("{name}: not an expectation: {other:?}"),
        }
    }

    /// The rules that wait for a decision in this chat.
    async fn proposals(&self) -> Vec<RuleProposal> {
        let session = self.session.clone().expect("a chat");
        let pending = Some(ProposalStatus::Pending);
        self.engine.engine.rule_proposals(&session, pending).await.expect("proposals")
    }

    /// What a running tool shows next.
    async fn progress(&mut self, line: &Line, words: &str) {
        let frame = self.frame(line, |frame| frame["type"] == "tool_progress").await;
        let shown = [&frame["text"], &frame["data"]["message"]].map(|text| text.as_str().unwrap_or_default()).join(" ");
        assert!(shown.contains(words), "{}: `{words}` is not in {frame}", self.name);
    }

    /// The reply's one end. Two ends in a row would be seen by the next expectation.
    async fn done(&mut self, line: &Line) -> Value {
        self.frame(line, |frame| frame["type"] == "done").await
    }

    /// The next frame that fits, from where the last expectation left off.
    async fn frame(&mut self, line: &Line, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            while self.read < self.frames.len() {
                self.read += 1;
                if fits(&self.frames[self.read - 1]) {
                    return self.frames[self.read - 1].clone();
                }
            }
            let Ok(delivery) = timeout(PATIENCE, self.window.next()).await else {
                panic!(
                    "{}: did not happen: {line:?}\nlast frames: {:#?}",
                    self.name,
                    self.frames.iter().rev().take(5).collect::<Vec<_>>()
                );
            };
            self.take(delivery);
        }
    }

    fn take(&mut self, delivery: Delivery) {
        let Delivery::Frames(lines) = delivery else { panic!("{}: the window lagged", self.name) };
        self.frames.extend(lines.iter().map(|line| serde_json::from_str::<Value>(&line.json).expect("JSON")));
    }

    /// The newest helper of the chat.
    fn helper(&self) -> Subagent {
        let session = self.session.clone().expect("a chat");
        let helpers = self.engine.engine.subagents(&session).expect("helpers");
        helpers.into_iter().next().unwrap_or_else(|| panic!("{}: the chat has started no helper", self.name))
    }

    /// Lets everything that is under way come to rest.
    async fn settle(&mut self) {
        while let Ok(delivery) = timeout(Duration::from_millis(50), self.window.next()).await {
            self.take(delivery);
        }
    }

    /// The stored messages in short: `user assistant(2) tool tool assistant`.
    async fn rows(&mut self) -> String {
        self.settle().await;
        let session = self.session.clone().expect("a chat");
        let messages = self.engine.engine.messages(&session, 500).await.expect("messages");
        let words: Vec<String> = messages
            .iter()
            .map(|message| match (&message.role, &message.tool_calls) {
                (MessageRole::Assistant, Some(calls)) => format!("assistant({})", calls.len()),
                (MessageRole::User, _) if message.interjection => "steer".into(),
                (role, _) => format!("{role:?}").to_lowercase(),
            })
            .collect();
        words.join(" ")
    }
}

/// A prompt as text, for expectations.
fn render(call: &ModelCall) -> String {
    call.messages
        .iter()
        .map(|message| match message {
            PromptMessage::System { text, .. } => format!("system: {text}\n"),
            PromptMessage::User { text, pictures } => format!("user ({} pictures): {text}\n", pictures.len()),
            PromptMessage::Assistant { text, thinking, calls } => {
                let thoughts: String = thinking
                    .iter()
                    .map(|thought| {
                        let proof = if thought.is_signed() { "with proof" } else { "without proof" };
                        format!("thinking {proof}: {}\n", thought.readable())
                    })
                    .collect();
                format!("{thoughts}assistant ({} calls): {text}\n", calls.len())
            }
            PromptMessage::Tool { name, text, .. } => format!("tool {name}: {text}\n"),
        })
        .collect()
}
