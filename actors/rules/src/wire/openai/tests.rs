//! The OpenAI wire: what is sent, and what comes of answers that the recordings do not hold.

use super::super::dialect::{self, Dialect};
use super::request_body;
use crate::oracles::check_answer;
use crate::wire::Pieces;
use protocol::model::{
    Effort, Finish, ModelCall, ModelErrorKind, ModelName, Picture, Piece, PromptMessage, Thought, TokenUsage, ToolCall,
    ToolOffer,
};
use serde_json::{Value, json};

fn call(model: &str, messages: Vec<PromptMessage>) -> ModelCall {
    ModelCall {
        model: ModelName(model.to_owned()),
        messages,
        tools: Vec::new(),
        effort: Effort::None,
        temperature: None,
        context_length: 8192,
        api_base: None,
        json: false,
        output_tokens_max: None,
    }
}

fn row(provider: &str) -> &'static Dialect {
    dialect::dialect(provider).expect("a provider")
}

fn system(text: &str) -> PromptMessage {
    PromptMessage::System { text: text.into(), cache: false }
}

fn user(text: &str) -> PromptMessage {
    PromptMessage::User { text: text.into(), pictures: Vec::new() }
}

/// A chat with a call whose id no other provider takes.
fn chat_with_tools() -> Vec<PromptMessage> {
    let tool_call = ToolCall { id: "call.1/ä".into(), name: "get weather".into(), arguments: json!({"city": "Ulm"}) };
    vec![
        system("Be brief."),
        user("Weather?"),
        PromptMessage::Assistant { text: String::new(), thinking: Vec::new(), calls: vec![tool_call] },
        PromptMessage::Tool { call_id: "call.1/ä".into(), name: "get weather".into(), text: "Sunny".into() },
        user("And tomorrow?"),
    ]
}

#[test]
fn a_request_holds_what_was_asked_for() {
    let mut asked = call("openai/gpt-4o", vec![user("Hi")]);
    asked.tools = vec![ToolOffer { name: "t".into(), description: "d".into(), parameters: json!({"type": "object"}) }];
    asked.temperature = Some(0.5);
    asked.output_tokens_max = Some(100);
    asked.json = true;
    let want = json!({
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": "Hi"}],
        "stream": true,
        "stream_options": {"include_usage": true},
        "tools": [{"type": "function", "function": {"name": "t", "description": "d", "parameters": {"type": "object"}}}],
        "temperature": 0.5,
        "max_completion_tokens": 100,
        "response_format": {"type": "json_object"},
    });
    assert_eq!(request_body(&asked, row("openai")), want);
}

#[test]
fn providers_get_only_the_fields_they_take() {
    for (provider, model, absent, present) in [
        (
            "mistral",
            "mistral/mistral-large-latest",
            vec!["stream_options", "max_completion_tokens"],
            vec!["max_tokens"],
        ),
        ("openai", "openai/o3", vec!["temperature", "max_tokens"], vec!["reasoning_effort", "max_completion_tokens"]),
        ("lm_studio", "lm_studio/qwen", vec!["reasoning_effort"], vec!["temperature", "stream_options", "max_tokens"]),
    ] {
        let mut asked = call(model, vec![user("Hi")]);
        asked.temperature = Some(0.2);
        asked.output_tokens_max = Some(9);
        let body = request_body(&asked, row(provider));
        for key in absent {
            assert!(body.get(key).is_none(), "{provider} must not get {key}: {body}");
        }
        for key in present {
            assert!(body.get(key).is_some(), "{provider} must get {key}: {body}");
        }
    }
}

#[test]
fn calls_and_results_find_each_other_at_every_provider() {
    for provider in ["openai", "mistral", "gemini", "lm_studio", "groq", "deepseek"] {
        let body = request_body(&call(&format!("{provider}/m"), chat_with_tools()), row(provider));
        let messages = body["messages"].as_array().expect("messages");
        let (assistant, tool) = (&messages[2], &messages[3]);
        let entry = &assistant["tool_calls"][0];
        assert_eq!(entry["id"], tool["tool_call_id"], "{provider}");
        let id = entry["id"].as_str().expect("an id");
        assert_eq!(row(provider).call_ids.apply(id), id, "{provider} takes {id}");
        assert_eq!(entry["function"]["name"], "get_weather");
        assert_eq!(entry["function"]["arguments"], "{\"city\":\"Ulm\"}");
        assert_eq!(assistant["content"].is_null(), provider == "gemini", "{provider}");
        let signature = &entry["extra_content"]["google"]["thought_signature"];
        assert_eq!(signature.is_string(), provider == "gemini", "{provider}");
    }
}

#[test]
fn thinking_goes_back_where_the_provider_takes_it() {
    for (provider, thought, want) in [
        ("deepseek", "Look first.", Some(("reasoning_content", "Look first."))),
        ("deepseek", "", Some(("reasoning_content", ""))), // refused without the field
        ("openrouter", "Look first.", Some(("reasoning", "Look first."))),
        ("openrouter", "", None),
        ("vllm", "Look first.", Some(("reasoning", "Look first."))),
        ("openai", "Look first.", None),
        ("mistral", "Look first.", None),
        ("groq", "Look first.", None),
    ] {
        let mut prompt = chat_with_tools();
        if let PromptMessage::Assistant { thinking, .. } = &mut prompt[2] {
            thinking.push(Thought::text(thought));
        }
        prompt.push(PromptMessage::Assistant {
            text: "Sunny.".into(),
            thinking: vec![Thought::text("x")],
            calls: vec![],
        });
        let body = request_body(&call(&format!("{provider}/m"), prompt), row(provider));
        let messages = body["messages"].as_array().expect("messages");
        let fields = ["reasoning_content", "reasoning"];
        let sent =
            |message: &Value| fields.iter().find_map(|field| Some((*field, message[*field].as_str()?.to_owned())));
        assert_eq!(sent(&messages[2]), want.map(|(field, text)| (field, text.to_owned())), "{provider} {thought:?}");
        assert_eq!(messages.last().and_then(sent), None, "{provider}: an answer without calls");
    }
}

#[test]
fn mistral_hears_an_answer_between_a_result_and_the_person() {
    let roles = |provider: &str| {
        let body = request_body(&call(&format!("{provider}/m"), chat_with_tools()), row(provider));
        let messages = body["messages"].as_array().expect("messages").clone();
        messages.iter().map(|message| message["role"].as_str().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(roles("mistral"), ["system", "user", "assistant", "tool", "assistant", "user"]);
    assert_eq!(roles("openai"), ["system", "user", "assistant", "tool", "user"]);
}

#[test]
fn local_templates_get_instructions_in_front_and_turns_that_alternate() {
    let prompt = vec![system("A"), system("B"), user("Hi"), system("It is noon."), user("Well?")];
    let local = request_body(&call("lm_studio/m", prompt.clone()), row("lm_studio"));
    let want = json!([
        {"role": "system", "content": "A\n\nB"},
        {"role": "user", "content": "Hi\n\nIt is noon.\n\nWell?"},
    ]);
    assert_eq!(local["messages"], want);
    let cloud = request_body(&call("openai/gpt-4o", prompt), row("openai"));
    assert_eq!(cloud["messages"].as_array().map(Vec::len), Some(5));
}

#[test]
fn pictures_go_along_or_are_named() {
    let picture = Picture { mime: "image/png".into(), bytes: b"foobar".to_vec() };
    let prompt = vec![PromptMessage::User { text: "What is it?".into(), pictures: vec![picture] }];
    let seen = request_body(&call("openai/gpt-4o", prompt.clone()), row("openai"));
    let want = json!([
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,Zm9vYmFy"}},
    ]);
    assert_eq!(seen["messages"][0]["content"], want);
    let unseen = request_body(&call("deepseek/deepseek-chat", prompt), row("deepseek"));
    let text = unseen["messages"][0]["content"].as_str().expect("text");
    assert!(text.starts_with("What is it?\n\n[A picture"), "{text}");
}

/// What a server has cached of a chat stays valid when the chat goes on.
#[test]
fn a_longer_chat_begins_like_the_shorter_one() {
    let mut prompt = chat_with_tools();
    prompt.pop();
    for provider in ["openai", "mistral", "lm_studio", "vllm", "openrouter", "gemini"] {
        let model = format!("{provider}/m");
        let shorter = request_body(&call(&model, prompt.clone()), row(provider));
        let mut longer = prompt.clone();
        longer.push(PromptMessage::Assistant { text: "Sunny.".into(), thinking: Vec::new(), calls: Vec::new() });
        longer.push(user("And tomorrow?"));
        let longer = request_body(&call(&model, longer), row(provider));
        let text = |body: &Value| body["messages"].to_string();
        let stable = text(&shorter);
        let stable = stable.strip_suffix(']').expect("a list");
        assert!(text(&longer).starts_with(stable), "{provider}");
    }
}

#[test]
fn a_broken_connection_after_the_reason_costs_nothing() {
    use crate::oracles::decoder_for;
    let mut decoder = decoder_for("openai");
    decoder.push(stream(&[delta(json!({"content": "Hi"}))], "").as_bytes());
    assert!(!decoder.is_answered());
    decoder.push(stream(&[finish("stop")], "").as_bytes());
    assert!(decoder.is_answered() && !decoder.is_over());
    assert_eq!(decoder.end(), vec![Ok(Piece::Finish(Finish::Stop))]);
}

fn stream(events: &[Value], end: &str) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).chain([end.to_owned()]).collect()
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn answer(provider: &str, body: &str) -> Pieces {
    check_answer(provider, body.as_bytes(), &[1, body.len() / 3, body.len() / 2])
}

fn kind(pieces: &Pieces) -> Option<ModelErrorKind> {
    pieces.last().and_then(|piece| piece.as_ref().err()).map(|error| error.kind)
}

#[test]
fn a_plain_answer_with_usage() {
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12,
        "prompt_tokens_details": {"cached_tokens": 4}}});
    let events =
        [delta(json!({"role": "assistant", "content": ""})), delta(json!({"content": "Hello"})), finish("stop"), usage];
    let want: Pieces = vec![
        Ok(Piece::Text("Hello".into())),
        Ok(Piece::Usage(TokenUsage { prompt: 10, cached: 4, completion: 2 })),
        Ok(Piece::Finish(Finish::Stop)),
    ];
    assert_eq!(answer("openai", &stream(&events, "data: [DONE]\n\n")), want);
    assert_eq!(answer("openai", &stream(&events, "")), want, "without the end mark, but with a reason");
    assert_eq!(answer("openai", &stream(&events, "data: [DO")), want, "cut inside the end mark");
}

#[test]
fn without_any_end_mark_an_answer_is_an_error() {
    let hello = [delta(json!({"content": "Hello"}))];
    for (name, body) in [
        ("nothing", String::new()),
        ("blank space", "\r\n\r\n".to_owned()),
        ("text only", stream(&hello, "")),
        ("cut inside an event", stream(&hello, "data: {\"choices\":[{\"ind")),
        ("a web page", "<html>\n<body>no</body></html>".to_owned()),
        ("half a document", "{\"choices\":[".to_owned()),
        ("a document of another kind", "{\"hello\":1}".to_owned()),
        ("not JSON", "data: hello\n\n".to_owned()),
    ] {
        assert_eq!(kind(&answer("openai", &body)), Some(ModelErrorKind::Malformed), "{name}");
    }
    let pieces = answer("openai", &stream(&hello, ""));
    assert_eq!(pieces[0], Ok(Piece::Text("Hello".into())), "what came before is not lost");
    let only_done = answer("openai", &stream(&hello, "data: [DONE]\n\n"));
    assert_eq!(only_done.last(), Some(&Ok(Piece::Finish(Finish::Stop))), "the end mark is enough");
}

#[test]
fn an_error_in_mid_stream_ends_it() {
    for (name, event, want) in [
        (
            "OpenRouter",
            json!({"error": {"code": 429, "message": "x"}, "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]}),
            ModelErrorKind::RateLimited,
        ),
        ("OpenAI", json!({"error": {"type": "server_error", "message": "x"}}), ModelErrorKind::Unreachable),
        ("a bare reason", finish("error"), ModelErrorKind::Unreachable),
        ("vLLM", json!({"object": "error", "message": "x", "code": 400}), ModelErrorKind::Other),
    ] {
        let body =
            stream(&[delta(json!({"content": "Hel"})), event, delta(json!({"content": "lo"}))], "data: [DONE]\n\n");
        let pieces = answer("openrouter", &body);
        assert_eq!((pieces.len(), kind(&pieces)), (2, Some(want)), "{name}: {pieces:?}");
    }
    let named = "event: error\ndata: {\"message\":\"x\",\"code\":503}\n\n";
    assert_eq!(kind(&answer("openai", named)), Some(ModelErrorKind::Unreachable));
}

#[test]
fn reasons_to_end() {
    for (reason, with_call, want) in [
        ("stop", false, Finish::Stop),
        ("stop", true, Finish::ToolCalls),
        ("tool_calls", true, Finish::ToolCalls),
        ("tool_calls", false, Finish::Stop),
        ("length", false, Finish::Length),
        ("length", true, Finish::Length),
        ("content_filter", false, Finish::Filtered),
        ("eos", false, Finish::Stop),
    ] {
        let call = delta(json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "t", "arguments": ""}}]}));
        let events: Vec<Value> = with_call.then_some(call).into_iter().chain([finish(reason)]).collect();
        let pieces = answer("openai", &stream(&events, ""));
        assert_eq!(pieces.last(), Some(&Ok(Piece::Finish(want))), "{reason} {with_call}");
        if with_call {
            let arguments = if reason == "length" { "" } else { "{}" };
            let want = Piece::Call { id: Some("a".into()), name: "t".into(), arguments: arguments.into() };
            assert_eq!(pieces[0], Ok(want), "{reason}");
        }
    }
}

#[test]
fn thinking_under_every_name() {
    for (name, provider, events, thinking, text) in [
        (
            "reasoning_content",
            "deepseek",
            vec![delta(json!({"reasoning_content": "hm"})), delta(json!({"content": "a"}))],
            "hm",
            "a",
        ),
        (
            "both names with the same text",
            "openrouter",
            vec![delta(json!({"reasoning": "hm", "reasoning_content": "hm"}))],
            "hm",
            "",
        ),
        (
            "tags of a local model",
            "lm_studio",
            vec![delta(json!({"content": "<thi"})), delta(json!({"content": "nk>hm</think>\n\na"}))],
            "hm",
            "a",
        ),
        (
            "tags at a provider that has a field",
            "openai",
            vec![delta(json!({"content": "<think>hm</think>"}))],
            "",
            "<think>hm</think>",
        ),
    ] {
        let mut events = events;
        events.push(finish("stop"));
        let (mut got_thinking, mut got_text) = (String::new(), String::new());
        for piece in answer(provider, &stream(&events, "")) {
            match piece {
                Ok(Piece::Thinking(piece)) => got_thinking.push_str(&piece),
                Ok(Piece::Text(piece)) => got_text.push_str(&piece),
                _ => {}
            }
        }
        assert_eq!((got_thinking.as_str(), got_text.as_str()), (thinking, text), "{name}");
    }
}

#[test]
fn a_character_cut_in_half_survives() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"a\\ud83d\"}}]}\n\n\
                data: {\"choices\":[{\"delta\":{\"content\":\"\\ude00b\"},\"finish_reason\":\"stop\"}]}\n\n";
    let text: String = answer("openai", body)
        .into_iter()
        .filter_map(|piece| if let Ok(Piece::Text(text)) = piece { Some(text) } else { None })
        .collect();
    assert_eq!(text, "a😀b");
}

#[test]
fn vectors_are_one_per_text_in_order() {
    let body = r#"{"data":[{"index":1,"embedding":[2.0]},{"index":0,"embedding":[1.0]}]}"#;
    assert_eq!(super::embeddings(body, 2), Some(vec![vec![1.0], vec![2.0]]));
    for (body, texts) in [(body, 1), (body, 3), ("{}", 1), (r#"{"data":[{"embedding":["x"]}]}"#, 1), ("", 0)] {
        assert_eq!(super::embeddings(body, texts), None, "{body} {texts}");
    }
}
