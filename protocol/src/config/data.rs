//! `backups`, `folders` and `secrets`: what is kept, where, and which of your folders can be searched.

use super::section::{choice, section};

choice! {
    /// How often a backup is made.
    pub enum BackupSchedule { Off, Daily, Weekly, }
}

section! {
    /// Backups of everything Sentient keeps.
    pub struct Backups {
        /// Folder backups go to, as a full path. Empty: `Sentient Backups` in your documents.
        #[schemars(extend("format" = "absolute-path"))]
        pub folder: String = String::new(),
        /// How often a backup is made by itself.
        pub schedule: BackupSchedule = BackupSchedule::Weekly,
        /// How many of those backups are kept. Ones you made yourself are never deleted.
        #[schemars(range(min = 1, max = 100))]
        pub keep: u32 = 5,
        /// How many copies from before an upgrade or a restore are kept.
        #[schemars(range(min = 1, max = 100))]
        pub snapshots_keep: u32 = 5,
    }
}

section! {
    /// Your own folders that the assistant can search.
    pub struct Folders {
        /// Files bigger than this are not read, in megabytes.
        #[schemars(range(min = 1, max = 500))]
        pub max_file_mb: u32 = 20,
        /// How many files of one folder are read.
        #[schemars(range(min = 1, max = 500_000))]
        pub max_files: u32 = 20_000,
        /// What is left out in every folder: `name/` for folders, or a pattern such as `*.tmp`.
        #[schemars(inner(length(min = 1)))]
        pub ignore: Vec<String> = ["node_modules/", "__pycache__/", "*.tmp", "~$*"].map(String::from).to_vec(),
        /// Characters per piece a file is cut into.
        #[schemars(range(min = 200, max = 8000))]
        pub chunk_chars: u32 = 1200,
        /// Read a file again as soon as it changes.
        pub watch: bool = true,
        /// Minutes between looks through whole folders.
        #[schemars(range(min = 5, max = 1440))]
        pub rescan_minutes: u32 = 60,
        /// How many pieces one search gives.
        #[schemars(range(min = 1, max = 20))]
        pub results: u32 = 6,
        /// How many pieces of your notes a model gets with a message. 0: none.
        #[schemars(range(min = 0, max = 10))]
        pub prompt_notes: u32 = 3,
        /// Characters such a piece is cut to.
        #[schemars(range(min = 80, max = 2000))]
        pub prompt_note_chars: u32 = 320,
        /// How alike such a piece must be to the message, from 0 to 1.
        #[schemars(range(min = 0, max = 1))]
        pub prompt_min_similarity: f64 = 0.55,
        /// Treat web pages you clipped as content from outside.
        pub clippings_are_outside: bool = true,
    }
}

section! {
    /// Where keys and passwords are kept.
    pub struct Secrets {
        /// Keep keys in an encrypted file in the data folder where the computer has no keychain.
        pub file: bool = false,
    }
}
