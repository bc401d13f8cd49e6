//! `assistant`: who the assistant is and whom it works for.

use super::section::section;

section! {
    /// Who the assistant is and whom it works for.
    pub struct Assistant {
        /// The assistant's name.
        #[schemars(length(min = 1, max = 60))]
        pub name: String = "Sentient".into(),
        /// What the assistant calls you.
        pub user_name: String = String::new(),
        /// Your time zone, such as `Europe/Paris`; `auto` takes the computer's. Reminders and nightly work follow it.
        #[schemars(extend("format" = "time-zone"))]
        pub timezone: String = "auto".into(),
        /// Where you are, as `City, Country`. Weather and news use it; without it they are left out or general.
        pub location: String = String::new(),
        /// Your language as a code such as `en` or `hi`. Quick commands are read in it first, then in English.
        #[schemars(extend("format" = "language"))]
        pub language: String = "en".into(),
        /// Whether the first-time setup is done. The setup turns it on.
        pub onboarding_complete: bool = false,
    }
}
