//! The tool calls of one script: each is put to the gate, at most so many run, and what they bring in is remembered.

use crate::gate::{Call, Gate, Run, host_of};
use crate::ports::{ScriptAnswer, ScriptCalls};
use crate::tools::{Registry, Tool, ToolCtx};
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::config::Config;
use rules::gate::{Surface, Verdict};
use serde_json::{Map, Value};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Apps whose tools no script may call, in any approvals mode (contract section 11).
const NEVER: [&str; 4] = ["subagents", "voice", "code", "terminal"];

/// One script's calls.
pub(super) struct Calls {
    pub(super) tools: Arc<Registry>,
    pub(super) config: watch::Receiver<Arc<Config>>,
    pub(super) gate: Gate,
    /// The surface: a script of a chat, or one that is only looked at again.
    pub(super) surface: Surface,
    pub(super) unprompted: bool,
    pub(super) calls_max: u32,
    pub(super) ctx: ToolCtx,
    pub(super) ran: AtomicU32,
    pub(super) seen: Mutex<Seen>,
}

/// What the chat and this script have read so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Whose content; empty when nobody's.
    pub(super) outside: String,
    pub(super) hosts: Vec<String>,
}

/// What a script's call comes to before it runs.
enum Way {
    Run(Arc<dyn Tool>),
    Refused(String),
}

impl Calls {
    fn held(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn judge(&self, name: &str, arguments: &Value) -> Way {
        let Some(tool) = self.tools.get(name) else {
            return Way::Refused(format!("There is no tool {name}. tools.available() lists them."));
        };
        let spec = tool.spec();
        if NEVER.contains(&spec.plugin) || self.is_hidden(name, spec.plugin) {
            return Way::Refused(format!("{name} cannot be called from a script. Call it directly."));
        }
        let problems = rules::schema_check::problems(arguments, &spec.parameters);
        let bad = (!problems.is_empty()).then(|| problems.join(" "));
        let seen = self.held().clone();
        let run = Run {
            unprompted: self.unprompted,
            outside: Some(seen.outside.as_str()).filter(|source| !source.is_empty()),
            visited_hosts: &seen.hosts,
            session_id: self.ctx.session_id.as_ref(),
            memory: self.ctx.memory,
            ..Run::on(self.surface)
        };
        let call = Call { bad_arguments: bad.as_deref(), ..Call::new(name, arguments) };
        let judged = self.gate.judge(&run, &call);
        match &judged.verdict {
            Verdict::Run { .. } => Way::Run(tool),
            Verdict::Refuse(refusal) => Way::Refused(refusal.message().to_owned()),
            // A script cannot wait for a person.
            _ => Way::Refused(format!("{name} needs the user's OK, and a script cannot ask. Call it directly.")),
        }
    }

    fn is_hidden(&self, name: &str, plugin: &str) -> bool {
        let hidden = crate::tools::hidden(&self.config.borrow());
        hidden.iter().any(|entry| entry == name || entry == plugin)
    }

    /// Counts a call, when it may still run.
    fn counted(&self) -> bool {
        let next = |count: u32| (count < self.calls_max).then_some(count + 1);
        self.ran.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }

    /// Remembers whose content a result holds, and where it was loaded from.
    fn remember(&self, tool: &dyn Tool, arguments: &Value, result: &Value) {
        let spec = tool.spec();
        let named = tool.outside_source(arguments, result);
        let source = named.or_else(|| spec.untrusted_output.then(|| self.tools.plugin_display_name(spec.plugin)));
        let host = tool.url(arguments).as_deref().and_then(host_of);
        let mut seen = self.held();
        if let Some(source) = source.filter(|_| seen.outside.is_empty()) {
            seen.outside = source;
        }
        if let Some(host) = host.filter(|host| !seen.hosts.contains(host)) {
            seen.hosts.push(host);
        }
    }

    async fn answer(self: Arc<Self>, name: String, arguments: Value) -> ScriptAnswer {
        let arguments = if arguments.is_null() { Value::Object(Map::new()) } else { arguments };
        let name = if name == "internet_search" { "web_search".to_owned() } else { name };
        let tool = match self.judge(&name, &arguments) {
            Way::Run(tool) => tool,
            Way::Refused(why) => return ScriptAnswer::Refused(why),
        };
        if !self.counted() {
            return ScriptAnswer::Refused(format!(
                "This script has made {} tool calls, which is as many as one may make.",
                self.calls_max
            ));
        }
        let mut ctx = self.ctx.clone();
        ctx.untrusted = self.held().outside.clone();
        let running = AssertUnwindSafe(tool.run(arguments.clone(), ctx)).catch_unwind();
        let Ok(outcome) = running.await else {
            return ScriptAnswer::Failed(format!("{name} failed because of a fault in Sentient."));
        };
        self.remember(tool.as_ref(), &arguments, &outcome.result);
        match failed(&outcome.result) {
            Some(error) => ScriptAnswer::Failed(error),
            None if outcome.is_error => ScriptAnswer::Failed(rules::results::text(&outcome.result)),
            None => ScriptAnswer::Result(outcome.result),
        }
    }
}

/// The `error` of a result that has one, when it says something.
fn failed(result: &Value) -> Option<String> {
    let error = result.get("error")?;
    let says = match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Bool(true) => true,
    };
    says.then(|| rules::results::text(error))
}

/// The calls of one script, shared with whoever runs it.
pub(super) struct Shared(pub(super) Arc<Calls>);

impl ScriptCalls for Shared {
    fn available(&self) -> Vec<String> {
        let nothing = Value::Object(Map::new());
        let names = self.0.tools.tools().iter().map(|tool| tool.spec().name);
        // Missing arguments are not what is asked here: only whether the gate would ever let it through.
        let open = |name: &&str| {
            let spec = self.0.tools.get(name).map(|tool| tool.spec());
            let off = spec.is_none_or(|spec| NEVER.contains(&spec.plugin) || self.0.is_hidden(spec.name, spec.plugin));
            !off && self.0.would_run(name, &nothing)
        };
        names.filter(open).map(str::to_owned).collect()
    }

    fn call(&self, name: String, arguments: Value) -> BoxFuture<'static, ScriptAnswer> {
        self.0.clone().answer(name, arguments).boxed()
    }
}

impl Calls {
    fn would_run(&self, name: &str, arguments: &Value) -> bool {
        let run = Run {
            unprompted: self.unprompted,
            session_id: self.ctx.session_id.as_ref(),
            memory: self.ctx.memory,
            ..Run::on(self.surface)
        };
        let judged = self.gate.judge(&run, &Call::new(name, arguments));
        matches!(judged.verdict, Verdict::Run { .. })
    }
}
