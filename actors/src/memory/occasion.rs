//! Where something is said: what a memory tool knows of the moment it is called in, and the source a fact of a chat has.

use protocol::ids::{MessageId, SessionId};
use protocol::memory::{SCOPE_PERSONAL, SourceRef};
use rules::memory::scope;
use storage::records::SessionRecord;

/// Messaging apps whose chats are sources of their own (contract section 7, "Sources and forgetting").
const MESSAGING: [&str; 3] = ["telegram", "discord", "whatsapp"];

/// What a memory tool knows of the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occasion {
    /// Where this chat's or run's memories are kept.
    pub scope: String,
    /// The source of what is learned here.
    pub source: String,
    /// What the person said in this turn, oldest first.
    pub said: Vec<String>,
    /// The person's message that this turn answers.
    pub message: Option<(SessionId, Option<MessageId>)>,
}

impl Default for Occasion {
    /// Outside a chat: personal, by nobody in particular.
    fn default() -> Self {
        Self { scope: SCOPE_PERSONAL.into(), source: "conversation".into(), said: Vec::new(), message: None }
    }
}

impl Occasion {
    /// The moment of a chat's turn. `app_scope` is the messaging app's (`channels.<id>.memory_scope`).
    pub fn of_chat(record: &SessionRecord, app_scope: Option<&str>) -> Self {
        Self {
            scope: scope::of_run(record.memory_scope.as_deref(), app_scope),
            source: source_of(&record.channel, record.node_id.as_deref()),
            said: Vec::new(),
            message: Some((record.id.clone(), None)),
        }
    }

    /// The scopes that are read here: this one and what is shared by all.
    pub fn read_scopes(&self) -> Vec<String> {
        scope::readable(&self.scope)
    }

    /// Exactly where it is said, with the person's sentence when there is one.
    pub fn reference(&self, quote: Option<String>) -> Option<SourceRef> {
        let (session_id, message_id) = self.message.clone()?;
        Some(SourceRef::Message { session_id, message_id, quote })
    }
}

/// The source of a fact learned in a chat: the chat's messaging app or device, else `conversation`.
pub fn source_of(channel: &str, node_id: Option<&str>) -> String {
    if let Some(node) = node_id.filter(|node| !node.is_empty()) {
        return format!("device:{node}");
    }
    let app = channel.split(':').next().unwrap_or_default();
    if MESSAGING.contains(&app) { format!("channel:{app}") } else { "conversation".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_names_the_source_of_what_is_learned_in_it() {
        for (channel, node, want) in [
            ("desktop", None, "conversation"),
            ("voice", Some(""), "conversation"),
            ("voice", Some("glasses-1"), "device:glasses-1"),
            ("telegram", None, "channel:telegram"),
            ("whatsapp", None, "channel:whatsapp"),
            ("mcp", None, "conversation"),
        ] {
            assert_eq!(source_of(channel, node), want, "{channel} {node:?}");
        }
    }

    #[test]
    fn rule_83_a_chat_reads_its_own_scope_and_what_is_shared() {
        let mut record = super::super::test_kit::session("s");
        for (own, app, want) in [
            (None, None, "personal"),
            (None, Some("work"), "work"),
            (Some("Kestrel launch"), Some("work"), "Kestrel launch"),
        ] {
            record.memory_scope = own.map(str::to_owned);
            let occasion = Occasion::of_chat(&record, app);
            assert_eq!(occasion.read_scopes(), [want, "always"]);
        }
        assert_eq!(Occasion::default().read_scopes(), ["personal", "always"]);
    }
}
