//! The ready-made personas: texts for `SOUL.md` that the person can choose from (`memory.md` section 7).

use crate::onboarding::soul_file;
use protocol::memory_requests::Persona;
use protocol::onboarding::PersonaChoice;

/// Persona, name, description, text. `{name}` is the assistant, `{user}` the person.
const COACH: &str = "# How to be\n\nAn encouraging coach for {user}. Keep their goals and habits in view, name the next small \
                     step, cheer real progress, and be honest when something slips.\n";

/// All of them, with the names as they are now. An assistant or a person without a name is spoken of without one.
pub fn personas(assistant: &str, user: &str) -> Vec<Persona> {
    let named =
        |text: &str, instead: &str| if text.trim().is_empty() { instead.to_owned() } else { text.trim().to_owned() };
    let (assistant, user) = (named(assistant, "Sentient"), named(user, "the user"));
    let persona = |id: &str, name: &str, description: &str, text: &str| Persona {
        id: id.into(),
        name: name.into(),
        description: description.into(),
        soul_md: text.replace("{name}", &assistant).replace("{user}", &user),
    };
    let ready = |choice| soul_file(choice).unwrap_or_default();
    vec![
        persona(
            "friendly",
            "Friendly companion",
            "Warm and brief, in everyday language.",
            ready(PersonaChoice::Friendly),
        ),
        persona(
            "professional",
            "Chief of staff",
            "Ordered; names next steps and open points.",
            ready(PersonaChoice::Professional),
        ),
        persona("concise", "Minimalist", "The shortest useful answer, no small talk.", ready(PersonaChoice::Concise)),
        persona("coach", "Encouraging coach", "Keeps goals and habits in view and cheers progress.", COACH),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn personas_speak_of_those_there_are() {
        for (assistant, user, want) in [("Iris", "Maya", "coach for Maya."), ("", " ", "coach for the user.")] {
            let all = personas(assistant, user);
            assert_eq!(
                all.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(),
                ["friendly", "professional", "concise", "coach"]
            );
            assert!(all[3].soul_md.contains(want), "{}", all[3].soul_md);
            assert!(all.iter().all(|it| !it.soul_md.is_empty() && !it.soul_md.contains('{')));
        }
    }
}
