//! Vectors for texts, from Ollama's `/api/embed` and OpenAI's `/v1/embeddings`.

use super::{Inner, transport};
use protocol::model::{ModelError, ModelErrorKind, ModelName};
use rules::model_errors;
use rules::wire::dialect::Wire;
use rules::wire::{ollama, openai};
use tokio::time::Instant;

/// Texts of one request. Providers take more; a local model answers the sooner the fewer there are.
const BATCH_MAX: usize = 64;
/// Bytes of one answer: 64 vectors of 4,096 numbers are about 6 MB of JSON.
const ANSWER_BYTES_MAX: usize = 32 * 1024 * 1024;

impl Inner {
    /// One vector per text, in their order. Long lists go in several requests, each with the full time limit.
    pub(super) async fn embed(
        &self,
        model: &ModelName,
        api_base: Option<&str>,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let target = self.target(model, api_base).await?;
        let label = target.dialect.label;
        let Some(url) = target.dialect.embed_url(target.base.as_deref()) else {
            let message = format!("{label} has no models for memory search. Pick another one in Settings > Models.");
            return Err(ModelError::new(ModelErrorKind::Unsupported, message));
        };
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH_MAX) {
            let is_ollama = target.dialect.wire == Wire::Ollama;
            let body = if is_ollama { ollama::embed_body } else { openai::embed_body }(model.model(), batch);
            let deadline = Instant::now() + target.timeout;
            let request = self.clients.post(&target, &url, &body)?;
            let response = self.clients.send(request, deadline, &target, model).await?;
            let text = transport::read_text(response, deadline, ANSWER_BYTES_MAX, (label, model)).await?;
            let read = if is_ollama { ollama::embeddings } else { openai::embeddings }(&text, batch.len());
            vectors.extend(read.ok_or_else(|| model_errors::unreadable(label))?);
        }
        // A search cannot compare vectors of different lengths.
        let length = vectors.first().map_or(0, Vec::len);
        if vectors.iter().all(|vector| vector.len() == length) {
            Ok(vectors)
        } else {
            Err(model_errors::unreadable(label))
        }
    }
}
