//! Tries a model out with one short call (contract section 3, `POST /api/models/test`; models.md "Local detection and
//! tests").

use super::{allowed, api_base};
use crate::ports::Models;
use futures::StreamExt;
use protocol::config::Config;
use protocol::model::{
    Effort, ModelCall, ModelError, ModelErrorKind, ModelName, ModelRole, Piece, PromptMessage, ToolOffer,
};
use serde::Serialize;
use serde_json::json;
use tokio::time::{Duration, Instant, timeout};

/// How long a model may take, loading included (models.md, check-up).
const TEST_WAIT_MAX: Duration = Duration::from_secs(60);
/// Characters of a reply and of an error that are shown (models.md).
const REPLY_CHARS_MAX: usize = 200;
const ERROR_CHARS_MAX: usize = 500;
/// The longest answer that is asked for; thinking models need some of it before they call.
const OUTPUT_TOKENS_MAX: u32 = 512;
/// The tool a model is offered to see whether it can use one.
const PROBE: &str = "report_ready";
const INSTRUCTION: &str = "This is a short connection test. Call the tool report_ready with the status \"ready\". If you \
                           cannot call tools, answer with the single word: ready.";
const EMBEDDED: &str = "A short text to try out the embedding model.";

/// `POST /api/models/test`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ModelTest {
    pub ok: bool,
    pub latency_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_tools: Option<bool>,
}

/// `POST /api/models/test-embedding`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EmbeddingTest {
    pub ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dim: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Calls the model once with the probe tool; a model that takes no tools is called again without.
pub async fn test(port: &dyn Models, config: &Config, model: &ModelName, role: ModelRole) -> ModelTest {
    let began = Instant::now();
    let said = timeout(TEST_WAIT_MAX, async {
        allowed(config, model)?;
        match say(port, call(config, model, role, true)).await {
            Err(error) if error.kind == ModelErrorKind::Unsupported => {
                say(port, call(config, model, role, false)).await
            }
            said => said,
        }
    });
    let said = said.await.unwrap_or_else(|_| {
        let message = format!("{model} did not answer within {} seconds.", TEST_WAIT_MAX.as_secs());
        Err(ModelError::new(ModelErrorKind::Unreachable, message))
    });
    let latency_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    match said {
        Ok(Said { reply, called }) => {
            let reply = Some(cut(reply.trim(), REPLY_CHARS_MAX));
            ModelTest { ok: true, latency_ms, reply, error: None, supports_tools: Some(called) }
        }
        Err(error) => {
            let error = Some(cut(&error.message, ERROR_CHARS_MAX));
            ModelTest { ok: false, latency_ms, reply: None, error, supports_tools: None }
        }
    }
}

/// Makes one vector.
pub async fn test_embedding(port: &dyn Models, config: &Config, model: &ModelName) -> EmbeddingTest {
    let embedded = timeout(TEST_WAIT_MAX, async {
        allowed(config, model)?;
        port.embed(model.clone(), api_base(config, model), vec![EMBEDDED.into()]).await
    });
    let failed =
        |message: &str| EmbeddingTest { error: Some(cut(message, ERROR_CHARS_MAX)), ..EmbeddingTest::default() };
    match embedded.await {
        Ok(Ok(vectors)) => match vectors.first().map(Vec::len) {
            Some(dim) if dim > 0 => EmbeddingTest { ok: true, dim: Some(dim), error: None },
            _ => failed(&format!("{model} answered without a vector. Pick a model made for embeddings.")),
        },
        Ok(Err(error)) => failed(&error.message),
        Err(_) => failed(&format!("{model} did not answer within {} seconds.", TEST_WAIT_MAX.as_secs())),
    }
}

fn call(config: &Config, model: &ModelName, role: ModelRole, with_tool: bool) -> ModelCall {
    let models = &config.models;
    let probe = ToolOffer {
        name: PROBE.into(),
        description: "Says that this model is ready.".into(),
        parameters: json!({
            "type": "object",
            "properties": { "status": { "type": "string", "description": "The word ready." } },
            "required": ["status"]
        }),
    };
    ModelCall {
        model: model.clone(),
        messages: vec![PromptMessage::User { text: INSTRUCTION.into(), pictures: Vec::new() }],
        tools: if with_tool { vec![probe] } else { Vec::new() },
        effort: models.reasoning.get(&role).copied().unwrap_or(Effort::None),
        temperature: models.temperature.get(&role).copied(),
        context_length: models.context_length_per_role.get(&role).copied().unwrap_or(models.context_length),
        api_base: api_base(config, model),
        json: false,
        output_tokens_max: Some(OUTPUT_TOKENS_MAX),
    }
}

struct Said {
    reply: String,
    called: bool,
}

async fn say(port: &dyn Models, call: ModelCall) -> Result<Said, ModelError> {
    let model = call.model.clone();
    let mut pieces = port.stream(call);
    let mut said = Said { reply: String::new(), called: false };
    let mut finished = false;
    while let Some(piece) = pieces.next().await {
        match piece? {
            Piece::Text(text) => said.reply.push_str(&text),
            Piece::Call { name, .. } if name == PROBE => said.called = true,
            Piece::Finish(_) => finished = true,
            Piece::Call { .. } | Piece::Thinking(_) | Piece::Thought(_) | Piece::Usage(_) | Piece::ContextLength(_) => {
            }
        }
    }
    if finished { Ok(said) } else { Err(cut_off(&model)) }
}

fn cut_off(model: &ModelName) -> ModelError {
    ModelError::new(ModelErrorKind::Malformed, format!("{model} stopped in the middle of its answer. Try again."))
}

fn cut(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::{LocalModels, PieceStream, PullStream};
    use futures::FutureExt;
    use futures::future::BoxFuture;
    use protocol::model::Finish;

    /// Answers with and without tools as it was told.
    struct Scripted {
        with_tools: Vec<Result<Piece, ModelError>>,
        without: Vec<Result<Piece, ModelError>>,
    }

    impl Models for Scripted {
        fn stream(&self, call: ModelCall) -> PieceStream {
            let pieces = if call.tools.is_empty() { &self.without } else { &self.with_tools };
            futures::stream::iter(pieces.clone()).boxed()
        }

        fn embed(
            &self,
            model: ModelName,
            _: Option<String>,
            texts: Vec<String>,
        ) -> BoxFuture<'static, Result<Vec<Vec<f32>>, ModelError>> {
            let dim = if model.model() == "empty" { 0 } else { 3 };
            futures::future::ready(Ok(vec![vec![0.5; dim]; texts.len()])).boxed()
        }

        fn ready(&self, _: ModelName, _: Option<String>) -> BoxFuture<'static, Result<(), ModelError>> {
            futures::future::ready(Ok(())).boxed()
        }

        fn local(&self) -> BoxFuture<'static, LocalModels> {
            futures::future::ready(LocalModels::default()).boxed()
        }

        fn pull(&self, _: String) -> PullStream {
            futures::stream::empty().boxed()
        }
    }

    fn error(kind: ModelErrorKind) -> Result<Piece, ModelError> {
        Err(ModelError::new(kind, "It does not work. Try another."))
    }

    fn probe_call() -> Result<Piece, ModelError> {
        Ok(Piece::Call { id: None, name: PROBE.into(), arguments: "{}".into() })
    }

    #[tokio::test(start_paused = true)]
    async fn a_test_says_whether_a_model_answers_and_uses_tools() {
        let end = || Ok(Piece::Finish(Finish::Stop));
        let text = || Ok(Piece::Text(" ready".into()));
        let model = ModelName("ollama_chat/qwen3:8b".into());
        for (name, with_tools, without, want) in [
            ("it calls", vec![probe_call(), end()], vec![], (true, Some(""), Some(true), None)),
            ("it talks", vec![text(), end()], vec![], (true, Some("ready"), Some(false), None)),
            (
                "no tools",
                vec![error(ModelErrorKind::Unsupported)],
                vec![text(), end()],
                (true, Some("ready"), Some(false), None),
            ),
            (
                "it fails",
                vec![text(), error(ModelErrorKind::KeyRejected)],
                vec![text(), end()],
                (false, None, None, Some("It does not work. Try another.")),
            ),
            (
                "it is cut off",
                vec![text()],
                vec![],
                (false, None, None, Some("ollama_chat/qwen3:8b stopped in the middle of its answer. Try again.")),
            ),
        ] {
            let port = Scripted { with_tools, without };
            let test = test(&port, &Config::default(), &model, ModelRole::Fast).await;
            let got = (test.ok, test.reply.as_deref(), test.supports_tools, test.error.as_deref());
            assert_eq!(got, want, "{name}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn local_only_is_kept_to_before_anything_is_sent() {
        let mut config = Config::default();
        config.models.local_only = true;
        let port = Scripted { with_tools: vec![Ok(Piece::Finish(Finish::Stop))], without: vec![] };
        let cloud = ModelName("openai/gpt-5".into());
        let refused = test(&port, &config, &cloud, ModelRole::Fast).await.error.expect("refused");
        assert!(refused.contains("Local only is on"), "{refused}");
        assert!(!test_embedding(&port, &config, &cloud).await.ok);
        let here = ModelName("ollama_chat/qwen3:8b".into());
        assert!(test(&port, &config, &here, ModelRole::Fast).await.ok);
    }

    #[tokio::test]
    async fn an_embedding_model_says_how_long_its_vectors_are() {
        let port = Scripted { with_tools: vec![], without: vec![] };
        let config = Config::default();
        for (model, want) in [("ollama/nomic-embed-text", Some(3)), ("ollama/empty", None)] {
            let test = test_embedding(&port, &config, &ModelName(model.into())).await;
            assert_eq!((test.ok, test.dim), (want.is_some(), want), "{model}");
        }
    }
}
