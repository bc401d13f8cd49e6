//! The journal of a dream: at most eight lines in the first person, and what the person is told of it.

use protocol::knowing::DreamStats;

/// Lines of a journal (memory.md, section 8).
pub const JOURNAL_LINES_MAX: usize = 8;
/// Characters of a memory in a line. Ours.
const SHOWN_CHARS_MAX: usize = 120;

/// What happened, as lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    lines: Vec<String>,
}

impl Journal {
    /// Goes on with the lines there are.
    pub fn of(lines: Vec<String>) -> Self {
        Self { lines }
    }

    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Several memories said the same (strings.tsv, dream_journal_example).
    pub fn merged(&mut self, before: usize, kept: &str) {
        self.add(format!("Tonight I merged {before} duplicate memories into 1: \"{}\".", shown(kept)));
    }

    /// The same in two languages.
    pub fn merged_languages(&mut self, kept: &str, folded: &str) {
        self.add(format!("I kept \"{}\" and put away \"{}\", which says the same.", shown(kept), shown(folded)));
    }

    /// A newer memory took an older one's place.
    pub fn settled(&mut self, kept: &str, old: &str) {
        self.add(format!("\"{}\" no longer holds, since \"{}\" does.", shown(old), shown(kept)));
    }

    pub fn promoted(&mut self, content: &str) {
        self.add(format!("I keep \"{}\" for good, because it keeps coming up.", shown(content)));
    }

    pub fn expired(&mut self, count: u32) {
        if count > 0 {
            self.add(format!("I let go of {count} {} whose time was over.", memories(count)));
        }
    }

    pub fn insights(&mut self, changed: u32) {
        if changed > 0 {
            let things = if changed == 1 { "thing" } else { "things" };
            self.add(format!("I thought again about {changed} {things} I know about you."));
        }
    }

    pub fn narrative(&mut self, pages: usize) {
        if pages > 0 {
            self.add("I wrote the page about where things stand anew.".into());
        }
    }

    fn add(&mut self, line: String) {
        self.lines.push(line);
    }

    /// As Markdown, at most [`JOURNAL_LINES_MAX`] lines: what does not fit is counted in the last one.
    pub fn markdown(&self) -> String {
        if self.lines.is_empty() {
            return "Tonight there was nothing to tidy up.".into();
        }
        let mut lines: Vec<String> =
            self.lines.iter().take(JOURNAL_LINES_MAX).map(|line| format!("- {line}")).collect();
        let left = self.lines.len().saturating_sub(JOURNAL_LINES_MAX - 1);
        if self.lines.len() > JOURNAL_LINES_MAX {
            lines[JOURNAL_LINES_MAX - 1] = format!("- And {left} more like these.");
        }
        lines.join("\n")
    }
}

/// The words of the notification.
pub fn notice(stats: &DreamStats) -> String {
    let mut parts = Vec::new();
    if stats.merged > 0 {
        parts.push(format!("merged {} {}", stats.merged, memories(stats.merged)));
    }
    if stats.contradictions_resolved > 0 {
        let what = if stats.contradictions_resolved == 1 { "contradiction" } else { "contradictions" };
        parts.push(format!("settled {} {what}", stats.contradictions_resolved));
    }
    if stats.promoted > 0 {
        parts.push(format!("kept {} {} for good", stats.promoted, memories(stats.promoted)));
    }
    if stats.insights_updated > 0 {
        let what = if stats.insights_updated == 1 { "insight" } else { "insights" };
        parts.push(format!("changed {} {what} about you", stats.insights_updated));
    }
    format!("Last night I {}.", parts.join(", "))
}

fn memories(count: u32) -> &'static str {
    if count == 1 { "memory" } else { "memories" }
}

fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('"', "'");
    if line.chars().count() <= SHOWN_CHARS_MAX {
        return line;
    }
    let cut: String = line.chars().take(SHOWN_CHARS_MAX - 1).collect();
    format!("{}…", cut.trim_end())
}
