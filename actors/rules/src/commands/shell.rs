//! Reads a command line as a shell would, far enough to know which programs it names and with which words.
//!
//! It reads too much rather than too little: what stands in a substitution, in a group or behind `sh -c` is a command
//! too. It expands nothing, and it is no judge of whether a shell would accept the line.

use super::System;

/// How deep substitutions and `sh -c` are followed. What is nested deeper is not looked at; nobody writes it by hand.
const DEPTH_MAX: usize = 8;
/// Commands taken from one line.
const COMMANDS_MAX: usize = 512;

/// How a shell quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellKind {
    /// `\` escapes, backticks run what they hold.
    Posix,
    /// PowerShell: a backtick escapes, `\` is a letter like others.
    PowerShell,
}

impl From<System> for ShellKind {
    fn from(system: System) -> Self {
        match system {
            System::Unix => Self::Posix,
            System::Windows => Self::PowerShell,
        }
    }
}

/// One command: a program and its words, with quotes taken off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    pub words: Vec<String>,
    /// Names it writes to with `>`.
    pub writes_to: Vec<String>,
    /// What it reads from the lines below it (`<<END`).
    pub reads: String,
}

impl Simple {
    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.writes_to.is_empty()
    }
}

/// Every command of a line, those within substitutions and groups included, in the order they begin.
pub fn simple_commands(line: &str, kind: ShellKind) -> Vec<Simple> {
    let mut found = Vec::new();
    read_into(line, kind, 0, &mut found);
    found
}

fn read_into(line: &str, kind: ShellKind, depth: usize, found: &mut Vec<Simple>) {
    if depth >= DEPTH_MAX || found.len() >= COMMANDS_MAX {
        return;
    }
    let mut reader = Reader::new(line, kind);
    reader.read();
    let Reader { commands, inner, .. } = reader;
    let free = COMMANDS_MAX - found.len();
    found.extend(commands.into_iter().filter(|command| !command.is_empty()).take(free));
    for text in inner {
        read_into(&text, kind, depth + 1, found);
    }
}

/// What the next word is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Word,
    WritesTo,
    ReadsFrom,
    HereEnd,
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    kind: ShellKind,
    commands: Vec<Simple>,
    word: Option<String>,
    next: Next,
    /// Ends of here-documents that begin after this line.
    here: Vec<String>,
    /// Texts that are command lines of their own.
    inner: Vec<String>,
}

impl Reader {
    fn new(line: &str, kind: ShellKind) -> Self {
        let commands = vec![Simple::default()];
        let chars = line.chars().collect();
        Self { chars, at: 0, kind, commands, word: None, next: Next::Word, here: Vec::new(), inner: Vec::new() }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn take(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn read(&mut self) {
        while let Some(c) = self.take() {
            match c {
                '\n' => self.line_ended(),
                '\r' | ';' | '|' | '&' | '(' | ')' => self.command_ended(),
                '>' | '<' => self.redirect(c),
                '\'' => self.quoted(),
                '"' => self.double_quoted(),
                '#' if self.word.is_none() => self.comment(),
                '$' => self.dollar(),
                '`' => self.backtick(),
                '\\' if self.kind == ShellKind::Posix => self.escaped(),
                '{' | '}' if self.kind == ShellKind::PowerShell => self.command_ended(),
                c if c.is_whitespace() => self.word_ended(),
                c => self.push(c),
            }
        }
        self.command_ended();
    }

    fn word_ended(&mut self) {
        let Some(word) = self.word.take() else { return };
        let next = std::mem::replace(&mut self.next, Next::Word);
        let Some(command) = self.commands.last_mut() else { return };
        match next {
            // `{` and `}` alone group commands, and `!` negates one.
            Next::Word if command.words.is_empty() && matches!(word.as_str(), "{" | "}" | "!") => (),
            Next::Word => command.words.push(word),
            Next::WritesTo => command.writes_to.push(word),
            Next::ReadsFrom => (),
            Next::HereEnd => self.here.push(word),
        }
    }

    fn command_ended(&mut self) {
        self.word_ended();
        self.next = Next::Word;
        if self.commands.last().is_some_and(|command| !command.is_empty()) && self.commands.len() < COMMANDS_MAX {
            self.commands.push(Simple::default());
        }
    }

    fn line_ended(&mut self) {
        self.word_ended();
        for end in std::mem::take(&mut self.here) {
            let text = self.here_document(&end);
            if let Some(command) = self.commands.last_mut() {
                command.reads.push_str(&text);
            }
        }
        self.command_ended();
    }

    /// The lines up to the one that is `end` (tabs before it count as nothing, as with `<<-`).
    fn here_document(&mut self, end: &str) -> String {
        let mut text = String::new();
        while self.at < self.chars.len() {
            let stop = self.chars[self.at..].iter().position(|c| *c == '\n').map_or(self.chars.len(), |n| self.at + n);
            let line: String = self.chars[self.at..stop].iter().collect();
            self.at = (stop + 1).min(self.chars.len());
            if line.trim_start_matches('\t').trim_end_matches('\r') == end {
                break;
            }
            text.push_str(&line);
            text.push('\n');
        }
        text
    }

    fn redirect(&mut self, c: char) {
        // A number right before it names a stream: `2>`.
        if self.word.as_ref().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit())) {
            self.word = None;
        }
        self.word_ended();
        if self.peek() == Some('(') {
            return; // a substitution, whose inside is read as a command of its own
        }
        if c == '<' && self.peek() == Some('<') {
            self.at += 1;
            let is_string = self.peek() == Some('<');
            self.at += usize::from(matches!(self.peek(), Some('<' | '-')));
            self.next = if is_string { Next::ReadsFrom } else { Next::HereEnd };
            return;
        }
        while matches!(self.peek(), Some('>' | '&' | '|')) {
            self.at += 1;
        }
        self.next = if c == '>' { Next::WritesTo } else { Next::ReadsFrom };
    }

    fn quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.take() {
            if c == '\'' {
                break;
            }
            self.push(c);
        }
    }

    fn double_quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.take() {
            match c {
                '"' => break,
                '$' => self.dollar(),
                '`' => self.backtick(),
                '\\' if self.kind == ShellKind::Posix => self.escaped(),
                c => self.push(c),
            }
        }
    }

    fn comment(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn escaped(&mut self) {
        match self.take() {
            Some('\n') | None => (),
            Some(c) => self.push(c),
        }
    }

    fn dollar(&mut self) {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let text = self.until_closed();
                self.inner.push(text);
                self.push('\u{fffd}'); // something unknown stands here
            }
            Some('\'') if self.kind == ShellKind::Posix => {
                self.at += 1;
                self.c_quoted();
            }
            _ => self.push('$'),
        }
    }

    /// `$'...'`, whose escapes could spell a program's name.
    fn c_quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.take() {
            match c {
                '\'' => break,
                '\\' => match self.take() {
                    Some('n') => self.push('\n'),
                    Some('t') => self.push('\t'),
                    Some('x') => self.coded(16, 2),
                    Some('u') => self.coded(16, 4),
                    Some('U') => self.coded(16, 8),
                    Some(c @ '0'..='7') => {
                        self.at -= usize::from(c.is_ascii_digit());
                        self.coded(8, 3);
                    }
                    Some(c) => self.push(c),
                    None => (),
                },
                c => self.push(c),
            }
        }
    }

    fn coded(&mut self, radix: u32, digits_max: usize) {
        let mut value = 0;
        for _ in 0..digits_max {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else { break };
            value = value * radix + digit;
            self.at += 1;
        }
        self.push(char::from_u32(value).unwrap_or('\u{fffd}'));
    }

    /// The text up to the bracket that closes what was just opened.
    fn until_closed(&mut self) -> String {
        let (mut depth, mut text) = (1_usize, String::new());
        while let Some(c) = self.take() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => (),
            }
            if depth == 0 {
                break;
            }
            text.push(c);
        }
        text
    }

    fn backtick(&mut self) {
        if self.kind == ShellKind::PowerShell {
            return self.escaped();
        }
        let mut text = String::new();
        while let Some(c) = self.take() {
            match c {
                '`' => break,
                '\\' => text.extend(self.take()),
                c => text.push(c),
            }
        }
        self.inner.push(text);
        self.push('\u{fffd}');
    }
}
