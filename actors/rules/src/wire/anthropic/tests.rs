//! Anthropic's wire: what is sent, and what comes of streams that the recordings do not hold.

use super::super::dialect;
use super::{Thinking, request_body, thinking_of};
use crate::oracles::check_answer;
use crate::wire::Pieces;
use protocol::model::{
    Effort, Finish, ModelCall, ModelErrorKind, ModelName, Picture, Piece, PromptMessage, Thought, TokenUsage, ToolCall,
    ToolOffer,
};
use serde_json::{Value, json};

fn call(model: &str, messages: Vec<PromptMessage>) -> ModelCall {
    ModelCall {
        model: ModelName(format!("anthropic/{model}")),
        messages,
        tools: Vec::new(),
        effort: Effort::None,
        temperature: Some(0.5),
        context_length: 0,
        api_base: None,
        json: false,
        output_tokens_max: Some(1_000),
    }
}

fn body(call: &ModelCall) -> Value {
    request_body(call, dialect::dialect("anthropic").expect("a provider"))
}

fn system(text: &str, cache: bool) -> PromptMessage {
    PromptMessage::System { text: text.into(), cache }
}

fn user(text: &str) -> PromptMessage {
    PromptMessage::User { text: text.into(), pictures: Vec::new() }
}

fn assistant(text: &str, thinking: Vec<Thought>, calls: Vec<ToolCall>) -> PromptMessage {
    PromptMessage::Assistant { text: text.into(), thinking, calls }
}

fn tool_call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "t".into(), arguments: json!({"x": 1}) }
}

fn result(id: &str, text: &str) -> PromptMessage {
    PromptMessage::Tool { call_id: id.into(), name: "t".into(), text: text.into() }
}

#[test]
fn the_stable_prefix_and_the_tools_are_cached() {
    let mut asked = call("claude-sonnet-4-5", vec![system("Stable", true), system("It is noon.", false), user("Hi")]);
    let offer =
        |name: &str| ToolOffer { name: name.into(), description: "d".into(), parameters: json!({"type": "object"}) };
    asked.tools = vec![offer("a"), offer("b")];
    let want = json!({
        "model": "claude-sonnet-4-5",
        "stream": true,
        "max_tokens": 1000,
        "temperature": 0.5,
        "system": [
            {"type": "text", "text": "Stable", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "It is noon."},
        ],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
        "tools": [
            {"name": "a", "description": "d", "input_schema": {"type": "object"}},
            {"name": "b", "description": "d", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}},
        ],
    });
    assert_eq!(body(&asked), want);
}

#[test]
fn results_of_one_round_and_neighbours_of_one_role_are_one_message() {
    let picture = Picture { mime: "image/png".into(), bytes: b"foo".to_vec() };
    let asked = call(
        "claude-sonnet-4-5",
        vec![
            user("One"),
            PromptMessage::User { text: "Two".into(), pictures: vec![picture] },
            PromptMessage::Assistant {
                text: String::new(),
                thinking: Vec::new(),
                calls: vec![tool_call("a"), tool_call("b c")],
            },
            result("a", "1"),
            result("b c", ""),
            user("Go on"),
            PromptMessage::Assistant { text: String::new(), thinking: Vec::new(), calls: Vec::new() },
        ],
    );
    let messages = body(&asked)["messages"].clone();
    let odd_id = messages[1]["content"][1]["id"].clone();
    let want = json!([
        {"role": "user", "content": [
            {"type": "text", "text": "One"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "Zm9v"}},
            {"type": "text", "text": "Two"},
        ]},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "a", "name": "t", "input": {"x": 1}},
            {"type": "tool_use", "id": odd_id, "name": "t", "input": {"x": 1}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "1"}]},
            {"type": "tool_result", "tool_use_id": odd_id, "content": []},
            {"type": "text", "text": "Go on"},
        ]},
    ]);
    assert_eq!(messages, want);
}

#[test]
fn thinking_as_each_model_wants_it() {
    for (model, want) in [
        ("claude-3-opus-20240229", Thinking::Never),
        ("claude-3-5-sonnet-latest", Thinking::Never),
        ("claude-3-7-sonnet-20250219", Thinking::Budget),
        ("claude-opus-4-20250514", Thinking::Budget),
        ("claude-haiku-4-5", Thinking::Budget),
        ("claude-sonnet-4-5-20250929", Thinking::Budget),
        ("claude-opus-4-6", Thinking::Adaptive),
        ("claude-opus-4-7", Thinking::Adaptive),
        ("claude-sonnet-5-5", Thinking::Adaptive),
    ] {
        assert_eq!(thinking_of(model), want, "{model}");
    }
    let mut asked = call("claude-sonnet-4-5", vec![user("Hi")]);
    asked.effort = Effort::Medium;
    let with_budget = body(&asked);
    assert_eq!(with_budget["thinking"], json!({"type": "enabled", "budget_tokens": 8192}));
    assert_eq!(with_budget["max_tokens"], 9192);
    assert!(with_budget.get("temperature").is_none(), "thinking and a temperature exclude each other");

    asked.messages.extend([assistant("", vec![], vec![tool_call("a")]), result("a", "1")]);
    assert!(body(&asked).get("thinking").is_none(), "its thinking is gone, so it cannot go on thinking");
    asked.messages.push(user("And?"));
    assert!(body(&asked).get("thinking").is_none(), "the answer with the call is still its last one");
    asked.messages.extend([assistant("Done.", vec![], vec![]), user("Thanks")]);
    assert!(body(&asked).get("thinking").is_some(), "thinking again after its next answer");

    let mut adaptive = call("claude-sonnet-5-5", vec![user("Hi")]);
    assert!(body(&adaptive).get("thinking").is_none() && body(&adaptive).get("temperature").is_none());
    adaptive.effort = Effort::High;
    assert_eq!(body(&adaptive)["thinking"]["type"], "adaptive");
    assert_eq!(body(&adaptive)["output_config"], json!({"effort": "high"}));
}

#[test]
fn signed_thinking_goes_back_in_front_of_the_calls_it_led_to() {
    let signed = Thought::Text { text: "Look first.".into(), signature: "c2ln".into() };
    let thoughts = [Thought::text("of another model"), signed, Thought::Sealed { data: "ZGF0YQ==".into() }];
    let calls = || vec![tool_call("a")];
    let blocks = |model: &str, effort, thinking: Vec<Thought>, calls| {
        let mut asked = call(model, vec![user("Hi"), assistant("I look.", thinking, calls)]);
        asked.messages.push(result("a", "1"));
        asked.effort = effort;
        let body = body(&asked);
        let kinds = body["messages"][1]["content"].as_array().expect("blocks").iter();
        let kinds: Vec<String> = kinds.map(|block| block["type"].as_str().expect("a type").to_owned()).collect();
        (kinds.join(" "), body.get("thinking").is_some(), body)
    };
    let own = || thoughts[1..].to_vec();
    for (name, model, effort, thinking, calls, want) in [
        (
            "budget",
            "claude-sonnet-4-5",
            Effort::Low,
            own(),
            calls(),
            ("thinking redacted_thinking text tool_use", true),
        ),
        (
            "adaptive",
            "claude-opus-4-7",
            Effort::Low,
            own(),
            calls(),
            ("thinking redacted_thinking text tool_use", true),
        ),
        ("unsigned", "claude-opus-4-7", Effort::Low, thoughts[..1].to_vec(), calls(), ("text tool_use", true)),
        ("not asked to think", "claude-sonnet-4-5", Effort::None, own(), calls(), ("text tool_use", false)),
        ("no call", "claude-opus-4-7", Effort::Low, own(), vec![], ("text", true)),
    ] {
        let (kinds, thinks, _) = blocks(model, effort, thinking, calls);
        assert_eq!((kinds.as_str(), thinks), want, "{name}");
    }
    let (_, _, body) = blocks("claude-sonnet-4-5", Effort::Low, own(), calls());
    let content = &body["messages"][1]["content"];
    assert_eq!(content[0], json!({"type": "thinking", "thinking": "Look first.", "signature": "c2ln"}));
    assert_eq!(content[1], json!({"type": "redacted_thinking", "data": "ZGF0YQ=="}));
}

#[test]
fn thinking_comes_with_its_signature() {
    let think = |text: &str| delta(0, json!({"type": "thinking_delta", "thinking": text}));
    let sign = |text: &str| delta(0, json!({"type": "signature_delta", "signature": text}));
    let [delta_event, stop_event] = end("tool_use");
    let events = [
        start(),
        block(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        think("Look "),
        think("first."),
        sign("c2"),
        sign("ln"),
        stop(0),
        block(1, json!({"type": "redacted_thinking", "data": "ZGF0YQ=="})),
        stop(1),
        tool_use(2),
        stop(2),
        delta_event,
        stop_event,
    ];
    let thoughts: Vec<Thought> = answer(&events)
        .into_iter()
        .filter_map(|piece| match piece {
            Ok(Piece::Thought(thought)) => Some(thought),
            _ => None,
        })
        .collect();
    let signed = Thought::Text { text: "Look first.".into(), signature: "c2ln".into() };
    assert_eq!(thoughts, [signed, Thought::Sealed { data: "ZGF0YQ==".into() }]);
}

fn stream(events: &[Value]) -> String {
    let name = |event: &Value| event["type"].as_str().expect("a type").to_owned();
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", name(event))).collect()
}

fn start() -> Value {
    json!({"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 5, "cache_read_input_tokens": 20,
        "cache_creation_input_tokens": 3, "output_tokens": 1}}})
}

fn block(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn end(reason: &str) -> [Value; 2] {
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}});
    [delta, json!({"type": "message_stop"})]
}

fn answer(events: &[Value]) -> Pieces {
    let body = stream(events);
    check_answer("anthropic", body.as_bytes(), &[1, body.len() / 3, body.len() / 2])
}

fn tool_use(index: u64) -> Value {
    block(index, json!({"type": "tool_use", "id": "a", "name": "t", "input": {}}))
}

#[test]
fn an_answer_with_a_call_and_its_usage() {
    let partial = |text: &str| delta(0, json!({"type": "input_json_delta", "partial_json": text}));
    let [delta_event, stop_event] = end("tool_use");
    let events =
        [start(), tool_use(0), tool_use(0), partial("{\"x\""), partial(":1}"), stop(0), delta_event, stop_event];
    let want: Pieces = vec![
        Ok(Piece::Call { id: Some("a".into()), name: "t".into(), arguments: "{\"x\":1}".into() }),
        Ok(Piece::Usage(TokenUsage { prompt: 28, cached: 20, completion: 9 })),
        Ok(Piece::Finish(Finish::ToolCalls)),
    ];
    assert_eq!(answer(&events), want);
}

#[test]
fn arguments_are_never_made_up() {
    for (name, closed, reason, want) in [
        ("a complete block without input", true, "tool_use", "{}"),
        ("at the output limit", true, "max_tokens", ""),
        ("a block that was never closed", false, "tool_use", ""),
    ] {
        let [delta_event, stop_event] = end(reason);
        let mut events = vec![start(), tool_use(0)];
        events.extend(closed.then(|| stop(0)));
        events.extend([delta_event, stop_event]);
        let arguments = answer(&events).into_iter().find_map(|piece| match piece {
            Ok(Piece::Call { arguments, .. }) => Some(arguments),
            _ => None,
        });
        assert_eq!(arguments.as_deref(), Some(want), "{name}");
    }
}

#[test]
fn streams_that_end_badly() {
    let text = [block(0, json!({"type": "text", "text": ""})), delta(0, json!({"type": "text_delta", "text": "Hel"}))];
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "x"}});
    let [begun, more] = text.clone();
    for (name, events, want) in [
        ("nothing", vec![], ModelErrorKind::Malformed),
        ("only a start", vec![start()], ModelErrorKind::Malformed),
        ("cut in the text", vec![start(), begun.clone(), more.clone()], ModelErrorKind::Malformed),
        ("cut after a block", vec![start(), begun.clone(), more.clone(), stop(0)], ModelErrorKind::Malformed),
        ("an error event", vec![start(), begun, more, overloaded, stop(0)], ModelErrorKind::Unreachable),
        ("a second start", vec![start(), start()], ModelErrorKind::Malformed),
    ] {
        let pieces = answer(&events);
        assert_eq!(pieces.last().and_then(|piece| piece.as_ref().err()).map(|error| error.kind), Some(want), "{name}");
    }
    let whole = r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#;
    let pieces = check_answer("anthropic", whole.as_bytes(), &[3]);
    assert!(matches!(pieces.as_slice(), [Err(error)] if error.kind == ModelErrorKind::KeyRejected), "{pieces:?}");
}

#[test]
fn reasons_to_end() {
    for (reason, want) in [
        ("end_turn", Finish::Stop),
        ("stop_sequence", Finish::Stop),
        ("pause_turn", Finish::Stop),
        ("max_tokens", Finish::Length),
        ("model_context_window_exceeded", Finish::Length),
        ("refusal", Finish::Filtered),
    ] {
        let [delta_event, stop_event] = end(reason);
        assert_eq!(answer(&[start(), delta_event, stop_event]).last(), Some(&Ok(Piece::Finish(want))), "{reason}");
    }
}
