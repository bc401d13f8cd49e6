//! Trash instead of delete, and the way back (contract section 10, "Trash instead of delete", "Restore from Activity";
//! rules 42 and 43).
//!
//! Code decides by the names and schemas of the tools of one app, never a model. When in doubt nothing is swapped: then
//! the gate treats the call as the delete for good that it is.

use crate::schema_check;
use crate::tool_words::{Verb, object, verb};
use serde_json::{Map, Value};

/// What the model reads beside the result of a swapped call (contract section 10).
pub const NOTE: &str = "Moved to the trash instead of deleting it for good, so it can be restored.";

/// Ways to say that something is to be gone for good (contract section 10; the longer ones are ours).
const FOR_GOOD: [&str; 14] = [
    "permanently",
    "permanent",
    "for good",
    "forever",
    "for ever",
    "hard delete",
    "hard-delete",
    "skip the trash",
    "skip trash",
    "bypass the trash",
    "not the trash",
    "not to the trash",
    "irreversibly",
    "beyond recovery",
];
/// What such a sentence has to be about.
const DELETING: [&str; 12] =
    ["delet", "remov", "eras", "destroy", "purg", "wip", "get rid", "trash", "throw", "clear", "empty", "gone"];
/// Turns it around: `don't delete it permanently`.
const NEGATIONS: [&str; 8] =
    ["don't", "dont", "do not", "never", "without", "not permanent", "rather than", "instead of"];
/// Words of a clause that stands for itself after the one with the verb: `Delete it. Permanently, please.`
const CLAUSE_WORDS_MAX: usize = 4;
/// Flags of a delete call that say how thoroughly, which a trash version does not need.
const FLAGS: [&str; 8] =
    ["permanent", "permanently", "hard", "hard_delete", "force", "for_good", "skip_trash", "purge"];

/// One tool of an app.
#[derive(Clone, Copy, Debug)]
pub struct Sibling<'a> {
    pub name: &'a str,
    /// The app it belongs to.
    pub plugin: &'a str,
    /// JSON Schema of its arguments.
    pub parameters: &'a Value,
    /// A rule or setting keeps it from being used.
    pub hidden: bool,
}

/// A call that takes another one's place.
#[derive(Clone, Debug, PartialEq)]
pub struct Swapped {
    pub name: String,
    pub arguments: Value,
}

/// The trash version of a delete for good, when there is one in the same app for the same thing that takes the call's
/// arguments. `said` are the person's own words in this run; when they ask for it to be gone for good, nothing is
/// swapped.
pub fn swap(call: &Sibling<'_>, arguments: &Value, siblings: &[Sibling<'_>], said: &[&str]) -> Option<Swapped> {
    if verb(call.name) != Verb::Delete || said.iter().any(|words| wants_it_gone(words)) {
        return None;
    }
    counterpart(call, arguments, siblings, Verb::Trash)
}

/// What brings back what a trash call moved, with the arguments the trash call was given.
pub fn restore(trashed: &Sibling<'_>, arguments: &Value, siblings: &[Sibling<'_>]) -> Option<Swapped> {
    if verb(trashed.name) != Verb::Trash {
        return None;
    }
    counterpart(trashed, arguments, siblings, Verb::Restore)
}

/// The first tool of the app with this verb and the same object that takes the arguments.
fn counterpart(call: &Sibling<'_>, arguments: &Value, siblings: &[Sibling<'_>], wanted: Verb) -> Option<Swapped> {
    let about = object(call.name, call.plugin);
    let found =
        siblings.iter().filter(|other| other.plugin == call.plugin && !other.hidden && verb(other.name) == wanted);
    let mut found = found.filter(|other| object(other.name, other.plugin) == about);
    found.find_map(|other| {
        let arguments = taken(arguments, other.parameters)?;
        Some(Swapped { name: other.name.to_owned(), arguments })
    })
}

/// The arguments as the other tool takes them: all of them but flags it does not know, and none that it needs missing.
fn taken(arguments: &Value, parameters: &Value) -> Option<Value> {
    let given = arguments.as_object()?;
    let properties = parameters["properties"].as_object()?;
    let knows = |key: &str| properties.contains_key(key);
    if given.keys().any(|key| !knows(key) && !FLAGS.contains(&key.as_str())) {
        return None;
    }
    let kept: Map<String, Value> =
        given.iter().filter(|(key, _)| knows(key)).map(|(key, value)| (key.clone(), value.clone())).collect();
    let kept = Value::Object(kept);
    schema_check::problems(&kept, parameters).is_empty().then_some(kept)
}

/// Whether somebody's words ask for something to be deleted for good. A clause counts that says so of deleting, or that
/// is hardly more than those words.
pub fn wants_it_gone(text: &str) -> bool {
    let text = text.to_lowercase().replace('\u{2019}', "'");
    let mut clauses = text.split(['.', ',', ';', ':', '!', '?', '\n', '(', ')', '"']);
    clauses.any(|clause| {
        let says_so = FOR_GOOD.iter().any(|words| has_words(clause, words)) && !clause.contains("for good measure");
        let turned = NEGATIONS.iter().any(|words| has_words(clause, words));
        let about = DELETING.iter().any(|word| clause.contains(word));
        says_so && !turned && (about || clause.split_whitespace().count() <= CLAUSE_WORDS_MAX)
    })
}

/// Whether the words stand in the text as whole words.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let ends = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
        ends(text[..at].chars().next_back()) && ends(text[at + words.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema(properties: &[&str], required: &[&str]) -> Value {
        let properties: Map<String, Value> =
            properties.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }

    fn tool<'a>(name: &'a str, parameters: &'a Value) -> Sibling<'a> {
        Sibling { name, plugin: "notes", parameters, hidden: false }
    }

    #[test]
    fn a_delete_becomes_the_trash_when_there_is_one_for_the_same_thing() {
        let (by_id, more, other) =
            (schema(&["id"], &["id"]), schema(&["id", "why"], &["id", "why"]), schema(&["name"], &[]));
        let id = json!({"id": "n1"});
        for (name, call, trash, parameters, arguments, said, want) in [
            ("the same thing", "delete_note", "trash_note", &by_id, id.clone(), "delete that note", true),
            ("a soft delete", "delete_note", "soft_delete_note", &by_id, id.clone(), "", true),
            ("in other words", "erase_notes", "move_note_to_trash", &by_id, id.clone(), "", true),
            (
                "a flag it does not need",
                "delete_note",
                "trash_note",
                &by_id,
                json!({"id": "n1", "permanent": true}),
                "",
                true,
            ),
            ("another thing", "delete_note", "trash_folder", &by_id, id.clone(), "", false),
            ("needs more", "delete_note", "trash_note", &more, id.clone(), "", false),
            ("takes other arguments", "delete_note", "trash_note", &other, id.clone(), "", false),
            ("arguments of another type", "delete_note", "trash_note", &by_id, json!({"id": 1}), "", false),
            ("arguments that are none", "delete_note", "trash_note", &by_id, json!("n1"), "", false),
            (
                "asked for exactly that",
                "delete_note",
                "trash_note",
                &by_id,
                id.clone(),
                "Delete it permanently.",
                false,
            ),
            ("no delete", "archive_note", "trash_note", &by_id, id.clone(), "", false),
            ("a delete is no trash", "delete_note", "remove_note", &by_id, id, "", false),
        ] {
            let siblings = [tool(call, &by_id), tool(trash, parameters)];
            let swapped = swap(&siblings[0], &arguments, &siblings, &[said]);
            let want = want.then(|| Swapped { name: trash.into(), arguments: json!({"id": "n1"}) });
            assert_eq!(swapped, want, "{name}");
        }
    }

    #[test]
    fn a_hidden_trash_and_the_trash_of_another_app_do_not_count() {
        let by_id = schema(&["id"], &["id"]);
        let call = tool("delete_note", &by_id);
        for (name, trash) in [
            ("hidden", Sibling { hidden: true, ..tool("trash_note", &by_id) }),
            ("another app", Sibling { plugin: "mail", ..tool("trash_note", &by_id) }),
        ] {
            assert_eq!(swap(&call, &json!({"id": "n1"}), &[call, trash], &[]), None, "{name}");
        }
    }

    #[test]
    fn what_went_to_the_trash_has_a_way_back_when_the_app_has_one() {
        let by_id = schema(&["id"], &["id"]);
        for (trash, back, want) in [
            ("trash_note", "restore_note", true),
            ("trash_note", "untrash_note", true),
            ("move_note_to_trash", "restore_note_from_trash", true),
            ("trash_note", "restore_folder", false),
            ("trash_note", "trash_note", false),
            ("delete_note", "restore_note", false),
        ] {
            let siblings = [tool(trash, &by_id), tool(back, &by_id)];
            let found = restore(&siblings[0], &json!({"id": "n1"}), &siblings);
            assert_eq!(found.map(|found| found.name), want.then(|| back.to_owned()), "{trash} {back}");
        }
    }

    #[test]
    fn words_that_ask_for_it_to_be_gone_are_told_from_others() {
        for (text, want) in [
            ("Delete my note permanently", true),
            ("delete it for good", true),
            ("Delete that note. Permanently, please.", true),
            ("hard delete the file", true),
            ("remove it and skip the trash", true),
            ("Erase this forever!", true),
            ("delete that note", false),
            ("Don't delete it permanently", false),
            ("don\u{2019}t delete anything for good", false),
            ("move it to the trash rather than deleting it permanently", false),
            ("tidy up the notes for good measure", false),
            ("I have had this address forever, and it is still the best place to reach me", false),
            ("forevermore is a nice word for a note to delete", false),
            ("", false),
        ] {
            assert_eq!(wants_it_gone(text), want, "{text}");
        }
    }
}
