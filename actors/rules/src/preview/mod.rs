//! What a call would send or change, the way a person reads it: for the approval card, the undo window, the hand-off
//! and messaging apps (contract section 10, "Previews, undo windows and the trash", ADR 0026).
//!
//! Built from the call's name and arguments and nothing else: no model says what a call does. What is shown is what the
//! call carries: nothing is left out of a recipient list without saying so, and letters that would make a text read
//! differently from what it is are taken out.

mod fields;
#[cfg(test)]
mod tests;

use crate::gate::plain_name;
use crate::tool_words::{Verb, verb, words};
use fields::{Reader, text_of};
use protocol::preview::{ActionKind, ActionPreview, PreviewField};
use protocol::tools::Risk;
use serde_json::{Map, Value};

/// Characters of a preview's body (contract section 10).
pub const BODY_CHARS_MAX: usize = 4_000;
/// Characters of one field. Ours: a long list of recipients still says how many there are.
pub const FIELD_CHARS_MAX: usize = 1_000;
/// Plain arguments listed for a call without a preview. Ours.
pub const DETAILS_MAX: usize = 20;

/// `risk_label` of a call that buys something (contract section 10).
const PURCHASE: &str = "Purchase";
/// Words of a name that make a send an email.
const MAIL: [&str; 9] = ["mail", "email", "gmail", "imap", "smtp", "outlook", "mails", "emails", "fastmail"];
/// Verbs of a send that everybody, or everybody there, can read.
const PUBLIC: [&str; 5] = ["post", "publish", "comment", "tweet", "retweet"];
/// Names of arguments under which a tool that runs other tools is told which.
const SLUGS: [&str; 5] = ["tool_slug", "slug", "tool_name", "tool", "name"];
const INNER_ARGUMENTS: [&str; 4] = ["arguments", "args", "params", "input"];
const INNER_LISTS: [&str; 4] = ["tools", "calls", "actions", "requests"];

/// A call, as far as a preview needs it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    pub name: &'a str,
    /// The app's id.
    pub plugin: &'a str,
    /// The effective risk of this very call.
    pub risk: Risk,
    /// The tool's own `risk_label`, else empty.
    pub label: &'a str,
    pub arguments: &'a Value,
}

/// What kind of thing a call does; `None` for a look-up and for what has no kind of its own.
pub fn action_kind(call: &Call<'_>) -> Option<ActionKind> {
    if call.risk == Risk::Read {
        return None;
    }
    if call.label == PURCHASE && call.risk >= Risk::Send {
        return Some(ActionKind::Purchase);
    }
    let (name, arguments) = inner(call);
    match verb(name) {
        Verb::Trash => Some(ActionKind::Trash),
        Verb::Delete => Some(ActionKind::Delete),
        // Running code may be called anything; it is never a message.
        Verb::Send(sends) if call.risk < Risk::Exec || name != call.name => {
            Some(kind_of_send(call, name, arguments, sends))
        }
        _ => None,
    }
}

/// Whether the call is an email, a message or a post that an undo window may hold back: a send verb, risk `write` or
/// `send`, and not the assistant's own (contract rule 44).
pub fn can_be_undone(call: &Call<'_>, internal: bool) -> bool {
    !internal && matches!(call.risk, Risk::Write | Risk::Send) && action_kind(call).is_some_and(ActionKind::is_sent)
}

/// The preview; `None` for a call with nothing a person would read: a look-up, a command, a click.
pub fn preview(call: &Call<'_>) -> Option<ActionPreview> {
    if call.risk == Risk::Read {
        return None;
    }
    let kind = action_kind(call);
    let (name, arguments) = inner(call);
    let empty = Map::new();
    let reader = Reader::new(arguments.as_object().unwrap_or(&empty));
    let body = reader.body();
    let fields = match kind {
        Some(ActionKind::Purchase) => reader.purchase(),
        Some(ActionKind::Delete | ActionKind::Trash) => reader.item(),
        Some(ActionKind::Post) => reader.addressed("Title"),
        // A tool for files calls the file's name just that.
        None if words(name).iter().any(|word| word == "file") => reader.file(),
        _ => reader.addressed("Subject"),
    };
    let Some(kind) = kind else {
        // Code and commands have no preview: their plain arguments are shown (see `details`).
        let readable = call.risk < Risk::Exec && (!body.is_empty() || !fields.is_empty());
        return readable.then(|| ActionPreview { kind: ActionKind::Action, title: plain_name(name, ""), fields, body });
    };
    let body = if matches!(kind, ActionKind::Delete | ActionKind::Trash) { String::new() } else { body };
    Some(ActionPreview { kind, title: title(kind).to_owned(), fields, body })
}

/// A call's plain arguments, for a hand-off without a preview (contract section 2, HandOff `details`).
pub fn details(arguments: &Value) -> Vec<PreviewField> {
    let Some(arguments) = arguments.as_object() else { return Vec::new() };
    let shown = arguments.iter().filter_map(|(key, value)| {
        let value = text_of(value, FIELD_CHARS_MAX)?;
        Some(PreviewField::new(plain_name(key, ""), value))
    });
    shown.take(DETAILS_MAX).collect()
}

/// The preview as lines of plain text, for messaging apps.
pub fn plain_lines(preview: &ActionPreview) -> String {
    let mut text = preview.title.clone();
    for field in &preview.fields {
        text += &format!("\n{}: {}", field.label, field.value);
    }
    if !preview.body.is_empty() {
        text += &format!("\n\n{}", preview.body);
    }
    text
}

fn title(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::Email => "Email",
        ActionKind::Message => "Message",
        ActionKind::Post => "Post",
        ActionKind::Delete => "Delete for good",
        ActionKind::Trash => "Move to the trash",
        ActionKind::Purchase => "Purchase",
        ActionKind::Action => "Action",
    }
}

fn kind_of_send(call: &Call<'_>, name: &str, arguments: &Value, sends: &str) -> ActionKind {
    let is_mail = |text: &str| words(text).iter().any(|word| MAIL.contains(&word.as_str()));
    // Only emails have both a recipient and a subject.
    let reads_like_mail = ["to", "subject"].iter().all(|key| arguments.get(key).is_some());
    if is_mail(name) || is_mail(call.plugin) || reads_like_mail {
        return ActionKind::Email;
    }
    // `slack_post_message` is a message in a channel.
    if PUBLIC.contains(&sends) && !words(name).iter().any(|word| word == "message" || word == "dm") {
        return ActionKind::Post;
    }
    ActionKind::Message
}

/// The call itself, or for a tool that runs other tools by name the first one it runs.
fn inner<'a>(call: &Call<'a>) -> (&'a str, &'a Value) {
    let words = words(call.name);
    let runs_tools = words.iter().any(|word| matches!(word.as_str(), "execute" | "run" | "call" | "invoke"));
    let found = call.arguments.as_object().filter(|_| runs_tools).and_then(|arguments| {
        let first = INNER_LISTS.iter().find_map(|list| arguments.get(*list)?.as_array()?.first()?.as_object());
        let one = first.unwrap_or(arguments);
        let name = SLUGS.iter().find_map(|slug| one.get(*slug)?.as_str())?;
        let inner = INNER_ARGUMENTS.iter().find_map(|key| one.get(*key).filter(|value| value.is_object()))?;
        Some((name, inner))
    });
    found.unwrap_or((call.name, call.arguments))
}
