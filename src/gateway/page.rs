//! The window: the files of `web/`, built into the program, with headers that let nothing foreign run in them.
//!
//! They hold no secret, so they need no token; the page itself asks for one. They say nothing about the person.

use super::{Routes, errors};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};

/// Only the engine's own scripts, styles and fonts; pictures also from memory; talks to this computer only.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                                       img-src 'self' data: blob:; \
                                       connect-src 'self' ws://127.0.0.1:* ws://localhost:*; font-src 'self'; \
                                       base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// One file of the window.
struct File {
    /// Where it is served, e.g. `/connection.js`.
    address: &'static str,
    bytes: &'static [u8],
}

/// Every file of `web/`, listed by the build script.
const FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/window.rs"));
/// What `/` shows.
const INDEX: &str = "/index.html";

pub(super) fn routes(routes: Routes) -> Routes {
    FILES
        .iter()
        .fold(routes.get("/", index), |routes, file| routes.get(file.address, move || async move { answer(file) }))
}

async fn index() -> Response {
    match FILES.iter().find(|file| file.address == INDEX) {
        Some(file) => answer(file),
        None => errors::ApiError::new(http::StatusCode::NOT_FOUND, "This build has no window. The API is below /api.")
            .into_response(),
    }
}

fn answer(file: &File) -> Response {
    let headers = [
        (header::CONTENT_TYPE, mime(file.address)),
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        // The program is the version: a new one must never run with a file of the old one.
        (header::CACHE_CONTROL, "no-cache"),
    ];
    let mut response = file.bytes.into_response();
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
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
    fn every_file_of_the_window_has_a_type_browsers_know() {
        for file in FILES {
            assert_ne!(mime(file.address), "application/octet-stream", "{}", file.address);
        }
        assert_eq!(mime("/a/b.c.js"), "text/javascript; charset=utf-8");
    }

    #[test]
    fn only_the_windows_own_scripts_run() {
        let response = answer(&File { address: "/index.html", bytes: b"<p>" });
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().expect("text");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
    }
}
