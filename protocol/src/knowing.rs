//! What Sentient has worked out about the person, as surfaces see it: insights and questions, dreams (contract
//! section 15), and the narrative with its versions.

use crate::memory::ReviewNote;
use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an insight is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    Preferences,
    Communication,
    Goals,
    Routines,
    Relationships,
    Values,
    WorkStyle,
    Dislikes,
    #[default]
    Context,
}

impl Dimension {
    /// Every dimension by the name the wire and the model use.
    pub const NAMES: [(&'static str, Self); 9] = [
        ("preferences", Self::Preferences),
        ("communication", Self::Communication),
        ("goals", Self::Goals),
        ("routines", Self::Routines),
        ("relationships", Self::Relationships),
        ("values", Self::Values),
        ("work_style", Self::WorkStyle),
        ("dislikes", Self::Dislikes),
        ("context", Self::Context),
    ];

    /// The dimension of a name; unknown names are `context` (contract section 15).
    pub fn of(name: &str) -> Self {
        let name = name.trim().to_lowercase().replace([' ', '-'], "_");
        Self::NAMES.iter().find(|(known, _)| *known == name).map_or(Self::Context, |(_, dimension)| *dimension)
    }

    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, dimension)| *dimension == self).map_or("context", |(name, _)| *name)
    }
}

/// How an insight stands. The order is the order in which they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InsightStatus {
    Confirmed,
    Active,
    /// Something speaks against it.
    Disputed,
    /// No longer held to be true; never worked out again.
    Retired,
    /// Waits for review and is used nowhere.
    Pending,
}

/// What an insight was worked out from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceKind {
    Fact,
    Message,
    Summary,
    Feedback,
    Import,
}

/// One thing an insight rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub kind: EvidenceKind,
    /// The id of the memory, message or summary.
    #[serde(rename = "ref")]
    pub reference: String,
    pub quote: String,
    pub at: Timestamp,
}

/// Something worked out about the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Insight {
    /// A number, written as text.
    pub id: String,
    pub dimension: Dimension,
    pub statement: String,
    /// 0 to 1.
    pub confidence: f64,
    pub status: InsightStatus,
    /// `inferred`, `user` or `import:<app>`.
    pub source: String,
    pub evidence: Vec<Evidence>,
    pub review: Option<ReviewNote>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A question to the person about an insight; open ones only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InsightQuestion {
    pub id: String,
    pub question: String,
    pub insight_id: String,
    pub created_at: Timestamp,
}

/// `GET /api/user-model`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UserModelPage {
    /// A Markdown portrait; empty until the first refresh.
    pub summary: String,
    pub updated_at: Option<Timestamp>,
    /// All but pending ones.
    pub insights: Vec<Insight>,
    pub questions: Vec<InsightQuestion>,
}

/// `POST /api/user-model/refresh`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refreshed {
    pub added: usize,
    pub updated: usize,
    pub disputed: usize,
    /// New questions.
    pub questions: usize,
    /// New insights that wait for review.
    pub held: usize,
}

/// What the person's answer to a question comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Confirm,
    Retire,
    Rewrite,
}

/// `POST /api/user-model/questions/{id}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuestionAnswered {
    pub ok: bool,
    pub verdict: Verdict,
    pub insight: Option<Insight>,
}

/// `user_model.updated`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserModelChange {
    pub summary_changed: bool,
    /// Insights changed.
    pub insights: usize,
    /// Open questions now.
    pub questions: usize,
}

/// How a dream stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DreamStatus {
    Running,
    Completed,
    Error,
}

/// What started a dream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DreamTrigger {
    Schedule,
    Manual,
}

/// What a dream changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DreamStats {
    pub facts_reviewed: u32,
    /// Facts folded into another, those in two languages included.
    pub merged: u32,
    pub contradictions_resolved: u32,
    pub promoted: u32,
    pub expired: u32,
    pub insights_updated: u32,
    pub languages_merged: u32,
}

impl DreamStats {
    /// Whether anything but expiry changed: only then the person is told.
    pub fn is_worth_telling(&self) -> bool {
        self.merged + self.contradictions_resolved + self.promoted + self.insights_updated > 0
    }
}

/// One nightly tidy-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dream {
    pub id: String,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub status: DreamStatus,
    pub trigger: DreamTrigger,
    pub stats: DreamStats,
    pub journal_md: String,
    /// Steps that failed while the rest completed, or why it ended early.
    pub error: Option<String>,
}

/// How a version of the narrative stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NarrativeState {
    /// The one chats read.
    Current,
    /// Waits for review: it says something that rests on what others wrote.
    Held,
    /// Was current, or was replaced while it waited.
    Earlier,
    /// The person turned it down.
    Discarded,
}

/// What made a version of the narrative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NarrativeTrigger {
    /// Enough was learned since the last version.
    Facts,
    Dream,
    Manual,
    Rollback,
}

/// One sentence and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NarrativeSentence {
    pub text: String,
    /// Ids of memories.
    pub facts: Vec<u64>,
    /// Ids of insights.
    pub insights: Vec<String>,
    /// What it rests on is no longer all there: chats do not read it.
    pub stale: bool,
}

/// What is different from the version before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NarrativeDiff {
    pub added: Vec<String>,
    pub removed: Vec<String>,
}

/// One version of the narrative of one scope.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NarrativeVersion {
    /// From 1, for each scope.
    pub version: u64,
    pub scope: String,
    pub state: NarrativeState,
    pub trigger: NarrativeTrigger,
    /// The page as Markdown, without stale sentences.
    pub text: String,
    pub sentences: Vec<NarrativeSentence>,
    /// What changed since the version that was current when it was made.
    pub changes: NarrativeDiff,
    /// Where the outside material of a held one came from.
    pub review: Option<ReviewNote>,
    /// The version a rollback brought back.
    pub restored_from: Option<u64>,
    pub created_at: Timestamp,
}

/// `GET /api/memories/narrative`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NarrativePage {
    pub scope: String,
    /// What chats of this scope read; `null` before the first version.
    pub current: Option<NarrativeVersion>,
    /// The version that waits for review.
    pub held: Option<NarrativeVersion>,
    /// Memories learned or changed since the last version was made.
    pub learned_since: usize,
    /// Characters a version may have.
    pub max_chars: usize,
    /// Scopes that have a page.
    pub scopes: Vec<String>,
}

/// `POST /api/memories/narrative/refresh`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NarrativeRefreshed {
    pub outcome: NarrativeOutcome,
    /// One sentence for the person.
    pub detail: String,
    pub page: NarrativePage,
}

/// What a refresh came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NarrativeOutcome {
    /// There is a new current version.
    Written,
    /// The new version waits for review.
    Held,
    /// Nothing was learned since, or the answer said the same again.
    Unchanged,
    /// The model's answer could not be used; nothing changed.
    Unusable,
}

/// Names a version: `POST /api/memories/narrative/rollback` and the review routes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct NarrativePick {
    pub version: u64,
    #[serde(default)]
    pub scope: Option<String>,
}
