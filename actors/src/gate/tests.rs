//! Facts of a call are gathered from the tool and from the settings of the moment.

use super::*;
use crate::fixtures::world;
use crate::tools::fakes;
use protocol::approvals::Decision;
use protocol::config::{ApprovalRule, ApprovalsMode};
use protocol::ids::{ApprovalId, CallId};
use serde_json::json;

fn gate(change: impl FnOnce(&mut Config)) -> (Gate, watch::Sender<Arc<Config>>) {
    let mut config = Config::default();
    change(&mut config);
    let (sender, receiver) = watch::channel(Arc::new(config));
    let (world, _) = world(0);
    let standing = Standing::nothing(world.clock);
    (Gate::new(Arc::new(Registry::new(fakes::toolbox())), receiver, standing), sender)
}

#[test]
fn a_rule_changed_a_moment_ago_counts() {
    let (gate, settings) = gate(|_| ());
    let arguments = json!({"name": "a.txt", "content": "x"});
    let call = Call::new("file_write", &arguments);
    let run = Run::on(Surface::Window);
    let asked = gate.judge(&run, &call);
    assert_eq!((asked.station, asked.risk), (Station::Mode, Risk::Write));
    assert_eq!(asked.outcome(), None);
    for (rule, want) in [
        (ApprovalRule::Allow, Station::AllowRule),
        (ApprovalRule::Ask, Station::AskRule),
        (ApprovalRule::HandOff, Station::HandOff),
        (ApprovalRule::Never, Station::Never),
    ] {
        settings.send_modify(|config| {
            Arc::make_mut(config).tools.approvals.rules.insert("files".into(), rule);
        });
        assert_eq!(gate.judge(&run, &call).station, want, "{rule:?}");
    }
    let refused = gate.judge(&run, &call).outcome().expect("a result");
    let sentence = "You've set Sentient to never use Files. Change this in Settings > Approvals & safety.";
    assert_eq!(refused.result, json!({ "error": sentence }));
    settings.send_modify(|config| {
        Arc::make_mut(config).tools.approvals.rules.insert("file_write".into(), ApprovalRule::Allow);
    });
    assert_eq!(gate.judge(&run, &call).station, Station::AllowRule, "a tool's own rule beats its app's");
}

#[test]
fn settings_that_hold_a_call_back() {
    let arguments = json!({"name": "a.txt", "content": "x"});
    let call = Call::new("file_write", &arguments);
    for (name, change, want) in [
        (
            "disabled",
            (|config: &mut Config| config.tools.disabled.push("files".into())) as fn(&mut Config),
            Station::Never,
        ),
        ("read only", |config| config.integrations.read_only.push("files".into()), Station::ReadOnly),
        ("off", |config| config.tools.approvals.mode = ApprovalsMode::Off, Station::Mode),
    ] {
        let (gate, _settings) = gate(change);
        assert_eq!(gate.judge(&Run::on(Surface::Window), &call).station, want, "{name}");
    }
    let (gate, _settings) = gate(|config| config.integrations.read_only.push("files".into()));
    let refused = gate.judge(&Run::on(Surface::Window), &call).outcome().expect("a result");
    let want = "Files is set to Read only, so Sentient can look things up there but can't change, send or delete \
                anything. \"File write\" was not done. Change this in Integrations.";
    assert_eq!(refused.result["error"], want);
}

#[test]
fn what_would_be_refused_is_not_offered() {
    let names = |gate: &Gate| gate.offers().into_iter().map(|offer| offer.name).collect::<Vec<_>>();
    let (everything, _settings) = gate(|_| ());
    assert!(names(&everything).contains(&"file_write".to_owned()));
    let (some, _settings) = gate(|config| {
        config.tools.approvals.rules.insert("web".into(), ApprovalRule::Never);
        config.tools.approvals.rules.insert("maps".into(), ApprovalRule::Never);
        config.tools.approvals.rules.insert("maps_directions".into(), ApprovalRule::Ask);
        config.tools.disabled.push("news_search".into());
        config.integrations.read_only.push("files".into());
    });
    let offered = names(&some);
    for (name, want) in [
        ("web_fetch", false),
        ("maps_search_places", false),
        ("maps_directions", true), // a tool's own rule beats its app's
        ("news_search", false),
        ("news_top_headlines", true),
        ("file_write", false),
        ("file_read", true),
    ] {
        assert_eq!((offered.contains(&name.to_owned()), !some.is_hidden(name)), (want, want), "{name}");
    }
    assert!(some.is_hidden("no_such_tool"));
    assert_eq!(some.read_only_apps(), ["Files"]);
}

#[test]
fn what_a_chat_has_read_counts() {
    let (gate, _settings) = gate(|config| config.tools.approvals.mode = ApprovalsMode::Off);
    let arguments = json!({"url": "https://a.example/?q=secret"});
    let call = Call::new("web_fetch", &arguments);
    let hosts = ["a.example".to_owned()];
    let marked = Run { outside: Some("Web Pages"), ..Run::on(Surface::Window) };
    for (name, run, want) in [
        ("clean", Run::on(Surface::Window), Station::Mode),
        ("a new host", marked, Station::Address),
        ("a known host", Run { visited_hosts: &hosts, ..marked }, Station::Mode),
    ] {
        assert_eq!(gate.judge(&run, &call).station, want, "{name}");
    }
    let judged = gate.judge(&marked, &call);
    let card = gate.card(&judged, &call, CallId("c".into()), ApprovalId("a".into())).expect("a question");
    assert_eq!(card.choices, [Decision::Allow, Decision::Deny]);
    assert_eq!((card.grant_minutes, card.risk, card.reason.as_str()), (None, Risk::Read, ""));
    assert!(card.untrusted.expect("a reason").contains("a.example"));
}

#[test]
fn a_call_that_is_handed_over_is_shown_with_its_arguments() {
    let (gate, _settings) = gate(|config| {
        config.tools.approvals.rules.insert("file_write".into(), ApprovalRule::HandOff);
    });
    let arguments = json!({"name": "a.txt", "content": "x", "folder": null});
    let outcome = gate.judge(&Run::on(Surface::Window), &Call::new("file_write", &arguments)).outcome();
    let outcome = outcome.expect("a result");
    assert!(!outcome.is_error);
    assert_eq!(outcome.result["handed_off"], true);
    assert_eq!(outcome.result["title"], "File write in Files");
    let fields = json!([{"label": "Files", "value": "a.txt"}]);
    let preview = json!({"kind": "action", "title": "File write", "fields": fields, "body": "x"});
    assert_eq!((&outcome.result["preview"], &outcome.result["details"]), (&preview, &json!([])));
    let message = outcome.result["message"].as_str().expect("text");
    assert!(message.starts_with(
        "NOT DONE by Sentient: \"File write\" in Files is set to \"Hand it to me\", so Sentient did not do it. What \
         you prepared is shown to the user in Sentient, with a copy button, for them to finish themselves."
    ));
}

#[test]
fn a_second_look_raises_what_is_asked_about() {
    let (gate, _settings) = gate(|_| ());
    let arguments = json!({"name": "a.txt", "content": "x"});
    let call = Call { warning: Some("This is odd."), ..Call::new("file_write", &arguments) };
    let judged = gate.judge(&Run::on(Surface::Window), &call);
    assert_eq!((judged.station, judged.risk), (Station::SecondLook, Risk::Send));
    let card = gate.card(&judged, &call, CallId("c".into()), ApprovalId("a".into())).expect("a question");
    assert_eq!(card.warning.as_deref(), Some("This is odd."));
    let unknown = gate.judge(&Run::on(Surface::Window), &Call::new("nothing", &arguments));
    assert_eq!(unknown.station, Station::UnknownTool);
}
