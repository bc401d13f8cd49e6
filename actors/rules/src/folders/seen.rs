//! What a look through a folder comes to: which files are read, and which are forgotten (rule 136).

use std::collections::BTreeMap;

/// A file that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// Inside the folder, with `/` between its parts.
    pub path: String,
    pub bytes: u64,
    /// Milliseconds since 1970.
    pub modified_ms: i64,
}

/// What is known of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub bytes: u64,
    pub modified_ms: i64,
    /// How it was cut.
    pub cut: u64,
    /// It is to be tried again although it looks the same.
    pub try_again: bool,
}

/// Why part of a folder was not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// A folder in it could not be opened.
    Closed,
    /// It holds more files than are read of one.
    TooMany,
    /// Files of it are too long to be read to their end.
    TooLong,
    /// A file in it changed while it was read.
    Changing,
}

impl Unfinished {
    /// For the person.
    pub fn sentence(self, files_max: u32) -> String {
        match self {
            Self::Closed => "Only part of this folder is searched: a folder in it could not be opened.".to_owned(),
            Self::TooMany => format!("Only part of this folder is searched: it holds more than {files_max} files."),
            Self::TooLong => {
                "Only part of this folder is searched: a file in it is too long to be read to its end.".to_owned()
            }
            Self::Changing => "A file changed while it was read. It is read again at the next look.".to_owned(),
        }
    }

    /// Whether files that were not seen may still be there.
    pub fn hides_files(self) -> bool {
        matches!(self, Self::Closed | Self::TooMany)
    }
}

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// New or changed: read.
    pub read: Vec<ListedFile>,
    /// Not there any more, or left out now: forgotten.
    pub gone: Vec<String>,
}

/// Compares what was seen with what is known. A look that could not see everything forgets nothing.
pub fn look(listed: Vec<ListedFile>, known: &BTreeMap<String, Seen>, saw_all: bool, cut: u64) -> Look {
    let mut gone: BTreeMap<&str, ()> = known.keys().map(|path| (path.as_str(), ())).collect();
    let mut read = Vec::new();
    for file in listed {
        gone.remove(file.path.as_str());
        let is_same = known.get(&file.path).is_some_and(|seen| {
            (seen.bytes, seen.modified_ms, seen.cut, seen.try_again) == (file.bytes, file.modified_ms, cut, false)
        });
        if !is_same {
            read.push(file);
        }
    }
    let gone = if saw_all { gone.into_keys().map(str::to_owned).collect() } else { Vec::new() };
    Look { read, gone }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_136_a_look_reads_what_changed_and_forgets_what_is_gone() {
        let file = |path: &str, bytes, modified_ms| ListedFile { path: path.into(), bytes, modified_ms };
        let seen = |bytes, modified_ms, cut, try_again| Seen { bytes, modified_ms, cut, try_again };
        let known = BTreeMap::from([
            ("same.md".to_owned(), seen(1, 1, 7, false)),
            ("longer.md".to_owned(), seen(1, 1, 7, false)),
            ("older.md".to_owned(), seen(1, 9, 7, false)),
            ("recut.md".to_owned(), seen(1, 1, 6, false)),
            ("again.md".to_owned(), seen(1, 1, 7, true)),
            ("gone.md".to_owned(), seen(1, 1, 7, false)),
        ]);
        let listed = vec![
            file("same.md", 1, 1),
            file("longer.md", 2, 1),
            file("older.md", 1, 3),
            file("recut.md", 1, 1),
            file("again.md", 1, 1),
            file("new.md", 1, 1),
        ];
        let names = |look: &Look| look.read.iter().map(|file| file.path.clone()).collect::<Vec<_>>().join(" ");
        let all = look(listed.clone(), &known, true, 7);
        assert_eq!(names(&all), "longer.md older.md recut.md again.md new.md");
        assert_eq!(all.gone, ["gone.md"]);
        let part = look(listed, &known, false, 7);
        assert_eq!((names(&part), part.gone.len()), (names(&all), 0));
        assert_eq!(look(Vec::new(), &known, false, 7), Look::default());
    }

    #[test]
    fn what_hides_files() {
        let hides = [Unfinished::Closed, Unfinished::TooMany, Unfinished::TooLong, Unfinished::Changing]
            .map(Unfinished::hides_files);
        assert_eq!(hides, [true, true, false, false]);
        assert!(Unfinished::TooMany.sentence(20_000).contains("20000 files"));
    }
}
