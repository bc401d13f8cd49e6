//! Reading what a request carries, with every refusal as `{"detail": sentence}` and a limit on how long a slow body may
//! take.

use super::errors::ApiError;
use axum::extract::{FromRequest, FromRequestParts, Request};
use http::StatusCode;
use http::request::Parts;
use serde::de::DeserializeOwned;
use tokio::time::{Duration, timeout};

/// How long a JSON body may take to arrive. Ours.
pub(super) const BODY_WAIT_MAX: Duration = Duration::from_secs(30);

/// A JSON body.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let read = timeout(BODY_WAIT_MAX, axum::Json::<T>::from_request(request, state)).await;
        match read {
            Ok(Ok(axum::Json(value))) => Ok(Self(value)),
            Ok(Err(rejection)) => Err(rejection.into()),
            Err(_) => {
                Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "The body took too long to arrive. Send it again."))
            }
        }
    }
}

/// A JSON body that may be left out, and that is refused when it is there and cannot be read.
pub(super) struct MaybeBody<T>(pub(super) T);

impl<T: DeserializeOwned + Default, S: Send + Sync> FromRequest<S> for MaybeBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let is_empty = axum::body::HttpBody::size_hint(request.body()).exact() == Some(0);
        if is_empty {
            return Ok(Self(T::default()));
        }
        Body::from_request(request, state).await.map(|Body(value)| Self(value))
    }
}

/// A JSON body that may be left out: then, and when it is empty, everything is at its default. What is there and cannot be
/// read counts as left out too: a Stop must not fail over its own description.
pub(super) struct OptionalBody<T>(pub(super) T);

impl<T: DeserializeOwned + Default, S: Send + Sync> FromRequest<S> for OptionalBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let read = timeout(BODY_WAIT_MAX, axum::body::Bytes::from_request(request, state)).await;
        let bytes = read.ok().and_then(Result::ok).unwrap_or_default();
        Ok(Self(serde_json::from_slice(&bytes).unwrap_or_default()))
    }
}

/// The part of the address after `?`.
pub(super) struct Query<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let axum::extract::Query(value) = axum::extract::Query::<T>::from_request_parts(parts, state).await?;
        Ok(Self(value))
    }
}

/// Names in the address.
pub(super) struct Path<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let axum::extract::Path(value) = axum::extract::Path::<T>::from_request_parts(parts, state).await?;
        Ok(Self(value))
    }
}
