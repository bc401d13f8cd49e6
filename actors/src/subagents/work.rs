//! One helper's work: the same loop as a chat's reply, with its own prompt, tools and limits.

use super::begin::Job;
use super::desk::{Desk, job_row};
use super::end::Outcome;
use super::parent::Parent;
use crate::chat::turn::{Errand, Home, Safe, Setting, run_errand};
use crate::chat::{Ended, place};
use protocol::engine::ModelJob;
use protocol::ids::{SubagentId, TurnId};
use protocol::tools::Progress;
use rules::subagents::{Brief, SUMMARY_CHARS_MAX, SpendLimits, cut, first_message};
use std::sync::Arc;
use storage::records::{SessionRecord, TurnRecord};
use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// What a helper is to do.
pub(super) struct Work {
    pub(super) parent: Arc<Parent>,
    pub(super) goal: String,
    pub(super) context: String,
    /// The tools its chat named.
    pub(super) tools: Option<Vec<String>>,
    pub(super) background: bool,
    /// Ends with the call that waits for it.
    pub(super) with_call: CancellationToken,
    pub(super) progress: Arc<dyn Fn(Progress) + Send + Sync>,
}

pub(super) fn job(work: Work) -> Job {
    Box::new(move |id, cancel| Box::pin(run(work, id, cancel)))
}

async fn run(work: Work, id: SubagentId, cancel: CancellationToken) -> Outcome {
    let parent = work.parent.clone();
    let config = parent.parts.config();
    // Only the chat it is for, what it has read, its model and whether it is incognito: no summary, no allowances.
    let record = SessionRecord { summary: None, allowances: Vec::new(), next_ordinal: 0, ..parent.record.clone() };
    let turn = TurnRecord {
        turn_id: TurnId(id.0.clone()),
        session_id: record.id.clone(),
        client_id: None,
        channel: "subagent".into(),
        model: None,
        first_ordinal: 0,
        started_at: parent.world.now(),
        resumed: 0,
    };
    let brief = Brief {
        goal: work.goal,
        context: work.context,
        assistant_name: config.assistant.name.clone(),
        user_name: if parent.memory.reads { config.assistant.user_name.clone() } else { String::new() },
        language: config.assistant.language.clone(),
        has_tools: true,
        marks_outside: config.chat.mark_outside_content,
    };
    let mut record = record;
    let first = place(&mut record, job_row(first_message(&brief)), Some(&turn.turn_id), &parent.world);
    let limits = SpendLimits::of_helper(&config);
    let role = parent.parts.subagents.clone();
    let desk = Arc::new(Desk::new(id, role, parent.world.clone(), record.clone(), work.progress));
    let linked = CancellationToken::new();
    let setting = Setting {
        parts: parent.parts.clone(),
        world: parent.world.clone(),
        home: Home::Desk(desk.clone()),
        turn,
        first_ordinal: 0,
        record,
        steers_wait: false,
        rows: vec![first],
        safe: Safe::already(),
        cancel: linked.clone(),
        errand: Some(Errand {
            brief,
            tools: work.tools,
            limits,
            deadline: Instant::now() + Duration::from_secs(u64::from(limits.minutes) * 60),
            memory: parent.memory,
            unprompted: parent.unprompted,
            words: parent.words.to_vec(),
            job: if work.background { ModelJob::Task } else { ModelJob::Chat },
        }),
    };
    let mut ended = until_stopped(Box::pin(run_errand(setting)), &linked, [cancel, work.with_call]).await;
    desk.leave(std::mem::take(&mut ended.usage)).await;
    outcome(ended)
}

/// Lets the work stop in order when either of them says so.
async fn until_stopped(
    work: impl Future<Output = Ended>,
    linked: &CancellationToken,
    [cancel, with_call]: [CancellationToken; 2],
) -> Ended {
    tokio::pin!(work);
    loop {
        tokio::select! {
            biased;
            () = cancel.cancelled(), if !linked.is_cancelled() => linked.cancel(),
            () = with_call.cancelled(), if !linked.is_cancelled() => linked.cancel(),
            ended = &mut work => return ended,
        }
    }
}

fn outcome(ended: Ended) -> Outcome {
    if ended.cancelled {
        return Outcome::cancelled();
    }
    match ended.rows.last().filter(|_| ended.has_answer) {
        Some(answer) => {
            let (summary, more) = cut(answer.text.trim(), SUMMARY_CHARS_MAX);
            let note = if more { "\n\n[The helper's report was longer and is cut here.]" } else { "" };
            Outcome::completed(format!("{summary}{note}"))
        }
        None => Outcome::failed(ended.error.unwrap_or_else(|| "The helper gave no answer.".into())),
    }
}
