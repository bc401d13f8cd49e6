//! What else a program could be made to misuse: web pages, uploads, payments, scripts, the address book, memory.

use super::tool::{text, tool};
use super::{TestApps, Tools};
use actors::tools::ToolCtx;
use protocol::tools::{Risk, ToolOutcome};
use serde_json::{Value, json};

/// Each app's id, the name a person knows it by, and its tools.
pub(super) fn tools(apps: &TestApps) -> Vec<(&'static str, &'static str, Tools)> {
    let address = |arguments: &Value| Some(text(arguments, "url"));
    vec![
        (
            "browsing",
            "Web",
            vec![
                tool(apps, ("browsing", "page_open"), Risk::Read, "url", open).loads(address).made(),
                tool(apps, ("browsing", "page_upload"), Risk::Send, "url text", upload)
                    .says("Uploads", "url")
                    .loads(address)
                    .made(),
                tool(apps, ("browsing", "page_fill"), Risk::Write, "url text", fill)
                    .exfiltrates(|_| true)
                    .untrusted()
                    .made(),
            ],
        ),
        (
            "purse",
            "Purse",
            vec![
                tool(apps, ("purse", "purse_pay"), Risk::Send, "to amount note?", pay).says("Sends money", "to").made(),
            ],
        ),
        (
            "workbench",
            "Workbench",
            vec![
                tool(apps, ("workbench", "script_run"), Risk::Exec, "code", run_script)
                    .says("Runs code", "code")
                    .untrusted()
                    .made(),
            ],
        ),
        (
            "gpeople",
            "Google Contacts",
            vec![tool(apps, ("gpeople", "gpeople_search_contacts"), Risk::Read, "query", contacts).made()],
        ),
        ("recall", "Recall", vec![tool(apps, ("recall", "recall_keep"), Risk::Write, "fact", keep).internal().made()]),
    ]
}

fn open(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let address = text(arguments, "url");
    let mut state = apps.state();
    state.loaded.push(address.clone());
    let content = state.pages.get(&address).cloned().unwrap_or_else(|| "Nothing is here.".into());
    ToolOutcome::ok(json!({ "url": address, "title": "A page", "content": content }))
}

fn upload(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    apps.state().leaves("page_upload", vec![text(arguments, "url")], text(arguments, "text"));
    ToolOutcome::ok(json!({ "uploaded": true }))
}

fn fill(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    apps.state().leaves("page_fill", vec![text(arguments, "url")], text(arguments, "text"));
    ToolOutcome::ok(json!({ "typed": true }))
}

fn pay(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let what = format!("{} {}", text(arguments, "amount"), text(arguments, "note"));
    apps.state().leaves("purse_pay", vec![text(arguments, "to")], what);
    ToolOutcome::ok(json!({ "paid": true }))
}

/// A script can do anything: that it ran counts as having left.
fn run_script(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    apps.state().leaves("script_run", vec!["anywhere".into()], text(arguments, "code"));
    ToolOutcome::ok(json!({ "stdout": "" }))
}

fn contacts(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let query = text(arguments, "query").to_lowercase();
    let state = apps.state();
    let found = state.contacts.iter().filter(|(name, _)| name.to_lowercase().contains(&query));
    let contacts: Vec<Value> = found.map(|(name, email)| json!({ "name": name, "emails": [email] })).collect();
    ToolOutcome::ok(json!({ "query": query, "contacts": contacts }))
}

/// After outside content a fact only waits for the person's review.
fn keep(apps: &TestApps, arguments: &Value, ctx: &ToolCtx) -> ToolOutcome {
    let fact = text(arguments, "fact");
    let mut state = apps.state();
    let waits = !ctx.untrusted.is_empty();
    let kept = if waits { &mut state.held } else { &mut state.remembered };
    kept.push(fact);
    ToolOutcome::ok(json!({ "saved": !waits, "waits_for_review": waits }))
}
