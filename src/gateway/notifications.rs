//! `/api/notifications`: the notification centre (contract section 6).

use super::caller::Caller;
use super::errors::Answer;
use super::extract::{Body, Path, Query};
use super::sessions::Done;
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use protocol::ids::NotificationId;
use protocol::notifications::{NewNote, Notification, NotificationList};
use serde::Deserialize;

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/api/notifications", list)
        .post("/api/notifications", add)
        .delete("/api/notifications", delete_all)
        .post("/api/notifications/read-all", read_all)
        .post("/api/notifications/{id}/read", read)
        .delete("/api/notifications/{id}", delete)
}

#[derive(Deserialize)]
struct Which {
    limit: Option<usize>,
    #[serde(default)]
    unread_only: bool,
}

async fn list(State(gateway): State<Gateway>, Query(which): Query<Which>) -> Answer<Json<NotificationList>> {
    Ok(Json(gateway.engine.notifications(which.limit, which.unread_only).await?))
}

async fn add(State(gateway): State<Gateway>, caller: Caller, Body(note): Body<NewNote>) -> Answer<Json<Notification>> {
    Ok(Json(match caller {
        Caller::Window => gateway.engine.add_note(note).await?,
        Caller::Mcp => gateway.engine.add_app_note(note).await?,
    }))
}

async fn read(State(gateway): State<Gateway>, Path(id): Path<NotificationId>) -> Answer<Json<Done>> {
    gateway.engine.read_notifications(Some(id)).await?;
    Ok(Done::OK)
}

async fn read_all(State(gateway): State<Gateway>) -> Answer<Json<Done>> {
    gateway.engine.read_notifications(None).await?;
    Ok(Done::OK)
}

async fn delete(State(gateway): State<Gateway>, Path(id): Path<NotificationId>) -> Answer<Json<Done>> {
    gateway.engine.delete_notifications(Some(id)).await?;
    Ok(Done::OK)
}

async fn delete_all(State(gateway): State<Gateway>) -> Answer<Json<Done>> {
    gateway.engine.delete_notifications(None).await?;
    Ok(Done::OK)
}
