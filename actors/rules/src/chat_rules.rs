//! Lasting rules from what the person says in a chat: "never delete my emails", "always ask before sending money"
//! (contract section 2, "Rules from chat").
//!
//! A model only maps words to keys out of a list that code made. Which sentence is a standing instruction, how strict it
//! is, which keys count and whether anything is left to propose is decided here. A proposal only ever tightens, and
//! nothing here makes a rule: the person's click does.

mod candidates;
mod instruction;
mod mapping;

pub use candidates::{CANDIDATES_MAX, Known, candidates};
pub use instruction::{Instruction, SAID_CHARS_MAX, instructions};
pub use mapping::{Mapped, parse, question};

use crate::gate::Rule;
use crate::speech::{action_of, normal};
use std::collections::BTreeMap;

/// Rules, and how strict they are, in force or already proposed in this chat.
pub type Rules<'a> = BTreeMap<&'a str, Rule>;

/// One "Make this a rule?".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    pub rule: Rule,
    /// Names of tools or ids of apps, in the order of the candidates.
    pub keys: Vec<String>,
    /// The person's words it comes from.
    pub said: String,
}

/// Loosest first; `None`, no rule at all, stands right above `allow` (contract rule 20).
pub fn strictness(rule: Option<Rule>) -> u8 {
    match rule {
        Some(Rule::Allow) => 0,
        None => 1,
        Some(Rule::IfAsked) => 2,
        Some(Rule::Ask) => 3,
        Some(Rule::HandOff) => 4,
        Some(Rule::Never) => 5,
    }
}

/// What is proposed for a model's answer: at most one proposal per level, and none when nothing is left.
pub fn proposals(
    found: &[Instruction],
    mapped: &Mapped,
    candidates: &[Known<'_>],
    in_force: &Rules<'_>,
    pending: &Rules<'_>,
) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = Vec::new();
    let mut seen: Vec<(String, Rule)> = Vec::new();
    for instruction in found {
        let rule = instruction.level.unwrap_or(mapped.rule);
        let keys = keys_of(instruction, found, &mapped.keys, candidates);
        let fresh = |key: &String| {
            let covered = covers(in_force, key, rule, candidates) || covers(pending, key, rule, candidates);
            !covered && !seen.contains(&(key.clone(), rule))
        };
        let keys: Vec<String> = keys.into_iter().filter(fresh).collect();
        seen.extend(keys.iter().map(|key| (key.clone(), rule)));
        match proposals.iter_mut().find(|proposal| proposal.rule == rule) {
            _ if keys.is_empty() => (),
            Some(same) => same.keys.extend(keys),
            None => proposals.push(Proposal { rule, keys, said: instruction.said.clone() }),
        }
    }
    proposals
}

/// The model's keys that this instruction is about, made as narrow as its words.
fn keys_of(instruction: &Instruction, all: &[Instruction], keys: &[String], candidates: &[Known<'_>]) -> Vec<String> {
    let exact: Vec<String> = named_exactly(instruction, candidates);
    if !exact.is_empty() {
        return exact;
    }
    let mut found = Vec::new();
    for key in keys {
        let tools: Vec<&Known<'_>> = candidates.iter().filter(|tool| tool.plugin == key).collect();
        let is_app = !candidates.iter().any(|tool| tool.name == key) && !tools.is_empty();
        let mut of_key = candidates.iter().filter(|tool| tool.plugin == key || tool.name == key);
        let app = of_key.next().map_or("", |tool| tool.plugin);
        if !is_about(instruction, all, key, app, candidates) {
            continue;
        }
        if !is_app || instruction.actions.is_empty() {
            found.push(key.clone());
            continue;
        }
        // It names what is not to be done, so never the whole app.
        let fits = |tool: &&&Known<'_>| {
            let action = action_of(tool.name, tool.plugin);
            action.is_some_and(|action| instruction.actions.iter().any(|said| action.said.contains(&said.as_str())))
        };
        found.extend(tools.iter().filter(fits).map(|tool| tool.name.to_owned()));
    }
    found.dedup();
    found
}

fn named_exactly(instruction: &Instruction, candidates: &[Known<'_>]) -> Vec<String> {
    let said = normal(&instruction.said);
    let words: Vec<&str> = said.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let named = candidates.iter().filter(|tool| tool.name.contains('_') && words.contains(&tool.name));
    named.map(|tool| tool.name.to_owned()).collect()
}

/// Each app is judged by the instruction that mentions it; one that none mentions by those that mention no app.
fn is_about(instruction: &Instruction, all: &[Instruction], key: &str, app: &str, candidates: &[Known<'_>]) -> bool {
    let known: Vec<&Known<'_>> = candidates.iter().filter(|tool| tool.plugin == app || tool.name == key).collect();
    let mentions = |instruction: &Instruction| known.iter().any(|tool| candidates::shares_a_word(instruction, tool));
    mentions(instruction) || !all.iter().any(mentions)
}

/// An equal or stricter rule is there already.
fn covers(rules: &Rules<'_>, key: &str, rule: Rule, candidates: &[Known<'_>]) -> bool {
    let strict = |found: Option<Rule>| strictness(found) >= strictness(Some(rule));
    if let Some(tool) = candidates.iter().find(|tool| tool.name == key) {
        return strict(rules.get(tool.name).or_else(|| rules.get(tool.plugin)).copied());
    }
    // An app is covered when no tool in it has a looser rule of its own.
    let mut own = candidates.iter().filter(|tool| tool.plugin == key).filter_map(|tool| rules.get(tool.name));
    strict(rules.get(key).copied()) && own.all(|own| strict(Some(*own)))
}

/// The rules that change when a proposal is accepted: each key where it tightens, and for an app also the tools in it
/// whose own looser rule would beat the app's.
pub fn accepted(rule: Rule, keys: &[String], in_force: &Rules<'_>, tools: &[(&str, &str)]) -> Vec<String> {
    let looser = |found: Option<Rule>| strictness(found) < strictness(Some(rule));
    let mut changed = Vec::new();
    for key in keys {
        let of_app = tools.iter().find(|(name, _)| name == key).map(|(_, plugin)| *plugin);
        let effective = in_force.get(key.as_str()).or_else(|| in_force.get(of_app.unwrap_or_default())).copied();
        if looser(effective) {
            changed.push(key.clone());
        }
        let inside = tools.iter().filter(|(_, plugin)| plugin == key);
        let beaten = inside.filter(|(name, _)| in_force.get(*name).is_some_and(|own| looser(Some(*own))));
        changed.extend(beaten.map(|(name, _)| (*name).to_owned()));
    }
    changed
}

#[cfg(test)]
mod tests;
