//! Opens a question.

use super::{Answered, Approvals, Ask, OPEN_MAX, Open};
use protocol::{Error, ErrorKind};
use runtime::{Ctx, Handles};
use tokio::sync::oneshot;

impl Handles<Ask> for Approvals {
    async fn handle(&mut self, Ask(question): Ask, _: &Ctx<Self>) -> Result<oneshot::Receiver<Answered>, Error> {
        self.open.retain(|_, open| !open.answer.is_closed());
        if self.open.len() >= OPEN_MAX {
            return Err(Error::new(ErrorKind::Busy, "Too many questions are waiting for an answer."));
        }
        let (answer, receiver) = oneshot::channel();
        self.open.insert(question.card.approval_id.clone(), Open { question, answer });
        Ok(receiver)
    }
}
