//! Answers a question.

use super::{Answer, Answered, Approvals};
use protocol::Error;
use runtime::{Ctx, Handles};

impl Handles<Answer> for Approvals {
    async fn handle(&mut self, answer: Answer, ctx: &Ctx<Self>) -> Result<bool, Error> {
        let Some(open) = self.open.remove(&answer.approval_id) else { return Ok(false) };
        let decision = rules::gate::narrow(answer.decision, &open.question.card.choices);
        // A turn that ended meanwhile no longer listens: then nothing was waiting.
        Ok(open.answer.send(Answered { decision, at: ctx.now() }).is_ok())
    }
}
