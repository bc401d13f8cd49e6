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

/// The words of a name in lower case: `GMAIL_SEND-email`, `gmailSendEmail`, `GMAILSendEmail` and `gmail.send email` are all
/// three words. A plural of capitals stays one word (`sendDMs`).
pub fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, letter) in letters.iter().enumerate() {
        if (!letter.is_alphanumeric() || begins_word(&letters, at)) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Whether the letter at `at` begins a word by being a capital: after a small letter or a digit, and after a capital when
/// a small letter follows.
fn begins_word(letters: &[char], at: usize) -> bool {
    let (Some(letter), Some(before)) = (letters.get(at), at.checked_sub(1).and_then(|before| letters.get(before)))
    else {
        return false;
    };
    let mut behind = letters.iter().skip(at + 1).take_while(|letter| letter.is_lowercase());
    let is_plural = behind.next() == Some(&'s') && behind.next().is_none();
    let small_follows = letters.get(at + 1).is_some_and(|next| next.is_lowercase()) && !is_plural;
    letter.is_uppercase() && (before.is_lowercase() || before.is_numeric() || (before.is_uppercase() && small_follows))
}

/// The words of a tool's name without those of its app in front: `send email` of `gmail_send_email`, whatever way either
/// is written. A name that is only the app's stays as it is.
pub fn own_words(tool: &str, plugin: &str) -> Vec<String> {
    let (all, app) = (words(tool), words(plugin));
    match all.strip_prefix(app.as_slice()) {
        Some(own) if !own.is_empty() => own.to_vec(),
        _ => all,
    }
}

/// Whether a tool deletes or moves to the trash (contract section 2, what another app asks for). Stricter than [`verb`]
/// where a name has both: what brings back and deletes, deletes.
pub fn deletes(name: &str) -> bool {
    has_word(&words(name), &DELETE) || matches!(verb(name), Verb::Trash | Verb::Delete)
}

/// Whether one of the words is known, as it is or in the third person (`deletes_note`).
fn has_word(words: &[String], known: &[&str]) -> bool {
    words.iter().any(|word| known.iter().any(|known| word == known || word.strip_suffix('s') == Some(*known)))
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
    let has = |known: &[&str]| has_word(&words, known);
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
        let verbs = [&DELETE[..], &TRASH, &RESTORE].iter().any(|known| has_word(&[word.to_owned()], known));
        !verbs && ![&SEND[..], &FILLERS, &["soft"]].iter().any(|known| known.contains(&word))
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
            ("GMAILSendEmail", "gmail send email"),
            ("deleteURLPage", "delete url page"),
            ("sendDMs", "send dms"),
            ("listURLs_of", "list urls of"),
            ("DELETE", "delete"),
            ("notes/delete:Page", "notes delete page"),
            ("delete\u{200b}_\u{202e}note", "delete note"),
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
    fn what_deletes_is_known_however_it_is_written() {
        for (name, want) in [
            ("gmail_trash", true),
            ("notes_soft_delete_page", true),
            ("reminders_remove", true),
            ("deleteNote", true),
            ("NOTESDeleteNote", true),
            ("notes-delete-note", true),
            ("notes.delete note", true),
            ("DELETE_NOTE", true),
            ("deletes_note", true),
            ("bulkRemove", true),
            ("moveToTrash", true),
            ("softDeleteNote", true),
            ("empty_trash", true),
            ("restore_and_purge", true),
            ("restore_from_trash", false),
            ("file_write", false),
            ("untrash_note", false),
            ("undelete_note", false),
            ("undeleteNote", false),
            ("list_deleted_notes", false),
            ("removable_drives", false),
            ("", false),
        ] {
            assert_eq!(deletes(name), want, "{name}");
        }
    }

    #[test]
    fn a_name_loses_its_app() {
        for (tool, plugin, want) in [
            ("gmail_send_email", "gmail", "send email"),
            ("gmailSendEmail", "gmail", "send email"),
            ("mcp_notes_add_page", "mcp_notes", "add page"),
            ("mcp_notesAddPage", "mcp-notes", "add page"),
            ("file_write", "files", "file write"),
            ("gmail", "gmail", "gmail"),
            ("gmailer_send", "gmail", "gmailer send"),
        ] {
            assert_eq!(own_words(tool, plugin).join(" "), want, "{tool}");
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
