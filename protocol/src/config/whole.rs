//! All sections together, and how a configuration is read from JSON.

use super::check;
use super::lenient::{Author, coerce, remove_all};
use super::normalize::normalize;
use super::problem::{Problem, kinds};
use super::schema::known;
use super::section::section;
use super::{
    Assistant, Backups, Browser, Channels, Chat, Dreaming, Evolution, Folders, Gateway, Integrations, Memory, Models,
    Nodes, OpenAiApi, Proactivity, Sandbox, Secrets, Skills, Subagents, Tasks, Terminal, Tools, Ui, UserModel, Voice,
};
use serde_json::Value;

section! {
    /// Everything that can be set.
    pub struct Config {
        /// Who the assistant is and whom it works for.
        pub assistant: Assistant = Assistant::default(),
        /// How the window looks and starts.
        pub ui: Ui = Ui::default(),
        /// Which model does what, where it runs, what it may cost and when background work waits.
        pub models: Models = Models::default(),
        /// Where the engine listens.
        pub gateway: Gateway = Gateway::default(),
        /// The address that programs made for OpenAI's API can use.
        pub openai_api: OpenAiApi = OpenAiApi::default(),
        /// What the assistant's tools may do and when they ask.
        pub tools: Tools = Tools::default(),
        /// How conversations work.
        pub chat: Chat = Chat::default(),
        /// Helpers that a chat starts for part of its work.
        pub subagents: Subagents = Subagents::default(),
        /// Work that runs on a schedule, on an event or in the background.
        pub tasks: Tasks = Tasks::default(),
        /// Connected apps, MCP servers, webhooks and the services behind search, weather and news.
        pub integrations: Integrations = Integrations::default(),
        /// Suggestions nobody asked for, follow-ups and the daily briefs.
        pub proactivity: Proactivity = Proactivity::default(),
        /// What is remembered, how it is found and how long it stays.
        pub memory: Memory = Memory::default(),
        /// How-tos the assistant keeps.
        pub skills: Skills = Skills::default(),
        /// How the assistant improves its skills and its notes about you.
        pub evolution: Evolution = Evolution::default(),
        /// What Sentient works out about you, and how sure it is.
        pub user_model: UserModel = UserModel::default(),
        /// The nightly tidy-up of memories.
        pub dreaming: Dreaming = Dreaming::default(),
        /// Hearing, speaking, dictation and the wake word.
        pub voice: Voice = Voice::default(),
        /// Scripts the assistant writes.
        pub sandbox: Sandbox = Sandbox::default(),
        /// Commands on this computer.
        pub terminal: Terminal = Terminal::default(),
        /// The browser the assistant drives.
        pub browser: Browser = Browser::default(),
        /// Phones, glasses and other devices.
        pub nodes: Nodes = Nodes::default(),
        /// Chatting through messaging apps.
        pub channels: Channels = Channels::default(),
        /// Backups of everything Sentient keeps.
        pub backups: Backups = Backups::default(),
        /// Your own folders that the assistant can search.
        pub folders: Folders = Folders::default(),
        /// Where keys and passwords are kept.
        pub secrets: Secrets = Secrets::default(),
    }
}

/// How often a value is read again without what was wrong with it. Each pass takes out at least one value, and what
/// cannot be mended one by one falls back to the defaults.
const LENIENT_PASSES_MAX: usize = 16;

impl Config {
    /// Reads a whole configuration; what is left out has its default. All problems at once, else the configuration.
    ///
    /// Before it is judged it is brought into the one form values are kept in ([`normalize`]).
    pub fn from_value(mut value: Value) -> Result<Self, Vec<Problem>> {
        coerce(known(), &mut value, Author::Program);
        normalize(&mut value);
        let problems = check::values(known(), &value);
        if !problems.is_empty() {
            return Err(problems);
        }
        let config: Self = serde_json::from_value(value).map_err(|cause| vec![unreadable(&cause)])?;
        let problems = check::together(&config);
        if problems.is_empty() { Ok(config) } else { Err(problems) }
    }

    /// Reads what a person wrote: every value that is not allowed is reported and has its default instead.
    ///
    /// Besides what [`Config::from_value`] takes, `yes` and `off` are booleans and a key without a value is not set.
    pub fn from_value_lenient(mut value: Value) -> (Self, Vec<Problem>) {
        let mut reported: Vec<Problem> = Vec::new();
        coerce(known(), &mut value, Author::Person);
        normalize(&mut value); // so that the places named are the places in `value`
        for _ in 0..LENIENT_PASSES_MAX {
            let problems = match Self::from_value(value.clone()) {
                Ok(config) => return (config, reported),
                Err(problems) => problems,
            };
            remove_all(&mut value, &problems);
            reported.extend(problems);
            reported.dedup_by(|later, first| later.loc == first.loc);
        }
        (Self::default(), reported)
    }

    /// The configuration as `GET /api/config` shows it.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).expect("string keys and finite numbers: a configuration is always JSON")
    }

    /// Everything that is not allowed in this configuration; empty when all is well.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = check::values(known(), &self.to_value());
        problems.extend(check::together(self));
        problems
    }
}

fn unreadable(cause: &serde_json::Error) -> Problem {
    Problem::new(&[], kinds::VALUE, format!("This configuration cannot be read: {cause}."))
}
