//! Puts streamed tool calls together from their fragments.
//!
//! Fragments carry an index, an id, both or neither; servers repeat the start of a call, number every call 0, or send no
//! ids at all. A call is only given out whole, and arguments are never made up: a call without any is `{}` only when the
//! provider said that its block was complete.

use super::surrogates::Joiner;
use super::{ANSWER_BYTES_MAX, ANSWER_CALLS_MAX};
use protocol::model::Piece;
use serde_json::Value;

/// One fragment as the provider sent it. Empty strings count as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fragment {
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) arguments: String,
}

impl Fragment {
    /// Reads an entry of an OpenAI-style `tool_calls` list, streamed or whole. Arguments may be text or, from some local
    /// servers, already an object.
    pub(super) fn from_openai(entry: &Value) -> Self {
        let function = &entry["function"];
        let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let arguments = match &function["arguments"] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            whole => whole.to_string(),
        };
        Self { index: entry["index"].as_u64(), id: text(&entry["id"]), name: text(&function["name"]), arguments }
    }
}

#[derive(Debug)]
struct Entry {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
}

/// The calls of one answer, in the order they began.
#[derive(Debug, Default)]
pub(super) struct Calls {
    entries: Vec<Entry>,
}

/// The answer holds more calls, or longer arguments, than are kept.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMany;

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a fragment to the call it belongs to, or begins a call.
    pub(super) fn add(&mut self, fragment: Fragment) -> Result<(), TooMany> {
        let at = match self.find(&fragment) {
            Some(at) => at,
            None if self.entries.len() >= ANSWER_CALLS_MAX => return Err(TooMany),
            None => {
                let Fragment { index, .. } = fragment;
                self.entries.push(Entry { index, id: None, name: String::new(), arguments: String::new() });
                self.entries.len() - 1
            }
        };
        let entry = &mut self.entries[at];
        if entry.arguments.len() + fragment.arguments.len() > ANSWER_BYTES_MAX {
            return Err(TooMany);
        }
        if entry.id.is_none() {
            entry.id = fragment.id;
        }
        if let Some(name) = fragment.name
            && entry.name != name
            && entry.arguments.is_empty()
        {
            // A name in several pieces; the same name again is a repeated start.
            entry.name.push_str(&name);
        }
        entry.arguments.push_str(&fragment.arguments);
        Ok(())
    }

    fn find(&self, fragment: &Fragment) -> Option<usize> {
        let begins = |entry: &Entry| {
            fragment.name.is_some() && matches!((&entry.id, &fragment.id), (Some(old), Some(new)) if old != new)
        };
        let newest = |belongs: &dyn Fn(&Entry) -> bool| self.entries.iter().rposition(belongs);
        if let Some(index) = fragment.index {
            return newest(&|entry| entry.index == Some(index)).filter(|at| !begins(&self.entries[*at]));
        }
        if fragment.id.is_some() {
            return newest(&|entry| entry.id == fragment.id);
        }
        // Neither index nor id: a name begins a call, anything else goes on with the newest one.
        let last = self.entries.len().checked_sub(1)?;
        (fragment.name.is_none() || self.entries[last].name.is_empty()).then_some(last)
    }

    /// The calls, whole. `complete` is true when the provider ended them itself; only then do absent arguments mean none.
    pub(super) fn finish(&mut self, complete: bool) -> Vec<Piece> {
        let finish = |entry: Entry| {
            let mut joiner = Joiner::default();
            let mut arguments = joiner.push(entry.arguments);
            arguments.extend(joiner.end());
            if complete && arguments.trim().is_empty() {
                arguments = "{}".to_owned();
            }
            Piece::Call { id: entry.id, name: entry.name, arguments }
        };
        self.entries.drain(..).map(finish).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn assemble(entries: &[Value], complete: bool) -> Vec<(Option<String>, String, String)> {
        let mut calls = Calls::default();
        for entry in entries {
            calls.add(Fragment::from_openai(entry)).expect("few calls");
        }
        let pieces = calls.finish(complete).into_iter();
        pieces
            .map(|piece| match piece {
                Piece::Call { id, name, arguments } => (id, name, arguments),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    fn entry(index: Option<u64>, id: &str, name: &str, arguments: &str) -> Value {
        json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}})
    }

    #[test]
    fn fragments_find_their_call() {
        type Want<'a> = &'a [(Option<&'a str>, &'a str, &'a str)];
        let cases: [(&str, Vec<Value>, Want<'_>); 10] = [
            (
                "by index",
                vec![
                    entry(Some(0), "a", "one", ""),
                    entry(Some(1), "b", "two", "{\"x\""),
                    entry(Some(0), "", "", "{}"),
                    entry(Some(1), "", "", ":1}"),
                ],
                &[(Some("a"), "one", "{}"), (Some("b"), "two", "{\"x\":1}")],
            ),
            (
                "no index, no id after the start",
                vec![entry(None, "a", "one", "{"), entry(None, "", "", "}"), entry(None, "b", "two", "{}")],
                &[(Some("a"), "one", "{}"), (Some("b"), "two", "{}")],
            ),
            (
                "no ids at all",
                vec![entry(None, "", "one", "{}"), entry(None, "", "one", "{}")],
                &[(None, "one", "{}"), (None, "one", "{}")],
            ),
            (
                "index 0 for every call, told apart by id",
                vec![entry(Some(0), "a", "one", "{}"), entry(Some(0), "b", "one", "{\"x\":2}")],
                &[(Some("a"), "one", "{}"), (Some("b"), "one", "{\"x\":2}")],
            ),
            (
                "the start comes twice",
                vec![entry(Some(0), "a", "one", ""), entry(Some(0), "a", "one", ""), entry(Some(0), "", "", "{}")],
                &[(Some("a"), "one", "{}")],
            ),
            (
                "empty id in later fragments",
                vec![entry(Some(0), "a", "one", ""), entry(Some(0), "", "", "{}")],
                &[(Some("a"), "one", "{}")],
            ),
            (
                "the id comes later",
                vec![entry(Some(0), "", "one", ""), entry(Some(0), "a", "", "{}")],
                &[(Some("a"), "one", "{}")],
            ),
            (
                "arguments as an object",
                vec![json!({"function": {"name": "one", "arguments": {"x": 1}}})],
                &[(None, "one", "{\"x\":1}")],
            ),
            ("arguments without a name", vec![entry(None, "", "", "{}")], &[(None, "", "{}")]),
            (
                "a name in two pieces",
                vec![entry(Some(0), "a", "web_", ""), entry(Some(0), "", "search", "{}")],
                &[(Some("a"), "web_search", "{}")],
            ),
        ];
        for (name, entries, want) in cases {
            let want: Vec<_> =
                want.iter().map(|(id, name, text)| (id.map(str::to_owned), (*name).into(), (*text).into())).collect();
            assert_eq!(assemble(&entries, true), want, "{name}");
        }
    }

    #[test]
    fn no_arguments_are_an_empty_object_only_when_the_block_was_complete() {
        let start = [entry(Some(0), "a", "one", "")];
        assert_eq!(assemble(&start, true)[0].2, "{}");
        assert_eq!(assemble(&start, false)[0].2, "");
    }

    #[test]
    fn too_many_calls_are_an_error() {
        let mut calls = Calls::default();
        let call =
            |number: usize| Fragment { id: Some(number.to_string()), name: Some("a".into()), ..Fragment::default() };
        for number in 0..ANSWER_CALLS_MAX {
            assert_eq!(calls.add(call(number)), Ok(()));
        }
        assert_eq!(calls.add(call(ANSWER_CALLS_MAX)), Err(TooMany));
    }
}
