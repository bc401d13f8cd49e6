//! Which tool of an app is the trash version of a delete, and which brings back what went to the trash. The decision is
//! `rules::trash`; here are the tools it looks at.

use super::Call;
use crate::tools::Registry;
use protocol::config::{ApprovalRule, Config};
use protocol::tools::ToolSpec;
use rules::tool_words::{Verb, verb};
use rules::trash::{Sibling, Swapped};

/// What to call instead of a delete for good, with `tools.approvals.prefer_trash` on. `words` are the person's own.
pub(super) fn trash_version(tools: &Registry, config: &Config, call: &Call<'_>, words: &[String]) -> Option<Swapped> {
    if verb(call.name) != Verb::Delete || !config.tools.approvals.prefer_trash {
        return None;
    }
    let specs = siblings(tools, call.name)?;
    let known: Vec<Sibling<'_>> = specs.iter().map(|spec| sibling(spec, config)).collect();
    let own = known.iter().find(|sibling| sibling.name == call.name)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    rules::trash::swap(own, call.arguments, &known, &words)
}

/// What brings back what this call moved to the trash.
pub(super) fn way_back(tools: &Registry, config: &Config, call: &Call<'_>) -> Option<Swapped> {
    let specs = siblings(tools, call.name)?;
    let known: Vec<Sibling<'_>> = specs.iter().map(|spec| sibling(spec, config)).collect();
    let own = known.iter().find(|sibling| sibling.name == call.name)?;
    rules::trash::restore(own, call.arguments, &known)
}

/// The tools of the same app, the tool itself among them.
fn siblings(tools: &Registry, name: &str) -> Option<Vec<ToolSpec>> {
    let plugin = tools.get(name)?.spec().plugin;
    Some(tools.tools().iter().map(|tool| tool.spec()).filter(|spec| spec.plugin == plugin).collect())
}

fn sibling<'a>(spec: &'a ToolSpec, config: &Config) -> Sibling<'a> {
    let rule = config.tools.approvals.rules.get(spec.name);
    let disabled = config.tools.disabled.iter().any(|name| name == spec.name);
    Sibling {
        name: spec.name,
        plugin: spec.plugin,
        parameters: &spec.parameters,
        hidden: disabled || rule == Some(&ApprovalRule::Never),
    }
}
