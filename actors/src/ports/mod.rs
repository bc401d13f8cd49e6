//! What the engine needs from outside, as traits. Adapters in `src/adapters` implement them; tests hand in their own.
//!
//! A port speaks in the engine's words, has no default that reaches the network, and never waits without a limit.

mod chat_files;
mod config_file;
mod files;
mod folder_files;
mod machine;
mod models;
mod power;
mod process_tree;
mod processes;
mod secrets;
mod web;
mod workspace;

pub use chat_files::ChatFiles;
pub use config_file::ConfigStore;
pub use files::{FileEntry, FilesPort, TextPart, WrittenFile};
pub use folder_files::{
    ChangeHeard, ComputerPlaces, FileText, FolderFiles, FolderWatch, FoundFolder, ListAsk, Listing, NoText, NotListed,
    NotWatched,
};
pub use machine::MachineProbe;
pub use models::{LocalModel, LocalModels, LocalServer, Models, PieceStream, PullLine, PullStream};
pub use power::PowerSupply;
pub use process_tree::ProcessTree;
pub use processes::{
    CommandJob, Ending, Output, OutputSink, ScriptAnswer, ScriptBackend, ScriptCalls, ScriptEnd, ScriptFault,
    ScriptJob, ScriptLimits, Scripts, ScriptsState, Shell, Shells, TooMuch,
};
pub use secrets::{Secret, SecretStore, SecretStoreState};
pub use web::{
    Article, Charts, Directions, DirectionsStep, Documents, Maps, News, NewsFeed, Page, Pages, Place, Search,
    SearchAnswer, SearchResult, Weather, WebError,
};
pub use workspace::{Workspace, WorkspaceFile};
