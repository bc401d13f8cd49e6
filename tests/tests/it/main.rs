//! One binary for all integration tests, so that they link once.

mod model_server;
mod turns;
mod models;
