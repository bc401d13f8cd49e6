//! Language models behind one door: picks the wire by the model's prefix, finds the address and the key, and speaks.
//!
//! What is said on the wire is decided by `rules::wire`; this only carries it. It never sends anything before a stream is
//! polled, never waits without a limit, never shows a provider's raw words to a person, and never lets a key into a log or
//! an error. With Local only on, it is the last wall: a model that is not on this computer is refused here.

mod answer;
mod builtin;
mod embed;
mod ollama;
mod ollama_pull;
pub mod scripted;
mod target;
mod transport;

use actors::ports::{LocalModels, Models, PieceStream, PullStream, SecretStore};
use answer::Answer;
use futures::future::{BoxFuture, FutureExt};
use futures::stream::{self, StreamExt};

use protocol::model::{ModelCall, ModelError, ModelName, Piece};
use rules::providers::SCRIPTED;
use rules::wire::dialect::Wire;
use rules::wire::{anthropic, openai};
use std::collections::BTreeMap;
use std::sync::Arc;
use target::Target;
use tokio::time::{Duration, Instant};
use transport::Clients;

/// The default of `models.request_timeout_s`.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(180);

/// What the person set for one provider (`models.providers.<id>`), and what holds for all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderSettings {
    pub api_base: Option<String>,
    /// The environment variable that holds the key, instead of the provider's usual one.
    pub api_key_env: Option<String>,
    /// The longest wait for the first piece of an answer (`models.request_timeout_s`).
    pub request_timeout: Duration,
    /// `models.local_only`.
    pub local_only: bool,
}

impl Default for ProviderSettings {
    fn default() -> Self {
        Self { api_base: None, api_key_env: None, request_timeout: REQUEST_TIMEOUT, local_only: false }
    }
}

/// Answers the settings of a provider id, as they are now.
pub type SettingsOf = Arc<dyn Fn(&str) -> ProviderSettings + Send + Sync>;

/// All providers.
pub struct ModelRouter {
    inner: Arc<Inner>,
}

struct Inner {
    clients: Clients,
    secrets: Arc<dyn SecretStore>,
    settings: SettingsOf,
    bases: BTreeMap<String, String>,
    shown: ollama::Shown,
    scripted_pace: Duration,
}

impl ModelRouter {
    /// `bases` overrides addresses for tests and self-hosting (`integrations.bases`, `SENTIENT_BASES`), by provider id; it
    /// wins over every other address.
    pub fn new(secrets: Arc<dyn SecretStore>, settings: SettingsOf, bases: BTreeMap<String, String>) -> Self {
        let inner = Inner {
            clients: Clients::default(),
            secrets,
            settings,
            bases,
            shown: ollama::Shown::default(),
            scripted_pace: scripted::PACE,
        };
        Self { inner: Arc::new(inner) }
    }

    /// The scripted model speaks at this pace, one word at a time; zero for tests.
    #[must_use]
    pub fn scripted_pace(self, pace: Duration) -> Self {
        let inner = Arc::into_inner(self.inner).expect("nothing holds a router that is still being built");
        Self { inner: Arc::new(Inner { scripted_pace: pace, ..inner }) }
    }
}

impl Models for ModelRouter {
    fn stream(&self, call: ModelCall) -> PieceStream {
        if builtin::is(&call.model) {
            return stream::iter([Err(builtin::says_nothing())]).boxed();
        }
        if call.model.provider() == SCRIPTED {
            return scripted::stream(call, self.inner.scripted_pace);
        }
        let inner = Arc::clone(&self.inner);
        let opened = async move {
            match inner.open(call).await {
                Ok(pieces) => pieces,
                Err(error) => stream::iter([Err(error)]).boxed(),
            }
        };
        stream::once(opened.boxed()).flatten().boxed()
    }

    fn embed(
        &self,
        model: ModelName,
        api_base: Option<String>,
        texts: Vec<String>,
    ) -> BoxFuture<'static, Result<Vec<Vec<f32>>, ModelError>> {
        if builtin::is(&model) {
            return futures::future::ready(builtin::embed(&texts)).boxed();
        }
        let inner = Arc::clone(&self.inner);
        async move { inner.embed(&model, api_base.as_deref(), &texts).await }.boxed()
    }

    fn ready(&self, model: ModelName, api_base: Option<String>) -> BoxFuture<'static, Result<(), ModelError>> {
        let inner = Arc::clone(&self.inner);
        async move { inner.ready(&model, api_base.as_deref()).await }.boxed()
    }

    fn local(&self) -> BoxFuture<'static, LocalModels> {
        let inner = Arc::clone(&self.inner);
        async move { inner.local().await }.boxed()
    }

    fn pull(&self, name: String) -> PullStream {
        ollama_pull::pull(Arc::clone(&self.inner), name)
    }
}

impl Inner {
    /// Sends the call and answers the stream of its pieces.
    async fn open(&self, call: ModelCall) -> Result<PieceStream, ModelError> {
        let target = self.target(&call.model, call.api_base.as_deref()).await?;
        let deadline = Instant::now() + target.timeout;
        let mut first = Vec::new();
        let (body, decoder): (_, answer::Decoder) = match target.dialect.wire {
            Wire::OpenAi => (
                openai::request_body(&call, target.dialect),
                Box::new(openai::Decoder::new(target.dialect, &call.model)),
            ),
            Wire::Anthropic => (
                anthropic::request_body(&call, target.dialect),
                Box::new(anthropic::Decoder::new(target.dialect, &call.model)),
            ),
            Wire::Ollama => {
                let shown = self.show(&target, &call.model).await?;
                first.push(Piece::ContextLength(shown.context_length(&call)));
                (
                    rules::wire::ollama::request_body(&call, &shown),
                    Box::new(rules::wire::ollama::Decoder::new(target.dialect, &call.model)),
                )
            }
        };
        let request = self.clients.post(&target, &target.chat_url(), &body)?;
        let response = match self.clients.send(request, deadline, &target, &call.model).await {
            Ok(response) => response,
            Err(error) => {
                // A model that was removed in the meantime must be asked for again.
                self.shown.forget(&target, &call.model);
                return Err(error);
            }
        };
        Ok(Answer::new(response, decoder, deadline, call.model).pieces(target.dialect.label, first))
    }

    /// Whether anything speaks against calling the model (contract section 2, "Chat model check").
    async fn ready(&self, model: &ModelName, api_base: Option<&str>) -> Result<(), ModelError> {
        if builtin::is(model) {
            return Err(builtin::says_nothing());
        }
        if model.provider() == SCRIPTED {
            return scripted::known(model);
        }
        let target: Target = self.target(model, api_base).await?;
        if target.dialect.wire == Wire::Ollama {
            self.show(&target, model).await?;
        }
        Ok(())
    }
}
