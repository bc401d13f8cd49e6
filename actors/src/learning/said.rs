//! What was said in the messages of a turn, and by whom: read from the rows, never from what is in memory.

use crate::memory::{Occasion, source_of};
use protocol::Error;
use protocol::config::Config;
use protocol::ids::MessageId;
use protocol::sessions::{AnswerSource, MemorySource, MessageRole};
use storage::Snapshot;
use storage::records::{MessageRecord, SessionRecord};

/// The person's messages before a turn that facts may draw names from. Ours.
const BEFORE_MAX: usize = 10;

/// One stretch of a chat.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) chat: SessionRecord,
    /// What the person typed or said, with its message.
    pub(super) own: Vec<(MessageId, String)>,
    /// What another program asked in the person's chat, and which.
    pub(super) others: Vec<(String, MessageId, String)>,
    /// What the person said before.
    pub(super) before: Vec<String>,
    /// Memories that were before the model.
    pub(super) recalled: Vec<String>,
    /// What the replies read.
    pub(super) read: Vec<AnswerSource>,
    pub(super) scope: String,
    pub(super) source: String,
}

impl Said {
    /// The messages `from..upto` of a chat; `None` when the chat is gone.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub(super) fn read(
        snapshot: &Snapshot,
        config: &Config,
        (session, from, upto): (&protocol::ids::SessionId, u64, u64),
    ) -> Result<Option<Self>, Error> {
        let Some(chat) = snapshot.get::<SessionRecord>(session)? else { return Ok(None) };
        let app = config.channels.get(chat.channel.split(':').next().unwrap_or_default());
        let occasion = Occasion::of_chat(&chat, app.map(|app| app.memory_scope.as_str()));
        let source = source_of(&chat.channel, chat.node_id.as_deref());
        let mut said = Self {
            chat,
            own: Vec::new(),
            others: Vec::new(),
            before: Vec::new(),
            recalled: Vec::new(),
            read: Vec::new(),
            scope: occasion.scope,
            source,
        };
        for row in snapshot.range::<MessageRecord>((session.clone(), from)..(session.clone(), upto))? {
            said.take(row?);
        }
        let earlier = snapshot.range::<MessageRecord>((session.clone(), 0)..(session.clone(), from))?;
        let own = earlier.rev().filter_map(Result::ok).filter(is_own).take(BEFORE_MAX);
        said.before = own.map(|row| row.content).collect();
        Ok(Some(said))
    }

    fn take(&mut self, row: MessageRecord) {
        match row.role {
            MessageRole::User if is_own(&row) => self.own.push((row.id, row.content)),
            MessageRole::User => self.others.push((row.outside_source, row.id, row.content)),
            MessageRole::Assistant => {
                let recalled: Vec<MemorySource> = serde_json::from_str(&row.memory_sources).unwrap_or_default();
                self.recalled.extend(recalled.into_iter().map(|source| source.text));
                let read: Vec<AnswerSource> = serde_json::from_str(&row.sources).unwrap_or_default();
                self.read.extend(read);
            }
            MessageRole::Tool | MessageRole::Other | MessageRole::Event => (),
        }
    }

    /// The app whose content the chat has read, when it is marked.
    pub(super) fn marked(&self) -> Option<&str> {
        self.chat.untrusted.as_deref().filter(|source| !source.is_empty())
    }

    pub(super) fn words(&self) -> Vec<String> {
        self.own.iter().map(|(_, text)| text.clone()).collect()
    }
}

/// Whether a message is the person's own words.
fn is_own(row: &MessageRecord) -> bool {
    row.role == MessageRole::User && row.outside_source.is_empty()
}
