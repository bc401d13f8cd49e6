//! `gateway` and `openai_api`: where the engine listens and what it offers to other programs.

use super::section::section;

section! {
    /// Where the engine listens.
    pub struct Gateway {
        /// Address the engine listens on. Anything but this computer itself lets others on your network try to get in.
        #[schemars(length(min = 1))]
        pub host: String = "127.0.0.1".into(),
        /// Port the engine listens on. 0 takes any free one.
        #[schemars(range(min = 0, max = 65_535))]
        pub port: u16 = 7777,
    }
}

section! {
    /// The address that programs made for OpenAI's API can use.
    pub struct OpenAiApi {
        /// Answer programs that speak OpenAI's API, under `/v1`.
        pub enabled: bool = false,
        /// Let those programs' chats read your memories.
        pub allow_memory: bool = false,
    }
}
