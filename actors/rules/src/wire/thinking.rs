//! Tells a local model's thinking from its answer when it writes both into one text as `<think>…</think>`.
//!
//! Only a reply that begins with the tag is read so: a tag later in a text is what the model says. No character is lost
//! except the tags themselves and the blank space around them.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// A part of a text, told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    Thinking(String),
}

#[derive(Debug)]
enum State {
    /// Nothing but blank space and perhaps the beginning of the tag so far.
    Start(String),
    /// Inside; the held text may be the beginning of the closing tag.
    Inside(String),
    /// Behind the closing tag; blank space is dropped.
    Behind,
    Plain,
}

/// Splits the pieces of one reply.
#[derive(Debug)]
pub(super) struct ThinkSplitter {
    state: State,
}

impl ThinkSplitter {
    /// `looks` is false for providers that have a field of their own for thinking: all text is text.
    pub(super) fn new(looks: bool) -> Self {
        Self { state: if looks { State::Start(String::new()) } else { State::Plain } }
    }

    pub(super) fn push(&mut self, piece: String) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut rest = piece;
        while !rest.is_empty() {
            match &mut self.state {
                State::Plain => parts.push(Part::Text(std::mem::take(&mut rest))),
                State::Behind => {
                    let text = rest.trim_start();
                    if !text.is_empty() {
                        self.state = State::Plain;
                    }
                    rest = text.to_owned();
                }
                State::Start(held) => {
                    held.push_str(&std::mem::take(&mut rest));
                    let begun = held.trim_start();
                    if let Some(inside) = begun.strip_prefix(OPEN) {
                        rest = inside.to_owned();
                        self.state = State::Inside(String::new());
                    } else if !OPEN.starts_with(begun) {
                        rest = std::mem::take(held);
                        self.state = State::Plain;
                    }
                }
                State::Inside(held) => {
                    held.push_str(&std::mem::take(&mut rest));
                    if let Some((thinking, behind)) = held.split_once(CLOSE) {
                        push_thinking(&mut parts, thinking);
                        rest = behind.to_owned();
                        self.state = State::Behind;
                    } else {
                        let safe = held.len() - tag_start_at_end(held);
                        push_thinking(&mut parts, &held[..safe]);
                        held.drain(..safe);
                    }
                }
            }
        }
        parts
    }

    /// The reply is over: what was still held back.
    pub(super) fn end(&mut self) -> Option<Part> {
        match std::mem::replace(&mut self.state, State::Plain) {
            State::Start(held) if !held.is_empty() => Some(Part::Text(held)),
            State::Inside(held) if !held.is_empty() => Some(Part::Thinking(held)),
            _ => None,
        }
    }
}

fn push_thinking(parts: &mut Vec<Part>, text: &str) {
    if !text.is_empty() {
        parts.push(Part::Thinking(text.to_owned()));
    }
}

/// Bytes at the end of `text` that may be the beginning of the closing tag.
fn tag_start_at_end(text: &str) -> usize {
    (1..CLOSE.len()).rev().find(|length| text.ends_with(&CLOSE[..*length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(pieces: &[&str]) -> (String, String) {
        let mut splitter = ThinkSplitter::new(true);
        let mut parts: Vec<Part> = pieces.iter().flat_map(|piece| splitter.push((*piece).to_owned())).collect();
        parts.extend(splitter.end());
        let (mut thinking, mut text) = (String::new(), String::new());
        for part in parts {
            match part {
                Part::Text(part) => text.push_str(&part),
                Part::Thinking(part) => thinking.push_str(&part),
            }
        }
        (thinking, text)
    }

    #[test]
    fn thinking_at_the_start_only() {
        let cases: [(&str, &str, &str); 9] = [
            ("<think>a</think>\n\nb", "a", "b"),
            ("\n<think>\na\n</think>b", "\na\n", "b"),
            ("<think></think>b", "", "b"),
            ("<think>never closed </thi", "never closed </thi", ""),
            ("b <think>a</think>", "", "b <think>a</think>"),
            ("<thinner", "", "<thinner"),
            ("<thi", "", "<thi"),
            ("  ", "", "  "),
            ("<think>a</think>b<think>c</think>", "a", "b<think>c</think>"),
        ];
        for (text, thinking, answer) in cases {
            assert_eq!(split(&[text]), (thinking.to_owned(), answer.to_owned()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn where_the_pieces_end_does_not_matter(
            parts in prop::collection::vec(
                prop_oneof![Just("<think>"), Just("</think>"), Just("<"), Just("/th"), Just(" "), Just("é"), Just("b")],
                0..12,
            ),
        ) {
            let whole = parts.concat();
            let chars: Vec<String> = whole.chars().map(String::from).collect();
            let single: Vec<&str> = chars.iter().map(String::as_str).collect();
            prop_assert_eq!(split(&single), split(&[&whole]));
            prop_assert_eq!(split(&parts), split(&[&whole]));
        }
    }
}
