//! OpenAI's chat completions wire, which most providers speak with small differences (see [`super::dialect`]).
//!
//! [`request_body`] writes a request; [`Decoder`] reads the streamed answer, or the whole one from servers that ignore
//! `stream`. It must never depend on the order of JSON members, on ids being there, or on `[DONE]` being sent.

mod decode;
mod request;
#[cfg(test)]
mod tests;

pub use decode::Decoder;
pub use request::request_body;

use serde_json::{Value, json};

/// The body that asks for one vector per text.
pub fn embed_body(model: &str, texts: &[String]) -> Value {
    json!({"model": model, "input": texts})
}

/// The vectors of an answer, in the order the texts were given; `None` when it is not one vector per text.
pub fn embeddings(body: &str, texts: usize) -> Option<Vec<Vec<f32>>> {
    let value: Value = serde_json::from_str(body).ok()?;
    let rows = value["data"].as_array()?;
    let mut vectors = vec![Vec::new(); texts];
    for (at, row) in rows.iter().enumerate() {
        let at = row["index"].as_u64().map_or(Some(at), |index| usize::try_from(index).ok())?;
        *vectors.get_mut(at)? = super::ollama::vector(&row["embedding"])?;
    }
    vectors.iter().all(|vector| !vector.is_empty()).then_some(vectors)
}
