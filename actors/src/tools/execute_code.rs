//! `execute_code`: a script in Python (contract section 11).

use super::arguments::needed;
use super::{Description, Tool, ToolCtx};
use crate::sandbox::{Sandbox, ScriptRun};
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

/// Characters of a purpose.
const PURPOSE_CHARS_MAX: usize = 300;

pub(super) struct ExecuteCode {
    pub(super) sandbox: Arc<Sandbox>,
}

impl Tool for ExecuteCode {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "execute_code",
            plugin: "code",
            description: "Runs a Python 3 script for calculations, data, files and charts, or to call many look-up tools at \
                          once. In the script, tools.NAME(argument=value) calls a tool and returns its result as Python \
                          data, tools.available() lists the names, and result(value) sets what you get back; print works \
                          too. Scripts only look things up: call tools that change or send something directly. Files \
                          written to the current folder are kept. There is no network and no access to the user's files \
                          except through tools.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "code": {
                        "type": "string",
                        "description": "The whole script, in Python 3.",
                        "minLength": 1
                    },
                    "purpose": {
                        "type": "string",
                        "description": "What the script is for, in a short sentence the user reads.",
                        "maxLength": PURPOSE_CHARS_MAX
                    }
                },
                "required": ["code", "purpose"],
                "additionalProperties": false
            }),
            risk: Risk::Exec,
            internal: false,
            allow_for_chat: true,
            untrusted_output: true,
        }
    }

    fn describe(&self, _: &Value) -> Description {
        // What holds a script here is told where it is decided about.
        Description { risk_label: None, target: self.sandbox.warning() }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        let sandbox = self.sandbox.clone();
        async move {
            if let Err(outcome) = needed(&arguments, "code") {
                return outcome;
            }
            let code = arguments.get("code").and_then(Value::as_str).unwrap_or_default().to_owned();
            let result = sandbox.run(ScriptRun { code, look_ups_only: false }, &ctx).await;
            let is_error = !result.ok;
            ToolOutcome { result: serde_json::to_value(result).unwrap_or_default(), is_error }
        }
        .boxed()
    }
}
