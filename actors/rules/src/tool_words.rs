//! The words of a tool's name, and which of them say what it does. Tools come from anywhere (ours, MCP servers, scripts),
//! so a name is all there is to go by: what code can tell from it must not depend on what a description claims.

use std::collections::BTreeSet;

/// Verbs that send something (contract section 10, "Undo window"; `respond`, `tweet`, `dm` and `broadcast` are ours).
const SEND: [&str; 11] =
    ["send", "reply", "forward", "post", "publish", "comment", "respond", "tweet", "retweet", "dm", "broadcast"];
/// Verbs that delete for good (contract section 10, "Trash instead of delete").
const DELETE: [&str; 5] = ["delete", "remove", "erase", "destroy", "purge"];
/// Verbs that move to the trash; `soft_delete` is read as `soft` beside `delete`.
const TRASH: [&str; 4] = ["trash", "recycle", "softdelete", "trashed"];
/// Verbs that bring back (contract section 10, "Restore from Activity").
const RESTORE: [&str; 5] = ["restore", "untrash", "recover", "undelete", "unarchive"];
/// Words that say how or where, not what: `move_note_to_trash`, `delete_note_permanently`.
const FILLERS: [&str; 16] = [
    "move",
    "put",
    "to",
    "the",
    "a",
    "an",
    "in",
    "into",
    "from",
    "of",
    "by",
    "id",
    "permanently",
    "permanent",
    "forever",
    "hard",
];

/// The words of a name in lower case: `GMAIL_SEND-email`, `gmailSendEmail` and `gmail.send email` are all three words.
pub fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before_is_lower = false;
    for letter in name.chars() {
        let begins_word = letter.is_uppercase() && before_is_lower;
        if (!letter.is_alphanumeric() || begins_word) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before_is_lower = letter.is_lowercase() || letter.is_numeric();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// What a tool does, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Restore,
    Trash,
    Delete,
    /// With the word that says so.
    Send(&'static str),
    Other,
}

/// The verb of a name. Bringing back goes before the trash it comes from (`restore_from_trash`), the trash before
/// deleting (`soft_delete`), deleting before sending (`delete_post`).
pub fn verb(name: &str) -> Verb {
    let words = words(name);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if has(&RESTORE) {
        return Verb::Restore;
    }
    if has(&TRASH) && !has(&["empty"]) || (has(&["soft"]) && has(&DELETE)) {
        return Verb::Trash;
    }
    if has(&DELETE) || (has(&["empty"]) && has(&TRASH)) {
        return Verb::Delete;
    }
    let sends = SEND.iter().find(|send| words.iter().any(|word| word == *send));
    sends.map_or(Verb::Other, |send| Verb::Send(send))
}

/// What the verb acts on: the words that are left, without those of the app's own name and without plural endings, so
/// that `notes_delete_note` and `trash_note` are about the same thing.
pub fn object(name: &str, app: &str) -> BTreeSet<String> {
    let app: Vec<String> = words(app).iter().map(|word| singular(word)).collect();
    let says_what = |word: &str| {
        ![&SEND[..], &DELETE, &TRASH, &RESTORE, &FILLERS, &["soft"]].iter().any(|known| known.contains(&word))
    };
    let all: Vec<String> = words(name).iter().filter(|word| says_what(word)).map(|word| singular(word)).collect();
    let without_app: BTreeSet<String> = all.iter().filter(|word| !app.contains(word)).cloned().collect();
    // `delete_note` of the app `notes` acts on a note, although that is the app's name.
    if without_app.is_empty() { all.into_iter().collect() } else { without_app }
}

fn singular(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(one) if one.len() > 2 && !one.ends_with('s') => one.to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_words_however_it_is_written() {
        for (name, want) in [
            ("gmail_send_email", "gmail send email"),
            ("GMAIL_SEND_EMAIL", "gmail send email"),
            ("gmailSendEmail", "gmail send email"),
            ("gmail.send-email", "gmail send email"),
            ("v2SendDM", "v2 send dm"),
            ("", ""),
            ("__", ""),
        ] {
            assert_eq!(words(name).join(" "), want, "{name}");
        }
    }

    #[test]
    fn the_verb_is_found() {
        for (name, want) in [
            ("mail_send", Verb::Send("send")),
            ("gmail_reply_to_thread", Verb::Send("reply")),
            ("slack_post_message", Verb::Send("post")),
            ("delete_post", Verb::Delete),
            ("soft_delete_note", Verb::Trash),
            ("move_note_to_trash", Verb::Trash),
            ("gmail_trash", Verb::Trash),
            ("empty_trash", Verb::Delete),
            ("restore_from_trash", Verb::Restore),
            ("untrash_note", Verb::Restore),
            ("list_posts", Verb::Other),
            ("postpone_event", Verb::Other),
            ("unsend_message", Verb::Other),
            ("file_write", Verb::Other),
            ("", Verb::Other),
        ] {
            assert_eq!(verb(name), want, "{name}");
        }
    }

    #[test]
    fn the_thing_acted_on_is_the_same_in_both_names() {
        for (one, other, app, same) in [
            ("delete_note", "trash_note", "notes", true),
            ("notes_delete_note", "trash_notes", "notes", true),
            ("delete_note_permanently", "move_note_to_trash", "notes", true),
            ("soft_delete_page", "erase_page", "wiki", true),
            ("delete_note", "trash_folder", "notes", false),
            ("delete_note", "trash_note_attachment", "notes", false),
            ("gmail_delete_message", "gmail_trash", "gmail", false),
            ("gmail_delete", "gmail_trash", "gmail", true),
        ] {
            assert_eq!(object(one, app) == object(other, app), same, "{one} {other}");
        }
    }
}
