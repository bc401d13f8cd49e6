//! The one integration binary: what holds for the whole repository and across crates. One link instead of many.

mod api;
mod architecture;
mod early_model;
mod model_server;
mod models;
mod tidy;
mod turns;
mod workspace;
