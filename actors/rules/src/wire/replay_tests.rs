//! Recorded streams of real providers, replayed in every way a network can cut them.
//!
//! The recordings are not part of this repository; where they are absent the tests say so and pass.

use crate::oracles::{check_answer, decode};
use crate::wire::Pieces;
use protocol::model::{Finish, ModelErrorKind, Piece};
use serde_json::Value;
use std::path::PathBuf;

/// Files up to this size are cut at every byte, longer ones at some, very long ones at few.
const EVERY_BYTE_MAX: usize = 2_000;
const LONG_MAX: usize = 30_000;
const CUTS_OF_LONG_FILES: usize = 8;
const CUTS_OF_VERY_LONG_FILES: usize = 2;

fn recordings() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/streams/packages");
    let other = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/streams/packages");
    let found = [folder, other].into_iter().find(|folder| folder.is_dir());
    if found.is_none() {
        println!("SKIPPED: the recorded provider streams are not here (shared/data/streams)");
    }
    found
}

/// The answers of a recording: some hold several, one behind the other.
fn answers(text: &str, begins: impl Fn(&Value, &Value) -> bool) -> Vec<Vec<Value>> {
    let mut answers: Vec<Vec<Value>> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let value: Value = serde_json::from_str(line).expect("a recorded line is JSON");
        match answers.last_mut() {
            Some(answer) if !begins(&answer[answer.len() - 1], &value) => answer.push(value),
            _ => answers.push(vec![value]),
        }
    }
    answers
}

/// A new answer has another id; the router's first chunk has none yet.
fn begins_openai(last: &Value, next: &Value) -> bool {
    last["id"] != next["id"] && last["id"] != ""
}

fn begins_anthropic(_: &Value, next: &Value) -> bool {
    next["type"] == "message_start"
}

/// How one event is written.
type Write = fn(&Value) -> String;

fn write_plain(event: &Value) -> String {
    format!("data: {event}\n\n")
}

fn write_odd(event: &Value) -> String {
    let name = event["type"].as_str().map(|name| format!("event: {name}\r\n")).unwrap_or_default();
    format!(": keep-alive\r\n\r\n{name}id: 1\r\ndata:{event}\r\n\r\n")
}

/// Text, thinking and calls of an answer, each joined.
#[derive(Debug, Default, PartialEq)]
struct Gist {
    text: String,
    thinking: String,
    calls: Vec<(Option<String>, String, String)>,
    finish: Option<Finish>,
}

fn gist(pieces: &Pieces) -> Gist {
    let mut gist = Gist::default();
    for piece in pieces {
        match piece {
            Ok(Piece::Text(text)) => gist.text.push_str(text),
            Ok(Piece::Thinking(text)) => gist.thinking.push_str(text),
            Ok(Piece::Call { id, name, arguments }) => gist.calls.push((id.clone(), name.clone(), arguments.clone())),
            Ok(Piece::Finish(finish)) => gist.finish = Some(*finish),
            Ok(_) => {}
            Err(error) => panic!("a recorded answer must be whole: {error}"),
        }
    }
    gist
}

/// Every way to cut, and every place to break off: the same answer or a clear error.
fn replay(name: &str, provider: &str, events: &[Value], want: &Gist) {
    for write in [write_plain as Write, write_odd as Write] {
        let body: String = events.iter().map(write).collect();
        let bytes = body.as_bytes();
        let step = match bytes.len() {
            ..=EVERY_BYTE_MAX => 1,
            length @ ..=LONG_MAX => length / CUTS_OF_LONG_FILES,
            length => length / CUTS_OF_VERY_LONG_FILES - 7,
        };
        for cut in (0..=bytes.len()).step_by(step) {
            let pieces = check_answer(provider, bytes, &[cut, cut + 1, cut * 2 / 3]);
            assert_eq!(gist(&pieces), *want, "{name}, cut at {cut}");
            let broken = decode(provider, &bytes[..cut], &[cut / 2]);
            match broken.last() {
                Some(Err(error)) => assert_eq!(error.kind, ModelErrorKind::Malformed, "{name}, broken off at {cut}"),
                _ => assert_eq!(gist(&broken), *want, "{name}, broken off at {cut}: a silent short answer"),
            }
        }
    }
}

/// What the deltas of OpenAI's wire say, read without the decoder.
fn want_openai(events: &[Value]) -> Gist {
    let mut want = Gist::default();
    let add = |to: &mut String, value: &Value| to.push_str(value.as_str().unwrap_or_default());
    for choice in events.iter().flat_map(|event| event["choices"].as_array().into_iter().flatten()) {
        let delta = &choice["delta"];
        add(&mut want.thinking, &delta["reasoning_content"]);
        add(&mut want.thinking, &delta["reasoning"]);
        add(&mut want.text, &delta["content"]);
        for part in delta["content"].as_array().into_iter().flatten() {
            add(&mut want.text, &part["text"]);
            add(&mut want.thinking, &part["thinking"][0]["text"]);
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            if let Some(name) = call["function"]["name"].as_str() {
                want.calls.push((call["id"].as_str().map(str::to_owned), name.to_owned(), String::new()));
            }
            let last = want.calls.last_mut().expect("a call begins with its name");
            add(&mut last.2, &call["function"]["arguments"]);
        }
        want.finish = match choice["finish_reason"].as_str() {
            Some("stop") => Some(Finish::Stop),
            Some("tool_calls") => Some(Finish::ToolCalls),
            _ => want.finish,
        };
    }
    want
}

#[test]
fn recorded_chat_completions() {
    let Some(folder) = recordings() else { return };
    for (file, provider) in [
        ("alibaba/src/__fixtures__/alibaba-reasoning.chunks.txt", "openai"),
        ("alibaba/src/__fixtures__/alibaba-text.chunks.txt", "openai"),
        ("alibaba/src/__fixtures__/alibaba-tool-call.chunks.txt", "openai"),
        ("azure/src/__fixtures__/azure-deepseek-reasoning.1.chunks.txt", "openai"),
        ("cerebras/src/fixtures/cererebras-structured-output-tools.1.chunks.txt", "openai"),
        ("deepseek/src/chat/__fixtures__/deepseek-reasoning.chunks.txt", "deepseek"),
        ("deepseek/src/chat/__fixtures__/deepseek-tool-call.chunks.txt", "deepseek"),
        ("groq/src/__fixtures__/groq-text.chunks.txt", "groq"),
        ("groq/src/__fixtures__/groq-tool-call.chunks.txt", "groq"),
        ("mistral/src/__fixtures__/mistral-reasoning.chunks.txt", "mistral"),
        ("mistral/src/__fixtures__/mistral-text.chunks.txt", "mistral"),
        ("mistral/src/__fixtures__/mistral-tool-call.chunks.txt", "mistral"),
        ("moonshotai/src/__fixtures__/moonshotai-stream.chunks.txt", "openai"),
        ("openai-compatible/src/chat/__fixtures__/xai-text.chunks.txt", "xai"),
        ("openai/src/chat/__fixtures__/azure-model-router.1.chunks.txt", "openai"),
        ("perplexity/src/__fixtures__/perplexity-citations.chunks.txt", "openrouter"),
        ("xai/src/__fixtures__/xai-text.chunks.txt", "xai"),
    ] {
        let text = std::fs::read_to_string(folder.join(file)).expect("a recorded file");
        for events in answers(&text, begins_openai) {
            let want = want_openai(&events);
            assert!(want.finish.is_some() && want != Gist { finish: want.finish, ..Gist::default() }, "{file}");
            replay(file, provider, &events, &want);
        }
    }
}

/// What the deltas of Anthropic's wire say, read without the decoder.
fn want_anthropic(events: &[Value]) -> Gist {
    let mut want = Gist::default();
    let mut ours = false;
    for event in events {
        let (block, delta) = (&event["content_block"], &event["delta"]);
        if event["type"] == "content_block_start" {
            ours = block["type"] == "tool_use";
            want.text.push_str(block["text"].as_str().unwrap_or_default());
            if ours {
                let text = |key: &str| block[key].as_str().expect("ids and names are there").to_owned();
                let input = block["input"].as_object().filter(|input| !input.is_empty());
                let whole = input.map(|input| Value::Object(input.clone()).to_string()).unwrap_or_default();
                want.calls.push((Some(text("id")), text("name"), whole));
            }
        }
        match delta["type"].as_str() {
            Some("text_delta") => want.text.push_str(delta["text"].as_str().expect("text")),
            Some("thinking_delta") => want.thinking.push_str(delta["thinking"].as_str().expect("text")),
            Some("input_json_delta") if ours => {
                let last = want.calls.last_mut().expect("a call has begun");
                last.2.push_str(delta["partial_json"].as_str().expect("text"));
            }
            _ => {}
        }
        want.finish = match delta["stop_reason"].as_str() {
            Some("tool_use") => Some(Finish::ToolCalls),
            Some("refusal") => Some(Finish::Filtered),
            Some(_) => Some(Finish::Stop),
            None => want.finish,
        };
    }
    for call in &mut want.calls {
        if call.2.is_empty() {
            call.2 = "{}".to_owned();
        }
    }
    want
}

#[test]
fn recorded_anthropic_messages() {
    let Some(folder) = recordings() else { return };
    let folder = folder.join("anthropic/src/__fixtures__");
    let mut files = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder can be listed") {
        let path = entry.expect("an entry").path();
        if !path.to_string_lossy().ends_with(".chunks.txt") {
            continue;
        }
        files += 1;
        let text = std::fs::read_to_string(&path).expect("a recorded file");
        for events in answers(&text, begins_anthropic) {
            let want = want_anthropic(&events);
            // Starts that were recorded without a reason to end; their calls have no end either.
            if want.finish.is_none() {
                let body: String = events.iter().map(write_plain).collect();
                check_answer("anthropic", body.as_bytes(), &[body.len() / 2]);
                continue;
            }
            replay(&path.display().to_string(), "anthropic", &events, &want);
        }
    }
    assert!(files > 15, "{files} recordings");
}

#[test]
fn recorded_whole_answers() {
    let Some(folder) = recordings() else { return };
    for (file, provider, text, calls) in [
        ("alibaba/src/__fixtures__/alibaba-text.json", "openai", true, 0),
        ("cerebras/src/fixtures/cerebras-structured-output-tools.1.json", "openai", false, 1),
        ("deepseek/src/chat/__fixtures__/deepseek-tool-call.json", "deepseek", false, 1),
        ("groq/src/__fixtures__/groq-reasoning.json", "groq", true, 0),
        ("groq/src/__fixtures__/groq-text.json", "groq", true, 0),
        ("groq/src/__fixtures__/groq-tool-call.json", "groq", false, 1),
        ("mistral/src/__fixtures__/mistral-reasoning.json", "mistral", true, 0),
        ("mistral/src/__fixtures__/mistral-tool-call.json", "mistral", false, 1),
        ("moonshotai/src/__fixtures__/moonshotai-tool-call.json", "openai", false, 1),
        ("openai-compatible/src/chat/__fixtures__/xai-tool-call.json", "xai", false, 1),
        ("perplexity/src/__fixtures__/perplexity-citations.json", "openrouter", true, 0),
        ("anthropic/src/__fixtures__/anthropic-text.json", "anthropic", true, 0),
        ("anthropic/src/__fixtures__/anthropic-tool-no-args.json", "anthropic", true, 1),
        ("anthropic/src/__fixtures__/anthropic-json-tool.1.json", "anthropic", false, 1),
        ("anthropic/src/__fixtures__/anthropic-json-other-tool.1.json", "anthropic", false, 1),
        ("anthropic/src/__fixtures__/anthropic-mcp.1.json", "anthropic", true, 0),
        ("anthropic/src/__fixtures__/anthropic-memory-20250818.1.json", "anthropic", false, 1),
    ] {
        let bytes = std::fs::read(folder.join(file)).expect("a recorded file");
        let pieces = check_answer(provider, &bytes, &[1, bytes.len() / 2, bytes.len() - 1]);
        let gist = gist(&pieces);
        assert_eq!((!gist.text.is_empty(), gist.calls.len()), (text, calls), "{file}: {gist:?}");
        let usage = pieces.iter().any(|piece| matches!(piece, Ok(Piece::Usage(usage)) if usage.completion > 0));
        assert!(usage, "{file} tells its usage");
        let broken = decode(provider, &bytes[..bytes.len() / 2], &[]);
        assert!(matches!(broken.as_slice(), [Err(error)] if error.kind == ModelErrorKind::Malformed), "{file}");
    }
}

#[test]
fn a_recorded_error_is_an_error() {
    let Some(folder) = recordings() else { return };
    let file = folder.join("openai/src/chat/__fixtures__/reasoning-model-legacy-parameter-error.json");
    let bytes = std::fs::read(file).expect("a recorded file");
    let pieces = check_answer("openai", &bytes, &[10]);
    assert!(matches!(pieces.as_slice(), [Err(error)] if error.kind == ModelErrorKind::Other), "{pieces:?}");
}
