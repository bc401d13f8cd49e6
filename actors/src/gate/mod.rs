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
mod known;
mod offers;
mod outcome;
mod preview;
pub(crate) mod second_look;
#[cfg(test)]
mod tests;
mod trash;

pub(crate) use facts::level;
pub use facts::{effective_risk, host_of};
pub use known::KnownTool;

use crate::approvals::grants::GrantList;
use crate::approvals::proposals::{Held, HeldList, is_held};
use crate::tools::Registry;
use facts::Known;
use protocol::config::Config;
use protocol::ids::SessionId;
use protocol::preview::ActionPreview;
use protocol::tools::Risk;
use rules::asked_for::{Wanted, asked_for};
use rules::gate::{Case, Explained, Rule, Station, Surface, Verdict, explain, granted_risk};
use rules::memory_access::MemoryAccess;
use rules::trash::Swapped;
use runtime::Clock;
use serde_json::Value;
use std::sync::Arc;
use storage::records::{SessionRecord, ToolAllowance};
use tokio::sync::watch;

/// What every surface asks. Cheap to clone.
#[derive(Clone)]
pub struct Gate {
    tools: Arc<Registry>,
    config: watch::Receiver<Arc<Config>>,
    standing: Standing,
}

/// What earlier answers say about later calls, as it is at any moment.
#[derive(Clone)]
pub struct Standing {
    pub grants: GrantList,
    /// What asks in a chat until the person has decided about a rule.
    pub held: HeldList,
    pub clock: Arc<dyn Clock>,
}

/// The chat or run a call belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub surface: Surface,
    /// The chat it is of, or that a helper works for.
    pub session_id: Option<&'a SessionId>,
    /// The work was begun by nobody, whatever the surface (a helper of a proactive run).
    pub unprompted: bool,
    /// The task whose run it is.
    pub task_id: Option<&'a str>,
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
    /// The turn's one memory decision (contract section 10, "Turns without memory"). Whatever a turn starts copies it.
    pub memory: MemoryAccess,
}

impl Standing {
    /// No earlier answer and no proposal, for work outside any chat and for looking at the gate without an
    /// engine.
    pub fn nothing(clock: Arc<dyn Clock>) -> Self {
        let (grants, held) = (watch::channel(Arc::default()).1, watch::channel(Arc::default()).1);
        Self { grants, held, clock }
    }
}

impl<'a> Run<'a> {
    /// A run of which nothing is known but its surface.
    pub fn on(surface: Surface) -> Self {
        Self {
            surface,
            session_id: None,
            unprompted: false,
            task_id: None,
            try_run: false,
            outside: None,
            visited_hosts: &[],
            allowances: &[],
            words: &[],
            memory: MemoryAccess::default(),
        }
    }

    /// A turn of a chat on this channel.
    pub fn of_chat(record: &'a SessionRecord, channel: &str) -> Self {
        Self {
            session_id: Some(&record.id),
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
    /// It could move data out, so a second look is taken before it runs (contract section 10).
    pub sends_out: bool,
    /// Part of the assistant itself.
    internal: bool,
    /// What it would do, for somebody who is asked, or may still take it back, or gets it handed over.
    pub preview: Option<ActionPreview>,
    /// The trash version that takes its place, with the arguments it takes (`Verdict::Swap`).
    pub swapped: Option<Swapped>,
    /// The call's plain arguments, when it is handed to the person and has no preview.
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
    pub fn new(tools: Arc<Registry>, config: watch::Receiver<Arc<Config>>, standing: Standing) -> Self {
        Self { tools, config, standing }
    }

    /// Decides about one call, by the settings of this moment.
    pub fn judge(&self, run: &Run<'_>, call: &Call<'_>) -> Judged {
        let config = self.config.borrow().clone();
        let known = Known::of(&self.tools, &config, call, run.words);
        let (grant, proposal) = (self.grant(run, call), self.is_held(run, call.name, &known.words.plugin));
        let case = known.case(run, call, &config);
        let asked = case.rule == Some(Rule::IfAsked) && self.asked(run, call, &known);
        let explained = explain(&Case { grant, proposal, asked, ..case });
        let risk = if call.warning.is_some() { known.risk.max(Risk::Send) } else { known.risk };
        let preview = preview::of(&explained.verdict, &known, call);
        let handed = matches!(explained.verdict, Verdict::HandOff(_)) && preview.is_none();
        let details = if handed { hand_off::details(call) } else { Vec::new() };
        let (sends_out, internal) = (known.sends_out(), known.internal());
        let Explained { verdict, station } = explained;
        let Known { words, trash: swapped, .. } = known;
        Judged { verdict, station, risk, words, sends_out, internal, preview, swapped, details }
    }

    /// What asks in chats for now.
    pub(crate) fn held(&self) -> Arc<Vec<Held>> {
        self.standing.held.borrow().clone()
    }

    /// The chat asks about the tool until the person has decided about a rule.
    fn is_held(&self, run: &Run<'_>, tool: &str, plugin: &str) -> bool {
        run.session_id.is_some_and(|session| is_held(&self.held(), session, tool, plugin))
    }

    /// The person's own words asked for the call.
    fn asked(&self, run: &Run<'_>, call: &Call<'_>, known: &Known) -> bool {
        let Words { app, plugin, .. } = &known.words;
        let other_apps = self.connected_apps(plugin);
        let wanted = Wanted { tool: call.name, plugin, app, risk: known.risk, other_apps: &other_apps };
        asked_for(run.words, &wanted)
    }

    /// How far a live grant lets the tool go.
    fn grant(&self, run: &Run<'_>, call: &Call<'_>) -> Option<Risk> {
        let grants = self.standing.grants.borrow().clone();
        granted_risk(&grants, call.name, run.task_id, self.standing.clock.now())
    }

    /// What brings back what this call moved to the trash, with its arguments; `None` when the app has no way back.
    pub fn way_back(&self, call: &Call<'_>) -> Option<Swapped> {
        trash::way_back(&self.tools, &self.config.borrow(), call)
    }
}
