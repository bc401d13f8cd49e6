//! What is learned from chats: work that is left to do, how far it came, and summaries of what was said.

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
