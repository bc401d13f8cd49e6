//! The built-in tools over the services of the web and the files folder.

use super::files::FolderFiles;
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
use actors::ports::SecretStore;
use actors::tools::{Registry, Toolbox};
use protocol::{Error, ErrorKind};
use std::sync::Arc;

/// Puts the tools together.
///
/// # Errors
/// A system on which no client for the web can be made.
pub(super) fn registry(
    files: &FolderFiles,
    secrets: &Arc<dyn SecretStore>,
    config: ConfigNow,
    bases: Bases,
) -> Result<Registry, Error> {
    let http = Http::new().map_err(|error| Error::new(ErrorKind::Unavailable, error.0))?;
    let now: WebSettingsNow = Arc::new(move || web(&config.borrow(), &bases));
    let pdfs = Pdfs::default();
    Ok(Registry::new(Toolbox {
        files: Arc::new(files.clone()),
        documents: Arc::new(pdfs.clone()),
        search: Arc::new(WebSearches::new(http.clone(), now.clone(), secrets.clone())),
        pages: Arc::new(WebPages::new(http.clone(), now.clone(), pdfs)),
        weather: Arc::new(OpenMeteo::new(http.clone(), now.clone())),
        maps: Arc::new(OpenStreetMaps::new(http.clone(), now.clone())),
        news: Arc::new(GoogleNews::new(http, now)),
        charts: Arc::new(ChartPainter::default()),
    }))
}
