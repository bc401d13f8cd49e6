//! What the engine's tests and benches share. Nothing here is part of the engine, and nothing here reaches the network
//! beyond loopback.

pub mod apps;
pub mod bench;
pub mod model_server;
pub mod sim;
pub mod story;
