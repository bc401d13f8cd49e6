//! What is learned from chats: work that is left to do, how far it came, and summaries of what was said.

use crate::key::Key;
use crate::record::{IndexOf, Record};
use protocol::Timestamp;
use protocol::ids::SessionId;
use serde::{Deserialize, Serialize};

/// "These messages were not read for memories yet." Written with the end of a reply, deleted when all that was found in
/// them is saved. Key: chat, then first message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnJobRecord {
    pub session_id: SessionId,
    /// Ordinal of the first message.
    pub from: u64,
    /// Ordinal behind the last one.
    pub upto: u64,
    /// What a model found, once it was asked: it is not asked again after a crash.
    pub found: Option<Vec<String>>,
    /// How often no model could be asked.
    pub failed: u32,
    pub at: Timestamp,
}

/// How far a chat was read for one purpose. Key: chat, then purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadMarkRecord {
    pub session_id: SessionId,
    pub purpose: ReadFor,
    /// Ordinal behind the last message that was read.
    pub upto: u64,
}

/// What a chat's messages are read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReadFor {
    /// Memories, before they are compressed.
    Flush,
    /// Summaries.
    Summary,
}

impl ReadFor {
    /// The number that stands for it in keys; never changes.
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Flush => 0,
            Self::Summary => 1,
        }
    }
}

/// The summary of a stretch of a chat. It outlives its chat. Key: its number, from 1, never used twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryRecord {
    pub id: u64,
    pub session_id: SessionId,
    /// First person, as the assistant remembers it.
    pub content: String,
    /// When the first and the last message of it were written.
    pub start_at: Timestamp,
    pub end_at: Timestamp,
    /// Ordinals of its messages: from the first one to before the last.
    pub from: u64,
    pub upto: u64,
    /// Whose content the chat had read when it was written; empty when clean.
    pub untrusted: String,
    /// The chat's scope when it was written.
    pub scope: String,
    pub created_at: Timestamp,
}

/// `(chat id, summary)` → summary: the summaries of a chat, oldest first.
pub(crate) const SUMMARIES_BY_SESSION: &str = "summaries.by_session";

impl Record for LearnJobRecord {
    type Key = (SessionId, u64);
    const TABLE: &'static str = "learn_jobs";
    const VERSION: u8 = 1;

    fn key(&self) -> (SessionId, u64) {
        (self.session_id.clone(), self.from)
    }
}

impl Record for ReadMarkRecord {
    type Key = (SessionId, u64);
    const TABLE: &'static str = "read_marks";
    const VERSION: u8 = 1;

    fn key(&self) -> (SessionId, u64) {
        Self::key_of(&self.session_id, self.purpose)
    }
}

impl ReadMarkRecord {
    /// The key of a chat's mark.
    pub fn key_of(session: &SessionId, purpose: ReadFor) -> (SessionId, u64) {
        (session.clone(), purpose.number())
    }
}

impl Record for SummaryRecord {
    type Key = u64;
    const TABLE: &'static str = "summaries";
    const VERSION: u8 = 1;
    const INDEXES: &'static [IndexOf<Self>] =
        &[IndexOf { table: SUMMARIES_BY_SESSION, key: |summary| (summary.session_id.clone(), summary.id).encoded() }];

    fn key(&self) -> u64 {
        self.id
    }
}
