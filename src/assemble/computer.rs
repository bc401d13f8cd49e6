//! Commands and scripts on this computer.

use super::settings::ConfigNow;
use crate::adapters::processes::{Launcher, ShellPlaces, SystemShells};
use crate::adapters::scripts::SystemScripts;
use crate::environment::Environment;
use actors::Engine;
use actors::ports::FilesPort;
use actors::sandbox::Sandbox;
use actors::stop::ProcessTrees;
use actors::terminal::Terminal;
use protocol::{Error, ErrorKind};
use runtime::World;
use std::path::Path;
use std::sync::Arc;

/// Finds out in the background what holds a script here, so that the first question about one can say it.
pub(super) fn try_doors(engine: &Engine, no_background: bool) {
    if no_background || !engine.config().sandbox.enabled {
        return;
    }
    let sandbox = engine.small.outside.sandbox.clone();
    engine.world.work.spawn_dropped("doors of scripts", async move {
        let doors = sandbox.status().await.doors;
        tracing::debug!(?doors, "what holds a script on this computer");
    });
}

/// What runs programs here.
pub(super) struct Computer {
    pub(super) terminal: Arc<Terminal>,
    pub(super) sandbox: Arc<Sandbox>,
}

/// Puts it together. Nothing is started by it.
///
/// # Errors
/// A system that does not say which program this is.
pub(super) fn computer(
    home: &Path,
    environment: &Environment,
    files: Arc<dyn FilesPort>,
    config: ConfigNow,
    of: (&World, ProcessTrees),
) -> Result<Computer, Error> {
    let (world, trees) = of;
    let launcher = Launcher::own(trees).map_err(|cause| {
        Error::new(ErrorKind::Unavailable, format!("The system does not say where this program is: {cause}."))
    })?;
    let places = ShellPlaces { environment: environment.variables().collect(), data: home.to_owned() };
    let shells = Arc::new(SystemShells::new(launcher.clone(), places.clone()));
    let scripts = Arc::new(SystemScripts::new(launcher, places, files.clone()));
    let terminal = Arc::new(Terminal::new(shells, files, config.clone(), world.clone()));
    let sandbox = Arc::new(Sandbox::new(scripts, terminal.clone(), config, world.clone()));
    Ok(Computer { terminal, sandbox })
}
