//! The gateway: HTTP and WebSocket in, requests to the engine out. It translates and decides nothing about the domain.
//!
//! Every route is collected by [`Routes`] so that what is listed is what is served. A router is a plain tower service:
//! tests call it without a socket.

mod access;
mod approvals;
mod bootstrap;
mod caller;
mod chat;
mod computer;
mod config;
mod connection;
mod dreams;
mod engine;
mod errors;
mod extract;
mod files;
mod folders;
mod guard;
mod health;
mod mcp_server;
mod memories;
mod memories_review;
mod memory_files;
mod models;
mod narrative;
mod notifications;
mod page;
mod ranges;
mod restore;
mod routes;
mod rule_proposals;
mod secrets;
mod sessions;
mod stop;
mod subagents;
mod tools;
mod undo;
mod usage;
mod user_model;
mod v1;
mod ws;

pub use access::Access;
pub use connection::ConnectionEnds;
pub use guard::{HostPolicy, Token, is_loopback};
pub use routes::{Route, Routes};

use actors::Engine;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// WebSockets open at once. Ours: a person has a handful of windows.
pub const SOCKETS_MAX: usize = 64;

/// What handlers work with. Cheap to clone.
#[derive(Clone)]
pub struct Gateway {
    pub engine: Engine,
    pub access: Arc<Access>,
    /// Ends every socket when the engine goes.
    pub closing: CancellationToken,
    sockets: Arc<Semaphore>,
}

impl Gateway {
    pub fn new(engine: Engine, access: Access) -> Self {
        let sockets = Arc::new(Semaphore::new(SOCKETS_MAX));
        Self { engine, access: Arc::new(access), closing: CancellationToken::new(), sockets }
    }
}

/// All routes, one line per topic.
pub fn routes() -> Routes {
    let routes = Routes::default();
    let routes = health::routes(routes);
    let routes = bootstrap::routes(routes);
    let routes = config::routes(routes);
    let routes = sessions::routes(routes);
    let routes = subagents::routes(routes);
    let routes = chat::routes(routes);
    let routes = approvals::routes(routes);
    let routes = undo::routes(routes);
    let routes = stop::routes(routes);
    let routes = restore::routes(routes);
    let routes = files::routes(routes);
    let routes = folders::routes(routes);
    let routes = tools::routes(routes);
    let routes = computer::routes(routes);
    let routes = usage::routes(routes);
    let routes = notifications::routes(routes);
    let routes = memories::routes(routes);
    let routes = memory_files::routes(routes);
    let routes = models::routes(routes);
    let routes = secrets::routes(routes);
    let routes = rule_proposals::routes(routes);
    let routes = user_model::routes(routes);
    let routes = dreams::routes(routes);
    let routes = narrative::routes(routes);
    let routes = engine::routes(routes);
    let routes = mcp_server::routes(routes);
    let routes = v1::routes(routes);
    let routes = ws::routes(routes);
    page::routes(routes)
}

/// The service that answers requests.
pub fn router(gateway: Gateway) -> Router {
    routes()
        .into_router()
        .fallback(errors::unknown_address)
        .method_not_allowed_fallback(errors::unknown_method)
        .layer(DefaultBodyLimit::max(protocol::limits::BODY_BYTES_MAX))
        .layer(axum::middleware::from_fn_with_state(gateway.clone(), access::check))
        .with_state(gateway)
}
