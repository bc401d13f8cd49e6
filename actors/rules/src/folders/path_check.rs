//! Whether a folder may be added (contract section 22, `POST /api/folders`).
//!
//! Paths come in with links followed, so that two names of one folder are one.

/// What is where on this computer.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// The person's own folder.
    pub home: Option<&'a str>,
    /// Where Sentient keeps everything.
    pub data: &'a str,
    /// Folders that were added before.
    pub added: &'a [&'a str],
    /// Backslashes are between names, and drives have letters.
    pub is_windows: bool,
    /// Two names that differ in the case of letters are one.
    pub ignores_case: bool,
}

/// Why a folder is not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    NotFull,
    NotThere,
    WholeDrive,
    Home,
    Data,
    Added,
    Nested,
}

impl Refused {
    /// For the person: what is wrong and what to do.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NotFull => "This is not the full path of a folder. Pick the folder, or type its whole path.",
            Self::NotThere => "There is no folder at this path. Check the spelling, and that its drive is connected.",
            Self::WholeDrive => "This is a whole drive. Pick a folder on it that holds your notes.",
            Self::Home => "This is your whole home folder. Pick the folder in it that holds your notes.",
            Self::Data => "This folder belongs to Sentient's own data. Pick another folder.",
            Self::Added => "This folder is added already.",
            Self::Nested => {
                "This folder is inside a folder that is added already, or holds one. Remove that one first."
            }
        }
    }
}

/// Checks a folder that is to be added. `typed` is what was asked for, `found` where it leads, when it is a folder that
/// is there.
///
/// # Errors
/// Why not.
pub fn check_new<'a>(typed: &str, found: Option<&'a str>, places: &Places<'_>) -> Result<&'a str, Refused> {
    if !is_full(typed, places.is_windows) {
        return Err(Refused::NotFull);
    }
    let found = found.ok_or(Refused::NotThere)?;
    let path = parts(found, places);
    let holds = |inner: &str| parts(inner, places).starts_with(&path);
    let is_in = |outer: &str| path.starts_with(&parts(outer, places));
    if is_drive(&path, found, places.is_windows) {
        return Err(Refused::WholeDrive);
    }
    if places.home.is_some_and(holds) {
        return Err(Refused::Home);
    }
    if holds(places.data) || is_in(places.data) {
        return Err(Refused::Data);
    }
    if places.added.iter().any(|added| parts(added, places) == path) {
        return Err(Refused::Added);
    }
    if places.added.iter().any(|added| holds(added) || is_in(added)) {
        return Err(Refused::Nested);
    }
    Ok(found)
}

fn is_full(typed: &str, is_windows: bool) -> bool {
    let typed = typed.trim();
    if !is_windows {
        return typed.starts_with('/');
    }
    let mut letters = typed.chars();
    let has_drive = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && letters.next() == Some(':');
    (has_drive && matches!(letters.next(), Some('\\' | '/'))) || typed.starts_with(r"\\")
}

/// The names a path is made of.
fn parts(path: &str, places: &Places<'_>) -> Vec<String> {
    let between = |letter: char| letter == '/' || (places.is_windows && letter == '\\');
    let names = path.split(between).filter(|name| !name.is_empty());
    names.map(|name| if places.ignores_case { name.to_lowercase() } else { name.to_owned() }).collect()
}

/// The top of a drive, or of what another computer shares.
fn is_drive(path: &[String], found: &str, is_windows: bool) -> bool {
    match path {
        [] => true,
        [drive] if is_windows => drive.ends_with(':'),
        [_, _] if is_windows => found.starts_with(r"\\"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIX: Places<'_> = Places {
        home: Some("/home/maya"),
        data: "/home/maya/.sentient",
        added: &["/home/maya/Notes", "/data/Vault"],
        is_windows: false,
        ignores_case: false,
    };

    #[test]
    fn folders_that_may_be_added_and_those_that_may_not() {
        for (name, typed, found, want) in [
            ("a folder", "/home/maya/Papers", Some("/home/maya/Papers"), None),
            ("a name that only begins alike", "/home/maya/Notes2", Some("/home/maya/Notes2"), None),
            ("half a path", "Notes", Some("/home/maya/Notes"), Some(Refused::NotFull)),
            ("the shell's sign for home", "~/Papers", None, Some(Refused::NotFull)),
            ("nothing", "", None, Some(Refused::NotFull)),
            ("not there", "/home/maya/Papers", None, Some(Refused::NotThere)),
            ("the top", "/", Some("/"), Some(Refused::WholeDrive)),
            ("home", "/home/maya", Some("/home/maya"), Some(Refused::Home)),
            ("what holds home", "/home", Some("/home"), Some(Refused::Home)),
            ("home by a link", "/tmp/link", Some("/home/maya"), Some(Refused::Home)),
            ("the data folder", "/home/maya/.sentient", Some("/home/maya/.sentient"), Some(Refused::Data)),
            ("inside it", "/home/maya/.sentient/files", Some("/home/maya/.sentient/files"), Some(Refused::Data)),
            ("added", "/data/Vault", Some("/data/Vault"), Some(Refused::Added)),
            ("added, by a link", "/mnt/v", Some("/data/Vault"), Some(Refused::Added)),
            ("inside an added one", "/data/Vault/a", Some("/data/Vault/a"), Some(Refused::Nested)),
            ("around an added one", "/data", Some("/data"), Some(Refused::Nested)),
            ("another case is another folder", "/data/vault", Some("/data/vault"), None),
        ] {
            let got = check_new(typed, found, &UNIX);
            assert_eq!(got.err(), want, "{name}");
            assert_eq!(got.ok(), found.filter(|_| want.is_none()), "{name}");
        }
    }

    #[test]
    fn data_elsewhere_is_not_held() {
        let places = Places { data: "/srv/app/data", ..UNIX };
        assert_eq!(check_new("/srv/app", Some("/srv/app"), &places), Err(Refused::Data));
        assert_eq!(check_new("/srv/other", Some("/srv/other"), &places), Ok("/srv/other"));
    }

    #[test]
    fn folders_of_windows() {
        let places = Places {
            home: Some(r"C:\Users\Maya"),
            data: r"C:\Users\Maya\.sentient",
            added: &[r"D:\Notes"],
            is_windows: true,
            ignores_case: true,
        };
        for (found, want) in [
            (r"C:\", Some(Refused::WholeDrive)),
            (r"\\nas\share", Some(Refused::WholeDrive)),
            (r"\\nas\share\notes", None),
            (r"c:\users\maya", Some(Refused::Home)),
            (r"C:\Users\Maya\Notes", None),
            (r"d:\NOTES", Some(Refused::Added)),
            (r"D:\Notes\a", Some(Refused::Nested)),
            (r"C:\Users\Maya\.sentient\x", Some(Refused::Data)),
        ] {
            assert_eq!(check_new(found, Some(found), &places).err(), want, "{found}");
        }
        assert_eq!(check_new(r"C:Notes", Some(r"C:\Notes"), &places), Err(Refused::NotFull));
    }

    #[test]
    fn every_refusal_says_what_to_do() {
        for refused in [
            Refused::NotFull,
            Refused::NotThere,
            Refused::WholeDrive,
            Refused::Home,
            Refused::Data,
            Refused::Added,
            Refused::Nested,
        ] {
            assert!(refused.sentence().ends_with('.'), "{refused:?}");
        }
    }
}
