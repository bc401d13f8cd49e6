//! `/api/memories/workspace`, `/summaries`, `/personas`, `/import`: what is kept beside single memories (contract section 7).

use super::errors::{Answer, ApiError};
use super::extract::{Body, Path, Query};
use super::files::{bad_form, in_time, too_large};
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, State};
use http::StatusCode;
use protocol::limits::UPLOAD_BYTES_MAX;
use protocol::memory_files::{
    ChatSummary, ImportResult, NewWorkspaceFile, Persona, SavedWorkspaceFile, WorkspaceFiles,
};
use serde::Deserialize;

/// What an upload's own parts may add to its file.
const FORM_BYTES_MAX: usize = 64 * 1024;

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/api/memories/workspace", workspace)
        .put("/api/memories/workspace/{file}", save)
        .get("/api/memories/summaries", summaries)
        .get("/api/memories/personas", personas)
        .upload("/api/memories/import", UPLOAD_BYTES_MAX + FORM_BYTES_MAX, import)
}

async fn workspace(State(gateway): State<Gateway>) -> Answer<Json<WorkspaceFiles>> {
    Ok(Json(gateway.engine.workspace_files().await?))
}

async fn save(
    State(gateway): State<Gateway>,
    Path(file): Path<String>,
    Body(new): Body<NewWorkspaceFile>,
) -> Answer<Json<SavedWorkspaceFile>> {
    let saved = gateway.engine.save_workspace_file(&file, new.content).await?;
    Ok(Json(SavedWorkspaceFile { saved }))
}

#[derive(Deserialize)]
struct HowMany {
    limit: Option<usize>,
}

async fn summaries(State(gateway): State<Gateway>, Query(ask): Query<HowMany>) -> Answer<Json<Vec<ChatSummary>>> {
    Ok(Json(gateway.engine.chat_summaries(ask.limit)?))
}

async fn personas(State(gateway): State<Gateway>) -> Answer<Json<Vec<Persona>>> {
    Ok(Json(gateway.engine.personas()))
}

#[derive(Deserialize)]
struct Target {
    scope: Option<String>,
}

async fn import(
    State(gateway): State<Gateway>,
    Query(into): Query<Target>,
    form: Result<Multipart, MultipartRejection>,
) -> Answer<Json<ImportResult>> {
    let mut form = form.map_err(|_| bad_form())?;
    while let Some(mut field) = in_time(form.next_field()).await? {
        if field.name() != Some("file") {
            continue;
        }
        let name = field.file_name().unwrap_or_default().to_owned();
        let mut bytes = Vec::new();
        while let Some(chunk) = in_time(field.chunk()).await? {
            if bytes.len() + chunk.len() > UPLOAD_BYTES_MAX {
                return Err(too_large());
            }
            bytes.extend_from_slice(&chunk);
        }
        return Ok(Json(gateway.engine.import_file(&name, bytes, into.scope.as_deref()).await?));
    }
    Err(ApiError::new(StatusCode::BAD_REQUEST, "The form has no part called `file`."))
}
