//! What a repository's own settings make a listed git command do. A folder with a repository somebody else packed may
//! hold settings that name programs, and git would start them for a plain `git diff`. Git has no switch that turns all
//! of them off, so a command in such a repository is not a listed one: it asks.
//!
//! Settings are read as git reads them (git-config(1), "Syntax"); what cannot be read so counts as naming a program.
//! The person's own settings, of their account or computer, are not looked at here: they chose those programs.

use super::{ShellKind, System, simple_commands};

/// Subcommands that only look. Of those, hooks and other computers are kept away as well ([`super::listed_git_settings`]).
const LOOKS: [&str; 20] = [
    "annotate",
    "blame",
    "cat-file",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "name-rev",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
];

/// Settings that name a program git starts while it looks: section and key; `*` stands for any section.
const STARTED_BY_LOOKING: [(&str, &str); 13] = [
    ("include", "*"),
    ("includeif", "*"),
    ("alias", "*"),
    ("diff", "external"),
    ("diff", "command"),
    ("diff", "textconv"),
    ("diff", "submodule"),
    ("filter", "clean"),
    ("filter", "smudge"),
    ("filter", "process"),
    ("merge", "driver"),
    ("gpg", "program"),
    ("status", "submodulesummary"),
];
/// Further ones, of commands that do more than look.
const STARTED_BY_MORE: [(&str, &str); 13] = [
    ("core", "sshcommand"),
    ("core", "gitproxy"),
    ("core", "askpass"),
    ("core", "editor"),
    ("core", "hookspath"),
    ("core", "alternaterefscommand"),
    ("sequence", "editor"),
    ("credential", "helper"),
    ("remote", "uploadpack"),
    ("remote", "receivepack"),
    ("remote", "vcs"),
    ("submodule", "update"),
    ("trailer", "*"),
];

/// A repository as it was found on the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repository {
    /// The texts of its own settings: of the repository and of the working tree.
    pub settings: Vec<Vec<u8>>,
    /// It holds other repositories (gitlinks), which git looks into with their own settings.
    pub holds_others: bool,
    /// Something of it could not be read.
    pub is_unreadable: bool,
}

/// The subcommand of a plain command of git; `None` for other commands.
pub fn git_subcommand(command: &str, system: System) -> Option<String> {
    let found = simple_commands(command, ShellKind::from(system));
    let [only] = found.as_slice() else { return None };
    let program = only.words.first().map(|word| word.to_lowercase())?;
    (program == "git" || program == "git.exe").then(|| only.words.get(1).cloned().unwrap_or_default())
}

/// Whether a subcommand only looks.
pub(super) fn looks(subcommand: &str) -> bool {
    LOOKS.contains(&subcommand)
}

/// Why a listed git command asks here all the same: the setting that names a program, or what could not be told.
pub fn starts_programs(repository: &Repository, subcommand: &str) -> Option<String> {
    if repository.is_unreadable {
        return Some("settings that cannot be read".into());
    }
    if repository.holds_others {
        return Some("other repositories in it".into());
    }
    repository.settings.iter().find_map(|text| match settings(text) {
        Ok(found) => found
            .into_iter()
            .find(|(section, key)| names_program(section, key, subcommand))
            .map(|(section, key)| format!("{section}.{key}")),
        Err(Unreadable) => Some("settings that cannot be read".into()),
    })
}

fn names_program(section: &str, key: &str, subcommand: &str) -> bool {
    let has = |list: &[(&str, &str)]| list.iter().any(|(of, named)| *of == section && (*named == "*" || *named == key));
    has(&STARTED_BY_LOOKING) || (!looks(subcommand) && has(&STARTED_BY_MORE))
}

/// Git would not read it either.
#[derive(Debug, PartialEq, Eq)]
struct Unreadable;

/// Sections and keys of a text of settings, in lower case; subsections and values do not matter here.
fn settings(text: &[u8]) -> Result<Vec<(String, String)>, Unreadable> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let mut reader = Reader { text, at: 0 };
    let (mut found, mut section) = (Vec::new(), None::<String>);
    while let Some(byte) = reader.next() {
        match byte {
            b'#' | b';' => reader.skip_line(),
            b'[' => section = Some(reader.section()?),
            _ if byte.is_ascii_whitespace() => (),
            _ if byte.is_ascii_alphabetic() => {
                let key = reader.key(byte);
                reader.value()?;
                found.push((section.clone().ok_or(Unreadable)?, key));
            }
            _ => return Err(Unreadable),
        }
    }
    Ok(found)
}

/// Reads bytes as git does: `\r\n` is one end of a line.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        match self.text.get(self.at) {
            Some(b'\r') if self.text.get(self.at + 1) == Some(&b'\n') => Some(b'\n'),
            other => other.copied(),
        }
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += if byte == b'\n' && self.text.get(self.at) == Some(&b'\r') { 2 } else { 1 };
        Some(byte)
    }

    fn skip_line(&mut self) {
        while self.next().is_some_and(|byte| byte != b'\n') {}
    }

    /// After `[`: the name in front of a subsection. The old way of writing (`[diff.tool]`) has one too.
    fn section(&mut self) -> Result<String, Unreadable> {
        let mut name = String::new();
        loop {
            match self.next().ok_or(Unreadable)? {
                b']' => break,
                b' ' | b'\t' => {
                    self.subsection()?;
                    break;
                }
                byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.') => {
                    name.push(char::from(byte.to_ascii_lowercase()));
                }
                _ => return Err(Unreadable),
            }
        }
        Ok(name.split('.').next().unwrap_or_default().to_owned())
    }

    fn subsection(&mut self) -> Result<(), Unreadable> {
        loop {
            match self.next().ok_or(Unreadable)? {
                b' ' | b'\t' => (),
                b'"' => break,
                _ => return Err(Unreadable),
            }
        }
        loop {
            match self.next().ok_or(Unreadable)? {
                b'\n' => return Err(Unreadable),
                b'\\' => drop(self.next()),
                b'"' => break,
                _ => (),
            }
        }
        if self.next() == Some(b']') { Ok(()) } else { Err(Unreadable) }
    }

    fn key(&mut self, first: u8) -> String {
        let mut key = String::from(char::from(first.to_ascii_lowercase()));
        while let Some(byte) = self.peek().filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') {
            key.push(char::from(byte.to_ascii_lowercase()));
            self.at += 1;
        }
        key
    }

    /// Passes over a value: to the end of the line, of a comment, of a line that goes on, of a quote.
    fn value(&mut self) -> Result<(), Unreadable> {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        match self.next() {
            None | Some(b'\n') => return Ok(()), // a key alone says yes
            Some(b'=') => (),
            Some(_) => return Err(Unreadable),
        }
        let mut is_quoted = false;
        while let Some(byte) = self.next() {
            match byte {
                b'\n' if is_quoted => return Err(Unreadable),
                b'\n' => return Ok(()),
                b'#' | b';' if !is_quoted => {
                    self.skip_line();
                    return Ok(());
                }
                b'"' => is_quoted = !is_quoted,
                b'\\' => {
                    let escaped = self.next();
                    if !matches!(escaped, Some(b'\n' | b't' | b'b' | b'n' | b'\\' | b'"')) {
                        return Err(Unreadable);
                    }
                }
                _ => (),
            }
        }
        if is_quoted { Err(Unreadable) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Repository {
        Repository { settings: vec![text.as_bytes().to_vec()], ..Repository::default() }
    }

    #[test]
    fn settings_that_name_programs_are_found_however_they_are_written() {
        for (name, text, want) in [
            ("none", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n", None),
            (
                "as clone writes it",
                "[remote \"origin\"]\n\turl = x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
                None,
            ),
            ("plain", "[diff]\n\texternal = ./evil\n", Some("diff.external")),
            ("on one line", "[diff]external=./evil", Some("diff.external")),
            ("loud", "[DIFF]\nEXTERNAL = ./evil", Some("diff.external")),
            ("of a driver", "[diff \"a ] b\"]\n\ttextconv = ./evil\n", Some("diff.textconv")),
            ("an old way to write", "[filter.x]\nclean = ./evil\n", Some("filter.clean")),
            ("with a quote in the name", "[filter \"a\\\"]\"]\nprocess = ./evil\n", Some("filter.process")),
            ("after a mark of the file", "\u{feff}[diff]\nexternal = x", Some("diff.external")),
            ("Windows", "[core]\r\nbare = false\r\n[diff]\r\nexternal = x\r\n", Some("diff.external")),
            ("another file", "[include]\n\tpath = ../evil\n", Some("include.path")),
            ("another file, sometimes", "[includeIf \"gitdir:/\"]\npath = x", Some("includeif.path")),
            ("a key alone", "[diff]\nexternal\n", Some("diff.external")),
            ("in a comment", "[diff]\n# external = x\n; command = y\nalgorithm = histogram # external = x\n", None),
            ("in a value", "[diff]\nalgorithm = \"external = x # \" ; y\n", None),
            ("in a value that goes on", "[core]\nx = a \\\nexternal = y\n", None),
            ("after a value that goes on", "[diff]\nx = a \\\n y\nexternal = z\n", Some("diff.external")),
            ("in a name", "[branch \"external\"]\nremote = origin\n[branch \"[diff]\"]\nmerge = x\n", None),
            ("a quote without an end", "[diff]\nx = \"a\nexternal = y\n", Some("settings that cannot be read")),
            ("no section", "external = y\n", Some("settings that cannot be read")),
            ("no settings", "hello there\n", Some("settings that cannot be read")),
            ("signatures", "[gpg \"ssh\"]\nprogram = ./evil\n", Some("gpg.program")),
            ("merging in a log", "[merge \"x\"]\ndriver = ./evil\n", Some("merge.driver")),
        ] {
            assert_eq!(starts_programs(&of(text), "diff").as_deref(), want, "{name}");
        }
    }

    #[test]
    fn what_does_more_than_look_may_start_more() {
        for (text, subcommand, want) in [
            ("[core]\nsshCommand = ./evil", "fetch", true),
            ("[core]\nsshCommand = ./evil", "status", false),
            ("[core]\nhooksPath = .husky", "commit", true),
            ("[core]\nhooksPath = .husky", "status", false),
            ("[credential]\nhelper = !evil", "pull", true),
            ("[remote \"o\"]\nuploadpack = ./evil", "fetch", true),
            ("[alias]\nlg = !evil", "lg", true),
        ] {
            assert_eq!(starts_programs(&of(text), subcommand).is_some(), want, "{subcommand}: {text}");
        }
        let others = Repository { holds_others: true, ..Repository::default() };
        assert!(starts_programs(&others, "status").is_some());
        let unreadable = Repository { is_unreadable: true, ..Repository::default() };
        assert!(starts_programs(&unreadable, "status").is_some());
        assert_eq!(starts_programs(&Repository::default(), "status"), None);
    }

    #[test]
    fn commands_of_git_are_known() {
        for (command, system, want) in [
            ("git status", System::Unix, Some("status")),
            ("  git   diff --stat", System::Unix, Some("diff")),
            ("'git' log", System::Unix, Some("log")),
            ("git", System::Unix, Some("")),
            ("GIT.EXE status", System::Windows, Some("status")),
            ("gitk", System::Unix, None),
            ("ls git", System::Unix, None),
            ("", System::Unix, None),
        ] {
            assert_eq!(git_subcommand(command, system).as_deref(), want, "{command}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            drop(settings(&text));
        }

        #[test]
        fn nothing_around_it_hides_a_program(
            front in "[a-z\\[\\]\"#;=\\\\ \n]{0,30}",
            back in "[a-z\\[\\]\"#;=\\\\ \n]{0,30}",
        ) {
            // A line of its own after whatever reads as settings at all is seen, or none of it is trusted.
            let text = format!("{front}\n\n[diff]\nexternal = evil\n{back}");
            let in_quote = settings(front.as_bytes()).is_err();
            proptest::prop_assert!(in_quote || starts_programs(&of(&text), "diff").is_some(), "{}", text);
        }
    }
}
