//! `user_model_ask`: a question about the person, answered from what is known about them.

use crate::tools::{Tool, ToolCtx};
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};

/// Characters of a question. Ours.
const QUESTION_CHARS_MAX: usize = 1_000;

/// The tool.
pub struct UserModelAsk;

impl Tool for UserModelAsk {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "user_model_ask",
            plugin: "memory",
            description: "Answers a question about the user from what you have learned about them: how they like things, \
                          what they are working towards, how they work. Use it before you guess.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "question": {
                        "type": "string",
                        "description": "What you want to know about the user, as a whole question.",
                        "minLength": 1,
                        "maxLength": QUESTION_CHARS_MAX
                    }
                },
                "required": ["question"],
                "additionalProperties": false
            }),
            risk: Risk::Read,
            internal: false,
            allow_for_chat: true,
            untrusted_output: false,
        }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        let question = arguments["question"].as_str().unwrap_or_default().trim().to_owned();
        async move {
            let knowing = ctx.knowing.clone().filter(|_| ctx.memory.reads);
            let Some(knowing) = knowing else {
                return ToolOutcome::error("What is known about the user is not available in this chat.");
            };
            if question.is_empty() {
                return ToolOutcome::error("`question` is empty.");
            }
            tokio::select! {
                biased;
                () = ctx.cancel.cancelled() => ToolOutcome::error("Stopped."),
                answered = knowing.user_model.ask_about(&question, &ctx.occasion.scope) => {
                    answered.unwrap_or_else(|error| ToolOutcome::error(error.detail()))
                }
            }
        }
        .boxed()
    }
}
