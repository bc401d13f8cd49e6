//! The app the tools over the folders belong to.

use protocol::tools::PluginInfo;

/// Its id.
pub(super) const PLUGIN: &str = "folders";

/// How it is shown (`integrations.tsv`; the rest is ours).
pub fn folder_app() -> PluginInfo {
    PluginInfo {
        id: PLUGIN.into(),
        display_name: "Your folders".into(),
        description: "Searches and reads the notes and documents in folders you added.".into(),
        category: "core".into(),
        icon: "folder".into(),
        auth: "builtin".into(),
        selection_hint: "my notes, my documents, vault, obsidian, what did I write, look in my folder, journal".into(),
        tools: Vec::new(),
    }
}
