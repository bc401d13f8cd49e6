//! Postbox, a mailer: look, write, answer, pass on, throw away, bring back.

use super::tool::{addresses, missing, text, tool};
use super::{Item, Mail, OWN_ADDRESS, Place, TestApps, Tools};
use actors::tools::ToolCtx;
use protocol::tools::{Destination, DestinationWhy, Risk, ToolOutcome};
use serde_json::{Value, json};

const APP: &str = "postbox";

pub(super) fn tools(apps: &TestApps) -> Tools {
    vec![
        tool(apps, (APP, "postbox_search"), Risk::Read, "query?", search).made(),
        tool(apps, (APP, "postbox_read"), Risk::Read, "message_id", read).made(),
        tool(apps, (APP, "postbox_read_attachment"), Risk::Read, "message_id", read_attachment).made(),
        tool(apps, (APP, "postbox_send"), Risk::Send, "to subject body cc? bcc?", send).says("Sends", "to").made(),
        tool(apps, (APP, "postbox_reply"), Risk::Send, "message_id body reply_all?", reply)
            .goes_to(reply_targets)
            .made(),
        tool(apps, (APP, "postbox_forward"), Risk::Send, "message_id to note?", forward).says("Sends", "to").made(),
        tool(apps, (APP, "postbox_create_draft"), Risk::Write, "to subject body", draft).made(),
        tool(apps, (APP, "postbox_trash_email"), Risk::Send, "message_id", trash)
            .says("Moves to the trash", "message_id")
            .made(),
        tool(apps, (APP, "postbox_delete_email"), Risk::Send, "message_id", delete)
            .says("Deletes", "message_id")
            .made(),
        tool(apps, (APP, "postbox_restore_email"), Risk::Write, "message_id", restore).made(),
    ]
}

/// A mail as mail apps give it, shortened in a list.
fn shown(id: &str, mail: &Mail, whole: bool) -> Value {
    let body: String = if whole { mail.body.clone() } else { mail.body.chars().take(80).collect() };
    let mut item = json!({
        "id": id,
        "from": mail.from,
        "sender_email": address_of(&mail.from),
        "to": mail.to.join(", "),
        "subject": mail.subject,
        if whole { "body" } else { "snippet" }: body,
    });
    for (name, value) in [("cc", mail.cc.join(", ")), ("reply_to", mail.reply_to.clone())] {
        if whole && !value.is_empty() {
            item[name] = value.into();
        }
    }
    item
}

/// The address in `Name <address>`.
fn address_of(from: &str) -> &str {
    from.split_once('<').map_or(from, |(_, rest)| rest.trim_end_matches('>')).trim()
}

fn search(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let query = text(arguments, "query").to_lowercase();
    let state = apps.state();
    let here = state.mails.iter().filter(|(_, item)| item.place == Place::Here);
    let found = here.filter(|(_, item)| {
        let mail = &item.thing;
        format!("{} {} {}", mail.from, mail.subject, mail.body).to_lowercase().contains(&query)
    });
    let messages: Vec<Value> = found.map(|(id, item)| shown(id, &item.thing, false)).collect();
    ToolOutcome::ok(json!({ "query": query, "count": messages.len(), "messages": messages }))
}

fn with_mail(
    apps: &TestApps,
    arguments: &Value,
    then: impl FnOnce(&str, &mut Item<Mail>) -> ToolOutcome,
) -> ToolOutcome {
    let id = text(arguments, "message_id");
    apps.state().mails.get_mut(&id).map_or_else(|| missing("email"), |item| then(&id, item))
}

fn read(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    with_mail(apps, arguments, |id, item| ToolOutcome::ok(shown(id, &item.thing, true)))
}

fn read_attachment(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    with_mail(apps, arguments, |_, item| match &item.thing.attachment {
        Some((name, text)) => ToolOutcome::ok(json!({ "name": name, "text": text })),
        None => missing("attachment"),
    })
}

fn send(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let to: Vec<String> = ["to", "cc", "bcc"].iter().flat_map(|name| addresses(arguments, name)).collect();
    let mut state = apps.state();
    let (subject, body) = (text(arguments, "subject"), text(arguments, "body"));
    state.leaves("postbox_send", to.clone(), format!("{subject}\n{body}"));
    let mail = Mail { from: OWN_ADDRESS.into(), to, subject, body, ..Mail::default() };
    let id = state.add_mail(mail);
    ToolOutcome::ok(json!({ "sent": true, "id": id }))
}

fn targets(mail: &Mail, reply_all: bool) -> Vec<Destination> {
    let sender = address_of(&mail.from).to_owned();
    let one = |address: &str, why| Destination { address: address_of(address).into(), why, sender: sender.clone() };
    let mut to: Vec<Destination> = if sender == OWN_ADDRESS {
        mail.to.iter().map(|address| one(address, DestinationWhy::Yours)).collect()
    } else if mail.reply_to.is_empty() {
        vec![one(&mail.from, DestinationWhy::Sender)]
    } else {
        vec![one(&mail.reply_to, DestinationWhy::ReplyTo)]
    };
    if reply_all {
        let others = mail.to.iter().chain(&mail.cc).filter(|address| address_of(address) != OWN_ADDRESS);
        let others: Vec<Destination> = others.map(|address| one(address, DestinationWhy::Thread)).collect();
        for other in others {
            if !to.iter().any(|known| known.address == other.address) {
                to.push(other);
            }
        }
    }
    to
}

fn reply_targets(apps: &TestApps, arguments: &Value) -> Result<Vec<Destination>, String> {
    let state = apps.state();
    let mail = state.mails.get(&text(arguments, "message_id")).ok_or("There is no such email.")?;
    Ok(targets(&mail.thing, text(arguments, "reply_all") == "yes"))
}

fn reply(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let Ok(to) = reply_targets(apps, arguments) else { return missing("email") };
    let to: Vec<String> = to.into_iter().map(|destination| destination.address).collect();
    apps.state().leaves("postbox_reply", to.clone(), text(arguments, "body"));
    ToolOutcome::ok(json!({ "sent": true, "to": to }))
}

fn forward(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let mut state = apps.state();
    let Some(item) = state.mails.get(&text(arguments, "message_id")) else { return missing("email") };
    let whole = format!("{}\n{}\n{}", text(arguments, "note"), item.thing.subject, item.thing.body);
    state.leaves("postbox_forward", addresses(arguments, "to"), whole);
    ToolOutcome::ok(json!({ "sent": true }))
}

fn draft(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let (subject, body) = (text(arguments, "subject"), text(arguments, "body"));
    let mail = Mail { from: OWN_ADDRESS.into(), to: addresses(arguments, "to"), subject, body, ..Mail::default() };
    let mut state = apps.state();
    let id = state.add_mail(mail);
    if let Some(item) = state.mails.get_mut(&id) {
        item.place = Place::Draft;
    }
    ToolOutcome::ok(json!({ "draft_id": id }))
}

fn trash(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    with_mail(apps, arguments, |id, item| {
        item.place = Place::Trash;
        ToolOutcome::ok(json!({ "trashed": true, "id": id }))
    })
}

fn delete(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    let id = text(arguments, "message_id");
    match apps.state().mails.remove(&id) {
        Some(_) => ToolOutcome::ok(json!({ "deleted": true, "id": id })),
        None => missing("email"),
    }
}

fn restore(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    with_mail(apps, arguments, |id, item| {
        item.place = Place::Here;
        ToolOutcome::ok(json!({ "restored": true, "id": id }))
    })
}
