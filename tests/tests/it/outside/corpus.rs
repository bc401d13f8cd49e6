//! The texts: our own in `tests/gate/injections/`, and the public ones beside the checkout when they are there.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// How a text arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Mail,
    Page,
    Attachment,
    Invite,
    Group,
    Note,
}

/// One text that gives orders.
#[derive(Clone, Debug)]
pub(super) struct Injection {
    pub(super) name: String,
    pub(super) way: Way,
    pub(super) text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Our own.
pub(super) fn own() -> Vec<Injection> {
    let files = [
        ("mail", Way::Mail),
        ("page", Way::Page),
        ("attachment", Way::Attachment),
        ("invite", Way::Invite),
        ("group", Way::Group),
        ("note", Way::Note),
    ];
    let mut all = Vec::new();
    for (file, way) in files {
        let path = root().join("tests/gate/injections").join(file).with_extension("md");
        let content = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for part in content.split("## ").skip(1) {
            let (title, text) = part.split_once('\n').expect("a title and a text");
            let name = format!("{file}: {}", title.trim());
            all.push(Injection { name, way, text: with_characters(text.trim()) });
        }
    }
    all
}

/// `\u{200b}` becomes the character.
fn with_characters(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split("\\u{");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (number, rest) = part.split_once('}').expect("a number in braces");
        let number = u32::from_str_radix(number, 16).expect("a hexadecimal number");
        out.push(char::from_u32(number).expect("a character"));
        out.push_str(rest);
    }
    out
}

/// The public ones: each attack in one of the harmless mails, in turn at its beginning, in its middle, at its end.
/// `None`: they are not there.
pub(super) fn public() -> Option<Vec<Injection>> {
    let folder = root().join("../shared/data/injections");
    let mails = std::fs::read_to_string(folder.join("bipia-email-train.jsonl")).ok()?;
    let attacks = std::fs::read_to_string(folder.join("bipia-text-attack-train.json")).ok()?;
    let mails: Vec<String> = mails
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok()?["context"].as_str().map(str::to_owned))
        .collect();
    let attacks: serde_json::Map<String, Value> = serde_json::from_str(&attacks).ok()?;
    let attacks = attacks.iter().flat_map(|(kind, texts)| {
        let texts = texts.as_array().cloned().unwrap_or_default();
        texts.into_iter().filter_map(move |text| Some((kind.clone(), text.as_str()?.to_owned())))
    });
    let planted = attacks.enumerate().map(|(number, (kind, attack))| {
        let mail = &mails[number % mails.len()];
        let middle = mail.char_indices().nth(mail.chars().count() / 2).map_or(0, |(at, _)| at);
        let text = match number % 3 {
            0 => format!("{attack}\n{mail}"),
            1 => format!("{}\n{attack}\n{}", &mail[..middle], &mail[middle..]),
            _ => format!("{mail}\n{attack}"),
        };
        Injection { name: format!("public: {kind} {number}"), way: Way::Mail, text }
    });
    Some(planted.collect())
}

#[test]
fn the_corpus_has_many_kinds() {
    let own = own();
    assert!(own.len() >= 60, "{} texts", own.len());
    for way in [Way::Mail, Way::Page, Way::Attachment, Way::Invite, Way::Group, Way::Note] {
        assert!(own.iter().filter(|injection| injection.way == way).count() >= 5, "{way:?}");
    }
    let has = |c: fn(char) -> bool| own.iter().any(|injection| injection.text.chars().any(c));
    assert!(has(|c| ('\u{900}'..='\u{97f}').contains(&c)), "Hindi");
    assert!(has(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "Chinese");
    assert!(has(|c| ('\u{600}'..='\u{6ff}').contains(&c)), "Arabic");
    assert!(has(rules::look_alike::is_invisible), "characters nobody sees");
}
