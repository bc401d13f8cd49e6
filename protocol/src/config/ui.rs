//! `ui`: how the window looks and starts.

use super::section::{choice, section};

choice! {
    /// Light, dark, or whatever the computer uses.
    pub enum Theme { System, Dark, Light, }
}

choice! {
    /// The highlight colour.
    pub enum Accent { Sentient, Violet, Blue, Emerald, Rose, }
}

section! {
    /// How the window looks and starts.
    pub struct Ui {
        /// Colours of the window: dark, light, or the computer's own choice.
        pub theme: Theme = Theme::Dark,
        /// Highlight colour of the window.
        pub accent: Accent = Accent::Sentient,
        /// Start Sentient when you sign in to the computer.
        pub launch_at_login: bool = false,
        /// Closing the window keeps Sentient running in the tray.
        pub minimize_to_tray: bool = true,
    }
}
