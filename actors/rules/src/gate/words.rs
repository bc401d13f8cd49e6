//! The sentences of the gate (contract `strings.tsv`): what a model reads when a call does not run, and why a person is
//! asked.

use super::facts::{Case, ToolFacts, plain_name};
use super::{Station, Surface};

pub(super) const UNKNOWN_TOOL: &str = "There is no such tool. Use only the tools you were given.";

pub(super) fn never(name: &str) -> String {
    format!("You've set Sentient to never use {name}. Change this in Settings > Approvals & safety.")
}

pub(super) fn without_memory(name: &str) -> String {
    format!("What Sentient knows about the user is not available in this turn, so {name} was not done.")
}

pub(super) fn read_only(app: &str, tool: &ToolFacts<'_>) -> String {
    let call = plain_name(tool.name, tool.plugin);
    format!(
        "{app} is set to Read only, so Sentient can look things up there but can't change, send or delete anything. \
         \"{call}\" was not done. Change this in Integrations."
    )
}

pub(super) fn unprompted(name: &str) -> String {
    format!(
        "Nobody asked for this work, so Sentient can only look things up. {name} was not done. If it would help, \
         suggest it to the user instead."
    )
}

pub(super) fn hand_off(name: &str) -> String {
    format!(
        "NOT DONE by Sentient: {name} is set to \"Hand it to me\", so Sentient did not do it. What you prepared is \
         shown to the user in Sentient, with a copy button, for them to finish themselves. Tell them that it is ready \
         for them, and never say that it was done or sent."
    )
}

/// What work of this kind may never do.
pub(super) fn policy(surface: Surface, name: &str) -> String {
    match surface {
        Surface::Script { look_ups_only: true } => {
            format!("Not done: a script run this way only looks things up, and {name} does more than that.")
        }
        Surface::Script { .. } => format!(
            "Not done: a script only looks things up and keeps the assistant's own notes. Call {name} directly, \
             outside the script, so that the user can be asked."
        ),
        _ => format!(
            "Not done: a helper sends nothing and runs no code, so {name} is not for it. Tell the chat that gave you \
             this work what is left to do, so that the user can be asked there."
        ),
    }
}

/// A rule that hands a call over, where there is nobody to hand it to.
pub(super) fn hand_off_refused(name: &str) -> String {
    format!("Not done: {name} is set to \"Hand it to me\", so it needs the user. Say what you would have done.")
}

pub(super) fn outside(source: &str) -> String {
    format!("Sentient read content from {source} in this chat, so it checks with you before sending anything.")
}

pub(super) fn outside_address(source: &str, host: &str) -> String {
    format!(
        "Sentient read content from {source} in this chat, and this address could carry your data to {host}, so it \
         checks with you first."
    )
}

/// What would have asked, where nobody can be asked.
pub(super) fn nobody_to_ask(station: Station, case: &Case<'_>, tool: &ToolFacts<'_>) -> String {
    let (name, shown) = (tool.name, tool.shown_name);
    match station {
        Station::Outside | Station::Address => {
            let source = case.outside.unwrap_or_default();
            format!(
                "Not done: this run read content from {source}, so {name} needs the user's OK first. Go on without it \
                 and say that it is not done."
            )
        }
        Station::SecondLook => format!(
            "Not done: a second look found a problem, so {name} needs the user's OK first. Go on without it and say \
             that it is not done."
        ),
        Station::AskRule => format!(
            "{shown} is set to Ask, and this work can't stop to ask. Change it in Settings > Approvals & safety."
        ),
        Station::IfAsked => format!(
            "{shown} is set to \"Only if I asked\", which only the user's own chat message can ask for, and this work \
             can't stop to ask. Change it in Settings > Approvals & safety."
        ),
        Station::Proposal => {
            format!("Not done: the user has not decided yet whether {shown} needs their OK. Ask again in the chat.")
        }
        _ => format!("Not done: {name} needs the user's OK first, and this work can't stop to ask."),
    }
}
