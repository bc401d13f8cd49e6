//! Services for the tools' tests: files in memory, and a web that answers the same every time and remembers what it
//! was asked.

mod computer;

pub(crate) use computer::{FakeScripts, FakeShells};

use super::{ToolCtx, Toolbox};
use crate::ports::{
    Article, Charts, Directions, Documents, FileEntry, FilesPort, Maps, News, NewsFeed, Page, Pages, Place, Search,
    SearchAnswer, SearchResult, TextPart, Weather, WebError, WrittenFile,
};
use crate::sandbox::Sandbox;
use crate::terminal::Terminal;
use futures::future::{BoxFuture, FutureExt, ready};
use protocol::config::Config;
use protocol::tools::Progress;
use protocol::{Error, Timestamp};
use runtime::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// 2026-10-10T09:00:00Z in UTC, nowhere.
pub(crate) fn ctx() -> ToolCtx {
    ToolCtx::new(Timestamp(1_791_622_800_000), jiff::tz::TimeZone::UTC, Arc::new(|_| ()))
}

/// The same, and everything a call shows on its way.
pub(crate) fn ctx_that_shows() -> (ToolCtx, Arc<Mutex<Vec<Progress>>>) {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let kept = shown.clone();
    let keep = move |progress| kept.lock().expect("no test panics while holding it").push(progress);
    (ToolCtx::new(Timestamp(1_791_622_800_000), jiff::tz::TimeZone::UTC, Arc::new(keep)), shown)
}

/// A world at that moment.
pub(crate) fn world() -> World {
    crate::fixtures::world(1_791_622_800_000).0
}

pub(crate) fn toolbox() -> Toolbox {
    let web = Arc::new(FakeWeb::default());
    let (_, config) = watch::channel(Arc::new(Config::default()));
    let files = FakeFiles::with(&[]);
    let terminal = Arc::new(Terminal::new(Arc::new(FakeShells::default()), files.clone(), config.clone(), world()));
    let sandbox = Sandbox::new(Arc::new(FakeScripts::default()), terminal.clone(), config, world());
    Toolbox {
        files,
        documents: Arc::new(FakeDocuments),
        search: web.clone(),
        pages: web.clone(),
        weather: web.clone(),
        maps: web.clone(),
        news: web.clone(),
        charts: web,
        terminal,
        sandbox: Arc::new(sandbox),
    }
}

/// A files folder in memory that refuses names leaving it.
#[derive(Default)]
pub(crate) struct FakeFiles(Mutex<BTreeMap<String, Vec<u8>>>);

impl FakeFiles {
    pub(crate) fn with(files: &[(&str, &str)]) -> Arc<Self> {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
        Arc::new(Self(Mutex::new(files)))
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let files = self.0.lock().expect("no test panics while holding it");
        files.get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    pub(super) fn count(&self) -> usize {
        self.0.lock().expect("no test panics while holding it").len()
    }

    fn find(&self, name: &str) -> Result<Vec<u8>, Error> {
        inside(name)?;
        let files = self.0.lock().expect("no test panics while holding it");
        files.get(name).cloned().ok_or_else(|| Error::not_found("There is no such file."))
    }
}

fn inside(name: &str) -> Result<(), Error> {
    let leaves = name.starts_with('/') || name.split('/').any(|part| part == "..");
    if leaves { Err(Error::invalid("This name leads out of the files folder.")) } else { Ok(()) }
}

impl FilesPort for FakeFiles {
    fn place(&self, name: String) -> BoxFuture<'static, Result<Option<PathBuf>, Error>> {
        ready(Ok(Some(Path::new("/home/maya/.sentient/files").join(name)))).boxed()
    }

    fn list(&self, folder: String) -> BoxFuture<'static, Result<Vec<FileEntry>, Error>> {
        let files = self.0.lock().expect("no test panics while holding it");
        let below = |name: &str| folder.is_empty() || name.starts_with(&format!("{folder}/"));
        let rows: Vec<FileEntry> = files
            .iter()
            .filter(|(name, _)| below(name))
            .map(|(name, bytes)| FileEntry { name: name.clone(), bytes: bytes.len() as u64 })
            .collect();
        let missing = rows.is_empty() && !folder.is_empty();
        ready(if missing { Err(Error::not_found("There is no such folder.")) } else { Ok(rows) }).boxed()
    }

    fn read_text(&self, name: String, offset: usize, limit: usize) -> BoxFuture<'static, Result<TextPart, Error>> {
        ready(self.find(&name).map(|bytes| {
            let text: Vec<char> = String::from_utf8_lossy(&bytes).chars().collect();
            let content: String = text.iter().skip(offset).take(limit).collect();
            let more = offset.saturating_add(limit) < text.len();
            TextPart { content, total: Some(text.len() as u64), more }
        }))
        .boxed()
    }

    fn read(&self, name: String, _bytes_max: usize) -> BoxFuture<'static, Result<Vec<u8>, Error>> {
        ready(self.find(&name)).boxed()
    }

    fn write(&self, name: String, bytes: Vec<u8>) -> BoxFuture<'static, Result<WrittenFile, Error>> {
        let written = inside(&name).map(|()| {
            let row = WrittenFile { path: format!("/files/{name}"), bytes: bytes.len() as u64, name: name.clone() };
            self.0.lock().expect("no test panics while holding it").insert(name, bytes);
            row
        });
        ready(written).boxed()
    }
}

/// Reads the bytes of a "PDF" as they are; `broken` is broken.
pub(super) struct FakeDocuments;

impl Documents for FakeDocuments {
    fn pdf_text(&self, bytes: Vec<u8>) -> BoxFuture<'static, Result<String, WebError>> {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        ready(if text == "broken" { Err(WebError("This PDF is damaged.".to_owned())) } else { Ok(text) }).boxed()
    }
}

/// Every service of the web. Whatever is called `fail` fails, whatever is called `nothing` is not found.
#[derive(Default)]
pub(super) struct FakeWeb(Mutex<Vec<String>>);

impl FakeWeb {
    /// What it was asked, in order.
    pub(super) fn asked(&self) -> Vec<String> {
        self.0.lock().expect("no test panics while holding it").clone()
    }

    fn answer<T: Send + 'static>(&self, asked: String, answer: T) -> BoxFuture<'static, Result<T, WebError>> {
        let fails = asked.contains("fail");
        self.0.lock().expect("no test panics while holding it").push(asked);
        ready(if fails { Err(WebError("The service did not answer.".to_owned())) } else { Ok(answer) }).boxed()
    }
}

type Answer<T> = BoxFuture<'static, Result<T, WebError>>;

impl Search for FakeWeb {
    fn search(&self, query: String, results_max: usize) -> Answer<SearchAnswer> {
        let result = SearchResult {
            title: format!("About {query}"),
            url: "https://example.com/".to_owned(),
            snippet: "words".to_owned(),
        };
        let answer = SearchAnswer { provider: "duckduckgo".to_owned(), results: vec![result], note: None };
        self.answer(format!("search {query} {results_max}"), answer)
    }
}

impl Pages for FakeWeb {
    fn read(&self, url: String, chars_max: usize) -> Answer<Page> {
        let page = Page { url: url.clone(), title: "A page".to_owned(), content: "text".to_owned(), truncated: false };
        self.answer(format!("page {url} {chars_max}"), page)
    }
}

impl Weather for FakeWeb {
    fn current(&self, location: String) -> Answer<Value> {
        self.answer(format!("weather {location}"), json!({ "location": location }))
    }

    fn forecast(&self, location: String, days: u32) -> Answer<Value> {
        self.answer(format!("forecast {location} {days}"), json!({ "location": location }))
    }
}

impl Maps for FakeWeb {
    fn places(&self, query: String, results_max: usize) -> Answer<(String, Vec<Place>)> {
        let place = Place {
            name: query.clone(),
            address: format!("{query}, Norway"),
            latitude: 59.9,
            longitude: 10.7,
            url: "https://www.openstreetmap.org/".to_owned(),
            ..Place::default()
        };
        let places = if query == "nothing" { Vec::new() } else { vec![place] };
        self.answer(format!("places {query} {results_max}"), ("openstreetmap".to_owned(), places))
    }

    fn directions(&self, origin: String, destination: String, mode: String) -> Answer<Directions> {
        let asked = format!("way {origin} {destination} {mode}");
        self.answer(asked, Directions { mode, from: origin, to: destination, ..Directions::default() })
    }
}

impl NewsFeed for FakeWeb {
    fn search(&self, query: String, country: Option<String>, results_max: usize) -> Answer<News> {
        self.answer(format!("news {query} {country:?} {results_max}"), news(country))
    }

    fn headlines(&self, country: Option<String>, category: Option<String>, results_max: usize) -> Answer<News> {
        self.answer(format!("headlines {country:?} {category:?} {results_max}"), news(country))
    }
}

fn news(country: Option<String>) -> News {
    let article = Article {
        title: "News".to_owned(),
        source: "Paper".to_owned(),
        url: "https://example.com/n".to_owned(),
        ..Article::default()
    };
    let country = country.unwrap_or_else(|| "US".to_owned());
    News { provider: "google_news".to_owned(), country, articles: vec![article] }
}

impl Charts for FakeWeb {
    fn paint(&self, config: Value, width: u32, height: u32) -> Answer<Vec<u8>> {
        let kind = config["type"].as_str().unwrap_or_default().to_owned();
        self.answer(format!("chart {kind}"), format!("picture {kind} {width} {height}").into_bytes())
    }
}
