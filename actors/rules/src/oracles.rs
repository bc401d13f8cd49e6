//! Laws that hold for any input, as functions: the fuzz targets and the ordinary tests check the same ones.
//!
//! Each `check_*` panics with a message when its law does not hold. Nothing in the engine calls them.

use crate::wire::sse::SseDecoder;
use crate::wire::{AnswerDecoder, Pieces, anthropic, dialect, ollama, openai};
use protocol::model::{ModelName, Piece};

/// Cuts `bytes` at the given places; places beyond the end and repeated ones are harmless.
pub fn chunks<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| (*cut).min(bytes.len())).collect();
    cuts.push(0);
    cuts.push(bytes.len());
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// A decoder for a provider of the dialect table, with a model of no meaning.
pub fn decoder_for(provider: &str) -> Box<dyn AnswerDecoder> {
    let dialect = dialect::dialect(provider).expect("a provider of the table");
    let model = ModelName(format!("{provider}/model"));
    match dialect.wire {
        dialect::Wire::OpenAi => Box::new(openai::Decoder::new(dialect, &model)),
        dialect::Wire::Ollama => Box::new(ollama::Decoder::new(dialect, &model)),
        dialect::Wire::Anthropic => Box::new(anthropic::Decoder::new(dialect, &model)),
    }
}

/// All pieces of one body, fed in the chunks that `cuts` makes.
pub fn decode(provider: &str, bytes: &[u8], cuts: &[usize]) -> Pieces {
    let mut decoder = decoder_for(provider);
    let mut pieces = Vec::new();
    for chunk in chunks(bytes, cuts) {
        let over = decoder.is_over();
        let more = decoder.push(chunk);
        assert!(!over || more.is_empty(), "pieces after the end: {more:?}");
        pieces.extend(more);
    }
    pieces.extend(decoder.end());
    assert!(decoder.is_over() && decoder.end().is_empty(), "an ended answer stays ended");
    pieces
}

/// Chunking does not matter; there is exactly one end, and it is the last piece; no text piece is empty; every sentence is
/// a plain one.
pub fn check_answer(provider: &str, bytes: &[u8], cuts: &[usize]) -> Pieces {
    let whole = decode(provider, bytes, &[]);
    assert_eq!(decode(provider, bytes, cuts), whole, "chunking matters for {provider}, cuts {cuts:?}");
    let is_end = |piece: &Result<Piece, _>| matches!(piece, Err(_) | Ok(Piece::Finish(_)));
    assert_eq!(whole.iter().position(is_end), Some(whole.len() - 1), "one end, at the end: {whole:?}");
    for piece in &whole {
        match piece {
            Ok(Piece::Text(text) | Piece::Thinking(text)) => assert!(!text.is_empty(), "an empty piece: {whole:?}"),
            Err(error) => assert!(error.message.ends_with('.'), "{error:?}"),
            _ => {}
        }
    }
    whole
}

/// Chunking does not matter, and an event never holds more than its limit.
pub fn check_sse(bytes: &[u8], cuts: &[usize], bytes_max: usize) {
    let events = |cuts: &[usize]| {
        let mut decoder = SseDecoder::new(bytes_max);
        let mut events: Vec<_> = chunks(bytes, cuts).into_iter().flat_map(|chunk| decoder.push(chunk)).collect();
        events.extend(decoder.end());
        assert_eq!(decoder.end(), None, "an ended stream stays ended");
        events
    };
    let whole = events(&[]);
    assert_eq!(events(cuts), whole, "chunking matters, cuts {cuts:?}");
    for (at, event) in whole.iter().enumerate() {
        match event {
            // A byte that is not UTF-8 becomes a character of three.
            Ok(event) => assert!(event.data.len() <= bytes_max.saturating_mul(3), "{} bytes", event.data.len()),
            Err(_) => assert_eq!(at, whole.len() - 1, "an error is the last"),
        }
    }
}
