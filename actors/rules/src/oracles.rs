//! Laws that hold for any input, as functions: the fuzz targets and the ordinary tests check the same ones.
//!
//! Each `check_*` panics with a message when its law does not hold. Nothing in the engine calls them.

mod knowing;
mod notes;
mod outgoing;

pub use knowing::check_knowing;
pub use notes::check_note;
pub use outgoing::{check_look_alike, check_mark, check_plain_addresses, check_second_look, check_two_addresses};

use crate::chat_rules::{self, Known};
use crate::commands::{self, Place, ShellKind, System};
use crate::console::{Console, Decoder, Keep};
use crate::gate::Rule;
use crate::schema_check;
use crate::tool_repair::{self, Repaired};
use crate::wire::sse::SseDecoder;
use crate::wire::{AnswerDecoder, Pieces, anthropic, dialect, ollama, openai};
use protocol::model::{ModelName, Piece, ToolOffer};
use serde_json::{Value, json};

/// Cuts `bytes` at the given places; places beyond the end and repeated ones are harmless.
pub fn chunks<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| (*cut).min(bytes.len())).collect();
    cuts.push(0);
    cuts.push(bytes.len());
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// A decoder for a provider of the dialect table, with a model of no meaning.
pub fn decoder_for(provider: &str) -> Box<dyn AnswerDecoder> {
    let dialect = dialect::dialect(provider).expect("a provider of the table");
    let model = ModelName(format!("{provider}/model"));
    match dialect.wire {
        dialect::Wire::OpenAi => Box::new(openai::Decoder::new(dialect, &model)),
        dialect::Wire::Ollama => Box::new(ollama::Decoder::new(dialect, &model)),
        dialect::Wire::Anthropic => Box::new(anthropic::Decoder::new(dialect, &model)),
    }
}

/// All pieces of one body, fed in the chunks that `cuts` makes.
pub fn decode(provider: &str, bytes: &[u8], cuts: &[usize]) -> Pieces {
    let mut decoder = decoder_for(provider);
    let mut pieces = Vec::new();
    for chunk in chunks(bytes, cuts) {
        let over = decoder.is_over();
        let more = decoder.push(chunk);
        assert!(!over || more.is_empty(), "pieces after the end: {more:?}");
        pieces.extend(more);
    }
    pieces.extend(decoder.end());
    assert!(decoder.is_over() && decoder.end().is_empty(), "an ended answer stays ended");
    pieces
}

/// Chunking does not matter; there is exactly one end, and it is the last piece; no text piece is empty; every sentence is
/// a plain one.
pub fn check_answer(provider: &str, bytes: &[u8], cuts: &[usize]) -> Pieces {
    let whole = decode(provider, bytes, &[]);
    assert_eq!(decode(provider, bytes, cuts), whole, "chunking matters for {provider}, cuts {cuts:?}");
    let is_end = |piece: &Result<Piece, _>| matches!(piece, Err(_) | Ok(Piece::Finish(_)));
    assert_eq!(whole.iter().position(is_end), Some(whole.len() - 1), "one end, at the end: {whole:?}");
    for piece in &whole {
        match piece {
            Ok(Piece::Text(text) | Piece::Thinking(text)) => assert!(!text.is_empty(), "an empty piece: {whole:?}"),
            Err(error) => assert!(error.message.ends_with('.'), "{error:?}"),
            _ => {}
        }
    }
    whole
}

/// Chunking does not matter, and an event never holds more than its limit.
pub fn check_sse(bytes: &[u8], cuts: &[usize], bytes_max: usize) {
    let events = |cuts: &[usize]| {
        let mut decoder = SseDecoder::new(bytes_max);
        let mut events: Vec<_> = chunks(bytes, cuts).into_iter().flat_map(|chunk| decoder.push(chunk)).collect();
        events.extend(decoder.end());
        assert_eq!(decoder.end(), None, "an ended stream stays ended");
        events
    };
    let whole = events(&[]);
    assert_eq!(events(cuts), whole, "chunking matters, cuts {cuts:?}");
    for (at, event) in whole.iter().enumerate() {
        match event {
            // A byte that is not UTF-8 becomes a character of three.
            Ok(event) => assert!(event.data.len() <= bytes_max.saturating_mul(3), "{} bytes", event.data.len()),
            Err(_) => assert_eq!(at, whole.len() - 1, "an error is the last"),
        }
    }
}

/// The tools that replies are searched for in [`check_repair`].
pub fn sample_tools() -> Vec<ToolOffer> {
    let offer = |name: &str, parameters| ToolOffer { name: name.into(), description: String::new(), parameters };
    vec![offer("get_weather", sample_parameters()), offer("now", json!({"type": "object", "properties": {}}))]
}

/// The parameters that arguments are read for in [`check_arguments`]: every type once.
pub fn sample_parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 0},
            "ratio": {"type": "number"},
            "rain": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": ["string", "integer"]}},
            "where": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
        },
        "required": ["city"],
    })
}

/// Arguments that are taken fit the schema, hold nothing that the text does not, and read the same a second time.
pub fn check_arguments(text: &str) {
    let parameters = sample_parameters();
    let Ok(value) = tool_repair::arguments(text, &parameters) else { return };
    assert_eq!(schema_check::problems(&value, &parameters), Vec::<String>::new(), "{text}");
    assert_leaves_occur(&value, text);
    assert_eq!(tool_repair::arguments(&value.to_string(), &parameters), Ok(value), "{text}");
}

/// Calls that are found are of offered tools, their arguments occur in the reply, and what is left is part of it.
pub fn check_repair(text: &str) {
    let tools = sample_tools();
    let Repaired { text_left, calls, incomplete } = tool_repair::repair(text, &tools);
    for (name, arguments) in &calls {
        assert!(tools.iter().any(|tool| tool.name == *name) && text.contains(name.as_str()), "{name} in {text}");
        assert!(arguments.is_object(), "{arguments}");
        assert_leaves_occur(arguments, text);
    }
    if calls.is_empty() && !incomplete {
        assert_eq!(text_left, text, "a reply without calls stays as it is");
    }
    assert!(text_left.len() <= text.len() && calls.len() <= tool_repair::REPAIRED_CALLS_MAX);
}

/// A listed command is one command that writes to no file and hides nothing, and asking about any line ends.
pub fn check_command(line: &str) {
    let listed = ["git diff".to_owned(), "ls".to_owned()];
    for system in [System::Unix, System::Windows] {
        let (folder, home) = match system {
            System::Unix => ("/home/maya/site", "/home/maya"),
            System::Windows => (r"C:\Users\Maya\site", r"C:\Users\Maya"),
        };
        let place = Place { system, folder, home: Some(home), data: None };
        if commands::blocked(line, &place).is_some() && system == System::Unix {
            assert!(commands::blocked(&format!("true\n{line}"), &place).is_some(), "{line:?}");
        }
        if !commands::is_listed(line, &listed, system) {
            continue;
        }
        let found = commands::simple_commands(line, ShellKind::from(system));
        assert!(found.len() == 1 && found[0].writes_to.is_empty() && found[0].reads.is_empty(), "{line:?}: {found:?}");
        for more in [";x", "&&x", "|x", ">x", "`x`", "$(x)", "\nx", " --output=x"] {
            assert!(!commands::is_listed(&format!("{line}{more}"), &listed, system), "{line:?}{more:?}");
        }
    }
}

/// Chunking does not matter, no control character is left, and no more is shown than was asked for.
pub fn check_console(bytes: &[u8], cuts: &[usize]) {
    let decode = |cuts: &[usize]| {
        let mut decoder = Decoder::default();
        let text: String = chunks(bytes, cuts).into_iter().map(|chunk| decoder.push(chunk)).collect();
        text + &decoder.end()
    };
    let whole = decode(&[]);
    assert_eq!(decode(cuts), whole, "chunking matters, cuts {cuts:?}");
    assert!(!whole.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{whole:?}");
    for keep in [Keep::Start, Keep::Ends] {
        let mut console = Console::new(keep, 8);
        let (mut seen, mut cut) = (String::new(), 0);
        let pieces = chunks(bytes, cuts).into_iter().map(|chunk| console.push(chunk)).collect::<Vec<_>>();
        for fresh in pieces.into_iter().chain([console.end()]) {
            seen.push_str(&fresh.text);
            cut += usize::from(fresh.cut);
        }
        let chars = whole.chars().count();
        assert_eq!(seen, whole.chars().take(8).collect::<String>());
        assert_eq!((cut, console.is_cut()), (usize::from(chars > 8), chars > 8), "{whole:?}");
        assert!(console.shown().chars().count() <= 8 + 60);
        if keep == Keep::Ends {
            assert_eq!(console.file_text(), whole);
        }
    }
}

/// Every leaf and key of `value` occurs in `text`, written out or behind up to three layers of JSON escapes.
fn assert_leaves_occur(value: &Value, text: &str) {
    let mut forms = vec![text.to_owned()];
    for layer in 0..3 {
        let next = unescaped(&forms[layer]);
        forms.push(next);
    }
    let occurs = |needle: &str| forms.iter().any(|form| form.contains(needle));
    let number_occurs = |number: f64| {
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let tokens = forms.iter().flat_map(|form| form.split(move |c| !is_part(c)));
        tokens.filter_map(|token| token.parse::<f64>().ok()).any(|token| token == number)
    };
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        let found = match value {
            Value::Null => occurs("null") || occurs("None"),
            Value::Bool(yes) => occurs(if *yes { "rue" } else { "alse" }),
            Value::Number(number) => number.as_f64().is_some_and(number_occurs),
            Value::String(text) => occurs(text),
            Value::Array(items) => {
                waiting.extend(items);
                true
            }
            Value::Object(members) => {
                waiting.extend(members.values());
                members.keys().all(|key| occurs(key))
            }
        };
        assert!(found, "{value} does not occur in {text:?}");
    }
}

/// Resolves one layer of JSON escapes wherever they stand, in a simpler way than the reader under test does.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut units: Vec<u16> = Vec::new();
    let mut rest = text;
    loop {
        let hex = rest.strip_prefix("\\u").and_then(|rest| rest.get(..4));
        if let Some(unit) = hex.and_then(|digits| u16::from_str_radix(digits, 16).ok()) {
            units.push(unit);
            rest = &rest[6..];
            continue;
        }
        out.push_str(&String::from_utf16_lossy(&units));
        units.clear();
        let mut chars = rest.chars();
        match (chars.next(), chars.clone().next()) {
            (None, _) => return out,
            (Some('\\'), Some(escaped)) => {
                out.push(match escaped {
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    other => other,
                });
                chars.next();
            }
            (Some(c), _) => out.push(c),
        }
        rest = chars.as_str();
    }
}

/// The person's words before the first empty line, a model's answer after it: whatever both are, what is proposed is one of
/// the candidates, stricter than what is there, and never more than the words allow.
pub fn check_rule_mapping(text: &str) {
    let (words, answer) = text.split_once("\n\n").unwrap_or((text, ""));
    let known = |name, plugin, app, description| Known { name, plugin, app, description };
    let tools = [
        known("gmail_send_email", "gmail", "Gmail", "Sends an email."),
        known("gmail_trash", "gmail", "Gmail", "Moves an email to the trash."),
        known("slack_post_message", "slack", "Slack", "Posts a message."),
    ];
    let found = chat_rules::instructions(words);
    let candidates = chat_rules::candidates(&found, &tools);
    let Some(mapped) = chat_rules::parse(answer, &candidates) else { return };
    let in_force: chat_rules::Rules<'_> = [("slack", Rule::Ask)].into();
    for proposal in chat_rules::proposals(&found, &mapped, &candidates, &in_force, &chat_rules::Rules::new()) {
        assert!(proposal.said.chars().count() <= chat_rules::SAID_CHARS_MAX, "too much is kept of {words}");
        for key in &proposal.keys {
            assert!(candidates.iter().any(|tool| tool.name == key || tool.plugin == key), "{key} is no candidate");
            let before = in_force.get(key.as_str()).copied();
            assert!(chat_rules::strictness(Some(proposal.rule)) > chat_rules::strictness(before), "{key} is loosened");
        }
    }
}

/// Places to cut, and the input itself: the first three bytes of a fuzzer's data say where. `None` for less data.
pub fn cuts_of(data: &[u8]) -> Option<(Vec<usize>, &[u8])> {
    let (places, rest) = data.split_at_checked(3)?;
    let scale = |place: &u8| usize::from(*place) * (rest.len() + 1) / 256;
    Some((places.iter().map(scale).collect(), rest))
}

/// A request to `/v1` that is taken has words to answer, of one of its own user messages, and a name that fits a title; one
/// that is not says why in a sentence.
///
/// # Panics
/// When it does not hold.
pub fn check_api_request(body: &[u8]) {
    use crate::callers::openai::{BadRequest, ChatRequest, NAME_CHARS_MAX};
    match ChatRequest::read(body) {
        Ok(request) => {
            assert!(!request.text.trim().is_empty() && !request.name.trim().is_empty());
            assert!(request.name.chars().count() <= NAME_CHARS_MAX && !request.name.chars().any(char::is_control));
            let whole: Value = serde_json::from_slice(body).expect("what is taken is JSON");
            let last = whole["messages"].as_array().and_then(|all| all.iter().rfind(|one| one["role"] == "user"));
            let content = &last.expect("there is a user message")["content"];
            let parts = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice);
            let said = parts.iter().filter_map(|part| part.as_str().or_else(|| part["text"].as_str()));
            let said: Vec<&str> = said.collect();
            assert!(request.text.split('\n').all(|line| said.iter().any(|part| part.contains(line))));
        }
        Err(BadRequest::Invalid { message, .. }) => assert!(message.ends_with('.') && message.len() < 1_000),
        Err(BadRequest::NoUserMessage) => (),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// What a fuzz target does with one input.
    type Target = fn(&[u8]);

    fn with_text(data: &[u8], check: fn(&str)) {
        check(std::str::from_utf8(data).expect("seeds of text targets are text"));
    }

    fn with_cuts(data: &[u8], check: impl Fn(&[u8], &[usize])) {
        let (cuts, rest) = cuts_of(data).expect("seeds of stream targets begin with three cuts");
        check(rest, &cuts);
        let every: Vec<usize> = (0..rest.len()).collect();
        check(rest, &every);
    }

    #[test]
    fn the_fuzz_corpora_hold() {
        let targets: [(&str, Target); 15] = [
            ("knowing", |data| with_text(data, check_knowing)),
            ("rule_mapping", |data| with_text(data, check_rule_mapping)),
            ("api_request", check_api_request),
            ("command", |data| with_text(data, check_command)),
            ("console", |data| with_cuts(data, check_console)),
            ("sse", |data| with_cuts(data, |rest, cuts| check_sse(rest, cuts, 64))),
            ("openai_stream", |data| with_cuts(data, |rest, cuts| drop(check_answer("lm_studio", rest, cuts)))),
            ("ollama_stream", |data| with_cuts(data, |rest, cuts| drop(check_answer("ollama_chat", rest, cuts)))),
            ("anthropic_stream", |data| with_cuts(data, |rest, cuts| drop(check_answer("anthropic", rest, cuts)))),
            ("tool_arguments", |data| with_text(data, check_arguments)),
            ("tool_text", |data| with_text(data, check_repair)),
            ("look_alike", |data| with_text(data, check_two_addresses)),
            ("note", |data| with_text(data, check_note)),
            ("mark", |data| with_text(data, check_mark)),
            ("second_look", |data| with_text(data, check_second_look)),
        ];
        for (name, target) in targets {
            let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
            let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            let mut seeds = 0;
            for entry in entries {
                target(&std::fs::read(entry.expect("an entry").path()).expect("a seed"));
                seeds += 1;
            }
            assert!(seeds >= 4, "{name} has {seeds} seeds");
        }
    }

    #[test]
    fn the_oracle_sees_what_was_made_up() {
        let made_up = |value: Value, text: &str| {
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| assert_leaves_occur(&value, text))).is_err()
        };
        for (value, text, want) in [
            (json!({"city": "Ulm"}), r#"{"city":"Ulm"}"#, false),
            (json!({"city": "é\n"}), r#"{"city":"\u00e9\n"}"#, false),
            (json!({"days": 3}), r#"{"days":"3.0"}"#, false),
            (json!({"city": "Bonn"}), r#"{"city":"Ulm"}"#, true),
            (json!({"days": 4}), r#"{"days":3}"#, true),
            (json!({"rain": true}), "{}", true),
            (json!({"town": "Ulm"}), r#"{"city":"Ulm"}"#, true),
        ] {
            assert_eq!(made_up(value.clone(), text), want, "{value} from {text}");
        }
    }
}
