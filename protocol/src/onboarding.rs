//! The first meeting: what the window needs at a launch, and what the person says of themselves (contract section 2).

use crate::config::{Accent, ModelRoles, Theme};
use crate::engine::StopState;
use serde::{Deserialize, Serialize};

/// `GET /api/bootstrap`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bootstrap {
    pub version: String,
    /// The data folder's path.
    pub home: String,
    pub assistant: BootstrapAssistant,
    pub models: ModelRoles,
    pub memory_enabled: bool,
    pub unread_notifications: u64,
    pub ui: BootstrapUi,
    pub features: Features,
    pub stop: StopState,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BootstrapAssistant {
    pub name: String,
    pub user_name: String,
    pub timezone: String,
    pub location: String,
    pub language: String,
    pub onboarding_complete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BootstrapUi {
    pub theme: Theme,
    pub accent: Accent,
    pub launch_at_login: bool,
    pub minimize_to_tray: bool,
}

/// What this build can do and the person has not turned off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Features {
    pub voice: bool,
    pub proactivity: bool,
}

/// Body of `POST /api/onboarding`. What is left out stays empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Onboarding {
    pub user_name: String,
    pub assistant_name: String,
    pub timezone: String,
    pub location: String,
    pub professional_context: String,
    pub personal_context: String,
    pub persona: PersonaChoice,
    pub daily_brief: bool,
}

/// How the assistant should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonaChoice {
    #[default]
    Friendly,
    Professional,
    Concise,
    /// The person writes it themselves.
    Custom,
}
