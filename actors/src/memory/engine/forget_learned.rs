//! Forgetting what was learned from a source that is being disconnected: what would go is counted the same way as it goes.

use crate::Engine;
use crate::chats::Delete;
use crate::memory::forget_source::{another_backs, learned_from};
use crate::memory::forget_traces::{ForgetTraces, is_forgotten};
use crate::memory::handle::asking;
use crate::memory::{ForgetSource, Going, source_of};
use protocol::Error;
use protocol::ids::SessionId;
use protocol::memory::ForgetCounts;
use std::collections::BTreeSet;
use storage::Snapshot;
use storage::records::{FactRecord, MessageRecord, SessionRecord, SummaryRecord};

/// Apps whose items are mails.
const MAIL_APPS: [&str; 2] = ["app:gmail", "app:email_imap"];

/// What goes with a source.
#[derive(Default)]
struct Found {
    counts: ForgetCounts,
    chats: Vec<SessionId>,
    /// Tool results of the app, in chats that stay.
    results: Vec<(SessionId, u64)>,
    going: Going,
}

impl Engine {
    /// `GET /api/memories/forget-preview`: what forgetting a source would delete. Nothing changes.
    ///
    /// # Errors
    /// `Invalid` for a source that cannot be disconnected.
    pub async fn forget_preview(&self, source: String) -> Result<ForgetCounts, Error> {
        Ok(self.going_with(source).await?.counts)
    }

    /// Forgets everything learned from a source the person disconnects, keeps that it was forgotten, and tells it
    /// (`memory.forgotten`). What an interrupted one left is found by the next.
    ///
    /// # Errors
    /// `Invalid` for a source that cannot be disconnected; a store that cannot be written.
    pub async fn forget_learned(&self, source: String) -> Result<ForgetCounts, Error> {
        let found = self.going_with(source.clone()).await?;
        let label = label_of(&source, &|id| self.small.outside.tools.plugin_display_name(id));
        for chat in found.chats {
            let delete = Delete { session: chat, reason: Some("forgotten".into()) };
            self.chats.ask(&asking(), delete).await?;
        }
        self.insights.forget(found.going.clone()).await?;
        let memory = &self.memories.memory;
        memory.ask(&asking(), ForgetSource { source: source.clone() }).await?;
        let summaries = found.going.summaries.into_iter().collect();
        let counts = found.counts;
        let traces = ForgetTraces { source, label, results: found.results, summaries, counts: counts.clone() };
        memory.ask(&asking(), traces).await?;
        Ok(counts)
    }

    async fn going_with(&self, source: String) -> Result<Found, Error> {
        if !can_be_disconnected(&source) {
            return Err(Error::invalid("This source can't be disconnected."));
        }
        let tools = self.small.outside.tools.clone();
        let insights = self.insights.clone();
        self.reading(move |snapshot| {
            let app = source.strip_prefix("app:").map(str::to_owned);
            let is_of_app = |tool: &str| {
                app.as_ref().is_some_and(|app| tools.get(tool).is_some_and(|tool| tool.spec().plugin == app))
            };
            let mut found = find(snapshot, &source, &is_of_app)?;
            found.counts.insights = insights.counted(snapshot, &found.going)?;
            Ok(found)
        })
        .await
    }
}

/// Sources that can be taken away: a messaging app, a device, an app or MCP server, a folder.
fn can_be_disconnected(source: &str) -> bool {
    ["channel:", "device:", "app:", "folder:"]
        .iter()
        .any(|kind| source.strip_prefix(kind).is_some_and(|id| !id.is_empty()))
}

/// A source in plain words. `app` names an app by its id.
pub(crate) fn label_of(source: &str, app: &dyn Fn(&str) -> String) -> String {
    match source.split_once(':') {
        Some(("channel", "telegram")) => "Telegram".into(),
        Some(("channel", "discord")) => "Discord".into(),
        Some(("channel", "whatsapp")) => "WhatsApp".into(),
        Some(("app", id)) => app(id),
        Some((_, name)) => name.into(),
        None => source.into(),
    }
}

fn find(snapshot: &Snapshot, source: &str, is_of_app: &dyn Fn(&str) -> bool) -> Result<Found, Error> {
    let mut found = Found::default();
    let noun = if MAIL_APPS.contains(&source) { "emails" } else { "items" };
    found.counts = ForgetCounts { source: source.to_owned(), item_noun: noun.into(), ..ForgetCounts::default() };
    for fact in snapshot.all::<FactRecord>()? {
        let fact = fact?;
        if !learned_from(&fact, source) {
            continue;
        }
        if another_backs(&fact, source) {
            found.counts.shared += 1;
        } else {
            found.counts.memories += 1;
            found.going.facts.insert(fact.id);
        }
    }
    let has_chats = source.starts_with("channel:") || source.starts_with("device:");
    // Chats whose summaries go: those of the source, or those that read the app.
    let mut summed_up = BTreeSet::new();
    for session in snapshot.all::<SessionRecord>()? {
        let session = session?;
        if has_chats && source_of(&session.channel, session.node_id.as_deref()) == source {
            for message in snapshot.prefix::<MessageRecord>(&session.id)? {
                found.going.messages.insert(message?.id.0);
                found.counts.messages += 1;
            }
            found.counts.chats += 1;
            summed_up.insert(session.id.clone());
            found.chats.push(session.id);
        } else if source.starts_with("app:") {
            for message in snapshot.prefix::<MessageRecord>(&session.id)? {
                let message = message?;
                let is_result = message.tool_call_id.is_some() && message.name.as_deref().is_some_and(is_of_app);
                if is_result {
                    summed_up.insert(message.session_id.clone());
                }
                if is_result && !is_forgotten(&message.content) {
                    found.counts.results += 1;
                    found.results.push((message.session_id, message.ordinal));
                }
            }
        }
    }
    for summary in snapshot.all::<SummaryRecord>()? {
        let summary = summary?;
        if summed_up.contains(&summary.session_id) {
            found.counts.summaries += 1;
            found.going.summaries.insert(summary.id);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_that_can_be_disconnected_and_their_names() {
        for (source, can, label) in [
            ("channel:telegram", true, "Telegram"),
            ("device:glasses-1", true, "glasses-1"),
            ("app:gmail", true, "Gmail"),
            ("folder:f1", true, "f1"),
            ("conversation", false, "conversation"),
            ("manual", false, "manual"),
            ("file:a.pdf", false, "a.pdf"),
            ("app:", false, "Gmail"),
            ("", false, ""),
        ] {
            assert_eq!(can_be_disconnected(source), can, "{source}");
            assert_eq!(label_of(source, &|_| "Gmail".into()), label, "{source}");
        }
    }
}
