//! tmp
use protocol::model::{ModelName, TokenUsage};
use protocol::chat::UsageMeter;
pub fn meter(m: &ModelName, u: TokenUsage, _e: usize, _c: Option<u32>) -> UsageMeter { UsageMeter { model: m.0.clone(), prompt_tokens: u.prompt, completion_tokens: u.completion, context_used: None, context_length: None, context_percent: None, context_warning: None } }
