//! The configuration, the first meeting and the launch, as surfaces see them.

use crate::Engine;
use crate::config::{ChangeConfig, Changed, PatchConfig, ReplaceConfig};
use crate::models;
use crate::ports::WorkspaceFile;
use crate::small::asking;
use protocol::Error;
use protocol::config::{Config, ModelRoles};
use protocol::onboarding::{Bootstrap, BootstrapAssistant, BootstrapUi, Features, Onboarding};
use serde_json::{Map, Value};
use std::sync::Arc;

impl Engine {
    /// The configuration in force.
    pub fn config(&self) -> Arc<Config> {
        self.config.borrow().clone()
    }

    /// Puts a whole configuration in place (`PUT /api/config`). The inner error is everything that is wrong with it.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub async fn replace_config(&self, body: Value) -> Result<Changed, Error> {
        let changed = self.small.settings.ask(&asking(), ReplaceConfig { body }).await;
        self.issue_mcp_token().await;
        changed
    }

    /// Merges a part into it (`PATCH /api/config`). As [`Engine::replace_config`].
    ///
    /// # Errors
    /// A file that cannot be written.
    pub async fn patch_config(&self, patch: Value) -> Result<Changed, Error> {
        let changed = self.small.settings.ask(&asking(), PatchConfig { patch }).await;
        self.issue_mcp_token().await;
        changed
    }

    /// Picks models for roles (`PUT /api/models/roles`). Answers the roles now in force.
    ///
    /// # Errors
    /// `Invalid` with the first thing that is wrong.
    pub async fn set_roles(&self, body: &Map<String, Value>) -> Result<ModelRoles, Error> {
        let roles = models::roles(&self.config(), body).map_err(|problem| Error::invalid(problem.0))?;
        let named: Vec<String> = body.keys().cloned().collect();
        let changed = self.change(move |config| take_roles(&mut config.models.roles, &roles, &named)).await?;
        Ok(changed.models.roles.clone())
    }

    /// Picks fallbacks for roles (`PUT /api/models/fallbacks`).
    ///
    /// # Errors
    /// `Invalid` with the first thing that is wrong.
    pub async fn set_fallbacks(&self, body: &Map<String, Value>) -> Result<(), Error> {
        let fallbacks = models::fallbacks(&self.config(), body).map_err(|problem| Error::invalid(problem.0))?;
        self.change(move |config| config.models.fallbacks = fallbacks).await.map(drop)
    }

    /// Takes what the person said at the first start: the texts first, the settings last, so that onboarding is only
    /// complete when all of it is there. The inner error is everything that is wrong with the answers.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub async fn onboard(&self, answers: Onboarding) -> Result<Changed, Error> {
        let judged = answers.clone();
        if let Err(problems) = rules::config_patch::change(&self.config(), |config| {
            rules::onboarding::apply(&judged, config);
        }) {
            return Ok(Err(problems));
        }
        let workspace = &self.small.outside.workspace;
        workspace.write(WorkspaceFile::User, rules::onboarding::user_file(&answers)).await?;
        if let Some(soul) = rules::onboarding::soul_file(answers.persona) {
            let present = workspace.read(WorkspaceFile::Soul).await?;
            if present.is_none_or(|text| text.trim().is_empty() || rules::onboarding::is_ready_made(&text)) {
                workspace.write(WorkspaceFile::Soul, soul).await?;
            }
        }
        let facts = rules::onboarding::facts(&answers);
        let change = ChangeConfig::new(move |config| rules::onboarding::apply(&answers, config));
        let changed = self.small.settings.ask(&asking(), change).await?;
        if changed.is_ok() {
            self.remember_answers(facts);
        }
        Ok(changed)
    }

    /// Everything a window needs at its launch. `version` and `home` are the program's own.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn bootstrap(&self, version: &str) -> Result<Bootstrap, Error> {
        let config = self.config();
        let unread = self.notifications(Some(0), false).await?.unread;
        let assistant = &config.assistant;
        Ok(Bootstrap {
            version: version.to_owned(),
            home: self.small.outside.home.clone(),
            assistant: BootstrapAssistant {
                name: assistant.name.clone(),
                user_name: assistant.user_name.clone(),
                timezone: assistant.timezone.clone(),
                location: assistant.location.clone(),
                language: assistant.language.clone(),
                onboarding_complete: assistant.onboarding_complete,
            },
            models: config.models.roles.clone(),
            memory_enabled: true,
            unread_notifications: unread,
            ui: BootstrapUi {
                theme: config.ui.theme,
                accent: config.ui.accent,
                launch_at_login: config.ui.launch_at_login,
                minimize_to_tray: config.ui.minimize_to_tray,
            },
            features: Features { voice: false, proactivity: config.proactivity.enabled }, // this build has no voice yet
            stop: self.stop_state(),
        })
    }

    async fn change(&self, change: impl FnOnce(&mut Config) + Send + 'static) -> Result<Arc<Config>, Error> {
        let changed = self.small.settings.ask(&asking(), ChangeConfig::new(change)).await?;
        changed.map_err(|problems| {
            Error::invalid(problems.first().map_or_else(|| "This cannot be set.".to_owned(), ToString::to_string))
        })
    }
}

/// Takes over the roles that were named; the others may have changed meanwhile.
fn take_roles(roles: &mut ModelRoles, new: &ModelRoles, named: &[String]) {
    for name in named {
        match name.as_str() {
            "primary" => roles.primary = new.primary.clone(),
            "fast" => roles.fast = new.fast.clone(),
            "embedding" => roles.embedding = new.embedding.clone(),
            "planner" => roles.planner = new.planner.clone(),
            "executor" => roles.executor = new.executor.clone(),
            "vision" => roles.vision = new.vision.clone(),
            "voice" => roles.voice = new.voice.clone(),
            _ => (), // refused before
        }
    }
}
