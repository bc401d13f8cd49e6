//! Starts a helper: its row first, then its work, at once or when a place is free.

use super::{OpenHelper, Subagents, WAITING_MAX, put_step};
use crate::stop::Work;
use crate::subagents::end::{self, Outcome};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use protocol::ids::{CallId, SessionId, SubagentId};
use protocol::subagents::{ProgressMessage, SubagentKind, SubagentStatus};
use protocol::{Error, ErrorKind, Request};
use runtime::{Ctx, Handles, Scope};
use storage::Batch;
use storage::records::SubagentRecord;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// A helper's work: told its name and when to stop, it ends with what came of it.
pub(crate) type Job = Box<dyn FnOnce(SubagentId, CancellationToken) -> BoxFuture<'static, Outcome> + Send + Sync>;

/// A helper to be started.
pub(crate) struct NewHelper {
    pub(crate) session_id: SessionId,
    pub(crate) parent_call_id: CallId,
    pub(crate) goal: String,
    pub(crate) kind: SubagentKind,
    pub(crate) background: bool,
    /// The first line of its log, if it has one.
    pub(crate) first: Option<ProgressMessage>,
}

/// Starts it, unless the call that asks for it was stopped, alone or with everything, before the helper was at work.
pub(crate) struct Begin {
    pub(crate) new: NewHelper,
    pub(crate) job: Job,
    /// [`ToolCtx::cancel`](crate::tools::ToolCtx) of the call.
    pub(crate) call: CancellationToken,
}

/// A started helper.
pub(crate) struct Begun {
    pub(crate) id: SubagentId,
    /// Its row at its end. Closed without one, the role itself broke.
    pub(crate) ended: oneshot::Receiver<SubagentRecord>,
}

impl Request for Begin {
    type Reply = Begun;
    const NAME: &'static str = "subagents.begin";
}

impl Handles<Begin> for Subagents {
    async fn handle(&mut self, Begin { new, job, call }: Begin, ctx: &Ctx<Self>) -> Result<Begun, Error> {
        if self.line.len() >= WAITING_MAX {
            return Err(Error::new(ErrorKind::Busy, "Too many helpers are waiting for their turn.")
                .hint("Wait until some of them have ended."));
        }
        // A stop counts up and stops the call in one step, so one that is not seen in the call comes after this number.
        let stops = self.needs.stop.stops();
        if call.is_cancelled() {
            return Err(stopped_before());
        }
        let mut record = fresh(new.session_id, new.parent_call_id, new.kind, ctx);
        (record.goal, record.background) = (new.goal, new.background);
        let mut batch = Batch::new();
        if let Some(first) = new.first {
            put_step(&mut record, &mut batch, first, ctx.now());
        }
        self.store(&record, batch, ctx.now()).await?;
        let (id, needs_place) = (record.id.clone(), record.kind == SubagentKind::Worker);
        let (tell, ended) = oneshot::channel();
        let scope = ctx.scope.child();
        let at_work = self.needs.stop.enter(Work::Helper, scope.token(), stops);
        let was_stopped = scope.is_cancelled() || call.is_cancelled();
        let helper = OpenHelper { record, scope, _at_work: at_work, has_place: !needs_place, ended: Some(tell) };
        self.open.insert(id.clone(), helper);
        if was_stopped {
            // While its row was on its way to the disk. Its end is stored as any other's, with more than one try.
            self.set_to_work(&id, Box::new(|_, _| ready(Outcome::cancelled()).boxed()), ctx);
            return Err(stopped_before());
        }
        if needs_place {
            self.line.push_back((id.clone(), job));
            self.fill_places(ctx);
        } else {
            self.set_to_work(&id, job, ctx);
        }
        Ok(Begun { id, ended })
    }
}

fn stopped_before() -> Error {
    Error::new(ErrorKind::Cancelled, "Stopped before the helper began.")
}

fn fresh(session_id: SessionId, parent_call_id: CallId, kind: SubagentKind, ctx: &Ctx<Subagents>) -> SubagentRecord {
    SubagentRecord {
        id: SubagentId(ctx.world.id()),
        session_id,
        parent_call_id,
        goal: String::new(),
        kind,
        status: SubagentStatus::Running,
        background: false,
        summary: None,
        error: None,
        tool_calls: 0,
        started_at: ctx.now(),
        finished_at: None,
        files: Vec::new(),
        next_step: 0,
        untold: false,
    }
}

impl Subagents {
    /// Lets those who wait go to work, as far as there are places.
    pub(super) fn fill_places(&mut self, ctx: &Ctx<Self>) {
        let places = usize::try_from(self.needs.config.borrow().subagents.max_concurrent).unwrap_or(usize::MAX);
        let worker = |helper: &&OpenHelper| helper.record.kind == SubagentKind::Worker && helper.has_place;
        while self.open.values().filter(worker).count() < places.max(1) {
            let Some((id, job)) = self.line.pop_front() else { return };
            if let Some(helper) = self.open.get_mut(&id) {
                helper.has_place = true;
                self.set_to_work(&id, job, ctx);
            }
        }
    }

    fn set_to_work(&mut self, id: &SubagentId, job: Job, ctx: &Ctx<Self>) {
        let Some(helper) = self.open.get(id) else { return };
        let scope: Scope = helper.scope.clone();
        let (me, world, id) = (ctx.me.clone(), ctx.world.clone(), id.clone());
        let work = job(id.clone(), scope.token());
        scope.spawn("subagent", end::work_to_the_end(me, world, id, work));
    }
}
