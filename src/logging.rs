//! The log: to stderr, warnings only unless asked for more. Secrets have no printable form, so none can get into it.

use crate::environment::Environment;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// What `-v` gives, step by step. Other crates' chatter stays out until the last.
const FILTERS: [&str; 4] =
    ["warn", "warn,sentient=info,actors=info,storage=info,runtime=info", "info,sentient=debug,actors=debug", "trace"];

/// Starts the log. `SENTIENT_LOG` wins over `-v`; a filter that cannot be read is reported and the plain one used.
pub fn start(verbosity: u8, environment: &Environment) {
    let by_flag = FILTERS[usize::from(verbosity).min(FILTERS.len() - 1)];
    let parsed = EnvFilter::try_new(environment.log.as_deref().unwrap_or(by_flag));
    let unreadable = parsed.is_err();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(parsed.unwrap_or_else(|_| EnvFilter::new(by_flag)))
        .with_writer(std::io::stderr)
        .with_ansi(!environment.no_color && std::io::stderr().is_terminal())
        .with_target(true)
        .finish();
    if tracing::subscriber::set_global_default(subscriber).is_err() {
        return; // a test has its own log
    }
    if unreadable {
        tracing::warn!("SENTIENT_LOG cannot be read, so it is left out");
    }
}
