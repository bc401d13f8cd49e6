//! How secrets are named in the operating system's keychain, and how a value too long for one entry is split.
//!
//! Pure text work: nothing here touches a keychain, a file or the environment, and no error repeats a value.

use sha2::{Digest, Sha256};

/// The service of the default data folder, the one every earlier version wrote to.
pub const SERVICE: &str = "sentient";

/// UTF-16 units of one keychain entry. Windows keeps 2,560 bytes (`CRED_MAX_CREDENTIAL_BLOB_SIZE`), 1,280 units; the rest
/// is room for the store's own marks.
pub const PART_UNITS_MAX: usize = 1_200;

/// Parts of one long value; with [`PART_UNITS_MAX`] more than 75,000 characters, far above any token.
pub const PARTS_MAX: usize = 64;

/// Begins the first entry of a value that is kept in parts.
const PARTS_MARK: &str = "sentient-parts:";

/// The keychain service of a data folder (contract section 3, "Keychain namespaces").
///
/// `home` is the folder's resolved path; `default_home` says that it is `~/.sentient`; `namespace` is
/// `SENTIENT_KEYCHAIN_NAMESPACE`, where an empty value counts as unset.
pub fn service(home: &str, default_home: bool, namespace: Option<&str>) -> String {
    match namespace.map(str::trim).filter(|word| !word.is_empty()) {
        Some(word) if word.eq_ignore_ascii_case("default") => SERVICE.to_owned(),
        Some(word) => format!("{SERVICE}-{}", namespace_word(word)),
        None if default_home => SERVICE.to_owned(),
        None => format!("{SERVICE}-{}", hash12(&home.to_lowercase())),
    }
}

/// Lower case, with `-` for every other character. A word that says nothing after that, or that would read `default`,
/// becomes `x<hash>`, so that no spelling but the plain word shares the default folder's entries.
fn namespace_word(word: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let clean: String = word.to_lowercase().chars().map(kept).collect();
    let clean = clean.trim_matches('-');
    if clean.is_empty() || clean == "default" { format!("x{}", hash12(word)) } else { clean.to_owned() }
}

/// The first 12 hexadecimal digits of a text's SHA-256.
fn hash12(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// The entry that holds part `index` of a long value, counted from 1 (`<name>:1`).
pub fn part_entry(name: &str, index: usize) -> String {
    format!("{name}:{index}")
}

/// A value as the keychain keeps it: the text of the entry itself, and of `<name>:1`, `<name>:2`... when it is long.
#[derive(Clone, PartialEq, Eq)]
pub struct Kept {
    pub head: String,
    pub parts: Vec<String>,
}

/// Lays a value out in entries. `None` when it is longer than [`PARTS_MAX`] parts.
///
/// A short value is its own entry, readable by every earlier version. A long one has its parts beside it and a head that
/// counts and fingerprints them, so that a save cut off in the middle is noticed and never read as a wrong key.
pub fn split(value: &str) -> Option<Kept> {
    if value.encode_utf16().count() <= PART_UNITS_MAX && !value.starts_with(PARTS_MARK) {
        return Some(Kept { head: value.to_owned(), parts: Vec::new() });
    }
    let mut parts = vec![String::new()];
    let mut units = 0;
    for c in value.chars() {
        if PART_UNITS_MAX < units + c.len_utf16() {
            parts.push(String::new());
            units = 0;
        }
        units += c.len_utf16();
        parts.last_mut().expect("there is always a part being filled").push(c);
    }
    (parts.len() <= PARTS_MAX).then(|| Kept { head: format!("{PARTS_MARK}{}:{}", parts.len(), hash12(value)), parts })
}

/// How many parts the entry's text says there are; zero when it is the value itself.
pub fn parts_of(head: &str) -> usize {
    let count = head.strip_prefix(PARTS_MARK).and_then(|rest| rest.split_once(':')).and_then(|(n, _)| n.parse().ok());
    count.filter(|count| *count <= PARTS_MAX).unwrap_or(0)
}

/// Puts a value together again. `None` when a part is missing or belongs to another save.
pub fn join(head: &str, parts: &[String]) -> Option<String> {
    if parts_of(head) == 0 {
        return Some(head.to_owned());
    }
    let value = parts.concat();
    let fingerprint = head.rsplit(':').next().unwrap_or_default();
    (parts.len() == parts_of(head) && fingerprint == hash12(&value)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_data_folder_has_its_own_service() {
        let hash = "sentient-5f3c0c7b6b0e";
        for (name, home, default_home, namespace, want) in [
            ("the default folder", "/home/a/.sentient", true, None, "sentient".to_owned()),
            ("another folder", "/data/Work", false, None, format!("sentient-{}", hash12("/data/work"))),
            ("the same folder in other case", "/DATA/work", false, None, format!("sentient-{}", hash12("/data/work"))),
            ("the word default", "/data/work", false, Some("Default"), "sentient".to_owned()),
            ("a word", "/home/a/.sentient", true, Some("Test Two"), "sentient-test-two".to_owned()),
            ("an empty word counts as unset", "/home/a/.sentient", true, Some(" "), "sentient".to_owned()),
            ("a word of signs", "/h", true, Some("!!"), format!("sentient-x{}", hash12("!!"))),
            ("almost default", "/h", true, Some("default!"), format!("sentient-x{}", hash12("default!"))),
        ] {
            assert_eq!(service(home, default_home, namespace), want, "{name}");
        }
        let other = service("/data/work", false, None);
        assert_eq!(other.len(), hash.len(), "twelve digits behind the dash");
    }

    #[test]
    fn a_known_hash() {
        // SHA-256 of "abc", FIPS 180-2 appendix B.1.
        assert_eq!(hash12("abc"), "ba7816bf8f01");
    }

    #[test]
    fn a_short_value_is_its_own_entry() {
        let kept = split("sk-123").expect("short");
        assert!(kept.head == "sk-123" && kept.parts.is_empty());
    }

    #[test]
    fn a_value_cut_off_or_mixed_is_not_read() {
        let kept = split(&"a".repeat(3_000)).expect("fits");
        assert_eq!(kept.parts.len(), 3);
        assert!(join(&kept.head, &kept.parts[..2]).is_none(), "a part is missing");
        let other = split(&"b".repeat(3_000)).expect("fits");
        assert!(join(&kept.head, &other.parts).is_none(), "parts of another save");
    }

    #[test]
    fn too_long_is_refused() {
        assert!(split(&"a".repeat(PART_UNITS_MAX * PARTS_MAX)).is_some());
        assert!(split(&"a".repeat(PART_UNITS_MAX * PARTS_MAX + 1)).is_none());
    }

    proptest! {
        #[test]
        fn what_is_split_joins_again(value in "(sentient-parts:)?(2:)?\\PC{0,40}", times in 1usize..80) {
            let value = value.repeat(times);
            let kept = split(&value).expect("below the limit");
            for part in kept.parts.iter().chain([&kept.head]) {
                prop_assert!(part.encode_utf16().count() <= PART_UNITS_MAX);
            }
            prop_assert_eq!(parts_of(&kept.head), kept.parts.len());
            prop_assert_eq!(join(&kept.head, &kept.parts), Some(value));
        }
    }
}
