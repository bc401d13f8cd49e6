//! Starts a helper: its row first, then its work, at once or when a place is free.

use super::{OpenHelper, Subagents, WAITING_MAX, put_step};
use crate::stop::Work;
use crate::subagents::end::{self, Outcome};
use futures::future::BoxFuture;
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

/// Starts it.
pub(crate) struct Begin {
    pub(crate) new: NewHelper,
    pub(crate) job: Job,
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
    async fn handle(&mut self, Begin { new, job }: Begin, ctx: &Ctx<Self>) -> Result<Begun, Error> {
        if self.line.len() >= WAITING_MAX {
            return Err(Error::new(ErrorKind::Busy, "Too many helpers are waiting for their turn.")
                .hint("Wait until some of them have ended."));
        }
        let mut record = SubagentRecord {
            id: SubagentId(ctx.world.id()),
            session_id: new.session_id,
            parent_call_id: new.parent_call_id,
            goal: new.goal,
            kind: new.kind,
            status: SubagentStatus::Running,
            background: new.background,
            summary: None,
            error: None,
            tool_calls: 0,
            started_at: ctx.now(),
            finished_at: None,
            files: Vec::new(),
            next_step: 0,
            untold: false,
        };
        let mut batch = Batch::new();
        if let Some(first) = new.first {
            put_step(&mut record, &mut batch, first, ctx.now());
        }
        self.store(&record, batch, ctx.now()).await?;
        let (id, needs_place) = (record.id.clone(), record.kind == SubagentKind::Worker);
        let (tell, ended) = oneshot::channel();
        let scope = ctx.scope.child();
        let stop = &self.needs.stop;
        let at_work = stop.enter(Work::Helper, scope.token(), stop.stops());
        let helper = OpenHelper { record, scope, _at_work: at_work, has_place: !needs_place, ended: Some(tell) };
        self.open.insert(id.clone(), helper);
        if needs_place {
            self.line.push_back((id.clone(), job));
            self.fill_places(ctx);
        } else {
            self.set_to_work(&id, job, ctx);
        }
        Ok(Begun { id, ended })
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
