//! Whether the person's own words asked for a call: what an "Only if I asked" rule goes by (contract section 2, rule 25).
//!
//! Decided by code from what was typed or spoken in this turn, never by a model. English only, as the contract's verbs
//! are; words it does not understand ask for nothing, so the person is asked. It must never take an attachment, a tool's
//! result or another app's words: the caller passes the person's own.

use crate::speech::{Stance, action_of, asks_for, has_address, names_phrase, object_words, sentences, stances, stem};
use protocol::tools::Risk;

/// The call that may have been asked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    pub tool: &'a str,
    pub plugin: &'a str,
    /// The app's name.
    pub app: &'a str,
    pub risk: Risk,
    /// Names of the other connected apps.
    pub other_apps: &'a [String],
}

/// Words of a bare "yes, send it" beside the verb.
const BARE: &[&str] = &[
    "it", "this", "that", "them", "these", "those", "one", "please", "yes", "yeah", "yep", "ok", "okay", "sure", "now",
    "then", "go", "ahead", "just", "you", "can", "away", "off", "right", "do", "and",
];

/// Whether these words of the person asked for the call.
pub fn asked_for(words: &[String], wanted: &Wanted<'_>) -> bool {
    words.iter().flat_map(|text| sentences(text)).any(|sentence| {
        let stances = stances(&sentence);
        sentence.iter().zip(stances).any(|(clause, stance)| clause_asks(&clause.words, stance, wanted))
    })
}

fn clause_asks(words: &[String], stance: Stance, wanted: &Wanted<'_>) -> bool {
    let elsewhere = |app: &String| app != wanted.app && names_phrase(words, app);
    if wanted.other_apps.iter().any(elsewhere) {
        return false;
    }
    let objects = object_words(wanted.tool, wanted.plugin);
    let names_object = words.iter().any(|word| objects.iter().any(|object| object == stem(word)));
    let names = names_object || names_phrase(words, wanted.app) || words.iter().any(|word| word == wanted.plugin);
    if wanted.risk == Risk::Read {
        return names && matches!(stance, Stance::Asks | Stance::Question);
    }
    let Some(action) = action_of(wanted.tool, wanted.plugin) else { return false };
    if stance != Stance::Asks || !asks_for(words, action.said) {
        return false;
    }
    let is_mail = objects.iter().any(|object| object == "email")
        || stem(wanted.plugin).ends_with("mail")
        || wanted.plugin.contains("email");
    let address = has_address(words);
    let bare =
        !address && words.iter().all(|word| BARE.contains(&word.as_str()) || action.said.contains(&word.as_str()));
    names || (address && is_mail) || bare
}

#[cfg(test)]
mod tests;
