//! Which commands need no question: those of the person's list, written plainly (contract section 18).

use super::shell::{ShellKind, simple_commands};
use super::{System, shell::Simple};

/// Signs with which a line does more than its first words say.
const SIGNS: [char; 13] = [';', '&', '|', '<', '>', '`', '$', '(', ')', '{', '}', '\n', '\r'];
/// Quotes and dashes PowerShell takes like the plain ones (about_Quoting_Rules, about_Parsing). Nobody types them into a
/// command, and read as letters they hide an option.
const POWERSHELL_SIGNS: [char; 11] = [
    '\u{2018}', '\u{2019}', '\u{201a}', '\u{201b}', '\u{201c}', '\u{201d}', '\u{201e}', '\u{201f}', '\u{2013}',
    '\u{2014}', '\u{2015}',
];
/// Options that make a listed program write files or start others.
const OPTIONS: [&str; 4] = ["--output", "--exec", "--ext-diff", "--textconv"];

/// Whether a command is one of `listed`, or one of them and more words behind it.
///
/// Stricter than its text where a shell would read more than the text says: a quote or a `\` within an option, an option
/// cut short (git takes `--outp`), a pattern that could become an option by the name of a file, a sign that is no text.
pub fn is_listed(command: &str, listed: &[String], system: System) -> bool {
    let command = command.trim();
    if command.is_empty() || command.chars().any(|c| SIGNS.contains(&c) || c.is_control()) {
        return false;
    }
    if system == System::Windows && command.contains(POWERSHELL_SIGNS) {
        return false;
    }
    if OPTIONS.iter().any(|option| command.contains(option)) {
        return false;
    }
    let found = simple_commands(command, ShellKind::from(system));
    let [only] = found.as_slice() else { return false };
    is_plain(only, system) && listed.iter().any(|prefix| begins_with(command, prefix.trim(), system))
}

fn begins_with(command: &str, prefix: &str, system: System) -> bool {
    if prefix.is_empty() {
        return false;
    }
    let Some((front, rest)) = command.split_at_checked(prefix.len()) else { return false };
    let same = match system {
        System::Unix => front == prefix,
        System::Windows => front.eq_ignore_ascii_case(prefix),
    };
    same && (rest.is_empty() || rest.starts_with(' '))
}

fn is_plain(command: &Simple, system: System) -> bool {
    let is_git = command.words.first().is_some_and(|word| word.eq_ignore_ascii_case("git"));
    let mut is_name = false; // behind `--` no word is an option
    command.words.iter().all(|word| {
        if system == System::Windows && names_other_computer(word) {
            return false;
        }
        is_name |= word == "--";
        is_name || !(names_option(word) || (is_git && word.starts_with(['*', '?', '['])))
    })
}

/// Whether a word names a place on another computer: Windows goes there for a mere look, and a name can carry anything.
fn names_other_computer(word: &str) -> bool {
    word.replace('/', "\\").contains("\\\\")
}

/// Whether a word is one of the options, in full or cut short.
fn names_option(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    name.len() > "--".len() && name.starts_with("--") && OPTIONS.iter().any(|option| option.starts_with(name))
}
