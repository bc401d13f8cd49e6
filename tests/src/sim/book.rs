//! What the simulated people know: what they wrote, which chats they made and deleted, what they answered.

use actors::chats::requests::Accepted;
use protocol::approvals::Decision;
use protocol::ids::{ApprovalId, SessionId, UndoId};
use protocol::{Error, ErrorKind};
use std::collections::{BTreeMap, BTreeSet};

/// What became of something that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Accepted,
    /// Certainly not done.
    Refused,
    /// Nobody said: the answer did not come, or it says that it is not known.
    Unknown,
}

impl Fate {
    pub(crate) fn of<T>(result: &Result<T, Error>) -> Self {
        match result {
            Ok(_) => Self::Accepted,
            Err(error) => match error.kind {
                ErrorKind::Internal | ErrorKind::Timeout | ErrorKind::Unavailable => Self::Unknown,
                _ => Self::Refused,
            },
        }
    }
}

/// A message somebody sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) text: String,
    pub(crate) session: Option<SessionId>,
    pub(crate) fate: Fate,
    /// Everything was stopped since: when it still waited it was dropped.
    pub(crate) may_be_dropped: bool,
}

/// A chat somebody made.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) incognito: bool,
    /// Which life of the engine it was made in.
    pub(crate) life: usize,
    /// Whether it was deleted; `None` when nobody tried.
    pub(crate) deleted: Option<Fate>,
}

/// A question that windows showed.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) session: String,
    pub(crate) tool: String,
    /// The mark of the call (`e12`), when it has one.
    pub(crate) mark: String,
    pub(crate) answers: Vec<(Decision, Fate)>,
    /// How many answers were told that they counted.
    pub(crate) counted: usize,
}

impl Question {
    /// Whether somebody may have said yes.
    pub(crate) fn may_be_yes(&self) -> bool {
        self.answers.iter().any(|(decision, fate)| decision.is_yes() && *fate != Fate::Refused)
    }

    /// Whether "Allow for this chat" may have come of it.
    pub(crate) fn may_be_for_the_chat(&self) -> bool {
        let given = |decision: &Decision| *decision == Decision::AllowSession;
        self.answers.iter().any(|(decision, fate)| given(decision) && *fate != Fate::Refused)
    }

    /// Whether a lasting rule may have come of it, which counts in every chat.
    pub(crate) fn may_be_for_ever(&self) -> bool {
        let given = |decision: &Decision| *decision == Decision::AllowAlways;
        self.answers.iter().any(|(decision, fate)| given(decision) && *fate != Fate::Refused)
    }
}

/// All of it.
#[derive(Default)]
pub(crate) struct Book {
    pub(crate) sent: Vec<Sent>,
    pub(crate) chats: BTreeMap<SessionId, Known>,
    pub(crate) questions: BTreeMap<ApprovalId, Question>,
    /// Undo windows that were shown, with the mark of the call that waits.
    pub(crate) windows: BTreeMap<UndoId, String>,
    /// Marks of calls that somebody undid in time.
    pub(crate) undone: BTreeSet<String>,
    words: u64,
}

impl Book {
    /// A word that is in no other message.
    pub(crate) fn word(&mut self) -> String {
        self.words += 1;
        format!("word{}x", self.words)
    }

    /// Notes that something is about to be sent; what comes of it is not known yet.
    pub(crate) fn sends(&mut self, text: String) -> usize {
        self.sent.push(Sent { text, session: None, fate: Fate::Unknown, may_be_dropped: false });
        self.sent.len() - 1
    }

    pub(crate) fn was_sent(&mut self, index: usize, session: &SessionId, result: &Result<Accepted, Error>) {
        self.sent[index].session = Some(session.clone());
        self.sent[index].fate = Fate::of(result);
    }

    /// Notes a question; seen again it stays what it is.
    pub(crate) fn asked(&mut self, frame: &serde_json::Value) {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        self.questions.entry(ApprovalId(text(&frame["approval_id"]))).or_insert_with(|| Question {
            session: text(&frame["session_id"]),
            tool: text(&frame["name"]),
            mark: text(&frame["arguments"]["text"]),
            answers: Vec::new(),
            counted: 0,
        });
    }

    /// Notes an undo window.
    pub(crate) fn waits(&mut self, frame: &serde_json::Value) {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        self.windows.insert(UndoId(text(&frame["undo_id"])), text(&frame["preview"]["body"]));
    }

    /// Everything was stopped: what waited is dropped.
    pub(crate) fn was_stopped(&mut self) {
        self.sent.iter_mut().for_each(|sent| sent.may_be_dropped = true);
    }

    /// Chats that were not deleted as far as anybody knows.
    pub(crate) fn open_chats(&self) -> Vec<SessionId> {
        let open = self.chats.iter().filter(|(_, known)| known.deleted.is_none());
        open.map(|(id, _)| id.clone()).collect()
    }
}
