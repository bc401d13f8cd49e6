//! Forgetting what was learned from a source that is being disconnected: what would go is counted the same way as it goes.

use crate::Engine;
use crate::chats::Delete;
use crate::events::log_line;
use crate::memory::facts::json;
use crate::memory::forget_source::{another_backs, learned_from};
use crate::memory::handle::asking;
use crate::memory::{ForgetSource, Going, source_of};
use protocol::Error;
use protocol::events::DomainEvent;
use protocol::ids::SessionId;
use protocol::memory::{ForgetCounts, Forgotten};
use protocol::sessions::AnswerSource;
use std::collections::BTreeSet;
use storage::records::{FactRecord, ForgetRecord, IndexJob, MessageRecord, SessionRecord};
use storage::{Batch, Snapshot};

/// Messages changed in one commit. Ours.
const MESSAGES_PER_COMMIT: usize = 200;
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
        self.forget_results(&found.results, &source, &label).await?;
        for chat in found.chats {
            let delete = Delete { session: chat, reason: Some("forgotten".into()) };
            self.chats.ask(&asking(), delete).await?;
        }
        self.insights.forget(found.going).await?;
        self.memories.memory.ask(&asking(), ForgetSource { source: source.clone() }).await?;
        let at = self.world.now();
        let mut counts = serde_json::to_value(&found.counts).unwrap_or_default();
        let record = ForgetRecord {
            id: self.world.id(),
            source: source.clone(),
            label: label.clone(),
            counts: json(&found.counts),
            at,
        };
        if let Some(fields) = counts.as_object_mut() {
            fields.remove("source");
        }
        let told = Forgotten { id: record.id.clone(), source, label, counts, at };
        let mut batch = Batch::new();
        batch.put(&record).event(log_line(&DomainEvent::MemoryForgotten(Box::new(told)), at));
        self.store.commit(batch).await?;
        Ok(found.counts)
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

    /// Puts a sentence in the place of what an app's tools returned, and takes the app off the replies' sources.
    async fn forget_results(&self, results: &[(SessionId, u64)], source: &str, label: &str) -> Result<(), Error> {
        let Some(app) = source.strip_prefix("app:") else { return Ok(()) };
        let sentence = format!("This result was forgotten when you disconnected {label}.");
        let content = serde_json::json!({ "forgotten": sentence }).to_string();
        for chunk in results.chunks(MESSAGES_PER_COMMIT) {
            let mut batch = Batch::new();
            {
                let snapshot = self.store.snapshot()?;
                for key in chunk {
                    let Some(row) = snapshot.get::<MessageRecord>(key)? else { continue };
                    batch.put(&MessageRecord { content: content.clone(), ..row.clone() });
                    batch.index(IndexJob::Message {
                        session_id: row.session_id,
                        ordinal: row.ordinal,
                        message_id: row.id,
                    });
                }
            }
            self.store.commit(batch).await?;
        }
        let chats: BTreeSet<SessionId> = results.iter().map(|(chat, _)| chat.clone()).collect();
        for chat in chats {
            let mut batch = Batch::new();
            for row in self.store.snapshot()?.prefix::<MessageRecord>(&chat)? {
                let row = row?;
                let sources: Vec<AnswerSource> = serde_json::from_str(&row.sources).unwrap_or_default();
                let kept: Vec<&AnswerSource> =
                    sources.iter().filter(|used| used.app != label && used.app != app).collect();
                if kept.len() < sources.len() {
                    batch.put(&MessageRecord { sources: json(&kept), ..row });
                }
            }
            if !batch.is_empty() {
                self.store.commit(batch).await?;
            }
        }
        Ok(())
    }
}

/// Sources that can be taken away: a messaging app, a device, an app or MCP server, a folder.
fn can_be_disconnected(source: &str) -> bool {
    ["channel:", "device:", "app:", "folder:"]
        .iter()
        .any(|kind| source.strip_prefix(kind).is_some_and(|id| !id.is_empty()))
}

/// A source in plain words. `app` names an app by its id.
pub fn label_of(source: &str, app: &dyn Fn(&str) -> String) -> String {
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
    for session in snapshot.all::<SessionRecord>()? {
        let session = session?;
        if has_chats && source_of(&session.channel, session.node_id.as_deref()) == source {
            for message in snapshot.prefix::<MessageRecord>(&session.id)? {
                found.going.messages.insert(message?.id.0);
                found.counts.messages += 1;
            }
            found.counts.chats += 1;
            found.chats.push(session.id);
        } else if !has_chats {
            for message in snapshot.prefix::<MessageRecord>(&session.id)? {
                let message = message?;
                let is_result = message.tool_call_id.is_some() && message.name.as_deref().is_some_and(is_of_app);
                if is_result && !message.content.starts_with(r#"{"forgotten":"#) {
                    found.counts.results += 1;
                    found.results.push((message.session_id, message.ordinal));
                }
            }
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
