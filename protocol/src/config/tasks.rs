//! `tasks`: work that runs on a schedule, on an event or in the background, and its limits.

use super::schemas;
use super::section::section;

section! {
    /// Giving Sentient a task by email.
    pub struct TaskEmail {
        /// Let emails to the address below become tasks.
        pub enabled: bool = false,
        /// The address that makes an email a task, usually one of yours with `+sentient` before the `@`.
        #[schemars(extend("format" = "email"))]
        pub address: String = String::new(),
        /// Gmail label or IMAP folder whose emails count too. May be empty.
        pub label: String = String::new(),
        /// Other addresses that may send tasks. Your own always may.
        #[schemars(schema_with = "schemas::emails")]
        pub allowed_senders: Vec<String> = Vec::new(),
    }
}

section! {
    /// Work that runs on a schedule, on an event or in the background.
    pub struct Tasks {
        /// Show you a task's plan and wait for your yes.
        pub require_plan_approval: bool = true,
        /// After a restart, go on with work that was interrupted.
        pub resume_interrupted_runs: bool = true,
        /// Seconds between looks at what is due.
        #[schemars(range(min = 5))]
        pub tick_seconds: u32 = 30,
        /// How many task runs may go on at once.
        #[schemars(range(min = 1, max = 16))]
        pub max_concurrent_runs: u32 = 2,
        /// How many workers one task may split into.
        #[schemars(range(min = 1, max = 50))]
        pub swarm_max_agents: u32 = 5,
        /// How many steps a run may take before it asks you.
        #[schemars(range(min = 1, max = 200))]
        pub max_tool_rounds: u32 = 40,
        /// How many minutes of work a run may take before it asks you.
        #[schemars(range(min = 1))]
        pub run_timeout_minutes: u32 = 30,
        /// How many tokens of a cloud model a run may use before it asks you. 0: no limit.
        #[schemars(range(min = 0))]
        pub max_tokens_per_run: u64 = 2_000_000,
        /// What a run may cost in US dollars before it asks you. 0: no limit.
        #[schemars(range(min = 0))]
        pub max_cost_per_run_usd: f64 = 5.0,
        /// Minutes without progress after which a run counts as stuck. 0: never.
        #[schemars(range(min = 0))]
        pub stuck_after_minutes: u32 = 10,
        /// A run counts as stuck when one tool fails this often in a row with the same error. 0: never.
        #[schemars(range(min = 0, max = 50))]
        pub stuck_after_repeated_errors: u32 = 5,
        /// Hours within which a run that was missed is made up for. 0: missed runs are skipped.
        #[schemars(range(min = 0, max = 168))]
        pub catch_up_window_hours: u32 = 12,
        /// Days without a sign of you after which scheduled work asks whether to go on. 0: never.
        #[schemars(range(min = 0, max = 365))]
        pub away_pause_days: u32 = 7,
        /// Unread results since your last sign of life after which scheduled work asks whether to go on. 0: never.
        #[schemars(range(min = 0, max = 1000))]
        pub away_pause_after_results: u32 = 20,
        /// Hours that question waits before scheduled work pauses. 0: pauses without asking.
        #[schemars(range(min = 0, max = 168))]
        pub away_ask_hours: u32 = 24,
        /// Minutes until a source that a task needs and cannot reach is tried again.
        #[schemars(range(min = 1, max = 1440))]
        pub source_retry_minutes: u32 = 15,
        /// How often in a row such a source is tried again.
        #[schemars(range(min = 0, max = 50))]
        pub source_retries: u32 = 3,
        /// Giving Sentient a task by email.
        pub email: TaskEmail = TaskEmail::default(),
    }
}
