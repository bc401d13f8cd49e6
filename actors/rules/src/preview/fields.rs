//! Reads what a person would look for out of a call's arguments, whatever the tool calls it.

use super::{BODY_CHARS_MAX, FIELD_CHARS_MAX};
use protocol::preview::PreviewField;
use serde_json::{Map, Value};

const TO: [&str; 12] = [
    "to",
    "recipient",
    "recipients",
    "to_email",
    "to_emails",
    "to_address",
    "recipient_email",
    "recipient_emails",
    "email_to",
    "phone",
    "phone_number",
    "to_number",
];
const CC: [&str; 3] = ["cc", "cc_email", "cc_emails"];
const BCC: [&str; 3] = ["bcc", "bcc_email", "bcc_emails"];
const PLACE: [&str; 16] = [
    "channel",
    "channel_name",
    "channel_id",
    "chat",
    "chat_name",
    "chat_id",
    "conversation",
    "room",
    "group",
    "server",
    "repo",
    "repository",
    "subreddit",
    "page",
    "blog",
    "board",
];
const SUBJECT: [&str; 4] = ["subject", "title", "headline", "summary"];
const FILES: [&str; 10] =
    ["files", "file", "attachments", "attachment", "file_name", "filename", "path", "file_path", "media", "images"];
const AMOUNT: [&str; 5] = ["amount", "total", "price", "cost", "total_price"];
const CURRENCY: [&str; 2] = ["currency", "currency_code"];
const ITEM: [&str; 12] =
    ["item", "items", "product", "title", "name", "subject", "path", "file", "filename", "file_name", "url", "query"];
const SHOP: [&str; 5] = ["shop", "store", "merchant", "seller", "site"];
const BODY: [&str; 16] = [
    "body",
    "text",
    "message",
    "content",
    "comment",
    "caption",
    "reply",
    "tweet",
    "description",
    "note",
    "markdown",
    "status",
    "message_body",
    "email_body",
    "html",
    "html_body",
];

/// Arguments, found by names that tools commonly use, in any spelling of them.
pub(super) struct Reader<'a>(&'a Map<String, Value>);

impl<'a> Reader<'a> {
    pub(super) fn new(arguments: &'a Map<String, Value>) -> Self {
        Self(arguments)
    }

    /// An email, a message, a post, or another thing that goes somewhere.
    pub(super) fn addressed(&self, subject: &str) -> Vec<PreviewField> {
        let lines =
            [("To", &TO[..]), ("Cc", &CC), ("Bcc", &BCC), ("Where", &PLACE), (subject, &SUBJECT), ("Files", &FILES)];
        lines.into_iter().filter_map(|(label, names)| self.field(label, names)).collect()
    }

    /// A change to a file.
    pub(super) fn file(&self) -> Vec<PreviewField> {
        self.field("Files", &FILES).or_else(|| self.field("Files", &["name"])).into_iter().collect()
    }

    pub(super) fn purchase(&self) -> Vec<PreviewField> {
        let mut fields: Vec<PreviewField> = Vec::new();
        fields.extend(self.field("Item", &ITEM));
        fields.extend(self.field("Where", &SHOP).or_else(|| self.field("Where", &PLACE)));
        if let Some(amount) = self.text(&AMOUNT) {
            let value = match self.text(&CURRENCY) {
                Some(currency) => format!("{amount} {currency}"),
                None => amount,
            };
            fields.push(PreviewField::new("Amount", value));
        }
        fields
    }

    /// What a delete acts on: its name where the call has one, else its id, else the first thing the call says.
    pub(super) fn item(&self) -> Vec<PreviewField> {
        let named = self.text(&ITEM);
        let by_id = || {
            let id = self.0.iter().find(|(key, _)| {
                let key = plain(key);
                key == "id" || key.ends_with("_id") || key == "ids" || key.ends_with("_ids")
            });
            id.and_then(|(_, value)| text_of(value, FIELD_CHARS_MAX))
        };
        let first = || self.0.values().find_map(|value| text_of(value, FIELD_CHARS_MAX));
        let item = named.or_else(by_id).or_else(first);
        item.map(|value| PreviewField::new("Item", value)).into_iter().collect()
    }

    pub(super) fn body(&self) -> String {
        let found = BODY.iter().find_map(|name| self.get(name)?.as_str().filter(|text| !text.trim().is_empty()));
        found.map(|text| cut(&clean(text, Lines::Kept), BODY_CHARS_MAX)).unwrap_or_default()
    }

    fn field(&self, label: &str, names: &[&str]) -> Option<PreviewField> {
        Some(PreviewField::new(label, self.text(names)?))
    }

    fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| text_of(self.get(name)?, FIELD_CHARS_MAX))
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).or_else(|| self.0.iter().find(|(key, _)| plain(key) == name).map(|(_, value)| value))
    }
}

/// `toEmails`, `To-Emails` and `to_emails` are one name.
fn plain(key: &str) -> String {
    crate::tool_words::words(key).join("_")
}

/// A value in words; `None` when it says nothing. A person is written as their name and address; what has no shape of
/// its own is shown as it is rather than left out.
pub(super) fn text_of(value: &Value, chars_max: usize) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::Bool(flag) => (if *flag { "yes" } else { "no" }).to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => clean(text, Lines::Joined),
        Value::Array(values) => return list(values, chars_max),
        Value::Object(object) => someone(object).unwrap_or_else(|| clean(&value.to_string(), Lines::Joined)),
    };
    let text = text.trim();
    (!text.is_empty()).then(|| cut(text, chars_max))
}

/// A list, whole or with the number of those that are not shown.
fn list(values: &[Value], chars_max: usize) -> Option<String> {
    let texts: Vec<String> = values.iter().filter_map(|value| text_of(value, chars_max)).collect();
    let mut shown = String::new();
    for (place, text) in texts.iter().enumerate() {
        let left = texts.len() - place;
        if place > 0 && shown.chars().count() + text.chars().count() > chars_max {
            return Some(format!("{shown} and {left} more"));
        }
        if place > 0 {
            shown += ", ";
        }
        shown += text;
    }
    (!shown.is_empty()).then_some(shown)
}

fn someone(object: &Map<String, Value>) -> Option<String> {
    let text = |names: &[&str]| {
        names.iter().find_map(|name| object.get(*name)?.as_str()).map(|text| clean(text, Lines::Joined))
    };
    let address = text(&["email", "address", "phone", "number"]);
    let name = text(&["name", "display_name", "filename", "file_name", "title"]);
    // More than a name and an address may carry something: it is shown whole.
    if object.len() > 2 {
        return None;
    }
    match (name, address) {
        (Some(name), Some(address)) => Some(format!("{name} <{address}>")),
        (one, other) if object.len() == 1 => one.or(other),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    Kept,
    Joined,
}

/// Without control letters and without those that turn the direction of a text around, which could make an address or
/// a file name read as another one (Unicode TR 36, section 2.5).
fn clean(text: &str, lines: Lines) -> String {
    let kept = text.chars().filter_map(|letter| match letter {
        '\n' | '\t' if lines == Lines::Joined => Some(' '),
        '\n' | '\t' => Some(letter),
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{061C}' => None,
        letter if letter.is_control() => None,
        letter => Some(letter),
    });
    kept.collect()
}

fn cut(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    text.chars().take(chars_max - 1).chain(['…']).collect()
}
