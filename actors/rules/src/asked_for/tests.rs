//! One line per way of asking, and of not asking.

use super::*;
use proptest::prelude::*;

fn others() -> Vec<String> {
    ["Gmail", "Slack", "Notion", "Google Calendar"].map(str::to_owned).to_vec()
}

fn mail(others: &[String]) -> Wanted<'_> {
    Wanted { tool: "gmail_send_email", plugin: "gmail", app: "Gmail", risk: Risk::Send, other_apps: others }
}

fn asks(text: &str, wanted: &Wanted<'_>) -> bool {
    asked_for(&[text.to_owned()], wanted)
}

#[test]
fn sending_an_email() {
    let others = others();
    for (text, want) in [
        ("send an email to Priya", true),
        ("Email Priya that I'm late", true),
        ("email Priya the Slack thread", false), // names another app
        ("summarize my Slack messages and email Priya", true),
        ("Please send it", true),
        ("yes, send it", true),
        ("ok go ahead and send it now", true),
        ("send it to priya@example.com", true),
        ("send the report to Priya", false), // what kind of thing it goes by was not said
        ("send Priya an email, then post it on Slack", true),
        ("post the email to Slack", false),
        ("use Gmail to send the report", true),
        ("don't send the email", false),
        ("draft an email to Priya but don't send it", false),
        ("ask me before you send the email", false),
        ("send the email, but ask me first", false),
        ("read my emails", false),
        ("how do I send an email?", false),
        ("did you send the email?", false),
        ("I'll send the email myself", false),
        ("I told Priya to send the email", false),
        ("when she answers, send the email", false),
        ("Write Priya an email", true),
        ("reply to her email", true),
        ("प्रिया को ईमेल भेज दो", false),
        ("SEND THE EMAIL", true),
        ("can you send that email to Bob?", true),
        ("", false),
    ] {
        assert_eq!(asks(text, &mail(&others)), want, "{text}");
    }
}

#[test]
fn other_tools() {
    let others = others();
    let of = |tool, plugin, app, risk| Wanted { tool, plugin, app, risk, other_apps: &others };
    let slack = of("slack_post_message", "slack", "Slack", Risk::Send);
    let trash = of("gmail_trash", "gmail", "Gmail", Risk::Write);
    let delete = of("notes_delete_note", "notes", "Notes", Risk::Send);
    let event = of("gcal_create_event", "gcal", "Google Calendar", Risk::Write);
    let code = of("execute_code", "code", "Code", Risk::Exec);
    let look = of("gmail_search_emails", "gmail", "Gmail", Risk::Read);
    let nameless = of("mcp_x_frobnicate", "mcp_x", "X", Risk::Send);
    for (text, wanted, want) in [
        ("post it to Slack", &slack, true),
        ("message the team on Slack", &slack, true),
        ("summarize my Slack messages", &slack, false), // "messages" is what it reads
        ("check the Slack post", &slack, false),
        ("post it", &slack, true),
        ("email Priya what they posted on Slack", &slack, false),
        ("delete that email", &trash, false), // a trash tool whose name has no object: its app, or a bare "delete it"
        ("delete those from Gmail", &trash, true),
        ("trash it", &trash, true),
        ("delete the note about Bob", &delete, true),
        ("don't delete the note and remove the rest", &delete, false),
        ("schedule an event with Bob", &event, true),
        ("put it in my Google Calendar", &event, true),
        ("put it in Notion", &event, false),
        ("run the code", &code, true),
        ("run it", &code, true),
        ("what runs the code?", &code, false),
        ("what emails did I get?", &look, true),
        ("anything new in Gmail?", &look, true),
        ("anything new?", &look, false),
        ("don't read my emails", &look, false),
        ("what's new on Slack", &look, false),
        ("frobnicate it", &nameless, false),
    ] {
        assert_eq!(asks(text, wanted), want, "{text} / {}", wanted.tool);
    }
}

#[test]
fn any_message_of_the_turn_can_ask() {
    let others = others();
    let words = ["summarize the thread", "and email it to Bob"].map(str::to_owned);
    assert!(asked_for(&words, &mail(&others)));
    assert!(!asked_for(&words[..1], &mail(&others)));
    assert!(!asked_for(&[], &mail(&others)));
}

proptest! {
    /// A negation, a condition or "ask me" in front of any request takes it back.
    #[test]
    fn held_back_requests_ask_for_nothing(rest in "[a-z @.]{0,40}", held in prop_oneof![
        Just("don't"), Just("never"), Just("please do not"), Just("ask me before you"), Just("if he agrees"), Just("when ready"),
    ]) {
        let others = others();
        let text = format!("{held} send the email {}", rest.replace(['.', ','], " ").replace(" and ", " "));
        prop_assert!(!asks(&text, &mail(&others)), "{}", text);
    }

    /// Naming another app in the only clause takes it back; case and apostrophes do not matter; nothing panics.
    #[test]
    fn another_app_and_odd_text(text in "\\PC{0,80}", app in prop_oneof![Just("Slack"), Just("notion"), Just("google calendar")]) {
        let others = others();
        asks(&text, &mail(&others));
        let elsewhere = format!("send the email in {app}");
        prop_assert!(!asks(&elsewhere, &mail(&others)), "{}", elsewhere);
    }

    /// Without one of its verbs, no text asks for an act.
    #[test]
    fn no_verb_no_act(text in "[abcf-km-qu-z ]{0,60}") {
        let others = others();
        prop_assert!(!asks(&text, &mail(&others)), "{}", text);
    }
}
