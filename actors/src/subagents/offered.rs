//! What a turn is not offered beside what the gate hides: memory it must not use, helpers it must not start.

use protocol::config::Config;
use rules::memory_access::MemoryAccess;

/// The app of the tools here.
pub(super) const PLUGIN: &str = "subagents";

/// Names of tools and apps to be left out.
pub(crate) fn withheld(config: &Config, memory: MemoryAccess) -> Vec<&'static str> {
    let off = (!config.subagents.enabled).then_some(PLUGIN);
    memory.withheld().chain(off).collect()
}
