//! `channels`: chatting through messaging apps.

use super::section::section;
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

/// The smallest time between edits of a streamed WhatsApp reply, in seconds (contract section 14).
const WHATSAPP_EDIT_INTERVAL_S: f64 = 2.0;

section! {
    /// One messaging app.
    pub struct Channel {
        /// Let this app be used.
        pub enabled: bool = true,
        /// Send task results and the like to newly paired direct chats. Groups start without.
        pub deliver_default: bool = true,
        /// Memories its chats use and save to: `personal`, `work` or a project's name.
        #[schemars(length(min = 1, max = 40), extend("format" = "memory-scope"))]
        pub memory_scope: String = "personal".into(),
        /// Seconds between edits while a reply is written.
        #[schemars(range(min = 0.3, max = 10))]
        pub edit_interval_s: f64 = 1.0,
        /// Show a reply while it is written.
        pub stream_edits: bool = true,
        /// Say in a short message which tools are at work. WhatsApp does not use it.
        pub show_tool_activity: bool = true,
        /// Answer voice notes with voice notes.
        pub voice_replies: bool = false,
    }
}

section! {
    /// Chatting through messaging apps.
    pub struct Channels {
        /// Send task results and questions to paired chats.
        pub deliver_task_results: bool = true,
        /// Send plans to paired chats.
        pub deliver_plans: bool = true,
        /// Send suggestions to paired chats.
        pub deliver_suggestions: bool = true,
        /// Send results of background helpers to paired chats.
        pub deliver_subagents: bool = true,
        /// Send briefs to paired chats.
        pub deliver_briefs: bool = true,
        /// Send reminders and alarms set elsewhere to paired chats.
        pub deliver_reminders: bool = false,
        /// Minutes a pairing code is good for.
        #[schemars(range(min = 1, max = 60))]
        pub pairing_code_minutes: u32 = 10,
        /// Wrong codes after which a pairing code is cancelled.
        #[schemars(range(min = 1, max = 20))]
        pub pairing_max_attempts: u32 = 5,
        /// Let messaging apps be used at all.
        pub enabled: bool = true,
        /// Telegram.
        pub telegram: Channel = Channel::default(),
        /// Discord.
        pub discord: Channel = Channel::default(),
        /// WhatsApp.
        #[serde(deserialize_with = "whatsapp")]
        pub whatsapp: Channel = whatsapp_default(),
    }
}

impl Channels {
    /// Ids of the messaging apps there are.
    pub const IDS: [&'static str; 3] = ["telegram", "discord", "whatsapp"];

    /// The scope of each messaging app's chats.
    pub fn memory_scopes(&self) -> impl Iterator<Item = &str> {
        Self::IDS.iter().filter_map(|id| self.get(id)).map(|channel| channel.memory_scope.as_str())
    }

    /// The settings of one messaging app by its id.
    pub fn get(&self, id: &str) -> Option<&Channel> {
        match id {
            "telegram" => Some(&self.telegram),
            "discord" => Some(&self.discord),
            "whatsapp" => Some(&self.whatsapp),
            _ => None,
        }
    }
}

fn whatsapp_default() -> Channel {
    Channel { edit_interval_s: WHATSAPP_EDIT_INTERVAL_S, ..Channel::default() }
}

/// What is left out of the WhatsApp section falls back to WhatsApp's own defaults.
fn whatsapp<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Channel, D::Error> {
    let given = serde_json::Map::deserialize(deserializer)?;
    let mut fields = serde_json::to_value(whatsapp_default()).map_err(D::Error::custom)?;
    if let Value::Object(fields) = &mut fields {
        fields.extend(given);
    }
    serde_json::from_value(fields).map_err(D::Error::custom)
}
