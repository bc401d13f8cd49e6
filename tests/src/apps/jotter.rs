//! Jotter, a notes app: look, write, share, publish, throw away, bring back.

use super::tool::{addresses, missing, text, tool};
use super::{Item, Note, Place, TestApps, Tools};
use actors::tools::ToolCtx;
use protocol::tools::{Risk, ToolOutcome};
use serde_json::{Value, json};

const APP: &str = "jotter";

pub(super) fn tools(apps: &TestApps) -> Tools {
    vec![
        tool(apps, (APP, "jotter_search"), Risk::Read, "query?", search).made(),
        tool(apps, (APP, "jotter_read_note"), Risk::Read, "note_id", read).made(),
        tool(apps, (APP, "jotter_write_note"), Risk::Write, "title text", write).made(),
        tool(apps, (APP, "jotter_share_note"), Risk::Send, "note_id recipients[]", share)
            .says("Shares", "recipients")
            .made(),
        tool(apps, (APP, "jotter_publish_note"), Risk::Send, "note_id", publish)
            .says("Posts publicly", "note_id")
            .made(),
        tool(apps, (APP, "jotter_trash_note"), Risk::Write, "note_id", trash).made(),
        tool(apps, (APP, "jotter_delete_note"), Risk::Send, "note_id", delete).says("Deletes", "note_id").made(),
        tool(apps, (APP, "jotter_restore_note"), Risk::Write, "note_id", restore).made(),
    ]
}

fn search(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let query = text(arguments, "query").to_lowercase();
    let state = apps.state();
    let here = state.notes.iter().filter(|(_, item)| item.place == Place::Here);
    let found =
        here.filter(|(_, item)| format!("{} {}", item.thing.title, item.thing.text).to_lowercase().contains(&query));
    let notes: Vec<Value> = found.map(|(id, item)| json!({ "id": id, "title": item.thing.title })).collect();
    ToolOutcome::ok(json!({ "notes": notes }))
}

fn with_note(
    apps: &TestApps,
    arguments: &Value,
    then: impl FnOnce(&str, &mut Item<Note>) -> ToolOutcome,
) -> ToolOutcome {
    let id = text(arguments, "note_id");
    apps.state().notes.get_mut(&id).map_or_else(|| missing("note"), |item| then(&id, item))
}

fn read(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    with_note(apps, arguments, |id, item| {
        ToolOutcome::ok(json!({ "id": id, "title": item.thing.title, "text": item.thing.text }))
    })
}

fn write(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let id = apps.state().add_note(&text(arguments, "title"), &text(arguments, "text"));
    ToolOutcome::ok(json!({ "saved": true, "id": id }))
}

fn share(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let mut state = apps.state();
    let Some(item) = state.notes.get(&text(arguments, "note_id")) else { return missing("note") };
    let whole = format!("{}\n{}", item.thing.title, item.thing.text);
    state.leaves("jotter_share_note", addresses(arguments, "recipients"), whole);
    ToolOutcome::ok(json!({ "shared": true }))
}

fn publish(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let mut state = apps.state();
    let Some(item) = state.notes.get(&text(arguments, "note_id")) else { return missing("note") };
    let whole = format!("{}\n{}", item.thing.title, item.thing.text);
    state.leaves("jotter_publish_note", vec!["everybody".into()], whole);
    ToolOutcome::ok(json!({ "published": true }))
}

fn trash(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    with_note(apps, arguments, |id, item| {
        item.place = Place::Trash;
        ToolOutcome::ok(json!({ "trashed": true, "id": id }))
    })
}

fn delete(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let id = text(arguments, "note_id");
    match apps.state().notes.remove(&id) {
        Some(_) => ToolOutcome::ok(json!({ "deleted": true, "id": id })),
        None => missing("note"),
    }
}

fn restore(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    with_note(apps, arguments, |id, item| {
        item.place = Place::Here;
        ToolOutcome::ok(json!({ "restored": true, "id": id }))
    })
}
