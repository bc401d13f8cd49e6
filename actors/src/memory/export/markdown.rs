//! The export to read: memories by topic, what is known about the person, and what waits for review.

use super::{PENDING, Rows};
use crate::memory::engine::label_of;
use crate::memory::facts::review_note;
use jiff::tz::TimeZone;
use protocol::Timestamp;
use protocol::memory::{ReviewNote, SCOPE_ALWAYS, SCOPE_PERSONAL, SCOPE_WORK, TOPICS};
use storage::records::{FactRecord, FactState, FactStatus};

/// The text. `owner` is the person's name, which may be empty; `app` names an app by its id.
pub(in crate::memory) fn markdown(
    rows: &Rows,
    owner: &str,
    (now, zone): (Timestamp, &TimeZone),
    app: &dyn Fn(&str) -> String,
) -> String {
    let day = |at: Timestamp| at.to_jiff().to_zoned_datetime(zone.clone()).strftime("%-d %b %Y").to_string();
    let mut text = format!("# What Sentient remembers\n\nWritten on {}.\n", day(now));
    let active = || rows.facts.iter().filter(|fact| fact.status == FactStatus::Active);
    for (topic, _) in TOPICS {
        let of_topic = active().filter(|fact| fact.topics.first().is_some_and(|first| first == topic));
        section(&mut text, topic, of_topic.map(|fact| line(fact, &day, app)));
    }
    let none = |fact: &&FactRecord| !TOPICS.iter().any(|(topic, _)| fact.topics.first().is_some_and(|it| it == topic));
    section(&mut text, "Other", active().filter(none).map(|fact| line(fact, &day, app)));
    let name = if owner.trim().is_empty() { "you" } else { owner.trim() };
    let about = rows.about.iter().filter(|about| about.status != PENDING);
    let about =
        about.map(|about| format!("{} ({}, {})", one_line(&about.statement), about.dimension, day(about.updated_at)));
    section(&mut text, &format!("About {name}"), about);
    let held = rows.facts.iter().filter(|fact| fact.status == FactStatus::Pending);
    let held = held.map(|fact| line(fact, &day, app));
    let unsure = rows.about.iter().filter(|about| about.status == PENDING).map(|about| {
        let note = about.came_from.as_deref().and_then(|note| serde_json::from_str::<ReviewNote>(note).ok());
        let from = note.map_or_else(|| about.source.clone(), |note| note.from);
        format!("{} ({}, {})", one_line(&about.statement), one_line(&from), day(about.created_at))
    });
    section(&mut text, "Waiting for review", held.chain(unsure));
    text
}

fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    text.push_str(&format!("\n## {title}\n\n"));
    for line in lines {
        text.push_str(&format!("- {line}\n"));
    }
}

/// One memory: its words, and in brackets its scope, where it came from, and when.
fn line(fact: &FactRecord, day: &dyn Fn(Timestamp) -> String, app: &dyn Fn(&str) -> String) -> String {
    let scope = match fact.scope.as_str() {
        SCOPE_PERSONAL => None,
        SCOPE_WORK => Some("Work".to_owned()),
        SCOPE_ALWAYS => Some("Always".to_owned()),
        project => Some(project.to_owned()),
    };
    let from = review_note(fact).map_or_else(|| place(&fact.source, app), |note| note.from);
    let disputed = (fact.state == FactState::Disputed).then(|| "you said it isn't right".to_owned());
    let replaced = (fact.state == FactState::Superseded).then(|| "replaced since".to_owned());
    let notes: Vec<String> =
        scope.into_iter().chain([one_line(&from), day(fact.created_at)]).chain(disputed).chain(replaced).collect();
    format!("{} ({})", one_line(&fact.content), notes.join(", "))
}

/// Where something was learned, as a person says it.
fn place(source: &str, app: &dyn Fn(&str) -> String) -> String {
    match source.split_once(':') {
        Some(("device", _)) => "a device".into(),
        Some(("folder", _)) => "a folder".into(),
        Some(_) => label_of(source, app),
        None => match source {
            "conversation" => "a chat".into(),
            "manual" => "typed by you".into(),
            "onboarding" => "the first start".into(),
            "mcp" => "an MCP app".into(),
            other => other.into(),
        },
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::AboutYou;
    use crate::memory::test_kit::fact;

    #[test]
    fn an_export_says_what_where_from_and_when() {
        let at = Timestamp(1_790_985_600_000); // 3 Oct 2026
        let home =
            FactRecord { topics: vec!["Personal Identity".into()], created_at: at, ..fact(1, "Maya lives in Pune") };
        let work = FactRecord {
            scope: "work".into(),
            source: "conversation".into(),
            topics: vec!["Work & Learning".into()],
            ..FactRecord { content: "Maya leads\nKestrel".into(), ..home.clone() }
        };
        let held = FactRecord {
            status: FactStatus::Pending,
            review: Some(r#"{"from":"Gmail","snippet":null,"session_id":null}"#.into()),
            ..FactRecord { content: "Maya flies on 5 May".into(), ..home.clone() }
        };
        let about = AboutYou {
            id: "i1".into(),
            dimension: "values".into(),
            statement: "Likes short answers".into(),
            confidence: 0.8,
            status: "confirmed".into(),
            source: "inferred".into(),
            created_at: at,
            updated_at: at,
            came_from: None,
        };
        let rows = Rows { facts: vec![home, work, held], about: vec![about] };
        let text = markdown(&rows, "Maya", (at, &TimeZone::UTC), &|id| id.to_owned());
        let want = "# What Sentient remembers\n\nWritten on 3 Oct 2026.\n\n\
                    ## Personal Identity\n\n- Maya lives in Pune (typed by you, 3 Oct 2026)\n\n\
                    ## Work & Learning\n\n- Maya leads Kestrel (Work, a chat, 3 Oct 2026)\n\n\
                    ## About Maya\n\n- Likes short answers (values, 3 Oct 2026)\n\n\
                    ## Waiting for review\n\n- Maya flies on 5 May (Gmail, 3 Oct 2026)\n";
        assert_eq!(text, want);
        assert_eq!(rows.counts(), (2, 1, 1));
    }
}
