//! What a turn is not offered beside what the person switched off: memory it must not use, helpers it must not start.

use protocol::config::Config;
use rules::memory_access::MemoryAccess;

/// The app of the tools here.
pub(super) const PLUGIN: &str = "subagents";

/// Names of tools and apps to be left out.
pub(crate) fn withheld(config: &Config, memory: MemoryAccess) -> Vec<String> {
    let mut names = config.tools.disabled.clone();
    names.extend(memory.withheld().map(str::to_owned));
    if !config.subagents.enabled {
        names.push(PLUGIN.to_owned());
    }
    names
}
