//! `file_write`: saves a text file in the files folder. It cannot name a place outside it; the port refuses to.

use super::arguments::{file_name, needed, outcome, wait, words};
use super::{Description, Tool, ToolCtx};
use crate::ports::FilesPort;
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;
use storage::records::SnapshotSource;

/// Characters of one file a model may write. Ours: far above what a model can say at once.
const CONTENT_CHARS_MAX: usize = 1_000_000;

pub(super) struct FileWrite {
    pub(super) files: Arc<dyn FilesPort>,
}

impl Tool for FileWrite {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "file_write",
            plugin: "files",
            description: "Saves a text file in the assistant's files folder. A file of the same name is replaced, so \
                          read it first when its content should be kept.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "name": {
                        "type": "string",
                        "description": "Name inside the files folder, for example notes/trip.md.",
                        "minLength": 1,
                        "maxLength": 400
                    },
                    "content": {
                        "type": "string",
                        "description": "The whole text of the file.",
                        "maxLength": CONTENT_CHARS_MAX
                    }
                },
                "required": ["name", "content"],
                "additionalProperties": false
            }),
            risk: Risk::Write,
            internal: false,
            allow_for_chat: true,
            untrusted_output: false,
        }
    }

    fn describe(&self, arguments: &Value) -> Description {
        Description { risk_label: None, target: words(arguments, "name").map(|name| file_name(&name)) }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        let files = self.files.clone();
        async move { outcome(write(files, arguments, ctx).await) }.boxed()
    }
}

async fn write(files: Arc<dyn FilesPort>, arguments: Value, ctx: ToolCtx) -> Result<Value, ToolOutcome> {
    let name = file_name(&needed(&arguments, "name")?);
    let content = arguments.get("content").and_then(Value::as_str);
    let content = content.ok_or_else(|| ToolOutcome::error("`content` is missing."))?;
    if content.chars().count() > CONTENT_CHARS_MAX {
        let message = format!("The text is longer than {CONTENT_CHARS_MAX} characters. Write it in several files.");
        return Err(ToolOutcome::error(message));
    }
    let place = files.place(name.clone()).await.ok().flatten();
    let kept = ctx.keep_files(SnapshotSource::File, &name, place.into_iter().collect()).await;
    let saved = wait(&ctx, files.write(name, content.as_bytes().to_vec())).await;
    kept.settle().await;
    let saved = saved?;
    Ok(json!({ "saved": saved.name, "path": saved.path, "bytes": saved.bytes }))
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{self, FakeFiles};
    use super::*;

    #[tokio::test]
    async fn a_file_is_saved_under_the_files_folder() {
        let files = FakeFiles::with(&[]);
        let tool = FileWrite { files: files.clone() };
        let arguments = json!({"name": "files/notes/trip.md", "content": "naïve\n"});
        assert_eq!(tool.describe(&arguments).target.as_deref(), Some("notes/trip.md"));
        let answer = tool.run(arguments, fakes::ctx()).await;
        let want = json!({"saved": "notes/trip.md", "path": "/files/notes/trip.md", "bytes": 7});
        assert_eq!(answer, ToolOutcome::ok(want));
        assert_eq!(files.text("notes/trip.md").as_deref(), Some("naïve\n"));
    }

    #[tokio::test]
    async fn what_cannot_be_written_is_explained() {
        let tool = FileWrite { files: FakeFiles::with(&[]) };
        for arguments in [
            json!({"name": "../x", "content": "a"}),
            json!({"name": "/etc/passwd", "content": "a"}),
            json!({"name": " ", "content": "a"}),
            json!({"name": "a.txt"}),
            json!({"name": "a.txt", "content": 5}),
            json!({"name": "a.txt", "content": "a".repeat(CONTENT_CHARS_MAX + 1)}),
        ] {
            let answer = tool.run(arguments.clone(), fakes::ctx()).await;
            assert!(answer.is_error && answer.result["error"].is_string(), "{:.80}", arguments.to_string());
        }
    }
}
