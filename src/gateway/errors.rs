//! What went wrong, as HTTP says it: a status and `{"detail": sentence}` (contract, preamble).
//!
//! The sentence is for the person: what happened and what to do. Causes stay in the log; a bug never shows its insides.

use super::v1::{self, V1Error};
use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, Method, StatusCode, Uri, header};
use protocol::{Error, ErrorKind};
use serde_json::{Value, json};

/// An error on its way to an HTTP client.
#[derive(Debug)]
pub(super) struct ApiError {
    status: StatusCode,
    detail: Value,
}

/// What a handler answers.
pub(super) type Answer<T> = Result<T, ApiError>;

impl ApiError {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: Value::String(detail.into()) }
    }

    /// The same for a client of `/v1`.
    pub(super) fn into_v1(self) -> V1Error {
        let sentence = self.detail.as_str().unwrap_or_default().to_owned();
        V1Error::turned_away(self.status, sentence)
    }

    /// A list of problems, one per field (contract section 2 "Config").
    pub(super) fn fields(problems: Value) -> Self {
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, detail: problems }
    }
}

/// The one mapping from what code knows to what HTTP says.
pub(super) fn status_of(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::Invalid => StatusCode::BAD_REQUEST,
        ErrorKind::Unprocessable => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Conflict | ErrorKind::Cancelled => StatusCode::CONFLICT,
        ErrorKind::Denied => StatusCode::FORBIDDEN,
        ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::Busy => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::Timeout => StatusCode::GATEWAY_TIMEOUT,
        ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::Upstream => StatusCode::BAD_GATEWAY,
        ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The words a client may see. A bug's own words go to the log only.
pub(super) fn public_detail(error: &Error) -> String {
    if error.kind != ErrorKind::Internal {
        return error.detail();
    }
    tracing::error!(%error, "an answer failed");
    "Something went wrong inside Sentient. Try again; the engine's log says more.".into()
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        Self::new(status_of(error.kind), public_detail(&error))
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(json!({ "detail": self.detail }))).into_response();
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> Self {
        match rejection {
            JsonRejection::JsonDataError(error) => Self::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                format!("The body has not the shape this address takes: {}.", cause(&error)),
            ),
            JsonRejection::JsonSyntaxError(error) => {
                Self::new(StatusCode::BAD_REQUEST, format!("The body is not JSON: {}.", cause(&error)))
            }
            JsonRejection::MissingJsonContentType(_) => Self::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "Send the body as JSON, with the header Content-Type: application/json.",
            ),
            other => Self::body(other.status()),
        }
    }
}

impl ApiError {
    /// A body that could not be read for another reason than its content.
    pub(super) fn body(status: StatusCode) -> Self {
        if status == StatusCode::PAYLOAD_TOO_LARGE {
            let limit = protocol::limits::BODY_BYTES_MAX / (1024 * 1024);
            return Self::new(
                status,
                format!("The body is too large. Send at most {limit} MB, and larger texts as files."),
            );
        }
        Self::new(StatusCode::BAD_REQUEST, "The body could not be read to its end. Send it again.")
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            format!("The address has a part that cannot be read: {}.", cause(&rejection)),
        )
    }
}

impl From<PathRejection> for ApiError {
    fn from(_: PathRejection) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "The address has a name in it that cannot be read. Encode it as UTF-8.")
    }
}

/// The innermost cause, which is what the person can act on, without a full stop.
fn cause(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(next) = last.source() {
        last = next;
    }
    last.to_string().trim_end_matches('.').to_owned()
}

/// The answer at an address that is not served.
pub(super) async fn unknown_address(method: Method, uri: Uri) -> Response {
    if v1::is_v1(uri.path()) {
        return v1::unknown(&method, uri.path(), StatusCode::NOT_FOUND);
    }
    ApiError::new(
        StatusCode::NOT_FOUND,
        format!("There is nothing at {method} {}. Check the address; `sentient surface` lists them all.", uri.path()),
    )
    .into_response()
}

/// The answer at an address that is served, but not with this method.
pub(super) async fn unknown_method(method: Method, uri: Uri) -> Response {
    if v1::is_v1(uri.path()) {
        return v1::unknown(&method, uri.path(), StatusCode::METHOD_NOT_ALLOWED);
    }
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        format!("{} does not take {method}. The Allow header says what it takes.", uri.path()),
    )
    .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn shown(error: ApiError) -> (u16, String) {
        let response = error.into_response();
        let status = response.status().as_u16();
        let body = axum::body::to_bytes(response.into_body(), 4096).await.expect("a short body");
        (status, String::from_utf8(body.to_vec()).expect("text"))
    }

    #[tokio::test]
    async fn every_kind_has_its_status_and_its_words() {
        for (kind, status) in [
            (ErrorKind::Invalid, 400),
            (ErrorKind::Unprocessable, 422),
            (ErrorKind::NotFound, 404),
            (ErrorKind::Conflict, 409),
            (ErrorKind::Denied, 403),
            (ErrorKind::TooLarge, 413),
            (ErrorKind::Busy, 429),
            (ErrorKind::Timeout, 504),
            (ErrorKind::Cancelled, 409),
            (ErrorKind::Unavailable, 503),
            (ErrorKind::Upstream, 502),
        ] {
            let error = Error::new(kind, "It broke.").hint("Try again.");
            assert_eq!(shown(error.into()).await, (status, r#"{"detail":"It broke. Try again."}"#.into()), "{kind:?}");
        }
    }

    #[tokio::test]
    async fn a_bug_keeps_its_insides_to_itself() {
        let (status, body) = shown(Error::internal("slot 7 was empty").into()).await;
        assert_eq!(status, 500);
        assert!(!body.contains("slot 7"), "{body}");
    }

    #[test]
    fn busy_says_when_to_come_back() {
        let response = ApiError::from(Error::new(ErrorKind::Busy, "Full.")).into_response();
        assert_eq!(response.headers()[header::RETRY_AFTER], "1");
    }
}
