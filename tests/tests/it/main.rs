//! The one integration binary: what holds for the whole repository and across crates. One link instead of many.

mod api;
mod architecture;
mod callers;
mod chats;
mod early_model;
mod effects;
mod faults;
mod folders;
mod kept_connections;
mod knowing;
mod learning;
mod memory;
mod model_server;
mod models;
mod outside;
mod sim;
mod stage;
mod stop;
mod tidy;
mod turns;
mod workspace;
