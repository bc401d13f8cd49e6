//! The rows of the store: one file per topic, postcard behind a version byte.
//!
//! A record's fields never change under the same version: a new version comes with an upgrade from the one before and
//! a golden file (`storage/golden/`) that must open for ever. Postcard is not self-describing, so these types carry no
//! serde attributes, and shapes of clients that do are kept as JSON text.

mod chats;
mod engine;
mod file_snapshots;
mod folders;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod golden_folders;
#[cfg(test)]
mod golden_learning;
mod knowing;
#[cfg(test)]
mod knowing_golden;
mod learning;
mod memory;
mod standing;
mod subagents;
mod tables;
mod turns;
mod vectors;

pub use chats::{AttachmentRecord, LedHostsRecord, MessageRecord, SessionRecord, Summary, TitleSource, ToolAllowance};
pub use engine::{EventRecord, IndexJob, MetaRecord, NewEvent, NotificationRecord, OutboxRow, UsageRecord};
pub use file_snapshots::{FileSnapshotRecord, SnapshotFile, SnapshotSource};
pub use folders::{
    FOLDER_NUMBER_MAX, FOLDER_PATH_BYTES_MAX, FolderFileRecord, FolderFileState, FolderPieceRecord, FolderRecord,
    folder_of_piece,
};
pub use knowing::{
    DreamCounts, DreamRecord, DreamStep, InsightEvidence, InsightRecord, NarrativeRecord, QuestionRecord,
    SentenceRecord,
};
pub(crate) use learning::SUMMARIES_BY_SESSION;
pub use learning::{LearnJobRecord, ReadFor, ReadMarkRecord, SummaryRecord};
pub use memory::{
    FactChipRecord, FactCleanupRecord, FactRecord, FactSaveRecord, FactSource, FactState, FactStatus, ForgetRecord,
};
pub use standing::{GrantRecord, RuleProposalRecord};
pub use subagents::{SubagentRecord, SubagentStepRecord};
pub(crate) use tables::{FACTS_BY_WORDS, MESSAGES_BY_ID, SESSIONS_BY_UPDATE, SUBAGENTS_BY_SESSION, TABLES};
pub use turns::{EffectRecord, EffectState, QueuedInput, QueuedKind, RestoreRecord, TurnRecord};
pub use vectors::{Change, EmbedJob, ModelEmbedJob, Searched, SearchedChange, SearchedKind, VectorRecord};
