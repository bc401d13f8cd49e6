//! What a call would do, for the surfaces that show it. It is built by `rules::preview` from the call alone.

use super::Call;
use super::facts::Known;
use protocol::preview::ActionPreview;
use rules::gate::Verdict;

/// The preview, where somebody will see it: on a question, in an undo window, or when it is handed over.
pub(super) fn of(verdict: &Verdict, known: &Known, call: &Call<'_>) -> Option<ActionPreview> {
    let is_shown = matches!(verdict, Verdict::Ask(_) | Verdict::HandOff(_) | Verdict::Run { undo: Some(_) });
    is_shown.then(|| rules::preview::preview(&known.shown(call))).flatten()
}

impl Known {
    /// The call as a preview looks at it.
    pub(super) fn shown<'a>(&'a self, call: &Call<'a>) -> rules::preview::Call<'a> {
        rules::preview::Call {
            name: call.name,
            plugin: &self.words.plugin,
            risk: self.risk,
            label: &self.words.risk_label,
            arguments: call.arguments,
        }
    }
}
