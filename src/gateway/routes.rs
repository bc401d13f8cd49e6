//! Collects every route with its method and path, so that `sentient surface --json` lists exactly what is served.

use super::Gateway;
use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};
use serde::Serialize;

/// One served address, written as the contract writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Route {
    pub method: &'static str,
    pub path: &'static str,
}

/// The routes so far.
#[derive(Default)]
pub struct Routes {
    router: Router<Gateway>,
    listed: Vec<Route>,
}

impl Routes {
    #[must_use]
    pub fn get<H: Handler<T, Gateway>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.add("GET", path, on(MethodFilter::GET, handler))
    }

    /// `GET`, and `HEAD` as a route of the contract's own: the same answer without the bytes.
    #[must_use]
    pub fn get_and_head<H: Handler<T, Gateway>, T: 'static>(mut self, path: &'static str, handler: H) -> Self {
        self.listed.push(Route { method: "HEAD", path });
        self.add("GET", path, on(MethodFilter::GET, handler))
    }

    #[must_use]
    pub fn post<H: Handler<T, Gateway>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.add("POST", path, on(MethodFilter::POST, handler))
    }

    #[must_use]
    pub fn put<H: Handler<T, Gateway>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.add("PUT", path, on(MethodFilter::PUT, handler))
    }

    #[must_use]
    pub fn patch<H: Handler<T, Gateway>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.add("PATCH", path, on(MethodFilter::PATCH, handler))
    }

    #[must_use]
    pub fn delete<H: Handler<T, Gateway>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.add("DELETE", path, on(MethodFilter::DELETE, handler))
    }

    /// A WebSocket.
    #[must_use]
    pub fn socket<H: Handler<T, Gateway>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.add("WS", path, on(MethodFilter::GET, handler))
    }

    /// A route whose body may be larger than a JSON body's limit.
    #[must_use]
    pub fn upload<H: Handler<T, Gateway>, T: 'static>(self, path: &'static str, bytes_max: usize, handler: H) -> Self {
        let limit = axum::extract::DefaultBodyLimit::max(bytes_max);
        self.add("POST", path, on(MethodFilter::POST, handler).layer(limit))
    }

    /// A file of the window: served, and no part of what other programs may rely on, so it is not listed.
    #[must_use]
    pub fn file<H: Handler<T, Gateway>, T: 'static>(mut self, path: &'static str, handler: H) -> Self {
        self.router = self.router.route(path, on(MethodFilter::GET, handler));
        self
    }

    fn add(mut self, method: &'static str, path: &'static str, route: MethodRouter<Gateway>) -> Self {
        self.listed.push(Route { method, path });
        self.router = self.router.route(&served_path(path), route);
        self
    }

    /// What is served, in the order of path and method.
    pub fn listed(&self) -> Vec<Route> {
        let mut listed = self.listed.clone();
        listed.sort_by_key(|route| (route.path, route.method));
        listed
    }

    pub(super) fn into_router(self) -> Router<Gateway> {
        self.router
    }
}

/// Names of files hold slashes, so the last `{name}` below `/api/files` takes all that is left of the address.
fn served_path(path: &str) -> String {
    match path.strip_suffix("{name}") {
        Some(front) if front.starts_with("/api/files/") => format!("{front}{{*name}}"),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_is_what_the_contract_calls_it() {
        async fn nothing() {}
        let routes = Routes::default()
            .get_and_head("/api/files/content/{name}", nothing)
            .delete("/api/files/{name}", nothing)
            .put("/api/secrets/{name}", nothing);
        let listed: Vec<String> =
            routes.listed().iter().map(|route| format!("{} {}", route.method, route.path)).collect();
        let want = [
            "GET /api/files/content/{name}",
            "HEAD /api/files/content/{name}",
            "DELETE /api/files/{name}",
            "PUT /api/secrets/{name}",
        ];
        assert_eq!(listed, want);
        assert_eq!(served_path("/api/files/{name}"), "/api/files/{*name}");
        assert_eq!(served_path("/api/secrets/{name}"), "/api/secrets/{name}");
    }
}
