//! `/api/files`: attachments and what the assistant made (contract section 2 "Files"). An upload goes to disk as it
//! comes in; no file is ever held in memory whole.

use super::errors::{Answer, ApiError};
use super::extract::{BODY_WAIT_MAX, Path};
use super::ranges::{self, Asked};
use super::sessions::Done;
use super::{Gateway, Routes};
use axum::Json;
use axum::body::Body;
use axum::extract::multipart::{Field, MultipartError, MultipartRejection};
use axum::extract::{Multipart, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use protocol::Error;
use protocol::files::{FileRow, FileSource, StoredFile};
use protocol::limits::UPLOAD_BYTES_MAX;
use std::io::SeekFrom;
use std::path::PathBuf;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};
use tokio::time::timeout;
use tokio_util::io::ReaderStream;

/// What an upload's own parts may add to its file.
const FORM_BYTES_MAX: usize = 64 * 1024;
/// Characters of a file's name that need no escape in a header (RFC 8187, `attr-char`).
const NAME_KEPT: AsciiSet = NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');
/// Kinds a browser may show by itself: they run nothing.
const SHOWN: [&str; 9] = [
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "application/pdf",
    "text/plain",
    "audio/mpeg",
    "audio/wav",
    "video/mp4",
];

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/api/files", list)
        .upload("/api/files", UPLOAD_BYTES_MAX + FORM_BYTES_MAX, upload)
        .get_and_head("/api/files/content/{name}", content)
        .delete("/api/files/{name}", delete)
}

async fn list(State(gateway): State<Gateway>) -> Answer<Json<Vec<FileRow>>> {
    Ok(Json(gateway.engine.files().await?))
}

async fn delete(State(gateway): State<Gateway>, Path(name): Path<String>) -> Answer<Json<Done>> {
    gateway.engine.delete_file(name).await?;
    Ok(Done::OK)
}

async fn upload(
    State(gateway): State<Gateway>,
    form: Result<Multipart, MultipartRejection>,
) -> Answer<Json<StoredFile>> {
    let mut form = form.map_err(|_| bad_form())?;
    let (mut source, mut file) = (FileSource::Upload, None);
    while let Some(field) = in_time(form.next_field()).await? {
        match field.name().unwrap_or_default() {
            "source" => source = source_of(&in_time(field.text()).await?)?,
            "file" if file.is_none() => {
                let name = field.file_name().unwrap_or_default().to_owned();
                file = Some((name, Spool::fill(&gateway, field).await?));
            }
            _ => (),
        }
    }
    let Some((name, spool)) = file else {
        return Err(ApiError::new(StatusCode::BAD_REQUEST, "The form has no part called `file`."));
    };
    let stored = gateway.engine.save_upload(source, name, spool.open().await?).await?;
    Ok(Json(stored))
}

fn source_of(text: &str) -> Answer<FileSource> {
    let unknown = "The part `source` is upload, screen or selection.";
    FileSource::parse(text.trim()).ok_or_else(|| ApiError::new(StatusCode::BAD_REQUEST, unknown))
}

/// A part of a form, unless it takes too long to arrive.
pub(super) async fn in_time<T>(part: impl Future<Output = Result<T, MultipartError>>) -> Answer<T> {
    match timeout(BODY_WAIT_MAX, part).await {
        Ok(Ok(part)) => Ok(part),
        Ok(Err(error)) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => Err(too_large()),
        Ok(Err(_)) => Err(bad_form()),
        Err(_) => Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "The file took too long to arrive. Send it again.")),
    }
}

pub(super) fn bad_form() -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, "Send the file as a form (multipart/form-data) with a part called `file`.")
}

pub(super) fn too_large() -> ApiError {
    let limit = UPLOAD_BYTES_MAX / (1024 * 1024);
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, format!("The file is larger than {limit} MB."))
}

/// An upload on its way in. The file goes when this does.
struct Spool(PathBuf);

impl Drop for Spool {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::warn!(%error, "an upload's spool stays behind");
        }
    }
}

impl Spool {
    async fn fill(gateway: &Gateway, mut field: Field<'_>) -> Answer<Self> {
        let folder = PathBuf::from(&gateway.engine.small.outside.home).join("tmp");
        tokio::fs::create_dir_all(&folder).await.map_err(|cause| disk(&cause))?;
        let path = folder.join(format!("upload-{}", gateway.engine.world.id()));
        let mut file = tokio::fs::File::create_new(&path).await.map_err(|cause| disk(&cause))?;
        let spool = Self(path);
        let mut bytes = 0;
        while let Some(chunk) = in_time(field.chunk()).await? {
            bytes += chunk.len();
            if bytes > UPLOAD_BYTES_MAX {
                return Err(too_large());
            }
            file.write_all(&chunk).await.map_err(|cause| disk(&cause))?;
        }
        file.flush().await.map_err(|cause| disk(&cause))?;
        Ok(spool)
    }

    async fn open(&self) -> Answer<std::fs::File> {
        let file = tokio::fs::File::open(&self.0).await.map_err(|cause| disk(&cause))?;
        Ok(file.into_std().await)
    }
}

fn disk(cause: &std::io::Error) -> ApiError {
    tracing::error!(%cause, "an upload cannot be written");
    Error::new(protocol::ErrorKind::Unavailable, "The file could not be written.")
        .hint("Check that the disk has room.")
        .into()
}

async fn content(
    State(gateway): State<Gateway>,
    method: Method,
    Path(name): Path<String>,
    asked_with: HeaderMap,
) -> Answer<Response> {
    let last = name.rsplit('/').next().unwrap_or_default().to_owned();
    let content = gateway.engine.file_content(name).await?;
    let size = content.size;
    let tag = ranges::entity_tag(content.modified_at, size);
    // Ranges are for GET alone (RFC 9110, section 14.2).
    let asked = if method == Method::GET { ranges::asked(&asked_with, size, &tag) } else { Asked::Whole };
    let (status, length) = match asked {
        _ if ranges::is_known(&asked_with, &tag) => (StatusCode::NOT_MODIFIED, 0),
        Asked::Whole => (StatusCode::OK, size),
        Asked::Part { first, last } => (StatusCode::PARTIAL_CONTENT, last - first + 1),
        Asked::Nothing => (StatusCode::RANGE_NOT_SATISFIABLE, 0),
    };
    let body = if method == Method::HEAD || length == 0 {
        Body::empty()
    } else {
        let mut file = tokio::fs::File::from_std(content.file);
        if let Asked::Part { first, .. } = asked {
            file.seek(SeekFrom::Start(first)).await.map_err(|cause| unreadable(&cause))?;
        }
        Body::from_stream(ReaderStream::new(file.take(length)))
    };
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::ETAG, text(&tag));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    match asked {
        Asked::Whole => (),
        Asked::Part { first, last } => {
            headers.insert(header::CONTENT_RANGE, text(&format!("bytes {first}-{last}/{size}")));
        }
        Asked::Nothing => {
            headers.insert(header::CONTENT_RANGE, text(&format!("bytes */{size}")));
        }
    }
    // With 304 it is the length of what was not sent (RFC 9110, section 8.6).
    let told = if status == StatusCode::NOT_MODIFIED { size } else { length };
    headers.insert(header::CONTENT_LENGTH, told.into());
    headers.insert(header::CONTENT_TYPE, text(&content.mime));
    headers.insert(header::CONTENT_DISPOSITION, text(&disposition(&content.mime, &last)));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // A file someone sent must not run as a page of the engine, whatever it says it is.
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}

fn unreadable(cause: &std::io::Error) -> ApiError {
    tracing::error!(%cause, "a file cannot be sent from where it was asked for");
    Error::new(protocol::ErrorKind::Unavailable, "The file could not be read.").into()
}

/// Shown only when showing it runs nothing; the name as RFC 6266 and RFC 8187 write it.
fn disposition(mime: &str, name: &str) -> String {
    let how = if SHOWN.contains(&mime) { "inline" } else { "attachment" };
    format!("{how}; filename*=UTF-8''{}", utf8_percent_encode(name, &NAME_KEPT))
}

fn text(value: &str) -> HeaderValue {
    HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_run_is_never_shown_by_itself() {
        for (mime, name, want) in [
            ("image/png", "a b.png", "inline; filename*=UTF-8''a%20b.png"),
            ("text/html", "page.html", "attachment; filename*=UTF-8''page.html"),
            ("image/svg+xml", "x.svg", "attachment; filename*=UTF-8''x.svg"),
            ("text/plain", "ü\"\r\n.txt", "inline; filename*=UTF-8''%C3%BC%22%0D%0A.txt"),
        ] {
            assert_eq!(disposition(mime, name), want);
        }
    }
}
