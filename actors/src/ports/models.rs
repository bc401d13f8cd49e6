//! Language models, wherever they run.

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use protocol::model::{ModelCall, ModelError, ModelName, Piece};
use serde::Serialize;

/// The answer of a model, piece by piece. It ends after `Piece::Finish` or after its first error; a stream that ends
/// without either was cut. Dropping it ends the call.
pub type PieceStream = BoxStream<'static, Result<Piece, ModelError>>;

/// Lines of a model download, as Ollama reports them.
pub type PullStream = BoxStream<'static, Result<PullLine, ModelError>>;

/// All providers behind one door.
pub trait Models: Send + Sync + 'static {
    /// Calls a model. Nothing is sent before the stream is polled.
    fn stream(&self, call: ModelCall) -> PieceStream;

    /// One vector per text.
    fn embed(
        &self,
        model: ModelName,
        api_base: Option<String>,
        texts: Vec<String>,
    ) -> BoxFuture<'static, Result<Vec<Vec<f32>>, ModelError>>;

    /// Whether a model could answer, found out without calling it: a key that is not set, an Ollama model that is not
    /// downloaded. `Ok` when nothing speaks against it.
    fn ready(&self, model: ModelName, api_base: Option<String>) -> BoxFuture<'static, Result<(), ModelError>>;

    /// What the local servers have.
    fn local(&self) -> BoxFuture<'static, LocalModels>;

    /// Downloads a model with Ollama.
    fn pull(&self, name: String) -> PullStream;
}

/// `GET /api/models/local`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LocalModels {
    pub ollama: LocalServer,
    pub lm_studio: LocalServer,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LocalServer {
    pub reachable: bool,
    pub models: Vec<LocalModel>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LocalModel {
    pub name: String,
    pub size: Option<u64>,
    pub family: Option<String>,
    pub parameter_size: Option<String>,
    pub is_embedding: bool,
    pub capabilities: Vec<String>,
}

/// One line of `POST /api/models/ollama/pull`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PullLine {
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
