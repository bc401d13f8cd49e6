//! What went wrong, in the shape OpenAI's clients read: `{error: {message, type, param, code}}`. Every one says that it
//! makes no sense to try again by itself: a second try would run the turn's tools a second time.

use super::BODY_BYTES_MAX;
use crate::gateway::errors::public_detail;
use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, StatusCode};
use protocol::{Error, ErrorKind};
use rules::callers::openai::BadRequest;
use serde_json::{Value, json};

/// OpenAI's own clients ask this header before they try again.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// An error on its way to a client of `/v1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::gateway) struct V1Error {
    status: StatusCode,
    code: &'static str,
    message: String,
    /// The field of the request it is about.
    param: Option<&'static str>,
}

impl V1Error {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), param: None }
    }

    pub(super) fn off() -> Self {
        let message = "Sentient's API for other apps is switched off. Turn it on in Settings > Integrations.";
        Self::new(StatusCode::NOT_FOUND, "api_off", message)
    }

    pub(super) fn not_local() -> Self {
        let message = "Sentient's API answers apps on this computer only. Connect directly to its address there.";
        Self::new(StatusCode::FORBIDDEN, "local_only", message)
    }

    pub(super) fn bad_key() -> Self {
        let message = "This API key is missing or wrong. Make a new one in Settings > Integrations.";
        Self::new(StatusCode::UNAUTHORIZED, "invalid_api_key", message)
    }

    /// A request that was turned away at the door: a foreign page or name.
    pub(in crate::gateway) fn turned_away(status: StatusCode, message: String) -> Self {
        let code = if status == StatusCode::FORBIDDEN { "local_only" } else { INVALID };
        Self::new(status, code, message)
    }

    pub(super) fn unknown(status: StatusCode, message: String) -> Self {
        Self::new(status, "unknown_url", message)
    }

    /// A body that did not arrive whole.
    pub(super) fn unreadable(status: StatusCode) -> Self {
        let message = match status {
            StatusCode::PAYLOAD_TOO_LARGE => {
                format!("The body is too large. Send at most {} MB.", BODY_BYTES_MAX / (1024 * 1024))
            }
            StatusCode::REQUEST_TIMEOUT => "The body took too long to arrive. Send it again.".into(),
            _ => "The body could not be read to its end. Send it again.".into(),
        };
        Self::new(status, INVALID, message)
    }

    /// The turn was stopped.
    pub(super) fn stopped() -> Self {
        Self::new(StatusCode::CONFLICT, "stopped", "Stopped.")
    }

    /// The turn ended in an error.
    pub(super) fn turn_failed(message: String) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "turn_failed", message)
    }

    /// The body: also the last line of a stream whose turn failed.
    pub(super) fn body(&self) -> Value {
        let kind = match self.status {
            StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
            status if status.is_server_error() => "server_error",
            _ => "invalid_request_error",
        };
        json!({ "error": { "message": self.message, "type": kind, "param": self.param, "code": self.code } })
    }
}

const INVALID: &str = "invalid_request";

impl From<BadRequest> for V1Error {
    fn from(bad: BadRequest) -> Self {
        match bad {
            BadRequest::Invalid { message, field } => {
                Self { param: field, ..Self::new(StatusCode::BAD_REQUEST, INVALID, message) }
            }
            BadRequest::NoUserMessage => {
                let message = "There is no message of the user to answer: the last one with that role has no text.";
                let error = Self::new(StatusCode::BAD_REQUEST, "no_user_message", message);
                Self { param: Some("messages"), ..error }
            }
        }
    }
}

impl From<Error> for V1Error {
    fn from(error: Error) -> Self {
        let message = public_detail(&error);
        match error.kind {
            ErrorKind::Conflict => Self::new(StatusCode::CONFLICT, "chat_busy", message),
            ErrorKind::Cancelled => Self::stopped(),
            ErrorKind::Busy => Self::new(StatusCode::TOO_MANY_REQUESTS, "busy", message),
            ErrorKind::Invalid | ErrorKind::Unprocessable | ErrorKind::TooLarge => {
                Self::new(StatusCode::BAD_REQUEST, INVALID, message)
            }
            _ => Self::turn_failed(message),
        }
    }
}

impl IntoResponse for V1Error {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body())).into_response();
        response.headers_mut().insert(SHOULD_RETRY, HeaderValue::from_static("false"));
        response
    }
}
