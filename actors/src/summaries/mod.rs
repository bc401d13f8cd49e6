//! Summaries of older stretches of chats: written in the background, searched by later chats, listed for the person.
//!
//! A summary carries its chat's mark and scope from when it was written. One of a marked chat reaches no other chat: it is
//! left out before anything is ranked, and also when its chat was marked later.

mod forget;
mod list;
mod search;
#[cfg(test)]
mod tests;
mod write;

pub use forget::ForgetSummaries;
pub use search::{FoundSummary, SummaryAsk, SummarySearch};
pub(crate) use write::look;

use protocol::ids::SessionId;
use storage::StoreError;
use storage::records::{SessionRecord, SummaryRecord};

/// Whether a summary repeats outside content, then or now.
pub(crate) fn is_marked(
    summary: &SummaryRecord,
    chat: impl FnOnce(&SessionId) -> Result<Option<SessionRecord>, StoreError>,
) -> Result<bool, StoreError> {
    if !summary.untrusted.is_empty() {
        return Ok(true);
    }
    let chat = chat(&summary.session_id)?;
    Ok(chat.and_then(|chat| chat.untrusted).is_some_and(|source| !source.is_empty()))
}
