//! What is left out of a folder: patterns of the settings, of the folder itself, and of an Obsidian vault.
//!
//! `name/` is a folder anywhere, `a/b/` that folder, anything else a glob on the file's name or its whole path. The case
//! of letters never counts, nor how a system writes accents. In a glob `*` stands for any characters, also `/`, `?` for
//! one, and `[a-z]` or `[!a-z]` for one of a set.

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

/// Patterns of one folder. Ours.
pub const IGNORE_MAX: usize = 200;
/// Characters of one pattern. Ours.
pub const IGNORE_CHARS_MAX: usize = 300;

/// Patterns, ready to be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns {
    /// Names of folders that are left out wherever they are.
    anywhere: Vec<Vec<char>>,
    /// Folders that are left out, from the top.
    folders: Vec<String>,
    /// Globs on names or whole paths.
    globs: Vec<Vec<char>>,
    /// Paths that are left out with all below them.
    paths: Vec<String>,
}

impl Patterns {
    /// Reads patterns; blank ones and those that are too long say nothing.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = Self::default();
        for pattern in patterns {
            all.add(pattern);
        }
        all
    }

    /// With an Obsidian vault's own "Excluded files" (see [`vault_ignores`]).
    #[must_use]
    pub fn with_vault<'a>(mut self, excluded: impl IntoIterator<Item = &'a str>) -> Self {
        self.paths
            .extend(excluded.into_iter().map(|path| plain(path.trim_matches('/'))).filter(|path| !path.is_empty()));
        self
    }

    fn add(&mut self, pattern: &str) {
        let pattern = plain(pattern.trim()).replace('\\', "/");
        let pattern = pattern.strip_prefix("./").unwrap_or(&pattern);
        let is_folder = pattern.ends_with('/');
        let pattern = pattern.trim_matches('/');
        if pattern.is_empty() || pattern.chars().count() > IGNORE_CHARS_MAX {
            return;
        }
        match (is_folder, pattern.contains('/')) {
            (true, true) => self.folders.push(pattern.to_owned()),
            (true, false) => self.anywhere.push(pattern.chars().collect()),
            (false, _) => self.globs.push(pattern.chars().collect()),
        }
    }

    /// Whether a folder is looked into. `path` is inside the added folder, with `/` between its parts.
    pub fn keeps_folder(&self, path: &str) -> bool {
        let path = plain(path);
        let is_left_out = |part: &str| {
            let part: Vec<char> = part.chars().collect();
            self.anywhere.iter().any(|name| matches(name, &part))
        };
        !path.split('/').any(is_left_out) && !self.is_below(&path)
    }

    /// Whether a file is read.
    pub fn keeps_file(&self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if !folder.is_empty() && !self.keeps_folder(folder) {
            return false;
        }
        let whole = plain(path);
        if self.paths.contains(&whole) {
            return false;
        }
        let (whole, name): (Vec<char>, Vec<char>) = (whole.chars().collect(), plain(name).chars().collect());
        !self.globs.iter().any(|glob| matches(glob, &name) || matches(glob, &whole))
    }

    /// Whether a folder is one of those left out from the top, or below one.
    fn is_below(&self, path: &str) -> bool {
        let below =
            |top: &String| path.strip_prefix(top.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.folders.iter().chain(&self.paths).any(below)
    }
}

/// "Excluded files" of an Obsidian vault (`userIgnoreFilters` of `.obsidian/app.json`). Regular expressions, which begin
/// with a slash, are not read; a file that is no such JSON says nothing.
pub fn vault_ignores(app_json: &str) -> Vec<String> {
    let settings: Value = serde_json::from_str(app_json.trim_start_matches('\u{feff}')).unwrap_or_default();
    let listed = settings["userIgnoreFilters"].as_array().into_iter().flatten();
    let plain = listed.filter_map(Value::as_str).filter(|path| !path.starts_with('/') && !path.trim().is_empty());
    plain.filter(|path| path.chars().count() <= IGNORE_CHARS_MAX).take(IGNORE_MAX).map(str::to_owned).collect()
}

/// As names are compared: composed, and in small letters.
fn plain(text: &str) -> String {
    text.nfc().flat_map(char::to_lowercase).collect()
}

/// Whether a glob covers all of `text`. It goes back to the last `*` only, so it is never slow.
fn matches(glob: &[char], text: &[char]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while place < text.len() {
        let step = match glob.get(at) {
            Some('*') => {
                star = Some((at, place));
                at += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => set(&glob[at..], text[place]),
            Some(letter) if *letter == text[place] => Some(1),
            _ => None,
        };
        match (step, star) {
            (Some(length), _) => {
                at += length;
                place += 1;
            }
            (None, Some((before, from))) => {
                star = Some((before, from + 1));
                (at, place) = (before + 1, from + 1);
            }
            (None, None) => return false,
        }
    }
    glob[at..].iter().all(|letter| *letter == '*')
}

/// How long the set at the front of `glob` is, when `letter` is of it. A bracket that is never closed stands for itself.
fn set(glob: &[char], letter: char) -> Option<usize> {
    let negated = matches!(glob.get(1), Some('!' | '^'));
    let first = if negated { 2 } else { 1 };
    let Some(end) = glob.iter().skip(first + 1).position(|letter| *letter == ']').map(|at| at + first + 1) else {
        return (letter == '[').then_some(1);
    };
    let mut inside = &glob[first..end];
    let mut found = false;
    while let Some((&from, rest)) = inside.split_first() {
        match rest {
            ['-', to, after @ ..] => {
                found |= (from..=*to).contains(&letter);
                inside = after;
            }
            _ => {
                found |= from == letter;
                inside = rest;
            }
        }
    }
    (found != negated).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn files_that_are_left_out() {
        for (name, pattern, path, kept) in [
            ("a folder anywhere", "node_modules/", "web/node_modules/a.md", false),
            ("its name as a file's", "node_modules/", "web/node_modules", true),
            ("a part of its name", "node_modules/", "old_node_modules/a.md", true),
            ("a folder in capitals", "Drafts/", "notes/DRAFTS/a.md", false),
            ("a folder with a star", "*.app/", "x/Tool.app/readme.txt", false),
            ("that folder", "a/b/", "a/b/c.md", false),
            ("below that folder", "a/b/", "a/b/c/d.md", false),
            ("the same names elsewhere", "a/b/", "x/a/b/c.md", true),
            ("a longer name", "a/b/", "a/bc/d.md", true),
            ("a glob on the name", "*.tmp", "a/b/c.TMP", false),
            ("a glob on the whole path", "Templates/*", "templates/daily.md", false),
            ("a star runs over slashes", "Templates/*", "Templates/a/b.md", false),
            ("not below another folder", "Templates/*", "x/Templates/b.md", true),
            ("office locks", "~$*", "letters/~$offer.docx", false),
            ("a name alone", "todo.md", "a/todo.md", false),
            ("a name alone is no folder", "todo", "todo/a.md", true),
            ("one letter", "day?.md", "day1.md", false),
            ("no letter", "day?.md", "day.md", true),
            ("a set", "[0-9]*.md", "2 apples.md", false),
            ("not of a set", "[!0-9]*.md", "2 apples.md", true),
            ("a bracket that stays open", "[draft.md", "[draft.md", false),
            ("backslashes", r"a\b\", "a/b/c.md", false),
            ("a dot in front", "./a/b/", "a/b/c.md", false),
            ("blank", "  ", "a.md", true),
            ("a slash alone", "/", "a.md", true),
            ("Devanagari", "नोट/", "क/नोट/a.md", false),
            ("accents in two ways", "Re\u{301}sume\u{301}/", "résumé/a.md", false),
            ("emoji", "🗑/", "🗑/a.md", false),
        ] {
            assert_eq!(Patterns::new([pattern]).keeps_file(path), kept, "{name}: {pattern} on {path}");
        }
    }

    #[test]
    fn a_vaults_excluded_files() {
        let listed = r#"{"userIgnoreFilters": ["Archive/", "Private/diary.md", "/^Temp/", " ", 7], "other": 1}"#;
        let excluded = vault_ignores(listed);
        assert_eq!(excluded, ["Archive/", "Private/diary.md"]);
        let patterns = Patterns::default().with_vault(excluded.iter().map(String::as_str));
        for (path, kept) in [
            ("Archive/a.md", false),
            ("archive/deep/a.md", false),
            ("Archived/a.md", true),
            ("x/Archive/a.md", true),
            ("Private/diary.md", false),
            ("Private/diary2.md", true),
        ] {
            assert_eq!(patterns.keeps_file(path), kept, "{path}");
        }
        for broken in ["", "[]", "{", r#"{"userIgnoreFilters": "Archive/"}"#] {
            assert!(vault_ignores(broken).is_empty(), "{broken}");
        }
        assert_eq!(vault_ignores("\u{feff}{\"userIgnoreFilters\": [\"a/\"]}"), ["a/"]);
    }

    #[test]
    fn a_glob_is_never_slow() {
        let (glob, text): (Vec<char>, Vec<char>) =
            ("*a".repeat(100).chars().collect(), "a".repeat(900).chars().collect());
        assert!(!matches(&[glob, vec!['b']].concat(), &text));
    }

    proptest! {
        #[test]
        fn any_pattern_is_read(pattern in ".{0,40}", path in ".{0,40}") {
            let _kept: bool = Patterns::new([pattern.as_str()]).keeps_file(&path);
        }

        #[test]
        fn a_text_without_signs_matches_itself_alone(text in "[a-z/.]{1,12}", other in "[a-z/.]{1,12}") {
            let (glob, place): (Vec<char>, Vec<char>) = (text.chars().collect(), other.chars().collect());
            prop_assert_eq!(matches(&glob, &place), text == other);
        }
    }
}
