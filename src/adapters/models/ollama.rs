//! What Ollama and LM Studio have: which models are downloaded, and what each of them can do.

use super::target::Target;
use super::{Inner, transport};
use actors::ports::{LocalModel, LocalModels, LocalServer};
use futures::stream::{self, StreamExt};
use protocol::model::{ModelError, ModelErrorKind, ModelName};
use rules::model_errors;
use rules::wire::dialect;
use rules::wire::ollama::OllamaModel;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tokio::time::{Duration, Instant, timeout};

/// How long a local server may take to say what it has (models.md, "Local detection").
const LOCAL_LIMIT: Duration = Duration::from_secs(3);
/// How long Ollama may take to describe one model before a call; it may be busy loading another.
const SHOW_LIMIT: Duration = Duration::from_secs(10);
/// How long a description is used. A model can be removed, or replaced by a newer one of the same name.
const SHOWN_FOR: Duration = Duration::from_secs(60);
/// Descriptions kept; at the limit all are forgotten.
const SHOWN_MAX: usize = 64;
/// Models listed of one server.
const MODELS_MAX: usize = 200;
/// Models described at the same time.
const SHOWS_AT_ONCE: usize = 8;
/// Bytes of a list or a description. Descriptions hold licences and templates.
const ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;

/// What Ollama said about models, by address and name.
#[derive(Default)]
pub(super) struct Shown(Mutex<HashMap<(String, String), (OllamaModel, Instant)>>);

impl Shown {
    fn get(&self, key: &(String, String)) -> Option<OllamaModel> {
        let shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.get(key).filter(|(_, at)| at.elapsed() < SHOWN_FOR).map(|(model, _)| model.clone())
    }

    fn put(&self, key: (String, String), model: OllamaModel) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if SHOWN_MAX <= shown.len() {
            shown.clear();
        }
        shown.insert(key, (model, Instant::now()));
    }

    pub(super) fn forget(&self, target: &Target, model: &ModelName) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.remove(&(target.url(""), model.model().to_owned()));
    }

    pub(super) fn forget_all(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Inner {
    /// What Ollama says about a model, remembered for a while.
    ///
    /// # Errors
    ///
    /// `ModelMissing` when it is not downloaded, `Unreachable` when Ollama does not answer.
    pub(super) async fn show(&self, target: &Target, model: &ModelName) -> Result<OllamaModel, ModelError> {
        let key = (target.url(""), model.model().to_owned());
        if let Some(known) = self.shown.get(&key) {
            return Ok(known);
        }
        let label = target.dialect.label;
        let deadline = Instant::now() + SHOW_LIMIT.min(target.timeout);
        let request = self.clients.post(target, &target.url("/api/show"), &json!({"model": model.model()}))?;
        let response = self.clients.send(request, deadline, target, model).await?;
        let text = transport::read_text(response, deadline, ANSWER_BYTES_MAX, (label, model)).await?;
        let answer: Value = serde_json::from_str(&text).map_err(|_| model_errors::unreadable(label))?;
        let shown = OllamaModel::from_show(&answer);
        self.shown.put(key, shown.clone());
        Ok(shown)
    }

    /// What the local servers have. One that does not answer within its time is not reachable.
    pub(super) async fn local(&self) -> LocalModels {
        let (ollama, lm_studio) = tokio::join!(self.ollama_models(), self.lm_studio_models());
        LocalModels { ollama: ollama.unwrap_or_default(), lm_studio: lm_studio.unwrap_or_default() }
    }

    async fn ollama_models(&self) -> Option<LocalServer> {
        let answer = self.list("ollama_chat").await?;
        let tags = answer["models"].as_array()?.iter().take(MODELS_MAX).filter_map(of_tag);
        let described = stream::iter(tags).map(async |model| {
            let name = ModelName(format!("ollama_chat/{}", model.name));
            let describe = async {
                let target = self.target(&name, None).await?;
                self.show(&target, &name).await
            };
            // One that cannot be described is still there.
            let shown = timeout(LOCAL_LIMIT, describe).await;
            let capabilities = shown.ok().and_then(Result::ok).map(|shown| shown.capabilities).unwrap_or_default();
            let is_embedding = is_embedding(&model.name, &capabilities);
            LocalModel { capabilities, is_embedding, ..model }
        });
        Some(LocalServer { reachable: true, models: described.buffered(SHOWS_AT_ONCE).collect().await })
    }

    async fn lm_studio_models(&self) -> Option<LocalServer> {
        let answer = self.list("lm_studio").await?;
        let model = |entry: &Value| {
            let name = entry["id"].as_str()?.to_owned();
            Some(LocalModel { is_embedding: is_embedding(&name, &[]), name, ..LocalModel::default() })
        };
        let models = answer["data"].as_array()?.iter().take(MODELS_MAX).filter_map(model).collect();
        Some(LocalServer { reachable: true, models })
    }

    /// The list of models at a local provider's address.
    async fn list(&self, provider: &str) -> Option<Value> {
        let dialect = dialect::dialect(provider)?;
        let base = self.bases.get(provider).cloned().or_else(|| (self.settings)(provider).api_base);
        let url = dialect.models_url(base.as_deref());
        let model = ModelName(format!("{provider}/-"));
        let ask = async {
            let response = self.clients.at(&url).ok()?.get(&url).send().await.ok()?.error_for_status().ok()?;
            let deadline = Instant::now() + LOCAL_LIMIT;
            transport::read_text(response, deadline, ANSWER_BYTES_MAX, (dialect.label, &model)).await.ok()
        };
        let text = timeout(LOCAL_LIMIT, ask).await.ok().flatten()?;
        serde_json::from_str(&text).ok()
    }

    /// The target for things that are Ollama's and no model's, such as downloads.
    pub(super) async fn ollama_target(&self) -> Result<Target, ModelError> {
        // Any name does: no model is called.
        self.target(&ModelName("ollama_chat/-".to_owned()), None).await.map_err(|error| match error.kind {
            ModelErrorKind::LocalOnly => ModelError::new(
                ModelErrorKind::LocalOnly,
                "Local only is on, and the Ollama that is set up isn't on this computer.",
            ),
            _ => error,
        })
    }
}

fn of_tag(tag: &Value) -> Option<LocalModel> {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    Some(LocalModel {
        name: text(&tag["name"]).or_else(|| text(&tag["model"]))?,
        size: tag["size"].as_u64(),
        family: text(&tag["details"]["family"]),
        parameter_size: text(&tag["details"]["parameter_size"]),
        ..LocalModel::default()
    })
}

/// models.md: the capabilities say so, or the name does.
fn is_embedding(name: &str, capabilities: &[String]) -> bool {
    let name = name.to_lowercase();
    capabilities.iter().any(|word| word == "embedding")
        || ["embed", "bert", "minilm"].iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedding_models_are_known_by_what_they_say_or_how_they_are_called() {
        for (name, capabilities, want) in [
            ("bge-m3", vec!["embedding"], true),
            ("nomic-embed-text", vec![], true),
            ("all-MiniLM", vec![], true),
            ("mxbai-BERT", vec![], true),
            ("qwen3:8b", vec!["completion", "tools"], false),
        ] {
            let capabilities: Vec<String> = capabilities.into_iter().map(str::to_owned).collect();
            assert_eq!(is_embedding(name, &capabilities), want, "{name}");
        }
    }

    #[test]
    fn a_tag_without_a_name_is_no_model() {
        assert!(of_tag(&json!({"size": 5})).is_none());
        let model = of_tag(&json!({"model": "x", "details": {"family": ""}})).expect("a model");
        assert_eq!((model.name.as_str(), model.family, model.size), ("x", None, None));
    }
}
