//! Verbs of tools' names, and the verbs people ask for them with.

use super::stem;
use crate::tool_words::own_words;

/// What a tool does, by the verb in its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// The verb in the tool's name.
    pub verb: &'static str,
    /// The verbs that ask for it.
    pub said: &'static [&'static str],
}

const SEND: &[&str] = &["send", "email", "mail", "message", "text", "dm", "reply", "respond", "forward", "write"];
const REPLY: &[&str] = &["reply", "respond", "answer", "send", "write"];
const FORWARD: &[&str] = &["forward", "send", "share"];
const POST: &[&str] = &["post", "publish", "share", "tweet", "send", "message", "comment", "write"];
const COMMENT: &[&str] = &["comment", "reply", "respond", "post", "write", "add"];
const SHARE: &[&str] = &["share", "send", "invite"];
const INVITE: &[&str] = &["invite", "add", "share"];
const DELETE: &[&str] = &["delete", "remove", "erase", "destroy", "purge", "discard"];
const TRASH: &[&str] = &["trash", "bin", "delete", "remove", "erase", "discard"];
const ARCHIVE: &[&str] = &["archive"];
const CREATE: &[&str] = &["create", "make", "add", "open", "start", "schedule", "book", "set", "put", "write", "save"];
const ADD: &[&str] = &["add", "create", "make", "put", "save", "insert", "append"];
const UPDATE: &[&str] =
    &["update", "edit", "change", "modify", "rename", "move", "reschedule", "set", "fix", "correct", "mark", "adjust"];
const MOVE: &[&str] = &["move", "put", "file"];
const WRITE: &[&str] = &["write", "save", "create", "make", "store", "put", "export"];
const DRAFT: &[&str] = &["draft", "write", "prepare", "create"];
const RUN: &[&str] = &["run", "execute", "start", "launch"];
const PAY: &[&str] = &["pay", "transfer", "send"];
const BUY: &[&str] = &["buy", "order", "purchase"];
const CANCEL: &[&str] = &["cancel"];
const ACCEPT: &[&str] = &["accept", "approve", "confirm"];
const DECLINE: &[&str] = &["decline", "reject", "refuse"];
const CLOSE: &[&str] = &["close", "finish", "resolve"];
const OPEN: &[&str] = &["open", "start"];
const SET: &[&str] = &["set", "change", "turn", "switch", "adjust"];
const TURN: &[&str] = &["turn", "switch", "set"];
const MARK: &[&str] = &["mark", "flag", "label"];
const CALL: &[&str] = &["call", "phone", "dial", "ring"];

/// Verbs of tools' names, and what asks for them.
const ACTIONS: &[(&str, &[&str])] = &[
    ("send", SEND),
    ("reply", REPLY),
    ("respond", REPLY),
    ("forward", FORWARD),
    ("post", POST),
    ("publish", POST),
    ("tweet", POST),
    ("comment", COMMENT),
    ("share", SHARE),
    ("invite", INVITE),
    ("delete", DELETE),
    ("remove", DELETE),
    ("erase", DELETE),
    ("destroy", DELETE),
    ("purge", DELETE),
    ("trash", TRASH),
    ("recycle", TRASH),
    ("archive", ARCHIVE),
    ("create", CREATE),
    ("make", CREATE),
    ("schedule", CREATE),
    ("book", CREATE),
    ("add", ADD),
    ("insert", ADD),
    ("append", ADD),
    ("update", UPDATE),
    ("edit", UPDATE),
    ("change", UPDATE),
    ("modify", UPDATE),
    ("rename", UPDATE),
    ("move", MOVE),
    ("write", WRITE),
    ("save", WRITE),
    ("draft", DRAFT),
    ("run", RUN),
    ("execute", RUN),
    ("pay", PAY),
    ("transfer", PAY),
    ("buy", BUY),
    ("order", BUY),
    ("cancel", CANCEL),
    ("accept", ACCEPT),
    ("decline", DECLINE),
    ("close", CLOSE),
    ("open", OPEN),
    ("set", SET),
];

/// More of them; two lists only because one would be long.
const MORE_ACTIONS: &[(&str, &[&str])] = &[
    ("turn", TURN),
    ("mark", MARK),
    ("label", MARK),
    ("call", CALL),
    ("email", SEND),
    ("message", SEND),
    ("upload", &["upload", "put", "add", "save"]),
    ("download", &["download", "save", "fetch", "get"]),
    ("print", &["print"]),
    ("lock", &["lock"]),
    ("unlock", &["unlock", "open"]),
    ("play", &["play", "start"]),
    ("pause", &["pause", "stop"]),
    ("click", &["click", "press", "choose"]),
    ("type", &["type", "enter", "fill", "write"]),
    ("submit", &["submit", "send"]),
    ("merge", &["merge"]),
    ("assign", &["assign", "give"]),
    ("restore", &["restore", "recover", "undelete"]),
    ("remember", &["remember", "save", "note"]),
];

/// Verbs of look-ups in tools' names; they name no object.
const LOOK_UPS: &[&str] = &[
    "get", "list", "search", "read", "find", "fetch", "look", "show", "view", "query", "count", "lookup", "check",
    "current",
];

/// Words of a tool's name that say nothing about what it acts on.
const FILLERS: &[&str] = &["by", "to", "for", "of", "id", "all", "my", "new", "from", "with", "in", "on", "the", "url"];

fn actions() -> impl Iterator<Item = &'static (&'static str, &'static [&'static str])> {
    ACTIONS.iter().chain(MORE_ACTIONS)
}

/// Whether a word is a verb people ask for something with.
pub(super) fn is_verb(word: &str) -> bool {
    LOOK_UPS.contains(&word) || actions().any(|(_, said)| said.contains(&word))
}

/// Whether a word is a verb of something done, not looked up.
pub fn is_action(word: &str) -> bool {
    actions().any(|(verb, said)| *verb == word || said.contains(&word))
}

/// A verb without its "-ing": `sending` is `send`. A word that is no such verb stays.
pub fn base_of(word: &str) -> String {
    let Some(cut) = word.strip_suffix("ing") else { return word.to_owned() };
    let doubled = cut.char_indices().next_back().map_or(cut, |(at, _)| &cut[..at]);
    let forms = [cut.to_owned(), format!("{cut}e"), doubled.to_owned()];
    forms.into_iter().find(|form| is_action(form)).unwrap_or_else(|| word.to_owned())
}

/// What a tool does; `None` when its name has no verb we know.
pub fn action_of(tool: &str, plugin: &str) -> Option<Action> {
    own_words(tool, plugin).iter().find_map(|word| {
        let &(verb, said) = actions().find(|(verb, _)| *verb == word.as_str())?;
        Some(Action { verb, said })
    })
}

/// The words of a tool's name that say what it acts on, in one form ([`stem`]).
pub fn object_words(tool: &str, plugin: &str) -> Vec<String> {
    let verb = action_of(tool, plugin).map(|action| action.verb);
    let says_what =
        |word: &&str| Some(*word) != verb && !LOOK_UPS.contains(word) && !FILLERS.contains(word) && word.len() > 2;
    let words = own_words(tool, plugin);
    words.iter().map(String::as_str).filter(says_what).map(|word| stem(word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_of_tools_say() {
        for (tool, plugin, verb, objects) in [
            ("gmail_send_email", "gmail", Some("send"), "email"),
            ("slack_post_message", "slack", Some("post"), "message"),
            ("gmail_trash", "gmail", Some("trash"), ""),
            ("file_write", "files", Some("write"), "file"),
            ("execute_code", "code", Some("execute"), "code"),
            ("github_create_issue", "github", Some("create"), "issue"),
            ("gmail_search_emails", "gmail", None, "email"),
            ("mcp_notes_add_page", "mcp_notes", Some("add"), "page"),
            ("GMAILSendEmail", "gmail", Some("send"), "email"),
            ("notes-delete-note", "notes", Some("delete"), "note"),
            ("current_datetime", "time", None, "datetime"),
            ("", "", None, ""),
        ] {
            assert_eq!(action_of(tool, plugin).map(|action| action.verb), verb, "{tool}");
            assert_eq!(object_words(tool, plugin).join(" "), objects, "{tool}");
        }
    }

    #[test]
    fn every_verb_of_a_tool_can_be_said() {
        for (verb, said) in actions() {
            assert!(is_verb(said[0]), "{verb}");
            assert_eq!(actions().filter(|(other, _)| other == verb).count(), 1, "{verb} is there twice");
        }
    }
}
