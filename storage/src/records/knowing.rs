//! What was worked out about the person: insights and questions, dreams, the narrative and its versions.

use crate::record::Record;
use protocol::Timestamp;
use protocol::ids::SessionId;
use protocol::knowing::{
    Dimension, DreamStatus, DreamTrigger, EvidenceKind, InsightStatus, NarrativeState, NarrativeTrigger,
};
use serde::{Deserialize, Serialize};

/// One insight. Key: its number, from 1, never used twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InsightRecord {
    pub id: u64,
    pub dimension: Dimension,
    pub statement: String,
    /// 0 to 1.
    pub confidence: f64,
    pub status: InsightStatus,
    /// `inferred`, `user` or `import:<app>`.
    pub source: String,
    pub evidence: Vec<InsightEvidence>,
    /// JSON of a `ReviewNote`.
    pub review: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// One thing an insight rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InsightEvidence {
    pub kind: EvidenceKind,
    /// The id of the memory, message or summary.
    pub reference: String,
    /// The chat of a message or a summary.
    pub session_id: Option<SessionId>,
    pub quote: String,
    pub at: Timestamp,
}

/// One open question about an insight; an answered one has no row. Key: its id, which sorts by when it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionRecord {
    pub id: String,
    pub insight_id: u64,
    pub question: String,
    pub created_at: Timestamp,
}

/// One dream. Key: its id, which sorts by when it started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DreamRecord {
    pub id: String,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub status: DreamStatus,
    pub trigger: DreamTrigger,
    pub stats: DreamCounts,
    /// Lines for the journal, in the order of the steps.
    pub journal: Vec<String>,
    pub error: Option<String>,
    /// Steps that are done, in order: what a dream that was cut off had behind it.
    pub done: Vec<DreamStep>,
    /// Model calls it has made.
    pub calls: u32,
}

/// What a dream changed (`protocol::knowing::DreamStats`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DreamCounts {
    pub facts_reviewed: u32,
    pub merged: u32,
    pub contradictions_resolved: u32,
    pub promoted: u32,
    pub expired: u32,
    pub insights_updated: u32,
    pub languages_merged: u32,
}

/// The steps of a dream, in order (contract section 15).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DreamStep {
    Merge,
    Languages,
    Contradictions,
    Promote,
    Expire,
    UserModel,
    Narrative,
}

/// One version of the narrative of one scope. Key: scope, then number from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NarrativeRecord {
    pub scope: String,
    pub version: u64,
    pub state: NarrativeState,
    pub trigger: NarrativeTrigger,
    pub sentences: Vec<SentenceRecord>,
    /// The version that was current when this one was made: what its changes are told against.
    pub before: Option<u64>,
    /// JSON of a `ReviewNote`.
    pub review: Option<String>,
    pub restored_from: Option<u64>,
    pub created_at: Timestamp,
}

/// One sentence and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentenceRecord {
    pub text: String,
    /// Memories with a hash of their words at that time: a sentence about words that changed is not read any more.
    pub facts: Vec<(u64, u64)>,
    /// Insights, the same way.
    pub insights: Vec<(u64, u64)>,
    /// It says something that nobody but others wrote, and the person has not approved it.
    pub outside: bool,
}

impl Record for InsightRecord {
    type Key = u64;
    const TABLE: &'static str = "insights";
    const VERSION: u8 = 1;

    fn key(&self) -> u64 {
        self.id
    }
}

impl Record for QuestionRecord {
    type Key = String;
    const TABLE: &'static str = "insight_questions";
    const VERSION: u8 = 1;

    fn key(&self) -> String {
        self.id.clone()
    }
}

impl Record for DreamRecord {
    type Key = String;
    const TABLE: &'static str = "dreams";
    const VERSION: u8 = 1;

    fn key(&self) -> String {
        self.id.clone()
    }
}

impl Record for NarrativeRecord {
    type Key = (String, u64);
    const TABLE: &'static str = "narrative";
    const VERSION: u8 = 1;

    fn key(&self) -> (String, u64) {
        (self.scope.clone(), self.version)
    }
}
