//! What may happen with a call, why, and which answers are offered.

use protocol::approvals::Decision;
use std::time::Duration;

/// The check that decided, in the gate's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Station {
    UnknownTool,
    Arguments,
    Never,
    /// What Sentient knows about the person is left out of this turn.
    WithoutMemory,
    ReadOnly,
    Unprompted,
    /// What this surface may not do at all: a helper that sends, a script that changes.
    Policy,
    TryRun,
    HandOff,
    Trash,
    Outside,
    Address,
    SecondLook,
    Proposal,
    AskRule,
    IfAsked,
    Purchase,
    OpensHome,
    AppDelete,
    Grant,
    AllowRule,
    ChatAllowance,
    Mode,
}

impl Station {
    /// Where the decision comes from, for people who look for it.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::UnknownTool => "there is no tool of this name",
            Self::Arguments => "the arguments do not fit the tool's schema",
            Self::Never => "a lasting rule, or tools.disabled, says never",
            Self::WithoutMemory => "this turn does not use what Sentient knows about you",
            Self::ReadOnly => "the connection is set to Read only (integrations.read_only)",
            Self::Unprompted => "nobody asked for this work, so it only looks things up",
            Self::Policy => "work of this kind may not make such calls",
            Self::TryRun => "a task is being tried: what acts is noted, not done",
            Self::HandOff => "a lasting rule hands it to the person",
            Self::Trash => "the app has a trash (tools.approvals.prefer_trash)",
            Self::Outside => "content from elsewhere was read, and this call can send data out",
            Self::Address => "content from elsewhere was read, and the address could carry data to a new site",
            Self::SecondLook => "a second look found something odd",
            Self::Proposal => "a rule you have not decided about covers it",
            Self::AskRule => "a lasting rule says ask",
            Self::IfAsked => "a lasting rule says ask unless your own words asked for it",
            Self::Purchase => "purchases ask (browser.confirm_purchases)",
            Self::OpensHome => "it opens the home, which always asks",
            Self::AppDelete => "another app asked for a delete",
            Self::Grant => "an answer that covers the task, or some time, allows it",
            Self::AllowRule => "a lasting rule allows it",
            Self::ChatAllowance => "\"Allow for this chat\" was given",
            Self::Mode => "the approvals mode (tools.approvals.mode)",
        }
    }
}

/// What may happen with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It runs. `undo`: only after this long, in which it can be taken back.
    Run {
        undo: Option<Duration>,
    },
    Ask(Question),
    /// It is prepared and not done; the text is what the model reads.
    HandOff(String),
    /// This tool of the same app is called in its place, and comes to the gate as a call of its own.
    Swap(String),
    /// A task is tried: the call is noted and answered as if done.
    Note,
    /// It does not run; the text is its result, read by the model.
    Refuse(Refusal),
}

/// Why the person is asked, and which answers are offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The check that asks.
    pub station: Station,
    /// Set when outside content is the reason.
    pub untrusted: Option<String>,
    /// What a second look found.
    pub warning: Option<String>,
    /// The lasting rule that asks.
    pub rule: Option<&'static str>,
    /// In the order they are shown.
    pub choices: Vec<Decision>,
}

/// Why a call does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The check that refuses, or would have asked where nobody can be asked.
    pub station: Station,
    /// What the model reads.
    pub message: String,
    /// The whole run ends here with this text, instead of going on without the call (a swarm worker that would have to
    /// stop and ask).
    pub ends_run: bool,
}

impl Refusal {
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// A verdict with the check it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    pub station: Station,
    pub verdict: Verdict,
}

/// What an answer counts as: a wider yes than offered is a yes to this one call.
pub fn narrow(decision: Decision, offered: &[Decision]) -> Decision {
    match decision {
        Decision::Deny => Decision::Deny,
        wide if offered.contains(&wide) => wide,
        _ => Decision::Allow,
    }
}
