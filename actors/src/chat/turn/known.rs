//! What was worked out about the person, as a turn gets it: the page of the chat's scope, in the system prompt, and the
//! insights that fit the message, behind it and in the reply's memory sources.
//!
//! The page stays the same from turn to turn until it or what it rests on changes, so that a cached prompt holds. A turn
//! without memory, and a helper's, gets neither.

use super::Setting;
use super::facts::Facts;
use super::recalled::{Recalled, scope_of};
use protocol::sessions::MemorySource;
use storage::records::InsightRecord;
use tokio::time::{Duration, timeout};

/// How long a reply waits for insights. Ours, as for memories.
const LOOK_UP_TIME_MAX: Duration = Duration::from_millis(400);

/// The page of a scope; empty when there is none, or it is turned off.
pub(super) fn page(setting: &Setting, scope: &str) -> String {
    if !setting.parts.config().user_model.enabled {
        return String::new();
    }
    setting.parts.knowing.narrative.prompt_block(scope).unwrap_or_else(|error| {
        tracing::warn!(%error, "a reply goes without the page about the person");
        String::new()
    })
}

/// Adds the insights that fit the message a reply answers.
pub(super) async fn add(setting: &Setting, facts: &Facts, recalled: Recalled) -> Recalled {
    let text = setting.rows.first().map(|row| row.content.trim()).unwrap_or_default();
    if !facts.memory.reads || setting.errand.is_some() {
        return recalled;
    }
    let scope = scope_of(setting, &facts.config);
    let looking = setting.parts.knowing.user_model.context_for(text, &scope);
    match timeout(LOOK_UP_TIME_MAX, looking).await {
        Ok(Ok(block)) => recalled.with(&block.text, block.insights),
        Ok(Err(error)) => {
            tracing::warn!(%error, "a reply goes without insights");
            recalled
        }
        Err(_) => {
            tracing::info!("insights took too long; a reply goes without them");
            recalled
        }
    }
}

/// An insight as a reply's memory source.
pub(super) fn source(insight: &InsightRecord) -> MemorySource {
    MemorySource {
        kind: "insight".into(),
        id: insight.id.to_string().into(),
        text: insight.statement.clone(),
        source: insight.source.clone(),
        via: "prompt".into(),
    }
}
