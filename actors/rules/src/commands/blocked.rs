//! Commands that never run, whatever a setting or a rule says (contract section 18).
//!
//! It knows programs by name and looks at their words. It leaves reading alone (`fdisk -l`, plain `bcdedit`), since a
//! net that catches harmless commands is soon taken down.

use super::paths::is_protected;
use super::shell::{ShellKind, Simple, simple_commands};
use super::{Place, System};

mod programs;

/// How deep commands within commands are followed (`sudo sh -c 'eval ...'`).
const DEPTH_MAX: usize = 6;

/// Why a command never runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Blocked {
    Disk,
    PowerOff,
    Registry,
    Delete,
    Owner,
    Backups,
    Boot,
    ForkBomb,
}

impl Blocked {
    /// All of them, in the order Settings shows them.
    pub const ALL: [Self; 8] = [
        Self::Disk,
        Self::PowerOff,
        Self::Registry,
        Self::Delete,
        Self::Owner,
        Self::Backups,
        Self::Boot,
        Self::ForkBomb,
    ];

    /// What it would do, as a person says it (`blocked` of `GET /api/terminal/status`).
    pub fn words(self) -> &'static str {
        match self {
            Self::Disk => "Formatting or wiping a disk",
            Self::PowerOff => "Shutting down, restarting or signing out",
            Self::Registry => "Deleting from the Windows registry",
            Self::Delete => "Deleting a whole drive, a system folder or your own folder",
            Self::Owner => "Changing who owns or may use a whole drive, a system folder or your own folder",
            Self::Backups => "Deleting backups",
            Self::Boot => "Changing how the computer starts",
            Self::ForkBomb => "Starting programs without end",
        }
    }

    /// The result a model reads.
    pub fn sentence(self) -> String {
        format!(
            "This command was not run: {} is never done by Sentient, and no setting changes that. The user can do it \
             themselves.",
            self.words().to_lowercase().replace("windows", "Windows")
        )
    }
}

/// The first reason for which this command never runs.
pub fn blocked(command: &str, place: &Place<'_>) -> Option<Blocked> {
    if is_fork_bomb(command) {
        return Some(Blocked::ForkBomb);
    }
    line(command, place, 0)
}

fn line(text: &str, place: &Place<'_>, depth: usize) -> Option<Blocked> {
    if depth >= DEPTH_MAX {
        return None;
    }
    let commands = simple_commands(text, ShellKind::from(place.system));
    let fed = commands.iter().any(|command| is_shell(command) && !command.words.iter().any(|word| word == "-c"));
    commands.iter().find_map(|command| {
        let script = said(command).filter(|_| fed);
        one(command, place, depth).or_else(|| script.and_then(|text| line(&text, place, depth + 1)))
    })
}

/// What `echo` or `printf` would print, for a line that has a shell reading it.
fn said(command: &Simple) -> Option<String> {
    let (program, words) = command.words.split_first()?;
    matches!(name_of(program).as_str(), "echo" | "printf").then(|| words.join(" "))
}

fn one(command: &Simple, place: &Place<'_>, depth: usize) -> Option<Blocked> {
    if command.writes_to.iter().any(|name| is_disk(name)) {
        return Some(Blocked::Disk);
    }
    let words = unwrapped(&command.words);
    let (program, arguments) = words.split_first()?;
    let name = name_of(program);
    let call = Call { name: &name, words: arguments, place };
    if let Some(text) = inner_line(&call, command) {
        return line(&text, place, depth + 1);
    }
    if name == "find" {
        return found_by(&call, depth);
    }
    programs::blocked(&call)
}

/// A program and what it is called with.
struct Call<'a> {
    /// Without folders and `.exe`, in small letters.
    name: &'a str,
    words: &'a [String],
    place: &'a Place<'a>,
}

impl Call<'_> {
    fn word(&self, at: usize) -> Option<String> {
        self.words.get(at).map(|word| word.to_lowercase())
    }

    /// Whether one of these words is there, in any letters.
    fn has(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.to_lowercase().as_str()))
    }

    /// Whether a short option with this letter or a long one of this name is there.
    fn option(&self, letters: &[char], long: &str) -> bool {
        self.words.iter().take_while(|word| *word != "--").any(|word| match word.strip_prefix('-') {
            Some(rest) if rest.starts_with('-') => !long.is_empty() && rest.len() > 2 && long.starts_with(&rest[1..]),
            Some(rest) => rest.chars().any(|c| letters.contains(&c)),
            None => false,
        })
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.words.iter().filter(|word| !word.starts_with('-'))
    }

    fn names_protected(&self) -> bool {
        self.names().any(|word| is_protected(word, self.place))
    }
}

/// A program's name: `/usr/bin/RM.EXE` is `rm`.
fn name_of(program: &str) -> String {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    name.strip_suffix(".exe").unwrap_or(&name).to_owned()
}

/// Words that start the program behind them: which of their options take a value, and how many words come before it.
const WRAPPERS: [(&str, &str, usize); 24] = [
    ("sudo", "ughpCTUDrtR", 0),
    ("doas", "uC", 0),
    ("pkexec", "", 0),
    ("env", "uCS", 0),
    ("nohup", "", 0),
    ("nice", "n", 0),
    ("ionice", "cnp", 0),
    ("chrt", "", 1),
    ("time", "fo", 0),
    ("timeout", "ks", 1),
    ("stdbuf", "ioe", 0),
    ("setsid", "", 0),
    ("command", "", 0),
    ("builtin", "", 0),
    ("exec", "a", 0),
    ("xargs", "aEdILnPs", 0),
    ("busybox", "", 0),
    ("then", "", 0),
    ("do", "", 0),
    ("else", "", 0),
    ("if", "", 0),
    ("while", "", 0),
    ("until", "", 0),
    ("start-process", "", 0),
];

/// The words from the program on that really runs: behind `sudo -u root`, `A=1`, `timeout 5`.
fn unwrapped(words: &[String]) -> &[String] {
    let mut rest = words;
    for _ in 0..DEPTH_MAX {
        let Some((first, behind)) = rest.split_first() else { return rest };
        let is_assignment = first.split_once('=').is_some_and(|(name, _)| is_name(name));
        if is_assignment {
            rest = behind;
            continue;
        }
        let name = name_of(first);
        let Some((_, valued, before)) = WRAPPERS.iter().find(|(wrapper, _, _)| *wrapper == name) else { return rest };
        rest = behind_options(behind, valued);
        rest = rest.get(*before..).unwrap_or_default();
    }
    rest
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn behind_options<'a>(words: &'a [String], valued: &str) -> &'a [String] {
    let mut at = 0;
    while let Some(option) = words.get(at).filter(|word| word.starts_with('-')) {
        at += 1;
        if option == "--" {
            break;
        }
        let is_short = !option.starts_with("--");
        let takes_value = is_short && option.chars().next_back().is_some_and(|c| valued.contains(c));
        at += usize::from(takes_value);
    }
    words.get(at..).unwrap_or_default()
}

const SHELLS: [&str; 8] = ["sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "su"];

fn is_shell(command: &Simple) -> bool {
    let words = unwrapped(&command.words);
    words.first().is_some_and(|word| SHELLS.contains(&name_of(word).as_str()))
}

/// The command line a shell is handed.
fn inner_line(call: &Call<'_>, command: &Simple) -> Option<String> {
    let name = call.name;
    if name == "eval" {
        return Some(call.words.join(" "));
    }
    if SHELLS.contains(&name) {
        let at = call.words.iter().position(|word| is_short_c(word) || word == "--command");
        return match at {
            Some(at) => call.words.get(at + 1).cloned(),
            None => Some(command.reads.clone()).filter(|text| !text.is_empty()),
        };
    }
    let from = match name {
        "cmd" => call.words.iter().position(|word| matches!(word.to_lowercase().as_str(), "/c" | "/k")),
        "powershell" | "pwsh" => call.words.iter().position(|word| {
            let word = word.to_lowercase();
            word.len() > 1 && "-command".starts_with(&word)
        }),
        _ => None,
    };
    from.map(|at| call.words[at + 1..].join(" "))
}

/// `-c`, also among others: `-lc`.
fn is_short_c(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

/// `find` deletes what it finds below the folders it is given, or starts a program.
fn found_by(call: &Call<'_>, depth: usize) -> Option<Blocked> {
    let starts: Vec<&String> = call.words.iter().take_while(|word| !word.starts_with('-')).collect();
    let everything = starts.iter().any(|start| is_protected(start, call.place));
    // A narrowed search below a whole drive is how logs and caches are tidied.
    let narrow = call.has(&["-name", "-iname", "-path", "-regex", "-mtime", "-size", "-newer", "-user", "-empty"]);
    let at = call.words.iter().position(|word| matches!(word.as_str(), "-exec" | "-execdir" | "-ok"));
    let started = at.map(|at| {
        let words = call.words[at + 1..].iter().take_while(|word| *word != ";" && *word != "+");
        Simple { words: words.cloned().collect(), ..Simple::default() }
    });
    let deletes = started.as_ref().and_then(|command| command.words.first()).is_some_and(|word| name_of(word) == "rm");
    if everything && !narrow && (deletes || call.has(&["-delete"])) {
        return Some(Blocked::Delete);
    }
    started.and_then(|command| one(&command, call.place, depth + 1))
}

/// A device that is a disk or a part of one.
fn is_disk(name: &str) -> bool {
    let name = name.to_lowercase();
    if name.starts_with(r"\\.\physicaldrive") {
        return true;
    }
    const DISKS: [&str; 12] =
        ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "dm-", "md", "loop"];
    name.strip_prefix("/dev/").is_some_and(|device| DISKS.iter().any(|disk| device.starts_with(disk)))
}

/// `:(){ :|:& };:` under any name, `%0|%0`, and the one-liners of scripting languages.
fn is_fork_bomb(command: &str) -> bool {
    let ends = command.replace('\n', ";");
    let text: String = ends.chars().filter(|c| !c.is_whitespace()).collect();
    if text.contains("%0|%0") || text.contains("forkwhilefork") || text.contains("fork()whiletrue") {
        return true;
    }
    if text.contains("os.fork()") && (text.contains("whileTrue") || text.contains("while1")) {
        return true;
    }
    text.match_indices("(){").any(|(at, sign)| {
        let is_part = |c: char| !matches!(c, ';' | '&' | '|' | '{' | '}' | '(' | ')');
        let name: String = text[..at].chars().rev().take_while(|c| is_part(*c)).collect();
        let name: String = name.chars().rev().collect();
        let name = name.strip_prefix("function").filter(|rest| !rest.is_empty()).unwrap_or(&name);
        let body = &text[at + sign.len()..];
        !name.is_empty() && body.contains(&format!("{name}|{name}"))
    })
}

/// Whether programs of Windows count too: PowerShell runs on other systems as well, but their own tools do not.
fn windows(place: &Place<'_>) -> bool {
    place.system == System::Windows
}
