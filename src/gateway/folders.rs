//! `/api/folders`: folders of notes (contract section 22).

use super::errors::Answer;
use super::extract::{Body, Path, Query};
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use http::StatusCode;
use protocol::folders::{Folder, FolderAnswer, FolderList, FolderPatch, FolderQuery, NewFolder};
use protocol::memory::ForgetCounts;
use serde::{Deserialize, Serialize};

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/api/folders", list)
        .post("/api/folders", add)
        .post("/api/folders/search", search)
        .patch("/api/folders/{id}", change)
        .delete("/api/folders/{id}", remove)
        .post("/api/folders/{id}/rescan", rescan)
}

#[derive(Serialize)]
struct Removed {
    removed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    forgotten: Option<ForgetCounts>,
}

#[derive(Deserialize)]
struct How {
    /// Also what was learned from its notes.
    #[serde(default)]
    forget: bool,
}

#[derive(Serialize)]
struct Queued {
    queued: bool,
}

async fn list(State(gateway): State<Gateway>) -> Answer<Json<FolderList>> {
    Ok(Json(gateway.engine.folders().await?))
}

async fn add(State(gateway): State<Gateway>, Body(new): Body<NewFolder>) -> Answer<Json<Folder>> {
    Ok(Json(gateway.engine.add_folder(new).await?))
}

async fn change(
    State(gateway): State<Gateway>,
    Path(id): Path<String>,
    Body(patch): Body<FolderPatch>,
) -> Answer<Json<Folder>> {
    Ok(Json(gateway.engine.change_folder(id, patch).await?))
}

async fn remove(
    State(gateway): State<Gateway>,
    Path(id): Path<String>,
    Query(how): Query<How>,
) -> Answer<Json<Removed>> {
    let forgotten = gateway.engine.remove_folder(id, how.forget).await?;
    Ok(Json(Removed { removed: true, forgotten }))
}

async fn rescan(State(gateway): State<Gateway>, Path(id): Path<String>) -> Answer<(StatusCode, Json<Queued>)> {
    gateway.engine.rescan_folder(id).await?;
    Ok((StatusCode::ACCEPTED, Json(Queued { queued: true })))
}

async fn search(State(gateway): State<Gateway>, Body(query): Body<FolderQuery>) -> Answer<Json<FolderAnswer>> {
    Ok(Json(gateway.engine.search_folders(query).await?))
}
