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

#[cfg(test)]
mod tests {
    use super::*;

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
