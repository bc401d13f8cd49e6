//! From a message to what is proposed.

use super::*;
use proptest::prelude::*;

const TOOLS: [Known<'static>; 10] = [
    known("gmail_send_email", "gmail", "Gmail", "Sends an email."),
    known("gmail_trash", "gmail", "Gmail", "Moves an email to the trash."),
    known("gmail_search", "gmail", "Gmail", "Finds emails."),
    known("slack_post_message", "slack", "Slack", "Posts a message in a channel."),
    known("slack_read_channel", "slack", "Slack", "Reads messages of a channel."),
    known("notion_update_page", "notion", "Notion", "Changes a page."),
    known("bank_pay", "bank", "Bank", "Pays money to somebody."),
    known("browser_open", "browser", "Browser", "Opens a page."),
    known("browser_click", "browser", "Browser", "Clicks on a page."),
    known("file_write", "files", "Files", "Writes a file."),
];

const fn known(
    name: &'static str,
    plugin: &'static str,
    app: &'static str,
    description: &'static str,
) -> Known<'static> {
    Known { name, plugin, app, description }
}

fn level(text: &str) -> String {
    let found = instructions(text);
    let shown = found.iter().map(|found| match found.level {
        None => "model".to_owned(),
        Some(level) => format!("{level:?}"),
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn what_reads_like_a_standing_instruction() {
    for (text, want) in [
        ("Never delete my emails", "model"),
        ("don’t touch my Notion", "model"),
        ("You must not use Slack.", "model"),
        ("Don't post to Slack without asking me", "Ask"),
        ("always ask before sending money", "Ask"),
        ("Ask me first when you send mail", "Ask"),
        ("Only send emails when I tell you to. Don't send emails unless I ask.", "IfAsked IfAsked"),
        ("I'll send them myself", "HandOff"),
        ("just draft my emails, let me press send", "HandOff"),
        ("never delete my emails. never use Slack", "model model"),
        ("don't ask me before sending", ""),
        ("stop asking me about files", ""),
        ("don't send it this time", ""),
        ("Just this once, don't use Slack", ""),
        ("don't use Slack for now", ""),
        ("In part A, do not use the calendar", ""),
        ("do not send anything in step 2", ""),
        ("I don't know what to write", ""),
        ("she never answers my emails", ""),
        ("I don't want you to delete emails", "model"),
        ("What's the weather?", ""),
        ("मेरे ईमेल कभी मत हटाना", ""),
        ("", ""),
    ] {
        assert_eq!(level(text), want, "{text}");
    }
}

#[test]
fn what_it_names_as_an_act() {
    for (text, want) in [
        ("never delete my emails", "delete"),
        ("don't post or share anything without asking", "post share"),
        ("always ask before sending money", "send"),
        ("never use Slack", ""),
        ("don't touch my email messages", ""),
        ("never archive the post", "archive"),
        ("you must not message my boss", "message"),
    ] {
        let actions: Vec<String> = instructions(text).into_iter().flat_map(|found| found.actions).collect();
        assert_eq!(actions.join(" "), want, "{text}");
    }
}

/// What is proposed for a message when the model answers so: `never gmail_trash | ask slack`.
fn proposed(text: &str, answer: &str, in_force: &[(&'static str, Rule)], pending: &[(&'static str, Rule)]) -> String {
    let found = instructions(text);
    let candidates = candidates(&found, &TOOLS);
    let Some(mapped) = parse(answer, &candidates) else { return "no answer".into() };
    let rules = |rules: &[(&'static str, Rule)]| rules.iter().copied().collect::<Rules<'static>>();
    let proposals = proposals(&found, &mapped, &candidates, &rules(in_force), &rules(pending));
    let shown = proposals.iter().map(|proposal| format!("{:?} {}", proposal.rule, proposal.keys.join(" ")));
    shown.collect::<Vec<_>>().join(" | ")
}

#[test]
fn what_is_proposed() {
    let never = |keys: &str| format!(r#"{{"keys": [{keys}], "rule": "never"}}"#);
    let both = never(r#""gmail","slack""#);
    for (name, text, answer, want) in [
        ("a tool", "never delete my emails", never(r#""gmail_trash""#), "Never gmail_trash"),
        ("never a whole app for an act", "never delete my emails", never(r#""gmail""#), "Never gmail_trash"),
        ("dropped when no tool does it", "never pay in Slack", never(r#""slack""#), ""),
        ("a whole app", "never use Slack", never(r#""slack""#), "Never slack"),
        ("each by its own", "never delete my emails. never use Slack", both.clone(), "Never gmail_trash slack"),
        (
            "words decide the level",
            "don't post to Slack without asking me",
            never(r#""slack""#),
            "Ask slack_post_message",
        ),
        ("an exact name", "don't call browser_open", never(r#""browser""#), "Never browser_open"),
        ("made up keys are dropped", "never delete my emails", never(r#""gmail_trash","rm_rf""#), "Never gmail_trash"),
        ("keys of others are dropped", "never delete my emails", never(r#""bank""#), "no answer"),
        ("handed over", "I'll send my emails myself", never(r#""gmail_send_email""#), "HandOff gmail_send_email"),
        ("nothing", "never delete my emails", "I cannot say.".to_owned(), "no answer"),
        ("chatter around it", "never use Slack", format!("Sure! ```json\n{}\n```", never(r#""slack""#)), "Never slack"),
        ("one key as text", "never use Slack", r#"{"keys":"slack","rule":"NEVER "}"#.to_owned(), "Never slack"),
        ("no rule means ask", "never use Slack", r#"{"keys":["slack"]}"#.to_owned(), "Ask slack"),
    ] {
        assert_eq!(proposed(text, &answer, &[], &[]), want, "{name}");
    }
    let (text, answer) = ("don't post to Slack without asking me", r#"{"keys":["slack_post_message"],"rule":"ask"}"#);
    for (name, in_force, pending, want) in [
        ("an equal rule", &[("slack_post_message", Rule::Ask)][..], &[][..], ""),
        ("a stricter rule of its app", &[("slack", Rule::Never)], &[], ""),
        ("a looser rule", &[("slack_post_message", Rule::IfAsked)], &[], "Ask slack_post_message"),
        (
            "its own looser rule",
            &[("slack", Rule::Never), ("slack_post_message", Rule::Allow)],
            &[],
            "Ask slack_post_message",
        ),
        ("already proposed", &[], &[("slack_post_message", Rule::HandOff)], ""),
        ("a looser one is proposed", &[], &[("slack_post_message", Rule::IfAsked)], "Ask slack_post_message"),
    ] {
        assert_eq!(proposed(text, answer, in_force, pending), want, "{name}");
    }
}

#[test]
fn accepting_only_tightens() {
    let tools: Vec<(&str, &str)> = TOOLS.iter().map(|tool| (tool.name, tool.plugin)).collect();
    for (name, rule, keys, in_force, want) in [
        ("nothing there", Rule::Ask, &["slack"][..], &[][..], "slack"),
        ("a stricter rule stays", Rule::Ask, &["slack"], &[("slack", Rule::Never)], ""),
        (
            "an allowed tool in it",
            Rule::Ask,
            &["slack"],
            &[("slack_post_message", Rule::Allow)],
            "slack slack_post_message",
        ),
        ("a stricter tool in it", Rule::Ask, &["slack"], &[("slack_post_message", Rule::Never)], "slack"),
        ("a tool under a strict app", Rule::Ask, &["gmail_trash"], &[("gmail", Rule::Never)], ""),
        ("a tool under a loose app", Rule::Ask, &["gmail_trash"], &[("gmail", Rule::Allow)], "gmail_trash"),
    ] {
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        let changed = accepted(rule, &keys, &in_force.iter().copied().collect(), &tools);
        assert_eq!(changed.join(" "), want, "{name}");
    }
}

#[test]
fn a_message_about_nothing_asks_no_model() {
    for text in ["never say sorry", "don't be so polite", "what emails do I have"] {
        assert!(candidates(&instructions(text), &TOOLS).is_empty(), "{text}");
    }
    assert_eq!(candidates(&instructions("never delete my emails"), &TOOLS).len(), 3);
}

proptest! {
    /// Whatever a model answers, what is proposed is a candidate, tightens, and is not there yet.
    #[test]
    fn a_model_never_loosens(
        answer in "\\PC{0,60}|\\{\"keys\": ?\\[\"(gmail|slack|gmail_trash|x)\"(,\"(slack|bank|gmail_send_email)\"){0,2}\\], ?\"rule\": ?\"(never|ask|allow)\"\\}",
        text in prop_oneof![
            Just("never delete my emails. never use Slack"), Just("don't send mail unless I ask"), Just("always ask before posting to Slack"),
        ],
        rule in prop_oneof![Just(Rule::Allow), Just(Rule::IfAsked), Just(Rule::Ask), Just(Rule::HandOff), Just(Rule::Never)],
    ) {
        let found = instructions(text);
        let list = candidates(&found, &TOOLS);
        if let Some(mapped) = parse(&answer, &list) {
            let in_force: Rules<'_> = [("slack", rule), ("gmail_trash", rule)].into();
            for proposal in proposals(&found, &mapped, &list, &in_force, &Rules::new()) {
                prop_assert!(proposal.rule != Rule::Allow && !proposal.keys.is_empty());
                for key in &proposal.keys {
                    prop_assert!(list.iter().any(|tool| tool.name == key || tool.plugin == key));
                    let before = in_force.get(key.as_str()).copied();
                    prop_assert!(strictness(Some(proposal.rule)) > strictness(before), "{} {:?}", key, proposal.rule);
                }
            }
        }
    }
}
