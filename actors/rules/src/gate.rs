//! The one gate: from a tool call a model asked for to what may happen with it.
//!
//! Every surface asks this function and no other: windows, HTTP, voice, messaging apps, other apps, tasks, helpers,
//! scripts. It looks at facts that code gathered and never at what a model says about itself. The order of the checks
//! is ARCHITECTURE.md section 5 (contract rule 41); the first that applies wins, and where the contract leaves two
//! unordered the stricter comes first. A new check is a new [`Station`] at its place in [`explain`], with its fact in
//! [`Case`].

mod facts;
mod grants;
mod surface;
mod verdict;
mod words;

pub use facts::{AddressFacts, Case, Mode, Rule, ToolFacts, plain_name, sends_out, unprompted_allows};
pub use grants::granted_risk;
pub use surface::{Surface, UNPROMPTED_ORIGINS};
pub use verdict::{Explained, Question, Refusal, Station, Verdict, narrow};

use protocol::approvals::Decision;
use protocol::tools::Risk;

/// Decides about one call. Called again right before it runs, with `approved` set when the person said yes.
pub fn decide(case: &Case<'_>) -> Verdict {
    explain(case).verdict
}

/// Decides, and says which check it was.
pub fn explain(case: &Case<'_>) -> Explained {
    let Some(tool) = case.tool.as_ref() else {
        return refuse(Station::UnknownTool, words::UNKNOWN_TOOL.to_owned());
    };
    if let Some(why) = case.bad_arguments {
        return refuse(Station::Arguments, why.to_owned());
    }
    if let Some(held) = held_back(case, tool) {
        return held;
    }
    let (station, question) = match needs_a_yes(case, tool) {
        Ok(station) => return Explained { station, verdict: Verdict::Run { undo: undo(case, tool) } },
        Err(asks) => asks,
    };
    if case.approved {
        return Explained { station, verdict: Verdict::Run { undo: undo(case, tool) } };
    }
    if case.surface.can_ask() {
        return Explained { station, verdict: Verdict::Ask(question) };
    }
    let message = words::nobody_to_ask(station, case, tool);
    let refusal = Refusal { station, message, ends_run: ends_run(case.surface, station) };
    Explained { station, verdict: Verdict::Refuse(refusal) }
}

fn refuse(station: Station, message: String) -> Explained {
    Explained { station, verdict: Verdict::Refuse(Refusal { station, message, ends_run: false }) }
}

/// The checks no yes lifts.
fn held_back(case: &Case<'_>, tool: &ToolFacts<'_>) -> Option<Explained> {
    if case.rule == Some(Rule::Never) || tool.hidden {
        return Some(refuse(Station::Never, words::never(tool.shown_name)));
    }
    if case.memory.withholds(tool.name) {
        return Some(refuse(Station::Memory, words::without_memory(case.memory, tool.name)));
    }
    let acts = tool.risk > Risk::Read;
    if let Some(app) = case.read_only.filter(|_| acts) {
        return Some(refuse(Station::ReadOnly, words::read_only(app, tool)));
    }
    if case.is_unprompted() && !unprompted_allows(tool) {
        return Some(refuse(Station::Unprompted, words::unprompted(tool.name)));
    }
    if !policy_allows(case, tool) {
        return Some(refuse(Station::Policy, words::policy(case.surface, tool.name)));
    }
    if case.try_run && acts {
        return Some(Explained { station: Station::TryRun, verdict: Verdict::Note });
    }
    if case.rule == Some(Rule::HandOff) && acts {
        // A task's run hands over like a chat's; what has no place to show it refuses.
        return Some(if case.surface.can_ask() || case.surface == Surface::SwarmWorker {
            let verdict = Verdict::HandOff(words::hand_off(tool.shown_name));
            Explained { station: Station::HandOff, verdict }
        } else {
            refuse(Station::HandOff, words::hand_off_refused(tool.shown_name))
        });
    }
    let trash = case.trash_tool.filter(|trash| *trash != tool.name)?;
    Some(Explained { station: Station::Trash, verdict: Verdict::Swap(trash.to_owned()) })
}

/// What work of this kind may do at all (contract section 10 "Subagents", section 11).
fn policy_allows(case: &Case<'_>, tool: &ToolFacts<'_>) -> bool {
    match case.surface {
        Surface::Subagent => tool.risk < Risk::Send,
        Surface::Script { look_ups_only: true } => tool.risk == Risk::Read,
        Surface::Script { look_ups_only: false } => {
            let is_small = tool.risk == Risk::Read || (tool.internal && tool.risk == Risk::Write);
            // Purchases and the home are refused there in every mode, also with `browser.confirm_purchases` off.
            is_small || (case.mode == Mode::Off && !tool.purchase && !tool.opens_home)
        }
        _ => true,
    }
}

/// The check that lets the call run without a question, or the first that asks.
fn needs_a_yes(case: &Case<'_>, tool: &ToolFacts<'_>) -> Result<Station, (Station, Question)> {
    if let Some((station, untrusted)) = outside_reason(case, tool) {
        let mut question = once(station);
        question.untrusted = Some(untrusted);
        question.warning = case.warning.map(str::to_owned);
        return Err((station, question));
    }
    if let Some(warning) = case.warning {
        let warning = Some(warning.to_owned());
        return Err((Station::SecondLook, Question { warning, ..once(Station::SecondLook) }));
    }
    // With approvals off a look-up never waits for a rule nobody has decided about.
    if case.proposal && (case.mode != Mode::Off || tool.risk > Risk::Read) {
        return Err((Station::Proposal, once(Station::Proposal)));
    }
    if let Some((station, rule)) = rule_that_asks(case, tool) {
        let question = Question { rule: Some(rule), choices: choices(case, tool), ..once(station) };
        return Err((station, question));
    }
    if let Some(station) = hard_stop(case, tool) {
        return Err((station, once(station)));
    }
    if let Some(station) = allowed(case, tool) {
        return Ok(station);
    }
    if case.surface.mode_asks() && mode_asks(case.mode, tool) {
        let question = Question { choices: choices(case, tool), ..once(Station::Mode) };
        return Err((Station::Mode, question));
    }
    Ok(Station::Mode)
}

/// A question that only a yes to this one call, or a no, can answer.
fn once(station: Station) -> Question {
    Question { station, untrusted: None, warning: None, rule: None, choices: vec![Decision::Allow, Decision::Deny] }
}

/// After outside content was read, what can send data out needs the person, and so does an address that could carry
/// data to a host this chat has not been to (ADR 0018).
fn outside_reason(case: &Case<'_>, tool: &ToolFacts<'_>) -> Option<(Station, String)> {
    let source = case.outside.filter(|source| !source.is_empty())?;
    if sends_out(tool) {
        return Some((Station::Outside, words::outside(source)));
    }
    let address = case.address.as_ref().filter(|address| address.carries_data && !address.visited)?;
    Some((Station::Address, words::outside_address(source, address.host)))
}

/// A lasting rule that asks. A task or timed grant was given by somebody who was asked because of it.
fn rule_that_asks(case: &Case<'_>, tool: &ToolFacts<'_>) -> Option<(Station, &'static str)> {
    if granted(case, tool) {
        return None;
    }
    match case.rule {
        Some(Rule::Ask) => Some((Station::AskRule, "ask")),
        Some(Rule::IfAsked) if !words_asked(case) => Some((Station::IfAsked, "if_asked")),
        _ => None,
    }
}

/// Only the person's own chat has words that can ask for a call.
fn words_asked(case: &Case<'_>) -> bool {
    case.asked && case.surface.is_persons_chat() && !case.is_unprompted()
}

/// What asks in every mode and under every rule and grant.
fn hard_stop(case: &Case<'_>, tool: &ToolFacts<'_>) -> Option<Station> {
    if tool.purchase && case.confirm_purchases {
        return Some(Station::Purchase);
    }
    if tool.opens_home {
        return Some(Station::OpensHome);
    }
    (case.surface.is_another_app() && tool.deletes && tool.risk > Risk::Read).then_some(Station::AppDelete)
}

/// The answer or rule that covers the call.
fn allowed(case: &Case<'_>, tool: &ToolFacts<'_>) -> Option<Station> {
    if granted(case, tool) {
        return Some(Station::Grant);
    }
    match case.rule {
        Some(Rule::Allow) => return Some(Station::AllowRule),
        Some(Rule::IfAsked) if words_asked(case) => return Some(Station::IfAsked),
        _ => (),
    }
    let covered = case.chat_allowance.is_some_and(|upto| tool.risk <= upto);
    (covered && case.allowances_count && case.surface.is_persons_chat() && !once_only(tool))
        .then_some(Station::ChatAllowance)
}

/// A live task or timed grant reaches this call.
fn granted(case: &Case<'_>, tool: &ToolFacts<'_>) -> bool {
    case.grant.is_some_and(|upto| tool.risk <= upto) && !once_only(tool)
}

/// Calls of which each is asked about on its own (contract section 2, "Scoped answers").
fn once_only(tool: &ToolFacts<'_>) -> bool {
    let raised_high = tool.raised && tool.risk >= Risk::Send;
    tool.purchase || tool.opens_home || !tool.allow_for_chat || raised_high || tool.risk == Risk::Exec
}

fn mode_asks(mode: Mode, tool: &ToolFacts<'_>) -> bool {
    match mode {
        Mode::Off => false,
        Mode::Ask => tool.risk >= Risk::Send || (tool.risk == Risk::Write && !tool.internal),
        Mode::Always => tool.risk > Risk::Read,
    }
}

/// The answers offered, in order. One that would not keep the next such call from asking is not among them.
fn choices(case: &Case<'_>, tool: &ToolFacts<'_>) -> Vec<Decision> {
    if once_only(tool) || case.surface.is_another_app() {
        return vec![Decision::Allow, Decision::Deny];
    }
    let rule_asks = matches!(case.rule, Some(Rule::Ask | Rule::IfAsked));
    let mut choices = vec![Decision::Allow];
    if case.surface.is_persons_chat() && case.allowances_count && !rule_asks {
        choices.push(Decision::AllowSession);
    }
    if case.surface == Surface::Task {
        choices.push(Decision::AllowTask);
    }
    choices.extend([Decision::AllowTimed, Decision::AllowAlways, Decision::Deny]);
    choices
}

/// A swarm worker cannot go on without what a lasting rule or the home's hard stop holds; a helper neither, at the
/// home's (contract section 2).
fn ends_run(surface: Surface, station: Station) -> bool {
    match station {
        Station::AskRule | Station::IfAsked | Station::Purchase => surface == Surface::SwarmWorker,
        Station::OpensHome => matches!(surface, Surface::SwarmWorker | Surface::Subagent),
        _ => false,
    }
}

/// How long the call waits: only where somebody could press Undo, and never a purchase or code (contract section 10).
fn undo(case: &Case<'_>, tool: &ToolFacts<'_>) -> Option<std::time::Duration> {
    let can_wait = matches!(tool.risk, Risk::Write | Risk::Send) && !tool.internal && !tool.purchase;
    case.undo.filter(|_| can_wait && case.surface.is_watched() && !case.is_unprompted())
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod matrix;
#[cfg(test)]
mod tests;
