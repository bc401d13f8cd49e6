//! `folder_search` and `folder_read` (contract, tools.tsv, plugin `folders`). They are offered while a folder is added.

use super::app::PLUGIN;
use super::notes::FolderNotes;
use super::read::ReadAsk;
use super::search::FindAsk;
use crate::tools::{Tool, ToolCtx, arguments};
use arguments::{json, needed, outcome, wait, whole, words};
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::tools::{Progress, Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;
use storage::records::SessionRecord;

/// Largest offset and limit; beyond it JSON numbers lose their last digits.
const NUMBER_MAX: u64 = 1 << 52;
/// Pieces of one answer (contract section 22).
const RESULTS_MAX: u64 = 20;
/// Characters a part leaves for the names around it.
const FRAME_CHARS: usize = 1_500;

/// Both.
pub fn folder_tools(notes: FolderNotes) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(FolderSearch { notes: notes.clone() }), Arc::new(FolderRead { notes })]
}

struct FolderSearch {
    notes: FolderNotes,
}

struct FolderRead {
    notes: FolderNotes,
}

fn spec(name: &'static str, description: &'static str, parameters: Value) -> ToolSpec {
    ToolSpec {
        name,
        plugin: PLUGIN,
        description,
        parameters,
        risk: Risk::Read,
        internal: false,
        allow_for_chat: true,
        // Notes are the person's own words; a result with a clipped page says so itself.
        untrusted_output: false,
    }
}

fn everywhere() -> Value {
    json!({
        "type": "boolean",
        "description": "Also folders the user keeps for other chats; only when the user asks for that.",
        "default": false
    })
}

impl Tool for FolderSearch {
    fn spec(&self) -> ToolSpec {
        spec(
            "folder_search",
            "Searches the user's own notes and documents in the folders they added, by words and by meaning. Use it when \
             something the user wrote down could answer.",
            json!({
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "What to look for, in a few telling words.",
                        "minLength": 1,
                        "maxLength": 1000
                    },
                    "folder": {
                        "type": "string",
                        "description": "Name or id of one folder; empty searches all of them.",
                        "default": "",
                        "maxLength": 300
                    },
                    "limit": {
                        "type": "integer",
                        "description": "Pieces to give at most; 0 gives the usual number.",
                        "default": 0,
                        "minimum": 0,
                        "maximum": RESULTS_MAX
                    },
                    "everywhere": everywhere()
                },
                "required": ["query"],
                "additionalProperties": false
            }),
        )
    }

    fn is_offered(&self) -> bool {
        self.notes.any()
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        let notes = self.notes.clone();
        async move { outcome(search(notes, arguments, ctx).await) }.boxed()
    }
}

async fn search(notes: FolderNotes, arguments: Value, ctx: ToolCtx) -> Result<Value, ToolOutcome> {
    let query = needed(&arguments, "query")?;
    ctx.progress(Progress::status("Looking through your folders".to_owned()));
    let ask = FindAsk {
        query,
        folder: words(&arguments, "folder").unwrap_or_default(),
        limit: whole(&arguments, "limit", 0, (0, RESULTS_MAX)) as usize,
        scope: notes.scope_of(&ctx)?,
        everywhere: arguments["everywhere"].as_bool().unwrap_or_default(),
    };
    json(&wait(&ctx, notes.find(ask)).await?)
}

impl Tool for FolderRead {
    fn spec(&self) -> ToolSpec {
        spec(
            "folder_read",
            "Reads one whole note or document from the user's folders, part by part. When `more` is true, call it again \
             with `offset` set to `next_offset`.",
            json!({
                "type": "object",
                "properties": {
                    "path": {
                        "type": "string",
                        "description": "`file` or `path` of a folder_search result, or folder name and path.",
                        "minLength": 1,
                        "maxLength": 4096
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
                    },
                    "everywhere": everywhere()
                },
                "required": ["path"],
                "additionalProperties": false
            }),
        )
    }

    fn is_offered(&self) -> bool {
        self.notes.any()
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        let notes = self.notes.clone();
        async move { outcome(read(notes, arguments, ctx).await) }.boxed()
    }
}

async fn read(notes: FolderNotes, arguments: Value, ctx: ToolCtx) -> Result<Value, ToolOutcome> {
    let path = needed(&arguments, "path")?;
    let fits = ctx.result_limit.saturating_sub(FRAME_CHARS).max(1);
    let limit = match whole(&arguments, "limit", 0, (0, NUMBER_MAX)) {
        0 => fits,
        limit => usize::try_from(limit).unwrap_or(usize::MAX).min(fits),
    };
    let mut ask = ReadAsk {
        path,
        offset: usize::try_from(whole(&arguments, "offset", 0, (0, NUMBER_MAX))).unwrap_or(usize::MAX),
        limit,
        scope: notes.scope_of(&ctx)?,
        everywhere: arguments["everywhere"].as_bool().unwrap_or_default(),
    };
    loop {
        let part = json(&wait(&ctx, notes.read(ask.clone())).await?)?;
        // Line breaks and signs take more room in JSON than in the text: read less until all of it fits.
        if ask.limit <= 1 || part.to_string().chars().count() <= ctx.result_limit {
            return Ok(part);
        }
        ask.limit /= 2;
    }
}

impl FolderNotes {
    /// The scope of the run a call is part of; `None` for work that is tied to no chat.
    fn scope_of(&self, ctx: &ToolCtx) -> Result<Option<String>, ToolOutcome> {
        let Some(session) = &ctx.session_id else { return Ok(None) };
        let unreadable = |error: storage::StoreError| ToolOutcome::error(protocol::Error::from(error).detail());
        let record = self.store.snapshot().and_then(|snapshot| snapshot.get::<SessionRecord>(session));
        let own = record.map_err(unreadable)?.and_then(|record| record.memory_scope);
        Ok(Some(rules::memory::scope::of_run(own.as_deref(), None)))
    }
}
