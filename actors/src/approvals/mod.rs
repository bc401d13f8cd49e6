//! Open questions to the person. One role for the whole engine, so that an answer from any surface settles the turn that
//! waits, and a question is answered once.
//!
//! Questions are not rows: a turn that is begun again after a crash asks again, under a new id. Answers that cover more
//! than one call are: [`grants`], and lasting rules in the settings. This role never decides whether something must be
//! asked; that is `rules::gate`.

mod answer;
mod ask;
pub mod grants;
mod list;
pub mod proposals;
pub(crate) mod start;
mod withdraw;

use crate::config::ConfigRole;
use crate::gate::Words;
use grants::Grants;
use protocol::approvals::{ApprovalAsk, Decision, Via};
use protocol::ids::{ApprovalId, SessionId, TurnId};
use protocol::{Error, Request, Timestamp};
use runtime::{Address, Ctx, Role};
use std::collections::BTreeMap;
use tokio::sync::oneshot;

/// Questions that may be open at once. Ours.
pub const OPEN_MAX: usize = 1_000;

/// Where answers go that cover more than one call.
#[derive(Clone)]
pub struct ApprovalsNeeds {
    pub grants: Address<Grants>,
    pub settings: Address<ConfigRole>,
}

/// The broker of questions.
pub struct Approvals {
    needs: ApprovalsNeeds,
    open: BTreeMap<ApprovalId, Open>,
}

struct Open {
    question: OpenQuestion,
    answer: oneshot::Sender<Answered>,
}

/// A question nobody has answered yet, with all a window needs to show it.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenQuestion {
    pub session_id: SessionId,
    pub turn_id: TurnId,
    pub card: ApprovalAsk,
    /// How the call is named to the person.
    pub words: Words,
    /// The task whose run asks: its id and name.
    pub task: Option<(String, String)>,
}

/// The person's answer, narrowed to what was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    pub decision: Decision,
    pub at: Timestamp,
}

/// Opens a question. The reply is where the answer will arrive; it closes without one when the question is withdrawn.
pub struct Ask(pub OpenQuestion);

impl Request for Ask {
    type Reply = oneshot::Receiver<Answered>;
    const NAME: &'static str = "approvals.ask";
}

/// Answers a question. Whether one was open.
pub struct Answer {
    pub approval_id: ApprovalId,
    pub decision: Decision,
    pub via: Via,
}

impl Request for Answer {
    type Reply = bool;
    const NAME: &'static str = "approvals.answer";
}

/// The questions that still wait, for a window that was not there when they were asked.
pub struct List;

impl Request for List {
    type Reply = Vec<OpenQuestion>;
    const NAME: &'static str = "approvals.list";
}

/// Takes back what a turn has asked: it ended or nobody answered in time.
pub struct Withdraw {
    pub turn_id: TurnId,
}

impl Request for Withdraw {
    type Reply = ();
    const NAME: &'static str = "approvals.withdraw";
}

impl Role for Approvals {
    const NAME: &'static str = "approvals";
    const RANK: u8 = 30;
    const MAILBOX_MAX: usize = 1_024;
    type Needs = ApprovalsNeeds;

    async fn start(needs: ApprovalsNeeds, _: &Ctx<Self>) -> Result<Self, Error> {
        Ok(Self { needs, open: BTreeMap::new() })
    }
}
