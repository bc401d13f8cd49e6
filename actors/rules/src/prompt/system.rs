//! The system prompt. It is a function of the settings and of what the chat is, and of nothing that passes.

use crate::marking::OUTSIDE_RULE;

/// What the system prompt depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemFacts {
    pub assistant_name: String,
    /// Empty when not known, or not to be used in this chat.
    pub user_name: String,
    pub location: String,
    /// BCP-47 code of the language to answer in when the person's own is not clear.
    pub language: String,
    /// How the assistant should be (`workspace/SOUL.md` or the chosen persona); may be empty.
    pub persona: String,
    /// About the person (`workspace/USER.md`); may be empty.
    pub profile: String,
    /// What the assistant keeps in view (`workspace/MEMORY.md`); may be empty.
    pub memory_page: String,
    /// The notes of today and yesterday, each with its date.
    pub notes: Vec<(String, String)>,
    /// Where things stand, for the chat's scope (`rules::narrative`), with its heading; may be empty.
    pub narrative: String,
    /// Which memories a chat with a scope of its own uses; empty for a personal one.
    pub scope_note: String,
    /// Where the answer is read: `desktop`, `telegram`, `voice`…
    pub channel: String,
    pub incognito: bool,
    /// Apps that may only be read.
    pub read_only_apps: Vec<String>,
    /// What Sentient knows about the person is left out of this chat, and the model is told so.
    pub without_memory: bool,
    pub has_tools: bool,
    pub marks_outside: bool,
}

/// Writes the system prompt.
pub fn system(facts: &SystemFacts) -> String {
    let mut parts: Vec<String> = Vec::new();
    let name = &facts.assistant_name;
    let whose = if facts.user_name.is_empty() { "the user's".into() } else { format!("{}'s", facts.user_name) };
    parts.push(format!("You are {name}, {whose} personal assistant. You run on their own computer."));
    if !facts.persona.trim().is_empty() {
        parts.push(facts.persona.trim().to_owned());
    }
    parts.push(
        "Answer in the language the user writes in. Say what you know plainly, say so when you do not know, and never \
         claim to have done something that no tool result shows. Each message of the user begins with the time it was \
         written, in square brackets."
            .into(),
    );
    if !facts.language.is_empty() && facts.language != "en" {
        parts
            .push(format!("When it is not clear which language to use, use the one with the code {}.", facts.language));
    }
    if !facts.location.is_empty() {
        parts.push(format!("The user lives in {}.", facts.location));
    }
    if facts.has_tools {
        parts.push(
            "Use a tool when it gives a better answer than memory does, with arguments that come from the conversation \
             and never from guessing. When a call is refused or declined, say so and do not look for a way around it."
                .into(),
        );
    }
    if !facts.read_only_apps.is_empty() {
        parts.push(format!(
            "The user set these apps to Read only: {}. You can look things up there; anything else needs the user to \
             change that in Integrations.",
            facts.read_only_apps.join(", ")
        ));
    }
    if facts.marks_outside {
        parts.push(OUTSIDE_RULE.into());
    }
    if let Some(guidance) = channel_guidance(&facts.channel) {
        parts.push(guidance.into());
    }
    if facts.incognito {
        parts.push("This chat is incognito: nothing of it is remembered, and it is deleted when it is left.".into());
    }
    if facts.without_memory {
        parts.push(
            "What you remember about the user is not available here: no memories, notes or past chats. When it is asked \
             for, say that it can be turned on in Settings for apps that use Sentient's API."
                .into(),
        );
    }
    if !facts.profile.trim().is_empty() {
        parts.push(format!("About the user:\n{}", facts.profile.trim()));
    }
    if !facts.memory_page.trim().is_empty() {
        parts.push(format!("What you keep in view:\n{}", facts.memory_page.trim()));
    }
    for (day, note) in facts.notes.iter().filter(|(_, note)| !note.trim().is_empty()) {
        parts.push(format!("Note of {day}:\n{}", note.trim()));
    }
    if !facts.narrative.is_empty() {
        parts.push(facts.narrative.clone());
    }
    if !facts.scope_note.is_empty() {
        parts.push(facts.scope_note.clone());
    }
    parts.join("\n\n")
}

/// How to write where the answer is read (contract section 10).
fn channel_guidance(channel: &str) -> Option<&'static str> {
    match channel {
        "telegram" | "discord" | "whatsapp" => {
            Some("Your answer is read on a phone: keep it short, no tables, no headings, lists of a few lines at most.")
        }
        "voice" | "glasses" | "phone" => Some(
            "Your answer is spoken aloud: use whole short sentences, no lists, no code and no symbols, and give the \
             main point first.",
        ),
        _ => None,
    }
}
