//! One tool of a test app, from a table of what it declares and a function that does it.

use super::TestApps;
use actors::tools::{Description, Tool, ToolCtx};
use futures::future::{BoxFuture, FutureExt, ready};
use protocol::tools::{Destination, Risk, ToolOutcome, ToolSpec};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Does the call.
type Act = fn(&TestApps, &Value, &ToolCtx) -> ToolOutcome;
/// Finds out where a reply goes.
type GoesTo = fn(&TestApps, &Value) -> Result<Vec<Destination>, String>;
/// Reads something of the arguments.
type Reads<T> = fn(&Value) -> T;

#[derive(Clone)]
pub(super) struct AppTool {
    apps: TestApps,
    spec: ToolSpec,
    act: Act,
    label: Option<&'static str>,
    /// The argument the card names.
    target: Option<&'static str>,
    exfiltrates: Reads<bool>,
    url: Reads<Option<String>>,
    destinations: Option<GoesTo>,
}

/// A tool as it is declared: `arguments` are names of texts, `name?` may be left out, `name[]` is a list of texts.
pub(super) fn tool(
    apps: &TestApps,
    (plugin, name): (&'static str, &'static str),
    risk: Risk,
    arguments: &str,
    act: Act,
) -> AppTool {
    let spec = ToolSpec {
        name,
        plugin,
        description: "A tool of the test apps.",
        parameters: schema(arguments),
        risk,
        internal: false,
        allow_for_chat: true,
        untrusted_output: risk == Risk::Read,
    };
    let (exfiltrates, url): (Reads<bool>, Reads<Option<String>>) = (|_| false, |_| None);
    AppTool { apps: apps.clone(), spec, act, label: None, target: None, exfiltrates, url, destinations: None }
}

fn schema(arguments: &str) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for argument in arguments.split_whitespace() {
        let name = argument.trim_end_matches(['?', '[', ']']);
        let text = json!({ "type": "string", "description": format!("The {name}.") });
        let list = json!({ "type": "array", "items": { "type": "string" }, "description": format!("The {name}.") });
        properties.insert(name.into(), if argument.contains('[') { list } else { text });
        if !argument.ends_with('?') {
            required.push(name.to_owned());
        }
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

impl AppTool {
    /// What the card says: the kind of act, and the argument it names.
    pub(super) fn says(mut self, label: &'static str, target: &'static str) -> Self {
        (self.label, self.target) = (Some(label), Some(target));
        self
    }

    pub(super) fn exfiltrates(mut self, when: Reads<bool>) -> Self {
        self.exfiltrates = when;
        self
    }

    pub(super) fn loads(mut self, url: Reads<Option<String>>) -> Self {
        self.url = url;
        self
    }

    pub(super) fn goes_to(mut self, to: GoesTo) -> Self {
        self.destinations = Some(to);
        self
    }

    pub(super) fn internal(mut self) -> Self {
        self.spec.internal = true;
        self
    }

    /// Its result holds what others wrote although it is no look-up.
    pub(super) fn untrusted(mut self) -> Self {
        self.spec.untrusted_output = true;
        self
    }

    pub(super) fn made(self) -> Arc<dyn Tool> {
        Arc::new(self)
    }
}

impl Tool for AppTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn describe(&self, arguments: &Value) -> Description {
        let target = self.target.map(|name| text(arguments, name)).filter(|target| !target.is_empty());
        Description { risk_label: self.label.map(str::to_owned), target }
    }

    fn url(&self, arguments: &Value) -> Option<String> {
        (self.url)(arguments)
    }

    fn exfiltrates(&self, arguments: &Value) -> bool {
        (self.exfiltrates)(arguments)
    }

    fn destinations(&self, arguments: &Value) -> Option<BoxFuture<'static, Result<Vec<Destination>, String>>> {
        let to = self.destinations?;
        Some(ready(to(&self.apps, arguments)).boxed())
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        ready((self.act)(&self.apps, &arguments, &ctx)).boxed()
    }
}

/// An argument as text: a list is joined.
pub(super) fn text(arguments: &Value, name: &str) -> String {
    match &arguments[name] {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

/// The addresses in an argument.
pub(super) fn addresses(arguments: &Value, name: &str) -> Vec<String> {
    text(arguments, name).split([',', ';']).map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect()
}

pub(super) fn missing(what: &str) -> ToolOutcome {
    ToolOutcome::error(format!("There is no such {what}."))
}
