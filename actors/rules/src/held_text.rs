//! Holds back what a small model writes when it starts to look like a tool call written as text, so that a window does
//! not show markup that is about to become a call. What turns out to be none is shown after all.

/// How such calls begin. Anything else is shown as it comes.
const MARKERS: [&str; 5] = ["<tool_call", "<function=", "<|tool_call", "[TOOL_CALLS]", "<tools>"];

/// The text of one answer while it is streamed.
#[derive(Clone, Debug, Default)]
pub struct HeldText {
    held: String,
    holding: bool,
}

impl HeldText {
    /// Takes in a piece and gives out what can be shown now.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        if self.holding {
            return String::new();
        }
        let marker = MARKERS.iter().filter_map(|marker| self.held.find(marker)).min();
        let upto = marker.unwrap_or_else(|| self.held.len() - possible_beginning(&self.held));
        self.holding = marker.is_some();
        let rest = self.held.split_off(upto);
        std::mem::replace(&mut self.held, rest)
    }

    /// What is still held when the answer is complete.
    pub fn finish(self) -> String {
        self.held
    }
}

/// Bytes at the end that could be the beginning of a marker.
fn possible_beginning(text: &str) -> usize {
    let longest = MARKERS.iter().map(|marker| marker.len()).max().unwrap_or_default();
    (1..longest)
        .rev()
        .filter(|length| *length <= text.len() && text.is_char_boundary(text.len() - length))
        .find(|length| {
            let tail = &text[text.len() - length..];
            MARKERS.iter().any(|marker| marker.starts_with(tail))
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(pieces: &[&str]) -> (String, String) {
        let mut held = HeldText::default();
        let shown: String = pieces.iter().map(|piece| held.push(piece)).collect();
        (shown, held.finish())
    }

    #[test]
    fn a_call_in_the_making_is_held() {
        for (pieces, want_shown, want_held) in [
            (vec!["hello"], "hello", ""),
            (vec!["a <", "tool", "_call>{"], "a ", "<tool_call>{"),
            (vec!["1 < 2 and ", "a<b"], "1 < 2 and a<b", ""),
            (vec!["x [TOOL", "S] y"], "x [TOOLS] y", ""),
            (vec!["ends with <to"], "ends with ", "<to"),
        ] {
            assert_eq!(shown(&pieces), (want_shown.into(), want_held.into()), "{pieces:?}");
        }
    }

    proptest! {
        /// Nothing is lost, however the text is cut.
        #[test]
        fn shown_and_held_are_the_whole(pieces in proptest::collection::vec("(<|tool_call|\\[TOOL_CALLS\\]|é|[a-c]){0,4}", 0..12)) {
            let refs: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let (shown, held) = shown(&refs);
            prop_assert_eq!(shown + &held, pieces.concat());
        }
    }
}
