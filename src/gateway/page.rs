//! The window: the files of `web/`, built into the program, with headers that let nothing foreign run in them.
//!
//! They hold no secret, so they need no token; the page itself asks for one. They say nothing about the person.

use super::{Routes, errors};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};

/// Only the engine's own scripts, styles and fonts; pictures also from memory; talks to this computer only.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                                       img-src 'self' data: blob:; \
                                       connect-src 'self' ws://127.0.0.1:* ws://localhost:*; font-src 'self'; \
                                       media-src 'self' blob:; worker-src 'self'; manifest-src 'self'; \
                                       base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// One file of the window.
struct File {
    /// Where it is served, e.g. `/shell/connection.js`.
    address: &'static str,
    /// A hash of its bytes, quoted as an entity tag is (RFC 9110 section 8.8.3).
    tag: &'static str,
    bytes: &'static [u8],
}

/// Every file of `web/`, listed by the build script.
const FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/window.rs"));
/// What `/` shows.
const INDEX: &str = "/index.html";

pub(super) fn routes(routes: Routes) -> Routes {
    FILES.iter().fold(routes.get("/", index), |routes, file| {
        routes.file(file.address, move |headers: HeaderMap| async move { answer(file, &headers) })
    })
}

async fn index(headers: HeaderMap) -> Response {
    match FILES.iter().find(|file| file.address == INDEX) {
        Some(file) => answer(file, &headers),
        None => errors::ApiError::new(StatusCode::NOT_FOUND, "This build has no window. The API is below /api.")
            .into_response(),
    }
}

/// The file, or 304 when the browser has these very bytes.
fn answer(file: &File, asked: &HeaderMap) -> Response {
    let headers = [
        (header::CONTENT_TYPE, mime(file.address)),
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        // The program is the version: a new one must never run with a file of the old one, so a browser always asks.
        (header::CACHE_CONTROL, "no-cache"),
        (header::ETAG, file.tag),
    ];
    let has_it = asked.get_all(header::IF_NONE_MATCH).iter().any(|tags| names(tags, file.tag));
    let mut response = if has_it { StatusCode::NOT_MODIFIED.into_response() } else { file.bytes.into_response() };
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whether an `If-None-Match` names this tag (RFC 9110 section 13.1.2; a weak one is as good here).
fn names(tags: &HeaderValue, tag: &str) -> bool {
    let Ok(tags) = tags.to_str() else { return false };
    tags.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

/// The type of a file by its ending; a browser that gets the wrong one runs nothing.
fn mime(address: &str) -> &'static str {
    match address.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_the_windows_files_names_those_that_are_served() {
        #[derive(serde::Deserialize)]
        struct Listing {
            version: String,
            files: Vec<String>,
        }
        let list = FILES.iter().find(|file| file.address == "/window.json").expect("the build script writes it");
        let listing: Listing = serde_json::from_slice(list.bytes).expect("it is JSON");
        assert_eq!(listing.version.len(), 16);
        assert!(listing.files.iter().any(|name| name == INDEX));
        for name in &listing.files {
            assert!(FILES.iter().any(|file| file.address == name), "{name}");
        }
    }

    #[test]
    fn every_file_of_the_window_has_a_type_browsers_know() {
        for file in FILES {
            assert_ne!(mime(file.address), "application/octet-stream", "{}", file.address);
        }
        assert_eq!(mime("/a/b.c.js"), "text/javascript; charset=utf-8");
    }

    #[test]
    fn what_a_browser_has_already_is_not_sent_again() {
        let file = File { address: "/a.js", tag: "\"1f\"", bytes: b"let a;" };
        for (name, asked, want) in [
            ("nothing kept", None, StatusCode::OK),
            ("these bytes", Some("\"1f\""), StatusCode::NOT_MODIFIED),
            ("these bytes, through a proxy", Some("W/\"1f\""), StatusCode::NOT_MODIFIED),
            ("among others", Some("\"0\", \"1f\""), StatusCode::NOT_MODIFIED),
            ("other bytes", Some("\"2\""), StatusCode::OK),
            ("a part of the tag", Some("1f"), StatusCode::OK),
        ] {
            let asked = asked.map(|tag| (header::IF_NONE_MATCH, HeaderValue::from_static(tag)));
            let response = answer(&file, &HeaderMap::from_iter(asked));
            assert_eq!(response.status(), want, "{name}");
            assert_eq!(response.headers()[header::ETAG], "\"1f\"", "{name}");
        }
    }

    #[test]
    fn only_the_windows_own_scripts_run() {
        let response = answer(&File { address: "/index.html", tag: "\"1\"", bytes: b"<p>" }, &HeaderMap::new());
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().expect("text");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
    }
}
