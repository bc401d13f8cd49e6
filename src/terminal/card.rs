//! A question as a terminal shows it, and what a typed answer means.

use super::incoming::{Preview, Question};
use super::plain::{line, neutral, tool_name};
use std::fmt::Write;

/// Characters of one line of a card.
const LINE_CHARS_MAX: usize = 200;
/// Lines of a preview's text that are shown.
const BODY_LINES_MAX: usize = 12;

/// The words of an answer (contract section 2, "Scoped answers").
pub(super) fn label(decision: &str, grant_minutes: Option<u32>) -> String {
    match (decision, grant_minutes) {
        ("allow", _) => "Allow once".into(),
        ("allow_session", _) => "Allow for this chat".into(),
        ("allow_task", _) => "Allow for this task".into(),
        ("allow_timed", Some(minutes)) if minutes != 60 => format!("Allow for {minutes} minutes"),
        ("allow_timed", _) => "Allow for 1 hour".into(),
        ("allow_always", _) => "Always allow".into(),
        ("deny", _) => "Deny".into(),
        (other, _) => line(other, 40),
    }
}

/// The card's lines: what, to whom, why it asks, what it would do, and the answers with their numbers.
pub(super) fn text(question: &Question) -> String {
    let mut out = format!("? {} wants your OK", tool_name(&question.name));
    let label_of_risk = question.risk_label.as_deref().filter(|label| !label.is_empty());
    if let Some(risk) = label_of_risk.or(Some(question.reason.as_str()).filter(|reason| !reason.is_empty())) {
        put(&mut out, "what", risk);
    }
    for (name, value) in [("to", &question.target), ("why", &question.untrusted), ("careful", &question.warning)] {
        if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
            put(&mut out, name, value);
        }
    }
    match &question.preview {
        Some(preview) => out.push_str(&preview_text(preview)),
        None => arguments(&mut out, question),
    }
    let choices = question.choices.iter().enumerate();
    let offered = choices.map(|(at, choice)| format!("{} {}", at + 1, label(choice, question.grant_minutes)));
    write!(out, "\n  [{}]", offered.collect::<Vec<_>>().join("]  [")).expect("a string takes everything");
    out
}

fn put(out: &mut String, name: &str, value: &str) {
    write!(out, "\n  {name}: {}", line(value, LINE_CHARS_MAX)).expect("a string takes everything");
}

fn arguments(out: &mut String, question: &Question) {
    let Some(arguments) = question.arguments.as_object() else { return };
    for (name, value) in arguments {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        put(out, &line(name, 40), &value);
    }
}

/// A preview's fields and its text, indented.
pub(super) fn preview_text(preview: &Preview) -> String {
    let mut out = String::new();
    for field in &preview.fields {
        put(&mut out, &line(&field.label, 40), &field.value);
    }
    let body = neutral(preview.body.as_deref().unwrap_or_default());
    let lines: Vec<&str> = body.lines().collect();
    for text in lines.iter().take(BODY_LINES_MAX) {
        write!(out, "\n  │ {text}").expect("a string takes everything");
    }
    if lines.len() > BODY_LINES_MAX {
        write!(out, "\n  │ … {} more lines", lines.len() - BODY_LINES_MAX).expect("a string takes everything");
    }
    out
}

/// Which of the offered answers was typed: its number, its words, or `y`/`n`. `None` when it is none of them.
pub(super) fn answer(question: &Question, typed: &str) -> Option<String> {
    let typed = typed.trim().to_lowercase();
    if let Ok(number) = typed.parse::<usize>() {
        return number.checked_sub(1).and_then(|at| question.choices.get(at)).cloned();
    }
    let wanted = match typed.as_str() {
        "y" | "yes" => "allow",
        "n" | "no" => "deny",
        other => other,
    };
    let named = |choice: &&String| *choice == wanted || label(choice, question.grant_minutes).to_lowercase() == wanted;
    question.choices.iter().find(named).cloned()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::incoming::Field;
    use super::*;
    use serde_json::json;

    pub(in super::super) fn question(choices: &[&str]) -> Question {
        Question {
            approval_id: "a1".into(),
            name: "mail_send".into(),
            arguments: json!({ "to": "sam@example.com" }),
            reason: String::new(),
            risk_label: Some("Sends an email".into()),
            target: Some("sam@example.com".into()),
            untrusted: None,
            warning: None,
            choices: choices.iter().map(|&choice| choice.to_owned()).collect(),
            grant_minutes: Some(30),
            preview: None,
        }
    }

    #[test]
    fn a_card_says_what_to_whom_and_what_can_be_answered() {
        let mut asked = question(&["allow", "allow_timed", "deny"]);
        asked.warning = Some("evil\u{1b}[2J".into());
        let field = Field { label: "Subject".into(), value: "Lunch".into() };
        asked.preview = Some(Preview { title: "Email".into(), fields: vec![field], body: Some("Friday?\nYes".into()) });
        let want = "? Mail send wants your OK\n  what: Sends an email\n  to: sam@example.com\n  careful: evil␛[2J\n  \
                    Subject: Lunch\n  │ Friday?\n  │ Yes\n  [1 Allow once]  [2 Allow for 30 minutes]  [3 Deny]";
        assert_eq!(text(&asked), want);
    }

    #[test]
    fn only_what_is_offered_is_an_answer() {
        let asked = question(&["allow", "allow_session", "deny"]);
        for (typed, want) in [
            ("1", Some("allow")),
            (" 2 ", Some("allow_session")),
            ("y", Some("allow")),
            ("No", Some("deny")),
            ("Allow for this chat", Some("allow_session")),
            ("always allow", None),
            ("allow_always", None),
            ("4", None),
            ("0", None),
            ("sure, why not", None),
            ("", None),
        ] {
            assert_eq!(answer(&asked, typed).as_deref(), want, "{typed}");
        }
        assert_eq!(answer(&question(&["deny"]), "y"), None);
    }
}
