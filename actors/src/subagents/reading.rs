//! The typed reader: a look-up runs in code, its result is read by a model without tools, and code keeps the fields
//! (`rules::reader`).

use super::begin::{Begin, Job, NewHelper};
use super::end::Outcome;
use super::offered::PLUGIN;
use super::parent::Parent;
use crate::completion::{Ask, Who, complete};
use crate::gate::{Call, Run, effective_risk};
use crate::tools::{Tool, ToolCtx};
use protocol::config::{ApprovalRule, Config};
use protocol::engine::ModelJob;
use protocol::subagents::{ProgressMessage, ProgressType, SubagentKind, SubagentStatus};
use protocol::tools::{Risk, ToolOutcome};
use rules::gate::{Surface, Verdict};
use rules::reader::{self, Field};
use runtime::Outside;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::{Duration, timeout};
use tokio_util::sync::CancellationToken;

/// How long the role may take to store the beginning, the look-up itself, and the model's answer in tokens. Ours.
const BEGIN_WAIT: Duration = Duration::from_secs(30);
const LOOK_UP_MAX: Duration = Duration::from_secs(120);
const ANSWER_TOKENS_MAX: u32 = 2_000;

/// What was read.
struct Found {
    fields: Map<String, Value>,
    /// Whose words may be in it.
    outside: Option<String>,
}

/// Where a reading leaves what it found.
type Read = Arc<Mutex<Option<Found>>>;

/// One reading that may happen.
struct Reading {
    parent: Arc<Parent>,
    tool: Arc<dyn Tool>,
    arguments: Value,
    fields: Vec<Field>,
    /// The app's name.
    source: String,
    ctx: ToolCtx,
    read: Read,
}

/// Runs one `read_with_reader` call.
pub(super) async fn read(parent: Arc<Parent>, arguments: &Value, ctx: ToolCtx) -> ToolOutcome {
    let fields = match reader::fields(&arguments["fields"]) {
        Ok(fields) => fields,
        Err(why) => return ToolOutcome::error(why),
    };
    let name = arguments["tool"].as_str().unwrap_or_default();
    let given = arguments.get("arguments").cloned().unwrap_or_else(|| json!({}));
    let (tool, given) = match admitted(&parent, name, &given) {
        Ok(admitted) => admitted,
        Err(why) => return ToolOutcome::error(why),
    };
    let source = parent.parts.tools.plugin_display_name(tool.spec().plugin);
    let read = Read::default();
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let kinds: Map<String, Value> = fields.iter().map(|field| (field.name.clone(), field.kind.name().into())).collect();
    let new = NewHelper {
        session_id: parent.record.id.clone(),
        parent_call_id: parent.call_id.clone(),
        goal: format!("Read {source} for: {}", names.join(", ")),
        kind: SubagentKind::Reader,
        background: false,
        first: Some(ProgressMessage::new(ProgressType::Info, Value::Object(kinds).to_string())),
    };
    let (role, cancel) = (parent.parts.subagents.clone(), ctx.cancel.clone());
    let reading = Reading { parent, tool, arguments: given, fields, source: source.clone(), ctx, read: read.clone() };
    let begin = Begin { new, call: cancel.clone(), job: job(reading, cancel) };
    let begun = match role.ask(&Outside::within(BEGIN_WAIT), begin).await {
        Ok(begun) => begun,
        Err(error) => return ToolOutcome::error(error.detail()),
    };
    let Ok(record) = begun.ended.await else {
        return ToolOutcome::error("The reader was cut off. Try again.");
    };
    let found = read.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (record.status, found) {
        (SubagentStatus::Completed, Some(Found { fields, outside })) => {
            let mut result = Map::new();
            if let Some(outside) = outside {
                result.insert("outside_content".into(), outside.into());
            }
            result.insert("source".into(), source.into());
            result.insert("fields".into(), fields.into());
            result.insert("subagent_id".into(), record.id.0.into());
            ToolOutcome::ok(result.into())
        }
        (SubagentStatus::Cancelled, _) => ToolOutcome::error("The reader was stopped."),
        _ => ToolOutcome::error(record.error.unwrap_or_else(|| "The reader gave no answer.".into())),
    }
}

/// The tool and its arguments, when the reader may use it (contract section 10, "Refused").
fn admitted(parent: &Parent, name: &str, given: &Value) -> Result<(Arc<dyn Tool>, Value), String> {
    let tool = parent.parts.tools.get(name).ok_or_else(|| format!("There is no tool called `{name}`."))?;
    let spec = tool.spec();
    if spec.plugin == PLUGIN {
        return Err("A reader cannot start helpers or other readers.".into());
    }
    if parent.memory.withholds(name) {
        return Err("This chat does not use what Sentient knows about the user.".into());
    }
    let arguments = rules::tool_repair::arguments(&given.to_string(), &spec.parameters)
        .map_err(|error| rules::tool_repair::invalid_arguments(name, &error))?;
    if effective_risk(tool.as_ref(), &arguments) != Risk::Read || tool.exfiltrates(&arguments) {
        return Err(format!("The reader only looks things up, and {name} does more than that."));
    }
    if let Some(rule) = holding_rule(&parent.parts.config(), name, spec.plugin) {
        return Err(format!("{name} is set to \"{rule}\", so the reader does not use it. Call it directly."));
    }
    let run = Run {
        session_id: Some(&parent.record.id),
        outside: parent.record.untrusted.as_deref(),
        visited_hosts: parent.record.visited_hosts.as_deref().unwrap_or_default(),
        words: &parent.words,
        unprompted: parent.unprompted,
        memory: parent.memory,
        ..Run::on(Surface::Subagent)
    };
    let judged = parent.parts.gate.judge(&run, &Call::new(name, &arguments));
    match &judged.verdict {
        Verdict::Run { .. } => Ok((tool, arguments)),
        Verdict::Refuse(refusal) => Err(refusal.message().to_owned()),
        _ => Err(format!("{name} cannot be used by the reader. Call it directly.")),
    }
}

/// A lasting rule that keeps the reader from a tool, in the words of Settings.
fn holding_rule(config: &Config, name: &str, plugin: &str) -> Option<&'static str> {
    let rules = &config.tools.approvals.rules;
    match rules.get(name).or_else(|| rules.get(plugin))? {
        ApprovalRule::Ask => Some("Ask"),
        ApprovalRule::IfAsked => Some("Only if I asked"),
        ApprovalRule::HandOff => Some("Hand it to me"),
        ApprovalRule::Never => Some("Never"),
        ApprovalRule::Allow => None,
    }
}

fn job(reading: Reading, with_call: CancellationToken) -> Job {
    Box::new(move |_, cancel| {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Outcome::cancelled(),
                () = with_call.cancelled() => Outcome::cancelled(),
                outcome = look_and_read(reading) => outcome,
            }
        })
    })
}

/// Fails closed: whatever goes wrong, nothing of the document comes back.
async fn look_and_read(reading: Reading) -> Outcome {
    let Reading { parent, tool, arguments, fields, source, mut ctx, read } = reading;
    ctx.parent = None; // the look-up is a part of this call: it starts nothing itself
    let found = match timeout(LOOK_UP_MAX, tool.run(arguments.clone(), ctx)).await {
        Ok(found) => found,
        Err(_) => return Outcome::failed(format!("{source} did not answer in time.")),
    };
    if found.is_error {
        let why = found.result["error"].as_str().unwrap_or("The look-up failed.");
        return Outcome::failed(rules::subagents::cut(why, 500).0);
    }
    let outside = outside_source(tool.as_ref(), &arguments, &found, &source);
    let document = reader::document(&rules::results::text(&found.result));
    let marked = parent.parts.marks.mark(&document, outside.as_deref().unwrap_or(&source));
    let ask = Ask {
        question: reader::question(&fields, &marked),
        job: ModelJob::Chat,
        output_tokens_max: ANSWER_TOKENS_MAX,
        who: Who::Reader { chat_model: parent.record.model.clone() },
        then: Vec::new(),
    };
    let said = match complete(&parent.parts, &parent.world, ask).await {
        Ok(said) => said,
        Err(error) => return Outcome::failed(error.detail()),
    };
    let Some(values) = reader::answer(&fields, &said, &document) else {
        return Outcome::failed(
            "The reader's answer could not be used. Ask for fewer fields, or call the tool directly.",
        );
    };
    let outside = outside.filter(|_| reader::carries_words(&fields, &values));
    let summary = Value::Object(values.clone()).to_string();
    *read.lock().unwrap_or_else(PoisonError::into_inner) = Some(Found { fields: values, outside });
    Outcome::completed(summary)
}

/// Whose words the look-up brought, if somebody else's.
fn outside_source(tool: &dyn Tool, arguments: &Value, found: &ToolOutcome, app: &str) -> Option<String> {
    let said_so = found.result["outside_content"].as_str().map(str::to_owned);
    said_so
        .or_else(|| tool.outside_source(arguments, &found.result))
        .or_else(|| tool.spec().untrusted_output.then(|| app.to_owned()))
}
