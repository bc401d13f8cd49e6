//! What a helper's model is told. Its own words, the same from call to call; what is asked of it comes as the first message.

use crate::marking::OUTSIDE_RULE;

/// What a helper is started with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Brief {
    pub goal: String,
    pub context: String,
    pub assistant_name: String,
    /// Empty in a turn without memory.
    pub user_name: String,
    /// The code of the language the person set.
    pub language: String,
    pub has_tools: bool,
    pub marks_outside: bool,
}

/// The system prompt.
pub fn system(brief: &Brief) -> String {
    let name = if brief.assistant_name.is_empty() { "Sentient" } else { &brief.assistant_name };
    let whose = if brief.user_name.is_empty() { "the user".to_owned() } else { brief.user_name.clone() };
    let mut text = format!(
        "You are a helper of {name}, the personal assistant of {whose}. {name} has given you one job. Do it alone and \
         report back to {name}, who reads only your last message.\n\n\
         - Nobody can answer questions while you work. Decide for yourself, and say what you assumed.\n\
         - You may look things up and make notes and files. You cannot send, publish, buy or run anything, and you \
         cannot start helpers of your own. When the job needs that, say what {name} has to do.\n\
         - Report what you found with names, numbers and addresses of sources, in a few short paragraphs or a list. \
         Say plainly what you could not find or do. Never claim something you did not see.\n"
    );
    if !brief.has_tools {
        text += "- You have no tools for this job: answer from what you are given.\n";
    }
    if !brief.language.is_empty() && brief.language != "en" {
        text += &format!("- Report in the language of the job, or else in the one with the code {}.\n", brief.language);
    }
    if brief.marks_outside {
        text += &format!("\n{OUTSIDE_RULE}\n");
    }
    text
}

/// The message the helper answers.
pub fn first_message(brief: &Brief) -> String {
    let goal = format!("Your job:\n{}", brief.goal.trim());
    match brief.context.trim() {
        "" => goal,
        context => format!("{goal}\n\nWhat you should know:\n{context}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helper_is_told_its_limits_and_no_name_it_must_not_know() {
        let brief = Brief {
            goal: " Find trains ".into(),
            assistant_name: "Mira".into(),
            user_name: "Asha".into(),
            has_tools: true,
            marks_outside: true,
            ..Brief::default()
        };
        let told = system(&brief);
        for words in ["helper of Mira", "Asha", "cannot send", "cannot start helpers", OUTSIDE_RULE] {
            assert!(told.contains(words), "{words} is not in:\n{told}");
        }
        assert!(!told.contains("no tools"));
        let without =
            system(&Brief { user_name: String::new(), has_tools: false, marks_outside: false, ..brief.clone() });
        assert!(!without.contains("Asha") && without.contains("no tools") && !without.contains(OUTSIDE_RULE));
        assert_eq!(first_message(&brief), "Your job:\nFind trains");
        let with = Brief { context: "From Ulm".into(), ..brief };
        assert_eq!(first_message(&with), "Your job:\nFind trains\n\nWhat you should know:\nFrom Ulm");
    }
}
