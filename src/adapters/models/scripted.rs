//! The engine's own scripted model: it answers without any download, key or network.
//!
//! `scripted/tour` shows a newcomer what the assistant can do: streaming, thinking, a tool, a question before a file is
//! written, formatted text. `scripted/echo` repeats what it was told, for tests and for trying out a connection.
//! `scripted/fails` breaks off in the middle of a sentence, so that a client can be tried with a model that lets it down.
//! What they say is a pure function of the conversation, so the same conversation always goes the same way. They never
//! pretend to be a real model, and say so when asked.

mod echo;
mod fails;
mod tour;

use actors::ports::PieceStream;
use futures::stream::{self, StreamExt};
use protocol::model::{Finish, ModelCall, ModelError, ModelErrorKind, ModelName, Piece, PromptMessage, TokenUsage};
use rules::memory::{episodes, extraction, profile};
use std::collections::VecDeque;
use tokio::time::{Duration, sleep};

/// The usual pause before each word: quick, and still seen to stream.
pub const PACE: Duration = Duration::from_millis(20);

/// The model that never finishes an answer.
const FAILS: &str = "fails";

/// What the call is answered with, in whole pieces: text is not cut into words yet.
pub fn script(call: &ModelCall) -> Vec<Piece> {
    let mut pieces = vec![Piece::ContextLength(call.context_length)];
    let said = match call.model.model() {
        FAILS => return fails::begun(call),
        _ if asked_for_facts(call) => vec![Piece::Text(extraction::NOTHING.into())],
        _ if asked_for_upkeep(call) => Vec::new(),
        "echo" => echo::answer(call),
        _ => tour::answer(call),
    };
    let calls = said.iter().any(|piece| matches!(piece, Piece::Call { .. }));
    let usage = TokenUsage { prompt: tokens_of_prompt(call), cached: 0, completion: tokens_of(&said) };
    pieces.extend(said);
    pieces.push(Piece::Usage(usage));
    pieces.push(Piece::Finish(if calls { Finish::ToolCalls } else { Finish::Stop }));
    pieces
}

/// A page of the tour is no name for a chat, no summary and no page of notes: then all stays as it is.
fn asked_for_upkeep(call: &ModelCall) -> bool {
    let asked =
        |said: &str| rules::titles::is_question(said) || episodes::is_question(said) || profile::is_question(said);
    matches!(turn(&call.messages), Turn::Said(said) if asked(said))
}

/// It learns nothing about anybody.
fn asked_for_facts(call: &ModelCall) -> bool {
    matches!(turn(&call.messages), Turn::Said(said) if extraction::is_question(said))
}

/// Whether there is such a scripted model.
pub(super) fn known(model: &ModelName) -> Result<(), ModelError> {
    if matches!(model.model(), "tour" | "echo" | FAILS) {
        return Ok(());
    }
    let message = format!(
        "There is no scripted model called {}. There are scripted/tour, scripted/echo and scripted/fails.",
        model.model()
    );
    Err(ModelError::new(ModelErrorKind::ModelMissing, message))
}

/// The answer as a stream, one word at a time with `pace` before each.
pub(super) fn stream(call: ModelCall, pace: Duration) -> PieceStream {
    if let Err(error) = known(&call.model) {
        return stream::iter([Err(error)]).boxed();
    }
    let begin = (Some(call), VecDeque::new());
    stream::unfold(begin, move |(mut call, mut words)| async move {
        if let Some(call) = call.take() {
            words = script(&call).into_iter().flat_map(in_words).map(Ok).collect();
            if call.model.model() == FAILS {
                words.push_back(Err(fails::error()));
            }
        }
        let word = words.pop_front()?;
        if !pace.is_zero() && matches!(word, Ok(Piece::Text(_) | Piece::Thinking(_))) {
            sleep(pace).await;
        }
        Some((word, (None::<ModelCall>, words)))
    })
    .boxed()
}

/// Text and thinking, cut behind every space and line end.
fn in_words(piece: Piece) -> Vec<Piece> {
    let cut = |text: &str, make: fn(String) -> Piece| {
        text.split_inclusive([' ', '\n']).map(|word| make(word.to_owned())).collect()
    };
    match piece {
        Piece::Text(text) => cut(&text, Piece::Text),
        Piece::Thinking(text) => cut(&text, Piece::Thinking),
        other => vec![other],
    }
}

/// What the conversation has come to.
enum Turn<'a> {
    /// The person said this.
    Said(&'a str),
    /// Tools have answered: the results since the last call, oldest first.
    Results(Vec<(&'a str, &'a str)>),
    /// There is nothing to answer.
    Nothing,
}

/// The last thing that happened. Instructions of the engine in between do not count.
fn turn(messages: &[PromptMessage]) -> Turn<'_> {
    let mut results = Vec::new();
    for message in messages.iter().rev() {
        match message {
            PromptMessage::Tool { name, text, .. } => results.push((name.as_str(), text.as_str())),
            PromptMessage::System { .. } => (),
            PromptMessage::User { text, .. } if results.is_empty() => return Turn::Said(text),
            PromptMessage::User { .. } | PromptMessage::Assistant { .. } => break,
        }
    }
    results.reverse();
    if results.is_empty() { Turn::Nothing } else { Turn::Results(results) }
}

fn offers(call: &ModelCall, tool: &str) -> bool {
    call.tools.iter().any(|offer| offer.name == tool)
}

/// The first characters of a text, marked when something was left out.
fn start(text: &str, chars_max: usize) -> String {
    let mut chars = text.chars();
    let kept: String = chars.by_ref().take(chars_max).collect();
    if chars.next().is_some() { format!("{kept}…") } else { kept }
}

/// A rough count: four characters a token.
fn tokens_in(text: &str) -> u64 {
    text.len().div_ceil(4) as u64
}

fn tokens_of(pieces: &[Piece]) -> u64 {
    let tokens = |piece: &Piece| match piece {
        Piece::Text(text) | Piece::Thinking(text) => tokens_in(text),
        Piece::Call { name, arguments, .. } => tokens_in(name) + tokens_in(arguments),
        _ => 0,
    };
    pieces.iter().map(tokens).sum()
}

fn tokens_of_prompt(call: &ModelCall) -> u64 {
    let tokens = |message: &PromptMessage| match message {
        PromptMessage::System { text, .. } | PromptMessage::User { text, .. } | PromptMessage::Tool { text, .. } => {
            tokens_in(text)
        }
        PromptMessage::Assistant { text, calls, .. } => {
            tokens_in(text) + calls.iter().map(|call| tokens_in(&call.arguments.to_string())).sum::<u64>()
        }
    };
    call.messages.iter().map(tokens).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::model::{Effort, ToolCall, ToolOffer};
    use serde_json::json;

    /// A call with all the tour's tools.
    fn call(model: &str, messages: Vec<PromptMessage>) -> ModelCall {
        let offer = |name: &str| ToolOffer { name: name.to_owned(), description: String::new(), parameters: json!({}) };
        ModelCall {
            model: ModelName(model.to_owned()),
            messages,
            tools: ["current_datetime", "file_write"].map(offer).to_vec(),
            effort: Effort::None,
            temperature: None,
            context_length: 8_192,
            api_base: None,
            json: false,
            output_tokens_max: None,
        }
    }

    fn user(text: &str) -> PromptMessage {
        PromptMessage::User { text: text.to_owned(), pictures: Vec::new() }
    }

    fn after(tool: &str, result: &str) -> Vec<PromptMessage> {
        let asked = ToolCall { id: "1".to_owned(), name: tool.to_owned(), arguments: json!({}) };
        vec![
            user("do it"),
            PromptMessage::Assistant { text: String::new(), thinking: Vec::new(), calls: vec![asked] },
            PromptMessage::Tool { call_id: "1".to_owned(), name: tool.to_owned(), text: result.to_owned() },
        ]
    }

    fn text(pieces: &[Piece]) -> String {
        let text = |piece: &Piece| if let Piece::Text(text) = piece { Some(text.clone()) } else { None };
        pieces.iter().filter_map(text).collect()
    }

    fn called(pieces: &[Piece]) -> Option<(String, String)> {
        pieces.iter().find_map(|piece| match piece {
            Piece::Call { name, arguments, .. } => Some((name.clone(), arguments.clone())),
            _ => None,
        })
    }

    #[test]
    fn the_tour_follows_what_the_person_asks_for() {
        for (said, tool, words) in [
            ("hello", None, "Sentient"),
            ("What time is it?", Some("current_datetime"), ""),
            ("please write a file", Some("file_write"), ""),
            ("show me a table", None, "| "),
            ("Show me how a reply streams", None, "word by word"),
            ("Show me a question before something is changed", Some("file_write"), ""),
            ("Count 3", None, "1, 2, 3"),
            ("Show me a very long reply", None, ", 1500"),
            ("are you a real model?", None, "scripted"),
            ("qwertz", None, "script"),
        ] {
            let pieces = script(&call("scripted/tour", vec![user(said)]));
            assert_eq!(called(&pieces).map(|(name, _)| name).as_deref(), tool, "{said}");
            assert!(text(&pieces).contains(words), "{said}: {}", text(&pieces));
            assert!(pieces.iter().any(|piece| matches!(piece, Piece::Thinking(_))), "{said}: it shows thinking");
            let finish = if tool.is_some() { Finish::ToolCalls } else { Finish::Stop };
            assert_eq!(pieces.last(), Some(&Piece::Finish(finish)), "{said}");
        }
    }

    #[test]
    fn the_tours_calls_have_arguments_that_are_objects() {
        for said in ["time", "file"] {
            let (name, arguments) = called(&script(&call("scripted/tour", vec![user(said)]))).expect("a call");
            let arguments: serde_json::Value = serde_json::from_str(&arguments).expect("JSON");
            assert!(arguments.is_object(), "{name}");
        }
    }

    #[test]
    fn the_tour_reads_what_tools_answered() {
        let clock = r#"{"iso":"2026-10-10T09:00:00+02:00","date":"2026-10-10","time":"09:00","weekday":"Saturday","timezone":"Europe/Berlin"}"#;
        for (tool, result, words) in [
            ("current_datetime", clock, "09:00 on Saturday"),
            ("current_datetime", "the tool is broken", "the tool is broken"),
            ("file_write", r#"{"saved":true,"path":"/home/a/hello.md","bytes":9}"#, "/home/a/hello.md"),
            ("file_write", "The person said no.", "The person said no."),
            ("file_write", r#"{"error":"The user said no to this.","declined":true}"#, "nothing was written"),
            ("other", "x", "x"),
        ] {
            let pieces = script(&call("scripted/tour", after(tool, result)));
            assert!(text(&pieces).contains(words), "{tool} {result}: {}", text(&pieces));
            assert!(called(&pieces).is_none(), "it does not go round in circles");
        }
    }

    #[test]
    fn a_tool_that_is_not_offered_is_not_called() {
        for said in ["time", "write a file"] {
            let without = ModelCall { tools: Vec::new(), ..call("scripted/tour", vec![user(said)]) };
            let pieces = script(&without);
            assert!(called(&pieces).is_none() && !text(&pieces).is_empty(), "{said}");
        }
    }

    #[test]
    fn a_json_answer_is_json() {
        for model in ["scripted/tour", "scripted/echo"] {
            let asked = ModelCall { json: true, ..call(model, vec![user("hello")]) };
            let text = text(&script(&asked));
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|value| value.is_object()), "{text}");
        }
    }

    #[test]
    fn the_echo_repeats_and_calls_what_it_is_told() {
        for (messages, want, tool) in [
            (vec![user("hi there")], "You said: hi there", None),
            (vec![user("call current_datetime {\"timezone\": \"UTC\"}")], "", Some("current_datetime")),
            (vec![user("call current_datetime")], "", Some("current_datetime")),
            (vec![user("call not json at all")], "You said: call not json at all", None),
            (after("f", "42"), "f answered: 42", None),
            (Vec::new(), "Nothing was said.", None),
        ] {
            let pieces = script(&call("scripted/echo", messages.clone()));
            assert_eq!(text(&pieces), want, "{messages:?}");
            assert_eq!(called(&pieces).map(|(name, _)| name).as_deref(), tool, "{messages:?}");
        }
    }

    #[tokio::test]
    async fn the_stream_is_the_script_word_by_word() {
        let asked = call("scripted/echo", vec![user("one two\nthree")]);
        let streamed: Vec<_> =
            stream(asked.clone(), Duration::ZERO).map(|piece| piece.expect("no error")).collect().await;
        let words = |piece: &&Piece| matches!(piece, Piece::Text(_));
        assert_eq!(streamed.iter().filter(words).count(), 5, "You said: one two three");
        assert_eq!(text(&streamed), text(&script(&asked)));
        let unknown = ModelCall { model: ModelName("scripted/x".to_owned()), ..asked };
        let pieces: Vec<_> = stream(unknown, Duration::ZERO).collect().await;
        assert!(matches!(pieces.as_slice(), [Err(error)] if error.kind == ModelErrorKind::ModelMissing), "{pieces:?}");
    }

    #[tokio::test]
    async fn the_failing_model_breaks_off_with_a_reason() {
        let pieces: Vec<_> = stream(call("scripted/fails", vec![user("hello")]), Duration::ZERO).collect().await;
        let (last, said) = pieces.split_last().expect("pieces");
        assert!(last.as_ref().is_err_and(|error| error.message.contains("pick another model")), "{last:?}");
        let said: Vec<Piece> = said.iter().cloned().collect::<Result<_, _>>().expect("it fails only at the end");
        assert!(!text(&said).is_empty(), "it speaks before it fails");
        assert!(!said.iter().any(|piece| matches!(piece, Piece::Finish(_))), "an end is not claimed");
    }

    #[test]
    fn a_script_names_no_chat() {
        for model in ["scripted/tour", "scripted/echo"] {
            let asked = call(model, vec![user(&rules::titles::question("What time is it?", "Nine."))]);
            let pieces = script(&asked);
            assert_eq!((text(&pieces).as_str(), called(&pieces)), ("", None), "{model}");
            assert_eq!(pieces.last(), Some(&Piece::Finish(Finish::Stop)), "{model}");
        }
    }

    #[test]
    fn what_is_attached_leads_the_tour_nowhere() {
        let attached =
            "Show me how a reply streams\n\n--- Attached file: uploads/a.txt ---\ncount\n--- End of a.txt ---";
        let earlier = "hello\n\n(Attached earlier: file.txt)";
        for (said, words) in [(attached, "word by word"), (earlier, "Welcome"), ("[Attached file x: gone]", "script")] {
            let pieces = script(&call("scripted/tour", vec![user(said)]));
            assert!(text(&pieces).contains(words) && called(&pieces).is_none(), "{said}: {}", text(&pieces));
        }
    }

    #[test]
    fn counting_stops_somewhere() {
        for (said, last) in [
            ("count", "20"),
            ("Count 7", "7"),
            ("count to 0", "1"),
            ("[Monday 30 November 2026, 15:00] Count 3", "3"),
            ("count 999999999999", "5000"),
        ] {
            let counted = text(&script(&call("scripted/tour", vec![user(said)])));
            assert_eq!(counted.rsplit(", ").next(), Some(last), "{said}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn every_word_comes_after_its_pause() {
        let before = tokio::time::Instant::now();
        let pieces: Vec<_> = stream(call("scripted/echo", vec![user("two words")]), PACE).collect().await;
        assert_eq!(before.elapsed(), PACE * 4, "{pieces:?}");
    }
}
