//! `sentient mcp`: Sentient as an MCP server over stdio, for other AI apps on this computer (contract section 5).
//!
//! A thin client of the engine's own REST API with a token of its own: it holds no state, opens no store and decides
//! nothing. Before every call it makes sure that the engine is the engine, and that the person still has the switch on.
//! It never reads the window's token, and never sends its own to an address that has not proved itself.

mod discovery;
mod engine;
mod server;
mod stdio;
mod tools;

pub use discovery::engine_address;

use crate::assemble::outside;
use crate::config_file::ConfigFile;
use crate::environment::Environment;
use crate::serve::files::DISCOVERY_FILE;
use engine::EngineClient;
use protocol::{Error, ErrorKind};
use rmcp::ServiceExt;
use rules::callers::MCP_TOKEN_ENTRY;
use server::SentientServer;
use std::path::Path;

/// Where the switch is.
pub(crate) const SWITCHED_OFF: &str = "Sentient is switched off for other AI apps.";
pub(crate) const SWITCH_HINT: &str =
    "Turn it on in Sentient under Integrations > Sentient as an MCP server (#/integrations?section=sentient-mcp).";

/// Serves until the app that started it closes its end.
///
/// # Errors
/// The switch is off, or there is no token: with where to turn it on.
pub async fn serve(home: &Path, environment: &Environment) -> Result<(), Error> {
    let (_, loaded) = ConfigFile::open(home.join("config.yaml"));
    if !loaded.config.integrations.mcp_server_enabled {
        return Err(Error::new(ErrorKind::Denied, SWITCHED_OFF).hint(SWITCH_HINT));
    }
    let looked_up = outside(home, environment, &loaded.config)?.secrets.get(MCP_TOKEN_ENTRY.into(), None).await?;
    let (token, _) = looked_up.ok_or_else(|| {
        Error::new(ErrorKind::Unavailable, "No key for other AI apps has been made yet.")
            .hint("Start Sentient once with the switch on, then connect this app again.")
    })?;
    let engine = EngineClient::new(home.join(DISCOVERY_FILE), token)?;
    let server = SentientServer::new(engine);
    let running = server.serve(stdio::stdio()?).await.map_err(|cause| {
        tracing::debug!(%cause, "no MCP client");
        Error::new(ErrorKind::Invalid, "Nothing spoke MCP on the standard input.")
            .hint("This command is started by an app that uses MCP; put it into that app's settings.")
    })?;
    running.waiting().await.map(drop).map_err(|cause| Error::internal(format!("the MCP server broke: {cause}")))
}
