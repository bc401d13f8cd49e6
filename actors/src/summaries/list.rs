//! The summaries as the person sees them, marked ones too.

use crate::Engine;
use protocol::Error;
use protocol::memory_files::ChatSummary;
use storage::records::{SessionRecord, SummaryRecord};

/// Summaries listed at most. Ours.
const LIMIT_MAX: usize = 500;
/// Summaries listed when nobody says how many. Ours.
const LIMIT: usize = 50;

impl Engine {
    /// Summaries of chats, newest first.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn chat_summaries(&self, limit: Option<usize>) -> Result<Vec<ChatSummary>, Error> {
        let snapshot = self.store.snapshot()?;
        let mut listed = Vec::new();
        for summary in snapshot.all::<SummaryRecord>()?.rev().take(limit.unwrap_or(LIMIT).min(LIMIT_MAX)) {
            let SummaryRecord { id, session_id, content, start_at, end_at, untrusted, .. } = summary?;
            let now = snapshot.get::<SessionRecord>(&session_id)?.and_then(|chat| chat.untrusted);
            let marked = Some(untrusted).filter(|source| !source.is_empty());
            let untrusted = marked.or(now).filter(|source| !source.is_empty());
            listed.push(ChatSummary { id, content, start_at, end_at, session_id, untrusted });
        }
        Ok(listed)
    }
}
