//! `/api/memories/review`: what waits for the person, and what was folded together at night (contract section 7, "Memories
//! waiting for review"). Nothing but these addresses takes a held memory in.

use super::errors::Answer;
use super::extract::{Body, MaybeBody, Path};
use super::sessions::Done;
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use protocol::Error;
use protocol::memory::{Memory, ReviewKind};
use protocol::memory_requests::Review;
use serde::{Deserialize, Serialize};

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/api/memories/review", list)
        .post("/api/memories/review/approve-all", approve_all)
        .post("/api/memories/review/merged/{id}/undo", undo_merge)
        .post("/api/memories/review/{kind}/{id}/approve", approve)
        .delete("/api/memories/review/{kind}/{id}", discard)
}

async fn list(State(gateway): State<Gateway>) -> Answer<Json<Review>> {
    Ok(Json(gateway.engine.memory_review().await?))
}

#[derive(Default, Deserialize)]
struct Words {
    content: Option<String>,
}

async fn approve(
    State(gateway): State<Gateway>,
    Path((kind, id)): Path<(String, String)>,
    MaybeBody(Words { content }): MaybeBody<Words>,
) -> Answer<Json<Done>> {
    gateway.engine.approve_held(read(&kind)?, &id, content).await?;
    Ok(Done::OK)
}

async fn discard(State(gateway): State<Gateway>, Path((kind, id)): Path<(String, String)>) -> Answer<Json<Done>> {
    gateway.engine.discard_held(read(&kind)?, &id).await?;
    Ok(Done::OK)
}

fn read(kind: &str) -> Result<ReviewKind, Error> {
    match kind {
        "fact" => Ok(ReviewKind::Fact),
        "insight" => Ok(ReviewKind::Insight),
        _ => Err(Error::invalid("What waits for review is a `fact` or an `insight`.")),
    }
}

#[derive(Deserialize)]
struct From {
    #[serde(default)]
    from: String,
}

#[derive(Serialize)]
struct Approved {
    approved: usize,
}

async fn approve_all(State(gateway): State<Gateway>, Body(From { from }): Body<From>) -> Answer<Json<Approved>> {
    Ok(Json(Approved { approved: gateway.engine.approve_all_held(&from).await? }))
}

#[derive(Serialize)]
struct Undone {
    ok: bool,
    memory: Memory,
}

async fn undo_merge(State(gateway): State<Gateway>, Path(id): Path<u64>) -> Answer<Json<Undone>> {
    Ok(Json(Undone { ok: true, memory: gateway.engine.undo_merge(id).await? }))
}
