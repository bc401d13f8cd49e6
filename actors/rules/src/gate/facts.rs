//! What the gate decides by: facts that code gathered about one call at one moment.

use super::Surface;
use crate::memory_access::MemoryAccess;
use crate::tool_words;
use protocol::tools::Risk;
use std::time::Duration;

/// `tools.approvals.mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    Off,
    Ask,
    Always,
}

/// A lasting rule, loosest first (contract rule 20: no rule stands between `Allow` and `IfAsked`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    Allow,
    IfAsked,
    Ask,
    HandOff,
    Never,
}

/// What is known of the tool a call names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFacts<'a> {
    pub name: &'a str,
    /// How the person sees it in a sentence, e.g. `"Write file" in Your files`; the app alone when the app's rule
    /// decides.
    pub shown_name: &'a str,
    pub plugin: &'a str,
    /// The effective risk of this very call, before a second look.
    pub risk: Risk,
    /// The call's arguments raised it above what the tool declares.
    pub raised: bool,
    pub internal: bool,
    pub allow_for_chat: bool,
    /// It can move data out below `send`.
    pub exfiltrates: bool,
    pub purchase: bool,
    pub opens_home: bool,
    /// It deletes or moves to the trash, by its name ([`tool_words::deletes`]).
    pub deletes: bool,
    /// Switched off in `tools.disabled` or not offered to this turn.
    pub hidden: bool,
}

/// The web address a call would load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressFacts<'a> {
    pub host: &'a str,
    pub carries_data: bool,
    /// This chat or run has loaded the host before.
    pub visited: bool,
}

/// All that decides about one call, in the order the gate looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case<'a> {
    /// `None`: there is no such tool.
    pub tool: Option<ToolFacts<'a>>,
    /// Why the arguments do not fit the tool's schema.
    pub bad_arguments: Option<&'a str>,
    pub surface: Surface,
    /// The tool's own rule, else its app's.
    pub rule: Option<Rule>,
    /// What this turn may do with what Sentient knows about the person.
    pub memory: MemoryAccess,
    /// The app's name, when its connection is set to Read only.
    pub read_only: Option<&'a str>,
    /// The work this belongs to was begun by nobody, whatever the surface (a helper of a proactive run).
    pub unprompted: bool,
    /// A task is tried: what acts is noted instead of done.
    pub try_run: bool,
    /// The app's trash version of this delete.
    pub trash_tool: Option<&'a str>,
    /// The app whose content this chat or run has read.
    pub outside: Option<&'a str>,
    pub address: Option<AddressFacts<'a>>,
    /// What a second look found.
    pub warning: Option<&'a str>,
    /// An undecided rule proposal of the chat, or a check that is still running, covers the tool.
    pub proposal: bool,
    /// The person's own words in this turn asked for the call.
    pub asked: bool,
    /// `browser.confirm_purchases`.
    pub confirm_purchases: bool,
    /// A live task or timed grant covers the tool up to this risk.
    pub grant: Option<Risk>,
    pub mode: Mode,
    /// "Allow for this chat" was given up to this risk.
    pub chat_allowance: Option<Risk>,
    /// `tools.approvals.remember_session`: those answers are honoured.
    pub allowances_count: bool,
    /// How long this email, message or post can still be taken back.
    pub undo: Option<Duration>,
    /// The person has said yes to this very call.
    pub approved: bool,
}

impl<'a> Case<'a> {
    /// A call nothing special is known of.
    pub fn plain(tool: Option<ToolFacts<'a>>, surface: Surface, mode: Mode) -> Self {
        Self {
            tool,
            bad_arguments: None,
            surface,
            rule: None,
            memory: MemoryAccess::default(),
            read_only: None,
            unprompted: false,
            try_run: false,
            trash_tool: None,
            outside: None,
            address: None,
            warning: None,
            proposal: false,
            asked: false,
            confirm_purchases: true,
            grant: None,
            mode,
            chat_allowance: None,
            allowances_count: true,
            undo: None,
            approved: false,
        }
    }

    /// Nobody began the work this call belongs to.
    pub(super) fn is_unprompted(&self) -> bool {
        self.unprompted || self.surface == Surface::Unprompted
    }
}

/// Whether work nobody asked for may make this call: look-ups, and the assistant's own small notes outside tasks. Never a
/// command on this computer, not even a listed one (contract section 18).
pub fn unprompted_allows(tool: &ToolFacts<'_>) -> bool {
    if tool.plugin == "terminal" {
        return false;
    }
    tool.risk == Risk::Read || (tool.internal && tool.risk == Risk::Write && tool.plugin != "tasks")
}

/// Whether a call can move data out (contract section 10, `sends_out`).
pub fn sends_out(tool: &ToolFacts<'_>) -> bool {
    tool.risk >= Risk::Send || tool.exfiltrates
}

/// `slack_post_message` of `slack` as a person reads it: `Post message`.
pub fn plain_name(tool_name: &str, plugin: &str) -> String {
    let words = tool_words::own_words(tool_name, plugin).join(" ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
