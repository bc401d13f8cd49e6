//! `chat`: how conversations work.

use super::section::{choice, section};

choice! {
    /// Which tools a model is offered.
    pub enum ToolSelection { Auto, All, }
}

section! {
    /// How conversations work.
    pub struct Chat {
        /// Incognito chats may read your memories. They never save any.
        pub incognito_uses_memory: bool = true,
        /// Minutes without a new message after which an incognito chat is deleted.
        #[schemars(range(min = 1, max = 1440))]
        pub incognito_delete_after_minutes: u32 = 30,
        /// Mark content from outside, such as web pages and emails, so that a model does not take orders from it.
        pub mark_outside_content: bool = true,
        /// Run look-ups that follow each other at the same time.
        pub parallel_read_tools: bool = true,
        /// Characters of one tool's result that a model gets.
        #[schemars(range(min = 1000, max = 1_000_000))]
        pub tool_result_max_chars: u32 = 16_000,
        /// Share of the context length one tool's result may fill, counted at 3 characters per token and never below
        /// 1500 characters.
        #[schemars(range(min = 0.05, max = 1.0))]
        pub tool_result_context_share: f64 = 0.25,
        /// Do simple commands, such as timers, at once and without a model.
        pub quick_commands: bool = true,
        /// Minutes an alarm sleeps when you do not say how long.
        #[schemars(range(min = 1, max = 60))]
        pub alarm_snooze_minutes: u32 = 9,
        /// How many earlier messages a model gets with each message.
        #[schemars(range(min = 2))]
        pub history_window: u32 = 30,
        /// Beyond this many messages, older ones are summed up.
        #[schemars(range(min = 10))]
        pub compress_after_messages: u32 = 60,
        /// Show what a model thinks before it answers.
        pub show_thinking: bool = true,
        /// Give a new chat a title after its first reply.
        pub auto_title: bool = true,
        /// `auto` offers a model only the tools that fit when there are many; `all` always offers all.
        pub tool_selection: ToolSelection = ToolSelection::Auto,
        /// How many tools a model on this computer is offered at once.
        #[schemars(range(min = 3, max = 200))]
        pub max_tools_local: u32 = 12,
        /// How many tools a model in the cloud is offered at once.
        #[schemars(range(min = 3, max = 500))]
        pub max_tools_cloud: u32 = 64,
    }
}
