//! News from Google News' feeds, which need no key.

use super::http::{Fetch, Http};
use super::web_settings::{WebSettings, WebSettingsNow};
use actors::ports::{Article, News, NewsFeed, WebError};
use feed_rs::model::{Entry, Feed};
use futures::future::{BoxFuture, FutureExt};
use scraper::Html;

const WHO: &str = "Google News";
const SUMMARY_CHARS_MAX: usize = 400;
const TITLE_CHARS_MAX: usize = 300;

/// Headlines and articles.
#[derive(Clone)]
pub struct GoogleNews {
    http: Http,
    settings: WebSettingsNow,
}

impl GoogleNews {
    pub fn new(http: Http, settings: WebSettingsNow) -> Self {
        Self { http, settings }
    }

    async fn feed(
        self,
        path: String,
        query: Option<String>,
        country: Option<String>,
        results_max: usize,
    ) -> Result<News, WebError> {
        let settings = (self.settings)();
        let country = country.unwrap_or_else(|| own_country(&settings));
        let unread = || WebError(format!("{WHO} answered something that could not be read. Try again later."));
        let endpoint = settings.bases.endpoint("google_news", "https://news.google.com", &path).ok_or_else(unread)?;
        let language = language_of(&country);
        let mut fetch = Fetch { accept: "application/rss+xml, application/xml", ..Fetch::service(endpoint) };
        if let Some(query) = query {
            fetch = fetch.query("q", &query);
        }
        let fetch = fetch
            .query("hl", &format!("{language}-{country}"))
            .query("gl", &country)
            .query("ceid", &format!("{country}:{language}"));
        let body = self.http.body(fetch, WHO).await?;
        let feed = feed_rs::parser::parse(body.as_slice()).map_err(|_| unread())?;
        Ok(News { provider: "google_news".to_owned(), country, articles: articles(feed, results_max) })
    }
}

impl NewsFeed for GoogleNews {
    fn search(
        &self,
        query: String,
        country: Option<String>,
        results_max: usize,
    ) -> BoxFuture<'static, Result<News, WebError>> {
        self.clone().feed("/rss/search".to_owned(), Some(query), country, results_max).boxed()
    }

    fn headlines(
        &self,
        country: Option<String>,
        category: Option<String>,
        results_max: usize,
    ) -> BoxFuture<'static, Result<News, WebError>> {
        let path = match category {
            // Only letters: it becomes a part of the path.
            Some(word) if word.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
                format!("/rss/headlines/section/topic/{}", word.to_uppercase())
            }
            _ => "/rss".to_owned(),
        };
        self.clone().feed(path, None, country, results_max).boxed()
    }
}

/// The country of `integrations.news_country`, else of `assistant.location`, else the United States.
fn own_country(settings: &WebSettings) -> String {
    let set = settings.news_country.trim().to_uppercase();
    if set.len() == 2 && set.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return set;
    }
    let last = settings.location.rsplit(',').next().unwrap_or_default().trim().to_lowercase();
    let known = COUNTRIES.iter().find(|(name, code, _)| *name == last || code.to_lowercase() == last);
    known.map_or("US", |(_, code, _)| code).to_owned()
}

/// The language of a country's edition; English where none is known.
fn language_of(country: &str) -> &'static str {
    COUNTRIES.iter().find(|(_, code, _)| *code == country).map_or("en", |(_, _, language)| language)
}

/// Countries with an edition of their own: name, code, language of the edition. Of two names for one country both
/// stand here.
const COUNTRIES: [(&str, &str, &str); 50] = [
    ("argentina", "AR", "es-419"),
    ("australia", "AU", "en"),
    ("austria", "AT", "de"),
    ("bangladesh", "BD", "bn"),
    ("belgium", "BE", "fr"),
    ("brazil", "BR", "pt-419"),
    ("canada", "CA", "en"),
    ("chile", "CL", "es-419"),
    ("colombia", "CO", "es-419"),
    ("czechia", "CZ", "cs"),
    ("egypt", "EG", "ar"),
    ("france", "FR", "fr"),
    ("germany", "DE", "de"),
    ("greece", "GR", "el"),
    ("hong kong", "HK", "zh-Hant"),
    ("hungary", "HU", "hu"),
    ("india", "IN", "en"),
    ("indonesia", "ID", "id"),
    ("ireland", "IE", "en"),
    ("israel", "IL", "he"),
    ("italy", "IT", "it"),
    ("japan", "JP", "ja"),
    ("kenya", "KE", "en"),
    ("malaysia", "MY", "en"),
    ("mexico", "MX", "es-419"),
    ("netherlands", "NL", "nl"),
    ("new zealand", "NZ", "en"),
    ("nigeria", "NG", "en"),
    ("norway", "NO", "no"),
    ("pakistan", "PK", "en"),
    ("philippines", "PH", "en"),
    ("poland", "PL", "pl"),
    ("portugal", "PT", "pt-150"),
    ("romania", "RO", "ro"),
    ("singapore", "SG", "en"),
    ("south africa", "ZA", "en"),
    ("south korea", "KR", "ko"),
    ("spain", "ES", "es"),
    ("sweden", "SE", "sv"),
    ("switzerland", "CH", "de"),
    ("taiwan", "TW", "zh-Hant"),
    ("thailand", "TH", "th"),
    ("turkey", "TR", "tr"),
    ("ukraine", "UA", "uk"),
    ("united arab emirates", "AE", "ar"),
    ("united kingdom", "GB", "en"),
    ("uk", "GB", "en"),
    ("england", "GB", "en"),
    ("united states", "US", "en"),
    ("usa", "US", "en"),
];

fn articles(feed: Feed, results_max: usize) -> Vec<Article> {
    feed.entries.into_iter().filter_map(article).take(results_max).collect()
}

/// One article; `None` without an address on the web.
fn article(entry: Entry) -> Option<Article> {
    let url = entry.links.into_iter().map(|link| link.href).find(|href| href.starts_with("http"))?;
    let full = tidy(&entry.title.map(|text| text.content).unwrap_or_default(), TITLE_CHARS_MAX);
    // Google writes "Title - Paper".
    let (title, source) = match full.rsplit_once(" - ") {
        Some((title, source)) if !title.is_empty() => (title.to_owned(), source.to_owned()),
        _ => (full, String::new()),
    };
    let published_at = entry.published.map(|moment| moment.to_rfc3339());
    let summary = plain(&entry.summary.map(|text| text.content).unwrap_or_default());
    // Google's summaries repeat the title and nothing else; that says nothing new.
    let summary = if summary.starts_with(&title)
        && summary.chars().count() < title.chars().count() + source.chars().count() + 8
    {
        String::new()
    } else {
        tidy(&summary, SUMMARY_CHARS_MAX)
    };
    Some(Article { title, source, url, published_at, summary })
}

/// The words of a piece of HTML.
fn plain(html: &str) -> String {
    let words: String = if html.contains(['<', '&']) {
        Html::parse_fragment(html).root_element().text().collect::<Vec<_>>().join(" ")
    } else {
        html.to_owned()
    };
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn tidy(text: &str, chars_max: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= chars_max { text } else { text.chars().take(chars_max - 1).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::super::test_server::{TestServer, fixed, typed};
    use super::*;
    use axum::Router;
    use axum::http::StatusCode;
    use axum::response::IntoResponse;

    const FEED: &str = r##"<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel>
        <title>"rain" - Google News</title><link>https://news.google.com/search?q=rain</link>
        <item><title>Rain at last - in the south - The Paper</title><link>https://news.google.com/rss/articles/CBMi1?oc=5</link>
          <guid isPermaLink="false">CBMi1</guid><pubDate>Sat, 10 Oct 2026 07:30:00 GMT</pubDate>
          <description>&lt;a href="https://news.google.com/rss/articles/CBMi1"&gt;Rain at last - in the south&lt;/a&gt;&amp;nbsp;&amp;nbsp;&lt;font color="#6f6f6f"&gt;The Paper&lt;/font&gt;</description>
          <source url="https://paper.example">The Paper</source></item>
        <item><title>Second</title><link>https://paper.example/2</link><description>More &lt;b&gt;words&lt;/b&gt; here.</description></item>
        <item><title>No address</title></item>
        </channel></rss>"##;

    fn news(server: &TestServer, change: impl FnOnce(&mut WebSettings)) -> GoogleNews {
        let mut settings = server.settings(&["google_news"]);
        change(&mut settings);
        GoogleNews::new(Http::new().unwrap(), fixed(settings))
    }

    async fn server() -> TestServer {
        TestServer::start(Router::new().fallback(|| async { typed("application/rss+xml", FEED) })).await
    }

    #[tokio::test]
    async fn articles_have_papers_dates_and_no_empty_summaries() {
        let server = server().await;
        let got = news(&server, |_| ()).search("rain & sun".to_owned(), None, 10).await.unwrap();
        let want = [
            Article {
                title: "Rain at last - in the south".to_owned(),
                source: "The Paper".to_owned(),
                url: "https://news.google.com/rss/articles/CBMi1?oc=5".to_owned(),
                published_at: Some("2026-10-10T07:30:00+00:00".to_owned()),
                summary: String::new(),
            },
            Article {
                title: "Second".to_owned(),
                url: "https://paper.example/2".to_owned(),
                summary: "More words here.".to_owned(),
                ..Article::default()
            },
        ];
        assert_eq!(
            (got.provider.as_str(), got.country.as_str(), got.articles.as_slice()),
            ("google_news", "US", &want[..])
        );
        assert_eq!(server.asked(), ["/rss/search?q=rain+%26+sun&hl=en-US&gl=US&ceid=US%3Aen"]);
    }

    #[tokio::test]
    async fn headlines_of_a_country_and_a_category() {
        let server = server().await;
        let at_home = news(&server, |settings| settings.location = "Pune, India".to_owned());
        let got = at_home.headlines(None, Some("sports".to_owned()), 1).await.unwrap();
        assert_eq!((got.country.as_str(), got.articles.len()), ("IN", 1));
        at_home.headlines(Some("DE".to_owned()), None, 1).await.unwrap();
        at_home.headlines(None, Some("../x".to_owned()), 1).await.unwrap();
        let asked = server.asked();
        let want = [
            "/rss/headlines/section/topic/SPORTS?hl=en-IN&gl=IN&ceid=IN%3Aen",
            "/rss?hl=de-DE&gl=DE&ceid=DE%3Ade",
            "/rss?hl=en-IN&gl=IN&ceid=IN%3Aen",
        ];
        assert_eq!(asked, want);
    }

    #[test]
    fn the_country_comes_from_the_setting_then_the_city() {
        for (set, location, want) in [
            ("", "", "US"),
            ("fr", "Pune, India", "FR"),
            ("", "Pune, India", "IN"),
            ("", "Leeds, UK", "GB"),
            ("", "Oslo, no", "NO"),
            ("", "Atlantis", "US"),
            ("France", "", "US"),
        ] {
            let settings =
                WebSettings { news_country: set.to_owned(), location: location.to_owned(), ..WebSettings::default() };
            assert_eq!(own_country(&settings), want, "{set} {location}");
        }
    }

    #[tokio::test]
    async fn what_is_no_feed_is_explained() {
        for (status, body, want) in [
            (StatusCode::OK, "<html><body>consent</body></html>", "could not be read"),
            (StatusCode::OK, "", "could not be read"),
            (StatusCode::TOO_MANY_REQUESTS, "", "too many requests"),
            (StatusCode::INTERNAL_SERVER_ERROR, "", "a problem right now"),
        ] {
            let server =
                TestServer::start(Router::new().fallback(move || async move { (status, body).into_response() })).await;
            let error = news(&server, |_| ()).search("x".to_owned(), None, 5).await.unwrap_err();
            assert!(error.0.starts_with("Google News") && error.0.contains(want), "{error}");
        }
    }
}
