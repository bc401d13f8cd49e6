//! Puts one call to the gate with the facts of this moment, for any surface.
//!
//! Chats, tasks, helpers, scripts, `/v1` and MCP all come here and to nothing else before a tool runs: they say where
//! the call comes from and what their chat or run has read ([`Run`]), and which call it is ([`Call`]); settings, rules
//! and what the tool says of itself are read here, at that moment. So a rule changed a moment ago counts, and calling
//! [`Gate::judge`] again right before the call runs, with `approved` set after a yes, is all there is to do.
//!
//! ```text
//! let judged = gate.judge(&run, &call);
//! match judged.verdict {
//!     Verdict::Run { undo } => …          // wait out `undo` if set, judge again, journal, run
//!     Verdict::Ask(question) => …         // `gate.card(…)` is the question as windows show it
//!     Verdict::HandOff(message) => …      // the call's result, not an error; nothing ran
//!     Verdict::Swap(tool) => …            // the same arguments for this tool, judged anew
//!     Verdict::Note => …                  // a try run: note it
//!     Verdict::Refuse(refusal) => …       // `refusal.message()` is the result; `ends_run` ends the run with it
//! }
//! ```
//!
//! It decides nothing itself (that is `rules::gate`), asks nobody and runs nothing.

mod card;
mod facts;
mod hand_off;
mod outcome;
#[cfg(test)]
mod tests;

pub use facts::{effective_risk, host_of};

use crate::tools::Registry;
use facts::Known;
use protocol::config::Config;
use protocol::tools::Risk;
use rules::gate::{Station, Surface, Verdict, explain};
use serde_json::Value;
use std::sync::Arc;
use storage::records::{SessionRecord, ToolAllowance};
use tokio::sync::watch;

/// What every surface asks. Cheap to clone.
#[derive(Clone)]
pub struct Gate {
    tools: Arc<Registry>,
    config: watch::Receiver<Arc<Config>>,
}

/// The chat or run a call belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub surface: Surface,
    /// The work was begun by nobody, whatever the surface (a helper of a proactive run).
    pub unprompted: bool,
    /// What Sentient knows about the person is left out (contract section 10, "Turns without memory"). Whatever a turn
    /// starts copies it.
    pub without_memory: bool,
    /// A task is tried (contract section 4, "Try it first").
    pub try_run: bool,
    /// Whose content was read when this round began.
    pub outside: Option<&'a str>,
    /// Hosts it has loaded.
    pub visited_hosts: &'a [String],
    /// "Allow for this chat".
    pub allowances: &'a [ToolAllowance],
    /// What the person said in this turn, as typed or spoken: the message and what joined it. Nothing else.
    pub words: &'a [String],
}

impl<'a> Run<'a> {
    /// A run of which nothing is known but its surface.
    pub fn on(surface: Surface) -> Self {
        Self {
            surface,
            unprompted: false,
            without_memory: false,
            try_run: false,
            outside: None,
            visited_hosts: &[],
            allowances: &[],
            words: &[],
        }
    }

    /// A turn of a chat on this channel.
    pub fn of_chat(record: &'a SessionRecord, channel: &str) -> Self {
        Self {
            outside: record.untrusted.as_deref(),
            visited_hosts: record.visited_hosts.as_deref().unwrap_or_default(),
            allowances: &record.allowances,
            ..Self::on(Surface::of_channel(channel))
        }
    }
}

/// One call.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    pub name: &'a str,
    pub arguments: &'a Value,
    /// Why the arguments do not fit the tool's schema.
    pub bad_arguments: Option<&'a str>,
    /// What a second look found.
    pub warning: Option<&'a str>,
    /// The person has said yes to this very call.
    pub approved: bool,
}

impl<'a> Call<'a> {
    pub fn new(name: &'a str, arguments: &'a Value) -> Self {
        Self { name, arguments, bad_arguments: None, warning: None, approved: false }
    }
}

/// What the gate says about a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub verdict: Verdict,
    /// The check that decided.
    pub station: Station,
    /// The effective risk: what a second look found odd counts as `send` at least.
    pub risk: Risk,
    pub words: Words,
    /// The call's plain arguments, when it is handed to the person.
    details: Vec<Value>,
}

/// How a call is shown to the person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// What the tool does, e.g. `Post message`.
    pub tool: String,
    /// The app's name, e.g. `Slack`.
    pub app: String,
    /// The app's id.
    pub plugin: String,
    /// What kind of act this is, e.g. `Purchase` or `Sends`.
    pub risk_label: String,
    /// What it acts on.
    pub target: Option<String>,
}

impl Gate {
    pub fn new(tools: Arc<Registry>, config: watch::Receiver<Arc<Config>>) -> Self {
        Self { tools, config }
    }

    /// Decides about one call, by the settings of this moment.
    pub fn judge(&self, run: &Run<'_>, call: &Call<'_>) -> Judged {
        let config = self.config.borrow().clone();
        let known = Known::of(&self.tools, &config, call);
        let explained = explain(&known.case(run, call, &config));
        let risk = if call.warning.is_some() { known.risk.max(Risk::Send) } else { known.risk };
        let handed = matches!(explained.verdict, Verdict::HandOff(_));
        let details = if handed { hand_off::details(call) } else { Vec::new() };
        Judged { verdict: explained.verdict, station: explained.station, risk, words: known.words, details }
    }
}
