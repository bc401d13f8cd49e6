//! What the person said of themselves at the first start, as the texts the assistant reads.

use protocol::config::Config;
use protocol::memory::{SCOPE_ALWAYS, SCOPE_PERSONAL};
use protocol::onboarding::{Onboarding, PersonaChoice};
use std::fmt::Write;

/// Lines of one answer that become memories, and characters of each. Ours.
const LINES_REMEMBERED_MAX: usize = 20;
const FACT_CHARS_MAX: usize = 1_000;
/// Characters of one answer; the rest is cut. Ours: the file is part of every prompt.
const ANSWER_CHARS_MAX: usize = 4_000;

/// The settings after onboarding.
pub fn apply(answers: &Onboarding, config: &mut Config) {
    let assistant = &mut config.assistant;
    let kept = |new: &str, old: &str| if new.trim().is_empty() { old.to_owned() } else { line(new) };
    assistant.name = kept(&answers.assistant_name, &assistant.name);
    assistant.timezone = kept(&answers.timezone, &assistant.timezone);
    assistant.user_name = line(&answers.user_name);
    assistant.location = line(&answers.location);
    assistant.onboarding_complete = true;
}

/// `USER.md`: what the assistant should know of the person.
pub fn user_file(answers: &Onboarding) -> String {
    let name = line(&answers.user_name);
    let mut text = if name.is_empty() { "# About the user\n".to_owned() } else { format!("# About {name}\n") };
    let facts = [("Name", &answers.user_name), ("Location", &answers.location), ("Time zone", &answers.timezone)];
    let facts: Vec<(&str, String)> = facts.into_iter().map(|(label, value)| (label, line(value))).collect();
    let known = facts.iter().filter(|(_, value)| !value.is_empty() && value != "auto");
    for (nth, (label, value)) in known.enumerate() {
        let gap = if nth == 0 { "\n" } else { "" };
        append(&mut text, &format!("{gap}- {label}: {value}\n"));
    }
    for (heading, answer) in [("Work", &answers.professional_context), ("Personal", &answers.personal_context)] {
        let answer = paragraphs(answer);
        if !answer.is_empty() {
            append(&mut text, &format!("\n## {heading}\n\n{answer}\n"));
        }
    }
    text
}

/// What is remembered of the answers, each with the scope it is kept in: who the person is for every chat, the rest for
/// personal ones. One memory per line of what they wrote, in their own words.
pub fn facts(answers: &Onboarding) -> Vec<(&'static str, String)> {
    let name = line(&answers.user_name);
    let who = if name.is_empty() { "the user" } else { &name };
    let mut facts = Vec::new();
    if !name.is_empty() {
        facts.push((SCOPE_ALWAYS, format!("The user's name is {name}")));
    }
    let location = line(&answers.location);
    if !location.is_empty() {
        facts.push((SCOPE_PERSONAL, format!("{who} lives in {location}")));
    }
    for (about, text) in [("work", &answers.professional_context), ("life", &answers.personal_context)] {
        for told in paragraphs(text).lines().map(str::trim).filter(|told| !told.is_empty()).take(LINES_REMEMBERED_MAX) {
            let told: String = told.chars().take(FACT_CHARS_MAX).collect();
            facts.push((SCOPE_PERSONAL, format!("About {who}'s {about}, in their own words: {told}")));
        }
    }
    facts
}

/// `SOUL.md` for a ready-made persona; `None` leaves it to the person.
pub fn soul_file(persona: PersonaChoice) -> Option<String> {
    match persona {
        PersonaChoice::Friendly => crate::personas::text("friendly"),
        PersonaChoice::Professional => crate::personas::text("professional"),
        PersonaChoice::Concise => crate::personas::text("concise"),
        PersonaChoice::Custom => None,
    }
}

/// Whether a text is one of the ready-made ones, so that replacing it loses nothing the person wrote.
pub fn is_ready_made(soul: &str) -> bool {
    crate::personas::is_preset(soul)
}

fn append(text: &mut String, more: &str) {
    text.write_str(more).expect("writing into a text cannot fail");
}

/// One line, without control characters.
fn line(text: &str) -> String {
    let spaced: String =
        text.trim().chars().take(ANSWER_CHARS_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.trim().to_owned()
}

/// Lines as they are, but none that would read as a heading of the file's own.
fn paragraphs(text: &str) -> String {
    let cut: String = text.trim().chars().take(ANSWER_CHARS_MAX).collect();
    let lines = cut.lines().map(|line| line.trim_end().trim_start_matches('#'));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn the_file_says_what_was_answered_and_nothing_else() {
        let answers = Onboarding {
            user_name: " Maya\n".into(),
            location: "Pune, India".into(),
            timezone: "auto".into(),
            professional_context: "# Teacher\nPhysics, years 9 to 12".into(),
            ..Onboarding::default()
        };
        expect![[r"
            # About Maya

            - Name: Maya
            - Location: Pune, India

            ## Work

            Teacher
            Physics, years 9 to 12
        "]]
        .assert_eq(&user_file(&answers));
        assert_eq!(user_file(&Onboarding::default()), "# About the user\n");
    }

    #[test]
    fn what_was_answered_is_remembered_in_the_persons_words() {
        let answers = Onboarding {
            user_name: " Maya ".into(),
            location: "Pune, India".into(),
            professional_context: "# Teacher\nPhysics, years 9 to 12\n\n".into(),
            ..Onboarding::default()
        };
        let want = [
            ("always", "The user's name is Maya"),
            ("personal", "Maya lives in Pune, India"),
            ("personal", "About Maya's work, in their own words: Teacher"),
            ("personal", "About Maya's work, in their own words: Physics, years 9 to 12"),
        ];
        assert_eq!(facts(&answers), want.map(|(scope, text)| (scope, text.to_owned())));
        assert!(facts(&Onboarding::default()).is_empty());
    }

    #[test]
    fn empty_answers_leave_names_as_they_are() {
        let mut config = Config::default();
        apply(&Onboarding { user_name: "Maya".into(), ..Onboarding::default() }, &mut config);
        assert_eq!((config.assistant.name.as_str(), config.assistant.timezone.as_str()), ("Sentient", "auto"));
        assert_eq!(config.assistant.user_name, "Maya");
        assert!(config.assistant.onboarding_complete && config.check().is_empty());
    }

    #[test]
    fn only_ready_made_personas_are_replaced() {
        assert!(is_ready_made(&soul_file(PersonaChoice::Concise).expect("there")));
        assert!(!is_ready_made("Speak like a pirate.") && !is_ready_made(""));
        assert_eq!(soul_file(PersonaChoice::Custom), None);
    }
}
