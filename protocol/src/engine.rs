//! The engine about itself: start-up facts, the live actor tree, the local model's queue, the stop state.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Whether Stop everything is on (contract section 17).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StopState {
    pub stopped: bool,
    pub stopped_at: Option<Timestamp>,
    pub source: Option<String>,
}

/// Answer of `POST /api/stop-all`: the state, and how many running jobs were cancelled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stopped {
    #[serde(flatten)]
    pub state: StopState,
    pub cancelled: usize,
}

/// What the local model is doing (contract section 3, `GET /api/models/busy`).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ModelBusy {
    pub busy: bool,
    pub job: Option<ModelJob>,
    pub model: Option<String>,
    pub since: Option<Timestamp>,
    pub waiting: u32,
    pub deferred: u32,
    pub deferred_reason: Option<DeferredReason>,
}

/// Who a local model call is for, most urgent first (contract section 3, rule 125).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelJob {
    Chat,
    Interactive,
    Task,
    Suggestions,
    Memory,
    Skills,
    Titles,
    Background,
}

/// Why background calls are held back, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeferredReason {
    BatteryLow,
    Battery,
    Chat,
}

/// One actor of `GET /api/engine/actors`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActorRow {
    /// Path in the tree, e.g. `root/core/config` or `root/work/chats/<session>`.
    pub path: String,
    pub role: String,
    pub state: ActorState,
    /// Requests waiting in its mailbox, and how many fit.
    pub mailbox: u32,
    pub mailbox_max: u32,
    pub restarts: u32,
    pub last_error: Option<String>,
    pub since: Timestamp,
    /// What it waits for, when that is a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// What long work it is at, and how far, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
    pub requests: Vec<RequestStats>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorState {
    Starting,
    Running,
    Restarting,
    Stopped,
    /// Works with something missing; `last_error` says what.
    Degraded,
}

/// How often one request was handled and how long it took.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RequestStats {
    pub name: String,
    pub count: u64,
    pub errors: u64,
    pub total_us: u64,
    pub max_us: u64,
}
