//! One binary for all integration tests, so that they link once.

mod model_server;
mod turns;
mod models;
//! The one integration binary: what holds for the whole repository and across crates. One link instead of many.

mod architecture;
mod tidy;
mod workspace;
