//! The one gate: from a tool call a model asked for to what may happen with it.
//!
//! Every surface asks this function and no other: windows, HTTP, voice, messaging apps, tasks, subagents, scripts. It
//! looks at facts that code gathered and never at what a model says about itself. The order of the checks is
//! ARCHITECTURE.md section 5 (contract rule 41); the first that applies wins, and where the contract leaves two
//! unordered the stricter comes first. Rows that later work fills (second look, pending rule proposals, grants, undo
//! windows) have their place marked in [`decide`].

use protocol::approvals::Decision;
use protocol::tools::Risk;

/// `tools.approvals.mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Off,
    Ask,
    Always,
}

/// A lasting rule, loosest first (contract rule 20: no rule stands between `Allow` and `IfAsked`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    /// How the person sees it in a sentence, e.g. `"Write file" in Your files`.
    pub shown_name: &'a str,
    pub plugin: &'a str,
    /// The effective risk of this very call.
    pub risk: Risk,
    /// The call's arguments raised it above what the tool declares.
    pub raised: bool,
    pub internal: bool,
    pub allow_for_chat: bool,
    /// It can move data out below `send`.
    pub exfiltrates: bool,
    pub purchase: bool,
    pub opens_home: bool,
    /// Switched off in `tools.disabled` or not offered to this turn.
    pub hidden: bool,
}

/// Where the call comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    /// Somebody can be asked (a chat, a voice conversation, a paired messaging app).
    pub can_ask: bool,
    /// Nobody asked for this work (contract section 10, ADR 0017).
    pub unprompted: bool,
}

/// The web address a call would load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressFacts<'a> {
    pub host: &'a str,
    pub carries_data: bool,
    /// This chat or run has loaded the host before.
    pub visited: bool,
}

/// All that decides about one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case<'a> {
    /// `None`: there is no such tool.
    pub tool: Option<ToolFacts<'a>>,
    /// Why the arguments do not fit the tool's schema.
    pub bad_arguments: Option<&'a str>,
    pub surface: Surface,
    pub mode: Mode,
    /// The tool's own rule, else its app's.
    pub rule: Option<Rule>,
    /// "Allow for this chat" was given up to this risk.
    pub chat_allowance: Option<Risk>,
    /// `tools.approvals.remember_session`: those answers are honoured.
    pub allowances_count: bool,
    /// The app whose content this chat or run has read.
    pub outside: Option<&'a str>,
    pub address: Option<AddressFacts<'a>>,
    /// The person has said yes to this very call.
    pub approved: bool,
}

/// What may happen with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Run,
    Ask(Question),
    /// It does not run; the text is its result, read by the model.
    Refuse(Refusal),
}

/// Why the person is asked, and which answers are offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Set when outside content is the reason.
    pub untrusted: Option<String>,
    /// The lasting rule that asks.
    pub rule: Option<&'static str>,
    pub choices: Vec<Decision>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    UnknownTool(String),
    BadArguments(String),
    Never(String),
    Unprompted(String),
    HandOff(String),
    NobodyToAsk(String),
}

impl Refusal {
    pub fn message(&self) -> &str {
        match self {
            Self::UnknownTool(text)
            | Self::BadArguments(text)
            | Self::Never(text)
            | Self::Unprompted(text)
            | Self::HandOff(text)
            | Self::NobodyToAsk(text) => text,
        }
    }
}

/// Decides about one call. Called again right before it runs, with `approved` set when the person said yes.
pub fn decide(case: &Case<'_>) -> Verdict {
    let Some(tool) = case.tool.as_ref() else {
        return refuse(Refusal::UnknownTool("There is no such tool. Use only the tools you were given.".into()));
    };
    if let Some(why) = case.bad_arguments {
        return refuse(Refusal::BadArguments(why.to_owned()));
    }
    if case.rule == Some(Rule::Never) || tool.hidden {
        let name = tool.shown_name;
        return refuse(Refusal::Never(format!(
            "You've set Sentient to never use {name}. Change this in Settings > Approvals & safety."
        )));
    }
    if case.surface.unprompted && !unprompted_allows(tool) {
        let name = tool.name;
        return refuse(Refusal::Unprompted(format!(
            "Nobody asked for this work, so Sentient can only look things up. {name} was not done. If it would help, \
             suggest it to the user instead."
        )));
    }
    // A try run notes the call here (section 4, "Try it first").
    if case.rule == Some(Rule::HandOff) && tool.risk > Risk::Read {
        let name = tool.shown_name;
        return refuse(Refusal::HandOff(format!(
            "NOT DONE by Sentient: {name} is set to \"Hand it to me\", so Sentient did not do it."
        )));
    }
    match needs_a_yes(case, tool) {
        None => Verdict::Run,
        Some(_) if case.approved => Verdict::Run,
        Some(_) if !case.surface.can_ask => {
            let name = tool.name;
            refuse(Refusal::NobodyToAsk(format!(
                "Not done: {name} needs the user's OK first, and this work can't stop to ask."
            )))
        }
        Some(question) => Verdict::Ask(question),
    }
}

fn refuse(refusal: Refusal) -> Verdict {
    Verdict::Refuse(refusal)
}

/// Whether work nobody asked for may make this call: look-ups, and the assistant's own small notes outside tasks.
pub fn unprompted_allows(tool: &ToolFacts<'_>) -> bool {
    tool.risk == Risk::Read || (tool.internal && tool.risk == Risk::Write && tool.plugin != "tasks")
}

/// Whether a call can move data out (contract section 10, `sends_out`).
pub fn sends_out(tool: &ToolFacts<'_>) -> bool {
    tool.risk >= Risk::Send || tool.exfiltrates
}

fn needs_a_yes(case: &Case<'_>, tool: &ToolFacts<'_>) -> Option<Question> {
    if let Some(untrusted) = outside_reason(case, tool) {
        let choices = vec![Decision::Allow, Decision::Deny];
        return Some(Question { untrusted: Some(untrusted), rule: None, choices });
    }
    // The second look and undecided rule proposals ask here.
    let rule = match case.rule {
        Some(Rule::Ask) => Some("ask"),
        // Whether the person's own words asked for the call is decided by a later part; until then it asks.
        Some(Rule::IfAsked) => Some("if_asked"),
        _ => None,
    };
    let asks =
        rule.is_some() || tool.purchase || tool.opens_home || (!allowed(case, tool) && mode_asks(case.mode, tool));
    asks.then(|| Question { untrusted: None, rule, choices: choices(case, tool) })
}

/// After outside content was read, what can send data out needs the person, and so does an address that could carry
/// data to a host this chat has not been to (ADR 0018).
fn outside_reason(case: &Case<'_>, tool: &ToolFacts<'_>) -> Option<String> {
    let source = case.outside.filter(|source| !source.is_empty())?;
    if sends_out(tool) {
        return Some(format!(
            "Sentient read content from {source} in this chat, so it checks with you before sending anything."
        ));
    }
    let address = case.address.as_ref().filter(|address| address.carries_data && !address.visited)?;
    Some(format!(
        "Sentient read content from {source} in this chat, and this address could carry your data to {}, so it checks \
         with you first.",
        address.host
    ))
}

/// An `allow` rule or "Allow for this chat" covers the call.
fn allowed(case: &Case<'_>, tool: &ToolFacts<'_>) -> bool {
    if case.rule == Some(Rule::Allow) {
        return true;
    }
    let covered = case.chat_allowance.is_some_and(|upto| tool.risk <= upto);
    covered && case.allowances_count && tool.allow_for_chat && !raised_high(tool)
}

fn raised_high(tool: &ToolFacts<'_>) -> bool {
    tool.raised && tool.risk >= Risk::Send
}

fn mode_asks(mode: Mode, tool: &ToolFacts<'_>) -> bool {
    match mode {
        Mode::Off => false,
        Mode::Ask => tool.risk >= Risk::Send || (tool.risk == Risk::Write && !tool.internal),
        Mode::Always => tool.risk > Risk::Read,
    }
}

/// The answers offered, in order (contract section 2, "Scoped answers"). Timed and lasting answers join with the part
/// that keeps them.
fn choices(case: &Case<'_>, tool: &ToolFacts<'_>) -> Vec<Decision> {
    let once_only = tool.purchase
        || tool.opens_home
        || !tool.allow_for_chat
        || raised_high(tool)
        || tool.risk == Risk::Exec
        || !case.allowances_count
        || matches!(case.rule, Some(Rule::Ask | Rule::IfAsked));
    if once_only {
        vec![Decision::Allow, Decision::Deny]
    } else {
        vec![Decision::Allow, Decision::AllowSession, Decision::Deny]
    }
}

/// What an answer counts as: a wider yes than offered is a yes to this one call.
pub fn narrow(decision: Decision, offered: &[Decision]) -> Decision {
    match decision {
        Decision::Deny => Decision::Deny,
        wide if offered.contains(&wide) => wide,
        _ => Decision::Allow,
    }
}

#[cfg(test)]
mod tests;
