//! What the person is told when a second look found something: one plain sentence (contract section 10; strings.tsv
//! `second_look_*`).

use super::addresses::Reach;
use super::amounts::Amount;
use super::places::{Found, Place};
use crate::tool_words;

/// No usable answer came from the model, or there is too much to look through.
pub const COULD_NOT_CHECK: &str =
    "Sentient couldn't double-check this against what you asked, so it checks with you first.";
/// Where a reply goes could not be read.
pub const DESTINATION_UNREADABLE: &str = "Sentient couldn't read who this reply goes to, so it checks with you first.";

/// Characters of a value from a call or a message in a sentence. Ours.
const SHOWN_CHARS_MAX: usize = 120;

fn short(text: &str) -> String {
    let line = crate::look_alike::visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(SHOWN_CHARS_MAX).collect()
}

/// It goes to somebody the person did not name.
pub(super) fn recipient(
    tool: &str,
    asked: Option<&str>,
    reach: &Reach,
    origin: Option<Found>,
    imitated: Option<&str>,
) -> String {
    let shown = short(&reach.shown());
    let is_mail = matches!(reach, Reach::Mail(_));
    let what = if is_mail { "address" } else { "number" };
    let mut sentence = match asked {
        Some(name) => format!("You asked to {} {}, but this goes to {shown}.", verb(tool, is_mail), short(name)),
        None if is_mail => format!("This goes to {shown}, an address that isn't in what you asked."),
        None => format!("This goes to {shown}, a number that isn't in what you asked."),
    };
    if let Some(real) = imitated {
        sentence += &format!(" It only looks like {}.", short(real));
    }
    if let Some(found) = origin {
        sentence += &format!(" That {what} came from {}, not from you.", place(&found));
    }
    sentence
}

/// What the call does with somebody, in the words of "You asked to …".
fn verb(tool: &str, is_mail: bool) -> &'static str {
    let words = tool_words::words(tool);
    let has = |word: &str| words.iter().any(|part| part == word);
    if has("share") {
        "share this with"
    } else if has("invite") || has("event") {
        "invite"
    } else if has("pay") {
        "pay"
    } else if is_mail {
        "email"
    } else {
        "message"
    }
}

fn place(found: &Found) -> String {
    let source = short(&found.source);
    match &found.place {
        Place::Text { from: Some(from) } => format!("the text of an email from {} ({source})", short(from)),
        Place::Header { line, from } => format!("the {line} line of an email from {} ({source})", short(from)),
        Place::Text { from: None } | Place::Sender => source,
    }
}

/// A reply that goes where the message asks and not to who wrote it.
pub(super) fn elsewhere(address: &str, sender: &str) -> String {
    format!(
        "This reply goes to {}, the address that email asked replies to go to, not to the person who sent it ({}).",
        short(address),
        short(sender)
    )
}

pub(super) fn amount(amount: &Amount) -> String {
    format!("This includes {}, an amount that isn't in what you asked.", short(&amount.shown))
}

pub(super) fn link(host: &str, source: &str) -> String {
    format!("This includes a link to {} that came from {}, not from you.", short(host), short(source))
}

/// What a model found, with its reason.
pub fn from_model(reason: &str) -> String {
    if reason.is_empty() {
        return "A second look found this may not match what you asked.".to_owned();
    }
    format!("A second look found this may not match what you asked: {}.", short(reason))
}
