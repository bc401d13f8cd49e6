//! Which table each record lives in and what leads to it.

use super::turns::EffectV1;
use super::{
    AttachmentRecord, EffectRecord, EmbedJob, EventRecord, FactChipRecord, FactCleanupRecord, FactRecord,
    FactSaveRecord, FileSnapshotRecord, FolderFileRecord, FolderPieceRecord, FolderRecord, ForgetRecord, GrantRecord,
    LedHostsRecord, MessageRecord, MetaRecord, ModelEmbedJob, NotificationRecord, OutboxRow, QueuedInput,
    RestoreRecord, RuleProposalRecord, Searched, SearchedChange, SessionRecord, SubagentRecord, SubagentStepRecord,
    TurnRecord, UsageRecord, VectorRecord,
};
use crate::key::Key;
use crate::record::{IndexOf, Record, RecordError, Table, whole};
use protocol::Timestamp;
use protocol::ids::{CallId, GrantId, NotificationId, ProposalId, SessionId, SubagentId, TurnId};

/// Every table, for the upgrade of a store. A record that is not in this list is never upgraded.
pub(crate) const TABLES: &[Table] = &[
    Table::of::<SessionRecord>(),
    Table::of::<MessageRecord>(),
    Table::of::<AttachmentRecord>(),
    Table::of::<LedHostsRecord>(),
    Table::of::<TurnRecord>(),
    Table::of::<QueuedInput>(),
    Table::of::<EffectRecord>(),
    Table::of::<RestoreRecord>(),
    Table::of::<FileSnapshotRecord>(),
    Table::of::<EventRecord>(),
    Table::of::<OutboxRow>(),
    Table::of::<NotificationRecord>(),
    Table::of::<UsageRecord>(),
    Table::of::<MetaRecord>(),
    Table::of::<GrantRecord>(),
    Table::of::<RuleProposalRecord>(),
    Table::of::<SubagentRecord>(),
    Table::of::<SubagentStepRecord>(),
    Table::of::<FactRecord>(),
    Table::of::<FolderRecord>(),
    Table::of::<FolderFileRecord>(),
    Table::of::<FolderPieceRecord>(),
    Table::of::<FactSaveRecord>(),
    Table::of::<FactCleanupRecord>(),
    Table::of::<FactChipRecord>(),
    Table::of::<ForgetRecord>(),
    Table::of::<super::LearnJobRecord>(),
    Table::of::<super::ReadMarkRecord>(),
    Table::of::<super::SummaryRecord>(),
    Table::of::<VectorRecord>(),
    Table::of::<EmbedJob>(),
    Table::of::<ModelEmbedJob>(),
    Table::of::<SearchedChange>(),
    Table::of::<super::InsightRecord>(),
    Table::of::<super::QuestionRecord>(),
    Table::of::<super::DreamRecord>(),
    Table::of::<super::NarrativeRecord>(),
];

/// `(updated_at, chat id)` → chat: the chat list, newest first from its end.
pub(crate) const SESSIONS_BY_UPDATE: &str = "sessions.by_update";
/// Message id → its chat and ordinal.
pub(crate) const MESSAGES_BY_ID: &str = "messages.by_id";

/// `(chat id, helper)` → helper: the helpers of a chat, oldest first.
pub(crate) const SUBAGENTS_BY_SESSION: &str = "subagents.by_session";
/// `(hash of the words, memory)` → memory: whether something is remembered in these very words.
pub(crate) const FACTS_BY_WORDS: &str = "facts.by_words";

impl Record for SessionRecord {
    type Key = SessionId;
    const TABLE: &'static str = "sessions";
    const VERSION: u8 = 1;
    const INDEXES: &'static [IndexOf<Self>] =
        &[IndexOf { table: SESSIONS_BY_UPDATE, key: |session| (session.updated_at, session.id.clone()).encoded() }];

    fn key(&self) -> SessionId {
        self.id.clone()
    }
}

impl Record for MessageRecord {
    type Key = (SessionId, u64);
    const TABLE: &'static str = "messages";
    const VERSION: u8 = 1;
    const INDEXES: &'static [IndexOf<Self>] = &[IndexOf { table: MESSAGES_BY_ID, key: |message| message.id.encoded() }];

    fn key(&self) -> (SessionId, u64) {
        (self.session_id.clone(), self.ordinal)
    }
}

impl Record for AttachmentRecord {
    type Key = String;
    const TABLE: &'static str = "attachments";
    const VERSION: u8 = 1;

    fn key(&self) -> String {
        self.name.clone()
    }
}

impl Record for LedHostsRecord {
    type Key = SessionId;
    const TABLE: &'static str = "led_hosts";
    const VERSION: u8 = 1;

    fn key(&self) -> SessionId {
        self.session_id.clone()
    }
}

impl Record for TurnRecord {
    type Key = TurnId;
    const TABLE: &'static str = "turns";
    const VERSION: u8 = 1;

    fn key(&self) -> TurnId {
        self.turn_id.clone()
    }
}

impl Record for QueuedInput {
    type Key = (SessionId, u64);
    const TABLE: &'static str = "queued_inputs";
    const VERSION: u8 = 1;

    fn key(&self) -> (SessionId, u64) {
        (self.session_id.clone(), self.number)
    }
}

impl Record for EffectRecord {
    type Key = CallId;
    const TABLE: &'static str = "effects";
    const VERSION: u8 = 2;

    fn key(&self) -> CallId {
        self.call_id.clone()
    }

    fn upgrade(version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        match version {
            1 => whole::<EffectV1>(Self::TABLE, bytes).map(Self::from),
            _ => Err(RecordError::UnknownVersion { table: Self::TABLE, version }),
        }
    }
}

impl Record for RestoreRecord {
    type Key = CallId;
    const TABLE: &'static str = "restores";
    const VERSION: u8 = 1;

    fn key(&self) -> CallId {
        self.call_id.clone()
    }
}

impl Record for FileSnapshotRecord {
    type Key = String;
    const TABLE: &'static str = "file_snapshots";
    const VERSION: u8 = 1;

    fn key(&self) -> String {
        self.id.clone()
    }
}

impl Record for EventRecord {
    type Key = u64;
    const TABLE: &'static str = "events";
    const VERSION: u8 = 1;
    const WRITABLE: bool = false;

    fn key(&self) -> u64 {
        self.seq
    }
}

impl Record for OutboxRow {
    type Key = u64;
    const TABLE: &'static str = "index_outbox";
    const VERSION: u8 = 1;
    const WRITABLE: bool = false;

    fn key(&self) -> u64 {
        self.number
    }
}

impl Record for NotificationRecord {
    type Key = NotificationId;
    const TABLE: &'static str = "notifications";
    const VERSION: u8 = 1;

    fn key(&self) -> NotificationId {
        self.id.clone()
    }
}

impl Record for UsageRecord {
    type Key = (Timestamp, String);
    const TABLE: &'static str = "usage";
    const VERSION: u8 = 1;

    fn key(&self) -> (Timestamp, String) {
        (self.at, self.id.clone())
    }
}

impl Record for MetaRecord {
    type Key = String;
    const TABLE: &'static str = "meta";
    const VERSION: u8 = 1;

    fn key(&self) -> String {
        self.name.clone()
    }
}

impl Record for GrantRecord {
    type Key = GrantId;
    const TABLE: &'static str = "approval_grants";
    const VERSION: u8 = 1;

    fn key(&self) -> GrantId {
        self.id.clone()
    }
}

impl Record for RuleProposalRecord {
    type Key = (SessionId, ProposalId);
    const TABLE: &'static str = "rule_proposals";
    const VERSION: u8 = 1;

    fn key(&self) -> (SessionId, ProposalId) {
        (self.session_id.clone(), self.id.clone())
    }
}

impl Record for SubagentRecord {
    type Key = SubagentId;
    const TABLE: &'static str = "subagents";
    const VERSION: u8 = 1;
    const INDEXES: &'static [IndexOf<Self>] = &[IndexOf {
        table: SUBAGENTS_BY_SESSION,
        key: |helper| (helper.session_id.clone(), helper.id.clone()).encoded(),
    }];

    fn key(&self) -> SubagentId {
        self.id.clone()
    }
}

impl Record for SubagentStepRecord {
    type Key = (SubagentId, u64);
    const TABLE: &'static str = "subagent_steps";
    const VERSION: u8 = 1;

    fn key(&self) -> (SubagentId, u64) {
        (self.subagent_id.clone(), self.number)
    }
}

impl Record for FactRecord {
    type Key = u64;
    const TABLE: &'static str = "facts";
    const VERSION: u8 = 1;
    const INDEXES: &'static [IndexOf<Self>] =
        &[IndexOf { table: FACTS_BY_WORDS, key: |fact| (FactRecord::words_hash(&fact.content), fact.id).encoded() }];

    fn key(&self) -> u64 {
        self.id
    }
}

impl Record for FactSaveRecord {
    type Key = (String, u64);
    const TABLE: &'static str = "fact_saves";
    const VERSION: u8 = 1;

    fn key(&self) -> (String, u64) {
        (self.message.clone(), self.words)
    }
}

impl Record for FactCleanupRecord {
    type Key = u64;
    const TABLE: &'static str = "fact_cleanups";
    const VERSION: u8 = 1;

    fn key(&self) -> u64 {
        self.fact
    }
}

impl Record for FactChipRecord {
    type Key = (u64, (SessionId, u64));
    const TABLE: &'static str = "fact_chips";
    const VERSION: u8 = 1;

    fn key(&self) -> (u64, (SessionId, u64)) {
        (self.fact, (self.session_id.clone(), self.ordinal))
    }
}

impl Record for ForgetRecord {
    type Key = String;
    const TABLE: &'static str = "memory_forgets";
    const VERSION: u8 = 1;

    fn key(&self) -> String {
        self.id.clone()
    }
}

impl Record for VectorRecord {
    type Key = (Searched, String);
    const TABLE: &'static str = "vectors";
    const VERSION: u8 = 1;

    fn key(&self) -> (Searched, String) {
        (Searched::new(self.kind, self.id), self.space.clone())
    }
}

impl Record for EmbedJob {
    type Key = Searched;
    const TABLE: &'static str = "embed_jobs";
    const VERSION: u8 = 1;

    fn key(&self) -> Searched {
        self.searched()
    }
}

impl Record for ModelEmbedJob {
    type Key = Searched;
    const TABLE: &'static str = "embed_model_jobs";
    const VERSION: u8 = 1;

    fn key(&self) -> Searched {
        self.searched()
    }
}

impl Record for SearchedChange {
    type Key = u64;
    const TABLE: &'static str = "searched_outbox";
    const VERSION: u8 = 1;
    const WRITABLE: bool = false;

    fn key(&self) -> u64 {
        self.number
    }
}
