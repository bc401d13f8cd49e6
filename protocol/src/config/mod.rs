//! The configuration: one struct per topic, its JSON schema, and the judgement whether values are allowed.
//!
//! A setting's meaning, type, range and default stand in one place, its field; the schema, the checks, `docs/config.md`
//! and `config.example.yaml` are derived from it. Nothing here reads a file, an environment variable or a clock, and no
//! key or password is ever part of it.

mod assistant;
mod browser;
mod channels;
mod chat;
mod check;
mod computer;
#[cfg(test)]
mod contract_tests;
mod data;
pub mod docs;
mod formats;
mod gateway;
mod integrations;
mod lenient;
mod memory;
mod models;
mod nodes;
mod normalize;
mod proactivity;
mod problem;
mod schema;
mod schemas;
mod section;
mod skills;
mod subagents;
mod tasks;
#[cfg(test)]
mod tests;
mod tools;
mod ui;
mod user_model;
mod voice;
mod whole;

pub use assistant::Assistant;
pub use browser::{Browser, BrowserEngine, BrowserProfile, DEFAULT_PROFILE, ProfileEngine, ProfileKind};
pub use channels::{Channel, Channels};
pub use chat::{Chat, ToolSelection};
pub use computer::{Sandbox, SandboxBackend, Terminal};
pub use data::{BackupSchedule, Backups, Folders, Secrets};
pub use formats::{clock, clock_range};
pub use gateway::{Gateway, OpenAiApi};
pub use integrations::{Integrations, McpAuth, McpServer, McpTransport, SearchProvider, WeatherProvider};
pub use memory::Memory;
pub use models::{BudgetAtLimit, ModelRoles, Models, Preset, Provider};
pub use nodes::Nodes;
pub use normalize::normalize;
pub use proactivity::{Brief, BriefSection, EveningSection, FollowupSource, Followups, Proactivity, ReasonerRole};
pub use problem::{Problem, kinds as problem_kinds};
pub use schema::{is_map, keys, schema};
pub use skills::{Evolution, Skills};
pub use subagents::{SubagentRole, Subagents};
pub use tasks::{TaskEmail, Tasks};
pub use tools::{ApprovalRule, Approvals, ApprovalsMode, RuleOrigin, RuleSource, Snapshots, Tools};
pub use ui::{Accent, Theme, Ui};
pub use user_model::{DREAM_MINUTE_DEFAULT, Dreaming, UserModel};
pub use voice::{
    Dictation, DictationCleanup, KokoroVariant, SttDevice, SttProvider, TtsProvider, Voice, WakeEngine,
    WakeWhisperModel,
};
pub use whole::Config;
