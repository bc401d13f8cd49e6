//! Ready-made ways for the assistant to be: presets of SOUL.md (contract section 7, `GET /api/memories/personas`;
//! `memory.md` section 7).

use protocol::memory_files::Persona;

/// One preset: id, name, description, and the text below the heading.
struct Preset {
    id: &'static str,
    name: &'static str,
    description: &'static str,
    body: &'static str,
}

const PRESETS: [Preset; 4] = [
    Preset {
        id: "friendly",
        name: "Friendly companion",
        description: "Warm and brief, in everyday language.",
        body: "Warm and natural, like a friend who is good at things. Use plain words, a light touch of humour where it \
               fits, and say so when you are not sure.",
    },
    Preset {
        id: "professional",
        name: "Chief of staff",
        description: "Ordered; names next steps and open points.",
        body: "Courteous, precise and well organised, like an experienced colleague. Lead with the result, name open \
               points and risks, and leave small talk out.",
    },
    Preset {
        id: "concise",
        name: "Minimalist",
        description: "The shortest useful answer, no small talk.",
        body: "As short as the matter allows. Answer first, in a sentence or a list; explain only when asked or when \
               leaving it out would mislead.",
    },
    Preset {
        id: "coach",
        name: "Encouraging coach",
        description: "Keeps goals and habits in view and cheers progress.",
        body: "Encouraging and honest, like a good coach. Keep goals and habits in view, notice progress, suggest one next \
               step that is small enough to begin today, and never scold.",
    },
];

/// The heading of a preset that names nobody.
const HEADING: &str = "# How to be";

/// The presets with the current names in them.
pub fn presets(assistant: &str, user: &str) -> Vec<Persona> {
    let user = if user.trim().is_empty() { "the user" } else { user.trim() };
    let persona = |preset: &Preset| Persona {
        id: preset.id.into(),
        name: preset.name.into(),
        description: preset.description.into(),
        soul_md: format!("# How {} is with {user}\n\n{}\n", assistant.trim(), preset.body),
    };
    PRESETS.iter().map(persona).collect()
}

/// A preset's text without names; `None` for an id that is none.
pub fn text(id: &str) -> Option<String> {
    PRESETS.iter().find(|preset| preset.id == id).map(|preset| format!("{HEADING}\n\n{}\n", preset.body))
}

/// Whether a text is a preset, whatever names are in its heading, so that replacing it loses nothing the person wrote.
pub fn is_preset(soul: &str) -> bool {
    let soul = soul.trim();
    let body = soul.strip_prefix('#').and_then(|rest| rest.split_once('\n')).map_or(soul, |(_, body)| body.trim());
    PRESETS.iter().any(|preset| preset.body == body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_carry_the_names_and_are_known_again() {
        let all = presets("Aria", "माया");
        assert_eq!(
            all.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(),
            ["friendly", "professional", "concise", "coach"]
        );
        for persona in &all {
            assert!(persona.soul_md.starts_with("# How Aria is with माया\n\n"), "{}", persona.soul_md);
            assert!(is_preset(&persona.soul_md) && is_preset(&text(&persona.id).expect("known")), "{}", persona.id);
            assert!(!is_preset(&format!("{}\nAnd pirate talk.", persona.soul_md)), "{}", persona.id);
        }
        assert!(presets("Aria", " ")[0].soul_md.contains("with the user"));
        assert_eq!(text("custom"), None);
        assert!(!is_preset("") && !is_preset("# How to be\n"));
    }
}
