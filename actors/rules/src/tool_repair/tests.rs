//! Replies of small models, and the law that nothing is made up.

use super::{Repaired, repair};
use crate::oracles::{check_arguments, check_repair, sample_tools};
use proptest::prelude::*;
use serde_json::{Value, json};

fn found(text: &str) -> (String, Vec<(String, Value)>, bool) {
    let Repaired { text_left, calls, incomplete } = repair(text, &sample_tools());
    check_repair(text);
    (text_left, calls, incomplete)
}

fn weather() -> Vec<(String, Value)> {
    vec![("get_weather".to_owned(), json!({"city": "Ulm", "days": 3}))]
}

#[test]
fn calls_in_every_form() {
    let cases: [(&str, &str, &str); 22] = [
        ("Hermes", r#"<tool_call>{"name": "get_weather", "arguments": {"city": "Ulm", "days": 3}}</tool_call>"#, ""),
        (
            "over lines",
            "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Ulm\", \"days\": 3}}\n</tool_call>\n",
            "",
        ),
        (
            "prose in front",
            r#"Let me look. <tool_call>{"name":"get_weather","arguments":{"city":"Ulm","days":3}}</tool_call>"#,
            "Let me look.",
        ),
        (
            "no closing tag, but whole",
            r#"Ok <tool_call>{"name":"get_weather","arguments":{"city":"Ulm","days":3}}"#,
            "Ok",
        ),
        ("half a closing tag", r#"<tool_call>{"name":"get_weather","arguments":{"city":"Ulm","days":3}}</tool"#, ""),
        ("parameters", r#"<tool_call>{"name":"get_weather","parameters":{"city":"Ulm","days":3}}</tool_call>"#, ""),
        (
            "arguments as text",
            r#"<tool_call>{"name":"get_weather","arguments":"{\"city\":\"Ulm\",\"days\":3}"}</tool_call>"#,
            "",
        ),
        (
            "Python's quotes",
            "<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Ulm', 'days': 3,},}</tool_call>",
            "",
        ),
        (
            "OpenAI's form",
            r#"<tool_call>{"type":"function","function":{"name":"get_weather","arguments":{"city":"Ulm","days":3}}}</tool_call>"#,
            "",
        ),
        ("function tag", r#"<function=get_weather>{"city":"Ulm","days":3}</function>"#, ""),
        ("function tag without its end", r#"<function=get_weather>{"city":"Ulm","days":3}"#, ""),
        (
            "Qwen coder",
            "<tool_call>\n<function=get_weather>\n<parameter=city>\nUlm\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
            "",
        ),
        ("Mistral", r#"[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Ulm", "days": 3}}]"#, ""),
        ("Mistral, newer", r#"[TOOL_CALLS]get_weather[ARGS]{"city": "Ulm", "days": 3}"#, ""),
        (
            "fenced at the end",
            "I'll look:\n```json\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Ulm\", \"days\": 3}}\n```",
            "I'll look:",
        ),
        ("fenced Python", "```tool_code\nget_weather(city=\"Ulm\", days=3)\n```", ""),
        ("bare JSON", r#"{"name": "get_weather", "parameters": {"city": "Ulm", "days": 3}}"#, ""),
        ("Llama's tag", r#"<|python_tag|>{"name": "get_weather", "parameters": {"city": "Ulm", "days": 3}}"#, ""),
        ("Python", "get_weather(city='Ulm', days=3)", ""),
        ("Python with an object", "get_weather({\"city\": \"Ulm\", \"days\": 3})", ""),
        ("a list of Python calls", "[get_weather(city=\"Ulm\", days=3)]", ""),
        (
            "a marked call in a fence at the end",
            "```xml\n<tool_call>{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Ulm\",\"days\":3}}</tool_call>\n```",
            "```xml\n\n```",
        ),
    ];
    for (name, text, left) in cases {
        assert_eq!(found(text), (left.to_owned(), weather(), false), "{name}");
    }
}

#[test]
fn several_calls() {
    let two = r#"A <tool_call>{"name":"now","arguments":{}}</tool_call> B <tool_call>{"name":"get_weather","arguments":{"city":"Ulm"}}</tool_call> C"#;
    let want = vec![("now".to_owned(), json!({})), ("get_weather".to_owned(), json!({"city": "Ulm"}))];
    assert_eq!(found(two), ("A  B  C".to_owned(), want.clone(), false));
    for text in
        ["[now(), get_weather(city=\"Ulm\")]", "now()\nget_weather(city=\"Ulm\")", "now(); get_weather(city=\"Ulm\")"]
    {
        assert_eq!(found(text), (String::new(), want.clone(), false), "{text}");
    }
}

#[test]
fn a_cut_call_is_no_call() {
    let full = r#"<tool_call>{"name":"get_weather","arguments":{"city":"Ulm","days":30}}"#;
    for end in "<tool_call>".len()..full.len() {
        let text = format!("I'll look. {}", &full[..end]);
        assert_eq!(found(&text), ("I'll look.".to_owned(), vec![], true), "{text}");
    }
    for text in [
        "<function=get_weather>{\"city\":\"U",
        "<function=get_weather>",
        "<function=get_wea",
        "<function=get_weather>\n<parameter=city>\nUlm",
        "<tool_call><function=get_weather><parameter=city>Ulm</parameter>",
        "[TOOL_CALLS][{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Ulm\"}}",
        "[TOOL_CALLS]get_weather[AR",
        "[TOOL_CALLS]get_weather[ARGS]{\"city\":",
    ] {
        let (_, calls, incomplete) = found(text);
        assert!(calls.is_empty() && incomplete, "{text}");
    }
    let first = r#"<tool_call>{"name":"now","arguments":{}}</tool_call><tool_call>{"name":"get_"#;
    assert_eq!(found(first), (String::new(), vec![("now".to_owned(), json!({}))], true), "what was whole stays");
}

#[test]
fn prose_about_calls_stays_prose() {
    for text in [
        "",
        "Just an answer with {braces} and (parentheses).",
        "Use <tool_call>{\"name\": \"your_tool\", \"arguments\": {}}</tool_call> to call a tool.",
        "```json\n{\"name\": \"your_tool\", \"arguments\": {}}\n```",
        "Write it so:\n```json\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Ulm\"}}\n```\nThen wait for the result.",
        "```\n<tool_call>{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Ulm\"}}</tool_call>\n```\nis how a call looks.",
        "You could call get_weather(city=\"Ulm\").",
        "get_weather(city=\"Ulm\") would tell you.",
        "get_weather(\"Ulm\")",
        "get_weather(city=\"Ulm\"",
        "[get_weather(city=\"Ulm\")",
        "{\"name\": \"get_weather\"}",
        "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Ulm\"}, \"born\": 1990}",
        "{\"name\": \"get_weather\", \"arguments\": [1]}",
        "[]",
        "The tag <tool_call> marks a call.",
        "<function=other>{}</function>",
        "[TOOL_CALLS] is what Mistral writes.",
        "<tool_call>{\"name\":\"get_weather\",\"arguments\":{\"city\":\"\\d\"}}</tool_call>",
    ] {
        assert_eq!(found(text), (text.to_owned(), vec![], false), "{text}");
    }
    assert_eq!(repair("<tool_call>{\"name\":\"now\"}</tool_call>", &[]).calls, [], "nothing was offered");
}

#[test]
fn a_long_hostile_reply_ends_soon() {
    for piece in ["<tool_call>", "<tool_call>{\"a\":", "[TOOL_CALLS]", "<function=now>", "```", "[", "{\"a\":["] {
        check_repair(&piece.repeat(20_000));
    }
}

/// Pieces of which replies of small models are made.
fn reply() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<tool_call>"),
        Just("</tool_call>"),
        Just("<function=get_weather>"),
        Just("</function>"),
        Just("<parameter=city>"),
        Just("</parameter>"),
        Just("[TOOL_CALLS]"),
        Just("[ARGS]"),
        Just("```json\n"),
        Just("\n```"),
        Just("{\"name\":\"get_weather\",\"arguments\":"),
        Just("{\"city\":\"Ulm\"}"),
        Just("}"),
        Just("{"),
        Just("[now()]"),
        Just("get_weather("),
        Just("city="),
        Just("'Ulm'"),
        Just("\"a\\u00e9\\n\""),
        Just(","),
        Just(":"),
        Just("\"days\":"),
        Just("\"3\""),
        Just("12e3"),
        Just("None"),
        Just("True"),
        Just(" prose "),
        Just(")"),
        Just("\\"),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn nothing_is_made_up_in_replies(text in reply()) {
        check_repair(&text);
    }

    #[test]
    fn nothing_is_made_up_in_arguments(text in reply(), wild in ".{0,40}") {
        check_arguments(&text);
        check_arguments(&wild);
        check_arguments(&format!("{{\"city\":{text}}}"));
        check_arguments(&format!("{{\"city\":\"{wild}\"}}"));
    }
}
