//! `file_list`: which files there are in the files folder. Names only; it opens none of them.

use super::arguments::{file_name, outcome, wait, words};
use super::{Tool, ToolCtx};
use crate::ports::FilesPort;
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) struct FileList {
    pub(super) files: Arc<dyn FilesPort>,
}

impl Tool for FileList {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "file_list",
            plugin: "files",
            description: "Lists the files in the assistant's files folder with their sizes: uploads, saved charts, \
                          saved results and notes. Use the names it gives with file_read.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "subdir": {
                        "type": "string",
                        "description": "Only files in this folder, for example uploads; leave out for all.",
                        "default": "",
                        "maxLength": 400
                    }
                },
                "required": [],
                "additionalProperties": false
            }),
            risk: Risk::Read,
            internal: false,
            allow_for_chat: true,
            untrusted_output: false,
        }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        let folder = words(&arguments, "subdir").map(|text| file_name(&text)).unwrap_or_default();
        let folder = folder.trim_matches('/').to_owned();
        let folder = if folder == "." || folder == "files" { String::new() } else { folder };
        let listing = self.files.list(folder);
        async move {
            let rows = wait(&ctx, listing).await;
            outcome(rows.map(|rows| {
                rows.into_iter().map(|row| json!({ "name": row.name, "bytes": row.bytes })).collect::<Vec<_>>().into()
            }))
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{self, FakeFiles};
    use super::*;

    #[tokio::test]
    async fn files_are_listed_with_their_sizes() {
        let files = FakeFiles::with(&[("notes.txt", "hello"), ("uploads/a.txt", "ab"), ("uploads/b/c.txt", "")]);
        let tool = FileList { files };
        let all = json!([
            {"name": "notes.txt", "bytes": 5}, {"name": "uploads/a.txt", "bytes": 2}, {"name": "uploads/b/c.txt", "bytes": 0}
        ]);
        let uploads = json!([{"name": "uploads/a.txt", "bytes": 2}, {"name": "uploads/b/c.txt", "bytes": 0}]);
        for (subdir, want) in
            [("", &all), (".", &all), ("files/", &all), ("uploads", &uploads), ("files/uploads/", &uploads)]
        {
            let answer = tool.run(json!({ "subdir": subdir }), fakes::ctx()).await;
            assert_eq!((&answer.result, answer.is_error), (want, false), "{subdir}");
        }
        assert!(tool.run(json!({ "subdir": "nowhere" }), fakes::ctx()).await.is_error);
    }
}
