//! Names of folders in a command, made absolute by their text alone.
//!
//! Links are not followed here: who checks a real folder resolves it first (`actors::terminal`).

use super::{Place, System};

/// Folders whose loss takes the system with it.
const UNIX: [&str; 24] = [
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/mnt",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/var",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
];
const WINDOWS: [&str; 7] =
    ["", "/windows", "/windows/system32", "/program files", "/program files (x86)", "/programdata", "/users"];
/// Folders that hold people's own folders: what is right below is somebody's home.
const HOMES: [&str; 2] = ["/home", "/Users"];

/// Whether `path` is `folder` or lies below it. Both absolute, with links followed.
pub fn inside(path: &str, folder: &str, system: System) -> bool {
    let (path, folder) = (plain(path, system), plain(folder, system));
    if folder == "/" {
        return path.starts_with('/');
    }
    path.strip_prefix(&folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Without a `/` at the end; on Windows in small letters with `/` between the names.
fn plain(path: &str, system: System) -> String {
    let path = match system {
        System::Unix => path.to_owned(),
        System::Windows => path.trim_start_matches(r"\\?\").replace('\\', "/").to_lowercase(),
    };
    let cut = path.trim_end_matches('/');
    if cut.is_empty() && path.starts_with('/') { "/".to_owned() } else { cut.to_owned() }
}

/// Whether a word of a command names a whole drive, a folder of the system, somebody's own folder, or the assistant's
/// copies kept for a bad day. `*` below such a folder counts as the folder.
pub(super) fn is_protected(word: &str, place: &Place<'_>) -> bool {
    let path = absolute(word, place);
    let known = |folder: &str| plain(folder, place.system) == path;
    if place.home.is_some_and(known) || place.data.is_some_and(known) {
        return true;
    }
    if place.data.is_some_and(|data| path == format!("{}/backups", plain(data, place.system))) {
        return true;
    }
    match place.system {
        System::Unix => {
            UNIX.contains(&path.as_str())
                || path.rsplit_once('/').is_some_and(|(parent, name)| HOMES.contains(&parent) && !name.is_empty())
        }
        System::Windows => {
            let Some((drive, rest)) = path.split_once(':') else { return false };
            let is_home = rest.strip_prefix("/users/").is_some_and(|name| !name.is_empty() && !name.contains('/'));
            drive.len() == 1 && (WINDOWS.contains(&rest) || is_home)
        }
    }
}

/// The folder a word means: `~` and the variables of one's own folder opened, made absolute, `.` and `..` and `*` at the
/// end taken out. In the form of [`plain`].
fn absolute(word: &str, place: &Place<'_>) -> String {
    let word = home_opened(word, place);
    let word = match place.system {
        System::Unix => word,
        System::Windows => word.replace('\\', "/").to_lowercase(),
    };
    let is_absolute = word.starts_with('/') || (place.system == System::Windows && word.get(1..2) == Some(":"));
    let whole = if is_absolute { word } else { format!("{}/{word}", plain(place.folder, place.system)) };
    let mut parts: Vec<&str> = Vec::new();
    let all: Vec<&str> = whole.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    for (at, part) in all.iter().enumerate() {
        match *part {
            ".." => drop(parts.pop()),
            part if at + 1 == all.len() && is_everything(part) => (),
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match place.system {
        System::Windows if joined.get(1..2) == Some(":") => joined,
        _ => format!("/{joined}"),
    }
}

/// A pattern all files of a folder fit: `*`, `.*`, `*.*`, `{*,.*}`.
fn is_everything(part: &str) -> bool {
    part.contains('*') && part.chars().all(|c| matches!(c, '*' | '.' | '{' | '}' | ',' | '?' | '[' | ']' | '!'))
}

fn home_opened(word: &str, place: &Place<'_>) -> String {
    let Some(home) = place.home else { return word.to_owned() };
    let names: &[&str] = match place.system {
        System::Unix => &["~", "$HOME", "${HOME}"],
        System::Windows => &["~", "$home", "$env:userprofile", "${env:userprofile}", "%userprofile%"],
    };
    let small = word.to_lowercase();
    for name in names {
        let found = match place.system {
            System::Unix => word.strip_prefix(name),
            System::Windows => small.strip_prefix(name).map(|rest| &word[word.len() - rest.len()..]),
        };
        match found {
            Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => return format!("{home}{rest}"),
            _ => (),
        }
    }
    let drive = small.strip_prefix("%systemdrive%").or_else(|| small.strip_prefix("$env:systemdrive"));
    match drive.filter(|_| place.system == System::Windows) {
        Some(rest) => format!("c:{rest}"),
        None => word.to_owned(),
    }
}
