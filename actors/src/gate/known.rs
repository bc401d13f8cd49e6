//! The tools and apps as far as a person's words can mean them.

use super::Gate;
use rules::chat_rules::Known;

/// A tool, its app, and what is said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownTool {
    pub name: String,
    pub plugin: String,
    pub app: String,
    pub description: String,
}

impl KnownTool {
    pub(crate) fn known(&self) -> Known<'_> {
        Known { name: &self.name, plugin: &self.plugin, app: &self.app, description: &self.description }
    }
}

impl Gate {
    /// Every tool there is, hidden ones too.
    pub(crate) fn known_tools(&self) -> Vec<KnownTool> {
        let specs = self.tools.tools().iter().map(|tool| tool.spec());
        let known = specs.map(|spec| KnownTool {
            name: spec.name.to_owned(),
            plugin: spec.plugin.to_owned(),
            app: self.tools.plugin_display_name(spec.plugin),
            description: spec.description.to_owned(),
        });
        known.collect()
    }

    /// The id of the connected app of this name, as marks name it.
    pub(crate) fn connected_app_named(&self, name: &str) -> Option<String> {
        let named = self.tools.connected_apps().find(|(_, shown)| *shown == name);
        named.map(|(id, _)| id.to_owned())
    }

    /// The names of connected apps other than this one. What the assistant has of its own is no other app.
    pub(super) fn connected_apps(&self, plugin: &str) -> Vec<String> {
        let others = self.tools.connected_apps().filter(|(id, _)| *id != plugin);
        others.map(|(_, name)| name.to_owned()).collect()
    }
}
