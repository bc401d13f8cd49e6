//! `sandbox` and `terminal`: scripts and commands on this computer.

use super::section::{choice, section};

choice! {
    /// Where scripts run.
    pub enum SandboxBackend { Process, Docker, Auto, }
}

section! {
    /// Scripts the assistant writes.
    pub struct Sandbox {
        /// How many tool calls one script may make.
        #[schemars(range(min = 0, max = 10_000))]
        pub max_tool_calls: u32 = 200,
        /// Let the assistant run scripts.
        pub enabled: bool = true,
        /// Seconds a script may take.
        #[schemars(range(min = 5, max = 3600))]
        pub timeout_s: u32 = 120,
        /// How many scripts may run at once.
        #[schemars(range(min = 1, max = 16))]
        pub max_concurrent_runs: u32 = 2,
        /// How many files are taken over from one script.
        #[schemars(range(min = 0, max = 1000))]
        pub max_files: u32 = 50,
        /// Files bigger than this are not taken over, in megabytes.
        #[schemars(range(min = 1, max = 2048))]
        pub max_file_mb: u32 = 25,
        /// Keep a script's folder after it ran, to look into problems.
        pub keep_workdirs: bool = false,
        /// Memory of a script's container, in megabytes.
        #[schemars(range(min = 64, max = 65_536))]
        pub docker_memory_mb: u32 = 512,
        /// Processors a script's container may use.
        #[schemars(range(min = 0.1, max = 64))]
        pub docker_cpus: f64 = 1.0,
        /// Characters kept of each of a script's two outputs.
        #[schemars(range(min = 1000, max = 1_000_000))]
        pub max_output_chars: u32 = 20_000,
        /// Image a script's container is made from.
        #[schemars(length(min = 1))]
        pub docker_image: String = "python:3.12-slim".into(),
        /// Let scripts in a container use the network.
        pub allow_network_in_docker: bool = false,
        /// Where scripts run. `auto`: in Docker where it runs, else as a process.
        pub backend: SandboxBackend = SandboxBackend::Auto,
    }
}

section! {
    /// Commands on this computer.
    pub struct Terminal {
        /// Let the assistant run commands on this computer.
        pub enabled: bool = false,
        /// Folders commands may run in. Nothing runs until there is one.
        #[schemars(inner(length(min = 1)))]
        pub allowed_folders: Vec<String> = Vec::new(),
        /// Folder used when a command names none; one of the allowed ones. Empty: the first of them.
        pub default_folder: String = String::new(),
        /// Commands, with whatever follows them, that need no question.
        #[schemars(inner(length(min = 1)))]
        pub allowed_commands: Vec<String> =
            ["git status", "git diff", "git log", "ls", "dir", "pwd"].map(String::from).to_vec(),
        /// Seconds a command may take.
        #[schemars(range(min = 5, max = 3600))]
        pub timeout_s: u32 = 180,
        /// Characters kept of each of a command's two outputs.
        #[schemars(range(min = 1000, max = 1_000_000))]
        pub max_output_chars: u32 = 8000,
    }
}
