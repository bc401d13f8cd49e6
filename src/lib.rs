//! The program around the engine: command line, gateway, configuration file, and every adapter to the outside.
//!
//! Nothing here decides about the domain; `actors` does, with what this crate hands it.

pub mod adapters;
pub mod assemble;
pub mod cli;
pub mod config_file;
pub mod confine;
pub mod document;
pub mod environment;
pub mod gateway;
pub mod logging;
pub mod mcp_server;
pub mod serve;
pub mod terminal;

/// The version of this build.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
