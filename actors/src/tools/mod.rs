//! The tools a model may call: one file per tool, one slice that lists them all.
//!
//! A tool reads its arguments, does its one thing and says what came of it. It never decides whether it may run: that
//! is the gate's (`rules::gate`), and a tool never sees a question or an answer.

mod arguments;
mod chart_create_url;
mod chart_save_image;
mod current_datetime;
mod file_list;
mod file_read;
mod file_write;
mod maps_directions;
mod maps_search_places;
mod news_search;
mod news_top_headlines;
mod registry;
mod weather_current;
mod weather_forecast;
mod web_fetch;
mod web_search;

#[cfg(test)]
pub(crate) mod fakes;

pub use registry::{Registry, Toolbox};

use futures::future::BoxFuture;
use protocol::Timestamp;
use protocol::tools::{Destination, Progress, Risk, ToolOutcome, ToolSpec};
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// One tool.
pub trait Tool: Send + Sync + 'static {
    fn spec(&self) -> ToolSpec;

    /// The effective risk of this call, when it depends on the arguments (contract section 10, `risk_fn`).
    fn risk(&self, _arguments: &Value) -> Option<Risk> {
        None
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

    /// Does it. Arguments were checked against the schema. Ends soon after `ctx.cancel` is cancelled.
    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome>;
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
    /// Ends with the turn.
    pub cancel: CancellationToken,
    progress: Arc<dyn Fn(Progress) + Send + Sync>,
}

impl ToolCtx {
    pub fn new(now: Timestamp, zone: jiff::tz::TimeZone, progress: Arc<dyn Fn(Progress) + Send + Sync>) -> Self {
        let cancel = CancellationToken::new();
        Self { now, zone, location: String::new(), result_limit: 16_000, untrusted: String::new(), cancel, progress }
    }

    /// Tells the windows how a long call is coming along. Never blocks.
    pub fn progress(&self, progress: Progress) {
        (self.progress)(progress);
    }
}
