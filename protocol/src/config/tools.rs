//! `tools`: what asks before it runs, lasting rules, and copies kept before files change.

use super::schemas;
use super::section::{choice, section};
use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

choice! {
    /// When calls ask before they run.
    pub enum ApprovalsMode { Off, Ask, Always, }
}

choice! {
    /// A lasting rule for a tool or for all tools of an app (contract section 2, "Lasting approval rules").
    pub enum ApprovalRule { Allow, IfAsked, Ask, HandOff, Never, }
}

choice! {
    /// How a lasting rule came to be.
    pub enum RuleSource { Chat, Approval, }
}

/// Where a lasting rule came from. It is dropped when its rule is changed or removed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RuleOrigin {
    /// The rule it tells of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<ApprovalRule>,
    /// Your words that made the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// When it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The chat it was made in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// From a chat message, or from an Always allow answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<RuleSource>,
    /// Where you answered: `desktop`, `telegram`, `discord` or `whatsapp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

section! {
    /// What asks before it runs.
    pub struct Approvals {
        /// `off`: almost nothing asks. `ask`: calls that change, send or run something ask. `always`: every call asks.
        pub mode: ApprovalsMode = ApprovalsMode::Ask,
        /// Lasting rules: a tool's or an app's name to `allow`, `if_asked`, `ask`, `hand_off` or `never`. A tool's own
        /// rule beats its app's.
        #[schemars(schema_with = "schemas::map_of::<ApprovalRule>")]
        pub rules: BTreeMap<String, ApprovalRule> = BTreeMap::new(),
        /// Where each lasting rule came from. Kept by Sentient.
        #[schemars(schema_with = "schemas::map_of::<RuleOrigin>")]
        pub rule_origins: BTreeMap<String, RuleOrigin> = BTreeMap::new(),
        /// Minutes that the timed Allow answer lasts.
        #[schemars(range(min = 1, max = 1440))]
        pub grant_minutes: u32 = 60,
        /// Seconds a question waits for your answer.
        #[schemars(range(min = 10))]
        pub timeout_s: u32 = 600,
        /// Honour Allow for this chat for the rest of the chat.
        pub remember_session: bool = true,
        /// Minutes a task's question waits for your answer.
        #[schemars(range(min = 1, max = 10_080))]
        pub task_request_minutes: u32 = 240,
        /// Let a model take part in the second look at what is about to leave Sentient.
        pub second_look_model: bool = true,
        /// Seconds in which an email, message or post can still be taken back. 0: none.
        #[schemars(range(min = 0, max = 60))]
        pub undo_seconds: u32 = 10,
        /// Move to the app's trash where a call would delete for good.
        pub prefer_trash: bool = true,
    }
}

section! {
    /// Copies of files, kept before code or a command changes them.
    pub struct Snapshots {
        /// Keep a copy of files before code or a command changes them.
        pub enabled: bool = true,
        /// No copy is made of a file bigger than this, in megabytes.
        #[schemars(range(min = 1, max = 1024))]
        pub max_file_mb: u32 = 5,
        /// Nothing is copied for a call that could touch more than this, in megabytes.
        #[schemars(range(min = 1, max = 10_240))]
        pub max_total_mb: u32 = 25,
        /// Nothing is copied for a call that could touch more files than this.
        #[schemars(range(min = 1, max = 100_000))]
        pub max_files: u32 = 500,
        /// Days a copy is kept.
        #[schemars(range(min = 1, max = 365))]
        pub keep_days: u32 = 7,
        /// What all copies together may take, in megabytes. The oldest go first.
        #[schemars(range(min = 10, max = 100_000))]
        pub max_kept_mb: u32 = 1000,
    }
}

section! {
    /// What the assistant's tools may do and when they ask.
    pub struct Tools {
        /// What asks before it runs.
        pub approvals: Approvals = Approvals::default(),
        /// How often the same call may bring the same result before it is stopped. 0: never stopped.
        #[schemars(range(min = 0, max = 20))]
        pub repeated_call_limit: u32 = 3,
        /// Tools or apps that models are not shown. Unknown names do nothing.
        pub disabled: Vec<String> = Vec::new(),
        /// Copies of files, kept before code or a command changes them.
        pub snapshots: Snapshots = Snapshots::default(),
    }
}
