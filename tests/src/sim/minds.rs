//! What simulated models answer: words, thoughts, calls that fit and calls that do not, and every way to fail.

use crate::sim::Chance;
use crate::story::Reply;
use protocol::model::{ModelCall, ModelError, ModelErrorKind};

/// Failures a model call can have.
const FAILURES: [ModelErrorKind; 4] =
    [ModelErrorKind::Unreachable, ModelErrorKind::Malformed, ModelErrorKind::TooLong, ModelErrorKind::ModelMissing];

/// A page in fields.
const READ: &str =
    r#"{"tool":"page_read","arguments":{"url":"https://example.com/a"},"fields":{"said":"text","due":"date"}}"#;

/// Answers drawn from `seed`. Each call that changes something carries a text of its own, so that it is known again.
pub(crate) fn improviser(seed: u64) -> impl FnMut(&ModelCall) -> Reply + Send + 'static {
    let mut chance = Chance::new(seed);
    let mut number = 0;
    move |call| {
        number += 1;
        reply(&mut chance, number, !call.tools.is_empty())
    }
}

fn reply(chance: &mut Chance, number: u64, tools: bool) -> Reply {
    let says = format!("Answer {number} of some words.");
    match chance.below(if tools { 24 } else { 8 }) {
        0 => Reply { slow: true, ..Reply::text(says) },
        1 => Reply { thinking: format!("Thought {number}."), ..Reply::text(says) },
        2 => Reply::default(),
        3 => Reply { cut: true, ..Reply::text(says) },
        4 => {
            let kind = chance.pick(&FAILURES).unwrap_or(ModelErrorKind::Unreachable);
            Reply { error: Some(ModelError::new(kind, "The model failed.")), ..Reply::default() }
        }
        5 if chance.one_in(2) => Reply { hangs: true, ..Reply::text(says) },
        8..=17 => {
            let calls = (0..=chance.below(3)).map(|place| call(chance, number * 10 + place)).collect();
            let text = if chance.one_in(3) { says } else { String::new() };
            Reply { calls, ..Reply::text(text) }
        }
        _ => Reply::text(says),
    }
}

/// One call, with the mark `e<number>` when it changes something.
fn call(chance: &mut Chance, number: u64) -> (String, String) {
    let (name, arguments) = match chance.below(20) {
        0..=2 => ("note_read", "{}".to_owned()),
        3 => ("page_read", r#"{"url":"https://example.com/a"}"#.to_owned()),
        4 => ("page_read", format!(r#"{{"url":"https://evil.example/?q={number}"}}"#)),
        5 => ("slow_read", "{}".to_owned()),
        6 => ("long_read", "{}".to_owned()),
        7 => ("broken", "{}".to_owned()),
        8 => ("no_such_tool", "{}".to_owned()),
        9 => ("mail_send", r#"{"to":"nobody"}"#.to_owned()),
        10 => ("mail_send", "not an object".to_owned()),
        11 => ("slow_send", mark(number)),
        12 => ("note_write", mark(number)),
        13 => ("delegate_task", format!(r#"{{"goal":"Job {number}."}}"#)),
        14 => ("delegate_task", format!(r#"{{"goal":"Job {number}.","background":true}}"#)),
        15 => ("delegate_tasks", format!(r#"{{"tasks":[{{"goal":"Job {number}a."}},{{"goal":"Job {number}b."}}]}}"#)),
        16 => ("read_with_reader", READ.to_owned()),
        _ => ("mail_send", mark(number)),
    };
    (name.to_owned(), arguments)
}

fn mark(number: u64) -> String {
    format!(r#"{{"text":"e{number}"}}"#)
}
