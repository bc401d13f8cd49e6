//! Ollama's wire: what is sent, and what comes of its lines.

use super::{OllamaModel, embeddings, request_body};
use crate::oracles::check_answer;
use crate::wire::Pieces;
use protocol::model::{
    Effort, Finish, ModelCall, ModelErrorKind, ModelName, Picture, Piece, PromptMessage, Thought, TokenUsage, ToolCall,
    ToolOffer,
};
use serde_json::json;

fn call(effort: Effort) -> ModelCall {
    let picture = Picture { mime: "image/png".into(), bytes: b"foo".to_vec() };
    let tool_call = ToolCall { id: "c1".into(), name: "t".into(), arguments: json!({"x": 1}) };
    ModelCall {
        model: ModelName("ollama_chat/qwen3:8b".into()),
        messages: vec![
            PromptMessage::System { text: "Be brief.".into(), cache: true },
            PromptMessage::User { text: "Look".into(), pictures: vec![picture] },
            PromptMessage::Assistant { text: String::new(), thinking: Vec::new(), calls: vec![tool_call] },
            PromptMessage::Tool { call_id: "c1".into(), name: "t".into(), text: "2".into() },
        ],
        tools: vec![ToolOffer { name: "t".into(), description: "d".into(), parameters: json!({"type": "object"}) }],
        effort,
        temperature: Some(0.3),
        context_length: 16_384,
        api_base: None,
        json: true,
        output_tokens_max: Some(50),
    }
}

fn model(capabilities: &[&str], family: &str) -> OllamaModel {
    let capabilities = capabilities.iter().map(|word| (*word).to_owned()).collect();
    OllamaModel { context_length_max: Some(8_192), capabilities, family: family.to_owned() }
}

#[test]
fn a_request_for_a_model_that_can_do_all() {
    let body = request_body(&call(Effort::Medium), &model(&["tools", "thinking", "vision"], "qwen3"));
    let want = json!({
        "model": "qwen3:8b",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Look", "images": ["Zm9v"]},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "function": {"name": "t", "arguments": {"x": 1}}}]},
            {"role": "tool", "tool_call_id": "c1", "tool_name": "t", "content": "2"},
        ],
        "stream": true,
        "options": {"num_ctx": 8192, "temperature": 0.3, "num_predict": 50},
        "tools": [{"type": "function", "function": {"name": "t", "description": "d", "parameters": {"type": "object"}}}],
        "think": true,
        "format": "json",
    });
    assert_eq!(body, want);
}

#[test]
fn thinking_goes_back_to_a_model_that_thinks() {
    for (capabilities, calls, want) in [
        (&["tools", "thinking"][..], true, Some("First.\n\nThen.")),
        (&["tools"], true, None),
        (&["thinking"], false, None),
    ] {
        let mut asked = call(Effort::Low);
        for message in &mut asked.messages {
            if let PromptMessage::Assistant { thinking, calls: asked_for, .. } = message {
                *thinking = vec![Thought::text("First."), Thought::text("Then.")];
                asked_for.truncate(usize::from(calls));
            }
        }
        let body = request_body(&asked, &model(capabilities, "qwen3"));
        assert_eq!(body["messages"][2]["thinking"].as_str(), want, "{capabilities:?}, calls: {calls}");
    }
}

#[test]
fn a_model_is_not_asked_for_what_it_cannot_do() {
    let body = request_body(&call(Effort::High), &model(&["completion"], "gemma3"));
    assert!(body.get("think").is_none() && body.get("tools").is_none(), "{body}");
    let seen = body["messages"][1]["content"].as_str().expect("text");
    assert!(body["messages"][1].get("images").is_none() && seen.starts_with("Look\n\n[A picture"), "{body}");
}

#[test]
fn how_thinking_is_asked_for() {
    for (effort, family, want) in [
        (Effort::None, "qwen3", json!(false)),
        (Effort::Low, "qwen3", json!(true)),
        (Effort::None, "gptoss", json!("low")),
        (Effort::Medium, "gptoss", json!("medium")),
        (Effort::High, "gptoss", json!("high")),
    ] {
        assert_eq!(request_body(&call(effort), &model(&["thinking"], family))["think"], want, "{effort:?} {family}");
    }
}

#[test]
fn what_show_tells_of_a_model() {
    let show = json!({
        "details": {"family": "qwen3"},
        "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960},
        "capabilities": ["completion", "tools", "thinking"],
    });
    let model = OllamaModel::from_show(&show);
    assert_eq!((model.context_length_max, model.family.as_str()), (Some(40_960), "qwen3"));
    assert!(model.can("thinking") && !model.can("vision"));
    assert_eq!(model.context_length(&call(Effort::None)), 16_384);
    let old = OllamaModel::from_show(&json!({}));
    assert_eq!(old, OllamaModel::default());
    assert!(old.can("tools") && !old.can("thinking"));
}

fn answer(body: &str) -> Pieces {
    check_answer("ollama_chat", body.as_bytes(), &[1, body.len() / 3, body.len() / 2])
}

const DONE: &str = "{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\
                    \"prompt_eval_count\":11,\"eval_count\":7}\n";

#[test]
fn thinking_text_calls_and_usage() {
    let body = format!(
        "{}\n{}\n{}\n{DONE}",
        r#"{"message":{"role":"assistant","content":"","thinking":"hm"},"done":false}"#,
        r#"{"message":{"role":"assistant","content":"Hello"},"done":false}"#,
        r#"{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"t","arguments":{"x":1}}},{"function":{"index":0,"name":"t","arguments":{}}}]},"done":false}"#,
    );
    let call = |arguments: &str| Piece::Call { id: None, name: "t".into(), arguments: arguments.into() };
    let want: Pieces = vec![
        Ok(Piece::Thinking("hm".into())),
        Ok(Piece::Text("Hello".into())),
        Ok(call("{\"x\":1}")),
        Ok(call("{}")),
        Ok(Piece::Usage(TokenUsage { prompt: 11, cached: 0, completion: 7 })),
        Ok(Piece::Finish(Finish::ToolCalls)),
    ];
    assert_eq!(answer(&body), want);
}

#[test]
fn an_answer_without_its_last_line_is_an_error() {
    let hello = r#"{"message":{"content":"Hel"},"done":false}"#;
    for (name, body, want) in [
        ("nothing", String::new(), ModelErrorKind::Malformed),
        ("no last line", format!("{hello}\n"), ModelErrorKind::Malformed),
        ("cut inside a line", format!("{hello}\n{{\"mess"), ModelErrorKind::Malformed),
        ("not JSON", "oops\n".to_owned(), ModelErrorKind::Malformed),
        ("JSON of another kind", "{\"a\":1}\n".to_owned(), ModelErrorKind::Malformed),
        (
            "an error in mid-stream",
            format!("{hello}\n{{\"error\":\"llama runner exited\"}}\n{DONE}"),
            ModelErrorKind::Unreachable,
        ),
        ("half a document", "{\n \"message\": {".to_owned(), ModelErrorKind::Malformed),
    ] {
        let pieces = answer(&body);
        assert_eq!(pieces.last().and_then(|piece| piece.as_ref().err()).map(|error| error.kind), Some(want), "{name}");
    }
}

#[test]
fn last_lines_in_every_form() {
    let whole = "{\n  \"message\": {\"content\": \"Hi\"},\n  \"done\": true\n}\n";
    for (name, body, want) in [
        ("unstreamed", r#"{"message":{"content":"Hi"},"done":true}"#, Finish::Stop),
        ("formatted over lines", whole, Finish::Stop),
        ("cut by the limit", r#"{"message":{"content":"Hi"},"done":true,"done_reason":"length"}"#, Finish::Length),
        ("tags", r#"{"message":{"content":"<think>a</think>Hi"},"done":true}"#, Finish::Stop),
    ] {
        let pieces = answer(body);
        assert_eq!(pieces.last(), Some(&Ok(Piece::Finish(want))), "{name}");
        assert!(pieces.contains(&Ok(Piece::Text("Hi".into()))), "{name}: {pieces:?}");
    }
}

#[test]
fn vectors() {
    assert_eq!(embeddings(r#"{"embeddings":[[1,2.5],[3,4]]}"#, 2), Some(vec![vec![1.0, 2.5], vec![3.0, 4.0]]));
    for (body, texts) in [("{}", 1), (r#"{"embeddings":[[1]]}"#, 2), (r#"{"embeddings":[[]]}"#, 1), ("x", 0)] {
        assert_eq!(embeddings(body, texts), None, "{body}");
    }
}
