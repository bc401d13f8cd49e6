//! The built-in tools over the services of the web and the files folder.

use super::computer::Computer;
use super::settings::{ConfigNow, web};
use crate::adapters::bases::Bases;
use crate::adapters::charts::ChartPainter;
use crate::adapters::http::Http;
use crate::adapters::maps::OpenStreetMaps;
use crate::adapters::news::GoogleNews;
use crate::adapters::pages::WebPages;
use crate::adapters::pdf::Pdfs;
use crate::adapters::search::WebSearches;
use crate::adapters::weather::OpenMeteo;
use crate::adapters::web_settings::WebSettingsNow;
use actors::ports::{FileEntry, FilesPort, SecretStore, TextPart, WrittenFile};
use actors::subagents::{subagent_app, subagent_tools};
use actors::tools::{Registry, Toolbox, memory_app, memory_tools};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use protocol::{Error, ErrorKind};
use std::sync::Arc;
use storage::Store;

/// Puts the tools together.
///
/// # Errors
/// A system on which no client for the web can be made.
pub(super) fn registry(
    files: Arc<dyn FilesPort>,
    secrets: &Arc<dyn SecretStore>,
    config: ConfigNow,
    bases: Bases,
    (computer, store): (&Computer, Option<Store>),
) -> Result<Registry, Error> {
    let http = Http::new().map_err(|error| Error::new(ErrorKind::Unavailable, error.0))?;
    let now: WebSettingsNow = Arc::new(move || web(&config.borrow(), &bases));
    let pdfs = Pdfs::default();
    let built_in = Registry::new(Toolbox {
        files,
        documents: Arc::new(pdfs.clone()),
        search: Arc::new(WebSearches::new(http.clone(), now.clone(), secrets.clone())),
        pages: Arc::new(WebPages::new(http.clone(), now.clone(), pdfs)),
        weather: Arc::new(OpenMeteo::new(http.clone(), now.clone())),
        maps: Arc::new(OpenStreetMaps::new(http.clone(), now.clone())),
        news: Arc::new(GoogleNews::new(http, now)),
        charts: Arc::new(ChartPainter::default()),
        terminal: computer.terminal.clone(),
        sandbox: computer.sandbox.clone(),
    });
    let with_memory = built_in.with_app(memory_app(), memory_tools(store));
    Ok(with_memory.with_app(subagent_app(), subagent_tools()))
}

/// A files folder for looking at tools only: none of them runs over it.
pub(super) struct NoFiles;

fn nowhere<T: Send + 'static>() -> BoxFuture<'static, Result<T, Error>> {
    ready(Err(Error::new(ErrorKind::Unavailable, "There is no files folder here."))).boxed()
}

impl FilesPort for NoFiles {
    fn list(&self, _: String) -> BoxFuture<'static, Result<Vec<FileEntry>, Error>> {
        nowhere()
    }

    fn read_text(&self, _: String, _: usize, _: usize) -> BoxFuture<'static, Result<TextPart, Error>> {
        nowhere()
    }

    fn read(&self, _: String, _: usize) -> BoxFuture<'static, Result<Vec<u8>, Error>> {
        nowhere()
    }

    fn write(&self, _: String, _: Vec<u8>) -> BoxFuture<'static, Result<WrittenFile, Error>> {
        nowhere()
    }
}
