//! Makes a prompt fit what the model reads at once: first old results go, then old exchanges, then old results of this
//! turn. What the person just wrote is never left out.

use super::history::Group;
use crate::context_meter::tokens;
use protocol::model::PromptMessage;

/// What an older result becomes when its room is needed.
const LEFT_OUT: &str = "[This older result was left out to make room. Call the tool again, or read the saved file, if it \
     is needed.]";
/// The share of the context kept free for the answer. Ours.
const ANSWER_SHARE: f64 = 0.2;
/// Characters of a result of this turn that stay when room is needed badly. Ours.
const KEPT_CHARS: usize = 400;
/// What each step of shrinking leaves of the budget, after a provider said the prompt was too long. Ours.
const SHRINK_FACTOR: f64 = 0.6;
/// Tokens a picture is counted as. Providers count between 85 and 1,600; ours is on the high side.
const PICTURE_TOKENS: usize = 1_200;

/// Tokens a prompt may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// What the model reads at once; `None` when it is not known.
    pub context_length: Option<u32>,
    /// Tokens the offered tools take.
    pub tools: usize,
    /// How often the prompt has turned out too long.
    pub shrinks: u32,
}

/// About how many tokens a text is; the same guess the context meter makes.
pub fn estimate(text: &str) -> usize {
    usize::try_from(tokens(text)).unwrap_or(usize::MAX)
}

impl Budget {
    /// Tokens left for the chat's messages; `None` when there is no limit to keep.
    pub(super) fn for_messages(&self, system: &str, summary: &str) -> Option<usize> {
        let total = f64::from(self.context_length?) * (1.0 - ANSWER_SHARE);
        let total = total * SHRINK_FACTOR.powi(i32::try_from(self.shrinks).unwrap_or(i32::MAX));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2^32 and never negative")]
        let total = total as usize;
        Some(total.saturating_sub(self.tools + estimate(system) + estimate(summary)))
    }
}

/// Tokens of one message of a prompt, by the same guess.
pub fn message_size(message: &PromptMessage) -> usize {
    const FRAME: usize = 8; // role and separators
    FRAME
        + match message {
            PromptMessage::System { text, .. } | PromptMessage::Tool { text, .. } => estimate(text),
            PromptMessage::User { text, pictures } => estimate(text) + pictures.len() * PICTURE_TOKENS,
            PromptMessage::Assistant { text, thinking, calls } => {
                let thinking: usize = thinking.iter().map(|thought| estimate(thought.readable())).sum();
                estimate(text)
                    + thinking
                    + calls.iter().map(|call| estimate(&call.arguments.to_string()) + FRAME).sum::<usize>()
            }
        }
}

fn total(groups: &[Group]) -> usize {
    groups.iter().flat_map(|group| &group.messages).map(message_size).sum()
}

/// Leaves out what must go, oldest first.
pub(super) fn fit(groups: &mut Vec<Group>, budget: Option<usize>) {
    let Some(budget) = budget else { return };
    let mut now = total(groups);
    if now <= budget {
        return;
    }
    shorten_results(groups, &mut now, budget, |group, _| !group.current, 0);
    while now > budget {
        let Some(end) = groups.iter().skip(1).position(|group| group.begins_exchange && !groups[0].current) else {
            break;
        };
        now -= total(&groups[..=end]);
        groups.drain(..=end);
    }
    let last = groups.len().saturating_sub(1);
    shorten_results(groups, &mut now, budget, |group, index| group.current && index < last, 0);
    shorten_results(groups, &mut now, budget, |_, _| true, KEPT_CHARS);
}

/// Replaces results of the chosen groups, oldest first, until all fits. `keep` characters of each stay.
fn shorten_results(
    groups: &mut [Group],
    now: &mut usize,
    budget: usize,
    chosen: impl Fn(&Group, usize) -> bool,
    keep: usize,
) {
    for (index, group) in groups.iter_mut().enumerate() {
        if !chosen(group, index) {
            continue;
        }
        for message in &mut group.messages {
            if *now <= budget {
                return;
            }
            let before = message_size(message);
            if let PromptMessage::Tool { text, .. } = message {
                let kept: String = text.chars().take(keep).collect();
                let shorter = if kept.is_empty() { LEFT_OUT.to_owned() } else { format!("{kept}\n{LEFT_OUT}") };
                // Shorter in tokens, which is not always what is shorter in characters.
                if let Some(saved) = estimate(text).checked_sub(estimate(&shorter)).filter(|saved| *saved > 0) {
                    *text = shorter;
                    *now -= saved.min(before);
                }
            }
        }
    }
}
