//! `sentient rules check`: what the gate would say about one call, and which check says so. It asks nobody, runs nothing
//! and needs no engine: settings are read from the file, tools are those of this build.

use super::Failure;
use super::arguments::RulesCheck;
use crate::assemble::{built_in_tools, world};
use crate::config_file::ConfigFile;
use actors::gate::{Call, Gate, Judged, Run, Standing};
use protocol::Error;
use protocol::approvals::Decision;
use protocol::config::{ApprovalRule, ApprovalsMode, Config};
use rules::gate::{Surface, Verdict};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

/// Explains one call.
pub(super) fn check(asked: &RulesCheck, home: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let (_, loaded) = ConfigFile::open(super::config::file(home));
    let config = config(asked, loaded.config)?;
    let surface = surface(&asked.surface)?;
    let written = asked.arguments.as_deref().unwrap_or("{}");
    // What a model cut off is repaired or refused by the engine; what a person typed is told to them.
    if let Err(cause) = serde_json::from_str::<Value>(written) {
        return Err(Error::invalid(format!("The arguments are no JSON: {cause}.")).into());
    }
    let tools = Arc::new(built_in_tools()?);
    let (arguments, bad) = match tools.get(&asked.tool) {
        Some(tool) => match rules::tool_repair::arguments(written, &tool.spec().parameters) {
            Ok(arguments) => (arguments, None),
            Err(error) => (json!({}), Some(rules::tool_repair::invalid_arguments(&asked.tool, &error))),
        },
        None => (json!({}), None),
    };
    let words: Vec<String> = asked.said.iter().cloned().collect();
    let run = Run { outside: asked.outside.as_deref(), words: &words, ..Run::on(surface) };
    let call = Call { bad_arguments: bad.as_deref(), ..Call::new(&asked.tool, &arguments) };
    let (_settings, reader) = watch::channel(Arc::new(config.clone()));
    let judged = Gate::new(tools, reader, Standing::nothing(world().clock)).judge(&run, &call);
    let explained = explained(asked, surface, &config, &judged);
    if asked.json {
        serde_json::to_writer_pretty(&mut *out, &explained).map_err(std::io::Error::from)?;
        return Ok(writeln!(out)?);
    }
    Ok(print(&explained, out)?)
}

/// The settings with what was asked for in their place.
fn config(asked: &RulesCheck, mut config: Config) -> Result<Config, Error> {
    if let Some(mode) = &asked.mode {
        config.tools.approvals.mode = named::<ApprovalsMode>("--mode", mode, "off, ask or always")?;
    }
    if let Some(rule) = &asked.rule {
        let rule = named::<ApprovalRule>("--rule", rule, "allow, if_asked, ask, hand_off or never")?;
        config.tools.approvals.rules.insert(asked.tool.clone(), rule);
    }
    Ok(config)
}

fn named<T: DeserializeOwned>(option: &str, value: &str, choices: &str) -> Result<T, Error> {
    serde_json::from_value(Value::String(value.to_owned()))
        .map_err(|_| Error::invalid(format!("{option} is one of {choices}.")))
}

fn surface(name: &str) -> Result<Surface, Error> {
    let known = Surface::ALL.into_iter().find(|surface| surface.name() == name);
    known.ok_or_else(|| {
        let names: Vec<&str> = Surface::ALL.iter().map(|surface| surface.name()).collect();
        Error::invalid(format!("--surface is one of {}.", names.join(", ")))
    })
}

fn explained(asked: &RulesCheck, surface: Surface, config: &Config, judged: &Judged) -> Value {
    let approvals = &config.tools.approvals;
    let keys = [asked.tool.as_str(), judged.words.plugin.as_str()];
    let rule = keys.into_iter().find_map(|key| {
        let level = approvals.rules.get(key)?;
        let origin = approvals.rule_origins.get(key);
        Some(json!({ "key": key, "level": level, "origin": origin, "given_here": asked.rule.is_some() && key == asked.tool }))
    });
    let (decision, text, choices) = match &judged.verdict {
        Verdict::Run { .. } => ("run", None, Vec::new()),
        Verdict::Ask(question) => {
            ("ask", question.untrusted.clone().or_else(|| question.warning.clone()), question.choices.clone())
        }
        Verdict::HandOff(message) => ("hand_off", Some(message.clone()), Vec::new()),
        Verdict::Swap(tool) => ("swap", Some(tool.clone()), Vec::new()),
        Verdict::Note => ("note", None, Vec::new()),
        Verdict::Refuse(refusal) => ("refuse", Some(refusal.message.clone()), Vec::new()),
    };
    let labels: Vec<String> = choices.iter().map(|choice| label(*choice, approvals.grant_minutes)).collect();
    json!({
        "tool": asked.tool,
        "app": judged.words.app,
        "risk": judged.risk,
        "surface": surface.name(),
        "mode": approvals.mode,
        "rule": rule,
        "decision": decision,
        "check": format!("{:?}", judged.station),
        "because": judged.station.explanation(),
        "text": text,
        "choices": choices,
        "labels": labels,
    })
}

/// An answer as the card names it (contract section 2, "Scoped answers").
fn label(choice: Decision, minutes: u32) -> String {
    match choice {
        Decision::Allow => "Allow once".into(),
        Decision::AllowSession => "Allow for this chat".into(),
        Decision::AllowTask => "Allow for this task".into(),
        Decision::AllowTimed if minutes == 60 => "Allow for 1 hour".into(),
        Decision::AllowTimed => format!("Allow for {minutes} minutes"),
        Decision::AllowAlways => "Always allow".into(),
        Decision::Deny => "Deny".into(),
    }
}

fn print(explained: &Value, out: &mut impl Write) -> std::io::Result<()> {
    let text = |key: &str| explained[key].as_str().unwrap_or_default();
    let decision = match text("decision") {
        "run" => "runs",
        "ask" => "asks you first",
        "hand_off" => "is handed to you",
        "swap" => "goes to the trash instead",
        "note" => "is only noted",
        _ => "does not run",
    };
    writeln!(out, "{} {decision}: {}.", text("tool"), text("because"))?;
    writeln!(out, "  check    {}", text("check"))?;
    writeln!(out, "  surface  {}", text("surface"))?;
    writeln!(out, "  risk     {}", text("risk"))?;
    writeln!(out, "  mode     {}", text("mode"))?;
    if let Some(rule) = explained["rule"].as_object() {
        let (key, level) = (&rule["key"], &rule["level"]);
        let from = match (rule["given_here"].as_bool(), rule["origin"]["said"].as_str()) {
            (Some(true), _) => "as given here".to_owned(),
            (_, Some(said)) => format!("from your message: {said}"),
            _ => "from your settings".to_owned(),
        };
        writeln!(out, "  rule     tools.approvals.rules.{} = {} ({from})", plain(key), plain(level))?;
    }
    let labels = explained["labels"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !labels.is_empty() {
        let labels: Vec<String> = labels.iter().map(plain).collect();
        writeln!(out, "  answers  {}", labels.join(" | "))?;
    }
    if !text("text").is_empty() {
        writeln!(out, "  says     {}", text("text"))?;
    }
    Ok(())
}

fn plain(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(tool: &str) -> RulesCheck {
        RulesCheck {
            tool: tool.into(),
            arguments: Some(r#"{"name":"a.txt","content":"x"}"#.into()),
            surface: "window".into(),
            mode: None,
            rule: None,
            outside: None,
            said: None,
            json: true,
        }
    }

    fn checked(asked: &RulesCheck, config: &str) -> Value {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::write(super::super::config::file(home.path()), config).expect("written");
        let mut out = Vec::new();
        assert!(check(asked, home.path(), &mut out).is_ok());
        serde_json::from_slice(&out).expect("JSON")
    }

    #[test]
    fn what_decides_is_named() {
        let rule = "tools:\n  approvals:\n    rules:\n      files: ask\n";
        let with = |change: fn(&mut RulesCheck)| {
            let mut asked = asked("file_write");
            change(&mut asked);
            asked
        };
        for (name, asked, config, decision, check) in [
            ("the mode", with(|_| ()), "", "ask", "Mode"),
            ("mode off", with(|asked| asked.mode = Some("off".into())), "", "run", "Mode"),
            ("a rule of the app", with(|asked| asked.mode = Some("off".into())), rule, "ask", "AskRule"),
            ("a rule given here", with(|asked| asked.rule = Some("never".into())), rule, "refuse", "Never"),
            ("a script", with(|asked| asked.surface = "script".into()), "", "refuse", "Policy"),
            ("bad arguments", with(|asked| asked.arguments = None), "", "refuse", "Arguments"),
            ("handed over", with(|asked| asked.rule = Some("hand_off".into())), "", "hand_off", "HandOff"),
            ("no such tool", with(|asked| asked.tool = "nothing".into()), "", "refuse", "UnknownTool"),
        ] {
            let explained = checked(&asked, config);
            assert_eq!((&explained["decision"], &explained["check"]), (&json!(decision), &json!(check)), "{name}");
        }
        let explained = checked(&with(|_| ()), rule);
        assert_eq!(explained["rule"]["key"], "files");
        assert_eq!(explained["labels"], json!(["Allow once", "Allow for 1 hour", "Always allow", "Deny"]));
        let mut shown = Vec::new();
        assert!(print(&explained, &mut shown).is_ok());
        let shown = String::from_utf8(shown).expect("text");
        assert!(shown.starts_with("file_write asks you first: a lasting rule says ask.\n"), "{shown}");
        assert!(shown.contains("tools.approvals.rules.files = ask (from your settings)"), "{shown}");
    }

    #[test]
    fn what_cannot_be_meant_is_said() {
        for change in [
            (|asked: &mut RulesCheck| asked.surface = "moon".into()) as fn(&mut RulesCheck),
            |asked| asked.mode = Some("sometimes".into()),
            |asked| asked.rule = Some("perhaps".into()),
        ] {
            let mut asked = asked("file_write");
            change(&mut asked);
            let home = tempfile::tempdir().expect("a folder");
            let Err(Failure::Error(error)) = check(&asked, home.path(), &mut Vec::new()) else { panic!("refused") };
            assert!(error.message.contains("is one of"), "{}", error.message);
        }
    }
}
