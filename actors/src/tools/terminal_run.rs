//! `terminal_run`: a command on this computer (contract section 18).

use super::arguments::{needed, words};
use super::{Description, Tool, ToolCtx};
use crate::terminal::Terminal;
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use rules::commands::target;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) struct TerminalRun {
    pub(super) terminal: Arc<Terminal>,
}

impl Tool for TerminalRun {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "terminal_run",
            plugin: "terminal",
            description: "Runs one command in a shell on the user's computer and returns its output and exit code. Each \
                          call is a new shell: nothing carries over between calls, and nothing the command starts goes \
                          on after it. There is no input and no screen. The user is asked before most commands.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "command": {
                        "type": "string",
                        "description": "The command line, as typed into a shell.",
                        "minLength": 1
                    },
                    "cwd": {
                        "type": "string",
                        "description": "The folder to run in: absolute, or relative to the default folder. Leave out for the default folder."
                    }
                },
                "required": ["command"],
                "additionalProperties": false
            }),
            risk: Risk::Exec,
            internal: false,
            allow_for_chat: false,
            untrusted_output: true,
        }
    }

    fn risk(&self, arguments: &Value) -> Option<Risk> {
        let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
        Some(self.terminal.risk(command, words(arguments, "cwd").as_deref()))
    }

    fn describe(&self, arguments: &Value) -> Description {
        let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
        let checked = self.terminal.check(command, words(arguments, "cwd").as_deref()).ok();
        Description {
            risk_label: Some("Runs a command".into()),
            target: checked.map(|checked| target(&checked.folder)),
        }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        let terminal = self.terminal.clone();
        async move {
            if let Err(outcome) = needed(&arguments, "command") {
                return outcome;
            }
            let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
            let result = terminal.run(command, words(&arguments, "cwd").as_deref(), &ctx).await;
            // A command that ran and failed is a result to read; only one that did not run is an error.
            let is_error = result.error.is_some();
            ToolOutcome { result: serde_json::to_value(result).unwrap_or_default(), is_error }
        }
        .boxed()
    }
}
