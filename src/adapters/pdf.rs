//! The words of a PDF. The reader is known to panic and to take long on odd files, so it works on a thread of its own,
//! within a time limit, and only a few at once: a thread that cannot be stopped keeps its place until it is done.

use actors::ports::{Documents, WebError};
use futures::future::{BoxFuture, FutureExt};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{Duration, timeout};

/// PDFs read at the same time.
const READERS_MAX: usize = 2;
const READ_TIMEOUT: Duration = Duration::from_secs(20);

/// Reads PDFs. Cheap to clone; clones share the places.
#[derive(Clone)]
pub struct Pdfs {
    places: Arc<Semaphore>,
}

impl Default for Pdfs {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(READERS_MAX)) }
    }
}

impl Pdfs {
    /// The text of a PDF, or a sentence that says why there is none.
    pub async fn text(&self, bytes: Vec<u8>) -> Result<String, WebError> {
        let slow = |_| WebError("This PDF takes too long to read.".to_owned());
        let read = async {
            let Ok(place) = self.places.clone().acquire_owned().await else {
                return Err(WebError("PDFs cannot be read right now.".to_owned()));
            };
            let work = spawn_blocking(move || {
                let text = pdf_extract::extract_text_from_mem(&bytes);
                drop(place);
                text.map_err(|_| ())
            });
            match work.await {
                Ok(Ok(text)) => worded(&text),
                Ok(Err(())) | Err(_) => {
                    Err(WebError("This PDF is damaged or locked with a password, so it cannot be read.".to_owned()))
                }
            }
        };
        timeout(READ_TIMEOUT, read).await.map_err(slow)?
    }
}

impl Documents for Pdfs {
    fn pdf_text(&self, bytes: Vec<u8>) -> BoxFuture<'static, Result<String, WebError>> {
        let pdfs = self.clone();
        async move { pdfs.text(bytes).await }.boxed()
    }
}

/// The text without its wide gaps; an error when there is none.
fn worded(text: &str) -> Result<String, WebError> {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines().map(str::trim_end) {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 && !(line.is_empty() && out.is_empty()) {
            out.push_str(line);
            out.push('\n');
        }
    }
    let out = out.trim().to_owned();
    if out.is_empty() {
        return Err(WebError("This PDF holds pictures only and no text; it may be a scan.".to_owned()));
    }
    Ok(out)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A PDF of one page with these words on it, with its table of objects as PDF 1.4 (section 3.4) wants it.
    pub(crate) fn pdf_of(words: &str) -> Vec<u8> {
        let stream = format!("BT /F1 24 Tf 72 700 Td ({words}) Tj ET");
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
            format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        ];
        let (mut out, mut places) = ("%PDF-1.4\n".to_owned(), Vec::new());
        for (number, object) in objects.iter().enumerate() {
            places.push(out.len());
            out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", number + 1));
        }
        let table = out.len();
        out.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
        for place in places {
            out.push_str(&format!("{place:010} 00000 n \n"));
        }
        out.push_str(&format!("trailer << /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1));
        out.into_bytes()
    }

    #[tokio::test]
    async fn a_pdf_is_read() {
        assert_eq!(Pdfs::default().text(pdf_of("Rain fell on Tuesday")).await.unwrap(), "Rain fell on Tuesday");
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_explained() {
        let good = pdf_of("words");
        for (bytes, want) in [
            (b"not a pdf".to_vec(), "damaged"),
            (Vec::new(), "damaged"),
            (good[..good.len() / 3].to_vec(), "damaged"),
            (pdf_of(""), "no text"),
        ] {
            let error = Pdfs::default().text(bytes).await.unwrap_err();
            assert!(error.0.contains(want), "{error}");
        }
    }

    #[test]
    fn wide_gaps_are_closed() {
        assert_eq!(worded("\n\n\na\n\n\n\nb  \n").unwrap(), "a\n\nb");
    }
}
