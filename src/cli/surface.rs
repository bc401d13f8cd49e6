//! `sentient surface`: what this build offers to its clients, read from the very tables it works with.

use super::{Failure, arguments};
use crate::assemble::built_in_tools;
use crate::gateway::{self, Route};
use protocol::Error;
use protocol::chat::{ClientFrame, SERVER_TYPES};
use protocol::events::DomainEvent;
use protocol::tools::Risk;
use serde::Serialize;
use std::io::Write;

/// Everything, in the shape that `--json` prints.
#[derive(Serialize)]
pub(super) struct Surface {
    /// Every HTTP and WebSocket route of the router.
    routes: Vec<Route>,
    /// Message types of the live channel.
    ws: Messages,
    /// Domain event types.
    events: &'static [&'static str],
    /// Dotted configuration keys.
    config: Vec<String>,
    /// Built-in tools.
    tools: Vec<ToolLine>,
    cli: Vec<String>,
}

#[derive(Serialize)]
struct Messages {
    client: &'static [&'static str],
    server: &'static [&'static str],
}

#[derive(Serialize)]
struct ToolLine {
    name: &'static str,
    risk: Risk,
}

pub(super) fn surface() -> Result<Surface, Error> {
    let tools = built_in_tools()?;
    let tools = tools.tools().iter().map(|tool| tool.spec());
    Ok(Surface {
        routes: gateway::routes().listed(),
        ws: Messages { client: &ClientFrame::TYPES, server: &SERVER_TYPES },
        events: &DomainEvent::TYPES,
        config: protocol::config::keys(),
        tools: tools.map(|spec| ToolLine { name: spec.name, risk: spec.risk }).collect(),
        cli: arguments::commands(),
    })
}

pub(super) fn print(json: bool, out: &mut impl Write) -> Result<(), Failure> {
    let surface = surface()?;
    if json {
        serde_json::to_writer_pretty(&mut *out, &surface).map_err(std::io::Error::from)?;
        return Ok(writeln!(out)?);
    }
    for Route { method, path } in &surface.routes {
        writeln!(out, "{method:<6} {path}")?;
    }
    Ok(())
}

/// `docs/api.md`: the same tables for people. Shapes and rules are the contract's.
#[cfg(test)]
fn markdown(surface: &Surface) -> String {
    let mut text = String::from(
        "# What the engine offers\n\nGenerated from the program's own tables (`UPDATE_DOCS=1 cargo test -p sentient \
         --lib surface`).\nEvery `/api` call carries the token, as `Authorization: Bearer …` or `?token=…`; \
         `/api/health` and `/api/mcp/proof` are open.\nErrors are `{\"detail\": \"what happened, what to do\"}`. `/v1` has a key \
         of its own, and errors in OpenAI's shape.\n\n## HTTP and WebSocket\n\n",
    );
    for Route { method, path } in &surface.routes {
        text += &format!("- `{method} {path}`\n");
    }
    let list = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    text += &format!("\n## Live channel\n\nA window sends {}.\n\n", list(surface.ws.client));
    text += &format!(
        "It hears {}, each with its number `seq`,\nand these changes: {}.\n",
        list(surface.ws.server),
        list(surface.events)
    );
    text += "\n## Tools\n\n| tool | risk |\n|---|---|\n";
    for tool in &surface.tools {
        text += &format!("| `{}` | {} |\n", tool.name, format!("{:?}", tool.risk).to_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_the_api_is_up_to_date() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/api.md");
        let want = markdown(&surface().expect("listed"));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &want).expect("written");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == want, "docs/api.md is old: UPDATE_DOCS=1 cargo test -p sentient --lib surface");
    }

    #[test]
    fn every_part_is_there_and_no_route_twice() {
        let mut json = Vec::new();
        assert!(print(true, &mut json).is_ok());
        let value: serde_json::Value = serde_json::from_slice(&json).expect("one JSON object");
        for (part, member) in [
            ("routes", ""),
            ("ws", "client"),
            ("ws", "server"),
            ("events", ""),
            ("tools", ""),
            ("config", ""),
            ("cli", ""),
        ] {
            let part_value = if member.is_empty() { &value[part] } else { &value[part][member] };
            assert!(!part_value.as_array().expect(part).is_empty(), "{part}.{member}");
        }
        let mut routes = surface().expect("listed").routes;
        let all = routes.len();
        routes.sort();
        routes.dedup();
        assert_eq!(routes.len(), all);
    }
}
