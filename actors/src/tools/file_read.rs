//! `file_read`: one part of a text file, sized so that the whole result fits what the model may read.
//!
//! A part is never cut again and never saved again: whatever follows is reached through `next_offset` (contract
//! section 10, "large results").

use super::arguments::{file_name, needed, outcome, wait, whole, words};
use super::{Tool, ToolCtx};
use crate::ports::{Documents, FilesPort, TextPart};
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

/// Bytes of a PDF that is read. Ours: the same as for a page from the web.
const PDF_BYTES_MAX: usize = 15 * 1024 * 1024;
/// Largest offset and limit; beyond it JSON numbers lose their last digits.
const NUMBER_MAX: u64 = 1 << 52;

pub(super) struct FileRead {
    pub(super) files: Arc<dyn FilesPort>,
    pub(super) documents: Arc<dyn Documents>,
}

impl Tool for FileRead {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "file_read",
            plugin: "files",
            description: "Reads a text file or PDF from the assistant's files folder, part by part. When `more` is \
                          true, call it again with `offset` set to `next_offset`.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "name": {
                        "type": "string",
                        "description": "Name inside the files folder as file_list shows it, for example \
                                        outputs/tool-1.txt.",
                        "minLength": 1,
                        "maxLength": 400
                    },
                    "offset": {
                        "type": "integer",
                        "description": "Character to start at.",
                        "default": 0,
                        "minimum": 0
                    },
                    "limit": {
                        "type": "integer",
                        "description": "Characters to read at most; 0 reads as much as fits.",
                        "default": 0,
                        "minimum": 0
                    }
                },
                "required": ["name"],
                "additionalProperties": false
            }),
            risk: Risk::Read,
            internal: false,
            allow_for_chat: true,
            untrusted_output: false,
        }
    }

    fn outside_source(&self, arguments: &Value, result: &Value) -> Option<String> {
        let name = file_name(&words(arguments, "name")?);
        let read_something = result.get("content")?.as_str().is_some_and(|content| !content.is_empty());
        read_something.then(|| rules::outside::saved_outside_source(&name).map(str::to_owned)).flatten()
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        let (files, documents) = (self.files.clone(), self.documents.clone());
        async move { outcome(read(files, documents, arguments, ctx).await) }.boxed()
    }
}

async fn read(
    files: Arc<dyn FilesPort>,
    documents: Arc<dyn Documents>,
    arguments: Value,
    ctx: ToolCtx,
) -> Result<Value, ToolOutcome> {
    let name = file_name(&needed(&arguments, "name")?);
    let offset = whole(&arguments, "offset", 0, (0, NUMBER_MAX));
    let limit = match whole(&arguments, "limit", 0, (0, NUMBER_MAX)) {
        0 => ctx.result_limit,
        // More than fits could not be shown anyway.
        limit => usize::try_from(limit).unwrap_or(usize::MAX).min(ctx.result_limit),
    };
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let part = if name.to_lowercase().ends_with(".pdf") {
        let bytes = wait(&ctx, files.read(name.clone(), PDF_BYTES_MAX)).await.map_err(|failed| named(failed, &name))?;
        let text = wait(&ctx, documents.pdf_text(bytes)).await.map_err(|failed| named(failed, &name))?;
        part_of(&text, start, limit)
    } else {
        wait(&ctx, files.read_text(name.clone(), start, limit)).await.map_err(|failed| named(failed, &name))?
    };
    Ok(fitted(&name, offset, part, ctx.result_limit))
}

/// Says in an error which file it is about.
fn named(mut failed: ToolOutcome, name: &str) -> ToolOutcome {
    if let Some(fields) = failed.result.as_object_mut() {
        fields.insert("name".to_owned(), name.into());
    }
    failed
}

/// A part of a text that is already here.
fn part_of(text: &str, offset: usize, limit: usize) -> TextPart {
    let total = text.chars().count();
    let content: String = text.chars().skip(offset).take(limit).collect();
    let more = offset.saturating_add(content.chars().count()) < total;
    TextPart { content, total: Some(total as u64), more: more && offset < total }
}

/// The result, with no more content than keeps all of it, as compact JSON, within `result_limit` characters. At least
/// one character stays, so that reading on always gets somewhere.
fn fitted(name: &str, offset: u64, mut part: TextPart, result_limit: usize) -> Value {
    // The frame around the content, with the longest numbers it can have.
    let frame = json!({
        "name": name, "offset": offset, "content": "", "total": u64::MAX, "more": false, "next_offset": u64::MAX,
    });
    let room = result_limit.saturating_sub(frame.to_string().chars().count());
    let kept = fitting_bytes(&part.content, room);
    if kept < part.content.len() {
        part.content.truncate(kept);
        part.more = true;
    }
    let mut result = json!({ "name": name, "offset": offset, "content": part.content, "more": part.more });
    if let Some(total) = part.total {
        result["total"] = total.into();
    }
    let read = part.content.chars().count() as u64;
    if part.more {
        result["next_offset"] = offset.saturating_add(read).into();
    } else if read == 0 && offset > 0 {
        result["note"] = match part.total {
            Some(total) => format!("There is nothing at this offset: the text has {total} characters."),
            None => "There is nothing at this offset: the text ends before it.".to_owned(),
        }
        .into();
    }
    result
}

/// How many bytes of `content` fit into `room` characters once written as a JSON string (RFC 8259 section 7), at least
/// its first character.
fn fitting_bytes(content: &str, room: usize) -> usize {
    let mut used = 0;
    for (at, c) in content.char_indices() {
        used += match c {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            c if (c as u32) < 0x20 => 6,
            _ => 1,
        };
        if used > room && at > 0 {
            return at;
        }
    }
    content.len()
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{self, FakeDocuments, FakeFiles};
    use super::*;

    fn tool(files: &[(&str, &str)]) -> FileRead {
        FileRead { files: FakeFiles::with(files), documents: Arc::new(FakeDocuments) }
    }

    #[tokio::test]
    async fn parts_of_a_small_file() {
        let tool = tool(&[("a.txt", "0123456789"), ("b.pdf", "pdf words"), ("empty.txt", "")]);
        for (arguments, want) in [
            (
                json!({"name": "a.txt"}),
                json!({"name": "a.txt", "offset": 0, "content": "0123456789", "total": 10, "more": false}),
            ),
            (
                json!({"name": "files/a.txt", "offset": 4, "limit": 3}),
                json!({"name": "a.txt", "offset": 4, "content": "456", "total": 10, "more": true, "next_offset": 7}),
            ),
            (
                json!({"name": "a.txt", "offset": 7, "limit": 3}),
                json!({"name": "a.txt", "offset": 7, "content": "789", "total": 10, "more": false}),
            ),
            (
                json!({"name": "a.txt", "offset": 50}),
                json!({"name": "a.txt", "offset": 50, "content": "", "total": 10, "more": false,
                       "note": "There is nothing at this offset: the text has 10 characters."}),
            ),
            (
                json!({"name": "b.pdf", "offset": 4}),
                json!({"name": "b.pdf", "offset": 4, "content": "words", "total": 9, "more": false}),
            ),
            (
                json!({"name": "empty.txt"}),
                json!({"name": "empty.txt", "offset": 0, "content": "", "total": 0, "more": false}),
            ),
        ] {
            assert_eq!(tool.run(arguments.clone(), fakes::ctx()).await, ToolOutcome::ok(want), "{arguments}");
        }
    }

    #[tokio::test]
    async fn reading_on_gets_every_character_and_no_part_is_too_long() {
        let nasty: String = ["plain ", "\"quoted\" ", "\\back\\ ", "line\n", "\u{1}\u{2}", "naïve ", "हिन्दी ", "🙂"]
            .iter()
            .cycle()
            .take(700)
            .copied()
            .collect();
        let tool = tool(&[("outputs/tool-1.txt", &nasty)]);
        for result_limit in [150, 1_500, 6_144, 16_000] {
            let ctx = ToolCtx { result_limit, ..fakes::ctx() };
            let (mut got, mut offset) = (String::new(), 0);
            loop {
                let answer = tool.run(json!({"name": "outputs/tool-1.txt", "offset": offset}), ctx.clone()).await;
                assert!(!answer.is_error);
                assert!(answer.result.to_string().chars().count() <= result_limit, "a part of {result_limit}");
                got.push_str(answer.result["content"].as_str().unwrap());
                if answer.result["more"] == false {
                    break;
                }
                let next = answer.result["next_offset"].as_u64().unwrap();
                assert!(next > offset, "it gets on");
                offset = next;
            }
            assert_eq!(got, nasty, "limit {result_limit}");
        }
    }

    #[test]
    fn a_tiny_limit_still_gets_on() {
        let part = TextPart { content: "abc".to_owned(), total: Some(3), more: false };
        let result = fitted("a.txt", 0, part, 10);
        assert_eq!((&result["content"], &result["next_offset"]), (&json!("a"), &json!(1)));
    }

    #[tokio::test]
    async fn what_cannot_be_read_says_which_file() {
        let tool = tool(&[("bad.pdf", "broken")]);
        for name in ["gone.txt", "../a.txt", "gone.pdf", "bad.pdf"] {
            let answer = tool.run(json!({ "name": name }), fakes::ctx()).await;
            assert!(answer.is_error && answer.result["error"].is_string(), "{name}");
            assert_eq!(answer.result["name"], name);
        }
    }

    #[test]
    fn saved_results_and_downloads_count_as_outside() {
        let tool = tool(&[]);
        let read = json!({"content": "words"});
        for (name, result, want) in [
            ("outputs/tool-1.txt", &read, Some("a saved tool result")),
            ("files/outputs/tool-1.txt", &read, Some("a saved tool result")),
            (r"files\outputs\tool-1.txt", &read, Some("a saved tool result")),
            ("downloads/x.pdf", &read, Some("a downloaded file")),
            ("notes.txt", &read, None),
            ("outputs/tool-1.txt", &json!({"content": ""}), None),
            ("outputs/tool-1.txt", &json!({"error": "gone"}), None),
        ] {
            assert_eq!(tool.outside_source(&json!({ "name": name }), result).as_deref(), want, "{name} {result}");
        }
    }
}
