//! A reply's Markdown, put on the terminal line by line while it is being written.
//!
//! A terminal cannot take lines back, so a line is given out once the words after it cannot change it any more: its block
//! has ended, or the block goes on below and no mark in it is still open.

use super::Look;
use super::plain::neutral;
use termimad::MadSkin;

/// Characters of a block with an open mark after which it is given out all the same. Ours.
const HELD_CHARS_MAX: usize = 600;

/// Turns a stream of Markdown into finished lines.
pub(super) struct Paper {
    skin: MadSkin,
    width: usize,
    colour: bool,
    /// The block being written.
    block: String,
    /// Lines of it that are out.
    out: usize,
    /// Something stands above, so the next block keeps its distance.
    begun: bool,
}

impl Paper {
    pub(super) fn new(look: Look) -> Self {
        let skin = if look.colour { MadSkin::default() } else { MadSkin::no_style() };
        Self { skin, width: look.width, colour: look.colour, block: String::new(), out: 0, begun: false }
    }

    /// Takes more of the reply; answers the lines that are finished.
    pub(super) fn write(&mut self, text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for character in neutral(text).chars() {
            self.block.push(character);
            if character == '\n' && self.is_whole() {
                self.finish_block(&mut lines);
            }
        }
        self.give_out(&mut lines);
        lines
    }

    /// The reply has ended: what is left.
    pub(super) fn end(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        self.finish_block(&mut lines);
        self.begun = false;
        lines
    }

    fn fence(&self) -> bool {
        self.block.trim_start().starts_with("```")
    }

    /// A block ends with an empty line, a code block with its closing fence.
    fn is_whole(&self) -> bool {
        if self.fence() {
            let body = self.block.trim_start();
            return body.lines().skip(1).any(|line| line.trim_end() == "```");
        }
        self.block.ends_with("\n\n") || (self.block.trim().is_empty()) || self.opens_fence_below()
    }

    /// Prose directly above a code block: the fence begins a block of its own.
    fn opens_fence_below(&self) -> bool {
        self.block.lines().last().is_some_and(|line| line.trim_start().starts_with("```"))
    }

    fn finish_block(&mut self, lines: &mut Vec<String>) {
        let mut rest = String::new();
        if !self.fence() && self.opens_fence_below() {
            let at = self.block.trim_end_matches('\n').rfind('\n').map_or(0, |at| at + 1);
            rest = self.block.split_off(at);
        }
        if !self.block.trim().is_empty() {
            let made = self.rendered();
            self.put(lines, made);
        }
        self.block = rest;
        self.out = 0;
    }

    /// Lines that nothing can change any more: all but the last.
    fn give_out(&mut self, lines: &mut Vec<String>) {
        let table = self.block.trim_start().starts_with('|');
        let open = !self.fence() && has_open_mark(&self.block) && self.block.len() < HELD_CHARS_MAX;
        if table || open || self.block.trim().is_empty() {
            return;
        }
        let mut made = self.rendered();
        made.pop();
        self.put(lines, made);
    }

    fn put(&mut self, lines: &mut Vec<String>, made: Vec<String>) {
        if made.len() > self.out && self.out == 0 {
            if self.begun {
                lines.push(String::new());
            }
            self.begun = true;
        }
        let count = made.len();
        lines.extend(made.into_iter().skip(self.out));
        self.out = self.out.max(count);
    }

    fn rendered(&self) -> Vec<String> {
        let mut source = self.block.trim_matches('\n').to_owned();
        if self.fence() && !self.is_whole() {
            source.push_str("\n```");
        }
        let text = self.skin.text(&source, Some(self.width)).to_string();
        let trimmed = |line: &str| if self.colour { line.to_owned() } else { line.trim_end().to_owned() };
        text.lines().map(trimmed).collect()
    }
}

/// Whether bold or code has been opened and not closed.
fn has_open_mark(block: &str) -> bool {
    block.matches("**").count() % 2 == 1 || block.matches('`').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper() -> Paper {
        Paper::new(Look { width: 20, colour: false })
    }

    const REPLY: &str = "# Hello\n\nSome **bold** words that are longer than one line.\n\n- one\n- two\n\nAs code:\n```rust\nlet a \
                         = 1;\n\nlet b = 2;\n```\n\n|a|b|\n|-|-|\n|1|2|\n\nEnd.";

    #[test]
    fn lines_come_as_soon_as_they_are_certain() {
        let mut paper = paper();
        assert!(paper.write("Some words ").is_empty());
        assert_eq!(paper.write("that are longer than one "), ["Some words that are"]);
        assert_eq!(paper.write("line.\n\n"), ["longer than one", "line."]);
        assert!(paper.write("an **open").is_empty());
        assert_eq!(paper.write("** mark\n\n"), ["", "an open mark"]);
        assert!(paper.end().is_empty());
    }

    #[test]
    fn the_lines_do_not_depend_on_how_the_reply_was_cut() {
        let mut whole = paper();
        let mut want = whole.write(REPLY);
        want.extend(whole.end());
        for size in 1..40 {
            let mut paper = paper();
            let mut got = Vec::new();
            let letters: Vec<char> = REPLY.chars().collect();
            for piece in letters.chunks(size) {
                got.extend(paper.write(&piece.iter().collect::<String>()));
            }
            got.extend(paper.end());
            assert_eq!(got, want, "pieces of {size}");
        }
        assert!(want.contains(&"let a = 1;".to_owned()) && want.contains(&"let b = 2;".to_owned()), "{want:#?}");
        assert!(want.iter().all(|line| !line.contains('\u{1b}')), "{want:#?}");
    }

    #[test]
    fn orders_in_a_reply_are_text() {
        let mut paper = paper();
        let mut got = paper.write("\u{1b}[2Jgone");
        got.extend(paper.end());
        assert_eq!(got, ["␛[2Jgone"]);
    }
}
