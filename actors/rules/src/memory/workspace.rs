//! The files of the workspace as prompts get them: what fits, which chat reads which, and the learned part of USER.md
//! (contract section 7, "Memory scopes"; `memory.md` section 6; rule 234).

use super::scope;
use super::words::spelling;

/// The heading of what was learned about the person.
pub const LEARNED: &str = "## Learned";
/// Bullets under it. Ours: what is more would not fit a prompt's budget anyway.
pub const BULLETS_MAX: usize = 60;

/// The files as they are, empty where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    pub soul: String,
    pub user: String,
    pub memory: String,
    /// The day's note and the one before, with their dates, `YYYY-MM-DD`.
    pub notes: Vec<(String, String)>,
}

/// What of the files a chat's prompt gets: each within `budget` characters, and only what its scope reads.
pub fn for_prompt(files: &Files, chat_scope: &str, budget: usize) -> Files {
    let personal = scope::reads_personal_files(chat_scope);
    let keep = |text: &str| if personal { fit(text, budget) } else { String::new() };
    let user = if personal { files.user.clone() } else { without_learned(&files.user) };
    Files {
        soul: fit(&files.soul, budget),
        user: fit(&user, budget),
        memory: keep(&files.memory),
        notes: if personal {
            files.notes.iter().map(|(day, text)| (day.clone(), fit(text, budget))).collect()
        } else {
            Vec::new()
        },
    }
}

/// Which memories a chat uses, in words for its model; empty for a personal one.
pub fn scope_note(chat_scope: &str) -> String {
    let name = scope::parse(chat_scope).unwrap_or_default();
    if name.is_empty() || scope::reads_personal_files(&name) {
        return String::new();
    }
    format!(
        "This chat uses the memories kept for {name} and those shared by every chat. Personal memories are left out of it; \
         do not bring them up."
    )
}

/// A text within so many characters, with a note when something was cut, at the end of a line where one is near.
pub fn fit(text: &str, budget: usize) -> String {
    const CUT: &str = "\n[The rest of this file is left out: it is too long.]";
    let text = text.trim();
    if text.chars().count() <= budget {
        return text.to_owned();
    }
    let kept: String = text.chars().take(budget.saturating_sub(CUT.chars().count())).collect();
    let whole_lines = kept.rfind('\n').filter(|end| *end * 2 > kept.len()).map_or(kept.as_str(), |end| &kept[..end]);
    let noted = format!("{}{CUT}", whole_lines.trim_end());
    noted.chars().take(budget).collect()
}

/// USER.md without its learned part.
pub fn without_learned(user: &str) -> String {
    let (before, _, after) = split(user);
    join(before, "", after)
}

/// The learned bullets of USER.md, without their marks.
pub fn learned(user: &str) -> Vec<String> {
    let (_, bullets, _) = split(user);
    bullets.lines().filter_map(bullet).map(str::to_owned).collect()
}

/// USER.md with these learned bullets in the place of the ones it had; everything the person wrote stays.
pub fn with_learned(user: &str, bullets: &[String]) -> String {
    let (before, _, after) = split(user);
    let mut lines: Vec<String> = Vec::new();
    for text in bullets.iter().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")) {
        if !text.is_empty() && lines.len() < BULLETS_MAX && !lines.contains(&format!("- {text}")) {
            lines.push(format!("- {text}"));
        }
    }
    let part = if lines.is_empty() { String::new() } else { format!("{LEARNED}\n\n{}\n", lines.join("\n")) };
    join(before, &part, after)
}

/// The lines of MEMORY.md or bullets of USER.md without those that `goes` says go; `None`: all stay.
pub fn without_lines(text: &str, goes: impl Fn(&str) -> bool) -> Option<String> {
    let stays = |line: &&str| {
        let plain = bullet(line).unwrap_or(line.trim());
        plain.is_empty() || plain.starts_with('#') || spelling(plain).is_empty() || !goes(plain)
    };
    let kept: Vec<&str> = text.lines().filter(stays).collect();
    (kept.len() < text.lines().count()).then(|| {
        let mut out = kept.join("\n");
        out.push('\n');
        out
    })
}

fn bullet(line: &str) -> Option<&str> {
    let line = line.trim();
    ["- ", "* ", "• "].iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim)
}

/// What stands before the learned part, its lines, and what stands behind it.
fn split(user: &str) -> (&str, &str, &str) {
    let heading = |line: &str| line.trim().eq_ignore_ascii_case(LEARNED);
    let mut at = 0;
    let mut begun: Option<(usize, usize)> = None;
    for line in user.split_inclusive('\n') {
        match begun {
            None if heading(line) => begun = Some((at, at + line.len())),
            Some((from, inside)) if line.starts_with("# ") || line.starts_with("## ") => {
                return (&user[..from], &user[inside..at], &user[at..]);
            }
            _ => (),
        }
        at += line.len();
    }
    match begun {
        Some((from, inside)) => (&user[..from], &user[inside..], ""),
        None => (user, "", ""),
    }
}

fn join(before: &str, part: &str, after: &str) -> String {
    let parts: Vec<&str> = [before, part, after].into_iter().map(str::trim).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { String::new() } else { format!("{}\n", parts.join("\n\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const USER: &str =
        "# About Maya\n\n- Name: Maya\n\n## Learned\n\n- Likes tea\n- माया पुणे में रहती है\n\n## Work\n\nDesigner\n";

    #[test]
    fn rule_234_work_chats_leave_out_the_personal_files() {
        let files = Files {
            soul: "Warm".into(),
            user: USER.into(),
            memory: "- Mother is ill".into(),
            notes: vec![("2026-11-30".into(), "Saw the doctor".into())],
        };
        for (chat, personal) in [("personal", true), ("work", false), ("Kestrel launch", false), ("माया", false)]
        {
            let got = for_prompt(&files, chat, 6_000);
            let text = format!("{} {} {:?}", got.user, got.memory, got.notes);
            for private in ["Mother", "doctor", "Likes tea", "पुणे"] {
                assert_eq!(text.contains(private), personal, "{chat}: {private}");
            }
            assert!(got.user.contains("Designer") && got.soul == "Warm", "{chat}: what the person wrote stays");
            assert_eq!(scope_note(chat).is_empty(), personal, "{chat}");
        }
    }

    #[test]
    fn a_long_file_is_cut_with_a_note() {
        let long = "a line of words\n".repeat(600);
        let cut = fit(&long, 500);
        assert!(cut.chars().count() <= 500 && cut.ends_with("too long.]") && cut.starts_with("a line"), "{cut}");
        assert_eq!(fit("short", 500), "short");
        assert!(fit(&"माया ".repeat(600), 500).chars().count() <= 500);
    }

    #[test]
    fn the_learned_part_is_replaced_and_the_rest_stays() {
        assert_eq!(learned(USER), ["Likes tea", "माया पुणे में रहती है"]);
        let new = with_learned(USER, &["Owns a boat".to_owned(), "Owns a boat".to_owned(), " ".to_owned()]);
        assert_eq!(new, "# About Maya\n\n- Name: Maya\n\n## Learned\n\n- Owns a boat\n\n## Work\n\nDesigner\n");
        assert_eq!(with_learned(USER, &[]), "# About Maya\n\n- Name: Maya\n\n## Work\n\nDesigner\n");
        assert_eq!(with_learned("", &["Likes tea".to_owned()]), "## Learned\n\n- Likes tea\n");
    }

    #[test]
    fn rule_232_lines_go_and_headings_stay() {
        let text = "# Maya\n- Likes tea\n\n- Owns a boat\n";
        assert_eq!(without_lines(text, |line| line == "Likes tea").as_deref(), Some("# Maya\n\n- Owns a boat\n"));
        assert_eq!(without_lines(text, |_| false), None);
        assert_eq!(without_lines(text, |_| true).as_deref(), Some("# Maya\n\n"));
    }

    proptest! {
        #[test]
        fn what_the_person_wrote_is_never_lost(user in "([a-z#\\- ]{0,20}\n){0,10}", bullets in prop::collection::vec("[a-z ]{1,12}", 0..6)) {
            let mine = without_learned(&user);
            let written = with_learned(&user, &bullets);
            let kept = without_learned(&written);
            prop_assert_eq!(kept.trim(), mine.trim());
            prop_assert!(fit(&user, 120).chars().count() <= 120);
        }
    }
}
