//! Turns what a small model wrote into a call of a tool, or says why not.
//!
//! Local models often write their calls into the text, in the form their training had, instead of the field the wire has
//! for them. [`repair`] finds such calls; [`arguments`] reads arguments that are almost JSON. The law of both: a tool
//! never runs with arguments that nobody wrote. A cut call is no call, a name that was not offered is only text, and prose
//! about calls stays prose. Every leaf of what comes out occurs in what went in (property-tested and fuzzed).

mod arguments;
mod json;
mod python;
mod scan;
#[cfg(test)]
mod tests;

pub use arguments::{ARGUMENT_BYTES_MAX, ArgumentError, arguments, fit, invalid_arguments};

use protocol::model::ToolOffer;
use serde_json::Value;

/// Bytes of a reply that are searched for calls. Ours: far above what a model writes in one reply; a longer one is text.
pub const REPLY_BYTES_MAX: usize = 512 * 1024;
/// Calls found in one reply.
pub const REPAIRED_CALLS_MAX: usize = 32;

/// What [`repair`] found in a reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repaired {
    /// The reply without its calls.
    pub text_left: String,
    /// Name and arguments, a JSON object that was not yet checked against the tool's schema (see [`fit`]).
    pub calls: Vec<(String, Value)>,
    /// The reply ends inside a call: it was cut, and that call must not run.
    pub incomplete: bool,
}

/// Finds the calls that a reply holds as text, of tools that were offered.
///
/// Marked calls (`<tool_call>…</tool_call>`, `<function=name>…</function>`, `[TOOL_CALLS]…`) may stand anywhere outside
/// of code blocks. Unmarked ones (a fenced JSON block, bare JSON, `name(…)`) count only at the end of the reply or as the
/// whole of it, since a model that calls stops there, and one that explains goes on.
pub fn repair(text: &str, offered: &[ToolOffer]) -> Repaired {
    let untouched = Repaired { text_left: text.to_owned(), ..Repaired::default() };
    if text.len() > REPLY_BYTES_MAX || offered.is_empty() {
        return untouched;
    }
    let marked = scan::marked(text, offered);
    if marked.incomplete || !marked.calls.is_empty() {
        return marked;
    }
    scan::unmarked(text, offered).unwrap_or(untouched)
}
