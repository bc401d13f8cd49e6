//! Models, keys and the computer as surfaces see them.

use super::{EmbeddingTest, ModelTest, test, test_embedding};
use crate::Engine;
use crate::ports::{LocalModels, PullStream, Secret};
use futures::future::join_all;
use protocol::hardware::Hardware;
use protocol::model::{ModelName, ModelRole};
use protocol::secrets::{SecretKind, SecretRow};
use protocol::{Error, ErrorKind};
use rules::hardware::Defaults;
use rules::providers::{ProviderRow, SecretName, secret_names};

/// Where Ollama answers when the person set no other address (models.md).
const OLLAMA_BASE: &str = "http://127.0.0.1:11434";
/// A sign-in, not a key (contract section 3).
const SIGN_IN: &str = "chatgpt";

/// What is to become of a secret.
pub enum SecretChange {
    Set(Secret),
    Delete,
}

impl Engine {
    /// `GET /api/models/providers`.
    pub async fn providers(&self) -> Vec<ProviderRow> {
        let config = self.config();
        let set = self.secrets().await;
        let has = |id: &str| set.iter().any(|row| row.name == id && row.set);
        let base = |id: &str| config.models.providers.get(id).and_then(|provider| provider.api_base.clone());
        rules::providers::rows(has, base)
    }

    /// `GET /api/models/local`.
    pub async fn local_models(&self) -> LocalModels {
        self.small.outside.models.local().await
    }

    /// `POST /api/models/test`.
    ///
    /// # Errors
    /// `Unprocessable` for what is no model, `Invalid` for an unknown role.
    pub async fn test_model(&self, model: &str, role: Option<&str>) -> Result<ModelTest, Error> {
        let role = match role {
            None => ModelRole::Fast,
            Some(role) => ModelRole::parse(role).ok_or_else(|| Error::invalid(format!("unknown role {role}")))?,
        };
        Ok(test(&*self.small.outside.models, &self.config(), &model_name(model)?, role).await)
    }

    /// `POST /api/models/test-embedding`.
    ///
    /// # Errors
    /// `Unprocessable` for what is no model.
    pub async fn test_embedding_model(&self, model: &str) -> Result<EmbeddingTest, Error> {
        Ok(test_embedding(&*self.small.outside.models, &self.config(), &model_name(model)?).await)
    }

    /// Downloads a model with Ollama, line by line.
    ///
    /// # Errors
    /// `Invalid` for what cannot be a model's name.
    pub fn pull_model(&self, name: &str) -> Result<PullStream, Error> {
        let name = name.trim();
        let name = name.strip_prefix("ollama_chat/").or(name.strip_prefix("ollama/")).unwrap_or(name);
        if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(Error::invalid("Name a model of Ollama, such as qwen3:8b."));
        }
        Ok(self.small.outside.models.pull(name.to_owned()))
    }

    /// `GET /api/system/hardware`.
    pub async fn hardware(&self, refresh: bool) -> Hardware {
        let config = self.config();
        let ollama = config.models.providers.get("ollama_chat").and_then(|provider| provider.api_base.clone());
        let machine = self.small.outside.machine.machine(ollama.unwrap_or_else(|| OLLAMA_BASE.into()), refresh).await;
        let usual = protocol::config::Models::default();
        let model = usual.roles.primary.to_string();
        rules::hardware::describe(&machine, &Defaults { model, context_length: usual.context_length })
    }

    /// `GET /api/secrets`. A keychain in trouble counts as holding nothing; the log says so.
    pub async fn secrets(&self) -> Vec<SecretRow> {
        join_all(secret_names().into_iter().map(|name| self.secret_row(name))).await
    }

    async fn secret_row(&self, secret: SecretName) -> SecretRow {
        let env = self.env_of(&secret);
        let found = self.small.outside.secrets.get(secret.name.to_owned(), env).await.unwrap_or_else(|error| {
            tracing::warn!(%error, secret = secret.name, "a secret cannot be looked up");
            None
        });
        let source = found.map(|(_, source)| source);
        SecretRow { name: secret.name.to_owned(), set: source.is_some(), source, kind: secret.kind }
    }

    /// The variable that may hold it: the one the person named, else the usual one.
    fn env_of(&self, secret: &SecretName) -> Option<String> {
        let named = (secret.kind == SecretKind::Provider)
            .then(|| self.config().models.providers.get(secret.name).and_then(|p| p.api_key_env.clone()))
            .flatten();
        named.or_else(|| secret.env.map(ToOwned::to_owned))
    }

    /// Saves or deletes a secret.
    ///
    /// # Errors
    /// `Invalid` for a sign-in, `NotFound` for a name that is none of the list, `Unavailable` where nothing can save.
    pub async fn change_secret(&self, name: &str, change: SecretChange) -> Result<(), Error> {
        if !secret_names().iter().any(|secret| secret.name == name) {
            return Err(Error::not_found(format!("There is no secret called {name}.")));
        }
        match change {
            SecretChange::Set(_) if name == SIGN_IN => {
                Err(Error::invalid("ChatGPT is connected by signing in, not with a key.")
                    .hint("Sign in under Settings > Models."))
            }
            SecretChange::Set(value) => self.small.outside.secrets.set(name.to_owned(), value).await,
            SecretChange::Delete => self.small.outside.secrets.delete(name.to_owned()).await,
        }
    }
}

fn model_name(text: &str) -> Result<ModelName, Error> {
    ModelName::parse(text.trim()).ok_or_else(|| {
        Error::new(ErrorKind::Unprocessable, format!("\"{text}\" is not a model."))
            .hint("Write it as provider/model, for example ollama_chat/qwen3:8b.")
    })
}
