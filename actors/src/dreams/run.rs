//! A dream's row: begun, brought along, ended.

use super::{DREAMS_MAX, Dreams, End, Progress, Run, Running, shown, steps};
use crate::notifications::{AddNotification, NewNotification};
use crate::stop::Work;
use protocol::Error;
use protocol::knowing::{DreamStatus, DreamTrigger};
use protocol::notifications::NotificationKind;
use runtime::{Ctx, Handles};
use serde_json::json;
use storage::Batch;
use storage::records::{DreamCounts, DreamRecord};

impl Handles<Run> for Dreams {
    async fn handle(&mut self, Run { trigger, stops }: Run, ctx: &Ctx<Self>) -> Result<DreamRecord, Error> {
        if let Some(running) = &self.running {
            return Ok(running.record.clone());
        }
        let scope = ctx.scope.child();
        let stop = &self.needs.means.stop;
        let at_work = match trigger {
            DreamTrigger::Manual => stop.enter(Work::Dream, scope.token(), stops),
            DreamTrigger::Schedule => stop.enter_by_itself(Work::Dream, scope.token())?,
        };
        let record = DreamRecord {
            id: ctx.world.id(),
            started_at: ctx.now(),
            finished_at: None,
            status: DreamStatus::Running,
            trigger,
            stats: DreamCounts::default(),
            journal: Vec::new(),
            error: None,
            done: Vec::new(),
            calls: 0,
        };
        let mut batch = Batch::new();
        let snapshot = self.needs.store.snapshot()?;
        let spare = usize::try_from(snapshot.count::<DreamRecord>()?).unwrap_or(0).saturating_sub(DREAMS_MAX - 1);
        for old in snapshot.all::<DreamRecord>()?.take(spare) {
            batch.delete::<DreamRecord>(&old?.id);
        }
        self.store(&record, batch, ctx).await?;
        let (work, token) = (steps::Work::new(self.needs.clone(), ctx.me.clone(), record.clone()), scope.token());
        scope.spawn("dream", steps::dream(work, token));
        self.running = Some(Running { record: record.clone(), scope, _at_work: at_work });
        Ok(record)
    }
}

impl Dreams {
    pub(super) fn is_running(&self, record: &DreamRecord) -> bool {
        self.running.as_ref().is_some_and(|running| running.record.id == record.id)
    }
}

impl Handles<Progress> for Dreams {
    async fn handle(&mut self, Progress { record, pairs }: Progress, _: &Ctx<Self>) -> Result<(), Error> {
        if !self.is_running(&record) {
            return Ok(()); // it was ended meanwhile
        }
        let mut batch = Batch::new();
        batch.put(&record);
        if let Some(pairs) = &pairs {
            batch.put(pairs);
        }
        self.needs.store.commit(batch).await?;
        if let Some(running) = &mut self.running {
            running.record = record;
        }
        Ok(())
    }
}

impl Handles<End> for Dreams {
    async fn handle(&mut self, End { record }: End, ctx: &Ctx<Self>) -> Result<(), Error> {
        if !self.is_running(&record) {
            return Ok(());
        }
        let record = DreamRecord { finished_at: Some(ctx.now()), ..record };
        self.store(&record, Batch::new(), ctx).await?;
        if let Some(running) = self.running.take() {
            drop(running.scope);
        }
        let dream = shown(record);
        if self.needs.config.borrow().dreaming.notify && dream.stats.is_worth_telling() {
            let new = NewNotification {
                kind: NotificationKind::Info,
                title: "Memory tidied up".into(),
                message: rules::dreams::notice(&dream.stats),
                payload: json!({ "dream_id": dream.id }),
                task_id: None,
            };
            self.needs.notifications.ask(ctx, AddNotification { new, mark: None }).await?;
        }
        Ok(())
    }
}
