//! The tools a model may call: one file per tool, one slice that lists them all.
//!
//! A tool reads its arguments, does its one thing and says what came of it. It never decides whether it may run: that
//! is the gate's (`rules::gate`), and a tool never sees a question or an answer.

pub(crate) mod arguments;
mod chart_create_url;
mod chart_save_image;
mod current_datetime;
mod execute_code;
mod file_list;
mod file_read;
mod file_write;
mod history_search;
mod history_semantic_search;
mod history_time_search;
mod maps_directions;
mod maps_search_places;
mod memory_app;
mod memory_forget;
mod memory_recall;
mod memory_remember;
mod news_search;
mod news_top_headlines;
mod registry;
mod terminal_run;
mod weather_current;
mod weather_forecast;
mod web_fetch;
mod web_search;

#[cfg(test)]
pub(crate) mod fakes;

pub use memory_app::{memory_app, memory_tools};
pub use registry::{Registry, Toolbox, computer_tools};

use crate::Engine;
use crate::gate::Gate;
use crate::knowing::Knowing;
use crate::memory::{MemoryHandle, Occasion};
use crate::snapshots::{CallKeeper, Kept};
use crate::subagents::Parent;
use futures::future::BoxFuture;
use protocol::Timestamp;
use protocol::config::Config;
use protocol::ids::SessionId;
use protocol::tools::{Destination, PluginInfo, Progress, Risk, ToolOutcome, ToolSpec};
use rules::memory_access::MemoryAccess;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use storage::records::SnapshotSource;
use tokio::time::Duration;
use tokio_util::sync::CancellationToken;

/// One tool.
pub trait Tool: Send + Sync + 'static {
    fn spec(&self) -> ToolSpec;

    /// The effective risk of this call, when it depends on the arguments (contract section 10, `risk_fn`).
    fn risk(&self, _arguments: &Value) -> Option<Risk> {
        None
    }

    /// Whether there is anything for it to work on now: what is not offered is hidden from models and from lists.
    fn is_offered(&self) -> bool {
        true
    }

    /// Whether some calls reach less far than `spec().risk` says, so that a Read only connection still offers it.
    fn risk_varies(&self) -> bool {
        false
    }

    /// What the approval card says (contract section 10, `describe_fn`).
    fn describe(&self, _arguments: &Value) -> Description {
        Description::default()
    }

    /// The web address a call loads, when it loads one (contract section 10, `url_fn`).
    fn url(&self, _arguments: &Value) -> Option<String> {
        None
    }

    /// Whether the call can move data out although its risk is below `send` (contract section 10, `exfiltrates`).
    fn exfiltrates(&self, _arguments: &Value) -> bool {
        false
    }

    /// Where a reply goes, when the arguments do not say it (contract section 5, `destinations_fn`): read from the
    /// message that is answered. `None`: the arguments name everybody it goes to. An error says what could not be read.
    fn destinations(&self, _arguments: &Value) -> Option<BoxFuture<'static, Result<Vec<Destination>, String>>> {
        None
    }

    /// Where the words of this result came from, when this one call brought in outside content although the tool as
    /// such does not (`file_read` of a saved tool result; contract section 10, "Outside content").
    fn outside_source(&self, _arguments: &Value, _result: &Value) -> Option<String> {
        None
    }

    /// The longest a call may take, whatever its own limits. Ours: commands and scripts may be given an hour
    /// (`terminal.timeout_s`, `sandbox.timeout_s`).
    fn time_max(&self) -> Duration {
        Duration::from_secs(3_660)
    }

    /// Does it. Arguments were checked against the schema. Ends soon after `ctx.cancel` is cancelled.
    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome>;
}

/// What is offered and listed nowhere: the tools and apps of `tools.disabled`, and those that are off by a switch of their
/// own (contract sections 11 and 18).
pub fn hidden(config: &Config) -> Vec<String> {
    config.tools.disabled.iter().cloned().chain(switched_off(config).map(str::to_owned)).collect()
}

/// Apps that are off by a switch of their own. Settings has a page for each, so the list of tools leaves them out.
fn switched_off(config: &Config) -> impl Iterator<Item = &'static str> {
    let switches = [(config.terminal.enabled, "terminal"), (config.sandbox.enabled, "code")];
    switches.into_iter().filter(|(on, _)| !on).map(|(_, plugin)| plugin)
}

impl Engine {
    /// `GET /api/tools`: the apps with their tools, disabled ones too, so that Settings can show and change them.
    pub fn tools_listed(&self) -> Vec<PluginInfo> {
        let config = self.config();
        let off: Vec<&str> = switched_off(&config).collect();
        let all = self.small.outside.tools.plugins();
        all.into_iter().filter(|plugin| !off.contains(&plugin.id.as_str())).collect()
    }
}

/// Words for the approval card; what is `None` falls back to the risk's own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    pub risk_label: Option<String>,
    pub target: Option<String>,
}

/// What a running call may use. Cheap to clone.
#[derive(Clone)]
pub struct ToolCtx {
    pub now: Timestamp,
    /// The person's zone (`assistant.timezone`, or the computer's).
    pub zone: jiff::tz::TimeZone,
    /// `assistant.location`, may be empty.
    pub location: String,
    /// Characters of a result the model will read (contract section 10, "large results").
    pub result_limit: usize,
    /// Whose content this chat or run had read when the call was made; empty when nobody's (contract section 10,
    /// `ToolContext.untrusted`).
    pub untrusted: String,
    /// Names this very call, the same in every try at it: a service that takes an idempotency key gets this one, so
    /// that it does nothing twice.
    pub key: String,
    /// Keeps copies of files before this call changes them; `None` where nothing is kept.
    pub keeper: Option<CallKeeper>,
    /// Hosts it has loaded; a script's calls go on from there.
    pub visited_hosts: Vec<String>,
    /// Nobody asked for the work this call is part of (contract section 10, ADR 0017).
    pub unprompted: bool,
    /// The turn's one memory decision.
    pub memory: MemoryAccess,
    /// What is remembered; `None` where there is no memory.
    pub memories: Option<MemoryHandle>,
    /// What was worked out about the person; `None` where there is no memory.
    pub knowing: Option<Knowing>,
    /// Where and by whom something is said, for what memory tools read and save.
    pub occasion: Arc<Occasion>,
    /// The call's id, in a turn.
    pub call_id: Option<String>,
    /// What calls within this call go through, with all that stands at the moment; `None` outside a chat.
    pub gate: Option<Gate>,
    /// The chat it is part of.
    pub session_id: Option<SessionId>,
    /// Ends with the turn.
    pub cancel: CancellationToken,
    /// The turn it runs in, for what starts helpers; `None` outside a turn.
    pub(crate) parent: Option<Arc<Parent>>,
    progress: Arc<dyn Fn(Progress) + Send + Sync>,
}

impl ToolCtx {
    pub fn new(now: Timestamp, zone: jiff::tz::TimeZone, progress: Arc<dyn Fn(Progress) + Send + Sync>) -> Self {
        let cancel = CancellationToken::new();
        Self {
            now,
            zone,
            location: String::new(),
            result_limit: 16_000,
            untrusted: String::new(),
            key: String::new(),
            keeper: None,
            visited_hosts: Vec::new(),
            unprompted: false,
            memory: MemoryAccess::default(),
            memories: None,
            knowing: None,
            occasion: Arc::default(),
            call_id: None,
            gate: None,
            session_id: None,
            cancel,
            parent: None,
            progress,
        }
    }

    /// Copies what the call could change below these folders, or these single files. The guard is settled when the change
    /// is done; it never keeps the call from running.
    pub async fn keep_files(&self, source: SnapshotSource, what: &str, roots: Vec<PathBuf>) -> Kept {
        match &self.keeper {
            Some(keeper) => keeper.guard(source, what, roots).await,
            None => Kept::default(),
        }
    }

    /// The same for a call within this one: what it shows on its way is not this call's, and it starts no helpers.
    #[must_use]
    pub fn quiet(&self) -> Self {
        Self { progress: Arc::new(|_| ()), call_id: None, parent: None, ..self.clone() }
    }

    /// Tells the windows how a long call is coming along. Never blocks.
    pub fn progress(&self, progress: Progress) {
        (self.progress)(progress);
    }
}
