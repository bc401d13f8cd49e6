//! `--open`: the window in the person's browser.
//!
//! The token must not be an argument of another program, since every account can read those. So the browser is sent to
//! a file only its owner can read, which sends it on.

use super::files::write_private;
use std::path::{Path, PathBuf};
use tokio::process::Command;

const FILE: &str = "window.html";

/// The file that sends the browser on; it goes when this is dropped.
pub(super) struct OpenFile(PathBuf);

impl Drop for OpenFile {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::debug!(%error, "the window's file was already gone");
        }
    }
}

/// Opens the window. What goes wrong is only logged: the address was printed too.
pub(super) async fn open(home: &Path, page: &str) -> Option<OpenFile> {
    let path = home.join(FILE);
    if let Err(error) = write_private(&path, redirect(page).as_bytes()) {
        tracing::warn!(%error, "the window could not be opened");
        return None;
    }
    let file = OpenFile(path);
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    match Command::new(program).arg(&file.0).status().await {
        Ok(_) => (),
        Err(error) => tracing::warn!(%error, "no browser could be opened; open the address yourself"),
    }
    Some(file)
}

fn redirect(page: &str) -> String {
    let page = page.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    format!(
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0;url={page}\"><title>Sentient</title>\
         <p><a href=\"{page}\">Open Sentient</a></p>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_cannot_break_out_of_the_page() {
        let page = redirect("http://127.0.0.1:1/#token=\"><script>");
        assert!(!page.contains("<script>"), "{page}");
        assert!(page.contains("url=http://127.0.0.1:1/#token=&quot;>&lt;script>"), "{page}");
    }
}
